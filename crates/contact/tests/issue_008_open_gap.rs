//! A contact far away made `solve` call wrong impulses solved: the speed of its open gap, gap/dt, was taken for the problem's fastest, and errors at the
//! contacts that push were measured by it. A gap that stays open is no speed. So were the slip at a contact point far away, the speed of a body that leaves,
//! and the depth by which a side of a nonconvex group lies behind its plane.
#![allow(clippy::unwrap_used, non_snake_case)]

use stiction_contact::check::{Answer, Terms, check, check_sum, unique};
use stiction_contact::{
    Body, BodyContact, ContactProblem, ContactSolver, Law, LocalProblem, Method, Options, Restitution, Status,
};

fn contact(point: [f64; 3], normal: [f64; 3], gap: f64) -> BodyContact {
    BodyContact {
        a: 0,
        b: None,
        point,
        normal,
        mu: 0.5,
        gap,
        restitution: 0.0,
        viscosity: 0.0,
    }
}

/// A body of 1 kg 0.1 m above the origin, with a velocity.
fn body(velocity: [f64; 6]) -> Body {
    Body {
        mass: 1.0,
        inertia: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        position: [0.0, 0.0, 0.1],
        velocity,
        wrench: [0.0; 6],
    }
}

/// A body that slides and sinks onto three points of a floor; so far away if it is said is a ceiling, which is met above the body, or a wall met there.
fn sliding(gap: Option<f64>, wall: bool) -> ContactProblem {
    let body = Body {
        mass: 1.0,
        inertia: [[0.3, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.4]],
        position: [0.0, 0.0, 0.1],
        velocity: [0.3, 0.1, -0.05, 0.2, 0.1, 0.3],
        wrench: [0.0; 6],
    };
    let floor = [[0.1, 0.1, 0.0], [-0.1, 0.12, 0.0], [0.03, -0.11, 0.0]];
    let mut contacts: Vec<BodyContact> = floor.map(|point| contact(point, [0.0, 0.0, 1.0], 0.0)).to_vec();
    contacts.extend(gap.map(|gap| {
        if wall {
            contact([gap, 0.0, 0.0], [-1.0, 0.0, 0.0], gap)
        } else {
            contact([0.0; 3], [0.0, 0.0, -1.0], gap)
        }
    }));
    ContactProblem::from_bodies(&[body], &contacts, &[], 1e-4, Restitution::Newton).unwrap()
}

#[test]
fn what_is_far_away_changes_nothing() {
    let ways = [
        (Law::Coulomb, None),
        (Law::Coulomb, Some(Method::NewtonCone)),
        (Law::Coulomb, Some(Method::Dantzig)),
        (Law::Polyhedral, None),
        (Law::Polyhedral, Some(Method::LemkeReduced)),
        (Law::NoSlip, None),
        (Law::NoSlip, Some(Method::PpmModified)),
        (Law::Frictionless, None),
        (Law::Frictionless, Some(Method::PpmModified)),
        (Law::Frictionless, Some(Method::Dantzig)),
        (Law::Viscous, None),
    ];
    for (law, method) in ways {
        let options = Options {
            law,
            method,
            ..Options::default()
        };
        let solve = |gap, wall| {
            let mut solver = ContactSolver::new(options.clone()).unwrap();
            let solution = solver.solve(&sliding(gap, wall)).unwrap();
            assert_eq!(
                solution.status,
                Status::Solved,
                "{law:?}, {method:?}, gap {gap:?}, wall {wall}"
            );
            solution.velocity.clone()
        };
        let alone = solve(None, false);
        for (gap, wall) in [1.0, 10.0, 1e3, 1e7, 1e9]
            .map(|gap| [(gap, false), (gap, true)])
            .concat()
        {
            for (found, expected) in solve(Some(gap), wall).iter().zip(&alone) {
                assert!(
                    (found - expected).abs() < 1e-10,
                    "{law:?}, {method:?}, gap {gap}, wall {wall}: {found}, expected {expected}"
                );
            }
        }
    }
}

const TERMS: Terms = Terms {
    law: Law::Frictionless,
    directions: 8,
    tolerance: 1e-10,
};

fn judge(problem: &ContactProblem, law: Law, normal: &[f64]) -> bool {
    let answer = Answer {
        normal,
        friction: &vec![[0.0; 2]; normal.len()],
        phi: None,
        joint: &vec![0.0; problem.joint_count()],
    };
    check(problem, Terms { law, ..TERMS }, answer).unwrap().solved
}

/// The judge of a body that falls on one point of a floor at 1 m/s, for the right answer and one that is off a little.
fn assert_judged(problem: &ContactProblem, law: Law, right: &[f64], what: &str) {
    assert!(judge(problem, law, right), "{what}");
    let mut wrong = right.to_vec();
    wrong[0] *= 1.0 - 1e-8;
    assert!(!judge(problem, law, &wrong), "{what}");
}

/// The problem of some bodies in a step of 0.01 s, the first of which meets the floor below it before all else.
fn on_floor(bodies: &[Body], others: Vec<BodyContact>) -> ContactProblem {
    let mut contacts = vec![contact([0.0; 3], [0.0, 0.0, 1.0], 0.0)];
    contacts.extend(others);
    ContactProblem::from_bodies(bodies, &contacts, &[], 0.01, Restitution::Newton).unwrap()
}

