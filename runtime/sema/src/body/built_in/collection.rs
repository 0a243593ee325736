//! Methods of numbers, text, arrays, dicts, sets and ranges that code generation knows itself.
//!
//! Everything else on these types is written in Simple in the core modules. Update methods change a mutable place, or
//! work on a copy that is then the value (`doc/language/collections.md`).

use super::args::{Given, GivenValue};
use super::convert::Why;
use super::method::Receiver;
use super::*;
use crate::codes;
use crate::typed::Expr;
use simple_syntax::Diagnostic;
use simple_syntax::ast::Ident;

/// No such method takes more arguments.
const MOST_ARGUMENTS: usize = 3;

/// A method as the table below describes it.
enum Op {
    /// An intrinsic on the receiver and arguments of these types.
    Pure(Intrinsic, Vec<TyId>, TyId),
    /// An update of a place: argument types, result, and whether the collection is the value when the result is `()`.
    Update(Update, Vec<TyId>, TyId),
    /// A conversion of a number.
    To(TyId),
    /// The printed form.
    Text,
    IsEmpty(Intrinsic),
    /// `get(0)` or `get(-1)`.
    End(i64),
    Concat,
    Pow,
    GetOr,
    RangeLen,
    RangeContains,
    Copy,
    Items,
    Join,
    TupleLen,
    TupleArray,
}

type Back<'a> = (Receiver, Vec<Given<'a>>);

impl<'a> Checker<'a> {
    /// Whether a method of a built-in type is one that code generation knows, however it is called with `least` to `most`
    /// arguments.
    pub(crate) fn is_intrinsic(&mut self, ty: TyId, name: &str, least: usize, most: usize) -> bool {
        match self.types().get(ty) {
            Ty::Option(_) => option_method::count_of(name, false).is_some(),
            Ty::Result(..) => option_method::count_of(name, true).is_some(),
            Ty::Adt(_) | Ty::Trait(_) => false,
            _ => {
                let scope = TypeScope {
                    module: self.input().root(),
                    env: self.empty_env(),
                    self_ty: None,
                };
                let mut body =
                    Body::new(self, scope, Frame::new(FrameKind::Init, Some(TyId::UNIT)));
                (least..=most).all(|count| body.op_of(ty, name, count).is_some())
            }
        }
    }
}

impl<'c, 'a> Body<'c, 'a> {
    /// With how many arguments a method can be called that is an operation of the machine or of the representation.
    pub(in crate::body) fn intrinsic_counts(&mut self, ty: TyId, name: &str) -> Vec<usize> {
        let counts = 0..=MOST_ARGUMENTS;
        counts
            .filter(|&count| self.op_of(ty, name, count).is_some())
            .collect()
    }

