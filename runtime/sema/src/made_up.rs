//! Methods that the checker makes up: those by which a type forwards a trait to a field, those that call a method with the
//! defaults of its further parameters, and the beginning of a method that hooks surround.
//!
//! A method of a trait with `@any_signature` is fulfilled by one with more parameters if these have defaults:
//! `fn forward(x: Tensor, mask: Tensor? = nil) -> Tensor` gets a second method of one parameter, which objects of the trait
//! call. Where the trait's method has `@hooked` too, the type's own method begins with
//!
//! ```text
//! if self._is_hooked():
//!     val given = self._own_hooks().before(self, [x])
//!     return self._own_hooks().after(self, given, self.forward(given[0], mask))
//! ```
//!
//! `_is_hooked` has `@asks_hooks`. In a program that has no function with `@makes_hooks` this beginning is taken out again. Leaves out methods without a written result that have more parameters than the trait's. Next: `mixins.rs`.

use crate::asked::annotation;
use crate::checker::Checker;
use crate::collect::literal_text;
use crate::decls::*;
use crate::typed;
use rustc_hash::FxHashSet;
use simple_syntax::ast::{
    self, Expr, ExprKind, FnDecl, FnKind, Ident, Item, ItemKind, Param, Stmt, StmtKind,
};
use simple_syntax::{Span, Symbol};

/// The annotation of a trait's method that hooks surround.
const HOOKED: &str = "hooked";
/// The annotation of the function that says whether a value has hooks.
const ASKS_HOOKS: &str = "asks_hooks";
/// The annotation of a function of the library that adds a hook.
const MAKES_HOOKS: &str = "makes_hooks";

impl<'a> Checker<'a> {
    /// Makes the methods of a type fit those of its traits that take any signature, and lets hooks surround them.
    pub(crate) fn adapt_methods(&mut self, idx: DeclIdx, traits: &[TraitIdx], class: bool) {
        for &of in traits {
            let decl = self.decls()[of].decl;
            for item in &decl.methods {
                let (ItemKind::Fn(wanted), Some(names)) = (
                    &item.kind,
                    annotation(item, super::any_signature::ANY_SIGNATURE),
                ) else {
                    continue;
                };
                let others = names.args.iter();
                let others = others.filter_map(|(_, value)| literal_text(value));
                let names: Vec<Symbol> = std::iter::once(wanted.name.name)
                    .chain(others.map(|name| Symbol::intern(&name)))
                    .collect();
                for &name in &names {
                    self.add_with_defaults(idx, name, wanted.params.len());
                }
                // What a call of the object runs: the last of them that is there.
                if class && annotation(item, HOOKED).is_some() {
                    let methods = &self.decls()[idx].methods;
                    let entry = names.iter().rev().find_map(|name| methods.get(name));
                    if let Some(&entry) = entry {
                        self.surround(entry, wanted);
                    }
                }
            }
        }
    }

    /// A method of `count` parameters beside one that has more, with defaults.
    fn add_with_defaults(&mut self, idx: DeclIdx, name: Symbol, count: usize) {
        let Some(&method) = self.decls()[idx].methods.get(&name) else {
            return;
        };
        let info = &self.decls()[method];
        let (decl, module) = (info.decl, info.module);
        if info.is_static {
            return;
        }
        let generics = self.decls()[idx].generics.clone();
        if let Some(item) = with_defaults(decl, count).and_then(|item| self.keep_item(item)) {
            self.collect_method(module, item, Owner::Type(idx), &generics, None);
        }
    }

    /// Lets a method begin with what hooks do.
    fn surround(&mut self, method: FnIdx, wanted: &FnDecl) {
        let info = &self.decls()[method];
        if info.is_static {
            return;
        }
        let Some(item) = surrounded(info.decl, wanted).and_then(|item| self.keep_item(item)) else {
            return;
        };
        if let ItemKind::Fn(decl) = &item.kind {
            self.decls_mut()[method].decl = decl;
        }
    }

