//! `Options`: tolerances, limits and bounds on work.

use crate::plan::ENUMERATE_MAX;
use crate::solution::Method;
use crate::{dantzig, lemke, ppm};

/// Settings of the front door.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Largest relative residual that counts as solved. Default 1e-10.
    pub tolerance: f64,
    /// Use this method alone, without fallbacks and without certificates except for those of branch and bound itself. Default `None`.
    pub method: Option<Method>,
    /// Settings of Lemke's method.
    pub lemke: lemke::Options,
    /// Settings of Dantzig's method.
    pub dantzig: dantzig::Options,
    /// Settings of principal pivoting.
    pub ppm: ppm::Options,
    /// All 2ⁿ cones are tried up to this n, at most 20, from 17 on after all other methods. Default 20: a million cones, some seconds at most.
    /// In exact arithmetic, for a proof, up to 12 at most.
    pub enumerate_limit: usize,
    /// Lemke's method in rationals is tried up to this n. Default 60: some tens of milliseconds.
    pub exact_limit: usize,
    /// A Farkas vector is searched for from scratch up to this n; hints that a ray gives are followed at any size.
    /// Default 24: some milliseconds.
    pub certify_limit: usize,
    /// Work in rationals of one solve, methods and proofs together, as the sizes of the numbers foretell it \[ns\]; no clock is read. With 0 there are no searches for proofs. A method that runs
    /// alone is not bounded. Default 2.5e8: usual problems within the limits above take a small part of it, and those whose numbers lie hundreds of
    /// orders of magnitude apart would take minutes. The leaves of branch and bound may take eight times as much again.
    pub exact_work: f64,
    /// Work of the pivots of one solve in floating point: pivots times the square of the variables, in double-double ten times that. It bounds the pivots of
    /// Lemke's paths, and a fallback that would not get through with as many pivots as variables is skipped; one that starts near its end needs few. A method that runs alone is not bounded. Default `u64::MAX`: not bounded; 10⁹ take some tenths of a second.
    pub pivot_work: u64,
    /// Whether the methods for problems of no class follow where all others fail: non-negative least squares, Lemke and Howson's path, a completed basis of free
    /// variables, branch and bound. Default true. Callers with fallbacks of their own switch them off.
    pub any_class: bool,
    /// Work of the tree of branch and bound: pivots of its linear programs times the square of the variables. Default 2·10⁹: two seconds or so at most.
    pub branch_work: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            method: None,
            lemke: lemke::Options::default(),
            dantzig: dantzig::Options::default(),
            ppm: ppm::Options::default(),
            enumerate_limit: ENUMERATE_MAX,
            exact_limit: 60,
            certify_limit: 24,
            exact_work: 2.5e8,
            pivot_work: u64::MAX,
            any_class: true,
            branch_work: 2_000_000_000,
        }
    }
}
