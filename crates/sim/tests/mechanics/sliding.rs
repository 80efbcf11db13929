//! Blocks that stick, slide and tip.

use stiction_contact::{Law, tangents};
use stiction_sim::{Settings, Stepper, Vec3, World};

use crate::lab::*;

/// A block on a floor.
fn block(gravity: Vec3, h: f64, mu: f64) -> World {
    let mut world = world(gravity, h);
    floor(&mut world, mu);
    add_box(&mut world, 1.0, [1.0, 0.7, 0.2], mu, at(0.0, 0.0, 0.1));
    world
}

pub(crate) fn incline_stick_slide() {
    let mu = stated("incline-stick-slide", 0);
    for heading in HEADINGS {
        bracket("incline", |e| block(inclined(mu * (1.0 + e), heading), 1e-3, mu));
        holds("incline", block(inclined(0.49, heading), 1e-3, mu));
        let direction = Vec3::new(heading.cos(), heading.sin(), 0.0);
        for tan in [mu * (1.0 + NEAR), 0.51, 0.75] {
            let (sin, cos) = sine_cosine(tan);
            let a = G * (sin - mu * cos);
            let mut watched = Watched::new(block(inclined(tan, heading), 1e-3, mu));
            for n in 1..=200 {
                watched.step();
                let v = watched.world.state().bodies[1].velocity;
                let t = f64::from(n) * 1e-3;
                near_vector("velocity", v, a * t * direction, G * t, EXACT);
                near("normal force", watched.force(1, 0).z, G * cos, G, EXACT);
            }
            watched.does_not_overlap();
        }
    }
    let (sin, cos) = sine_cosine(0.75);
    near("a", G * (sin - mu * cos), stated("incline-stick-slide", 1), 1.0, 1e-14);
    near("N", G * cos, stated("incline-stick-slide", 2), 1.0, 1e-14);
}

pub(crate) fn incline_heading() {
    let mu = stated("incline-heading", 0);
    let build = |gravity: Vec3, directions: usize| {
        let settings = Settings {
            gravity,
            law: Law::Polyhedral,
            directions,
            stepper: Stepper::Midpoint,
            ..Settings::default()
        };
        let mut world = World::new(settings).unwrap();
        floor(&mut world, mu);
        add_box(&mut world, 1.0, [1.0, 0.7, 0.2], mu, at(0.0, 0.0, 0.1));
        world
    };
    for (k, directions) in [4, 8, 16].into_iter().enumerate() {
        // The first direction of the polygon is the first tangent.
        let mut world = build(down(), directions);
        world.step().unwrap();
        let n = world.contacts()[0].normal;
        let [x, y, _] = tangents([n.x, n.y, n.z])[0];
        let vertex = y.atan2(x);
        let half = std::f64::consts::PI / directions as f64;
        let midway = stated("incline-heading", k + 1);
        near("midway", midway, mu * half.cos(), 1.0, 1e-15);
        for (heading, limit) in [(vertex, mu), (vertex + half, midway)] {
            bracket(&format!("{directions} directions, {heading}"), |e| {
                build(inclined(limit * (1.0 + e), heading), directions)
            });
        }
    }
}

/// Steps until the block rests, and how far it went.
fn slides(h: f64, heading: f64) -> (usize, Vec3) {
    let mut world = block(down(), h, 0.5);
    let v0 = 2.0 * Vec3::new(heading.cos(), heading.sin(), 0.0);
    world.set_velocity(1, v0, Vec3::zeros()).unwrap();
    let mut watched = Watched::new(world);
    let mut steps = 0;
    while watched.fastest() > 1e-9 {
        watched.step();
        steps += 1;
        assert!(steps < 10_000);
    }
    watched.run(100);
    let speed = watched.fastest();
    assert!(speed <= 1e-14, "left {speed:e}");
    watched.does_not_overlap();
    (steps, watched.moved("body 1"))
}

