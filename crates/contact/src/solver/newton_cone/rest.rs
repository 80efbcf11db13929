//! Rest, where it is an answer: impulses inside their cones that leave no motion, by a convex problem.
//!
//! Without the term |u_t| Coulomb's law becomes the optimality of a convex problem ([`super::interior`]): the least kinetic energy that normal and
//! tangential impulses within the cones can leave. Where impulses within the cones can hold everything, that least is rest, and at rest both
//! problems are one: such impulses are an answer of Coulomb's law as they are. The path leads there from the inside of the cones, so that few
//! contacts are at their limit; the polish then finds every one of them sticking, or open, and takes what rounding left.
//! Where the convex problem ends in a motion nothing is known: that motion is not Coulomb's.

use super::state::{Slot, State};
use super::{NewtonCone, POLISH};

/// Start of the path in terms of V.
const SPEED: f64 = 1.0;
/// Most steps of the path.
const STEPS: usize = 100;
/// The path has come to rest where no contact that pushes slips faster than this part of V; one pushes with more than the other part.
const RESTS: f64 = 1e-7;
const PUSHES: f64 = 1e-6;
/// First ρ of the polish.
const RHO: f64 = 1e5;

impl NewtonCone {
    /// Looks for rest. `true`: settled; otherwise the state is the best found before.
    pub(super) fn rest(&mut self) -> bool {
        self.state.start_convex_path(SPEED);
        for _ in 0..STEPS {
            if !self.state.step_path() || self.state.path_slip() <= RESTS * self.state.scale {
                break;
            }
        }
        if self.state.path_slip() <= RESTS * self.state.scale {
            self.state.velocity();
            self.state.weigh(false);
            let residual = self.state.residual();
            if residual < POLISH && self.polish(RHO, residual) {
                return true;
            }
        }
        self.state.restore(Slot::Best);
        false
    }
}

impl State {
    /// Fastest slip of the path's contacts that push.
    fn path_slip(&self) -> f64 {
        let pushing = self
            .cones
            .iter()
            .enumerate()
            .filter(|(_, cone)| cone.pushes() > PUSHES * self.scale);
        let slip = |(i, _): (usize, _)| {
            let (u, bias) = (self.packed.contacts.along(i, &self.path_v), self.contacts[i].bias);
            libm::hypot(u[1] + bias[1], u[2] + bias[2])
        };
        pushing.map(slip).fold(0.0, f64::max)
    }
}
