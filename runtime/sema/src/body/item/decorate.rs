//! Decorators: `@name` above a function, where `name` is a function from that function's type to itself, wraps it.
//!
//! A decorated function is a variable that holds what its decorators yield, the lowest applied first; `@name(args)` calls
//! `name(args)` for the wrapper. At the top level the decorators run when the module begins; inside a function, where the
//! decorated function is declared. Inside its body its name means the wrapped function, as everywhere. Leaves out
//! methods and generic functions, which are not values. `collect.rs` enters the variable. Next: `init.rs`.

use super::args::Given;
use super::scope::Found;
use super::*;
use crate::codes;
use crate::contracts::is_stated;
use crate::typed::Expr;
use simple_ffi_abi::contract::ANNOTATIONS;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Ident};

/// The annotations that the language knows, apart from [`ANNOTATIONS`] of foreign functions, by which names a function may have decorators; the first [`SHOWN`] are what programs use.
const KNOWN_ANNOTATIONS: &[&str] = &[
    "Lib",
    "allow",
    "deprecated",
    "strong",
    "inline",
    "test",
    "skip",
    "shape",
    "derive",
    "pure",
    "io",
    "fs",
    "net",
    "unsafe",
    "eager_drop",
    "checks",
    "lenient",
    "needs",
    "iterates",
    "frozen",
    "drops_results",
    "tensor",
    "view",
    "replays",
    "recording",
    "reads",
    "all_ranks",
    "own_rank",
    "frees",
    "c",
    "c_pointer",
    "c_callback",
    "sffi_scalar",
    "advice",
    "any_signature",
    "hooked",
    "asks_hooks",
    "makes_hooks",
    "words",
    "late",
    "crosses",
];

/// How many of them a message lists.
const SHOWN: usize = 10;

/// Whether an annotation can only be a decorator.
fn decorates(annotation: &ast::Annotation) -> bool {
    !KNOWN_ANNOTATIONS.contains(&annotation.name.name.as_str())
}

/// Whether a function has decorators above it.
pub(crate) fn is_decorated(item: &ast::Item) -> bool {
    item.annotations.iter().any(decorates)
}

/// What is written here for a decorator that Python has built in.
fn annotation_of_python(name: &str) -> Option<&'static str> {
    Some(match name {
        "staticmethod" => "write `static fn`",
        "classmethod" => "write `static fn`; the type is `Self` in it",
        "property" => "leave it out: a method without arguments may be called without parentheses",
        "dataclass" => "leave it out: calling a struct or class sets its fields",
        "abstractmethod" => "declare the method in a `trait`, without a body",
        "override" | "overload" => "leave it out",
        _ => return None,
    })
}

impl<'a> Checker<'a> {
    /// Notes what annotations say of a declaration, and reports those that mean nothing there; `free` functions may be decorated.
    pub(crate) fn check_annotations(&mut self, item: &ast::Item, free: bool) {
        self.output_mut().shapes_mut().used |= item
            .annotations
            .iter()
            .any(|annotation| annotation.name.name.as_str() == "shape");
        if let ast::ItemKind::Fn(_) = item.kind
            && let Some(lib) = item
                .annotations
                .iter()
                .find(|a| a.name.name.as_str() == "Lib")
        {
            let message = "`@Lib` names the library of a foreign function; this one has a body";
            let d = Diagnostic::error(codes::BAD_ANNOTATION, lib.span, message);
            self.report(d.help("declare it as `extern fn` without a body, or take `@Lib` away"));
        }
        if free {
            return;
        }
        match &item.kind {
            ast::ItemKind::Struct(decl)
            | ast::ItemKind::Class(decl)
            | ast::ItemKind::Mixin(decl) => {
                for field in &decl.fields {
                    self.annotations_of_member(&field.annotations);
                }
            }
            ast::ItemKind::Enum(decl) => {
                for variant in &decl.variants {
                    self.annotations_of_member(&variant.annotations);
                }
            }
            _ => {}
        }
        let help = match item.kind {
            ast::ItemKind::Fn(_) => {
                "a decorator cannot wrap a method, which has a `self` besides its parameters"
            }
            ast::ItemKind::ExternFn(_) => {
                "a decorator cannot wrap a foreign function: wrap a function that calls it"
            }
            _ => "a decorator wraps functions only",
        };
        let foreign = matches!(item.kind, ast::ItemKind::ExternFn(_));
        for annotation in &item.annotations {
            match (is_stated(annotation), foreign) {
                (true, true) => {}
                (true, false) => self.unknown_annotation(annotation.name, None, &[]),
                (false, _) if !decorates(annotation) => {}
                (false, true) => self.unknown_annotation(annotation.name, Some(help), &ANNOTATIONS),
                (false, false) => self.unknown_annotation(annotation.name, Some(help), &[]),
            }
        }
    }

