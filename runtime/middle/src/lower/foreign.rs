//! How values cross to C and back, by their [`Foreign`].
//!
//! Texts and arrays are borrowed for the call; what SFFI yields is taken over, what plain C yields is copied. An `out` parameter
//! is memory in the frame, whose content comes back after the result. Leaves out what is called (`externs.rs`), in which registers
//! (`foreign_abi.rs`), and how values are laid out in memory of C (`foreign_memory.rs`).

use super::builder::Builder;
use super::cleanup::EntryKind;
use super::cx::DescKey;
use super::foreign_abi::{self, Passing};
use super::guard::Given;
use super::value::Value;
use crate::mir::{CmpOp, Const, ConvOp, Inst, MTy, SlotId, Var};
use crate::repr::Leaf;
use simple_core::error_kind::ErrorKind;
use simple_core::layout::{ARRAY_DATA, ARRAY_LEN, TEXT_BYTE_LEN, TEXT_CAPACITY, TEXT_DATA};
use simple_core::table::RtFn;
use simple_core::text::SEALED_BELOW;
use simple_sema::typed::{Extern, ExternParam, Foreign, Needs, Ty, TyId};
use simple_syntax::Span;

/// What a call of a foreign function passes.
pub(super) struct ForeignCall {
    /// C arguments.
    pub args: Vec<Var>,
    /// What must live until the call is over, besides the arguments of the program.
    pub held: Vec<Value>,
    /// Where C puts a result that does not fit into registers.
    returned: Option<Var>,
    /// Where C writes what comes back, in order.
    outs: Vec<Var>,
    /// The fields of objects that C frees what they refer to.
    freed: Vec<(Var, i32)>,
    /// The guard around the call, for `--check-ffi`.
    pub guard: Option<Var>,
    /// Which argument is being made; negative for the place of the result.
    pub argument: i64,
    /// Addresses by which C calls functions during the call, which are given back also when something fails before.
    pub thunks: Vec<Var>,
    /// The addresses of functions that C may keep.
    pub kept: Vec<Var>,
}

impl<'c, 'p> Builder<'c, 'p> {
    /// The C arguments of a call with these values.
    pub(super) fn foreign_arguments(
        &mut self,
        declared: &Extern,
        values: &[Value],
        span: Span,
    ) -> ForeignCall {
        let mut call = ForeignCall {
            args: Vec::new(),
            held: Vec::new(),
            returned: None,
            outs: Vec::new(),
            freed: Vec::new(),
            guard: self.begin_guard(declared, span),
            argument: -1,
            thunks: Vec::new(),
            kept: Vec::new(),
        };
        if foreign_abi::returns_in_memory(&declared.result) {
            let home = self.place_for_c(&declared.result, &call, span);
            call.args.push(home);
            call.returned = Some(home);
        }
        let mut passed = values.iter();
        let mut places = Vec::with_capacity(declared.params.len());
        let passing = foreign_abi::passing_of(declared);
        for (param, passing) in declared.params.iter().zip(passing) {
            places.push(call.args.len());
            call.argument += 1;
            if param.foreign.out {
                let home = self.place_for_c(&param.foreign.foreign, &call, span);
                call.args.push(home);
                call.outs.push(home);
            } else if let Some(value) = passed.next() {
                match (passing, &param.foreign.foreign) {
                    (Passing::Scalars, _) => {
                        self.foreign_argument(value, (declared, param), &mut call, span);
                    }
                    (passing, foreign) => {
                        self.struct_argument(value, (param.ty, foreign), passing, &mut call, span);
                    }
                }
            }
        }
        let mut passed = values.iter();
        for param in &declared.params {
            let value = match param.foreign.out {
                true => None,
                false => passed.next(),
            };
            if let (Some(value), Some(needs)) = (value, param.foreign.needs) {
                let needed = match needs {
                    Needs::Count(count) => self.i64(count),
                    Needs::Param(at) => {
                        let at = at as usize;
                        let signed = match declared.params[at].foreign.foreign {
                            Foreign::Int { signed, .. } => signed,
                            _ => true,
                        };
                        self.resize_int(call.args[places[at]], MTy::I64, signed)
                    }
                };
                self.require_length(value, needed, span);
            }
        }
        call
    }

