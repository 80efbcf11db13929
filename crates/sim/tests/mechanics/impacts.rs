//! Rods, blocks and balls that hit, rock and leave.

use stiction_sim::shape::{Polytope, Shape};
use stiction_sim::{Vec3, World};

use crate::lab::*;
use crate::resting::leaning;

/// A slender double pyramid whose tips are the ends of a rod of half length 1, at a given slope; the lower end is on the floor at the left.
fn rod_on_tip(tan: f64, gravity: Vec3, h: f64, mu: f64, velocity: Vec3) -> World {
    let (sin, cos) = sine_cosine(tan);
    let mut world = world(gravity, h);
    floor(&mut world, mu);
    let end = Vec3::new(cos, 0.0, sin);
    let (side, up) = (Vec3::new(0.0, 0.05, 0.0), Vec3::new(-0.05 * sin, 0.0, 0.05 * cos));
    let points = [end, -end, side, -side, up, -up];
    let shape = Shape::Polytope(std::sync::Arc::new(Polytope::hull(&points).unwrap()));
    let state = moving(at(0.0, 0.0, sin), velocity, Vec3::zeros());
    add(&mut world, shape, (1.0, [1.0 / 3.0; 3]), mu, state);
    world
}

pub(crate) fn rod_end_release() {
    let [force, tip] = [0, 1].map(|quantity| stated("rod-end-release", quantity));
    for h in [1e-2, 1e-3] {
        let mut world = world(down(), h);
        // Under the left end, a ball.
        let support = ground(
            &mut world,
            false,
            Shape::Ball { radius: 0.1 },
            0.0,
            at(-1.0, 0.0, -0.11),
        );
        let shape = Shape::cuboid(Vec3::new(1.0, 0.05, 0.01));
        let rod = add(&mut world, shape, (1.0, [1.0 / 3.0; 3]), 0.0, at(0.0, 0.0, 0.0));
        let mut watched = Watched::new(world);
        // In a step of 10 ms from rest closing lifts the rod by 2 nm, two billionths of its energy: only the shorter step is watched.
        if h > 5e-3 {
            watched.world.step().unwrap();
        } else {
            watched.step();
        }
        near("support", watched.force(rod, support).z / G, force, 1.0, EXACT);
        let state = &watched.world.state().bodies[rod];
        let end = state.velocity.z - state.spin.y;
        // The acceleration at the start; within the step the rod turns.
        near("tip", -end / (G * h), tip, 1.0, 0.2 * h * h);
    }
}

pub(crate) fn rod_impact() {
    let [smooth] = [stated("rod-impact", 0)];
    let sticks = stated_all("rod-impact", 1);
    for (mu, expected) in [(0.0, [smooth, 0.0]), (10.0, [sticks[0], sticks[1]])] {
        let h = 1e-3;
        let mut watched = Watched::new(rod_on_tip(2.0, Vec3::zeros(), h, mu, -Vec3::z()));
        watched.step();
        let impulse = h * watched.force(1, 0);
        near_vector("impulse", impulse, Vec3::new(expected[1], 0.0, expected[0]), 1.0, EXACT);
    }
}

pub(crate) fn painleve() {
    let [normal, friction] = [0, 1].map(|k| stated_all("painleve", 2)[k]);
    let sliding = |tan: f64, mu: f64, gh: f64| {
        let h = 1e-3;
        let gravity = Vec3::new(0.0, 0.0, -gh / h);
        let mut watched = Watched::new(rod_on_tip(tan, gravity, h, mu, -Vec3::x()));
        watched.step();
        h * watched.force(1, 0)
    };
    let found = sliding(2.0, 2.0, 0.01);
    near_vector("impulses", found, Vec3::new(friction, 0.0, normal), 1.0, EXACT);
    // Below the boundary the impulse goes to zero with the step: N = gh/(1 + 3cos² − 3μ sin cos). Beyond it it does not.
    let mut least = f64::INFINITY;
    for tan in [0.5, 1.0, 2.0, 3.0, 5.0] {
        let (sin, cos) = sine_cosine(tan);
        let (own, cross) = (1.0 + 3.0 * cos * cos, 3.0 * sin * cos);
        let boundary = own / cross;
        least = f64::min(least, boundary);
        // Well above what the step takes for zero, 1e-9 of the slip, and small enough for the slip to go on.
        let gh = 2e-8;
        let below = sliding(tan, boundary * (1.0 - NEAR), gh);
        // So near to the boundary rounding counts a million times.
        near("below", below.z, gh / (own * NEAR), gh / (own * NEAR), 1e-3);
        let beyond = sliding(tan, boundary * (1.0 + NEAR), gh);
        // The rod stops: the impulse of an impact although nothing hits.
        let stop = cross / (own * (1.0 + 3.0 * sin * sin) - cross * cross);
        near("beyond", beyond.z, stop, stop, 1e-6);
    }
    near("least", least, stated("painleve", 0), 1.0, EXACT);
}

