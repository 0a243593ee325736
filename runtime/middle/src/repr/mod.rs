//! How values are represented: every type is a list of scalar leaves.
//!
//! | type | leaves |
//! | --- | --- |
//! | number, `bool` | itself |
//! | `text`, `[T]`, dict, set, class, closure, enum with payload | a counted pointer |
//! | struct, tuple | those of its members |
//! | enum without payload | `I32`, the variant's number |
//! | trait object | counted pointer, method table |
//! | `T?` | those of `T`, null in the first when absent; if that cannot be null otherwise a flag comes first |
//! | `T?` where `T` contains `T?` by value | a counted pointer to a box with the payload, null when absent |
//! | `Result<T, E>` | flag (1 is `Ok`), those of `T`, those of `E` |
//! | `Range` | start, end, whether it was written with `..=` |
//!
//! What is absent is zero: counted leaves of the side of an option or result that is not there are null, so counting goes
//! leaf by leaf and asks no flag. Leaves out code; `layout.rs` places leaves in memory, `lower/` uses both.

mod layout;
mod table;

pub use layout::{Layout, layout_of_leaves, size_of};
pub use table::{KeyForm, TableLayout};

use crate::mir::MTy;
use rustc_hash::{FxHashMap, FxHashSet};
use simple_sema::typed::{AdtId, AdtKind, IntTy, Ty, TyId, Types};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// What a counted pointer points to; decides how it is destroyed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Counted {
    /// A text.
    Text,
    /// An array of this type.
    Array(TyId),
    /// A dict or set of this type.
    Table(TyId),
    /// A class instance.
    Class(AdtId),
    /// A boxed enum value.
    Enum(AdtId),
    /// The box of an option's payload of this type.
    Box(TyId),
    /// Something that only its descriptor knows: a closure, the object of a trait object.
    Dynamic,
}

/// A scalar part of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Leaf {
    /// Its machine type.
    pub ty: MTy,
    /// What it points to, if it is counted.
    pub counted: Option<Counted>,
    /// Whether a counted leaf may be null.
    pub nullable: bool,
}

impl Leaf {
    fn plain(ty: MTy) -> Leaf {
        Leaf {
            ty,
            counted: None,
            nullable: false,
        }
    }

    fn counted(of: Counted) -> Leaf {
        Leaf {
            ty: MTy::Ptr,
            counted: Some(of),
            nullable: false,
        }
    }
}

/// Layouts of the objects of classes and of variants with a payload.
type ObjectLayouts = FxHashMap<(AdtId, Option<u32>), Rc<Layout>>;

/// The members of a struct, class or tuple.
#[derive(Debug)]
struct Members {
    /// Per member: where its leaves end among all.
    ends: Vec<usize>,
    leaves: Rc<[Leaf]>,
}

/// How an option tells absence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionForm {
    /// The first leaf of the payload is null.
    Null,
    /// A flag precedes the payload.
    Flag,
    /// The payload is in a separate box, because it contains such an option itself; null when absent.
    Boxed,
}

/// Representations of all types of a program, computed once each.
#[derive(Debug)]
pub struct Reprs<'p> {
    types: &'p Types,
    known: RefCell<FxHashMap<TyId, Rc<[Leaf]>>>,
    layouts: RefCell<FxHashMap<TyId, Rc<Layout>>>,
    member_lists: RefCell<FxHashMap<TyId, Rc<Members>>>,
    objects: RefCell<ObjectLayouts>,
    recursive: RefCell<FxHashMap<TyId, bool>>,
    open: RefCell<Vec<TyId>>,
    endless: RefCell<Vec<TyId>>,
}

impl<'p> Reprs<'p> {
    /// Over these types.
    pub fn new(types: &'p Types) -> Reprs<'p> {
        Reprs {
            types,
            known: RefCell::default(),
            layouts: RefCell::default(),
            member_lists: RefCell::default(),
            objects: RefCell::default(),
            recursive: RefCell::default(),
            open: RefCell::default(),
            endless: RefCell::default(),
        }
    }

    /// The types.
    pub fn types(&self) -> &'p Types {
        self.types
    }

    /// Value types that were found to contain themselves, and so have no representation.
    pub fn endless(&self) -> Vec<TyId> {
        self.endless.borrow().clone()
    }

    /// The leaves of `ty`.
    pub fn leaves(&self, ty: TyId) -> Rc<[Leaf]> {
        if let Some(known) = self.known.borrow().get(&ty) {
            return known.clone();
        }
        if self.open.borrow().contains(&ty) {
            self.endless.borrow_mut().push(ty);
            return Rc::new([]);
        }
        self.open.borrow_mut().push(ty);
        let leaves: Rc<[Leaf]> = self.compute(ty).into();
        self.open.borrow_mut().pop();
        self.known.borrow_mut().insert(ty, leaves.clone());
        leaves
    }

