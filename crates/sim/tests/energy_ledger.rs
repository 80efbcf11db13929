//! The energy ledger: it closes to rounding, and every entry is what its name says.
#![allow(clippy::unwrap_used)]

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;
use stiction_sim::energy::Ledger;

const G: f64 = 9.81;

const GROUND: &str = "{ name = \"ground\", shape = { half_space = [0, 0, 1] } }";
const STEPPERS: [&str; 4] = ["midpoint", "stewart-trinkle", "anitescu-potra", "acceleration"];

/// A world of bodies, with the keys of `[world]` and what follows the bodies in the scene.
fn world(keys: &str, bodies: &[&str], rest: &str) -> World {
    let bodies = bodies.join(", ");
    let text = format!("format = 1\nworld = {{ {keys} }}\nbody = [{bodies}]\n{rest}\n");
    let scene = Scene::parse(&text, ".").unwrap_or_else(|error| panic!("{error}\n{text}"));
    World::from_scene(&scene).unwrap()
}

/// A rod of 1 m on a hinge about y, 60° from where it would hang.
fn pendulum(stepper: &str, dt: f64, joint: &str) -> World {
    world(
        &format!("stepper = \"{stepper}\", dt = {dt}, friction = 0"),
        &[
            "{ name = \"nail\", kind = \"fixed\", shape = { ball = 0.01 }, groups = [1] }",
            "{ name = \"rod\", shape = { box = [0.02, 0.02, 1] }, mass = 1, \
               position = [-0.4330127018922193, 0, -0.25], orientation = { axis = [0, 1, 0], degrees = 60 } }",
        ],
        &format!(
            "[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\na = \"rod\"\nb = \"nail\"\n\
             axis = [0, 1, 0]\nposition = [0, 0, 0]\n{joint}"
        ),
    )
}

/// A box of 2 kg on the ground that slides at 1 m/s and turns.
fn sliding(stepper: &str, spin: f64) -> World {
    let body = format!(
        "{{ name = \"box\", shape = {{ box = [0.2, 0.2, 0.1] }}, mass = 2, \
           position = [0, 0, 0.05], velocity = [1, 0, 0], spin = [0, 0, {spin}] }}"
    );
    let keys = format!("stepper = \"{stepper}\", friction = 0.3");
    world(&keys, &[GROUND, &body], "")
}

/// A ball of 1 kg whose lowest point is 0.5 m above the ground.
fn dropped_ball(stepper: &str, restitution: f64) -> World {
    let body = format!(
        "{{ name = \"ball\", shape = {{ ball = 0.1 }}, mass = 1, position = [0, 0, 0.6], \
           material = {{ friction = 0.3, restitution = {restitution} }} }}"
    );
    let keys = format!("stepper = \"{stepper}\", friction = 0.3");
    world(&keys, &[GROUND, &body], "")
}

/// A ladder that slides down between floor and wall.
fn ladder(stepper: &str) -> World {
    let ladder = "{ name = \"ladder\", shape = { box = [0.05, 0.4, 2] }, mass = 10, \
                    position = [0.62, 0, 0.815], orientation = { axis = [0, 1, 0], degrees = -36.86989764584402 } }";
    let wall = "{ name = \"wall\", shape = { half_space = [1, 0, 0] } }";
    let keys = format!("stepper = \"{stepper}\", friction = 0.1");
    world(&keys, &[GROUND, wall, ladder], "")
}

/// A tall box that is let go with one edge on the ground.
fn rocking(stepper: &str) -> World {
    let body = "{ name = \"box\", shape = { box = [0.1, 0.1, 0.3] }, mass = 1, \
                  position = [0, 0, 0.1555], orientation = { axis = [0, 1, 0], degrees = 8 } }";
    let keys = format!("stepper = \"{stepper}\", friction = 0.8");
    world(&keys, &[GROUND, body], "")
}

/// Three boxes that fall onto each other, each a little beside the one below.
fn dropped_stack(stepper: &str) -> World {
    let boxes: Vec<String> = (0..3)
        .map(|k| {
            let (x, z) = (0.01 * f64::from(k), 0.15 + 0.22 * f64::from(k));
            format!(
                "{{ name = \"box[{k}]\", shape = {{ box = [0.2, 0.2, 0.2] }}, mass = 1, position = [{x}, 0, {z}] }}"
            )
        })
        .collect();
    let keys = format!("stepper = \"{stepper}\", friction = 0.5");
    world(&keys, &[GROUND, &boxes[0], &boxes[1], &boxes[2]], "")
}

