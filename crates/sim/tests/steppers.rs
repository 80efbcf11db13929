//! Schemes of stepping against mechanics, and against each other.
#![allow(clippy::unwrap_used)]

use stiction_scene::{Scene, WorldExt};
use stiction_sim::{Vec3, World};

const STEPPERS: [&str; 3] = ["stewart-trinkle", "anitescu-potra", "acceleration"];

fn world(text: &str) -> World {
    World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap()
}

/// A cube of 0.2 m, 8 kg, on a plane that is turned about y.
fn ramp(head: &str, degrees: f64, material: &str) -> World {
    world(&format!(
        r#"
        format = 1
        [world]
        {head}
        [[body]]
        name = "ramp"
        shape = {{ half_space = [0, 0, 1] }}
        orientation = {{ axis = [0, 1, 0], degrees = {degrees:?} }}
        material = {{ {material} }}
        [[stack]]
        name = "box"
        box = [0.2, 0.2, 0.2]
        count = 1
        orientation = {{ axis = [0, 1, 0], degrees = {degrees:?} }}
        material = {{ {material} }}
        "#
    ))
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.step().unwrap();
    }
}

#[test]
fn a_ramp_holds_and_slides_exactly() {
    for stepper in STEPPERS {
        let head = format!("stepper = \"{stepper}\"");
        // tan 26.565° = 0.5.
        let limit = libm::atan(0.5).to_degrees();
        let mut held = ramp(&head, limit - 1e-5, "friction = 0.5");
        let start = held.state().bodies[1].pose.position;
        run(&mut held, 3000);
        let moved = (held.state().bodies[1].pose.position - start).norm();
        assert!(moved < 1e-12, "{stepper}: {moved}");
        let mut slides = ramp(&head, 30.0, "friction = 0.5");
        for n in 1..=1000 {
            slides.step().unwrap();
            let speed = slides.state().bodies[1].velocity.norm();
            let expected = 1e-3 * f64::from(n) * 9.81 * (0.5 - 0.5 * 0.75_f64.sqrt());
            assert!(
                (speed - expected).abs() < 1e-10,
                "{stepper}, step {n}: {speed} {expected}"
            );
        }
        assert!(slides.ledger().worst_gain < 1e-9, "{stepper}: {:?}", slides.ledger());
    }
}

/// Rest is preferred where it is an answer, and it is none beyond the friction angle: tan 27° > 0.5.
#[test]
fn a_box_beyond_the_friction_angle_slides_on_a_polygon() {
    for stepper in ["midpoint", "stewart-trinkle"] {
        let head = format!("stepper = \"{stepper}\"\nlaw = \"polyhedral\"\ndirections = 4");
        for (degrees, slides) in [(26.0, false), (27.0, true)] {
            let mut world = ramp(&head, degrees, "friction = 0.5");
            for _ in 0..100 {
                assert_eq!(world.step().unwrap().rest_preferred, 0);
            }
            let speed = world.state().bodies[1].velocity.norm();
            assert_eq!(speed > 1e-3, slides, "{stepper}, {degrees}: {speed}");
        }
    }
}

/// 2 m/s, μ g = 5 m/s², h = 0.01 s: 40 steps.
#[test]
fn a_sliding_box_stops_when_it_should() {
    for stepper in STEPPERS {
        let mut world = world(&format!(
            r#"
            format = 1
            world = {{ friction = 0.5, stepper = "{stepper}", dt = 0.01, gravity = [0, 0, -10] }}
            [[body]]
            name = "ground"
            shape = {{ half_space = [0, 0, 1] }}
            [[body]]
            name = "box"
            shape = {{ box = [0.4, 0.4, 0.1] }}
            position = [0, 0, 0.05]
            velocity = [1.2, 1.6, 0]
            "#
        ));
        for n in 1..=45 {
            world.step().unwrap();
            let speed = world.state().bodies[1].velocity.norm();
            let expected = (2.0 - 0.05 * f64::from(n)).max(0.0);
            // In step 40 friction is exactly what stops the box: whether it has stopped is decided to the square root of the residual.
            let room = if n == 40 { 1e-8 } else { 1e-10 };
            assert!(
                (speed - expected).abs() < room,
                "{stepper}, step {n}: {speed} {expected}"
            );
        }
    }
}

