//! `[[urdf]]`: a robot from a file.

use super::{Urdf, UrdfOptions, UrdfParts};
use crate::Actuator;
use crate::Frame;
use crate::PairMaterial;
use crate::joint::{Joint, Motor};
use crate::scene::SceneBody;
use crate::scene::bodies::Makers;
use crate::scene::error::Report;
use crate::scene::joints::motor_of;
use crate::scene::reader::{Fields, Node};
use crate::{Pose, Vec3};
use crate::{Sensor, SensorKind};

const KEYS: [&str; 12] = [
    "file",
    "prefix",
    "position",
    "orientation",
    "fixed_base",
    "material",
    "groups",
    "positions",
    "motor",
    "motors",
    "self_collision",
    "neighbours_collide",
];

/// The file of a model, and the gravity and the time step that it says.
pub(in crate::scene) type ModelOptions = (String, Option<Vec3>, Option<f64>);

/// What robots add to a scene beside bodies.
#[derive(Debug, Default)]
pub(in crate::scene) struct Robots {
    pub(in crate::scene) joints: Vec<Joint>,
    pub(in crate::scene) apart: Vec<[usize; 2]>,
    pub(in crate::scene) notes: Vec<String>,
    /// File, gravity and time step of each model that says them.
    pub(in crate::scene) options: Vec<ModelOptions>,
    /// Inertia of the rotors of joints; joints beyond the end have none.
    pub(in crate::scene) armatures: Vec<f64>,
    pub(in crate::scene) pairs: Vec<([usize; 2], PairMaterial)>,
    pub(in crate::scene) actuators: Vec<(Actuator, f64)>,
    pub(in crate::scene) frames: Vec<Frame>,
    pub(in crate::scene) sensors: Vec<Sensor>,
}

impl Robots {
    /// Counts joints from another number than 0.
    pub(in crate::scene) fn count_joints_from(&mut self, first: usize) {
        for (actuator, _) in &mut self.actuators {
            actuator.joint += first;
        }
        for sensor in &mut self.sensors {
            if let SensorKind::JointPosition(joint) | SensorKind::JointVelocity(joint) = &mut sensor.kind {
                *joint += first;
            }
        }
    }
}

impl Makers<'_> {
    /// Reads every `[[urdf]]`.
    pub(in crate::scene) fn read_robots(&mut self, root: &Fields<'_>, report: &mut Report<'_>) -> Robots {
        let mut robots = Robots::default();
        for fields in root.tables("urdf", report) {
            if root.planar {
                fields.fail(
                    "file",
                    "must not be in a planar world: robots are spatial".to_owned(),
                    report,
                );
                continue;
            }
            if self.robot(&fields, &mut robots, report).is_none() {
                // Which links it would have had is not known.
                self.names.broken(fields.text_or("prefix", ""));
            }
        }
        robots
    }

    fn robot(&mut self, fields: &Fields<'_>, robots: &mut Robots, report: &mut Report<'_>) -> Option<()> {
        fields.only(&KEYS, report);
        let node = fields.need("file", report);
        let position = fields.vector_or("position", Vec3::zeros(), report);
        let rotation = fields.rotation(report);
        let surface = self.surface(fields, report);
        let fixed_base = truth(fields, "fixed_base", false, report);
        let self_collision = truth(fields, "self_collision", true, report);
        let neighbours_collide = truth(fields, "neighbours_collide", false, report);
        let prefix = match fields.get("prefix") {
            Some(node) => node.string(report).map(str::to_owned),
            None => Some(String::new()),
        };
        let positions = by_name(fields, "positions", report, Node::number);
        let motors: Option<Vec<(String, Motor)>> = by_name(fields, "motors", report, motor_of);
        let motor = match fields.get("motor") {
            Some(node) => motor_of(&node, report).map(Some),
            None => Some(None),
        };
        let node = node?;
        let robot = match Urdf::read(self.folder, node.string(report)?) {
            Ok(robot) => robot,
            Err(error) => {
                for line in error.to_string().lines() {
                    node.fail::<()>(line, report);
                }
                return None;
            }
        };
        let surface = surface?;
        let options = UrdfOptions {
            prefix: prefix?,
            pose: Pose {
                position: position?,
                rotation: rotation?,
            },
            fixed_base: fixed_base?,
            material: surface.material,
            groups: surface.groups,
            positions: positions?,
            motor: motor?,
            motors: motors?,
            self_collision: self_collision?,
            neighbours_collide: neighbours_collide?,
        };
        let parts = match robot.build(&options) {
            Ok(parts) => parts,
            Err(error) => return node.fail(error.to_string(), report),
        };
        let file = fields.text_or("file", "");
        doubt(&robot, &parts, (&options.prefix, &node), report);
        self.begin(fields, &file, surface, true);
        let first = self.bodies.len();
        for (body, state) in parts.bodies {
            let made = SceneBody {
                body,
                state,
                material: surface.number,
            };
            self.push(made, node.span.start, &node.path, report)?;
        }
        for (name, body, pose) in parts.links {
            robots.frames.push(Frame {
                name: name.clone(),
                body: first + body,
                pose,
            });
            self.names.also(name, first + body);
        }
        robots.joints.extend(parts.joints.into_iter().map(|mut joint| {
            joint.each_body(|body| *body += first);
            joint
        }));
        let pairs = parts.apart.iter().map(|pair| pair.map(|body| first + body));
        robots.apart.extend(pairs);
        robots
            .notes
            .extend(robot.notes.iter().map(|note| format!("{file}: {note}")));
        Some(())
    }
}

