//! Written types to types: names, arguments, aliases.
//!
//! Leaves out what a tensor's shape in a type means (`shapes/`). Next: `signature.rs` for instances, `infer.rs` for unknown types.

use crate::checker::Checker;
use crate::codes;
use crate::counts::{counted, given_count};
use crate::decls::*;
use crate::methods::Head;
use crate::modules::Exported;
use crate::typed::*;
use simple_syntax::ast::{self, TypeArg, TypeExpr, TypeExprKind};
use simple_syntax::{Diagnostic, Span, Symbol};
use std::rc::Rc;

const BUILTIN_TYPES: &[&str] = &[
    "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "bool", "text", "str",
    "String", "void", "int", "float", "usize", "isize", "List", "Array", "Dict", "Map", "Set",
    "Range", "Option", "Result", "Any",
];

impl<'a> Checker<'a> {
    /// The type that `written` means in `scope`; reports what it does not understand.
    pub(crate) fn resolve_type(&mut self, written: &TypeExpr, scope: &TypeScope) -> TyId {
        match &written.kind {
            TypeExprKind::Named { path, args } => self.resolve_named(written, path, args, scope),
            TypeExprKind::Array(item) => {
                let item = self.resolve_type(item, scope);
                self.types.intern(Ty::Array(item))
            }
            TypeExprKind::FixedArray(item, size) => {
                // The length is checked where a literal is bound; the value is an array like any other.
                let item = self.resolve_type(item, scope);
                if self.array_size(size, scope.module).is_none() {
                    let d = Diagnostic::error(
                        codes::NOT_CONSTANT,
                        size.span,
                        "the length of an array type is an integer literal or a `const`",
                    )
                    .help("write `[T]` for an array of any length");
                    self.report(d);
                }
                self.types.intern(Ty::Array(item))
            }
            TypeExprKind::Dict(key, value) => {
                let key_ty = self.resolve_type(key, scope);
                let value = self.resolve_type(value, scope);
                self.require_key(key_ty, key.span);
                self.types.intern(Ty::Dict(key_ty, value))
            }
            TypeExprKind::Unit => TyId::UNIT,
            TypeExprKind::Tuple(members) => {
                let members = members
                    .iter()
                    .map(|(label, ty)| (label.map(|l| l.name), self.resolve_type(ty, scope)))
                    .collect();
                self.types.intern(Ty::Tuple(members))
            }
            TypeExprKind::Optional(item) => {
                let item = self.resolve_type(item, scope);
                if item == TyId::ERROR {
                    item
                } else {
                    self.types.intern(Ty::Option(item))
                }
            }
            TypeExprKind::Fn(params, ret) => {
                let params = params
                    .iter()
                    .map(|ty| self.resolve_type(ty, scope))
                    .collect();
                let ret = ret
                    .as_ref()
                    .map_or(TyId::UNIT, |ty| self.resolve_type(ty, scope));
                self.types.intern(Ty::Fn(params, ret))
            }
            TypeExprKind::Dyn(path) => self.resolve_named(written, path, &[], scope),
            TypeExprKind::Error => TyId::ERROR,
        }
    }

