//! The end of a body: unknown types are settled and written into the tree, provisional function numbers become real
//! ones, and what had to wait for types is checked (exhaustiveness, bounds, trait tables).

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

/// Calls whose type arguments break a bound; their instances are not checked.
type Broken = Vec<Span>;

struct Settle<'b, 'c, 'a> {
    body: &'b mut Body<'c, 'a>,
    /// Real numbers of pending functions.
    funcs: Vec<Option<FuncId>>,
    broken: Broken,
}

impl Settle<'_, '_, '_> {
    fn settle(&mut self, ty: TyId) -> TyId {
        if self.body.cx.flags(ty) & infer::HAS_INFER == 0 {
            return ty;
        }
        let resolved = self.body.resolve(ty);
        if self.body.cx.flags(resolved) & infer::HAS_INFER == 0 {
            return resolved;
        }
        self.report_unknown(resolved);
        TyId::ERROR
    }

    fn report_unknown(&mut self, ty: TyId) {
        let ty = self.body.shallow(ty);
        if let Ty::Infer(number) = *self.body.ty(ty) {
            let var = &mut self.body.infer[number as usize];
            var.bound = Some(TyId::ERROR);
            let (span, what) = (var.span, var.what);
            let d = Diagnostic::error(
                codes::UNDETERMINED,
                span,
                format!("the type of {what} cannot be determined"),
            )
            .help(match what {
                "this `nil`" => "write the type, as in `val x: i64? = nil`",
                "this parameter" => "write the type, as in `\\(x: i64): x + 1`",
                "the result of this function" => {
                    "write the function's result, as in `-> i64?` or `-> Result<(), text>`"
                }
                "this function's type arguments" => {
                    "write the function's type, as in `val f: fn(i64) -> [i64] = pair`"
                }
                "this call's type arguments" => "write them, as in `f<i64>(x)`",
                "the keys of this dict" | "the values of this dict" => {
                    "write the type, as in `val d: {text: i64} = {}`"
                }
                _ => "write the type, as in `val xs: [i64] = []`",
            });
            self.body.cx.report(d);
            return;
        }
        for part in self.body.cx.parts(ty) {
            self.report_unknown(part);
        }
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
        if self.body.opaque || self.broken.contains(&span) {
            return;
        }
        let taken = std::mem::replace(
            &mut self.body.pending[number],
            Pending::Instance(FnIdx(0), Vec::new()),
        );
        let id = match taken {
            Pending::Instance(fn_idx, args) => {
                let args: Rc<[TyId]> = args.into_iter().map(|ty| self.settle(ty)).collect();
                if args.contains(&TyId::ERROR) {
                    // Settling reported what is unknown, or an error stood there before.
                    return;
                }
                let number = self.body.cx.instance_for_call(fn_idx, args, span);
                self.body.cx.instances[number].id
            }
            Pending::Lambda(mut func) => {
                let mut body = func.body.take();
                self.func_body(&mut func);
                let id = FuncId(self.body.cx.funcs.len() as u32);
                self.body.cx.funcs.push(*func);
                // Known before the body is settled: a nested function that calls itself makes a closure of itself there.
                self.funcs[number] = Some(id);
                if let Some(body) = &mut body {
                    visit::expr(self, body);
                }
                self.body.cx.funcs[id.0 as usize].body = body;
                id
            }
        };
        self.funcs[number] = Some(id);
        *func = id;
    }

    fn local(&mut self, _: &mut LocalId) {}

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
        self.default_results();
        self.settle_captured();
        for (idx, number, _) in std::mem::take(&mut self.captured_types) {
            // Settling the variable itself reports that its type is unknown.
            self.cx.fns[idx.at()].captured[number].ty = Some(TyId::ERROR);
        }
        let pending = self.pending.len();
        let obligations = std::mem::take(&mut self.obligations);
        let mut broken = Vec::new();
        for (ty, trait_idx, span) in obligations {
            let ty = self.resolve(ty);
            if !self.require_trait(ty, trait_idx, span) {
                broken.push(span);
            }
        }
        let mut settle = Settle {
            body: &mut self,
            funcs: vec![None; pending],
            broken,
        };
        settle.func_body(func);
        if settle.body.opaque {
            // Lambdas of an opaque body are walked for their unknown types alone.
            for number in 0..pending {
                let taken = std::mem::replace(
                    &mut settle.body.pending[number],
                    Pending::Instance(FnIdx(0), Vec::new()),
                );
                if let Pending::Lambda(mut lambda) = taken {
                    settle.func_body(&mut lambda);
                }
            }
        }
        let objects = std::mem::take(&mut self.objects);
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
        let matches = std::mem::take(&mut self.matches);
        for check in matches {
            self.check_match(check);
        }
    }

    /// Reports a type that does not implement the trait it must.
    fn require_trait(&mut self, ty: TyId, trait_idx: TraitIdx, span: Span) -> bool {
        if self.cx.flags(ty) & infer::HAS_INFER != 0 {
            return true;
        }
        let is_param = matches!(self.ty(ty), Ty::Param(_));
        if self.satisfies(ty, trait_idx) {
            return true;
        }
        let (ty_name, trait_name) = (
            self.cx.types.name(ty),
            self.cx.traits[trait_idx.at()].name.name,
        );
        let d = Diagnostic::error(
            codes::TRAIT_BOUND,
            span,
            format!("`{ty_name}` does not implement `{trait_name}`"),
        )
        .help(if is_param {
            format!("add the bound `{ty_name}: {trait_name}`")
        } else {
            format!("add `impl {trait_name} for {ty_name}:`")
        });
        self.cx.report(d);
        false
    }

    /// Whether a type, or a type parameter by its bounds, implements a trait.
    pub(crate) fn satisfies(&mut self, ty: TyId, trait_idx: TraitIdx) -> bool {
        let Ty::Param(name) = *self.ty(ty) else {
            return self.cx.implements(ty, trait_idx);
        };
        let bounds: Vec<TypeBound> = self
            .bounds
            .iter()
            .filter(|(n, ..)| *n == name)
            .cloned()
            .collect();
        bounds
            .into_iter()
            .any(|(_, idx, args)| self.cx.all_traits(idx, &args).contains(&trait_idx))
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
        self.cx.report(d);
    }
}
