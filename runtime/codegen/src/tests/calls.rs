//! Calls with few and many arguments and results of every type, direct and indirect.

use super::{Build, error, exit, fail, module};
use simple_core::error_kind::ErrorKind;
use simple_middle::mir::{BinOp, Const, ConvOp, FnId, Inst, MTy, Term, Var, VtableId};

/// Adds the variables up as integers.
fn sum(f: &mut Build, vars: &[Var]) -> Var {
    let total = f.int(0);
    for &var in vars {
        let int = match f.func.vars[var.0 as usize] {
            MTy::F32 | MTy::F64 => f.conv(ConvOp::FloatToInt, var, MTy::I64),
            MTy::I64 | MTy::Ptr => var,
            _ => f.conv(ConvOp::SExt, var, MTy::I64),
        };
        f.push(Inst::Bin(total, BinOp::Add, total, int));
    }
    total
}

fn value(f: &mut Build, ty: MTy, value: i64) -> Var {
    match ty {
        MTy::F32 | MTy::F64 => f.constant(ty, Const::Float(value as f64)),
        _ => f.constant(ty, Const::Int(value)),
    }
}

/// A function that returns its arguments, each as a result, called directly or by address.
fn echo(types: Vec<MTy>, can_fail: bool, indirect: bool) -> i64 {
    exit(move || {
        let (mut main, unwind) = Build::failing("main", &[], &[MTy::I64]);
        let args: Vec<Var> = types
            .iter()
            .enumerate()
            .map(|(i, &ty)| value(&mut main, ty, 1 << i))
            .collect();
        let dsts: Vec<Var> = types.iter().map(|&ty| main.var(ty)).collect();
        let edge = fail(0, unwind);
        if indirect {
            let code = main.constant(MTy::Ptr, Const::Func(FnId(1)));
            main.push(Inst::CallIndirect {
                dsts: dsts.clone(),
                code,
                args,
                fail: edge,
            });
        } else {
            main.push(Inst::Call {
                dsts: dsts.clone(),
                func: FnId(1),
                args,
                fail: can_fail.then_some(edge),
            });
        }
        let total = sum(&mut main, &dsts);
        main.ret(total);
        let mut callee = Build::new("echo", &types, &types);
        callee.func.can_fail = can_fail;
        callee.end(Term::Return(callee.func.params.clone()));
        module(vec![main, callee])
    })
}

#[test]
fn results_of_every_number_and_type_arrive() {
    let mixed = [
        MTy::I64,
        MTy::F64,
        MTy::I8,
        MTy::F32,
        MTy::I32,
        MTy::Ptr,
        MTy::I16,
    ];
    for count in [0, 1, 2, 3, 4, 7, 8, 9, 12, 20, 24] {
        let kinds: [Vec<MTy>; 3] = [
            vec![MTy::I64; count],
            vec![MTy::F64; count],
            // An `I8` must hold its power of two.
            (0..count)
                .map(|i| {
                    if i < 6 {
                        mixed[i % 7]
                    } else {
                        [MTy::I64, MTy::F64, MTy::I32][i % 3]
                    }
                })
                .collect(),
        ];
        for types in kinds {
            for can_fail in [false, true] {
                for indirect in [false, true] {
                    let got = echo(types.clone(), can_fail, indirect);
                    assert_eq!(got, (1 << count) - 1, "{types:?} {can_fail} {indirect}");
                }
            }
        }
    }
}

#[test]
fn a_failing_call_of_many_results_takes_the_edge() {
    for count in [0, 1, 2, 3, 8, 12] {
        let (message, lines) = error(|| {
            let (mut main, unwind) = Build::failing("main", &[], &[MTy::I64]);
            let dsts: Vec<Var> = (0..count).map(|_| main.var(MTy::I64)).collect();
            main.push(Inst::Call {
                dsts,
                func: FnId(1),
                args: vec![],
                fail: Some(fail(0, unwind)),
            });
            let zero = main.int(0);
            main.ret(zero);
            let (mut callee, unwind) = Build::failing("callee", &[], &vec![MTy::I64; count]);
            callee.push(Inst::Raise(ErrorKind::UnwrapNil, fail(6, unwind)));
            module(vec![main, callee])
        });
        assert!(message.starts_with("the value is nil"), "{message}");
        assert_eq!(lines, [7, 1]);
    }
}

