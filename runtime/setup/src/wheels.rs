//! Every wheel that a set-up fetches, with its SHA-256: nothing else is ever opened.
//!
//! `wheels/RELEASE.txt` is what a release of torch asks for on Linux: its own wheel, for each Python that it is made for (the libraries and headers
//! inside are what counts, so any of them will do); the CUDA runtime, to which `libtorch_cpu.so` is linked; and for `--cuda` whatever else torch
//! requires of NVIDIA's. `wheels/make.py` asks the package index for all of it. To add a release: run it, and add the release to [`RELEASES`] and,
//! where it is beyond them, to the ends in `release.rs`.

/// Each release that can be fetched, the newest first, with the text of its file.
const RELEASES: [(&str, &str); 5] = [
    ("2.15.0", include_str!("../wheels/2.15.0.txt")),
    ("2.14.1", include_str!("../wheels/2.14.1.txt")),
    ("2.13.0", include_str!("../wheels/2.13.0.txt")),
    ("2.12.1", include_str!("../wheels/2.12.1.txt")),
    ("2.11.0", include_str!("../wheels/2.11.0.txt")),
];

/// The newest release that can be fetched.
pub const NEWEST: &str = RELEASES[0].0;
/// The oldest one.
pub const OLDEST: &str = RELEASES[RELEASES.len() - 1].0;

/// A wheel, or several that will do equally.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// The project's name in the package index.
    pub project: &'static str,
    /// Its version.
    pub version: &'static str,
    /// How many bytes the largest of these wheels has.
    pub bytes: u64,
    /// The SHA-256 of each file that will do, in lower-case hexadecimal digits.
    pub sha256: Vec<&'static str>,
}

impl Pin {
    /// As pip writes it: `torch==2.15.0`.
    pub fn spec(&self) -> String {
        format!("{}=={}", self.project, self.version)
    }

    /// A line of a requirements file for pip's `--require-hashes`.
    pub fn requirement(&self) -> String {
        let mut line = self.spec();
        for hash in &self.sha256 {
            line.push_str(" --hash=sha256:");
            line.push_str(hash);
        }
        line
    }
}

/// The wheels of a release for one kind of machine.
#[derive(Debug, Clone)]
pub struct Pins {
    /// The release of torch.
    pub release: &'static str,
    /// A libtorch that computes on the CPU.
    pub cpu: Vec<Pin>,
    /// What CUDA needs in addition.
    pub cuda: Vec<Pin>,
}

/// The release that a user names: `2.13.0`, or `2.13` for the newest of those that can be fetched. `None` if there is not one.
pub fn named(name: &str) -> Option<&'static str> {
    let mut releases = RELEASES.iter().map(|(release, _)| *release);
    releases.find(|release| {
        release
            .strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || (name.contains('.') && rest.starts_with('.')))
    })
}

/// All releases, for messages: `2.15.0, 2.14.1, ...`.
pub fn releases() -> String {
    RELEASES.map(|(release, _)| release).join(", ")
}

/// The wheels for Linux on an architecture, named as Rust does: a set for each release, the newest first. Empty where torch has no wheels.
pub fn for_arch(arch: &str) -> Vec<Pins> {
    let all = RELEASES.iter().map(|(release, text)| Pins {
        release,
        cpu: listed(text, arch, "cpu"),
        cuda: listed(text, arch, "cuda"),
    });
    all.filter(|pins| !pins.cpu.is_empty()).collect()
}

