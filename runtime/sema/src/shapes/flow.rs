//! The walk over a body: what is known of each value, in the order in which the program computes them.
//!
//! Branches are walked with a copy each and joined; a loop is walked, in silence, until nothing becomes less known. A variable
//! that lives in a cell may change at any time and is never known. Leaves out what calls yield (`callee.rs`).

use super::callee::{Arg, Signature, agree, value_of};
use super::declared::{Declared, names};
use super::dim::{Atom, Dim};
use super::expect::{Proof, certain};
use super::fact::{Fact, Scope};
use super::rule::Rule;
use super::unify::Store;
use crate::checker::Checker;
use crate::codes;
use crate::decls::{FnIdx, ModIdx, Owner, Shape as Decl};
use crate::typed::*;
use rustc_hash::{FxHashMap, FxHashSet};
use simple_syntax::{Diagnostic, Span, Symbol};
use std::rc::Rc;

/// How often a loop is walked before its variables are given up.
const MOST_TURNS: u32 = 3;

/// Loops nested deeper give their variables up at once.
const DEEPEST_LOOP: u32 = 3;

/// The analysis of a program.
pub(super) struct Flow<'x, 'a> {
    pub(super) cx: &'x mut Checker<'a>,
    pub(super) signatures: FxHashMap<FnIdx, Option<Rc<Signature>>>,
    globals: FxHashMap<GlobalId, Fact>,
    /// Globals that are assigned after their initializer.
    mutable: FxHashSet<GlobalId>,
    /// Whether the program changes shapes in place: then no variable keeps one.
    changes: bool,
    /// What holds for a field of all instances that the program makes.
    fields: FxHashMap<(AdtId, u32), Fact>,
    /// What holds for every result of a function that says nothing of it.
    pub(super) results: FxHashMap<FnIdx, Fact>,
    /// Whether fields and results are being collected.
    pub(super) collecting: bool,
    frame: Frame,
    loops: u32,
    /// Which checks of written shapes cannot fail.
    pub(super) proof: Proof,
}

/// The function that is walked.
#[derive(Default)]
struct Frame {
    locals: Vec<Fact>,
    /// Variables that are assigned after their binding.
    mutable: Vec<bool>,
    /// Variables that a closure shares, which may change whenever it runs.
    cells: Vec<bool>,
    /// Where variables are declared.
    spans: Vec<Span>,
    /// What the names of its signature stand for.
    known: Rc<[(Symbol, Fact)]>,
    module: Option<ModIdx>,
    ret: Option<Declared>,
    /// What holds for every result so far.
    result: Option<Fact>,
}

impl<'x, 'a> Flow<'x, 'a> {
    pub(super) fn new(cx: &'x mut Checker<'a>) -> Flow<'x, 'a> {
        let mutable = cx
            .globals
            .iter()
            .filter(|global| global.mutable)
            .filter_map(|global| global.id)
            .collect();
        let called: Vec<FnIdx> = cx
            .instances
            .iter()
            .map(|instance| instance.fn_idx)
            .collect();
        let changes = called.into_iter().any(|idx| {
            cx.function_rule(idx)
                .is_some_and(|annotated| annotated.rule == Rule::Changes)
        });
        Flow {
            cx,
            signatures: FxHashMap::default(),
            globals: FxHashMap::default(),
            mutable,
            changes,
            fields: FxHashMap::default(),
            results: FxHashMap::default(),
            collecting: false,
            frame: Frame::default(),
            loops: 0,
            proof: Proof::default(),
        }
    }

    /// Walks everything twice: in silence to collect what is known of fields and results, then to report.
    pub(super) fn program(&mut self, inits: &[(ModIdx, FuncId)], bodies: &[(FnIdx, FuncId)]) {
        for collecting in [true, false] {
            self.collecting = collecting;
            self.cx.muted += u32::from(collecting);
            for &(module, init) in inits {
                // Modules of the library are walked for their variables alone.
                let library = u32::from(self.cx.modules[module.at()].library);
                self.cx.muted += library;
                self.module_init(module, init);
                self.cx.muted -= library;
            }
            for &(fn_idx, id) in bodies {
                let result = self.function(fn_idx, id);
                if let (true, Some(result)) = (collecting, result) {
                    let result = result.outside();
                    let known = self.results.get(&fn_idx);
                    let result = known.map_or(result.clone(), |known| known.join(&result));
                    self.results.insert(fn_idx, result);
                }
            }
            self.cx.muted -= u32::from(collecting);
        }
    }

    /// Walks the statements of a module; what its variables are is kept for the functions.
    fn module_init(&mut self, module: ModIdx, id: FuncId) {
        let frame = self.new_frame(id, Some(module));
        self.walk(id, frame);
    }

