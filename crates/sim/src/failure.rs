//! What is said of a step that could not be made, and of joints that do not hold.
//!
//! A step fails as a whole, but as a rule for the sake of a few bodies: those of the islands that the judge did not accept.

use stiction_contact::{ContactSolver, Status};

use crate::assemble::Assembly;
use crate::body::Kind;
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::error::SimError;
use crate::joint::Row;
use crate::joint_rows::Role;
use crate::model::Model;
use crate::spin::SpinFailure;
use crate::state::State;
use crate::step_time::StepTime;
use crate::world::World;

/// Joints farther apart than this share of the smaller dynamic body that they join do not hold: a step and its penetration correction leave far less.
const APART: f64 = 1e-6;
/// Rows of joints of which dependent ones are looked for, at most: it costs their square times the coordinates.
const MAX_ROWS: usize = 600;
/// What is left of a row, as a share, where it follows from others.
const FOLLOWS: f64 = 1e-9;

/// A joint that does not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct JointError {
    /// Index of the joint.
    pub joint: usize,
    /// Its name.
    pub name: String,
    /// Largest distance between what it holds together \[m\].
    pub metres: f64,
    /// Largest angle between what it holds together \[rad\].
    pub radians: f64,
}

/// The worst of some rows: \[m, rad\].
fn worst(rows: &[Row]) -> [f64; 2] {
    rows.iter().fold([0.0; 2], |mut worst: [f64; 2], row| {
        // Rows of angles move no point.
        let kind = usize::from(row.parts[0][..3] == [0.0; 3]);
        worst[kind] = worst[kind].max(row.error.abs());
        worst
    })
}

/// Takes a row into an orthonormal basis; `false` where it follows from it. Once more for the rounding of the first time.
fn extends(basis: &mut Vec<Vec<f64>>, mut x: Vec<f64>) -> bool {
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let whole = norm(&x);
    for _ in 0..2 {
        for q in basis.iter() {
            let along: f64 = q.iter().zip(&x).map(|(q, x)| q * x).sum();
            for (x, q) in x.iter_mut().zip(q) {
                *x -= along * q;
            }
        }
    }
    let left = norm(&x);
    if left <= FOLLOWS * whole {
        return false;
    }
    for x in &mut x {
        *x /= left;
    }
    basis.push(x);
    true
}

impl World {
    /// How far a joint is from holding: distance and angle \[m, rad\]. Motion along its coordinate is none.
    #[must_use]
    pub fn joint_error(&self, joint: usize) -> Option<[f64; 2]> {
        self.model.joints.get(joint)?;
        let JointError { metres, radians, .. } = error_of(self.configuration(), joint);
        Some([metres, radians])
    }

    /// Joints that do not hold: they started open and are still being closed, they contradict other joints, or the motion of their bodies is
    /// prescribed and opens them.
    #[must_use]
    pub fn joints_that_fail(&self) -> Vec<JointError> {
        let errors = (0..self.model.joints.len()).map(|joint| error_of(self.configuration(), joint));
        let size = |joint: usize| self.model.joint_size(&self.model.joints[joint]);
        let fails = |e: &JointError| e.metres > APART * size(e.joint) || e.radians > APART;
        errors.filter(fails).collect()
    }

    /// Joints with rows that follow from those of joints before them as the bodies stand now, and how many: loops hold more than they
    /// must. Such joints are no error where all can hold, but how they share a load is not determined. `None` where there are too many
    /// joints to look.
    #[must_use]
    pub fn redundant_joints(&self) -> Option<Vec<(usize, usize)>> {
        let sizes = self.model.joints.iter().map(|joint| self.model.joint_size(joint));
        let size = sizes.fold(0.0, f64::max);
        let (mut basis, mut found): (Vec<Vec<f64>>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
        let mut rows = Vec::new();
        let count = |joint| {
            self.configuration().rows_of(joint, &mut rows);
            rows.len()
        };
        if self.model.joints.iter().map(count).sum::<usize>() > MAX_ROWS {
            return None;
        }
        for (k, joint) in self.model.joints.iter().enumerate() {
            self.configuration().rows_of(joint, &mut rows);
            let mut follow = 0;
            for row in &rows {
                let mut x = vec![0.0; 6 * self.model.bodies.len()];
                for (body, part) in joint.parts(row) {
                    if self.model.bodies[body].is_dynamic() {
                        for (c, value) in part.iter().enumerate() {
                            // Angles count by the way of a point at the size of a body.
                            x[6 * body + c] = if c < 3 { *value } else { value / size };
                        }
                    }
                }
                follow += usize::from(!extends(&mut basis, x));
            }
            if follow > 0 {
                found.push((k, follow));
            }
        }
        Some(found)
    }
}

/// How far a joint is from holding.
fn error_of(at: Configuration<'_>, joint: usize) -> JointError {
    let mut rows = Vec::new();
    at.rows_of(&at.model.joints[joint], &mut rows);
    let [metres, radians] = worst(&rows);
    JointError {
        joint,
        name: at.model.joints[joint].name.clone(),
        metres,
        radians,
    }
}

/// The worst of all joints \[m, rad\].
pub(crate) fn worst_joint_error(at: Configuration<'_>, rows: &mut Vec<Row>) -> [f64; 2] {
    at.model.joints.iter().fold([0.0_f64; 2], |of_all, joint| {
        at.rows_of(joint, rows);
        let [metres, radians] = worst(rows);
        [of_all[0].max(metres), of_all[1].max(radians)]
    })
}

/// A problem that was not solved, and what it was made of.
pub(crate) struct Unsolved<'a> {
    pub(crate) at: Configuration<'a>,
    pub(crate) contacts: &'a [Contact],
    pub(crate) assembly: &'a Assembly,
    pub(crate) solver: &'a ContactSolver,
}