/// Arrives at the ground between steps: sinks in by what it moves in a step under Anitescu and Potra's scheme alone.
#[test]
fn who_sinks_in() {
    for stepper in STEPPERS {
        let mut world = world(&format!(
            r#"
            format = 1
            world = {{ friction = 0.5, stepper = "{stepper}", dt = 0.01 }}
            [[body]]
            name = "ground"
            shape = {{ half_space = [0, 0, 1] }}
            [[body]]
            name = "box"
            shape = {{ box = [0.2, 0.2, 0.2] }}
            position = [0, 0, 0.3]
            "#
        ));
        let mut deepest = 0.0_f64;
        for _ in 0..200 {
            let report = world.step().unwrap();
            deepest = deepest.max(report.depth);
        }
        // √(2 · 9.81 · 0.2) m/s in 0.01 s.
        let a_step = 0.01 * (2.0 * 9.81 * 0.2_f64).sqrt();
        if stepper == "anitescu-potra" {
            assert!(deepest > 1e-4 && deepest < a_step, "{deepest}");
        } else {
            assert!(deepest < 1e-12, "{stepper}: {deepest}");
        }
        let height = world.state().bodies[1].pose.position.z;
        assert!((height - 0.1).abs() < 1e-9, "{stepper}: {height}");
        assert!(world.state().bodies[1].velocity.norm() < 1e-10);
    }
}

/// Heights after bounces are e² of those before, to first order in h, and the ball comes to rest.
#[test]
fn a_ball_bounces() {
    for stepper in STEPPERS {
        let mut errors = [0.0; 2];
        for (error, h) in errors.iter_mut().zip([1e-3, 2.5e-4]) {
            let mut world = world(&format!(
                r#"
                format = 1
                world = {{ friction = 0.5, stepper = "{stepper}", dt = {h:?} }}
                material = [{{ name = "rubber", restitution = 0.8, friction = 0 }}]
                [[body]]
                name = "ground"
                shape = {{ half_space = [0, 0, 1] }}
                material = "rubber"
                [[body]]
                name = "ball"
                shape = {{ ball = 0.1 }}
                position = [0, 0, 1.1]
                material = "rubber"
                "#
            ));
            let (mut tops, mut last) = (Vec::new(), 0.0);
            while tops.len() < 4 {
                world.step().unwrap();
                let state = &world.state().bodies[1];
                if last > 0.0 && state.velocity.z <= 0.0 {
                    tops.push(state.pose.position.z - 0.1);
                }
                last = state.velocity.z;
            }
            for (n, top) in tops.iter().enumerate() {
                let expected = libm::pow(0.64, n as f64 + 1.0);
                *error = f64::max(*error, (top - expected).abs());
            }
            // All bounces take √(2H/g)(1 + e)/(1 − e) = 4.06 s.
            while world.state().time < 4.5 {
                world.step().unwrap();
            }
            let state = &world.state().bodies[1];
            assert!(
                (state.pose.position.z - 0.1).abs() < 1e-9 && state.velocity.norm() < 1e-9,
                "{stepper}: {state:?}"
            );
        }
        assert!(errors[0] < 0.02 && errors[1] < 0.4 * errors[0], "{stepper}: {errors:?}");
    }
}

/// A ball at 1 m/s on a row of two that touch, e = 1: (n−2)/n back, 2/n on.
#[test]
fn an_impact_passes_through_touching_balls() {
    for stepper in STEPPERS {
        let mut world = world(&format!(
            r#"
            format = 1
            world = {{ friction = 0.5, stepper = "{stepper}", gravity = [0, 0, 0] }}
            material = [{{ name = "steel", restitution = 1, friction = 0 }}]
            body = [
                {{ name = "a", shape = {{ ball = 0.1 }}, position = [-0.3, 0, 0], velocity = [1, 0, 0], material = "steel" }},
                {{ name = "b", shape = {{ ball = 0.1 }}, position = [0, 0, 0], material = "steel" }},
                {{ name = "c", shape = {{ ball = 0.1 }}, position = [0.2, 0, 0], material = "steel" }},
            ]
            "#
        ));
        run(&mut world, 200);
        for (body, expected) in [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0].into_iter().enumerate() {
            let speed = world.state().bodies[body].velocity;
            assert!(
                (speed - Vec3::new(expected, 0.0, 0.0)).norm() < 1e-12,
                "{stepper}, {body}: {speed:?}"
            );
        }
        assert!(world.ledger().dissipated().abs() < 1e-12);
    }
}

