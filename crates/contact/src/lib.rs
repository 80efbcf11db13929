//! Rigid-body contact: impulses that satisfy Coulomb's law exactly, every answer verified.
//!
//! A [`ContactProblem`] holds mass blocks, contacts and joints. A [`ContactSolution`] holds impulses, velocities and the residual
//! that the judge ([`check`]) found from the problem's own data.
// Matrices keep the papers' capitals: N, D, G stand in the code as they stand in the equations.
#![allow(non_snake_case)]

mod acceleration;
mod bodies;
mod bytes;
pub mod check;
pub mod cone;
pub mod continuation;
mod error;
mod exhaust;
mod farkas;
mod formulation;
mod inertia;
mod islands;
mod joint_span;
mod law;
mod local;
mod mass;
#[doc(hidden)]
pub mod nearest;
mod problem;
mod ray;
mod residual;
pub mod rows;
pub mod sets;
#[doc(hidden)]
pub mod six;
mod solution;
mod solve;
mod solver;
mod stamp;
#[cfg(test)]
mod testing;

pub use acceleration::TouchingContact;
pub use bodies::{Body, BodyContact, BodyJoint, Restitution, tangents};
pub use error::InputError;
pub use exhaust::has_answer;
pub use formulation::no_slip_equivalent::NoSlipEquivalent;
pub use formulation::nonconvex::NamedLcp;
pub use local::{LocalProblem, LocalSolution, LocalVerdict};
pub use problem::{ContactColumns, ContactPart, ContactProblem, JointPart, Touch};
pub use solution::{Compression, ContactSolution, ContactState, Drive, Farkas, Law, Method, Ray, Stats, Status, Work};
pub use solve::{AllAnswers, ContactSolver, Options, WarmStart};

/// The Rust blocks of the Markdown pages, compiled and run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/guide/solve-a-contact-problem.md")]
    struct SolveAContactProblem;
    #[doc = include_str!("../../../docs/guide/choose-a-law.md")]
    struct ChooseALaw;
}
