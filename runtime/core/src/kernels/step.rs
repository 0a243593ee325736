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
//! 6 logs      samples, classes, places, to, x                         logarithms of sums of powers (classes.rs)
//! 7 loss      samples, classes, places, mean, ignored, targets, to, x, logs        cross entropy
//! 8 slopes    samples, classes, places, mean, ignored, targets, to, x, logs, g     its gradient
//! ```
//!
//! Where `to`, `a`, `p` and so on are two numbers, a list and the place of its first element; list -1 is none. `share` and `numbers` are places in
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
        let (to, x) = (self.part(items)?, self.part(items * shape.classes)?);
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
        let logs = self.part(items)?;
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
        let (to, x, logs) = (self.part(count)?, self.part(count)?, self.part(items)?);
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
mod tests {
    use super::*;

    /// Does a step over lists and one list of integers; whether it fits.
    fn run(words: &[i64], numbers: &[f64], lists: &mut [Vec<f32>]) -> bool {
        let targets = [1_i64, 0, -100, 1];
        let integers = [targets.as_ptr().expose_provenance() as i64, 4];
        let mut pairs = Vec::new();
        for list in lists {
            pairs.push(list.as_mut_ptr().expose_provenance() as i64);
            pairs.push(list.len() as i64);
        }
        let (count, several) = (words.len() as i64, numbers.len() as i64);
        let (words, numbers) = (words.as_ptr(), numbers.as_ptr());
        // SAFETY: the lists are there, and only this test uses them.
        unsafe {
            step(
                words,
                count,
                numbers,
                several,
                pairs.as_ptr(),
                pairs.len() as i64,
                integers.as_ptr(),
                2,
            ) == 1
        }
    }

    /// List 0 has twelve elements, 1 to 12; list 1 has twelve zeros, list 2 two numbers.
    fn lists() -> [Vec<f32>; 3] {
        let ramp = (1..=12).map(|x| x as f32).collect();
        [ramp, vec![0.0; 12], vec![0.5, 3.0]]
    }

    // Elements 1 to 4 of list 1 are the product of the 2 x 3 and the 3 x 2 matrix in list 0, from 0 and from 6 on, plus list 2.
    const PRODUCT: [i64; 19] = [1, 2, 2, 3, 0, 3, 1, 6, 2, 1, 0, 1, 1, 0, 0, 0, 0, 2, 0];
    // Elements 3 to 5 of list 1 are the sums of the columns of list 0 as a 4 x 3 matrix.
    const COLUMNS: [i64; 7] = [2, 4, 3, 1, 3, 0, 0];
    // Element 11 of list 1 is the sum of elements 2 to 5 of list 0, divided by number 1.
    const WHOLE: [i64; 7] = [3, 4, 1, 1, 11, 0, 2];

    #[test]
    fn instructions_are_done_one_after_the_other() {
        let mut all = lists();
        let words = [&PRODUCT[..], &WHOLE[..]].concat();
        assert!(run(&words, &[9.0, 4.0], &mut all));
        // (1 2 3; 4 5 6) (7 8; 9 10; 11 12) + (0.5 3)
        assert_eq!(all[1][..6], [0.0, 58.5, 67.0, 139.5, 157.0, 0.0]);
        assert_eq!(all[1][11], 4.5);
        assert!(run(&COLUMNS, &[], &mut all));
        assert_eq!(all[1][3..6], [22.0, 26.0, 30.0]);
        assert!(run(&[], &[], &mut all));
    }

    #[test]
    fn optimizers_take_their_numbers_in_the_order_of_the_rule() {
        let mut all = [
            vec![1.0; 5],
            vec![0.5; 5],
            vec![2.0; 5],
            vec![0.25, 1.0],
            vec![0.0; 5],
        ];
        // p = p - rate * g, with the rate among the numbers and as an element.
        let numbers = [0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0];
        assert!(run(
            &[4, 5, 0, 0, 0, -1, 0, 2, 0, -1, 0],
            &numbers,
            &mut all
        ));
        assert_eq!(all[0], [0.0; 5]);
        assert!(run(&[4, 5, 0, 0, 0, -1, 0, 2, 0, 3, 0], &numbers, &mut all));
        assert_eq!(all[0], [-0.5; 5]);
        // v = 0.5 * v + g; p = p - 0.5 * v, upwards: g counts with its sign changed.
        let numbers = [0.0, 0.5, 0.5, 0.0, 0.0, 1.0, 0.0];
        assert!(run(&[4, 5, 0, 0, 0, 1, 0, 2, 0, -1, 0], &numbers, &mut all));
        assert_eq!((all[0][4], all[1][4]), (0.375, -1.75));
        // The first step of Adam goes by the rate along the sign of the gradient; that of AdamW takes a share of the parameter away first.
        for (decoupled, p) in [(0, 0.875), (1, 0.8125)] {
            all[0] = vec![1.0; 5];
            (all[1], all[4]) = (vec![0.0; 5], vec![0.0; 5]);
            let decay = if decoupled == 1 { 0.5 } else { 0.0 };
            let numbers = [0.125, 0.5, 0.75, decay, 0.0, 0.0, 0.0];
            let words = [5, 5, 0, decoupled, 0, 0, 1, 0, 4, 0, 2, 0, -1, 0, 3, 1];
            assert!(run(&words, &numbers, &mut all));
            assert_eq!((all[0][0], all[1][0], all[4][0]), (p, 1.0, 1.0));
        }
    }

