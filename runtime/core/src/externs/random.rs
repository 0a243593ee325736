//! Random numbers: xoshiro256++ (Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", 2021).
//!
//! A seed is spread over the state by SplitMix64, as the authors advise. Without a seed the state comes from the system's
//! randomness. Floats use the upper 53 bits; integers of a range are drawn without bias by Lemire's method ("Fast Random Integer
//! Generation in an Interval", 2019). Not for secrets.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};

thread_local! {
    static STATE: Cell<Option<[u64; 4]>> = const { Cell::new(None) };
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn state_of(seed: u64) -> [u64; 4] {
    let mut seed = seed;
    std::array::from_fn(|_| split_mix(&mut seed))
}

fn step(s: &mut [u64; 4]) -> u64 {
    let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
    let t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3].rotate_left(45);
    result
}

fn next() -> u64 {
    // The hasher's keys are random for each process and differ from thread to thread.
    let mut state = STATE
        .get()
        .unwrap_or_else(|| state_of(RandomState::new().hash_one(0)));
    let result = step(&mut state);
    STATE.set(Some(state));
    result
}

/// A seed for a thread that this one starts, if this one has drawn numbers or has a seed: then the numbers of both
/// follow from it.
pub(crate) fn for_thread() -> Option<i64> {
    STATE.get().map(|_| next() as i64)
}

/// Begins with this seed, or with none.
pub(crate) fn begin(given: Option<i64>) {
    STATE.set(None);
    if let Some(given) = given {
        seed(given);
    }
}

pub(super) fn seed(seed: i64) {
    STATE.set(Some(state_of(seed as u64)));
}

pub(super) fn next_f64() -> f64 {
    const UNIT: f64 = 1.0 / (1u64 << 53) as f64;
    (next() >> 11) as f64 * UNIT
}

pub(super) fn next_int(lo: i64, hi: i64) -> Result<i64, String> {
    if lo > hi {
        return Err(format!(
            "there is no integer from {lo} to {hi}; the lower bound comes first"
        ));
    }
    let count = (hi.wrapping_sub(lo) as u64).wrapping_add(1);
    if count == 0 {
        return Ok(next() as i64);
    }
    loop {
        let product = u128::from(next()) * u128::from(count);
        // The lowest `2^64 mod count` values of the lower half would make some results more likely than others.
        if product as u64 >= count.wrapping_neg() % count {
            return Ok(lo.wrapping_add((product >> 64) as i64));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        // First outputs of the authors' xoshiro256plusplus.c for the state 1, 2, 3, 4.
        let mut state = [1, 2, 3, 4];
        let outputs: Vec<u64> = (0..4).map(|_| step(&mut state)).collect();
        assert_eq!(
            outputs,
            [41943041, 58720359, 3588806011781223, 3591011842654386]
        );
        // First output of splitmix64.c for the seed 1234567.
        assert_eq!(split_mix(&mut 1234567), 6457827717110365317);
    }

    #[test]
    fn a_seed_repeats_the_numbers() {
        seed(7);
        let first: Vec<f64> = (0..100).map(|_| next_f64()).collect();
        seed(7);
        assert_eq!(first, (0..100).map(|_| next_f64()).collect::<Vec<_>>());
        assert!(first.iter().all(|x| (0.0..1.0).contains(x)));
        seed(8);
        assert_ne!(first[0], next_f64());
        let mean: f64 = (0..10_000).map(|_| next_f64()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }

    #[test]
    fn integers_cover_their_range() {
        seed(1);
        let mut seen = [0; 6];
        for _ in 0..6000 {
            seen[(next_int(-2, 3).unwrap() + 2) as usize] += 1;
        }
        assert!(
            seen.iter().all(|&times| (850..1150).contains(&times)),
            "{seen:?}"
        );
        assert_eq!(next_int(5, 5), Ok(5));
        assert!(next_int(i64::MIN, i64::MAX).is_ok());
        assert!(next_int(2, 1).unwrap_err().contains("from 2 to 1"));
    }
}
