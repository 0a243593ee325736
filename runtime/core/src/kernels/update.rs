//! Steps of optimizers in place, on several threads where there are many parameters, and sums of columns. The formulas are those of
//! `lib/native/optim.spl` and `reduce.spl`, in the same order.

use super::{Floats, read, with_vectors, written};
use crate::pool::{self, Shared};

/// Parameters that one thread changes before it asks for more.
const GRAIN: usize = 1 << 13;

with_vectors! {
    /// The sums of the columns of matrices of `rows` rows: eight rows at a time are added up in pairs, these sums in f64.
    pub(crate) fn sums(to: &mut [f32], xs: &[f32], rows: usize, width: usize) -> () {
        // So many columns at a time.
        const WIDE: usize = 64;
        for (block, to) in to.chunks_exact_mut(width).enumerate() {
            let xs = &xs[block * rows * width..(block + 1) * rows * width];
            for (strip, to) in to.chunks_mut(WIDE).enumerate() {
                let mut sums = [0.0_f64; WIDE];
                let from = strip * WIDE;
                let count = to.len();
                let part = |row: usize| &xs[row * width + from..row * width + from + count];
                let mut row = 0;
                while row + 8 <= rows {
                    let [a, b, c, d] = [0, 1, 2, 3].map(|more| part(row + more));
                    let [e, f, g, h] = [4, 5, 6, 7].map(|more| part(row + more));
                    for at in 0..count {
                        let first = (a[at] + b[at]) + (c[at] + d[at]);
                        let second = (e[at] + f[at]) + (g[at] + h[at]);
                        sums[at] += f64::from(first + second);
                    }
                    row += 8;
                }
                while row < rows {
                    for (sum, x) in sums.iter_mut().zip(part(row)) {
                        *sum += f64::from(*x);
                    }
                    row += 1;
                }
                for (to, sum) in to.iter_mut().zip(sums) {
                    *to = sum as f32;
                }
            }
        }
    }
}

with_vectors! {
    fn plain(p: &mut [f32], g: &[f32], sign: f32, decay: f32, rate: f32) -> () {
        for (p, g) in p.iter_mut().zip(g) {
            *p -= rate * (sign * g + decay * *p);
        }
    }
}

/// `p = p - rate * (sign * g + decay * p)`
///
/// # Safety
///
/// The lists have `count` elements and are used by nobody else.
pub(super) unsafe extern "C" fn descend(
    p: Floats,
    g: Floats,
    count: i64,
    sign: f64,
    decay: f64,
    rate: f64,
) -> u8 {
    let (p, g) = (Shared::new(p), Shared::new(g));
    pool::ranges(count.max(0) as usize, 4 * GRAIN, &|range| {
        let (at, count) = (range.start, range.len() as i64);
        // SAFETY: as the caller promises; each part is in one range.
        let (p, g) = unsafe { (written(p.at(at), count), read(g.at(at), count)) };
        plain(p, g, sign as f32, decay as f32, rate as f32);
    });
    1
}

with_vectors! {
    fn with_momentum(p: &mut [f32], v: &mut [f32], g: &[f32], numbers: [f32; 7]) -> () {
        let [sign, decay, rate, momentum, share, nesterov, first] = numbers;
        let (nesterov, first) = (nesterov != 0.0, first != 0.0);
        for ((p, v), g) in p.iter_mut().zip(v).zip(g) {
            let g = sign * g + decay * *p;
            let now = if first { g } else { momentum * *v + share * g };
            *v = now;
            *p -= rate * (if nesterov { g + momentum * now } else { now });
        }
    }
}

/// A step along a velocity, by the numbers sign, decay, rate, momentum, share of the gradient, and whether it is Nesterov's and the first.
///
/// # Safety
///
/// The lists have `count` elements and are used by nobody else; there are `several` numbers.
pub(super) unsafe extern "C" fn descend_with(
    p: Floats,
    v: Floats,
    g: Floats,
    count: i64,
    numbers: *const f64,
    several: i64,
) -> u8 {
    // SAFETY: as the caller promises.
    let Ok(numbers) = <[f64; 7]>::try_from(unsafe { read(numbers, several) }) else {
        return 0;
    };
    let [p, v, g] = [p, v, g].map(Shared::new);
    pool::ranges(count.max(0) as usize, 2 * GRAIN, &|range| {
        let (at, count) = (range.start, range.len() as i64);
        // SAFETY: as the caller promises; each part is in one range.
        let (p, v, g) = unsafe {
            (
                written(p.at(at), count),
                written(v.at(at), count),
                read(g.at(at), count),
            )
        };
        with_momentum(p, v, g, numbers.map(|number| number as f32));
    });
    1
}

with_vectors! {
    fn moments(p: &mut [f32], m: &mut [f32], s: &mut [f32], g: &[f32], numbers: [f32; 9]) -> () {
        let [sign, coupled, kept, share1, beta2, share2, length, correction, eps] = numbers;
        for (((p, m), s), g) in p.iter_mut().zip(m).zip(s).zip(g) {
            let before = *p * kept;
            let g = sign * g + coupled * before;
            let now = *m + share1 * (g - *m);
            let square = beta2 * *s + share2 * g * g;
            *m = now;
            *s = square;
            *p = before - length * now / (square.sqrt() * correction + eps);
        }
    }
}

