//! Rows of the contact problem along the coordinates of joints and tendons: dry friction, limits that are reached, and drives that may be at the end of their range.
//!
//! The rates of turns and slides are unknowns themselves, at the end of the step, so their rows have no change by free flight: they are those of `assemble.rs` with u_m = u_n.

use stiction_contact::{ContactProblem, ContactSolution};

use super::dense::Dense;
use super::links::{Along, Freedom, Link, Links};
use super::motors::Motored;
use super::place::Start;
use super::rows::{Root, Rows};
use super::touch::Found;
use super::{Trees, mass_of_body};
use crate::configuration::Configuration;
use crate::error::SimError;
use crate::joint_rows::limit_key;
use crate::midpoint::SPEED_ROUNDING;
use crate::midpoint::assemble::joint_name;
use crate::midpoint::finish::beyond_rounding;
use crate::model::Model;

/// A limit takes part in a step with arrivals where the coordinate is nearer than it goes in so many steps.
const NEAR: f64 = 4.0;

/// Share of its largest impulse below which friction holds: what gives way is at the largest but for rounding.
const HOLDS: f64 = 1.0 - 1e-12;
/// Room to a limit within which it is looked at \[rad or m\]: more than any that is rounding.
const REACH: f64 = 0.1;

/// What acts along a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Acts {
    /// Dry friction; whether it obeys the law with the mean speed of the step.
    Friction { mean: bool },
    /// A drive, by its number.
    Drive(usize),
    /// A limit.
    Limit { side: u64, sign: f64, bound: f64 },
}

/// A row of the problem along the coordinate of a joint or a tendon.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    /// Which of the numbers along coordinates.
    pub(super) along: usize,
    pub(super) acts: Acts,
    /// Speed at the start; nothing where it is rounding.
    speed: f64,
    /// Its place among the joint rows of the problem, or for a limit among the contacts.
    place: usize,
    /// Largest impulse.
    most: f64,
    /// Impulse along it.
    pub(super) impulse: f64,
    /// Whether it keeps the coordinate where it is: friction that does not give way, a limit that pushes.
    pub(super) holds: bool,
}

/// A number along coordinates at the start of a step.
#[derive(Debug, Clone, Copy, Default)]
struct Begin {
    x: f64,
    /// By how much it is more than the sum of its coordinates: whole turns of a tendon's terms.
    more: f64,
    /// Nothing where it is rounding.
    speed: f64,
    /// Room to a limit that is rounding, and speed.
    slack: f64,
    rounding: f64,
}

/// All such rows of a step.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines {
    begins: Vec<Begin>,
    pub(super) list: Vec<Line>,
    /// What they give along the coordinate of each link.
    pub(super) given: Vec<f64>,
    row: Vec<f64>,
    /// Coordinates that a row reaches, for a moment.
    columns: Vec<usize>,
    zeros: Vec<f64>,
}

impl Along {
    /// Its value in rates or coordinates of links.
    pub(super) fn sum(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.terms.iter().map(|(k, coefficient)| coefficient * of(*k)).sum()
    }
}

impl Lines {
    /// Reads the numbers along coordinates at the start of a step. Returns whether rows of any are needed whatever drives do; trees in which a limit is arrived at are marked.
    pub(super) fn read(&mut self, at: Configuration<'_>, links: &Links, starts: &[Start], events: &mut [bool]) -> bool {
        let model = at.model;
        let fall = model.settings.dt * model.settings.gravity.norm();
        let mut needed = false;
        self.begins.clear();
        for along in &links.alongs {
            let joint = &model.joints[along.joint];
            let of_one = along.sum(|k| starts[k].x);
            let mut begin = Begin {
                x: of_one,
                ..Begin::default()
            };
            if links.is_tendon(along) {
                begin.x = model.coordinate(along.joint, at.bodies).map_or(of_one, |row| row.error);
                begin.more = begin.x - of_one;
            }
            begin.speed = along.sum(|k| starts[k].rate.z);
            let near = |(_, sign, bound): (u64, f64, f64)| sign * (begin.x - bound) <= REACH;
            if joint.friction > 0.0 || joint.sides().any(near) {
                begin.slack = at.joint_slack(joint);
                let arm = if joint.kind.is_angle() {
                    model.joint_size(joint)
                } else {
                    1.0
                };
                let speed = |(k, c): &(usize, f64)| c.abs() * speed_of(at, &links.list[*k]);
                let speeds: f64 = along.terms.iter().map(speed).sum();
                begin.rounding = SPEED_ROUNDING * (speeds + fall / arm);
                if begin.speed.abs() <= begin.rounding {
                    begin.speed = 0.0;
                }
                needed |= joint.friction > 0.0;
                for (_, sign, bound) in joint.sides() {
                    if sign * (begin.x - bound) <= begin.slack {
                        needed |= sign * begin.speed <= 0.0;
                        events[along.tree] |= sign * begin.speed < 0.0;
                    }
                }
            }
            self.begins.push(begin);
        }
        needed
    }

