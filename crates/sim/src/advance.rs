//! The end of a step: new velocities and poses, and where energy went.

use crate::Pose;
use crate::body::Kind;
use crate::configuration::Configuration;
use crate::energy::{Ledger, Numerical};
use crate::integrate::rotate;
use crate::loads::Loads;
use crate::outcome::Outcome;
use crate::state::BodyState;
use crate::step_time::StepTime;

/// Bodies at the end of the step, into `bodies`, and the ledger after it.
pub(crate) fn advance(
    outcome: &Outcome<'_>,
    loads: &Loads,
    time: StepTime,
    ledger: &Ledger,
    bodies: &mut Vec<BodyState>,
) -> Ledger {
    let (at, h) = (outcome.free.at, time.h);
    let before = at.energy();
    let work = outcome.impulse_work();
    let forces = (0..at.bodies.len()).map(|i| outcome.work_on(i, loads, h)).sum::<f64>();
    let injected = forces + work.driven + work.ground;
    bodies.clear();
    bodies.extend((0..at.bodies.len()).map(|i| moved(outcome, i, h)));
    let after = Configuration { bodies, ..at }.energy();
    let gain = after[0] + after[1] - before[0] - before[1] - injected;
    let dissipated = work.motors + work.ground + work.drag - work.impulses;
    Ledger {
        kinetic: after[0],
        potential: after[1],
        slip: ledger.slip + (dissipated - work.stopped),
        impacts: ledger.impacts + work.stopped,
        injected: ledger.injected + injected,
        eased: ledger.eased,
        numerical: Numerical {
            flight: ledger.numerical.flight - (gain + dissipated),
            ..ledger.numerical
        },
        worst_gain: ledger.worst_gain.max(gain),
    }
}

/// A body at the end of the step.
pub(crate) fn moved(outcome: &Outcome<'_>, i: usize, h: f64) -> BodyState {
    let (at, old) = (outcome.free.at, outcome.free.at.bodies[i]);
    if matches!(at.model.bodies[i].kind, Kind::Fixed) {
        return old;
    }
    let (velocity, spin) = outcome.motion_of(i);
    let free = &outcome.free.flights[i].rotation;
    let rotation = free.turned(old.pose.rotation, spin - free.spin, h);
    // The body keeps its spin in its own axes; one that moves as prescribed keeps it in the world's.
    let spin = match at.model.bodies[i].kind {
        Kind::Dynamic { .. } => rotate(&rotation, rotate(&old.pose.rotation.inverse(), spin)),
        _ => spin,
    };
    BodyState {
        pose: Pose {
            position: old.pose.position + h * velocity,
            rotation,
        },
        velocity,
        spin,
    }
}
