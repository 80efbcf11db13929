//! The judge measured every row of an LCP by the largest |q| of the problem: M = diag(1e20, 1), q = (−1e20, −1), z = (1, 0) passed with w₂ = −1. Rows are
//! now measured by what acts on them, after splitting into blocks that nothing connects.
// Matrices keep the papers' capitals; helpers of a test are not tests to the lint.
#![allow(non_snake_case, clippy::unwrap_used)]

mod generate;

use generate::testing::Rng;
use generate::{Problem, friction, nonsymmetric_pd, psd_in_range, symmetric_pd};
use stiction_lcp::residual::Judge;
use stiction_lcp::{Accuracy, Lcp, Matrix, Mlcp, Residual, Solver, Status};

const TOLERANCE: f64 = 1e-10;
const INF: f64 = f64::INFINITY;

fn judge(lcp: &Lcp, z: &[f64]) -> (Status, Residual) {
    Judge::default().judge(lcp.view(), z, TOLERANCE)
}

fn lcp<const N: usize>(rows: [[f64; N]; N], q: [f64; N]) -> Lcp {
    Lcp::from_rows(&rows, &q).unwrap()
}

fn assert_full(lcp: &Lcp, z: &[f64]) {
    let (status, residual) = judge(lcp, z);
    assert_eq!(
        (status, residual.accuracy),
        (Status::Solved, Accuracy::Full),
        "{z:?}: {residual:?}"
    );
}

fn assert_refused(lcp: &Lcp, z: &[f64]) {
    let (status, residual) = judge(lcp, z);
    assert_eq!(status, Status::Inaccurate, "{z:?}: {residual:?}");
}

#[test]
fn a_large_row_excuses_no_small_one() {
    for large in [1e5, 1e10, 1e20, 1e100] {
        let apart = lcp([[large, 0.0], [0.0, 1.0]], [-large, -1.0]);
        assert_refused(&apart, &[1.0, 0.0]);
        assert_refused(&apart, &[1.0, 1.0 - 1e-9]);
        assert_refused(&apart, &[1.0, 1.0 + 1e-9]);
        assert_full(&apart, &[1.0, 1.0]);
        let coupled = lcp([[large, 0.5], [0.5, 1.0]], [-large, -1.0]);
        assert_refused(&coupled, &[1.0, 0.0]);
        assert_refused(&coupled, &[1.0, 0.4]);
        let below = large - 0.25;
        assert_full(&coupled, &[(large - 0.5) / below, 0.5 * large / below]);
        // The same size in q alone: z of another size.
        let alike = lcp([[1.0, 0.0], [0.0, 1.0]], [-large, -1.0]);
        assert_refused(&alike, &[large, 0.0]);
        assert_refused(&alike, &[large, 1.0 + 1e-9]);
        assert_full(&alike, &[large, 1.0]);
    }
}

/// A block slides at this speed in a step of 1 µs: normal impulse, two directions of friction, slip speed.
fn sliding(speed: f64) -> (Lcp, [f64; 4]) {
    let (down, mu) = (9.81e-6, 0.5);
    let rows = [
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, -1.0, 1.0],
        [0.0, -1.0, 1.0, 1.0],
        [mu, -1.0, -1.0, 0.0],
    ];
    (
        lcp(rows, [-down, speed, -speed, 0.0]),
        [down, 0.0, mu * down, speed - mu * down],
    )
}

#[test]
fn a_fast_slip_excuses_neither_weight_nor_friction() {
    for speed in [1.0, 1e4, 1e5, 1e8] {
        let (lcp, [theta, _, phi, lambda]) = sliding(speed);
        let (status, residual) = judge(&lcp, &[theta, 0.0, phi, lambda]);
        assert_eq!(status, Status::Solved, "{residual:?}");
        // Weight missing, friction missing, of the wrong sign, beyond the cone, and a pull.
        assert_refused(&lcp, &[0.999 * theta, 0.0, 0.999 * phi, lambda]);
        assert_refused(&lcp, &[theta, 0.0, 0.0, speed]);
        assert_refused(&lcp, &[theta, phi, 0.0, speed + phi]);
        assert_refused(&lcp, &[theta, 0.0, 1.001 * phi, lambda]);
        assert_refused(&lcp, &[theta, -0.001 * phi, phi, lambda]);
    }
}

