//! Ellipsoid against every bounded shape: one contact.
//!
//! All is seen from the ellipsoid. The other body is apart from it by the largest value over unit n of min n·x − |An|, x being points of that body. Of a polytope or a
//! capsule that lies at one of finitely many directions: across a face, square to an edge, or from a corner; each is a root of its own. No other direction can be larger, so
//! the largest of them is the answer. Rims of cylinders and other ellipsoids are searched by Newton's method.

use super::closest::Nearest;
use super::feature::{Feature, key};
use super::relative::{Relative, times, transposed_times};
use super::{Capsule, Cylinder, Pose, Touching, length_tolerance};
use crate::ellipsoid::{nearest, nearest_to_line, reach, support, widest_gap};
use crate::shape::{Face, Polytope};
use crate::{Mat3, Vec3};

/// A posed ellipsoid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ellipsoid<'a> {
    pub(super) semi_axes: Vec3,
    pub(super) pose: &'a Pose,
}

/// The widest gap so far, and its direction from the ellipsoid to the other body.
struct Widest {
    gap: f64,
    n: Vec3,
}

impl Widest {
    fn none() -> Self {
        Self {
            gap: f64::NEG_INFINITY,
            n: Vec3::z(),
        }
    }

    /// Takes a direction if the bodies are farther apart along it; whether they are.
    fn take(&mut self, gap: f64, n: Vec3) -> bool {
        let wider = gap > self.gap;
        if wider {
            *self = Self { gap, n };
        }
        wider
    }
}

impl Ellipsoid<'_> {
    /// The contact along a direction from the ellipsoid, as a of the pair.
    fn touch(&self, widest: &Widest, margin: f64, out: &mut Vec<Touching>) {
        if widest.gap > margin || !widest.gap.is_finite() {
            return;
        }
        let n = widest.n;
        // On the other surface, as of balls.
        let x = support(&self.semi_axes, &n) + widest.gap * n;
        out.push(Touching {
            point: self.pose.point(x),
            normal: -self.pose.direction(n),
            gap: widest.gap,
            // One contact a pair: its key outlives a change of the face that it rolls on.
            feature: key(Feature::Round, Feature::Round),
        });
    }

    fn size(&self) -> f64 {
        self.semi_axes.max()
    }
}

/// Ellipsoid against a ball about a point.
pub(super) fn ellipsoid_ball(a: Ellipsoid<'_>, b: (f64, Vec3), margin: f64, out: &mut Vec<Touching>) {
    let Nearest { distance, normal } = nearest(&a.semi_axes, a.pose.point_in_body(b.1));
    let widest = Widest {
        gap: distance - b.0,
        n: normal,
    };
    a.touch(&widest, margin, out);
}

/// Ellipsoid against a capsule.
pub(super) fn ellipsoid_capsule(a: Ellipsoid<'_>, b: Capsule<'_>, margin: f64, out: &mut Vec<Touching>) {
    let frame = Relative::of(b.pose, a.pose);
    let along = times(&frame.rotation, &Vec3::z());
    let ends = [-b.half_length, b.half_length].map(|z| frame.shift + z * along);
    let gap = |n: &Vec3| n.dot(&ends[0]).min(n.dot(&ends[1])) - reach(&a.semi_axes, n) - b.radius;
    let mut widest = Widest::none();
    let side = nearest_to_line(&a.semi_axes, frame.shift, along).normal;
    for n in [
        side,
        nearest(&a.semi_axes, ends[0]).normal,
        nearest(&a.semi_axes, ends[1]).normal,
    ] {
        widest.take(gap(&n), n);
    }
    a.touch(&widest, margin, out);
}

/// Ellipsoid against a cylinder.
pub(super) fn ellipsoid_cylinder(a: Ellipsoid<'_>, b: Cylinder<'_>, margin: f64, out: &mut Vec<Touching>) {
    let frame = Relative::of(b.pose, a.pose);
    let along = times(&frame.rotation, &Vec3::z());
    let gap = |n: &Vec3| {
        let z = n.dot(&along);
        let across = (n - z * along).norm();
        n.dot(&frame.shift) - b.half_height * z.abs() - b.radius * across - reach(&a.semi_axes, n)
    };
    let mut widest = Widest::none();
    let side = nearest_to_line(&a.semi_axes, frame.shift, along).normal;
    for n in [along, -along, side] {
        widest.take(gap(&n), n);
    }
    let disc = b.radius * b.radius * (Mat3::identity() - along * along.transpose());
    for z in [-b.half_height, b.half_height] {
        let rim = widest_gap(frame.shift + z * along, &[squares(&a.semi_axes), disc]).normal;
        widest.take(gap(&rim), rim);
    }
    a.touch(&widest, margin, out);
}

