//! Unexplained energy gain of a run.
//!
//! Energy changes by work of forces, motors and moving ground, and by correction of penetration, which the [`Ledger`] counts. Beyond that it must
//! not rise: contacts and joints only take. A step of first order takes ½h m g·(v′ − v) and gives it back when a body is stopped; over a run these add up to
//! ½h m g·v at the end less that at the start, and are subtracted. The gain is the largest rise of the remaining energy above its least value before.

use crate::body::{Body, Kind};
use crate::energy::Ledger;
use crate::stepper::Stepper;
use crate::world::World;

/// Gain by the energies in play beyond which a run has failed: steps are of first order, and the energy of fast bodies wavers by some thousandths.
pub const ENERGY_GAIN: f64 = 0.01;

/// Follows the energies of a run.
#[derive(Debug, Clone)]
pub struct EnergyWatch {
    start: Ledger,
    /// Least energy so far beyond work, and the largest rise above it \[J\].
    least: f64,
    rise: f64,
    most_kinetic: f64,
    /// Least and largest potential energy.
    potential: [f64; 2],
}

/// Energy that a run has made, and the energies to compare it with \[J\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyGain {
    /// Largest rise of the energy that no work explains.
    pub gain: f64,
    /// Largest kinetic energy, range of the potential energy, work in and out, and the kinetic energy after one step of free fall.
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
            least: beyond_work(world),
            rise: 0.0,
            most_kinetic: ledger.kinetic,
            potential: [ledger.potential; 2],
        }
    }

    /// Takes the world after a step into account.
    pub fn watch(&mut self, world: &World) {
        let Ledger { kinetic, potential, .. } = *world.ledger();
        self.most_kinetic = self.most_kinetic.max(kinetic);
        self.potential = [self.potential[0].min(potential), self.potential[1].max(potential)];
        let energy = beyond_work(world);
        self.rise = self.rise.max(energy - self.least);
        self.least = self.least.min(energy);
    }

    /// The gain of the steps up to now.
    #[must_use]
    pub fn gain(&self, world: &World) -> EnergyGain {
        let (start, now, settings) = (&self.start, world.ledger(), world.settings());
        let works = [
            now.injected - start.injected,
            now.eased - start.eased,
            now.dissipated() - start.dissipated(),
        ];
        let works: f64 = works.iter().map(|work| work.abs()).sum();
        let speed = settings.dt * settings.gravity.norm();
        let fall: f64 = world.bodies().iter().map(|body| 0.5 * mass(body) * speed * speed).sum();
        EnergyGain {
            gain: self.rise,
            in_play: self.most_kinetic + (self.potential[1] - self.potential[0]) + works + fall,
        }
    }
}

/// Kinetic and potential energy without work, correction of penetration and what the next stop gives back \[J\].
fn beyond_work(world: &World) -> f64 {
    let (ledger, settings) = (world.ledger(), world.settings());
    let all = world.bodies().iter().zip(&world.state().bodies);
    // Σ m g·v.
    let along: f64 = all
        .map(|(body, state)| mass(body) * settings.gravity.dot(&state.velocity))
        .sum();
    let given_back = if settings.stepper == Stepper::Midpoint {
        0.0
    } else {
        0.5 * settings.dt * along
    };
    ledger.kinetic + ledger.potential - ledger.injected - ledger.eased + given_back
}

fn mass(body: &Body) -> f64 {
    match body.kind {
        Kind::Dynamic { mass, .. } => mass,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, WorldExt};

    fn world(velocity: f64) -> World {
        let text = format!(
            "format = 1\nworld = {{ friction = 0.5, density = 1000 }}\n\
             body = [{{ name = \"ball\", shape = {{ ball = 0.1 }}, position = [0, 0, 2], velocity = [{velocity}, 0, 3] }}]"
        );
        World::from_scene(&Scene::parse(&text, ".").expect("a scene")).expect("a world")
    }

    #[test]
    fn free_flight_gains_nothing_and_a_push_from_nowhere_does() {
        let mut flying = world(1.0);
        let mut watch = EnergyWatch::new(&flying);
        for _ in 0..300 {
            flying.step().expect("a step");
            watch.watch(&flying);
        }
        let free = watch.gain(&flying);
        assert!(free.gain < 1e-12 * free.in_play && !free.is_failure(), "{free:?}");
        // The same flight at twice the speed along x: 3/2 m v² that nothing gave.
        let mut faster = world(2.0);
        for _ in 0..300 {
            faster.step().expect("a step");
        }
        watch.watch(&faster);
        let pushed = watch.gain(&faster);
        let expected = 1.5 * mass(&faster.bodies()[0]);
        assert!(
            (pushed.gain - expected).abs() < 1e-9 * expected && pushed.is_failure(),
            "{pushed:?}"
        );
    }
}
