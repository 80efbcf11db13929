//! Linear complementarity problems.
#![allow(non_snake_case)]

use pyo3::prelude::*;
use stiction_lcp::{Class, Lcp, Matrix, Method, Mlcp, Options, Run, Solver};

use crate::array::{index, shaped};
use crate::error::{of_lcp, wrong};
use crate::fields::items;
use crate::given::Given;
use crate::interrupt::patiently;
use crate::record::{Source, list, record, value};

/// Variables from which a problem may take long, by pivots, by proofs in rationals or by looking at all supports.
const LARGE: usize = 12;

/// Finds z >= 0 with w = M z + q >= 0 and z.w = 0.
///
/// M: (n, n). q: (n,). method: one of LCP_METHODS, or None to choose and fall back. tolerance: largest relative residual that counts as
/// solved. matrix_class: what is known of M (unknown, psd, p, copositive); it guides the order of methods and is never believed.
#[pyfunction]
#[pyo3(
    signature = (M, q, *, method = Given::LeftOut, tolerance = Given::LeftOut, matrix_class = Given::LeftOut),
    text_signature = "(M, q, *, method=None, tolerance=1e-10, matrix_class='unknown')"
)]
pub(crate) fn solve_lcp(
    py: Python<'_>,
    M: &Bound<'_, PyAny>,
    q: &Bound<'_, PyAny>,
    method: Given<'_>,
    tolerance: Given<'_>,
    matrix_class: Given<'_>,
) -> PyResult<LcpSolution> {
    let mut solver = Solver::with_options(options(method, tolerance)?);
    let class = matrix_class.named("matrix_class", Class::Unknown, Class::ALL, Class::name)?;
    let (M, q) = read(M, q)?;
    let n = M.n();
    let lcp = Lcp::new(M, q).map_err(of_lcp)?.with_class(class);
    solved(py, n, move || solver.solve(&lcp).cloned())
}

/// Finds lower <= z <= upper such that w = M z + q is >= 0 where z is at its lower bound, <= 0 at its upper and 0 between.
///
/// M: (n, n). q: (n,). lower, upper: (n,), -inf and inf for none; by default 0 and inf. free: indices of variables without bounds.
#[pyfunction]
#[pyo3(
    signature = (M, q, *, lower = None, upper = None, free = None, method = Given::LeftOut, tolerance = Given::LeftOut, matrix_class = Given::LeftOut),
    text_signature = "(M, q, *, lower=None, upper=None, free=None, method=None, tolerance=1e-10, matrix_class='unknown')"
)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve_mlcp(
    py: Python<'_>,
    M: &Bound<'_, PyAny>,
    q: &Bound<'_, PyAny>,
    lower: Option<&Bound<'_, PyAny>>,
    upper: Option<&Bound<'_, PyAny>>,
    free: Option<&Bound<'_, PyAny>>,
    method: Given<'_>,
    tolerance: Given<'_>,
    matrix_class: Given<'_>,
) -> PyResult<LcpSolution> {
    let mut solver = Solver::with_options(options(method, tolerance)?);
    let class = matrix_class.named("matrix_class", Class::Unknown, Class::ALL, Class::name)?;
    let (M, q) = read(M, q)?;
    let n = M.n();
    let bound = |given: Option<&Bound<'_, PyAny>>, path, default| match given {
        Some(given) => Ok(shaped(given, path, &[Some(n)])?.values().to_vec()),
        None => PyResult::Ok(vec![default; n]),
    };
    let mut lower = bound(lower, "lower", 0.0)?;
    let mut upper = bound(upper, "upper", f64::INFINITY)?;
    let free = free.map_or(Ok(Vec::new()), |free| items(free, "free"))?;
    for (k, i) in free.iter().enumerate() {
        let i = index(i, &format!("free[{k}]"))?;
        if i >= n {
            return Err(wrong(format!("free[{k}]"), format!("must be below {n}"), i));
        }
        (lower[i], upper[i]) = (f64::NEG_INFINITY, f64::INFINITY);
    }
    let mlcp = Mlcp::new(M, q, lower, upper).map_err(of_lcp)?.with_class(class);
    solved(py, n, move || solver.solve_mixed(&mlcp).cloned())
}

/// Solves without the GIL, and such that a signal ends what may take long.
fn solved(
    py: Python<'_>,
    n: usize,
    solve: impl FnOnce() -> Result<stiction_lcp::Solution, stiction_lcp::InputError> + Send + 'static,
) -> PyResult<LcpSolution> {
    let solution = if n < LARGE {
        py.detach(solve)
    } else {
        patiently(py, solve)?
    };
    solution.map(LcpSolution::of).map_err(of_lcp)
}

fn options(method: Given<'_>, tolerance: Given<'_>) -> PyResult<Options> {
    let default = Options::default();
    Ok(Options {
        method: method.maybe_named("method", Method::ALL, Method::name)?,
        tolerance: tolerance.number("tolerance", default.tolerance)?,
        ..default
    })
}

