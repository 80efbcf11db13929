//! Evidence where there is no answer: Farkas vectors of rays, the search for a proof, the ray itself.

use super::{Form, Solver};
use crate::certify;
use crate::solution::{Certificate, Method, Run, Status};

/// Largest number of variables whose complementary cones are all tried in exact arithmetic: 2¹² cones take 0.1 s.
const MAX_EXACT_VARIABLES: usize = 12;

impl Solver {
    /// Whether the last ray is a Farkas vector: then the search is over.
    pub(super) fn proves_infeasible(&mut self, form: Form<'_>) -> bool {
        if form.reduced.is_some_and(|(reduced, _)| !reduced.is_plain()) {
            return false; // bounds were rewritten: the vector would prove nothing about the original problem
        }
        let Some(y) = self.rays.last().and_then(|ray| certify::follow_hint(form.data, ray)) else {
            return false;
        };
        self.solution.status = Status::Infeasible;
        self.solution.certificate = Some(Certificate::Farkas { y });
        true
    }

    /// After a chain without an answer: looks for a proof that there is none. A method that runs alone only shows its ray.
    pub(super) fn certify(&mut self, form: Form<'_>) {
        if matches!(
            self.solution.status,
            Status::Solved | Status::Infeasible | Status::Unsolvable
        ) {
            return;
        }
        // Without work in rationals there is no proof in rationals.
        if self.options.method.is_some() || self.options.exact_work <= 0.0 {
            self.show_ray();
            return;
        }
        let limits = (
            self.options.certify_limit,
            self.options.enumerate_limit.min(MAX_EXACT_VARIABLES),
        );
        match certify::certify(form.data, &self.rays, limits, &mut self.work) {
            certify::Finding::Certificate(status, certificate) => {
                self.solution.status = status;
                self.solution.certificate = Some(certificate);
            }
            certify::Finding::Answer(y) => {
                self.y.clear();
                self.y.extend_from_slice(&y);
                form.recover(&self.y, &mut self.z);
                let (status, residual) = self.judge.judge(form.view, &self.z, self.options.tolerance);
                let solution = &mut self.solution;
                solution.status = status;
                solution.residual = residual;
                solution.z.copy_from_slice(&self.z);
                solution.w.copy_from_slice(self.judge.w());
                let method = Method::Enumerate;
                solution.stats.runs.push(Run {
                    method,
                    status,
                    pivots: 0,
                });
                solution.stats.answered_by = solution.stats.runs.len() - 1;
            }
            certify::Finding::Nothing => self.show_ray(),
        }
    }

    fn show_ray(&mut self) {
        let ray = self.rays.first();
        self.solution.certificate = ray.map(|ray| Certificate::Ray { direction: ray.clone() });
    }
}
