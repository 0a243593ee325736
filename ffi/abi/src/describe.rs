//! Writes a table of functions as Simple declarations (`ffi.spl`), reads them back, and writes a function as a C prototype.
//!
//! A generated `ffi.spl` is also the manifest of a library that is not opened yet: the bridge reads each function's type from
//! its declaration, and its [`Contract`] from the annotations above that:
//!
//! ```text
//! # library: libsimple_torch
//!
//! @fails(0) @effects(new_handle, state)
//! extern fn rt_torch_tensor_zeros(dims: [i64]) -> i64
//! ```
//!
//! [`ManifestText`] finds such declarations (`lines.rs`) and passes over everything else, so it is not a parser for Simple. A declaration
//! is read on demand.

use std::fmt::Write;

use crate::contract::Annotations;
use crate::export::Entry;
use crate::lines::{DECLARATION, Lines};
use crate::signature::Signature;
use crate::{SffiParam, SffiType};

/// A function as a generated file describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// Its name.
    pub name: String,
    /// What it takes and yields, and what its annotations say.
    pub signature: Signature,
}

/// A generated file, whose declarations are read on demand.
#[derive(Clone, Default, Debug)]
pub struct ManifestText {
    /// Name and version of the library.
    pub library: String,
    text: String,
    lines: Lines,
}

impl ManifestText {
    /// Finds the declarations of a generated file.
    pub fn new(text: String) -> ManifestText {
        let library = (text.lines())
            .take_while(|line| line.starts_with('#'))
            .find_map(|line| line.strip_prefix("# library: "));
        ManifestText {
            library: library.unwrap_or_default().trim().to_owned(),
            lines: Lines::of(&text),
            text,
        }
    }

    /// The declaration of a function; `None` when the file has none.
    ///
    /// # Errors
    ///
    /// The number of its line, with the reason why that line is not one of a generated file.
    pub fn find(&self, name: &str) -> Option<Result<Declaration, (usize, String)>> {
        let place = self.lines.find(&self.text, name)?;
        Some(
            read_declaration(&self.text[place.clone()]).map_err(|reason| {
                // The annotations are above it.
                let whole = &self.text[place.clone()];
                let above = if whole.starts_with(DECLARATION) {
                    0
                } else {
                    whole
                        .find(&format!("\n{DECLARATION}"))
                        .map_or(0, |at| at + 1)
                };
                let number = 1 + self.text[..place.start + above].matches('\n').count();
                (number, reason)
            }),
        )
    }

    /// The lines of a function's declaration.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        Some(&self.text[self.lines.find(&self.text, name)?])
    }

    /// The names of all functions.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.lines.names(&self.text)
    }
}

/// A table as a Simple module. `intro` are lines of its opening comment.
pub fn simple_module(library: &str, intro: &[&str], entries: &[Entry]) -> String {
    let mut out = String::new();
    for line in intro {
        comment(&mut out, line);
    }
    let _ = writeln!(out, "# library: {library}");
    for (index, entry) in entries.iter().enumerate() {
        // Declarations without documentation are not set apart by blank lines.
        if index == 0 || !entry.doc.is_empty() {
            out.push('\n');
        }
        for line in entry.doc {
            comment(&mut out, line.trim());
        }
        let params: Vec<String> = entry
            .params()
            .map(|(name, ty)| format!("{name}: {}", ty.name()))
            .collect();
        let _ = writeln!(out, "{}", entry.contract());
        let _ = write!(out, "{DECLARATION}{}({})", entry.name, params.join(", "));
        if entry.result != SffiType::Unit {
            let _ = write!(out, " -> {}", entry.result.name());
        }
        out.push('\n');
    }
    out
}

fn comment(out: &mut String, line: &str) {
    let _ = writeln!(out, "{}", format!("# {line}").trim_end());
}

