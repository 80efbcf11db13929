//! From a robot to bodies and joints, placed by forward kinematics.

use super::element::rotation_about;
use super::mimic::{in_cycle, leaders};
use super::{Link, Urdf, UrdfJoint, UrdfJointKind};
use crate::World;
use crate::body::{Body, Kind, Material};
use crate::joint::{Joint, JointKind, Motor};
use crate::scene::joints::from_z;
use crate::shape::Shape;
use crate::state::BodyState;
use crate::{Frame, Mat3, Pose, SimError, Vec3};

/// How a robot is placed in a world.
#[derive(Debug, Clone, PartialEq)]
pub struct UrdfOptions {
    /// Put before the names of bodies and joints. Default nothing.
    pub prefix: String,
    /// Where the root link's frame starts. Default the world's.
    pub pose: Pose,
    /// Whether the root link is fixed. Default false; a root without mass on which links hang always is, and so is one called `world` without mass and geometry.
    pub fixed_base: bool,
    /// Surface of all links.
    pub material: Material,
    /// Collision groups of all links. Default the first.
    pub groups: u32,
    /// Coordinates at the start by name of the joint \[rad or m\]. Default 0, or the limit nearest to it. A joint that mimics another starts where that puts it.
    pub positions: Vec<(String, f64)>,
    /// A motor for every joint that has a coordinate and mimics no other; its target counts from where the joint starts. Default none.
    pub motor: Option<Motor>,
    /// Motors by name of the joint, instead of that.
    pub motors: Vec<(String, Motor)>,
    /// Whether links that no joint connects collide with each other. Default true.
    pub self_collision: bool,
    /// Whether links that a joint connects do. Default false.
    pub neighbours_collide: bool,
}

impl Default for UrdfOptions {
    fn default() -> Self {
        Self {
            prefix: String::new(),
            pose: Pose::identity(),
            fixed_base: false,
            material: Material::default(),
            groups: 1,
            positions: Vec::new(),
            motor: None,
            motors: Vec::new(),
            self_collision: true,
            neighbours_collide: false,
        }
    }
}

/// Bodies and joints of a robot; numbers of bodies count from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct UrdfParts {
    /// Bodies and how they start, the root's first.
    pub bodies: Vec<(Body, BodyState)>,
    /// Joints between them: a is the child, b the parent; then a gear for each joint that mimics another, called after it with `.mimic` behind.
    pub joints: Vec<Joint>,
    /// Pairs of bodies that do not collide.
    pub apart: Vec<[usize; 2]>,
    /// For each link its name with the prefix, its body, and its frame in that body.
    pub links: Vec<(String, usize, Pose)>,
}

/// A start that is given is that which a mimic asks for up to this, absolute and relative.
const SAME_START_TOL: f64 = 1e-9;

/// For each link its group, and its frame in that of the group's head.
type Places = Vec<(usize, Pose)>;

/// Links that fixed joints make one.
struct Group {
    /// The link that the others are fixed to.
    head: usize,
    mass: f64,
    centre: Vec3,
    /// Where the head's frame starts.
    pose: Pose,
}

