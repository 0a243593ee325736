//! `@frees(f) extern type Name`: what a library owns, freed by `f` at the last use.
//!
//! The type becomes a class over the address, with a `drop` that calls `f` unless the program has done so:
//!
//! ```text
//! @eager_drop
//! class Name:
//!     private address: i64
//!     fn drop():
//!         if self.address != 0: val _ = f(self)
//! ```
//!
//! A call of `f` sets the address to 0 (`middle/lower/foreign.rs`), after which the object cannot be passed any more. Next:
//! `foreign.rs`, how such objects cross.

use crate::checker::Checker;
use crate::codes;
use crate::decls::{DeclIdx, Def, ExternIdx, ModIdx};
use crate::typed::{Ty, TyId};
use simple_syntax::ast::{self, Ident, Item};
use simple_syntax::{Diagnostic, Span, Symbol};

/// The annotation.
const FREES: &str = "frees";

impl<'a> Checker<'a> {
    /// The class for `@frees(f) extern type name`; `None` without such an annotation, or when it is malformed.
    pub(crate) fn owned_type(&mut self, item: &Item, name: Ident) -> Option<&'a ast::TypeDecl> {
        let annotation = annotation(&item.annotations)?;
        let Some(free) = freeing_function(annotation) else {
            let d = Diagnostic::error(
                codes::BAD_FREES,
                annotation.span,
                "`@frees` takes the name of a foreign function",
            )
            .help("write it as in `@frees(sqlite3_close)`");
            self.report(d);
            return None;
        };
        let decl = class_over_address(name, free);
        self.keep_type(decl)
    }

    /// The name of the function that frees values of this type, if it is one of `@frees`.
    pub(crate) fn freed_by(&self, decl: DeclIdx) -> Option<Ident> {
        freeing_function(annotation(self.decls()[decl].annotations)?)
    }

    /// The declaration of a type of `@frees`, if a parameter is one or may be one.
    pub(crate) fn owner_of(&self, ty: TyId) -> Option<DeclIdx> {
        match *self.types().get(ty) {
            Ty::Option(item) => self.owner_of(item),
            Ty::Adt(adt) => {
                let decl = self.decl_of(adt);
                self.freed_by(decl).map(|_| decl)
            }
            _ => None,
        }
    }

    /// Whether the extern is the one that frees values of this type.
    pub(crate) fn frees(&mut self, decl: DeclIdx, idx: ExternIdx) -> bool {
        let Some(free) = self.freed_by(decl) else {
            return false;
        };
        let module = self.decls()[decl].module;
        self.lookup(module, free.name) == Some(Def::Extern(idx))
    }

    /// Reports a type of `@frees` whose function is not a foreign one with the object as its only parameter.
    pub(crate) fn check_owned(&mut self, decl: DeclIdx) {
        let Some(free) = self.freed_by(decl) else {
            return;
        };
        let info = &self.decls()[decl];
        let (module, name) = (info.module, info.name.name);
        match self.lookup(module, free.name) {
            Some(Def::Extern(idx)) if self.takes_only(idx, module, name) => {}
            // The body of `drop` reports a name that nothing has.
            None | Some(Def::Broken | Def::Ambiguous(..)) => {}
            Some(_) => {
                let d = Diagnostic::error(
                    codes::BAD_FREES,
                    free.span,
                    format!(
                        "`{}` cannot free a `{name}`: it is not a foreign function with the `{name}` as its only parameter",
                        free.name
                    ),
                )
                .help(format!(
                    "declare it with `@Lib` as `extern fn {}(it: {name})`",
                    free.name
                ));
                self.report(d);
            }
        }
    }

    fn takes_only(&self, idx: ExternIdx, module: ModIdx, name: Symbol) -> bool {
        let info = &self.decls()[idx];
        match &info.decl.params[..] {
            [param] => {
                let same = |ty: &ast::TypeExpr| matches!(&ty.kind, ast::TypeExprKind::Named { path, args } if args.is_empty() && path.last().name == name);
                info.module == module && !param.out && param.ty.as_ref().is_some_and(same)
            }
            _ => false,
        }
    }
}

fn annotation(annotations: &[ast::Annotation]) -> Option<&ast::Annotation> {
    annotations.iter().find(|a| a.name.name.as_str() == FREES)
}

fn freeing_function(annotation: &ast::Annotation) -> Option<Ident> {
    match &annotation.args[..] {
        [(None, value)] => match value.kind {
            ast::ExprKind::Name(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

fn class_over_address(name: Ident, free: Ident) -> ast::TypeDecl {
    let span = free.span;
    let ident = |text: &str| Ident {
        name: Symbol::intern(text),
        span,
    };
    let named = |text: &str| ast::TypeExpr {
        kind: ast::TypeExprKind::Named {
            path: ast::Path {
                segments: vec![ident(text)],
            },
            args: Vec::new(),
        },
        span,
    };
    let field = ast::FieldDecl {
        name: ident("address"),
        ty: named("i64"),
        default: None,
        variadic: false,
        weak: false,
        private: true,
        immutable: false,
        annotations: Vec::new(),
        docs: None,
    };
    let method = ast::FnDecl {
        kind: ast::FnKind::Fn,
        name: ident("drop"),
        generics: Vec::new(),
        params: Vec::new(),
        explicit_self: false,
        ret: None,
        where_clauses: Vec::new(),
        body: Some(drop_body(free, ident("address"), span)),
        is_async: false,
        is_generator: false,
        exported: false,
        head: span,
    };
    ast::TypeDecl {
        name,
        generics: Vec::new(),
        where_clauses: Vec::new(),
        with: Vec::new(),
        fields: vec![field],
        methods: vec![Item {
            kind: ast::ItemKind::Fn(method),
            public: false,
            annotations: Vec::new(),
            docs: None,
            span,
        }],
        forwards: Vec::new(),
    }
}

/// `if self.address != 0: val _ = f(self)`.
fn drop_body(free: Ident, address: Ident, span: Span) -> ast::Block {
    let expr = |kind| ast::Expr { kind, span };
    let block = |stmt| ast::Block {
        stmts: vec![ast::Stmt { kind: stmt, span }],
        span,
    };
    let this = || expr(ast::ExprKind::SelfValue);
    let address = expr(ast::ExprKind::Field(Box::new(this()), address, false));
    let zero = expr(ast::ExprKind::Int(0, None));
    let open = expr(ast::ExprKind::Compare(
        Box::new(address),
        vec![(ast::CompareOp::Ne, span, zero)],
    ));
    let call = expr(ast::ExprKind::Call(Box::new(ast::Call {
        callee: expr(ast::ExprKind::Name(free)),
        args: vec![ast::Arg {
            label: None,
            spread: false,
            value: this(),
        }],
        block: None,
        parens: true,
    })));
    let freeing = block(ast::StmtKind::Let {
        kind: ast::LetKind::Val,
        pattern: ast::Pattern {
            kind: ast::PatternKind::Wildcard,
            span,
        },
        ty: None,
        value: Some(call),
    });
    block(ast::StmtKind::Expr(expr(ast::ExprKind::If(Box::new(
        ast::If {
            branches: vec![(ast::Cond::Expr(open), freeing)],
            otherwise: None,
        },
    )))))
}
