//! Whole turns of angles. Poses say an angle up to whole turns; a world counts these, so that limits, targets and readings may lie anywhere.
//!
//! Counted are the angles of revolute and planar joints, of turns of compounds and of the terms of tendons, where limits do not keep them within half a turn anyway. A step
//! takes an angle as the one nearest to that of its start. After the step the count is that nearest to what the speeds at both ends say, so that it is right for what turns faster than
//! half a turn in a step as well.

use std::f64::consts::{FRAC_PI_2, TAU};

use crate::configuration::Configuration;
use crate::joint::{Joint, JointKind, Row, turn_coordinate};
use crate::model::Model;
use crate::state::{BodyState, State};
use crate::transmission::{Freedom, is_within_turn};
use crate::world::World;

/// Angles of the joints of a model, and where the step began.
#[derive(Debug, Clone, Default)]
pub(crate) struct Angles {
    /// First angle of each joint among all, and their number.
    first: Vec<usize>,
    /// Each at the start of the step with its turns; NaN where it is that of the pose.
    start: Vec<f64>,
}

impl Angles {
    /// Becomes that of other joints.
    pub(crate) fn set(&mut self, joints: &[Joint]) {
        self.first.clear();
        self.start.clear();
        let mut count = 0;
        self.first.push(count);
        for joint in joints {
            count += joint.angle_count();
            self.first.push(count);
        }
    }

    /// Adds those of one more joint.
    pub(crate) fn push(&mut self, joint: &Joint) {
        if self.first.is_empty() {
            self.first.push(0);
        }
        self.first.push(self.count() + joint.angle_count());
        if !self.start.is_empty() {
            self.start.resize(self.count(), f64::NAN);
        }
    }

    /// Angles of all joints.
    pub(crate) fn count(&self) -> usize {
        self.first.last().copied().unwrap_or(0)
    }

    /// Number of an angle of a joint among all.
    fn slot(&self, joint: usize, angle: usize) -> usize {
        self.first[joint] + angle
    }

    /// Those of a joint.
    fn range(&self, joint: usize) -> std::ops::Range<usize> {
        self.first[joint]..self.first[joint + 1]
    }
}

/// An angle with the turns that bring it nearest to another.
fn nearest(angle: f64, to: f64) -> f64 {
    let turns = turns_between(angle, to);
    if turns == 0.0 { angle } else { angle + TAU * turns }
}

/// Whole turns from an angle to one near another; none where that is NaN.
fn turns_between(angle: f64, to: f64) -> f64 {
    if to.is_nan() { 0.0 } else { ((to - angle) / TAU).round() }
}

/// A count of turns as it is kept.
fn whole(turns: f64) -> i32 {
    // Saturates: what turns so often has long lost its digits.
    #[expect(clippy::cast_possible_truncation)]
    let turns = turns as i32;
    turns
}

impl Joint {
    /// Angles whose turns are counted.
    fn angle_count(&self) -> usize {
        match &self.kind {
            JointKind::Revolute | JointKind::Planar => 1,
            JointKind::Along(along) => usize::from(along.freedom() == Freedom::Turn),
            JointKind::Tendon(tendon) => tendon.terms.len(),
            _ => 0,
        }
    }

    /// The joint whose coordinate is an angle; none for a term of a tendon that slides.
    fn angle(&self, n: usize) -> Option<&Self> {
        match &self.kind {
            JointKind::Tendon(tendon) => tendon
                .terms
                .get(n)
                .map(|(_, term)| term)
                .filter(|term| term.kind.is_angle()),
            _ => Some(self),
        }
    }

    /// Whether limits keep the angle where the pose says it.
    fn stays_within_turn(&self) -> bool {
        let middle = match &self.kind {
            JointKind::Along(along) => along.compound.axes[along.index].middle,
            _ => 0.0,
        };
        is_within_turn(Freedom::Turn, self.limits.map(|limits| limits.map(|x| x - middle)))
    }

    /// The row of an angle as the pose says it.
    fn angle_row(&self, bodies: &[BodyState]) -> Option<Row> {
        match self.kind {
            JointKind::Planar => Some(turn_coordinate(&self.frames(bodies))),
            _ => self.coordinate(bodies),
        }
    }