/// A step of Adam, by the numbers sign, decay that counts as a gradient, what is kept of the parameter, the share of the gradient in the mean,
/// what is kept of the squares, the share of the square, the length of the step, what corrects the root of the squares, and eps.
///
/// # Safety
///
/// As for `descend_with`.
pub(super) unsafe extern "C" fn adam(
    p: Floats,
    m: Floats,
    s: Floats,
    g: Floats,
    count: i64,
    numbers: *const f64,
    several: i64,
) -> u8 {
    // SAFETY: as the caller promises.
    let Ok(numbers) = <[f64; 9]>::try_from(unsafe { read(numbers, several) }) else {
        return 0;
    };
    let [p, m, s, g] = [p, m, s, g].map(Shared::new);
    pool::ranges(count.max(0) as usize, GRAIN, &|range| {
        let (at, count) = (range.start, range.len() as i64);
        // SAFETY: as the caller promises; each part is in one range.
        let (p, m, s, g) = unsafe {
            (
                written(p.at(at), count),
                written(m.at(at), count),
                written(s.at(at), count),
                read(g.at(at), count),
            )
        };
        moments(p, m, s, g, numbers.map(|number| number as f32));
    });
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_take_every_row_of_every_column_once() {
        for (blocks, rows, width) in [(1, 1, 1), (2, 7, 3), (1, 8, 64), (3, 21, 130), (1, 0, 2)] {
            let count = blocks * width;
            let xs: Vec<f32> = (0..blocks * rows * width)
                .map(|at| (at % 17) as f32)
                .collect();
            let mut to = vec![f32::NAN; count];
            sums(&mut to, &xs, rows, width);
            for (at, sum) in to.iter().enumerate() {
                let (block, column) = (at / width, at % width);
                let each = (0..rows).map(|row| xs[(block * rows + row) * width + column]);
                assert_eq!(*sum, each.sum::<f32>(), "{blocks} {rows} {width}");
            }
        }
    }

    #[test]
    fn steps_follow_their_formulas() {
        let (mut p, mut v, mut g) = ([1.0_f32; 9], [0.5_f32; 9], [2.0_f32; 9]);
        let numbers = [1.0, 0.0, 0.5, 0.5, 1.0, 0.0, 0.0];
        // SAFETY: the lists have as many elements.
        unsafe {
            assert_eq!(
                descend(p.as_mut_ptr(), g.as_mut_ptr(), 9, -1.0, 0.0, 0.25),
                1
            );
            assert_eq!(p, [1.5; 9]);
            let list = numbers.as_ptr();
            assert_eq!(
                descend_with(p.as_mut_ptr(), v.as_mut_ptr(), g.as_mut_ptr(), 9, list, 7),
                1
            );
            assert_eq!((p, v), ([0.375; 9], [2.25; 9]));
            assert_eq!(
                descend_with(p.as_mut_ptr(), v.as_mut_ptr(), g.as_mut_ptr(), 9, list, 6),
                0
            );
        }
    }

    #[test]
    fn threads_change_no_parameter() {
        let n = 9 * 4 * GRAIN + 3;
        let ramp = |by: usize| -> Vec<f32> {
            (0..n)
                .map(|at| (at * by % 1013) as f32 * 0.01 - 5.0)
                .collect()
        };
        let before = pool::threads();
        let mut found: Vec<Vec<u32>> = Vec::new();
        for count in [1, 2, 3] {
            pool::set_threads(count);
            let (mut p, mut m, mut s, mut g) = (ramp(7), ramp(11), ramp(0), ramp(13));
            s.fill(0.5);
            let (p_at, m_at, s_at, g_at) = (
                p.as_mut_ptr(),
                m.as_mut_ptr(),
                s.as_mut_ptr(),
                g.as_mut_ptr(),
            );
            let adams = [1.0, 0.01, 0.99, 0.1, 0.999, 0.001, 0.01, 1.1, 1e-8];
            let others = [1.0, 0.01, 0.1, 0.9, 0.5, 1.0, 0.0];
            // SAFETY: the lists have as many elements, and only this test uses them.
            let done = unsafe {
                [
                    adam(p_at, m_at, s_at, g_at, n as i64, adams.as_ptr(), 9),
                    descend_with(p_at, m_at, g_at, n as i64, others.as_ptr(), 7),
                    descend(p_at, g_at, n as i64, 1.0, 0.01, 0.1),
                ]
            };
            assert_eq!(done, [1; 3]);
            let all = p.iter().chain(&m).chain(&s).chain(&g);
            found.push(all.map(|x| x.to_bits()).collect());
        }
        pool::set_threads(before);
        assert!(found[0] == found[1] && found[0] == found[2]);
        assert!(
            found[0]
                .iter()
                .all(|bits| f32::from_bits(*bits).is_finite())
        );
    }
}