/// Reads a declaration with the annotations above it.
fn read_declaration(text: &str) -> Result<Declaration, String> {
    let mut annotations = Annotations::default();
    let mut signature: Option<String> = None;
    for line in text.lines() {
        match (line.strip_prefix(DECLARATION), &mut signature) {
            (Some(declaration), _) => signature = Some(declaration.trim_end().to_owned()),
            (None, Some(signature)) => {
                // A long declaration goes on.
                let opened = signature.ends_with('(');
                signature.push_str(if opened { "" } else { " " });
                signature.push_str(line.trim());
            }
            (None, None) if line.starts_with('@') => read_annotations(line, &mut annotations)?,
            // A comment between the two.
            (None, None) => {}
        }
    }
    if annotations.fails.is_none() {
        return Err("no `@fails(...)` above the declaration".to_owned());
    }
    let signature = signature.ok_or("no declaration")?;
    let (name, rest) = (signature.as_str())
        .split_once('(')
        .ok_or("no `(` after the name")?;
    let (params, result) = rest.split_once(')').ok_or("no `)` after the parameters")?;
    let params = params
        .split(", ")
        .filter(|param| !param.is_empty())
        .map(|param| {
            let (_, ty) = param
                .split_once(": ")
                .ok_or(format!("parameter `{param}` has no type"))?;
            let known = SffiParam::named(ty).ok_or_else(|| unknown(ty))?;
            Ok(known.name())
        })
        .collect::<Result<_, String>>()?;
    let result = match result.trim() {
        "" => SffiType::Unit.name().to_owned(),
        arrow => {
            let ty = (arrow.strip_prefix("-> ")).ok_or("no `->` before the result")?;
            let known = SffiType::named(ty).filter(|ty| ty.is_result());
            known.ok_or_else(|| unknown(ty))?.name().to_owned()
        }
    };
    Ok(Declaration {
        name: name.trim().to_owned(),
        signature: Signature {
            params,
            result,
            contract: annotations.contract(),
        },
    })
}

/// Reads a line such as `@fails(0) @effects(new_handle, state)`.
fn read_annotations(line: &str, annotations: &mut Annotations) -> Result<(), String> {
    for annotation in line.split('@').map(str::trim).filter(|a| !a.is_empty()) {
        let (name, arguments) = annotation
            .strip_suffix(')')
            .and_then(|annotation| annotation.split_once('('))
            .ok_or(format!("`@{annotation}` is not of the form `@name(...)`"))?;
        let arguments: Vec<&str> = match arguments {
            "" => Vec::new(),
            _ => arguments.split(',').map(str::trim).collect(),
        };
        annotations
            .read(name, &arguments)
            .map_err(|wrong| wrong.message)?;
    }
    Ok(())
}

fn unknown(name: &str) -> String {
    format!("`{name}` is not a type that can cross")
}

/// A function as a C prototype, without the semicolon.
pub fn c_prototype(name: &str, params: &[(&str, SffiParam)], result: SffiType) -> String {
    let params: Vec<String> = params
        .iter()
        .map(|(name, param)| {
            let given = match param.optional {
                true => format!(", uint8_t {name}_given"),
                false => String::new(),
            };
            let value = match (element(param.ty), param.ty) {
                (Some(element), _) => format!("const {element} *{name}, int64_t {name}_length"),
                (None, SffiType::Scalar) => format!("int64_t {name}, uint8_t {name}_is_float"),
                (None, ty) => format!("{} {name}", c_type(ty)),
            };
            format!("{value}{given}")
        })
        .collect();
    let params = if params.is_empty() {
        "void".to_owned()
    } else {
        params.join(", ")
    };
    let result = if element(result).is_some() {
        "SffiBuffer"
    } else {
        c_type(result)
    };
    format!("{result} {name}({params})")
}

/// What a text or array points to.
fn element(ty: SffiType) -> Option<&'static str> {
    match ty {
        SffiType::Text | SffiType::ArrayU8 | SffiType::ArrayBool => Some("uint8_t"),
        SffiType::ArrayI64 => Some("int64_t"),
        SffiType::ArrayF64 => Some("double"),
        SffiType::ArrayF32 => Some("float"),
        SffiType::ArrayText => Some("SffiBuffer"),
        _ => None,
    }
}

