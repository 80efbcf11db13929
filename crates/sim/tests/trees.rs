//! Trees of joints are stepped in joint coordinates: order, energy, momentum, motors, contacts.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::Path;

use stiction_scene::{Scene, WorldExt};
use stiction_sim::{Vec3, World};

/// A chain of rods along x with joints of these kinds, hung from a post or free. Joints with axes turn about the y and z axes by turns.
fn chain(kinds: &[&str], hung: bool, extra: &str) -> String {
    let mut text = String::from("[[body]]\nname = \"post\"\nkind = \"fixed\"\nshape = { ball = 0.01 }\ngroups = []\n");
    for (i, kind) in kinds.iter().enumerate() {
        let _ = write!(
            text,
            "[[body]]\nname = \"link{i}\"\nshape = {{ box = [0.3, 0.04, 0.06] }}\nmass = {}\nposition = [{}, 0, 0]\ngroups = []\n",
            1.0 + 0.3 * i as f64,
            0.3 * (i as f64 + 0.5)
        );
        if hung || i > 0 {
            let other = if i == 0 {
                "post".to_owned()
            } else {
                format!("link{}", i - 1)
            };
            // One way and the other: the body that is placed is a or b.
            let (a, b) = if i % 2 == 0 {
                (format!("link{i}"), other)
            } else {
                (other, format!("link{i}"))
            };
            let axis = match *kind {
                "spherical" | "fixed" => "",
                "prismatic" => "axis = [0, 0, 1]\n",
                _ if i % 2 == 0 => "axis = [0, 1, 0]\n",
                _ => "axis = [0, 0.6, 0.8]\n",
            };
            let _ = write!(
                text,
                "[[joint]]\nname = \"joint{i}\"\nkind = \"{kind}\"\na = \"{a}\"\nb = \"{b}\"\nposition = [{}, 0, 0]\n{axis}{extra}",
                0.3 * i as f64
            );
        }
    }
    text
}

fn world(bodies: &str, dt: f64) -> World {
    let text = format!("format = 1\n[world]\ndt = {dt}\n{bodies}");
    World::from_scene(&Scene::parse(&text, Path::new(".")).unwrap()).unwrap()
}

fn run(world: &mut World, time: f64) {
    while world.state().time < time - 1e-9 {
        world.step().unwrap();
    }
}

fn energy(world: &World) -> f64 {
    world.ledger().kinetic + world.ledger().potential
}

fn tip(world: &World) -> Vec3 {
    world.state().bodies.last().unwrap().pose.position
}

/// Places at steps of 4, 2, 1 and 0.5 ms against those at 0.125 ms.
fn errors(make: impl Fn(f64) -> World, time: f64, read: impl Fn(&World) -> Vec3) -> [f64; 4] {
    let at = |dt: f64| {
        let mut world = make(dt);
        run(&mut world, time);
        read(&world)
    };
    let best = at(1.25e-4);
    [4e-3, 2e-3, 1e-3, 5e-4].map(|dt| (at(dt) - best).norm())
}

fn order(errors: &[f64; 4]) -> f64 {
    (errors[2] / errors[3]).log2()
}

const KINDS: [(&str, &[&str]); 5] = [
    ("spherical", &["spherical", "spherical", "spherical"]),
    ("revolute", &["revolute", "revolute", "revolute"]),
    ("mixed", &["revolute", "spherical", "fixed", "revolute"]),
    ("sliding", &["revolute", "prismatic", "revolute"]),
    ("one", &["spherical"]),
];

#[test]
fn hanging_trees_are_of_second_order() {
    for (name, kinds) in KINDS {
        let found = errors(|dt| world(&chain(kinds, true, ""), dt), 0.5, tip);
        assert!(
            order(&found) > 1.9 && found[2] < 1e-4,
            "{name}: {found:?} {}",
            order(&found)
        );
    }
}

