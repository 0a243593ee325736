//! Broken modules are refused, each for its reason; a sound one is not.

use super::verify;
use crate::lower::empty_function;
use crate::mir::*;
use simple_core::error_kind::ErrorKind;
use simple_core::table::RtFn;

const FAIL: Fail = Fail {
    site: SiteId(0),
    unwind: BlockId(1),
};

fn block(insts: Vec<Inst>, term: Term) -> Block {
    Block {
        insts,
        term,
        cold: false,
    }
}

/// `f0` takes an `I64` and a pointer, has the variables below, and returns an `I64`. Its first block holds `insts`, its second
/// propagates. `f1` takes an `F64` and yields nothing, `f2` is a destructor.
fn module(insts: Vec<Inst>) -> Module {
    let mut f0 = empty_function("f");
    // v0 and v1 are the parameters.
    f0.vars = vec![
        MTy::I64,
        MTy::Ptr,
        MTy::I64,
        MTy::F64,
        MTy::Ptr,
        MTy::I8,
        MTy::I32,
        MTy::Ptr,
    ];
    f0.params = vec![Var(0), Var(1)];
    f0.results = vec![MTy::I64];
    f0.slots = vec![16];
    f0.can_fail = true;
    f0.blocks = vec![
        block(insts, Term::Return(vec![Var(0)])),
        block(Vec::new(), Term::Propagate),
    ];
    let mut f1 = empty_function("g");
    f1.vars = vec![MTy::F64];
    f1.params = vec![Var(0)];
    f1.blocks = vec![block(Vec::new(), Term::Return(Vec::new()))];
    let mut f2 = empty_function("destroy");
    f2.vars = vec![MTy::Ptr];
    f2.params = vec![Var(0)];
    f2.convention = Convention::C;
    f2.blocks = vec![block(Vec::new(), Term::Return(Vec::new()))];
    Module {
        funcs: vec![f0, f1, f2],
        texts: vec!["x".into()],
        descs: vec![Desc {
            name: "T".into(),
            destroy: Some(FnId(2)),
            stride: 8,
            retain_elements: None,
            stored_hash: false,
            ..Desc::default()
        }],
        statics: vec![24],
        sites: vec![Site {
            func: FnId(0),
            span: Default::default(),
        }],
        ..Module::default()
    }
}

fn refused(module: &Module, why: &str) {
    let problems = verify(module);
    assert!(
        problems.iter().any(|problem| problem.text.contains(why)),
        "{why}: {problems:?}"
    );
}

fn refused_code(insts: Vec<Inst>, why: &str) {
    refused(&module(insts), why);
}

fn release(destroy: Option<FnId>) -> Release {
    Release {
        destroy,
        text: false,
        nullable: false,
    }
}

#[test]
fn sound_code_passes() {
    let insts = vec![
        Inst::Const(Var(2), Const::Int(1)),
        Inst::Checked(Var(2), CheckedOp::Add, true, Var(0), Var(2), FAIL),
        Inst::Const(Var(3), Const::Float(1.0)),
        Inst::Call {
            dsts: Vec::new(),
            func: FnId(1),
            args: vec![Var(3)],
            fail: None,
        },
        Inst::Const(Var(4), Const::Slot(SlotId(0))),
        Inst::Store(Var(4), 8, Var(2)),
        Inst::Const(Var(7), Const::Text(TextId(0))),
        Inst::Retain(Var(7), false),
        Inst::Release(Var(1), release(Some(FnId(2)))),
        Inst::Cmp(Var(5), CmpOp::Eq, Var(1), Var(7)),
    ];
    assert_eq!(verify(&module(insts)), []);
}

