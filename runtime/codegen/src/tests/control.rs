//! Branches, loops, switches, checks and errors that are handled or pass.

use super::{Build, error, exit, fail, module};
use simple_core::error_kind::ErrorKind;
use simple_middle::mir::{BinOp, CmpOp, Const, FnId, Inst, MTy, Term};

#[test]
fn a_loop_sums_and_its_header_is_the_first_block() {
    let code = exit(|| {
        // The entry block is the loop's own header.
        let mut sum = Build::new("sum", &[MTy::I64, MTy::I64], &[MTy::I64]);
        let (n, total) = (sum.param(0), sum.param(1));
        let (body, done) = (sum.block(), sum.block());
        let zero = sum.int(0);
        let more = sum.cmp(CmpOp::Gt, n, zero);
        sum.end(Term::Branch(more, body, done));
        sum.at(body);
        sum.push(Inst::Bin(total, BinOp::Add, total, n));
        let one = sum.int(1);
        sum.push(Inst::Bin(n, BinOp::Sub, n, one));
        sum.end(Term::Jump(simple_middle::mir::BlockId(0)));
        sum.at(done);
        sum.ret(total);
        let mut main = Build::new("main", &[], &[MTy::I64]);
        let (n, zero, dst) = (main.int(1000), main.int(0), main.var(MTy::I64));
        main.push(Inst::Call {
            dsts: vec![dst],
            func: FnId(1),
            args: vec![n, zero],
            fail: None,
        });
        main.ret(dst);
        module(vec![main, sum])
    });
    assert_eq!(code, 500_500);
}

#[test]
fn switch_takes_negative_sparse_and_repeated_cases() {
    for (value, expected) in [(-1, 1), (0, 2), (1, 3), (7, 4), (8, 9), (-128, 5)] {
        let code = exit(|| {
            let mut f = Build::new("main", &[], &[MTy::I64]);
            let value = f.constant(MTy::I8, Const::Int(value));
            let cases: Vec<_> = [(-1, 1), (0, 2), (1, 3), (7, 4), (-128, 5), (0, 6)]
                .into_iter()
                .map(|(case, result)| {
                    let block = f.block();
                    f.at(block);
                    let result = f.int(result);
                    f.ret(result);
                    (case, block)
                })
                .collect();
            let otherwise = f.block();
            f.at(otherwise);
            let nine = f.int(9);
            f.ret(nine);
            f.at(simple_middle::mir::BlockId(0));
            f.end(Term::Switch(value, cases, otherwise));
            module(vec![f])
        });
        assert_eq!(code, expected, "{value}");
    }
}

#[test]
fn both_ways_of_a_branch_may_be_one_block() {
    let code = exit(|| {
        let mut f = Build::new("main", &[], &[MTy::I64]);
        let cond = f.constant(MTy::I8, Const::Int(1));
        let next = f.block();
        f.end(Term::Branch(cond, next, next));
        f.at(next);
        let seven = f.int(7);
        f.ret(seven);
        module(vec![f])
    });
    assert_eq!(code, 7);
}

#[test]
fn a_check_gives_its_numbers_to_the_message() {
    let (message, lines) = error(|| {
        let (mut f, unwind) = Build::failing("main", &[], &[MTy::I64]);
        let (index, len) = (f.int(7), f.int(3));
        let cond = f.cmp(CmpOp::ULt, index, len);
        let (a, b) = (Some(index), Some(len));
        f.push(Inst::Check {
            cond,
            error: ErrorKind::IndexOutOfRange,
            a,
            b,
            fail: fail(2, unwind),
        });
        f.ret(index);
        module(vec![f])
    });
    assert_eq!(message, "index 7 is out of range for a length of 3");
    assert_eq!(lines, [3]);
}

#[test]
fn raise_ends_its_block_and_a_handler_goes_on() {
    let code = exit(|| {
        let mut f = Build::new("main", &[], &[MTy::I64]);
        let result = f.int(1);
        let handler = f.block();
        f.push(Inst::Raise(ErrorKind::AssertFailed, fail(0, handler)));
        f.at(handler);
        let more = f.int(41);
        f.push(Inst::Bin(result, BinOp::Add, result, more));
        f.ret(result);
        module(vec![f])
    });
    assert_eq!(code, 42);
    // The handled error is still recorded in this thread; later tests of this thread start clean.
    let _recorded = simple_core::error::take();
}