    /// Fails unless an array has at least so many elements. A count that is negative, or too large for an array, is not there.
    fn require_length(&mut self, array: &Value, needed: Var, span: Span) {
        let object = self.leaf(array, 0, MTy::Ptr);
        let len = self.load(MTy::I64, object, ARRAY_LEN);
        let enough = self.cmp(CmpOp::ULe, needed, len);
        let error = ErrorKind::ArrayTooShort;
        self.check(enough, error, Some(needed), Some(len), span);
    }

    /// Where C puts something that comes back: memory in the frame, zeroed.
    fn place_for_c(&mut self, foreign: &Foreign, call: &ForeignCall, span: Span) -> Var {
        let home = self.zeroed_slot(foreign.size());
        self.guarded(call, home, Given::Place(foreign.size()), span)
    }

    fn foreign_argument(
        &mut self,
        value: &Value,
        (declared, param): (&Extern, &ExternParam),
        call: &mut ForeignCall,
        span: Span,
    ) {
        match &param.foreign.foreign {
            Foreign::Text | Foreign::Array(_) => {
                let object = self.leaf(value, 0, MTy::Ptr);
                let memory = self.memory_of(object, &param.foreign.foreign, call, span);
                call.args.extend(memory);
            }
            Foreign::Elements(_) => {
                let object = self.leaf(value, 0, MTy::Ptr);
                let [start, _] = self.memory_of(object, &param.foreign.foreign, call, span);
                call.args.push(start);
            }
            Foreign::Scalar => {
                let number = self.number_to_c(&value.leaves);
                call.args.extend(number);
            }
            Foreign::Optional(inner) => self.optional_argument(value, inner, call, span),
            Foreign::CText { optional } => {
                let text = self.leaf(value, 0, MTy::Ptr);
                let address = self.c_text(text, *optional, call, span);
                let address = self.guarded(call, address, Given::TextToNul, span);
                call.args.push(address);
            }
            Foreign::Function(function) => {
                let object = self.leaf(value, 0, MTy::Ptr);
                let given = self.given_to(declared, span);
                let of = (given.as_str(), &**function);
                let thunk = match function.kept {
                    true => self.kept_function(object, param.ty, of, span),
                    false => self.passed_function(object, param.ty, of, span),
                };
                call.args.push(thunk);
                if function.kept {
                    call.kept.push(thunk);
                } else {
                    self.push(EntryKind::Undo(RtFn::CallbackGive, thunk));
                    call.thunks.push(thunk);
                }
            }
            Foreign::Owned { optional } => {
                let object = self.leaf(value, 0, MTy::Ptr);
                let address = self.owned_address(object, param.ty, *optional, span);
                call.args.push(address);
                if param.foreign.frees {
                    call.freed.push((object, self.address_field(param.ty)));
                }
            }
            foreign => {
                let scalar = self.scalar_to_c(value, foreign);
                if let (Foreign::Address { .. }, Some(address)) = (foreign, scalar) {
                    self.guard_address(call, address, param.ty, span);
                }
                call.args.extend(scalar);
            }
        }
    }

    /// Where the bytes of a text or the elements of an array are, and how many.
    fn memory_of(
        &mut self,
        object: Var,
        foreign: &Foreign,
        call: &ForeignCall,
        span: Span,
    ) -> [Var; 2] {
        let (length, start) = match foreign {
            Foreign::Text => (TEXT_BYTE_LEN, TEXT_DATA),
            _ => (ARRAY_LEN, ARRAY_DATA),
        };
        let length = self.load(MTy::I64, object, length);
        let start = self.address(object, start);
        let given = match foreign {
            Foreign::Array(item) | Foreign::Elements(item) => Given::Elements(length, item.size()),
            _ => Given::Text(length),
        };
        [self.guarded(call, start, given, span), length]
    }

    /// The fields of `Scalar` as C has them: the integer, or the bits of the float, and whether it is the float.
    fn number_to_c(&mut self, fields: &[Var]) -> Vec<Var> {
        let &[int, float, is_float] = fields else {
            return Vec::new();
        };
        let bits = self.conv(ConvOp::Bits, MTy::I64, float);
        vec![self.select(is_float, bits, int), is_float]
    }

