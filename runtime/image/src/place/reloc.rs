//! Addresses into machine code: each kind of relocation of the two supported machines.
//!
//! The formats are those of the ELF supplements of both architectures. Next: `mod.rs` for which address goes where.

use crate::form::RelocationKind;

/// The target is farther away than the instruction can express.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooFar;

/// Bytes that a relocation changes.
pub fn size(kind: RelocationKind) -> usize {
    match kind {
        RelocationKind::Absolute8 => 8,
        _ => 4,
    }
}

/// Writes `value` (the target's address plus addend) for an instruction at address `place`, whose bytes `code`
/// begins with.
pub fn apply(
    kind: RelocationKind,
    code: &mut [u8],
    place: usize,
    value: usize,
) -> Result<(), TooFar> {
    let distance = value.wrapping_sub(place) as i64;
    match kind {
        RelocationKind::Absolute8 => code[..8].copy_from_slice(&(value as u64).to_le_bytes()),
        RelocationKind::Relative4 => {
            let distance = i32::try_from(distance).map_err(|_| TooFar)?;
            code[..4].copy_from_slice(&distance.to_le_bytes());
        }
        RelocationKind::ArmCall => {
            // 26 bits count instructions.
            let count = distance >> 2;
            if !(-(1 << 25)..1 << 25).contains(&count) {
                return Err(TooFar);
            }
            instruction(code, 0x03ff_ffff, count as u32 & 0x03ff_ffff);
        }
        RelocationKind::ArmPage => {
            // 21 bits count pages: the low two in bits 29 and 30, the others from bit 5.
            let pages = ((value & !0xfff) as i64).wrapping_sub((place & !0xfff) as i64) >> 12;
            if !(-(1 << 20)..1 << 20).contains(&pages) {
                return Err(TooFar);
            }
            let pages = pages as u32;
            instruction(
                code,
                0x60ff_ffe0,
                ((pages & 3) << 29) | (((pages >> 2) & 0x7_ffff) << 5),
            );
        }
        RelocationKind::ArmPageOffset => {
            instruction(code, 0xfff << 10, (value as u32 & 0xfff) << 10)
        }
    }
    Ok(())
}

/// Replaces the bits of `mask` in a 32-bit instruction.
fn instruction(code: &mut [u8], mask: u32, bits: u32) {
    let mut word = [0; 4];
    word.copy_from_slice(&code[..4]);
    let word = u32::from_le_bytes(word) & !mask | bits & mask;
    code[..4].copy_from_slice(&word.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x86_calls_are_relative_to_the_field() {
        let mut code = [0; 4];
        apply(RelocationKind::Relative4, &mut code, 0x1001, 0x2000 - 4).unwrap();
        assert_eq!(i32::from_le_bytes(code), 0x2000 - 0x1005);
        assert_eq!(
            apply(RelocationKind::Relative4, &mut code, 0, 1 << 40),
            Err(TooFar)
        );
    }

    #[test]
    fn arm_calls_count_instructions_and_keep_the_opcode() {
        let mut code = 0x9400_0000u32.to_le_bytes();
        apply(RelocationKind::ArmCall, &mut code, 0x1000, 0x0ff8).unwrap();
        assert_eq!(u32::from_le_bytes(code), 0x97ff_fffe);
        assert_eq!(
            apply(RelocationKind::ArmCall, &mut code, 0, 1 << 28),
            Err(TooFar)
        );
    }

    #[test]
    fn arm_page_addresses_split_their_bits() {
        let mut code = 0x9000_0000u32.to_le_bytes();
        apply(RelocationKind::ArmPage, &mut code, 0x1234, 0x6abc).unwrap();
        assert_eq!(u32::from_le_bytes(code), 0x9000_0000 | (1 << 29) | (1 << 5));
        let mut code = 0x9100_0000u32.to_le_bytes();
        apply(RelocationKind::ArmPageOffset, &mut code, 0, 0x6abc).unwrap();
        assert_eq!(u32::from_le_bytes(code), 0x9100_0000 | (0xabc << 10));
    }
}
