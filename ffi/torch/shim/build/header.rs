//! `shim.h`: what crosses between Rust and the C++ of the shim, written from the Rust of `src`.
//!
//! The rows are ordinary Rust: the functions of `unsafe extern "C"` blocks, which the shim defines, and those that Rust
//! defines for the shim (`extern "C" fn simple_...`). Each is declared in C++ under its file and line in Rust, so the C++
//! compiler refuses a definition that differs and shows both places. Structs and enums that rows name come along.
//!
//! It reads lines as rustfmt writes them, and knows few types: anything else fails the build at its line. What the
//! classes that Rust sees as opaque are in C++ is in [`CLASSES`]. Next: `main.rs`, which compiles the shim with the result.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Types that only C++ looks into: their names in Rust, and key, namespace and name in C++.
const CLASSES: &[(&str, &str, &str, &str)] = &[
    ("C_tensor", "class", "at", "Tensor"),
    ("RawOperator", "struct", "simple::dispatch", "Operator"),
    ("RawGenerator", "struct", "at", "Generator"),
    ("RawStream", "class", "c10", "Stream"),
    ("RawEvent", "struct", "c10", "Event"),
    ("RawCapture", "struct", "simple::capture", "Capture"),
];

/// Types that both languages have.
const SCALARS: &[(&str, &str)] = &[
    ("i8", "int8_t"),
    ("i32", "int32_t"),
    ("i64", "int64_t"),
    ("u8", "uint8_t"),
    ("f64", "double"),
    ("c_char", "char"),
    ("c_int", "int"),
];

/// How a type begins that is a function.
const FUNCTION: &str = "unsafe extern \"C\" fn";

/// The header for these files, each with its path and its text.
///
/// # Errors
///
/// What cannot be read or has no counterpart in C++, with its place: `src/facts.rs:6: unknown type ...`.
pub fn header(files: &[(String, String)]) -> Result<String, String> {
    let mut text = String::from(
        "// What crosses between Rust and the shim. Written by build/header.rs from the files that #line names.\n\n\
         #pragma once\n\n#include <cstdint>\n\n",
    );
    let mut known = HashSet::new();
    for (_, key, namespace, name) in CLASSES {
        if known.insert((namespace, name)) {
            let _ = writeln!(text, "namespace {namespace} {{ {key} {name}; }}");
        }
    }
    for (path, source) in files {
        let declared = Source::read(source).and_then(|source| declarations(path, &source));
        let declared = declared.map_err(|(line, reason)| format!("{path}:{line}: {reason}"))?;
        text.push_str(&declared);
    }
    Ok(text)
}

/// The flag by which the compiler refuses functions that are neither declared in the header nor of one file alone.
pub fn no_others(is_clang: bool) -> &'static str {
    if is_clang {
        "-Werror=missing-prototypes"
    } else {
        "-Werror=missing-declarations"
    }
}

/// The number of a line, and what is wrong with it.
type Failure = (usize, String);

/// What a file declares, in C++.
fn declarations(path: &str, source: &Source<'_>) -> Result<String, Failure> {
    let mut types = Types {
        source,
        written: HashSet::new(),
        text: String::new(),
    };
    let mut functions = String::new();
    for (line, row) in &source.rows {
        let function = types.function(row).map_err(|reason| (*line, reason))?;
        let _ = write!(functions, "#line {line} {path:?}\n{function};\n");
    }
    let mut text = String::new();
    if !types.text.is_empty() {
        let _ = write!(text, "\nnamespace simple {{\n{}}}\n", types.text);
    }
    if !functions.is_empty() {
        let _ = write!(text, "\nextern \"C\" {{\n{functions}}}\n");
    }
    Ok(text)
}

/// What a file of Rust has that may cross.
#[derive(Default)]
struct Source<'a> {
    /// Functions: the line of each, and its text from the name to `;` or `{`.
    rows: Vec<(usize, String)>,
    /// `type Name = ...;`
    aliases: HashMap<&'a str, &'a str>,
    /// The members of structs and enums whose layout C knows.
    layouts: HashMap<&'a str, Layout<'a>>,
}

