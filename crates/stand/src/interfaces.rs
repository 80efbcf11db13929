//! Blocks that touch, from their meshes: where two faces lie on each other, and the equilibrium of the blocks on these interfaces.
//!
//! Faces are cut into triangles, so that they may be concave. Two triangles of two blocks belong to an interface where their outward normals are opposite within an
//! angle, their planes are no farther apart than a gap, and they overlap, seen along the mean normal. Pieces of two blocks that lie in one plane are one interface;
//! its contacts are the corners of their convex hull: pressure that acts anywhere on the pieces has its resultant within it. Friction that turns on the spot is that
//! of the corners, an upper estimate.

use std::collections::BTreeMap;

use crate::equilibrium::{Equilibrium, norm};
use crate::error::StandError;

type Three = [f64; 3];

/// Lengths below this share of a block are none.
const NONE: f64 = 1e-12;
/// A mesh whose faces' areas do not cancel to this share of their sum is open.
const OPEN: f64 = 1e-6;

/// A block: a closed mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Name.
    pub name: String,
    /// Corners \[m\].
    pub vertices: Vec<Three>,
    /// Corners of each face in order, all counterclockwise or all clockwise seen from outside.
    pub faces: Vec<Vec<usize>>,
    /// Whether nothing moves it.
    pub is_support: bool,
}

/// What counts as an interface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    /// Largest distance of two faces, apart or into each other \[m\]. Default 1e-4.
    pub gap: f64,
    /// Least area of an interface \[m²\]. Default 1e-6.
    pub area: f64,
    /// Largest angle between two faces \[degrees\]. Default 1.
    pub angle: f64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self {
            gap: 1e-4,
            area: 1e-6,
            angle: 1.0,
        }
    }
}

/// Where two blocks touch.
#[derive(Debug, Clone, PartialEq)]
pub struct Interface {
    /// Blocks; the first is pushed along the normal.
    pub bodies: [usize; 2],
    /// Unit normal, from the second to the first.
    pub normal: Three,
    /// Corners, counterclockwise about the normal \[m\].
    pub points: Vec<Three>,
    /// Area of the pieces that touch; less than that of the polygon where it is not convex \[m²\].
    pub area: f64,
    /// Largest distance of its faces; negative where they reach into each other \[m\].
    pub gap: f64,
}

/// Blocks on their interfaces.
#[derive(Debug, Clone, PartialEq)]
pub struct Assembly {
    /// With a body a block and the contacts of one interface after the other, as many as it has points.
    pub whole: Equilibrium,
    /// Interfaces.
    pub interfaces: Vec<Interface>,
    /// Volumes of the blocks \[m³\].
    pub volumes: Vec<f64>,
}

/// A triangle of a block, counterclockwise seen from outside.
#[derive(Debug, Clone, Copy)]
struct Triangle {
    corners: [Three; 3],
    normal: Three,
}

/// What a block is made of.
#[derive(Debug, Clone)]
struct Solid {
    triangles: Vec<Triangle>,
    low: Three,
    high: Three,
    volume: f64,
    centre: Three,
    /// ∫ (x − c)(x − c)ᵀ dV.
    spread: [Three; 3],
}

/// Finds the interfaces of blocks.
///
/// # Errors
/// A block that is not a closed mesh; tolerances that are negative or not finite.
pub fn find(blocks: &[Block], tolerances: Tolerances) -> Result<Vec<Interface>, StandError> {
    let solids = solids(blocks)?;
    find_between(blocks, &solids, tolerances)
}

impl Assembly {
    /// Blocks of one density and one friction, under gravity.
    ///
    /// # Errors
    /// As [`find`]; a density that is not positive, friction that is negative or NaN.
    pub fn new(
        blocks: &[Block],
        tolerances: Tolerances,
        (density, friction): (f64, f64),
        gravity: Three,
    ) -> Result<Self, StandError> {
        if !(density.is_finite() && density > 0.0) {
            return Err(StandError::value("density", "must be finite and positive", density));
        }
        if friction.is_nan() || friction < 0.0 {
            return Err(StandError::value("friction", "must not be negative or NaN", friction));
        }
        let solids = solids(blocks)?;
        let interfaces = find_between(blocks, &solids, tolerances)?;
        let mut whole = Equilibrium::new(false, gravity);
        for (block, solid) in blocks.iter().zip(&solids) {
            add_solid(&mut whole, block, solid, density)?;
        }
        for interface in &interfaces {
            for point in &interface.points {
                whole.add_contact(interface.bodies, *point, interface.normal, friction)?;
            }
        }
        Ok(Self {
            whole,
            interfaces,
            volumes: solids.iter().map(|solid| solid.volume).collect(),
        })
    }
}