    /// Coordinate and speed of a number at the start.
    pub(super) fn begin(&self, along: usize) -> [f64; 2] {
        [self.begins[along].x, self.begins[along].speed]
    }

    /// Adds all rows of a step to the problem, whose blocks are the trees.
    pub(super) fn add(
        &mut self,
        (model, h): (&Model, f64),
        (links, motors): (&Links, &mut [Motored]),
        dense: &[Dense],
        found: &Found,
        problem: &mut ContactProblem,
    ) -> Result<(), SimError> {
        self.list.clear();
        for (n, along) in links.alongs.iter().enumerate() {
            let (joint, begin) = (&model.joints[along.joint], self.begins[n]);
            let line = Line {
                along: n,
                acts: Acts::Friction { mean: false },
                speed: begin.speed,
                place: problem.joint_count(),
                most: h * joint.friction,
                impulse: 0.0,
                holds: false,
            };
            if joint.friction > 0.0 {
                let mean = begin.speed != 0.0
                    && !found.events[along.tree]
                    && !found.stopping.contains(&joint_name(along.joint));
                let bias = if mean { begin.speed } else { 0.0 };
                self.set_row(links, along, dense, 1.0);
                let row = problem.add_joint(&[(along.tree, &self.row)], bias)?;
                problem.set_yield(row, 0.0, h * joint.friction)?;
                self.list.push(Line {
                    acts: Acts::Friction { mean },
                    ..line
                });
            }
            for (side, sign, bound) in joint.sides() {
                let (room, speed) = (sign * (begin.x - bound), sign * begin.speed);
                let is_event = found.events[along.tree];
                let is_near = if is_event {
                    room + NEAR * h * speed.min(0.0) <= begin.slack || found.passed.contains(&(n, side))
                } else {
                    room <= begin.slack && speed <= 0.0
                };
                if !is_near {
                    continue;
                }
                let bias = if is_event { room.max(0.0) / h } else { 0.0 };
                self.set_row(links, along, dense, sign);
                let rows: [&[f64]; 3] = [&self.row, &self.zeros, &self.zeros];
                let place = problem.add_contact(&[(along.tree, rows)], 0.0)?;
                problem.set_bias(place, [bias, 0.0, 0.0])?;
                problem.set_key(place, limit_key(model.ids.joints[along.joint], side))?;
                self.list.push(Line {
                    acts: Acts::Limit { side, sign, bound },
                    place,
                    ..line
                });
            }
        }
        for (m, motor) in motors.iter_mut().enumerate() {
            let (Some(_), Some((compliance, bias))) = (motor.given, motor.row(h)) else {
                continue;
            };
            let along = &links.alongs[motor.along];
            self.set_row(links, along, dense, 1.0);
            let place = problem.add_joint(&[(along.tree, &self.row)], bias)?;
            problem.set_yield(place, compliance, motor.most(h))?;
            self.list.push(Line {
                along: motor.along,
                acts: Acts::Drive(m),
                speed: self.begins[motor.along].speed,
                place,
                most: motor.most(h),
                impulse: 0.0,
                holds: false,
            });
        }
        Ok(())
    }

    /// The row of a number, times a sign, over the coordinates of its tree.
    fn set_row(&mut self, links: &Links, along: &Along, dense: &[Dense], sign: f64) {
        let (dense, first) = (&dense[along.tree], links.trees[along.tree].first);
        for row in [&mut self.row, &mut self.zeros] {
            row.clear();
            row.resize(dense.count(), 0.0);
        }
        for (k, coefficient) in &along.terms {
            self.row[dense.spans[k - first].start] += sign * coefficient;
        }
    }

