//! First-order ("quasi-static") physics: velocity proportional to force, against closed forms.
#![allow(clippy::unwrap_used)]

use stiction_scene::{Scene, WorldExt};
use stiction_sim::{Vec3, World, Wrench};

const G: f64 = 9.81;
/// Relaxation time of the scenes below [s].
const T: f64 = 0.02;

fn world(settings: &str, rest: &str) -> World {
    let text = format!("format = 1\n[world]\nstepper = \"first-order\"\n{settings}\n{rest}");
    World::from_scene(&Scene::parse(&text, ".").unwrap()).unwrap()
}

fn close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-11, "{what}: {found}, expected {expected}");
}

#[test]
fn the_scene_moves_as_its_head_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/new/first_order_ramp.toml");
    let mut world = World::from_scene(&Scene::read(path).unwrap()).unwrap();
    let places = |world: &World| -> Vec<Vec3> { world.state().bodies.iter().map(|b| b.pose.position).collect() };
    let (start, steps) = (places(&world), 400);
    for _ in 0..steps {
        let report = world.step().unwrap();
        assert!(report.residual <= 1e-9 && report.depth < 1e-9, "{report:?}");
        assert!(world.ledger().worst_gain < 1e-12, "{:?}", world.ledger());
    }
    let end = places(&world);
    let moved = |name: &str| {
        let i = world.bodies().iter().position(|body| body.name == name).unwrap();
        end[i] - start[i]
    };
    let time = 0.005 * f64::from(steps);
    let way = T * G * (0.6 - 0.5 * 0.8) * time * Vec3::new(0.8, 0.0, -0.6);
    assert!((moved("creeps") - way).norm() < 1e-11, "{:?}", moved("creeps"));
    assert!(moved("stands").norm() < 1e-14, "{:?}", moved("stands"));
    let way = Vec3::new(T * (8.0 - 0.5 * G), 0.0, 0.0);
    assert!((moved("pushed") - way).norm() < 1e-11, "{:?}", moved("pushed"));
    assert!((moved("ball").z + 0.1).abs() < 1e-8, "{:?}", moved("ball"));
}

const RAMP: &str = "[[body]]\nname = \"ramp\"\nshape = { half_space = [0, 0, 1] }\nmaterial = { friction = 0.5 }\n\
     [[body]]\nname = \"box\"\nshape = { box = [0.2, 0.2, 0.2] }\nmass = 2\nposition = [0, 0, 0.1]\nmaterial = { friction = 0.5 }\n";

/// Gravity tilted by an angle whose tangent is `slope`, in place of the ramp.
fn tilted(slope: f64) -> (String, f64, f64) {
    let cos = 1.0 / libm::sqrt(1.0 + slope * slope);
    let sin = slope * cos;
    (format!("gravity = [{:e}, 0, {:e}]", G * sin, -G * cos), sin, cos)
}

#[test]
fn a_box_creeps_by_the_excess_over_friction_and_not_at_all_below() {
    for slope in [0.0, 0.3, 0.5 * (1.0 - 1e-9), 0.5 * (1.0 + 1e-6), 0.6, 1.0] {
        let (gravity, sin, cos) = tilted(slope);
        let mut world = world(&format!("{gravity}\ndt = 0.004\nrelaxation = {T}"), RAMP);
        let speed = (T * G * (sin - 0.5 * cos)).max(0.0);
        for step in 1..=100 {
            world.step().unwrap();
            let state = &world.state().bodies[1];
            close(state.velocity.x, speed, "speed");
            close(state.pose.position.x, 0.004 * f64::from(step) * speed, "way");
            assert!(slope >= 0.5 || state.velocity == Vec3::zeros(), "{slope}: {state:?}");
        }
    }
}

/// The relaxation time is the scene's: the step does not change the motion. Without one it is the step, as if each step began at rest.
#[test]
fn the_step_does_not_change_the_motion() {
    let (gravity, sin, cos) = tilted(1.0);
    for dt in [1e-3, 0.01, 0.05] {
        let mut stated = world(&format!("{gravity}\ndt = {dt}\nrelaxation = {T}"), RAMP);
        let mut default = world(&format!("{gravity}\ndt = {dt}"), RAMP);
        for _ in 0..20 {
            stated.step().unwrap();
            default.step().unwrap();
        }
        let speed = |world: &World| world.state().bodies[1].velocity.x;
        close(speed(&stated), T * G * (sin - 0.5 * cos), "stated");
        close(speed(&default), dt * G * (sin - 0.5 * cos), "default");
    }
}

