//! Reads the declarations of a module into the tables of `decls.rs`.
//!
//! Only names and shapes are read here; types stay unresolved until something asks. Leaves out imports, which
//! `modules.rs` follows once the names are known. Members are in `members.rs`. Next:
//! `signature.rs` and `types.rs`.

use crate::body::is_decorated;
use crate::checker::Checker;
use crate::codes;
use crate::decls::*;
use crate::mentions::{self, Mention};
use crate::state::Add;
use crate::typed::HandleTy;
use rustc_hash::{FxHashMap, FxHashSet};
use simple_syntax::ast::{self, FnKind, Ident, Item, ItemKind, PatternKind, StmtKind};
use simple_syntax::{Diagnostic, Symbol};
use std::rc::Rc;

mod members;

impl<'a> Checker<'a> {
    /// Enters all declarations of `tree` under a new module.
    pub(crate) fn collect_module(
        &mut self,
        path: String,
        library: bool,
        tree: &'a ast::Module,
    ) -> ModIdx {
        let module = self.modules_mut().add(ModuleInfo {
            name: display_name(&path),
            path,
            library,
            tree,
            names: FxHashMap::default(),
            public: FxHashSet::default(),
            has_exports: false,
            exports_all: false,
            imports: FxHashMap::default(),
            globs: Vec::new(),
            groups: FxHashMap::default(),
            has_statements: false,
            before: None,
            listed: None,
        });
        let mut lib = None;
        for (index, stmt) in tree.stmts.iter().enumerate() {
            match &stmt.kind {
                StmtKind::Item(item) if is_impl(item) => {}
                StmtKind::Item(item) => self.collect_item(module, index, item, &mut lib),
                StmtKind::Let {
                    kind,
                    pattern,
                    ty,
                    value,
                } => {
                    let group = self.decls_mut().add(GroupInfo {
                        module,
                        kind: *kind,
                        pattern: Some(pattern),
                        decorated: None,
                        ty: ty.as_ref(),
                        value: value.as_ref(),
                        globals: Vec::new(),
                        progress: Progress::Untouched,
                        span: stmt.span,
                        init: None,
                    });
                    self.collect_globals(module, group, pattern, *kind == ast::LetKind::Var);
                    self.modules_mut()[module].groups.insert(index, group);
                }
                StmtKind::Pass | StmtKind::PassTodo | StmtKind::Error => {}
                StmtKind::Expr(e) if is_docstring(e) => {}
                _ => self.modules_mut()[module].has_statements = true,
            }
        }
        self.collect_impls(module, &tree.stmts);
        module
    }

    /// The declarations of a block as a separate module inside `parent`; entered and checked once.
    pub(crate) fn local_module(&mut self, parent: ModIdx, block: &'a ast::Block) -> ModIdx {
        let key = (std::ptr::from_ref(block) as usize, parent);
        if let Some(known) = self.modules().local(key) {
            return known;
        }
        let outer = &self.modules()[parent];
        let info = ModuleInfo {
            name: outer.name.clone(),
            path: outer.path.clone(),
            library: outer.library,
            tree: outer.tree,
            before: Some(parent),
            names: FxHashMap::default(),
            public: FxHashSet::default(),
            has_exports: false,
            exports_all: false,
            imports: FxHashMap::default(),
            globs: Vec::new(),
            groups: FxHashMap::default(),
            has_statements: false,
            listed: None,
        };
        let module = self.modules_mut().add_local(key, info);
        let before = self.decls().counts();
        for (index, stmt) in block.stmts.iter().enumerate() {
            if let StmtKind::Item(item) = &stmt.kind
                && is_local_item(&item.kind)
                && !is_impl(item)
            {
                self.collect_item(module, index, item, &mut None);
            }
        }
        self.collect_impls(module, &block.stmts);
        self.register_impls();
        self.check_declarations(before);
        module
    }

    /// The impl blocks among `stmts`. They come last: whether `P` in `impl P:` is a type or a type parameter depends on
    /// all declarations of the module.
    fn collect_impls(&mut self, module: ModIdx, stmts: &'a [ast::Stmt]) {
        for stmt in stmts {
            if let StmtKind::Item(item) = &stmt.kind
                && let ItemKind::Impl(decl) = &item.kind
            {
                self.check_annotations(item, false);
                self.collect_impl(module, decl);
            }
        }
    }

