//! What a program does for nothing: unused values (W0430, W0431), statements that are never reached (W0432), and values that
//! a dict literal replaces at once (W0433).
//!
//! A value counts as dropped where a statement is nothing but an expression, also the last one of a function that yields `()`. A `Result`
//! is always reported. Other values are reported if what yields them has no other effect: a call is taken to have one, unless it is a
//! method of a built-in type that only looks at its receiver. Code of the library is left alone.

use super::*;
use crate::codes;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, BinaryOp, UnaryOp};

/// Where the methods of built-in types are.
const CORE: &str = "std/core/";

impl<'c, 'a> Body<'c, 'a> {
    /// Whether this is code of the library, which no warning is about.
    pub(in crate::body) fn in_library(&self) -> bool {
        self.cx.modules()[self.scopes.types().module].library
    }

    /// Reports the value of the statement `written`, if it should not be dropped.
    pub(in crate::body) fn dropped(&mut self, written: &ast::Expr, value: &Expr) {
        if self.in_library() {
            return;
        }
        self.dropped_result(value);
        let ty = self.shallow(value.ty);
        if matches!(ty, TyId::UNIT | TyId::NEVER | TyId::ERROR) || !self.is_idle(written, value) {
            return;
        }
        // What is tried may be there to fail: `expect_raises: xs.chunk(0)`.
        let tried = self.context.is_tried()
            || self
                .scopes
                .frames()
                .iter()
                .any(|f| f.kind == FrameKind::ColonBlock);
        if tried && can_fail(value) {
            return;
        }
        let written = without_parens(written);
        let help = match &written.kind {
            ast::ExprKind::Name(_) | ast::ExprKind::Field(..)
                if matches!(self.ty(ty), Ty::Fn(..)) =>
            {
                let text = self.cx.input().text(written.span);
                format!("a function is called with parentheses: `{text}()`")
            }
            ast::ExprKind::Compare(_, rest) if matches!(rest[..], [(ast::CompareOp::Eq, ..)]) => {
                match Checker::is_spec(&self.cx.modules()[self.cx.input().root()].path) {
                    true => "write `expect` before it to check it".to_owned(),
                    false => "`==` compares: write `=` to assign".to_owned(),
                }
            }
            _ => "use it, bind it with `val`, or remove it".to_owned(),
        };
        let message = "the value of this expression is dropped";
        let d = Diagnostic::warning(codes::UNUSED_VALUE, written.span, message).help(help);
        self.cx.report(d);
    }

    /// Reports a dropped value that is a `Result`, now or when its type is known.
    pub(crate) fn dropped_result(&mut self, value: &Expr) {
        if self.in_library() {
            return;
        }
        match self.kind(value.ty) {
            Ty::Result(..) => self.report_result(value.span),
            Ty::Infer(_) => self.duties.add_dropped(value.ty, value.span),
            _ => {}
        }
    }

    /// The same for values whose types were not known when they were dropped.
    pub(in crate::body) fn check_dropped(&mut self) {
        for (ty, span) in self.duties.take_dropped() {
            let ty = self.resolve(ty);
            if matches!(self.ty(ty), Ty::Result(..)) {
                self.report_result(span);
            }
        }
    }

    fn report_result(&mut self, span: Span) {
        let message = "this `Result` is not used, so an error in it goes unnoticed";
        let d = Diagnostic::warning(codes::UNUSED_RESULT, span, message).help(
            "pass an error on with `?`, look at it with `match`, or ignore it with `val _ = ...`",
        );
        self.cx.report(d);
    }

    /// Reports the first statement after one that never ends.
    pub(in crate::body) fn unreachable(&mut self, stmt: &ast::Stmt, after: Span) {
        let nothing = matches!(
            stmt.kind,
            ast::StmtKind::Item(_) | ast::StmtKind::Pass | ast::StmtKind::Error
        );
        if nothing || self.in_library() {
            return;
        }
        let message = "this code is never reached";
        let d = Diagnostic::warning(codes::UNREACHABLE_CODE, self.first_line(stmt.span), message)
            .related(self.first_line(after), "nothing after this runs");
        self.cx.report(d);
    }

