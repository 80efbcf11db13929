//! Principal pivoting without a ratio test, \[Drumwright\] section V (there called PPM I), for any M.
//!
//! A set α of active indices gives M_αα z_α = −q_α and w = Mz + q. While a variable is negative the set changes: the
//! most negative w_i enters, and the most negative z_j leaves (\[Drumwright\] algorithm 1). The paper's letters: α is
//! B̄, the complement is B. M_αα is kept factored ([`Lu`]); an iteration costs O(k²) for the factors and O(nk) for w.
//!
//! Lines 32–38 of the algorithm read k = B̄(j) after i has joined B̄, though j counts in the old set: with a sorted set
//! the wrong index leaves. Here j is an index, not a position. The rule may also come back to a set it has met: it is
//! not Cottle's method, and no theorem covers it. Sets are therefore remembered by a 64-bit key. At the first return
//! the rule becomes Murty's, the least negative index changes alone, which ends for every P-matrix (\[CPS\] chapter 4);
//! at the second the method gives up ([`Outcome::Cycle`]).

use crate::basis::Var;
use crate::factor::Lu;
use crate::pivoting::{Data, Outcome};
use crate::real::dot;
use crate::rounding::{Zero, add_column, residual};

/// A solve without refinement is trusted to this many times the zero tolerance: what is less negative is refined before
/// it may change the set, since rounding can put an index that depends on α there.
const REFINED_BELOW_TOLERANCES: f64 = 100.0;

/// Settings of principal pivoting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// z_i and w_i below zero by less than this share of the largest |q_i| count as zero. Default 1e-12: a hundredth of
    /// what the judge allows.
    pub zero_tolerance: f64,
    /// M_αα with one more index is singular when the Schur complement is at most this share of the terms it is the sum
    /// of. Default 1e-10: half the digits would be lost.
    pub schur_tolerance: f64,
    /// An index that would make M_αα singular is passed over while w_i is above minus this share of the largest |q_i|.
    /// Default 1e-10: what the judge allows.
    pub skip_tolerance: f64,
    /// M_αα is factored again after this many changes. Default 30: updates lose about a digit in as many.
    pub refactor: usize,
    /// Changes allowed: this many times n + 20. Default 50: usual is 1 to 3, but Murty's rule may need many.
    pub pivot_limit_per_variable: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            zero_tolerance: 1e-12,
            schur_tolerance: 1e-10,
            skip_tolerance: 1e-10,
            refactor: 30,
            pivot_limit_per_variable: 50,
        }
    }
}

/// Which negative variables change sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Rule {
    /// The most negative w enters and the most negative z leaves.
    #[default]
    MostNegative,
    /// Murty: the negative variable with the least index, alone.
    LeastIndex,
}

/// Principal pivoting with its buffers: no allocation once it has seen a problem of the size.
#[derive(Debug, Clone, Default)]
pub struct Ppm {
    /// α in the order of the factor's rows and columns.
    alpha: Vec<usize>,
    active: Vec<bool>,
    /// Passed over because they depend on α; forgotten when an index leaves α.
    dependent: Vec<bool>,
    z: Vec<f64>,
    w: Vec<f64>,
    lu: Lu<f64>,
    /// Right-hand sides and solutions of systems with M_αα, and a row of it.
    b: Vec<f64>,
    x: Vec<f64>,
    row: Vec<f64>,
    low: Vec<f64>,
    zero: Zero,
    /// Keys of the sets met under the present rule, and the key of α.
    met: Vec<u64>,
    key: u64,
    rule: Rule,
    pivots: usize,
    /// Changes since M_αα was last factored.
    changes: usize,
}

/// Room is made for this many sets per variable before a run; usual is 1 to 3.
const SETS_RESERVED_PER_VARIABLE: usize = 50;

/// The matrix of the set is singular to working precision.
struct Singular;

