//! Results along runs of elements: softmax, the logarithm of the sum of powers, places of extremes, running sums and products.
//!
//! Runs are those of `fold.rs`: elements beside each other are done run by run, columns in strips of neighbours from top to bottom. What belongs to one
//! run is computed by one thread in one order, so no digit depends on the number of threads. Powers of `f32` are those of `curves.rs`.

// Writes results through pointers.
use super::curves::exp;
use super::fold::{Beside, COLUMNS, Float, Fold, Job, Largest, Runs, Smallest, fold, with_vectors};
use crate::curves::exp_wide;
use crate::host::array_filled;
use crate::pool::Shared;
use simple_ffi_abi::{SffiBuffer, SffiType};
use std::ops::Range;

/// A power of each element away from the largest of its run, with what is made of it.
#[derive(Clone, Copy)]
struct Powers<'t>(&'t [f32]);

impl Fold<f32> for Powers<'_> {
    type So = f64;
    #[inline(always)]
    fn first(self) -> f64 {
        0.0
    }
    #[inline(always)]
    fn with(self, sum: f64, x: f32, run: usize) -> f64 {
        sum + f64::from(exp(x - self.0[run]))
    }
    #[inline(always)]
    fn join(self, a: f64, b: f64) -> f64 {
        a + b
    }
}

/// The same in f64, and rounded nowhere.
#[derive(Clone, Copy)]
struct WidePowers<'t>(&'t [f64]);

impl Fold<f32> for WidePowers<'_> {
    type So = f64;
    #[inline(always)]
    fn first(self) -> f64 {
        0.0
    }
    #[inline(always)]
    fn with(self, sum: f64, x: f32, run: usize) -> f64 {
        sum + exp_wide(f64::from(x) - self.0[run])
    }
    #[inline(always)]
    fn join(self, a: f64, b: f64) -> f64 {
        a + b
    }
}

/// One run of a softmax.
struct Shares<'a> {
    xs: &'a [f32],
    out: &'a mut [f32],
    log: bool,
}

impl Job for Shares<'_> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        let Shares { xs, out, log } = self;
        let beside = |xs, run| Beside {
            fold: Largest,
            xs,
            run,
        };
        let top = beside(xs, 0).run();
        if log {
            let tops = [top];
            let sum = Beside {
                fold: Powers(&tops),
                xs,
                run: 0,
            };
            let less = sum.run().ln() as f32;
            for (out, x) in out.iter_mut().zip(xs) {
                *out = (*x - top) - less;
            }
            return;
        }
        for (out, x) in out.iter_mut().zip(xs) {
            *out = exp(*x - top);
        }
        let sum = Beside {
            fold: super::fold::Sum,
            xs: &*out,
            run: 0,
        };
        let share = (1.0 / sum.run()) as f32;
        for out in out.iter_mut() {
            *out *= share;
        }
    }
}

/// Some columns of a matrix, of which elements are at `xs` and results go to `out`.
struct ColumnShares {
    xs: *const f32,
    out: *mut f32,
    count: usize,
    width: usize,
    pitch: usize,
    log: bool,
}

impl Job for ColumnShares {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        let ColumnShares {
            xs,
            out,
            count,
            width,
            pitch,
            log,
        } = self;
        // SAFETY: whoever made the job says that these are elements of the matrix.
        let row = |at: usize| unsafe { std::slice::from_raw_parts(xs.add(at * pitch), width) };
        // SAFETY: as above; only this job uses these columns of the result.
        let made =
            |at: usize| unsafe { std::slice::from_raw_parts_mut(out.add(at * pitch), width) };
        let mut tops = [f32::NEG_INFINITY; COLUMNS];
        let mut sums = [0.0_f64; COLUMNS];
        for at in 0..count {
            for (top, x) in tops.iter_mut().zip(row(at)) {
                *top = Fold::<f32>::with(Largest, *top, *x, 0);
            }
        }
        for at in 0..count {
            for (((out, x), top), sum) in made(at).iter_mut().zip(row(at)).zip(&tops).zip(&mut sums)
            {
                let power = exp(*x - *top);
                *out = power;
                *sum += f64::from(power);
            }
        }
        let mut by = [0.0_f32; COLUMNS];
        for (by, sum) in by.iter_mut().zip(sums) {
            *by = if log {
                sum.ln() as f32
            } else {
                (1.0 / sum) as f32
            };
        }
        for at in 0..count {
            for (((out, x), top), by) in made(at).iter_mut().zip(row(at)).zip(&tops).zip(&by) {
                *out = if log { (*x - *top) - *by } else { *out * *by };
            }
        }
    }
}

