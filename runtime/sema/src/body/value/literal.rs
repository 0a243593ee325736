//! Literals: numbers, tuples, arrays, dicts, sets, comprehensions, struct literals. Text is in `text.rs`.

use super::convert::{Why, fits};
use super::*;
use crate::codes;
use crate::typed::{Expr, Stmt};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, DictElement, Element};

impl<'c, 'a> Body<'c, 'a> {
    pub(crate) fn int_literal(
        &mut self,
        value: u64,
        suffix: Option<Symbol>,
        negative: bool,
        want: Want,
        span: Span,
    ) -> Expr {
        let mut ty = TyId::I64;
        if let Some(suffix) = suffix {
            ty = crate::types::builtin_scalar(suffix.as_str()).unwrap_or(TyId::I64);
        } else if let Some(mut hint) = self.hint(want) {
            if let Ty::Option(item) = self.kind(hint) {
                hint = self.shallow(item);
            }
            if matches!(self.ty(hint), Ty::Int(_) | Ty::F32 | Ty::F64) {
                ty = hint;
            }
        }
        let number = if negative {
            -(value as i128)
        } else {
            value as i128
        };
        match *self.ty(ty) {
            Ty::Int(int) => {
                if !fits(number, int) {
                    let (lo, hi) = convert::bounds(int);
                    let name = self.show(ty);
                    let d = Diagnostic::error(
                        codes::LITERAL_RANGE,
                        span,
                        format!("{number} does not fit `{name}`"),
                    )
                    .found_expected(number.to_string(), format!("{lo} to {hi}"));
                    self.cx.report(d);
                    return self.bad(span);
                }
                self.mk(ExprKind::Int(number as i64), ty, span)
            }
            _ => {
                if suffix.is_none() && !compare::is_exact(number, ty) {
                    return self.rounded_literal(number, ty, span);
                }
                self.mk(ExprKind::Float(number as f64), ty, span)
            }
        }
    }

    /// Reports an integer that a float type does not have: numbers widen where nothing is lost.
    fn rounded_literal(&mut self, number: i128, ty: TyId, span: Span) -> Expr {
        let name = self.show(ty);
        let nearest = match ty {
            TyId::F32 => f64::from(number as f32),
            _ => number as f64,
        };
        let message = format!("{number} is not exactly an `{name}`");
        let d = Diagnostic::error(codes::LITERAL_RANGE, span, message)
            .note(format!("the nearest `{name}` is {nearest:.0}"))
            .help(format!(
                "write it as a float, `{number}.0`, if it may be rounded"
            ));
        self.cx.report(d);
        self.bad(span)
    }

    pub(crate) fn float_literal(
        &mut self,
        value: ast::Decimal,
        suffix: Option<Symbol>,
        want: Want,
        span: Span,
    ) -> Expr {
        let mut ty = TyId::F64;
        if let Some(suffix) = suffix {
            ty = crate::types::builtin_scalar(suffix.as_str()).unwrap_or(TyId::F64);
        } else if let Some(mut hint) = self.hint(want) {
            if let Ty::Option(item) = self.kind(hint) {
                hint = self.shallow(item);
            }
            if hint == TyId::F32 {
                ty = hint;
            }
        }
        let ast::Decimal { wide, narrow } = value;
        if ty == TyId::F32 && wide.is_finite() && narrow.is_infinite() {
            let d = Diagnostic::error(
                codes::LITERAL_RANGE,
                span,
                format!("{wide:e} does not fit `f32`"),
            )
            .found_expected(format!("{wide:e}"), "at most about 3.403e38");
            self.cx.report(d);
            return self.bad(span);
        }
        let value = if ty == TyId::F32 {
            f64::from(narrow)
        } else {
            wide
        };
        self.mk(ExprKind::Float(value), ty, span)
    }

    pub(crate) fn nil(&mut self, want: Want, span: Span) -> Expr {
        if let Some(hint) = self.hint(want)
            && matches!(self.ty(hint), Ty::Option(_))
        {
            return self.mk(ExprKind::Nil, hint, span);
        }
        let item = self.fresh(span, infer::Origin::Nil);
        let ty = self.intern(Ty::Option(item));
        self.mk(ExprKind::Nil, ty, span)
    }

