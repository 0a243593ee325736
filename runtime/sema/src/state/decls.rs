//! What is declared: an arena for each kind of declaration, and impl blocks by what they are for.
//!
//! A declaration is read as `decls[idx]`, with an index of its kind.

use crate::decls::*;
use crate::methods::Head;
use rustc_hash::FxHashMap;
use simple_syntax::{Symbol, ast};
use std::ops::{Index, IndexMut};

/// The target of `fn a = b`, with the module that wrote it.
pub(crate) type FnAlias<'a> = (ModIdx, &'a ast::Path);

/// The declarations.
#[derive(Default)]
pub(crate) struct Decls<'a> {
    fns: Vec<FnInfo<'a>>,
    types: Vec<DeclInfo<'a>>,
    traits: Vec<TraitInfo<'a>>,
    impls: Vec<ImplInfo<'a>>,
    mixins: Vec<MixinInfo<'a>>,
    aliases: Vec<AliasInfo<'a>>,
    fn_aliases: Vec<FnAlias<'a>>,
    externs: Vec<ExternInfo<'a>>,
    extern_vars: Vec<ExternVarInfo<'a>>,
    globals: Vec<GlobalInfo>,
    groups: Vec<GroupInfo<'a>>,
    /// How many opaque types of `extern type` there are.
    handles: u32,
    /// Groups that are being checked, each because the one before needs it.
    open_groups: Vec<GroupIdx>,
    /// Nested generic functions whose bodies must be checked with opaque type parameters.
    nested_generics: Vec<FnIdx>,
    /// How many impl blocks have been entered below.
    impls_entered: usize,
    /// How many types have received what they take from mixins and forward to fields.
    types_mixed: usize,
    impl_methods: FxHashMap<(Head, Symbol), Vec<(ImplIdx, FnIdx)>>,
    trait_impls: FxHashMap<(TraitIdx, Head), Vec<ImplIdx>>,
    head_impls: FxHashMap<Head, Vec<ImplIdx>>,
}

macro_rules! arenas {
    ($($field:ident: $index:ident => $info:ty $(, $numbers:ident)?;)*) => {$(
        impl<'a> Index<$index> for Decls<'a> {
            type Output = $info;

            fn index(&self, idx: $index) -> &$info {
                &self.$field[idx.at()]
            }
        }

        impl<'a> IndexMut<$index> for Decls<'a> {
            fn index_mut(&mut self, idx: $index) -> &mut $info {
                &mut self.$field[idx.at()]
            }
        }

        impl<'a> Add<$info> for Decls<'a> {
            type Idx = $index;

            fn add(&mut self, info: $info) -> $index {
                self.$field.push(info);
                $index(self.$field.len() as u32 - 1)
            }
        }

        $(
            impl Decls<'_> {
                /// All indexes of this kind.
                pub fn $numbers(&self) -> impl Iterator<Item = $index> + use<> {
                    (0..self.$field.len() as u32).map($index)
                }
            }
        )?
    )*};
}

arenas! {
    fns: FnIdx => FnInfo<'a>, all_fns;
    types: DeclIdx => DeclInfo<'a>, all_types;
    traits: TraitIdx => TraitInfo<'a>, all_traits;
    impls: ImplIdx => ImplInfo<'a>, all_impls;
    mixins: MixinIdx => MixinInfo<'a>;
    aliases: AliasIdx => AliasInfo<'a>, all_aliases;
    fn_aliases: FnAliasIdx => FnAlias<'a>, all_fn_aliases;
    externs: ExternIdx => ExternInfo<'a>, all_externs;
    extern_vars: ExternVarIdx => ExternVarInfo<'a>, all_extern_vars;
    globals: GlobalIdx => GlobalInfo;
    groups: GroupIdx => GroupInfo<'a>;
}

/// Entering a declaration, which yields its index.
pub(crate) trait Add<T> {
    type Idx;
    fn add(&mut self, info: T) -> Self::Idx;
}

/// How many declarations of each kind there were at some time.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    types: usize,
    traits: usize,
    impls: usize,
    externs: usize,
    extern_vars: usize,
    aliases: usize,
    fn_aliases: usize,
    fns: usize,
}

impl<'a> Decls<'a> {
    pub fn counts(&self) -> Counts {
        Counts {
            types: self.types.len(),
            traits: self.traits.len(),
            impls: self.impls.len(),
            externs: self.externs.len(),
            extern_vars: self.extern_vars.len(),
            aliases: self.aliases.len(),
            fn_aliases: self.fn_aliases.len(),
            fns: self.fns.len(),
        }
    }

    /// The declarations that came after `since`.
    pub fn new_since(&self, since: Counts) -> New {
        New {
            types: self.all_types().skip(since.types).collect(),
            traits: self.all_traits().skip(since.traits).collect(),
            impls: self.all_impls().skip(since.impls).collect(),
            externs: self.all_externs().skip(since.externs).collect(),
            extern_vars: self.all_extern_vars().skip(since.extern_vars).collect(),
            aliases: self.all_aliases().skip(since.aliases).collect(),
            fn_aliases: self.all_fn_aliases().skip(since.fn_aliases).collect(),
            fns: self.all_fns().skip(since.fns).collect(),
        }
    }