/// How many bytes these wheels have, in the words of a message: `540 MB`, `2.1 GB`.
pub fn size(pins: &[Pin]) -> String {
    let bytes: u64 = pins.iter().map(|pin| pin.bytes).sum();
    match bytes {
        0..1_000_000_000 => format!("{} MB", bytes.div_ceil(10_000_000) * 10),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// The wheels of a part in the text of a release.
fn listed(text: &'static str, arch: &str, part: &str) -> Vec<Pin> {
    text.lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            let fits = words.next() == Some(arch) && words.next() == Some(part);
            let (project, version) = words.next().filter(|_| fits)?.split_once("==")?;
            Some(Pin {
                project,
                version,
                bytes: words.next()?.parse().ok()?,
                sha256: words.collect(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::release::{self, Fit};
    use super::*;

    #[test]
    fn every_wheel_is_pinned_for_both_architectures() {
        let [x86, arm] = ["x86_64", "aarch64"].map(for_arch);
        assert!(for_arch("riscv64").is_empty());
        assert_eq!((x86.len(), arm.len()), (RELEASES.len(), RELEASES.len()));
        for (x86, arm) in x86.iter().zip(&arm) {
            assert_eq!(x86.cpu[0].version, x86.release);
            assert_eq!((x86.cpu.len(), arm.cpu.len()), (3, 3));
            assert!(x86.cuda.len() >= 12, "{}", x86.release);
            for (x86, arm) in [(&x86.cpu, &arm.cpu), (&x86.cuda, &arm.cuda)] {
                let specs = |pins: &[Pin]| pins.iter().map(Pin::spec).collect::<Vec<_>>();
                assert_eq!(specs(x86), specs(arm));
                let pins = || x86.iter().chain(arm);
                let mut hashes: Vec<&str> = pins().flat_map(|pin| pin.sha256.clone()).collect();
                for hash in &hashes {
                    let digits = hash.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
                    assert!(hash.len() == 64 && digits, "{hash}");
                }
                assert!(pins().all(|pin| pin.bytes > 100_000 && !pin.sha256.is_empty()));
                let count = hashes.len();
                hashes.sort();
                hashes.dedup();
                assert_eq!(hashes.len(), count, "a hash occurs twice");
            }
        }
    }

    #[test]
    fn each_line_of_a_file_is_a_wheel() {
        for (release, text) in RELEASES {
            let wheels = text.lines().filter(|line| !line.starts_with('#')).count();
            let all = ["x86_64", "aarch64"].map(|arch| {
                let both = ["cpu", "cuda"].map(|part| listed(text, arch, part).len());
                both.iter().sum::<usize>()
            });
            assert_eq!(wheels, all.iter().sum::<usize>(), "{release}");
        }
    }

    #[test]
    fn the_releases_are_those_that_were_tried_and_the_newest_comes_first() {
        let numbers = RELEASES.map(|(release, _)| release::numbers(release));
        assert!(numbers.is_sorted_by(|a, b| a > b));
        for (release, _) in RELEASES {
            assert_eq!(release::fit(release), Fit::Known);
        }
        let ends = [OLDEST, NEWEST].map(|release| release.rsplit_once('.').unwrap().0);
        assert_eq!(release::RANGE, ends.join(" to "));
    }

    #[test]
    fn a_release_is_named_by_two_numbers_or_by_three() {
        for (name, release) in [
            ("2.15", Some("2.15.0")),
            ("2.14.1", Some("2.14.1")),
            ("2.11.0", Some("2.11.0")),
        ] {
            assert_eq!(named(name), release, "{name}");
        }
        for name in ["", "2", "2.", "2.1", "2.14.0", "2.16", "2.15.0.0", "latest"] {
            assert_eq!(named(name), None, "{name}");
        }
    }

    #[test]
    fn requirements_are_as_pip_reads_them() {
        let pin = Pin {
            project: "torch",
            version: "2.11.0",
            bytes: 1,
            sha256: vec!["aa", "bb"],
        };
        let line = "torch==2.11.0 --hash=sha256:aa --hash=sha256:bb";
        assert_eq!(pin.requirement(), line);
        assert_eq!(size(std::slice::from_ref(&pin)), "10 MB");
        let large = Pin {
            bytes: 2_091_262_905,
            ..pin
        };
        assert_eq!(size(&[large]), "2.1 GB");
    }
}