/// Contact forces are forces: they carry the weight, whatever the relaxation time is.
#[test]
fn impulses_are_the_step_times_the_force() {
    let mut world = world(&format!("dt = 0.004\nrelaxation = {T}"), RAMP);
    world.step().unwrap();
    let sum: f64 = world.solution().normal_impulse.iter().sum();
    close(sum / 0.004, 2.0 * G, "weight");
}

/// A spring pulls against the drag: each step divides the distance by 1 + h T k/m, exactly; in the limit it decays as exp(−T k t/m).
#[test]
fn a_spring_relaxes() {
    let (dt, stiffness, mass) = (0.001, 300.0, 2.0);
    let mut world = world(
        &format!("gravity = [0, 0, 0]\ndt = {dt}\nrelaxation = {T}"),
        &format!(
            "[[body]]\nname = \"wall\"\nkind = \"fixed\"\nshape = {{ ball = 0.1 }}\n\
             [[body]]\nname = \"slide\"\nshape = {{ ball = 0.1 }}\nmass = {mass}\nposition = [2, 0, 0]\n\
             [[joint]]\nname = \"spring\"\nkind = \"prismatic\"\na = \"slide\"\nb = \"wall\"\naxis = [1, 0, 0]\nposition = [2, 0, 0]\n\
             motor = {{ target = -1, stiffness = {stiffness} }}\n"
        ),
    );
    let (mut left, rate) = (1.0, T * stiffness / mass);
    for step in 0..300 {
        world.step().unwrap();
        left /= 1.0 + dt * rate;
        let found = world.joint_coordinate(0).unwrap()[0] + 1.0;
        close(found, left, &format!("step {step}"));
    }
    assert!((left - libm::exp(-0.3 * rate)).abs() < 1e-3);
}

/// Spin is T times torque by inertia; forces that end leave no motion behind.
#[test]
fn a_torque_turns_at_constant_spin() {
    let mut world = world(
        &format!("gravity = [0, 0, 0]\ndt = 0.01\nrelaxation = {T}"),
        "[[body]]\nname = \"b\"\nshape = { box = [0.1, 0.2, 0.3] }\nmass = 1\ninertia = [0.01, 0.02, 0.025]\nspin = [5, 5, 5]\nvelocity = [3, 0, 0]\n",
    );
    let torque = Vec3::new(0.0, 0.0, 0.5);
    world
        .apply(
            0,
            Wrench {
                torque,
                ..Wrench::default()
            },
        )
        .unwrap();
    for _ in 0..100 {
        world.step().unwrap();
        let state = &world.state().bodies[0];
        close(state.spin.z, T * 0.5 / 0.025, "spin");
        assert_eq!(state.velocity, Vec3::zeros());
    }
    let q = world.state().bodies[0].pose.rotation;
    close(q.angle(), T * 0.5 / 0.025, "angle after a second");
    world.apply(0, Wrench::default()).unwrap();
    world.step().unwrap();
    assert_eq!(world.state().bodies[0].spin, Vec3::zeros());
}

/// There is no kinetic energy: what gravity and forces give is taken by friction and drag, in the step in which they give it.
#[test]
fn the_ledger_closes_without_kinetic_energy() {
    let (gravity, ..) = tilted(0.9);
    let mut world = world(&format!("{gravity}\ndt = 0.004\nrelaxation = {T}"), RAMP);
    let force = Vec3::new(3.0, 1.0, -2.0);
    world
        .apply(
            1,
            Wrench {
                force,
                ..Wrench::default()
            },
        )
        .unwrap();
    let start = world.ledger().potential;
    for _ in 0..200 {
        world.step().unwrap();
    }
    let ledger = world.ledger();
    assert_eq!(ledger.kinetic, 0.0);
    assert!(ledger.dissipated() > 0.1, "{ledger:?}");
    let balance = ledger.potential - start + ledger.dissipated() - ledger.injected;
    assert!(balance.abs() < 1e-12 && ledger.stepping().abs() < 1e-12, "{ledger:?}");
    assert!(ledger.worst_gain <= 0.0, "{ledger:?}");
}

#[test]
fn a_relaxation_time_belongs_to_the_stepper() {
    let refused = |settings: &str| {
        let text = format!("format = 1\n[world]\n{settings}\n{RAMP}");
        Scene::parse(&text, ".").unwrap_err().to_string()
    };
    let text = refused("relaxation = 0.1");
    assert!(
        text.contains("world.relaxation: must be used with the stepper first-order only, found 0.1 with midpoint"),
        "{text}"
    );
    let text = refused("stepper = \"first-order\"\nrelaxation = 0");
    assert!(text.contains("world.relaxation: must be"), "{text}");
}
