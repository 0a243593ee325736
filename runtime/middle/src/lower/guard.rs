//! `--check-ffi`: what compiled code tells the runtime around a call of a plain C function.
//!
//! A program that is not run so gets none of this, and the same code as ever. What is looked at is in `simple_core::guard`.

use super::builder::Builder;
use super::cleanup::EntryKind;
use super::foreign::ForeignCall;
use crate::mir::{BinOp, Const, ConvOp, MTy, Var};
use simple_core::guard::{PLACE, READ_ONLY};
use simple_core::table::RtFn;
use simple_sema::typed::{Extern, ExternKind, Foreign, Ty, TyId};
use simple_syntax::Span;

/// Memory that C is given.
pub(super) enum Given {
    /// The elements of an array, so many.
    Elements(Var, u32),
    /// A text of so many bytes.
    Text(Var),
    /// A text up to its NUL.
    TextToNul,
    /// A place for something that comes back, of so many bytes.
    Place(u32),
}

impl<'c, 'p> Builder<'c, 'p> {
    /// Begins to guard a call if the program is guarded and the function is one of plain C.
    pub(super) fn begin_guard(&mut self, declared: &Extern, span: Span) -> Option<Var> {
        let plain = declared.library.is_some() && !matches!(declared.kind, ExternKind::Variable(_));
        if !self.cx.module.guarded || !plain {
            return None;
        }
        let library = declared.library.as_deref().unwrap_or_default();
        let mut lines = vec![
            declared.name.clone(),
            library.to_owned(),
            self.place(declared.span),
        ];
        lines.extend(declared.params.iter().map(|param| match param.foreign.out {
            true => format!("out {}", param.foreign.foreign.name()),
            false => param.foreign.foreign.name(),
        }));
        let text = self.cx.text(&lines.join("\n"));
        let text = self.constant(MTy::Ptr, Const::Text(text));
        let depth = self.rt_value(RtFn::GuardBegin, &[text], span);
        self.push(EntryKind::Undo(RtFn::GuardEnd, depth));
        Some(depth)
    }

    /// A place in the source as messages have it.
    pub(super) fn place(&self, span: Span) -> String {
        let sources = &self.cx.program.sources;
        let position = sources.position(span);
        format!(
            "{}:{}:{}",
            sources.file(span.file).path,
            position.line,
            position.column
        )
    }

    /// The address that C gets for memory of the program: of a copy with margins, if the call is guarded.
    pub(super) fn guarded(
        &mut self,
        call: &ForeignCall,
        address: Var,
        given: Given,
        span: Span,
    ) -> Var {
        if call.guard.is_none() {
            return address;
        }
        let (bytes, flags) = match given {
            Given::Elements(count, size) => {
                let size = self.i64(size.into());
                (self.bin(BinOp::Mul, count, size), 0)
            }
            Given::Text(bytes) => (bytes, READ_ONLY),
            Given::TextToNul => (self.i64(-1), READ_ONLY),
            Given::Place(bytes) => (self.i64(bytes.into()), PLACE),
        };
        let (argument, flags) = (self.i64(call.argument), self.i64(flags));
        let is_address = self.function.vars[address.0 as usize] == MTy::Ptr;
        let number = match is_address {
            true => self.conv(ConvOp::Bits, MTy::I64, address),
            false => address,
        };
        let given = self.rt_value(RtFn::GuardMemory, &[number, bytes, argument, flags], span);
        match is_address {
            true => self.conv(ConvOp::Bits, MTy::Ptr, given),
            false => given,
        }
    }

    /// Looks at an address that C is about to get as a value of type `ty`.
    pub(super) fn guard_address(&mut self, call: &ForeignCall, address: Var, ty: TyId, span: Span) {
        if call.guard.is_none() {
            return;
        }
        let align = self.i64(self.pointee(ty).map_or(1, Foreign::align).into());
        let argument = self.i64(call.argument);
        self.rt(RtFn::GuardAddress, &[address, align, argument], span);
    }

    /// What is at an address of this type, as far as that is known.
    fn pointee(&self, ty: TyId) -> Option<&'p Foreign> {
        match *self.cx.types.get(ty) {
            Ty::Option(item) => self.pointee(item),
            Ty::Adt(id) => {
                let of = self.cx.types.adts[id.0 as usize].args.first()?;
                self.cx.types.foreign.get(of)
            }
            _ => None,
        }
    }

    /// What C gave as a result.
    pub(super) fn guard_result(
        &mut self,
        call: &ForeignCall,
        declared: &Extern,
        dsts: Vec<Var>,
        span: Span,
    ) -> Vec<Var> {
        let address = matches!(declared.result, Foreign::Address { .. });
        match dsts[..] {
            [given] if call.guard.is_some() && address => {
                vec![self.rt_value(RtFn::GuardResult, &[given], span)]
            }
            [handle] => {
                self.guard_handle(call, declared.ret, handle, span);
                dsts
            }
            _ => dsts,
        }
    }

    /// A handle that is not optional came from C.
    pub(super) fn guard_handle(&mut self, call: &ForeignCall, ty: TyId, value: Var, span: Span) {
        if call.guard.is_some() && matches!(self.cx.types.get(ty), Ty::Handle(_)) {
            self.rt(RtFn::GuardNull, &[value], span);
        }
    }
}
