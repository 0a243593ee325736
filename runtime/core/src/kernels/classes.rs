//! Cross entropy of classes and its gradient: instructions of a planned step (`step.rs`).
//!
//! Logits are seen as `[samples, classes, places]`, row by row; an item is a sample at a place. The formulas are those of `lib/native/nn/classes.spl`, in
//! the same order, for losses without weights and without smoothing.
//!
//! The logarithm of the sum of an item's powers is kept in two parts, its largest logit and what is above that: their sum has no fractions left where logits
//! are large. Each sample has the largest logits of its places first, then the logarithms.

use super::with_vectors;
use crate::curves::ln;
use crate::externs::curves::exp;
use crate::pool::{self, Shared};

/// The logits, as they are seen.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) samples: usize,
    pub(super) classes: usize,
    pub(super) places: usize,
}

impl Shape {
    /// How many items there are; nothing where that is not a size, or where items have no class.
    pub(super) fn items(self) -> Option<usize> {
        let items = self.samples.checked_mul(self.places)?;
        items.checked_mul(self.classes)?;
        (self.classes > 0).then_some(items)
    }

    /// How many samples one thread does before it asks for more.
    fn grain(self) -> usize {
        ELEMENTS.div_ceil((self.classes * self.places).max(1))
    }
}

/// Elements that one thread computes before it asks for more.
const ELEMENTS: usize = 1 << 14;
/// Items, or classes of one item, that are computed side by side.
const WIDE: usize = 256;

with_vectors! {
    /// The largest logits of the items of some samples, and the logarithms of the sums of the powers of what the logits are above these, so that no power
    /// is too large; where the largest is infinite, nothing is a number.
    fn sums(to: &mut [f32], x: &[f32], classes: usize, places: usize) -> () {
        let mut powers = [0.0_f32; WIDE];
        for (to, x) in to.chunks_exact_mut(2 * places).zip(x.chunks_exact(classes * places)) {
            if places == 1 {
                let mut top = x[0];
                for value in x {
                    if *value > top {
                        top = *value;
                    }
                }
                let mut sum = 0.0_f32;
                for some in x.chunks(WIDE) {
                    for (power, x) in powers.iter_mut().zip(some) {
                        *power = exp(*x - top);
                    }
                    for power in &powers[..some.len()] {
                        sum += *power;
                    }
                }
                (to[0], to[1]) = (top, ln(sum));
                continue;
            }
            let (tops, logs) = to.split_at_mut(places);
            for (strip, (tops, logs)) in tops.chunks_mut(WIDE).zip(logs.chunks_mut(WIDE)).enumerate() {
                let from = strip * WIDE;
                let count = tops.len();
                let row = |class: usize| &x[class * places + from..class * places + from + count];
                let mut sums = [0.0_f32; WIDE];
                tops.copy_from_slice(row(0));
                for class in 0..classes {
                    for (top, x) in tops.iter_mut().zip(row(class)) {
                        *top = if *x > *top { *x } else { *top };
                    }
                }
                for class in 0..classes {
                    for ((sum, top), x) in sums.iter_mut().zip(&*tops).zip(row(class)) {
                        *sum += exp(*x - *top);
                    }
                }
                for (log, sum) in logs.iter_mut().zip(sums) {
                    *log = ln(sum);
                }
            }
        }
    }
}

with_vectors! {
    /// The shares of the classes of the items of some samples, times the slope of the loss.
    fn shares(to: &mut [f32], x: &[f32], logs: &[f32], classes: usize, places: usize, slope: f32) -> () {
        for ((to, x), logs) in to.chunks_exact_mut(classes * places).zip(x.chunks_exact(classes * places)).zip(logs.chunks_exact(2 * places)) {
            if places == 1 {
                let (top, log) = (logs[0], logs[1]);
                for (to, x) in to.iter_mut().zip(x) {
                    *to = slope * exp(*x - top - log);
                }
                continue;
            }
            let (tops, logs) = logs.split_at(places);
            for (to, x) in to.chunks_exact_mut(places).zip(x.chunks_exact(places)) {
                for (((to, x), top), log) in to.iter_mut().zip(x).zip(tops).zip(logs) {
                    *to = slope * exp(*x - *top - *log);
                }
            }
        }
    }
}

