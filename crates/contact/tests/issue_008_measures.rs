//! Answers were measured by what is no measure of them: the speed of a body that leaves without a gap, joint rows in whatever units they were written, viscous
//! friction by a slip that does not answer to it, friction without slip on a side that is not touched; and one rounding was too much beside a small ε.
#![allow(clippy::unwrap_used)]

use stiction_contact::check::{Answer, Terms, check, check_sum};
use stiction_contact::{
    Body, BodyContact, BodyJoint, ContactProblem, ContactSolver, Law, Options, Restitution, Status,
};

const UP: [f64; 3] = [0.0, 0.0, 1.0];

fn body(mass: f64, velocity: [f64; 6]) -> Body {
    Body {
        mass,
        inertia: [[mass, 0.0, 0.0], [0.0, mass, 0.0], [0.0, 0.0, mass]],
        position: [0.0; 3],
        velocity,
        wrench: [0.0; 6],
    }
}

fn floor(normal: [f64; 3], gap: f64) -> BodyContact {
    BodyContact {
        a: 0,
        b: None,
        point: [0.0; 3],
        normal,
        mu: 0.0,
        gap,
        restitution: 0.0,
        viscosity: 0.0,
    }
}

/// Whether impulses pass, friction along the first body's tangents.
fn passes(problem: &ContactProblem, law: Law, normal: &[f64], friction: [f64; 2], joint: &[f64]) -> bool {
    let mut all = vec![[0.0; 2]; normal.len()];
    all[0] = friction;
    let answer = Answer {
        normal,
        friction: &all,
        phi: None,
        joint,
    };
    check(problem, terms(law), answer).unwrap().solved
}

fn terms(law: Law) -> Terms {
    Terms {
        law,
        directions: 8,
        tolerance: 1e-10,
    }
}

fn solve(problem: &ContactProblem, law: Law) -> stiction_contact::ContactSolution {
    let options = Options {
        law,
        ..Options::default()
    };
    let solution = ContactSolver::new(options).unwrap().solve(problem).unwrap().clone();
    assert_eq!(solution.status, Status::Solved, "{law:?}: {:?}", solution.residual);
    solution
}

#[test]
fn what_leaves_without_a_gap_is_no_measure() {
    for (gap, speed) in [(0.0, 900.0), (1e-15, 900.0), (-1e-12, 1e7)] {
        let bodies = [
            body(5.0, [0.0, 0.0, -0.0098, 0.0, 0.0, 0.0]),
            body(0.01, [0.0, 0.0, speed, 0.0, 0.0, 0.0]),
        ];
        let bullet = BodyContact {
            a: 1,
            b: Some(0),
            ..floor(UP, gap)
        };
        let problem =
            ContactProblem::from_bodies(&bodies, &[floor(UP, 0.0), bullet], &[], 1e-3, Restitution::Newton).unwrap();
        for law in [Law::Coulomb, Law::Frictionless, Law::NoSlip] {
            let right = [0.049, 0.0];
            assert!(passes(&problem, law, &right, [0.0; 2], &[]), "{law:?}, {gap}, {speed}");
            let wrong = [0.049 * (1.0 - 1e-8), 0.0];
            assert!(!passes(&problem, law, &wrong, [0.0; 2], &[]), "{law:?}, {gap}, {speed}");
            let found = solve(&problem, law).normal_impulse[0];
            assert!((found / 0.049 - 1.0).abs() < 1e-10, "{law:?}, {gap}, {speed}: {found}");
        }
    }
}

/// What slides and rests is not taken for what leaves, although rounding lifts it a little.
#[test]
fn a_slip_beside_rounding_counts() {
    let mut tilted = body(1.0, [0.0; 6]);
    let (sin, cos) = (libm::sin(0.3), libm::cos(0.3));
    tilted.velocity = [cos, 0.0, -sin, 0.0, 0.0, 0.0];
    let mut contacts = vec![floor([sin, 0.0, cos], 0.0)];
    contacts[0].mu = 0.5;
    // A wall met at a nanometre a second, whose impulse is right to a rounding of the slip.
    contacts.push(floor([0.0, 1.0, 0.0], 0.0));
    tilted.velocity[1] = -1e-9;
    let problem = ContactProblem::from_bodies(&[tilted], &contacts, &[], 0.01, Restitution::Newton).unwrap();
    solve(&problem, Law::Coulomb);
    assert!(passes(&problem, Law::Coulomb, &[0.0, 1e-9], [0.0; 2], &[]));
}

