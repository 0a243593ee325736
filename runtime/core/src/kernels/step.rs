//! A planned step: its instructions one after the other in a single call, over lists and one block of memory.
//!
//! A step is a list of numbers. Each instruction is its kind, and what that kind needs:
//!
//! ```text
//! 0 chain     n, count, then `count` operations of twelve numbers     elementwise work (chain.rs)
//! 1 product   the ten numbers of a layout, to, a, b, start            a product of matrices (product.rs)
//! 2 columns   rows, width, to, x                                      the sums of the columns
//! 3 whole     n, share, to, x                                         the sum of `n` elements, divided by number `share`
//! 4 descend   n, numbers, p, v, g, rate                               a step of SGD (update.rs)
//! 5 adam      n, numbers, decoupled, p, m, s, g, rate, steps          a step of Adam
//! 6 logs      samples, classes, places, to, x                         largest logits and logarithms of sums of powers (classes.rs)
//! 7 loss      samples, classes, places, mean, ignored, targets, to, x, logs        cross entropy
//! 8 slopes    samples, classes, places, mean, ignored, targets, to, x, logs, g     its gradient
//! ```
//!
//! Where `to`, `a`, `p` and so on are two numbers, a list and the place of its first element; list -1 says that there is none. `share` and `numbers` are places in
//! the list of numbers; `targets` is a list of integers; the numbers of optimizers are in the order of `Rule` of `lib/tensor/op.spl`. `rate` and `steps` are one element each; without
//! `rate` the learning rate is among the numbers.
//!
//! Every instruction is checked before it is done: all that it names is in its list, and what it writes is apart from what it reads. The lists
//! themselves are addresses, which `places` hands out and only `lib/native/step.spl` passes on. Next: `chain.rs`, `product.rs`, `update.rs`.

use super::classes::{self, Shape};
use super::{Numbers, chain, product, read, update, written};
use crate::externs::sum_by_four_f32;
use crate::pool::Shared;

/// A list that a step reads or writes.
#[derive(Clone, Copy)]
pub(super) struct List {
    first: Shared<f32>,
    length: usize,
}

impl List {
    pub(super) fn new(first: *mut f32, length: usize) -> List {
        List {
            first: Shared::new(first),
            length,
        }
    }

    /// The address of an element that is there.
    pub(super) fn at(&self, index: i64) -> *mut f32 {
        self.first.at(index as usize)
    }
}

/// Whether `count` elements from `at` on are in a list.
pub(super) fn inside(lists: &[List], list: i64, at: i64, count: usize) -> bool {
    let found = usize::try_from(list).ok().and_then(|list| lists.get(list));
    match (found, usize::try_from(at)) {
        (Some(list), Ok(at)) => at <= list.length && count <= list.length - at,
        _ => false,
    }
}

/// The rest of a step, and what it works on.
struct Step<'a> {
    words: &'a [i64],
    lists: &'a [List],
    numbers: &'a [f64],
    /// The address and the length of each list of integers.
    integers: &'a [i64],
}

/// Elements of a list: where they begin, and how many there are.
#[derive(Clone, Copy)]
struct Part {
    first: *mut f32,
    count: usize,
}

impl Part {
    const NONE: Part = Part {
        first: std::ptr::null_mut(),
        count: 0,
    };

    fn is_apart(self, other: Part) -> bool {
        let end = |part: Part| part.first.wrapping_add(part.count);
        end(self) <= other.first || end(other) <= self.first
    }

    /// # Safety
    ///
    /// Nothing writes to them meanwhile.
    unsafe fn read<'a>(self) -> &'a [f32] {
        // SAFETY: `Step::part` found them in their list; the rest is the caller's promise.
        unsafe { read(self.first, self.count as i64) }
    }

    /// # Safety
    ///
    /// Nothing else uses them meanwhile.
    unsafe fn write<'a>(self) -> &'a mut [f32] {
        // SAFETY: as above.
        unsafe { written(self.first, self.count as i64) }
    }
}

