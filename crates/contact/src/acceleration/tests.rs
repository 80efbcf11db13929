use super::*;

fn body(position: [f64; 3], velocity: [f64; 6]) -> Body {
    Body {
        mass: 2.0,
        inertia: [[0.4, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.6]],
        position,
        velocity,
        wrench: [1.0, 2.0, -20.0, 0.4, 1.0, 0.0],
    }
}

fn touching(b: Option<usize>) -> TouchingContact {
    TouchingContact {
        a: 0,
        b,
        point: [0.1, 0.2, 0.0],
        normal: [0.0, 0.0, 1.0],
        mu: 0.5,
        normal_bias: None,
        tangent_bias: None,
        viscosity: 3.0,
    }
}

fn refusal(velocity: [f64; 6], change: impl Fn(&mut TouchingContact)) -> String {
    let mut contact = touching(None);
    change(&mut contact);
    let bodies = [body([0.1, 0.2, 0.5], velocity)];
    let error = ContactProblem::at_acceleration(&bodies, &[contact], &[]).unwrap_err();
    error.to_string()
}

fn sum(a: [f64; 3], b: [f64; 3], share: f64) -> [f64; 3] {
    std::array::from_fn(|k| a[k] + share * b[k])
}

/// Turns x by the angle |ω|t about ω (Rodrigues).
fn turned(x: [f64; 3], turn: [f64; 3], t: f64) -> [f64; 3] {
    let speed = length(turn);
    let axis = turn.map(|w| w / speed);
    let (sin, cos) = (libm::sin(speed * t), libm::cos(speed * t));
    let along = dot(&axis, &x) * (1.0 - cos);
    sum(sum(x.map(|x| x * cos), cross(axis, x), sin), axis, along)
}

#[test]
fn accelerations_without_forces_are_those_of_turning_bodies() {
    // Both bodies move with constant v and ω; no force acts, so that all accelerations at the contact are bias.
    let (turn_a, turn_b) = ([0.7, -0.4, 0.9], [-0.3, 0.8, 0.5]);
    let (center_a, center_b, point) = ([0.3, -0.1, 0.6], [-0.2, 0.4, -0.5], [0.1, 0.2, 0.0]);
    let (arm_a, arm_b) = (sum(point, center_a, -1.0), sum(point, center_b, -1.0));
    let normal = [0.36, 0.48, 0.8];
    let v_b = [0.2, -0.1, 0.3];
    let linear = |center: [f64; 3]| center;
    // v_a such that a's point slides over the face with (0.8, −0.6, 0), which is tangential.
    let face = sum(v_b, cross(turn_b, arm_b), 1.0);
    let v_a = sum(sum(face, [0.8, -0.6, 0.0], 1.5), cross(turn_a, arm_a), -1.0);
    let six = |v: [f64; 3], w: [f64; 3]| [v[0], v[1], v[2], w[0], w[1], w[2]];
    let still = |position, velocity| Body {
        wrench: [0.0; 6],
        ..body(position, velocity)
    };
    let bodies = [
        still(linear(center_a), six(v_a, turn_a)),
        still(center_b, six(v_b, turn_b)),
    ];
    let contact = TouchingContact {
        normal,
        ..touching(Some(1))
    };
    let problem = ContactProblem::at_acceleration(&bodies, &[contact], &[]).unwrap();
    let axes = [normal, crate::tangents(normal)[0], crate::tangents(normal)[1]];
    // a's point along axes that turn with b, from the face's point: its second derivative.
    let place = |t: f64, axis: [f64; 3]| {
        let p_a = sum(sum(center_a, v_a, t), turned(arm_a, turn_a, t), 1.0);
        let q_b = sum(sum(center_b, v_b, t), turned(arm_b, turn_b, t), 1.0);
        dot(&turned(axis, turn_b, t), &sum(p_a, q_b, -1.0))
    };
    let t = 1e-3;
    for (found, axis) in problem.bias(0).iter().zip(axes) {
        let second = (place(t, axis) - 2.0 * place(0.0, axis) + place(-t, axis)) / (t * t);
        assert!(
            (found - second).abs() < 1e-5 * second.abs().max(1.0),
            "{found} {second}"
        );
    }
    let [x, y] = problem.slip(0);
    assert!((libm::hypot(x, y) - 1.5).abs() < 1e-14);
    assert_eq!(problem.v_free(), [0.0; 12]);
    assert_eq!(problem.viscosity(0), 3.0);
}

