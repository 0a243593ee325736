//! Programs that take different paths: errors that pass, early returns, choices.

use super::*;

pub fn error_in_the_middle(b: &mut Build) {
    let texts = b.ty(Ty::Array(TyId::TEXT));
    let f = b.func(
        "join",
        &[(TyId::TEXT, false), (TyId::TEXT, false), (TyId::I64, false)],
        3,
        TyId::TEXT,
        interpolate(vec![
            value(local(TyId::TEXT, 0)),
            value(local(TyId::TEXT, 1)),
        ]),
    );
    let bad = expr(
        TyId::I64,
        ExprKind::Intrinsic(
            Intrinsic::TextLen,
            vec![index(array(texts, vec![]), int(3), TyId::TEXT)],
        ),
    );
    let parts = vec![
        value(exclaim("a")),
        value(call(f, TyId::TEXT, vec![exclaim("b"), exclaim("c"), bad])),
    ];
    b.main(&[], block(vec![print(interpolate(parts))]));
}

pub fn drop_that_fails(b: &mut Build) {
    let (id, ty) = b.class("Bad", &[("n", TyId::I64)], Some(0));
    let body = block(vec![print(arith(
        ArithOp::Div,
        int(1),
        field(local(ty, 0), 0, TyId::I64),
    ))]);
    b.func("Bad.drop", &[(ty, false)], 1, TyId::UNIT, body);
    b.main(
        &[],
        block(vec![
            do_(expr(ty, ExprKind::New(id, vec![int(0)]))),
            print(text("end")),
        ]),
    );
}

fn printed(line: &str) -> Expr {
    match print(text(line)).kind {
        StmtKind::Expr(expr) => expr,
        _ => unreachable!("print makes an expression"),
    }
}

pub fn defer_that_fails(b: &mut Build) {
    let divide = || arith(ArithOp::Div, int(1), local(TyId::I64, 0));
    let failing = block(vec![
        let_(1, exclaim("t")),
        print(text("second")),
        print(divide()),
    ]);
    b.main(
        &[(TyId::I64, true), (TyId::TEXT, false)],
        block(vec![
            let_(0, int(0)),
            stmt(StmtKind::Defer(printed("first"))),
            stmt(StmtKind::Defer(failing)),
        ]),
    );
}

pub fn stored_self_stays(b: &mut Build) {
    let (id, ty) = b.class("Keeper", &[], Some(0));
    let maybe = b.ty(Ty::Option(ty));
    b.program.globals.push(Global {
        name: "m.kept".to_string(),
        ty: maybe,
        checked: false,
        span: simple_syntax::Span::default(),
    });
    let root = Place {
        root: PlaceRoot::Global(GlobalId(0)),
        path: vec![],
        ty: maybe,
        span: simple_syntax::Span::default(),
    };
    let this = expr(maybe, ExprKind::Some(Box::new(local(ty, 0))));
    b.func(
        "Keeper.drop",
        &[(ty, false)],
        1,
        TyId::UNIT,
        block(vec![stmt(StmtKind::Assign(root, this))]),
    );
    b.main(
        &[],
        block(vec![
            do_(expr(ty, ExprKind::New(id, vec![]))),
            print(text("end")),
        ]),
    );
}

pub fn choices_of_texts(b: &mut Build) {
    let maybe = b.ty(Ty::Option(TyId::TEXT));
    let or = |a| {
        expr(
            TyId::TEXT,
            ExprKind::Coalesce(Box::new(a), Box::new(local(TyId::TEXT, 0))),
        )
    };
    let f = b.func(
        "f",
        &[(TyId::TEXT, false), (maybe, false)],
        2,
        TyId::TEXT,
        block_value(vec![], or(local(maybe, 1))),
    );
    let plain = block_value(
        vec![let_(0, exclaim_free("plain x"))],
        or(expr(maybe, ExprKind::Nil)),
    );
    let given = call(
        f,
        TyId::TEXT,
        vec![
            text("unused"),
            expr(maybe, ExprKind::Some(Box::new(exclaim_free("given y")))),
        ],
    );
    b.main(
        &[(TyId::TEXT, false)],
        block(vec![print(plain), print(given)]),
    );
}

pub fn perhaps_used(b: &mut Build) {
    let is = |flag| expr(TyId::BOOL, ExprKind::Bool(flag));
    let long = compare(CompareOp::Eq, local(TyId::TEXT, 1), text("q!"));
    let both = expr(
        TyId::BOOL,
        ExprKind::And(Box::new(local(TyId::BOOL, 0)), Box::new(long)),
    );
    let f = b.func(
        "f",
        &[(TyId::BOOL, false), (TyId::TEXT, false)],
        1,
        TyId::TEXT,
        block_value(
            vec![let_(1, exclaim("q"))],
            if_else(both, text("yes"), text("no")),
        ),
    );
    b.main(
        &[],
        block(vec![
            print(call(f, TyId::TEXT, vec![is(false)])),
            print(call(f, TyId::TEXT, vec![is(true)])),
        ]),
    );
}

pub fn append_to_itself(b: &mut Build) {
    let s = || local(TyId::TEXT, 0);
    b.main(
        &[(TyId::TEXT, true), (TyId::TEXT, false)],
        block(vec![
            let_(0, exclaim_free("ab")),
            let_(1, s()),
            stmt(StmtKind::Append(place(TyId::TEXT, 0, vec![]), s())),
            print(s()),
            print(local(TyId::TEXT, 1)),
        ]),
    );
}

