//! Trees of few coordinates as dense systems: masses, momenta and rows along the coordinates that joints leave.
//!
//! Motions and momenta of all bodies are taken about one point, the origin of the world moved to the tree: a motion is the velocity that a body has there and its spin, a momentum
//! its linear and its angular part about it. Inertias about one point add up (composite bodies, Featherstone, *Rigid Body Dynamics Algorithms*, 2008, §6.2).
//!
//! Coordinates are numbered from the ends of the tree to its root, branch by branch: links of different branches do not act on each other, and so the factor of the masses fills
//! nothing between them (Featherstone, §6.5). What is zero before the first entry of a row stays so.

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
    /// Mass, row by row, and the first entry of each row that is not zero.
    pub(super) mass: Vec<f64>,
    first: Vec<usize>,
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
        let mut end: usize = list.iter().map(|link| count(link.freedom)).sum();
        self.axes.resize(end, [Vec3::zeros(); 2]);
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
            let span = end - count(link.freedom)..end;
            end = span.start;
            let about = |at: Vec3, axis: Vec3| [at.cross(&axis), axis];
            let units = [Vec3::x(), Vec3::y(), Vec3::z()];
            let own = &mut self.axes[span.clone()];
            match link.freedom {
                Freedom::Free => {
                    own[..3].copy_from_slice(&units.map(|e| [e, Vec3::zeros()]));
                    own[3..].copy_from_slice(&units.map(|e| about(centre, e)));
                }
                Freedom::Turn => own[0] = about(point, axis),
                Freedom::Slide => own[0] = [axis, Vec3::zeros()],
                Freedom::Ball => own.copy_from_slice(&units.map(|e| about(point, e))),
                Freedom::None => {}
            }
            self.spans.push(span);
            self.parents.push(link.parent.map(|parent| parent - first));
            // −(r×)(r×) = r² − rrᵀ.
            let about_origin = Mat3::from_diagonal_element(centre.norm_squared()) - centre * centre.transpose();
            self.composites.push(Composite {
                mass,
                first: mass * centre,
                second: inertia + mass * about_origin,
            });
        }
    }

    fn set_mass(&mut self) {
        let n = self.count();
        self.mass.clear();
        self.mass.resize(n * n, 0.0);
        self.first.clear();
        self.first.extend(0..n);
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
                        self.first[r] = self.first[r].min(c);
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

    /// Momenta along the coordinates of a motion of all: the masses times its rates.
    pub(super) fn momenta(&self, rates: &[f64], out: &mut Vec<f64>) {
        let n = self.count();
        out.clear();
        out.resize(n, 0.0);
        for (r, row) in self.mass.chunks_exact(n).enumerate() {
            let first = self.first[r];
            out[r] += product(&row[first..=r], &rates[first..=r]);
            for c in first..r {
                out[c] += row[c] * rates[r];
            }
        }
    }

    /// Adds `sign` times what each coordinate makes the velocity of a link's place, and returns the first of those coordinates.
    pub(super) fn add_columns(&self, link: usize, place: &Vec3, sign: f64, columns: &mut [Vec3]) -> usize {
        let from = place - self.origin;
        let (mut next, mut first) = (Some(link), columns.len());
        while let Some(on) = next {
            for c in self.spans[on].clone() {
                let [v, w] = &self.axes[c];
                columns[c] += sign * (v + w.cross(&from));
                first = first.min(c);
            }
            next = self.parents[on];
        }
        first
    }
}

/// Sum of products, in four parts: a processor takes several at once.
#[inline]
fn product(x: &[f64], y: &[f64]) -> f64 {
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<4>(), y.as_chunks::<4>());
    let mut parts = [0.0; 4];
    for (x, y) in x.iter().zip(y) {
        for k in 0..4 {
            parts[k] += x[k] * y[k];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    rest + (parts[0] + parts[1]) + (parts[2] + parts[3])
}

/// x ← x − share y.
#[inline]
fn subtract(x: &mut [f64], share: f64, y: &[f64]) {
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks_mut::<4>(), y.as_chunks::<4>());
    for (x, y) in x.iter_mut().zip(y) {
        for k in 0..4 {
            x[k] -= share * y[k];
        }
    }
    for (x, y) in x_rest.iter_mut().zip(y_rest) {
        *x -= share * y;
    }
}

/// Root L of a symmetric positive definite matrix LLᵀ.
#[derive(Debug, Clone, Default)]
pub(super) struct Root {
    n: usize,
    /// Its lower half, row by row, with the inverses of its diagonal.
    rows: Vec<f64>,
    /// First entry of each row that is not zero.
    first: Vec<usize>,
}

