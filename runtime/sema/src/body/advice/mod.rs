//! What to do about a mistake, where the types say more than the report itself: a method of another class, an array for several
//! numbers, an operator that works with the operands swapped.
//!
//! Everything here runs once a mistake is certain, and only makes words. Leaves out names that mean nothing (`unknown.rs`,
//! `suggest.rs`).

mod dropped;
mod leaves;
pub(in crate::body) mod stale;
pub(in crate::body) mod tensors;
pub(in crate::body) mod traps;
mod unknown;
mod words;

use super::args::{Given, GivenValue};
use super::make::CREATE;
use super::method::Receiver;
use super::ops::is_untyped;
use super::slots::Slot;
use super::*;
use crate::codes;
use crate::counts::counted;
use crate::typed::{CompareOp, Expr};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Ident};

/// What to do with an optional value where a plain one is needed.
pub(super) const UNWRAP: &str = "give the optional a default with `?? value`, or take it with `!`";

/// Whether an expression has a form that yields numbers, such as `t.size(0)`, `shape[1]` or `n * 2`.
fn may_be_number(e: &ast::Expr) -> bool {
    use ast::ExprKind as K;
    matches!(
        e.kind,
        K::Call(_) | K::Field(..) | K::Index(..) | K::Binary(..) | K::Unary(..)
    )
}

impl<'c, 'a> Body<'c, 'a> {
    /// For a class with a static `init` or `create`, or one that is made of an array: how its values are made.
    pub(super) fn maker(&self, decl: DeclIdx) -> Option<String> {
        if let Some(advice) = self.initializer_advice(decl) {
            return Some(advice);
        }
        let info = &self.cx.decls()[decl];
        let name = info.name.name;
        let is_array = |ty: &ast::TypeExpr| self.cx.input().text(ty.span).starts_with('[');
        let one_array = || format!("give one array: `{name}([...])`");
        let Some(made_by) = info.methods.get(&Symbol::intern(CREATE)) else {
            let Shape::Record(record, _) = info.shape else {
                return None;
            };
            let by_place = record.fields.len().saturating_sub(info.named_fields);
            let only = match &record.fields[..by_place] {
                [only] => only,
                fields => {
                    let mut needed = fields.iter().filter(|field| field.default.is_none());
                    needed.next().filter(|_| needed.next().is_none())?
                }
            };
            return is_array(&only.ty).then(one_array);
        };
        let made_by = &self.cx.decls()[*made_by];
        if let [only] = &made_by.decl.params[..]
            && only.ty.as_ref().is_some_and(is_array)
        {
            return Some(one_array());
        }
        made_by
            .is_static
            .then(|| format!("write `{name}.{CREATE}(...)`"))
    }

    /// Reports several numbers where one array of numbers is taken: `Tensor.zeros(2, 3)`. Says whether there was such a mistake.
    pub(super) fn numbers_for_array(&mut self, slots: &[Slot<'a>], given: &[Given<'a>]) -> bool {
        let positional = given
            .iter()
            .take_while(|arg| arg.label.is_none() && !arg.spread);
        let places: Vec<&'a ast::Expr> = positional
            .map_while(|arg| match arg.value {
                GivenValue::Ast(e) => Some(e),
                _ => None,
            })
            .collect();
        for (number, slot) in slots.iter().enumerate().take(places.len()) {
            let Ty::Array(item) = self.kind(slot.ty) else {
                continue;
            };
            let whole = matches!(self.kind(item), Ty::Int(_));
            if slot.is_variadic() || !whole && !matches!(self.kind(item), Ty::F32 | Ty::F64) {
                continue;
            }
            // Where there are more arguments than places, all that follow must be meant for this one.
            let all = places.len() > slots.len() && whole;
            let run: Vec<String> = places[number..]
                .iter()
                .map_while(|e| match self.number_text(e, whole) {
                    None if all && may_be_number(e) => {
                        Some(self.cx.input().text(e.span).to_owned())
                    }
                    known => known,
                })
                .collect();
            let rest = places.len() - number - run.len();
            if run.is_empty() || all && rest > 0 {
                continue;
            }
            let span = places[number].span.to(places[number + run.len() - 1].span);
            let array = format!("[{}]", run.join(", "));
            let expected = self.show(slot.ty);
            let message = format!("the argument `{}` is one array of numbers", slot.name);
            let d = Diagnostic::error(codes::TYPE_MISMATCH, span, message)
                .found_expected(counted(run.len(), "number"), expected)
                .help(format!("write `{array}`"))
                .fix(span, array);
            self.cx.report(d);
            return true;
        }
        false
    }