#[test]
fn joint_rows_may_be_written_in_any_units() {
    for scale in [1e-11, 1e-6, 1.0, 1e6, 1e9] {
        let mut row = [0.0; 12];
        row[0] = scale;
        let joint = BodyJoint {
            a: 0,
            b: None,
            rows: vec![row],
            bias: vec![0.25 * scale],
        };
        let bodies = [body(1.0, [1.0, 0.0, -1.0, 0.0, 0.0, 0.0])];
        let problem =
            ContactProblem::from_bodies(&bodies, &[floor(UP, 0.0)], &[joint], 0.01, Restitution::Newton).unwrap();
        let right = -1.25 / scale;
        let passes = |normal, joint| passes(&problem, Law::Coulomb, &[normal], [0.0; 2], &[joint]);
        assert!(passes(1.0, right), "{scale}");
        assert!(!passes(1.0, 0.0), "{scale}: without the joint");
        assert!(!passes(1.0, right * (1.0 - 1e-8)), "{scale}: the joint is off");
        assert!(!passes(1.0 - 1e-8, right), "{scale}: the contact is off");
        let found = solve(&problem, Law::Coulomb);
        assert!((found.joint_impulse[0] / right - 1.0).abs() < 1e-10, "{scale}");
        assert!((found.velocity[0] + 0.25).abs() < 1e-10, "{scale}");
    }
}

/// A turn whose row has one rounding of translation was taken for the speed of a point a million metres away.
#[test]
fn a_trace_of_translation_makes_no_turn_fast() {
    for trace in [0.0, 6e-8, -1e-6, 1e-5] {
        for sinks in [1e-3, 1.0] {
            let mut row = [0.0; 12];
            (row[0], row[3]) = (trace, 1.0);
            let joint = BodyJoint {
                a: 0,
                b: None,
                rows: vec![row],
                bias: vec![0.0],
            };
            let bodies = [body(1.0, [0.0, 0.0, -sinks, 1.0, 0.0, 0.0])];
            let problem =
                ContactProblem::from_bodies(&bodies, &[floor(UP, 0.0)], &[joint], 0.01, Restitution::Newton).unwrap();
            let stops = -1.0 / (1.0 + trace * trace);
            let passes = |normal| passes(&problem, Law::Coulomb, &[normal], [0.0; 2], &[stops]);
            assert!(passes(sinks), "{trace}, {sinks}");
            assert!(!passes(0.0) && !passes(sinks * (1.0 - 1e-6)), "{trace}, {sinks}");
            solve(&problem, Law::Coulomb);
        }
    }
}

/// Newton's method stopped by the velocity of rows as they are written: too early where they are small, never where they are large.
#[test]
fn the_units_of_joint_rows_cost_no_steps() {
    let steps = |scale: f64| {
        let row = |k: usize, turn: usize, arm: f64| {
            let mut row = [0.0; 12];
            (row[k], row[3 + turn]) = (scale, scale * arm);
            (row[6 + k], row[9 + turn]) = (-scale, scale * arm);
            row
        };
        let joint = BodyJoint {
            a: 0,
            b: Some(1),
            rows: vec![row(0, 1, 0.3), row(1, 0, -0.3), row(2, 0, 0.0)],
            bias: vec![0.0; 3],
        };
        let bodies = [
            body(2.0, [0.7, -0.2, -1.0, 0.3, -0.4, 0.5]),
            body(0.5, [0.1, 0.4, -0.9, -0.6, 0.2, 0.1]),
        ];
        let contacts = [[0.2, 0.1], [-0.2, 0.3], [0.1, -0.3]].map(|[x, y]| BodyContact {
            mu: 0.4,
            point: [x, y, -0.3],
            ..floor(UP, 0.0)
        });
        let problem = ContactProblem::from_bodies(&bodies, &contacts, &[joint], 0.01, Restitution::Newton).unwrap();
        solve(&problem, Law::Coulomb).stats.newton_steps
    };
    let usual = steps(1.0);
    for scale in [1e-6, 1e-3, 1e3, 1e6] {
        let found = steps(scale);
        assert!(found <= 2 * usual, "{found} steps at {scale}, {usual} at 1");
    }
}

#[test]
fn a_row_of_zeros_is_named_by_its_joint() {
    let joint = |bias: [f64; 2]| BodyJoint {
        a: 0,
        b: None,
        rows: vec![[0.0; 12]; 2],
        bias: bias.to_vec(),
    };
    let bodies = [body(1.0, [0.0; 6])];
    let joints = [joint([0.0, 0.0]), joint([0.0, 3.0])];
    let error = ContactProblem::from_bodies(&bodies, &[], &joints, 0.01, Restitution::Newton).unwrap_err();
    assert_eq!(
        error.to_string(),
        "joints[1].bias[1]: must be 0 for a row of zeros, found 3"
    );
}

