//! Coordinates of joints: mechanisms as trees.
//!
//! Joints that hang bodies one from another form trees. The root of a tree is a body that does not move by itself, or else the first of its bodies. Going outwards from there, each joint
//! places one more body by its coordinates: how far the frame in its body a has gone from that in b. A joint between two bodies that are placed already closes a loop and has no
//! coordinates; nor has a distance, which leaves five, a gear or a rope.
//!
//! | kind | q | v |
//! |---|---|---|
//! | revolute | angle about z | its rate |
//! | prismatic | way along z | its rate |
//! | spherical | rotation vector | angular velocity, in the axes of the frame in b |
//! | planar | way along x and y, angle about z | rates |
//! | compound | angles and ways, in the order of its motions | rates |
//! | free | position, rotation vector | velocity of the origin of the frame in a, angular velocity, both in the axes of the frame in b |
//! | fixed | none | none |

use std::f64::consts::TAU;
use std::ops::Range;

use crate::compound::Along;
use crate::configuration::Configuration;
use crate::error::SimError;
use crate::failure::worst_joint_error;
use crate::joint::{Joint, JointKind, turn_coordinate};
use crate::model::Model;
use crate::state::BodyState;
use crate::transmission::Freedom;
use crate::world::World;
use crate::{Pose, Quat, Vec3, integrate};

/// A joint that places a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) joint: usize,
    /// Whether it places its body a; else b.
    pub(crate) places_a: bool,
    /// Its coordinates among all.
    pub(crate) span: Range<usize>,
}

/// The trees of a model, from roots outwards.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Trees {
    pub(crate) links: Vec<Link>,
    pub(crate) count: usize,
}

/// Coordinates that a joint has as a part of a tree; none where it cannot be one.
fn freedom(kind: &JointKind) -> Option<usize> {
    match kind {
        JointKind::Fixed => Some(0),
        JointKind::Revolute | JointKind::Prismatic => Some(1),
        JointKind::Spherical | JointKind::Planar => Some(3),
        JointKind::Compound(compound) => Some(compound.axes.len()),
        JointKind::Free => Some(6),
        JointKind::Distance { .. }
        | JointKind::Gear(_)
        | JointKind::Rope(_)
        | JointKind::Along(_)
        | JointKind::Tendon(_) => None,
    }
}

impl Trees {
    pub(crate) fn of(model: &Model) -> Self {
        let mut placed: Vec<bool> = model.blocks().iter().map(Option::is_none).collect();
        let mut links: Vec<(usize, bool)> = Vec::new();
        let mut grow = |placed: &mut [bool]| {
            let mut grown = true;
            while std::mem::take(&mut grown) {
                for (k, joint) in model.joints.iter().enumerate() {
                    if placed[joint.a] != placed[joint.b] && freedom(&joint.kind).is_some() {
                        links.push((k, !placed[joint.a]));
                        (placed[joint.a], placed[joint.b]) = (true, true);
                        grown = true;
                    }
                }
            }
        };
        grow(&mut placed);
        for body in 0..placed.len() {
            if !placed[body] {
                placed[body] = true;
                grow(&mut placed);
            }
        }
        // Coordinates are in the order of joints, not in that of placing.
        let mut spans = vec![0..0; model.joints.len()];
        let mut count = 0;
        let mut in_tree = vec![false; model.joints.len()];
        for (joint, _) in &links {
            in_tree[*joint] = true;
        }
        for (k, joint) in model.joints.iter().enumerate().filter(|(k, _)| in_tree[*k]) {
            spans[k] = count..count + freedom(&joint.kind).unwrap_or(0);
            count = spans[k].end;
        }
        let link = |(joint, places_a): (usize, bool)| Link {
            joint,
            places_a,
            span: spans[joint].clone(),
        };
        Self {
            links: links.into_iter().map(link).collect(),
            count,
        }
    }
}

