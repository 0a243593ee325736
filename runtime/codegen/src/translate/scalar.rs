//! Constants, arithmetic, comparisons and conversions.

use super::{Translator, clif_type};
use crate::flags;
use crate::symbol::Symbol;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, SourceLoc, types};
use simple_core::error_kind::ErrorKind;
use simple_middle::mir::{BinOp, CheckedOp, CmpOp, Const, ConvOp, Fail, MTy, UnOp, Var};

fn is_float(ty: MTy) -> bool {
    matches!(ty, MTy::F32 | MTy::F64 | MTy::F32x4 | MTy::F64x2)
}

impl Translator<'_, '_> {
    pub(super) fn constant(&mut self, dst: Var, constant: Const) {
        let ty = self.ty(dst);
        let value = match constant {
            Const::Int(value) => {
                let bits = clif_type(ty).bits();
                // Cranelift expects immediates without bits beyond their width.
                let value = (value as u64 & (u64::MAX >> (64 - bits))) as i64;
                self.builder.ins().iconst(clif_type(ty), value)
            }
            // [condition scalar.narrow_constant]: its bits are those of the narrow type.
            Const::Float(value) if ty == MTy::F32 => self.builder.ins().f32const(value as f32),
            Const::Float(value) => self.builder.ins().f64const(value),
            Const::Func(id) => {
                let code = self.callee(Symbol::Func(id));
                self.builder.ins().func_addr(types::I64, code)
            }
            Const::Site(id) => {
                let number = self.plan.site(id);
                self.builder.ins().iconst(clif_type(ty), number)
            }
            Const::Slot(id) => {
                self.builder
                    .ins()
                    .stack_addr(types::I64, self.slots[id.0 as usize], 0)
            }
            _ => {
                // [condition scalar.kept_table]: other constants are the module's own.
                if let Some(address) = self.plan.kept_table(constant) {
                    self.word(address)
                } else {
                    self.place(Symbol::Memory(constant), 0)
                }
            }
        };
        self.set(dst, value);
    }

    pub(super) fn bin(&mut self, dst: Var, op: BinOp, a: Var, b: Var) {
        let float = is_float(self.ty(a));
        let (a, b) = (self.get(a), self.get(b));
        let ins = self.builder.ins();
        let value = match (op, float) {
            (BinOp::Add, false) => ins.iadd(a, b),
            (BinOp::Add, true) => ins.fadd(a, b),
            (BinOp::Sub, false) => ins.isub(a, b),
            (BinOp::Sub, true) => ins.fsub(a, b),
            (BinOp::Mul, false) => ins.imul(a, b),
            (BinOp::Mul, true) => ins.fmul(a, b),
            (BinOp::Div, false) => ins.sdiv(a, b),
            (BinOp::Div, true) => ins.fdiv(a, b),
            (BinOp::UDiv, _) => ins.udiv(a, b),
            (BinOp::Rem, _) => ins.srem(a, b),
            (BinOp::URem, _) => ins.urem(a, b),
            (BinOp::And, _) => ins.band(a, b),
            (BinOp::Or, _) => ins.bor(a, b),
            (BinOp::Xor, _) => ins.bxor(a, b),
            (BinOp::Shl, _) => ins.ishl(a, b),
            (BinOp::Shr, _) => ins.sshr(a, b),
            (BinOp::UShr, _) => ins.ushr(a, b),
            (BinOp::Min, false) => ins.smin(a, b),
            (BinOp::Min, true) => ins.fmin(a, b),
            (BinOp::Max, false) => ins.smax(a, b),
            (BinOp::Max, true) => ins.fmax(a, b),
            (BinOp::UMin, _) => ins.umin(a, b),
            (BinOp::UMax, _) => ins.umax(a, b),
            (BinOp::MulHigh, _) => ins.smulhi(a, b),
            (BinOp::UMulHigh, _) => ins.umulhi(a, b),
        };
        self.set(dst, value);
    }

    pub(super) fn un(&mut self, dst: Var, op: UnOp, a: Var) {
        let float = is_float(self.ty(a));
        let a = self.get(a);
        let ins = self.builder.ins();
        let value = match (op, float) {
            (UnOp::Neg, false) => ins.ineg(a),
            (UnOp::Neg, true) => ins.fneg(a),
            (UnOp::Not, _) => ins.bnot(a),
            (UnOp::Abs, false) => ins.iabs(a),
            (UnOp::Abs, true) => ins.fabs(a),
            (UnOp::Sqrt, _) => ins.sqrt(a),
            (UnOp::Floor, _) => ins.floor(a),
            (UnOp::Ceil, _) => ins.ceil(a),
            (UnOp::Trunc, _) => ins.trunc(a),
            (UnOp::CountOnes, _) => ins.popcnt(a),
            (UnOp::LeadingZeros, _) => ins.clz(a),
            (UnOp::TrailingZeros, _) => ins.ctz(a),
        };
        self.set(dst, value);
    }

