//! Places: variables and parts of them that can be assigned, and fields, elements and slices as values. `immutable.rs` says which may change.

mod access;
mod assign;
mod foreign_var;
pub(in crate::body) mod immutable;
pub(in crate::body) mod payload;
mod private;

use super::convert::Why;
use super::immutable::Fixed;
use super::name::StaticBase;
use super::scope::Found;
use super::*;
use crate::codes;
use crate::typed::{Expr, Pattern, Stmt};
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Ident};

/// A place and whether it may be changed.
#[derive(Clone, Debug)]
pub(crate) struct PlaceInfo {
    pub(crate) place: Place,
    pub(crate) fixed: Option<Fixed>,
    /// Whether reading it yields a lenient optional. The last step of a path is then a dict's key, and the type is an option;
    /// [`Body::payload_target`] makes it the place of the value, which must be there.
    pub(crate) lenient: bool,
}

/// What a place-like expression turned out to be.
pub(crate) enum Target {
    Place(PlaceInfo),
    Value(Expr),
}

impl<'c, 'a> Body<'c, 'a> {
    /// `e` as a place if it is one, else its value.
    pub(crate) fn target(&mut self, e: &'a ast::Expr) -> Target {
        let named = matches!(e.kind, ast::ExprKind::Name(_) | ast::ExprKind::Field(..));
        let through = named && self.duties.changes_through(e.span);
        let found = self.named_target(e);
        match through {
            true => self.payload_place(found, e.span),
            false => found,
        }
    }

    fn named_target(&mut self, e: &'a ast::Expr) -> Target {
        let span = e.span;
        match &e.kind {
            ast::ExprKind::Name(name) => match self.find_local(name.name) {
                Some(Found::Local(id)) => Target::Place(self.local_place(id, span)),
                Some(Found::Def(_)) => Target::Value(self.name(*name, Want::Any)),
                None => {
                    if self.self_member(name.name) {
                        return self.self_target(*name);
                    }
                    if let Some(Def::Global(global)) = self
                        .cx
                        .lookup_visible(self.scopes.types().module, name.name)
                    {
                        return self.global_place(global, span);
                    }
                    Target::Value(self.name(*name, Want::Any))
                }
            },
            ast::ExprKind::SelfValue => match self.find_self() {
                Some(id) => Target::Place(self.local_place(id, span)),
                None => Target::Value(self.link(e, Want::Any)),
            },
            ast::ExprKind::Paren(inner) => self.target(inner),
            ast::ExprKind::Unwrap(inner) if self.duties.changes_through(span) => {
                let option = self.target(inner);
                self.payload_place(option, span)
            }
            ast::ExprKind::Field(base, name, false) => {
                if let Some(found) = self.static_base(base) {
                    if let StaticBase::Module(module) = found
                        && let Ok(Def::Global(global)) = self.cx.member_of_module(module, *name)
                    {
                        return self.global_place(global, span);
                    }
                    if let StaticBase::Item(Def::Global(global), ident) = found {
                        let base = self.global_place(global, ident.span);
                        return self.field_target(base, *name, span);
                    }
                    return Target::Value(self.link(e, Want::Any));
                }
                let base = self.target(base);
                self.field_target(base, *name, span)
            }
            ast::ExprKind::TupleField(base, number, at, false) => {
                let base = self.target(base);
                let base = self.payload_target(base);
                let ty = self.target_ty(&base);
                let members = match self.kind(ty) {
                    Ty::Tuple(members) => members,
                    _ => {
                        let value = self.target_value(base);
                        return Target::Value(self.tuple_member(value, *number, *at, span));
                    }
                };
                match (base, members.get(*number as usize)) {
                    (Target::Place(mut info), Some(&(_, item))) => {
                        info.place.path.push(PlaceStep::Field(ty, *number));
                        info.place.ty = self.shallow(item);
                        info.place.span = span;
                        info.lenient = false;
                        Target::Place(info)
                    }
                    (base, _) => {
                        let value = self.target_value(base);
                        Target::Value(self.tuple_member(value, *number, *at, span))
                    }
                }
            }
            ast::ExprKind::Index(base, index, false) => self.element_target(base, index, span),
            _ => Target::Value(self.link(e, Want::Any)),
        }
    }