/// The frame in a as seen from that in b, by coordinates.
fn placed_by(kind: &JointKind, q: &[f64]) -> Pose {
    let turn = |v: Vec3| integrate::turn(Quat::identity(), v, 1.0);
    let (position, rotation) = match (kind, q) {
        (JointKind::Revolute, [angle]) => (Vec3::zeros(), turn(Vec3::new(0.0, 0.0, *angle))),
        (JointKind::Prismatic, [way]) => (Vec3::new(0.0, 0.0, *way), Quat::identity()),
        (JointKind::Spherical, [x, y, z]) => (Vec3::zeros(), turn(Vec3::new(*x, *y, *z))),
        (JointKind::Planar, [x, y, angle]) => (Vec3::new(*x, *y, 0.0), turn(Vec3::new(0.0, 0.0, *angle))),
        (JointKind::Free, [x, y, z, u, v, w]) => (Vec3::new(*x, *y, *z), turn(Vec3::new(*u, *v, *w))),
        (JointKind::Compound(compound), q) => return compound.pose(q),
        _ => (Vec3::zeros(), Quat::identity()),
    };
    Pose { position, rotation }
}

/// The other way round: coordinates, from the frames in the world.
fn coordinates(joint: &Joint, bodies: &[BodyState], out: &mut [f64]) {
    let [a, b] = joint.frames(bodies);
    let apart = b.direction_in_body(a.position - b.position);
    let turned = b.rotation.inverse() * a.rotation;
    let angle = || turn_coordinate(&[a, b]).error;
    match (&joint.kind, out) {
        (JointKind::Revolute, [q]) => *q = angle(),
        (JointKind::Prismatic, [q]) => *q = apart.z,
        (JointKind::Spherical, [x, y, z]) => {
            let v = integrate::rotation_vector(turned);
            (*x, *y, *z) = (v.x, v.y, v.z);
        }
        (JointKind::Planar, [x, y, q]) => (*x, *y, *q) = (apart.x, apart.y, angle()),
        (JointKind::Free, out) => {
            let v = integrate::rotation_vector(turned);
            out.copy_from_slice(&[apart.x, apart.y, apart.z, v.x, v.y, v.z]);
        }
        (JointKind::Compound(compound), out) => {
            let pose = Pose {
                position: apart,
                rotation: turned,
            };
            out.copy_from_slice(&compound.coordinates(&pose));
        }
        _ => {}
    }
}

/// Velocity and spin of the frame in a relative to b, in the axes of the frame in b, by the rates of coordinates.
fn moving_by(kind: &JointKind, q: &[f64], v: &[f64]) -> (Vec3, Vec3) {
    match (kind, v) {
        (JointKind::Revolute, [rate]) => (Vec3::zeros(), Vec3::new(0.0, 0.0, *rate)),
        (JointKind::Prismatic, [rate]) => (Vec3::new(0.0, 0.0, *rate), Vec3::zeros()),
        (JointKind::Spherical, [x, y, z]) => (Vec3::zeros(), Vec3::new(*x, *y, *z)),
        (JointKind::Planar, [x, y, rate]) => (Vec3::new(*x, *y, 0.0), Vec3::new(0.0, 0.0, *rate)),
        (JointKind::Free, [x, y, z, u, v, w]) => (Vec3::new(*x, *y, *z), Vec3::new(*u, *v, *w)),
        (JointKind::Compound(compound), v) => compound.motion(q, v),
        _ => (Vec3::zeros(), Vec3::zeros()),
    }
}

/// The other way round.
fn rates(joint: &Joint, bodies: &[BodyState], out: &mut [f64]) {
    let [a, b] = joint.frames(bodies);
    let velocity = bodies[joint.a].velocity_at(&a.position) - bodies[joint.b].velocity_at(&a.position);
    let spin = bodies[joint.a].spin - bodies[joint.b].spin;
    let (v, w) = (b.direction_in_body(velocity), b.direction_in_body(spin));
    match (&joint.kind, out) {
        (JointKind::Revolute, [rate]) => *rate = w.z,
        (JointKind::Prismatic, [rate]) => *rate = v.z,
        (JointKind::Spherical, [x, y, z]) => (*x, *y, *z) = (w.x, w.y, w.z),
        (JointKind::Planar, [x, y, rate]) => (*x, *y, *rate) = (v.x, v.y, w.z),
        (JointKind::Free, out) => out.copy_from_slice(&[v.x, v.y, v.z, w.x, w.y, w.z]),
        (JointKind::Compound(compound), out) => {
            for (index, rate) in out.iter_mut().enumerate() {
                let compound = (**compound).clone();
                let row = Along { compound, index }.row(joint, bodies);
                let speed = |(body, part): (usize, &[f64; 6])| {
                    let BodyState { velocity, spin, .. } = bodies[body];
                    let numbers = velocity.iter().chain(spin.iter());
                    part.iter().zip(numbers).map(|(x, v)| x * v).sum::<f64>()
                };
                *rate = joint.parts(&row).map(speed).sum();
            }
        }
        _ => {}
    }
}

