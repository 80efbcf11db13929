//! Steps in parts: where a step has no verified answer, it is made as two shorter ones, then as four, then as eight.
//!
//! Each part is a step of its own, with its own collision, problem and verdict, and moves the world as a scene with a shorter dt would. It
//! is counted ([`StepReport::parts`]) and reported. Where all parts fail too, the step fails.

use crate::error::SimError;
use crate::step::StepReport;
use crate::world::World;

/// How often a step is halved.
const HALVINGS: u32 = 3;

impl World {
    /// Length of the step, or of the part of it, that [`World::solution`] belongs to \[s\].
    #[must_use]
    pub fn solved_length(&self) -> f64 {
        self.settings.dt / self.part[1] as f64
    }

    /// Time at which the part at hand ends \[s\]: whole steps end at multiples of dt, to the bit.
    pub(crate) fn end_of_part(&self) -> f64 {
        let ([part, of], step, dt) = (self.part, self.state.step as f64, self.settings.dt);
        if self.is_last_part() {
            (step + 1.0) * dt
        } else {
            step * dt + dt * (part + 1) as f64 / of as f64
        }
    }

    /// Whether the step ends with the part at hand.
    pub(crate) fn is_last_part(&self) -> bool {
        self.part[0] + 1 == self.part[1]
    }

    /// Makes a step that has failed in ever shorter parts. On an error the world is as it was, and the error that of the shortest.
    pub(crate) fn step_in_parts(&mut self, mut error: SimError) -> Result<StepReport, SimError> {
        let (state, ledger, warm) = (self.state.clone(), self.ledger, self.solver.warm_start().clone());
        for halvings in 1..=HALVINGS {
            if !matches!(error, SimError::Unsolved { .. }) {
                break;
            }
            match self.make_parts(1 << halvings) {
                Ok(report) => return Ok(report),
                Err(found) => error = found,
            }
            self.state.copy_from(&state);
            self.ledger = ledger;
            self.solver.set_warm_start(warm.clone());
        }
        Err(error)
    }

    fn make_parts(&mut self, of: usize) -> Result<StepReport, SimError> {
        let mut whole = StepReport::default();
        for part in 0..of {
            self.part = [part, of];
            whole = whole.followed_by(&self.make_part()?);
        }
        Ok(whole)
    }
}

impl StepReport {
    /// Of one part after another: sums and worst values, and the rest as the last leaves it.
    fn followed_by(&self, next: &Self) -> Self {
        Self {
            depth: self.depth.max(next.depth),
            residual: self.residual.max(next.residual),
            pivots: self.pivots + next.pivots,
            newton_steps: self.newton_steps + next.newton_steps,
            impacts: self.impacts + next.impacts,
            impulsive: self.impulsive || next.impulsive,
            warm: self.warm + next.warm,
            islands: self.islands + next.islands,
            corners: self.corners + next.corners,
            groups: self.groups + next.groups,
            corner_fallbacks: self.corner_fallbacks + next.corner_fallbacks,
            parts: self.parts + 1,
            ..*next
        }
    }
}
