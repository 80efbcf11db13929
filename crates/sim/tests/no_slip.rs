//! The law without slip on bodies that tumble: every step has a verified answer, and none gains energy.
#![allow(clippy::unwrap_used)]

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;

/// Steps a world, every step solved; the energy may not rise by more than 1e-9 of what there is at the start beyond what was given.
fn tumble(text: &str, steps: usize) -> World {
    let mut world = World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap();
    let start = world.ledger().kinetic + world.ledger().potential;
    for step in 0..steps {
        if let Err(error) = world.step() {
            panic!("step {step}: {error}\n{text}");
        }
    }
    let gain = world.ledger().worst_gain;
    assert!(gain <= 1e-9 * start.abs(), "{gain:e} of {start:e}\n{text}");
    world
}

#[test]
fn a_tetrahedron_tumbles_to_rest() {
    for spin in ["[3, 4, 5]", "[-6, 2, 1]", "[0, 9, -4]", "[12, -7, 3]"] {
        let text = format!(
            r#"
            format = 1
            world = {{ law = "no-slip" }}
            [[body]]
            name = "ground"
            shape = {{ half_space = [0, 0, 1] }}
            [[body]]
            name = "tetrahedron"
            shape = {{ points = [[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]] }}
            position = [0, 0, 0.4]
            spin = {spin}
            "#
        );
        let world = tumble(&text, 2000);
        let state = world.state().bodies[1];
        assert!(state.velocity.norm() < 1e-9, "{spin}: {}", state.velocity);
    }
}

#[test]
fn joints_that_rub_and_drive_tumble() {
    for (spin, joint) in [
        ("[3, 4, 5]", "friction = 0.5"),
        ("[-6, 2, 1]", "friction = 0.1"),
        ("[0, 9, -4]", "motor = { stiffness = 20, damping = 0.2, most = 2 }"),
        (
            "[5, -3, 7]",
            "friction = 0.05\nlimits = [-1, 1]\nmotor = { stiffness = 20, damping = 0.2 }",
        ),
    ] {
        let text = format!(
            r#"
            format = 1
            world = {{ law = "no-slip" }}
            [[body]]
            name = "ground"
            shape = {{ half_space = [0, 0, 1] }}
            [[body]]
            name = "upper"
            shape = {{ box = [0.3, 0.1, 0.1] }}
            position = [-0.16, 0, 0.5]
            spin = {spin}
            [[body]]
            name = "lower"
            shape = {{ box = [0.3, 0.1, 0.1] }}
            position = [0.16, 0, 0.5]
            spin = {spin}
            [[joint]]
            name = "hinge"
            kind = "revolute"
            a = "upper"
            b = "lower"
            position = [0, 0, 0.5]
            axis = [0, 1, 0]
            {joint}
            "#
        );
        tumble(&text, 1500);
    }
}

/// A robot whose joints are held by motors: it stands, and where it is dropped aslant and lies on its side every step is solved as well.
#[test]
fn a_quadruped_stands_and_falls() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let text = std::fs::read_to_string(folder.join("quadruped.toml")).unwrap();
    let place = "position = [0, 0, 0.34]";
    assert!(text.contains(place) && text.contains("[world]\n"));
    for law in ["no-slip", "viscous"] {
        let of_law = text.replace("[world]\n", &format!("[world]\nlaw = \"{law}\"\n"));
        let aslant = "position = [0, 0, 0.5]\norientation = { axis = [1, 0.3, 0.2], degrees = 60 }";
        for (text, steps) in [(of_law.clone(), 1000), (of_law.replace(place, aslant), 500)] {
            let mut world = World::from_scene(&Scene::parse(&text, &folder).unwrap()).unwrap();
            for step in 0..steps {
                let report = world.step();
                let report = report.unwrap_or_else(|error| panic!("{law}, step {step}: {error}"));
                assert!(
                    report.joint_error.iter().all(|e| *e < 1e-9),
                    "{law}, step {step}: {report:?}"
                );
            }
            assert!(world.ledger().worst_gain < 1e-9, "{law}: {:?}", world.ledger());
        }
    }
}