    /// Whether an angle is within a quarter turn of 0: known without the angle, and for what has but one.
    fn is_far_from_half_turn(&self, bodies: &[BodyState]) -> bool {
        if !matches!(self.kind, JointKind::Revolute | JointKind::Planar) {
            return false;
        }
        let a = bodies[self.a].pose.rotation.into_inner() * self.frame_a.rotation.into_inner();
        let b = bodies[self.b].pose.rotation.into_inner() * self.frame_b.rotation.into_inner();
        let w = a.w * b.w + a.i * b.i + a.j * b.j + a.k * b.k;
        let z = a.k * b.w - a.w * b.k + a.i * b.j - a.j * b.i;
        z * z < w * w
    }

    /// The row of the coordinate where each angle has turns of its own.
    fn coordinate_with(&self, bodies: &[BodyState], angle: impl Fn(usize, f64) -> f64) -> Option<Row> {
        let mut row = self.coordinate(bodies)?;
        match &self.kind {
            JointKind::Tendon(tendon) => row.error = tendon.length(bodies, angle),
            kind if kind.is_angle() => row.error = angle(0, row.error),
            _ => {}
        }
        Some(row)
    }
}

impl Model {
    /// The row of the coordinate of a joint, as [`Joint::coordinate`], with whole turns counted: near to that at the start of the step.
    pub(crate) fn coordinate(&self, joint: usize, bodies: &[BodyState]) -> Option<Row> {
        let found = &self.joints[joint];
        if self.angles.start.is_empty() {
            return found.coordinate(bodies);
        }
        let start = &self.angles.start[self.angles.range(joint)];
        found.coordinate_with(bodies, |n, angle| nearest(angle, start[n]))
    }

    /// The coordinate of a joint that is no tendon, from that of its pose.
    pub(crate) fn near_start(&self, joint: usize, x: f64) -> f64 {
        if self.angles.start.is_empty() || !self.joints[joint].kind.is_angle() {
            return x;
        }
        nearest(x, self.angles.start[self.angles.range(joint).start])
    }

    /// Notes where the angles are at the start of a step.
    pub(crate) fn note_angles(&mut self, state: &State) {
        let mut start = std::mem::take(&mut self.angles.start);
        start.clear();
        start.resize(self.angles.count(), f64::NAN);
        let mut is_noted = false;
        for (k, joint) in self.joints.iter().enumerate() {
            for n in 0..joint.angle_count() {
                let slot = self.angles.slot(k, n);
                let turns = state.turns.get(slot).copied().unwrap_or(0);
                let Some(own) = joint.angle(n) else { continue };
                if turns == 0 && (own.stays_within_turn() || own.is_far_from_half_turn(&state.bodies)) {
                    continue;
                }
                if let Some(row) = own.angle_row(&state.bodies) {
                    start[slot] = row.error + TAU * f64::from(turns);
                    is_noted = true;
                }
            }
        }
        if !is_noted {
            start.clear();
        }
        self.angles.start = start;
    }

    /// Counts the turns of a step.
    pub(crate) fn count_turns(&self, [from, to]: [&State; 2], turns: &mut Vec<i32>) {
        turns.clone_from(&from.turns);
        let h = self.settings.dt;
        let [first, last] = [&from.bodies, &to.bodies].map(|bodies| Configuration::of(self, bodies));
        for (k, joint) in self.joints.iter().enumerate() {
            for n in 0..joint.angle_count() {
                let slot = self.angles.slot(k, n);
                let before = from.turns.get(slot).copied().unwrap_or(0);
                let Some(own) = joint.angle(n) else { continue };
                let is_noted = self.angles.start.get(slot).is_some_and(|x| !x.is_nan());
                if before == 0 && own.stays_within_turn() {
                    continue;
                }
                let spin = |at: &Configuration<'_>| at.bodies[own.a].spin.norm() + at.bodies[own.b].spin.norm();
                let is_slow = || h * spin(&first).max(spin(&last)) < FRAC_PI_2;
                if !is_noted && own.is_far_from_half_turn(&to.bodies) && is_slow() {
                    continue;
                }
                let (Some(start), Some(end)) = (own.angle_row(&from.bodies), own.angle_row(&to.bodies)) else {
                    continue;
                };
                let mean = 0.5 * (first.speed_along(own, &start) + last.speed_along(own, &end));
                let way = turns_between(end.error, start.error + h * mean);
                if way != 0.0 {
                    turns.resize(self.angles.count(), 0);
                    turns[slot] = before.saturating_add(whole(way));
                }
            }
        }
        if turns.iter().all(|turns| *turns == 0) {
            turns.clear();
        }
    }

