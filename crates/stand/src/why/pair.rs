//! Contacts gathered by pairs of bodies: sums, centre of pressure, what the pair alone carries, how far it is from slipping and from tipping.

use std::collections::BTreeMap;

use stiction_sim::Vec3;

use super::moment::{ContactAt, Does, Moment};
use super::reach::Reach;
use super::words::sentence;
use super::{Pair, PairState, Point, Slip, Tip};

/// Normals whose product is at least this are one.
const ONE_NORMAL: f64 = 1.0 - 1e-9;
/// Lengths below this share of the extent of the contacts count as none.
const FLAT: f64 = 1e-9;
/// Forces below this share of the largest force of the moment are rounding.
const ROUNDING: f64 = 1e-10;

/// Contacts of two bodies, with their sums.
#[derive(Debug, Clone)]
pub(super) struct PairAt {
    /// Pushed along the normals, and the other.
    pub(super) bodies: [usize; 2],
    pub(super) contacts: Vec<usize>,
    /// N \[N\].
    pub(super) normal_force: f64,
    /// Friction on the first body \[N\].
    pub(super) friction: Vec3,
    /// Common normal, if there is one.
    normal: Option<Vec3>,
    /// Largest force of the moment \[N\].
    scale: f64,
}

/// All pairs of a moment, in the order of their first contacts.
pub(super) fn pairs(moment: &Moment) -> Vec<PairAt> {
    let mut places: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    let mut pairs: Vec<PairAt> = Vec::new();
    let scale = moment.contacts.iter().fold(0.0, |m: f64, c| m.max(c.force));
    for (i, c) in moment.contacts.iter().enumerate() {
        let [a, b] = c.bodies;
        let place = *places.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            pairs.push(PairAt {
                bodies: c.bodies,
                contacts: Vec::new(),
                normal_force: 0.0,
                friction: Vec3::zeros(),
                normal: Some(c.normal),
                scale,
            });
            pairs.len() - 1
        });
        let pair = &mut pairs[place];
        let sign = pair.sign_of(c);
        pair.contacts.push(i);
        pair.normal_force += c.force;
        pair.friction += sign * c.friction;
        pair.normal = pair.normal.filter(|normal| sign * normal.dot(&c.normal) >= ONE_NORMAL);
    }
    pairs
}