#[test]
fn without_slip_a_block_stays_on_any_ramp() {
    for stepper in ["stewart-trinkle", "anitescu-potra"] {
        let head = format!("stepper = \"{stepper}\"\nlaw = \"no-slip\"");
        // Upright walls hold nothing, and at 45° a cube tips.
        let mut world = ramp(&head, 44.9, "friction = 0.1");
        let start = world.state().bodies[1].pose.position;
        run(&mut world, 2000);
        let moved = (world.state().bodies[1].pose.position - start).norm();
        assert!(moved < 1e-11, "{stepper}: {moved}");
    }
}

/// A box beside a wall, touching or near, and nothing that presses it there.
#[test]
fn a_box_falls_past_a_wall() {
    for (law, gap) in [
        ("no-slip", 0.0),
        ("no-slip", 1e-4),
        ("viscous", 1e-4),
        ("viscous-explicit", 1e-4),
        ("coulomb", 0.0),
    ] {
        let mut world = world(&format!(
            r#"
            format = 1
            world = {{ friction = 0.5, law = "{law}" }}
            [[body]]
            name = "wall"
            shape = {{ half_space = [1, 0, 0] }}
            material = {{ viscosity = 100 }}
            [[body]]
            name = "box"
            shape = {{ box = [0.2, 0.2, 0.2] }}
            position = [{:?}, 0, 0]
            material = {{ viscosity = 100 }}
            "#,
            0.1 + gap
        ));
        run(&mut world, 1000);
        let fall = world.state().bodies[1].velocity.z;
        assert!((fall + 9.81).abs() < 1e-9, "{law}, {gap}: {fall}");
    }
}

/// m g sin α = 4 c v at four corners.
#[test]
fn viscous_sliding_has_its_terminal_speed() {
    let sin = 0.5;
    for (law, viscosity) in [("viscous", 5.0), ("viscous", 5e4), ("viscous-explicit", 5.0)] {
        let mut world = ramp(&format!("law = \"{law}\""), 30.0, &format!("viscosity = {viscosity:?}"));
        // The time constant is m/4c = 0.4 s.
        let h = 1e-3;
        let (terminal, rate) = (8.0 * 9.81 * sin / (4.0 * viscosity), 4.0 * viscosity * h / 8.0);
        for n in 1..=1000 {
            world.step().unwrap();
            let speed = world.state().bodies[1].velocity.norm();
            let left = if law == "viscous" {
                libm::pow(1.0 + rate, -f64::from(n))
            } else {
                libm::pow(1.0 - rate, f64::from(n))
            };
            assert!(
                (speed - terminal * (1.0 - left)).abs() < 1e-9 * terminal,
                "{law} {viscosity}, {n}: {speed}"
            );
        }
        run(&mut world, 12_000);
        let speed = world.state().bodies[1].velocity.norm();
        assert!(
            (speed / terminal - 1.0).abs() < 1e-9,
            "{law} {viscosity}: {speed} {terminal}"
        );
    }
}