impl Urdf {
    /// Bodies and joints of the robot.
    ///
    /// # Errors
    /// A moving link without mass, a joint that is named and not there, a start beyond a joint's limits, numbers that are not finite. The message
    /// names file, line, column and element.
    pub fn build(&self, options: &UrdfOptions) -> Result<UrdfParts, SimError> {
        self.check_names(options)?;
        let leaders = self.leaders()?;
        let starts = self.starts(&leaders, options)?;
        let (groups, places) = self.groups(&starts, options);
        let mut parts = UrdfParts {
            bodies: Vec::with_capacity(groups.len()),
            joints: Vec::new(),
            apart: Vec::new(),
            links: Vec::new(),
        };
        for (number, group) in groups.iter().enumerate() {
            parts.bodies.push(self.body(number, group, &places, options)?);
        }
        // For each joint its place among those that are made.
        let mut made = vec![None; self.joints.len()];
        for (k, joint) in self.joints.iter().enumerate() {
            if joint.kind == UrdfJointKind::Fixed {
                continue;
            }
            let [a, b] = [places[joint.child].0, places[joint.parent].0];
            if !options.neighbours_collide {
                parts.apart.push([a.min(b), a.max(b)]);
            }
            if let Some(mut one) = self.joint_of(joint, [a, b], &groups, &places, options) {
                one.motor = joint.motor(starts[k], options);
                made[k] = Some(parts.joints.len());
                parts.joints.push(one);
            }
        }
        self.add_gears(&leaders, &made, &mut parts)?;
        if !options.self_collision {
            let count = groups.len();
            let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b]));
            let neighbours = |pair: &[usize; 2]| options.neighbours_collide && self.joined(*pair, &places);
            parts.apart = all.filter(|pair| !neighbours(pair)).collect();
        }
        for (link, (body, pose)) in self.links.iter().zip(&places) {
            let shift = parts.bodies[*body].0.origin_body;
            let inner = Pose {
                position: pose.position + shift,
                rotation: pose.rotation,
            };
            parts
                .links
                .push((format!("{}{}", options.prefix, link.name), *body, inner));
        }
        Ok(parts)
    }

    /// Every name in the options is that of a joint with a coordinate.
    fn check_names(&self, options: &UrdfOptions) -> Result<(), SimError> {
        let positions = options.positions.iter().map(|(name, value)| (name, *value));
        let motors = options.motors.iter().map(|(name, motor)| (name, motor.target));
        for (name, value) in positions.chain(motors) {
            let known = self.joint(name).is_some_and(|k| self.joints[k].kind.has_coordinate());
            if !known {
                let requirement = "must be the name of a revolute, continuous or prismatic joint";
                return Err(SimError::value(format!("joint[{name}]"), requirement, value));
            }
        }
        Ok(())
    }

    /// For each joint the one that it mimics.
    fn leaders(&self) -> Result<Vec<Option<usize>>, SimError> {
        let wrong = |k: usize, requirement: &str| {
            let joint: &UrdfJoint = &self.joints[k];
            let multiplier = joint.mimic.as_ref().map_or(0.0, |mimic| mimic.multiplier);
            let field = format!("{}: joint[{}].mimic", joint.place, joint.name);
            SimError::value(field, format!("{requirement}, with multiplier"), multiplier)
        };
        let leaders = leaders(&self.joints)
            .map_err(|found| wrong(found[0], "must be of a revolute, continuous or prismatic joint"))?;
        match in_cycle(&leaders) {
            Some(k) => Err(wrong(k, "must not lead back to the joint itself")),
            None => Ok(leaders),
        }
    }

    /// The coordinate at which each joint starts; leaders come before those that mimic them.
    fn starts(&self, leaders: &[Option<usize>], options: &UrdfOptions) -> Result<Vec<f64>, SimError> {
        let mut starts: Vec<Option<f64>> = vec![None; self.joints.len()];
        let mut waiting = Vec::new();
        for k in 0..self.joints.len() {
            let mut next = Some(k);
            while let Some(one) = next.filter(|one| starts[*one].is_none()) {
                waiting.push(one);
                next = leaders[one];
            }
            while let Some(one) = waiting.pop() {
                let joint = &self.joints[one];
                let led = leaders[one].and_then(|leader| starts[leader]);
                starts[one] = Some(match (joint.kind.has_coordinate(), led) {
                    (false, _) => 0.0,
                    (true, None) => joint.start(options)?,
                    (true, Some(led)) => joint.led_start(led, options)?,
                });
            }
        }
        Ok(starts.into_iter().flatten().collect())
    }

    /// Adds a gear for each joint that mimics another; `made` has the places of joints in the parts.
    fn add_gears(
        &self,
        leaders: &[Option<usize>],
        made: &[Option<usize>],
        parts: &mut UrdfParts,
    ) -> Result<(), SimError> {
        for (k, joint) in self.joints.iter().enumerate() {
            let (Some(mimic), Some(leader)) = (&joint.mimic, leaders[k]) else {
                continue;
            };
            if let (Some(first), Some(second)) = (made[k], made[leader]) {
                let both = [&parts.joints[first], &parts.joints[second]];
                let name = format!("{}.mimic", both[0].name);
                let gear = Joint::mimic(name, both, [mimic.multiplier, mimic.offset])?;
                parts.joints.push(gear);
            }
        }
        Ok(())
    }

    /// Links that move as one, and for each link its group and its frame in that of the group's head.
    fn groups(&self, starts: &[f64], options: &UrdfOptions) -> (Vec<Group>, Places) {
        let group = |head: usize, pose: Pose| Group {
            head,
            mass: 0.0,
            centre: Vec3::zeros(),
            pose,
        };
        let mut groups = vec![group(self.root, options.pose)];
        let mut places = vec![(0, Pose::identity()); self.links.len()];
        for (joint, start) in self.joints.iter().zip(starts) {
            let (parent, inner) = places[joint.parent];
            let inner = inner.then(&joint.origin);
            if joint.kind == UrdfJointKind::Fixed {
                places[joint.child] = (parent, inner);
                continue;
            }
            let moved = if joint.kind.has_coordinate() {
                joint.motion(*start)
            } else {
                Pose::identity()
            };
            let pose = groups[parent].pose.then(&inner).then(&moved);
            places[joint.child] = (groups.len(), Pose::identity());
            groups.push(group(joint.child, pose));
        }
        for (link, (number, pose)) in self.links.iter().zip(&places) {
            let group = &mut groups[*number];
            group.mass += link.mass;
            group.centre += link.mass * pose.point(link.centre);
        }
        for group in &mut groups {
            let alone = self
                .links
                .iter()
                .zip(&places)
                .filter(|(link, _)| link.mass == group.mass);
            // One link with all the mass: its centre to the bit.
            let own = alone
                .filter(|(_, (number, _))| places[group.head].0 == *number)
                .map(|(link, (_, pose))| pose.point(link.centre))
                .next();
            group.centre = match own {
                _ if group.mass == 0.0 => Vec3::zeros(),
                Some(centre) => centre,
                None => group.centre / group.mass,
            };
        }
        (groups, places)
    }

    fn is_fixed(&self, number: usize, options: &UrdfOptions) -> bool {
        let root = &self.links[self.root];
        let world = root.name == "world" && root.mass == 0.0 && root.collisions.is_empty();
        number == 0 && (options.fixed_base || world || self.root_is_fixed())
    }

    fn body(
        &self,
        number: usize,
        group: &Group,
        places: &[(usize, Pose)],
        options: &UrdfOptions,
    ) -> Result<(Body, BodyState), SimError> {
        let head = &self.links[group.head];
        let field = format!("{}: link[{}]", head.place, head.name);
        let fixed = self.is_fixed(number, options);
        if !fixed && group.mass <= 0.0 {
            let requirement = "must be positive for a link that moves";
            return Err(SimError::value(format!("{field}.mass"), requirement, group.mass));
        }
        let odd = |(link, (own, _)): &(&Link, &(usize, Pose))| *own == number && link.is_odd();
        if !fixed && let Some((link, _)) = self.links.iter().zip(places).find(odd) {
            let field = format!("{}: link[{}].inertial.inertia", link.place, link.name);
            let requirement = "must be zero where there is no mass and the root is not fixed";
            return Err(SimError::value(field, requirement, link.inertia.max()));
        }
        let centre = if fixed { Vec3::zeros() } else { group.centre };
        let (mut inertia, mut parts) = (Mat3::zeros(), Vec::new());
        for (link, (_, pose)) in self.links.iter().zip(places).filter(|(_, (g, _))| *g == number) {
            let r = pose.rotation.to_rotation_matrix().into_inner();
            let away = pose.point(link.centre) - centre;
            let turned = if r == Mat3::identity() {
                link.inertia
            } else {
                r * link.inertia * r.transpose()
            };
            inertia += turned + (Mat3::identity() * away.norm_squared() - away * away.transpose()) * link.mass;
            parts.extend(link.collisions.iter().map(|(inner, shape)| (pose.then(inner), shape)));
        }
        let solid = !parts.is_empty();
        let body = Body {
            name: format!("{}{}", options.prefix, head.name),
            kind: if fixed {
                Kind::Fixed
            } else {
                Kind::Dynamic {
                    mass: group.mass,
                    inertia_body: 0.5 * (inertia + inertia.transpose()),
                }
            },
            shape: joined_shape(parts, centre),
            material: options.material,
            groups: if solid { options.groups } else { 0 },
            origin_body: -centre,
        };
        body.check(&field)?;
        let pose = Pose {
            position: group.pose.point(centre),
            rotation: group.pose.rotation,
        };
        let state = BodyState {
            pose,
            ..BodyState::default()
        };
        Ok((body, state))
    }

    /// The joint without its motor; none for a floating joint.
    fn joint_of(
        &self,
        joint: &UrdfJoint,
        [a, b]: [usize; 2],
        groups: &[Group],
        places: &[(usize, Pose)],
        options: &UrdfOptions,
    ) -> Option<Joint> {
        let kind = match joint.kind {
            UrdfJointKind::Revolute | UrdfJointKind::Continuous => JointKind::Revolute,
            UrdfJointKind::Prismatic => JointKind::Prismatic,
            UrdfJointKind::Planar => JointKind::Planar,
            UrdfJointKind::Spherical => JointKind::Spherical,
            UrdfJointKind::Fixed | UrdfJointKind::Floating => return None,
        };
        // z of the joint's frame along the axis; coordinates of a ball are in the axes of its link.
        let axis = if joint.kind == UrdfJointKind::Spherical {
            Pose::identity().rotation
        } else {
            from_z(joint.axis)
        };
        let frame = |frame: Pose, group: usize| Pose {
            position: frame.position
                - if self.is_fixed(group, options) {
                    Vec3::zeros()
                } else {
                    groups[group].centre
                },
            rotation: frame.rotation * axis,
        };
        Some(Joint {
            name: format!("{}{}", options.prefix, joint.name),
            a,
            b,
            kind,
            frame_a: frame(Pose::identity(), a),
            frame_b: frame(places[joint.parent].1.then(&joint.origin), b),
            limits: joint.limits,
            motor: None,
            friction: if joint.kind.has_coordinate() {
                joint.friction
            } else {
                0.0
            },
        })
    }

    /// Whether a joint connects two groups.
    fn joined(&self, [a, b]: [usize; 2], places: &[(usize, Pose)]) -> bool {
        self.joints.iter().any(|joint| {
            let (child, parent) = (places[joint.child].0, places[joint.parent].0);
            [child.min(parent), child.max(parent)] == [a, b]
        })
    }
}

