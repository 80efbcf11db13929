//! A world: bodies, joints, state, and what a step needs.

use stiction_contact::{ContactProblem, ContactSolver, Law, Method, Options, Restitution, WarmStart};

use crate::Vec3;
use crate::assemble::Flight;
use crate::body::Body;
use crate::collider::Collider;
use crate::collision::Contact;
use crate::coordinates::Coordinates;
use crate::corners::{CornerRule, Corners};
use crate::coupling::Coupling;
use crate::edit::Ids;
use crate::energy::Ledger;
use crate::error::SimError;
use crate::joint::{Joint, Row};
use crate::joint_rows::JointRow;
use crate::lever::Levers;
use crate::motion::Motion;
use crate::pairs::Pairs;
use crate::schedule::TimedForce;
use crate::stages::StageTimes;
use crate::state::{BodyState, State};
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
    /// Largest speed at which overlap is eased out \[m/s\]. Default 1.
    pub ease: f64,
    /// How a step treats contacts. Default Stewart and Trinkle's.
    pub stepper: Stepper,
    /// What restitution means: whether contacts that bounce give back speed (Newton) or impulse (Poisson). Default Poisson.
    pub restitution_rule: Restitution,
    /// Relaxation time T of first-order physics \[s\]: velocity = T · force / mass. Default the time step; no other stepper reads it.
    pub relaxation: Option<f64>,
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

impl Default for Wrench {
    fn default() -> Self {
        Self {
            force: Vec3::zeros(),
            torque: Vec3::zeros(),
        }
    }
}

