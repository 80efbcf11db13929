//! Contact problems of free rigid bodies: masses, points and normals instead of blocks and columns.

use crate::error::{InputError, check_finite, check_length};
use crate::inertia::{checked_inertia, solve_3x3};
use crate::problem::{ContactPart, ContactProblem, JointPart, check_zeros};

/// A normal within this of unit length is normalised, any other is refused.
const NORMAL_TOLERANCE: f64 = 1e-6;
/// A free rigid body. Vectors are in world axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Mass \[kg\].
    pub mass: f64,
    /// Inertia about the centre of mass \[kg·m²\].
    pub inertia: [[f64; 3]; 3],
    /// Centre of mass \[m\].
    pub position: [f64; 3],
    /// Linear, then angular velocity at the start of the step \[m/s, rad/s\].
    pub velocity: [f64; 6],
    /// Force, then torque about the centre of mass \[N, N·m\], gravity and gyroscopic terms included.
    pub wrench: [f64; 6],
}

/// A contact between two bodies, or between a body and the fixed world.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyContact {
    /// Body that an impulse pushes along +normal.
    pub a: usize,
    /// Body that it pushes along −normal; `None` is the fixed world.
    pub b: Option<usize>,
    /// Contact point \[m\].
    pub point: [f64; 3],
    /// Unit normal, from b to a.
    pub normal: [f64; 3],
    /// Friction coefficient; infinity: no slip.
    pub mu: f64,
    /// Distance \[m\], positive where the bodies are apart.
    pub gap: f64,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: f64,
    /// Viscous friction \[N·s/m\]: tangential force per tangential velocity. Read by the viscous laws alone.
    pub viscosity: f64,
}

/// A joint: rows of 6 + 6 numbers, r·(v_a, v_b) + bias = 0.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyJoint {
    /// First body.
    pub a: usize,
    /// Second body; `None` is the fixed world.
    pub b: Option<usize>,
    /// Rows over the velocities of a and b.
    pub rows: Vec<[f64; 12]>,
    /// One bias a row \[m/s or rad/s\].
    pub bias: Vec<f64>,
}

/// What the unknowns of a problem are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Level {
    /// Impulses and velocities of a step.
    Velocity {
        /// Its length \[s\].
        dt: f64,
    },
    /// Forces and accelerations.
    Acceleration,
}

/// What the two levels know of a contact alike.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) a: usize,
    pub(crate) b: Option<usize>,
    pub(crate) point: [f64; 3],
    pub(crate) normal: [f64; 3],
    pub(crate) mu: f64,
    pub(crate) viscosity: f64,
}

/// A contact that was added.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Added {
    pub(crate) index: usize,
    /// Normal and tangents.
    pub(crate) axes: [[f64; 3]; 3],
    /// Velocity of a relative to b along them, from the bodies' velocities.
    pub(crate) velocity: [f64; 3],
}

/// What restitution means. Under both rules the whole impulse obeys the law of friction, with the slip at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Restitution {
    /// Newton: the normal velocity after is −e times the one before. A bias, which redundant contacts may not allow, and which may bring energy where
    /// friction acts beside the centre of mass.
    #[default]
    Newton,
    /// Poisson: the normal impulse is at least (1 + e) times that of the compression, which is a solve of its own. Always solvable, and never brings energy.
    Poisson,
}

impl Restitution {
    /// Both rules.
    pub const ALL: [Self; 2] = [Self::Newton, Self::Poisson];

    /// Name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Newton => "newton",
            Self::Poisson => "poisson",
        }
    }
}

