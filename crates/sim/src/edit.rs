//! Changes to a world between steps: bodies and joints come and go, poses and velocities are set.
//!
//! A body's index is its place among the bodies. Removing one keeps the order of the others and moves those behind it down by one; a [`BodyId`] stays
//! with its body. Contacts are named by ids, so that the warm start finds them again whatever was removed. What a change does to the
//! energy after the first step is counted as injected; before that it belongs to the start.

use stiction_contact::{ContactSolver, WarmStart};

use crate::assemble::Assembly;
use crate::body::{Body, Kind};
use crate::collider::Collider;
use crate::error::SimError;
use crate::integrate::inertia_world;
use crate::joint::Joint;
use crate::world::World;
use crate::{Pose, Vec3};

/// Rotations whose length is off by more than this are refused, others made unit.
const UNIT: f64 = 1e-6;

/// Stays with a body for as long as it is in its world, and is never given to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(u64);

/// Lasting names of bodies and joints.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Ids {
    /// One a body, rising.
    pub(crate) bodies: Vec<u64>,
    /// One a joint, rising.
    pub(crate) joints: Vec<u64>,
    /// What the next body and the next joint get.
    pub(crate) next: [u64; 2],
    /// Counts changes of the list of bodies.
    pub(crate) revision: u64,
}

impl Ids {
    pub(crate) fn add_body(&mut self) {
        self.bodies.push(self.next[0]);
        self.next[0] += 1;
        self.revision += 1;
    }

    pub(crate) fn add_joint(&mut self) {
        self.joints.push(self.next[1]);
        self.next[1] += 1;
    }
}

impl World {
    /// The id of a body.
    #[must_use]
    pub fn body_id(&self, body: usize) -> Option<BodyId> {
        self.model.ids.bodies.get(body).copied().map(BodyId)
    }

    /// The body with an id; none once it has been removed.
    #[must_use]
    pub fn body_with_id(&self, id: BodyId) -> Option<usize> {
        self.model.ids.bodies.binary_search(&id.0).ok()
    }

    /// The first body of a name.
    #[must_use]
    pub fn find_body(&self, name: &str) -> Option<usize> {
        self.model.bodies.iter().position(|body| body.name == name)
    }

    /// Lets two bodies never collide with each other.
    ///
    /// # Errors
    /// An index out of range, the same body twice.
    pub fn keep_apart(&mut self, a: usize, b: usize) -> Result<(), SimError> {
        self.check_body(a)?;
        self.check_body(b)?;
        if a == b {
            return Err(SimError::value("pair", "must be two bodies", b as f64));
        }
        self.model.keep_apart(a, b);
        Ok(())
    }

    /// Takes a body out of the world, with its joints, the forces on it and what was said of its pairs. Bodies behind it move down by one; contacts and
    /// solution of the last step are empty until the next.
    ///
    /// # Errors
    /// An index out of range.
    pub fn remove_body(&mut self, body: usize) -> Result<Body, SimError> {
        self.check_body(body)?;
        for joint in (0..self.model.joints.len()).rev() {
            if self.model.joints[joint].mentions().any(|held| held == body) {
                self.remove_joint(joint)?;
            }
        }
        let energy = self.configuration().energy_of(body);
        self.account(energy, [0.0; 2]);
        self.forget_last_step()?;
        self.scratch.collider = Collider::default();
        self.state.bodies.remove(body);
        Ok(self.model.remove(body))
    }

    /// Takes a joint out of the world; those behind it move down by one. The next step starts cold: the rows of joints are known by their
    /// number.
    ///
    /// # Errors
    /// An index out of range.
    pub fn remove_joint(&mut self, joint: usize) -> Result<Joint, SimError> {
        let limit = self.model.joints.len();
        if joint >= limit {
            return Err(SimError::value("joint", format!("must be below {limit}"), joint as f64));
        }
        self.state.warm = WarmStart::default();
        self.forget_last_step()?;
        for actuator in self.model.remove_from_joint(joint) {
            self.state.ctrl.remove(actuator);
        }
        self.model.ids.joints.remove(joint);
        self.remove_turns(joint);
        let gone = self.model.joints.remove(joint);
        self.model.angles.set(&self.model.joints);
        Ok(gone)
    }

    /// Changes the limits of a joint with one coordinate \[rad or m\]; `None` takes them away.
    ///
    /// # Errors
    /// A joint that does not exist or has no coordinate, limits in the wrong order, or without the present coordinate between them.
    pub fn set_limits(&mut self, joint: usize, limits: Option<[f64; 2]>) -> Result<(), SimError> {
        let field = format!("joints[{joint}].limits");
        let Some(found) = self.model.joints.get(joint) else {
            let limit = self.model.joints.len();
            return Err(SimError::value("joint", format!("must be below {limit}"), joint as f64));
        };
        if !found.kind.has_coordinate() {
            let requirement = "must be set for a joint with one coordinate only: joint";
            return Err(SimError::value("limits", requirement, joint as f64));
        }
        if let Some([low, high]) = limits {
            if low > high || low.is_nan() || high.is_nan() {
                return Err(SimError::value(field, "must be in order", low));
            }
            if let Some([x, _]) = self.joint_coordinate(joint).filter(|[x, _]| *x < low || *x > high) {
                return Err(SimError::value(field, "must have the coordinate between them", x));
            }
        }
        self.model.joints[joint].limits = limits;
        self.state.warm = WarmStart::default();
        self.forget_last_step()
    }

