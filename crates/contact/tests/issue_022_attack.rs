//! Wrong answers that passed while the judge measured rows by themselves for the first time: an open contact that carried a weight was excused by the
//! rounding of its own gap/h, impulses that cancel by the speed of a slide, a joint row by squares that underflow, a pull by one that overflowed.
#![allow(clippy::unwrap_used)]

use stiction_contact::check::{Answer, Terms, check};
use stiction_contact::{ContactProblem, Law};

const TERMS: Terms = Terms {
    law: Law::Coulomb,
    directions: 8,
    tolerance: 1e-10,
};
const WEIGHT: f64 = 9.81e-6;

/// One kilogram that falls for a microsecond and slides, with a frictionless contact for each direction and gap/h.
fn falling(slide: f64, contacts: &[(f64, f64)]) -> ContactProblem {
    let mut problem = ContactProblem::new();
    let mass = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    problem.add_block(&mass, &[slide, 0.0, -WEIGHT]).unwrap();
    for (up, gap) in contacts {
        let rows: [&[f64]; 3] = [&[0.0, 0.0, *up], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]];
        let contact = problem.add_contact(&[(0, rows)], 0.0).unwrap();
        problem.set_bias(contact, [*gap, 0.0, 0.0]).unwrap();
    }
    problem
}

fn is_solved(problem: &ContactProblem, normal: &[f64], joint: &[f64]) -> bool {
    let answer = Answer {
        normal,
        friction: &vec![[0.0; 2]; normal.len()],
        phi: None,
        joint,
    };
    check(problem, TERMS, answer).unwrap().solved
}

#[test]
fn a_contact_far_open_neither_carries_nor_pulls() {
    let problem = falling(0.0, &[(1.0, 5e9)]);
    assert!(is_solved(&problem, &[0.0], &[]));
    assert!(!is_solved(&problem, &[WEIGHT], &[]) && !is_solved(&problem, &[-0.5 * WEIGHT], &[]));
}

#[test]
fn impulses_that_cancel_hide_no_weight_of_what_slides_fast() {
    for (slide, press) in [(1e3, 1e5), (1e5, 1e9), (0.0, 1e9)] {
        let problem = falling(slide, &[(1.0, 0.0), (-1.0, 0.0)]);
        assert!(!is_solved(&problem, &[press, press], &[]), "{slide} {press}");
        assert!(is_solved(&problem, &[WEIGHT, 0.0], &[]), "{slide}");
    }
}

#[test]
fn joint_rows_whose_squares_underflow_are_judged() {
    let mut problem = falling(1.0, &[]);
    problem.add_joint(&[(0, &[1e-170, 0.0, 0.0])], 1e-170).unwrap();
    assert!(!is_solved(&problem, &[], &[0.0]));
}

#[test]
fn a_pull_that_overflows_is_a_pull() {
    let mut problem = ContactProblem::new();
    problem.add_block(&[1e-6], &[0.0]).unwrap();
    for _ in 0..2 {
        problem.add_contact(&[(0, [&[1.0], &[0.0], &[0.0]])], 0.0).unwrap();
    }
    assert!(!is_solved(&problem, &[-1e305, 1e305], &[]));
}

/// What two bodies do together, however fast, says nothing of what acts between them: 1 mN between two bodies at 7,500 m/s was taken for nothing, and a floor force at 1e7 m/s.
#[test]
fn a_common_motion_excuses_no_load() {
    for (speed, force, dt) in [(7500.0, 1e-3, 1e-3), (1e7, 981.0, 1e-6)] {
        let mut problem = ContactProblem::new();
        let mass: Vec<f64> = (0..36)
            .map(|k| match (k % 7 == 0, k / 7) {
                (true, 0..3) => 100.0,
                (true, _) => 10.0,
                _ => 0.0,
            })
            .collect();
        let down = -force * dt / 100.0;
        problem.add_block(&mass, &[speed, 0.0, down, 0.0, 0.0, 0.0]).unwrap();
        problem.add_block(&mass, &[speed, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        let row = |x: f64, y: f64, z: f64| [x, y, z, 0.0, 0.0, 0.0];
        let (n, s, t) = (row(0.0, 0.0, 1.0), row(1.0, 0.0, 0.0), row(0.0, 1.0, 0.0));
        let minus = |r: [f64; 6]| r.map(|x| -x);
        problem
            .add_contact(&[(0, [&n, &s, &t]), (1, [&minus(n), &minus(s), &minus(t)])], 0.5)
            .unwrap();
        let judged = |normal: f64| is_solved(&problem, &[normal], &[]);
        assert!(judged(0.5 * force * dt));
        assert!(!judged(0.0), "{speed} m/s");
        assert!(!judged(0.5 * force * dt * (1.0 - 1e-3)), "{speed} m/s");
    }
}
