//! The judge: decides from the problem's own data and z alone whether z is an answer.
//!
//! With w = Mz + q, three measures are taken:
//!
//! - the *natural residual* |z_i − mid(l_i, z_i − w_i, u_i)|, which for l = 0, u = ∞ is |min(z_i, w_i)|;
//! - the *backward error*: z solves exactly the problem with q + δq, where δq_i = −w_i if z_i lies between its bounds and
//!   otherwise just enough to give w_i the sign its bound asks for. Rounding errors of w are bounded and added;
//! - *complementarity*, the largest |z_i w_i|.
//!
//! The verdict uses the natural residual in a form that does not depend on the unit of z: z_i is multiplied by
//! d_i = max_j |M_ji|, so that both arguments of `min` are in the unit of w, and the result is divided by max |q|. No row
//! is asked for more than doubles can hold: its divisor is at least [`ROW_FLOOR`] times the sum of the magnitudes
//! of its terms. A bound on the rounding error of w is added before the comparison; where the plain sums are too coarse
//! to decide, w is summed again in twice the precision.

use crate::problem::View;
use crate::real::{Real, two_prod, two_sum};
use crate::solution::Status;

/// A row's divisor is at least this share of |q_i| + Σ|M_ij z_j|: with the default tolerance of 1e-10 the error allowed in a
/// row is never below 1e-15 of its terms, about four roundings.
pub const ROW_FLOOR: f64 = 1e-5;

/// Sums that overflow are taken again in this unit, 2⁻⁶⁴.
const DOWN: f64 = 5.421_010_862_427_522e-20;

/// The least positive double: no underflow loses more than this.
const LEAST: f64 = 5e-324;

/// How far a vector is from solving a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// Largest |z_i − mid(l_i, z_i − w_i, u_i)| as it stands.
    pub natural: f64,
    /// The same with z_i in the unit of w_i, relative to the problem's size: what the verdict is about.
    pub relative: f64,
    /// Bound on the largest |δq_i| for which z solves the problem with q + δq exactly; rounded outward.
    pub backward: f64,
    /// Largest |z_i w_i| over finite bounds: (z_i − l_i) w_i⁺ and (u_i − z_i) w_i⁻.
    pub complementarity: f64,
    /// Largest residual of a row in units of the roundoff of the largest terms of any row: an answer of a few roundings can
    /// hardly be improved in doubles.
    pub roundings: f64,
    /// Row with the largest `relative`; 0 for an empty problem.
    pub worst_row: usize,
}

impl Residual {
    /// The residual of an empty problem.
    pub const ZERO: Residual = Residual {
        natural: 0.0,
        relative: 0.0,
        backward: 0.0,
        complementarity: 0.0,
        roundings: 0.0,
        worst_row: 0,
    };
}

/// The judge with its buffers: no allocation once it has seen a problem of the size.
#[derive(Debug, Clone, Default)]
pub struct Judge {
    /// z moved into its bounds.
    clipped: Vec<f64>,
    /// Mz + q.
    w: Vec<f64>,
    /// Low part of w when it is summed in twice the precision.
    w_low: Vec<f64>,
    /// |q_i| + Σ|M_ij z_j|.
    terms: Vec<f64>,
    /// Bound on |computed w_i − w_i|, relative to `terms`, and what underflow adds.
    rounding: f64,
    underflow: f64,
    /// w and `terms` are multiplied by this power of two: 1 unless they overflow.
    scale: f64,
}

