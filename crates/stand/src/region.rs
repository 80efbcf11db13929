//! Regions: all (λ₁, λ₂) for which forces balance w + λ₁d₁ + λ₂d₂, a convex set, between a polygon inside, whose corners have proved forces, and one around it, whose
//! edges are proved by mechanisms (T. Bretl and S. Lall, Testing static equilibrium for legged robots, 2008).

use serde_json::{Value, json};

use crate::equilibrium::Equilibrium;
use crate::existence::{Balanced, Existence, existence};
use crate::existence::{given_limits, wide_limits};
use crate::explosion::{SelfStress, self_stress, shifted};
use crate::margin::WITHIN as WITHIN_MARGIN;
use crate::program::{Cones, Ending, Forces, Velocities};
use crate::proof::forces::{LoadAt, check_forces, settle};
use crate::proof::mechanism::{Limits, check_support};

/// Farther than this counts as without end.
const ENDLESS: f64 = 1e4;
/// Directions to begin with.
const FIRST: usize = 4;
/// Programs at the most: a disc takes some 130 until the polygons agree.
const MOST: usize = 160;
/// The two polygons shall agree to this, relative to the size of the region.
const CLOSE: f64 = 1e-3;
const MIXES: [f64; 6] = [0.0, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3];

/// A corner of the inner polygon.
#[derive(Debug, Clone, PartialEq)]
pub struct Corner {
    /// (λ₁, λ₂) with proved forces.
    pub at: [f64; 2],
    /// The forces.
    pub forces: Forces,
}

/// An edge of the outer polygon: normal · λ ≤ offset for all λ with forces.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// Outward normal of length 1.
    pub normal: [f64; 2],
    /// Offset.
    pub offset: f64,
    /// The mechanism that proves it.
    pub mechanism: Vec<f64>,
    /// Limits on forces under which it does.
    pub limits: Limits,
}

/// A region of loads between two proved polygons.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// What λ₁ and λ₂ are along, as directions in space where they are accelerations.
    pub axes: [[f64; 3]; 2],
    /// Corners of the inner polygon, counterclockwise.
    pub inner: Vec<Corner>,
    /// Edges of the outer polygon.
    pub outer: Vec<Edge>,
    /// Programs that were solved.
    pub programs: usize,
}

impl Region {
    /// The largest circle about zero with forces in it, and the least distance at which there are none: both proved. Infinite where nothing bounds it.
    #[must_use]
    pub fn radius(&self) -> [f64; 2] {
        let corners: Vec<[f64; 2]> = self.inner.iter().map(|corner| corner.at).collect();
        let offsets: Vec<f64> = self.outer.iter().map(|edge| edge.offset).collect();
        radii(&corners, &offsets)
    }

    /// Area of the inner polygon.
    #[must_use]
    pub fn area(&self) -> f64 {
        let at = |k: usize| self.inner[k % self.inner.len()].at;
        let cross = |k: usize| at(k)[0] * at(k + 1)[1] - at(k)[1] * at(k + 1)[0];
        0.5 * (0..self.inner.len()).map(cross).sum::<f64>()
    }

    /// Corners of the outer polygon, counterclockwise.
    #[must_use]
    pub fn outer_corners(&self) -> Vec<[f64; 2]> {
        corners_of(self.outer.iter().map(|edge| (edge.normal, edge.offset)).collect())
    }

    pub(crate) fn json(&self, whole: &Equilibrium) -> Value {
        let [low, high] = self.radius();
        json!({
            "axes": self.axes,
            "radius": { "low": low, "high": if high.is_finite() { json!(high) } else { Value::Null } },
            "inner": self.inner.iter().map(|corner| json!({
                "at": corner.at,
                "forces": { "contacts": corner.forces.contacts, "rows": corner.forces.rows },
            })).collect::<Vec<_>>(),
            "outer": self.outer.iter().map(|edge| json!({
                "normal": edge.normal,
                "offset": edge.offset,
                "velocity": crate::report::by_bodies(whole, &edge.mechanism),
                "limits": {
                    "contact": if edge.limits.contact.is_finite() { json!(edge.limits.contact) } else { Value::Null },
                    "joint": if edge.limits.joint.is_finite() { json!(edge.limits.joint) } else { Value::Null },
                },
            })).collect::<Vec<_>>(),
            "outer_corners": self.outer_corners(),
        })
    }
}