    /// A value that may be missing, and whether it is there. What is missing is passed as zeros.
    fn optional_argument(
        &mut self,
        value: &Value,
        inner: &Foreign,
        call: &mut ForeignCall,
        span: Span,
    ) {
        if !matches!(inner, Foreign::Text | Foreign::Array(_)) {
            let (given, payload) = (value.leaves[0], &value.leaves[1..]);
            let parts = match inner {
                Foreign::Scalar => self.number_to_c(payload),
                _ => payload.to_vec(),
            };
            call.args.extend(parts);
            call.args.push(given);
            return;
        }
        let object = self.leaf(value, 0, MTy::Ptr);
        let (none, zero) = (self.null(), self.i64(0));
        let memory = [self.copy(none), self.copy(zero)];
        let (there, done) = (self.block(), self.block());
        let given = self.cmp_int(CmpOp::Ne, object, 0);
        self.branch(given, there, done);
        self.switch(there);
        let found = self.memory_of(object, inner, call, span);
        for (target, found) in memory.into_iter().zip(found) {
            self.emit(Inst::Copy(target, found));
        }
        self.jump(done);
        self.switch(done);
        call.args.extend(memory);
        call.args.push(given);
    }

    /// A struct by value: its eightbytes, or the address of a copy.
    fn struct_argument(
        &mut self,
        value: &Value,
        (ty, foreign): (TyId, &Foreign),
        passing: Passing,
        call: &mut ForeignCall,
        span: Span,
    ) {
        if let Passing::Registers(floats) = passing {
            let parts = self.eightbytes(value, (ty, foreign), &floats, span);
            call.args.extend(parts);
            return;
        }
        let home = self.zeroed_slot(foreign.size());
        self.c_store(foreign, ty, (home, 0), value, span);
        call.args.push(home);
    }

    /// The registers that carry a struct by value.
    pub(super) fn eightbytes(
        &mut self,
        value: &Value,
        (ty, foreign): (TyId, &Foreign),
        floats: &[bool],
        span: Span,
    ) -> Vec<Var> {
        if foreign_abi::is_words(foreign) {
            return value.leaves.to_vec();
        }
        let home = self.zeroed_slot(foreign.size());
        self.c_store(foreign, ty, (home, 0), value, span);
        (floats.iter().enumerate())
            .map(|(index, float)| {
                let ty = foreign_abi::eightbyte(*float).ty;
                self.load(ty, home, index as i32 * 8)
            })
            .collect()
    }

    /// A struct that C gave: in registers, or somewhere in memory.
    pub(super) fn struct_result(
        &mut self,
        (ty, foreign): (TyId, &Foreign),
        dsts: Vec<Var>,
        place: Option<Var>,
        span: Span,
    ) -> Value {
        if let Some(home) = place {
            return self.c_load(foreign, ty, (home, 0), span);
        }
        if foreign_abi::is_words(foreign) {
            return Value::stable(dsts);
        }
        let home = self.zeroed_slot(foreign.size());
        for (index, dst) in dsts.into_iter().enumerate() {
            self.store(home, index as i32 * 8, dst);
        }
        self.c_load(foreign, ty, (home, 0), span)
    }

    /// Where the address is in an object of a type of `@frees`, or of an option of one.
    fn address_field(&self, ty: TyId) -> i32 {
        match *self.cx.types.get(ty) {
            Ty::Option(item) => self.address_field(item),
            Ty::Adt(class) => self.cx.reprs.class_layout(class).offsets[0],
            _ => 0,
        }
    }

    /// The address in such an object, which must not be freed; 0 for nil.
    fn owned_address(&mut self, object: Var, ty: TyId, optional: bool, span: Span) -> Var {
        let offset = self.address_field(ty);
        let zero = self.i64(0);
        let address = self.copy(zero);
        let (there, done) = (self.block(), self.block());
        match optional {
            true => {
                let present = self.cmp_int(CmpOp::Ne, object, 0);
                self.branch(present, there, done);
            }
            false => self.jump(there),
        }
        self.switch(there);
        let held = self.load(MTy::I64, object, offset);
        let open = self.cmp_int(CmpOp::Ne, held, 0);
        self.check(open, ErrorKind::AlreadyFreed, None, None, span);
        self.emit(Inst::Copy(address, held));
        self.jump(done);
        self.switch(done);
        address
    }

