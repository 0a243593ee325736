//! Exclusive access: while a `me` method changes a place, nothing else may use it.
//!
//! A method that changes a variable of the calling function alone cannot be disturbed. What it changes in an object, in a module-level
//! variable or in a cell could be reached by other code that the method calls. So the calls of the whole program are followed once: a
//! *root* (a field of a class, a module-level variable, cells of a type) is *contested* if some method that changes a part of it may come
//! to code that uses the same root. Only places with a contested root are watched at run time ([`simple_core::access`]); programs
//! without such methods are not looked at a second time.
//!
//! Who calls what is known up to values: a call of a function value may be any function with as many parameters that is used as a
//! value, a call on a trait object any method of its implementations. A session's pieces do not see each other, so there every root is
//! contested whose value has parts that methods could change. Errors before the run: `simple_sema::exclusive`.

use super::builder::Builder;
use super::place::{PlaceParts, Spot};
use super::walk::{Node, walk};
use crate::mir::{Const, MTy, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use simple_core::access::pack;
use simple_core::table::RtFn;
use simple_sema::typed::{
    AdtId, AdtKind, Expr, ExprKind, Func, FuncId, GlobalId, Intrinsic, Pattern, Place, PlaceRoot,
    PlaceStep, Program, TakenOut, TextPart, TraitId, Ty, TyId, Types,
};
use simple_syntax::Span;
use std::ops::Range;

/// What places that other code can reach begin with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Root {
    Global(GlobalId),
    /// A field of a class, of whatever instance.
    Field(AdtId, u32),
    /// The variables of this type that blocks share with their function.
    Cell(TyId),
}

/// The roots that must be watched while a program runs.
#[derive(Default)]
pub(crate) struct Contested {
    roots: FxHashSet<Root>,
    /// In a session: every root whose value holds one of these types, by type once it was asked.
    session: bool,
    known: FxHashMap<TyId, bool>,
}

impl Contested {
    /// Follows the calls of a program.
    pub fn of(program: &Program, session: bool) -> Contested {
        let mut contested = Contested {
            session,
            ..Contested::default()
        };
        // [condition exclusive.in_session]: pieces of a session do not see each other's calls.
        if !session {
            let sites = sites(program);
            if !sites.is_empty() {
                contested.roots = Calls::of(program, &sites).contested(&sites);
            }
        }
        contested
    }

    /// Whether nothing at all is watched.
    pub fn is_empty(&self) -> bool {
        !self.session && self.roots.is_empty()
    }

    /// Whether a root is watched; `ty` is the type of its value.
    pub fn contains(&mut self, root: Root, ty: TyId, types: &Types) -> bool {
        if !self.session {
            return self.roots.contains(&root);
        }
        if let Some(known) = self.known.get(&ty) {
            return *known;
        }
        let found = has_methods_to_change(ty, types);
        self.known.insert(ty, found);
        found
    }
}

/// Whether a value has a part of its own that a `me` method could change.
fn has_methods_to_change(ty: TyId, types: &Types) -> bool {
    match types.get(ty) {
        Ty::Adt(adt) => types.adts[adt.0 as usize].kind != AdtKind::Class,
        Ty::Trait(_) => true,
        Ty::Array(item) | Ty::Set(item) | Ty::Option(item) => has_methods_to_change(*item, types),
        Ty::Dict(a, b) | Ty::Result(a, b) => {
            has_methods_to_change(*a, types) || has_methods_to_change(*b, types)
        }
        Ty::Tuple(members) => members
            .iter()
            .any(|(_, member)| has_methods_to_change(*member, types)),
        _ => false,
    }
}

/// A method that is called on a place with this root.
struct Site {
    root: Root,
    callee: Callee,
}

