//! Motion of second order: scenes with closed forms, at 4, 2, 1 and 0.5 ms.
#![allow(clippy::unwrap_used)]

use stiction_scene::WorldExt;
use stiction_sim::body::{Body, Kind, Material};
use stiction_sim::joint::{Joint, JointKind};
use stiction_sim::shape::Shape;
use stiction_sim::state::BodyState;
use stiction_sim::{Mat3, Pose, Quat, Settings, Stepper, Vec3, World};

const G: f64 = 9.81;
const STEPS: [f64; 4] = [4e-3, 2e-3, 1e-3, 5e-4];

fn world(h: f64, gravity: Vec3) -> World {
    World::new(Settings {
        dt: h,
        gravity,
        stepper: Stepper::Midpoint,
        ..Settings::default()
    })
    .unwrap()
}

fn body(name: &str, kind: Kind, shape: Shape, friction: f64) -> Body {
    Body {
        name: name.to_owned(),
        kind,
        shape,
        material: Material {
            friction,
            restitution: 0.0,
            viscosity: 0.0,
        },
        groups: 1,
        origin_body: Vec3::zeros(),
    }
}

fn dynamic(mass: f64, inertia: [f64; 3]) -> Kind {
    Kind::Dynamic {
        mass,
        inertia_body: Mat3::from_diagonal(&Vec3::from(inertia)),
    }
}

fn about_y(angle: f64) -> Quat {
    Quat::from_axis_angle(&Vec3::y_axis(), angle)
}

/// A frame whose z axis lies along y.
fn hinge_frame(position: Vec3) -> Pose {
    Pose {
        position,
        rotation: Quat::from_axis_angle(&Vec3::x_axis(), -std::f64::consts::FRAC_PI_2),
    }
}

fn joint(kind: JointKind, [a, b]: [usize; 2], [frame_a, frame_b]: [Pose; 2]) -> Joint {
    Joint {
        name: "joint".to_owned(),
        a,
        b,
        kind,
        frame_a,
        frame_b,
        limits: None,
        motor: None,
        friction: 0.0,
    }
}

fn energy(world: &World) -> f64 {
    world.ledger().kinetic + world.ledger().potential
}

/// Steps for a time [s].
fn run(world: &mut World, time: f64) {
    while world.state().time < time - 0.5 * world.settings().dt {
        world.step().unwrap();
    }
}

/// Order of convergence: the slope of errors over the steps.
fn order(errors: &[f64; 4]) -> f64 {
    (errors[0].abs() / errors[3].abs()).ln() / 8.0_f64.ln()
}

/// A rod of 1 m hinged at its end about y, at an angle above the horizontal, turning.
fn rod(h: f64, angle: f64, spin: f64, gravity: f64) -> World {
    let mut world = world(h, Vec3::new(0.0, 0.0, -gravity));
    let ground = body("ground", Kind::Fixed, Shape::Ball { radius: 0.01 }, 0.0);
    world.add_body(ground, BodyState::default()).unwrap();
    let rotation = about_y(-angle);
    let centre = rotation * Vec3::new(0.5, 0.0, 0.0);
    let omega = Vec3::new(0.0, -spin, 0.0);
    let shape = Shape::Capsule {
        half_length: 0.4,
        radius: 0.01,
    };
    let rod = body("rod", dynamic(1.0, [1e-4, 1.0 / 12.0, 1.0 / 12.0]), shape, 0.0);
    let state = BodyState {
        pose: Pose {
            position: centre,
            rotation,
        },
        velocity: omega.cross(&centre),
        spin: omega,
    };
    world.add_body(rod, state).unwrap();
    world.keep_apart(0, 1).unwrap();
    let frames = [hinge_frame(Vec3::new(-0.5, 0.0, 0.0)), hinge_frame(Vec3::zeros())];
    world.add_joint(joint(JointKind::Revolute, [1, 0], frames)).unwrap();
    world
}

fn angle_of(world: &World) -> f64 {
    let x = world.state().bodies[1].pose.direction(Vec3::x());
    x.z.atan2(x.x)
}