    /// `base[index]` as a place if it is one.
    fn element_target(&mut self, base: &'a ast::Expr, index: &'a ast::Expr, span: Span) -> Target {
        let base = self.target(base);
        let base = self.payload_target(base);
        let ty = self.target_ty(&base);
        match (base, self.kind(ty)) {
            (Target::Place(info), Ty::Array(item)) if !is_range(index) => {
                let index = self.array_index(index);
                Target::Place(self.index_step(info, ty, item, index, span))
            }
            (Target::Place(info), Ty::Dict(key, item)) => {
                let index = self.expr(index, Want::Ty(key));
                let index = self.coerce(index, key, Why::Index);
                let option = self.intern(Ty::Option(item));
                let mut info = self.index_step(info, ty, option, index, span);
                info.lenient = true;
                Target::Place(info)
            }
            (Target::Place(info), Ty::Tuple(members))
                if literal_member(index, members.len()).is_some() =>
            {
                Target::Place(
                    self.member_step(info, ty, index)
                        .unwrap_or_else(|info| info),
                )
            }
            (base, _) => {
                let value = self.target_value(base);
                Target::Value(self.index_value(value, index, span))
            }
        }
    }

    pub(super) fn index_step(
        &mut self,
        mut info: PlaceInfo,
        ty: TyId,
        item: TyId,
        index: Expr,
        span: Span,
    ) -> PlaceInfo {
        info.place.path.push(PlaceStep::Index(ty, index));
        info.place.ty = self.shallow(item);
        info.place.span = span;
        info.lenient = false;
        info
    }

    /// A member of a tuple that is named by a literal index, as a place.
    fn member_step(
        &mut self,
        mut info: PlaceInfo,
        ty: TyId,
        index: &ast::Expr,
    ) -> Result<PlaceInfo, PlaceInfo> {
        let Ty::Tuple(members) = self.kind(ty) else {
            return Err(info);
        };
        let Some(number) = literal_member(index, members.len()) else {
            return Err(info);
        };
        info.place.path.push(PlaceStep::Field(ty, number));
        info.place.ty = self.shallow(members[number as usize].1);
        info.lenient = false;
        Ok(info)
    }

    /// A lenient optional is replaced by its payload where something is done with it.
    pub(crate) fn payload_target(&mut self, target: Target) -> Target {
        let lenient = match &target {
            Target::Place(info) => info.lenient,
            Target::Value(value) => self.is_lenient(value),
        };
        let item = match self.kind(self.target_ty(&target)) {
            Ty::Option(item) => item,
            Ty::Trait(_) if !self.scopes.present().is_empty() => {
                return self.narrowed_target(target);
            }
            _ => return target,
        };
        match target {
            target if !lenient => target,
            Target::Place(mut info) if !info.place.path.is_empty() => {
                info.place.ty = self.shallow(item);
                info.lenient = false;
                Target::Place(info)
            }
            target => {
                let value = self.target_value(target);
                Target::Value(self.unwrap_as_lenient(value))
            }
        }
    }

    pub(crate) fn target_ty(&self, target: &Target) -> TyId {
        self.shallow(match target {
            Target::Place(info) => info.place.ty,
            Target::Value(value) => value.ty,
        })
    }

    pub(crate) fn target_value(&mut self, target: Target) -> Expr {
        match target {
            Target::Place(info) => self.place_value(&info.place),
            Target::Value(value) => value,
        }
    }

