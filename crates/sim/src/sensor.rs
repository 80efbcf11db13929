//! Sensors: numbers read from a world.
//!
//! Positions and velocities are those of now. What needs forces or accelerations (touch, force, torque, accelerometer) is that of the last step, or of its last substep where it was
//! made in several: impulses over its length, and the change of velocity in it. Before the first step these read 0, and an accelerometer what it reads at rest.

use crate::error::SimError;
use crate::frame::Frame;
use crate::joint::{Joint, JointKind, Row};
use crate::shape::Shape;
use crate::state::BodyState;
use crate::world::World;
use crate::{Pose, Vec3};

/// What a sensor reads. Frames are indices of [`World::frames`].
#[derive(Debug, Clone, PartialEq)]
pub enum SensorKind {
    /// Coordinate of a joint \[rad or m\].
    JointPosition(usize),
    /// Speed of the coordinate of a joint \[rad/s or m/s\].
    JointVelocity(usize),
    /// Force of an actuator, before the gear \[N or N·m\].
    ActuatorForce(usize),
    /// Position of a frame in the world \[m\].
    FramePosition(usize),
    /// Rotation of a frame in the world: x, y, z, w.
    FrameOrientation(usize),
    /// Sum of the normal forces of contacts of the frame's body that lie in a zone, or whose normal into the body meets it \[N\].
    Touch {
        /// Where the zone is.
        frame: usize,
        /// Its shape.
        zone: Shape,
    },
    /// Force that the joints of the frame's body to the body that carries it exert on it, in the axes of the frame \[N\].
    Force(usize),
    /// Torque that these exert about the origin of the frame, in its axes \[N·m\].
    Torque(usize),
    /// Angular velocity in the axes of the frame \[rad/s\].
    Gyro(usize),
    /// Acceleration of the frame's origin less that of gravity, in the axes of the frame \[m/s²\]: at rest 9.81 upwards.
    Accelerometer(usize),
}

impl SensorKind {
    /// Its name in files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::JointPosition(_) => "jointpos",
            Self::JointVelocity(_) => "jointvel",
            Self::ActuatorForce(_) => "actuatorfrc",
            Self::FramePosition(_) => "framepos",
            Self::FrameOrientation(_) => "framequat",
            Self::Touch { .. } => "touch",
            Self::Force(_) => "force",
            Self::Torque(_) => "torque",
            Self::Gyro(_) => "gyro",
            Self::Accelerometer(_) => "accelerometer",
        }
    }

    /// How many numbers it reads.
    #[must_use]
    pub fn dim(&self) -> usize {
        match self {
            Self::JointPosition(_) | Self::JointVelocity(_) | Self::ActuatorForce(_) | Self::Touch { .. } => 1,
            Self::FramePosition(_) | Self::Force(_) | Self::Torque(_) | Self::Gyro(_) | Self::Accelerometer(_) => 3,
            Self::FrameOrientation(_) => 4,
        }
    }

    /// The frame that it is on.
    pub(crate) fn frame(&self) -> Option<usize> {
        match self {
            Self::JointPosition(_) | Self::JointVelocity(_) | Self::ActuatorForce(_) => None,
            Self::Touch { frame, .. }
            | Self::FramePosition(frame)
            | Self::FrameOrientation(frame)
            | Self::Force(frame)
            | Self::Torque(frame)
            | Self::Gyro(frame)
            | Self::Accelerometer(frame) => Some(*frame),
        }
    }

    /// The frame that it is on, to change it.
    pub fn frame_mut(&mut self) -> Option<&mut usize> {
        match self {
            Self::JointPosition(_) | Self::JointVelocity(_) | Self::ActuatorForce(_) => None,
            Self::Touch { frame, .. }
            | Self::FramePosition(frame)
            | Self::FrameOrientation(frame)
            | Self::Force(frame)
            | Self::Torque(frame)
            | Self::Gyro(frame)
            | Self::Accelerometer(frame) => Some(frame),
        }
    }
}

/// A named reading.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensor {
    /// Name.
    pub name: String,
    /// What it reads.
    pub kind: SensorKind,
}

