//! Recordings read back with the bits that were recorded, as far as they are whole.
#![allow(clippy::unwrap_used)]

#[path = "../../sim/tests/worlds/mod.rs"]
mod worlds;

use std::fs;
use std::path::{Path, PathBuf};

use stiction_contact::Law;
use stiction_record::{
    ContactRecord, ContactsRecord, FrameRecord, JointRecord, Message, PosesRecord, RecordError, RecordOptions,
    Recorder, Recording, RopePointRecord, ShapeRecord, WorldRecord,
};
use stiction_scene::{Scene, WorldExt};
use stiction_sim::body::{Body, Kind, Material};
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
        assert_eq!((stats.slip, stats.impacts), (Some(ledger.slip), Some(ledger.impacts)));
        assert_eq!(stats.dissipated.to_bits(), ledger.dissipated().to_bits());
        assert_eq!(stats.stepping.to_bits(), ledger.stepping().to_bits());
        let numerical = [
            stats.numerical_velocity,
            stats.numerical_closing,
            stats.numerical_returned,
        ];
        let expected = [
            ledger.numerical.velocity,
            ledger.numerical.closing,
            ledger.numerical.returned,
        ];
        assert_eq!(numerical, expected.map(Some));
        assert_eq!(stats.numerical_flight, Some(ledger.numerical.flight));
        assert_eq!(stats.hash, format!("{hash:016x}"));
    }
}

fn scene(name: &str) -> World {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
    World::from_scene(&Scene::read(path).unwrap()).unwrap()
}

/// The points of a rope, put into the world by the poses of its bodies, are as far from each other as the rope is long.
#[test]
fn ropes_are_recorded_with_their_points() {
    let folder = Folder::new("ropes");
    let path = folder.file("atwood.mcap");
    let mut world = scene("new/atwood.toml");
    let mut recorder = Recorder::create(&path, &world, RecordOptions::default()).unwrap();
    for _ in 0..50 {
        let report = world.step().unwrap();
        recorder.record(&world, &report).unwrap();
    }
    recorder.finish().unwrap();
    let messages = read(&path);
    let [Message::World(first), ..] = messages.as_slice() else {
        panic!("no world: {:?}", messages.first())
    };
    let [rope, tackle] = first.joints.as_slice() else {
        panic!("{:?}", first.joints)
    };
    assert_eq!([&rope.kind, &tackle.kind], ["rope", "rope"]);
    let bodies = |joint: &JointRecord| -> Vec<String> {
        let points = joint.points.as_deref().unwrap_or_default();
        points.iter().map(|point| point.body.clone()).collect()
    };
    assert_eq!(bodies(rope), ["heavy", "beam", "beam", "light"]);
    assert_eq!(bodies(tackle), ["beam", "load", "beam", "beam", "counterweight"]);
    assert_eq!(
        [rope, tackle].map(|joint| (joint.ratio, joint.second.is_some())),
        [(None, false); 2]
    );
    for (k, joint) in first.joints.iter().enumerate() {
        let place = |point: &RopePointRecord| {
            let body = world.bodies().iter().position(|body| body.name == point.body).unwrap();
            world.state().bodies[body].pose.point(Vec3::from(point.position_body))
        };
        let places: Vec<Vec3> = joint.points.iter().flatten().map(place).collect();
        let way: f64 = places.windows(2).map(|leg| (leg[1] - leg[0]).norm()).sum();
        let length = joint.length.unwrap();
        assert!((way - length).abs() < 1e-9, "{}: {way} of {length}", joint.name);
        assert!(
            (way - world.joint_coordinate(k).unwrap()[0]).abs() < 1e-12,
            "{}",
            joint.name
        );
    }
}

#[test]
fn gears_are_recorded_with_their_second_coordinate() {
    let world = scene("new/planetary_gear.toml");
    let record = WorldRecord::of(&world);
    let gear = record
        .joints
        .iter()
        .find(|joint| joint.name == "planet_and_ring")
        .unwrap();
    assert_eq!((gear.kind.as_str(), gear.ratio), ("gear", Some(-3.0)));
    assert_eq!((gear.a.as_str(), gear.b.as_str()), ("planet", "carrier"));
    assert_eq!(gear.second, Some(["carrier".to_owned(), "ring".to_owned()]));
    assert_eq!((gear.length, gear.points.is_none()), (None, true));
    // A joint of an older file has no frames.
    let json = r#"{"name":"pin","kind":"revolute","a":"planet","b":"carrier"}"#;
    let old: JointRecord = serde_json::from_str(json).unwrap();
    assert_eq!((old.frames.as_ref(), old.limits), (None, None));
    assert_eq!(serde_json::to_string(&old).unwrap(), json);
}

