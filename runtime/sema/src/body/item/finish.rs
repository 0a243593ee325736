//! The end of a body: its types are settled and written into the tree, provisional function numbers become real ones, and what had
//! to wait for types is checked (`duty.rs`, exhaustiveness, trait tables).
//!
//! No type leaves a body unfinished. Where one does, or where the tree contains a mistake that was not reported, the function is
//! noted ([`Checker::unfinished`]): such a program is never compiled. So is one with a value of another type than the option, result,
//! collection, struct or variant that it is put into says.

use super::*;
use crate::codes;
use crate::exhaustive;
use crate::typed::Func;
use crate::visit::{self, Visitor};
use simple_syntax::Diagnostic;

/// A match whose exhaustiveness waits for its types.
pub(crate) struct MatchCheck {
    pub(crate) ty: TyId,
    pub(crate) rows: Vec<MatchRow>,
    pub(crate) span: Span,
    /// What a missing pattern means: a `match` or a binding that must fit.
    pub(crate) binding: bool,
}

pub(crate) struct MatchRow {
    pub(crate) pattern: Pattern,
    pub(crate) guarded: bool,
    pub(crate) span: Span,
    pub(crate) user: bool,
}

struct Settle<'b, 'c, 'a> {
    body: &'b mut Body<'c, 'a>,
    /// Real numbers of pending functions.
    funcs: Vec<Option<FuncId>>,
    /// Whether some bound is broken; instances that break one are not checked.
    broken: bool,
    /// Whether an error or an unknown type was met.
    unfinished: bool,
}

impl Settle<'_, '_, '_> {
    fn settle(&mut self, ty: TyId) -> TyId {
        let flags = self.body.cx.flags(ty);
        if flags & (infer::HAS_INFER | infer::HAS_ERROR) == 0 {
            return ty;
        }
        let resolved = self.body.resolve(ty);
        let flags = self.body.cx.flags(resolved);
        if flags & (infer::HAS_INFER | infer::HAS_ERROR) == 0 {
            return resolved;
        }
        self.unfinished = true;
        if flags & infer::HAS_INFER != 0 {
            return TyId::ERROR;
        }
        resolved
    }
}

impl Visitor for Settle<'_, '_, '_> {
    fn ty(&mut self, ty: &mut TyId) {
        *ty = self.settle(*ty);
    }

    fn func(&mut self, func: &mut FuncId, span: Span) {
        let Some(number) = func.0.checked_sub(PENDING) else {
            return;
        };
        let number = number as usize;
        if let Some(known) = self.funcs[number] {
            *func = known;
            return;
        }
        if self.body.purpose.is_opaque() {
            return;
        }
        let taken = self.body.duties.take_pending(number);
        let id = match taken {
            Pending::Instance(fn_idx, args) => {
                let args: Rc<[TyId]> = args.into_iter().map(|ty| self.settle(ty)).collect();
                if args
                    .iter()
                    .any(|&ty| self.body.cx.flags(ty) & infer::HAS_ERROR != 0)
                {
                    return;
                }
                if self.broken && !self.body.keeps_bounds(fn_idx, &args) {
                    return;
                }
                let number = self.body.cx.instance_for_call(fn_idx, args, span);
                self.body.cx.instances()[number].id
            }
            Pending::Lambda(mut func) => {
                let mut body = func.body.take();
                self.func_body(&mut func);
                let id = self.body.cx.output_mut().add_func(*func);
                // Known before the body is settled: a nested function that calls itself makes a closure of itself there.
                self.funcs[number] = Some(id);
                if let Some(body) = &mut body {
                    visit::expr(self, body);
                }
                self.body.cx.output_mut()[id].body = body;
                id
            }
        };
        self.funcs[number] = Some(id);
        *func = id;
    }

    fn local(&mut self, _: &mut LocalId) {}

    fn done(&mut self, e: &Expr) {
        if !self.unfinished && !self.holds_what_it_says(e) {
            self.unfinished = true;
        }
    }

    fn adt(&mut self, adt: &mut AdtId) {
        let ty = self.body.intern(Ty::Adt(*adt));
        let ty = self.settle(ty);
        if let Ty::Adt(settled) = *self.body.ty(ty) {
            self.body.cx.ensure_adt(settled);
            *adt = settled;
        }
    }

    fn trait_id(&mut self, id: &mut TraitId) {
        let ty = self.body.intern(Ty::Trait(*id));
        let ty = self.settle(ty);
        if let Ty::Trait(settled) = *self.body.ty(ty) {
            *id = settled;
        }
    }
}