    /// The first line of a statement.
    pub(in crate::body) fn first_line(&self, span: Span) -> Span {
        let text = self.cx.input().text(span);
        let len = text.find('\n').unwrap_or(text.len()) as u32;
        Span::new(span.file, span.lo, span.lo + len)
    }

    /// Notes a variable that may exist only for the effect of its value's end: its type is a class of the program with
    /// a `drop`.
    pub(in crate::body) fn note_life(&mut self, name: Span, ty: TyId) {
        let mut ty = self.shallow(ty);
        if let Ty::Option(item) = *self.ty(ty) {
            ty = self.shallow(item);
        }
        let Ty::Adt(adt) = *self.ty(ty) else { return };
        let module = self.cx.decls()[self.cx.decl_of(adt)].module;
        let own = !self.cx.modules()[module].library || self.cx.input().session().has_entry(module);
        if own && self.has_method(ty, Symbol::intern("drop")) {
            self.cx.reports_mut().note_living(name);
        }
    }

    /// Reports keys that a dict literal has twice: constants, variants and variables.
    pub(in crate::body) fn repeated_keys(&mut self, keys: &[Expr]) {
        if keys.len() < 2 || self.in_library() {
            return;
        }
        let mut seen: FxHashMap<Key<'_>, Span> = FxHashMap::default();
        for key in keys {
            let Some(known) = Key::of(key) else { continue };
            let Some(first) = seen.insert(known, key.span) else {
                continue;
            };
            let text = self.cx.input().text(key.span);
            let message = format!("this dict has the key `{text}` twice");
            let d = Diagnostic::warning(codes::DUPLICATE_KEY, key.span, message)
                .related(first, "this value is replaced at once");
            self.cx.report(d);
        }
    }

    /// Whether an expression does nothing but to yield its value.
    fn is_idle(&self, written: &ast::Expr, value: &Expr) -> bool {
        use ast::ExprKind as K;
        match &written.kind {
            K::Paren(inner) => self.is_idle(inner, value),
            K::Int(..)
            | K::Float(..)
            | K::Bool(_)
            | K::Compare(..)
            | K::Range(..)
            | K::Is(..)
            | K::Cast(..)
            | K::In(..)
            | K::Presence(_)
            | K::Lambda(_)
            | K::MethodRef(_) => true,
            // A bare text is a comment.
            K::Text(_) => matches!(value.kind, ExprKind::Interpolate(_)),
            K::Name(_) | K::Field(..) | K::TupleField(..) => self.is_read(value),
            K::Index(..) | K::Slice(..) => matches!(
                value.kind,
                ExprKind::Index(..) | ExprKind::Intrinsic(..) | ExprKind::Unwrap(..)
            ),
            K::Unary(UnaryOp::Neg | UnaryOp::Not | UnaryOp::BitNot, _) => {
                !self.is_foreign_call(value)
            }
            K::Binary(BinaryOp::Pipe | BinaryOp::Connect | BinaryOp::Parallel, ..) => false,
            K::Binary(..) => !self.is_foreign_call(value),
            K::And(_, last) => {
                matches!(&value.kind, ExprKind::And(_, value) if self.is_idle(last, value))
            }
            K::Or(_, last) => {
                matches!(&value.kind, ExprKind::Or(_, value) if self.is_idle(last, value))
            }
            K::Tuple(parts) => parts.iter().all(|(_, part)| is_plain(part)),
            K::Array(parts) => parts
                .iter()
                .all(|part| matches!(part, ast::Element::Expr(part) if is_plain(part))),
            K::Call(_) => self.only_looks(value),
            _ => false,
        }
    }