    fn op_of(&mut self, ty: TyId, name: &str, count: usize) -> Option<Op> {
        let i64_ = TyId::I64;
        Some(match (self.kind(ty), name, count) {
            (
                Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Bool | Ty::Handle(_),
                "to_string" | "to_text",
                0,
            ) => Op::Text,
            (Ty::Int(_) | Ty::F32 | Ty::F64, "abs", 0) => Op::Pure(Intrinsic::Abs, vec![], ty),
            (Ty::Int(_) | Ty::F32 | Ty::F64, "min", 1) => Op::Pure(Intrinsic::Min, vec![ty], ty),
            (Ty::Int(_) | Ty::F32 | Ty::F64, "max", 1) => Op::Pure(Intrinsic::Max, vec![ty], ty),
            (Ty::Int(_), "pow", 1) => Op::Pure(Intrinsic::IntPow, vec![i64_], ty),
            (Ty::F32 | Ty::F64, "pow", 1) => Op::Pow,
            (Ty::Int(_), "wrapping_add", 1) => Op::Pure(Intrinsic::WrappingAdd, vec![ty], ty),
            (Ty::Int(_), "wrapping_sub", 1) => Op::Pure(Intrinsic::WrappingSub, vec![ty], ty),
            (Ty::Int(_), "wrapping_mul", 1) => Op::Pure(Intrinsic::WrappingMul, vec![ty], ty),
            (Ty::Int(_), "mul_high", 1) => Op::Pure(Intrinsic::MulHigh, vec![ty], ty),
            (Ty::Int(_), "count_ones", 0) => Op::Pure(Intrinsic::CountOnes, vec![], i64_),
            (Ty::Int(_), "leading_zeros", 0) => Op::Pure(Intrinsic::LeadingZeros, vec![], i64_),
            (Ty::Int(_), "trailing_zeros", 0) => Op::Pure(Intrinsic::TrailingZeros, vec![], i64_),
            (Ty::F64, "to_bits", 0) => Op::Pure(Intrinsic::Bits, vec![], i64_),
            (Ty::F32, "to_bits", 0) => Op::Pure(Intrinsic::Bits, vec![], TyId::I32),
            (Ty::Int(int), "bits_to_float", 0) if int.signed && int.bits == 64 => {
                Op::Pure(Intrinsic::Bits, vec![], TyId::F64)
            }
            (Ty::Int(int), "bits_to_float", 0) if int.signed && int.bits == 32 => {
                Op::Pure(Intrinsic::Bits, vec![], TyId::F32)
            }
            (Ty::Int(_) | Ty::F32 | Ty::F64, _, 0) if conversion(name).is_some() => {
                Op::To(conversion(name)?)
            }
            (Ty::Bool, "to_int" | "to_i64", 0) => Op::To(i64_),
            (Ty::F32 | Ty::F64, "sqrt", 0) => Op::Pure(Intrinsic::Sqrt, vec![], ty),
            (Ty::F32 | Ty::F64, "floor", 0) => Op::Pure(Intrinsic::Floor, vec![], ty),
            (Ty::F32 | Ty::F64, "ceil", 0) => Op::Pure(Intrinsic::Ceil, vec![], ty),
            (Ty::F32 | Ty::F64, "trunc", 0) => Op::Pure(Intrinsic::Trunc, vec![], ty),
            (Ty::Text, "len" | "length", 0) => Op::Pure(Intrinsic::TextLen, vec![], i64_),
            (Ty::Text, "byte_len", 0) => Op::Pure(Intrinsic::TextByteLen, vec![], i64_),
            (Ty::Text, "is_empty", 0) => Op::IsEmpty(Intrinsic::TextByteLen),
            (Ty::Text, "contains" | "has", 1) => {
                Op::Pure(Intrinsic::TextContains, vec![TyId::TEXT], TyId::BOOL)
            }
            (Ty::Text, "repeat", 1) => Op::Pure(Intrinsic::TextRepeat, vec![i64_], TyId::TEXT),
            (Ty::Text, "to_string" | "to_text", 0) => Op::Copy,
            (Ty::Array(_), "len" | "length", 0) => Op::Pure(Intrinsic::ArrayLen, vec![], i64_),
            (Ty::Array(_), "is_empty", 0) => Op::IsEmpty(Intrinsic::ArrayLen),
            (Ty::Array(item), "get", 1) => {
                let option = self.intern(Ty::Option(item));
                Op::Pure(Intrinsic::ArrayGet, vec![i64_], option)
            }
            (Ty::Array(_), "first", 0) => Op::End(0),
            (Ty::Array(_), "last", 0) => Op::End(-1),
            (Ty::Array(item), "contains" | "has", 1) => {
                Op::Pure(Intrinsic::ArrayContains, vec![item], TyId::BOOL)
            }
            (Ty::Array(_), "join", 0 | 1) => Op::Join,
            (Ty::Array(item), "push" | "append", 1) => {
                Op::Update(Update::Push, vec![item], TyId::UNIT)
            }
            (Ty::Array(item), "pop", 0) => {
                let option = self.intern(Ty::Option(item));
                Op::Update(Update::Pop, vec![], option)
            }
            (Ty::Array(item), "insert", 2) => {
                Op::Update(Update::Insert, vec![i64_, item], TyId::UNIT)
            }
            (Ty::Array(item), "remove", 1) => Op::Update(Update::Remove, vec![i64_], item),
            (Ty::Array(_) | Ty::Dict(..), "extend", 1) => {
                Op::Update(Update::Extend, vec![ty], TyId::UNIT)
            }
            (Ty::Array(_) | Ty::Dict(..) | Ty::Set(_), "clear", 0) => {
                Op::Update(Update::Clear, vec![], TyId::UNIT)
            }
            (Ty::Array(item), "sort", 0) if self.is_plain(item) => {
                Op::Update(Update::Sort, vec![], TyId::UNIT)
            }
            (Ty::Array(_), "concat" | "merge", 1) => Op::Concat,
            (Ty::Array(_) | Ty::Dict(..) | Ty::Set(_), "copy" | "clone", 0) => Op::Copy,
            (Ty::Dict(..), "len" | "length", 0) => Op::Pure(Intrinsic::DictLen, vec![], i64_),
            (Ty::Dict(..), "is_empty", 0) => Op::IsEmpty(Intrinsic::DictLen),
            (Ty::Dict(key, value), "get", 1) => {
                let option = self.intern(Ty::Option(value));
                Op::Pure(Intrinsic::DictGet, vec![key], option)
            }
            (Ty::Dict(..), "get" | "get_or" | "fetch", 2) => Op::GetOr,
            (Ty::Dict(key, _), "contains_key" | "contains" | "has", 1) => {
                Op::Pure(Intrinsic::DictContains, vec![key], TyId::BOOL)
            }
            (Ty::Dict(key, _), "keys", 0) => {
                let array = self.intern(Ty::Array(key));
                Op::Pure(Intrinsic::DictKeys, vec![], array)
            }
            (Ty::Dict(_, value), "values", 0) => {
                let array = self.intern(Ty::Array(value));
                Op::Pure(Intrinsic::DictValues, vec![], array)
            }
            (Ty::Dict(..), "items" | "entries", 0) => Op::Items,
            (Ty::Dict(key, value), "set" | "insert", 2) => {
                Op::Update(Update::DictSet, vec![key, value], TyId::UNIT)
            }
            (Ty::Dict(key, value), "remove" | "delete", 1) => {
                let option = self.intern(Ty::Option(value));
                Op::Update(Update::DictRemove, vec![key], option)
            }
            (Ty::Set(_), "len" | "length", 0) => Op::Pure(Intrinsic::SetLen, vec![], i64_),
            (Ty::Set(_), "is_empty", 0) => Op::IsEmpty(Intrinsic::SetLen),
            (Ty::Set(item), "has" | "contains", 1) => {
                Op::Pure(Intrinsic::SetContains, vec![item], TyId::BOOL)
            }
            (Ty::Set(item), "add" | "insert", 1) => {
                Op::Update(Update::SetAdd, vec![item], TyId::UNIT)
            }
            (Ty::Set(item), "remove", 1) => Op::Update(Update::SetRemove, vec![item], TyId::BOOL),
            (Ty::Tuple(_), "len", 0) => Op::TupleLen,
            (Ty::Tuple(_), "to_array", 0) => Op::TupleArray,
            (Ty::Range, "len" | "length", 0) => Op::RangeLen,
            (Ty::Range, "contains", 1) => Op::RangeContains,
            _ => return None,
        })
    }

