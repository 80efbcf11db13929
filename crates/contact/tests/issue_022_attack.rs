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
