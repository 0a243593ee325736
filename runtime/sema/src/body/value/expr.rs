//! The dispatch over the forms of expressions.

use super::convert::Why;
use super::*;
use crate::codes;
use crate::typed::{Expr, Pattern};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, ExprKind as K, UnaryOp};

/// The links of an optional chain that were met: the payload's variable and the option it is from.
pub(crate) type ChainLinks = Vec<(LocalId, Expr)>;

impl<'c, 'a> Body<'c, 'a> {
    /// Checks an expression. `want` guides inference; the caller converts the value.
    pub(crate) fn expr(&mut self, e: &'a ast::Expr, want: Want) -> Expr {
        if self.cx.input().rehearses() && !self.cx.reports().may_roll_back() {
            self.rehearse(|body| body.any_expr(e, want));
        }
        self.any_expr(e, want)
    }

    fn any_expr(&mut self, e: &'a ast::Expr, want: Want) -> Expr {
        if has_safe_link(e) {
            return self.chain(e, want);
        }
        self.link(e, want)
    }

    /// The same inside the chain of postfix operations that `e` belongs to.
    pub(crate) fn link(&mut self, e: &'a ast::Expr, want: Want) -> Expr {
        self.deeper(e.span, |body| body.expr_kind(e, want))
    }

    /// The type that a literal may take from its surroundings.
    pub(crate) fn hint(&self, want: Want) -> Option<TyId> {
        match want {
            Want::Ty(ty) | Want::Like(ty) => {
                let ty = self.shallow(ty);
                (!self.is_unknown(ty)).then_some(ty)
            }
            _ => None,
        }
    }

    fn expr_kind(&mut self, e: &'a ast::Expr, want: Want) -> Expr {
        let span = e.span;
        match &e.kind {
            K::Int(value, suffix) => self.int_literal(*value, *suffix, false, want, span),
            K::Float(value, suffix) => self.float_literal(*value, *suffix, want, span),
            K::Bool(value) => self.mk(ExprKind::Bool(*value), TyId::BOOL, span),
            K::Nil => self.nil(want, span),
            K::Text(parts) => self.text_literal(parts, span),
            K::Name(name) => self.name(*name, want),
            K::SelfValue => match self.find_self() {
                Some(id) => self.read(id, span),
                None => {
                    self.cx
                        .error(codes::NO_SELF, span, "`self` is allowed only in methods");
                    self.bad(span)
                }
            },
            K::Super => {
                let d = Diagnostic::error(
                    codes::INHERITANCE,
                    span,
                    "there is no `super`: types do not inherit",
                )
                .help("hold the other value in a field, or share behaviour through a trait");
                self.cx.report(d);
                self.bad(span)
            }
            K::Unit => self.mk(ExprKind::Unit, TyId::UNIT, span),
            K::Tuple(parts) => self.tuple_literal(parts, want, span),
            K::Array(elements) => self.array_literal(elements, want, span),
            K::ArrayComprehension(item, tail) => self.array_comprehension(item, tail, want, span),
            K::Dict(elements) => self.dict_literal(elements, want, span),
            K::SetComprehension(item, tail) => self.set_comprehension(item, tail, want, span),
            K::DictComprehension(key, value, tail) => {
                self.dict_comprehension(key, value, tail, span)
            }
            K::Set(items) => self.set_literal(items, want, span),
            K::Lambda(lambda) => self.lambda(lambda, want, span),
            K::If(node) => self.if_expr(node, want, span),
            K::Match(scrutinee, arms) => self.match_expr(scrutinee, arms, want, span),
            K::With(bindings, body) => self.with_expr(bindings, body, want, span),
            K::StructLit { path, args, fields } => {
                self.struct_literal(path, args, fields, want, span)
            }
            K::MathBlock(kind, inner) => self.math_block(*kind, inner, want, span),
            K::Placeholder(number) => self.placeholder(*number, span),
            K::MethodRef(name) => self.method_ref(*name, want, span),
            K::Unary(op, inner) => self.unary(*op, inner, want, span),
            K::Binary(op, left, right) => self.binary(*op, left, right, want, span),
            K::Compare(first, rest) => self.compare(first, rest, span),
            K::And(a, b) => {
                let a = self.condition(a);
                let b = self.condition_where(&a, true, b);
                self.mk(ExprKind::And(Box::new(a), Box::new(b)), TyId::BOOL, span)
            }
            K::Or(a, b) => {
                let a = self.condition(a);
                let b = self.condition_where(&a, false, b);
                self.mk(ExprKind::Or(Box::new(a), Box::new(b)), TyId::BOOL, span)
            }
            K::Coalesce(a, b) => self.coalesce(a, b, want, span),
            K::In(item, holder, negated) => self.membership(item, holder, *negated, span),
            K::Is(value, ty) => self.is_test(value, ty, span),
            K::Cast(value, ty) => self.cast(value, ty, span),
            K::Range(lo, hi, inclusive) => {
                let (lo, hi) = (self.range_bound(lo), self.range_bound(hi));
                self.mk(
                    ExprKind::Range(Box::new(lo), Box::new(hi), *inclusive),
                    TyId::RANGE,
                    span,
                )
            }
            K::Call(call) => self.call(call, want, span),
            K::Index(base, index, safe) => self.index(base, index, *safe, span),
            K::Slice(base, bounds) => self.slice(base, bounds, span),
            K::IndexPart(bounds) => self.index_part(bounds.as_deref(), span),
            K::Field(base, name, safe) => self.field(base, *name, *safe, want, span),
            K::TupleField(base, number, at, safe) => {
                self.tuple_field(base, *number, (*at, *safe), span)
            }
            K::Generic(inner, args) => self.generic_value(inner, args, want, span),
            K::Presence(inner) => self.presence(inner, want, span),
            K::Try(inner) => self.try_expr(inner, span),
            K::Unwrap(inner) => self.unwrap_expr(inner, span),
            K::Update(target, name, args) => self.functional_update(target, *name, args, span),
            K::Paren(inner) => self.paren(inner, want),
            K::Return(value) => self.return_value(value.as_deref(), span),
            K::Break => self.jump(true, span),
            K::Continue => self.jump(false, span),
            K::Throw(value) => self.throw(value, span),
            K::Block(block) => self.block(block, want),
            K::Error => self.bad(span),
        }
    }

