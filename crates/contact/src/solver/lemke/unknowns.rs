//! Unknowns of the kernel, and the extra row of w_r.

use super::basis::{Pairs, all};

/// One unknown of the kernel: row and column as combinations of an item's columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unknown {
    pub(super) item: usize,
    /// Friction direction of a φ_κ; `None` for θ or a joint.
    pub(super) kappa: Option<usize>,
    /// φ_x of its contact.
    pub(super) x: Option<usize>,
    pub(super) z: [f64; 3],
    /// First entries of the row and of the column among the compressed vectors.
    pub(super) at: usize,
    pub(super) c: f64,
    /// Row and column are the same.
    pub(super) is_symmetric: bool,
}

/// The normal alone.
pub(super) const NORMAL: [f64; 3] = [1.0, 0.0, 0.0];

impl Unknown {
    pub(super) fn new(item: usize, z: [f64; 3], c: f64) -> Self {
        Self {
            item,
            kappa: None,
            x: None,
            z,
            at: 0,
            c,
            is_symmetric: false,
        }
    }
}

/// The extra row of w_r.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Border {
    None,
    Nu(usize),
    /// σ_ir, with the x of its contact if λ_i is basic.
    Sigma(usize, usize, Option<usize>),
    /// γ_i; with σ_ir given where λ_i is basic and no φ_i is: then the row of σ_ir gives λ_i.
    Gamma(usize, Option<usize>),
}

/// The basic φ that the γ row eliminates: the first of a sliding contact.
pub(super) fn phi_x(p: Pairs) -> Option<usize> {
    (p.expanded && p.lambda && !p.gamma && p.phi != 0).then(|| p.phi.trailing_zeros() as usize)
}

/// w_r where it belongs to this contact: a nonbasic w whose z is nonbasic as well.
pub(super) fn border_of(i: usize, p: Pairs, x: Option<usize>, d: usize) -> Option<Border> {
    if !p.nu && !p.theta {
        return Some(Border::Nu(i));
    }
    if !p.expanded {
        return None;
    }
    if !p.gamma && !p.lambda {
        return Some(Border::Gamma(i, None));
    }
    let extra = !p.sigma & !p.phi & all(d);
    if extra == 0 {
        return None;
    }
    let r = extra.trailing_zeros() as usize;
    if p.lambda && p.phi == 0 {
        return Some(Border::Gamma(i, Some(r)));
    }
    Some(Border::Sigma(i, r, x))
}