impl Equilibrium {
    /// Adds a block of one density; returns its index and its centre \[m\].
    ///
    /// # Errors
    /// A mesh that is not closed, a density that is not positive.
    pub fn add_block(&mut self, block: &Block, density: f64) -> Result<(usize, Three), StandError> {
        let solid = solid(&block.name, block)?;
        Ok((add_solid(self, block, &solid, density)?, solid.centre))
    }
}

fn add_solid(whole: &mut Equilibrium, block: &Block, solid: &Solid, density: f64) -> Result<usize, StandError> {
    if block.is_support {
        return Ok(whole.add_fixed(block.name.as_str()));
    }
    let spread = solid.spread;
    let trace = spread[0][0] + spread[1][1] + spread[2][2];
    let inertia =
        std::array::from_fn(|r| std::array::from_fn(|c| density * (if r == c { trace } else { 0.0 } - spread[r][c])));
    whole.add_body(block.name.as_str(), density * solid.volume, inertia, solid.centre)
}

fn find_between(blocks: &[Block], solids: &[Solid], tolerances: Tolerances) -> Result<Vec<Interface>, StandError> {
    let Tolerances { gap, area, angle } = tolerances;
    for (name, x, most) in [("gap", gap, f64::MAX), ("area", area, f64::MAX), ("angle", angle, 45.0)] {
        if !(x >= 0.0 && x <= most) {
            let requirement = if most < f64::MAX {
                "must be between 0 and 45"
            } else {
                "must be finite and not negative"
            };
            return Err(StandError::value(name, requirement, x));
        }
    }
    let mut found = Vec::new();
    for a in 0..blocks.len() {
        for b in a + 1..blocks.len() {
            let (p, q) = (&solids[a], &solids[b]);
            let apart = (0..3).any(|k| p.low[k] > q.high[k] + gap || q.low[k] > p.high[k] + gap);
            let are_supports = blocks[a].is_support && blocks[b].is_support;
            if !apart && !are_supports {
                between([a, b], [p, q], tolerances, &mut found);
            }
        }
    }
    Ok(found)
}

/// A piece where two triangles lie on each other.
struct Piece {
    normal: Three,
    points: Vec<Three>,
    area: f64,
    gap: f64,
}

fn between(bodies: [usize; 2], [p, q]: [&Solid; 2], tolerances: Tolerances, found: &mut Vec<Interface>) {
    let straight = libm::cos(tolerances.angle.to_radians());
    let mut groups: Vec<Piece> = Vec::new();
    for s in &p.triangles {
        for t in &q.triangles {
            if -dot(s.normal, t.normal) < straight {
                continue;
            }
            let Some(piece) = overlap(s, t, tolerances.gap) else {
                continue;
            };
            // In one plane with pieces that are there already, within the tolerances.
            let lies = |group: &&mut Piece| {
                let from = sub(piece.points[0], group.points[0]);
                dot(group.normal, piece.normal) >= straight
                    && dot(from, group.normal).abs() <= 2.0 * tolerances.gap + NONE * norm(from)
            };
            match groups.iter_mut().find(lies) {
                Some(group) => {
                    let sum = add(scaled(group.normal, group.area), scaled(piece.normal, piece.area));
                    group.normal = scaled(sum, 1.0 / norm(sum));
                    group.points.extend(piece.points);
                    group.area += piece.area;
                    group.gap = if piece.gap.abs() > group.gap.abs() {
                        piece.gap
                    } else {
                        group.gap
                    };
                }
                None => groups.push(piece),
            }
        }
    }
    for group in groups {
        let points = hull(&group.points, group.normal);
        if group.area >= tolerances.area && points.len() >= 3 {
            found.push(Interface {
                bodies,
                normal: group.normal,
                points,
                area: group.area,
                gap: group.gap,
            });
        }
    }
}

