//! What `pkg-config` says of a package: flags of the compiler, and the library.
//!
//! `PKG_CONFIG` names another command.

use crate::Error;
use std::process::Command;

/// What is needed of packages.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// Flags for the C compiler.
    pub compile: Vec<String>,
    /// The first library, as `@Lib` names it.
    pub lib: Option<String>,
}

/// The flags of these packages.
pub fn flags(packages: &[String]) -> Result<Flags, Error> {
    let mut flags = Flags::default();
    for name in packages {
        // A name that begins with a dash would be an option.
        if name.starts_with('-') {
            return Err(Error::BadOption {
                value: name.clone(),
            });
        }
        let compile = ask(name, "--cflags")?;
        flags
            .compile
            .extend(compile.into_iter().filter(|flag| is_wanted(flag)));
        let libs = ask(name, "--libs-only-l")?;
        let lib = libs.iter().find_map(|flag| flag.strip_prefix("-l"));
        flags.lib = flags.lib.or(lib.map(str::to_owned));
    }
    Ok(flags)
}

/// Whether a flag says something about the header, and is not about warnings and code.
fn is_wanted(flag: &str) -> bool {
    !["-W", "-O", "-g"]
        .iter()
        .any(|start| flag.starts_with(start))
}

fn ask(name: &str, option: &str) -> Result<Vec<String>, Error> {
    let command = std::env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_owned());
    let output = Command::new(&command).args([option, name]).output();
    let output = output.map_err(|reason| Error::NoPkgConfig { command, reason })?;
    if !output.status.success() {
        return Err(Error::NoPackage {
            name: name.to_owned(),
            message: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        });
    }
    Ok(words(&String::from_utf8_lossy(&output.stdout)))
}

/// Words of a line for a shell: a backslash keeps the next character, quotes keep blanks.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(open)) if c == open => quote = None,
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('"' | '\'', None) => {
                word.get_or_insert_default();
                quote = Some(c);
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        assert_eq!(
            words("-I/a\\ b '-DX=1 2' -lz\n"),
            ["-I/a b", "-DX=1 2", "-lz"]
        );
        assert_eq!(words(" \n"), Vec::<String>::new());
        assert_eq!(words("\"a"), ["a"]);
    }
}
