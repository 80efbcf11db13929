//! `[[joint]]`: frames are given in the world, as the bodies start.

use std::f64::consts::TAU;

use super::SceneBody;
use super::bodies::Names;
use super::error::Report;
use super::reader::{Fields, Node};
use super::transmissions;
use crate::joint::{Joint, JointKind, Motor, MotorWave};
use crate::{Pose, Quat, Vec3};

/// Turns either way that limits of an angle may lie off: those of more are degrees.
const MAX_TURNS: f64 = 10.0;

/// What `kind` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Revolute,
    Prismatic,
    Spherical,
    Fixed,
    Planar,
    Distance,
    Gear,
    Rope,
}

const WORDS: [(&str, Word); 8] = [
    ("revolute", Word::Revolute),
    ("prismatic", Word::Prismatic),
    ("spherical", Word::Spherical),
    ("fixed", Word::Fixed),
    ("planar", Word::Planar),
    ("distance", Word::Distance),
    ("gear", Word::Gear),
    ("rope", Word::Rope),
];
/// Keys of joints other than gears and ropes.
const KEYS: [&str; 13] = [
    "name",
    "kind",
    "a",
    "b",
    "position",
    "axis",
    "position_a",
    "position_b",
    "length",
    "limits",
    "motor",
    "friction",
    "armature",
];

/// Reads every `[[joint]]`. Gears may name joints before and after them, and those of robots.
pub(super) fn read(
    root: &Fields<'_>,
    bodies: &[SceneBody],
    names: &Names,
    robots: &[Joint],
    report: &mut Report<'_>,
) -> Found {
    let tables = root.tables("joint", report);
    let mut joints: Vec<Option<Joint>> = Vec::new();
    let mut armatures = Vec::new();
    let mut gears = Vec::new();
    let mut broken = false;
    for (i, fields) in tables.iter().enumerate() {
        let words: Vec<(&str, Word)> = WORDS
            .into_iter()
            .filter(|(_, word)| !(fields.planar && [Word::Spherical, Word::Planar].contains(word)))
            .collect();
        let word = fields.need("kind", report).and_then(|node| node.choice(&words, report));
        let found = match word {
            Some(Word::Gear) => {
                gears.push(i);
                None
            }
            Some(Word::Rope) => transmissions::rope(fields, &name(fields, i, report), bodies, names, report),
            _ => joint(fields, (i, word), bodies, names, report),
        };
        broken |= found.is_none() && word != Some(Word::Gear);
        joints.push(found);
        armatures.push(match word {
            Some(Word::Revolute | Word::Prismatic) => armature(fields, report),
            _ => 0.0,
        });
    }
    for i in gears {
        let known = || joints.iter().flatten().chain(robots);
        // Where a joint is wrong, a gear that names it is not.
        joints[i] = transmissions::gear(&tables[i], &name(&tables[i], i, report), (known, broken), report);
    }
    let broken = joints.iter().any(Option::is_none);
    let made = joints.into_iter().zip(armatures);
    let (joints, armatures) = made.filter_map(|(joint, a)| Some((joint?, a))).unzip();
    Found {
        joints,
        armatures,
        broken,
    }
}

/// The joints of a scene.
pub(super) struct Found {
    pub(super) joints: Vec<Joint>,
    /// Inertia of the rotor of each.
    pub(super) armatures: Vec<f64>,
    /// Whether some are wrong.
    pub(super) broken: bool,
}

/// Inertia of the rotor of a joint; 0 where it is wrong, which is then reported.
fn armature(fields: &Fields<'_>, report: &mut Report<'_>) -> f64 {
    let read = fields.number_or("armature", 0.0, "must not be negative", |x| x >= 0.0, report);
    read.unwrap_or(0.0)
}

/// The name of a joint; empty where it is wrong, which is then reported.
fn name(fields: &Fields<'_>, index: usize, report: &mut Report<'_>) -> String {
    match fields.get("name") {
        Some(node) => node.string(report).map_or(String::new(), str::to_owned),
        None => format!("joint{index}"),
    }
}

