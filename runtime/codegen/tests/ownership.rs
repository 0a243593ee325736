//! Who owns what: drops at the right moment, nothing dropped twice, nothing left over, also when an error passes.
//!
//! Every program's output shows its drops in order; whatever is alive at the end would be reported as a leak.

mod support;

use simple_sema::typed::*;
use support::*;

programs! {
    eager_after_last_use: "use a\ndrop a\nmiddle\nuse b\ndrop b\nend\nexit 0\n";
    eager_in_branches: "use a\ndrop a\nafter\ndrop a\nother\nafter\nexit 0\n";
    eager_behind_a_loop: "use a\nuse a\nuse a\ndrop a\nend\nexit 0\n";
    eager_with_break: "use a\nuse a\ndrop a\nend\nexit 0\n";
    eager_unused: "drop a\nend\nexit 0\n";
    assignment_drops_the_old: "drop a\nassigned\ndrop b\nexit 0\n";
    returned_is_moved: "made\ngot x\ndrop x\nexit 0\n";
    results_are_matched: "ok good!\nerr bad!\nexit 0\n";
    while_some: "got c\ndrop c\ngot b\ndrop b\ngot a\ndrop a\nexit 0\n";
    nested_arrays_copy: "[[1], [2]]\n[[1, 7], [2]]\nexit 0\n";
    field_arrays: "[1, 2, 3]\n[1, 2]\nexit 0\n";
    trait_objects: "dog rex\ncat 9\nPoint(x: 9)\nexit 0\n";
    or_patterns: "left a\nright b\nleft c\nexit 0\n";
    tuples_come_apart: "b a\nexit 0\n";
    array_methods: "drop b\nlen 2\ndrop a\ncleared\nexit 0\n";
    error_in_the_middle: "error index 3 is out of range for a length of 0 in main\n";
    drop_that_fails: "end\nexit 0\n";
    defer_that_fails: "second\nfirst\nerror division by zero in main\n";
    stored_self_stays: "end\nexit 0\nleaks: 1 object still lives: 1 Keeper\n";
    choices_of_texts: "plain x\ngiven y\nexit 0\n";
    perhaps_used: "no\nyes\nexit 0\n";
    append_to_itself: "abab\nab\nexit 0\n";
    failing_method_gives_back: "drop t\nerror division by zero in Pair.bump < main\n";
    globals_changed_by_methods: "[1, 2]\n[1, 2, 5]\nexit 0\n";
    early_return: "drop b\ndrop a\ngot early\ndrop b\ndrop a\ngot late\nexit 0\n";
    guards: "short\nlong abcdef\nexit 0\n";
}

mod make {
    use super::*;

    /// An eager class `Tensor(name)`, and `use_it(t)`, function 1, which prints `use name`.
    fn tensor(b: &mut Build) -> (AdtId, TyId) {
        let (id, ty) = noisy(b);
        b.program.types.adts[id.0 as usize].eager_drop = true;
        let name = field(local(ty, 0), 0, TyId::TEXT);
        b.func(
            "use_it",
            &[(ty, false)],
            1,
            TyId::UNIT,
            block(vec![print(interpolate(vec![lit("use "), value(name)]))]),
        );
        (id, ty)
    }

    fn use_it(ty: TyId, index: u32) -> Stmt {
        do_(call(1, TyId::UNIT, vec![local(ty, index)]))
    }

    pub fn eager_after_last_use(b: &mut Build) {
        let (id, ty) = tensor(b);
        b.main(
            &[(ty, false), (ty, false)],
            block(vec![
                let_(0, new_noisy(id, ty, "a")),
                let_(1, new_noisy(id, ty, "b")),
                use_it(ty, 0),
                print(text("middle")),
                use_it(ty, 1),
                print(text("end")),
            ]),
        );
    }