    /// A variable as a place.
    pub(crate) fn local_place(&mut self, id: LocalId, span: Span) -> PlaceInfo {
        let meta = self.meta(id);
        let frame = self.scopes.here();
        let local = &self.scopes.frames()[frame].locals[id.0 as usize];
        let fixed = match meta.origin {
            Origin::Var | Origin::SelfMutable | Origin::Temp => None,
            origin => Some(Fixed::Local(origin, local.name.clone(), local.span)),
        };
        let place = Place {
            root: PlaceRoot::Local(id),
            path: Vec::new(),
            ty: self.shallow(local.ty),
            span,
        };
        PlaceInfo {
            lenient: meta.lenient || self.is_shown_place(&place),
            place,
            fixed,
        }
    }

    pub(super) fn global_place(&mut self, global: GlobalIdx, span: Span) -> Target {
        let Some(id) = self.cx.global_id(global, span) else {
            return Target::Value(self.bad(span));
        };
        let info = &self.cx.decls()[global];
        if info.constant.is_some() {
            // A constant has no place; assigning it is reported by its kind.
            let fixed = Some(Fixed::Global(info.name.name, info.name.span));
            let ty = info.ty.unwrap_or(TyId::ERROR);
            if matches!(
                self.ty(ty),
                Ty::Int(_) | Ty::F32 | Ty::F64 | Ty::Bool | Ty::Text
            ) {
                let place = Place {
                    root: PlaceRoot::Global(id),
                    path: Vec::new(),
                    ty,
                    span,
                };
                self.note_global_use(global, id);
                return Target::Place(PlaceInfo {
                    place,
                    fixed,
                    lenient: false,
                });
            }
        }
        let info = &self.cx.decls()[global];
        let fixed = (!info.mutable).then_some(Fixed::Global(info.name.name, info.name.span));
        let (ty, lenient) = (info.ty.unwrap_or(TyId::ERROR), info.lenient);
        self.note_global_use(global, id);
        let place = Place {
            root: PlaceRoot::Global(id),
            path: Vec::new(),
            ty,
            span,
        };
        Target::Place(PlaceInfo {
            lenient: lenient || self.is_shown_place(&place),
            place,
            fixed,
        })
    }

    /// A bare name that is a field of `self`.
    pub(super) fn self_target(&mut self, name: Ident) -> Target {
        let Some(id) = self.find_self() else {
            return Target::Value(self.bad(name.span));
        };
        let base = Target::Place(self.local_place(id, name.span));
        self.field_target(base, name, name.span)
    }

    /// A field as a place, or a method call without parentheses as a value.
    pub(super) fn field_target(&mut self, base: Target, name: Ident, span: Span) -> Target {
        if self.promise(name.name, span).is_some() {
            return self.method_target(base, name, span);
        }
        let base = self.payload_target(base);
        let ty = self.target_ty(&base);
        match self.kind(ty) {
            Ty::Adt(adt) => {
                let decl = self.cx.decl_of(adt);
                let Some(&number) = self.cx.decls()[decl].fields.get(&name.name) else {
                    return match self.variant_field(&base, name) {
                        Some(field) => Target::Value(field),
                        None => self.method_target(base, name, span),
                    };
                };
                self.cx.ensure_adt(adt);
                let Some(field) = self.cx.types().adts[adt.0 as usize]
                    .fields
                    .get(number as usize)
                    .cloned()
                else {
                    return Target::Value(self.bad(span));
                };
                self.check_private(adt, number as usize, name.span);
                let step = PlaceStep::Field(ty, number);
                let item = self.shallow(field.ty);
                let class = self.cx.types().adts[adt.0 as usize].kind == AdtKind::Class;
                let fixed_field = self.fixed_field(adt, number);
                if class {
                    let object = self.target_value(base);
                    let place = Place {
                        root: PlaceRoot::Object(Box::new(object)),
                        path: vec![step],
                        ty: item,
                        span,
                    };
                    return Target::Place(PlaceInfo {
                        lenient: self.is_shown_place(&place),
                        place,
                        fixed: fixed_field,
                    });
                }
                match base {
                    Target::Place(mut info) => {
                        info.place.path.push(step);
                        info.place.ty = item;
                        info.place.span = span;
                        info.lenient = self.is_shown_place(&info.place);
                        info.fixed = info.fixed.or(fixed_field);
                        Target::Place(info)
                    }
                    Target::Value(value) => {
                        Target::Value(self.mk(ExprKind::Field(Box::new(value), number), item, span))
                    }
                }
            }
            Ty::Tuple(members) => match members
                .iter()
                .position(|(label, _)| *label == Some(name.name))
            {
                Some(number) => {
                    let item = self.shallow(members[number].1);
                    let number = number as u32;
                    match base {
                        Target::Place(mut info) => {
                            info.place.path.push(PlaceStep::Field(ty, number));
                            info.place.ty = item;
                            info.place.span = span;
                            info.lenient = false;
                            Target::Place(info)
                        }
                        Target::Value(value) => Target::Value(self.mk(
                            ExprKind::Field(Box::new(value), number),
                            item,
                            span,
                        )),
                    }
                }
                None => self.method_target(base, name, span),
            },
            Ty::Error => Target::Value(self.bad(span)),
            _ => self.method_target(base, name, span),
        }
    }

