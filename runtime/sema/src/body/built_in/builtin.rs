//! Built-in functions (`doc/language/library.md`) as far as intrinsics reach; the prelude has the rest.

use super::args::{Given, GivenValue};
use super::convert::Why;
use super::*;
use crate::codes;
use crate::counts::{counted, given_count};
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast::Ident;

/// Names of built-in functions, for hints.
pub(crate) const NAMES: &[&str] = &[
    "print",
    "println",
    "eprint",
    "eprintln",
    "print_raw",
    "len",
    "str",
    "to_string",
    "int",
    "float",
    "abs",
    "min",
    "max",
    "sqrt",
    "floor",
    "ceil",
    "round",
    "panic",
    "exit",
    "type_of",
    "hash",
    "fields_of",
    "size_of",
    "align_of",
    "last_error",
    "Some",
    "None",
    "Ok",
    "Err",
];

/// The named argument of `print` by which it writes at once.
const FLUSH: &str = "flush";

/// A constant of a built-in number type: `i32.MAX`, `u8.BITS`, `f64.INFINITY`.
pub(crate) fn type_constant(number: &Ty, name: &str) -> Option<ExprKind> {
    Some(match (number, name) {
        (Ty::Int(int), "BITS" | "bits") => ExprKind::Int(int.bits.into()),
        (Ty::Int(int), "MAX" | "max") => ExprKind::Int(convert::bounds(*int).1 as i64),
        (Ty::Int(int), "MIN" | "min") => ExprKind::Int(convert::bounds(*int).0 as i64),
        (Ty::F32 | Ty::F64, "INFINITY" | "inf") => ExprKind::Float(f64::INFINITY),
        (Ty::F32 | Ty::F64, "NAN" | "nan") => ExprKind::Float(f64::NAN),
        (Ty::F64, "MAX" | "max") => ExprKind::Float(f64::MAX),
        (Ty::F64, "MIN" | "min") => ExprKind::Float(f64::MIN),
        (Ty::F64, "EPSILON" | "epsilon") => ExprKind::Float(f64::EPSILON),
        (Ty::F32, "MAX" | "max") => ExprKind::Float(f32::MAX.into()),
        (Ty::F32, "MIN" | "min") => ExprKind::Float(f32::MIN.into()),
        (Ty::F32, "EPSILON" | "epsilon") => ExprKind::Float(f32::EPSILON.into()),
        _ => return None,
    })
}

impl<'c, 'a> Body<'c, 'a> {
    /// A call of a built-in function; gives the arguments back if the name is not one.
    pub(crate) fn builtin(
        &mut self,
        name: Ident,
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Result<Expr, Vec<Given<'a>>> {
        let text = name.name.as_str();
        let flushes = |arg: &Given<'_>| arg.label.is_some_and(|label| label.name.as_str() == FLUSH);
        if matches!(text, "print" | "println" | "print_raw") && args.iter().any(flushes) {
            let (mut asked, rest): (Vec<_>, Vec<_>) = args.into_iter().partition(flushes);
            if let Some(again) = asked.get(1) {
                let message = "`flush` is given twice";
                self.cx.error(codes::ARG_LABEL, again.span, message);
            }
            let printed = self.builtin(name, rest, want, span)?;
            return Ok(self.flushed(printed, asked.remove(0), span));
        }
        match text {
            "print" | "println" | "eprint" | "eprintln" => {
                return Ok(self.print_call(text, args, span));
            }
            // Without its type: `call_name` has seen to those that write one.
            fields::NAME => return Ok(self.fields_of(&[], args, span)),
            _ => {}
        }
        let count = match text {
            "thread_pack" | "thread_unpack" if self.may_pack() => 1,
            "thread_start" if self.may_pack() => 2,
            "last_error" => 0,
            "print_raw" | "len" | "str" | "to_string" | "int" | "float" | "abs" | "sqrt"
            | "floor" | "ceil" | "round" | "panic" | "exit" | "type_of" | "hash" => 1,
            "min" | "max" => 2,
            _ => return Err(args),
        };
        if !self.takes_arguments(text, count, &args, span) {
            return Ok(self.bad(span));
        }
        let mut args = args.into_iter();
        Ok(match text {
            "last_error" => {
                self.cx.output_mut().keep_errno();
                let ask = ExprKind::Intrinsic(Intrinsic::LastError, Vec::new());
                self.mk(ask, TyId::I64, span)
            }
            "thread_pack" | "thread_unpack" | "thread_start" => {
                self.thread_builtin(text, args.collect(), want, span)
            }
            "print_raw" => {
                let value = args.next().and_then(|arg| self.printed(arg));
                let Some(value) = value else {
                    return Ok(self.bad(span));
                };
                self.mk(
                    ExprKind::Intrinsic(Intrinsic::PrintRaw, vec![value]),
                    TyId::UNIT,
                    span,
                )
            }
            "str" | "to_string" => match args.next().and_then(|arg| self.printed(arg)) {
                Some(value) => value,
                None => self.bad(span),
            },
            "panic" => self.panic_call(args.next(), span),
            "exit" => self.exit_call(args.next(), span),
            "type_of" => self.type_of(args.next(), span),
            "hash" => {
                let Some(value) = self.plain(args.next()) else {
                    return Ok(self.bad(span));
                };
                self.mk(
                    ExprKind::Intrinsic(Intrinsic::Hash, vec![value]),
                    TyId::I64,
                    span,
                )
            }
            "min" | "max" => {
                let (a, b) = match (args.next().map(|a| a.value), args.next().map(|a| a.value)) {
                    (Some(GivenValue::Ast(a)), Some(GivenValue::Ast(b))) => {
                        self.operands(a, b, want)
                    }
                    (Some(GivenValue::Typed(Some(a))), Some(GivenValue::Typed(Some(b)))) => (a, b),
                    _ => return Ok(self.not_callable(&name.name, span)),
                };
                self.smaller_or_larger(text, a, b, span)
            }
            _ => {
                let hinted = matches!(text, "abs");
                let value = match args.next().map(|a| a.value) {
                    Some(GivenValue::Ast(e)) => {
                        let value = self.expr(e, if hinted { want } else { Want::Any });
                        self.unwrap_lenient(value)
                    }
                    Some(GivenValue::Typed(Some(value))) => value,
                    _ => return Ok(self.not_callable(&name.name, span)),
                };
                self.unary_builtin(text, value, want, span)
            }
        })
    }

