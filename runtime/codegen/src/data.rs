//! Everything of a program that is memory and not code: texts, descriptors, method tables, variables, constant bytes.
//!
//! The layout is fixed before any function is compiled, so that code refers to it by distances. Words that hold an
//! address, of data or of code (destructors in descriptors, method tables, closures), are listed and written when
//! the program gets its memory. Objects here start with an immortal count. Next: `simple_image::form::Data`, the
//! result.

use rustc_hash::{FxHashMap, FxHashSet};
use simple_core::layout::{
    ARRAY_DATA, COUNT, DESC, DESC_DESTROY, FIELDS, Header, IMMORTAL, TABLE_SIZE, TEXT_BYTE_LEN,
    TEXT_CAPACITY, TEXT_CHAR_LEN, TEXT_DATA, TypeDesc,
};
use simple_image::form::{Data, StaticHome};
use simple_image::host::Word;
use simple_middle::mir::{Address, Const, DescId, FnId, Inst, Module, SlotId};
use std::mem::{offset_of, size_of};

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

    /// The offset of the byte that is 1 once foreign function `index` is bound.
    pub(crate) fn bound_flag(&self, index: usize) -> usize {
        self.bound + index
    }

    /// The offset of a descriptor.
    fn desc(&self, id: DescId) -> usize {
        self.descs[id.0 as usize]
    }

    /// The data with every constant; the words of the process are zero.
    pub(crate) fn fill(&self, module: &Module) -> Data {
        let offsets = |all: &[usize]| all.iter().map(|&at| at as u32).collect();
        let homes = self.statics.iter().zip(&module.statics);
        let mut data = Data {
            bytes: vec![0; self.size],
            size: self.size,
            statics: homes
                .map(|(&at, &size)| StaticHome {
                    at: at as u32,
                    size,
                })
                .collect(),
            vtables: offsets(&self.vtables),
            bound: self.bound as u32,
            ..Data::default()
        };
        let mut fill = Fill { data: &mut data };
        for (text, &at) in module.texts.iter().zip(&self.texts) {
            fill.word(at, COUNT, IMMORTAL);
            fill.data.text_descriptors.push(place(at, DESC));
            fill.word(at, TEXT_BYTE_LEN, text.len() as i64);
            fill.word(at, TEXT_CHAR_LEN, text.chars().count() as i64);
            let capacity = simple_core::text::static_capacity(text.as_bytes());
            fill.word(at, TEXT_CAPACITY, capacity);
            fill.bytes(at + TEXT_DATA as usize, text.as_bytes());
        }
        for (index, desc) in module.descs.iter().enumerate() {
            let at = self.descs[index];
            fill.name(at, &desc.name, self.desc_names[index]);
            let stride = offset_of!(TypeDesc, stride) as i32;
            fill.word(at, stride, i64::from(desc.stride));
            let retain = offset_of!(TypeDesc, retain_elements) as i32;
            let waiting = [(DESC_DESTROY, desc.destroy), (retain, desc.retain_elements)];
            let waiting = waiting.into_iter();
            let waiting = waiting.filter_map(|(field, func)| Some((place(at, field), func?)));
            fill.data.code.extend(waiting);
            let stored_hash = offset_of!(TypeDesc, stored_hash) as i32;
            fill.word(at, stored_hash, i64::from(desc.stored_hash));
            let (leave, enter) = (offset_of!(TypeDesc, leave), offset_of!(TypeDesc, enter));
            let hooks = [(leave, desc.leave), (enter, desc.enter)].into_iter();
            let hooks = hooks.filter_map(|(field, func)| Some((place(at, field as i32), func?)));
            fill.data.code.extend(hooks);
            if let Some(parts) = desc.parts {
                let field = offset_of!(TypeDesc, parts) as i32;
                fill.address(at, field, self.bytes[parts.0 as usize]);
            }
            // The rest of an empty array, dict or set is zero.
            let empty = self.empties[index];
            fill.word(empty, COUNT, IMMORTAL);
            fill.address(empty, DESC, self.desc(DescId(index as u32)));
        }
        for (methods, &at) in module.vtables.iter().zip(&self.vtables) {
            let words = methods.iter().enumerate();
            let words = words.map(|(index, &func)| (place(at, index as i32 * 8), func));
            fill.data.code.extend(words);
        }
        for (bytes, &at) in module.bytes.iter().zip(&self.bytes) {
            fill.bytes(at, &bytes.content);
            for &(word, address) in &bytes.addresses {
                let target = match address {
                    Address::Text(id) => self.texts[id.0 as usize],
                    Address::Desc(id) => self.desc(id),
                    Address::Bytes(id) => self.bytes[id.0 as usize],
                    Address::Static(id) => self.statics[id.0 as usize],
                };
                fill.address(at + word as usize, 0, target);
            }
        }
        for home in &self.closures {
            // A closure without captures is never destroyed; its descriptor only says its name.
            fill.word(home.object, COUNT, IMMORTAL);
            fill.address(home.object, DESC, home.desc);
            let name = &module.funcs[home.func.0 as usize].name;
            fill.name(home.desc, name, home.name);
            fill.data.code.push((place(home.object, FIELDS), home.func));
        }
        debug_assert_eq!(size_of::<Header>(), FIELDS as usize);
        const { assert!(ARRAY_DATA <= TABLE_SIZE) };
        let used = data.bytes.iter().rposition(|&byte| byte != 0);
        data.bytes.truncate(used.map_or(0, |last| last + 1));
        data
    }
}

/// A field of what is at `at`.
fn place(at: usize, field: i32) -> u32 {
    at as u32 + field as u32
}

struct Fill<'a> {
    data: &'a mut Data,
}

impl Fill<'_> {
    fn word(&mut self, at: usize, field: i32, value: i64) {
        self.bytes(at + field as usize, &value.to_ne_bytes());
    }

    /// A word with the address of `target`.
    fn address(&mut self, at: usize, field: i32, target: usize) {
        self.data.own.push((place(at, field), target as u32));
    }

    /// The name of the descriptor at `desc`, whose bytes are at `at`.
    fn name(&mut self, desc: usize, name: &str, at: usize) {
        self.bytes(at, name.as_bytes());
        self.address(desc, offset_of!(TypeDesc, name) as i32, at);
        let length = offset_of!(TypeDesc, name_len) as i32;
        self.word(desc, length, name.len() as i64);
    }

    fn bytes(&mut self, at: usize, bytes: &[u8]) {
        self.data.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }
}
