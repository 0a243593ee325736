//! `T(...)`: what a call of the name of a type means, `T` where a function is expected, and the older spelling
//! `T.create(...)`.
//!
//! A struct or class may declare `static fn init(...) -> T`, in its body or in an `impl` block of the same file. A call of
//! its name runs that function, except in the file that declares the type: there it sets the fields, so that `init` can use
//! it, and `T.init(...)` is the other. Braces, `T { x: 1 }`, and patterns always mean the fields. A function `init` that a
//! trait gives a type, that an `impl` in another file adds, or that is static without the word, is a function like others.
//!
//! Leaves out the call by the fields (`construct.rs`) and that of a function (`call_fn.rs`).

use super::args::Given;
use super::*;
use crate::codes;
use crate::methods::Head;
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, FnKind, Ident};

/// The static function that a call of the name of its type runs.
const INITIALIZER: &str = "init";

/// The function by which values were made before; also what other types may call theirs.
pub(in crate::body) const CREATE: &str = "create";

impl<'a> Checker<'a> {
    /// The `static fn init` of a struct or class that a call of its name runs.
    pub(crate) fn initializer(&self, of: DeclIdx) -> Option<FnIdx> {
        let info = &self.decls()[of];
        let Shape::Record(..) = info.shape else {
            return None;
        };
        let name = Symbol::intern(INITIALIZER);
        let in_file = |idx: ImplIdx| {
            let block = &self.decls()[idx];
            let path = |module: ModIdx| &self.modules()[module].path;
            block.trait_idx.is_none() && path(block.module) == path(info.module)
        };
        let found = info.methods.get(&name).copied().or_else(|| {
            let blocks = self.decls().impl_methods(Head::Adt(of), name).iter();
            let mut blocks = blocks.filter(|(idx, _)| in_file(*idx));
            blocks.next().map(|(_, method)| *method)
        })?;
        (self.decls()[found].decl.kind == FnKind::Static).then_some(found)
    }