    fn may_pack(&self) -> bool {
        self.cx.may_pack(self.scopes.types().module)
    }

    /// What `std.thread` is made of: a parcel of a list, the list of a parcel, a thread.
    fn thread_builtin(&mut self, name: &str, args: Vec<Given<'a>>, want: Want, span: Span) -> Expr {
        let mut args = args.into_iter();
        // What a class does to go to another thread is not yet a use of threads.
        if self.cx.is_thread_module(self.scopes.types().module) {
            self.cx.output_mut().use_threads();
        }
        let (intrinsic, values, ty) = match name {
            "thread_pack" => match self.plain(args.next()) {
                Some(list) => (Intrinsic::Pack, vec![list], TyId::I64),
                None => return self.bad(span),
            },
            "thread_unpack" => {
                let parcel = self.one_arg(args.next(), TyId::I64);
                let Some(list) = self.hint(want) else {
                    self.undetermined_here(span);
                    return self.bad(span);
                };
                (Intrinsic::Unpack, vec![parcel], list)
            }
            _ => {
                let task = self.one_arg(args.next(), TyId::I64);
                let parcel = self.one_arg(args.next(), TyId::I64);
                (Intrinsic::StartThread, vec![task, parcel], TyId::UNIT)
            }
        };
        self.mk(ExprKind::Intrinsic(intrinsic, values), ty, span)
    }

    /// `panic(message)`.
    fn panic_call(&mut self, arg: Option<Given<'a>>, span: Span) -> Expr {
        let message = match arg {
            Some(arg) => match self.printed(arg) {
                Some(value) => value,
                None => return self.bad(span),
            },
            None => self.mk(ExprKind::Text("panic".into()), TyId::TEXT, span),
        };
        self.mk(
            ExprKind::Intrinsic(Intrinsic::Panic, vec![message]),
            TyId::NEVER,
            span,
        )
    }

    /// `exit(code)`.
    fn exit_call(&mut self, arg: Option<Given<'a>>, span: Span) -> Expr {
        let code = match arg {
            Some(arg) => self.one_arg(Some(arg), TyId::I64),
            None => self.mk(ExprKind::Int(0), TyId::I64, span),
        };
        self.mk(
            ExprKind::Intrinsic(Intrinsic::Exit, vec![code]),
            TyId::NEVER,
            span,
        )
    }