    pub fn fns(&self) -> &[FnInfo<'a>] {
        &self.fns
    }

    pub fn types(&self) -> &[DeclInfo<'a>] {
        &self.types
    }

    pub fn impls(&self) -> &[ImplInfo<'a>] {
        &self.impls
    }

    pub fn globals(&self) -> &[GlobalInfo] {
        &self.globals
    }

    /// The number of a new opaque type.
    pub fn add_handle(&mut self) -> u32 {
        self.handles += 1;
        self.handles - 1
    }

    /// The type that was declared last.
    pub fn last_type_mut(&mut self) -> Option<&mut DeclInfo<'a>> {
        self.types.last_mut()
    }

    // What is being worked on

    pub fn open_group(&mut self, group: GroupIdx) {
        self.open_groups.push(group);
    }

    pub fn close_group(&mut self) {
        self.open_groups.pop();
    }

    /// The groups that are being checked, from `group` on.
    pub fn open_groups_from(&self, group: GroupIdx) -> Option<&[GroupIdx]> {
        let from = self.open_groups.iter().position(|&open| open == group)?;
        Some(&self.open_groups[from..])
    }

    pub fn queue_nested_generic(&mut self, idx: FnIdx) {
        self.nested_generics.push(idx);
    }

    pub fn next_nested_generic(&mut self) -> Option<FnIdx> {
        self.nested_generics.pop()
    }

    /// The next impl block that has not been entered, which counts as entered from here on.
    pub fn next_impl_to_enter(&mut self) -> Option<ImplIdx> {
        (self.impls_entered < self.impls.len()).then(|| {
            self.impls_entered += 1;
            ImplIdx(self.impls_entered as u32 - 1)
        })
    }

    /// The same for a type that has not received what it takes from mixins.
    pub fn next_type_to_mix(&mut self) -> Option<DeclIdx> {
        (self.types_mixed < self.types.len()).then(|| {
            self.types_mixed += 1;
            DeclIdx(self.types_mixed as u32 - 1)
        })
    }

    // Impl blocks by what they are for

    /// Enters an impl block as one of `of_trait` for types with this head.
    pub fn enter_trait_impl(&mut self, of_trait: TraitIdx, head: Head, idx: ImplIdx) {
        let known = self.trait_impls.entry((of_trait, head)).or_default();
        known.push(idx);
    }

    /// Enters an impl block and its methods for types with this head.
    pub fn enter_impl(&mut self, idx: ImplIdx, head: Head) {
        self.head_impls.entry(head).or_default().push(idx);
        for (&name, &method) in &self.impls[idx.at()].methods {
            let known = self.impl_methods.entry((head, name)).or_default();
            known.push((idx, method));
        }
    }

    /// The impl blocks of a trait for types with this head.
    pub fn trait_impls(&self, of_trait: TraitIdx, head: Head) -> &[ImplIdx] {
        let found = self.trait_impls.get(&(of_trait, head));
        found.map_or(&[], Vec::as_slice)
    }

    /// Whether there is an impl block of a trait for types with this head.
    pub fn has_trait_impl(&self, of_trait: TraitIdx, head: Head) -> bool {
        self.trait_impls.contains_key(&(of_trait, head))
    }

    /// The traits that have an impl block for types with this head.
    pub fn traits_of(&self, head: Head) -> impl Iterator<Item = TraitIdx> {
        let impls = self.trait_impls.keys();
        impls
            .filter(move |(_, of)| *of == head)
            .map(|(idx, _)| *idx)
    }

    /// All impl blocks for types with this head.
    pub fn head_impls(&self, head: Head) -> &[ImplIdx] {
        self.head_impls.get(&head).map_or(&[], Vec::as_slice)
    }

    /// The methods of one name that impl blocks have for types with this head.
    pub fn impl_methods(&self, head: Head, name: Symbol) -> &[(ImplIdx, FnIdx)] {
        let found = self.impl_methods.get(&(head, name));
        found.map_or(&[], Vec::as_slice)
    }

    pub fn has_impl_method(&self, head: Head, name: Symbol) -> bool {
        self.impl_methods.contains_key(&(head, name))
    }

    /// The names of methods that impl blocks have for types with this head.
    pub fn impl_method_names(&self, head: Head) -> impl Iterator<Item = Symbol> {
        let methods = self.impl_methods.keys();
        methods
            .filter(move |(of, _)| *of == head)
            .map(|(_, name)| *name)
    }
}

/// Declarations of each kind; see [`Decls::new_since`].
pub(crate) struct New {
    pub types: Vec<DeclIdx>,
    pub traits: Vec<TraitIdx>,
    pub impls: Vec<ImplIdx>,
    pub externs: Vec<ExternIdx>,
    pub extern_vars: Vec<ExternVarIdx>,
    pub aliases: Vec<AliasIdx>,
    pub fn_aliases: Vec<FnAliasIdx>,
    pub fns: Vec<FnIdx>,
}
