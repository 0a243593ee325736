//! Methods that look as if the language compared with them, and do not have the form in which it does.
//!
//! `==` would compare the values by identity or by their fields, and say nothing. Leaves out the methods that fit (`signature.rs`).

use crate::checker::Checker;
use crate::codes;
use crate::decls::*;
use crate::typed::*;
use simple_syntax::{Diagnostic, Symbol};

impl Checker<'_> {
    /// Whether a method looks as if it compared two values of a type, which it does not: `fn eq(other: P?) -> bool` in `P`.
    pub(crate) fn is_failed_comparison(
        &mut self,
        ty: TyId,
        (fn_idx, name): (FnIdx, Symbol),
        ret: Option<TyId>,
    ) -> bool {
        let info = &self.decls()[fn_idx];
        let wanted = match name.as_str() {
            "compare" => TyId::I64,
            _ => TyId::BOOL,
        };
        let one = info.decl.params.len() == 1 && !self.modules()[info.module].library;
        let equal = Symbol::intern("equal");
        one && ret.is_none_or(|ret| ret == wanted)
            && (name == equal || self.concrete_method(ty, equal).is_none())
    }

    /// Reports the same of a method with type parameters of its own.
    pub(crate) fn reject_generic_comparison(&mut self, ty: TyId, name: Symbol) {
        let Some((fn_idx, args)) = self.find_method(ty, name) else {
            return;
        };
        let info = &self.decls()[fn_idx];
        if info.is_static || info.generics.len() == args.len() {
            return;
        }
        let result = match (&info.decl.ret, name.as_str()) {
            (None, _) => true,
            (Some(ret), "compare") => self.input().text(ret.span) == "i64",
            (Some(ret), _) => self.input().text(ret.span) == "bool",
        };
        if result && self.is_failed_comparison(ty, (fn_idx, name), None) {
            self.report_form(fn_idx, name);
        }
    }

    /// Reports a method that does not have the form in which the language calls methods of its name.
    pub(crate) fn report_form(&mut self, fn_idx: FnIdx, name: Symbol) {
        let (expected, other) = match name.as_str() {
            "drop" => ("fn drop()", ""),
            "to_string" => ("fn to_string() -> text", ""),
            "compare" => ("fn compare(other: Self) -> i64", ""),
            name => (
                match name {
                    "equal" => "fn equal(other: Self) -> bool",
                    _ => "fn eq(other: Self) -> bool",
                },
                "; `is_equal_to` compares with values of other types",
            ),
        };
        let head = self.decls()[fn_idx].decl.head;
        let message = format!("`{name}` does not have the form in which it is called");
        let d = Diagnostic::error(codes::TYPE_MISMATCH, head, message);
        self.report(d.help(format!("declare it as `{expected}`, or rename it{other}")));
    }
}
