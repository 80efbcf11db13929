use super::*;

fn body() -> Body {
    Body {
        mass: 2.0,
        inertia: [[0.02, 0.0, 0.0], [0.0, 0.03, 0.0], [0.0, 0.0, 0.04]],
        position: [0.0, 0.0, 0.1],
        velocity: [0.0, 0.0, -1.0, 0.5, 0.0, 0.0],
        wrench: [0.0, 0.0, -20.0, 0.0, 0.3, 0.0],
    }
}

fn contact() -> BodyContact {
    BodyContact {
        a: 0,
        b: None,
        point: [0.1, 0.2, 0.0],
        normal: [0.0, 0.0, 1.0],
        mu: 0.5,
        gap: 0.001,
        restitution: 0.25,
        viscosity: 3.0,
    }
}

fn build(bodies: &[Body], contacts: &[BodyContact], joints: &[BodyJoint]) -> Result<ContactProblem, InputError> {
    ContactProblem::from_bodies(bodies, contacts, joints, 0.01, Restitution::Newton)
}

fn refusal(bodies: &[Body], contacts: &[BodyContact], joints: &[BodyJoint]) -> String {
    build(bodies, contacts, joints).unwrap_err().to_string()
}

#[test]
fn velocities_columns_and_bias_are_those_of_the_contract() {
    let problem = build(&[body()], &[contact()], &[]).unwrap();
    let v = problem.v_free();
    assert!((v[2] + 1.1).abs() < 1e-15 && (v[4] - 0.1).abs() < 1e-15, "{v:?}");
    // Normal velocity at the point: v_z + (ω × r)_z = −1 + 0.5·0.2 = −0.9 before the step.
    let bias = problem.bias(0)[0];
    assert!((bias - (0.1 - 0.25 * 0.9)).abs() < 1e-15, "{bias}");
    let columns = problem.columns_tilde(0);
    assert_eq!(columns.normal, &[0.0, 0.0, 1.0, 0.2, -0.1, 0.0]);
    let [tx, ty] = tangents([0.0, 0.0, 1.0]);
    assert_eq!((tx, ty), ([0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]));
    assert_eq!(&columns.tangents[0][..3], &tx);
    // Slip along (t_x, t_y): (ω × r)_y = −ω_x r_z = 0.05; hμ_v = 0.01 · 3.
    assert_eq!((problem.slip(0), problem.viscosity(0)), ([0.05, 0.0], 0.03));
}

#[test]
fn poisson_keeps_restitution_out_of_the_bias() {
    let problem = ContactProblem::from_bodies(&[body()], &[contact()], &[], 0.01, Restitution::Poisson).unwrap();
    assert_eq!((problem.restitution(0), problem.bias(0)[0]), (0.25, 0.001 / 0.01));
}

#[test]
fn tangents_are_a_frame_for_any_normal() {
    for normal in [[1.0, 0.0, 0.0], [0.6, 0.0, 0.8], [-0.48, 0.64, -0.6], [0.0, -1.0, 0.0]] {
        let [t1, t2] = tangents(normal);
        for (a, b, expected) in [
            (t1, t1, 1.0),
            (t2, t2, 1.0),
            (t1, t2, 0.0),
            (t1, normal, 0.0),
            (t2, normal, 0.0),
        ] {
            assert!((dot(&a, &b) - expected).abs() < 1e-15, "{normal:?}");
        }
    }
}

