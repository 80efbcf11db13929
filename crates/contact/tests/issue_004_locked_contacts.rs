//! No slip by a named method panicked where gluing locks a contact: the impulses left behind were those of the problem without it, and
//! the search for a squeeze read them as the problem's own.
#![allow(clippy::unwrap_used)]

mod random;

use random::{Family, PLANE, Random, SPACE, problem};
use stiction_contact::{ContactSolver, Law, Method, Options, Status};

#[test]
fn every_method_survives_locked_contacts() {
    for family in [PLANE, SPACE] {
        let family = Family {
            most_bodies: 2,
            most_contacts: 6,
            most_joints: 2,
            ..family
        };
        for method in Method::ALL.into_iter().filter(|m| m.laws().contains(&Law::NoSlip)) {
            let mut random = Random::new(21);
            let mut solver = ContactSolver::new(Options {
                law: Law::NoSlip,
                method: Some(method),
                ..Options::default()
            })
            .unwrap();
            let mut unsolved = 0;
            for _ in 0..500 {
                let problem = problem(&mut random, family);
                let solution = solver.solve(&problem).unwrap();
                assert_eq!(solution.normal_impulse.len(), problem.contact_count());
                unsolved += usize::from(solution.status != Status::Solved);
            }
            assert!(unsolved < 50, "{method:?}: {unsolved}");
        }
    }
}
