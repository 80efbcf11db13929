//! Statics of bodies in contact: who holds what at a moment, what else the forces could be, how far a pair is from slipping and from tipping; whether it
//! stands, by what margin, and what gives way first: answers with proof.
// Matrices keep their capitals: G stands in the code as it stands in the equations.
#![allow(non_snake_case)]

pub mod balance;
pub mod check;
mod check_margins;
mod check_scene;
pub mod compas;
mod dyadic;
mod equilibrium;
mod error;
mod existence;
mod explosion;
pub mod grasp;
pub mod interfaces;
mod limit;
mod margin;
pub mod motion;
mod parts;
mod program;
pub mod proof;
pub mod question;
mod ranges;
mod region;
pub mod report;
mod uniqueness;
mod vary;
mod verdict;
pub mod why;
pub mod words;

pub use equilibrium::{Contact, Equilibrium, FreeBody, Row};
pub use error::StandError;
pub use existence::{Balanced, Existence, existence};
pub use explosion::{SelfStress, self_stress};
pub use limit::{Limit, limit, sampled, successive_cones};
pub use margin::{Known, Margin, Pair, PairMotion, ProvedForces, margin, pair_motions, pairs};
pub use program::Forces;
pub use ranges::normal_range;
pub use region::{Corner, Edge, Region, lean_region, region};
pub use uniqueness::normal_forces_alone;
pub use vary::{Change, End, Varied, least_friction, vary};
pub use verdict::{Ask, Moved, Only, Squeezed, Tries, Verdict, Word, decide, fastest};