/// Corners of the polygon that lies within edges, normals and offsets, counterclockwise.
pub(crate) fn corners_of(mut edges: Vec<([f64; 2], f64)>) -> Vec<[f64; 2]> {
    edges.sort_by(|a, b| angle(a.0).total_cmp(&angle(b.0)));
    let mut corners = Vec::new();
    for (k, (a, p)) in edges.iter().enumerate() {
        let (b, q) = edges[(k + 1) % edges.len()];
        let det = a[0] * b[1] - a[1] * b[0];
        if det.abs() > 1e-12 {
            corners.push([(p * b[1] - q * a[1]) / det, (a[0] * q - b[0] * p) / det]);
        }
    }
    corners
}

/// The largest circle about zero within corners that go round counterclockwise, and the least offset of edges.
pub(crate) fn radii(corners: &[[f64; 2]], offsets: &[f64]) -> [f64; 2] {
    let mut low = f64::INFINITY;
    for (k, p) in corners.iter().enumerate() {
        let q = corners[(k + 1) % corners.len()];
        let along = [q[0] - p[0], q[1] - p[1]];
        let length = libm::hypot(along[0], along[1]);
        if length > 0.0 {
            // Distance of zero from the edge, positive inside.
            low = low.min((p[0] * along[1] - p[1] * along[0]) / length);
        }
    }
    let high = offsets.iter().fold(f64::INFINITY, |m, offset| m.min(*offset));
    [if low.is_finite() { low.max(0.0) } else { 0.0 }, high]
}

fn angle([x, y]: [f64; 2]) -> f64 {
    libm::atan2(y, x)
}

/// The region of accelerations (λ₁, λ₂) g along two axes under which forces exist: tilt in any direction.
#[must_use]
pub fn lean_region(whole: &Equilibrium, axes: [[f64; 3]; 2]) -> Region {
    let directions = axes.map(|axis| whole.lean(axis));
    region(whole, axes, [&directions[0], &directions[1]])
}

/// The region of (λ₁, λ₂) with forces for w + λ₁d₁ + λ₂d₂.
#[must_use]
pub fn region(whole: &Equilibrium, axes: [[f64; 3]; 2], directions: [&[f64]; 2]) -> Region {
    let mut region = Region {
        axes,
        inner: Vec::new(),
        outer: Vec::new(),
        programs: 0,
    };
    let inner = match existence(whole) {
        Existence::Forces(balanced) => Some(balanced),
        _ => None,
    };
    let explosion = match self_stress(whole) {
        SelfStress::None(velocity) => Some(velocity),
        _ => None,
    };
    let known = (inner.as_ref(), explosion.as_deref());
    for k in 0..FIRST {
        let turn = std::f64::consts::TAU * k as f64 / FIRST as f64;
        support(
            whole,
            directions,
            [libm::cos(turn), libm::sin(turn)],
            known,
            &mut region,
        );
    }
    while region.programs < MOST {
        let Some(normal) = widest(&region) else { break };
        let before = (region.inner.len(), region.outer.len());
        support(whole, directions, normal, known, &mut region);
        if before == (region.inner.len(), region.outer.len()) {
            break;
        }
    }
    region
}

/// The outward normal of the inner edge that the outer polygon leaves most room beyond.
fn widest(region: &Region) -> Option<[f64; 2]> {
    let corners: Vec<[f64; 2]> = region.inner.iter().map(|corner| corner.at).collect();
    let outer = region.outer_corners();
    let size = corners.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut best = (CLOSE * size, None);
    for (k, p) in corners.iter().enumerate() {
        let q = corners[(k + 1) % corners.len()];
        let along = [q[0] - p[0], q[1] - p[1]];
        let length = libm::hypot(along[0], along[1]);
        if length <= 1e-9 * size {
            continue;
        }
        let normal = [along[1] / length, -along[0] / length];
        let beyond = |c: &[f64; 2]| normal[0] * (c[0] - p[0]) + normal[1] * (c[1] - p[1]);
        // Corners of the outer polygon over this edge.
        let over = |c: &&[f64; 2]| {
            let t = ((c[0] - p[0]) * along[0] + (c[1] - p[1]) * along[1]) / (length * length);
            (-0.5..=1.5).contains(&t)
        };
        let room = outer.iter().filter(over).map(beyond).fold(0.0_f64, f64::max);
        let is_new = region
            .outer
            .iter()
            .all(|edge| normal[0] * edge.normal[0] + normal[1] * edge.normal[1] < 1.0 - 1e-10);
        if room > best.0 && is_new {
            best = (room, Some(normal));
        }
    }
    best.1
}

