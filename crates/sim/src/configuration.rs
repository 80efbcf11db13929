//! The bodies of a model at one instant: what rows, gaps and energies are computed from.

use crate::Vec3;
use crate::collision::Contact;
use crate::coordinates::Coordinates;
use crate::energy::{kinetic, potential};
use crate::joint::{Joint, Row};
use crate::model::Model;
use crate::state::BodyState;

/// Bodies of a model, with their poses and velocities, and which of them the contact problem moves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Configuration<'a> {
    pub(crate) model: &'a Model,
    pub(crate) bodies: &'a [BodyState],
    /// Block of each body in the contact problem; none for bodies that it does not move.
    pub(crate) blocks: &'a [Option<usize>],
}

impl<'a> Configuration<'a> {
    /// All bodies of a model.
    pub(crate) fn of(model: &'a Model, bodies: &'a [BodyState]) -> Self {
        Self {
            model,
            bodies,
            blocks: model.blocks(),
        }
    }

    /// Coordinates of a body in the contact problem.
    pub(crate) fn coordinates(&self) -> Coordinates {
        self.model.coordinates()
    }

    /// Velocity and spin of a body as one list.
    pub(crate) fn velocity_of(&self, body: usize) -> [f64; 6] {
        let BodyState {
            velocity: v, spin: w, ..
        } = self.bodies[body];
        [v.x, v.y, v.z, w.x, w.y, w.z]
    }

    /// Product of a row with a body's velocity.
    pub(crate) fn speed_of(&self, body: usize, row: &[f64; 6]) -> f64 {
        row.iter().zip(self.velocity_of(body)).map(|(r, v)| r * v).sum()
    }

    /// Velocity along a row of a joint.
    pub(crate) fn speed_along(&self, joint: &Joint, row: &Row) -> f64 {
        joint.parts(row).map(|(body, part)| self.speed_of(body, part)).sum()
    }

    /// Speed of the coordinate of a joint; none where it has no coordinate.
    pub(crate) fn joint_speed(&self, joint: &Joint) -> Option<f64> {
        Some(self.speed_along(joint, &joint.coordinate(self.bodies)?))
    }

    /// Velocity of a's point relative to b's.
    pub(crate) fn relative_velocity(&self, contact: &Contact) -> Vec3 {
        let of = |body: usize| self.bodies[body].velocity_at(&contact.point);
        of(contact.a) - of(contact.b)
    }

    /// Largest speed that a body can have at a point \[m/s\].
    pub(crate) fn speed_at(&self, body: usize, point: &Vec3) -> f64 {
        let state = &self.bodies[body];
        state.velocity.norm() + state.spin.norm() * (point - state.pose.position).norm()
    }

    /// Whether the problem moves a body of a joint.
    pub(crate) fn moves_joint(&self, joint: &Joint) -> bool {
        joint.bodies().iter().any(|body| self.blocks[*body].is_some())
    }

    /// Speed at which a contact closes.
    pub(crate) fn approach(&self, contact: &Contact) -> f64 {
        -contact.normal.dot(&self.relative_velocity(contact))
    }

    /// Rows of a joint that something must hold.
    pub(crate) fn rows_of(&self, joint: &Joint, rows: &mut Vec<Row>) {
        rows.clear();
        joint.rows(self.bodies, rows);
        self.coordinates().drop_idle(rows);
    }

    /// Kinetic energy of a body \[J\]; none in first-order physics.
    pub(crate) fn kinetic_of(&self, body: usize) -> f64 {
        if self.model.settings.stepper.has_inertia() {
            kinetic(&self.model.bodies[body], &self.bodies[body])
        } else {
            0.0
        }
    }

    /// Kinetic and potential energy of a body \[J\].
    pub(crate) fn energy_of(&self, body: usize) -> [f64; 2] {
        let gravity = &self.model.settings.gravity;
        let height = potential(&self.model.bodies[body], &self.bodies[body], gravity);
        [self.kinetic_of(body), height]
    }

    /// Kinetic and potential energy of all bodies and rotors \[J\].
    pub(crate) fn energy(&self) -> [f64; 2] {
        self.energy_with(self.kinetic_of_rotors(|_| true))
    }

    /// The same where the kinetic energy of rotors is known \[J\].
    pub(crate) fn energy_with(&self, rotors: f64) -> [f64; 2] {
        let [kinetic, potential] = (0..self.bodies.len()).fold([0.0; 2], |sum, body| {
            let [kinetic, potential] = self.energy_of(body);
            [sum[0] + kinetic, sum[1] + potential]
        });
        [kinetic + rotors, potential]
    }

    /// Kinetic energy of the rotors of some joints \[J\]; none in first-order physics.
    pub(crate) fn kinetic_of_rotors(&self, counts: impl Fn(&Joint) -> bool) -> f64 {
        if !self.model.settings.stepper.has_inertia() {
            return 0.0;
        }
        let rotors = self.model.joints.iter().zip(&self.model.rotors);
        let rotors = rotors.filter(|(joint, inertia)| **inertia > 0.0 && counts(joint));
        rotors
            .filter_map(|(joint, inertia)| {
                let speed = self.joint_speed(joint)?;
                Some(0.5 * inertia * speed * speed)
            })
            .sum()
    }
}
