//! Configurations that nobody would write: files of all layers, changed at random. Whatever they hold, the answer is a configuration, an
//! error or warnings that say where, and never a panic or a device that no layer names.

use super::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Numbers that look random and are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

const SEEDS: [&str; 6] = [
    "dl:\n  device: \"cuda:0,cuda:1\"\ntraining:\n  device: \"cuda:1, cpu\"\n",
    "dl:\n  device: \"cuda:1\"          # 2nd GPU\n  dtype: \"f32\"\n  backend: \"torch\"\n  autograd: true\n",
    "# all\ndl:\n    device: gpu\n    dtype: bf16\n    backend: torch\n    autograd: false\n    amp: true\n    seed: 42\n    debug_cuda: true\n    fallback: false\n    deterministic: true\n    cudnn_benchmark: true\n    matmul_precision: high\n\
     training:\n    device: \"cuda:1\"\n    dtype: f32\n    batch_size: 32\n    gradient_checkpointing: true\n\
     inference:\n    device: \"cuda:0\"\n    dtype: f16\n    autograd: false\n",
    "device: cpu\ndtype: f64\nbackend: native\n",
    "device: auto\nseed: \"12\"\ndl:\n    device: mps\n",
    "backend: cuda\ndl: {device: cuda, dtype: f16}\n",
];

const PIECES: [&str; 44] = [
    ",",
    "\"cuda:0,,cuda:1\"",
    "\"cuda:1, cuda:0\"",
    "\"cuda:0,cuda\"",
    "cuda:0",
    "cuda:1",
    "cuda:127",
    "cuda:128",
    "cuda:99999999999999999999",
    "cuda:-1",
    "cuda:one",
    "CUDA",
    "cpu",
    "mps",
    "gpu",
    "auto",
    "opencl",
    "rocm:1",
    "\u{ff43}\u{ff50}\u{ff55}",
    "\u{202e}cpu",
    "",
    "\"",
    "\\",
    "\0",
    "\t",
    "\r\n",
    "\n",
    "    ",
    ":",
    "#",
    "[",
    "]",
    "{",
    "}",
    "|",
    "dl:",
    "training:",
    "inference:",
    "device:",
    "true",
    "9223372036854775808",
    "1e999",
    "nan",
    "f31",
];

/// A text that one of the seeds becomes by a few changes.
fn mutated(numbers: &mut Numbers) -> String {
    let mut text: Vec<char> = numbers.one_of(&SEEDS).chars().collect();
    for _ in 0..1 + numbers.below(3) {
        let at = numbers.below(text.len() + 1);
        let to = (at + numbers.below(12)).min(text.len());
        match numbers.below(5) {
            0 => drop(text.drain(at..to)),
            1 => {
                let piece = text[at..to].to_vec();
                let other = numbers.below(text.len() + 1);
                text.splice(other..other, piece);
            }
            2 => drop(text.splice(at..to, numbers.one_of(&PIECES).chars())),
            3 => {
                // The value of a line.
                let line = text[at..].iter().position(|c| *c == ':');
                let start = line.map_or(at, |colon| at + colon + 1);
                let rest = text[start..].iter().position(|c| *c == '\n');
                let end = rest.map_or(text.len(), |length| start + length);
                let value = format!(" {}", numbers.one_of(&PIECES));
                text.splice(start..end, value.chars());
            }
            _ => {
                let piece = numbers.one_of(&PIECES);
                text.splice(at..at, piece.chars());
            }
        }
    }
    text.into_iter().collect()
}

/// The devices that a text can ask for, however it is read; `None` where a word in it may be any of them.
fn devices_in(text: &str) -> BTreeSet<String> {
    let separate = |c: char| !(c.is_alphanumeric() || c == ':');
    let mut found = BTreeSet::new();
    for word in text.split(separate) {
        let parts = word.match_indices(':').map(|(at, _)| &word[at + 1..]);
        for word in parts.chain([word]) {
            if let Ok(choice) = simple_ffi_abi::device::of_word(word) {
                found.insert(choice.to_string());
            }
        }
    }
    found
}