enum Layout<'a> {
    /// `name: type`
    Struct(Vec<&'a str>),
    /// Named constants of 32 bits.
    Enum(Vec<&'a str>),
}

impl<'a> Source<'a> {
    fn read(text: &'a str) -> Result<Source<'a>, Failure> {
        let mut source = Source::default();
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(i, line)| (i + 1, line.trim()));
        let mut has_layout = false;
        while let Some((number, line)) = lines.next() {
            if is_aside(line) {
                has_layout |= matches!(line, "#[repr(C)]" | "#[repr(i32)]");
            } else if line == "unsafe extern \"C\" {" {
                source.block(number, &mut lines)?;
            } else if line.ends_with("extern \"C\" {") {
                let reason = "this block is not read; write `unsafe extern \"C\" {`";
                return Err((number, reason.to_owned()));
            } else if let Some((_, row)) = line.split_once("extern \"C\" fn simple_") {
                let row = whole(&format!("simple_{row}"), '{', &mut lines);
                source.rows.push((number, row));
            } else if let Some((name, ty)) = alias(line) {
                source.aliases.insert(name, ty);
            } else if let Some((kind, name)) = opening(line).filter(|_| has_layout) {
                let members = members(&mut lines);
                let layout = match kind {
                    "struct" => Layout::Struct(members),
                    _ => Layout::Enum(members),
                };
                source.layouts.insert(name, layout);
                has_layout = false;
            } else {
                has_layout = false;
            }
        }
        Ok(source)
    }

    /// Reads the rows of a block that begins at this line.
    fn block(
        &mut self,
        begin: usize,
        lines: &mut impl Iterator<Item = (usize, &'a str)>,
    ) -> Result<(), Failure> {
        while let Some((number, line)) = lines.next() {
            if line == "}" {
                return Ok(());
            }
            if is_aside(line) {
                continue;
            }
            let row = line.strip_prefix("pub ").unwrap_or(line);
            let row = row.strip_prefix("pub(crate) ").unwrap_or(row);
            let Some(row) = row.strip_prefix("fn ") else {
                return Err((number, format!("expected a function, found `{line}`")));
            };
            self.rows.push((number, whole(row, ';', lines)));
        }
        Err((begin, "the block has no end".to_owned()))
    }
}

/// Whether a line is empty, a comment or an attribute.
fn is_aside(line: &str) -> bool {
    line.is_empty() || line.starts_with("//") || line.starts_with("#[")
}

/// A row from its first line on, up to the line that ends with `end`.
fn whole<'a>(first: &str, end: char, lines: &mut impl Iterator<Item = (usize, &'a str)>) -> String {
    let mut row = first.to_owned();
    while !row.ends_with(end) {
        let Some((_, line)) = lines.next() else { break };
        row.push_str(line);
        if line.ends_with(',') {
            row.push(' ');
        }
    }
    row.trim_end_matches(end).trim_end().to_owned()
}

/// Name and type of `type Name = ...;`.
fn alias(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let (name, ty) = line.strip_prefix("type ")?.split_once(" = ")?;
    Some((name, ty.strip_suffix(';')?))
}

/// Kind and name of `pub struct Name {`.
fn opening(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let (kind, name) = line.strip_suffix(" {")?.split_once(' ')?;
    matches!(kind, "struct" | "enum").then_some((kind, name))
}

/// What is between the braces, without visibility and commas.
fn members<'a>(lines: &mut impl Iterator<Item = (usize, &'a str)>) -> Vec<&'a str> {
    let inside = lines.map(|(_, line)| line).take_while(|line| *line != "}");
    let members = inside.filter(|line| !is_aside(line));
    members
        .map(|line| {
            line.strip_prefix("pub ")
                .unwrap_or(line)
                .trim_end_matches(',')
        })
        .collect()
}

/// The types of a file in C++.
struct Types<'a> {
    source: &'a Source<'a>,
    /// Structs and enums that `text` has.
    written: HashSet<&'a str>,
    /// Their definitions.
    text: String,
}

impl<'a> Types<'a> {
    /// A row in C++: `void simple_share(at::Tensor**, at::Tensor*)`.
    fn function(&mut self, row: &'a str) -> Result<String, String> {
        let open = row.find('(').unwrap_or(row.len());
        let name = &row[..open];
        let is_word = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_word || !name.starts_with("simple_") {
            return Err(format!(
                "functions of the shim are named `simple_...`, not `{name}`"
            ));
        }
        let (params, result) = parts(&row[open..])?;
        let mut types = Vec::new();
        for param in params {
            let named = param.split_once(": ");
            let (_, ty) = named.ok_or_else(|| format!("expected `name: type`, found `{param}`"))?;
            types.push(self.ty(ty)?);
        }
        let result = self.result(result)?;
        Ok(format!("{result} {name}({})", types.join(", ")))
    }

    fn result(&mut self, ty: Option<&'a str>) -> Result<String, String> {
        ty.map_or_else(|| Ok("void".to_owned()), |ty| self.ty(ty))
    }