#[test]
fn operands_have_the_types_of_their_instruction() {
    let float = || Inst::Const(Var(3), Const::Float(1.0));
    refused_code(vec![Inst::Const(Var(3), Const::Int(1))], "v3 is F64");
    refused_code(vec![Inst::Const(Var(0), Const::Float(1.0))], "v0 is I64");
    refused_code(
        vec![Inst::Const(Var(0), Const::Text(TextId(0)))],
        "Ptr is needed",
    );
    refused_code(vec![Inst::Copy(Var(3), Var(0))], "v3 is F64 but v0 is I64");
    refused_code(
        vec![float(), Inst::Bin(Var(2), BinOp::Add, Var(0), Var(3))],
        "v0 is I64 but v3 is F64",
    );
    refused_code(
        vec![float(), Inst::Bin(Var(3), BinOp::And, Var(3), Var(3))],
        "an integer is needed",
    );
    refused_code(
        vec![Inst::Bin(Var(4), BinOp::Add, Var(1), Var(1))],
        "a number is needed",
    );
    refused_code(
        vec![Inst::Un(Var(2), UnOp::Sqrt, Var(0))],
        "a float is needed",
    );
    refused_code(
        vec![
            float(),
            Inst::Checked(Var(3), CheckedOp::Mul, true, Var(3), Var(3), FAIL),
        ],
        "an integer is needed",
    );
    refused_code(
        vec![Inst::Cmp(Var(2), CmpOp::Eq, Var(0), Var(0))],
        "v2 is I64 but I8 is needed",
    );
    refused_code(
        vec![Inst::Cmp(Var(5), CmpOp::Lt, Var(1), Var(1))],
        "a number is needed",
    );
    refused_code(
        vec![Inst::Conv(Var(6), ConvOp::SExt, Var(0))],
        "SExt from I64 to I32",
    );
    refused_code(
        vec![Inst::Load(Var(2), Var(0), 0)],
        "v0 is I64 but Ptr is needed",
    );
    refused_code(
        vec![Inst::Select(Var(2), Var(0), Var(0), Var(0))],
        "v0 is I64 but I8 is needed",
    );
    refused_code(
        vec![Inst::Panic(Var(0), FAIL)],
        "v0 is I64 but Ptr is needed",
    );
}

#[test]
fn calls_fit_the_signature_of_the_callee() {
    let call = |dsts: Vec<Var>, args: Vec<Var>| Inst::Call {
        dsts,
        func: FnId(1),
        args,
        fail: None,
    };
    refused_code(vec![call(vec![], vec![])], "0 arguments where 1 are needed");
    refused_code(
        vec![call(vec![], vec![Var(0)])],
        "v0 is I64 but F64 is needed",
    );
    refused_code(
        vec![
            Inst::Const(Var(3), Const::Float(0.0)),
            call(vec![Var(2)], vec![Var(3)]),
        ],
        "1 results where 0 are needed",
    );
    let itself = Inst::Call {
        dsts: vec![Var(2)],
        func: FnId(0),
        args: vec![Var(0), Var(1)],
        fail: None,
    };
    refused_code(vec![itself], "can fail without an edge");
    let nowhere = Inst::Call {
        dsts: vec![],
        func: FnId(9),
        args: vec![],
        fail: None,
    };
    refused_code(vec![nowhere], "no such function");
    let runtime = Inst::CallRuntime {
        dst: None,
        func: RtFn::Exit,
        args: vec![Var(1)],
        fail: None,
    };
    refused_code(vec![runtime], "v1 is Ptr but I64 is needed");
    let indirect = Inst::CallIndirect {
        dsts: vec![],
        code: Var(0),
        args: vec![],
        fail: FAIL,
    };
    refused_code(vec![indirect], "v0 is I64 but Ptr is needed");
}

#[test]
fn ends_of_blocks_fit_the_function() {
    let with_end = |term: Term| {
        let mut module = module(Vec::new());
        module.funcs[0].blocks[0].term = term;
        module
    };
    refused(
        &with_end(Term::Return(vec![])),
        "0 results where 1 are needed",
    );
    refused(&with_end(Term::Return(vec![Var(1)])), "v1 is Ptr but I64");
    refused(
        &with_end(Term::Branch(Var(0), BlockId(1), BlockId(1))),
        "v0 is I64 but I8",
    );
    refused(
        &with_end(Term::Switch(Var(1), vec![], BlockId(1))),
        "an integer is needed",
    );
    refused(&with_end(Term::Jump(BlockId(7))), "block 7 does not exist");
    let mut infallible = module(Vec::new());
    infallible.funcs[0].can_fail = false;
    refused(&infallible, "a function that cannot fail");
    let raised = vec![Inst::Raise(ErrorKind::Overflow, FAIL)];
    refused_code(raised, "code after an error");
}

