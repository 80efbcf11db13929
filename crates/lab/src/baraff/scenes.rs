//! Problems without friction of any number of contacts: piles whose contacts are independent, and stacks whose contacts are not.

use stiction_contact::{Body, BodyContact, ContactProblem, InputError, Restitution};

use crate::campaign::families::Rng;

/// Contacts of a body of a pile with what lies below it: no more than a body has coordinates, so that they stay independent.
const CONTACTS_PER_BODY: usize = 4;
/// Contacts of a face of a stack, the corners and the centre: three are independent.
pub(super) const CONTACTS_PER_FACE: usize = 5;
const GRAVITY: f64 = 9.81;
/// Time step [s].
const TIME_STEP: f64 = 1e-2;

/// What pushes the bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Load {
    /// Gravity and a little of anything: most contacts push.
    Resting,
    /// Random velocities: about half of the contacts push.
    Shaken,
}

/// A problem of `n` contacts of boxes in a heap: each touches the ground or boxes before it at random points with normals that
/// point up more than sideways.
pub(super) fn pile(n: usize, load: Load, rng: &mut Rng) -> Result<ContactProblem, InputError> {
    let count = n.div_ceil(CONTACTS_PER_BODY);
    let mut bodies: Vec<Body> = (0..count).map(|i| cuboid(i as f64, rng)).collect();
    let mut contacts = Vec::new();
    for i in 0..n {
        let a = i / CONTACTS_PER_BODY;
        // The ground is one more partner for every body.
        let below = rng.between(0, a);
        let b = (below < a).then_some(below);
        let normal = unit([0.5 * rng.normal(), 0.5 * rng.normal(), 1.0]);
        let point = [0, 1, 2].map(|k| bodies[a].position[k] + 0.5 * rng.normal());
        contacts.push(contact(a, b, point, normal));
    }
    for body in &mut bodies {
        push(body, load, rng);
    }
    ContactProblem::from_bodies(&bodies, &contacts, &[], TIME_STEP, Restitution::Newton)
}

/// A tower of n / 5 boxes, five contacts a face.
pub(super) fn stack(n: usize, load: Load, rng: &mut Rng) -> Result<ContactProblem, InputError> {
    let mut bodies: Vec<Body> = (0..n / CONTACTS_PER_FACE).map(|i| cuboid(i as f64, rng)).collect();
    let mut contacts = Vec::new();
    for (i, body) in bodies.iter_mut().enumerate() {
        body.position = [0.0, 0.0, i as f64 + 0.5];
        for (x, y) in [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5), (0.0, 0.0)] {
            contacts.push(contact(i, i.checked_sub(1), [x, y, i as f64], [0.0, 0.0, 1.0]));
        }
        push(body, load, rng);
    }
    ContactProblem::from_bodies(&bodies, &contacts, &[], TIME_STEP, Restitution::Newton)
}

fn contact(a: usize, b: Option<usize>, point: [f64; 3], normal: [f64; 3]) -> BodyContact {
    BodyContact {
        a,
        b,
        point,
        normal,
        mu: 0.0,
        gap: 0.0,
        restitution: 0.0,
        viscosity: 0.0,
    }
}

/// A unit cube of random mass.
fn cuboid(height: f64, rng: &mut Rng) -> Body {
    let mass = rng.uniform(0.5, 2.0);
    let mut inertia = [[0.0; 3]; 3];
    for (i, row) in inertia.iter_mut().enumerate() {
        row[i] = mass / 6.0;
    }
    Body {
        mass,
        inertia,
        position: [rng.normal(), rng.normal(), height],
        velocity: [0.0; 6],
        wrench: [0.0, 0.0, -mass * GRAVITY, 0.0, 0.0, 0.0],
    }
}

fn push(body: &mut Body, load: Load, rng: &mut Rng) {
    let size = match load {
        Load::Resting => 1e-3,
        Load::Shaken => 1.0,
    };
    for v in &mut body.velocity {
        *v += size * rng.normal();
    }
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / length)
}