    /// Says that a construct is not supported yet.
    pub(crate) fn unsupported(&mut self, span: Span, what: &str) -> Expr {
        self.cx.unsupported(span, what);
        self.bad(span)
    }

    /// A chain with `?.` links: absent as a whole when a link is.
    fn chain(&mut self, e: &'a ast::Expr, want: Want) -> Expr {
        let span = e.span;
        self.scopes.open_chain();
        // The chain's own type is the payload's; the hint of an option speaks about its payload.
        let inner = match self.hint(want).map(|ty| self.kind(ty)) {
            Some(Ty::Option(item)) => Want::Ty(item),
            _ if matches!(want, Want::Discard | Want::Tail) => want,
            _ => Want::Any,
        };
        let value = self.link(e, inner);
        let links = self.scopes.close_chain();
        if links.is_empty() || value.ty == TyId::ERROR {
            return value;
        }
        if matches!(value.ty, TyId::UNIT | TyId::NEVER) {
            let mut result = value;
            for (local, option) in links.into_iter().rev() {
                let pattern = Pattern::Some(Box::new(Pattern::Bind(local)));
                let kind = ExprKind::If {
                    cond: Box::new(Cond::Pattern(pattern, option)),
                    then: Box::new(result),
                    otherwise: None,
                };
                result = self.mk(kind, TyId::UNIT, span);
            }
            return result;
        }
        let (mut result, ty) = match self.kind(value.ty) {
            Ty::Option(_) => {
                let ty = value.ty;
                (value, ty)
            }
            _ => {
                let ty = self.intern(Ty::Option(value.ty));
                (self.mk(ExprKind::Some(Box::new(value)), ty, span), ty)
            }
        };
        for (local, option) in links.into_iter().rev() {
            let pattern = Pattern::Some(Box::new(Pattern::Bind(local)));
            let nil = self.mk(ExprKind::Nil, ty, span);
            let kind = ExprKind::If {
                cond: Box::new(Cond::Pattern(pattern, option)),
                then: Box::new(result),
                otherwise: Some(Box::new(nil)),
            };
            result = self.mk(kind, ty, span);
        }
        result
    }

