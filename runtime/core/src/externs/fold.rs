//! Many elements of an array to one: sums, products, extremes, squares, over one dimension or all.
//!
//! An array is `outer` matrices of `count` rows of `inner`, and the elements that become one are a *run*: a column of such a matrix, or, where `inner` is 1,
//! `count` elements beside each other. Runs are cut at places that only the shape decides, parts are folded on several threads, and their results
//! joined in order, so no digit depends on the number of threads. Of elements beside each other sixteen results are kept in turn, for the vectors
//! of the machine; columns are folded from top to bottom, side by side. Sums are kept in f64. Next: `along.rs`.

// Writes results through pointers, and calls functions for vectors that the machine was asked for.
use crate::kernels::column_sums;
use crate::pool::{self, Shared};
use std::ops::Range;

/// Elements of a part of a run of elements beside each other.
const BLOCK: usize = 32_768;
/// Rows and columns of a part of a matrix.
const ROWS: usize = 512;
pub(super) const COLUMNS: usize = 128;
/// Elements that one thread folds before it asks for more.
const GRAIN: usize = 1 << 14;
/// Results that are kept in turn.
const LANES: usize = 16;

/// How an array falls into runs.
#[derive(Clone, Copy)]
pub(super) struct Runs {
    pub outer: usize,
    pub count: usize,
    pub inner: usize,
}

impl Runs {
    /// Runs of an array of `length` elements: `many` of them, of `count` elements that are `inner` apart.
    pub fn new(length: usize, many: i64, count: i64, inner: i64) -> Result<Runs, String> {
        let numbers = [many, count, inner].map(usize::try_from);
        let [Ok(many), Ok(count), Ok(inner)] = numbers else {
            return Err(format!(
                "{many} runs of {count} elements, {inner} apart, are not sizes"
            ));
        };
        if inner == 0 || many % inner != 0 || many.checked_mul(count) != Some(length) {
            return Err(format!(
                "{many} runs of {count} elements, {inner} apart, do not make an array of {length}"
            ));
        }
        Ok(Runs {
            outer: many / inner,
            count,
            inner,
        })
    }

    pub fn many(&self) -> usize {
        self.outer * self.inner
    }

    /// Calls `body` with parts of all pairs of a matrix and a range of its columns.
    pub fn columns(&self, body: &(dyn Fn(usize, Range<usize>) + Sync)) {
        let pieces = self.inner.div_ceil(COLUMNS);
        let grain = (GRAIN / (self.count * self.inner.min(COLUMNS)).max(1)).max(1);
        pool::ranges(self.outer * pieces, grain, &|range| {
            for at in range {
                let from = at % pieces * COLUMNS;
                body(at / pieces, from..(from + COLUMNS).min(self.inner));
            }
        });
    }

    /// Calls `body` with ranges of runs.
    pub fn rows(&self, body: &(dyn Fn(Range<usize>) + Sync)) {
        let grain = (GRAIN / self.count.max(1)).max(1);
        pool::ranges(self.many(), grain, body);
    }
}

