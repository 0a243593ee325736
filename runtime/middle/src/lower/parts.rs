//! What objects hold, in words that the runtime reads when one goes to another thread (`simple_core::parts`), and the
//! table of the program's variables, which a new thread begins with. Made only for programs that start threads.

use super::builder::Builder;
use super::cx::{Cx, DescKey};
use crate::mir::{Address, Bytes, BytesId, Const, Inst, MTy, Term};
use crate::repr::{KeyForm, Leaf, layout_of_leaves};
use simple_core::layout::FIELDS;
use simple_core::parts::{ARRAY, COUNTED, ENUM, HOOKS, OF_PROGRAM, REFUSED, TABLE, part};
use simple_sema::typed::{AdtId, AdtKind, FuncId, Ty, TyId};
use simple_syntax::Span;

/// Words of constant memory.
#[derive(Default)]
struct Words {
    words: Vec<i64>,
    addresses: Vec<(u32, Address)>,
}

impl Words {
    fn of(words: &[i64]) -> Words {
        Words {
            words: words.to_vec(),
            addresses: Vec::new(),
        }
    }

    fn address(&mut self, address: Address) {
        self.addresses.push((self.words.len() as u32 * 8, address));
        self.words.push(0);
    }

    /// How many parts there are, and each of them.
    fn list(&mut self, leaves: &[Leaf], offsets: &[i32]) {
        let parts: Vec<i64> = parts(leaves, offsets).collect();
        self.words.push(parts.len() as i64);
        self.words.extend(parts);
    }

    fn bytes(self) -> Bytes {
        Bytes {
            content: self
                .words
                .iter()
                .flat_map(|word| word.to_ne_bytes())
                .collect(),
            addresses: self.addresses,
        }
    }
}

/// The parts among leaves: what is counted, and method tables, which are the only addresses that are not.
fn parts(leaves: &[Leaf], offsets: &[i32]) -> impl Iterator<Item = i64> {
    let both = leaves.iter().zip(offsets);
    both.filter_map(|(leaf, &offset)| match (leaf.counted, leaf.ty) {
        (Some(_), _) => Some(part(offset, COUNTED)),
        (None, MTy::Ptr) => Some(part(offset, OF_PROGRAM)),
        _ => None,
    })
}

impl<'p> Cx<'p> {
    /// The words for objects of a descriptor.
    pub(super) fn parts_of(&mut self, key: DescKey) -> BytesId {
        let words = match self.refused(key) {
            Some(reason) => {
                let mut words = Words::of(&[REFUSED]);
                let text = self.text(&reason);
                words.address(Address::Text(text));
                words
            }
            None => self.words_of(key),
        };
        self.constant_bytes(words.bytes())
    }

    fn words_of(&mut self, key: DescKey) -> Words {
        match key {
            DescKey::Type(ty) => match *self.types.get(ty) {
                Ty::Array(item) => {
                    let mut words = Words::of(&[ARRAY, 0]);
                    words.list(&self.reprs.leaves(item), &self.reprs.layout(item).offsets);
                    words
                }
                Ty::Dict(..) | Ty::Set(_) => self.words_of_table(ty),
                Ty::Adt(id) if self.types.adts[id.0 as usize].kind == AdtKind::Class => {
                    let layout = self.reprs.class_layout(id);
                    let hooks = self.types.adts[id.0 as usize].leave.is_some();
                    let mut words = Words::of(&[if hooks { HOOKS } else { 0 }, layout.size.into()]);
                    if !hooks {
                        words.list(&self.reprs.member_leaves(ty), &layout.offsets);
                    }
                    words
                }
                Ty::Adt(id) => self.words_of_enum(id),
                _ => Words::of(&[0, FIELDS.into(), 0]),
            },
            DescKey::Boxed(ty) => {
                let leaves = self.reprs.leaves(ty);
                let layout = layout_of_leaves(&leaves, FIELDS as u32);
                let mut words = Words::of(&[0, layout.size.into()]);
                words.list(&leaves, &layout.offsets);
                words
            }
            DescKey::Closure(func) => {
                let leaves = self.capture_leaves(func);
                let layout = layout_of_leaves(&leaves, FIELDS as u32 + 8);
                let held: Vec<i64> = parts(&leaves, &layout.offsets).collect();
                let count = held.len() as i64 + 1;
                let code = part(FIELDS, OF_PROGRAM);
                let mut words = Words::of(&[0, layout.size.into(), count, code]);
                words.words.extend(held);
                words
            }
        }
    }

