//! Concrete types, interned: equal types have equal [`TyId`]s.

use super::{Foreign, FuncId};
use rustc_hash::FxHashMap;
use simple_syntax::{Span, Symbol};
use std::fmt::Write;

/// What a type that is a mistake is called in a text: a character that no program can name. A report that would have to show it follows
/// from one that was made.
pub(crate) const ERROR_NAME: char = '\u{fdd0}';

/// Number of a type in [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TyId(pub u32);

/// Number of a struct, class or enum instance in [`Types::adts`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AdtId(pub u32);

/// Number of a trait instance in [`Types::traits`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TraitId(pub u32);

/// A type of `extern type`: opaque, 64 bits wide.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct HandleTy {
    /// Its name.
    pub name: Symbol,
    /// Tells it from others of the same name.
    pub number: u32,
}

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct IntTy {
    /// 8, 16, 32 or 64.
    pub bits: u8,
    /// Whether it has a sign.
    pub signed: bool,
}

impl IntTy {
    /// `i64`, the default integer type.
    pub const I64: IntTy = IntTy {
        bits: 64,
        signed: true,
    };
}

/// A concrete type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    /// The type of what never yields a value: `return`, `panic`.
    Never,
    /// `()`.
    Unit,
    /// `bool`.
    Bool,
    /// `i8` to `u64`.
    Int(IntTy),
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// `text`.
    Text,
    /// `[T]`, a value: copied on write.
    Array(TyId),
    /// `{K: V}`, a value: copied on write.
    Dict(TyId, TyId),
    /// `Set<T>`, a value: copied on write.
    Set(TyId),
    /// `(A, B)` with the labels of its members, if any.
    Tuple(Vec<(Option<Symbol>, TyId)>),
    /// `a..b` or `a..=b` over `i64`; three parts: start, end (exclusive, already normalized), printed as written.
    Range,
    /// `T?`. `lenient` optionals (`doc/language/options_and_results.md`) are the same type; the checker tracks the mark.
    Option(TyId),
    /// `Result<T, E>`.
    Result(TyId, TyId),
    /// `fn(A) -> R`: a counted closure.
    Fn(Vec<TyId>, TyId),
    /// A struct, class or enum.
    Adt(AdtId),
    /// A trait object.
    Trait(TraitId),
    /// A type of `extern type`, an `i64` in all but its type.
    Handle(HandleTy),
    /// A type parameter inside the check of a generic body; never reaches code generation.
    Param(Symbol),
    /// A type that inference has yet to find; never reaches code generation.
    Infer(u32),
    /// The associated type of this name of a type that inference has yet to find; never reaches code generation.
    Assoc(TyId, Symbol),
    /// What an error left without a type; never reaches code generation.
    Error,
}

/// Which kind of type an [`Adt`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AdtKind {
    /// A value type with fields.
    Struct,
    /// A counted reference type with fields.
    Class,
    /// A value type with variants.
    Enum,
}

/// A struct, class or enum with concrete type arguments.
#[derive(Debug)]
pub struct Adt {
    /// Its name without arguments, as values print it: `Point`.
    pub name: Symbol,
    /// Its type arguments.
    pub args: Vec<TyId>,
    /// Struct, class or enum.
    pub kind: AdtKind,
    /// Fields of a struct or class, in declaration order; empty for an enum.
    pub fields: Vec<Field>,
    /// Variants of an enum, in declaration order; empty otherwise.
    pub variants: Vec<Variant>,
    /// `fn drop()` of a class; takes `self`.
    pub drop: Option<FuncId>,
    /// `fn leave_thread() -> i64` of a class: the number of which another thread makes the object again.
    pub leave: Option<FuncId>,
    /// `static fn enter_thread(number: i64) -> Self`: makes it.
    pub enter: Option<FuncId>,
    /// `@eager_drop`: released right after the last use of a variable.
    pub eager_drop: bool,
    /// `fn to_string() -> text`, which decides printing.
    pub to_text: Option<FuncId>,
    /// `fn eq(other: Self) -> bool`.
    pub eq: Option<FuncId>,
    /// `fn compare(other: Self) -> i64`.
    pub compare: Option<FuncId>,
    /// The declaration.
    pub span: Span,
}

/// A field of a struct, class or variant.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; `None` for a variant's unnamed payload.
    pub name: Option<Symbol>,
    /// Its type.
    pub ty: TyId,
    /// Declared `weak`: holds no count; its type is then an option of a class.
    pub weak: bool,
}