#[test]
fn only_objects_are_counted() {
    for plain in [
        Const::Slot(SlotId(0)),
        Const::Desc(DescId(0)),
        Const::Func(FnId(1)),
    ] {
        let insts = vec![Inst::Const(Var(4), plain), Inst::Retain(Var(4), false)];
        refused_code(insts, "counted but not an object");
        let insts = vec![
            Inst::Const(Var(4), plain),
            Inst::Copy(Var(7), Var(4)),
            Inst::Release(Var(7), release(None)),
        ];
        refused_code(insts, "counted but not an object");
    }
    let inside = vec![
        Inst::AddrAt(Var(4), Var(1), Var(0), 8, 0),
        Inst::Release(Var(4), release(None)),
    ];
    refused_code(inside, "counted but not an object");
    refused_code(
        vec![Inst::Retain(Var(0), false)],
        "v0 is I64 but Ptr is needed",
    );
    refused_code(
        vec![Inst::Release(Var(1), release(Some(FnId(1))))],
        "f1 is not a destructor",
    );
}

#[test]
fn memory_of_known_size_is_not_left() {
    let store = |memory: Const, offset: i32| {
        vec![
            Inst::Const(Var(4), memory),
            Inst::Store(Var(4), offset, Var(0)),
        ]
    };
    refused_code(store(Const::Slot(SlotId(0)), 12), "bytes 12..20 of 16");
    refused_code(store(Const::Slot(SlotId(0)), -8), "bytes -8..0 of 16");
    refused_code(store(Const::Static(StaticId(0)), 24), "bytes 24..32 of 24");
    refused_code(store(Const::Slot(SlotId(3)), 0), "slot 3 does not exist");
    let object = |offset: i32| {
        vec![
            Inst::Const(Var(2), Const::Int(24)),
            Inst::Const(Var(7), Const::Desc(DescId(0))),
            Inst::CallRuntime {
                dst: Some(Var(4)),
                func: RtFn::Alloc,
                args: vec![Var(2), Var(7)],
                fail: Some(FAIL),
            },
            Inst::Store(Var(4), offset, Var(0)),
        ]
    };
    assert_eq!(verify(&module(object(16))), []);
    refused_code(object(20), "bytes 20..28 of 24");
}

#[test]
fn what_the_runtime_calls_has_its_signature() {
    let mut wrong = module(Vec::new());
    wrong.descs[0].destroy = Some(FnId(1));
    refused(&wrong, "descriptor 0 of T: f1 does not fit");
    let mut wrong = module(Vec::new());
    wrong.entry = Some(FnId(1));
    refused(&wrong, "not fit to be an entry");
    let mut wrong = module(Vec::new());
    wrong.vtables = vec![vec![FnId(12)]];
    refused(&wrong, "method table 0: no function 12");
    let spread = |code: Inst| {
        vec![
            code,
            Inst::Const(Var(7), Const::Slot(SlotId(0))),
            Inst::CallRuntime {
                dst: None,
                func: RtFn::Spread,
                args: vec![Var(4), Var(7), Var(0), Var(0)],
                fail: None,
            },
        ]
    };
    let not_turns = "what is spread is not a loop as a function";
    refused_code(spread(Inst::Const(Var(4), Const::Func(FnId(2)))), not_turns);
    refused_code(spread(Inst::Copy(Var(4), Var(1))), not_turns);
    let mut right = module(spread(Inst::Const(Var(4), Const::Func(FnId(2)))));
    right.descs[0].destroy = None;
    right.funcs[2].vars = vec![MTy::Ptr, MTy::I64, MTy::I64];
    right.funcs[2].params = vec![Var(0), Var(1), Var(2)];
    assert_eq!(verify(&right), []);
}

#[test]
fn nothing_is_read_before_it_is_assigned() {
    refused_code(
        vec![Inst::Copy(Var(2), Var(2))],
        "v2 is read before it is assigned",
    );
    refused_code(vec![Inst::Copy(Var(2), Var(40))], "v40 does not exist");
    // Assigned on one of two paths only.
    let mut module = module(vec![Inst::Cmp(Var(5), CmpOp::Eq, Var(0), Var(0))]);
    let func = &mut module.funcs[0];
    func.blocks[0].term = Term::Branch(Var(5), BlockId(2), BlockId(3));
    let assigned = vec![Inst::Const(Var(2), Const::Int(1))];
    func.blocks.push(block(assigned, Term::Jump(BlockId(3))));
    func.blocks
        .push(block(Vec::new(), Term::Return(vec![Var(2)])));
    refused(&module, "v2 is read before it is assigned");
    // The result of a call is not there on the edge that it fails by.
    let call = Inst::CallExtern {
        dsts: vec![Var(2)],
        func: ExternId(0),
        args: vec![],
        fail: FAIL,
    };
    refused_code(vec![call], "no such foreign function");
}