fn joint(
    fields: &Fields<'_>,
    (index, word): (usize, Option<Word>),
    bodies: &[SceneBody],
    names: &Names,
    report: &mut Report<'_>,
) -> Option<Joint> {
    fields.only(&KEYS, report);
    let name = name(fields, index, report);
    let ends = ends(fields, bodies, names, report);
    let placed = word.and_then(|word| placed(fields, word, report));
    let limits = limits(fields, word, report);
    let motor = motor(fields, report);
    let friction = fields.number_or("friction", 0.0, "must not be negative", |x| x >= 0.0, report);
    if word.is_some_and(|word| !matches!(word, Word::Revolute | Word::Prismatic)) {
        misplaced(
            fields,
            &["limits", "motor", "friction", "armature"],
            "a revolute or prismatic joint",
            report,
        );
    }
    let ([a, b], (kind, frames)) = (ends?, placed?);
    let inner = |body: usize, frame: &Pose| {
        let pose = &bodies[body].state.pose;
        Pose {
            position: pose.point_in_body(frame.position),
            rotation: pose.rotation.inverse() * frame.rotation,
        }
    };
    Some(Joint {
        name,
        a,
        b,
        kind,
        frame_a: inner(a, &frames[0]),
        frame_b: inner(b, &frames[1]),
        limits,
        motor,
        friction: friction?,
    })
}

/// The two bodies of a joint.
fn ends(fields: &Fields<'_>, bodies: &[SceneBody], names: &Names, report: &mut Report<'_>) -> Option<[usize; 2]> {
    let ends = ["a", "b"].map(|key| names.find(&fields.need(key, report)?, report));
    let (a, b) = (ends[0]?, ends[1]?);
    if a == b {
        return fields.get("b")?.wrong("must be another body than a", report);
    }
    if ![a, b].iter().any(|i| bodies[*i].body.is_dynamic()) {
        return fields
            .get("b")?
            .wrong("must be a dynamic body, since a is not one", report);
    }
    Some([a, b])
}

/// The kind with its length, and the frames at the start.
fn placed(fields: &Fields<'_>, word: Word, report: &mut Report<'_>) -> Option<(JointKind, [Pose; 2])> {
    let kind = match word {
        Word::Revolute => JointKind::Revolute,
        Word::Prismatic => JointKind::Prismatic,
        Word::Spherical => JointKind::Spherical,
        Word::Fixed => JointKind::Fixed,
        Word::Planar => JointKind::Planar,
        Word::Distance => {
            misplaced(fields, &["position", "axis"], "a joint other than distance", report);
            return distance(fields, report);
        }
        Word::Gear | Word::Rope => return None,
    };
    let keys = ["position_a", "position_b", "length"];
    misplaced(fields, &keys, "a distance joint", report);
    if fields.planar && kind != JointKind::Prismatic {
        misplaced(fields, &["axis"], "a prismatic joint of a planar world", report);
    }
    let frames = frame(fields, &kind, report)?;
    Some((kind, frames))
}

/// Reports keys that mean nothing for this kind.
fn misplaced(fields: &Fields<'_>, keys: &[&str], kinds: &str, report: &mut Report<'_>) {
    for key in keys {
        if let Some(node) = fields.get(key) {
            node.wrong::<()>(&format!("must be given for {kinds} only"), report);
        }
    }
}

/// Frame of a joint that both bodies share at the start: origin and z axis.
fn frame(fields: &Fields<'_>, kind: &JointKind, report: &mut Report<'_>) -> Option<[Pose; 2]> {
    let position = fields.need("position", report).and_then(|node| node.vector(report));
    let slides = fields.planar && *kind == JointKind::Prismatic;
    let axis = match fields.get("axis") {
        _ if fields.planar && !slides => Some(Vec3::z()),
        None if slides => Some(Vec3::x()),
        Some(node) => node.direction(report),
        None => Some(Vec3::z()),
    };
    let frame = Pose {
        position: position?,
        rotation: if slides { along(axis?) } else { from_z(axis?) },
    };
    Some([frame, frame])
}

/// The least rotation from z to a unit vector: the quaternion (1 + z·a, z × a), made unit.
pub(in crate::scene) fn from_z(axis: Vec3) -> Quat {
    if axis.z <= -1.0 + 1e-12 {
        return Quat::new_unchecked(nalgebra::Quaternion::new(0.0, 1.0, 0.0, 0.0));
    }
    Quat::new_normalize(nalgebra::Quaternion::new(1.0 + axis.z, -axis.y, axis.x, 0.0))
}

