//! A world: bodies, joints, state, and what a step needs.

use std::ops::AddAssign;

use stiction_contact::{ContactProblem, Law, Method, Restitution};

use crate::Vec3;
use crate::body::{Body, Kind};
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::coordinates::Coordinates;
use crate::corners::CornerRule;
use crate::energy::Ledger;
use crate::error::SimError;
use crate::joint::{Joint, JointKind};
use crate::model::Model;
use crate::parts::step_whole_or_in_parts;
use crate::scratch::Scratch;
use crate::state::{BodyState, State};
use crate::step::StepReport;
use crate::stepper::Stepper;

/// How a world is stepped.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Whether bodies move in the plane of x and y only: shapes, poses, velocities and forces must then lie in it. Default false.
    pub planar: bool,
    /// Gravity \[m/s²\]. Default 9.81 downwards along z.
    pub gravity: Vec3,
    /// Time step \[s\]. Default 1 ms.
    pub dt: f64,
    /// Law of contact. Default the round cone.
    pub law: Law,
    /// One method alone, or `None` to choose and fall back.
    pub method: Option<Method>,
    /// Friction directions of the polyhedral law. Default 8.
    pub directions: usize,
    /// Largest residual of a step that counts as solved, relative to its fastest contact velocity. Default 1e-9: in a pile, contacts
    /// that lie a thousandth of a body apart cost digits.
    pub tolerance: f64,
    /// Largest speed of penetration correction \[m/s\]. Default 1.
    pub ease: f64,
    /// How a step treats contacts. Default [`Stepper::Midpoint`].
    pub stepper: Stepper,
    /// What restitution means: whether contacts that bounce give back speed (Newton) or impulse (Poisson). Default Poisson.
    pub restitution_rule: Restitution,
    /// Relaxation time T of first-order physics \[s\]: velocity = T · force / mass. Default the time step; no other stepper reads it.
    pub relaxation: Option<f64>,
    /// Operations that a step may take, by estimate ([`Work::operations`](crate::Work)). They are counted, never timed, so that every machine does the same. A step that would take
    /// more is made as substeps or fails as [`SimError::Unsolved`], with its best answer in [`World::solution`]. All solves, rounds and choices of a step take from it; the first method of a
    /// try is always run. Default, `u64::MAX`: 50 million for each body that moves, 5 billion at least.
    pub max_work: u64,
    /// How a step treats places that several planes may keep apart; the other steppers take them as convex. Default as nonconvex groups.
    pub corners: CornerRule,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            planar: false,
            gravity: Vec3::new(0.0, 0.0, -9.81),
            dt: 1e-3,
            law: Law::Coulomb,
            method: None,
            directions: 8,
            tolerance: 1e-9,
            ease: 1.0,
            stepper: Stepper::default(),
            restitution_rule: Restitution::Poisson,
            relaxation: None,
            max_work: u64::MAX,
            corners: CornerRule::default(),
        }
    }
}

impl Settings {
    /// The defaults of a planar world: gravity of 9.81 downwards along y.
    #[must_use]
    pub fn planar() -> Self {
        Self {
            planar: true,
            gravity: Vec3::new(0.0, -9.81, 0.0),
            ..Self::default()
        }
    }
}

/// Force and torque on a body \[N, N·m\], world axes, about the centre of mass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wrench {
    /// Force \[N\].
    pub force: Vec3,
    /// Torque \[N·m\].
    pub torque: Vec3,
}

impl AddAssign for Wrench {
    fn add_assign(&mut self, other: Self) {
        self.force += other.force;
        self.torque += other.torque;
    }
}

impl Default for Wrench {
    fn default() -> Self {
        Self {
            force: Vec3::zeros(),
            torque: Vec3::zeros(),
        }
    }
}

/// Bodies that move and touch: a model, its state, and what a step works with.
#[derive(Debug, Clone)]
pub struct World {
    pub(crate) model: Model,
    pub(crate) state: State,
    /// Room for the state after a step.
    next: State,
    pub(crate) scratch: Scratch,
}