    /// Notes in the objects that are passed to be freed that they are: nothing can be done with them any more.
    pub(super) fn note_freed(&mut self, call: &ForeignCall) {
        for &(object, offset) in &call.freed {
            let zero = self.i64(0);
            self.store(object, offset, zero);
        }
    }

    /// A value of one scalar as C has it; nothing for a value of none.
    pub(super) fn scalar_to_c(&mut self, value: &Value, foreign: &Foreign) -> Option<Var> {
        match foreign {
            Foreign::Address { optional: true } => {
                let present = self.leaf(value, 0, MTy::I8);
                let address = self.leaf(value, 1, MTy::I64);
                let null = self.i64(0);
                Some(self.select(present, address, null))
            }
            Foreign::Enum(values) => Some(self.enum_to_c(value, values)),
            _ => value.leaves.first().copied(),
        }
    }

    /// The address of a text's bytes with a NUL after them. Most texts are terminated in place, once.
    fn c_text(&mut self, text: Var, optional: bool, call: &mut ForeignCall, span: Span) -> Var {
        let address = self.i64(0);
        let held = self.null();
        let (address, held) = (self.copy(address), self.copy(held));
        let done = self.block();
        if optional {
            let there = self.block();
            let present = self.cmp_int(CmpOp::Ne, text, 0);
            self.branch(present, there, done);
            self.switch(there);
        }
        let object = self.copy(text);
        let capacity = self.load(MTy::I64, text, TEXT_CAPACITY);
        let sealed = self.cmp_int(CmpOp::Lt, capacity, SEALED_BELOW);
        let (ready, other) = (self.block(), self.cold_block());
        self.branch(sealed, ready, other);
        self.switch(other);
        let made = self.rt_value(RtFn::TextTerminated, &[text], span);
        self.emit(Inst::Copy(object, made));
        self.emit(Inst::Copy(held, made));
        self.jump(ready);
        self.switch(ready);
        let bytes = self.address(object, TEXT_DATA);
        let bytes = self.conv(ConvOp::Bits, MTy::I64, bytes);
        self.emit(Inst::Copy(address, bytes));
        self.jump(done);
        self.switch(done);
        let leaf = Leaf {
            nullable: true,
            ..self.cx.reprs.leaves(TyId::TEXT)[0]
        };
        let own = self.push_temp([(held, leaf)].into(), true);
        call.held.push(Value {
            leaves: vec![held],
            own,
        });
        address
    }

    /// Frame memory of at least so many bytes, zeroed.
    pub(super) fn zeroed_slot(&mut self, size: u32) -> Var {
        let size = size.next_multiple_of(8).max(8);
        self.function.slots.push(size);
        let slot = SlotId(self.function.slots.len() as u32 - 1);
        let home = self.constant(MTy::Ptr, Const::Slot(slot));
        let zero = self.i64(0);
        for offset in (0..size).step_by(8) {
            self.store(home, offset as i32, zero);
        }
        home
    }

    /// The value of a call: the result of C, and after it what C wrote.
    pub(super) fn foreign_results(
        &mut self,
        declared: &Extern,
        dsts: Vec<Var>,
        call: &ForeignCall,
        span: Span,
    ) -> Value {
        let result = match &declared.result {
            foreign @ Foreign::Struct(_) => {
                self.struct_result((declared.ret, foreign), dsts, call.returned, span)
            }
            foreign => {
                let dsts = self.guard_result(call, declared, dsts, span);
                self.c_result(declared.ret, foreign, dsts, span)
            }
        };
        if call.outs.is_empty() {
            return result;
        }
        let mut tys = vec![declared.ret];
        let mut values = vec![result];
        let outs = declared.params.iter().filter(|param| param.foreign.out);
        for (param, home) in outs.zip(&call.outs) {
            let foreign = &param.foreign.foreign;
            tys.push(param.ty);
            let value = self.c_load(foreign, param.ty, (*home, 0), span);
            if let [handle] = value.leaves[..] {
                self.guard_handle(call, param.ty, handle, span);
            }
            values.push(value);
        }
        let leaves = self.own_all(values, &tys).concat();
        self.temp(declared.call, leaves)
    }