    pub(crate) fn tuple_literal(
        &mut self,
        parts: &'a [(Option<ast::Ident>, ast::Expr)],
        want: Want,
        span: Span,
    ) -> Expr {
        if let Some(item) = self.array_wanted(parts, want) {
            return self.tuple_as_array(parts, item, span);
        }
        let mut hints: Vec<Option<(Option<Symbol>, TyId)>> = vec![None; parts.len()];
        if let Some(hint) = self.hint(want)
            && let Ty::Tuple(members) = self.kind(hint)
            && members.len() == parts.len()
        {
            hints = members.into_iter().map(Some).collect();
        }
        let mut items = Vec::with_capacity(parts.len());
        let mut members = Vec::with_capacity(parts.len());
        for ((label, part), hint) in parts.iter().zip(hints) {
            let label = label.map(|l| l.name);
            match hint {
                Some((wanted, ty)) if label.is_none() || wanted.is_none() || label == wanted => {
                    let value = self.expr(part, Want::Ty(ty));
                    let (value, ty) = match self.try_coerce(value, ty) {
                        Ok(value) => (value, ty),
                        Err(value) => {
                            let ty = value.ty;
                            (value, ty)
                        }
                    };
                    members.push((wanted.or(label), ty));
                    items.push(value);
                }
                _ => {
                    let value = self.expr(part, Want::Any);
                    let value = self.present_payload(value);
                    if self.lacks_value(&value) {
                        self.no_value(&value);
                    }
                    members.push((label, value.ty));
                    items.push(value);
                }
            }
        }
        let ty = self.intern(Ty::Tuple(members));
        self.mk(ExprKind::Tuple(items), ty, span)
    }

