//! Contact problems of forces and accelerations between rigid bodies that touch and do not part \[Baraff 2, 5, 6\].

use crate::bodies::{Added, Body, BodyContact, BodyJoint, Level, Place, Restitution, cross, dot, too_fast};
use crate::error::{InputError, check_finite};
use crate::problem::ContactProblem;

/// Share of the speeds involved within which a contact counts as neither approaching nor leaving: velocities come from a time step that
/// leaves errors of this order.
const NORMAL_SHARE: f64 = 1e-6;
/// Share of the speeds involved within which a contact counts as static: rounding of a velocity, with some room.
const SLIP_SHARE: f64 = 1e-9;
/// Speeds below this are zero whatever the speeds involved \[m/s\].
const FLOOR: f64 = 1e-12;

/// A contact that is closed and has no normal velocity, for [`ContactProblem::at_acceleration`].
#[derive(Debug, Clone, PartialEq)]
pub struct TouchingContact {
    /// Body that the force pushes along +normal.
    pub a: usize,
    /// Body that it pushes along −normal; `None` is the fixed world. The touching face belongs to it: the normal turns with it.
    pub b: Option<usize>,
    /// Contact point \[m\].
    pub point: [f64; 3],
    /// Unit normal, from b to a.
    pub normal: [f64; 3],
    /// Friction coefficient; infinity: a static contact that holds while it pushes. A contact that slips has a finite one.
    pub mu: f64,
    /// Normal acceleration that the velocities alone give \[m/s²\]; `None`: that of a point of a on a flat face of b.
    pub normal_bias: Option<f64>,
    /// The same along the tangents, as a world vector whose part along the normal is not read.
    pub tangent_bias: Option<[f64; 3]>,
    /// Viscous friction \[N·s/m\]: force per slip velocity. Read by the viscous law alone.
    pub viscosity: f64,
}

impl From<&TouchingContact> for BodyContact {
    /// The same contact over a time step: closed, without restitution.
    fn from(contact: &TouchingContact) -> Self {
        Self {
            a: contact.a,
            b: contact.b,
            point: contact.point,
            normal: contact.normal,
            mu: contact.mu,
            gap: 0.0,
            restitution: 0.0,
            viscosity: contact.viscosity,
        }
    }
}

impl ContactProblem {
    /// The problem of forces and accelerations: impulses are read as forces \[N\], velocities as accelerations \[m/s²\], and the
    /// velocity without contact is 𝓜⁻¹ wrench. For [`Law::CoulombAcceleration`](crate::Law::CoulombAcceleration),
    /// [`Law::Frictionless`](crate::Law::Frictionless) and [`Law::ViscousExplicit`](crate::Law::ViscousExplicit). The bias of a joint
    /// row is J̇v \[m/s²\].
    ///
    /// With r the arm of a body and w = v_a − v_b the velocity of a's point relative to b's, the acceleration of a's point as seen from b
    /// is a_a − a_b − 2ω_b×w, in which the velocities alone give
    ///
    /// β = ω_a×(ω_a×r_a) − ω_b×(ω_b×r_b) − 2ω_b×w.
    ///
    /// Its parts along the normal, n·(c_a − c_b) + 2(ω_b×n)·w, and along the tangents are the biases of a flat contact. The tangential
    /// part of w is the slip: a contact with slip is dynamic, one without static.
    ///
    /// ```
    /// use stiction_contact::{Body, ContactProblem, ContactSolver, Law, Options, Status, TouchingContact};
    /// // A block of 2 kg slides at 3 m/s; friction slows it by μ g.
    /// let block = Body {
    ///     mass: 2.0,
    ///     inertia: [[0.02, 0.0, 0.0], [0.0, 0.02, 0.0], [0.0, 0.0, 0.02]],
    ///     position: [0.0, 0.0, 0.0],
    ///     velocity: [3.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ///     wrench: [0.0, 0.0, -20.0, 0.0, 0.0, 0.0],
    /// };
    /// let floor = TouchingContact {
    ///     a: 0,
    ///     b: None,
    ///     point: [0.0, 0.0, 0.0],
    ///     normal: [0.0, 0.0, 1.0],
    ///     mu: 0.5,
    ///     normal_bias: None,
    ///     tangent_bias: None,
    ///     viscosity: 0.0,
    /// };
    /// let problem = ContactProblem::at_acceleration(&[block], &[floor], &[])?;
    /// let mut solver = ContactSolver::new(Options { law: Law::CoulombAcceleration, ..Options::default() })?;
    /// let solution = solver.solve(&problem)?;
    /// assert_eq!(solution.status, Status::Solved);
    /// assert!((solution.velocity[0] + 5.0).abs() < 1e-12); // an acceleration
    /// # Ok::<(), stiction_contact::InputError>(())
    /// ```
    ///
    /// # Errors
    /// Names the body, contact or joint and the value found. A contact that approaches or leaves is refused, and one that
    /// slips with infinite friction.
    pub fn at_acceleration(
        bodies: &[Body],
        contacts: &[TouchingContact],
        joints: &[BodyJoint],
    ) -> Result<Self, InputError> {
        let mut problem = Self::new();
        problem.set_forces();
        problem.add_bodies(bodies, Level::Acceleration)?;
        for (i, contact) in contacts.iter().enumerate() {
            problem.add_touching(&format!("contacts[{i}]"), bodies, contact)?;
        }
        problem.add_body_joints(bodies, joints)?;
        Ok(problem)
    }

