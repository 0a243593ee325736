//! Written shapes that only the run can confirm.
//!
//! In `val x: Tensor<f32, [B, 784]> = load()` nobody knows what `load` yields, so the value is compared when it is there: by the method that
//! the annotation `@checks("...")` on its class names. It is called with what the value is called in a message, the shape as written, the
//! dtype or an empty text, and a number for each dimension: its size, -1 for any, or -2 - i for the size of dimension i. It
//! yields the sizes that it found; those of parameters are what the names of a signature stand for from then on.
//!
//! The body gets the calls while its types are checked. The walk over it (`flow.rs`) then finds out which of them cannot fail, and
//! [`Proof::remove`] takes these away. A parameter is proven if every call of its function is in sight and fits.

use super::declared::{Declared, has_shape};
use super::fact::{Fact, Scope};
use super::flow::tail;
use super::rule::{Item, Op, Pattern, Size};
use super::unify::{Part, Store, is_open};
use crate::body::{Body, Bound, Found};
use crate::checker::Checker;
use crate::decls::{FnIdx, Shape};
use crate::typed::*;
use crate::visit::{self, Visitor};
use rustc_hash::{FxHashMap, FxHashSet};
use simple_syntax::ast::{self, TypeArg, TypeExpr, TypeExprKind};
use simple_syntax::{Span, Symbol};

/// What a check is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Site {
    /// A value where it is bound, returned or put into a field.
    Value,
    /// A parameter (by its place) of a function.
    Param(FnIdx, usize),
    /// A parameter of a function without a name, whose calls nobody sees.
    Lambda,
}

/// The checks of the program.
#[derive(Default)]
pub(crate) struct Sites {
    /// By the place of the call.
    all: FxHashMap<Span, Site>,
    /// Those whose sizes another one uses, with that one.
    needed: Vec<(Span, Span)>,
}

/// A name of a signature: the check that finds its size, and the dimension.
pub(crate) type Named = FxHashMap<Symbol, (Span, i64)>;

