//! Right and wrong answers made by hand, one for each figure.

use super::*;
use crate::{ContactProblem, ContactState};

const DOWN: f64 = 1.0;

/// A point mass of 2 kg on a floor with μ = 0.5; it falls at 1 m/s and moves sideways at `slide`.
fn point(slide: [f64; 2], mu: f64) -> ContactProblem {
    let mut problem = ContactProblem::new();
    let mass = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
    problem.add_block(&mass, &[slide[0], slide[1], -DOWN]).unwrap();
    let rows: [&[f64]; 3] = [&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]];
    problem.add_contact(&[(0, rows)], mu).unwrap();
    problem
}

fn judge(problem: &ContactProblem, law: Law, theta: f64, f: [f64; 2], phi: Option<&[f64]>) -> Verdict {
    let terms = Terms {
        law,
        directions: 4,
        tolerance: 1e-10,
    };
    let answer = Answer {
        normal: &[theta],
        friction: &[f],
        phi,
        joint: &[],
    };
    check(problem, terms, answer).unwrap()
}

/// Asserts which figure is wrong, and by how much.
fn wrong(verdict: &Verdict, figure: impl Fn(&Residual) -> f64, expected: f64) {
    let found = figure(&verdict.residual);
    assert!(!verdict.solved);
    assert!((found - expected).abs() < 1e-14, "{found}: {:?}", verdict.residual);
}

#[test]
fn right_answers_are_solved_and_named() {
    // 2 N·s stop the fall; friction of up to 1 N·s stops up to 0.5 m/s.
    let stick = judge(&point([0.3, -0.4], 0.5), Law::Coulomb, 2.0, [-0.6, 0.8], None);
    assert!(stick.solved && stick.state == [ContactState::Sticking], "{stick:?}");
    let slide = judge(&point([0.6, -0.8], 0.5), Law::Coulomb, 2.0, [-0.6, 0.8], None);
    assert!(slide.solved && slide.state == [ContactState::Sliding], "{slide:?}");
    assert!((slide.velocity[0] - 0.3).abs() < 1e-15 && slide.velocity[2] == 0.0);
    let polygon = judge(&point([0.8, 0.1], 0.5), Law::Polyhedral, 2.0, [-1.0, 0.0], None);
    assert!(polygon.solved, "{polygon:?}");
    let given = judge(
        &point([0.8, 0.1], 0.5),
        Law::Polyhedral,
        2.0,
        [-1.0, 0.0],
        Some(&[0.0, 0.0, 1.0, 0.0]),
    );
    assert!(given.solved, "{given:?}");
    let smooth = judge(&point([0.8, 0.1], 0.5), Law::Frictionless, 2.0, [0.0; 2], None);
    assert!(smooth.solved && smooth.state == [ContactState::Sliding]);
    let rough = judge(
        &point([30.0, -40.0], f64::INFINITY),
        Law::Coulomb,
        2.0,
        [-60.0, 80.0],
        None,
    );
    assert!(rough.solved && rough.state == [ContactState::Sticking], "{rough:?}");
}

#[test]
fn penetration_pull_and_pushing_apart_are_found() {
    let problem = point([0.0, 0.0], 0.5);
    wrong(&judge(&problem, Law::Coulomb, 1.5, [0.0; 2], None), |r| r.gap, 0.25);
    wrong(
        &judge(&problem, Law::Coulomb, 3.0, [0.0; 2], None),
        |r| r.complementarity,
        // 0.5 m/s apart, of 1.5 m/s that the push gives.
        1.0 / 3.0,
    );
    let mut rising = point([0.0, 0.0], 0.5);
    rising.set_bias(0, [3.0, 0.0, 0.0]).unwrap();
    let pull = judge(&rising, Law::Coulomb, -1.0, [0.0; 2], None);
    // An open contact that pulls has nothing but its own pull to be measured by: the gap that stays open is not a speed.
    wrong(&pull, |r| r.sign, 1.0);
}

