//! Dynamics in joint coordinates: mass matrix, bias force, inverse dynamics, Jacobians.
//!
//! Velocities are those of [`World::v`] and then, for each body that no joint places and that moves, its velocity and its spin in world axes. A joint that closes a loop, a gear or a
//! rope adds nothing: what is found is that of the trees. With J the motions of the bodies that velocities u allow, 𝓜 their masses and a₀ the acceleration of the bodies at u̇ = 0,
//!
//! M = Jᵀ𝓜J + Σ a rᵀr of rotors,  bias = Jᵀ(𝓜a₀ + ω × Iω − weight),  forces = M u̇ + bias.
//!
//! J and a₀ are found outwards along the trees, each joint as turns and slides one after the other. O(bodies · coordinates²).

use crate::body::Kind;
use crate::error::SimError;
use crate::integrate::inertia_world;
use crate::joint::{Joint, JointKind};
use crate::state::BodyState;
use crate::transmission::Freedom;
use crate::tree::{Link, Trees};
use crate::world::World;
use crate::{Mat3, Pose, Vec3};

/// One motion of a joint in the world.
enum Motion {
    /// About an axis through a point.
    Turn(Vec3, Vec3),
    /// Along an axis.
    Slide(Vec3),
    /// About three axes at once through a point.
    Ball([Vec3; 3], Vec3),
}

/// A point of a body, its acceleration, and spin and angular acceleration of the body.
#[derive(Debug, Clone, Copy)]
struct Moving {
    point: Vec3,
    acceleration: Vec3,
    spin: Vec3,
    turning: Vec3,
}

impl Moving {
    fn at_rest(point: Vec3) -> Self {
        Self {
            point,
            acceleration: Vec3::zeros(),
            spin: Vec3::zeros(),
            turning: Vec3::zeros(),
        }
    }

    /// Seen at another point of the body.
    fn to(self, point: Vec3) -> Self {
        let r = point - self.point;
        Self {
            point,
            acceleration: self.acceleration + self.turning.cross(&r) + self.spin.cross(&self.spin.cross(&r)),
            ..self
        }
    }

    /// What turns relative to it at a rate about a point.
    fn turned(self, point: Vec3, rate: Vec3, faster: Vec3) -> Self {
        let here = self.to(point);
        Self {
            spin: here.spin + rate,
            turning: here.turning + here.spin.cross(&rate) + faster,
            ..here
        }
    }

    /// What slides relative to it.
    fn slid(self, rate: Vec3, faster: Vec3) -> Self {
        Self {
            acceleration: self.acceleration + 2.0 * self.spin.cross(&rate) + faster,
            ..self
        }
    }
}

