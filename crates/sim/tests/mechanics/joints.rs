//! Pendulums and linkages.

use stiction_sim::joint::{Joint, JointKind};
use stiction_sim::shape::Shape;
use stiction_sim::{Pose, Quat, Vec3, World};

use crate::lab::*;

/// Joins points of two bodies, given from their centres; z of a hinge is the world's y.
fn join(world: &mut World, a: (usize, Vec3), b: (usize, Vec3), kind: JointKind) {
    let rotation = Quat::rotation_between(&Vec3::z(), &Vec3::y()).unwrap();
    let frame = |position| Pose { position, rotation };
    let name = format!("joint {}", world.joints().len());
    world
        .add_joint(Joint {
            name,
            a: a.0,
            b: b.0,
            kind,
            frame_a: frame(a.1),
            frame_b: frame(b.1),
            limits: None,
            motor: None,
            friction: 0.0,
        })
        .unwrap();
}

/// A place to hang things from, that touches nothing: a half-space far below.
fn hook(world: &mut World) -> usize {
    wall(world, Vec3::new(0.0, 0.0, -100.0), Vec3::z(), 0.5)
}

/// From the hook's centre to a point of the world.
fn from_hook(x: f64, z: f64) -> Vec3 {
    Vec3::new(x, 0.0, z + 100.0)
}

/// When a coordinate first changes its sign, between steps by a straight line.
fn crossing(watched: &mut Watched, coordinate: impl Fn(&World) -> f64) -> f64 {
    let mut before = coordinate(&watched.world);
    loop {
        watched.step();
        let (now, time) = (coordinate(&watched.world), watched.world.state().time);
        assert!(time < 10.0, "does not swing");
        if before > 0.0 && now <= 0.0 {
            return time - watched.world.settings().dt * now / (now - before);
        }
        before = now;
    }
}

/// Moment of a bob about its centre [kg·m²].
const BOB: f64 = 4e-5;

/// A small angle [rad]: its square is the share by which the rate of an oscillation is not that of an infinitesimal one.
const SMALL: f64 = 1e-3;

/// A bob of 1 kg on a rod of length 1, released at 90 degrees: a quarter of its period.
fn quarter_of_pendulum(kind: JointKind, h: f64) -> f64 {
    let mut world = world(down(), h);
    let hook = hook(&mut world);
    let bob = add_ghost(&mut world, 1.0, [BOB; 3], at(1.0, 0.0, 0.0));
    let arm = match kind {
        JointKind::Distance { .. } => Vec3::zeros(),
        _ => -Vec3::x(),
    };
    join(&mut world, (bob, arm), (hook, from_hook(0.0, 0.0)), kind);
    let mut watched = Watched::new(world);
    let quarter = crossing(&mut watched, |world| world.state().bodies[bob].pose.position.x);
    let length = watched.world.state().bodies[bob].pose.position.norm();
    assert!((length - 1.0).abs() < 100.0 * h * h, "length {length}");
    quarter
}

pub(crate) fn pendulum() {
    let expected = stated("pendulum", 0);
    let small = std::f64::consts::FRAC_PI_2 / G.sqrt();
    for kind in [JointKind::Distance { length: 1.0 }, JointKind::Revolute] {
        // A bob that turns with its rod is slower than a point.
        let inertia = if kind == JointKind::Revolute { 1.0 + BOB } else { 1.0 };
        let error = |h: f64| quarter_of_pendulum(kind.clone(), h) / (small * inertia.sqrt()) - expected;
        within_square(&format!("{kind:?}"), 2e-3, 4.0, error);
        second_order(&format!("{kind:?}"), 2e-3, error);
    }
}

/// Two point masses on rods of length 1, the first at a small angle, the second at `ratio` times it.
fn double(ratio: f64, h: f64) -> Watched {
    let mut world = world(down(), h);
    let hook = hook(&mut world);
    let (s1, s2) = (SMALL, SMALL * ratio);
    let (c1, c2) = (f64::sqrt(1.0 - s1 * s1), f64::sqrt(1.0 - s2 * s2));
    let first = add_ghost(&mut world, 1.0, [1e-3; 3], at(s1, 0.0, -c1));
    let second = add_ghost(&mut world, 1.0, [1e-3; 3], at(s1 + s2, 0.0, -c1 - c2));
    let kind = JointKind::Distance { length: 1.0 };
    join(
        &mut world,
        (first, Vec3::zeros()),
        (hook, from_hook(0.0, 0.0)),
        kind.clone(),
    );
    join(&mut world, (second, Vec3::zeros()), (first, Vec3::zeros()), kind);
    Watched::new(world)
}

/// How far the rods of a double pendulum are from their length.
fn apart(watched: &Watched) -> f64 {
    let at = |body: usize| watched.world.state().bodies[body].pose.position;
    let lengths = [at(1).norm(), (at(2) - at(1)).norm()];
    lengths.iter().fold(0.0, |m, l| m.max((l - 1.0).abs()))
}

/// Energy above that of rest [J].
fn energy(watched: &Watched) -> f64 {
    let bodies = &watched.world.state().bodies[1..];
    let kinetic: f64 = bodies.iter().map(|b| 0.5 * b.velocity.norm_squared()).sum();
    kinetic + G * (bodies[0].pose.position.z + 1.0) + G * (bodies[1].pose.position.z + 2.0)
}

