//! Written types to types: names, arguments, aliases.
//!
//! Leaves out paths through modules and traits (`paths.rs`), and what a tensor's shape in a type means (`shapes/`). Next: `signature.rs` for
//! instances, `infer.rs` for unknown types.

use crate::checker::Checker;
use crate::codes;
use crate::counts::{counted, given_count};
use crate::decls::*;
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
            TypeExprKind::Named { path, args } => {
                self.resolve_named(written.span, path, args, scope)
            }
            TypeExprKind::Array(item) => {
                let item = self.resolve_type(item, scope);
                self.types_mut().intern(Ty::Array(item))
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
                self.types_mut().intern(Ty::Array(item))
            }
            TypeExprKind::Dict(key, value) => {
                let key_ty = self.resolve_type(key, scope);
                let value = self.resolve_type(value, scope);
                self.require_key(key_ty, key.span);
                self.types_mut().intern(Ty::Dict(key_ty, value))
            }
            TypeExprKind::Unit => TyId::UNIT,
            TypeExprKind::Tuple(members) => {
                let members = members
                    .iter()
                    .map(|(label, ty)| (label.map(|l| l.name), self.resolve_type(ty, scope)))
                    .collect();
                self.types_mut().intern(Ty::Tuple(members))
            }
            TypeExprKind::Optional(item) => {
                let item = self.resolve_type(item, scope);
                if item == TyId::ERROR {
                    item
                } else {
                    self.types_mut().intern(Ty::Option(item))
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
                self.types_mut().intern(Ty::Fn(params, ret))
            }
            TypeExprKind::Dyn(path) => self.resolve_named(written.span, path, &[], scope),
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
                let constant = self.decls()[global].constant.as_ref()?;
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
        span: Span,
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
                    if let Some(ty) = self.builtin_type(text, args, span, scope) {
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
                let text = self.input().text(span);
                let item = text
                    .strip_prefix("list<")
                    .and_then(|rest| rest.strip_suffix('>'));
                let wanted = format!("[{}]", item.unwrap_or("T"));
                self.named_elsewhere(name, span, &wanted);
                let ty = self.builtin_type("List", args, span, scope);
                return ty.unwrap_or(TyId::ERROR);
            }
            if name.name.as_str() == "tuple" && !args.is_empty() {
                let text = self.input().text(span);
                let members = text
                    .strip_prefix("tuple<")
                    .and_then(|rest| rest.strip_suffix('>'));
                let wanted = format!("({})", members.unwrap_or("A, B"));
                self.named_elsewhere(name, span, &wanted);
                let Some(found) = self.type_args(name, args, args.len(), span, scope) else {
                    return TyId::ERROR;
                };
                let members = found.iter().map(|&ty| (None, ty)).collect();
                return self.types_mut().intern(Ty::Tuple(members));
            }
            self.unknown_type(name, scope);
            return TyId::ERROR;
        };
        self.type_of_def(def, name, args, span, scope)
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
                let generics = self.decls()[decl].generics.len();
                if generics == 0 && is_shaped(name.name.as_str(), args) {
                    // A static shape is not part of the type: `shapes/` checks it.
                    self.check_shape_args(args, scope);
                    let adt = self.adt_instance(decl, self.instances().no_args());
                    return self.types_mut().intern(Ty::Adt(adt));
                }
                let Some(args) = self.type_args(name, args, generics, span, scope) else {
                    return TyId::ERROR;
                };
                let adt = self.adt_instance(decl, args);
                self.types_mut().intern(Ty::Adt(adt))
            }
            Def::Trait(idx) => {
                let generics = self.decls()[idx].generics.len() - 1;
                if generics == 0 && is_shaped(name.name.as_str(), args) {
                    self.check_shape_args(args, scope);
                    let id = self.trait_instance(idx, self.instances().no_args());
                    return self.types_mut().intern(Ty::Trait(id));
                }
                let Some(args) = self.type_args(name, args, generics, span, scope) else {
                    return TyId::ERROR;
                };
                let id = self.trait_instance(idx, args);
                self.types_mut().intern(Ty::Trait(id))
            }
            Def::Alias(idx) => {
                let generics = self.decls()[idx].generics.clone();
                if generics.is_empty() && args.iter().any(|arg| matches!(arg, TypeArg::Dims(..))) {
                    return self.shaped_alias(idx, name, args, span, scope);
                }
                let Some(args) = self.type_args(name, args, generics.len(), span, scope) else {
                    return TyId::ERROR;
                };
                if let (Some(written), true) = (self.decls()[idx].ty, generics.is_empty()) {
                    self.output_mut().shapes_mut().alias(span, written);
                }
                if let Some(known) = self.decls()[idx].known {
                    return known;
                }
                if self.decls()[idx].active {
                    self.error(
                        codes::RECURSIVE_TYPE,
                        span,
                        format!("the type alias `{}` refers to itself", name.name),
                    );
                    return TyId::ERROR;
                }
                let env = generics.iter().copied().zip(args.iter().copied()).collect();
                let inner = TypeScope {
                    module: self.decls()[idx].module,
                    env,
                    self_ty: None,
                };
                let Some(ty) = self.decls()[idx].ty else {
                    return TyId::ERROR;
                };
                self.decls_mut()[idx].active = true;
                let found = self.resolve_type(ty, &inner);
                self.decls_mut()[idx].active = false;
                if generics.is_empty() {
                    self.decls_mut()[idx].known = Some(found);
                    // The written type may be an alias itself, which is known by now.
                    self.output_mut().shapes_mut().alias(span, ty);
                }
                found
            }
            Def::Handle(handle) => self.types_mut().intern(Ty::Handle(handle)),
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

    /// `Image<f32, [3, 32, 32]>` after `type Image = Tensor`: the shape is that of the type which the alias names.
    fn shaped_alias(
        &mut self,
        idx: AliasIdx,
        name: ast::Ident,
        args: &[TypeArg],
        span: Span,
        scope: &TypeScope,
    ) -> TyId {
        let (written, module) = (self.decls()[idx].ty, self.decls()[idx].module);
        let Some(TypeExpr {
            kind: TypeExprKind::Named { path, args: own },
            ..
        }) = written
        else {
            self.type_args(name, args, 0, span, scope);
            return TyId::ERROR;
        };
        if !own.is_empty() || self.decls()[idx].active {
            let message = format!("the type alias `{}` has its shape already", name.name);
            let d = Diagnostic::error(codes::TYPE_ARGS, span, message)
                .help("leave the shape out here, or declare the alias without one");
            self.report(d);
            return TyId::ERROR;
        }
        let inner = TypeScope {
            module,
            ..scope.clone()
        };
        self.decls_mut()[idx].active = true;
        let found = self.resolve_named(path.span(), path, args, &inner);
        self.decls_mut()[idx].active = false;
        found
    }

    /// `Tensor<f32, [B, 784]>`: the element type must be a number type; dimensions are names and numbers of any kind.
    fn check_shape_args(&mut self, args: &[TypeArg], scope: &TypeScope) {
        self.output_mut().shapes_mut().used = true;
        for arg in args {
            if let TypeArg::Type(written) = arg {
                let ty = self.resolve_type(written, scope);
                let number = matches!(
                    self.types().get(ty),
                    Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Bool | Ty::Error
                );
                if !number {
                    let d = Diagnostic::error(
                        codes::TYPE_ARGS,
                        written.span,
                        "the elements of a tensor are numbers",
                    )
                    .found_expected(self.types().name(ty), "a number type, such as `f32`");
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

    pub(crate) fn type_args(
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
                        found.push(self.types_mut().intern(Ty::Array(item)));
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
        Some(self.types_mut().intern(ty))
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