    /// Values of one type, from literals whose element type may be known.
    fn elements(
        &mut self,
        parts: &[&'a ast::Expr],
        hint: Option<TyId>,
        origin: infer::Origin,
        span: Span,
    ) -> (Vec<Expr>, TyId) {
        if let Some(item) = hint
            && !self.is_unknown(item)
        {
            let values = parts
                .iter()
                .map(|part| {
                    let value = self.expr(part, Want::Ty(item));
                    self.coerce(value, item, Why::Element)
                })
                .collect();
            return (values, item);
        }
        let float = parts
            .iter()
            .any(|p| matches!(strip(p).kind, ast::ExprKind::Float(_, None)));
        let mut values: Vec<Expr> = Vec::with_capacity(parts.len());
        let mut item: Option<TyId> = None;
        for part in parts {
            let want = match item {
                Some(ty) => Want::Ty(ty),
                None if float => Want::Ty(TyId::F64),
                None => Want::Any,
            };
            let value = self.expr(part, want);
            let value = self.present_payload(value);
            if self.lacks_value(&value) {
                self.no_value(&value);
                values.push(self.bad(value.span));
                continue;
            }
            let ty = self.resolve(value.ty);
            if ty != TyId::NEVER && ty != TyId::ERROR {
                item = match item {
                    None => Some(ty),
                    Some(before) => match self.join_types(before, ty) {
                        Some(joined) => Some(joined),
                        None => {
                            let (found, expected) = (self.show(ty), self.show(before));
                            let d = Diagnostic::error(
                                codes::TYPE_MISMATCH,
                                value.span,
                                "the elements have different types",
                            )
                            .found_expected(found, expected)
                            .help("elements of different types need a common trait type");
                            self.cx.report(d);
                            values.push(self.bad(value.span));
                            continue;
                        }
                    },
                };
            }
            values.push(value);
        }
        let item = match item {
            Some(item) => item,
            None if values.iter().any(|value| value.ty == TyId::ERROR) => TyId::ERROR,
            // There is no element, or control leaves every one of them.
            None => match hint {
                Some(hint) => hint,
                None => self.fresh(span, origin),
            },
        };
        let values = values
            .into_iter()
            .map(|v| self.coerce(v, item, Why::Element))
            .collect();
        (values, item)
    }

    pub(crate) fn array_literal(
        &mut self,
        elements: &'a [Element],
        want: Want,
        span: Span,
    ) -> Expr {
        let hint = self.hint(want).and_then(|ty| match self.kind(ty) {
            Ty::Array(item) => Some(item),
            Ty::Option(inner) => match self.kind(inner) {
                Ty::Array(item) => Some(item),
                _ => None,
            },
            _ => None,
        });
        if elements.iter().any(|e| matches!(e, Element::Spread(_))) {
            return self.spread_array(elements, hint, span);
        }
        let parts: Vec<&'a ast::Expr> = elements
            .iter()
            .map(|element| match element {
                Element::Expr(e) | Element::Spread(e) => e,
            })
            .collect();
        let (values, item) = self.elements(&parts, hint, infer::Origin::ArrayElements, span);
        let ty = self.intern(Ty::Array(item));
        self.mk(ExprKind::Array(values), ty, span)
    }

    fn spread_array(&mut self, elements: &'a [Element], hint: Option<TyId>, span: Span) -> Expr {
        let item = match hint {
            Some(hint) => hint,
            None => self.fresh(span, infer::Origin::ArrayElements),
        };
        let ty = self.intern(Ty::Array(item));
        let mut whole: Option<Expr> = None;
        for element in elements {
            let part = match element {
                Element::Expr(e) => {
                    let value = self.expr(e, Want::Ty(item));
                    let value = self.coerce(value, item, Why::Element);
                    self.mk(ExprKind::Array(vec![value]), ty, e.span)
                }
                Element::Spread(e) => {
                    let value = self.expr(e, Want::Ty(ty));
                    self.coerce(value, ty, Why::Element)
                }
            };
            whole = Some(match whole {
                None => part,
                Some(before) => {
                    self.mk(ExprKind::Concat(Box::new(before), Box::new(part)), ty, span)
                }
            });
        }
        whole.unwrap_or_else(|| self.bad(span))
    }

    pub(crate) fn set_literal(&mut self, items: &'a [ast::Expr], want: Want, span: Span) -> Expr {
        let hint = self.hint(want).and_then(|ty| match self.kind(ty) {
            Ty::Set(item) => Some(item),
            _ => None,
        });
        let parts: Vec<&'a ast::Expr> = items.iter().collect();
        let (values, item) = self.elements(&parts, hint, infer::Origin::SetElements, span);
        if !self.fits_key(item, span) {
            return self.bad(span);
        }
        let ty = self.intern(Ty::Set(item));
        self.mk(ExprKind::Set(values), ty, span)
    }

    pub(crate) fn dict_literal(
        &mut self,
        elements: &'a [DictElement],
        want: Want,
        span: Span,
    ) -> Expr {
        let (mut key_hint, mut value_hint) = (None, None);
        if let Some(hint) = self.hint(want) {
            match self.kind(hint) {
                Ty::Dict(key, value) => (key_hint, value_hint) = (Some(key), Some(value)),
                // `{}` where a set is expected is an empty set.
                Ty::Set(_) if elements.is_empty() => {
                    return self.mk(ExprKind::Set(Vec::new()), hint, span);
                }
                _ => {}
            }
        }
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for element in elements {
            match element {
                DictElement::Pair(key, value) => {
                    keys.push(key);
                    values.push(value);
                }
                DictElement::Spread(_) => {
                    return self.spread_dict(elements, key_hint.zip(value_hint), span);
                }
            }
        }
        let written = keys.clone();
        let (keys, key_ty) = self.elements(&keys, key_hint, infer::Origin::DictKeys, span);
        for (key, value) in written.iter().zip(&keys) {
            if let (ast::ExprKind::Name(name), TyId::ERROR) = (&key.kind, value.ty) {
                let help = format!("keys are expressions; write `\"{}\"` for a text", name.name);
                self.cx
                    .reports_mut()
                    .advise(crate::codes::UNKNOWN_NAME, key.span, help);
            }
        }
        self.repeated_keys(&keys);
        let (values, value_ty) =
            self.elements(&values, value_hint, infer::Origin::DictValues, span);
        // An expected type was looked at where it is written.
        if key_hint.is_none() && !self.fits_key(key_ty, span) {
            return self.bad(span);
        }
        let ty = self.intern(Ty::Dict(key_ty, value_ty));
        self.mk(
            ExprKind::Dict(keys.into_iter().zip(values).collect()),
            ty,
            span,
        )
    }

    /// `{**a, k: v}`: a new dict that takes all pairs in order, so that later ones win.
    fn spread_dict(
        &mut self,
        elements: &'a [DictElement],
        hint: Option<(TyId, TyId)>,
        span: Span,
    ) -> Expr {
        let (key_ty, value_ty) = match hint {
            Some(hint) => hint,
            None => (
                self.fresh(span, infer::Origin::DictKeys),
                self.fresh(span, infer::Origin::DictValues),
            ),
        };
        let ty = self.intern(Ty::Dict(key_ty, value_ty));
        // A dict that is spread first is copied as a whole.
        let (start, rest) = match elements {
            [DictElement::Spread(e), rest @ ..] => {
                let value = self.expr(e, Want::Ty(ty));
                (self.coerce(value, ty, Why::Element), rest)
            }
            _ => (self.mk(ExprKind::Dict(Vec::new()), ty, span), elements),
        };
        let holder = self.local("", ty, Origin::Var, span);
        self.scopes.frame_mut().locals[holder.0 as usize].mutable = true;
        let mut stmts = vec![Stmt {
            kind: StmtKind::Let(holder, start),
            span,
        }];
        for element in rest {
            let (update, args) = match element {
                DictElement::Pair(key, value) => {
                    let key = self.expr(key, Want::Ty(key_ty));
                    let key = self.coerce(key, key_ty, Why::Element);
                    let value = self.expr(value, Want::Ty(value_ty));
                    let value = self.coerce(value, value_ty, Why::Element);
                    (Update::DictSet, vec![key, value])
                }
                DictElement::Spread(e) => {
                    let value = self.expr(e, Want::Ty(ty));
                    (Update::Extend, vec![self.coerce(value, ty, Why::Element)])
                }
            };
            let place = Place {
                root: PlaceRoot::Local(holder),
                path: Vec::new(),
                ty,
                span,
            };
            stmts.push(Stmt {
                kind: StmtKind::Expr(self.mk(
                    ExprKind::Update(update, place, args),
                    TyId::UNIT,
                    span,
                )),
                span,
            });
        }
        self.owe(key_ty, duty::Duty::Key, span);
        let read = self.read(holder, span);
        let ty = read.ty;
        self.mk(ExprKind::Block(stmts, Some(Box::new(read))), ty, span)
    }

    pub(crate) fn array_comprehension(
        &mut self,
        item: &'a ast::Expr,
        tail: &'a ast::Comprehension,
        want: Want,
        span: Span,
    ) -> Expr {
        let hint = self.hint(want).and_then(|ty| match self.kind(ty) {
            Ty::Array(item) => Some(item),
            _ => None,
        });
        let item_ty = match hint {
            Some(hint) => hint,
            None => self.fresh(span, infer::Origin::ArrayElements),
        };
        let ty = self.intern(Ty::Array(item_ty));
        let empty = self.mk(ExprKind::Array(Vec::new()), ty, span);
        self.collect((item, item_ty), tail, empty, Update::Push)
    }

    pub(crate) fn set_comprehension(
        &mut self,
        item: &'a ast::Expr,
        tail: &'a ast::Comprehension,
        want: Want,
        span: Span,
    ) -> Expr {
        let item_ty = match self.hint(want).map(|ty| self.kind(ty)) {
            Some(Ty::Set(item)) => item,
            _ => self.fresh(span, infer::Origin::SetElements),
        };
        self.owe(item_ty, duty::Duty::Key, span);
        let ty = self.intern(Ty::Set(item_ty));
        let empty = self.mk(ExprKind::Set(Vec::new()), ty, span);
        self.collect((item, item_ty), tail, empty, Update::SetAdd)
    }

    /// Adds every element of a comprehension to the collection that `empty` begins.
    fn collect(
        &mut self,
        (item, item_ty): (&'a ast::Expr, TyId),
        tail: &'a ast::Comprehension,
        empty: Expr,
        add: Update,
    ) -> Expr {
        let span = empty.span;
        self.comprehension(tail, empty, span, &mut |this, place| {
            let value = this.expr(item, Want::Ty(item_ty));
            let value = this.coerce(value, item_ty, Why::Element);
            this.mk(ExprKind::Update(add, place, vec![value]), TyId::UNIT, span)
        })
    }

    pub(crate) fn dict_comprehension(
        &mut self,
        key: &'a ast::Expr,
        value: &'a ast::Expr,
        tail: &'a ast::Comprehension,
        span: Span,
    ) -> Expr {
        let key_ty = self.fresh(span, infer::Origin::DictKeys);
        let value_ty = self.fresh(span, infer::Origin::DictValues);
        self.owe(key_ty, duty::Duty::Key, span);
        let ty = self.intern(Ty::Dict(key_ty, value_ty));
        let empty = self.mk(ExprKind::Dict(Vec::new()), ty, span);
        self.comprehension(tail, empty, span, &mut |this, place| {
            let k = this.expr(key, Want::Ty(key_ty));
            let k = this.coerce(k, key_ty, Why::Element);
            let v = this.expr(value, Want::Ty(value_ty));
            let v = this.coerce(v, value_ty, Why::Element);
            this.mk(
                ExprKind::Update(Update::DictSet, place, vec![k, v]),
                TyId::UNIT,
                span,
            )
        })
    }

    /// A loop that fills a collection, which is then the value.
    fn comprehension(
        &mut self,
        tail: &'a ast::Comprehension,
        empty: Expr,
        span: Span,
        add: &mut dyn FnMut(&mut Self, Place) -> Expr,
    ) -> Expr {
        let ty = empty.ty;
        let holder = self.local("", ty, Origin::Var, span);
        self.scopes.frame_mut().locals[holder.0 as usize].mutable = true;
        let turn = self.comprehension_loops(&tail.loops, span, &mut |this| {
            let place = Place {
                root: PlaceRoot::Local(holder),
                path: Vec::new(),
                ty,
                span,
            };
            add(this, place)
        });
        let stmts = vec![
            Stmt {
                kind: StmtKind::Let(holder, empty),
                span,
            },
            Stmt { kind: turn, span },
        ];
        let read = self.read(holder, span);
        let ty = read.ty;
        self.mk(ExprKind::Block(stmts, Some(Box::new(read))), ty, span)
    }

    /// The loops of a comprehension from the first of `loops` inwards, around what adds an element.
    fn comprehension_loops(
        &mut self,
        loops: &'a [ast::ComprehensionLoop],
        span: Span,
        add: &mut dyn FnMut(&mut Self) -> Expr,
    ) -> StmtKind {
        let Some((outer, inner)) = loops.split_first() else {
            return StmtKind::Expr(add(self));
        };
        let mark = self.open();
        let turn = self.for_loop(&outer.pattern, &outer.iterable, span, &mut |this| {
            let filters: Vec<_> = outer.filters.iter().map(|e| this.condition(e)).collect();
            let body = match inner.is_empty() {
                true => add(this),
                false => {
                    let kind = this.comprehension_loops(inner, span, add);
                    let block = ExprKind::Block(vec![Stmt { kind, span }], None);
                    this.mk(block, TyId::UNIT, span)
                }
            };
            filters.into_iter().rev().fold(body, |then, cond| {
                let kind = ExprKind::If {
                    cond: Box::new(Cond::Expr(cond)),
                    then: Box::new(then),
                    otherwise: None,
                };
                this.mk(kind, TyId::UNIT, span)
            })
        });
        self.close(mark);
        turn
    }

    pub(crate) fn struct_literal(
        &mut self,
        path: &'a ast::Path,
        args: &'a [ast::TypeArg],
        fields: &'a [(ast::Ident, ast::Expr)],
        want: Want,
        span: Span,
    ) -> Expr {
        if let ([name], true, Some(ty)) = (
            &path.segments[..],
            args.is_empty(),
            self.scopes.types().self_ty,
        ) && name.name.as_str() == "Self"
        {
            let parts = fields
                .iter()
                .map(|(label, value)| args::Given::ast(Some(*label), value))
                .collect();
            return self.construct(ty, parts, want, span);
        }
        let mut base = self.path_base(path);
        if !args.is_empty()
            && let Some(name::StaticBase::Type(def, ident, _)) = base
        {
            base = Some(name::StaticBase::Type(def, ident, args));
        }
        match base {
            Some(name::StaticBase::Type(def, ident, args)) => {
                let Some(ty) = self.type_of_base(def, ident, args, want) else {
                    return self.bad(span);
                };
                let parts: Vec<args::Given<'a>> = fields
                    .iter()
                    .map(|(label, value)| args::Given::ast(Some(*label), value))
                    .collect();
                self.construct(ty, parts, want, span)
            }
            Some(name::StaticBase::Variant(ty, number)) => {
                let parts: Vec<args::Given<'a>> = fields
                    .iter()
                    .map(|(label, value)| args::Given::ast(Some(*label), value))
                    .collect();
                self.variant(ty, number, parts, want, span)
            }
            other => {
                if !matches!(other, Some(name::StaticBase::Broken)) {
                    self.no_record(path);
                }
                for (_, value) in fields {
                    self.expr(value, Want::Any);
                }
                self.bad(span)
            }
        }
    }

    /// Reports a path before `{` that names nothing with fields.
    fn no_record(&mut self, path: &ast::Path) {
        let names: Vec<&str> = path.segments.iter().map(|s| s.name.as_str()).collect();
        let last = path.last();
        let message = format!("there is no struct, class or variant `{}`", names.join("."));
        let mut near: Vec<&str> = Vec::new();
        if let [of, _] = &path.segments[..]
            && let Some(Def::Type(decl)) = self.cx.lookup(self.scopes.types().module, of.name)
        {
            let variants = &self.cx.decls()[decl].variants;
            near.extend(variants.keys().map(|name| name.as_str()));
        }
        let text = last.name.as_str();
        let code = codes::UNKNOWN_TYPE;
        self.cx.unknown_of(code, last.span, message, text, &near);
    }
}

fn strip(e: &ast::Expr) -> &ast::Expr {
    match &e.kind {
        ast::ExprKind::Paren(inner) | ast::ExprKind::Unary(ast::UnaryOp::Neg, inner) => {
            strip(inner)
        }
        _ => e,
    }
}