impl<'a> Step<'a> {
    /// The next numbers.
    fn take(&mut self, count: usize) -> Option<&'a [i64]> {
        let (taken, rest) = self.words.split_at_checked(count)?;
        self.words = rest;
        Some(taken)
    }

    fn next(&mut self) -> Option<i64> {
        Some(self.take(1)?[0])
    }

    /// The next number, as a size or a place.
    fn size(&mut self) -> Option<usize> {
        usize::try_from(self.next()?).ok()
    }

    /// The next part of a list; nothing where it is not in it.
    fn part(&mut self, count: usize) -> Option<Part> {
        let words = self.take(2)?;
        let (list, at) = (words[0], words[1]);
        inside(self.lists, list, at, count).then(|| Part {
            first: self.lists[list as usize].at(at),
            count,
        })
    }

    /// The next part, which may be missing.
    fn part_if_any(&mut self, count: usize) -> Option<Part> {
        if self.words.first() == Some(&-1) {
            self.take(2)?;
            return Some(Part::NONE);
        }
        self.part(count)
    }

    /// The next part, of one element; `other` where it is missing.
    fn one(&mut self, other: f64) -> Option<f64> {
        let part = self.part_if_any(1)?;
        // SAFETY: it is in its list, and nothing writes now.
        Some(
            unsafe { part.read() }
                .first()
                .map_or(other, |x| f64::from(*x)),
        )
    }

    /// The numbers from a place on.
    fn numbers<const N: usize>(&mut self) -> Option<[f64; N]> {
        let at = self.size()?;
        self.numbers.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    fn chain(&mut self) -> Option<()> {
        let (n, count) = (self.size()?, self.size()?);
        let program = self.take(count.checked_mul(chain::WORDS)?)?;
        // SAFETY: `step` has the lists for itself.
        unsafe { chain::chain(program, n, self.lists, self.numbers) }.then_some(())
    }

    fn product(&mut self) -> Option<()> {
        let mut layout: [i64; 10] = self.take(10)?.try_into().ok()?;
        let [m, n, k, a_at, a_down, a_right, b_at, b_down, b_right, _] = layout;
        // From the first to the last element of a matrix.
        let reach = |rows: i64, down: i64, columns: i64, right: i64| {
            if rows <= 0 || columns <= 0 || down < 0 || right < 0 {
                return Some(0);
            }
            let down = (rows - 1).checked_mul(down)?;
            let last = (columns - 1).checked_mul(right)?.checked_add(down)?;
            usize::try_from(last.checked_add(1)?).ok()
        };
        let to = self.part(usize::try_from(m.checked_mul(n)?).ok()?)?;
        let mut matrix = |at: i64, reach: usize| {
            let words = self.take(2)?;
            let at = words[1].checked_add(at)?;
            inside(self.lists, words[0], at, reach).then(|| Part {
                first: self.lists[words[0] as usize].at(at),
                count: reach,
            })
        };
        let a = matrix(a_at, reach(m, a_down, k, a_right)?)?;
        let b = matrix(b_at, reach(k, b_down, n, b_right)?)?;
        let start = self.part_if_any(usize::try_from(n).ok()?)?;
        if !(to.is_apart(a) && to.is_apart(b) && to.is_apart(start)) {
            return None;
        }
        (layout[3], layout[6]) = (0, 0);
        // SAFETY: nothing else uses the lists now, and `to` is apart from the others.
        unsafe { product::compute(&layout, to.write(), a.read(), b.read(), start.read()) }
    }

    fn columns(&mut self) -> Option<()> {
        let (rows, width) = (self.size()?, self.size()?);
        let (to, x) = (self.part(width)?, self.part(rows.checked_mul(width)?)?);
        if width == 0 || !to.is_apart(x) {
            return (width == 0).then_some(());
        }
        // SAFETY: as for `product`.
        unsafe { update::sums(to.write(), x.read(), rows, width) };
        Some(())
    }

    fn whole(&mut self) -> Option<()> {
        let (n, [share]) = (self.size()?, self.numbers()?);
        let (to, x) = (self.part(1)?, self.part(n)?);
        // SAFETY: nothing else uses the lists now; the sum is there before it is written.
        unsafe {
            let sum = sum_by_four_f32(x.read(), 0, n as i64);
            to.write()[0] = (sum / share) as f32;
        }
        Some(())
    }

    fn descend(&mut self) -> Option<()> {
        let n = self.size()?;
        let [decay, momentum, rate, dampening, nesterov, maximize, first] = self.numbers()?;
        let (p, v, g) = (self.part(n)?, self.part_if_any(n)?, self.part(n)?);
        let rate = self.one(rate)?;
        if !(p.is_apart(g) && p.is_apart(v) && v.is_apart(g)) {
            return None;
        }
        let sign = if maximize == 0.0 { 1.0 } else { -1.0 };
        let (count, share) = (n as i64, 1.0 - dampening);
        let numbers = [sign, decay, rate, momentum, share, nesterov, first];
        // SAFETY: as for `product`.
        let done = unsafe {
            if v.first.is_null() {
                update::descend(p.first, g.first, count, sign, decay, rate)
            } else {
                update::descend_with(p.first, v.first, g.first, count, numbers.as_ptr(), 7)
            }
        };
        (done == 1).then_some(())
    }

    fn adam(&mut self) -> Option<()> {
        let n = self.size()?;
        let [rate, beta1, beta2, decay, eps, _, maximize] = self.numbers()?;
        let decoupled = self.next()? != 0;
        let [p, m, s, g] = [self.part(n)?, self.part(n)?, self.part(n)?, self.part(n)?];
        let (rate, steps) = (self.one(rate)?, self.one(0.0)?);
        let apart = p.is_apart(m) && p.is_apart(s) && p.is_apart(g);
        if !(apart && m.is_apart(s) && m.is_apart(g) && s.is_apart(g)) {
            return None;
        }
        let sign = if maximize == 0.0 { 1.0 } else { -1.0 };
        let (coupled, kept) = if decoupled {
            (0.0, 1.0 - rate * decay)
        } else {
            (decay, 1.0)
        };
        let length = rate / (1.0 - beta1.powf(steps));
        let correction = 1.0 / (1.0 - beta2.powf(steps)).sqrt();
        let (share1, share2) = (1.0 - beta1, 1.0 - beta2);
        let numbers = [
            sign, coupled, kept, share1, beta2, share2, length, correction, eps,
        ];
        // SAFETY: as for `product`.
        let done = unsafe {
            let list = numbers.as_ptr();
            update::adam(p.first, m.first, s.first, g.first, n as i64, list, 9)
        };
        (done == 1).then_some(())
    }

    /// How the logits of a loss are seen.
    fn shape(&mut self) -> Option<Shape> {
        Some(Shape {
            samples: self.size()?,
            classes: self.size()?,
            places: self.size()?,
        })
    }

    /// The targets of a loss: a whole list of integers.
    fn targets(&mut self, items: usize) -> Option<&'a [i64]> {
        let at = self.size()?.checked_mul(2)?;
        let pair = self.integers.get(at..at.checked_add(2)?)?;
        let first = std::ptr::with_exposed_provenance::<i64>(pair[0] as usize);
        // SAFETY: the caller of `step` promises that the list is there, and nothing writes to integers.
        (pair[1] == items as i64).then(|| unsafe { read(first, pair[1]) })
    }

    fn logs(&mut self) -> Option<()> {
        let shape = self.shape()?;
        let items = shape.items()?;
        let (to, x) = (
            self.part(items.checked_mul(2)?)?,
            self.part(items * shape.classes)?,
        );
        if !to.is_apart(x) {
            return None;
        }
        // SAFETY: as for `product`.
        unsafe { classes::log_sums(to.write(), x.read(), shape) };
        Some(())
    }

    fn loss(&mut self) -> Option<()> {
        let shape = self.shape()?;
        let items = shape.items()?;
        let (mean, ignored) = (self.next()? != 0, self.next()?);
        let targets = self.targets(items)?;
        let (to, x) = (self.part(1)?, self.part(items * shape.classes)?);
        let logs = self.part(items.checked_mul(2)?)?;
        // SAFETY: nothing else uses the lists now; the loss is there before it is written.
        unsafe {
            let sum = classes::loss(x.read(), logs.read(), targets, ignored, mean, shape)?;
            to.write()[0] = sum;
        }
        Some(())
    }

    fn slopes(&mut self) -> Option<()> {
        let shape = self.shape()?;
        let items = shape.items()?;
        let (mean, ignored) = (self.next()? != 0, self.next()?);
        let targets = self.targets(items)?;
        let count = items * shape.classes;
        let (to, x) = (self.part(count)?, self.part(count)?);
        let logs = self.part(items.checked_mul(2)?)?;
        let slope = self.one(1.0)? as f32;
        if !(to.is_apart(x) && to.is_apart(logs)) {
            return None;
        }
        // SAFETY: as for `product`.
        unsafe {
            let (x, logs) = (x.read(), logs.read());
            classes::gradient(to.write(), x, logs, targets, ignored, mean, slope, shape)
        }
    }

    /// Does the next instruction; nothing where it does not fit.
    fn instruction(&mut self) -> Option<()> {
        match self.next()? {
            0 => self.chain(),
            1 => self.product(),
            2 => self.columns(),
            3 => self.whole(),
            4 => self.descend(),
            5 => self.adam(),
            6 => self.logs(),
            7 => self.loss(),
            8 => self.slopes(),
            _ => None,
        }
    }
}

