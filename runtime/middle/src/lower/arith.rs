//! Numbers: checked arithmetic, division, bits, conversions.
//!
//! Integers fail on overflow and on division by zero; floats follow IEEE 754. Comparisons of whole values are in
//! `glue/compare.rs`.

use super::builder::Builder;
use crate::mir::{BinOp, CheckedOp, CmpOp, Const, ConvOp, Inst, MTy, UnOp, Var};
use crate::repr::int_mty;
use simple_core::error_kind::ErrorKind;
use simple_core::table::RtFn;
use simple_sema::typed::{ArithOp, BitsOp, IntTy, Ty, TyId};
use simple_syntax::Span;

impl<'c, 'p> Builder<'c, 'p> {
    /// The integer type that `ty` is or, for an opaque handle, is made of.
    pub fn int_ty(&self, ty: TyId) -> Option<IntTy> {
        match self.cx.types.get(ty) {
            Ty::Int(int) => Some(*int),
            Ty::Handle(_) => Some(IntTy::I64),
            _ => None,
        }
    }

    /// Whether one type is an integer and the other a float.
    pub fn is_mixed(&self, a: TyId, b: TyId) -> bool {
        let float = |ty| matches!(self.cx.types.get(ty), Ty::F32 | Ty::F64);
        (self.int_ty(a).is_some() && float(b)) || (float(a) && self.int_ty(b).is_some())
    }

    pub fn arith(&mut self, op: ArithOp, a: Var, b: Var, ty: TyId, span: Span) -> Var {
        match self.int_ty(ty) {
            Some(int) => self.int_arith(op, a, b, int, span),
            None => self.float_arith(op, a, b, span),
        }
    }

    fn int_arith(&mut self, op: ArithOp, a: Var, b: Var, int: IntTy, span: Span) -> Var {
        let checked = match op {
            ArithOp::Add => CheckedOp::Add,
            ArithOp::Sub => CheckedOp::Sub,
            ArithOp::Mul => CheckedOp::Mul,
            ArithOp::Div | ArithOp::Rem => return self.int_division(op, a, b, int, span),
            ArithOp::Pow => return self.int_power(a, b, int, span),
        };
        let dst = self.var(int_mty(int));
        let fail = self.fail(span);
        self.emit(Inst::Checked(dst, checked, int.signed, a, b, fail));
        dst
    }

    /// The constant that the current block assigned to `var`, if it did so last.
    fn known_constant(&self, var: Var) -> Option<i64> {
        let insts = &self.function.blocks[self.cur.0 as usize].insts;
        insts.iter().rev().take(4).find_map(|inst| match inst {
            Inst::Const(dst, Const::Int(value)) if *dst == var => Some(*value),
            _ => None,
        })
    }

    fn int_division(&mut self, op: ArithOp, a: Var, b: Var, int: IntTy, span: Span) -> Var {
        let known = self.known_constant(b);
        if known.is_none_or(|value| value == 0) {
            let there = self.cmp_int(CmpOp::Ne, b, 0);
            self.check(there, ErrorKind::DivisionByZero, None, None, span);
        }
        let mut b = b;
        if int.signed && known.is_none_or(|value| value == -1) {
            let negative = self.cmp_int(CmpOp::Eq, b, -1);
            if op == ArithOp::Div {
                let least = self.cmp_int(CmpOp::Eq, a, least_int(int));
                let bad = self.bin(BinOp::And, negative, least);
                let good = self.cmp_int(CmpOp::Eq, bad, 0);
                self.check(good, ErrorKind::Overflow, None, None, span);
            } else {
                // The remainder by -1 is that by 1: zero, also for the least value.
                let one = self.int(int_mty(int), 1);
                b = self.select(negative, one, b);
            }
        }
        let op = match (op, int.signed) {
            (ArithOp::Div, true) => BinOp::Div,
            (ArithOp::Div, false) => BinOp::UDiv,
            (_, true) => BinOp::Rem,
            (_, false) => BinOp::URem,
        };
        self.bin(op, a, b)
    }

    fn int_power(&mut self, a: Var, b: Var, int: IntTy, span: Span) -> Var {
        let exponent = if int.bits == 64 && !int.signed {
            // The runtime takes a signed exponent; one beyond its range overflows or changes nothing, as its greatest does.
            let greatest = self.i64(i64::MAX);
            self.bin(BinOp::UMin, b, greatest)
        } else {
            self.resize_int(b, MTy::I64, int.signed)
        };
        self.power(a, exponent, int, span)
    }

    /// An integer to the power of an `i64`.
    pub fn power(&mut self, a: Var, exponent: Var, int: IntTy, span: Span) -> Var {
        if int.bits == 64 && !int.signed {
            return self.rt_value(RtFn::PowU64, &[a, exponent], span);
        }
        let wide = self.resize_int(a, MTy::I64, int.signed);
        let result = self.rt_value(RtFn::PowI64, &[wide, exponent], span);
        if int.bits == 64 {
            return result;
        }
        let narrow = self.resize_int(result, int_mty(int), int.signed);
        let back = self.resize_int(narrow, MTy::I64, int.signed);
        let same = self.cmp(CmpOp::Eq, back, result);
        self.check(same, ErrorKind::Overflow, None, None, span);
        narrow
    }