#[test]
fn a_huge_answer_does_not_excuse_itself() {
    // Infeasible: the rows add up to −2.
    let wedge = lcp([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0]);
    for size in [1e5, 1e10, 1e15, 1e17, 1e300] {
        assert_refused(&wedge, &[size, size]);
        assert_refused(&wedge, &[size + 1.0, size]);
    }
    // The diagonal says nothing of the size: noise that stands for zero must not open the cap.
    for noise in [1e-30, 1e-16] {
        let rows = [[1.0, -1.0, 1e-3], [-1.0, 1.0, 0.0], [1e-3, 0.0, noise]];
        let wedge = lcp(rows, [-1.0, -1.0, 1.0]);
        assert_refused(&wedge, &[1e17, 1e17, 0.0]);
        assert_refused(&wedge, &[1e12, 1e12, 0.0]);
    }
    let alone = lcp([[1e-300]], [5.0]);
    assert_refused(&alone, &[1e280]);
    assert_refused(&lcp([[0.0, 0.0], [0.0, 1.0]], [1.0, -1e12]), &[1e-3, 1e12]);
}

#[test]
fn only_rounding_of_huge_terms_is_said() {
    let lcp = lcp([[1.0, -1.0], [0.0, 1e-7]], [-0.1, -1.0]);
    let z = [1e7 + 0.1, 1e7];
    let (status, residual) = judge(&lcp, &z);
    assert_eq!((status, residual.accuracy), (Status::Solved, Accuracy::Rounding));
    assert!(
        residual.relative > TOLERANCE && residual.excused <= TOLERANCE,
        "{residual:?}"
    );
    assert_eq!((Accuracy::Full.name(), residual.accuracy.name()), ("full", "rounding"));
    assert_refused(&lcp, &[z[0] - 3e-8, z[1]]);
    let mut solver = Solver::new();
    let solution = solver.solve(&lcp).unwrap();
    assert_eq!(
        (solution.status, solution.residual.accuracy),
        (Status::Solved, Accuracy::Rounding)
    );
}

#[test]
fn rows_of_zeros_and_problems_without_drive() {
    let idle = lcp([[0.0, 0.0], [0.0, 1.0]], [0.0, -1.0]);
    assert_full(&idle, &[0.0, 1.0]);
    assert_full(&idle, &[5.0, 1.0]); // w = 0 whatever z is
    let still = lcp([[2.0, 1.0], [1.0, 2.0]], [0.0, 0.0]);
    assert_full(&still, &[0.0, 0.0]);
    assert_refused(&still, &[1e-20, 0.0]);
    // A null space: every multiple of (1, 1) is an answer.
    let null = lcp([[1.0, -1.0], [-1.0, 1.0]], [0.0, 0.0]);
    assert_full(&null, &[3.0, 3.0]);
    assert_refused(&null, &[3.0, 3.0 + 1e-9]);
}

#[test]
fn bounds_are_judged_by_rows() {
    let M = || Matrix::from_rows(&[[1.0, 0.0], [0.0, 1e-12]]).unwrap();
    // A relay in large units beside one in small ones, and a free row.
    let relay = Mlcp::new(M(), vec![-5e10, 0.5e-12], vec![-1e10, -1.0], vec![1e10, INF]).unwrap();
    let mut judge = Judge::default();
    let mut verdict = |problem: &Mlcp, z: &[f64]| judge.judge(problem.view(), z, TOLERANCE).0;
    assert_eq!(verdict(&relay, &[1e10, -0.5]), Status::Solved);
    assert_eq!(verdict(&relay, &[1e10, -0.5 - 1e-8]), Status::Inaccurate);
    assert_eq!(verdict(&relay, &[1e10, -1.0]), Status::Inaccurate);
    assert_eq!(verdict(&relay, &[1e10 - 10.0, -0.5]), Status::Inaccurate);
    let free = Mlcp::new(M(), vec![-5e10, 0.5e-12], vec![-INF; 2], vec![INF; 2]).unwrap();
    assert_eq!(verdict(&free, &[5e10, -0.5]), Status::Solved);
    assert_eq!(verdict(&free, &[5e10, 0.0]), Status::Inaccurate);
    // Only bounds drive this one.
    let pressed = Mlcp::new(M(), vec![0.0, 0.0], vec![2.0, 0.0], vec![INF, INF]).unwrap();
    assert_eq!(verdict(&pressed, &[2.0, 0.0]), Status::Solved);
    assert_eq!(verdict(&pressed, &[2.0 + 1e-8, 0.0]), Status::Inaccurate);
}

