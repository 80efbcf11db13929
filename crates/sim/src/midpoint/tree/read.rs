//! What the coordinates of trees have at the start of a step, and where they are at its end.

use super::articulated::{Drive, IDLE};
use super::place::{self, Start};
use super::{Trees, mass_of, motors};
use crate::configuration::Configuration;
use crate::drive::Drives;
use crate::loads::Loads;
use crate::model::Model;
use crate::step_time::StepTime;

/// Turn of a body in a step up to which its joints' coordinates are taken along \[rad\]: what turns faster flies free, at any spin.
const FASTEST: f64 = 0.25;
/// Share of a joint's size by which it may be open.
const OPEN: f64 = 1e-7;
/// Share of the speeds at a joint that is rounding.
const PARTING: f64 = 1e-9;

impl Trees {
    /// Reads coordinates, momenta and motors at the start; whether the step is one for joint coordinates: something moves, nothing too fast, joints are closed, and what
    /// acts along them are motors, actuators and rotors alone.
    pub(super) fn read(&mut self, at: Configuration<'_>, (drives, loads): (&Drives, &Loads), time: StepTime) -> bool {
        let (model, bodies) = (at.model, at.bodies);
        let fall = time.h * model.settings.gravity.norm();
        let mut moves = false;
        self.turn = 0.0;
        self.starts.clear();
        self.momenta.clear();
        self.motors.clear();
        self.motor_ends.clear();
        self.drives.clear();
        for (k, link) in self.links.list.iter().enumerate() {
            let state = &bodies[link.body];
            let spin = state.spin.norm();
            let velocity = state.velocity.norm();
            moves |= spin > 0.0 || velocity > 0.0;
            self.turn = self.turn.max(time.h * spin);
            if time.h * spin > FASTEST {
                return false;
            }
            let mut start = match link.motion {
                Some((0, count)) => {
                    place::read_motions(model, &self.links.list[k..k + count], bodies, &mut self.motions);
                    self.motions[0]
                }
                Some((n, _)) => self.motions[n],
                None => Start::read(model, link, bodies),
            };
            let mut drive = IDLE;
            if let Some(index) = link.joint {
                let joint = &model.joints[index];
                let size = model.joint_size(joint);
                let fastest = velocity + spin * (size + model.radius(link.body)) + fall;
                let is_closed = start.open[0] <= OPEN * size && start.open[1] <= OPEN;
                // What is not a number is not closed.
                if !(is_closed && start.parting <= PARTING * fastest) {
                    return false;
                }
            }
            if let Some(index) = link.coordinate {
                let joint = &model.joints[index];
                let x = model.near_start(index, link.sign() * start.x);
                start.x = link.sign() * x;
                let room = joint.sides().map(|(_, sign, bound)| sign * (x - bound));
                let room = room.fold(f64::INFINITY, f64::min);
                if joint.friction > 0.0 || (room < f64::INFINITY && room <= at.joint_slack(joint)) {
                    return false;
                }
                start.rotor = motors::find(at, (k, link, &start), index, (drives, time), &mut self.motors);
                let pushes = loads.forces.iter().filter(|(pushed, _)| *pushed == index);
                start.push = link.sign() * pushes.map(|(_, force)| force).sum::<f64>();
                drive = Drive::Yields {
                    inertia: start.rotor,
                    momentum: start.rotor * start.rate.z + 0.5 * time.h * start.push,
                };
                let first = self.motor_ends.last().copied().unwrap_or(0);
                for motor in &self.motors[first..] {
                    motor.add_to(&mut drive, time.h);
                }
            }
            self.motor_ends.push(self.motors.len());
            self.drives.push(drive);
            self.starts.push(start);
            let (mass, inertia) = mass_of(model, link);
            let turning = inertia * state.pose.direction_in_body(state.spin);
            self.momenta
                .push([mass * state.velocity, state.pose.direction(turning)]);
        }
        moves
    }

    /// How far joints are open \[m, rad\].
    pub(super) fn worst_error(&self, end: Configuration<'_>) -> [f64; 2] {
        let links = self.links.list.iter();
        links.fold([0.0; 2], |[far, turned], link| {
            let [open, off] = place::open(end.model, link, end.bodies);
            [open.max(far), off.max(turned)]
        })
    }

    /// Whether the coordinate of a joint is beyond a limit at the end.
    pub(super) fn passes_limits(&self, model: &Model) -> bool {
        self.links.list.iter().zip(&self.starts).any(|(link, end)| {
            let joint = link.coordinate.map(|k| &model.joints[k]);
            let x = link.sign() * end.x;
            joint.is_some_and(|joint| joint.sides().any(|(_, sign, bound)| sign * (x - bound) < 0.0))
        })
    }
}