#[test]
fn hanging_trees_keep_their_energy_and_their_joints() {
    for (name, kinds) in KINDS {
        let mut world = world(&chain(kinds, true, ""), 1e-3);
        let (start, mut worst, mut open) = (energy(&world), 0.0_f64, 0.0_f64);
        // Sliding links fall without end.
        let time = if name == "sliding" { 0.6 } else { 10.0 };
        while world.state().time < time {
            let report = world.step().unwrap();
            worst = worst.max((energy(&world) - start).abs());
            open = open.max(report.joint_error[0]).max(report.joint_error[1]);
            assert!(report.residual < 1e-11, "{name}: {}", report.residual);
        }
        let scale = kinds.len() as f64 * 9.81 * 0.5;
        assert!(worst < 1e-9 * scale, "{name}: {worst:e}");
        assert!(open < 1e-14, "{name}: {open:e}");
        let ledger = world.ledger();
        assert!(
            ledger.slip.abs() < 1e-15 && ledger.impacts == 0.0 && ledger.numerical.velocity >= 0.0,
            "{name}: {ledger:?}"
        );
        assert!(
            ledger.numerical.flight.abs() < 1e-12 * 10.0 * scale,
            "{name}: {ledger:?}"
        );
    }
}

/// Linear momentum, and angular momentum about the origin.
fn momenta(world: &World) -> [Vec3; 2] {
    let mut sums = [Vec3::zeros(); 2];
    for (body, state) in world.bodies().iter().zip(&world.state().bodies) {
        let stiction_sim::body::Kind::Dynamic { mass, inertia_body } = &body.kind else {
            continue;
        };
        let spin = inertia_body * state.pose.direction_in_body(state.spin);
        sums[0] += *mass * state.velocity;
        sums[1] += state.pose.direction(spin) + *mass * state.pose.position.cross(&state.velocity);
    }
    sums
}

#[test]
fn flying_trees_keep_momentum_and_are_of_second_order() {
    for (name, kinds) in [KINDS[0], KINDS[1], KINDS[2]] {
        let make = |dt: f64| {
            let mut world = world(&format!("gravity = [0, 0, 0]\n{}", chain(kinds, false, "")), dt);
            // Turns as a whole, and bends: velocities along the joints.
            let (count, spin) = (world.bodies().len(), Vec3::new(2.0, -1.0, 3.0));
            for body in 1..count {
                let at = world.state().bodies[body].pose.position;
                world
                    .set_velocity(body, spin.cross(&at) + Vec3::new(0.1, 0.0, 0.0), spin)
                    .unwrap();
            }
            world
        };
        let found = errors(make, 0.5, tip);
        assert!(
            order(&found) > 1.9 && found[2] < 1e-4,
            "{name}: {found:?} {}",
            order(&found)
        );
        let mut world = make(1e-3);
        let (before, start) = (momenta(&world), energy(&world));
        run(&mut world, 5.0);
        let after = momenta(&world);
        for (a, b) in before.iter().zip(&after) {
            assert!((a - b).norm() < 1e-12 * (1.0 + a.norm()), "{name}: {a:?} {b:?}");
        }
        assert!(
            (energy(&world) - start).abs() < 1e-9 * start,
            "{name}: {:e}",
            energy(&world) - start
        );
    }
}