/// A table that turns, with a box that goes round with it and one that slips.
fn turntable(stepper: &str) -> World {
    let table = "{ name = \"table\", kind = \"kinematic\", shape = { box = [4, 4, 0.1] }, \
                   position = [0, 0, -0.05], spin = [0, 0, 1] }";
    let riding = "{ name = \"riding\", shape = { box = [0.1, 0.1, 0.1] }, mass = 1, \
                    position = [0.5, 0, 0.05], velocity = [0, 0.5, 0], spin = [0, 0, 1] }";
    let slipping = "{ name = \"slipping\", shape = { box = [0.1, 0.1, 0.1] }, mass = 1, position = [-0.7, 0, 0.05] }";
    let keys = format!("stepper = \"{stepper}\", friction = 0.06");
    world(&keys, &[table, riding, slipping], "")
}

/// Scenes of all kinds, by name, and for how many steps they are of interest.
fn scenes(stepper: &str) -> Vec<(&'static str, World, usize)> {
    let pendulum = |joint: &str| pendulum(stepper, 1e-3, joint);
    vec![
        ("pendulum", pendulum(""), 2000),
        ("pendulum with friction", pendulum("friction = 0.5"), 2000),
        ("pendulum with a limit", pendulum("limits = [-0.5, 2]"), 2000),
        (
            "driven pendulum",
            pendulum("motor = { target = 0.5, stiffness = 40, damping = 2 }"),
            2000,
        ),
        (
            "stiff motor",
            pendulum("motor = { target = 0.5, stiffness = 1e6, damping = 1e4, most = 20 }"),
            2000,
        ),
        ("ladder", ladder(stepper), 600),
        ("sliding box", sliding(stepper, 0.0), 600),
        ("turning box", sliding(stepper, 20.0), 1000),
        ("bouncing ball", dropped_ball(stepper, 0.8), 2000),
        ("rocking box", rocking(stepper), 1500),
        ("dropped stack", dropped_stack(stepper), 1000),
        ("turntable", turntable(stepper), 1000),
    ]
}

