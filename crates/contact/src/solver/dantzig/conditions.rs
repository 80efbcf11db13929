//! Which condition does not hold, and which force is driven for it.

use super::{BEYOND, Dantzig, Driven, Rub, Set, dot, length};

impl Dantzig {
    /// A condition that does not hold, and the force to drive for it. Friction of contacts that push comes first: one contact after the
    /// other is established in full.
    pub(super) fn next(&mut self) -> Option<Driven> {
        let zero = self.zero();
        for i in 0..self.contacts.len() {
            let c = self.contacts[i];
            if c.set == Set::C
                && self.theta[i] > zero
                && let Some(e) = self.friction_to_drive(i)
            {
                return Some(Driven::Along(i, e));
            }
        }
        let mut chosen = None;
        let mut most = -zero;
        for (i, c) in self.contacts.iter().enumerate() {
            if c.set != Set::C && !c.dependent && self.nu[i] < most {
                chosen = Some(i);
                most = self.nu[i];
            }
        }
        chosen.map(Driven::Normal)
    }

    /// The direction along which friction of a pushing contact must be driven, if its condition does not hold.
    pub(super) fn friction_to_drive(&mut self, i: usize) -> Option<[f64; 2]> {
        let c = self.contacts[i];
        // In the tangents' own scale.
        let zero = self.zero() * 10.0;
        match c.rub {
            Rub::Slide(e) if dot(e, c.a) > zero => {
                // It helps the motion: begin again.
                self.set_free(i);
                Some([-e[0], -e[1]])
            }
            Rub::Held { .. } if self.is_beyond(i) => {
                // A correction has left it beyond its limit: begin again.
                self.set_free(i);
                self.friction_to_drive(i)
            }
            Rub::Smooth | Rub::Dynamic(_) | Rub::Slide(_) | Rub::Held { both: true, .. } => None,
            Rub::Held { e, both: false } => {
                let side = [-e[1], e[0]];
                let across = dot(side, c.a);
                (across.abs() > zero && !self.columns.items[i].planar && !c.dependent)
                    .then(|| if across < 0.0 { side } else { [e[1], -e[0]] })
            }
            Rub::Free => {
                let (size, slip) = (length(c.f), length(c.a));
                if self.is_beyond(i) {
                    return Some([-c.f[0] / size, -c.f[1] / size]);
                }
                if slip <= zero {
                    return None;
                }
                Some(if self.rules.as_published && !self.columns.items[i].planar {
                    published_axis(c.a, zero)
                } else {
                    [-c.a[0] / slip, -c.a[1] / slip]
                })
            }
        }
    }

    /// Whether friction is beyond its limit, by more than rounding.
    pub(super) fn is_beyond(&self, i: usize) -> bool {
        let limit = self.columns.items[i].mu * self.theta[i];
        length(self.contacts[i].f) > limit * (1.0 + BEYOND) + 10.0 * self.zero()
    }
}

/// "We first increase f_x, assuming a_x < 0" \[Baraff 5.6\].
fn published_axis(a: [f64; 2], zero: f64) -> [f64; 2] {
    if a[0].abs() > zero {
        [-a[0].signum(), 0.0]
    } else {
        [0.0, -a[1].signum()]
    }
}
