//! Folds of runs and results along them, beside loops that do one element after the other, and the same digits on any number of threads.

use super::along::{log_of_sums_f32, places_f32, places_f64, running_f32, shares_f32};
use super::fold::{column_sums_f32, fold_f32, fold_f64};
use super::linear::sum_by_four_f32;
use crate::pool;
use simple_ffi_abi::SffiBuffer;

/// Shapes as matrices, rows and columns, with sizes that fill no vector and no part.
const SHAPES: [(usize, usize, usize); 9] = [
    (1, 100_003, 1),
    (7, 33, 1),
    (130, 1, 1),
    (1, 1500, 131),
    (3, 70, 300),
    (5, 4, 3),
    (64, 128, 128),
    (9, 2, 1),
    (1, 1, 9),
];

fn elements(count: usize) -> Vec<f32> {
    (0..count)
        .map(|at| ((at * 7919 % 2003) as f32 - 1000.0) * 0.003)
        .collect()
}

fn listed(made: Result<SffiBuffer, String>) -> Vec<f32> {
    let made = made.expect("it fits");
    // SAFETY: the buffer is the result of the function, which has as many elements as it says.
    unsafe { simple_ffi_abi::export::slice_argument(made.data.cast::<f32>(), made.length) }.to_vec()
}

/// The elements of each run.
fn runs(xs: &[f32], (outer, count, inner): (usize, usize, usize)) -> Vec<Vec<f32>> {
    let run = |at: usize| {
        (0..count)
            .map(move |row| xs[(at / inner * count + row) * inner + at % inner])
            .collect()
    };
    (0..outer * inner).map(run).collect()
}

fn near(found: f64, wanted: f64, room: f64) -> bool {
    (found - wanted).abs() <= room * wanted.abs().max(1.0)
}

#[test]
fn folds_are_those_of_one_element_after_the_other() {
    for shape @ (outer, count, inner) in SHAPES {
        let xs = elements(outer * count * inner);
        let wide: Vec<f64> = xs.iter().map(|x| f64::from(*x)).collect();
        let (many, rows, step) = ((outer * inner) as i64, count as i64, inner as i64);
        let each = runs(&xs, shape);
        let means: Vec<f64> = each
            .iter()
            .map(|run| run.iter().map(|x| f64::from(*x)).sum::<f64>() / count as f64)
            .collect();
        for op in 0..6 {
            let found = fold_f32(op, &xs, many, rows, step, &means).expect("it fits");
            let found64 = fold_f64(op, &wide, many, rows, step, &means).expect("it fits");
            for (at, run) in each.iter().enumerate() {
                let run = run.iter().map(|x| f64::from(*x));
                let wanted = match op {
                    0 => run.sum::<f64>(),
                    1 => run.product(),
                    2 => run.fold(f64::NEG_INFINITY, f64::max),
                    3 => run.fold(f64::INFINITY, f64::min),
                    4 => run.map(|x| x * x).sum(),
                    _ => run.map(|x| (x - means[at]) * (x - means[at])).sum(),
                };
                assert!(
                    near(found[at], wanted, 1e-10),
                    "{op} {shape:?} {at}: {} {wanted}",
                    found[at]
                );
                assert!(near(found64[at], wanted, 1e-10), "{op} {shape:?} {at}");
            }
        }
    }
    assert!(fold_f32(0, &[1.0, 2.0], 1, 3, 1, &[]).is_err());
    assert!(fold_f32(0, &[1.0, 2.0], 1, 2, 0, &[]).is_err());
    assert!(fold_f32(5, &[1.0, 2.0], 1, 2, 1, &[]).is_err());
    assert!(fold_f32(-1, &[], 0, 0, 1, &[]).is_err());
    assert_eq!(fold_f32(1, &[], 3, 0, 1, &[]), Ok(vec![1.0; 3]));
}

