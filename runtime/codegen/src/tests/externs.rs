//! Foreign functions: known, bound at the first call, missing, and failing in each way.

use super::{Build, NoBinder, Outcome, exit, fail, module, run_at};
use crate::OptLevel;
use simple_image::{Binder, BoundExtern};
use simple_middle::mir::{
    BinOp, CParam, Const, ConvOp, Extern, ExternId, ExternKind, Failure, Inst, MTy, Module, SiteId,
};
use std::cell::Cell;
use std::rc::Rc;

extern "C" fn add_one(x: i64) -> i64 {
    x + 1
}

extern "C" fn narrow(a: i8, b: u8, c: i16, d: f32) -> i32 {
    i32::from(a) + i32::from(b) + i32::from(c) + d as i32
}

/// Fails for 0 as its test expects: it returns -1, with a message.
extern "C" fn fails_for_zero(x: i64) -> i64 {
    if x == 0 {
        simple_core::error::leave_message("zero is not wanted".into());
        return -1;
    }
    // -1 without a message is a result like any other.
    if x == 1 { -1 } else { x }
}

#[repr(C)]
struct Buffer {
    data: i64,
    length: i64,
}

extern "C" fn buffer(x: i64) -> Buffer {
    Buffer {
        data: x * 10,
        length: x,
    }
}

fn param(ty: MTy) -> CParam {
    CParam::new(ty, true)
}

fn ext(address: Option<usize>, params: &[CParam], results: &[CParam], failure: Failure) -> Extern {
    Extern {
        name: "f".into(),
        symbol: "f".into(),
        library: None,
        kind: ExternKind::Function,
        params: params.to_vec(),
        results: results.to_vec(),
        declared: (Vec::new(), String::new()),
        address,
        failure,
        slow: false,
        pure: false,
        curve: None,
        site: SiteId(0),
    }
}

/// A program that calls its foreign function with `arg`, three times in a row, and returns the last result.
fn thrice(ext: Extern, arg: i64) -> Module {
    let (mut f, unwind) = Build::failing("main", &[], &[MTy::I64]);
    let (arg, dst) = (f.int(arg), f.var(MTy::I64));
    for site in 1..4 {
        f.push(Inst::CallExtern {
            dsts: vec![dst],
            func: ExternId(0),
            args: vec![arg],
            fail: fail(site, unwind),
        });
    }
    f.ret(dst);
    Module {
        externs: vec![ext],
        ..module(vec![f])
    }
}

struct Fixed {
    bound: BoundExtern,
    calls: Rc<Cell<u32>>,
}

impl Binder for Fixed {
    fn bind(&self, _: &Extern) -> Result<BoundExtern, String> {
        self.calls.set(self.calls.get() + 1);
        Ok(self.bound)
    }
}

#[test]
fn a_function_is_bound_once_when_first_called() {
    for level in [OptLevel::None, OptLevel::Speed] {
        let calls = Rc::new(Cell::new(0));
        let bound = BoundExtern {
            address: add_one as *const () as usize,
            failure: Failure::Never,
        };
        let binder = Fixed {
            bound,
            calls: Rc::clone(&calls),
        };
        let i64s = [param(MTy::I64)];
        let module = thrice(ext(None, &i64s, &i64s, Failure::Flag), 41);
        assert_eq!(run_at(level, module, Box::new(binder)), Outcome::Exit(42));
        assert_eq!(calls.get(), 1);
    }
}

#[test]
fn a_missing_function_is_an_error_at_its_call() {
    let i64s = [param(MTy::I64)];
    let module = thrice(ext(None, &i64s, &i64s, Failure::Flag), 41);
    let Outcome::Error(error) = run_at(OptLevel::Speed, module, Box::new(NoBinder)) else {
        panic!("it was bound");
    };
    assert_eq!(error.message, "no library exports `f`");
    assert_eq!(error.trace.head[0].line, 2);
}

#[test]
fn an_unbound_function_that_is_not_called_does_no_harm() {
    let i64s = [param(MTy::I64)];
    let code = exit(|| {
        let mut f = Build::new("main", &[], &[MTy::I64]);
        let zero = f.int(0);
        f.ret(zero);
        Module {
            externs: vec![ext(None, &i64s, &i64s, Failure::Flag)],
            ..module(vec![f])
        }
    });
    assert_eq!(code, 0);
}

#[test]
fn failures_are_noticed_by_value_and_by_flag() {
    let i64s = [param(MTy::I64)];
    let address = fails_for_zero as *const () as usize;
    for failure in [Failure::Value(-1), Failure::Flag] {
        for known in [Some(address), None] {
            let run = |arg| {
                let bound = BoundExtern {
                    address,
                    failure: Failure::Value(-1),
                };
                let binder = Fixed {
                    bound,
                    calls: Rc::default(),
                };
                run_at(
                    OptLevel::Speed,
                    thrice(ext(known, &i64s, &i64s, failure), arg),
                    Box::new(binder),
                )
            };
            assert_eq!(run(5), Outcome::Exit(5));
            assert_eq!(run(1), Outcome::Exit(-1));
            let Outcome::Error(error) = run(0) else {
                panic!("no failure")
            };
            assert_eq!(error.message, "zero is not wanted");
            assert_eq!(error.trace.head[0].line, 2);
        }
    }
}

/// Eight integers, two of them on the stack, and nine floats, one on the stack: all must survive binding.
#[rustfmt::skip]
extern "C" fn many(
    a: i64, b: i64, c: i64, d: i64, e: i64, f: i64, g: i64, h: i64,
    p: f64, q: f64, r: f64, s: f64, t: f64, u: f64, v: f64, w: f64, x: f64,
) -> f64 {
    let ints = [a, b, c, d, e, f, g, h].into_iter().enumerate().map(|(i, value)| (value << (4 * i)) as f64);
    let floats = [p, q, r, s, t, u, v, w, x].into_iter().enumerate().map(|(i, value)| value * 0.5f64.powi(i as i32 + 1));
    ints.chain(floats).sum()
}