/// The angle of a pendulum by fine steps of Runge and Kutta's method.
fn integrate(f: impl Fn([f64; 2]) -> [f64; 2], mut y: [f64; 2], time: f64) -> [f64; 2] {
    let steps = 200_000;
    let h = time / f64::from(steps);
    let along = |y: [f64; 2], k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    for _ in 0..steps {
        let a = f(y);
        let b = f(along(y, a, 0.5 * h));
        let c = f(along(y, b, 0.5 * h));
        let d = f(along(y, c, h));
        for k in 0..2 {
            y[k] += h / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]);
        }
    }
    y
}

fn ground(world: &mut World, shape: Shape, friction: f64) {
    let ground = body("ground", Kind::Fixed, shape, friction);
    world.add_body(ground, BodyState::default()).unwrap();
}

fn still(position: Vec3) -> BodyState {
    BodyState {
        pose: Pose {
            position,
            rotation: Quat::identity(),
        },
        ..BodyState::default()
    }
}

#[test]
fn a_whirling_rod_keeps_its_spin() {
    let errors = STEPS.map(|h| {
        let mut world = rod(h, 0.0, 10.0, 0.0);
        run(&mut world, 1.0);
        let spin = -world.state().bodies[1].spin.y;
        assert!((spin / 10.0 - 1.0).abs() < 1e-12, "{h}: {spin}");
        angle_of(&world) - 10.0 + 4.0 * std::f64::consts::PI
    });
    assert!(order(&errors) > 1.9 && errors[2].abs() < 1e-4, "{errors:?}");
}

#[test]
fn a_pendulum_keeps_its_energy_and_period() {
    let start = 60.0_f64.to_radians();
    let exact = integrate(|[x, v]| [v, -1.5 * G * x.cos()], [start, 0.0], 3.0)[0];
    let errors = STEPS.map(|h| {
        let mut world = rod(h, start, 0.0, G);
        let before = energy(&world);
        run(&mut world, 3.0);
        let lost = (energy(&world) - before) / (G * 0.5);
        // All of it in the first step: where motion begins its energy is no measure for what is given back.
        assert!(lost.abs() < 4e-4 * h * h, "{h}: {lost:e}");
        let pi = std::f64::consts::PI;
        (angle_of(&world) - exact + pi).rem_euclid(2.0 * pi) - pi
    });
    assert!(order(&errors) > 1.9 && errors[2].abs() < 1e-5, "{errors:?}");
}

#[test]
fn a_gyroscope_does_not_droop() {
    let (m, l, i3, i1, w3) = (1.0, 0.1, 0.002, 0.0012, 100.0);
    let om = m * G * l / (i3 * w3);
    for h in [1e-3, 5e-4] {
        let mut world = world(h, Vec3::new(0.0, 0.0, -G));
        ground(&mut world, Shape::Ball { radius: 0.01 }, 0.0);
        let state = BodyState {
            velocity: Vec3::new(0.0, om * l, 0.0),
            spin: Vec3::new(w3, 0.0, om),
            ..still(Vec3::new(l, 0.0, 0.0))
        };
        let top = body("top", dynamic(m, [i3, i1, i1]), Shape::Ball { radius: 0.05 }, 0.0);
        world.add_body(top, state).unwrap();
        world.keep_apart(0, 1).unwrap();
        let frames = [-l, 0.0].map(|x| still(Vec3::new(x, 0.0, 0.0)).pose);
        world.add_joint(joint(JointKind::Spherical, [1, 0], frames)).unwrap();
        let before = energy(&world);
        run(&mut world, 2.0);
        let droop = (-world.state().bodies[1].pose.position.z / l).asin().to_degrees();
        assert!(droop.abs() < 1e-3, "{h}: {droop:e}°");
        let lost = energy(&world) / before - 1.0;
        assert!(lost.abs() < 1e-11, "{h}: {lost:e}");
    }
}