    /// How a number is written that is a literal or the name of a variable; `None` for everything else.
    fn number_text(&mut self, e: &ast::Expr, whole: bool) -> Option<String> {
        use ast::ExprKind as K;
        match &e.kind {
            K::Int(value, None) => Some(value.to_string()),
            K::Float(value, None) if !whole => Some(format!("{:?}", value.wide)),
            K::Unary(ast::UnaryOp::Neg, inner) if is_untyped(inner) => {
                Some(format!("-{}", self.number_text(inner, whole)?))
            }
            K::Name(name) => {
                let ty = match self.peek_number(e) {
                    Some(ty) => ty,
                    None => self.number_of_module(*name)?,
                };
                let fits = !whole || matches!(self.kind(ty), Ty::Int(_));
                fits.then(|| name.name.to_string())
            }
            _ => None,
        }
    }

    /// The type of a variable of the module that holds a number.
    fn number_of_module(&mut self, name: Ident) -> Option<TyId> {
        if self.find_local(name.name).is_some() {
            return None;
        }
        let Some(Def::Global(global)) = self.cx.lookup(self.scopes.types().module, name.name)
        else {
            return None;
        };
        let ty = self.global_value(global, name.span).ty;
        matches!(self.kind(ty), Ty::Int(_) | Ty::F32 | Ty::F64).then_some(ty)
    }

    /// For a value of a type other than the expected one.
    pub(super) fn mismatch_advice(&mut self, found: TyId, expected: TyId) -> Option<String> {
        match (self.kind(found), self.kind(expected)) {
            (Ty::Array(a), Ty::Array(b)) if self.convertible(a, b) => {
                let name = self.show(expected);
                Some(format!(
                    "give the array this type where it is made: `val xs: {name} = [...]`"
                ))
            }
            (Ty::Tuple(members), Ty::Array(item))
                if members.iter().all(|&(_, ty)| self.convertible(ty, item)) =>
            {
                Some("an array is written with brackets: `[a, b]`".into())
            }
            (_, Ty::Array(item)) if self.convertible(found, item) => {
                Some("write an array with one element: `[x]`".into())
            }
            (Ty::Adt(_), Ty::Adt(_)) => {
                let common = self.common_trait(found, expected)?;
                Some(format!(
                    "both implement `{common}`: an array for both is declared as `val xs: [{common}] = [...]`"
                ))
            }
            _ => None,
        }
    }

    /// For a network where its parameters are expected.
    pub(super) fn parameters_advice(&mut self, found: TyId, expected: TyId) -> Option<String> {
        let Ty::Array(item) = self.kind(expected) else {
            return None;
        };
        let network = matches!(self.kind(found), Ty::Adt(_) | Ty::Trait(_));
        let there = network && self.is_tensor(item) && !self.is_tensor(found);
        let there = there && self.has_method(found, Symbol::intern("parameters"));
        there.then(|| "give its parameters: `net.parameters()`".into())
    }

    /// For a method that a tuple lacks: the members that have it.
    pub(super) fn member_advice(&mut self, ty: TyId, name: Symbol) -> Option<String> {
        let Ty::Tuple(members) = self.kind(ty) else {
            return None;
        };
        let having: Vec<String> = members
            .into_iter()
            .enumerate()
            .filter(|&(_, (_, ty))| self.has_method(ty, name))
            .map(|(at, (label, _))| {
                let of = label.map_or_else(|| at.to_string(), |label| label.to_string());
                format!("`x.{of}.{name}`")
            })
            .collect();
        let (last, others) = having.split_last()?;
        Some(match others {
            [] => format!("the value is a tuple, and one of its members has it: {last}"),
            _ => format!(
                "the value is a tuple, whose members have it: {} or {last}",
                others.join(", ")
            ),
        })
    }

