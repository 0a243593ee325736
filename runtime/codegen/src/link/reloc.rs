//! Addresses into machine code: each kind of relocation that Cranelift leaves for the two supported machines.
//!
//! The formats are those of the ELF supplements of both architectures. Next: `mod.rs` for which address goes where.

use cranelift_codegen::binemit::Reloc;

/// Why a relocation could not be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RelocError {
    /// The target is farther away than the instruction can express.
    TooFar,
    /// Code for these machines never has such a relocation.
    Unknown(Reloc),
}

/// Writes `value` (the target's address plus addend) for an instruction at address `place`, whose bytes `code` begins with.
pub(crate) fn apply(
    kind: Reloc,
    code: &mut [u8],
    place: usize,
    value: usize,
) -> Result<(), RelocError> {
    let distance = value.wrapping_sub(place) as i64;
    match kind {
        Reloc::Abs8 => code[..8].copy_from_slice(&(value as u64).to_le_bytes()),
        Reloc::Abs4 => {
            let value = u32::try_from(value).map_err(|_| RelocError::TooFar)?;
            code[..4].copy_from_slice(&value.to_le_bytes());
        }
        Reloc::X86PCRel4 | Reloc::X86CallPCRel4 => {
            let distance = i32::try_from(distance).map_err(|_| RelocError::TooFar)?;
            code[..4].copy_from_slice(&distance.to_le_bytes());
        }
        Reloc::Arm64Call => {
            // 26 bits count instructions.
            let count = distance >> 2;
            if !(-(1 << 25)..1 << 25).contains(&count) {
                return Err(RelocError::TooFar);
            }
            instruction(code, 0x03ff_ffff, count as u32 & 0x03ff_ffff);
        }
        Reloc::Aarch64AdrPrelPgHi21 => {
            // 21 bits count pages: the low two in bits 29 and 30, the others from bit 5.
            let pages = ((value & !0xfff) as i64).wrapping_sub((place & !0xfff) as i64) >> 12;
            if !(-(1 << 20)..1 << 20).contains(&pages) {
                return Err(RelocError::TooFar);
            }
            let pages = pages as u32;
            instruction(
                code,
                0x60ff_ffe0,
                ((pages & 3) << 29) | (((pages >> 2) & 0x7_ffff) << 5),
            );
        }
        Reloc::Aarch64AddAbsLo12Nc => instruction(code, 0xfff << 10, (value as u32 & 0xfff) << 10),
        other => return Err(RelocError::Unknown(other)),
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
        apply(Reloc::X86CallPCRel4, &mut code, 0x1001, 0x2000 - 4).unwrap();
        assert_eq!(i32::from_le_bytes(code), 0x2000 - 0x1005);
        assert_eq!(
            apply(Reloc::X86CallPCRel4, &mut code, 0, 1 << 40),
            Err(RelocError::TooFar)
        );
    }

    #[test]
    fn arm_calls_count_instructions_and_keep_the_opcode() {
        let mut code = 0x9400_0000u32.to_le_bytes();
        apply(Reloc::Arm64Call, &mut code, 0x1000, 0x0ff8).unwrap();
        assert_eq!(u32::from_le_bytes(code), 0x97ff_fffe);
        assert_eq!(
            apply(Reloc::Arm64Call, &mut code, 0, 1 << 28),
            Err(RelocError::TooFar)
        );
    }

    #[test]
    fn arm_page_addresses_split_their_bits() {
        let mut code = 0x9000_0000u32.to_le_bytes();
        apply(Reloc::Aarch64AdrPrelPgHi21, &mut code, 0x1234, 0x6abc).unwrap();
        assert_eq!(u32::from_le_bytes(code), 0x9000_0000 | (1 << 29) | (1 << 5));
        let mut code = 0x9100_0000u32.to_le_bytes();
        apply(Reloc::Aarch64AddAbsLo12Nc, &mut code, 0, 0x6abc).unwrap();
        assert_eq!(u32::from_le_bytes(code), 0x9100_0000 | (0xabc << 10));
    }
}
