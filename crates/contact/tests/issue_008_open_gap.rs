//! A contact far away made `solve` call wrong impulses solved: the speed of its open gap, gap/dt, was taken for the problem's fastest, and errors at the
//! contacts that push were measured by it. A gap that stays open is no speed.
#![allow(clippy::unwrap_used)]

use stiction_contact::{Body, BodyContact, ContactProblem, ContactSolver, Law, Method, Options, Restitution, Status};

/// A body that slides and sinks onto three points of a floor, below a ceiling so far away if there is one.
fn sliding(gap: Option<f64>) -> ContactProblem {
    let body = Body {
        mass: 1.0,
        inertia: [[0.3, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.4]],
        position: [0.0, 0.0, 0.1],
        velocity: [0.3, 0.1, -0.05, 0.2, 0.1, 0.3],
        wrench: [0.0; 6],
    };
    let contact = |point, normal, gap| BodyContact {
        a: 0,
        b: None,
        point,
        normal,
        mu: 0.5,
        gap,
        restitution: 0.0,
        viscosity: 0.0,
    };
    let floor = [[0.1, 0.1, 0.0], [-0.1, 0.12, 0.0], [0.03, -0.11, 0.0]];
    let mut contacts: Vec<BodyContact> = floor.map(|point| contact(point, [0.0, 0.0, 1.0], 0.0)).to_vec();
    contacts.extend(gap.map(|gap| contact([0.0; 3], [0.0, 0.0, -1.0], gap)));
    ContactProblem::from_bodies(&[body], &contacts, &[], 1e-4, Restitution::Newton).unwrap()
}

#[test]
fn a_ceiling_far_away_changes_nothing() {
    let ways = [
        (Law::Coulomb, None),
        (Law::Coulomb, Some(Method::NewtonCone)),
        (Law::Coulomb, Some(Method::Dantzig)),
        (Law::Polyhedral, None),
        (Law::NoSlip, None),
        (Law::Frictionless, None),
    ];
    for (law, method) in ways {
        let options = Options {
            law,
            method,
            ..Options::default()
        };
        let solve = |gap| {
            let mut solver = ContactSolver::new(options.clone()).unwrap();
            let solution = solver.solve(&sliding(gap)).unwrap();
            assert_eq!(solution.status, Status::Solved, "{law:?}, {method:?}, gap {gap:?}");
            solution.velocity.clone()
        };
        let alone = solve(None);
        for gap in [1.0, 10.0, 1e3, 1e7, 1e9] {
            for (found, expected) in solve(Some(gap)).iter().zip(&alone) {
                assert!(
                    (found - expected).abs() < 1e-10,
                    "{law:?}, {method:?}, gap {gap}: {found}, expected {expected}"
                );
            }
        }
    }
}
