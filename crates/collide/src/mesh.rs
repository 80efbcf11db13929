//! Static ground made of triangles.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::collision::Bounds;
use crate::shape::Polytope;
use crate::{Pose, Vec3};

/// Triangles in a leaf of the tree.
const LEAF_TRIANGLES: usize = 4;
/// Most triangles that meet in one side: each of them is compared with each other.
const MOST_AT_SIDE: usize = 1_000;
/// Neighbours that bend by less than this \[rad\] are flat.
const FLAT_ANGLE: f64 = 1e-9;
/// Normals closer than this are the same.
const EQUAL_NORMALS_TOL: f64 = 1e-9;
/// Normals whose cosine is less are not nearly parallel: that of a face that stands for an edge is larger.
const NEARLY_PARALLEL_COSINE: f64 = 0.99;

/// Why triangles make no ground.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// No triangle at all.
    #[error("a mesh needs at least one triangle")]
    Empty,
    /// A corner number beyond the corners.
    #[error("triangle {triangle} names corner {corner}, but there are {count}")]
    NoSuchCorner {
        /// Number of the triangle.
        triangle: usize,
        /// Corner it names.
        corner: usize,
        /// Number of corners.
        count: usize,
    },
    /// A coordinate is infinite or not a number.
    #[error("corner {index} is not finite")]
    NotFinite {
        /// Its number.
        index: usize,
    },
    /// A triangle without an area.
    #[error("triangle {triangle} has no area")]
    NoArea {
        /// Its number.
        triangle: usize,
    },
    /// More triangles meet in one side than can be compared with each other.
    #[error("the side between corners {} and {} must belong to at most {MOST_AT_SIDE} different triangles, found {count}", .corners[0], .corners[1])]
    CrowdedSide {
        /// Numbers of its ends.
        corners: [usize; 2],
        /// Number of triangles there.
        count: usize,
    },
    /// A height map with fewer than two rows or columns, or a wrong number of heights.
    #[error("a height map of {columns} x {rows} needs at least 2 x 2 and one height each, found {found}")]
    Heights {
        /// Columns, along x.
        columns: usize,
        /// Rows, along y.
        rows: usize,
        /// Heights given.
        found: usize,
    },
}

/// A surface of triangles, solid on the side their normals look away from.
///
/// Each triangle is the top of a prism that reaches down by the length of the longest side, so that a body that has sunk in is pushed out
/// again. Edges between triangles that lie flat or form a valley make no contacts of their own. Equal triangles count once.
#[derive(Debug, Clone, PartialEq)]
pub struct TriangleMesh {
    pub(crate) pieces: Vec<Piece>,
    /// Unit vectors along the sides that leave each corner, one corner after the other, and where those of a corner end.
    fans: Vec<Vec3>,
    fan_end: Vec<usize>,
    tree: Vec<Node>,
    order: Vec<usize>,
    bounds: Bounds,
}

/// From each side of a triangle, towards the far corner beyond it; none at the rim.
type Across = [Option<Vec3>; 3];

/// One triangle.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Piece {
    /// The prism below it; face 0 is the triangle.
    pub(crate) solid: Polytope,
    /// Least cosine between the triangle's normal and those of its ridges; 1 if it has none.
    pub(crate) least_cosine: f64,
    /// Numbers of its corners.
    corners: [usize; 3],
    /// From each side, towards the far corner of the triangle beyond it; none at the rim. Of several the one that rises most.
    across: Across,
    bounds: Bounds,
}

/// A node of the tree: its bounds, and either two children (the second given, the first next in line) or a range of the order.
#[derive(Debug, Clone, PartialEq)]
struct Node {
    bounds: Bounds,
    first: usize,
    /// Triangles in a leaf, 0 in an inner node.
    count: usize,
}

impl Piece {
    /// Faces of the prism that lie within the ground, as bits: the bottom, and the sides that another triangle shares.
    pub(crate) fn hidden_faces(&self) -> u32 {
        let side = |i: usize| u32::from(self.across[i].is_some()) << (1 + i);
        side(0) | side(1) | side(2) | 1 << 4
    }
}

