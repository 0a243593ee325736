//! Declarations as text: functions, types, traits, imports.
//!
//! The expressions and types inside them are written by the parent module.

use super::*;

impl Dumper {
    pub(super) fn item(&mut self, item: &Item) {
        for annotation in &item.annotations {
            let args = self.labelled(
                annotation
                    .args
                    .iter()
                    .map(|(label, value)| (*label, self.expr(value))),
            );
            self.line(&format!("@{}({args})", annotation.name.name));
        }
        if let Some(docs) = &item.docs {
            self.line(&format!("docs {docs:?}"));
        }
        let public = if item.public { "pub " } else { "" };
        match &item.kind {
            ItemKind::Fn(decl) => {
                let line = self.fn_decl(decl);
                self.line(&format!("{public}{line}"));
            }
            ItemKind::Struct(decl) => self.type_decl(&format!("{public}struct"), decl),
            ItemKind::Class(decl) => self.type_decl(&format!("{public}class"), decl),
            ItemKind::Mixin(decl) => self.type_decl(&format!("{public}mixin"), decl),
            ItemKind::Enum(decl) => {
                self.line(&format!(
                    "{public}enum {}{}",
                    decl.name.name,
                    self.generics(&decl.generics)
                ));
                self.indent += 1;
                for variant in &decl.variants {
                    if let Some(docs) = &variant.docs {
                        self.line(&format!("docs {docs:?}"));
                    }
                    let mut line = format!("variant {}", variant.name.name);
                    if !variant.fields.is_empty() {
                        let fields = variant.fields.iter().map(|part| {
                            let default = part.default.as_ref();
                            let default = default.map(|value| format!(" = {}", self.expr(value)));
                            let ty = self.ty(&part.ty) + &default.unwrap_or_default();
                            (part.name, ty)
                        });
                        let _ = write!(line, "({})", self.labelled(fields));
                    }
                    if let Some(value) = &variant.discriminant {
                        let _ = write!(line, " = {}", self.expr(value));
                    }
                    self.line(&line);
                }
                self.methods(&decl.methods);
                self.indent -= 1;
            }
            ItemKind::Trait(decl) => {
                let supers = self.bounds(&decl.supers);
                self.line(&format!(
                    "{public}trait {}{}{supers}",
                    decl.name.name,
                    self.generics(&decl.generics)
                ));
                self.indent += 1;
                for (name, ty) in &decl.assoc {
                    let ty = ty
                        .as_ref()
                        .map_or(String::new(), |ty| format!(" = {}", self.ty(ty)));
                    self.line(&format!("type {}{ty}", name.name));
                }
                self.methods(&decl.methods);
                self.indent -= 1;
            }
            ItemKind::Impl(decl) => {
                let of = decl
                    .trait_ty
                    .as_ref()
                    .map_or(String::new(), |ty| format!("{} for ", self.ty(ty)));
                let clauses = self.where_clauses(&decl.where_clauses);
                let generics = self.generics(&decl.generics);
                self.line(&format!(
                    "impl{generics} {of}{}{clauses}",
                    std::iter::once(&decl.ty)
                        .chain(&decl.group)
                        .map(|ty| self.ty(ty))
                        .collect::<Vec<_>>()
                        .join(" | ")
                ));
                self.indent += 1;
                for (name, ty) in &decl.assoc {
                    self.line(&format!("type {} = {}", name.name, self.ty(ty)));
                }
                self.methods(&decl.methods);
                self.indent -= 1;
            }
            ItemKind::TypeAlias { name, generics, ty } => {
                self.line(&format!(
                    "{public}type {}{} = {}",
                    name.name,
                    self.generics(generics),
                    self.ty(ty)
                ));
            }
            ItemKind::FnAlias { name, target } => {
                self.line(&format!("{public}fn {} = {}", name.name, path_text(target)));
            }
            ItemKind::ExternFn(decl) => {
                let ret = decl
                    .ret
                    .as_ref()
                    .map_or(String::new(), |ty| format!(" -> {}", self.ty(ty)));
                let dots = match (decl.variadic, decl.params.is_empty()) {
                    (None, _) => "",
                    (Some(_), true) => "...",
                    (Some(_), false) => ", ...",
                };
                self.line(&format!(
                    "{public}extern fn {}({}{dots}){ret}",
                    decl.name.name,
                    self.params(&decl.params)
                ));
            }
            ItemKind::ExternVar(decl) => {
                let word = if decl.mutable { "var" } else { "val" };
                let (name, ty) = (decl.name.name, self.ty(&decl.ty));
                self.line(&format!("{public}extern {word} {name}: {ty}"));
            }
            ItemKind::ExternType(name) => self.line(&format!("{public}extern type {}", name.name)),
            ItemKind::Use(decl) => self.line(&format!("{public}{}", use_text(decl))),
            ItemKind::Export(ExportDecl::Names(names)) => {
                let names: Vec<_> = names.iter().map(|name| name.name.as_str()).collect();
                self.line(&format!("export {}", names.join(", ")));
            }
            ItemKind::Export(ExportDecl::All) => self.line("export *"),
            ItemKind::Export(ExportDecl::Use(decl)) => {
                self.line(&format!("export {}", use_text(decl)))
            }
            ItemKind::Mod(name) => self.line(&format!("mod {}", name.name)),
        }
    }

