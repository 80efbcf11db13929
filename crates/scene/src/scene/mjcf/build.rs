//! From a model to bodies, joints, actuators and sensors of a world.

pub(in crate::scene) mod add;
mod contacts;
mod couplings;
mod instruments;
mod joints;

use super::read::mass::about_point;
use super::{MjGeom, MjJoint, MjJointKind, Mjcf};
use crate::body::{Body, Kind, Material};
use crate::joint::Joint;
use crate::scene::urdf::joined_shape;
use crate::shape::Shape;
use crate::state::BodyState;
use crate::{
    Actuator, Frame, Mat3, PairMaterial, Pose, Sensor, SensorKind, Settings, SimError, Vec3, World, integrate,
};

/// How a model is placed in a world.
#[derive(Debug, Clone, PartialEq)]
pub struct MjcfOptions {
    /// Put before the names of bodies, joints, actuators and sensors. Default nothing.
    pub prefix: String,
    /// Where the frame of the model's world lies. Default the world's.
    pub pose: Pose,
    /// Collision groups of all bodies. Default the first.
    pub groups: u32,
    /// The keyframe to start from, by name, or by number where it has none. Default none: the model as it is written.
    pub keyframe: Option<String>,
}

impl Default for MjcfOptions {
    fn default() -> Self {
        Self {
            prefix: String::new(),
            pose: Pose::identity(),
            groups: 1,
            keyframe: None,
        }
    }
}

/// What a model adds to a world; bodies, joints, actuators and frames are numbered from 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MjcfParts {
    /// Bodies and how they start; the first is the world of the model, fixed.
    pub bodies: Vec<(Body, BodyState)>,
    /// Joints: a is the child and b the parent. Then equalities and tendons.
    pub joints: Vec<Joint>,
    /// Inertia of the rotor of each joint.
    pub armatures: Vec<f64>,
    /// Pairs of bodies that do not collide.
    pub apart: Vec<[usize; 2]>,
    /// Friction of pairs of bodies that is not the geometric mean of their own.
    pub pairs: Vec<([usize; 2], PairMaterial)>,
    /// Actuators and their controls at the start.
    pub actuators: Vec<(Actuator, f64)>,
    /// Frames of bodies, then of sites.
    pub frames: Vec<Frame>,
    /// Sensors.
    pub sensors: Vec<Sensor>,
    /// What of contacts is other than in the file, one line each with a count.
    pub changed: Vec<String>,
}

/// Bodies that are one: what lies in a body without joints is part of it.
struct Group {
    head: usize,
    /// Of each body in it with its frame in that of the head.
    mass: f64,
    centre: Vec3,
    inertia: Mat3,
    kind: GroupKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupKind {
    Fixed,
    Kinematic,
    Dynamic,
}

/// Ranges as wide as this leave nothing out \[rad\].
const WHOLE_TURN: f64 = 2.0 * std::f64::consts::PI - 0.02;

/// A model while it is built.
struct Build<'m> {
    model: &'m Mjcf,
    options: &'m MjcfOptions,
    groups: Vec<Group>,
    /// For each body its group and its frame in that of the group's head.
    places: Vec<(usize, Pose)>,
    /// Pose of each body in the model as it is written.
    poses: Vec<Pose>,
    /// Number of the body of each group among the parts.
    numbers: Vec<usize>,
    /// For each joint of the model its number among the parts.
    made: Vec<Option<usize>>,
    parts: MjcfParts,
}

impl Mjcf {
    /// Bodies, joints, actuators and sensors of the model.
    ///
    /// # Errors
    /// A body that moves and has no mass, a keyframe that is not there, joints that cannot be taken. The message names the place in the file.
    pub fn build(&self, options: &MjcfOptions) -> Result<MjcfParts, SimError> {
        let mut build = Build {
            model: self,
            options,
            groups: Vec::new(),
            places: Vec::new(),
            poses: Vec::new(),
            numbers: Vec::new(),
            made: Vec::new(),
            parts: MjcfParts::default(),
        };
        build.group();
        build.add_bodies()?;
        build.add_joints()?;
        build.add_equalities()?;
        let tendons = build.add_tendons()?;
        build.add_actuators(&tendons);
        build.set_dampers()?;
        build.add_frames();
        build.add_sensors();
        build.find_contacts();
        build.start()?;
        Ok(build.parts)
    }
}

