//! Options and results: wrapping, presence, taking payloads out, `??` and `?`.
//!
//! The payload of a temporary takes the temporary's ownership with it, because what is absent is null.

use super::builder::Builder;
use super::liveness::key;
use super::value::{Own, Value};
use crate::mir::{CmpOp, Inst, MTy, Var};
use crate::repr::OptionForm;
use simple_core::error_kind::ErrorKind;
use simple_sema::typed::{Expr, Ty, TyId, UnwrapKind};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    /// The type of the payload of an option, or of `Ok`.
    pub fn payload_ty(&self, ty: TyId) -> TyId {
        match self.cx.types.get(ty) {
            Ty::Option(item) => *item,
            Ty::Result(ok, _) => *ok,
            _ => ty,
        }
    }

    /// A present option of type `ty` around a payload.
    pub fn wrap_some(&mut self, value: Value, ty: TyId, span: Span) -> Value {
        match self.cx.reprs.option_form(ty) {
            OptionForm::Null => value,
            OptionForm::Flag => {
                let mut leaves = vec![self.flag(true)];
                leaves.extend(value.leaves);
                Value {
                    leaves,
                    own: value.own,
                }
            }
            OptionForm::Boxed => {
                let item = self.payload_ty(ty);
                let object = self.boxed(value, item, span);
                self.temp(ty, vec![object])
            }
        }
    }

    /// The owned leaves of a present option of type `ty` around an owned payload.
    pub fn wrap_owned(&mut self, leaves: Vec<Var>, ty: TyId, span: Span) -> Vec<Var> {
        let payload = self.temp(self.payload_ty(ty), leaves);
        let option = self.wrap_some(payload, ty, span);
        self.own(option, ty)
    }

    /// Sets `results` to a present option of type `ty` around what a collection holds.
    pub fn found(&mut self, leaves: Vec<Var>, results: &[Var], ty: TyId, span: Span) {
        let leaves = if self.cx.reprs.option_form(ty) == OptionForm::Boxed {
            self.retain_all(self.payload_ty(ty), &leaves);
            self.wrap_owned(leaves, ty, span)
        } else {
            self.wrap_some(Value::stable(leaves), ty, span).leaves
        };
        self.assign(results, &leaves);
    }

    /// The option in `results`, which [`Builder::found`] may have set: borrowed from the collection, or an owned box.
    pub fn part_of(&mut self, collection: &Value, results: Vec<Var>, ty: TyId) -> Value {
        if self.cx.reprs.option_form(ty) == OptionForm::Boxed {
            return self.temp(ty, results);
        }
        let own = if self.cx.reprs.is_counted(ty) {
            collection.own.part()
        } else {
            Own::Stable
        };
        Value {
            leaves: results,
            own,
        }
    }

    pub fn wrap_result(&mut self, payload: &'p Expr, ty: TyId, ok: bool) -> Value {
        let Ty::Result(ok_ty, err_ty) = *self.cx.types.get(ty) else {
            return self.made_up(ty);
        };
        let value = self.expr_as(payload, if ok { ok_ty } else { err_ty });
        self.result_of(value, ty, ok)
    }

    /// A result of type `ty` around a payload.
    pub fn result_of(&mut self, value: Value, ty: TyId, ok: bool) -> Value {
        let Ty::Result(ok_ty, err_ty) = *self.cx.types.get(ty) else {
            return self.made_up(ty);
        };
        let mut leaves = vec![self.flag(ok)];
        if ok {
            leaves.extend(value.leaves);
            leaves.extend(self.made_up(err_ty).leaves);
        } else {
            leaves.extend(self.made_up(ok_ty).leaves);
            leaves.extend(value.leaves);
        }
        Value {
            leaves,
            own: value.own,
        }
    }

    /// Whether an option is present, or a result `Ok`, as an `I8`.
    pub fn is_present(&mut self, value: &Value, ty: TyId) -> Var {
        match self.cx.types.get(ty) {
            Ty::Option(_) if self.cx.reprs.option_form(ty) != OptionForm::Flag => {
                let pointer = self.leaf(value, 0, MTy::Ptr);
                self.cmp_int(CmpOp::Ne, pointer, 0)
            }
            Ty::Option(_) | Ty::Result(..) => self.leaf(value, 0, MTy::I8),
            _ => self.flag(true),
        }
    }

    /// The payload of an option or of `Ok`, with the ownership of the whole.
    pub fn payload(&mut self, value: Value, ty: TyId) -> Value {
        let range = match self.cx.types.get(ty) {
            Ty::Option(item) if self.cx.reprs.option_form(ty) == OptionForm::Boxed => {
                let item = *item;
                let object = self.leaf(&value, 0, MTy::Ptr);
                let leaves = self.load_boxed(object, item);
                // The box keeps what it holds, so the payload is borrowed from it.
                let own = value.own.part();
                return Value { leaves, own };
            }
            Ty::Option(_) => self.cx.reprs.option_payload(ty),
            Ty::Result(..) => self.cx.reprs.result_payloads(ty).0,
            _ => return value,
        };
        let own = value.own;
        Value {
            leaves: value.part(range).leaves,
            own,
        }
    }

    /// Panics with the printed form of an `Err` unless `present`.
    fn unwrap_ok(&mut self, present: Var, value: &Value, ty: TyId, err: TyId, span: Span) {
        let (there, absent) = (self.block(), self.cold_block());
        self.branch(present, there, absent);
        let kept = self.stack.clone();
        self.switch(absent);
        let builder = self.start_text(span);
        self.add_text(
            builder,
            "the result is an error, but `!` needs `Ok`: ",
            span,
        );
        let range = self.cx.reprs.result_payloads(ty).1;
        self.print_value(builder, &value.part(range), err, span);
        let message = self.finish_text(builder, span);
        self.panic(message.leaves[0], span);
        self.stack = kept;
        self.switch(there);
    }

    pub fn unwrap(&mut self, option: &'p Expr, kind: &'p UnwrapKind, span: Span) -> Value {
        let value = self.expr(option);
        let present = self.is_present(&value, option.ty);
        let error = match kind {
            UnwrapKind::Explicit => match *self.cx.types.get(option.ty) {
                Ty::Result(_, err) => {
                    self.unwrap_ok(present, &value, option.ty, err, span);
                    return self.payload(value, option.ty);
                }
                _ => ErrorKind::UnwrapNil,
            },
            UnwrapKind::Lenient => ErrorKind::LenientNil,
            UnwrapKind::Expect(message) => {
                let absent = self.cold_block();
                let there = self.block();
                self.branch(present, there, absent);
                self.switch(absent);
                let message = self.text_constant(message);
                self.panic(message, span);
                self.switch(there);
                return self.payload(value, option.ty);
            }
        };
        self.check(present, error, None, None, span);
        self.payload(value, option.ty)
    }

    /// `a ?? b`.
    pub fn coalesce(&mut self, a: &'p Expr, b: &'p Expr, ty: TyId, span: Span) -> Value {
        let base = self.stack.len();
        let value = self.expr(a);
        let present = self.is_present(&value, a.ty);
        let shapes = self.cx.reprs.leaves(ty);
        let results = self.vars(&shapes);
        let (there, absent) = (self.block(), self.block());
        self.branch(present, there, absent);
        let outer = self.stack.clone();

        self.switch(there);
        let mut payload = self.payload(value.clone(), a.ty);
        let payload_ty = self.payload_ty(a.ty);
        if payload_ty != ty && self.payload_ty(ty) == payload_ty {
            payload = self.wrap_some(payload, ty, span);
        }
        let leaves = self.own(payload, ty);
        self.assign(&results, &leaves);
        self.release_temps(base);
        let first = self.path();

        self.stack = outer;
        self.switch(absent);
        self.discard(&value);
        let other = self.expr_as(b, ty);
        let leaves = self.own(other, ty);
        self.assign(&results, &leaves);
        self.release_temps(base);
        let second = self.path();

        self.merge(vec![first, second]);
        self.temp(ty, results)
    }

    /// `a?`: the payload, or an early return with what is absent.
    pub fn try_expr(&mut self, a: &'p Expr) -> Value {
        let value = self.expr(a);
        let present = self.is_present(&value, a.ty);
        let (there, absent) = (self.block(), self.block());
        self.branch(present, there, absent);
        let saved = self.stack.clone();

        self.switch(absent);
        let ret = self.ret;
        let leaves = match (
            self.cx.types.get(a.ty).clone(),
            self.cx.types.get(ret).clone(),
        ) {
            (Ty::Result(_, err), Ty::Result(..)) => {
                let range = self.cx.reprs.result_payloads(a.ty).1;
                let payload = Value {
                    leaves: value.part(range).leaves,
                    own: value.own,
                };
                let owned = self.own(payload, err);
                self.result_of(Value::stable(owned), ret, false).leaves
            }
            _ => {
                self.discard(&value);
                self.made_up(ret).leaves
            }
        };
        self.return_leaves(leaves);

        self.stack = saved;
        self.switch(there);
        self.payload(value, a.ty)
    }

    /// `a and b`, `a or b` as a value.
    pub fn and_or(&mut self, a: &'p Expr, b: &'p Expr, and: bool) -> Value {
        let result = self.var(MTy::I8);
        let first = self.scalar(a, MTy::I8);
        self.emit(Inst::Copy(result, first));
        let (rest, done) = (self.block(), self.block());
        let short = self.path();
        if and {
            self.branch(first, rest, done);
        } else {
            self.branch(first, done, rest);
        }
        self.switch(rest);
        let second = self.scalar(b, MTy::I8);
        self.emit(Inst::Copy(result, second));
        let end = self.cur;
        let reached = self.reachable;
        if reached {
            self.seal(end, done);
        }
        self.switch(done);
        self.reachable = short.is_some();
        Value::plain(result)
    }

    /// Branches on a `bool` expression, `and`, `or` and `not` without making a value of them.
    pub fn condition(
        &mut self,
        expr: &'p Expr,
        then: crate::mir::BlockId,
        otherwise: crate::mir::BlockId,
    ) {
        use simple_sema::typed::ExprKind;
        let kills = self.live.after.contains_key(&key(expr));
        match &expr.kind {
            ExprKind::Not(inner) => self.condition(inner, otherwise, then),
            ExprKind::And(a, b) if !kills => {
                let rest = self.block();
                self.condition(a, rest, otherwise);
                self.switch(rest);
                self.condition(b, then, otherwise);
            }
            ExprKind::Or(a, b) if !kills => {
                let rest = self.block();
                self.condition(a, then, rest);
                self.switch(rest);
                self.condition(b, then, otherwise);
            }
            _ => {
                let cond = self.scalar(expr, MTy::I8);
                self.branch(cond, then, otherwise);
            }
        }
    }
}
