//! Every scene under `scenes/` does what its header says, gains no energy and does not sink in.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use stiction_sim::scene::Scene;
use stiction_sim::{Vec3, World};

/// Rise of energy in a step, as a share of the total, that counts as none.
const GAIN: f64 = 1e-9;
/// Overlap at rest, as a share of the bodies' size, that counts as none.
const DEPTH: f64 = 1e-9;

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

/// A world that is watched at every step.
struct Watched {
    world: World,
    start: Vec<Vec3>,
    /// Deepest overlap so far [m].
    depth: f64,
    /// Size of the smallest body [m].
    size: f64,
}

impl Watched {
    fn new(scene: &Scene, size: f64) -> Self {
        let world = World::from_scene(scene).unwrap();
        let start = world.state().bodies.iter().map(|b| b.pose.position).collect();
        Self {
            world,
            start,
            depth: 0.0,
            size,
        }
    }

    fn of(name: &str, size: f64) -> Self {
        Self::new(&Scene::read(folder().join(name)).unwrap(), size)
    }

    /// Steps, and asserts after each that energy has not risen without work.
    fn run(&mut self, steps: usize) -> &mut Self {
        for _ in 0..steps {
            let report = self.world.step().unwrap();
            self.depth = self.depth.max(report.depth);
            let ledger = self.world.ledger();
            let total = ledger.kinetic.abs() + ledger.potential.abs();
            assert!(
                ledger.worst_gain <= GAIN * total,
                "step {}: {ledger:?}",
                self.world.state().step
            );
        }
        self
    }

    fn place(&self, name: &str) -> usize {
        self.world.bodies().iter().position(|b| b.name == name).unwrap()
    }

    fn position(&self, name: &str) -> Vec3 {
        self.world.state().bodies[self.place(name)].pose.position
    }

    fn moved(&self, name: &str) -> Vec3 {
        self.position(name) - self.start[self.place(name)]
    }

    /// Farthest that any body whose name begins so has moved.
    fn farthest(&self, prefix: &str) -> f64 {
        let bodies = self.world.bodies().iter().filter(|b| b.name.starts_with(prefix));
        bodies.map(|b| self.moved(&b.name).norm()).fold(0.0, f64::max)
    }

    /// Asserts that nothing has moved or sunk in.
    fn stands(&self, tolerance: f64) {
        let moved = self.farthest("");
        assert!(moved <= tolerance, "moved by {moved}");
        self.does_not_overlap();
    }

    fn does_not_overlap(&self) {
        assert!(self.depth <= DEPTH * self.size, "depth {}", self.depth);
    }
}

#[test]
fn every_scene_is_read_and_makes_ten_steps() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(
                text.starts_with("# ") && text.contains("# What must happen"),
                "{path:?}"
            );
            let scene = Scene::read(&path).unwrap();
            let mut world = World::from_scene(&scene).unwrap();
            for _ in 0..10 {
                world.step().unwrap();
            }
            count += 1;
        }
    }
    assert!(count >= 9, "{count} scenes");
}

#[test]
fn ramp_hold() {
    let mut watched = Watched::of("ramp-hold.toml", 0.2);
    watched.run(10_000).stands(1e-12);
    let speed = watched.world.state().bodies[1].velocity.norm();
    assert!(speed < 1e-12, "{speed}");
}

#[test]
fn ramp_slide() {
    let mut watched = Watched::of("ramp-slide.toml", 0.2);
    let (h, n) = (1e-3, 1000.0);
    watched.run(1000);
    let a = 9.81 * (0.5 - 0.5 * 0.75_f64.sqrt());
    // v_k = a k h, so x = a h² n (n + 1)/2.
    let slid = watched.moved("box[0]").norm();
    let expected = a * h * h * n * (n + 1.0) / 2.0;
    assert!((slid - expected).abs() < 1e-9, "{slid} {expected}");
    let lift = watched.moved("box[0]").dot(&Vec3::new(0.5, 0.0, 0.75_f64.sqrt()));
    assert!(lift.abs() < 1e-9, "{lift}");
    assert!(watched.world.state().bodies[1].spin.norm() < 1e-9);
    watched.does_not_overlap();
}

#[test]
fn stack_20() {
    let mut watched = Watched::of("stack-20.toml", 0.2);
    watched.run(3000).stands(1e-9);
    assert!((watched.position("stack[19]").z - 3.9).abs() < 1e-9);
}

#[test]
fn tower_tilt() {
    let mut watched = Watched::of("tower-tilt.toml", 0.2);
    watched.run(3500);
    assert!(watched.farthest("below[") < 1e-9, "{}", watched.farthest("below["));
    let tipped = watched.moved("beyond[4]").norm();
    assert!(tipped > 0.1, "{tipped}");
}

