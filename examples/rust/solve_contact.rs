//! A block on a floor, pushed sideways: does it hold, and which forces can be trusted?
//!
//! `cargo run --release --example solve_contact`; the same as `examples/python/solve_contact.py`.
// Results go to stdout.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fmt::Write as _;

use stiction_contact::{
    Body, BodyContact, ContactProblem, ContactSolver, ContactState, InputError, Options, Restitution, Status,
};

const DT: f64 = 0.01;
const MASS: f64 = 2.0;
const GRAVITY: f64 = 10.0;

/// A block of 2 kg with four corners on a floor of friction 0.5, pushed with a force \[N\].
fn block(push: f64) -> Result<ContactProblem, InputError> {
    let body = Body {
        mass: MASS,
        inertia: [[0.02, 0.0, 0.0], [0.0, 0.02, 0.0], [0.0, 0.0, 0.02]],
        position: [0.0, 0.0, 0.1],
        velocity: [0.0; 6],
        wrench: [push, 0.0, -MASS * GRAVITY, 0.0, 0.0, 0.0],
    };
    let corner = |x: f64, y: f64| BodyContact {
        a: 0,
        b: None,
        point: [x, y, 0.0],
        normal: [0.0, 0.0, 1.0],
        mu: 0.5,
        gap: 0.0,
        restitution: 0.0,
        viscosity: 0.0,
    };
    let corners = [[-0.2, -0.2], [-0.2, 0.2], [0.2, -0.2], [0.2, 0.2]].map(|[x, y]| corner(x, y));
    ContactProblem::from_bodies(&[body], &corners, &[], DT, Restitution::Newton)
}

/// What `main` prints.
pub(crate) fn report() -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    let mut solver = ContactSolver::new(Options::default())?;
    for (push, state) in [(9.9, ContactState::Sticking), (10.1, ContactState::Sliding)] {
        let problem = block(push)?;
        solver.solve(&problem)?;
        let solution = solver.find_unique(&problem)?;
        assert_eq!(solution.status, Status::Solved);
        assert_eq!(solution.state, [state; 4]);
        let speed = solution.velocity[0].abs();
        writeln!(text, "push of {push} N: {}, velocity {speed:.6} m/s", state.name())?;
        let carried = solution.normal_impulse.iter().sum::<f64>() / DT;
        let residual = solution.residual.worst / 1e-15;
        writeln!(text, "  weight carried {carried:.6} N, residual {residual:.1}e-15")?;
        let unique = solution.unique.iter().filter(|unique| **unique).count();
        let all = solution.unique.len();
        writeln!(text, "  forces that are the only ones possible: {unique} of {all}")?;
        if state == ContactState::Sliding {
            assert!((speed - 0.1 / MASS * DT).abs() < 1e-12);
        }
    }
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report()?);
    Ok(())
}