    /// Whether the runtime sorts elements of this type itself.
    fn is_plain(&self, ty: TyId) -> bool {
        matches!(
            self.kind(ty),
            Ty::Bool | Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Text
        )
    }

    /// The members of a tuple as an array; they must have one type.
    fn tuple_array(&mut self, tuple: Expr, span: Span) -> Expr {
        let Ty::Tuple(members) = self.kind(tuple.ty) else {
            return self.bad(span);
        };
        let Some(&(_, item)) = members.first() else {
            return self.bad(span);
        };
        let ty = tuple.ty;
        let holder = self.temp(ty, span);
        let mut items = Vec::with_capacity(members.len());
        for (number, (_, member)) in members.into_iter().enumerate() {
            let read = self.read(holder, span);
            let field = self.mk(ExprKind::Field(Box::new(read), number as u32), member, span);
            items.push(self.coerce(field, item, Why::Element));
        }
        let array_ty = self.intern(Ty::Array(item));
        let array = self.mk(ExprKind::Array(items), array_ty, span);
        self.mk(
            ExprKind::Let(holder, Box::new(tuple), Box::new(array)),
            array_ty,
            span,
        )
    }

    /// A method of a built-in type that code generation knows; gives receiver and arguments back if it is not one.
    pub(crate) fn intrinsic_method(
        &mut self,
        receiver: Receiver,
        name: Ident,
        args: Vec<Given<'a>>,
        want: Want,
        span: Span,
    ) -> Result<Expr, Back<'a>> {
        if args.iter().any(|arg| {
            arg.label.is_some() || arg.spread || matches!(arg.value, GivenValue::Block(_))
        }) {
            return Err((receiver, args));
        }
        let ty = self.receiver_ty(&receiver);
        let Some(op) = self.op_of(ty, name.name.as_str(), args.len()) else {
            return Err((receiver, args));
        };
        let mut args = args.into_iter();
        Ok(match op {
            Op::Pure(intrinsic, types, ret) => {
                let mut values = vec![self.receiver_value(receiver)];
                for ty in types {
                    values.push(self.one_arg(args.next(), ty));
                }
                self.mk(ExprKind::Intrinsic(intrinsic, values), ret, span)
            }
            Op::To(to) => {
                let value = self.receiver_value(receiver);
                if self.shallow(value.ty) == to {
                    return Ok(value);
                }
                self.mk(
                    ExprKind::Convert(Convert::Number, Box::new(value)),
                    to,
                    span,
                )
            }
            Op::Text => {
                let value = self.receiver_value(receiver);
                self.mk(ExprKind::ToText(Box::new(value)), TyId::TEXT, span)
            }
            Op::IsEmpty(length) => self.has_no_length(length, receiver, span),
            Op::End(index) => self.end_of_array(index, ty, receiver, span),
            Op::Concat => {
                let value = self.receiver_value(receiver);
                let other = self.one_arg(args.next(), ty);
                self.mk(ExprKind::Concat(Box::new(value), Box::new(other)), ty, span)
            }
            Op::Pow => {
                let value = self.receiver_value(receiver);
                let other = self.one_arg(args.next(), ty);
                self.mk(
                    ExprKind::Arith(ArithOp::Pow, Box::new(value), Box::new(other)),
                    ty,
                    span,
                )
            }
            Op::GetOr => {
                let Ty::Dict(key, item) = self.kind(ty) else {
                    return Ok(self.bad(span));
                };
                let value = self.receiver_value(receiver);
                let key = self.one_arg(args.next(), key);
                let other = self.one_arg(args.next(), item);
                self.get_or(value, key, other, item, span)
            }
            Op::RangeLen => self.range_len(receiver, span),
            Op::RangeContains => {
                let value = self.receiver_value(receiver);
                let item = self.one_arg(args.next(), TyId::I64);
                self.in_range(item, value, span)
            }
            Op::TupleLen => {
                let value = self.receiver_value(receiver);
                let Ty::Tuple(members) = self.kind(ty) else {
                    return Ok(self.bad(span));
                };
                let length = self.mk(ExprKind::Int(members.len() as i64), TyId::I64, span);
                if args::is_simple(&value) {
                    length
                } else {
                    self.then(value, length, span)
                }
            }
            Op::TupleArray => {
                let value = self.receiver_value(receiver);
                self.tuple_array(value, span)
            }
            Op::Copy => self.receiver_value(receiver),
            Op::Items => {
                let value = self.receiver_value(receiver);
                self.dict_items(value, span)
            }
            Op::Join => {
                let value = self.receiver_value(receiver);
                let separator = match args.next() {
                    Some(given) => self.one_arg(Some(given), TyId::TEXT),
                    None => self.mk(ExprKind::Text(String::new()), TyId::TEXT, span),
                };
                self.mk(
                    ExprKind::Intrinsic(Intrinsic::ArrayJoin, vec![value, separator]),
                    TyId::TEXT,
                    span,
                )
            }
            Op::Update(_, types, ret) if self.is_frozen_receiver(&receiver) => {
                let values = types
                    .into_iter()
                    .map(|ty| self.one_arg(args.next(), ty))
                    .collect();
                let yields = if ret == TyId::UNIT { ty } else { ret };
                self.refused_change(&format!("`{}`", name.name), values, yields, span)
            }
            Op::Update(update, types, ret) => {
                let values = (types, args);
                self.update_method(update, values, ret, receiver, (name, want, span))
            }
        })
    }

    fn has_no_length(&mut self, length: Intrinsic, receiver: Receiver, span: Span) -> Expr {
        let value = self.receiver_value(receiver);
        let length = self.mk(ExprKind::Intrinsic(length, vec![value]), TyId::I64, span);
        let zero = self.mk(ExprKind::Int(0), TyId::I64, span);
        let kind = ExprKind::Compare(CompareOp::Eq, Box::new(length), Box::new(zero));
        self.mk(kind, TyId::BOOL, span)
    }

    /// The first or last element of an array, as an option.
    fn end_of_array(&mut self, index: i64, ty: TyId, receiver: Receiver, span: Span) -> Expr {
        let value = self.receiver_value(receiver);
        let Ty::Array(item) = self.kind(ty) else {
            return self.bad(span);
        };
        let option = self.intern(Ty::Option(item));
        let index = self.mk(ExprKind::Int(index), TyId::I64, span);
        let kind = ExprKind::Intrinsic(Intrinsic::ArrayGet, vec![value, index]);
        self.mk(kind, option, span)
    }

    fn range_len(&mut self, receiver: Receiver, span: Span) -> Expr {
        let value = self.receiver_value(receiver);
        self.range_part(value, span, |this, lo, hi| {
            // An end before the start counts as the start: a subtraction first could overflow.
            let end = ExprKind::Intrinsic(Intrinsic::Max, vec![hi, lo.clone()]);
            let end = this.mk(end, TyId::I64, span);
            let length = ExprKind::Arith(ArithOp::Sub, Box::new(end), Box::new(lo));
            this.mk(length, TyId::I64, span)
        })
    }

    /// A method that changes its receiver, where that may be changed.
    fn update_method(
        &mut self,
        update: Update,
        (types, mut args): (Vec<TyId>, std::vec::IntoIter<Given<'a>>),
        ret: TyId,
        receiver: Receiver,
        (name, want, span): (Ident, Want, Span),
    ) -> Expr {
        if let Receiver::Place(info) = &receiver
            && update != Update::Sort
            && self.reject_resize(&info.place, span)
        {
            return self.bad(span);
        }
        let place = match &receiver {
            Receiver::Place(info) if self.is_open(&info.place, span) => {
                return self.bad(span);
            }
            Receiver::Place(info) if info.fixed.is_none() => self.changeable(info.clone(), span),
            _ => None,
        };
        let mut values = Vec::with_capacity(types.len());
        for ty in types {
            values.push(self.one_arg(args.next(), ty));
        }
        self.update(update, receiver, place, values, ret, name, want, span)
    }

    #[expect(clippy::too_many_arguments, reason = "an update has this many parts")]
    fn update(
        &mut self,
        update: Update,
        receiver: Receiver,
        place: Option<Place>,
        values: Vec<Expr>,
        ret: TyId,
        name: Ident,
        want: Want,
        span: Span,
    ) -> Expr {
        let ret = self.shallow(ret);
        let yields_element = ret != TyId::UNIT && update != Update::SetRemove;
        if let Some(place) = place {
            // As the last expression of a body without a written result type an update is only a change.
            let wanted = !matches!(want, Want::Discard | Want::Tail);
            let read = (!yields_element && wanted).then(|| self.place_value(&place));
            let changed = self.mk(ExprKind::Update(update, place, values), ret, span);
            return match read {
                Some(read) => self.then(changed, read, span),
                None => changed,
            };
        }
        if yields_element {
            match receiver {
                Receiver::Place(info) => {
                    if let Some(fixed) = info.fixed {
                        self.report_fixed(fixed, span);
                    }
                }
                Receiver::Value(_) => {
                    let d = Diagnostic::error(
                        codes::IMMUTABLE,
                        span,
                        format!("`{}` removes an element, so it needs a variable", name.name),
                    )
                    .help("bind the collection with `var` first");
                    self.cx.report(d);
                }
            }
            return self.bad(span);
        }
        if self.drops_copy(&receiver, want) {
            if let Receiver::Value(value) = &receiver
                && self.shallow(value.ty) == TyId::ERROR
            {
                return self.bad(span);
            }
            return self.discarded_copy(receiver, name.name, want, span);
        }
        let value = self.receiver_value(receiver);
        if update == Update::Push {
            let ty = self.shallow(value.ty);
            let mut args = values;
            args.insert(0, value);
            return self.mk(ExprKind::Intrinsic(Intrinsic::ArrayPushed, args), ty, span);
        }
        self.on_copy(value, span, |this, place| {
            this.mk(ExprKind::Update(update, place, values), ret, span)
        })
    }

    /// Something computed from the ends of a range value.
    fn range_part(
        &mut self,
        value: Expr,
        span: Span,
        work: impl FnOnce(&mut Self, Expr, Expr) -> Expr,
    ) -> Expr {
        let holder = self.temp(TyId::RANGE, span);
        let read = self.read(holder, span);
        let lo = self.mk(
            ExprKind::Intrinsic(Intrinsic::RangeStart, vec![read]),
            TyId::I64,
            span,
        );
        let read = self.read(holder, span);
        let hi = self.mk(
            ExprKind::Intrinsic(Intrinsic::RangeEnd, vec![read]),
            TyId::I64,
            span,
        );
        let body = work(self, lo, hi);
        let ty = body.ty;
        self.mk(
            ExprKind::Let(holder, Box::new(value), Box::new(body)),
            ty,
            span,
        )
    }

    /// Whether an integer is in a range value.
    pub(crate) fn in_range(&mut self, item: Expr, range: Expr, span: Span) -> Expr {
        let holder = self.temp(TyId::I64, span);
        let item = self.coerce(item, TyId::I64, Why::Operand);
        let body = self.range_part(range, span, |this, lo, hi| {
            let read = this.read(holder, span);
            let above = this.mk(
                ExprKind::Compare(CompareOp::Le, Box::new(lo), Box::new(read)),
                TyId::BOOL,
                span,
            );
            let read = this.read(holder, span);
            let below = this.mk(
                ExprKind::Compare(CompareOp::Lt, Box::new(read), Box::new(hi)),
                TyId::BOOL,
                span,
            );
            this.mk(
                ExprKind::And(Box::new(above), Box::new(below)),
                TyId::BOOL,
                span,
            )
        });
        self.mk(
            ExprKind::Let(holder, Box::new(item), Box::new(body)),
            TyId::BOOL,
            span,
        )
    }

    /// `d.get(k, other)`: the value of a key, otherwise `other`, which is evaluated in any case.
    fn get_or(&mut self, dict: Expr, key: Expr, other: Expr, item: TyId, span: Span) -> Expr {
        let mut parts = [dict, key, other];
        let mut lets = Vec::new();
        if !args::is_simple(&parts[2]) {
            for part in &mut parts {
                let holder = self.temp(part.ty, span);
                let read = self.read(holder, span);
                lets.push((holder, std::mem::replace(part, read)));
            }
        }
        let [dict, key, other] = parts;
        let option = self.intern(Ty::Option(item));
        let found = self.mk(
            ExprKind::Intrinsic(Intrinsic::DictGet, vec![dict, key]),
            option,
            span,
        );
        let item = self.shallow(item);
        let value = self.mk(
            ExprKind::Coalesce(Box::new(found), Box::new(other)),
            item,
            span,
        );
        self.with_lets(lets, value)
    }

    /// The pairs of a dict as an array of tuples.
    fn dict_items(&mut self, dict: Expr, span: Span) -> Expr {
        let Ty::Dict(key, value) = self.kind(dict.ty) else {
            return self.bad(span);
        };
        let pair = self.intern(Ty::Tuple(vec![(None, key), (None, value)]));
        let ty = self.intern(Ty::Array(pair));
        let empty = self.mk(ExprKind::Array(Vec::new()), ty, span);
        let item = self.temp(pair, span);
        let out = self.local("", ty, Origin::Var, span);
        self.scopes.frame_mut().locals[out.0 as usize].mutable = true;
        let read = self.read(item, span);
        let place = Place {
            root: PlaceRoot::Local(out),
            path: Vec::new(),
            ty,
            span,
        };
        let body = self.mk(
            ExprKind::Update(Update::Push, place, vec![read]),
            TyId::UNIT,
            span,
        );
        let stmts = vec![
            crate::typed::Stmt {
                kind: StmtKind::Let(out, empty),
                span,
            },
            crate::typed::Stmt {
                kind: StmtKind::ForEach {
                    pattern: Pattern::Bind(item),
                    iterable: dict,
                    body,
                },
                span,
            },
        ];
        let read = self.read(out, span);
        self.mk(ExprKind::Block(stmts, Some(Box::new(read))), ty, span)
    }
}

/// The target of `to_f64()` and its like.
fn conversion(name: &str) -> Option<TyId> {
    Some(match name {
        "to_f64" | "to_float" => TyId::F64,
        "to_f32" => TyId::F32,
        "to_i64" | "to_int" => TyId::I64,
        "to_i32" => TyId::I32,
        "to_i16" => TyId::I16,
        "to_i8" => TyId::I8,
        "to_u64" => TyId::U64,
        "to_u32" => TyId::U32,
        "to_u16" => TyId::U16,
        "to_u8" => TyId::U8,
        _ => return None,
    })
}
