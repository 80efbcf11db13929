//! Every scene under `scenes/` does what its header says, gains no energy and does not sink in.
#![allow(clippy::unwrap_used)]

mod watched;

use std::path::{Path, PathBuf};

use stiction_scene::{Scene, WorldExt};
use stiction_sim::{Vec3, World};
use watched::Watched;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

/// A scene's text with some of it replaced.
fn changed(name: &str, changes: &[(&str, &str)]) -> Scene {
    let mut text = std::fs::read_to_string(folder().join(name)).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{name} has no {from}");
        text = text.replace(from, to);
    }
    Scene::parse(&text, folder()).unwrap()
}

fn watch(scene: &Scene) -> Watched {
    Watched::new(World::from_scene(scene).unwrap())
}

fn watch_file(name: &str) -> Watched {
    watch(&Scene::read(folder().join(name)).unwrap())
}

#[test]
fn every_scene_is_read_and_makes_ten_steps() {
    let mut count = 0;
    let mut folders = vec![folder()];
    while let Some(inside) = folders.pop() {
        for entry in std::fs::read_dir(inside).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|e| e != "toml") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(
                text.starts_with("# ") && text.contains("# What must happen"),
                "{path:?}"
            );
            let scene = Scene::read(&path).unwrap();
            watch(&scene).run(10);
            count += 1;
        }
    }
    assert!(count >= 9, "{count} scenes");
}

#[test]
fn ramp_hold() {
    let mut watched = watch_file("ramp-hold.toml");
    watched.run(10_000).stands(1e-12);
    let speed = watched.world.state().bodies[1].velocity.norm();
    assert!(speed < 1e-12, "{speed}");
}

#[test]
#[ignore = "an hour, 3.6e6 steps: cargo test --release -p stiction-sim --test scenes -- --ignored"]
fn ramp_hold_for_an_hour() {
    let mut watched = watch_file("ramp-hold.toml");
    watched.run(3_600_000).stands(1e-9);
    // Creep: what is left of the speed, and the way by the hour.
    let creep = watched.farthest("box").max(watched.fastest()) / 3600.0;
    assert!(creep < 1e-9, "{creep:e}");
}

