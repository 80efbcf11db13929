//! Judging a second answer of the same size allocates nothing.
#![allow(clippy::unwrap_used)]

use stiction_contact::check::{Answer, Judge, Terms};
use stiction_contact::{ContactProblem, Law};

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
        let friction = if law == Law::Frictionless {
            [0.0; 2]
        } else {
            [-0.2, -0.4]
        };
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