/// What can run: a function, or functions of which it is not known which one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Callee {
    Func(FuncId),
    Method(TraitId, u32),
    /// Functions used as values, by their number of parameters.
    Values(usize),
    /// What C may call: functions that were given to it.
    Callbacks,
    /// Printing and comparing values of a type.
    Parts(TyId),
    /// The `drop` of whatever is released.
    Drops,
}

/// The root of a place, if other code can reach it.
fn root_of(place: &Place, func: &Func, types: &Types) -> Option<Root> {
    match place.root {
        // [condition exclusive.cells]: a variable that a block shares can be reached.
        PlaceRoot::Local(local) => cell_of(local, func),
        // [condition exclusive.globals]: a module-level variable can be reached.
        PlaceRoot::Global(global) => Some(Root::Global(global)),
        PlaceRoot::Object(_) => match place.path.first() {
            Some(PlaceStep::Field(owner, field)) => {
                // [condition exclusive.fields]: a field of an object can be reached.
                class_of(*owner, types).map(|adt| Root::Field(adt, *field))
            }
            _ => None,
        },
    }
}

fn cell_of(local: simple_sema::typed::LocalId, func: &Func) -> Option<Root> {
    let info = func.locals.get(local.0 as usize)?;
    // [condition exclusive.only_cells]: a variable of its own cannot.
    info.cell.then_some(Root::Cell(info.ty))
}

fn class_of(ty: TyId, types: &Types) -> Option<AdtId> {
    match types.get(ty) {
        Ty::Adt(adt) if types.adts[adt.0 as usize].kind == AdtKind::Class => Some(*adt),
        _ => None,
    }
}

/// The calls that change a place which other code could reach.
fn sites(program: &Program) -> Vec<Site> {
    let mut sites = Vec::new();
    for func in &program.funcs {
        let Some(body) = &func.body else { continue };
        let taken = TakenOut::default();
        walk(body, &mut |node| {
            let Node::Expr(expr) = node else { return };
            let (place, callee) = match &expr.kind {
                // [condition exclusive.calls]: a method that changes a place.
                ExprKind::CallInout(callee, place, _) => (place, Callee::Func(*callee)),
                // [condition exclusive.trait_calls]: the same of a trait object.
                ExprKind::CallTraitInout(id, method, place, _) => {
                    (place, Callee::Method(*id, *method))
                }
                _ => return,
            };
            // [condition exclusive.options_called]: what is changed in the value of an option goes back to it.
            let place = taken.option(place, body).unwrap_or(place);
            if let Some(root) = root_of(place, func, &program.types) {
                sites.push(Site { root, callee });
            }
        });
    }
    sites
}

/// Who calls whom, backward, and who uses which root.
struct Calls<'p> {
    program: &'p Program,
    wanted: FxHashSet<Root>,
    numbers: FxHashMap<Callee, usize>,
    callers: Vec<Vec<usize>>,
    users: FxHashMap<Root, Vec<usize>>,
    /// Types whose parts are still to be followed.
    work: Vec<TyId>,
}