impl Root {
    /// Becomes that of the masses of a tree with `more` on the diagonal; whether there is one.
    pub(super) fn set(&mut self, dense: &Dense, more: impl Fn(usize) -> f64) -> bool {
        let n = dense.count();
        self.n = n;
        self.rows.clone_from(&dense.mass);
        self.first.clone_from(&dense.first);
        for r in 0..n {
            let (above, row) = self.rows.split_at_mut(r * n);
            for c in self.first[r]..r {
                let begin = self.first[r].max(self.first[c]);
                let known = product(&row[begin..c], &above[c * n + begin..c * n + c]);
                row[c] = (row[c] - known) * above[c * n + c];
            }
            let own = &row[self.first[r]..r];
            let square = row[r] + more(r) - product(own, own);
            if square.is_nan() || square <= 0.0 {
                return false;
            }
            row[r] = 1.0 / square.sqrt();
        }
        true
    }

    /// L⁻¹x in place, of an x that is zero before an entry.
    fn forward(&self, from: usize, x: &mut [f64]) {
        for r in from..self.n {
            let (begin, row) = (self.first[r].max(from), &self.rows[r * self.n..]);
            let known = product(&row[begin..r], &x[begin..r]);
            x[r] = (x[r] - known) * row[r];
        }
    }

    /// L⁻ᵀx in place.
    fn backward(&self, x: &mut [f64]) {
        for r in (0..self.n).rev() {
            let (first, row) = (self.first[r], &self.rows[r * self.n..]);
            x[r] *= row[r];
            let value = x[r];
            subtract(&mut x[first..r], value, &row[first..r]);
        }
    }

    /// What is moved so by momenta, in place.
    pub(super) fn solve(&self, x: &mut [f64]) {
        self.forward(0, x);
        self.backward(x);
    }
}

/// Rows of a least-squares problem, one behind the other as they are independent: a motion that takes their values away with the least energy, in the norm of LLᵀ.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    n: usize,
    /// Orthonormal rows L⁻¹aᵀ, and the first entry of each that is not zero.
    kept: Vec<f64>,
    begins: Vec<usize>,
    /// Of each row as it was added: its shares of those kept before it, and what is left of it; nothing where it follows from them.
    shares: Vec<f64>,
    left: Vec<f64>,
    /// Values of rows as they were added, and what is left of them beside those before.
    pub(super) values: Vec<f64>,
    own: Vec<f64>,
    work: Vec<f64>,
}

/// A row of which this part is left beside those before is free of them to rounding.
const TWICE: f64 = 0.5;
/// A row of which less than this part is left beside those before follows from them.
const FOLLOWS: f64 = 1e-7;

impl Rows {
    /// Without any, in so many coordinates.
    pub(super) fn clear(&mut self, n: usize) {
        self.n = n;
        self.kept.clear();
        self.begins.clear();
        self.shares.clear();
        self.left.clear();
        self.values.clear();
    }

    /// Adds a row that is zero before an entry.
    pub(super) fn add(&mut self, root: &Root, from: usize, row: impl Iterator<Item = f64>) {
        let n = self.n;
        self.work.clear();
        self.work.extend(row);
        root.forward(from, &mut self.work);
        let norm = |x: &[f64]| product(x, x).sqrt();
        let size = norm(&self.work);
        let (mut begin, first) = (from, self.shares.len());
        self.shares.resize(first + self.begins.len(), 0.0);
        // Twice where much of it goes: what rounding leaves of the first time.
        for _ in 0..2 {
            let mut rest = &self.kept[..];
            for (zeros, known) in self.begins.iter().zip(&mut self.shares[first..]) {
                let (kept, others) = rest.split_at(n);
                rest = others;
                let both = begin.max(*zeros);
                let share = product(&kept[both..], &self.work[both..]);
                *known += share;
                begin = begin.min(*zeros);
                subtract(&mut self.work[*zeros..], share, &kept[*zeros..]);
            }
            if norm(&self.work) > TWICE * size {
                break;
            }
        }
        let left = norm(&self.work);
        let is_kept = left > FOLLOWS * size;
        self.left.push(if is_kept { left } else { 0.0 });
        if is_kept {
            let inverse = 1.0 / left;
            self.kept.extend(self.work.iter().map(|x| x * inverse));
            self.begins.push(begin);
        }
    }

    /// Takes the values away from a motion.
    pub(super) fn take_from(&mut self, root: &Root, motion: &mut [f64]) {
        self.own.clear();
        let mut shares = &self.shares[..];
        for (value, left) in self.values.iter().zip(&self.left) {
            let (known, rest) = shares.split_at(self.own.len());
            shares = rest;
            if *left > 0.0 {
                self.own.push((value - product(known, &self.own)) / left);
            }
        }
        self.work.clear();
        self.work.resize(self.n, 0.0);
        for ((kept, begin), value) in self.kept.chunks_exact(self.n).zip(&self.begins).zip(&self.own) {
            subtract(&mut self.work[*begin..], -value, &kept[*begin..]);
        }
        root.backward(&mut self.work);
        for (x, y) in motion.iter_mut().zip(&self.work) {
            *x -= y;
        }
    }
}
