//! Grasps and stances: how hard fingers must squeeze, whether they hold against any load, how well, and over which ground the centre of mass may be.
//!
//! Fingers command their force, so that forces that exist are enough.

use crate::equilibrium::Equilibrium;
use crate::error::StandError;
use crate::program::{Cones, Ending, Forces, Velocities};
use crate::proof::forces::{LoadAt, check_forces, settle};
use crate::region::{Region, region};

/// Most points that a hull of wrenches is made of.
const MOST_POINTS: usize = 4_000;
/// The bracket of a quality is closed to this, relative.
const CLOSED: f64 = 1e-3;
/// A point this far beyond a facet, relative to the largest wrench, is outside of it.
const OUTSIDE: f64 = 1e-10;
/// Bounds of velocities that are tried in turn.
const BOUNDS: [f64; 3] = [1e3, 1e5, 1e7];
/// Least eigenvalue of GGᵀ, relative to its trace, of contacts that can make every wrench.
const FULL_RANK: f64 = 1e-10;

/// A squeeze that holds a load.
#[derive(Debug, Clone, PartialEq)]
pub struct Squeeze {
    /// Least force with which the hardest finger must press \[N\].
    pub force: f64,
    /// Forces of the contacts.
    pub forces: Forces,
    /// The motion that decides: with less, the load would drive it.
    pub mechanism: Vec<f64>,
}

/// The least F such that forces balance the load and no finger presses with more than F. Each finger is a list of contacts; contacts of none press as they like. `None` where
/// no squeeze is enough, or the program failed.
#[must_use]
pub fn least_squeeze(whole: &Equilibrium, fingers: &[Vec<usize>]) -> Option<Squeeze> {
    // min −w·v with (u_n + p_f, μu_t) in the cone, Σp ≤ 1, p ≥ 0: the multiplier of the sum is F.
    let mut finger_of = vec![None; whole.contacts().len()];
    for (k, finger) in fingers.iter().enumerate() {
        for j in finger {
            finger_of[*j] = Some(k);
        }
    }
    let first = whole.load().len();
    let cones = Cones {
        fingers: &finger_of,
        finger_count: fingers.len(),
        limited: Some(1.0),
        ..Cones::default()
    };
    let mut program = Velocities::new(whole, &cones);
    program.set_load(whole.load());
    for k in 0..fingers.len() {
        program.rows.row([(first + k, -1.0)], 0.0);
    }
    program.rows.are_not_negative(fingers.len());
    let place = program.rows.next();
    program.rows.row((0..fingers.len()).map(|k| (first + k, 1.0)), 1.0);
    program.rows.are_not_negative(1);
    let found = program.rows.solve();
    if found.ending != Ending::Solved {
        return None;
    }
    Some(Squeeze {
        force: found.z[place] * program.scale.load,
        forces: program.forces(&found.z),
        mechanism: program.velocities(&found.x),
    })
}

/// Whether contacts hold against every load: they can make every wrench, and forces inside their cones cancel, proved.
#[must_use]
pub fn force_closure(whole: &Equilibrium) -> bool {
    if !has_full_rank(whole) {
        return false;
    }
    let free = whole.with_load(vec![0.0; whole.load().len()]);
    // A motion that is barely held needs wide bounds before it shows.
    for most in BOUNDS {
        let Some((opening, forces)) = opening(&free, most) else {
            return false;
        };
        if opening < 0.5 {
            return false;
        }
        let settled = settle(&free, LoadAt::ITSELF, &forces);
        let proof = settled.and_then(|forces| check_forces(&free, LoadAt::ITSELF, &forces).ok());
        // Contacts that carry can take every load, and others only add to that.
        if proof.is_some_and(|proof| proof.takes_every_load) {
            return true;
        }
    }
    false
}

