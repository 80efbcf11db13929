//! Thresholds of gaps were shares of the largest body of the world: a fixed slab of 10 m, 5 km away, made a cube of 1 cm hover 1 µm above its floor.
//! They are now shares of the smaller body of the pair, with a floor of rounding.
#![allow(clippy::unwrap_used)]

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;

fn world(text: &str) -> World {
    World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap()
}

const SLAB: &str =
    "[[body]]\nname = \"slab\"\nkind = \"fixed\"\nshape = { box = [20, 20, 1] }\nposition = [5000, 0, 0]\n";

/// A cube of 1 cm that starts `gap` above a floor, and what else is in the world.
fn cube(gap: f64, floor: &str, more: &str, rest: &str) -> World {
    world(&format!(
        "format = 1\n{rest}[[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = {floor}\n\
         [[body]]\nname = \"cube\"\nshape = {{ box = [0.01, 0.01, 0.01] }}\nposition = [0, 0, {:e}]\n{more}",
        0.005 + gap
    ))
}

const FLOORS: [&str; 3] = [
    "{ half_space = [0, 0, 1] }",
    "{ compound = [{ box = [0.1, 0.1, 0.02], position = [0, 0, -0.01] }] }",
    "{ compound = [{ box = [2000, 2000, 20], position = [0, 0, -10] }] }",
];

#[test]
fn a_cube_rests_at_the_same_height_whatever_is_far_away() {
    for stepper in ["stewart-trinkle", "anitescu-potra", "acceleration"] {
        for floor in FLOORS {
            for gap in [9e-7, 1e-8, 0.0, -1e-8] {
                let rest = format!("[world]\nstepper = \"{stepper}\"\n");
                let mut alone = cube(gap, floor, "", &rest);
                let mut beside = cube(gap, floor, SLAB, &rest);
                for step in 0..100 {
                    alone.step().unwrap();
                    beside.step().unwrap();
                    let [x, y] = [&alone, &beside].map(|world| world.state().bodies[1].pose.position.z);
                    assert!((x - y).abs() <= 1e-12, "{stepper} {floor} {gap:e} {step}: {x:e} {y:e}");
                }
                // On the floor, to a ten-millionth of its own size.
                let z = beside.state().bodies[1].pose.position.z;
                assert!((z - 0.005).abs() < 1e-9, "{stepper} {floor} {gap:e}: {:e}", z - 0.005);
            }
        }
    }
}

/// Joints are closed, and said to hold, by the size of what they join.
#[test]
fn a_joint_is_closed_as_well_beside_a_large_body() {
    let text = |more: &str| {
        format!(
            "format = 1\n[world]\ndt = 0.005\n[[body]]\nname = \"post\"\nkind = \"fixed\"\nshape = {{ box = [0.01, 0.01, 0.01] }}\n\
             [[body]]\nname = \"rod\"\nshape = {{ box = [0.04, 0.002, 0.002] }}\nposition = [0.02, 0, 0]\n{more}\
             [[joint]]\nname = \"hinge\"\nkind = \"revolute\"\na = \"rod\"\nb = \"post\"\naxis = [0, 1, 0]\nposition = [0, 0, 0]\n"
        )
    };
    let mut worlds = ["", SLAB].map(|more| world(&text(more)));
    for step in 0..200 {
        let [x, y] = worlds.each_mut().map(|world| {
            world.step().unwrap();
            (world.state().bodies[1], world.joint_error(0).unwrap()[0])
        });
        assert!(x.1 < 1e-11 && y.1 < 1e-11, "{step}: {:e} {:e}", x.1, y.1);
        let off = (x.0.pose.position - y.0.pose.position).norm();
        assert!(off <= 1e-12, "{step}: {off:e}");
    }
}

/// Overlap is eased by island: bodies elsewhere that overlap by more, or that find their way out only far away, change nothing.
#[test]
fn overlap_is_eased_as_if_nothing_else_overlapped() {
    let elsewhere = "[[body]]\nname = \"left\"\nkind = \"fixed\"\nshape = { box = [1, 1, 1] }\nposition = [50, 0, 0]\n\
         [[body]]\nname = \"right\"\nkind = \"fixed\"\nshape = { box = [1, 1, 1] }\norientation = { axis = [0, 1, 0], degrees = 1 }\nposition = [51.1, 0, 0]\n\
         [[body]]\nname = \"wedged\"\nshape = { ball = 0.1 }\nposition = [50.55, 0, 0]\n\
         [[body]]\nname = \"deep\"\nshape = { box = [2, 2, 2] }\nposition = [-50, 0, 0.7]\n";
    let mut alone = cube(-1e-3, FLOORS[0], "", "");
    let mut beside = cube(-1e-3, FLOORS[0], elsewhere, "");
    for step in 0..50 {
        alone.step().unwrap();
        beside.step().unwrap();
        let [x, y] = [&alone, &beside].map(|world| world.state().bodies[1].pose);
        let off = (x.position - y.position).norm();
        assert!(off <= 1e-12, "{step}: {off:e}");
    }
}
