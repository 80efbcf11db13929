//! The question of statics: free bodies with loads w, contacts with their columns G and friction μ, rows of joints with bounds.
//!
//! Forces f = (N, T₁, T₂) of contacts and g of rows balance the loads where Gf + Jg + w = 0. Columns are doubles, (d, (p − c) × d) evaluated once as written;
//! every proof is about these doubles.

mod derived;

use stiction_contact::{ContactPart, ContactProblem, JointPart, tangents};
use stiction_sim::statics::{StaticRole, Statics};

use crate::error::StandError;

/// A normal within this of unit length is normalised, any other is refused.
const NORMAL_TOLERANCE: f64 = 1e-6;

/// A body that forces can move.
#[derive(Debug, Clone, PartialEq)]
pub struct FreeBody {
    /// Its index among all bodies.
    pub body: usize,
    /// Mass \[kg\].
    pub mass: f64,
    /// Mass matrix, row by row, 6×6 or 3×3.
    pub mass_matrix: Vec<f64>,
    /// Force of gravity \[N\].
    pub gravity: [f64; 3],
}

/// A contact, or the limit of a joint as a contact without friction.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Body that is pushed along +normal, among all bodies.
    pub a: usize,
    /// Body that is pushed along −normal.
    pub b: usize,
    /// Point \[m\].
    pub point: [f64; 3],
    /// Unit normal from b to a.
    pub normal: [f64; 3],
    /// Tangents along which friction is given.
    pub tangents: [[f64; 3]; 2],
    /// Friction coefficient; infinite: no slip.
    pub friction: f64,
    /// The joint whose limit it is.
    pub joint: Option<usize>,
    first: usize,
    count: usize,
}

/// A row of a joint.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Index of the joint in the world.
    pub joint: usize,
    /// Least and largest force \[N or N·m\].
    pub bounds: [f64; 2],
    first: usize,
    count: usize,
}

/// What a unit force does to a body: the block of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Part<const K: usize> {
    /// Free body.
    pub(crate) body: usize,
    /// Force and torque of each of K columns, in the coordinates of a body; entries beyond them are 0.
    pub(crate) columns: [[f64; 6]; K],
}

/// Bodies, contacts and rows of joints at rest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Equilibrium {
    planar: bool,
    /// Names and centres of all bodies, fixed ones included.
    names: Vec<String>,
    centers: Vec<[f64; 3]>,
    free_of: Vec<Option<usize>>,
    joints: Vec<String>,
    bodies: Vec<FreeBody>,
    contacts: Vec<Contact>,
    contact_parts: Vec<Part<3>>,
    rows: Vec<Row>,
    row_parts: Vec<Part<1>>,
    /// w: force and torque of each free body, gravity included.
    load: Vec<f64>,
    /// Magnitude of gravity and its direction.
    gravity: [f64; 3],
    /// Largest normal force of a contact \[N\]; none: no limit.
    force_limit: Option<f64>,
}

impl Equilibrium {
    /// Nothing yet; gravity \[m/s²\] is that of bodies added later.
    #[must_use]
    pub fn new(planar: bool, gravity: [f64; 3]) -> Self {
        Self {
            planar,
            gravity,
            ..Self::default()
        }
    }