    /// Takes impulses from the answer; those of drives are handed to them.
    pub(super) fn take(&mut self, links: &Links, motors: &mut [Motored], solution: &ContactSolution) {
        self.given.clear();
        self.given.resize(links.list.len(), 0.0);
        for line in &mut self.list {
            line.impulse = match line.acts {
                Acts::Limit { sign, .. } => sign * solution.normal_impulse[line.place],
                _ => solution.joint_impulse[line.place],
            };
            line.holds = match line.acts {
                Acts::Friction { .. } => line.impulse.abs() < HOLDS * line.most,
                Acts::Limit { .. } => line.impulse != 0.0,
                Acts::Drive(m) => {
                    motors[m].given = Some(line.impulse);
                    false
                }
            };
            let along = &links.alongs[line.along];
            // A drive of a joint is asked for what it gives by itself.
            if matches!(line.acts, Acts::Drive(_)) && !links.is_tendon(along) {
                continue;
            }
            for (k, coefficient) in &along.terms {
                self.given[*k] += coefficient * line.impulse;
            }
        }
    }

    /// Finds friction that obeys the law with its mean speed but stops or turns round in the step, and trees to which the other gives energy: their numbers are added.
    /// `ends` are the rates of the links' coordinates at the end.
    pub(super) fn find_stopping(
        &self,
        links: &Links,
        ends: impl Fn(usize) -> f64,
        stopping: &mut Vec<u64>,
        given: &mut [f64],
    ) {
        for line in &self.list {
            let Acts::Friction { mean } = line.acts else { continue };
            let along = &links.alongs[line.along];
            let end = along.sum(&ends);
            if mean && end * line.speed <= 0.0 {
                stopping.push(joint_name(along.joint));
            } else if !mean {
                given[along.tree] += 0.5 * line.impulse * (end + line.speed);
            }
        }
    }

    /// Adds the rows that hold coordinates of a tree at its end.
    pub(super) fn add_held(&mut self, links: &Links, (t, dense): (usize, &[Dense]), root: &Root, rows: &mut Rows) {
        for n in 0..self.list.len() {
            let line = self.list[n];
            let along = &links.alongs[line.along];
            if line.holds && along.tree == t {
                self.set_row(links, along, dense, 1.0);
                let first = links.trees[t].first;
                dense[t].set_paths(along.terms.iter().map(|(k, _)| k - first), &mut self.columns);
                rows.add(root, &self.columns, |c| self.row[c]);
            }
        }
    }

