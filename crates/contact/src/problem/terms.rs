//! What a contact problem knows of a contact beside its columns: friction, bias, restitution, slip, viscosity, key; and how a joint row
//! yields.

use super::{Contact, ContactProblem};
use crate::cone::finite_mu;
use crate::error::{InputError, check_finite};
use crate::stamp::Stamp;

impl ContactProblem {
    /// Sets what is added to a contact's normal and tangential velocity [m/s]: gap/h, restitution, moving ground.
    ///
    /// # Errors
    /// An index out of range, a number that is not finite, motion along a second tangent that a planar contact does not have.
    pub fn set_bias(&mut self, contact: usize, bias: [f64; 3]) -> Result<(), InputError> {
        check_finite(format_args!("contacts[{contact}].bias"), &bias)?;
        let place = self.contact_mut(contact)?;
        if place.planar && bias[2] != 0.0 {
            let field = format!("contacts[{contact}].bias[2]");
            return Err(InputError::value(
                field,
                "must be 0 where the second tangent is zero",
                bias[2],
            ));
        }
        place.bias = bias;
        self.stamp = Stamp::fresh();
        Ok(())
    }

    /// Sets a contact's coefficient of restitution e, after Poisson. [`ContactSolver::solve`](crate::ContactSolver::solve) then solves twice: first
    /// the compression, without restitution, with normal impulses θ_c; then the whole bounce, from the same velocity without contact, in which contacts
    /// have the least normal impulse (1 + e)θ_c ([`Self::set_least_impulse`]).
    ///
    /// # Errors
    /// An index out of range, a coefficient outside 0 ..= 1.
    pub fn set_restitution(&mut self, contact: usize, restitution: f64) -> Result<(), InputError> {
        if !(0.0..=1.0).contains(&restitution) {
            let field = format!("contacts[{contact}].restitution");
            return Err(InputError::value(field, "must lie between 0 and 1", restitution));
        }
        self.contact_mut(contact)?.restitution = restitution;
        self.stamp = Stamp::fresh();
        Ok(())
    }

    /// Sets the least normal impulse c ≥ 0 of a contact [N·s]: 0 ≤ ν ⟂ θ − c ≥ 0 in place of 0 ≤ ν ⟂ θ ≥ 0. Friction is that of the whole normal
    /// impulse θ and opposes the slip at the end. This is the second half of a bounce after Poisson.
    ///
    /// ```
    /// use stiction_contact::{ContactProblem, ContactSolver, Options, Status};
    /// // A point mass of 1 kg arrives with (8, −3) m/s. The floor gives 6 N·s, and friction takes 0.3 of that along it.
    /// let mut problem = ContactProblem::new();
    /// let ball = problem.add_block(&[1.0, 0.0, 0.0, 1.0], &[8.0, -3.0])?;
    /// let floor = problem.add_contact(&[(ball, [&[0.0, 1.0], &[1.0, 0.0], &[0.0, 0.0]])], 0.3)?;
    /// problem.set_least_impulse(floor, 6.0)?;
    /// let mut solver = ContactSolver::new(Options::default())?;
    /// let solution = solver.solve(&problem)?;
    /// assert_eq!(solution.status, Status::Solved);
    /// assert!((solution.velocity[0] - 6.2).abs() < 1e-12 && (solution.velocity[1] - 3.0).abs() < 1e-12);
    /// # Ok::<(), stiction_contact::InputError>(())
    /// ```
    ///
    /// # Errors
    /// An index out of range, an impulse that is negative or not finite.
    pub fn set_least_impulse(&mut self, contact: usize, impulse: f64) -> Result<(), InputError> {
        if !(impulse.is_finite() && impulse >= 0.0) {
            let field = format!("contacts[{contact}].least_impulse");
            return Err(InputError::value(field, "must be finite and not negative", impulse));
        }
        self.contact_mut(contact)?.least_impulse = impulse;
        self.stamp = Stamp::fresh();
        Ok(())
    }

    /// Sets the key by which a warm start recognises the contact in the next problem.
    ///
    /// # Errors
    /// An index out of range.
    pub fn set_key(&mut self, contact: usize, key: u64) -> Result<(), InputError> {
        self.contact_mut(contact)?.key = key;
        self.stamp = Stamp::fresh();
        Ok(())
    }

    /// Sets the slip velocity along a contact's tangents at the start [m/s]. The acceleration-level law
    /// ([`Law::CoulombAcceleration`](crate::Law::CoulombAcceleration)) takes a contact with a slip as *dynamic*: its friction opposes
    /// this slip, whatever the acceleration \[Baraff 6\]. The explicit viscous law takes its friction from it.
    ///
    /// # Errors
    /// An index out of range, a number that is not finite.
    pub fn set_slip(&mut self, contact: usize, slip: [f64; 2]) -> Result<(), InputError> {
        check_finite(format_args!("contacts[{contact}].slip"), &slip)?;
        self.contact_mut(contact)?.slip = slip;
        self.stamp = Stamp::fresh();
        Ok(())
    }

