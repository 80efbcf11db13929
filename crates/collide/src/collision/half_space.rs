//! Half-space against every shape.

use super::feature::{Feature, key};
use super::relative::{Relative, times};
use super::{Pose, Touching};
use crate::Vec3;
use crate::ellipsoid::support;
use crate::shape::{Polytope, Shape};

/// Fixed points on each rim of a cylinder, 45° apart: it stands on them.
pub(super) const RIM: [(f64, f64); 8] = {
    const H: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [
        (1.0, 0.0),
        (H, H),
        (0.0, 1.0),
        (-H, H),
        (-1.0, 0.0),
        (-H, -H),
        (0.0, -1.0),
        (H, -H),
    ]
};
/// The lowest point of a rim is reported beside the fixed ones if it lies this much lower, relative to the radius.
const LOWER_REL_TOL: f64 = 1e-9;

/// A half-space seen from the frame of a body above it.
struct Ground<'a> {
    pose: &'a Pose,
    /// Outward normal in the frame of the body.
    up: Vec3,
    /// Outward normal in the world.
    normal: Vec3,
    /// Height of the body's origin \[m\].
    height: f64,
    margin: f64,
}

/// All contacts of a half-space (a of the pair) with a body within the margin. Half-spaces among themselves have none.
pub(super) fn half_space(ground: (Vec3, &Pose), body: (&Shape, &Pose), margin: f64, out: &mut Vec<Touching>) {
    let (shape, pose) = body;
    let frame = Relative::of(ground.1, pose);
    let up = times(&frame.rotation, &ground.0);
    let ground = Ground {
        pose,
        up,
        normal: ground.1.direction(ground.0),
        height: -up.dot(&frame.shift),
        margin,
    };
    match shape {
        Shape::Ball { radius } => ground.round(Vec3::zeros(), *radius, Feature::Round, out),
        Shape::Capsule { half_length, radius } => {
            ground.round(Vec3::new(0.0, 0.0, -half_length), *radius, Feature::Corner(0), out);
            ground.round(Vec3::new(0.0, 0.0, *half_length), *radius, Feature::Corner(1), out);
        }
        Shape::Cylinder { half_height, radius } => ground.cylinder(*half_height, *radius, out),
        Shape::Ellipsoid { semi_axes } => {
            ground.touch(support(semi_axes, &-ground.up), Feature::Round, out);
        }
        Shape::Polytope(polytope) => ground.polytope(polytope, out),
        Shape::HalfSpace { .. } | Shape::Mesh(_) | Shape::Compound(_) | Shape::Planar(_) => {}
    }
}

impl Ground<'_> {
    /// A point of the body's surface.
    fn touch(&self, x: Vec3, feature: Feature, out: &mut Vec<Touching>) {
        let gap = self.height + self.up.dot(&x);
        if gap <= self.margin {
            // On the ground, so that all contacts of a body with it lie in one plane.
            let point = self.pose.point(x - self.up * gap);
            out.push(Touching {
                point,
                normal: -self.normal,
                gap,
                feature: key(Feature::Face(0), feature),
            });
        }
    }

    /// The lowest point of a ball about a point of the body.
    fn round(&self, centre: Vec3, radius: f64, feature: Feature, out: &mut Vec<Touching>) {
        self.touch(centre - self.up * radius, feature, out);
    }

    fn polytope(&self, polytope: &Polytope, out: &mut Vec<Touching>) {
        for (v, &x) in polytope.vertices.iter().enumerate() {
            self.touch(x, Feature::Corner(v), out);
        }
    }

    /// The lowest point of each rim; where a whole rim is within the margin, eight fixed points of it as well. Elsewhere they would hinder a
    /// rolling cylinder, whose rim only passes through the lowest place.
    fn cylinder(&self, half_height: f64, radius: f64, out: &mut Vec<Touching>) {
        let slope = (self.up.x * self.up.x + self.up.y * self.up.y).sqrt();
        for (rim, z) in [-half_height, half_height].into_iter().enumerate() {
            let highest = self.height + self.up.z * z + slope * radius;
            let mut drop = f64::NEG_INFINITY;
            if highest <= self.margin {
                for (k, (x, y)) in RIM.into_iter().enumerate() {
                    self.touch(Vec3::new(radius * x, radius * y, z), Feature::Corner(8 * rim + k), out);
                    drop = drop.max(-(self.up.x * x + self.up.y * y));
                }
            }
            if slope > drop + LOWER_REL_TOL {
                let scale = radius / slope;
                self.touch(
                    Vec3::new(-self.up.x * scale, -self.up.y * scale, z),
                    Feature::Edge(rim, rim),
                    out,
                );
            }
        }
    }
}