    pub fn eager_in_branches(b: &mut Build) {
        let (id, ty) = tensor(b);
        let choice = expr(
            TyId::UNIT,
            ExprKind::If {
                cond: Box::new(Cond::Expr(local(TyId::BOOL, 0))),
                then: Box::new(block(vec![use_it(ty, 1)])),
                otherwise: Some(Box::new(block(vec![print(text("other"))]))),
            },
        );
        let f = b.func(
            "f",
            &[(TyId::BOOL, false), (ty, false)],
            1,
            TyId::UNIT,
            block(vec![
                let_(1, new_noisy(id, ty, "a")),
                do_(choice),
                print(text("after")),
            ]),
        );
        let with = |flag| {
            do_(call(
                f,
                TyId::UNIT,
                vec![expr(TyId::BOOL, ExprKind::Bool(flag))],
            ))
        };
        b.main(&[], block(vec![with(true), with(false)]));
    }

    pub fn eager_behind_a_loop(b: &mut Build) {
        let (id, ty) = tensor(b);
        b.main(
            &[(ty, false), (TyId::I64, false)],
            block(vec![
                let_(0, new_noisy(id, ty, "a")),
                for_range(1, 0, 3, block(vec![use_it(ty, 0)])),
                print(text("end")),
            ]),
        );
    }

    pub fn eager_with_break(b: &mut Build) {
        let (id, ty) = tensor(b);
        let stop = when(
            compare(CompareOp::Eq, local(TyId::I64, 1), int(1)),
            expr(TyId::NEVER, ExprKind::Break),
        );
        b.main(
            &[(ty, false), (TyId::I64, false)],
            block(vec![
                let_(0, new_noisy(id, ty, "a")),
                for_range(1, 0, 9, block(vec![use_it(ty, 0), stop])),
                print(text("end")),
            ]),
        );
    }

    pub fn eager_unused(b: &mut Build) {
        let (id, ty) = tensor(b);
        b.main(
            &[(ty, false)],
            block(vec![let_(0, new_noisy(id, ty, "a")), print(text("end"))]),
        );
    }

    pub fn assignment_drops_the_old(b: &mut Build) {
        let (id, ty) = noisy(b);
        b.main(
            &[(ty, true)],
            block(vec![
                let_(0, new_noisy(id, ty, "a")),
                stmt(StmtKind::Assign(
                    place(ty, 0, vec![]),
                    new_noisy(id, ty, "b"),
                )),
                print(text("assigned")),
            ]),
        );
    }

    pub fn returned_is_moved(b: &mut Build) {
        let (id, ty) = noisy(b);
        let made = block_value(
            vec![let_(0, new_noisy(id, ty, "x")), print(text("made"))],
            local(ty, 0),
        );
        let make = b.func("make", &[(ty, false)], 0, ty, made);
        let name = interpolate(vec![lit("got "), value(field(local(ty, 0), 0, TyId::TEXT))]);
        b.main(
            &[(ty, false)],
            block(vec![let_(0, call(make, ty, vec![])), print(name)]),
        );
    }

    fn exclaim(word: &str) -> Expr {
        interpolate(vec![value(text(word)), lit("!")])
    }

    pub fn results_are_matched(b: &mut Build) {
        let ty = b.ty(Ty::Result(TyId::TEXT, TyId::TEXT));
        let body = if_else(
            local(TyId::BOOL, 0),
            expr(ty, ExprKind::Ok(Box::new(exclaim("good")))),
            expr(ty, ExprKind::Err(Box::new(exclaim("bad")))),
        );
        let pick = b.func("pick", &[(TyId::BOOL, false)], 1, ty, body);
        let show = |flag| {
            let arm = |pattern, word: &str, index| Arm {
                pattern,
                guard: None,
                body: block(vec![print(interpolate(vec![
                    lit(word),
                    value(local(TyId::TEXT, index)),
                ]))]),
            };
            do_(expr(
                TyId::UNIT,
                ExprKind::Match {
                    scrutinee: Box::new(call(
                        pick,
                        ty,
                        vec![expr(TyId::BOOL, ExprKind::Bool(flag))],
                    )),
                    arms: vec![
                        arm(Pattern::Ok(Box::new(Pattern::Bind(LocalId(0)))), "ok ", 0),
                        arm(Pattern::Err(Box::new(Pattern::Bind(LocalId(1)))), "err ", 1),
                    ],
                },
            ))
        };
        b.main(
            &[(TyId::TEXT, false), (TyId::TEXT, false)],
            block(vec![show(true), show(false)]),
        );
    }

