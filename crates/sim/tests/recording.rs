//! Recordings read back with the bits that were recorded, and files that appear complete or not at all.
#![allow(clippy::unwrap_used)]

mod worlds;

use std::fs;
use std::path::{Path, PathBuf};

use stiction_contact::Law;
use stiction_sim::body::{Body, Kind, Material};
use stiction_sim::recording::{
    ContactsRecord, Message, PosesRecord, RecordError, RecordOptions, Recorder, Recording, ShapeRecord, WorldRecord,
};
use stiction_sim::shape::Shape;
use stiction_sim::state::BodyState;
use stiction_sim::{Vec3, World};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stiction-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read(path: &Path) -> Vec<Message> {
    Recording::open(path).unwrap().map(Result::unwrap).collect()
}

/// Numbers in −0.0 and all: structs that print alike have the same bits.
fn bits(message: &Message) -> String {
    format!("{message:?}")
}

#[test]
fn what_is_read_is_what_was_recorded() {
    let folder = Folder::new("round-trip");
    let path = folder.file("pile.mcap");
    let mut world = worlds::pile(Law::Coulomb);
    let mut recorder = Recorder::create(&path, &world, RecordOptions::default()).unwrap();
    let mut expected = vec![
        Message::World(WorldRecord::of(&world)),
        Message::Poses(PosesRecord::of(&world)),
    ];
    let mut reports = Vec::new();
    for _ in 0..400 {
        let report = world.step().unwrap();
        recorder.record(&world, &report).unwrap();
        expected.push(Message::Poses(PosesRecord::of(&world)));
        expected.push(Message::Contacts(ContactsRecord::recorded(&world)));
        reports.push((report, *world.ledger(), world.state().hash()));
    }
    assert_eq!(recorder.finish().unwrap(), [path.as_path()]);
    assert_eq!(folder.names(), ["pile.mcap"]);
    let found = read(&path);
    let is_stats = |m: &&Message| matches!(m, Message::Stats(_));
    for (k, (found, expected)) in found.iter().filter(|m| !is_stats(m)).zip(&expected).enumerate() {
        assert_eq!(bits(found), bits(expected), "message {k}");
    }
    assert_eq!(found.len(), expected.len() + 400);
    for (k, (message, (report, ledger, hash))) in found.iter().filter(is_stats).zip(&reports).enumerate() {
        let Message::Stats(stats) = message else { unreachable!() };
        assert_eq!((stats.step, stats.steps), (k as u64 + 1, 1));
        assert_eq!((stats.contacts, stats.pivots), (report.contacts, report.pivots));
        assert_eq!((stats.newton_steps, stats.warm), (report.newton_steps, report.warm));
        assert_eq!(stats.residual.to_bits(), report.residual.to_bits());
        assert_eq!(stats.penetration.to_bits(), report.depth.to_bits());
        assert_eq!(stats.kinetic.to_bits(), ledger.kinetic.to_bits());
        assert_eq!(stats.worst_gain.to_bits(), ledger.worst_gain.to_bits());
        assert_eq!(stats.hash, format!("{hash:016x}"));
    }
}

#[test]
fn forces_carry_the_weight() {
    let folder = Folder::new("forces");
    let path = folder.file("stack.mcap");
    let mut world = worlds::stack(Law::Coulomb);
    let mut recorder = Recorder::create(&path, &world, RecordOptions::default()).unwrap();
    for _ in 0..20 {
        let report = world.step().unwrap();
        recorder.record(&world, &report).unwrap();
    }
    recorder.finish().unwrap();
    let messages = read(&path);
    let Some(Message::Contacts(last)) = messages.iter().rev().find(|m| matches!(m, Message::Contacts(_))) else {
        panic!("no contacts")
    };
    // Six cubes of 8 kg stand on the ground; 3 N and 1 N push sideways.
    let mut force = Vec3::zeros();
    for contact in last.contacts.iter().filter(|c| c.a == "ground" || c.b == "ground") {
        let sign = if contact.b == "ground" { 1.0 } else { -1.0 };
        let normal = Vec3::from(contact.normal) * contact.normal_force;
        force += sign * (normal + Vec3::from(contact.friction_force));
    }
    let expected = Vec3::new(-3.0, -1.0, 6.0 * 8.0 * 9.81);
    assert!((force - expected).norm() < 1e-8, "{force:?}");
    assert!(
        last.contacts
            .iter()
            .all(|c| c.state == "sticking" || c.state == "separating")
    );
}

