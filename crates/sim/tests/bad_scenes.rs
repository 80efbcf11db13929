//! Scenes that must be refused, each a file under `bad_scenes/`, with the exact message in `bad_scenes/messages.txt`.
//! `UPDATE=1 cargo test --test bad_scenes` writes the messages anew, to be read before they are kept.
#![allow(clippy::unwrap_used)]

mod bad_files;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bad_files::{Sequence, are_as_stated};
use stiction_scene::{MAX_BODIES, Scene, WorldExt};
use stiction_sim::World;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_scenes")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    files
}

#[test]
fn every_message_is_as_stated() {
    let mut found = String::new();
    for path in files(&folder()) {
        let mut error = Scene::read(&path).unwrap_err();
        error.file = path.file_name().unwrap().into();
        writeln!(found, "{error}").unwrap();
    }
    are_as_stated(&folder(), &found);
}

#[test]
fn a_file_that_is_not_there_or_not_text() {
    let error = Scene::read(folder().join("nothing.toml")).unwrap_err().to_string();
    assert!(
        error.ends_with("nothing.toml: must be a file, found nothing of this name"),
        "{error}"
    );
    let error = Scene::read(folder().join("huge_count.stl")).unwrap_err().to_string();
    assert!(
        error.ends_with("must be UTF-8 text, found other bytes at 83"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_is_refused() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("link");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("scene/meshes")).unwrap();
    let cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    std::fs::write(folder.join("outside.obj"), cube).unwrap();
    std::fs::write(folder.join("scene/meshes/inside.obj"), cube).unwrap();
    std::os::unix::fs::symlink("../../outside.obj", folder.join("scene/meshes/link.obj")).unwrap();
    let text = |name: &str| format!("format = 1\nbody = [{{ shape = {{ mesh = \"meshes/{name}.obj\" }} }}]\n");
    let scene = Scene::parse(&text("inside"), folder.join("scene")).unwrap();
    assert!((scene.bodies[0].state.pose.position.x - 0.25).abs() < 1e-15);
    let error = Scene::parse(&text("link"), folder.join("scene"))
        .unwrap_err()
        .to_string();
    let end = "must be a path below the scene's folder, found a link that leads out or nowhere: meshes/link.obj";
    assert_eq!(error, format!("scene:2:28: body[0].shape.mesh: {end}"));
    // Whether a file is there outside the folder does not show: not by a link to it, and not by a link to its folder.
    std::fs::remove_file(folder.join("outside.obj")).unwrap();
    let gone = Scene::parse(&text("link"), folder.join("scene")).unwrap_err();
    assert_eq!(error, gone.to_string());
    std::os::unix::fs::symlink("../..", folder.join("scene/meshes/up")).unwrap();
    std::fs::write(folder.join("there.obj"), cube).unwrap();
    let [there, absent] = ["there", "absent"].map(|name| {
        let error = Scene::parse(&text(&format!("up/{name}")), folder.join("scene")).unwrap_err();
        error.to_string().replace(name, "x")
    });
    assert_eq!(there, absent);
    // A link that stays is no matter.
    std::os::unix::fs::symlink("inside.obj", folder.join("scene/meshes/same.obj")).unwrap();
    Scene::parse(&text("same"), folder.join("scene")).unwrap();
}

#[test]
fn meshes_in_all_forms_give_the_same_solid() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("meshes");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let corners = [[0.0_f32, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let (mut binary, mut text, mut obj) = (vec![0; 80], "solid t\n".to_owned(), String::new());
    binary.extend(4_u32.to_le_bytes());
    for face in faces {
        binary.extend([0; 12]);
        text += "facet normal 0 0 0\nouter loop\n";
        for corner in face {
            for x in corners[corner] {
                binary.extend(x.to_le_bytes());
            }
            let [x, y, z] = corners[corner];
            writeln!(text, "vertex {x} {y:e} {z}").unwrap();
        }
        binary.extend([0; 2]);
        text += "endloop\nendfacet\n";
    }
    for [x, y, z] in corners {
        writeln!(obj, "v {x} {y} {z}").unwrap();
    }
    std::fs::write(folder.join("binary.stl"), binary).unwrap();
    std::fs::write(folder.join("text.STL"), text).unwrap();
    std::fs::write(folder.join("t.obj"), obj).unwrap();
    for name in ["binary.stl", "text.STL", "t.obj"] {
        let text = format!("format = 1\nbody = [{{ shape = {{ mesh = \"{name}\", scale = 0.5 }}, density = 6 }}]\n");
        let scene = Scene::parse(&text, &folder).unwrap();
        let stiction_sim::body::Kind::Dynamic { mass, .. } = scene.bodies[0].body.kind else {
            panic!()
        };
        assert!((mass - 1.0).abs() < 1e-12, "{name}: {mass}");
    }
}

#[test]
fn numbers_may_be_written_as_toml_writes_them() {
    let text =
        "format = 1\nbody = [{ shape = { box = [0x10, 1_000, +2.5e-1] }, mass = 1, position = [-0.0, 0o17, 0b11] }]";
    let scene = Scene::parse(text, ".").unwrap();
    assert_eq!(scene.bodies[0].state.pose.position.y, 15.0);
    let stiction_sim::shape::Shape::Polytope(polytope) = &scene.bodies[0].body.shape else {
        panic!()
    };
    assert_eq!(polytope.vertices[7].x, 8.0);
    assert_eq!(polytope.vertices[7].y, 500.0);
}

#[test]
fn empty_scenes_and_all_friction_are_no_error() {
    let mut empty = World::from_scene(&Scene::parse("format = 1", ".").unwrap()).unwrap();
    assert_eq!(empty.step().unwrap().contacts, 0);
    for friction in ["0", "1e6", "inf"] {
        let text = format!(
            "format = 1
            [world]
            gravity = [0.1, 0, -9.81]
            [[body]]
            shape = {{ half_space = [0, 0, 1] }}
            material = {{ friction = {friction} }}
            [[stack]]
            box = [1, 1, 1]
            count = 1
            material = {{ friction = {friction} }}"
        );
        let mut world = World::from_scene(&Scene::parse(&text, ".").unwrap()).unwrap();
        for _ in 0..100 {
            world.step().unwrap();
        }
        let speed = world.state().bodies[1].velocity.x;
        let expected = if friction == "0" { 0.01 } else { 0.0 };
        assert!((speed - expected).abs() < 1e-12, "friction {friction}: {speed}");
    }
}

/// A box that is pushed along a floor of the given friction, under a law.
fn pushed(friction: &str, law: &str) -> World {
    let text = format!(
        "format = 1
        world = {{ law = \"{law}\" }}
        material = [{{ name = \"m\", friction = {friction} }}]
        force = [{{ body = \"box\", force = [3000, 500, 0] }}]
        [[body]]
        shape = {{ half_space = [0, 0, 1] }}
        material = \"m\"
        [[body]]
        name = \"box\"
        shape = {{ box = [1, 1, 0.5] }}
        position = [0, 0, 0.25]
        velocity = [0.1, 0, 0]
        material = \"m\""
    );
    let mut world = World::from_scene(&Scene::parse(&text, ".").unwrap()).unwrap();
    for _ in 0..100 {
        world.step().unwrap();
    }
    world
}

#[test]
fn no_friction_is_the_frictionless_law_and_much_is_no_slip() {
    let none = pushed("0", "coulomb");
    assert_eq!(none.state(), pushed("0", "frictionless").state());
    let no_slip = pushed("inf", "no-slip");
    for friction in ["1e6", "inf"] {
        let much = pushed(friction, "coulomb");
        let apart = much.state().bodies[1].pose.position - no_slip.state().bodies[1].pose.position;
        assert!(apart.norm() < 1e-6, "{friction}: {apart:?}");
    }
}

#[test]
fn walls_that_close_are_named_and_nothing_moves() {
    let text = "format = 1
        [[body]]
        name = \"left\"
        shape = { half_space = [1, 0, 0] }
        [[body]]
        name = \"right\"
        kind = \"kinematic\"
        shape = { box = [1, 1, 1] }
        position = [1.5, 0, 0]
        velocity = [-1, 0, 0]
        [[body]]
        name = \"caught\"
        shape = { box = [1, 0.5, 0.5] }
        position = [0.5, 0, 0]";
    let mut world = World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap();
    let before = world.state().clone();
    let error = world.step().unwrap_err().to_string();
    for name in ["left", "right", "caught"] {
        assert!(error.contains(name), "{error}");
    }
    assert_eq!(*world.state(), before);
}

#[test]
fn a_body_deep_in_the_ground_comes_out_slowly() {
    let text = "format = 1
        [[body]]
        shape = { half_space = [0, 0, 1] }
        [[body]]
        shape = { box = [1, 1, 1] }
        position = [0, 0, -2.5]";
    let mut world = World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap();
    let report = world.step().unwrap();
    assert!((report.depth - 3.0).abs() < 1e-12, "{report:?}");
    for _ in 0..4000 {
        world.step().unwrap();
        let body = &world.state().bodies[1];
        assert!(
            body.pose.position.z < 0.5 + 1e-9 && body.velocity.norm() < 1e-9,
            "{body:?}"
        );
    }
    let z = world.state().bodies[1].pose.position.z;
    assert!((z - 0.5).abs() < 1e-9, "{z}");
}

#[test]
fn overlap_at_the_start_is_reported_and_eased_out_slowly() {
    let text = "format = 1
        [[body]]
        shape = { half_space = [0, 0, 1] }
        [[body]]
        shape = { box = [1, 1, 1] }
        position = [0, 0, 0.4]";
    let mut world = World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap();
    let mut last = 0.4;
    let report = world.step().unwrap();
    assert!((report.depth - 0.1).abs() < 1e-12, "{report:?}");
    for _ in 0..300 {
        world.step().unwrap();
        let body = &world.state().bodies[1];
        let z = body.pose.position.z;
        // No faster than 1 m/s, and no velocity is left behind.
        assert!(z - last <= 2.1e-3 && body.velocity.norm() < 1e-9, "{body:?}");
        last = z;
    }
    assert!((last - 0.5).abs() < 1e-9, "{last}");
    // Lifted by 0.1 m: that energy is named, not hidden.
    let ledger = world.ledger();
    assert!((ledger.eased - 1000.0 * 9.81 * 0.1).abs() < 1e-3, "{ledger:?}");
    assert!(ledger.worst_gain < 1e-9 * ledger.potential, "{ledger:?}");
}

#[test]
fn mangled_scenes_never_panic() {
    const LIKELY: &[u8] = b"0123456789.-+e[]{}=\"'#\n_,infa";
    let mut sequence = Sequence(7);
    let (mut refused, mut taken) = (0, 0);
    let scenes = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes"));
    for path in scenes.iter().chain(&files(&folder())) {
        let bytes = std::fs::read(path).unwrap();
        for _ in 0..100 {
            let changed = sequence.mangle(&bytes, 4, LIKELY);
            match Scene::parse(&changed, folder()) {
                Ok(scene) => {
                    taken += 1;
                    assert!(scene.bodies.len() <= MAX_BODIES);
                    if scene.bodies.len() < 50 {
                        let mut world = World::from_scene(&scene).unwrap();
                        // A step may fail, with a word.
                        let _ = world.step();
                    }
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().starts_with("scene:"), "{error}");
                }
            }
        }
    }
    assert!(refused > 1000 && taken > 100, "{refused} {taken}");
}