    /// Reports a `static fn init` that does not yield a value of its type.
    pub(crate) fn check_initializer(&mut self, of: DeclIdx) {
        let Some(fn_idx) = self.initializer(of) else {
            return;
        };
        let args = self.opaque_args(&self.decls()[fn_idx].generics.clone());
        let signature = self.signature(fn_idx, &args);
        let decl = self.decls()[fn_idx].decl;
        let Some(own) = signature.self_ty else { return };
        let ret = decl.ret.as_ref().map(|ret| (ret.span, signature.ret));
        if matches!(ret, Some((_, Some(ret))) if ret == own || ret == TyId::ERROR) {
            return;
        }
        let (own, name) = (self.types().name(own), self.decls()[of].name.name);
        let found = match ret {
            Some((_, Some(ret))) => self.types().name(ret),
            _ => "no result type".to_owned(),
        };
        let span = ret.map_or(decl.head, |(span, _)| span);
        let message = format!("`static fn init` of `{name}` must yield a value of `{own}`");
        let d = Diagnostic::error(codes::TYPE_MISMATCH, span, message)
            .found_expected(found, own)
            .note(format!(
                "a call of the name, `{name}(...)`, runs it in other files"
            ))
            .help("write `-> Self`, or give a function that yields something else another name");
        self.report(d);
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// `Type(...)`: the value that its `init` yields, or one of these fields.
    pub(in crate::body) fn make(
        &mut self,
        ty: TyId,
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        match self.initializer_seen(ty) {
            Some(init) if !init.at_home => self.initialized(ty, init, args, want, span),
            _ => self.construct(ty, args, want, span),
        }
    }

    /// A call of a type's `init` by the name of the type.
    fn initialized(
        &mut self,
        ty: TyId,
        init: Initializer,
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Expr {
        let method = Symbol::intern(INITIALIZER);
        let (fn_idx, owner) = match self.cx.find_method(ty, method) {
            Some((fn_idx, owner)) if fn_idx == init.fn_idx => (fn_idx, owner),
            // One that an `impl` of the type with other arguments has.
            _ => {
                let ident = Ident { name: method, span };
                return self.call_static_method(ty, ident, &[], args, want, span);
            }
        };
        self.call_fn_as(init.name, fn_idx, &owner, None, &[], args, want, span)
    }

    /// The `init` of a type, and whether the code that is checked is in its file.
    fn initializer_seen(&mut self, ty: TyId) -> Option<Initializer> {
        let ty = self.shallow(ty);
        let Ty::Adt(adt) = *self.ty(ty) else {
            return None;
        };
        let of = self.cx.decl_of(adt);
        let fn_idx = self.cx.initializer(of)?;
        let decl = &self.cx.decls()[of];
        // A function from a mixin is at home in the mixin's file too.
        let homes = [decl.module, self.cx.decls()[fn_idx].module];
        Some(Initializer {
            fn_idx,
            name: decl.name.name,
            at_home: self.is_in_file_of(&homes),
        })
    }

    /// `T` where a function is expected: the one that calls `T(...)`.
    pub(in crate::body) fn maker_value(
        &mut self,
        def: Def,
        name: Ident,
        type_args: &'a [ast::TypeArg],
        want: Want,
        span: Span,
    ) -> Option<Expr> {
        let hint = self.hint(want)?;
        let Ty::Fn(params, ret) = self.kind(hint) else {
            return None;
        };
        if !matches!(def, Def::Type(_) | Def::Alias(_)) {
            return None;
        }
        let ty = self.type_of_base(def, name, type_args, Want::Ty(ret))?;
        if !self.is_record(ty) {
            return None;
        }
        let ret = match self.is_unknown(ret) {
            true => ty,
            false => ret,
        };
        Some(self.function_of(&params, ret, span, |this, args, want| {
            this.make(ty, args, want, span)
        }))
    }

    /// `T.create(...)` of a struct or class without such a function: `T(...)`, in the file of a type with an `init`
    /// `T.init(...)`. A warning shows what to write; `bare` says that no parentheses follow.
    pub(in crate::body) fn made_by_create(
        &mut self,
        ty: TyId,
        name: Ident,
        bare: bool,
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Option<Expr> {
        if name.name.as_str() != CREATE || !self.is_record(ty) {
            return None;
        }
        let init = self.initializer_seen(ty);
        let at_home = init.filter(|init| init.at_home);
        let ty = self.shallow(ty);
        let type_name = self.cx.types().adt(ty)?.name;
        let parens = if bare { "()" } else { "" };
        let (shown, fix) = match at_home {
            Some(_) => (
                format!("{type_name}.{INITIALIZER}(...)"),
                Some((name.span, format!("{INITIALIZER}{parens}"))),
            ),
            None => (
                format!("{type_name}(...)"),
                self.with_dot(name.span)
                    .map(|span| (span, parens.to_owned())),
            ),
        };
        let message = format!("`{type_name}.{CREATE}` is an older spelling");
        let mut d = Diagnostic::warning(codes::OLD_CREATE, name.span, message)
            .help(format!("write `{shown}`"));
        if let Some((span, text)) = fix {
            d = d.fix(span, text);
        }
        self.cx.report(d);
        Some(match at_home {
            Some(init) => self.initialized(ty, init, args, want, span),
            None => self.make(ty, args, want, span),
        })
    }

    /// A name after a dot, with the dot, if it is right before the name.
    fn with_dot(&self, name: Span) -> Option<Span> {
        let lo = name.lo.checked_sub(1)?;
        let text = &self.cx.input().sources().file(name.file).text;
        (text.as_bytes().get(lo as usize) == Some(&b'.')).then_some(Span { lo, ..name })
    }

    /// Whether a type is a struct or class.
    fn is_record(&self, ty: TyId) -> bool {
        match self.kind(ty) {
            Ty::Adt(adt) => {
                let decl = &self.cx.decls()[self.cx.decl_of(adt)];
                matches!(decl.shape, Shape::Record(..))
            }
            _ => false,
        }
    }

    /// What to write in the file of a class where its fields are set by other arguments than it has fields.
    pub(in crate::body) fn initializer_advice(&self, of: DeclIdx) -> Option<String> {
        self.cx.initializer(of)?;
        let name = self.cx.decls()[of].name.name;
        Some(format!(
            "in the file of `{name}`, `{name}(...)` sets the fields; \
             write `{name}.{INITIALIZER}(...)` to call its `{INITIALIZER}`"
        ))
    }
}

/// The function that a call of the name of a type runs.
#[derive(Clone, Copy)]
struct Initializer {
    fn_idx: FnIdx,
    /// The name of the type, by which messages call it.
    name: Symbol,
    /// Whether the code that is checked is in the file of the type, where a call of its name sets the fields.
    at_home: bool,
}
