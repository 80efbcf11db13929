//! Once warm, a step takes no memory.
#![allow(clippy::unwrap_used)]

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;

const GROUND: &str = "[[body]]\nname = \"ground\"\nshape = { half_space = [0, 0, 1] }\n";

fn count(name: &str, text: &str, before: usize, steps: usize) {
    let text = text.replacen("format = 1\n", "format = 1\nworld.friction = 0.5\n", 1);
    let mut world = World::from_scene(&Scene::parse(&text, ".").unwrap()).unwrap();
    for _ in 0..before {
        world.step().unwrap();
    }
    let info = allocation_counter::measure(|| {
        for _ in 0..steps {
            world.step().unwrap();
        }
    });
    assert_eq!(info.count_total, 0, "{name}: {info:?}");
}

#[test]
fn a_warm_step_does_not_allocate() {
    let ramp = "format = 1\n[[body]]\nname = \"ramp\"\nshape = { half_space = [0, 0, 1] }\n\
                orientation = { axis = [0, 1, 0], degrees = 30 }\n[[stack]]\nname = \"box\"\nbox = [0.2, 0.2, 0.2]\ncount = 1\n\
                orientation = { axis = [0, 1, 0], degrees = 30 }\n";
    count("ramp", ramp, 20, 200);
    let stack = format!("format = 1\n{GROUND}[[stack]]\nname = \"box\"\nbox = [0.2, 0.2, 0.2]\ncount = 10\n");
    count("stack", &stack, 20, 200);
    let wall = format!(
        "format = 1\n{GROUND}[[grid]]\nname = \"wall\"\nbox = [0.2, 0.1, 0.1]\nrows = 10\ncolumns = 10\ngap = 0.004\noffset = 0.051\n"
    );
    count("wall", &wall, 20, 20);
    // Few contacts, so that islands are solved one after the other: the pool of threads takes memory as it likes.
    let islands = format!(
        "format = 1\n{GROUND}[[grid]]\nname = \"box\"\nbox = [0.2, 0.2, 0.2]\nrows = 1\ncolumns = 10\ngap = 0.1\n"
    );
    count("islands", &islands, 20, 200);
    for stepper in ["anitescu-potra", "acceleration"] {
        let head = format!("format = 1\nworld.stepper = \"{stepper}\"\n");
        count(stepper, &ramp.replace("format = 1\n", &head), 20, 200);
        count(stepper, &stack.replace("format = 1\n", &head), 20, 200);
    }
    for law in ["frictionless", "polyhedral", "no-slip", "viscous", "viscous-explicit"] {
        let head = format!("format = 1\nworld.law = \"{law}\"\n");
        count(law, &stack.replace("format = 1\n", &head), 20, 50);
    }
}

/// Two links with friction, a motor and limits, eased in every step; and a body that bounces.
#[test]
fn joints_and_bounces_do_not_allocate() {
    let joints = r#"
        format = 1
        [[body]]
        name = "hook"
        kind = "fixed"
        shape = { ball = 0.1 }
        groups = [1]
        [[body]]
        name = "upper"
        shape = { box = [1, 0.1, 0.1] }
        position = [0.5, 0, 0]
        groups = [2]
        [[body]]
        name = "lower"
        shape = { box = [1, 0.1, 0.1] }
        position = [1.5, 0, 0]
        groups = [3]
        [[joint]]
        kind = "revolute"
        a = "upper"
        b = "hook"
        position = [0, 0, 0]
        axis = [0, 1, 0]
        friction = 2
        [[joint]]
        kind = "revolute"
        a = "lower"
        b = "upper"
        position = [1, 0, 0]
        axis = [0, 1, 0]
        limits = [-0.5, 0.5]
        motor = { target = 0.2, stiffness = 50, damping = 1, most = 20 }
        "#;
    // An answer is sharpened for the first time where the lower link meets its limit, after more than 4 s: that takes its memory.
    count("joints", joints, 5000, 2000);
    let ball = format!(
        "format = 1\n{GROUND}[[body]]\nname = \"ball\"\nshape = {{ ball = 0.1 }}\nposition = [0, 0, 0.3]\n\
         material = {{ restitution = 0.9 }}\n"
    );
    count("ball", &ball, 800, 2000);
}
