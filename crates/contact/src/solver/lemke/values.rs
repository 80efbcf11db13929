//! Values of the variables, and the right sides that they are computed from.

use super::basis::{Basis, Var};
use crate::solver::columns::Columns;

/// A basis of a problem: all that the kernel reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) columns: &'a Columns,
    pub(crate) basis: &'a Basis,
    pub(crate) cover: &'a Cover,
    /// Items with a basic z, a nonbasic w or friction variables, in order; all joint rows.
    pub(crate) active: &'a [usize],
}

/// The cover c: how z₀ enters each row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cover {
    pub(crate) nu: Vec<f64>,
    pub(crate) gamma: Vec<f64>,
    /// One value for all directions of a contact.
    pub(crate) sigma: Vec<f64>,
    /// Added to it by direction, d a contact; empty except after a warm start.
    pub(crate) by_direction: Vec<f64>,
}

impl Cover {
    /// c of row σ_ij, where d is the stride of the table.
    #[inline]
    pub(crate) fn sigma(&self, i: usize, j: usize, d: usize) -> f64 {
        let extra = if self.by_direction.is_empty() {
            0.0
        } else {
            self.by_direction[i * d + j]
        };
        self.sigma[i] + extra
    }
}

/// Values of the variables, or their rates when a driving variable grows. Only those of basic variables have a meaning.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    pub(crate) z0: f64,
    pub(crate) v: Vec<f64>,
    /// θ of a contact, impulse of a joint row.
    pub(crate) theta: Vec<f64>,
    pub(crate) lambda: Vec<f64>,
    /// φ, d a contact, and their sum.
    pub(crate) phi: Vec<f64>,
    pub(crate) phi_sum: Vec<f64>,
    /// Normal velocity with bias, without c z₀.
    pub(crate) nu: Vec<f64>,
    pub(crate) slip: Vec<[f64; 2]>,
}

impl Values {
    /// Makes room for more items, all values zero.
    pub(crate) fn grow(&mut self, items: usize, d: usize) {
        for list in [&mut self.theta, &mut self.lambda, &mut self.phi_sum, &mut self.nu] {
            list.resize(items, 0.0);
        }
        self.phi.resize(items * d, 0.0);
        self.slip.resize(items, [0.0; 2]);
    }

    pub(crate) fn reset(&mut self, items: usize, d: usize, dof: usize) {
        self.z0 = 0.0;
        for (list, len) in [
            (&mut self.v, dof),
            (&mut self.theta, items),
            (&mut self.lambda, items),
            (&mut self.phi_sum, items),
            (&mut self.nu, items),
        ] {
            list.clear();
            list.resize(len, 0.0);
        }
        self.slip.clear();
        self.slip.resize(items, [0.0; 2]);
        // Cleared contact by contact when it gets its friction variables.
        self.phi.resize(items * d, 0.0);
    }
}

/// What the values are computed for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Load {
    /// The problem's q: q′ = B⁻¹q.
    Problem,
    /// Growth of a nonbasic variable by one: m′.
    Driving(Var),
}

pub(super) fn r_nu(columns: &Columns, i: usize, load: Load) -> f64 {
    match load {
        Load::Problem => -columns.items[i].bias[0],
        Load::Driving(var) => f64::from(u8::from(var == Var::Nu(i) && !columns.items[i].is_joint)),
    }
}

pub(super) fn bias_along(columns: &Columns, i: usize, direction: [f64; 2], load: Load) -> f64 {
    let bias = columns.items[i].bias;
    match load {
        Load::Problem => direction[0] * bias[1] + direction[1] * bias[2],
        Load::Driving(_) => 0.0,
    }
}

pub(super) fn r_sigma(columns: &Columns, i: usize, j: usize, load: Load) -> f64 {
    match load {
        Load::Problem => -bias_along(columns, i, columns.direction(i, j), load),
        Load::Driving(Var::Sigma(k, l)) if (k, l) == (i, j) => 1.0,
        Load::Driving(Var::Lambda(k)) if k == i => -1.0,
        Load::Driving(_) => 0.0,
    }
}

pub(super) fn r_gamma(columns: &Columns, i: usize, load: Load) -> f64 {
    match load {
        Load::Driving(Var::Gamma(k)) if k == i => 1.0,
        Load::Driving(Var::Theta(k)) if k == i => -columns.items[i].mu,
        Load::Driving(Var::Phi(k, _)) if k == i => 1.0,
        _ => 0.0,
    }
}

/// Normal velocities of all contacts, slip of the active ones.
pub(super) fn velocities(columns: &Columns, active: &[usize], load: Load, out: &mut Values) {
    let with_bias = load == Load::Problem;
    columns.along_normals(&out.v, with_bias, &mut out.nu);
    for &i in active {
        if columns.items[i].is_joint {
            continue;
        }
        let [x, y] = columns.along_tangents(i, &out.v);
        let bias = if with_bias { columns.items[i].bias } else { [0.0; 3] };
        out.slip[i] = [x + bias[1], y + bias[2]];
    }
}