    fn compute(&self, ty: TyId) -> Vec<Leaf> {
        match self.types.get(ty) {
            Ty::Never | Ty::Unit | Ty::Param(_) | Ty::Infer(_) | Ty::Assoc(..) | Ty::Error => {
                vec![]
            }
            Ty::Bool => vec![Leaf::plain(MTy::I8)],
            Ty::Int(int) => vec![Leaf::plain(int_mty(*int))],
            Ty::Handle(_) => vec![Leaf::plain(MTy::I64)],
            Ty::F32 => vec![Leaf::plain(MTy::F32)],
            Ty::F64 => vec![Leaf::plain(MTy::F64)],
            Ty::Text => vec![Leaf::counted(Counted::Text)],
            Ty::Array(_) => vec![Leaf::counted(Counted::Array(ty))],
            Ty::Dict(..) | Ty::Set(_) => vec![Leaf::counted(Counted::Table(ty))],
            Ty::Fn(..) => vec![Leaf::counted(Counted::Dynamic)],
            Ty::Trait(_) => vec![Leaf::counted(Counted::Dynamic), Leaf::plain(MTy::Ptr)],
            Ty::Tuple(members) => members
                .iter()
                .flat_map(|(_, ty)| self.leaves(*ty).to_vec())
                .collect(),
            Ty::Range => vec![
                Leaf::plain(MTy::I64),
                Leaf::plain(MTy::I64),
                Leaf::plain(MTy::I8),
            ],
            Ty::Option(item) => {
                let mut leaves = Vec::new();
                match self.option_form(ty) {
                    OptionForm::Null => {}
                    OptionForm::Flag => leaves.push(Leaf::plain(MTy::I8)),
                    OptionForm::Boxed => {
                        return vec![Leaf {
                            nullable: true,
                            ..Leaf::counted(Counted::Box(*item))
                        }];
                    }
                }
                leaves.extend(self.nullable_leaves(*item));
                leaves
            }
            Ty::Result(ok, err) => {
                let mut leaves = vec![Leaf::plain(MTy::I8)];
                leaves.extend(self.nullable_leaves(*ok));
                leaves.extend(self.nullable_leaves(*err));
                leaves
            }
            Ty::Adt(id) => {
                let adt = &self.types.adts[id.0 as usize];
                match adt.kind {
                    AdtKind::Struct => adt
                        .fields
                        .iter()
                        .flat_map(|field| self.leaves(field.ty).to_vec())
                        .collect(),
                    AdtKind::Class => vec![Leaf::counted(Counted::Class(*id))],
                    AdtKind::Enum if self.is_boxed_enum(*id) => {
                        vec![Leaf::counted(Counted::Enum(*id))]
                    }
                    AdtKind::Enum => vec![Leaf::plain(MTy::I32)],
                }
            }
        }
    }

    fn nullable_leaves(&self, ty: TyId) -> Vec<Leaf> {
        let mut leaves = self.leaves(ty).to_vec();
        for leaf in &mut leaves {
            leaf.nullable = leaf.counted.is_some();
        }
        leaves
    }

    /// Whether some variant of the enum has a payload.
    pub fn is_boxed_enum(&self, id: AdtId) -> bool {
        self.types.adts[id.0 as usize]
            .variants
            .iter()
            .any(|variant| !variant.fields.is_empty())
    }

    /// How the option type `ty` tells absence.
    pub fn option_form(&self, ty: TyId) -> OptionForm {
        let Ty::Option(item) = self.types.get(ty) else {
            return OptionForm::Flag;
        };
        if self.is_recursive_option(ty) {
            return OptionForm::Boxed;
        }
        match self.leaves(*item).first() {
            Some(Leaf {
                counted: Some(_),
                nullable: false,
                ..
            }) => OptionForm::Null,
            _ => OptionForm::Flag,
        }
    }

    /// Whether the payload of the option type `ty` contains another value of `ty` by value.
    fn is_recursive_option(&self, ty: TyId) -> bool {
        if let Some(&known) = self.recursive.borrow().get(&ty) {
            return known;
        }
        let mut seen = FxHashSet::default();
        let mut todo = self.inline_parts(ty);
        let mut found = false;
        while let Some(part) = todo.pop() {
            if part == ty {
                found = true;
                break;
            }
            if seen.insert(part) {
                todo.extend(self.inline_parts(part));
            }
        }
        self.recursive.borrow_mut().insert(ty, found);
        found
    }

    /// The types whose values are inside a value of `ty` itself.
    fn inline_parts(&self, ty: TyId) -> Vec<TyId> {
        match self.types.get(ty) {
            Ty::Option(item) => vec![*item],
            Ty::Result(ok, err) => vec![*ok, *err],
            Ty::Tuple(members) => members.iter().map(|(_, ty)| *ty).collect(),
            Ty::Adt(id) if self.types.adts[id.0 as usize].kind == AdtKind::Struct => {
                self.members(ty)
            }
            _ => Vec::new(),
        }
    }

    /// Where the payload of the option type `ty`, which is not boxed, is among its leaves.
    pub fn option_payload(&self, ty: TyId) -> Range<usize> {
        let len = self.leaves(ty).len();
        match self.option_form(ty) {
            OptionForm::Null => 0..len,
            OptionForm::Flag | OptionForm::Boxed => 1..len,
        }
    }