#[test]
fn sums_are_four_in_turn() {
    let xs = elements(70_001);
    let by_hand = |xs: &[f32]| {
        let mut sums = [0.0; 4];
        let fours = xs.len() / 4 * 4;
        for (at, x) in xs.iter().enumerate() {
            sums[if at < fours { at % 4 } else { 0 }] += f64::from(*x);
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    };
    for count in [0, 1, 3, 4, 7, 1000, 32_768] {
        assert_eq!(
            sum_by_four_f32(&xs, 5, count as i64),
            by_hand(&xs[5..5 + count])
        );
    }
    let blocks = by_hand(&xs[..32_768]) + by_hand(&xs[32_768..65_536]) + by_hand(&xs[65_536..]);
    assert_eq!(sum_by_four_f32(&xs, 0, 70_001), blocks);
}

#[test]
fn columns_of_matrices_are_added_up_on_any_number_of_threads() {
    let xs = elements(60 * 43 * 17);
    let sums = column_sums_f32(&xs, 43, 17).expect("it fits");
    for (at, run) in runs(&xs, (60, 43, 17)).iter().enumerate() {
        let wanted: f64 = run.iter().map(|x| f64::from(*x)).sum();
        assert!(near(f64::from(sums[at]), wanted, 1e-5), "{at}");
    }
    let before = pool::threads();
    pool::set_threads(3);
    assert_eq!(column_sums_f32(&xs, 43, 17), Ok(sums));
    pool::set_threads(before);
    assert!(column_sums_f32(&xs, 0, 17).is_err());
    assert!(column_sums_f32(&xs, 43, 18).is_err());
    assert!(column_sums_f32(&xs, -1, 17).is_err());
}

#[test]
fn what_is_not_a_number_wins_and_equal_elements_keep_the_first_place() {
    for shape @ (outer, count, inner) in SHAPES {
        let mut xs = elements(outer * count * inner);
        let middle = xs.len() / 2;
        xs[middle] = f32::NAN;
        xs[middle / 2] = f32::NAN;
        let wide: Vec<f64> = xs.iter().map(|x| f64::from(*x)).collect();
        let (many, rows, step) = ((outer * inner) as i64, count as i64, inner as i64);
        for largest in [true, false] {
            let found = places_f32(largest, &xs, many, rows, step).expect("it fits");
            assert_eq!(
                Ok(&found),
                places_f64(largest, &wide, many, rows, step).as_ref()
            );
            let values =
                fold_f32(if largest { 2 } else { 3 }, &xs, many, rows, step, &[]).expect("it fits");
            for (at, run) in runs(&xs, shape).iter().enumerate() {
                let mut best = 0;
                for (place, x) in run.iter().enumerate() {
                    let better = if largest {
                        *x > run[best]
                    } else {
                        *x < run[best]
                    };
                    if !run[best].is_nan() && (better || x.is_nan()) {
                        best = place;
                    }
                }
                assert_eq!(found[at], best as i64, "{shape:?} {at}");
                let same =
                    values[at] == f64::from(run[best]) || values[at].is_nan() && run[best].is_nan();
                assert!(same, "{shape:?} {at}");
            }
        }
    }
    let same = [f32::NEG_INFINITY; 5];
    assert_eq!(places_f32(true, &same, 1, 5, 1), Ok(vec![0]));
    assert_eq!(places_f32(true, &same, 5, 1, 5), Ok(vec![0; 5]));
}

#[test]
fn results_along_runs_are_those_of_one_element_after_the_other() {
    for shape @ (outer, count, inner) in SHAPES {
        let xs = elements(outer * count * inner);
        let (many, rows, step) = ((outer * inner) as i64, count as i64, inner as i64);
        let sums = runs(&listed(running_f32(false, &xs, many, rows, step)), shape);
        let products = runs(&listed(running_f32(true, &xs, many, rows, step)), shape);
        let shares = runs(&listed(shares_f32(&xs, many, rows, step, false)), shape);
        let logs = runs(&listed(shares_f32(&xs, many, rows, step, true)), shape);
        let totals = log_of_sums_f32(&xs, many, rows, step).expect("it fits");
        for (at, run) in runs(&xs, shape).iter().enumerate() {
            let (mut sum, mut product) = (0.0, 1.0);
            let total = run.iter().map(|x| f64::from(*x).exp()).sum::<f64>();
            assert!(near(totals[at], total.ln(), 1e-9), "{shape:?} {at}");
            for (place, x) in run.iter().enumerate() {
                sum += f64::from(*x);
                product *= f64::from(*x);
                assert_eq!(
                    (sums[at][place], products[at][place]),
                    (sum as f32, product as f32)
                );
                let share = f64::from(*x).exp() / total;
                assert!(
                    (f64::from(shares[at][place]) / share - 1.0).abs() <= 1e-6,
                    "{shape:?} {at}"
                );
                assert!(
                    near(f64::from(logs[at][place]), share.ln(), 3e-7),
                    "{shape:?} {at}"
                );
            }
        }
    }
}

#[test]
fn no_digit_depends_on_the_number_of_threads() {
    let before = pool::threads();
    for (outer, count, inner) in [
        (1, 700_001, 1),
        (700, 1000, 1),
        (1, 900, 801),
        (1, 300_000, 3),
        (40, 64, 300),
    ] {
        let xs = elements(outer * count * inner);
        let (many, rows, step) = ((outer * inner) as i64, count as i64, inner as i64);
        let mut found = Vec::new();
        for threads in [1, 2, 3] {
            pool::set_threads(threads);
            let folds: Vec<Vec<u64>> = (0..5)
                .map(|op| fold_f32(op, &xs, many, rows, step, &[]).expect("it fits"))
                .map(|found| found.iter().map(|x| x.to_bits()).collect())
                .collect();
            let along: Vec<Vec<u32>> = [
                running_f32(false, &xs, many, rows, step),
                shares_f32(&xs, many, rows, step, false),
                shares_f32(&xs, many, rows, step, true),
            ]
            .into_iter()
            .map(|made| listed(made).iter().map(|x| x.to_bits()).collect())
            .collect();
            found.push((folds, along, places_f32(true, &xs, many, rows, step)));
        }
        assert!(
            found[0] == found[1] && found[0] == found[2],
            "{outer} {count} {inner}"
        );
    }
    pool::set_threads(before);
}

#[test]
fn the_logarithm_of_a_sum_of_powers_is_infinite_where_the_largest_element_is() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let rows = [
        [inf, 1.0],
        [-inf, inf],
        [-inf, -inf],
        [-inf, 2.0],
        [inf, nan],
    ];
    let totals = log_of_sums_f32(rows.as_flattened(), 5, 2, 1).expect("it fits");
    assert_eq!(
        totals[..3],
        [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY]
    );
    assert!(near(totals[3], 2.0, 1e-9));
    assert!(totals[4].is_nan());
}
