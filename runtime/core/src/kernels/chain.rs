//! A chain of elementwise operations over lists of `f32`, done block by block: all operations on some hundred elements, which stay in the
//! first cache, before the next ones. It is one instruction of a planned step (`step.rs`).
//!
//! A chain is a list of numbers, twelve for each operation: `[op, a, a_list, a_at, a_width, b, b_list, b_at, b_width, to, to_list, to_at]`. Operations
//! are those of [`compute`]. What an operand is, `a` or `b`, says which of the other three count:
//!
//! ```text
//! 0 REGISTER   list          register `list`, below 8: the result of an operation that nothing else reads
//! 1 LIST       list, at      the elements of a list from `at` on
//! 2 ONE        list, at      element `at`, for all
//! 3 ROW        list, at, w   `w` elements from `at` on, over and over: a row under each row of a matrix
//! 4 NUMBER     at            number `at` of the step
//! ```
//!
//! and `to` is `REGISTER` or `LIST`. An operation may read the list that it writes, at the same places. Long lists are done on several threads,
//! some blocks each.

use super::step::{List, inside};
use super::{read, with_vectors};
use crate::externs::curves::{exp, ln, sigmoid, tanh};
use crate::pool;
use std::ops::Range;

/// Elements of a block.
const BLOCK: usize = 512;
/// Operations on blocks that one thread does before it asks for more.
const GRAIN: usize = 128;
/// How many registers there are.
const REGISTERS: usize = 8;
/// The numbers that describe an operation.
pub(super) const WORDS: usize = 12;

const REGISTER: i64 = 0;
const LIST: i64 = 1;
const ONE: i64 = 2;
const ROW: i64 = 3;
const NUMBER: i64 = 4;

/// The registers.
type Registers = [[f32; BLOCK]; REGISTERS];

/// What an operation reads in a block.
#[derive(Clone, Copy)]
enum Operand {
    /// These elements.
    Many(*const f32),
    /// The same for all.
    One(f32),
}

/// An operand of a chain as it is written: what it is, its list, its place, and its width.
type Written<'a> = &'a [i64];

/// The operands of an operation, and where its result goes.
fn parts(words: &[i64]) -> (Written<'_>, Written<'_>, Written<'_>) {
    (&words[1..5], &words[5..9], &words[9..12])
}

/// Whether every operand of a chain is within its list, for `n` elements.
fn is_sound(program: &[i64], n: usize, lists: &[List], numbers: &[f64]) -> bool {
    // The registers that were written.
    let mut made = 0_u64;
    let register = |number: i64| (0..REGISTERS as i64).contains(&number);
    let fits = |operand: Written<'_>, made: u64| match operand[0] {
        REGISTER => register(operand[1]) && made >> operand[1] & 1 == 1,
        LIST => inside(lists, operand[1], operand[2], n),
        ONE => inside(lists, operand[1], operand[2], 1),
        ROW => usize::try_from(operand[3])
            .is_ok_and(|width| width > 0 && inside(lists, operand[1], operand[2], width)),
        NUMBER => usize::try_from(operand[2]).is_ok_and(|at| at < numbers.len()),
        _ => false,
    };
    program.len().is_multiple_of(WORDS)
        && program.chunks_exact(WORDS).all(|words| {
            let (a, b, to) = parts(words);
            let reads = fits(a, made) && fits(b, made);
            let writes = match to[0] {
                REGISTER if register(to[1]) => {
                    made |= 1 << to[1];
                    true
                }
                LIST => inside(lists, to[1], to[2], n),
                _ => false,
            };
            reads && writes
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
        6 => each(to, count, a, |a| if a < 0.0 { 0.0 } else { a }),
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
        14 => each(to, count, a, ln),
        15 => each(to, count, a, |a| 1.0 / a),
        16 => each(to, count, a, |a| 1.0 / a.sqrt()),
        17 => each(to, count, a, |a| a * sigmoid(a)),
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
    fn run(program: &[i64], range: Range<usize>, lists: &[List], numbers: &[f64]) -> () {
        let mut registers = std::mem::MaybeUninit::<Registers>::uninit();
        let first = registers.as_mut_ptr().cast::<f32>();
        // Rows that are under each row of a block, of either operand.
        let mut rows = std::mem::MaybeUninit::<[[f32; BLOCK]; 2]>::uninit();
        let rows = rows.as_mut_ptr().cast::<f32>();
        let mut base = range.start;
        while base < range.end {
            let count = BLOCK.min(range.end - base);
            for words in program.chunks_exact(WORDS) {
                let operand = |of: Written<'_>, which: usize| {
                    let place = || lists[of[1] as usize].at(of[2]);
                    // SAFETY: `is_sound` found all of them in their lists, and the registers written by operations before.
                    unsafe {
                        match of[0] {
                            REGISTER => Operand::Many(first.add(of[1] as usize * BLOCK)),
                            LIST => Operand::Many(place().add(base)),
                            ONE => Operand::One(place().read()),
                            ROW => {
                                let block = rows.add(which * BLOCK);
                                block.write_bytes(0, count);
                                repeat(read(place(), of[3]), base, std::slice::from_raw_parts_mut(block, count));
                                Operand::Many(block)
                            }
                            _ => Operand::One(numbers[of[2] as usize] as f32),
                        }
                    }
                };
                let (a, b, to) = parts(words);
                let (a, b) = (operand(a, 0), operand(b, 1));
                // SAFETY: as above.
                let to = unsafe {
                    if to[0] == REGISTER {
                        first.add(to[1] as usize * BLOCK)
                    } else {
                        lists[to[1] as usize].at(to[2]).add(base)
                    }
                };
                compute(words[0], to, count, a, b);
            }
            base += count;
        }
    }
}