/// A scalar in C.
fn c_type(ty: SffiType) -> &'static str {
    match ty {
        SffiType::Unit => "void",
        SffiType::Bool | SffiType::U8 => "uint8_t",
        SffiType::I8 => "int8_t",
        SffiType::I16 => "int16_t",
        SffiType::I32 => "int32_t",
        SffiType::I64 | SffiType::Scalar | SffiType::Dtype | SffiType::Device => "int64_t",
        SffiType::U16 => "uint16_t",
        SffiType::U32 => "uint32_t",
        SffiType::U64 => "uint64_t",
        SffiType::F32 => "float",
        SffiType::F64 => "double",
        SffiType::Text
        | SffiType::ArrayI64
        | SffiType::ArrayF64
        | SffiType::ArrayF32
        | SffiType::ArrayU8
        | SffiType::ArrayBool
        | SffiType::ArrayText => "SffiBuffer",
    }
}

/// Compares a generated file with what is committed; with `UPDATE_GENERATED=1` in the environment writes it instead.
///
/// # Errors
///
/// A message that names the file, the first line that differs, and how to refresh it.
pub fn check_generated(path: &std::path::Path, wanted: &str) -> Result<(), String> {
    let shown = path.display();
    if std::env::var_os("UPDATE_GENERATED").is_some_and(|value| value == "1") {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        }
        return std::fs::write(path, wanted)
            .map_err(|error| format!("cannot write {shown}: {error}"));
    }
    let found =
        std::fs::read_to_string(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
    if found == wanted {
        return Ok(());
    }
    let lines = found.lines().zip(wanted.lines());
    let line = 1 + lines.take_while(|(found, wanted)| found == wanted).count();
    let at = |text: &str| {
        text.lines()
            .nth(line - 1)
            .unwrap_or("(end of file)")
            .to_owned()
    };
    Err(format!(
        "{shown} is stale at line {line}\n  found:    {}\n  expected: {}\n  to refresh it run the same test with UPDATE_GENERATED=1",
        at(&found),
        at(wanted)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    mod body {
        #![allow(
            clippy::unnecessary_wraps,
            reason = "rows that can fail return results"
        )]
        use std::convert::Infallible;

        pub fn available() -> bool {
            true
        }
        pub fn zeros(dims: &[i64]) -> Result<i64, Infallible> {
            Ok(dims.len() as i64)
        }
        pub fn join(a: &str, flags: &[u8], scale: f32) -> Result<String, String> {
            if scale == 0.0 {
                Err("scale is 0".to_owned())
            } else {
                Ok(format!("{a}{}", flags.len()))
            }
        }
        pub fn set(_on: bool, _small: i8) -> Result<(), String> {
            panic!("out of {}", "order")
        }
        pub fn dtype(_by: crate::export::Scalar, _at: Option<&[f64]>, _place: Option<i64>) -> i64 {
            6
        }
        pub fn mean(values: &[f64]) -> Result<f64, String> {
            if values.is_empty() {
                Err("no values".to_owned())
            } else {
                Ok(values.iter().sum::<f64>() / values.len() as f64)
            }
        }
    }

    crate::functions! {
        /// Whether it is there.
        fn test_describe_available() -> bool, never, PURE, absent = false => body::available;
        /// Zeros.
        ///
        /// Of a shape.
        fn test_describe_zeros(dims: [i64]) -> i64, fails(-1), NEW_HANDLE | STATE => body::zeros;
        /// Joins.
        fn test_describe_join(a: text, flags: [bool], scale: f32) -> text, fails, PURE => body::join;
        /// Sets.
        fn test_describe_set(on: bool, small: i8) -> (), flag, WRITES => body::set;
        /// Finds.
        fn test_describe_dtype(by: Scalar, at: ([f64]?), place: (device?)) -> dtype, never, PURE => body::dtype;
        /// Averages.
        fn test_describe_mean(values: [f64]) -> f64, flag, PURE => body::mean;
    }

    #[test]
    fn the_module_of_a_table_reads_back() {
        let text = simple_module("libtest 1.2", &["Made from a table."], FUNCTIONS);
        assert_eq!(
            text,
            "# Made from a table.\n# library: libtest 1.2\n\n\
             # Whether it is there.\n@fails(never) @absent(0)\nextern fn test_describe_available() -> bool\n\n\
             # Zeros.\n#\n# Of a shape.\n@fails(-1) @effects(new_handle, state)\nextern fn test_describe_zeros(dims: [i64]) -> i64\n\n\
             # Joins.\n@fails(0)\nextern fn test_describe_join(a: text, flags: [bool], scale: f32) -> text\n\n\
             # Sets.\n@fails(flag) @effects(writes)\nextern fn test_describe_set(on: bool, small: i8)\n\n\
             # Finds.\n@fails(never)\nextern fn test_describe_dtype(by: Scalar, at: [f64]?, place: device?) -> dtype\n\n\
             # Averages.\n@fails(flag)\nextern fn test_describe_mean(values: [f64]) -> f64\n"
        );
        let manifest = ManifestText::new(text);
        assert_eq!(manifest.library, "libtest 1.2");
        assert_eq!(manifest.names().len(), FUNCTIONS.len());
        assert!(manifest.find("test_describe").is_none());
        for entry in FUNCTIONS {
            let read = manifest.find(entry.name).unwrap().unwrap();
            assert_eq!(read.name, entry.name);
            assert_eq!(read.signature, Signature::from(entry));
        }
    }

    #[test]
    fn a_damaged_module_is_refused_with_its_line() {
        for (text, reason) in [
            ("# x\nextern fn f() -> i64", "no `@fails(...)` above"),
            (
                "@fails(0)\nextern fn f(a: tensor)",
                "`tensor` is not a type",
            ),
            ("@fails(0)\nextern fn f(a)", "parameter `a` has no type"),
            (
                "@fails(maybe)\nextern fn f()",
                "unknown kind of failure `maybe`",
            ),
            (
                "@fails(never) @effects(magic)\nextern fn f()",
                "unknown effect `magic`",
            ),
            (
                "@fails(0) @Lib(m)\nextern fn f()",
                "unknown annotation `@Lib`",
            ),
        ] {
            let manifest = ManifestText::new(format!("# x\n{text}\n# y\n"));
            let (line, message) = manifest.find("f").unwrap().unwrap_err();
            assert_eq!(line, 3);
            assert!(message.contains(reason), "{message}");
        }
    }

    #[test]
    fn a_stale_file_is_named_with_the_first_line_that_differs() {
        // Any file that is there; this one has two lines that are known.
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let wanted = std::fs::read_to_string(&path).unwrap();
        assert_eq!(check_generated(&path, &wanted), Ok(()));
        let other = wanted.replacen("simple-ffi-abi", "other", 1);
        let said = check_generated(&path, &other).unwrap_err();
        let begin = format!(
            "{} is stale at line 2\n  found:    name = \"simple-ffi-abi\"\n  expected: name = \"other\"\n",
            path.display()
        );
        assert!(said.starts_with(&begin), "{said}");
        let said = check_generated(&path, "[package]\n").unwrap_err();
        assert!(said.contains("expected: (end of file)"), "{said}");
        let said = check_generated(&path.join("none"), "").unwrap_err();
        assert!(said.starts_with("cannot read "), "{said}");
    }

    #[test]
    fn prototypes_are_c() {
        let prototypes: Vec<String> = FUNCTIONS
            .iter()
            .map(|entry| {
                c_prototype(
                    entry.name,
                    &entry.params().collect::<Vec<_>>(),
                    entry.result,
                )
            })
            .collect();
        assert_eq!(
            prototypes,
            [
                "uint8_t test_describe_available(void)",
                "int64_t test_describe_zeros(const int64_t *dims, int64_t dims_length)",
                "SffiBuffer test_describe_join(const uint8_t *a, int64_t a_length, const uint8_t *flags, int64_t flags_length, float scale)",
                "void test_describe_set(uint8_t on, int8_t small)",
                "int64_t test_describe_dtype(int64_t by, uint8_t by_is_float, const double *at, int64_t at_length, uint8_t at_given, int64_t place, uint8_t place_given)",
                "double test_describe_mean(const double *values, int64_t values_length)",
            ]
        );
    }
}
