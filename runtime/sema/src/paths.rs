//! Written paths to what they name: `a.b.c` through modules, traits in bounds and impls, and the names that could have been meant.
//!
//! Next: `types.rs`, which reads written types; `modules.rs`, which knows what a module exports.

use crate::checker::Checker;
use crate::codes;
use crate::decls::*;
use crate::modules::Exported;
use crate::typed::*;
use simple_syntax::ast::{self, TypeArg, TypeExpr, TypeExprKind};
use simple_syntax::{Diagnostic, Span, Symbol};
use std::rc::Rc;

impl Checker<'_> {
    /// Names that a program may use in `module`, each with whether it is a type.
    pub(crate) fn visible_names(&mut self, module: ModIdx) -> Vec<(&'static str, bool)> {
        let mut names: Vec<(&'static str, bool)> = Vec::new();
        let mut next = Some(module);
        while let Some(module) = next {
            let info = &self.modules()[module];
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
                let of = self.modules()[module].name.clone();
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
                let expected = self.decls()[idx].generics.len() - 1;
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
}