#[test]
fn given_biases_replace_the_computed_ones() {
    let bodies = [body([0.1, 0.2, 0.5], [0.0; 6])];
    let contact = TouchingContact {
        normal_bias: Some(0.25),
        tangent_bias: Some([1.0, 2.0, 9.0]),
        ..touching(None)
    };
    let problem = ContactProblem::at_acceleration(&bodies, &[contact], &[]).unwrap();
    // Tangents (0, 1, 0) and (−1, 0, 0); the part along the normal is not read.
    assert_eq!(problem.bias(0), [0.25, 2.0, -1.0]);
    assert_eq!(problem.v_free(), [0.5, 1.0, -10.0, 1.0, 2.0, 0.0]);
}

#[test]
fn slips_below_rounding_are_static() {
    let slip = |velocity: [f64; 6]| {
        let problem = ContactProblem::at_acceleration(&[body([0.1, 0.2, 0.5], velocity)], &[touching(None)], &[]);
        problem.unwrap().slip(0)
    };
    // Rolling: v = ω × r but for rounding.
    assert_eq!(slip([0.5 * (1.0 + 1e-12), 0.0, 0.0, 0.0, 1.0, 0.0]), [0.0; 2]);
    assert_eq!(slip([1e-13, 0.0, 0.0, 0.0, 0.0, 0.0]), [0.0; 2]);
    let [_, y] = slip([0.5 * (1.0 + 1e-8), 0.0, 0.0, 0.0, 1.0, 0.0]);
    assert!((y + 0.5e-8).abs() < 1e-15, "{y}");
}

#[test]
fn contacts_that_do_not_rest_are_refused_by_name() {
    assert_eq!(
        refusal([0.0, 0.0, -0.5, 0.0, 0.0, 0.0], |_| ()),
        "contacts[0]: must not approach: an impact needs impulses, which a velocity-level problem finds; normal velocity, found -0.5"
    );
    assert_eq!(
        refusal([3.0, 0.0, 0.25, 0.0, 0.0, 0.0], |_| ()),
        "contacts[0]: must not leave: it carries no force and must be left out; normal velocity, found 0.25"
    );
    // Within 1e-6 of the speeds involved nothing approaches.
    let bodies = [body([0.1, 0.2, 0.5], [3.0, 0.0, -2e-6, 0.0, 0.0, 0.0])];
    assert!(ContactProblem::at_acceleration(&bodies, &[touching(None)], &[]).is_ok());
    assert_eq!(
        refusal([0.0; 6], |c| c.normal_bias = Some(f64::NAN)),
        "contacts[0].normal_bias: must be finite, found NaN"
    );
    assert_eq!(
        refusal([0.0; 6], |c| c.tangent_bias = Some([0.0, f64::INFINITY, 0.0])),
        "contacts[0].tangent_bias[1]: must be finite, found inf"
    );
    assert_eq!(
        refusal([0.0; 6], |c| c.viscosity = f64::NAN),
        "contacts[0].viscosity: must be finite and not negative, found NaN"
    );
    assert_eq!(
        refusal([0.0; 6], |c| c.b = Some(4)),
        "contacts[0].b: must be below 1, found 4"
    );
}

#[test]
fn the_impulsive_problem_keeps_the_speed_of_joints() {
    let bodies = [body([0.1, 0.2, 0.5], [3.0, 0.0, 0.0, 0.0, 0.0, 0.0])];
    let mut row = [0.0; 12];
    row[0] = 2.0;
    let joint = BodyJoint {
        a: 0,
        b: None,
        rows: vec![row],
        bias: vec![9.0],
    };
    let contacts = [touching(None)];
    let problem = ContactProblem::impulsive(&bodies, &contacts, std::slice::from_ref(&joint), 0.1).unwrap();
    assert_eq!((problem.joint_bias(0), problem.bias(0)), (-6.0, [0.0; 3]));
    assert_eq!(problem.v_free()[..3], [3.05, 0.1, -1.0]);
    assert_eq!(
        ContactProblem::impulsive(&bodies, &contacts, &[joint], 0.0)
            .unwrap_err()
            .to_string(),
        "dt: must be finite and positive, found 0"
    );
}

#[test]
fn speeds_whose_squares_overflow_still_slip() {
    let slip = |speed: f64| {
        let bodies = [body([0.1, 0.2, 0.5], [speed, 0.0, 0.0, 0.0, 0.0, 0.0])];
        let problem = ContactProblem::at_acceleration(&bodies, &[touching(None)], &[]).unwrap();
        (problem.slip(0), problem.drag(0))
    };
    // The second tangent is (−1, 0, 0).
    for speed in [1e-200, 3.0, 1e160, 1e300] {
        let found = if speed > FLOOR { -speed } else { 0.0 };
        assert_eq!(slip(speed), ([0.0, found], (speed > FLOOR).then_some([0.0, 0.5])));
    }
    assert_eq!(
        refusal([1e160, 0.0, -1e160, 0.0, 0.0, 0.0], |_| ()),
        format!(
            "contacts[0]: must not approach: an impact needs impulses, which a velocity-level problem finds; normal velocity, found -1{}",
            "0".repeat(160)
        )
    );
}

