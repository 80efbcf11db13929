//! The tool could not go on from a saved state, and a state of another model was loaded without a word where the library did.
#![allow(clippy::unwrap_used)]

mod running;

use running::{folder, stiction_in};

fn scene(mass: f64) -> String {
    format!(
        r#"
format = 1
world = {{ duration = 0.1, friction = 0.5 }}
[[body]]
name = "ground"
shape = {{ half_space = [0, 0, 1] }}
[[body]]
name = "box"
shape = {{ box = [0.2, 0.2, 0.2] }}
mass = {mass}
position = [0, 0, 0.1]
velocity = [1, 0, 0]
"#
    )
}

#[test]
fn a_run_goes_on_from_a_saved_state_of_its_own_model() {
    let folder = folder("saved_states");
    std::fs::write(folder.join("light.toml"), scene(2.0)).unwrap();
    std::fs::write(folder.join("heavy.toml"), scene(3.0)).unwrap();
    let run = |arguments: &[&str]| stiction_in(&folder, &[&["run"], arguments].concat());
    let straight = run(&["light.toml", "--json"]);
    let half = run(&["light.toml", "--steps", "40", "--save", "a.state", "--json"]);
    assert_eq!((straight.code, half.code), (0, 0), "{half:?}");
    // To the end of the scene's duration, with the same bits; steps are those of the state.
    let rest = run(&["light.toml", "--from", "a.state", "--json"]);
    assert!(rest.code == 0 && !rest.stderr.contains("warning"), "{rest:?}");
    let (rest, straight) = (rest.json(), straight.json());
    assert_eq!(
        (rest["steps"].as_u64(), straight["steps"].as_u64()),
        (Some(100), Some(100))
    );
    assert_eq!(rest["hash"], straight["hash"]);
    let other = run(&["heavy.toml", "--from", "a.state"]);
    assert_eq!(
        (other.code, other.stderr.as_str()),
        (
            2,
            "a.state: saved state: bodies[1].mass: must be 3 as in the world, found 2\n"
        )
    );
    let forced = run(&["heavy.toml", "--from", "a.state", "--force", "--json"]);
    // The heavier body has more energy than the state that it goes on from, which the run says.
    let warning =
        "a.state: warning: saved state: bodies[1].mass: must be 3 as in the world, found 2: loaded by force\n";
    assert!(forced.code != 2 && forced.stderr.starts_with(warning), "{forced:?}");
    assert_eq!(forced.json()["steps"], 100);
    let alone = run(&["heavy.toml", "--force"]);
    assert_eq!(alone.code, 2, "{alone:?}");
}

#[test]
fn what_a_state_keeps_of_an_older_scene_is_said() {
    let folder = folder("replaced");
    let driven = |height: f64, stiffness: f64| {
        scene(2.0).replacen(
            "shape = { half_space = [0, 0, 1] }",
            &format!("shape = {{ half_space = [0, 0, 1] }}\nposition = [0, 0, {height}]"),
            1,
        ) + &format!(
            r#"
[[body]]
name = "arm"
shape = {{ box = [0.4, 0.05, 0.05] }}
mass = 1
position = [0.2, 0, 1]
[[joint]]
name = "shoulder"
kind = "revolute"
a = "arm"
b = "ground"
position = [0, 0, 1]
axis = [0, 1, 0]
motor = {{ target = 0, stiffness = {stiffness}, damping = 1 }}
"#
        )
    };
    std::fs::write(folder.join("first.toml"), driven(0.0, 100.0)).unwrap();
    std::fs::write(folder.join("stiff.toml"), driven(0.0, 200.0)).unwrap();
    let run = |arguments: &[&str]| stiction_in(&folder, &[&["run"], arguments].concat());
    assert_eq!(run(&["first.toml", "--steps", "10", "--save", "a.state"]).code, 0);
    let same = run(&["first.toml", "--from", "a.state"]);
    assert!(!same.stderr.contains("a.state: warning"), "{same:?}");
    let stiff = run(&["stiff.toml", "--from", "a.state"]);
    let said = "a.state: warning: joint shoulder: the motor is that of the state, not of the scene\n";
    assert!(stiff.stderr.contains(said), "{stiff:?}");
    std::fs::write(folder.join("plain.toml"), scene(2.0)).unwrap();
    let lower = scene(2.0).replacen(
        "shape = { half_space = [0, 0, 1] }",
        "shape = { half_space = [0, 0, 1] }\nposition = [0, 0, -1]",
        1,
    );
    std::fs::write(folder.join("lower.toml"), lower).unwrap();
    assert_eq!(run(&["plain.toml", "--steps", "10", "--save", "b.state"]).code, 0);
    let moved = run(&["lower.toml", "--from", "b.state"]);
    let said = "b.state: warning: body ground: is where the state has it, not the scene\n";
    assert!(moved.stderr.contains(said), "{moved:?}");
}
