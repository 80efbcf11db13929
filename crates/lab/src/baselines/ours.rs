//! Our own methods through their front door: formulation, method and judge are all in the time.

use stiction_contact::{ContactProblem, ContactSolver, Law, Method, Options, Status};

use super::{Contender, Found};
use stiction_formats::BadInput;

/// One method alone.
pub(crate) struct Ours(ContactSolver);

impl Ours {
    /// The method for a law, with `directions` where the law has any.
    pub(crate) fn new(law: Law, method: Method, directions: usize) -> Result<Self, BadInput> {
        let options = Options {
            law,
            method: Some(method),
            directions,
            ..Options::default()
        };
        Ok(Self(ContactSolver::new(options)?))
    }
}

impl Contender for Ours {
    fn solve(&mut self, problem: &mut ContactProblem) -> Result<(), BadInput> {
        // Solvers cache the factors of a geometry. A simulator brings a new geometry at every step, and so does this: setting a key
        // again makes the problem a new one for the cache.
        if problem.contact_count() > 0 {
            let key = problem.key(0);
            problem.set_key(0, key)?;
        }
        self.0.solve(problem)?;
        Ok(())
    }

    fn solve_again(&mut self, problem: &mut ContactProblem) -> Result<(), BadInput> {
        self.0.solve(problem)?;
        Ok(())
    }

    fn found(&mut self, _problem: &ContactProblem) -> Result<Found, BadInput> {
        let solution = self.0.solution();
        Ok(Found {
            verified: solution.status == Status::Solved,
            ending: solution.status.name().to_owned(),
            residual: solution.residual.worst,
            steps: solution.stats.pivots,
            active: solution.normal_impulse.iter().filter(|x| **x > 0.0).count(),
            others: solution.stats.fallbacks + solution.stats.handovers,
        })
    }
}
