//! Optionals that a test has shown to be there: what `if x != nil:` says about `x` in its block.
//!
//! ```text
//! if x != nil: A            x is there in A
//! if x == nil: return       x is there after it
//! x != nil and B            x is there in B; so with `x == nil or B`, `not`, `while`, `assert`
//! x = 5                     x is there until the next assignment
//! match x: case nil: ...    x is there in the arms below
//! ```
//!
//! What is there is a *lenient* optional (`value/convert.rs`): its type stays optional, so `x ?? 0`, `x!` and `x ==
//! nil` mean what they mean elsewhere, and it is its payload wherever one is needed. That use is checked when the
//! program runs, so what this module does not see, such as a call that assigns the variable, ends in an error at that
//! line and nowhere else.
//!
//! `x is T` of an object of a trait says likewise that it is a `T`: then it is one wherever something is done with it,
//! its field or method is used, or a `T` is needed. `x is Variant` of an enum gives the fields of that variant:
//! `x.name`.
//!
//! Variables count, and fields reached from them by names. Leaves out elements of lists and dicts, and what `x is T`
//! says where it does not hold.

use super::place::Target;
use super::*;
use crate::mentions::{self, Mention};
use crate::typed::{Expr, Stmt};
use rustc_hash::FxHashSet;
use simple_syntax::ast;