    fn collect_globals(
        &mut self,
        module: ModIdx,
        group: GroupIdx,
        pattern: &'a ast::Pattern,
        mutable: bool,
    ) {
        match &pattern.kind {
            PatternKind::Name(name) | PatternKind::Rest(Some(name)) => {
                let global = self.decls_mut().add(GlobalInfo {
                    module,
                    name: *name,
                    mutable,
                    group,
                    ty: None,
                    lenient: false,
                    frozen: false,
                    id: None,
                    constant: None,
                    early: false,
                    open: None,
                    source: crate::body::Source::default(),
                });
                self.decls_mut()[group].globals.push(global);
                self.declare(module, *name, Def::Global(global), false);
            }
            PatternKind::Tuple(parts) | PatternKind::Array(parts) | PatternKind::Or(parts) => parts
                .iter()
                .for_each(|p| self.collect_globals(module, group, p, mutable)),
            PatternKind::Constructor { args, .. } => args
                .iter()
                .for_each(|(_, p)| self.collect_globals(module, group, p, mutable)),
            PatternKind::Fields { fields, .. } => fields
                .iter()
                .for_each(|(_, p)| self.collect_globals(module, group, p, mutable)),
            _ => {}
        }
    }

    fn declare(&mut self, module: ModIdx, name: Ident, def: Def, public: bool) {
        let info = &mut self.modules_mut()[module];
        if let Some(&(known, first)) = info.names.get(&name.name) {
            let d = Diagnostic::error(
                codes::DUPLICATE,
                name.span,
                format!("`{}` is defined twice in this module", name.name),
            )
            .related(first, "first defined here")
            .help(match (known, def) {
                (Def::Fn(_), Def::Fn(_)) => {
                    "functions are not overloaded by parameter types; give one of them another name"
                        .to_owned()
                }
                (Def::Global(_), Def::Global(_)) => format!(
                    "assign it with `{} = ...`, or choose another name",
                    name.name
                ),
                _ => "give one of them another name".to_owned(),
            });
            self.report(d);
            return;
        }
        info.names.insert(name.name, (def, name.span));
        if public {
            info.has_exports = true;
            info.public.insert(name.name);
        }
    }

    /// A function with decorators: a variable that is set when the module begins. The function itself has no name.
    fn collect_decorated(
        &mut self,
        module: ModIdx,
        index: usize,
        item: &'a Item,
        name: Ident,
        fn_idx: FnIdx,
    ) {
        let group = self.decls_mut().add(GroupInfo {
            module,
            kind: ast::LetKind::Val,
            pattern: None,
            decorated: Some(fn_idx),
            ty: None,
            value: None,
            globals: Vec::new(),
            progress: Progress::Untouched,
            span: item.span,
            init: None,
        });
        let global = self.decls_mut().add(GlobalInfo {
            module,
            name,
            mutable: false,
            group,
            ty: None,
            lenient: false,
            frozen: false,
            id: None,
            constant: None,
            early: false,
            open: None,
            source: crate::body::Source::default(),
        });
        self.decls_mut()[group].globals.push(global);
        self.declare(module, name, Def::Global(global), item.public);
        self.modules_mut()[module].groups.insert(index, group);
    }

    fn check_mixin_generics(&mut self, decl: &ast::TypeDecl) {
        if let Some(generic) = decl.generics.first() {
            let message = "a mixin has no type parameters";
            let d = Diagnostic::error(codes::BAD_MIXIN, generic.name.span, message)
                .help("its members are copied into each type: use the type's own parameters there");
            self.report(d);
        }
    }

