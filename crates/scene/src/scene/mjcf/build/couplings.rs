//! What couples bodies and joints: equalities and tendons.

use super::Build;
use crate::joint::{Joint, JointKind, Motor};
use crate::scene::mjcf::instruments::{MjEquality, MjTendon, Path};
use crate::transmission::RopePoint;
use crate::{Pose, SimError};

impl Build<'_> {
    /// All sites: their bodies and their frames in these.
    fn sites(&self) -> Vec<(usize, Pose)> {
        let bodies = self.model.bodies.iter().enumerate();
        bodies
            .flat_map(|(k, body)| body.sites.iter().map(move |site| (k, site.pose)))
            .collect()
    }

    pub(super) fn add_equalities(&mut self) -> Result<(), SimError> {
        let mut made = Vec::new();
        let sites = self.sites();
        for (name, equality) in &self.model.instruments.equalities {
            let name = self.name(name);
            let between = |kind: JointKind, [a, b]: [(usize, Pose); 2]| Joint {
                name: name.clone(),
                a: a.0,
                b: b.0,
                kind,
                frame_a: a.1,
                frame_b: b.1,
                limits: None,
                motor: None,
                friction: 0.0,
            };
            match equality {
                MjEquality::Connect([first, second], anchor) => {
                    let at = Pose {
                        position: *anchor,
                        ..Pose::identity()
                    };
                    let other = self.poses[*second].inverse().then(&self.poses[*first].then(&at));
                    let frames = [self.in_group(*first, &at), self.in_group(*second, &other)];
                    made.push(between(JointKind::Spherical, frames));
                }
                MjEquality::Weld([first, second], pose) => {
                    // The pose of the second body in the first.
                    let pose = pose.unwrap_or_else(|| self.poses[*first].inverse().then(&self.poses[*second]));
                    let frames = [self.in_group(*first, &pose), self.in_group(*second, &Pose::identity())];
                    made.push(between(JointKind::Fixed, frames));
                }
                MjEquality::Sites(pair, turns) => {
                    let frames = pair.map(|k| self.in_group(sites[k].0, &sites[k].1));
                    let kind = if *turns { JointKind::Fixed } else { JointKind::Spherical };
                    made.push(between(kind, frames));
                }
                MjEquality::Joint(pair, [ratio, offset]) => {
                    let [first, second] = pair.map(|k| self.made[k].map(|index| &self.parts.joints[index]));
                    let (Some(first), Some(second)) = (first, second) else {
                        continue;
                    };
                    let references = pair.map(|k| self.reference(k));
                    // y − y₀ = a₀ + a₁ (x − x₀)
                    let offset = references[0] + offset - ratio * references[1];
                    made.push(Joint::mimic(name.clone(), [first, second], [*ratio, offset])?);
                }
            }
        }
        for joint in made {
            if joint.a != joint.b || matches!(joint.kind, JointKind::Gear(_)) {
                self.push_joint(joint, 0.0);
            }
        }
        Ok(())
    }

    /// Adds tendons; for each its number among the joints.
    pub(super) fn add_tendons(&mut self) -> Result<Vec<Option<usize>>, SimError> {
        let mut out = Vec::new();
        let sites = self.sites();
        for tendon in &self.model.instruments.tendons {
            let joint = match &tendon.path {
                Path::Fixed(terms) => {
                    let terms = terms
                        .iter()
                        .filter_map(|(c, k)| Some((*c, self.parts.joints[self.made[*k]?].clone())));
                    let made = Joint {
                        limits: tendon.limits,
                        friction: tendon.friction,
                        motor: tendon_spring(tendon),
                        ..Joint::tendon(self.name(&tendon.name), terms.collect())
                    };
                    let field = format!("tendon[{}]", tendon.name);
                    made.check_transmission(&field)?;
                    Some(made)
                }
                Path::Sites(points) => {
                    let points: Vec<RopePoint> = points
                        .iter()
                        .map(|k| {
                            let (body, Pose { position, .. }) = sites[*k];
                            let at = Pose {
                                position,
                                ..Pose::identity()
                            };
                            let (body, pose) = self.in_group(body, &at);
                            RopePoint::new(body, pose.position)
                        })
                        .collect();
                    let is_soft = tendon.stiffness > 0.0 || tendon.damping > 0.0 || tendon.friction > 0.0;
                    match tendon.limits {
                        Some([low, high]) if low <= 0.0 && !is_soft => {
                            Some(Joint::rope(self.name(&tendon.name), &points, high)?)
                        }
                        _ => {
                            let what = "tendon spatial that is no rope (a range from 0, nothing else): ignored";
                            self.parts.changed.push(what.to_owned());
                            None
                        }
                    }
                }
            };
            out.push(joint.map(|joint| self.push_joint(joint, tendon.armature)));
        }
        for joint in &self.parts.joints[..] {
            debug_assert!(joint.a < self.parts.bodies.len());
        }
        Ok(out)
    }
}

fn tendon_spring(tendon: &MjTendon) -> Option<Motor> {
    (tendon.stiffness > 0.0 || tendon.damping > 0.0).then_some(Motor {
        target: tendon.rest,
        stiffness: tendon.stiffness,
        damping: tendon.damping,
        most: f64::INFINITY,
        ..Motor::default()
    })
}