    pub fn while_some(b: &mut Build) {
        let (id, ty) = noisy(b);
        let list = b.ty(Ty::Array(ty));
        let maybe = b.ty(Ty::Option(ty));
        let pop = update(Update::Pop, place(list, 0, vec![]), maybe, vec![]);
        let body = block(vec![print(interpolate(vec![
            lit("got "),
            value(field(local(ty, 1), 0, TyId::TEXT)),
        ]))]);
        b.main(
            &[(list, true), (ty, false)],
            block(vec![
                let_(
                    0,
                    array(
                        list,
                        vec![
                            new_noisy(id, ty, "a"),
                            new_noisy(id, ty, "b"),
                            new_noisy(id, ty, "c"),
                        ],
                    ),
                ),
                stmt(StmtKind::While(
                    Cond::Pattern(Pattern::Some(Box::new(Pattern::Bind(LocalId(1)))), pop),
                    body,
                )),
            ]),
        );
    }

    pub fn nested_arrays_copy(b: &mut Build) {
        let ints = b.ty(Ty::Array(TyId::I64));
        let rows = b.ty(Ty::Array(ints));
        let inner = place(ints, 1, vec![PlaceStep::Index(rows, int(0))]);
        b.main(
            &[(rows, false), (rows, true)],
            block(vec![
                let_(
                    0,
                    array(rows, vec![ints_of(ints, &[1]), ints_of(ints, &[2])]),
                ),
                let_(1, local(rows, 0)),
                do_(update(Update::Push, inner, TyId::UNIT, vec![int(7)])),
                print(local(rows, 0)),
                print(local(rows, 1)),
            ]),
        );
    }

    pub fn field_arrays(b: &mut Build) {
        let ints = b.ty(Ty::Array(TyId::I64));
        let (id, ty) = b.class("Bag", &[("items", ints)], None);
        let items = || place(ints, 0, vec![PlaceStep::Field(ty, 0)]);
        b.main(
            &[(ty, false), (ints, false)],
            block(vec![
                let_(0, expr(ty, ExprKind::New(id, vec![ints_of(ints, &[1])]))),
                do_(update(Update::Push, items(), TyId::UNIT, vec![int(2)])),
                let_(1, field(local(ty, 0), 0, ints)),
                do_(update(Update::Push, items(), TyId::UNIT, vec![int(3)])),
                print(field(local(ty, 0), 0, ints)),
                print(local(ints, 1)),
            ]),
        );
    }

    pub fn trait_objects(b: &mut Build) {
        let (dog, dog_ty) = b.class("Dog", &[("name", TyId::TEXT)], None);
        let (cat, cat_ty) = b.adt("Cat", AdtKind::Struct, &[("lives", TyId::I64)], None);
        let (point, point_ty) = b.adt("Point", AdtKind::Struct, &[("x", TyId::I64)], None);
        let dog_says = b.func(
            "Dog.says",
            &[(dog_ty, false)],
            1,
            TyId::TEXT,
            interpolate(vec![
                lit("dog "),
                value(field(local(dog_ty, 0), 0, TyId::TEXT)),
            ]),
        );
        let cat_says = b.func(
            "Cat.says",
            &[(cat_ty, false)],
            1,
            TyId::TEXT,
            interpolate(vec![
                lit("cat "),
                value(field(local(cat_ty, 0), 0, TyId::I64)),
            ]),
        );
        let name = simple_syntax::Symbol::intern("Animal");
        b.program.types.traits.push(Trait {
            name,
            args: vec![],
            span: simple_syntax::Span::default(),
            methods: vec![TraitMethod {
                name,
                params: vec![],
                ret: TyId::TEXT,
                changes: false,
            }],
            impls: vec![
                (dog_ty, vec![FuncId(dog_says)]),
                (cat_ty, vec![FuncId(cat_says)]),
                (point_ty, vec![]),
            ],
        });
        let animal = b.ty(Ty::Trait(TraitId(0)));
        let animals = b.ty(Ty::Array(animal));
        let boxed =
            |value: Expr| expr(animal, ExprKind::Convert(Convert::ToTrait, Box::new(value)));
        let says = |at| {
            let object = index(local(animals, 0), int(at), animal);
            print(expr(
                TyId::TEXT,
                ExprKind::CallTrait(TraitId(0), 0, Box::new(object), vec![]),
            ))
        };
        b.main(
            &[(animals, false)],
            block(vec![
                let_(
                    0,
                    array(
                        animals,
                        vec![
                            boxed(expr(dog_ty, ExprKind::New(dog, vec![exclaim_free("rex")]))),
                            boxed(expr(cat_ty, ExprKind::New(cat, vec![int(9)]))),
                            boxed(expr(point_ty, ExprKind::New(point, vec![int(9)]))),
                        ],
                    ),
                ),
                says(0),
                says(1),
                print(index(local(animals, 0), int(2), animal)),
            ]),
        );
    }