/// A variant of an enum.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its name.
    pub name: Symbol,
    /// Its payload.
    pub fields: Vec<Field>,
    /// Its ordinal, what `as i64` gives.
    pub discriminant: i64,
}

/// A trait with concrete type arguments, used as a type.
#[derive(Debug)]
pub struct Trait {
    /// Its name.
    pub name: Symbol,
    /// Its type arguments.
    pub args: Vec<TyId>,
    /// Where it is declared.
    pub span: Span,
    /// Its methods in the order of its tables.
    pub methods: Vec<TraitMethod>,
    /// For each implementing type that is converted to this trait somewhere: the functions in method order, each taking
    /// the concrete `self` first.
    pub impls: Vec<(TyId, Vec<FuncId>)>,
}

impl Trait {
    /// The number of the method by which two objects of the trait, whose type is `own`, are compared: `fn eq(other: T) -> bool`, or
    /// `equal`, for equality and `fn compare(other: T) -> i64` for an order. Objects of a trait without one are compared by identity.
    pub fn comparison(&self, own: TyId, order: bool) -> Option<u32> {
        let (names, ret): (&[&str], _) = match order {
            true => (&["compare"], TyId::I64),
            false => (&["eq", "equal"], TyId::BOOL),
        };
        names.iter().find_map(|name| {
            let fits = |method: &TraitMethod| {
                method.name.as_str() == *name && method.params == [own] && method.ret == ret
            };
            self.methods.iter().position(fits).map(|at| at as u32)
        })
    }
}

/// A method of a trait, called through its table.
#[derive(Debug)]
pub struct TraitMethod {
    /// Its name.
    pub name: Symbol,
    /// Parameter types without `self`.
    pub params: Vec<TyId>,
    /// Result type.
    pub ret: TyId,
    /// Declared `me`: it may change its receiver.
    pub changes: bool,
}

/// All types of a program.
#[derive(Debug)]
pub struct Types {
    kinds: Vec<Ty>,
    numbers: FxHashMap<Ty, TyId>,
    /// Structs, classes and enums by [`AdtId`].
    pub adts: Vec<Adt>,
    /// Traits used as types by [`TraitId`].
    pub traits: Vec<Trait>,
    /// How types whose values are read from and written to memory of C lie there.
    pub foreign: FxHashMap<TyId, Foreign>,
}