    // The logarithms of four items of three classes into list 1 from 1 on, in places of two.
    const LOGS: [i64; 8] = [6, 2, 3, 2, 1, 1, 0, 0];
    // Their loss into list 2, and its gradient into list 3.
    const LOSS: [i64; 13] = [7, 2, 3, 2, 1, -100, 0, 2, 0, 0, 0, 1, 1];
    const SLOPES: [i64; 15] = [8, 2, 3, 2, 1, -100, 0, 3, 0, 0, 0, 1, 1, 2, 1];

    #[test]
    fn cross_entropy_is_that_of_the_items_that_count() {
        for places in [1, 2] {
            let mut all = [lists().to_vec(), vec![vec![f32::NAN; 12]]].concat();
            all[0][3] = -2.0;
            let samples = 4 / places;
            let words = [&LOGS[..], &LOSS, &SLOPES].concat();
            let mut words = words;
            for first in [0, 8, 21] {
                (words[first + 1], words[first + 3]) = (samples, places);
            }
            assert!(run(&words, &[], &mut all));
            let x = |item: i64, class: i64| {
                let (sample, place) = (item / places, item % places);
                ((sample * 3 + class) * places + place) as usize
            };
            let mut sum = 0.0;
            for (item, target) in [1_i64, 0, -100, 1].into_iter().enumerate() {
                let item = item as i64;
                let power = |class| f64::from(all[0][x(item, class)]).exp();
                let total: f64 = (0..3).map(power).sum();
                assert!((f64::from(all[1][1 + item as usize]) - total.ln()).abs() < 1e-5);
                if target >= 0 {
                    sum -= (power(target) / total).ln();
                }
                for class in 0..3 {
                    let own = if class == target { 1.0 } else { 0.0 };
                    // The slope of the loss is 3.
                    let expected = if target < 0 {
                        0.0
                    } else {
                        (power(class) / total - own) / 3.0 * 3.0
                    };
                    let found = f64::from(all[3][x(item, class)]);
                    assert!((found - expected).abs() < 1e-5, "{item} {class}");
                }
            }
            assert!((f64::from(all[2][0]) - sum / 3.0).abs() < 1e-5);
            // A target that is no class: three classes are two.
            words[10] = 1;
            assert!(!run(&words[8..21], &[], &mut all));
        }
    }

    #[test]
    fn what_leaves_a_list_or_reads_what_it_writes_is_refused() {
        let numbers = [9.0, 4.0];
        for words in [&PRODUCT[..], &COLUMNS, &WHOLE] {
            assert!(run(words, &numbers, &mut lists()));
            // Cut short, and with each number made too large or negative: done or refused, but never outside.
            for end in 1..words.len() {
                assert!(!run(&words[..end], &numbers, &mut lists()), "{end}");
            }
            for at in 0..words.len() {
                for value in [-2, 13, i64::MAX, i64::MIN] {
                    let mut wrong = words.to_vec();
                    wrong[at] = value;
                    run(&wrong, &numbers, &mut lists());
                }
            }
        }
        for (words, at, value) in [
            (&PRODUCT[..], 12, 9), // the result leaves its list
            (&PRODUCT, 11, 0),     // the result is where an argument is
            (&PRODUCT, 8, 7),      // rows of `b` are too far apart
            (&PRODUCT, 18, 1),     // a start of one element
            (&COLUMNS, 1, 5),      // more rows than there are
            (&COLUMNS, 3, 0),      // sums in the argument
            (&WHOLE, 6, 9),        // from a place too far on
            (&WHOLE, 2, 2),        // no such number
            (&WHOLE, 0, 6),        // no such instruction
        ] {
            let mut wrong = words.to_vec();
            wrong[at] = value;
            let mut all = lists();
            assert!(!run(&wrong, &numbers, &mut all), "{words:?} {at} {value}");
            assert_eq!(all[1], [0.0; 12]);
        }
    }

    #[test]
    fn many_lists_are_found_too() {
        let mut all = vec![vec![1.0_f32]; 100];
        all[99] = vec![7.0];
        // List 0 is the sum of list 99.
        assert!(run(&[3, 1, 0, 0, 0, 99, 0], &[1.0], &mut all));
        assert_eq!(all[0], [7.0]);
    }
}
