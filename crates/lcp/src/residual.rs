//! The judge: decides from the problem's own data and z alone whether z is an answer.
//!
//! With w = Mz + q, three measures are taken:
//!
//! - the *natural residual* |z_i − mid(l_i, z_i − w_i, u_i)|, which for l = 0, u = ∞ is |min(z_i, w_i)|;
//! - the *backward error*: z solves exactly the problem with q + δq, where δq_i = −w_i if z_i lies between its bounds and
//!   otherwise just enough to give w_i the sign its bound asks for. Rounding errors of w are bounded and added;
//! - *complementarity*, the largest |z_i w_i|.
//!
//! The verdict uses the natural residual row by row. Each row is measured by what acts on it, never by the largest number of the problem:
//!
//! - The scale of row i is S_i = max(|q_i|, min(T_i, Q_i)), with the terms T_i = |q_i| + Σ_j |M_ij z_j|. The cap Q_i is the largest |q_k| of the
//!   rows that entries of M connect with row i, as it stands or in the units of a unit diagonal, whichever is less. Without it a huge wrong z would excuse itself.
//! - A row on which nothing acts but specks has no scale of its own and takes Q_i. A speck is a z_j that is zero except for a few roundings of Q_j and of the largest z.
//! - w_i counts as |w_i|/S_i.
//! - A z_i that should be at its bound counts as the largest |M_ki d_i|/S_k over the rows k it acts on, where d_i is the distance from
//!   the bound, and no less than d_i beside the largest z of its block.
//! - A row's residual is the lesser of the two; an answer is solved where no row exceeds the tolerance.
//!
//! Doubles cannot add up huge terms to any precision. So a second figure excuses [`EXCUSED_ROUNDINGS`] roundings of the terms of a row, and no more than [`EXCUSED_MOST`] of
//! Q_i. An answer that only this figure accepts is solved with an accuracy of [`Accuracy::Rounding`].
//!
//! A bound on the rounding error of w is added before the comparison; where the plain sums are too coarse to decide, w is
//! summed again in twice the precision.

mod scale;

use crate::problem::View;
use crate::real::{Real, two_prod, two_sum};
use crate::solution::{Accuracy, Status};
use scale::Scales;

/// Roundings of the terms of a row that the second figure excuses, each of 2⁻⁵².
pub const EXCUSED_ROUNDINGS: f64 = 8.0;

/// Share of Q_i beyond which no rounding is excused: an answer whose huge terms happen to cancel is not accepted for that.
pub const EXCUSED_MOST: f64 = 1e-8;

/// Sums that overflow are taken again in this unit, 2⁻⁶⁴.
const OVERFLOW_UNIT: f64 = 5.421_010_862_427_522e-20;

/// The least positive double: no underflow loses more than this.
const LEAST_POSITIVE: f64 = 5e-324;

/// How far a vector is from solving a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// Largest |z_i − mid(l_i, z_i − w_i, u_i)| as it stands.
    pub natural: f64,
    /// The same with each row relative to its own scale: what the verdict is about.
    pub relative: f64,
    /// The same with rounding of the terms of each row excused.
    pub excused: f64,
    /// What an answer that is solved is solved to; without meaning otherwise.
    pub accuracy: Accuracy,
    /// Bound on the largest |δq_i| for which z solves the problem with q + δq exactly; rounded outward.
    pub backward: f64,
    /// Largest |z_i w_i| over finite bounds: (z_i − l_i) w_i⁺ and (u_i − z_i) w_i⁻.
    pub complementarity: f64,
    /// Largest residual of a row in units of the roundoff of its own terms: an answer of a few roundings can
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
        excused: 0.0,
        accuracy: Accuracy::Full,
        backward: 0.0,
        complementarity: 0.0,
        roundings: 0.0,
        worst_row: 0,
    };

    /// Of a vector that is not made of finite numbers, or has another length.
    fn refused(worst_row: usize) -> Self {
        Residual {
            natural: f64::INFINITY,
            relative: f64::INFINITY,
            excused: f64::INFINITY,
            accuracy: Accuracy::Full,
            backward: f64::INFINITY,
            complementarity: f64::INFINITY,
            roundings: f64::INFINITY,
            worst_row,
        }
    }
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
    /// What each row is measured by.
    scales: Scales,
    /// Bound on |computed w_i − w_i|, relative to `terms`, and what underflow adds.
    rounding: f64,
    underflow: f64,
    /// w and `terms` are multiplied by this power of two: 1 unless they overflow.
    scale: f64,
}

/// The two figures that the verdict compares with the tolerance, rounding of the judge's own sums included.
#[derive(Debug, Clone, Copy, Default)]
struct Bounds {
    plain: f64,
    excused: f64,
}