    /// The payload of a `?.` or `?[` link.
    pub(crate) fn safe_link(&mut self, base: Expr) -> Expr {
        let span = base.span;
        let base = self.flattened(base);
        let Ty::Option(item) = self.kind(base.ty) else {
            if self.scopes.has_links() {
                // After an optional link the rest is optional too, though it is only evaluated where it is there.
                return base;
            }
            if let Ty::Result(..) = self.kind(base.ty) {
                // `f()?.g()` hands an `Err` on and goes on with the value.
                return self.try_value(base, span);
            }
            if self.shallow(base.ty) != TyId::ERROR {
                let name = self.show(base.ty);
                let d = Diagnostic::error(
                    codes::BAD_OPERAND,
                    span,
                    format!("`?.` on `{name}`, which is never absent"),
                )
                .found_expected(name, "an optional value")
                .help("write `.`");
                self.cx.report(d);
            }
            return self.bad(span);
        };
        let local = self.temp(item, span);
        match self.scopes.add_link(local, base) {
            true => self.read(local, span),
            false => self.bad(span),
        }
    }

    fn paren(&mut self, inner: &'a ast::Expr, want: Want) -> Expr {
        self.outside_chains(|body| body.expr(inner, want))
    }

    fn unary(&mut self, op: UnaryOp, inner: &'a ast::Expr, want: Want, span: Span) -> Expr {
        match op {
            UnaryOp::Not => {
                let value = self.condition(inner);
                self.mk(ExprKind::Not(Box::new(value)), TyId::BOOL, span)
            }
            UnaryOp::Neg => {
                if let K::Int(value, suffix) = &inner.kind {
                    return self.int_literal(*value, *suffix, true, want, span);
                }
                let want = self.operand_want(want);
                let value = self.expr(inner, want);
                let value = self.unwrap_lenient(value);
                self.negated(value, span)
            }
            UnaryOp::BitNot => {
                let want = self.operand_want(want);
                let value = self.expr(inner, want);
                let value = self.unwrap_lenient(value);
                match self.kind(value.ty) {
                    _ if self.promised(&["bitwise_not"], span) => {
                        self.operator_method("bitwise_not", "~", value, None, span)
                    }
                    Ty::Int(_) => {
                        let ty = self.shallow(value.ty);
                        self.mk(ExprKind::BitNot(Box::new(value)), ty, span)
                    }
                    Ty::Error | Ty::Never => value,
                    Ty::Adt(_) | Ty::Trait(_) | Ty::Param(_) => {
                        self.operator_method("bitwise_not", "~", value, None, span)
                    }
                    _ => self.bad_operand("~", &value, None, span),
                }
            }
            UnaryOp::Await => self.unsupported(span, "`await`"),
        }
    }

    /// What an operand should be like whose result becomes `want`: where that is an option, a value that goes into one.
    fn operand_want(&mut self, want: Want) -> Want {
        let Want::Ty(mut ty) = want else {
            return want;
        };
        let whole = self.shallow(ty);
        loop {
            ty = self.shallow(ty);
            match *self.ty(ty) {
                Ty::Option(item) => ty = item,
                _ if ty == whole => return want,
                _ => return Want::Like(ty),
            }
        }
    }

    /// `-value`.
    pub(crate) fn negated(&mut self, value: Expr, span: Span) -> Expr {
        match self.kind(value.ty) {
            _ if self.promised(&["neg"], span) => {
                self.operator_method("neg", "-", value, None, span)
            }
            Ty::F32 | Ty::F64 => {
                if let ExprKind::Float(number) = value.kind {
                    return self.mk(ExprKind::Float(-number), value.ty, span);
                }
                let ty = self.shallow(value.ty);
                self.mk(ExprKind::Neg(Box::new(value)), ty, span)
            }
            Ty::Int(int) if int.signed => {
                let ty = self.shallow(value.ty);
                self.mk(ExprKind::Neg(Box::new(value)), ty, span)
            }
            Ty::Error | Ty::Never => value,
            Ty::Adt(_) | Ty::Trait(_) | Ty::Param(_) => {
                self.operator_method("neg", "-", value, None, span)
            }
            _ => self.bad_operand("-", &value, None, span),
        }
    }