pub(crate) fn double_pendulum() {
    let stated = stated_all("double-pendulum", 0);
    for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
        let rate = stated[k];
        near("stated", rate, 2.0 - sign * 2.0_f64.sqrt(), 1.0, 1e-14);
        let error = |h: f64| {
            let quarter = crossing(&mut double(sign * 2.0_f64.sqrt(), h), |w| {
                w.state().bodies[1].pose.position.x
            });
            let omega = std::f64::consts::FRAC_PI_2 / quarter;
            omega * omega / G - rate
        };
        near("rate", error(1e-3), 0.0, rate, 10.0 * SMALL * SMALL);
        // What an angle that is not infinitesimal does is the same for every step.
        within_square("rate", 4e-3, 4.0 * rate * rate, |h| error(h) - error(0.5 * h));
        second_order("rate", 4e-3, |h| error(h) - error(0.5 * h));
    }
    // In two seconds energy is kept, and the rods keep their length.
    for h in [1e-2, 1e-3] {
        let mut watched = double(0.3, h);
        let start = energy(&watched);
        while watched.world.state().time < 2.0 - 0.5 * h {
            watched.step();
            assert!(apart(&watched) <= 1e-9, "rods off by {}", apart(&watched));
        }
        near("energy", energy(&watched), start, start, 2e-6);
    }
}

/// A long run: the rods keep their length over a million steps.
#[test]
#[ignore = "a million steps: cargo test --release -p stiction-sim --test mechanics -- --ignored"]
fn a_double_pendulum_keeps_its_rods_for_a_million_steps() {
    let mut watched = double(0.3, 1e-3);
    for _ in 0..1_000_000 {
        watched.step();
        assert!(apart(&watched) <= 1e-9, "rods off by {}", apart(&watched));
    }
}

/// Two cranks of mass m and a coupler of mass M, all of length 1, turned by a small angle.
fn linkage(m: f64, coupler: f64, h: f64) -> Watched {
    let mut world = world(down(), h);
    let hook = hook(&mut world);
    let sin: f64 = SMALL;
    let cos = (1.0 - sin * sin).sqrt();
    let half = Vec3::new(0.5 * sin, 0.0, -0.5 * cos);
    let ends = [0.0, 1.0];
    let cranks = ends.map(|x| {
        let crank = add_ghost(&mut world, m, [m / 12.0; 3], at(x + half.x, 0.0, half.z));
        join(
            &mut world,
            (crank, -half),
            (hook, from_hook(x, 0.0)),
            JointKind::Revolute,
        );
        crank
    });
    let middle = at(0.5 + sin, 0.0, -cos);
    let bar = add_ghost(&mut world, coupler, [coupler / 12.0; 3], middle);
    for (crank, x) in cranks.into_iter().zip([-0.5, 0.5]) {
        join(
            &mut world,
            (bar, Vec3::new(x, 0.0, 0.0)),
            (crank, half),
            JointKind::Revolute,
        );
    }
    Watched::new(world)
}

pub(crate) fn parallelogram() {
    for (m, coupler) in [(1.0, 2.0), (3.0, 0.5)] {
        let rate = (m + coupler) / (2.0 * m / 3.0 + coupler);
        let error = |h: f64| {
            let mut watched = linkage(m, coupler, h);
            let quarter = crossing(&mut watched, |w| w.state().bodies[3].pose.position.x - 0.5);
            watched.run(200);
            // The loop is closed: both cranks hang alike and the coupler's ends are theirs.
            let bodies = &watched.world.state().bodies;
            let half = bodies[1].pose.position;
            let off = bodies[2].pose.position - half - Vec3::x();
            let end = bodies[3].pose.position - 2.0 * half - 0.5 * Vec3::x();
            assert!(off.norm() <= 1e-9 && end.norm() <= 1e-9, "{off:?} {end:?}");
            let omega = std::f64::consts::FRAC_PI_2 / quarter;
            omega * omega / G - rate
        };
        near("rate", error(1e-3), 0.0, rate, 10.0 * SMALL * SMALL);
        // What an angle that is not infinitesimal does is the same for every step.
        within_square("rate", 4e-3, 4.0 * rate * rate, |h| error(h) - error(0.5 * h));
        second_order("rate", 4e-3, |h| error(h) - error(0.5 * h));
    }
}

/// Largest angle from upright of a pendulum of length 1 whose pivot moves up and down, a²w² being `share` of 2gl.
fn vibrated(share: f64) -> f64 {
    let (a, h) = (0.04, 1e-4);
    let w = (share * 2.0 * G).sqrt() / a;
    let mut world = world(down(), h);
    let shape = Shape::Ball { radius: 0.01 };
    let pivot = ground(&mut world, true, shape, 0.5, at(0.0, 0.0, a));
    let tilt: f64 = 0.05;
    let bob = add_ghost(&mut world, 1.0, [1e-3; 3], at(tilt.sin(), 0.0, a + tilt.cos()));
    let kind = JointKind::Distance { length: 1.0 };
    join(&mut world, (bob, Vec3::zeros()), (pivot, Vec3::zeros()), kind);
    let mut watched = Watched::new(world);
    let mut widest = 0.0_f64;
    for n in 0..80_000 {
        // The pivot is at a cos wt at the end of every step.
        let z = |n: i32| a * (w * f64::from(n) * h).cos();
        let speed = (z(n + 1) - z(n)) / h;
        watched
            .world
            .set_velocity(pivot, Vec3::new(0.0, 0.0, speed), Vec3::zeros())
            .unwrap();
        watched.step();
        let bodies = &watched.world.state().bodies;
        let rod = bodies[bob].pose.position - bodies[pivot].pose.position;
        widest = widest.max(rod.x.abs().atan2(rod.z));
        if widest > 1.0 {
            break;
        }
    }
    widest
}

pub(crate) fn kapitza() {
    let stable = vibrated(1.05);
    assert!(stable < 0.2, "stable: {stable}");
    let falls = vibrated(0.95);
    assert!(falls > 1.0, "falls: {falls}");
}
