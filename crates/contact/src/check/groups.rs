//! Figures of nonconvex groups \[Egan IV–VI\]: at least one side holds, and contacts push only where no side is open.

use super::{Answer, EXCUSED, Judge, Residual, Terms, is_rough, length, raise, row_size, terms_of};
use crate::problem::ContactProblem;
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
    /// Value of each group that the last answer leads to, relative to the size of its rows: negative where no side holds, positive where
    /// one is open.
    pub(crate) fn group_value(&self) -> &[f64] {
        &self.group_value
    }

    /// Size of a contact's rows.
    pub(super) fn contact_size(&self, problem: &ContactProblem, terms: Terms, (i, V): (usize, f64)) -> f64 {
        row_size(V, self.contact_terms(problem, terms, i))
    }

    /// T of a contact's rows.
    fn contact_terms(&self, problem: &ContactProblem, terms: Terms, i: usize) -> f64 {
        let c = problem.columns_tilde(i);
        let mut T = terms_of(c.touches, c.normal, &self.magnitude);
        if is_rough(problem, terms.law, i) {
            for tangent in c.tangents {
                T = T.max(terms_of(c.touches, tangent, &self.magnitude));
            }
        }
        T
    }

    /// Judges all groups; what each contact must satisfy by itself is judged with the contact.
    pub(super) fn judge_groups(
        &mut self,
        problem: &ContactProblem,
        terms: Terms,
        rule: GroupRule,
        (answer, V): (Answer<'_>, f64),
        residual: &mut Residual,
    ) {
        self.group_value.clear();
        for group in 0..problem.group_count() {
            let value = match rule {
                GroupRule::Max => self.largest(problem, terms, (group, V)),
                GroupRule::Sum { epsilon } => self.sum(problem, terms, (group, V), epsilon),
            };
            self.group_value.push(value);
            raise(&mut residual.gap, -value);
            for side in 0..problem.side_count(group) {
                let contacts = problem.side(group, side);
                // Without slip friction need not be pressed: it pushes like a normal impulse.
                let rubs = |i: usize| {
                    terms.law == Law::NoSlip && problem.least_impulse(i) == 0.0 && answer.friction[i] != [0.0; 2]
                };
                let extra = |i: usize| answer.normal[i] - problem.least_impulse(i);
                if contacts.iter().all(|i| extra(*i) <= 0.0 && !rubs(*i)) {
                    continue;
                }
                let mut wrong = value;
                if rule == GroupRule::Max {
                    wrong = wrong.max(-self.side_value(problem, terms, (contacts, V)));
                }
                for i in contacts {
                    let c = problem.columns_tilde(*i);
                    let mut push = self.inverse_mass(c) * extra(*i);
                    if rubs(*i) {
                        push = push.max(self.inverse_mass_along(c) * length(answer.friction[*i]));
                    }
                    let size = self.contact_size(problem, terms, (*i, V));
                    raise(&mut residual.complementarity, (push / size).min(wrong));
                }
            }
        }
    }

    /// a_S = min a_i, relative.
    fn side_value(&self, problem: &ContactProblem, terms: Terms, (contacts, V): (&[usize], f64)) -> f64 {
        contacts.iter().fold(f64::INFINITY, |m, i| {
            m.min(known(
                self.contact_velocity[*i][0] / self.contact_size(problem, terms, (*i, V)),
            ))
        })
    }

    /// max a_S, relative.
    fn largest(&self, problem: &ContactProblem, terms: Terms, (group, V): (usize, f64)) -> f64 {
        (0..problem.side_count(group)).fold(f64::NEG_INFINITY, |m, side| {
            m.max(self.side_value(problem, terms, (problem.side(group, side), V)))
        })
    }

    /// Σ max(−e, a_S) + (n − 1)e, relative to the largest row or to e, if that is less: the sum cannot fall below −e. What may be
    /// rounding of the rows is excused, unless it is most of e.
    fn sum(&self, problem: &ContactProblem, terms: Terms, (group, V): (usize, f64), e: f64) -> f64 {
        let sides = problem.side_count(group);
        let (mut sum, mut size, mut T) = ((sides as f64 - 1.0) * e, V, 0.0);
        for side in 0..sides {
            let contacts = problem.side(group, side);
            let nu = contacts
                .iter()
                .fold(f64::INFINITY, |m, i| m.min(known(self.contact_velocity[*i][0])));
            sum += nu.max(-e);
            for i in contacts {
                raise(&mut size, self.contact_size(problem, terms, (*i, V)));
                raise(&mut T, self.contact_terms(problem, terms, *i));
            }
        }
        let rounding = if sum > -0.5 * e { EXCUSED * T } else { 0.0 };
        sum / size.min(e.max(rounding))
    }
}

/// A velocity; one that overflowed on the way holds nothing, where `f64::min` would pass over it.
fn known(nu: f64) -> f64 {
    if nu.is_nan() { f64::NEG_INFINITY } else { nu }
}