#[test]
fn every_tenth_step_counts_those_between() {
    let folder = Folder::new("decimated");
    let path = folder.file("sliding.mcap");
    let mut world = worlds::sliding(Law::Polyhedral);
    let options = RecordOptions {
        every: 10,
        contacts: false,
    };
    let mut recorder = Recorder::create(&path, &world, options).unwrap();
    let (mut pivots, mut residual) = (0, 0.0_f64);
    for _ in 0..200 {
        let report = world.step().unwrap();
        recorder.record(&world, &report).unwrap();
        pivots += report.pivots;
        residual = residual.max(report.residual);
    }
    recorder.finish().unwrap();
    let (mut steps, mut found_pivots, mut worst, mut poses) = (Vec::new(), 0, 0.0_f64, 0);
    for message in read(&path) {
        match message {
            Message::Stats(stats) => {
                assert_eq!(stats.steps, 10);
                steps.push(stats.step);
                found_pivots += stats.pivots;
                worst = worst.max(stats.residual);
            }
            Message::Poses(_) => poses += 1,
            Message::World(world) => assert_eq!((world.law.as_str(), world.dt), ("polyhedral", 1e-3)),
            message => panic!("{message:?}"),
        }
    }
    assert_eq!(steps, (1..=20).map(|k| 10 * k).collect::<Vec<u64>>());
    assert_eq!((found_pivots, worst, poses), (pivots, residual, 21));
}

#[test]
fn without_finish_nothing_is_left() {
    let folder = Folder::new("dropped");
    fs::write(folder.file("old.mcap"), "kept").unwrap();
    for name in ["old.mcap", "new.mcap", "new.csv"] {
        let mut world = worlds::sliding(Law::Coulomb);
        let mut recorder = Recorder::create(folder.file(name), &world, RecordOptions::default()).unwrap();
        let report = world.step().unwrap();
        recorder.record(&world, &report).unwrap();
        // Under way there are files of other names only.
        assert!(
            folder
                .names()
                .iter()
                .any(|n| Path::new(n).extension().unwrap() == "part")
        );
        assert!(folder.names().iter().all(|n| n == "old.mcap" || n.starts_with('.')));
        drop(recorder);
    }
    assert_eq!(folder.names(), ["old.mcap"]);
    assert_eq!(fs::read_to_string(folder.file("old.mcap")).unwrap(), "kept");
}

/// Splits a line at its commas, quotes respected.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

#[test]
fn csv_tables_hold_the_same_numbers() {
    let folder = Folder::new("csv");
    let mut world = worlds::sliding(Law::Coulomb);
    let name = "a, \"b\"".to_owned();
    let body = Body {
        name,
        kind: Kind::Fixed,
        shape: Shape::Ball { radius: 0.1 },
        material: Material::of_friction(0.5),
        groups: 2,
        origin_body: Vec3::zeros(),
    };
    world.add_body(body, BodyState::default()).unwrap();
    let mut recorders = [folder.file("run.csv"), folder.0.clone()]
        .map(|path| Recorder::create(path, &world, RecordOptions::default()).unwrap());
    for _ in 0..50 {
        let report = world.step().unwrap();
        for recorder in &mut recorders {
            recorder.record(&world, &report).unwrap();
        }
    }
    for recorder in recorders {
        assert_eq!(recorder.finish().unwrap().len(), 3);
    }
    let names = [
        "contacts.csv",
        "poses.csv",
        "run.contacts.csv",
        "run.csv",
        "run.stats.csv",
        "stats.csv",
    ];
    assert_eq!(folder.names(), names);
    let text = |name: &str| fs::read_to_string(folder.file(name)).unwrap();
    for (a, b) in [
        ("run.csv", "poses.csv"),
        ("run.contacts.csv", "contacts.csv"),
        ("run.stats.csv", "stats.csv"),
    ] {
        assert_eq!(text(a), text(b));
        let count = fields(text(a).lines().next().unwrap()).len();
        assert!(text(a).lines().all(|line| fields(line).len() == count), "{a}");
    }
    let poses = text("run.csv");
    assert_eq!(poses.lines().count(), 1 + 51 * 3);
    let last: Vec<Vec<String>> = poses.lines().rev().take(3).map(fields).collect();
    assert_eq!(last[0][2], "a, b");
    assert_eq!((last[1][0].as_str(), last[1][2].as_str()), ("50", "box 1"));
    let numbers: Vec<u64> = last[1][3..]
        .iter()
        .map(|x| x.parse::<f64>().unwrap().to_bits())
        .collect();
    assert_eq!(numbers, world.state().bodies[1].numbers().map(f64::to_bits));
}

