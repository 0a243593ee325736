//! Compares bindings with those that the header gives now: what is missing, different or no longer there.
//!
//! Both are parsed, and what is compared is how things cross to C. So a file may say more than the header does: `cstr` for `cstr?`, an
//! array or an `out` parameter for an address, an enum for a number, an `extern type` for a struct that is only passed by its address. That is counted as edited, not as different.

use crate::{Error, Options};
use simple_syntax::ast::*;
use simple_syntax::{FileId, Severity, parse};
use std::collections::HashMap;
use std::fmt::{self, Display};

/// What a comparison found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// What is different, by line.
    pub differences: Vec<Difference>,
    /// How many declarations are as the header has them.
    pub same: usize,
    /// How many are written otherwise but cross alike.
    pub edited: usize,
}

/// One difference.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Difference {
    /// The line in the file; `None` for what is missing there.
    pub line: Option<usize>,
    /// What is different.
    pub message: String,
}

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (same, edited) = (self.same, self.edited);
        match self.differences.len() {
            0 => write!(f, "no differences")?,
            1 => write!(f, "1 difference")?,
            count => write!(f, "{count} differences")?,
        }
        write!(f, ", {same} declarations as in the header")?;
        match edited {
            0 => Ok(()),
            _ => write!(f, ", {edited} edited that cross alike"),
        }
    }
}

/// A declaration of a file.
struct Declared {
    name: String,
    line: usize,
    /// How it crosses.
    crossing: String,
    /// Its tree as text, without documentation.
    written: String,
    /// As it is in the file, on one line, for messages.
    shown: String,
    /// Whether only bindings have such.
    foreign: bool,
}

impl Declared {
    /// Whether this is an `extern type` for a struct. Where the struct itself crosses, that is a difference of the function.
    fn hides(&self, other: &Declared) -> bool {
        self.crossing == OPAQUE && other.crossing.starts_with("struct ")
    }
}

/// What a name of a type means in a file.
enum Meaning {
    Opaque,
    Number,
    Record,
    Alias(TypeExpr),
}

/// Compares a file with the bindings that were made again.
pub fn compare(file: &str, made: &str) -> Result<Report, Error> {
    let (theirs, ours) = (declarations(file)?, declarations(made)?);
    let mut report = Report::default();
    let by_name: HashMap<&str, &Declared> = theirs
        .iter()
        .map(|declared| (declared.name.as_str(), declared))
        .collect();
    for ours in &ours {
        let Some(theirs) = by_name.get(ours.name.as_str()) else {
            report.differences.push(Difference {
                line: None,
                message: format!("missing: {}", ours.shown),
            });
            continue;
        };
        if theirs.written == ours.written {
            report.same += 1;
        } else if theirs.crossing == ours.crossing || theirs.hides(ours) {
            report.edited += 1;
        } else {
            report.differences.push(Difference {
                line: Some(theirs.line),
                message: format!(
                    "different: {}\n    the header has: {}",
                    theirs.shown, ours.shown
                ),
            });
        }
    }
    let known: HashMap<&str, ()> = ours.iter().map(|ours| (ours.name.as_str(), ())).collect();
    for theirs in theirs.iter().filter(|theirs| theirs.foreign) {
        if !known.contains_key(theirs.name.as_str()) {
            report.differences.push(Difference {
                line: Some(theirs.line),
                message: format!("not in the header: {}", theirs.shown),
            });
        }
    }
    report.differences.sort();
    Ok(report)
}