impl TriangleMesh {
    /// From corners \[m\] and triangles, counterclockwise seen from outside.
    ///
    /// # Errors
    /// If there is no triangle, one has no area or names a corner that is not there, a corner is not finite, or more than 1,000 different
    /// triangles meet in one side.
    pub fn new(corners: &[Vec3], triangles: &[[usize; 3]]) -> Result<Self, MeshError> {
        if triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        if let Some(index) = corners.iter().position(|c| !c.iter().all(|x| x.is_finite())) {
            return Err(MeshError::NotFinite { index });
        }
        let count = corners.len();
        for (triangle, ring) in triangles.iter().enumerate() {
            if let Some(&corner) = ring.iter().find(|&&c| c >= count) {
                return Err(MeshError::NoSuchCorner {
                    triangle,
                    corner,
                    count,
                });
            }
        }
        let triangles = &different(triangles);
        let side = |t: &[usize; 3]| {
            (0..3)
                .map(|i| (corners[t[(i + 1) % 3]] - corners[t[i]]).norm())
                .fold(0.0, f64::max)
        };
        let depth = triangles.iter().map(side).fold(0.0, f64::max);
        let mut normals = Vec::with_capacity(triangles.len());
        for (triangle, t) in triangles.iter().enumerate() {
            let area = (corners[t[1]] - corners[t[0]]).cross(&(corners[t[2]] - corners[t[0]]));
            if area.norm() <= FLAT_ANGLE * side(t) * side(t) {
                return Err(MeshError::NoArea { triangle });
            }
            normals.push(area.normalize());
        }
        let (cosines, across) = ridges(corners, triangles, &normals)?;
        let (fans, fan_end) = fans(corners, triangles);
        let pieces: Vec<Piece> = (0..triangles.len())
            .map(|k| {
                let solid = prism_below(triangles[k].map(|c| corners[c]), normals[k], depth);
                let (low, high) = (solid.vertices[0], solid.vertices[0]);
                let bounds = solid.vertices.iter().fold(Bounds { low, high }, |b, v| Bounds {
                    low: b.low.inf(v),
                    high: b.high.sup(v),
                });
                Piece {
                    solid,
                    least_cosine: cosines[k],
                    corners: triangles[k],
                    across: across[k],
                    bounds,
                }
            })
            .collect();
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        let mut tree = Vec::new();
        grow(&pieces, &mut order, 0, &mut tree);
        let bounds = tree[0].bounds;
        Ok(Self {
            pieces,
            fans,
            fan_end,
            tree,
            order,
            bounds,
        })
    }

    /// The prism below each triangle, in the order of the triangles; face 0 is the triangle.
    pub fn prisms(&self) -> impl Iterator<Item = &Polytope> {
        self.pieces.iter().map(|piece| &piece.solid)
    }

    /// Ground over a grid in the plane z = 0 about the origin: `heights` \[m\] row by row (x first), spacing \[m\] in x and y.
    ///
    /// # Errors
    /// With fewer than two rows or columns, a wrong number of heights, or one that is not finite.
    pub fn height_map(columns: usize, rows: usize, spacing: (f64, f64), heights: &[f64]) -> Result<Self, MeshError> {
        if columns < 2 || rows < 2 || columns.checked_mul(rows) != Some(heights.len()) {
            return Err(MeshError::Heights {
                columns,
                rows,
                found: heights.len(),
            });
        }
        let middle = |n: usize| (n - 1) as f64 / 2.0;
        let corner = |k: usize| {
            let (i, j) = (k % columns, k / columns);
            Vec3::new(
                (i as f64 - middle(columns)) * spacing.0,
                (j as f64 - middle(rows)) * spacing.1,
                heights[k],
            )
        };
        let corners: Vec<Vec3> = (0..heights.len()).map(corner).collect();
        let mut triangles = Vec::new();
        for j in 0..rows - 1 {
            for i in 0..columns - 1 {
                let k = j * columns + i;
                triangles.push([k, k + 1, k + columns + 1]);
                triangles.push([k, k + columns + 1, k + columns]);
            }
        }
        Self::new(&corners, &triangles)
    }

