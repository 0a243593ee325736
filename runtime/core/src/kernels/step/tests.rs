//! Steps over small lists: results, what is refused, and that nothing outside is touched.

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

// The largest logits and the logarithms of four items of three classes into list 1 from 1 on, in places of two.
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
            // Each sample has the largest logits of its places, then the logarithms above these.
            let top = 1 + (item / places * 2 * places + item % places) as usize;
            let log = all[1][top] + all[1][top + places as usize];
            assert!((f64::from(log) - total.ln()).abs() < 1e-5);
            let largest = (0..3)
                .map(|class| all[0][x(item, class)])
                .fold(f32::MIN, f32::max);
            assert_eq!(all[1][top], largest);
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
        // A target that is not a class: three classes are two.
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