/// min t with Σu_n + t = 1, t ≥ 0 and u ∈ K*: forces deep in their cones that cancel exist where t = 1 is the least. Velocities that open nothing are bounded, so that the program is. With it the
/// forces.
fn opening(free: &Equilibrium, most: f64) -> Option<(f64, Forces)> {
    let mut program = Velocities::new(free, &Cones::default());
    let t = program.rows.add_unknown(1.0);
    program.rows.row([(t, -1.0)], 0.0);
    program.rows.are_not_negative(1);
    let mut sums = vec![0.0; free.load().len()];
    for j in 0..free.contacts().len() {
        for (at, x) in program.column(j, 0) {
            sums[at] += x;
        }
    }
    let place = program.rows.next();
    program.rows.row(sums.into_iter().enumerate().chain([(t, 1.0)]), 1.0);
    program.rows.are_zero(1);
    for at in 0..free.load().len() {
        for sign in [1.0, -1.0] {
            program.rows.row([(at, sign)], most);
        }
    }
    program.rows.are_not_negative(2 * free.load().len());
    let found = program.rows.solve();
    if found.ending != Ending::Solved {
        return None;
    }
    let mut forces = program.forces(&found.z);
    for f in &mut forces.contacts {
        f[0] -= found.z[place] * program.scale.load;
    }
    Some((found.x[t], forces))
}

/// Whether GGᵀ is definite, for a single free body.
fn has_full_rank(whole: &Equilibrium) -> bool {
    let dim = whole.dim();
    let n = whole.load().len();
    let arm = whole.arm();
    let mut gram = vec![0.0; n * n];
    for (j, contact) in whole.contacts().iter().enumerate() {
        let count = if contact.friction > 0.0 { 3 } else { 1 };
        for c in 0..count {
            let mut column = vec![0.0; n];
            for part in whole.parts(j) {
                for k in 0..dim {
                    column[dim * part.body + k] = part.columns[c][k] / if whole.is_turn(k) { arm } else { 1.0 };
                }
            }
            for r in 0..n {
                for s in 0..n {
                    gram[n * r + s] += column[r] * column[s];
                }
            }
        }
    }
    let trace: f64 = (0..n).map(|k| gram[n * k + k]).sum();
    for k in 0..n {
        gram[n * k + k] -= FULL_RANK * trace;
    }
    // Cholesky runs to its end.
    for c in 0..n {
        for r in c..n {
            let sum: f64 = (0..c).map(|k| gram[n * r + k] * gram[n * c + k]).sum();
            let x = gram[n * r + c] - sum;
            if r == c {
                if x.is_nan() || x <= 0.0 {
                    return false;
                }
                gram[n * c + c] = libm::sqrt(x);
            } else {
                gram[n * r + c] = x / gram[n * c + c];
            }
        }
    }
    true
}

/// The quality of a grasp between two bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    /// A ball of this radius lies within the wrenches that contacts of 1 N in all can make.
    pub low: f64,
    /// None larger does.
    pub high: f64,
    /// Wrenches that the hull is made of.
    pub points: usize,
}

/// The measure of Ferrari and Canny (1992) for a single free body, with normal forces of 1 N in all and torques over `length` \[m\]: the largest ball of wrenches that the contacts resist, bracketed. Cones are round: a
/// hull of their wrenches grows at the facet that is nearest to zero, which bounds it from below, towards the wrench of the cones that lies farthest beyond it, which bounds it from above.
///
/// # Errors
/// More than one free body, none, or joints.
pub fn quality(whole: &Equilibrium, length: f64) -> Result<Quality, StandError> {
    if whole.bodies().len() != 1 || !whole.rows().is_empty() {
        return Err(StandError::value(
            "grasp",
            "must have one body that can move and no joints",
            whole.bodies().len(),
        ));
    }
    if !(length > 0.0 && length.is_finite()) {
        return Err(StandError::value("length", "must be finite and positive", length));
    }
    let dim = whole.dim();
    let contacts = scaled_contacts(whole, length);
    let support = |z: &[f64]| farthest(&contacts, z);
    let none = Quality {
        low: 0.0,
        high: 0.0,
        points: 0,
    };
    if whole.contacts().iter().any(|contact| !contact.friction.is_finite()) {
        return Err(StandError::value("friction", "must be finite", "inf"));
    }
    let Some(mut hull) = Hull::begin(dim, &support) else {
        return Ok(none);
    };
    let mut high = f64::INFINITY;
    loop {
        let Some(nearest) =
            (0..hull.facets.len()).min_by(|a, b| hull.facets[*a].offset.total_cmp(&hull.facets[*b].offset))
        else {
            return Ok(none);
        };
        let Facet { normal, offset, .. } = hull.facets[nearest].clone();
        let (value, point) = support(&normal);
        high = high.min(value);
        let closed = high - offset.max(0.0) <= CLOSED * high.max(0.0) || value - offset <= OUTSIDE * hull.size;
        if high <= 0.0 || closed || hull.points.len() >= MOST_POINTS {
            return Ok(Quality {
                low: offset.max(0.0).min(high.max(0.0)),
                high: high.max(0.0),
                points: hull.points.len(),
            });
        }
        if !hull.add(point) {
            return Ok(Quality {
                low: offset.max(0.0),
                high: high.max(0.0),
                points: hull.points.len(),
            });
        }
    }
}

