//! Products by every kernel that this machine has, beside sums that are exact.

use super::*;

/// Small integers, whose sums are exact.
fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|at| (at * 7 % 11) as f64 - 5.0).collect()
}

/// The kernels that can be tested here.
fn kinds() -> Vec<Kind> {
    let mut kinds = vec![Kind::Crate];
    #[cfg(target_arch = "x86_64")]
    {
        if std::is_x86_feature_detected!("avx512f") {
            kinds.push(Kind::Avx512);
        }
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            kinds.push(Kind::Avx2);
        }
    }
    kinds
}

/// The whole product by our own kernel, whatever its size.
macro_rules! by_kernel {
    ($wide:ident $usual:ident $part:ident $kind:expr, $job:expr) => {{
        let (job, kind) = ($job, $kind);
        match kind {
            // SAFETY: the machine has the instructions, and the test gives the places of all elements.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { kernel::$wide::product(&job, 0..job.m, 0..job.n) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { kernel::$usual::product(&job, 0..job.m, 0..job.n) },
            // SAFETY: as above.
            _ => unsafe { $part(kind, &job, 0..job.m, 0..job.n) },
        }
    }};
}

macro_rules! checks {
    ($check:ident $float:ident $wide:ident $usual:ident $part:ident $pack:ident $size:ident;) => {
        /// A product of matrices that may be turned, with and without a start and a packed right matrix.
        fn $check((m, n, k): (usize, usize, usize), turned: (bool, bool)) {
            let narrow = |list: Vec<f64>| list.into_iter().map(|x| x as $float).collect::<Vec<_>>();
            let (a, b, start) = (
                narrow(numbers(m * k)),
                narrow(numbers(k * n)),
                narrow(numbers(m * n + 3)),
            );
            let place = |rows: usize, columns: usize, turned: bool| match turned {
                true => (1, rows as isize),
                false => (columns as isize, 1),
            };
            let (a_at, b_at) = (place(m, k, turned.0), place(k, n, turned.1));
            let mut expected = vec![0.0; m * n];
            for i in 0..m {
                for j in 0..n {
                    expected[i * n + j] = (0..k)
                        .map(|p| {
                            let left = i as isize * a_at.0 + p as isize * a_at.1;
                            let right = p as isize * b_at.0 + j as isize * b_at.1;
                            a[left as usize] * b[right as usize]
                        })
                        .sum();
                }
            }
            let from = |list: &[$float], (row, column)| From {
                first: list.as_ptr(),
                row,
                column,
            };
            for kind in kinds() {
                let mut packed = vec![7.0; $size(kind, n, k).expect("few")];
                // SAFETY: the elements of the matrix and the room are there.
                unsafe { $pack(kind, from(&b, b_at), n, k, packed.as_mut_ptr()) };
                let (count, length) = if turned.1 { (n, k) } else { (k, n) };
                let taps: Vec<i64> = (0..count).map(|tap| (tap * length) as i64).collect();
                let (first, taps) = (b.as_ptr(), taps.as_ptr());
                for factor in [
                    Factor::Matrix(from(&b, b_at)),
                    Factor::Packed(packed.as_ptr()),
                    if turned.1 { Factor::Across { first, taps } } else { Factor::Lines { first, taps } },
                ] {
                    // Each row, or the same row for all.
                    for row in [None, Some(n as isize), Some(0)] {
                        // What is after the result shows that nothing is written there.
                        let mut out = vec![7.0; m * n + 64];
                        let job = Job {
                            m,
                            n,
                            k,
                            a: from(&a, a_at),
                            b: factor,
                            out: out.as_mut_ptr(),
                            start: row.map(|row| from(&start[3..], (row, 1))),
                        };
                        by_kernel!($wide $usual $part kind, job);
                        let added = |at: usize| match row {
                            None => 0.0,
                            Some(0) => start[3 + at % n],
                            Some(_) => start[3 + at],
                        };
                        let expected: Vec<$float> =
                            expected.iter().enumerate().map(|(at, sum)| sum + added(at)).collect();
                        assert_eq!(out[..m * n], expected, "{m} {n} {k} {turned:?} {kind:?} {row:?}");
                        assert!(out[m * n..].iter().all(|&rest| rest == 7.0));
                    }
                }
            }
        }
    };
}

checks! { check_f32 f32 wide_f32 usual_f32 part_f32 pack_f32 packed_size_f32; }
checks! { check_f64 f64 wide_f64 usual_f64 part_f64 pack_f64 packed_size_f64; }

fn check(size: (usize, usize, usize), turned: (bool, bool)) {
    check_f32(size, turned);
    check_f64(size, turned);
}

#[test]
fn tiles_blocks_and_their_edges_are_added_up() {
    for m in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 25] {
        for n in [1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65] {
            check((m, n, 3), (false, false));
            check((m, n, 5), (true, true));
        }
    }
    for k in [1, 319, 320, 321, 641] {
        check((13, 33, k), (false, true));
        check((13, 33, k), (true, false));
    }
    for m in [119, 120, 121, 127, 241] {
        check((m, 20, 4), (false, false));
        check((m, 3, 324), (true, false));
    }
    check((3, 2047, 2), (false, false));
    check((3, 2049, 322), (false, true));
}

#[test]
fn threads_change_no_digit() {
    // Numbers whose sums are rounded, so that another order would show.
    let numbers = |count: usize| -> Vec<f32> {
        (0..count)
            .map(|at| ((at * 7919 % 1013) as f32 - 500.3) * 0.37)
            .collect()
    };
    for (m, n, k) in [(401, 97, 400), (97, 401, 400), (1000, 64, 70)] {
        let (a, b) = (numbers(m * k), numbers(k * n));
        let computed = |threads: usize| {
            let mut out = vec![0.0f32; m * n];
            let job = Job {
                m,
                n,
                k,
                a: From {
                    first: a.as_ptr(),
                    row: k as isize,
                    column: 1,
                },
                b: Factor::Matrix(From {
                    first: b.as_ptr(),
                    row: n as isize,
                    column: 1,
                }),
                out: out.as_mut_ptr(),
                start: None,
            };
            pool::set_threads(threads);
            // SAFETY: the elements of all matrices are there.
            unsafe { product_f32(&job) };
            out
        };
        let alone = computed(1);
        for threads in [2, 3, 5] {
            assert_eq!(computed(threads), alone, "{m} {n} {k} on {threads} threads");
        }
    }
    pool::set_threads(1);
}
