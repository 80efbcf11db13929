//! Actuators: forces along coordinates of joints that follow controls.
//!
//! An actuator acts on the coordinate q of a joint, or of a fixed tendon, through a gear g. With l = g q,
//!
//! force = (k₀ + k₁ l + k₂ l̇) u + b₀ + b₁ l + b₂ l̇
//!
//! for its control u, both kept in their ranges, and g · force acts along q. As a control is constant over a step, this is an affine force: a spring, a damper and a constant.
//! Springs and dampers are taken at the end of the step, together with the contacts (`drive.rs`).

use crate::error::SimError;
use crate::world::World;

/// What an actuator is called in files. All kinds obey the one formula of [`Actuator`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ActuatorKind {
    /// A force: gain 1, no bias.
    #[default]
    Motor,
    /// A servo of position: force = kp (u − l) − kv l̇.
    Position,
    /// A servo of velocity: force = kv (u − l̇).
    Velocity,
    /// Any gain and bias.
    General,
}

impl ActuatorKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Motor, Self::Position, Self::Velocity, Self::General];

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Motor => "motor",
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::General => "general",
        }
    }
}

/// A force along the coordinate of a joint that follows a control.
///
/// ```
/// use stiction_sim::{Actuator, ActuatorKind, World};
/// use stiction_scene::{Scene, WorldExt};
/// let text = r#"
///     format = 1
///     world = { density = 1000, dt = 0.001 }
///     body = [
///         { name = "post", kind = "fixed", shape = { ball = 0.01 }, groups = [] },
///         { name = "rod", shape = { box = [1, 0.1, 0.1] }, position = [0.5, 0, 0], groups = [] },
///     ]
///     joint = [{ name = "hinge", kind = "revolute", a = "rod", b = "post", position = [0, 0, 0], axis = [0, 0, 1] }]
///     actuator = [{ name = "servo", kind = "position", joint = "hinge", kp = 1000, kv = 100 }]
/// "#;
/// let mut world = World::from_scene(&Scene::parse(text, ".")?)?;
/// world.set_ctrl(&[0.5])?;
/// for _ in 0..3000 {
///     world.step()?;
/// }
/// assert!((world.q()[0] - 0.5).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Actuator {
    /// Name.
    pub name: String,
    /// What files call it.
    pub kind: ActuatorKind,
    /// The joint along whose coordinate it acts: revolute, prismatic, a coordinate of a compound joint, or a fixed tendon.
    pub joint: usize,
    /// Length l per coordinate; the force acts g times along the coordinate.
    pub gear: f64,
    /// k₀, k₁, k₂: force per control at l = l̇ = 0, and its change with l and l̇.
    pub gain: [f64; 3],
    /// b₀, b₁, b₂: force at l = l̇ = 0, and its change with l and l̇.
    pub bias: [f64; 3],
    /// Least and largest control that counts.
    pub ctrl_range: Option<[f64; 2]>,
    /// Least and largest force before the gear \[N or N·m\].
    pub force_range: Option<[f64; 2]>,
}

impl Actuator {
    /// A force on a joint: gain 1.
    #[must_use]
    pub fn motor(name: impl Into<String>, joint: usize, gear: f64) -> Self {
        Self {
            name: name.into(),
            kind: ActuatorKind::Motor,
            joint,
            gear,
            gain: [1.0, 0.0, 0.0],
            bias: [0.0; 3],
            ctrl_range: None,
            force_range: None,
        }
    }

    /// A servo of position: force = kp (u − l) − kv l̇.
    #[must_use]
    pub fn position(name: impl Into<String>, joint: usize, [kp, kv]: [f64; 2]) -> Self {
        Self {
            kind: ActuatorKind::Position,
            gain: [kp, 0.0, 0.0],
            bias: [0.0, -kp, -kv],
            ..Self::motor(name, joint, 1.0)
        }
    }

    /// A servo of velocity: force = kv (u − l̇).
    #[must_use]
    pub fn velocity(name: impl Into<String>, joint: usize, kv: f64) -> Self {
        Self {
            kind: ActuatorKind::Velocity,
            gain: [kv, 0.0, 0.0],
            bias: [0.0, 0.0, -kv],
            ..Self::motor(name, joint, 1.0)
        }
    }

    /// Force at a control, a coordinate and its speed, before the gear \[N or N·m\].
    #[must_use]
    pub fn force(&self, ctrl: f64, q: f64, speed: f64) -> f64 {
        let [f, k, c] = self.affine(ctrl);
        let [low, high] = self.force_range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        (f + k * (self.gear * q) + c * (self.gear * speed)).max(low).min(high)
    }

    /// Constant, factor of l and factor of l̇ of the force at a control, before the range of the force.
    pub(crate) fn affine(&self, ctrl: f64) -> [f64; 3] {
        let u = match self.ctrl_range {
            Some([low, high]) => ctrl.max(low).min(high),
            None => ctrl,
        };
        std::array::from_fn(|k| self.bias[k] + u * self.gain[k])
    }