    /// Why a field of a struct or class cannot be assigned: it is declared `val`.
    pub(super) fn fixed_field(&self, adt: AdtId, number: u32) -> Option<Fixed> {
        let decl = self.cx.decl_of(adt);
        match self.cx.decls()[decl].shape {
            Shape::Record(record, _) => record
                .fields
                .get(number as usize)
                .filter(|field| field.immutable)
                .map(|field| Fixed::Field(field.name.name, field.name.span)),
            Shape::Enum(_) => None,
        }
    }

    pub(super) fn unwrap_as_lenient(&mut self, value: Expr) -> Expr {
        let Ty::Option(item) = self.kind(value.ty) else {
            return value;
        };
        let span = value.span;
        let item = self.shallow(item);
        self.mk(
            ExprKind::Unwrap(Box::new(value), UnwrapKind::Lenient),
            item,
            span,
        )
    }

    pub(super) fn method_target(&mut self, base: Target, name: Ident, span: Span) -> Target {
        let receiver = match base {
            Target::Place(info) => method::Receiver::place(info),
            Target::Value(value) => method::Receiver::value(value),
        };
        Target::Value(self.bare_method(receiver, name, Want::Any, span))
    }

    /// The place with its indexes and its object kept in variables, so that it can be read and then assigned without
    /// evaluating them twice; the statements that fill the variables go to `out`.
    pub(crate) fn settled(&mut self, mut place: Place, out: &mut Vec<Stmt>) -> Place {
        if let PlaceRoot::Object(object) = &mut place.root {
            self.keep_in_variable(object, out);
        }
        for step in &mut place.path {
            if let PlaceStep::Index(_, index) = step {
                self.keep_in_variable(index, out);
            }
        }
        place
    }

    /// Replaces an expression by a variable that holds its value, unless reading it twice is the same.
    pub(super) fn keep_in_variable(&mut self, e: &mut Expr, out: &mut Vec<Stmt>) {
        use ExprKind::{Bool, Int, Local, Text};
        if matches!(e.kind, Bool(_) | Int(_) | Local(_) | Text(_)) {
            return;
        }
        let span = e.span;
        let temp = self.temp(e.ty, span);
        let value = std::mem::replace(e, self.read(temp, span));
        out.push(Stmt {
            kind: StmtKind::LetPattern(Pattern::Bind(temp), value),
            span,
        });
    }

