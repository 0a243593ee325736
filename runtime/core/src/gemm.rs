//! Products of matrices of floats in memory: kernels of our own for AVX-512 and AVX2, elsewhere the crate `matrixmultiply`.
//!
//! The kernels are the usual ones (Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008): blocks of both matrices are
//! copied into the order in which they are read, and a tile of some rows and two registers of columns is added up in registers. Every sum is
//! made in the order of `k`, block by block, with fused multiply-adds, and depends on nothing but the matrices: large products are divided among
//! threads by rows or columns of the result, never along the sums. Bounds are the caller's: `externs/linear.rs`. Next: `gemm/kernel.rs`, `pool.rs`.

#![allow(
    unsafe_code,
    reason = "reads and writes matrices through pointers and uses vector instructions"
)]

#[cfg(target_arch = "x86_64")]
mod kernel;
#[cfg(test)]
mod tests;

use crate::pool;
use std::ops::Range;

/// Columns of the right matrix that are copied at once.
const BLOCK_COLUMNS: usize = 2048;
/// What a part of a thread is a multiple of, in rows and in columns: whole tiles of every kernel.
const GRAIN: usize = 96;
/// How many multiplications a thread of its own is worth.
pub(crate) const WORTH: usize = 1 << 21;

/// A matrix to be read: where its first element is, and how far rows and columns are apart, in elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct From<T> {
    pub(crate) first: *const T,
    pub(crate) row: isize,
    pub(crate) column: isize,
}

impl<T> From<T> {
    /// The part of a matrix from a row and a column on.
    pub(crate) fn moved(self, row: usize, column: usize) -> Self {
        let distance = row as isize * self.row + column as isize * self.column;
        From {
            first: self.first.wrapping_offset(distance),
            ..self
        }
    }

    /// Rows and columns exchanged.
    fn turned(self) -> Self {
        From {
            row: self.column,
            column: self.row,
            ..self
        }
    }
}

/// The right matrix of a product.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Factor<T> {
    Matrix(From<T>),
    /// What `pack_f32` or `pack_f64` made of it.
    Packed(*const T),
    /// Row `p` begins `taps[p]` elements after the first: the windows of an image, without a copy of them.
    Lines {
        first: *const T,
        taps: *const i64,
    },
    /// Column `j` begins `taps[j]` elements after the first, and its elements are side by side.
    Across {
        first: *const T,
        taps: *const i64,
    },
}

/// A product to be computed: `m` rows of `k`, and `k` rows of `n` elements. `k` is not 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<T> {
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) a: From<T>,
    pub(crate) b: Factor<T>,
    /// Room for `m * n` elements, row by row.
    pub(crate) out: *mut T,
    /// What is added to each sum when it is made: `m` rows of `n` elements that are side by side.
    pub(crate) start: Option<From<T>>,
}

// SAFETY: threads read the matrices, which nobody changes meanwhile, and write parts of the result that do not overlap.
unsafe impl<T: Sync> Sync for Job<T> {}

/// The kernels that a machine can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Avx512,
    Avx2,
    Crate,
}

/// The best kernel of this machine.
pub(crate) fn kind() -> Kind {
    #[cfg(target_arch = "x86_64")]
    {
        if std::is_x86_feature_detected!("avx512f") {
            return Kind::Avx512;
        }
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            return Kind::Avx2;
        }
    }
    Kind::Crate
}

