//! Figures of contacts whose velocities come from a Delassus matrix.

use super::{Residual, Terms, friction, length, raise, row_size};
use crate::cone::Circle;
use crate::solution::{ContactState, Law};

/// Gathers the figures contact by contact.
pub(crate) struct LocalFigures {
    terms: Terms,
    circle: Circle,
    residual: Residual,
    state: Vec<ContactState>,
}

/// Normal impulse, friction and, where given, φ.
type Push<'a> = (f64, [f64; 2], Option<&'a [f64]>);

impl LocalFigures {
    pub(crate) fn new(terms: Terms, circle: Circle) -> Self {
        Self {
            terms,
            circle,
            residual: Residual::default(),
            state: Vec::new(),
        }
    }

    /// Adds a contact: its impulses, its velocity with the size of the summed terms, its (δ of the normal and of the tangents, μ, whether it is planar), and V.
    pub(crate) fn contact(
        &mut self,
        (theta, f, phi): Push<'_>,
        (u, size): ([f64; 3], [f64; 3]),
        ([delta, delta_t], mu, planar): ([f64; 2], f64, bool),
        V: f64,
    ) {
        let residual = &mut self.residual;
        let s = row_size(V, size[0].max(length([size[1], size[2]])));
        raise(&mut residual.gap, -u[0] / s);
        raise(&mut residual.sign, -delta * theta / V);
        raise(&mut residual.complementarity, (u[0] / s).min(delta * theta / s));
        let rub = friction::Rub {
            theta,
            f,
            u,
            delta_n: delta,
            delta: delta.max(delta_t),
            planar,
        };
        let (cone, dissipation) = match self.terms.law {
            Law::Polyhedral if mu > 0.0 => rub.polygon(mu, &self.circle, phi),
            Law::Polyhedral | Law::Coulomb => rub.disc(mu),
            Law::NoSlip => rub.no_slip(),
            _ => rub.disc(0.0),
        };
        raise(&mut residual.cone, cone / s);
        raise(&mut residual.dissipation, dissipation / s);
        self.state.push(if delta * theta <= self.terms.tolerance * s {
            ContactState::Separating
        } else if length([u[1], u[2]]) > self.terms.tolerance * s {
            ContactState::Sliding
        } else {
            ContactState::Sticking
        });
    }

    pub(crate) fn finish(mut self) -> (Residual, Vec<ContactState>) {
        self.residual.finish();
        (self.residual, self.state)
    }
}