impl Ppm {
    /// Runs the method. On [`Outcome::Complementary`] the answer is in `z`.
    pub fn run(&mut self, data: Data<'_>, options: &Options, z: &mut [f64]) -> Outcome {
        let limit = options.pivot_limit_per_variable.saturating_mul(data.n() + 20);
        if self.begin(data, options, limit).is_err() {
            return Outcome::Singular;
        }
        loop {
            self.solve(data); // lines 10-14
            if self.z.iter().any(|v| !v.is_finite()) {
                return Outcome::Singular;
            }
            let (mut enters, mut leaves) = self.negative(data, REFINED_BELOW_TOLERANCES);
            if enters.is_none() && leaves.is_none() {
                self.refine(data);
                (enters, leaves) = self.negative(data, 1.0);
            }
            if enters.is_none() && leaves.is_none() {
                z.copy_from_slice(&self.z); // lines 25-29
                return Outcome::Complementary;
            }
            if self.pivots >= limit || (self.returned() && !self.change_rule()) {
                return Outcome::Cycle;
            }
            if self.rule == Rule::LeastIndex {
                (enters, leaves) = least(enters, leaves);
            }
            if self.exchange(data, options, enters, leaves).is_err() && !self.restart(data) {
                return Outcome::Singular;
            }
        }
    }

    /// Changes of the active set in the last run.
    #[must_use]
    pub fn pivots(&self) -> usize {
        self.pivots
    }

    /// Whether a set came back in the last run, so that Murty's rule took over.
    #[must_use]
    pub fn changed_rule(&self) -> bool {
        self.rule == Rule::LeastIndex
    }

    fn begin(&mut self, data: Data<'_>, options: &Options, limit: usize) -> Result<(), Singular> {
        let n = data.n();
        self.pivots = 0;
        self.rule = Rule::MostNegative;
        self.zero.measure(data, options.zero_tolerance);
        for v in [
            &mut self.z,
            &mut self.w,
            &mut self.b,
            &mut self.x,
            &mut self.row,
            &mut self.low,
        ] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.lu.reserve(n); // room for the largest α now, not when it is met
        self.met.clear();
        self.met.reserve(limit.min(SETS_RESERVED_PER_VARIABLE * (n + 20)) + 1);
        self.free_only(data)
    }

    /// α = the free variables, which never leave.
    fn free_only(&mut self, data: Data<'_>) -> Result<(), Singular> {
        let n = data.n();
        self.met.clear();
        self.key = 0;
        self.alpha.clear();
        self.alpha.reserve(n);
        self.alpha.extend((0..n).filter(|&i| data.is_free(i)));
        self.active.clear();
        self.active.extend((0..n).map(|i| data.is_free(i)));
        self.dependent.clear();
        self.dependent.resize(n, false);
        self.factor(data)
    }

    fn factor(&mut self, data: Data<'_>) -> Result<(), Singular> {
        self.changes = 0;
        let alpha = &self.alpha;
        let regular = self.lu.factor(alpha.len(), |i, j| data.M.at(alpha[i], alpha[j]));
        if regular { Ok(()) } else { Err(Singular) }
    }

    /// M_αα z_α = −q_α and w = Mz + q.
    fn solve(&mut self, data: Data<'_>) {
        for (b, &i) in self.b.iter_mut().zip(&self.alpha) {
            *b = -data.q[i];
        }
        self.lu.solve(&self.b, &mut self.x);
        self.z.fill(0.0);
        self.w.copy_from_slice(data.q);
        for (&x, &j) in self.x.iter().zip(&self.alpha) {
            self.z[j] = x;
            add_column(data.M, j, x, &mut self.w);
        }
    }

    /// One step of iterative refinement; what is then below zero by rounding becomes zero.
    fn refine(&mut self, data: Data<'_>) {
        residual(data, &self.alpha, &self.z, &mut self.w, &mut self.low);
        for (b, &i) in self.b.iter_mut().zip(&self.alpha) {
            *b = -self.w[i];
        }
        self.lu.solve(&self.b, &mut self.x);
        for (&x, &j) in self.x.iter().zip(&self.alpha) {
            self.z[j] += x;
            if !data.is_free(j) && self.z[j] < 0.0 && !self.is_negative_z(data, j, 1.0) {
                self.z[j] = 0.0;
            }
        }
        residual(data, &self.alpha, &self.z, &mut self.w, &mut self.low);
    }