impl Settle<'_, '_, '_> {
    /// Whether the values in a new value have the types that its own type says.
    fn holds_what_it_says(&self, e: &Expr) -> bool {
        let cx = &self.body.cx;
        let all = |values: &[Expr], ty: TyId| values.iter().all(|v| self.same(v.ty, ty));
        match (&e.kind, cx.types().get(e.ty)) {
            (_, Ty::Error) => true,
            (ExprKind::Some(a), &Ty::Option(item)) => self.same(a.ty, item),
            (ExprKind::Ok(a), &Ty::Result(ok, _)) => self.same(a.ty, ok),
            (ExprKind::Err(a), &Ty::Result(_, err)) => self.same(a.ty, err),
            (ExprKind::Array(values), &Ty::Array(item)) => all(values, item),
            (ExprKind::Set(values), &Ty::Set(item)) => all(values, item),
            (ExprKind::Dict(pairs), &Ty::Dict(key, value)) => pairs
                .iter()
                .all(|(k, v)| self.same(k.ty, key) && self.same(v.ty, value)),
            (ExprKind::Tuple(values), Ty::Tuple(members)) => {
                let mut pairs = values.iter().zip(members);
                values.len() == members.len() && pairs.all(|(v, (_, ty))| self.same(v.ty, *ty))
            }
            (ExprKind::New(adt, values), Ty::Adt(_)) => {
                self.fills(values, &cx.types().adts[adt.0 as usize].fields)
            }
            (ExprKind::Variant(adt, number, values), Ty::Adt(_)) => {
                let variants = &cx.types().adts[adt.0 as usize].variants;
                let variant = variants.get(*number as usize);
                variant.is_none_or(|variant| self.fills(values, &variant.fields))
            }
            (
                ExprKind::Some(_)
                | ExprKind::Ok(_)
                | ExprKind::Err(_)
                | ExprKind::Array(_)
                | ExprKind::Set(_)
                | ExprKind::Dict(_)
                | ExprKind::Tuple(_)
                | ExprKind::New(..)
                | ExprKind::Variant(..),
                _,
            ) => false,
            _ => true,
        }
    }

    fn fills(&self, values: &[Expr], fields: &[Field]) -> bool {
        let mut pairs = values.iter().zip(fields);
        fields.is_empty()
            || values.len() == fields.len() && pairs.all(|(v, f)| self.same(v.ty, f.ty))
    }

    /// Whether a value of one type is one of the other as it is: labels of tuples mean nothing to it.
    fn same(&self, a: TyId, b: TyId) -> bool {
        let cx = &self.body.cx;
        if a == b || matches!(a, TyId::NEVER | TyId::ERROR) || b == TyId::ERROR {
            return true;
        }
        let heads = match (cx.types().get(a), cx.types().get(b)) {
            (Ty::Adt(m), Ty::Adt(n)) => cx.decl_of(*m) == cx.decl_of(*n),
            (Ty::Trait(m), Ty::Trait(n)) => {
                cx.instances().trait_of(*m).0 == cx.instances().trait_of(*n).0
            }
            (
                x @ (Ty::Array(_)
                | Ty::Set(_)
                | Ty::Dict(..)
                | Ty::Option(_)
                | Ty::Result(..)
                | Ty::Tuple(_)
                | Ty::Fn(..)),
                y,
            ) => std::mem::discriminant(x) == std::mem::discriminant(y),
            _ => return false,
        };
        let (x, y) = (cx.parts(a), cx.parts(b));
        heads && x.len() == y.len() && x.into_iter().zip(y).all(|(x, y)| self.same(x, y))
    }

    fn func_body(&mut self, func: &mut Func) {
        func.ret = self.settle(func.ret);
        for local in &mut func.locals {
            local.ty = self.settle(local.ty);
        }
        if let Some(body) = &mut func.body {
            visit::expr(self, body);
        }
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// Settles everything in `func`, which holds the outermost frame.
    pub(crate) fn finish(mut self, func: &mut Func) {
        self.close_types();
        self.check_dropped();
        self.settle_captured();
        let broken = self.check_owed();
        let pending = self.duties.pending().len();
        let mut settle = Settle {
            body: &mut self,
            funcs: vec![None; pending],
            broken,
            unfinished: false,
        };
        settle.func_body(func);
        if settle.body.purpose.is_opaque() {
            // Lambdas of an opaque body are walked for their unknown types alone.
            for number in 0..pending {
                let taken = settle.body.duties.take_pending(number);
                if let Pending::Lambda(mut lambda) = taken {
                    settle.func_body(&mut lambda);
                }
            }
        }
        if settle.unfinished && !settle.body.purpose.is_opaque() {
            self.cx.reports_mut().add_unfinished(func.span);
        }
        let objects = self.duties.take_objects();
        for (from, to) in objects {
            let (from, to) = (self.resolve(from), self.resolve(to));
            if let Ty::Trait(source) = *self.ty(from) {
                self.cx.enter_session_objects(source);
            }
            match (self.ty(from).clone(), self.ty(to).clone()) {
                (Ty::Trait(source), Ty::Trait(id)) => self.cx.link_traits(source, id),
                (_, Ty::Trait(id)) if self.cx.flags(from) == 0 => {
                    self.cx.implement_object(from, id);
                }
                _ => {}
            }
        }
        let matches = self.duties.take_matches();
        for check in matches {
            self.check_match(check);
        }
    }

    fn check_match(&mut self, check: MatchCheck) {
        let ty = self.resolve(check.ty);
        if self.cx.flags(ty) & !2 != 0 {
            return;
        }
        let mut rows = Vec::with_capacity(check.rows.len());
        for row in &check.rows {
            rows.push(exhaustive::Row {
                pattern: &row.pattern,
                guarded: row.guarded,
            });
        }
        let report = exhaustive::analyze(self.cx, ty, &rows);
        for (row, &useful) in check.rows.iter().zip(&report.useful) {
            if !useful && row.user && !check.binding {
                let d = Diagnostic::warning(
                    codes::UNREACHABLE_ARM,
                    row.span,
                    "this arm is never reached",
                )
                .note("the arms above match everything that it matches");
                self.cx.report(d);
            }
        }
        if report.missing.is_empty() {
            return;
        }
        let missing: Vec<String> = report.missing.iter().map(|m| format!("`{m}`")).collect();
        let d = if check.binding {
            Diagnostic::error(
                codes::REFUTABLE,
                check.span,
                "this pattern does not fit every value",
            )
            .note(format!("not covered: {}", missing.join(", ")))
            .help("use `if val ... = ...:` or `match`")
        } else {
            Diagnostic::error(
                codes::NON_EXHAUSTIVE,
                check.span,
                "this match does not cover every value",
            )
            .note(format!("not covered: {}", missing.join(", ")))
            .help("add the missing arms, or `case _:` for the rest")
        };
        let d = match check.rows.iter().find(|row| row.guarded) {
            Some(row) if self.covers_without_guards(ty, &check.rows) => d.related(
                row.span,
                "an arm with a condition does not count, because the condition may not hold",
            ),
            _ => d,
        };
        self.cx.report(d);
    }

    /// Whether the arms would cover every value if their conditions always held.
    fn covers_without_guards(&mut self, ty: TyId, rows: &[MatchRow]) -> bool {
        let mut open = Vec::with_capacity(rows.len());
        for row in rows {
            open.push(exhaustive::Row {
                pattern: &row.pattern,
                guarded: false,
            });
        }
        exhaustive::analyze(self.cx, ty, &open).missing.is_empty()
    }
}
