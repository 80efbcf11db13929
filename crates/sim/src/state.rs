//! What changes from step to step, its hash, and its bytes.

use stiction_contact::WarmStart;

use crate::energy::Ledger;
use crate::{Pose, Vec3, mix};

/// Where a body is and how it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState {
    /// Pose of the centre of mass.
    pub pose: Pose,
    /// Velocity of the centre of mass \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity \[rad/s\].
    pub spin: Vec3,
}

impl Default for BodyState {
    fn default() -> Self {
        Self {
            pose: Pose::identity(),
            velocity: Vec3::zeros(),
            spin: Vec3::zeros(),
        }
    }
}

impl BodyState {
    /// The same without motion.
    pub(crate) fn at_rest(&self) -> Self {
        Self {
            pose: self.pose,
            ..Self::default()
        }
    }

    /// Velocity of a point of the body, wherever it is in the world \[m/s\].
    pub(crate) fn velocity_at(&self, point: &Vec3) -> Vec3 {
        self.velocity + self.spin.cross(&(point - self.pose.position))
    }

    /// The numbers of the state in a fixed order.
    #[must_use]
    pub fn numbers(&self) -> [f64; 13] {
        let (p, q) = (self.pose.position, self.pose.rotation.coords);
        let (v, w) = (self.velocity, self.spin);
        [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z]
    }
}

/// State of a world.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Time \[s\].
    pub time: f64,
    /// Steps made.
    pub step: u64,
    /// One a body.
    pub bodies: Vec<BodyState>,
    /// Controls, one an actuator.
    pub ctrl: Vec<f64>,
    /// Whole turns of the angles of joints beside what poses say, in the order of joints; empty where all are 0.
    pub turns: Vec<i32>,
    /// Where energy went so far.
    pub ledger: Ledger,
    /// What the contact solver starts from in the next step.
    pub warm: WarmStart,
}

impl State {
    /// Becomes a copy, in the room that it has.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.time = other.time;
        self.step = other.step;
        self.bodies.clone_from(&other.bodies);
        self.ctrl.clone_from(&other.ctrl);
        self.turns.clone_from(&other.turns);
        self.ledger = other.ledger;
        self.warm.clone_from(&other.warm);
    }

    /// A hash of time, poses, velocities, controls and turns: equal if all their bits are, and otherwise different except by chance.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hash = mix(self.step ^ self.time.to_bits());
        for body in &self.bodies {
            for x in body.numbers() {
                // A zero has one hash whatever its sign.
                hash = mix(hash ^ (x + 0.0).to_bits());
            }
        }
        for x in &self.ctrl {
            hash = mix(hash ^ (x + 0.0).to_bits());
        }
        for (k, turns) in self.turns.iter().enumerate().filter(|(_, turns)| **turns != 0) {
            hash = mix(hash ^ (k as u64) << 32 ^ u64::from(turns.cast_unsigned()));
        }
        hash
    }
}