    /// For a method or field that an object of a trait lacks: a type that has the trait and the member.
    pub(super) fn object_advice(&mut self, ty: TyId, name: Symbol) -> Option<String> {
        let Ty::Trait(id) = self.kind(ty) else {
            return None;
        };
        let of = self.cx.instances().trait_of(id).0;
        let having = self.cx.decls().all_types();
        let having: Vec<DeclIdx> = having
            .filter(|idx| {
                let info = &self.cx.decls()[*idx];
                info.fields.contains_key(&name) || info.methods.contains_key(&name)
            })
            .collect();
        let having: Vec<DeclIdx> = having
            .into_iter()
            .filter(|idx| {
                let head = crate::methods::Head::Adt(*idx);
                self.cx.decls().has_trait_impl(of, head)
            })
            .collect();
        // One that the program knows, if it does.
        let root = self.cx.input().root();
        let known = self.cx.visible_names(root);
        let is_known = |idx: &&DeclIdx| {
            let name = self.cx.decls()[**idx].name.name.as_str();
            known.iter().any(|(known, _)| *known == name)
        };
        let first = *having.iter().find(is_known).or(having.first())?;
        let example = self.cx.decls()[first].name.name;
        let shown = self.show(ty);
        Some(format!(
            "an object of `{shown}` has the methods of the trait alone; as the type that it is of, such as `{example}`, it has its own: test that with `if x is {example}:`"
        ))
    }

    /// For a method that a tensor lacks: the operator of libtorch that is called so.
    pub(super) fn raw_operator(&mut self, ty: TyId, name: Symbol) -> Option<String> {
        if !self.is_tensor(ty) {
            return None;
        }
        self.cx.raw_operator(name).map(|found| {
            format!("libtorch's operator of this name is a function: `use lib.torch.ops`, then `ops.{found}(x, ...)`")
        })
    }

    /// A trait that both types implement. The traits that the compiler gives to types do not count.
    fn common_trait(&mut self, a: TyId, b: TyId) -> Option<Symbol> {
        let [a, b] = [a, b].map(|ty| self.cx.head(ty));
        let (a, b) = (a?, b?);
        let of = |head| self.cx.decls().traits_of(head).collect::<Vec<_>>();
        let theirs = of(b);
        let shared = of(a).into_iter().filter(|of| theirs.contains(of));
        // The first declared, so that the message does not depend on the order of a table.
        let first = shared.min_by_key(|of| of.at())?;
        Some(self.cx.decls()[first].name.name)
    }

