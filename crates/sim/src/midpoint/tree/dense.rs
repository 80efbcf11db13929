//! Trees of few coordinates as dense systems: masses, momenta and rows along the coordinates that joints leave.
//!
//! Motions and momenta of all bodies are taken about one point, the origin of the world moved to the tree: a motion is the velocity that a body has there and its spin, a momentum
//! its linear and its angular part about it. Inertias about one point add up (composite bodies, Featherstone, *Rigid Body Dynamics Algorithms*, 2008, §6.2).

use std::ops::Range;

use super::links::{Freedom, Link};
use crate::{Mat3, Vec3};

/// A motion or a momentum: linear part and angular part about the point.
pub(super) type Pair = [Vec3; 2];

fn dot([a, b]: &Pair, [x, y]: &Pair) -> f64 {
    a.dot(x) + b.dot(y)
}

/// Number of coordinates that a joint leaves.
pub(super) fn count(freedom: Freedom) -> usize {
    match freedom {
        Freedom::Free => 6,
        Freedom::Turn | Freedom::Slide => 1,
        Freedom::Ball => 3,
        Freedom::None => 0,
    }
}

/// A body with all that hangs on it.
#[derive(Debug, Clone, Copy)]
struct Composite {
    mass: f64,
    /// Mass times place.
    first: Vec3,
    /// About the point.
    second: Mat3,
}

/// A tree along its coordinates.
#[derive(Debug, Clone, Default)]
pub(super) struct Dense {
    /// What motions are taken about.
    pub(super) origin: Vec3,
    /// Coordinates of each link, by its number in the tree; its motion by each.
    pub(super) spans: Vec<Range<usize>>,
    axes: Vec<Pair>,
    /// Parent of each link, by number in the tree.
    parents: Vec<Option<usize>>,
    composites: Vec<Composite>,
    passed: Vec<Pair>,
    /// Mass, row by row.
    pub(super) mass: Vec<f64>,
}

/// Where a link is: centre of mass, a point and the axis of its joint, mass, and inertia in the world.
pub(super) struct Body {
    pub(super) centre: Vec3,
    pub(super) point: Vec3,
    pub(super) axis: Vec3,
    pub(super) mass: f64,
    pub(super) inertia: Mat3,
}

impl Dense {
    /// Number of coordinates.
    pub(super) fn count(&self) -> usize {
        self.axes.len()
    }

    /// A tree of links, the first of which is number `first` of all, where they are.
    pub(super) fn set(&mut self, list: &[Link], first: usize, body: impl Fn(usize) -> Body) {
        self.set_axes(list, first, body);
        for k in (0..list.len()).rev() {
            if let Some(parent) = self.parents[k] {
                let own = self.composites[k];
                let on = &mut self.composites[parent];
                on.mass += own.mass;
                on.first += own.first;
                on.second += own.second;
            }
        }
        self.set_mass();
    }

    /// The same without masses.
    pub(super) fn set_axes(&mut self, list: &[Link], first: usize, body: impl Fn(usize) -> Body) {
        self.spans.clear();
        self.axes.clear();
        self.parents.clear();
        self.composites.clear();
        self.origin = body(0).centre;
        for (k, link) in list.iter().enumerate() {
            let Body {
                centre,
                point,
                axis,
                mass,
                inertia,
            } = body(k);
            let (centre, point) = (centre - self.origin, point - self.origin);
            let begin = self.axes.len();
            let about = |at: Vec3, axis: Vec3| [at.cross(&axis), axis];
            let units = [Vec3::x(), Vec3::y(), Vec3::z()];
            match link.freedom {
                Freedom::Free => {
                    self.axes.extend(units.map(|e| [e, Vec3::zeros()]));
                    self.axes.extend(units.map(|e| about(centre, e)));
                }
                Freedom::Turn => self.axes.push(about(point, axis)),
                Freedom::Slide => self.axes.push([axis, Vec3::zeros()]),
                Freedom::Ball => self.axes.extend(units.map(|e| about(point, e))),
                Freedom::None => {}
            }
            self.spans.push(begin..self.axes.len());
            self.parents.push(link.parent.map(|parent| parent - first));
            let cross = centre.cross_matrix();
            self.composites.push(Composite {
                mass,
                first: mass * centre,
                second: inertia - mass * (cross * cross),
            });
        }
    }

    fn set_mass(&mut self) {
        let n = self.count();
        self.mass.clear();
        self.mass.resize(n * n, 0.0);
        for k in 0..self.spans.len() {
            let Composite { mass, first, second } = self.composites[k];
            for c in self.spans[k].clone() {
                let [v, w] = self.axes[c];
                let momentum = [mass * v + w.cross(&first), first.cross(&v) + second * w];
                let mut link = Some(k);
                while let Some(on) = link {
                    for r in self.spans[on].clone() {
                        let x = dot(&self.axes[r], &momentum);
                        (self.mass[r * n + c], self.mass[c * n + r]) = (x, x);
                    }
                    link = self.parents[on];
                }
            }
        }
    }