/// Work that is compiled for the vectors of the machine; `run` is to be inlined.
pub(super) trait Job {
    type Out;
    fn run(self) -> Self::Out;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
fn run_avx512<J: Job>(job: J) -> J::Out {
    job.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<J: Job>(job: J) -> J::Out {
    job.run()
}

/// Runs a job with the widest vectors of the machine.
pub(super) fn with_vectors<J: Job>(job: J) -> J::Out {
    #[cfg(target_arch = "x86_64")]
    {
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq");
        if wide {
            // SAFETY: the machine has the instructions.
            return unsafe { run_avx512(job) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { run_avx2(job) };
        }
    }
    job.run()
}

/// An element of an array.
pub(super) trait Float: Copy + PartialOrd + Into<f64> + Send + Sync {
    const LEAST: Self;
    const MOST: Self;
}

impl Float for f32 {
    const LEAST: f32 = f32::NEG_INFINITY;
    const MOST: f32 = f32::INFINITY;
}

impl Float for f64 {
    const LEAST: f64 = f64::NEG_INFINITY;
    const MOST: f64 = f64::INFINITY;
}

/// What elements are folded with; `run` is the number of their run.
pub(super) trait Fold<T>: Copy + Sync {
    type So: Copy + Send + Sync;
    fn first(self) -> Self::So;
    fn with(self, so: Self::So, x: T, run: usize) -> Self::So;
    fn join(self, a: Self::So, b: Self::So) -> Self::So;
}

macro_rules! folds {
    ($($name:ident $so:ty, $first:expr, |$a:ident, $x:ident| $with:expr, |$b:ident, $c:ident| $join:expr;)*) => {$(
        #[derive(Clone, Copy)]
        pub(super) struct $name;

        impl<T: Float> Fold<T> for $name {
            type So = $so;
            #[inline(always)]
            fn first(self) -> $so {
                $first
            }
            #[inline(always)]
            fn with(self, $a: $so, $x: T, _: usize) -> $so {
                $with
            }
            #[inline(always)]
            fn join(self, $b: $so, $c: $so) -> $so {
                $join
            }
        }
    )*};
}

// What is not a number wins among extremes.
folds! {
    Sum f64, 0.0, |sum, x| sum + x.into(), |a, b| a + b;
    Product f64, 1.0, |product, x| product * x.into(), |a, b| a * b;
    Squares f64, 0.0, |sum, x| { let x: f64 = x.into(); sum + x * x }, |a, b| a + b;
    Largest T, T::LEAST, |best, x| if x > best || x.ne(&x) { x } else { best }, |a, b| if b > a || b.ne(&b) { b } else { a };
    Smallest T, T::MOST, |best, x| if x < best || x.ne(&x) { x } else { best }, |a, b| if b < a || b.ne(&b) { b } else { a };
}

/// Squares of distances from the mean of each run.
#[derive(Clone, Copy)]
struct Away<'m>(&'m [f64]);

impl<T: Float> Fold<T> for Away<'_> {
    type So = f64;
    #[inline(always)]
    fn first(self) -> f64 {
        0.0
    }
    #[inline(always)]
    fn with(self, sum: f64, x: T, run: usize) -> f64 {
        let x: f64 = x.into();
        let away = x - self.0[run];
        sum + away * away
    }
    #[inline(always)]
    fn join(self, a: f64, b: f64) -> f64 {
        a + b
    }
}

/// Elements beside each other.
pub(super) struct Beside<'a, T, F> {
    pub fold: F,
    pub xs: &'a [T],
    pub run: usize,
}

impl<T: Float, F: Fold<T>> Job for Beside<'_, T, F> {
    type Out = F::So;
    #[inline(always)]
    fn run(self) -> F::So {
        let Beside { fold, xs, run } = self;
        let first = fold.first();
        if xs.len() < LANES {
            return xs.iter().fold(first, |so, x| fold.with(so, *x, run));
        }
        let mut so = [first; LANES];
        let pieces = xs.chunks_exact(LANES);
        let rest = pieces.remainder();
        for piece in pieces {
            for (so, x) in so.iter_mut().zip(piece) {
                *so = fold.with(*so, *x, run);
            }
        }
        for (so, x) in so.iter_mut().zip(rest) {
            *so = fold.with(*so, *x, run);
        }
        let mut width = LANES / 2;
        while width > 0 {
            for at in 0..width {
                so[at] = fold.join(so[at], so[at + width]);
            }
            width /= 2;
        }
        so[0]
    }
}

/// Columns of some rows that are `pitch` apart; the first is that of run `run`.
struct Down<'a, T, F> {
    fold: F,
    xs: &'a [T],
    width: usize,
    pitch: usize,
    run: usize,
}

impl<T: Float, F: Fold<T>> Job for Down<'_, T, F> {
    type Out = [F::So; COLUMNS];
    #[inline(always)]
    fn run(self) -> [F::So; COLUMNS] {
        let Down {
            fold,
            xs,
            width,
            pitch,
            run,
        } = self;
        let mut so = [fold.first(); COLUMNS];
        for row in xs.chunks(pitch) {
            if width == COLUMNS {
                for (at, (so, x)) in so.iter_mut().zip(&row[..COLUMNS]).enumerate() {
                    *so = fold.with(*so, *x, run + at);
                }
            } else {
                for (at, (so, x)) in so[..width].iter_mut().zip(&row[..width]).enumerate() {
                    *so = fold.with(*so, *x, run + at);
                }
            }
        }
        so
    }
}