    /// Whether a name, field or member is only read: neither a call without parentheses nor a getter.
    fn is_read(&self, value: &Expr) -> bool {
        matches!(self.ty(self.shallow(value.ty)), Ty::Fn(..))
            || matches!(
                value.kind,
                ExprKind::Local(_)
                    | ExprKind::Global(_)
                    | ExprKind::Field(..)
                    | ExprKind::Variant(..)
                    | ExprKind::Int(_)
                    | ExprKind::Float(_)
                    | ExprKind::Bool(_)
            )
    }

    /// Whether an operator is a call of a method that the program declares, which may do anything.
    fn is_foreign_call(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Call(func, _) => self
                .called(*func)
                .is_none_or(|info| !self.cx.modules()[info.module].library),
            ExprKind::Arith(..)
            | ExprKind::Bits(..)
            | ExprKind::Concat(..)
            | ExprKind::Neg(_)
            | ExprKind::Not(_)
            | ExprKind::BitNot(_)
            | ExprKind::Intrinsic(..)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_) => false,
            _ => true,
        }
    }

    /// Whether a call is of a method of a built-in type that has no effect: it takes no function and does not change its receiver.
    fn only_looks(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Call(func, _) => self.called(*func).is_some_and(|info| {
                let module = &self.cx.modules()[info.module];
                module.library
                    && module.path.replace('\\', "/").contains(CORE)
                    && matches!(info.owner, Owner::Impl(_))
                    && info.decl.kind == ast::FnKind::Fn
                    && !info.decl.params.iter().any(takes_function)
            }),
            ExprKind::Intrinsic(intrinsic, _) => !matches!(
                intrinsic,
                Intrinsic::Print
                    | Intrinsic::Eprint
                    | Intrinsic::PrintRaw
                    | Intrinsic::Panic
                    | Intrinsic::PassingError
                    | Intrinsic::CWrite
                    | Intrinsic::Exit
                    | Intrinsic::Yield
            ),
            _ => false,
        }
    }
}

/// A key whose value is known, so far that it can be compared.
#[derive(PartialEq, Eq, Hash)]
enum Key<'e> {
    Bool(bool),
    Int(i64),
    Text(&'e str),
    Local(LocalId),
    Global(GlobalId),
    Variant(AdtId, u32),
}

impl<'e> Key<'e> {
    fn of(key: &'e Expr) -> Option<Key<'e>> {
        Some(match &key.kind {
            ExprKind::Bool(value) => Key::Bool(*value),
            ExprKind::Int(value) => Key::Int(*value),
            ExprKind::Text(text) => Key::Text(text),
            ExprKind::Local(id) => Key::Local(*id),
            ExprKind::Global(id) => Key::Global(*id),
            ExprKind::Variant(adt, number, parts) if parts.is_empty() => {
                Key::Variant(*adt, *number)
            }
            _ => return None,
        })
    }
}

/// Whether computing a value may end in a runtime error.
fn can_fail(value: &Expr) -> bool {
    matches!(
        value.kind,
        ExprKind::Arith(..)
            | ExprKind::Bits(..)
            | ExprKind::Neg(_)
            | ExprKind::Index(..)
            | ExprKind::Unwrap(..)
            | ExprKind::Convert(..)
            | ExprKind::Intrinsic(..)
            | ExprKind::Call(..)
    )
}

fn takes_function(param: &ast::Param) -> bool {
    let kind = param.ty.as_ref().map(|ty| &ty.kind);
    matches!(kind, Some(ast::TypeExprKind::Fn(..)))
}

/// A literal or a name.
fn is_plain(e: &ast::Expr) -> bool {
    use ast::ExprKind as K;
    matches!(
        e.kind,
        K::Int(..) | K::Float(..) | K::Bool(_) | K::Text(_) | K::Name(_)
    )
}

fn without_parens(e: &ast::Expr) -> &ast::Expr {
    match &e.kind {
        ast::ExprKind::Paren(inner) => without_parens(inner),
        _ => e,
    }
}
