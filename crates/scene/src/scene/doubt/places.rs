//! Bodies that overlap at the start, or lie below the ground.
//!
//! Pairs come from a sweep along x. The narrow look has a budget: where a hostile file crowds bodies, what was found until then is said.

use std::collections::{BTreeMap, BTreeSet};

use super::{Look, MAX_NAMED, half_space, in_order, listed, short};
use crate::collision::Bounds;
use crate::scene::SceneBody;
use crate::scene::error::Report;
use crate::shape::Shape;
use crate::{Pose, Vec3};
use stiction_collide::query::{highest, separation};

/// Overlap below this share of the smaller body is rounding of the numbers in the file.
const OVERLAP_REL_TOL: f64 = 1e-4;
/// Pairs that a warning names before the rest is only counted.
const MAX_NAMED_PAIRS: usize = 4;
/// Comparisons of bounds, and of parts of shapes, at most.
const MAX_BOUNDS_COMPARED: usize = 20_000_000;
const MAX_PARTS_COMPARED: usize = 50_000_000;
/// Parts that a cylinder or an ellipsoid counts as: their depths are searched for.
const PARTS_OF_A_CYLINDER: usize = 200;

/// A body below a ground.
struct Below {
    body: usize,
    ground: usize,
    depth: f64,
}

/// Two bodies that overlap.
struct Overlap {
    pair: [usize; 2],
    depth: f64,
}

