//! Which types can go to another thread: the trait `Sendable` of `std.thread`, which no type says that it implements.
//!
//! What goes is a deep copy, so every value can go whose parts can: numbers, texts, lists, dicts, sets, options,
//! results, tuples, structs, enums and classes. What stays is what a copy of would be wrong: handles of foreign
//! libraries, and instances of classes with `fn drop()`, unless the class says how it goes (`leave_thread`,
//! `enter_thread`); and weak fields. Function values and objects of traits hide what is in them, so that is looked at
//! when they go (`simple_core::cross`).

use crate::checker::Checker;
use crate::decls::{ModIdx, TraitIdx};
use crate::typed::*;
use rustc_hash::FxHashSet;
use simple_syntax::Symbol;

/// The trait.
pub(crate) const TRAIT: &str = "Sendable";
/// The file of its module, `std.thread`.
const MODULE: &str = "lib/std/thread.spl";
/// The file of tensors, which say how they go.
const TENSORS: &str = "lib/tensor/mod.spl";
/// What to do instead.
pub(crate) const ADVICE: &str = "let the thread make it, or send what it is made of";

impl<'a> Checker<'a> {
    /// Whether the program uses threads.
    pub(crate) fn has_threads(&self) -> bool {
        self.modules()
            .iter()
            .any(|(_, module)| module.path.ends_with(MODULE))
    }

    /// Whether a module is `std.thread`.
    pub(crate) fn is_thread_module(&self, module: ModIdx) -> bool {
        let module = &self.modules()[module];
        module.path.ends_with(MODULE)
    }

    /// Whether a module may pack values for other threads: one of the library, also where it is checked on its own.
    pub(crate) fn may_pack(&self, module: ModIdx) -> bool {
        let info = &self.modules()[module];
        info.library || self.is_thread_module(module) || info.path.ends_with(TENSORS)
    }

    /// Whether this is the trait of types that can go to another thread.
    pub(crate) fn is_sendable(&self, trait_idx: TraitIdx) -> bool {
        let info = &self.decls()[trait_idx];
        info.name.name.as_str() == TRAIT && self.is_thread_module(info.module)
    }

    /// Why values of a type cannot go to another thread, if they cannot.
    pub(crate) fn unsendable(&mut self, ty: TyId) -> Option<String> {
        self.unsendable_in(ty, &mut FxHashSet::default())
    }

    fn unsendable_in(&mut self, ty: TyId, seen: &mut FxHashSet<TyId>) -> Option<String> {
        if !seen.insert(ty) {
            return None;
        }
        let id = match self.types().get(ty) {
            Ty::Handle(_) => {
                let name = self.types().name(ty);
                return Some(format!("a `{name}` belongs to a foreign library"));
            }
            Ty::Adt(id) => *id,
            Ty::Fn(..) | Ty::Trait(_) => return None,
            _ => {
                let parts = self.parts(ty);
                return parts
                    .into_iter()
                    .find_map(|part| self.unsendable_in(part, seen));
            }
        };
        self.ensure_adt(id);
        let name = self.types().name(ty);
        let adt = &self.types().adts[id.0 as usize];
        let is_class = adt.kind == AdtKind::Class;
        let variants = adt.variants.iter().flat_map(|variant| &variant.fields);
        let fields: Vec<Field> = adt.fields.iter().chain(variants).cloned().collect();
        if self.is_pointer(self.decl_of(id)) {
            return Some(format!("a `{name}` is an address of a foreign library"));
        }
        if is_class {
            if self
                .concrete_method(ty, Symbol::intern("leave_thread"))
                .is_some()
            {
                return None;
            }
            if self.concrete_method(ty, Symbol::intern("drop")).is_some() {
                return Some(format!(
                    "a `{name}` has `fn drop()`, and a copy of it would be dropped too"
                ));
            }
        }
        for field in fields {
            let shown = field.name.map_or_else(String::new, |name| name.to_string());
            if field.weak {
                return Some(format!("the field `{shown}` of `{name}` is weak"));
            }
            if let Some(reason) = self.unsendable_in(field.ty, seen) {
                return Some(match shown.as_str() {
                    "" => reason,
                    shown => format!("in the field `{shown}` of `{name}`: {reason}"),
                });
            }
        }
        None
    }
}