#[test]
fn bodies_that_cannot_be_are_named() {
    let wrong = |change: fn(&mut Body)| {
        let mut second = body();
        change(&mut second);
        refusal(&[body(), second], &[], &[])
    };
    assert_eq!(
        wrong(|b| b.mass = 0.0),
        "bodies[1].mass: must be finite and positive, found 0"
    );
    assert_eq!(
        wrong(|b| b.mass = f64::NAN),
        "bodies[1].mass: must be finite and positive, found NaN"
    );
    assert_eq!(
        wrong(|b| b.inertia = [[0.5, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]),
        "bodies[1].inertia: principal moments must satisfy the triangle inequality: \
         largest minus sum of the others, found 0.5"
    );
    assert_eq!(
        wrong(|b| b.inertia[2][2] = -1.0),
        "bodies[1].inertia: must be positive definite: smallest principal moment, found -1"
    );
    assert_eq!(
        wrong(|b| b.inertia[1][0] = 0.25),
        "bodies[1].inertia[1][0]: must be symmetric: difference of mirrored entries, found 0.25"
    );
    assert_eq!(
        wrong(|b| b.inertia[1][2] = f64::NAN),
        "bodies[1].inertia[1][2]: must be finite, found NaN"
    );
    assert_eq!(
        wrong(|b| b.position[2] = f64::INFINITY),
        "bodies[1].position[2]: must be finite, found inf"
    );
    assert_eq!(
        wrong(|b| b.velocity[4] = f64::NAN),
        "bodies[1].velocity[4]: must be finite, found NaN"
    );
    assert_eq!(
        wrong(|b| b.wrench[0] = f64::NAN),
        "bodies[1].wrench[0]: must be finite, found NaN"
    );
    assert_eq!(
        wrong(|b| {
            b.mass = 1e-300;
            b.wrench[0] = 1e10;
        }),
        "bodies[1]: must have a finite velocity after the step, found inf"
    );
}

#[test]
fn contacts_that_cannot_be_are_named() {
    let wrong = |change: fn(&mut BodyContact)| {
        let mut second = contact();
        change(&mut second);
        refusal(&[body(), body()], &[contact(), second], &[])
    };
    assert_eq!(wrong(|c| c.a = 2), "contacts[1].a: must be below 2, found 2");
    assert_eq!(wrong(|c| c.b = Some(7)), "contacts[1].b: must be below 2, found 7");
    assert_eq!(
        wrong(|c| c.b = Some(0)),
        "contacts[1]: must touch two different bodies, found body 0 twice"
    );
    assert_eq!(
        wrong(|c| c.normal = [0.0; 3]),
        "contacts[1].normal: must not be zero, found 0"
    );
    assert_eq!(
        wrong(|c| c.normal = [0.0, 0.0, 2.0]),
        "contacts[1].normal: must have unit length, found 2"
    );
    assert_eq!(
        wrong(|c| c.mu = -0.5),
        "contacts[1].mu: must not be negative or NaN, found -0.5"
    );
    assert_eq!(
        wrong(|c| c.mu = f64::NAN),
        "contacts[1].mu: must not be negative or NaN, found NaN"
    );
    assert_eq!(
        wrong(|c| c.gap = f64::INFINITY),
        "contacts[1].gap: must be finite, and so must gap/dt, found inf"
    );
    assert_eq!(
        wrong(|c| c.restitution = 1.5),
        "contacts[1].restitution: must lie between 0 and 1, found 1.5"
    );
    assert_eq!(
        wrong(|c| c.viscosity = -1.0),
        "contacts[1].viscosity: must be finite and not negative, found -1"
    );
    assert_eq!(
        wrong(|c| c.point[0] = f64::NAN),
        "contacts[1].point[0]: must be finite, found NaN"
    );
    let mut near = contact();
    near.normal = [0.0, 0.0, 1.0 + 1e-7];
    near.mu = f64::INFINITY;
    let problem = build(&[body()], &[near], &[]).unwrap();
    assert_eq!(problem.columns_tilde(0).normal[2], 1.0);
}

#[test]
fn joints_and_steps_that_cannot_be_are_named() {
    let joint = |row: [f64; 12], bias: Vec<f64>| BodyJoint {
        a: 0,
        b: None,
        rows: vec![[0.0; 12], row],
        bias,
    };
    let mut row = [0.0; 12];
    row[4] = f64::NAN;
    assert_eq!(
        refusal(&[body()], &[], &[joint(row, vec![0.0, 0.0])]),
        "joints[0].rows[1][4]: must be finite, found NaN"
    );
    assert_eq!(
        refusal(&[body()], &[], &[joint([1.0; 12], vec![0.0])]),
        "joints[0].bias: must have 2 entries, found 1"
    );
    assert_eq!(
        build(&[body()], &[], &[joint([1.0; 12], vec![0.0, 1.0])])
            .unwrap()
            .joint_count(),
        2
    );
    for (dt, text) in [(0.0, "0"), (-1.0, "-1"), (f64::NAN, "NaN")] {
        let error = ContactProblem::from_bodies(&[], &[], &[], dt, Restitution::Newton).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("dt: must be finite and positive, found {text}")
        );
    }
}
