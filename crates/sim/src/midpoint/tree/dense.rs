//! Trees of few coordinates as dense systems: masses, momenta and rows along the coordinates that joints leave.
//!
//! Motions and momenta of all bodies are taken about one point, the origin of the world moved to the tree: a motion is the velocity that a body has there and its spin, a momentum
//! its linear and its angular part about it. Inertias about one point add up (composite bodies, Featherstone, *Rigid Body Dynamics Algorithms*, 2008, §6.2).
//!
//! Coordinates are numbered from the ends of the tree to its root, branch by branch: links of different branches do not act on each other, and so the factor of the masses fills
//! nothing between them (Featherstone, §6.5). What is zero before the first entry of a row stays so.

use std::ops::Range;

use stiction_contact::six::Factors;

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
    /// About the point: its diagonal, and yz, zx, xy beside it.
    second: [Vec3; 2],
}

impl Composite {
    /// A body with this place of its centre of mass and this inertia about that.
    fn of(mass: f64, centre: Vec3, inertia: &Mat3) -> Self {
        let (first, [x, y, z]) = (mass * centre, centre.into());
        // −(r×)(r×) = r² − rrᵀ.
        let [xx, yy, zz] = [first.x * x, first.y * y, first.z * z];
        let diagonal = Vec3::new(inertia.m11 + yy + zz, inertia.m22 + zz + xx, inertia.m33 + xx + yy);
        let beside = Vec3::new(
            inertia.m23 - first.y * z,
            inertia.m31 - first.z * x,
            inertia.m12 - first.x * y,
        );
        Self {
            mass,
            first,
            second: [diagonal, beside],
        }
    }

    fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.first += other.first;
        self.second[0] += other.second[0];
        self.second[1] += other.second[1];
    }

    /// Its momentum where it moves so.
    fn momentum(&self, [v, w]: &Pair) -> Pair {
        let (first, [d, b]) = (&self.first, &self.second);
        let turning = Vec3::new(
            d.x * w.x + b.z * w.y + b.y * w.z,
            b.z * w.x + d.y * w.y + b.x * w.z,
            b.y * w.x + b.x * w.y + d.z * w.z,
        );
        [self.mass * v + w.cross(first), first.cross(v) + turning]
    }
}