impl World {
    /// Adds a sensor; returns its index.
    ///
    /// # Errors
    /// A joint without coordinate, an actuator or a frame that does not exist.
    pub fn add_sensor(&mut self, sensor: Sensor) -> Result<usize, SimError> {
        let index = self.model.sensors.len();
        let field = format!("sensors[{index}]");
        match sensor.kind {
            SensorKind::JointPosition(joint) | SensorKind::JointVelocity(joint) => {
                self.check_coordinate(&field, joint)?;
            }
            SensorKind::ActuatorForce(actuator) if actuator >= self.model.actuators.len() => {
                let requirement = format!("must be below {}", self.model.actuators.len());
                return Err(SimError::value(
                    format!("{field}.actuator"),
                    requirement,
                    actuator as f64,
                ));
            }
            _ => {}
        }
        let count = self.model.frames.len();
        if let Some(frame) = sensor.kind.frame().filter(|frame| *frame >= count) {
            let requirement = format!("must be below {count}");
            return Err(SimError::value(format!("{field}.frame"), requirement, frame as f64));
        }
        self.model.sensors.push(sensor);
        Ok(index)
    }

    /// Sensors in the order in which they were added.
    #[must_use]
    pub fn sensors(&self) -> &[Sensor] {
        &self.model.sensors
    }

    /// How many numbers all sensors read.
    #[must_use]
    pub fn sensor_count(&self) -> usize {
        self.model.sensors.iter().map(|sensor| sensor.kind.dim()).sum()
    }

    /// Reads all sensors, one after the other.
    ///
    /// # Errors
    /// Room for another number of values than [`Self::sensor_count`].
    pub fn sensor_values(&self, out: &mut [f64]) -> Result<(), SimError> {
        let count = self.sensor_count();
        if out.len() != count {
            let requirement = format!("must have room for {count} numbers");
            return Err(SimError::value("sensor values", requirement, out.len() as f64));
        }
        let mut rest = out;
        for sensor in &self.model.sensors {
            let (own, others) = rest.split_at_mut(sensor.kind.dim());
            self.read_sensor(&sensor.kind, own);
            rest = others;
        }
        Ok(())
    }

    fn read_sensor(&self, kind: &SensorKind, out: &mut [f64]) {
        let bodies = &self.state.bodies;
        let frame = |frame: usize| &self.model.frames[frame];
        let mut put = |v: Vec3| out.copy_from_slice(v.as_slice());
        match kind {
            SensorKind::JointPosition(joint) => out[0] = self.joint_coordinate(*joint).map_or(0.0, |[x, _]| x),
            SensorKind::JointVelocity(joint) => out[0] = self.joint_coordinate(*joint).map_or(0.0, |[_, v]| v),
            SensorKind::ActuatorForce(actuator) => out[0] = self.actuator_force(*actuator).unwrap_or(0.0),
            SensorKind::FramePosition(k) => put(frame(*k).at(bodies).position),
            SensorKind::FrameOrientation(k) => {
                out.copy_from_slice(frame(*k).at(bodies).rotation.coords.as_slice());
            }
            SensorKind::Touch { frame: k, zone } => out[0] = self.touch(frame(*k), zone),
            SensorKind::Force(k) => put(self.carried_wrench(frame(*k))[0]),
            SensorKind::Torque(k) => put(self.carried_wrench(frame(*k))[1]),
            SensorKind::Gyro(k) => put(frame(*k).at(bodies).direction_in_body(bodies[frame(*k).body].spin)),
            SensorKind::Accelerometer(k) => put(self.acceleration(frame(*k))),
        }
    }

    /// Whether contacts, impulses and the start of the last step are those of these bodies.
    pub(crate) fn has_stepped(&self) -> bool {
        !self.scratch.start.is_empty() && self.scratch.start.len() == self.state.bodies.len()
    }

    fn touch(&self, frame: &Frame, zone: &Shape) -> f64 {
        if !self.has_stepped() {
            return 0.0;
        }
        let pose = frame.at(&self.state.bodies);
        let pairs = self.contacts().iter().zip(&self.solution().normal_impulse);
        let mut sum = 0.0;
        for (contact, impulse) in pairs.filter(|(_, impulse)| **impulse > 0.0) {
            // The normal points to body a.
            let into = match frame.body {
                body if body == contact.a => contact.normal,
                body if body == contact.b => -contact.normal,
                _ => continue,
            };
            if crate::query::meets((zone, &pose), contact.point, into) {
                sum += impulse;
            }
        }
        sum / self.solved_length()
    }