    fn cast(&mut self, value: &'a ast::Expr, written: &'a ast::TypeExpr, span: Span) -> Expr {
        let scope = self.scopes.types().clone();
        let to = self.cx.resolve_type(written, &scope);
        let literal_float = matches!(value.kind, K::Float(..));
        let target = self.kind(to);
        // Here a rounded value is what is asked for.
        if let (&K::Int(number, None), Ty::F32 | Ty::F64) = (&value.kind, &target) {
            let number = match target {
                Ty::F32 => f64::from(number as f32),
                _ => number as f64,
            };
            return self.mk(ExprKind::Float(number), to, span);
        }
        let fits_literal = match (&value.kind, &target) {
            (K::Int(number, None), Ty::Int(int)) => convert::fits(*number as i128, *int),
            (K::Int(_, None) | K::Float(..), Ty::F32 | Ty::F64) => true,
            _ => false,
        };
        let want = match target {
            // Operators keep the type that they have without the cast: `(1 / 2) as f64` is 0.0.
            Ty::Int(_) | Ty::F32 | Ty::F64 if !literal_float && !fits_literal => Want::Any,
            Ty::Handle(_) => Want::Any,
            _ => Want::Ty(to),
        };
        let value = self.expr(value, want);
        let from = self.resolve(value.ty);
        if from == to || from == TyId::ERROR || to == TyId::ERROR {
            return if to == TyId::ERROR {
                self.bad(span)
            } else {
                Expr { span, ..value }
            };
        }
        let value = if matches!(self.ty(to), Ty::Option(_)) {
            value
        } else {
            self.unwrap_lenient(value)
        };
        let from = self.resolve(value.ty);
        let numeric = |ty: &Ty| matches!(ty, Ty::Int(_) | Ty::F32 | Ty::F64);
        let (from_kind, to_kind) = (self.ty(from).clone(), self.ty(to).clone());
        if numeric(&from_kind) && numeric(&to_kind)
            || from == TyId::BOOL && matches!(to_kind, Ty::Int(_))
        {
            if let (ExprKind::Int(_), Ty::F32 | Ty::F64) = (&value.kind, &to_kind) {
                return self.number(value, to);
            }
            return self.mk(
                ExprKind::Convert(Convert::Number, Box::new(value)),
                to,
                span,
            );
        }
        let handle = match (&from_kind, &to_kind) {
            (Ty::Handle(_), Ty::Int(int)) | (Ty::Int(int), Ty::Handle(_)) => *int == IntTy::I64,
            _ => false,
        };
        if handle {
            return self.mk(
                ExprKind::Convert(Convert::Number, Box::new(value)),
                to,
                span,
            );
        }
        if let (Ty::Adt(adt), Ty::Int(_)) = (&from_kind, &to_kind) {
            let plain = match self.cx.decls()[self.cx.decl_of(*adt)].shape {
                Shape::Enum(decl) => decl.variants.iter().all(|v| v.fields.is_empty()),
                Shape::Record(..) => false,
            };
            if plain {
                let ordinal = self.mk(
                    ExprKind::Convert(Convert::EnumToInt, Box::new(value)),
                    to,
                    span,
                );
                return ordinal;
            }
        }
        if let (Ty::Trait(_), Ty::Option(item)) = (&from_kind, &to_kind)
            && !self.convertible(from, *item)
        {
            self.duties.add_object(from, *item);
            return self.mk(ExprKind::Downcast(Box::new(value)), to, span);
        }
        self.try_coerce(value, to).unwrap_or_else(|value| {
            self.bad_cast(from, to, span);
            self.bad(value.span)
        })
    }