/// Notes what is doubtful about a robot, by its place in its file.
fn doubt(robot: &Urdf, parts: &UrdfParts, (prefix, node): (&str, &Node<'_>), report: &mut Report<'_>) {
    let mut say = |text: String| report.doubt(Some(node.span.start), &node.path, text);
    for warning in &robot.warnings {
        say(warning.in_file(&robot.file));
    }
    for (link, (_, body, _)) in robot.links.iter().zip(&parts.links) {
        let massless = link.mass == 0.0 && !link.collisions.is_empty();
        if massless && parts.bodies[*body].0.is_dynamic() {
            let (place, name) = (&link.place, &link.name);
            say(format!(
                "{place}: link[{name}].inertial: is not given for a solid link, mass 0 is taken"
            ));
        }
    }
    for joint in &robot.joints {
        let name = format!("{prefix}{}", joint.name);
        let Some(made) = parts.joints.iter().find(|made| made.name == name) else {
            continue;
        };
        let drives = |motor: Motor| motor.stiffness > 0.0 || motor.force != 0.0 || motor.target_speed != 0.0;
        if joint.effort == Some(0.0) && made.motor.is_some_and(drives) {
            let (place, name) = (&joint.place, &joint.name);
            say(format!(
                "{place}: joint[{name}].limit.effort: leaves its motor no force, found 0"
            ));
        }
    }
}

fn truth(fields: &Fields<'_>, key: &str, default: bool, report: &mut Report<'_>) -> Option<bool> {
    match fields.get(key) {
        Some(node) => node.truth(report),
        None => Some(default),
    }
}

/// Values of a table by name of the joint; empty where the table is not there.
fn by_name<'a, T>(
    fields: &Fields<'a>,
    key: &str,
    report: &mut Report<'_>,
    read: impl Fn(&Node<'a>, &mut Report<'_>) -> Option<T>,
) -> Option<Vec<(String, T)>> {
    let Some(node) = fields.get(key) else {
        return Some(Vec::new());
    };
    let values = node.entries(report)?;
    let read: Vec<Option<(String, T)>> = values
        .into_iter()
        .map(|(name, node)| Some((name, read(&node, report)?)))
        .collect();
    read.into_iter().collect()
}