/// The two frames of a joint, put into the world by the poses of its bodies, tell its coordinate, which the world knows as well.
#[test]
fn joints_are_recorded_with_their_frames_and_limits() {
    let mut world = scene("four-bar.toml");
    for _ in 0..200 {
        world.step().unwrap();
    }
    let record = WorldRecord::of(&world);
    for (k, joint) in record.joints.iter().enumerate() {
        assert_eq!(joint.kind, "revolute");
        let name_of = |body: &str| world.bodies().iter().position(|b| b.name == body).unwrap();
        let pose = |body: &str, frame: &FrameRecord| {
            let body = world.state().bodies[name_of(body)].pose;
            let [x, y, z, w] = frame.orientation_body;
            let turn = nalgebra::UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(w, x, y, z));
            (body.point(Vec3::from(frame.position_body)), body.rotation * turn)
        };
        let [a, b] = joint.frames.as_ref().unwrap();
        let (a, b) = (pose(&joint.a, a), pose(&joint.b, b));
        assert!((a.0 - b.0).norm() < 1e-6, "{}: {} from {}", joint.name, a.0, b.0);
        let turn = b.1.inverse() * a.1;
        let angle = 2.0 * turn.coords.z.atan2(turn.coords.w);
        let difference = angle - world.joint_coordinate(k).unwrap()[0];
        let whole_turns = (difference / std::f64::consts::TAU).round();
        assert!(
            (difference - whole_turns * std::f64::consts::TAU).abs() < 1e-9,
            "{}: {difference}",
            joint.name
        );
    }
    let text = r#"
        format = 1
        body = [
            { name = "ground", shape = { half_space = [0, 0, 1] } },
            { name = "arm", shape = { box = [1, 1, 1] }, mass = 1, position = [0, 0, 2] },
        ]
        joint = [{ name = "hinge", kind = "revolute", a = "arm", b = "ground", position = [0, 0, 2], axis = [1, 0, 0], limits = [-0.5, 1.5] }]"#;
    let world = World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap();
    let [hinge] = &WorldRecord::of(&world).joints[..] else {
        panic!("one joint")
    };
    assert_eq!(hinge.limits, Some([Some(-0.5), Some(1.5)]));
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
fn without_finish_what_was_recorded_is_left() {
    let folder = Folder::new("dropped");
    fs::write(folder.file("old.mcap"), "earlier").unwrap();
    for name in ["old.mcap", "new.mcap", "new.csv"] {
        let mut world = worlds::sliding(Law::Coulomb);
        let mut recorder = Recorder::create(folder.file(name), &world, RecordOptions::default()).unwrap();
        // Under its own name from the beginning.
        assert!(folder.names().iter().any(|n| n == name), "{:?}", folder.names());
        assert!(
            folder.names().iter().all(|n| !n.starts_with('.')),
            "{:?}",
            folder.names()
        );
        for _ in 0..7 {
            let report = world.step().unwrap();
            recorder.record(&world, &report).unwrap();
        }
        drop(recorder);
    }
    let left = [
        "new.contacts.csv",
        "new.csv",
        "new.mcap",
        "new.stats.csv",
        "old.earlier.mcap",
        "old.mcap",
    ];
    assert_eq!(folder.names(), left);
    assert_eq!(fs::read_to_string(folder.file("old.earlier.mcap")).unwrap(), "earlier");
    for name in ["old.mcap", "new.mcap"] {
        let mut recording = Recording::open(folder.file(name)).unwrap();
        assert_eq!(recording.by_ref().map(Result::unwrap).count(), 2 + 3 * 7);
        let end = recording.unfinished().unwrap();
        assert_eq!((end.step, end.time), (7, 7e-3));
        let said = end.to_string();
        assert!(
            said.ends_with(".mcap: the recording ends at t = 0.007 s, step 7, without an end mark: the run was stopped or is still going on"),
            "{said}"
        );
    }
    assert_eq!(
        fs::read_to_string(folder.file("new.stats.csv"))
            .unwrap()
            .lines()
            .count(),
        8
    );
}