    /// Reports annotations above a field or variant, where none means anything.
    fn annotations_of_member(&mut self, annotations: &[ast::Annotation]) {
        for annotation in annotations {
            if decorates(annotation) {
                let help = "a decorator wraps functions only";
                self.unknown_annotation(annotation.name, Some(help), &[]);
            } else {
                let message = format!(
                    "the annotation `{}` has no effect here",
                    annotation.name.name
                );
                let code = simple_syntax::codes::NO_EFFECT;
                self.report(Diagnostic::warning(code, annotation.span, message));
            }
        }
    }

    /// Reports an annotation that is neither known nor a function in scope.
    fn unknown_annotation(&mut self, name: Ident, help: Option<&str>, functions: &[&'static str]) {
        let text = name.name.as_str();
        let help = annotation_of_python(text).or(help);
        let known: Vec<String> = KNOWN_ANNOTATIONS[..SHOWN]
            .iter()
            .map(|a| format!("`@{a}`"))
            .collect();
        let mut d = Diagnostic::error(
            codes::UNKNOWN_ANNOTATION,
            name.span,
            format!("unknown annotation `@{text}`"),
        )
        .note(format!("known are {}", known.join(", ")));
        d.help = help.map(str::to_owned);
        if ANNOTATIONS.contains(&text) {
            d = d.help(format!("`@{text}` belongs above an `extern fn`"));
        }
        let names = KNOWN_ANNOTATIONS.iter().chain(functions).copied();
        if let Some(near) = simple_spelling::nearest(text, names) {
            d = d
                .help(format!("did you mean `@{near}`?"))
                .fix(name.span, near);
        }
        self.report(d);
    }

    /// The type of a decorated function, if its result type is written or there is none.
    pub(crate) fn decorated_type(&mut self, fn_idx: FnIdx) -> Option<TyId> {
        if !self.decls()[fn_idx].generics.is_empty() {
            return None;
        }
        let args = self.instances().no_args();
        let signature = self.signature(fn_idx, &args);
        let ty = Ty::Fn(signature.params.clone(), signature.ret?);
        Some(self.types_mut().intern(ty))
    }

    /// Reports a decorated function that is not a value of one type, or that the language calls itself.
    pub(crate) fn check_decorated(&mut self, item: &ast::Item, decl: &ast::FnDecl) -> bool {
        let Some(annotation) = item.annotations.iter().find(|a| decorates(a)) else {
            return true;
        };
        let (what, help) = if !decl.generics.is_empty() {
            let help = "decorate a function for one type that calls this one";
            ("a generic function", help.to_owned())
        } else if decl.name.name.as_str() == "main" {
            let help = "decorate a function that `main` calls";
            ("`main`, with which the program begins", help.to_owned())
        } else if decl.is_async {
            ("an `async` function", "leave out `async`".to_owned())
        } else {
            return true;
        };
        let message = format!("`@{}` cannot wrap {what}", annotation.name.name);
        let d = Diagnostic::error(codes::BAD_DECORATOR, annotation.span, message)
            .note("a decorator must return a function of the type it is given");
        self.report(d.help(help));
        false
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// Reports a name above a function that is neither an annotation nor a function in scope.
    fn unknown_decorator(&mut self, name: Ident) {
        let module = self.scopes.types().module;
        let functions: Vec<&'static str> = self
            .cx
            .decls()
            .fns()
            .iter()
            .filter(|info| info.module == module && info.owner == Owner::Free)
            .map(|info| info.decl.name.name.as_str())
            .collect();
        self.cx.unknown_annotation(name, None, &functions);
    }

    /// Reports a parameter without a type whose type the decorators do not tell either.
    pub(in crate::body) fn untyped_decorated(&mut self, item: &'a ast::Item, param: Ident) {
        let Some(annotation) = item.annotations.iter().find(|a| decorates(a)) else {
            return;
        };
        let name = annotation.name.name;
        let message = format!(
            "`@{name}` does not tell the type of the parameter `{}`",
            param.name
        );
        let d = Diagnostic::error(codes::BAD_DECORATOR, annotation.span, message)
            .note("a decorator must return a function of the type it is given")
            .help(format!(
                "write the type of `{}`, or that of the function which `{name}` takes",
                param.name
            ));
        self.cx.report(d);
    }

    /// The type of the function that the lowest decorator takes, if its declaration says it for as many parameters.
    pub(in crate::body) fn wrapped_type(
        &mut self,
        item: &'a ast::Item,
        decl: &ast::FnDecl,
    ) -> Option<TyId> {
        let annotation = item.annotations.iter().rev().find(|a| decorates(a))?;
        let Some(Found::Def(Def::Fn(decorator))) = self.find(annotation.name.name) else {
            return None;
        };
        if !self.cx.decls()[decorator].generics.is_empty() {
            return None;
        }
        let args = self.cx.instances().no_args();
        let signature = self.cx.signature(decorator, &args);
        let mut takes = *signature.params.first()?;
        if annotation.span.hi > annotation.name.span.hi {
            // `@name(args)` calls the function that `name(args)` yields.
            let Ty::Fn(params, _) = self.kind(signature.ret?) else {
                return None;
            };
            takes = *params.first()?;
        }
        match self.kind(takes) {
            Ty::Fn(params, _) if params.len() == decl.params.len() => Some(takes),
            _ => None,
        }
    }

    /// The initializer of the variable that a decorated function is.
    pub(in crate::body) fn decorated_function(
        &mut self,
        fn_idx: FnIdx,
        declared: Option<TyId>,
    ) -> Expr {
        let info = &self.cx.decls()[fn_idx];
        let (item, decl) = (info.item, info.decl);
        if !self.cx.check_decorated(item, decl) {
            return self.bad(decl.name.span);
        }
        let untyped = decl.params.iter().find(|param| param.ty.is_none());
        let declared = match untyped {
            Some(param) => match self.wrapped_type(item, decl) {
                Some(ty) => Some(ty),
                None => {
                    self.untyped_decorated(item, param.name);
                    return self.bad(decl.name.span);
                }
            },
            None => declared,
        };
        let want = declared.map_or(Want::Any, Want::Ty);
        let function = self.function_value(fn_idx, want, decl.name.span);
        self.decorated(function, item, decl.name)
    }

    /// What the decorators above a function turn it into.
    pub(in crate::body) fn decorated(
        &mut self,
        function: Expr,
        item: &'a ast::Item,
        name: Ident,
    ) -> Expr {
        let ty = self.resolve(function.ty);
        let mut value = function;
        for annotation in item.annotations.iter().rev().filter(|a| decorates(a)) {
            if self.shallow(value.ty) == TyId::ERROR {
                return value;
            }
            let (decorator, span) = (annotation.name, annotation.span);
            if self.find(decorator.name).is_none() {
                self.unknown_decorator(decorator);
                return self.bad(span);
            }
            let before = self.cx.reports().mark();
            // What does not fit is a mistake of the decorator's line.
            let given = vec![Given::typed(Expr { span, ..value })];
            let called = span.hi > decorator.span.hi;
            let wrapped = match called {
                true => {
                    let args = annotation
                        .args
                        .iter()
                        .map(|(label, arg)| Given::ast(*label, arg))
                        .collect();
                    let wraps = self.intern(Ty::Fn(vec![ty], ty));
                    let wrapper = self.call_name(decorator, &[], args, Want::Ty(wraps), span);
                    self.call_value(wrapper, given, Want::Any, span)
                }
                false => self.call_name(decorator, &[], given, Want::Ty(ty), span),
            };
            if !self.cx.reports().sound_since(before) {
                return self.bad(span);
            }
            value = match self.try_coerce(wrapped, ty) {
                Ok(value) => value,
                Err(wrapped) => {
                    let (found, expected) = (self.show(wrapped.ty), self.show(ty));
                    let message = format!(
                        "`@{}` does not yield a function like `{}`",
                        decorator.name, name.name
                    );
                    let d = Diagnostic::error(codes::BAD_DECORATOR, span, message)
                        .found_expected(found, expected)
                        .help("a decorator yields a function with the parameters and the result of the one that it takes");
                    self.cx.report(d);
                    return self.bad(span);
                }
            };
        }
        value
    }
}