/// The state of a body that a joint places, from that of the other.
fn place(joint: &Joint, places_a: bool, bodies: &[BodyState], q: &[f64], v: &[f64]) -> BodyState {
    let between = placed_by(&joint.kind, q);
    let (along, about) = moving_by(&joint.kind, q, v);
    let [a, b] = joint.frames(bodies);
    if places_a {
        let frame = b.then(&between);
        let pose = frame.then(&joint.frame_a.inverse());
        let spin = bodies[joint.b].spin + b.direction(about);
        let at_frame = bodies[joint.b].velocity_at(&frame.position) + b.direction(along);
        let velocity = at_frame + spin.cross(&(pose.position - frame.position));
        return BodyState { pose, velocity, spin };
    }
    let frame = a.then(&between.inverse());
    let pose = frame.then(&joint.frame_b.inverse());
    let spin = bodies[joint.a].spin - frame.direction(about);
    // What is given is the speed of a's point relative to b: b has that of a there, less what is given.
    let at_frame = bodies[joint.a].velocity_at(&a.position) - frame.direction(along);
    let velocity = at_frame + spin.cross(&(pose.position - a.position));
    BodyState { pose, velocity, spin }
}

impl World {
    /// The body that carries a body in its tree; none for a root.
    pub(crate) fn carrier(&self, body: usize) -> Option<usize> {
        let trees = Trees::of(&self.model);
        let placed = trees.links.into_iter().map(|link| {
            let joint = &self.model.joints[link.joint];
            if link.places_a {
                (joint.a, joint.b)
            } else {
                (joint.b, joint.a)
            }
        });
        placed
            .into_iter()
            .find(|(own, _)| *own == body)
            .map(|(_, carrier)| carrier)
    }

    /// The coordinates of a joint among those of all: its part of [`Self::q`] and [`Self::v`]. Empty for a fixed joint, a distance, and a joint that closes a loop.
    #[must_use]
    pub fn joint_span(&self, joint: usize) -> Range<usize> {
        let trees = Trees::of(&self.model);
        let span = |joint: usize| {
            let link = trees.links.iter().find(|link| link.joint == joint);
            link.map_or(0..0, |link| link.span.clone())
        };
        let Some(Joint { a, b, kind, .. }) = self.model.joints.get(joint) else {
            return 0..0;
        };
        let JointKind::Along(along) = kind else {
            return span(joint);
        };
        // It is one of the coordinates of the compound between the same bodies.
        let compound = self.model.joints.iter().position(|other| {
            let same = matches!(&other.kind, JointKind::Compound(compound) if **compound == along.compound);
            same && [other.a, other.b] == [*a, *b]
        });
        let all = compound.map_or(0..0, span);
        let at = all.start + along.index;
        if all.contains(&at) { at..at + 1 } else { 0..0 }
    }

    /// Coordinates of all joints, in the order of joints \[rad or m\]. Of the angles of revolute, planar and compound joints whole turns are counted.
    ///
    /// A revolute or prismatic joint has one, a spherical joint three (a rotation vector), a planar one three (x, y, angle). The place of a mechanism that no joint holds is
    /// that of its first body, and not among them.
    #[must_use]
    pub fn q(&self) -> Vec<f64> {
        let trees = Trees::of(&self.model);
        let mut out = self.read_joints(coordinates);
        for (joint, place) in self.angles_in(&trees) {
            out[place] += TAU * f64::from(self.turns_of(joint));
        }
        out
    }