impl UrdfJoint {
    /// The coordinate at which it starts, that of the joint that it mimics being given.
    fn led_start(&self, led: f64, options: &UrdfOptions) -> Result<f64, SimError> {
        let Some(mimic) = &self.mimic else {
            return self.start(options);
        };
        let value = mimic.multiplier * led + mimic.offset;
        let slack = SAME_START_TOL * value.abs().max(1.0);
        let field = || format!("{}: joint[{}]", self.place, self.name);
        let by = format!("as it mimics {}", mimic.joint);
        let [low, high] = self.limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        if !(value.is_finite() && (low - slack..=high + slack).contains(&value)) {
            let requirement = format!("must start between its limits {low} and {high}, {by}");
            return Err(SimError::value(field(), requirement, value));
        }
        let asked = options.positions.iter().find(|(name, _)| *name == self.name);
        // NaN is not near anything.
        let agrees = asked.is_none_or(|(_, asked)| (asked - value).abs() <= slack);
        match asked {
            Some((_, asked)) if !agrees => {
                Err(SimError::value(field(), format!("must start at {value}, {by}"), *asked))
            }
            _ => Ok(value),
        }
    }

    /// The coordinate at which it starts.
    fn start(&self, options: &UrdfOptions) -> Result<f64, SimError> {
        let given = options.positions.iter().find(|(name, _)| *name == self.name);
        let [low, high] = self.limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let Some((_, value)) = given else {
            return Ok(0.0_f64.max(low).min(high));
        };
        if !(value.is_finite() && (low..=high).contains(value)) {
            return Err(SimError::value(
                format!("{}: joint[{}]", self.place, self.name),
                format!("must start between its limits {low} and {high}"),
                *value,
            ));
        }
        Ok(*value)
    }

