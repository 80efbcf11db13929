//! The separating axis test between two convex polytopes.
//!
//! The distance of the bodies along an axis is largest, up to sign, along the normal of a facet of their Minkowski difference: a face of a, a
//! face of b, or the cross product of an edge of a and one of b whose arcs on the Gauss map cross (Gregorius, GDC 2013). All of it in the frame of a.

use super::relative::{Relative, times, transposed_times};
use crate::Vec3;
use crate::shape::Polytope;

/// Edges whose directions make an angle below this \[rad\] span no axis worth having: faces speak for them.
const PARALLEL_EDGES_ANGLE: f64 = 1e-7;

/// Room for b's parts in the frame of a.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    vertices: Vec<Vec3>,
    normals: Vec<Vec3>,
    /// Edges of each body that may face the other.
    edges_a: Vec<usize>,
    edges_b: Vec<usize>,
    /// Products of one edge of a with the normals of b.
    against: Vec<f64>,
    /// Distances along the normals of faces, of polytopes that are not both boxes.
    pub(super) along_a: Vec<f64>,
    pub(super) along_b: Vec<f64>,
}

/// The best axes of each kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Separation {
    /// Distance \[m\] along the best face normal of a, and that face.
    pub(super) face_a: (f64, usize),
    /// Distance \[m\] along the best face normal of b, and that face.
    pub(super) face_b: (f64, usize),
    /// The best pair of edges that are not parallel; of boxes only if it is better than the faces.
    pub(super) edges: Option<EdgeAxis>,
}

impl Separation {
    /// Distance along the best axis \[m\].
    pub(super) fn distance(&self) -> f64 {
        let face = self.face_a.0.max(self.face_b.0);
        self.edges.map_or(face, |edges| face.max(edges.distance))
    }
}

/// A pair of edges that faces each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeAxis {
    /// Distance along the axis \[m\].
    pub(super) distance: f64,
    /// Unit axis from a to b.
    pub(super) axis: Vec3,
    /// Ends of the edge of a.
    pub(super) a: [usize; 2],
    /// Ends of the edge of b.
    pub(super) b: [usize; 2],
}

/// The best axes, or none if some axis separates the bodies by more than the margin. Lengths below the tolerance are rounding.
pub(super) fn separation(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Relative,
    (margin, tolerance): (f64, f64),
    scratch: &mut Scratch,
) -> Option<Separation> {
    match (a.half_sides, b.half_sides) {
        (Some(half_a), Some(half_b)) => of_boxes(half_a, half_b, b_in_a, margin, tolerance),
        _ => of_polytopes(a, b, b_in_a, margin, scratch),
    }
}

/// Distances of boxes along the normals of their faces that look at each other.
pub(super) fn box_faces(half_a: Vec3, half_b: Vec3, b_in_a: &Relative) -> [(f64, usize); 6] {
    let (r, p) = (&b_in_a.rotation, &b_in_a.shift);
    let r_abs = r.abs();
    let p_b = transposed_times(r, p);
    let along_a = p.abs() - half_a - times(&r_abs, &half_b);
    let along_b = p_b.abs() - half_b - transposed_times(&r_abs, &half_a);
    let of_a = |i: usize| (along_a[i], 2 * i + usize::from(p[i] > 0.0));
    let of_b = |j: usize| (along_b[j], 2 * j + usize::from(p_b[j] < 0.0));
    [of_a(0), of_a(1), of_a(2), of_b(0), of_b(1), of_b(2)]
}