/// A row that leaves a body alone does not make it one with the other: a fast body was an excuse for a slow one.
#[test]
fn a_row_of_zeros_joins_nothing() {
    let bodies = [
        body(1.0, [0.0, 0.0, -1e-3, 0.0, 0.0, 0.0]),
        body(1.0, [0.0, 0.0, -1e4, 0.0, 0.0, 0.0]),
    ];
    let contacts = [floor(UP, 0.0), BodyContact { a: 1, ..floor(UP, 0.0) }];
    for side in [0, 6] {
        let mut row = [0.0; 12];
        row[side] = 1.0;
        let joint = BodyJoint {
            a: 0,
            b: Some(1),
            rows: vec![row],
            bias: vec![0.0],
        };
        let problem = ContactProblem::from_bodies(&bodies, &contacts, &[joint], 0.01, Restitution::Newton).unwrap();
        let passes = |slow| passes(&problem, Law::Coulomb, &[slow, 1e4], [0.0; 2], &[0.0]);
        assert!(passes(1e-3) && !passes(1e-3 * (1.0 - 1e-6)), "{side}");
    }
}

#[test]
fn viscous_friction_of_a_given_slip_is_right_to_all_digits() {
    for viscosity in [1.0, 1e2, 1e6, 1e9] {
        let contact = BodyContact {
            viscosity,
            ..floor(UP, 0.0)
        };
        let bodies = [body(1e-3, [1.0, 0.0, -1.0, 0.0, 0.0, 0.0])];
        let problem = ContactProblem::from_bodies(&bodies, &[contact], &[], 0.01, Restitution::Newton).unwrap();
        let solution = solve(&problem, Law::ViscousExplicit);
        let [x, y] = solution.friction_impulse[0];
        assert!((libm::hypot(x, y) / (0.01 * viscosity) - 1.0).abs() < 1e-14);
        for (share, right) in [(1.0, true), (1.0 - 5e-9, false), (0.0, false)] {
            let friction = [share * x, share * y];
            assert_eq!(
                passes(&problem, Law::ViscousExplicit, &[1e-3], friction, &[]),
                right,
                "{viscosity}, {share} of the friction"
            );
        }
    }
}

/// Rounding lifts a side off a little that slides: its slip counts as that of a contact in no group.
#[test]
fn a_slip_along_a_side_beside_rounding_counts() {
    let (sin, cos) = (0.139_543_114_644_236_5, 0.990_215_996_212_637_1);
    let sides = [
        BodyContact {
            mu: 0.5,
            ..floor([sin, 0.0, cos], 0.0)
        },
        floor([0.0, -0.6, -0.8], -0.1),
        floor([-0.6 * sin, 0.8, -0.6 * cos], 0.0),
    ];
    let bodies = [body(1.0, [cos, -1.25e-9, -sin, 0.0, 0.0, 0.0])];
    let mut problem = ContactProblem::from_bodies(&bodies, &sides, &[], 0.01, Restitution::Newton).unwrap();
    problem.add_group(&[&[0], &[1]]).unwrap();
    let found = solve(&problem, Law::Coulomb);
    assert_eq!(found.normal_impulse[1], 0.0, "the far side");
    // 1e-9 m/s over what the wall gives way by, pressed to the side.
    assert!((found.normal_impulse[2] - 1e-9 / 0.64).abs() < 2e-10, "{found:?}");
}

#[test]
fn a_side_that_is_not_touched_has_no_friction() {
    let contacts = [floor(UP, 0.0), floor([1.0, 0.0, 0.0], 1.0)];
    let bodies = [body(1.0, [0.0, 3.0, -1.0, 0.0, 0.0, 0.0])];
    let mut problem = ContactProblem::from_bodies(&bodies, &contacts, &[], 0.01, Restitution::Newton).unwrap();
    problem.add_group(&[&[0], &[1]]).unwrap();
    assert!(passes(&problem, Law::NoSlip, &[0.0; 2], [0.0; 2], &[]));
    let [x, y] = stiction_contact::tangents(UP).map(|t| -3.0 * t[1]);
    assert!(!passes(&problem, Law::NoSlip, &[0.0; 2], [x, y], &[]));
}

/// The sum of sides ends with the rounding of its terms, which may be many times a small ε.
#[test]
fn one_rounding_passes_beside_a_small_epsilon() {
    let sides = [[0.6, 0.0, 0.8], [0.0, 0.6, 0.8]].map(|normal| floor(normal, 0.0));
    let bodies = [body(1.0, [-100.3, -90.1, -120.7, 0.0, 0.0, 0.0])];
    let mut problem = ContactProblem::from_bodies(&bodies, &sides, &[], 0.01, Restitution::Newton).unwrap();
    problem.add_group(&[&[0], &[1]]).unwrap();
    // The second side is the nearer one, and is pushed out.
    let theta = 0.6 * 90.1 + 0.8 * 120.7;
    for epsilon in [1e-3, 1e-6] {
        for off in [-1, 0, 1] {
            let pushed = theta + f64::from(off) * 1e-14;
            let answer = Answer {
                normal: &[0.0, pushed],
                friction: &[[0.0; 2]; 2],
                phi: None,
                joint: &[],
            };
            let verdict = check_sum(&problem, terms(Law::Frictionless), epsilon, answer).unwrap();
            assert!(verdict.solved, "{epsilon}, {off}: {:?}", verdict.residual);
        }
    }
}
