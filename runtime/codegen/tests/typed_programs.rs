//! Programs built as typed trees, lowered, compiled and run: the half of the pipeline after the front end, on its own.
//!
//! One program for each part of the language; who owns what is tested in `ownership/`.

mod support;

use simple_sema::typed::*;
use support::*;

programs! {
    fib: "6765\nexit 0\n";
    text_building: "n = 7, 2.5 and x\nexit 0\n";
    drops_in_reverse: "made a\nmade b\nend\ndrop b\ndrop a\nexit 0\n";
    arrays_are_values: "[1, 2, 3]\n[9, 2, 3, 4]\n3\nexit 0\n";
    errors_release: "before\ndrop a\nerror index 5 is out of range for a length of 1 in main\n";
    enums_match: "Circle(2.0) area 12.0\nEmpty area 0.0\nNamed(box) area 1.0\nexit 0\n";
    loops_break: "0\n2\n4\ndone\nexit 0\n";
    closures_capture: "hello bob\nhello amy\nexit 0\n";
    options_and_try: "3\nnil\n3\n-1\nexit 0\n";
    list_of_many: "200000\nexit 0\n";
    endless: "error stack overflow: calls are nested too deeply, probably a recursion that does not end in down < down < down < down < down < down < down < down < down < down\n";
    inout_methods: "[1, 2]\nStack(items: [1, 2], size: 2)\nexit 0\n";
    deferred: "body\nsecond\nfirst\ndrop a\nerror division by zero in main\n";
    globals_dropped: "in main\ndrop g\nexit 0\n";
}

mod make {
    use super::*;

    pub fn fib(b: &mut Build) {
        let n = || local(TyId::I64, 0);
        let rec = |k| call(0, TyId::I64, vec![arith(ArithOp::Sub, n(), int(k))]);
        let body = if_else(
            compare(CompareOp::Lt, n(), int(2)),
            n(),
            arith(ArithOp::Add, rec(1), rec(2)),
        );
        b.func("fib", &[(TyId::I64, false)], 1, TyId::I64, body);
        b.main(&[], block(vec![print(call(0, TyId::I64, vec![int(20)]))]));
    }

    pub fn text_building(b: &mut Build) {
        let float = expr(TyId::F64, ExprKind::Float(2.5));
        let parts = vec![
            lit("n = "),
            value(int(7)),
            lit(", "),
            value(float),
            lit(" and "),
            value(local(TyId::TEXT, 0)),
        ];
        b.main(
            &[(TyId::TEXT, false)],
            block(vec![let_(0, text("x")), print(interpolate(parts))]),
        );
    }

    pub fn drops_in_reverse(b: &mut Build) {
        let (id, ty) = noisy(b);
        b.main(
            &[(ty, false), (ty, false)],
            block(vec![
                let_(0, new_noisy(id, ty, "a")),
                print(text("made a")),
                let_(1, new_noisy(id, ty, "b")),
                print(text("made b")),
                print(text("end")),
            ]),
        );
    }

    pub fn arrays_are_values(b: &mut Build) {
        let ints = b.ty(Ty::Array(TyId::I64));
        let len = expr(
            TyId::I64,
            ExprKind::Intrinsic(Intrinsic::ArrayLen, vec![local(ints, 0)]),
        );
        b.main(
            &[(ints, false), (ints, true)],
            block(vec![
                let_(0, ints_of(ints, &[1, 2, 3])),
                let_(1, local(ints, 0)),
                do_(update(
                    Update::Push,
                    place(ints, 1, vec![]),
                    TyId::UNIT,
                    vec![int(4)],
                )),
                stmt(StmtKind::Assign(
                    place(TyId::I64, 1, vec![PlaceStep::Index(ints, int(0))]),
                    int(9),
                )),
                print(local(ints, 0)),
                print(local(ints, 1)),
                print(len),
            ]),
        );
    }

    pub fn errors_release(b: &mut Build) {
        let (id, ty) = noisy(b);
        let ints = b.ty(Ty::Array(TyId::I64));
        b.main(
            &[(ty, false), (ints, false)],
            block(vec![
                let_(0, new_noisy(id, ty, "a")),
                let_(1, ints_of(ints, &[1])),
                print(text("before")),
                print(expr(
                    TyId::I64,
                    ExprKind::Index(Box::new(local(ints, 1)), Box::new(int(5))),
                )),
                print(text("never")),
            ]),
        );
    }