/// Motions of a joint, in the order of its coordinates, from its body b to a.
fn motions(joint: &Joint, bodies: &[BodyState]) -> Vec<Motion> {
    let [a, b] = joint.frames(bodies);
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()].map(|e| b.direction(e));
    match &joint.kind {
        JointKind::Revolute => vec![Motion::Turn(axes[2], b.position)],
        JointKind::Prismatic => vec![Motion::Slide(axes[2])],
        JointKind::Spherical => vec![Motion::Ball(axes, b.position)],
        JointKind::Planar => vec![
            Motion::Slide(axes[0]),
            Motion::Slide(axes[1]),
            Motion::Turn(axes[2], a.position),
        ],
        JointKind::Free => vec![
            Motion::Slide(axes[0]),
            Motion::Slide(axes[1]),
            Motion::Slide(axes[2]),
            Motion::Ball(axes, a.position),
        ],
        JointKind::Compound(compound) => {
            let inner = Pose {
                position: b.point_in_body(a.position),
                rotation: b.rotation.inverse() * a.rotation,
            };
            let columns = compound.world_columns(&inner, &b);
            columns
                .into_iter()
                .map(|(freedom, axis, anchor)| match freedom {
                    Freedom::Turn => Motion::Turn(axis, anchor),
                    Freedom::Slide => Motion::Slide(axis),
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// How bodies move with velocities: of each body linear and angular columns, and the acceleration.
struct Columns {
    count: usize,
    /// By body and velocity.
    linear: Vec<Vec3>,
    angular: Vec<Vec3>,
    moving: Vec<Moving>,
}

impl Columns {
    /// Bodies as they stand, at velocities u and their rates.
    fn of(world: &World, rates: Option<&[f64]>) -> Self {
        let (model, bodies) = (&world.model, &world.state.bodies);
        let trees = Trees::of(model);
        let roots = roots(world, &trees);
        let count = trees.count + 6 * roots.len();
        let u = world.velocities();
        let rate = |k: usize| rates.map_or(0.0, |rates| rates[k]);
        let mut columns = Self {
            count,
            linear: vec![Vec3::zeros(); count * bodies.len()],
            angular: vec![Vec3::zeros(); count * bodies.len()],
            moving: bodies.iter().map(|body| Moving::at_rest(body.pose.position)).collect(),
        };
        for (n, body) in roots.iter().enumerate() {
            let first = trees.count + 6 * n;
            for k in 0..3 {
                columns.linear[body * count + first + k][k] = 1.0;
                columns.angular[body * count + first + 3 + k][k] = 1.0;
                columns.moving[*body].acceleration[k] = rate(first + k);
                columns.moving[*body].turning[k] = rate(first + 3 + k);
            }
            columns.moving[*body].spin = bodies[*body].spin;
        }
        for link in &trees.links {
            columns.place(link, (&model.joints[link.joint], bodies), &u, rate);
        }
        columns
    }

    /// Carries what is known of one body of a joint to the other.
    fn place(&mut self, link: &Link, (joint, bodies): (&Joint, &[BodyState]), u: &[f64], rate: impl Fn(usize) -> f64) {
        let (child, parent, sign) = if link.places_a {
            (joint.a, joint.b, 1.0)
        } else {
            (joint.b, joint.a, -1.0)
        };
        let (n, x) = (self.count, bodies[child].pose.position);
        let arm = x - bodies[parent].pose.position;
        for k in 0..n {
            let angular = self.angular[parent * n + k];
            self.linear[child * n + k] = self.linear[parent * n + k] + angular.cross(&arm);
            self.angular[child * n + k] = angular;
        }
        let mut numbered = Vec::new();
        let mut next = link.span.start;
        for motion in motions(joint, bodies) {
            numbered.push((next, motion));
            next += if matches!(numbered.last(), Some((_, Motion::Ball(..)))) {
                3
            } else {
                1
            };
        }
        if !link.places_a {
            numbered.reverse();
        }
        let mut moving = self.moving[parent];
        for (k, motion) in numbered {
            moving = match motion {
                Motion::Turn(axis, point) => {
                    let axis = sign * axis;
                    self.turn(child, k, axis, point, x);
                    moving.turned(point, axis * u[k], axis * rate(k))
                }
                Motion::Slide(axis) => {
                    let axis = sign * axis;
                    self.linear[child * n + k] += axis;
                    moving.slid(axis * u[k], axis * rate(k))
                }
                Motion::Ball(axes, point) => {
                    let (mut turn, mut faster) = (Vec3::zeros(), Vec3::zeros());
                    for (i, axis) in axes.into_iter().enumerate() {
                        let axis = sign * axis;
                        self.turn(child, k + i, axis, point, x);
                        turn += axis * u[k + i];
                        faster += axis * rate(k + i);
                    }
                    moving.turned(point, turn, faster)
                }
            };
        }
        self.moving[child] = moving.to(x);
    }

    fn turn(&mut self, body: usize, k: usize, axis: Vec3, point: Vec3, x: Vec3) {
        self.linear[body * self.count + k] += axis.cross(&(x - point));
        self.angular[body * self.count + k] += axis;
    }

    fn of_body(&self, body: usize) -> impl Iterator<Item = (&Vec3, &Vec3)> {
        let range = body * self.count..(body + 1) * self.count;
        self.linear[range.clone()].iter().zip(&self.angular[range])
    }
}

/// Bodies that move and that no joint places.
fn roots(world: &World, trees: &Trees) -> Vec<usize> {
    let mut placed = vec![false; world.model.bodies.len()];
    for link in &trees.links {
        let joint = &world.model.joints[link.joint];
        placed[if link.places_a { joint.a } else { joint.b }] = true;
    }
    let moves = |body: &usize| world.model.bodies[*body].is_dynamic() && !placed[*body];
    (0..placed.len()).filter(moves).collect()
}

impl World {
    /// Number of velocities of [`Self::velocities`], [`Self::mass_matrix`] and [`Self::bias_force`]: those of [`Self::v`], and six for each body that moves and that no joint places.
    #[must_use]
    pub fn freedom_count(&self) -> usize {
        let trees = Trees::of(&self.model);
        trees.count + 6 * roots(self, &trees).len()
    }

    /// The numbers of [`Self::v`], then velocity and spin of each body that moves and that no joint places, in world axes \[rad/s or m/s\].
    #[must_use]
    pub fn velocities(&self) -> Vec<f64> {
        let trees = Trees::of(&self.model);
        let mut all = self.v();
        for body in roots(self, &trees) {
            let BodyState { velocity, spin, .. } = &self.state.bodies[body];
            all.extend(velocity.iter().chain(spin.iter()));
        }
        all
    }

    /// Mass matrix of the joint coordinates, row by row, symmetric: kinetic energy = ½ uᵀMu of [`Self::velocities`] u. Rotors count; what closes loops does not.
    ///
    /// ```
    /// use stiction_sim::World;
    /// use stiction_scene::{Scene, WorldExt};
    /// let text = r#"
    ///     format = 1
    ///     world = { dt = 0.001 }
    ///     body = [
    ///         { name = "post", kind = "fixed", shape = { ball = 0.01 }, groups = [] },
    ///         { name = "rod", shape = { ball = 0.1 }, mass = 3, position = [2, 0, 0], groups = [] },
    ///     ]
    ///     joint = [{ name = "hinge", kind = "revolute", a = "rod", b = "post", position = [0, 0, 0], axis = [0, -1, 0], armature = 1 }]
    /// "#;
    /// let world = World::from_scene(&Scene::parse(text, ".")?)?;
    /// // m l² + 2/5 m r² and the rotor; its weight pulls it down.
    /// assert!((world.mass_matrix()[0] - (3.0 * 4.0 + 0.4 * 3.0 * 0.01 + 1.0)).abs() < 1e-12);
    /// assert!((world.bias_force()[0] - 3.0 * 9.81 * 2.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn mass_matrix(&self) -> Vec<f64> {
        let columns = Columns::of(self, None);
        let n = columns.count;
        let mut out = vec![0.0; n * n];
        let mut heavy = Vec::new();
        for (body, of) in self.model.bodies.iter().enumerate() {
            let Kind::Dynamic { mass, inertia_body } = &of.kind else {
                continue;
            };
            let inertia = inertia_world(&self.state.bodies[body].pose.rotation, inertia_body);
            // Most velocities do not move the body.
            heavy.clear();
            let moving = columns.of_body(body).enumerate();
            let moving = moving.filter(|(_, (v, w))| **v != Vec3::zeros() || **w != Vec3::zeros());
            heavy.extend(moving.map(|(k, (v, w))| (k, *v, *w, v * *mass, inertia * w)));
            for (at, (i, v, w, ..)) in heavy.iter().enumerate() {
                for (j, _, _, p, l) in &heavy[..=at] {
                    out[i * n + j] += v.dot(p) + w.dot(l);
                }
            }
        }
        for (inertia, row) in self.rotor_rows(&columns) {
            for i in 0..n {
                for j in 0..=i {
                    out[i * n + j] += inertia * row[i] * row[j];
                }
            }
        }
        for i in 0..n {
            for j in 0..i {
                out[j * n + i] = out[i * n + j];
            }
        }
        out
    }

    /// Generalised forces that keep the velocities of joint coordinates as they are: centrifugal and Coriolis forces and the weight \[N·m or N\].
    #[must_use]
    pub fn bias_force(&self) -> Vec<f64> {
        self.needed_force(None)
    }

    /// Generalised forces that accelerate the joint coordinates so: M a + bias \[N·m or N\]. Springs, dampers, friction and contacts are not among them.
    ///
    /// # Errors
    /// A list of another length than [`Self::freedom_count`], numbers that are not finite.
    pub fn inverse_dynamics(&self, acceleration: &[f64]) -> Result<Vec<f64>, SimError> {
        let count = self.freedom_count();
        if acceleration.len() != count {
            let requirement = format!("must have {count} numbers, one for each velocity");
            return Err(SimError::value("acceleration", requirement, acceleration.len() as f64));
        }
        if let Some(k) = acceleration.iter().position(|x| !x.is_finite()) {
            let field = format!("acceleration[{k}]");
            return Err(SimError::value(field, "must be finite", acceleration[k]));
        }
        Ok(self.needed_force(Some(acceleration)))
    }

    fn needed_force(&self, acceleration: Option<&[f64]>) -> Vec<f64> {
        let columns = Columns::of(self, acceleration);
        let gravity = self.model.settings.gravity;
        let mut out = vec![0.0; columns.count];
        for (body, of) in self.model.bodies.iter().enumerate() {
            let Kind::Dynamic { mass, inertia_body } = &of.kind else {
                continue;
            };
            let (state, moving) = (&self.state.bodies[body], &columns.moving[body]);
            let inertia: Mat3 = inertia_world(&state.pose.rotation, inertia_body);
            let force = *mass * (moving.acceleration - gravity);
            let torque = inertia * moving.turning + moving.spin.cross(&(inertia * moving.spin));
            for (out, (v, w)) in out.iter_mut().zip(columns.of_body(body)) {
                *out += v.dot(&force) + w.dot(&torque);
            }
        }
        if let Some(acceleration) = acceleration {
            for (inertia, row) in self.rotor_rows(&columns) {
                let along: f64 = row.iter().zip(acceleration).map(|(x, a)| x * a).sum();
                for (out, x) in out.iter_mut().zip(&row) {
                    *out += inertia * along * x;
                }
            }
        }
        out
    }

    /// Inertias of rotors, and the rows of the coordinates that they turn with.
    fn rotor_rows(&self, columns: &Columns) -> Vec<(f64, Vec<f64>)> {
        let joints = self.model.joints.iter().zip(&self.model.rotors);
        let rotors = joints.filter(|(_, inertia)| **inertia > 0.0);
        rotors
            .filter_map(|(joint, inertia)| {
                let row = joint.coordinate(&self.state.bodies)?;
                let mut out = vec![0.0; columns.count];
                for (body, part) in joint.parts(&row) {
                    let (along, about) = (
                        Vec3::new(part[0], part[1], part[2]),
                        Vec3::new(part[3], part[4], part[5]),
                    );
                    for (out, (v, w)) in out.iter_mut().zip(columns.of_body(body)) {
                        *out += along.dot(v) + about.dot(w);
                    }
                }
                Some((*inertia, out))
            })
            .collect()
    }

    /// How a point of a body \[m, in the world\] and the body itself move with [`Self::velocities`]: six rows, velocity and then spin, of [`Self::freedom_count`] numbers each.
    ///
    /// # Errors
    /// A body that does not exist, a point that is not finite.
    pub fn jacobian(&self, body: usize, point: Vec3) -> Result<Vec<f64>, SimError> {
        self.check_body(body)?;
        if let Some(k) = (0..3).find(|k| !point[*k].is_finite()) {
            return Err(SimError::value(format!("point[{k}]"), "must be finite", point[k]));
        }
        let columns = Columns::of(self, None);
        let (n, arm) = (columns.count, point - self.state.bodies[body].pose.position);
        let mut out = vec![0.0; 6 * n];
        for (k, (v, w)) in columns.of_body(body).enumerate() {
            let v = v + w.cross(&arm);
            for row in 0..3 {
                out[row * n + k] = v[row];
                out[(row + 3) * n + k] = w[row];
            }
        }
        Ok(out)
    }
}
