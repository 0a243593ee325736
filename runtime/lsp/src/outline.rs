//! Symbols of a file, and what can be folded: from the tree alone, so that a file with mistakes has them too.

use crate::document::Document;
use serde_json::{Value, json};
use simple_syntax::ast::{Block, FnDecl, FnKind, Item, ItemKind, Stmt, StmtKind};
use simple_syntax::{FileId, Span, Symbol};

/// Numbers of the protocol's `SymbolKind`.
mod kind {
    pub(super) const CLASS: u32 = 5;
    pub(super) const METHOD: u32 = 6;
    pub(super) const FIELD: u32 = 8;
    pub(super) const ENUM: u32 = 10;
    pub(super) const INTERFACE: u32 = 11;
    pub(super) const FUNCTION: u32 = 12;
    pub(super) const VARIABLE: u32 = 13;
    pub(super) const ENUM_MEMBER: u32 = 22;
    pub(super) const STRUCT: u32 = 23;
}

/// The declarations of a file, with their members.
pub(crate) fn symbols(document: &Document) -> Vec<Value> {
    let (module, _) = simple_syntax::parse(FileId(0), document.text());
    module
        .stmts
        .iter()
        .flat_map(|stmt| of_stmt(stmt, document))
        .collect()
}

fn symbol(
    (name, at): (Symbol, Span),
    number: u32,
    whole: Span,
    children: Vec<Value>,
    document: &Document,
) -> Value {
    let range = |span: Span| document.range(span.lo as usize, span.hi as usize);
    json!({
        "name": name.as_str(),
        "kind": number,
        // The name must be in the whole, also where an annotation comes between.
        "range": range(whole.to(at)),
        "selectionRange": range(at),
        "children": children,
    })
}

fn of_stmt(stmt: &Stmt, document: &Document) -> Vec<Value> {
    match &stmt.kind {
        StmtKind::Item(item) => of_item(item, document).into_iter().collect(),
        StmtKind::Let { pattern, .. } => {
            let mut names = Vec::new();
            names_in(pattern, &mut names);
            let each = names.into_iter();
            each.map(|name| symbol(name, kind::VARIABLE, stmt.span, Vec::new(), document))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn names_in(pattern: &simple_syntax::ast::Pattern, names: &mut Vec<(Symbol, Span)>) {
    use simple_syntax::ast::PatternKind as P;
    match &pattern.kind {
        P::Name(name) => names.push((name.name, name.span)),
        P::Tuple(parts) => parts.iter().for_each(|part| names_in(part, names)),
        _ => {}
    }
}

fn of_item(item: &Item, document: &Document) -> Option<Value> {
    let methods = |items: &[Item]| -> Vec<Value> {
        let all = items.iter();
        all.filter_map(|item| of_item(item, document)).collect()
    };
    let whole = item.span;
    let made = |name: simple_syntax::ast::Ident, number, children| {
        Some(symbol(
            (name.name, name.span),
            number,
            whole,
            children,
            document,
        ))
    };
    match &item.kind {
        ItemKind::Fn(decl) => made(decl.name, function_kind(decl), Vec::new()),
        ItemKind::Struct(decl) | ItemKind::Class(decl) | ItemKind::Mixin(decl) => {
            let number = match item.kind {
                ItemKind::Struct(_) => kind::STRUCT,
                _ => kind::CLASS,
            };
            let fields = decl.fields.iter().map(|field| {
                let name = (field.name.name, field.name.span);
                symbol(name, kind::FIELD, field.name.span, Vec::new(), document)
            });
            let children = fields.chain(methods(&decl.methods)).collect();
            made(decl.name, number, children)
        }
        ItemKind::Enum(decl) => {
            let variants = decl.variants.iter().map(|variant| {
                let name = (variant.name.name, variant.name.span);
                let at = variant.name.span;
                symbol(name, kind::ENUM_MEMBER, at, Vec::new(), document)
            });
            let children = variants.chain(methods(&decl.methods)).collect();
            made(decl.name, kind::ENUM, children)
        }
        ItemKind::Trait(decl) => made(decl.name, kind::INTERFACE, methods(&decl.methods)),
        ItemKind::TypeAlias { name, .. } => made(*name, kind::CLASS, Vec::new()),
        ItemKind::ExternFn(decl) => made(decl.name, kind::FUNCTION, Vec::new()),
        ItemKind::Impl(decl) => {
            // An impl has no name of its own; its methods are shown.
            let children = methods(&decl.methods);
            let at = Span::new(whole.file, whole.lo, (whole.lo + 4).min(whole.hi));
            let name = (Symbol::intern("impl"), at);
            Some(symbol(name, kind::CLASS, whole, children, document))
        }
        _ => None,
    }
}

fn function_kind(decl: &FnDecl) -> u32 {
    match decl.kind {
        FnKind::Fn => kind::FUNCTION,
        FnKind::Me | FnKind::Static => kind::METHOD,
    }
}

/// Blocks of several lines, as pairs of lines.
pub(crate) fn folds(document: &Document) -> Vec<Value> {
    let (module, _) = simple_syntax::parse(FileId(0), document.text());
    let mut folds = Vec::new();
    module
        .stmts
        .iter()
        .for_each(|stmt| fold_stmt(stmt, document, &mut folds));
    folds
}

fn fold(span: Span, document: &Document, folds: &mut Vec<Value>) {
    let line = |at: u32| document.position(at as usize)["line"].clone();
    let (first, last) = (line(span.lo), line(span.hi.saturating_sub(1)));
    if first.as_u64() < last.as_u64() {
        folds.push(json!({"startLine": first, "endLine": last}));
    }
}

fn fold_block(block: &Block, document: &Document, folds: &mut Vec<Value>) {
    for stmt in &block.stmts {
        fold_stmt(stmt, document, folds);
    }
}

fn fold_item(item: &Item, document: &Document, folds: &mut Vec<Value>) {
    fold(item.span, document, folds);
    let methods = match &item.kind {
        ItemKind::Fn(decl) => {
            if let Some(body) = &decl.body {
                fold_block(body, document, folds);
            }
            return;
        }
        ItemKind::Struct(decl) | ItemKind::Class(decl) | ItemKind::Mixin(decl) => &decl.methods,
        ItemKind::Enum(decl) => &decl.methods,
        ItemKind::Trait(decl) => &decl.methods,
        ItemKind::Impl(decl) => &decl.methods,
        _ => return,
    };
    for method in methods {
        fold_item(method, document, folds);
    }
}

fn fold_stmt(stmt: &Stmt, document: &Document, folds: &mut Vec<Value>) {
    match &stmt.kind {
        StmtKind::Item(item) => fold_item(item, document, folds),
        StmtKind::While { body, .. }
        | StmtKind::Loop(body)
        | StmtKind::For { body, .. }
        | StmtKind::NoGrad(body)
        | StmtKind::Loss(body) => {
            fold(stmt.span, document, folds);
            fold_block(body, document, folds);
        }
        _ => fold(stmt.span, document, folds),
    }
}