/// The result of each run.
pub(super) fn fold<T: Float, F: Fold<T>>(fold: F, xs: &[T], runs: Runs) -> Vec<F::So> {
    let many = runs.many();
    if runs.count == 0 || many == 0 {
        return vec![fold.first(); many];
    }
    // The parts of each run, one after the other.
    let (parts, mut found);
    if runs.inner == 1 {
        parts = runs.count.div_ceil(BLOCK);
        found = vec![fold.first(); many * parts];
        let to = Shared::new(found.as_mut_ptr());
        let grain = (GRAIN / runs.count.min(BLOCK)).max(1);
        pool::ranges(many * parts, grain, &|range| {
            for at in range {
                let (run, part) = (at / parts, at % parts);
                let row = &xs[run * runs.count..][..runs.count];
                let part = &row[part * BLOCK..row.len().min((part + 1) * BLOCK)];
                let so = with_vectors(Beside {
                    fold,
                    xs: part,
                    run,
                });
                // SAFETY: there is room for a result of each part, and no other thread writes this one.
                unsafe { to.at(at).write(so) };
            }
        });
    } else {
        parts = runs.count.div_ceil(ROWS);
        found = vec![fold.first(); many * parts];
        let to = Shared::new(found.as_mut_ptr());
        let pieces = runs.inner.div_ceil(COLUMNS);
        let grain = GRAIN / (runs.count.min(ROWS) * runs.inner.min(COLUMNS));
        pool::ranges(runs.outer * parts * pieces, grain.max(1), &|range| {
            for at in range {
                let (outer, part, piece) = (at / pieces / parts, at / pieces % parts, at % pieces);
                let from = piece * COLUMNS;
                let width = COLUMNS.min(runs.inner - from);
                let rows = part * ROWS..runs.count.min((part + 1) * ROWS);
                let first = (outer * runs.count + rows.start) * runs.inner + from;
                let last = (outer * runs.count + rows.end - 1) * runs.inner + from + width;
                let run = outer * runs.inner + from;
                let so = with_vectors(Down {
                    fold,
                    xs: &xs[first..last],
                    width,
                    pitch: runs.inner,
                    run,
                });
                for (at, so) in so[..width].iter().enumerate() {
                    // SAFETY: as above.
                    unsafe { to.at((run + at) * parts + part).write(*so) };
                }
            }
        });
    }
    let joined = |parts: &[F::So]| parts[1..].iter().fold(parts[0], |a, b| fold.join(a, *b));
    found.chunks(parts).map(joined).collect()
}

/// Sums of four runs of equal length, or of one: of each four sums in turn, as `sum_by_four` in `linear.rs` makes them.
struct Fours<'a>([&'a [f32]; 4]);

impl Job for Fours<'_> {
    type Out = [f64; 4];
    #[inline(always)]
    fn run(self) -> [f64; 4] {
        let rows = self.0;
        let count = rows[0].len();
        let mut sums = [[0.0_f64; 4]; 4];
        let whole = count / 4 * 4;
        let [a, b, c, d] = rows.map(|row| row.chunks_exact(4));
        if rows[1].is_empty() {
            // One run alone has three that are empty.
            for a in a {
                for (sum, x) in sums[0].iter_mut().zip(a) {
                    *sum += f64::from(*x);
                }
            }
        } else {
            // All sixteen as one list, of which vectors are made.
            let mut all = [0.0_f64; 16];
            for (((a, b), c), d) in a.zip(b).zip(c).zip(d) {
                let mut next = [0.0_f32; 16];
                next[..4].copy_from_slice(a);
                next[4..8].copy_from_slice(b);
                next[8..12].copy_from_slice(c);
                next[12..].copy_from_slice(d);
                for (sum, x) in all.iter_mut().zip(next) {
                    *sum += f64::from(x);
                }
            }
            for (sums, all) in sums.iter_mut().zip(all.chunks_exact(4)) {
                sums.copy_from_slice(all);
            }
        }
        for (sums, row) in sums.iter_mut().zip(rows) {
            for x in row.iter().skip(whole) {
                sums[0] += f64::from(*x);
            }
        }
        sums.map(|sums| (sums[0] + sums[1]) + (sums[2] + sums[3]))
    }
}