    fn ty(&mut self, ty: &'a str) -> Result<String, String> {
        if let Some(to) = ty.strip_prefix("*const ") {
            return Ok(format!("{} const*", self.pointee(to)?));
        }
        if let Some(to) = ty.strip_prefix("*mut ") {
            return Ok(format!("{}*", self.pointee(to)?));
        }
        if let Some(signature) = ty.strip_prefix(FUNCTION) {
            let (params, result) = parts(signature)?;
            let params: Result<Vec<_>, _> = params.into_iter().map(|ty| self.ty(ty)).collect();
            return Ok(format!(
                "{} (*)({})",
                self.result(result)?,
                params?.join(", ")
            ));
        }
        if let Some((_, scalar)) = SCALARS.iter().find(|(name, _)| *name == ty) {
            return Ok((*scalar).to_owned());
        }
        if let Some(&meant) = self.source.aliases.get(ty) {
            return self.ty(meant);
        }
        self.layout(ty)
    }

    /// What a pointer points to; classes cross in no other way.
    fn pointee(&mut self, ty: &'a str) -> Result<String, String> {
        match CLASSES.iter().find(|(name, ..)| *name == ty) {
            Some((_, _, namespace, name)) => Ok(format!("{namespace}::{name}")),
            None if ty.starts_with(FUNCTION) => Err(format!("no pointer to `{ty}` can cross")),
            None => self.ty(ty),
        }
    }

    /// The name of a struct or an enum, which is defined on the way.
    fn layout(&mut self, name: &'a str) -> Result<String, String> {
        let Some(layout) = self.source.layouts.get(name) else {
            return Err(format!(
                "unknown type `{name}`; expected a number, a pointer, a function, or a struct or an enum that this file \
                 defines with `#[repr(C)]` or `#[repr(i32)]`; build/header.rs lists numbers and classes"
            ));
        };
        if self.written.insert(name) {
            let definition = match layout {
                Layout::Enum(members) => {
                    format!(
                        "enum class {name} : int32_t {{ {} }};\n",
                        members.join(", ")
                    )
                }
                Layout::Struct(members) => {
                    let mut text = format!("struct {name} {{\n");
                    for member in members {
                        let (field, ty) = member
                            .split_once(": ")
                            .ok_or_else(|| format!("expected `name: type`, found `{member}`"))?;
                        let _ = writeln!(text, "  {} {field};", self.ty(ty)?);
                    }
                    text + "};\n"
                }
            };
            self.text.push_str(&definition);
        }
        Ok(format!("simple::{name}"))
    }
}