    /// Momenta of the coordinates, from those of bodies: their linear part, and their angular part about the centre of mass, which is given.
    pub(super) fn pull(&mut self, body: impl Fn(usize) -> (Vec3, Pair), out: &mut Vec<f64>) {
        self.passed.clear();
        for k in 0..self.spans.len() {
            let (centre, [l, m]) = body(k);
            self.passed.push([l, m + (centre - self.origin).cross(&l)]);
        }
        out.clear();
        out.resize(self.count(), 0.0);
        for k in (0..self.spans.len()).rev() {
            let own = self.passed[k];
            for c in self.spans[k].clone() {
                out[c] = dot(&self.axes[c], &own);
            }
            if let Some(parent) = self.parents[k] {
                let on = &mut self.passed[parent];
                *on = [on[0] + own[0], on[1] + own[1]];
            }
        }
    }

    /// Motions of all links, from rates of the coordinates.
    pub(super) fn motions(&self, rates: &[f64], out: &mut Vec<Pair>) {
        out.clear();
        for (k, span) in self.spans.iter().enumerate() {
            let mut motion = self.parents[k].map_or([Vec3::zeros(); 2], |parent| out[parent]);
            for c in span.clone() {
                let [v, w] = &self.axes[c];
                motion = [motion[0] + rates[c] * v, motion[1] + rates[c] * w];
            }
            out.push(motion);
        }
    }

    /// Velocity of a place of a link that moves so.
    pub(super) fn at(&self, [v, w]: &Pair, place: &Vec3) -> Vec3 {
        v + w.cross(&(place - self.origin))
    }

    /// Adds `share` times the row of the velocity of a link's place along a direction.
    pub(super) fn add_row(&self, link: usize, (place, along): (&Vec3, &Vec3), share: f64, row: &mut [f64]) {
        let push = [*along, (place - self.origin).cross(along)];
        let mut next = Some(link);
        while let Some(on) = next {
            for c in self.spans[on].clone() {
                row[c] += share * dot(&self.axes[c], &push);
            }
            next = self.parents[on];
        }
    }
}

/// Root L of a symmetric positive definite matrix LLᵀ, in place, its lower half; whether it is one.
pub(super) fn factor(m: &mut [f64], n: usize) -> bool {
    for c in 0..n {
        let (above, below) = m.split_at_mut((c + 1) * n);
        let pivot_row = &mut above[c * n..];
        let square = pivot_row[c] - pivot_row[..c].iter().map(|x| x * x).sum::<f64>();
        if square.is_nan() || square <= 0.0 {
            return false;
        }
        let root = square.sqrt();
        pivot_row[c] = root;
        for row in below.chunks_exact_mut(n) {
            let known: f64 = row[..c].iter().zip(&pivot_row[..c]).map(|(x, y)| x * y).sum();
            row[c] = (row[c] - known) / root;
        }
    }
    true
}

/// L⁻¹x in place.
pub(super) fn forward(root: &[f64], x: &mut [f64]) {
    let n = x.len();
    for r in 0..n {
        let row = &root[r * n..r * n + r];
        let known: f64 = row.iter().zip(x.iter()).map(|(l, x)| l * x).sum();
        x[r] = (x[r] - known) / root[r * n + r];
    }
}

/// L⁻ᵀx in place.
pub(super) fn backward(root: &[f64], x: &mut [f64]) {
    let n = x.len();
    for r in (0..n).rev() {
        x[r] /= root[r * n + r];
        let value = x[r];
        for (x, l) in x[..r].iter_mut().zip(&root[r * n..r * n + r]) {
            *x -= l * value;
        }
    }
}

/// Rows of a least-squares problem, one behind the other as they are independent: x = y − L⁻ᵀ Qᵀ(…) takes their values away with the least change of y in the norm of LLᵀ.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    /// Orthonormal rows L⁻¹aᵀ, and their values.
    kept: Vec<f64>,
    values: Vec<f64>,
    work: Vec<f64>,
}

/// A row of which this part is left beside those before is free of them to rounding.
const TWICE: f64 = 0.5;
/// A row of which less than this part is left beside those before follows from them.
const FOLLOWS: f64 = 1e-7;

impl Rows {
    pub(super) fn clear(&mut self) {
        self.kept.clear();
        self.values.clear();
    }

    /// Adds a row with the value by which it is off.
    pub(super) fn add(&mut self, root: &[f64], row: &[f64], mut value: f64) {
        let n = row.len();
        self.work.clear();
        self.work.extend_from_slice(row);
        forward(root, &mut self.work);
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let size = norm(&self.work);
        // Twice where much of it goes: what rounding leaves of the first time.
        for _ in 0..2 {
            for (kept, known) in self.kept.chunks_exact(n).zip(&self.values) {
                let share: f64 = kept.iter().zip(&self.work).map(|(x, y)| x * y).sum();
                value -= share * known;
                for (x, y) in self.work.iter_mut().zip(kept) {
                    *x -= share * y;
                }
            }
            if norm(&self.work) > TWICE * size {
                break;
            }
        }
        let left = norm(&self.work);
        if left > FOLLOWS * size {
            self.kept.extend(self.work.iter().map(|x| x / left));
            self.values.push(value / left);
        }
    }

    /// Takes the values away from a motion.
    pub(super) fn take_from(&mut self, root: &[f64], motion: &mut [f64]) {
        let n = motion.len();
        self.work.clear();
        self.work.resize(n, 0.0);
        for (kept, value) in self.kept.chunks_exact(n).zip(&self.values) {
            for (x, y) in self.work.iter_mut().zip(kept) {
                *x += value * y;
            }
        }
        backward(root, &mut self.work);
        for (x, y) in motion.iter_mut().zip(&self.work) {
            *x -= y;
        }
    }
}