#[test]
fn no_answer_is_excused_by_what_is_far_away() {
    let falling = || body([0.0, 0.0, -1.0, 0.0, 0.0, 1.0]);
    for far in [1e3, 1e9, 1e15] {
        for law in [Law::Frictionless, Law::Coulomb] {
            let wall = contact([far, 0.0, 0.1], [-1.0, 0.0, 0.0], far);
            let problem = on_floor(&[falling()], vec![wall]);
            assert_judged(&problem, law, &[1.0, 0.0], "a wall");
            let mut leaving = body([0.0, 0.0, far, 0.0, 0.0, 0.0]);
            leaving.position[2] = far;
            let between = BodyContact {
                a: 1,
                b: Some(0),
                ..contact([0.0, 0.0, 0.2], [0.0, 0.0, 1.0], far)
            };
            let problem = on_floor(&[falling(), leaving], vec![between]);
            assert_judged(&problem, law, &[1.0, 0.0], "a body that leaves");
        }
    }
}

#[test]
fn no_answer_is_excused_by_a_side_behind_its_plane() {
    // Where the first side is not open it is the one that is pushed out, by 1e-4 m/s.
    for (open, depth) in [(1.0, 1e3), (1.0, 1e9), (-1e-6, 1e9)] {
        let sides = vec![
            contact([0.0; 3], [1.0, 0.0, 0.0], open),
            contact([0.0; 3], [0.0, 1.0, 0.0], -depth),
        ];
        let mut problem = on_floor(&[body([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])], sides);
        problem.add_group(&[&[1], &[2]]).unwrap();
        let options = Options {
            law: Law::Frictionless,
            ..Options::default()
        };
        let mut solver = ContactSolver::new(options).unwrap();
        let solution = solver.solve(&problem).unwrap();
        assert_eq!(solution.status, Status::Solved, "{open}, {depth}");
        let right = solution.normal_impulse.clone();
        assert_judged(&problem, Law::Frictionless, &right, "a group");
    }
}

#[test]
fn a_small_epsilon_is_no_excuse() {
    let sides = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(|normal| contact([0.0; 3], normal, 0.0));
    let falling = body([-5.0, 0.0, -5.0, 0.0, 0.0, 0.0]);
    let mut problem = ContactProblem::from_bodies(&[falling], &sides, &[], 0.01, Restitution::Newton).unwrap();
    problem.add_group(&[&[0], &[1]]).unwrap();
    let nothing = Answer {
        normal: &[0.0; 2],
        friction: &[[0.0; 2]; 2],
        phi: None,
        joint: &[],
    };
    for epsilon in [1e-30, 1e-12, 1.0] {
        assert!(
            !check_sum(&problem, TERMS, epsilon, nothing).unwrap().solved,
            "{epsilon}"
        );
    }
}

/// Where all contacts are at rest, rounding was taken for motion, and impulses of four legs for the only ones possible.
#[test]
fn legs_that_a_joint_presses_are_not_unique() {
    let feet = [[0.1, 0.13], [-0.125, 0.114], [-0.095, -0.157], [0.11, -0.087]];
    let mut problem = ContactProblem::new();
    problem
        .add_block(&[1.0, 0.0, 0.0, 0.0, 0.13, 0.0, 0.0, 0.0, 0.12], &[0.0; 3])
        .unwrap();
    for [x, y] in feet {
        problem
            .add_contact(&[(0, [&[1.0, y, -x], &[0.0; 3], &[0.0; 3]])], 0.0)
            .unwrap();
    }
    let ceiling = problem
        .add_contact(&[(0, [&[-1.0, 0.0, 0.0], &[0.0; 3], &[0.0; 3]])], 0.0)
        .unwrap();
    problem.set_bias(ceiling, [500.0, 0.0, 0.0]).unwrap();
    // One leg carries nothing and is off the floor by rounding.
    let (normal, rounding) = ([0.5, 0.6, 0.7, 0.0, 0.0], [0.0, 0.0, 0.0, 3e-17, 500.0]);
    let found = unique(&problem, Law::Frictionless, &normal, &rounding.map(|nu| [nu, 0.0, 0.0]));
    assert_eq!(found, [false, false, false, false, true]);
}

/// W alone does not say what part of q is a gap: what comes apart does not count, but for rounding.
#[test]
fn rounding_beside_what_leaves_is_no_motion() {
    // Two walls that face each other, a body at rest between them but for rounding, and a third contact that it leaves at 4 m/s.
    let directions = [[1.0, 0.0], [-1.0, 0.0], [0.6, 0.8]];
    let columns: Vec<[f64; 2]> = directions.iter().flat_map(|[x, y]| [[*x, *y], [-y, *x]]).collect();
    let dot = |a: &[f64; 2], b: &[f64; 2]| a[0] * b[0] + a[1] * b[1];
    let W: Vec<f64> = columns
        .iter()
        .flat_map(|a| columns.iter().map(move |b| dot(a, b)))
        .collect();
    let problem = LocalProblem::new(2, W, vec![-1e-17, 5.0, 0.0, -5.0, 4.0, 3.0], vec![0.0; 3]).unwrap();
    let answer = |normal| Answer {
        normal,
        friction: &[[0.0; 2]; 3],
        phi: None,
        joint: &[],
    };
    assert!(problem.judge(TERMS, answer(&[0.0; 3])).unwrap().solved);
    assert!(!problem.judge(TERMS, answer(&[1e-13, 0.0, 0.0])).unwrap().solved);
}