/// Does the instructions of a step in turn. `lists` has the address and the length of each list, `integers` those of lists of integers. An instruction that does not fit ends the step.
///
/// # Safety
///
/// The lists are where they are said to be and have as many elements, and nothing else uses them meanwhile.
pub(super) unsafe extern "C" fn step(
    words: Numbers,
    count: i64,
    numbers: *const f64,
    several: i64,
    lists: Numbers,
    pairs: i64,
    integers: Numbers,
    places: i64,
) -> u8 {
    // SAFETY: as the caller promises.
    let (words, numbers, lists, integers) = unsafe {
        (
            read(words, count),
            read(numbers, several),
            read(lists, pairs),
            read(integers, places),
        )
    };
    let place = |pair: &[i64]| {
        let first = std::ptr::with_exposed_provenance_mut::<f32>(pair[0] as usize);
        List::new(first, usize::try_from(pair[1]).unwrap_or(0))
    };
    // Most steps have few lists, which need no memory of their own.
    const FEW: usize = 64;
    let mut few = [List::new(std::ptr::null_mut(), 0); FEW];
    let many: Vec<List>;
    let pairs = lists.chunks_exact(2);
    let lists = if pairs.len() <= FEW {
        let used = &mut few[..pairs.len()];
        for (list, pair) in used.iter_mut().zip(pairs) {
            *list = place(pair);
        }
        &*used
    } else {
        many = pairs.map(place).collect();
        &many
    };
    let mut step = Step {
        words,
        lists,
        numbers,
        integers,
    };
    while !step.words.is_empty() {
        if step.instruction().is_none() {
            return 0;
        }
    }
    1
}

