//! Proofs that a problem has no answer, searched for when every method has failed.

use crate::exact::{self, Enumeration, ExactLcp, RBig, Work};
use crate::lemke::{Lemke, Options, Start};
use crate::matrix::Matrix;
use crate::pivoting::{Data, Outcome};
use crate::solution::{Certificate, Status};
use crate::solve::free_flags;

/// A direction y is worth an exact look when Mᵀy ≤ 0 holds to this share of its terms.
const HINT_REL_TOL: f64 = 1e-6;

/// Hints are followed in exact arithmetic up to this n: one product with rationals.
const MAX_HINT_VARIABLES: usize = 2000;

/// The skew problem that looks for a Farkas vector in floating point has 2n variables; beyond this n it is not worth it.
const MAX_SKEW_VARIABLES: usize = 300;

/// What the search found.
pub(crate) enum Finding {
    /// A proof that there is no answer.
    Certificate(Status, Certificate),
    /// An answer after all: y in the variables of the pivoting methods.
    Answer(Vec<f64>),
    /// Neither.
    Nothing,
}

/// A Farkas vector from one hint, checked exactly; `None` when the hint is none.
pub(crate) fn follow_hint(data: Data<'_>, hint: &[f64]) -> Option<Vec<String>> {
    if data.n() > MAX_HINT_VARIABLES || !is_promising(data, hint) {
        return None;
    }
    let problem = exact_problem(data)?;
    // Size 0: only the hint itself and its rounded forms are tried.
    let y = exact::farkas(&problem, &[hint.to_vec()], 0)?;
    Some(y.iter().map(ToString::to_string).collect())
}

/// Searches with the given limits: n for a Farkas vector from scratch, n for all cones, and work in rationals.
pub(crate) fn certify(data: Data<'_>, rays: &[Vec<f64>], limits: (usize, usize), work: &mut Work) -> Finding {
    let (farkas_limit, cone_limit) = limits;
    let mut hints: Vec<Vec<f64>> = rays.iter().filter(|ray| is_promising(data, ray)).cloned().collect();
    if !rays.is_empty() {
        hints.extend(skew_hint(data));
    }
    if hints.is_empty() && data.n() > farkas_limit.max(cone_limit) {
        return Finding::Nothing;
    }
    let Some(problem) = exact_problem(data) else {
        return Finding::Nothing;
    };
    // Where nothing is left there is still the look at a hint, for which it was made.
    let _ = work.spend_making(&problem);
    for hint in &hints {
        if let Some(y) = exact_vertex(data, &problem, hint, work) {
            let y = y.iter().map(ToString::to_string).collect();
            return Finding::Certificate(Status::Infeasible, Certificate::Farkas { y });
        }
    }
    if data.n() <= MAX_HINT_VARIABLES
        && (!hints.is_empty() || data.n() <= farkas_limit)
        && let Some(y) = exact::farkas_within(&problem, &hints, farkas_limit, work)
    {
        let y = y.iter().map(ToString::to_string).collect();
        return Finding::Certificate(Status::Infeasible, Certificate::Farkas { y });
    }
    if data.n() > cone_limit {
        return Finding::Nothing; // free variables count too: each cone is a system of all of them
    }
    match exact::enumerate_within(&problem, cone_limit, work) {
        Enumeration::Found { z, .. } => Finding::Answer(z.iter().map(|v| v.to_f64().value()).collect()),
        Enumeration::None { cones } => {
            let certificate = Certificate::Exhaustion { cones };
            Finding::Certificate(Status::Unsolvable, certificate)
        }
        Enumeration::TooLarge => Finding::Nothing,
    }
}

/// The exact Farkas vector that a hint approximates, if it is a vertex: its support S and the columns T in which Mᵀy vanishes give y
/// up to a factor, by one linear system without rounding.
fn exact_vertex(data: Data<'_>, problem: &ExactLcp, hint: &[f64], work: &mut Work) -> Option<Vec<RBig>> {
    let n = data.n();
    if n > MAX_HINT_VARIABLES || hint.len() != n || data.free.contains(&true) {
        return None;
    }
    let largest = hint.iter().fold(0.0f64, |m, v| v.abs().max(m));
    let support: Vec<usize> = (0..n).filter(|&i| hint[i] > HINT_REL_TOL * largest).collect();
    let (&first, rest) = support.split_first()?;
    let tight = independent_columns(data, hint, rest);
    if tight.len() != rest.len() {
        return None;
    }
    // Σ_{i in rest} M_it y_i = −M_{first,t} for t in T, with y_first = 1.
    let k = rest.len();
    let entries: Vec<RBig> = tight
        .iter()
        .flat_map(|&t| rest.iter().map(move |&i| problem.M(i, t)))
        .collect();
    let right: Vec<RBig> = tight.iter().map(|&t| problem.M(first, t)).collect();
    let system = ExactLcp::from_rationals(k, &entries, &right).ok()?;
    let (solved, _) = exact::solve_basis_within(&system, &vec![true; k], work)?;
    let mut y = vec![RBig::ZERO; n];
    y[first] = RBig::ONE;
    for (&i, value) in rest.iter().zip(solved) {
        y[i] = value;
    }
    exact::check_farkas(problem, &y).then_some(y)
}

