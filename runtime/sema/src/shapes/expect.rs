//! Written shapes that only the run can confirm.
//!
//! In `val x: Tensor<f32, [B, 784]> = load()` it is unknown what `load` yields, so the value is compared when it is
//! there: by the method that the annotation `@checks("...")` on its class names. It is called with what the value is
//! called in a message, the shape as written, the dtype or an empty text, and a number for each dimension: its size, -1
//! for any, or -2 - i for the size of dimension i. It yields the sizes that it found; those of parameters are what the
//! names of a signature mean from then on.
//!
//! What a dimension is computed from may make it negative, and a range (`n: 1..64`) is a separate demand; both are
//! reported by functions of the library. An optional (`Tensor<[4]>?`) is compared where it is there, and its dimensions
//! settle no names.
//!
//! The body gets the calls while its types are checked. The walk over it (`flow.rs`) then finds out which of them cannot fail, and
//! [`super::proof::Proof::remove`] takes these away. A parameter is proven if every call of its function is in sight and fits.

use super::declared::{Bounds, Declared};
use super::flow::tail;
use super::rule::{Item, Op, Pattern, Size};
use crate::body::{Body, Found, Given, Want};
use crate::checker::Checker;
use crate::decls::{FnIdx, Shape};
use crate::typed::{self, *};
use rustc_hash::FxHashMap;
use simple_syntax::ast::{self, TypeArg, TypeExpr, TypeExprKind};
use simple_syntax::{Span, Symbol};

/// What a check is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Site {
    /// A value where it is bound, returned or put into a field.
    Value,
    /// A parameter (by its place) of a function.
    Param(FnIdx, usize),
    /// A parameter of a function without a name, whose calls are not seen.
    Lambda,
}

/// The module of what concerns sizes alone: `in_range` and `computed_size`.
const SHAPE_MODULE: &[&str] = &["std", "core", "shape"];

/// A check of a value that is made.
struct Check<'w> {
    /// What the value is called in a message.
    what: &'w str,
    /// Where the walk looks for the check.
    span: Span,
    /// None where nothing can prove it, and nothing may rely on the sizes that it finds.
    site: Option<Site>,
    /// Ranges of names in addition to those in the type.
    bounds: &'w [Bounds],
}

/// The checks of the program.
#[derive(Default)]
pub(crate) struct Sites {
    /// By the place of the call.
    pub(super) all: FxHashMap<Span, Site>,
    /// Those whose sizes another one uses, with that one.
    pub(super) needed: Vec<(Span, Span)>,
}

/// A name of a signature: the check that finds its size, and the dimension.
pub(crate) type Named = FxHashMap<Symbol, (Span, i64)>;

impl<'c, 'a> Body<'c, 'a> {
    /// The checks of the parameters that were declared last. The names in their types mean sizes from then on.
    pub(crate) fn expect_params(
        &mut self,
        params: &'a [ast::Param],
        clauses: &'a [ast::WhereClause],
        site: impl Fn(usize) -> Site,
    ) -> Vec<Stmt> {
        let mut checks = Vec::new();
        let mut bounds = Vec::new();
        let module = self.module();
        self.cx_mut().where_bounds(clauses, module, &mut bounds);
        for (at, param) in params.iter().enumerate() {
            if let Some(written) = &param.ty
                && param.takes() != ast::Takes::Rest
                && let Some(Found::Local(local)) = self.find_local(param.name.name)
            {
                let what = format!("`{}`", param.name.name);
                checks.extend(self.fixed_param(local, written, &what, param.name.span));
                let check = Check {
                    what: &what,
                    span: param.name.span,
                    site: Some(site(at)),
                    bounds: &bounds,
                };
                checks.extend(self.expect_local(local, written, check));
            }
        }
        checks
    }

    /// A result of the function, compared with its written type.
    pub(crate) fn expect_result(&mut self, value: Expr) -> Expr {
        let written = self.frame().written_ret;
        self.expect_value(value, written, "the result", None)
    }

    /// A value that is assigned, compared with the written type of its place.
    pub(crate) fn expect_assigned(&mut self, value: Expr, place: &Place) -> Expr {
        let what = "the place it is assigned to";
        if let Some(PlaceStep::Index(..)) = place.path.last() {
            let written = self.written_of(place);
            return self.fixed_value(value, written, what);
        }
        let written = self.written_whole(place, place.path.len());
        self.expect_value(value, written, what, None)
    }

