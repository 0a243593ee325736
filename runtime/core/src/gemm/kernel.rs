//! The kernels of products for AVX-512 and for AVX2: blocks of both matrices in the order in which they are read, and tiles in registers.
//!
//! One macro makes a module for each pair of an element and a width of vectors. What differs is the number of lanes and of rows of a tile, and
//! the names of five instructions; so a test of one is a test of the lines of the other. Which module runs is decided in `gemm.rs`.

use super::{BLOCK_COLUMNS, Factor, From, Job};
use std::cell::Cell;
use std::ops::Range;
use std::ptr;

/// Rows of the left matrix that are copied at once; a multiple of the rows of each tile. They fit into the second cache.
const BLOCK_ROWS: usize = 120;

/// How many tiles of `most` rows are made of so many rows, and the rows of the one or two after them. A tile of fewer than four rows has too few
/// sums to keep the units busy, so the last two share their rows then.
fn heights(rows: usize, most: usize) -> (usize, [usize; 2]) {
    let (whole, rest) = (rows / most, rows % most);
    if whole > 0 && (1..4).contains(&rest) {
        let both = most + rest;
        return (whole - 1, [both.div_ceil(2), both / 2]);
    }
    (whole, [rest, 0])
}

/// Writes four rows of four elements as columns, `width` elements apart.
///
/// # Safety
///
/// All 16 elements can be read and written there.
#[inline(always)]
unsafe fn turn_f32(from: [*const f32; 4], to: *mut f32, width: usize) {
    use std::arch::x86_64::*;
    // SAFETY: as the caller promises; every x86-64 has these instructions.
    unsafe {
        let mut rows = from.map(|row| _mm_loadu_ps(row));
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
unsafe fn turn_f64(from: [*const f64; 4], to: *mut f64, width: usize) {
    for (row, from) in from.into_iter().enumerate() {
        for column in 0..4 {
            // SAFETY: as the caller promises.
            unsafe { *to.add(column * width + row) = *from.add(column) };
        }
    }
}

macro_rules! kernels {
    ($($module:ident $features:literal $float:ident $lanes:literal $rows:literal $load:ident $fill:ident $fused:ident $add:ident $store:ident $turn:ident;)*) => {$(
        pub(super) mod $module {
            use super::*;
            use std::arch::x86_64::*;

            /// Rows of a tile: with two registers of columns, the sums and what they are made of fill the registers.
            const ROWS: usize = $rows;
            /// Columns of a tile.
            pub(in crate::gemm) const COLUMNS: usize = 2 * $lanes;

            /// The longest part of the sums that is made at once: a strip of the right matrix of this length fills two thirds of the first cache, which
            /// has 32 KB, and 48 where there is AVX-512.
            const DEPTH: usize = if COLUMNS * size_of::<$float>() > 64 { 256 } else { 320 };

            thread_local! {
                /// Room for the copies of blocks, kept from product to product: at most 2.8 MB of f32.
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
                let most = depth(k);
                let depth = most.min(k);
                let (mut left, mut right) = ROOM.take();
                left.resize(left.len().max(BLOCK_ROWS.min(all_rows.len().next_multiple_of(ROWS)) * depth), 0.0);
                if !matches!(job.b, Factor::Packed(_)) {
                    right.resize(right.len().max(BLOCK_COLUMNS.min(all_columns.len().next_multiple_of(COLUMNS)) * depth), 0.0);
                }
                for column in all_columns.clone().step_by(BLOCK_COLUMNS) {
                    let columns = BLOCK_COLUMNS.min(all_columns.end - column);
                    for start in (0..k).step_by(most) {
                        let depth = most.min(k - start);
                        // Strips of `COLUMNS` columns, of which one row after the other is read.
                        // SAFETY: the part is in the matrix, and `right` has room for all strips.
                        let strips = unsafe {
                            match job.b {
                                Factor::Packed(strips) => strips.wrapping_add(place(n, start, depth, column)),
                                Factor::Matrix(b) => {
                                    pack::<COLUMNS>(right.as_mut_ptr(), b.moved(start, column).turned(), columns, depth);
                                    right.as_ptr()
                                }
                                Factor::Lines { first, taps } => {
                                    let line = |at: usize| first.wrapping_offset(*taps.add(start + at) as isize).wrapping_add(column);
                                    pack_columns::<COLUMNS>(right.as_mut_ptr(), line, columns, depth);
                                    right.as_ptr()
                                }
                                Factor::Across { first, taps } => {
                                    let line = |row: usize| first.wrapping_offset(*taps.add(column + row) as isize).wrapping_add(start);
                                    pack_rows::<COLUMNS>(right.as_mut_ptr(), line, columns, depth);
                                    right.as_ptr()
                                }
                            }
                        };
                        for row in all_rows.clone().step_by(BLOCK_ROWS) {
                            let rows = BLOCK_ROWS.min(all_rows.end - row);
                            let (whole, last) = heights(rows, ROWS);
                            // SAFETY: as above, with `left`.
                            unsafe {
                                let mut down = 0;
                                for (strip, height) in [(0, whole * ROWS), (whole, last[0]), (whole + 1, last[1])] {
                                    pack::<ROWS>(left.as_mut_ptr().wrapping_add(strip * ROWS * depth), job.a.moved(row + down, start), height, depth);
                                    down += height;
                                }
                            }
                            for strip in 0..columns.div_ceil(COLUMNS) {
                                let at = column + strip * COLUMNS;
                                let mut down = row;
                                for tile in 0..rows.div_ceil(ROWS) {
                                    let height = if tile < whole { ROWS } else { last[tile - whole] };
                                    let size = (height, COLUMNS.min(all_columns.end - at));
                                    // SAFETY: both strips were packed, and the tile begins inside of the result; `size` is what is left
                                    // of it there.
                                    unsafe {
                                        let strips = (left.as_ptr().add(tile * ROWS * depth), strips.add(strip * COLUMNS * depth));
                                        tiles(job, (down, at), size, depth, strips, start > 0, start + depth == k);
                                    }
                                    down += height;
                                }
                            }
                        }
                    }
                }
                ROOM.set((left, right));
            }

            /// How long the parts of sums of length `k` are: about as long as each other, so that none is too short to be worth its start.
            fn depth(k: usize) -> usize {
                k.div_ceil(k.div_ceil(DEPTH)).next_multiple_of(8)
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
                let most = depth(k);
                for start in (0..k).step_by(most) {
                    let depth = most.min(k - start);
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
                // SAFETY: the caller's contract.
                unsafe {
                    if from.row == 1 {
                        pack_columns::<WIDTH>(to, |at| from.moved(0, at).first, rows, depth);
                    } else if from.column == 1 {
                        pack_rows::<WIDTH>(to, |row| from.moved(row, 0).first, rows, depth);
                    } else {
                        for strip in 0..rows.div_ceil(WIDTH) {
                            let to = to.wrapping_add(strip * WIDTH * depth);
                            for at in 0..depth {
                                for next in 0..WIDTH {
                                    let row = strip * WIDTH + next;
                                    *to.add(at * WIDTH + next) = if row < rows { *from.moved(row, at).first } else { 0.0 };
                                }
                            }
                        }
                    }
                }
            }

            /// As `pack`, where the elements of a column are side by side, from `column(at)` on. Each column goes to some strips in turn, so that it is
            /// read once.
            ///
            /// # Safety
            ///
            /// As `pack`.
            #[target_feature(enable = $features)]
            unsafe fn pack_columns<const WIDTH: usize>(to: *mut $float, column: impl Fn(usize) -> *const $float, rows: usize, depth: usize) {
                let whole = rows / WIDTH;
                for strip in (0..whole).step_by(8) {
                    for at in 0..depth {
                        let first = column(at);
                        for next in strip..whole.min(strip + 8) {
                            // SAFETY: `WIDTH` elements of a column, and as many places of a strip.
                            unsafe { ptr::copy_nonoverlapping(first.add(next * WIDTH), to.add((next * depth + at) * WIDTH), WIDTH) };
                        }
                    }
                }
                let (done, rest) = (whole * WIDTH, rows % WIDTH);
                if rest > 0 {
                    for at in 0..depth {
                        let first = column(at);
                        for row in 0..WIDTH {
                            // SAFETY: an element of the column, and a place of the last strip.
                            unsafe { *to.add(done * depth + at * WIDTH + row) = if row < rest { *first.add(done + row) } else { 0.0 } };
                        }
                    }
                }
            }

            /// As `pack`, where the elements of a row are side by side, from `line(row)` on.
            ///
            /// # Safety
            ///
            /// As `pack`.
            #[target_feature(enable = $features)]
            unsafe fn pack_rows<const WIDTH: usize>(to: *mut $float, line: impl Fn(usize) -> *const $float, rows: usize, depth: usize) {
                for strip in 0..rows.div_ceil(WIDTH) {
                    let begin = strip * WIDTH;
                    let here = WIDTH.min(rows - begin);
                    let to = to.wrapping_add(begin * depth);
                    // SAFETY: `here` rows of `depth` elements are in the matrix, and the strip has `depth` rows of `WIDTH`.
                    unsafe {
                        if here < WIDTH {
                            ptr::write_bytes(to, 0, WIDTH * depth);
                        }
                        // Blocks of four by four; the last four rows again where they are not a multiple of four. A few elements of each row in
                        // turn, so that what is written is still in the first cache.
                        let whole = if here < 4 { 0 } else { depth / 4 * 4 };
                        for block in (0..whole).step_by(16) {
                            // Rows are too short for the processor to see where the next strip begins.
                            for row in begin + WIDTH..rows.min(begin + 2 * WIDTH) {
                                _mm_prefetch::<_MM_HINT_T0>(line(row).wrapping_add(block).cast());
                            }
                            for row in (0..here).step_by(4) {
                                let row = row.min(here - 4);
                                let lines = [0, 1, 2, 3].map(|next| line(begin + row + next));
                                for at in (block..whole.min(block + 16)).step_by(4) {
                                    $turn(lines.map(|line| line.add(at)), to.add(at * WIDTH + row), WIDTH);
                                }
                            }
                        }
                        for row in 0..here {
                            let first = line(begin + row);
                            for at in whole..depth {
                                *to.add(at * WIDTH + row) = *first.add(at);
                            }
                        }
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
                for (row, mut sums) in sums.into_iter().enumerate() {
                    let to = to.wrapping_add(row * job.n);
                    let first = start.map(|start| start.moved(row, 0).first);
                    // SAFETY: the result and what it starts from have `columns` elements there, and `line` has room for two registers.
                    unsafe {
                        if columns == COLUMNS {
                            for (half, sum) in sums.iter_mut().enumerate() {
                                let place = half * $lanes;
                                if more {
                                    *sum = $add(*sum, $load(to.add(place)));
                                }
                                if let Some(first) = first {
                                    *sum = $add(*sum, $load(first.add(place)));
                                }
                                $store(to.add(place), *sum);
                            }
                        } else {
                            let mut line = [0.0; COLUMNS];
                            $store(line.as_mut_ptr(), sums[0]);
                            $store(line.as_mut_ptr().add($lanes), sums[1]);
                            for (at, mut sum) in line.into_iter().take(columns).enumerate() {
                                if more {
                                    sum += *to.add(at);
                                }
                                if let Some(first) = first {
                                    sum += *first.add(at);
                                }
                                *to.add(at) = sum;
                            }
                        }
                    }
                }
            }
        }
    )*};
}

kernels! {
    wide_f32 "avx512f" f32 16 12 _mm512_loadu_ps _mm512_set1_ps _mm512_fmadd_ps _mm512_add_ps _mm512_storeu_ps turn_f32;
    wide_f64 "avx512f" f64 8 12 _mm512_loadu_pd _mm512_set1_pd _mm512_fmadd_pd _mm512_add_pd _mm512_storeu_pd turn_f64;
    usual_f32 "avx2,fma" f32 8 6 _mm256_loadu_ps _mm256_set1_ps _mm256_fmadd_ps _mm256_add_ps _mm256_storeu_ps turn_f32;
    usual_f64 "avx2,fma" f64 4 6 _mm256_loadu_pd _mm256_set1_pd _mm256_fmadd_pd _mm256_add_pd _mm256_storeu_pd turn_f64;
}