/// A tree along its coordinates.
#[derive(Debug, Clone, Default)]
pub(super) struct Dense {
    /// What motions are taken about: the centre of mass of the first link.
    pub(super) origin: Vec3,
    /// Whether the first link hangs on nothing: its coordinates, the last six, are then its motion itself.
    flies: bool,
    /// Coordinates of each link, by its number in the tree; its motion by each.
    pub(super) spans: Vec<Range<usize>>,
    axes: Vec<Pair>,
    /// Parent of each link, by number in the tree.
    parents: Vec<Option<usize>>,
    /// Coordinates of each link and of all that it hangs on, the lowest first, and where those of each link end.
    paths: Vec<usize>,
    path_ends: Vec<usize>,
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
        self.set_axes(list, first, &body);
        self.composites.clear();
        self.composites.extend((0..list.len()).map(|k| {
            let Body {
                centre, mass, inertia, ..
            } = body(k);
            Composite::of(mass, centre - self.origin, &inertia)
        }));
        for k in (0..list.len()).rev() {
            if let Some(parent) = self.parents[k] {
                let own = self.composites[k];
                self.composites[parent].add(&own);
            }
        }
        self.set_mass();
    }

    /// The same without masses.
    pub(super) fn set_axes(&mut self, list: &[Link], first: usize, body: impl Fn(usize) -> Body) {
        self.set_shape(list, first);
        self.origin = body(0).centre;
        for (k, link) in list.iter().enumerate() {
            let Body {
                centre, point, axis, ..
            } = body(k);
            let (centre, point) = (centre - self.origin, point - self.origin);
            let about = |at: Vec3, axis: Vec3| [at.cross(&axis), axis];
            let units = [Vec3::x(), Vec3::y(), Vec3::z()];
            let own = &mut self.axes[self.spans[k].clone()];
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
        }
    }

    /// Numbers coordinates, unless they are numbered so: a tree keeps its shape from step to step.
    fn set_shape(&mut self, list: &[Link], first: usize) {
        let parent = |link: &Link| link.parent.map(|parent| parent - first);
        let known = self.parents.iter().zip(&self.spans);
        let is_known = |(link, (on, span)): (&Link, (&Option<usize>, &Range<usize>))| {
            parent(link) == *on && count(link.freedom) == span.len()
        };
        if self.parents.len() == list.len() && list.iter().zip(known).all(is_known) {
            return;
        }
        let n: usize = list.iter().map(|link| count(link.freedom)).sum();
        self.flies = list.first().is_some_and(|link| link.freedom == Freedom::Free);
        self.spans.clear();
        self.parents.clear();
        let mut end = n;
        for link in list {
            let begin = end - count(link.freedom);
            self.spans.push(begin..end);
            self.parents.push(parent(link));
            end = begin;
        }
        self.axes.clear();
        self.axes.resize(n, [Vec3::zeros(); 2]);
        self.mass.clear();
        self.mass.resize(n * n, 0.0);
        self.first.clear();
        self.first.extend(0..n);
        self.paths.clear();
        self.path_ends.clear();
        for (k, span) in self.spans.iter().enumerate() {
            let mut link = Some(k);
            while let Some(on) = link {
                self.paths.extend(self.spans[on].clone());
                for first in &mut self.first[self.spans[on].clone()] {
                    *first = span.start.min(*first);
                }
                link = self.parents[on];
            }
            self.path_ends.push(self.paths.len());
        }
    }

    /// Coordinates that move a link, the lowest first.
    fn path(&self, link: usize) -> &[usize] {
        let begin = link.checked_sub(1).map_or(0, |before| self.path_ends[before]);
        &self.paths[begin..self.path_ends[link]]
    }

    /// Masses of links that hang on each other; the others stay nothing.
    fn set_mass(&mut self) {
        let n = self.count();
        let mut begin = 0;
        for ((span, composite), end) in self.spans.iter().zip(&self.composites).zip(&self.path_ends) {
            let mut path = &self.paths[begin..*end];
            begin = *end;
            if self.flies {
                path = &path[..path.len() - 6];
            }
            for c in span.clone() {
                let momentum = composite.momentum(&self.axes[c]);
                for r in path {
                    let x = dot(&self.axes[*r], &momentum);
                    (self.mass[r * n + c], self.mass[c * n + r]) = (x, x);
                }
                if self.flies {
                    let [l, m] = momentum;
                    self.mass[(c + 1) * n - 6..][..6].copy_from_slice(&[l.x, l.y, l.z, m.x, m.y, m.z]);
                }
            }
        }
        if self.flies {
            for c in 0..n - 6 {
                for r in n - 6..n {
                    self.mass[r * n + c] = self.mass[c * n + r];
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
            let span = self.spans[k].clone();
            if k == 0 && self.flies {
                out[span.start..][..3].copy_from_slice(own[0].as_slice());
                out[span.start + 3..].copy_from_slice(own[1].as_slice());
                continue;
            }
            for (x, axis) in out[span.clone()].iter_mut().zip(&self.axes[span]) {
                *x = dot(axis, &own);
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
        let hanging = if self.flies {
            let own = &rates[self.count() - 6..];
            out.push([Vec3::new(own[0], own[1], own[2]), Vec3::new(own[3], own[4], own[5])]);
            1
        } else {
            0
        };
        for (k, span) in self.spans.iter().enumerate().skip(hanging) {
            let mut motion = self.parents[k].map_or([Vec3::zeros(); 2], |parent| out[parent]);
            for ([v, w], rate) in self.axes[span.clone()].iter().zip(&rates[span.clone()]) {
                motion[0] += *rate * v;
                motion[1] += *rate * w;
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
            let mut own = row[r] * rates[r];
            for c in first..r {
                own += row[c] * rates[c];
                out[c] += row[c] * rates[r];
            }
            out[r] += own;
        }
    }

    /// Coordinates that move any of some links, the lowest first.
    pub(super) fn set_paths(&self, links: impl Iterator<Item = usize>, columns: &mut Vec<usize>) {
        columns.clear();
        let mut count = 0;
        for link in links {
            columns.extend_from_slice(self.path(link));
            count += 1;
        }
        if count > 1 {
            columns.sort_unstable();
            columns.dedup();
        }
    }

    /// What each coordinate makes the velocity of a's place relative to b's, of two links or a link and ground. `columns` has those coordinates, the lowest first, and `place` the
    /// velocity of each.
    pub(super) fn set_columns(
        &self,
        links: &[Option<usize>; 2],
        at: &Vec3,
        columns: &mut Vec<usize>,
        place: &mut Vec<Vec3>,
    ) {
        self.set_paths(links.iter().flatten().copied(), columns);
        place.resize(self.count(), Vec3::zeros());
        for c in &*columns {
            place[*c] = Vec3::zeros();
        }
        let from = at - self.origin;
        for (link, sign) in links.iter().zip([1.0, -1.0]) {
            for c in link.map_or(&[][..], |link| self.path(link)) {
                let [v, w] = &self.axes[*c];
                place[*c] += sign * (v + w.cross(&from));
            }
        }
    }
}

/// Numbers that a processor takes together: rows are that long, or a multiple of it, and zero beyond their end.
const FOUR: usize = 4;
type Four = [f64; FOUR];

/// Sum of products.
#[inline]
fn product(x: &[Four], y: &[Four]) -> f64 {
    let mut parts = [0.0; FOUR];
    for (x, y) in x.iter().zip(y) {
        for k in 0..FOUR {
            parts[k] += x[k] * y[k];
        }
    }
    (parts[0] + parts[1]) + (parts[2] + parts[3])
}

/// x ← x − share y.
#[inline]
fn subtract(x: &mut [Four], share: f64, y: &[Four]) {
    for (x, y) in x.iter_mut().zip(y) {
        for k in 0..FOUR {
            x[k] -= share * y[k];
        }
    }
}

/// Factor of the masses of a tree.
#[derive(Debug, Clone, Default)]
pub(super) struct Root {
    n: usize,
    factors: Factors,
}

impl Root {
    /// Fours of a row.
    fn width(&self) -> usize {
        self.n.div_ceil(FOUR)
    }

    /// Becomes that of the masses of a tree with `more` on the diagonal; whether there is one.
    pub(super) fn set(&mut self, dense: &Dense, more: impl Fn(usize) -> f64) -> bool {
        self.n = dense.count();
        self.factors.clear();
        // What is not a number is not positive.
        self.factors
            .push(&dense.mass, self.n, more, |left, _| left > 0.0)
            .is_ok()
    }

    /// What is moved so by momenta, in place.
    pub(super) fn solve(&self, x: &mut [f64]) {
        self.factors.solve(0, x);
    }

    /// R⁻ᵀx in place, the masses being RᵀR.
    fn forward(&self, x: &mut [f64]) {
        self.factors.forward(0, x);
        for (x, inverse) in x.iter_mut().zip(self.factors.inverse_roots(0)) {
            *x *= inverse;
        }
    }

    /// R⁻¹x in place.
    fn backward(&self, x: &mut [f64]) {
        for (x, inverse) in x.iter_mut().zip(self.factors.inverse_roots(0)) {
            *x *= inverse;
        }
        self.factors.backward(0, x);
    }
}

/// Rows of a least-squares problem: a motion that takes their values away with the least energy, in the norm of the masses RᵀR.
///
/// Rows touch few coordinates. Where they are well apart, a root of their products is taken; else they are made orthonormal one behind the other, as they are independent.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    /// Coordinates of each row, and R⁻ᵀaᵀ there, with where they end.
    columns: Vec<usize>,
    entries: Vec<f64>,
    ends: Vec<usize>,
    /// Root of the products of all rows, its lower half row by row with the inverses of its diagonal; whether that is what is used.
    products: Vec<f64>,
    are_apart: bool,
    orthonormal: Orthonormal,
    /// Values of rows as they were added, and what takes them away.
    pub(super) values: Vec<f64>,
    own: Vec<f64>,
    /// One row in all coordinates.
    work: Vec<Four>,
}

/// Part of the square of a row that is left beside those before, from which on it is well apart from them.
const APART: f64 = 1e-6;

impl Rows {
    /// Without any.
    pub(super) fn clear(&mut self) {
        self.columns.clear();
        self.entries.clear();
        self.ends.clear();
        self.values.clear();
        self.work.clear();
    }

    /// Adds a row that is nothing but in some coordinates, which have all that they hang on among them.
    pub(super) fn add(&mut self, root: &Root, columns: &[usize], row: impl Fn(usize) -> f64) {
        self.work.resize(root.width(), [0.0; FOUR]);
        let all = &mut self.work.as_flattened_mut()[..root.n];
        for c in columns {
            all[*c] = row(*c);
        }
        root.forward(all);
        for c in columns {
            self.entries.push(std::mem::take(&mut all[*c]));
        }
        self.columns.extend_from_slice(columns);
        self.ends.push(self.entries.len());
    }

    /// Once all are added: finds what takes values away.
    pub(super) fn finish(&mut self, root: &Root) {
        self.work.clear();
        self.work.resize(root.width(), [0.0; FOUR]);
        self.are_apart = self.find_products();
        if self.are_apart {
            return;
        }
        self.orthonormal.clear();
        let mut begin = 0;
        for end in &self.ends {
            self.work.fill([0.0; FOUR]);
            let row = begin..*end;
            begin = *end;
            for (c, x) in self.columns[row.clone()].iter().zip(&self.entries[row.clone()]) {
                self.work.as_flattened_mut()[*c] = *x;
            }
            let first = self.columns[row].first().map_or(root.width(), |c| c / FOUR);
            self.orthonormal.add(&mut self.work, first);
        }
    }

    /// The root of the products of all rows; false where one is not well apart from those before.
    fn find_products(&mut self) -> bool {
        self.products.clear();
        let all = self.work.as_flattened_mut();
        let mut begin = 0;
        for (i, end) in self.ends.iter().enumerate() {
            let (columns, entries) = (&self.columns[begin..*end], &self.entries[begin..*end]);
            for (c, x) in columns.iter().zip(entries) {
                all[*c] = *x;
            }
            let (before, first) = (self.products.len(), begin);
            let (mut other, mut line) = (0, 0);
            for (k, next) in self.ends[..i].iter().enumerate() {
                let row = self.columns[other..*next].iter().zip(&self.entries[other..*next]);
                let along: f64 = row.map(|(c, x)| all[*c] * x).sum();
                let known = self.products[before..].iter().zip(&self.products[line..line + k]);
                let left = known.fold(along, |left, (x, y)| left - x * y);
                self.products.push(left * self.products[line + k]);
                (other, line) = (*next, line + k + 1);
            }
            let square = |list: &[f64]| list.iter().map(|x| x * x).sum::<f64>();
            let whole = square(&self.entries[first..*end]);
            let left = whole - square(&self.products[before..]);
            for c in columns {
                all[*c] = 0.0;
            }
            if left.is_nan() || left <= APART * whole {
                return false;
            }
            self.products.push(1.0 / left.sqrt());
            begin = *end;
        }
        true
    }

    /// Takes the values away from a motion.
    pub(super) fn take_from(&mut self, root: &Root, motion: &mut [f64]) {
        self.work.clear();
        self.work.resize(root.width(), [0.0; FOUR]);
        if self.are_apart {
            self.solve_products();
            let all = self.work.as_flattened_mut();
            let mut begin = 0;
            for (end, value) in self.ends.iter().zip(&self.own) {
                for (c, x) in self.columns[begin..*end].iter().zip(&self.entries[begin..*end]) {
                    all[*c] += value * x;
                }
                begin = *end;
            }
        } else {
            self.orthonormal.take(&self.values, &mut self.own, &mut self.work);
        }
        root.backward(&mut self.work.as_flattened_mut()[..root.n]);
        for (x, y) in motion.iter_mut().zip(self.work.as_flattened()) {
            *x -= y;
        }
    }

    /// From the values to the shares of the rows whose sum has them.
    fn solve_products(&mut self) {
        self.own.clear();
        let mut line = 0;
        for (k, value) in self.values.iter().enumerate() {
            let known = self.products[line..line + k].iter().zip(&self.own);
            let left = known.fold(*value, |left, (x, y)| left - x * y);
            self.own.push(left * self.products[line + k]);
            line += k + 1;
        }
        for k in (0..self.own.len()).rev() {
            line -= k + 1;
            let (before, rest) = self.own.split_at_mut(k);
            rest[0] *= self.products[line + k];
            for (x, y) in before.iter_mut().zip(&self.products[line..line + k]) {
                *x -= rest[0] * y;
            }
        }
    }
}

/// Rows made orthonormal one behind the other.
#[derive(Debug, Clone, Default)]
struct Orthonormal {
    /// Those that are independent, and the first four of each that are not zero.
    kept: Vec<Four>,
    begins: Vec<usize>,
    /// Of each row as it was added: its shares of those kept before it, and what is left of it; nothing where it follows from them.
    shares: Vec<f64>,
    left: Vec<f64>,
}

/// A row of which this part is left beside those before is free of them to rounding.
const TWICE: f64 = 0.5;
/// A row of which less than this part is left beside those before follows from them.
const FOLLOWS: f64 = 1e-7;

impl Orthonormal {
    fn clear(&mut self) {
        self.kept.clear();
        self.begins.clear();
        self.shares.clear();
        self.left.clear();
    }

    /// Adds a row that is zero before a four; it is overwritten.
    fn add(&mut self, row: &mut [Four], mut begin: usize) {
        let (width, first) = (row.len(), self.shares.len());
        let norm = |x: &[Four]| product(x, x).sqrt();
        let size = norm(row);
        let mut left = size;
        self.shares.resize(first + self.begins.len(), 0.0);
        // Twice where much of it goes: what rounding leaves of the first time.
        for _ in 0..2 {
            let kept = self.kept.chunks_exact(width).zip(&self.begins);
            for ((kept, zeros), known) in kept.zip(&mut self.shares[first..]) {
                let both = begin.max(*zeros);
                let share = product(&kept[both..], &row[both..]);
                *known += share;
                begin = begin.min(*zeros);
                subtract(&mut row[*zeros..], share, &kept[*zeros..]);
            }
            left = norm(row);
            if left > TWICE * size {
                break;
            }
        }
        let is_kept = left > FOLLOWS * size;
        self.left.push(if is_kept { left } else { 0.0 });
        if is_kept {
            let inverse = 1.0 / left;
            self.kept.extend(row.iter().map(|x| x.map(|x| x * inverse)));
            self.begins.push(begin);
        }
    }

    /// The sum of rows that has these values; `own` are its shares.
    fn take(&self, values: &[f64], own: &mut Vec<f64>, sum: &mut [Four]) {
        own.clear();
        let mut shares = &self.shares[..];
        for (value, left) in values.iter().zip(&self.left) {
            let (known, rest) = shares.split_at(own.len());
            shares = rest;
            if *left > 0.0 {
                let known: f64 = known.iter().zip(&*own).map(|(x, y)| x * y).sum();
                own.push((value - known) / left);
            }
        }
        for ((kept, begin), value) in self.kept.chunks_exact(sum.len()).zip(&self.begins).zip(&*own) {
            subtract(&mut sum[*begin..], -value, &kept[*begin..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Masses in five coordinates of which the last two are those of what the others hang on.
    fn root() -> Root {
        let mass = [
            [2.5, 0.0, 0.0, 0.3, -0.4],
            [0.0, 1.5, 0.0, -0.2, 0.1],
            [0.0, 0.0, 4.0, 0.5, 0.25],
            [0.3, -0.2, 0.5, 3.0, 0.6],
            [-0.4, 0.1, 0.25, 0.6, 2.0],
        ];
        let mut root = Root {
            n: 5,
            ..Root::default()
        };
        let found = root.factors.push(mass.as_flattened(), 5, |_| 0.0, |left, _| left > 0.0);
        assert!(found.is_ok());
        root
    }

    /// The motion that takes values away, with rows that are apart or made orthonormal.
    fn taken(list: &[([usize; 3], [f64; 3])], values: &[f64], is_apart: bool) -> Vec<f64> {
        let (root, mut rows) = (root(), Rows::default());
        for (columns, row) in list {
            let place = |c: usize| columns.iter().position(|x| *x == c).map_or(0.0, |k| row[k]);
            rows.add(&root, columns, place);
        }
        rows.finish(&root);
        assert_eq!(rows.are_apart, is_apart);
        rows.values.extend_from_slice(values);
        let mut motion = vec![0.0; 5];
        rows.take_from(&root, &mut motion);
        for ((columns, row), value) in list.iter().zip(values) {
            let along: f64 = columns.iter().zip(row).map(|(c, x)| motion[*c] * x).sum();
            assert!((along + value).abs() < 1e-12, "{along} {value}");
        }
        motion
    }

    #[test]
    fn rows_that_are_apart_move_as_rows_made_orthonormal() {
        let list = [([0, 3, 4], [1.0, 0.5, -0.5]), ([1, 3, 4], [0.7, 0.25, 1.0])];
        let motion = taken(&list, &[0.3, -0.2], true);
        // The second row again follows from the others.
        let again = [list[0], list[1], list[1]];
        let same = taken(&again, &[0.3, -0.2, -0.2], false);
        for (x, y) in motion.iter().zip(&same) {
            assert!((x - y).abs() < 1e-14, "{motion:?} {same:?}");
        }
    }
}
