//! Operations of the library that code generation knows itself.

use super::builder::Builder;
use super::glue::Glue;
use super::value::{Own, Value};
use crate::mir::{BinOp, CmpOp, Const, ConvOp, Inst, MTy, Term, UnOp, Var};
use simple_core::error_kind::ErrorKind;
use simple_core::layout::{ARRAY_LEN, TABLE_LEN, TEXT_BYTE_LEN, TEXT_CHAR_LEN};
use simple_core::table::RtFn;
use simple_sema::typed::{ArithOp, Expr, IntTy, Intrinsic, TyId};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    pub fn intrinsic(&mut self, op: Intrinsic, args: &'p [Expr], ty: TyId, span: Span) -> Value {
        match op {
            Intrinsic::Yield => return self.yield_value(&args[0], span),
            Intrinsic::Print | Intrinsic::Eprint => {
                let text = self.join_words(args, span);
                let leaf = self.leaf(&text, 0, MTy::Ptr);
                let func = if op == Intrinsic::Print {
                    RtFn::Print
                } else {
                    RtFn::Eprint
                };
                self.rt(func, &[leaf], span);
                self.discard_early(&text);
                return Value::unit();
            }
            Intrinsic::PrintRaw => {
                let text = self.join_words(args, span);
                let leaf = self.leaf(&text, 0, MTy::Ptr);
                self.rt(RtFn::PrintRaw, &[leaf], span);
                self.discard_early(&text);
                return Value::unit();
            }
            Intrinsic::Panic => {
                let text = self.join_words(args, span);
                let leaf = self.leaf(&text, 0, MTy::Ptr);
                self.panic(leaf, span);
                return Value::unit();
            }
            _ => {}
        }
        if op == Intrinsic::DictGet
            && let Some(entry) = self.found_entry(args)
        {
            let dict = self.expr(&args[0]);
            return self.dict_get(&dict, args[0].ty, entry, ty, span);
        }
        let exprs: Vec<&Expr> = args.iter().collect();
        let values = self.operands(&exprs);
        let tys: Vec<TyId> = args.iter().map(|arg| arg.ty).collect();
        let result = self.intrinsic_on(op, &values, &tys, ty, span);
        // A value that borrows from an operand needs it for the rest of the statement.
        if !self.cx.reprs.is_counted(ty) || matches!(result.own, Own::Temp(_)) {
            for value in &values {
                if value.own != result.own {
                    self.discard_early(value);
                }
            }
        }
        result
    }

    fn intrinsic_on(
        &mut self,
        op: Intrinsic,
        values: &[Value],
        tys: &[TyId],
        ty: TyId,
        span: Span,
    ) -> Value {
        let first_ty = tys.first().copied().unwrap_or(TyId::UNIT);
        let leaf_ty = self.scalar_ty(first_ty);
        let first = match values.first() {
            Some(value) => self.leaf(value, 0, leaf_ty),
            None => self.i64(0),
        };
        let second = match (values.get(1), tys.get(1)) {
            (Some(value), Some(ty)) => {
                let leaf_ty = self.scalar_ty(*ty);
                self.leaf(value, 0, leaf_ty)
            }
            _ => first,
        };
        match op {
            Intrinsic::Print
            | Intrinsic::Eprint
            | Intrinsic::PrintRaw
            | Intrinsic::Panic
            | Intrinsic::Yield => Value::unit(),
            Intrinsic::PassingError => {
                if !self.error_passes {
                    return self.made_up(ty);
                }
                let message = self.rt_value(RtFn::PassingError, &[], span);
                let message = self.temp(TyId::TEXT, vec![message]);
                self.wrap_some(message, ty, span)
            }
            Intrinsic::Pack => Value::plain(self.rt_value(RtFn::CrossPack, &[first], span)),
            Intrinsic::Unpack => {
                // The runtime finds descriptors of what comes in by those that are there.
                self.cx.desc(super::cx::DescKey::Type(ty));
                let array = self.rt_value(RtFn::CrossUnpack, &[first], span);
                self.temp(ty, vec![array])
            }
            Intrinsic::StartThread => {
                let main = self.cx.glue(Glue::ThreadMain);
                let main = self.constant(MTy::Ptr, Const::Func(main));
                let table = self.cx.variables_table();
                let table = self.constant(MTy::Ptr, Const::Bytes(table));
                self.rt(RtFn::ThreadStart, &[first, second, main, table], span);
                Value::unit()
            }
            Intrinsic::Exit => {
                self.rt(RtFn::Exit, &[first], span);
                self.end(Term::Unreachable);
                Value::unit()
            }
            Intrinsic::TextLen => Value::plain(self.load(MTy::I64, first, TEXT_CHAR_LEN)),
            Intrinsic::TextByteLen => Value::plain(self.load(MTy::I64, first, TEXT_BYTE_LEN)),
            Intrinsic::TextIndex => {
                let text = self.rt_value(RtFn::TextIndex, &[first, second], span);
                self.temp(ty, vec![text])
            }
            Intrinsic::Slice => {
                let mut args = vec![first];
                for value in values.iter().skip(1) {
                    args.push(self.leaf(value, 0, MTy::I64));
                }
                let func = if first_ty == TyId::TEXT {
                    RtFn::TextSlice
                } else {
                    RtFn::ArraySlice
                };
                let part = self.rt_value(func, &args, span);
                self.temp(ty, vec![part])
            }
            Intrinsic::TextContains => {
                Value::plain(self.rt_value(RtFn::TextContains, &[first, second], span))
            }
            Intrinsic::TextRepeat => {
                let text = self.rt_value(RtFn::TextRepeat, &[first, second], span);
                self.temp(ty, vec![text])
            }
            Intrinsic::ArrayLen => Value::plain(self.load(MTy::I64, first, ARRAY_LEN)),
            Intrinsic::ArrayGet => self.array_get(&values[0], first_ty, second, ty, span),
            Intrinsic::ArrayContains => {
                let item = self.item_ty(first_ty);
                let array = self.hold_for_call(values[0].clone(), first_ty);
                let needle = self.hold_for_call(values[1].clone(), item);
                let func = self.cx.glue(Glue::Contains(item));
                let mut args = array.leaves;
                args.extend(needle.leaves);
                Value::plain(self.call(func, args, &[MTy::I8], span)[0])
            }
            Intrinsic::ArrayJoin => {
                let item = self.item_ty(first_ty);
                let array = self.hold_for_call(values[0].clone(), first_ty);
                let func = self.cx.glue(Glue::Join(item));
                let text = self.call(func, vec![array.leaves[0], second], &[MTy::Ptr], span);
                self.temp(TyId::TEXT, text)
            }
            Intrinsic::ArrayPushed => {
                let item = self.item_ty(first_ty);
                let owned = self.own(values[0].clone(), first_ty);
                let slot = self.copy(owned[0]);
                let copy = self.temp(first_ty, vec![slot]);
                let target = super::place::Target::variable(
                    vec![slot],
                    self.cx.reprs.leaves(first_ty).to_vec(),
                );
                self.push_target(&target, item, values[1].clone(), span);
                copy
            }
            Intrinsic::ArrayRepeat => self.array_repeat(first, second, ty, span),
            Intrinsic::RangeStart => Value::plain(first),
            Intrinsic::RangeEnd => Value::plain(self.leaf(&values[0], 1, MTy::I64)),
            Intrinsic::Sqrt => self.unary(UnOp::Sqrt, first),
            Intrinsic::Floor => self.unary(UnOp::Floor, first),
            Intrinsic::Ceil => self.unary(UnOp::Ceil, first),
            Intrinsic::Trunc => self.unary(UnOp::Trunc, first),
            Intrinsic::Abs => {
                if let Some(int) = self.int_ty(first_ty) {
                    if !int.signed {
                        return Value::plain(first);
                    }
                    let good = self.cmp_int(CmpOp::Ne, first, super::arith::least_int(int));
                    self.check(good, ErrorKind::Overflow, None, None, span);
                }
                self.unary(UnOp::Abs, first)
            }
            Intrinsic::Min | Intrinsic::Max => {
                let unsigned = self.int_ty(first_ty).is_some_and(|int| !int.signed);
                let op = match (op == Intrinsic::Min, unsigned) {
                    (true, false) => BinOp::Min,
                    (true, true) => BinOp::UMin,
                    (false, false) => BinOp::Max,
                    (false, true) => BinOp::UMax,
                };
                Value::plain(self.bin(op, first, second))
            }
            Intrinsic::WrappingAdd => Value::plain(self.bin(BinOp::Add, first, second)),
            Intrinsic::WrappingSub => Value::plain(self.bin(BinOp::Sub, first, second)),
            Intrinsic::WrappingMul => Value::plain(self.bin(BinOp::Mul, first, second)),
            Intrinsic::IntPow => {
                let int = self.int_ty(ty).unwrap_or(IntTy::I64);
                Value::plain(self.power(first, second, int, span))
            }
            Intrinsic::MulHigh => {
                let int = self.int_ty(ty).unwrap_or(IntTy::I64);
                Value::plain(self.mul_high(first, second, int))
            }
            Intrinsic::CountOnes | Intrinsic::LeadingZeros | Intrinsic::TrailingZeros => {
                let op = match op {
                    Intrinsic::CountOnes => UnOp::CountOnes,
                    Intrinsic::LeadingZeros => UnOp::LeadingZeros,
                    _ => UnOp::TrailingZeros,
                };
                let count = self.unary(op, first).leaves[0];
                Value::plain(self.resize_int(count, MTy::I64, false))
            }
            Intrinsic::Bits => {
                let to = self.scalar_ty(ty);
                Value::plain(self.conv(ConvOp::Bits, to, first))
            }
            Intrinsic::Hash => {
                let value = self.hold_for_call(values[0].clone(), first_ty);
                let seed = self.constant(MTy::I64, Const::Int(super::glue::HASH_SEED));
                Value::plain(self.hash_value(seed, &value, first_ty, span))
            }
            Intrinsic::LastError => Value::plain(self.rt_value(RtFn::LastError, &[], span)),
            Intrinsic::CRead => match values.get(1) {
                Some(count) => self.c_read_elements(first, count.leaves[0], ty, span),
                None => self.c_read(first, ty, span),
            },
            Intrinsic::CAddress => Value::plain(self.callback_address(first, first_ty, span)),
            Intrinsic::CWrite => {
                let written = tys.get(1).copied().unwrap_or(TyId::UNIT);
                match (values.get(1), values.get(2)) {
                    (Some(value), Some(count)) => {
                        let to = (first, count.leaves[0]);
                        self.c_write_elements(to, value, written, span);
                    }
                    (Some(value), None) => self.c_write(first, value, written, span),
                    _ => {}
                }
                Value::unit()
            }
            Intrinsic::DictLen | Intrinsic::SetLen => {
                Value::plain(self.load(MTy::I64, first, TABLE_LEN))
            }
            Intrinsic::DictGet => {
                let table = self.leaf(&values[0], 0, MTy::Ptr);
                let entry = self.find_entry(table, first_ty, &values[1], span);
                self.dict_get(&values[0], first_ty, entry, ty, span)
            }
            Intrinsic::DictContains | Intrinsic::SetContains => {
                self.table_contains(&values[0], first_ty, &values[1], span)
            }
            Intrinsic::DictKeys | Intrinsic::DictValues => {
                let glue = if op == Intrinsic::DictKeys {
                    Glue::Keys(first_ty, ty)
                } else {
                    Glue::Values(first_ty, ty)
                };
                let func = self.cx.glue(glue);
                let array = self.call(func, vec![first], &[MTy::Ptr], span);
                self.temp(ty, array)
            }
        }
    }

    fn unary(&mut self, op: UnOp, a: crate::mir::Var) -> Value {
        let dst = self.var(self.ty(a));
        self.emit(Inst::Un(dst, op, a));
        Value::plain(dst)
    }

    /// `a.get(i)`: borrowed from the array, absent outside.
    fn array_get(
        &mut self,
        array: &Value,
        array_ty: TyId,
        index: crate::mir::Var,
        ty: TyId,
        span: Span,
    ) -> Value {
        let item = self.item_ty(array_ty);
        let shapes = self.cx.reprs.leaves(ty);
        let results = self.vars(&shapes);
        let zeros = self.made_up(ty).leaves;
        self.assign(&results, &zeros);
        let pointer = self.leaf(array, 0, MTy::Ptr);
        let len = self.load(MTy::I64, pointer, ARRAY_LEN);
        let negative = self.cmp_int(CmpOp::Lt, index, 0);
        let from_end = self.bin(BinOp::Add, index, len);
        let at = self.select(negative, from_end, index);
        let inside = self.cmp(CmpOp::ULt, at, len);
        let (there, done) = (self.block(), self.block());
        self.branch(inside, there, done);
        self.switch(there);
        let leaves = self.load_element(pointer, at, item);
        self.found(leaves, &results, ty, span);
        self.jump(done);
        self.switch(done);
        self.part_of(array, results, ty)
    }

    /// The elements of `array`, `times` times over. The room is taken at once, so that an absurd size fails before any work.
    fn array_repeat(&mut self, array: Var, times: Var, ty: TyId, span: Span) -> Value {
        let item = self.item_ty(ty);
        let zero = self.i64(0);
        let negative = self.cmp_int(CmpOp::Lt, times, 0);
        let times = self.select(negative, zero, times);
        let len = self.load(MTy::I64, array, ARRAY_LEN);
        let total = self.arith(ArithOp::Mul, len, times, TyId::I64, span);
        let repeated = self.var(MTy::Ptr);
        let (one, more, done) = (self.block(), self.block(), self.block());
        let single = self.cmp_int(CmpOp::Eq, len, 1);
        self.branch(single, one, more);
        // One element, read once.
        self.switch(one);
        let leaves = self.load_element(array, zero, item);
        if self.is_one_number(item) {
            let filled = self.filled_array(ty, times, leaves[0], span);
            self.emit(Inst::Copy(repeated, filled));
        } else {
            let empty = self.new_array(ty, times, span);
            self.emit(Inst::Copy(repeated, empty));
            self.count(zero, times, |builder, at| {
                builder.retain_all(item, &leaves);
                builder.store_element(repeated, at, item, &leaves);
            });
        }
        self.jump(done);
        self.switch(more);
        let empty = self.new_array(ty, total, span);
        self.emit(Inst::Copy(repeated, empty));
        let at = self.copy(zero);
        self.count(zero, times, |builder, _| {
            builder.count(zero, len, |builder, index| {
                let leaves = builder.load_element(array, index, item);
                builder.retain_all(item, &leaves);
                builder.store_element(repeated, at, item, &leaves);
                let one = builder.i64(1);
                let next = builder.bin(BinOp::Add, at, one);
                builder.emit(Inst::Copy(at, next));
            });
        });
        self.jump(done);
        self.switch(done);
        self.temp(ty, vec![repeated])
    }
}