    /// The type that is written for the part of a place after this many steps of its path.
    pub(crate) fn written_whole(&self, place: &Place, steps: usize) -> Option<&'a TypeExpr> {
        match (place.path[..steps].last(), &place.root) {
            (None, PlaceRoot::Local(local)) => {
                let span = self.local_span(*local);
                self.cx().output().shapes().bindings.get(&span).copied()
            }
            (None, PlaceRoot::Global(global)) => {
                let span = self.cx().output()[*global].span;
                self.cx().output().shapes().bindings.get(&span).copied()
            }
            (Some(PlaceStep::Field(ty, number)), _) => self.written_field(*ty, *number),
            _ => None,
        }
    }

    fn written_field(&self, ty: TyId, number: u32) -> Option<&'a TypeExpr> {
        let Ty::Adt(adt) = *self.ty(ty) else {
            return None;
        };
        match self.cx().decls()[self.cx().decl_of(adt)].shape {
            Shape::Record(record, _) => record.fields.get(number as usize).map(|field| &field.ty),
            Shape::Enum(_) => None,
        }
    }

    /// `value` after some statements.
    pub(crate) fn after(&self, before: Vec<Stmt>, value: Expr) -> Expr {
        if before.is_empty() {
            return value;
        }
        let (ty, span) = (value.ty, value.span);
        let kind = ExprKind::Block(before, Some(Box::new(value)));
        self.mk(kind, ty, span)
    }

    /// `value` followed by a check, if its written type has a shape; `key` is where the walk looks for it.
    pub(crate) fn expect_value(
        &mut self,
        value: Expr,
        written: Option<&'a TypeExpr>,
        what: &str,
        key: Option<Span>,
    ) -> Expr {
        let value = self.fixed_value(value, written, what);
        let Some(written) =
            written.filter(|written| self.cx().output().shapes().compared(written).is_some())
        else {
            return value;
        };
        let (ty, place) = (self.shallow(value.ty), tail(&value).span);
        let present = self.present(ty);
        if self.cx_mut().checking_method(present).is_none() {
            return value;
        }
        let local = self.temp(ty, place);
        let check = Check {
            what,
            span: key.unwrap_or(place),
            site: Some(Site::Value),
            bounds: &[],
        };
        let Some(check) = self.expect_local(local, written, check) else {
            return value;
        };
        let bound = Stmt {
            kind: StmtKind::Let(local, value),
            span: place,
        };
        let read = self.read(local, place);
        let kind = ExprKind::Block(vec![bound, check], Some(Box::new(read)));
        self.mk(kind, ty, place)
    }

    /// The check of a variable; of one that may be absent, where it is there.
    fn expect_local(
        &mut self,
        local: LocalId,
        written: &'a TypeExpr,
        check: Check<'_>,
    ) -> Option<Stmt> {
        let module = self.module();
        // Earlier entries of a session count as modules of the library, but their functions are the program's own.
        let own =
            !self.cx().modules()[module].library || self.cx().input().session().has_entry(module);
        if self.is_opaque() || !own {
            return None;
        }
        let written = self.cx().output().shapes().compared(written)?;
        let (ty, span) = (self.local_ty(local), check.span);
        let present = self.present(ty);
        if present == self.shallow(ty) {
            return self.expect_present(local, written, check);
        }
        let payload = self.temp(present, span);
        let site = None;
        let inner = self.expect_present(payload, written, Check { site, ..check })?;
        let read = self.read(local, span);
        let pattern = typed::Pattern::Some(Box::new(typed::Pattern::Bind(payload)));
        let then = self.mk(ExprKind::Block(vec![inner], None), TyId::UNIT, span);
        let kind = ExprKind::If {
            cond: Box::new(Cond::Pattern(pattern, read)),
            then: Box::new(then),
            otherwise: None,
        };
        Some(Stmt {
            kind: StmtKind::Expr(self.mk(kind, TyId::UNIT, span)),
            span,
        })
    }

    /// The type of an optional where it is there; of anything else its own.
    fn present(&self, ty: TyId) -> TyId {
        match self.kind(ty) {
            Ty::Option(item) => self.shallow(item),
            _ => self.shallow(ty),
        }
    }

    fn expect_present(
        &mut self,
        local: LocalId,
        written: &'a TypeExpr,
        check: Check<'_>,
    ) -> Option<Stmt> {
        let Check { what, span, .. } = check;
        let ty = self.local_ty(local);
        let method = self.cx_mut().checking_method(ty)?;
        let mut bounds = Vec::new();
        let module = self.module();
        let Some(Declared::Tensor(pattern)) =
            self.cx_mut().declared_shape(written, module, &mut bounds)
        else {
            return None;
        };
        let mut sizes = Vec::with_capacity(pattern.len());
        // Names that are met here for the first time, with their dimensions.
        let mut new: Vec<(Symbol, i64)> = Vec::new();
        for (at, item) in (0..).zip(&pattern) {
            let Item::Size(size) = item else { return None };
            let known = self.size_value(size, span);
            let size = match (known, size) {
                (Some(known), Size::Op(..)) => self.computed(known, size, span),
                (Some(known), _) => known,
                (None, Size::Name(name)) => match new.iter().find(|(known, _)| known == name) {
                    Some((_, first)) => self.mk(ExprKind::Int(-2 - first), TyId::I64, span),
                    None => {
                        new.push((*name, at));
                        self.mk(ExprKind::Int(-1), TyId::I64, span)
                    }
                },
                (None, _) => self.mk(ExprKind::Int(-1), TyId::I64, span),
            };
            sizes.push(size);
        }
        let list = self.intern(Ty::Array(TyId::I64));
        let shape = shown(&pattern);
        let texts = [what.to_owned(), shape, dtype(written)];
        let mut args: Vec<Expr> = texts
            .into_iter()
            .map(|text| self.mk(ExprKind::Text(text), TyId::TEXT, span))
            .collect();
        args.push(self.mk(ExprKind::Array(sizes), list, span));
        let read = self.read(local, span);
        let mut call = self.method_values(read, method, args, span)?;
        bounds.extend(check.bounds);
        let (mut ranged, all) = (false, bounds);
        for bound in all {
            let name = Item::Size(Size::Name(bound.name));
            if let Some(at) = pattern.iter().position(|item| *item == name) {
                call = self.ranged(call, at as i64, what, bound);
                ranged = true;
            }
        }
        let found = self.temp(list, written.span);
        if !matches!(check.site, None | Some(Site::Value)) {
            for (name, at) in new {
                self.bind_size(name, hidden(name), found, (span, at));
            }
        }
        // The walk proves no ranges.
        if let (Some(site), false) = (check.site, ranged) {
            self.cx_mut()
                .output_mut()
                .shapes_mut()
                .sites
                .all
                .insert(span, site);
        }
        Some(Stmt {
            kind: StmtKind::Let(found, call),
            span,
        })
    }

    /// The sizes that a check found, if one of them is in its range.
    fn ranged(&mut self, found: Expr, at: i64, what: &str, bound: Bounds) -> Expr {
        let Some(function) = self.shape_function("in_range") else {
            return found;
        };
        let span = found.span;
        let int = |value| (ExprKind::Int(value), TyId::I64);
        let text = |text: &str| (ExprKind::Text(text.to_owned()), TyId::TEXT);
        let rest = [
            int(at),
            text(what),
            text(bound.name.as_str()),
            int(bound.lo),
            int(bound.hi),
        ];
        let mut args = vec![Given::typed(found)];
        args.extend(rest.map(|(kind, ty)| Given::typed(self.mk(kind, ty, span))));
        self.call_fn(function, &[], None, &[], args, Want::Any, span)
    }

    /// A size that is computed, if it is one that a dimension can have.
    fn computed(&mut self, value: Expr, size: &Size, span: Span) -> Expr {
        let Some(function) = self.shape_function("computed_size") else {
            return value;
        };
        let mut text = String::new();
        write_size(size, 0, &mut text);
        let text = self.mk(ExprKind::Text(text), TyId::TEXT, span);
        let args = vec![Given::typed(value), Given::typed(text)];
        self.call_fn(function, &[], None, &[], args, Want::Any, span)
    }

    fn shape_function(&mut self, name: &str) -> Option<FnIdx> {
        self.cx_mut()
            .library_function(SHAPE_MODULE, Symbol::intern(name))
    }

    /// A size as the program computes it, if everything in it is known by now.
    fn size_value(&mut self, size: &Size, span: Span) -> Option<Expr> {
        match size {
            Size::Int(value) => Some(self.mk(ExprKind::Int(*value), TyId::I64, span)),
            Size::Name(name) => self.named_size(*name, span),
            Size::Op(op, left, right) => {
                let op = match op {
                    Op::Add => ArithOp::Add,
                    Op::Sub => ArithOp::Sub,
                    Op::Mul => ArithOp::Mul,
                    Op::Div => ArithOp::Div,
                    Op::Else => return None,
                };
                let left = self.size_value(left, span)?;
                let right = self.size_value(right, span)?;
                let kind = ExprKind::Arith(op, Box::new(left), Box::new(right));
                Some(self.mk(kind, TyId::I64, span))
            }
            Size::Unknown | Size::Product(_) => None,
        }
    }

    /// What a name means: a dimension of a parameter, or an integer variable.
    fn named_size(&mut self, name: Symbol, span: Span) -> Option<Expr> {
        if let Some((site, at)) = self.size(name)
            && let Some(Found::Local(found)) = self.find_local(hidden(name))
        {
            self.cx_mut()
                .output_mut()
                .shapes_mut()
                .sites
                .needed
                .push((site, span));
            let sizes = self.read(found, span);
            let at = self.mk(ExprKind::Int(at), TyId::I64, span);
            let kind = ExprKind::Index(Box::new(sizes), Box::new(at));
            return Some(self.mk(kind, TyId::I64, span));
        }
        let Some(Found::Local(local)) = self.find_local(name) else {
            return None;
        };
        let read = self.read(local, span);
        (self.shallow(read.ty) == TyId::I64).then_some(read)
    }
}