/// Where two triangles with opposite normals lie on each other; the normal is that of the second, towards the first.
fn overlap(s: &Triangle, t: &Triangle, gap: f64) -> Option<Piece> {
    let sum = sub(t.normal, s.normal);
    let normal = scaled(sum, 1.0 / norm(sum));
    let [x, y] = stiction_contact::tangents(normal);
    let origin = s.corners[0];
    let flat = |p: Three| [dot(sub(p, origin), x), dot(sub(p, origin), y)];
    let mut polygon: Vec<[f64; 2]> = t.corners.map(flat).to_vec();
    let mut clip = s.corners.map(flat);
    // Seen from the first block the other winds clockwise.
    clip.reverse();
    for k in 0..3 {
        polygon = clipped(&polygon, clip[k], clip[(k + 1) % 3]);
    }
    let area = 0.5 * shoelace(&polygon);
    let size = shoelace(&clip).abs().max(shoelace(&t.corners.map(flat)).abs());
    if polygon.len() < 3 || area <= NONE * size {
        return None;
    }
    // Height of a plane above the origin's at a place.
    let height = |triangle: &Triangle, at: [f64; 2]| {
        let place = add(origin, add(scaled(x, at[0]), scaled(y, at[1])));
        dot(sub(triangle.corners[0], place), triangle.normal) / dot(normal, triangle.normal)
    };
    let mut widest = 0.0_f64;
    let mut points = Vec::with_capacity(polygon.len());
    for at in &polygon {
        let [above, below] = [s, t].map(|triangle| height(triangle, *at));
        if (above - below).abs() > gap {
            return None;
        }
        widest = if (above - below).abs() > widest.abs() {
            above - below
        } else {
            widest
        };
        let place = add(origin, add(scaled(x, at[0]), scaled(y, at[1])));
        points.push(add(place, scaled(normal, 0.5 * (above + below))));
    }
    Some(Piece {
        normal,
        points,
        area,
        gap: widest,
    })
}

/// Part of a convex polygon on the left of a line \[Sutherland and Hodgman 1974\].
fn clipped(polygon: &[[f64; 2]], from: [f64; 2], to: [f64; 2]) -> Vec<[f64; 2]> {
    let side = |p: [f64; 2]| (to[0] - from[0]) * (p[1] - from[1]) - (to[1] - from[1]) * (p[0] - from[0]);
    let mut out = Vec::with_capacity(polygon.len() + 1);
    for (k, p) in polygon.iter().enumerate() {
        let q = polygon[(k + 1) % polygon.len()];
        let (a, b) = (side(*p), side(q));
        if a >= 0.0 {
            out.push(*p);
        }
        if (a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0) {
            let share = a / (a - b);
            out.push([p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])]);
        }
    }
    out
}

/// Twice the area of a polygon, positive where it winds counterclockwise.
fn shoelace(polygon: &[[f64; 2]]) -> f64 {
    let next = |k: usize| polygon[(k + 1) % polygon.len()];
    (0..polygon.len())
        .map(|k| polygon[k][0] * next(k)[1] - polygon[k][1] * next(k)[0])
        .sum()
}