#[test]
fn shapes_and_bodies_that_come_later_are_recorded() {
    let folder = Folder::new("shapes");
    let path = folder.file("shapes.mcap");
    let mut world = worlds::ground(Law::Coulomb, f64::INFINITY);
    let mut recorder = Recorder::create(&path, &world, RecordOptions::default()).unwrap();
    let half = Vec3::new(0.1, 0.2, 0.3);
    let pose = stiction_sim::Pose::default();
    let parts = vec![(pose, Shape::cuboid(half)), (pose, Shape::Ball { radius: 0.5 })];
    let body = Body {
        name: "later".to_owned(),
        kind: Kind::Kinematic,
        shape: Shape::Compound(parts),
        material: Material::of_friction(0.5),
        groups: 2,
        origin_body: Vec3::zeros(),
    };
    world.add_body(body, BodyState::default()).unwrap();
    let report = world.step().unwrap();
    recorder.record(&world, &report).unwrap();
    recorder.finish().unwrap();
    let messages = read(&path);
    let worlds: Vec<_> = messages
        .iter()
        .filter_map(|m| if let Message::World(w) = m { Some(w) } else { None })
        .collect();
    assert_eq!(
        (worlds.len(), worlds[0].bodies.len(), worlds[1].bodies.len()),
        (2, 1, 2)
    );
    assert_eq!(worlds[0].bodies[0].friction, None);
    assert_eq!(
        (worlds[1].bodies[1].kind.as_str(), worlds[1].bodies[1].mass),
        ("kinematic", None)
    );
    let ShapeRecord::Compound { parts } = &worlds[1].bodies[1].shape else {
        panic!("{worlds:?}")
    };
    assert_eq!(parts[0].shape, ShapeRecord::Box { half: [0.1, 0.2, 0.3] });
    assert_eq!(parts[1].shape, ShapeRecord::Ball { radius: 0.5 });
}

#[test]
fn bad_paths_and_damaged_files_are_named() {
    let folder = Folder::new("damaged");
    let world = World::new(stiction_sim::Settings::default()).unwrap();
    let create = |path: PathBuf| Recorder::create(path, &world, RecordOptions::default());
    let error = create(folder.file("run.txt")).unwrap_err();
    assert!(matches!(&error, RecordError::Name { .. }), "{error}");
    assert!(
        error
            .to_string()
            .ends_with("run.txt: must end in .mcap or .csv, or be a folder")
    );
    let error = create(folder.file("missing").join("run.mcap")).unwrap_err();
    assert!(
        matches!(&error, RecordError::Io { .. }) && error.to_string().contains("run.mcap: "),
        "{error}"
    );
    assert!(matches!(
        Recording::open(folder.file("none.mcap")).unwrap_err(),
        RecordError::Io { .. }
    ));

    let path = folder.file("run.mcap");
    create(path.clone()).unwrap().finish().unwrap();
    let good = fs::read(&path).unwrap();
    assert_eq!(read(&path).len(), 2);
    let mut random = worlds::Random(1);
    for round in 0..3000 {
        let mut bytes = good.clone();
        if round % 2 == 0 {
            bytes.truncate(usize::try_from(random.bits() % good.len() as u64).unwrap());
        } else {
            let at = usize::try_from(random.bits() % good.len() as u64).unwrap();
            bytes[at] ^= 1 << (random.bits() % 8);
        }
        fs::write(&path, &bytes).unwrap();
        // Every message is read or an error ends it; nothing panics, nothing goes on for ever.
        let results: Vec<_> = Recording::open(&path).unwrap().collect();
        assert!(results.len() <= 3);
        if round % 2 == 0 {
            let error = results.last().unwrap().as_ref().unwrap_err();
            assert!(error.to_string().contains("run.mcap: "), "{error}");
        }
    }
    fs::write(&path, "no recording").unwrap();
    let error = Recording::open(&path).unwrap().next().unwrap().unwrap_err();
    assert!(matches!(error, RecordError::Format { .. }), "{error}");
}