macro_rules! products {
    ($($product:ident $part:ident $pack:ident $size:ident $wide:ident $usual:ident $float:ident $elsewhere:path;)*) => {$(
        /// Computes a product, on several threads if it is large.
        ///
        /// # Safety
        ///
        /// The job keeps what it promises: all elements can be read and written, and a packed matrix was packed here with its `n` and `k`.
        pub(crate) unsafe fn $product(job: &Job<$float>) {
            let kind = kind();
            let work = job.m * job.n * job.k;
            let parts = (work / WORTH).min(pool::threads());
            let by_rows = job.m >= job.n;
            let length = if by_rows { job.m } else { job.n };
            let grains = length.div_ceil(GRAIN);
            if parts < 2 || grains < 2 {
                // SAFETY: the caller's contract.
                return unsafe { $part(kind, job, 0..job.m, 0..job.n) };
            }
            let parts = parts.min(grains);
            pool::each(parts, &|part| {
                let cut = |part: usize| (grains * part / parts * GRAIN).min(length);
                let range = cut(part)..cut(part + 1);
                let (rows, columns) = if by_rows { (range, 0..job.n) } else { (0..job.m, range) };
                // SAFETY: the caller's contract; the parts are in the result and do not overlap.
                unsafe { $part(kind, job, rows, columns) };
            });
        }

        /// Computes a part of a product, on this thread.
        ///
        /// # Safety
        ///
        /// As above; the machine has the kernel, and the columns begin with a tile.
        pub(crate) unsafe fn $part(kind: Kind, job: &Job<$float>, rows: Range<usize>, columns: Range<usize>) {
            #[cfg(target_arch = "x86_64")]
            {
                // Whether the order of the kernels is worth making; a tile has more columns than narrow results.
                let (narrow, small) = if kind == Kind::Avx512 { (24, 1 << 18) } else { (12, 1 << 13) };
                let large = job.n >= narrow && job.m * job.n * job.k >= small;
                let ours = large || !matches!(job.b, Factor::Matrix(_));
                match kind {
                    Kind::Avx512 if ours => {
                        // SAFETY: the machine has the instructions; the rest is the caller's.
                        return unsafe { kernel::$wide::product(job, rows, columns) };
                    }
                    Kind::Avx2 if ours => {
                        // SAFETY: as above.
                        return unsafe { kernel::$usual::product(job, rows, columns) };
                    }
                    _ => {}
                }
            }
            debug_assert!(kind == Kind::Crate || matches!(job.b, Factor::Matrix(_)));
            let mut copy = Vec::new();
            let b = match job.b {
                Factor::Matrix(b) => b,
                // Without a kernel of our own it is the matrix, row by row.
                Factor::Packed(first) => From { first, row: job.n as isize, column: 1 },
                Factor::Lines { first, taps } | Factor::Across { first, taps } => {
                    let lines = matches!(job.b, Factor::Lines { .. });
                    let (count, length) = if lines { (job.k, job.n) } else { (job.n, job.k) };
                    copy.reserve(count * length);
                    for tap in 0..count {
                        for at in 0..length {
                            // SAFETY: as the caller promises.
                            copy.push(unsafe { *first.offset(*taps.add(tap) as isize).add(at) });
                        }
                    }
                    let b = From { first: copy.as_ptr(), row: length as isize, column: 1 };
                    if lines { b } else { b.turned() }
                }
            };
            let (a, b) = (job.a.moved(rows.start, 0), b.moved(0, columns.start));
            // SAFETY: as the caller promises.
            unsafe {
                let out = job.out.add(rows.start * job.n + columns.start);
                $elsewhere(
                    rows.len(), job.k, columns.len(), 1.0, a.first, a.row, a.column, b.first, b.row, b.column, 0.0, out,
                    job.n as isize, 1,
                );
                if let Some(start) = job.start {
                    for row in 0..rows.len() {
                        let first = start.moved(rows.start + row, columns.start).first;
                        for column in 0..columns.len() {
                            *out.add(row * job.n + column) += *first.add(column);
                        }
                    }
                }
            }
        }

        /// How many elements a packed matrix of `k` rows of `n` has; nothing if they cannot be counted.
        pub(crate) fn $size(kind: Kind, n: usize, k: usize) -> Option<usize> {
            let columns = match kind {
                #[cfg(target_arch = "x86_64")]
                Kind::Avx512 => kernel::$wide::COLUMNS,
                #[cfg(target_arch = "x86_64")]
                Kind::Avx2 => kernel::$usual::COLUMNS,
                _ => 1,
            };
            n.checked_next_multiple_of(columns)?.checked_mul(k)
        }

        /// Copies a matrix of `k` rows of `n` into the order in which products read it.
        ///
        /// # Safety
        ///
        /// Its elements can be read, `to` has room for as many as the function above says, and the machine has the kernel.
        pub(crate) unsafe fn $pack(kind: Kind, b: From<$float>, n: usize, k: usize, to: *mut $float) {
            // SAFETY: the caller's contract.
            unsafe {
                match kind {
                    #[cfg(target_arch = "x86_64")]
                    Kind::Avx512 => kernel::$wide::pack_all(b, n, k, to),
                    #[cfg(target_arch = "x86_64")]
                    Kind::Avx2 => kernel::$usual::pack_all(b, n, k, to),
                    _ => {
                        for row in 0..k {
                            for column in 0..n {
                                *to.add(row * n + column) = *b.moved(row, column).first;
                            }
                        }
                    }
                }
            }
        }
    )*};
}

products! {
    product_f32 part_f32 pack_f32 packed_size_f32 wide_f32 usual_f32 f32 matrixmultiply::sgemm;
    product_f64 part_f64 pack_f64 packed_size_f64 wide_f64 usual_f64 f64 matrixmultiply::dgemm;
}