    /// Puts a body somewhere else: the pose is that of its centre of mass. Velocities stay as they are, in world axes. Where the pose is another one, the angles of its joints are then between −π and π, or within
    /// their limits: [`Self::set_joints`] says whole turns.
    ///
    /// # Errors
    /// An index out of range, a body that follows a motion, numbers that are not finite, a rotation that is none.
    pub fn set_pose(&mut self, body: usize, pose: Pose) -> Result<(), SimError> {
        self.check_body(body)?;
        if self.motion(body).is_some() {
            let requirement = "must not be set for a body that follows a motion: body";
            return Err(SimError::value("pose", requirement, body as f64));
        }
        finite("position", &pose.position)?;
        let length = pose.rotation.coords.norm();
        if (length - 1.0).abs() > UNIT || length.is_nan() {
            return Err(SimError::value("rotation", "must have length 1", length));
        }
        let before = self.configuration().energy_of(body);
        let pose = Pose {
            position: pose.position,
            rotation: crate::Quat::new_normalize(pose.rotation.into_inner()),
        };
        let old = std::mem::replace(&mut self.state.bodies[body].pose, pose);
        let after = self.configuration().energy_of(body);
        self.account(before, after);
        if old != pose {
            self.reset_turns(body);
        }
        Ok(())
    }

    /// Sets the velocity of a body's centre of mass \[m/s\] and its spin \[rad/s\]: a kinematic body keeps them until they are set again, a
    /// dynamic one starts from them.
    ///
    /// # Errors
    /// An index out of range, a fixed body or one that follows a motion, numbers that are not finite.
    pub fn set_velocity(&mut self, body: usize, velocity: Vec3, spin: Vec3) -> Result<(), SimError> {
        self.check_body(body)?;
        if matches!(self.model.bodies[body].kind, Kind::Fixed) || self.motion(body).is_some() {
            let requirement = "must be set for a body that is not fixed and follows no motion only: body";
            return Err(SimError::value("velocity", requirement, body as f64));
        }
        finite("velocity", &velocity)?;
        finite("spin", &spin)?;
        let before = self.configuration().energy_of(body);
        let state = &mut self.state.bodies[body];
        (state.velocity, state.spin) = (velocity, spin);
        let after = self.configuration().energy_of(body);
        self.account(before, after);
        Ok(())
    }

    /// Changes the momentum of a dynamic body at once by an impulse \[N·s\] at a point of the world \[m\].
    ///
    /// # Errors
    /// An index out of range, a body that is not dynamic, numbers that are not finite.
    pub fn apply_impulse(&mut self, body: usize, impulse: Vec3, point: Vec3) -> Result<(), SimError> {
        self.check_body(body)?;
        finite("impulse", &impulse)?;
        finite("point", &point)?;
        let Kind::Dynamic { mass, inertia_body } = &self.model.bodies[body].kind else {
            let requirement = "must act on a dynamic body: body";
            return Err(SimError::value("impulse", requirement, body as f64));
        };
        let before = self.configuration().energy_of(body);
        let mut state = self.state.bodies[body];
        let moment = (point - state.pose.position).cross(&impulse);
        let turned = inertia_world(&state.pose.rotation, inertia_body).try_inverse();
        state.velocity += impulse / *mass;
        state.spin += turned.map_or_else(Vec3::zeros, |inverse| inverse * moment);
        if let Some(k) = state.numbers().iter().position(|x| !x.is_finite()) {
            let requirement = "must leave velocities finite";
            return Err(SimError::value("impulse", requirement, state.numbers()[k]));
        }
        self.state.bodies[body] = state;
        let after = self.configuration().energy_of(body);
        self.account(before, after);
        Ok(())
    }

    /// Whether there is a body of this index.
    ///
    /// # Errors
    /// An index out of range.
    pub fn check_body(&self, body: usize) -> Result<(), SimError> {
        let limit = self.model.bodies.len();
        if body < limit {
            Ok(())
        } else {
            Err(SimError::Body { limit, found: body })
        }
    }

    /// Enters a change of a body's energy into the ledger.
    pub(crate) fn account(&mut self, before: [f64; 2], after: [f64; 2]) {
        let change = [after[0] - before[0], after[1] - before[1]];
        self.state.ledger.kinetic += change[0];
        self.state.ledger.potential += change[1];
        if self.state.step > 0 {
            self.state.ledger.injected += change[0] + change[1];
        }
    }

    /// Contacts and solution speak of bodies by their old indices; the warm start does not.
    pub(crate) fn forget_last_step(&mut self) -> Result<(), SimError> {
        let scratch = &mut self.scratch;
        scratch.solver = ContactSolver::new(scratch.solver.options().clone())?;
        scratch.by_impulse = false;
        scratch.is_merged = false;
        scratch.contacts.clear();
        scratch.loads.motors.clear();
        scratch.loads.forces.clear();
        scratch.start.clear();
        scratch.assembly = Assembly::default();
        Ok(())
    }
}

fn finite(field: &str, v: &Vec3) -> Result<(), SimError> {
    match (0..3).find(|k| !v[*k].is_finite()) {
        Some(k) => Err(SimError::value(format!("{field}[{k}]"), "must be finite", v[k])),
        None => Ok(()),
    }
}