impl Judge {
    /// Measures z against the problem and says [`Status::Solved`] when a relative residual, with its own rounding error
    /// added, is at most `tolerance` (below 1), and [`Status::Inaccurate`] otherwise. [`Residual::accuracy`] says which of the two figures it is.
    ///
    /// `z` must have the problem's length; entries that are not finite are never accepted.
    pub fn judge(&mut self, problem: View<'_>, z: &[f64], tolerance: f64) -> (Status, Residual) {
        let judgeable = z.len() == problem.q.len() && tolerance < 1.0;
        if !judgeable || z.iter().any(|v| !v.is_finite()) {
            let worst_row = z.iter().position(|v| !v.is_finite()).unwrap_or(0);
            self.w.clear();
            self.w.resize(problem.q.len(), f64::NAN);
            return (Status::Inaccurate, Residual::refused(worst_row));
        }
        self.clip(problem, z);
        self.scale = 1.0;
        self.sum_plain(problem);
        if !self.sums_are_finite() {
            self.scale = OVERFLOW_UNIT;
            self.sum_plain(problem);
        }
        self.scales.set(problem, &self.clipped, &self.terms, self.scale);
        let (mut residual, mut bounds) = self.measure(problem, z, tolerance);
        if bounds.plain > tolerance && bounds.plain.is_finite() {
            self.sum_twice_the_precision(problem);
            (residual, bounds) = self.measure(problem, z, tolerance);
        }
        let finite = self.sums_are_finite(); // terms beyond the range of doubles: nothing can be said
        let up = self.scale.recip();
        for w in &mut self.w {
            *w = *w * up + 0.0; // + 0.0 turns −0 into 0
        }
        let status = if finite && bounds.plain.min(bounds.excused) <= tolerance {
            Status::Solved
        } else {
            Status::Inaccurate
        };
        if status == Status::Solved && bounds.plain > tolerance {
            residual.accuracy = Accuracy::Rounding;
        }
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
        self.underflow = if self.may_underflow(problem) {
            2.0 * f64::from(count) * LEAST_POSITIVE
        } else {
            0.0
        };
    }

    /// Whether a product M_ij z_j, or its rounding error, can be too small for a double.
    fn may_underflow(&self, problem: View<'_>) -> bool {
        let nonzero = self.clipped.iter().filter(|z| **z != 0.0);
        let least_z = nonzero.fold(f64::INFINITY, |m, z| z.abs().min(m)) * self.scale;
        problem.M.least() * least_z < 1e-280
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
        // Each of the partial products of Dekker's split may underflow.
        self.underflow = if self.may_underflow(problem) {
            16.0 * f64::from(count) * LEAST_POSITIVE
        } else {
            0.0
        };
    }

    /// The residual, and the bounds that the verdict compares with the tolerance.
    fn measure(&self, problem: View<'_>, z: &[f64], tolerance: f64) -> (Residual, Bounds) {
        let mut residual = Residual::ZERO;
        let mut bounds = Bounds::default();
        let up = self.scale.recip();
        for (i, &given) in z.iter().enumerate() {
            let (lower, upper) = problem.bounds.of(i);
            let (zi, wi, terms) = (self.clipped[i], self.w[i], self.terms[i]);
            let slack = self.rounding * terms + 2.0 * f64::ROUNDOFF * wi.abs() + self.underflow;
            if zi == lower && wi > slack && given == zi {
                continue; // most rows: at the bound, with the right sign beyond doubt
            }
            let row = Row {
                judge: self,
                problem,
                i,
                below: zi - lower,
                above: upper - zi,
                tolerance,
            };
            let outside = (given - zi).abs();
            let beyond = [false, true].map(|excuse| row.far(outside, excuse));
            let relative = row.relative(wi, false).max(beyond[0]);
            if relative > residual.relative {
                residual.relative = relative;
                residual.worst_row = i;
            }
            residual.excused = residual.excused.max(row.relative(wi, true)).max(beyond[1]);
            let left = relative * self.scales.of(i);
            residual.roundings = residual.roundings.max(ratio(left, f64::ROUNDOFF * terms));
            // The largest over all w within the slack.
            let worst = |excuse: bool| {
                row.relative((wi + slack).max(0.0), excuse)
                    .max(row.relative((wi - slack).min(0.0), excuse))
            };
            bounds.plain = bounds.plain.max(worst(false)).max(beyond[0]);
            bounds.excused = bounds.excused.max(worst(true)).max(beyond[1]);
            let natural = natural(zi, wi * up, lower, upper).max(outside);
            residual.natural = residual.natural.max(natural);
            residual.backward = residual.backward.max(backward(zi, wi, slack, lower, upper) * up);
            residual.complementarity = residual.complementarity.max(complementarity(zi, wi * up, lower, upper));
        }
        (residual, bounds)
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

/// |z − mid(l, z − w, u)| for l ≤ z ≤ u, without the cancellation: w, or how far z can move against it, whichever is less.
fn natural(z: f64, w: f64, lower: f64, upper: f64) -> f64 {
    let distance = if w > 0.0 { z - lower } else { upper - z };
    w.abs().min(distance)
}

/// What the relative residual of a row is made of.
struct Row<'a> {
    judge: &'a Judge,
    problem: View<'a>,
    i: usize,
    /// Distance of z from its bounds.
    below: f64,
    above: f64,
    tolerance: f64,
}

impl Row<'_> {
    /// The natural residual: w beside the scale of its row, or how far z can move against it, whichever is less. The second is looked at only where the
    /// first is beyond the tolerance.
    fn relative(&self, w: f64, excuse: bool) -> f64 {
        let scales = &self.judge.scales;
        let left = if excuse {
            (w.abs() - scales.floor(self.i)).max(0.0)
        } else {
            w.abs()
        };
        let of_w = ratio(left, scales.of(self.i));
        if of_w <= self.tolerance {
            return of_w;
        }
        of_w.min(self.far(if w > 0.0 { self.below } else { self.above }, excuse))
    }

