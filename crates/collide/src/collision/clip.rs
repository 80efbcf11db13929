//! The contact polygon of two faces: the incident face cut to the outline of the reference face, seen along the reference normal.

use super::feature::{Feature, key};
use super::relative::{Relative, transposed_times};
use super::{Pose, Touching};
use crate::Vec3;
use crate::shape::{Face, Polytope};

/// A side of the cut polygon.
#[derive(Debug, Clone, Copy)]
enum Side {
    /// Side i of the incident face.
    Incident(usize),
    /// Side i of the reference face.
    Reference(usize),
}

/// How a corner of the cut polygon came about.
#[derive(Debug, Clone, Copy)]
enum Origin {
    /// Corner of the incident body, by its number in the body.
    Corner(usize),
    /// A side cut by a side of the reference face.
    Cut(Side, usize),
}

#[derive(Debug, Clone, Copy)]
struct Point {
    /// In the frame of the reference body \[m\].
    x: Vec3,
    origin: Origin,
    /// The polygon's side from here to the next point.
    side: Side,
}

/// Room for the polygon before and after a cut.
#[derive(Debug, Clone, Default)]
pub(super) struct Clip {
    polygon: Vec<Point>,
    next: Vec<Point>,
    /// Whether the last contacts lie on the surface of a, or on that of b; none for a crossing of edges, midway between both.
    pub(super) on_a: Option<bool>,
}

/// The body whose face is cut against, and the one that is cut.
pub(super) struct Pair<'a> {
    pub(super) reference: &'a Polytope,
    pub(super) incident: &'a Polytope,
    /// Frame of the incident body seen from the reference body.
    pub(super) incident_in_reference: Relative,
    /// Pose of the reference body.
    pub(super) pose: &'a Pose,
    /// The reference body is a of the pair.
    pub(super) reference_is_a: bool,
    /// Points farther apart than this are skipped \[m\].
    pub(super) margin: f64,
    /// Lengths below this are rounding \[m\].
    pub(super) tolerance: f64,
    /// The outline of the face is taken this much wider \[m\]; then a polygon beside the face counts too.
    pub(super) wider: f64,
}

/// All points where the incident body faces this face within the margin; their number.
pub(super) fn face_contacts(pair: &Pair, face: usize, clip: &mut Clip, out: &mut Vec<Touching>) -> usize {
    clip.on_a = Some(pair.reference_is_a);
    let reference = &pair.reference.faces[face];
    let frame = &pair.incident_in_reference;
    // Height over the face of a point of the incident body, in that body's frame: direction · x − level.
    let direction = transposed_times(&frame.rotation, &reference.normal);
    let level = reference.offset - reference.normal.dot(&frame.shift);
    let incident_face = most_opposed(pair.incident, &direction);
    let incident = &pair.incident.faces[incident_face];

    clip.polygon.clear();
    clip.polygon
        .extend(incident.corners.iter().enumerate().map(|(i, &v)| Point {
            x: frame.point(pair.incident.vertices[v]),
            origin: Origin::Corner(v),
            side: Side::Incident(i),
        }));
    for side in 0..reference.sides.len() {
        clip.cut(pair.reference, reference, side, (pair.tolerance, pair.wider));
    }
    let passes = pair.wider == 0.0 && on_one_side(clip, pair.reference, reference, pair.tolerance);
    if clip.polygon.is_empty() || passes {
        return 0;
    }
    let emit = Emit {
        pair,
        face,
        normal: pair.pose.direction(reference.normal),
        start: out.len(),
    };
    for point in &clip.polygon {
        let gap = reference.normal.dot(&point.x) - reference.offset;
        emit.push(point.x, gap, pair.features(face, incident_face, point.origin), out);
    }
    // Corners of neighbouring faces that come within the margin too: a rolling polytope stands on them next.
    for (v, x) in pair.incident.vertices.iter().enumerate() {
        let gap = direction.dot(x) - level;
        if gap <= pair.margin && !incident.corners.contains(&v) {
            let x = frame.point(*x);
            if contains(pair.reference, reference, &x, pair.tolerance + pair.wider) {
                emit.push(x, gap, (Feature::Face(face), Feature::Corner(v)), out);
            }
        }
    }
    out.len() - emit.start
}

/// Of the faces at the corner lowest along a direction of the body, the one that looks most against it. In a box that is the one that does so
/// among all; in other polytopes that one may lie far from the lowest corner.
fn most_opposed(body: &Polytope, direction: &Vec3) -> usize {
    let lowest = if body.half_sides.is_some() {
        None
    } else {
        lowest_corner(body, direction)
    };
    let mut best = (f64::INFINITY, 0);
    for (f, face) in body.faces.iter().enumerate() {
        let cosine = face.normal.dot(direction);
        if cosine < best.0 && lowest.is_none_or(|v| face.corners.contains(&v)) {
            best = (cosine, f);
        }
    }
    best.1
}