/// Bodies that move and touch.
#[derive(Debug, Clone)]
pub struct World {
    pub(crate) settings: Settings,
    pub(crate) bodies: Vec<Body>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) state: State,
    /// The state before the step, to go back to where it fails.
    pub(crate) before: State,
    /// Rows of one joint, for a moment.
    pub(crate) rows: Vec<Row>,
    /// Joint rows of the problem.
    pub(crate) joint_rows: Vec<JointRow>,
    /// Applied until they are changed.
    pub(crate) wrenches: Vec<Wrench>,
    /// The same with what the schedule and the motors add in the step at hand.
    pub(crate) totals: Vec<Wrench>,
    /// Motion of each body over the step without contact.
    pub(crate) flights: Vec<Flight>,
    /// Joints whose motors are forces in the step at hand, and these \[N or N·m\].
    pub(crate) motor_forces: Vec<(usize, f64)>,
    pub(crate) collider: Collider,
    pub(crate) contacts: Vec<Contact>,
    /// Gaps of the contacts as the step takes them \[m\].
    pub(crate) levels: Vec<f64>,
    pub(crate) corners: Corners,
    /// Restitution with which a contact bounces in the step; 0 where it does not.
    pub(crate) bounces: Vec<f64>,
    /// Share of its restitution with which an impact reaches each body in the step.
    pub(crate) struck: Vec<f64>,
    pub(crate) problem: ContactProblem,
    pub(crate) solver: ContactSolver,
    /// Moves bodies out of overlap, without friction.
    pub(crate) easing: ContactSolver,
    pub(crate) easing_problem: ContactProblem,
    /// How far easing may move bodies.
    pub(crate) levers: Levers,
    /// How many bodies each one overlaps.
    pub(crate) overlapped: Vec<usize>,
    /// Impulses of impacts, and where no forces are found, at acceleration level.
    pub(crate) impacts: ContactSolver,
    /// The last step is that of `impacts`.
    pub(crate) by_impulse: bool,
    /// The warm start before a step, to go back to where it fails.
    pub(crate) warm_before: WarmStart,
    /// Place of a body among the problem's blocks.
    pub(crate) blocks: Vec<Option<usize>>,
    pub(crate) ledger: Ledger,
    pub(crate) pairs: Pairs,
    pub(crate) schedule: Vec<TimedForce>,
    /// Bodies that are led by others.
    pub(crate) couplings: Vec<Coupling>,
    /// Motions of kinematic bodies, by body.
    pub(crate) motions: Vec<(usize, Motion)>,
    pub(crate) ids: Ids,
    /// Which part of the step is being made or was made last, and of how many.
    pub(crate) part: [usize; 2],
    /// Time by stage, where it is measured; no part of the state.
    pub(crate) stages: Option<StageTimes>,
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
        let options = Options {
            law: settings.law,
            method: settings.method,
            directions: settings.directions,
            tolerance: settings.tolerance,
            ..Options::default()
        };
        let law = match (settings.stepper, settings.law) {
            (Stepper::Acceleration, Law::Coulomb) => Law::CoulombAcceleration,
            (Stepper::Acceleration, Law::CoulombViscous) => Law::CoulombViscousAcceleration,
            (Stepper::Acceleration, law) if law != Law::Frictionless => {
                return Err(SimError::Stepper { law: law.name() });
            }
            (_, law) => law,
        };
        let impacts = ContactSolver::new(Options {
            method: None,
            ..options.clone()
        })?;
        let solver = ContactSolver::new(Options { law, ..options })?;
        let easing = ContactSolver::new(Options {
            law: Law::Frictionless,
            ..Options::default()
        })?;
        Ok(Self {
            settings,
            bodies: Vec::new(),
            joints: Vec::new(),
            state: State::default(),
            before: State::default(),
            rows: Vec::new(),
            joint_rows: Vec::new(),
            wrenches: Vec::new(),
            totals: Vec::new(),
            flights: Vec::new(),
            motor_forces: Vec::new(),
            collider: Collider::default(),
            contacts: Vec::new(),
            levels: Vec::new(),
            corners: Corners::default(),
            bounces: Vec::new(),
            struck: Vec::new(),
            problem: ContactProblem::new(),
            solver,
            easing,
            easing_problem: ContactProblem::new(),
            levers: Levers::default(),
            overlapped: Vec::new(),
            impacts,
            by_impulse: false,
            warm_before: WarmStart::default(),
            blocks: Vec::new(),
            ledger: Ledger::default(),
            pairs: Pairs::default(),
            schedule: Vec::new(),
            couplings: Vec::new(),
            motions: Vec::new(),
            ids: Ids::default(),
            part: [0, 1],
            stages: None,
        })
    }

    /// Adds a body; returns its index. After the first step its energy counts as injected.
    ///
    /// # Errors
    /// A number that is not finite, a mass or inertia that is not positive, a spatial shape or state in a planar world, a planar shape in
    /// another.
    pub fn add_body(&mut self, body: Body, state: BodyState) -> Result<usize, SimError> {
        let index = self.bodies.len();
        body.check(&format!("bodies[{index}]"))?;
        if body.shape.is_planar() != self.settings.planar {
            return Err(SimError::Plane {
                index,
                planar: self.settings.planar,
            });
        }
        self.coordinates().check_state(&format!("bodies[{index}]"), &state)?;
        if let Some(k) = state.numbers().iter().position(|x| !x.is_finite()) {
            return Err(SimError::value(
                format!("bodies[{index}].state[{k}]"),
                "must be finite",
                state.numbers()[k],
            ));
        }
        self.bodies.push(body);
        self.state.bodies.push(state);
        self.wrenches.push(Wrench::default());
        self.ids.add_body();
        let energy = self.energy_of(index);
        self.account([0.0; 2], energy);
        Ok(index)
    }

    /// Adds a joint; returns its index.
    ///
    /// # Errors
    /// A body that does not exist, the same body twice, limits in the wrong order, numbers that are not finite; in a planar world a joint
    /// that leads out of the plane.
    pub fn add_joint(&mut self, joint: Joint) -> Result<usize, SimError> {
        let (index, limit) = (self.joints.len(), self.bodies.len());
        for body in [joint.a, joint.b] {
            if body >= limit {
                return Err(SimError::Body { limit, found: body });
            }
        }
        let field = format!("joints[{index}]");
        if joint.a == joint.b {
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
        if self.settings.planar {
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
        self.joints.push(joint);
        self.ids.add_joint();
        Ok(index)
    }

    /// Joints in the order in which they were added.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Coordinate of a revolute or prismatic joint \[rad or m\], and its speed.
    #[must_use]
    pub fn joint_coordinate(&self, joint: usize) -> Option<[f64; 2]> {
        let joint = self.joints.get(joint)?;
        let row = joint.coordinate(&self.state.bodies)?;
        Some([row.error, self.speed_along(joint, &row)])
    }

    /// Coordinates of a body in the contact problem.
    pub(crate) fn coordinates(&self) -> Coordinates {
        Coordinates::of(self.settings.planar)
    }

    /// Velocity along a row of a joint.
    pub(crate) fn speed_along(&self, joint: &Joint, row: &Row) -> f64 {
        self.speed_of(joint.a, &row.a) + self.speed_of(joint.b, &row.b)
    }

    /// Product of a row with a body's velocity.
    pub(crate) fn speed_of(&self, body: usize, row: &[f64; 6]) -> f64 {
        let s = &self.state.bodies[body];
        let v = [s.velocity.x, s.velocity.y, s.velocity.z, s.spin.x, s.spin.y, s.spin.z];
        row.iter().zip(v).map(|(r, v)| r * v).sum()
    }

    /// Changes the motor of a joint.
    ///
    /// # Errors
    /// A joint that does not exist, a number that is not finite, a stiffness, damping or largest force that is negative.
    pub fn set_motor(&mut self, joint: usize, motor: Option<crate::joint::Motor>) -> Result<(), SimError> {
        if let Some(motor) = &motor {
            motor.check(&format!("joints[{joint}]"))?;
        }
        let limit = self.joints.len();
        let place = self
            .joints
            .get_mut(joint)
            .ok_or(SimError::Body { limit, found: joint })?;
        place.motor = motor;
        Ok(())
    }

    /// Settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Bodies in the order in which they were added.
    #[must_use]
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Time, poses, velocities.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Contacts of the last step.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Impulses, states and residual of the last step; contacts in the order of [`Self::contacts`].
    #[must_use]
    pub fn solution(&self) -> &stiction_contact::ContactSolution {
        if self.by_impulse {
            self.impacts.solution()
        } else {
            self.solver.solution()
        }
    }

    /// The contact problem of the last step.
    #[must_use]
    pub fn problem(&self) -> &ContactProblem {
        &self.problem
    }

    /// Energy so far.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Sets force and torque on a body, until they are set anew.
    ///
    /// # Errors
    /// An index out of range; in a planar world what acts out of the plane.
    pub fn apply(&mut self, body: usize, wrench: Wrench) -> Result<(), SimError> {
        self.coordinates().check_wrench(wrench.force, wrench.torque)?;
        let limit = self.wrenches.len();
        let place = self
            .wrenches
            .get_mut(body)
            .ok_or(SimError::Body { limit, found: body })?;
        *place = wrench;
        Ok(())
    }
}