    /// A world at rest.
    ///
    /// # Errors
    /// A contact that cannot be taken.
    pub fn from_statics(statics: &Statics) -> Result<Self, StandError> {
        let vec = |v: stiction_sim::Vec3| [v.x, v.y, v.z];
        let mut whole = Self::new(statics.planar, vec(statics.gravity));
        whole.names.clone_from(&statics.names);
        whole.joints.clone_from(&statics.joints);
        whole.centers = statics.centers.iter().map(|c| vec(*c)).collect();
        whole.free_of = vec![None; statics.names.len()];
        for body in &statics.bodies {
            whole.free_of[body.body] = Some(whole.bodies.len());
            whole.bodies.push(FreeBody {
                body: body.body,
                mass: body.mass,
                mass_matrix: body.mass_matrix.clone(),
                gravity: vec(body.gravity),
            });
            whole.load.extend_from_slice(&body.load);
        }
        for contact in &statics.contacts {
            let c = &contact.contact;
            whole.push_contact(Contact {
                a: c.a,
                b: c.b,
                point: vec(c.point),
                normal: vec(c.normal),
                tangents: contact.tangents.map(vec),
                friction: contact.friction,
                joint: None,
                first: 0,
                count: 0,
            });
        }
        for row in &statics.rows {
            let parts = row.parts.iter().filter_map(|(body, part)| {
                let body = whole.free_of[*body]?;
                Some((body, whole.pick(*part)))
            });
            let parts: Vec<_> = parts.filter(|(_, part)| part.iter().any(|x| *x != 0.0)).collect();
            if parts.is_empty() {
                continue;
            }
            if row.role == StaticRole::Limit {
                let first = whole.contact_parts.len();
                whole.contact_parts.extend(parts.iter().map(|(body, part)| Part {
                    body: *body,
                    columns: [*part, [0.0; 6], [0.0; 6]],
                }));
                let ends = |k: usize| row.parts.get(k).map_or(row.parts[0].0, |(body, _)| *body);
                whole.contacts.push(Contact {
                    a: ends(0),
                    b: ends(1),
                    point: whole.centers[ends(0)],
                    normal: [0.0; 3],
                    tangents: [[0.0; 3]; 2],
                    friction: 0.0,
                    joint: Some(row.joint),
                    first,
                    count: parts.len(),
                });
                continue;
            }
            let first = whole.row_parts.len();
            let count = parts.len();
            whole
                .row_parts
                .extend(parts.into_iter().map(|(body, part)| Part { body, columns: [part] }));
            whole.rows.push(Row {
                joint: row.joint,
                bounds: row.bounds,
                first,
                count,
            });
        }
        Ok(whole)
    }

    /// Adds a body that nothing moves; returns its index.
    pub fn add_fixed(&mut self, name: impl Into<String>) -> usize {
        self.names.push(name.into());
        self.centers.push([0.0; 3]);
        self.free_of.push(None);
        self.names.len() - 1
    }

    /// Adds a body of a mass \[kg\], inertia about its centre in world axes \[kg·m²\] and centre of mass \[m\]; gravity is its load. Returns its index.
    ///
    /// # Errors
    /// Numbers that are not finite, a mass that is not positive.
    pub fn add_body(
        &mut self,
        name: impl Into<String>,
        mass: f64,
        inertia: [[f64; 3]; 3],
        center: [f64; 3],
    ) -> Result<usize, StandError> {
        let index = self.names.len();
        let field = |name: &str| format!("bodies[{index}].{name}");
        if !(mass.is_finite() && mass > 0.0) {
            return Err(StandError::value(field("mass"), "must be finite and positive", mass));
        }
        if let Some(x) = center.iter().chain(inertia.iter().flatten()).find(|x| !x.is_finite()) {
            return Err(StandError::value(field("center"), "must be finite", x));
        }
        let dim = self.dim();
        let mut mass_matrix = vec![0.0; dim * dim];
        if self.planar {
            (mass_matrix[0], mass_matrix[4], mass_matrix[8]) = (mass, mass, inertia[2][2]);
        } else {
            for k in 0..3 {
                mass_matrix[7 * k] = mass;
                for l in 0..3 {
                    mass_matrix[6 * (k + 3) + l + 3] = 0.5 * (inertia[k][l] + inertia[l][k]);
                }
            }
        }
        let gravity = self.gravity.map(|g| mass * g);
        self.names.push(name.into());
        self.centers.push(center);
        self.free_of.push(Some(self.bodies.len()));
        self.bodies.push(FreeBody {
            body: index,
            mass,
            mass_matrix,
            gravity,
        });
        let load = self.pick([gravity[0], gravity[1], gravity[2], 0.0, 0.0, 0.0]);
        self.load.extend_from_slice(&load[..dim]);
        Ok(index)
    }

