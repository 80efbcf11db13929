//! Judging a second answer, or solving a second problem, of the same size allocates nothing.
#![allow(clippy::unwrap_used)]

use stiction_contact::check::{Answer, Judge, Terms};
use stiction_contact::{Body, BodyContact, ContactProblem, ContactSolver, Law, Options, Restitution, Status};

/// Point masses on a floor in a row, joined so that they form one island; they fall at 1 m/s or rise.
fn row(count: usize, speed: f64) -> ContactProblem {
    let mut problem = ContactProblem::new();
    let mass = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
    let rows: [&[f64]; 3] = [&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]];
    for i in 0..count {
        problem.add_block(&mass, &[0.1, 0.2, speed]).unwrap();
        problem.add_contact(&[(i, rows)], 0.5).unwrap();
        if i > 0 {
            let ends: [(usize, &[f64]); 2] = [(i - 1, &[1.0, 0.0, 0.0]), (i, &[-1.0, 0.0, 0.0])];
            problem.add_joint(&ends, 0.0).unwrap();
        }
    }
    problem
}

#[test]
fn a_judge_does_not_allocate_twice() {
    let (rising, falling) = (row(6, 1.0), row(6, -1.0));
    for law in Law::ALL {
        let terms = Terms {
            law,
            directions: 8,
            tolerance: 1e-10,
        };
        let smooth = [Law::Frictionless, Law::Viscous, Law::ViscousExplicit];
        let friction = if smooth.contains(&law) { [0.0; 2] } else { [-0.2, -0.4] };
        let (still, push) = (([0.0; 6], [[0.0; 2]; 6]), ([2.0; 6], [friction; 6]));
        let mut judge = Judge::new();
        let mut verdict = |problem: &ContactProblem, (normal, friction): &([f64; 6], [[f64; 2]; 6])| {
            let answer = Answer {
                normal,
                friction,
                phi: None,
                joint: &[0.0; 5],
            };
            judge.judge(problem, terms, answer).0
        };
        assert!(verdict(&rising, &still) && verdict(&falling, &push), "{law:?}");
        let info = allocation_counter::measure(|| {
            assert!(verdict(&falling, &push) && verdict(&rising, &still));
            assert!(!verdict(&falling, &still));
        });
        assert_eq!(info.count_total, 0, "{law:?}");
    }
}

/// Cubes on each other, four contacts a face.
fn stack(count: usize) -> ContactProblem {
    let mut bodies = Vec::new();
    let mut contacts = Vec::new();
    for i in 0..count {
        bodies.push(Body {
            mass: 1.0,
            inertia: [[1.0 / 6.0, 0.0, 0.0], [0.0, 1.0 / 6.0, 0.0], [0.0, 0.0, 1.0 / 6.0]],
            position: [0.0, 0.0, i as f64 + 0.5],
            velocity: [0.0; 6],
            wrench: [0.0, 0.0, -10.0, 0.0, 0.0, 0.0],
        });
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            contacts.push(BodyContact {
                a: i,
                b: i.checked_sub(1),
                point: [x, y, i as f64],
                normal: [0.0, 0.0, 1.0],
                mu: 0.25 + 0.01 * i as f64,
                gap: 0.0,
                restitution: 0.0,
                viscosity: 0.0,
            });
        }
    }
    ContactProblem::from_bodies(&bodies, &contacts, &[], 0.01, Restitution::Newton).unwrap()
}

#[test]
fn a_second_solve_does_not_allocate_cold_or_warm() {
    for law in Law::ALL {
        let options = Options {
            law,
            ..Options::default()
        };
        let mut solver = ContactSolver::new(options).unwrap();
        let mut problem = stack(6);
        let at_rest = problem.v_free().to_vec();
        // Pushes on the top cube that make it stick, slide and tip.
        let pushes: Vec<Vec<f64>> = (0..12)
            .map(|k| {
                let mut v = at_rest.clone();
                v[30] += 0.01 * f64::from(k);
                v[34] += 0.02 * f64::from(k % 5);
                v
            })
            .collect();
        let mut round = || {
            for v in &pushes {
                problem.set_v_free(v).unwrap();
                for block in 0..problem.block_count() {
                    problem.set_at_rest(block).unwrap();
                }
                assert_eq!(solver.solve(&problem).unwrap().status, Status::Solved, "{law:?}");
                assert_eq!(solver.solve_warm(&problem).unwrap().status, Status::Solved, "{law:?}");
            }
            for v in &pushes {
                problem.set_v_free(v).unwrap();
                assert_eq!(solver.solve_warm(&problem).unwrap().status, Status::Solved, "{law:?}");
            }
        };
        round();
        let info = allocation_counter::measure(&mut round);
        assert_eq!(info.count_total, 0, "{law:?}");
    }
}