    pub(super) fn cmp(&mut self, dst: Var, op: CmpOp, a: Var, b: Var) {
        let float = is_float(self.ty(a));
        let (mut a, b) = (self.get(a), self.get(b));
        // [condition scalar.low_equal]: an order depends on the sign.
        if matches!(op, CmpOp::Eq | CmpOp::Ne) && !float {
            a = self.low_bits(a, b).unwrap_or(a);
        }
        let value = if float {
            let condition = match op {
                CmpOp::Eq => FloatCC::Equal,
                CmpOp::Ne => FloatCC::NotEqual,
                CmpOp::Lt | CmpOp::ULt => FloatCC::LessThan,
                CmpOp::Le | CmpOp::ULe => FloatCC::LessThanOrEqual,
                CmpOp::Gt | CmpOp::UGt => FloatCC::GreaterThan,
                CmpOp::Ge | CmpOp::UGe => FloatCC::GreaterThanOrEqual,
            };
            self.builder.ins().fcmp(condition, a, b)
        } else {
            let condition = match op {
                CmpOp::Eq => IntCC::Equal,
                CmpOp::Ne => IntCC::NotEqual,
                CmpOp::Lt => IntCC::SignedLessThan,
                CmpOp::Le => IntCC::SignedLessThanOrEqual,
                CmpOp::Gt => IntCC::SignedGreaterThan,
                CmpOp::Ge => IntCC::SignedGreaterThanOrEqual,
                CmpOp::ULt => IntCC::UnsignedLessThan,
                CmpOp::ULe => IntCC::UnsignedLessThanOrEqual,
                CmpOp::UGt => IntCC::UnsignedGreaterThan,
                CmpOp::UGe => IntCC::UnsignedGreaterThanOrEqual,
            };
            self.builder.ins().icmp(condition, a, b)
        };
        self.set(dst, value);
    }

    pub(super) fn conv(&mut self, dst: Var, op: ConvOp, src: Var) {
        let (from, to) = (clif_type(self.ty(src)), clif_type(self.ty(dst)));
        let src = self.get(src);
        let value = match op {
            // [condition scalar.sext]: the sign fills the upper bits.
            ConvOp::SExt if from != to => self.builder.ins().sextend(to, src),
            // [condition scalar.zext]: zeros fill them.
            ConvOp::ZExt if from != to => self.builder.ins().uextend(to, src),
            ConvOp::Truncate if from != to => self.builder.ins().ireduce(to, src),
            ConvOp::SExt | ConvOp::ZExt | ConvOp::Truncate => src,
            ConvOp::Bits if to.is_vector() => self.as_bits(src, to),
            ConvOp::IntToFloat if to.is_vector() => self.builder.ins().fcvt_from_sint(to, src),
            ConvOp::UIntToFloat if to.is_vector() => self.builder.ins().fcvt_from_uint(to, src),
            ConvOp::IntToFloat => {
                let wide = if from.bits() < 32 {
                    self.builder.ins().sextend(types::I32, src)
                } else {
                    src
                };
                // [condition scalar.int_to_float]: with a sign.
                self.builder.ins().fcvt_from_sint(to, wide)
            }
            ConvOp::UIntToFloat => {
                let wide = if from.bits() < 32 {
                    self.builder.ins().uextend(types::I32, src)
                } else {
                    src
                };
                // [condition scalar.uint_to_float]: without one.
                self.builder.ins().fcvt_from_uint(to, wide)
            }
            // [condition scalar.float_to_int]: to the ends of the signed type.
            ConvOp::FloatToInt if to.bits() >= 32 => self.builder.ins().fcvt_to_sint_sat(to, src),
            // [condition scalar.float_to_uint]: to those of the other.
            ConvOp::FloatToUInt if to.bits() >= 32 => self.builder.ins().fcvt_to_uint_sat(to, src),
            ConvOp::FloatToInt => self.narrow_saturated(src, to, true),
            ConvOp::FloatToUInt => self.narrow_saturated(src, to, false),
            ConvOp::FloatToFloat if from.bits() < to.bits() => self.builder.ins().fpromote(to, src),
            ConvOp::FloatToFloat if from.bits() > to.bits() => self.builder.ins().fdemote(to, src),
            ConvOp::FloatToFloat => src,
            ConvOp::Splat => self.builder.ins().splat(to, src),
            ConvOp::Bits if from != to => self.builder.ins().bitcast(to, MemFlagsData::new(), src),
            ConvOp::Bits => src,
        };
        self.set(dst, value);
    }

    /// The bits of a vector as another type of vectors.
    pub(super) fn as_bits(&mut self, value: ir::Value, to: ir::Type) -> ir::Value {
        if self.builder.func.dfg.value_type(value) == to {
            return value;
        }
        // Elements are as wide before as after, so their order does not matter; it must be given where that is not so.
        let flags = MemFlagsData::new().with_endianness(ir::Endianness::Little);
        self.builder.ins().bitcast(to, flags, value)
    }