    /// Reading a place.
    pub(crate) fn place_value(&mut self, place: &Place) -> Expr {
        let span = place.span;
        let mut value = match &place.root {
            PlaceRoot::Local(id) => self.read(*id, span),
            PlaceRoot::Global(id) => {
                let constant = self
                    .cx
                    .decls()
                    .globals()
                    .iter()
                    .find(|g| g.id == Some(*id))
                    .and_then(|g| g.constant.clone());
                match constant {
                    Some(constant) => Expr { span, ..constant },
                    None => {
                        let ty = self.cx.output()[*id].ty;
                        self.mk(ExprKind::Global(*id), ty, span)
                    }
                }
            }
            PlaceRoot::Object(object) => (**object).clone(),
        };
        for (number, step) in place.path.iter().enumerate() {
            value = match step {
                PlaceStep::Field(ty, number) => {
                    let item = match self.kind(*ty) {
                        Ty::Adt(adt) => {
                            self.cx.types().adts[adt.0 as usize].fields[*number as usize].ty
                        }
                        Ty::Tuple(members) => members[*number as usize].1,
                        _ => TyId::ERROR,
                    };
                    let item = self.shallow(item);
                    self.mk(ExprKind::Field(Box::new(value), *number), item, span)
                }
                PlaceStep::Index(ty, index) => match self.kind(*ty) {
                    Ty::Array(item) => {
                        let item = self.shallow(item);
                        self.mk(
                            ExprKind::Index(Box::new(value), Box::new(index.clone())),
                            item,
                            span,
                        )
                    }
                    Ty::Dict(_, item) => {
                        let option = self.intern(Ty::Option(item));
                        let found = self.mk(
                            ExprKind::Intrinsic(Intrinsic::DictGet, vec![value, index.clone()]),
                            option,
                            span,
                        );
                        let last = number + 1 == place.path.len();
                        if last && self.resolve(place.ty) == self.resolve(option) {
                            found
                        } else {
                            self.unwrap_as_lenient(found)
                        }
                    }
                    _ => self.bad(span),
                },
            };
        }
        value
    }

    /// `e` as a place that may be changed; reports why not.
    pub(crate) fn mutable_place(&mut self, e: &'a ast::Expr) -> Option<Place> {
        if let ast::ExprKind::Name(name) = &e.kind
            && self.find(name.name).is_none()
            && !self.self_member(name.name)
        {
            let mut names: Vec<&str> = self.scopes.names().map(|name| name.as_str()).collect();
            names.extend(
                self.cx
                    .visible_names(self.scopes.types().module)
                    .into_iter()
                    .map(|(n, _)| n),
            );
            let text = name.name.as_str();
            let near = simple_spelling::nearest(text, names);
            let help = match near {
                Some(near) => format!(
                    "did you mean `{near}`? A new variable is declared with `var {text} = ...`"
                ),
                None => format!(
                    "declare it with `val {text} = ...`, or `var {text} = ...` if it changes later"
                ),
            };
            let d = Diagnostic::error(
                codes::ASSIGN_UNKNOWN,
                name.span,
                format!("`{text}` is not declared"),
            )
            .help(help);
            let d = match near {
                Some(near) => d.fix(name.span, near),
                None => d,
            };
            if !self.cx.reports().is_broken(text) {
                self.cx.report(d);
            }
            // From here on it counts as declared, so that its uses are not reported as well.
            self.declare(*name, TyId::ERROR, Origin::Var);
            return None;
        }
        if let ast::ExprKind::Paren(inner) = &e.kind {
            return self.mutable_place(inner);
        }
        if let ast::ExprKind::Index(base, index, false) = &e.kind {
            let base = self.assigned(base);
            return self.element_place(base, index, e.span);
        }
        match self.assigned(e) {
            Target::Place(info) => self.changeable(info, e.span),
            Target::Value(value) => match self.assigned_method(e, &value) {
                Some(help) => {
                    let message = "this is a method, which cannot be assigned";
                    let d = Diagnostic::error(codes::NOT_A_PLACE, e.span, message).help(help);
                    self.cx.report(d);
                    None
                }
                None => self.no_place_of(&value, e.span),
            },
        }
    }