impl Look<'_> {
    /// Notes bodies that start in the wrong place.
    pub(super) fn places(&self, report: &mut Report<'_>) {
        let bodies = &self.scene.bodies;
        let bounds: Vec<Bounds> = bodies
            .iter()
            .map(|m| Bounds::of(&m.body.shape, &m.state.pose))
            .collect();
        let sunken = self.below_planes();
        let under = self.under_floors(&bounds);
        self.say_below(&sunken, report);
        self.say_below(&under, report);
        let below: BTreeSet<[usize; 2]> = sunken.iter().map(|one| in_order(&[one.body, one.ground])).collect();
        let mut overlaps = self.overlaps(&bounds);
        overlaps.retain(|overlap| !below.contains(&overlap.pair));
        // Depths that are equal except for rounding in the order of the bodies.
        let rounded = |overlap: &Overlap| short(overlap.depth).parse().unwrap_or(overlap.depth);
        overlaps.sort_by(|x, y| f64::total_cmp(&rounded(y), &rounded(x)).then(x.pair.cmp(&y.pair)));
        self.say_overlaps(&overlaps, report);
        self.parts(report);
    }

    /// One line for the bodies of a table below one ground.
    fn say_below(&self, below: &[Below], report: &mut Report<'_>) {
        let mut said: BTreeMap<(usize, usize), Vec<&Below>> = BTreeMap::new();
        for one in below {
            let Some(source) = self.source_of(one.body) else {
                continue;
            };
            said.entry((source.first, one.ground)).or_default().push(one);
        }
        for ((first, ground), all) in said {
            let Some(source) = self.source_of(first) else { continue };
            let name = |i: usize| self.scene.bodies[i].body.name.as_str();
            let deepest = all.iter().fold(0.0, |m: f64, one| m.max(one.depth));
            let names = listed(all.iter().map(|one| name(one.body)), MAX_NAMED);
            let text = format!("puts {names} wholly below {}, found {} m", name(ground), short(deepest));
            report.doubt(
                Some(source.at),
                &format!("{}.{}", source.path, place_key(&source.path)),
                text,
            );
        }
    }

    fn say_overlaps(&self, overlaps: &[Overlap], report: &mut Report<'_>) {
        let Some(deepest) = overlaps.first() else { return };
        let bodies = &self.scene.bodies;
        let joined: BTreeSet<[usize; 2]> = self.scene.joints.iter().map(|j| in_order(&[j.a, j.b])).collect();
        let words = |Overlap { pair, depth }: &Overlap| {
            let hint = if joined.contains(pair) {
                " (a joint does not keep them from colliding)"
            } else {
                ""
            };
            let [a, b] = pair.map(|i| &bodies[i].body.name);
            format!("{a} and {b} by {} m{hint}", short(*depth))
        };
        let texts: Vec<String> = overlaps.iter().map(words).collect();
        let Some(source) = self.source_of(deepest.pair[1]) else {
            return;
        };
        let text = format!(
            "bodies overlap at the start, found {}",
            listed(texts.iter().map(String::as_str), MAX_NAMED_PAIRS)
        );
        report.doubt(
            Some(source.at),
            &format!("{}.{}", source.path, place_key(&source.path)),
            text,
        );
    }

    /// Dynamic bodies wholly within a fixed half-space, with it and how far below its surface their highest point lies.
    fn below_planes(&self) -> Vec<Below> {
        let bodies = &self.scene.bodies;
        let (mut found, mut looked) = (Vec::new(), 0);
        for (ground, plane) in bodies.iter().enumerate() {
            let Some(normal) = half_space(&plane.body.shape) else {
                continue;
            };
            let normal = plane.state.pose.direction(normal);
            for (body, made) in bodies.iter().enumerate() {
                looked += 1;
                if !self.may_meet(body, ground) {
                    continue;
                }
                looked += weight(&made.body.shape);
                if looked > MAX_BOUNDS_COMPARED {
                    return found;
                }
                let top = highest(&made.body.shape, &made.state.pose, normal);
                let depth = top.map_or(0.0, |top| normal.dot(&plane.state.pose.position) - top);
                if depth > 0.0 {
                    found.push(Below { body, ground, depth });
                }
            }
        }
        found
    }

    /// Dynamic bodies below a fixed body that has an end, with nothing below them to fall on.
    fn under_floors(&self, bounds: &[Bounds]) -> Vec<Below> {
        let (bodies, gravity) = (&self.scene.bodies, self.scene.settings.gravity);
        let axis = gravity.iamax();
        let still: Vec<usize> = (0..bodies.len()).filter(|i| !bodies[*i].body.is_dynamic()).collect();
        let along_axis = gravity.norm() > 0.0 && gravity.norm() == gravity.amax();
        let endless = still.iter().any(|i| half_space(&bodies[*i].body.shape).is_some());
        if !along_axis || endless || still.len().saturating_mul(bodies.len()) > MAX_BOUNDS_COMPARED {
            return Vec::new();
        }
        // Lowest and highest point against gravity.
        let span = |i: usize| {
            let Bounds { low, high } = bounds[i];
            if gravity[axis] < 0.0 {
                [low[axis], high[axis]]
            } else {
                [-high[axis], -low[axis]]
            }
        };
        let over = |i: usize, j: usize| {
            let (a, b) = (&bounds[i], &bounds[j]);
            (0..3)
                .filter(|k| *k != axis)
                .all(|k| a.low[k] <= b.high[k] && b.low[k] <= a.high[k])
        };
        let mut found = Vec::new();
        for body in (0..bodies.len()).filter(|i| bodies[*i].body.is_dynamic() && !self.held[*i]) {
            let near = || {
                still
                    .iter()
                    .filter(|other| self.may_meet(body, **other) && over(body, **other))
            };
            if near().any(|other| span(*other)[0] < span(body)[1]) {
                continue;
            }
            if let Some(floor) = near().min_by(|x, y| span(**x)[0].total_cmp(&span(**y)[0])) {
                let posed = |i: usize| (&bodies[i].body.shape, &bodies[i].state.pose);
                let depth = separation(posed(body), posed(*floor)).map_or(0.0, |found| found.distance);
                let ground = *floor;
                found.push(Below { body, ground, depth });
            }
        }
        found
    }

    /// Whether two bodies may collide.
    fn may_meet(&self, a: usize, b: usize) -> bool {
        let bodies = &self.scene.bodies;
        let (one, other) = (&bodies[a].body, &bodies[b].body);
        let moves = one.is_dynamic() || other.is_dynamic();
        a != b && moves && one.groups & other.groups != 0 && !self.apart.contains(&in_order(&[a, b]))
    }

    /// Pairs that overlap by more than rounding.
    fn overlaps(&self, bounds: &[Bounds]) -> Vec<Overlap> {
        let ends = |b: &Bounds| b.low.iter().chain(b.high.iter()).all(|x| x.is_finite());
        let (mut finite, endless): (Vec<usize>, Vec<usize>) = (0..bounds.len()).partition(|i| ends(&bounds[*i]));
        finite.sort_by(|i, j| bounds[*i].low.x.total_cmp(&bounds[*j].low.x).then(i.cmp(j)));
        let mut search = Search {
            bodies: &self.scene.bodies,
            bounds,
            looked: 0,
            parts: 0,
            found: Vec::new(),
        };
        for i in &endless {
            for j in &finite {
                if !search.go_on() {
                    return search.found;
                }
                if self.may_meet(*i, *j) {
                    search.pair(*i, *j);
                }
            }
        }
        for (k, i) in finite.iter().enumerate() {
            for j in finite[k + 1..]
                .iter()
                .take_while(|j| bounds[**j].low.x <= bounds[*i].high.x)
            {
                if !search.go_on() {
                    return search.found;
                }
                if bounds[*i].meets(&bounds[*j]) && self.may_meet(*i, *j) {
                    search.pair(*i, *j);
                }
            }
        }
        search.found
    }

    /// Compounds whose mass follows from the volume of parts that overlap.
    fn parts(&self, report: &mut Report<'_>) {
        let mut cost = 0_usize;
        for (k, source) in self.sources.iter().enumerate() {
            let range = self.bodies_of(k);
            let made = &self.scene.bodies[range.start..range.end];
            let Some(Shape::Compound(parts)) = made.first().map(|made| &made.body.shape) else {
                continue;
            };
            if !source.has("volume") || !made[0].body.is_dynamic() {
                continue;
            }
            cost = cost.saturating_add(weight(&made[0].body.shape).saturating_pow(2));
            if cost > MAX_PARTS_COMPARED {
                return;
            }
            let pairs = (0..parts.len()).flat_map(|i| (i + 1..parts.len()).map(move |j| [i, j]));
            let deep = pairs.filter_map(|pair| {
                let [(pose_a, a), (pose_b, b)] = pair.map(|i| &parts[i]);
                let depth = -separation((a, pose_a), (b, pose_b))?.distance;
                let size = half_extent(&Bounds::of(a, pose_a)).min(half_extent(&Bounds::of(b, pose_b)));
                (depth > OVERLAP_REL_TOL * size).then_some((depth, pair))
            });
            if let Some((depth, [i, j])) = deep.max_by(|x, y| x.0.total_cmp(&y.0)) {
                let text = format!(
                    "has parts that overlap, whose common volume has twice the mass: {i} and {j}, found {} m",
                    short(depth)
                );
                report.doubt(Some(source.at), &format!("{}.shape.compound", source.path), text);
            }
        }
    }
}