fn read(M: &Bound<'_, PyAny>, q: &Bound<'_, PyAny>) -> PyResult<(Matrix, Vec<f64>)> {
    let q = shaped(q, "q", &[None])?;
    let n = q.shape()[0];
    let M = shaped(M, "M", &[None, None])?;
    if M.shape() != [n, n] {
        let [rows, columns] = [M.shape()[0], M.shape()[1]];
        let requirement = format!("must have shape ({n}, {n}), as q has {n} entries");
        return Err(wrong("M", requirement, format!("({rows}, {columns})")));
    }
    let rows: Vec<&[f64]> = if n == 0 {
        Vec::new()
    } else {
        M.values().chunks(n).collect()
    };
    Ok((Matrix::from_rows(&rows).map_err(of_lcp)?, q.values().to_vec()))
}

record! {
    /// An answer to a linear complementarity problem, with its evidence. Frozen; arrays are read-only.
    LcpSolution of stiction_lcp::Solution {
        /// How the solve ended.
        status,
        /// Of an answer that is solved: rounding where only excused rounding brings it within the tolerance.
        accuracy,
        /// The answer, (n,).
        z,
        /// M z + q, (n,).
        w,
        /// How far z is from solving the problem.
        residual,
        /// Whether the answer, or that there is none, is proven in rationals.
        proven,
        /// Evidence for a status other than solved, or None.
        certificate,
        /// What the solve cost.
        stats,
    } {
        /// Whether the status is `solved`.
        #[getter]
        fn solved(&self, py: Python<'_>) -> PyResult<bool> {
            self.0.get(py, "status")?.eq("solved")
        }
    }
}

impl Source for stiction_lcp::Solution {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "status" => value(py, self.status.name()),
            "accuracy" => {
                let solved = self.status == stiction_lcp::Status::Solved;
                value(py, solved.then(|| self.residual.accuracy.name()))
            }
            "z" => list(py, &self.z),
            "w" => list(py, &self.w),
            "residual" => value(py, LcpResidual::of(self.residual)),
            "proven" => value(py, self.proven()),
            "certificate" => value(py, self.certificate.clone().map(Certificate::of)),
            _ => value(py, LcpStats::of(self.stats.clone())),
        }
    }
}

record! {
    /// How far z is from solving the problem; `relative` decides, else `excused`, with rounding excused.
    LcpResidual of stiction_lcp::Residual {
        /// Largest |min(z, w)|, or the distance from the bounds.
        natural,
        /// Decides whether the status is solved.
        relative,
        /// The same with rounding of the terms of each row excused.
        excused,
        /// Least relative change of the data for which z is exact.
        backward,
        /// Largest |z w|.
        complementarity,
        /// The residual in roundings of its row.
        roundings,
        /// Row of the largest residual.
        worst_row,
    }
}

impl Source for stiction_lcp::Residual {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "natural" => value(py, self.natural),
            "relative" => value(py, self.relative),
            "excused" => value(py, self.excused),
            "backward" => value(py, self.backward),
            "complementarity" => value(py, self.complementarity),
            "roundings" => value(py, self.roundings),
            _ => value(py, self.worst_row),
        }
    }
}

record! {
    /// What a solve cost: `runs` lists (method, status, pivots).
    LcpStats of stiction_lcp::Stats {
        /// Pivots of all methods.
        pivots,
        /// Factorisations of all methods.
        factorizations,
        /// Methods that ran: name, status and pivots of each.
        runs,
        /// Method that gave the answer, or None.
        method,
    }
}

impl Source for stiction_lcp::Stats {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let run = |r: &Run| (r.method.name(), r.status.name(), r.pivots);
        match field {
            "pivots" => value(py, self.pivots),
            "factorizations" => value(py, self.factorizations),
            "runs" => value(py, self.runs.iter().map(run).collect::<Vec<_>>()),
            _ => value(py, self.method().map(Method::name)),
        }
    }
}

record! {
    /// Evidence for a status other than solved: kind is farkas (y), exhaustion (cones), ray (direction) or other.
    Certificate of stiction_lcp::Certificate {
        /// farkas: multipliers y; exhaustion: all cones; ray: a direction; other.
        kind,
        /// Farkas vector in rationals such as '3/7', (n,).
        y,
        /// Complementary cones that were looked at, or None.
        cones,
        /// Direction of the ray, (n,), or None.
        direction,
    }
}

impl Source for stiction_lcp::Certificate {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        use stiction_lcp::Certificate::{Exhaustion, Farkas, Ray};
        match (field, self) {
            ("kind", Farkas { .. }) => value(py, "farkas"),
            ("kind", Exhaustion { .. }) => value(py, "exhaustion"),
            ("kind", Ray { .. }) => value(py, "ray"),
            ("kind", _) => value(py, "other"),
            ("y", Farkas { y }) => value(py, y.clone()),
            ("cones", Exhaustion { cones }) => value(py, *cones),
            ("direction", Ray { direction }) => list(py, direction),
            _ => value(py, py.None()),
        }
    }
}
