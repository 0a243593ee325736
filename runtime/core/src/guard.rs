//! `--check-ffi`: what a plain C function does to memory that it was given.
//!
//! Compiled code begins a guard before each call ([`rt_guard_begin`]) and gives C copies of texts, arrays and places for results that
//! have a margin of known bytes on both sides ([`rt_guard_memory`]). After the call the margins are looked at, and what C wrote is
//! copied back ([`rt_guard_check`]); the copies live until [`rt_guard_end`]. Memory of `Ptr.alloc` has a margin at its end, and stays
//! when it is freed, so that its address is recognized ([`alloc`], [`free`]). Without the option nothing here is called.
//! `middle/lower/guard.rs` has the compiled side.

use crate::error::raise;
use crate::layout::Header;
use crate::text::as_str;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Bytes of a margin. What is written further away ends in other memory, as without a guard.
const MARGIN: usize = 256;
/// What is in a margin.
const MARK: u8 = 0xc5;
/// What is in memory that was freed.
const FREED: u8 = 0xdb;
/// Bytes of freed memory that are kept at most.
const KEPT: usize = 64 << 20;

/// In [`rt_guard_memory`]: C may only read it.
pub const READ_ONLY: i64 = 1;
/// In [`rt_guard_memory`]: it is in no object of the program, and nothing is copied back.
pub const PLACE: i64 = 2;

/// Whether the program is run with guards.
static ON: AtomicBool = AtomicBool::new(false);

/// A copy with margins.
struct Copy {
    /// Which argument, from 0; the result if it is negative.
    argument: i64,
    original: usize,
    /// What was there before the call.
    before: Vec<u8>,
    /// Margin, copy, margin.
    memory: Box<[u128]>,
    flags: i64,
}

/// A call that is guarded.
struct Call {
    /// Lines of text: function, library, place of the declaration, then the type of each argument.
    description: *const Header,
    copies: Vec<Copy>,
    /// Blocks of [`alloc`] whose addresses were passed: argument and start.
    blocks: Vec<(i64, usize)>,
}

/// Memory of `Ptr.alloc`.
struct Block {
    bytes: usize,
    freed: bool,
}

#[derive(Default)]
struct Guards {
    calls: Vec<Call>,
    blocks: BTreeMap<usize, Block>,
    /// Freed blocks, the oldest first, and how many bytes they have.
    freed: VecDeque<usize>,
    freed_bytes: usize,
}

thread_local! {
    static GUARDS: RefCell<Guards> = RefCell::default();
}

/// Lets memory of `Ptr.alloc` be guarded from now on.
pub fn switch_on() {
    ON.store(true, Relaxed);
}

/// Whether it is.
pub fn is_on() -> bool {
    ON.load(Relaxed)
}

impl Copy {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the memory is one allocation of this many initialized bytes.
        unsafe {
            std::slice::from_raw_parts(self.memory.as_ptr().cast(), size_of_val(&*self.memory))
        }
    }

    /// The copy itself, between the margins.
    fn content(&self) -> &[u8] {
        &self.bytes()[MARGIN..MARGIN + self.before.len()]
    }

    /// Puts a word into the copy.
    fn set(&mut self, at: usize, word: usize) {
        let start = self.memory.as_mut_ptr().cast::<u8>();
        // SAFETY: the caller has read a word there.
        unsafe { start.add(MARGIN + at).cast::<usize>().write_unaligned(word) };
    }

    /// What C did that it may not.
    fn harm(&self) -> Option<String> {
        let (low, rest) = self.bytes().split_at(MARGIN);
        let size = self.before.len();
        let what = match self.argument {
            ..0 => "the place of its result".to_owned(),
            _ => "the memory of {argument}".to_owned(),
        };
        if let Some(last) = rest[size..].iter().rposition(|byte| *byte != MARK) {
            return Some(format!(
                "wrote {} past the end of {what}, which has {}",
                counted(last + 1),
                counted(size)
            ));
        }
        if let Some(first) = low.iter().position(|byte| *byte != MARK) {
            return Some(format!(
                "wrote {} before the beginning of {what}",
                counted(MARGIN - first)
            ));
        }
        (self.flags & READ_ONLY != 0 && self.content() != self.before)
            .then(|| "changed the text of {argument}, which it may only read".to_owned())
    }
}

fn counted(bytes: usize) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        _ => format!("{bytes} bytes"),
    }
}