    /// How far z is from a bound: by what it does to each row, and beside the largest z of its block.
    fn far(&self, distance: f64, excuse: bool) -> f64 {
        if distance == 0.0 {
            return 0.0;
        }
        if distance.is_infinite() {
            return f64::INFINITY;
        }
        let (judge, scales) = (self.judge, &self.judge.scales);
        let effect = |k: usize, m: f64| {
            let moved = m.abs() * (distance * judge.scale);
            let excused = if excuse { scales.floor(k) } else { 0.0 };
            ratio((moved - excused).max(0.0), scales.of(k))
        };
        let column = self.problem.M.column(self.i);
        if column.iter().all(|m| *m == 0.0) {
            return f64::INFINITY; // it acts on nothing that could measure it
        }
        let largest = match self.problem.M.thin_column(self.i) {
            Some(rows) => rows
                .iter()
                .fold(0.0f64, |m, &k| m.max(effect(k as usize, column[k as usize]))),
            None => column.iter().enumerate().fold(
                0.0f64,
                |m, (k, &entry)| {
                    if entry == 0.0 { m } else { m.max(effect(k, entry)) }
                },
            ),
        };
        largest.max(ratio(distance, scales.largest_z(self.i)))
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
    fn huge_terms_that_cancel_are_no_answer() {
        // Infeasible: w_0 + w_1 = −2 for every z. In doubles 1e17 − 1e17 − 1 is 0.
        let lcp = Lcp::from_rows(&[[1.0, -1.0], [-1.0, 1.0]], &[-1.0, -1.0]).unwrap();
        assert_eq!(verdict(&lcp, &[1e17, 1e17]).0, Status::Inaccurate);
        let rows = [
            [23392.0, -344_352.0, 172_448.0],
            [-8557.0, 125_967.0, -63083.0],
            [-29111.0, 428_541.0, -214_609.0],
        ];
        let lcp = Lcp::from_rows(&rows, &[-999.0, -999.0, -1.0]).unwrap();
        for z in [[5e17, 1e17, 1e17], [7.3e18, 9.9e17, 8.8e17]] {
            assert_eq!(verdict(&lcp, &z).0, Status::Inaccurate);
        }
    }

    #[test]
    fn a_small_row_beside_a_large_one_is_judged_by_its_own_size() {
        let lcp = Lcp::from_rows(&[[1.0, 0.0], [0.0, 0.0]], &[-1e11, -1.0]).unwrap();
        assert_eq!(verdict(&lcp, &[1e11, 0.0]).0, Status::Inaccurate);
    }

    #[test]
    fn a_large_z_with_little_effect_is_still_not_zero() {
        let lcp = Lcp::from_rows(&[[1e-12, 0.0], [0.0, 1.0]], &[1.0, -1.0]).unwrap();
        assert_eq!(verdict(&lcp, &[10.0, 1.0]).0, Status::Inaccurate);
        assert_eq!(verdict(&lcp, &[0.0, 1.0]).0, Status::Solved);
    }

    #[test]
    fn bounds_alone_can_drive_a_problem() {
        let M = crate::Matrix::from_rows(&[[0.0]]).unwrap();
        let problem = Mlcp::new(M, vec![0.0], vec![2.0], vec![f64::INFINITY]).unwrap();
        assert_eq!(
            Judge::default().judge(problem.view(), &[2.0], TOLERANCE).0,
            Status::Solved
        );
    }

    #[test]
    fn the_natural_residual_does_not_cancel() {
        let lcp = Lcp::from_rows(&[[1e-300]], &[5.0]).unwrap();
        let (status, residual) = verdict(&lcp, &[1e280]);
        assert_eq!((status, residual.natural), (Status::Inaccurate, 5.0));
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
