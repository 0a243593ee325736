//! Linear algebra over arrays of floats: sums that may be added up in any order, and products of matrices.
//!
//! A matrix is in an array at an offset, with a stride between rows and one between columns, so that parts and transposed matrices need no
//! copy. Every bound is checked here. Products are computed by `gemm.rs` on one thread.

// Its functions take pointers; all of them are made from slices whose bounds `reach` has checked.
use crate::gemm;
use crate::host::array_filled;
use simple_ffi_abi::{SffiBuffer, SffiType};

/// Partial sums that are added up side by side.
const LANES: usize = 16;

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

macro_rules! products {
    ($($product:ident $gemm:ident $sum:ident $dot:ident $float:ident $type:ident;)*) => {$(
        /// The product of an `m` x `k` and a `k` x `n` matrix, row by row.
        #[allow(clippy::too_many_arguments, reason = "two matrices, each with its place")]
        pub(super) fn $product(
            m: i64, n: i64, k: i64,
            a: &[$float], a_offset: i64, a_row: i64, a_column: i64,
            b: &[$float], b_offset: i64, b_row: i64, b_column: i64,
        ) -> Result<SffiBuffer, String> {
            let (m, n, k) = (extent("m", m)?, extent("n", n)?, extent("k", k)?);
            let (a_at, b_at) = (
                Place { offset: a_offset, row: a_row, column: a_column },
                Place { offset: b_offset, row: b_row, column: b_column },
            );
            reach("the first array", m, k, a_at, a.len())?;
            reach("the second array", k, n, b_at, b.len())?;
            let count = m.checked_mul(n).ok_or("the product has too many elements")?;
            // SAFETY: either branch writes all elements. `reach` found all of both matrices in their arrays, which are not empty where
            // there is something to multiply, and the result has `m` rows of `n` elements.
            Ok(unsafe {
                array_filled(SffiType::$type, count, |out: *mut $float| {
                    if k == 0 || count == 0 {
                        out.write_bytes(0, count);
                        return;
                    }
                    gemm::$gemm(
                        (m, n, k),
                        gemm::From { first: a.as_ptr().offset(a_offset as isize), row: a_row as isize, column: a_column as isize },
                        gemm::From { first: b.as_ptr().offset(b_offset as isize), row: b_row as isize, column: b_column as isize },
                        out,
                    );
                })
            })
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
            let mut sums = [0.0 as $float; LANES];
            let chunks = a.chunks_exact(LANES);
            let rest: $float = chunks.remainder().iter().sum();
            for a in chunks {
                for lane in 0..LANES {
                    sums[lane] += a[lane];
                }
            }
            f64::from(sums.iter().sum::<$float>() + rest)
        }
    )*};
}

products! {
    matmul_f32 product_f32 sum_f32 dot_f32 f32 ArrayF32;
    matmul_f64 product_f64 sum_f64 dot_f64 f64 ArrayF64;
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