impl Judge {
    /// Measures z against the problem and says [`Status::Solved`] when the relative residual, with its own rounding error
    /// added, is at most `tolerance`, and [`Status::Inaccurate`] otherwise.
    ///
    /// `z` must have the problem's length; entries that are not finite are never accepted.
    pub fn judge(&mut self, problem: View<'_>, z: &[f64], tolerance: f64) -> (Status, Residual) {
        if z.len() != problem.q.len() || z.iter().any(|v| !v.is_finite()) {
            let refused = Residual {
                natural: f64::INFINITY,
                relative: f64::INFINITY,
                backward: f64::INFINITY,
                complementarity: f64::INFINITY,
                roundings: f64::INFINITY,
                worst_row: z.iter().position(|v| !v.is_finite()).unwrap_or(0),
            };
            self.w.clear();
            self.w.resize(problem.q.len(), f64::NAN);
            return (Status::Inaccurate, refused);
        }
        self.clip(problem, z);
        self.scale = 1.0;
        self.sum_plain(problem);
        if !self.sums_are_finite() {
            self.scale = DOWN;
            self.sum_plain(problem);
        }
        let (mut residual, mut bound) = self.measure(problem, z);
        if bound > tolerance && bound.is_finite() {
            self.sum_twice_the_precision(problem);
            (residual, bound) = self.measure(problem, z);
        }
        if !self.sums_are_finite() {
            bound = f64::INFINITY; // terms beyond the range of doubles: nothing can be said
        }
        if self.scale < 1.0 {
            let up = self.scale.recip();
            self.w.iter_mut().for_each(|w| *w *= up);
        }
        let status = if bound <= tolerance {
            Status::Solved
        } else {
            Status::Inaccurate
        };
        (status, residual)
    }

    /// Mz + q of the vector last judged, length n.
    #[must_use]
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    fn sums_are_finite(&self) -> bool {
        self.terms.iter().chain(&self.w).all(|v| v.is_finite())
    }

    fn clip(&mut self, problem: View<'_>, z: &[f64]) {
        self.clipped.clear();
        self.clipped.extend(z.iter().enumerate().map(|(i, &value)| {
            let (lower, upper) = problem.bounds.of(i);
            value.max(lower).min(upper) + 0.0 // + 0.0 turns −0 into 0
        }));
    }

    /// w and the sum of magnitudes, column by column.
    fn sum_plain(&mut self, problem: View<'_>) {
        let scale = self.scale;
        self.w.clear();
        self.w.extend(problem.q.iter().map(|v| v * scale));
        self.terms.clear();
        self.terms.extend(self.w.iter().map(|v| v.abs()));
        let mut count = 0u32;
        for (j, &z) in self.clipped.iter().enumerate() {
            if z == 0.0 {
                continue;
            }
            count += 1;
            let z = z * scale;
            let column = problem.M.column(j);
            if let Some(rows) = problem.M.thin_column(j) {
                for &i in rows {
                    let term = column[i as usize] * z;
                    self.w[i as usize] += term;
                    self.terms[i as usize] += term.abs();
                }
            } else {
                for ((w, terms), &m) in self.w.iter_mut().zip(&mut self.terms).zip(column) {
                    let term = m * z;
                    *w += term;
                    *terms += term.abs();
                }
            }
        }
        // Standard bound γ_k ≤ 1.01 k u on a sum of k rounded products, and as much again for `terms` itself.
        self.rounding = 1.03 * f64::from(count + 2) * f64::ROUNDOFF;
        self.underflow = 2.0 * f64::from(count) * LEAST;
    }

    /// w again, each row summed in twice the precision (Ogita, Rump, Oishi: Dot2).
    fn sum_twice_the_precision(&mut self, problem: View<'_>) {
        let scale = self.scale;
        for (w, q) in self.w.iter_mut().zip(problem.q) {
            *w = q * scale;
        }
        self.w_low.clear();
        self.w_low.resize(problem.q.len(), 0.0);
        let mut count = 0u32;
        for (j, &z) in self.clipped.iter().enumerate() {
            if z == 0.0 {
                continue;
            }
            count += 1;
            let z = z * scale;
            for ((w, low), &m) in self.w.iter_mut().zip(&mut self.w_low).zip(problem.M.column(j)) {
                let (p, e) = two_prod(m, z);
                let (s, f) = two_sum(*w, p);
                *w = s;
                *low += e + f;
            }
        }
        for (w, low) in self.w.iter_mut().zip(&self.w_low) {
            *w += low;
        }
        let k = f64::from(count + 2);
        // |error| ≤ u |w| + (k u)² terms; u |w| is covered by the factor on |w| in `measure`.
        self.rounding = 2.0 * (k * f64::ROUNDOFF) * (k * f64::ROUNDOFF);
        self.underflow = 16.0 * f64::from(count) * LEAST; // each of the partial products of Dekker's split may underflow
    }

