//! A chain of elementwise operations over lists of `f32`, done block by block: all operations on some hundred elements, which stay in the
//! first cache, before the next ones.
//!
//! A chain is a list of numbers, six for each operation: `[op, a, a_at, b, b_at, to]`. Operations are those of [`compute`]. An operand is
//!
//! ```text
//! r                  0 <= r < 8       a register: the result of an operation that nothing else reads
//! 16 + s, at         list s           its elements from `at` on
//! 32 + s, at         list s           its element `at`, for all
//! 48 + s, width      list s           its first `width` elements, over and over: a row under each row of a matrix
//! 64, number                          number `number` of the last list
//! ```
//!
//! and `to` is a register or a list, which is written from its first element on. List 7 at most; the last list that is passed holds the
//! numbers. Within an operation the list that is written may also be read, at the same places. Long lists are done on several threads, some blocks each.

use super::{Floats, read, with_vectors};
use crate::externs::curves::{exp, sigmoid, tanh};
use crate::pool::{self, Shared};
use std::ops::Range;

/// Elements of a block.
const BLOCK: usize = 512;
/// Operations on blocks that one thread does before it asks for more.
const GRAIN: usize = 128;
/// How many registers there are.
const REGISTERS: usize = 8;
/// The numbers that describe an operation.
const WORDS: usize = 6;

const LIST: i64 = 16;
const ONE: i64 = 32;
const ROW: i64 = 48;
const NUMBER: i64 = 64;

/// The registers.
type Registers = [[f32; BLOCK]; REGISTERS];

/// A list that was passed.
type List = (Floats, usize);
/// Where one begins.
type SharedList = Shared<f32>;

/// What an operation reads in a block.
#[derive(Clone, Copy)]
enum Operand {
    /// These elements.
    Many(*const f32),
    /// The same for all.
    One(f32),
}

/// Whether every operand of a chain is within its list, for `n` elements.
fn is_sound(program: &[i64], n: usize, lists: &[List], numbers: &[f32]) -> bool {
    // The registers that were written.
    let mut made = 0_u64;
    let fits = |code: i64, at: i64, made: u64| {
        let Ok(at) = usize::try_from(at) else {
            return false;
        };
        let length = |first: i64| lists.get((code - first) as usize).map(|list| list.1);
        match code {
            0..LIST => made >> code & 1 == 1,
            LIST..ONE => length(LIST).is_some_and(|length| at <= length && n <= length - at),
            ONE..ROW => length(ONE).is_some_and(|length| at < length),
            ROW..NUMBER => length(ROW).is_some_and(|length| at > 0 && at <= length),
            NUMBER => at < numbers.len(),
            _ => false,
        }
    };
    program.len().is_multiple_of(WORDS)
        && program.chunks_exact(WORDS).all(|words| {
            let &[_, a, a_at, b, b_at, to] = words else {
                return false;
            };
            let reads = fits(a, a_at, made) && fits(b, b_at, made);
            if (0..REGISTERS as i64).contains(&to) {
                made |= 1 << to;
            }
            reads && to < ONE && fits(to, 0, made)
        })
}

/// `f` of each element of a block.
#[inline(always)]
fn each(to: *mut f32, count: usize, a: Operand, f: impl Fn(f32) -> f32) {
    match a {
        Operand::Many(a) => {
            for at in 0..count {
                // SAFETY: `is_sound` found `count` elements at both.
                unsafe { to.add(at).write(f(a.add(at).read())) };
            }
        }
        Operand::One(a) => {
            let value = f(a);
            for at in 0..count {
                // SAFETY: as above.
                unsafe { to.add(at).write(value) };
            }
        }
    }
}

/// `f` of the elements of two blocks in pairs.
#[inline(always)]
fn pairs(to: *mut f32, count: usize, a: Operand, b: Operand, f: impl Fn(f32, f32) -> f32) {
    match (a, b) {
        (Operand::Many(a), Operand::Many(b)) => {
            for at in 0..count {
                // SAFETY: `is_sound` found `count` elements at all three.
                unsafe { to.add(at).write(f(a.add(at).read(), b.add(at).read())) };
            }
        }
        (a, Operand::One(b)) => each(to, count, a, |a| f(a, b)),
        (Operand::One(a), b) => each(to, count, b, |b| f(a, b)),
    }
}

