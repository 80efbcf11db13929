//! Linear complementarity problems: one that is solved, one with a free variable, one proven to have no answer.
//!
//! `cargo run --release --example solve_lcp`; the same as `examples/python/solve_lcp.py`.
// Results go to stdout.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fmt::Write as _;

use stiction_lcp::{Certificate, Lcp, Matrix, Mlcp, Solver};

fn text_of(values: &[f64]) -> String {
    values.iter().map(|x| format!("{x:.6}")).collect::<Vec<_>>().join(", ")
}

/// What `main` prints.
pub(crate) fn report() -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    let mut solver = Solver::new();
    let murty = Lcp::new(Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])?, vec![-5.0, -6.0])?;
    let found = solver.solve(&murty)?;
    let (z, w, residual) = (text_of(&found.z), text_of(&found.w), found.residual.relative / 1e-15);
    writeln!(
        text,
        "{}: z = {z}, w = {w}, residual {residual:.1}e-15",
        found.status.name()
    )?;
    assert!((found.z[0] - 4.0 / 3.0).abs() < 1e-15 && (found.z[1] - 7.0 / 3.0).abs() < 1e-15);

    let matrix = Matrix::from_rows(&[[1.0, -1.0], [1.0, 1.0]])?;
    let (lower, upper) = (vec![f64::NEG_INFINITY, 0.0], vec![f64::INFINITY; 2]);
    let mixed = Mlcp::new(matrix, vec![0.0, -4.0], lower, upper)?;
    let found = solver.solve_mixed(&mixed)?;
    writeln!(text, "{}: z = {}", found.status.name(), text_of(&found.z))?;
    assert_eq!(found.z, [2.0, 2.0]);

    let none = Lcp::new(Matrix::from_rows(&[[-1.0]])?, vec![-1.0])?;
    let found = solver.solve(&none)?;
    assert!(found.proven());
    let Some(Certificate::Farkas { y }) = &found.certificate else {
        return Err("found no Farkas vector".into());
    };
    writeln!(text, "{}: farkas vector {}, proven", found.status.name(), y.join(", "))?;
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report()?);
    Ok(())
}