    pub(crate) fn collect_item(
        &mut self,
        module: ModIdx,
        index: usize,
        item: &'a Item,
        module_lib: &mut Option<String>,
    ) {
        self.check_annotations(item, matches!(item.kind, ItemKind::Fn(_)));
        match &item.kind {
            ItemKind::Fn(decl) => {
                let idx = self.add_fn(module, item, decl, Owner::Free, &[], None);
                match is_decorated(item) {
                    true => self.collect_decorated(module, index, item, decl.name, idx),
                    false => self.declare(module, decl.name, Def::Fn(idx), item.public),
                }
            }
            ItemKind::Struct(decl) => self.collect_record(module, item, decl, false),
            ItemKind::Class(decl) => self.collect_record(module, item, decl, true),
            ItemKind::Mixin(decl) => {
                let idx = self.decls_mut().add(MixinInfo { module, decl });
                self.declare(module, decl.name, Def::Mixin(idx), item.public);
                self.check_mixin_generics(decl);
            }
            ItemKind::Enum(decl) => self.collect_enum(module, item, decl),
            ItemKind::Trait(decl) => self.collect_trait(module, item, decl),
            ItemKind::Impl(decl) => self.collect_impl(module, decl),
            ItemKind::TypeAlias { name, generics, ty } => {
                let generics = self.generic_names(generics);
                let idx = self.decls_mut().add(AliasInfo {
                    module,
                    generics,
                    ty: Some(ty),
                    active: false,
                    known: None,
                });
                self.declare(module, *name, Def::Alias(idx), item.public);
            }
            ItemKind::FnAlias { name, target } => {
                let idx = self.decls_mut().add((module, target));
                self.declare(module, *name, Def::FnAlias(idx), item.public);
            }
            ItemKind::ExternFn(decl) => {
                let (library, symbol) = self.lib_annotation(item);
                let idx = self.decls_mut().add(ExternInfo {
                    module,
                    decl,
                    annotations: &item.annotations,
                    library: library.or_else(|| module_lib.clone()),
                    symbol: symbol.unwrap_or_else(|| decl.name.name.as_str().to_owned()),
                    id: None,
                    known: false,
                    span: item.span,
                });
                self.declare(module, decl.name, Def::Extern(idx), item.public);
            }
            ItemKind::ExternType(name) => {
                if let Some(decl) = self.owned_type(item, *name) {
                    self.collect_record(module, item, decl, true);
                    if let Some(info) = self.decls_mut().last_type_mut() {
                        info.eager_drop = true;
                    }
                    return;
                }
                let handle = HandleTy {
                    name: name.name,
                    number: self.decls_mut().add_handle(),
                };
                self.declare(module, *name, Def::Handle(handle), item.public);
            }
            ItemKind::ExternVar(decl) => {
                let (library, symbol) = self.lib_annotation(item);
                let idx = self.decls_mut().add(ExternVarInfo {
                    module,
                    decl,
                    library: library.or_else(|| module_lib.clone()),
                    symbol: symbol.unwrap_or_else(|| decl.name.name.as_str().to_owned()),
                    checked: None,
                    span: item.span,
                });
                self.declare(module, decl.name, Def::ExternVar(idx), item.public);
            }
            ItemKind::Mod(_) => {
                if let (Some(library), _) = self.lib_annotation(item) {
                    *module_lib = Some(library);
                }
            }
            ItemKind::Use(_) => {}
            ItemKind::Export(decl) => {
                let info = &mut self.modules_mut()[module];
                info.has_exports = true;
                match decl {
                    ast::ExportDecl::Names(names) => {
                        info.public.extend(names.iter().map(|name| name.name));
                    }
                    ast::ExportDecl::All => info.exports_all = true,
                    ast::ExportDecl::Use(_) => {}
                }
            }
        }
    }

    /// `@Lib("m", symbol: "c_name")`: the library and the symbol.
    fn lib_annotation(&mut self, item: &Item) -> (Option<String>, Option<String>) {
        let mut found = (None, None);
        for annotation in item
            .annotations
            .iter()
            .filter(|a| a.name.name.as_str() == "Lib")
        {
            for (label, value) in &annotation.args {
                let Some(text) = literal_text(value) else {
                    let d = Diagnostic::error(
                        codes::BAD_ANNOTATION,
                        value.span,
                        "`@Lib` takes constant text",
                    )
                    .help("write `@Lib(\"m\")` or `@Lib(\"m\", symbol: \"c_name\")`");
                    self.report(d);
                    continue;
                };
                match label.map(|label| label.name.as_str()) {
                    None | Some("name") => found.0 = Some(text),
                    Some("symbol") => found.1 = Some(text),
                    Some(other) => {
                        let d = Diagnostic::error(
                            codes::BAD_ANNOTATION,
                            value.span,
                            format!("`@Lib` has no argument `{other}`"),
                        )
                        .help("write `@Lib(\"m\", symbol: \"c_name\")`");
                        self.report(d);
                    }
                }
            }
        }
        found
    }