/// Wrenches of unit forces of a contact, and its friction.
struct ScaledContact {
    columns: [[f64; 6]; 3],
    friction: f64,
}

/// The contacts of a single free body, with torques over a length.
fn scaled_contacts(whole: &Equilibrium, length: f64) -> Vec<ScaledContact> {
    (0..whole.contacts().len())
        .map(|j| {
            let mut columns = whole.parts(j)[0].columns;
            for column in &mut columns {
                for k in 0..whole.dim() {
                    if whole.is_turn(k) {
                        column[k] /= length;
                    }
                }
            }
            ScaledContact {
                columns,
                friction: whole.contacts()[j].friction,
            }
        })
        .collect()
}

/// How far the wrenches of contacts with 1 N of normal force reach along a direction, and the wrench that does.
fn farthest(contacts: &[ScaledContact], z: &[f64]) -> (f64, Vec<f64>) {
    let dot = |c: &[f64; 6]| (0..z.len()).map(|k| c[k] * z[k]).sum::<f64>();
    let mut best: (f64, Vec<f64>) = (f64::NEG_INFINITY, Vec::new());
    for ScaledContact { columns, friction: mu } in contacts {
        let u = [dot(&columns[0]), dot(&columns[1]), dot(&columns[2])];
        let slip = libm::hypot(u[1], u[2]);
        let value = u[0] + mu * slip;
        if value > best.0 {
            let [a, b] = if slip > 0.0 {
                [mu * u[1] / slip, mu * u[2] / slip]
            } else {
                [0.0; 2]
            };
            let point = (0..z.len())
                .map(|k| columns[0][k] + a * columns[1][k] + b * columns[2][k])
                .collect();
            best = (value, point);
        }
    }
    best
}

/// How far a set reaches along a direction, and where.
type Support<'a> = &'a dyn Fn(&[f64]) -> (f64, Vec<f64>);

/// A facet n·x ≤ b and its corners.
#[derive(Debug, Clone)]
struct Facet {
    normal: Vec<f64>,
    offset: f64,
    corners: Vec<usize>,
}

/// A convex hull that grows point by point.
struct Hull {
    dim: usize,
    size: f64,
    points: Vec<Vec<f64>>,
    inside: Vec<f64>,
    facets: Vec<Facet>,
}

impl Hull {
    /// A simplex of supports; `None` where all wrenches lie in a plane.
    fn begin(dim: usize, support: Support<'_>) -> Option<Self> {
        let mut points: Vec<Vec<f64>> = Vec::new();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let mut size = 0.0_f64;
        let mut random = crate::motion::Seeded::new(7);
        for _ in 0..64 * dim {
            let z: Vec<f64> = (0..dim).map(|_| 2.0 * random.unit() - 1.0).collect();
            let (_, point) = support(&z);
            size = size.max(length(&point));
            let Some(first) = points.first() else {
                points.push(point);
                continue;
            };
            // What of it the plane of the others does not hold.
            let mut rest: Vec<f64> = point.iter().zip(first).map(|(a, b)| a - b).collect();
            for _ in 0..2 {
                for e in &basis {
                    let along: f64 = rest.iter().zip(e).map(|(a, b)| a * b).sum();
                    rest.iter_mut().zip(e).for_each(|(r, e)| *r -= along * e);
                }
            }
            let left = length(&rest);
            if left > 1e-3 * size {
                for r in &mut rest {
                    *r /= left;
                }
                basis.push(rest);
                points.push(point);
                if points.len() == dim + 1 {
                    break;
                }
            }
        }
        if points.len() != dim + 1 {
            return None;
        }
        let inside = (0..dim)
            .map(|k| points.iter().map(|p| p[k]).sum::<f64>() / (dim + 1) as f64)
            .collect();
        let mut hull = Self {
            dim,
            size,
            points,
            inside,
            facets: Vec::new(),
        };
        for out in 0..=dim {
            let corners: Vec<usize> = (0..=dim).filter(|k| *k != out).collect();
            let facet = hull.facet(corners)?;
            hull.facets.push(facet);
        }
        Some(hull)
    }

