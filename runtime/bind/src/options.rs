//! What was asked for, and how bindings remember it: lines such as `# lib: z` at their top.

use crate::origin::Origins;
use std::path::{Path, PathBuf};

/// What to bind, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The header: a file, or a name such as `sqlite3.h` that the C compiler finds.
    pub header: String,
    /// The library that has the functions, as `@Lib` names it.
    pub lib: String,
    /// Headers that are read first, because the header needs what is in them.
    pub before: Vec<String>,
    /// Further headers whose declarations are wanted; `*` stands for any part of a name.
    pub also: Vec<String>,
    /// What of it is wanted, by name, with the types that this uses; everything without any. `*` stands for any part of a name.
    pub only: Vec<String>,
    /// Folders in which the C compiler looks for headers too.
    pub include: Vec<String>,
    /// Macros that are defined before the header is read, `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// Packages of `pkg-config`, which says where their headers are, and the library if none is named.
    pub pkg: Vec<String>,
    /// Whether enums become an `enum` of Simple; otherwise they are constants.
    pub enums: bool,
}

impl Options {
    /// The lines that remember these options.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!("header: {}", self.header),
            format!("lib: {}", self.lib),
        ];
        let mut many = |word: &str, values: &[String]| {
            lines.extend(values.iter().map(|value| format!("{word}: {value}")));
        };
        many("before", &self.before);
        many("also", &self.also);
        many("only", &in_lines(&self.only));
        many("include", &self.include);
        many("define", &self.define);
        many("pkg", &self.pkg);
        if self.enums {
            lines.push("enums: yes".to_owned());
        }
        lines
    }

    /// An option that cannot be in the module as it is.
    pub(crate) fn unwritable(&self) -> Option<String> {
        let quoted = self
            .lib
            .contains(['"', '\\', '{', '}'])
            .then_some(&self.lib);
        let many = [
            &self.before,
            &self.also,
            &self.only,
            &self.include,
            &self.define,
            &self.pkg,
        ]
        .into_iter()
        .flatten();
        let all = [&self.header, &self.lib].into_iter().chain(many);
        let is_bad = |value: &&String| value.is_empty() || value.contains(char::is_control);
        let listed = self.only.iter().find(|name| name.contains(','));
        let broken = all.into_iter().find(is_bad);
        quoted.or(broken).or(listed).cloned()
    }

    /// The options that a file remembers; `None` if it does not name header and library.
    pub fn recorded(text: &str) -> Option<Options> {
        let mut options = Options::default();
        for line in text
            .lines()
            .take_while(|line| line.is_empty() || line.starts_with('#'))
        {
            let Some((word, value)) = line.trim_start_matches(['#', ' ']).split_once(": ") else {
                continue;
            };
            let value = value.trim().to_owned();
            match word {
                "header" => options.header = value,
                "lib" => options.lib = value,
                "before" => options.before.push(value),
                "also" => options.also.push(value),
                "only" => options.only.extend(value.split(", ").map(str::to_owned)),
                "include" => options.include.push(value),
                "define" => options.define.push(value),
                "pkg" => options.pkg.push(value),
                "enums" => options.enums = value == "yes",
                _ => {}
            }
        }
        (!options.header.is_empty() && !options.lib.is_empty()).then_some(options)
    }

    /// Whether something of this name is wanted by itself.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|pattern| matches(pattern, name))
    }

    /// Which files belong to the header: itself; those in its folder, unless that is one for headers of every library; there those
    /// whose name, or folder, begins as its name does, and one of its name in another folder; the parts of it in a folder `bits`; and
    /// those of `also`.
    pub(crate) fn own_files(&self, origins: &Origins) -> Vec<bool> {
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        // The compiler gets a text that includes nothing else, beside what it includes by itself.
        let named = |file: Option<usize>, name: &str| {
            file.is_some_and(|file| origins.path(file).ends_with(name))
        };
        let header = origins
            .files
            .iter()
            .rposition(|file| named(file.from, "<stdin>") && !file.path.ends_with("stdc-predef.h"));
        let mut own = vec![false; origins.files.len()];
        let Some(header) = header else { return own };
        let main = real(origins.path(header));
        let folder = main.parent().map(PathBuf::from).unwrap_or_default();
        let stem = main
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for index in 0..own.len() {
            let file = &origins.files[index];
            let path = real(&file.path);
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let beside = match is_shared(&folder) {
                true => {
                    let inside = path.strip_prefix(&folder).ok();
                    let first = inside.and_then(|inside| inside.components().next());
                    // `poll.h` is only a way to `sys/poll.h`.
                    let same = inside.is_some() && path.file_name() == main.file_name();
                    same || first
                        .is_some_and(|first| first.as_os_str().to_string_lossy().starts_with(&stem))
                }
                false => path.starts_with(&folder),
            };
            let is_part = path.components().any(|part| part.as_os_str() == "bits")
                && file.from.is_some_and(|from| own[from]);
            let also = self.also.iter().any(|pattern| {
                matches(pattern, &name) || matches(&format!("*/{pattern}"), &path.to_string_lossy())
            });
            own[index] = index == header || beside || is_part || also;
        }
        own
    }
}

/// Names with commas between them, in lines that are not too long to read.
fn in_lines(names: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        match lines.last_mut() {
            Some(line) if line.len() + name.len() < 100 => {
                line.push_str(", ");
                line.push_str(name);
            }
            _ => lines.push(name.clone()),
        }
    }
    lines
}

/// Whether a folder has the headers of every library.
fn is_shared(folder: &Path) -> bool {
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let parent = folder.parent().and_then(name);
    if !folder.starts_with("/usr") && !folder.starts_with("/opt") {
        return false;
    }
    match name(folder).as_deref() {
        Some("include" | "sys" | "bits") => true,
        // `/usr/include/x86_64-linux-gnu`
        Some(folder) => folder.ends_with("-gnu") && parent.as_deref() == Some("include"),
        None => true,
    }
}

/// Whether a name fits a pattern in which `*` stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            let ends = (0..=name.len()).filter(|at| name.is_char_boundary(*at));
            ends.into_iter().any(|at| matches(rest, &name[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_remembered() {
        let options = Options {
            header: "curl/curl.h".to_owned(),
            lib: "curl".to_owned(),
            before: vec!["stdio.h".to_owned()],
            also: vec!["zconf.h".to_owned(), "a*".to_owned()],
            only: (0..30).map(|n| format!("curl_easy_{n}*")).collect(),
            include: vec!["my folder".to_owned()],
            define: vec!["A=1 + 2".to_owned()],
            pkg: vec!["libcurl".to_owned()],
            enums: true,
        };
        let text = format!(
            "# A head.\n# {}\n\nextern type X\n",
            options.lines().join("\n# ")
        );
        assert_eq!(Options::recorded(&text), Some(options));
        assert_eq!(
            Options::recorded("# header: a.h\nextern type X\n# lib: a\n"),
            None
        );
    }

    #[test]
    fn patterns() {
        assert!(matches("z*.h", "zconf.h") && matches("*", "") && matches("a", "a"));
        assert!(!matches("z*.h", "zconf.c") && !matches("a", "ab"));
    }
}