    fn words_of_table(&mut self, ty: TyId) -> Words {
        let table = self.reprs.table(ty);
        let values = self.reprs.leaves(table.value);
        let mut held: Vec<i64> = match table.form {
            KeyForm::Word => Vec::new(),
            KeyForm::Text | KeyForm::Hashed => {
                parts(&self.reprs.leaves(table.key), &table.key_offsets).collect()
            }
        };
        held.extend(parts(&values, &table.value_offsets));
        let mut words = Words::of(&[TABLE, 0, held.len() as i64]);
        words.words.extend(held);
        words
    }

    fn words_of_enum(&mut self, id: AdtId) -> Words {
        let variants = self.types.adts[id.0 as usize].variants.len();
        let mut words = Words::of(&[ENUM, variants as i64]);
        words.words.resize(2 + variants, 0);
        for variant in 0..variants as u32 {
            let leaves = self.reprs.all_leaves(&self.reprs.payload(id, variant));
            if leaves.is_empty() && self.reprs.payload(id, variant).is_empty() {
                continue;
            }
            words.words[2 + variant as usize] = words.words.len() as i64;
            let layout = self.reprs.variant_layout(id, variant);
            words.words.push(layout.size.into());
            words.list(&leaves, &layout.offsets);
        }
        words
    }

    fn capture_leaves(&self, func: FuncId) -> Vec<Leaf> {
        let func = &self.program.funcs[func.0 as usize];
        let locals = func
            .captures
            .iter()
            .map(|local| &func.locals[local.0 as usize]);
        locals
            .flat_map(|info| self.reprs.leaves(info.ty).to_vec())
            .collect()
    }

    /// Why objects of a descriptor cannot go to another thread, if they cannot.
    fn refused(&self, key: DescKey) -> Option<String> {
        match key {
            DescKey::Boxed(ty) => self.refused_value(ty),
            DescKey::Closure(func) => {
                let func = &self.program.funcs[func.0 as usize];
                let locals = func
                    .captures
                    .iter()
                    .map(|local| &func.locals[local.0 as usize]);
                for info in locals {
                    if info.cell {
                        return Some(format!(
                            "a function value cannot go to another thread: it shares the variable `{}` with the \
                             function around it",
                            info.name
                        ));
                    }
                    if let Some(reason) = self.refused_value(info.ty) {
                        return Some(reason);
                    }
                }
                None
            }
            DescKey::Type(ty) => match *self.types.get(ty) {
                Ty::Array(item) | Ty::Set(item) => self.refused_value(item),
                Ty::Dict(key, value) => self
                    .refused_value(key)
                    .or_else(|| self.refused_value(value)),
                Ty::Adt(id) => self.refused_adt(id),
                _ => None,
            },
        }
    }

    fn refused_adt(&self, id: AdtId) -> Option<String> {
        let adt = &self.types.adts[id.0 as usize];
        if adt.leave.is_some() && adt.enter.is_some() {
            return None;
        }
        if adt.name.as_str() == "Ptr" && adt.kind == AdtKind::Struct {
            return Some("an address of a foreign library cannot go to another thread".to_owned());
        }
        if adt.drop.is_some() {
            return Some(format!(
                "a `{}` cannot go to another thread: it has `fn drop()`, and a copy would be dropped too",
                adt.name
            ));
        }
        if let Some(field) = adt.fields.iter().find(|field| field.weak) {
            let name = field.name.map_or_else(String::new, |name| name.to_string());
            return Some(format!(
                "a `{}` cannot go to another thread: its field `{name}` is weak",
                adt.name
            ));
        }
        let fields = adt
            .fields
            .iter()
            .chain(adt.variants.iter().flat_map(|variant| &variant.fields));
        let mut fields = fields.map(|field| field.ty);
        fields.find_map(|ty| self.refused_value(ty))
    }

