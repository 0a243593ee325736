//! What the checker knows about declarations: modules, functions, types, traits, impls, globals, externs, by number.
//!
//! These records hold the tree and what was computed from it once. Collected by `collect.rs`, used by everything.

use crate::promises::TypeBound;
use crate::typed::{ExternId, FuncId, GlobalId, HandleTy, Local, StmtKind, TyId};
use rustc_hash::{FxHashMap, FxHashSet};
use simple_ffi_abi::lines::Lines;
use simple_syntax::ast;
use simple_syntax::{Span, Symbol};
use std::rc::Rc;

macro_rules! numbers {
    ($(#[$doc:meta] $name:ident)*) => {$(
        #[$doc]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub(crate) struct $name(pub(crate) u32);
        impl $name {
            pub(crate) fn at(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

numbers! {
    /// A module.
    ModIdx
    /// A function or method declaration.
    FnIdx
    /// A struct, class or enum declaration.
    DeclIdx
    /// A trait declaration.
    TraitIdx
    /// An impl block.
    ImplIdx
    /// A mixin declaration.
    MixinIdx
    /// A type alias.
    AliasIdx
    /// Another name of a function.
    FnAliasIdx
    /// An extern fn declaration.
    ExternIdx
    /// An extern val or extern var declaration.
    ExternVarIdx
    /// A module-level variable.
    GlobalIdx
    /// A module-level binding statement.
    GroupIdx
}

/// What a name refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Def {
    Fn(FnIdx),
    Extern(ExternIdx),
    /// A variable of a library.
    ExternVar(ExternVarIdx),
    Type(DeclIdx),
    Trait(TraitIdx),
    Mixin(MixinIdx),
    Alias(AliasIdx),
    Global(GlobalIdx),
    Module(ModIdx),
    /// `fn a = b`: resolved on use.
    FnAlias(FnAliasIdx),
    /// An opaque handle type of `extern type`.
    Handle(HandleTy),
    /// Different things that `use a.*` and `use b.*` bring under one name; reported on use.
    Ambiguous(ModIdx, ModIdx),
    /// An error was reported where it was declared or imported.
    Broken,
}

/// Type parameters in scope with their types.
pub(crate) type Env = Rc<[(Symbol, TyId)]>;

/// Where written types are resolved: the module, the type parameters, `Self`.
#[derive(Clone, Debug)]
pub(crate) struct TypeScope {
    pub(crate) module: ModIdx,
    pub(crate) env: Env,
    pub(crate) self_ty: Option<TyId>,
}

/// What an import brings.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Module(ModIdx),
    Item(ModIdx, Symbol),
    Broken,
}

/// An explicit import.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Import {
    pub(crate) target: Target,
    pub(crate) span: Span,
    pub(crate) public: bool,
}

pub(crate) struct ModuleInfo<'a> {
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) library: bool,
    pub(crate) tree: &'a ast::Module,
    pub(crate) names: FxHashMap<Symbol, (Def, Span)>,
    pub(crate) public: FxHashSet<Symbol>,
    pub(crate) has_exports: bool,
    /// Whether it says `export *`.
    pub(crate) exports_all: bool,
    pub(crate) imports: FxHashMap<Symbol, Import>,
    pub(crate) globs: Vec<(ModIdx, bool)>,
    /// Binding statements by the statement's index.
    pub(crate) groups: FxHashMap<usize, GroupIdx>,
    /// Whether any other statement is at the top level.
    pub(crate) has_statements: bool,
    /// The module whose names are visible after its own: in a session the entry before this one, for the declarations of a
    /// block the module around it.
    pub(crate) before: Option<ModIdx>,
    /// Where the functions are that a module lists, if they are read when something asks for them (`listed.rs`).
    pub(crate) listed: Option<Lines>,
}

impl ModuleInfo<'_> {
    /// Whether other modules may use a declaration of this one.
    pub(crate) fn shows(&self, name: Symbol) -> bool {
        let by_default = self.exports_all || !self.has_exports;
        self.public.contains(&name) || by_default && !name.as_str().starts_with('_')
    }
}

/// To what a function belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    Free,
    Type(DeclIdx),
    Impl(ImplIdx),
    Trait(TraitIdx),
}

