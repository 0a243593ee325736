//! Fields, tuple members, elements and slices as values.
//!
//! Leaves out where they are assigned, which is `place.rs`.

use super::assign::Change;
use super::convert::Why;
use super::name::StaticBase;
use super::place::{PlaceInfo, Target, range_parts};
use super::*;
use crate::codes;
use crate::typed::{Expr, Stmt};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Ident};

/// Where parts of an index are made into values: `slice_part` and `rest_part`.
const SLICE_MODULE: &[&str] = &["std", "core", "slice"];

/// What is between the brackets of `a[i]` or `a[lo:hi:step]`.
#[derive(Clone, Copy)]
pub(crate) enum Subscript<'a> {
    At(&'a ast::Expr),
    Slice(&'a ast::SliceBounds, Span),
}

impl<'c, 'a> Body<'c, 'a> {
    /// `a[i] = v` or `a[lo:hi] = v` on a type with a `set` method; on any other type `base` comes back.
    pub(in crate::body) fn assign_by_method(
        &mut self,
        base: Target,
        at: Span,
        index: Subscript<'a>,
        (change, value): (Change, &'a ast::Expr),
        span: Span,
    ) -> Result<Stmt, Target> {
        let promised = self.promised(&["set"], span);
        let base = self.payload_target(base);
        let ty = self.target_ty(&base);
        let mut before = Vec::new();
        let info = match base {
            Target::Place(info)
                if matches!(self.kind(ty), Ty::Adt(_) | Ty::Trait(_) | Ty::Param(_))
                    || promised =>
            {
                info
            }
            // What calls and `get` yield is not a place: it is kept in a temporary, and an instance of a class is
            // changed through that.
            Target::Value(value) if self.is_reference(ty) || promised => {
                let holder = self.temp(ty, at);
                before.push(let_stmt(holder, value, at));
                self.local_place(holder, at)
            }
            base => return Err(base),
        };
        let method = |name: &str| Ident {
            name: Symbol::intern(name),
            span: at,
        };
        let call = if change != Change::Set {
            // `a[i] op= v` is `a.set(i, a.get(i) op v)` with `a` and `i` evaluated once.
            let info = PlaceInfo {
                place: self.settled(info.place, &mut before),
                ..info
            };
            let index = match index {
                Subscript::At(index) => self.expr(index, Want::Any),
                Subscript::Slice(bounds, at) => self.index_part(Some(bounds), at),
            };
            let (index_ty, index_span) = (index.ty, index.span);
            let key = self.temp(index_ty, index_span);
            before.push(let_stmt(key, index, index_span));
            let read = self.place_value(&info.place);
            let receiver = method::Receiver::value(read);
            let args = vec![args::Given::typed(self.read(key, index_span))];
            let old = self.method_on(receiver, method("get"), &[], args, Want::Any, span);
            let key = args::Given::typed(self.read(key, index_span));
            let receiver = method::Receiver::place(info);
            match change {
                Change::Op(op) => {
                    let old = self.unwrap_lenient(old);
                    let right = self.expr(value, Want::Any);
                    let right = self.unwrap_lenient(right);
                    let new = self.binary_values(op, old, right, span);
                    let args = vec![key, args::Given::typed(new)];
                    self.method_on(receiver, method("set"), &[], args, Want::Discard, span)
                }
                Change::Set | Change::IfAbsent => {
                    let args = vec![key, args::Given::ast(None, value)];
                    let set =
                        self.method_on(receiver, method("set"), &[], args, Want::Discard, span);
                    let set = expr::simple_stmt(set, span);
                    self.if_absent(old, set, span)
                }
            }
        } else {
            let index = match index {
                Subscript::At(index) => args::Given::ast(None, index),
                Subscript::Slice(bounds, at) => {
                    args::Given::typed(self.index_part(Some(bounds), at))
                }
            };
            let args = vec![index, args::Given::ast(None, value)];
            let receiver = method::Receiver::place(info);
            self.method_on(receiver, method("set"), &[], args, Want::Discard, span)
        };
        let call = self.after(before, call);
        Ok(expr::simple_stmt(call, span))
    }

    /// Whether a type is a class or a trait, whose values are shared.
    pub(in crate::body) fn is_reference(&self, ty: TyId) -> bool {
        match self.kind(ty) {
            Ty::Adt(adt) => self.cx.types().adts[adt.0 as usize].kind == AdtKind::Class,
            Ty::Trait(_) | Ty::Param(_) => true,
            _ => false,
        }
    }

    /// `a.name` as a value.
    pub(crate) fn field(
        &mut self,
        base: &'a ast::Expr,
        name: Ident,
        safe: bool,
        want: Want,
        span: Span,
    ) -> Expr {
        if safe {
            let value = self.link(base, Want::Any);
            let value = self.safe_link(value);
            let target = self.field_target(Target::Value(value), name, span);
            return self.target_value(target);
        }
        if let Some(found) = self.static_base(base) {
            return self.static_value(found, name, want, span);
        }
        let base = self.target(base);
        let target = self.field_target(base, name, span);
        self.target_value(target)
    }

    /// `Base.name` where `Base` is a module or type.
    pub(in crate::body) fn static_value(
        &mut self,
        base: StaticBase<'a>,
        name: Ident,
        want: Want,
        span: Span,
    ) -> Expr {
        match base {
            StaticBase::Module(module) => match self.cx.member_of_module(module, name) {
                Ok(def) => self.def_value(def, name, want),
                Err(()) => self.bad(span),
            },
            StaticBase::Type(def, ident, written) => {
                let Some(ty) = self.type_of_base(def, ident, written, want) else {
                    return self.bad(span);
                };
                self.type_member(ty, name, want, span)
            }
            StaticBase::Builtin(ident, written) => {
                if ident.name.as_str() == "Option" && name.name.as_str() == "None" {
                    return self.nil(want, span);
                }
                let ty = self.written_type(ident, written);
                if ty == TyId::ERROR {
                    return self.bad(span);
                }
                if let Some(constant) = builtin::type_constant(self.ty(ty), name.name.as_str()) {
                    let ty = match name.name.as_str() {
                        "BITS" | "bits" => TyId::I64,
                        _ => ty,
                    };
                    return self.mk(constant, ty, span);
                }
                self.type_member(ty, name, want, span)
            }
            StaticBase::Variant(ty, number) => {
                let value = self.variant(ty, number, Vec::new(), Want::Any, name.span);
                let target = self.field_target(Target::Value(value), name, span);
                self.target_value(target)
            }
            StaticBase::Item(def, ident) => {
                let value = self.def_value(def, ident, Want::Any);
                let target = self.field_target(Target::Value(value), name, span);
                self.target_value(target)
            }
            StaticBase::Broken => self.bad(span),
        }
    }

    /// `Type.name` without a call: a variant, or a static method without arguments.
    pub(in crate::body) fn type_member(
        &mut self,
        ty: TyId,
        name: Ident,
        want: Want,
        span: Span,
    ) -> Expr {
        if let Ty::Adt(adt) = self.kind(ty)
            && let Some(&number) = self.cx.decls()[self.cx.decl_of(adt)]
                .variants
                .get(&name.name)
        {
            return self.variant(ty, number, Vec::new(), want, span);
        }
        let type_name = self.show(ty);
        match self.static_method(ty, name, span) {
            Some((fn_idx, owner)) if self.cx.decls_mut()[fn_idx].is_static => {
                self.call_fn(fn_idx, &owner, None, &[], Vec::new(), want, span)
            }
            found => {
                if found.is_none()
                    && let Some(made) = self.made_by_create(ty, name, true, Vec::new(), want, span)
                {
                    return made;
                }
                let mut names = self.cx.method_names(ty);
                let is_enum =
                    matches!(self.cx.types().adt(ty), Some(adt) if adt.kind == AdtKind::Enum);
                if let Ty::Adt(adt) = self.kind(ty) {
                    names.extend(
                        self.cx.decls()[self.cx.decl_of(adt)]
                            .variants
                            .keys()
                            .map(|n| n.as_str()),
                    );
                }
                let (code, what) = if is_enum {
                    (codes::UNKNOWN_VARIANT, "variant")
                } else {
                    (codes::UNKNOWN_METHOD, "static method")
                };
                let text = name.name.as_str();
                let message = format!("`{type_name}` has no {what} `{text}`");
                self.cx.unknown_of(code, name.span, message, text, &names);
                self.bad(span)
            }
        }
    }

    /// A bare name that is a member of `self`, as a value.
    pub(crate) fn member_of_self(&mut self, name: Ident, want: Want) -> Expr {
        let _ = want;
        let target = self.self_target(name);
        self.target_value(target)
    }

    /// The value before a `.0` or `[`; before `?.` or `?[` the payload of a chain.
    fn base_value(&mut self, base: &'a ast::Expr, safe: bool) -> Expr {
        if safe {
            let value = self.link(base, Want::Any);
            self.safe_link(value)
        } else {
            let target = self.target(base);
            self.target_value(target)
        }
    }

    pub(crate) fn tuple_field(
        &mut self,
        base: &'a ast::Expr,
        number: u32,
        (at, safe): (Span, bool),
        span: Span,
    ) -> Expr {
        let value = self.base_value(base, safe);
        self.tuple_member(value, number, at, span)
    }

    pub(in crate::body) fn tuple_member(
        &mut self,
        value: Expr,
        number: u32,
        at: Span,
        span: Span,
    ) -> Expr {
        let value = self.unwrap_lenient(value);
        let Ty::Tuple(members) = self.kind(value.ty) else {
            if self.shallow(value.ty) != TyId::ERROR && self.must_be_known(value.ty, value.span) {
                let name = self.show(value.ty);
                self.cx.error(
                    codes::UNKNOWN_FIELD,
                    at,
                    format!("`{name}` has no member `.{number}`"),
                );
            }
            return self.bad(span);
        };
        match members.get(number as usize) {
            Some(&(_, ty)) => {
                let ty = self.shallow(ty);
                self.mk(ExprKind::Field(Box::new(value), number), ty, span)
            }
            None => {
                let message = format!(
                    "tuple index {number} is out of range for a tuple of {}",
                    members.len()
                );
                self.cx.error(codes::UNKNOWN_FIELD, at, message);
                self.bad(span)
            }
        }
    }

    pub(in crate::body) fn array_index(&mut self, index: &'a ast::Expr) -> Expr {
        self.bound_or_index(index, Why::Index)
    }

    /// `a[i]`, `a?[i]`.
    pub(crate) fn index(
        &mut self,
        base: &'a ast::Expr,
        index: &'a ast::Expr,
        safe: bool,
        span: Span,
    ) -> Expr {
        let value = self.base_value(base, safe);
        self.index_value(value, index, span)
    }

    pub(in crate::body) fn not_indexable(&mut self, ty: TyId, span: Span) {
        if !self.must_be_known(ty, span) {
            return;
        }
        let name = self.show(ty);
        let mut d = Diagnostic::error(
            codes::NOT_INDEXABLE,
            span,
            format!("`{name}` cannot be indexed"),
        );
        if matches!(self.kind(ty), Ty::Tuple(_)) {
            d = d.help("the members of a tuple have types of their own: read them with `.0`, `.1`, or with a literal index inside of it");
        }
        self.cx.report(d);
    }

    pub(in crate::body) fn index_value(
        &mut self,
        value: Expr,
        index: &'a ast::Expr,
        span: Span,
    ) -> Expr {
        let value = self.unwrap_lenient(value);
        if self.promised(&["get"], span) {
            return self.element_by_method(value, args::Given::ast(None, index), span);
        }
        if let Some((lo, hi, inclusive)) = range_parts(index)
            && matches!(self.kind(value.ty), Ty::Text | Ty::Array(_))
        {
            let lo = self.slice_bound(lo);
            let mut hi = self.slice_bound(hi);
            if inclusive {
                hi = self.past(hi);
            }
            let step = self.mk(ExprKind::Int(1), TyId::I64, span);
            let ty = self.shallow(value.ty);
            return self.mk(
                ExprKind::Intrinsic(Intrinsic::Slice, vec![value, lo, hi, step]),
                ty,
                span,
            );
        }
        match self.kind(value.ty) {
            Ty::Array(item) => {
                let index = self.array_index(index);
                let item = self.shallow(item);
                self.mk(
                    ExprKind::Index(Box::new(value), Box::new(index)),
                    item,
                    span,
                )
            }
            Ty::Text => {
                let index = self.array_index(index);
                self.mk(
                    ExprKind::Intrinsic(Intrinsic::TextIndex, vec![value, index]),
                    TyId::TEXT,
                    span,
                )
            }
            Ty::Dict(key, item) => {
                let index = self.expr(index, Want::Ty(key));
                let index = self.coerce(index, key, Why::Index);
                let option = self.intern(Ty::Option(item));
                self.mk(
                    ExprKind::Intrinsic(Intrinsic::DictGet, vec![value, index]),
                    option,
                    span,
                )
            }
            Ty::Adt(_) | Ty::Trait(_) | Ty::Param(_) => {
                self.element_by_method(value, args::Given::ast(None, index), span)
            }
            Ty::Error => {
                self.expr(index, Want::Any);
                self.bad(span)
            }
            Ty::Tuple(members) if place::literal_member(index, members.len()).is_some() => {
                let number = place::literal_member(index, members.len()).unwrap_or(0);
                self.tuple_member(value, number, index.span, span)
            }
            _ => {
                self.not_indexable(value.ty, span);
                self.bad(span)
            }
        }
    }

    /// `a[i]` and `a[lo:hi]` by the method `get` of `a`.
    fn element_by_method(&mut self, value: Expr, index: args::Given<'a>, span: Span) -> Expr {
        let name = Ident {
            name: Symbol::intern("get"),
            span: value.span,
        };
        if let Ty::Param(_) = self.kind(value.ty)
            && !self.has_method(value.ty, name.name)
        {
            self.not_indexable(value.ty, span);
            return self.bad(span);
        }
        let receiver = method::Receiver::value(value);
        self.method_on(receiver, name, &[], vec![index], Want::Any, span)
    }

    /// `a[lo:hi:step]`.
    pub(crate) fn slice(
        &mut self,
        base: &'a ast::Expr,
        bounds: &'a ast::SliceBounds,
        span: Span,
    ) -> Expr {
        let value = self.link(base, Want::Any);
        self.slice_value(value, bounds, span)
    }

    /// A written bound or step of a slice. The least `i64` means that a bound is absent, so a written one becomes the next, which takes the same elements.
    fn slice_bound(&mut self, e: &'a ast::Expr) -> Expr {
        let bound = self.range_bound(e);
        let (least, span) = (i64::MIN + 1, bound.span);
        if let ExprKind::Int(value) = bound.kind {
            return self.mk(ExprKind::Int(value.max(least)), TyId::I64, span);
        }
        let least = self.mk(ExprKind::Int(least), TyId::I64, span);
        let kind = ExprKind::Intrinsic(Intrinsic::Max, vec![bound, least]);
        self.mk(kind, TyId::I64, span)
    }

    /// The bound that follows the last place of a slice. That of -1, the last place of all, no bound says: it is left out.
    fn past(&mut self, last: Expr) -> Expr {
        let span = last.span;
        let int = |this: &Self, value| this.mk(ExprKind::Int(value), TyId::I64, span);
        match last.kind {
            ExprKind::Int(-1) => return int(self, i64::MIN),
            ExprKind::Int(value) => return int(self, value.saturating_add(1)),
            _ => {}
        }
        let local = self.temp(TyId::I64, span);
        let end = self.read(local, span);
        let of_all = ExprKind::Compare(CompareOp::Eq, Box::new(end), Box::new(int(self, -1)));
        let of_all = self.mk(of_all, TyId::BOOL, span);
        // The greatest is outside as well as the one before it, after which there is one more.
        let most = vec![self.read(local, span), int(self, i64::MAX - 1)];
        let within = self.mk(ExprKind::Intrinsic(Intrinsic::Min, most), TyId::I64, span);
        let next = ExprKind::Arith(ArithOp::Add, Box::new(within), Box::new(int(self, 1)));
        let kind = ExprKind::If {
            cond: Box::new(Cond::Expr(of_all)),
            then: Box::new(int(self, i64::MIN)),
            otherwise: Some(Box::new(self.mk(next, TyId::I64, span))),
        };
        let value = self.mk(kind, TyId::I64, span);
        let bound = Stmt {
            kind: StmtKind::Let(local, last),
            span,
        };
        let kind = ExprKind::Block(vec![bound], Some(Box::new(value)));
        self.mk(kind, TyId::I64, span)
    }

    pub(in crate::body) fn slice_value(
        &mut self,
        value: Expr,
        bounds: &'a ast::SliceBounds,
        span: Span,
    ) -> Expr {
        let value = self.unwrap_lenient(value);
        if matches!(
            self.kind(value.ty),
            Ty::Adt(_) | Ty::Trait(_) | Ty::Param(_)
        ) || self.promised(&["get"], span)
        {
            let part = args::Given::typed(self.index_part(Some(bounds), span));
            return self.element_by_method(value, part, span);
        }
        let mut args = Vec::with_capacity(4);
        for (bound, missing) in [
            (&bounds.lo, i64::MIN),
            (&bounds.hi, i64::MIN),
            (&bounds.step, 1),
        ] {
            args.push(match bound {
                Some(e) => self.slice_bound(e),
                None => self.mk(ExprKind::Int(missing), TyId::I64, span),
            });
        }
        if !matches!(self.kind(value.ty), Ty::Text | Ty::Array(_)) {
            if self.shallow(value.ty) != TyId::ERROR {
                let name = self.show(value.ty);
                self.cx.error(
                    codes::NOT_INDEXABLE,
                    span,
                    format!("`{name}` cannot be sliced"),
                );
            }
            return self.bad(span);
        }
        let ty = self.shallow(value.ty);
        args.insert(0, value);
        self.mk(ExprKind::Intrinsic(Intrinsic::Slice, args), ty, span)
    }

    /// `lo:hi:step` or `...` as a value of the library, for the `get` and `set` of types that are not arrays.
    pub(crate) fn index_part(&mut self, bounds: Option<&'a ast::SliceBounds>, span: Span) -> Expr {
        let name = if bounds.is_some() {
            "slice_part"
        } else {
            "rest_part"
        };
        let function = self.cx.library_function(SLICE_MODULE, Symbol::intern(name));
        let Some(function) = function else {
            let d = Diagnostic::error(
                codes::LOAD_FAILED,
                span,
                format!("the library lacks the function `{name}` of `std.core.slice`"),
            )
            .help("the installed library does not match the compiler: run `simple build`");
            self.cx.report(d);
            return self.bad(span);
        };
        let mut args = Vec::new();
        if let Some(bounds) = bounds {
            let option = self.intern(Ty::Option(TyId::I64));
            for bound in [&bounds.lo, &bounds.hi, &bounds.step] {
                args.push(args::Given::typed(match bound {
                    Some(e) => self.range_bound(e),
                    None => self.mk(ExprKind::Nil, option, span),
                }));
            }
        }
        self.call_fn(function, &[], None, &[], args, Want::Any, span)
    }
}

fn let_stmt(local: LocalId, value: Expr, span: Span) -> Stmt {
    Stmt {
        kind: StmtKind::Let(local, value),
        span,
    }
}