/// The largest logit of each item and the logarithm of the sum of its powers, as `sums` has them, on several threads where there are many.
pub(super) fn log_sums(to: &mut [f32], x: &[f32], shape: Shape) {
    let Shape {
        samples,
        classes,
        places,
    } = shape;
    if to.is_empty() {
        return;
    }
    let made = Shared::new(to.as_mut_ptr());
    pool::ranges(samples, shape.grain(), &|range| {
        let width = classes * places;
        let (from, count) = (2 * range.start * places, 2 * range.len() * places);
        // SAFETY: there are two numbers for each item, and each sample is in one range.
        let to = unsafe { std::slice::from_raw_parts_mut(made.at(from), count) };
        sums(
            to,
            &x[range.start * width..range.end * width],
            classes,
            places,
        );
    });
}

/// How many targets count; nothing where one is not a class.
fn counted(targets: &[i64], classes: usize, ignored: i64) -> Option<usize> {
    let mut count = 0;
    for target in targets {
        if *target != ignored {
            usize::try_from(*target)
                .ok()
                .filter(|class| *class < classes)?;
            count += 1;
        }
    }
    Some(count)
}

/// The place of the class of an item among the logits; nothing for an item that does not count.
fn own(item: usize, target: i64, ignored: i64, shape: Shape) -> Option<usize> {
    let (sample, place) = (item / shape.places, item % shape.places);
    (target != ignored).then(|| (sample * shape.classes + target as usize) * shape.places + place)
}

/// The sum or the mean of the losses of the items that count. Nothing where a target is not a class.
pub(super) fn loss(
    x: &[f32],
    logs: &[f32],
    targets: &[i64],
    ignored: i64,
    mean: bool,
    shape: Shape,
) -> Option<f32> {
    let count = counted(targets, shape.classes, ignored)?;
    let mut sum = 0.0;
    for (item, target) in targets.iter().enumerate() {
        if let Some(at) = own(item, *target, ignored, shape) {
            let top = item / shape.places * 2 * shape.places + item % shape.places;
            sum += f64::from(-(x[at] - logs[top] - logs[top + shape.places]));
        }
    }
    Some((sum / if mean { count as f64 } else { 1.0 }) as f32)
}

/// The gradient of that loss, of which the slope is `slope`. Nothing where a target is not a class.
#[allow(clippy::too_many_arguments, reason = "what the gradient is of")]
pub(super) fn gradient(
    to: &mut [f32],
    x: &[f32],
    logs: &[f32],
    targets: &[i64],
    ignored: i64,
    mean: bool,
    slope: f32,
    shape: Shape,
) -> Option<()> {
    let count = counted(targets, shape.classes, ignored)?;
    let factor = 1.0 / if mean { count as f64 } else { 1.0 };
    let slope = slope * factor as f32;
    if to.is_empty() {
        return Some(());
    }
    let made = Shared::new(to.as_mut_ptr());
    pool::ranges(shape.samples, shape.grain(), &|range| {
        let width = shape.classes * shape.places;
        let (from, end) = (range.start * width, range.end * width);
        // SAFETY: there is one number for each class of each item, and each sample is in one range.
        let to = unsafe { std::slice::from_raw_parts_mut(made.at(from), end - from) };
        let logs = &logs[2 * range.start * shape.places..2 * range.end * shape.places];
        shares(to, &x[from..end], logs, shape.classes, shape.places, slope);
    });
    for (item, target) in targets.iter().enumerate() {
        if let Some(at) = own(item, *target, ignored, shape) {
            to[at] -= slope;
        } else {
            let (sample, place) = (item / shape.places, item % shape.places);
            for class in 0..shape.classes {
                to[(sample * shape.classes + class) * shape.places + place] = 0.0;
            }
        }
    }
    Some(())
}