    /// Walks a function of the program; what holds for all its results.
    fn function(&mut self, fn_idx: FnIdx, id: FuncId) -> Option<Fact> {
        let info = &self.cx.fns[fn_idx.at()];
        let (decl, module, owner) = (info.decl, info.module, info.owner);
        let generics = info.generics.clone();
        let mut frame = self.new_frame(id, Some(module));
        let signature = self.signature(fn_idx).unwrap_or_default();
        let mut settled: Vec<(Symbol, bool)> = decl
            .params
            .iter()
            .map(|param| (param.name.name, true))
            .collect();
        for (_, declared) in &signature.params {
            match declared {
                Some(Declared::Tensor(shape)) => names(shape, &mut settled),
                Some(Declared::Layer(input, output)) => {
                    names(input, &mut settled);
                    names(output, &mut settled);
                }
                None => {}
            }
        }
        frame.known = settled
            .iter()
            .map(|(name, _)| (*name, Fact::Int(Dim::atom(Atom::Name(*name)))))
            .collect();
        if let Some(ret) = &signature.ret {
            settled.retain(|(_, alone)| *alone);
            settled.extend(generics.iter().map(|name| (*name, true)));
            self.names_of_fields(owner, &mut settled);
            self.determined(
                ret,
                &settled,
                decl.ret.as_ref().map_or(decl.head, |ty| ty.span),
            );
        }
        frame.ret.clone_from(&signature.ret);
        // `self` comes first, if there is one.
        let params = self.cx.funcs[id.0 as usize].params.clone();
        let first = params.len().saturating_sub(decl.params.len());
        let known = frame.known.clone();
        for (at, (local, param)) in params[first..].iter().zip(&decl.params).enumerate() {
            let declared = signature
                .params
                .get(at)
                .and_then(|(_, shape)| shape.as_ref());
            let ty = self.cx.funcs[id.0 as usize].locals[local.0 as usize].ty;
            frame.locals[local.0 as usize] = match declared {
                Some(declared) => {
                    let what = format!("`{}`", param.name.name);
                    value_of(
                        declared,
                        &what,
                        &mut Scope::new(&known),
                        &mut Store::default(),
                    )
                }
                None if matches!(self.cx.types.get(ty), Ty::Int(_)) => {
                    Fact::Int(Dim::atom(Atom::Name(param.name.name)))
                }
                None => self.of_type(ty, module),
            };
        }
        self.walk(id, frame)
    }

    /// The names in the shapes of the fields of a method's type.
    fn names_of_fields(&mut self, owner: Owner, found: &mut Vec<(Symbol, bool)>) {
        let Owner::Type(idx) = owner else { return };
        let info = &self.cx.decls[idx.at()];
        let (module, Decl::Record(decl, _)) = (info.module, &info.shape) else {
            return;
        };
        let decl = *decl;
        for field in &decl.fields {
            found.push((field.name.name, true));
            match self.cx.declared_shape(&field.ty, module, &mut Vec::new()) {
                Some(Declared::Tensor(shape)) => names(&shape, found),
                Some(Declared::Layer(input, output)) => {
                    names(&input, found);
                    names(&output, found);
                }
                None => {}
            }
        }
    }

    /// Reports names of a result that nothing in the signature settles.
    fn determined(&mut self, ret: &Declared, settled: &[(Symbol, bool)], place: Span) {
        let mut used = Vec::new();
        let mut known = settled.to_vec();
        match ret {
            Declared::Tensor(shape) => names(shape, &mut used),
            Declared::Layer(input, output) => {
                names(input, &mut known);
                names(output, &mut used);
            }
        }
        let Some((name, _)) = used
            .iter()
            .find(|(name, _)| !known.iter().any(|(known, _)| known == name))
        else {
            return;
        };
        let d = Diagnostic::error(
            codes::DIM_UNDETERMINED,
            place,
            format!("the dimension `{name}` of the result cannot be determined"),
        )
        .note(format!(
            "no parameter has a dimension `{name}`, and none is an integer of this name"
        ))
        .help("write `?` for a size that only the run decides");
        self.cx.report(d);
    }

    fn new_frame(&self, id: FuncId, module: Option<ModIdx>) -> Frame {
        let func = &self.cx.funcs[id.0 as usize];
        Frame {
            locals: vec![Fact::Unknown; func.locals.len()],
            mutable: func.locals.iter().map(|local| local.mutable).collect(),
            cells: func.locals.iter().map(|local| local.cell).collect(),
            spans: func.locals.iter().map(|local| local.span).collect(),
            known: Rc::from([]),
            module,
            ret: None,
            result: None,
        }
    }