impl Call {
    /// The address in the program for one in a copy, or at its end; any other is itself.
    fn original(&self, address: usize) -> usize {
        let of = |copy: &Copy| {
            let at = address.checked_sub(copy.content().as_ptr().addr())?;
            (at <= copy.before.len()).then_some(copy.original + at)
        };
        let in_memory = self.copies.iter().filter(|copy| copy.flags & PLACE == 0);
        in_memory.filter_map(of).next().unwrap_or(address)
    }

    /// Lets addresses that C left in places for results be those in the program: `strtod` gives one in the text that it was given.
    fn turn_addresses(&mut self) {
        for at in 0..self.copies.len() {
            if self.copies[at].flags & PLACE == 0 {
                continue;
            }
            let words = self.copies[at].before.len() / size_of::<usize>();
            for word in 0..words {
                let from = word * size_of::<usize>();
                let Some(bytes) = self.copies[at].content()[from..].first_chunk() else {
                    continue;
                };
                let turned = self.original(usize::from_ne_bytes(*bytes));
                self.copies[at].set(from, turned);
            }
        }
    }

    /// A sentence about the function and one of its arguments, which is written `{argument}` in it.
    fn say(&self, argument: i64, what: &str) -> String {
        // SAFETY: the description is a constant text of the program, which is running.
        let mut lines = unsafe { as_str(self.description) }.lines();
        let (function, library, place) = (lines.next(), lines.next(), lines.next());
        let ty = lines.nth(argument.max(0) as usize).unwrap_or_default();
        let shown = format!("argument {} (`{ty}`)", argument + 1);
        format!(
            "`{}` of the library `{}` {}; it is declared at {}",
            function.unwrap_or_default(),
            library.unwrap_or_default(),
            what.replace("{argument}", &shown),
            place.unwrap_or_default()
        )
    }
}

/// A call of a plain C function begins: how many were running before.
///
/// # Safety
/// The description is a text that lives as long as the program.
pub unsafe extern "C" fn rt_guard_begin(description: *const Header) -> i64 {
    GUARDS.with_borrow_mut(|guards| {
        guards.calls.push(Call {
            description,
            copies: Vec::new(),
            blocks: Vec::new(),
        });
        guards.calls.len() as i64 - 1
    })
}

/// The address that C gets in place of `address`, where so many bytes are; NULL stays NULL. `bytes` is negative for those up to a NUL.
///
/// # Safety
/// The bytes are there, until the call is over.
pub unsafe extern "C" fn rt_guard_memory(
    address: i64,
    bytes: i64,
    argument: i64,
    flags: i64,
) -> i64 {
    if address == 0 {
        return 0;
    }
    let start: *const u8 = ptr::with_exposed_provenance(address as usize);
    // SAFETY: the caller's contract.
    let before = unsafe {
        let bytes = match usize::try_from(bytes) {
            Ok(bytes) => bytes,
            Err(_) => std::ffi::CStr::from_ptr(start.cast()).count_bytes() + 1,
        };
        std::slice::from_raw_parts(start, bytes).to_vec()
    };
    GUARDS.with_borrow_mut(|guards| {
        let Some(call) = guards.calls.last_mut() else {
            return address;
        };
        let known =
            |copy: &&Copy| copy.original == address as usize && copy.before.len() == before.len();
        if let Some(copy) = call.copies.iter().find(known) {
            return copy.content().as_ptr().expose_provenance() as i64;
        }
        let words = (before.len() + 2 * MARGIN).div_ceil(size_of::<u128>());
        let mut memory = vec![u128::from_ne_bytes([MARK; 16]); words].into_boxed_slice();
        // SAFETY: the memory has room for the bytes after the margin.
        unsafe {
            let to = memory.as_mut_ptr().cast::<u8>().add(MARGIN);
            ptr::copy_nonoverlapping(before.as_ptr(), to, before.len());
        }
        let address = memory
            .as_mut_ptr()
            .cast::<u8>()
            .wrapping_add(MARGIN)
            .expose_provenance();
        call.copies.push(Copy {
            argument,
            original: start.addr(),
            before,
            memory,
            flags,
        });
        address as i64
    })
}