    /// Sets a contact's viscous friction: the tangential impulse per tangential velocity, hμ_v \[kg\]; at acceleration level the force per
    /// velocity, μ_v \[kg/s\]. Read by the viscous laws \[Drumwright IV\] and by those of Coulomb's and
    /// viscous friction together \[Drumwright (14), (15)\].
    ///
    /// # Errors
    /// An index out of range, a coefficient that is negative or not finite.
    pub fn set_viscosity(&mut self, contact: usize, viscosity: f64) -> Result<(), InputError> {
        if !(viscosity.is_finite() && viscosity >= 0.0) {
            let field = format!("contacts[{contact}].viscosity");
            return Err(InputError::value(field, "must be finite and not negative", viscosity));
        }
        self.contact_mut(contact)?.viscosity = viscosity;
        self.stamp = Stamp::fresh();
        Ok(())
    }

    /// Says that impulses are forces of one moment and velocities accelerations, as in [`Self::at_acceleration`]: contacts that slip at the
    /// start are reported as sliding, whatever the law.
    pub fn set_forces(&mut self) {
        self.forces = true;
        self.stamp = Stamp::fresh();
    }

    /// Whether impulses are forces of one moment ([`Self::at_acceleration`]).
    pub(crate) fn is_of_forces(&self) -> bool {
        self.forces
    }

    fn contact_mut(&mut self, contact: usize) -> Result<&mut Contact, InputError> {
        let limit = self.contacts.len();
        self.contacts.get_mut(contact).ok_or_else(|| InputError::OutOfRange {
            field: "contact".to_owned(),
            limit,
            found: contact,
        })
    }

    /// Friction coefficient of a contact.
    #[must_use]
    pub fn mu(&self, contact: usize) -> f64 {
        self.contacts[contact].mu
    }

    /// Bias of a contact [m/s].
    #[must_use]
    pub fn bias(&self, contact: usize) -> [f64; 3] {
        self.contacts[contact].bias
    }

    /// Coefficient of restitution of a contact.
    #[must_use]
    pub fn restitution(&self, contact: usize) -> f64 {
        self.contacts[contact].restitution
    }

    /// Least normal impulse of a contact [N·s].
    #[must_use]
    pub fn least_impulse(&self, contact: usize) -> f64 {
        self.contacts[contact].least_impulse
    }

    /// Whether a contact has a least normal impulse.
    pub(crate) fn any_least_impulse(&self) -> bool {
        self.contacts.iter().any(|contact| contact.least_impulse > 0.0)
    }

    /// Key of a contact.
    #[must_use]
    pub fn key(&self, contact: usize) -> u64 {
        self.contacts[contact].key
    }

    /// Whether the contact is planar: its second tangent is zero.
    #[must_use]
    pub fn is_planar(&self, contact: usize) -> bool {
        self.contacts[contact].planar
    }

    /// Bias of a joint row [m/s].
    #[must_use]
    pub fn joint_bias(&self, joint: usize) -> f64 {
        self.joints[joint].bias
    }

    /// Says that a block was at rest before the step. Under [`Law::Polyhedral`](crate::Law::Polyhedral), where all blocks of an island were at rest and several answers are
    /// lawful, one in which they stay so is preferred to one in which they move, if it takes no more normal impulse in all
    /// ([`Stats::rest_preferred`](crate::Stats::rest_preferred)). [`Self::from_bodies`] says so of bodies whose velocity is zero.
    ///
    /// # Errors
    /// An index out of range.
    pub fn set_at_rest(&mut self, block: usize) -> Result<(), InputError> {
        let limit = self.blocks.len();
        let Some(place) = self.blocks.get_mut(block) else {
            return Err(InputError::OutOfRange {
                field: "block".to_owned(),
                limit,
                found: block,
            });
        };
        place.at_rest = true;
        self.stamp = Stamp::fresh();
        Ok(())
    }

    /// Whether all blocks were at rest before the step.
    pub(crate) fn starts_at_rest(&self) -> bool {
        self.blocks.iter().all(|block| block.at_rest)
    }

    /// Replaces the bias of a joint row [m/s].
    ///
    /// # Errors
    /// An index out of range, a number that is not finite, a bias other than 0 of a row of zeros.
    pub fn set_joint_bias(&mut self, joint: usize, bias: f64) -> Result<(), InputError> {
        let limit = self.joints.len();
        if joint >= limit {
            return Err(InputError::OutOfRange {
                field: "joint".to_owned(),
                limit,
                found: joint,
            });
        }
        if !bias.is_finite() {
            return Err(InputError::value(
                format!("joints[{joint}].bias"),
                "must be finite",
                bias,
            ));
        }
        if bias != 0.0 && self.joint_tilde(joint).1.iter().all(|x| *x == 0.0) {
            let field = format!("joints[{joint}].bias");
            return Err(InputError::value(field, "must be 0 for a row of zeros", bias));
        }
        self.joints[joint].bias = bias;
        self.stamp = Stamp::fresh();
        Ok(())
    }

