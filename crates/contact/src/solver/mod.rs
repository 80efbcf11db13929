//! Solvers: a contact problem in, impulses out; one file or folder a method. None of them judges its own answer.

pub(crate) mod columns;
pub(crate) mod dantzig;
pub(crate) mod eliminate;
pub(crate) mod find_indices;
pub(crate) mod lemke;
pub(crate) mod lemke_standard;
pub(crate) mod nearest_motion;
pub(crate) mod newton_cone;
pub(crate) mod ppm_modified;
pub(crate) mod settle;
pub(crate) mod unpressed;
mod wide_mass;

use crate::check::Answer;
use crate::cone::{Circle, neighbours};
use crate::problem::ContactProblem;
use crate::solution::{Drive, Ray};

/// Impulses of a contact problem: what every method writes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Impulses {
    /// θ of each contact.
    pub(crate) normal: Vec<f64>,
    /// f of each contact along its tangents.
    pub(crate) friction: Vec<[f64; 2]>,
    /// φ, d for each contact (the first two where it is planar); empty where a method knows no directions.
    pub(crate) phi: Vec<f64>,
    /// One a joint row.
    pub(crate) joint: Vec<f64>,
}

impl Impulses {
    /// No impulse anywhere. Does not allocate when it has been as long before.
    pub(crate) fn clear(&mut self, problem: &ContactProblem, directions: usize) {
        let n = problem.contact_count();
        self.normal.clear();
        self.normal.resize(n, 0.0);
        self.friction.clear();
        self.friction.resize(n, [0.0; 2]);
        self.phi.clear();
        self.phi.resize(n * directions, 0.0);
        self.joint.clear();
        self.joint.resize(problem.joint_count(), 0.0);
    }

    /// Takes dry friction off contacts that do not push: a path leaves rounding there.
    pub(crate) fn drop_unpressed_friction(&mut self, directions: usize) {
        for (i, theta) in self.normal.iter_mut().enumerate() {
            if *theta <= 0.0 {
                *theta = 0.0;
                self.friction[i] = [0.0; 2];
                if let Some(phi) = self.phi.get_mut(i * directions..(i + 1) * directions) {
                    phi.fill(0.0);
                }
            }
        }
    }

    /// Writes φ for impulses that were found without directions: each friction as the two directions beside it.
    pub(crate) fn split_friction(&mut self, problem: &ContactProblem, directions: usize) {
        let (circle, line) = (Circle::new(directions), Circle::new(2));
        self.phi.fill(0.0);
        for (i, f) in self.friction.iter().enumerate().filter(|(_, f)| **f != [0.0; 2]) {
            let circle = if problem.is_planar(i) { &line } else { &circle };
            for (j, phi) in neighbours(circle.count(), |j| circle.direction(j), *f) {
                self.phi[i * directions + j] += phi;
            }
        }
    }

    /// Copies without allocating where the lengths were seen before.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.normal.clone_from(&other.normal);
        self.friction.clone_from(&other.friction);
        self.phi.clone_from(&other.phi);
        self.joint.clone_from(&other.joint);
    }

    /// Copies the impulses of some contacts, `contacts`, and of all joint rows to their places.
    pub(crate) fn scatter(&mut self, part: &Self, contacts: &[usize], directions: usize) {
        for (from, to) in contacts.iter().enumerate() {
            self.normal[*to] = part.normal[from];
            self.friction[*to] = part.friction[from];
            if part.phi.len() == contacts.len() * directions {
                let phi = &part.phi[from * directions..(from + 1) * directions];
                self.phi[to * directions..(to + 1) * directions].copy_from_slice(phi);
            }
        }
        self.joint.clone_from(&part.joint);
    }

    /// As the judge reads them; `phi` only where the law has directions.
    pub(crate) fn answer(&self, with_phi: bool) -> Answer<'_> {
        Answer {
            normal: &self.normal,
            friction: &self.friction,
            phi: (with_phi && !self.phi.is_empty()).then_some(&self.phi[..]),
            joint: &self.joint,
        }
    }
}

/// How a method ended. Whether its impulses are right is for the judge to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It ended with an answer.
    Answered,
    /// It ended on a ray.
    Ray,
    /// It can raise a force without bound.
    Unbounded,
    /// It reached its limit of steps.
    Limit,
    /// It does not take problems such as this one; impulses are not written.
    Unfit,
}

/// What a run of a method gave beside the impulses.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) end: End,
    /// Pivots of the pivoting methods.
    pub(crate) pivots: usize,
    /// Steps of Newton's method.
    pub(crate) newton_steps: usize,
    /// Times that it met a cycle and handed over to another method.
    pub(crate) handovers: usize,
    /// Why.
    pub(crate) reason: Option<&'static str>,
    /// The squeeze, where the method ended on a ray and it was found.
    pub(crate) ray: Option<Ray>,
    /// The direction, where a force can be raised without bound.
    pub(crate) drive: Option<Drive>,
    /// The judge may be content with it as it is; where it is not, longer ways are left.
    pub(crate) is_offer: bool,
}

impl Outcome {
    /// An outcome without counts.
    pub(crate) fn new(end: End) -> Self {
        Self {
            end,
            pivots: 0,
            newton_steps: 0,
            handovers: 0,
            reason: None,
            is_offer: false,
            ray: None,
            drive: None,
        }
    }
}

/// Fastest velocity of a contact or joint without impulses.
pub(crate) fn fastest_free(problem: &ContactProblem) -> f64 {
    let (free, fastest) = (problem.k_x(), problem.fastest_contact());
    (0..problem.joint_count()).fold(fastest, |m, k| {
        m.max((problem.along_joint(k, free) + problem.joint_bias(k)).abs() / problem.joint_unit(k))
    })
}