    /// For an operator that is not defined between two values.
    pub(super) fn operator_advice(
        &self,
        op: &str,
        left: &Expr,
        right: Option<&Expr>,
    ) -> Option<&'static str> {
        let kind = |e: &Expr| self.kind(e.ty);
        let operands = || [Some(left), right].into_iter().flatten();
        if operands().any(|e| matches!(kind(e), Ty::Option(_))) {
            return Some(UNWRAP);
        }
        if operands().any(|e| matches!(kind(e), Ty::Result(..))) {
            return Some(
                "take the value with `?`, which passes an error on, or with `.unwrap_or(value)`",
            );
        }
        match (op, kind(left), right.map(kind)) {
            ("*", Ty::Int(_), Some(Ty::Text)) => Some("the text comes first: `\"ab\" * 3`"),
            ("*", Ty::Int(_), Some(Ty::Array(_))) => Some("the array comes first: `[0] * 3`"),
            ("+", Ty::Array(_), Some(other)) if !matches!(other, Ty::Array(_)) => {
                Some("`+` joins two arrays: `xs + [x]`; `xs.push(x)` adds an element")
            }
            ("-", Ty::Array(_), Some(Ty::Array(_))) => {
                Some("leave elements out with `xs.filter(\\x: x not in ys)`")
            }
            ("|" | "+", Ty::Set(_), Some(Ty::Set(_))) => Some("write `a.union(b)`"),
            ("&", Ty::Set(_), Some(Ty::Set(_))) => Some("write `a.intersect(b)`"),
            ("-", Ty::Set(_), Some(Ty::Set(_))) => Some("write `a.diff(b)`"),
            ("^", Ty::Set(_), Some(Ty::Set(_))) => Some("write `a.sym_diff(b)`"),
            ("|" | "+", Ty::Dict(..), Some(Ty::Dict(..))) => Some("write `a.merge(b)`"),
            ("+" | "-" | "*" | "/" | "%" | "**" | "@", Ty::Array(_), Some(_))
                if right.is_some_and(|e| self.is_tensor(e.ty)) =>
            {
                Some("make a tensor of the array: `tensor([...])`")
            }
            ("<<" | ">>", ..) if self.is_tensor(left.ty) => Some(
                "write `x * 2 ** n` or `x.div(2 ** n, \"floor\")`; libtorch's operators are `ops.bitwise_left_shift` and `ops.bitwise_right_shift` of `lib.torch`",
            ),
            ("^", Ty::Bool, _) => Some("`a != b` is true where just one of two `bool` is"),
            ("%", Ty::Text, _) => {
                Some("write values in the text itself: `\"{name}: {price:.2f}\"`")
            }
            _ => None,
        }
    }

    /// For a comparison of values that cannot be compared as wholes, but have a method that compares their elements.
    pub(super) fn comparison_advice(&mut self, op: CompareOp, ty: TyId) -> Option<String> {
        let name = match op {
            CompareOp::Eq => "eq",
            CompareOp::Ne => "ne",
            CompareOp::Lt => "lt",
            CompareOp::Le => "le",
            CompareOp::Gt => "gt",
            CompareOp::Ge => "ge",
        };
        let ty = self.resolve(ty);
        let there = matches!(self.ty(ty), Ty::Adt(_)) && self.has_method(ty, Symbol::intern(name));
        there.then(|| format!("compare element by element with `a.{name}(b)`"))
    }

    /// For a method that a plain value lacks: what it is probably called on. `base` is the receiver as it is written.
    pub(super) fn receiver_advice(
        &mut self,
        base: &'a ast::Expr,
        receiver: &Receiver,
        name: Ident,
    ) -> Option<String> {
        let ty = self.receiver_ty(receiver);
        if !matches!(self.ty(ty), Ty::Bool | Ty::Int(_) | Ty::F32 | Ty::F64) {
            return None;
        }
        if self.cx.method_names(ty).contains(&name.name.as_str()) {
            return None;
        }
        match receiver {
            Receiver::Value(value) => {
                let mut base = base;
                while let ast::ExprKind::Paren(inner) = &base.kind {
                    base = inner;
                }
                let ast::ExprKind::Compare(_, links) = &base.kind else {
                    return self.sibling(value, name);
                };
                let [(op, ..)] = links[..] else {
                    return None;
                };
                let op = match op {
                    ast::CompareOp::Eq => CompareOp::Eq,
                    ast::CompareOp::Ne => CompareOp::Ne,
                    _ => return None,
                };
                let mut compared = value;
                while let ExprKind::Not(inner) = &compared.kind {
                    compared = inner;
                }
                let operand = match &compared.kind {
                    ExprKind::Compare(_, a, _) => a.ty,
                    ExprKind::Call(_, args) => args.first()?.ty,
                    _ => return None,
                };
                let help = self.comparison_advice(op, operand)?;
                Some(format!(
                    "`==` and `!=` compare the whole and yield one `bool`; {help}"
                ))
            }
            Receiver::Place(info) => match info.place.path.last()? {
                PlaceStep::Field(owner, number) => self.sibling_of(*owner, *number, name),
                PlaceStep::Index(..) => None,
            },
        }
    }

    fn sibling(&mut self, value: &Expr, name: Ident) -> Option<String> {
        let ExprKind::Field(object, number) = &value.kind else {
            return None;
        };
        self.sibling_of(object.ty, *number, name)
    }

    /// A field beside field `number` of `owner` whose name begins like it (`bias`, `bias_tensor`) and which has the method.
    fn sibling_of(&mut self, owner: TyId, number: u32, name: Ident) -> Option<String> {
        let owner = self.resolve(owner);
        let Ty::Adt(adt) = *self.ty(owner) else {
            return None;
        };
        let fields = self.cx.types().adts[adt.0 as usize].fields.clone();
        let setting = fields.get(number as usize)?.name?;
        let prefix = format!("{setting}_");
        for field in &fields {
            let Some(other) = field.name.filter(|n| n.as_str().starts_with(&prefix)) else {
                continue;
            };
            let (ty, mark) = match self.kind(field.ty) {
                Ty::Option(item) => (item, "!"),
                _ => (field.ty, ""),
            };
            if self.has_method(ty, name.name) {
                let called = name.name;
                return Some(format!(
                    "`{setting}` is only a setting; write `{other}{mark}.{called}(...)`"
                ));
            }
        }
        None
    }
}
