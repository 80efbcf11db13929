//! Rest, where several answers are lawful.
#![allow(clippy::unwrap_used)]

use stiction_contact::{
    Body, BodyContact, BodyJoint, ContactProblem, ContactSolver, Law, Method, Options, Restitution, Status,
};

const H: f64 = 0.01;

/// A cube of 0.1 m and 1 kg at x, with weight and a force along x \[N\].
fn cube(x: f64, force: f64) -> Body {
    let inertia = 0.01 / 6.0;
    Body {
        mass: 1.0,
        inertia: [[inertia, 0.0, 0.0], [0.0, inertia, 0.0], [0.0, 0.0, inertia]],
        position: [x, 0.0, 0.0],
        velocity: [0.0; 6],
        wrench: [force, 0.0, -9.81, 0.0, 0.0, 0.0],
    }
}

/// The four corners of a face across x, that pushes a along the sign of x.
fn face(a: usize, b: Option<usize>, (x, sign): (f64, f64), mu: f64) -> impl Iterator<Item = BodyContact> {
    let corners = [[-0.05, -0.05], [0.05, -0.05], [0.05, 0.05], [-0.05, 0.05]];
    corners.into_iter().map(move |[y, z]| BodyContact {
        a,
        b,
        point: [x, y, z],
        normal: [sign, 0.0, 0.0],
        mu,
        gap: 0.0,
        restitution: 0.0,
        viscosity: 0.0,
    })
}

/// Cubes in a row between two walls, the last pressed against them with a force \[N\].
fn row(count: usize, force: f64, mu: f64) -> ContactProblem {
    let at = |k: usize| 0.1 * f64::from(u32::try_from(k).unwrap());
    let last = count - 1;
    let bodies: Vec<Body> = (0..count)
        .map(|k| cube(at(k), if k == last { -force } else { 0.0 }))
        .collect();
    let mut contacts: Vec<BodyContact> = face(0, None, (-0.05, 1.0), mu).collect();
    for k in 1..count {
        contacts.extend(face(k, Some(k - 1), (at(k) - 0.05, 1.0), mu));
    }
    ContactProblem::from_bodies(&bodies, &contacts, &[], H, Restitution::Newton).unwrap()
}

/// [Drumwright] figure 1: two cubes between two grippers on rails that push inwards with 200 N; friction of 100.
fn grasp(mu: f64) -> ContactProblem {
    let bodies = [
        cube(-0.15, 200.0),
        cube(-0.05, 0.0),
        cube(0.05, 0.0),
        cube(0.15, -200.0),
    ];
    let faces = (1..4).zip([-0.1, 0.0, 0.1]);
    let contacts: Vec<BodyContact> = faces.flat_map(|(k, x)| face(k, Some(k - 1), (x, 1.0), mu)).collect();
    let rail = |a: usize| {
        let row = |k: usize| std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 });
        BodyJoint {
            a,
            b: None,
            rows: (1..6).map(row).collect(),
            bias: vec![0.0; 5],
        }
    };
    ContactProblem::from_bodies(&bodies, &contacts, &[rail(0), rail(3)], H, Restitution::Newton).unwrap()
}

/// The same problem, of which nobody says that its bodies were at rest.
fn unmarked(problem: &ContactProblem) -> ContactProblem {
    let mut copy = ContactProblem::new();
    for block in 0..problem.block_count() {
        let range = problem.block_range(block);
        copy.add_block(problem.mass(block), &problem.v_free()[range]).unwrap();
    }
    for i in 0..problem.contact_count() {
        let c = problem.columns_tilde(i);
        let part = |t: &stiction_contact::Touch| {
            let own = t.start..t.start + t.len;
            let [x, y] = c.tangents.map(|tangent| &tangent[own.clone()]);
            (t.block, [&c.normal[own.clone()], x, y])
        };
        let parts: Vec<_> = c.touches.iter().map(part).collect();
        copy.add_contact(&parts, problem.mu(i)).unwrap();
    }
    for k in 0..problem.joint_count() {
        let (touches, row) = problem.joint_tilde(k);
        let parts: Vec<_> = touches
            .iter()
            .map(|t| (t.block, &row[t.start..t.start + t.len]))
            .collect();
        copy.add_joint(&parts, 0.0).unwrap();
    }
    copy
}

fn solver(method: Option<Method>) -> ContactSolver {
    let options = Options {
        law: Law::Polyhedral,
        directions: 4,
        method,
        ..Options::default()
    };
    ContactSolver::new(options).unwrap()
}

fn speed(velocity: &[f64]) -> f64 {
    velocity.iter().fold(0.0, |m, x| x.abs().max(m))
}

