//! What a set-up has to know of the configuration: whether programs run without libtorch, so that a start needs none, and whether they ask for an
//! NVIDIA GPU. The launcher puts `--backend` of its command line, and what the program's file says, into `SIMPLE_DL_BACKEND`.
//!
//! Only the keys `backend` and `device` are read here, by the layers of `doc/configuration.md`. Which backend and device a program gets in the end is
//! decided while it is compiled and when it runs (`runtime/bridge/src/dl_config`); a configuration that cannot be read, or a device that needs libtorch
//! all the same, is dealt with there.

use std::fs;
use std::path::{Path, PathBuf};

use sdn_parser::{Document, NodeValue};

use super::env::Env;

/// The word for programs without libtorch.
const NATIVE: &str = "native";
/// How the line begins by which a file of a program names its backend.
const DECLARATION: &str = "#![backend(";
/// No configuration is longer.
const MAX_BYTES: u64 = 1 << 20;

/// A line `#![backend(native)]` of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// The word.
    pub word: String,
    /// The line, from 1.
    pub line: usize,
    /// The column of the word, from 1.
    pub column: usize,
}

/// The lines of a program's text that name its backend. As the lines `#![allow(...)]` they are comments to the compiler, may be anywhere
/// in the file, and begin at the margin.
pub fn declarations(text: &str) -> Vec<Declaration> {
    let found = text.lines().enumerate().filter_map(|(at, line)| {
        let (word, _) = line.strip_prefix(DECLARATION)?.split_once(")]")?;
        let blanks = word.len() - word.trim_start().len();
        Some(Declaration {
            word: word.trim().trim_matches('"').to_owned(),
            line: at + 1,
            column: DECLARATION.len() + blanks + 1,
        })
    });
    found.collect()
}

/// Whether the configuration of the working folder `folder` is for programs without libtorch.
pub fn is_native(env: &Env, folder: &Path) -> bool {
    said(env, folder, "SIMPLE_DL_BACKEND", "backend").is_some_and(|word| word == NATIVE)
}

/// Whether the configuration of the working folder `folder` names a device of CUDA.
pub fn asks_for_cuda(env: &Env, folder: &Path) -> bool {
    let cuda = |word: String| word == "cuda" || word.starts_with("cuda:");
    said(env, folder, "SIMPLE_DL_DEVICE", "device").is_some_and(cuda)
        || said(env, folder, "SIMPLE_DL_BACKEND", "backend").is_some_and(cuda)
}

/// The value of a key in the highest layer that has it.
fn said(env: &Env, folder: &Path, variable: &str, key: &str) -> Option<String> {
    if let Some(word) = env.get(variable) {
        return word.to_str().map(str::to_owned);
    }
    let user = env
        .get("HOME")
        .map(|home| Path::new(home).join(".simple/dl.config.sdn"));
    let own = ["dl.config.sdn", "dl.config.local.sdn"].map(|name| folder.join(name));
    let files: Vec<PathBuf> = user.into_iter().chain(own).collect();
    files.iter().rev().find_map(|file| word_of(file, key))
}

/// The value of a key in a file of the configuration, of several the first.
fn word_of(file: &Path, key: &str) -> Option<String> {
    // A pipe would be waited for.
    let is_small = |data: fs::Metadata| data.is_file() && data.len() <= MAX_BYTES;
    fs::metadata(file)
        .ok()
        .filter(|data| is_small(data.clone()))?;
    let document = Document::parse(&fs::read_to_string(file).ok()?).ok()?;
    let NodeValue::Dict(top) = &document.root.value else {
        return None;
    };
    let block = top.get("dl").and_then(|entry| match &entry.node.value {
        NodeValue::Dict(keys) => keys.get(key),
        _ => None,
    });
    let entry = block.or_else(|| top.get(key))?;
    match &entry.node.value {
        // Several devices.
        NodeValue::Array(values) if key == "device" => values.first()?.as_str().map(str::to_owned),
        _ => entry.node.as_str().map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::super::env::test_support::Scratch;
    use super::*;

    #[test]
    fn a_program_names_its_backend_in_a_line_of_its_own() {
        let text = "\"\"\"A program.\"\"\"\n#![allow(unused)]\n#![backend( native )]\nprint 1 #![backend(torch)]\n \
                    #![backend(torch)]\n#![backend(torch\n#![backend(\"a.b\")]";
        let words: Vec<(String, usize, usize)> = declarations(text)
            .into_iter()
            .map(|it| (it.word, it.line, it.column))
            .collect();
        assert_eq!(words, [("native".into(), 3, 13), ("a.b".into(), 7, 12)]);
    }

    #[test]
    fn the_highest_layer_that_names_a_backend_counts() {
        let scratch = Scratch::new("backend-layers");
        let (home, folder) = (scratch.path().join("home"), scratch.path().join("cwd"));
        let user = home.join(".simple/dl.config.sdn");
        fs::create_dir_all(user.parent().unwrap()).unwrap();
        fs::create_dir_all(&folder).unwrap();
        let mut env = Env::empty();
        env.set("HOME", &home);
        let is = |env: &Env| is_native(env, &folder);
        assert!(!is(&env));
        fs::write(&user, "backend: native\n").unwrap();
        assert!(is(&env));
        fs::write(
            folder.join("dl.config.sdn"),
            "device: cpu\ndl:\n    amp: true\n",
        )
        .unwrap();
        assert!(is(&env));
        let text = "backend: native\ndl:\n    backend: auto   # either\n";
        fs::write(folder.join("dl.config.sdn"), text).unwrap();
        assert!(!is(&env));
        let local = folder.join("dl.config.local.sdn");
        fs::write(&local, "dl:\n    backend: \"native\"\n").unwrap();
        assert!(is(&env));
        env.set("SIMPLE_DL_BACKEND", "torch");
        assert!(!is(&env));
        env.set("SIMPLE_DL_BACKEND", "native");
        fs::write(&local, "dl:\n    backend: torch\n").unwrap();
        assert!(is(&env));
        // What cannot be read says nothing.
        env.set("SIMPLE_DL_BACKEND", "");
        for broken in ["backend: [native]\n", "dl: \"\nbackend: native\n", "\u{0}"] {
            fs::write(&local, broken).unwrap();
            fs::write(folder.join("dl.config.sdn"), "backend: torch\n").unwrap();
            assert!(!is(&env), "{broken}");
        }
        assert!(!asks_for_cuda(&env, &folder));
        for (text, cuda) in [
            ("dl:\n    device: \"cuda:1\"\n", true),
            ("device: cuda\n", true),
            ("dl:\n    device: [\"cuda:0\", \"cuda:1\"]\n", true),
            ("device: gpu\nbackend: cuda\n", true),
            ("device: auto\n", false),
            ("device: []\n", false),
            ("device: cudagraph\n", false),
        ] {
            fs::write(&local, text).unwrap();
            assert_eq!(asks_for_cuda(&env, &folder), cuda, "{text}");
        }
        fs::write(&local, "device: cuda\n").unwrap();
        env.set("SIMPLE_DL_DEVICE", "cpu");
        assert!(!asks_for_cuda(&env, &folder));
        fs::remove_file(&local).unwrap();
        nix::unistd::mkfifo(&local, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(!is(&env));
    }
}