    /// Takes out what hooks do where a program adds none, before anything is said of the bodies. An entry of a session may add one later.
    pub(crate) fn settle_hooks(&mut self) {
        if self.input().session().is_open() || self.annotated(MAKES_HOOKS).next().is_some() {
            return;
        }
        let asking: FxHashSet<typed::FuncId> = self.annotated(ASKS_HOOKS).collect();
        for func in self.output_mut().funcs_mut() {
            if let Some(body) = &mut func.body
                && let typed::ExprKind::Block(stmts, _) = &mut body.kind
                && let Some(first) = stmts.first()
                && let typed::StmtKind::Expr(e) = &first.kind
                && let typed::ExprKind::If { cond, .. } = &e.kind
                && let typed::Cond::Expr(asks) = &**cond
                && let typed::ExprKind::Call(called, _) = &asks.kind
                && asking.contains(called)
            {
                stmts.remove(0);
            }
        }
    }

    /// Keeps a declaration that the checker made up as long as those that were written.
    pub(crate) fn keep_item(&mut self, item: Item) -> Option<&'a Item> {
        let span = item.span;
        let stmt = ast::Stmt {
            kind: ast::StmtKind::Item(Box::new(item)),
            span,
        };
        let kept = self.input().keep(ast::Module {
            docs: None,
            stmts: vec![stmt],
            span,
            broken: Vec::new(),
        });
        match kept.stmts.first().map(|stmt| &stmt.kind) {
            Some(ast::StmtKind::Item(item)) => Some(item),
            _ => None,
        }
    }

    /// Keeps a type declaration that the checker made up.
    pub(crate) fn keep_type(&mut self, decl: ast::TypeDecl) -> Option<&'a ast::TypeDecl> {
        let span = decl.name.span;
        let item = made_up(ItemKind::Struct(decl), span);
        match self.keep_item(item).map(|item| &item.kind) {
            Some(ItemKind::Struct(decl)) => Some(decl),
            _ => None,
        }
    }
}

fn made_up(kind: ItemKind, span: Span) -> Item {
    Item {
        kind,
        public: false,
        annotations: Vec::new(),
        docs: None,
        span,
    }
}

/// `fn m(a: A) -> R: self.field.m(a)`, with the head of `of`.
pub(crate) fn forwarding(of: &FnDecl, field: Ident) -> Item {
    let span = field.span;
    let object = expr(
        ExprKind::Field(Box::new(ast_self(span)), field, false),
        span,
    );
    let args = of
        .params
        .iter()
        .map(|param| (param, named(param.name.name, span)));
    let call = call_on(object, of, args.collect(), span);
    let decl = FnDecl {
        name: Ident {
            name: of.name.name,
            span,
        },
        body: Some(block(vec![StmtKind::Expr(call)], span)),
        explicit_self: true,
        head: span,
        ..of.clone()
    };
    made_up(ItemKind::Fn(decl), span)
}

/// The name of the method of fewer parameters beside the one called `name`; no program can write it.
pub(crate) fn name_with_defaults(name: Symbol) -> Symbol {
    Symbol::intern(&format!("{name} with defaults"))
}

/// `fn m(a: A) -> R: self.m(a)` for `of`, which has more than `count` parameters, all further ones with defaults.
fn with_defaults(of: &FnDecl, count: usize) -> Option<Item> {
    let (first, more) = of.params.split_at_checked(count)?;
    let fits = of.kind == FnKind::Fn
        && of.ret.is_some()
        && of.generics.is_empty()
        && !more.is_empty()
        && first
            .iter()
            .all(|param| !param.variadic && param.ty.is_some())
        && more.iter().all(Param::may_be_left_out);
    if !fits {
        return None;
    }
    let span = of.name.span;
    let args = first
        .iter()
        .map(|param| (param, named(param.name.name, span)))
        .collect();
    let call = call_on(ast_self(span), of, args, span);
    let params = first.iter().map(|param| Param {
        default: None,
        copied: false,
        ..param.clone()
    });
    let decl = FnDecl {
        name: Ident {
            name: name_with_defaults(of.name.name),
            span,
        },
        params: params.collect(),
        body: Some(block(vec![StmtKind::Expr(call)], span)),
        explicit_self: true,
        ..of.clone()
    };
    Some(made_up(ItemKind::Fn(decl), span))
}

