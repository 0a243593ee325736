//! Where each part of the preprocessor's output comes from: line markers, and the `#define`s between them.
//!
//! Does not know C: `parse.rs` asks for the place of a declaration, `comments.rs` for the text around it.

use crate::ctype::Place;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A macro of a header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Macro {
    /// Its name.
    pub name: String,
    /// Whether it has parameters.
    pub function: bool,
    /// Whether nothing follows the name.
    pub empty: bool,
    /// Where it is defined.
    pub place: Place,
    /// How many lines of the output are before it.
    order: usize,
}

/// A file that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// As the preprocessor names it.
    pub path: PathBuf,
    /// Which file included it first.
    pub from: Option<usize>,
}

/// The files of a preprocessor's output and which part of it each line belongs to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origins {
    /// The files, in the order in which they were first entered.
    pub files: Vec<Origin>,
    /// Macros that are defined at the end, in order.
    pub macros: Vec<Macro>,
    /// The offset of the start of each line of the output, with its place.
    lines: Vec<(usize, Place)>,
    /// The indexes of the files, by their paths.
    known: HashMap<String, usize>,
}

impl Origins {
    /// Reads the output of `cc -E -dD`. Also yields the text for the parser: the same with every directive blanked out. Line
    /// markers are among them: compilers write some between any two tokens, where a macro was replaced.
    pub fn read(output: &str) -> (Origins, String) {
        let mut origins = Origins::default();
        let mut defined: HashMap<String, Macro> = HashMap::new();
        let mut text = String::with_capacity(output.len());
        let mut here = Place { file: 0, line: 0 };
        let mut stack: Vec<usize> = Vec::new();
        for line in output.split_inclusive('\n') {
            origins.lines.push((text.len(), here));
            if let Some((number, path, entered)) = marker(line) {
                let from = stack.last().copied();
                let file = origins.file(&path, from);
                match stack.iter().rposition(|open| *open == file) {
                    Some(at) if !entered => stack.truncate(at + 1),
                    _ => stack.push(file),
                }
                here = Place { file, line: number };
                blank(&mut text, line);
                continue;
            }
            if let Some(rest) = line.strip_prefix("#define ") {
                let known = definition(rest, here, origins.lines.len());
                defined.insert(known.name.clone(), known);
            } else if let Some(name) = line.strip_prefix("#undef ") {
                defined.remove(name.trim());
            }
            match line.starts_with('#') {
                true => blank(&mut text, line),
                false => text.push_str(line),
            }
            here.line += 1;
        }
        origins.macros = defined.into_values().collect();
        origins.macros.sort_by_key(|known| known.order);
        (origins, text)
    }

    /// Where the byte at this offset comes from.
    pub fn place(&self, offset: usize) -> Place {
        let at = self.lines.partition_point(|(start, _)| *start <= offset);
        at.checked_sub(1)
            .map_or_else(Place::default, |at| self.lines[at].1)
    }

    /// The path of a file.
    pub fn path(&self, file: usize) -> &Path {
        &self.files[file].path
    }

    fn file(&mut self, path: &str, from: Option<usize>) -> usize {
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let file = self.files.len();
        self.known.insert(path.to_owned(), file);
        self.files.push(Origin {
            path: PathBuf::from(path),
            from,
        });
        file
    }
}

/// A macro from what is after `#define`; the last definition of a name counts.
fn definition(rest: &str, place: Place, order: usize) -> Macro {
    let end = rest
        .find(|c: char| !(c == '_' || c == '$' || c.is_alphanumeric()))
        .unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    Macro {
        name: name.to_owned(),
        function: after.starts_with('('),
        empty: after.trim().is_empty(),
        place,
        order,
    }
}

/// Puts blanks for a line, so that offsets stay as they are.
fn blank(text: &mut String, line: &str) {
    let bare = line.trim_end_matches('\n');
    text.extend(std::iter::repeat_n(' ', bare.len()));
    text.push_str(&line[bare.len()..]);
}

/// A line marker, `# 12 "path" 1 3`: line, path, and whether the file is entered.
fn marker(line: &str) -> Option<(u32, String, bool)> {
    let (number, rest) = line.strip_prefix("# ")?.split_once(" \"")?;
    let number = number.parse().ok()?;
    let mut path = String::new();
    let mut chars = rest.chars();
    loop {
        match chars.next()? {
            '"' => break,
            '\\' => path.push(chars.next()?),
            other => path.push(other),
        }
    }
    let entered = chars.as_str().split_whitespace().any(|flag| flag == "1");
    Some((number, path, entered))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_files() {
        let output = "# 1 \"a.h\"\nint a;\n# 1 \"b.h\" 1\n\n#define B 2\nint b;\n# 3 \"a.h\" 2\n#define B 3\n#define F(x) x\nint c;\n";
        let (origins, text) = Origins::read(output);
        assert!(!text.contains("define") && text.len() == output.len());
        let of = |part: &str| {
            let place = origins.place(text.find(part).expect("there"));
            (origins.path(place.file).display().to_string(), place.line)
        };
        assert_eq!(of("int a"), ("a.h".to_owned(), 1));
        assert_eq!(of("int b"), ("b.h".to_owned(), 3));
        assert_eq!(of("int c"), ("a.h".to_owned(), 5));
        assert_eq!(origins.files[1].from, Some(0));
        let names: Vec<_> = origins
            .macros
            .iter()
            .map(|m| (m.name.as_str(), m.function))
            .collect();
        assert_eq!(names, [("B", false), ("F", true)]);
        assert_eq!(origins.macros[0].place.line, 3);
    }

    #[test]
    fn markers_between_tokens_are_blanked() {
        let output = "# 1 \"a.h\"\nint f(int) __attribute__ (\n# 9 \"b.h\" 3 4\n(\n# 2 \"a.h\"\n__const__));\n#pragma pack(1)\nint g;\n";
        let (origins, text) = Origins::read(output);
        assert!(!text.contains('#') && text.len() == output.len());
        let place = origins.place(text.find("int g").expect("there"));
        assert_eq!(
            (origins.path(place.file), place.line),
            (Path::new("a.h"), 4)
        );
    }
}