impl Build<'_> {
    fn name(&self, name: &str) -> String {
        format!("{}{name}", self.options.prefix)
    }

    /// `FILE:LINE:COLUMN: body[NAME]` for messages.
    fn field(&self, body: usize) -> String {
        format!("{}: body[{}]", self.model.places[body], self.model.bodies[body].name)
    }

    fn group(&mut self) {
        for (number, body) in self.model.bodies.iter().enumerate() {
            let in_model = if number == 0 {
                Pose::identity()
            } else {
                self.poses[body.parent].then(&body.pose)
            };
            self.poses.push(in_model);
            let kind = if number == 0 {
                Some(GroupKind::Fixed)
            } else if body.mocap {
                Some(GroupKind::Kinematic)
            } else {
                (!body.joints.is_empty()).then_some(GroupKind::Dynamic)
            };
            if let Some(kind) = kind {
                self.places.push((self.groups.len(), Pose::identity()));
                self.groups.push(Group {
                    head: number,
                    mass: 0.0,
                    centre: Vec3::zeros(),
                    inertia: Mat3::zeros(),
                    kind,
                });
            } else {
                let (group, inner) = self.places[body.parent];
                self.places.push((group, inner.then(&body.pose)));
            }
        }
        for (body, (group, pose)) in self.model.bodies.iter().zip(&self.places) {
            let Some(inertial) = &body.inertial else { continue };
            let group = &mut self.groups[*group];
            if group.kind == GroupKind::Dynamic && inertial.mass > 0.0 {
                group.mass += inertial.mass;
                group.centre += inertial.mass * pose.point(inertial.centre);
            }
        }
        for group in self.groups.iter_mut().filter(|group| group.mass > 0.0) {
            group.centre /= group.mass;
        }
        for (body, (group, pose)) in self.model.bodies.iter().zip(&self.places) {
            let Some(inertial) = &body.inertial else { continue };
            let group = &mut self.groups[*group];
            let turn = pose.rotation.to_rotation_matrix().into_inner();
            let away = pose.point(inertial.centre) - group.centre;
            group.inertia += turn * inertial.inertia * turn.transpose() + about_point(inertial.mass, away);
        }
    }

    /// Geometry that may touch something.
    fn touching(&self) -> Vec<bool> {
        let geoms: Vec<&MjGeom> = self.model.bodies.iter().flat_map(|body| &body.geoms).collect();
        let paired = &self.model.instruments.pairs;
        let is_paired = |k: usize| paired.iter().any(|(pair, _)| pair.contains(&k));
        let has_mask = |geom: &MjGeom| geom.masks != [0; 2];
        geoms
            .iter()
            .enumerate()
            .map(|(k, geom)| has_mask(geom) || is_paired(k))
            .collect()
    }

    #[allow(clippy::too_many_lines)] // One field of a body after the other.
    fn add_bodies(&mut self) -> Result<(), SimError> {
        let touching = self.touching();
        let mut first = 0;
        let firsts: Vec<usize> = self
            .model
            .bodies
            .iter()
            .map(|body| {
                let own = first;
                first += body.geoms.len();
                own
            })
            .collect();
        // Planes and height fields are bodies of their own: no other shape can hold them.
        let mut grounds = Vec::new();
        for number in 0..self.groups.len() {
            let head = self.groups[number].head;
            let centre = self.groups[number].centre;
            let mut shapes: Vec<(Pose, &Shape)> = Vec::new();
            let mut friction = 0.0_f64;
            for (k, body) in self.model.bodies.iter().enumerate() {
                let (group, pose) = &self.places[k];
                if *group != number {
                    continue;
                }
                for (n, geom) in body.geoms.iter().enumerate() {
                    if !touching[firsts[k] + n] {
                        continue;
                    }
                    if matches!(geom.shape, Shape::HalfSpace { .. } | Shape::Mesh(_)) {
                        grounds.push((pose.then(&geom.pose), *pose, geom));
                    } else {
                        shapes.push((pose.then(&geom.pose), &geom.shape));
                        friction = friction.max(geom.sliding);
                    }
                }
            }
            let solid = !shapes.is_empty();
            let group = &self.groups[number];
            let kind = match group.kind {
                GroupKind::Fixed => Kind::Fixed,
                GroupKind::Kinematic => Kind::Kinematic,
                GroupKind::Dynamic if group.mass > 0.0 => Kind::Dynamic {
                    mass: group.mass,
                    inertia_body: 0.5 * (group.inertia + group.inertia.transpose()),
                },
                GroupKind::Dynamic => {
                    let requirement = "must be positive for a body that moves";
                    return Err(SimError::value(
                        format!("{}.mass", self.field(head)),
                        requirement,
                        group.mass,
                    ));
                }
            };
            let made = Body {
                name: self.name(&self.model.bodies[head].name),
                kind,
                shape: joined_shape(shapes, centre),
                material: Material::of_friction(friction),
                groups: if solid { self.options.groups } else { 0 },
                origin_body: -centre,
            };
            made.check(&self.field(head))?;
            self.numbers.push(self.parts.bodies.len());
            self.push_body(made, self.poses[head], centre);
        }
        for (pose, frame, geom) in grounds {
            // The normal of a plane is that of the body that it lies in.
            let (shape, pose) = match &geom.shape {
                Shape::HalfSpace { normal } => (
                    Shape::HalfSpace {
                        normal: frame.direction(*normal),
                    },
                    Pose {
                        position: pose.position,
                        ..Pose::identity()
                    },
                ),
                shape => (shape.clone(), pose),
            };
            let made = Body {
                name: self.name(&geom.name),
                kind: Kind::Fixed,
                shape,
                material: Material::of_friction(geom.sliding),
                groups: self.options.groups,
                origin_body: Vec3::zeros(),
            };
            self.push_body(made, pose, Vec3::zeros());
        }
        Ok(())
    }

    fn push_body(&mut self, body: Body, in_model: Pose, centre: Vec3) {
        let placed = self.options.pose.then(&in_model);
        let pose = Pose {
            position: placed.point(centre),
            rotation: placed.rotation,
        };
        let state = BodyState {
            pose,
            ..BodyState::default()
        };
        self.parts.bodies.push((body, state));
    }

    /// A frame of a body from the centre of mass of its group.
    fn in_group(&self, body: usize, inner: &Pose) -> (usize, Pose) {
        let (group, pose) = &self.places[body];
        let frame = pose.then(inner);
        let pose = Pose {
            position: frame.position - self.groups[*group].centre,
            rotation: frame.rotation,
        };
        (self.numbers[*group], pose)
    }

    fn push_joint(&mut self, joint: Joint, armature: f64) -> usize {
        self.parts.joints.push(joint);
        self.parts.armatures.push(armature);
        self.parts.joints.len() - 1
    }

    /// Puts the bodies where a keyframe says.
    fn start(&mut self) -> Result<(), SimError> {
        let Some(wanted) = &self.options.keyframe else {
            return Ok(());
        };
        let keys = &self.model.instruments.keys;
        let Some(key) = self.model.keyframe(wanted).map(|k| &keys[k]) else {
            let field = format!("keyframe {wanted:?}");
            let problem = "must be the name or the number of a keyframe of the model, of so many";
            return Err(SimError::value(field, problem, keys.len() as f64));
        };
        if let Some(ctrl) = key
            .ctrl
            .as_ref()
            .filter(|ctrl| ctrl.len() == self.parts.actuators.len())
        {
            for ((_, place), ctrl) in self.parts.actuators.iter_mut().zip(ctrl) {
                *place = *ctrl;
            }
        }
        let mut world = World::new(Settings::default())?;
        for (body, state) in &self.parts.bodies {
            world.add_body(body.clone(), *state)?;
        }
        for joint in &self.parts.joints {
            world.add_joint(joint.clone())?;
        }
        let (mut q, mut v) = (world.q(), world.v());
        let joints: Vec<&MjJoint> = self.model.bodies.iter().flat_map(|body| &body.joints).collect();
        let (mut at_q, mut at_v) = (0, 0);
        for (joint, made) in joints.iter().zip(&self.made) {
            let span = made.map_or(0..0, |joint| world.joint_span(joint));
            let (of_q, of_v) = match joint.kind {
                MjJointKind::Hinge | MjJointKind::Slide => (1, 1),
                MjJointKind::Ball => (4, 3),
                MjJointKind::Free => (7, 6),
            };
            let own = key.qpos.as_ref().map(|all| &all[at_q..at_q + of_q]);
            let rates = key.qvel.as_ref().map(|all| &all[at_v..at_v + of_v]);
            if let Some(own) = own {
                joint.coordinates(own, &mut q[span.clone()]);
            }
            if let Some(rates) = rates {
                v[span.clone()].copy_from_slice(rates);
                // Angular velocities are given in the axes of the body.
                if of_v > 1
                    && let Some(own) = own
                {
                    let turn = unit(&own[of_q - 4..]);
                    let spin = turn * Vec3::from_column_slice(&rates[of_v - 3..]);
                    v[span.end - 3..span.end].copy_from_slice(spin.as_slice());
                }
            }
            (at_q, at_v) = (at_q + of_q, at_v + of_v);
        }
        world.set_joints(&q, &v)?;
        for ((_, state), placed) in self.parts.bodies.iter_mut().zip(&world.state().bodies) {
            *state = *placed;
        }
        Ok(())
    }
}