pub(crate) struct FnInfo<'a> {
    pub(crate) module: ModIdx,
    pub(crate) decl: &'a ast::FnDecl,
    pub(crate) item: &'a ast::Item,
    pub(crate) owner: Owner,
    /// Called without a `self`.
    pub(crate) is_static: bool,
    /// Owner's type parameters, its own, and one per unannotated parameter.
    pub(crate) generics: Rc<[Symbol]>,
    /// How many of them belong to the owner.
    pub(crate) owner_generics: usize,
    /// Type parameters of the function that contains this one.
    pub(crate) outer: Option<TypeScope>,
    /// The bounds there, where the function around it is checked with opaque type parameters.
    pub(crate) outer_bounds: Option<Rc<[TypeBound]>>,
    /// The trait whose default method it is, or is written in: only the trait's methods are members of `self` there.
    pub(crate) of_trait: Option<TraitIdx>,
    /// Nested functions and imports that it sees there.
    pub(crate) outer_defs: Rc<[(Symbol, Def)]>,
    /// The variables that a nested generic function captures, which come before its parameters.
    pub(crate) captured: Vec<Captured>,
    /// `@lenient`: a returned option may be used as its payload.
    pub(crate) lenient: bool,
    /// `@frozen`: update methods refuse to change what it yields.
    pub(crate) frozen: bool,
    pub(crate) deprecated: Option<Option<String>>,
}

/// A variable that a nested generic function captures.
#[derive(Clone)]
pub(crate) struct Captured {
    /// Its name.
    pub(crate) name: Symbol,
    /// The name under which the copy is found by the functions that call this one; no program can write it.
    pub(crate) hidden: Symbol,
    /// Its type, once the function around has settled it.
    pub(crate) ty: Option<TyId>,
    pub(crate) lenient: bool,
    pub(crate) frozen: bool,
}

pub(crate) enum Shape<'a> {
    Record(&'a ast::TypeDecl, bool),
    Enum(&'a ast::EnumDecl),
}

pub(crate) struct DeclInfo<'a> {
    pub(crate) module: ModIdx,
    pub(crate) name: ast::Ident,
    pub(crate) shape: Shape<'a>,
    pub(crate) annotations: &'a [ast::Annotation],
    pub(crate) generics: Rc<[Symbol]>,
    pub(crate) methods: FxHashMap<Symbol, FnIdx>,
    pub(crate) eager_drop: bool,
    pub(crate) strong: bool,
    /// Variants by name.
    pub(crate) variants: FxHashMap<Symbol, u32>,
    /// Fields by name.
    pub(crate) fields: FxHashMap<Symbol, u32>,
    /// The modules that the fields were written in, if some come from mixins; empty when all are the type's own.
    pub(crate) field_modules: Vec<ModIdx>,
    /// How many of its last fields came of mixins that its traits build on: a constructor call gives them by name only.
    pub(crate) named_fields: usize,
}

pub(crate) struct MixinInfo<'a> {
    pub(crate) module: ModIdx,
    pub(crate) decl: &'a ast::TypeDecl,
}

pub(crate) struct TraitInfo<'a> {
    pub(crate) module: ModIdx,
    pub(crate) name: ast::Ident,
    pub(crate) decl: &'a ast::TraitDecl,
    pub(crate) annotations: &'a [ast::Annotation],
    pub(crate) generics: Rc<[Symbol]>,
    pub(crate) methods: FxHashMap<Symbol, FnIdx>,
    /// The same in order of declaration.
    pub(crate) order: Vec<FnIdx>,
}

pub(crate) struct ImplInfo<'a> {
    pub(crate) module: ModIdx,
    pub(crate) decl: Option<&'a ast::ImplDecl>,
    /// For `struct X with Trait`: the type and the trait's path.
    pub(crate) with: Option<(DeclIdx, &'a ast::Path)>,
    pub(crate) generics: Rc<[Symbol]>,
    pub(crate) methods: FxHashMap<Symbol, FnIdx>,
    /// The trait, once resolved; `None` for an inherent impl.
    pub(crate) trait_idx: Option<TraitIdx>,
    /// Type arguments of the trait as written.
    pub(crate) trait_args: &'a [ast::TypeArg],
    /// For `impl A | B:`: the types of the group, once resolved. Its one type parameter is `Self`.
    pub(crate) group: Rc<[TyId]>,
}