    /// Adds a contact between two bodies; the normal points from b to a. Returns its index.
    ///
    /// # Errors
    /// A body that does not exist, the same body twice, two fixed ones, a normal that is not of unit length, friction that is negative or NaN.
    pub fn add_contact(
        &mut self,
        [a, b]: [usize; 2],
        point: [f64; 3],
        normal: [f64; 3],
        friction: f64,
    ) -> Result<usize, StandError> {
        let index = self.contacts.len();
        let field = |name: &str| format!("contacts[{index}].{name}");
        for (name, body) in [("a", a), ("b", b)] {
            if body >= self.names.len() {
                let requirement = format!("must be below {}", self.names.len());
                return Err(StandError::value(field(name), requirement, body));
            }
        }
        if a == b || (self.free_of[a].is_none() && self.free_of[b].is_none()) {
            return Err(StandError::value(
                field("b"),
                "must be another body, and one of the two free",
                b,
            ));
        }
        let length = libm::sqrt(normal.iter().map(|x| x * x).sum());
        if length.is_nan() || (length - 1.0).abs() > NORMAL_TOLERANCE {
            return Err(StandError::value(field("normal"), "must have unit length", length));
        }
        if let Some(x) = point.iter().find(|x| !x.is_finite()) {
            return Err(StandError::value(field("point"), "must be finite", x));
        }
        if friction.is_nan() || friction < 0.0 {
            return Err(StandError::value(
                field("friction"),
                "must not be negative or NaN",
                friction,
            ));
        }
        let normal = normal.map(|x| x / length);
        let tangents = if self.planar {
            [[normal[1], -normal[0], 0.0], [0.0; 3]]
        } else {
            tangents(normal)
        };
        self.push_contact(Contact {
            a,
            b,
            point,
            normal,
            tangents,
            friction,
            joint: None,
            first: 0,
            count: 0,
        });
        Ok(index)
    }

    fn push_contact(&mut self, mut contact: Contact) {
        let first = self.contact_parts.len();
        for (body, sign) in [(contact.a, 1.0), (contact.b, -1.0)] {
            if let Some(free) = self.free_of[body] {
                let axes = [contact.normal, contact.tangents[0], contact.tangents[1]];
                let columns = axes.map(|axis| self.pick(wrench(axis, contact.point, self.centers[body], sign)));
                self.contact_parts.push(Part { body: free, columns });
            }
        }
        contact.first = first;
        contact.count = self.contact_parts.len() - first;
        self.contacts.push(contact);
    }

    /// Adds a load to a body: a force \[N\] at a point \[m\], its centre of mass where there is none.
    ///
    /// # Errors
    /// A body that is not free, numbers that are not finite.
    pub fn add_load(&mut self, body: usize, force: [f64; 3], point: Option<[f64; 3]>) -> Result<(), StandError> {
        let direction = self.load_direction(body, force, point)?;
        for (w, d) in self.load.iter_mut().zip(&direction) {
            *w += d;
        }
        Ok(())
    }

    /// The load of a force on a body as a direction in the space of loads.
    ///
    /// # Errors
    /// As [`Self::add_load`].
    pub fn load_direction(
        &self,
        body: usize,
        force: [f64; 3],
        point: Option<[f64; 3]>,
    ) -> Result<Vec<f64>, StandError> {
        let Some(free) = self.free_of.get(body).copied().flatten() else {
            let found = self.names.get(body).map_or_else(|| body.to_string(), Clone::clone);
            return Err(StandError::value("load", "must act on a body that can move", found));
        };
        if let Some(x) = force.iter().chain(point.iter().flatten()).find(|x| !x.is_finite()) {
            return Err(StandError::value("load", "must be finite", x));
        }
        let dim = self.dim();
        let center = self.centers[body];
        let picked = self.pick(wrench(force, point.unwrap_or(center), center, 1.0));
        let mut direction = vec![0.0; self.load.len()];
        direction[dim * free..dim * (free + 1)].copy_from_slice(&picked[..dim]);
        Ok(direction)
    }