    /// Walks the body of a function in a frame of its own; what holds for all its results.
    fn walk(&mut self, id: FuncId, frame: Frame) -> Option<Fact> {
        // A function inside itself is met while its body is out.
        let body = self.cx.funcs[id.0 as usize].body.take()?;
        let outer = std::mem::replace(&mut self.frame, frame);
        let loops = std::mem::take(&mut self.loops);
        let value = self.expr(&body);
        if body.ty != TyId::NEVER {
            self.returned(&value, tail(&body).span);
        }
        let walked = std::mem::replace(&mut self.frame, outer);
        self.loops = loops;
        self.cx.funcs[id.0 as usize].body = Some(body);
        walked.result
    }

    /// Compares a result with the function's declared one.
    fn returned(&mut self, value: &Fact, place: Span) {
        let result = self.frame.result.take();
        self.frame.result = Some(result.map_or_else(|| value.clone(), |known| known.join(value)));
        let Some(declared) = self.frame.ret.clone() else {
            return;
        };
        let known = self.frame.known.clone();
        let (mut scope, mut store) = (Scope::new(&known), Store::default());
        if let Err(fault) = agree(value, &declared, "the result", &mut scope, &mut store) {
            self.fault(fault, place);
        }
        let fits = certain(value, &declared, &mut scope, &mut store);
        self.proves(place, fits);
    }

    /// What is known of a variable that is bound to a value of which `fact` is known.
    fn bound(&mut self, name: Span, fact: Fact, place: Span) -> Fact {
        let (Some(ty), Some(module)) = (
            self.cx.shapes.bindings.get(&name).copied(),
            self.frame.module,
        ) else {
            return fact;
        };
        let mut bounds = Vec::new();
        let Some(declared) = self.cx.declared_shape(ty, module, &mut bounds) else {
            return fact;
        };
        let known = self.frame.known.clone();
        let (mut scope, mut store) = (Scope::new(&known), Store::default());
        if let Err(fault) = agree(&fact, &declared, "the variable", &mut scope, &mut store) {
            self.fault(fault, place);
        }
        self.within(&bounds, &mut scope, &mut store, place);
        let fits = certain(&fact, &declared, &mut scope, &mut store);
        self.proves(name, fits);
        self.proves(place, fits);
        match fact {
            Fact::Layer(_) => fact,
            _ => value_of(&declared, "this layer", &mut scope, &mut store),
        }
    }

    /// Notes whether the value at a place always has its written shape.
    fn proves(&mut self, place: Span, fits: bool) {
        if !self.collecting {
            self.proof.value(place, fits);
        }
    }

    fn set(&mut self, local: LocalId, fact: Fact) {
        let fact = match fact {
            Fact::Tensor(_) if self.changes => Fact::Unknown,
            _ if self.frame.cells[local.0 as usize] => Fact::Unknown,
            fact => fact,
        };
        self.frame.locals[local.0 as usize] = fact;
    }

    fn bind(&mut self, local: LocalId, fact: Fact, place: Span) {
        let span = self.frame.spans[local.0 as usize];
        let fact = self.bound(span, fact, place);
        self.set(local, fact);
    }

    /// Walks a branch; its variables are joined with those of `others`, unless it never ends.
    fn branch(&mut self, before: &[Fact], ends: &mut Vec<Vec<Fact>>, body: &Expr) -> Fact {
        self.frame.locals = before.to_vec();
        let fact = self.expr(body);
        if body.ty != TyId::NEVER {
            ends.push(std::mem::take(&mut self.frame.locals));
        }
        fact
    }

    fn joined(&mut self, before: Vec<Fact>, ends: Vec<Vec<Fact>>) {
        self.frame.locals = ends
            .into_iter()
            .reduce(|a, b| join(&a, &b))
            .unwrap_or(before);
    }

    /// Walks a loop's condition and body until its variables are what every turn finds.
    fn turns(&mut self, body: &mut dyn FnMut(&mut Self)) {
        self.loops += 1;
        self.cx.muted += 1;
        for turn in 0..=MOST_TURNS {
            let before = self.frame.locals.clone();
            if turn == MOST_TURNS || self.loops > DEEPEST_LOOP {
                for (fact, mutable) in self.frame.locals.iter_mut().zip(&self.frame.mutable) {
                    if *mutable {
                        *fact = Fact::Unknown;
                    }
                }
                break;
            }
            body(self);
            let after = join(&before, &self.frame.locals);
            let stable = after == before;
            self.frame.locals = after;
            if stable {
                break;
            }
        }
        self.cx.muted -= 1;
        let before = self.frame.locals.clone();
        body(self);
        self.frame.locals = join(&before, &self.frame.locals);
        self.loops -= 1;
    }

