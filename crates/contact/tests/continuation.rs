//! Contacts a hair apart: walls whose bricks lie at random over gaps of 1e-5 to 1e-13 m, and the answers of the closed walls beside them.
#![allow(clippy::unwrap_used)]

use stiction_contact::continuation::Continuation;
use stiction_contact::{
    Body, BodyContact, ContactProblem, ContactSolution, ContactSolver, Options, Restitution, Status,
};

const STEP: f64 = 0.01;
const SIZE: [f64; 3] = [0.2, 0.1, 0.1];

/// A wall of bricks in courses, each shifted by a quarter of a brick, tilted in its plane by a slope.
fn wall(rows: usize, columns: usize, slope: f64, mut gap: impl FnMut() -> f64) -> ContactProblem {
    let [length, depth, height] = SIZE;
    let (pitch, shift) = (length + 0.004, 0.051);
    let mut bodies = Vec::new();
    let mut contacts = Vec::new();
    let left = |r: usize, c: usize| c as f64 * pitch + (r % 2) as f64 * shift - 0.5 * length;
    for r in 0..rows {
        for c in 0..columns {
            let x = left(r, c);
            let scale = 9.81 / (1.0 + slope * slope).sqrt();
            bodies.push(Body {
                mass: 1.0,
                inertia: [[0.002, 0.0, 0.0], [0.0, 0.004, 0.0], [0.0, 0.0, 0.004]],
                position: [x + 0.5 * length, 0.0, height * (r as f64 + 0.5)],
                velocity: [0.0; 6],
                wrench: [scale * slope, 0.0, -scale, 0.0, 0.0, 0.0],
            });
            let below: Vec<(Option<usize>, f64)> = match r {
                0 => vec![(None, x)],
                _ => (0..columns)
                    .map(|k| (Some((r - 1) * columns + k), left(r - 1, k)))
                    .collect(),
            };
            for (b, from) in below {
                let (low, high) = (x.max(from), (x + length).min(from + length));
                if high - low < 1e-9 {
                    continue;
                }
                for px in [low, high] {
                    for py in [-0.5 * depth, 0.5 * depth] {
                        contacts.push(BodyContact {
                            a: r * columns + c,
                            b,
                            point: [px, py, height * r as f64],
                            normal: [0.0, 0.0, 1.0],
                            mu: 0.6,
                            gap: gap(),
                            restitution: 0.0,
                            viscosity: 0.0,
                        });
                    }
                }
            }
        }
    }
    ContactProblem::from_bodies(&bodies, &contacts, &[], STEP, Restitution::Newton).unwrap()
}

/// Numbers between 0 and 1, the same on every machine.
fn random(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn fastest(solution: &ContactSolution) -> f64 {
    solution.velocity.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

#[test]
fn walls_with_gaps_of_all_sizes_are_solved_and_come_to_rest_with_them() {
    let mut continuation = Continuation::new(Options::default()).unwrap();
    for seed in 0..2 {
        for exponent in [5, 7, 9, 11, 13] {
            let size = 10f64.powi(-exponent);
            let mut breath = random(seed);
            let problem = wall(4, 4, 0.0, || size * breath());
            let found = continuation.solve(&problem).unwrap();
            let place = format!("seed {seed}, gaps of {size:e} m: {:e}", found.residual.worst);
            assert_eq!(found.status, Status::Solved, "{place}");
            // It settles over the gaps within the step, and no faster; lever arms are up to a brick long.
            assert!(
                fastest(found) <= 40.0 * size / STEP,
                "{place}: {:e} m/s",
                fastest(found)
            );
            let closed = continuation.close(&problem).unwrap();
            assert_eq!(closed.status, Status::Solved, "{place}");
            assert!(fastest(closed) < 1e-9, "{place}: {:e} m/s closed", fastest(closed));
        }
    }
}

#[test]
fn a_wall_that_tips_goes_on_moving_as_its_gaps_close() {
    let mut continuation = Continuation::new(Options::default()).unwrap();
    let mut breath = random(7);
    // Steeper than its friction of 0.6 can hold.
    let problem = wall(3, 3, 0.65, || 1e-8 * breath());
    let found = continuation.solve(&problem).unwrap();
    assert_eq!(found.status, Status::Solved);
    let speed = fastest(found);
    assert!(speed > 1e-3, "{speed:e}");
    let closed = continuation.close(&problem).unwrap();
    assert_eq!(closed.status, Status::Solved);
    assert!((fastest(closed) - speed).abs() < 1e-3 * speed, "{:e}", fastest(closed));
}

#[test]
fn a_problem_without_gaps_is_solved_as_it_is() {
    let mut continuation = Continuation::new(Options::default()).unwrap();
    let problem = wall(2, 2, 0.0, || 0.0);
    assert_eq!(continuation.solve(&problem).unwrap().status, Status::Solved);
    assert_eq!(continuation.solves(), 1);
    assert_eq!(continuation.close(&problem).unwrap().status, Status::Solved);
}

#[test]
fn what_joins_at_once_has_the_answer_of_what_is_joined_one_by_one() {
    let mut breath = random(3);
    for size in [0.0, 1e-7] {
        let problem = wall(3, 3, 0.05, || size * breath());
        let mut solver = ContactSolver::new(Options::default()).unwrap();
        let one_by_one = solver.solve(&problem).unwrap().clone();
        let at_once = solver.solve_joined(&problem).unwrap();
        assert_eq!((one_by_one.status, at_once.status), (Status::Solved, Status::Solved));
        assert!(at_once.stats.passes == 1 && at_once.stats.islands == 1);
        let differences = one_by_one.velocity.iter().zip(&at_once.velocity);
        let largest = differences.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(largest < 1e-9, "{size}: {largest}");
    }
}

#[test]
fn an_unfinished_answer_is_closed_as_well() {
    // Nothing may be tried: what is left is judged on the closed problem, from scratch.
    let mut continuation = Continuation::new(Options::default()).unwrap();
    let mut breath = random(1);
    let problem = wall(3, 3, 0.0, || 1e-7 * breath());
    continuation.set_allowance(0);
    assert_ne!(continuation.attempt(&problem).unwrap().status, Status::Solved);
    continuation.set_allowance(u64::MAX);
    let closed = continuation.close(&problem).unwrap();
    assert!(closed.status == Status::Solved && fastest(closed) < 1e-12);
}