impl PairAt {
    pub(super) fn names<'a>(&self, moment: &'a Moment) -> [&'a str; 2] {
        self.bodies.map(|body| moment.bodies[body].name.as_str())
    }

    /// 1 where a contact pushes the first body of the pair along its normal, −1 where the second.
    pub(super) fn sign(&self, moment: &Moment, contact: usize) -> f64 {
        self.sign_of(&moment.contacts[contact])
    }

    fn sign_of(&self, contact: &ContactAt) -> f64 {
        if contact.bodies == self.bodies { 1.0 } else { -1.0 }
    }

    fn members<'a>(&'a self, moment: &'a Moment) -> impl Iterator<Item = &'a ContactAt> {
        self.contacts.iter().map(|i| &moment.contacts[*i])
    }

    /// What is reported of the pair.
    pub(super) fn row(&self, moment: &Moment, reach: &Reach, with_points: bool) -> Pair {
        let [a, b] = self.names(moment);
        let state = self.state(moment);
        let limit: f64 = self
            .members(moment)
            .map(|c| if c.force > 0.0 { c.mu * c.force } else { 0.0 })
            .sum();
        let limit = (limit.is_finite() && moment_has_limit(moment)).then_some(limit);
        let friction_force = self.rounded(self.friction.norm());
        let slides = state == PairState::Sliding;
        let rubbed: f64 = self.members(moment).map(|c| c.friction.norm()).sum();
        let used = limit.filter(|limit| *limit > 0.0).map(|limit| {
            let share = if slides { rubbed } else { friction_force } / limit;
            share.min(1.0)
        });
        let point = self.centre_of_pressure(moment);
        let carried = self.carried(moment);
        let twist = self.normal.zip(point).map(|(normal, point)| {
            let twist = self
                .members(moment)
                .map(|c| self.sign_of(c) * (c.point - point).cross(&c.friction))
                .sum::<Vec3>();
            twist.dot(&normal)
        });
        let extent = self
            .members(moment)
            .fold(0.0, |m: f64, c| m.max(point.map_or(0.0, |p| (c.point - p).norm())));
        let twist = twist.map(|twist| {
            if twist.abs() <= ROUNDING * self.scale * extent {
                0.0
            } else {
                twist.abs()
            }
        });
        let mut row = Pair {
            a: a.to_owned(),
            b: b.to_owned(),
            contacts: self.contacts.len(),
            normal_force: self.rounded(self.normal_force),
            friction_force,
            limit,
            used,
            state,
            slip_speed: self
                .members(moment)
                .filter(|c| c.does == Does::Slides)
                .filter_map(|c| c.slip_speed)
                .reduce(f64::max),
            known: reach.known,
            normal_range: reach.normal,
            friction_range: reach.friction,
            point: point.map(|p| [p.x, p.y, p.z]),
            normal: self.normal.map(|n| [n.x, n.y, n.z]),
            twist,
            slip: self.slip(state, limit, friction_force),
            tip: point.and_then(|point| self.tip(moment, point, carried.as_ref())),
            carries: carried
                .iter()
                .flat_map(|load| &load.bodies)
                .map(|body| moment.bodies[*body].name.clone())
                .collect(),
            sentence: String::new(),
            points: if with_points {
                self.points(moment, reach)
            } else {
                Vec::new()
            },
        };
        row.sentence = sentence(&row, self.subject(moment, carried.as_ref()));
        row
    }

    fn rounded(&self, force: f64) -> f64 {
        if force.abs() <= ROUNDING * self.scale {
            0.0
        } else {
            force
        }
    }

    fn state(&self, moment: &Moment) -> PairState {
        let has = |does: Does| self.members(moment).any(|c| c.does == does);
        match (has(Does::Sticks), has(Does::Slides), has(Does::Touches)) {
            (true, true, _) => PairState::PartlySliding,
            (true, false, _) => PairState::Sticking,
            (false, true, _) => PairState::Sliding,
            (false, false, true) => PairState::Touching,
            (false, false, false) => PairState::Apart,
        }
    }

    /// Where the normal forces act together.
    fn centre_of_pressure(&self, moment: &Moment) -> Option<Vec3> {
        let loaded = self.normal_force > ROUNDING * self.scale && self.normal_force > 0.0;
        loaded.then(|| self.members(moment).map(|c| c.force * c.point).sum::<Vec3>() / self.normal_force)
    }

    fn slip(&self, state: PairState, limit: Option<f64>, friction: f64) -> Option<Slip> {
        let (limit, _) = limit.zip(self.normal)?;
        let normal = self.normal_force;
        if normal <= ROUNDING * self.scale {
            return None;
        }
        if state == PairState::Sliding {
            return Some(Slip { force: 0.0, angle: 0.0 });
        }
        let angle = (libm::atan2(limit, normal) - libm::atan2(friction, normal)).to_degrees();
        Some(Slip {
            force: (limit - friction).max(0.0),
            angle: angle.max(0.0),
        })
    }

    /// The polygon of what is closed, and how far the centre of pressure is inside.
    fn tip(&self, moment: &Moment, point: Vec3, load: Option<&Load>) -> Option<Tip> {
        let normal = self.normal?;
        let polygon = |points: &[Vec3]| {
            if moment.planar {
                ends(points, normal)
            } else {
                sides(points, normal)
            }
        };
        let closed = self.members(moment).filter(|c| c.does != Does::Apart).map(|c| c.point);
        let sides = polygon(&closed.collect::<Vec<_>>());
        if sides.is_empty() {
            // It tips where all that is closed lies on one side of what has opened.
            let all: Vec<Vec3> = self.members(moment).map(|c| c.point).collect();
            let (force, angle) = (load.map(|_| 0.0), load.map(|_| 0.0));
            return (!polygon(&all).is_empty()).then_some(Tip {
                distance: 0.0,
                used: 1.0,
                force,
                angle,
            });
        }
        let mut tip: Option<Tip> = None;
        // Height of the centre of mass of what is carried, on its side of the surface.
        let height = load.map(|load| (load.centre - point).dot(&normal).abs()).filter(|_| {
            load.is_some_and(|load| {
                let up = if load.bodies.contains(&self.bodies[0]) {
                    normal
                } else {
                    -normal
                };
                (load.centre - point).dot(&up) > 0.0
            })
        });
        for side in sides {
            let distance = (side.at - point).dot(&side.outward).max(0.0);
            let used = (1.0 - 2.0 * distance / side.width).clamp(0.0, 1.0);
            let turn = load.zip(height).map(|(load, height)| {
                let out = (point - load.centre).dot(&side.outward);
                let angle = libm::atan2(out + distance, height) - libm::atan2(out, height);
                (self.normal_force * distance / height, angle.to_degrees())
            });
            let found = tip.get_or_insert(Tip {
                distance,
                used,
                force: None,
                angle: None,
            });
            if distance < found.distance {
                (found.distance, found.used) = (distance, used);
            }
            if let Some((force, angle)) = turn {
                found.force = Some(found.force.map_or(force, |least| least.min(force)));
                found.angle = Some(found.angle.map_or(angle, |least| least.min(angle)));
            }
        }
        tip
    }

    /// What would fall without this pair: bodies on one side of it that nothing else holds.
    fn carried(&self, moment: &Moment) -> Option<Load> {
        if self.normal_force <= ROUNDING * self.scale {
            return None;
        }
        self.bodies.iter().find_map(|start| self.beyond(moment, *start))
    }

    /// Bodies that hang together with one of the two without this pair, if no ground is among them and the other is not.
    fn beyond(&self, moment: &Moment, start: usize) -> Option<Load> {
        let mut seen = vec![start];
        let mut open = vec![start];
        let other = self.bodies.iter().copied().find(|body| *body != start)?;
        while let Some(body) = open.pop() {
            if !moment.is_free(body) || body == other {
                return None;
            }
            let by_contact = moment.contacts.iter().filter(|c| {
                let is_this =
                    c.bodies == self.bodies || (c.bodies[0] == self.bodies[1] && c.bodies[1] == self.bodies[0]);
                c.force > ROUNDING * self.scale && !is_this && c.bodies.contains(&body)
            });
            let joined = moment.jointed.iter().filter(|bodies| bodies.contains(&body)).flatten();
            for next in by_contact.flat_map(|c| &c.bodies).chain(joined) {
                if !seen.contains(next) {
                    seen.push(*next);
                    open.push(*next);
                }
            }
        }
        seen.sort_unstable();
        let masses = seen
            .iter()
            .filter_map(|body| Some((moment.bodies[*body].mass?, moment.bodies[*body].centre)));
        let (mass, moment_of_mass) = masses.fold((0.0, Vec3::zeros()), |(m, mx), (mass, x)| (m + mass, mx + mass * x));
        (mass > 0.0).then(|| Load {
            bodies: seen,
            centre: moment_of_mass / mass,
        })
    }

    /// Names of what is spoken of and of the other.
    fn subject<'a>(&self, moment: &'a Moment, load: Option<&Load>) -> [&'a str; 2] {
        let [a, b] = self.names(moment);
        let first = match load {
            Some(load) => load.bodies.contains(&self.bodies[0]),
            None => moment.is_free(self.bodies[0]),
        };
        if first { [a, b] } else { [b, a] }
    }

    fn points(&self, moment: &Moment, reach: &Reach) -> Vec<Point> {
        let point = |(place, c): (usize, &ContactAt)| {
            let (unique, normal_range) = reach.points.get(place).copied().unwrap_or_default();
            let limit = c.mu * c.force;
            let friction_force = self.rounded(c.friction.norm());
            Point {
                point: [c.point.x, c.point.y, c.point.z],
                normal_force: self.rounded(c.force),
                friction_force,
                used: (limit.is_finite() && limit > 0.0 && moment_has_limit(moment))
                    .then(|| (friction_force / limit).min(1.0)),
                state: match c.does {
                    Does::Apart => PairState::Apart,
                    Does::Touches => PairState::Touching,
                    Does::Sticks => PairState::Sticking,
                    Does::Slides => PairState::Sliding,
                },
                unique: unique.or(c.unique),
                normal_range,
            }
        };
        self.members(moment).enumerate().map(point).collect()
    }
}