/// D M D and D q, with z/D: the same problem in other units. Powers of two change no digit.
fn in_units(problem: &Problem, units: &[f64]) -> Lcp {
    let n = problem.n();
    let rows: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| units[i] * problem.rows[i][j] * units[j]).collect())
        .collect();
    let q: Vec<f64> = problem.q.iter().zip(units).map(|(q, d)| q * d).collect();
    Lcp::from_rows(&rows, &q).unwrap()
}

fn powers(n: usize, rng: &mut Rng) -> Vec<f64> {
    (0..n)
        .map(|_| 2.0_f64.powi(i32::try_from(rng.below(67)).unwrap() - 33))
        .collect()
}

/// Problems with one answer or, with friction, an answer of the solver, in units from 1e-10 to 1e10: right answers pass, wrong ones do not, and the solver finds them.
#[test]
fn units_change_no_verdict() {
    let mut rng = Rng::new(22);
    for number in 0..400 {
        let n = 1 + rng.below(8);
        let problem = match number % 4 {
            0 => symmetric_pd(n, &mut rng),
            1 => nonsymmetric_pd(n, &mut rng),
            2 => psd_in_range(n, 1 + n / 2, &mut rng),
            _ => friction(1 + rng.below(2), &mut rng),
        };
        let mut solver = Solver::new();
        let solution = solver.solve(&problem.lcp()).unwrap();
        if solution.status != Status::Solved {
            continue;
        }
        let z = solution.z.clone();
        let units = powers(problem.n(), &mut rng);
        let lcp = in_units(&problem, &units);
        let scaled = |z: &[f64]| -> Vec<f64> { z.iter().zip(&units).map(|(z, d)| z / d).collect() };
        let (status, residual) = judge(&lcp, &scaled(&z));
        assert_eq!(status, Status::Solved, "{}: {residual:?}, {units:?}", problem.show());
        let found = solver.solve(&lcp).unwrap();
        assert_eq!(
            found.status,
            Status::Solved,
            "{}: {:?}, {units:?}",
            problem.show(),
            found.residual
        );
        for i in 0..problem.n() {
            // What it moves is 1e-6 of the largest it can be measured by.
            let by = 1e-6 * z.iter().fold(1.0_f64, |m, z| m.max(z.abs()));
            for wrong in [z[i] + by, z[i] - by] {
                let mut spoiled = z.clone();
                spoiled[i] = wrong;
                if generate::verify(&problem, &spoiled, 1e-8).is_ok() {
                    continue; // another answer, or one that is not measured
                }
                let (status, residual) = judge(&lcp, &scaled(&spoiled));
                assert_eq!(
                    status,
                    Status::Inaccurate,
                    "{}, z[{i}]: {residual:?}, {units:?}",
                    problem.show()
                );
            }
        }
    }
}

/// Blocks that nothing connects, of sizes from 1e-100 to 1e100.
#[test]
fn blocks_are_judged_apart() {
    let mut rng = Rng::new(23);
    for _ in 0..100 {
        let parts: Vec<(Problem, f64)> = (0..3)
            .map(|_| {
                let size = 2.0_f64.powi(i32::try_from(rng.below(661)).unwrap() - 330);
                (symmetric_pd(1 + rng.below(3), &mut rng), size)
            })
            .collect();
        let n: usize = parts.iter().map(|(p, _)| p.n()).sum();
        let (mut rows, mut q, mut z, mut at) = (vec![vec![0.0; n]; n], vec![0.0; n], Vec::new(), 0);
        for (part, size) in &parts {
            for i in 0..part.n() {
                rows[at + i][at..at + part.n()].copy_from_slice(&part.rows[i]);
                q[at + i] = size * part.q[i];
            }
            at += part.n();
            let mut solver = Solver::new();
            z.extend(solver.solve(&part.lcp()).unwrap().z.iter().map(|z| z * size));
        }
        let lcp = Lcp::from_rows(&rows, &q).unwrap();
        assert_full(&lcp, &z);
        let mut solver = Solver::new();
        let found = solver.solve(&lcp).unwrap();
        assert_eq!(found.status, Status::Solved, "{rows:?} {q:?}: {:?}", found.residual);
        for i in (0..n).filter(|i| z[*i] > 0.0) {
            let mut spoiled = z.clone();
            spoiled[i] *= 1.0 - 1e-6;
            assert_refused(&lcp, &spoiled);
            spoiled[i] = -1e-6 * z[i];
            assert_refused(&lcp, &spoiled);
        }
    }
}