/// Does one operation on a block; an unknown one does nothing. What is not a number stays that in 6, and lets the slope through in 7.
#[inline(always)]
fn compute(op: i64, to: *mut f32, count: usize, a: Operand, b: Operand) {
    match op {
        0 => pairs(to, count, a, b, |a, b| a + b),
        1 => pairs(to, count, a, b, |a, b| a - b),
        2 => pairs(to, count, a, b, |a, b| a * b),
        3 => pairs(to, count, a, b, |a, b| a / b),
        4 => each(to, count, a, |a| -a),
        5 => each(to, count, a, |a| a * a),
        6 => each(to, count, a, |a| if a <= 0.0 { 0.0 } else { a }),
        7 => pairs(
            to,
            count,
            a,
            b,
            |slope, y| if y <= 0.0 { 0.0 } else { slope },
        ),
        8 => each(to, count, a, f32::sqrt),
        9 => each(to, count, a, sigmoid),
        10 => each(to, count, a, tanh),
        11 => each(to, count, a, exp),
        12 => each(to, count, a, f32::abs),
        13 => each(to, count, a, |a| a),
        _ => {}
    }
}

/// Puts a row under each row into a block that begins at element `base`.
#[inline(always)]
fn repeat(row: &[f32], base: usize, block: &mut [f32]) {
    let mut from = base % row.len();
    let mut done = 0;
    while done < block.len() {
        let count = (row.len() - from).min(block.len() - done);
        block[done..done + count].copy_from_slice(&row[from..from + count]);
        done += count;
        from = 0;
    }
}

with_vectors! {
    /// Does a chain that is sound for elements from the beginning of a block on.
    fn run(program: &[i64], range: Range<usize>, lists: &[SharedList], numbers: &[f32]) -> () {
        let mut registers = std::mem::MaybeUninit::<Registers>::uninit();
        let first = registers.as_mut_ptr().cast::<f32>();
        // Rows that are under each row of a block, of either operand.
        let mut rows = std::mem::MaybeUninit::<[[f32; BLOCK]; 2]>::uninit();
        let rows = rows.as_mut_ptr().cast::<f32>();
        let mut base = range.start;
        while base < range.end {
            let count = BLOCK.min(range.end - base);
            for words in program.chunks_exact(WORDS) {
                let operand = |code: i64, at: i64, which: usize| {
                    let list = |first: i64| lists[(code - first) as usize].at(0);
                    // SAFETY: `is_sound` found all of them in their lists, and the registers written by operations before.
                    unsafe {
                        match code {
                            0..LIST => Operand::Many(first.add(code as usize * BLOCK)),
                            LIST..ONE => Operand::Many(list(LIST).add(at as usize + base)),
                            ONE..ROW => Operand::One(list(ONE).add(at as usize).read()),
                            ROW..NUMBER => {
                                let block = rows.add(which * BLOCK);
                                block.write_bytes(0, count);
                                repeat(read(list(ROW), at), base, std::slice::from_raw_parts_mut(block, count));
                                Operand::Many(block)
                            }
                            _ => Operand::One(numbers[at as usize]),
                        }
                    }
                };
                let (a, b) = (operand(words[1], words[2], 0), operand(words[3], words[4], 1));
                let to = words[5];
                // SAFETY: as above.
                let to = unsafe {
                    if to < LIST {
                        first.add(to as usize * BLOCK)
                    } else {
                        lists[(to - LIST) as usize].at(base)
                    }
                };
                compute(words[0], to, count, a, b);
            }
            base += count;
        }
    }
}

/// Does a chain over lists of which the last holds numbers.
unsafe fn chain(program: *const i64, words: i64, n: i64, lists: &[List]) -> u8 {
    let Some(((numbers, count), lists)) = lists.split_last() else {
        return 0;
    };
    let (Ok(n), Some(_)) = (usize::try_from(n), lists.first()) else {
        return 0;
    };
    // SAFETY: the caller passed lists with as many elements.
    let (program, numbers) = unsafe { (read(program, words), read(*numbers, *count as i64)) };
    if !is_sound(program, n, lists, numbers) {
        return 0;
    }
    let grain = if in_any_order(program) {
        GRAIN.div_ceil((program.len() / WORDS).max(1)) * BLOCK
    } else {
        n.max(1)
    };
    let lists: Vec<SharedList> = lists.iter().map(|list| Shared::new(list.0)).collect();
    pool::ranges(n, grain, &|range| run(program, range, &lists, numbers));
    1
}

/// Whether no block reads what another one writes.
fn in_any_order(program: &[i64]) -> bool {
    let operations = || program.chunks_exact(WORDS);
    let written = |list: i64| operations().any(|words| words[5] == LIST + list);
    let stays = |code: i64, at: i64| match code {
        LIST..ONE => at == 0 || !written(code - LIST),
        ONE..ROW => !written(code - ONE),
        ROW..NUMBER => !written(code - ROW),
        _ => true,
    };
    operations().all(|words| stays(words[1], words[2]) && stays(words[3], words[4]))
}

macro_rules! chains {
    ($($name:ident $($list:ident $length:ident),*;)*) => {$(
        /// A chain over so many lists, with the numbers in one more.
        ///
        /// # Safety
        ///
        /// All lists have as many elements as said; those that are written are used by nobody else.
        #[allow(clippy::too_many_arguments, reason = "lists with their lengths")]
        pub(super) unsafe extern "C" fn $name(program: *const i64, words: i64, n: i64, $($list: Floats, $length: i64),*) -> u8 {
            // SAFETY: as the caller promises.
            unsafe { chain(program, words, n, &[$(($list, $length.max(0) as usize)),*]) }
        }
    )*};
}

