//! Which wheels `--cuda` fetches: the `nvidia-*` dependencies that torch's own METADATA pins.
//!
//! torch 2.11 names some directly (`nvidia-cudnn-cu13==...`) and the others as extras of `cuda-toolkit`, a wheel that
//! holds nothing but dependencies of its own. Nothing is fetched here; [`super::cache`] does that.

/// The version of `cuda-toolkit` that torch pins, with the extras it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolkit {
    /// As pip wants it, without extras: `cuda-toolkit==13.0.2`.
    pub spec: String,
    /// `cublas`, `cufft` ...
    pub extras: Vec<String>,
}

/// What torch's METADATA asks for on Linux.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Wheels named directly.
    pub direct: Vec<String>,
    /// The collection whose parts are wanted too.
    pub toolkit: Option<Toolkit>,
}

/// Reads the CUDA wheels out of torch's METADATA.
pub fn wanted_by_torch(metadata: &str) -> Wanted {
    let mut wanted = Wanted::default();
    for requirement in requirements(metadata) {
        if requirement.extra().is_some() || !requirement.on_linux() {
            continue;
        }
        if requirement.name == "cuda-toolkit" {
            let spec = format!("{}{}", requirement.name, requirement.version);
            let extras = requirement
                .extras
                .iter()
                .map(|extra| (*extra).to_owned())
                .collect();
            wanted.toolkit = Some(Toolkit { spec, extras });
        } else if requirement.name.starts_with("nvidia-") {
            wanted
                .direct
                .push(format!("{}{}", requirement.name, requirement.version));
        }
    }
    wanted
}

/// Reads the parts that `extras` stand for out of `cuda-toolkit`'s METADATA.
pub fn parts_of_toolkit(metadata: &str, extras: &[String]) -> Vec<String> {
    requirements(metadata)
        .filter(|part| {
            part.extra()
                .is_some_and(|extra| extras.iter().any(|wanted| wanted == extra))
        })
        .filter(|part| part.on_linux() && part.name.starts_with("nvidia-"))
        .map(|part| format!("{}{}", part.name, part.version))
        .collect()
}

/// One `Requires-Dist` line: `name[extra,extra]==version; marker`.
struct Requirement<'text> {
    name: &'text str,
    extras: Vec<&'text str>,
    version: String,
    marker: &'text str,
}

impl Requirement<'_> {
    /// The extra in `... extra == "name"`.
    fn extra(&self) -> Option<&str> {
        let (_, rest) = self.marker.split_once("extra")?;
        rest.split(['"', '\'']).nth(1)
    }

    /// Whether the marker lets Linux through. Only the forms that occur are understood; an unknown one lets through,
    /// since a wheel too many costs time and one too few costs CUDA.
    fn on_linux(&self) -> bool {
        let marker = self.marker.to_ascii_lowercase();
        !(marker.contains("platform_system") || marker.contains("sys_platform"))
            || marker.contains("linux")
    }
}