    /// For `x.name = ...` where `name` is a method: the call that sets it.
    fn assigned_method(&mut self, e: &'a ast::Expr, value: &Expr) -> Option<String> {
        let ast::ExprKind::Field(base, name, _) = &e.kind else {
            return None;
        };
        let ExprKind::Call(func, args) = &value.kind else {
            return None;
        };
        let called = self.called(*func)?.decl.name.name;
        let receiver = args.first()?.ty;
        if called != name.name {
            return None;
        }
        let sets = Symbol::intern(&format!("{called}_"));
        let sets = match self.has_method(receiver, sets) {
            true => sets,
            false => called,
        };
        let of = self.cx.input().text(base.span);
        Some(format!("call it: `{of}.{sets}(...)`"))
    }

    /// `e`, which is assigned or whose part is, as a place if it is one. After `?.` it never is.
    pub(super) fn assigned(&mut self, e: &'a ast::Expr) -> Target {
        if expr::has_safe_link(e) {
            return Target::Value(self.expr(e, Want::Any));
        }
        self.target(e)
    }

    /// Reports that a value is not a place, unless it is wrong already.
    pub(super) fn no_place_of(&mut self, value: &Expr, span: Span) -> Option<Place> {
        if self.shallow(value.ty) != TyId::ERROR {
            self.not_a_place(span);
        }
        None
    }

    /// An element of an array or dict as a place that may be changed; reports why not.
    pub(super) fn element_place(
        &mut self,
        base: Target,
        index: &'a ast::Expr,
        span: Span,
    ) -> Option<Place> {
        let base = self.payload_target(base);
        let ty = self.target_ty(&base);
        let info = match base {
            Target::Place(info) => info,
            Target::Value(value) => return self.no_place_of(&value, span),
        };
        // Before the index, which could only be compared with what is not known.
        if self.is_open(&info.place, span) {
            return None;
        }
        let info = match self.kind(ty) {
            Ty::Array(item) => {
                let index = self.array_index(index);
                self.index_step(info, ty, item, index, span)
            }
            Ty::Dict(key, item) => {
                let index = self.expr(index, Want::Ty(key));
                let index = self.coerce(index, key, Why::Index);
                self.index_step(info, ty, item, index, span)
            }
            Ty::Text => {
                let d =
                    Diagnostic::error(codes::NOT_A_PLACE, span, "text cannot be assigned by index")
                        .help("build a new text with slices and `+`");
                self.cx.report(d);
                return None;
            }
            Ty::Error => return None,
            _ => match self.member_step(info, ty, index) {
                Ok(info) => info,
                Err(_) => {
                    self.not_indexable(ty, span);
                    return None;
                }
            },
        };
        self.changeable(info, span)
    }

    pub(super) fn not_a_place(&mut self, span: Span) {
        let d = Diagnostic::error(codes::NOT_A_PLACE, span, "this cannot be assigned")
            .note("variables can be assigned, and fields and elements of variables")
            .help("bind the value with `var value = ...`, change it, and assign it back");
        self.cx.report(d);
    }
}

fn is_range(e: &ast::Expr) -> bool {
    range_parts(e).is_some()
}

/// The member of a tuple of `count` that a literal index names, counted from the end if it is negative.
pub(super) fn literal_member(index: &ast::Expr, count: usize) -> Option<u32> {
    let number = match &index.kind {
        ast::ExprKind::Int(number, None) => i64::try_from(*number).ok()?,
        ast::ExprKind::Paren(inner) => return literal_member(inner, count),
        ast::ExprKind::Unary(ast::UnaryOp::Neg, inner) => match &inner.kind {
            ast::ExprKind::Int(number, None) => {
                (count as i64).checked_sub(i64::try_from(*number).ok()?)?
            }
            _ => return None,
        },
        _ => return None,
    };
    let inside = (0..count as i64).contains(&number);
    inside.then_some(number as u32)
}

pub(super) fn range_parts(e: &ast::Expr) -> Option<(&ast::Expr, &ast::Expr, bool)> {
    match &e.kind {
        ast::ExprKind::Range(lo, hi, inclusive) => Some((lo, hi, *inclusive)),
        ast::ExprKind::Paren(inner) => range_parts(inner),
        _ => None,
    }
}
