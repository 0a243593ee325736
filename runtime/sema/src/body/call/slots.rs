//! Which argument each parameter or field takes: by its name, by its place, or with others as the rest.
//!
//! Leaves out their values; next: `args.rs`.

use super::args::{Callee, Given, GivenValue, Member};
use super::*;
use crate::codes;
use crate::counts::{counted, given_count};
use crate::mentions;
use crate::methods::Head;
use simple_syntax::Diagnostic;
use simple_syntax::ast::{self, Takes};

/// A parameter or field that takes an argument.
pub(crate) struct Slot<'a> {
    pub(crate) name: Symbol,
    pub(crate) ty: TyId,
    pub(crate) default: Option<SlotDefault<'a>>,
    pub(crate) takes: Takes,
    /// A variant's unnamed payload cannot be named.
    pub(crate) named: bool,
    /// Given by name only.
    pub(crate) by_name: bool,
    /// The module of the default, if it is not the callee's: that of a mixin.
    pub(crate) home: Option<ModIdx>,
}

impl<'a> Slot<'a> {
    /// Whether it takes any number of positional arguments.
    pub(in crate::body) fn is_variadic(&self) -> bool {
        self.takes.is_variadic()
    }

    /// The parameters of a declaration, of these types.
    pub(in crate::body) fn of_params(params: &'a [ast::Param], types: &[TyId]) -> Vec<Slot<'a>> {
        let one = |(param, &ty): (&'a ast::Param, &TyId)| Slot {
            name: param.name.name,
            ty,
            default: param.default.as_ref().map(SlotDefault::Written),
            takes: param.takes(),
            named: true,
            by_name: false,
            home: None,
        };
        params.iter().zip(types).map(one).collect()
    }
}

/// What replaces an argument that is left out.
#[derive(Clone, Copy)]
pub(crate) enum SlotDefault<'a> {
    /// An expression of a declaration, evaluated in its scope.
    Written(&'a ast::Expr),
    /// A closure that a variable of frame `home` holds, called with the arguments before if `takes_earlier`.
    Closure {
        home: usize,
        local: LocalId,
        takes_earlier: bool,
    },
    /// The argument of an earlier parameter once more.
    Earlier(usize),
}

impl SlotDefault<'_> {
    /// Whether it is made from arguments before it.
    pub(in crate::body) fn uses_earlier(self, slots: &[Slot<'_>]) -> bool {
        match self {
            SlotDefault::Written(default) => {
                mentions::any(default, |name| slots.iter().any(|slot| slot.name == name))
            }
            SlotDefault::Closure { takes_earlier, .. } => takes_earlier,
            SlotDefault::Earlier(_) => true,
        }
    }
}

/// What a slot takes.
#[derive(Clone)]
pub(in crate::body) enum Source {
    Given(usize),
    Rest(Vec<usize>),
    Default,
    Missing,
}

impl<'c, 'a> Body<'c, 'a> {
    /// Gives the parameters of a method that has no defaults for them those of its trait: the trait of its impl, or one
    /// that its type names after `with`.
    pub(in crate::body) fn defaults_of_trait(&mut self, fn_idx: FnIdx, slots: &mut [Slot<'a>]) {
        if slots.iter().all(|slot| slot.default.is_some()) {
            return;
        }
        let decls = self.cx.decls();
        let info = &decls[fn_idx];
        let name = info.decl.name.name;
        let traits: Vec<TraitIdx> = match info.owner {
            Owner::Impl(of) => decls[of].trait_idx.into_iter().collect(),
            Owner::Type(decl) if !info.is_static => {
                let impls = decls.head_impls(Head::Adt(decl)).iter();
                let named = impls.filter(|&&of| decls[of].with.is_some());
                named.filter_map(|&of| decls[of].trait_idx).collect()
            }
            _ => return,
        };
        for of_trait in traits {
            let generics = self.cx.decls()[of_trait].generics.clone();
            let args = self.cx.opaque_args(&generics[1..]);
            for above in self.cx.all_traits(of_trait, &args) {
                if let Some(&declared) = self.cx.decls()[above].methods.get(&name) {
                    self.defaults_of(declared, slots);
                }
            }
        }
    }

    fn defaults_of(&self, declared: FnIdx, slots: &mut [Slot<'a>]) {
        let declared = &self.cx.decls()[declared];
        for (slot, param) in slots.iter_mut().zip(&declared.decl.params) {
            // A default may use the parameters before it by their names.
            if slot.name != param.name.name {
                return;
            }
            if let (None, Some(default)) = (slot.default, &param.default) {
                slot.default = Some(SlotDefault::Written(default));
                slot.home = Some(declared.module);
            }
        }
    }

    /// What each slot takes of the arguments, by their numbers; nothing where they do not fit, which is reported.
    pub(in crate::body) fn match_slots(
        &mut self,
        slots: &[Slot<'a>],
        given: &[Given<'a>],
        callee: Callee<'_>,
        span: Span,
    ) -> Option<Vec<Source>> {
        // It may lack fields that could not be read.
        let of_field = callee.member == Member::Field;
        if of_field && self.cx.reports_mut().follows_from_broken(callee.name) {
            return None;
        }
        let mut sources: Vec<Source> = vec![Source::Missing; slots.len()];
        let mut next = 0;
        let mut ok = true;
        let mut extra = 0;
        let mut told_of_maker = false;
        for (index, arg) in given.iter().enumerate() {
            if let Some(label) = arg.label {
                let labelled = slots.iter().position(|s| s.named && s.name == label.name);
                match labelled {
                    Some(slot) if matches!(sources[slot], Source::Missing) => {
                        sources[slot] = Source::Given(index);
                        continue;
                    }
                    Some(_) => self.given_twice(label, callee),
                    // That the type is made by another function is reported once for all arguments.
                    None if told_of_maker => {}
                    None => told_of_maker = self.unknown_label(label, slots, callee),
                }
                ok = false;
                continue;
            }
            if arg.spread && !slots.get(next).is_some_and(|s| s.is_variadic()) {
                self.spread_into_one(arg, callee);
                return None;
            }
            // A block or trailing lambda goes to the last parameter that is free.
            if matches!(arg.value, GivenValue::Block(_))
                && let Some(slot) = slots.iter().rposition(|s| !s.is_variadic() && !s.by_name)
                && matches!(sources[slot], Source::Missing)
            {
                sources[slot] = Source::Given(index);
                continue;
            }
            while next < slots.len()
                && !slots[next].is_variadic()
                && !matches!(sources[next], Source::Missing)
            {
                next += 1;
            }
            match slots.get(next).filter(|slot| !slot.by_name) {
                Some(slot) if slot.is_variadic() => match &mut sources[next] {
                    Source::Rest(indexes) => indexes.push(index),
                    source => *source = Source::Rest(vec![index]),
                },
                Some(_) => {
                    sources[next] = Source::Given(index);
                    next += 1;
                }
                None => extra += 1,
            }
        }
        if extra > 0 {
            let at = given.get(given.len() - extra).map_or(span, |g| g.span);
            let count = slots.iter().filter(|slot| !slot.by_name).count();
            self.too_many(at, count, given, callee);
            return None;
        }
        if !ok {
            return None;
        }
        self.fill(sources, slots, given, callee, span)
    }

    /// Lets the slots that take no argument take their default or an empty rest; reports those that have none.
    fn fill(
        &mut self,
        mut sources: Vec<Source>,
        slots: &[Slot<'a>],
        given: &[Given<'a>],
        callee: Callee<'_>,
        span: Span,
    ) -> Option<Vec<Source>> {
        let mut missing = Vec::new();
        let mut row = None;
        // A parameter that could have been left out, and was given the argument that was meant for a later one.
        let mut taken = None;
        let mut filled = None;
        for (at, (source, slot)) in sources.iter_mut().zip(slots).enumerate() {
            let by_place = matches!(source, Source::Given(at) if given[*at].label.is_none());
            if by_place && slot.default.is_some() {
                filled = Some(slot.name);
            }
            if matches!(source, Source::Missing) {
                if slot.default.is_some() {
                    *source = Source::Default;
                } else if slot.takes == Takes::Rest {
                    *source = Source::Rest(Vec::new());
                } else {
                    missing.push(format!("`{}`", slot.name));
                    if slot.is_variadic() {
                        row = Some(super::rest::forms(slots, at, callee));
                    }
                    taken = taken.or(filled.map(|filled| (filled, slot.name)));
                }
            }
        }
        if missing.is_empty() {
            return Some(sources);
        }
        self.missing(&missing, (taken, row), callee, span);
        None
    }

    /// Reports a label that no slot has; whether the report says how values of the type are made.
    fn unknown_label(&mut self, label: ast::Ident, slots: &[Slot<'a>], callee: Callee<'_>) -> bool {
        let named = slots.iter().filter(|slot| slot.named);
        let names: Vec<&str> = named.map(|slot| slot.name.as_str()).collect();
        let written = label.name.as_str();
        self.cx.reports_mut().offer(written, names.iter().copied());
        let code = match callee.member {
            Member::Field => codes::UNKNOWN_FIELD,
            Member::Parameter => codes::ARG_LABEL,
        };
        let noun = callee.member.noun();
        let message = format!("{} has no {noun} `{}`", callee.shown(), label.name);
        let mut d = Diagnostic::error(code, label.span, message);
        let near = simple_spelling::nearest(label.name.as_str(), names.iter().copied());
        if let Some(near) = near {
            d = d
                .help(format!("did you mean `{near}`?"))
                .fix(label.span, near);
        }
        let foreign = callee.declared.is_some_and(|at| at.file != label.span.file);
        let setting = crate::suggest::foreign_setting(label.name.as_str());
        let mut told_of_maker = false;
        if let (None, true, Some(help)) = (&d.help, foreign, setting) {
            d = d.help(help);
        } else if let (None, Some(maker)) = (&d.help, callee.maker) {
            told_of_maker = true;
            d = d.help(maker);
        } else if d.help.is_none() && !names.is_empty() {
            d = d.note(format!(
                "there {} {}",
                if names.len() == 1 { "is" } else { "are" },
                crate::modules::listing(&names)
            ));
        }
        d.related
            .extend(callee.declared.map(|span| (span, "declared here".into())));
        self.cx.report(d);
        told_of_maker
    }

    fn given_twice(&mut self, label: ast::Ident, callee: Callee<'_>) {
        let code = match callee.member {
            Member::Field => codes::DUPLICATE_FIELD,
            Member::Parameter => codes::ARG_LABEL,
        };
        let noun = callee.member.noun();
        let message = format!("the {noun} `{}` is given twice", label.name);
        self.cx.error(code, label.span, message);
    }

    fn spread_into_one(&mut self, arg: &Given<'a>, callee: Callee<'_>) {
        let d = Diagnostic::error(
            codes::ARG_COUNT,
            arg.span,
            "an array spreads only into a `...` parameter: its length is known only at run time",
        );
        let d = match callee.declared {
            Some(span) => d.related(span, "declared here"),
            None => d,
        };
        self.cx.report(d);
    }

    /// Reports arguments that no slot takes, the first of them at `at`.
    fn too_many(&mut self, at: Span, slots: usize, given: &[Given<'a>], callee: Callee<'_>) {
        let message = format!(
            "{} takes {}, but {}",
            callee.shown(),
            counted(slots, callee.member.argument_noun()),
            given_count(given.len())
        );
        let d = Diagnostic::error(codes::ARG_COUNT, at, message);
        let mut d = match callee.declared {
            Some(span) => d.related(span, "declared here"),
            None => d,
        };
        d.help = callee.maker.map(str::to_owned);
        if let Some(name) = given.iter().find_map(|arg| arg.command()) {
            d.help = Some(format!(
                "a comma ends the lambda before it: write the call in it with parentheses, `{name}(...)`"
            ));
        }
        self.cx.report(d);
    }

    /// Reports slots that have no argument and no default. `taken` is one with a default that took the argument of a
    /// later one, `row` the forms of one that takes any number.
    fn missing(
        &mut self,
        missing: &[String],
        (taken, row): (Option<(Symbol, Symbol)>, Option<String>),
        callee: Callee<'_>,
        span: Span,
    ) {
        let code = match callee.member {
            Member::Field => codes::MISSING_FIELD,
            Member::Parameter => codes::ARG_COUNT,
        };
        let noun = callee.member.argument_noun();
        let plural = if missing.len() == 1 { "" } else { "s" };
        let message = format!(
            "missing {noun}{plural} {} of {}",
            missing.join(", "),
            callee.shown()
        );
        let mut d = Diagnostic::error(code, span, message);
        if let Some((filled, name)) = taken {
            d = d.note(format!(
                "arguments without a name go to the parameters in order, so `{filled}` has one although it has a default; \
                 `{name}` can be given by its name: `{name}: ...`"
            ));
        }
        if let Some(forms) = &row {
            d = d.note(format!("{forms}; none at all is `[]`"));
        }
        // What Python has under the name of a function of the library needs no look at its source.
        let foreign = crate::suggest::without_argument(callee.name)
            .or_else(|| crate::suggest::foreign_function(callee.name))
            .filter(|_| row.is_none() && callee.declared.is_some_and(|at| at.file != span.file));
        match foreign.or(callee.maker) {
            Some(help) if foreign.is_some() => d = d.help(help),
            help => {
                d.help = help.map(str::to_owned);
                d.related
                    .extend(callee.declared.map(|span| (span, "declared here".into())));
            }
        }
        self.cx.report(d);
    }
}