/// The parameters and the result of `(a, b) -> c`.
fn parts(signature: &str) -> Result<(Vec<&str>, Option<&str>), String> {
    let unknown = || format!("expected `(parameters) -> result`, found `{signature}`");
    let inside = signature.strip_prefix('(').ok_or_else(unknown)?;
    let (mut params, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, sign) in inside.char_indices() {
        match sign {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            ',' | ')' if depth == 0 => {
                params.push(inside[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
        if sign == ')' && depth == 0 && begin == at + 1 {
            // A comma after the last one, or none at all.
            params.retain(|param| !param.is_empty());
            let rest = inside[begin..].trim();
            let result = rest.strip_prefix("-> ");
            return match (rest, result) {
                ("", _) => Ok((params, None)),
                (_, Some(result)) => Ok((params, Some(result))),
                _ => Err(unknown()),
            };
        }
    }
    Err(unknown())
}

#[cfg(test)]
mod tests {
    use super::header;

    /// The header without what is the same in each.
    fn of(source: &str) -> Result<String, String> {
        let text = header(&[("src/a.rs".to_owned(), source.to_owned())])?;
        let (_, own) = text.split_once("struct Capture; }\n").expect("the classes");
        Ok(own.trim_start().to_owned())
    }

    /// The only declaration of a block with this row.
    fn row(row: &str) -> Result<String, String> {
        let text = of(&format!("unsafe extern \"C\" {{\n    {row}\n}}\n"))?;
        let line = text.lines().nth(2).expect("a declaration");
        Ok(line.to_owned())
    }

    #[test]
    fn a_row_is_declared_under_its_line() {
        let source = "//! A head.\n\nunsafe extern \"C\" {\n    // Why.\n    fn simple_grad(out: *mut *mut C_tensor);\n}\n";
        assert_eq!(
            of(source).unwrap(),
            "extern \"C\" {\n#line 5 \"src/a.rs\"\nvoid simple_grad(at::Tensor**);\n}\n"
        );
    }

    #[test]
    fn types_are_those_of_cpp() {
        for (rust, cpp) in [
            ("fn simple_a();", "void simple_a();"),
            (
                "pub fn simple_a(_: i8, _: f64) -> u8;",
                "uint8_t simple_a(int8_t, double);",
            ),
            (
                "fn simple_a(a: *const RawStream);",
                "void simple_a(c10::Stream const*);",
            ),
            (
                "fn simple_a(a: *const *mut C_tensor);",
                "void simple_a(at::Tensor* const*);",
            ),
            ("fn simple_a() -> *const c_char;", "char const* simple_a();"),
            (
                "fn simple_a(f: unsafe extern \"C\" fn(i64, *mut u8) -> i64, b: c_int);",
                "void simple_a(int64_t (*)(int64_t, uint8_t*), int);",
            ),
            (
                "fn simple_a(\n        a: i64,\n        b: i64,\n    ) -> *mut i64;",
                "int64_t* simple_a(int64_t, int64_t);",
            ),
            (
                "fn simple_a(a: i64)\n    -> i32;",
                "int32_t simple_a(int64_t);",
            ),
        ] {
            assert_eq!(row(rust).unwrap(), cpp);
        }
    }

    #[test]
    fn names_of_types_are_followed() {
        let source = "type T = *mut C_tensor;\ntype List = *const T;\nunsafe extern \"C\" {\n    fn simple_a(_: List) -> T;\n}\n";
        assert!(
            of(source)
                .unwrap()
                .contains("at::Tensor* simple_a(at::Tensor* const*);")
        );
    }

    #[test]
    fn layouts_come_along_once() {
        let source = "#[repr(C)]\n#[derive(Debug)]\npub struct Part {\n    /// A field.\n    pub at: i64,\n    pub of: *const C_tensor,\n}\n\n\
                      #[repr(i32)]\npub enum Which {\n    Add,\n    Sub,\n}\n\n\
                      unsafe extern \"C\" {\n    fn simple_a(p: *const Part, q: *mut Part, w: Which);\n}\n";
        let text = of(source).unwrap();
        let types = "namespace simple {\nstruct Part {\n  int64_t at;\n  at::Tensor const* of;\n};\n\
                     enum class Which : int32_t { Add, Sub };\n}\n";
        assert!(text.starts_with(types), "{text}");
        assert!(text.contains("void simple_a(simple::Part const*, simple::Part*, simple::Which);"));
    }

    #[test]
    fn a_function_of_rust_is_declared_too() {
        let source = "#[unsafe(no_mangle)]\nextern \"C\" fn simple_want(count: c_int) -> c_int {\n    count\n}\n";
        assert!(
            of(source)
                .unwrap()
                .contains("#line 2 \"src/a.rs\"\nint simple_want(int);")
        );
    }

    #[test]
    fn what_is_not_known_is_refused_with_its_place() {
        let refused = |source: &str| of(source).unwrap_err();
        assert!(
            refused("\nunsafe extern \"C\" {\n    fn simple_a(a: usize);\n}\n")
                .starts_with("src/a.rs:3: unknown type `usize`")
        );
        for (wrong, why) in [
            ("fn simple_a(a: C_tensor);", "unknown type `C_tensor`"),
            ("fn simple_a(i64);", "expected `name: type`, found `i64`"),
            ("fn other(a: i64);", "not `other`"),
            ("fn simple_a<T>(a: i64);", "not `simple_a<T>`"),
            (
                "fn simple_a(a: i64) i64;",
                "expected `(parameters) -> result`",
            ),
            (
                "static simple_a: i64;",
                "expected a function, found `static simple_a: i64;`",
            ),
            ("$(fn $name $params -> $result;)*", "expected a function"),
            (
                "fn simple_a(f: *mut unsafe extern \"C\" fn());",
                "no pointer to",
            ),
            ("fn simple_a(f: [i64; 2]);", "unknown type `[i64; 2]`"),
        ] {
            let reason = row(wrong).unwrap_err();
            assert!(
                reason.starts_with("src/a.rs:2: ") && reason.contains(why),
                "{reason}"
            );
        }
        assert!(refused("extern \"C\" {\n}\n").starts_with("src/a.rs:1: this block is not read"));
        assert!(refused("unsafe extern \"C\" {\n").starts_with("src/a.rs:1: the block has no end"));
    }

    #[test]
    fn a_struct_without_a_layout_is_refused() {
        let source = "pub struct Part {\n    pub at: i64,\n}\nunsafe extern \"C\" {\n    fn simple_a(p: *const Part);\n}\n";
        assert!(
            of(source)
                .unwrap_err()
                .starts_with("src/a.rs:5: unknown type `Part`")
        );
    }
}
