//! Products of matrices of floats in memory: for AVX-512 a kernel of our own, elsewhere the crate `matrixmultiply`.
//!
//! The kernel is the usual one (Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008): blocks of both matrices are
//! copied into the order in which they are read, and a tile of [`ROWS`] rows and two registers of columns is added up in registers. Every sum is
//! made in the order of `k`, block by block, with fused multiply-adds, and depends on nothing but the matrices. One thread.
//! Bounds are the caller's: `externs/linear.rs`.

#![allow(
    unsafe_code,
    reason = "reads and writes matrices through pointers and uses vector instructions"
)]

/// Rows of a tile: with two registers of columns, 24 of the 32 registers are sums.
const ROWS: usize = 12;
/// The longest part of the sums that is made at once: a strip of the right matrix of this length fills two thirds of the first cache.
const DEPTH: usize = 256;
/// Rows of the left matrix that are copied at once; a multiple of [`ROWS`]. They fit into the second cache.
const BLOCK_ROWS: usize = 240;
/// Columns of the right matrix that are copied at once.
const BLOCK_COLUMNS: usize = 2048;

/// Whether the order of our own kernel is worth making; a tile has more columns than narrow results.
#[cfg(target_arch = "x86_64")]
fn is_large(m: usize, n: usize, k: usize) -> bool {
    n >= 24 && m * n * k >= 1 << 18
}

/// A matrix to be read: where its first element is, and how far rows and columns are apart, in elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct From<T> {
    pub(crate) first: *const T,
    pub(crate) row: isize,
    pub(crate) column: isize,
}

macro_rules! kernels {
    ($($name:ident $inner:ident $float:ident $elsewhere:path;)*) => {$(
        /// Writes the product of an `m` x `k` and a `k` x `n` matrix to `out`, row by row.
        ///
        /// # Safety
        ///
        /// All elements of both matrices can be read, `out` has room for `m * n` elements, and `k` is not 0.
        pub(crate) unsafe fn $name(
            (m, n, k): (usize, usize, usize),
            a: From<$float>,
            b: From<$float>,
            out: *mut $float,
        ) {
            #[cfg(target_arch = "x86_64")]
            if is_large(m, n, k) && std::is_x86_feature_detected!("avx512f") {
                // SAFETY: the machine has the instructions; the rest is the caller's.
                return unsafe { $inner::product((m, n, k), a, b, out) };
            }
            // SAFETY: as the caller promises.
            unsafe {
                $elsewhere(
                    m, k, n, 1.0, a.first, a.row, a.column, b.first, b.row, b.column, 0.0, out,
                    n as isize, 1,
                );
            }
        }
    )*};
}

kernels! {
    product_f32 f32s f32 matrixmultiply::sgemm;
    product_f64 f64s f64 matrixmultiply::dgemm;
}

/// Writes four rows of four elements as columns: `step` elements are between rows of the one, `width` between those of the other.
///
/// # Safety
///
/// All 16 elements can be read and written there.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn turn_f32(from: *const f32, step: isize, to: *mut f32, width: usize) {
    use std::arch::x86_64::*;
    // SAFETY: as the caller promises; every x86-64 has these instructions.
    unsafe {
        let mut rows = [0, 1, 2, 3].map(|row| _mm_loadu_ps(from.offset(row * step)));
        let [a, b, c, d] = &mut rows;
        _MM_TRANSPOSE4_PS(a, b, c, d);
        for (row, elements) in rows.into_iter().enumerate() {
            _mm_storeu_ps(to.add(row * width), elements);
        }
    }
}