    fn bad_cast(&mut self, from: TyId, to: TyId, span: Span) {
        let (from_name, to_name) = (self.show(from), self.show(to));
        let mut d = Diagnostic::error(
            codes::BAD_CAST,
            span,
            format!("`{from_name}` cannot be converted to `{to_name}`"),
        );
        d.help = match (self.ty(from), self.ty(to)) {
            (Ty::Int(_), Ty::Bool) => Some("write `x != 0`".into()),
            (Ty::Text, Ty::Int(_)) => {
                Some("write `s.to_int()`, or `s.parse_int()` to notice failure".into())
            }
            (Ty::Text, Ty::F32 | Ty::F64) => Some("write `s.to_float()`".into()),
            (Ty::Handle(_), Ty::Int(_)) | (Ty::Int(_), Ty::Handle(_)) => {
                Some("an opaque type converts to `i64` and back".into())
            }
            (_, Ty::Text) => Some("write `\"{x}\"` or `x.to_string()`".into()),
            (Ty::Trait(_), Ty::Adt(_)) => Some(format!(
                "write `as {to_name}?`, which is nil for another type"
            )),
            _ => None,
        };
        self.cx.report(d);
    }

    /// `value is T`: whether a value is of a type or variant. A present optional is what its payload is.
    fn is_test(&mut self, value: &'a ast::Expr, written: &'a ast::TypeExpr, span: Span) -> Expr {
        let first = self.table.count();
        let value = self.expr(value, Want::Any);
        let from = self.resolve(value.ty);
        if from == TyId::ERROR {
            return value;
        }
        if let ast::TypeExprKind::Named { path, args } = &written.kind
            && args.is_empty()
            && let Some(pattern) = self.variant_test(from, path.last().name)
        {
            return self.fits(pattern, value, span);
        }
        if let ast::TypeExprKind::Named { path, args } = &written.kind
            && let ([name], [], Some(adt)) = (&path.segments[..], &args[..], self.enum_in(from))
            && self
                .cx
                .lookup_visible(self.scopes.types().module, name.name)
                .is_none()
            && crate::types::builtin_scalar(name.name.as_str()).is_none()
        {
            self.unknown_variant(adt, *name);
            return self.bad(span);
        }
        let scope = self.scopes.types().clone();
        let to = self.cx.resolve_type(written, &scope);
        if to == TyId::ERROR || self.wholly_known(value.ty, first, value.span).is_none() {
            return self.bad(span);
        }
        self.type_test(value, to, span)
    }

    /// The enum that a type is, or that it holds when present.
    pub(in crate::body) fn enum_in(&self, ty: TyId) -> Option<AdtId> {
        match self.kind(ty) {
            Ty::Option(item) => self.enum_in(item),
            Ty::Adt(adt) => {
                let is_enum = self.cx.types().adts[adt.0 as usize].kind == AdtKind::Enum;
                is_enum.then_some(adt)
            }
            _ => None,
        }
    }

    /// The pattern that `is name` means if `name` is a variant of the type or of what it holds when present.
    fn variant_test(&mut self, ty: TyId, name: Symbol) -> Option<Pattern> {
        Some(match (self.kind(ty), name.as_str()) {
            (Ty::Option(_), "Some") => Pattern::Some(Box::new(Pattern::Wildcard)),
            (Ty::Option(_), "None") => Pattern::Nil,
            (Ty::Option(item), _) => Pattern::Some(Box::new(self.variant_test(item, name)?)),
            (Ty::Result(..), "Ok") => Pattern::Ok(Box::new(Pattern::Wildcard)),
            (Ty::Result(..), "Err") => Pattern::Err(Box::new(Pattern::Wildcard)),
            (Ty::Adt(adt), _) => {
                let decl = self.cx.decl_of(adt);
                let number = *self.cx.decls()[decl].variants.get(&name)?;
                self.cx.ensure_adt(adt);
                let variant = &self.cx.types().adts[adt.0 as usize].variants[number as usize];
                Pattern::Variant(adt, number, vec![Pattern::Wildcard; variant.fields.len()])
            }
            _ => return None,
        })
    }