impl<'p> Calls<'p> {
    fn of(program: &'p Program, sites: &[Site]) -> Calls<'p> {
        let mut calls = Calls {
            program,
            wanted: sites.iter().map(|site| site.root).collect(),
            numbers: FxHashMap::default(),
            callers: Vec::new(),
            users: FxHashMap::default(),
            work: Vec::new(),
        };
        for (index, func) in program.funcs.iter().enumerate() {
            if let Some(body) = &func.body {
                calls.body(FuncId(index as u32), func, body);
            }
        }
        for (index, info) in program.types.traits.iter().enumerate() {
            for (method, (_, funcs)) in (0..info.methods.len())
                .flat_map(|method| info.impls.iter().map(move |one| (method, one)))
            {
                if let Some(func) = funcs.get(method) {
                    let whole = Callee::Method(TraitId(index as u32), method as u32);
                    // [condition exclusive.implementations]: a method of a trait may be any of these.
                    calls.add(whole, Callee::Func(*func));
                }
            }
        }
        for drop in program.types.adts.iter().filter_map(|adt| adt.drop) {
            // [condition exclusive.drops]: what is released may be dropped.
            calls.add(Callee::Drops, Callee::Func(drop));
        }
        while let Some(ty) = calls.work.pop() {
            calls.parts(ty);
        }
        calls
    }

    fn number(&mut self, callee: Callee) -> usize {
        let fresh = self.callers.len();
        let number = *self.numbers.entry(callee).or_insert(fresh);
        if number == fresh {
            self.callers.push(Vec::new());
            if let Callee::Parts(ty) = callee {
                self.work.push(ty);
            }
        }
        number
    }

    fn add(&mut self, caller: Callee, callee: Callee) {
        let (from, to) = (self.number(caller), self.number(callee));
        self.callers[to].push(from);
    }

    fn uses(&mut self, user: Callee, root: Root) {
        if self.wanted.contains(&root) {
            let user = self.number(user);
            self.users.entry(root).or_default().push(user);
        }
    }

    fn body(&mut self, id: FuncId, func: &Func, body: &Expr) {
        let (own, types) = (Callee::Func(id), &self.program.types);
        walk(body, &mut |node| match node {
            Node::Place(place) => {
                // [condition exclusive.places_used]: what a function changes it uses.
                if let Some(root) = root_of(place, func, types) {
                    self.uses(own, root);
                }
            }
            // [condition exclusive.patterns]: a pattern looks at fields.
            Node::Pattern(pattern) => self.pattern(own, pattern),
            Node::Stmt(_) => {}
            Node::Expr(expr) => self.expr(own, func, expr),
        });
    }

    fn expr(&mut self, own: Callee, func: &Func, expr: &Expr) {
        match &expr.kind {
            // [condition exclusive.reads_global]: what it reads it uses.
            ExprKind::Global(global) => self.uses(own, Root::Global(*global)),
            ExprKind::Local(local) => {
                if let Some(root) = cell_of(*local, func) {
                    self.uses(own, root);
                }
            }
            ExprKind::Field(object, field) => {
                // [condition exclusive.reads_field]: the same for fields.
                if let Some(adt) = class_of(object.ty, &self.program.types) {
                    self.uses(own, Root::Field(adt, *field));
                }
            }
            ExprKind::FuncRef(callee) | ExprKind::Closure(callee, _) => {
                let count = self.program.funcs[callee.0 as usize].params.len();
                // [condition exclusive.values]: a function that is used as a value may be called by any call of a value.
                self.add(Callee::Values(count), Callee::Func(*callee));
                if let ExprKind::Closure(_, captured) = &expr.kind {
                    for root in captured.iter().filter_map(|local| cell_of(*local, func)) {
                        self.uses(own, root);
                    }
                }
            }
            // [condition exclusive.direct_calls]: by a call of the function.
            // [condition exclusive.method_calls]: by a method that changes something else.
            ExprKind::Call(callee, _) | ExprKind::CallInout(callee, ..) => {
                self.add(own, Callee::Func(*callee));
            }
            // [condition exclusive.value_calls]: by a call of a value.
            ExprKind::CallValue(_, args) => self.add(own, Callee::Values(args.len())),
            // [condition exclusive.methods]: by a method of a trait object.
            // [condition exclusive.changing_methods]: by one that changes the trait object.
            ExprKind::CallTrait(id, method, ..) | ExprKind::CallTraitInout(id, method, ..) => {
                self.add(own, Callee::Method(*id, *method));
            }
            ExprKind::CallExtern(_, args) => {
                // C may keep a function and call it during any later call.
                // [condition exclusive.callbacks]: by C.
                self.add(own, Callee::Callbacks);
                for arg in args {
                    if let Ty::Fn(params, _) = self.program.types.get(arg.ty) {
                        // [condition exclusive.callback_values]: C calls what it was given.
                        self.add(Callee::Callbacks, Callee::Values(params.len()));
                    }
                }
            }
            ExprKind::Compare(_, a, b) => {
                // [condition exclusive.compared]: a comparison may run methods.
                // [condition exclusive.compared_with]: the other side's too.
                self.add(own, Callee::Parts(a.ty));
                self.add(own, Callee::Parts(b.ty));
            }
            // [condition exclusive.to_text]: printing may run methods.
            ExprKind::ToText(value) => self.add(own, Callee::Parts(value.ty)),
            ExprKind::Interpolate(parts) => {
                // [condition exclusive.interpolated]: so may a text with holes.
                for value in parts.iter().flat_map(TextPart::exprs) {
                    self.add(own, Callee::Parts(value.ty));
                }
            }
            ExprKind::Intrinsic(
                Intrinsic::ArrayContains | Intrinsic::ArrayJoin | Intrinsic::Hash,
                args,
            ) => {
                // [condition exclusive.looks_inside]: so may looking for something, and joining.
                for arg in args {
                    self.add(own, Callee::Parts(arg.ty));
                }
            }
            _ => {}
        }
    }

    /// The fields of instances that a pattern looks at.
    fn pattern(&mut self, own: Callee, pattern: &Pattern) {
        match pattern {
            Pattern::Fields(adt, fields) => {
                let class = self.program.types.adts[adt.0 as usize].kind == AdtKind::Class;
                for (field, inner) in fields {
                    // [condition exclusive.pattern_fields]: fields of instances are such places, parts of values are not.
                    if class {
                        self.uses(own, Root::Field(*adt, *field));
                    }
                    self.pattern(own, inner);
                }
            }
            Pattern::Some(inner) | Pattern::Ok(inner) | Pattern::Err(inner) => {
                self.pattern(own, inner);
            }
            Pattern::Variant(_, _, items) | Pattern::Tuple(items) | Pattern::Or(items) => {
                items.iter().for_each(|item| self.pattern(own, item));
            }
            Pattern::TupleRest { front, back, .. } | Pattern::Array { front, back, .. } => {
                front
                    .iter()
                    .chain(back)
                    .for_each(|item| self.pattern(own, item));
            }
            Pattern::Wildcard
            | Pattern::Bind(_)
            | Pattern::Literal(_)
            | Pattern::IntRange(..)
            | Pattern::Nil => {}
        }
    }

    /// What printing and comparing values of a type may call and look at.
    fn parts(&mut self, ty: TyId) {
        let (own, types) = (Callee::Parts(ty), &self.program.types);
        match types.get(ty) {
            Ty::Array(item) | Ty::Set(item) | Ty::Option(item) => {
                // [condition exclusive.parts_of_item]: what is inside is printed too.
                self.add(own, Callee::Parts(*item));
            }
            Ty::Dict(a, b) | Ty::Result(a, b) => {
                // [condition exclusive.parts_of_pair]: keys too.
                // [condition exclusive.parts_of_second]: values too.
                self.add(own, Callee::Parts(*a));
                self.add(own, Callee::Parts(*b));
            }
            Ty::Tuple(members) => {
                for (_, member) in members {
                    // [condition exclusive.parts_of_tuple]: members too.
                    self.add(own, Callee::Parts(*member));
                }
            }
            Ty::Trait(id) => {
                let info = &types.traits[id.0 as usize];
                for (method, _) in info.methods.iter().enumerate() {
                    self.add(own, Callee::Method(*id, method as u32));
                }
                // [condition exclusive.parts_of_implementation]: whatever is in the trait object.
                for (item, _) in &info.impls {
                    self.add(own, Callee::Parts(*item));
                }
            }
            Ty::Adt(id) => {
                let adt = &types.adts[id.0 as usize];
                for func in [adt.to_text, adt.eq, adt.compare].into_iter().flatten() {
                    // [condition exclusive.own_methods]: a type says itself how it is printed and compared.
                    self.add(own, Callee::Func(func));
                }
                let class = adt.kind == AdtKind::Class;
                for (number, field) in adt.fields.iter().enumerate() {
                    // [condition exclusive.fields_shown]: otherwise the fields are shown.
                    // [condition exclusive.fields_without_text]: a method of its own shows what it shows.
                    if class && adt.to_text.is_none() {
                        self.uses(own, Root::Field(*id, number as u32));
                    }
                    // [condition exclusive.parts_of_field]: fields too.
                    self.add(own, Callee::Parts(field.ty));
                }
                // [condition exclusive.parts_of_variant]: those of variants too.
                for field in adt.variants.iter().flat_map(|variant| &variant.fields) {
                    self.add(own, Callee::Parts(field.ty));
                }
            }
            _ => {}
        }
    }

    /// The roots of which some method that changes them may come to code that uses them.
    fn contested(&self, sites: &[Site]) -> FxHashSet<Root> {
        let mut contested = FxHashSet::default();
        for root in &self.wanted {
            let mut reached: FxHashSet<usize> = FxHashSet::default();
            let mut work = self.users.get(root).cloned().unwrap_or_default();
            while let Some(number) = work.pop() {
                if reached.insert(number) {
                    // [condition exclusive.callers]: who calls one that comes there comes there.
                    work.extend(&self.callers[number]);
                }
            }
            let comes_there = |callee| {
                let number = self.numbers.get(&callee);
                number.is_some_and(|number| reached.contains(number))
            };
            // [condition exclusive.own_sites]: only methods that change this root.
            let mut calls = sites.iter().filter(|site| site.root == *root);
            // Whatever a method releases may be dropped.
            // [condition exclusive.released]: a method releases what it replaces.
            // [condition exclusive.reached]: only methods that come to such code.
            if comes_there(Callee::Drops) || calls.any(|site| comes_there(site.callee)) {
                contested.insert(*root);
            }
        }
        contested
    }
}

impl<'c, 'p> Builder<'c, 'p> {
    fn is_contested(&mut self, root: Root, ty: TyId) -> bool {
        let types = self.cx.types;
        self.cx.contested.contains(root, ty, types)
    }

