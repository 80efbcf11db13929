//! Pairs that more than one plane may keep apart within the step: the nonconvex groups of a world \[Egan III, VI, VII\].
//!
//! Two convex bodies are apart where some plane has them on either side: a face of one, or one through an edge of each. A body may leave any of
//! these half-spaces as long as it stays in another, so all of them that may hold at some time of the step are *sides* of one group, those
//! included that only limit another (the paper's Fig. 8). A pair with one such plane has plain contacts.

use super::feature::{Feature, key, within_parts};
use super::{Pose, Touching};
use crate::Vec3;
use crate::shape::Polytope;

/// Most sides of one corner; those that separate most are kept.
const MOST_SIDES: usize = 64;
/// Planes whose normals have a larger cosine (6°) are one as far as the need of a group is concerned: a box that lands nearly flat needs none.
pub(super) const SAME_PLANE_COSINE: f64 = 0.995;
/// A plane along the way whose normal has a larger cosine (1°) with that of another adds nothing to it.
const PASSED_PLANE_COSINE: f64 = 0.9998;
/// Planes whose normals differ by less are one.
const EQUAL_NORMALS_TOL: f64 = 1e-12;

/// A point over the plane of a side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SidePoint {
    /// The point and the plane's normal.
    pub touching: Touching,
    /// Over the face, or so near beside it that it may come there in the step. Others have to stay above the plane for the side to
    /// hold, but are not where the bodies touch.
    pub support: bool,
}

/// Corners of one pair of shapes, one after the other: points of sides, sides of corners.
#[derive(Debug, Clone, Default)]
pub struct CornerList {
    /// Whether corners are looked for; else every pair has plain contacts.
    pub wanted: bool,
    /// Points of all sides.
    pub points: Vec<SidePoint>,
    /// Where the points of each side end.
    pub side_end: Vec<usize>,
    /// Where the sides of each corner end.
    pub corner_end: Vec<usize>,
    /// Room for planes that may hold.
    pub(crate) planes: Vec<Plane>,
    /// Room for contacts of one side.
    pub(super) found: Vec<Touching>,
    /// Where b is a triangle of a mesh: planes beyond its ridges, and which faces of its prism lie within the ground, as bits.
    pub(super) beyond: Vec<Beyond>,
    pub(super) hidden: u32,
    /// How far a goes in the step, seen from b, if nothing stops them \[m\].
    pub drift: Vec3,
}

/// The plane of another triangle of a mesh; one whose triangle lies below it may keep bodies apart from it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beyond {
    /// Unit normal in the frame of the mesh.
    pub(super) normal: Vec3,
    /// normal · x of its points \[m\].
    pub(super) offset: f64,
    /// Corners of the triangle.
    pub(super) ring: [Vec3; 3],
    /// Its number.
    pub(super) triangle: usize,
}

impl Beyond {
    /// A point at a height over the plane, in the frame of the mesh, as a contact. It is where bodies touch if it is over the triangle, or as near
    /// beside it as the margin.
    pub(super) fn point(&self, x: Vec3, feature: Feature, pose: &Pose, margin: f64) -> Option<SidePoint> {
        let gap = self.normal.dot(&x) - self.offset;
        let beside = |i: usize| {
            let (u, v) = (self.ring[i], self.ring[(i + 1) % 3]);
            (v - u).cross(&self.normal).normalize().dot(&(x - u)) > margin
        };
        (gap <= margin).then(|| SidePoint {
            touching: Touching {
                point: pose.point(x - self.normal * gap),
                normal: pose.direction(self.normal),
                gap,
                feature: within_parts(key(feature, Feature::Face(0)), 1, self.triangle),
            },
            support: !(0..3).any(beside),
        })
    }
}

/// A plane that may keep two bodies apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plane {
    /// Distance of the bodies along it \[m\].
    pub(crate) distance: f64,
    /// Unit normal from b to a, in the world; in the plane with z = 0.
    pub(crate) normal: Vec3,
    pub(crate) source: Source,
}

/// What a plane belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A face of a.
    FaceOfA(usize),
    /// A face of b.
    FaceOfB(usize),
    /// A triangle beyond a ridge, by its place in the list.
    Beyond(usize),
    /// One that keeps the bodies apart all the way they go in the step.
    Swept,
    /// An edge of each, or the point of the other nearest to a round body.
    Between,
}

impl CornerList {
    /// Forgets the corners that were found.
    pub fn clear(&mut self) {
        self.points.clear();
        self.side_end.clear();
        self.corner_end.clear();
    }

    pub(crate) fn push(&mut self, touching: Touching, support: bool) {
        self.points.push(SidePoint { touching, support });
    }