impl World {
    /// An empty world.
    ///
    /// # Errors
    /// A setting that is out of range, by name.
    pub fn new(settings: Settings) -> Result<Self, SimError> {
        let Settings { dt, ease, gravity, .. } = settings;
        for (name, x) in [("dt", dt), ("ease", ease)] {
            if !(x.is_finite() && x > 0.0) {
                return Err(SimError::value(name, "must be finite and positive", x));
            }
        }
        if let Some(x) = settings.relaxation.filter(|x| !(x.is_finite() && *x > 0.0)) {
            return Err(SimError::value("relaxation", "must be finite and positive", x));
        }
        if let Some(k) = (0..3).find(|k| !gravity[*k].is_finite()) {
            return Err(SimError::value(format!("gravity[{k}]"), "must be finite", gravity[k]));
        }
        Coordinates::of(settings.planar).check_gravity(gravity)?;
        Ok(Self {
            scratch: Scratch::new(&settings)?,
            model: Model::new(settings),
            state: State::default(),
            next: State::default(),
        })
    }

    /// Moves the world by one step. On an error it is as it was.
    ///
    /// # Errors
    /// [`SimError::Unsolved`] where no verified answer was found, [`SimError::Outrun`] where a body is too fast for its contacts to be found,
    /// [`SimError::Spin`] where the free rotation of a body was not found.
    pub fn step(&mut self) -> Result<StepReport, SimError> {
        self.step_as(step_whole_or_in_parts)
    }

    /// Moves the world by a way to make a step.
    pub(crate) fn step_as(
        &mut self,
        make: impl FnOnce(&Model, &State, &mut Scratch, &mut State) -> Result<StepReport, SimError>,
    ) -> Result<StepReport, SimError> {
        self.scratch.begin_work();
        self.scratch.assembly.drives.set(&self.model, &self.state.ctrl);
        self.model.note_angles(&self.state);
        let report = make(&self.model, &self.state, &mut self.scratch, &mut self.next)?;
        // A control stays until it is set again.
        self.next.ctrl.clone_from(&self.state.ctrl);
        let mut turns = std::mem::take(&mut self.next.turns);
        self.model.count_turns([&self.state, &self.next], &mut turns);
        self.next.turns = turns;
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(StepReport {
            moves: self.moves(),
            work: self.scratch.work(),
            ..report
        })
    }

    /// Whether a body is faster than gravity makes it in one step.
    fn moves(&self) -> bool {
        let fall = self.model.settings.dt * self.model.settings.gravity.norm();
        let mut bodies = self.model.bodies.iter().zip(&self.state.bodies);
        bodies.any(|(body, state)| match &body.kind {
            Kind::Dynamic { mass, .. } => crate::energy::kinetic(body, state) > 0.5 * mass * fall * fall,
            Kind::Kinematic | Kind::Fixed => false,
        })
    }