#[test]
fn errors_pass_through_callers_and_name_every_call() {
    let make = || {
        let (mut main, unwind) = Build::failing("main", &[], &[MTy::I64]);
        let dst = main.var(MTy::I64);
        main.push(Inst::Call {
            dsts: vec![dst],
            func: FnId(1),
            args: vec![],
            fail: Some(fail(1, unwind)),
        });
        main.ret(dst);
        let (mut middle, unwind) = Build::failing("middle", &[], &[MTy::I64]);
        let dst = middle.var(MTy::I64);
        middle.push(Inst::Call {
            dsts: vec![dst],
            func: FnId(2),
            args: vec![],
            fail: Some(fail(2, unwind)),
        });
        middle.ret(dst);
        let (mut leaf, unwind) = Build::failing("leaf", &[], &[MTy::I64]);
        leaf.push(Inst::Raise(ErrorKind::DivisionByZero, fail(3, unwind)));
        module(vec![main, middle, leaf])
    };
    let (message, lines) = error(make);
    assert_eq!(message, "division by zero");
    assert_eq!(lines, [4, 3, 2]);
}

#[test]
fn a_checked_failure_leaves_the_variable_as_it_was() {
    let code = exit(|| {
        let mut f = Build::new("main", &[], &[MTy::I64]);
        let a = f.int(i64::MAX);
        let handler = f.block();
        f.push(Inst::Checked(
            a,
            simple_middle::mir::CheckedOp::Add,
            true,
            a,
            a,
            fail(0, handler),
        ));
        f.ret(a);
        f.at(handler);
        let shift = f.int(60);
        let top = f.bin(BinOp::Shr, a, shift);
        f.ret(top);
        module(vec![f])
    });
    assert_eq!(code, 7);
    let _recorded = simple_core::error::take();
}

#[test]
fn endless_recursion_is_an_error() {
    let make = || {
        let (mut main, unwind) = Build::failing("main", &[], &[MTy::I64]);
        let (one, dst) = (main.int(1), main.var(MTy::I64));
        main.push(Inst::Call {
            dsts: vec![dst],
            func: FnId(1),
            args: vec![one],
            fail: Some(fail(1, unwind)),
        });
        main.ret(dst);
        let (mut deep, unwind) = Build::failing("deep", &[MTy::I64], &[MTy::I64]);
        deep.func.checks_stack = true;
        let (n, dst) = (deep.param(0), deep.var(MTy::I64));
        deep.push(Inst::Call {
            dsts: vec![dst],
            func: FnId(1),
            args: vec![n],
            fail: Some(fail(2, unwind)),
        });
        let sum = deep.bin(BinOp::Add, dst, n);
        deep.ret(sum);
        module(vec![main, deep])
    };
    let super::Outcome::Error(error) =
        super::run_at(super::OptLevel::Speed, make(), Box::new(super::NoBinder))
    else {
        panic!("no error");
    };
    assert!(
        error.message.starts_with("stack overflow"),
        "{}",
        error.message
    );
    assert!(error.trace.omitted > 1000, "{}", error.trace.omitted);
    assert_eq!(error.trace.head[0].line, 3);
    assert_eq!(error.trace.tail.last().map(|frame| frame.line), Some(2));
}

#[test]
fn frame_memory_is_private_to_a_call() {
    let code = exit(|| {
        let mut f = Build::new("main", &[], &[MTy::I64]);
        f.func.slots = vec![16, 100_000];
        let small = f.constant(MTy::Ptr, Const::Slot(simple_middle::mir::SlotId(0)));
        let large = f.constant(MTy::Ptr, Const::Slot(simple_middle::mir::SlotId(1)));
        let (a, b) = (f.int(40), f.int(2));
        f.push(Inst::Store(small, 8, a));
        f.push(Inst::Store(large, 99_992, b));
        let (c, d) = (f.var(MTy::I64), f.var(MTy::I64));
        f.push(Inst::Load(c, small, 8));
        f.push(Inst::Load(d, large, 99_992));
        let sum = f.bin(BinOp::Add, c, d);
        f.ret(sum);
        module(vec![f])
    });
    assert_eq!(code, 42);
}