/// Looks at an address that C is about to be given: an error if it is not a multiple of `align`, or is in memory that was freed.
pub extern "C" fn rt_guard_address(address: i64, align: i64, argument: i64) {
    let address = address as usize;
    if address == 0 {
        return;
    }
    let harm = GUARDS.with_borrow_mut(|guards| {
        let found = guards.blocks.range(..=address).next_back();
        let block = found.filter(|(start, block)| address - **start < block.bytes.max(1));
        let call = guards.calls.last_mut()?;
        if !address.is_multiple_of(align.max(1) as usize) {
            let what = format!(
                "would get {{argument}} with an address that is not a multiple of {align}, as its type asks"
            );
            return Some(call.say(argument, &what));
        }
        match block {
            Some((_, Block { freed: true, .. })) => {
                Some(call.say(argument, "would get {argument} with an address in memory that was freed"))
            }
            // A margin that is damaged before the call is not this function's work.
            Some((start, block)) if margin_of(*start, block.bytes).is_none() => {
                call.blocks.push((argument, *start));
                None
            }
            _ => None,
        }
    });
    if let Some(harm) = harm {
        raise(harm);
    }
}

/// How many bytes from the end of a block on were changed.
fn margin_of(start: usize, bytes: usize) -> Option<usize> {
    let end: *const u8 = ptr::with_exposed_provenance(start + bytes);
    // SAFETY: the block was allocated with its margin, and is kept after it was freed.
    let margin = unsafe { std::slice::from_raw_parts(end, MARGIN) };
    margin
        .iter()
        .rposition(|byte| *byte != MARK)
        .map(|last| last + 1)
}

/// The call of this number has returned: copies back what C wrote, and raises an error for what it may not have done.
pub extern "C" fn rt_guard_check(depth: i64) {
    if let Some(harm) = copy_back(depth) {
        raise(harm);
    }
}

/// The address that C gave as its result, in the program where it is in a copy.
pub extern "C" fn rt_guard_result(address: i64) -> i64 {
    GUARDS.with_borrow(|guards| match guards.calls.last() {
        Some(call) => call.original(address as usize) as i64,
        None => address,
    })
}

/// Copies back what C wrote into objects of the program, and yields what it may not have done.
fn copy_back(depth: i64) -> Option<String> {
    GUARDS.with_borrow_mut(|guards| {
        let call = guards.calls.get_mut(depth as usize)?;
        call.turn_addresses();
        let mut harm = None;
        for copy in &mut call.copies {
            let content = copy.content().to_vec();
            if copy.flags & (READ_ONLY | PLACE) == 0 && content != copy.before {
                let to: *mut u8 = ptr::with_exposed_provenance_mut(copy.original);
                // SAFETY: the program's object has so many bytes there, and is its own: nothing else holds an array that C may write to.
                unsafe { ptr::copy_nonoverlapping(content.as_ptr(), to, content.len()) };
            }
        }
        for copy in &call.copies {
            if let Some(what) = copy.harm() {
                harm = harm.or_else(|| Some(call.say(copy.argument, &what)));
            }
        }
        for &(argument, start) in &call.blocks {
            let Some(block) = guards.blocks.get(&start).filter(|block| !block.freed) else {
                continue;
            };
            if let Some(count) = margin_of(start, block.bytes) {
                let (count, size) = (counted(count), counted(block.bytes));
                let what = format!("wrote {count} past the end of the memory of {{argument}}, which `Ptr.alloc` made for {size}");
                harm = harm.or_else(|| Some(call.say(argument, &what)));
            }
        }
        harm
    })
}

/// The call of this number is over, also where it failed: its copies go.
pub extern "C" fn rt_guard_end(depth: i64) {
    copy_back(depth);
    GUARDS.with_borrow_mut(|guards| guards.calls.truncate(depth as usize));
}

/// What the description of the call that begins or runs says about its result; for messages about NULL.
pub extern "C" fn rt_guard_null(value: i64) {
    if value == 0 {
        let said = GUARDS.with_borrow(|guards| {
            let call = guards.calls.last()?;
            Some(call.say(
                -1,
                "gave NULL for a type that cannot be nil; add `?` to it where that may happen",
            ))
        });
        raise(said.unwrap_or_default());
    }
}

/// Zeroed memory with a margin, noted; `None` if the system has none. Its address is one of `malloc`, so that C can free it.
pub(crate) fn alloc(bytes: usize) -> Option<usize> {
    let room = bytes.checked_add(MARGIN)?;
    // SAFETY: any size may be asked for.
    let memory = unsafe { libc::calloc(room, 1) };
    if memory.is_null() {
        return None;
    }
    // SAFETY: the margin is the end of what was allocated.
    unsafe { memory.cast::<u8>().add(bytes).write_bytes(MARK, MARGIN) };
    let start = memory.expose_provenance();
    GUARDS.with_borrow_mut(|guards| {
        guards.blocks.insert(
            start,
            Block {
                bytes,
                freed: false,
            },
        )
    });
    Some(start)
}