/// A variable, or a field that is reached from one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::body) struct Path {
    root: Root,
    fields: Vec<u32>,
    /// The names of the variable and of the fields.
    names: Vec<Symbol>,
    what: Shown,
}

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shown {
    /// The optional is there.
    There,
    /// The object of a trait is of this type.
    Is(TyId),
    /// The enum is this variant.
    Variant(AdtId, u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Root {
    /// A variable of the frame with this number.
    Local(usize, LocalId),
    Global(GlobalId),
}

impl Path {
    /// Whether `self` is `other`, or a part of what `other` holds.
    fn is_in(&self, other: &Path) -> bool {
        self.root == other.root && self.fields.starts_with(&other.fields)
    }

    fn showing(self, what: Shown) -> Path {
        Path { what, ..self }
    }

    fn is_there(&self) -> bool {
        self.what == Shown::There
    }

    /// Whether it is about the same place as `other`.
    fn is_at(&self, other: &Path) -> bool {
        self.root == other.root && self.fields == other.fields
    }

    /// Whether this is about a variable of a function that is no longer being checked.
    pub(in crate::body) fn is_inside(&self, frames: usize) -> bool {
        matches!(self.root, Root::Local(frame, _) if frame >= frames)
    }
}

/// What is known to be there.
pub(in crate::body) type Present = Vec<Path>;

impl<'a> Body<'_, 'a> {
    /// Whether a value is an optional that is known to be there.
    pub(in crate::body) fn is_shown(&self, e: &Expr) -> bool {
        if self.scopes.present().is_empty() {
            return false;
        }
        match &e.kind {
            ExprKind::Block(_, Some(tail)) => self.is_shown(tail),
            _ => self
                .path_of(e)
                .is_some_and(|path| self.scopes.present().contains(&path)),
        }
    }

    /// The same for a place.
    pub(in crate::body) fn is_shown_place(&self, place: &Place) -> bool {
        !self.scopes.present().is_empty()
            && self
                .path_of_place(place)
                .is_some_and(|(path, whole)| whole && self.scopes.present().contains(&path))
    }

    /// The same for a variable of a function around this one.
    pub(in crate::body) fn is_shown_local(&self, frame: usize, id: LocalId) -> bool {
        let root = Root::Local(frame, id);
        let mut present = self.scopes.present().iter();
        present.any(|path| path.root == root && path.fields.is_empty() && path.is_there())
    }

    /// The type that an object of a trait is known to be of.
    pub(in crate::body) fn shown_type(&self, e: &Expr) -> Option<TyId> {
        if self.scopes.present().is_empty() || !matches!(self.kind(e.ty), Ty::Trait(_)) {
            return None;
        }
        let path = self.path_of(e)?;
        let mut known = self.scopes.present().iter().rev();
        known.find_map(|shown| match shown.what {
            Shown::Is(ty) if shown.is_at(&path) => Some(ty),
            _ => None,
        })
    }

    /// An object of a trait as a value of the type that a test has shown it to be of, anything else unchanged.
    pub(in crate::body) fn as_shown(&mut self, e: Expr) -> Expr {
        match self.shown_type(&e) {
            Some(ty) => self.downcast_to(e, ty),
            None => e,
        }
    }

    fn downcast_to(&mut self, e: Expr, ty: TyId) -> Expr {
        let span = e.span;
        self.duties.add_object(e.ty, ty);
        let option = self.intern(Ty::Option(ty));
        let value = self.mk(ExprKind::Downcast(Box::new(e)), option, span);
        let kind = ExprKind::Unwrap(Box::new(value), UnwrapKind::Lenient);
        self.mk(kind, ty, span)
    }

    /// An object of a trait that a test has shown to be of a type is a value of that type.
    pub(in crate::body) fn narrowed_target(&mut self, target: Target) -> Target {
        let value = self.value_at(&target);
        match self.shown_type(&value) {
            Some(_) => Target::Value(self.as_shown(value)),
            None => target,
        }
    }

    /// A copy of what a target reads.
    fn value_at(&mut self, target: &Target) -> Expr {
        match target {
            Target::Place(info) => self.place_value(&info.place),
            Target::Value(value) => value.clone(),
        }
    }

    /// A field of the variant that a test has shown an enum to be.
    pub(in crate::body) fn variant_field(
        &mut self,
        base: &Target,
        name: ast::Ident,
    ) -> Option<Expr> {
        if self.scopes.present().is_empty() {
            return None;
        }
        let e = self.value_at(base);
        let path = self.path_of(&e)?;
        let mut known = self.scopes.present().iter().rev();
        let (adt, number) = known.find_map(|shown| match shown.what {
            Shown::Variant(adt, number) if shown.is_at(&path) => Some((adt, number)),
            _ => None,
        })?;
        if self.kind(e.ty) != Ty::Adt(adt) {
            return None;
        }
        let variant = &self.cx.types().adts[adt.0 as usize].variants[number as usize];
        let count = variant.fields.len();
        let at = variant
            .fields
            .iter()
            .position(|f| f.name == Some(name.name))?;
        let (ty, span) = (variant.fields[at].ty, e.span.to(name.span));
        let part = self.temp(ty, span);
        let mut parts = vec![Pattern::Wildcard; count];
        parts[at] = Pattern::Bind(part);
        let message = format!(
            "`{}` is another variant by now",
            self.cx.input().text(e.span)
        );
        let message = self.mk(ExprKind::Text(message), TyId::TEXT, span);
        let panic = ExprKind::Intrinsic(Intrinsic::Panic, vec![message]);
        let arm = |pattern, body| Arm {
            pattern,
            guard: None,
            body,
        };
        let arms = vec![
            arm(Pattern::Variant(adt, number, parts), self.read(part, span)),
            arm(Pattern::Wildcard, self.mk(panic, TyId::NEVER, span)),
        ];
        let scrutinee = Box::new(e);
        Some(self.mk(ExprKind::Match { scrutinee, arms }, ty, span))
    }

    /// The payload of an optional that a test has shown to be there, anything else unchanged: for values whose type
    /// nothing asks for.
    pub(in crate::body) fn present_payload(&mut self, e: Expr) -> Expr {
        match self.is_shown(&e) {
            true => self.unwrap_lenient(e),
            false => self.as_shown(e),
        }
    }

    /// Whether a name, or a field reached by names, is an optional that is used as its payload: one that is known to be
    /// there, or a lenient variable.
    pub(in crate::body) fn names_option(&mut self, e: &ast::Expr) -> bool {
        let mut names = Vec::new();
        let mut at = e;
        loop {
            match &at.kind {
                ast::ExprKind::Name(name) => {
                    names.push(name.name);
                    break;
                }
                ast::ExprKind::Field(base, name, false) => {
                    names.push(name.name);
                    at = base;
                }
                ast::ExprKind::SelfValue => {
                    names.push(self.scopes.self_name());
                    break;
                }
                ast::ExprKind::Paren(inner) | ast::ExprKind::Unwrap(inner) => at = inner,
                _ => return false,
            }
        }
        names.reverse();
        let first = self.scopes.bound(names[0]);
        if let ([_], Some(Bound::Local(frame, id))) = (&names[..], first)
            && self.scopes.frames()[frame].meta[id.0 as usize].lenient
        {
            return true;
        }
        if let ([name], None) = (&names[..], first)
            && let Some(Def::Global(global)) = self.cx.lookup(self.scopes.types().module, *name)
            && self.cx.decls()[global].lenient
        {
            return true;
        }
        let mut present = self.scopes.present().iter();
        present.any(|path| {
            path.is_there()
                && match (path.root, first) {
                    (Root::Local(frame, id), Some(Bound::Local(at, found))) => {
                        (frame, id) == (at, found) && path.names == names
                    }
                    // A field of `self` is written without it.
                    (Root::Local(..), None) => {
                        path.names[0] == self.scopes.self_name() && path.names[1..] == names[..]
                    }
                    (Root::Global(_), None) => path.names == names,
                    _ => false,
                }
        })
    }

    fn path_of(&self, e: &Expr) -> Option<Path> {
        match &e.kind {
            ExprKind::Local(id) => self.path_of_local(*id),
            ExprKind::Global(id) => Some(self.path_of_global(*id)),
            ExprKind::Field(base, number) => self.extended(self.path_of(base)?, base.ty, *number),
            // A field of what is there.
            ExprKind::Unwrap(inner, _) => self.path_of(inner),
            _ => None,
        }
    }

    /// The path of a place, and whether it is the place itself: an element of a list is not.
    fn path_of_place(&self, place: &Place) -> Option<(Path, bool)> {
        let mut path = match &place.root {
            PlaceRoot::Local(id) => self.path_of_local(*id)?,
            PlaceRoot::Global(id) => self.path_of_global(*id),
            PlaceRoot::Object(object) => self.path_of(object)?,
        };
        for step in &place.path {
            match step {
                PlaceStep::Field(ty, number) => path = self.extended(path, *ty, *number)?,
                PlaceStep::Index(..) => return Some((path, false)),
            }
        }
        Some((path, true))
    }

    fn path_of_local(&self, id: LocalId) -> Option<Path> {
        let frame = self.scopes.here();
        let local = self.scopes.frame().locals.get(id.0 as usize)?;
        Some(Path {
            root: Root::Local(frame, id),
            fields: Vec::new(),
            names: vec![Symbol::intern(&local.name)],
            what: Shown::There,
        })
    }

    fn path_of_global(&self, id: GlobalId) -> Path {
        Path {
            root: Root::Global(id),
            fields: Vec::new(),
            names: vec![self.cx.global(id).name.name],
            what: Shown::There,
        }
    }

    fn extended(&self, mut path: Path, ty: TyId, number: u32) -> Option<Path> {
        let Ty::Adt(adt) = self.kind(ty) else {
            return None;
        };
        let adt = &self.cx.types().adts[adt.0 as usize];
        path.names.push(adt.fields.get(number as usize)?.name?);
        path.fields.push(number);
        Some(path)
    }

    /// What is there where a condition holds, or where it does not.
    fn shown(&self, cond: &Expr, holds: bool) -> Present {
        let both = |a: &Expr, b: &Expr| {
            let mut found = self.shown(a, holds);
            found.extend(self.shown(b, holds));
            found
        };
        let either = |a: &Expr, b: &Expr| common(self.shown(a, holds), &self.shown(b, holds));
        match &cond.kind {
            ExprKind::IsPresent(value) if holds => self.path_of(value).into_iter().collect(),
            ExprKind::IsType(value, ty) if holds => {
                let path = self.path_of(value);
                path.into_iter()
                    .map(|it| it.showing(Shown::Is(*ty)))
                    .collect()
            }
            ExprKind::If {
                cond,
                then,
                otherwise: Some(otherwise),
            } if holds && matches!(otherwise.kind, ExprKind::Bool(false)) => {
                self.shown_by_pattern(cond, then)
            }
            ExprKind::Not(inner) => self.shown(inner, !holds),
            ExprKind::And(a, b) if holds => both(a, b),
            ExprKind::And(a, b) => either(a, b),
            ExprKind::Or(a, b) if holds => either(a, b),
            ExprKind::Or(a, b) => both(a, b),
            _ => Present::new(),
        }
    }

    /// What `value is Variant` shows, and `value is T` of an optional: tests that are patterns.
    fn shown_by_pattern(&self, cond: &Cond, then: &Expr) -> Present {
        let Cond::Pattern(pattern, value) = cond else {
            return Present::new();
        };
        let Some(path) = self.path_of(value) else {
            return Present::new();
        };
        let inner = |pattern: &Pattern| match pattern {
            Pattern::Variant(adt, number, _) => Some(Shown::Variant(*adt, *number)),
            Pattern::Bind(part) => match &then.kind {
                ExprKind::IsType(tested, ty) => {
                    let same = matches!(tested.kind, ExprKind::Local(id) if id == *part);
                    same.then_some(Shown::Is(*ty))
                }
                _ => None,
            },
            _ => None,
        };
        let mut shown = Present::new();
        let what = match pattern {
            Pattern::Some(payload) => {
                shown.push(path.clone());
                inner(payload)
            }
            pattern => inner(pattern),
        };
        shown.extend(what.map(|what| path.showing(what)));
        shown
    }

    /// What an arm of a `match` says of the value that is matched: `nil_taken` where an arm above takes `nil`.
    pub(in crate::body) fn assume_arm(
        &mut self,
        scrutinee: &Expr,
        pattern: &Pattern,
        nil_taken: bool,
    ) {
        let Some(path) = self.path_of(scrutinee) else {
            return;
        };
        let variant = |pattern: &Pattern| match pattern {
            Pattern::Variant(adt, number, _) => Some(Shown::Variant(*adt, *number)),
            _ => None,
        };
        let there = match pattern {
            Pattern::Some(_) => true,
            Pattern::Wildcard | Pattern::Bind(_) => nil_taken,
            _ => false,
        };
        if there && matches!(self.kind(scrutinee.ty), Ty::Option(_)) {
            self.note_present(path.clone());
        }
        let shown = match pattern {
            Pattern::Some(payload) => variant(payload),
            pattern => variant(pattern),
        };
        if let Some(what) = shown {
            self.note_present(path.showing(what));
        }
    }

    /// From here on the condition is known to hold, or not to.
    pub(in crate::body) fn assume(&mut self, cond: &Expr, holds: bool) {
        for path in self.shown(cond, holds) {
            self.note_present(path);
        }
    }

    /// The same of the condition of `if` and `while`.
    pub(in crate::body) fn assume_cond(&mut self, cond: &Cond, holds: bool) {
        if let Cond::Expr(e) = cond {
            self.assume(e, holds);
        }
    }

    /// Takes note of what a statement assigns.
    pub(in crate::body) fn note_assigned(&mut self, stmt: &Stmt) {
        let (place, there) = match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let there = matches!(value.kind, ExprKind::Some(_)) || self.is_shown(value);
                (place, there)
            }
            _ => return,
        };
        if self.scopes.present().is_empty() && !there {
            return;
        }
        let Some((path, whole)) = self.path_of_place(place) else {
            return;
        };
        if !whole {
            return;
        }
        let present = self.scopes.present_mut();
        present.retain(|known| !known.is_in(&path));
        if there {
            present.push(path);
        }
    }

    /// Each path is known once, however often it is tested.
    fn note_present(&mut self, path: Path) {
        let present = self.scopes.present_mut();
        if !present.contains(&path) {
            present.push(path);
        }
    }

    /// From here on a variable is known to be there.
    pub(in crate::body) fn note_shown(&mut self, id: LocalId) {
        if let Some(path) = self.path_of_local(id) {
            self.note_present(path);
        }
    }

    /// What a loop assigns is not known to be there when a turn begins.
    pub(in crate::body) fn forget_assigned(
        &mut self,
        cond: Option<&'a ast::Cond>,
        body: &'a ast::Block,
    ) {
        if self.scopes.present().is_empty() {
            return;
        }
        let mut names = FxHashSet::default();
        let mut note = |mention: Mention<'_>| {
            if let Mention::Assigned(name) | Mention::AssignedField(name) = mention {
                names.insert(name);
            }
        };
        if let Some(cond) = cond {
            mentions::cond(cond, &mut note);
        }
        mentions::block(body, &mut note);
        self.scopes
            .present_mut()
            .retain(|path| !path.names.iter().any(|name| names.contains(name)));
    }
}

/// What is known where several paths through a statement meet: what is known at the end of each that reaches it.
#[derive(Default)]
pub(in crate::body) struct Ends(Option<Present>);

impl Ends {
    /// A path that ends here, unless it `never` comes to its end.
    pub(in crate::body) fn add(&mut self, end: Present, never: bool) {
        if never {
            return;
        }
        self.0 = Some(match self.0.take() {
            Some(before) => common(before, &end),
            None => end,
        });
    }

    /// What all of them know; nothing if no path comes here.
    pub(in crate::body) fn meet(self) -> Present {
        self.0.unwrap_or_default()
    }
}

fn common(mut a: Present, b: &Present) -> Present {
    a.retain(|path| b.contains(path));
    a
}