    /// Whether a normal, in the frame of the mesh, can be that of a contact with a triangle: its own; over a side, one that does not lean into
    /// the triangle beyond; over a corner, one that leans along none of the sides there. So no side within flat or hollow ground is met.
    pub(crate) fn admits(&self, triangle: usize, normal: &Vec3) -> bool {
        let piece = &self.pieces[triangle];
        let own = &piece.solid.faces[0].normal;
        // Near 1 the cosine is blind; the difference of the normals is not.
        let leaning = normal - own * normal.dot(own);
        let lean = leaning.norm();
        if lean <= EQUAL_NORMALS_TOL && normal.dot(own) > 0.0 {
            return true;
        }
        if piece.least_cosine == 1.0 || normal.dot(own) < piece.least_cosine - EQUAL_NORMALS_TOL {
            return false;
        }
        let side = |i: usize| &piece.solid.faces[1 + i % 3].normal;
        let along = |i: usize| side(i).dot(&leaning) >= (1.0 - EQUAL_NORMALS_TOL) * lean;
        if let Some(i) = (0..3).find(|i| along(*i)) {
            return piece.across[i].is_none_or(|d| normal.dot(&d) <= EQUAL_NORMALS_TOL);
        }
        // Between the normals of two sides: corner i + 1 ends side i and begins the next.
        let turns = |p: &Vec3, q: &Vec3| p.cross(q).dot(own) > 0.0;
        let Some(i) = (0..3).find(|i| turns(side(*i), &leaning) && turns(&leaning, side(i + 1))) else {
            return false;
        };
        let corner = piece.corners[(i + 1) % 3];
        let start = if corner == 0 { 0 } else { self.fan_end[corner - 1] };
        self.fans[start..self.fan_end[corner]]
            .iter()
            .all(|d| normal.dot(d) <= EQUAL_NORMALS_TOL)
    }

    /// Where a nearly parallel normal that does not lean along the side may stand for one that a triangle does not admit: a face that lies on a
    /// ridge, or nearly so, meets it square to the ridge. `near` is how far the point may be from the side.
    pub(crate) fn squared(&self, triangle: usize, normal: &Vec3, point: &Vec3, near: f64) -> Option<Vec3> {
        let solid = &self.pieces[triangle].solid;
        let own = &solid.faces[0].normal;
        let mut best: Option<(f64, Vec3)> = None;
        for i in 0..3 {
            let along = own.cross(&solid.faces[1 + i].normal);
            let away = point - solid.vertices[i];
            let square = (normal - along * normal.dot(&along)).normalize();
            let cosine = square.dot(normal);
            let is_near = (away - along * away.dot(&along)).norm() <= near;
            if is_near && cosine > best.map_or(NEARLY_PARALLEL_COSINE, |(c, _)| c) && self.admits(triangle, &square) {
                best = Some((cosine, square));
            }
        }
        best.map(|(_, square)| square)
    }

    /// Bounds in a pose.
    #[must_use]
    pub fn bounds(&self, pose: &Pose) -> Bounds {
        let (middle, half) = (
            (self.bounds.low + self.bounds.high) / 2.0,
            (self.bounds.high - self.bounds.low) / 2.0,
        );
        let reach = pose.rotation.to_rotation_matrix().into_inner().abs() * half;
        let centre = pose.point(middle);
        Bounds {
            low: centre - reach,
            high: centre + reach,
        }
    }

