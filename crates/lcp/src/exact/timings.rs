//! Times of exact solves; nothing here is asserted about them.
#![allow(clippy::print_stdout)]

use super::problem::rational;
use super::{ExactLcp, ExactOutcome, Proof, RBig, check, enumerate_exact, farkas, lemke_exact, prove, solve_basis};
use crate::problem::Lcp;
use crate::testing::Rng;
use std::time::Instant;

fn sum<'a>(values: impl Iterator<Item = &'a RBig>) -> RBig {
    values.fold(RBig::ZERO, |sum, v| sum + v)
}

/// Contacts with random directions on `rank / 6` bodies, in doubles: M = AAᵀ rounded, q = Av rounded.
fn contacts(n: usize, rank: usize, rng: &mut Rng) -> ExactLcp {
    let directions = (0..n).map(|i| {
        let first = 6 * (i % (rank / 6));
        let mut row = vec![0.0; rank];
        row[first..first + 6].iter_mut().for_each(|v| *v = rng.symmetric());
        let other = 6 * ((i + 1) % (rank / 6));
        row[other..other + 6]
            .iter_mut()
            .for_each(|v| *v -= 0.5 * rng.symmetric());
        row
    });
    let a: Vec<Vec<f64>> = directions.collect();
    let v: Vec<f64> = (0..rank).map(|_| rng.symmetric()).collect();
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let ridge = |i: usize, j: usize| if i == j { 1e-3 } else { 0.0 };
    let row = |i: usize| (0..n).map(|j| dot(&a[i], &a[j]) + ridge(i, j)).collect::<Vec<f64>>();
    let rows: Vec<Vec<f64>> = (0..n).map(row).collect();
    let q: Vec<f64> = a.iter().map(|a| dot(a, &v)).collect();
    ExactLcp::from_lcp(&Lcp::from_rows(&rows, &q).expect("finite"))
}

/// The problem with its last row replaced by minus the sum of the others, less a little: nothing is feasible.
fn contradict(problem: &ExactLcp) -> ExactLcp {
    let n = problem.n();
    let mut rows: Vec<RBig> = (0..n * n).map(|k| problem.M(k / n, k % n)).collect();
    let mut q: Vec<RBig> = (0..n).map(|i| problem.q(i)).collect();
    for j in 0..n {
        rows[(n - 1) * n + j] = -sum((0..n - 1).map(|i| &rows[i * n + j]));
    }
    q[n - 1] = -sum(q[..n - 1].iter()) - rational(0.01);
    ExactLcp::from_rationals(n, &rows, &q).expect("sizes agree")
}

#[test]
#[ignore = "measures time: run with --ignored --nocapture"]
fn lemke_and_prove() {
    let mut rng = Rng::new(1);
    for (n, rank) in [(12, 6), (24, 12), (48, 12), (72, 18), (72, 36), (100, 60)] {
        let problem = contacts(n, rank, &mut rng);
        let start = Instant::now();
        let ExactOutcome::Solved { z, pivots, .. } = lemke_exact(&problem, None, 5000) else {
            panic!("semidefinite")
        };
        let cold = start.elapsed();
        let start = Instant::now();
        let guess: Vec<f64> = z.iter().map(|z| z.to_f64().value()).collect();
        let w: Vec<f64> = problem.w(&z).iter().map(|w| w.to_f64().value()).collect();
        let convert = start.elapsed();
        let start = Instant::now();
        assert!(matches!(prove(&problem, &guess, &w), Proof::Proven { pivots: 0, .. }));
        let basis = z.iter().filter(|z| !z.is_zero()).count();
        println!(
            "n {n} basis {basis}: cold {pivots} pivots {cold:?}, prove {:?}, w {convert:?}",
            start.elapsed()
        );
    }
}

#[test]
#[ignore = "measures time: run with --ignored --nocapture"]
fn farkas_vectors() {
    let mut rng = Rng::new(2);
    for n in [24, 48, 72] {
        let feasible = contacts(n, 18, &mut rng);
        let infeasible = contradict(&feasible);
        let start = Instant::now();
        let found = farkas(&infeasible, &[], n).is_some();
        println!("n {n} farkas {found} {:?}", start.elapsed());
        let start = Instant::now();
        let found = farkas(&feasible, &[], n).is_some();
        println!("n {n} feasible, farkas {found} {:?}", start.elapsed());
    }
}

#[test]
#[ignore = "measures time: run with --ignored --nocapture"]
fn cones() {
    let mut rng = Rng::new(3);
    for n in [8, 10, 12, 14] {
        let problem = contradict(&contacts(n, 12, &mut rng));
        let start = Instant::now();
        println!("n {n} {:?} {:?}", enumerate_exact(&problem, 20), start.elapsed());
    }
}

#[test]
#[ignore = "measures time: run with --ignored --nocapture"]
fn large_basis() {
    let mut rng = Rng::new(4);
    let problem = contacts(640, 300, &mut rng);
    let start = Instant::now();
    let basis: Vec<bool> = (0..640).map(|i| i % 4 == 0).collect();
    let (z, _) = solve_basis(&problem, &basis).expect("positive definite");
    println!("n 640 basis 160: solve_basis {:?}", start.elapsed());
    let start = Instant::now();
    println!("check {:?} {:?}", check(&problem, &z), start.elapsed());
}