/// Frees memory: that of [`alloc`] is kept for a while. An error for what has been freed already.
pub(crate) fn free(address: usize) -> Result<(), String> {
    let old: Vec<usize> = GUARDS.with_borrow_mut(|guards| {
        let Some(block) = guards.blocks.get_mut(&address) else {
            return Ok(vec![address]);
        };
        if block.freed {
            return Err("this memory has been freed before".to_owned());
        }
        block.freed = true;
        // A damaged margin may mean that C has freed the memory, and that it is something else now.
        if margin_of(address, block.bytes).is_some() {
            guards.blocks.remove(&address);
            return Ok(vec![address]);
        }
        let start: *mut u8 = ptr::with_exposed_provenance_mut(address);
        // SAFETY: the block has so many bytes.
        unsafe { start.write_bytes(FREED, block.bytes) };
        guards.freed_bytes += block.bytes + MARGIN;
        guards.freed.push_back(address);
        let mut old = Vec::new();
        while guards.freed_bytes > KEPT
            && let Some(first) = guards.freed.pop_front()
        {
            let bytes = guards.blocks.remove(&first).map_or(0, |block| block.bytes);
            guards.freed_bytes -= bytes + MARGIN;
            old.push(first);
        }
        Ok(old)
    })?;
    for address in old {
        // SAFETY: either memory that was kept here, or what the program promises to be of `malloc`.
        unsafe { libc::free(ptr::with_exposed_provenance_mut(address)) };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::take;
    use crate::text::text_from_str;

    /// What a call says that gets 4 bytes and does this.
    fn said(flags: i64, does: impl FnOnce(*mut u8)) -> (Option<String>, [u8; 4]) {
        let bytes = [1u8, 2, 3, 4];
        let description = text_from_str("frob\nx\na.spl:1:1\ni32\n[u8; n]");
        // SAFETY: the bytes and the description outlive the call.
        unsafe {
            let depth = rt_guard_begin(description);
            let given = rt_guard_memory((&raw const bytes).expose_provenance() as i64, 4, 1, flags);
            does(ptr::with_exposed_provenance_mut(given as usize));
            rt_guard_check(depth);
            rt_guard_end(depth);
        }
        (
            take().map(|error| error.message),
            std::hint::black_box(bytes),
        )
    }

    #[test]
    fn margins_are_looked_at_and_what_c_wrote_is_copied_back() {
        // SAFETY: a margin is larger than what is written here.
        unsafe {
            assert_eq!(said(0, |p| p.write(9)), (None, [9, 2, 3, 4]));
            let (message, bytes) = said(0, |p| p.add(4).write_bytes(0, 3));
            let message = message.expect("an error");
            assert!(message.starts_with("`frob` of the library `x` wrote 3 bytes past the end of the memory of argument 2 (`[u8; n]`), which has 4 bytes"), "{message}");
            assert_eq!(bytes, [1, 2, 3, 4]);
            let message = said(0, |p| p.sub(1).write(0)).0.expect("an error");
            assert!(
                message.contains("wrote 1 byte before the beginning"),
                "{message}"
            );
            let message = said(READ_ONLY, |p| p.write(0)).0.expect("an error");
            assert!(message.contains("may only read"), "{message}");
        }
    }

    #[test]
    fn freed_memory_is_recognized() {
        let memory = alloc(16).expect("memory");
        let description = text_from_str("frob\nx\na.spl:1:1\nPtr");
        // SAFETY: the description outlives the calls.
        let depth = unsafe { rt_guard_begin(description) };
        rt_guard_address(memory as i64 + 4, 4, 0);
        assert_eq!(take(), None);
        rt_guard_address(memory as i64 + 2, 4, 0);
        assert!(
            take()
                .expect("an error")
                .message
                .contains("not a multiple of 4")
        );
        assert_eq!(free(memory), Ok(()));
        rt_guard_address(memory as i64, 4, 0);
        assert!(take().expect("an error").message.contains("that was freed"));
        assert!(free(memory).is_err());
        rt_guard_end(depth);
    }
}
