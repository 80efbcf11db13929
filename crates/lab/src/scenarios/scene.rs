//! Bodies and contacts without units of time: from them a [`ContactProblem`] for any external impulse.

use stiction_contact::{ContactProblem, InputError};

use crate::campaign::families::Rng;
use stiction_formats::vector::{cross, dot};

pub(super) type Vector = [f64; 3];

/// Unit impulses that a scene starts from: force, then moment about the centre of mass.
pub(super) type Impulse = [f64; 6];

/// How a body can move.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Motion {
    /// Six coordinates; the principal moments of inertia lie along the world axes.
    Free { inertia: Vector },
    /// One coordinate along a world axis: a gripper's jaw.
    Slider { axis: Vector },
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Body {
    centre: Vector,
    mass: f64,
    motion: Motion,
}

/// A contact whose impulse pushes `a` along the normal and `b`, where there is one, against it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Contact {
    a: usize,
    b: Option<usize>,
    point: Vector,
    normal: Vector,
    mu: f64,
}

/// Bodies in contact. Unit mass, unit length and unit time step, so that residuals of different scenes can be compared.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Scene {
    bodies: Vec<Body>,
    contacts: Vec<Contact>,
}

impl Scene {
    /// Adds a free body by its principal moments along the world axes; returns its index.
    pub(super) fn body(&mut self, centre: Vector, mass: f64, inertia: Vector) -> usize {
        let motion = Motion::Free { inertia };
        self.bodies.push(Body { centre, mass, motion });
        self.bodies.len() - 1
    }

    /// Adds a homogeneous box with its sides along the axes. The inertia of a cube is the same however it is turned.
    pub(super) fn cuboid(&mut self, centre: Vector, mass: f64, sides: Vector) -> usize {
        let [x, y, z] = sides.map(|s| s * s * mass / 12.0);
        self.body(centre, mass, [y + z, x + z, x + y])
    }

    /// Adds a body that slides along one axis.
    pub(super) fn slider(&mut self, centre: Vector, mass: f64, axis: Vector) -> usize {
        let motion = Motion::Slider { axis };
        self.bodies.push(Body { centre, mass, motion });
        self.bodies.len() - 1
    }

    /// Adds a contact without friction; the normal need not be of unit length.
    pub(super) fn contact(&mut self, a: usize, b: Option<usize>, point: Vector, normal: Vector) {
        let normal = unit(normal);
        self.contacts.push(Contact {
            a,
            b,
            point,
            normal,
            mu: 0.0,
        });
    }

    pub(super) fn body_count(&self) -> usize {
        self.bodies.len()
    }

    pub(super) fn contact_count(&self) -> usize {
        self.contacts.len()
    }

    /// Mass of a body.
    pub(super) fn mass(&self, body: usize) -> f64 {
        self.bodies[body].mass
    }

    /// The same coefficient at every contact.
    pub(super) fn set_mu(&mut self, mu: f64) {
        for contact in &mut self.contacts {
            contact.mu = mu;
        }
    }

    /// A coefficient for each contact, in the paper's range \[Lloyd 6\].
    pub(super) fn draw_mu(&mut self, rng: &mut Rng) {
        for contact in &mut self.contacts {
            contact.mu = rng.uniform(0.2, 0.3);
        }
    }

    /// A coefficient for each contact, as given.
    pub(super) fn set_each_mu(&mut self, mu: &[f64]) {
        for (contact, mu) in self.contacts.iter_mut().zip(mu) {
            contact.mu = *mu;
        }
    }

    /// Moves points and normals by about `size`: redundant contacts become nearly redundant ones, as collision detection in
    /// floating point delivers them.
    pub(super) fn jitter(&mut self, size: f64, rng: &mut Rng) {
        for contact in &mut self.contacts {
            contact.point = contact.point.map(|x| x + size * rng.normal());
            contact.normal = unit(contact.normal.map(|x| x + size * rng.normal()));
        }
    }

    /// Every contact `times` over.
    pub(super) fn repeat(&mut self, times: usize) {
        self.contacts = self
            .contacts
            .iter()
            .flat_map(|contact| std::iter::repeat_n(*contact, times))
            .collect();
    }

    /// Multiplies a body's mass and inertia.
    pub(super) fn scale_mass(&mut self, body: usize, factor: f64) {
        let body = &mut self.bodies[body];
        body.mass *= factor;
        if let Motion::Free { inertia } = &mut body.motion {
            *inertia = inertia.map(|x| x * factor);
        }
    }