/// Writes where six lists are into `to`, from its element `at` on: address and length of each, for `step`.
///
/// # Safety
///
/// All lists have as many elements as said.
#[allow(clippy::too_many_arguments, reason = "lists with their lengths")]
pub(super) unsafe extern "C" fn places(
    to: *mut i64,
    count: i64,
    at: i64,
    a: *mut f32,
    a_count: i64,
    b: *mut f32,
    b_count: i64,
    c: *mut f32,
    c_count: i64,
    d: *mut f32,
    d_count: i64,
    e: *mut f32,
    e_count: i64,
    f: *mut f32,
    f_count: i64,
) -> u8 {
    // SAFETY: as the caller promises.
    let to = unsafe { written(to, count) };
    let lists = [
        (a, a_count),
        (b, b_count),
        (c, c_count),
        (d, d_count),
        (e, e_count),
        (f, f_count),
    ];
    let found = usize::try_from(at)
        .ok()
        .and_then(|at| to.get_mut(at..at.checked_add(12)?));
    let Some(to) = found else {
        return 0;
    };
    for (pair, (list, length)) in to.chunks_exact_mut(2).zip(lists) {
        pair[0] = list.expose_provenance() as i64;
        pair[1] = length;
    }
    1
}

/// As `places`, for one list of integers.
///
/// # Safety
///
/// The lists have as many elements as said.
pub(super) unsafe extern "C" fn place_of_ints(
    to: *mut i64,
    count: i64,
    at: i64,
    list: *mut i64,
    length: i64,
) -> u8 {
    // SAFETY: as the caller promises.
    let to = unsafe { written(to, count) };
    let found = usize::try_from(at)
        .ok()
        .and_then(|at| to.get_mut(at..at.checked_add(2)?));
    let Some(pair) = found else {
        return 0;
    };
    pair[0] = list.expose_provenance() as i64;
    pair[1] = length;
    1
}

#[cfg(test)]
mod tests;