#[test]
fn a_failing_call_hands_back_its_last_results() {
    for count in [1, 2, 3, 10] {
        let code = exit(|| {
            let mut main = Build::new("main", &[], &[MTy::I64]);
            let dsts: Vec<Var> = (0..count).map(|_| main.var(MTy::I64)).collect();
            let handler = main.block();
            let edge = Some(fail(0, handler));
            main.push(Inst::Call {
                dsts: dsts.clone(),
                func: FnId(1),
                args: vec![],
                fail: edge,
            });
            let minus = main.int(-1);
            main.ret(minus);
            main.at(handler);
            let total = sum(&mut main, &dsts);
            main.ret(total);
            let mut callee = Build::new("callee", &[], &vec![MTy::I64; count]);
            callee.func.can_fail = true;
            let kept = callee.int(42);
            let unwind = callee.block();
            callee.push(Inst::Raise(ErrorKind::UnwrapNil, fail(6, unwind)));
            callee.at(unwind);
            callee.end(Term::PropagateWith(vec![kept]));
            module(vec![main, callee])
        });
        let _recorded = simple_core::error::take();
        assert_eq!(code, 42, "{count}");
    }
}

#[test]
fn method_tables_and_closures_hold_code() {
    for (index, expected) in [(0, 10), (1, 20)] {
        let code = exit(|| {
            let (mut main, unwind) = Build::failing("main", &[], &[MTy::I64]);
            let table = main.constant(MTy::Ptr, Const::Vtable(VtableId(0)));
            let (index, code, a, b) = (
                main.int(index),
                main.var(MTy::Ptr),
                main.var(MTy::I64),
                main.var(MTy::I64),
            );
            main.push(Inst::LoadAt(code, table, index, 8, 0));
            main.push(Inst::CallIndirect {
                dsts: vec![a],
                code,
                args: vec![],
                fail: fail(0, unwind),
            });
            let closure = main.constant(MTy::Ptr, Const::Closure(FnId(2)));
            let code = main.var(MTy::Ptr);
            main.push(Inst::Load(code, closure, simple_core::layout::FIELDS));
            main.push(Inst::CallIndirect {
                dsts: vec![b],
                code,
                args: vec![],
                fail: fail(0, unwind),
            });
            let twenty = main.int(20);
            let b = main.bin(BinOp::Sub, b, twenty);
            let total = main.bin(BinOp::Add, a, b);
            main.ret(total);
            let mut funcs = vec![main];
            for result in [10, 20] {
                // Neither can fail, but both are called as if they could.
                let mut f = Build::new("method", &[], &[MTy::I64]);
                let result = f.int(result);
                f.ret(result);
                funcs.push(f);
            }
            let mut module = module(funcs);
            module.vtables = vec![vec![FnId(1), FnId(2)]];
            module
        });
        assert_eq!(code, expected);
    }
}

#[test]
fn runtime_functions_return_their_results_and_errors() {
    use simple_core::table::RtFn;
    let make = |exponent: i64| {
        move || {
            let (mut main, unwind) = Build::failing("main", &[], &[MTy::I64]);
            let (base, exponent, dst) = (main.int(3), main.int(exponent), main.var(MTy::I64));
            let fail = Some(fail(8, unwind));
            main.push(Inst::CallRuntime {
                dst: Some(dst),
                func: RtFn::PowI64,
                args: vec![base, exponent],
                fail,
            });
            main.ret(dst);
            module(vec![main])
        }
    };
    assert_eq!(exit(make(4)), 81);
    let (message, lines) = error(make(64));
    assert!(message.starts_with("integer overflow"), "{message}");
    assert_eq!(lines, [9]);
}

#[test]
fn a_large_program_compiles_in_parallel_to_the_same_result() {
    let make = || {
        let (mut main, unwind) = Build::failing("main", &[], &[MTy::I64]);
        let total = main.int(0);
        let count = 200;
        for index in 1..=count {
            let dst = main.var(MTy::I64);
            let edge = Some(fail(0, unwind));
            main.push(Inst::Call {
                dsts: vec![dst],
                func: FnId(index),
                args: vec![total],
                fail: edge,
            });
            main.push(Inst::Copy(total, dst));
        }
        main.ret(total);
        let mut funcs = vec![main];
        for index in 1..=count {
            let (mut f, unwind) = Build::failing("add", &[MTy::I64], &[MTy::I64]);
            let (own, dst) = (f.int(i64::from(index)), f.var(MTy::I64));
            let op = simple_middle::mir::CheckedOp::Add;
            f.push(Inst::Checked(
                dst,
                op,
                true,
                f.param(0),
                own,
                fail(1, unwind),
            ));
            f.ret(dst);
            funcs.push(f);
        }
        module(funcs)
    };
    for threads in [1, 3] {
        let options = super::Options {
            threads,
            parallel_above: 0,
            verify: true,
            ..super::Options::default()
        };
        let sources = simple_syntax::SourceMap::default();
        let program = super::executable(make(), sources, Box::new(super::NoBinder), &options);
        assert_eq!(program.run(), super::Outcome::Exit(20_100));
    }
}
