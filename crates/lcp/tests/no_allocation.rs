//! A second solve of the same size allocates nothing.

#![allow(clippy::unwrap_used)]

use stiction_lcp::{Class, Lcp, Method, Options, Solver, Status};

/// A dense problem of n variables, symmetric positive definite, with answers of every sign.
fn problem(n: usize, seed: u64) -> Lcp {
    let mut state = seed;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let a: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| random()).collect()).collect();
    let entry = |i: usize, j: usize| (0..n).map(|k| a[i][k] * a[j][k]).sum::<f64>() + f64::from(u8::from(i == j));
    let rows: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| entry(i.min(j), i.max(j))).collect())
        .collect();
    let q: Vec<f64> = (0..n).map(|_| random()).collect();
    Lcp::from_rows(&rows, &q).unwrap()
}

/// The first problem has its answer at z = 0; the second, of the same size, needs many pivots.
fn allocations_of_second_solve(options: Options, class: Class) -> u64 {
    let second = problem(40, 1).with_class(class);
    let mut first = second.clone();
    first.set_q(&[1.0; 40]).unwrap();
    let mut solver = Solver::with_options(options);
    assert_eq!(solver.solve(&first).unwrap().status, Status::Solved);
    let info = allocation_counter::measure(|| {
        assert_eq!(solver.solve(&second).unwrap().status, Status::Solved);
    });
    assert!(solver.solution().stats.pivots > 10);
    info.count_total
}

#[test]
fn the_front_door_does_not_allocate_twice() {
    assert_eq!(allocations_of_second_solve(Options::default(), Class::Unknown), 0);
    assert_eq!(allocations_of_second_solve(Options::default(), Class::Psd), 0);
}

#[test]
fn no_pivoting_method_allocates_twice() {
    for method in [
        Method::Lemke,
        Method::LemkeLexicographic,
        Method::LemkeExtended,
        Method::Dantzig,
        Method::Ppm,
    ] {
        let options = Options {
            method: Some(method),
            ..Options::default()
        };
        assert_eq!(
            allocations_of_second_solve(options, Class::Unknown),
            0,
            "{}",
            method.name()
        );
    }
}