    /// Checks its numbers; `field` names it in messages.
    pub(crate) fn check(&self, field: &str) -> Result<(), SimError> {
        let fail =
            |name: &str, requirement: &str, x: f64| Err(SimError::value(format!("{field}.{name}"), requirement, x));
        if !self.gear.is_finite() {
            return fail("gear", "must be finite", self.gear);
        }
        for (name, numbers) in [("gain", &self.gain), ("bias", &self.bias)] {
            if let Some(k) = numbers.iter().position(|x| !x.is_finite()) {
                return fail(&format!("{name}[{k}]"), "must be finite", numbers[k]);
            }
        }
        for (name, range) in [("ctrl_range", self.ctrl_range), ("force_range", self.force_range)] {
            let Some([low, high]) = range else { continue };
            if !(low.is_finite() && high.is_finite()) {
                return fail(name, "must be finite", if low.is_finite() { high } else { low });
            }
            if low > high {
                return fail(name, "must be in order", low);
            }
        }
        Ok(())
    }
}

impl World {
    /// Adds an actuator; returns its index. Its control starts at 0.
    ///
    /// # Errors
    /// A joint that does not exist or has no coordinate, a name that another actuator has, numbers that are not finite, ranges that are not in order.
    pub fn add_actuator(&mut self, actuator: Actuator) -> Result<usize, SimError> {
        let index = self.model.actuators.len();
        let field = format!("actuators[{index}]");
        actuator.check(&field)?;
        self.check_coordinate(&field, actuator.joint)?;
        self.model.actuators.push(actuator);
        self.state.ctrl.push(0.0);
        Ok(index)
    }

    /// Refuses a joint that is not there or has no coordinate.
    pub(crate) fn check_coordinate(&self, field: &str, joint: usize) -> Result<(), SimError> {
        let found = self.model.joints.get(joint);
        if found.is_some_and(|joint| joint.kind.has_coordinate()) {
            return Ok(());
        }
        let requirement = "must be a joint with one coordinate";
        Err(SimError::value(format!("{field}.joint"), requirement, joint as f64))
    }

    /// Actuators in the order in which they were added.
    #[must_use]
    pub fn actuators(&self) -> &[Actuator] {
        &self.model.actuators
    }

    /// The first actuator of a name.
    #[must_use]
    pub fn find_actuator(&self, name: &str) -> Option<usize> {
        self.model.actuators.iter().position(|actuator| actuator.name == name)
    }

    /// Controls, one an actuator: constant until they are set again.
    #[must_use]
    pub fn ctrl(&self) -> &[f64] {
        &self.state.ctrl
    }

    /// Sets all controls. What lies beyond a range counts as its end.
    ///
    /// # Errors
    /// A list of another length, numbers that are not finite.
    pub fn set_ctrl(&mut self, ctrl: &[f64]) -> Result<(), SimError> {
        let count = self.model.actuators.len();
        if ctrl.len() != count {
            let requirement = format!("must have {count} numbers, one for each actuator");
            return Err(SimError::value("ctrl", requirement, ctrl.len() as f64));
        }
        if let Some(k) = ctrl.iter().position(|x| !x.is_finite()) {
            return Err(SimError::value(format!("ctrl[{k}]"), "must be finite", ctrl[k]));
        }
        self.state.ctrl.copy_from_slice(ctrl);
        Ok(())
    }

    /// Force of an actuator at its control where the joint is now, before the gear \[N or N·m\].
    #[must_use]
    pub fn actuator_force(&self, actuator: usize) -> Option<f64> {
        let found = self.model.actuators.get(actuator)?;
        let [q, speed] = self.joint_coordinate(found.joint)?;
        Some(found.force(self.state.ctrl[actuator], q, speed))
    }

    /// Inertia of the rotor that turns or slides with the coordinate of a joint \[kg·m² or kg\].
    #[must_use]
    pub fn armature(&self, joint: usize) -> f64 {
        self.model.rotors.get(joint).copied().unwrap_or(0.0)
    }

    /// Sets the inertia of the rotor that turns or slides with the coordinate of a joint \[kg·m² or kg\]: of a motor, as its joint feels it through its gear box. The rotor adds
    /// ½ a q̇² to the kinetic energy; what its own spin does to other axes is not modelled.
    ///
    /// # Errors
    /// A joint that does not exist or has no coordinate, a number that is negative or not finite.
    pub fn set_armature(&mut self, joint: usize, inertia: f64) -> Result<(), SimError> {
        self.check_coordinate("armature", joint)?;
        if !(inertia.is_finite() && inertia >= 0.0) {
            let requirement = "must be finite and not negative";
            return Err(SimError::value("armature", requirement, inertia));
        }
        let before = self.configuration().energy();
        self.model.rotors.resize(self.model.joints.len(), 0.0);
        self.model.rotors[joint] = inertia;
        let after = self.configuration().energy();
        self.account(before, after);
        Ok(())
    }
}