    /// The length that `[T; n]` names.
    pub(crate) fn array_size(&mut self, size: &ast::Expr, module: ModIdx) -> Option<i64> {
        match &size.kind {
            ast::ExprKind::Int(value, _) => i64::try_from(*value).ok(),
            ast::ExprKind::Paren(inner) => self.array_size(inner, module),
            ast::ExprKind::Name(name) => {
                let Some(Def::Global(global)) = self.lookup_visible(module, name.name) else {
                    return None;
                };
                self.global_id(global, name.span);
                let constant = self.globals[global.at()].constant.as_ref()?;
                match constant.kind {
                    ExprKind::Int(value) if value >= 0 => Some(value),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn resolve_named(
        &mut self,
        written: &TypeExpr,
        path: &ast::Path,
        args: &[TypeArg],
        scope: &TypeScope,
    ) -> TyId {
        let name = path.last();
        let def = if path.segments.len() == 1 {
            if let Some(&(_, ty)) = scope.env.iter().rev().find(|(n, _)| *n == name.name) {
                return ty;
            }
            let text = name.name.as_str();
            if text == "Self" {
                if let Some(ty) = scope.self_ty {
                    return ty;
                }
                self.error(
                    codes::UNKNOWN_TYPE,
                    name.span,
                    "`Self` is allowed only in types, traits and impls",
                );
                return TyId::ERROR;
            }
            match self.lookup(scope.module, name.name) {
                Some(def) => Some(def),
                None => {
                    if let Some(ty) = self.builtin_type(text, args, written.span, scope) {
                        return ty;
                    }
                    self.lookup_visible(scope.module, name.name)
                }
            }
        } else {
            if let Some(ty) = self.associated_path(path, scope) {
                return ty;
            }
            match self.resolve_path(scope.module, &path.segments) {
                Ok(def) => Some(def),
                Err(()) => return TyId::ERROR,
            }
        };
        let Some(def) = def else {
            if let (Some(ty), []) = (self.type_elsewhere(name), args) {
                return ty;
            }
            if let ("list", [_]) = (name.name.as_str(), args) {
                let text = self.sources.text(written.span);
                let item = text
                    .strip_prefix("list<")
                    .and_then(|rest| rest.strip_suffix('>'));
                let wanted = format!("[{}]", item.unwrap_or("T"));
                self.named_elsewhere(name, written.span, &wanted);
                let ty = self.builtin_type("List", args, written.span, scope);
                return ty.unwrap_or(TyId::ERROR);
            }
            self.unknown_type(name, scope);
            return TyId::ERROR;
        };
        self.type_of_def(def, name, args, written.span, scope)
    }

    fn type_of_def(
        &mut self,
        def: Def,
        name: ast::Ident,
        args: &[TypeArg],
        span: Span,
        scope: &TypeScope,
    ) -> TyId {
        match def {
            Def::Type(decl) => {
                let generics = self.decls[decl.at()].generics.len();
                if generics == 0 && is_shaped(name.name.as_str(), args) {
                    // A static shape is not part of the type: `shapes/` checks it.
                    self.check_shape_args(args, scope);
                    let adt = self.adt_instance(decl, self.empty_args.clone());
                    return self.types.intern(Ty::Adt(adt));
                }
                let Some(args) = self.type_args(name, args, generics, span, scope) else {
                    return TyId::ERROR;
                };
                let adt = self.adt_instance(decl, args);
                self.types.intern(Ty::Adt(adt))
            }
            Def::Trait(idx) => {
                let generics = self.traits[idx.at()].generics.len() - 1;
                if generics == 0 && is_shaped(name.name.as_str(), args) {
                    self.check_shape_args(args, scope);
                    let id = self.trait_instance(idx, self.empty_args.clone());
                    return self.types.intern(Ty::Trait(id));
                }
                let Some(args) = self.type_args(name, args, generics, span, scope) else {
                    return TyId::ERROR;
                };
                let id = self.trait_instance(idx, args);
                self.types.intern(Ty::Trait(id))
            }
            Def::Alias(idx) => {
                let generics = self.aliases[idx.at()].generics.clone();
                let Some(args) = self.type_args(name, args, generics.len(), span, scope) else {
                    return TyId::ERROR;
                };
                if let Some(known) = self.aliases[idx.at()].known {
                    return known;
                }
                if self.aliases[idx.at()].active {
                    self.error(
                        codes::RECURSIVE_TYPE,
                        span,
                        format!("the type alias `{}` refers to itself", name.name),
                    );
                    return TyId::ERROR;
                }
                let env = generics.iter().copied().zip(args.iter().copied()).collect();
                let inner = TypeScope {
                    module: self.aliases[idx.at()].module,
                    env,
                    self_ty: None,
                };
                let Some(ty) = self.aliases[idx.at()].ty else {
                    return TyId::ERROR;
                };
                self.aliases[idx.at()].active = true;
                let found = self.resolve_type(ty, &inner);
                self.aliases[idx.at()].active = false;
                if generics.is_empty() {
                    self.aliases[idx.at()].known = Some(found);
                }
                found
            }
            Def::Handle(handle) => self.types.intern(Ty::Handle(handle)),
            Def::Ambiguous(first, second) => {
                self.ambiguous(name, first, second);
                TyId::ERROR
            }
            Def::Broken => TyId::ERROR,
            Def::Fn(_) | Def::Extern(_) | Def::FnAlias(..) => self.not_a_type(name, "a function"),
            Def::Global(_) | Def::ExternVar(_) => self.not_a_type(name, "a variable"),
            Def::Mixin(_) => self.not_a_type(name, "a mixin"),
            Def::Module(_) => self.not_a_type(name, "a module"),
        }
    }

    /// `Tensor<f32, [B, 784]>`: the element type must be a number type; dimensions are names and numbers of any kind.
    fn check_shape_args(&mut self, args: &[TypeArg], scope: &TypeScope) {
        self.shapes.used = true;
        for arg in args {
            if let TypeArg::Type(written) = arg {
                let ty = self.resolve_type(written, scope);
                let number = matches!(
                    self.types.get(ty),
                    Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Bool | Ty::Error
                );
                if !number {
                    let d = Diagnostic::error(
                        codes::TYPE_ARGS,
                        written.span,
                        "the elements of a tensor are numbers",
                    )
                    .found_expected(self.types.name(ty), "a number type, such as `f32`");
                    self.report(d);
                }
            }
        }
    }

    fn not_a_type(&mut self, name: ast::Ident, what: &str) -> TyId {
        self.error(
            codes::UNKNOWN_TYPE,
            name.span,
            format!("`{}` is {what}, not a type", name.name),
        );
        TyId::ERROR
    }

    fn unknown_type(&mut self, name: ast::Ident, scope: &TypeScope) {
        let mut candidates: Vec<&str> = BUILTIN_TYPES.to_vec();
        candidates.extend(scope.env.iter().map(|(n, _)| n.as_str()));
        candidates.extend(
            self.visible_names(scope.module)
                .into_iter()
                .filter(|(_, t)| *t)
                .map(|(n, _)| n),
        );
        let text = name.name.as_str();
        if text == "Tensor" {
            let d = Diagnostic::error(codes::UNKNOWN_TYPE, name.span, "unknown type `Tensor`")
                .help("tensors come from the library: `use lib.torch.{Tensor}`");
            self.report(d);
            return;
        }
        if text == crate::foreign::CSTR {
            let d = Diagnostic::error(
                codes::FOREIGN_ONLY,
                name.span,
                "`cstr` is a type of foreign declarations only",
            )
            .note("C strings are passed and returned as `text`")
            .help("write `text`")
            .fix(name.span, "text");
            self.report(d);
            return;
        }
        let message = format!("unknown type `{text}`");
        if let Some("str" | "String") = simple_spelling::nearest(text, candidates.iter().copied())
            && crate::suggest::foreign_word(text).is_none()
        {
            // Names of other languages that are understood, but not what one should write.
            let d = Diagnostic::error(codes::UNKNOWN_TYPE, name.span, message)
                .help("the text type is called `text`")
                .fix(name.span, "text");
            self.report(d);
            return;
        }
        self.unknown(codes::UNKNOWN_TYPE, name.span, message, text, &candidates);
    }

    /// Names that a program may use in `module`, each with whether it is a type.
    pub(crate) fn visible_names(&mut self, module: ModIdx) -> Vec<(&'static str, bool)> {
        let mut names: Vec<(&'static str, bool)> = Vec::new();
        let mut next = Some(module);
        while let Some(module) = next {
            let info = &self.modules[module.at()];
            names.extend(info.names.iter().map(|(name, (def, _))| {
                (
                    name.as_str(),
                    matches!(def, Def::Type(_) | Def::Trait(_) | Def::Alias(_)),
                )
            }));
            let listed = self.listed_names(module);
            names.extend(listed.map(|name| (Symbol::intern(name).as_str(), false)));
            // Whether an import is a type is not worth following here: the hint may name either.
            names.extend(info.imports.keys().map(|name| (name.as_str(), true)));
            for (from, _) in &info.globs {
                names.extend(
                    self.exported_names(*from)
                        .into_iter()
                        .map(|name| (name, true)),
                );
            }
            next = info.before;
        }
        if let Some(prelude) = self.prelude() {
            names.extend(
                self.exported_names(prelude)
                    .into_iter()
                    .map(|name| (name, true)),
            );
        }
        names
    }

    fn type_args(
        &mut self,
        name: ast::Ident,
        args: &[TypeArg],
        expected: usize,
        span: Span,
        scope: &TypeScope,
    ) -> Option<Rc<[TyId]>> {
        let mut found = Vec::with_capacity(args.len());
        for arg in args {
            match arg {
                TypeArg::Type(ty) => found.push(self.resolve_type(ty, scope)),
                TypeArg::Const(e) => {
                    self.unsupported(e.span, "constants as type arguments");
                    return None;
                }
                // `[T]` in the arguments of a type that is called like one of the library's, such as `Layer`, is read as a shape.
                TypeArg::Dims(dims, span) => match &dims[..] {
                    [
                        ast::Dim::Expr(ast::Expr {
                            kind: ast::ExprKind::Name(item),
                            ..
                        }),
                    ] => {
                        let path = ast::Path {
                            segments: vec![*item],
                        };
                        let item = ast::TypeExpr {
                            kind: TypeExprKind::Named {
                                path,
                                args: Vec::new(),
                            },
                            span: item.span,
                        };
                        let item = self.resolve_type(&item, scope);
                        found.push(self.types.intern(Ty::Array(item)));
                    }
                    _ => {
                        self.unsupported(*span, "static tensor shapes in types");
                        return None;
                    }
                },
            }
        }
        if found.len() != expected {
            let d = Diagnostic::error(
                codes::TYPE_ARGS,
                span,
                format!(
                    "`{}` takes {}, but {}",
                    name.name,
                    counted(expected, "type argument"),
                    given_count(found.len())
                ),
            );
            self.report(d);
            return None;
        }
        Some(found.into())
    }

    /// A type that the language has built in.
    fn builtin_type(
        &mut self,
        name: &str,
        args: &[TypeArg],
        span: Span,
        scope: &TypeScope,
    ) -> Option<TyId> {
        if let Some(ty) = builtin_scalar(name) {
            if !args.is_empty() {
                self.error(
                    codes::TYPE_ARGS,
                    span,
                    format!("`{name}` takes no type arguments"),
                );
                return Some(TyId::ERROR);
            }
            return Some(ty);
        }
        let expected = match name {
            "List" | "Array" | "Set" | "Option" => 1,
            "Dict" | "Map" => 2,
            "Result" => {
                if args.len() == 1 {
                    1
                } else {
                    2
                }
            }
            "Any" | "any" => {
                self.unsupported(span, "the type `Any`");
                return Some(TyId::ERROR);
            }
            _ => return None,
        };
        let ident = ast::Ident {
            name: Symbol::intern(name),
            span,
        };
        let Some(found) = self.type_args(ident, args, expected, span, scope) else {
            return Some(TyId::ERROR);
        };
        let ty = match name {
            "List" | "Array" => Ty::Array(found[0]),
            "Set" => {
                self.require_key(found[0], span);
                Ty::Set(found[0])
            }
            "Option" => Ty::Option(found[0]),
            "Result" => Ty::Result(found[0], found.get(1).copied().unwrap_or(TyId::TEXT)),
            _ => {
                self.require_key(found[0], span);
                Ty::Dict(found[0], found[1])
            }
        };
        Some(self.types.intern(ty))
    }

    /// Follows `a.b.c` through modules.
    pub(crate) fn resolve_path(
        &mut self,
        module: ModIdx,
        segments: &[ast::Ident],
    ) -> Result<Def, ()> {
        let first = segments[0];
        let Some(mut def) = self.lookup_visible(module, first.name) else {
            let names: Vec<&str> = self
                .visible_names(module)
                .into_iter()
                .map(|(n, _)| n)
                .collect();
            let text = first.name.as_str();
            self.unknown(
                codes::UNKNOWN_NAME,
                first.span,
                format!("unknown name `{text}`"),
                text,
                &names,
            );
            return Err(());
        };
        for segment in &segments[1..] {
            match def {
                Def::Module(inner) => def = self.member_of_module(inner, *segment)?,
                Def::Broken => return Err(()),
                _ => {
                    let message = format!(
                        "`{}` is looked up in something that is not a module",
                        segment.name
                    );
                    self.error(codes::UNKNOWN_NAME, segment.span, message);
                    return Err(());
                }
            }
        }
        Ok(def)
    }

    /// `module.name`, reported when it is not there.
    pub(crate) fn member_of_module(&mut self, module: ModIdx, name: ast::Ident) -> Result<Def, ()> {
        match self.exported(module, name.name, 0) {
            Exported::Found(def) => Ok(def),
            Exported::Missing
                if self.is_of_tensors(module) && self.raw_operator(name.name).is_some() =>
            {
                let of = self.modules[module.at()].name.clone();
                let message = format!("the module `{of}` has no `{}`", name.name);
                let d = Diagnostic::error(codes::UNKNOWN_ITEM, name.span, message).help(format!(
                    "libtorch's operator of this name is `ops.{}`, after `use lib.torch.ops`",
                    name.name
                ));
                self.report(d);
                Err(())
            }
            _ => {
                let import = Import {
                    target: Target::Item(module, name.name),
                    span: name.span,
                    public: false,
                };
                self.validate_import(import);
                Err(())
            }
        }
    }

    /// The trait that a written bound or `impl Trait for` names, with its type arguments.
    pub(crate) fn resolve_trait(
        &mut self,
        written: &TypeExpr,
        scope: &TypeScope,
    ) -> Option<(TraitIdx, Rc<[TyId]>)> {
        let (TypeExprKind::Named { path, args }, span) = (&written.kind, written.span) else {
            self.error(
                codes::UNKNOWN_TYPE,
                written.span,
                "a trait's name is expected here",
            );
            return None;
        };
        self.resolve_trait_path(path, args, span, scope)
    }

    /// The same for a path.
    pub(crate) fn resolve_trait_path(
        &mut self,
        path: &ast::Path,
        args: &[TypeArg],
        span: Span,
        scope: &TypeScope,
    ) -> Option<(TraitIdx, Rc<[TyId]>)> {
        let name = path.last();
        let def = if path.segments.len() == 1 {
            match self.lookup_visible(scope.module, name.name) {
                Some(def) => def,
                None => {
                    let names: Vec<&str> = self
                        .visible_names(scope.module)
                        .into_iter()
                        .filter(|(_, t)| *t)
                        .map(|(n, _)| n)
                        .collect();
                    let text = name.name.as_str();
                    self.unknown(
                        codes::UNKNOWN_TYPE,
                        name.span,
                        format!("unknown trait `{text}`"),
                        text,
                        &names,
                    );
                    return None;
                }
            }
        } else {
            self.resolve_path(scope.module, &path.segments).ok()?
        };
        match def {
            Def::Trait(idx) => {
                let expected = self.traits[idx.at()].generics.len() - 1;
                let args = self.type_args(name, args, expected, span, scope)?;
                Some((idx, args))
            }
            Def::Ambiguous(first, second) => {
                self.ambiguous(name, first, second);
                None
            }
            Def::Broken => None,
            _ => {
                self.error(
                    codes::UNKNOWN_TYPE,
                    name.span,
                    format!("`{}` is not a trait", name.name),
                );
                None
            }
        }
    }

    /// Whether a type can be a dict key or set element; reports it if not.
    pub(crate) fn require_key(&mut self, ty: TyId, span: Span) -> bool {
        let fits = self.can_be_key(ty, 0);
        if !fits {
            let d = Diagnostic::error(
                codes::TYPE_MISMATCH,
                span,
                format!("`{}` cannot be a dict key or set element", self.types.name(ty)),
            )
            .note("keys can be integers, bool, text, enums without payload, and tuples or structs of these");
            let d = match self.types.get(ty) {
                Ty::Adt(adt) if self.has_own_eq(*adt) => {
                    d.note("a type with its own `eq` has no hash that agrees with it")
                }
                _ => d,
            };
            self.report(d);
        }
        fits
    }

    /// Whether values of the type are compared by a method that someone wrote.
    fn has_own_eq(&self, adt: AdtId) -> bool {
        let (decl, eq) = (self.decl_of(adt), Symbol::intern("eq"));
        self.decls[decl.at()].methods.contains_key(&eq)
            || self.impl_methods.contains_key(&(Head::Adt(decl), eq))
    }

    fn can_be_key(&mut self, ty: TyId, depth: u32) -> bool {
        match self.types.get(ty).clone() {
            Ty::Int(_)
            | Ty::Bool
            | Ty::Text
            | Ty::Unit
            | Ty::Handle(_)
            | Ty::Error
            | Ty::Param(_)
            | Ty::Infer(_)
            | Ty::Never => true,
            Ty::Tuple(members) => members
                .iter()
                .all(|(_, ty)| self.can_be_key(*ty, depth + 1)),
            Ty::Adt(adt) if depth < 8 && !self.has_own_eq(adt) => {
                match self.types.adts[adt.0 as usize].kind {
                    AdtKind::Class => false,
                    AdtKind::Struct => {
                        self.ensure_adt(adt);
                        let fields: Vec<TyId> = self.types.adts[adt.0 as usize]
                            .fields
                            .iter()
                            .map(|f| f.ty)
                            .collect();
                        fields.iter().all(|&ty| self.can_be_key(ty, depth + 1))
                    }
                    AdtKind::Enum => match self.decls[self.decl_of(adt).at()].shape {
                        Shape::Enum(decl) => decl.variants.iter().all(|v| v.fields.is_empty()),
                        Shape::Record(..) => false,
                    },
                }
            }
            _ => false,
        }
    }
}

/// Whether type arguments are the static shape of a tensor or layer.
fn is_shaped(name: &str, args: &[TypeArg]) -> bool {
    matches!(name, "Tensor" | "Layer") && !args.is_empty()
}

/// A built-in type without arguments.
pub(crate) fn builtin_scalar(name: &str) -> Option<TyId> {
    Some(match name {
        "i8" => TyId::I8,
        "i16" => TyId::I16,
        "i32" => TyId::I32,
        "i64" | "int" | "usize" | "isize" => TyId::I64,
        "u8" => TyId::U8,
        "u16" => TyId::U16,
        "u32" => TyId::U32,
        "u64" => TyId::U64,
        "f32" => TyId::F32,
        "f64" | "float" => TyId::F64,
        "bool" => TyId::BOOL,
        "text" | "str" | "String" => TyId::TEXT,
        "void" => TyId::UNIT,
        "Range" => TyId::RANGE,
        _ => return None,
    })
}
