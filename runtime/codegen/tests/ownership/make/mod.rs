//! The programs, made of typed trees: values that are copied, taken apart and released.

use super::support::*;
use simple_sema::typed::*;

mod ways;
pub use ways::*;

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
                scrutinee: Box::new(call(pick, ty, vec![expr(TyId::BOOL, ExprKind::Bool(flag))])),
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
    let boxed = |value: Expr| expr(animal, ExprKind::Convert(Convert::ToTrait, Box::new(value)));
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
    let bind = |variant, index| Pattern::Variant(id, variant, vec![Pattern::Bind(LocalId(index))]);
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