    /// Velocity of a frame's origin.
    fn velocity_of(frame: &Frame, bodies: &[BodyState]) -> Vec3 {
        bodies[frame.body].velocity_at(&frame.at(bodies).position)
    }

    fn acceleration(&self, frame: &Frame) -> Vec3 {
        let pose: Pose = frame.at(&self.state.bodies);
        let gravity = self.model.settings.gravity;
        let (start, now) = (&self.scratch.start, &self.state.bodies);
        let change = if self.has_stepped() {
            (Self::velocity_of(frame, now) - Self::velocity_of(frame, start)) / self.solved_length()
        } else {
            Vec3::zeros()
        };
        pose.direction_in_body(change - gravity)
    }

    /// What a force along a row does to the first of two bodies by the joint between them: force, and torque about its centre of mass. A tendon acts by those of its joints that are.
    fn pull(&self, joint: &Joint, row: &Row, size: f64, ends: [usize; 2]) -> [Vec3; 2] {
        let between = |joint: &Joint| joint.bodies().iter().all(|body| ends.contains(body));
        let mut out = [Vec3::zeros(); 2];
        let mut add = |joint: &Joint, row: &Row, size: f64| {
            for (_, part) in joint.parts(row).filter(|(body, _)| *body == ends[0]) {
                out[0] += size * Vec3::new(part[0], part[1], part[2]);
                out[1] += size * Vec3::new(part[3], part[4], part[5]);
            }
        };
        if let JointKind::Tendon(tendon) = &joint.kind {
            for (coefficient, term) in tendon.terms.iter().filter(|(_, term)| between(term)) {
                if let Some(row) = term.coordinate(&self.state.bodies) {
                    add(term, &row, coefficient * size);
                }
            }
        } else if between(joint) {
            add(joint, row, size);
        }
        out
    }

    /// Force and torque of the joints that place the body of a frame on it, in the axes of the frame.
    fn carried_wrench(&self, frame: &Frame) -> [Vec3; 2] {
        let Some(carrier) = self.carrier(frame.body).filter(|_| self.has_stepped()) else {
            return [Vec3::zeros(); 2];
        };
        let h = self.solved_length();
        let pose = frame.at(&self.state.bodies);
        let seen = |force: Vec3, torque: Vec3, point: Vec3| {
            let arm = point - pose.position;
            [
                pose.direction_in_body(force),
                pose.direction_in_body(torque + arm.cross(&force)),
            ]
        };
        if let Some([force, torque, point]) = self.scratch.midpoint.trees.wrench(frame.body, carrier) {
            return seen(force / h, torque / h, point);
        }
        let (mut force, mut torque) = (Vec3::zeros(), Vec3::zeros());
        let assembly = &self.scratch.assembly;
        let solution = self.solution();
        let first = self.contacts().len();
        let rows = assembly.joint_rows.iter().zip(&solution.joint_impulse);
        let rows = rows.map(|(row, impulse)| (row.joint, &row.row, impulse / h));
        let impulses = solution.normal_impulse.iter().zip(&solution.friction_impulse);
        let limits = assembly.limits.iter().zip(impulses.skip(first));
        let limits = limits.flat_map(|(limit, (theta, friction))| {
            let rows = limit.pushed(*theta, *friction);
            rows.map(|(row, impulse)| (limit.joint, row, impulse / h))
        });
        let ends = [frame.body, carrier];
        for (joint, row, size) in rows.chain(limits) {
            let [f, t] = self.pull(&self.model.joints[joint], row, size, ends);
            (force, torque) = (force + f, torque + t);
        }
        for (joint, size) in &self.scratch.loads.forces {
            let joint = &self.model.joints[*joint];
            if let Some(row) = joint.coordinate(&self.state.bodies) {
                let [f, t] = self.pull(joint, &row, *size, ends);
                (force, torque) = (force + f, torque + t);
            }
        }
        seen(force, torque, self.state.bodies[frame.body].pose.position)
    }
}