    /// The object or variable that a place is in and which of its leaves the place is, or is inside of; `None` if it is not watched.
    fn watched(&mut self, place: &'p Place, parts: &PlaceParts) -> Option<(Var, Range<usize>)> {
        if self.cx.contested.is_empty() {
            return None;
        }
        let func = self.source?;
        let root = root_of(place, func, self.cx.types)?;
        let (ty, mut leaves, skip) = match root {
            Root::Global(global) => {
                let ty = self.cx.program.globals[global.0 as usize].ty;
                (ty, 0..self.cx.reprs.leaves(ty).len(), 0)
            }
            Root::Cell(ty) => (ty, 0..self.cx.reprs.leaves(ty).len(), 0),
            Root::Field(adt, field) => {
                let ty = self.cx.types.adts[adt.0 as usize].fields[field as usize].ty;
                let owner = self.cx.adt_type(adt);
                (ty, self.cx.reprs.member_range(owner, field), 1)
            }
        };
        if !self.is_contested(root, ty) {
            return None;
        }
        for step in &place.path[skip..] {
            // [condition exclusive.elements_are_whole]: elements are not told apart.
            let PlaceStep::Field(owner, field) = step else {
                break;
            };
            // [condition exclusive.part_of_place]: another field of the same struct may be used.
            let part = self.cx.reprs.member_range(*owner, *field);
            leaves = leaves.start + part.start..leaves.start + part.end;
        }
        let target = self.place_root(place, parts, false);
        let base = match target.spot {
            Spot::Memory { base, .. } => base,
            Spot::Vars(vars) => *vars.first()?,
        };
        Some((base, leaves))
    }