    /// The unit of a joint row: a row with a hundred times the entries has a hundred times the velocity without being faster. 1 except for rows of rigid bodies.
    pub(crate) fn joint_unit(&self, joint: usize) -> f64 {
        self.joints[joint].unit
    }

    /// Says how large a joint row is, rounded to a power of two; nothing else than a positive number changes anything.
    pub(crate) fn set_joint_unit(&mut self, joint: usize, size: f64) {
        let unit = libm::exp2(libm::rint(libm::log2(size)));
        if unit.is_normal() {
            self.joints[joint].unit = unit;
        }
    }

    /// Lets a joint row yield: jᵀv + b + ελ = 0 with the `compliance` ε ≥ 0, the velocity by which the row gives way to a unit of impulse,
    /// as long as |λ| stays within `most`; a row that has reached this limit moves against its impulse. With ε = 0 this is dry friction of a
    /// known limit, with 1/ε = h²k + hc a spring and damper taken at the end of the step; `most` may be infinite. Forces and accelerations
    /// ([`Self::at_acceleration`]) likewise.
    ///
    /// ```
    /// use stiction_contact::{ContactProblem, ContactSolver, Options, Status};
    /// // A slider of 2 kg at 3 m/s: a brake of at most 1 N·s takes half a metre per second from it.
    /// let mut problem = ContactProblem::new();
    /// let slider = problem.add_block(&[2.0], &[3.0])?;
    /// let brake = problem.add_joint(&[(slider, &[1.0])], 0.0)?;
    /// problem.set_yield(brake, 0.0, 1.0)?;
    /// let mut solver = ContactSolver::new(Options::default())?;
    /// let solution = solver.solve(&problem)?;
    /// assert_eq!((solution.status, solution.joint_impulse[0]), (Status::Solved, -1.0));
    /// assert_eq!(solution.velocity[0], 2.5);
    /// # Ok::<(), stiction_contact::InputError>(())
    /// ```
    ///
    /// # Errors
    /// An index out of range; a compliance that is negative or not finite, a limit that is negative or NaN.
    pub fn set_yield(&mut self, joint: usize, compliance: f64, most: f64) -> Result<(), InputError> {
        let limit = self.joints.len();
        let Some(place) = self.joints.get_mut(joint) else {
            return Err(InputError::OutOfRange {
                field: "joint".to_owned(),
                limit,
                found: joint,
            });
        };
        if !(compliance.is_finite() && compliance >= 0.0) {
            let field = format!("joints[{joint}].compliance");
            return Err(InputError::value(field, "must be finite and not negative", compliance));
        }
        if most.is_nan() || most < 0.0 {
            let field = format!("joints[{joint}].most");
            return Err(InputError::value(field, "must not be negative or NaN", most));
        }
        (place.compliance, place.most) = (compliance, most);
        self.stamp = Stamp::fresh();
        Ok(())
    }

    /// Compliance of a joint row, 0 where it is firm, and its largest impulse, infinite where there is none.
    #[must_use]
    pub fn joint_yield(&self, joint: usize) -> (f64, f64) {
        let joint = &self.joints[joint];
        (joint.compliance, joint.most)
    }

    /// Whether a joint row yields: it has a compliance or a limit.
    #[must_use]
    pub fn yields(&self, joint: usize) -> bool {
        self.joints[joint].yields()
    }

    /// Whether any joint row yields.
    pub(crate) fn any_yields(&self) -> bool {
        self.joints.iter().any(super::Joint::yields)
    }

    /// Slip velocity of a contact at the start [m/s].
    #[must_use]
    pub fn slip(&self, contact: usize) -> [f64; 2] {
        self.contacts[contact].slip
    }

    /// Friction force per normal force of a dynamic contact, along its tangents: −μ s/|s| for its slip s; `None` where it does not slip
    /// \[Baraff (24)\].
    #[must_use]
    pub fn drag(&self, contact: usize) -> Option<[f64; 2]> {
        let Contact { slip, mu, planar, .. } = self.contacts[contact];
        let slip = if planar { [slip[0], 0.0] } else { slip };
        let (speed, mu) = (libm::hypot(slip[0], slip[1]), finite_mu(mu));
        (speed > 0.0).then(|| [-mu * (slip[0] / speed), -mu * (slip[1] / speed)])
    }

    /// Viscous friction −c s of the slip s that a contact has at the start, along its tangents \[Drumwright (15)\].
    pub(crate) fn viscous_drag(&self, contact: usize) -> [f64; 2] {
        let Contact {
            slip,
            viscosity,
            planar,
            ..
        } = self.contacts[contact];
        [-viscosity * slip[0], if planar { 0.0 } else { -viscosity * slip[1] }]
    }

    /// Viscous friction of a contact: impulse (or force) per tangential velocity.
    #[must_use]
    pub fn viscosity(&self, contact: usize) -> f64 {
        self.contacts[contact].viscosity
    }
}