    fn collect_record(
        &mut self,
        module: ModIdx,
        item: &'a Item,
        decl: &'a ast::TypeDecl,
        class: bool,
    ) {
        let generics = self.generic_names(&decl.generics);
        let mut fields = FxHashMap::default();
        for (number, field) in decl.fields.iter().enumerate() {
            if fields.insert(field.name.name, number as u32).is_some() {
                self.error(
                    codes::DUPLICATE_FIELD,
                    field.name.span,
                    format!("the field `{}` is declared twice", field.name.name),
                );
            }
        }
        let has = |name: &str| {
            item.annotations
                .iter()
                .any(|a| a.name.name.as_str() == name)
        };
        let idx = self.decls_mut().add(DeclInfo {
            module,
            name: decl.name,
            shape: Shape::Record(decl, class),
            annotations: &item.annotations,
            generics: generics.clone(),
            methods: FxHashMap::default(),
            eager_drop: has("eager_drop"),
            strong: false,
            variants: FxHashMap::default(),
            fields,
            field_modules: Vec::new(),
            named_fields: 0,
        });
        self.declare(module, decl.name, Def::Type(idx), item.public);
        let members: FxHashSet<Symbol> = decl
            .fields
            .iter()
            .map(|f| f.name.name)
            .chain(decl.methods.iter().filter_map(instance_method_name))
            .collect();
        for method in &decl.methods {
            self.collect_method(module, method, Owner::Type(idx), &generics, Some(&members));
        }
        for (path, args) in &decl.with {
            self.decls_mut().add(ImplInfo {
                module,
                decl: None,
                with: Some((idx, path)),
                generics: generics.clone(),
                methods: FxHashMap::default(),
                trait_idx: None,
                trait_args: args,
                group: Rc::from([]),
            });
        }
        self.collect_aliases(Owner::Type(idx), &decl.methods);
    }

    fn collect_enum(&mut self, module: ModIdx, item: &'a Item, decl: &'a ast::EnumDecl) {
        let generics = self.generic_names(&decl.generics);
        let mut variants = FxHashMap::default();
        for (number, variant) in decl.variants.iter().enumerate() {
            if variants.insert(variant.name.name, number as u32).is_some() {
                self.error(
                    codes::DUPLICATE,
                    variant.name.span,
                    format!("the variant `{}` is declared twice", variant.name.name),
                );
            }
        }
        let idx = self.decls_mut().add(DeclInfo {
            module,
            name: decl.name,
            shape: Shape::Enum(decl),
            annotations: &item.annotations,
            generics: generics.clone(),
            methods: FxHashMap::default(),
            eager_drop: false,
            strong: item
                .annotations
                .iter()
                .any(|a| a.name.name.as_str() == "strong"),
            variants,
            fields: FxHashMap::default(),
            field_modules: Vec::new(),
            named_fields: 0,
        });
        self.declare(module, decl.name, Def::Type(idx), item.public);
        let members: FxHashSet<Symbol> = decl
            .methods
            .iter()
            .filter_map(instance_method_name)
            .collect();
        for method in &decl.methods {
            self.collect_method(module, method, Owner::Type(idx), &generics, Some(&members));
        }
        self.collect_aliases(Owner::Type(idx), &decl.methods);
    }

    fn collect_trait(&mut self, module: ModIdx, item: &'a Item, decl: &'a ast::TraitDecl) {
        let mut generics = vec![Symbol::intern("Self")];
        generics.extend(self.generic_names(&decl.generics).iter().copied());
        let generics: Rc<[Symbol]> = generics.into();
        let idx = self.decls_mut().add(TraitInfo {
            module,
            name: decl.name,
            decl,
            annotations: &item.annotations,
            generics: generics.clone(),
            methods: FxHashMap::default(),
            order: Vec::new(),
        });
        self.declare(module, decl.name, Def::Trait(idx), item.public);
        for method in &decl.methods {
            self.collect_method(module, method, Owner::Trait(idx), &generics, None);
        }
        self.collect_aliases(Owner::Trait(idx), &decl.methods);
    }
}

fn is_impl(item: &Item) -> bool {
    matches!(item.kind, ItemKind::Impl(_))
}