/// What a file declares that bindings can have.
fn declarations(text: &str) -> Result<Vec<Declared>, Error> {
    let (module, diagnostics) = parse(FileId(0), text);
    let line_of = |offset: u32| text[..offset as usize].matches('\n').count() + 1;
    if let Some(error) = diagnostics.iter().find(|d| d.severity == Severity::Error) {
        let line = line_of(error.span.lo);
        return Err(Error::NotSimple {
            message: format!("line {line}: {}", error.message),
        });
    }
    let lib = Options::recorded(text).map(|options| options.lib);
    let types = meanings(&module);
    let mut out = Vec::new();
    for stmt in &module.stmts {
        let found = match &stmt.kind {
            StmtKind::Item(item) => declared_item(item, &types, lib.as_deref()),
            StmtKind::Let {
                kind: LetKind::Const,
                pattern,
                ty,
                value: Some(value),
            } => constant(pattern, ty.as_ref(), value, &types),
            _ => None,
        };
        let Some((name, crossing, foreign)) = found else {
            continue;
        };
        let source = &text[stmt.span.lo as usize..stmt.span.hi as usize];
        let before = source.lines().take_while(|line| is_around(line)).count();
        out.push(Declared {
            name,
            line: line_of(stmt.span.lo) + before,
            crossing,
            written: written(stmt),
            shown: shown(source),
            foreign,
        });
    }
    Ok(out)
}

fn meanings(module: &Module) -> HashMap<String, Meaning> {
    let mut types = HashMap::new();
    for stmt in &module.stmts {
        let StmtKind::Item(item) = &stmt.kind else {
            continue;
        };
        let (name, meaning) = match &item.kind {
            ItemKind::ExternType(name) => (name, Meaning::Opaque),
            ItemKind::Struct(decl) => (&decl.name, Meaning::Record),
            ItemKind::Enum(decl) => (&decl.name, Meaning::Number),
            ItemKind::TypeAlias { name, ty, .. } => (name, Meaning::Alias(ty.clone())),
            _ => continue,
        };
        types.insert(name.name.as_str().to_owned(), meaning);
    }
    types
}

/// Name, crossing, and whether only bindings have such.
fn declared_item(
    item: &Item,
    types: &HashMap<String, Meaning>,
    lib: Option<&str>,
) -> Option<(String, String, bool)> {
    let name = |ident: &Ident| ident.name.as_str().to_owned();
    let symbol = lib_argument(item, Some("symbol"));
    let ours = lib.is_none() || lib_argument(item, None).as_deref() == lib;
    Some(match &item.kind {
        ItemKind::ExternFn(decl) => {
            let param = |param: &Param| match (&param.ty, param.out) {
                (_, true) => ADDRESS.to_owned(),
                (Some(ty), false) => crossing(ty, types, true),
                (None, false) => String::new(),
            };
            let params: Vec<String> = decl.params.iter().map(param).collect();
            let result = decl.ret.as_ref().map(|ty| crossing(ty, types, true));
            let dots = if decl.variadic.is_some() { " ..." } else { "" };
            let form = format!("fn({}){dots} -> {result:?} {symbol:?}", params.join(", "));
            (name(&decl.name), form, ours)
        }
        ItemKind::ExternVar(decl) => {
            let form = format!("variable {} {symbol:?}", crossing(&decl.ty, types, true));
            (name(&decl.name), form, ours)
        }
        ItemKind::ExternType(ident) => (name(ident), OPAQUE.to_owned(), false),
        ItemKind::Struct(decl) => {
            let fields: Vec<String> = decl
                .fields
                .iter()
                .map(|field| format!("{}: {}", field.name.name, crossing(&field.ty, types, false)))
                .collect();
            let union = item
                .annotations
                .iter()
                .any(|a| a.name.name.as_str() == "c" && !a.args.is_empty());
            (
                name(&decl.name),
                format!("struct {union} {}", fields.join(", ")),
                false,
            )
        }
        ItemKind::Enum(decl) => (name(&decl.name), "32".to_owned(), false),
        ItemKind::TypeAlias {
            name: ident, ty, ..
        } => (name(ident), crossing(ty, types, false), false),
        _ => return None,
    })
}

fn constant(
    pattern: &Pattern,
    ty: Option<&TypeExpr>,
    value: &Expr,
    types: &HashMap<String, Meaning>,
) -> Option<(String, String, bool)> {
    let name = match &pattern.kind {
        PatternKind::Name(name) => name.name.as_str().to_owned(),
        _ => return None,
    };
    let ty = ty.map_or(String::new(), |ty| crossing(ty, types, false));
    Some((name, format!("{ty} {}", dump_expr(value)), false))
}