/// A look for overlap that ends where it has cost too much.
struct Search<'a> {
    bodies: &'a [SceneBody],
    bounds: &'a [Bounds],
    looked: usize,
    parts: usize,
    found: Vec<Overlap>,
}

impl Search<'_> {
    fn go_on(&mut self) -> bool {
        self.looked += 1;
        self.looked <= MAX_BOUNDS_COMPARED && self.parts <= MAX_PARTS_COMPARED
    }

    fn pair(&mut self, i: usize, j: usize) {
        let [a, b] = [i.min(j), i.max(j)];
        let posed = |k: usize| -> (&Shape, &Pose) { (&self.bodies[k].body.shape, &self.bodies[k].state.pose) };
        self.parts += weight(posed(a).0).saturating_mul(weight(posed(b).0));
        let Some(found) = separation(posed(a), posed(b)) else {
            return;
        };
        let size = half_extent(&self.bounds[a]).min(half_extent(&self.bounds[b]));
        if -found.distance > OVERLAP_REL_TOL * size {
            self.found.push(Overlap {
                pair: [a, b],
                depth: -found.distance,
            });
        }
    }
}

/// Half the largest extent of bounds.
fn half_extent(bounds: &Bounds) -> f64 {
    0.5 * Vec3::max(&(bounds.high - bounds.low))
}

/// What a shape costs beside another, in parts.
fn weight(shape: &Shape) -> usize {
    match shape {
        Shape::Polytope(polytope) => polytope.edges.len(),
        Shape::Cylinder { .. } | Shape::Ellipsoid { .. } => PARTS_OF_A_CYLINDER,
        Shape::Mesh(_) | Shape::Planar(_) => 30,
        Shape::Compound(parts) => parts.iter().map(|(_, part)| weight(part)).sum(),
        Shape::HalfSpace { .. } | Shape::Ball { .. } | Shape::Capsule { .. } => 1,
    }
}

/// The key by which a table places its bodies.
fn place_key(path: &str) -> &'static str {
    if path.starts_with("body") || path.starts_with("urdf") {
        "position"
    } else {
        "base"
    }
}
