//! Coulomb's law at acceleration level \[Baraff 5, 6\]: Dantzig's method first, then Newton and Lemke from what it has found.

use super::island::{FINE_DIRECTIONS, IslandSolver};
use crate::check::Terms;
use crate::problem::ContactProblem;
use crate::solution::{Law, Method, Status};
use crate::solver::dantzig::Rules;
use crate::solver::lemke::{End as PathEnd, Form};
use crate::solver::{End, Outcome};

/// Why Lemke takes over where Dantzig's sets were no start for Newton's method.
const ASKEW: &str = "friction could not be turned against the acceleration";

impl IslandSolver {
    /// Methods in turn until the judge is content.
    pub(super) fn acceleration_chain(&mut self, problem: &ContactProblem, terms: Terms) {
        self.trial.clear(problem, terms.directions);
        let n = problem.contact_count();
        let (is_static, in_space) = (
            (0..n).all(|i| problem.drag(i).is_none()),
            (0..n).any(|i| !problem.is_planar(i)),
        );
        // In space static friction often has several answers: what can rest may move in others. Newton's method finds the rest where
        // Dantzig's, which takes the contacts one by one, need not.
        if is_static && in_space && terms.law == Law::CoulombAcceleration {
            if self.try_method(Method::NewtonCone, problem, terms) {
                return;
            }
            self.trial.clear(problem, terms.directions);
        }
        if self.try_method(Method::Dantzig, problem, terms) {
            return;
        }
        if is_static {
            // Forces and accelerations of static contacts obey what impulses and velocities obey.
            self.round_chain(problem, terms);
            return;
        }
        // A force that Dantzig's order of contacts raises without bound does not prove that there is no other solution.
        let drive = self.found.drive.take();
        if self.any_path(problem, terms) {
            return;
        }
        self.trial.clear(problem, terms.directions);
        if self.try_method(Method::LemkeStandard, problem, terms) {
            return;
        }
        self.trial.clear(problem, terms.directions);
        if terms.law == Law::CoulombAcceleration && self.try_method(Method::NewtonCone, problem, terms) {
            return;
        }
        if drive.is_some() && !self.is_squeezed(problem, terms) {
            self.found.status = Status::UnboundedDrive;
            self.found.ray = None;
            self.found.drive = drive;
        }
    }

    /// Whether the normals alone ask for the impossible, whatever the friction: then it is that squeeze that is reported.
    fn is_squeezed(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        self.lemke.set_dynamic(false);
        let end = self.lemke.run(problem, terms.directions, Form::Frictionless);
        self.found.pivots += self.lemke.pivots();
        let ray = if end == PathEnd::Ray {
            self.lemke.ray(problem)
        } else {
            None
        };
        if ray.is_some() {
            self.found.status = Status::Ray;
            self.found.ray = ray;
        }
        self.found.ray.is_some() && self.is_hopeless(problem)
    }

    /// Lemke's path on a coarse and on the finest polygon, each followed by Newton's method on the cone.
    fn any_path(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        for directions in [terms.directions, FINE_DIRECTIONS] {
            let polygon = Terms { directions, ..terms };
            for form in [Form::Reduced, Form::Structural] {
                self.trial.clear(problem, directions);
                let mut outcome = self.run_path(problem, polygon, form, None);
                let method = if form == Form::Reduced {
                    Method::LemkeReduced
                } else {
                    Method::LemkeStructural
                };
                let answered = outcome.end == End::Answered;
                self.found.count(method, &mut outcome);
                if self.keep(problem, terms) {
                    return true;
                }
                if answered && terms.law == Law::CoulombAcceleration {
                    if self.try_method(Method::NewtonCone, problem, terms) {
                        return true;
                    }
                    break;
                }
            }
        }
        false
    }

    /// Dantzig's method; on the round cone, friction of contacts that begin to slide in space is then turned against their
    /// acceleration by Newton's method from the sets found.
    pub(super) fn run_dantzig(&mut self, problem: &ContactProblem, terms: Terms) -> Outcome {
        let rules = Rules {
            friction: terms.law != Law::Frictionless,
            dynamic: terms.law.is_acceleration(),
            as_published: terms.law == Law::CoulombAccelerationAsPublished,
        };
        let end = self.dantzig.run(problem, rules);
        self.dantzig.write(&mut self.trial);
        let mut outcome = Outcome {
            pivots: self.dantzig.pivots(),
            drive: (end == End::Unbounded).then(|| self.dantzig.drive()).flatten(),
            ..Outcome::new(end)
        };
        if end == End::Limit {
            self.hand_over(problem, terms, &mut outcome);
        } else if end == End::Answered && rules.friction && !rules.as_published && self.dantzig.is_askew() {
            let newton = self.run(Method::NewtonCone, problem, terms);
            outcome.newton_steps = newton.newton_steps;
            if newton.end != End::Answered {
                self.hand_over(problem, terms, &mut outcome);
                outcome.reason = Some(ASKEW);
            }
        }
        outcome
    }

    /// Lemke's path from the sets that Dantzig's method has reached, from scratch where that fails; on the polygon, and then to the round
    /// cone by Newton's method.
    fn hand_over(&mut self, problem: &ContactProblem, terms: Terms, outcome: &mut Outcome) {
        outcome.handovers += 1;
        outcome.reason = self.dantzig.reason();
        let mut basis = std::mem::take(&mut self.handed);
        self.dantzig.sets(problem, terms.directions, &mut basis);
        let mut found = self.run_path(problem, terms, Form::Reduced, Some(&basis));
        outcome.pivots += found.pivots;
        if found.end != End::Answered {
            found = self.run_path(problem, terms, Form::Reduced, None);
            outcome.pivots += found.pivots;
        }
        self.handed = basis;
        if found.end != End::Answered && terms.law == Law::Frictionless {
            found = self.run(Method::LemkeStandard, problem, terms);
            outcome.pivots += found.pivots;
        }
        outcome.end = found.end;
        outcome.ray = found.ray;
        let in_space = (0..problem.contact_count()).any(|i| !problem.is_planar(i));
        // In the plane the polygon is the cone: there it is digits that Newton's method brings, where the path has lost some.
        if found.end == End::Answered && terms.law != Law::Frictionless && (in_space || !self.keep(problem, terms)) {
            outcome.newton_steps += self.run(Method::NewtonCone, problem, terms).newton_steps;
        }
    }
}