    fn block(&mut self, stmts: &[Stmt], value: Option<&Expr>) -> Fact {
        for stmt in stmts {
            self.stmt(stmt);
        }
        value.map_or(Fact::Unknown, |value| self.expr(value))
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(e) | StmtKind::Defer(e) => {
                self.expr(e);
            }
            StmtKind::Let(local, e) => {
                let fact = self.expr(e);
                self.bind(*local, fact, tail(e).span);
            }
            StmtKind::LetPattern(pattern, e) => {
                let fact = self.expr(e);
                self.pattern(pattern, &fact);
            }
            StmtKind::Assign(place, e) => {
                self.place(place);
                let fact = self.expr(e);
                self.assign(place, fact, tail(e).span);
            }
            StmtKind::AssignArith(place, op, e) => {
                self.place(place);
                let right = self.expr(e);
                let left = match (&place.root, place.path.is_empty()) {
                    (PlaceRoot::Local(local), true) => self.frame.locals[local.0 as usize].clone(),
                    _ => Fact::Unknown,
                };
                self.assign(place, arith(*op, &left, &right), e.span);
            }
            StmtKind::AssignBits(place, _, e) | StmtKind::Append(place, e) => {
                self.place(place);
                self.expr(e);
                self.assign(place, Fact::Unknown, e.span);
            }
            StmtKind::While(cond, body) => self.turns(&mut |flow| {
                flow.cond(cond);
                flow.expr(body);
            }),
            StmtKind::ForRange {
                var, lo, hi, body, ..
            } => {
                self.expr(lo);
                self.expr(hi);
                self.turns(&mut |flow| {
                    flow.set(*var, Fact::Unknown);
                    flow.expr(body);
                });
            }
            StmtKind::ForEach {
                pattern,
                iterable,
                body,
            } => {
                let list = self.expr(iterable);
                let element = match &list {
                    Fact::List(items) => items
                        .iter()
                        .cloned()
                        .reduce(|a, b| a.join(&b))
                        .unwrap_or(Fact::Unknown),
                    _ => Fact::Unknown,
                };
                self.turns(&mut |flow| {
                    flow.pattern(pattern, &element);
                    flow.expr(body);
                });
            }
            StmtKind::ForPart {
                pattern,
                text,
                cut,
                body,
            } => {
                self.expr(text);
                if let Cut::Separator(separator) = cut {
                    self.expr(separator);
                }
                self.turns(&mut |flow| {
                    flow.pattern(pattern, &Fact::Unknown);
                    flow.expr(body);
                });
            }
            StmtKind::Assert(cond, message) => {
                self.expr(cond);
                if let Some(message) = message {
                    let before = self.frame.locals.clone();
                    self.expr(message);
                    self.frame.locals = before;
                }
            }
        }
    }

    fn cond(&mut self, cond: &Cond) {
        match cond {
            Cond::Expr(e) => {
                self.expr(e);
            }
            Cond::Pattern(pattern, e) => {
                let fact = self.expr(e);
                self.pattern(pattern, &fact);
            }
        }
    }

    fn pattern(&mut self, pattern: &Pattern, fact: &Fact) {
        match pattern {
            Pattern::Wildcard | Pattern::IntRange(..) | Pattern::Nil | Pattern::Literal(_) => {}
            Pattern::Bind(local) => self.bind(*local, fact.clone(), Span::default()),
            // A known optional is known by its payload.
            Pattern::Some(inner) => self.pattern(inner, fact),
            Pattern::Ok(inner) | Pattern::Err(inner) => self.pattern(inner, &Fact::Unknown),
            Pattern::Variant(_, _, parts) | Pattern::Or(parts) => {
                parts
                    .iter()
                    .for_each(|part| self.pattern(part, &Fact::Unknown));
            }
            Pattern::Tuple(parts) => match fact {
                Fact::List(items) if items.len() == parts.len() => {
                    let items = items.clone();
                    for (part, item) in parts.iter().zip(items.iter()) {
                        self.pattern(part, item);
                    }
                }
                _ => parts
                    .iter()
                    .for_each(|part| self.pattern(part, &Fact::Unknown)),
            },
            Pattern::TupleRest { front, rest, back } => {
                self.set(*rest, Fact::Unknown);
                let parts = front.iter().chain(back);
                parts.for_each(|part| self.pattern(part, &Fact::Unknown));
            }
            Pattern::Fields(_, parts) => {
                parts
                    .iter()
                    .for_each(|(_, part)| self.pattern(part, &Fact::Unknown));
            }
            Pattern::Array { front, rest, back } => {
                if let Some(Some(local)) = rest {
                    self.set(*local, Fact::Unknown);
                }
                let items = match fact {
                    Fact::List(items) if rest.is_none() && items.len() == front.len() => {
                        items.clone()
                    }
                    _ => Rc::from([]),
                };
                for (at, part) in front.iter().enumerate() {
                    let item = items.get(at).cloned().unwrap_or(Fact::Unknown);
                    self.pattern(part, &item);
                }
                back.iter()
                    .for_each(|part| self.pattern(part, &Fact::Unknown));
            }
        }
    }

    /// Walks the expressions in a place.
    fn place(&mut self, place: &Place) {
        if let PlaceRoot::Object(object) = &place.root {
            self.expr(object);
        }
        for step in &place.path {
            if let PlaceStep::Index(_, index) = step {
                self.expr(index);
            }
        }
    }

    fn assign(&mut self, place: &Place, fact: Fact, at: Span) {
        for step in &place.path {
            if let PlaceStep::Field(ty, number) = step
                && let Ty::Adt(adt) = *self.cx.types.get(*ty)
            {
                self.fields.insert((adt, *number), Fact::Unknown);
            }
        }
        let whole = place.path.is_empty();
        match place.root {
            PlaceRoot::Local(local) if whole => self.bind(local, fact, at),
            PlaceRoot::Local(local) => self.set(local, Fact::Unknown),
            PlaceRoot::Global(global) if whole && !self.mutable.contains(&global) => {
                let span = self.cx.out_globals[global.0 as usize].span;
                let fact = self.bound(span, fact, at);
                if !(self.changes && matches!(fact, Fact::Tensor(_))) {
                    self.globals.insert(global, fact);
                }
            }
            PlaceRoot::Global(_) | PlaceRoot::Object(_) => {}
        }
    }

    fn args(&mut self, args: &[Expr]) -> Vec<Arg> {
        args.iter()
            .map(|arg| {
                let fact = self.expr(arg);
                Arg {
                    fact,
                    span: arg.span,
                    elements: match &tail(arg).kind {
                        ExprKind::Array(items) => items.iter().map(|item| item.span).collect(),
                        _ => Vec::new(),
                    },
                }
            })
            .collect()
    }

    fn exprs<'e>(&mut self, all: impl IntoIterator<Item = &'e Expr>) -> Fact {
        for e in all {
            self.expr(e);
        }
        Fact::Unknown
    }

    /// Walks an expression; what is known of its value.
    fn expr(&mut self, e: &Expr) -> Fact {
        match self.known(e) {
            Fact::Unknown => match self.cx.types.get(e.ty) {
                Ty::F32 | Ty::F64 | Ty::Bool => Fact::Number,
                _ => Fact::Unknown,
            },
            fact => fact,
        }
    }

    fn known(&mut self, e: &Expr) -> Fact {
        match &e.kind {
            ExprKind::Unit | ExprKind::Text(_) | ExprKind::Break | ExprKind::Continue => {
                Fact::Unknown
            }
            ExprKind::Nil => Fact::Nil,
            ExprKind::Bool(value) => Fact::Bool(*value),
            ExprKind::Int(value) => Fact::int(*value),
            ExprKind::Float(_) => Fact::Number,
            ExprKind::Local(local) => self.frame.locals[local.0 as usize].clone(),
            ExprKind::Global(global) => self.globals.get(global).cloned().unwrap_or(Fact::Unknown),
            ExprKind::Closure(func, captures) => self.closure(*func, captures),
            ExprKind::Block(stmts, value) => self.block(stmts, value.as_deref()),
            ExprKind::If {
                cond,
                then,
                otherwise,
            } => {
                self.cond(cond);
                let before = self.frame.locals.clone();
                let mut ends = Vec::new();
                let first = self.branch(&before, &mut ends, then);
                let Some(otherwise) = otherwise else {
                    ends.push(before.clone());
                    self.joined(before, ends);
                    return Fact::Unknown;
                };
                let second = self.branch(&before, &mut ends, otherwise);
                self.joined(before, ends);
                match (then.ty, otherwise.ty) {
                    (TyId::NEVER, _) => second,
                    (_, TyId::NEVER) => first,
                    _ => first.join(&second),
                }
            }
            ExprKind::Match { scrutinee, arms } => {
                let value = self.expr(scrutinee);
                let before = self.frame.locals.clone();
                let mut ends = Vec::new();
                let mut result: Option<Fact> = None;
                for arm in arms {
                    self.frame.locals.clone_from(&before);
                    self.pattern(&arm.pattern, &value);
                    if let Some(guard) = &arm.guard {
                        self.expr(guard);
                    }
                    let start = std::mem::take(&mut self.frame.locals);
                    let fact = self.branch(&start, &mut ends, &arm.body);
                    if arm.body.ty != TyId::NEVER {
                        result = Some(result.map_or(fact.clone(), |known| known.join(&fact)));
                    }
                }
                self.joined(before, ends);
                result.unwrap_or(Fact::Unknown)
            }
            ExprKind::Arith(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                arith(*op, &a, &b)
            }
            ExprKind::Neg(a) => match self.expr(a) {
                Fact::Int(dim) => Fact::Int(dim.neg()),
                _ => Fact::Unknown,
            },
            ExprKind::Bits(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::Range(a, b, _) => {
                self.exprs([&**a, b])
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.expr(a);
                self.sometimes(b);
                Fact::Unknown
            }
            ExprKind::Coalesce(a, b) => {
                let first = self.expr(a);
                let second = self.sometimes(b);
                match first {
                    Fact::Nil => second,
                    _ => Fact::Unknown,
                }
            }
            ExprKind::Concat(a, b) => match (self.expr(a), self.expr(b)) {
                (Fact::List(a), Fact::List(b)) => {
                    Fact::List(a.iter().chain(b.iter()).cloned().collect())
                }
                _ => Fact::Unknown,
            },
            ExprKind::Convert(convert, a) => {
                let fact = self.expr(a);
                let int = matches!(self.cx.types.get(e.ty), Ty::Int(_));
                match (convert, fact) {
                    (Convert::ToTrait, fact) => self.or_of_type(fact, a.ty),
                    // Other widths may not hold the value.
                    (Convert::Number, fact @ Fact::Int(_)) if e.ty == TyId::I64 => fact,
                    (Convert::Number, _) if !int => Fact::Number,
                    _ => Fact::Unknown,
                }
            }
            ExprKind::Some(a) | ExprKind::Unwrap(a, _) => self.expr(a),
            ExprKind::BitNot(a)
            | ExprKind::Not(a)
            | ExprKind::ToText(a)
            | ExprKind::Ok(a)
            | ExprKind::Err(a)
            | ExprKind::IsPresent(a)
            | ExprKind::IsType(a, _)
            | ExprKind::Downcast(a)
            | ExprKind::Try(a) => self.exprs([&**a]),
            ExprKind::Interpolate(parts) => {
                for part in parts {
                    if let TextPart::Value(value) | TextPart::Formatted(value, _) = part {
                        self.expr(value);
                    }
                }
                Fact::Unknown
            }
            ExprKind::Call(func, args) => {
                let args = self.args(args);
                self.called(*func, &args, e)
            }
            ExprKind::CallInout(_, place, args) => {
                self.place(place);
                self.args(args);
                self.assign(place, Fact::Unknown, e.span);
                Fact::Unknown
            }
            ExprKind::FuncRef(func) => {
                if let Some(&number) = self.cx.instance_of.get(func) {
                    self.proof.escapes(self.cx.instances[number].fn_idx);
                }
                Fact::Unknown
            }
            ExprKind::CallValue(callee, args) => {
                let args = self.args(args);
                match callee.kind {
                    ExprKind::FuncRef(func) => self.called(func, &args, e),
                    _ => {
                        self.expr(callee);
                        Fact::Unknown
                    }
                }
            }
            ExprKind::CallTrait(id, method, object, args) => {
                let mut all = self.args(std::slice::from_ref(&**object));
                all.extend(self.args(args));
                match self.cx.trait_fns[id.0 as usize].get(*method as usize) {
                    Some(&fn_idx) => self.call(fn_idx, &all, e.ty, e.span),
                    None => Fact::Unknown,
                }
            }
            ExprKind::CallTraitInout(_, _, place, args) | ExprKind::Update(_, place, args) => {
                self.place(place);
                self.exprs(args);
                self.assign(place, Fact::Unknown, e.span);
                Fact::Unknown
            }
            ExprKind::Intrinsic(intrinsic, args) => self.intrinsic(*intrinsic, args),
            ExprKind::CallExtern(_, args) | ExprKind::Set(args) | ExprKind::Variant(_, _, args) => {
                self.exprs(args)
            }
            ExprKind::New(adt, args) => {
                let places: Vec<Span> = args.iter().map(|arg| tail(arg).span).collect();
                let args = self.args(args);
                self.fields_fit(*adt, &places, &args);
                self.collect_fields(*adt, &args);
                let decl = self.cx.decl_of(*adt);
                let names: Vec<Symbol> = self.cx.types.adts[adt.0 as usize]
                    .fields
                    .iter()
                    .filter_map(|field| field.name)
                    .collect();
                let made = self.new_layer(decl, &names, &args);
                self.or_of_type(made, e.ty)
            }
            ExprKind::Tuple(items) | ExprKind::Array(items) => {
                Fact::List(items.iter().map(|item| self.expr(item)).collect())
            }
            ExprKind::Dict(pairs) => self.exprs(pairs.iter().flat_map(|(key, value)| [key, value])),
            ExprKind::Field(a, number) => self.field(a, *number),
            ExprKind::Index(a, index) => match (self.expr(a), self.expr(index).known_int()) {
                (Fact::List(items), Some(at)) => {
                    let at = if at < 0 { at + items.len() as i64 } else { at };
                    let item = usize::try_from(at).ok().and_then(|at| items.get(at));
                    item.cloned().unwrap_or(Fact::Unknown)
                }
                _ => Fact::Unknown,
            },
            ExprKind::TryCatch { body, handler, .. } => {
                let before = self.frame.locals.clone();
                let first = self.expr(body);
                // The error may have come at any point of the body.
                for at in 0..self.frame.locals.len() {
                    if self.frame.mutable[at] {
                        self.frame.locals[at] = Fact::Unknown;
                    }
                }
                let after = self.frame.locals.clone();
                let second = self.expr(handler);
                self.frame.locals = join(&after, &before);
                if handler.ty == TyId::NEVER {
                    first
                } else {
                    first.join(&second)
                }
            }
            ExprKind::Let(local, value, body) => {
                let fact = self.expr(value);
                self.bind(*local, fact, value.span);
                self.expr(body)
            }
            ExprKind::Return(value) => {
                if let Some(value) = value {
                    let fact = self.expr(value);
                    self.returned(&fact, tail(value).span);
                }
                Fact::Unknown
            }
        }
    }

    /// Walks what is not always evaluated.
    fn sometimes(&mut self, e: &Expr) -> Fact {
        let before = self.frame.locals.clone();
        let fact = self.expr(e);
        self.frame.locals = join(&before, &self.frame.locals);
        fact
    }

    fn or_of_type(&mut self, fact: Fact, ty: TyId) -> Fact {
        match (fact, self.frame.module) {
            (Fact::Unknown, Some(module)) => self.of_type(ty, module),
            (fact, _) => fact,
        }
    }

    fn called(&mut self, func: FuncId, args: &[Arg], e: &Expr) -> Fact {
        match self.cx.instance_of.get(&func) {
            Some(&number) => {
                let fn_idx = self.cx.instances[number].fn_idx;
                self.call(fn_idx, args, e.ty, e.span)
            }
            None => Fact::Unknown,
        }
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic, args: &[Expr]) -> Fact {
        let facts: Vec<Fact> = args.iter().map(|arg| self.expr(arg)).collect();
        match (intrinsic, facts.as_slice()) {
            (Intrinsic::ArrayLen, [Fact::List(items)]) => Fact::int(items.len() as i64),
            (Intrinsic::ArrayRepeat, [Fact::List(items), count]) => match count.known_int() {
                Some(count) if count >= 0 && items.len() as i64 * count <= 64 => {
                    let all = items.iter().cycle().take(items.len() * count as usize);
                    Fact::List(all.cloned().collect())
                }
                _ => Fact::Unknown,
            },
            _ => Fact::Unknown,
        }
    }

    /// A field: by its written shape, or an element of a known tuple.
    fn field(&mut self, object: &Expr, number: u32) -> Fact {
        let fact = self.expr(object);
        let Ty::Adt(adt) = *self.cx.types.get(object.ty) else {
            return match fact {
                Fact::List(items) => items.get(number as usize).cloned().unwrap_or(Fact::Unknown),
                _ => Fact::Unknown,
            };
        };
        let info = &self.cx.decls[self.cx.decl_of(adt).at()];
        let (module, Decl::Record(decl, _)) = (info.module, &info.shape) else {
            return Fact::Unknown;
        };
        let decl = *decl;
        let Some(field) = decl.fields.get(number as usize) else {
            return Fact::Unknown;
        };
        match self.cx.declared_shape(&field.ty, module, &mut Vec::new()) {
            Some(declared) => {
                let name = format!("`{}`", field.name.name);
                value_of(
                    &declared,
                    &name,
                    &mut Scope::new(&[]),
                    &mut Store::default(),
                )
            }
            None => {
                let ty = self.cx.types.adts[adt.0 as usize].fields[number as usize].ty;
                match self.fields.get(&(adt, number)) {
                    Some(fact) if !self.collecting && *fact != Fact::Unknown => fact.clone(),
                    _ => self.of_type(ty, module),
                }
            }
        }
    }

    /// Notes which arguments of a constructor have the shapes that are written for their fields.
    fn fields_fit(&mut self, adt: AdtId, places: &[Span], args: &[Arg]) {
        let info = &self.cx.decls[self.cx.decl_of(adt).at()];
        let (module, Decl::Record(decl, _)) = (info.module, &info.shape) else {
            return;
        };
        let decl = *decl;
        for ((field, place), arg) in decl.fields.iter().zip(places).zip(args) {
            if let Some(declared) = self.cx.declared_shape(&field.ty, module, &mut Vec::new()) {
                let (mut scope, mut store) = (Scope::new(&[]), Store::default());
                let what = format!("`{}`", field.name.name);
                let agreed = agree(&arg.fact, &declared, &what, &mut scope, &mut store);
                let fits = agreed.is_ok() && certain(&arg.fact, &declared, &mut scope, &mut store);
                self.proves(*place, fits);
            }
        }
    }

    /// Joins what is known of the fields of a new instance with those of all others.
    fn collect_fields(&mut self, adt: AdtId, args: &[Arg]) {
        let module = self.cx.decls[self.cx.decl_of(adt).at()].module;
        // A session may have made instances before, which this walk does not see.
        if !self.collecting || self.cx.modules[module.at()].library || self.cx.session.is_open() {
            return;
        }
        for (number, arg) in args.iter().enumerate() {
            let fact = match arg.fact.outside() {
                Fact::Tensor(_) if self.changes => Fact::Unknown,
                fact => fact,
            };
            self.fields
                .entry((adt, number as u32))
                .and_modify(|known| *known = known.join(&fact))
                .or_insert(fact);
        }
    }

    /// Walks the body of a closure where it is made.
    fn closure(&mut self, func: FuncId, captures: &[LocalId]) -> Fact {
        let mut frame = self.new_frame(func, self.frame.module);
        frame.known = self.frame.known.clone();
        let info = &self.cx.funcs[func.0 as usize];
        let (params, inner) = (info.params.clone(), info.captures.clone());
        for (from, to) in captures.iter().zip(inner) {
            // What a closure shares may have changed when it runs.
            let moved = self.frame.mutable[from.0 as usize] || frame.cells[to.0 as usize];
            if !moved {
                frame.locals[to.0 as usize] = self.frame.locals[from.0 as usize].clone();
            }
        }
        for param in params {
            if let (Some(ty), Some(module)) = (
                self.cx
                    .shapes
                    .bindings
                    .get(&frame.spans[param.0 as usize])
                    .copied(),
                frame.module,
            ) && let Some(declared) = self.cx.declared_shape(ty, module, &mut Vec::new())
            {
                let known = frame.known.clone();
                frame.locals[param.0 as usize] = value_of(
                    &declared,
                    "this layer",
                    &mut Scope::new(&known),
                    &mut Store::default(),
                );
            }
        }
        // A colon block may assign what it shares with the function around it.
        for from in captures {
            if self.frame.mutable[from.0 as usize] {
                self.frame.locals[from.0 as usize] = Fact::Unknown;
            }
        }
        self.walk(func, frame);
        Fact::Unknown
    }
}

fn join(a: &[Fact], b: &[Fact]) -> Vec<Fact> {
    a.iter().zip(b).map(|(a, b)| a.join(b)).collect()
}

fn arith(op: ArithOp, a: &Fact, b: &Fact) -> Fact {
    let (Fact::Int(x), Fact::Int(y)) = (a, b) else {
        return Fact::Unknown;
    };
    Fact::Int(match op {
        ArithOp::Add => x.add(y),
        ArithOp::Sub => x.sub(y),
        ArithOp::Mul => x.mul(y),
        ArithOp::Div => x.div(y),
        ArithOp::Rem => match (x.known(), y.known()) {
            (Some(x), Some(y)) => x.checked_rem(y).map_or(Dim::Unknown, Dim::int),
            _ => Dim::Unknown,
        },
        ArithOp::Pow => Dim::Unknown,
    })
}

/// The part of an expression that yields its value.
pub(super) fn tail(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Block(_, Some(value)) => tail(value),
        ExprKind::Convert(_, inner) | ExprKind::Some(inner) => tail(inner),
        ExprKind::Let(_, _, body) => tail(body),
        _ => e,
    }
}
