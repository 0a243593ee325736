//! The layout of leaves in memory: natural alignment, in order.
//!
//! Used for class fields, array elements, boxed values and module-level variables. Leaves out what the leaves mean.

use super::Leaf;
use crate::mir::MTy;

/// Offsets of leaves in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The offset of each leaf.
    pub offsets: Vec<i32>,
    /// Bytes up to the end of the last leaf.
    pub size: u32,
    /// The strictest alignment of a leaf; at least 1.
    pub align: u32,
}

impl Layout {
    /// Bytes from one array element to the next.
    pub fn stride(&self) -> u32 {
        self.size.next_multiple_of(self.align)
    }
}

/// Bytes of a machine type, which are also its alignment.
pub fn size_of(ty: MTy) -> u32 {
    match ty {
        MTy::I8 => 1,
        MTy::I16 => 2,
        MTy::I32 | MTy::F32 => 4,
        MTy::I64 | MTy::F64 | MTy::Ptr => 8,
        MTy::I32x4 | MTy::I64x2 | MTy::F32x4 | MTy::F64x2 => 16,
    }
}

/// Places `leaves` one after the other from `start`.
pub fn layout_of_leaves(leaves: &[Leaf], start: u32) -> Layout {
    let mut size = start;
    let mut align = 1;
    let mut offsets = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let bytes = size_of(leaf.ty);
        size = size.next_multiple_of(bytes);
        offsets.push(size as i32);
        size += bytes;
        align = align.max(bytes);
    }
    Layout {
        offsets,
        size,
        align,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(ty: MTy) -> Leaf {
        Leaf {
            ty,
            counted: None,
            nullable: false,
        }
    }

    #[test]
    fn leaves_are_aligned_naturally() {
        let layout = layout_of_leaves(&[leaf(MTy::I8), leaf(MTy::F64), leaf(MTy::I32)], 16);
        assert_eq!(layout.offsets, [16, 24, 32]);
        assert_eq!((layout.size, layout.align, layout.stride()), (36, 8, 40));
    }

    #[test]
    fn an_array_of_flags_is_dense() {
        let layout = layout_of_leaves(&[leaf(MTy::I8)], 0);
        assert_eq!((layout.size, layout.align, layout.stride()), (1, 1, 1));
    }
}