    /// What a coordinate does to the frame of the child.
    fn motion(&self, q: f64) -> Pose {
        match self.kind {
            UrdfJointKind::Prismatic => Pose {
                position: self.axis * q,
                ..Pose::identity()
            },
            _ => Pose {
                rotation: rotation_about(self.axis, q),
                ..Pose::identity()
            },
        }
    }

    /// The motor requested, no stronger than the joint's effort, with the joint's damping; or the damping alone.
    fn motor(&self, start: f64, options: &UrdfOptions) -> Option<Motor> {
        if !self.kind.has_coordinate() {
            return None;
        }
        let own = options.motors.iter().find(|(name, _)| *name == self.name);
        let asked = match (own, options.motor) {
            (Some((_, motor)), _) => Some(*motor),
            (None, Some(motor)) if self.mimic.is_none() => Some(Motor {
                target: start + motor.target,
                ..motor
            }),
            (None, _) => None,
        };
        let Some(motor) = asked else {
            return (self.damping > 0.0).then_some(Motor {
                damping: self.damping,
                most: f64::INFINITY,
                ..Motor::default()
            });
        };
        // c (u − ẋ) − d ẋ = (c + d)(u c / (c + d) − ẋ)
        let damping = motor.damping + self.damping;
        Some(Motor {
            target_speed: if self.damping > 0.0 {
                motor.target_speed * (motor.damping / damping)
            } else {
                motor.target_speed
            },
            damping,
            most: motor.most.min(self.effort.unwrap_or(f64::INFINITY)),
            ..motor
        })
    }
}