    /// The same for what a value holds itself, not in objects, which have descriptors of their own.
    fn refused_value(&self, ty: TyId) -> Option<String> {
        match self.types.get(ty) {
            Ty::Handle(_) => Some(format!(
                "a `{}` cannot go to another thread: it is a foreign library's",
                self.types.name(ty)
            )),
            Ty::Option(item) => self.refused_value(*item),
            Ty::Result(ok, err) => self.refused_value(*ok).or_else(|| self.refused_value(*err)),
            Ty::Tuple(members) => members.iter().find_map(|(_, ty)| self.refused_value(*ty)),
            Ty::Adt(id) if self.types.adts[id.0 as usize].kind == AdtKind::Struct => {
                self.refused_adt(*id)
            }
            _ => None,
        }
    }

    /// The table of variables, which is written at the end, when all of them are known.
    pub(super) fn variables_table(&mut self) -> BytesId {
        if let Some(id) = self.variables {
            return id;
        }
        let id = BytesId(self.module.bytes.len() as u32);
        self.module.bytes.push(Bytes::default());
        self.variables = Some(id);
        id
    }

    /// Writes the table of variables, if there is one: where each is and what it holds.
    pub(super) fn write_variables(&mut self) {
        let Some(table) = self.variables else { return };
        let mut words = Words::default();
        let mut count = 0;
        words.words.push(0);
        for index in 0..self.globals.len() {
            let home = &self.globals[index];
            let Const::Static(id) = home.home else {
                continue;
            };
            let (leaves, offsets) = (home.leaves.clone(), home.layout.offsets.clone());
            let (size, flag) = (home.layout.size + 1, home.flag.unwrap_or(-1));
            words.address(Address::Static(id));
            words.words.extend([i64::from(size), i64::from(flag), 0, 0]);
            words.list(&leaves, &offsets);
            count += 1;
        }
        for (_, _, id) in self.variant_statics.clone() {
            words.address(Address::Static(id));
            words.words.extend([24, -1, 0, 1, 0]);
            count += 1;
        }
        words.words[0] = count;
        self.module.bytes[table.0 as usize] = words.bytes();
    }
}

impl Builder<'_, '_> {
    /// `(object, place)`: writes the number by which an object leaves its thread.
    pub fn leave_glue(&mut self, ty: TyId, span: Span) {
        let object = self.param(MTy::Ptr);
        let place = self.param(MTy::Ptr);
        let adt = self.cx.types.adt(ty).and_then(|adt| adt.leave);
        self.hook(adt, object, place, MTy::I64, span);
    }

    /// `(number, place)`: writes the object that is made of it.
    pub fn enter_glue(&mut self, ty: TyId, span: Span) {
        let number = self.param(MTy::I64);
        let place = self.param(MTy::Ptr);
        let adt = self.cx.types.adt(ty).and_then(|adt| adt.enter);
        self.hook(adt, number, place, MTy::Ptr, span);
    }

    fn hook(
        &mut self,
        func: Option<FuncId>,
        arg: crate::mir::Var,
        place: crate::mir::Var,
        result: MTy,
        span: Span,
    ) {
        let Some(func) = func else {
            return self.end(Term::Return(vec![]));
        };
        let failed = self.failed_block();
        let made = self.call(crate::mir::FnId(func.0), vec![arg], &[result], span);
        self.store(place, 0, made[0]);
        self.end(Term::Return(vec![]));
        self.switch(failed);
        self.end(Term::Return(vec![]));
    }

    /// Where errors of the glue go on, which leaves them recorded.
    fn failed_block(&mut self) -> crate::mir::BlockId {
        let failed = self.cold_block();
        self.reached[failed.0 as usize] = true;
        self.on_error = Some(failed);
        failed
    }

    /// `(function value)`: calls it; what a new thread begins with.
    pub fn thread_main_glue(&mut self, span: Span) {
        let closure = self.param(MTy::Ptr);
        let failed = self.failed_block();
        let code = self.load(MTy::Ptr, closure, FIELDS);
        let fail = self.fail(span);
        self.emit(Inst::CallIndirect {
            dsts: Vec::new(),
            code,
            args: vec![closure],
            fail,
        });
        self.end(Term::Return(vec![]));
        self.switch(failed);
        self.end(Term::Return(vec![]));
    }
}