fn lowest_corner(body: &Polytope, direction: &Vec3) -> Option<usize> {
    let heights = body.vertices.iter().map(|v| v.dot(direction));
    heights.enumerate().min_by(|p, q| p.1.total_cmp(&q.1)).map(|(v, _)| v)
}

/// How far a point lies beyond a side of a face.
fn beyond(body: &Polytope, face: &Face, side: usize, x: &Vec3) -> f64 {
    face.sides[side].dot(&(x - body.vertices[face.corners[side]]))
}

pub(super) fn contains(body: &Polytope, face: &Face, x: &Vec3, tolerance: f64) -> bool {
    (0..face.sides.len()).all(|side| beyond(body, face, side, x) <= tolerance)
}

/// The polygon has shrunk to a stretch of one side of the face: the bodies pass each other there, edge by edge.
fn on_one_side(clip: &Clip, body: &Polytope, face: &Face, tolerance: f64) -> bool {
    (0..face.sides.len()).any(|side| {
        clip.polygon
            .iter()
            .all(|p| beyond(body, face, side, &p.x) >= -tolerance)
    })
}

impl Clip {
    /// Cuts off what lies beyond a side of the reference face (Sutherland and Hodgman). A corner within tolerance of the side is kept as it
    /// is and takes the place of the cut, so that aligned faces lose and double no corner.
    fn cut(&mut self, body: &Polytope, face: &Face, side: usize, (tolerance, wider): (f64, f64)) {
        let Self { polygon, next, .. } = self;
        let beyond = |x: &Vec3| beyond(body, face, side, x) - wider;
        if polygon.iter().all(|p| beyond(&p.x) <= tolerance) {
            return;
        }
        next.clear();
        let count = polygon.len();
        let mut at = polygon.first().map_or(0.0, |p| beyond(&p.x));
        for i in 0..count {
            let p = polygon[i];
            let q = polygon[(i + 1) % count];
            let then = beyond(&q.x);
            let cut = |side_after| Point {
                x: p.x + (q.x - p.x) * (at / (at - then)),
                origin: Origin::Cut(p.side, side),
                side: side_after,
            };
            if at <= tolerance {
                let leaves = at >= -tolerance && then > tolerance;
                next.push(if leaves {
                    Point {
                        side: Side::Reference(side),
                        ..p
                    }
                } else {
                    p
                });
            }
            if at < -tolerance && then > tolerance {
                next.push(cut(Side::Reference(side)));
            } else if at > tolerance && then < -tolerance {
                next.push(cut(p.side));
            }
            at = then;
        }
        std::mem::swap(polygon, next);
    }
}

impl Pair<'_> {
    /// Features of the reference body and of the incident body that meet at a corner of the polygon.
    fn features(&self, face: usize, incident_face: usize, origin: Origin) -> (Feature, Feature) {
        let ends = |body: &Polytope, face: usize, side: usize| {
            let ring = &body.faces[face].corners;
            (ring[side], ring[(side + 1) % ring.len()])
        };
        match origin {
            Origin::Corner(v) => (Feature::Face(face), Feature::Corner(v)),
            Origin::Cut(Side::Incident(i), j) => {
                let (r, s) = ends(self.reference, face, j);
                let (u, v) = ends(self.incident, incident_face, i);
                (Feature::Edge(r, s), Feature::Edge(u, v))
            }
            Origin::Cut(Side::Reference(i), j) => {
                let ((r, s), (t, u)) = (ends(self.reference, face, i), ends(self.reference, face, j));
                let corner = match (s == t, r == u) {
                    (true, _) => Feature::Corner(s),
                    (_, true) => Feature::Corner(r),
                    _ => Feature::Sides(i, j),
                };
                (corner, Feature::Face(incident_face))
            }
        }
    }
}

/// Writes contacts out.
struct Emit<'a, 'b> {
    pair: &'a Pair<'b>,
    face: usize,
    /// Reference normal in the world.
    normal: Vec3,
    /// Where this pair's contacts begin.
    start: usize,
}

impl Emit<'_, '_> {
    /// A point of the incident body at a height over the reference face; skipped beyond the margin, or where one was written already.
    fn push(&self, x: Vec3, gap: f64, features: (Feature, Feature), out: &mut Vec<Touching>) {
        let pair = self.pair;
        if gap > pair.margin {
            return;
        }
        let face_normal = &pair.reference.faces[self.face].normal;
        // On the face: heights that differ by the gaps would make contacts that are redundant except for 1e-8, which no solver likes.
        let point = pair.pose.point(x - face_normal * gap);
        let near = |t: &Touching| (t.point - point).norm_squared() <= pair.tolerance * pair.tolerance;
        if out[self.start..].iter().any(near) {
            return;
        }
        let (reference, incident) = features;
        let (normal, feature) = if pair.reference_is_a {
            (-self.normal, key(reference, incident))
        } else {
            (self.normal, key(incident, reference))
        };
        out.push(Touching {
            point,
            normal,
            gap,
            feature,
        });
    }
}