/// The softmax of each run, or its logarithm.
pub(super) fn shares_f32(
    xs: &[f32],
    many: i64,
    count: i64,
    inner: i64,
    log: bool,
) -> Result<SffiBuffer, String> {
    let runs = Runs::new(xs.len(), many, count, inner)?;
    // SAFETY: each run is written by one part.
    Ok(unsafe {
        array_filled(SffiType::ArrayF32, xs.len(), |out: *mut f32| {
            let out = Shared::new(out);
            if runs.count == 0 {
                return;
            }
            if runs.inner == 1 {
                runs.rows(&|range: Range<usize>| {
                    for run in range {
                        let at = run * runs.count;
                        let out = std::slice::from_raw_parts_mut(out.at(at), runs.count);
                        with_vectors(Shares {
                            xs: &xs[at..at + runs.count],
                            out,
                            log,
                        });
                    }
                });
            } else {
                runs.columns(&|outer, columns| {
                    let first = outer * runs.count * runs.inner + columns.start;
                    with_vectors(ColumnShares {
                        xs: xs.as_ptr().add(first),
                        out: out.at(first),
                        count: runs.count,
                        width: columns.len(),
                        pitch: runs.inner,
                        log,
                    });
                });
            }
        })
    })
}

/// The logarithm of the sum of the powers of e to each element.
pub(super) fn log_of_sums_f32(
    xs: &[f32],
    many: i64,
    count: i64,
    inner: i64,
) -> Result<Vec<f64>, String> {
    let runs = Runs::new(xs.len(), many, count, inner)?;
    // The largest is taken out first, so that no power is too large. An infinite one is the result itself.
    let tops: Vec<f64> = fold(Largest, xs, runs).into_iter().map(f64::from).collect();
    let sums = fold(WidePowers(&tops), xs, runs);
    let total = |(sum, top): (&f64, &f64)| {
        if top.is_infinite() {
            *top
        } else {
            sum.ln() + top
        }
    };
    Ok(sums.iter().zip(&tops).map(total).collect())
}

/// The first place of `best` in a run, or of what is not a number.
fn place<T: Float>(xs: &[T], best: T) -> i64 {
    let is = |x: &T| *x == best || x.ne(x);
    let mut at = 0;
    for piece in xs.chunks(64) {
        if piece.iter().fold(false, |found, x| found | is(x)) {
            break;
        }
        at += piece.len();
    }
    let found = xs[at.min(xs.len())..].iter().position(is);
    found.map_or(0, |more| (at + more) as i64)
}

struct Place<'a, T>(&'a [T], T);

impl<T: Float> Job for Place<'_, T> {
    type Out = i64;
    #[inline(always)]
    fn run(self) -> i64 {
        place(self.0, self.1)
    }
}

/// The places of the best elements of some columns.
struct ColumnPlaces<'a, T, F> {
    fold: F,
    xs: &'a [T],
    width: usize,
    pitch: usize,
}

impl<T: Float, F: Fold<T, So = T>> Job for ColumnPlaces<'_, T, F> {
    type Out = [i64; COLUMNS];
    #[inline(always)]
    fn run(self) -> [i64; COLUMNS] {
        let mut best = [self.fold.first(); COLUMNS];
        let mut places = [0; COLUMNS];
        for (at, row) in self.xs.chunks(self.pitch).enumerate() {
            for ((best, place), x) in best.iter_mut().zip(&mut places).zip(&row[..self.width]) {
                let next = self.fold.with(*best, *x, 0);
                // What is not a number is better once.
                let better = next != *best && (*best).eq(&*best);
                *place = if better { at as i64 } else { *place };
                *best = if better { next } else { *best };
            }
        }
        places
    }
}

fn places<T: Float, F: Fold<T, So = T>>(best: F, xs: &[T], runs: Runs) -> Vec<i64> {
    let mut places = vec![0; runs.many()];
    let to = Shared::new(places.as_mut_ptr());
    if runs.count == 0 {
        return places;
    }
    if runs.inner == 1 {
        let values = fold(best, xs, runs);
        runs.rows(&|range| {
            for run in range {
                let row = &xs[run * runs.count..][..runs.count];
                // SAFETY: there is room for a place of each run, and no other thread writes this one.
                unsafe { to.at(run).write(with_vectors(Place(row, values[run]))) };
            }
        });
        return places;
    }
    runs.columns(&|outer, columns| {
        let first = outer * runs.count * runs.inner + columns.start;
        let last = first + (runs.count - 1) * runs.inner + columns.len();
        let found = with_vectors(ColumnPlaces {
            fold: best,
            xs: &xs[first..last],
            width: columns.len(),
            pitch: runs.inner,
        });
        for (at, place) in found[..columns.len()].iter().enumerate() {
            // SAFETY: as above.
            unsafe { to.at(outer * runs.inner + columns.start + at).write(*place) };
        }
    });
    places
}

