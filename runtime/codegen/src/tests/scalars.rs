//! Arithmetic, comparisons and conversions of every width.

use super::{Build, error, exit, fail, module};
use simple_middle::mir::{BinOp, CheckedOp, CmpOp, Const, ConvOp, Inst, MTy, UnOp};

/// `a op b` on integers of this type, sign-extended.
fn int_bin(op: BinOp, ty: MTy, a: i64, b: i64) -> i64 {
    exit(|| {
        let mut f = Build::new("main", &[], &[MTy::I64]);
        let (a, b) = (f.constant(ty, Const::Int(a)), f.constant(ty, Const::Int(b)));
        let c = f.bin(op, a, b);
        let wide = f.conv(ConvOp::SExt, c, MTy::I64);
        f.ret(wide);
        module(vec![f])
    })
}

/// The bits of `a op b` on floats.
fn float_bin(op: BinOp, a: f64, b: f64) -> f64 {
    let bits = exit(|| {
        let mut f = Build::new("main", &[], &[MTy::I64]);
        let (a, b) = (
            f.constant(MTy::F64, Const::Float(a)),
            f.constant(MTy::F64, Const::Float(b)),
        );
        let c = f.bin(op, a, b);
        let bits = f.conv(ConvOp::Bits, c, MTy::I64);
        f.ret(bits);
        module(vec![f])
    });
    f64::from_bits(bits as u64)
}

#[test]
fn integer_operations() {
    assert_eq!(int_bin(BinOp::Add, MTy::I64, i64::MAX, 1), i64::MIN);
    assert_eq!(int_bin(BinOp::Sub, MTy::I32, 3, 5), -2);
    assert_eq!(int_bin(BinOp::Mul, MTy::I8, 16, 16), 0);
    assert_eq!(int_bin(BinOp::Div, MTy::I64, -7, 2), -3);
    assert_eq!(int_bin(BinOp::Div, MTy::I8, -128, 3), -42);
    assert_eq!(int_bin(BinOp::UDiv, MTy::I16, -2, 2), 0x7fff);
    assert_eq!(int_bin(BinOp::Rem, MTy::I32, -7, 3), -1);
    assert_eq!(int_bin(BinOp::URem, MTy::I64, -1, 10), 5);
    assert_eq!(int_bin(BinOp::And, MTy::I64, 12, 10), 8);
    assert_eq!(int_bin(BinOp::Or, MTy::I64, 12, 10), 14);
    assert_eq!(int_bin(BinOp::Xor, MTy::I64, 12, 10), 6);
    assert_eq!(int_bin(BinOp::Shl, MTy::I32, 1, 33), 2);
    assert_eq!(int_bin(BinOp::Shr, MTy::I16, -8, 1), -4);
    assert_eq!(int_bin(BinOp::UShr, MTy::I64, -1, 63), 1);
    assert_eq!(int_bin(BinOp::Min, MTy::I8, -3, 2), -3);
    assert_eq!(int_bin(BinOp::Max, MTy::I64, -3, 2), 2);
    assert_eq!(int_bin(BinOp::UMin, MTy::I64, -3, 2), 2);
    assert_eq!(int_bin(BinOp::UMax, MTy::I32, -3, 2), -3);
    assert_eq!(int_bin(BinOp::MulHigh, MTy::I64, i64::MIN, 2), -1);
    assert_eq!(int_bin(BinOp::UMulHigh, MTy::I64, i64::MIN, 2), 1);
}

#[test]
fn float_operations() {
    assert_eq!(float_bin(BinOp::Add, 1.5, 2.25), 3.75);
    assert_eq!(float_bin(BinOp::Sub, 1.5, 2.25), -0.75);
    assert_eq!(float_bin(BinOp::Mul, 1.5, 2.0), 3.0);
    assert_eq!(float_bin(BinOp::Div, 1.0, 0.0), f64::INFINITY);
    assert_eq!(float_bin(BinOp::Min, -1.0, 2.0), -1.0);
    assert!(float_bin(BinOp::Max, f64::NAN, 2.0).is_nan());
}

#[test]
fn single_precision_rounds() {
    let code = exit(|| {
        let mut f = Build::new("main", &[], &[MTy::I64]);
        let a = f.constant(MTy::F32, Const::Float(16_777_216.0));
        let one = f.constant(MTy::F32, Const::Float(1.0));
        let sum = f.bin(BinOp::Add, a, one);
        let wide = f.conv(ConvOp::FloatToFloat, sum, MTy::F64);
        let int = f.conv(ConvOp::FloatToInt, wide, MTy::I64);
        f.ret(int);
        module(vec![f])
    });
    assert_eq!(code, 16_777_216);
}

