//! `[[actuator]]` and `[[sensor]]`: what drives joints, and what is read.

use std::path::Path;

use stiction_contact::nearest::did_you_mean;

use super::SceneBody;
use super::bodies::Names;
use super::error::Report;
use super::reader::{Fields, Node};
use super::shapes;
use crate::Frame;
use crate::joint::Joint;
use crate::{Actuator, ActuatorKind};
use crate::{Pose, Vec3};
use crate::{Sensor, SensorKind};

/// Actuators with their controls at the start, and sensors with their frames.
#[derive(Debug, Default)]
pub(super) struct Instruments {
    pub(super) actuators: Vec<(Actuator, f64)>,
    pub(super) frames: Vec<Frame>,
    pub(super) sensors: Vec<Sensor>,
}

/// Where instruments are.
pub(super) struct Parts<'a> {
    pub(super) bodies: &'a [SceneBody],
    pub(super) names: &'a Names,
    pub(super) joints: &'a [Joint],
    /// Whether joints are wrong: one that is not found is then no error of its own.
    pub(super) broken: bool,
    pub(super) folder: &'a Path,
}

impl Instruments {
    /// Reads every `[[actuator]]` and `[[sensor]]`, after those of robots.
    pub(super) fn read(&mut self, root: &Fields<'_>, parts: &Parts<'_>, report: &mut Report<'_>) {
        for (i, fields) in root.tables("actuator", report).iter().enumerate() {
            let found = actuator(fields, i, parts, report);
            if let (Some((actuator, _)), Some(node)) = (&found, fields.get("name"))
                && self.actuators.iter().any(|(other, _)| other.name == actuator.name)
            {
                node.wrong::<()>("must be the name of one actuator only", report);
            }
            self.actuators.extend(found);
        }
        for (i, fields) in root.tables("sensor", report).iter().enumerate() {
            let found = self.sensor(fields, i, parts, report);
            self.sensors.extend(found);
        }
    }

    fn sensor(
        &mut self,
        fields: &Fields<'_>,
        index: usize,
        parts: &Parts<'_>,
        report: &mut Report<'_>,
    ) -> Option<Sensor> {
        const KINDS: [(&str, &str); 10] = [
            ("jointpos", "joint"),
            ("jointvel", "joint"),
            ("actuatorfrc", "actuator"),
            ("framepos", "body"),
            ("framequat", "body"),
            ("touch", "body"),
            ("force", "body"),
            ("torque", "body"),
            ("gyro", "body"),
            ("accelerometer", "body"),
        ];
        let name = name(fields, "sensor", index, report);
        let choices = KINDS.map(|(kind, of)| (kind, (kind, of)));
        let (kind, of) = fields.need("kind", report)?.choice(&choices, report)?;
        let kind = match of {
            "joint" => {
                fields.only(&["name", "kind", "joint"], report);
                let joint = joint(&fields.need("joint", report)?, parts, report)?;
                if kind == "jointpos" {
                    SensorKind::JointPosition(joint)
                } else {
                    SensorKind::JointVelocity(joint)
                }
            }
            "actuator" => {
                fields.only(&["name", "kind", "actuator"], report);
                let node = fields.need("actuator", report)?;
                let text = node.string(report)?;
                let known = || self.actuators.iter().map(|(actuator, _)| actuator.name.as_str());
                let Some(found) = known().position(|name| name == text) else {
                    let meant = did_you_mean(text, known());
                    return node.wrong(&format!("must be the name of an actuator{meant}"), report);
                };
                SensorKind::ActuatorForce(found)
            }
            _ => self.on_frame((kind, &name), fields, parts, report)?,
        };
        Some(Sensor { name, kind })
    }

    /// A sensor on a frame: that of a body, or one that is given in the world as the bodies start.
    fn on_frame(
        &mut self,
        (kind, name): (&str, &str),
        fields: &Fields<'_>,
        parts: &Parts<'_>,
        report: &mut Report<'_>,
    ) -> Option<SensorKind> {
        let rotation_key = fields.rotation_key();
        let keys = ["name", "kind", "body", "position", rotation_key, "shape"];
        fields.only(&keys[..if kind == "touch" { 6 } else { 5 }], report);
        let body = parts.names.find(&fields.need("body", report)?, report);
        let position = fields.get("position").map(|node| node.vector(report));
        let rotation = fields.get(rotation_key).map(|_| fields.rotation(report));
        let zone = if kind == "touch" {
            Some(shapes::read(fields, parts.folder, report))
        } else {
            None
        };
        let SceneBody { body: of, state, .. } = &parts.bodies[body?];
        let pose = Pose {
            position: match position {
                Some(position) => state.pose.point_in_body(position?),
                None => of.origin_body,
            },
            rotation: match rotation {
                Some(rotation) => state.pose.rotation.inverse() * rotation?,
                None => Pose::identity().rotation,
            },
        };
        let frame = self.frames.len();
        let made = match kind {
            "framepos" => SensorKind::FramePosition(frame),
            "framequat" => SensorKind::FrameOrientation(frame),
            "force" => SensorKind::Force(frame),
            "torque" => SensorKind::Torque(frame),
            "gyro" => SensorKind::Gyro(frame),
            "accelerometer" => SensorKind::Accelerometer(frame),
            _ => SensorKind::Touch { frame, zone: zone?? },
        };
        self.frames.push(Frame {
            name: name.to_owned(),
            body: body?,
            pose,
        });
        Some(made)
    }
}

