//! The program that is attached to the running executable.
//!
//! The file of an executable has one more segment than `simple-start`, which the system maps as it maps the others.
//! Where it is says a pair of numbers in the section `.simple`, which `attach.rs` writes.

#![allow(
    unsafe_code,
    reason = "reads what another program has written into this one"
)]

/// Where the program is.
#[repr(C)]
pub(crate) struct Slot {
    /// The distance from this pair of numbers to the first byte.
    distance: usize,
    /// How many bytes there are; 0 where no program is attached.
    length: usize,
}

/// The name of the section that has the [`Slot`].
pub(crate) const SECTION: &str = ".simple";

#[used]
#[unsafe(link_section = ".simple")]
static SLOT: Slot = Slot {
    distance: 0,
    length: 0,
};

/// The bytes of the attached program; none if this is `simple-start` itself.
pub(crate) fn program() -> Option<&'static [u8]> {
    let slot = &raw const SLOT;
    // SAFETY: the static is there. What the compiler knows of its value is not what the file says, so it is read as
    // if it could change.
    let Slot { distance, length } = unsafe { slot.read_volatile() };
    if length == 0 {
        return None;
    }
    let start = std::ptr::with_exposed_provenance(slot.expose_provenance() + distance);
    // SAFETY: `attach` has put a segment there, of that many bytes, which the system maps for reading and nobody
    // writes.
    Some(unsafe { std::slice::from_raw_parts(start, length) })
}
