//! Changes of a problem that must not change its answer, and the way back.

use super::agree::Change;
use super::families::{Rng, unit};
use super::sample::Sample;

/// How velocities of a changed problem are read in the terms of the first.
#[derive(Debug, Clone)]
pub(super) struct Back {
    /// Where each body of the first is among those of the changed.
    place: Vec<usize>,
    /// Rotation of the changed against the first.
    turn: [[f64; 3]; 3],
    /// Unit of linear and of angular velocity.
    unit: [f64; 2],
}

impl Back {
    /// Velocities of the changed problem in the terms of the first.
    pub(super) fn velocity(&self, changed: &[f64]) -> Vec<f64> {
        let mut velocity = Vec::with_capacity(changed.len());
        for place in &self.place {
            for (part, unit) in self.unit.iter().enumerate() {
                let v = &changed[6 * place + 3 * part..][..3];
                // Rᵀ v
                velocity.extend((0..3).map(|k| (0..3).map(|r| self.turn[r][k] * v[r]).sum::<f64>() / unit));
            }
        }
        velocity
    }
}

const IDENTITY: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Sample {
    /// The same problem seen otherwise.
    pub(super) fn changed(&self, change: Change, rng: &mut Rng) -> (Self, Back) {
        let back = Back {
            place: (0..self.bodies.len()).collect(),
            turn: IDENTITY,
            unit: [1.0; 2],
        };
        match change {
            Change::Order => self.shuffled(rng, back),
            Change::Motion => self.moved(rng, back),
            Change::Units => self.in_units([(); 3].map(|()| scale(rng)), back),
        }
    }

    fn shuffled(&self, rng: &mut Rng, mut back: Back) -> (Self, Back) {
        shuffle(&mut back.place, rng);
        let mut changed = self.clone();
        for (i, place) in back.place.iter().enumerate() {
            changed.bodies[*place] = self.bodies[i].clone();
        }
        for contact in &mut changed.contacts {
            contact.a = back.place[contact.a];
            contact.b = contact.b.map(|b| back.place[b]);
        }
        shuffle(&mut changed.contacts, rng);
        (changed, back)
    }

    fn moved(&self, rng: &mut Rng, mut back: Back) -> (Self, Back) {
        let (matrix, shift) = (rotation(rng), rng.vector(1.0));
        let turn = |v: [f64; 3]| [0, 1, 2].map(|r| matrix[r][0] * v[0] + matrix[r][1] * v[1] + matrix[r][2] * v[2]);
        let place = |v: [f64; 3]| {
            let v = turn(v);
            [0, 1, 2].map(|k| v[k] + shift[k])
        };
        let both = |w: [f64; 6]| {
            let [f, t] = [turn([w[0], w[1], w[2]]), turn([w[3], w[4], w[5]])];
            [f[0], f[1], f[2], t[0], t[1], t[2]]
        };
        let mut changed = self.clone();
        for body in &mut changed.bodies {
            body.position = place(body.position);
            (body.velocity, body.wrench) = (both(body.velocity), both(body.wrench));
            body.inertia = turned(&matrix, &body.inertia);
        }
        for contact in &mut changed.contacts {
            contact.point = place(contact.point);
            contact.normal = unit(turn(contact.normal));
        }
        back.turn = matrix;
        (changed, back)
    }

    fn in_units(&self, [metre, kilogram, second]: [f64; 3], mut back: Back) -> (Self, Back) {
        let (speed, spin) = (metre / second, 1.0 / second);
        let force = kilogram * speed / second;
        let both = |w: &mut [f64; 6], linear: f64, angular: f64| {
            for (k, x) in w.iter_mut().enumerate() {
                *x *= if k < 3 { linear } else { angular };
            }
        };
        let mut changed = self.clone();
        changed.dt *= second;
        for body in &mut changed.bodies {
            body.mass *= kilogram;
            body.position = body.position.map(|x| x * metre);
            body.inertia = body.inertia.map(|row| row.map(|x| x * kilogram * metre * metre));
            both(&mut body.velocity, speed, spin);
            both(&mut body.wrench, force, force * metre);
        }
        for contact in &mut changed.contacts {
            contact.point = contact.point.map(|x| x * metre);
            contact.gap *= metre;
        }
        back.unit = [speed, spin];
        (changed, back)
    }
}

/// R I Rᵀ, made symmetric to the last bit.
fn turned(turn: &[[f64; 3]; 3], inertia: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let entry = |r: usize, c: usize| {
        let terms = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
        terms.map(|(i, j)| turn[r][i] * inertia[i][j] * turn[c][j]).sum::<f64>()
    };
    [0, 1, 2].map(|r: usize| [0, 1, 2].map(|c: usize| entry(r.min(c), r.max(c))))
}

/// A random rotation, from a unit quaternion.
fn rotation(rng: &mut Rng) -> [[f64; 3]; 3] {
    let q = [(); 4].map(|()| rng.normal());
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length < 0.1 {
        return IDENTITY;
    }
    let [w, x, y, z] = q.map(|v| v / length);
    [
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
        ],
        [
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - w * x),
        ],
        [
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        ],
    ]
}

/// A unit between 1e-3 and 1e3 times the old one, no power of two.
fn scale(rng: &mut Rng) -> f64 {
    [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0][rng.between(0, 5)] * rng.uniform(1.0, 10.0)
}

fn shuffle<T>(list: &mut [T], rng: &mut Rng) {
    for i in (1..list.len()).rev() {
        list.swap(i, rng.between(0, i));
    }
}