macro_rules! well_known {
    ($($(#[$doc:meta])* $name:ident = $index:literal: $ty:expr;)*) => {
        impl TyId {$(
            $(#[$doc])*
            pub const $name: TyId = TyId($index);
        )*}
        const WELL_KNOWN: &[(TyId, Ty)] = &[$((TyId::$name, $ty)),*];
    };
}

const fn int(bits: u8, signed: bool) -> Ty {
    Ty::Int(IntTy { bits, signed })
}

well_known! {
    /// [`Ty::Error`].
    ERROR = 0: Ty::Error;
    /// [`Ty::Never`].
    NEVER = 1: Ty::Never;
    /// [`Ty::Unit`].
    UNIT = 2: Ty::Unit;
    /// [`Ty::Bool`].
    BOOL = 3: Ty::Bool;
    /// `i8`.
    I8 = 4: int(8, true);
    /// `i16`.
    I16 = 5: int(16, true);
    /// `i32`.
    I32 = 6: int(32, true);
    /// `i64`.
    I64 = 7: int(64, true);
    /// `u8`.
    U8 = 8: int(8, false);
    /// `u16`.
    U16 = 9: int(16, false);
    /// `u32`.
    U32 = 10: int(32, false);
    /// `u64`.
    U64 = 11: int(64, false);
    /// [`Ty::F32`].
    F32 = 12: Ty::F32;
    /// [`Ty::F64`].
    F64 = 13: Ty::F64;
    /// [`Ty::Text`].
    TEXT = 14: Ty::Text;
    /// [`Ty::Range`].
    RANGE = 15: Ty::Range;
}

impl Default for Types {
    fn default() -> Types {
        let mut types = Types {
            kinds: Vec::new(),
            numbers: FxHashMap::default(),
            adts: Vec::new(),
            traits: Vec::new(),
            foreign: FxHashMap::default(),
        };
        for (id, ty) in WELL_KNOWN {
            let made = types.intern(ty.clone());
            debug_assert_eq!(made, *id);
        }
        types
    }
}

impl Types {
    /// The number of `ty`.
    pub fn intern(&mut self, ty: Ty) -> TyId {
        if let Some(&id) = self.numbers.get(&ty) {
            return id;
        }
        let id = TyId(self.kinds.len() as u32);
        self.kinds.push(ty.clone());
        self.numbers.insert(ty, id);
        id
    }

    /// What `id` is.
    pub fn get(&self, id: TyId) -> &Ty {
        &self.kinds[id.0 as usize]
    }

    /// The struct, class or enum that `id` is, if it is one.
    pub fn adt(&self, id: TyId) -> Option<&Adt> {
        match self.get(id) {
            Ty::Adt(adt) => Some(&self.adts[adt.0 as usize]),
            _ => None,
        }
    }

    /// The number that a constant's 64 bits mean in this type: in an unsigned type those above `i64::MAX` are not negative.
    pub fn number(&self, id: TyId, bits: i64) -> i128 {
        match self.get(id) {
            Ty::Int(int) if !int.signed => i128::from(bits as u64),
            _ => i128::from(bits),
        }
    }

    /// How many types there are; [`TyId`]s run below it.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there is no type at all, which never holds.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The type as it is written in a program.
    pub fn name(&self, id: TyId) -> String {
        let mut out = String::new();
        self.write_name(id, &mut out);
        out
    }

    /// The name of the type as which values cross to foreign functions: what is opaque here is an `i64` there.
    pub fn crossing_name(&self, id: TyId) -> String {
        match self.get(id) {
            Ty::Handle(_) => self.name(TyId::I64),
            _ => self.name(id),
        }
    }

    fn write_name(&self, id: TyId, out: &mut String) {
        match self.get(id) {
            Ty::Never => out.push_str("never"),
            Ty::Unit => out.push_str("()"),
            Ty::Bool => out.push_str("bool"),
            Ty::Int(IntTy { bits, signed }) => {
                let _ = write!(out, "{}{bits}", if *signed { 'i' } else { 'u' });
            }
            Ty::F32 => out.push_str("f32"),
            Ty::F64 => out.push_str("f64"),
            Ty::Text => out.push_str("text"),
            Ty::Array(item) => {
                out.push('[');
                self.write_name(*item, out);
                out.push(']');
            }
            Ty::Dict(key, value) => {
                out.push('{');
                self.write_name(*key, out);
                out.push_str(": ");
                self.write_name(*value, out);
                out.push('}');
            }
            Ty::Set(item) => self.write_args("Set", &[*item], out),
            Ty::Tuple(members) => {
                out.push('(');
                for (index, (label, ty)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    if let Some(label) = label {
                        let _ = write!(out, "{label}: ");
                    }
                    self.write_name(*ty, out);
                }
                out.push(')');
            }
            Ty::Range => out.push_str("Range"),
            Ty::Option(item) => {
                let function = matches!(self.get(*item), Ty::Fn(..));
                out.push_str(if function { "(" } else { "" });
                self.write_name(*item, out);
                out.push_str(if function { ")?" } else { "?" });
            }
            Ty::Result(ok, err) => self.write_args("Result", &[*ok, *err], out),
            Ty::Fn(params, ret) => {
                out.push_str("fn(");
                for (index, ty) in params.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    self.write_name(*ty, out);
                }
                out.push(')');
                if *ret != TyId::UNIT {
                    out.push_str(" -> ");
                    self.write_name(*ret, out);
                }
            }
            Ty::Adt(adt) => {
                let adt = &self.adts[adt.0 as usize];
                self.write_args(adt.name.as_str(), &adt.args, out);
            }
            Ty::Trait(id) => {
                let of = &self.traits[id.0 as usize];
                self.write_args(of.name.as_str(), &of.args, out);
            }
            Ty::Handle(handle) => out.push_str(handle.name.as_str()),
            Ty::Param(name) => out.push_str(name.as_str()),
            Ty::Infer(_) => out.push('_'),
            Ty::Assoc(base, name) => {
                self.write_name(*base, out);
                let _ = write!(out, ".{name}");
            }
            Ty::Error => out.push(ERROR_NAME),
        }
    }

    fn write_args(&self, name: &str, args: &[TyId], out: &mut String) {
        out.push_str(name);
        if args.is_empty() {
            return;
        }
        out.push('<');
        for (index, arg) in args.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            self.write_name(*arg, out);
        }
        out.push('>');
    }
}
