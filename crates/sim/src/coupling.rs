//! Springs and dampers by which a body follows another: the virtual coupling between a tool and the device that drives it.
//!
//! With x and R of the body led and of its leader at the start of a step: force = k (x′ − x) + c (v′ − v), torque = k_r θ + c_r (ω′ − ω), θ being axis
//! times angle of the rotation from R to R′. As in a haptic loop, both are held over the step.

use crate::error::SimError;
use crate::integrate::rotation_vector;
use crate::state::BodyState;
use crate::world::{World, Wrench};

/// A body that is led by another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coupling {
    /// The body led, a dynamic one.
    pub body: usize,
    /// Its leader, which feels nothing of it: a kinematic or fixed body.
    pub leader: usize,
    /// Force per distance of the centres of mass \[N/m\], torque per angle \[N·m/rad\].
    pub stiffness: [f64; 2],
    /// Force per difference of the velocities \[N·s/m\], torque per difference of the spins \[N·m·s/rad\].
    pub damping: [f64; 2],
}

impl Coupling {
    /// Force and torque on the body led.
    pub(crate) fn wrench(&self, bodies: &[BodyState]) -> Wrench {
        let [led, to] = [self.body, self.leader].map(|body| &bodies[body]);
        let turn = rotation_vector(to.pose.rotation * led.pose.rotation.inverse());
        Wrench {
            force: self.stiffness[0] * (to.pose.position - led.pose.position)
                + self.damping[0] * (to.velocity - led.velocity),
            torque: self.stiffness[1] * turn + self.damping[1] * (to.spin - led.spin),
        }
    }
}

impl World {
    /// Lets a body be led by another, beside all else that acts on it.
    ///
    /// # Errors
    /// A body that does not exist, one led that is not dynamic, a leader that is, a number that is negative or not finite.
    pub fn couple(&mut self, coupling: Coupling) -> Result<(), SimError> {
        let Coupling {
            body,
            leader,
            stiffness,
            damping,
        } = coupling;
        self.check_body(body)?;
        self.check_body(leader)?;
        for (name, index, dynamic) in [("body", body, true), ("leader", leader, false)] {
            if self.model.bodies[index].is_dynamic() != dynamic {
                let requirement = if dynamic {
                    "must be dynamic"
                } else {
                    "must not be dynamic"
                };
                return Err(SimError::value(format!("coupling.{name}"), requirement, index as f64));
            }
        }
        for (name, pair) in [("stiffness", stiffness), ("damping", damping)] {
            if let Some(x) = pair.into_iter().find(|x| !(x.is_finite() && *x >= 0.0)) {
                let requirement = "must be finite and not negative";
                return Err(SimError::value(format!("coupling.{name}"), requirement, x));
            }
        }
        self.model.couplings.push(coupling);
        Ok(())
    }
}