#[test]
fn unary_operations() {
    let un = |op, value: f64| {
        let bits = exit(|| {
            let mut f = Build::new("main", &[], &[MTy::I64]);
            let a = f.constant(MTy::F64, Const::Float(value));
            let b = f.var(MTy::F64);
            f.push(Inst::Un(b, op, a));
            let bits = f.conv(ConvOp::Bits, b, MTy::I64);
            f.ret(bits);
            module(vec![f])
        });
        f64::from_bits(bits as u64)
    };
    assert_eq!(un(UnOp::Neg, 1.5), -1.5);
    assert_eq!(un(UnOp::Abs, -1.5), 1.5);
    assert_eq!(un(UnOp::Sqrt, 9.0), 3.0);
    assert_eq!(un(UnOp::Floor, -1.5), -2.0);
    assert_eq!(un(UnOp::Ceil, -1.5), -1.0);
    assert_eq!(un(UnOp::Trunc, -1.5), -1.0);
    let int = |op, ty, value| {
        exit(|| {
            let mut f = Build::new("main", &[], &[MTy::I64]);
            let a = f.constant(ty, Const::Int(value));
            let b = f.var(ty);
            f.push(Inst::Un(b, op, a));
            let wide = f.conv(ConvOp::SExt, b, MTy::I64);
            f.ret(wide);
            module(vec![f])
        })
    };
    assert_eq!(int(UnOp::Neg, MTy::I8, -128), -128);
    assert_eq!(int(UnOp::Not, MTy::I32, 0), -1);
    assert_eq!(int(UnOp::Abs, MTy::I64, i64::MIN), i64::MIN);
    assert_eq!(int(UnOp::Abs, MTy::I16, -7), 7);
    assert_eq!(int(UnOp::CountOnes, MTy::I8, -1), 8);
    assert_eq!(int(UnOp::LeadingZeros, MTy::I16, 1), 15);
    assert_eq!(int(UnOp::TrailingZeros, MTy::I64, 0), 64);
}

#[test]
fn comparisons_of_integers_and_floats() {
    let cmp = |op, ty, a, b| {
        exit(|| {
            let mut f = Build::new("main", &[], &[MTy::I64]);
            let (a, b) = (f.constant(ty, a), f.constant(ty, b));
            let c = f.cmp(op, a, b);
            let wide = f.conv(ConvOp::ZExt, c, MTy::I64);
            f.ret(wide);
            module(vec![f])
        })
    };
    let table = [
        (CmpOp::Eq, [0, 1, 0]),
        (CmpOp::Ne, [1, 0, 1]),
        (CmpOp::Lt, [1, 0, 0]),
        (CmpOp::Le, [1, 1, 0]),
        (CmpOp::Gt, [0, 0, 1]),
        (CmpOp::Ge, [0, 1, 1]),
        (CmpOp::ULt, [0, 0, 1]),
        (CmpOp::ULe, [0, 1, 1]),
        (CmpOp::UGt, [1, 0, 0]),
        (CmpOp::UGe, [1, 1, 0]),
    ];
    for (op, expected) in table {
        for ((a, b), expected) in [(-1, 3), (3, 3), (3, -1)].into_iter().zip(expected) {
            assert_eq!(
                cmp(op, MTy::I16, Const::Int(a), Const::Int(b)),
                expected,
                "{a} {op:?} {b}"
            );
        }
    }
    let nan = Const::Float(f64::NAN);
    for (op, expected) in [
        (CmpOp::Eq, 0),
        (CmpOp::Ne, 1),
        (CmpOp::Lt, 0),
        (CmpOp::Ge, 0),
    ] {
        assert_eq!(
            cmp(op, MTy::F64, nan, Const::Float(1.0)),
            expected,
            "NaN {op:?} 1"
        );
        assert_eq!(cmp(op, MTy::F32, nan, nan), expected, "NaN {op:?} NaN");
    }
}