    /// The residual, and the bound that the verdict compares with the tolerance.
    fn measure(&self, problem: View<'_>, z: &[f64]) -> (Residual, f64) {
        let mut residual = Residual::ZERO;
        let mut bound = 0.0f64;
        let size = problem.q.iter().fold(0.0f64, |m, v| v.abs().max(m)) * self.scale;
        let up = self.scale.recip();
        let largest_terms = self.terms.iter().fold(0.0f64, |m, v| v.max(m));
        for (i, &given) in z.iter().enumerate() {
            let (lower, upper) = problem.bounds.of(i);
            let (zi, wi) = (self.clipped[i], self.w[i]);
            let slack = self.rounding * self.terms[i] + 2.0 * f64::ROUNDOFF * wi.abs() + self.underflow;
            if zi == lower && wi > slack && given == zi {
                continue; // most rows: at the bound, with the right sign beyond doubt
            }
            let outside = (given - zi).abs();
            let unit = problem.M.column_scale(i) * self.scale;
            let row = Row {
                below: unit * (zi - lower),
                above: unit * (upper - zi),
                size,
                divisor: size.max(ROW_FLOOR * self.terms[i]),
            };
            let beyond = ratio(unit * outside, size);
            let relative = row.relative(wi).max(beyond);
            if relative > residual.relative {
                residual.relative = relative;
                residual.worst_row = i;
            }
            residual.roundings = residual
                .roundings
                .max(ratio(relative * row.divisor, f64::ROUNDOFF * largest_terms));
            // The largest over all w within the slack.
            let worst = row
                .relative((wi + slack).max(0.0))
                .max(row.relative((wi - slack).min(0.0)));
            bound = bound.max(worst).max(beyond);
            let natural = (zi - middle(lower, zi - wi * up, upper)).abs().max(outside);
            residual.natural = residual.natural.max(natural);
            residual.backward = residual.backward.max(backward(zi, wi, slack, lower, upper) * up);
            residual.complementarity = residual.complementarity.max(complementarity(zi, wi * up, lower, upper));
        }
        (residual, bound)
    }
}

/// a / b with 0 / 0 = 0; NaN counts as infinite.
fn ratio(a: f64, b: f64) -> f64 {
    if a == 0.0 {
        return 0.0;
    }
    let value = a / b;
    if value.is_nan() { f64::INFINITY } else { value }
}

/// The median of l ≤ u and x.
fn middle(lower: f64, x: f64, upper: f64) -> f64 {
    x.max(lower).min(upper)
}

/// What the relative residual of a row is made of.
struct Row {
    /// d (z − l) and d (u − z).
    below: f64,
    above: f64,
    /// max |q|, which distances of z are compared with.
    size: f64,
    /// The same or the floor of the row, which w is compared with.
    divisor: f64,
}

impl Row {
    /// |d z − mid(d l, d z − w, d u)|: w itself or how far z can move against it, whichever is less, each in its unit.
    fn relative(&self, w: f64) -> f64 {
        let distance = if w > 0.0 { self.below } else { self.above };
        ratio(w.abs(), self.divisor).min(ratio(distance, self.size))
    }
}

/// |δq_i| with outward rounding: how much q_i must change for w_i to have the sign that z_i asks for.
fn backward(z: f64, w: f64, slack: f64, lower: f64, upper: f64) -> f64 {
    let dq = match (z > lower, z < upper) {
        (true, true) => w.abs(),
        (false, true) => (-w).max(0.0),
        (true, false) => w.max(0.0),
        (false, false) => return 0.0, // l = u: any w will do
    };
    // Where the sign of w is settled beyond its rounding, nothing is added.
    if dq == 0.0 && w.abs() > slack {
        return 0.0;
    }
    (dq + slack) * (1.0 + 4.0 * f64::ROUNDOFF)
}