    /// Fails if a method is changing the place that is about to be walked.
    pub fn check_place(&mut self, place: &'p Place, parts: &PlaceParts) {
        if let Some((base, leaves)) = self.watched(place, parts) {
            self.check_access(base, leaves, place.span);
        }
    }

    fn check_access(&mut self, base: Var, leaves: Range<usize>, span: Span) {
        let leaves = self.i64(pack(leaves.start as u32, leaves.end as u32));
        self.rt(RtFn::AccessCheck, &[base, leaves], span);
    }

    /// Notes that a method is about to change a place; what [`Builder::undo`] takes when the method has returned. `holds` says, at run
    /// time, whether it changes the place at all.
    pub fn begin_access(
        &mut self,
        place: &'p Place,
        parts: &PlaceParts,
        holds: Option<Var>,
        span: Span,
    ) -> Option<Var> {
        let (mut base, leaves) = match self.option_of(place) {
            Some(option) => {
                // What leads to the option is in variables, for which the later assignment to it is the last use.
                let live = std::mem::take(&mut self.live);
                let parts = self.place_parts(option);
                self.live = live;
                self.watched(option, &parts)?
            }
            None => self.watched(place, parts)?,
        };
        // [condition exclusive.if_it_changes]: a method that may not be called changes nothing then.
        if let Some(holds) = holds {
            let null = self.null();
            base = self.select(holds, base, null);
        }
        let leaves = self.i64(pack(leaves.start as u32, leaves.end as u32));
        let site = self.site(span);
        let site = self.constant(MTy::I32, Const::Site(site));
        let number = self.rt_value(RtFn::AccessBegin, &[base, leaves, site], span);
        self.push(super::cleanup::EntryKind::Undo(RtFn::AccessEnd, number));
        Some(number)
    }