fn run(world: &mut World, steps: usize, name: &str) {
    for _ in 0..steps {
        world.step().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// Sum of the sizes of what a run began with, ended with and moved \[J\].
fn scale(start: &Ledger, end: &Ledger) -> f64 {
    let moved = [end.slip, end.impacts, end.injected];
    let energies = [start.kinetic, start.potential, end.kinetic, end.potential];
    energies.iter().chain(&moved).map(|x| x.abs()).sum()
}

#[test]
fn the_entries_add_up_to_rounding() {
    for stepper in STEPPERS {
        for (name, mut world, steps) in scenes(stepper) {
            let start = *world.ledger();
            run(&mut world, steps, name);
            let ledger = world.ledger();
            let defect = ledger.balance() - start.balance();
            let scale = scale(&start, ledger);
            assert!(defect.abs() < 1e-12 * scale, "{stepper}, {name}: {defect:e} {ledger:?}");
        }
    }
}

/// The remainder of a midpoint step is rounding: slip, impacts, injected, closing and the velocity projection are each measured, and nothing is missing.
#[test]
fn a_midpoint_step_leaves_no_remainder() {
    for (name, mut world, steps) in scenes("midpoint") {
        let start = *world.ledger();
        let mut before = start;
        for step in 0..steps {
            world.step().unwrap();
            let now = *world.ledger();
            // What only takes never falls.
            assert!(
                now.numerical.velocity >= before.numerical.velocity,
                "{name} {step}: {now:?}"
            );
            assert!(now.impacts >= before.impacts, "{name} {step}: {now:?}");
            let scale = scale(&start, &now);
            assert!(
                now.slip >= before.slip - 1e-13 * scale,
                "{name} {step}: {before:?} {now:?}"
            );
            before = now;
        }
        let flight = before.numerical.flight;
        assert!(
            flight.abs() < 1e-12 * scale(&start, &before),
            "{name}: {flight:e} {before:?}"
        );
    }
}

#[test]
fn a_pendulum_neither_slips_nor_strikes() {
    let mut world = pendulum("midpoint", 1e-3, "");
    let start = world.ledger().balance();
    run(&mut world, 3000, "pendulum");
    let ledger = world.ledger();
    assert!(ledger.slip.abs() < 1e-12 && ledger.impacts == 0.0, "{ledger:?}");
    assert!(ledger.injected == 0.0 && ledger.eased == 0.0, "{ledger:?}");
    // The projection takes a little in every step, closing gives or takes, and all of it is given back.
    let numerical = ledger.numerical;
    assert!(numerical.velocity > 0.0 && numerical.velocity < 1e-5, "{ledger:?}");
    assert!(numerical.closing.abs() < 1e-5, "{ledger:?}");
    assert!(
        (numerical.velocity + numerical.closing - numerical.returned).abs() < 1e-12,
        "{ledger:?}"
    );
    assert!((ledger.balance() - start).abs() < 1e-12, "{ledger:?}");
}

/// The projection's share is of third order a step, so of second order in a run: an estimate of the error.
#[test]
fn the_projection_takes_less_in_shorter_steps() {
    let taken = |dt: f64| {
        let mut world = pendulum("midpoint", dt, "");
        while world.state().time < 1.0 - 0.5 * dt {
            world.step().unwrap();
        }
        world.ledger().numerical.velocity
    };
    let [long, short] = [taken(4e-3), taken(1e-3)];
    assert!(long / short > 12.0, "{long:e} {short:e}");
}

#[test]
fn slip_of_a_sliding_box_is_the_work_of_friction() {
    for stepper in STEPPERS {
        let mut world = sliding(stepper, 0.0);
        run(&mut world, 200, stepper);
        let (x, v) = (
            world.state().bodies[1].pose.position.x,
            world.state().bodies[1].velocity.x,
        );
        let ledger = *world.ledger();
        // μ m g s, with s the distance at the mean speed of each step; poses of first order lag by h(v − v₀)/2.
        let lag = if stepper == "midpoint" { 0.0 } else { 0.5e-3 * (1.0 - v) };
        let work = 0.3 * 2.0 * G * (x + lag);
        assert!((ledger.slip - work).abs() < 1e-11, "{stepper}: {work} {ledger:?}");
        assert!((ledger.slip - (1.0 - v * v)).abs() < 1e-12, "{stepper}: {ledger:?}");
        assert!(
            ledger.impacts.abs() < 1e-12 && ledger.stepping().abs() < 1e-12,
            "{stepper}: {ledger:?}"
        );
        // Until it rests: ½ m v².
        run(&mut world, 300, stepper);
        let ledger = world.ledger();
        assert_eq!(ledger.kinetic, 0.0, "{stepper}");
        assert!((ledger.slip - 1.0).abs() < 1e-9, "{stepper}: {ledger:?}");
        assert!(ledger.impacts.abs() < 1e-12, "{stepper}: {ledger:?}");
    }
}

#[test]
fn impacts_of_a_drop_are_its_height() {
    for stepper in STEPPERS {
        let mut world = dropped_ball(stepper, 0.0);
        let start = *world.ledger();
        run(&mut world, 600, stepper);
        let ledger = world.ledger();
        let fallen = start.potential - ledger.potential;
        assert!((fallen - 0.5 * G).abs() < 1e-2, "{stepper}: {ledger:?}");
        // What sinks in is lifted again.
        let taken = ledger.impacts + ledger.stepping() - ledger.eased;
        assert!((taken - fallen).abs() < 1e-12, "{stepper}: {ledger:?}");
        let bound = if stepper == "midpoint" { 1e-12 } else { 0.02 };
        assert!((ledger.impacts - fallen).abs() < bound, "{stepper}: {ledger:?}");
        assert!(ledger.slip.abs() < 1e-12, "{stepper}: {ledger:?}");
    }
}

/// A ball with e = 0.8 keeps e² of its energy: 1 − e² of m g h goes into the first bounce.
#[test]
fn a_bounce_is_an_impact() {
    let mut world = dropped_ball("midpoint", 0.8);
    run(&mut world, 400, "ball");
    let ledger = world.ledger();
    assert!((ledger.impacts - (1.0 - 0.64) * 0.5 * G).abs() < 1e-10, "{ledger:?}");
    assert!(ledger.slip == 0.0 && ledger.stepping().abs() < 1e-12, "{ledger:?}");
}

#[test]
fn a_stop_of_a_joint_is_an_impact() {
    for stepper in ["midpoint", "stewart-trinkle"] {
        let mut world = pendulum(stepper, 1e-3, "limits = [-0.5, 2]");
        run(&mut world, 3000, stepper);
        let ledger = world.ledger();
        assert!(ledger.impacts > 0.1, "{stepper}: {ledger:?}");
        assert!(ledger.slip.abs() < 2e-2 * ledger.impacts, "{stepper}: {ledger:?}");
    }
}

/// First-order physics has no kinetic energy: nothing strikes, and slip holds the work against the drag.
#[test]
fn nothing_strikes_in_first_order_physics() {
    let mut world = dropped_ball("first-order", 0.0);
    run(&mut world, 500, "ball");
    let ledger = world.ledger();
    assert!(ledger.impacts == 0.0 && ledger.slip > 0.0, "{ledger:?}");
}