impl Checker<'_> {
    /// The method that compares a value of this type with a written shape.
    fn checking_method(&self, ty: TyId) -> Option<Symbol> {
        let Ty::Adt(adt) = *self.types().get(ty) else {
            return None;
        };
        let annotations = self.decls()[self.decl_of(adt)].annotations;
        let annotation = annotations
            .iter()
            .find(|annotation| annotation.name.name.as_str() == "checks")?;
        let (_, name) = annotation.args.first()?;
        crate::collect::literal_text(name).map(|name| Symbol::intern(&name))
    }
}

/// The variable with the sizes in which a name was found; no program can write it.
fn hidden(name: Symbol) -> Symbol {
    Symbol::intern(&format!("size {name}"))
}

/// The dtype in `Tensor<f32, [2]>`.
fn dtype(written: &TypeExpr) -> String {
    let TypeExprKind::Named { args, .. } = &written.kind else {
        return String::new();
    };
    let named = args.iter().find_map(|arg| match arg {
        TypeArg::Type(TypeExpr {
            kind: TypeExprKind::Named { path, .. },
            ..
        }) => path.segments.last(),
        _ => None,
    });
    named.map_or_else(String::new, |name| name.name.to_string())
}

/// A shape as it is written.
fn shown(pattern: &Pattern) -> String {
    let mut out = String::from("[");
    for (at, item) in pattern.iter().enumerate() {
        out.push_str(if at == 0 { "" } else { ", " });
        match item {
            Item::Size(size) => write_size(size, 0, &mut out),
            Item::Row(name) => {
                out.push_str(name.map_or("", |name| name.as_str()));
                out.push_str("...");
            }
        }
    }
    out.push(']');
    out
}

/// A size as it is written, in parentheses where it binds less than `least`.
fn write_size(size: &Size, least: u8, out: &mut String) {
    match size {
        Size::Int(value) => out.push_str(&value.to_string()),
        Size::Name(name) => out.push_str(name.as_str()),
        Size::Unknown => out.push('?'),
        Size::Product(row) => out.push_str(&format!("prod({row})")),
        Size::Op(op, left, right) => {
            let (sign, strength) = match op {
                Op::Else => (" ?? ", 0),
                Op::Add => (" + ", 1),
                Op::Sub => (" - ", 1),
                Op::Mul => (" * ", 2),
                Op::Div => (" / ", 2),
            };
            out.push_str(if strength < least { "(" } else { "" });
            write_size(left, strength, out);
            out.push_str(sign);
            write_size(right, strength + 1, out);
            out.push_str(if strength < least { ")" } else { "" });
        }
    }
}