/// A thin body gives way along the floor a million million times as easily as across it: friction is weighed by the speed that it gives, not by that of as
/// strong a push across.
#[test]
fn friction_of_a_thin_body_is_weighed_by_its_own_speed() {
    let mut problem = ContactProblem::new();
    let mass = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1e-12];
    problem.add_block(&mass, &[0.0, 1.0, 0.0]).unwrap();
    let rows: [&[f64]; 3] = [&[1.0, 0.0, 0.0], &[0.0, 1.0, 1.0], &[0.0; 3]];
    problem.add_contact(&[(0, rows)], 1.0).unwrap();
    for law in [Law::Coulomb, Law::Polyhedral, Law::NoSlip, Law::Frictionless] {
        // 90 m/s along the slip, without a normal impulse.
        assert!(!judge(&problem, law, 0.0, [9e-11, 0.0], None).solved, "{law:?}");
    }
    assert!(judge(&problem, Law::Coulomb, 0.0, [0.0; 2], None).solved);
}

/// Gap/dt of a ceiling far above is as large as one likes; what is wrong at the floor is as wrong as without it.
#[test]
fn a_gap_that_stays_open_is_no_excuse() {
    for (slide, gap) in [([0.0; 2], 1e5), ([0.0; 2], 1e12), ([0.3, -0.4], 1e15)] {
        let mut problem = point(slide, 0.5);
        let down: [&[f64]; 3] = [&[0.0, 0.0, -1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]];
        let ceiling = problem.add_contact(&[(0, down)], 0.5).unwrap();
        problem.set_bias(ceiling, [gap, 0.0, 0.0]).unwrap();
        let terms = Terms {
            law: Law::Coulomb,
            directions: 4,
            tolerance: 1e-10,
        };
        let judge = |theta: f64, f: [f64; 2]| {
            let answer = Answer {
                normal: &[theta, 0.0],
                friction: &[f, [0.0; 2]],
                phi: None,
                joint: &[],
            };
            check(&problem, terms, answer).unwrap()
        };
        assert!(judge(2.0, slide.map(|x| -2.0 * x)).solved, "{gap}");
        wrong(&judge(1.0, slide.map(|x| -x)), |r| r.gap, 0.5);
    }
}

#[test]
fn a_planar_contact_has_one_tangent_under_every_law() {
    let mut problem = ContactProblem::new();
    problem.add_block(&[2.0, 0.0, 0.0, 2.0], &[0.0, -DOWN]).unwrap();
    problem
        .add_contact(&[(0, [&[0.0, 1.0], &[1.0, 0.0], &[0.0; 2]])], 0.5)
        .unwrap();
    for law in [
        Law::Coulomb,
        Law::Polyhedral,
        Law::NoSlip,
        Law::Frictionless,
        Law::Viscous,
    ] {
        assert!(judge(&problem, law, 2.0, [0.0; 2], None).solved, "{law:?}");
        assert!(!judge(&problem, law, 2.0, [0.0, 1.0], None).solved, "{law:?}");
    }
}

#[test]
fn friction_outside_the_cone_is_found() {
    let still = point([0.6, 0.8], 0.25);
    let verdict = judge(&still, Law::Coulomb, 2.0, [-1.2, -1.6], None);
    wrong(&verdict, |r| r.cone, 0.5 * (2.0 - 0.5));
    let verdict = judge(&still, Law::Frictionless, 2.0, [-1.2, -1.6], None);
    wrong(&verdict, |r| r.cone, 1.0);
    // Σφ = 1.2 + 1.6 on the square with vertices on the axes.
    let verdict = judge(&still, Law::Polyhedral, 2.0, [-1.2, -1.6], None);
    wrong(&verdict, |r| r.cone, 0.5 * (2.8 - 0.5));
}