/// The sums of runs of elements beside each other, four at a time, since one sum waits for the one before it.
fn sums_by_four(xs: &[f32], runs: Runs) -> Vec<f64> {
    let mut sums = vec![0.0; runs.many()];
    let to = Shared::new(sums.as_mut_ptr());
    let row = |at: usize| &xs[at * runs.count..][..runs.count];
    runs.rows(&|range| {
        let mut at = range.start;
        while at < range.end {
            let found = with_vectors(Fours(
                [0, 1, 2, 3].map(|more| row((at + more).min(range.end - 1))),
            ));
            for sum in found.into_iter().take(range.end - at) {
                // SAFETY: there is room for each sum, and no other thread writes this one.
                unsafe { to.at(at).write(sum) };
                at += 1;
            }
        }
    });
    sums
}

/// The sum of elements beside each other, of each block as `sums_by_four` makes them, then of these in order.
pub(super) fn sum_of_blocks(xs: &[f32]) -> f64 {
    let whole = Runs {
        outer: xs.len() / BLOCK,
        count: BLOCK,
        inner: 1,
    };
    let (blocks, rest) = xs.split_at(whole.outer * BLOCK);
    let mut sums = sums_by_four(blocks, whole);
    if !rest.is_empty() {
        sums.push(with_vectors(Fours([rest, &[], &[], &[]]))[0]);
    }
    sums.iter().sum()
}

/// The sums of the columns of each matrix of `rows` rows of `width`, in the order of the kernel of that name.
pub(super) fn column_sums_f32(xs: &[f32], rows: i64, width: i64) -> Result<Vec<f32>, String> {
    let (Ok(rows), Ok(width)) = (usize::try_from(rows), usize::try_from(width)) else {
        return Err(format!("{rows} rows of {width} are not a matrix"));
    };
    let size = rows.saturating_mul(width);
    if size == 0 || !xs.len().is_multiple_of(size) {
        return Err(format!(
            "{} elements are not matrices of {rows} rows of {width}",
            xs.len()
        ));
    }
    let mut sums = vec![0.0; xs.len() / rows];
    let to = Shared::new(sums.as_mut_ptr());
    pool::ranges(xs.len() / size, (GRAIN / size).max(1), &|range| {
        let (first, count) = (range.start * width, range.len() * width);
        // SAFETY: there is room for the sums of all matrices, and no other thread writes these.
        let to = unsafe { std::slice::from_raw_parts_mut(to.at(first), count) };
        column_sums(to, &xs[range.start * size..range.end * size], rows, width);
    });
    Ok(sums)
}

fn by_number<T: Float>(op: i64, xs: &[T], runs: Runs, means: &[f64]) -> Result<Vec<f64>, String> {
    let wide = |found: Vec<T>| found.into_iter().map(Into::into).collect();
    Ok(match op {
        0 => fold(Sum, xs, runs),
        1 => fold(Product, xs, runs),
        2 => wide(fold(Largest, xs, runs)),
        3 => wide(fold(Smallest, xs, runs)),
        4 => fold(Squares, xs, runs),
        5 if means.len() == runs.many() => fold(Away(means), xs, runs),
        _ => return Err(format!("there is no fold {op} with {} means", means.len())),
    })
}

pub(super) fn fold_f32(
    op: i64,
    xs: &[f32],
    many: i64,
    count: i64,
    inner: i64,
    means: &[f64],
) -> Result<Vec<f64>, String> {
    let runs = Runs::new(xs.len(), many, count, inner)?;
    by_number(op, xs, runs, means)
}

pub(super) fn fold_f64(
    op: i64,
    xs: &[f64],
    many: i64,
    count: i64,
    inner: i64,
    means: &[f64],
) -> Result<Vec<f64>, String> {
    by_number(op, xs, Runs::new(xs.len(), many, count, inner)?, means)
}