pub fn failing_method_gives_back(b: &mut Build) {
    let (id, ty) = noisy(b);
    let (pair, pair_ty) = b.adt(
        "Pair",
        AdtKind::Struct,
        &[("noisy", ty), ("n", TyId::I64)],
        None,
    );
    let n = field(local(pair_ty, 0), 1, TyId::I64);
    let body = block(vec![stmt(StmtKind::AssignArith(
        place(TyId::I64, 0, vec![PlaceStep::Field(pair_ty, 1)]),
        ArithOp::Add,
        arith(ArithOp::Div, int(1), n),
    ))]);
    let bump = b.func("Pair.bump", &[(pair_ty, true)], 1, TyId::UNIT, body);
    b.program.funcs[bump as usize].inout_self = true;
    b.main(
        &[(pair_ty, true)],
        block(vec![
            let_(
                0,
                expr(
                    pair_ty,
                    ExprKind::New(pair, vec![new_noisy(id, ty, "t"), int(0)]),
                ),
            ),
            do_(expr(
                TyId::UNIT,
                ExprKind::CallInout(FuncId(bump), place(pair_ty, 0, vec![]), vec![]),
            )),
        ]),
    );
}

pub fn globals_changed_by_methods(b: &mut Build) {
    let ints = b.ty(Ty::Array(TyId::I64));
    let (id, ty) = b.adt("Stack", AdtKind::Struct, &[("items", ints)], None);
    let stacks = b.ty(Ty::Array(ty));
    let items = place(ints, 0, vec![PlaceStep::Field(ty, 0)]);
    let body = block(vec![do_(update(
        Update::Push,
        items,
        TyId::UNIT,
        vec![local(TyId::I64, 1)],
    ))]);
    let push = b.func(
        "Stack.push",
        &[(ty, true), (TyId::I64, false)],
        2,
        TyId::UNIT,
        body,
    );
    b.program.funcs[push as usize].inout_self = true;
    for global in [ty, stacks] {
        b.program.globals.push(Global {
            name: "m.g".to_string(),
            ty: global,
            checked: true,
            span: simple_syntax::Span::default(),
        });
    }
    let at = |number, path: Vec<PlaceStep>, ty| Place {
        root: PlaceRoot::Global(GlobalId(number)),
        path,
        ty,
        span: simple_syntax::Span::default(),
    };
    let stack = |list: &[i64]| expr(ty, ExprKind::New(id, vec![ints_of(ints, list)]));
    let push_to = |place, item| {
        do_(expr(
            TyId::UNIT,
            ExprKind::CallInout(FuncId(push), place, vec![int(item)]),
        ))
    };
    let init = b.func(
        "<module m>",
        &[],
        0,
        TyId::UNIT,
        block(vec![
            stmt(StmtKind::Assign(at(0, vec![], ty), stack(&[1]))),
            stmt(StmtKind::Assign(
                at(1, vec![], stacks),
                array(stacks, vec![stack(&[1, 2])]),
            )),
        ]),
    );
    b.program.inits.push(FuncId(init));
    let global = |number, ty| expr(ty, ExprKind::Global(GlobalId(number)));
    b.main(
        &[],
        block(vec![
            push_to(at(0, vec![], ty), 2),
            print(field(global(0, ty), 0, ints)),
            push_to(at(1, vec![PlaceStep::Index(stacks, int(-1))], ty), 5),
            print(field(index(global(1, stacks), int(0), ty), 0, ints)),
        ]),
    );
}

pub fn early_return(b: &mut Build) {
    let (id, ty) = noisy(b);
    let early = expr(
        TyId::NEVER,
        ExprKind::Return(Some(Box::new(exclaim_free("early")))),
    );
    let body = block_value(
        vec![
            let_(1, new_noisy(id, ty, "a")),
            let_(2, new_noisy(id, ty, "b")),
            when(local(TyId::BOOL, 0), block(vec![do_(early)])),
        ],
        exclaim_free("late"),
    );
    let f = b.func(
        "f",
        &[(TyId::BOOL, false), (ty, false), (ty, false)],
        1,
        TyId::TEXT,
        body,
    );
    let got = |flag| {
        let name = call(f, TyId::TEXT, vec![expr(TyId::BOOL, ExprKind::Bool(flag))]);
        print(interpolate(vec![lit("got "), value(name)]))
    };
    b.main(&[], block(vec![got(true), got(false)]));
}

pub fn guards(b: &mut Build) {
    let len = |index| {
        expr(
            TyId::I64,
            ExprKind::Intrinsic(Intrinsic::TextLen, vec![local(TyId::TEXT, index)]),
        )
    };
    let show = |word: &str| {
        do_(expr(
            TyId::UNIT,
            ExprKind::Match {
                scrutinee: Box::new(exclaim_free(word)),
                arms: vec![
                    Arm {
                        pattern: Pattern::Bind(LocalId(0)),
                        guard: Some(compare(CompareOp::Lt, len(0), int(3))),
                        body: block(vec![print(text("short"))]),
                    },
                    Arm {
                        pattern: Pattern::Bind(LocalId(1)),
                        guard: None,
                        body: block(vec![print(interpolate(vec![
                            lit("long "),
                            value(local(TyId::TEXT, 1)),
                        ]))]),
                    },
                ],
            },
        ))
    };
    b.main(
        &[(TyId::TEXT, false), (TyId::TEXT, false)],
        block(vec![show("ab"), show("abcdef")]),
    );
}
