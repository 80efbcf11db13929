//! Whether a run has made energy out of nothing.
//!
//! Energy changes by work of forces, motors and moving ground, by correction of penetration, by what contacts and joints take, and by the stepping
//! itself ([`Ledger`]). Contacts and joints only take. The stepping takes ½h m g·(v′ − v), which is given back when a body is stopped: over a run
//! these add up to ½h m g·v at the end less that at the start, and are no gain. All else that one of the two has given on balance is.

use crate::body::Kind;
use crate::energy::Ledger;
use crate::world::World;

/// Gain by the energies in play beyond which a run has failed: what a first-order step does to a pendulum of 100 steps a swing stays below.
pub const ENERGY_GAIN: f64 = 0.05;

/// Follows the energies of a run.
#[derive(Debug, Clone)]
pub struct EnergyWatch {
    start: Ledger,
    /// ½h Σ m g·v at the start \[J\].
    returned: f64,
    most_kinetic: f64,
    /// Least and largest potential energy.
    potential: [f64; 2],
}

/// Energy that a run has made, and the energies to compare it with \[J\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyGain {
    /// What contacts, joints and the stepping have given on balance; 0 where they have taken.
    pub gain: f64,
    /// Largest kinetic energy, range of the potential energy, work in and out, and the kinetic energy of one step of free fall.
    pub in_play: f64,
}

impl EnergyGain {
    /// Whether the gain is beyond [`ENERGY_GAIN`] of the energies in play.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.gain > ENERGY_GAIN * self.in_play
    }
}

impl EnergyWatch {
    /// Of a world before its run.
    #[must_use]
    pub fn new(world: &World) -> Self {
        let ledger = *world.ledger();
        Self {
            start: ledger,
            returned: returned(world),
            most_kinetic: ledger.kinetic,
            potential: [ledger.potential; 2],
        }
    }

    /// Takes the world after a step into account.
    pub fn watch(&mut self, world: &World) {
        let Ledger { kinetic, potential, .. } = *world.ledger();
        self.most_kinetic = self.most_kinetic.max(kinetic);
        self.potential = [self.potential[0].min(potential), self.potential[1].max(potential)];
    }

    /// The gain up to now.
    #[must_use]
    pub fn gain(&self, world: &World) -> EnergyGain {
        let (start, now) = (&self.start, world.ledger());
        let stepping = (now.stepping - start.stepping) - (returned(world) - self.returned);
        let dissipated = now.dissipated - start.dissipated;
        let works = [
            now.injected - start.injected,
            now.eased - start.eased,
            dissipated,
        ];
        let settings = world.settings();
        let fall = 0.5 * (settings.dt * settings.gravity.norm()).powi(2);
        let mass: f64 = world.bodies().iter().map(mass).sum();
        Self::balance(
            [stepping, dissipated],
            self.most_kinetic + (self.potential[1] - self.potential[0]) + fall * mass,
            works,
        )
    }

    fn balance(taken: [f64; 2], energies: f64, works: [f64; 3]) -> EnergyGain {
        EnergyGain {
            gain: taken.iter().map(|taken| (-taken).max(0.0)).sum(),
            in_play: energies + works.iter().map(|work| work.abs()).sum::<f64>(),
        }
    }
}

fn mass(body: &crate::body::Body) -> f64 {
    match body.kind {
        Kind::Dynamic { mass, .. } => mass,
        _ => 0.0,
    }
}

/// ½h Σ m g·v \[J\].
fn returned(world: &World) -> f64 {
    let settings = world.settings();
    let all = world.bodies().iter().zip(&world.state().bodies);
    let along: f64 = all.map(|(body, state)| mass(body) * settings.gravity.dot(&state.velocity)).sum();
    0.5 * settings.dt * along
}