/// |(z − l) w| or |(u − z) w|, whichever bound w holds z against; an absent bound is replaced by the other.
fn complementarity(z: f64, w: f64, lower: f64, upper: f64) -> f64 {
    let (from_lower, from_upper) = (z - lower, upper - z);
    let distance = if from_upper.is_infinite() || (w > 0.0 && from_lower.is_finite()) {
        from_lower
    } else {
        from_upper
    };
    if distance.is_finite() {
        (distance * w).abs()
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Lcp, Mlcp};

    const TOLERANCE: f64 = 1e-10;

    fn murty() -> Lcp {
        Lcp::from_rows(&[[2.0, 1.0], [1.0, 2.0]], &[-5.0, -6.0]).unwrap()
    }

    fn verdict(lcp: &Lcp, z: &[f64]) -> (Status, Residual) {
        Judge::default().judge(lcp.view(), z, TOLERANCE)
    }

    #[test]
    fn the_solution_is_accepted() {
        let (status, residual) = verdict(&murty(), &[4.0 / 3.0, 7.0 / 3.0]);
        assert_eq!(status, Status::Solved);
        assert!(residual.relative < 1e-15 && residual.backward < 1e-14, "{residual:?}");
    }

    #[test]
    fn a_wrong_vector_is_refused_and_its_row_named() {
        let (status, residual) = verdict(&murty(), &[4.0 / 3.0, 7.0 / 3.0 + 1e-6]);
        assert_eq!(status, Status::Inaccurate);
        assert_eq!(residual.worst_row, 1);
        assert!((residual.natural - 2e-6).abs() < 1e-12);
    }

    #[test]
    fn zero_is_not_an_answer_to_a_small_problem() {
        let lcp = Lcp::from_rows(&[[1.0]], &[-1e-13]).unwrap();
        assert_eq!(verdict(&lcp, &[0.0]).0, Status::Inaccurate);
        assert_eq!(verdict(&lcp, &[1e-13]).0, Status::Solved);
    }

    #[test]
    fn the_unit_of_z_does_not_matter() {
        // The same problem with z measured in a unit a million times larger.
        let lcp = Lcp::from_rows(&[[1e6, 0.0], [0.0, 1e6]], &[-1.0, 1.0]).unwrap();
        assert_eq!(verdict(&lcp, &[1e-6, 0.0]).0, Status::Solved);
        assert_eq!(verdict(&lcp, &[1e-6, 1e-11]).0, Status::Inaccurate);
    }

    #[test]
    fn a_column_of_zeros_does_not_excuse_a_positive_pair() {
        let lcp = Lcp::from_rows(&[[0.0]], &[1.0]).unwrap();
        assert_eq!(verdict(&lcp, &[5.0]).0, Status::Inaccurate);
    }

    #[test]
    fn nan_negative_and_short_vectors_are_refused() {
        assert_eq!(verdict(&murty(), &[f64::NAN, 0.0]).0, Status::Inaccurate);
        assert_eq!(verdict(&murty(), &[-1.0, 4.0]).0, Status::Inaccurate);
        assert_eq!(verdict(&murty(), &[1.0]).0, Status::Inaccurate);
    }

    #[test]
    fn an_empty_problem_is_solved_by_the_empty_vector() {
        let lcp = Lcp::from_rows::<[f64; 0]>(&[], &[]).unwrap();
        assert_eq!(verdict(&lcp, &[]), (Status::Solved, Residual::ZERO));
    }

    #[test]
    fn cancellation_is_summed_in_twice_the_precision() {
        // w_0 = 1e16 + 1 − 1e16 − 1 is exactly 0, but 1 in plain double sums.
        let rows = [[1e16, 1.0, -1e16], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let lcp = Lcp::from_rows(&rows, &[-1.0, -1.0, -1.0]).unwrap();
        let (status, residual) = verdict(&lcp, &[1.0, 1.0, 1.0]);
        assert_eq!((status, residual.natural), (Status::Solved, 0.0));
    }

    #[test]
    fn bounds_are_judged_by_the_sign_of_w() {
        let M = crate::Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap();
        let relay = Mlcp::new(M, vec![-5.0, 5.0], vec![-1.0; 2], vec![1.0; 2]).unwrap();
        let mut judge = Judge::default();
        assert_eq!(judge.judge(relay.view(), &[1.0, -1.0], TOLERANCE).0, Status::Solved);
        assert_eq!(judge.judge(relay.view(), &[-1.0, 1.0], TOLERANCE).0, Status::Inaccurate);
        assert_eq!(judge.judge(relay.view(), &[0.0, -1.0], TOLERANCE).0, Status::Inaccurate);
    }

    #[test]
    fn the_backward_error_bounds_the_change_of_q() {
        let (_, residual) = verdict(&murty(), &[1.3, 2.3]);
        // w = (2.6 + 2.3 − 5, 1.3 + 4.6 − 6) = (−0.1, −0.1)
        assert!(residual.backward >= 0.1 && residual.backward < 0.1 + 1e-12);
    }
}