#[test]
fn velocities_that_overflow_at_a_contact_are_named() {
    // Off the axis, so that a turn about it slips.
    let fast = |velocity: [f64; 6]| refusal(velocity, |c| c.point = [0.3, 0.2, 0.0]);
    let spin = fast([0.0, 0.0, 0.0, 0.0, 0.0, 1e200]);
    assert!(
        spin.starts_with(
            "bodies[0].velocity: must give a finite acceleration at contacts[0]: largest entry, found 1000"
        ),
        "{spin}"
    );
    let run = fast([1.7e308, 1.7e308, 0.0, 0.0, 0.0, 0.0]);
    assert!(
        run.starts_with("bodies[0].velocity: must give a finite speed at contacts[0]: largest entry, found 17000"),
        "{run}"
    );
    // Biases that are given need no velocity.
    let bodies = [body([0.1, 0.2, 0.5], [0.0, 0.0, 0.0, 0.0, 0.0, 1e200])];
    let contact = TouchingContact {
        normal_bias: Some(0.0),
        tangent_bias: Some([0.0; 3]),
        point: [0.3, 0.2, 0.0],
        ..touching(None)
    };
    assert!(ContactProblem::at_acceleration(&bodies, &[contact], &[]).is_ok());
    let bent = refusal([0.0; 6], |c| {
        c.normal = [0.36, 0.48, 0.8];
        c.tangent_bias = Some([1.7e308, -1.7e308, 0.0]);
    });
    assert!(
        bent.starts_with("contacts[0].tangent_bias: must have finite parts along the tangents"),
        "{bent}"
    );
}

#[test]
fn infinite_friction_does_not_slip() {
    assert_eq!(
        refusal([3.0, 0.0, 0.0, 0.0, 0.0, 0.0], |c| c.mu = f64::INFINITY),
        "contacts[0].mu: must be finite where the contact slips: infinite friction does not let it, found inf"
    );
    let contact = TouchingContact {
        mu: f64::INFINITY,
        ..touching(None)
    };
    assert!(ContactProblem::at_acceleration(&[body([0.1, 0.2, 0.5], [0.0; 6])], &[contact], &[]).is_ok());
}

#[test]
fn a_contact_with_slip_slides_whatever_the_law() {
    use crate::{ContactSolver, ContactState, Law, Options};
    let states = |problem: &ContactProblem| {
        [Law::Frictionless, Law::ViscousExplicit].map(|law| {
            let mut solver = ContactSolver::new(Options {
                law,
                ..Options::default()
            })
            .unwrap();
            solver.solve(problem).unwrap().state[0]
        })
    };
    // The force pushes through the centre, so that at rest nothing starts to move along the floor.
    let push = |velocity: f64| Body {
        wrench: [0.0, 0.0, -20.0, 0.0, 0.0, 0.0],
        ..body([0.1, 0.2, 0.5], [velocity, 0.0, 0.0, 0.0, 0.0, 0.0])
    };
    let contacts = [TouchingContact {
        viscosity: 0.0,
        ..touching(None)
    }];
    let at = |velocity| ContactProblem::at_acceleration(&[push(velocity)], &contacts, &[]).unwrap();
    assert_eq!(states(&at(3.0)), [ContactState::Sliding; 2]);
    assert_eq!(states(&at(0.0)), [ContactState::Sticking; 2]);
    // Two bodies side by side are solved apart.
    let pair = [push(3.0), push(3.0)];
    let both = [
        contacts[0].clone(),
        TouchingContact {
            a: 1,
            ..contacts[0].clone()
        },
    ];
    assert_eq!(
        states(&ContactProblem::at_acceleration(&pair, &both, &[]).unwrap()),
        [ContactState::Sliding; 2]
    );
    // Over a step the end decides: a slip that is stopped sticks.
    let step = BodyContact {
        viscosity: 20.0,
        ..BodyContact::from(&contacts[0])
    };
    let low = Body {
        position: [0.1, 0.2, 0.0],
        ..push(3.0)
    };
    let problem = ContactProblem::from_bodies(&[low], &[step], &[], 0.1, Restitution::Newton).unwrap();
    assert_eq!(problem.slip(0), [0.0, -3.0]);
    let mut solver = ContactSolver::new(Options {
        law: Law::ViscousExplicit,
        ..Options::default()
    })
    .unwrap();
    assert_eq!(solver.solve(&problem).unwrap().state, [ContactState::Sticking]);
}
