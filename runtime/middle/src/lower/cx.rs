//! What lowering shares across functions: the module under construction, numbers of texts, sites, descriptors and glue.
//!
//! Functions of the program keep their numbers; glue functions are requested by [`Glue`] and made later from a work list, so
//! that recursive types are not a problem. Leaves out bodies: `builder.rs` for one function, `glue/` for glue.

use super::exclusive::Contested;
use super::glue::Glue;
use super::object::TABLE_EQUAL;
use super::walk::{Node, walk};
use super::{ExternTable, Kept};
use crate::mir::{
    Block, Bytes, BytesId, Const, Convention, Desc, DescId, ExternId, FnId, Function, MTy, Module,
    Release, Site, SiteId, StaticId, Term, TextId, VtableId,
};
use crate::repr::{Counted, KeyForm, Layout, Leaf, Reprs, layout_of_leaves};
use rustc_hash::{FxHashMap, FxHashSet};
use simple_sema::typed::{
    AdtId, AdtKind, ExprKind, GlobalId, PlaceStep, Program, TraitId, Ty, TyId, Types,
};
use simple_syntax::{Diagnostic, Span};
use std::rc::Rc;

/// Where a module-level variable is.
pub(crate) struct GlobalHome {
    /// Its address: static memory of the module, or of an earlier piece of a session.
    pub home: Const,
    pub layout: Layout,
    pub leaves: Rc<[Leaf]>,
    /// Offset of the byte that says whether the initializer ran.
    pub flag: Option<i32>,
}

/// What a type descriptor describes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum DescKey {
    /// An array, dict, set, class or enum type.
    Type(TyId),
    /// The object of a trait object that holds a value of this type.
    Boxed(TyId),
    /// The closure objects over this function's captures.
    Closure(simple_sema::typed::FuncId),
}

/// State of lowering a program.
pub(crate) struct Cx<'p> {
    pub program: &'p Program,
    pub types: &'p Types,
    pub reprs: Reprs<'p>,
    pub module: Module,
    pub diagnostics: Vec<Diagnostic>,
    /// The places that are watched while `me` methods change them.
    pub contested: Contested,
    pub globals: Vec<GlobalHome>,
    pub work: Vec<(FnId, Glue)>,
    /// How many words the object of each generator has for its variables; generators are lowered first.
    pub generators: FxHashMap<simple_sema::typed::FuncId, u32>,
    /// Class fields that some place of the program changes; all others stay as they were constructed.
    changed_fields: FxHashSet<(TyId, u32)>,
    /// Classes that some weak field points to.
    weak_targets: FxHashSet<AdtId>,
    /// Whether some class has a `fn drop()`, so that code can run after a module-level variable is gone.
    pub any_drop: bool,
    /// Whether some class must be dropped eagerly.
    pub any_eager_drop: bool,
    /// Where the variables of earlier pieces are, if the program is a piece of a session.
    pub piece: Option<&'p Kept>,
    /// Method tables that no earlier piece has, by what they are of.
    pub new_tables: Vec<(String, VtableId)>,
    pub variant_statics: Vec<(AdtId, u32, StaticId)>,
    variant_homes: FxHashMap<(AdtId, u32), StaticId>,
    /// Whether values go from one thread to another.
    pub threads: bool,
    /// The table of variables that a new thread begins with.
    pub variables: Option<BytesId>,
    pub extern_ids: Vec<Option<ExternId>>,
    pub table: &'p dyn ExternTable,
    adt_types: FxHashMap<AdtId, TyId>,
    visible_drops: FxHashMap<TyId, bool>,
    texts: FxHashMap<String, TextId>,
    bytes: FxHashMap<Bytes, BytesId>,
    sites: FxHashMap<(FnId, Span), SiteId>,
    descs: FxHashMap<DescKey, DescId>,
    glue: FxHashMap<Glue, FnId>,
    vtables: FxHashMap<(TraitId, TyId), VtableId>,
    /// The methods that some code of the program calls on an object of the trait.
    called: FxHashSet<(TraitId, u32)>,
    /// Traits of whose objects two are compared by what their type is.
    compared: FxHashSet<TraitId>,
    unneeded: Option<FnId>,
    unsupported: FxHashSet<(String, Span)>,
}