    /// Calls back with triangles whose bounds a ray meets within its reach; each answer is the reach from then on.
    pub(crate) fn along(&self, origin: &Vec3, direction: &Vec3, reach: f64, mut visit: impl FnMut(usize) -> f64) {
        let mut reach = reach;
        let meets = |bounds: &Bounds, reach: f64| {
            let (mut enter, mut leave) = (0.0_f64, reach);
            for k in 0..3 {
                if direction[k] == 0.0 {
                    if origin[k] < bounds.low[k] || origin[k] > bounds.high[k] {
                        return false;
                    }
                    continue;
                }
                let (p, q) = (
                    (bounds.low[k] - origin[k]) / direction[k],
                    (bounds.high[k] - origin[k]) / direction[k],
                );
                // Rounding must not lose a triangle that lies in the bounds' own plane.
                let slack = 1e-12 * p.abs().max(q.abs());
                (enter, leave) = (enter.max(p.min(q) - slack), leave.min(p.max(q) + slack));
            }
            enter <= leave
        };
        let mut stack = [0_usize; 64];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let at = stack[depth];
            let node = &self.tree[at];
            if !meets(&node.bounds, reach) {
                continue;
            }
            if node.count == 0 {
                (stack[depth], stack[depth + 1]) = (node.first, at + 1);
                depth += 2;
            } else {
                for &k in &self.order[node.first..node.first + node.count] {
                    reach = visit(k);
                }
            }
        }
    }

    /// Calls back with triangles that may be nearest to something within bounds; each answer is the least distance so far. Triangles whose
    /// bounds are farther are skipped.
    pub(crate) fn nearest(&self, bounds: &Bounds, mut visit: impl FnMut(usize) -> f64) {
        let mut least = f64::INFINITY;
        let apart = |other: &Bounds| {
            let gap = (bounds.low - other.high).sup(&(other.low - bounds.high));
            gap.sup(&Vec3::zeros()).norm()
        };
        let mut stack = [0_usize; 64];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let at = stack[depth];
            let node = &self.tree[at];
            if apart(&node.bounds) > least.max(0.0) {
                continue;
            }
            if node.count == 0 {
                // The nearer child is looked at first.
                let (near, far) = (at + 1, node.first);
                let swap = apart(&self.tree[far].bounds) < apart(&self.tree[near].bounds);
                (stack[depth], stack[depth + 1]) = if swap { (near, far) } else { (far, near) };
                depth += 2;
            } else {
                for &k in &self.order[node.first..node.first + node.count] {
                    least = visit(k);
                }
            }
        }
    }

    /// Calls back with every triangle whose bounds meet these, in a fixed order.
    pub(crate) fn near(&self, bounds: &Bounds, mut visit: impl FnMut(usize)) {
        // The tree halves the triangles: 64 levels are never reached.
        let mut stack = [0_usize; 64];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let at = stack[depth];
            let node = &self.tree[at];
            if !node.bounds.meets(bounds) {
                continue;
            }
            if node.count == 0 {
                stack[depth] = node.first;
                stack[depth + 1] = at + 1;
                depth += 2;
            } else {
                let leaf = &self.order[node.first..node.first + node.count];
                leaf.iter()
                    .filter(|&&k| self.pieces[k].bounds.meets(bounds))
                    .for_each(|&k| visit(k));
            }
        }
    }
}

/// The triangles without those that name the same corners in the same sense as an earlier one.
fn different(triangles: &[[usize; 3]]) -> Vec<[usize; 3]> {
    let mut known = BTreeSet::new();
    let from_least = |&[a, b, c]: &[usize; 3]| {
        if a <= b.min(c) {
            [a, b, c]
        } else if b <= c {
            [b, c, a]
        } else {
            [c, a, b]
        }
    };
    let is_new = |t: &&[usize; 3]| known.insert(from_least(t));
    triangles.iter().filter(is_new).copied().collect()
}

