//! Where the energy of a step goes.
//!
//! In an island without arrivals bodies move by h(v_m + v′)/2, and impulses change the kinetic energy by ½ p·C(v_m + v′): both exactly. That is slip. What closing and
//! projecting change beyond the work of moving ground is numerical. Where something arrives, all that is lost is lost in impacts.

use super::event::Lifted;
use super::finish::Finished;
use super::islands::{Islands, Mode};
use crate::configuration::Configuration;
use crate::energy::{Ledger, Numerical};
use crate::loads::Loads;
use crate::outcome::Outcome;
use crate::world::Wrench;

/// Work of a step in islands of each mode \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Spent {
    /// Given by loads, motors and moving ground: without arrivals, with them.
    pub(super) injected: [f64; 2],
    /// Taken by contacts and joints of islands without arrivals.
    pub(super) slip: f64,
}

/// 0 for islands without arrivals, 1 for others.
fn place(mode: Mode) -> usize {
    usize::from(mode == Mode::Event)
}

/// Work of the impulses of a step and of its loads.
pub(super) fn spent(
    outcome: &Outcome<'_>,
    (start, islands): (Configuration<'_>, &Islands),
    loads: &Loads,
    h: f64,
) -> Spent {
    let (at, problem, solution) = (outcome.free.at, &outcome.assembly.problem, outcome.solution);
    let mode_of = |bodies: &[usize]| {
        let moving = bodies.iter().find(|body| start.blocks[**body].is_some());
        moving.map(|body| place(islands.mode(islands.of(*body))))
    };
    let ground = [0, 1].map(|mode| outcome.ground_work_on(|bodies| mode_of(bodies) == Some(mode)));
    let (mut impulses, mut forces) = (0.0, [0.0; 2]);
    for (i, block) in at.blocks.iter().enumerate() {
        let Some(block) = block else { continue };
        let mode = place(islands.mode(islands.of(i)));
        if mode == 0 {
            let range = problem.block_range(*block);
            let (new, free) = (&solution.velocity[range.clone()], &problem.v_free()[range]);
            let old = at.coordinates().pick(at.velocity_of(i));
            let (mass, dim) = (problem.mass(*block), new.len());
            for r in 0..dim {
                let impulse: f64 = (0..dim).map(|c| mass[r * dim + c] * (new[c] - free[c])).sum();
                impulses += 0.5 * (old[r] + new[r]) * impulse;
            }
        }
        let wrench = &loads.wrenches[i];
        if *wrench == Wrench::default() {
            continue;
        }
        forces[mode] += if mode == 1 {
            outcome.work_on(i, loads, h)
        } else {
            let (velocity, spin) = outcome.motion_of(i);
            let (v, w) = (at.bodies[i].velocity + velocity, at.bodies[i].spin + spin);
            0.5 * h * (wrench.force.dot(&v) + wrench.torque.dot(&w))
        };
    }
    let (mut motors, mut driven) = (0.0, [0.0; 2]);
    for (k, (row, impulse)) in outcome
        .assembly
        .joint_rows
        .iter()
        .zip(&solution.joint_impulse)
        .enumerate()
    {
        if !row.role.drives() {
            continue;
        }
        // What the rotor takes is kinetic energy.
        let given = impulse - outcome.assembly.rotor_impulse(k, solution);
        let joint = &at.model.joints[row.joint];
        let [old, new] = outcome.motor_speeds(k);
        let mean = 0.5 * (old + new);
        if mode_of(&joint.bodies()) == Some(1) {
            driven[1] += given * new;
        } else {
            motors += impulse * mean;
            driven[0] += given * mean;
        }
    }
    Spent {
        injected: [0, 1].map(|mode| forces[mode] + driven[mode] + ground[mode]),
        slip: motors + ground[0] - impulses,
    }
}

/// Energies of bodies \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Energies {
    kinetic: f64,
    potential: f64,
    /// Of both, in islands with arrivals.
    arrived: f64,
}

impl Energies {
    pub(super) fn of(at: Configuration<'_>, islands: &Islands) -> Self {
        let [kinetic, potential] = at.energy();
        let arrived = (0..at.bodies.len()).filter(|body| {
            let moves = at.blocks[*body].is_some();
            moves && islands.mode(islands.of(*body)) == Mode::Event
        });
        Self {
            kinetic,
            potential,
            arrived: arrived.map(|body| at.energy_of(body).iter().sum::<f64>()).sum::<f64>()
                + at.kinetic_of_rotors(|joint| {
                    at.moves_joint(joint) && islands.mode(islands.of_joint(at, joint)) == Mode::Event
                }),
        }
    }
}

/// The ledger after a step, from the energies before and after. `finished` and `lifted` are what closing and projecting did, without arrivals and with them.
pub(super) fn enter(
    ledger: &Ledger,
    spent: &Spent,
    (finished, lifted): (Finished, Lifted),
    [before, after]: [Energies; 2],
) -> Ledger {
    let injected = spent.injected[0] + spent.injected[1] + finished.carried + lifted.carried;
    // Easing before the step is in the energies before.
    let slip = spent.slip + finished.slip;
    let gain = after.kinetic + after.potential - before.kinetic - before.potential - injected - lifted.eased;
    let impacts = (before.arrived + spent.injected[1] + lifted.carried + lifted.eased - after.arrived).max(0.0);
    let (so_far, step) = (&ledger.numerical, &finished.numerical);
    Ledger {
        kinetic: after.kinetic,
        potential: after.potential,
        slip: ledger.slip + slip,
        impacts: ledger.impacts + impacts,
        injected: ledger.injected + injected,
        eased: ledger.eased + lifted.eased,
        numerical: Numerical {
            velocity: so_far.velocity + step.velocity,
            closing: so_far.closing + step.closing,
            returned: so_far.returned + step.returned,
            flight: so_far.flight - (gain + slip + impacts + step.total()),
        },
        worst_gain: ledger.worst_gain.max(gain),
    }
}