/// Does a chain for `n` elements; false where it would leave a list, and then nothing is done.
///
/// # Safety
///
/// The lists have as many elements as they say, and nothing else uses them meanwhile.
pub(super) unsafe fn chain(program: &[i64], n: usize, lists: &[List], numbers: &[f64]) -> bool {
    if !is_sound(program, n, lists, numbers) {
        return false;
    }
    let grain = GRAIN.div_ceil((program.len() / WORDS).max(1)) * BLOCK;
    let grain = if n <= grain || in_any_order(program, n) {
        grain
    } else {
        n
    };
    pool::ranges(n, grain, &|range| run(program, range, lists, numbers));
    true
}

/// Whether no block reads what another one writes.
fn in_any_order(program: &[i64], n: usize) -> bool {
    let n = n as i64;
    let written = |list: i64, from: i64, count: i64, same: bool| {
        program.chunks_exact(WORDS).any(|words| {
            let (_, _, to) = parts(words);
            let apart = from + count <= to[2] || to[2] + n <= from;
            to[0] == LIST && to[1] == list && !apart && !(same && to[2] == from)
        })
    };
    let stays = |operand: Written<'_>| match operand[0] {
        LIST => !written(operand[1], operand[2], n, true),
        ONE => !written(operand[1], operand[2], 1, false),
        ROW => !written(operand[1], operand[2], operand[3], false),
        _ => true,
    };
    program.chunks_exact(WORDS).all(|words| {
        let (a, b, to) = parts(words);
        stays(a) && stays(b) && stays(to)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operands as they are written.
    fn list(list: i64, at: i64) -> [i64; 4] {
        [LIST, list, at, 0]
    }
    fn row(list: i64, at: i64, width: i64) -> [i64; 4] {
        [ROW, list, at, width]
    }
    fn one(list: i64, at: i64) -> [i64; 4] {
        [ONE, list, at, 0]
    }
    fn number(at: i64) -> [i64; 4] {
        [NUMBER, 0, at, 0]
    }
    fn register(number: i64) -> [i64; 4] {
        [REGISTER, number, 0, 0]
    }

    /// An operation.
    fn operation(op: i64, a: [i64; 4], b: [i64; 4], to: [i64; 4]) -> Vec<i64> {
        [&[op], &a[..], &b[..], &to[..3]].concat()
    }

    fn run_over(program: &[i64], n: usize, lists: &mut [Vec<f32>], numbers: &[f64]) -> bool {
        let lists: Vec<List> = lists
            .iter_mut()
            .map(|list| List::new(list.as_mut_ptr(), list.len()))
            .collect();
        // SAFETY: the lists are there, and only used here.
        unsafe { chain(program, n, &lists, numbers) }
    }

    #[test]
    fn a_chain_is_its_operations_in_turn_over_any_number_of_blocks() {
        for n in [0, 1, 3, 511, 512, 513, 2000] {
            let a: Vec<f32> = (0..n).map(|at| at as f32 * 0.25 - 100.0).collect();
            let mut lists = [a.clone(), vec![0.0; n + 2], vec![9.0, 1.0, -2.0, 3.0]];
            // r0 = a * 2; r1 = r0 + row; list 1 from 2 on = relu(r1); the same = itself - a[0].
            let program = [
                operation(2, list(0, 0), number(1), register(0)),
                operation(0, register(0), row(2, 1, 3), register(1)),
                operation(6, register(1), register(1), list(1, 2)),
                operation(1, list(1, 2), one(0, 0), list(1, 2)),
            ]
            .concat();
            let done = run_over(&program, n, &mut lists, &[0.5, 2.0]);
            assert_eq!(done, n > 0, "there is a first element");
            let row = [1.0, -2.0, 3.0];
            let expected = a
                .iter()
                .enumerate()
                .map(|(at, x)| (x * 2.0 + row[at % 3]).max(0.0) - a[0]);
            assert_eq!(lists[1][2..], expected.collect::<Vec<f32>>(), "{n}");
            assert_eq!(lists[1][..2], [0.0; 2]);
        }
    }

    #[test]
    fn blocks_that_read_what_others_write_stay_in_order() {
        let orders = |a, b, to| in_any_order(&operation(0, a, b, to), 100);
        assert!(orders(list(0, 0), list(1, 0), list(1, 0)));
        assert!(orders(list(0, 7), one(2, 3), list(1, 0)));
        assert!(orders(list(1, 100), one(1, 200), list(1, 0)));
        assert!(!orders(list(1, 1), number(0), list(1, 0)));
        assert!(!orders(list(1, 99), number(0), list(1, 0)));
        assert!(!orders(list(0, 0), one(1, 99), list(1, 0)));
        assert!(!orders(list(0, 0), row(1, 98, 3), list(1, 100)));
    }

    #[test]
    fn threads_change_no_element() {
        let n = GRAIN * BLOCK * 9 + 77;
        let a: Vec<f32> = (0..n).map(|at| (at % 1013) as f32 * 0.01 - 5.0).collect();
        // r0 = tanh(a); list 1 = r0 + row; list 1 = exp(list 1).
        let program = [
            operation(10, list(0, 0), number(0), register(0)),
            operation(0, register(0), row(2, 0, 3), list(1, 0)),
            operation(11, list(1, 0), number(0), list(1, 0)),
        ]
        .concat();
        let before = pool::threads();
        let mut found = Vec::new();
        for count in [1, 2, 3] {
            pool::set_threads(count);
            let mut lists = [a.clone(), vec![0.0; n], vec![1.0, -2.0, 3.0]];
            assert!(run_over(&program, n, &mut lists, &[0.0]));
            found.push(lists[1].iter().map(|x| x.to_bits()).collect::<Vec<_>>());
        }
        pool::set_threads(before);
        assert!(found[0] == found[1] && found[0] == found[2]);
    }

    #[test]
    fn what_is_outside_of_a_list_is_refused() {
        let mut lists = [vec![1.0; 4], vec![0.0; 4]];
        let mut fits = |a, b, to, n| run_over(&operation(0, a, b, to), n, &mut lists, &[3.0]);
        assert!(fits(list(0, 0), number(0), list(1, 0), 4));
        for (a, b, to) in [
            (list(0, 1), number(0), list(1, 0)),
            (list(0, -1), number(0), list(1, 0)),
            (list(2, 0), number(0), list(1, 0)),
            (list(-1, 0), number(0), list(1, 0)),
            (list(0, 0), number(1), list(1, 0)),
            (list(0, 0), number(0), list(2, 0)),
            (list(0, 0), number(0), list(1, 1)),
            (list(0, 0), number(0), one(1, 0)),
            (register(1), number(0), list(1, 0)),
            (register(99), number(0), list(1, 0)),
            (list(0, 0), row(0, 0, 5), list(1, 0)),
            (list(0, 0), row(0, 0, 0), list(1, 0)),
            (list(0, 0), one(0, 4), list(1, 0)),
            (list(0, 0), [5, 0, 0, 0], list(1, 0)),
            (list(0, 0), number(0), register(-1)),
        ] {
            assert!(!fits(a, b, to, 4), "{a:?} {b:?} {to:?}");
        }
        assert!(!fits(list(0, 0), number(0), list(1, 0), 5));
        assert!(!run_over(&[0, 1, 0], 4, &mut lists, &[]));
    }
}