impl<'c, 'a> Body<'c, 'a> {
    /// The checks of the parameters that were declared last. The names in their types stand for sizes from then on.
    pub(crate) fn expect_params(
        &mut self,
        params: &'a [ast::Param],
        site: impl Fn(usize) -> Site,
    ) -> Vec<Stmt> {
        let mut checks = Vec::new();
        for (at, param) in params.iter().enumerate() {
            if let Some(written) = param.ty.as_ref().filter(|ty| has_shape(ty))
                && !param.variadic
                && let Some(Found::Local(local)) = self.find_local(param.name.name)
            {
                let what = format!("`{}`", param.name.name);
                let place = (param.name.span, site(at));
                checks.extend(self.expect_local(local, written, &what, place));
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
        let written = match (place.path.last(), &place.root) {
            (None, PlaceRoot::Local(local)) => {
                let last = self.frames.len() - 1;
                let span = self.frames[last].locals[local.0 as usize].span;
                self.cx.shapes.bindings.get(&span).copied()
            }
            (None, PlaceRoot::Global(global)) => {
                let span = self.cx.out_globals[global.0 as usize].span;
                self.cx.shapes.bindings.get(&span).copied()
            }
            (Some(PlaceStep::Field(ty, number)), _) => self.written_field(*ty, *number),
            _ => None,
        };
        self.expect_value(value, written, "the place it is assigned to", None)
    }

    fn written_field(&self, ty: TyId, number: u32) -> Option<&'a TypeExpr> {
        let Ty::Adt(adt) = *self.ty(ty) else {
            return None;
        };
        match self.cx.decls[self.cx.decl_of(adt).at()].shape {
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

    /// `value` with a check behind it, if its written type has a shape; `key` is where the walk looks for it.
    pub(crate) fn expect_value(
        &mut self,
        value: Expr,
        written: Option<&'a TypeExpr>,
        what: &str,
        key: Option<Span>,
    ) -> Expr {
        let Some(written) = written.filter(|written| has_shape(written)) else {
            return value;
        };
        let (ty, place) = (self.shallow(value.ty), tail(&value).span);
        if self.cx.checking_method(ty).is_none() {
            return value;
        }
        let local = self.temp(ty, place);
        let site = (key.unwrap_or(place), Site::Value);
        let Some(check) = self.expect_local(local, written, what, site) else {
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

    fn expect_local(
        &mut self,
        local: LocalId,
        written: &'a TypeExpr,
        what: &str,
        (span, site): (Span, Site),
    ) -> Option<Stmt> {
        let module = self.scope.module;
        if !has_shape(written) || self.opaque || self.cx.modules[module.at()].library {
            return None;
        }
        let ty = self.local_ty(local);
        let method = self.cx.checking_method(ty)?;
        let Some(Declared::Tensor(pattern)) =
            self.cx.declared_shape(written, module, &mut Vec::new())
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
        let call = self.method_values(read, method, args, span)?;
        let found = self.temp(list, written.span);
        if site != Site::Value {
            let frame = self.frames.len() - 1;
            for (name, at) in new {
                self.bind(hidden(name), Bound::Local(frame, found));
                self.sizes.insert(name, (span, at));
            }
        }
        self.cx.shapes.sites.all.insert(span, site);
        Some(Stmt {
            kind: StmtKind::Let(found, call),
            span,
        })
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
                    Op::Div | Op::Else => return None,
                };
                let left = self.size_value(left, span)?;
                let right = self.size_value(right, span)?;
                let kind = ExprKind::Arith(op, Box::new(left), Box::new(right));
                Some(self.mk(kind, TyId::I64, span))
            }
            Size::Unknown | Size::Product(_) => None,
        }
    }

    /// What a name stands for: a dimension of a parameter, or an integer variable.
    fn named_size(&mut self, name: Symbol, span: Span) -> Option<Expr> {
        if let Some(&(site, at)) = self.sizes.get(&name)
            && let Some(Found::Local(found)) = self.find_local(hidden(name))
        {
            self.cx.shapes.sites.needed.push((site, span));
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
        let Ty::Adt(adt) = *self.types.get(ty) else {
            return None;
        };
        let annotations = self.decls[self.decl_of(adt).at()].annotations;
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
    let mut store = Store::default();
    let shape = Scope::new(&[]).shape(pattern, &mut store);
    store.show(&shape)
}

/// What the walk finds out about checks.
#[derive(Default)]
pub(super) struct Proof {
    /// Whether the value at a place always fits.
    values: FxHashMap<Span, bool>,
    /// The same for parameters, over all calls that were seen.
    params: FxHashMap<(FnIdx, usize), bool>,
    /// Functions that are called from where no one sees it.
    escaped: FxHashSet<FnIdx>,
}

impl Proof {
    pub(super) fn value(&mut self, place: Span, fits: bool) {
        let known = self.values.entry(place).or_insert(true);
        *known &= fits;
    }

    pub(super) fn param(&mut self, of: FnIdx, at: usize, fits: bool) {
        let known = self.params.entry((of, at)).or_insert(true);
        *known &= fits;
    }

    /// A function whose calls are not all in sight.
    pub(super) fn escapes(&mut self, of: FnIdx) {
        self.escaped.insert(of);
    }

    /// Takes away the checks that cannot fail. What is left of one with a dtype compares the dtype alone.
    pub(super) fn remove(self, cx: &mut Checker<'_>) {
        let sites = std::mem::take(&mut cx.shapes.sites);
        let mut proven: FxHashSet<Span> = sites
            .all
            .iter()
            .filter(|(span, site)| match site {
                Site::Value => self.values.get(span) == Some(&true),
                Site::Param(of, at) => {
                    !self.escaped.contains(of) && self.params.get(&(*of, *at)) == Some(&true)
                }
                Site::Lambda => false,
            })
            .map(|(span, _)| *span)
            .collect();
        // What a remaining check uses remains.
        loop {
            let before = proven.len();
            for (used, by) in &sites.needed {
                if !proven.contains(by) {
                    proven.remove(used);
                }
            }
            if proven.len() == before {
                break;
            }
        }
        if proven.is_empty() {
            return;
        }
        let mut remover = Remover { proven };
        for func in &mut cx.funcs {
            if let Some(body) = &mut func.body {
                visit::expr(&mut remover, body);
            }
        }
    }
}

struct Remover {
    proven: FxHashSet<Span>,
}

impl Visitor for Remover {
    fn ty(&mut self, _: &mut TyId) {}
    fn func(&mut self, _: &mut FuncId, _: Span) {}
    fn local(&mut self, _: &mut LocalId) {}
    fn adt(&mut self, _: &mut AdtId) {}
    fn trait_id(&mut self, _: &mut TraitId) {}

    fn statement(&mut self, stmt: &mut Stmt) {
        let StmtKind::Let(_, check) = &mut stmt.kind else {
            return;
        };
        let ExprKind::Call(_, args) = &mut check.kind else {
            return;
        };
        let [_, _, written, dtype, sizes] = args.as_mut_slice() else {
            return;
        };
        if !self.proven.contains(&stmt.span) {
            return;
        }
        if matches!(&dtype.kind, ExprKind::Text(text) if text.is_empty()) {
            check.kind = ExprKind::Array(Vec::new());
        } else {
            written.kind = ExprKind::Text(String::new());
            sizes.kind = ExprKind::Array(Vec::new());
        }
    }
}

/// Whether a value is known to have its declared shape, and not just not known to have another.
pub(super) fn certain(
    fact: &Fact,
    declared: &Declared,
    scope: &mut Scope<'_>,
    store: &mut Store,
) -> bool {
    let (Fact::Tensor(shape), Declared::Tensor(pattern)) = (fact, declared) else {
        return false;
    };
    let wanted = scope.shape(pattern, store);
    let (found, expected) = (store.resolve(shape), store.resolve(&wanted));
    found.len() == expected.len()
        && !found.iter().any(is_open)
        && found
            .iter()
            .zip(&expected)
            .zip(pattern)
            .all(|pair| match pair {
                ((_, _), Item::Size(Size::Unknown)) => true,
                ((Part::Dim(a), Part::Dim(b)), _) => a.compare(b) == super::dim::Relation::Equal,
                _ => false,
            })
}