    /// The load that an acceleration of g along a direction puts on every body: d = m|g|â. With it gravity that leans by θ is (w + tan θ d) cos θ.
    #[must_use]
    pub fn lean(&self, direction: [f64; 3]) -> Vec<f64> {
        let g = norm(self.gravity);
        let size = norm(direction);
        let dim = self.dim();
        let mut lean = vec![0.0; self.load.len()];
        for (k, body) in self.bodies.iter().enumerate() {
            let force = direction.map(|x| body.mass * g * x / size);
            let picked = self.pick([force[0], force[1], force[2], 0.0, 0.0, 0.0]);
            lean[dim * k..dim * (k + 1)].copy_from_slice(&picked[..dim]);
        }
        lean
    }

    /// Whether all loads are gravity, so that leaning turns them all.
    #[must_use]
    pub fn is_gravity_alone(&self) -> bool {
        let dim = self.dim();
        self.bodies.iter().enumerate().all(|(k, body)| {
            let [x, y, z] = body.gravity;
            self.load[dim * k..dim * (k + 1)] == self.pick([x, y, z, 0.0, 0.0, 0.0])[..dim]
        })
    }

    /// Replaces the friction of some contacts.
    pub fn set_friction(&mut self, mut friction: impl FnMut(usize, &Contact) -> f64) {
        for k in 0..self.contacts.len() {
            self.contacts[k].friction = friction(k, &self.contacts[k]);
        }
    }

    /// Limits the normal force of every contact \[N\]; limits of joints are no contacts. All that is asked of forces then asks for forces within it.
    ///
    /// # Errors
    /// A limit that is negative or not finite.
    pub fn set_force_limit(&mut self, limit: Option<f64>) -> Result<(), StandError> {
        if let Some(most) = limit.filter(|most| !(most.is_finite() && *most >= 0.0)) {
            return Err(StandError::value(
                "force_limit",
                "must be finite and not negative",
                most,
            ));
        }
        self.force_limit = limit;
        Ok(())
    }

    /// Largest normal force of a contact \[N\].
    #[must_use]
    pub fn force_limit(&self) -> Option<f64> {
        self.force_limit
    }

    /// Largest normal force of one contact \[N\]: infinite where it has no limit, as limits of joints.
    #[must_use]
    pub fn most(&self, contact: usize) -> f64 {
        match self.contacts[contact].joint {
            None => self.force_limit.unwrap_or(f64::INFINITY),
            Some(_) => f64::INFINITY,
        }
    }

    /// Coordinates of a body: 6, or 3 in the plane.
    #[must_use]
    pub fn dim(&self) -> usize {
        if self.planar { 3 } else { 6 }
    }

    /// Whether the world is that of a plane.
    #[must_use]
    pub fn is_planar(&self) -> bool {
        self.planar
    }

    /// Gravity \[m/s²\].
    #[must_use]
    pub fn gravity(&self) -> [f64; 3] {
        self.gravity
    }

    /// Free bodies.
    #[must_use]
    pub fn bodies(&self) -> &[FreeBody] {
        &self.bodies
    }

    /// Names of all bodies.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Names of all joints.
    #[must_use]
    pub fn joints(&self) -> &[String] {
        &self.joints
    }

    /// Centres of all bodies \[m\].
    #[must_use]
    pub fn centers(&self) -> &[[f64; 3]] {
        &self.centers
    }

    /// Place of a body among the free ones.
    #[must_use]
    pub fn free_of(&self, body: usize) -> Option<usize> {
        self.free_of.get(body).copied().flatten()
    }

    /// Contacts, limits of joints last.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Rows of joints.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Loads w \[N, N·m\].
    #[must_use]
    pub fn load(&self) -> &[f64] {
        &self.load
    }

    pub(crate) fn parts(&self, contact: usize) -> &[Part<3>] {
        let Contact { first, count, .. } = self.contacts[contact];
        &self.contact_parts[first..first + count]
    }

    pub(crate) fn row_parts(&self, row: usize) -> &[Part<1>] {
        let Row { first, count, .. } = self.rows[row];
        &self.row_parts[first..first + count]
    }

    fn pick(&self, [x, y, z, u, v, w]: [f64; 6]) -> [f64; 6] {
        if self.planar {
            [x, y, w, 0.0, 0.0, 0.0]
        } else {
            [x, y, z, u, v, w]
        }
    }

