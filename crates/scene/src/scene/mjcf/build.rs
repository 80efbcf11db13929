//! From a model to bodies, joints, actuators and sensors of a world.

use super::instruments::{MjEquality, MjTendon, Path, Pulls, Reads};
use super::read::about_point;
use super::{MjBody, MjGeom, MjJoint, MjJointKind, Mjcf};
use crate::Actuator;
use crate::Frame;
use crate::PairMaterial;
use crate::body::{Body, Kind, Material};
use crate::compound::{Along, Axis, Compound};
use crate::joint::{Joint, JointKind, Motor};
use crate::scene::joints::from_z;
use crate::scene::urdf::joined_shape;
use crate::shape::Shape;
use crate::state::BodyState;
use crate::transmission::{Freedom, RopePoint};
use crate::{Mat3, Pose, SimError, Vec3, integrate};
use crate::{Sensor, SensorKind};
use crate::{Settings, World};

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

    fn add_joints(&mut self) -> Result<(), SimError> {
        for (number, body) in self.model.bodies.iter().enumerate() {
            if body.joints.is_empty() {
                continue;
            }
            let joint = self.joint_of(number, body)?;
            match &body.joints[..] {
                // An angle beyond half a turn needs a middle of its own.
                [one] if !Self::is_near(one) => self.compound(number, std::slice::from_ref(one), &joint)?,
                [one] => {
                    let made = Joint {
                        limits: one.limits.filter(|_| Self::has_coordinate(one)),
                        ..Self::single(one, &joint)
                    };
                    let index = self.push_joint(made, one.armature);
                    self.made.push(Some(index));
                }
                several => self.compound(number, several, &joint)?,
            }
        }
        Ok(())
    }

    /// Whether an angle stays within half a turn, as that of a revolute joint is known.
    fn is_near(joint: &MjJoint) -> bool {
        let half = 0.5 * WHOLE_TURN;
        let within = |[low, high]: [f64; 2]| low >= -half && high <= half;
        joint.kind != MjJointKind::Hinge || joint.limits.is_none_or(|limits| within(limits) || is_endless(limits))
    }

    fn has_coordinate(joint: &MjJoint) -> bool {
        matches!(joint.kind, MjJointKind::Hinge | MjJointKind::Slide)
    }

    /// The frames of the joint of a body and its parent, both those of the body as it is written.
    fn joint_of(&self, number: usize, body: &MjBody) -> Result<Joint, SimError> {
        let free = body.joints.iter().any(|joint| joint.kind == MjJointKind::Free);
        let (a, frame_a) = self.in_group(number, &Pose::identity());
        let (b, frame_b) = if free {
            self.in_group(0, &Pose::identity())
        } else {
            self.in_group(body.parent, &body.pose)
        };
        if a == b {
            return Err(SimError::value(
                self.field(number),
                "must move in another body",
                a as f64,
            ));
        }
        Ok(Joint {
            name: self.name(&body.joints[0].name),
            a,
            b,
            kind: JointKind::Free,
            frame_a,
            frame_b,
            limits: None,
            motor: None,
            friction: 0.0,
        })
    }

    /// A joint that is the only one of its body.
    fn single(joint: &MjJoint, between: &Joint) -> Joint {
        let turned = |reference: f64| Pose {
            position: Vec3::zeros(),
            rotation: super::defaults::about(Vec3::z(), -reference),
        };
        let frame = Pose {
            position: joint.pos,
            rotation: from_z(joint.axis),
        };
        let [frame_a, frame_b] = [&between.frame_a, &between.frame_b].map(|outer| outer.then(&frame));
        let made = |kind: JointKind, frame_b: Pose| Joint {
            kind,
            frame_a,
            frame_b,
            limits: joint.limits,
            motor: spring(joint),
            friction: joint.friction,
            ..between.clone()
        };
        match joint.kind {
            MjJointKind::Free => between.clone(),
            MjJointKind::Ball => Joint {
                limits: None,
                motor: None,
                friction: 0.0,
                ..made(JointKind::Spherical, frame_b)
            },
            MjJointKind::Slide => {
                let back = Pose {
                    position: Vec3::new(0.0, 0.0, -joint.reference),
                    ..Pose::identity()
                };
                made(JointKind::Prismatic, frame_b.then(&back))
            }
            MjJointKind::Hinge => made(JointKind::Revolute, frame_b.then(&turned(joint.reference))),
        }
    }

    /// Several joints of one body: one that holds it, and one for each coordinate.
    fn compound(&mut self, number: usize, joints: &[MjJoint], between: &Joint) -> Result<(), SimError> {
        let mut axes = Vec::new();
        for joint in joints {
            let freedom = match joint.kind {
                MjJointKind::Hinge => Freedom::Turn,
                MjJointKind::Slide => Freedom::Slide,
                MjJointKind::Ball | MjJointKind::Free => {
                    let requirement = "must be hinges and slides where a body has several: joints";
                    return Err(SimError::value(self.field(number), requirement, joints.len() as f64));
                }
            };
            let middle = joint.limits.map_or(joint.reference, |[low, high]| 0.5 * (low + high));
            axes.push(Axis {
                freedom,
                axis: joint.axis,
                anchor: joint.pos,
                zero: joint.reference,
                middle,
            });
        }
        let compound = Compound { axes };
        compound.check(&format!("{}.joint", self.field(number)))?;
        let name = self.name(&format!("{}.joints", self.model.bodies[number].name));
        self.push_joint(
            Joint {
                name,
                kind: JointKind::Compound(Box::new(compound.clone())),
                ..between.clone()
            },
            0.0,
        );
        for (index, joint) in joints.iter().enumerate() {
            let along = Along {
                compound: compound.clone(),
                index,
            };
            let one = Joint {
                name: self.name(&joint.name),
                kind: JointKind::Along(Box::new(along)),
                limits: joint.limits,
                motor: spring(joint),
                friction: joint.friction,
                ..between.clone()
            };
            let index = self.push_joint(one, joint.armature);
            self.made.push(Some(index));
        }
        Ok(())
    }

    /// All sites: their bodies and their frames in these.
    fn sites(&self) -> Vec<(usize, Pose)> {
        let bodies = self.model.bodies.iter().enumerate();
        bodies
            .flat_map(|(k, body)| body.sites.iter().map(move |site| (k, site.pose)))
            .collect()
    }

    fn add_equalities(&mut self) -> Result<(), SimError> {
        let mut made = Vec::new();
        let sites = self.sites();
        for (name, equality) in &self.model.instruments.equalities {
            let name = self.name(name);
            let between = |kind: JointKind, [a, b]: [(usize, Pose); 2]| Joint {
                name: name.clone(),
                a: a.0,
                b: b.0,
                kind,
                frame_a: a.1,
                frame_b: b.1,
                limits: None,
                motor: None,
                friction: 0.0,
            };
            match equality {
                MjEquality::Connect([first, second], anchor) => {
                    let at = Pose {
                        position: *anchor,
                        ..Pose::identity()
                    };
                    let other = self.poses[*second].inverse().then(&self.poses[*first].then(&at));
                    let frames = [self.in_group(*first, &at), self.in_group(*second, &other)];
                    made.push(between(JointKind::Spherical, frames));
                }
                MjEquality::Weld([first, second], pose) => {
                    // The pose of the second body in the first.
                    let pose = pose.unwrap_or_else(|| self.poses[*first].inverse().then(&self.poses[*second]));
                    let frames = [self.in_group(*first, &pose), self.in_group(*second, &Pose::identity())];
                    made.push(between(JointKind::Fixed, frames));
                }
                MjEquality::Sites(pair, turns) => {
                    let frames = pair.map(|k| self.in_group(sites[k].0, &sites[k].1));
                    let kind = if *turns { JointKind::Fixed } else { JointKind::Spherical };
                    made.push(between(kind, frames));
                }
                MjEquality::Joint(pair, [ratio, offset]) => {
                    let [first, second] = pair.map(|k| self.made[k].map(|index| &self.parts.joints[index]));
                    let (Some(first), Some(second)) = (first, second) else {
                        continue;
                    };
                    let references = pair.map(|k| self.reference(k));
                    // y − y₀ = a₀ + a₁ (x − x₀)
                    let offset = references[0] + offset - ratio * references[1];
                    made.push(Joint::mimic(name.clone(), [first, second], [*ratio, offset])?);
                }
            }
        }
        for joint in made {
            if joint.a != joint.b || matches!(joint.kind, JointKind::Gear(_)) {
                self.push_joint(joint, 0.0);
            }
        }
        Ok(())
    }

    /// Coordinate of a joint of the model as it is written.
    fn reference(&self, joint: usize) -> f64 {
        let all = self.model.bodies.iter().flat_map(|body| &body.joints);
        all.clone().nth(joint).map_or(0.0, |joint| joint.reference)
    }

    /// Adds tendons; for each its number among the joints.
    fn add_tendons(&mut self) -> Result<Vec<Option<usize>>, SimError> {
        let mut out = Vec::new();
        let sites = self.sites();
        for tendon in &self.model.instruments.tendons {
            let joint = match &tendon.path {
                Path::Fixed(terms) => {
                    let terms = terms
                        .iter()
                        .filter_map(|(c, k)| Some((*c, self.parts.joints[self.made[*k]?].clone())));
                    let made = Joint {
                        limits: tendon.limits,
                        friction: tendon.friction,
                        motor: tendon_spring(tendon),
                        ..Joint::tendon(self.name(&tendon.name), terms.collect())
                    };
                    let field = format!("tendon[{}]", tendon.name);
                    made.check_transmission(&field)?;
                    Some(made)
                }
                Path::Sites(points) => {
                    let points: Vec<RopePoint> = points
                        .iter()
                        .map(|k| {
                            let (body, Pose { position, .. }) = sites[*k];
                            let at = Pose {
                                position,
                                ..Pose::identity()
                            };
                            let (body, pose) = self.in_group(body, &at);
                            RopePoint::new(body, pose.position)
                        })
                        .collect();
                    let is_soft = tendon.stiffness > 0.0 || tendon.damping > 0.0 || tendon.friction > 0.0;
                    match tendon.limits {
                        Some([low, high]) if low <= 0.0 && !is_soft => {
                            Some(Joint::rope(self.name(&tendon.name), &points, high)?)
                        }
                        _ => {
                            let what = "tendon spatial that is no rope (a range from 0, nothing else): ignored";
                            self.parts.changed.push(what.to_owned());
                            None
                        }
                    }
                }
            };
            out.push(joint.map(|joint| self.push_joint(joint, tendon.armature)));
        }
        for joint in &self.parts.joints[..] {
            debug_assert!(joint.a < self.parts.bodies.len());
        }
        Ok(out)
    }

    fn add_actuators(&mut self, tendons: &[Option<usize>]) {
        let mut list = Vec::new();
        for actuator in &self.model.instruments.actuators {
            let joint = match actuator.pulls {
                Pulls::Joint(joint) => self.made[joint],
                Pulls::Tendon(tendon) => tendons[tendon],
            };
            let Some(joint) = joint else { continue };
            let made = Actuator {
                name: self.name(&actuator.name),
                kind: actuator.law.kind,
                joint,
                gear: actuator.gear,
                gain: actuator.law.gain,
                bias: actuator.law.bias,
                ctrl_range: actuator.ctrl_range,
                force_range: actuator.force_range,
            };
            list.push((made, 0.0));
        }
        self.parts.actuators = list;
    }

    /// Springs and dampers that are given by a ratio of damping: those of the inertia that they move in the model as it is written.
    fn set_dampers(&mut self) -> Result<(), SimError> {
        let joints: Vec<&MjJoint> = self.model.bodies.iter().flat_map(|body| &body.joints).collect();
        let actuators = &self.model.instruments.actuators;
        let is_needed = joints.iter().any(|joint| joint.spring_damper.is_some())
            || actuators.iter().any(|actuator| actuator.law.damping_ratio.is_some());
        if !is_needed {
            return Ok(());
        }
        let mut world = World::new(Settings::default())?;
        add_moving(&mut world, &self.parts)?;
        let n = world.freedom_count();
        let mass = nalgebra::DMatrix::from_row_slice(n, n, &world.mass_matrix());
        let inverse = mass.cholesky().map(|factor| factor.inverse());
        for (joint, made) in joints.iter().zip(&self.made) {
            let (Some([constant, ratio]), Some(made), Some(inverse)) = (joint.spring_damper, *made, &inverse) else {
                continue;
            };
            let Some(at) = world.joint_span(made).next() else {
                continue;
            };
            let inertia = 1.0 / inverse[(at, at)];
            let stiffness = inertia / (constant * ratio * constant * ratio);
            self.parts.joints[made].motor = spring(&MjJoint {
                stiffness,
                damping: 2.0 * inertia / constant,
                ..(*joint).clone()
            });
        }
        for (actuator, (made, _)) in actuators.iter().zip(&mut self.parts.actuators) {
            let (Some(ratio), Some(inverse)) = (actuator.law.damping_ratio, &inverse) else {
                continue;
            };
            let terms = match actuator.pulls {
                Pulls::Joint(joint) => vec![(1.0, joint)],
                Pulls::Tendon(tendon) => match &self.model.instruments.tendons[tendon].path {
                    Path::Fixed(terms) => terms.clone(),
                    Path::Sites(_) => Vec::new(),
                },
            };
            let mut moment = nalgebra::DVector::zeros(n);
            for (coefficient, joint) in terms {
                if let Some(at) = self.made[joint].and_then(|joint| world.joint_span(joint).next()) {
                    moment[at] += coefficient * actuator.gear;
                }
            }
            let ease = moment.dot(&(inverse * &moment));
            // Without a moment it moves nothing.
            if ease > 0.0 {
                made.bias[2] = -2.0 * ratio * (actuator.law.gain[0] / ease).sqrt();
            }
        }
        Ok(())
    }

    fn add_frames(&mut self) {
        let mut frames = Vec::new();
        for (k, body) in self.model.bodies.iter().enumerate() {
            let (number, pose) = self.in_group(k, &Pose::identity());
            frames.push(Frame {
                name: self.name(&body.name),
                body: number,
                pose,
            });
        }
        for (k, body) in self.model.bodies.iter().enumerate() {
            for site in &body.sites {
                let (number, pose) = self.in_group(k, &site.pose);
                frames.push(Frame {
                    name: self.name(&site.name),
                    body: number,
                    pose,
                });
            }
        }
        self.parts.frames = frames;
    }

    fn add_sensors(&mut self) {
        let zones: Vec<&Shape> = self
            .model
            .bodies
            .iter()
            .flat_map(|body| body.sites.iter().map(|site| &site.zone))
            .collect();
        let mut list = Vec::new();
        for (name, reads) in &self.model.instruments.sensors {
            let kind = match *reads {
                Reads::JointPosition(joint) => self.made[joint].map(SensorKind::JointPosition),
                Reads::JointVelocity(joint) => self.made[joint].map(SensorKind::JointVelocity),
                Reads::ActuatorForce(actuator) => Some(SensorKind::ActuatorForce(actuator)),
                Reads::Centre(body) => {
                    let centre = self.model.bodies[body].inertial.as_ref();
                    let inner = Pose {
                        position: centre.map_or(Vec3::zeros(), |inertial| inertial.centre),
                        ..Pose::identity()
                    };
                    let (number, pose) = self.in_group(body, &inner);
                    self.parts.frames.push(Frame {
                        name: self.name(&format!("{}.centre", self.model.bodies[body].name)),
                        body: number,
                        pose,
                    });
                    Some(SensorKind::FramePosition(self.parts.frames.len() - 1))
                }
                Reads::Frame(kind, k, is_site) => {
                    let frame = if is_site { self.model.bodies.len() + k } else { k };
                    Some(match kind {
                        "framepos" => SensorKind::FramePosition(frame),
                        "framequat" => SensorKind::FrameOrientation(frame),
                        "force" => SensorKind::Force(frame),
                        "torque" => SensorKind::Torque(frame),
                        "gyro" => SensorKind::Gyro(frame),
                        "accelerometer" => SensorKind::Accelerometer(frame),
                        _ => SensorKind::Touch {
                            frame,
                            zone: zones[k].clone(),
                        },
                    })
                }
            };
            if let Some(kind) = kind {
                list.push(Sensor {
                    name: self.name(name),
                    kind,
                });
            }
        }
        self.parts.sensors = list;
    }

    /// Which bodies touch, and with what friction: MuJoCo decides for geoms, a world for bodies.
    fn find_contacts(&mut self) {
        let touching = self.touching();
        // Body among the parts, geom and its number; planes and height fields follow the groups.
        let mut list: Vec<(usize, usize, usize, &MjGeom)> = Vec::new();
        let (mut number, mut ground) = (0, self.groups.len());
        let mut order: Vec<(usize, usize, usize, &MjGeom)> = Vec::new();
        for (k, body) in self.model.bodies.iter().enumerate() {
            for geom in &body.geoms {
                if touching[number] {
                    order.push((k, number, self.places[k].0, geom));
                }
                number += 1;
            }
        }
        // Grounds were made group by group.
        let is_ground = |geom: &MjGeom| matches!(geom.shape, Shape::HalfSpace { .. } | Shape::Mesh(_));
        for (k, number, group, geom) in &order {
            if !is_ground(geom) {
                list.push((self.numbers[*group], *number, *k, geom));
            }
        }
        for wanted in 0..self.groups.len() {
            for (k, number, group, geom) in &order {
                if is_ground(geom) && *group == wanted {
                    list.push((ground, *number, *k, geom));
                    ground += 1;
                }
            }
        }
        let count = self.parts.bodies.len();
        // Of each pair of bodies: geoms that touch, that do not, least and largest friction.
        let mut pairs: Vec<(usize, usize, f64, f64)> = vec![(0, 0, f64::INFINITY, 0.0); count * count];
        for (i, first) in list.iter().enumerate() {
            for second in &list[i + 1..] {
                if first.0 == second.0 {
                    continue;
                }
                let (a, b) = (first.0.min(second.0), first.0.max(second.0));
                let entry = &mut pairs[a * count + b];
                match self.meet((first.1, first.2, first.3), (second.1, second.2, second.3)) {
                    Some(friction) => {
                        entry.0 += 1;
                        entry.2 = entry.2.min(friction);
                        entry.3 = entry.3.max(friction);
                    }
                    None => entry.1 += 1,
                }
            }
        }
        let (mut partly, mut mixed) = (0, 0);
        for a in 0..count {
            for b in a + 1..count {
                let (meet, pass, least, most) = pairs[a * count + b];
                let fixed = [a, b].iter().all(|k| !self.parts.bodies[*k].0.is_dynamic());
                if fixed || meet + pass == 0 {
                    continue;
                }
                if meet == 0 {
                    self.parts.apart.push([a, b]);
                    continue;
                }
                partly += usize::from(pass > 0);
                mixed += usize::from(least < most);
                let [own, other] = [a, b].map(|k| self.parts.bodies[k].0.material);
                if own.with(&other).friction != most {
                    let material = PairMaterial {
                        friction: Some(most),
                        ..PairMaterial::default()
                    };
                    self.parts.pairs.push(([a, b], material));
                }
            }
        }
        for (found, what) in [
            (partly, "pairs of bodies of which only some geoms collide: all do"),
            (
                mixed,
                "pairs of bodies whose geoms have several frictions: the largest is taken",
            ),
        ] {
            if found > 0 {
                self.parts.changed.push(format!("{found} {what}"));
            }
        }
    }

    /// Friction of two geoms that touch; none where they pass.
    fn meet(
        &self,
        (i, of_i, first): (usize, usize, &MjGeom),
        (j, of_j, second): (usize, usize, &MjGeom),
    ) -> Option<f64> {
        let given = &self.model.instruments;
        let same = |pair: &[usize; 2], a: usize, b: usize| *pair == [a, b] || *pair == [b, a];
        let by_rule = match first.priority.cmp(&second.priority) {
            std::cmp::Ordering::Greater => first.friction,
            std::cmp::Ordering::Less => second.friction,
            std::cmp::Ordering::Equal if first.is_frictionless && second.is_frictionless => 0.0,
            std::cmp::Ordering::Equal => first.sliding.max(second.sliding),
        };
        if let Some((_, friction)) = given.pairs.iter().find(|(pair, _)| same(pair, i, j)) {
            return Some(friction.unwrap_or(by_rule));
        }
        let masks = first.masks[0] & second.masks[1] != 0 || second.masks[0] & first.masks[1] != 0;
        if !masks || given.excluded.iter().any(|pair| same(pair, of_i, of_j)) {
            return None;
        }
        let [a, b] = [of_i, of_j].map(|body| self.places[body].0);
        let parent = |group: usize| self.places[self.model.bodies[self.groups[group].head].parent].0;
        // A parent and its child pass, unless the parent is the world.
        let passes = (a != 0 && b != 0) && (parent(a) == b || parent(b) == a);
        (!passes).then_some(by_rule)
    }

    /// Puts the bodies where a keyframe says.
    fn start(&mut self) -> Result<(), SimError> {
        let Some(wanted) = &self.options.keyframe else {
            return Ok(());
        };
        let keys = &self.model.instruments.keys;
        let by_name = keys.iter().position(|key| !key.name.is_empty() && key.name == *wanted);
        let by_number = wanted.parse().ok().filter(|k: &usize| *k < keys.len());
        let Some(key) = by_name.or(by_number).map(|k| &keys[k]) else {
            let field = format!("keyframe {wanted:?}");
            return Err(SimError::value(
                field,
                "must be one of the model's keyframes",
                keys.len() as f64,
            ));
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

/// The spring and damper of a joint.
fn spring(joint: &MjJoint) -> Option<Motor> {
    (joint.stiffness > 0.0 || joint.damping > 0.0).then_some(Motor {
        target: joint.springref,
        stiffness: joint.stiffness,
        damping: joint.damping,
        most: f64::INFINITY,
        ..Motor::default()
    })
}

fn tendon_spring(tendon: &MjTendon) -> Option<Motor> {
    (tendon.stiffness > 0.0 || tendon.damping > 0.0).then_some(Motor {
        target: tendon.rest,
        stiffness: tendon.stiffness,
        damping: tendon.damping,
        most: f64::INFINITY,
        ..Motor::default()
    })
}

/// Adds a model to a world: [`WorldExt::add_mjcf`](crate::WorldExt::add_mjcf).
pub(in crate::scene) fn add_to(world: &mut World, model: &Mjcf, options: &MjcfOptions) -> Result<MjcfParts, SimError> {
    let mut parts = model.build(options)?;
    parts.count_from([
        world.bodies().len(),
        world.joints().len(),
        world.actuators().len(),
        world.frames().len(),
    ]);
    // A copy, so that nothing is added where a part does not fit.
    let mut copy = world.clone();
    add_parts(&mut copy, &parts)?;
    *world = copy;
    Ok(parts)
}

/// Adds bodies and joints with the inertia of their rotors.
fn add_moving(world: &mut World, parts: &MjcfParts) -> Result<(), SimError> {
    for (body, state) in &parts.bodies {
        world.add_body(body.clone(), *state)?;
    }
    let first = world.joints().len();
    for joint in &parts.joints {
        world.add_joint(joint.clone())?;
    }
    for (k, inertia) in parts
        .armatures
        .iter()
        .enumerate()
        .filter(|(_, inertia)| **inertia > 0.0)
    {
        world.set_armature(first + k, *inertia)?;
    }
    Ok(())
}

fn add_parts(world: &mut World, parts: &MjcfParts) -> Result<(), SimError> {
    add_moving(world, parts)?;
    for [a, b] in &parts.apart {
        world.keep_apart(*a, *b)?;
    }
    for ([a, b], material) in &parts.pairs {
        world.set_pair(*a, *b, *material)?;
    }
    let mut ctrl = world.ctrl().to_vec();
    for (actuator, start) in &parts.actuators {
        world.add_actuator(actuator.clone())?;
        ctrl.push(*start);
    }
    world.set_ctrl(&ctrl)?;
    for frame in &parts.frames {
        world.add_frame(frame.clone())?;
    }
    for sensor in &parts.sensors {
        world.add_sensor(sensor.clone())?;
    }
    Ok(())
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