    /// v_free = 𝓜⁻¹k for one impulse a body, in the coordinates of [`Self::problem`].
    pub(super) fn free_velocity(&self, k: &[Impulse]) -> Vec<f64> {
        let mut v = Vec::with_capacity(6 * self.bodies.len());
        for (body, k) in self.bodies.iter().zip(k) {
            match body.motion {
                Motion::Free { inertia } => {
                    v.extend(k[..3].iter().map(|x| x / body.mass));
                    v.extend(k[3..].iter().zip(inertia).map(|(x, i)| x / i));
                }
                Motion::Slider { axis } => v.push(dot(axis, [k[0], k[1], k[2]]) / body.mass),
            }
        }
        v
    }

    /// The contact problem with this velocity without contact.
    pub(super) fn problem(&self, v_free: &[f64]) -> Result<ContactProblem, InputError> {
        let mut problem = ContactProblem::new();
        let mut at = 0;
        for body in &self.bodies {
            let mass = body.mass_matrix();
            let dim = mass.len().isqrt();
            problem.add_block(&mass, v_free.get(at..at + dim).unwrap_or_default())?;
            at += dim;
        }
        for (key, contact) in self.contacts.iter().enumerate() {
            let [tx, ty] = tangents(contact.normal);
            let directions = [contact.normal, tx, ty];
            let mut ends = vec![(contact.a, 1.0)];
            ends.extend(contact.b.map(|b| (b, -1.0)));
            let rows: Vec<(usize, [Vec<f64>; 3])> = ends
                .iter()
                .map(|(end, sign)| (*end, directions.map(|d| self.bodies[*end].row(contact.point, d, *sign))))
                .collect();
            let parts: Vec<_> = rows
                .iter()
                .map(|(end, [n, x, y])| (*end, [n.as_slice(), x.as_slice(), y.as_slice()]))
                .collect();
            let index = problem.add_contact(&parts, contact.mu)?;
            problem.set_key(index, key as u64)?;
        }
        Ok(problem)
    }
}

impl Body {
    fn mass_matrix(&self) -> Vec<f64> {
        let Motion::Free { inertia } = self.motion else {
            return vec![self.mass];
        };
        let diagonal = [self.mass, self.mass, self.mass, inertia[0], inertia[1], inertia[2]];
        let mut mass = vec![0.0; 36];
        for (i, value) in diagonal.into_iter().enumerate() {
            mass[7 * i] = value;
        }
        mass
    }

    /// Row that gives the velocity of a point of the body along a direction.
    fn row(&self, point: Vector, direction: Vector, sign: f64) -> Vec<f64> {
        let row = match self.motion {
            Motion::Slider { axis } => vec![dot(axis, direction)],
            Motion::Free { .. } => {
                let lever = [0, 1, 2].map(|i| point[i] - self.centre[i]);
                [direction, cross(lever, direction)].concat()
            }
        };
        row.into_iter().map(|x| sign * x).collect()
    }
}

fn unit(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}

/// Two unit vectors across a unit normal, the first across the axis that lies least along the normal.
fn tangents(normal: Vector) -> [Vector; 2] {
    let mut least = 0;
    for i in 1..3 {
        if normal[i].abs() < normal[least].abs() {
            least = i;
        }
    }
    let mut axis = [0.0; 3];
    axis[least] = 1.0;
    let tx = unit(cross(normal, axis));
    [tx, cross(normal, tx)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slider_moves_along_its_axis_alone() {
        let mut scene = Scene::default();
        let jaw = scene.slider([0.0; 3], 2.0, [1.0, 0.0, 0.0]);
        let block = scene.cuboid([1.0, 0.0, 0.0], 1.0, [1.0; 3]);
        scene.contact(block, Some(jaw), [0.5, 0.5, 0.0], [2.0, 0.0, 0.0]);
        let v = scene.free_velocity(&[[4.0, 9.0, 9.0, 9.0, 9.0, 9.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]);
        assert_eq!(v, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 6.0]);
        let problem = scene.problem(&v).unwrap();
        assert_eq!((problem.block_count(), problem.dof()), (2, 7));
        let columns = problem.columns_tilde(0);
        // The block's point moves along x by −0.5 ω_z; the jaw by its own velocity, against it.
        assert_eq!(columns.normal, [1.0, 0.0, 0.0, 0.0, 0.0, -0.5, -1.0]);
        assert_eq!(columns.tangents.map(|t| t[6]), [0.0, 0.0]);
    }

    #[test]
    fn tangents_span_the_plane_across_the_normal() {
        for normal in [
            [0.0, 0.0, 1.0],
            [0.6, 0.8, 0.0],
            [-1.0, 0.0, 0.0],
            unit([1.0, 2.0, -3.0]),
        ] {
            let [tx, ty] = tangents(normal);
            for (a, b, expected) in [
                (tx, tx, 1.0),
                (ty, ty, 1.0),
                (tx, ty, 0.0),
                (tx, normal, 0.0),
                (ty, normal, 0.0),
            ] {
                assert!((dot(a, b) - expected).abs() < 1e-15, "normal {normal:?}");
            }
        }
    }
}