/// Running sums or products of some runs, which begin at `xs` and `out`: `width` of them, whose first elements are `beside` apart, and the elements
/// of each `pitch`.
struct Running<T> {
    xs: *const T,
    out: *mut T,
    count: usize,
    width: usize,
    beside: usize,
    pitch: usize,
    product: bool,
}

impl<T: Float + Narrow> Job for Running<T> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        #[inline(always)]
        fn each<T: Float + Narrow>(job: &Running<T>, first: f64, with: impl Fn(f64, f64) -> f64) {
            if job.width == 1 {
                let mut so = first;
                for at in 0..job.count {
                    // SAFETY: whoever made the job says that these are elements of both arrays.
                    unsafe {
                        so = with(so, job.xs.add(at * job.pitch).read().into());
                        job.out.add(at * job.pitch).write(T::narrow(so));
                    }
                }
                return;
            }
            let mut so = [first; COLUMNS];
            for at in 0..job.count {
                for (place, so) in so[..job.width].iter_mut().enumerate() {
                    let place = at * job.pitch + place * job.beside;
                    // SAFETY: as above.
                    unsafe {
                        *so = with(*so, job.xs.add(place).read().into());
                        job.out.add(place).write(T::narrow(*so));
                    }
                }
            }
        }
        if self.product {
            each(&self, 1.0, |so, x| so * x);
        } else {
            each(&self, 0.0, |so, x| so + x);
        }
    }
}

/// Rounds to the type.
pub(super) trait Narrow {
    const ARRAY: SffiType;
    fn narrow(x: f64) -> Self;
}

impl Narrow for f32 {
    const ARRAY: SffiType = SffiType::ArrayF32;
    #[inline(always)]
    fn narrow(x: f64) -> f32 {
        x as f32
    }
}

impl Narrow for f64 {
    const ARRAY: SffiType = SffiType::ArrayF64;
    #[inline(always)]
    fn narrow(x: f64) -> f64 {
        x
    }
}

/// Runs beside each other that are done in turn, since one sum waits for the one before it.
const TURNS: usize = 8;

fn running<T: Float + Narrow>(product: bool, xs: &[T], runs: Runs) -> SffiBuffer {
    // SAFETY: each run is written by one part.
    unsafe {
        array_filled(T::ARRAY, xs.len(), |out: *mut T| {
            let out = Shared::new(out);
            if runs.inner == 1 {
                runs.rows(&|range| {
                    let mut run = range.start;
                    while run < range.end {
                        let width = if run + TURNS <= range.end { TURNS } else { 1 };
                        with_vectors(Running {
                            xs: xs.as_ptr().add(run * runs.count),
                            out: out.at(run * runs.count),
                            count: runs.count,
                            width,
                            beside: runs.count,
                            pitch: 1,
                            product,
                        });
                        run += width;
                    }
                });
            } else {
                runs.columns(&|outer, columns| {
                    let first = outer * runs.count * runs.inner + columns.start;
                    with_vectors(Running {
                        xs: xs.as_ptr().add(first),
                        out: out.at(first),
                        count: runs.count,
                        width: columns.len(),
                        beside: 1,
                        pitch: runs.inner,
                        product,
                    });
                });
            }
        })
    }
}

macro_rules! of_types {
    ($($type:ident $places:ident $running:ident;)*) => {$(
        /// The first places of the largest or smallest elements; what is not a number wins.
        pub(super) fn $places(largest: bool, xs: &[$type], many: i64, count: i64, inner: i64) -> Result<Vec<i64>, String> {
            let runs = Runs::new(xs.len(), many, count, inner)?;
            Ok(if largest { places(Largest, xs, runs) } else { places(Smallest, xs, runs) })
        }

        /// Running sums or products, kept in f64.
        pub(super) fn $running(product: bool, xs: &[$type], many: i64, count: i64, inner: i64) -> Result<SffiBuffer, String> {
            Ok(running(product, xs, Runs::new(xs.len(), many, count, inner)?))
        }
    )*};
}

of_types! {
    f32 places_f32 running_f32;
    f64 places_f64 running_f64;
}