#[test]
fn conversions() {
    let conv = |op, from, constant, to| {
        exit(|| {
            let mut f = Build::new("main", &[], &[MTy::I64]);
            let a = f.constant(from, constant);
            let b = f.conv(op, a, to);
            let wide = match to {
                MTy::F64 => f.conv(ConvOp::Bits, b, MTy::I64),
                MTy::F32 => {
                    let bits = f.conv(ConvOp::Bits, b, MTy::I32);
                    f.conv(ConvOp::ZExt, bits, MTy::I64)
                }
                _ => f.conv(ConvOp::SExt, b, MTy::I64),
            };
            f.ret(wide);
            module(vec![f])
        })
    };
    let int = |value| Const::Int(value);
    let float = |value| Const::Float(value);
    assert_eq!(conv(ConvOp::SExt, MTy::I8, int(-2), MTy::I32), -2);
    assert_eq!(conv(ConvOp::ZExt, MTy::I8, int(-2), MTy::I32), 254);
    assert_eq!(
        conv(ConvOp::Truncate, MTy::I64, int(0x1_2345), MTy::I16),
        0x2345
    );
    assert_eq!(
        conv(ConvOp::IntToFloat, MTy::I8, int(-2), MTy::F64),
        (-2.0f64).to_bits() as i64
    );
    assert_eq!(
        conv(ConvOp::UIntToFloat, MTy::I16, int(-1), MTy::F64),
        65_535.0f64.to_bits() as i64
    );
    assert_eq!(
        conv(ConvOp::UIntToFloat, MTy::I64, int(-1), MTy::F64),
        (u64::MAX as f64).to_bits() as i64
    );
    assert_eq!(
        conv(ConvOp::IntToFloat, MTy::I64, int(3), MTy::F32),
        i64::from(3.0f32.to_bits())
    );
    assert_eq!(
        conv(ConvOp::FloatToInt, MTy::F64, float(1e30), MTy::I64),
        i64::MAX
    );
    assert_eq!(
        conv(ConvOp::FloatToInt, MTy::F64, float(f64::NAN), MTy::I32),
        0
    );
    assert_eq!(
        conv(ConvOp::FloatToInt, MTy::F64, float(-1e9), MTy::I8),
        -128
    );
    assert_eq!(conv(ConvOp::FloatToInt, MTy::F32, float(3.9), MTy::I16), 3);
    assert_eq!(
        conv(ConvOp::FloatToUInt, MTy::F64, float(-1.0), MTy::I64),
        0
    );
    assert_eq!(
        conv(ConvOp::FloatToUInt, MTy::F64, float(300.0), MTy::I8),
        -1
    );
    assert_eq!(
        conv(ConvOp::Bits, MTy::F64, float(1.0), MTy::I64),
        1.0f64.to_bits() as i64
    );
    assert_eq!(
        conv(ConvOp::Bits, MTy::I32, int(0x3f80_0000), MTy::F32),
        0x3f80_0000
    );
}

#[test]
fn checked_arithmetic_fails_exactly_on_overflow() {
    let checked = |op, signed, ty, a, b| {
        move || {
            let (mut f, unwind) = Build::failing("main", &[], &[MTy::I64]);
            let (a, b) = (f.constant(ty, Const::Int(a)), f.constant(ty, Const::Int(b)));
            let c = f.var(ty);
            f.push(Inst::Checked(c, op, signed, a, b, fail(4, unwind)));
            let wide = f.conv(ConvOp::SExt, c, MTy::I64);
            f.ret(wide);
            module(vec![f])
        }
    };
    let fine = [
        (CheckedOp::Add, true, MTy::I64, i64::MAX - 1, 1, i64::MAX),
        (CheckedOp::Sub, true, MTy::I8, -127, 1, -128),
        (
            CheckedOp::Mul,
            true,
            MTy::I32,
            -(1 << 16),
            1 << 15,
            i64::from(i32::MIN),
        ),
        (CheckedOp::Add, false, MTy::I8, 200, 55, -1),
        (CheckedOp::Mul, false, MTy::I16, 255, 257, -1),
        (CheckedOp::Mul, true, MTy::I8, -8, 16, -128),
    ];
    for (op, signed, ty, a, b, expected) in fine {
        assert_eq!(
            exit(checked(op, signed, ty, a, b)),
            expected,
            "{a} {op:?} {b}"
        );
    }
    let over = [
        (CheckedOp::Add, true, MTy::I64, i64::MAX, 1),
        (CheckedOp::Sub, true, MTy::I8, -128, 1),
        (CheckedOp::Mul, true, MTy::I64, i64::MIN, -1),
        (CheckedOp::Mul, true, MTy::I8, 8, 16),
        (CheckedOp::Add, false, MTy::I32, -1, 1),
        (CheckedOp::Sub, false, MTy::I64, 0, 1),
        (CheckedOp::Mul, false, MTy::I64, 1 << 32, 1 << 32),
    ];
    for (op, signed, ty, a, b) in over {
        let (message, lines) = error(checked(op, signed, ty, a, b));
        assert!(message.starts_with("integer overflow"), "{message}");
        assert_eq!(lines, [5]);
    }
}

#[test]
fn select_picks_by_condition() {
    for (cond, expected) in [(0, 20), (1, 10), (2, 10)] {
        let code = exit(|| {
            let mut f = Build::new("main", &[], &[MTy::I64]);
            let cond = f.constant(MTy::I8, Const::Int(cond));
            let (a, b, dst) = (f.int(10), f.int(20), f.var(MTy::I64));
            f.push(Inst::Select(dst, cond, a, b));
            f.ret(dst);
            module(vec![f])
        });
        assert_eq!(code, expected);
    }
}
