//! A solver that had saved the basis of one problem read it with the columns of the next, and panicked where that had fewer
//! contacts: the note that Lemke's path gave the answer was not taken back between solves.
#![allow(clippy::unwrap_used)]

use stiction_contact::{ContactProblem, ContactSolver, Law, Options, Status};

/// A body of three coordinates that falls on `count` contacts.
fn falling(count: usize, mu: f64) -> ContactProblem {
    let mut problem = ContactProblem::new();
    let mass = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
    let block = problem.add_block(&mass, &[0.3, 0.1, -1.0]).unwrap();
    for _ in 0..count {
        let rows: [&[f64]; 3] = [&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]];
        problem.add_contact(&[(block, rows)], mu).unwrap();
    }
    problem
}

#[test]
fn a_solver_forgets_the_last_problem() {
    for law in Law::ALL {
        let options = Options {
            law,
            ..Options::default()
        };
        let mut solver = ContactSolver::new(options).unwrap();
        for (count, mu) in [
            (3, 0.5),
            (0, 0.5),
            (5, 0.5),
            (1, f64::INFINITY),
            (4, 0.0),
            (0, 0.0),
            (2, 0.5),
        ] {
            let problem = falling(count, mu);
            assert_eq!(
                solver.solve(&problem).unwrap().status,
                Status::Solved,
                "{law:?}, {count} contacts"
            );
            assert_eq!(
                solver.solve_warm(&problem).unwrap().status,
                Status::Solved,
                "{law:?}, {count} contacts"
            );
        }
    }
}
