//! Everything of a program that is memory and not code: texts, descriptors, method tables, variables, constant bytes.
//!
//! The layout is fixed and mapped before any function is compiled, so that code refers to it by plain addresses. What
//! refers to code in turn (destructors in descriptors, method tables, closures) is filled in once code has a place:
//! [`Fixup`]. Objects here start with an immortal count. Next: `link/` gives code its place.

use super::host::{self, Word};
use rustc_hash::{FxHashMap, FxHashSet};
use simple_core::layout::{
    ARRAY_DATA, COUNT, DESC, DESC_DESTROY, FIELDS, Header, IMMORTAL, TABLE_SIZE, TEXT_BYTE_LEN,
    TEXT_CAPACITY, TEXT_CHAR_LEN, TEXT_DATA, TypeDesc,
};
use simple_middle::mir::{Address, Const, DescId, FnId, Inst, Module, SlotId};
use std::mem::{offset_of, size_of};

/// A word of the data that holds the address of a function's code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixup {
    /// Where the word is, from the start of the data.
    pub(crate) offset: usize,
    /// Whose address it holds.
    pub(crate) func: FnId,
}

/// Where a closure without captures is, with a descriptor that says its name.
#[derive(Clone, Copy, Debug)]
struct ClosureHome {
    func: FnId,
    object: usize,
    desc: usize,
    name: usize,
}

/// Where every constant of a module is, as offsets from the start of its data.
#[derive(Debug, Default)]
pub(crate) struct DataLayout {
    texts: Vec<usize>,
    descs: Vec<usize>,
    desc_names: Vec<usize>,
    empties: Vec<usize>,
    closures: Vec<ClosureHome>,
    /// Where a function's closure is among them.
    homes: FxHashMap<FnId, usize>,
    vtables: Vec<usize>,
    statics: Vec<usize>,
    bytes: Vec<usize>,
    bound: usize,
    /// Size in bytes.
    pub(crate) size: usize,
}

impl DataLayout {
    /// The functions of closures without captures, in the order in which code names them first.
    pub(crate) fn closures_of(module: &Module) -> Vec<FnId> {
        let mut seen = FxHashSet::default();
        let blocks = module.funcs.iter().flat_map(|func| &func.blocks);
        blocks
            .flat_map(|block| &block.insts)
            .filter_map(|inst| match inst {
                Inst::Const(_, Const::Closure(id)) => Some(*id),
                _ => None,
            })
            .filter(|&id| seen.insert(id))
            .collect()
    }

    /// Places every constant of the module, and a closure for each of these functions.
    pub(crate) fn new(module: &Module, closures: &[FnId]) -> DataLayout {
        let mut layout = DataLayout::default();
        let mut size = 0usize;
        let mut take = |bytes: usize| {
            let offset = size;
            size += bytes.next_multiple_of(8);
            offset
        };
        take(Word::SIZE);
        // What is written often comes first and together.
        layout.statics = module
            .statics
            .iter()
            .map(|&bytes| take(bytes as usize))
            .collect();
        layout.bound = take(module.externs.len());
        layout.texts = module
            .texts
            .iter()
            .map(|text| take(TEXT_DATA as usize + (text.len() + 1).max(simple_core::text::WORD)))
            .collect();
        layout.descs = module
            .descs
            .iter()
            .map(|_| take(size_of::<TypeDesc>()))
            .collect();
        layout.empties = module
            .descs
            .iter()
            .map(|_| take(TABLE_SIZE as usize))
            .collect();
        layout.vtables = module
            .vtables
            .iter()
            .map(|methods| take(methods.len() * 8))
            .collect();
        layout.bytes = (module.bytes.iter())
            .map(|bytes| take(bytes.content.len()))
            .collect();
        for &func in closures {
            let home = ClosureHome {
                func,
                object: take(FIELDS as usize + 8),
                desc: take(size_of::<TypeDesc>()),
                name: take(module.funcs[func.0 as usize].name.len()),
            };
            layout.homes.insert(func, layout.closures.len());
            layout.closures.push(home);
        }
        layout.desc_names = module
            .descs
            .iter()
            .map(|desc| take(desc.name.len()))
            .collect();
        layout.size = size;
        layout
    }

    /// The offset of a constant that is memory; `None` for the others.
    pub(crate) fn offset(&self, constant: Const) -> Option<usize> {
        match constant {
            Const::Text(id) => Some(self.texts[id.0 as usize]),
            Const::Desc(id) => Some(self.descs[id.0 as usize]),
            Const::Empty(id) => Some(self.empties[id.0 as usize]),
            Const::Closure(id) => Some(self.closures[self.homes[&id]].object),
            Const::Vtable(id) => Some(self.vtables[id.0 as usize]),
            Const::Static(id) => Some(self.statics[id.0 as usize]),
            Const::Bytes(id) => Some(self.bytes[id.0 as usize]),
            Const::Int(_)
            | Const::Float(_)
            | Const::Func(_)
            | Const::Slot(SlotId(_))
            | Const::Site(_) => None,
        }
    }