    fn float_arith(&mut self, op: ArithOp, a: Var, b: Var, span: Span) -> Var {
        let op = match op {
            ArithOp::Add => BinOp::Add,
            ArithOp::Sub => BinOp::Sub,
            ArithOp::Mul => BinOp::Mul,
            ArithOp::Div => BinOp::Div,
            ArithOp::Rem => return self.float_runtime(RtFn::RemF64, a, b, span),
            ArithOp::Pow if self.ty(a) == MTy::F32 => {
                return self.rt_value(RtFn::PowF32, &[a, b], span);
            }
            ArithOp::Pow => return self.float_runtime(RtFn::PowF64, a, b, span),
        };
        self.bin(op, a, b)
    }

    fn float_runtime(&mut self, func: RtFn, a: Var, b: Var, span: Span) -> Var {
        let narrow = self.ty(a) == MTy::F32;
        let (mut a, mut b) = (a, b);
        if narrow {
            a = self.conv(ConvOp::FloatToFloat, MTy::F64, a);
            b = self.conv(ConvOp::FloatToFloat, MTy::F64, b);
        }
        let result = self.rt_value(func, &[a, b], span);
        if narrow {
            return self.conv(ConvOp::FloatToFloat, MTy::F32, result);
        }
        result
    }

    /// `a op b`, each with its type. Only the count of a shift may have another type than `a`.
    pub fn bits(&mut self, op: BitsOp, a: (Var, TyId), b: (Var, TyId), span: Span) -> Var {
        let signed = |ty| self.int_ty(ty).is_none_or(|int| int.signed);
        let (signed, count_signed) = (signed(a.1), signed(b.1));
        let (a, b) = (a.0, b.0);
        let b = if op.is_shift() {
            self.shift_count(a, b, count_signed, span)
        } else {
            b
        };
        let op = match op {
            BitsOp::And => BinOp::And,
            BitsOp::Or => BinOp::Or,
            BitsOp::Xor => BinOp::Xor,
            BitsOp::Shl => BinOp::Shl,
            BitsOp::Shr if signed => BinOp::Shr,
            BitsOp::Shr => BinOp::UShr,
        };
        self.bin(op, a, b)
    }

    /// A count that was checked to be below the width of `a`, in that width.
    fn shift_count(&mut self, a: Var, count: Var, signed: bool, span: Span) -> Var {
        let mty = self.ty(a);
        let width = i64::from(crate::repr::size_of(mty)) * 8;
        if let Some(known) = self.known_constant(count)
            && (0..width).contains(&known)
        {
            return match self.ty(count) == mty {
                true => count,
                false => self.int(mty, known),
            };
        }
        // As an unsigned number a negative count is beyond every width.
        let good = self.cmp_int(CmpOp::ULt, count, width);
        let shown = self.resize_int(count, MTy::I64, signed);
        let most = self.i64(width - 1);
        self.check(good, ErrorKind::ShiftCount, Some(shown), Some(most), span);
        self.resize_int(count, mty, false)
    }

    /// The upper half of a product in twice the width.
    pub fn mul_high(&mut self, a: Var, b: Var, int: IntTy) -> Var {
        let high = if int.signed {
            BinOp::MulHigh
        } else {
            BinOp::UMulHigh
        };
        if int.bits == 64 {
            return self.bin(high, a, b);
        }
        let wide_a = self.resize_int(a, MTy::I64, int.signed);
        let wide_b = self.resize_int(b, MTy::I64, int.signed);
        let product = self.bin(BinOp::Mul, wide_a, wide_b);
        let width = self.i64(int.bits.into());
        let upper = self.bin(BinOp::UShr, product, width);
        self.resize_int(upper, int_mty(int), int.signed)
    }

    pub fn negate(&mut self, a: Var, ty: TyId, span: Span) -> Var {
        let mty = self.ty(a);
        if let Some(int) = self.int_ty(ty) {
            let zero = self.int(mty, 0);
            let dst = self.var(mty);
            let fail = self.fail(span);
            self.emit(Inst::Checked(
                dst,
                CheckedOp::Sub,
                int.signed,
                zero,
                a,
                fail,
            ));
            return dst;
        }
        let dst = self.var(mty);
        self.emit(Inst::Un(dst, UnOp::Neg, a));
        dst
    }

    /// An integer in another width: cut off, or extended as its sign asks.
    pub fn resize_int(&mut self, a: Var, to: MTy, signed: bool) -> Var {
        let from = crate::repr::size_of(self.ty(a));
        match from.cmp(&crate::repr::size_of(to)) {
            std::cmp::Ordering::Equal => a,
            std::cmp::Ordering::Less if signed => self.conv(ConvOp::SExt, to, a),
            std::cmp::Ordering::Less => self.conv(ConvOp::ZExt, to, a),
            std::cmp::Ordering::Greater => self.conv(ConvOp::Truncate, to, a),
        }
    }

