//! Figures of nonconvex groups \[Egan IV–VI\]: at least one side holds, and contacts push only where no side is open.

use super::{Answer, Figure, Figures, Terms};
use crate::problem::ContactProblem;
use crate::residual::Judge;
use crate::solution::Law;

/// What a group asks of its sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum GroupRule {
    /// max over sides of a_S is ≥ 0; a contact pushes where it is 0 and its own side holds \[Egan (12)–(22), (29)\].
    Max,
    /// Σ max(−e, a_S) + (n − 1)e ≥ 0 for n sides; contacts push where it is 0 \[Egan (24)–(30)\].
    Sum {
        /// e = ε/h [m/s].
        epsilon: f64,
    },
}

impl Judge {
    /// Adds the figures of all groups; what each contact must satisfy by itself is judged with the contact.
    pub(crate) fn groups(
        &mut self,
        problem: &ContactProblem,
        (terms, rule): (Terms, GroupRule),
        answer: Answer<'_>,
        figures: &mut Figures,
    ) {
        self.group_value.clear();
        for group in 0..problem.group_count() {
            let sides = 0..problem.side_count(group);
            let values: Vec<Figure> = sides
                .clone()
                .map(|side| self.side_value(problem, answer, problem.side(group, side)))
                .collect();
            let value = match rule {
                GroupRule::Max => values.iter().fold(Figure::both(f64::NEG_INFINITY), |m, x| m.max(*x)),
                GroupRule::Sum { epsilon } => self.sum(problem, answer, group, epsilon),
            };
            self.group_value.push(value.beyond_rounding);
            figures.raise(0, &[value.negated()]);
            for side in sides {
                let wrong = match rule {
                    GroupRule::Max => value.max(values[side].negated()),
                    GroupRule::Sum { .. } => value,
                };
                for i in problem.side(group, side) {
                    let local = self.local(problem, answer, *i);
                    // Without slip friction need not be pressed: it pushes like a normal impulse.
                    let push = if terms.law == Law::NoSlip && local.least == 0.0 {
                        local.press().max(local.friction())
                    } else {
                        local.press()
                    };
                    figures.raise(2, &[push.min(wrong)]);
                }
            }
        }
    }

    /// a_S = min a_i, relative.
    fn side_value(&mut self, problem: &ContactProblem, answer: Answer<'_>, contacts: &[usize]) -> Figure {
        let values = contacts.iter().map(|i| self.local(problem, answer, *i).approach());
        values.fold(Figure::INFINITE, Figure::min)
    }

    /// Σ max(−e, a_S) + (n − 1)e, relative to the largest row or to e, if that is less: the sum cannot fall below −e. What may be
    /// rounding of the rows is excused, unless it is most of e.
    fn sum(&mut self, problem: &ContactProblem, answer: Answer<'_>, group: usize, e: f64) -> Figure {
        let sides = problem.side_count(group);
        let (mut sum, mut scale, mut rounding) = ((sides as f64 - 1.0) * e, 0.0_f64, 0.0);
        for side in 0..sides {
            let mut least = f64::INFINITY;
            for i in problem.side(group, side) {
                let local = self.local(problem, answer, *i);
                (least, scale) = (least.min(local.u[0]), scale.max(local.speed[0]));
                rounding += local.rounding[0];
            }
            sum += least.max(-e);
        }
        Figure::of(sum, if sum > -0.5 * e { rounding } else { 0.0 }, scale.min(e))
    }
}
