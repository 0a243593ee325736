//! The layout of a counted object: the constants that compiled code and this crate agree on.
//!
//! Every heap value begins with [`Header`]. Compiled code reads and writes these fields inline; nothing else about
//! the objects is known to it. `table.rs` is the other half of the agreement. The tests below pin every offset.
//!
//! Counts are plain (not atomic): an object belongs to one thread, and what goes to another one is a copy (`cross.rs`). A static object (a text constant, the empty array)
//! starts at [`IMMORTAL`], so counting it needs no special case and never frees it.

/// The count a static object starts with; far from zero in both directions.
pub const IMMORTAL: i64 = 1 << 62;

/// The head of every counted object.
#[repr(C)]
#[derive(Debug)]
pub struct Header {
    /// How many references there are.
    pub count: i64,
    /// What kind of object it is.
    pub desc: *const TypeDesc,
}

/// What the runtime must know about a type of counted objects. Made by code generation, lives as long as the code.
#[repr(C)]
#[derive(Debug)]
pub struct TypeDesc {
    /// Destroys an object whose count has reached zero: runs `fn drop()`, releases what it holds, frees it.
    pub destroy: Option<unsafe extern "C" fn(*mut Header)>,
    /// UTF-8 name for leak reports, such as `[text]` or `Point`.
    pub name: *const u8,
    /// Length of `name` in bytes.
    pub name_len: i64,
    /// Arrays and tables: bytes from one element or entry to the next. Otherwise 0.
    pub stride: i64,
    /// Arrays and tables: retains what `count` elements hold that were copied bit by bit; `None` for plain data.
    pub retain_elements: Option<unsafe extern "C" fn(*mut u8, i64)>,
    /// Tables: 1 if entries begin with the hash of their key, 0 if they begin with a key of one word.
    pub stored_hash: i64,
    /// What an object holds, as `parts.rs` writes it, so that it can go to another thread; null where no thread is started.
    pub parts: *const i64,
    /// `(object, where to)`: writes the number by which an object leaves its thread, if its class says how.
    pub leave: Option<unsafe extern "C" fn(*mut Header, *mut i64)>,
    /// `(number, where to)`: writes the new object in the thread that it goes to.
    pub enter: Option<unsafe extern "C" fn(i64, *mut *mut Header)>,
}

impl TypeDesc {
    /// A descriptor that says nothing.
    pub const NONE: TypeDesc = TypeDesc {
        destroy: None,
        name: std::ptr::null(),
        name_len: 0,
        stride: 0,
        retain_elements: None,
        stored_hash: 0,
        parts: std::ptr::null(),
        leave: None,
        enter: None,
    };
}

/// A text: immutable UTF-8.
#[repr(C)]
#[derive(Debug)]
pub struct TextObject {
    /// Head; its `desc` is [`crate::text::TEXT_DESC`].
    pub header: Header,
    /// Length in bytes.
    pub byte_len: i64,
    /// Length in Unicode scalar values; equal to `byte_len` exactly for ASCII, which makes indexing constant time.
    pub char_len: i64,
    /// Bytes there is room for.
    pub capacity: i64,
    // The bytes follow at `TEXT_DATA`; eight can be read there, however short the text is.
}

/// An array: elements of one stride after the head.
#[repr(C)]
#[derive(Debug)]
pub struct ArrayObject {
    /// Head; its `desc` gives stride and retaining.
    pub header: Header,
    /// Number of elements.
    pub len: i64,
    /// Number of elements there is room for.
    pub capacity: i64,
    // The elements follow at `ARRAY_DATA`.
}

/// A dict or set: a hash table whose entries are in a separate buffer; see `hash_table.rs`.
#[repr(C)]
#[derive(Debug)]
pub struct TableObject {
    /// Head; its `desc` gives the stride of entries, retaining, and where the hash of a key is.
    pub header: Header,
    /// Number of entries.
    pub len: i64,
    /// Number of positions in use: entries, and those that were removed, which are zero.
    pub used: i64,
    /// The entry at position 0; null in a table without a buffer.
    pub entries: *mut u8,
    /// Number of positions that there is room for.
    pub capacity: i64,
    /// The index, which is also the start of the buffer; null without one.
    pub slots: *mut u32,
    /// Number of slots less one; 0 without a buffer.
    pub mask: i64,
}

/// Offset of the count.
pub const COUNT: i32 = 0;
/// Offset of the type descriptor.
pub const DESC: i32 = 8;
/// Offset of the first field of a class instance, boxed value, boxed enum (its tag) or closure (its code).
pub const FIELDS: i32 = 16;
/// Offset of a text's length in bytes.
pub const TEXT_BYTE_LEN: i32 = 16;
/// Offset of a text's length in characters.
pub const TEXT_CHAR_LEN: i32 = 24;
/// Offset of a text's capacity.
pub const TEXT_CAPACITY: i32 = 32;
/// Offset of a text's bytes.
pub const TEXT_DATA: i32 = 40;
/// Offset of an array's length.
pub const ARRAY_LEN: i32 = 16;
/// Offset of an array's capacity.
pub const ARRAY_CAPACITY: i32 = 24;
/// Offset of an array's first element.
pub const ARRAY_DATA: i32 = 32;
/// Offset of a table's number of entries.
pub const TABLE_LEN: i32 = 16;
/// Offset of a table's number of positions.
pub const TABLE_USED: i32 = 24;
/// Offset of a table's pointer to its entries.
pub const TABLE_ENTRIES: i32 = 32;
/// Size of a table object.
pub const TABLE_SIZE: i32 = 64;
/// The greatest length of an array, whatever its elements are: what compiled code computes from lengths then rarely overflows.
pub const ARRAY_LONGEST: i64 = 1 << 47;
/// Offset of `destroy` in a type descriptor.
pub const DESC_DESTROY: i32 = 0;

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    #[test]
    fn offsets_are_what_compiled_code_uses() {
        assert_eq!(offset_of!(Header, count), COUNT as usize);
        assert_eq!(offset_of!(Header, desc), DESC as usize);
        assert_eq!(size_of::<Header>(), FIELDS as usize);
        assert_eq!(offset_of!(TextObject, byte_len), TEXT_BYTE_LEN as usize);
        assert_eq!(offset_of!(TextObject, char_len), TEXT_CHAR_LEN as usize);
        assert_eq!(offset_of!(TextObject, capacity), TEXT_CAPACITY as usize);
        assert_eq!(size_of::<TextObject>(), TEXT_DATA as usize);
        assert_eq!(offset_of!(ArrayObject, len), ARRAY_LEN as usize);
        assert_eq!(offset_of!(ArrayObject, capacity), ARRAY_CAPACITY as usize);
        assert_eq!(size_of::<ArrayObject>(), ARRAY_DATA as usize);
        assert_eq!(offset_of!(TableObject, len), TABLE_LEN as usize);
        assert_eq!(offset_of!(TableObject, used), TABLE_USED as usize);
        assert_eq!(offset_of!(TableObject, entries), TABLE_ENTRIES as usize);
        assert_eq!(size_of::<TableObject>(), TABLE_SIZE as usize);
        assert_eq!(offset_of!(TypeDesc, destroy), DESC_DESTROY as usize);
    }
}
