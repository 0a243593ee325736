//! The kernels of products for AVX-512 and for AVX2: blocks of both matrices in the order in which they are read, and tiles in registers.
//!
//! One macro makes a module for each pair of an element and a width of vectors. What differs is the number of lanes and of rows of a tile, and
//! the names of four instructions; so a test of one is a test of the lines of the other. Which module runs is decided in `gemm.rs`.

use super::{BLOCK_COLUMNS, DEPTH, Factor, From, Job};
use std::cell::Cell;
use std::ops::Range;
use std::ptr;

/// Rows of the left matrix that are copied at once; a multiple of the rows of each tile. They fit into the second cache.
const BLOCK_ROWS: usize = 120;

/// Writes four rows of four elements as columns: `step` elements are between rows of the one, `width` between those of the other.
///
/// # Safety
///
/// All 16 elements can be read and written there.
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

macro_rules! kernels {
    ($($module:ident $features:literal $float:ident $lanes:literal $rows:literal $load:ident $fill:ident $fused:ident $store:ident $turn:ident;)*) => {$(
        pub(super) mod $module {
            use super::*;
            use std::arch::x86_64::*;

            /// Rows of a tile: with two registers of columns, the sums and what they are made of fill the registers.
            const ROWS: usize = $rows;
            /// Columns of a tile.
            pub(in crate::gemm) const COLUMNS: usize = 2 * $lanes;

            thread_local! {
                /// Room for the copies of blocks, kept from product to product: at most 2.3 MB of f32.
                static ROOM: Cell<(Vec<$float>, Vec<$float>)> = const { Cell::new((Vec::new(), Vec::new())) };
            }

            /// Writes the rows and columns of the product that are asked for; the first column is the first of a tile.
            ///
            /// # Safety
            ///
            /// The job keeps what it promises, the ranges are in its result, and the machine has the instructions.
            #[target_feature(enable = $features)]
            pub(in crate::gemm) unsafe fn product(job: &Job<$float>, all_rows: Range<usize>, all_columns: Range<usize>) {
                let (n, k) = (job.n, job.k);
                let depth = DEPTH.min(k);
                let (mut left, mut right) = ROOM.take();
                left.resize(left.len().max(BLOCK_ROWS.min(all_rows.len().next_multiple_of(ROWS)) * depth), 0.0);
                if let Factor::Matrix(_) = job.b {
                    right.resize(right.len().max(BLOCK_COLUMNS.min(all_columns.len().next_multiple_of(COLUMNS)) * depth), 0.0);
                }
                for column in all_columns.clone().step_by(BLOCK_COLUMNS) {
                    let columns = BLOCK_COLUMNS.min(all_columns.end - column);
                    for start in (0..k).step_by(DEPTH) {
                        let depth = DEPTH.min(k - start);
                        // Strips of `COLUMNS` columns, of which one row after the other is read.
                        let strips = match job.b {
                            Factor::Matrix(b) => {
                                // SAFETY: the part is in the matrix, and `right` has room for all strips.
                                unsafe { pack::<COLUMNS>(right.as_mut_ptr(), b.moved(start, column).turned(), columns, depth) };
                                right.as_ptr()
                            }
                            Factor::Packed(strips) => strips.wrapping_add(place(n, start, depth, column)),
                        };
                        for row in all_rows.clone().step_by(BLOCK_ROWS) {
                            let rows = BLOCK_ROWS.min(all_rows.end - row);
                            // SAFETY: as above, with `left`.
                            unsafe { pack::<ROWS>(left.as_mut_ptr(), job.a.moved(row, start), rows, depth) };
                            for strip in 0..columns.div_ceil(COLUMNS) {
                                let at = column + strip * COLUMNS;
                                for tile in 0..rows.div_ceil(ROWS) {
                                    let down = row + tile * ROWS;
                                    let size = (ROWS.min(all_rows.end - down), COLUMNS.min(all_columns.end - at));
                                    // SAFETY: both strips were packed, and the tile begins inside of the result; `size` is what is left
                                    // of it there.
                                    unsafe {
                                        let strips = (left.as_ptr().add(tile * ROWS * depth), strips.add(strip * COLUMNS * depth));
                                        tiles(job, (down, at), size, depth, strips, start > 0, start + depth == k);
                                    }
                                }
                            }
                        }
                    }
                }
                ROOM.set((left, right));
            }

            /// Where the strip of a column begins among the strips of a whole matrix, at the part of the sums that begins at `start`.
            fn place(n: usize, start: usize, depth: usize, column: usize) -> usize {
                start * n.next_multiple_of(COLUMNS) + column * depth
            }

            /// Copies a matrix of `k` rows of `n` into strips, for [`Factor::Packed`].
            ///
            /// # Safety
            ///
            /// Its elements can be read, `to` has room for `k` rows of whole tiles, and the machine has the instructions.
            #[target_feature(enable = $features)]
            pub(in crate::gemm) unsafe fn pack_all(b: From<$float>, n: usize, k: usize, to: *mut $float) {
                for start in (0..k).step_by(DEPTH) {
                    let depth = DEPTH.min(k - start);
                    // SAFETY: the caller's contract.
                    unsafe { pack::<COLUMNS>(to.add(place(n, start, depth, 0)), b.moved(start, 0).turned(), n, depth) };
                }
            }

            /// Copies `rows` rows of `depth` elements: `WIDTH` rows are a strip, in which the elements of a column are side by side. What is missing
            /// of the last strip is zero.
            ///
            /// # Safety
            ///
            /// The elements can be read, and `to` has room for whole strips.
            #[target_feature(enable = $features)]
            unsafe fn pack<const WIDTH: usize>(to: *mut $float, from: From<$float>, rows: usize, depth: usize) {
                let mut strip = 0;
                if from.row == 1 {
                    // What is side by side goes to some strips in turn, so that it is read once.
                    let whole = rows / WIDTH;
                    while strip < whole {
                        let strips = 8.min(whole - strip);
                        for at in 0..depth {
                            let first = from.moved(strip * WIDTH, at).first;
                            for next in 0..strips {
                                // SAFETY: `WIDTH` elements of a column, and as many places of a strip.
                                unsafe {
                                    let to = to.add(((strip + next) * depth + at) * WIDTH);
                                    ptr::copy_nonoverlapping(first.add(next * WIDTH), to, WIDTH);
                                }
                            }
                        }
                        strip += strips;
                    }
                }
                for strip in strip..rows.div_ceil(WIDTH) {
                    let here = WIDTH.min(rows - strip * WIDTH);
                    let from = from.moved(strip * WIDTH, 0);
                    let to = to.wrapping_add(strip * WIDTH * depth);
                    // SAFETY: `here` rows of `depth` elements are in the matrix, and the strip has `depth` rows of `WIDTH`.
                    unsafe {
                        if here < WIDTH {
                            ptr::write_bytes(to, 0, WIDTH * depth);
                        }
                        if from.column == 1 && here >= 4 {
                            // Blocks of four by four; the last four rows again where they are not a multiple of four. A few elements of each
                            // row in turn, so that what is written is still in the first cache.
                            let whole = depth / 4 * 4;
                            for block in (0..whole).step_by(16) {
                                for row in (0..here).step_by(4) {
                                    let row = row.min(here - 4);
                                    let first = from.moved(row, 0).first;
                                    for at in (block..whole.min(block + 16)).step_by(4) {
                                        $turn(first.add(at), from.row, to.add(at * WIDTH + row), WIDTH);
                                    }
                                }
                            }
                            copy(to, WIDTH, from, here, whole..depth);
                        } else {
                            copy(to, WIDTH, from, here, 0..depth);
                        }
                    }
                }
            }

            /// Copies columns of the first `rows` rows into a strip, an element at a time.
            ///
            /// # Safety
            ///
            /// As `pack`.
            unsafe fn copy(to: *mut $float, width: usize, from: From<$float>, rows: usize, columns: Range<usize>) {
                for at in columns {
                    for row in 0..rows {
                        // SAFETY: an element of the matrix, and a place of the strip.
                        unsafe { *to.add(at * width + row) = *from.moved(row, at).first };
                    }
                }
            }

            /// One tile of the result, of which `size` rows and columns are there.
            ///
            /// # Safety
            ///
            /// As `tile`.
            #[target_feature(enable = $features)]
            unsafe fn tiles(
                job: &Job<$float>,
                at: (usize, usize),
                (rows, columns): (usize, usize),
                depth: usize,
                strips: (*const $float, *const $float),
                more: bool,
                last: bool,
            ) {
                let tile = match rows {
                    1 => tile::<1>,
                    2 => tile::<2>,
                    3 => tile::<3>,
                    4 => tile::<4>,
                    5 => tile::<5>,
                    _ if ROWS == 6 => tile::<6>,
                    6 => tile::<6>,
                    7 => tile::<7>,
                    8 => tile::<8>,
                    9 => tile::<9>,
                    10 => tile::<10>,
                    11 => tile::<11>,
                    _ => tile::<ROWS>,
                };
                // SAFETY: the caller's contract.
                unsafe { tile(job, at, columns, depth, strips, more, last) }
            }

            /// # Safety
            ///
            /// The strips are `depth` long; the result has `R` rows of `columns` elements from `(row, column)` on.
            #[target_feature(enable = $features)]
            unsafe fn tile<const R: usize>(
                job: &Job<$float>,
                (row, column): (usize, usize),
                columns: usize,
                depth: usize,
                (left, right): (*const $float, *const $float),
                more: bool,
                last: bool,
            ) {
                let to = job.out.wrapping_add(row * job.n + column);
                // The result will be here when the sums are made.
                for row in 0..R {
                    let first = to.wrapping_add(row * job.n);
                    _mm_prefetch::<_MM_HINT_T0>(first.cast());
                    _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(COLUMNS - 1).cast());
                }
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
                let start = if last { job.start.map(|start| start.moved(row, column)) } else { None };
                for (row, sums) in sums.into_iter().enumerate() {
                    let mut line = [0.0; COLUMNS];
                    let to = to.wrapping_add(row * job.n);
                    // SAFETY: `line` has room for two registers, the result and what it starts from have `columns` elements there.
                    unsafe {
                        $store(line.as_mut_ptr(), sums[0]);
                        $store(line.as_mut_ptr().add($lanes), sums[1]);
                        let count = if columns == COLUMNS { COLUMNS } else { columns };
                        if more {
                            for (at, sum) in line[..count].iter_mut().enumerate() {
                                *sum += *to.add(at);
                            }
                        }
                        if let Some(start) = start {
                            let first = start.moved(row, 0).first;
                            for (at, sum) in line[..count].iter_mut().enumerate() {
                                *sum += *first.add(at);
                            }
                        }
                        if columns == COLUMNS {
                            ptr::copy_nonoverlapping(line.as_ptr(), to, COLUMNS);
                        } else {
                            ptr::copy_nonoverlapping(line.as_ptr(), to, columns);
                        }
                    }
                }
            }
        }
    )*};
}

kernels! {
    wide_f32 "avx512f" f32 16 12 _mm512_loadu_ps _mm512_set1_ps _mm512_fmadd_ps _mm512_storeu_ps turn_f32;
    wide_f64 "avx512f" f64 8 12 _mm512_loadu_pd _mm512_set1_pd _mm512_fmadd_pd _mm512_storeu_pd turn_f64;
    usual_f32 "avx2,fma" f32 8 6 _mm256_loadu_ps _mm256_set1_ps _mm256_fmadd_ps _mm256_storeu_ps turn_f32;
    usual_f64 "avx2,fma" f64 4 6 _mm256_loadu_pd _mm256_set1_pd _mm256_fmadd_pd _mm256_storeu_pd turn_f64;
}
