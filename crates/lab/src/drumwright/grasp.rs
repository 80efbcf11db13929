//! The grasp of \[Drumwright VII-A\]: a row of boxes between two gripper boxes that push inwards, one step of it as one problem.

use stiction_contact::{Body, BodyContact, BodyJoint, ContactProblem, InputError, Restitution};

use crate::campaign::families::Rng;
use crate::scenarios::seed;

/// Side [m] and mass [kg] of every box, grippers included.
const SIDE: f64 = 0.1;
const MASS: f64 = 1.0;
/// Push of a gripper for each box held [N].
const PUSH_PER_BOX: f64 = 100.0;
const GRAVITY: f64 = 9.81;
/// Time step [s].
const TIME_STEP: f64 = 1e-3;
/// Friction of Coulomb's law \[Drumwright VII-A\].
const MU: f64 = 100.0;
/// Sizes of the disturbances of a box: force [N], moment [N·m], velocity [m/s], angular velocity [rad/s].
const DISTURBANCE: [f64; 4] = [10.0, 0.3, 0.005, 0.05];

/// How two faces touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Faces {
    /// A grid of rows × columns from edge to edge, normals along the row of boxes.
    Grid(usize, usize),
    /// The four corners, each with three normals as in the paper's simulator: 12 contacts.
    Corners,
}

impl Faces {
    /// Points on the face and normals.
    fn contacts(self) -> Vec<([f64; 2], [f64; 3])> {
        let place = |i: usize, count: usize| SIDE * (i as f64 / (count - 1) as f64 - 0.5);
        let mut all = Vec::new();
        match self {
            Faces::Grid(rows, columns) => {
                for row in 0..rows {
                    for column in 0..columns {
                        all.push(([place(row, rows), place(column, columns)], [1.0, 0.0, 0.0]));
                    }
                }
            }
            Faces::Corners => {
                for (y, z) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let [y, z] = [place(y, 2), place(z, 2)];
                    let normals = [[1.0, 0.0, 0.0], [0.0, y.signum(), 0.0], [0.0, 0.0, z.signum()]];
                    all.extend(normals.map(|normal| ([y, z], normal)));
                }
            }
        }
        all
    }
}

/// `held` boxes between two grippers, under `count` random disturbances.
pub(super) fn problems(name: &str, held: usize, faces: Faces, count: usize) -> Result<Vec<ContactProblem>, InputError> {
    let mut rng = Rng::new(seed(name));
    (0..count).map(|_| problem(held, faces, &mut rng)).collect()
}

fn problem(held: usize, faces: Faces, rng: &mut Rng) -> Result<ContactProblem, InputError> {
    let push = PUSH_PER_BOX * held as f64;
    let bodies: Vec<Body> = (0..held + 2)
        .map(|i| {
            let mut body = cube(SIDE * i as f64);
            match i {
                0 => body.wrench[0] = push,
                i if i == held + 1 => body.wrench[0] = -push,
                _ => disturb(&mut body, rng),
            }
            body.wrench[2] -= MASS * GRAVITY;
            body
        })
        .collect();
    let mut contacts = Vec::new();
    for left in 0..=held {
        for ([y, z], normal) in faces.contacts() {
            contacts.push(BodyContact {
                a: left + 1,
                b: Some(left),
                point: [SIDE * (left as f64 + 0.5), y, z],
                normal,
                mu: MU,
                gap: 0.0,
                restitution: 0.0,
                viscosity: 0.0,
            });
        }
    }
    let joints = [0, held + 1].map(slide);
    ContactProblem::from_bodies(&bodies, &contacts, &joints, TIME_STEP, Restitution::Newton)
}

fn cube(x: f64) -> Body {
    let moment = MASS * SIDE * SIDE / 6.0;
    let mut inertia = [[0.0; 3]; 3];
    for (i, row) in inertia.iter_mut().enumerate() {
        row[i] = moment;
    }
    Body {
        mass: MASS,
        inertia,
        position: [x, 0.0, 0.0],
        velocity: [0.0; 6],
        wrench: [0.0; 6],
    }
}

fn disturb(body: &mut Body, rng: &mut Rng) {
    let [force, moment, speed, turn] = DISTURBANCE;
    for k in 0..3 {
        body.wrench[k] += force * rng.normal();
        body.wrench[k + 3] += moment * rng.normal();
        body.velocity[k] += speed * rng.normal();
        body.velocity[k + 3] += turn * rng.normal();
    }
}

/// A prismatic joint along the row: all but the first coordinate of the body is held.
fn slide(body: usize) -> BodyJoint {
    let rows = (1..6).map(|k| std::array::from_fn(|j| f64::from(u8::from(j == k))));
    BodyJoint {
        a: body,
        b: None,
        rows: rows.collect(),
        bias: vec![0.0; 5],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_grasp_has_four_boxes_and_36_contacts() {
        for faces in [Faces::Grid(3, 4), Faces::Corners] {
            let problem = &problems("test", 2, faces, 1).unwrap()[0];
            let found = (problem.block_count(), problem.contact_count(), problem.joint_count());
            assert_eq!(found, (4, 36, 10), "{faces:?}");
        }
    }

    #[test]
    fn more_disturbances_keep_the_first() {
        let few = problems("test", 2, Faces::Grid(3, 4), 1).unwrap();
        let many = problems("test", 2, Faces::Grid(3, 4), 3).unwrap();
        assert_eq!(few[0], many[0]);
        assert_ne!(many[0], many[1]);
    }
}