/// What an `extern type` is; nothing crosses by it but addresses.
const OPAQUE: &str = "type";

/// How an address crosses.
const ADDRESS: &str = "address";

/// How a type crosses: integers by their width, everything at an address alike. `passed`: an array is an address there.
fn crossing(ty: &TypeExpr, types: &HashMap<String, Meaning>, passed: bool) -> String {
    match &ty.kind {
        TypeExprKind::Optional(inner) => crossing(inner, types, passed),
        TypeExprKind::Fn(..) => ADDRESS.to_owned(),
        TypeExprKind::FixedArray(..) if passed => ADDRESS.to_owned(),
        TypeExprKind::FixedArray(item, count) => {
            format!("[{}; {}]", crossing(item, types, false), dump_expr(count))
        }
        TypeExprKind::Array(item) => {
            format!("address and number of {}", crossing(item, types, false))
        }
        TypeExprKind::Named { path, .. } => {
            let name = path.segments.iter().map(|segment| segment.name.as_str());
            let name = name.collect::<Vec<_>>().join(".");
            match (types.get(&name), name.as_str()) {
                (Some(Meaning::Opaque), _) => ADDRESS.to_owned(),
                (Some(Meaning::Number), _) => "32".to_owned(),
                (Some(Meaning::Record), _) => format!("struct {name}"),
                // A circle of aliases is not in a module that is checked; it ends here because nothing is looked up twice.
                (Some(Meaning::Alias(target)), _) => crossing(target, &HashMap::new(), passed),
                (None, "Ptr" | "cstr" | "Callback") => ADDRESS.to_owned(),
                (None, "bool" | "i8" | "u8") => "8".to_owned(),
                (None, "i16" | "u16") => "16".to_owned(),
                (None, "i32" | "u32") => "32".to_owned(),
                (None, "i64" | "u64") => "64".to_owned(),
                (None, other) => other.to_owned(),
            }
        }
        _ => "?".to_owned(),
    }
}

/// An argument of `@Lib`: the one without a label, or the one with this label.
fn lib_argument(item: &Item, label: Option<&str>) -> Option<String> {
    let lib = item
        .annotations
        .iter()
        .find(|a| a.name.name.as_str() == "Lib")?;
    let (_, value) = lib
        .args
        .iter()
        .find(|(written, _)| written.as_ref().map(|ident| ident.name.as_str()) == label)?;
    Some(dump_expr(value).trim_matches('"').to_owned())
}

/// A declaration on one line, without annotations and comments.
fn shown(source: &str) -> String {
    let lines = source.lines().filter(|line| !is_around(line));
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Whether a line is an annotation, a comment, or blank.
fn is_around(line: &str) -> bool {
    line.trim_start().is_empty() || line.trim_start().starts_with(['#', '@'])
}

/// The tree of a declaration as text, without documentation and annotations that say nothing of C.
fn written(stmt: &Stmt) -> String {
    let mut stmt = stmt.clone();
    if let StmtKind::Item(item) = &mut stmt.kind {
        item.docs = None;
        item.public = false;
        item.annotations
            .retain(|a| matches!(a.name.name.as_str(), "Lib" | "c"));
        match &mut item.kind {
            ItemKind::Struct(decl) => {
                decl.methods.clear();
                decl.fields.iter_mut().for_each(|field| field.docs = None);
            }
            ItemKind::Enum(decl) => {
                decl.methods.clear();
                decl.variants
                    .iter_mut()
                    .for_each(|variant| variant.docs = None);
            }
            _ => {}
        }
    }
    let span = stmt.span;
    let module = Module {
        docs: None,
        stmts: vec![stmt],
        broken: Vec::new(),
        span,
    };
    let text = dump(&module);
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}
