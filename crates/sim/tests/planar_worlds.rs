//! Planar worlds as a whole: scenes, levels, arches and walls that stand, piles with the same bits however they are run, saved and recorded.
#![allow(clippy::unwrap_used)]

mod plane;
mod worlds;

use plane::{at, close, floor, moving, polygon, position, run, world};
use stiction_record::{
    ContactsRecord, Message, PosesRecord, RecordOptions, Recorder, Recording, ShapeRecord, WorldRecord,
};
use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;
use stiction_sim::planar::{PlanarPose, PlanarShape, Vec2};
use stiction_sim::shape::Shape;
use worlds::Random;

fn parse(text: &str) -> Scene {
    Scene::parse(
        &format!("format = 1\nworld.planar = true\nworld.friction = 0.5\n{text}"),
        ".",
    )
    .unwrap()
}

fn scene(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    std::fs::read_to_string(path.join(name)).unwrap()
}

/// Polygons, discs, capsules and compounds of random sizes dropped into a bin.
fn pile() -> World {
    let mut random = Random(0x91A7);
    let mut world = world(9.81, 2e-3);
    floor(&mut world, Vec2::zeros(), Vec2::y(), 0.5);
    floor(&mut world, Vec2::new(-1.2, 0.0), Vec2::x(), 0.5);
    floor(&mut world, Vec2::new(1.2, 0.0), -Vec2::x(), 0.5);
    for i in 0..30 {
        let size = 0.12 + 0.04 * random.next();
        let shape = match i % 4 {
            0 => PlanarShape::Disc { radius: size },
            1 => PlanarShape::Capsule {
                half_length: size,
                radius: 0.4 * size,
            },
            2 => polygon(&[
                [-size, -0.5 * size],
                [size, -0.7 * size],
                [0.4 * size, size],
                [-0.8 * size, 0.6 * size],
            ]),
            _ => PlanarShape::Compound(vec![
                (
                    at(-0.5 * size, 0.0),
                    PlanarShape::rectangle(Vec2::new(0.4 * size, size)),
                ),
                (at(0.5 * size, 0.0), PlanarShape::Disc { radius: 0.6 * size }),
            ]),
        };
        let (row, column) = (i / 5, i % 5);
        let place = Vec2::new(0.45 * (f64::from(column) - 2.0), 0.4 + 0.45 * f64::from(row));
        let pose = PlanarPose::new(place, 3.0 * random.next());
        let mass = 40.0 * size * size;
        moving(&mut world, shape, (mass, 0.5 * mass * size * size), 0.5, &pose);
    }
    world
}

fn hashes(mut world: World, steps: usize) -> Vec<u64> {
    let step = |_| {
        world.step().unwrap();
        world.state().hash()
    };
    (0..steps).map(step).collect()
}

#[test]
fn a_pile_comes_to_rest_without_gaining_energy() {
    let mut world = pile();
    let (mut depth, total) = (0.0_f64, {
        let mut first = pile();
        first.step().unwrap();
        first.ledger().potential
    });
    for _ in 0..2500 {
        let report = world.step().unwrap();
        depth = depth.max(report.depth);
        assert!(report.residual < 1e-9);
    }
    let ledger = world.ledger();
    assert!(ledger.worst_gain <= 1e-9 * total, "{ledger:?}");
    assert!(ledger.kinetic < 1e-3 * total, "{ledger:?}");
    // Rotation within a step overlaps by second order in h.
    assert!(depth < 2e-3, "{depth:e}");
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| hashes(pile(), 600))
    };
    let first = run(1);
    for threads in [1, 2, 4] {
        assert_eq!(first, run(threads), "{threads} threads");
    }
}

#[test]
fn a_saved_world_goes_on_with_the_same_bits() {
    let mut random = Random(0x5A7E);
    let expected = hashes(pile(), 600);
    for _ in 0..8 {
        let at = usize::try_from(random.bits() % 500).unwrap();
        let mut world = pile();
        for _ in 0..at {
            world.step().unwrap();
        }
        let mut loaded = pile();
        loaded.load(&world.save()).unwrap();
        assert_eq!(loaded.save(), world.save());
        for hash in expected.iter().skip(at).take(60) {
            loaded.step().unwrap();
            assert_eq!(loaded.state().hash(), *hash, "saved at {at}");
        }
    }
}

#[test]
fn what_is_read_is_what_was_recorded() {
    let path = std::env::temp_dir().join(format!("stiction-planar-{}.mcap", std::process::id()));
    let mut world = pile();
    let mut recorder = Recorder::create(&path, &world, RecordOptions::default()).unwrap();
    let mut expected = vec![
        Message::World(WorldRecord::of(&world)),
        Message::Poses(PosesRecord::of(&world)),
    ];
    for _ in 0..200 {
        let report = world.step().unwrap();
        recorder.record(&world, &report).unwrap();
        expected.push(Message::Poses(PosesRecord::of(&world)));
        expected.push(Message::Contacts(ContactsRecord::recorded(&world)));
    }
    recorder.finish().unwrap();
    let found = Recording::open(&path).unwrap().map(Result::unwrap);
    let found: Vec<Message> = found.filter(|m| !matches!(m, Message::Stats(_))).collect();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(found, expected);
    let Message::World(record) = &found[0] else {
        panic!("{:?}", found[0])
    };
    assert!(record.planar);
    assert_eq!(record.bodies[0].shape, ShapeRecord::HalfPlane { normal: [0.0, 1.0] });
    assert!(matches!(&record.bodies[5].shape, ShapeRecord::Polygon { vertices } if vertices.len() == 4));
    let ShapeRecord::Compound { parts } = &record.bodies[6].shape else {
        panic!("{:?}", record.bodies[6].shape)
    };
    assert!(matches!(parts[1].shape, ShapeRecord::Disc { .. }));
    // Friction lies in the plane, across the normal, within the cone.
    let Message::Contacts(last) = &found[found.len() - 1] else {
        panic!()
    };
    assert!(last.contacts.iter().any(|c| c.normal_force > 0.0));
    for contact in &last.contacts {
        let (n, f) = (contact.normal, contact.friction_force);
        close(n[0] * f[0] + n[1] * f[1], 0.0, 1e-9);
        assert!(f[2] == 0.0 && f[0].hypot(f[1]) <= 0.5 * contact.normal_force * (1.0 + 1e-9) + 1e-9);
    }
}

