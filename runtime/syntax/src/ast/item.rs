//! Declarations.

use super::{Block, Expr, GenericParam, Ident, Path, TypeArg, TypeExpr, TypeExprKind, WhereClause};
use crate::span::Span;

/// A declaration with everything that precedes it.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// What it declares.
    pub kind: ItemKind,
    /// `pub` or `export` precedes it.
    pub public: bool,
    /// `@name(args)` and `#[name(args)]`, in order.
    pub annotations: Vec<Annotation>,
    /// Its doc comment or docstring.
    pub docs: Option<String>,
    /// From its first annotation to its end.
    pub span: Span,
}

/// `@name(args)`.
#[derive(Clone, PartialEq, Debug)]
pub struct Annotation {
    /// The name; `@lib` is spelled `Lib` already.
    pub name: Ident,
    /// Arguments with their labels.
    pub args: Vec<(Option<Ident>, Expr)>,
    /// Where it is in the source.
    pub span: Span,
}

/// The kinds of declaration.
#[derive(Clone, PartialEq, Debug)]
pub enum ItemKind {
    /// `fn name(...)`.
    Fn(FnDecl),
    /// `struct`.
    Struct(TypeDecl),
    /// `class`.
    Class(TypeDecl),
    /// `mixin`.
    Mixin(TypeDecl),
    /// `enum`.
    Enum(EnumDecl),
    /// `trait`.
    Trait(TraitDecl),
    /// `impl`.
    Impl(ImplDecl),
    /// `type A = B`, `alias A = B`.
    TypeAlias {
        /// The new name.
        name: Ident,
        /// Its parameters.
        generics: Vec<GenericParam>,
        /// Its target.
        ty: TypeExpr,
    },
    /// `fn new_name = old_name`.
    FnAlias {
        /// The new name.
        name: Ident,
        /// The function that it names.
        target: Path,
    },
    /// `extern fn`.
    ExternFn(ExternFnDecl),
    /// `extern type`.
    ExternType(Ident),
    /// `extern val`, `extern var`.
    ExternVar(ExternVarDecl),
    /// `use` or `import`.
    Use(UseDecl),
    /// `export`.
    Export(ExportDecl),
    /// `mod name`, which only names the module.
    Mod(Ident),
}

/// How a function is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FnKind {
    /// `fn`: a free function, or a method that does not change a value type's `self`.
    Fn,
    /// `me`: a method that may change `self`.
    Me,
    /// `static fn`: no `self`.
    Static,
}

/// A function or method.
#[derive(Clone, PartialEq, Debug)]
pub struct FnDecl {
    /// The word it was declared with.
    pub kind: FnKind,
    /// Its name.
    pub name: Ident,
    /// Its type parameters.
    pub generics: Vec<GenericParam>,
    /// Its parameters; a written leading `self` is left out.
    pub params: Vec<Param>,
    /// Whether a leading `self` was written.
    pub explicit_self: bool,
    /// The written result type.
    pub ret: Option<TypeExpr>,
    /// Clauses after `where`.
    pub where_clauses: Vec<WhereClause>,
    /// The body; `None` only for a signature in a trait.
    pub body: Option<Block>,
    /// `async` precedes it.
    pub is_async: bool,
    /// Its body has a `yield`, outside of the functions in it.
    pub is_generator: bool,
    /// `export extern` precedes it: C calls it by its name in a library that is made of the program.
    pub exported: bool,
    /// The head, from `fn` to the `:`; where messages about the signature point.
    pub head: Span,
}

/// A parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Its name.
    pub name: Ident,
    /// Its type, if written.
    pub ty: Option<TypeExpr>,
    /// Its default.
    pub default: Option<Expr>,
    /// `xs: T...` or `xs: [T]...`: collects the remaining arguments.
    pub variadic: bool,
    /// `out x: T`, only of a foreign function: not passed, comes back after the result.
    pub out: bool,
    /// `var x: T`: the body has a variable of this name, which begins as the argument.
    pub copied: bool,
}

/// How many positional arguments a parameter or field takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// One.
    One,
    /// `xs: T...`: all that are left, one by one.
    Rest,
    /// `xs: [T]...`: all that are left one by one, or one that is an array of them.
    RestOrArray,
}

impl Takes {
    fn of(variadic: bool, ty: Option<&TypeExpr>) -> Takes {
        match ty.map(|ty| &ty.kind) {
            _ if !variadic => Takes::One,
            Some(TypeExprKind::Array(_)) => Takes::RestOrArray,
            _ => Takes::Rest,
        }
    }

    /// Whether it takes any number of arguments.
    pub fn is_variadic(self) -> bool {
        self != Takes::One
    }
}

impl Param {
    /// How many positional arguments it takes.
    pub fn takes(&self) -> Takes {
        Takes::of(self.variadic, self.ty.as_ref())
    }

    /// Whether a call may give no argument for it: `xs: T...` is empty then, `xs: [T]...` needs a default.
    pub fn may_be_left_out(&self) -> bool {
        self.default.is_some() || self.takes() == Takes::Rest
    }
}