/// Whether the law limits friction by the normal force.
fn moment_has_limit(moment: &Moment) -> bool {
    use stiction_contact::Law;
    matches!(
        moment.law,
        Law::Coulomb
            | Law::Polyhedral
            | Law::CoulombAcceleration
            | Law::CoulombAccelerationAsPublished
            | Law::Frictionless
    )
}

/// What a pair alone carries.
#[derive(Debug, Clone)]
struct Load {
    bodies: Vec<usize>,
    centre: Vec3,
}

/// A side of a support polygon.
struct Side {
    /// A point on it.
    at: Vec3,
    outward: Vec3,
    /// Extent of the polygon across it \[m\].
    width: f64,
}

/// In the plane of x and y: the two ends of a line of contacts.
fn ends(points: &[Vec3], normal: Vec3) -> Vec<Side> {
    let along = Vec3::new(normal.y, -normal.x, 0.0);
    let place = |p: &Vec3| p.dot(&along);
    let (Some(low), Some(high)) = (
        points.iter().copied().min_by(|p, q| place(p).total_cmp(&place(q))),
        points.iter().copied().max_by(|p, q| place(p).total_cmp(&place(q))),
    ) else {
        return Vec::new();
    };
    let width = place(&high) - place(&low);
    if width <= FLAT * high.norm().max(low.norm()) {
        return Vec::new();
    }
    vec![
        Side {
            at: low,
            outward: -along,
            width,
        },
        Side {
            at: high,
            outward: along,
            width,
        },
    ]
}