pub(crate) fn stop_distance() {
    let [steps, distance] = [0, 1].map(|k| stated("stop-distance", k));
    for heading in HEADINGS {
        let (found, moved) = slides(0.01, heading);
        assert!((found as f64 - steps).abs() <= 0.0, "{found} steps");
        let direction = Vec3::new(heading.cos(), heading.sin(), 0.0);
        near_vector("distance", moved, distance * direction, 1.0, EXACT);
        assert!(moved.z.abs() < 1e-12, "lift {}", moved.z);
    }
    // Where it stops within a step it is held from the start of that step: μgh²/2 are left at most.
    for h in [0.0117, 0.0093, 0.0071] {
        within_square("distance", h, 2.5, |h| slides(h, 0.3).1.norm() - distance);
    }
}

/// Box 1 wide and 2 high under gravity, pushed at height 1.5 by `share` of its weight.
fn pushed(share: f64, mu: f64) -> World {
    let mut world = world(down(), 1e-3);
    floor(&mut world, mu);
    let body = add_box(&mut world, 1.0, [1.0, 1.0, 2.0], mu, at(0.0, 0.0, 1.0));
    push(
        &mut world,
        body,
        Vec3::new(share * G, 0.0, 0.0),
        Vec3::new(0.0, 0.5 * share * G, 0.0),
    );
    world
}

pub(crate) fn pushed_box() {
    let [left, right] = [0, 1].map(|k| stated_all("pushed-box", 0)[k]);
    let mut watched = Watched::new(pushed(0.2, 0.5));
    for _ in 0..100 {
        watched.step();
        let (mut on, world) = ([0.0; 2], &watched.world);
        for (contact, impulse) in world.contacts().iter().zip(&world.solution().normal_impulse) {
            on[usize::from(contact.point.x > 0.0)] += impulse / 1e-3;
        }
        near("left", on[0], left * G, G, EXACT);
        near("right", on[1], right * G, G, EXACT);
    }
    watched.stands(1e-12);
    let tips = stated("pushed-box", 1);
    bracket("tips", |e| pushed(tips * (1.0 + e), 0.5));
    for (share, stated) in [(tips * (1.0 + NEAR), None), (0.4, Some(stated("pushed-box", 3)))] {
        let alpha = (share * 1.5 - 0.5) * G / (5.0 / 3.0);
        near("angular acceleration", alpha, stated.unwrap_or(alpha), 1.0, 1e-14);
        let mut watched = Watched::new(pushed(share, 0.5));
        watched.step();
        near(
            "tipping",
            watched.world.state().bodies[1].spin.y,
            alpha * 1e-3,
            G * 1e-3,
            EXACT,
        );
    }
    // Where friction is less than w/(2p) the box slides and does not tip, where it is more it tips and does not slide.
    let limit = stated("pushed-box", 2);
    for (mu, share, slides) in [
        (1.0 - NEAR, 1.0 - 0.5 * NEAR, true),
        (1.0 + NEAR, 1.0 + 0.5 * NEAR, false),
    ] {
        let mut watched = Watched::new(pushed(limit * share, limit * mu));
        watched.run(10);
        let state = &watched.world.state().bodies[1];
        let foot = state.velocity + state.spin.cross(&Vec3::new(0.5, 0.0, -1.0));
        let least = 1e-2 * NEAR * G * 1e-2;
        assert_eq!(foot.x > least, slides, "{state:?}");
        assert_eq!(state.spin.y > least, !slides, "{state:?}");
    }
}

pub(crate) fn tilted_box() {
    let limit = stated("tilted-box", 0);
    let build = |tan: f64, mu: f64| {
        let mut world = world(inclined(tan, 0.0), 1e-3);
        floor(&mut world, mu);
        add_box(&mut world, 1.0, [1.0, 1.0, 2.0], mu, at(0.0, 0.0, 1.0));
        world
    };
    let motion = |tan: f64, mu: f64| {
        let mut watched = Watched::new(build(tan, mu));
        watched.step();
        watched.world.state().bodies[1]
    };
    for mu in [0.8, limit * (1.0 + 1e-3)] {
        bracket("tips", |e| build(limit * (1.0 + e), mu));
        let tan = limit * (1.0 + NEAR);
        let (sin, cos) = sine_cosine(tan);
        let state = motion(tan, mu);
        near(
            "tipping",
            state.spin.y / 1e-3,
            (sin - 0.5 * cos) * G / (5.0 / 3.0),
            G,
            EXACT,
        );
    }
    for mu in [0.3, limit * (1.0 - 1e-3)] {
        bracket("slides", |e| build(mu * (1.0 + e), mu));
        let (sin, cos) = sine_cosine(mu * (1.0 + NEAR));
        let state = motion(mu * (1.0 + NEAR), mu);
        near("sliding", state.velocity.x / 1e-3, (sin - mu * cos) * G, G, EXACT);
        near("turning", state.spin.norm(), 0.0, G, EXACT);
    }
}