/// `struct`, `class` or `mixin`.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeDecl {
    /// Its name.
    pub name: Ident,
    /// Its type parameters.
    pub generics: Vec<GenericParam>,
    /// Clauses after `where`.
    pub where_clauses: Vec<WhereClause>,
    /// Traits, with their type arguments, and mixins after `with` or `implements`.
    pub with: Vec<(Path, Vec<TypeArg>)>,
    /// Its fields in order.
    pub fields: Vec<FieldDecl>,
    /// Its methods (only [`ItemKind::Fn`] and [`ItemKind::FnAlias`]).
    pub methods: Vec<Item>,
    /// `alias Trait = field`.
    pub forwards: Vec<(Path, Ident)>,
}

/// A field.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldDecl {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: TypeExpr,
    /// Its default.
    pub default: Option<Expr>,
    /// `xs: [T]...`: a constructor call gives its elements one by one, or as an array.
    pub variadic: bool,
    /// `weak` precedes it.
    pub weak: bool,
    /// `private` precedes it.
    pub private: bool,
    /// `val` precedes it.
    pub immutable: bool,
    /// The annotations above it, which have no effect.
    pub annotations: Vec<Annotation>,
    /// Its doc comment.
    pub docs: Option<String>,
}

impl FieldDecl {
    /// How many positional arguments of a constructor call it takes.
    pub fn takes(&self) -> Takes {
        Takes::of(self.variadic, Some(&self.ty))
    }
}

/// `enum`.
#[derive(Clone, PartialEq, Debug)]
pub struct EnumDecl {
    /// Its name.
    pub name: Ident,
    /// Its type parameters.
    pub generics: Vec<GenericParam>,
    /// Its variants in order.
    pub variants: Vec<VariantDecl>,
    /// Its methods.
    pub methods: Vec<Item>,
}

/// A variant of an enum.
#[derive(Clone, PartialEq, Debug)]
pub struct VariantDecl {
    /// Its name.
    pub name: Ident,
    /// Its payload.
    pub fields: Vec<PayloadDecl>,
    /// `= 3`: its ordinal, if written.
    pub discriminant: Option<Expr>,
    /// The annotations above it, which have no effect.
    pub annotations: Vec<Annotation>,
    /// Its doc comment.
    pub docs: Option<String>,
}

/// A part of a variant's payload: `T` or `name: T = default`.
#[derive(Clone, PartialEq, Debug)]
pub struct PayloadDecl {
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// Its type.
    pub ty: TypeExpr,
    /// What it is where nothing is given.
    pub default: Option<Expr>,
}

/// `trait`.
#[derive(Clone, PartialEq, Debug)]
pub struct TraitDecl {
    /// Its name.
    pub name: Ident,
    /// Its type parameters.
    pub generics: Vec<GenericParam>,
    /// Traits it builds on.
    pub supers: Vec<TypeExpr>,
    /// Signatures (no body) and default methods.
    pub methods: Vec<Item>,
    /// Associated types `type Item`, with their default.
    pub assoc: Vec<(Ident, Option<TypeExpr>)>,
}

/// `impl Type:`, `impl Trait for Type:`, or `impl A | B:` for a group of types.
#[derive(Clone, PartialEq, Debug)]
pub struct ImplDecl {
    /// Its type parameters.
    pub generics: Vec<GenericParam>,
    /// The trait, if any.
    pub trait_ty: Option<TypeExpr>,
    /// The type it adds to.
    pub ty: TypeExpr,
    /// The further types of a group: each gets the methods, with itself as `Self`.
    pub group: Vec<TypeExpr>,
    /// Clauses after `where`.
    pub where_clauses: Vec<WhereClause>,
    /// Its methods.
    pub methods: Vec<Item>,
    /// Associated types `type Item = T`.
    pub assoc: Vec<(Ident, TypeExpr)>,
}

/// `extern fn name(p: T, out q: U, ...) -> R`.
#[derive(Clone, PartialEq, Debug)]
pub struct ExternFnDecl {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The `...` after them: further arguments of any type that can cross.
    pub variadic: Option<Span>,
    /// Its result type, `()` if missing.
    pub ret: Option<TypeExpr>,
}

/// `extern val name: T`, `extern var name: T`: a variable of a library.
#[derive(Clone, PartialEq, Debug)]
pub struct ExternVarDecl {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: TypeExpr,
    /// `var`: it can be assigned.
    pub mutable: bool,
}

/// `use` in one of its forms.
#[derive(Clone, PartialEq, Debug)]
pub struct UseDecl {
    /// How many leading dots: 0 for an absolute path, 1 for `.sib`, 2 for `..up`; `super.` counts as two.
    pub dots: u32,
    /// The path; empty only for `use .{...}` and its like.
    pub segments: Vec<Ident>,
    /// What is taken from it.
    pub what: UseWhat,
    /// Whether the deprecated word `import` was written.
    pub import: bool,
}

/// What a `use` brings into scope.
#[derive(Clone, PartialEq, Debug)]
pub enum UseWhat {
    /// `use a.b`, `use a.b as m`: the module, or an item of `a`.
    Path(Option<Ident>),
    /// `use a.b.{x, y as z}`.
    Names(Vec<(Ident, Option<Ident>)>),
    /// `use a.b.*`.
    All,
}

/// `export` in one of its forms; `export fn ...` is an item with `public` set instead.
#[derive(Clone, PartialEq, Debug)]
pub enum ExportDecl {
    /// `export x, Y`.
    Names(Vec<Ident>),
    /// `export *`: every declaration whose name does not begin with `_`.
    All,
    /// `export use .part.*`.
    Use(UseDecl),
}