    /// The turns of a joint that bring a coordinate of a pose within its limits, and to where the tendons over it find it.
    fn turns_within_limits(joint: &Joint, angle: f64) -> f64 {
        let Some([low, high]) = joint.limits.filter(|[low, high]| angle < *low || angle > *high) else {
            return 0.0;
        };
        let fits = |turns: &f64| (low..=high).contains(&(angle + TAU * turns));
        [1.0, -1.0].into_iter().find(fits).unwrap_or(0.0)
    }
}

impl World {
    /// The row of the coordinate of a joint with whole turns counted.
    pub(crate) fn counted_coordinate(&self, joint: usize) -> Option<Row> {
        let found = self.model.joints.get(joint)?;
        let turns = self.state.turns.get(self.model.angles.range(joint));
        let Some(turns) = turns else {
            return found.coordinate(&self.state.bodies);
        };
        found.coordinate_with(&self.state.bodies, |n, angle| angle + TAU * f64::from(turns[n]))
    }

    /// Whole turns of the angle of a joint, beside what poses say.
    pub(crate) fn turns_of(&self, joint: usize) -> i32 {
        let slot = self.model.angles.range(joint).next();
        slot.and_then(|slot| self.state.turns.get(slot)).copied().unwrap_or(0)
    }

    /// Sets the turns of the angle of a joint so that it is near a coordinate, where `coordinate` says one, and else within the limits of the joint; then those of the tendons over it.
    pub(crate) fn set_turns(&mut self, joint: usize, coordinate: Option<f64>) {
        let found = &self.model.joints[joint];
        if matches!(found.kind, JointKind::Tendon(_)) || found.angle_count() == 0 {
            return;
        }
        let Some(row) = found.angle_row(&self.state.bodies) else {
            return;
        };
        let turns = coordinate.map_or_else(
            || Model::turns_within_limits(found, row.error),
            |x| turns_between(row.error, x),
        );
        let same = |term: &Joint| {
            [term.a, term.b] == [found.a, found.b]
                && (&term.frame_a, &term.frame_b, &term.kind) == (&found.frame_a, &found.frame_b, &found.kind)
        };
        let mut slots = vec![self.model.angles.slot(joint, 0)];
        for (k, other) in self.model.joints.iter().enumerate() {
            if let JointKind::Tendon(tendon) = &other.kind {
                let terms = tendon.terms.iter().enumerate().filter(|(_, (_, term))| same(term));
                slots.extend(terms.map(|(n, _)| self.model.angles.slot(k, n)));
            }
        }
        self.put_turns(&slots, whole(turns));
    }

    fn put_turns(&mut self, slots: &[usize], count: i32) {
        let turns = &mut self.state.turns;
        if count == 0 && turns.is_empty() {
            return;
        }
        turns.resize(self.model.angles.count(), 0);
        for slot in slots {
            turns[*slot] = count;
        }
        if turns.iter().all(|turns| *turns == 0) {
            turns.clear();
        }
    }

    /// Begins to count the angles of a joint that was added.
    pub(crate) fn add_turns(&mut self, joint: usize) {
        self.model.angles.push(&self.model.joints[joint]);
        if !self.state.turns.is_empty() {
            self.state.turns.resize(self.model.angles.count(), 0);
        }
        let JointKind::Tendon(tendon) = &self.model.joints[joint].kind else {
            return self.set_turns(joint, None);
        };
        // Its terms have the turns that their joints have.
        let of = |term: &Joint| {
            let same = |other: &Joint| {
                [term.a, term.b] == [other.a, other.b]
                    && (&term.frame_a, &term.frame_b, &term.kind) == (&other.frame_a, &other.frame_b, &other.kind)
            };
            let found = self.model.joints.iter().position(same);
            found.map_or(0, |found| self.turns_of(found))
        };
        let counts: Vec<i32> = tendon.terms.iter().map(|(_, term)| of(term)).collect();
        for (n, count) in counts.into_iter().enumerate() {
            self.put_turns(&[self.model.angles.slot(joint, n)], count);
        }
    }

    /// Forgets the angles of a joint that is taken out.
    pub(crate) fn remove_turns(&mut self, joint: usize) {
        if !self.state.turns.is_empty() {
            self.state.turns.drain(self.model.angles.range(joint));
        }
        if self.state.turns.iter().all(|turns| *turns == 0) {
            self.state.turns.clear();
        }
    }

    /// Forgets the turns of the joints of a body that was put somewhere else: its angles are those of its pose.
    pub(crate) fn reset_turns(&mut self, body: usize) {
        for joint in 0..self.model.joints.len() {
            if self.model.joints[joint].mentions().any(|other| other == body) {
                self.set_turns(joint, None);
            }
        }
        self.model.note_angles(&self.state);
    }
}