    /// A number (or `bool`) as another number type.
    pub fn convert_number(&mut self, a: Var, from: TyId, to: TyId) -> Var {
        let target = self.scalar_ty(to);
        let from_int = match self.cx.types.get(from) {
            Ty::Int(int) => Some(*int),
            Ty::Handle(_) => Some(IntTy::I64),
            Ty::Bool => Some(IntTy {
                bits: 8,
                signed: false,
            }),
            _ => None,
        };
        match (from_int, self.int_ty(to)) {
            (Some(from), Some(_)) => self.resize_int(a, target, from.signed),
            (Some(from), None) => {
                let wide = self.resize_int(a, MTy::I64, from.signed);
                let op = if from.signed {
                    ConvOp::IntToFloat
                } else {
                    ConvOp::UIntToFloat
                };
                self.conv(op, target, wide)
            }
            (None, Some(int)) => self.float_to_int(a, int),
            (None, None) if self.ty(a) == target => a,
            (None, None) => self.conv(ConvOp::FloatToFloat, target, a),
        }
    }

    /// An integer of 64 bits as the `f64` that equals it; an error if none does.
    pub fn exact_float(&mut self, a: Var, from: TyId, span: Span) -> Var {
        // Up to here every integer is one.
        const EXACT: i64 = 1 << 53;
        let float = self.convert_number(a, from, TyId::F64);
        let signed = self.int_ty(from).is_none_or(|int| int.signed);
        let (word, most, order) = if signed {
            let bias = self.i64(EXACT);
            let word = self.bin(BinOp::Add, a, bias);
            (word, 2 * EXACT, RtFn::OrderI64F64)
        } else {
            (a, EXACT, RtFn::OrderU64F64)
        };
        let most = self.i64(most);
        let small = self.cmp(CmpOp::ULe, word, most);
        let (large, lost, done) = (self.cold_block(), self.cold_block(), self.block());
        self.branch(small, done, large);
        self.switch(large);
        let order = self.rt_value(order, &[a, float], span);
        let equal = self.cmp_int(CmpOp::Eq, order, 0);
        self.branch(equal, done, lost);
        self.switch(lost);
        let message = self.text_constant(
            "this integer is not exactly an f64; convert it with `as f64` if it may be rounded",
        );
        self.panic(message, span);
        self.switch(done);
        float
    }

    /// An integer as one of another integer type; an error if that type lacks it.
    pub fn checked_int(&mut self, a: Var, (from, to): (TyId, TyId), span: Span) -> Var {
        let (Some(source), Some(target)) = (self.int_ty(from), self.int_ty(to)) else {
            return self.convert_number(a, from, to);
        };
        let result = self.convert_number(a, from, to);
        let wide = self.resize_int(a, MTy::I64, source.signed);
        let back = self.resize_int(result, MTy::I64, target.signed);
        let (lost, done) = (self.cold_block(), self.block());
        let same = self.cmp(CmpOp::Eq, wide, back);
        // In 64 bits a negative number and a large unsigned one look the same.
        let unsigned = |int: IntTy| int.bits == 64 && !int.signed;
        if unsigned(source) && target.signed || source.signed && unsigned(target) {
            let fits = self.block();
            self.branch(same, fits, lost);
            self.switch(fits);
            let zero = self.i64(0);
            let sign = self.cmp(CmpOp::Ge, wide, zero);
            self.branch(sign, done, lost);
        } else {
            self.branch(same, done, lost);
        }
        self.switch(lost);
        let name = format!("{}{}", if target.signed { "i" } else { "u" }, target.bits);
        let message = self.text_constant(&format!(
            "this integer does not fit {name}; convert it with `as {name}` if it may wrap around"
        ));
        self.panic(message, span);
        self.switch(done);
        result
    }

    fn float_to_int(&mut self, a: Var, int: IntTy) -> Var {
        let target = int_mty(int);
        let op = if int.signed {
            ConvOp::FloatToInt
        } else {
            ConvOp::FloatToUInt
        };
        if int.bits >= 32 {
            return self.conv(op, target, a);
        }
        // Narrow integers saturate by hand, because machines convert to 32 bits and more.
        let wide = self.conv(op, MTy::I32, a);
        let (least, greatest) = match (int.bits, int.signed) {
            (8, true) => (i8::MIN as i64, i8::MAX as i64),
            (8, false) => (0, u8::MAX as i64),
            (_, true) => (i16::MIN as i64, i16::MAX as i64),
            (_, false) => (0, u16::MAX as i64),
        };
        let least = self.int(MTy::I32, least);
        let greatest = self.int(MTy::I32, greatest);
        let (max, min) = if int.signed {
            (BinOp::Max, BinOp::Min)
        } else {
            (BinOp::UMax, BinOp::UMin)
        };
        let wide = self.bin(max, wide, least);
        let wide = self.bin(min, wide, greatest);
        self.conv(ConvOp::Truncate, target, wide)
    }
}

/// The least value of an integer type, sign-extended.
pub(crate) fn least_int(int: IntTy) -> i64 {
    if int.signed {
        i64::MIN >> (64 - int.bits as u32)
    } else {
        0
    }
}