/// `of` with what hooks do at its beginning. Its parameters of the type of the trait's first are what hooks see, and its
/// result if that is written and of this type; hooks of others are refused in the run.
fn surrounded(of: &FnDecl, wanted: &FnDecl) -> Option<Item> {
    let body = of.body.as_ref()?;
    let span = of.name.span;
    let value = wanted
        .params
        .first()
        .and_then(|param| type_name(param.ty.as_ref()?))?;
    let is_value = |ty: Option<&ast::TypeExpr>| ty.and_then(type_name) == Some(value);
    // Without a written result it is not known before the body is checked, and the beginning would need it.
    let yields_value = is_value(of.ret.as_ref());
    let given = Symbol::intern("given inputs");
    let hooks = || method_call(ast_self(span), "_own_hooks", Vec::new(), span);
    let then = if yields_value {
        let mut seen = Vec::new();
        let mut args = Vec::new();
        for param in &of.params {
            if is_value(param.ty.as_ref()) && !param.variadic {
                let at = expr(ExprKind::Int(seen.len() as u64, None), span);
                seen.push(ast::Element::Expr(named(param.name.name, span)));
                let at = ExprKind::Index(Box::new(named(given, span)), Box::new(at), false);
                args.push((param, expr(at, span)));
            } else {
                args.push((param, named(param.name.name, span)));
            }
        }
        let inputs = expr(ExprKind::Array(seen), span);
        let before = method_call(hooks(), "before", vec![ast_self(span), inputs], span);
        let output = call_on(ast_self(span), of, args, span);
        let after = vec![ast_self(span), named(given, span), output];
        let pattern = ast::PatternKind::Name(Ident { name: given, span });
        vec![
            StmtKind::Let {
                kind: ast::LetKind::Val,
                pattern: ast::Pattern {
                    kind: pattern,
                    span,
                },
                ty: None,
                value: Some(before),
            },
            StmtKind::Return(Some(method_call(hooks(), "after", after, span))),
        ]
    } else {
        let refuse = method_call(hooks(), "refuse", vec![ast_self(span)], span);
        vec![StmtKind::Expr(refuse)]
    };
    let asks = ast::Cond::Expr(method_call(ast_self(span), "_is_hooked", Vec::new(), span));
    let test = ExprKind::If(Box::new(ast::If {
        branches: vec![(asks, block(then, span))],
        otherwise: None,
    }));
    let mut stmts = vec![Stmt {
        kind: StmtKind::Expr(expr(test, span)),
        span,
    }];
    stmts.extend(body.stmts.iter().cloned());
    let decl = FnDecl {
        body: Some(ast::Block {
            stmts,
            span: body.span,
        }),
        ..of.clone()
    };
    Some(made_up(ItemKind::Fn(decl), span))
}

/// The last part of the name of a type.
fn type_name(ty: &ast::TypeExpr) -> Option<Symbol> {
    match &ty.kind {
        ast::TypeExprKind::Named { path, .. } => Some(path.last().name),
        _ => None,
    }
}

fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

fn named(name: Symbol, span: Span) -> Expr {
    expr(ExprKind::Name(Ident { name, span }), span)
}

fn ast_self(span: Span) -> Expr {
    expr(ExprKind::SelfValue, span)
}

fn block(kinds: Vec<StmtKind>, span: Span) -> ast::Block {
    let stmts = kinds.into_iter().map(|kind| Stmt { kind, span });
    ast::Block {
        stmts: stmts.collect(),
        span,
    }
}

fn method_call(object: Expr, name: &str, args: Vec<Expr>, span: Span) -> Expr {
    let name = Ident {
        name: Symbol::intern(name),
        span,
    };
    let args = args.into_iter().map(|value| ast::Arg {
        label: None,
        spread: false,
        value,
    });
    call(
        expr(ExprKind::Field(Box::new(object), name, false), span),
        args.collect(),
        span,
    )
}

/// `object.m(..)` for a method, with a value for each of these parameters.
fn call_on(object: Expr, of: &FnDecl, args: Vec<(&Param, Expr)>, span: Span) -> Expr {
    let name = Ident {
        name: of.name.name,
        span,
    };
    // What follows a parameter that collects the rest is given by name.
    let rest = args.iter().position(|(param, _)| param.variadic);
    let args = args
        .into_iter()
        .enumerate()
        .map(|(at, (param, value))| ast::Arg {
            label: rest.filter(|&rest| at > rest).map(|_| param.name),
            spread: param.variadic,
            value,
        });
    let args = args.collect();
    call(
        expr(ExprKind::Field(Box::new(object), name, false), span),
        args,
        span,
    )
}

fn call(callee: Expr, args: Vec<ast::Arg>, span: Span) -> Expr {
    expr(
        ExprKind::Call(Box::new(ast::Call {
            callee,
            args,
            block: None,
            parens: true,
        })),
        span,
    )
}