/// The frame whose z lies along a unit vector of the plane and whose y stands upright on it, so that just one of the rows of a slide acts in the
/// plane: (1, 1, 1, 1)/2 takes (x, y, z) to (y, z, x); a turn about z then takes x to the axis.
fn along(axis: Vec3) -> Quat {
    let half = 0.5 * libm::atan2(axis.y, axis.x);
    let turned = nalgebra::Quaternion::new(libm::cos(half), 0.0, 0.0, libm::sin(half));
    Quat::new_normalize(turned * nalgebra::Quaternion::new(0.5, 0.5, 0.5, 0.5))
}

/// Two points and the distance that they keep, by default that of the start.
fn distance(fields: &Fields<'_>, report: &mut Report<'_>) -> Option<(JointKind, [Pose; 2])> {
    let ends = ["position_a", "position_b"].map(|key| {
        let position = fields.need(key, report)?.vector(report)?;
        Some(Pose {
            position,
            rotation: Quat::identity(),
        })
    });
    let length = fields.get("length").map(|node| node.length(report));
    let frames = [ends[0]?, ends[1]?];
    let apart = (frames[0].position - frames[1].position).norm();
    if length.is_none() && apart == 0.0 {
        fields.fail("position_b", "must differ from position_a, found the same", report);
        return None;
    }
    let length = length.unwrap_or(Some(apart))?;
    Some((JointKind::Distance { length }, frames))
}

/// None where there are none, or where they are wrong, which is then reported. The coordinate is 0 at the start.
fn limits(fields: &Fields<'_>, word: Option<Word>, report: &mut Report<'_>) -> Option<[f64; 2]> {
    let node = fields.get("limits")?;
    let [low, high] = node.numbers::<2>(report)?;
    if low > high {
        return node.wrong("must be in order", report);
    }
    let most = low.abs().max(high.abs());
    if word == Some(Word::Revolute) && most > MAX_TURNS * TAU {
        return node.wrong("must lie within 10 turns, -20 pi and 20 pi", report);
    }
    if low > 0.0 || high < 0.0 {
        return node.wrong("must have 0 between them, the coordinate at the start", report);
    }
    Some([low, high])
}

/// As for limits.
fn motor(fields: &Fields<'_>, report: &mut Report<'_>) -> Option<Motor> {
    let node = fields.get("motor")?;
    motor_of(&node, report)
}

/// A motor from its table.
pub(super) fn motor_of(node: &Node<'_>, report: &mut Report<'_>) -> Option<Motor> {
    let motor = node.fields(report)?;
    motor.only(
        &[
            "target",
            "wave",
            "target_speed",
            "stiffness",
            "damping",
            "force",
            "most",
            "held",
        ],
        report,
    );
    let wave = match motor.get("wave") {
        Some(node) => wave(&node, report),
        None => Some(MotorWave::default()),
    };
    let mut any = |key: &str| motor.number_or(key, 0.0, "must be finite", |_| true, report);
    let (target, target_speed, force) = (any("target"), any("target_speed"), any("force"));
    let mut not_negative =
        |key: &str, default: f64| motor.number_or(key, default, "must not be negative", |x| x >= 0.0, report);
    let (stiffness, damping) = (not_negative("stiffness", 0.0), not_negative("damping", 0.0));
    let most = not_negative("most", f64::INFINITY);
    let held = motor.get("held").map_or(Some(false), |node| node.truth(report));
    Some(Motor {
        target: target?,
        wave: wave?,
        target_speed: target_speed?,
        stiffness: stiffness?,
        damping: damping?,
        force: force?,
        most: most?,
        held: held?,
    })
}

/// The rhythm of a motor's target.
fn wave(node: &Node<'_>, report: &mut Report<'_>) -> Option<MotorWave> {
    let fields = node.fields(report)?;
    fields.only(&["amplitude", "rate", "phase"], report);
    let [amplitude, rate] =
        ["amplitude", "rate"].map(|key| fields.need(key, report).and_then(|node| node.number(report)));
    let phase = fields.number_or("phase", 0.0, "must be finite", |_| true, report);
    Some(MotorWave {
        amplitude: amplitude?,
        rate: rate?,
        phase: phase?,
    })
}