/// One bit that has changed in a file without an end mark was said to be the end of the run.
#[test]
fn damage_is_not_called_the_end_of_the_run() {
    let folder = Folder::new("one-bit");
    let path = folder.file("cut.mcap");
    let mut world = worlds::sliding(Law::Coulomb);
    let mut recorder = Recorder::create(&path, &world, RecordOptions::default()).unwrap();
    for _ in 0..2000 {
        let report = world.step().unwrap();
        recorder.record(&world, &report).unwrap();
    }
    drop(recorder);
    let whole = fs::read(&path).unwrap();
    let mut damaged = 0;
    for part in 1..20 {
        let mut bytes = whole.clone();
        bytes[part * whole.len() / 20] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let mut recording = Recording::open(&path).unwrap();
        let read = recording.by_ref().flatten().count();
        // Not all of a file is data.
        let Some(end) = recording.unfinished().filter(|end| end.step < 1000) else {
            continue;
        };
        damaged += 1;
        let said = format!(
            "the file is damaged there, and {} bytes behind are not read",
            end.unread
        );
        assert!(read > 0 && end.unread > 0 && end.to_string().ends_with(&said), "{end}");
    }
    assert!(damaged > 5, "{damaged}");
}

#[test]
fn a_complete_recording_replaces_the_earlier_one() {
    let folder = Folder::new("replaced");
    for steps in [3, 5] {
        let mut world = worlds::sliding(Law::Coulomb);
        let mut recorder = Recorder::create(folder.file("a.mcap"), &world, RecordOptions::default()).unwrap();
        for _ in 0..steps {
            let report = world.step().unwrap();
            recorder.record(&world, &report).unwrap();
        }
        recorder.finish().unwrap();
        assert_eq!(folder.names(), ["a.mcap"]);
        let mut recording = Recording::open(folder.file("a.mcap")).unwrap();
        assert_eq!(recording.by_ref().map(Result::unwrap).count(), 2 + 3 * steps);
        assert_eq!(recording.unfinished(), None);
    }
    // Earlier ones that were never replaced are not lost one after the other.
    for _ in 0..3 {
        let world = worlds::sliding(Law::Coulomb);
        drop(Recorder::create(folder.file("a.mcap"), &world, RecordOptions::default()).unwrap());
    }
    let names = ["a.earlier-2.mcap", "a.earlier-3.mcap", "a.earlier.mcap", "a.mcap"];
    assert_eq!(folder.names(), names);
    assert_eq!(read(&folder.file("a.earlier.mcap")).len(), 2 + 3 * 5);
}

/// What is in the file at any moment lags behind by less than 0.5 s and 500 steps, whatever the length of a step.
#[test]
fn what_is_in_the_file_lags_behind_by_half_a_second_at_most() {
    let folder = Folder::new("lag");
    for (dt, most) in [(1e-3, 500), (1e-4, 500), (0.1, 5), (2.0, 1)] {
        let path = folder.file("lag.mcap");
        let settings = stiction_sim::Settings {
            dt,
            ..stiction_sim::Settings::default()
        };
        let mut world = World::new(settings).unwrap();
        let mut recorder = Recorder::create(&path, &world, RecordOptions::default()).unwrap();
        let (mut worst, mut known) = (0, 0);
        for step in 1..=1201_u64 {
            let report = world.step().unwrap();
            recorder.record(&world, &report).unwrap();
            if step % 97 == 0 || step % 500 == 499 {
                let mut recording = Recording::open(&path).unwrap();
                let last = recording.by_ref().map(Result::unwrap).last().unwrap();
                assert_eq!(recording.unfinished().unwrap().step, last.step().unwrap());
                known = last.step().unwrap();
            }
            worst = worst.max(step - known.max(step - step % 97));
        }
        assert!(known > 1201 - most - 97, "{dt}: {known}");
        assert!(worst <= most.max(97), "{dt}: {worst}");
        recorder.finish().unwrap();
        assert_eq!(read(&path).len(), 2 + 3 * 1201);
    }
}