pub(crate) fn two_block_friction() {
    let (upper, lower, mu) = (2.0, 3.0, 0.3);
    let limit = mu * (upper + lower) * G;
    for (share, slips) in [(0.5, false), (1.0 - NEAR, false), (1.0 + NEAR, true), (2.0, true)] {
        let mut world = world(down(), 1e-3);
        floor(&mut world, 0.0);
        let below = add_box(&mut world, lower, [4.0, 1.0, 0.5], mu, at(0.0, 0.0, 0.25));
        let above = add_box(&mut world, upper, [2.0, 1.0, 0.5], mu, at(0.5, 0.0, 0.75));
        let force = share * limit;
        push(&mut world, below, Vec3::new(force, 0.0, 0.0), Vec3::zeros());
        let expected = if slips {
            [(force - mu * upper * G) / lower, mu * G]
        } else {
            [force / (upper + lower); 2]
        };
        assert_eq!(expected[0] - expected[1] > 0.1 * NEAR * G, slips);
        let mut watched = Watched::new(world);
        for n in 1..=100 {
            watched.step();
            let t = f64::from(n) * 1e-3;
            for (body, a) in [below, above].into_iter().zip(expected) {
                near(
                    "speed",
                    watched.world.state().bodies[body].velocity.x,
                    a * t,
                    G * t,
                    EXACT,
                );
            }
        }
    }
}

/// Block in a V groove along x of half angle β, its lower edges on the walls, tilted along the groove.
fn in_groove(tan: f64, sin_beta: f64, mu: f64, speed: f64) -> World {
    let cos_beta = (1.0 - sin_beta * sin_beta).sqrt();
    let mut world = world(inclined(tan, 0.0), 1e-3);
    for side in [1.0, -1.0] {
        let normal = Vec3::new(0.0, side * cos_beta, sin_beta);
        wall(&mut world, Vec3::new(0.0, -0.4 * side, -0.05), normal, mu);
    }
    let state = moving(at(0.0, 0.0, 0.0), Vec3::new(speed, 0.0, 0.0), Vec3::zeros());
    add_box(&mut world, 2.0, [2.0, 0.8, 0.1], mu, state);
    world
}

pub(crate) fn groove() {
    // At 90 degrees (β = 45°) the limit is μ√2.
    for (sin_beta, mu) in [(0.5_f64.sqrt(), 0.3), (0.6, 0.2), (0.9, 0.5)] {
        let limit = mu / sin_beta;
        holds("rests in a groove", in_groove(limit * (1.0 - NEAR), sin_beta, mu, 0.0));
        for share in [0.5, 1.0 - NEAR, 1.0 + NEAR, 2.0] {
            let (sin, cos) = sine_cosine(share * limit);
            let a = G * (sin - mu * cos / sin_beta);
            assert_eq!(a > 0.1 * NEAR * G, share > 1.0);
            let mut watched = Watched::new(in_groove(share * limit, sin_beta, mu, 1.0));
            for n in 1..=50 {
                watched.step();
                let (t, state) = (f64::from(n) * 1e-3, &watched.world.state().bodies[2]);
                near_vector("slides", state.velocity, Vec3::new(1.0 + a * t, 0.0, 0.0), G * t, 1e-9);
                // The sign of the change is the threshold.
                assert_eq!(state.velocity.x > 1.0, share > 1.0, "{share}: {state:?}");
            }
            let carried = watched.force(2, 0) + watched.force(2, 1);
            near("walls", carried.z, 2.0 * G * cos, 2.0 * G, 1e-9);
        }
    }
}