/// Sides of the convex hull of points in a plane: none where they lie on a line.
fn sides(points: &[Vec3], normal: Vec3) -> Vec<Side> {
    let [t1, t2] = stiction_contact::tangents([normal.x, normal.y, normal.z]).map(Vec3::from);
    let Some(origin) = points.first().copied() else {
        return Vec::new();
    };
    let flat = |p: &Vec3| [(p - origin).dot(&t1), (p - origin).dot(&t2)];
    let mut flat: Vec<[f64; 2]> = points.iter().map(flat).collect();
    flat.sort_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
    let extent = flat.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
    let cross = |o: [f64; 2], p: [f64; 2], q: [f64; 2]| (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
    // Andrew's monotone chain.
    let mut hull: Vec<[f64; 2]> = Vec::new();
    for pass in 0..2 {
        let begin = hull.len();
        let mut add = |p: [f64; 2]| {
            while hull.len() >= begin + 2
                && cross(hull[hull.len() - 2], hull[hull.len() - 1], p) <= FLAT * extent * extent
            {
                hull.pop();
            }
            hull.push(p);
        };
        for k in 0..flat.len() {
            add(flat[if pass == 0 { k } else { flat.len() - 1 - k }]);
        }
        hull.pop();
    }
    if hull.len() < 3 {
        return Vec::new();
    }
    let side = |k: usize| {
        let (p, q) = (hull[k], hull[(k + 1) % hull.len()]);
        let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
        let length = libm::hypot(dx, dy);
        let (nx, ny) = (dy / length, -dx / length);
        let depth = |r: &[f64; 2]| (p[0] - r[0]) * nx + (p[1] - r[1]) * ny;
        Side {
            at: origin + p[0] * t1 + p[1] * t2,
            outward: nx * t1 + ny * t2,
            width: hull.iter().map(depth).fold(0.0, f64::max),
        }
    };
    (0..hull.len()).map(side).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hull_leaves_out_what_lies_inside_or_on_a_side() {
        let points = [[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [2.0, 1.0], [1.0, 0.5], [0.0, 1.0]];
        let points: Vec<Vec3> = points.iter().map(|p| Vec3::new(p[0], p[1], 3.0)).collect();
        let found = sides(&points, Vec3::z());
        assert_eq!(found.len(), 4);
        let mut widths: Vec<f64> = found.iter().map(|side| side.width).collect();
        widths.sort_by(f64::total_cmp);
        assert_eq!(widths, [1.0, 1.0, 2.0, 2.0]);
        for side in &found {
            // The middle lies within every side.
            assert!((side.at - Vec3::new(1.0, 0.5, 3.0)).dot(&side.outward) > 0.4);
        }
        assert!(sides(&points[..3], Vec3::z()).is_empty());
        assert!(sides(&[], Vec3::z()).is_empty());
    }
}
