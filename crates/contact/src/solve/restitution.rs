//! Restitution after Poisson: a compression, then the whole bounce; and contacts with a least normal impulse.

use super::Options;
use super::island::IslandSolver;
use crate::check::Residual;
use crate::formulation::pressed::Pressed;
use crate::problem::ContactProblem;
use crate::solution::Status;

/// Problems of the second phase.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bounce {
    /// The problem with its least normal impulses.
    pressed: ContactProblem,
    least: Vec<f64>,
    /// The same without them.
    reduced: Pressed,
}

impl IslandSolver {
    /// Poisson restitution: the compression, whose impulses `best` holds, gives the least normal impulses (1 + e)θ_c
    /// ([`crate::check::least_impulses`]). The whole impulse then solves the problem from the same velocity without contact: friction is that of the whole
    /// normal impulse, and opposes the slip at the end. Without negative bias both phases are solvable. Each is judged by itself.
    pub(super) fn restitute(&mut self, problem: &ContactProblem, options: &Options) {
        let terms = options.terms(problem);
        self.compression.copy_from(&self.best);
        let first = self.found.residual;
        let mut bounce = self.bounce.take().unwrap_or_default();
        let Bounce { pressed, least, .. } = &mut *bounce;
        let answer = self.compression.answer(terms.law == crate::Law::Polyhedral);
        self.judge.least_impulses(problem, terms.law, answer, least);
        pressed.copy_from(problem);
        let mut fits = Ok(());
        for (i, c) in least.iter().enumerate() {
            fits = fits
                .and_then(|()| pressed.set_least_impulse(i, *c))
                .and_then(|()| pressed.set_restitution(i, 0.0));
        }
        if fits.is_ok() {
            let pressed = std::mem::take(&mut bounce.pressed);
            self.bounce = Some(bounce);
            self.solve_phase(&pressed, options, None);
            if let Some(bounce) = &mut self.bounce {
                bounce.pressed = pressed;
            }
            self.bounced = true;
            self.found.residual = self.found.residual.worse(first);
        } else {
            self.bounce = Some(bounce);
            self.found.status = Status::Inaccurate;
            self.found.residual = Residual::INFINITE;
        }
    }

    /// Solves a problem with least normal impulses, as one without.
    pub(super) fn solve_pressed(&mut self, problem: &ContactProblem, options: &Options) {
        let terms = options.terms(problem);
        let mut bounce = self.bounce.take().unwrap_or_default();
        self.trial.clear(problem, terms.directions);
        if bounce.reduced.set(problem, terms.law).is_ok() {
            self.solve_phase(&bounce.reduced.hat, options, None);
            self.trial.clear(problem, terms.directions);
            bounce
                .reduced
                .take(problem, &self.best, terms.directions, &mut self.trial);
        }
        self.take_reduced(problem, terms);
        self.bounce = Some(bounce);
    }
}
