//! Text: joining, interpolation, printed forms, format specs, loops over parts.
//!
//! Texts are built in a builder object, which is an entry of the cleanup stack until it is finished. What a value prints as is
//! in `glue/print.rs`; the layout of a spec is [`simple_core::format::Spec`].

use super::builder::Builder;
use super::cleanup::EntryKind;
use super::value::{Own, Value};
use crate::mir::{CmpOp, Const, ConvOp, Inst, MTy, SlotId, Var};
use crate::repr::Leaf;
use simple_core::table::RtFn;
use simple_sema::typed::{
    Cut, Expr, ExprKind, FormatSpec, Formatted, Pattern, Stmt, TextPart, Ty, TyId,
};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    /// A loop that asks the runtime for one part of a text after the other.
    pub fn for_part(
        &mut self,
        stmt: &'p Stmt,
        pattern: &'p Pattern,
        text: &'p Expr,
        cut: &'p Cut,
        body: &'p Expr,
    ) {
        let outer = self.stack.len();
        let (func, mut args) = match cut {
            Cut::Lines => (RtFn::TextNextLine, self.held_texts(&[text])),
            Cut::Words => (RtFn::TextNextWord, self.held_texts(&[text])),
            Cut::Separator(separator) => (RtFn::TextNextPart, self.held_texts(&[text, separator])),
        };
        // The loop holds the part of the turn and hands it over for the next one, which may take its memory.
        let current = self.var(MTy::Ptr);
        let none = self.null();
        self.emit(Inst::Copy(current, none));
        let leaf = Leaf {
            nullable: true,
            ..self.cx.reprs.leaves(TyId::TEXT)[0]
        };
        self.push_temp([(current, leaf)].into(), true);
        let base = self.stack.len();
        self.function.slots.push(8);
        let slot = SlotId(self.function.slots.len() as u32 - 1);
        let cursor = self.constant(MTy::Ptr, Const::Slot(slot));
        let zero = self.i64(0);
        self.store(cursor, 0, zero);
        args.extend([cursor, current]);
        let (head, inside, exit) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.switch(head);
        let part = self.rt_value(func, &args, stmt.span);
        self.emit(Inst::Copy(current, part));
        let some = self.cmp_int(CmpOp::Ne, part, 0);
        self.branch(some, inside, exit);
        let stack = self.stack.clone();
        self.switch(inside);
        self.bind_pattern(pattern, Value::stable(vec![current]), TyId::TEXT);
        self.loop_body(body, head, base);
        self.stack = stack;
        self.switch(exit);
        self.rt(RtFn::TextPartsEnd, &[], stmt.span);
        self.loop_exit(stmt, base);
        self.release_temps(outer);
    }

    /// Texts that stay alive until the statement ends, evaluated in order.
    fn held_texts(&mut self, texts: &[&'p Expr]) -> Vec<Var> {
        let values = self.operands(texts);
        values
            .into_iter()
            .map(|value| {
                let held = self.hold(value, TyId::TEXT);
                self.leaf(&held, 0, MTy::Ptr)
            })
            .collect()
    }

    /// `a + b` of texts or arrays.
    pub fn concat(&mut self, a: &'p Expr, b: &'p Expr, ty: TyId, span: Span) -> Value {
        let values = self.operands_as(&[a, b], &[ty, ty]);
        let y = self.leaf(&values[1], 0, MTy::Ptr);
        let result = if matches!(self.cx.types.get(ty), Ty::Text) {
            if let Own::Temp(_) = values[0].own {
                let x = self.leaf(&values[0], 0, MTy::Ptr);
                let joined = self.rt_value(RtFn::TextAppend, &[x, y], span);
                // Given away by the call, unless that fails.
                self.own(values[0].clone(), ty);
                joined
            } else {
                let x = self.leaf(&values[0], 0, MTy::Ptr);
                self.rt_value(RtFn::TextConcat, &[x, y], span)
            }
        } else {
            let x = self.leaf(&values[0], 0, MTy::Ptr);
            self.rt_value(RtFn::ArrayConcat, &[x, y], span)
        };
        for value in &values {
            self.discard_early(value);
        }
        self.temp(ty, vec![result])
    }

    pub fn text_expr(&mut self, a: &'p Expr, span: Span) -> Value {
        let value = self.expr(a);
        if a.ty == TyId::TEXT {
            return value;
        }
        self.text_of(value, a.ty, span)
    }

    /// The printed form of a value as a new text.
    pub fn text_of(&mut self, value: Value, ty: TyId, span: Span) -> Value {
        let builder = self.start_text(span);
        self.print_value(builder, &value, ty, span);
        self.discard_early(&value);
        self.finish_text(builder, span)
    }

    pub fn start_text(&mut self, span: Span) -> Var {
        let builder = self.rt_value(RtFn::BuilderNew, &[], span);
        self.push(EntryKind::Undo(RtFn::BuilderDiscard, builder));
        builder
    }

    pub fn finish_text(&mut self, builder: Var, span: Span) -> Value {
        self.keep_done(builder);
        let text = self.rt_value(RtFn::BuilderFinish, &[builder], span);
        self.temp(TyId::TEXT, vec![text])
    }

    pub fn interpolate(&mut self, parts: &'p [TextPart], span: Span) -> Value {
        match parts {
            [] => return Value::plain(self.text_constant("")),
            [TextPart::Literal(text)] => return Value::plain(self.text_constant(text)),
            [TextPart::Value(value)] if value.ty == TyId::TEXT => return self.expr(value),
            _ => {}
        }
        let builder = self.start_text(span);
        for part in parts {
            match part {
                TextPart::Literal(text) => {
                    if !text.is_empty() {
                        self.add_text(builder, text, span);
                    }
                }
                TextPart::Value(expr) => self.interpolate_value(builder, expr),
                TextPart::Formatted(part) => {
                    let base = self.stack.len();
                    self.formatted(builder, part);
                    self.release_unseen_temps(base);
                }
            }
        }
        self.finish_text(builder, span)
    }

    fn interpolate_value(&mut self, builder: Var, expr: &'p Expr) {
        // A nested printed form goes into the same builder.
        let inner = match &expr.kind {
            ExprKind::ToText(inner) => inner,
            _ => expr,
        };
        let base = self.stack.len();
        let value = self.expr(inner);
        self.print_value(builder, &value, inner.ty, expr.span);
        self.release_unseen_temps(base);
    }

    /// Appends constant text.
    pub fn add_text(&mut self, builder: Var, text: &str, span: Span) {
        let text = self.text_constant(text);
        self.rt(RtFn::BuilderText, &[builder, text], span);
    }

    fn formatted(&mut self, builder: Var, part: &'p Formatted) {
        let Formatted {
            value: expr, spec, ..
        } = part;
        let (ty, span) = (expr.ty, expr.span);
        let computed = [
            (part.width.as_ref(), RtFn::FormatWidth),
            (part.precision.as_ref(), RtFn::FormatPrecision),
        ];
        let numbers = computed.iter().filter_map(|(number, _)| *number);
        let exprs: Vec<&Expr> = std::iter::once(expr).chain(numbers).collect();
        let values = self.operands(&exprs);
        let single = matches!(self.cx.types.get(ty), Ty::F32);
        let debug = spec.kind == Some('?');
        // Printing may run functions of the program, which have formats of their own; so it comes before the numbers are set.
        let text = match self.cx.types.get(ty) {
            _ if debug => Some(self.debug_text(&values[0], ty, span)),
            Ty::Int(_) | Ty::F64 | Ty::F32 | Ty::Text => None,
            _ => Some(self.text_of(values[0].clone(), ty, span)),
        };
        let mut bytes = self.bytes(spec_bytes(spec, single));
        let used = computed.into_iter().filter(|(number, _)| number.is_some());
        for ((number, func), value) in used.zip(&values[1..]) {
            let leaf = self.leaf(value, 0, MTy::I64);
            let span = number.map_or(span, |number| number.span);
            bytes = self.rt_value(func, &[bytes, leaf], span);
        }
        if let (Some('c'), Ty::Int(int)) = (spec.kind, self.cx.types.get(ty).clone()) {
            let leaf = self.leaf(&values[0], 0, self.scalar_ty(ty));
            let code = self.resize_int(leaf, MTy::I64, int.signed);
            let signed = self.constant(MTy::I8, Const::Int(i64::from(int.signed)));
            bytes = self.rt_value(RtFn::FormatCode, &[bytes, code, signed], span);
        }
        if let Some(text) = text {
            let leaf = self.leaf(&text, 0, MTy::Ptr);
            self.rt(RtFn::FormatText, &[builder, leaf, bytes], span);
            self.discard(&text);
        } else {
            self.format_value(builder, &values[0], ty, bytes, span);
        }
    }

    /// The printed form of a value as a new text, with quotes around texts.
    fn debug_text(&mut self, value: &Value, ty: TyId, span: Span) -> Value {
        let builder = self.start_text(span);
        self.rt(RtFn::BuilderQuote, &[builder], span);
        self.print_value(builder, value, ty, span);
        self.finish_text(builder, span)
    }

    /// A number or text in the format at the address `bytes`.
    fn format_value(&mut self, builder: Var, value: &Value, ty: TyId, bytes: Var, span: Span) {
        let leaf_ty = self.scalar_ty(ty);
        let leaf = self.leaf(value, 0, leaf_ty);
        match self.cx.types.get(ty).clone() {
            Ty::Int(int) => {
                let wide = self.resize_int(leaf, MTy::I64, int.signed);
                let func = if int.signed {
                    RtFn::FormatI64
                } else {
                    RtFn::FormatU64
                };
                self.rt(func, &[builder, wide, bytes], span);
            }
            Ty::F64 => {
                self.rt(RtFn::FormatF64, &[builder, leaf, bytes], span);
            }
            Ty::F32 => {
                let wide = self.conv(ConvOp::FloatToFloat, MTy::F64, leaf);
                self.rt(RtFn::FormatF64, &[builder, wide, bytes], span);
            }
            _ => {
                self.rt(RtFn::FormatText, &[builder, leaf, bytes], span);
            }
        }
    }

    /// Texts joined by one space.
    pub fn join_words(&mut self, args: &'p [Expr], span: Span) -> Value {
        if let [only] = args {
            return self.expr_as(only, TyId::TEXT);
        }
        if args.is_empty() {
            return Value::plain(self.text_constant(""));
        }
        let builder = self.start_text(span);
        for (index, arg) in args.iter().enumerate() {
            if index > 0 {
                self.add_text(builder, " ", span);
            }
            self.interpolate_value(builder, arg);
        }
        self.finish_text(builder, span)
    }

    /// Ends with a panic whose message is a text.
    pub fn panic(&mut self, message: Var, span: Span) {
        let fail = self.fail(span);
        self.emit(Inst::Panic(message, fail));
        self.end(crate::mir::Term::Unreachable);
    }
}

/// A format spec in the memory layout of `simple_core::format::Spec`.
pub(crate) fn spec_bytes(spec: &FormatSpec, single: bool) -> Vec<u8> {
    let letter = |c: Option<char>| c.map_or(0, |c| c as u32 as u8);
    let mut out = Vec::with_capacity(simple_core::format::SPEC_SIZE);
    out.extend(spec.fill.map_or(0, |c| c as u32).to_ne_bytes());
    out.extend([
        letter(spec.align),
        letter(spec.sign),
        spec.alternate as u8,
        spec.zero as u8,
    ]);
    out.extend(spec.width.to_ne_bytes());
    out.extend([letter(spec.grouping), single as u8, 0, 0]);
    out.extend(u32::from(spec.precision.is_some()).to_ne_bytes());
    out.extend(spec.precision.unwrap_or(0).to_ne_bytes());
    out.extend([letter(spec.kind), 0, 0, 0]);
    out
}