/// A soft motor swings with the energy of its spring, a stiff one goes where it is told.
#[test]
fn motors_of_trees_do_what_they_are_told() {
    let soft = "motor = { stiffness = 20, target = 0.1 }\n";
    let found = errors(|dt| world(&chain(&["revolute", "revolute"], true, soft), dt), 0.5, tip);
    assert!(order(&found) > 1.9 && found[2] < 1e-4, "{found:?} {}", order(&found));
    let mut springs = world(&chain(&["revolute", "revolute"], true, soft), 1e-3);
    let stored = |world: &World| -> f64 {
        (0..2)
            .map(|k| 10.0 * (world.joint_coordinate(k).unwrap()[0] - 0.1).powi(2))
            .sum()
    };
    let start = energy(&springs) + stored(&springs);
    run(&mut springs, 5.0);
    let end = energy(&springs) + stored(&springs);
    assert!((end - start).abs() < 1e-3 * 9.81, "{start} {end}");
    let forces = springs.joint_forces(0).unwrap();
    assert!(forces.motor.abs() > 0.0 && forces.friction == 0.0, "{forces:?}");
    let stiff = "motor = { stiffness = 1e9, damping = 1e3, wave = { amplitude = 0.5, rate = 3 } }\n";
    let mut arm = world(&chain(&["revolute", "revolute"], true, stiff), 1e-3);
    run(&mut arm, 0.01);
    while arm.state().time < 2.0 {
        arm.step().unwrap();
        let wanted = 0.5 * (3.0 * arm.state().time).sin();
        for k in 0..2 {
            let x = arm.joint_coordinate(k).unwrap()[0];
            assert!((x - wanted).abs() < 1e-5, "{} {k}: {x} {wanted}", arm.state().time);
        }
    }
    let ledger = arm.ledger();
    assert!(
        ledger.balance().is_finite() && ledger.numerical.flight.abs() < 1e-9,
        "{ledger:?}"
    );
}

/// A limit ends the way: the step in which it is reached is one with an arrival.
#[test]
fn limits_of_trees_hold() {
    let limits = "limits = [-0.3, 0.3]\n";
    let mut world = world(&chain(&["revolute", "revolute"], true, limits), 1e-3);
    for _ in 0..2000 {
        world.step().unwrap();
        for k in 0..2 {
            let x = world.joint_coordinate(k).unwrap()[0];
            assert!(x.abs() < 0.3 + 1e-6, "{k}: {x}");
        }
    }
}

/// A body on the ground with a rod hinged to it, which swings in the plane of x and z.
fn carriage(shape: &str, mass: f64, friction: f64, velocity: f64) -> String {
    format!(
        "[[body]]\nname = \"ground\"\nshape = {{ half_space = [0, 0, 1] }}\nmaterial = {{ friction = {friction} }}\n\
         [[body]]\nname = \"carriage\"\nshape = {shape}\nmass = {mass}\nposition = [0, 0, 0.2]\nvelocity = [{velocity}, 0, 0]\n\
         material = {{ friction = {friction} }}\n\
         [[body]]\nname = \"rod\"\nshape = {{ box = [0.6, 0.04, 0.04] }}\nmass = 1\nposition = [0.3, 0, 0.2]\nvelocity = [{velocity}, 0, 0]\n\
         groups = []\n\
         [[joint]]\nname = \"pin\"\nkind = \"revolute\"\na = \"rod\"\nb = \"carriage\"\nposition = [0, 0, 0.2]\naxis = [0, 1, 0]\n"
    )
}

#[test]
fn a_rod_on_a_box_that_sticks_is_a_pendulum() {
    let text = carriage("{ box = [0.8, 0.8, 0.4] }", 20.0, 0.9, 0.0);
    let mut world = world(&text, 1e-3);
    let (start, mut worst) = (energy(&world), 0.0_f64);
    for _ in 0..10_000 {
        let report = world.step().unwrap();
        worst = worst.max((energy(&world) - start).abs());
        assert!(report.residual < 1e-9 && report.joint_error[0] < 1e-14, "{report:?}");
    }
    let carriage = &world.state().bodies[1].pose;
    assert!(
        carriage.position.xy().norm() < 1e-12 && carriage.rotation.angle() < 1e-12,
        "{carriage:?}"
    );
    assert!(worst < 1e-9 * 3.0, "{worst:e}");
    // As long as it swings, the ground holds it: the entries say that nothing was lost.
    let ledger = world.ledger();
    assert!(ledger.slip.abs() < 1e-9 && ledger.impacts.abs() < 1e-9, "{ledger:?}");
}

