//! Hashes of texts.
//!
//! Deterministic, and not made to withstand chosen keys. Used by `hash_table.rs`, and compiled code for keys that contain texts.

use super::{WORD, bytes_of, data_of};
use crate::layout::{Header, TextObject};

/// The bit of a hash that says that other texts may have it too.
pub const SHARED_HASH: u64 = 1 << 63;

const A: u64 = 0x9e37_79b9_7f4a_7c15;
const B: u64 = 0xa076_1d64_78bd_642f;

/// A hash of the content, equal for equal texts.
///
/// Texts of up to seven bytes have a hash that no other text has: there [`SHARED_HASH`] is not set, and who has found an
/// equal hash need not compare.
///
/// # Safety
/// `text` is a live text.
#[inline]
pub unsafe extern "C" fn rt_text_hash(text: *const Header) -> i64 {
    // SAFETY: the caller's contract; a word can be read of every text.
    let hash = unsafe {
        let object = text.cast::<TextObject>();
        let len = (*object).byte_len as usize;
        if len < WORD {
            let word = data_of(object.cast_mut()).cast::<u64>().read_unaligned();
            hash_short(first_bytes(u64::from_le(word), len), len)
        } else {
            hash_long(bytes_of(text)) | SHARED_HASH
        }
    };
    hash as i64
}

/// The first `len` bytes of a word, at most eight of them, the rest zero.
#[inline]
pub(super) fn first_bytes(word: u64, len: usize) -> u64 {
    let kept = u64::MAX.checked_shr(64 - 8 * len as u32).unwrap_or(0);
    word & kept
}

/// The two halves of a product, folded together.
#[inline]
pub(crate) fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// Up to seven bytes and their number are 59 bits, which are mixed without loss: odd factors and shifted differences can be undone.
#[inline]
fn hash_short(bytes: u64, len: usize) -> u64 {
    let mixed = (bytes | (len as u64) << 56).wrapping_mul(A) & !SHARED_HASH;
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(B) & !SHARED_HASH;
    mixed ^ mixed >> 29
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; WORD];
    word.copy_from_slice(&bytes[at..at + WORD]);
    u64::from_le_bytes(word)
}

/// Words are mixed by a multiplication whose two halves are folded together, as in wyhash and rapidhash; the last two words may
/// overlap those before. There are at least eight bytes. Kept out of callers, which mostly have short texts.
#[inline(never)]
fn hash_long(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    let mut hash = len as u64 ^ B;
    let before_last = if len > 16 {
        for pair in bytes[..len - 1].chunks_exact(16) {
            hash = fold(word(pair, 0) ^ A, word(pair, 8) ^ hash);
        }
        len - 16
    } else {
        0
    };
    fold(
        fold(word(bytes, before_last) ^ A, word(bytes, len - 8) ^ hash),
        len as u64 ^ B,
    )
}