fn requirements(metadata: &str) -> impl Iterator<Item = Requirement<'_>> {
    // The headers end at the first empty line; a description may follow that quotes anything.
    metadata
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| {
            let line = line.strip_prefix("Requires-Dist:")?.trim();
            let (requirement, marker) = line.split_once(';').unwrap_or((line, ""));
            let end = requirement.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
            let (name, rest) = requirement.split_at(end.unwrap_or(requirement.len()));
            let rest = rest.trim();
            let (extras, version) = match rest
                .strip_prefix('[')
                .and_then(|rest| rest.split_once(']'))
            {
                Some((extras, version)) => (extras.split(',').map(str::trim).collect(), version),
                None => (Vec::new(), rest),
            };
            let version = version
                .chars()
                .filter(|c| !c.is_whitespace() && !"()".contains(*c))
                .collect();
            Some(Requirement {
                name,
                extras,
                version,
                marker,
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    // The lines as torch 2.11.0 and cuda-toolkit 13.0.2 have them.
    const TORCH: &str = "\
Metadata-Version: 2.1
Name: torch
Requires-Dist: filelock
Requires-Dist: setuptools<82
Requires-Dist: cuda-toolkit[cublas,cudart,cufft,cufile,cupti,curand,cusolver,cusparse,nvjitlink,nvrtc,nvtx]==13.0.2; platform_system == \"Linux\"
Requires-Dist: cuda-bindings<14,>=13.0.3; platform_system == \"Linux\"
Requires-Dist: nvidia-cudnn-cu13==9.19.0.56; platform_system == \"Linux\"
Requires-Dist: nvidia-cusparselt-cu13==0.8.0; platform_system == \"Linux\"
Requires-Dist: nvidia-nccl-cu13==2.28.9; platform_system == \"Linux\"
Requires-Dist: nvidia-nvshmem-cu13==3.4.5; platform_system == \"Linux\"
Requires-Dist: triton==3.6.0; platform_system == \"Linux\"
Requires-Dist: optree>=0.13.0; extra == \"optree\"

Requires-Dist: nvidia-of-the-description==1
";
    const TOOLKIT: &str = "\
Provides-Extra: all
Requires-Dist: nvidia-cublas==13.1.0.3.*; (sys_platform == 'linux' or sys_platform == 'win32') and extra == 'all'
Requires-Dist: nvidia-cublas==13.1.0.3.*; (sys_platform == 'linux' or sys_platform == 'win32') and extra == 'cublas'
Requires-Dist: nvidia-cuda-nvcc==13.0.88.*; (sys_platform == 'linux' or sys_platform == 'win32') and extra == 'nvcc'
Requires-Dist: nvidia-cuda-nvrtc==13.0.88.*; (sys_platform == 'linux' or sys_platform == 'win32') and extra == 'nvrtc'
Requires-Dist: nvidia-cufile==1.15.1.6.*; (sys_platform == 'linux') and extra == 'cufile'
Requires-Dist: nvidia-only-there==1; (sys_platform == 'win32') and extra == 'cufile'
";

    #[test]
    fn torch_names_wheels_and_a_toolkit() {
        let wanted = wanted_by_torch(TORCH);
        let direct = [
            "nvidia-cudnn-cu13==9.19.0.56",
            "nvidia-cusparselt-cu13==0.8.0",
            "nvidia-nccl-cu13==2.28.9",
            "nvidia-nvshmem-cu13==3.4.5",
        ];
        assert_eq!(wanted.direct, direct);
        let toolkit = wanted.toolkit.unwrap();
        assert_eq!(toolkit.spec, "cuda-toolkit==13.0.2");
        assert_eq!(toolkit.extras.len(), 11);
        assert_eq!(toolkit.extras[..2], ["cublas", "cudart"]);
    }

    #[test]
    fn the_toolkit_gives_the_parts_asked_for() {
        let extras = ["cublas", "cufile", "nvrtc"].map(str::to_owned);
        let parts = [
            "nvidia-cublas==13.1.0.3.*",
            "nvidia-cuda-nvrtc==13.0.88.*",
            "nvidia-cufile==1.15.1.6.*",
        ];
        assert_eq!(parts_of_toolkit(TOOLKIT, &extras), parts);
    }

    #[test]
    fn older_and_other_forms() {
        let old = "Requires-Dist: nvidia-cublas-cu12 (==12.8.4.1) ; platform_system == \"Linux\" and platform_machine == \"x86_64\"\n";
        assert_eq!(
            wanted_by_torch(old).direct,
            ["nvidia-cublas-cu12==12.8.4.1"]
        );
        let windows = "Requires-Dist: nvidia-x==1; platform_system == \"Windows\"\n";
        assert_eq!(wanted_by_torch(windows), Wanted::default());
        assert_eq!(
            wanted_by_torch("nonsense\nRequires-Dist:\nRequires-Dist: ;;[["),
            Wanted::default()
        );
    }
}