#[test]
fn keys_mean_what_the_reference_says() {
    let scene = parse(
        r#"
        [[body]]
        name = "plate"
        shape = { polygon = [[0, 0], [0, 1], [2, 1], [2, 0]] }
        position = [3, 4]
        angle = { degrees = 90 }
        velocity = [5, 6]
        spin = -7
        density = 10
        level = [1, 3]
        [[body]]
        shape = { disc = 2 }
        mass = 3
        inertia = 4
        [[body]]
        shape = { half_plane = [0.6, 0.8] }
        "#,
    );
    let world = World::from_scene(&scene).unwrap();
    assert_eq!(world.settings().gravity.as_slice(), [0.0, -9.81, 0.0]);
    let (plate, state) = (&world.bodies()[0], &world.state().bodies[0]);
    // 20 kg, its centre (1, 0.5) from the corner, turned by a right angle to (−0.5, 1).
    let stiction_sim::body::Kind::Dynamic { mass, inertia_body } = &plate.kind else {
        panic!("{:?}", plate.kind)
    };
    close(*mass, 20.0, 1e-12);
    close(inertia_body[(2, 2)], 20.0 * 5.0 / 12.0, 1e-12);
    close(
        (state.pose.position - stiction_sim::Vec3::new(2.5, 5.0, 0.0)).norm(),
        0.0,
        1e-14,
    );
    assert_eq!(state.velocity.as_slice(), [5.0, 6.0, 0.0]);
    assert_eq!(state.spin.as_slice(), [0.0, 0.0, -7.0]);
    assert_eq!((plate.groups, world.bodies()[1].groups), (0b1010, u32::MAX));
    let Shape::Planar(PlanarShape::Polygon(polygon)) = &plate.shape else {
        panic!("{:?}", plate.shape)
    };
    assert_eq!(polygon.vertices.len(), 4);
    assert!(!world.bodies()[2].is_dynamic());
}

/// Bodies of different levels pass each other; ground without a level carries all.
#[test]
fn levels_do_not_collide() {
    let scene = parse(
        "
        [[body]]
        shape = { half_plane = [0, 1] }
        [[body]]
        shape = { box = [1, 1] }
        position = [0, 0.5]
        level = 0
        [[body]]
        shape = { box = [1, 1] }
        position = [0.3, 1.5]
        level = 1
        [[body]]
        shape = { box = [1, 1] }
        position = [0, 3]
        level = [0, 1]
        ",
    );
    let mut world = World::from_scene(&scene).unwrap();
    run(&mut world, 1500);
    let height = |body| position(&world, body).y;
    close(height(1), 0.5, 1e-9);
    close(height(2), 0.5, 1e-9);
    close(height(3), 1.5, 1e-9);
}

/// `arch`: 27 voussoirs stand at t/R = 0.108 and fall at 0.106 (statics: 0.1068); friction of 0.40 suffices for that, 0.30 for nothing.
#[test]
fn an_arch_stands_and_falls() {
    let text = scene("planar-arch.toml");
    for (from, to, stands) in [
        ("", "", true),
        ("friction = 0.6", "friction = 0.4", true),
        ("friction = 0.6", "friction = 0.3", false),
        ("thickness = 0.108", "thickness = 0.106", false),
    ] {
        let scene = Scene::parse(&text.replace(from, to), ".").unwrap();
        let mut world = World::from_scene(&scene).unwrap();
        let crown = 14;
        let before = position(&world, crown);
        for _ in 0..800 {
            world.step().unwrap();
        }
        let sunk = before.y - position(&world, crown).y;
        assert_eq!(sunk.abs() < 1e-9, stands, "{to}: {sunk:e}");
        assert!(stands || sunk > 1e-4, "{to}: {sunk:e}");
    }
}

#[test]
fn stacks_and_walls_stand() {
    let scene = parse(
        "
        body = [{ shape = { half_plane = [0, 1] } }]
        [[stack]]
        box = [0.2, 0.2]
        count = 20
        [[grid]]
        base = [5, 0]
        box = [0.2, 0.1]
        rows = 10
        columns = 10
        gap = 0.004
        offset = 0.051
        ",
    );
    let mut world = World::from_scene(&scene).unwrap();
    let before = world.state().clone();
    run(&mut world, 1000);
    for (before, after) in before.bodies.iter().zip(&world.state().bodies) {
        assert!((before.pose.position - after.pose.position).norm() < 1e-9);
    }
    close(position(&world, 20).y, 3.9, 1e-9);
    assert_eq!(world.bodies()[120].name, "grid[9,9]");
}

/// A box on the ramp of the scene holds for ten seconds.
#[test]
fn the_ramp_holds() {
    let scene = Scene::parse(&scene("planar-ramp.toml"), ".").unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    let before = position(&world, 1);
    run(&mut world, 10_000);
    assert!((position(&world, 1) - before).norm() < 1e-12);
}