impl<'p> Cx<'p> {
    pub fn new(
        program: &'p Program,
        table: &'p dyn ExternTable,
        piece: Option<&'p Kept>,
        threads: bool,
    ) -> Cx<'p> {
        let types = &program.types;
        let mut cx = Cx {
            program,
            types,
            reprs: Reprs::new(types),
            module: Module::default(),
            diagnostics: Vec::new(),
            contested: Contested::of(program, piece.is_some()),
            globals: Vec::new(),
            work: Vec::new(),
            generators: FxHashMap::default(),
            changed_fields: FxHashSet::default(),
            weak_targets: weak_targets(types),
            // A generator that is dropped runs what it deferred.
            any_drop: piece.is_some()
                || types.adts.iter().any(|adt| adt.drop.is_some())
                || program.funcs.iter().any(|func| func.is_generator),
            any_eager_drop: types.adts.iter().any(|adt| adt.eager_drop),
            piece,
            new_tables: Vec::new(),
            variant_statics: Vec::new(),
            variant_homes: FxHashMap::default(),
            variables: None,
            threads,
            extern_ids: vec![None; program.externs.len()],
            table,
            adt_types: FxHashMap::default(),
            visible_drops: FxHashMap::default(),
            texts: FxHashMap::default(),
            bytes: FxHashMap::default(),
            sites: FxHashMap::default(),
            descs: FxHashMap::default(),
            glue: FxHashMap::default(),
            vtables: FxHashMap::default(),
            called: FxHashSet::default(),
            compared: FxHashSet::default(),
            unneeded: None,
            unsupported: FxHashSet::default(),
        };
        for index in 0..types.len() {
            let ty = TyId(index as u32);
            if let Ty::Adt(adt) = types.get(ty) {
                cx.adt_types.insert(*adt, ty);
            }
        }
        for func in &program.funcs {
            let id = FnId(cx.module.funcs.len() as u32);
            cx.module.funcs.push(empty_function(&func.name));
            let site = cx.site(id, func.span);
            cx.module.funcs[id.0 as usize].site = Some(site);
            if let Some(body) = &func.body {
                walk(body, &mut |node| match node {
                    Node::Place(place) => {
                        for step in &place.path {
                            if let PlaceStep::Field(ty, field) = step {
                                cx.changed_fields.insert((*ty, *field));
                            }
                        }
                    }
                    Node::Expr(expr) => {
                        if let ExprKind::CallTrait(id, method, ..)
                        | ExprKind::CallTraitInout(id, method, ..) = expr.kind
                        {
                            cx.called.insert((id, method));
                        }
                    }
                    _ => {}
                });
            }
        }
        // Code that compares values with objects inside calls these, without a call in the program.
        for index in 0..types.len() {
            let ty = TyId(index as u32);
            if let Ty::Trait(id) = types.get(ty) {
                let info = &types.traits[id.0 as usize];
                let methods = [false, true].map(|order| info.comparison(ty, order));
                cx.called
                    .extend(methods.into_iter().flatten().map(|at| (*id, at)));
            }
        }
        for (index, global) in program.globals.iter().enumerate() {
            let mut leaves = cx.reprs.leaves(global.ty).to_vec();
            for leaf in &mut leaves {
                // Before its initializer, and after the end of the program, a variable is all zeros.
                leaf.nullable |= leaf.counted.is_some();
            }
            let layout = layout_of_leaves(&leaves, 0);
            let kept = piece.and_then(|kept| kept.variables.get(&GlobalId(index as u32)));
            // A piece always notes whether its own variables got a value; one that is kept has its value.
            // In a thread a variable whose value could not go there has none.
            let may_be_absent = threads && leaves.iter().any(|leaf| leaf.nullable);
            let flagged = kept.is_none() && (global.checked || piece.is_some() || may_be_absent);
            let flag = flagged.then_some(layout.size as i32);
            let home = match kept {
                Some(address) => Const::Int(*address as i64),
                None => Const::Static(cx.new_static((layout.size + 1).next_multiple_of(8))),
            };
            cx.globals.push(GlobalHome {
                home,
                layout,
                leaves: leaves.into(),
                flag,
            });
        }
        cx
    }

    /// Whether a field of a class may change after construction.
    ///
    /// A session can be continued by code that changes any field.
    pub fn may_change(&self, ty: TyId, field: u32) -> bool {
        self.piece.is_some() || self.changed_fields.contains(&(ty, field))
    }

    /// Whether a weak field may point to instances of a class.
    pub fn is_weak_target(&self, class: AdtId) -> bool {
        self.piece.is_some() || self.weak_targets.contains(&class)
    }

    /// A fresh piece of zeroed static memory.
    pub fn new_static(&mut self, size: u32) -> StaticId {
        self.module.statics.push(size.max(8));
        StaticId(self.module.statics.len() as u32 - 1)
    }

    pub fn global(&self, id: GlobalId) -> &GlobalHome {
        &self.globals[id.0 as usize]
    }

    /// The static text with this content.
    pub fn text(&mut self, content: &str) -> TextId {
        if let Some(&id) = self.texts.get(content) {
            return id;
        }
        let id = TextId(self.module.texts.len() as u32);
        self.module.texts.push(content.to_string());
        self.texts.insert(content.to_string(), id);
        id
    }

    /// The constant memory with this content.
    pub fn constant_bytes(&mut self, bytes: Bytes) -> BytesId {
        if let Some(&id) = self.bytes.get(&bytes) {
            return id;
        }
        let id = BytesId(self.module.bytes.len() as u32);
        self.module.bytes.push(bytes.clone());
        self.bytes.insert(bytes, id);
        id
    }

    /// The number of a place in the source inside function `func`.
    pub fn site(&mut self, func: FnId, span: Span) -> SiteId {
        let sites = &mut self.module.sites;
        *self.sites.entry((func, span)).or_insert_with(|| {
            sites.push(Site { func, span });
            SiteId(sites.len() as u32 - 1)
        })
    }

    /// The same, with a number of its own.
    pub fn own_site(&mut self, func: FnId, span: Span) -> SiteId {
        self.module.sites.push(Site { func, span });
        SiteId(self.module.sites.len() as u32 - 1)
    }

    /// The glue function, made later if it is new.
    pub fn glue(&mut self, glue: Glue) -> FnId {
        if let Some(&id) = self.glue.get(&glue) {
            return id;
        }
        let id = FnId(self.module.funcs.len() as u32);
        self.module.funcs.push(empty_function(""));
        self.glue.insert(glue, id);
        self.work.push((id, glue));
        id
    }

    /// The type that is this struct, class or enum.
    pub fn adt_type(&self, id: AdtId) -> TyId {
        self.adt_types.get(&id).copied().unwrap_or(TyId::ERROR)
    }

    /// Where a place in glue for `ty` points: the declaration of the type.
    pub fn type_span(&self, ty: TyId) -> Span {
        self.types.adt(ty).map(|adt| adt.span).unwrap_or_default()
    }

    /// The descriptor of `key`.
    pub fn desc(&mut self, key: DescKey) -> DescId {
        if let Some(&id) = self.descs.get(&key) {
            return id;
        }
        let id = DescId(self.module.descs.len() as u32);
        self.descs.insert(key, id);
        self.module.descs.push(Desc::default());
        let mut desc = match key {
            DescKey::Type(ty) => {
                let mut desc = Desc {
                    name: self.types.name(ty),
                    destroy: Some(self.glue(Glue::Destroy(ty))),
                    ..Desc::default()
                };
                match *self.types.get(ty) {
                    Ty::Array(item) => {
                        desc.stride = self.reprs.layout(item).stride();
                        if self.reprs.is_counted(item) {
                            desc.retain_elements = Some(self.glue(Glue::RetainElements(item)));
                        }
                    }
                    Ty::Dict(..) | Ty::Set(_) => {
                        let table = self.reprs.table(ty);
                        desc.stride = table.stride;
                        desc.stored_hash = table.form != KeyForm::Word;
                        if self.reprs.is_counted(table.key) || self.reprs.is_counted(table.value) {
                            desc.retain_elements = Some(self.glue(Glue::RetainEntries(ty)));
                        }
                    }
                    _ => {}
                }
                desc
            }
            DescKey::Boxed(ty) => Desc {
                name: self.types.name(ty),
                destroy: Some(self.glue(Glue::DestroyBox(ty))),
                ..Desc::default()
            },
            DescKey::Closure(func) => Desc {
                name: self.program.funcs[func.0 as usize].name.clone(),
                destroy: Some(self.glue(Glue::DestroyClosure(func))),
                ..Desc::default()
            },
        };
        if self.threads {
            desc.parts = Some(self.parts_of(key));
            if let DescKey::Type(ty) = key
                && let Some(adt) = self.types.adt(ty)
                && adt.leave.is_some()
                && adt.enter.is_some()
            {
                desc.leave = Some(self.glue(Glue::Leave(ty)));
                desc.enter = Some(self.glue(Glue::Enter(ty)));
            }
        }
        self.module.descs[id.0 as usize] = desc;
        id
    }

    /// How a reference in `leaf` is released.
    pub fn release_of(&mut self, leaf: Leaf) -> Release {
        let destroy = match leaf.counted {
            Some(Counted::Array(ty) | Counted::Table(ty)) => Some(self.glue(Glue::Destroy(ty))),
            Some(Counted::Class(id) | Counted::Enum(id)) => {
                let ty = self.adt_type(id);
                Some(self.glue(Glue::Destroy(ty)))
            }
            Some(Counted::Box(ty)) => Some(self.glue(Glue::DestroyBox(ty))),
            Some(Counted::Text | Counted::Dynamic) | None => None,
        };
        Release {
            destroy,
            text: leaf.counted == Some(Counted::Text),
            nullable: leaf.nullable,
        }
    }

    /// The immortal object of a variant without payload in an enum that has payloads; the entry fills it in.
    pub fn variant_static(&mut self, id: AdtId, variant: u32) -> StaticId {
        if let Some(&home) = self.variant_homes.get(&(id, variant)) {
            return home;
        }
        let home = self.new_static(24);
        self.variant_statics.push((id, variant, home));
        self.variant_homes.insert((id, variant), home);
        home
    }

    /// What a method table is of, in words that mean the same in every piece of a session.
    fn table_identity(&self, id: TraitId, ty: TyId) -> String {
        let mut identity = String::new();
        self.add_trait(id, &mut identity);
        self.add_identity(ty, &mut identity);
        identity
    }

    fn add_trait(&self, id: TraitId, out: &mut String) {
        let info = &self.types.traits[id.0 as usize];
        out.push_str(&self.place_of(info.span));
        info.args
            .iter()
            .for_each(|&arg| self.add_identity(arg, out));
    }

    fn place_of(&self, span: Span) -> String {
        let file = &self.program.sources.file(span.file).path;
        format!("{file}:{} ", span.lo)
    }

    fn add_identity(&self, ty: TyId, out: &mut String) {
        out.push_str(&self.types.name(ty));
        out.push(' ');
        match self.types.get(ty) {
            Ty::Adt(id) => {
                let adt = &self.types.adts[id.0 as usize];
                out.push_str(&self.place_of(adt.span));
                adt.args.iter().for_each(|&arg| self.add_identity(arg, out));
            }
            Ty::Trait(id) => self.add_trait(*id, out),
            Ty::Array(a) | Ty::Set(a) | Ty::Option(a) => self.add_identity(*a, out),
            Ty::Dict(a, b) | Ty::Result(a, b) => {
                self.add_identity(*a, out);
                self.add_identity(*b, out);
            }
            Ty::Tuple(parts) => parts.iter().for_each(|(_, ty)| self.add_identity(*ty, out)),
            Ty::Fn(params, ret) => {
                params.iter().for_each(|&ty| self.add_identity(ty, out));
                self.add_identity(*ret, out);
            }
            _ => {}
        }
    }

    /// The method table of `ty` as `id`: printing, unsharing and comparing first, then the methods. Those that nothing calls on an
    /// object of the trait are left out, so that a library's trait may have many; a session may call them later.
    pub fn vtable(&mut self, id: TraitId, ty: TyId) -> VtableId {
        if let Some(&known) = self.vtables.get(&(id, ty)) {
            return known;
        }
        let number = VtableId(self.module.vtables.len() as u32);
        self.vtables.insert((id, ty), number);
        self.module.vtables.push(Vec::new());
        if let Some(kept) = self.piece {
            let identity = self.table_identity(id, ty);
            if let Some(&address) = kept.tables.get(&identity) {
                self.module.kept_tables.insert(number, address);
                return number;
            }
            self.new_tables.push((identity, number));
        }
        let equal = match self.piece.is_some() || self.compared.contains(&id) {
            true => self.glue(Glue::EqualBoxed(ty)),
            // Entered when a comparison is met later.
            false => self.never_called(),
        };
        let mut table = vec![
            self.glue(Glue::PrintBoxed(ty)),
            self.glue(Glue::Unshare(ty)),
            equal,
        ];
        let methods = self.types.traits[id.0 as usize]
            .impls
            .iter()
            .find(|(implementor, _)| *implementor == ty)
            .map(|(_, methods)| methods.clone())
            .unwrap_or_default();
        for (method, func) in (0..).zip(methods) {
            table.push(
                if self.piece.is_none() && !self.called.contains(&(id, method)) {
                    self.never_called()
                } else if self.boxes_itself(ty) {
                    FnId(func.0)
                } else {
                    self.glue(Glue::BoxedMethod(func, ty))
                },
            );
        }
        self.module.vtables[number.0 as usize] = table;
        number
    }

    /// Whether all objects of the trait are instances of classes that compare by identity. A session may add others.
    pub fn compares_by_identity(&self, id: TraitId) -> bool {
        let mut impls = self.types.traits[id.0 as usize].impls.iter();
        self.piece.is_none()
            && impls.all(|(ty, _)| {
                let adt = self.types.adt(*ty);
                adt.is_some_and(|adt| adt.kind == AdtKind::Class && adt.eq.is_none())
            })
    }

    /// Notes that objects of the trait are compared by what their type is: tables that are there already get what compares.
    pub fn compares_objects(&mut self, id: TraitId) {
        if self.piece.is_some() || !self.compared.insert(id) {
            return;
        }
        let tables = self.vtables.iter().filter(|((of, _), _)| *of == id);
        let mut tables: Vec<(VtableId, TyId)> = tables.map(|((_, ty), at)| (*at, *ty)).collect();
        tables.sort_unstable();
        for (number, ty) in tables {
            let equal = self.glue(Glue::EqualBoxed(ty));
            if let Some(entry) = self.module.vtables[number.0 as usize].get_mut(TABLE_EQUAL) {
                *entry = equal;
            }
        }
    }

    /// The function to name where none is ever called.
    fn never_called(&mut self) -> FnId {
        *self.unneeded.get_or_insert_with(|| {
            let id = FnId(self.module.funcs.len() as u32);
            self.module.funcs.push(empty_function("<never called>"));
            id
        })
    }

    /// Whether a value of `ty` is the object of a trait object itself: a class instance. Everything else goes into a box.
    pub fn boxes_itself(&self, ty: TyId) -> bool {
        self.types
            .adt(ty)
            .is_some_and(|adt| adt.kind == AdtKind::Class)
    }

    /// Whether the program can see when a value of `ty` is destroyed: by a `drop`, or by a weak field that becomes absent.
    pub fn has_visible_drop(&mut self, ty: TyId) -> bool {
        if let Some(&known) = self.visible_drops.get(&ty) {
            return known;
        }
        // A recursive type is invisible as far as the recursion goes.
        self.visible_drops.insert(ty, false);
        let found = self.find_visible_drop(ty, &mut FxHashSet::default());
        self.visible_drops.insert(ty, found);
        found
    }

    /// Whether nothing in a value of `ty` has a `drop`, whenever that runs: the value may go before its caller has
    /// returned, and with it nothing that a number could be the handle of.
    pub fn is_plain(&mut self, ty: TyId) -> bool {
        !self.has_visible_drop(ty) && !self.finds_drop(ty, &mut FxHashSet::default())
    }

    fn finds_drop(&self, ty: TyId, seen: &mut FxHashSet<TyId>) -> bool {
        if !seen.insert(ty) {
            return false;
        }
        match self.types.get(ty) {
            Ty::Fn(..) | Ty::Trait(_) => true,
            Ty::Array(item) | Ty::Set(item) | Ty::Option(item) => self.finds_drop(*item, seen),
            Ty::Dict(a, b) | Ty::Result(a, b) => {
                self.finds_drop(*a, seen) || self.finds_drop(*b, seen)
            }
            Ty::Tuple(members) => members.iter().any(|(_, ty)| self.finds_drop(*ty, seen)),
            Ty::Adt(id) => {
                let adt = &self.types.adts[id.0 as usize];
                let payloads = adt.variants.iter().flat_map(|variant| &variant.fields);
                adt.drop.is_some()
                    || (adt.fields.iter().chain(payloads))
                        .any(|field| self.finds_drop(field.ty, seen))
            }
            _ => false,
        }
    }

    fn find_visible_drop(&self, ty: TyId, seen: &mut FxHashSet<TyId>) -> bool {
        if !seen.insert(ty) {
            return false;
        }
        match self.types.get(ty) {
            Ty::Fn(..) | Ty::Trait(_) => true,
            Ty::Array(item) | Ty::Set(item) | Ty::Option(item) => {
                self.find_visible_drop(*item, seen)
            }
            Ty::Dict(a, b) | Ty::Result(a, b) => {
                self.find_visible_drop(*a, seen) || self.find_visible_drop(*b, seen)
            }
            Ty::Tuple(members) => members
                .iter()
                .any(|(_, ty)| self.find_visible_drop(*ty, seen)),
            Ty::Adt(id) => {
                let adt = &self.types.adts[id.0 as usize];
                if adt.kind == AdtKind::Class && adt.eager_drop {
                    return false;
                }
                adt.drop.is_some()
                    || self.is_weak_target(*id)
                    || adt
                        .fields
                        .iter()
                        .any(|field| self.find_visible_drop(field.ty, seen))
                    || adt
                        .variants
                        .iter()
                        .flat_map(|variant| &variant.fields)
                        .any(|field| self.find_visible_drop(field.ty, seen))
            }
            _ => false,
        }
    }

    /// Whether a field of a class is declared weak.
    pub fn is_weak(&self, adt: AdtId, field: u32) -> bool {
        let fields = &self.types.adts[adt.0 as usize].fields;
        fields.get(field as usize).is_some_and(|field| field.weak)
    }

    /// Reports a construct that this compiler cannot lower yet.
    pub fn not_supported(&mut self, span: Span, what: &str) {
        if self.unsupported.insert((what.to_string(), span)) {
            self.diagnostics.push(
                Diagnostic::error(
                    super::NOT_SUPPORTED,
                    span,
                    format!("{what} are not supported yet"),
                )
                .help("write it differently until the compiler learns it"),
            );
        }
    }
}

/// The classes that some weak field points to.
fn weak_targets(types: &Types) -> FxHashSet<AdtId> {
    let fields = types.adts.iter().flat_map(|adt| &adt.fields);
    fields
        .filter(|field| field.weak)
        .filter_map(|field| match types.get(field.ty) {
            Ty::Option(item) => match types.get(*item) {
                Ty::Adt(id) => Some(*id),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

/// A function without a body, to reserve a number.
pub(crate) fn empty_function(name: &str) -> Function {
    Function {
        name: name.to_string(),
        vars: Vec::new(),
        params: Vec::new(),
        results: Vec::<MTy>::new(),
        blocks: vec![Block {
            insts: Vec::new(),
            term: Term::Unreachable,
            cold: false,
        }],
        slots: Vec::new(),
        can_fail: false,
        checks_stack: false,
        quick: false,
        part: false,
        convention: Convention::Simple,
        on_stack: Vec::new(),
        site: None,
    }
}