    /// A float as an 8- or 16-bit integer: saturated to 32 bits, then to the narrow range.
    fn narrow_saturated(&mut self, src: ir::Value, to: ir::Type, signed: bool) -> ir::Value {
        let bits = to.bits();
        let wide = if signed {
            let wide = self.builder.ins().fcvt_to_sint_sat(types::I32, src);
            let least = self
                .builder
                .ins()
                .iconst(types::I32, i64::from((-1i32 << (bits - 1)) as u32));
            let most = self
                .builder
                .ins()
                .iconst(types::I32, (1i64 << (bits - 1)) - 1);
            let wide = self.builder.ins().smax(wide, least);
            self.builder.ins().smin(wide, most)
        } else {
            let wide = self.builder.ins().fcvt_to_uint_sat(types::I32, src);
            let most = self.builder.ins().iconst(types::I32, (1i64 << bits) - 1);
            self.builder.ins().umin(wide, most)
        };
        self.builder.ins().ireduce(to, wide)
    }

    pub(super) fn checked(
        &mut self,
        dst: Var,
        op: CheckedOp,
        signed: bool,
        a: Var,
        b: Var,
        fail: Fail,
    ) {
        let (a, b) = (self.get(a), self.get(b));
        let moved = self.moved_by_constant(op, signed, a, b);
        let flag = moved.is_none();
        let (value, overflow) = match moved {
            Some(found) => found,
            None => {
                self.builder.set_srcloc(SourceLoc::new(flags::SUM));
                let ins = self.builder.ins();
                match (op, signed) {
                    (CheckedOp::Add, true) => ins.sadd_overflow(a, b),
                    (CheckedOp::Add, false) => ins.uadd_overflow(a, b),
                    (CheckedOp::Sub, true) => ins.ssub_overflow(a, b),
                    (CheckedOp::Sub, false) => ins.usub_overflow(a, b),
                    (CheckedOp::Mul, true) => ins.smul_overflow(a, b),
                    (CheckedOp::Mul, false) => ins.umul_overflow(a, b),
                }
            }
        };
        if flag {
            self.builder.set_srcloc(SourceLoc::new(flags::BRANCH));
        }
        self.fail_if(overflow, Some(ErrorKind::Overflow), fail);
        self.builder.set_srcloc(SourceLoc::default());
        // Only now: on the error path the variable keeps what it held.
        self.set(dst, value);
    }
    /// `a + c` and `a - c` for a constant: the result is on the wrong side of `a` exactly when it wrapped. Cranelift turns that
    /// test and the branch on it into two instructions, while a flag of `sadd_overflow` takes three.
    fn moved_by_constant(
        &mut self,
        op: CheckedOp,
        signed: bool,
        a: ir::Value,
        b: ir::Value,
    ) -> Option<(ir::Value, ir::Value)> {
        // [condition scalar.moved_signed]: unsigned sums wrap elsewhere.
        // [condition scalar.moved_words]: so do narrow ones.
        if !signed || self.builder.func.dfg.value_type(a) != types::I64 {
            return None;
        }
        let (from, by) = match (op, self.constant_of(a), self.constant_of(b)) {
            (CheckedOp::Add | CheckedOp::Sub, _, Some(by)) => (a, by),
            // [condition scalar.moved_up_or_down]: the sum is compared with what is not the constant.
            // [condition scalar.moved_difference]: a constant less a number has no such form.
            (CheckedOp::Add, Some(by), None) => (b, by),
            _ => return None,
        };
        // [condition scalar.moved_up]: a constant below 0 moves the other way.
        let up = (by >= 0) == (op == CheckedOp::Add);
        let ins = self.builder.ins();
        let value = match op {
            CheckedOp::Add => ins.iadd(a, b),
            _ => ins.isub(a, b),
        };
        let wrong = if up {
            IntCC::SignedLessThan
        } else {
            IntCC::SignedGreaterThan
        };
        let overflow = self.builder.ins().icmp(wrong, value, from);
        Some((value, overflow))
    }

    /// For `a == 0` where `a` is what a division by a power of two leaves: the bits that tell, whatever the sign.
    fn low_bits(&mut self, a: ir::Value, b: ir::Value) -> Option<ir::Value> {
        let dfg = &self.builder.func.dfg;
        // [condition scalar.low_words]: the bits are those of 64.
        // [condition scalar.low_zero]: only 0 is the same whatever the sign.
        if dfg.value_type(a) != types::I64 || self.constant_of(b) != Some(0) {
            return None;
        }
        let ir::InstructionData::Binary {
            opcode: ir::Opcode::Srem,
            args: [of, by],
        } = dfg.insts[dfg.value_def(a).inst()?]
        else {
            return None;
        };
        let by = self
            .constant_of(by)
            // [condition scalar.low_positive]: the bits of a power of two.
            // [condition scalar.low_power]: other divisors need the remainder.
            .filter(|by| *by > 0 && by & (by - 1) == 0)?;
        let bits = self.builder.ins().iconst(types::I64, by - 1);
        Some(self.builder.ins().band(of, bits))
    }

    /// The number that a value of 64 bits is, if it is a constant.
    fn constant_of(&self, value: ir::Value) -> Option<i64> {
        let dfg = &self.builder.func.dfg;
        let inst = dfg.value_def(value).inst()?;
        match dfg.insts[inst] {
            ir::InstructionData::UnaryImm {
                opcode: ir::Opcode::Iconst,
                imm,
            } => Some(imm.bits()),
            _ => None,
        }
    }
}
