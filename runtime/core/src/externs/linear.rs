//! Linear algebra over arrays of floats: sums that may be added up in any order, and products of matrices.
//!
//! A matrix is in an array at an offset, with a stride between rows and one between columns, so that parts and transposed matrices need no
//! copy. Every bound is checked here. Products are computed by `gemm.rs`, large ones on several threads; so are sums of many elements, by blocks.

// Its functions take pointers; all of them are made from slices whose bounds `reach` has checked.
use crate::gemm::{self, Factor, From, Job};
use crate::host::array_filled;
use crate::pool::{self, Shared};
use simple_ffi_abi::{SffiBuffer, SffiType};

/// Partial sums that are added up side by side.
const LANES: usize = 16;
/// Elements whose sum is made by one thread. Another number would be other digits.
const BLOCK: usize = 1 << 15;

/// Where the elements of a matrix are.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: i64,
    row: i64,
    column: i64,
}

/// That all elements of a matrix are among so many, which `name` has.
fn reach(name: &str, rows: usize, columns: usize, at: Place, length: usize) -> Result<(), String> {
    if rows == 0 || columns == 0 {
        return Ok(());
    }
    let last = |count: usize, stride: i64| (count as i128 - 1) * i128::from(stride);
    let (down, right) = (last(rows, at.row), last(columns, at.column));
    let first = i128::from(at.offset);
    let (lowest, highest) = (
        first + down.min(0) + right.min(0),
        first + down.max(0) + right.max(0),
    );
    if lowest < 0 || highest >= length as i128 {
        return Err(format!(
            "a matrix of {rows} x {columns} elements takes the positions {lowest} to {highest} of {name}, which has {length} elements"
        ));
    }
    Ok(())
}

/// A number of rows or columns.
fn extent(name: &str, count: i64) -> Result<usize, String> {
    usize::try_from(count).map_err(|_| format!("{name} is {count}, but a matrix has 0 or more"))
}

/// Products, sums and elements of large arrays are computed with so many threads from now on.
pub(super) fn set_threads(count: i64) -> Result<i64, String> {
    let found = usize::try_from(count)
        .ok()
        .filter(|count| (1..=1024).contains(count));
    pool::set_threads(found.ok_or(format!("cannot use {count} threads; expected 1 to 1024"))?);
    Ok(count)
}

/// With how many threads large products are computed.
pub(super) fn threads() -> i64 {
    pool::threads() as i64
}

/// The sums of blocks, one after the other. Blocks begin where they begin on any number of threads.
fn of_blocks<T: Sync>(xs: &[T], sum: impl Fn(&[T]) -> f64 + Sync) -> f64 {
    if xs.len() <= BLOCK {
        return sum(xs);
    }
    let mut sums = vec![0.0; xs.len().div_ceil(BLOCK)];
    let made = Shared::new(sums.as_mut_ptr());
    pool::ranges(xs.len(), BLOCK, &|range| {
        let first = range.start / BLOCK;
        for (at, block) in xs[range].chunks(BLOCK).enumerate() {
            // SAFETY: there is a place for the sum of each block, which belongs to one range.
            unsafe { made.at(first + at).write(sum(block)) };
        }
    });
    sums.iter().sum()
}

/// The sum in f64 of at most `count` elements from `start` on: of each block four sums in turn, which are added at its end.
pub(crate) fn sum_by_four_f32(xs: &[f32], start: i64, count: i64) -> f64 {
    let start = usize::try_from(start).map_or(xs.len(), |start| start.min(xs.len()));
    let count = usize::try_from(count).unwrap_or(0).min(xs.len() - start);
    super::fold::sum_of_blocks(&xs[start..start + count])
}