/// Two ellipsoids.
pub(super) fn ellipsoid_ellipsoid(a: Ellipsoid<'_>, b: Ellipsoid<'_>, margin: f64, out: &mut Vec<Touching>) {
    let frame = Relative::of(b.pose, a.pose);
    let other = frame.rotation * squares(&b.semi_axes) * frame.rotation.transpose();
    let Nearest { distance, normal } = widest_gap(frame.shift, &[squares(&a.semi_axes), other]);
    let widest = Widest {
        gap: distance,
        n: normal,
    };
    a.touch(&widest, margin, out);
}

fn squares(semi_axes: &Vec3) -> Mat3 {
    Mat3::from_diagonal(&semi_axes.component_mul(semi_axes))
}

/// Ellipsoid against a polytope.
pub(super) fn ellipsoid_polytope(a: Ellipsoid<'_>, b: (&Polytope, &Pose), margin: f64, out: &mut Vec<Touching>) {
    let (body, pose) = b;
    let frame = Relative::of(pose, a.pose);
    let tolerance = length_tolerance(a.size(), body.size);
    let (mut widest, mut top) = (Widest::none(), None);
    for face in &body.faces {
        let n = -times(&frame.rotation, &face.normal);
        let gap = n.dot(&frame.shift) - face.offset - reach(&a.semi_axes, &n);
        if widest.take(gap, n) {
            top = Some(face);
        }
    }
    if widest.gap > margin {
        return;
    }
    let Some(face) = top else { return };
    let lowest = transposed_times(&frame.rotation, &(support(&a.semi_axes, &widest.n) - frame.shift));
    if is_over(body, face, lowest, tolerance) {
        a.touch(&widest, margin, out);
        return;
    }
    // What touches beside the face, an edge or a corner, is nearer along another direction. Where there is none the face is the way out of an overlap, or nothing is near.
    let is_inside = |x: Vec3| {
        let heights = body.faces.iter().map(|face| face.normal.dot(&x) - face.offset);
        heights.fold(f64::NEG_INFINITY, f64::max) <= 0.0
    };
    let centre = -transposed_times(&frame.rotation, &frame.shift);
    let beside = over_edges(&a, (body, &frame), margin, &mut widest);
    if beside.is_wider || beside.overlaps || is_inside(lowest) || is_inside(centre) {
        a.touch(&widest, margin, out);
    }
}

/// What edges and corners say.
#[derive(Debug, Default)]
struct Beside {
    /// The bodies are farther apart along one of their directions than across any face.
    is_wider: bool,
    /// One of them reaches into the ellipsoid.
    overlaps: bool,
}

/// Whether a point is above a face, not beyond its sides.
fn is_over(body: &Polytope, face: &Face, x: Vec3, tolerance: f64) -> bool {
    let sides = face.sides.iter().zip(&face.corners);
    sides
        .into_iter()
        .all(|(side, corner)| side.dot(&(x - body.vertices[*corner])) <= tolerance)
}

/// Looks along the directions of edges and corners that the ellipsoid, larger by the margin, reaches.
fn over_edges(a: &Ellipsoid<'_>, (body, frame): (&Polytope, &Relative), margin: f64, widest: &mut Widest) -> Beside {
    // In units of the semi-axes the ellipsoid is a ball of radius 1, and the margin no more than this.
    let near = 1.0 + (margin.max(0.0) + length_tolerance(a.size(), body.size)) / a.semi_axes.min();
    let scaled = |x: Vec3| x.component_div(&a.semi_axes);
    let gap = |n: &Vec3| {
        let inner = transposed_times(&frame.rotation, n);
        n.dot(&frame.shift) - body.support(-inner) - reach(&a.semi_axes, n)
    };
    let mut found = Beside::default();
    for edge in &body.edges {
        let [p, q] = edge.ends.map(|v| frame.point(body.vertices[v]));
        let (from, to) = (scaled(p), scaled(q));
        let s = super::closest::on_segment(Vec3::zeros(), from, to - from);
        let distance = (from + s * (to - from)).norm();
        if distance > near {
            continue;
        }
        found.overlaps |= distance < 1.0;
        if let Some(along) = (q - p).try_normalize(0.0) {
            let n = nearest_to_line(&a.semi_axes, p, along).normal;
            found.is_wider |= widest.take(gap(&n), n);
        }
    }
    for corner in &body.vertices {
        let x = frame.point(*corner);
        if scaled(x).norm() <= near {
            let n = nearest(&a.semi_axes, x).normal;
            found.is_wider |= widest.take(gap(&n), n);
        }
    }
    found
}
