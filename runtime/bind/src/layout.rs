//! Where C puts the members of a struct: size, alignment, offsets.
//!
//! Rules of the C compilers of 64-bit Linux without packing and alignment of their own (`#pragma pack`, `aligned`), bit fields included.
//! A header that uses those is noticed: what is computed here is compared by the C compiler itself (`cc.rs`).

use crate::ctype::{CType, Record, Unit};

/// Size and alignment of a type in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Bytes, padding included.
    pub size: u64,
    /// Alignment.
    pub align: u64,
}

/// The layout of a struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordLayout {
    /// Of the whole.
    pub whole: Layout,
    /// The offset of each member in bytes; of a bit field, of the byte with its first bit.
    pub offsets: Vec<u64>,
}

impl Unit {
    /// The layout of a type; `None` for one that has none, such as `void` or a struct of which only the name is known.
    pub fn layout(&self, ty: &CType) -> Option<Layout> {
        let same = |size: u64| Some(Layout { size, align: size });
        match ty {
            CType::Void | CType::Function(_) | CType::Array(_, None) => None,
            CType::Bool | CType::Char => same(1),
            CType::Int { bits, .. } => same(u64::from(*bits) / 8),
            CType::Float => same(4),
            CType::Double | CType::Pointer { .. } => same(8),
            CType::Special(special) => Some(Layout {
                size: special.size,
                align: special.align,
            }),
            CType::Array(item, Some(count)) => {
                let item = self.layout(item)?;
                Some(Layout {
                    size: item.size.checked_mul(*count)?,
                    ..item
                })
            }
            CType::Record(index) => Some(self.record_layout(&self.records[*index])?.whole),
            CType::Enum(index) => self.layout(&self.enums[*index].ctype()),
        }
    }

    /// The layout of a struct or union; `None` if it, or a member, has none.
    pub fn record_layout(&self, record: &Record) -> Option<RecordLayout> {
        let fields = record.fields.as_ref()?;
        // In bits, because of bit fields.
        let (mut end, mut size, mut align) = (0u64, 0u64, 1u64);
        let mut offsets = Vec::with_capacity(fields.len());
        for (index, field) in fields.iter().enumerate() {
            let last = index + 1 == fields.len();
            let layout = match &field.ty {
                // `T rest[]` at the end takes no room but aligns the struct.
                CType::Array(item, None) if last && !record.union => Layout {
                    size: 0,
                    align: self.layout(item)?.align,
                },
                ty => self.layout(ty)?,
            };
            let unit = layout.align * 8;
            if record.union {
                end = 0;
            }
            if field.bits.is_some() && layout.size == 0 {
                return None;
            }
            let start = match field.bits {
                None => end.checked_next_multiple_of(unit)?,
                // Of no width: the next one starts at a boundary.
                Some(0) => end.checked_next_multiple_of(layout.size * 8)?,
                // A bit field does not cross a boundary of its type.
                Some(width) if end % (layout.size * 8) + width > layout.size * 8 => {
                    end.checked_next_multiple_of(layout.size * 8)?
                }
                Some(_) => end,
            };
            let width = match field.bits {
                Some(width) => width,
                None => layout.size.checked_mul(8)?,
            };
            end = start.checked_add(width)?;
            size = size.max(end);
            // A bit field without a name does not align the struct.
            if field.bits.is_none() || field.name.is_some() {
                align = align.max(layout.align);
            }
            offsets.push(start / 8);
        }
        let size = size.div_ceil(8).checked_next_multiple_of(align)?;
        Some(RecordLayout {
            whole: Layout { size, align },
            offsets,
        })
    }
}
