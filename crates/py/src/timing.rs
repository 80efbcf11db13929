//! How long a solve takes in Rust alone: what the cost of a call from Python is measured against.

use std::hint::black_box;
use std::time::Instant;

use pyo3::prelude::*;
use stiction_contact::ContactSolver;

use crate::error::of_contact;
use crate::given::Given;
use crate::problem::ContactProblem;
use crate::solve::of_law;

/// Times of warm solves in Rust alone [s], (repeat,).
#[pyfunction]
#[pyo3(signature = (problem, repeat, *, law = Given::LeftOut), text_signature = "(problem, repeat, *, law='coulomb')")]
pub(crate) fn _time_solve(problem: &Bound<'_, ContactProblem>, repeat: usize, law: Given<'_>) -> PyResult<Vec<f64>> {
    let problem = &*problem.get().problem;
    let mut solver = ContactSolver::new(of_law(law)?).map_err(of_contact)?;
    let mut times = Vec::with_capacity(repeat);
    for _ in 0..repeat {
        let start = Instant::now();
        black_box(solver.solve(black_box(problem)).map_err(of_contact)?);
        times.push(start.elapsed().as_secs_f64());
    }
    Ok(times)
}