fn is_endless([low, high]: [f64; 2]) -> bool {
    high - low >= WHOLE_TURN
}

/// A rotation from w, x, y, z.
fn unit(q: &[f64]) -> crate::Quat {
    crate::Quat::new_normalize(nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]))
}

impl MjJoint {
    /// Coordinates of a world from those of MuJoCo: rotations are w, x, y, z there and rotation vectors here.
    fn coordinates(&self, qpos: &[f64], out: &mut [f64]) {
        match (self.kind, qpos) {
            (MjJointKind::Hinge | MjJointKind::Slide, [x]) => out[0] = *x,
            (MjJointKind::Ball, turn) => {
                let v = integrate::rotation_vector(unit(turn));
                out.copy_from_slice(v.as_slice());
            }
            (_, [x, y, z, turn @ ..]) => {
                let v = integrate::rotation_vector(unit(turn));
                out.copy_from_slice(&[*x, *y, *z, v.x, v.y, v.z]);
            }
            _ => {}
        }
    }
}

impl MjcfParts {
    /// Counts bodies, joints, actuators and frames from other numbers than 0.
    pub(in crate::scene) fn count_from(&mut self, [bodies, joints, actuators, frames]: [usize; 4]) {
        for joint in &mut self.joints {
            joint.each_body(|body| *body += bodies);
        }
        for pair in &mut self.apart {
            *pair = pair.map(|body| body + bodies);
        }
        for (pair, _) in &mut self.pairs {
            *pair = pair.map(|body| body + bodies);
        }
        for (actuator, _) in &mut self.actuators {
            actuator.joint += joints;
        }
        for frame in &mut self.frames {
            frame.body += bodies;
        }
        for sensor in &mut self.sensors {
            if let Some(frame) = sensor.kind.frame_mut() {
                *frame += frames;
            }
            match &mut sensor.kind {
                SensorKind::JointPosition(joint) | SensorKind::JointVelocity(joint) => *joint += joints,
                SensorKind::ActuatorForce(actuator) => *actuator += actuators,
                _ => {}
            }
        }
    }
}