#[test]
fn slide_stop() {
    let (v0, mu, g, h) = (2.0_f64, 0.5, 9.81, 1e-3);
    for heading in [0.0_f64, std::f64::consts::FRAC_PI_4, 1.0, -2.5] {
        let (x, y) = (v0 * heading.cos(), v0 * heading.sin());
        let text = format!(
            "format = 1
            world.friction = 0.5
            body = [
                {{ name = \"ground\", shape = {{ half_space = [0, 0, 1] }} }},
                {{ name = \"box\", shape = {{ box = [0.2, 0.2, 0.2] }}, position = [0, 0, 0.1], velocity = [{x:e}, {y:e}, 0] }},
            ]"
        );
        let mut watched = watch(&Scene::parse(&text, ".").unwrap());
        watched.run(600);
        let exact = v0 * v0 / (2.0 * mu * g);
        let moved = watched.moved("box");
        let along = Vec3::new(heading.cos(), heading.sin(), 0.0);
        // In the step in which it stops it is held from the start: μgh²/2 are left at most.
        let left = 0.5 * mu * g * h * h;
        assert!((moved - exact * along).norm() <= left, "{moved:?}, expected {exact}");
        assert!(moved.z.abs() < 1e-9, "lift {}", moved.z);
        assert!(watched.fastest() < 1e-14, "{}", watched.fastest());
        watched.does_not_overlap();
    }
}

#[test]
fn slide_to_roll() {
    let text = r#"
        format = 1
        world.friction = 0.5
        body = [
            { name = "ground", shape = { half_space = [0, 0, 1] } },
            { name = "ball", shape = { ball = 0.1 }, position = [0, 0, 0.1], velocity = [2.1, 2.8, 0] },
        ]
    "#;
    let mut watched = watch(&Scene::parse(text, ".").unwrap());
    watched.run(1000);
    let v = watched.world.state().bodies[1].velocity;
    assert!((v - 5.0 / 7.0 * Vec3::new(2.1, 2.8, 0.0)).norm() < 3.5e-9, "{v:?}");
    watched.does_not_overlap();
}

#[test]
fn grasp_holds_and_drops() {
    let mut watched = watch_file("grasp-4.toml");
    watched.run(2000).stands(1e-9);
    let weak = changed("grasp-4.toml", &[("-39.24003924", "-39.23996076")]);
    let mut watched = watch(&weak);
    watched.run(2000);
    let dropped = watched.moved("box 2").z;
    // A millionth of gravity for two seconds.
    assert!(dropped < -1e-6, "{dropped}");
}

#[test]
fn ramp_slide() {
    let mut watched = watch_file("ramp-slide.toml");
    watched.run(1000);
    let a = 9.81 * (0.5 - 0.5 * 0.75_f64.sqrt());
    // After a second x = at²/2.
    let (slid, expected) = (watched.moved("box[0]").norm(), 0.5 * a);
    assert!((slid - expected).abs() < 1e-9, "{slid} {expected}");
    let lift = watched.moved("box[0]").dot(&Vec3::new(0.5, 0.0, 0.75_f64.sqrt()));
    assert!(lift.abs() < 1e-9, "{lift}");
    assert!(watched.world.state().bodies[1].spin.norm() < 1e-9);
    watched.does_not_overlap();
}

#[test]
fn stack_20() {
    let mut watched = watch_file("stack-20.toml");
    watched.run(3000).stands(1e-9);
    assert!((watched.position("stack[19]").z - 3.9).abs() < 1e-9);
}

#[test]
#[ignore = "a minute of twenty cubes: cargo test --release -p stiction-sim --test scenes -- --ignored"]
fn stack_20_for_a_minute() {
    let mut watched = watch_file("stack-20.toml");
    watched.run(60_000).stands(1e-9);
    assert!((watched.position("stack[19]").z - 3.9).abs() < 1e-9);
}

#[test]
fn tower_tilt() {
    let mut watched = watch_file("tower-tilt.toml");
    watched.run(3500);
    assert!(watched.farthest("below[") < 1e-9, "{}", watched.farthest("below["));
    let tipped = watched.moved("beyond[4]").norm();
    assert!(tipped > 0.1, "{tipped}");
}

#[test]
fn wall() {
    let mut watched = watch_file("wall-10x10.toml");
    watched.run(300).stands(1e-9);
}

#[test]
fn arch_stands_and_falls() {
    let mut watched = watch_file("arch-27.toml");
    watched.run(1000).stands(1e-7);
    let thin = changed("arch-27.toml", &[("thickness = 0.108", "thickness = 0.106")]);
    let mut watched = watch(&thin);
    watched.run(1500);
    let fallen = watched.moved("arch[13]").z;
    assert!(fallen < -1e-3, "{fallen}");
    // With less friction than 0.3958 it slides instead of hinging.
    let rough = changed("arch-27.toml", &[("friction = 0.7", "friction = 0.40")]);
    watch(&rough).run(500).stands(1e-7);
    let smooth = changed("arch-27.toml", &[("friction = 0.7", "friction = 0.39")]);
    let mut watched = watch(&smooth);
    watched.run(300);
    let fallen = watched.moved("arch[13]").z;
    assert!(fallen < -1e-4, "{fallen}");
}

#[test]
fn mass_ratio() {
    let mut watched = watch_file("mass-ratio.toml");
    watched.run(5000).stands(1e-9);
    // The ground carries both, the light cube the heavy one, to 1e-9.
    let (world, mut on) = (&watched.world, [0.0; 2]);
    for (contact, impulse) in world.contacts().iter().zip(&world.solution().normal_impulse) {
        on[usize::from(contact.a.max(contact.b) == 2)] += impulse / world.settings().dt;
    }
    for (found, mass) in on.iter().zip([1_000_001.0, 1_000_000.0]) {
        assert!((found / (mass * 9.81) - 1.0).abs() < 1e-9, "{on:?}");
    }
}

#[test]
fn prisms() {
    let mut watched = watch_file("prisms.toml");
    watched.run(3000).stands(1e-9);
}

#[test]
fn overhang_stands_and_falls() {
    let mut watched = watch_file("overhang.toml");
    watched.run(3000).stands(1e-9);
    // All overhangs times 1 + 1e-6 instead of 1 − 1e-6.
    let scene = Scene::read(folder().join("overhang.toml")).unwrap();
    let mut beyond = scene.clone();
    for (k, body) in beyond.bodies.iter_mut().filter(|b| b.body.is_dynamic()).enumerate() {
        let reach: f64 = (0..=k).map(|i| 1.0 / (2.0 * (4 - i) as f64)).sum();
        body.state.pose.position.x = reach * (1.0 + 1e-6) - 0.5;
    }
    let mut watched = watch(&beyond);
    watched.run(5000);
    let fallen = watched.moved("brick 4").z;
    assert!(fallen < -1e-3, "{fallen}");
}

#[test]
fn pairs_forces_and_kinematic_bodies() {
    let text = r#"
        format = 1
        world = { duration = 1, dt = 0.01, gravity = [0, 0, -10] }
        material = [{ name = "ice", friction = 0 }, { name = "rubber", friction = 2 }]
        pair = [
            { materials = ["rubber", "ice"], friction = 0.25 },
            { bodies = ["c", "ground"], friction = 0.5 },
        ]
        force = [{ body = "d", force = [2000, 0, 0], from = 0.1, until = 0.2 }]
        [[body]]
        name = "ground"
        shape = { half_space = [0, 0, 1] }
        material = "ice"
        [[body]]
        name = "a"
        shape = { box = [1, 1, 0.1] }
        mass = 100
        position = [0, 0, 0.05]
        velocity = [1, 0, 0]
        material = "ice"
        [[body]]
        name = "b"
        shape = { box = [1, 1, 0.1] }
        mass = 100
        position = [0, 5, 0.05]
        velocity = [2, 0, 0]
        material = "rubber"
        [[body]]
        name = "c"
        shape = { box = [1, 1, 0.1] }
        mass = 100
        position = [0, 10, 0.05]
        velocity = [2, 0, 0]
        material = "rubber"
        [[body]]
        name = "d"
        shape = { box = [1, 1, 0.1] }
        mass = 100
        position = [0, 15, 0.05]
        material = "ice"
        [[body]]
        name = "belt"
        kind = "kinematic"
        shape = { box = [1, 1, 0.1] }
        position = [0, 20, 3]
        velocity = [0, 0, 0.5]
    "#;
    let mut watched = watch(&Scene::parse(text, ".").unwrap());
    watched.run(30);
    let world = &watched.world;
    let bodies = &world.state().bodies;
    // Without friction; with 0.25 and 0.5 of gravity 10 over 0.3 s; an impulse of 200 N·s on 100 kg; and a body that keeps its motion.
    for (body, expected) in [(1, 1.0), (2, 2.0 - 0.75), (3, 2.0 - 1.5), (4, 2.0)] {
        let found = bodies[body].velocity.x;
        assert!((found - expected).abs() < 1e-12, "body {body}: {found}");
    }
    assert!((bodies[5].pose.position.z - 3.15).abs() < 1e-12);
    // The force does its work along the way of the ten steps: 2000 N over the 0.1 m of 20 m/s² for 0.1 s.
    assert!((world.ledger().injected - 200.0).abs() < 1e-9, "{:?}", world.ledger());
}

#[test]
fn a_pendulum_from_a_scene_swings() {
    let text = r#"
        format = 1
        world = { friction = 0.5, duration = 1, dt = 0.001, gravity = [0, 0, -10] }
        body = [
            { name = "hook", kind = "fixed", shape = { box = [0.1, 0.1, 0.1] }, groups = [] },
            { name = "bob", shape = { ball = 0.05 }, mass = 1, position = [0.1, 0, -1], groups = [] },
        ]
        joint = [{ kind = "revolute", a = "bob", b = "hook", position = [0, 0, 0], axis = [0, 1, 0] }]
    "#;
    let mut watched = watch(&Scene::parse(text, ".").unwrap());
    let length = watched.world.state().bodies[1].pose.position.norm();
    // Half a period of a ball on a rod: π √((l² + 2r²/5)/(g l)).
    let half = std::f64::consts::PI * ((length * length + 0.4 * 0.0025) / (10.0 * length)).sqrt();
    let mut crossed = 0.0;
    for _ in 0..800 {
        let before = watched.world.state().bodies[1].pose.position.x;
        watched.step();
        let after = watched.world.state().bodies[1].pose.position;
        if before > 0.0 && after.x <= 0.0 {
            crossed = watched.world.state().time - 1e-3 * after.x / (after.x - before);
        }
        assert!((after.norm() - length).abs() < 1e-9, "{after:?}");
    }
    // From an angle θ a quarter of the period is longer by θ²/16.
    let expected = 0.5 * half * (1.0 + libm::atan(0.1).powi(2) / 16.0);
    assert!((crossed - expected).abs() < 2e-6, "{crossed} {expected}");
}

#[test]
fn centre_of_mass_and_frames() {
    // A tetrahedron's centre of mass is the mean of its corners; the scene's frame stays where the file says.
    let text = r#"
        format = 1
        world.friction = 0.5
        [[body]]
        name = "t"
        shape = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] }
        density = 6
        position = [1, 2, 3]
        orientation = [0, 0, 0.7071067811865476, 0.7071067811865476]
        [[body]]
        name = "dumbbell"
        shape = { compound = [{ ball = 0.1, position = [-1, 0, 0] }, { ball = 0.1, position = [1, 0, 0] }] }
        mass = 2
    "#;
    let scene = Scene::parse(text, ".").unwrap();
    let t = &scene.bodies[0];
    let centre = t.state.pose.position;
    assert!(
        (centre - Vec3::new(1.0 - 0.25, 2.25, 3.25)).norm() < 1e-15,
        "{centre:?}"
    );
    let origin = t.state.pose.point(t.body.origin_body);
    assert!((origin - Vec3::new(1.0, 2.0, 3.0)).norm() < 1e-15, "{origin:?}");
    let stiction_sim::body::Kind::Dynamic { mass, .. } = t.body.kind else {
        panic!()
    };
    assert!((mass - 1.0).abs() < 1e-15, "{mass}");
    let stiction_sim::body::Kind::Dynamic { inertia_body, .. } = &scene.bodies[1].body.kind else {
        panic!()
    };
    let expected = 2.0 * (1.0 + 0.4 * 0.01);
    assert!((inertia_body[(1, 1)] - expected).abs() < 1e-12, "{inertia_body}");
}

#[test]
fn scenes_in_the_documentation_are_read() {
    let docs = folder().join("../docs");
    let mut count = 0;
    for page in ["reference/scene-file.md", "guide/run-a-scene.md"] {
        let text = std::fs::read_to_string(docs.join(page)).unwrap();
        let blocks = text
            .split("```toml\n")
            .skip(1)
            .filter_map(|rest| rest.split("```").next());
        for block in blocks {
            // Parts of a scene are shown without the first line.
            let whole = if block.contains("format = 1") {
                block.to_owned()
            } else {
                format!("format = 1\n{block}")
            };
            Scene::parse(&whole, folder()).unwrap_or_else(|error| panic!("{page}: {error}"));
            count += 1;
        }
    }
    assert!(count >= 4, "{count} blocks");
}

#[test]
fn shapes_of_the_reference_stand_on_ground_of_triangles() {
    let text = r#"
        format = 1
        world = { friction = 0.5, duration = 1 }
        [[body]]
        name = "hill"
        shape = { heights = { columns = 3, rows = 3, spacing = [3, 3], values = [0, 0, 0, 0, 0, 0, 0, 0, 0] } }
        [[body]]
        name = "box"
        shape = { box = [0.4, 0.4, 0.4] }
        position = [-2, 0.5, 0.2]
        [[body]]
        name = "prism"
        shape = { prism = { sides = 5, radius = 0.2, height = 0.4 } }
        position = [-1, 0.5, 0.2]
        [[body]]
        name = "cylinder"
        shape = { cylinder = { radius = 0.2, height = 0.4 } }
        position = [0, 0.5, 0.2]
        [[body]]
        name = "hull"
        shape = { points = [[0, 0, 0], [0.4, 0, 0], [0, 0.4, 0], [0, 0, 0.4]] }
        position = [1, 0.5, 0]
        [[body]]
        name = "table"
        shape = { compound = [
            { box = [0.8, 0.8, 0.1], position = [0, 0, 0.45] },
            { cylinder = { radius = 0.05, height = 0.4 }, position = [0.3, 0.3, 0.2] },
            { cylinder = { radius = 0.05, height = 0.4 }, position = [-0.3, 0.3, 0.2] },
            { box = [0.1, 0.6, 0.4], position = [0, -0.3, 0.2] },
        ] }
        position = [0, -1.5, 0]
    "#;
    let mut watched = watch(&Scene::parse(text, ".").unwrap());
    watched.run(500).stands(1e-9);
}
