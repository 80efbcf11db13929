//! Masses: given, or computed from geometry.

use super::{Bodies, Within};
use crate::scene::error::shorten;
use crate::scene::mjcf::MjInertial;
use crate::scene::mjcf::document::{Findings, Tag};
use crate::{Mat3, Vec3};

impl<'a> Bodies<'a> {
    pub(super) fn inertial(&mut self, tag: &'a Tag, within: Within<'_>, findings: &mut Findings) {
        let element = self.element(tag, within, findings);
        let pose = within.frame.then(&self.pose(&element, findings));
        if element.get("mass").is_none() {
            element.wrong::<()>("mass", "must be given", findings);
            return;
        }
        let mass = element.not_negative("mass", 0.0, findings);
        let inertia = if element.get("fullinertia").is_some() {
            let [xx, yy, zz, xy, xz, yz] = element.numbers("fullinertia", [0.0; 6], findings);
            Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
        } else {
            Mat3::from_diagonal(&element.vector("diaginertia", Vec3::zeros(), findings))
        };
        let turn = pose.rotation.to_rotation_matrix().into_inner();
        self.report.take("inertial");
        self.list[within.body].inertial = Some(MjInertial {
            mass,
            centre: pose.position,
            inertia: turn * inertia * turn.transpose(),
            place: tag.place,
        });
    }

    /// Mass of a body: as given, or of its geometry.
    pub(super) fn set_mass(&mut self, number: usize, findings: &mut Findings) {
        let compiler = &self.compiler;
        let body = &mut self.list[number];
        let from_geoms = compiler.from_geoms.unwrap_or(body.inertial.is_none());
        if from_geoms {
            if body.inertial.is_some() {
                self.report
                    .change("inertial replaced by the geometry, as compiler.inertiafromgeom says");
            }
            let mass: f64 = body.geoms.iter().map(|geom| geom.mass).sum();
            let centre = body.geoms.iter().map(|geom| geom.mass * geom.centre).sum::<Vec3>();
            let centre = if mass > 0.0 { centre / mass } else { Vec3::zeros() };
            let inertia = body
                .geoms
                .iter()
                .map(|geom| geom.inertia + about_point(geom.mass, geom.centre - centre));
            body.inertial = Some(MjInertial {
                mass,
                centre,
                inertia: inertia.sum(),
                place: body.place,
            });
        }
        let Some(inertial) = &mut body.inertial else {
            body.inertial = Some(MjInertial {
                mass: 0.0,
                centre: Vec3::zeros(),
                inertia: Mat3::zeros(),
                place: body.place,
            });
            return;
        };
        if number > 0 {
            inertial.mass = inertial.mass.max(compiler.bound_mass);
        }
        if inertial.mass == 0.0 && compiler.bound_inertia == 0.0 {
            return;
        }
        let eigen = inertial.inertia.symmetric_eigen();
        let mut moments = eigen.eigenvalues;
        let lowest = moments.min();
        let largest = moments.max();
        let is_triangle = 2.0 * largest <= moments.sum() * (1.0 + 1e-9);
        if !is_triangle && compiler.balance {
            moments.fill(moments.mean());
            self.report.change("inertia balanced, as compiler.balanceinertia says");
        } else if !is_triangle {
            let problem = format!(
                "must have moments of inertia of which none exceeds the sum of the others, found {:.6} {:.6} {:.6}",
                moments.x, moments.y, moments.z
            );
            findings.fail::<()>(
                inertial.place,
                &format!("body[{}].inertial", shorten(&body.name)),
                problem,
            );
        }
        if number > 0 && lowest < compiler.bound_inertia {
            moments = moments.map(|x| x.max(compiler.bound_inertia));
        }
        if moments != eigen.eigenvalues {
            let axes = eigen.eigenvectors;
            inertial.inertia = axes * Mat3::from_diagonal(&moments) * axes.transpose();
        }
    }

    pub(super) fn set_total_mass(&mut self) {
        let Some(total) = self.compiler.total_mass else { return };
        let own = || self.list.iter().skip(1).filter_map(|body| body.inertial.as_ref());
        let sum: f64 = own().map(|inertial| inertial.mass).sum();
        if sum > 0.0 {
            for inertial in self.list.iter_mut().skip(1).filter_map(|body| body.inertial.as_mut()) {
                inertial.mass *= total / sum;
                inertial.inertia *= total / sum;
            }
        }
    }
}

/// Inertia of a mass at a place.
pub(in crate::scene::mjcf) fn about_point(mass: f64, r: Vec3) -> Mat3 {
    mass * (Mat3::identity() * r.norm_squared() - r * r.transpose())
}
