//! Forces, couplings and joints that do most likely not what was meant.

use super::{Look, short};
use crate::body::Kind;
use crate::joint::{Joint, JointKind};
use crate::scene::error::Report;

/// Share of the length of a distance joint by which it may start apart: decimals as printed.
const START_REL_TOL: f64 = 1e-6;

impl Look<'_> {
    /// Notes doubts about what acts on bodies.
    pub(super) fn acting(&self, report: &mut Report<'_>) {
        let places = |key: &str, report: &mut Report<'_>| -> Vec<usize> {
            self.root.tables(key, report).iter().map(|fields| fields.at).collect()
        };
        let (scene, dt) = (self.scene, self.scene.settings.dt);
        for (k, (force, at)) in scene.forces.iter().zip(places("force", report)).enumerate() {
            if force.from >= scene.duration {
                let text = format!(
                    "lies after the end of the run, {} s, found {}",
                    scene.duration, force.from
                );
                report.doubt(Some(at), &format!("force[{k}].from"), text);
            }
        }
        for (k, (coupling, at)) in scene.couplings.iter().zip(places("coupling", report)).enumerate() {
            let path = format!("coupling[{k}].stiffness");
            if coupling.stiffness == [0.0; 2] && coupling.damping == [0.0; 2] {
                let text = "is 0, and so is the damping: nothing leads the body, found [0, 0]";
                report.doubt(Some(at), &path, text);
            }
            let Kind::Dynamic { mass, .. } = scene.bodies[coupling.body].body.kind else {
                continue;
            };
            let most = mass / (dt * dt);
            if coupling.stiffness[0] >= most {
                let found = coupling.stiffness[0];
                let text = format!(
                    "is too stiff for the step, not below mass/dt² = {} N/m, found {found}",
                    short(most)
                );
                report.doubt(Some(at), &path, text);
            }
        }
        for (k, (joint, at)) in scene.joints.iter().zip(places("joint", report)).enumerate() {
            self.joint(joint, &format!("joint[{k}]"), at, report);
        }
    }

    fn joint(&self, joint: &Joint, path: &str, at: usize, report: &mut Report<'_>) {
        if let Some(motor) = &joint.motor
            && [motor.stiffness, motor.damping, motor.force] == [0.0; 3]
        {
            let text = "has neither stiffness, damping nor force: it does nothing, found 0 for each";
            report.doubt(Some(at), &format!("{path}.motor"), text);
        }
        if let JointKind::Distance { length } = &joint.kind {
            let length = *length;
            let end = |body: usize, at| self.scene.bodies[body].state.pose.point(at);
            let ends = end(joint.a, joint.frame_a.position) - end(joint.b, joint.frame_b.position);
            let apart = ends.norm();
            if (apart - length).abs() > START_REL_TOL * apart.max(length) {
                let text = format!(
                    "is not the distance at the start, {} m: the joint starts apart, found {length}",
                    short(apart)
                );
                report.doubt(Some(at), &format!("{path}.length"), text);
            }
        }
    }
}