/// As `turn_f32`.
///
/// # Safety
///
/// As there.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn turn_f64(from: *const f64, step: isize, to: *mut f64, width: usize) {
    for row in 0..4 {
        for column in 0..4 {
            // SAFETY: as the caller promises.
            unsafe {
                *to.add(column * width + row) = *from.offset(row as isize * step + column as isize)
            };
        }
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! avx512 {
    ($($module:ident $float:ident $lanes:literal $mask:ident $load:ident $fill:ident $fused:ident $add:ident $masked:ident $store:ident $turn:ident;)*) => {$(
        mod $module {
            use super::{$turn, BLOCK_COLUMNS, BLOCK_ROWS, DEPTH, From, ROWS};
            use std::arch::x86_64::*;
            use std::cell::Cell;

            /// Columns of a tile.
            const COLUMNS: usize = 2 * $lanes;

            thread_local! {
                /// Room for the copies of blocks, kept from product to product: at most 2.3 MB of f32.
                static ROOM: Cell<(Vec<$float>, Vec<$float>)> = const { Cell::new((Vec::new(), Vec::new())) };
            }

            /// The lowest `count` bits, at most one per lane.
            fn bits(count: usize) -> $mask {
                ((1u32 << count.min($lanes)) - 1) as $mask
            }

            /// As the function of the module above.
            ///
            /// # Safety
            ///
            /// As there, and the machine has AVX-512.
            #[target_feature(enable = "avx512f")]
            pub(super) unsafe fn product(
                (m, n, k): (usize, usize, usize),
                a: From<$float>,
                b: From<$float>,
                out: *mut $float,
            ) {
                let depth = DEPTH.min(k);
                let (mut left, mut right) = ROOM.take();
                left.resize(left.len().max(BLOCK_ROWS.min(m.next_multiple_of(ROWS)) * depth), 0.0);
                right.resize(right.len().max(BLOCK_COLUMNS.min(n.next_multiple_of(COLUMNS)) * depth), 0.0);
                for column in (0..n).step_by(BLOCK_COLUMNS) {
                    let columns = BLOCK_COLUMNS.min(n - column);
                    for start in (0..k).step_by(DEPTH) {
                        let depth = DEPTH.min(k - start);
                        let part = moved(b, start, column);
                        // Strips of `COLUMNS` columns, of which one row after the other is read.
                        // SAFETY: the part is in the matrix, and `right` has room for all strips.
                        unsafe { pack(&mut right, turned(part), columns, depth, COLUMNS) };
                        for row in (0..m).step_by(BLOCK_ROWS) {
                            let rows = BLOCK_ROWS.min(m - row);
                            // SAFETY: as above, with `left`.
                            unsafe { pack(&mut left, moved(a, row, start), rows, depth, ROWS) };
                            for (strip, right) in right.chunks_exact(COLUMNS * depth).take(columns.div_ceil(COLUMNS)).enumerate() {
                                let at = column + strip * COLUMNS;
                                for (tile, left) in left.chunks_exact(ROWS * depth).take(rows.div_ceil(ROWS)).enumerate() {
                                    let down = row + tile * ROWS;
                                    let size = (ROWS.min(m - down), COLUMNS.min(n - at));
                                    // SAFETY: the tile begins inside of `out`, which has `n` elements in a row, and `size` is
                                    // what is left of it there.
                                    unsafe {
                                        let to = out.add(down * n + at);
                                        tiles(size, depth, left, right, to, n, start > 0);
                                    }
                                }
                            }
                        }
                    }
                }
                ROOM.set((left, right));
            }

            /// The part of a matrix from a row and a column on.
            fn moved(from: From<$float>, row: usize, column: usize) -> From<$float> {
                let distance = row as isize * from.row + column as isize * from.column;
                From { first: from.first.wrapping_offset(distance), ..from }
            }

            fn turned(from: From<$float>) -> From<$float> {
                From { row: from.column, column: from.row, ..from }
            }

            /// Copies `rows` rows of `depth` elements: `width` rows are a strip, in which the elements of a column are side by side. What is missing
            /// of the last strip is zero.
            ///
            /// # Safety
            ///
            /// The elements can be read, and `to` has room for whole strips.
            #[target_feature(enable = "avx512f")]
            unsafe fn pack(to: &mut [$float], from: From<$float>, rows: usize, depth: usize, width: usize) {
                for (strip, to) in to.chunks_exact_mut(width * depth).take(rows.div_ceil(width)).enumerate() {
                    let here = width.min(rows - strip * width);
                    let from = moved(from, strip * width, 0);
                    if here < width {
                        to.fill(0.0);
                    }
                    if from.row == 1 {
                        let masks = [bits(here), bits(here.saturating_sub($lanes))];
                        for (at, to) in to.chunks_exact_mut(width).enumerate() {
                            let column = from.first.wrapping_offset(at as isize * from.column);
                            for (half, mask) in masks.into_iter().enumerate() {
                                let place = half * $lanes;
                                // SAFETY: the masks leave the `here` elements of a column, which are side by side.
                                unsafe { $store(to.as_mut_ptr().wrapping_add(place), mask, $masked(mask, column.wrapping_add(place))) };
                            }
                        }
                    } else if from.column == 1 {
                        // A few elements of each row in turn, so that what is written is still in the first cache.
                        for block in (0..depth).step_by($lanes) {
                            let end = depth.min(block + $lanes);
                            let turned = if end - block == $lanes { here / 4 * 4 } else { 0 };
                            for row in (0..turned).step_by(4) {
                                let first = from.first.wrapping_offset(row as isize * from.row);
                                for at in (block..end).step_by(4) {
                                    // SAFETY: four elements of four rows of the matrix, and as many places of the strip.
                                    unsafe { $turn(first.add(at), from.row, to.as_mut_ptr().add(at * width + row), width) };
                                }
                            }
                            for row in turned..here {
                                let first = from.first.wrapping_offset(row as isize * from.row);
                                for at in block..end {
                                    // SAFETY: an element of the matrix, and a place of the strip, which has `depth` rows of `width`.
                                    unsafe { *to.as_mut_ptr().add(at * width + row) = *first.add(at) };
                                }
                            }
                        }
                    } else {
                        for row in 0..here {
                            let first = from.first.wrapping_offset(row as isize * from.row);
                            for at in 0..depth {
                                // SAFETY: an element of the matrix.
                                to[at * width + row] = unsafe { *first.wrapping_offset(at as isize * from.column) };
                            }
                        }
                    }
                }
            }

            /// One tile of the result, of which `size` rows and columns are there.
            ///
            /// # Safety
            ///
            /// `to` has `size` elements, with `step` from row to row.
            #[target_feature(enable = "avx512f")]
            unsafe fn tiles(
                (rows, columns): (usize, usize),
                depth: usize,
                left: &[$float],
                right: &[$float],
                to: *mut $float,
                step: usize,
                more: bool,
            ) {
                assert!(left.len() >= ROWS * depth && right.len() >= COLUMNS * depth);
                let tile = match rows {
                    1 => tile::<1>,
                    2 => tile::<2>,
                    3 => tile::<3>,
                    4 => tile::<4>,
                    5 => tile::<5>,
                    6 => tile::<6>,
                    7 => tile::<7>,
                    8 => tile::<8>,
                    9 => tile::<9>,
                    10 => tile::<10>,
                    11 => tile::<11>,
                    _ => tile::<ROWS>,
                };
                // SAFETY: the strips were just measured; the rest is the caller's.
                unsafe { tile(columns, depth, left.as_ptr(), right.as_ptr(), to, step, more) }
            }

            /// # Safety
            ///
            /// `left` and `right` are strips of `depth`; `to` has `R` rows of `columns` elements, with `step` from row to row.
            #[target_feature(enable = "avx512f")]
            unsafe fn tile<const R: usize>(
                columns: usize,
                depth: usize,
                left: *const $float,
                right: *const $float,
                to: *mut $float,
                step: usize,
                more: bool,
            ) {
                let mut sums = [[$fill(0.0); 2]; R];
                for at in 0..depth {
                    // SAFETY: the strips have `depth` rows of `COLUMNS` and `ROWS` elements.
                    let (b, a) = unsafe {
                        let b = right.add(at * COLUMNS);
                        ([$load(b), $load(b.add($lanes))], left.add(at * ROWS))
                    };
                    for row in 0..R {
                        // SAFETY: `R` is at most `ROWS`.
                        let a = $fill(unsafe { *a.add(row) });
                        sums[row][0] = $fused(a, b[0], sums[row][0]);
                        sums[row][1] = $fused(a, b[1], sums[row][1]);
                    }
                }
                let masks = [bits(columns), bits(columns.saturating_sub($lanes))];
                for (row, sums) in sums.into_iter().enumerate() {
                    for (half, (mut sum, mask)) in sums.into_iter().zip(masks).enumerate() {
                        let to = to.wrapping_add(row * step + half * $lanes);
                        // SAFETY: the mask leaves the elements that are there.
                        unsafe {
                            if more {
                                sum = $add(sum, $masked(mask, to));
                            }
                            $store(to, mask, sum);
                        }
                    }
                }
            }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
avx512! {
    f32s f32 16 __mmask16 _mm512_loadu_ps _mm512_set1_ps _mm512_fmadd_ps _mm512_add_ps _mm512_maskz_loadu_ps _mm512_mask_storeu_ps turn_f32;
    f64s f64 8 __mmask8 _mm512_loadu_pd _mm512_set1_pd _mm512_fmadd_pd _mm512_add_pd _mm512_maskz_loadu_pd _mm512_mask_storeu_pd turn_f64;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small integers, whose sums are exact.
    fn numbers(count: usize) -> Vec<f64> {
        (0..count).map(|at| (at * 7 % 11) as f64 - 5.0).collect()
    }

    /// The product by our own kernel where the machine has the instructions, whatever its size.
    macro_rules! by_kernel {
        ($inner:ident $other:ident $size:expr, $a:expr, $b:expr, $out:expr) => {{
            #[cfg(target_arch = "x86_64")]
            if std::is_x86_feature_detected!("avx512f") {
                // SAFETY: the caller gives the places of `m * k`, `k * n` and `m * n` elements.
                unsafe { $inner::product($size, $a, $b, $out) }
            } else {
                // SAFETY: as above.
                unsafe { $other($size, $a, $b, $out) }
            }
            #[cfg(not(target_arch = "x86_64"))]
            // SAFETY: as above.
            unsafe {
                $other($size, $a, $b, $out)
            }
        }};
    }

    fn check((m, n, k): (usize, usize, usize), turned: (bool, bool)) {
        let (a, b) = (numbers(m * k), numbers(k * n));
        let place = |rows: usize, columns: usize, turned: bool| match turned {
            true => (1, rows as isize),
            false => (columns as isize, 1),
        };
        let (a_at, b_at) = (place(m, k, turned.0), place(k, n, turned.1));
        let mut expected = vec![0.0; m * n];
        for i in 0..m {
            for j in 0..n {
                expected[i * n + j] = (0..k)
                    .map(|p| {
                        let left = i as isize * a_at.0 + p as isize * a_at.1;
                        let right = p as isize * b_at.0 + j as isize * b_at.1;
                        a[left as usize] * b[right as usize]
                    })
                    .sum();
            }
        }
        // What is after the result shows that nothing is written there.
        let mut out = vec![7.0; m * n + 64];
        let from = |first: &[f64], (row, column)| From {
            first: first.as_ptr(),
            row,
            column,
        };
        by_kernel!(f64s product_f64 (m, n, k), from(&a, a_at), from(&b, b_at), out.as_mut_ptr());
        assert_eq!(out[..m * n], expected, "{m} {n} {k} {turned:?}");
        assert!(out[m * n..].iter().all(|&rest| rest == 7.0));

        let (a, b): (Vec<f32>, Vec<f32>) = (
            a.iter().map(|&x| x as f32).collect(),
            b.iter().map(|&x| x as f32).collect(),
        );
        let mut out = vec![7.0f32; m * n + 64];
        let from = |first: &[f32], (row, column)| From {
            first: first.as_ptr(),
            row,
            column,
        };
        by_kernel!(f32s product_f32 (m, n, k), from(&a, a_at), from(&b, b_at), out.as_mut_ptr());
        let found: Vec<f64> = out[..m * n].iter().map(|&x| f64::from(x)).collect();
        assert_eq!(found, expected, "{m} {n} {k} {turned:?} in f32");
        assert!(out[m * n..].iter().all(|&rest| rest == 7.0));
    }

    #[test]
    fn tiles_blocks_and_their_edges_are_added_up() {
        for m in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 25] {
            for n in [1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65] {
                check((m, n, 3), (false, false));
                check((m, n, 5), (true, true));
            }
        }
        for k in [1, 255, 256, 257, 513] {
            check((13, 33, k), (false, true));
            check((13, 33, k), (true, false));
        }
        check((239, 20, 4), (false, false));
        check((241, 20, 4), (true, false));
        check((481, 3, 260), (false, false));
        check((3, 2047, 2), (false, false));
        check((3, 2049, 258), (false, true));
    }
}