chains! {
    chain2 a a_length, b b_length, numbers count;
    chain4 a a_length, b b_length, c c_length, d d_length, numbers count;
    chain7 a a_length, b b_length, c c_length, d d_length, e e_length, f f_length, g g_length, numbers count;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_over(program: &[i64], n: usize, lists: &mut [Vec<f32>]) -> bool {
        let places: Vec<List> = lists
            .iter_mut()
            .map(|list| (list.as_mut_ptr(), list.len()))
            .collect();
        // SAFETY: the lists are there, and only used here.
        unsafe { chain(program.as_ptr(), program.len() as i64, n as i64, &places) == 1 }
    }

    #[test]
    fn a_chain_is_its_operations_in_turn_over_any_number_of_blocks() {
        for n in [0, 1, 3, 511, 512, 513, 2000] {
            let a: Vec<f32> = (0..n).map(|at| at as f32 * 0.25 - 100.0).collect();
            let row = vec![1.0, -2.0, 3.0];
            let mut lists = [a.clone(), vec![0.0; n], row.clone(), vec![0.5, 2.0]];
            // r0 = a * 2; r1 = r0 + row; list 1 = relu(r1); list 1 = list 1 - a[0].
            let program = [
                2, 16, 0, 64, 1, 0, //
                0, 0, 0, 50, 3, 1, //
                6, 1, 0, 1, 0, 17, //
                1, 17, 0, 32, 0, 17,
            ];
            if n == 0 {
                assert!(
                    !run_over(&program, n, &mut lists),
                    "there is no first element"
                );
                continue;
            }
            assert!(run_over(&program, n, &mut lists));
            let expected: Vec<f32> = a
                .iter()
                .enumerate()
                .map(|(at, x)| (x * 2.0 + row[at % 3]).max(0.0) - a[0])
                .collect();
            assert_eq!(lists[1], expected, "{n}");
        }
    }

    #[test]
    fn blocks_that_read_what_others_write_stay_in_order() {
        assert!(in_any_order(&[0, 16, 0, 17, 0, 17]));
        assert!(in_any_order(&[0, 16, 7, 34, 3, 17]));
        for words in [
            [0, 17, 1, 64, 0, 17],
            [0, 16, 0, 33, 0, 17],
            [0, 16, 0, 49, 3, 17],
        ] {
            assert!(!in_any_order(&words), "{words:?}");
        }
    }

    #[test]
    fn threads_change_no_element() {
        let n = GRAIN * BLOCK * 9 + 77;
        let a: Vec<f32> = (0..n).map(|at| (at % 1013) as f32 * 0.01 - 5.0).collect();
        // r0 = tanh(a); list 1 = r0 + row; list 1 = exp(list 1).
        let program = [
            10, 16, 0, 64, 0, 0, //
            0, 0, 0, 50, 3, 17, //
            11, 17, 0, 64, 0, 17,
        ];
        let row = vec![1.0, -2.0, 3.0];
        let before = pool::threads();
        let mut found = Vec::new();
        for count in [1, 2, 3] {
            pool::set_threads(count);
            let mut lists = [a.clone(), vec![0.0; n], row.clone(), vec![0.0]];
            assert!(run_over(&program, n, &mut lists));
            found.push(lists[1].iter().map(|x| x.to_bits()).collect::<Vec<_>>());
        }
        pool::set_threads(before);
        assert!(found[0] == found[1] && found[0] == found[2]);
    }

    #[test]
    fn what_is_outside_of_a_list_is_refused() {
        let mut lists = [vec![1.0; 4], vec![0.0; 4], vec![3.0]];
        assert!(run_over(&[0, 16, 0, 64, 0, 17], 4, &mut lists));
        assert_eq!(lists[1], [4.0; 4]);
        for words in [
            [0, 16, 1, 64, 0, 17],
            [0, 16, -1, 64, 0, 17],
            [0, 18, 0, 64, 0, 17],
            [0, 16, 0, 64, 1, 17],
            [0, 16, 0, 64, 0, 18],
            [0, 16, 0, 64, 0, 40],
            [0, 9, 0, 64, 0, 17],
            [0, 16, 0, 48, 5, 17],
            [0, 16, 0, 32, 4, 17],
            [0, 16, 0, 65, 0, 17],
            [0, 16, 0, 64, 0, -1],
        ] {
            assert!(!run_over(&words, 4, &mut lists), "{words:?}");
        }
        assert!(!run_over(&[0, 16, 0, 64, 0, 17], 5, &mut lists));
        assert!(!run_over(&[0, 16, 0], 4, &mut lists));
    }
}