/// A block on a table that turns at a share of the rate at which it would slip, and one turn of it.
fn on_turntable(h: f64, share: f64) -> f64 {
    let (mu, r) = (0.5, 0.4);
    let om = share * (mu * G / r).sqrt();
    let mut world = world(h, Vec3::new(0.0, 0.0, -G));
    let table = body("table", Kind::Kinematic, Shape::cuboid(Vec3::new(1.0, 1.0, 0.05)), mu);
    let state = BodyState {
        spin: Vec3::new(0.0, 0.0, om),
        ..still(Vec3::new(0.0, 0.0, -0.05))
    };
    world.add_body(table, state).unwrap();
    let shape = Shape::cuboid(Vec3::new(0.05, 0.05, 0.01));
    let block = body("block", dynamic(1.0, [8.6e-4, 8.6e-4, 1.7e-3]), shape, mu);
    let state = BodyState {
        velocity: Vec3::new(0.0, om * r, 0.0),
        spin: Vec3::new(0.0, 0.0, om),
        ..still(Vec3::new(r, 0.0, 0.01))
    };
    world.add_body(block, state).unwrap();
    run(&mut world, 2.0 * std::f64::consts::PI / om);
    let p = world.state().bodies[1].pose.position;
    p.x.hypot(p.y) - r
}

#[test]
fn a_block_sticks_to_a_turntable() {
    for h in STEPS {
        let crept = on_turntable(h, 0.5);
        assert!(crept.abs() < 2e-12, "{h}: {crept:e}");
    }
}

#[test]
fn a_block_slides_as_far_as_friction_lets_it() {
    let errors = STEPS.map(|h| {
        let mut world = world(h, Vec3::new(0.0, 0.0, -G));
        ground(&mut world, Shape::HalfSpace { normal: Vec3::z() }, 0.3);
        let block = body(
            "block",
            dynamic(1.0, [1e-2; 3]),
            Shape::cuboid(Vec3::new(0.05, 0.05, 0.05)),
            0.3,
        );
        let state = BodyState {
            velocity: Vec3::new(1.8, 0.0, 0.0),
            ..still(Vec3::new(0.0, 0.0, 0.05))
        };
        world.add_body(block, state).unwrap();
        run(&mut world, 0.8);
        let state = world.state().bodies[1];
        assert_eq!(state.velocity, Vec3::zeros());
        // All of its energy went into friction.
        let ledger = world.ledger();
        assert!((ledger.dissipated() - 1.62).abs() < 1e-12, "{ledger:?}");
        state.pose.position.x - 1.8 * 1.8 / (2.0 * 0.3 * G)
    });
    // It stops within a step: no more than μg h²/2 is left.
    for (h, off) in STEPS.iter().zip(errors) {
        assert!(off.abs() <= 0.5 * 0.3 * G * h * h, "{h}: {off:e}");
    }
}

#[test]
fn a_ball_rolls_on() {
    for h in STEPS {
        let mut world = world(h, Vec3::new(0.0, 0.0, -G));
        ground(&mut world, Shape::HalfSpace { normal: Vec3::z() }, 0.5);
        let ball = body(
            "ball",
            dynamic(1.0, [0.4 * 0.0025; 3]),
            Shape::Ball { radius: 0.05 },
            0.5,
        );
        let state = BodyState {
            velocity: Vec3::new(1.0, 0.5, 0.0),
            spin: Vec3::new(-10.0, 20.0, 3.0),
            ..still(Vec3::new(0.0, 0.0, 0.05))
        };
        world.add_body(ball, state).unwrap();
        let before = energy(&world);
        run(&mut world, 1.0);
        let off = world.state().bodies[1].pose.position.x - 1.0;
        assert!(off.abs() < 1e-12, "{h}: {off:e}");
        let lost = energy(&world) - before;
        assert!(lost.abs() < 1e-13, "{h}: {lost:e}");
    }
}

