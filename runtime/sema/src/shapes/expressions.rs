//! The walk over expressions: what is known about a value. What calls yield is in `callee.rs`, what fields hold in `fields.rs`.

use super::callee::Arg;
use super::dim::Dim;
use super::fact::Fact;
use super::flow::{Flow, tail};
use super::statements::join;
use super::unify::Store;
use crate::state::Reporting;
use crate::typed::*;
use simple_syntax::{Span, Symbol};

impl<'x, 'a> Flow<'x, 'a> {
    pub(super) fn args(&mut self, args: &[Expr]) -> Vec<Arg> {
        args.iter()
            .map(|arg| {
                let fact = self.expr(arg);
                Arg {
                    fact,
                    span: arg.span,
                    elements: match &tail(arg).kind {
                        ExprKind::Array(items) | ExprKind::Tuple(items) => {
                            items.iter().map(|item| item.span).collect()
                        }
                        _ => Vec::new(),
                    },
                }
            })
            .collect()
    }

    pub(super) fn exprs<'e>(&mut self, all: impl IntoIterator<Item = &'e Expr>) -> Fact {
        for e in all {
            self.expr(e);
        }
        Fact::Unknown
    }

    /// Walks an expression; what is known about its value.
    pub(super) fn expr(&mut self, e: &Expr) -> Fact {
        let fact = match self.known(e) {
            Fact::Unknown => match self.cx.types().get(e.ty) {
                Ty::F32 | Ty::F64 | Ty::Bool | Ty::Int(_) => Fact::Number,
                _ => Fact::Unknown,
            },
            fact => fact,
        };
        self.show(e.span, &fact);
        fact
    }

    /// Keeps the shape of a tensor for an editor, if that wants it.
    pub(super) fn show(&mut self, span: Span, fact: &Fact) {
        let Fact::Tensor(shape) = fact else { return };
        if !self.cx.output_mut().shapes_mut().wants_shown || !self.reports_mut().is_aloud() {
            return;
        }
        let text = Store::default().show(shape);
        // Of a tensor of any rank nothing is known.
        let text = if text == "[...]" { String::new() } else { text };
        self.cx.output_mut().shapes_mut().shown.push((span, text));
    }

    pub(super) fn known(&mut self, e: &Expr) -> Fact {
        match &e.kind {
            ExprKind::Unit | ExprKind::Text(_) | ExprKind::Break | ExprKind::Continue => {
                Fact::Unknown
            }
            ExprKind::Nil => Fact::Nil,
            ExprKind::Bool(value) => Fact::Bool(*value),
            // [condition shapes.unsigned]: a number above those of i64 is kept as its bits, which do not divide as it does.
            ExprKind::Int(value) if *value < 0 && e.ty == TyId::U64 => Fact::Unknown,
            ExprKind::Int(value) => Fact::int(*value),
            ExprKind::Float(_) => Fact::Number,
            ExprKind::Local(local) => self.frame.locals[local.0 as usize].clone(),
            ExprKind::Global(global) => self.globals.get(global).cloned().unwrap_or(Fact::Unknown),
            ExprKind::Closure(func, captures) => self.closure(*func, captures),
            ExprKind::Block(stmts, value) => self.block(stmts, value.as_deref()),
            ExprKind::If {
                cond,
                then,
                otherwise,
            } => {
                self.cond(cond);
                let before = self.frame.locals.clone();
                let mut ends = Vec::new();
                let first = self.branch(&before, &mut ends, then);
                let Some(otherwise) = otherwise else {
                    // [condition shapes.no_else]: without an `else`, the branch may not run.
                    ends.push(before.clone());
                    self.joined(before, ends);
                    return Fact::Unknown;
                };
                let second = self.branch(&before, &mut ends, otherwise);
                self.joined(before, ends);
                match (then.ty, otherwise.ty) {
                    (TyId::NEVER, _) => second,
                    (_, TyId::NEVER) => first,
                    // [condition shapes.both_branches]: either branch may yield the value.
                    _ => first.join(&second),
                }
            }
            ExprKind::Match { scrutinee, arms } => {
                let value = self.expr(scrutinee);
                let before = self.frame.locals.clone();
                let mut ends = Vec::new();
                let mut result: Option<Fact> = None;
                for arm in arms {
                    self.frame.locals.clone_from(&before);
                    self.pattern(&arm.pattern, &value);
                    if let Some(guard) = &arm.guard {
                        self.expr(guard);
                    }
                    let start = std::mem::take(&mut self.frame.locals);
                    let fact = self.branch(&start, &mut ends, &arm.body);
                    if arm.body.ty != TyId::NEVER {
                        // [condition shapes.every_arm]: any arm may yield the value.
                        result = Some(result.map_or(fact.clone(), |known| known.join(&fact)));
                    }
                }
                self.joined(before, ends);
                result.unwrap_or(Fact::Unknown)
            }
            ExprKind::Arith(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                arith(*op, &a, &b)
            }
            ExprKind::Neg(a) => match self.expr(a) {
                Fact::Int(dim) => Fact::Int(dim.neg()),
                _ => Fact::Unknown,
            },
            ExprKind::Bits(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::Range(a, b, _) => {
                self.exprs([&**a, b])
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.expr(a);
                self.sometimes(b);
                Fact::Unknown
            }
            ExprKind::Coalesce(a, b) => {
                let first = self.expr(a);
                let second = self.sometimes(b);
                match first {
                    Fact::Nil => second,
                    _ => Fact::Unknown,
                }
            }
            ExprKind::Concat(a, b) => match (self.expr(a), self.expr(b)) {
                (Fact::List(a), Fact::List(b)) => {
                    Fact::List(a.iter().chain(b.iter()).cloned().collect())
                }
                _ => Fact::Unknown,
            },
            ExprKind::Convert(convert, a) => {
                let fact = self.expr(a);
                let int = matches!(self.cx.types().get(e.ty), Ty::Int(_));
                match (convert, fact) {
                    (Convert::ToTrait, fact) => self.or_of_type(fact, a.ty),
                    // [condition shapes.own_width]: other widths may not hold the value.
                    (Convert::Number, fact @ Fact::Int(_)) if e.ty == TyId::I64 => fact,
                    (Convert::Number | Convert::Exact, _) if !int => Fact::Number,
                    _ => Fact::Unknown,
                }
            }
            ExprKind::Some(a) | ExprKind::Unwrap(a, _) => self.expr(a),
            ExprKind::BitNot(a)
            | ExprKind::Not(a)
            | ExprKind::ToText(a)
            | ExprKind::Ok(a)
            | ExprKind::Err(a)
            | ExprKind::IsPresent(a)
            | ExprKind::IsType(a, _)
            | ExprKind::Downcast(a)
            | ExprKind::Try(a) => self.exprs([&**a]),
            ExprKind::Interpolate(parts) => {
                for value in parts.iter().flat_map(TextPart::exprs) {
                    self.expr(value);
                }
                Fact::Unknown
            }
            ExprKind::Call(func, args) => {
                let args = self.args(args);
                self.called(*func, &args, e)
            }
            ExprKind::CallInout(_, place, args) => {
                self.place(place);
                self.args(args);
                // [condition shapes.methods_that_change]: a method may change its place.
                self.assign(place, Fact::Unknown, e.span);
                Fact::Unknown
            }
            ExprKind::FuncRef(func) => {
                if let Some(number) = self.cx.instances().of_func(*func) {
                    // [condition shapes.function_values]: a function that is a value may be called from anywhere.
                    self.proof.escapes(self.cx.instances()[number].fn_idx);
                }
                Fact::Unknown
            }
            ExprKind::CallValue(callee, args) => {
                let args = self.args(args);
                match callee.kind {
                    ExprKind::FuncRef(func) => self.called(func, &args, e),
                    _ => {
                        self.expr(callee);
                        Fact::Unknown
                    }
                }
            }
            ExprKind::CallTrait(id, method, object, args) => {
                let mut all = self.args(std::slice::from_ref(&**object));
                all.extend(self.args(args));
                match self
                    .cx
                    .instances()
                    .object_methods(*id)
                    .get(*method as usize)
                {
                    Some(&fn_idx) => self.call(fn_idx, &all, e.ty, e.span),
                    None => Fact::Unknown,
                }
            }
            ExprKind::CallTraitInout(_, _, place, args) | ExprKind::Update(_, place, args) => {
                self.place(place);
                self.exprs(args);
                // [condition shapes.updates]: `pop`, `push` and other updates change the list.
                self.assign(place, Fact::Unknown, e.span);
                Fact::Unknown
            }
            ExprKind::Intrinsic(intrinsic, args) => self.intrinsic(*intrinsic, args),
            ExprKind::CallExtern(_, args) | ExprKind::Set(args) | ExprKind::Variant(_, _, args) => {
                self.exprs(args)
            }
            ExprKind::New(adt, args) => {
                let places: Vec<Span> = args.iter().map(|arg| tail(arg).span).collect();
                let args = self.args(args);
                self.fields_fit(*adt, &places, &args);
                self.collect_fields(*adt, &args);
                let decl = self.cx.decl_of(*adt);
                let names: Vec<Symbol> = self.cx.types().adts[adt.0 as usize]
                    .fields
                    .iter()
                    .filter_map(|field| field.name)
                    .collect();
                let made = self.new_layer(decl, &names, &args);
                self.or_of_type(made, e.ty)
            }
            ExprKind::Tuple(items) | ExprKind::Array(items) => {
                Fact::List(items.iter().map(|item| self.expr(item)).collect())
            }
            ExprKind::Dict(pairs) => self.exprs(pairs.iter().flat_map(|(key, value)| [key, value])),
            ExprKind::Field(a, number) => self.field(a, *number),
            ExprKind::Index(a, index) => match (self.expr(a), self.expr(index).known_int()) {
                (Fact::List(items), Some(at)) => {
                    // [condition shapes.index]: counted from the end.
                    let at = if at < 0 { at + items.len() as i64 } else { at };
                    let item = usize::try_from(at).ok().and_then(|at| items.get(at));
                    item.cloned().unwrap_or(Fact::Unknown)
                }
                _ => Fact::Unknown,
            },
            ExprKind::TryCatch { body, handler, .. } => {
                let before = self.frame.locals.clone();
                let first = self.expr(body);
                // [condition shapes.errors_anywhere]: the error may have come at any point of the body.
                for at in 0..self.frame.locals.len() {
                    if self.frame.mutable[at] {
                        self.frame.locals[at] = Fact::Unknown;
                    }
                }
                let after = self.frame.locals.clone();
                let second = self.expr(handler);
                // [condition shapes.after_catch]: either the body or the handler has run to its end.
                self.frame.locals = join(&after, &before);
                if handler.ty == TyId::NEVER {
                    first
                } else {
                    // [condition shapes.caught]: the handler may yield the value.
                    first.join(&second)
                }
            }
            ExprKind::Let(local, value, body) => {
                let fact = self.expr(value);
                self.bind(*local, fact, value.span);
                self.expr(body)
            }
            ExprKind::Return(value) => {
                if let Some(value) = value {
                    let fact = self.expr(value);
                    self.returned(&fact, tail(value).span);
                }
                Fact::Unknown
            }
        }
    }

    /// Walks what is not always evaluated.
    pub(super) fn sometimes(&mut self, e: &Expr) -> Fact {
        let before = self.frame.locals.clone();
        let fact = self.expr(e);
        // [condition shapes.sometimes]: it may not be evaluated at all.
        self.frame.locals = join(&before, &self.frame.locals);
        fact
    }

    pub(super) fn or_of_type(&mut self, fact: Fact, ty: TyId) -> Fact {
        match (fact, self.frame.module) {
            (Fact::Unknown, Some(module)) => self.of_type(ty, module),
            (fact, _) => fact,
        }
    }

    pub(super) fn called(&mut self, func: FuncId, args: &[Arg], e: &Expr) -> Fact {
        match self.cx.instances().of_func(func) {
            Some(number) => {
                let fn_idx = self.cx.instances()[number].fn_idx;
                self.call(fn_idx, args, e.ty, e.span)
            }
            None => Fact::Unknown,
        }
    }

    pub(super) fn intrinsic(&mut self, intrinsic: Intrinsic, args: &[Expr]) -> Fact {
        let facts: Vec<Fact> = args.iter().map(|arg| self.expr(arg)).collect();
        match (intrinsic, facts.as_slice()) {
            (Intrinsic::ArrayLen, [Fact::List(items)]) => Fact::int(items.len() as i64),
            (Intrinsic::ArrayRepeat, [Fact::List(items), count]) => match count.known_int() {
                Some(count) if count >= 0 && items.len() as i64 * count <= 64 => {
                    let all = items.iter().cycle().take(items.len() * count as usize);
                    Fact::List(all.cloned().collect())
                }
                _ => Fact::Unknown,
            },
            _ => Fact::Unknown,
        }
    }
}

pub(super) fn arith(op: ArithOp, a: &Fact, b: &Fact) -> Fact {
    let (Fact::Int(x), Fact::Int(y)) = (a, b) else {
        return Fact::Unknown;
    };
    Fact::Int(match op {
        ArithOp::Add => x.add(y),
        ArithOp::Sub => x.sub(y),
        ArithOp::Mul => x.mul(y),
        ArithOp::Div => x.div(y),
        ArithOp::Rem => match (x.known(), y.known()) {
            (Some(x), Some(y)) => x.checked_rem(y).map_or(Dim::Unknown, Dim::int),
            _ => Dim::Unknown,
        },
        ArithOp::Pow => Dim::Unknown,
    })
}