    fn is_negative_z(&self, data: Data<'_>, j: usize, slack: f64) -> bool {
        self.z[j] * data.M.column_scale(j) < -slack * self.zero.of(j)
    }

    /// The index to enter α, by its w, and the one to leave, by its z: the most negative each, in the units of the
    /// balanced matrix, or those with the least index. What is above −`slack` times the zero tolerance is not negative.
    fn negative(&self, data: Data<'_>, slack: f64) -> (Option<usize>, Option<usize>) {
        let (mut enters, mut leaves) = (None, None);
        let (mut least_w, mut least_z) = (0.0, 0.0);
        let first = self.rule == Rule::LeastIndex;
        for i in 0..data.n() {
            if !self.active[i] && !self.dependent[i] && self.w[i] < -slack * self.zero.of(i) {
                let value = self.w[i] * data.M.row_scale()[i];
                if (first && enters.is_none()) || (!first && value < least_w) {
                    (enters, least_w) = (Some(i), value);
                }
            } else if self.active[i] && !data.is_free(i) && self.is_negative_z(data, i, slack) {
                let value = self.z[i] / data.M.unit_scale()[i];
                if (first && leaves.is_none()) || (!first && value < least_z) {
                    (leaves, least_z) = (Some(i), value);
                }
            }
        }
        (enters, leaves)
    }

    /// Whether the index set α has occurred before under the present rule.
    fn returned(&mut self) -> bool {
        let seen = self.met.contains(&self.key);
        self.met.push(self.key);
        seen
    }

    /// Goes over to Murty's rule. False when it is in force already.
    fn change_rule(&mut self) -> bool {
        let changed = self.rule == Rule::MostNegative;
        self.rule = Rule::LeastIndex;
        self.met.clear();
        changed
    }

    /// After a singular set: Murty's rule, from the beginning. False when it is in force already.
    fn restart(&mut self, data: Data<'_>) -> bool {
        self.change_rule() && self.free_only(data).is_ok()
    }

    /// Lines 20-22 and 32-38: `leaves` goes from α, `enters` comes to it.
    fn exchange(
        &mut self,
        data: Data<'_>,
        options: &Options,
        enters: Option<usize>,
        leaves: Option<usize>,
    ) -> Result<(), Singular> {
        if let Some(j) = leaves {
            let position = self.alpha.iter().position(|&i| i == j).ok_or(Singular)?;
            self.lu.remove(position, position);
            self.alpha.remove(position);
            self.dependent.fill(false);
            self.note_change(j);
        }
        if let Some(i) = enters {
            if self.append(data, options, i).is_ok() {
                self.note_change(i);
            } else if self.w[i] * options.zero_tolerance >= -options.skip_tolerance * self.zero.of(i) {
                self.dependent[i] = true;
                if leaves.is_none() {
                    self.met.pop(); // α is the same, but this is no return
                }
            } else {
                return Err(Singular);
            }
        }
        if self.changes >= options.refactor {
            return self.factor(data);
        }
        if self.lu.is_singular() { Err(Singular) } else { Ok(()) }
    }

    /// Adds row and column i to the factors, unless that makes M_αα singular.
    fn append(&mut self, data: Data<'_>, options: &Options, i: usize) -> Result<(), Singular> {
        let k = self.alpha.len();
        for (p, &j) in self.alpha.iter().enumerate() {
            self.b[p] = data.M.at(j, i);
            self.row[p] = data.M.at(i, j);
        }
        self.lu.solve(&self.b, &mut self.x);
        let corner = data.M.at(i, i);
        let schur = corner - dot(&self.row[..k], &self.x[..k]);
        let terms = (0..k).fold(corner.abs(), |sum, p| sum + (self.row[p] * self.x[p]).abs());
        if schur.abs() > options.schur_tolerance * terms {
            self.lu.append(&self.row[..k], corner);
            self.alpha.push(i);
            Ok(())
        } else {
            Err(Singular) // also when it is not a number
        }
    }