    /// The facet through d points, its normal away from the inside.
    fn facet(&self, corners: Vec<usize>) -> Option<Facet> {
        let dim = self.dim;
        // The null vector of the d − 1 edges, by elimination with full pivoting.
        let base = &self.points[corners[0]];
        let mut rows: Vec<Vec<f64>> = corners[1..]
            .iter()
            .map(|k| self.points[*k].iter().zip(base).map(|(a, b)| a - b).collect())
            .collect();
        let mut columns: Vec<usize> = (0..dim).collect();
        for k in 0..dim - 1 {
            let mut best = (0.0, k, k);
            for (r, row) in rows.iter().enumerate().skip(k) {
                for (c, column) in columns.iter().enumerate().skip(k) {
                    if row[*column].abs() > best.0 {
                        best = (row[*column].abs(), r, c);
                    }
                }
            }
            if best.0 <= 1e-14 * self.size {
                return None;
            }
            rows.swap(k, best.1);
            columns.swap(k, best.2);
            let pivot = rows[k].clone();
            for row in rows.iter_mut().skip(k + 1) {
                let by = row[columns[k]] / pivot[columns[k]];
                for c in &columns[k..] {
                    row[*c] -= by * pivot[*c];
                }
            }
        }
        let mut normal = vec![0.0; dim];
        normal[columns[dim - 1]] = 1.0;
        for k in (0..dim - 1).rev() {
            let sum: f64 = columns[k + 1..].iter().map(|c| rows[k][*c] * normal[*c]).sum();
            normal[columns[k]] = -sum / rows[k][columns[k]];
        }
        let size = length(&normal);
        for x in &mut normal {
            *x /= size;
        }
        let dot = |p: &[f64]| normal.iter().zip(p).map(|(a, b)| a * b).sum::<f64>();
        let (mut offset, within) = (dot(base), dot(&self.inside));
        if within > offset {
            for x in &mut normal {
                *x = -*x;
            }
            offset = -offset;
        }
        Some(Facet {
            normal,
            offset,
            corners,
        })
    }

    /// Adds a point; false where it lies in no half-space beyond a facet, or a facet cannot be made.
    fn add(&mut self, point: Vec<f64>) -> bool {
        let beyond = OUTSIDE * self.size;
        let sees =
            |facet: &Facet| facet.normal.iter().zip(&point).map(|(a, b)| a * b).sum::<f64>() > facet.offset + beyond;
        let (seen, kept): (Vec<Facet>, Vec<Facet>) = std::mem::take(&mut self.facets).into_iter().partition(sees);
        if seen.is_empty() {
            self.facets = kept;
            return false;
        }
        // Ridges of one facet that is seen and one that is not make the new facets.
        let mut ridges: std::collections::BTreeMap<Vec<usize>, usize> = std::collections::BTreeMap::new();
        for facet in &seen {
            for out in 0..facet.corners.len() {
                let mut ridge = facet.corners.clone();
                ridge.remove(out);
                *ridges.entry(ridge).or_insert(0) += 1;
            }
        }
        let index = self.points.len();
        self.points.push(point);
        self.facets = kept;
        for (mut corners, count) in ridges {
            if count == 1 {
                corners.push(index);
                let Some(facet) = self.facet(corners) else { return false };
                self.facets.push(facet);
            }
        }
        true
    }
}

fn length(x: &[f64]) -> f64 {
    libm::sqrt(x.iter().map(|x| x * x).sum())
}

/// Where the centre of mass of one free body may be, beside where it is, along two directions \[m\]: the region of its shifts with forces, between two polygons.
///
/// # Errors
/// A body that is not free.
pub fn center_region(whole: &Equilibrium, body: usize, axes: [[f64; 3]; 2]) -> Result<Region, StandError> {
    let Some(free) = whole.free_of(body) else {
        return Err(StandError::value("body", "must be one that can move", body));
    };
    let weight = whole.bodies()[free].gravity;
    let center = whole.centers()[body];
    // Weight moved by δ: the torque δ × mg.
    let directions = axes.map(|axis| -> Result<Vec<f64>, StandError> {
        let moved = std::array::from_fn(|k| center[k] + axis[k]);
        let there = whole.load_direction(body, weight, Some(moved))?;
        let here = whole.load_direction(body, weight, None)?;
        Ok(there.iter().zip(here).map(|(a, b)| a - b).collect())
    });
    let [first, second] = directions;
    let (first, second) = (first?, second?);
    Ok(region(whole, axes, [&first, &second]))
}