    /// Whether a value is of the type `to`, which is known now unless a trait object or an optional holds it.
    fn type_test(&mut self, value: Expr, to: TyId, span: Span) -> Expr {
        let from = self.resolve(value.ty);
        let implemented = match *self.ty(to) {
            Ty::Trait(id) => {
                let decl = self.cx.instances().trait_of(id).0;
                self.cx.implements(from, decl)
            }
            _ => false,
        };
        match *self.ty(from) {
            Ty::Trait(_) if !implemented => {
                self.duties.add_object(from, to);
                return self.mk(ExprKind::IsType(Box::new(value), to), TyId::BOOL, span);
            }
            Ty::Option(item) if !implemented && from != to => {
                let local = self.temp(item, span);
                let payload = self.read(local, span);
                let then = self.type_test(payload, to, span);
                let present = Pattern::Some(Box::new(Pattern::Bind(local)));
                return self.fits_and(present, value, then, span);
            }
            _ => {}
        }
        let answer = ExprKind::Bool(implemented || from == to);
        let answer = self.mk(answer, TyId::BOOL, span);
        let ignored = simple_stmt(value, span);
        self.mk(
            ExprKind::Block(vec![ignored], Some(Box::new(answer))),
            TyId::BOOL,
            span,
        )
    }

    /// Whether a value fits a pattern.
    fn fits(&mut self, pattern: Pattern, value: Expr, span: Span) -> Expr {
        let yes = self.mk(ExprKind::Bool(true), TyId::BOOL, span);
        self.fits_and(pattern, value, yes, span)
    }

    /// Whether a value fits a pattern and `then` holds for what the pattern binds.
    fn fits_and(&mut self, pattern: Pattern, value: Expr, then: Expr, span: Span) -> Expr {
        let no = self.mk(ExprKind::Bool(false), TyId::BOOL, span);
        let kind = ExprKind::If {
            cond: Box::new(Cond::Pattern(pattern, value)),
            then: Box::new(then),
            otherwise: Some(Box::new(no)),
        };
        self.mk(kind, TyId::BOOL, span)
    }

    /// `target->method(args)`: the target becomes the method's result.
    fn functional_update(
        &mut self,
        target: &'a ast::Expr,
        name: ast::Ident,
        args: &'a [ast::Arg],
        span: Span,
    ) -> Expr {
        // `x->f()->g()` is `x = x.f()` and then `x = x.g()`.
        let mut stmts = Vec::new();
        let mut target = target;
        if let K::Update(inner, first, first_args) = &target.kind {
            let earlier = self.functional_update(inner, *first, first_args, target.span);
            stmts.push(simple_stmt(earlier, target.span));
            while let K::Update(inner, ..) = &target.kind {
                target = inner;
            }
        }
        let Some(place) = self.mutable_place(target) else {
            for arg in args {
                if !lambda::is_lambda_like(&arg.value) {
                    self.expr(&arg.value, Want::Any);
                }
            }
            return self.bad(span);
        };
        let place = self.settled(place, &mut stmts);
        let read = self.place_value(&place);
        let ty = place.ty;
        let given = args::given(args, None);
        // The method works on a copy of the value, so that it cannot see the place half changed.
        let receiver = method::Receiver::value(read);
        let value = self.method_on(receiver, name, &[], given, Want::Ty(ty), span);
        let value = self.coerce(value, ty, Why::Assignment);
        let assign = crate::typed::Stmt {
            kind: StmtKind::Assign(place, value),
            span,
        };
        stmts.push(assign);
        self.mk(ExprKind::Block(stmts, None), TyId::UNIT, span)
    }
}

/// An expression whose value is dropped.
pub(crate) fn simple_stmt(value: Expr, span: Span) -> crate::typed::Stmt {
    crate::typed::Stmt {
        kind: StmtKind::Expr(value),
        span,
    }
}

/// Whether the chain of postfix operations that `e` ends has a `?.` or `?[` link.
pub(in crate::body) fn has_safe_link(e: &ast::Expr) -> bool {
    let mut at = e;
    loop {
        at = match &at.kind {
            K::Field(_, _, true) | K::Index(_, _, true) | K::TupleField(.., true) => return true,
            K::Field(base, _, false) | K::Index(base, _, false) => base,
            K::Slice(base, _) | K::TupleField(base, ..) | K::Generic(base, _) => base,
            K::Call(call) => &call.callee,
            _ => return false,
        };
    }
}