#[test]
fn friction_that_does_not_oppose_the_slip_is_found() {
    // No friction at all while sliding at 1 m/s: the natural map stops at the disc, δμθ = 0.5.
    let problem = point([1.0, 0.0], 0.5);
    wrong(
        &judge(&problem, Law::Coulomb, 2.0, [0.0; 2], None),
        |r| r.dissipation,
        0.5,
    );
    // Full strength, across the slip.
    let verdict = judge(&problem, Law::Coulomb, 2.0, [0.0, -1.0], None);
    assert!(!verdict.solved && verdict.residual.dissipation > 0.1 && verdict.residual.cone == 0.0);
    // The square: f on its edge is not the best against a slip along x: min(σ_3, δφ_3), σ_3 = u_x − u_y.
    let verdict = judge(&problem, Law::Polyhedral, 2.0, [-0.5, -0.5], None);
    wrong(&verdict, |r| r.dissipation, 0.25);
    // φ that do not add up to f.
    let verdict = judge(&problem, Law::Polyhedral, 2.0, [-1.0, 0.0], Some(&[0.0, 0.0, 0.5, 0.0]));
    assert!(!verdict.solved && verdict.residual.dissipation >= 0.25);
    // μ = ∞ that slips.
    let problem = point([1.0, 0.0], f64::INFINITY);
    let verdict = judge(&problem, Law::Coulomb, 2.0, [-1.0, 0.0], None);
    wrong(&verdict, |r| r.dissipation, 0.5);
}

#[test]
fn planar_contacts_have_one_tangent() {
    let mut problem = ContactProblem::new();
    problem.add_block(&[2.0, 0.0, 0.0, 2.0], &[1.0, -1.0]).unwrap();
    let rows: [&[f64]; 3] = [&[0.0, 1.0], &[1.0, 0.0], &[0.0, 0.0]];
    problem.add_contact(&[(0, rows)], 0.5).unwrap();
    for law in [Law::Polyhedral, Law::Coulomb] {
        assert!(judge(&problem, law, 2.0, [-1.0, 0.0], None).solved, "{law:?}");
        assert!(!judge(&problem, law, 2.0, [-1.0, 0.1], None).solved, "{law:?}");
        assert!(!judge(&problem, law, 2.0, [1.0, 0.0], None).solved, "{law:?}");
    }
    let phi = [0.0, 1.0, 0.0, 0.0];
    assert!(judge(&problem, Law::Polyhedral, 2.0, [-1.0, 0.0], Some(&phi)).solved);
}

#[test]
fn joints_are_judged() {
    let mut problem = point([1.0, 0.0], 0.0);
    problem.add_joint(&[(0, &[1.0, 0.0, 0.0])], -0.25).unwrap();
    let terms = Terms {
        law: Law::Coulomb,
        directions: 8,
        tolerance: 1e-10,
    };
    let answer = |x: f64| {
        let joint = [x];
        let answer = Answer {
            normal: &[2.0],
            friction: &[[0.0; 2]],
            phi: None,
            joint: &joint,
        };
        check(&problem, terms, answer).unwrap()
    };
    assert!(answer(-1.5).solved);
    // 0.25 m/s are left of 0.75.
    wrong(&answer(-1.0), |r| r.joints, 1.0 / 3.0);
}

#[test]
fn answers_that_are_no_numbers_are_not_solved() {
    let problem = point([0.1, 0.0], 0.5);
    for theta in [f64::NAN, f64::INFINITY, 1e308] {
        let verdict = judge(&problem, Law::Coulomb, theta, [f64::NAN, 0.0], None);
        assert!(!verdict.solved && verdict.residual == Residual::INFINITE);
    }
    let verdict = judge(&problem, Law::Coulomb, 1e308, [-1e308, 0.0], None);
    assert!(!verdict.solved && verdict.residual.worst >= 1.0, "{verdict:?}");
    let mut fast = point([1e308, 1e308], 0.5);
    fast.set_bias(0, [0.0, 1e308, 1e308]).unwrap();
    assert!(!judge(&fast, Law::Coulomb, 0.0, [0.0; 2], None).solved);
}

