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
