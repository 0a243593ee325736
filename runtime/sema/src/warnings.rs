//! The names of warnings, and where a program turns them off.
//!
//! Each warning has a name beside its code. `@allow(name)` above a declaration turns it off in there, a line `#![allow(name)]` in the
//! whole file, and the command line for a run. Warnings are made wherever something is met, and the allowed ones are taken out at the end, in
//! one place: a program without warnings pays nothing. Leaves out what each warning looks for: `unused.rs`, `body/advice/dropped.rs`,
//! `body/advice/traps.rs`.

use crate::checker::Checker;
use crate::codes;
use crate::decls::ModIdx;
use crate::state::Reporting;
use rustc_hash::FxHashSet;
use simple_syntax::ast::{self, ItemKind};
use simple_syntax::{Diagnostic, Span};

/// The name of each warning with its code.
const NAMES: &[(&str, &str)] = &[
    ("deprecated_spelling", simple_syntax::codes::DEPRECATED),
    (
        "conditional_comment",
        simple_syntax::codes::CONDITIONAL_COMMENT,
    ),
    ("no_effect", simple_syntax::codes::NO_EFFECT),
    ("raw_text", simple_syntax::codes::RAW_TEXT),
    ("empty_loop", codes::EMPTY_LOOP),
    ("deprecated", codes::DEPRECATED),
    ("unreachable_arm", codes::UNREACHABLE_ARM),
    ("unfinished", codes::TODO),
    ("other_case", codes::OTHER_CASE),
    ("catch_name", codes::CATCHES_ALL),
    ("unused_result", codes::UNUSED_RESULT),
    ("unused_value", codes::UNUSED_VALUE),
    ("unreachable_code", codes::UNREACHABLE_CODE),
    ("duplicate_key", codes::DUPLICATE_KEY),
    ("integer_division", codes::INTEGER_DIVISION),
    ("tensor_update", codes::TENSOR_UPDATE),
    ("unused_variable", codes::UNUSED_VARIABLE),
    ("unused_import", codes::UNUSED_IMPORT),
    ("unknown_warning", codes::UNKNOWN_WARNING),
    ("stale_capture", codes::STALE_CAPTURE),
    ("no_leaf", codes::NO_LEAF),
    ("dtype_word", codes::DTYPE_WORD),
    ("nil_comparison", codes::NIL_TRAP),
    ("old_create", codes::OLD_CREATE),
    ("captured_read", codes::READ_IN_STEP),
    ("captured_variable", codes::SHARED_WITH_STEP),
    ("some_ranks", codes::ON_SOME_RANKS),
    ("both_stretched", codes::BOTH_STRETCHED),
];

/// The annotation that turns warnings off.
const ALLOW: &str = "allow";

/// How the line begins that turns warnings off in its file.
const FILE_ALLOW: &str = "#![allow(";

/// The name of the warning with this code.
pub fn warning_name(code: &str) -> Option<&'static str> {
    let found = NAMES.iter().find(|(_, known)| *known == code)?;
    Some(found.0)
}

/// The code of the warning of this name.
///
/// # Errors
///
/// The name that was probably meant, if there is one.
pub fn warning_code(name: &str) -> Result<&'static str, Option<&'static str>> {
    match NAMES.iter().find(|(known, _)| *known == name) {
        Some((_, code)) => Ok(code),
        None => Err(simple_spelling::nearest(
            name,
            NAMES.iter().map(|(name, _)| *name),
        )),
    }
}

/// A part of a file in which a warning is off.
struct Allowed {
    span: Span,
    code: &'static str,
}

