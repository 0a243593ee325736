//! `fields_of<T>(value)`: the fields of a struct or class whose values are `T`, with their names.
//!
//! The call becomes the list itself: one pair for each field that fits, a test for an option, a loop for an array or dict. So nothing is
//! known about fields at run time, and a type without such fields costs an empty list. In a default method of a trait `self` is each
//! implementing type in turn. Leaves out `weak` fields and those that are private elsewhere, and does not look into
//! structs and classes that are not `T` themselves.

use super::args::{Given, GivenValue};
use super::convert::Why;
use super::*;
use crate::codes;
use crate::typed::{Expr, Pattern, Stmt, TextPart};
use simple_syntax::Diagnostic;
use simple_syntax::ast;

/// The name of the function.
pub(super) const NAME: &str = "fields_of";

/// The list that is being made.
struct List {
    /// The requested type.
    wanted: TyId,
    /// `(text, T)`.
    pair: TyId,
    /// `[(text, T)]`.
    ty: TyId,
    /// The variable that holds it, once a part of it is only known at run time.
    local: LocalId,
}

impl<'c, 'a> Body<'c, 'a> {
    /// `fields_of<T>(value)`, a `[(text, T)]`.
    pub(super) fn fields_of(
        &mut self,
        type_args: &'a [ast::TypeArg],
        args: Vec<Given<'a>>,
        span: Span,
    ) -> Expr {
        let [ast::TypeArg::Type(written)] = type_args else {
            let d = Diagnostic::error(
                codes::TYPE_ARGS,
                span,
                "`fields_of` takes one type: that of the fields",
            )
            .help("write it as in `fields_of<Shape>(self)`");
            self.cx.report(d);
            return self.bad(span);
        };
        let scope = self.scope.clone();
        let wanted = self.cx.resolve_type(written, &scope);
        let count = args.len();
        let given = match args.into_iter().next() {
            Some(Given {
                value: GivenValue::Ast(value),
                label: None,
                spread: false,
                ..
            }) if count == 1 => value,
            _ => {
                let message = "`fields_of` takes one value, that has the fields";
                self.cx.error(codes::ARG_COUNT, span, message);
                return self.bad(span);
            }
        };
        let from = self.infer.len();
        let value = self.expr(given, Want::Any);
        let value = self.unwrap_lenient(value);
        let Some(of) = self.wholly_known(value.ty, from, value.span) else {
            return self.bad(span);
        };
        if wanted == TyId::ERROR || of == TyId::ERROR {
            return self.bad(span);
        }
        let pair = self.intern(Ty::Tuple(vec![(None, TyId::TEXT), (None, wanted)]));
        let ty = self.intern(Ty::Array(pair));
        let fields = match self.kind(of) {
            Ty::Adt(adt) if self.cx.types.adts[adt.0 as usize].kind != AdtKind::Enum => {
                self.cx.ensure_adt(adt);
                let mut fields = self.cx.types.adts[adt.0 as usize].fields.clone();
                for (number, field) in fields.iter_mut().enumerate() {
                    if !self.lists_field(adt, number) {
                        // As a part without a name, which no list has.
                        field.name = None;
                    }
                }
                fields
            }
            Ty::Trait(_) | Ty::Option(_) => {
                self.no_fields(of, value.span);
                return self.bad(span);
            }
            // No fields, or a type parameter: that is checked again for each type that it is replaced by.
            _ => Vec::new(),
        };
        let local = self.temp(ty, span);
        let list = List {
            wanted,
            pair,
            ty,
            local,
        };
        self.list_fields(&list, fields, value, span)
    }

    fn no_fields(&mut self, of: TyId, span: Span) {
        let found = self.show(of);
        let message = format!("the fields of `{found}` are not known here");
        let d = Diagnostic::error(codes::BAD_OPERAND, span, message)
            .found_expected(found, "a struct or class value");
        let d = match self.ty(of) {
            Ty::Trait(_) => d.help(
                "ask in a default method of the trait, where `self` has the object's own type",
            ),
            Ty::Option(_) => d.help("test it with `if val x = ...:` first"),
            _ => d,
        };
        self.cx.report(d);
    }

    fn list_fields(&mut self, list: &List, fields: Vec<Field>, value: Expr, span: Span) -> Expr {
        let mut stmts = Vec::new();
        let of = value.ty;
        let holder = self.temp(of, span);
        stmts.push(Stmt {
            kind: StmtKind::Let(holder, value),
            span,
        });
        // Fields in front that are there in any case make the first list.
        let mut first = Vec::new();
        let mut rest = Vec::new();
        for (number, field) in fields.into_iter().enumerate() {
            let (Some(name), false) = (field.name, field.weak) else {
                continue;
            };
            if !self.holds(field.ty, list.wanted) {
                continue;
            }
            let read = self.read(holder, span);
            let kind = ExprKind::Field(Box::new(read), number as u32);
            let value = self.mk(kind, field.ty, span);
            let name = vec![TextPart::Literal(name.as_str().to_owned())];
            if rest.is_empty() && self.is_wanted(field.ty, list.wanted) {
                first.push(self.pair_of(list, name, value, span));
            } else {
                self.list_value(list, name, value, span, &mut rest);
            }
        }
        let first = self.mk(ExprKind::Array(first), list.ty, span);
        let found = if rest.is_empty() {
            first
        } else {
            self.frame().locals[list.local.0 as usize].mutable = true;
            stmts.push(Stmt {
                kind: StmtKind::Let(list.local, first),
                span,
            });
            stmts.append(&mut rest);
            self.read(list.local, span)
        };
        self.mk(ExprKind::Block(stmts, Some(Box::new(found))), list.ty, span)
    }