/// Of first order as long as a contact that slips gets no friction for the normal impulse of the projection.
#[test]
fn a_rod_on_a_box_that_slides_loses_to_friction_alone() {
    let make = |dt: f64| world(&carriage("{ box = [0.8, 0.8, 0.4] }", 20.0, 0.2, 5.0), dt);
    let found = errors(make, 0.5, |world| world.state().bodies[1].pose.position);
    assert!(order(&found) > 1.0 && found[2] < 1e-5, "{found:?} {}", order(&found));
    let mut world = make(1e-3);
    run(&mut world, 0.5);
    let ledger = world.ledger();
    assert!(ledger.slip > 1.0 && ledger.impacts < 1e-3 * ledger.slip, "{ledger:?}");
    assert!(ledger.numerical.flight.abs() < 1e-9, "{ledger:?}");
}

#[test]
fn a_rod_on_a_ball_that_rolls_keeps_energy_and_does_not_slip() {
    let make = |dt: f64| world(&carriage("{ ball = 0.2 }", 2.0, 0.9, 0.0), dt);
    let found = errors(make, 0.5, |world| world.state().bodies[1].pose.position);
    assert!(order(&found) > 1.9 && found[2] < 1e-5, "{found:?} {}", order(&found));
    let mut world = make(1e-3);
    let (start, mut worst) = (energy(&world), 0.0_f64);
    for _ in 0..3_000 {
        world.step().unwrap();
        worst = worst.max((energy(&world) - start).abs());
        let ball = &world.state().bodies[1];
        let (q, x) = (ball.pose.rotation.into_inner(), ball.pose.position.x);
        let angle = 2.0 * q.j.atan2(q.w);
        let off = x - 0.2 * angle;
        let turns = (off / (0.4 * std::f64::consts::PI)).round();
        assert!(
            (off - turns * 0.4 * std::f64::consts::PI).abs() < 1e-12,
            "{x} {angle} {off:e}"
        );
        assert!((ball.pose.position.z - 0.2).abs() < 1e-12, "{ball:?}");
    }
    assert!(worst < 1e-9 * 3.0, "{worst:e}");
}

/// A robot that trots: motors, feet that come and go, slip and stick.
#[test]
fn a_robot_that_trots_stays_on_the_ground_and_keeps_its_books() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/drumwright");
    let mut text = String::from(
        "format = 1\n[world]\ndt = 0.001\n[[body]]\nname = \"ground\"\nshape = { half_space = [0, 0, 1] }\nmaterial = { friction = 0.8 }\n\
         [[urdf]]\nfile = \"robots/quadruped.urdf\"\nposition = [0, 0, 0.34]\nmaterial = { friction = 0.8 }\nmotor = { stiffness = 300, damping = 3 }\n",
    );
    let legs: Vec<String> = ["front_left", "front_right", "rear_left", "rear_right"]
        .map(str::to_owned)
        .to_vec();
    let (mut positions, mut motors) = (String::new(), String::new());
    for leg in &legs {
        for (part, angle, lag) in [("thigh", 0.7, 0.0), ("knee", -1.4, std::f64::consts::FRAC_PI_2)] {
            let phase = lag
                + if leg == "front_left" || leg == "rear_right" {
                    0.0
                } else {
                    std::f64::consts::PI
                };
            let _ = writeln!(positions, "{leg}_{part} = {angle}");
            let _ = writeln!(
                motors,
                "{leg}_{part} = {{ target = {angle}, stiffness = 300, damping = 3, wave = {{ amplitude = 0.15, rate = 7.85, phase = {phase} }} }}"
            );
        }
    }
    let _ = write!(text, "[urdf.positions]\n{positions}[urdf.motors]\n{motors}");
    let mut world = World::from_scene(&Scene::parse(&text, &folder).unwrap()).unwrap();
    let balance = world.ledger().balance();
    for _ in 0..1000 {
        let report = world.step().unwrap();
        assert!(
            report.depth < 1e-6 && report.residual < 1e-9 && report.joint_error[0] < 1e-9,
            "{report:?}"
        );
    }
    let ledger = world.ledger();
    assert!((ledger.balance() - balance).abs() < 1e-9, "{ledger:?}");
    assert!(ledger.injected > 0.0 && ledger.slip > 0.0, "{ledger:?}");
    let body = &world.state().bodies[1].pose;
    assert!(body.position.z > 0.2 && body.rotation.angle() < 0.5, "{body:?}");
}