    /// Velocity of each contact along normal and tangents.
    #[must_use]
    pub fn contact_velocity(&self, contact: usize, velocity: &[f64]) -> [f64; 3] {
        let dim = self.dim();
        let mut u = [0.0; 3];
        for part in self.parts(contact) {
            let v = &velocity[dim * part.body..dim * (part.body + 1)];
            for (u, column) in u.iter_mut().zip(&part.columns) {
                *u += column.iter().zip(v).map(|(c, v)| c * v).sum::<f64>();
            }
        }
        u
    }

    /// Mean distance of contacts from centres of mass \[m\], as a power of two: torques over it compare with forces, and dividing by it rounds nothing.
    pub(crate) fn arm(&self) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for contact in &self.contacts {
            for body in [contact.a, contact.b] {
                if self.free_of(body).is_some() && contact.joint.is_none() {
                    let arm: [f64; 3] = std::array::from_fn(|k| contact.point[k] - self.centers[body][k]);
                    sum += norm(arm);
                    count += 1.0;
                }
            }
        }
        let mean = if count > 0.0 { sum / count } else { 1.0 };
        power_of_two(mean)
    }

    /// Whether a coordinate of a body is a rotation.
    pub(crate) fn is_turn(&self, coordinate: usize) -> bool {
        if self.planar { coordinate == 2 } else { coordinate >= 3 }
    }

    /// The contact problem of a step of `h` from rest under a load, with gaps \[m\]: the exact law on the same columns.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn contact_problem(
        &self,
        load: &[f64],
        h: f64,
        gap: impl Fn(usize) -> f64,
    ) -> Result<ContactProblem, StandError> {
        let dim = self.dim();
        let mut problem = ContactProblem::new();
        for (k, body) in self.bodies.iter().enumerate() {
            let impulse: Vec<f64> = load[dim * k..dim * (k + 1)].iter().map(|w| h * w).collect();
            let block = problem.add_pushed_block(&body.mass_matrix, &impulse)?;
            problem.set_at_rest(block)?;
        }
        for j in 0..self.contacts.len() {
            let parts = self.parts(j);
            let of: Vec<ContactPart<'_>> = parts
                .iter()
                .map(|part| {
                    let [n, t1, t2] = &part.columns;
                    (part.body, [&n[..dim], &t1[..dim], &t2[..dim]])
                })
                .collect();
            let index = problem.add_contact(&of, self.contacts[j].friction)?;
            problem.set_bias(index, [gap(j) / h, 0.0, 0.0])?;
        }
        for (k, row) in self.rows.iter().enumerate() {
            let parts = self.row_parts(k);
            let of: Vec<JointPart<'_>> = parts.iter().map(|part| (part.body, &part.columns[0][..dim])).collect();
            let index = problem.add_joint(&of, 0.0)?;
            let most = row.bounds[1].min(-row.bounds[0]);
            if most.is_finite() {
                problem.set_yield(index, 0.0, h * most)?;
            }
        }
        Ok(problem)
    }

    /// Words for a pair of bodies.
    #[must_use]
    pub fn pair_name(&self, contact: &Contact) -> String {
        format!("{}|{}", self.names[contact.a], self.names[contact.b])
    }
}

/// (d, (p − c) × d) · sign.
fn wrench(d: [f64; 3], point: [f64; 3], center: [f64; 3], sign: f64) -> [f64; 6] {
    let r: [f64; 3] = std::array::from_fn(|k| point[k] - center[k]);
    let m = [
        r[1] * d[2] - r[2] * d[1],
        r[2] * d[0] - r[0] * d[2],
        r[0] * d[1] - r[1] * d[0],
    ];
    [d[0], d[1], d[2], m[0], m[1], m[2]].map(|x| sign * x)
}

pub(crate) fn norm(v: [f64; 3]) -> f64 {
    libm::sqrt(v.iter().map(|x| x * x).sum())
}

/// The power of two at or below a positive number; 1 where it is none.
pub(crate) fn power_of_two(x: f64) -> f64 {
    if !(x.is_finite() && x > 0.0) {
        return 1.0;
    }
    let (_, exponent) = libm::frexp(x);
    libm::ldexp(1.0, exponent - 1)
}