/// Columns in which Mᵀy vanishes and whose entries in `rows` are independent, one for each row if there are as many: elimination with
/// the largest entry of the remaining columns as pivot.
fn independent_columns(data: Data<'_>, y: &[f64], rows: &[usize]) -> Vec<usize> {
    let vanishes = |j: &usize| {
        let terms = data.M.column(*j).iter().zip(y).map(|(m, y)| m * y);
        let (sum, size) = terms.fold((0.0, 0.0f64), |(s, t), v| (s + v, t + v.abs()));
        size > 0.0 && sum.abs() <= HINT_REL_TOL * size
    };
    let mut left: Vec<(usize, Vec<f64>)> = (0..data.n())
        .filter(vanishes)
        .map(|j| (j, rows.iter().map(|&i| data.M.at(i, j)).collect()))
        .collect();
    let mut chosen = Vec::new();
    for p in 0..rows.len() {
        let best = (0..left.len()).max_by(|&a, &b| left[a].1[p].abs().total_cmp(&left[b].1[p].abs()));
        let Some(best) = best.filter(|&b| left[b].1[p].abs() > 0.0) else {
            return Vec::new();
        };
        let (column, pivot) = left.swap_remove(best);
        for (_, other) in &mut left {
            let factor = other[p] / pivot[p];
            for (o, v) in other.iter_mut().zip(&pivot) {
                *o -= factor * v;
            }
        }
        chosen.push(column);
    }
    chosen
}

fn exact_problem(data: Data<'_>) -> Option<ExactLcp> {
    ExactLcp::from_matrix(data.M, data.q).with_free(free_flags(data)).ok()
}

/// Whether y ≥ 0, Mᵀy ≤ 0, qᵀy < 0 hold roughly.
fn is_promising(data: Data<'_>, y: &[f64]) -> bool {
    let n = data.n();
    let largest = y.iter().fold(0.0f64, |m, v| v.abs().max(m));
    let sign_is_wrong = |i: usize| !data.is_free(i) && y[i] < -HINT_REL_TOL * largest;
    if y.len() != n || largest == 0.0 || (0..n).any(sign_is_wrong) {
        return false;
    }
    let q_y: f64 = data.q.iter().zip(y).map(|(q, y)| q * y).sum();
    q_y < 0.0
        && (0..n).all(|j| {
            let terms = data.M.column(j).iter().zip(y).map(|(m, y)| m * y);
            let (sum, size) = terms.fold((0.0, 0.0f64), |(s, t), v| (s + v, t + v.abs()));
            let excess = if data.is_free(j) { sum.abs() } else { sum };
            excess <= HINT_REL_TOL * size
        })
}

/// {z ≥ 0 : Mz + q ≥ 0} is empty exactly when Lemke's method ends on a ray of the LCP with the skew matrix [0 −Mᵀ; M 0] and (0, q),
/// which is positive semidefinite; the second half of the ray is then a Farkas vector.
fn skew_hint(data: Data<'_>) -> Option<Vec<f64>> {
    let n = data.n();
    if n > MAX_SKEW_VARIABLES || data.free.contains(&true) {
        return None;
    }
    let mut columns = vec![0.0; 4 * n * n];
    let mut q = vec![0.0; 2 * n];
    for j in 0..n {
        for i in 0..n {
            columns[j * 2 * n + n + i] = data.M.at(i, j);
            columns[(n + i) * 2 * n + j] = -data.M.at(i, j);
        }
        q[n + j] = data.q[j];
    }
    let M = Matrix::from_columns(2 * n, columns).ok()?;
    let skew = Data {
        M: &M,
        q: &q,
        free: &[],
    };
    let mut lemke = Lemke::<f64>::default();
    let outcome = lemke.run(skew, Start::default(), &Options::default(), &mut vec![0.0; 2 * n]);
    (outcome == Outcome::Ray).then(|| lemke.ray(skew)[n..].to_vec())
}
