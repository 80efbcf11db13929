//! Contact problems of free rigid bodies: masses, points and normals instead of blocks and columns.

use crate::error::{InputError, check_finite, check_length};
use crate::problem::{ContactPart, ContactProblem, JointPart};

/// Relative difference within which an inertia counts as symmetric and its moments as a triangle: data are written with some digits.
const INERTIA_TOLERANCE: f64 = 1e-9;
/// A normal within this of unit length is normalised, any other is refused.
const NORMAL_TOLERANCE: f64 = 1e-6;
/// Jacobi's method on a 3×3 matrix converges quadratically; this is a bound, not a number of sweeps met.
const JACOBI_SWEEPS: usize = 30;

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

/// What restitution means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Restitution {
    /// Newton: the normal velocity after is −e times the one before. A bias, which redundant contacts may not allow.
    #[default]
    Newton,
    /// Poisson: the impulse of a second solve is at least e times that of the first. Always solvable.
    Poisson,
}

impl ContactProblem {
    /// The velocity-level problem of free bodies over one step of `dt` \[s\]:
    /// v_free = v₀ + 𝓜⁻¹ dt·wrench, and the bias of a contact is gap/dt plus Newton's restitution e·min(0, n·v_rel,0).
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
        for (i, body) in bodies.iter().enumerate() {
            problem.add_body(&format!("bodies[{i}]"), body, dt)?;
        }
        for (i, contact) in contacts.iter().enumerate() {
            problem.add_body_contact(&format!("contacts[{i}]"), bodies, contact, dt, restitution)?;
        }
        for (i, joint) in joints.iter().enumerate() {
            problem.add_body_joint(&format!("joints[{i}]"), bodies.len(), joint)?;
        }
        Ok(problem)
    }

    fn add_body(&mut self, field: &str, body: &Body, dt: f64) -> Result<(), InputError> {
        if !(body.mass.is_finite() && body.mass > 0.0) {
            return Err(InputError::value(
                format!("{field}.mass"),
                "must be finite and positive",
                body.mass,
            ));
        }
        let (inertia, least) = checked_inertia(&format!("{field}.inertia"), &body.inertia)?;
        check_finite(&format!("{field}.position"), &body.position)?;
        check_finite(&format!("{field}.velocity"), &body.velocity)?;
        check_finite(&format!("{field}.wrench"), &body.wrench)?;
        let mut v_free = body.velocity;
        let turn = solve_3x3(&inertia, [body.wrench[3], body.wrench[4], body.wrench[5]]);
        for k in 0..3 {
            v_free[k] += dt * (body.wrench[k] / body.mass);
            v_free[k + 3] += dt * turn[k];
        }
        let overflow = |v: &[f64]| {
            let found = v.iter().find(|x| !x.is_finite()).copied()?;
            Some(InputError::value(
                field,
                "must have a finite velocity after the step",
                found,
            ))
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
        // k_x = Gᵀ v_free may overflow where v_free does not.
        overflow(&self.k_x()[self.block_range(block)]).map_or(Ok(()), Err)
    }

    fn add_body_contact(
        &mut self,
        field: &str,
        bodies: &[Body],
        contact: &BodyContact,
        dt: f64,
        restitution: Restitution,
    ) -> Result<(), InputError> {
        check_ends(field, bodies.len(), contact.a, contact.b)?;
        check_finite(&format!("{field}.point"), &contact.point)?;
        let n = unit_normal(&format!("{field}.normal"), contact.normal)?;
        let e = contact.restitution;
        if !(0.0..=1.0).contains(&e) {
            return Err(InputError::value(
                format!("{field}.restitution"),
                "must lie between 0 and 1",
                e,
            ));
        }
        let [tx, ty] = tangents(n);
        let rows_a = wrenches(bodies[contact.a].position, contact.point, [n, tx, ty], 1.0);
        let rows_b = contact
            .b
            .map(|b| (b, wrenches(bodies[b].position, contact.point, [n, tx, ty], -1.0)));
        let mut speed = dot(&rows_a[0], &bodies[contact.a].velocity);
        let mut parts: Vec<ContactPart<'_>> = vec![(contact.a, [&rows_a[0], &rows_a[1], &rows_a[2]])];
        if let Some((b, [n_b, tx_b, ty_b])) = &rows_b {
            speed += dot(n_b, &bodies[*b].velocity);
            parts.push((*b, [n_b, tx_b, ty_b]));
        }
        let far = parts.iter().flat_map(|(_, rows)| rows.iter().copied().flatten());
        if let Some(found) = far.into_iter().find(|x| !x.is_finite()) {
            let requirement = "must lie within range of its bodies: moment of the normal";
            return Err(InputError::value(format!("{field}.point"), requirement, *found));
        }
        if !(contact.gap / dt).is_finite() {
            return Err(InputError::value(
                format!("{field}.gap"),
                "must be finite, and so must gap/dt",
                contact.gap,
            ));
        }
        let index = self.add_contact(&parts, contact.mu)?;
        match restitution {
            // 0 ≤ n·v + gap/dt + e·min(0, n·v_rel,0) ⟂ θ ≥ 0
            Restitution::Newton => self.set_bias(index, [contact.gap / dt + e * speed.min(0.0), 0.0, 0.0]),
            Restitution::Poisson => {
                self.set_restitution(index, e)?;
                self.set_bias(index, [contact.gap / dt, 0.0, 0.0])
            }
        }
    }

    fn add_body_joint(&mut self, field: &str, body_count: usize, joint: &BodyJoint) -> Result<(), InputError> {
        check_ends(field, body_count, joint.a, joint.b)?;
        check_length(format!("{field}.bias"), joint.rows.len(), joint.bias.len())?;
        for (r, row) in joint.rows.iter().enumerate() {
            check_finite(&format!("{field}.rows[{r}]"), row)?;
        }
        check_finite(&format!("{field}.bias"), &joint.bias)?;
        for (row, bias) in joint.rows.iter().zip(&joint.bias) {
            // The fixed world has velocity zero: its six numbers never act.
            let both: [JointPart<'_>; 2] = [(joint.a, &row[..6]), (joint.b.unwrap_or(joint.a), &row[6..])];
            let count = if joint.b.is_some() { 2 } else { 1 };
            self.add_joint(&both[..count], *bias)?;
        }
        Ok(())
    }
}

/// Two tangents that form a right-handed frame (n, t₁, t₂ up to sign) with a unit normal: t₁ = n × e normalised, e the axis with the
/// smallest |n_k| (the first of equals), t₂ = n × t₁.
#[must_use]
pub fn tangents(normal: [f64; 3]) -> [[f64; 3]; 2] {
    let mut axis = 0;
    for k in 1..3 {
        if normal[k].abs() < normal[axis].abs() {
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

/// The symmetric part of an inertia that a body can have, and its smallest principal moment.
fn checked_inertia(field: &str, inertia: &[[f64; 3]; 3]) -> Result<([[f64; 3]; 3], f64), InputError> {
    for (r, row) in inertia.iter().enumerate() {
        check_finite(&format!("{field}[{r}]"), row)?;
    }
    let largest = inertia.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut symmetric = *inertia;
    for r in 0..3 {
        for c in 0..r {
            let difference = inertia[r][c] - inertia[c][r];
            if difference.abs() > INERTIA_TOLERANCE * largest {
                return Err(InputError::value(
                    format!("{field}[{r}][{c}]"),
                    "must be symmetric: difference of mirrored entries",
                    difference,
                ));
            }
            symmetric[r][c] = inertia[c][r] + 0.5 * difference;
            symmetric[c][r] = symmetric[r][c];
        }
    }
    let [least, middle, most] = principal_moments(&symmetric);
    if least.is_nan() || least <= 0.0 {
        let requirement = "must be positive definite: smallest principal moment";
        return Err(InputError::value(field, requirement, least));
    }
    let excess = most - (least + middle);
    if excess > INERTIA_TOLERANCE * most {
        let requirement = "principal moments must satisfy the triangle inequality: largest minus sum of the others";
        return Err(InputError::value(field, requirement, excess));
    }
    Ok((symmetric, least))
}

/// Eigenvalues of a symmetric 3×3 matrix, ascending, by Jacobi rotations.
fn principal_moments(matrix: &[[f64; 3]; 3]) -> [f64; 3] {
    // Scaled so that squares neither overflow nor vanish.
    let largest = matrix.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
    if largest == 0.0 {
        return [0.0; 3];
    }
    let mut a = matrix.map(|row| row.map(|x| x / largest));
    for _ in 0..JACOBI_SWEEPS {
        if a[0][1] == 0.0 && a[0][2] == 0.0 && a[1][2] == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, p, q);
        }
    }
    let mut moments = [a[0][0] * largest, a[1][1] * largest, a[2][2] * largest];
    moments.sort_by(f64::total_cmp);
    moments
}

/// One Jacobi rotation: a_pq becomes 0.
fn rotate(a: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if a[p][q].abs() <= f64::MIN_POSITIVE {
        a[p][q] = 0.0;
        a[q][p] = 0.0;
        return;
    }
    let ratio = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = ratio.signum() / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let k = 3 - p - q;
    let (pp, qq, pq, pk, qk) = (a[p][p], a[q][q], a[p][q], a[p][k], a[q][k]);
    a[p][p] = pp - t * pq;
    a[q][q] = qq + t * pq;
    a[p][q] = 0.0;
    a[p][k] = c * pk - s * qk;
    a[q][k] = s * pk + c * qk;
    a[q][p] = a[p][q];
    a[k][p] = a[p][k];
    a[k][q] = a[q][k];
}

/// A⁻¹b for a symmetric positive definite A, by the factors LDLᵀ.
fn solve_3x3(a: &[[f64; 3]; 3], b: [f64; 3]) -> [f64; 3] {
    let l10 = a[1][0] / a[0][0];
    let l20 = a[2][0] / a[0][0];
    let d1 = a[1][1] - l10 * a[1][0];
    let l21 = (a[2][1] - l20 * a[1][0]) / d1;
    let d2 = a[2][2] - l20 * a[2][0] - l21 * l21 * d1;
    let y1 = b[1] - l10 * b[0];
    let y2 = b[2] - l20 * b[0] - l21 * y1;
    let z = y2 / d2;
    let y = y1 / d1 - l21 * z;
    [b[0] / a[0][0] - l10 * y - l20 * z, y, z]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body() -> Body {
        Body {
            mass: 2.0,
            inertia: [[0.02, 0.0, 0.0], [0.0, 0.03, 0.0], [0.0, 0.0, 0.04]],
            position: [0.0, 0.0, 0.1],
            velocity: [0.0, 0.0, -1.0, 0.5, 0.0, 0.0],
            wrench: [0.0, 0.0, -20.0, 0.0, 0.3, 0.0],
        }
    }

    fn contact() -> BodyContact {
        BodyContact {
            a: 0,
            b: None,
            point: [0.1, 0.2, 0.0],
            normal: [0.0, 0.0, 1.0],
            mu: 0.5,
            gap: 0.001,
            restitution: 0.25,
        }
    }

    fn build(bodies: &[Body], contacts: &[BodyContact], joints: &[BodyJoint]) -> Result<ContactProblem, InputError> {
        ContactProblem::from_bodies(bodies, contacts, joints, 0.01, Restitution::Newton)
    }

    fn refusal(bodies: &[Body], contacts: &[BodyContact], joints: &[BodyJoint]) -> String {
        build(bodies, contacts, joints).unwrap_err().to_string()
    }

    #[test]
    fn velocities_columns_and_bias_are_those_of_the_contract() {
        let problem = build(&[body()], &[contact()], &[]).unwrap();
        let v = problem.v_free();
        assert!((v[2] + 1.1).abs() < 1e-15 && (v[4] - 0.1).abs() < 1e-15, "{v:?}");
        // Normal velocity at the point: v_z + (ω × r)_z = −1 + 0.5·0.2 = −0.9 before the step.
        let bias = problem.bias(0)[0];
        assert!((bias - (0.1 - 0.25 * 0.9)).abs() < 1e-15, "{bias}");
        let columns = problem.columns_tilde(0);
        assert_eq!(columns.normal, &[0.0, 0.0, 1.0, 0.2, -0.1, 0.0]);
        let [tx, ty] = tangents([0.0, 0.0, 1.0]);
        assert_eq!((tx, ty), ([0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]));
        assert_eq!(&columns.tangents[0][..3], &tx);
    }

    #[test]
    fn poisson_keeps_restitution_out_of_the_bias() {
        let problem = ContactProblem::from_bodies(&[body()], &[contact()], &[], 0.01, Restitution::Poisson).unwrap();
        assert_eq!((problem.restitution(0), problem.bias(0)[0]), (0.25, 0.001 / 0.01));
    }

    #[test]
    fn tangents_are_a_frame_for_any_normal() {
        for normal in [[1.0, 0.0, 0.0], [0.6, 0.0, 0.8], [-0.48, 0.64, -0.6], [0.0, -1.0, 0.0]] {
            let [t1, t2] = tangents(normal);
            for (a, b, expected) in [
                (t1, t1, 1.0),
                (t2, t2, 1.0),
                (t1, t2, 0.0),
                (t1, normal, 0.0),
                (t2, normal, 0.0),
            ] {
                assert!((dot(&a, &b) - expected).abs() < 1e-15, "{normal:?}");
            }
        }
    }

    #[test]
    fn principal_moments_of_a_turned_inertia() {
        // R diag(1, 2, 2.5) Rᵀ, R a turn by 0.6/0.8 about z and then x.
        let (c, s) = (0.8, 0.6);
        let R = [[c, -s, 0.0], [c * s, c * c, -s], [s * s, s * c, c]];
        let mut inertia = [[0.0; 3]; 3];
        for r in 0..3 {
            for k in 0..3 {
                inertia[r][k] = [1.0, 2.0, 2.5]
                    .iter()
                    .enumerate()
                    .map(|(i, m)| R[r][i] * m * R[k][i])
                    .sum();
            }
        }
        let moments = principal_moments(&inertia);
        for (found, expected) in moments.iter().zip([1.0, 2.0, 2.5]) {
            assert!((found - expected).abs() < 1e-14, "{moments:?}");
        }
    }

    #[test]
    fn bodies_that_cannot_be_are_named() {
        let wrong = |change: fn(&mut Body)| {
            let mut second = body();
            change(&mut second);
            refusal(&[body(), second], &[], &[])
        };
        assert_eq!(
            wrong(|b| b.mass = 0.0),
            "bodies[1].mass: must be finite and positive, found 0"
        );
        assert_eq!(
            wrong(|b| b.mass = f64::NAN),
            "bodies[1].mass: must be finite and positive, found NaN"
        );
        assert_eq!(
            wrong(|b| b.inertia = [[0.5, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]),
            "bodies[1].inertia: principal moments must satisfy the triangle inequality: \
             largest minus sum of the others, found 0.5"
        );
        assert_eq!(
            wrong(|b| b.inertia[2][2] = -1.0),
            "bodies[1].inertia: must be positive definite: smallest principal moment, found -1"
        );
        assert_eq!(
            wrong(|b| b.inertia[1][0] = 0.25),
            "bodies[1].inertia[1][0]: must be symmetric: difference of mirrored entries, found 0.25"
        );
        assert_eq!(
            wrong(|b| b.inertia[1][2] = f64::NAN),
            "bodies[1].inertia[1][2]: must be finite, found NaN"
        );
        assert_eq!(
            wrong(|b| b.position[2] = f64::INFINITY),
            "bodies[1].position[2]: must be finite, found inf"
        );
        assert_eq!(
            wrong(|b| b.velocity[4] = f64::NAN),
            "bodies[1].velocity[4]: must be finite, found NaN"
        );
        assert_eq!(
            wrong(|b| b.wrench[0] = f64::NAN),
            "bodies[1].wrench[0]: must be finite, found NaN"
        );
        assert_eq!(
            wrong(|b| {
                b.mass = 1e-300;
                b.wrench[0] = 1e10;
            }),
            "bodies[1]: must have a finite velocity after the step, found inf"
        );
    }

    #[test]
    fn contacts_that_cannot_be_are_named() {
        let wrong = |change: fn(&mut BodyContact)| {
            let mut second = contact();
            change(&mut second);
            refusal(&[body(), body()], &[contact(), second], &[])
        };
        assert_eq!(wrong(|c| c.a = 2), "contacts[1].a: must be below 2, found 2");
        assert_eq!(wrong(|c| c.b = Some(7)), "contacts[1].b: must be below 2, found 7");
        assert_eq!(
            wrong(|c| c.b = Some(0)),
            "contacts[1]: must touch two different bodies, found body 0 twice"
        );
        assert_eq!(
            wrong(|c| c.normal = [0.0; 3]),
            "contacts[1].normal: must not be zero, found 0"
        );
        assert_eq!(
            wrong(|c| c.normal = [0.0, 0.0, 2.0]),
            "contacts[1].normal: must have unit length, found 2"
        );
        assert_eq!(
            wrong(|c| c.mu = -0.5),
            "contacts[1].mu: must not be negative or NaN, found -0.5"
        );
        assert_eq!(
            wrong(|c| c.mu = f64::NAN),
            "contacts[1].mu: must not be negative or NaN, found NaN"
        );
        assert_eq!(
            wrong(|c| c.gap = f64::INFINITY),
            "contacts[1].gap: must be finite, and so must gap/dt, found inf"
        );
        assert_eq!(
            wrong(|c| c.restitution = 1.5),
            "contacts[1].restitution: must lie between 0 and 1, found 1.5"
        );
        assert_eq!(
            wrong(|c| c.point[0] = f64::NAN),
            "contacts[1].point[0]: must be finite, found NaN"
        );
        let mut near = contact();
        near.normal = [0.0, 0.0, 1.0 + 1e-7];
        near.mu = f64::INFINITY;
        let problem = build(&[body()], &[near], &[]).unwrap();
        assert_eq!(problem.columns_tilde(0).normal[2], 1.0);
    }

    #[test]
    fn joints_and_steps_that_cannot_be_are_named() {
        let joint = |row: [f64; 12], bias: Vec<f64>| BodyJoint {
            a: 0,
            b: None,
            rows: vec![[0.0; 12], row],
            bias,
        };
        let mut row = [0.0; 12];
        row[4] = f64::NAN;
        assert_eq!(
            refusal(&[body()], &[], &[joint(row, vec![0.0, 0.0])]),
            "joints[0].rows[1][4]: must be finite, found NaN"
        );
        assert_eq!(
            refusal(&[body()], &[], &[joint([1.0; 12], vec![0.0])]),
            "joints[0].bias: must have 2 entries, found 1"
        );
        assert_eq!(
            build(&[body()], &[], &[joint([1.0; 12], vec![0.0, 1.0])])
                .unwrap()
                .joint_count(),
            2
        );
        for (dt, text) in [(0.0, "0"), (-1.0, "-1"), (f64::NAN, "NaN")] {
            let error = ContactProblem::from_bodies(&[], &[], &[], dt, Restitution::Newton).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("dt: must be finite and positive, found {text}")
            );
        }
    }
}
