//! Products of matrices of `f32` into a list that is there: an instruction of a planned step (`step.rs`).
//!
//! Where the matrices are is a list of ten numbers: `[m, n, k, a_at, a_down, a_right, b_at, b_down, b_right, whole]`: the sizes, and for each
//! matrix its first element and the distances between its rows and its columns. With `whole` 0 every sum is made element by element in the
//! order of `k`, which is fastest for matrices of a few rows; otherwise by `gemm.rs`.

use super::with_vectors;
use crate::gemm::{self, Factor, From, Job};

/// A matrix in a list.
#[derive(Clone, Copy)]
struct Matrix<'a> {
    list: &'a [f32],
    at: usize,
    down: usize,
    right: usize,
}

impl Matrix<'_> {
    /// Whether all elements are in the list.
    fn is_inside(self, rows: usize, columns: usize) -> bool {
        if rows == 0 || columns == 0 {
            return true;
        }
        let reach = |count: usize, step: usize| (count - 1).checked_mul(step);
        let last = (|| {
            self.at
                .checked_add(reach(rows, self.down)?)?
                .checked_add(reach(columns, self.right)?)
        })();
        last.is_some_and(|last| last < self.list.len())
    }

    fn gemm(self) -> From<f32> {
        From {
            first: self.list[self.at..].as_ptr(),
            row: self.down as isize,
            column: self.right as isize,
        }
    }
}