    /// A text made at run time.
    fn exclaim_free(word: &str) -> Expr {
        interpolate(vec![value(text(word)), lit("")])
    }

    pub fn or_patterns(b: &mut Build) {
        let (id, ty) = b.enumeration(
            "Side",
            &[
                ("Left", &[TyId::TEXT]),
                ("Right", &[TyId::TEXT]),
                ("Also", &[TyId::TEXT]),
            ],
        );
        let bind =
            |variant, index| Pattern::Variant(id, variant, vec![Pattern::Bind(LocalId(index))]);
        let show = |variant, word: &str| {
            let arm = |pattern, word: &str, index| Arm {
                pattern,
                guard: None,
                body: block(vec![print(interpolate(vec![
                    lit(word),
                    value(local(TyId::TEXT, index)),
                ]))]),
            };
            do_(expr(
                TyId::UNIT,
                ExprKind::Match {
                    scrutinee: Box::new(expr(
                        ty,
                        ExprKind::Variant(id, variant, vec![exclaim_free(word)]),
                    )),
                    arms: vec![
                        arm(Pattern::Or(vec![bind(0, 0), bind(2, 0)]), "left ", 0),
                        arm(bind(1, 1), "right ", 1),
                    ],
                },
            ))
        };
        b.main(
            &[(TyId::TEXT, false), (TyId::TEXT, false)],
            block(vec![show(0, "a"), show(1, "b"), show(2, "c")]),
        );
    }

    pub fn tuples_come_apart(b: &mut Build) {
        let pair = b.ty(Ty::Tuple(vec![(None, TyId::TEXT), (None, TyId::TEXT)]));
        let made = expr(
            pair,
            ExprKind::Tuple(vec![exclaim_free("a"), exclaim_free("b")]),
        );
        let pattern = Pattern::Tuple(vec![Pattern::Bind(LocalId(0)), Pattern::Bind(LocalId(1))]);
        b.main(
            &[(TyId::TEXT, false), (TyId::TEXT, false)],
            block(vec![
                stmt(StmtKind::LetPattern(pattern, made)),
                print(interpolate(vec![
                    value(local(TyId::TEXT, 1)),
                    lit(" "),
                    value(local(TyId::TEXT, 0)),
                ])),
            ]),
        );
    }

    pub fn array_methods(b: &mut Build) {
        let (id, ty) = noisy(b);
        let list = b.ty(Ty::Array(ty));
        let all = || place(list, 0, vec![]);
        let len = expr(
            TyId::I64,
            ExprKind::Intrinsic(Intrinsic::ArrayLen, vec![local(list, 0)]),
        );
        b.main(
            &[(list, true)],
            block(vec![
                let_(
                    0,
                    array(list, vec![new_noisy(id, ty, "a"), new_noisy(id, ty, "b")]),
                ),
                do_(update(
                    Update::Insert,
                    all(),
                    TyId::UNIT,
                    vec![int(0), index(local(list, 0), int(0), ty)],
                )),
                do_(update(Update::Remove, all(), ty, vec![int(-1)])),
                print(interpolate(vec![lit("len "), value(len)])),
                do_(update(Update::Clear, all(), TyId::UNIT, vec![])),
                print(text("cleared")),
            ]),
        );
    }

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
}