/// Whether a declaration inside a function belongs to the module of its block.
pub(crate) fn is_local_item(kind: &ItemKind) -> bool {
    matches!(
        kind,
        ItemKind::Struct(_)
            | ItemKind::Class(_)
            | ItemKind::Mixin(_)
            | ItemKind::Enum(_)
            | ItemKind::Trait(_)
            | ItemKind::Impl(_)
            | ItemKind::TypeAlias { .. }
            | ItemKind::FnAlias { .. }
            | ItemKind::ExternFn(_)
            | ItemKind::ExternType(_)
            | ItemKind::ExternVar(_)
    )
}

/// Whether a function has one of the names by which values are made.
fn is_constructor_name(name: &str) -> bool {
    matches!(name, "new" | "create" | "default" | "init") || name.starts_with("from_")
}

/// Whether `fn default() -> Self` and its like in a trait is static: it has no body that could need a value.
pub(crate) fn makes_self(decl: &ast::FnDecl) -> bool {
    fn is_self(ty: &ast::TypeExpr) -> bool {
        match &ty.kind {
            ast::TypeExprKind::Named { path, args } => match &path.segments[..] {
                [only] if only.name.as_str() == "Self" => true,
                _ => args
                    .iter()
                    .any(|arg| matches!(arg, ast::TypeArg::Type(ty) if is_self(ty))),
            },
            ast::TypeExprKind::Optional(ty) => is_self(ty),
            _ => false,
        }
    }
    is_constructor_name(decl.name.name.as_str())
        && decl.body.is_none()
        && decl.ret.as_ref().is_some_and(is_self)
}

/// Whether `fn new` and its like is static: it mentions neither `self` nor a member of its type.
pub(crate) fn constructs(decl: &ast::FnDecl, members: Option<&FxHashSet<Symbol>>) -> bool {
    let constructor = is_constructor_name(decl.name.name.as_str());
    let (true, Some(members), Some(body)) = (constructor, members, &decl.body) else {
        return false;
    };
    let mut bound: FxHashSet<Symbol> = decl.params.iter().map(|p| p.name.name).collect();
    let mut used = Vec::new();
    let mut uses_self = false;
    mentions::block(body, &mut |mention| match mention {
        Mention::Name(name) | Mention::Assigned(name) => used.push(name),
        Mention::Bound(name, _) => {
            bound.insert(name.name);
        }
        Mention::SelfValue => uses_self = true,
        _ => {}
    });
    !uses_self
        && !used
            .iter()
            .any(|name| members.contains(name) && !bound.contains(name))
}

pub(crate) fn instance_method_name(item: &Item) -> Option<Symbol> {
    match &item.kind {
        ItemKind::Fn(decl) if decl.kind != FnKind::Static => Some(decl.name.name),
        _ => None,
    }
}

/// The type parameter that represents the type of an unannotated parameter.
pub(crate) fn implicit_generic(param: Symbol) -> Symbol {
    Symbol::intern(&format!("type of {param}"))
}

/// Whether a parameter makes its function generic: it has no written type, and it is not what a method by which the language compares two values of a
/// type takes. `fn eq(other)` and `fn compare(other)` get another value of the type: `other: Self`.
pub(crate) fn is_implicit(decl: &ast::FnDecl, owner: Owner, param: &ast::Param) -> bool {
    let compares = !matches!(owner, Owner::Free)
        && decl.kind != FnKind::Static
        && decl.params.len() == 1
        && !param.variadic
        && matches!(decl.name.name.as_str(), "eq" | "equal" | "compare");
    param.ty.is_none() && !compares
}

/// The value of a constant text expression.
pub(crate) fn literal_text(value: &ast::Expr) -> Option<String> {
    let ast::ExprKind::Text(parts) = &value.kind else {
        return None;
    };
    let mut text = String::new();
    for part in parts {
        match part {
            ast::TextPart::Literal(literal) => text.push_str(literal),
            ast::TextPart::Hole { .. } => return None,
        }
    }
    Some(text)
}

/// Whether a statement is a bare text without holes, which documents and does nothing.
pub(crate) fn is_docstring(e: &ast::Expr) -> bool {
    literal_text(e).is_some()
}

/// The module's name in stack traces: the file's stem, or its folder for a package file.
fn display_name(path: &str) -> String {
    let mut parts = path.rsplit(['/', '\\']);
    let file = parts.next().unwrap_or(path);
    let stem = file.strip_suffix(".spl").unwrap_or(file);
    match (stem, parts.next()) {
        ("mod" | "__init__", Some(folder)) if !folder.is_empty() => folder.to_owned(),
        _ => stem.to_owned(),
    }
}