    /// The functions of the closures, as [`DataLayout::new`] was given them.
    pub(crate) fn closures(&self) -> Vec<FnId> {
        self.closures.iter().map(|home| home.func).collect()
    }

    /// The offset of the byte that is 1 once foreign function `index` is bound.
    pub(crate) fn bound_flag(&self, index: usize) -> usize {
        self.bound + index
    }

    /// The offset of a descriptor.
    fn desc(&self, id: DescId) -> usize {
        self.descs[id.0 as usize]
    }

    /// Writes every constant into `memory`, zeroed and mapped at address `base`; returns the words that wait for code.
    pub(crate) fn fill(&self, module: &Module, memory: &mut [u8], base: usize) -> Vec<Fixup> {
        let mut fixups = Vec::new();
        let mut image = Image { memory };
        for (word, value) in host::words() {
            image.word(word.offset(), 0, value);
        }
        for (text, &at) in module.texts.iter().zip(&self.texts) {
            image.word(at, COUNT, IMMORTAL);
            image.word(
                at,
                DESC,
                (&raw const simple_core::text::TEXT_DESC).addr() as i64,
            );
            image.word(at, TEXT_BYTE_LEN, text.len() as i64);
            image.word(at, TEXT_CHAR_LEN, text.chars().count() as i64);
            let capacity = simple_core::text::static_capacity(text.as_bytes());
            image.word(at, TEXT_CAPACITY, capacity);
            image.bytes(at + TEXT_DATA as usize, text.as_bytes());
        }
        for (index, desc) in module.descs.iter().enumerate() {
            let at = self.descs[index];
            image.name(at, &desc.name, self.desc_names[index], base);
            image.word(
                at,
                offset_of!(TypeDesc, stride) as i32,
                i64::from(desc.stride),
            );
            let retain = offset_of!(TypeDesc, retain_elements);
            let waiting = [
                (DESC_DESTROY as usize, desc.destroy),
                (retain, desc.retain_elements),
            ];
            fixups.extend(waiting.into_iter().filter_map(|(field, func)| {
                Some(Fixup {
                    offset: at + field,
                    func: func?,
                })
            }));
            image.word(
                at,
                offset_of!(TypeDesc, stored_hash) as i32,
                i64::from(desc.stored_hash),
            );
            // The rest of an empty array, dict or set is zero.
            let empty = self.empties[index];
            image.word(empty, COUNT, IMMORTAL);
            image.word(empty, DESC, (base + self.desc(DescId(index as u32))) as i64);
        }
        for (methods, &at) in module.vtables.iter().zip(&self.vtables) {
            let words = methods.iter().enumerate();
            fixups.extend(words.map(|(index, &func)| Fixup {
                offset: at + index * 8,
                func,
            }));
        }
        for (bytes, &at) in module.bytes.iter().zip(&self.bytes) {
            image.bytes(at, &bytes.content);
            for &(word, address) in &bytes.addresses {
                let target = match address {
                    Address::Text(id) => self.texts[id.0 as usize],
                    Address::Desc(id) => self.desc(id),
                    Address::Bytes(id) => self.bytes[id.0 as usize],
                };
                image.word(at + word as usize, 0, (base + target) as i64);
            }
        }
        for home in &self.closures {
            // A closure without captures is never destroyed; its descriptor only says its name.
            image.word(home.object, COUNT, IMMORTAL);
            image.word(home.object, DESC, (base + home.desc) as i64);
            image.name(
                home.desc,
                &module.funcs[home.func.0 as usize].name,
                home.name,
                base,
            );
            fixups.push(Fixup {
                offset: home.object + FIELDS as usize,
                func: home.func,
            });
        }
        debug_assert_eq!(size_of::<Header>(), FIELDS as usize);
        const { assert!(ARRAY_DATA <= TABLE_SIZE) };
        fixups
    }
}

struct Image<'a> {
    memory: &'a mut [u8],
}

impl Image<'_> {
    fn word(&mut self, at: usize, field: i32, value: i64) {
        self.bytes(at + field as usize, &value.to_ne_bytes());
    }

    /// The name of the descriptor at `desc`, whose bytes are at `at`.
    fn name(&mut self, desc: usize, name: &str, at: usize, base: usize) {
        self.bytes(at, name.as_bytes());
        self.word(desc, offset_of!(TypeDesc, name) as i32, (base + at) as i64);
        self.word(
            desc,
            offset_of!(TypeDesc, name_len) as i32,
            name.len() as i64,
        );
    }

    fn bytes(&mut self, at: usize, bytes: &[u8]) {
        self.memory[at..at + bytes.len()].copy_from_slice(bytes);
    }
}
