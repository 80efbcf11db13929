//! Balls, wheels and discs.

use stiction_sim::shape::Shape;
use stiction_sim::{Pose, Quat, Vec3, World};

use crate::lab::*;

const DOWNWARD: Vec3 = Vec3::new(0.0, 0.0, -1.0);

/// What rolls.
#[derive(Clone, Copy)]
enum Wheel {
    Ball,
    /// A cylinder that lies along y.
    Cylinder,
}

/// A wheel with inertia k m r² on a floor, that moves along x.
fn wheel(kind: Wheel, k: f64, gravity: Vec3, h: f64, mu: f64, r: f64, speed: f64) -> World {
    let mut world = world(gravity, h);
    floor(&mut world, mu);
    let mut state = moving(at(0.0, 0.0, r), Vec3::new(speed, 0.0, 0.0), Vec3::zeros());
    match kind {
        Wheel::Ball => add_ball(&mut world, (1.0, k), r, mu, state),
        Wheel::Cylinder => {
            // The axis of a cylinder is its z.
            state.pose.rotation = Quat::rotation_between(&Vec3::z(), &Vec3::y()).unwrap();
            let shape = Shape::Cylinder {
                half_height: 0.5 * r,
                radius: r,
            };
            let moments = [0.6, 0.6, 1.0].map(|share| share * k * r * r);
            add(&mut world, shape, (1.0, moments), mu, state)
        }
    };
    world
}

/// Velocity of the lowest point.
fn slip(world: &World, r: f64) -> Vec3 {
    let state = &world.state().bodies[1];
    state.velocity + state.spin.cross(&(r * DOWNWARD))
}

fn slide_to_roll(id: &str, kind: Wheel, k: f64) {
    let (v0, mu, r) = (3.0, 0.2, 0.1);
    let [speed, time] = [0, 1].map(|quantity| stated(id, quantity));
    near("speed", speed, v0 / (1.0 + k), 1.0, 1e-14);
    near("time", time, k * v0 / ((1.0 + k) * mu * G), 1.0, 1e-14);
    for h in [0.01, 0.003, 0.0007] {
        let mut watched = Watched::new(wheel(kind, k, down(), h, mu, r, v0));
        while slip(&watched.world, r).norm() > 1e-9 {
            watched.step();
        }
        let rolls = watched.world.state().time;
        assert!((rolls - time).abs() <= h, "{id}: rolls after {rolls}, h {h}");
        watched.run(100);
        let state = &watched.world.state().bodies[1];
        near_vector(id, state.velocity, Vec3::new(speed, 0.0, 0.0), speed, EXACT);
        near("spin", state.spin.y, speed / r, speed / r, EXACT);
        watched.does_not_overlap();
    }
    // After a second: sliding at first, then at the speed of rolling. When in a step it begins to roll decides on the share of h².
    let smooth = v0 * time - 0.5 * mu * G * time * time + speed * (1.0 - time);
    within_square(id, 1.0 / 128.0, 3.0, |h| {
        let mut watched = Watched::new(wheel(kind, k, down(), h, mu, r, v0));
        while watched.world.state().time < 1.0 - 0.5 * h {
            watched.step();
        }
        watched.moved("body 1").x - smooth
    });
}

pub(crate) fn slide_to_roll_solid() {
    slide_to_roll("slide-to-roll-solid", Wheel::Ball, 0.4);
}

pub(crate) fn slide_to_roll_disc() {
    slide_to_roll("slide-to-roll-disc", Wheel::Cylinder, 0.5);
}

pub(crate) fn slide_to_roll_hollow() {
    slide_to_roll("slide-to-roll-hollow", Wheel::Ball, 2.0 / 3.0);
}

pub(crate) fn slide_to_roll_hoop() {
    slide_to_roll("slide-to-roll-hoop", Wheel::Cylinder, 1.0);
}

pub(crate) fn bowling() {
    let (mu, r, h) = (0.2, 0.1, 1e-3);
    for (v0, spin) in [
        (Vec3::new(4.0, 0.0, 0.0), Vec3::zeros()),
        (Vec3::new(4.0, 0.0, 0.0), Vec3::new(30.0, -10.0, 5.0)),
        (Vec3::new(-1.0, 2.0, 0.0), Vec3::new(20.0, 7.0, -40.0)),
    ] {
        let mut world = wheel(Wheel::Ball, 0.4, down(), h, mu, r, 0.0);
        world.set_velocity(1, v0, spin).unwrap();
        let u0 = slip(&world, r);
        let mut watched = Watched::new(world);
        let mut steps = 0;
        while slip(&watched.world, r).norm() > 1e-9 {
            let u = slip(&watched.world, r);
            near("direction", u.cross(&u0).norm(), 0.0, u0.norm_squared(), EXACT);
            watched.step();
            steps += 1;
            assert!(steps < 10_000);
        }
        watched.run(10);
        let end = watched.world.state().bodies[1].velocity;
        near_vector("final velocity", end, v0 - 2.0 / 7.0 * u0, v0.norm(), EXACT);
    }
}

