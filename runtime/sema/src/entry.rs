//! `main`: what it may take and yield, and whether the shell gets a number of it.
//!
//! Only a written `-> i32` or `-> i64` makes an exit code, alone or as the value of a `Result`. Leaves out the call itself, which
//! `middle/lower/func.rs` makes.

use crate::checker::Checker;
use crate::codes;
use crate::decls::*;
use crate::typed::*;
use simple_syntax::{Diagnostic, Span, Symbol};

impl Checker<'_> {
    /// `main`, and whether its integer is the exit code.
    pub(crate) fn main_func(&mut self, root: ModIdx) -> Option<(FuncId, bool)> {
        let &(Def::Fn(idx), _) = self.modules()[root].names.get(&Symbol::intern("main"))? else {
            // A variable; a decorated function of this name was reported.
            return None;
        };
        if !self.decls()[idx].generics.is_empty() {
            let span = self.decls()[idx].decl.head;
            self.error(
                codes::BAD_MAIN,
                span,
                "`main` takes no type parameters, and its parameter needs a type",
            );
            return None;
        }
        let signature = self.signature(idx, &self.instances().no_args());
        let span = self.decls()[idx].decl.head;
        let array = self.types_mut().intern(Ty::Array(TyId::TEXT));
        if !(signature.params.is_empty() || signature.params == [array]) {
            let d = Diagnostic::error(
                codes::BAD_MAIN,
                span,
                "`main` takes no parameters, or one `[text]`",
            )
            .help("write `fn main():` or `fn main(args: [text]):`");
            self.report(d);
            return None;
        }
        let number = self.instance_number(idx, self.instances().no_args());
        self.check_instance(number);
        let id = self.instances()[number].id;
        let ret = self.output()[id].ret;
        let calls = self.output().init(root).is_some_and(|init| init.calls_main);
        let written = self.decls()[idx].decl.ret.is_some();
        if written {
            self.require_exit_code(ret, span);
        } else if !calls {
            self.no_exit_code(ret, span);
        }
        (!calls).then_some((id, written))
    }

    /// Reports the written result type of a `main` that the shell can do nothing with.
    fn require_exit_code(&mut self, ret: TyId, span: Span) {
        let fits = matches!(
            *self.types().get(ret),
            Ty::Unit | Ty::Result(..) | Ty::Never | Ty::Error
        ) || matches!(ret, TyId::I32 | TyId::I64);
        if fits {
            return;
        }
        let name = self.types().name(ret);
        let message = "`main` returns `()`, an exit code or a `Result`";
        let d = Diagnostic::error(codes::BAD_MAIN, span, message)
            .found_expected(name, "(), i32, i64 or Result<T, E>");
        self.report(d);
    }

    /// A `main` without a written result type gives the shell no exit code: reports one that a `return` was meant to give. What its
    /// body ends in is dropped where that is checked.
    fn no_exit_code(&mut self, ret: TyId, span: Span) {
        if self.flags(ret) != 0
            || matches!(
                self.types().get(ret),
                Ty::Unit | Ty::Result(..) | Ty::Never | Ty::Error
            )
        {
            return;
        }
        let message = "`main` returns a value, but declares no result type";
        let d = Diagnostic::error(codes::BAD_MAIN, span, message)
            .help("write `fn main() -> i64:` for an exit code, or `return` without a value");
        self.report(d);
    }
}
