//! Reports imports of what a module does not have or does not export, and exports of unknown names.
//!
//! Next: `modules.rs`, which finds out what modules have.

use crate::checker::Checker;
use crate::codes;
use crate::decls::{Def, Import, ModIdx, ModuleInfo, Target};
use crate::modules::{Exported, listing};
use crate::state::Reporting;
use simple_spelling::nearest;
use simple_syntax::ast;
use simple_syntax::{Diagnostic, Symbol};

impl Checker<'_> {
    /// Reports imports of what is not there, and exports of unknown names.
    pub(crate) fn validate_imports(&mut self, module: ModIdx) {
        let mut imports: Vec<(Symbol, Import)> = self.modules()[module]
            .imports
            .iter()
            .map(|(&name, &import)| (name, import))
            .collect();
        imports.sort_by_key(|(_, import)| import.span);
        for (_, import) in imports {
            self.validate_import(import);
        }
        let tree = self.modules()[module].tree;
        for stmt in &tree.stmts {
            if let ast::StmtKind::Item(item) = &stmt.kind
                && let ast::ItemKind::Export(ast::ExportDecl::Names(names)) = &item.kind
            {
                for name in names {
                    let known = self.reports_mut().follows_from_broken(name.name.as_str());
                    if !known && self.lookup(module, name.name).is_none() {
                        let known = self.modules()[module].names.keys().map(|n| n.as_str());
                        let near = nearest(name.name.as_str(), known);
                        let mut d = Diagnostic::error(
                            codes::UNKNOWN_NAME,
                            name.span,
                            format!("cannot export `{}`: nothing has this name here", name.name),
                        );
                        if let Some(near) = near {
                            d = d
                                .help(format!("did you mean `{near}`?"))
                                .fix(name.span, near);
                        }
                        self.report(d);
                    }
                }
            }
        }
    }

    /// Reports an import of what its module does not have or does not export.
    pub(crate) fn validate_import(&mut self, import: Import) {
        let Target::Item(from, name) = import.target else {
            return;
        };
        let module = self.modules()[from].name.clone();
        match self.exported(from, name, 0) {
            Exported::Found(_) => {}
            Exported::Private => {
                let place = self.modules()[from].names.get(&name).map(|&(_, span)| span);
                let mut d = Diagnostic::error(
                    codes::NOT_EXPORTED,
                    import.span,
                    format!("`{name}` is not exported by the module `{module}`"),
                );
                let inner = self.modules()[from].imports.get(&name);
                d = match inner.map(|import| import.target) {
                    Some(Target::Module(_)) => d.help(format!(
                        "`{name}` is a separate module: write `use ...{module}.{name}`"
                    )),
                    _ if self.modules_mut()[from].library => {
                        d.help("it is internal to the library; use what the module exports")
                    }
                    _ => {
                        let exports = self.all_exported_names(from);
                        if !exports.is_empty() {
                            d = d.note(format!("it exports {}", listing(&exports)));
                        }
                        d.help(format!("add `export {name}` there"))
                    }
                };
                d.related
                    .extend(place.map(|span| (span, "declared here".into())));
                self.report(d);
            }
            // Its declaration was reported.
            Exported::Missing if self.reports_mut().follows_from_broken(name.as_str()) => {}
            Exported::Missing => {
                let exports = self.all_exported_names(from);
                let mut d = Diagnostic::error(
                    codes::UNKNOWN_ITEM,
                    import.span,
                    format!("the module `{module}` has no `{name}`"),
                );
                let owner = self.owner_of_method(from, name, &exports);
                let beside = self.exported_beside(from, name);
                match nearest(name.as_str(), exports.iter().copied()) {
                    _ if owner.is_none() && beside.is_some() => {
                        d.help = beside.map(|module| {
                            format!("it is in another module: `use {module}.{{{name}}}`")
                        });
                    }
                    _ if owner.is_some() => {
                        d.help = owner.map(|on| {
                            format!(
                                "it is a method here: write `{on}.{name}(...)`, without an import"
                            )
                        });
                    }
                    Some(near) => {
                        d = d
                            .help(format!("did you mean `{near}`?"))
                            .fix(import.span, near);
                    }
                    None if !exports.is_empty() => {
                        d = d.note(format!("it exports {}", listing(&exports)))
                    }
                    None => {}
                }
                self.report(d);
            }
        }
    }

    /// The module of the library beside this one, or in its folder, that exports a name.
    fn exported_beside(&mut self, module: ModIdx, name: Symbol) -> Option<String> {
        let of = &self.modules()[module];
        let folder = of.path.rsplit_once('/')?.0.to_owned();
        if !of.library {
            return None;
        }
        let beside = |info: &ModuleInfo<'_>| {
            let of_folder = info
                .path
                .rsplit_once('/')
                .is_some_and(|(of, _)| of == folder);
            info.library && of_folder && info.names.contains_key(&name)
        };
        let found: Vec<ModIdx> = (self.modules().iter())
            .filter(|(_, info)| beside(info))
            .map(|(module, _)| module)
            .collect();
        let found = found.into_iter().find(|&module| {
            let found = self.exported(module, name, 0);
            matches!(found, Exported::Found(_))
        })?;
        let path = &self.modules()[found].path;
        let (_, below) = path.rsplit_once("/lib/")?;
        let dotted = below.strip_suffix(".spl")?.replace('/', ".");
        Some(match dotted.starts_with("std.") {
            true => dotted,
            false => format!("lib.{dotted}"),
        })
    }

    /// What to call `name` on if an exported type of a module has it as a method: the type if the method is static, else `x`.
    fn owner_of_method(
        &mut self,
        module: ModIdx,
        name: Symbol,
        exports: &[&'static str],
    ) -> Option<&'static str> {
        exports.iter().copied().find_map(|export| {
            let Exported::Found(Def::Type(decl)) = self.exported(module, Symbol::intern(export), 0)
            else {
                return None;
            };
            // Impls are not entered into the tables yet.
            let own = self.decls()[decl].methods.get(&name);
            let method = own.or_else(|| {
                let mut parts = self.decls().impls().iter().filter(|part| {
                    part.decl
                        .is_some_and(|decl| self.input().text(decl.ty.span) == export)
                });
                parts.find_map(|part| part.methods.get(&name))
            })?;
            let is_static = self.decls()[*method].is_static;
            Some(if is_static { export } else { "x" })
        })
    }
}