pub(crate) fn wedge() {
    let expected = stated("wedge", 0);
    let mut world = world(down(), 1e-3);
    floor(&mut world, 0.0);
    // Corners (−4, 0), (4, 0), (−4, 6): falls by 3/4 towards +x.
    let shape = drawn_out(&[[-3.0, -1.5], [5.0, -1.5], [-3.0, 4.5]], 1.0);
    let wedge = add(&mut world, shape, (2.0, [3.0; 3]), 0.0, at(-1.0, 0.0, 1.5));
    let state = turned(at(0.3, 0.0, 3.4), 0.1_f64.sqrt());
    let block = add_box(&mut world, 1.0, [1.0, 1.0, 1.0], 0.0, state);
    let mut watched = Watched::new(world);
    for n in 1..=100 {
        watched.step();
        let (t, bodies) = (f64::from(n) * 1e-3, &watched.world.state().bodies);
        near("wedge", bodies[wedge].velocity.x, expected * t, G * t, EXACT);
        near("block", bodies[block].velocity.x, -2.0 * expected * t, G * t, EXACT);
    }
    watched.does_not_overlap();
}

pub(crate) fn sheet_and_balls() {
    let (g, r) = (9.81, 0.1);
    let plate_a = (150.0 - 0.4 * 35.0 * g) / (10.0 + 50.0 / 7.0);
    near("plate", plate_a, stated("sheet-and-balls", 0), 1.0, 1e-10);
    near("ball", 2.0 / 7.0 * plate_a, stated("sheet-and-balls", 1), 1.0, 1e-10);
    for heading in HEADINGS {
        let direction = Vec3::new(heading.cos(), heading.sin(), 0.0);
        let mut world = world(Vec3::new(0.0, 0.0, -g), 1e-3);
        let ground = floor(&mut world, 0.4);
        let plate = add_box(&mut world, 10.0, [2.0, 2.0, 0.1], 0.8, at(0.0, 0.0, 0.05));
        set_friction(&mut world, ground, plate, 0.4);
        push(&mut world, plate, 150.0 * direction, Vec3::zeros());
        for i in 0..25 {
            let [x, y] = [0.4 * f64::from(i % 5) - 0.8, 0.4 * f64::from(i / 5) - 0.8];
            add_ball(&mut world, (1.0, 0.4), r, 0.8, at(x, y, 0.1 + r));
        }
        let mut watched = Watched::new(world);
        for n in 1..=20 {
            watched.step();
            let t = f64::from(n) * 1e-3;
            for (i, state) in watched.world.state().bodies.iter().enumerate().skip(1) {
                let share = if i == plate { 1.0 } else { 2.0 / 7.0 };
                near_vector(
                    "velocity",
                    state.velocity,
                    share * plate_a * t * direction,
                    g * t,
                    EXACT,
                );
            }
        }
    }
}

pub(crate) fn box_spin() {
    let ([a, b], mu, h) = ([0.6_f64, 0.4], 0.3, 1e-3);
    let slowed = 6.0 * mu * G / a.hypot(b);
    for omega in [3.0, -0.5] {
        let mut world = world(down(), h);
        floor(&mut world, mu);
        let state = moving(at(0.0, 0.0, 0.1), Vec3::zeros(), Vec3::new(0.0, 0.0, omega));
        add_box(&mut world, 2.0, [a, b, 0.2], mu, state);
        let mut watched = Watched::new(world);
        let mut n = 0.0;
        while omega.abs() > slowed * h * (n + 1.0) {
            watched.step();
            n += 1.0;
            let state = &watched.world.state().bodies[1];
            let expected = omega - omega.signum() * slowed * n * h;
            near_vector("spin", state.spin, Vec3::new(0.0, 0.0, expected), slowed * h * n, EXACT);
            near("drift", state.velocity.norm(), 0.0, 1.0, EXACT);
        }
        watched.run(10);
        assert!(watched.fastest() < 1e-14, "{}", watched.fastest());
    }
}
