//! Two walls that face each other but for 1e-9 can be opened, by a huge velocity: a squeeze that cancels only nearly was called a proof
//! that nothing opens them.
#![allow(clippy::unwrap_used)]

use stiction_contact::{ContactProblem, ContactSolver, Law, Options, Status, check};

fn walls(turn: f64) -> ContactProblem {
    let mut problem = ContactProblem::new();
    let block = problem.add_block(&[1.0, 0.0, 0.0, 1.0], &[0.0, 0.0]).unwrap();
    for normal in [[1.0, 0.0], [-1.0, turn]] {
        let contact = problem
            .add_contact(&[(block, [&normal, &[0.0, 0.0], &[0.0, 0.0]])], 0.0)
            .unwrap();
        problem.set_bias(contact, [-0.1, 0.0, 0.0]).unwrap();
    }
    problem
}

#[test]
fn only_exact_squeezes_are_proofs() {
    for (turn, proven) in [(0.0, true), (1e-9, false), (1e-13, false)] {
        let problem = walls(turn);
        for law in [Law::Frictionless, Law::Coulomb] {
            let options = Options {
                law,
                ..Options::default()
            };
            let mut solver = ContactSolver::new(options).unwrap();
            let solution = solver.solve(&problem).unwrap();
            assert_ne!(solution.status, Status::Solved, "turn {turn}");
            let Some(ray) = &solution.ray else {
                assert!(!proven, "turn {turn}: no squeeze");
                continue;
            };
            assert_eq!(ray.infeasible, proven, "turn {turn}: {ray:?}");
            assert_eq!(check::proves_infeasible(&problem, &ray.contacts, &ray.joints), proven);
            // v = (0.1, 0.2 / turn) opens both.
            assert!(proven || ray.least_speed <= 0.2 / turn, "turn {turn}: {ray:?}");
        }
    }
}