    /// The option whose value, or part of it, a method is called on: the value is in a variable until the method has returned.
    pub fn option_of(&self, place: &'p Place) -> Option<&'p Place> {
        if self.cx.contested.is_empty() {
            return None;
        }
        // [condition exclusive.options_watched]: until it does, nothing else may change the option.
        let body = self.source?.body.as_ref()?;
        self.taken.option(place, body)
    }

    /// Fails if a method is changing what a field of an instance holds; `part` says which of its leaves are read, if not all.
    pub fn check_field(
        &mut self,
        object: Var,
        owner: TyId,
        field: u32,
        part: Option<Range<usize>>,
        span: Span,
    ) {
        if self.cx.contested.is_empty() {
            return;
        }
        let Some(adt) = class_of(owner, self.cx.types) else {
            return;
        };
        let ty = self.cx.types.adts[adt.0 as usize].fields[field as usize].ty;
        if self.is_contested(Root::Field(adt, field), ty) {
            let whole = self.cx.reprs.member_range(owner, field);
            // [condition exclusive.part_of_field]: another field of the same struct may be read.
            let leaves = part.map_or(whole.clone(), |part| {
                whole.start + part.start..whole.start + part.end
            });
            self.check_access(object, leaves, span);
        }
    }

    /// The same for a module-level variable.
    pub fn check_global(&mut self, global: GlobalId, part: Option<Range<usize>>, span: Span) {
        if self.cx.contested.is_empty() {
            return;
        }
        let ty = self.cx.program.globals[global.0 as usize].ty;
        if self.is_contested(Root::Global(global), ty) {
            let home = self.cx.global(global).home;
            let base = self.constant(MTy::Ptr, home);
            let leaves = part.unwrap_or(0..self.cx.reprs.leaves(ty).len());
            self.check_access(base, leaves, span);
        }
    }

    /// The same for a variable in a cell.
    pub fn check_cell(&mut self, cell: Var, ty: TyId, part: Option<Range<usize>>, span: Span) {
        if !self.cx.contested.is_empty() && self.is_contested(Root::Cell(ty), ty) {
            let leaves = part.unwrap_or(0..self.cx.reprs.leaves(ty).len());
            self.check_access(cell, leaves, span);
        }
    }
}
