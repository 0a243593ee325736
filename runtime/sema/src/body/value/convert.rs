//! Implicit conversions (`doc/language/values_and_types.md`) and the one place that reports a type mismatch.

use super::*;
use crate::codes;
use simple_syntax::Diagnostic;

/// Why a value must have a type; the words of the message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Why<'w> {
    Argument(&'w str),
    Return,
    Yield,
    Binding,
    Assignment,
    Condition,
    Branch,
    Element,
    /// Elements of a parameter or field `[T]...`: its name, what it is, and the forms in which they can be given.
    Elements(&'w str, super::args::Member, &'w str),
    /// A field, and advice on how values of its type are made if not by their fields.
    Field(&'w str, Option<&'w str>),
    Operand,
    /// What `+=` and its like add to a variable.
    Update,
    Index,
    Default,
    Guard,
    Message,
    /// `width` or `precision`.
    Format(&'w str),
}

impl Why<'_> {
    fn text(self) -> String {
        match self {
            Why::Argument(name) => format!("the argument `{name}` has the wrong type"),
            Why::Return => "the result has the wrong type".into(),
            Why::Yield => "the yielded value has the wrong type".into(),
            Why::Binding => "the value does not have the declared type".into(),
            Why::Assignment => {
                "the value does not have the type of the place it is assigned to".into()
            }
            Why::Condition => "a condition must be a `bool`".into(),
            Why::Branch => "the branches have different types".into(),
            Why::Element => "the element has the wrong type".into(),
            Why::Elements(name, super::args::Member::Field, _) | Why::Field(name, _) => {
                format!("the field `{name}` has the wrong type")
            }
            Why::Elements(name, ..) => format!("the argument `{name}` has the wrong type"),
            Why::Operand | Why::Update => "the operand has the wrong type".into(),
            Why::Index => "the index has the wrong type".into(),
            Why::Default => "the default value has the wrong type".into(),
            Why::Guard => "a guard must be a `bool`".into(),
            Why::Message => "a message must be text".into(),
            Why::Format(number) => format!("the {number} of a format must be an integer"),
        }
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// `e` as a value of type `to`; reports a mismatch.
    pub(crate) fn coerce(&mut self, e: Expr, to: TyId, why: Why<'_>) -> Expr {
        if self.shallow(e.ty) == TyId::ERROR {
            self.give_up(to);
        }
        match self.try_coerce(e, to) {
            Ok(e) => {
                if !self.duties.waiting().is_empty() && matches!(self.kind(e.ty), Ty::Fn(..)) {
                    self.check_ready();
                }
                e
            }
            Err(e) => {
                self.mismatch(&e, to, why);
                self.give_up(to);
                self.bad(e.span)
            }
        }
    }

    /// Reports that `e` does not have the type `to`.
    pub(crate) fn mismatch(&mut self, e: &Expr, to: TyId, why: Why<'_>) {
        let (found, expected) = (self.resolve(e.ty), self.resolve(to));
        if found == TyId::ERROR || expected == TyId::ERROR {
            return;
        }
        let (found_name, expected_name) = (self.show(found), self.show(expected));
        let inner = match self.ty(found) {
            Ty::Option(item) => Some(*item),
            _ => None,
        };
        if let Some(item) = inner
            && self.convertible(item, expected)
        {
            let d = Diagnostic::error(
                codes::OPTIONAL_USED,
                e.span,
                format!("`{found_name}` is optional, but a plain `{expected_name}` is needed here"),
            )
            .found_expected(found_name, expected_name)
            .help("give a default with `?? value`, take it with `!`, or test it with `if val x = ...:`");
            self.cx.report(d);
            return;
        }
        if matches!(e.kind, ExprKind::Nil) && inner.is_some() {
            let d = Diagnostic::error(codes::TYPE_MISMATCH, e.span, why.text())
                .found_expected("nil", expected_name.clone())
                .help(format!(
                    "only optional types have `nil`: write `{expected_name}?`"
                ));
            self.cx.report(d);
            return;
        }
        let mut d = Diagnostic::error(codes::TYPE_MISMATCH, e.span, why.text())
            .found_expected(found_name.clone(), expected_name.clone());
        let flags = self.cx.flags(found) | self.cx.flags(expected);
        if flags & infer::HAS_INFER != 0 && self.could_unify(found, expected) {
            d = d.note("a value cannot hold itself: its type would be infinite");
        }
        let names = (found_name.as_str(), expected_name.as_str());
        let mut d = self.mismatch_help(d, e, (found, expected), names, why);
        if let Why::Elements(_, _, forms) = why {
            d.notes.push(forms.to_owned());
        }
        self.cx.report(d);
    }

    /// The report of a mismatch with what to do about it.
    fn mismatch_help(
        &mut self,
        mut d: Diagnostic,
        e: &Expr,
        (found, expected): (TyId, TyId),
        (found_name, expected_name): (&str, &str),
        why: Why<'_>,
    ) -> Diagnostic {
        let numeric = |ty: &Ty| matches!(ty, Ty::Int(_) | Ty::F32 | Ty::F64);
        let meant = match self.is_tensor(expected) {
            true => self.by_elements(e),
            false => None,
        };
        if let Some((sign, meant)) = meant {
            d = d
                .note(format!(
                    "`{sign}` of tensors compares the whole and yields one `bool`"
                ))
                .help(format!("compare element by element: `{meant}`"))
                .fix(e.span, meant);
        } else if let ExprKind::If {
            otherwise: None, ..
        } = e.kind
        {
            d = d.help("an `if` that yields a value needs an `else`");
        } else if numeric(self.ty(found)) && numeric(self.ty(expected)) {
            d = d.help(self.number_advice(found, expected, expected_name, why));
        } else if let (ExprKind::Text(text), true) = (&e.kind, numeric(self.ty(expected))) {
            if text.trim().parse::<f64>().is_ok() {
                d = d.help("a number is written without quotes");
            } else if let Why::Field(_, Some(maker)) = why {
                d = d.help(maker);
            }
        } else if found == TyId::TEXT && matches!(self.ty(expected), Ty::Int(_)) {
            d = d.help("read a number with `.to_int()`, or with `.parse_int()` to notice failure");
        } else if found == TyId::TEXT && matches!(self.ty(expected), Ty::F32 | Ty::F64) {
            d = d.help(
                "read a number with `.to_float()`, or with `.parse_float()` to notice failure",
            );
        } else if matches!(why, Why::Index)
            && matches!(self.ty(expected), Ty::Int(_))
            && matches!(self.ty(found), Ty::Tuple(parts)
                if parts.iter().all(|(_, ty)| matches!(self.ty(*ty), Ty::Int(_))))
        {
            d = d.help("a list of lists takes one index after the other: `m[0][1]`");
        } else if matches!(why, Why::Index)
            && matches!(self.ty(found), Ty::Tuple(parts) if parts.len() == 2)
        {
            d = d.help("a loop over a dict yields pairs of a key and its value: `for k, v in d:`");
        } else if expected == TyId::TEXT {
            d = d.help("make it text with `\"{...}\"` or `.to_string()`");
        } else if matches!(why, Why::Condition | Why::Guard)
            && matches!(self.ty(found), Ty::Adt(_))
            && self.has_method(found, Symbol::intern("item"))
        {
            d = d.help(
                "a tensor has many truth values; take one number of it: `x.all().item() != 0.0`",
            );
        } else if matches!(why, Why::Condition | Why::Guard) {
            d = d.help("compare it: `x != 0`, `xs.len() > 0`, or test for presence with `x.?`");
        } else if matches!(self.ty(expected), Ty::Result(..)) {
            d = d.help("a result is written `Ok(value)` or `Err(reason)`");
        } else if let Ty::Trait(id) = *self.ty(expected) {
            let wanted = self.cx.instances().trait_of(id).0;
            let advice = self.cx.trait_advice(wanted, found_name);
            d = match (advice, self.cx.unmet_bound(found, wanted)) {
                (Some(advice), _) => d.help(advice),
                (None, Some(unmet)) => self.say_unmet(d, unmet),
                (None, None) => d.help(format!("add `impl {expected_name} for {found_name}:`")),
            };
        } else if let Some(help) = self.parameters_advice(found, expected) {
            d = d.help(help);
        } else if let Why::Field(_, Some(maker)) = why {
            d = d.help(maker);
        } else if matches!(
            why,
            Why::Argument(_) | Why::Field(..) | Why::Element | Why::Elements(..)
        ) {
            d.help = self.mismatch_advice(found, expected);
        }
        d
    }

    /// What to do about a number of another type.
    fn number_advice(&self, found: TyId, expected: TyId, name: &str, why: Why<'_>) -> String {
        let cuts =
            matches!(self.ty(found), Ty::F32 | Ty::F64) && matches!(self.ty(expected), Ty::Int(_));
        match why {
            Why::Assignment | Why::Update if cuts => format!(
                "a variable that takes fractions begins as a float: `var x = 0.0`; `as {name}` cuts off what is after the point"
            ),
            Why::Element if cuts => format!(
                "whole numbers are expected here; `as {name}` cuts off what is after the point"
            ),
            _ if cuts => {
                format!("convert it with `as {name}`, which cuts off what is after the point")
            }
            _ => format!("convert it with `as {name}`"),
        }
    }

    /// Whether a value of one type converts implicitly to another.
    pub(crate) fn convertible(&mut self, from: TyId, to: TyId) -> bool {
        let (from, to) = (self.resolve(from), self.resolve(to));
        if from == to || from == TyId::NEVER || from == TyId::ERROR || to == TyId::ERROR {
            return true;
        }
        match (self.ty(from).clone(), self.ty(to).clone()) {
            (Ty::Int(_) | Ty::F32, Ty::Int(_) | Ty::F64) => {
                number_widens(self.ty(from), self.ty(to))
            }
            (number, Ty::Adt(id)) => becomes_scalar(&number) && self.cx.is_scalar(id),
            (_, Ty::Trait(id)) => {
                let (decl, args) = self.cx.instances().trait_of(id).clone();
                self.cx.implements_with(from, decl, &args)
            }
            (Ty::Option(a), Ty::Option(b)) => self.convertible(a, b),
            (_, Ty::Option(item)) => self.convertible(from, item),
            _ => false,
        }
    }

    /// `e` as a value of type `to`, or `e` back.
    pub(crate) fn try_coerce(&mut self, e: Expr, to: TyId) -> Result<Expr, Expr> {
        let (from, to) = (self.shallow(e.ty), self.shallow(to));
        if from == to || from == TyId::NEVER || from == TyId::ERROR {
            return Ok(e);
        }
        if to == TyId::ERROR {
            return Ok(self.bad(e.span));
        }
        let span = e.span;
        match (self.ty(from).clone(), self.ty(to).clone()) {
            (Ty::Infer(_), _) | (_, Ty::Infer(_)) => {
                let from = if self.is_lenient(&e) { from } else { e.ty };
                if self.unify(from, to) { Ok(e) } else { Err(e) }
            }
            (Ty::Option(a), Ty::Option(_)) => self.option_to_option(e, (from, a), to),
            (_, Ty::Option(item)) => match self.try_coerce(e, item) {
                Ok(e) => Ok(self.mk(ExprKind::Some(Box::new(e)), to, span)),
                Err(e) => Err(e),
            },
            // [condition convert.lenient_only]: an optional is not its payload, except one that says so.
            (Ty::Option(item), _) if self.is_lenient(&e) => {
                let payload = self.mk(
                    ExprKind::Unwrap(Box::new(e), UnwrapKind::Lenient),
                    item,
                    span,
                );
                match self.try_coerce(payload, to) {
                    Ok(e) => Ok(e),
                    // The mismatch is about the payload, so that is what the message names.
                    Err(e) => Err(e),
                }
            }
            (a @ (Ty::Int(_) | Ty::F32), b @ (Ty::Int(_) | Ty::F64)) => {
                if number_widens(&a, &b) {
                    if matches!(b, Ty::F64) {
                        self.float_of_division(&e, span);
                    }
                    return Ok(self.widened(e, to));
                }
                match (a, b) {
                    (Ty::Int(_), Ty::Int(int)) => self.narrowed(e, int, to),
                    _ => Err(e),
                }
            }
            (number, Ty::Adt(id)) if becomes_scalar(&number) && self.cx.is_scalar(id) => {
                Ok(self.scalar(e, id, to))
            }
            (_, Ty::Trait(id)) => self.as_object(e, from, (to, id)),
            (Ty::Trait(_), _) if self.shown_type(&e).is_some() => {
                let e = self.as_shown(e);
                self.try_coerce(e, to)
            }
            (Ty::Adt(_) | Ty::Trait(_) | Ty::Param(_), Ty::Fn(params, ret)) => {
                let method = ["call", "forward"]
                    .map(Symbol::intern)
                    .into_iter()
                    .find(|&name| self.has_method(from, name));
                match method {
                    Some(method) => Ok(self.as_function(e, method, &params, ret)),
                    None => Err(e),
                }
            }
            _ => {
                if self.could_unify(from, to) && self.unify(from, to) {
                    Ok(e)
                } else {
                    Err(e)
                }
            }
        }
    }

    /// An optional, whose payload is of type `a`, as another optional.
    fn option_to_option(
        &mut self,
        e: Expr,
        (from, a): (TyId, TyId),
        to: TyId,
    ) -> Result<Expr, Expr> {
        let span = e.span;
        if self.could_unify(from, to) && self.unify(from, to) {
            return Ok(e);
        }
        let Ty::Option(item) = self.ty(to).clone() else {
            return Err(e);
        };
        if let ExprKind::Some(inner) = e.kind {
            return match self.try_coerce(*inner, item) {
                Ok(inner) => Ok(self.mk(ExprKind::Some(Box::new(inner)), to, span)),
                Err(inner) => Err(self.mk(ExprKind::Some(Box::new(inner)), from, span)),
            };
        }
        if self.convertible(from, item) {
            return self
                .try_coerce(e, item)
                .map(|e| self.mk(ExprKind::Some(Box::new(e)), to, span));
        }
        if self.convertible(a, item) {
            return Ok(self.map_option(e, a, item, to));
        }
        Err(e)
    }

    /// A value as an object of a trait.
    fn as_object(&mut self, e: Expr, from: TyId, (to, id): (TyId, TraitId)) -> Result<Expr, Expr> {
        let span = e.span;
        let (decl, mut args) = self.cx.instances().trait_of(id).clone();
        let from = self.resolve(from);
        if self.cx.flags(to) & infer::HAS_INFER != 0 {
            self.learn_trait_args(from, decl, &args);
            args = args.iter().map(|&arg| self.resolve(arg)).collect();
        }
        if matches!(self.ty(from), Ty::Param(_)) && self.satisfies(from, decl) {
            return Ok(self.mk(ExprKind::Convert(Convert::ToTrait, Box::new(e)), to, span));
        }
        if matches!(self.ty(from), Ty::Trait(_)) && self.unify(from, to) {
            return Ok(e);
        }
        if self.cx.implements_with(from, decl, &args) {
            if self.cx.flags(from) & infer::HAS_INFER != 0 {
                // The impl may ask for more than what becomes of the open types.
                self.owe(from, duty::Duty::Bound(decl, args), span);
            }
            self.duties.add_object(from, to);
            return Ok(self.mk(ExprKind::Convert(Convert::ToTrait, Box::new(e)), to, span));
        }
        Err(e)
    }

    /// A number as `Scalar`, whose fields are an integer, a float and whether it is the float.
    fn scalar(&mut self, number: Expr, scalar: AdtId, ty: TyId) -> Expr {
        let span = number.span;
        // [condition convert.scalar_float]: an `f32` is a float.
        let is_float = matches!(self.kind(number.ty), Ty::F32 | Ty::F64);
        let (int, float) = match is_float {
            true => {
                let none = self.mk(ExprKind::Int(0), TyId::I64, span);
                (none, self.number(number, TyId::F64))
            }
            false => {
                let none = self.mk(ExprKind::Float(0.0), TyId::F64, span);
                (self.number(number, TyId::I64), none)
            }
        };
        let is_float = self.mk(ExprKind::Bool(is_float), TyId::BOOL, span);
        self.cx.ensure_adt(scalar);
        self.mk(ExprKind::New(scalar, vec![int, float, is_float]), ty, span)
    }

    /// An object that can be called, as a function.
    fn as_function(&mut self, e: Expr, method: Symbol, params: &[TyId], ret: TyId) -> Expr {
        let span = e.span;
        let frame = self.scopes.here();
        let object = self.temp(e.ty, span);
        let function = self.function_of(params, ret, span, |this, args, want| {
            let own = this.capture(frame, object);
            let receiver = method::Receiver::value(this.read(own, span));
            let name = simple_syntax::ast::Ident { name: method, span };
            this.method_on(receiver, name, &[], args, want, span)
        });
        let bound = Stmt {
            kind: StmtKind::Let(object, e),
            span,
        };
        let ty = function.ty;
        let kind = ExprKind::Block(vec![bound], Some(Box::new(function)));
        self.mk(kind, ty, span)
    }

    /// Whether two types could be made equal; binds nothing.
    pub(crate) fn could_unify(&mut self, a: TyId, b: TyId) -> bool {
        let (a, b) = (self.shallow(a), self.shallow(b));
        if a == b {
            return true;
        }
        let (x, y) = (self.ty(a).clone(), self.ty(b).clone());
        let heads = match (&x, &y) {
            (Ty::Infer(_) | Ty::Error, _) | (_, Ty::Infer(_) | Ty::Error) => return true,
            // [condition convert.tuple_length]: tuples of different length are different types.
            (Ty::Tuple(m), Ty::Tuple(n)) => m.len() == n.len(),
            // [condition convert.parameters]: and so are functions of different arity.
            (Ty::Fn(m, _), Ty::Fn(n, _)) => m.len() == n.len(),
            (Ty::Adt(m), Ty::Adt(n)) => self.cx.decl_of(*m) == self.cx.decl_of(*n),
            (Ty::Trait(m), Ty::Trait(n)) => {
                self.cx.instances().trait_of(*m).0 == self.cx.instances().trait_of(*n).0
            }
            (x, y) => {
                std::mem::discriminant(x) == std::mem::discriminant(y)
                    // [condition convert.int_head]: integers of different width are different types.
                    && !matches!(x, Ty::Int(_) | Ty::Param(_))
            }
        };
        let parts: Vec<(TyId, TyId)> = self.cx.parts(a).into_iter().zip(self.cx.parts(b)).collect();
        // [condition convert.parts]: and so are types with different parts.
        heads && parts.into_iter().all(|(a, b)| self.could_unify(a, b))
    }

    /// `T?` to `U?` where `T` converts to `U`.
    fn map_option(&mut self, e: Expr, from: TyId, to_item: TyId, to: TyId) -> Expr {
        let span = e.span;
        let payload = self.local("", from, Origin::Temp, span);
        let read = self.read(payload, span);
        let value = match self.try_coerce(read, to_item) {
            Ok(value) | Err(value) => value,
        };
        let some = self.mk(ExprKind::Some(Box::new(value)), to, span);
        let nil = self.mk(ExprKind::Nil, to, span);
        let pattern = Pattern::Some(Box::new(Pattern::Bind(payload)));
        let kind = ExprKind::If {
            cond: Box::new(Cond::Pattern(pattern, e)),
            then: Box::new(some),
            otherwise: Some(Box::new(nil)),
        };
        self.mk(kind, to, span)
    }

    /// A number as one of a wider type. What an `f64` may not have is looked at when the program runs.
    fn widened(&mut self, e: Expr, to: TyId) -> Expr {
        let loses = match (&e.kind, self.kind(e.ty)) {
            // [condition convert.exact_narrow]: an `f64` has every integer below 2^53,
            // [condition convert.exact_only_f64]: and no other conversion of them loses anything.
            (_, Ty::Int(int)) if int.bits < 64 || to != TyId::F64 => false,
            (ExprKind::Int(bits), Ty::Int(int)) => {
                let value = match int.signed {
                    true => i128::from(*bits),
                    // [condition convert.exact_unsigned]: the bits of a `u64` are not negative.
                    false => i128::from(*bits as u64),
                };
                // [condition convert.exact_constant]: a literal is looked at now.
                !compare::is_exact(value, to)
            }
            // [condition convert.exact_value]: anything else when the program runs.
            (_, Ty::Int(_)) => true,
            _ => false,
        };
        if !loses {
            return self.number(e, to);
        }
        let span = e.span;
        self.mk(ExprKind::Convert(Convert::Exact, Box::new(e)), to, span)
    }

    /// An integer as one of a type that may lack it: a literal is looked at now, anything else when the program runs.
    fn narrowed(&mut self, e: Expr, int: IntTy, to: TyId) -> Result<Expr, Expr> {
        let span = e.span;
        if let (ExprKind::Int(bits), Ty::Int(from)) = (&e.kind, self.kind(e.ty)) {
            let value = match from.signed {
                true => i128::from(*bits),
                false => i128::from(*bits as u64),
            };
            // [condition convert.narrowed_constant]: a constant that does not fit is a mistake before the run.
            return match fits(value, int) {
                true => Ok(self.number(e, to)),
                false => Err(e),
            };
        }
        Ok(self.mk(ExprKind::Convert(Convert::Checked, Box::new(e)), to, span))
    }

    /// A number converted to another number type; constants are converted here.
    pub(crate) fn number(&mut self, e: Expr, to: TyId) -> Expr {
        let span = e.span;
        if e.ty == to {
            return e;
        }
        match (&e.kind, self.ty(to)) {
            // [condition convert.u64_to_f64]: the bits of a `u64` are not negative.
            (ExprKind::Int(value), Ty::F64) if e.ty != TyId::U64 => {
                return self.mk(ExprKind::Float(*value as f64), to, span);
            }
            // [condition convert.u64_to_f32]: here neither.
            (ExprKind::Int(value), Ty::F32) if e.ty != TyId::U64 => {
                return self.mk(ExprKind::Float(*value as f32 as f64), to, span);
            }
            (ExprKind::Int(value), Ty::Int(int))
                // [condition convert.constant_fits]: what does not fit wraps, by the rule of `as`.
                // [condition convert.constant_of_u64]: the bits of a `u64` mean something else.
                if fits(*value as i128, *int) && e.ty != TyId::U64 =>
            {
                return self.mk(ExprKind::Int(*value), to, span);
            }
            (ExprKind::Float(value), Ty::F64) => {
                // A literal of f32 is the nearest that there is, not what was written.
                let value = match e.ty {
                    TyId::F32 => f64::from(*value as f32),
                    _ => *value,
                };
                return self.mk(ExprKind::Float(value), to, span);
            }
            _ => {}
        }
        self.mk(ExprKind::Convert(Convert::Number, Box::new(e)), to, span)
    }

    /// The payload of a lenient optional, anything else unchanged.
    pub(crate) fn unwrap_lenient(&mut self, e: Expr) -> Expr {
        let ty = self.shallow(e.ty);
        if let Ty::Option(item) = self.ty(ty).clone()
            && self.is_lenient(&e)
        {
            let span = e.span;
            let item = self.shallow(item);
            return self.mk(
                ExprKind::Unwrap(Box::new(e), UnwrapKind::Lenient),
                item,
                span,
            );
        }
        self.as_shown(e)
    }

    /// Whether a value is an optional that may be used as its payload (`doc/language/options_and_results.md`).
    pub(crate) fn is_lenient(&self, e: &Expr) -> bool {
        match &e.kind {
            // [condition convert.lenient_local]: a variable is lenient if its value was.
            ExprKind::Local(id) if self.meta(*id).lenient => true,
            // [condition convert.lenient_global]: the same at the top level.
            ExprKind::Global(id) if self.cx.global(*id).lenient => true,
            // [condition convert.lenient_present]: a test has shown that it is there.
            ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::Field(..) => self.is_shown(e),
            ExprKind::Intrinsic(Intrinsic::ArrayGet | Intrinsic::DictGet, _) => true,
            // [condition convert.lenient_update]: what an update takes out may be absent, and is used as if it were not.
            ExprKind::Update(Update::Pop | Update::DictRemove, ..) => true,
            ExprKind::Call(func, _) | ExprKind::CallInout(func, ..) => {
                // [condition convert.lenient_call]: a function says whether its result is.
                self.called(*func).is_some_and(|info| info.lenient)
            }
            ExprKind::Let(_, _, body) => self.is_lenient(body),
            ExprKind::Block(_, Some(tail)) => self.is_lenient(tail),
            _ => false,
        }
    }
}

/// Whether every value of an integer type is one of another.
pub(crate) fn fits(value: i128, int: IntTy) -> bool {
    let (lo, hi) = bounds(int);
    (lo..=hi).contains(&value)
}

/// Least and greatest value.
pub(crate) fn bounds(int: IntTy) -> (i128, i128) {
    if int.signed {
        (-(1i128 << (int.bits - 1)), (1i128 << (int.bits - 1)) - 1)
    } else {
        (0, (1i128 << int.bits) - 1)
    }
}

/// Whether a value of a type may be written where a `Scalar` is wanted: a float, or an integer that an `i64` holds.
fn becomes_scalar(ty: &Ty) -> bool {
    let i64 = Ty::Int(IntTy {
        bits: 64,
        signed: true,
    });
    *ty == i64
        || matches!(ty, Ty::F32 | Ty::F64)
        // [condition convert.scalar]: an `i64` lacks half of a `u64`.
        || matches!(ty, Ty::Int(_)) && number_widens(ty, &i64)
}

/// Whether numbers of one type convert implicitly to another.
pub(crate) fn number_widens(from: &Ty, to: &Ty) -> bool {
    match (from, to) {
        (Ty::Int(a), Ty::Int(b)) => {
            // [condition convert.same_sign]: a negative number does not fit an unsigned type.
            // [condition convert.narrower]: a narrower type lacks values.
            // [condition convert.unsigned_into_signed]: a signed type of the same width lacks half of them.
            // [condition convert.into_unsigned]: an unsigned type lacks the negative ones.
            (a.signed == b.signed && a.bits <= b.bits) || (!a.signed && b.signed && a.bits < b.bits)
        }
        // [condition convert.f64_only]: an `f32` has 24 bits, fewer than most integers.
        (Ty::Int(_) | Ty::F32, Ty::F64) => true,
        _ => false,
    }
}