impl ContactProblem {
    /// The velocity-level problem of free bodies over one step of `dt` \[s\]:
    /// v_free = v₀ + 𝓜⁻¹ dt·wrench, and the bias of a contact is gap/dt plus Newton's restitution e·min(0, n·v_rel,0). One with a
    /// viscosity has the viscous impulse per velocity dt·viscosity, and the tangential part of v_rel,0 for its slip.
    ///
    /// ```
    /// use stiction_contact::{Body, BodyContact, ContactProblem, Restitution};
    /// let ball = Body {
    ///     mass: 2.0,
    ///     inertia: [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]],
    ///     position: [0.0, 0.0, 0.5],
    ///     velocity: [0.0, 0.0, -1.0, 0.0, 0.0, 0.0],
    ///     wrench: [0.0, 0.0, -20.0, 0.0, 0.0, 0.0],
    /// };
    /// let floor = BodyContact {
    ///     a: 0,
    ///     b: None,
    ///     point: [0.0, 0.0, 0.0],
    ///     normal: [0.0, 0.0, 1.0],
    ///     mu: 0.5,
    ///     gap: 0.0,
    ///     restitution: 0.0,
    ///     viscosity: 0.0,
    /// };
    /// let problem = ContactProblem::from_bodies(&[ball], &[floor], &[], 0.01, Restitution::Newton)?;
    /// assert_eq!(problem.v_free()[2], -1.1);
    /// # Ok::<(), stiction_contact::InputError>(())
    /// ```
    ///
    /// # Errors
    /// Names the body, contact or joint and the value found.
    pub fn from_bodies(
        bodies: &[Body],
        contacts: &[BodyContact],
        joints: &[BodyJoint],
        dt: f64,
        restitution: Restitution,
    ) -> Result<Self, InputError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(InputError::value("dt", "must be finite and positive", dt));
        }
        let mut problem = Self::new();
        problem.add_bodies(bodies, Level::Velocity { dt })?;
        for (i, contact) in contacts.iter().enumerate() {
            problem.add_body_contact(&format!("contacts[{i}]"), bodies, contact, dt, restitution)?;
        }
        problem.add_body_joints(bodies, joints)?;
        Ok(problem)
    }

    /// Adds a block of six coordinates for each body.
    pub(crate) fn add_bodies(&mut self, bodies: &[Body], level: Level) -> Result<(), InputError> {
        for (i, body) in bodies.iter().enumerate() {
            self.add_body(&format!("bodies[{i}]"), body, level)?;
        }
        Ok(())
    }

    fn add_body(&mut self, field: &str, body: &Body, level: Level) -> Result<(), InputError> {
        if !(body.mass.is_finite() && body.mass > 0.0) {
            return Err(InputError::value(
                format!("{field}.mass"),
                "must be finite and positive",
                body.mass,
            ));
        }
        let (inertia, least) = checked_inertia(&format!("{field}.inertia"), &body.inertia)?;
        check_finite(format_args!("{field}.position"), &body.position)?;
        check_finite(format_args!("{field}.velocity"), &body.velocity)?;
        check_finite(format_args!("{field}.wrench"), &body.wrench)?;
        let (mut v_free, scale, requirement) = match level {
            Level::Velocity { dt } => (body.velocity, dt, "must have a finite velocity after the step"),
            Level::Acceleration => ([0.0; 6], 1.0, "must have a finite acceleration"),
        };
        let turn = solve_3x3(&inertia, [body.wrench[3], body.wrench[4], body.wrench[5]]);
        for k in 0..3 {
            v_free[k] += scale * (body.wrench[k] / body.mass);
            v_free[k + 3] += scale * turn[k];
        }
        let overflow = |v: &[f64]| {
            let found = v.iter().find(|x| !x.is_finite()).copied()?;
            Some(InputError::value(field, requirement, found))
        };
        if let Some(error) = overflow(&v_free) {
            return Err(error);
        }
        let mut mass = [0.0; 36];
        for r in 0..3 {
            mass[7 * r] = body.mass;
            for c in 0..3 {
                mass[6 * (r + 3) + c + 3] = inertia[r][c];
            }
        }
        let block = self.add_block(&mass, &v_free).map_err(|_| {
            let requirement = "must be positive definite: smallest principal moment";
            InputError::value(format!("{field}.inertia"), requirement, least)
        })?;
        if body.velocity == [0.0; 6] {
            self.set_at_rest(block)?;
        }
        // k_x = Gᵀ v_free may overflow where v_free does not.
        overflow(&self.k_x()[self.block_range(block)]).map_or(Ok(()), Err)
    }

    /// Adds the columns of a contact point. Returns the contact's index, its axes, and the velocity of a relative to b along them.
    pub(crate) fn add_place(&mut self, field: &str, bodies: &[Body], at: &Place) -> Result<Added, InputError> {
        check_ends(field, bodies.len(), at.a, at.b)?;
        check_finite(format_args!("{field}.point"), &at.point)?;
        let n = unit_normal(&format!("{field}.normal"), at.normal)?;
        let [tx, ty] = tangents(n);
        let axes = [n, tx, ty];
        let rows_a = wrenches(bodies[at.a].position, at.point, axes, 1.0);
        let rows_b = at.b.map(|b| (b, wrenches(bodies[b].position, at.point, axes, -1.0)));
        let mut velocity = rows_a.map(|row| dot(&row, &bodies[at.a].velocity));
        let mut parts: Vec<ContactPart<'_>> = vec![(at.a, [&rows_a[0], &rows_a[1], &rows_a[2]])];
        if let Some((b, rows)) = &rows_b {
            for (u, row) in velocity.iter_mut().zip(rows) {
                *u += dot(row, &bodies[*b].velocity);
            }
            parts.push((*b, [&rows[0], &rows[1], &rows[2]]));
        }
        let far = parts.iter().flat_map(|(_, rows)| rows.iter().copied().flatten());
        if let Some(found) = far.into_iter().find(|x| !x.is_finite()) {
            let requirement = "must lie within range of its bodies: moment of the normal";
            return Err(InputError::value(format!("{field}.point"), requirement, *found));
        }
        if velocity.iter().any(|x| !x.is_finite()) {
            return Err(too_fast(field, bodies, (at.a, at.b), "speed"));
        }
        if !(at.viscosity.is_finite() && at.viscosity >= 0.0) {
            let requirement = "must be finite and not negative";
            return Err(InputError::value(
                format!("{field}.viscosity"),
                requirement,
                at.viscosity,
            ));
        }
        let index = self.add_contact(&parts, at.mu)?;
        Ok(Added { index, axes, velocity })
    }

    fn add_body_contact(
        &mut self,
        field: &str,
        bodies: &[Body],
        contact: &BodyContact,
        dt: f64,
        restitution: Restitution,
    ) -> Result<(), InputError> {
        let e = contact.restitution;
        if !(0.0..=1.0).contains(&e) {
            return Err(InputError::value(
                format!("{field}.restitution"),
                "must lie between 0 and 1",
                e,
            ));
        }
        if !(contact.gap / dt).is_finite() {
            return Err(InputError::value(
                format!("{field}.gap"),
                "must be finite, and so must gap/dt",
                contact.gap,
            ));
        }
        let place = Place {
            a: contact.a,
            b: contact.b,
            point: contact.point,
            normal: contact.normal,
            mu: contact.mu,
            viscosity: contact.viscosity,
        };
        let Added { index, velocity, .. } = self.add_place(field, bodies, &place)?;
        let [speed, x, y] = velocity;
        if contact.viscosity > 0.0 {
            self.set_slip(index, [x, y])?;
            self.set_viscosity(index, dt * contact.viscosity)?;
        }
        match restitution {
            // 0 ≤ n·v + gap/dt + e·min(0, n·v_rel,0) ⟂ θ ≥ 0
            Restitution::Newton => self.set_bias(index, [contact.gap / dt + e * speed.min(0.0), 0.0, 0.0]),
            Restitution::Poisson => {
                self.set_restitution(index, e)?;
                self.set_bias(index, [contact.gap / dt, 0.0, 0.0])
            }
        }
    }

    /// Adds every row of each joint.
    pub(crate) fn add_body_joints(&mut self, bodies: &[Body], joints: &[BodyJoint]) -> Result<(), InputError> {
        for (i, joint) in joints.iter().enumerate() {
            self.add_body_joint(&format!("joints[{i}]"), bodies, joint)?;
        }
        Ok(())
    }

    fn add_body_joint(&mut self, field: &str, bodies: &[Body], joint: &BodyJoint) -> Result<(), InputError> {
        check_ends(field, bodies.len(), joint.a, joint.b)?;
        check_length(format!("{field}.bias"), joint.rows.len(), joint.bias.len())?;
        for (r, row) in joint.rows.iter().enumerate() {
            check_finite(format_args!("{field}.rows[{r}]"), row)?;
        }
        check_finite(format_args!("{field}.bias"), &joint.bias)?;
        for (r, (row, bias)) in joint.rows.iter().zip(&joint.bias).enumerate() {
            // The fixed world has velocity zero: its six numbers never act.
            let both: [JointPart<'_>; 2] = [(joint.a, &row[..6]), (joint.b.unwrap_or(joint.a), &row[6..])];
            let acts = |part: &JointPart<'_>| part.1.iter().any(|x| *x != 0.0);
            let parts = match joint.b {
                // A body that a row leaves alone is not joined by it.
                Some(_) if !acts(&both[0]) && acts(&both[1]) => &both[1..],
                Some(_) if acts(&both[1]) => &both[..],
                _ => &both[..1],
            };
            check_zeros(format_args!("{field}.bias[{r}]"), parts, *bias)?;
            let index = self.add_joint(parts, *bias)?;
            self.set_joint_unit(index, row_size(bodies, parts));
        }
        Ok(())
    }
}