    pub fn enums_match(b: &mut Build) {
        let (id, ty) = b.enumeration(
            "Shape",
            &[
                ("Circle", &[TyId::F64]),
                ("Empty", &[]),
                ("Named", &[TyId::TEXT]),
            ],
        );
        let float = |value| expr(TyId::F64, ExprKind::Float(value));
        let arm = |variant, items, body| Arm {
            pattern: Pattern::Variant(id, variant, items),
            guard: None,
            body,
        };
        let radius = || local(TyId::F64, 1);
        let body = expr(
            TyId::F64,
            ExprKind::Match {
                scrutinee: Box::new(local(ty, 0)),
                arms: vec![
                    arm(
                        0,
                        vec![Pattern::Bind(LocalId(1))],
                        arith(
                            ArithOp::Mul,
                            arith(ArithOp::Mul, radius(), radius()),
                            float(3.0),
                        ),
                    ),
                    arm(1, vec![], float(0.0)),
                    arm(2, vec![Pattern::Wildcard], float(1.0)),
                ],
            },
        );
        let area = b.func(
            "area",
            &[(ty, false), (TyId::F64, false)],
            1,
            TyId::F64,
            body,
        );
        let show = |shape: Expr| {
            let parts = vec![
                value(local(ty, 0)),
                lit(" area "),
                value(call(area, TyId::F64, vec![local(ty, 0)])),
            ];
            do_(block(vec![let_(0, shape), print(interpolate(parts))]))
        };
        b.main(
            &[(ty, false)],
            block(vec![
                show(expr(ty, ExprKind::Variant(id, 0, vec![float(2.0)]))),
                show(expr(ty, ExprKind::Variant(id, 1, vec![]))),
                show(expr(ty, ExprKind::Variant(id, 2, vec![text("box")]))),
            ]),
        );
    }

    pub fn loops_break(b: &mut Build) {
        let i = || local(TyId::I64, 0);
        let even = compare(CompareOp::Eq, arith(ArithOp::Rem, i(), int(2)), int(0));
        let body = block(vec![
            let_(1, interpolate(vec![value(i())])),
            when(
                compare(CompareOp::Gt, i(), int(5)),
                expr(TyId::NEVER, ExprKind::Break),
            ),
            when(
                expr(TyId::BOOL, ExprKind::Not(Box::new(even))),
                expr(TyId::NEVER, ExprKind::Continue),
            ),
            print(local(TyId::TEXT, 1)),
        ]);
        b.main(
            &[(TyId::I64, false), (TyId::TEXT, false)],
            block(vec![
                stmt(StmtKind::ForRange {
                    var: LocalId(0),
                    lo: int(0),
                    hi: int(100),
                    inclusive: false,
                    body,
                }),
                print(text("done")),
            ]),
        );
    }

    pub fn closures_capture(b: &mut Build) {
        let fun = b.ty(Ty::Fn(vec![TyId::TEXT], TyId::TEXT));
        let body = interpolate(vec![
            value(local(TyId::TEXT, 1)),
            lit(" "),
            value(local(TyId::TEXT, 0)),
        ]);
        let lambda = b.func(
            "<lambda>",
            &[(TyId::TEXT, false), (TyId::TEXT, false)],
            1,
            TyId::TEXT,
            body,
        );
        b.program.funcs[lambda as usize].captures = vec![LocalId(1)];
        let greet = |name| {
            print(expr(
                TyId::TEXT,
                ExprKind::CallValue(Box::new(local(fun, 1)), vec![text(name)]),
            ))
        };
        b.main(
            &[(TyId::TEXT, false), (fun, false)],
            block(vec![
                let_(0, interpolate(vec![lit("hel"), value(text("lo"))])),
                let_(
                    1,
                    expr(fun, ExprKind::Closure(FuncId(lambda), vec![LocalId(0)])),
                ),
                greet("bob"),
                greet("amy"),
            ]),
        );
    }

    pub fn options_and_try(b: &mut Build) {
        let maybe = b.ty(Ty::Option(TyId::I64));
        let some = |value| expr(maybe, ExprKind::Some(Box::new(value)));
        // fn twice(o: i64?) -> i64?: o? + 1
        let unwrapped = expr(TyId::I64, ExprKind::Try(Box::new(local(maybe, 0))));
        let body = some(arith(ArithOp::Add, unwrapped, int(1)));
        let next = b.func("next", &[(maybe, false)], 1, maybe, body);
        let of = |arg| call(next, maybe, vec![arg]);
        let nil = || expr(maybe, ExprKind::Nil);
        let or = |a, fallback| {
            expr(
                TyId::I64,
                ExprKind::Coalesce(Box::new(a), Box::new(int(fallback))),
            )
        };
        b.main(
            &[],
            block(vec![
                print(of(some(int(2)))),
                print(of(nil())),
                print(or(of(some(int(2))), -1)),
                print(or(of(nil()), -1)),
            ]),
        );
    }