    pub(super) fn type_decl(&mut self, word: &str, decl: &TypeDecl) {
        let mut line = format!("{word} {}{}", decl.name.name, self.generics(&decl.generics));
        if !decl.with.is_empty() {
            let with: Vec<_> = decl
                .with
                .iter()
                .map(|(path, args)| format!("{}{}", path_text(path), self.type_args(args)))
                .collect();
            let _ = write!(line, " with {}", with.join(", "));
        }
        line.push_str(&self.where_clauses(&decl.where_clauses));
        self.line(&line);
        self.indent += 1;
        for field in &decl.fields {
            if let Some(docs) = &field.docs {
                self.line(&format!("docs {docs:?}"));
            }
            let mut line = String::new();
            for (set, word) in [
                (field.weak, "weak "),
                (field.private, "private "),
                (field.immutable, "val "),
            ] {
                line.push_str(if set { word } else { "" });
            }
            let _ = write!(line, "field {}: {}", field.name.name, self.ty(&field.ty));
            if field.variadic {
                line.push_str("...");
            }
            if let Some(value) = &field.default {
                let _ = write!(line, " = {}", self.expr(value));
            }
            self.line(&line);
        }
        for (path, field) in &decl.forwards {
            self.line(&format!("alias {} = {}", path_text(path), field.name));
        }
        self.methods(&decl.methods);
        self.indent -= 1;
    }

    pub(super) fn methods(&mut self, methods: &[Item]) {
        for method in methods {
            self.item(method);
        }
    }

    pub(super) fn fn_decl(&self, decl: &FnDecl) -> String {
        let word = match decl.kind {
            FnKind::Fn => "fn",
            FnKind::Me => "me",
            FnKind::Static => "static fn",
        };
        let mut line = String::new();
        if decl.is_async {
            line.push_str("async ");
        }
        let own = if decl.explicit_self { "self; " } else { "" };
        let generics = self.generics(&decl.generics);
        let _ = write!(
            line,
            "{word} {}{generics}({own}{})",
            decl.name.name,
            self.params(&decl.params)
        );
        if let Some(ret) = &decl.ret {
            let _ = write!(line, " -> {}", self.ty(ret));
        }
        line.push_str(&self.where_clauses(&decl.where_clauses));
        if let Some(body) = &decl.body {
            let _ = write!(line, " {}", self.block(body));
        }
        line
    }

    pub(super) fn params(&self, params: &[Param]) -> String {
        let params = params.iter().map(|param| {
            let mut text = match param.out {
                true => format!("out {}", param.name.name),
                false => param.name.name.to_string(),
            };
            if let Some(ty) = &param.ty {
                let _ = write!(text, ": {}", self.ty(ty));
            }
            if param.variadic {
                text.push_str("...");
            }
            if let Some(default) = &param.default {
                let _ = write!(text, " = {}", self.expr(default));
            }
            text
        });
        params.collect::<Vec<_>>().join(", ")
    }

    pub(super) fn generics(&self, generics: &[GenericParam]) -> String {
        if generics.is_empty() {
            return String::new();
        }
        let params = generics.iter().map(|param| match &param.const_ty {
            Some(ty) => format!("const {}: {}", param.name.name, self.ty(ty)),
            None => format!("{}{}", param.name.name, self.bounds(&param.bounds)),
        });
        format!("<{}>", params.collect::<Vec<_>>().join(", "))
    }

    pub(super) fn bounds(&self, bounds: &[TypeExpr]) -> String {
        if bounds.is_empty() {
            return String::new();
        }
        let bounds: Vec<_> = bounds.iter().map(|bound| self.ty(bound)).collect();
        format!(": {}", bounds.join(" + "))
    }

    pub(super) fn where_clauses(&self, clauses: &[WhereClause]) -> String {
        if clauses.is_empty() {
            return String::new();
        }
        let clauses: Vec<_> = clauses
            .iter()
            .map(|clause| match &clause.range {
                Some(range) => format!("{}: {}", clause.name.name, self.expr(range)),
                None => format!("{}{}", clause.name.name, self.bounds(&clause.bounds)),
            })
            .collect();
        format!(" where {}", clauses.join(", "))
    }
}

fn use_text(decl: &UseDecl) -> String {
    let word = if decl.import { "import" } else { "use" };
    let segments: Vec<_> = decl
        .segments
        .iter()
        .map(|segment| segment.name.as_str())
        .collect();
    let path = ".".repeat(decl.dots as usize) + &segments.join(".");
    let name_text = |(name, alias): &(Ident, Option<Ident>)| match alias {
        Some(alias) => format!("{} as {}", name.name, alias.name),
        None => name.name.to_string(),
    };
    let what = match &decl.what {
        UseWhat::Path(None) => String::new(),
        UseWhat::Path(Some(alias)) => format!(" as {}", alias.name),
        UseWhat::Names(names) => format!(
            " {{{}}}",
            names.iter().map(name_text).collect::<Vec<_>>().join(", ")
        ),
        UseWhat::All => " *".to_string(),
    };
    format!("{word} {path}{what}")
}