/// A pendulum from 90° with friction in its hinge, and a ball thrown with a cross spin while a force turns its slip: friction against the slip at the start of a step or at
/// its end is the same as h → 0, and so are forces along the rows of the start with J̇v and without.
#[test]
fn forces_lead_to_the_same_limit_as_impulses() {
    let run = |stepper: &str, h: f64| {
        let mut world = world(&format!(
            r#"
            format = 1
            world = {{ friction = 0.5, stepper = "{stepper}", dt = {h:?} }}
            [[body]]
            name = "hook"
            kind = "fixed"
            shape = {{ ball = 0.1 }}
            groups = [1]
            [[body]]
            name = "bob"
            shape = {{ box = [0.1, 0.1, 0.1] }}
            position = [1, 0, 0]
            [[body]]
            name = "ground"
            shape = {{ half_space = [0, 0, 1] }}
            position = [0, 0, -2]
            [[body]]
            name = "ball"
            shape = {{ ball = 0.1 }}
            position = [0, 0, -1.9]
            velocity = [3, 0, 0]
            spin = [30, -10, 5]
            material = {{ friction = 0.1 }}
            [[joint]]
            kind = "revolute"
            a = "bob"
            b = "hook"
            position = [0, 0, 0]
            axis = [0, 1, 0]
            friction = 0.3
            [[force]]
            body = "ball"
            force = [0, -8, 0]
            "#
        ));
        while world.state().time < 0.8 - 0.5 * h {
            world.step().unwrap();
        }
        let bodies = &world.state().bodies;
        (bodies[1].pose.position, bodies[3].pose.position, bodies[3].spin)
    };
    let apart = [2e-3, 5e-4].map(|h| {
        let (a, b) = (run("stewart-trinkle", h), run("acceleration", h));
        assert!(a.1.x > 1.0 && a.1.y.abs() > 0.1, "{a:?}");
        [(a.0 - b.0).norm(), (a.1 - b.1).norm().max((a.2 - b.2).norm())]
    });
    for k in 0..2 {
        assert!(apart[0][k] < 0.05 && apart[1][k] < 0.3 * apart[0][k], "{apart:?}");
    }
}

/// A rod that slides with its end on the ground, tan θ = 2, μ = 2 > 4/3: no finite force exists [Painlevé].
#[test]
fn a_sliding_rod_jams_and_goes_on() {
    let (cos, sin) = (1.0 / 5.0_f64.sqrt(), 2.0 / 5.0_f64.sqrt());
    let degrees = libm::atan2(cos, sin).to_degrees();
    let mut world = world(&format!(
        r#"
        format = 1
        world = {{ friction = 0.5, stepper = "acceleration" }}
        [[body]]
        name = "ground"
        shape = {{ half_space = [0, 0, 1] }}
        material = {{ friction = 2 }}
        [[body]]
        name = "rod"
        shape = {{ capsule = {{ radius = 0.001, length = 2 }} }}
        mass = 1
        inertia = [0.3333333333, 0.3333333333, 0.001]
        centre = [0, 0, 0]
        position = [0, 0, {:?}]
        orientation = {{ axis = [0, 1, 0], degrees = {:?} }}
        velocity = [5, 0, 0]
        material = {{ friction = 2 }}
        "#,
        sin + 0.001,
        -degrees
    ));
    let first = world.step().unwrap();
    assert!(first.impulsive, "{first:?}");
    // The end is caught, the rod turns over it.
    assert!(world.state().bodies[1].spin.y > 0.1, "{:?}", world.state().bodies[1]);
    let mut impulsive = 1;
    for _ in 0..3000 {
        impulsive += usize::from(world.step().unwrap().impulsive);
    }
    let state = &world.state().bodies[1];
    assert!(impulsive < 20, "{impulsive}");
    // It lies.
    assert!(
        (state.pose.position.z - 0.001).abs() < 1e-6 && state.velocity.norm() < 1e-6,
        "{state:?}"
    );
    assert!(world.ledger().worst_gain < 1e-9, "{:?}", world.ledger());
}

#[test]
fn laws_and_names_are_checked() {
    let says = |world: &str| {
        Scene::parse(&format!("format = 1\nworld = {{ {world} }}\n"), ".")
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        says("stepper = \"euler\""),
        "scene:2:21: world.stepper: must be one of midpoint, stewart-trinkle, anitescu-potra, acceleration, first-order, found \"euler\""
    );
    assert_eq!(
        says("stepper = \"acceleration\", law = \"viscous\""),
        "scene:2:43: world.law: must be coulomb, coulomb-viscous or frictionless for the stepper acceleration, found viscous"
    );
}

