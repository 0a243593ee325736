//! What structs, unions and enums of C become: a type of `@c` with the same layout, or an `extern type` that nobody looks into.
//!
//! Only what is by value in a struct decides whether it can be one; addresses are always possible. So there are no circles. A member
//! that Simple cannot describe is an array of bytes, or of wider numbers where its alignment asks for them.

use crate::ctype::*;
use crate::reason::Reason;
use std::collections::HashSet;

/// Arrays inside of structs that Simple takes have fewer elements.
pub const MOST_ELEMENTS: u64 = 1 << 20;

/// How a member is written.
#[derive(Clone, PartialEq, Debug)]
pub enum Member {
    /// As its own type.
    Plain(CType),
    /// As so many of a type, inside of the struct.
    Inline(CType, u64),
    /// As so many numbers, because Simple has no type for what is there.
    Bytes(CType, u64),
    /// Not at all: `T rest[]` takes no room.
    Nothing,
}

/// Which structs and unions are types of `@c`.
pub struct Records<'a> {
    unit: &'a Unit,
    /// Those whose layout is not what was computed.
    pub wrong: HashSet<usize>,
    /// Those that are types of `@c` in the bindings; the others are an `extern type`.
    pub full: HashSet<usize>,
}

impl<'a> Records<'a> {
    /// Decides which of the unit's structs are types of `@c`: of those in its own headers all that can be, of the others
    /// those that something needs by value.
    pub fn new(unit: &'a Unit, wrong: HashSet<usize>, own: &dyn Fn(Place) -> bool) -> Records<'a> {
        let mut records = Records {
            unit,
            wrong,
            full: HashSet::new(),
        };
        for (index, record) in unit.records.iter().enumerate() {
            if own(record.place) && record.fields.is_some() && !is_internal(record) {
                records.need(index);
            }
        }
        for decl in unit.decls.iter().filter(|decl| own(decl.place)) {
            match &decl.kind {
                DeclKind::Function { ty, .. } => {
                    records.need_type(&ty.result);
                    ty.params
                        .iter()
                        .for_each(|param| records.need_type(&param.ty));
                }
                DeclKind::Variable { ty, .. } => records.need_type(flattened(ty).0),
                DeclKind::Own { .. } => {}
            }
        }
        records
    }

    /// Why a struct or union cannot be a type of `@c`.
    pub fn possible(&self, index: usize) -> Result<(), Reason> {
        let record = &self.unit.records[index];
        let Some(fields) = &record.fields else {
            return Err(Reason::incomplete(record));
        };
        let word = if record.union { "union" } else { "struct" };
        if self.wrong.contains(&index) {
            return Err(Reason::packed(word));
        }
        if fields.iter().any(|field| field.bits.is_some()) {
            return Err(Reason::bit_fields(word));
        }
        if self
            .unit
            .record_layout(record)
            .is_none_or(|layout| layout.whole.size == 0)
        {
            return Err(Reason::no_layout(word));
        }
        if !record.union {
            let mut shown = 0;
            for field in fields {
                shown += usize::from(self.member(field)? != Member::Nothing);
            }
            return if shown > 0 {
                Ok(())
            } else {
                Err(Reason::no_layout(word))
            };
        }
        match fields.iter().all(|field| self.is_any_bits(&field.ty)) {
            true => Ok(()),
            false => Err(Reason::union()),
        }
    }

    /// How a member of a struct is written.
    pub fn member(&self, field: &Field) -> Result<Member, Reason> {
        let (item, count) = flattened(&field.ty);
        let Some(layout) = self.unit.layout(&field.ty) else {
            // At another place than the end there would be no layout at all.
            return Ok(Member::Nothing);
        };
        if layout.size == 0 {
            return Ok(Member::Nothing);
        }
        let is_array = matches!(field.ty, CType::Array(..));
        if !is_array && self.is_plain(item) {
            return Ok(Member::Plain(item.clone()));
        }
        if is_array && count < MOST_ELEMENTS && self.is_flat(item) {
            return Ok(Member::Inline(item.clone(), count));
        }
        if let CType::Special(special) = item
            && layout.align > 8
        {
            return Err(Reason::special(special.name));
        }
        let count = layout.size / layout.align;
        if layout.align > 8 || count >= MOST_ELEMENTS {
            return Err(Reason::no_layout("struct"));
        }
        let bits = (layout.align * 8) as u8;
        Ok(Member::Bytes(
            CType::Int {
                bits,
                signed: false,
            },
            count,
        ))
    }

    /// Why a struct cannot be passed by value although it can be described: which registers carry it depends on what is in
    /// the numbers that stand for a member. More than 16 bytes are in memory anyway.
    pub fn passed(&self, index: usize) -> Result<(), Reason> {
        self.possible(index)?;
        let layout = self.unit.record_layout(&self.unit.records[index]);
        match layout.is_some_and(|layout| layout.whole.size <= 16) && self.has_bytes(index) {
            true => Err(Reason::registers()),
            false => Ok(()),
        }
    }

    fn has_bytes(&self, index: usize) -> bool {
        let fields = self.unit.records[index].fields.iter().flatten();
        fields
            .map(|field| self.member(field))
            .any(|member| match member {
                Ok(
                    Member::Plain(CType::Record(inner)) | Member::Inline(CType::Record(inner), _),
                ) => self.has_bytes(inner),
                Ok(Member::Bytes(..)) => true,
                _ => false,
            })
    }

    /// Whether a type is one of Simple's where it is by value.
    fn is_plain(&self, ty: &CType) -> bool {
        match ty {
            CType::Bool
            | CType::Char
            | CType::Int { .. }
            | CType::Float
            | CType::Double
            | CType::Pointer { .. }
            | CType::Enum(_) => true,
            CType::Record(index) => self.possible(*index).is_ok(),
            CType::Special(special) => special.is_pair(),
            CType::Void | CType::Array(..) | CType::Function(_) => false,
        }
    }

    /// Whether it can be an element of an array inside of a struct.
    pub fn is_flat(&self, ty: &CType) -> bool {
        let CType::Record(index) = ty else {
            return self.is_plain(ty);
        };
        let record = &self.unit.records[*index];
        let fields = record.fields.as_deref().unwrap_or_default();
        let plain = |field: &Field| matches!(self.member(field), Ok(Member::Plain(ty)) if self.is_flat(&ty));
        !record.union && self.possible(*index).is_ok() && fields.iter().all(plain)
    }

    /// Whether any bits are a value of it, as a member of a union has to take them.
    fn is_any_bits(&self, ty: &CType) -> bool {
        match ty {
            CType::Bool
            | CType::Char
            | CType::Int { .. }
            | CType::Float
            | CType::Double
            | CType::Pointer { .. } => true,
            CType::Special(special) => special.is_pair(),
            CType::Record(index) => {
                let record = &self.unit.records[*index];
                let fields = record.fields.as_deref().unwrap_or_default();
                !record.union
                    && self.possible(*index).is_ok()
                    && fields.iter().all(|field| self.is_any_bits(&field.ty))
            }
            _ => false,
        }
    }

    fn need(&mut self, index: usize) {
        if self.full.contains(&index) || self.possible(index).is_err() {
            return;
        }
        self.full.insert(index);
        for field in self.unit.records[index]
            .fields
            .as_deref()
            .unwrap_or_default()
        {
            let needed = match self.member(field) {
                Ok(Member::Plain(ty) | Member::Inline(ty, _)) => ty,
                Ok(Member::Bytes(..) | Member::Nothing) | Err(_) => continue,
            };
            self.need_type(&needed);
        }
    }

    fn need_type(&mut self, ty: &CType) {
        if let CType::Record(index) = ty {
            self.need(*index);
        }
    }
}

/// The scalar or struct that an array of any depth consists of, and how many there are.
pub fn flattened(ty: &CType) -> (&CType, u64) {
    match ty {
        CType::Array(item, count) => {
            let (item, inner) = flattened(item);
            (item, inner.saturating_mul(count.unwrap_or(0)))
        }
        other => (other, 1),
    }
}

/// Whether a struct is its library's own business: it and all its members say so by their names, as those of `FILE` do.
pub fn is_internal(record: &Record) -> bool {
    let fields = record.fields.as_deref().unwrap_or_default();
    let internal = |name: &String| name.starts_with('_');
    record.tag.as_ref().is_some_and(internal)
        && fields
            .iter()
            .all(|field| field.name.as_ref().is_some_and(internal))
}