pub(crate) fn cradle() {
    let row = |n: usize, gap: f64, e: f64, steps: usize| {
        let mut world = world(Vec3::zeros(), 1e-3);
        for i in 0..n {
            let speed = if i == 0 { 1.0 } else { 0.0 };
            let state = moving(
                at(i as f64 * (1.0 + gap), 0.0, 0.0),
                Vec3::new(speed, 0.0, 0.0),
                Vec3::zeros(),
            );
            add_ball(&mut world, (1.0, 0.4), 0.5, 0.0, state);
        }
        for i in 1..n {
            set_restitution(&mut world, i - 1, i, e);
        }
        let mut watched = Watched::new(world);
        watched.run(steps);
        let bodies = &watched.world.state().bodies;
        bodies.iter().map(|b| b.velocity.x).collect::<Vec<f64>>()
    };
    for n in [2, 3, 5] {
        let size = n as f64;
        for (i, v) in row(n, 0.0, 1.0, 1).iter().enumerate() {
            let expected = if i == 0 { -(size - 2.0) / size } else { 2.0 / size };
            near("elastic", *v, expected, 1.0, EXACT);
        }
        for v in row(n, 0.0, 0.0, 1) {
            near("plastic", v, 1.0 / size, 1.0, EXACT);
        }
        // Gaps of more than a step's travel: one hit after the other.
        for (i, v) in row(n, 0.0123, 1.0, 100).iter().enumerate() {
            let expected = if i == n - 1 { 1.0 } else { 0.0 };
            near("one by one", *v, expected, 1.0, EXACT);
        }
    }
}

/// Block of half width b and half height 1 that turned about its left edge lands on its right one.
fn landing(b: f64, mu: f64) -> Watched {
    let mut world = world(Vec3::zeros(), 1e-3);
    floor(&mut world, mu);
    let state = moving(at(0.0, 0.0, 1.0), Vec3::new(1.0, 0.0, -b), Vec3::new(0.0, 1.0, 0.0));
    add_box(&mut world, 1.0, [2.0 * b, 1.0, 2.0], mu, state);
    let mut watched = Watched::new(world);
    watched.step();
    watched
}

fn rocking_impact(id: &str, b: f64) {
    let [ratio, least] = [0, 1].map(|quantity| stated(id, quantity));
    near("ratio", ratio, 1.0 - 1.5 * b * b / (1.0 + b * b), 1.0, 1e-15);
    let edge = |watched: &Watched| {
        let state = &watched.world.state().bodies[1];
        state.velocity + state.spin.cross(&state.pose.direction(Vec3::new(b, 0.0, -1.0)))
    };
    for mu in [5.0, least * (1.0 + NEAR)] {
        let watched = landing(b, mu);
        let spin = watched.world.state().bodies[1].spin;
        near_vector("spin", spin, Vec3::new(0.0, ratio, 0.0), 1.0, EXACT);
        near("edge", edge(&watched).norm(), 0.0, 1.0, EXACT);
        let force = watched.force(1, 0);
        near("friction", force.x.abs() / force.z, least, 1.0, EXACT);
    }
    let slips = edge(&landing(b, least * (1.0 - NEAR))).x.abs();
    assert!(slips > 0.01 * NEAR, "{slips:e}");
}

pub(crate) fn rocking_impact_0_2() {
    rocking_impact("rocking-impact-0.2", 0.2);
}

pub(crate) fn rocking_impact_0_5() {
    rocking_impact("rocking-impact-0.5", 0.5);
}

pub(crate) fn rocking_impact_1() {
    rocking_impact("rocking-impact-1", 1.0);
}

/// θ″ = −p² sin(α − θ) from θ₀ at rest: the angle at a time, by Runge and Kutta's method.
fn rocking_angle(p: f64, alpha: f64, theta0: f64, time: f64) -> f64 {
    let steps = 10_000;
    let h = time / f64::from(steps);
    let f = |x: f64| -p * p * (alpha - x).sin();
    let (mut x, mut v) = (theta0, 0.0);
    for _ in 0..steps {
        let (k1, l1) = (v, f(x));
        let (k2, l2) = (v + 0.5 * h * l1, f(x + 0.5 * h * k1));
        let (k3, l3) = (v + 0.5 * h * l2, f(x + 0.5 * h * k2));
        let (k4, l4) = (v + h * l3, f(x + h * k3));
        x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        v += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
    }
    x
}