#[test]
fn wall() {
    let mut watched = Watched::of("wall-10x10.toml", 0.1);
    watched.run(300).stands(1e-9);
}

#[test]
fn arch_stands_and_falls() {
    let mut watched = Watched::of("arch-27.toml", 0.1);
    watched.run(1000).stands(1e-7);
    let thin = changed("arch-27.toml", &[("thickness = 0.108", "thickness = 0.106")]);
    let mut watched = Watched::new(&thin, 0.1);
    watched.run(1500);
    let fallen = watched.moved("arch[13]").z;
    assert!(fallen < -1e-3, "{fallen}");
}

#[test]
fn mass_ratio() {
    let mut watched = Watched::of("mass-ratio.toml", 0.2);
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
    let mut watched = Watched::of("prisms.toml", 0.2);
    watched.run(3000).stands(1e-9);
}

#[test]
fn overhang_stands_and_falls() {
    let mut watched = Watched::of("overhang.toml", 0.2);
    watched.run(3000).stands(1e-9);
    // All overhangs times 1 + 1e-6 instead of 1 − 1e-6.
    let scene = Scene::read(folder().join("overhang.toml")).unwrap();
    let mut beyond = scene.clone();
    for (k, body) in beyond.bodies.iter_mut().filter(|b| b.body.is_dynamic()).enumerate() {
        let reach: f64 = (0..=k).map(|i| 1.0 / (2.0 * (4 - i) as f64)).sum();
        body.state.pose.position.x = reach * (1.0 + 1e-6) - 0.5;
    }
    let mut watched = Watched::new(&beyond, 0.2);
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
    let mut world = World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap();
    for _ in 0..30 {
        world.step().unwrap();
    }
    let bodies = &world.state().bodies;
    // Without friction; with 0.25 and 0.5 of gravity 10 over 0.3 s; an impulse of 200 N·s on 100 kg; and a body that keeps its motion.
    for (body, expected) in [(1, 1.0), (2, 2.0 - 0.75), (3, 2.0 - 1.5), (4, 2.0)] {
        let found = bodies[body].velocity.x;
        assert!((found - expected).abs() < 1e-12, "body {body}: {found}");
    }
    assert!((bodies[5].pose.position.z - 3.15).abs() < 1e-12);
    // 200 N·s moved 100 kg from rest: work ½ m v² = 200 J.
    assert!((world.ledger().injected - 200.0).abs() < 1e-9, "{:?}", world.ledger());
}

#[test]
fn a_pendulum_from_a_scene_swings() {
    let text = r#"
        format = 1
        world = { duration = 1, dt = 0.001, gravity = [0, 0, -10] }
        body = [
            { name = "hook", kind = "fixed", shape = { box = [0.1, 0.1, 0.1] }, groups = [] },
            { name = "bob", shape = { ball = 0.05 }, mass = 1, position = [0.1, 0, -1], groups = [] },
        ]
        joint = [{ kind = "revolute", a = "bob", b = "hook", position = [0, 0, 0], axis = [0, 1, 0] }]
    "#;
    let mut world = World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap();
    let length = world.state().bodies[1].pose.position.norm();
    // Half a period of a ball on a rod: π √((l² + 2r²/5)/(g l)).
    let half = std::f64::consts::PI * ((length * length + 0.4 * 0.0025) / (10.0 * length)).sqrt();
    let mut crossed = 0.0;
    for _ in 0..800 {
        let before = world.state().bodies[1].pose.position.x;
        world.step().unwrap();
        let after = world.state().bodies[1].pose.position;
        if before > 0.0 && after.x <= 0.0 {
            crossed = world.state().time;
        }
        assert!((after.norm() - length).abs() < 1e-4, "{after:?}");
    }
    assert!((crossed - 0.5 * half).abs() < 0.01, "{crossed} {half}");
}

#[test]
fn centre_of_mass_and_frames() {
    // A tetrahedron's centre of mass is the mean of its corners; the scene's frame stays where the file says.
    let text = r#"
        format = 1
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
            Scene::parse(&whole, ".").unwrap_or_else(|error| panic!("{page}: {error}"));
            count += 1;
        }
    }
    assert!(count >= 4, "{count} blocks");
}

#[test]
fn shapes_of_the_reference_stand_on_ground_of_triangles() {
    let text = r#"
        format = 1
        world = { duration = 1 }
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
    let mut watched = Watched::new(&Scene::parse(text, ".").unwrap(), 0.4);
    watched.run(500).stands(1e-9);
}