impl ImplInfo<'_> {
    /// Whether it is for a group of types.
    pub(crate) fn is_group(&self) -> bool {
        self.decl.is_some_and(|decl| !decl.group.is_empty())
    }
}

pub(crate) struct AliasInfo<'a> {
    pub(crate) module: ModIdx,
    pub(crate) generics: Rc<[Symbol]>,
    /// What was written; `None` for an alias of a built-in type, which is known.
    pub(crate) ty: Option<&'a ast::TypeExpr>,
    pub(crate) active: bool,
    /// Its target, if it has no parameters and was resolved.
    pub(crate) known: Option<TyId>,
}

pub(crate) struct ExternInfo<'a> {
    pub(crate) module: ModIdx,
    pub(crate) decl: &'a ast::ExternFnDecl,
    pub(crate) annotations: &'a [ast::Annotation],
    pub(crate) library: Option<String>,
    pub(crate) symbol: String,
    pub(crate) id: Option<ExternId>,
    /// Whether a manifest describes it, once it was checked.
    pub(crate) known: bool,
    pub(crate) span: Span,
}

pub(crate) struct ExternVarInfo<'a> {
    pub(crate) module: ModIdx,
    pub(crate) decl: &'a ast::ExternVarDecl,
    pub(crate) library: Option<String>,
    pub(crate) symbol: String,
    /// What it is, once it was checked; `None` for one that cannot be.
    pub(crate) checked: Option<Option<crate::foreign_var::ForeignVar>>,
    pub(crate) span: Span,
}

pub(crate) struct GlobalInfo {
    pub(crate) module: ModIdx,
    pub(crate) name: ast::Ident,
    pub(crate) mutable: bool,
    pub(crate) group: GroupIdx,
    pub(crate) ty: Option<TyId>,
    pub(crate) lenient: bool,
    pub(crate) frozen: bool,
    pub(crate) id: Option<GlobalId>,
    pub(crate) constant: Option<crate::typed::Expr>,
    /// Read by an initializer that may run before its own.
    pub(crate) early: bool,
    /// The part of its type that nothing in its declaration determines, and where: it can be read, but nothing can be
    /// put into it.
    pub(crate) open: Option<(Span, crate::infer::Origin)>,
    /// What it was bound to, for warnings.
    pub(crate) source: crate::body::Source,
}

/// How far a lazily computed thing is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    Untouched,
    Active,
    Done,
}

pub(crate) struct GroupInfo<'a> {
    pub(crate) module: ModIdx,
    pub(crate) kind: ast::LetKind,
    /// What it binds; `None` for a decorated function.
    pub(crate) pattern: Option<&'a ast::Pattern>,
    /// The function that decorators wrap.
    pub(crate) decorated: Option<FnIdx>,
    pub(crate) ty: Option<&'a ast::TypeExpr>,
    pub(crate) value: Option<&'a ast::Expr>,
    pub(crate) globals: Vec<GlobalIdx>,
    pub(crate) progress: Progress,
    pub(crate) span: Span,
    /// The checked statements with the variables they use.
    pub(crate) init: Option<CheckedGroup>,
}

/// The statements of a checked binding group, with the variables they use.
pub(crate) type CheckedGroup = (Vec<Local>, Vec<(StmtKind, Span)>);

/// A function's types under certain type arguments.
pub(crate) struct Signature {
    pub(crate) params: Vec<TyId>,
    /// `None`: to be inferred from the body.
    pub(crate) ret: Option<TyId>,
    pub(crate) self_ty: Option<TyId>,
    pub(crate) scope: TypeScope,
}

/// A function with its type arguments.
pub(crate) struct Instance {
    pub(crate) fn_idx: FnIdx,
    pub(crate) args: Rc<[TyId]>,
    pub(crate) progress: Progress,
    /// Whether something asked for its body. A method of the library in a table of objects waits for a call of it.
    pub(crate) awake: bool,
    pub(crate) id: FuncId,
    /// The first call that asked for it, if one did.
    pub(crate) asked: Option<Asked>,
    /// The first call of a function of the program that is checked for the types of each call.
    pub(crate) called: Option<Span>,
}

/// A call in a program's own text that leads to an instance, directly or through functions of the library.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) span: Span,
    /// The function that the call itself names, and its type arguments.
    pub(crate) fn_idx: FnIdx,
    pub(crate) args: Rc<[TyId]>,
}