    /// Bodies as they are now.
    pub(crate) fn configuration(&self) -> Configuration<'_> {
        Configuration::of(&self.model, &self.state.bodies)
    }

    /// Length of the step, or of the part of it, that [`World::solution`] belongs to \[s\].
    #[must_use]
    pub fn solved_length(&self) -> f64 {
        self.scratch.h
    }

    /// Adds a body; returns its index. After the first step its energy counts as injected.
    ///
    /// # Errors
    /// A number that is not finite, a mass or inertia that is not positive, a spatial shape or state in a planar world, a planar shape in
    /// another.
    pub fn add_body(&mut self, body: Body, state: BodyState) -> Result<usize, SimError> {
        let index = self.model.bodies.len();
        body.check(&format!("bodies[{index}]"))?;
        if body.shape.is_planar() != self.model.settings.planar {
            return Err(SimError::Plane {
                index,
                planar: self.model.settings.planar,
            });
        }
        self.model
            .coordinates()
            .check_state(&format!("bodies[{index}]"), &state)?;
        if let Some(k) = state.numbers().iter().position(|x| !x.is_finite()) {
            return Err(SimError::value(
                format!("bodies[{index}].state[{k}]"),
                "must be finite",
                state.numbers()[k],
            ));
        }
        self.model.push(body);
        self.state.bodies.push(state);
        let energy = self.configuration().energy_of(index);
        self.account([0.0; 2], energy);
        Ok(index)
    }

    /// Adds a joint; returns its index.
    ///
    /// # Errors
    /// A body that does not exist, the same body twice, limits in the wrong order, numbers that are not finite; in a planar world a joint
    /// that leads out of the plane.
    pub fn add_joint(&mut self, joint: Joint) -> Result<usize, SimError> {
        let (index, limit) = (self.model.joints.len(), self.model.bodies.len());
        for body in joint.mentions() {
            if body >= limit {
                return Err(SimError::Body { limit, found: body });
            }
        }
        let field = format!("joints[{index}]");
        joint.check_transmission(&field)?;
        if joint.a == joint.b && !matches!(joint.kind, JointKind::Rope(_)) {
            return Err(SimError::value(
                format!("{field}.b"),
                "must be another body than a",
                joint.b as f64,
            ));
        }
        if let Some([low, high]) = joint.limits
            && (low > high || low.is_nan() || high.is_nan())
        {
            return Err(SimError::value(format!("{field}.limits"), "must be in order", low));
        }
        if self.model.settings.planar {
            joint.check_planar(&field)?;
        }
        if !(joint.friction.is_finite() && joint.friction >= 0.0) {
            let requirement = "must be finite and not negative";
            return Err(SimError::value(
                format!("{field}.friction"),
                requirement,
                joint.friction,
            ));
        }
        if let Some(motor) = &joint.motor {
            motor.check(&field)?;
        }
        self.model.joints.push(joint);
        self.model.ids.add_joint();
        self.add_turns(index);
        Ok(index)
    }

    /// Joints in the order in which they were added.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.model.joints
    }

    /// Coordinate of a revolute or prismatic joint \[rad or m\], or the length of the way of a rope \[m\], and its speed. Of angles whole turns are counted.
    #[must_use]
    pub fn joint_coordinate(&self, joint: usize) -> Option<[f64; 2]> {
        let row = self.counted_coordinate(joint)?;
        let joint = &self.model.joints[joint];
        Some([row.error, self.configuration().speed_along(joint, &row)])
    }

    /// Changes the motor of a joint.
    ///
    /// # Errors
    /// A joint that does not exist, a number that is not finite, a stiffness, damping or largest force that is negative.
    pub fn set_motor(&mut self, joint: usize, motor: Option<crate::joint::Motor>) -> Result<(), SimError> {
        if let Some(motor) = &motor {
            motor.check(&format!("joints[{joint}]"))?;
        }
        let limit = self.model.joints.len();
        let place = self
            .model
            .joints
            .get_mut(joint)
            .ok_or(SimError::Body { limit, found: joint })?;
        let before = std::mem::replace(&mut place.motor, motor);
        if let Err(error) = place.check_transmission(&format!("joints[{joint}]")) {
            place.motor = before;
            return Err(error);
        }
        Ok(())
    }

    /// Settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.model.settings
    }

    /// A number that changes whenever bodies come or go.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.model.ids.revision
    }

    /// Unit tangents of a contact with this normal, along which its friction impulses are; the second is zero in a planar world.
    #[must_use]
    pub fn tangents(&self, normal: Vec3) -> [Vec3; 2] {
        self.model.coordinates().tangents(normal)
    }

    /// Bodies in the order in which they were added.
    #[must_use]
    pub fn bodies(&self) -> &[Body] {
        &self.model.bodies
    }

    /// Time, poses, velocities.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Contacts of the last step.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.scratch.contacts
    }

    /// Impulses, states and residual of the last step; contacts in the order of [`Self::contacts`].
    #[must_use]
    pub fn solution(&self) -> &stiction_contact::ContactSolution {
        self.scratch.shown_solution()
    }

    /// The contact problem of the last step.
    #[must_use]
    pub fn problem(&self) -> &ContactProblem {
        &self.scratch.assembly.problem
    }

    /// Energy so far.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.state.ledger
    }

    /// Sets force and torque on a body, until they are set again.
    ///
    /// # Errors
    /// An index out of range; in a planar world what acts out of the plane.
    pub fn apply(&mut self, body: usize, wrench: Wrench) -> Result<(), SimError> {
        self.model.coordinates().check_wrench(wrench.force, wrench.torque)?;
        let limit = self.model.wrenches.len();
        let place = self
            .model
            .wrenches
            .get_mut(body)
            .ok_or(SimError::Body { limit, found: body })?;
        *place = wrench;
        Ok(())
    }
}