/// A ball that bounces without loss a hundred times keeps its height; one with e = 0.8 loses what its coefficient says.
#[test]
fn bounces_happen_when_they_happen() {
    for h in STEPS {
        for (e, count, bounced) in [(1.0, 100, 100), (0.8, 2, 3)] {
            let mut world = world(h, Vec3::new(0.0, 0.0, -G));
            ground(&mut world, Shape::HalfSpace { normal: Vec3::z() }, 0.0);
            let mut ball = body("ball", dynamic(1.0, [1e-3; 3]), Shape::Ball { radius: 0.05 }, 0.0);
            ball.material.restitution = e;
            world.add_body(ball, still(Vec3::new(0.0, 0.0, 0.55))).unwrap();
            let time = 2.0 * (2.0 * 0.5 / G).sqrt() * f64::from(count);
            let mut impulse = 0.0;
            while world.state().time < time - 0.5 * h {
                world.step().unwrap();
                impulse += world.solution().normal_impulse.iter().sum::<f64>();
            }
            let (height, expected) = (energy(&world) / G - 0.05, 0.5 * f64::powi(e * e, bounced));
            assert!((height - expected).abs() < 1e-12, "{h} {e}: {height}");
            // The forces that are shown are those that changed the momentum.
            let momentum = world.state().bodies[1].velocity.z + G * world.state().time;
            assert!(
                (impulse - momentum).abs() < 1e-10 * impulse,
                "{h} {e}: {impulse} {momentum}"
            );
        }
    }
}

/// A step depends on the model and the state alone: made again with other buffers it has the same bits.
#[test]
fn a_step_from_the_same_state_has_the_same_bits() {
    let start = rod(1e-3, 0.3, 2.0, G);
    let mut first = start.clone();
    run(&mut first, 0.1);
    let mut again = start.clone();
    run(&mut again, 0.05);
    // The buffers of a world that has been elsewhere.
    let mut other = rod(1e-3, 1.0, -3.0, G);
    run(&mut other, 0.02);
    other.load(&again.save()).unwrap();
    run(&mut other, 0.1);
    assert_eq!(first.state().hash(), other.state().hash());
}

/// A linkage that flies free keeps its energy and its momentum, and its angular momentum but for what closing moves: loose, and with a joint that friction holds, when it tumbles as one.
#[test]
fn a_linkage_in_free_flight_keeps_energy_and_momentum() {
    for friction in [0.0, 50.0] {
        let text = format!(
            r#"
            format = 1
            world = {{ gravity = [0, 0, 0], dt = 0.001, friction = 0.5 }}
            [[body]]
            name = "left"
            shape = {{ box = [0.3, 0.1, 0.05] }}
            mass = 1
            position = [-0.16, 0, 0]
            velocity = [0, 0, 0.48]
            spin = [2, 3, 1]
            groups = []
            [[body]]
            name = "right"
            shape = {{ box = [0.3, 0.1, 0.05] }}
            mass = 2
            position = [0.16, 0, 0]
            velocity = [0, 0.32, -0.48]
            spin = [2, 3, 1]
            groups = []
            [[joint]]
            kind = "revolute"
            a = "left"
            b = "right"
            position = [0, 0, 0]
            axis = [0, 1, 0]
            friction = {friction}
            "#
        );
        let scene = stiction_scene::Scene::parse(&text, ".").unwrap();
        let mut world = World::from_scene(&scene).unwrap();
        // What the joint does not allow of these velocities is gone with the first step.
        world.step().unwrap();
        let momenta = |world: &World| {
            let (mut p, mut l) = (Vec3::zeros(), Vec3::zeros());
            for (body, state) in world.bodies().iter().zip(&world.state().bodies) {
                if let Kind::Dynamic { mass, inertia_body } = &body.kind {
                    let spin = state.pose.direction_in_body(state.spin);
                    p += *mass * state.velocity;
                    l += *mass * state.pose.position.cross(&state.velocity) + state.pose.direction(inertia_body * spin);
                }
            }
            (p, l)
        };
        let (start, (p, l)) = (world.ledger().kinetic + world.ledger().dissipated(), momenta(&world));
        for _ in 0..3000 {
            world.step().unwrap();
        }
        let ledger = world.ledger();
        let (p_end, l_end) = momenta(&world);
        assert!((p_end - p).norm() < 1e-12 * p.norm(), "{friction}: {p} {p_end}");
        assert!(
            (l_end - l).norm() < 1e-7 * l.norm(),
            "{friction}: {:e} of {:e}",
            (l_end - l).norm(),
            l.norm()
        );
        let change = ledger.kinetic + ledger.dissipated() - start;
        assert!(change.abs() < 1e-9 * start, "{friction}: {change:e} {ledger:?}");
        assert!(ledger.worst_gain < 1e-12 * start, "{friction}: {ledger:?}");
    }
}