/// A point this many times a body's radius of gyration away is none: the row turns the body, and its translation is rounding.
const LONGEST_ARM: f64 = 1e4;

/// Length of a joint row: of its translation, so that the row is a speed of points, whatever their arms; where it only turns, of its rotation, in rad/s.
fn row_size(bodies: &[Body], parts: &[JointPart<'_>]) -> f64 {
    let length = |row: &[f64]| row.iter().fold(0.0, |m, x| libm::hypot(m, *x));
    let (mut moves, mut turns) = (0.0_f64, 0.0_f64);
    for (body, row) in parts {
        let (along, about) = (length(&row[..3]), length(&row[3..]));
        let Body { mass, inertia, .. } = &bodies[*body];
        let gyration = ((inertia[0][0] + inertia[1][1] + inertia[2][2]) / mass).sqrt();
        turns = turns.max(about);
        if about <= LONGEST_ARM * gyration * along {
            moves = moves.max(along);
        }
    }
    if moves > 0.0 { moves } else { turns }
}

/// Components of a normal that differ by less count as equal: rounding must not turn the tangents from one step to the next, since
/// impulses that are kept as a start are along them.
const EQUAL: f64 = 1e-6;

/// Two tangents that form a right-handed frame (n, t₁, t₂ up to sign) with a unit normal: t₁ = n × e normalised, e the axis with the
/// smallest |n_k| (the first of those within 1e-6), t₂ = n × t₁.
#[must_use]
pub fn tangents(normal: [f64; 3]) -> [[f64; 3]; 2] {
    let mut axis = 0;
    for k in 1..3 {
        if normal[k].abs() < normal[axis].abs() - EQUAL {
            axis = k;
        }
    }
    let mut e = [0.0; 3];
    e[axis] = 1.0;
    let mut first = cross(normal, e);
    let length = dot(&first, &first).sqrt();
    for x in &mut first {
        *x /= length;
    }
    [first, cross(normal, first)]
}

/// Rows (t, r × t) of unit impulses at a point, r from the centre of mass.
fn wrenches(position: [f64; 3], point: [f64; 3], axes: [[f64; 3]; 3], sign: f64) -> [[f64; 6]; 3] {
    let r: [f64; 3] = std::array::from_fn(|k| point[k] - position[k]);
    axes.map(|t| {
        let moment = cross(r, t);
        std::array::from_fn(|k| sign * if k < 3 { t[k] } else { moment[k - 3] })
    })
}

fn check_ends(field: &str, body_count: usize, a: usize, b: Option<usize>) -> Result<(), InputError> {
    for (name, end) in [("a", Some(a)), ("b", b)] {
        if let Some(found) = end.filter(|end| *end >= body_count) {
            return Err(InputError::OutOfRange {
                field: format!("{field}.{name}"),
                limit: body_count,
                found,
            });
        }
    }
    if b == Some(a) {
        return Err(InputError::SelfContact {
            field: field.to_owned(),
            found: a,
        });
    }
    Ok(())
}

/// The refusal of a contact whose bodies a and b move so fast that what their velocities give there overflows: names the faster.
pub(crate) fn too_fast(field: &str, bodies: &[Body], (a, b): (usize, Option<usize>), what: &str) -> InputError {
    let largest = |body: usize| bodies[body].velocity.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let body = b.filter(|b| largest(*b) > largest(a)).unwrap_or(a);
    let requirement = format!("must give a finite {what} at {field}: largest entry");
    InputError::value(format!("bodies[{body}].velocity"), requirement, largest(body))
}

fn unit_normal(field: &str, normal: [f64; 3]) -> Result<[f64; 3], InputError> {
    check_finite(field, &normal)?;
    let length = libm::hypot(libm::hypot(normal[0], normal[1]), normal[2]);
    if normal == [0.0; 3] {
        return Err(InputError::value(field, "must not be zero", 0.0));
    }
    if (length - 1.0).abs() > NORMAL_TOLERANCE || !length.is_finite() {
        return Err(InputError::value(field, "must have unit length", length));
    }
    Ok(normal.map(|x| x / length))
}

pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests;
