//! Dantzig's method on random positive semidefinite problems: rank-deficient, definite, with bilateral rows.

// Matrices keep the papers' capitals.
#![allow(non_snake_case)]
// Helpers of a test are not tests to the lint.
#![allow(clippy::unwrap_used)]

#[path = "../src/testing.rs"]
mod testing;

use stiction_lcp::dantzig::{Dantzig, Options, Order};
use stiction_lcp::enumerate::{Enumeration, enumerate};
use stiction_lcp::pivoting::{Data, Outcome};
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

/// N Nᵀ, its lower half copied from the upper.
fn gram(N: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = N.len();
    let mut rows = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in i..n {
            rows[i][j] = N[i].iter().zip(&N[j]).map(|(a, b)| a * b).sum();
            rows[j][i] = rows[i][j];
        }
    }
    rows
}

/// M = N Nᵀ of the given rank and q = N v, so that q is in the range of M.
fn in_range(n: usize, rank: usize, rng: &mut Rng) -> (Vec<Vec<f64>>, Vec<f64>) {
    let N: Vec<Vec<f64>> = (0..n).map(|_| random(rank, rng)).collect();
    let q = product(&N, &random(rank, rng));
    (gram(&N), q)
}

fn unilateral(lcp: &Lcp) -> Data<'_> {
    Data {
        M: lcp.M(),
        q: lcp.q(),
        free: &[],
    }
}

/// Pivots for 800 problems, all of which must be solved.
fn solve_800(options: &Options) -> usize {
    let (mut dantzig, mut judge) = (Dantzig::default(), Judge::default());
    let mut pivots = 0;
    let mut failures = Vec::new();
    for (n, rank, seed) in [(20, 6, 1), (40, 6, 2), (40, 18, 3), (80, 18, 4)] {
        let mut rng = Rng::new(seed);
        for problem in 0..200 {
            let (rows, q) = in_range(n, rank, &mut rng);
            let lcp = Lcp::from_rows(&rows, &q).unwrap();
            let mut z = vec![0.0; n];
            let outcome = dantzig.run(unilateral(&lcp), options, &mut z);
            let (status, residual) = judge.judge(lcp.view(), &z, TOLERANCE);
            pivots += dantzig.pivots();
            if (outcome, status) != (Outcome::Complementary, Status::Solved) {
                failures.push((n, rank, problem, outcome, residual.relative));
            }
        }
    }
    assert!(failures.is_empty(), "dantzig: {} of 800: {failures:?}", failures.len());
    pivots
}

#[test]
fn rank_deficient_problems_in_range_are_all_solved() {
    let chosen = solve_800(&Options::default());
    let other = solve_800(&Options {
        order: Order::LowestIndex,
        ..Options::default()
    });
    eprintln!("pivots for 800 problems: most negative {chosen}, lowest index {other}");
    assert!(
        chosen <= other,
        "the default order needs {chosen} pivots, the other {other}"
    );
}

#[test]
fn definite_problems_agree_with_enumeration() {
    let (mut dantzig, mut judge, mut rng) = (Dantzig::default(), Judge::default(), Rng::new(7));
    for problem in 0..300 {
        let n = 1 + rng.below(8);
        let N: Vec<Vec<f64>> = (0..n).map(|_| random(n + 2, &mut rng)).collect();
        let lcp = Lcp::from_rows(&gram(&N), &random(n, &mut rng)).unwrap();
        let mut z = vec![0.0; n];
        let outcome = dantzig.run(unilateral(&lcp), &Options::default(), &mut z);
        assert_eq!(outcome, Outcome::Complementary, "problem {problem}");
        let mut expected = Vec::new();
        let found = enumerate(unilateral(&lcp), 8, |z| {
            expected = z.to_vec();
            judge.judge(lcp.view(), z, TOLERANCE).0 == Status::Solved
        });
        assert_eq!(found, Enumeration::Found, "problem {problem}");
        let size = expected.iter().fold(1.0f64, |m, v| v.abs().max(m));
        for i in 0..n {
            let (found, expected) = (z[i], expected[i]);
            let distance = (found - expected).abs();
            assert!(
                distance <= 1e-9 * size,
                "problem {problem}, z[{i}]: expected {expected}, found {found}"
            );
        }
    }
}

/// Solves 200 problems whose first rows are bilateral; with `repeat`, some of those are combinations of others.
fn bilateral(seed: u64, repeat: bool) {
    let (mut dantzig, mut judge, mut rng) = (Dantzig::default(), Judge::default(), Rng::new(seed));
    for problem in 0..200 {
        let (n, rank, equations) = (30, 16, 2 + rng.below(7));
        let mut N: Vec<Vec<f64>> = (0..n).map(|_| random(rank, &mut rng)).collect();
        if repeat {
            N[equations - 1] = N[0].iter().map(|v| -3.0 * v).collect();
            N[equations / 2] = (0..rank).map(|k| N[0][k] + 0.5 * N[equations - 1][k]).collect();
        }
        let q = product(&N, &random(rank, &mut rng));
        let free: Vec<bool> = (0..n).map(|i| i < equations).collect();
        let lower = free.iter().map(|&f| if f { f64::NEG_INFINITY } else { 0.0 }).collect();
        let mixed = Mlcp::new(Matrix::from_rows(&gram(&N)).unwrap(), q, lower, vec![f64::INFINITY; n]).unwrap();
        let data = Data {
            M: mixed.M(),
            q: mixed.q(),
            free: &free,
        };
        let mut z = vec![0.0; n];
        let outcome = dantzig.run(data, &Options::default(), &mut z);
        let (status, residual) = judge.judge(mixed.view(), &z, TOLERANCE);
        assert_eq!(
            (outcome, status),
            (Outcome::Complementary, Status::Solved),
            "problem {problem}: {residual:?}"
        );
    }
}