/// Cubes pressed against a wall strongly enough stay at rest, whatever else is lawful; where friction is too small they slip.
#[test]
fn pressed_cubes_stay_at_rest() {
    for (count, force, mu, rests) in [
        (1, 20.0, 0.5, true),
        (1, 19.0, 0.5, false),
        (2, 200.0, 100.0, true),
        (3, 100.0, 0.5, true),
        (3, 58.0, 0.5, false),
        (4, 400.0, 50.0, true),
    ] {
        let mut solver = solver(None);
        let solution = solver.solve(&row(count, force, mu)).unwrap();
        assert_eq!(solution.status, Status::Solved);
        let speed = speed(&solution.velocity);
        assert_eq!(speed < 1e-11, rests, "{count} {force} {mu}: {speed}");
        if !rests {
            assert_eq!(solution.stats.rest_preferred, 0);
        }
    }
}

/// The paper's grasp: Lemke's method finds an answer in which the cubes sink. Where rest is lawful it is preferred, and counted.
#[test]
fn a_grasp_rests_where_it_can() {
    let problem = grasp(100.0);
    let mut other = solver(None);
    let first = other.solve(&unmarked(&problem)).unwrap();
    assert_eq!((first.status, first.stats.rest_preferred), (Status::Solved, 0));
    let sinks = speed(&first.velocity);
    assert!(sinks > 1e-3, "{sinks}");
    // A method that is named gives its own answer.
    let mut named = solver(Some(Method::LemkeStandard));
    assert_eq!(named.solve(&problem).unwrap().stats.rest_preferred, 0);
    let mut solver = solver(None);
    let found = solver.solve(&problem).unwrap();
    assert_eq!((found.status, found.stats.rest_preferred), (Status::Solved, 1));
    assert!(speed(&found.velocity) < 1e-10, "{:?}", found.velocity);
    // 2 m g ≤ 2 μ F.
    for (mu, rests) in [(0.0491, true), (0.0490, false)] {
        let found = solver.solve(&grasp(mu)).unwrap();
        assert_eq!(found.status, Status::Solved);
        assert_eq!(speed(&found.velocity) < 1e-10, rests, "{mu}: {:?}", found.velocity);
    }
}

/// A warm solve goes on from rest at the cost of one verdict.
#[test]
fn rest_is_kept() {
    let problem = grasp(100.0);
    let mut solver = solver(None);
    solver.solve(&problem).unwrap();
    let again = solver.solve_warm(&problem).unwrap();
    assert_eq!(
        (again.stats.pivots, again.stats.warm_starts, again.stats.rest_preferred),
        (0, 1, 0)
    );
    assert!(speed(&again.velocity) < 1e-10, "{:?}", again.velocity);
}

/// A ball in a groove of 90° that falls at 45°, μ = 0.5: its weight presses it with cos 45° √2 = 1 m g in all, and friction holds ½ m g < m g sin 45°. Friction across the groove
/// would let the walls squeeze it until it rests.
#[test]
fn what_slides_in_a_groove_is_not_squeezed_to_rest() {
    let s = 0.5_f64.sqrt();
    let point = |y: f64| BodyContact {
        a: 0,
        b: None,
        point: [0.0, 0.1 * y * s, -0.1 * s],
        normal: [0.0, -y * s, s],
        mu: 0.5,
        gap: 0.0,
        restitution: 0.0,
        viscosity: 0.0,
    };
    let weight = [9.81 * s, 0.0, -9.81 * s, 0.0, 0.0, 0.0];
    let ball = Body {
        wrench: weight,
        ..cube(0.0, 0.0)
    };
    let problem =
        ContactProblem::from_bodies(&[ball], &[point(1.0), point(-1.0)], &[], H, Restitution::Newton).unwrap();
    let mut solver = solver(None);
    let solution = solver.solve(&problem).unwrap();
    assert_eq!((solution.status, solution.stats.rest_preferred), (Status::Solved, 0));
    assert!(solution.velocity[0] > 1e-3, "{:?}", solution.velocity);
}

/// A cube that touches a wall on either side, and is pressed to neither: it falls, though a squeeze could hold it.
#[test]
fn nothing_hangs_by_a_squeeze_of_its_own() {
    let walls = face(0, None, (-0.05, 1.0), 1.0).chain(face(0, None, (0.05, -1.0), 1.0));
    let contacts: Vec<BodyContact> = walls.collect();
    let problem = ContactProblem::from_bodies(&[cube(0.0, 0.0)], &contacts, &[], H, Restitution::Newton).unwrap();
    let mut solver = solver(None);
    let solution = solver.solve(&problem).unwrap();
    assert_eq!((solution.status, solution.stats.rest_preferred), (Status::Solved, 0));
    assert!(
        (solution.velocity[2] + H * 9.81).abs() < 1e-12,
        "{:?}",
        solution.velocity
    );
}