    /// b is no triangle of a mesh any more.
    pub(super) fn forget_ground(&mut self) {
        self.wanted = false;
        self.beyond.clear();
        self.hidden = 0;
    }

    /// Corners of b that count: of a triangle of a mesh its own.
    pub(super) fn corners_of<'a>(&self, b: &'a Polytope) -> &'a [Vec3] {
        if self.hidden == 0 {
            &b.vertices
        } else {
            &b.vertices[..3]
        }
    }

    /// What a convex body sweeps on its way is convex: if it misses the other, one plane keeps them apart all the way. Where none of the planes
    /// does, the best of the candidates is added if it does; `distance` is that of the bodies now along a normal, as that of the planes
    /// to the middle of a ball of the radius. Planes and the way in one frame.
    pub(super) fn add_swept(
        &mut self,
        (drift, radius): (Vec3, f64),
        tolerance: f64,
        candidates: impl Iterator<Item = Vec3>,
        distance: impl Fn(&Vec3) -> f64,
    ) {
        let through = |now: f64, normal: &Vec3| now - radius + normal.dot(&drift).min(0.0);
        if drift == Vec3::zeros() || self.planes.iter().any(|p| through(p.distance, &p.normal) >= -tolerance) {
            return;
        }
        let mut best: Option<(f64, Plane)> = None;
        for normal in candidates.filter_map(|n| n.try_normalize(0.0)) {
            if self.planes.iter().any(|p| p.normal.dot(&normal) > PASSED_PLANE_COSINE) {
                continue;
            }
            let now = distance(&normal);
            let least = through(now, &normal);
            if least >= 0.0 && best.is_none_or(|(b, _)| least > b) {
                let plane = Plane {
                    distance: now,
                    normal,
                    source: Source::Swept,
                };
                best = Some((least, plane));
            }
        }
        self.planes.extend(best.map(|(_, plane)| plane));
    }

    /// Whether a face of b is one that bodies can meet.
    pub(super) fn is_open(&self, face: usize) -> bool {
        face >= 32 || self.hidden >> face & 1 == 0
    }

    /// Adds a point over the plane of a triangle beyond a ridge.
    pub(super) fn push_beyond(&mut self, i: usize, x: Vec3, feature: Feature, pose: &Pose, margin: f64) {
        self.points.extend(self.beyond[i].point(x, feature, pose, margin));
    }

    /// The points since the last side are one; none make none.
    pub(crate) fn end_side(&mut self) {
        if self.points.len() > self.side_end.last().copied().unwrap_or(0) {
            self.side_end.push(self.points.len());
        }
    }

    /// The sides since the last corner are one.
    pub(crate) fn end_corner(&mut self) {
        if self.side_end.len() > self.corner_end.last().copied().unwrap_or(0) {
            self.corner_end.push(self.side_end.len());
        }
    }

    /// Points from `first` on lie between part i of a and part j of b.
    pub(crate) fn rename(&mut self, first: usize, i: usize, j: usize) {
        for point in &mut self.points[first..] {
            point.touching.feature = within_parts(point.touching.feature, i, j);
        }
    }

    /// Points from `first` on, seen with a and b exchanged.
    pub(crate) fn flip(&mut self, first: usize) {
        for point in &mut self.points[first..] {
            point.touching = point.touching.flipped();
        }
    }

    /// Keeps one of planes that are the same, and those that separate most, the best first.
    pub(crate) fn sort_planes(&mut self) {
        // Stable, so that the order of features decides between equals.
        self.planes.sort_by(|p, q| q.distance.total_cmp(&p.distance));
        let mut kept = 0;
        for i in 0..self.planes.len() {
            let plane = self.planes[i];
            let differs = |p: &Plane| (p.normal - plane.normal).norm_squared() > EQUAL_NORMALS_TOL * EQUAL_NORMALS_TOL;
            if kept < MOST_SIDES && self.planes[..kept].iter().all(differs) {
                self.planes[kept] = plane;
                kept += 1;
            }
        }
        self.planes.truncate(kept);
    }

    /// Whether some plane is unlike the best.
    pub(crate) fn differ(&self) -> bool {
        let Some(best) = self.planes.first() else {
            return false;
        };
        self.planes
            .iter()
            .any(|p| p.normal.dot(&best.normal) < SAME_PLANE_COSINE)
    }
}

/// How far points reach along a direction \[m\].
pub(super) fn highest(points: &[Vec3], direction: &Vec3) -> f64 {
    points.iter().fold(f64::NEG_INFINITY, |m, v| m.max(v.dot(direction)))
}