    /// Joints whose angle is among the coordinates of all, and its place there.
    fn angles_in(&self, trees: &Trees) -> Vec<(usize, usize)> {
        let joints = &self.model.joints;
        let mut found = Vec::new();
        for link in &trees.links {
            let (own, span) = (&joints[link.joint], &link.span);
            match &own.kind {
                JointKind::Revolute => found.push((link.joint, span.start)),
                JointKind::Planar => found.push((link.joint, span.start + 2)),
                JointKind::Compound(compound) => {
                    let along = joints.iter().enumerate().filter_map(|(k, joint)| match &joint.kind {
                        JointKind::Along(along) if along.compound == **compound => {
                            let same = [joint.a, joint.b] == [own.a, own.b] && along.freedom() == Freedom::Turn;
                            same.then_some((k, span.start + along.index))
                        }
                        _ => None,
                    });
                    found.extend(along);
                }
                _ => {}
            }
        }
        found
    }

    /// Their velocities, as many \[rad/s or m/s\]; that of a spherical joint is the angular velocity of its body a relative to b, in the axes of the frame in b.
    #[must_use]
    pub fn v(&self) -> Vec<f64> {
        self.read_joints(rates)
    }

    fn read_joints(&self, read: fn(&Joint, &[BodyState], &mut [f64])) -> Vec<f64> {
        let trees = Trees::of(&self.model);
        let mut out = vec![0.0; trees.count];
        for link in &trees.links {
            let joint = &self.model.joints[link.joint];
            read(joint, &self.state.bodies, &mut out[link.span.clone()]);
        }
        out
    }

    /// Puts all bodies that joints hold where the coordinates of joints say, and lets them move as these say. The first body of a mechanism that no joint holds stays as it is.
    /// Returns how far joints are open then, \[m\] and \[rad\]: those that close a loop may be, and steps close them.
    ///
    /// # Errors
    /// Lists of another length than [`Self::q`], numbers that are not finite.
    ///
    /// ```
    /// use stiction_scene::{Scene, WorldExt};
    /// use stiction_sim::World;
    /// let scene = Scene::parse(
    ///     r#"
    ///     format = 1
    ///     [world]
    ///     dt = 0.001
    ///     [[body]]
    ///     name = "post"
    ///     kind = "fixed"
    ///     shape = { ball = 0.01 }
    ///     [[body]]
    ///     name = "rod"
    ///     shape = { box = [1, 0.1, 0.1] }
    ///     mass = 1
    ///     position = [0.5, 0, 0]
    ///     groups = []
    ///     [[joint]]
    ///     kind = "revolute"
    ///     a = "rod"
    ///     b = "post"
    ///     position = [0, 0, 0]
    ///     axis = [0, 0, 1]
    ///     "#,
    ///     std::path::Path::new("."),
    /// )?;
    /// let mut world = World::from_scene(&scene)?;
    /// assert_eq!(world.q(), [0.0]);
    /// world.set_joints(&[0.5], &[2.0])?;
    /// assert!((world.q()[0] - 0.5).abs() < 1e-15 && (world.v()[0] - 2.0).abs() < 1e-15);
    /// // The middle of the rod moves at half its length times the rate.
    /// assert!((world.state().bodies[1].velocity.norm() - 1.0).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_joints(&mut self, q: &[f64], v: &[f64]) -> Result<[f64; 2], SimError> {
        let trees = Trees::of(&self.model);
        for (name, list) in [("q", q), ("v", v)] {
            if list.len() != trees.count {
                let requirement = format!("must have {} numbers, one for each coordinate", trees.count);
                return Err(SimError::value(name, requirement, list.len() as f64));
            }
            if let Some(k) = list.iter().position(|x| !x.is_finite()) {
                return Err(SimError::value(format!("{name}[{k}]"), "must be finite", list[k]));
            }
        }
        let [kinetic, potential] = self.configuration().energy();
        for link in &trees.links {
            let joint = &self.model.joints[link.joint];
            let (q, v) = (&q[link.span.clone()], &v[link.span.clone()]);
            let state = place(joint, link.places_a, &self.state.bodies, q, v);
            self.state.bodies[if link.places_a { joint.a } else { joint.b }] = state;
        }
        for (joint, place) in self.angles_in(&trees) {
            self.set_turns(joint, Some(q[place]));
        }
        self.model.note_angles(&self.state);
        let after = self.configuration().energy();
        self.account([kinetic, potential], after);
        let end = Configuration::of(&self.model, &self.state.bodies);
        Ok(worst_joint_error(end, &mut Vec::new()))
    }
}