    /// What C gave as a value of the program.
    pub(super) fn c_result(
        &mut self,
        ty: TyId,
        foreign: &Foreign,
        dsts: Vec<Var>,
        span: Span,
    ) -> Value {
        match foreign {
            Foreign::Text => {
                let text = self.rt_value(RtFn::TextAdopt, &dsts, span);
                self.temp(ty, vec![text])
            }
            Foreign::Texts | Foreign::Array(_) => self.adopted(ty, &dsts, span),
            // C may return any byte that is not 0 for true.
            Foreign::Bool => Value::plain(self.cmp_int(CmpOp::Ne, dsts[0], 0)),
            Foreign::CText { optional: false } => {
                let text = self.rt_value(RtFn::TextFromC, &dsts, span);
                self.temp(ty, vec![text])
            }
            Foreign::CText { optional: true } => {
                let null = self.null();
                let text = self.copy(null);
                let (there, done) = (self.block(), self.block());
                let present = self.cmp_int(CmpOp::Ne, dsts[0], 0);
                self.branch(present, there, done);
                self.switch(there);
                let made = self.rt_value(RtFn::TextFromC, &dsts, span);
                self.emit(Inst::Copy(text, made));
                self.jump(done);
                self.switch(done);
                self.temp(ty, vec![text])
            }
            Foreign::Address { optional: true } => {
                let present = self.cmp_int(CmpOp::Ne, dsts[0], 0);
                Value::stable(vec![present, dsts[0]])
            }
            Foreign::Address { optional: false } => {
                let present = self.cmp_int(CmpOp::Ne, dsts[0], 0);
                self.check(present, ErrorKind::UnexpectedNull, None, None, span);
                Value::stable(dsts)
            }
            Foreign::Enum(values) => self.enum_from_c(dsts[0], values, span),
            Foreign::Owned { optional: false } => {
                let present = self.cmp_int(CmpOp::Ne, dsts[0], 0);
                self.check(present, ErrorKind::UnexpectedNull, None, None, span);
                let object = self.owner_of(dsts[0], ty, span);
                self.temp(ty, vec![object])
            }
            Foreign::Owned { optional: true } => {
                let null = self.null();
                let object = self.copy(null);
                let (there, done) = (self.block(), self.block());
                let present = self.cmp_int(CmpOp::Ne, dsts[0], 0);
                self.branch(present, there, done);
                self.switch(there);
                let made = self.owner_of(dsts[0], self.payload_ty(ty), span);
                self.emit(Inst::Copy(object, made));
                self.jump(done);
                self.switch(done);
                self.temp(ty, vec![object])
            }
            _ => Value::stable(dsts),
        }
    }

    /// A new object of a type of `@frees` around an address.
    fn owner_of(&mut self, address: Var, ty: TyId, span: Span) -> Var {
        let Ty::Adt(class) = *self.cx.types.get(ty) else {
            return self.null();
        };
        let layout = self.cx.reprs.class_layout(class);
        let object = self.alloc(layout.size, DescKey::Type(ty), span);
        self.store(object, layout.offsets[0], address);
        object
    }

    /// An array in memory of the host that a foreign function filled.
    pub fn adopted(&mut self, ty: TyId, dsts: &[Var], span: Span) -> Value {
        let adopt = match *self.cx.types.get(ty) {
            Ty::Array(TyId::TEXT) => RtFn::ArrayAdoptTexts,
            _ => RtFn::ArrayAdopt,
        };
        let desc = self.cx.desc(DescKey::Type(ty));
        let desc = self.constant(MTy::Ptr, Const::Desc(desc));
        let array = self.rt_value(adopt, &[dsts[0], dsts[1], desc], span);
        self.temp(ty, vec![array])
    }
}
