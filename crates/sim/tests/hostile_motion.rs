//! Motion that a step could miss: bodies made fast within it, bounces with friction, overlap that cannot be eased, numbers that overflow.
#![allow(clippy::unwrap_used)]

use stiction_scene::{Scene, WorldExt};
use stiction_sim::{SimError, Vec3, World};

fn world(text: &str) -> World {
    World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap()
}

/// Kinetic and potential energy may not rise by more than this share of what there is at the start.
const GAIN: f64 = 1e-9;

/// Steps a world; returns the largest energy over that of the start, as a share.
fn largest_gain(text: &str, steps: usize) -> f64 {
    let mut world = world(text);
    world.step().unwrap();
    let total = |world: &World| world.ledger().kinetic + world.ledger().potential - world.ledger().eased;
    let first = total(&world);
    let mut most = 0.0_f64;
    for _ in 1..steps {
        world.step().unwrap();
        most = most.max(total(&world) - first);
    }
    most / first
}

/// A plate thin against what bodies travel in a step, and a ball before it.
fn before_a_plate(rest: &str) -> World {
    world(&format!(
        "format = 1\nworld = {{ friction = 0.5, gravity = [0, 0, 0] }}\n\
         [[body]]\nname = \"plate\"\nkind = \"fixed\"\nshape = {{ box = [0.01, 1, 1] }}\n{rest}"
    ))
}

#[test]
fn a_force_does_not_push_through() {
    let mut world = before_a_plate(
        "[[body]]\nname = \"ball\"\nshape = { ball = 0.02 }\nmass = 0.01\nposition = [-0.1, 0, 0]\n\
         [[force]]\nbody = \"ball\"\nforce = [2000, 0, 0]\n",
    );
    for _ in 0..50 {
        world.step().unwrap();
    }
    assert!((world.state().bodies[1].pose.position.x + 0.025).abs() < 1e-9);
}

#[test]
fn a_motor_does_not_pull_through() {
    let mut world = before_a_plate(
        "[[body]]\nname = \"ball\"\nshape = { ball = 0.02 }\nposition = [-0.1, 0, 0]\n\
         [[joint]]\nkind = \"prismatic\"\na = \"ball\"\nb = \"plate\"\naxis = [1, 0, 0]\nposition = [-0.1, 0, 0]\n\
         motor = { target = 0.2, stiffness = 1e9 }\n",
    );
    for _ in 0..50 {
        world.step().unwrap();
    }
    assert!((world.state().bodies[1].pose.position.x + 0.025).abs() < 1e-6);
}

#[test]
fn a_blow_that_is_passed_on_does_not_drive_through() {
    let mut world = before_a_plate(
        "[[body]]\nname = \"ball\"\nshape = { ball = 0.02 }\nposition = [-0.05, 0, 0]\n\
         [[body]]\nname = \"heavy\"\nshape = { ball = 0.02 }\nmass = 10\nposition = [-0.15, 0, 0]\nvelocity = [100, 0, 0]\n",
    );
    for _ in 0..50 {
        let report = world.step().unwrap();
        assert!(report.depth < 1e-9, "{report:?}");
    }
    assert!(world.state().bodies[1].pose.position.x <= -0.025 + 1e-9);
}

#[test]
fn a_hammer_crushes_and_says_so() {
    let mut world = world(
        "format = 1\nworld = { friction = 0.5, dt = 0.01 }\n\
         [[body]]\nname = \"plate\"\nkind = \"fixed\"\nshape = { box = [1, 1, 0.02] }\nposition = [0, 0, 1]\n\
         [[body]]\nname = \"ball\"\nshape = { ball = 0.02 }\nposition = [0, 0, 1.1]\n\
         [[body]]\nname = \"hammer\"\nkind = \"kinematic\"\nshape = { box = [0.2, 0.2, 0.2] }\nposition = [0, 0, 1.4]\nvelocity = [0, 0, -10]\n",
    );
    let failed = (0..100).find_map(|_| world.step().err());
    let Some(SimError::Unsolved { bodies, .. }) = failed else {
        panic!("{failed:?}")
    };
    assert_eq!(bodies, ["plate", "ball", "hammer"]);
    assert!(world.state().bodies[1].pose.position.z >= 1.03 - 1e-9);
}

#[test]
fn bounces_with_friction_gain_nothing() {
    for velocity in ["[4, -5]", "[0, -5]", "[-4, -5]"] {
        for friction in ["0", "0.5", "2"] {
            let text = format!(
                "format = 1\nworld = {{ friction = 0.5, planar = true, gravity = [0, 0] }}\n\
                 [[body]]\nname = \"ground\"\nshape = {{ half_plane = [0, 1] }}\nmaterial = {{ restitution = 1, friction = {friction} }}\n\
                 [[body]]\nname = \"bar\"\nshape = {{ box = [1, 0.1] }}\nposition = [0, 1]\nangle = 0.7\nvelocity = {velocity}\n\
                 material = {{ friction = {friction} }}\n"
            );
            let gain = largest_gain(&text, 1000);
            assert!(gain <= GAIN, "velocity {velocity}, friction {friction}: {gain:e}");
        }
    }
}

#[test]
fn overlap_is_eased_wherever_it_can_be() {
    let mut world = world(
        "format = 1\n\
         world.friction = 0.5\n\
         [[body]]\nname = \"ground\"\nshape = { half_space = [0, 0, 1] }\n\
         [[body]]\nname = \"left\"\nshape = { half_space = [1, 0, 0] }\ngroups = [1]\n\
         [[body]]\nname = \"right\"\nshape = { half_space = [-1, 0, 0] }\nposition = [0.5, 0, 0]\ngroups = [1]\n\
         [[body]]\nname = \"wedged\"\nshape = { box = [1, 1, 1] }\nposition = [0.25, 0, 50]\ngroups = [1]\n\
         [[body]]\nname = \"sunk\"\nshape = { box = [0.2, 0.2, 0.2] }\nposition = [20, 0, 0.05]\n",
    );
    for _ in 0..300 {
        world.step().unwrap();
    }
    assert!((world.state().bodies[4].pose.position.z - 0.1).abs() < 1e-9);
}

#[test]
fn numbers_that_overflow_are_an_error_that_names_the_body() {
    let mut world = world(
        "format = 1\n\
         world.friction = 0.5\n\
         [[body]]\nname = \"ground\"\nshape = { half_space = [0, 0, 1] }\n\
         [[body]]\nname = \"flash\"\nshape = { ball = 1 }\nposition = [0, 0, 2]\n",
    );
    // A scene may not say so.
    world
        .set_velocity(1, Vec3::new(0.0, 0.0, -1e200), Vec3::zeros())
        .unwrap();
    let before = world.state().clone();
    let error = world.step().unwrap_err().to_string();
    assert!(error.contains("flash") && error.contains("must be finite"), "{error}");
    assert_eq!(&before, world.state());
}

/// Two hundred balls in one place: an error that names two of them, at once.
#[test]
fn a_crowd_in_one_place_is_refused() {
    let mut text = String::from("format = 1\nworld.friction = 0.5\n");
    for i in 0..200 {
        text = format!("{text}[[body]]\nname = \"ball {i}\"\nshape = {{ ball = 0.1 }}\nposition = [0, 0, 0.1]\n");
    }
    let error = world(&text).step().unwrap_err().to_string();
    assert_eq!(
        error,
        "ball 0 and ball 1: bodies that each overlaps: must be 64 at most; place them apart, found 199"
    );
}