macro_rules! products {
    ($($product:ident $on:ident $pack:ident $packed:ident $gemm:ident $pack_gemm:ident $size:ident $sum:ident $dot:ident $float:ident $type:ident;)*) => {$(
        /// The product of an `m` x `k` and a `k` x `n` matrix, row by row.
        #[allow(clippy::too_many_arguments, reason = "two matrices, each with its place")]
        pub(super) fn $product(
            m: i64, n: i64, k: i64,
            a: &[$float], a_offset: i64, a_row: i64, a_column: i64,
            b: &[$float], b_offset: i64, b_row: i64, b_column: i64,
        ) -> Result<SffiBuffer, String> {
            $on(m, n, k, a, a_offset, a_row, a_column, b, b_offset, b_row, b_column, &[], 0, 0)
        }

        /// The same on top of `start`, of which the rows are `start_row` apart; nothing is added if it is empty.
        #[allow(clippy::too_many_arguments, reason = "three matrices, each with its place")]
        pub(super) fn $on(
            m: i64, n: i64, k: i64,
            a: &[$float], a_offset: i64, a_row: i64, a_column: i64,
            b: &[$float], b_offset: i64, b_row: i64, b_column: i64,
            start: &[$float], start_offset: i64, start_row: i64,
        ) -> Result<SffiBuffer, String> {
            let (m, n, k) = (extent("m", m)?, extent("n", n)?, extent("k", k)?);
            let a_at = Place { offset: a_offset, row: a_row, column: a_column };
            let b_at = Place { offset: b_offset, row: b_row, column: b_column };
            reach("the second array", k, n, b_at, b.len())?;
            let b = From { first: b.as_ptr().wrapping_offset(b_offset as isize), row: b_row as isize, column: b_column as isize };
            // SAFETY: all elements of the matrix are in the array.
            unsafe { $gemm::filled((m, n, k), (a, a_at), Factor::Matrix(b), (start, start_offset, start_row)) }
        }

        /// A matrix of `k` rows of `n` in the order in which products read it.
        pub(super) fn $pack(n: i64, k: i64, b: &[$float], b_offset: i64, b_row: i64, b_column: i64) -> Result<SffiBuffer, String> {
            let (n, k) = (extent("n", n)?, extent("k", k)?);
            reach("the array", k, n, Place { offset: b_offset, row: b_row, column: b_column }, b.len())?;
            let kind = gemm::kind();
            let size = gemm::$size(kind, n, k).ok_or("the matrix has too many elements")?;
            let b = From { first: b.as_ptr().wrapping_offset(b_offset as isize), row: b_row as isize, column: b_column as isize };
            // SAFETY: all elements of the matrix are in the array, and the kernel writes as many as it was just asked for.
            Ok(unsafe {
                array_filled(SffiType::$type, size, |out: *mut $float| {
                    if size > 0 {
                        gemm::$pack_gemm(kind, b, n, k, out);
                    }
                })
            })
        }

        /// As the product on top of `start`, of a matrix that was packed.
        #[allow(clippy::too_many_arguments, reason = "three matrices, two with their place")]
        pub(super) fn $packed(
            m: i64, n: i64, k: i64,
            a: &[$float], a_offset: i64, a_row: i64, a_column: i64,
            b: &[$float],
            start: &[$float], start_offset: i64, start_row: i64,
        ) -> Result<SffiBuffer, String> {
            let (m, n, k) = (extent("m", m)?, extent("n", n)?, extent("k", k)?);
            let a_at = Place { offset: a_offset, row: a_row, column: a_column };
            let size = gemm::$size(gemm::kind(), n, k).ok_or("the matrix has too many elements")?;
            if b.len() != size {
                return Err(format!("a packed matrix of {k} x {n} elements has {size} places here, but the second array has {}", b.len()));
            }
            // SAFETY: the packed matrix has the size that the kernel reads.
            unsafe { $gemm::filled((m, n, k), (a, a_at), Factor::Packed(b.as_ptr()), (start, start_offset, start_row)) }
        }

        mod $gemm {
            use super::*;

            /// A product as the result of an extern.
            ///
            /// # Safety
            ///
            /// All elements of the right matrix can be read.
            pub(super) unsafe fn filled(
                (m, n, k): (usize, usize, usize),
                (a, a_at): (&[$float], Place),
                b: Factor<$float>,
                (start, offset, row): (&[$float], i64, i64),
            ) -> Result<SffiBuffer, String> {
                reach("the first array", m, k, a_at, a.len())?;
                let count = m.checked_mul(n).ok_or("the product has too many elements")?;
                let start = if start.is_empty() {
                    None
                } else {
                    reach("the start", m, n, Place { offset, row, column: 1 }, start.len())?;
                    Some(From { first: start.as_ptr().wrapping_offset(offset as isize), row: row as isize, column: 1 })
                };
                // SAFETY: either branch writes all elements. `reach` found all of the matrices in their arrays, which are not empty where
                // there is something to multiply, and the result has `m` rows of `n` elements.
                Ok(unsafe {
                    array_filled(SffiType::$type, count, |out: *mut $float| {
                        if count == 0 {
                        } else if k == 0 {
                            for row in 0..m {
                                for column in 0..n {
                                    let first = start.map(|start| *start.moved(row, column).first);
                                    out.add(row * n + column).write(first.unwrap_or(0.0));
                                }
                            }
                        } else {
                            let a = From { first: a.as_ptr().offset(a_at.offset as isize), row: a_at.row as isize, column: a_at.column as isize };
                            gemm::$gemm(&Job { m, n, k, a, b, out, start });
                        }
                    })
                })
            }
        }

        /// The sum of the products of elements at the same place, as far as both arrays go, by partial sums.
        pub(super) fn $dot(a: &[$float], b: &[$float]) -> f64 {
            let mut sums = [0.0 as $float; LANES];
            let (left, right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
            let whole = a.len().min(b.len()) / LANES * LANES;
            for (a, b) in left.zip(right) {
                for lane in 0..LANES {
                    sums[lane] += a[lane] * b[lane];
                }
            }
            let rest: $float = a.iter().zip(b).skip(whole).map(|(a, b)| a * b).sum();
            f64::from(sums.iter().sum::<$float>() + rest)
        }

        /// The sum of all elements, by partial sums.
        pub(super) fn $sum(a: &[$float]) -> f64 {
            of_blocks(a, |a| {
                let mut sums = [0.0 as $float; LANES];
                let chunks = a.chunks_exact(LANES);
                let rest: $float = chunks.remainder().iter().sum();
                for a in chunks {
                    for lane in 0..LANES {
                        sums[lane] += a[lane];
                    }
                }
                f64::from(sums.iter().sum::<$float>() + rest)
            })
        }
    )*};
}

products! {
    matmul_f32 matmul_on_f32 pack_f32 matmul_packed_f32 product_f32 pack_f32 packed_size_f32 sum_f32 dot_f32 f32 ArrayF32;
    matmul_f64 matmul_on_f64 pack_f64 matmul_packed_f64 product_f64 pack_f64 packed_size_f64 sum_f64 dot_f64 f64 ArrayF64;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elements that small integers are exact sums of.
    fn numbers(count: usize) -> Vec<f64> {
        (0..count).map(|at| (at * 7 % 11) as f64 - 5.0).collect()
    }

    /// The elements of a result, which is not given back.
    fn listed(made: SffiBuffer) -> Vec<f64> {
        // SAFETY: the buffer is the result of a product of f64, which has as many elements as it says.
        unsafe {
            simple_ffi_abi::export::slice_argument(made.data.cast::<f64>(), made.length).to_vec()
        }
    }

    #[test]
    fn products_are_those_of_rows_and_columns_wherever_the_matrices_are() {
        let (a, b) = (numbers(400), numbers(500));
        for (m, n, k) in [
            (1, 1, 1),
            (3, 5, 7),
            (8, 8, 8),
            (13, 4, 9),
            (0, 3, 2),
            (2, 3, 0),
        ] {
            // The first is a part of a wider matrix, the second is transposed and backwards.
            let (a_at, b_at) = ((5, 20, 1), (450, -1, -12));
            let found = matmul_f64(
                m, n, k, &a, a_at.0, a_at.1, a_at.2, &b, b_at.0, b_at.1, b_at.2,
            );
            let mut expected = Vec::new();
            for i in 0..m {
                for j in 0..n {
                    let product = |l: i64| {
                        a[(a_at.0 + i * a_at.1 + l * a_at.2) as usize]
                            * b[(b_at.0 + l * b_at.1 + j * b_at.2) as usize]
                    };
                    expected.push((0..k).map(product).sum::<f64>());
                }
            }
            assert_eq!(found.map(listed), Ok(expected), "{m} {n} {k}");
        }
    }

    #[test]
    fn packed_matrices_and_starts_change_no_digit() {
        let (a, b, start) = (numbers(90), numbers(200), numbers(70));
        for (m, n, k) in [
            (6, 11, 15),
            (1, 3, 2),
            (5, 12, 1),
            (4, 5, 0),
            (0, 4, 3),
            (3, 0, 2),
        ] {
            // The second is transposed.
            let packed = pack_f64(n, k, &b, 2, 1, k).map(listed).expect("it fits");
            for (from, row) in [(3, n), (5, 0)] {
                let plain = matmul_f64(m, n, k, &a, 0, k, 1, &b, 2, 1, k).map(listed);
                let sums: Vec<f64> = plain
                    .expect("it fits")
                    .into_iter()
                    .enumerate()
                    .map(|(at, sum)| {
                        let at = at as i64;
                        sum + start[(from + at / n * row + at % n) as usize]
                    })
                    .collect();
                let on = matmul_on_f64(m, n, k, &a, 0, k, 1, &b, 2, 1, k, &start, from, row);
                assert_eq!(on.map(listed), Ok(sums.clone()), "{m} {n} {k}");
                let on = matmul_packed_f64(m, n, k, &a, 0, k, 1, &packed, &start, from, row);
                assert_eq!(on.map(listed), Ok(sums), "{m} {n} {k}");
            }
            assert!(matmul_packed_f64(m, n + 100, k + 1, &a, 0, k, 1, &packed, &[], 0, 0).is_err());
        }
        assert!(matmul_on_f64(2, 3, 1, &a, 0, 1, 1, &b, 0, 3, 1, &start, 65, 3).is_err());
        assert!(matmul_on_f64(2, 3, 1, &a, 0, 1, 1, &b, 0, 3, 1, &start, 64, 3).is_ok());
        assert!(matmul_on_f64(2, 3, 1, &a, 0, 1, 1, &b, 0, 3, 1, &start, -1, 3).is_err());
        assert!(set_threads(0).is_err() && set_threads(1025).is_err());
    }

    #[test]
    fn what_is_outside_of_an_array_is_refused() {
        let a = [1.0_f32; 6];
        let product = |m, k, offset, row| matmul_f32(m, 2, k, &a, offset, row, 1, &a, 0, 2, 1);
        assert!(product(2, 3, 0, 3).is_ok());
        for (m, k, offset, row) in [
            (2, 3, 1, 3),
            (2, 3, 0, 4),
            (2, 3, -1, 3),
            (2, 3, 0, -1),
            (-1, 3, 0, 3),
        ] {
            assert!(
                product(m, k, offset, row).is_err(),
                "{m} {k} {offset} {row}"
            );
        }
        assert!(product(i64::MAX, 3, 0, i64::MAX).is_err());
        assert!(matmul_f32(i64::MAX, i64::MAX, 0, &a, 0, 0, 0, &a, 0, 0, 0).is_err());
    }

    #[test]
    fn sums_take_every_element_once() {
        for count in 0..70 {
            let a = numbers(count);
            let narrow: Vec<f32> = a.iter().map(|x| *x as f32).collect();
            let (sum, squares) = (a.iter().sum::<f64>(), a.iter().map(|x| x * x).sum::<f64>());
            assert_eq!((sum_f64(&a), dot_f64(&a, &a)), (sum, squares));
            assert_eq!(
                (sum_f32(&narrow), dot_f32(&narrow, &narrow)),
                (sum, squares)
            );
            assert_eq!(dot_f64(&a, &numbers(100)), squares);
        }
    }
}