/// Corners of the convex hull of points near a plane, counterclockwise about its normal, on their mean plane.
fn hull(points: &[Three], normal: Three) -> Vec<Three> {
    let [x, y] = stiction_contact::tangents(normal);
    let count = points.len().max(1) as f64;
    let mean = scaled(points.iter().fold([0.0; 3], |sum, p| add(sum, *p)), 1.0 / count);
    let flat = |p: &Three| [dot(sub(*p, mean), x), dot(sub(*p, mean), y)];
    let mut flat: Vec<[f64; 2]> = points.iter().map(flat).collect();
    flat.sort_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
    let extent = flat.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
    let turn = |o: [f64; 2], p: [f64; 2], q: [f64; 2]| (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
    // Andrew's monotone chain; points on a side, up to rounding, are skipped.
    let mut corners: Vec<[f64; 2]> = Vec::new();
    for pass in 0..2 {
        let begin = corners.len();
        for k in 0..flat.len() {
            let p = flat[if pass == 0 { k } else { flat.len() - 1 - k }];
            while corners.len() >= begin + 2
                && turn(corners[corners.len() - 2], corners[corners.len() - 1], p) <= 1e-9 * extent * extent
            {
                corners.pop();
            }
            corners.push(p);
        }
        corners.pop();
    }
    // Tangents of a normal are right-handed with it or not.
    if dot(cross(x, y), normal) < 0.0 {
        corners.reverse();
    }
    corners
        .iter()
        .map(|p| add(mean, add(scaled(x, p[0]), scaled(y, p[1]))))
        .collect()
}

fn solids(blocks: &[Block]) -> Result<Vec<Solid>, StandError> {
    blocks
        .iter()
        .enumerate()
        .map(|(k, block)| solid(&format!("blocks[{k}]"), block))
        .collect()
}

fn solid(field: &str, block: &Block) -> Result<Solid, StandError> {
    if let Some((k, x)) = block
        .vertices
        .iter()
        .enumerate()
        .find_map(|(k, p)| Some((k, p.iter().find(|x| !x.is_finite())?)))
    {
        return Err(StandError::value(format!("{field}.vertices[{k}]"), "must be finite", x));
    }
    let mut corners = closed_triangles(field, block)?;
    let origin = block.vertices.first().copied().unwrap_or_default();
    let total = corners
        .iter()
        .map(|t| dot(sub(t[0], origin), cross(sub(t[1], origin), sub(t[2], origin))) / 6.0)
        .sum::<f64>();
    if total < 0.0 {
        for triangle in &mut corners {
            triangle.swap(1, 2);
        }
    }
    let triangles: Vec<Triangle> = corners
        .iter()
        .filter_map(|t| {
            let area = cross(sub(t[1], t[0]), sub(t[2], t[0]));
            let length = norm(area);
            (length > 0.0).then(|| Triangle {
                corners: *t,
                normal: scaled(area, 1.0 / length),
            })
        })
        .collect();
    let bound = |pick: fn(f64, f64) -> f64, start: f64| {
        std::array::from_fn(|k| block.vertices.iter().fold(start, |m, p| pick(m, p[k])))
    };
    let (low, high): (Three, Three) = (bound(f64::min, f64::INFINITY), bound(f64::max, f64::NEG_INFINITY));
    let size = norm(sub(high, low));
    let volume = total.abs();
    if volume.is_nan() || volume <= OPEN * OPEN * size * size * size {
        return Err(StandError::value(
            format!("{field}.faces"),
            "must enclose a volume",
            volume,
        ));
    }
    let (centre, spread) = moments(&triangles, origin, volume);
    Ok(Solid {
        triangles,
        low,
        high,
        volume,
        centre,
        spread,
    })
}

/// The triangles of the faces of a block, whose edges must close.
fn closed_triangles(field: &str, block: &Block) -> Result<Vec<[Three; 3]>, StandError> {
    let mut edges: BTreeMap<[usize; 2], [usize; 2]> = BTreeMap::new();
    let mut corners: Vec<[Three; 3]> = Vec::new();
    for (f, face) in block.faces.iter().enumerate() {
        if let Some(k) = face.iter().find(|k| **k >= block.vertices.len()) {
            let requirement = format!("must be below {}", block.vertices.len());
            return Err(StandError::value(format!("{field}.faces[{f}]"), requirement, k));
        }
        if face.len() < 3 {
            return Err(StandError::value(
                format!("{field}.faces[{f}]"),
                "must have 3 corners at least",
                face.len(),
            ));
        }
        for k in 0..face.len() {
            let (from, to) = (face[k], face[(k + 1) % face.len()]);
            edges.entry([from.min(to), from.max(to)]).or_default()[usize::from(from > to)] += 1;
        }
        let points: Vec<Three> = face.iter().map(|k| block.vertices[*k]).collect();
        corners.extend(triangulated(&points));
    }
    if edges.values().any(|ways| *ways != [1, 1]) {
        let open = edges.values().filter(|ways| **ways != [1, 1]).count();
        let found = format!("{open} edges that are not");
        return Err(StandError::value(
            format!("{field}.faces"),
            "must be closed: each edge once in either direction",
            found,
        ));
    }
    Ok(corners)
}

/// Centre and ∫ (x − c)(x − c)ᵀ dV, as sums over tetrahedra with a common corner.
fn moments(triangles: &[Triangle], origin: Three, volume: f64) -> (Three, [Three; 3]) {
    let (mut first, mut second) = ([0.0; 3], [[0.0; 3]; 3]);
    for triangle in triangles {
        let [a, b, c] = triangle.corners.map(|p| sub(p, origin));
        let part = dot(a, cross(b, c)) / 6.0;
        let sum = add(a, add(b, c));
        for r in 0..3 {
            first[r] += part * sum[r] / 4.0;
            for s in 0..3 {
                // ∫ x xᵀ over a tetrahedron with a corner at the origin: V/20 (Σ pᵢpᵢᵀ + (Σp)(Σp)ᵀ).
                let squares = a[r] * a[s] + b[r] * b[s] + c[r] * c[s];
                second[r][s] += part / 20.0 * (squares + sum[r] * sum[s]);
            }
        }
    }
    let centre = scaled(first, 1.0 / volume);
    for r in 0..3 {
        for s in 0..3 {
            second[r][s] -= volume * centre[r] * centre[s];
        }
    }
    (add(origin, centre), second)
}

/// A face as triangles: ears are cut off, so that it may be concave.
fn triangulated(points: &[Three]) -> Vec<[Three; 3]> {
    // Newell's normal, also of a face that is not quite flat.
    let mut normal = [0.0; 3];
    for (k, p) in points.iter().enumerate() {
        let q = points[(k + 1) % points.len()];
        normal = add(normal, cross(sub(*p, points[0]), sub(q, points[0])));
    }
    let mut left: Vec<usize> = (0..points.len()).collect();
    let mut triangles = Vec::with_capacity(points.len());
    let turn = |a: usize, b: usize, c: usize| dot(cross(sub(points[b], points[a]), sub(points[c], points[a])), normal);
    while left.len() > 3 {
        let n = left.len();
        let is_ear = |k: &usize| {
            let [a, b, c] = [left[(k + n - 1) % n], left[*k], left[(k + 1) % n]];
            let inside = |p: usize| turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
            turn(a, b, c) > 0.0 && !left.iter().any(|p| ![a, b, c].contains(p) && inside(*p))
        };
        // A face that is wound about itself has no ear: any corner is cut then.
        let k = (0..n).find(is_ear).unwrap_or(0);
        triangles.push([left[(k + n - 1) % n], left[k], left[(k + 1) % n]].map(|p| points[p]));
        left.remove(k);
    }
    triangles.push([left[0], left[1], left[2]].map(|p| points[p]));
    triangles
}

fn dot(a: Three, b: Three) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Three, b: Three) -> Three {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn add(a: Three, b: Three) -> Three {
    std::array::from_fn(|k| a[k] + b[k])
}

fn sub(a: Three, b: Three) -> Three {
    std::array::from_fn(|k| a[k] - b[k])
}

fn scaled(a: Three, s: f64) -> Three {
    a.map(|x| s * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brick(name: &str, low: Three, high: Three, is_support: bool) -> Block {
        let corner = |k: usize| std::array::from_fn(|a| if k >> a & 1 == 1 { high[a] } else { low[a] });
        let faces = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        Block {
            name: name.to_owned(),
            vertices: (0..8).map(corner).collect(),
            faces: faces.iter().map(|face| face.to_vec()).collect(),
            is_support,
        }
    }

    #[test]
    fn two_bricks_touch_where_their_faces_overlap() {
        let blocks = [
            brick("ground", [-1.0, -1.0, -1.0], [1.0, 1.0, 0.0], true),
            brick("brick", [0.5, 0.0, 0.0], [1.5, 0.5, 0.2], false),
        ];
        let found = find(&blocks, Tolerances::default()).unwrap();
        assert_eq!(found.len(), 1);
        let interface = &found[0];
        assert_eq!(interface.bodies, [0, 1]);
        assert!(
            (interface.area - 0.25).abs() < 1e-12 && interface.gap == 0.0,
            "{interface:?}"
        );
        assert_eq!(interface.points.len(), 4);
        // From the brick to the ground: down.
        assert!((interface.normal[2] + 1.0).abs() < 1e-12);
        for p in &interface.points {
            assert!(
                (p[0] - 0.75).abs() - 0.25 < 1e-12 && (p[1] - 0.25).abs() - 0.25 < 1e-12 && p[2].abs() < 1e-12,
                "{p:?}"
            );
        }
    }

    #[test]
    fn gaps_areas_and_angles_beyond_the_tolerances_are_no_interfaces() {
        let blocks = |gap: f64| {
            [
                brick("ground", [-1.0, -1.0, -1.0], [1.0, 1.0, 0.0], true),
                brick("brick", [0.0, 0.0, gap], [0.5, 0.5, 0.2], false),
            ]
        };
        let count = |gap: f64, tolerances: Tolerances| find(&blocks(gap), tolerances).unwrap().len();
        let default = Tolerances::default();
        assert_eq!(
            (count(9e-5, default), count(-9e-5, default), count(2e-4, default)),
            (1, 1, 0)
        );
        assert_eq!(count(0.0, Tolerances { area: 0.3, ..default }), 0);
        let wrong = Tolerances { angle: 60.0, ..default };
        assert!(
            find(&blocks(0.0), wrong)
                .unwrap_err()
                .to_string()
                .contains("must be between 0 and 45")
        );
    }

    #[test]
    fn a_concave_block_has_an_interface_per_leg_plane_and_the_right_mass() {
        // A bridge: an upside-down U, its face in front concave, on a ground.
        let front = [
            [0.0, 0.0],
            [1.0, 0.0],
            [1.0, 2.0],
            [2.0, 2.0],
            [2.0, 0.0],
            [3.0, 0.0],
            [3.0, 3.0],
            [0.0, 3.0],
        ];
        let mut vertices: Vec<Three> = front.iter().map(|p| [p[0], 0.0, p[1]]).collect();
        vertices.extend(front.iter().map(|p| [p[0], 1.0, p[1]]));
        let n = front.len();
        let mut faces: Vec<Vec<usize>> = vec![(0..n).collect(), (n..2 * n).rev().collect()];
        faces.extend((0..n).map(|k| vec![(k + 1) % n, k, n + k, n + (k + 1) % n]));
        let bridge = Block {
            name: "bridge".into(),
            vertices,
            faces,
            is_support: false,
        };
        let blocks = [brick("ground", [-1.0, -1.0, -1.0], [4.0, 2.0, 0.0], true), bridge];
        let made = Assembly::new(&blocks, Tolerances::default(), (2.0, 0.5), [0.0, 0.0, -9.81]).unwrap();
        assert!((made.volumes[1] - 7.0).abs() < 1e-12);
        assert_eq!(made.whole.bodies()[0].mass, 14.0);
        // Both legs stand in one plane: one interface of their hull, with the area of the legs.
        assert_eq!(made.interfaces.len(), 1);
        assert!((made.interfaces[0].area - 2.0).abs() < 1e-12);
        assert_eq!(made.interfaces[0].points.len(), 4);
        assert_eq!(made.whole.contacts().len(), 4);
    }

    #[test]
    fn inertia_is_that_of_a_brick() {
        let blocks = [brick("brick", [1.0, 2.0, 3.0], [2.0, 4.0, 7.0], false)];
        let made = Assembly::new(&blocks, Tolerances::default(), (1.0, 0.5), [0.0, 0.0, -9.81]).unwrap();
        let body = &made.whole.bodies()[0];
        let expected = [
            8.0 * (4.0 + 16.0) / 12.0,
            8.0 * (1.0 + 16.0) / 12.0,
            8.0 * (1.0 + 4.0) / 12.0,
        ];
        for k in 0..3 {
            assert!(
                (body.mass_matrix[7 * (k + 3)] - expected[k]).abs() < 1e-10,
                "{:?}",
                body.mass_matrix
            );
        }
    }

    #[test]
    fn an_open_mesh_is_refused() {
        let mut block = brick("brick", [0.0; 3], [1.0; 3], false);
        block.faces.pop();
        let text = find(&[block], Tolerances::default()).unwrap_err().to_string();
        assert_eq!(
            text,
            "blocks[0].faces: must be closed: each edge once in either direction, found 4 edges that are not"
        );
    }
}