    pub fn list_of_many(b: &mut Build) {
        let (id, ty) = b.class("Node", &[], None);
        let next = b.ty(Ty::Option(ty));
        b.program.types.adts[id.0 as usize].fields = vec![Field {
            name: Some(simple_syntax::Symbol::intern("next")),
            ty: next,
            weak: false,
        }];
        let some = expr(
            next,
            ExprKind::Some(Box::new(expr(ty, ExprKind::New(id, vec![local(next, 0)])))),
        );
        let grow = block(vec![stmt(StmtKind::Assign(place(next, 0, vec![]), some))]);
        b.main(
            &[(next, true), (TyId::I64, false)],
            block(vec![
                let_(0, expr(next, ExprKind::Nil)),
                stmt(StmtKind::ForRange {
                    var: LocalId(1),
                    lo: int(0),
                    hi: int(200_000),
                    inclusive: false,
                    body: grow,
                }),
                print(int(200_000)),
            ]),
        );
    }

    pub fn endless(b: &mut Build) {
        let body = arith(
            ArithOp::Add,
            int(1),
            call(0, TyId::I64, vec![local(TyId::I64, 0)]),
        );
        b.func("down", &[(TyId::I64, false)], 1, TyId::I64, body);
        b.main(&[], block(vec![print(call(0, TyId::I64, vec![int(1)]))]));
    }

    pub fn inout_methods(b: &mut Build) {
        let ints = b.ty(Ty::Array(TyId::I64));
        let (id, ty) = b.adt(
            "Stack",
            AdtKind::Struct,
            &[("items", ints), ("size", TyId::I64)],
            None,
        );
        let items = place(ints, 0, vec![PlaceStep::Field(ty, 0)]);
        let size = place(TyId::I64, 0, vec![PlaceStep::Field(ty, 1)]);
        let body = block(vec![
            do_(update(
                Update::Push,
                items,
                TyId::UNIT,
                vec![local(TyId::I64, 1)],
            )),
            stmt(StmtKind::AssignArith(size, ArithOp::Add, int(1))),
        ]);
        let push = b.func(
            "Stack.push",
            &[(ty, true), (TyId::I64, false)],
            2,
            TyId::UNIT,
            body,
        );
        b.program.funcs[push as usize].inout_self = true;
        // A class holds the second stack, so that its place is in memory.
        let (holder, holder_ty) = b.class("Holder", &[("stack", ty)], None);
        let fresh = || {
            let none = expr(ints, ExprKind::Array(vec![]));
            expr(ty, ExprKind::New(id, vec![none, int(0)]))
        };
        let push_to = |place: Place, item| {
            do_(expr(
                TyId::UNIT,
                ExprKind::CallInout(FuncId(push), place, vec![int(item)]),
            ))
        };
        let held = || place(ty, 1, vec![PlaceStep::Field(holder_ty, 0)]);
        b.main(
            &[(ty, true), (holder_ty, false)],
            block(vec![
                let_(0, fresh()),
                push_to(place(ty, 0, vec![]), 1),
                push_to(place(ty, 0, vec![]), 2),
                print(field(local(ty, 0), 0, ints)),
                let_(1, expr(holder_ty, ExprKind::New(holder, vec![fresh()]))),
                push_to(held(), 1),
                push_to(held(), 2),
                print(field(local(holder_ty, 1), 0, ty)),
            ]),
        );
    }

    pub fn deferred(b: &mut Build) {
        let (id, ty) = noisy(b);
        let defer = |line| {
            stmt(StmtKind::Defer(match print(text(line)).kind {
                StmtKind::Expr(expr) => expr,
                _ => unreachable!("print makes an expression"),
            }))
        };
        b.main(
            &[(ty, false), (TyId::I64, true)],
            block(vec![
                defer("first"),
                let_(0, new_noisy(id, ty, "a")),
                defer("second"),
                let_(1, int(0)),
                print(text("body")),
                print(arith(ArithOp::Div, int(1), local(TyId::I64, 1))),
            ]),
        );
    }

    pub fn globals_dropped(b: &mut Build) {
        let (id, ty) = noisy(b);
        b.program.globals.push(Global {
            name: "m.g".to_string(),
            ty,
            checked: false,
            span: simple_syntax::Span::default(),
        });
        let root = Place {
            root: PlaceRoot::Global(GlobalId(0)),
            path: vec![],
            ty,
            span: simple_syntax::Span::default(),
        };
        let init = b.func(
            "<module m>",
            &[],
            0,
            TyId::UNIT,
            block(vec![stmt(StmtKind::Assign(root, new_noisy(id, ty, "g")))]),
        );
        b.program.inits.push(FuncId(init));
        b.main(&[], block(vec![print(text("in main"))]));
    }
}
