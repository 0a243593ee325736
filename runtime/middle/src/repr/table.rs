//! Entries of dicts and sets: where keys and values are, and how a key is found.
//!
//! The other half of the agreement is `core::hash_table`.

use super::{Leaf, Reprs, layout_of_leaves};
use crate::mir::MTy;
use simple_sema::typed::{AdtKind, Ty, TyId};

/// How the runtime finds a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyForm {
    /// An integer, `bool` or enum without payload: stored as 64 bits, whatever its width.
    Word,
    /// A text, after its hash.
    Text,
    /// Anything else, after its hash; compiled code compares.
    Hashed,
}

/// Where the parts of an entry are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableLayout {
    /// The type of keys, or of a set's elements.
    pub key: TyId,
    /// The type of values; `()` for a set.
    pub value: TyId,
    /// How a key is found.
    pub form: KeyForm,
    /// Where the leaves of the key are. Those of a word are one of 64 bits.
    pub key_offsets: Vec<i32>,
    /// Where the leaves of the value are.
    pub value_offsets: Vec<i32>,
    /// Bytes from one entry to the next: whole words.
    pub stride: u32,
}

impl Reprs<'_> {
    /// The layout of entries of the dict or set type `ty`.
    pub fn table(&self, ty: TyId) -> TableLayout {
        let (key, value) = match *self.types().get(ty) {
            Ty::Dict(key, value) => (key, value),
            Ty::Set(item) => (item, TyId::UNIT),
            _ => (TyId::ERROR, TyId::UNIT),
        };
        let form = self.key_form(key);
        let mut leaves = match form {
            KeyForm::Word => vec![Leaf::plain(MTy::I64)],
            KeyForm::Text | KeyForm::Hashed => self.leaves(key).to_vec(),
        };
        let keys = leaves.len();
        leaves.extend(self.leaves(value).iter());
        let start = if form == KeyForm::Word { 0 } else { 8 };
        let layout = layout_of_leaves(&leaves, start);
        TableLayout {
            key,
            value,
            form,
            key_offsets: layout.offsets[..keys].to_vec(),
            value_offsets: layout.offsets[keys..].to_vec(),
            stride: layout.size.next_multiple_of(8).max(8),
        }
    }

    fn key_form(&self, key: TyId) -> KeyForm {
        match self.types().get(key) {
            Ty::Int(_) | Ty::Bool | Ty::Handle(_) => KeyForm::Word,
            Ty::Text => KeyForm::Text,
            Ty::Adt(id)
                if self.types().adts[id.0 as usize].kind == AdtKind::Enum
                    && !self.is_boxed_enum(*id) =>
            {
                KeyForm::Word
            }
            _ => KeyForm::Hashed,
        }
    }
}
