//! `fields_of<T>(value)`: the fields of a struct or class whose values are `T`, with their names.
//!
//! The call becomes the list itself: one pair for each field that fits, a test for an option or a variant, a loop for an array or dict. So
//! nothing is known about fields at run time, and a type without such fields costs an empty list. In a default method of a trait `self` is
//! each implementing type in turn. Where `T` is a trait or class, the fields of structs and the payloads of enums are looked into; a struct
//! inside itself is not. Leaves out `weak` fields and those that are private elsewhere, and does not look into classes that are not `T`
//! themselves: they are shared, and may be in circles.

use super::args::{Given, GivenValue};
use super::convert::Why;
use super::*;
use crate::codes;
use crate::typed::{Expr, Pattern, Stmt, TextPart};
use simple_syntax::Diagnostic;
use simple_syntax::ast;

/// The name of the function.
pub(in crate::body) const NAME: &str = "fields_of";

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
    /// The structs and enums whose parts are being listed.
    inside: Vec<TyId>,
}

impl<'c, 'a> Body<'c, 'a> {
    /// `fields_of<T>(value)`, a `[(text, T)]`.
    pub(in crate::body) fn fields_of(
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
        let scope = self.scopes.types().clone();
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
        let from = self.table.count();
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
            Ty::Adt(adt) if self.cx.types().adts[adt.0 as usize].kind != AdtKind::Enum => {
                self.cx.ensure_adt(adt);
                let mut fields = self.cx.types().adts[adt.0 as usize].fields.clone();
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
        let mut list = List {
            wanted,
            pair,
            ty,
            local,
            inside: vec![of],
        };
        self.list_fields(&mut list, fields, value, span)
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

    fn list_fields(
        &mut self,
        list: &mut List,
        fields: Vec<Field>,
        value: Expr,
        span: Span,
    ) -> Expr {
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
            if !self.holds(field.ty, list) {
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
            self.scopes.frame_mut().locals[list.local.0 as usize].mutable = true;
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
        let (decl, args) = self.cx.instances().trait_of(id).clone();
        ty != TyId::ERROR && self.cx.implements_with(ty, decl, &args)
    }

    /// Whether values of type `ty` are or contain a requested one.
    fn holds(&mut self, ty: TyId, list: &mut List) -> bool {
        if self.is_wanted(ty, list.wanted) {
            return true;
        }
        match self.kind(ty) {
            Ty::Option(item) | Ty::Array(item) | Ty::Dict(_, item) => self.holds(item, list),
            Ty::Tuple(members) => members.iter().any(|&(_, ty)| self.holds(ty, list)),
            Ty::Adt(adt) if self.is_looked_into(ty, adt, list) => {
                list.inside.push(ty);
                let parts = self.listed_parts(adt);
                let found = parts
                    .iter()
                    .flatten()
                    .any(|&(_, _, ty)| self.holds(ty, list));
                list.inside.pop();
                found
            }
            _ => false,
        }
    }

    /// Whether the parts of a struct or enum count as those of what holds it. A part that has the trait whose method asks lists its own.
    fn is_looked_into(&mut self, ty: TyId, adt: AdtId, list: &List) -> bool {
        let shared = match self.kind(list.wanted) {
            Ty::Trait(_) => true,
            Ty::Adt(wanted) => self.cx.types().adts[wanted.0 as usize].kind == AdtKind::Class,
            _ => false,
        };
        shared
            && self.cx.types().adts[adt.0 as usize].kind != AdtKind::Class
            && !list.inside.contains(&ty)
            && !self
                .purpose
                .of_trait()
                .is_some_and(|of| self.satisfies(ty, of))
    }

    /// The parts of each variant of an enum, or of a struct as if it were the only one: number, name and type. A payload that is alone in its
    /// variant has no name, as that of an option.
    fn listed_parts(&mut self, adt: AdtId) -> Vec<Vec<(u32, Option<String>, TyId)>> {
        self.cx.ensure_adt(adt);
        let of = &self.cx.types().adts[adt.0 as usize];
        if of.kind != AdtKind::Enum {
            let fields = of.fields.clone().into_iter().enumerate();
            let listed = fields.filter_map(|(number, field)| {
                let name = field
                    .name
                    .filter(|_| !field.weak && self.lists_field(adt, number))?;
                Some((number as u32, Some(name.to_string()), field.ty))
            });
            return vec![listed.collect()];
        }
        let parts = |variant: &Variant| {
            let alone = variant.fields.len() == 1;
            let fields = variant.fields.iter().enumerate();
            fields
                .map(|(number, field)| {
                    let name = match field.name {
                        Some(name) => Some(name.to_string()),
                        None if alone => None,
                        None => Some(number.to_string()),
                    };
                    (number as u32, name, field.ty)
                })
                .collect()
        };
        of.variants.iter().map(parts).collect()
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
        list: &mut List,
        name: Vec<TextPart>,
        value: Expr,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let ty = value.ty;
        if !self.holds(ty, list) {
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
            Ty::Adt(adt) => {
                list.inside.push(ty);
                self.list_parts(list, name, (value, adt), span, out);
                list.inside.pop();
            }
            _ => {}
        }
    }

    /// The statements that put the parts of a struct, or of the variant of an enum, into the list.
    fn list_parts(
        &mut self,
        list: &mut List,
        name: Vec<TextPart>,
        (value, adt): (Expr, AdtId),
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let ty = value.ty;
        let whole = self.temp(ty, span);
        out.push(Stmt {
            kind: StmtKind::Let(whole, value),
            span,
        });
        let named = |of: Option<String>| match of {
            Some(of) => part(name.clone(), TextPart::Literal(of)),
            None => name.clone(),
        };
        let is_enum = self.cx.types().adts[adt.0 as usize].kind == AdtKind::Enum;
        for (variant, parts) in self.listed_parts(adt).into_iter().enumerate() {
            if !is_enum {
                for (number, label, ty) in parts {
                    let read = self.read(whole, span);
                    let kind = ExprKind::Field(Box::new(read), number);
                    let field = self.mk(kind, ty, span);
                    self.list_value(list, named(label), field, span, out);
                }
                continue;
            }
            if !parts.iter().any(|&(_, _, ty)| self.holds(ty, list)) {
                continue;
            }
            let mut patterns = Vec::new();
            let mut stmts = Vec::new();
            for (_, label, ty) in parts {
                if !self.holds(ty, list) {
                    patterns.push(Pattern::Wildcard);
                    continue;
                }
                let payload = self.temp(ty, span);
                patterns.push(Pattern::Bind(payload));
                let read = self.read(payload, span);
                self.list_value(list, named(label), read, span, &mut stmts);
            }
            let then = self.mk(ExprKind::Block(stmts, None), TyId::UNIT, span);
            let pattern = Pattern::Variant(adt, variant as u32, patterns);
            let test = ExprKind::If {
                cond: Box::new(Cond::Pattern(pattern, self.read(whole, span))),
                then: Box::new(then),
                otherwise: None,
            };
            let test = self.mk(test, TyId::UNIT, span);
            out.push(Stmt {
                kind: StmtKind::Expr(test),
                span,
            });
        }
    }

    fn list_block(
        &mut self,
        list: &mut List,
        name: Vec<TextPart>,
        value: Expr,
        span: Span,
    ) -> Expr {
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