    /// Whether a value of type `ty` is a requested one.
    fn is_wanted(&mut self, ty: TyId, wanted: TyId) -> bool {
        if ty == wanted {
            return true;
        }
        let Ty::Trait(id) = *self.ty(wanted) else {
            return false;
        };
        let (decl, args) = self.cx.trait_decl[id.0 as usize].clone();
        ty != TyId::ERROR && self.cx.implements_with(ty, decl, &args)
    }

    /// Whether values of type `ty` are or contain a requested one.
    fn holds(&mut self, ty: TyId, wanted: TyId) -> bool {
        if self.is_wanted(ty, wanted) {
            return true;
        }
        match self.kind(ty) {
            Ty::Option(item) | Ty::Array(item) => self.holds(item, wanted),
            Ty::Dict(key, item) => key == TyId::TEXT && self.holds(item, wanted),
            Ty::Tuple(members) => members.iter().any(|&(_, ty)| self.holds(ty, wanted)),
            _ => false,
        }
    }

    fn pair_of(&mut self, list: &List, name: Vec<TextPart>, value: Expr, span: Span) -> Expr {
        let value = self.coerce(value, list.wanted, Why::Element);
        let name = match <[TextPart; 1]>::try_from(name) {
            Ok([TextPart::Literal(text)]) => ExprKind::Text(text),
            Ok([part]) => ExprKind::Interpolate(vec![part]),
            Err(parts) => ExprKind::Interpolate(parts),
        };
        let name = self.mk(name, TyId::TEXT, span);
        self.mk(ExprKind::Tuple(vec![name, value]), list.pair, span)
    }

    /// The statements that put `value`, or what it holds, into the list.
    fn list_value(
        &mut self,
        list: &List,
        name: Vec<TextPart>,
        value: Expr,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let ty = value.ty;
        if !self.holds(ty, list.wanted) {
            return;
        }
        let mut put = |kind: StmtKind| out.push(Stmt { kind, span });
        if self.is_wanted(ty, list.wanted) {
            let pair = self.pair_of(list, name, value, span);
            let place = Place {
                root: PlaceRoot::Local(list.local),
                path: Vec::new(),
                ty: list.ty,
                span,
            };
            let push = ExprKind::Update(Update::Push, place, vec![pair]);
            put(StmtKind::Expr(self.mk(push, TyId::UNIT, span)));
            return;
        }
        match self.kind(ty) {
            Ty::Option(item) => {
                let payload = self.temp(item, span);
                let read = self.read(payload, span);
                let then = self.list_block(list, name, read, span);
                let pattern = Pattern::Some(Box::new(Pattern::Bind(payload)));
                let test = ExprKind::If {
                    cond: Box::new(Cond::Pattern(pattern, value)),
                    then: Box::new(then),
                    otherwise: None,
                };
                put(StmtKind::Expr(self.mk(test, TyId::UNIT, span)));
            }
            Ty::Array(item) => {
                let (array, index) = (self.temp(ty, span), self.temp(TyId::I64, span));
                put(StmtKind::Let(array, value));
                let len = ExprKind::Intrinsic(Intrinsic::ArrayLen, vec![self.read(array, span)]);
                let (array, at) = (self.read(array, span), self.read(index, span));
                let element = ExprKind::Index(Box::new(array), Box::new(at.clone()));
                let element = self.mk(element, item, span);
                let body = self.list_block(list, part(name, TextPart::Value(at)), element, span);
                put(StmtKind::ForRange {
                    var: index,
                    lo: self.mk(ExprKind::Int(0), TyId::I64, span),
                    hi: self.mk(len, TyId::I64, span),
                    inclusive: false,
                    body,
                });
            }
            Ty::Dict(key, item) => {
                let (key, element) = (self.temp(key, span), self.temp(item, span));
                let (key_read, read) = (self.read(key, span), self.read(element, span));
                let body = self.list_block(list, part(name, TextPart::Value(key_read)), read, span);
                put(StmtKind::ForEach {
                    pattern: Pattern::Tuple(vec![Pattern::Bind(key), Pattern::Bind(element)]),
                    iterable: value,
                    body,
                });
            }
            Ty::Tuple(members) => {
                let tuple = self.temp(ty, span);
                put(StmtKind::Let(tuple, value));
                for (number, (label, ty)) in members.into_iter().enumerate() {
                    let read = self.read(tuple, span);
                    let kind = ExprKind::Field(Box::new(read), number as u32);
                    let member = self.mk(kind, ty, span);
                    let label = label.map_or_else(|| number.to_string(), |name| name.to_string());
                    let name = part(name.clone(), TextPart::Literal(label));
                    self.list_value(list, name, member, span, out);
                }
            }
            _ => {}
        }
    }

    fn list_block(&mut self, list: &List, name: Vec<TextPart>, value: Expr, span: Span) -> Expr {
        let mut stmts = Vec::new();
        self.list_value(list, name, value, span, &mut stmts);
        self.mk(ExprKind::Block(stmts, None), TyId::UNIT, span)
    }
}

/// `name.next`.
fn part(mut name: Vec<TextPart>, next: TextPart) -> Vec<TextPart> {
    name.push(TextPart::Literal(".".into()));
    name.push(next);
    name
}
