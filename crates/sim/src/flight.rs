//! Motion of bodies over a step without contact.

use crate::Vec3;
use crate::body::Kind;
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::error::SimError;
use crate::failure::spin_not_found;
use crate::loads::Loads;
use crate::spin::FreeSpin;
use crate::step_time::StepTime;

/// Motion of a body over a step without contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Flight {
    /// Velocity at the end \[m/s\].
    pub(crate) velocity: Vec3,
    /// Spin at the end with what torques add, shown in the world axes of the start \[rad/s\].
    pub(crate) spin: Vec3,
    /// Rotation without torques.
    pub(crate) rotation: FreeSpin,
}

/// Motion of every body over the step under its loads alone.
pub(crate) fn fly(
    at: Configuration<'_>,
    loads: &Loads,
    time: StepTime,
    flights: &mut Vec<Flight>,
) -> Result<(), SimError> {
    flights.clear();
    let (model, coordinates, h) = (at.model, at.coordinates(), time.h);
    let inertia = model.settings.stepper.has_inertia();
    for (i, (body, state)) in model.bodies.iter().zip(at.bodies).enumerate() {
        let Kind::Dynamic { mass, inertia_body } = &body.kind else {
            flights.push(Flight {
                velocity: state.velocity,
                spin: state.spin,
                rotation: FreeSpin::steady(state, h),
            });
            continue;
        };
        let wrench = &loads.wrenches[i];
        // Forces act for h on momentum, or for the relaxation time on what has none.
        let (start, duration) = if inertia {
            (*state, h)
        } else {
            (state.at_rest(), model.relaxation())
        };
        let free = coordinates.free_spin(&start, inertia_body, h);
        let rotation = free.map_err(|failure| spin_not_found(model, i, time, failure))?;
        let turn = [&state.pose.rotation, &rotation.rotation];
        flights.push(Flight {
            velocity: start.velocity + duration * (model.settings.gravity + wrench.force / *mass),
            spin: rotation.spin + coordinates.kick(turn, inertia_body, wrench.torque, duration),
            rotation,
        });
    }
    Ok(())
}

/// Velocities of which a contact problem is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// The end of the step, without contact.
    End,
    /// Now: an impact takes no time, and forces do nothing in it.
    Now,
}

/// A configuration and the motion from it without contact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FreeMotion<'a> {
    pub(crate) at: Configuration<'a>,
    pub(crate) flights: &'a [Flight],
}

impl FreeMotion<'_> {
    /// Velocity and spin of a body after the step.
    pub(crate) fn of(&self, body: usize) -> (Vec3, Vec3) {
        let flight = &self.flights[body];
        (flight.velocity, flight.spin)
    }

    /// Speed at which a contact closes, now or at the end of the step.
    pub(crate) fn approach(&self, contact: &Contact, moment: Moment) -> f64 {
        if moment == Moment::Now {
            return self.at.approach(contact);
        }
        let of = |body: usize| {
            let (velocity, spin) = self.of(body);
            velocity + spin.cross(&(contact.point - self.at.bodies[body].pose.position))
        };
        contact.normal.dot(&(of(contact.b) - of(contact.a)))
    }

    /// Worst residual of the free rotations.
    pub(crate) fn spin_residual(&self) -> f64 {
        let residuals = self.flights.iter().map(|flight| flight.rotation.residual);
        residuals.fold(0.0, f64::max)
    }
}