#[test]
fn a_mutated_configuration_is_read_refused_or_warned_of() {
    let folder = std::env::temp_dir().join(format!("simple-dl-mutations-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let names = ["user.sdn", "dl.config.sdn", "dl.config.local.sdn"];
    let files: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    let mut numbers = Numbers(0x5eed_0013);
    let (mut read, mut refused, mut warned, mut lists) = (0, 0, 0, 0);
    for _ in 0..3000 {
        let used = 1 + numbers.below(3);
        let texts: Vec<String> = (0..used)
            .map(|_| match numbers.below(3) {
                0 => mutated(&mut numbers),
                _ => numbers.one_of(&SEEDS).to_owned(),
            })
            .collect();
        for (file, text) in files.iter().zip(&texts) {
            std::fs::write(file, text).unwrap();
        }
        let words = [
            "", "cpu", "cuda:1", "gpu", "opencl", "cuda:-1", " ", "f16", "native", "cpu,cpu", ",",
        ];
        let mut sources = Sources {
            files: files[..used].to_vec(),
            ..Sources::default()
        };
        let mut all = texts;
        for variable in ["SIMPLE_DL_DEVICE", "SIMPLE_DL_BACKEND", "SIMPLE_DL_DTYPES"] {
            if numbers.below(8) == 0 {
                let word = numbers.one_of(&words);
                all.push(word.to_owned());
                sources.environment.push((variable.to_owned(), word.into()));
            }
        }
        if numbers.below(8) == 0 {
            let word = numbers.one_of(&words);
            all.push(word.to_owned());
            sources.overrides.device = Some(word.to_owned());
        }
        sources.overrides.no_gpu = numbers.below(16) == 0;
        check(
            &sources,
            &all,
            &folder,
            &mut read,
            &mut refused,
            &mut warned,
            &mut lists,
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
    for count in [read, refused, warned, lists] {
        assert!(
            count > 100,
            "{read} read, {refused} refused, {warned} with warnings, {lists} with several devices"
        );
    }
}

/// One configuration: what comes out names a place, or a device that one of the texts names.
fn check(
    sources: &Sources,
    texts: &[String],
    folder: &Path,
    read: &mut u32,
    refused: &mut u32,
    warned: &mut u32,
    lists: &mut u32,
) {
    let has_place = |message: &str| {
        let in_file = message
            .split(&format!("{}/", folder.display()))
            .nth(1)
            .and_then(|rest| rest.split(':').nth(1))
            .is_some_and(|line| line.parse::<u32>().is_ok());
        in_file
            || message.contains("SIMPLE_DL_")
            || message.starts_with("--device")
            || message.contains("UTF-8")
    };
    match load(sources) {
        Err(message) => {
            *refused += 1;
            assert!(has_place(&message), "{message}\n{texts:?}");
        }
        Ok((config, warnings)) => {
            *read += 1;
            *warned += u32::from(!warnings.is_empty());
            for warning in &warnings {
                assert!(has_place(warning), "{warning}\n{texts:?}");
            }
            let devices: Vec<String> = config.device.iter().map(|it| it.to_string()).collect();
            let named: BTreeSet<String> = texts.iter().flat_map(|text| devices_in(text)).collect();
            let of_backend = match config.backend {
                Backend::Cuda => devices == ["cuda:0"],
                _ => devices == ["cpu"],
            };
            let all_named = devices.iter().all(|device| named.contains(device));
            assert!(all_named || of_backend, "{devices:?}\n{texts:?}");
            *lists += u32::from(devices.len() > 1);
            assert_eq!(backend::disagreement(&config.backend, &config.device), None);
            if config.no_gpu {
                assert_eq!(devices, ["cpu"]);
            }
        }
    }
}