/// `W` columns of the result from `column` on, in one row.
///
/// # Safety
///
/// They are in the result and in `start`, the row from `left` on in `a`, and the columns in `b`.
#[inline(always)]
unsafe fn tile<const W: usize>(
    to: &mut [f32],
    k: usize,
    (a, left): (&Matrix<'_>, usize),
    (b, column): (&Matrix<'_>, usize),
    start: &[f32],
) {
    let mut sums = [0.0_f32; W];
    // SAFETY: as the caller promises.
    unsafe {
        if !start.is_empty() {
            sums.copy_from_slice(start.get_unchecked(column..column + W));
        }
        let mut from = b.list.as_ptr().wrapping_add(b.at + column * b.right);
        let mut at = a.list.as_ptr().wrapping_add(left);
        if b.right == 1 {
            for _ in 0..k {
                let x = at.read();
                for (lane, sum) in sums.iter_mut().enumerate() {
                    *sum += x * from.add(lane).read();
                }
                at = at.wrapping_add(a.right);
                from = from.wrapping_add(b.down);
            }
        } else {
            for _ in 0..k {
                let x = at.read();
                for (lane, sum) in sums.iter_mut().enumerate() {
                    *sum += x * from.add(lane * b.right).read();
                }
                at = at.wrapping_add(a.right);
                from = from.wrapping_add(b.down);
            }
        }
        to.get_unchecked_mut(column..column + W)
            .copy_from_slice(&sums);
    }
}

with_vectors! {
    /// Small products, element by element; the caller has found both matrices in their lists.
    fn small(to: &mut [f32], n: usize, k: usize, a: Matrix<'_>, b: Matrix<'_>, start: &[f32]) -> () {
        let mut left = a.at;
        for row in to.chunks_exact_mut(n) {
            let mut column = 0;
            // SAFETY: a row of the result has `n` columns, as many as `b` and `start`, and `a` has as many rows.
            unsafe {
                while column + 8 <= n {
                    tile::<8>(row, k, (&a, left), (&b, column), start);
                    column += 8;
                }
                if column + 4 <= n {
                    tile::<4>(row, k, (&a, left), (&b, column), start);
                    column += 4;
                }
                while column < n {
                    tile::<1>(row, k, (&a, left), (&b, column), start);
                    column += 1;
                }
            }
            left += a.down;
        }
    }
}

/// The product, to each row of which `start` is added first, where it is not empty. Nothing where it does not fit.
pub(super) fn compute(
    layout: &[i64],
    to: &mut [f32],
    a: &[f32],
    b: &[f32],
    start: &[f32],
) -> Option<()> {
    let mut numbers = [0_usize; 10];
    if layout.len() != numbers.len() {
        return None;
    }
    for (number, given) in numbers.iter_mut().zip(layout) {
        *number = usize::try_from(*given).ok()?;
    }
    let [m, n, k, a_at, a_down, a_right, b_at, b_down, b_right, whole] = numbers;
    let matrix = |list, at, down, right| Matrix {
        list,
        at,
        down,
        right,
    };
    let (a, b) = (
        matrix(a, a_at, a_down, a_right),
        matrix(b, b_at, b_down, b_right),
    );
    let fits = m.checked_mul(n) == Some(to.len())
        && a.is_inside(m, k)
        && b.is_inside(k, n)
        && (start.is_empty() || start.len() == n);
    if !fits {
        return None;
    }
    if to.is_empty() {
        return Some(());
    }
    if whole == 0 || k == 0 {
        small(to, n, k, a, b, start);
        return Some(());
    }
    let row = From {
        first: start.as_ptr(),
        row: 0,
        column: 1,
    };
    let job = Job {
        m,
        n,
        k,
        a: a.gemm(),
        b: Factor::Matrix(b.gemm()),
        out: to.as_mut_ptr(),
        start: (!start.is_empty()).then_some(row),
    };
    // SAFETY: both matrices are in their lists, `to` has room for the result, `start` has `n` elements, and `k` is not 0.
    unsafe { gemm::product_f32(&job) };
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Vec<f32> {
        (0..count).map(|at| (at * 7 % 11) as f32 - 5.0).collect()
    }

    #[test]
    fn products_are_sums_in_the_order_of_k_wherever_the_matrices_are() {
        let (a, b, start) = (numbers(900), numbers(900), numbers(20));
        for (m, n, k) in [(1, 1, 1), (4, 8, 2), (3, 13, 7), (5, 20, 9), (2, 3, 0)] {
            // The first is a part of a wider matrix; the second as it is, and with rows and columns exchanged.
            for (down, right) in [(20, 1), (1, 20)] {
                for start in [&start[..n], &[]] {
                    for whole in [0, 1] {
                        let sizes = [m, n, k, 3, 25, 2, 4, down, right, whole];
                        let layout = sizes.map(|size| size as i64);
                        let mut to = vec![f32::NAN; m * n];
                        assert_eq!(compute(&layout, &mut to, &a, &b, start), Some(()));
                        for i in 0..m {
                            for j in 0..n {
                                let first = start.get(j).copied().unwrap_or(0.0);
                                let sum = (0..k).fold(first, |sum, p| {
                                    sum + a[3 + i * 25 + p * 2] * b[4 + p * down + j * right]
                                });
                                assert_eq!(to[i * n + j], sum, "{m} {n} {k} {whole}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_outside_of_a_list_is_refused() {
        let list = numbers(6);
        let fits = |layout: [i64; 10], count: usize, start: &[f32]| {
            compute(&layout, &mut vec![0.0; count], &list, &list, start).is_some()
        };
        assert!(fits([2, 2, 3, 0, 3, 1, 0, 2, 1, 0], 4, &[]));
        assert!(!fits([2, 2, 3, 1, 3, 1, 0, 2, 1, 0], 4, &[]));
        assert!(!fits([2, 2, 3, 0, 3, 1, 0, 2, 2, 0], 4, &[]));
        assert!(!fits([2, 2, 3, 0, 3, 1, 0, 2, 1, 0], 5, &[]));
        assert!(!fits([2, 2, 3, 0, 3, 1, 0, 2, 1, 0], 4, &[1.0]));
        assert!(!fits([2, 2, 3, -1, 3, 1, 0, 2, 1, 0], 4, &[]));
        assert!(!fits([2, 2, 3, 0, i64::MAX, 1, 0, 2, 1, 0], 4, &[]));
        assert!(compute(&[1, 2], &mut [], &list, &list, &[]).is_none());
    }
}