#[test]
fn binding_in_a_call_keeps_its_arguments() {
    let params: Vec<CParam> = [vec![param(MTy::I64); 8], vec![param(MTy::F64); 9]].concat();
    for test_bound in [false, true] {
        let mut f = Build::new("main", &[], &[MTy::I64]);
        let unwind = f.block();
        let mut args: Vec<_> = (1..9).map(|value| f.int(value)).collect();
        args.extend((0..9).map(|_| f.constant(MTy::F64, Const::Float(1.0))));
        let dst = f.var(MTy::F64);
        f.push(Inst::CallExtern {
            dsts: vec![dst],
            func: ExternId(0),
            args,
            fail: fail(0, unwind),
        });
        let bits = f.conv(ConvOp::Bits, dst, MTy::I64);
        f.ret(bits);
        let module = Module {
            externs: vec![ext(None, &params, &[param(MTy::F64)], Failure::Never)],
            ..module(vec![f])
        };
        let bound = BoundExtern {
            address: many as *const () as usize,
            failure: Failure::Never,
        };
        let binder = Fixed {
            bound,
            calls: Rc::default(),
        };
        let options = crate::Options {
            test_bound,
            verify: true,
            ..Default::default()
        };
        let sources = simple_syntax::SourceMap::default();
        let program = super::executable(module, sources, Box::new(binder), &options);
        let Outcome::Exit(bits) = program.run() else {
            panic!("it failed")
        };
        assert_eq!(
            f64::from_bits(bits as u64),
            f64::from(0x8765_4321u32) + 1.0 - 0.5f64.powi(9)
        );
    }
}

#[test]
fn an_unbound_function_fails_in_each_way_of_failing() {
    let i64s = [param(MTy::I64)];
    let i32s = [param(MTy::I32)];
    let f32s = [CParam::new(MTy::F32, false)];
    let nan = i64::from(f32::NAN.to_bits());
    let cases = [
        (&i64s[..], Failure::Value(-1)),
        (&i64s, Failure::Value(i64::MIN)),
        (&i64s, Failure::Never),
        (&i64s, Failure::Flag),
        (&i32s, Failure::Value(-1)),
        (&f32s, Failure::Value(nan)),
        (&[], Failure::Flag),
        (&[], Failure::Value(0)),
    ];
    for (results, failure) in cases {
        for test_bound in [false, true] {
            let (mut f, unwind) = Build::failing("main", &[], &[MTy::I64]);
            let (arg, dsts) = (
                f.int(1),
                results.iter().map(|result| f.var(result.ty)).collect(),
            );
            f.push(Inst::CallExtern {
                dsts,
                func: ExternId(0),
                args: vec![arg],
                fail: fail(1, unwind),
            });
            f.ret(arg);
            let module = Module {
                externs: vec![ext(None, &i64s, results, failure)],
                ..module(vec![f])
            };
            let options = crate::Options {
                test_bound,
                verify: true,
                ..Default::default()
            };
            let mut sources = simple_syntax::SourceMap::default();
            sources.add("test.spl", "a\n".repeat(10));
            let program = super::executable(module, sources, Box::new(NoBinder), &options);
            let Outcome::Error(error) = program.run() else {
                panic!("{failure:?} was not noticed")
            };
            assert_eq!(error.message, "no library exports `f`");
            assert_eq!(error.trace.head[0].line, 2);
        }
    }
}

#[test]
fn narrow_arguments_are_extended_by_their_sign() {
    let unsigned = CParam::new(MTy::I8, false);
    let params = [param(MTy::I8), unsigned, param(MTy::I16), param(MTy::F32)];
    let code = exit(|| {
        let mut f = Build::new("main", &[], &[MTy::I64]);
        let unwind = f.block();
        let a = f.constant(MTy::I8, Const::Int(-1));
        let b = f.constant(MTy::I8, Const::Int(255));
        let c = f.constant(MTy::I16, Const::Int(-300));
        let d = f.constant(MTy::F32, Const::Float(2.5));
        let dst = f.var(MTy::I32);
        let args = vec![a, b, c, d];
        f.push(Inst::CallExtern {
            dsts: vec![dst],
            func: ExternId(0),
            args,
            fail: fail(0, unwind),
        });
        let wide = f.conv(ConvOp::SExt, dst, MTy::I64);
        f.ret(wide);
        let address = Some(narrow as *const () as usize);
        Module {
            externs: vec![ext(address, &params, &[param(MTy::I32)], Failure::Never)],
            ..module(vec![f])
        }
    });
    assert_eq!(code, -1 + 255 - 300 + 2);
}

#[test]
fn a_buffer_arrives_as_two_results() {
    let i64s = [param(MTy::I64)];
    let code = exit(|| {
        let mut f = Build::new("main", &[], &[MTy::I64]);
        let unwind = f.block();
        let (arg, data, length) = (f.int(4), f.var(MTy::Ptr), f.var(MTy::I64));
        let dsts = vec![data, length];
        f.push(Inst::CallExtern {
            dsts,
            func: ExternId(0),
            args: vec![arg],
            fail: fail(0, unwind),
        });
        let data = f.conv(ConvOp::Bits, data, MTy::I64);
        let total = f.bin(BinOp::Sub, data, length);
        f.ret(total);
        let results = [param(MTy::Ptr), param(MTy::I64)];
        let address = Some(buffer as *const () as usize);
        Module {
            externs: vec![ext(address, &i64s, &results, Failure::Never)],
            ..module(vec![f])
        }
    });
    assert_eq!(code, 36);
}