    /// `type_of(value)`: the name of its type.
    fn type_of(&mut self, arg: Option<Given<'a>>, span: Span) -> Expr {
        let from = self.table.count();
        let Some(value) = self.plain(arg) else {
            return self.bad(span);
        };
        let Some(ty) = self.wholly_known(value.ty, from, value.span) else {
            return self.bad(span);
        };
        let ty = self.show(ty);
        let text = self.mk(ExprKind::Text(ty), TyId::TEXT, span);
        self.then(value, text, span)
    }

    /// `print a, b`, and the like for the error output.
    fn print_call(&mut self, name: &str, args: Vec<Given<'a>>, span: Span) -> Expr {
        let intrinsic = match name {
            "print" | "println" => Intrinsic::Print,
            _ => Intrinsic::Eprint,
        };
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            if let Some(label) = arg.label {
                let message = format!("`{name}` has no named arguments");
                let d = Diagnostic::error(codes::ARG_LABEL, label.span, message).help(match label.name.as_str() {
                    "sep" => "write the separator into one text: `print \"{a}, {b}\"`, or join a list: `xs.join(\", \")`",
                    FLUSH => "leave it out: what `eprint` prints is written at once",
                    "file" => "`eprint` writes to the error output",
                    _ => "`print_raw` prints without a line break",
                });
                self.cx.report(d);
            }
            if let Some(value) = self.printed(arg) {
                values.push(value);
            }
        }
        self.printed_quotients(&values);
        self.mk(ExprKind::Intrinsic(intrinsic, values), TyId::UNIT, span)
    }

    /// Whether a built-in function takes these arguments; reports why not.
    fn takes_arguments(
        &mut self,
        name: &str,
        count: usize,
        args: &[Given<'a>],
        span: Span,
    ) -> bool {
        let optional = matches!(name, "panic" | "exit") && args.is_empty();
        let plain = args.iter().all(|a| a.label.is_none() && !a.spread);
        if plain && (args.len() == count || optional) {
            return true;
        }
        if args.len() == count {
            let at = args.iter().find_map(|a| a.label.map(|l| l.span));
            let message = format!("`{name}` has no named arguments");
            self.cx.error(codes::ARG_LABEL, at.unwrap_or(span), message);
            return false;
        }
        let message = format!(
            "`{name}` takes {}, but {}",
            counted(count, "argument"),
            given_count(args.len())
        );
        let mut d = Diagnostic::error(codes::ARG_COUNT, span, message);
        if matches!(name, "min" | "max") {
            d = d.help(format!(
                "of several values: `[a, b, c].{name}()`, `xs.{name}()`"
            ));
        }
        self.cx.report(d);
        false
    }

    /// `min(a, b)` and `max(a, b)`.
    fn smaller_or_larger(&mut self, name: &str, a: Expr, b: Expr, span: Span) -> Expr {
        let (x, y) = (self.shallow(a.ty), self.shallow(b.ty));
        let number = |ty: TyId, types: &Self| {
            matches!(types.ty(ty), Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Error)
        };
        if self.is_ordered(x) && self.could_unify(x, y) && self.unify(x, y) {
            // The smaller or larger of two values that are compared with `<`: as of an array of both.
            let array = self.intern(Ty::Array(x));
            let both = self.mk(ExprKind::Array(vec![a, b]), array, span);
            let method = Ident {
                name: Symbol::intern(name),
                span,
            };
            let receiver = method::Receiver::value(both);
            let found = self.method_on(receiver, method, &[], Vec::new(), Want::Any, span);
            return self.unwrap_lenient(found);
        }
        if !number(x, self) || !number(y, self) {
            return self.bad_operand(name, &a, Some(&b), span);
        }
        let Some((a, b)) = self.promote(a, b) else {
            if x != TyId::ERROR && y != TyId::ERROR {
                let (x, y) = (self.show(x), self.show(y));
                let message = format!("`{x}` and `{y}` have no common type");
                self.cx.error(codes::BAD_OPERAND, span, message);
            }
            return self.bad(span);
        };
        let intrinsic = match name {
            "min" => Intrinsic::Min,
            _ => Intrinsic::Max,
        };
        let ty = self.shallow(a.ty);
        self.mk(ExprKind::Intrinsic(intrinsic, vec![a, b]), ty, span)
    }

    fn unary_builtin(&mut self, name: &str, value: Expr, want: Want, span: Span) -> Expr {
        let ty = self.shallow(value.ty);
        let float = matches!(self.ty(ty), Ty::F32 | Ty::F64);
        let integer = matches!(self.ty(ty), Ty::Int(_));
        if ty == TyId::ERROR {
            return value;
        }
        let intrinsic = match name {
            "sqrt" if integer => {
                let value = self.number(value, TyId::F64);
                return self.mk(
                    ExprKind::Intrinsic(Intrinsic::Sqrt, vec![value]),
                    TyId::F64,
                    span,
                );
            }
            "sqrt" if float => Some(Intrinsic::Sqrt),
            "abs" if integer || float => Some(Intrinsic::Abs),
            "floor" if float => Some(Intrinsic::Floor),
            "ceil" if float => Some(Intrinsic::Ceil),
            "floor" | "ceil" | "round" if integer => return self.number(value, TyId::F64),
            "int" | "float" if integer || float => {
                let to = if name == "int" { TyId::I64 } else { TyId::F64 };
                return if ty == to {
                    value
                } else {
                    self.mk(
                        ExprKind::Convert(Convert::Number, Box::new(value)),
                        to,
                        span,
                    )
                };
            }
            "int" if ty == TyId::BOOL => {
                return self.mk(
                    ExprKind::Convert(Convert::Number, Box::new(value)),
                    TyId::I64,
                    span,
                );
            }
            "int" | "float"
                if matches!(
                    self.ty(ty),
                    Ty::Array(_)
                        | Ty::Dict(..)
                        | Ty::Set(_)
                        | Ty::Tuple(_)
                        | Ty::Option(_)
                        | Ty::Result(..)
                        | Ty::Fn(..)
                        | Ty::Range
                        | Ty::Unit
                ) =>
            {
                let found = self.show(ty);
                let d = Diagnostic::error(
                    codes::BAD_OPERAND,
                    value.span,
                    format!("`{name}` does not convert `{found}` to a number"),
                )
                .found_expected(found, "a number or a text");
                let d = match self.kind(ty) {
                    Ty::Option(_) => d.help(format!(
                        "it may be absent: give a default, `{name}(x ?? \"\")`, or take it with `!`"
                    )),
                    _ => d,
                };
                self.cx.report(d);
                return self.bad(span);
            }
            _ => None,
        };
        if let Some(intrinsic) = intrinsic {
            return self.mk(ExprKind::Intrinsic(intrinsic, vec![value]), ty, span);
        }
        // `len(x)` is `x.len()`, `round(x)` is `x.round()`, `int(x)` is `x.to_int()`, which texts have under another name.
        let method = match name {
            "int" if matches!(self.kind(ty), Ty::Text) => "int_prefix",
            "int" => "to_int",
            "float" => "to_float",
            name => name,
        };
        let ident = Ident {
            name: Symbol::intern(method),
            span,
        };
        self.method_on(
            method::Receiver::value(value),
            ident,
            &[],
            Vec::new(),
            want,
            span,
        )
    }

    /// An argument of any type that is not printed: a lenient optional stays optional.
    fn plain(&mut self, arg: Option<Given<'a>>) -> Option<Expr> {
        match arg?.value {
            GivenValue::Ast(e) => Some(self.expr(e, Want::Any)),
            GivenValue::Typed(value) => value,
            GivenValue::Block(_) => None,
        }
    }

    /// A built-in function as a value: a function of the expected type that calls it.
    pub(crate) fn builtin_value(&mut self, name: Ident, want: Want) -> Expr {
        let span = name.span;
        let expected = self.hint(want).and_then(|ty| match self.kind(ty) {
            Ty::Fn(params, ret) => Some((params, ret)),
            _ => None,
        });
        let Some((params, ret)) = expected else {
            let d = Diagnostic::error(
                codes::UNDETERMINED,
                span,
                format!(
                    "`{}` takes values of many types; which ones is not known here",
                    name.name
                ),
            )
            .help(format!(
                "write a lambda with a typed parameter: `\\(x: T): {}(x)`",
                name.name
            ));
            self.cx.report(d);
            return self.bad(span);
        };
        self.function_of(&params, ret, span, |this, args, want| {
            let text = name.name.as_str();
            if matches!(text, "Some" | "Ok" | "Err") {
                return this.wrap(text, args, want, span);
            }
            match this.builtin(name, args, want, span) {
                Ok(value) => value,
                Err(_) => this.not_callable(&name.name, span),
            }
        })
    }

    /// What `printed` does, and then that everything printed is written if the argument says so.
    fn flushed(&mut self, printed: Expr, asked: Given<'a>, span: Span) -> Expr {
        let asked = match asked.value {
            GivenValue::Ast(e) => {
                let value = self.argument(e, TyId::BOOL);
                self.coerce(value, TyId::BOOL, Why::Argument(FLUSH))
            }
            _ => self.one_arg(Some(asked), TyId::BOOL),
        };
        let name = Symbol::intern("flush_output");
        let Some(flush) = self.cx.library_function(&["std", "prelude"], name) else {
            return printed;
        };
        let args = vec![Given::typed(asked)];
        let flush = self.call_fn(flush, &[], None, &[], args, Want::Any, span);
        self.then(printed, flush, span)
    }

    /// An argument's printed form.
    fn printed(&mut self, arg: Given<'a>) -> Option<Expr> {
        if arg.spread {
            let d = Diagnostic::error(
                codes::ARG_COUNT,
                arg.span,
                "an array spreads only into a `...` parameter of a declared function",
            )
            .help("join the elements: `xs.join(\" \")`");
            self.cx.report(d);
            return None;
        }
        let value = match arg.value {
            GivenValue::Ast(e) => self.expr(e, Want::Any),
            GivenValue::Typed(value) => value?,
            GivenValue::Block(block) => {
                let message = "a built-in function takes no block";
                self.cx.error(codes::ARG_COUNT, block.span, message);
                return None;
            }
        };
        self.printed_value(value)
    }

    /// The printed form of a value; reports one that has none.
    pub(crate) fn printed_value(&mut self, value: Expr) -> Option<Expr> {
        let value = self.printed_by_bound(value);
        match self.shallow(value.ty) {
            TyId::TEXT => Some(value),
            TyId::UNIT if matches!(value.kind, ExprKind::Unit) => {
                Some(self.mk(ExprKind::Text("()".into()), TyId::TEXT, value.span))
            }
            TyId::UNIT if self.lacks_value(&value) => {
                self.no_value(&value);
                None
            }
            TyId::ERROR => None,
            TyId::NEVER => Some(value),
            _ => {
                let span = value.span;
                Some(self.mk(ExprKind::ToText(Box::new(value)), TyId::TEXT, span))
            }
        }
    }

    /// Two operands of which a literal takes the other's type.
    pub(crate) fn operands(
        &mut self,
        a: &'a simple_syntax::ast::Expr,
        b: &'a simple_syntax::ast::Expr,
        want: Want,
    ) -> (Expr, Expr) {
        let (a_free, b_free) = (ops::is_untyped(a), ops::is_untyped(b));
        let outer = match self.hint(want) {
            Some(ty)
                if matches!(
                    self.kind(ty),
                    Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Array(_) | Ty::Text
                ) =>
            {
                want
            }
            _ => Want::Any,
        };
        let (a, b) = match (a_free, b_free) {
            (true, false) => {
                let b = self.expr(b, outer);
                let b = self.unwrap_lenient(b);
                let a = self.expr(a, numeric_want(self, &b));
                (a, b)
            }
            (false, true) => {
                let a = self.expr(a, outer);
                let a = self.unwrap_lenient(a);
                let b = self.expr(b, numeric_want(self, &a));
                (a, b)
            }
            (true, true) => (self.expr(a, outer), self.expr(b, outer)),
            (false, false) => {
                // A list of objects is made of what is written, in each of the joined lists.
                let objects = match self.hint(outer).map(|ty| self.kind(ty)) {
                    Some(Ty::Array(item)) => matches!(self.kind(item), Ty::Trait(_)),
                    _ => false,
                };
                let a = self.expr(a, if objects { outer } else { Want::Any });
                let a = self.unwrap_lenient(a);
                let hint = match self.kind(a.ty) {
                    Ty::Adt(_)
                    | Ty::Array(_)
                    | Ty::Option(_)
                    | Ty::Dict(..)
                    | Ty::Set(_)
                    | Ty::Tuple(_) => Want::Like(a.ty),
                    _ => Want::Any,
                };
                (a, self.expr(b, hint))
            }
        };
        let _ = Why::Operand;
        (self.unwrap_lenient(a), self.unwrap_lenient(b))
    }

    /// Whether values of a type that is not a number have an order of which `min` and `max` may make use.
    fn is_ordered(&mut self, ty: TyId) -> bool {
        match self.kind(ty) {
            Ty::Text | Ty::Tuple(_) | Ty::Array(_) => true,
            Ty::Adt(_) => self.has_method(ty, Symbol::intern("compare")),
            _ => false,
        }
    }
}

fn numeric_want(body: &Body<'_, '_>, other: &Expr) -> Want {
    let ty = body.shallow(other.ty);
    match body.ty(ty) {
        Ty::Int(_) | Ty::F32 | Ty::F64 => Want::Like(ty),
        _ => Want::Any,
    }
}