    /// Where the payloads of the result type `ty` are among its leaves.
    pub fn result_payloads(&self, ty: TyId) -> (Range<usize>, Range<usize>) {
        let Ty::Result(ok, _) = self.types.get(ty) else {
            return (0..0, 0..0);
        };
        let split = 1 + self.leaves(*ok).len();
        (1..split, split..self.leaves(ty).len())
    }

    /// The types of the members of a struct, class or tuple.
    pub fn members(&self, ty: TyId) -> Vec<TyId> {
        match self.types.get(ty) {
            Ty::Tuple(members) => members.iter().map(|(_, ty)| *ty).collect(),
            Ty::Adt(id) => self.types.adts[id.0 as usize]
                .fields
                .iter()
                .map(|field| field.ty)
                .collect(),
            Ty::Range => vec![TyId::I64, TyId::I64, TyId::BOOL],
            _ => Vec::new(),
        }
    }

    fn member_list(&self, ty: TyId) -> Rc<Members> {
        if let Some(known) = self.member_lists.borrow().get(&ty) {
            return known.clone();
        }
        let mut members = Members {
            ends: Vec::new(),
            leaves: Rc::new([]),
        };
        let mut leaves = Vec::new();
        for member in self.members(ty) {
            leaves.extend_from_slice(&self.leaves(member));
            members.ends.push(leaves.len());
        }
        members.leaves = leaves.into();
        let members = Rc::new(members);
        self.member_lists.borrow_mut().insert(ty, members.clone());
        members
    }

    /// The leaves of all members of a struct, class or tuple.
    pub fn member_leaves(&self, ty: TyId) -> Rc<[Leaf]> {
        self.member_list(ty).leaves.clone()
    }

    /// Which leaves of a struct or tuple belong to member `index`; for a class, which of its fields' leaves.
    pub fn member_range(&self, ty: TyId, index: u32) -> Range<usize> {
        let members = self.member_list(ty);
        let end = |index: usize| members.ends.get(index).copied();
        let index = index as usize;
        let last = members.leaves.len();
        let start = index
            .checked_sub(1)
            .map_or(0, |before| end(before).unwrap_or(last));
        start..end(index).unwrap_or(last)
    }

    /// The leaves of all members, one after the other.
    pub fn all_leaves(&self, tys: &[TyId]) -> Vec<Leaf> {
        tys.iter()
            .flat_map(|ty| self.leaves(*ty).to_vec())
            .collect()
    }

    /// Where the leaves of a value of `ty` are in an array element or a box.
    pub fn layout(&self, ty: TyId) -> Rc<Layout> {
        if let Some(known) = self.layouts.borrow().get(&ty) {
            return known.clone();
        }
        let layout = Rc::new(layout_of_leaves(&self.leaves(ty), 0));
        self.layouts.borrow_mut().insert(ty, layout.clone());
        layout
    }

    /// Where the leaves of the fields of a class are, from the start of the object.
    pub fn class_layout(&self, id: AdtId) -> Rc<Layout> {
        self.object_layout(id, None, simple_core::layout::FIELDS as u32, || {
            let fields = self.types.adts[id.0 as usize].fields.iter();
            fields.map(|field| field.ty).collect()
        })
    }

    fn object_layout(
        &self,
        id: AdtId,
        variant: Option<u32>,
        start: u32,
        tys: impl FnOnce() -> Vec<TyId>,
    ) -> Rc<Layout> {
        if let Some(known) = self.objects.borrow().get(&(id, variant)) {
            return known.clone();
        }
        let layout = Rc::new(layout_of_leaves(&self.all_leaves(&tys()), start));
        self.objects
            .borrow_mut()
            .insert((id, variant), layout.clone());
        layout
    }

    /// The payload types of a variant.
    pub fn payload(&self, id: AdtId, variant: u32) -> Vec<TyId> {
        self.types.adts[id.0 as usize]
            .variants
            .get(variant as usize)
            .map(|variant| variant.fields.iter().map(|field| field.ty).collect())
            .unwrap_or_default()
    }

    /// Where the payload of a variant is, from the start of the boxed object; its tag, an `I64`, is at `FIELDS`.
    pub fn variant_layout(&self, id: AdtId, variant: u32) -> Rc<Layout> {
        let start = simple_core::layout::FIELDS as u32 + 8;
        self.object_layout(id, Some(variant), start, || self.payload(id, variant))
    }

    /// Whether a value of `ty` holds counted pointers.
    pub fn is_counted(&self, ty: TyId) -> bool {
        self.leaves(ty).iter().any(|leaf| leaf.counted.is_some())
    }
}

/// The machine type of an integer type.
pub fn int_mty(int: IntTy) -> MTy {
    match int.bits {
        8 => MTy::I8,
        16 => MTy::I16,
        32 => MTy::I32,
        _ => MTy::I64,
    }
}