#[test]
fn bilateral_rows_are_kept() {
    bilateral(21, false);
}

#[test]
fn redundant_bilateral_rows_are_kept() {
    bilateral(22, true);
}

#[test]
fn contradicting_bilateral_rows_are_refused_by_the_judge() {
    let mixed = Mlcp::with_free(&[[1.0, 1.0], [1.0, 1.0]], &[1.0, 2.0], &[0, 1]).unwrap();
    let data = Data {
        M: mixed.M(),
        q: mixed.q(),
        free: &[true, true],
    };
    let mut z = vec![0.0; 2];
    Dantzig::default().run(data, &Options::default(), &mut z);
    assert_eq!(
        Judge::default().judge(mixed.view(), &z, TOLERANCE).0,
        Status::Inaccurate
    );
}

#[test]
fn an_infinite_step_proves_infeasibility() {
    let (mut dantzig, mut judge, mut rng) = (Dantzig::default(), Judge::default(), Rng::new(31));
    let (mut solved, mut infeasible) = (0, 0);
    for problem in 0..400 {
        let (n, rank) = (12, 5);
        let N: Vec<Vec<f64>> = (0..n).map(|_| random(rank, &mut rng)).collect();
        // Not in the range of M, and often without any solution.
        let q: Vec<f64> = random(n, &mut rng).iter().map(|v| v + 0.5).collect();
        let lcp = Lcp::from_rows(&gram(&N), &q).unwrap();
        let mut z = vec![0.0; n];
        match dantzig.run(unilateral(&lcp), &Options::default(), &mut z) {
            Outcome::Complementary => {
                let (status, residual) = judge.judge(lcp.view(), &z, TOLERANCE);
                assert_eq!(status, Status::Solved, "problem {problem}: {residual:?}");
                solved += 1;
            }
            Outcome::UnboundedDrive => {
                let u = dantzig.drive_direction();
                let Mu = product(&gram(&N), u);
                let uq: f64 = u.iter().zip(&q).map(|(u, q)| u * q).sum();
                assert!(u.iter().all(|&u| u >= 0.0) && uq < -1e-9, "problem {problem}: {uq}");
                assert!(Mu.iter().all(|v| v.abs() < 1e-9), "problem {problem}: {Mu:?}");
                infeasible += 1;
            }
            other => panic!("problem {problem}: {other:?}"),
        }
    }
    eprintln!("q outside the range: {solved} solved, {infeasible} proved infeasible");
    assert!(solved > 50 && infeasible > 50, "{solved} {infeasible}");
}

#[test]
fn the_driving_index_wins_ties() {
    // f_0 = 1 and a_1 = −2. Along Δf = (−1, 1) both f_0 and a_1 reach zero at a step of 1.
    let lcp = Lcp::from_rows(&[[1.0, 1.0], [1.0, 3.0]], &[-1.0, -3.0]).unwrap();
    let options = Options {
        order: Order::LowestIndex,
        ..Options::default()
    };
    let (mut dantzig, mut z) = (Dantzig::default(), vec![0.0; 2]);
    assert_eq!(dantzig.run(unilateral(&lcp), &options, &mut z), Outcome::Complementary);
    assert_eq!(dantzig.pivots(), 2);
    assert!(z[0] < 1e-15 && (z[1] - 1.0).abs() < 1e-15, "{z:?}");
}

#[test]
fn an_indefinite_matrix_is_noticed() {
    let lcp = Lcp::from_rows(&[[-1.0]], &[-1.0]).unwrap();
    let outcome = Dantzig::default().run(unilateral(&lcp), &Options::default(), &mut [0.0]);
    assert_eq!(outcome, Outcome::Singular);
}

#[test]
fn units_do_not_matter() {
    // D M D and D q with D from 1e-6 to 1e6: the same path.
    let mut rng = Rng::new(41);
    let (rows, q) = in_range(40, 18, &mut rng);
    let d: Vec<f64> = (0..40)
        .map(|_| 2f64.powi(i32::try_from(rng.below(41)).unwrap() - 20))
        .collect();
    let scaled: Vec<Vec<f64>> = (0..40)
        .map(|i| (0..40).map(|j| d[i] * rows[i][j] * d[j]).collect())
        .collect();
    let scaled_q: Vec<f64> = (0..40).map(|i| d[i] * q[i]).collect();
    let (mut dantzig, mut z, mut y) = (Dantzig::default(), vec![0.0; 40], vec![0.0; 40]);
    let lcp = Lcp::from_rows(&rows, &q).unwrap();
    assert_eq!(
        dantzig.run(unilateral(&lcp), &Options::default(), &mut z),
        Outcome::Complementary
    );
    let lcp = Lcp::from_rows(&scaled, &scaled_q).unwrap();
    assert_eq!(
        dantzig.run(unilateral(&lcp), &Options::default(), &mut y),
        Outcome::Complementary
    );
    assert_eq!(Judge::default().judge(lcp.view(), &y, TOLERANCE).0, Status::Solved);
}