/// A rod of 1 m and 1 kg on a hinge that is its end, at an angle from where it hangs, that turns with ω.
fn turning_rod(stepper: &str, dt: f64, degrees: f64, spin: f64) -> World {
    let (sin, cos) = libm::sincos(degrees.to_radians());
    world(&format!(
        r#"
        format = 1
        world = {{ friction = 0, stepper = "{stepper}", dt = {dt:?} }}
        [[body]]
        name = "nail"
        kind = "fixed"
        shape = {{ ball = 0.01 }}
        groups = [1]
        [[body]]
        name = "rod"
        shape = {{ box = [0.02, 0.02, 1] }}
        mass = 1
        position = [{:?}, 0, {:?}]
        orientation = {{ axis = [0, 1, 0], degrees = {degrees:?} }}
        velocity = [{:?}, 0, {:?}]
        spin = [0, {spin:?}, 0]
        [[joint]]
        kind = "revolute"
        a = "rod"
        b = "nail"
        axis = [0, 1, 0]
        position = [0, 0, 0]
        "#,
        -0.5 * sin,
        -0.5 * cos,
        -0.5 * spin * cos,
        0.5 * spin * sin
    ))
}

/// Force along the rod is m g cos θ + m ω² l/2 from the first step on, at any time step [Drumwright (17)].
#[test]
fn forces_at_joints_hold_bodies_that_turn() {
    for (dt, degrees, spin) in [(1e-3, 0.0, 3.0), (1e-2, 60.0, 3.0), (1e-4, 200.0, -20.0)] {
        let mut world = turning_rod("acceleration", dt, degrees, spin);
        let before = world.state().bodies[1];
        world.step().unwrap();
        let change = (world.state().bodies[1].velocity - before.velocity) / dt;
        let force = change + Vec3::new(0.0, 0.0, 9.81);
        let inward = -before.pose.position.normalize();
        let expected = 9.81 * libm::cos(f64::to_radians(degrees)) + 0.5 * spin * spin;
        let found = force.dot(&inward);
        assert!(
            (found - expected).abs() < 1e-9 * expected.abs(),
            "{dt} {degrees} {spin}: {found}, expected {expected}"
        );
    }
}

/// Velocity at the hinge after a step, which the next has to take away: of second order in the time step, and of first order in a step without J̇v.
#[test]
fn joints_hardly_drift_at_acceleration_level() {
    let drift = |stepper: &str, dt: f64| {
        let mut world = turning_rod(stepper, dt, 60.0, 5.0);
        let mut worst = 0.0_f64;
        for _ in 0..100 {
            world.step().unwrap();
            let rod = &world.state().bodies[1];
            let end = rod.velocity - rod.spin.cross(&rod.pose.position);
            worst = worst.max(end.norm());
        }
        worst
    };
    let forces = [2e-3, 1e-3].map(|dt| drift("acceleration", dt));
    let impulses = drift("stewart-trinkle", 1e-3);
    assert!(forces[1] < 0.3 * forces[0], "{forces:?}");
    assert!(forces[1] < 0.01 * impulses, "{forces:?}, {impulses}");
}

/// A ball that slides without friction over the top of a fixed one: m g − m v²/(R + r), and none where it is too fast [Drumwright (18)].
#[test]
fn contacts_on_curved_paths_push_with_what_is_left() {
    for (speed, expected) in [(1.0, 9.81 - 1.0 / 0.7), (2.5, 9.81 - 6.25 / 0.7), (3.0, 0.0)] {
        let mut world = world(&format!(
            r#"
            format = 1
            world = {{ friction = 0, stepper = "acceleration" }}
            [[body]]
            name = "dome"
            kind = "fixed"
            shape = {{ ball = 0.5 }}
            [[body]]
            name = "ball"
            shape = {{ ball = 0.2 }}
            mass = 1
            position = [0, 0, 0.7]
            velocity = [{speed:?}, 0, 0]
            "#
        ));
        world.step().unwrap();
        let found = world.state().bodies[1].velocity.z / 1e-3 + 9.81;
        assert!((found - expected).abs() < 1e-6, "{speed}: {found}, expected {expected}");
    }
}

/// A box that rides on a table that turns, held by friction: m ω² r from the first step on, and it stays where it is.
#[test]
fn friction_holds_what_rides_on_a_turntable() {
    let mut world = world(
        r#"
        format = 1
        world = { friction = 0.5, stepper = "acceleration" }
        [[body]]
        name = "table"
        kind = "kinematic"
        shape = { box = [4, 4, 0.1] }
        position = [0, 0, -0.05]
        spin = [0, 0, 2]
        [[body]]
        name = "box"
        shape = { box = [0.1, 0.1, 0.1] }
        mass = 1
        position = [0.5, 0, 0.05]
        velocity = [0, 1, 0]
        spin = [0, 0, 2]
        "#,
    );
    world.step().unwrap();
    let pull = world.state().bodies[1].velocity.x / 1e-3;
    assert!((pull + 2.0).abs() < 1e-9, "{pull}");
}

