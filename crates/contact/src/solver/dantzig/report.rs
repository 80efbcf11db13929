//! What a run leaves: forces, the direction of an infinite step, sets for another method.

use super::{Dantzig, Driven, Rub, SKIP, Set, Stop, dot, length};
use crate::problem::ContactProblem;
use crate::solution::Drive;
use crate::solver::Impulses;
use crate::solver::lemke::{Guess, WarmBasis};

impl Dantzig {
    /// A step without end: with dynamic friction no finite force need exist \[Baraff 6\]. Without it, either the biases ask contacts to
    /// squeeze, which Lemke's ray says with more evidence, or rounding has misled the method.
    pub(super) fn infinite_step(&self, driven: Driven) -> Stop {
        let left = match driven {
            Driven::Normal(d) => -self.nu[d],
            Driven::Along(d, e) => -dot(e, self.contacts[d].a),
        };
        let dynamic = self.contacts.iter().any(|c| matches!(c.rub, Rub::Dynamic(_)));
        if dynamic && left > SKIP * self.scale {
            Stop::Unbounded
        } else {
            Stop::Endless
        }
    }

    /// The direction of the last infinite step, the largest change of a normal force 1.
    pub(crate) fn drive(&self) -> Option<Drive> {
        let driven = self.drive?;
        let items = &self.columns.items;
        let change = |i: usize| items[i].scale * self.delta_theta[i];
        let contacts = (0..items.len()).filter(|i| !items[*i].is_joint);
        let largest = contacts.clone().fold(0.0_f64, |m, i| m.max(change(i).abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let mut drive = Drive {
            driven: items[driven.item()].index,
            ..Drive::default()
        };
        for i in contacts {
            let f = self.contacts[i].delta_f.map(|x| items[i].scale * x / unit);
            if change(i) != 0.0 || f != [0.0; 2] {
                drive.contacts.push((items[i].index, change(i) / unit, f));
            }
        }
        drive.contacts.sort_unstable_by_key(|(i, _, _)| *i);
        for i in (0..items.len()).filter(|i| items[*i].is_joint) {
            if change(i) != 0.0 {
                drive.joints.push((items[i].index, change(i) / unit));
            }
        }
        drive.joints.sort_unstable_by_key(|(k, _)| *k);
        Some(drive)
    }

    /// Writes the forces of the last run.
    pub(crate) fn write(&self, out: &mut Impulses) {
        for (i, item) in self.columns.items.iter().enumerate() {
            let theta = item.scale * self.theta[i];
            if item.is_joint {
                out.joint[item.index] = theta;
                continue;
            }
            out.normal[item.index] = theta.max(0.0);
            out.friction[item.index] = if theta > 0.0 {
                self.contacts[i].f.map(|x| item.scale * x)
            } else {
                [0.0; 2]
            };
        }
    }

    /// The sets as a basis of Lemke's method with `d` directions.
    pub(crate) fn sets(&self, problem: &ContactProblem, d: usize, basis: &mut WarmBasis) {
        basis.begin_guess(d);
        for (i, c) in self.contacts.iter().enumerate() {
            let item = &self.columns.items[i];
            if item.is_joint || c.set != Set::C {
                continue;
            }
            let guess = match c.rub {
                Rub::Held { .. } => Guess::Stick(c.f),
                Rub::Slide(e) => Guess::Slide(e),
                Rub::Smooth | Rub::Dynamic(_) | Rub::Free => Guess::Push,
            };
            let rough = !matches!(c.rub, Rub::Smooth | Rub::Dynamic(_));
            basis.guess(problem.key(item.index), guess, item.planar, rough);
        }
        basis.sort();
    }

    /// Whether friction of some sliding contact in space does not oppose its acceleration: its direction is the order's, not the law's.
    pub(crate) fn is_askew(&self) -> bool {
        self.contacts.iter().enumerate().any(|(i, c)| match c.rub {
            Rub::Slide(e) if c.set == Set::C && !self.columns.items[i].planar => {
                length(c.a) + dot(e, c.a) > 10.0 * self.zero()
            }
            _ => false,
        })
    }
}
