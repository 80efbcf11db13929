//! What the coordinates of trees have at the start of a step, and where they are at its end.

use super::articulated::{Drive, IDLE};
use super::motors::Motored;
use super::place::{self, Start};
use super::{Trees, mass_of, motors};
use crate::configuration::Configuration;
use crate::drive::Drives;
use crate::loads::Loads;
use crate::step_time::StepTime;

/// Turn of a body in a step up to which its joints' coordinates are taken along \[rad\]: what turns faster flies free, at any spin.
const FASTEST: f64 = 0.25;
/// Share of a joint's size by which it may be open.
const OPEN: f64 = 1e-7;
/// Share of the speeds at a joint that is rounding.
const PARTING: f64 = 1e-9;

impl Trees {
    /// Reads coordinates, momenta and motors at the start; whether the step is one for joint coordinates: something moves, nothing too fast, and joints are closed.
    pub(super) fn read(&mut self, at: Configuration<'_>, (drives, loads): (&Drives, &Loads), time: StepTime) -> bool {
        let (model, bodies) = (at.model, at.bodies);
        let fall = time.h * model.settings.gravity.norm();
        let mut moves = false;
        self.turn = 0.0;
        self.starts.clear();
        self.momenta.clear();
        self.motors.clear();
        self.motor_ends.clear();
        let mut along = 0;
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
                let x = model.near_start(index, link.sign() * start.x);
                start.x = link.sign() * x;
                start.rotor = motors::find(at, (k, link, &start), (index, along), (drives, time), &mut self.motors);
                along += 1;
            }
            self.motor_ends.push(self.motors.len());
            self.starts.push(start);
            let (mass, inertia) = mass_of(model, link);
            let turning = inertia * state.pose.direction_in_body(state.spin);
            self.momenta
                .push([mass * state.velocity, state.pose.direction(turning)]);
        }
        for (joint, force) in &loads.forces {
            if let Some(along) = self.links.alongs.iter().find(|along| along.joint == *joint) {
                for (k, coefficient) in &along.terms {
                    self.starts[*k].push += coefficient * force;
                }
            }
        }
        let events = &mut self.touching.found.events;
        events.resize(self.links.trees.len(), false);
        self.has_lines = self.lines.read(at, &self.links, &self.starts, events);
        for (n, along) in self.links.alongs.iter().enumerate().skip(along) {
            let (begin, motors) = (self.lines.begin(n), &mut self.motors);
            let place = (along.terms[0].0, along.joint, n);
            if motors::find_of_tendon(at, place, begin, (drives, time), motors).is_none() {
                return false;
            }
        }
        for motor in &self.touching.found.saturated {
            self.motors[*motor].given = Some(0.0);
        }
        self.has_lines |= self.motors.iter().any(|motor| motor.given.is_some());
        moves
    }

    /// What acts along the coordinate of each link in half the step, beside rows of the problem.
    pub(super) fn set_drives(&mut self, h: f64) {
        self.drives.clear();
        let mut motors: &[Motored] = &self.motors;
        let mut taken = 0;
        for (link, (start, end)) in self.links.list.iter().zip(self.starts.iter().zip(&self.motor_ends)) {
            let (own, rest) = motors.split_at(end - taken);
            (motors, taken) = (rest, *end);
            let mut drive = IDLE;
            if link.coordinate.is_some() {
                drive = Drive::Yields {
                    inertia: start.rotor,
                    momentum: start.rotor * start.rate.z + 0.5 * h * start.push,
                };
                for motor in own {
                    motor.add_to(&mut drive, h);
                }
            }
            self.drives.push(drive);
        }
    }

    /// How far joints are open \[m, rad\].
    pub(super) fn worst_error(&self, end: Configuration<'_>) -> [f64; 2] {
        let links = self.links.list.iter();
        links.fold([0.0; 2], |[far, turned], link| {
            let [open, off] = place::open(end.model, link, end.bodies);
            [open.max(far), off.max(turned)]
        })
    }
}
