//! Proofs that a problem has no answer, searched for when every method has failed.

use crate::exact::{self, Enumeration, ExactLcp};
use crate::lemke::{Lemke, Options, Start};
use crate::matrix::Matrix;
use crate::pivoting::{Data, Outcome};
use crate::solution::{Certificate, Status};
use crate::solve::free_flags;

/// A direction y is worth an exact look when Mᵀy ≤ 0 holds to this share of its terms.
const PROMISING: f64 = 1e-6;

/// Hints are followed in exact arithmetic up to this n: one product with rationals.
const HINT_LIMIT: usize = 2000;

/// The skew problem that looks for a Farkas vector in floating point has 2n variables; beyond this n it is not worth it.
const SKEW_LIMIT: usize = 300;

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
    if data.n() > HINT_LIMIT || !is_promising(data, hint) {
        return None;
    }
    let problem = exact_problem(data)?;
    // Size 0: only the hint itself and its rounded forms are tried.
    let y = exact::farkas(&problem, &[hint.to_vec()], 0)?;
    Some(y.iter().map(ToString::to_string).collect())
}

/// Searches with the given limits: n for a Farkas vector from scratch, n for all cones.
pub(crate) fn certify(data: Data<'_>, rays: &[Vec<f64>], limits: (usize, usize)) -> Finding {
    let (farkas_limit, cone_limit) = limits;
    let mut hints: Vec<Vec<f64>> = rays.iter().filter(|ray| is_promising(data, ray)).cloned().collect();
    if !rays.is_empty() {
        hints.extend(skew_hint(data));
    }
    let Some(problem) = exact_problem(data) else {
        return Finding::Nothing;
    };
    if data.n() <= HINT_LIMIT
        && (!hints.is_empty() || data.n() <= farkas_limit)
        && let Some(y) = exact::farkas(&problem, &hints, farkas_limit)
    {
        let y = y.iter().map(ToString::to_string).collect();
        return Finding::Certificate(Status::Infeasible, Certificate::Farkas { y });
    }
    if data.n() > cone_limit {
        return Finding::Nothing; // free variables count too: each cone is a system of all of them
    }
    match exact::enumerate_exact(&problem, cone_limit) {
        Enumeration::Found { z, .. } => Finding::Answer(z.iter().map(|v| v.to_f64().value()).collect()),
        Enumeration::None { cones } => {
            let certificate = Certificate::Exhaustion { cones };
            Finding::Certificate(Status::Unsolvable, certificate)
        }
        Enumeration::TooLarge => Finding::Nothing,
    }
}

fn exact_problem(data: Data<'_>) -> Option<ExactLcp> {
    ExactLcp::from_matrix(data.M, data.q).with_free(free_flags(data)).ok()
}

/// Whether y ≥ 0, Mᵀy ≤ 0, qᵀy < 0 hold roughly.
fn is_promising(data: Data<'_>, y: &[f64]) -> bool {
    let n = data.n();
    let largest = y.iter().fold(0.0f64, |m, v| v.abs().max(m));
    let sign_is_wrong = |i: usize| !data.is_free(i) && y[i] < -PROMISING * largest;
    if y.len() != n || largest == 0.0 || (0..n).any(sign_is_wrong) {
        return false;
    }
    let q_y: f64 = data.q.iter().zip(y).map(|(q, y)| q * y).sum();
    q_y < 0.0
        && (0..n).all(|j| {
            let terms = data.M.column(j).iter().zip(y).map(|(m, y)| m * y);
            let (sum, size) = terms.fold((0.0, 0.0f64), |(s, t), v| (s + v, t + v.abs()));
            let excess = if data.is_free(j) { sum.abs() } else { sum };
            excess <= PROMISING * size
        })
}

/// {z ≥ 0 : Mz + q ≥ 0} is empty exactly when Lemke's method ends on a ray of the LCP with the skew matrix [0 −Mᵀ; M 0] and (0, q),
/// which is positive semidefinite; the second half of the ray is then a Farkas vector.
fn skew_hint(data: Data<'_>) -> Option<Vec<f64>> {
    let n = data.n();
    if n > SKEW_LIMIT || data.free.contains(&true) {
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