/// Fifteen axes, each judged by half sides.
fn of_boxes(half_a: Vec3, half_b: Vec3, b_in_a: &Relative, margin: f64, tolerance: f64) -> Option<Separation> {
    let (r, p) = (&b_in_a.rotation, &b_in_a.shift);
    let r_abs = r.abs();
    let p_b = transposed_times(r, p);
    let along_a = p.abs() - half_a - times(&r_abs, &half_b);
    let along_b = p_b.abs() - half_b - transposed_times(&r_abs, &half_a);
    let (i, j) = (along_a.imax(), along_b.imax());
    if along_a[i] > margin || along_b[j] > margin {
        return None;
    }
    let face = along_a[i].max(along_b[j]);
    let mut best: Option<(f64, usize, usize)> = None;
    let mut level = face;
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            // e_i × r_j has components −r_2j and r_1j along the other two axes of a.
            let squared = r[(i1, j)] * r[(i1, j)] + r[(i2, j)] * r[(i2, j)];
            let reach_a = half_a[i1] * r_abs[(i2, j)] + half_a[i2] * r_abs[(i1, j)];
            let reach_b = half_b[j1] * r_abs[(i, j2)] + half_b[j2] * r_abs[(i, j1)];
            let scaled = (p[i2] * r[(i1, j)] - p[i1] * r[(i2, j)]).abs() - reach_a - reach_b;
            // The axis has a length of at most 1: most are no better than the best so far without taking a root.
            let better = if level < 0.0 {
                scaled > level
            } else {
                scaled > 0.0 && scaled * scaled > level * level * squared
            };
            if !better || squared < PARALLEL_EDGES_ANGLE * PARALLEL_EDGES_ANGLE {
                continue;
            }
            let distance = scaled / squared.sqrt();
            if distance > margin {
                return None;
            }
            if distance > level {
                level = distance;
                best = Some((distance, i, j));
            }
        }
    }
    // An axis no better than a face is not worth its edges.
    let best = best.filter(|(distance, _, _)| *distance > face + tolerance);
    Some(Separation {
        face_a: (along_a[i], 2 * i + usize::from(p[i] > 0.0)),
        face_b: (along_b[j], 2 * j + usize::from(p_b[j] < 0.0)),
        edges: best.map(|(distance, i, j)| box_edges(distance, i, j, b_in_a)),
    })
}

/// The edges of two boxes that face each other across e_i × r_j.
fn box_edges(distance: f64, i: usize, j: usize, b_in_a: &Relative) -> EdgeAxis {
    let (r, p) = (&b_in_a.rotation, &b_in_a.shift);
    let mut axis = Vec3::zeros();
    axis[i] = 1.0;
    axis = axis.cross(&r.column(j).into_owned()).normalize();
    if axis.dot(p) < 0.0 {
        axis = -axis;
    }
    let in_b = -transposed_times(r, &axis);
    let edge = |direction: &Vec3, along: usize| {
        let low = (0..3)
            .filter(|&k| k != along && direction[k] > 0.0)
            .map(|k| 1 << k)
            .sum::<usize>();
        [low, low | 1 << along]
    };
    EdgeAxis {
        distance,
        axis,
        a: edge(&axis, i),
        b: edge(&in_b, j),
    }
}

fn of_polytopes(
    a: &Polytope,
    b: &Polytope,
    b_in_a: &Relative,
    margin: f64,
    scratch: &mut Scratch,
) -> Option<Separation> {
    scratch.along_a.clear();
    scratch.along_b.clear();
    scratch.vertices.clear();
    scratch.vertices.extend(b.vertices.iter().map(|&v| b_in_a.point(v)));
    scratch.normals.clear();
    scratch
        .normals
        .extend(b.faces.iter().map(|f| times(&b_in_a.rotation, &f.normal)));

    let mut face_a = (f64::NEG_INFINITY, 0);
    for (f, face) in a.faces.iter().enumerate() {
        let distance = lowest(&scratch.vertices, &face.normal) - face.offset;
        scratch.along_a.push(distance);
        if distance > face_a.0 {
            face_a = (distance, f);
        }
        if distance > margin {
            return None;
        }
    }
    let mut face_b = (f64::NEG_INFINITY, 0);
    for (f, face) in b.faces.iter().enumerate() {
        let normal = &scratch.normals[f];
        let distance = lowest(&a.vertices, normal) - (face.offset + normal.dot(&b_in_a.shift));
        scratch.along_b.push(distance);
        if distance > face_b.0 {
            face_b = (distance, f);
        }
        if distance > margin {
            return None;
        }
    }
    select_edges(a, b, b_in_a, face_a.0.max(face_b.0), scratch);
    let edges = edge_axis(a, b, scratch);
    let apart = edges.is_some_and(|e| e.distance > margin);
    (!apart).then_some(Separation { face_a, face_b, edges })
}