/// Angles of a slender block, half width b and half height 1, that rocks from θ₀ on its right edge: at a time, and when it is upright.
fn rocks(b: f64, theta0: f64, h: f64, time: f64) -> (f64, f64) {
    let mut world = world(down(), h);
    floor(&mut world, 5.0);
    let (sin, cos) = theta0.sin_cos();
    // Its right lower edge is the origin.
    let state = turned(at(-b * cos + sin, 0.0, b * sin + cos), (0.5 * theta0).sin());
    add_box(&mut world, 1.0, [2.0 * b, 1.0, 2.0], 5.0, state);
    let mut watched = Watched::new(world);
    let angle = |watched: &Watched| {
        let q = watched.world.state().bodies[1].pose.rotation;
        2.0 * q.j.atan2(q.w)
    };
    let (mut at_time, mut last) = (f64::NAN, theta0);
    loop {
        watched.step();
        let (t, now) = (watched.world.state().time, angle(&watched));
        assert!(t < 10.0);
        if (t - time).abs() < 0.5 * h {
            at_time = now;
        }
        if now <= 1e-9 {
            return (at_time, t - h * (1e-9 - now) / (last - now));
        }
        last = now;
    }
}

pub(crate) fn rocking_period() {
    for b in [0.05, 0.1] {
        let alpha = f64::atan(b);
        let theta0 = 0.5 * alpha;
        let p = (3.0 * G / (4.0 * b.hypot(1.0))).sqrt();
        // A quarter of the period: from rest to upright.
        let quarter = f64::acosh(1.0 / (1.0 - theta0 / alpha)) / p;
        let h = 1.0 / 1024.0;
        for h in [h, 0.5 * h, 0.25 * h] {
            let upright = rocks(b, theta0, h, 0.0).1;
            let error = (upright - quarter).abs();
            // The closed form is that of small angles.
            assert!(
                error <= 3.0 * h * h + 0.1 * alpha * alpha * quarter,
                "{upright}, expected {quarter}"
            );
        }
        let time = 0.25;
        let exact = rocking_angle(p, alpha, theta0, time);
        within_square("angle", h, 0.05, |h| rocks(b, theta0, h, time).0 - exact);
        second_order("angle", h, |h| rocks(b, theta0, h, time).0 - exact);
    }
}

/// Heights of the bounces of a ball as shares of the first, and the time until it rests.
fn bounces(e: f64, h: f64, count: usize) -> (Vec<f64>, f64) {
    let (height, r) = (1.0, 0.1);
    let mut world = world(down(), h);
    let floor = floor(&mut world, 0.0);
    let ball = add_ball(&mut world, (1.0, 0.4), r, 0.0, at(0.0, 0.0, height + r));
    set_restitution(&mut world, floor, ball, e);
    let mut watched = Watched::new(world);
    let (mut heights, mut highest, mut rising) = (Vec::new(), 0.0_f64, false);
    let mut rests = 0.0;
    while watched.world.state().time < 20.0 {
        watched.step();
        let state = &watched.world.state().bodies[ball];
        let z = state.pose.position.z - r;
        if state.velocity.z > 0.0 {
            rising = true;
            highest = highest.max(z);
        } else if rising {
            heights.push(highest / height);
            (rising, highest) = (false, 0.0);
        }
        if state.velocity.norm() > 1e-9 {
            rests = watched.world.state().time;
        } else if watched.world.state().time > rests + 0.1 {
            break;
        }
    }
    heights.truncate(count);
    (heights, rests)
}

pub(crate) fn bouncing_ball() {
    for e in [0.5, 0.8] {
        for n in 1..=5_u8 {
            within("height", 1e-3, 8.0, |h| {
                bounces(e, h, 5).0[usize::from(n) - 1] - e.powi(2 * i32::from(n))
            });
        }
        // All bounces end in a finite time.
        let expected = (2.0 / G).sqrt() * (1.0 + e) / (1.0 - e);
        within("time", 1e-3, 20.0, |h| bounces(e, h, 5).1 - expected);
    }
    // Without loss it comes back to where it was, and never higher.
    let (heights, _) = bounces(1.0, 1e-3, 5);
    for height in heights {
        assert!((0.9..=1.0 + 1e-9).contains(&height), "{height}");
    }
}

/// Height of a ladder's top when it leaves the wall, as a share of the start.
fn leaves_wall(h: f64) -> f64 {
    let mut watched = Watched::new(leaning(1.5, 0.0, 0.0, h));
    let top = |watched: &Watched| {
        let state = &watched.world.state().bodies[2];
        let (sin, cos) = sine_cosine(1.5);
        state.pose.point(Vec3::new(-cos, 0.0, sin))
    };
    let start = top(&watched).z;
    let (mut left, mut free) = (start, 0);
    while free < 5 {
        watched.step();
        let now = top(&watched).z;
        assert!(now > 0.0, "does not leave");
        if watched.force(2, 1) == Vec3::zeros() {
            free += 1;
        } else {
            (left, free) = (now, 0);
        }
    }
    left / start
}

pub(crate) fn ladder_leaves_wall() {
    let expected = stated("ladder-leaves-wall", 0);
    within("leaves at", 2e-3, 3.0, |h| leaves_wall(h) - expected);
}
