//! A saved state was loaded into any world with the same names and time step: a box of another mass, size or friction went on as if it were the one that
//! was saved. States now carry a fingerprint of the model, and what differs is named.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;

const SCENE: &str = r#"
format = 1
world = { gravity = [0, 0, -9.81], dt = 0.001, law = "coulomb" }
material = [{ name = "rubber", friction = 0.5 }]
body = [
    { name = "ground", shape = { half_space = [0, 0, 1] } },
    { name = "box", shape = { box = [0.2, 0.2, 0.2] }, mass = 2, position = [0, 0, 0.1], material = "rubber" },
    { name = "arm", shape = { ball = 0.1 }, mass = 1, position = [0, 0, 1] },
]
joint = [{ name = "hinge", kind = "revolute", a = "arm", b = "ground", position = [0, 0, 2], axis = [0, 1, 0], limits = [-1, 1] }]
"#;

fn world(text: &str) -> World {
    World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap()
}

fn saved(text: &str) -> Vec<u8> {
    let mut world = world(text);
    for _ in 0..5 {
        world.step().unwrap();
    }
    world.save()
}

#[test]
fn a_state_of_another_model_is_refused_by_what_differs() {
    for (from, to, said) in [
        (
            "mass = 2",
            "mass = 3",
            "bodies[1].mass: must be 2 as in the world, found 3",
        ),
        (
            "box = [0.2, 0.2, 0.2]",
            "box = [0.2, 0.2, 0.3]",
            // Its inertia differs as well, and comes first.
            "bodies[1].inertia[0][0]: must be ",
        ),
        ("ball = 0.1", "ball = 0.11", "bodies[2].inertia[0][0]: must be "),
        (
            "half_space = [0, 0, 1]",
            "half_space = [0, 0.6, 0.8]",
            "bodies[0].shape: must be as in the world, found another",
        ),
        (
            "friction = 0.5",
            "friction = 0.7",
            "bodies[1].friction: must be 0.5 as in the world, found 0.7",
        ),
        (
            "-9.81]",
            "-1.62]",
            "gravity[2]: must be -9.81 as in the world, found -1.62",
        ),
        (
            "\"coulomb\"",
            "\"polyhedral\"",
            "law: must be coulomb as in the world, found polyhedral",
        ),
        (
            "dt = 0.001",
            "dt = 0.002",
            "dt: must be 0.001 as in the world, found 0.002",
        ),
        (
            "limits = [-1, 1]",
            "limits = [-1, 0.5]",
            "joints[0].limits: must be 1 as in the world, found 0.5",
        ),
        (
            "position = [0, 0, 2]",
            "position = [0, 0, 3]",
            "joints[0].frame_a: must be as in the world, found another",
        ),
        (
            "name = \"arm\"",
            "name = \"leg\"",
            "bodies[2].name: must be \"arm\" as in the world, found \"leg\"",
        ),
    ] {
        let text = SCENE.replace(from, to).replace(
            "a = \"arm\"",
            if to.contains("leg") {
                "a = \"leg\""
            } else {
                "a = \"arm\""
            },
        );
        let state = saved(&text);
        let mut other = world(SCENE);
        let before = other.save();
        let error = other.load(&state).unwrap_err().to_string();
        assert!(error.starts_with(&format!("saved state: {said}")), "{to}: {error}");
        assert_eq!(other.save(), before, "{to}");
        // For those who mean it.
        let loaded = other.load_forced(&state).unwrap();
        assert_eq!(loaded.warnings.len(), 1, "{to}");
        assert!(loaded.warnings[0].starts_with(&format!("saved state: {said}")), "{to}");
        assert_eq!(other.state().step, 5);
        other.step().unwrap();
    }
}

#[test]
fn a_state_of_the_same_model_is_loaded_without_a_word() {
    let mut other = world(SCENE);
    let state = saved(SCENE);
    assert!(other.load(&state).unwrap().warnings.is_empty());
    assert_eq!(other.save(), state);
    let mut forced = world(SCENE);
    assert!(forced.load_forced(&state).unwrap().warnings.is_empty());
}

#[test]
fn nothing_forces_another_number_of_bodies() {
    let few = "format = 1\nworld = { gravity = [0, 0, -9.81], dt = 0.001 }\n";
    let error = world(few).load_forced(&saved(SCENE)).unwrap_err().to_string();
    assert_eq!(error, "saved state: bodies: must be 0 as in the world, found 3");
}

/// A state that was saved before there were fingerprints.
#[test]
fn an_old_state_is_loaded_with_a_warning() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(here.join("tests/states/ladder-3.state")).unwrap();
    let scene = Scene::read(here.join("../../scenes/soak/ladder.toml")).unwrap();
    let mut ladder = World::from_scene(&scene).unwrap();
    let loaded = ladder.load(&bytes).unwrap();
    assert_eq!(
        loaded.warnings,
        [
            "saved state: its energy ledger has sums alone: dissipated counts as slip, stepping as numerical.flight",
            "saved state: it has no fingerprint: whether it is of the same model is not known"
        ]
    );
    assert_eq!(ladder.state().step, 3);
    ladder.step().unwrap();
}