impl<'a> Checker<'a> {
    /// Takes out the warnings that the program turns off, and notes on the first of each kind how to do that.
    pub(crate) fn finish_warnings(&mut self) {
        let own: Vec<ModIdx> = self
            .modules()
            .numbers()
            .filter(|module| !self.modules()[*module].library)
            .collect();
        if self.reports().has_errors() {
            // Useless code matters only once the program is correct.
            let first = codes::UNUSED_RESULT..=codes::UNUSED_IMPORT;
            self.reports_mut().drop_codes(first);
        }
        self.reports_mut().drop_warnings_beside_errors();
        let mut allowed = Vec::new();
        for module in own {
            let tree = self.tree(module);
            let file = self.input().sources().file(tree.span.file);
            if !file.text.contains(ALLOW) {
                continue;
            }
            let mut names = Vec::new();
            file_names(&file.text, tree.span, &mut names);
            for stmt in &tree.stmts {
                statement_names(stmt, &mut names);
            }
            for (name, at, span) in names {
                match warning_code(&name) {
                    Ok(code) => allowed.push(Allowed { span, code }),
                    Err(near) => self.unknown_warning(&name, at, near),
                }
            }
        }
        self.reports_mut().drop_warnings(|d| {
            allowed.iter().any(|a| {
                a.code == d.code
                    && a.span.file == d.span.file
                    && a.span.lo <= d.span.lo
                    && d.span.hi <= a.span.hi
            })
        });
        self.reports_mut().sort();
        let mut explained = FxHashSet::default();
        for d in self.reports_mut().warnings_mut() {
            if let (Some(name), true) = (warning_name(d.code), explained.insert(d.code)) {
                d.notes.push(format!(
                    "`@allow({name})` above the declaration or `#![allow({name})]` in the file turns this warning off"
                ));
            }
        }
    }

    fn unknown_warning(&mut self, name: &str, at: Span, near: Option<&str>) {
        let message = format!("unknown warning `{name}`");
        let mut d = Diagnostic::warning(codes::UNKNOWN_WARNING, at, message);
        d.help = near.map(|near| format!("did you mean `{near}`?"));
        self.report(d);
    }
}

/// Names to allow: the name, its place, and where it holds.
type Names = Vec<(String, Span, Span)>;

/// The lines `#![allow(a, b)]` of a file, which are comments to the parser.
fn file_names(text: &str, whole: Span, out: &mut Names) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(list) = line.strip_prefix(FILE_ALLOW)
            && let Some((list, _)) = list.split_once(")]")
        {
            let mut at = start + FILE_ALLOW.len();
            for part in list.split(',') {
                let name = part.trim();
                let lo = at + (part.len() - part.trim_start().len());
                let place = Span::new(whole.file, lo as u32, (lo + name.len()) as u32);
                let file = Span::new(whole.file, 0, text.len() as u32);
                out.push((name.to_owned(), place, file));
                at += part.len() + 1;
            }
        }
        start += line.len();
    }
}

fn statement_names(stmt: &ast::Stmt, out: &mut Names) {
    if let ast::StmtKind::Item(item) = &stmt.kind {
        item_names(item, out);
    }
}

/// The annotations of a declaration and of those inside it.
fn item_names(item: &ast::Item, out: &mut Names) {
    for annotation in &item.annotations {
        if annotation.name.name.as_str() != ALLOW {
            continue;
        }
        for (_, arg) in &annotation.args {
            let name = match &arg.kind {
                ast::ExprKind::Name(name) => name.name.as_str().to_owned(),
                _ => crate::collect::literal_text(arg).unwrap_or_default(),
            };
            out.push((name, arg.span, item.span));
        }
    }
    match &item.kind {
        ItemKind::Struct(decl) | ItemKind::Class(decl) | ItemKind::Mixin(decl) => {
            decl.methods.iter().for_each(|item| item_names(item, out));
        }
        ItemKind::Enum(decl) => decl.methods.iter().for_each(|item| item_names(item, out)),
        ItemKind::Trait(decl) => decl.methods.iter().for_each(|item| item_names(item, out)),
        ItemKind::Impl(decl) => decl.methods.iter().for_each(|item| item_names(item, out)),
        ItemKind::Fn(decl) => {
            for stmt in decl.body.iter().flat_map(|body| &body.stmts) {
                statement_names(stmt, out);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_warning_has_one_name() {
        let all = simple_syntax::codes::ALL.iter().chain(codes::ALL);
        for (code, _) in all.filter(|(code, _)| code.starts_with('W')) {
            let name = warning_name(code).unwrap_or_else(|| panic!("{code} has no name"));
            assert_eq!(warning_code(name), Ok(*code));
        }
        assert_eq!(warning_code("unused_varable"), Err(Some("unused_variable")));
    }

    #[test]
    fn a_line_of_a_file_names_warnings_and_their_places() {
        let text = "# a\n#![allow(one, two)]\nprint 1 #![allow(three)]\n#![allow(four\n";
        let mut found = Vec::new();
        file_names(text, Span::default(), &mut found);
        let names: Vec<(&str, &str)> = found
            .iter()
            .map(|(name, at, _)| (name.as_str(), &text[at.lo as usize..at.hi as usize]))
            .collect();
        assert_eq!(names, [("one", "one"), ("two", "two")]);
    }
}