    /// The problem of impulses over a step of `dt` \[s\] for the same contacts: the answer where no finite force exists
    /// ([`Status::UnboundedDrive`](crate::Status::UnboundedDrive)). Contacts are closed, without restitution; joints keep the velocity
    /// that they have.
    ///
    /// # Errors
    /// As [`Self::from_bodies`].
    pub fn impulsive(
        bodies: &[Body],
        contacts: &[TouchingContact],
        joints: &[BodyJoint],
        dt: f64,
    ) -> Result<Self, InputError> {
        let contacts: Vec<BodyContact> = contacts.iter().map(BodyContact::from).collect();
        let speed = |body: Option<usize>, row: &[f64]| {
            let velocity = body.and_then(|body| bodies.get(body)).map(|body| &body.velocity[..]);
            velocity.map_or(0.0, |velocity| dot(row, velocity))
        };
        let joints: Vec<BodyJoint> = joints
            .iter()
            .map(|joint| {
                // r·v + bias = 0 with the r·v of the start.
                let bias = |row: &[f64; 12]| -(speed(Some(joint.a), &row[..6]) + speed(joint.b, &row[6..]));
                BodyJoint {
                    bias: joint.rows.iter().map(bias).collect(),
                    ..joint.clone()
                }
            })
            .collect();
        Self::from_bodies(bodies, &contacts, &joints, dt, Restitution::Newton)
    }

    fn add_touching(&mut self, field: &str, bodies: &[Body], contact: &TouchingContact) -> Result<(), InputError> {
        if let Some(bias) = contact.normal_bias.filter(|bias| !bias.is_finite()) {
            let field = format!("{field}.normal_bias");
            return Err(InputError::value(field, "must be finite", bias));
        }
        if let Some(bias) = contact.tangent_bias {
            check_finite(format_args!("{field}.tangent_bias"), &bias)?;
        }
        let place = Place {
            a: contact.a,
            b: contact.b,
            point: contact.point,
            normal: contact.normal,
            mu: contact.mu,
            viscosity: contact.viscosity,
        };
        let Added { index, axes, velocity } = self.add_place(field, bodies, &place)?;
        let ends = [Some(contact.a), contact.b].map(|body| body.map(|body| Motion::of(&bodies[body], contact.point)));
        let speeds: f64 = ends.iter().flatten().map(|end| end.speeds).sum();
        // Room for the sums that follow.
        if !(4.0 * speeds).is_finite() {
            return Err(too_fast(field, bodies, (contact.a, contact.b), "speed"));
        }
        let [normal, x, y] = velocity;
        check_rest(field, normal, speeds)?;
        let moves = libm::hypot(x, y) > (SLIP_SHARE * speeds).max(FLOOR);
        if moves && contact.mu.is_infinite() {
            let requirement = "must be finite where the contact slips: infinite friction does not let it";
            return Err(InputError::value(format!("{field}.mu"), requirement, contact.mu));
        }
        self.set_slip(index, if moves { [x, y] } else { [0.0; 2] })?;
        self.set_viscosity(index, contact.viscosity)?;
        let flat = flat_bias(ends, world(axes, velocity));
        let [n, tx, ty] = axes;
        let across = contact.tangent_bias.unwrap_or(flat);
        let along = contact.normal_bias.unwrap_or_else(|| dot(&n, &flat));
        let bias = [along, dot(&tx, &across), dot(&ty, &across)];
        if bias.iter().any(|x| !x.is_finite()) {
            return Err(match contact.tangent_bias.filter(|_| along.is_finite()) {
                Some(given) => {
                    let requirement = "must have finite parts along the tangents: length";
                    InputError::value(format!("{field}.tangent_bias"), requirement, length(given))
                }
                None => too_fast(field, bodies, (contact.a, contact.b), "acceleration"),
            });
        }
        self.set_bias(index, bias)
    }
}

/// Length of a vector without overflow or underflow on the way.
fn length([x, y, z]: [f64; 3]) -> f64 {
    libm::hypot(libm::hypot(x, y), z)
}

/// What the velocity of a body does at a point.
struct Motion {
    turn: [f64; 3],
    /// ω×(ω×r).
    centripetal: [f64; 3],
    /// |v| + |ω||r|, without cancellation.
    speeds: f64,
}

impl Motion {
    fn of(body: &Body, point: [f64; 3]) -> Self {
        let [x, y, z, wx, wy, wz] = body.velocity;
        let turn = [wx, wy, wz];
        let arm: [f64; 3] = std::array::from_fn(|k| point[k] - body.position[k]);
        Self {
            turn,
            centripetal: cross(turn, cross(turn, arm)),
            speeds: length([x, y, z]) + length(turn) * length(arm),
        }
    }
}

/// β = c_a − c_b − 2ω_b×w for the relative velocity w of a flat contact.
fn flat_bias([a, b]: [Option<Motion>; 2], w: [f64; 3]) -> [f64; 3] {
    let mut bias = a.map_or([0.0; 3], |a| a.centripetal);
    if let Some(b) = b {
        let coriolis = cross(b.turn, w);
        for k in 0..3 {
            bias[k] -= b.centripetal[k] + 2.0 * coriolis[k];
        }
    }
    bias
}

/// Σ x_k axis_k.
fn world(axes: [[f64; 3]; 3], x: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| (0..3).map(|axis| x[axis] * axes[axis][k]).sum())
}

/// Forces hold where nothing collides and nothing comes apart.
fn check_rest(field: &str, normal: f64, speeds: f64) -> Result<(), InputError> {
    if normal.abs() <= (NORMAL_SHARE * speeds).max(FLOOR) {
        return Ok(());
    }
    let requirement = if normal < 0.0 {
        "must not approach: an impact needs impulses, which a velocity-level problem finds; normal velocity"
    } else {
        "must not leave: it carries no force and must be left out; normal velocity"
    };
    Err(InputError::value(field, requirement, normal))
}

#[cfg(test)]
mod tests;
