//! Actuators with their dampers, frames and sensors.

use super::Build;
use super::add::add_moving;
use super::joints::spring;
use crate::scene::mjcf::MjJoint;
use crate::scene::mjcf::instruments::{Path, Pulls, Reads};
use crate::shape::Shape;
use crate::{Actuator, Frame, Pose, Sensor, SensorKind, Settings, SimError, Vec3, World};

impl Build<'_> {
    pub(super) fn add_actuators(&mut self, tendons: &[Option<usize>]) {
        let mut list = Vec::new();
        for actuator in &self.model.instruments.actuators {
            let joint = match actuator.pulls {
                Pulls::Joint(joint) => self.made[joint],
                Pulls::Tendon(tendon) => tendons[tendon],
            };
            let Some(joint) = joint else { continue };
            let made = Actuator {
                name: self.name(&actuator.name),
                kind: actuator.law.kind,
                joint,
                gear: actuator.gear,
                gain: actuator.law.gain,
                bias: actuator.law.bias,
                ctrl_range: actuator.ctrl_range,
                force_range: actuator.force_range,
            };
            list.push((made, 0.0));
        }
        self.parts.actuators = list;
    }

    /// Springs and dampers that are given by a ratio of damping: those of the inertia that they move in the model as it is written.
    pub(super) fn set_dampers(&mut self) -> Result<(), SimError> {
        let joints: Vec<&MjJoint> = self.model.bodies.iter().flat_map(|body| &body.joints).collect();
        let actuators = &self.model.instruments.actuators;
        let is_needed = joints.iter().any(|joint| joint.spring_damper.is_some())
            || actuators.iter().any(|actuator| actuator.law.damping_ratio.is_some());
        if !is_needed {
            return Ok(());
        }
        let mut world = World::new(Settings::default())?;
        add_moving(&mut world, &self.parts)?;
        let n = world.freedom_count();
        let mass = nalgebra::DMatrix::from_row_slice(n, n, &world.mass_matrix());
        let inverse = mass.cholesky().map(|factor| factor.inverse());
        for (joint, made) in joints.iter().zip(&self.made) {
            let (Some([constant, ratio]), Some(made), Some(inverse)) = (joint.spring_damper, *made, &inverse) else {
                continue;
            };
            let Some(at) = world.joint_span(made).next() else {
                continue;
            };
            let inertia = 1.0 / inverse[(at, at)];
            let stiffness = inertia / (constant * ratio * constant * ratio);
            self.parts.joints[made].motor = spring(&MjJoint {
                stiffness,
                damping: 2.0 * inertia / constant,
                ..(*joint).clone()
            });
        }
        for (actuator, (made, _)) in actuators.iter().zip(&mut self.parts.actuators) {
            let (Some(ratio), Some(inverse)) = (actuator.law.damping_ratio, &inverse) else {
                continue;
            };
            let terms = match actuator.pulls {
                Pulls::Joint(joint) => vec![(1.0, joint)],
                Pulls::Tendon(tendon) => match &self.model.instruments.tendons[tendon].path {
                    Path::Fixed(terms) => terms.clone(),
                    Path::Sites(_) => Vec::new(),
                },
            };
            let mut moment = nalgebra::DVector::zeros(n);
            for (coefficient, joint) in terms {
                if let Some(at) = self.made[joint].and_then(|joint| world.joint_span(joint).next()) {
                    moment[at] += coefficient * actuator.gear;
                }
            }
            let ease = moment.dot(&(inverse * &moment));
            // Without a moment it moves nothing.
            if ease > 0.0 {
                made.bias[2] = -2.0 * ratio * (actuator.law.gain[0] / ease).sqrt();
            }
        }
        Ok(())
    }

    pub(super) fn add_frames(&mut self) {
        let mut frames = Vec::new();
        for (k, body) in self.model.bodies.iter().enumerate() {
            let (number, pose) = self.in_group(k, &Pose::identity());
            frames.push(Frame {
                name: self.name(&body.name),
                body: number,
                pose,
            });
        }
        for (k, body) in self.model.bodies.iter().enumerate() {
            for site in &body.sites {
                let (number, pose) = self.in_group(k, &site.pose);
                frames.push(Frame {
                    name: self.name(&site.name),
                    body: number,
                    pose,
                });
            }
        }
        self.parts.frames = frames;
    }

    pub(super) fn add_sensors(&mut self) {
        let zones: Vec<&Shape> = self
            .model
            .bodies
            .iter()
            .flat_map(|body| body.sites.iter().map(|site| &site.zone))
            .collect();
        let mut list = Vec::new();
        for (name, reads) in &self.model.instruments.sensors {
            let kind = match *reads {
                Reads::JointPosition(joint) => self.made[joint].map(SensorKind::JointPosition),
                Reads::JointVelocity(joint) => self.made[joint].map(SensorKind::JointVelocity),
                Reads::ActuatorForce(actuator) => Some(SensorKind::ActuatorForce(actuator)),
                Reads::Centre(body) => {
                    let centre = self.model.bodies[body].inertial.as_ref();
                    let inner = Pose {
                        position: centre.map_or(Vec3::zeros(), |inertial| inertial.centre),
                        ..Pose::identity()
                    };
                    let (number, pose) = self.in_group(body, &inner);
                    self.parts.frames.push(Frame {
                        name: self.name(&format!("{}.centre", self.model.bodies[body].name)),
                        body: number,
                        pose,
                    });
                    Some(SensorKind::FramePosition(self.parts.frames.len() - 1))
                }
                Reads::Frame(kind, k, is_site) => {
                    let frame = if is_site { self.model.bodies.len() + k } else { k };
                    Some(match kind {
                        "framepos" => SensorKind::FramePosition(frame),
                        "framequat" => SensorKind::FrameOrientation(frame),
                        "force" => SensorKind::Force(frame),
                        "torque" => SensorKind::Torque(frame),
                        "gyro" => SensorKind::Gyro(frame),
                        "accelerometer" => SensorKind::Accelerometer(frame),
                        _ => SensorKind::Touch {
                            frame,
                            zone: zones[k].clone(),
                        },
                    })
                }
            };
            if let Some(kind) = kind {
                list.push(Sensor {
                    name: self.name(name),
                    kind,
                });
            }
        }
        self.parts.sensors = list;
    }
}