#[test]
fn lists_of_the_wrong_length_are_errors() {
    let problem = point([0.1, 0.0], 0.5);
    let terms = Terms {
        law: Law::Polyhedral,
        directions: 8,
        tolerance: 1e-10,
    };
    let right = Answer {
        normal: &[1.0],
        friction: &[[0.0; 2]],
        phi: Some(&[0.0; 8]),
        joint: &[],
    };
    let says = |terms, answer| check(&problem, terms, answer).unwrap_err().to_string();
    assert_eq!(
        says(terms, Answer { normal: &[], ..right }),
        "normal_impulse: must have 1 entries, found 0"
    );
    assert_eq!(
        says(
            terms,
            Answer {
                phi: Some(&[0.0; 7]),
                ..right
            }
        ),
        "phi: must have 8 entries, found 7"
    );
    assert_eq!(
        says(Terms { directions: 2, ..terms }, right),
        "directions: must lie between 3 and 64, found 2"
    );
    assert_eq!(
        says(
            Terms {
                tolerance: 0.0,
                ..terms
            },
            right
        ),
        "tolerance: must lie between 0 and 1, both excluded, found 0"
    );
}

#[test]
fn bodies_that_nothing_connects_do_not_excuse_each_other() {
    // One leaves its floor at 10⁷ m/s; the other falls at 1 m/s, and nothing stops it.
    let mut problem = ContactProblem::new();
    for v in [1e7, -1.0] {
        let block = problem.add_block(&[1.0], &[v]).unwrap();
        problem.add_contact(&[(block, [&[1.0], &[0.0], &[0.0]])], 0.0).unwrap();
    }
    let terms = Terms {
        law: Law::Coulomb,
        directions: 4,
        tolerance: 1e-6,
    };
    let judge = |normal: &[f64; 2]| {
        let answer = Answer {
            normal,
            friction: &[[0.0; 2]; 2],
            phi: None,
            joint: &[],
        };
        check(&problem, terms, answer).unwrap()
    };
    wrong(&judge(&[0.0; 2]), |r| r.gap, 1.0);
    let right = judge(&[0.0, 1.0]);
    assert!(right.solved && right.state[0] == ContactState::Separating && right.state[1] != ContactState::Separating);
}

#[test]
fn what_is_at_rest_is_judged_by_its_own_impulse() {
    // One falls at 10⁻¹¹ m/s; the other is at rest, and is pushed off five times as fast.
    let mut problem = ContactProblem::new();
    for v in [-1e-11, 0.0] {
        let block = problem.add_block(&[1.0], &[v]).unwrap();
        problem.add_contact(&[(block, [&[1.0], &[0.0], &[0.0]])], 0.0).unwrap();
    }
    let terms = Terms {
        law: Law::Coulomb,
        directions: 4,
        tolerance: 1e-10,
    };
    let answer = Answer {
        normal: &[1e-11, 5e-11],
        friction: &[[0.0; 2]; 2],
        phi: None,
        joint: &[],
    };
    let verdict = check(&problem, terms, answer).unwrap();
    assert!(!verdict.solved && verdict.residual.worst >= 1.0, "{verdict:?}");
}

#[test]
fn sizes_beyond_all_numbers_excuse_nothing() {
    let mut problem = ContactProblem::new();
    problem.add_block(&[1.0], &[-1e308]).unwrap();
    problem.add_contact(&[(0, [&[1.0], &[0.0], &[0.0]])], 0.0).unwrap();
    let verdict = judge(&problem, Law::Coulomb, 0.9e308, [0.0; 2], None);
    assert!(
        !verdict.solved && verdict.residual.beyond_rounding > 0.09,
        "{verdict:?}"
    );
}
