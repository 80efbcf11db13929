//! Fixed tendons: sums of coordinates of joints, along which limits, friction, springs and actuators act.

use crate::joint::{Joint, Row};
use crate::state::BodyState;

/// A sum of coordinates of joints, each times a coefficient. It is a joint without rows of its own that has a coordinate, over up to four bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct Tendon {
    /// Coefficients, and the joints whose coordinates they multiply: revolute, prismatic or of a compound.
    pub terms: Vec<(f64, Joint)>,
}

impl Tendon {
    /// The row of the sum, with its value in place of an error.
    pub(crate) fn row(&self, joint: &Joint, states: &[BodyState]) -> Row {
        let mut sum = Row::default();
        let mut bodies = joint.bodies();
        for (coefficient, term) in &self.terms {
            let Some(row) = term.coordinate(states) else { continue };
            sum.error += coefficient * row.error;
            for (body, part) in term.parts(&row) {
                if let Some(place) = bodies.place(body) {
                    for (sum, x) in sum.parts[place].iter_mut().zip(part) {
                        *sum += coefficient * x;
                    }
                }
            }
        }
        sum
    }

    /// Its value where the angles of its terms are other than poses say.
    pub(crate) fn length(&self, states: &[BodyState], angle: impl Fn(usize, f64) -> f64) -> f64 {
        let terms = self.terms.iter().enumerate();
        terms.fold(0.0, |sum, (n, (coefficient, term))| {
            let Some(row) = term.coordinate(states) else { return sum };
            let x = if term.kind.is_angle() {
                angle(n, row.error)
            } else {
                row.error
            };
            sum + coefficient * x
        })
    }
}

impl Joint {
    /// A fixed tendon over the coordinates of joints.
    #[must_use]
    pub fn tendon(name: impl Into<String>, terms: Vec<(f64, Self)>) -> Self {
        let [a, b] = terms.first().map_or([0; 2], |(_, joint)| [joint.a, joint.b]);
        Self {
            name: name.into(),
            a,
            b,
            kind: super::joint::JointKind::Tendon(Box::new(Tendon { terms })),
            frame_a: crate::Pose::identity(),
            frame_b: crate::Pose::identity(),
            limits: None,
            motor: None,
            friction: 0.0,
        }
    }
}