/// Edges that can be better than the faces. Along an axis n the distance is at most n·d − inner_a − inner_b, with d from centre to centre and the
/// radii of the balls that fit around the centres: an edge whose two faces look away from the other body is out, unless the overlap is deep.
fn select_edges(a: &Polytope, b: &Polytope, b_in_a: &Relative, level: f64, scratch: &mut Scratch) {
    let inner = |p: &Polytope| {
        p.faces
            .iter()
            .map(|f| f.offset - f.normal.dot(&p.centre))
            .fold(f64::INFINITY, f64::min)
    };
    let deep = level < -(inner(a) + inner(b));
    let d = b_in_a.point(b.centre) - a.centre;
    let Scratch {
        normals,
        edges_a,
        edges_b,
        ..
    } = scratch;
    edges_a.clear();
    edges_a.extend(
        (0..a.edges.len()).filter(|&e| deep || a.edges[e].faces.iter().any(|&f| a.faces[f].normal.dot(&d) > 0.0)),
    );
    edges_b.clear();
    edges_b.extend((0..b.edges.len()).filter(|&e| deep || b.edges[e].faces.iter().any(|&f| normals[f].dot(&d) < 0.0)));
}

fn lowest(points: &[Vec3], direction: &Vec3) -> f64 {
    points.iter().map(|v| v.dot(direction)).fold(f64::INFINITY, f64::min)
}

/// The pair of edges with the largest distance among those that make a facet of the Minkowski difference.
fn edge_axis(a: &Polytope, b: &Polytope, in_a: &mut Scratch) -> Option<EdgeAxis> {
    let mut best: Option<EdgeAxis> = None;
    let mut against = std::mem::take(&mut in_a.against);
    for edge_a in in_a.edges_a.iter().map(|&e| &a.edges[e]) {
        let from_a = a.vertices[edge_a.ends[0]];
        let along_a = a.vertices[edge_a.ends[1]] - from_a;
        let (n0, n1) = (&a.faces[edge_a.faces[0]].normal, &a.faces[edge_a.faces[1]].normal);
        // A face has several edges: its product once.
        against.clear();
        against.extend(in_a.normals.iter().map(|normal| -normal.dot(&along_a)));
        for edge_b in in_a.edges_b.iter().map(|&e| &b.edges[e]) {
            let (c, d) = (against[edge_b.faces[0]], against[edge_b.faces[1]]);
            if c * d >= 0.0 {
                continue;
            }
            let from_b = in_a.vertices[edge_b.ends[0]];
            let along_b = in_a.vertices[edge_b.ends[1]] - from_b;
            let (e, f) = (n0.dot(&along_b), n1.dot(&along_b));
            // The arcs n0–n1 and m0–m1 cross: the ends of each lie on either side of the other, in the same hemisphere.
            if e * f >= 0.0 || c * f <= 0.0 {
                continue;
            }
            let cross = along_a.cross(&along_b);
            let length = cross.norm();
            if length <= PARALLEL_EDGES_ANGLE * along_a.norm() * along_b.norm() {
                continue;
            }
            let axis = if cross.dot(&(n0 + n1)) < 0.0 {
                cross / -length
            } else {
                cross / length
            };
            let distance = axis.dot(&(from_b - from_a));
            if best.is_none_or(|b| distance > b.distance) {
                best = Some(EdgeAxis {
                    distance,
                    axis,
                    a: edge_a.ends,
                    b: edge_b.ends,
                });
            }
        }
    }
    in_a.against = against;
    best
}
