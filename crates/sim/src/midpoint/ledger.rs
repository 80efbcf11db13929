//! Where the energy of a step goes.
//!
//! In an island without arrivals bodies move by h(v_m + v′)/2, and impulses change the kinetic energy by ½ p·C(v_m + v′): both exactly. What the projection and
//! closing change is the share of the stepping.

use super::islands::{Islands, Mode};
use crate::configuration::Configuration;
use crate::energy::Ledger;
use crate::joint_rows::Role;
use crate::loads::Loads;
use crate::outcome::Outcome;
use crate::world::Wrench;

/// Work of a step \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Spent {
    /// Given by loads, motors and moving ground.
    pub(super) injected: f64,
    /// Taken by contacts and joints.
    pub(super) dissipated: f64,
}

/// Work of the impulses of a step and of its loads.
pub(super) fn spent(
    outcome: &Outcome<'_>,
    (start, islands): (Configuration<'_>, &Islands),
    loads: &Loads,
    h: f64,
) -> Spent {
    let (at, problem, solution) = (outcome.free.at, &outcome.assembly.problem, outcome.solution);
    let is_event = |body: usize| islands.mode(islands.of(body)) == Mode::Event;
    let ground = outcome.ground_work();
    let (mut impulses, mut forces) = (0.0, 0.0);
    for (i, block) in at.blocks.iter().enumerate() {
        let Some(block) = block else { continue };
        let range = problem.block_range(*block);
        let (new, free) = (&solution.velocity[range.clone()], &problem.v_free()[range]);
        let old = at.coordinates().pick(at.velocity_of(i));
        let (mass, dim) = (problem.mass(*block), new.len());
        for r in 0..dim {
            let impulse: f64 = (0..dim).map(|c| mass[r * dim + c] * (new[c] - free[c])).sum();
            impulses += 0.5 * (old[r] + new[r]) * impulse;
        }
        let wrench = &loads.wrenches[i];
        if *wrench == Wrench::default() {
            continue;
        }
        let (velocity, spin) = outcome.motion_of(i);
        forces += if is_event(i) {
            outcome.work_on(i, loads, h)
        } else {
            let (v, w) = (at.bodies[i].velocity + velocity, at.bodies[i].spin + spin);
            0.5 * h * (wrench.force.dot(&v) + wrench.torque.dot(&w))
        };
    }
    let (mut motors, mut driven) = (0.0, 0.0);
    for (row, impulse) in outcome.assembly.joint_rows.iter().zip(&solution.joint_impulse) {
        if row.role != Role::Motor {
            continue;
        }
        let joint = &at.model.joints[row.joint];
        let new_speed = |body: usize, part: &[f64; 6]| {
            let (v, w) = outcome.motion_of(body);
            let list = [v.x, v.y, v.z, w.x, w.y, w.z];
            part.iter().zip(list).map(|(r, v)| r * v).sum::<f64>()
        };
        let new = new_speed(joint.a, &row.row.a) + new_speed(joint.b, &row.row.b);
        let mean = 0.5 * (at.speed_along(joint, &row.row) + new);
        motors += impulse * mean;
        let event = is_event(if start.blocks[joint.a].is_some() {
            joint.a
        } else {
            joint.b
        });
        driven += impulse * if event { new } else { mean };
    }
    Spent {
        injected: forces + driven + ground,
        dissipated: motors + ground - impulses,
    }
}

/// The ledger after a step, from the energies before and after.
pub(super) fn enter(ledger: &Ledger, spent: &Spent, [before, after]: [[f64; 2]; 2]) -> Ledger {
    let gain = after[0] + after[1] - before[0] - before[1] - spent.injected;
    Ledger {
        kinetic: after[0],
        potential: after[1],
        injected: ledger.injected + spent.injected,
        worst_gain: ledger.worst_gain.max(gain),
        dissipated: ledger.dissipated + spent.dissipated,
        stepping: ledger.stepping - (gain + spent.dissipated),
        eased: ledger.eased,
    }
}