fn roll_incline(id: &str, kind: Wheel, k: f64) {
    let (tan, r, h) = (0.75, 0.3, 1e-3);
    let (sin, cos) = sine_cosine(tan);
    let [a, friction, least] = [0, 1, 2].map(|quantity| stated(id, quantity));
    near("a", a, G * sin / (1.0 + k), 1.0, 1e-14);
    for mu in [0.9, least * (1.0 + NEAR)] {
        let mut watched = Watched::new(wheel(kind, k, inclined(tan, 0.0), h, mu, r, 0.0));
        for n in 1..=200 {
            watched.step();
            let (t, state) = (f64::from(n) * h, &watched.world.state().bodies[1]);
            near_vector(id, state.velocity, Vec3::new(a * t, 0.0, 0.0), a * t, EXACT);
            near("slip", slip(&watched.world, r).norm(), 0.0, a * t, EXACT);
            let force = watched.force(1, 0);
            near("friction", -force.x / (G * sin), friction, 1.0, EXACT);
            near("normal force", force.z, G * cos, G, EXACT);
        }
    }
    let mu = least * (1.0 - NEAR);
    let mut watched = Watched::new(wheel(kind, k, inclined(tan, 0.0), h, mu, r, 0.0));
    watched.run(100);
    let expected = G * (sin - mu * cos * (1.0 + 1.0 / k)) * 0.1;
    assert!(expected > 0.1 * NEAR * G * 0.1);
    near("slips", slip(&watched.world, r).x, expected, G * 0.1, EXACT);
}

pub(crate) fn roll_incline_sphere() {
    roll_incline("roll-incline-sphere", Wheel::Ball, 0.4);
}

pub(crate) fn roll_incline_cylinder() {
    roll_incline("roll-incline-cylinder", Wheel::Cylinder, 0.5);
}

pub(crate) fn roll_incline_hoop() {
    roll_incline("roll-incline-hoop", Wheel::Cylinder, 1.0);
}

/// A ball that rolls on a table turning at 2 rad/s for a second: where it is, and by how much its velocity has turned.
fn on_turntable(h: f64) -> (Vec3, f64) {
    let (omega, r) = (2.0, 0.1);
    let mut world = world(down(), h);
    let turning = moving(at(0.0, 0.0, -0.5), Vec3::zeros(), Vec3::new(0.0, 0.0, omega));
    let shape = Shape::cuboid(Vec3::new(5.0, 5.0, 0.5));
    ground(&mut world, true, shape, 1.0, turning);
    // Without slip: v + r ω × (−z) = Ω × x.
    let (v, x) = (Vec3::new(0.0, 0.3, 0.0), 0.5);
    let spin = Vec3::new((omega * x - v.y) / r, 0.0, 0.0);
    add_ball(&mut world, (1.0, 0.4), r, 1.0, moving(at(x, 0.0, r), v, spin));
    let mut watched = Watched::new(world);
    let mut turned = 0.0;
    while watched.world.state().time < 1.0 - 0.5 * h {
        let before = watched.world.state().bodies[1].velocity;
        watched.step();
        let after = watched.world.state().bodies[1].velocity;
        turned += (before.x * after.y - before.y * after.x).atan2(before.dot(&after));
    }
    (watched.moved("body 1"), turned)
}

pub(crate) fn turntable() {
    let omega = 2.0;
    let rate = stated("turntable", 0);
    near("rate", rate, 2.0 / 7.0, 1.0, 1e-15);
    within_square("rate", 1.0 / 256.0, 0.012, |h| on_turntable(h).1 / omega - rate);
    // v turns at (2/7)Ω: after a second 0.3 (cos φ − 1, sin φ)/((2/7)Ω).
    let phi: f64 = rate * omega;
    let end = 0.3 / phi * Vec3::new(phi.cos() - 1.0, phi.sin(), 0.0);
    within_square("orbit", 1.0 / 256.0, 0.012, |h| (on_turntable(h).0 - end).norm());
    second_order("orbit", 1.0 / 256.0, |h| (on_turntable(h).0 - end).norm());
}

/// Angle from the top at which a small ball leaves a large one [rad].
fn leaves(mu: f64, h: f64, speed: f64) -> f64 {
    let mut world = world(down(), h);
    ground(&mut world, false, Shape::Ball { radius: 1.0 }, mu, at(0.0, 0.0, 0.0));
    let r = 0.05;
    let spin = if mu > 0.0 { speed / r } else { 0.0 };
    let state = moving(
        at(0.0, 0.0, 1.0 + r),
        Vec3::new(speed, 0.0, 0.0),
        Vec3::new(0.0, spin, 0.0),
    );
    add_ball(&mut world, (1.0, 0.4), r, mu, state);
    let mut watched = Watched::new(world);
    loop {
        watched.step();
        let p = watched.world.state().bodies[1].pose.position;
        assert!(p.z > 0.0, "does not leave");
        if watched.world.state().step > 2 && watched.force(1, 0).norm() == 0.0 {
            return p.x.atan2(p.z);
        }
    }
}

