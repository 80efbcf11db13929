//! Joints of a model: single ones, several of a body as one compound joint, their springs.

use super::{Build, WHOLE_TURN, is_endless};
use crate::compound::{Along, Axis, Compound};
use crate::joint::{Joint, JointKind, Motor};
use crate::scene::joints::from_z;
use crate::scene::mjcf::{MjBody, MjJoint, MjJointKind};
use crate::transmission::Freedom;
use crate::{Pose, SimError, Vec3};

impl Build<'_> {
    pub(super) fn add_joints(&mut self) -> Result<(), SimError> {
        for (number, body) in self.model.bodies.iter().enumerate() {
            if body.joints.is_empty() {
                continue;
            }
            let joint = self.joint_of(number, body)?;
            match &body.joints[..] {
                // An angle beyond half a turn needs a middle of its own.
                [one] if !Self::is_near(one) => self.compound(number, std::slice::from_ref(one), &joint)?,
                [one] => {
                    let made = Joint {
                        limits: one.limits.filter(|_| Self::has_coordinate(one)),
                        ..Self::single(one, &joint)
                    };
                    let index = self.push_joint(made, one.armature);
                    self.made.push(Some(index));
                }
                several => self.compound(number, several, &joint)?,
            }
        }
        Ok(())
    }

    /// Whether an angle stays within half a turn, as that of a revolute joint is known.
    fn is_near(joint: &MjJoint) -> bool {
        let half = 0.5 * WHOLE_TURN;
        let within = |[low, high]: [f64; 2]| low >= -half && high <= half;
        joint.kind != MjJointKind::Hinge || joint.limits.is_none_or(|limits| within(limits) || is_endless(limits))
    }

    fn has_coordinate(joint: &MjJoint) -> bool {
        matches!(joint.kind, MjJointKind::Hinge | MjJointKind::Slide)
    }

    /// The frames of the joint of a body and its parent, both those of the body as it is written.
    fn joint_of(&self, number: usize, body: &MjBody) -> Result<Joint, SimError> {
        let free = body.joints.iter().any(|joint| joint.kind == MjJointKind::Free);
        let (a, frame_a) = self.in_group(number, &Pose::identity());
        let (b, frame_b) = if free {
            self.in_group(0, &Pose::identity())
        } else {
            self.in_group(body.parent, &body.pose)
        };
        if a == b {
            return Err(SimError::value(
                self.field(number),
                "must move in another body",
                a as f64,
            ));
        }
        Ok(Joint {
            name: self.name(&body.joints[0].name),
            a,
            b,
            kind: JointKind::Free,
            frame_a,
            frame_b,
            limits: None,
            motor: None,
            friction: 0.0,
        })
    }

    /// A joint that is the only one of its body.
    fn single(joint: &MjJoint, between: &Joint) -> Joint {
        let turned = |reference: f64| Pose {
            position: Vec3::zeros(),
            rotation: crate::scene::mjcf::defaults::about(Vec3::z(), -reference),
        };
        let frame = Pose {
            position: joint.pos,
            rotation: from_z(joint.axis),
        };
        let [frame_a, frame_b] = [&between.frame_a, &between.frame_b].map(|outer| outer.then(&frame));
        let made = |kind: JointKind, frame_b: Pose| Joint {
            kind,
            frame_a,
            frame_b,
            limits: joint.limits,
            motor: spring(joint),
            friction: joint.friction,
            ..between.clone()
        };
        match joint.kind {
            MjJointKind::Free => between.clone(),
            MjJointKind::Ball => Joint {
                limits: None,
                motor: None,
                friction: 0.0,
                ..made(JointKind::Spherical, frame_b)
            },
            MjJointKind::Slide => {
                let back = Pose {
                    position: Vec3::new(0.0, 0.0, -joint.reference),
                    ..Pose::identity()
                };
                made(JointKind::Prismatic, frame_b.then(&back))
            }
            MjJointKind::Hinge => made(JointKind::Revolute, frame_b.then(&turned(joint.reference))),
        }
    }

    /// Several joints of one body: one that holds it, and one for each coordinate.
    fn compound(&mut self, number: usize, joints: &[MjJoint], between: &Joint) -> Result<(), SimError> {
        let mut axes = Vec::new();
        for joint in joints {
            let freedom = match joint.kind {
                MjJointKind::Hinge => Freedom::Turn,
                MjJointKind::Slide => Freedom::Slide,
                MjJointKind::Ball | MjJointKind::Free => {
                    let requirement = "must be hinges and slides where a body has several: joints";
                    return Err(SimError::value(self.field(number), requirement, joints.len() as f64));
                }
            };
            let middle = joint.limits.map_or(joint.reference, |[low, high]| 0.5 * (low + high));
            axes.push(Axis {
                freedom,
                axis: joint.axis,
                anchor: joint.pos,
                zero: joint.reference,
                middle,
            });
        }
        let compound = Compound { axes };
        compound.check(&format!("{}.joint", self.field(number)))?;
        let name = self.name(&format!("{}.joints", self.model.bodies[number].name));
        self.push_joint(
            Joint {
                name,
                kind: JointKind::Compound(Box::new(compound.clone())),
                ..between.clone()
            },
            0.0,
        );
        for (index, joint) in joints.iter().enumerate() {
            let along = Along {
                compound: compound.clone(),
                index,
            };
            let one = Joint {
                name: self.name(&joint.name),
                kind: JointKind::Along(Box::new(along)),
                limits: joint.limits,
                motor: spring(joint),
                friction: joint.friction,
                ..between.clone()
            };
            let index = self.push_joint(one, joint.armature);
            self.made.push(Some(index));
        }
        Ok(())
    }

    /// Coordinate of a joint of the model as it is written.
    pub(super) fn reference(&self, joint: usize) -> f64 {
        let all = self.model.bodies.iter().flat_map(|body| &body.joints);
        all.clone().nth(joint).map_or(0.0, |joint| joint.reference)
    }
}

/// The spring and damper of a joint.
pub(super) fn spring(joint: &MjJoint) -> Option<Motor> {
    (joint.stiffness > 0.0 || joint.damping > 0.0).then_some(Motor {
        target: joint.springref,
        stiffness: joint.stiffness,
        damping: joint.damping,
        most: f64::INFINITY,
        ..Motor::default()
    })
}