/// Least cosine between each triangle's normal and those beyond its ridges, and from each of its sides towards the far corner beyond. An open
/// side bends by up to a right angle.
fn ridges(corners: &[Vec3], triangles: &[[usize; 3]], normals: &[Vec3]) -> Result<(Vec<f64>, Vec<Across>), MeshError> {
    let mut sides: Vec<(usize, usize, usize, usize)> = Vec::new();
    for (k, t) in triangles.iter().enumerate() {
        for i in 0..3 {
            let (u, v) = (t[i], t[(i + 1) % 3]);
            sides.push((u.min(v), u.max(v), k, i));
        }
    }
    sides.sort_unstable();
    let mut cosines = vec![1.0_f64; triangles.len()];
    let mut across = vec![[None; 3]; triangles.len()];
    for group in sides.chunk_by(|s, t| (s.0, s.1) == (t.0, t.1)) {
        if group.len() > MOST_AT_SIDE {
            return Err(MeshError::CrowdedSide {
                corners: [group[0].0, group[0].1],
                count: group.len(),
            });
        }
        if let [(_, _, k, _)] = group {
            cosines[*k] = cosines[*k].min(0.0);
        }
        for (u, _, k, i) in group {
            let mut rises = f64::NEG_INFINITY;
            for (_, _, l, j) in group.iter().filter(|side| side.2 != *k) {
                let d = (corners[triangles[*l][(j + 2) % 3]] - corners[*u]).normalize();
                let rise = normals[*k].dot(&d);
                if rise < -FLAT_ANGLE {
                    cosines[*k] = cosines[*k].min(normals[*k].dot(&normals[*l]));
                }
                if rise > rises {
                    (rises, across[*k][*i]) = (rise, Some(d));
                }
            }
        }
    }
    Ok((cosines, across))
}

/// Unit vectors from each corner along the sides that meet there, and where those of each corner end.
fn fans(corners: &[Vec3], triangles: &[[usize; 3]]) -> (Vec<Vec3>, Vec<usize>) {
    let mut sides: Vec<(usize, usize)> = Vec::new();
    for t in triangles {
        for i in 0..3 {
            let (u, v) = (t[i], t[(i + 1) % 3]);
            sides.extend([(u, v), (v, u)]);
        }
    }
    sides.sort_unstable();
    sides.dedup();
    let fans = sides
        .iter()
        .map(|(u, v)| (corners[*v] - corners[*u]).normalize())
        .collect();
    let end = (0..corners.len())
        .map(|c| sides.partition_point(|(u, _)| *u <= c))
        .collect();
    (fans, end)
}

/// The prism of a triangle, downwards; face 0 is the triangle.
fn prism_below(t: [Vec3; 3], normal: Vec3, depth: f64) -> Polytope {
    let vertices: Vec<Vec3> = t.into_iter().chain(t.map(|c| c - normal * depth)).collect();
    let mut faces = vec![(normal, normal.dot(&t[0]), vec![0, 1, 2])];
    for i in 0..3 {
        let j = (i + 1) % 3;
        let side = (t[j] - t[i]).cross(&normal).normalize();
        faces.push((side, side.dot(&t[i]), vec![i, i + 3, j + 3, j]));
    }
    faces.push((-normal, depth - normal.dot(&t[0]), vec![3, 5, 4]));
    Polytope::from_faces(vertices, faces)
}

/// Builds the tree below a range of the order that starts at `first`; nodes in the order of a walk.
fn grow(pieces: &[Piece], order: &mut [usize], first: usize, tree: &mut Vec<Node>) {
    let join = |a: Bounds, b: Bounds| Bounds {
        low: a.low.inf(&b.low),
        high: a.high.sup(&b.high),
    };
    let all = order.iter().map(|&k| pieces[k].bounds).reduce(join);
    let Some(bounds) = all else { return };
    let at = tree.len();
    tree.push(Node {
        bounds,
        first,
        count: order.len(),
    });
    if order.len() <= LEAF_TRIANGLES {
        return;
    }
    let axis = (bounds.high - bounds.low).imax();
    let middle = |k: usize| pieces[k].bounds.low[axis] + pieces[k].bounds.high[axis];
    order.sort_unstable_by(|&k, &l| middle(k).total_cmp(&middle(l)).then(k.cmp(&l)));
    let half = order.len() / 2;
    let (low, high) = order.split_at_mut(half);
    grow(pieces, low, first, tree);
    let second = tree.len();
    grow(pieces, high, first + half, tree);
    tree[at].first = second;
    tree[at].count = 0;
}