pub(crate) fn leave_sphere() {
    // From the top with speed v: cos θ = (2 + v²/(gρ))/3 without friction, (10 + 7v²/(gρ))/17 rolling.
    let v = 0.2;
    let share = v * v / (G * 1.05);
    for (quantity, mu, top, bottom, weight) in [(0, 0.0, 2.0, 3.0, 1.0), (1, f64::INFINITY, 10.0, 17.0, 7.0)] {
        let from_top: f64 = f64::acos(top / bottom);
        near(
            "stated",
            from_top.to_degrees(),
            stated("leave-sphere", quantity),
            1.0,
            1e-12,
        );
        let expected = f64::acos((top + weight * share) / bottom);
        within("leaves at", 2e-3, 8.0, |h| leaves(mu, h, v) - expected);
    }
}

/// Rate at which the axis of a disc on its rim turns about the vertical, over one turn.
fn precession(h: f64, expected: f64) -> f64 {
    let (r, alpha) = (0.0375, 10.0_f64.to_radians());
    let (sin, cos) = alpha.sin_cos();
    let mut world = world(Vec3::new(0.0, 0.0, -9.81), h);
    floor(&mut world, 1e3);
    // The lowest point of the rim lies in the direction (cos α, 0, −sin α); the disc turns about that line.
    let half_height = 1e-7 * r;
    let state = moving(
        turned(at(0.0, 0.0, r * sin + half_height * cos), (0.5 * alpha).sin()),
        Vec3::zeros(),
        -expected * sin * Vec3::new(cos, 0.0, -sin),
    );
    let shape = Shape::Cylinder { half_height, radius: r };
    let moments = [0.25, 0.25, 0.5].map(|share| share * r * r);
    add(&mut world, shape, (1.0, moments), 1e3, state);
    let mut watched = Watched::new(world);
    let mut turned = 0.0;
    loop {
        let before = watched.world.state().bodies[1].pose.direction(Vec3::z());
        watched.step();
        let after = watched.world.state().bodies[1].pose.direction(Vec3::z());
        turned += (before.x * after.y - before.y * after.x).atan2(before.x * after.x + before.y * after.y);
        assert!(watched.world.state().time < 1.0, "turned by {turned}");
        if turned.abs() >= std::f64::consts::TAU {
            return turned.abs() / watched.world.state().time;
        }
    }
}

pub(crate) fn euler_disk() {
    let expected = stated("euler-disk", 0);
    within_square("precession", 2e-4, 180.0, |h| precession(h, expected) / expected - 1.0);
    second_order("precession", 2e-4, |h| precession(h, expected) / expected - 1.0);
}

/// Largest change of L · r over a fifth of a second, as a share of the start.
fn jellett_change(h: f64) -> f64 {
    let (r, offset) = (0.1, 0.02);
    let mut world = world(down(), h);
    floor(&mut world, 0.3);
    let centre = Pose {
        position: Vec3::new(0.0, 0.0, offset),
        rotation: Quat::identity(),
    };
    let shape = Shape::Compound(vec![(centre, Shape::Ball { radius: r })]);
    let tilt: f64 = 0.2;
    // The lowest point of the ball is on the floor.
    let state = moving(
        turned(
            at(-offset * tilt.sin(), 0.0, r - offset * tilt.cos()),
            (0.5 * tilt).sin(),
        ),
        Vec3::zeros(),
        Vec3::new(0.0, 0.0, 60.0),
    );
    let moments = [0.0036, 0.0036, 0.004];
    add(&mut world, shape, (1.0, moments), 0.3, state);
    let mut watched = Watched::new(world);
    let number = |watched: &Watched| {
        let state = &watched.world.state().bodies[1];
        let spin = state.pose.direction_in_body(state.spin);
        let momentum = state.pose.direction(spin.component_mul(&Vec3::from(moments)));
        let arm = state.pose.direction(Vec3::new(0.0, 0.0, offset)) + r * DOWNWARD;
        momentum.dot(&arm)
    };
    let start = number(&watched);
    let mut worst = 0.0_f64;
    while watched.world.state().time < 0.2 - 0.5 * h {
        watched.step();
        worst = worst.max((number(&watched) / start - 1.0).abs());
    }
    // It has done something: the axis has moved.
    let axis = watched.world.state().bodies[1].pose.direction(Vec3::z()).z;
    assert!((axis - tilt.cos()).abs() > 1e-3, "{axis}");
    worst
}

pub(crate) fn jellett() {
    within_square("L · r", 2e-4, 0.12, jellett_change);
    second_order("L · r", 2e-4, jellett_change);
}
