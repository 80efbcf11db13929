//! No slip at every contact as one problem without friction \[Drumwright VI\]: for solvers other than ours.

use super::projected::Projected;
use crate::error::{InputError, check_length};
use crate::joint_span::JointSpan;
use crate::problem::ContactProblem;

/// A problem whose contacts all hold, as a problem without friction and without joints: joints and tangents are bilateral rows, and the
/// normals are projected on what these leave free. Keeps its buffers.
///
/// Contacts whose normal the rows hold entirely have no place in it. The answer is one of the no-slip law where no contact opens;
/// [`ContactSolver`](crate::ContactSolver) also finds those where some do.
///
/// ```
/// use stiction_contact::{ContactProblem, ContactSolver, Law, NoSlipEquivalent, Options};
/// let mut problem = ContactProblem::new();
/// let mass = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
/// let block = problem.add_block(&mass, &[0.3, 0.0, -1.0])?;
/// problem.add_contact(&[(block, [&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]])], 0.0)?;
/// let mut equivalent = NoSlipEquivalent::new();
/// equivalent.set(&problem);
/// let mut solver = ContactSolver::new(Options { law: Law::Frictionless, ..Options::default() })?;
/// let theta = solver.solve(equivalent.problem())?.normal_impulse.clone();
/// let (normal, friction, _) = equivalent.impulses(&problem, &theta)?;
/// assert!((normal[0] - 2.0).abs() < 1e-14);
/// assert!((friction[0][0] + 0.6).abs() < 1e-14);
/// # Ok::<(), stiction_contact::InputError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct NoSlipEquivalent {
    joints: JointSpan,
    projected: Projected,
}

/// Normal impulses, friction impulses and joint impulses.
type Found = (Vec<f64>, Vec<[f64; 2]>, Vec<f64>);

impl NoSlipEquivalent {
    /// One without a problem.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Projects a problem.
    pub fn set(&mut self, problem: &ContactProblem) {
        self.joints.set(problem);
        self.projected.set(&self.joints, problem, 0..problem.contact_count());
        self.projected.load(problem);
    }

    /// The problem without friction.
    #[must_use]
    pub fn problem(&self) -> &ContactProblem {
        &self.projected.hat
    }

    /// Impulses of the problem that was projected, from the normal impulses of [`Self::problem`].
    ///
    /// # Errors
    /// Another number of impulses than that problem has contacts.
    pub fn impulses(&mut self, problem: &ContactProblem, theta: &[f64]) -> Result<Found, InputError> {
        check_length("theta", self.projected.hat.contact_count(), theta.len())?;
        let (mut normal, mut nu, mut v) = (Vec::new(), Vec::new(), Vec::new());
        self.projected.take(theta, &mut normal, &mut nu, &mut v);
        v.clear();
        v.extend_from_slice(problem.k_x());
        for (i, theta) in normal.iter().enumerate() {
            problem.push(i, [*theta, 0.0, 0.0], &mut v);
        }
        let mut friction = vec![[0.0; 2]; problem.contact_count()];
        let mut joint = vec![0.0; problem.joint_count()];
        self.projected
            .span
            .all_impulses(problem, &mut v, false, &mut joint, &mut friction);
        Ok((normal, friction, joint))
    }
}