impl Unsolved<'_> {
    /// What failed: the contacts, bodies and joints of the islands without a verified answer. Of a squeeze, those that carry it.
    pub(crate) fn error(&self, state: &State) -> SimError {
        let (solver, model) = (self.solver, self.at.model);
        let Assembly {
            problem, joint_rows, ..
        } = self.assembly;
        let solution = solver.solution();
        let is_bad: Vec<bool> = (0..problem.block_count()).map(|b| !solver.is_block_solved(b)).collect();
        let (contacts, rows): (Vec<usize>, Vec<usize>) = match &solution.ray {
            Some(ray) => (
                ray.contacts.iter().map(|(i, _)| *i).collect(),
                ray.joints.iter().map(|(k, _)| *k).collect(),
            ),
            None => (
                (0..problem.contact_count())
                    .filter(|i| problem.columns_tilde(*i).touches.iter().any(|t| is_bad[t.block]))
                    .collect(),
                (0..problem.joint_count())
                    .filter(|k| problem.joint_tilde(*k).0.iter().any(|t| is_bad[t.block]))
                    .collect(),
            ),
        };
        let rows: Vec<usize> = rows.into_iter().filter(|k| *k < joint_rows.len()).collect();
        let mut joints: Vec<usize> = rows.iter().map(|k| joint_rows[*k].joint).collect();
        joints.extend(contacts.iter().filter_map(|i| self.limit_of(*i)));
        joints.sort_unstable();
        joints.dedup();
        let mut bodies: Vec<usize> = contacts
            .iter()
            .filter_map(|i| self.contacts.get(*i))
            .flat_map(|c| [c.a, c.b])
            .chain(joints.iter().flat_map(|k| model.joints[*k].mentions()))
            .collect();
        bodies.sort_unstable();
        bodies.dedup();
        SimError::Unsolved {
            step: state.step,
            time: state.time,
            status: solution.status,
            bodies: bodies.iter().map(|i| model.bodies[*i].name.clone()).collect(),
            joints: joints.iter().map(|k| model.joints[*k].name.clone()).collect(),
            torn: self.torn(solution.status, &rows).into(),
            mass_ratio: self.mass_ratio(&bodies),
            contacts,
        }
    }

    /// Heaviest of some bodies by the lightest, of those that forces move.
    fn mass_ratio(&self, bodies: &[usize]) -> f64 {
        let masses = bodies.iter().filter_map(|i| match self.at.model.bodies[*i].kind {
            Kind::Dynamic { mass, .. } => Some(mass),
            _ => None,
        });
        let none = [f64::INFINITY, 0.0];
        let [least, most] = masses.fold(none, |[least, most], m| [least.min(m), most.max(m)]);
        if most > 0.0 { most / least } else { 1.0 }
    }

    /// Joint of which a contact of the problem is a limit.
    fn limit_of(&self, contact: usize) -> Option<usize> {
        let place = contact.checked_sub(self.contacts.len())?;
        self.assembly.limits.get(place).map(|limit| limit.joint)
    }

    /// Joints whose firm rows the best answer does not keep to a thousandth of the fastest, with their errors.
    fn torn(&self, status: Status, rows: &[usize]) -> Vec<JointError> {
        const BROKEN: f64 = 1e-3;
        let Assembly {
            problem, joint_rows, ..
        } = self.assembly;
        let solution = self.solver.solution();
        if status == Status::Solved || solution.velocity.len() != problem.dof() {
            return Vec::new();
        }
        let speed = |k: &usize| {
            let (touches, row) = problem.joint_tilde(*k);
            let parts = touches
                .iter()
                .flat_map(|t| (0..t.len).map(|j| row[t.start + j] * solution.velocity[t.at + j]));
            (parts.sum::<f64>() + problem.joint_bias(*k)).abs()
        };
        let firm: Vec<usize> = rows
            .iter()
            .copied()
            .filter(|k| joint_rows[*k].role == Role::Firm)
            .collect();
        let fastest = solution.velocity.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let biased = firm.iter().fold(fastest, |m, k| m.max(problem.joint_bias(*k).abs()));
        let mut torn: Vec<usize> = firm
            .iter()
            .filter(|k| speed(k) > BROKEN * biased)
            .map(|k| joint_rows[*k].joint)
            .collect();
        torn.dedup();
        torn.into_iter().map(|joint| error_of(self.at, joint)).collect()
    }
}

/// Bodies that would go farther in the step than contacts were looked for.
pub(crate) fn outrun(model: &Model, state: &State, bodies: &[usize]) -> SimError {
    SimError::Outrun {
        step: state.step,
        time: state.time,
        bodies: bodies.iter().map(|i| model.bodies[*i].name.clone()).collect(),
    }
}

/// A body whose free rotation was not found.
pub(crate) fn spin_not_found(model: &Model, body: usize, time: StepTime, failure: SpinFailure) -> SimError {
    SimError::Spin {
        step: time.step,
        time: time.start,
        body: model.bodies[body].name.clone(),
        turn: failure.turn,
        residual: failure.residual,
    }
}