/// Parts as one shape, seen from the centre of mass: alone and not turned where there is one such part.
pub(in crate::scene) fn joined_shape(parts: Vec<(Pose, &Shape)>, centre: Vec3) -> Shape {
    if let [(pose, shape)] = parts[..]
        && pose.rotation == Pose::identity().rotation
    {
        let origin = centre - pose.position;
        return if origin == Vec3::zeros() {
            shape.clone()
        } else {
            shape.clone().seen_from(origin)
        };
    }
    let moved = parts.into_iter().map(|(pose, shape)| {
        let position = pose.position - centre;
        (Pose { position, ..pose }, shape.clone())
    });
    Shape::Compound(moved.collect())
}

/// Adds a robot to a world: [`WorldExt::add_urdf`](crate::WorldExt::add_urdf).
pub(in crate::scene) fn add_to(world: &mut World, robot: &Urdf, options: &UrdfOptions) -> Result<UrdfParts, SimError> {
    let mut parts = robot.build(options)?;
    let first = world.bodies().len();
    for joint in &mut parts.joints {
        joint.each_body(|body| *body += first);
    }
    for pair in &mut parts.apart {
        *pair = pair.map(|body| body + first);
    }
    for (_, body, _) in &mut parts.links {
        *body += first;
    }
    let added = add_parts(world, &parts);
    if let Err(error) = added {
        while world.bodies().len() > first {
            world.remove_body(world.bodies().len() - 1)?;
        }
        return Err(error);
    }
    Ok(parts)
}

fn add_parts(world: &mut World, parts: &UrdfParts) -> Result<(), SimError> {
    for (body, state) in &parts.bodies {
        world.add_body(body.clone(), *state)?;
    }
    for joint in &parts.joints {
        world.add_joint(joint.clone())?;
    }
    for [a, b] in &parts.apart {
        world.keep_apart(*a, *b)?;
    }
    for (name, body, pose) in &parts.links {
        world.add_frame(Frame {
            name: name.clone(),
            body: *body,
            pose: *pose,
        })?;
    }
    Ok(())
}