/// Recordings of format 1, all of whose messages are JSON, still open: complete, and cut off as a run that was killed left them.
#[test]
fn recordings_of_format_1_are_read() {
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let folder = Folder::new("format-1");
    let messages = || Recording::open(old.join("format-1.mcap")).unwrap();
    Recorder::copy(folder.file("again.csv"), messages()).unwrap();
    // The table was written by the tool that wrote the recording.
    let table = |path: PathBuf| fs::read_to_string(path).unwrap();
    assert_eq!(table(folder.file("again.csv")), table(old.join("format-1.csv")));
    // The same messages in the new form, except for its number.
    Recorder::copy(folder.file("again.mcap"), messages()).unwrap();
    let [found, expected] = [read(&folder.file("again.mcap")), read(&old.join("format-1.mcap"))];
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let expected = match expected {
            Message::World(world) => Message::World(WorldRecord { format: 2, ..world }),
            message => message,
        };
        assert_eq!(bits(found), bits(&expected));
    }
    let bytes = fs::read(old.join("format-1.mcap")).unwrap();
    fs::write(folder.file("cut.mcap"), &bytes[..bytes.len() * 2 / 3]).unwrap();
    let cut: Vec<_> = Recording::open(folder.file("cut.mcap")).unwrap().collect();
    // All of it is one chunk, which is not whole.
    assert!(cut.len() == 1 && cut[0].is_err(), "{cut:?}");
}

/// Rows that come back bit for bit although JSON has no word for them, and names that are not of bodies.
#[test]
fn odd_numbers_and_names_come_back() {
    let folder = Folder::new("odd");
    let contact = |a: &str, b: &str, x: f64| ContactRecord {
        a: a.to_owned(),
        b: b.to_owned(),
        point: [x, -0.0, f64::MIN_POSITIVE],
        normal: [0.0, 0.0, 1.0],
        gap: -5e-324,
        normal_force: f64::INFINITY,
        friction_force: [0.1, 0.2, 0.3],
        state: "sliding".to_owned(),
        friction: None,
        slip_speed: Some(x),
        residual: None,
        unique: Some(true),
    };
    let frame = |step: u64, contacts: Vec<ContactRecord>| {
        Message::Contacts(ContactsRecord {
            time: step as f64,
            step,
            contacts,
        })
    };
    let world = worlds::ground(Law::Coulomb, 0.5);
    let messages = vec![
        Message::World(WorldRecord::of(&world)),
        Message::Poses(PosesRecord {
            names: vec!["someone else".to_owned()],
            ..PosesRecord::of(&world)
        }),
        frame(1, vec![contact("ground", "a", 1.0), contact("b", "a", 2.0)]),
        frame(2, vec![contact("ground", "a", 1.0), contact("b", "a", 3.0)]),
        frame(3, vec![contact("ground", "a", 1.0), contact("b", "a", 3.0)]),
        frame(4, vec![]),
        frame(5, vec![contact("b", "ground", 3.0)]),
        frame(6, vec![contact("b", "ground", 3.0)]),
    ];
    let path = folder.file("odd.mcap");
    Recorder::copy(&path, messages.iter().cloned().map(Ok)).unwrap();
    let found = read(&path);
    assert_eq!(found.len(), messages.len());
    for (found, expected) in found.iter().zip(&messages) {
        assert_eq!(bits(found), bits(expected));
    }
    let strange = contact("a", "b", 0.0);
    let strange = ContactRecord {
        state: "flying".to_owned(),
        ..strange
    };
    let error = Recorder::copy(&path, [Ok(frame(1, vec![strange]))])
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("odd.mcap: state: must be separating, sticking or sliding, found flying"),
        "{error}"
    );
    // What was there before stays.
    assert_eq!(read(&path).len(), messages.len());
    assert_eq!(folder.names(), ["odd.mcap"]);
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
        let mut recording = Recording::open(&path).unwrap();
        let results: Vec<_> = recording.by_ref().collect();
        assert!(results.len() <= 3);
        if let Some(Err(error)) = results.last() {
            assert!(error.to_string().contains("run.mcap: "), "{error}");
            assert_eq!(recording.unfinished(), None);
        } else {
            // What is cut after its messages is read, and known to be cut; damage to a complete file may do no harm.
            assert!(results.len() == 2 || round % 2 == 1);
            assert!(round % 2 == 1 || recording.unfinished().is_some_and(|end| end.step == 0));
        }
    }
    fs::write(&path, "no recording").unwrap();
    let error = Recording::open(&path).unwrap().next().unwrap().unwrap_err();
    assert!(matches!(error, RecordError::Format { .. }), "{error}");
}
