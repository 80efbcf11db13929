//! Principal pivoting on random problems: what it solves, what it hands back, and that it is never wrong.

// Matrices keep the papers' capitals.
#![allow(non_snake_case)]
// Helpers of a test are not tests to the lint.
#![allow(clippy::unwrap_used)]

#[allow(dead_code)] // not every generator is used here
#[path = "../src/testing.rs"]
mod testing;

use stiction_lcp::pivoting::{Data, Outcome};
use stiction_lcp::ppm::{Options, Ppm};
use stiction_lcp::residual::Judge;
use stiction_lcp::{Lcp, Matrix, Mlcp, Status};
use testing::Rng;

const TOLERANCE: f64 = 1e-10;

fn random(n: usize, rng: &mut Rng) -> Vec<f64> {
    (0..n).map(|_| rng.symmetric()).collect()
}

fn product(rows: &[Vec<f64>], v: &[f64]) -> Vec<f64> {
    rows.iter()
        .map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
        .collect()
}

fn gram(N: &[Vec<f64>]) -> Vec<Vec<f64>> {
    N.iter().map(|row| product(N, row)).collect()
}

fn unilateral(lcp: &Lcp) -> Data<'_> {
    Data {
        M: lcp.M(),
        q: lcp.q(),
        free: &[],
    }
}

#[test]
fn definite_problems_are_all_solved() {
    let (mut ppm, mut judge, mut rng) = (Ppm::default(), Judge::default(), Rng::new(1));
    let (mut guarded, mut pivots) = (0, 0);
    for problem in 0..400 {
        let N: Vec<Vec<f64>> = (0..30).map(|_| random(32, &mut rng)).collect();
        let lcp = Lcp::from_rows(&gram(&N), &random(30, &mut rng)).unwrap();
        let mut z = vec![0.0; 30];
        let outcome = ppm.run(unilateral(&lcp), &Options::default(), &mut z);
        let (status, residual) = judge.judge(lcp.view(), &z, TOLERANCE);
        assert_eq!(
            (outcome, status),
            (Outcome::Complementary, Status::Solved),
            "problem {problem}: {residual:?}"
        );
        guarded += usize::from(ppm.changed_rule());
        pivots += ppm.pivots();
    }
    eprintln!("definite, n = 30: 400 of 400 solved, {pivots} pivots, guard fired {guarded} times");
}

#[test]
fn rank_deficient_problems_are_solved_or_handed_back() {
    let (mut ppm, mut judge, mut rng) = (Ppm::default(), Judge::default(), Rng::new(2));
    let (mut solved, mut cycles, mut singular, mut guarded) = (0, 0, 0, 0);
    for problem in 0..400 {
        let N: Vec<Vec<f64>> = (0..40).map(|_| random(18, &mut rng)).collect();
        let lcp = Lcp::from_rows(&gram(&N), &product(&N, &random(18, &mut rng))).unwrap();
        let mut z = vec![0.0; 40];
        match ppm.run(unilateral(&lcp), &Options::default(), &mut z) {
            Outcome::Complementary => {
                let (status, residual) = judge.judge(lcp.view(), &z, TOLERANCE);
                assert_eq!(status, Status::Solved, "problem {problem}: {residual:?}");
                solved += 1;
            }
            Outcome::Cycle => cycles += 1,
            Outcome::Singular => singular += 1,
            other => panic!("problem {problem}: {other:?}"),
        }
        guarded += usize::from(ppm.changed_rule());
    }
    eprintln!("n = 40, rank 18: {solved} solved, {cycles} cycles, {singular} singular; guard fired {guarded} times");
    assert!(solved >= 340, "{solved} solved, {cycles} cycles, {singular} singular");
}

/// Compared as they stand, the most negative variables lead through 8 sets and back, in exact arithmetic; in the units of the
/// balanced matrix the same rule ends after 4 changes.
#[test]
fn ppm_cycle_4_is_solved_in_balanced_units() {
    let N = [
        vec![2.0, 2.0, 1.0],
        vec![0.0, -1.0, -1.0],
        vec![1.0, -1.0, -1.0],
        vec![-2.0, -1.0, -2.0],
    ];
    let lcp = Lcp::from_rows(&gram(&N), &product(&N, &[-1.0, 3.0, 2.0])).unwrap();
    let (mut ppm, mut z) = (Ppm::default(), vec![0.0; 4]);
    let outcome = ppm.run(unilateral(&lcp), &Options::default(), &mut z);
    let (status, _) = Judge::default().judge(lcp.view(), &z, TOLERANCE);
    eprintln!(
        "ppm-cycle-4: {outcome:?}, guard fired: {}, {} pivots",
        ppm.changed_rule(),
        ppm.pivots()
    );
    assert_eq!((outcome, status), (Outcome::Complementary, Status::Solved));
    assert!(!ppm.changed_rule() && ppm.pivots() == 4);
}

#[test]
fn free_variables_stay_active() {
    let (mut ppm, mut judge, mut rng) = (Ppm::default(), Judge::default(), Rng::new(3));
    for problem in 0..200 {
        let n = 20;
        let N: Vec<Vec<f64>> = (0..n).map(|_| random(n + 2, &mut rng)).collect();
        let free: Vec<bool> = (0..n).map(|i| i % 4 == 1).collect();
        let lower = free.iter().map(|&f| if f { f64::NEG_INFINITY } else { 0.0 }).collect();
        let M = Matrix::from_rows(&gram(&N)).unwrap();
        let mixed = Mlcp::new(M, random(n, &mut rng), lower, vec![f64::INFINITY; n]).unwrap();
        let data = Data {
            M: mixed.M(),
            q: mixed.q(),
            free: &free,
        };
        let mut z = vec![0.0; n];
        let outcome = ppm.run(data, &Options::default(), &mut z);
        let (status, residual) = judge.judge(mixed.view(), &z, TOLERANCE);
        assert_eq!(
            (outcome, status),
            (Outcome::Complementary, Status::Solved),
            "problem {problem}: {residual:?}"
        );
    }
}

#[test]
fn p_matrices_without_symmetry_are_solved() {
    let (mut ppm, mut judge, mut rng) = (Ppm::default(), Judge::default(), Rng::new(4));
    for problem in 0..200 {
        let n = 12;
        // A definite symmetric part plus a skew part.
        let N: Vec<Vec<f64>> = (0..n).map(|_| random(n + 2, &mut rng)).collect();
        let mut rows = gram(&N);
        for i in 0..n {
            for j in 0..i {
                let skew = 3.0 * rng.symmetric();
                rows[i][j] += skew;
                rows[j][i] -= skew;
            }
        }
        let lcp = Lcp::from_rows(&rows, &random(n, &mut rng)).unwrap();
        let mut z = vec![0.0; n];
        let outcome = ppm.run(unilateral(&lcp), &Options::default(), &mut z);
        let (status, residual) = judge.judge(lcp.view(), &z, TOLERANCE);
        assert_eq!(
            (outcome, status),
            (Outcome::Complementary, Status::Solved),
            "problem {problem}: {residual:?}"
        );
    }
}