fn name(fields: &Fields<'_>, what: &str, index: usize, report: &mut Report<'_>) -> String {
    match fields.get("name") {
        Some(node) => node.string(report).map_or(String::new(), str::to_owned),
        None => format!("{what}{index}"),
    }
}

/// A joint with a coordinate, by name.
fn joint(node: &Node<'_>, parts: &Parts<'_>, report: &mut Report<'_>) -> Option<usize> {
    let text = node.string(report)?;
    let has = |joint: &&Joint| joint.kind.has_coordinate();
    match parts.joints.iter().position(|joint| joint.name == text) {
        Some(found) if has(&&parts.joints[found]) => Some(found),
        None if parts.broken => None,
        _ => {
            let names = parts.joints.iter().filter(has).map(|joint| joint.name.as_str());
            let meant = did_you_mean(text, names);
            let found = report.shown(node.span());
            node.fail(
                format!("must be the name of a joint with one coordinate, found {found}{meant}"),
                report,
            )
        }
    }
}

fn actuator(fields: &Fields<'_>, index: usize, parts: &Parts<'_>, report: &mut Report<'_>) -> Option<(Actuator, f64)> {
    let name = name(fields, "actuator", index, report);
    let kinds = ActuatorKind::ALL.map(|kind| (kind.name(), kind));
    let kind = fields.need("kind", report)?.choice(&kinds, report)?;
    let common = ["name", "kind", "joint", "gear", "ctrl_range", "force_range", "ctrl"];
    let own: &[&str] = match kind {
        ActuatorKind::Motor => &[],
        ActuatorKind::Position => &["kp", "kv"],
        ActuatorKind::Velocity => &["kv"],
        ActuatorKind::General => &["gain", "bias"],
    };
    let keys: Vec<&str> = common.iter().chain(own).copied().collect();
    fields.only(&keys, report);
    let joint = fields
        .need("joint", report)
        .and_then(|node| joint(&node, parts, report));
    let gear = fields.number_or("gear", 1.0, "must not be 0", |x| x != 0.0, report);
    let mut range = |key: &str| {
        let Some(node) = fields.get(key) else {
            return Some(None);
        };
        let [low, high] = node.numbers::<2>(report)?;
        if low > high {
            return node.wrong("must be in order", report);
        }
        Some(Some([low, high]))
    };
    let (ctrl_range, force_range) = (range("ctrl_range"), range("force_range"));
    let ctrl = fields.number_or("ctrl", 0.0, "must be finite", |_| true, report);
    let mut not_negative =
        |key: &str, default: f64| fields.number_or(key, default, "must not be negative", |x| x >= 0.0, report);
    let made = match kind {
        ActuatorKind::Motor => Actuator::motor(name, joint?, gear?),
        ActuatorKind::Position => {
            let (kp, kv) = (not_negative("kp", 1.0), not_negative("kv", 0.0));
            Actuator::position(name, joint?, [kp?, kv?])
        }
        ActuatorKind::Velocity => {
            let kv = not_negative("kv", 1.0);
            Actuator::velocity(name, joint?, kv?)
        }
        ActuatorKind::General => {
            let mut three = |key: &str, default: Vec3| {
                fields
                    .get(key)
                    .map_or(Some(default), |node| node.numbers::<3>(report).map(Vec3::from))
            };
            let (gain, bias) = (three("gain", Vec3::x()), three("bias", Vec3::zeros()));
            Actuator {
                kind,
                gain: gain?.into(),
                bias: bias?.into(),
                ..Actuator::motor(name, joint?, gear?)
            }
        }
    };
    let made = Actuator {
        gear: gear?,
        ctrl_range: ctrl_range?,
        force_range: force_range?,
        ..made
    };
    Some((made, ctrl?))
}