/// A wheel that rolls keeps rolling: its point of contact moves, and no force acts on it.
#[test]
fn rolling_needs_no_force() {
    let mut world = world(
        r#"
        format = 1
        world = { friction = 0.5, stepper = "acceleration" }
        [[body]]
        name = "ground"
        shape = { half_space = [0, 0, 1] }
        [[body]]
        name = "ball"
        shape = { ball = 0.1 }
        position = [0, 0, 0.1]
        velocity = [3, 0, 0]
        spin = [0, 30, 0]
        "#,
    );
    run(&mut world, 500);
    let ball = &world.state().bodies[1];
    assert!((ball.velocity - Vec3::new(3.0, 0.0, 0.0)).norm() < 1e-12, "{ball:?}");
    assert!((ball.pose.position.z - 0.1).abs() < 1e-12, "{ball:?}");
}

/// A four-bar linkage whose hinges hold it in its plane three times over: J̇v of rows that repeat each other is the same, and forces are found.
#[test]
fn a_linkage_with_redundant_hinges_turns() {
    let mut world = world(
        r#"
        format = 1
        world = { friction = 0, stepper = "acceleration" }
        [[body]]
        name = "frame"
        kind = "fixed"
        shape = { ball = 0.01 }
        groups = [1]
        [[body]]
        name = "crank"
        shape = { box = [0.02, 0.02, 0.3] }
        position = [0, 0, 0.15]
        velocity = [0.75, 0, 0]
        spin = [0, 5, 0]
        groups = [1]
        [[body]]
        name = "coupler"
        shape = { box = [0.5, 0.02, 0.02] }
        position = [0.25, 0, 0.3]
        velocity = [1.5, 0, 0]
        groups = [1]
        [[body]]
        name = "rocker"
        shape = { box = [0.02, 0.02, 0.3] }
        position = [0.5, 0, 0.15]
        velocity = [0.75, 0, 0]
        spin = [0, 5, 0]
        groups = [1]
        [[joint]]
        kind = "revolute"
        a = "crank"
        b = "frame"
        position = [0, 0, 0]
        axis = [0, 1, 0]
        [[joint]]
        kind = "revolute"
        a = "coupler"
        b = "crank"
        position = [0, 0, 0.3]
        axis = [0, 1, 0]
        [[joint]]
        kind = "revolute"
        a = "coupler"
        b = "rocker"
        position = [0.5, 0, 0.3]
        axis = [0, 1, 0]
        [[joint]]
        kind = "revolute"
        a = "rocker"
        b = "frame"
        position = [0.5, 0, 0]
        axis = [0, 1, 0]
        "#,
    );
    let mut impulsive = 0;
    for _ in 0..1000 {
        impulsive += usize::from(world.step().unwrap().impulsive);
    }
    assert_eq!(impulsive, 0);
}

/// Rows of the start with velocities of the end gain energy where a body turns, of first order in the time step: the ledger calls that stepping, not slip.
#[test]
fn energy_of_rows_that_turn_is_entered_as_stepping() {
    let gains = [(1e-3, 100), (5e-4, 200)].map(|(dt, steps)| {
        let mut world = turning_rod("acceleration", dt, 0.0, 10.0);
        let start = world.ledger().kinetic + world.ledger().potential;
        run(&mut world, steps);
        let ledger = world.ledger();
        let gain = ledger.kinetic + ledger.potential - start;
        assert!(ledger.slip.abs() < 0.01 * gain, "{dt}: {ledger:?}");
        assert!(
            (gain + ledger.stepping() - ledger.eased).abs() < 0.01 * gain,
            "{dt}: {ledger:?}"
        );
        gain
    });
    let ratio = gains[1] / gains[0];
    assert!((ratio - 0.5).abs() < 0.1, "{gains:?}");
}