/// max c·λ: a corner and an edge.
fn support(
    whole: &Equilibrium,
    directions: [&[f64]; 2],
    normal: [f64; 2],
    (inner, explosion): (Option<&Balanced>, Option<&[f64]>),
    region: &mut Region,
) {
    region.programs += 1;
    // min −w·v with d₁·v = c₁, d₂·v = c₂; the size of λ is bounded so that the program is.
    let cones = Cones {
        limited: Some(WITHIN_MARGIN),
        ..Cones::default()
    };
    let mut program = Velocities::new(whole, &cones);
    program.set_load(whole.load());
    let mut places = [0; 2];
    for k in 0..2 {
        let slack = [0, 1].map(|_| program.rows.add_unknown(ENDLESS));
        for unknown in slack {
            program.rows.row([(unknown, -1.0)], 0.0);
        }
        program.rows.are_not_negative(2);
        places[k] = program.rows.next();
        let entries = program.along(directions[k]).into_iter().map(|(at, d)| (at, -d));
        program
            .rows
            .row(entries.chain([(slack[0], -1.0), (slack[1], 1.0)]), -normal[k]);
        program.rows.are_zero(1);
    }
    let found = program.rows.solve();
    if found.ending != Ending::Solved {
        return;
    }
    let at = places.map(|place| found.z[place]);
    let is_endless = at.iter().any(|x| x.abs() > 0.5 * ENDLESS);
    let forces = program.forces(&found.z);
    for theta in MIXES {
        let Some(inner) = inner else { break };
        let lambda = at.map(|x| (1.0 - theta) * x);
        let direction: Vec<f64> = directions[0]
            .iter()
            .zip(directions[1])
            .map(|(a, b)| lambda[0] * a + lambda[1] * b)
            .collect();
        let load = LoadAt {
            lambda: 1.0,
            direction: &direction,
        };
        let mixed = forces.mixed(&inner.forces, theta);
        let Some(settled) = settle(whole, load, &mixed) else {
            continue;
        };
        if check_forces(whole, load, &settled).is_ok() {
            insert(
                &mut region.inner,
                Corner {
                    at: lambda,
                    forces: settled,
                },
            );
            break;
        }
    }
    if is_endless {
        return;
    }
    let velocity = program.velocities(&found.x);
    for limits in [given_limits(whole), wide_limits(whole)] {
        let accept = |v: &[f64]| check_support(whole, directions, v, limits).is_ok();
        let candidate = if accept(&velocity) {
            Some(velocity.clone())
        } else {
            explosion.and_then(|explosion| shifted(whole, &velocity, explosion, accept))
        };
        if let Some(mechanism) = candidate
            && let Ok((normal, offset)) = check_support(whole, directions, &mechanism, limits)
        {
            region.outer.push(Edge {
                normal,
                offset,
                mechanism,
                limits,
            });
            break;
        }
    }
}

/// Keeps the corners convex and counterclockwise.
fn insert(corners: &mut Vec<Corner>, corner: Corner) {
    corners.push(corner);
    corners.sort_by(|a, b| {
        (a.at[0], a.at[1])
            .partial_cmp(&(b.at[0], b.at[1]))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    corners.dedup_by(|a, b| libm::hypot(a.at[0] - b.at[0], a.at[1] - b.at[1]) <= 1e-12);
    let cross = |o: &Corner, a: &Corner, b: &Corner| {
        (a.at[0] - o.at[0]) * (b.at[1] - o.at[1]) - (a.at[1] - o.at[1]) * (b.at[0] - o.at[0])
    };
    // Andrew's monotone chain.
    let chain = |list: &mut dyn Iterator<Item = &Corner>| {
        let mut hull: Vec<Corner> = Vec::new();
        for corner in list {
            while hull.len() >= 2 && cross(&hull[hull.len() - 2], &hull[hull.len() - 1], corner) <= 0.0 {
                hull.pop();
            }
            hull.push(corner.clone());
        }
        hull
    };
    if corners.len() > 2 {
        let (mut lower, mut upper) = (chain(&mut corners.iter()), chain(&mut corners.iter().rev()));
        lower.pop();
        upper.pop();
        lower.extend(upper);
        *corners = lower;
    }
}