    fn held<'a>(&'a self, links: &'a Links, t: usize) -> impl Iterator<Item = (&'a Line, &'a Along)> {
        let all = self.list.iter().map(|line| (line, &links.alongs[line.along]));
        all.filter(move |(line, along)| line.holds && along.tree == t)
    }

    /// By how much these are off in place.
    pub(super) fn push_offs(
        &self,
        (model, links): (&Model, &Links),
        t: usize,
        starts: &[Start],
        values: &mut Vec<f64>,
    ) {
        for (line, along) in self.held(links, t) {
            let begin = &self.begins[line.along];
            let x = along.sum(|k| starts[k].x) + begin.more;
            let off = match line.acts {
                Acts::Limit { bound, .. } => x - bound,
                // How far it goes until it stops is not the row's to say.
                _ if line.speed != 0.0 => 0.0,
                _ => x - begin.x,
            };
            let joint = &model.joints[along.joint];
            let size = if joint.kind.is_angle() {
                1.0
            } else {
                model.joint_size(joint)
            };
            values.push(beyond_rounding(off, size));
        }
    }

    /// And in speed.
    pub(super) fn push_speeds(&self, links: &Links, t: usize, rates: impl Fn(usize) -> f64, values: &mut Vec<f64>) {
        values.extend(self.held(links, t).map(|(_, along)| along.sum(&rates)));
    }

    /// Sides of limits in a tree that are reached at its end: numbers along coordinates, side and sign.
    fn reached<'a>(
        &'a self,
        (model, links): (&'a Model, &'a Links),
        t: usize,
        starts: &'a [Start],
    ) -> impl Iterator<Item = (usize, u64, f64)> + 'a {
        let own = links
            .alongs
            .iter()
            .enumerate()
            .filter(move |(_, along)| along.tree == t);
        own.flat_map(move |(n, along)| {
            let (joint, begin) = (&model.joints[along.joint], &self.begins[n]);
            let x = along.sum(|k| starts[k].x) + begin.more;
            let sides = joint
                .sides()
                .filter(move |(_, sign, bound)| sign * (x - bound) <= begin.slack);
            sides.map(move |(side, sign, _)| (n, side, sign))
        })
    }

    /// Whether a coordinate of a tree goes on beyond a limit that is reached at its end.
    pub(super) fn any_approaches(
        &self,
        (model, links): (&Model, &Links),
        t: usize,
        (starts, rate): (&[Start], impl Fn(usize) -> f64),
    ) -> bool {
        let mut reached = self.reached((model, links), t, starts);
        reached.any(|(n, _, sign)| -sign * links.alongs[n].sum(&rate) > self.begins[n].rounding)
    }

    /// What friction and limits give: along what, how much, and whether it is friction.
    pub(super) fn passive<'a>(&'a self, links: &'a Links) -> impl Iterator<Item = (&'a Along, f64, bool)> + 'a {
        let own = self.list.iter().filter(|line| !matches!(line.acts, Acts::Drive(_)));
        own.map(|line| {
            let is_friction = matches!(line.acts, Acts::Friction { .. });
            (&links.alongs[line.along], line.impulse, is_friction)
        })
    }

    /// Whether a limit of a tree has pushed that was not reached at the start.
    pub(super) fn any_arrived(&self, links: &Links, t: usize) -> bool {
        self.held(links, t).any(|(line, _)| {
            let begin = &self.begins[line.along];
            matches!(line.acts, Acts::Limit { sign, bound, .. } if sign * (begin.x - bound) > begin.slack)
        })
    }

    /// Adds the limits of a tree that are reached at its end to a problem of that tree alone.
    pub(super) fn add_reached(
        &mut self,
        (model, links): (&Model, &Links),
        (t, dense): (usize, &[Dense]),
        starts: &[Start],
        problem: &mut ContactProblem,
    ) -> Result<(), SimError> {
        for n in 0..links.alongs.len() {
            let along = &links.alongs[n];
            let (joint, begin) = (&model.joints[along.joint], self.begins[n]);
            let x = along.sum(|k| starts[k].x) + begin.more;
            for (side, sign, bound) in joint.sides() {
                if along.tree == t && sign * (x - bound) <= begin.slack {
                    self.set_row(links, along, dense, sign);
                    let place = problem.add_contact(&[(0, [&self.row, &self.zeros, &self.zeros])], 0.0)?;
                    problem.set_key(place, limit_key(model.ids.joints[along.joint], side))?;
                }
            }
        }
        Ok(())
    }

    /// Links that friction holds where they were at rest.
    pub(super) fn stuck<'a>(&'a self, links: &'a Links) -> impl Iterator<Item = usize> + 'a {
        let held = self.list.iter().filter(|line| line.holds && line.speed == 0.0);
        let held = held.filter(|line| matches!(line.acts, Acts::Friction { .. }));
        held.filter_map(|line| match &links.alongs[line.along].terms[..] {
            [(k, _)] => Some(*k),
            _ => None,
        })
    }
}

impl Trees {
    /// Finds limits beyond which a coordinate is at the end, and that no row holds; whether there are any. Something arrives in their trees.
    pub(super) fn find_passed(&mut self, model: &Model) -> bool {
        let Self {
            lines,
            links,
            starts,
            touching,
            ..
        } = self;
        let found = &mut touching.found;
        let mut any = false;
        for (n, along) in links.alongs.iter().enumerate() {
            let joint = &model.joints[along.joint];
            if joint.limits.is_none() {
                continue;
            }
            let x = along.sum(|k| starts[k].x) + lines.begins[n].more;
            for (side, sign, bound) in joint.sides() {
                let holds = |line: &Line| {
                    let is_side = matches!(line.acts, Acts::Limit { side: own, .. } if own == side);
                    line.along == n && is_side
                };
                if sign * (x - bound) < 0.0 && !lines.list.iter().any(holds) {
                    found.passed.push((n, side));
                    found.events[along.tree] = true;
                    any = true;
                }
            }
        }
        any
    }
}

/// What the speed of a link's coordinate is a difference of.
fn speed_of(at: Configuration<'_>, link: &Link) -> f64 {
    let of = |body: usize| {
        let state = &at.bodies[body];
        match link.freedom {
            Freedom::Slide => state.velocity.norm() + at.model.radius(body) * state.spin.norm(),
            _ => state.spin.norm(),
        }
    };
    of(link.body)
        + if mass_of_body(at.model, link.base).0 > 0.0 {
            of(link.base)
        } else {
            0.0
        }
}