    fn note_change(&mut self, i: usize) {
        self.active[i] = !self.active[i];
        self.key ^= Var::Z(i).key();
        self.pivots += 1;
        self.changes += 1;
    }
}

/// Murty's rule: of the two, the one with the lower index.
fn least(enters: Option<usize>, leaves: Option<usize>) -> (Option<usize>, Option<usize>) {
    match (enters, leaves) {
        (Some(i), Some(j)) if i < j => (enters, None),
        (_, Some(_)) => (None, leaves),
        _ => (enters, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Lcp;
    use crate::residual::Judge;
    use crate::solution::Status;

    fn solve(rows: &[Vec<f64>], q: &[f64]) -> (Outcome, Status, Ppm) {
        let lcp = Lcp::from_rows(rows, q).unwrap();
        let data = Data {
            M: lcp.M(),
            q: lcp.q(),
            free: &[],
        };
        let (mut ppm, mut z) = (Ppm::default(), vec![0.0; q.len()]);
        let outcome = ppm.run(data, &Options::default(), &mut z);
        (outcome, Judge::default().judge(lcp.view(), &z, 1e-10).0, ppm)
    }

    #[test]
    fn kostrevas_matrix_is_solved_after_the_guard_fires() {
        let rows = [vec![1.0, 2.0, 0.0], vec![0.0, 1.0, 2.0], vec![2.0, 0.0, 1.0]];
        let (outcome, status, ppm) = solve(&rows, &[-1.0; 3]);
        assert_eq!((outcome, status), (Outcome::Complementary, Status::Solved));
        assert!(ppm.changed_rule() && ppm.pivots() < 20, "{} pivots", ppm.pivots());
    }

    #[test]
    fn a_non_negative_q_needs_no_pivot() {
        let (outcome, status, ppm) = solve(&[vec![-1.0]], &[2.0]);
        assert_eq!(
            (outcome, status, ppm.pivots()),
            (Outcome::Complementary, Status::Solved, 0)
        );
    }

    #[test]
    fn a_singular_set_is_reported() {
        let (outcome, _, _) = solve(&[vec![0.0]], &[-1.0]);
        assert_eq!(outcome, Outcome::Singular);
    }

    #[test]
    fn a_second_problem_of_the_size_finds_its_room() {
        let (mut ppm, mut z) = (Ppm::default(), vec![0.0; 20]);
        let mut rooms = Vec::new();
        for run in 0..5usize {
            let rows: Vec<Vec<f64>> = (0..20usize)
                .map(|i| {
                    (0..20)
                        .map(|j| if i == j { 1.0 } else { 0.01 * (i + j) as f64 / 20.0 })
                        .collect()
                })
                .collect();
            // The first problem has an empty α, the last a full one.
            let q: Vec<f64> = (0..20).map(|i| if i < 5 * run { -1.0 } else { 2.0 }).collect();
            let lcp = Lcp::from_rows(&rows, &q).unwrap();
            let data = Data {
                M: lcp.M(),
                q: lcp.q(),
                free: &[],
            };
            assert_eq!(ppm.run(data, &Options::default(), &mut z), Outcome::Complementary);
            let vectors = [&ppm.z, &ppm.w, &ppm.b, &ppm.x, &ppm.row, &ppm.low].map(Vec::capacity);
            let sets = [
                ppm.alpha.capacity(),
                ppm.active.capacity(),
                ppm.dependent.capacity(),
                ppm.met.capacity(),
            ];
            rooms.push((vectors, sets));
        }
        assert!(rooms.iter().all(|r| *r == rooms[0]), "{rooms:?}");
    }
}
