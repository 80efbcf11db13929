//! Corners: pairs of bodies that several planes may keep apart within a step, as nonconvex groups \[Egan\].
//!
//! A plane, with its gap g + tν at the time t of the step, is a *side* of its corner; the bodies are apart at t where one side has all its
//! points at or above zero. A motion is free where that is so at every time from 0 to h: a body that would pass through another,
//! or cut its edge, is not. The side that holds last before none does is where the bodies meet.
//!
//! Most corners carry nothing in most steps, and a search over sides costs a convex problem for each. So a step
//! 1. keeps the side that pushed in the last step; of the other corners it skips those that are free without any contact or of which two sides
//!    hold now, and guesses for the rest the side at which they meet without any contact;
//! 2. solves; a guess that pushes although another side holds too is taken back: the bodies may be free without it. A side that was kept is an answer
//!    while no other is open \[Egan (21)–(22)\], and taken back otherwise;
//! 3. a skipped corner that is not free takes the side at which its bodies meet in the computed motion;
//! 4. where such a side pushes while another is open, though without it no side held at the end of the step, it is no answer \[Egan (21)–(22)\]:
//!    the corner becomes a group of the contact problem, and all choices are searched. Where that has no answer, the side of 3 stays and is
//!    counted as a fallback.

use std::ops::Range;

use crate::Vec3;
use crate::collision::Contact;
use crate::collision::CornerList;
use crate::state::BodyState;

/// How a step treats places that several planes may keep apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CornerRule {
    /// As nonconvex groups: one of the planes has to hold \[Egan\].
    #[default]
    Nonconvex,
    /// The plane that separates most has to hold, and reaches as far as the step does: a body may be held up by a wall that ends before it.
    Convex,
}

impl CornerRule {
    /// Every rule.
    pub const ALL: [Self; 2] = [Self::Nonconvex, Self::Convex];

    /// Name in scenes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nonconvex => "nonconvex",
            Self::Convex => "convex",
        }
    }
}

/// What a step does about a corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// It carries nothing.
    Free,
    /// The contacts of a side, before anything was solved.
    Guess(usize),
    /// The contacts of the side that pushed in the last step.
    Kept(usize),
    /// It carries nothing: a guess was wrong.
    Relaxed,
    /// The contacts of the side at which the bodies meet otherwise.
    Side(usize),
    /// A group of the problem; the side to go back to.
    Group(usize),
    /// The contacts of a side: no group has an answer.
    Fallback(usize),
}

/// One corner.
#[derive(Debug, Clone)]
pub(crate) struct Corner {
    /// Its sides among all.
    pub(crate) sides: Range<usize>,
    pub(crate) choice: Choice,
    /// Without its contacts no side holds at the end of the step.
    pub(crate) needed: bool,
}

/// The corners of a step.
#[derive(Debug, Clone)]
pub(crate) struct Corners {
    pub(crate) list: Vec<Corner>,
    /// Points of each side.
    sides: Vec<Range<usize>>,
    /// Contacts, and whether they are where the bodies touch.
    points: Vec<(Contact, bool)>,
    /// Where the contacts of each side are among the step's.
    places: Vec<Range<usize>>,
    /// Contacts from here on are those of groups.
    pub(crate) first_grouped: usize,
}

/// Velocity of a body: linear and angular.
pub(crate) type Twist = (Vec3, Vec3);

/// Where a corner stands in a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Path {
    /// Some side holds at every time.
    Free,
    /// None does from some time on; the side that held last, and whether none does at the end.
    Meets { side: usize, at_end: bool },
}

impl Default for Corners {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            sides: Vec::new(),
            points: Vec::new(),
            places: Vec::new(),
            first_grouped: usize::MAX,
        }
    }
}

impl Corners {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.sides.clear();
        self.points.clear();
        self.first_grouped = usize::MAX;
    }

    /// No side has contacts in the problem.
    pub(crate) fn forget_places(&mut self) {
        self.places.clear();
        self.places.resize(self.sides.len(), 0..0);
    }

    pub(crate) fn set_place(&mut self, side: usize, place: Range<usize>) {
        self.places[side] = place;
    }

    /// Contacts of a side in the problem.
    pub(crate) fn place(&self, side: usize) -> Range<usize> {
        self.places.get(side).cloned().unwrap_or(0..0)
    }

    /// Keys of the points of a corner.
    pub(crate) fn keys(&self, corner: usize) -> impl Iterator<Item = u64> {
        let sides = self.list[corner].sides.clone();
        let points = sides.flat_map(|side| self.sides[side].clone());
        points.map(|point| self.points[point].0.key)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds the corners of one pair.
    pub(crate) fn add(&mut self, found: &CornerList, contact: impl Fn(&crate::collision::Touching) -> Contact) {
        let (mut point, mut side) = (0, 0);
        for end in &found.corner_end {
            let first = self.sides.len();
            while side < *end {
                let from = self.points.len();
                let points = &found.points[point..found.side_end[side]];
                let contacts = points.iter().map(|p| (contact(&p.touching), p.support));
                self.points.extend(contacts);
                self.sides.push(from..self.points.len());
                point = found.side_end[side];
                side += 1;
            }
            self.list.push(Corner {
                sides: first..self.sides.len(),
                choice: Choice::Free,
                needed: false,
            });
        }
    }

    /// Contacts that a side takes into the problem: those where bodies touch, or all where there are none.
    pub(crate) fn contacts(&self, side: usize) -> impl Iterator<Item = &Contact> {
        let points = &self.points[self.sides[side].clone()];
        let none = points.iter().all(|(_, support)| !support);
        points
            .iter()
            .filter(move |(_, support)| *support || none)
            .map(|(contact, _)| contact)
    }

    /// The two bodies of a corner.
    pub(crate) fn pair(&self, corner: usize) -> Option<[usize; 2]> {
        let side = self.sides.get(self.list[corner].sides.start)?;
        let (contact, _) = self.points.get(side.start)?;
        Some([contact.a, contact.b])
    }

    /// Gaps after bodies were moved.
    pub(crate) fn follow(&mut self, before: &[BodyState], now: &[BodyState]) {
        for (contact, _) in &mut self.points {
            let shift = |body: usize| {
                let (old, new) = (&before[body].pose, &now[body].pose);
                if old == new {
                    return Vec3::zeros();
                }
                new.point(old.point_in_body(contact.point)) - contact.point
            };
            contact.gap += contact.normal.dot(&(shift(contact.a) - shift(contact.b)));
        }
    }

    /// Gap of a point now and its rate in a motion.
    fn rate(&self, states: &[BodyState], point: usize, motion: &impl Fn(usize) -> Twist) -> (f64, f64) {
        let contact = &self.points[point].0;
        let of = |body: usize| {
            let (velocity, spin) = motion(body);
            velocity + spin.cross(&(contact.point - states[body].pose.position))
        };
        (contact.gap, contact.normal.dot(&(of(contact.a) - of(contact.b))))
    }

    /// Least gap of a side at the end of the step \[m\].
    pub(crate) fn at_end(&self, states: &[BodyState], side: usize, motion: &impl Fn(usize) -> Twist, h: f64) -> f64 {
        self.sides[side].clone().fold(f64::INFINITY, |least, point| {
            let (gap, rate) = self.rate(states, point, motion);
            least.min(gap + h * rate)
        })
    }

    /// From when to when in a step all points of a side are above −`touch`: the least of lines is concave, so it is one stretch of time.
    fn holds(&self, states: &[BodyState], side: usize, motion: &impl Fn(usize) -> Twist, touch: f64) -> (f64, f64) {
        let (mut from, mut until) = (0.0_f64, f64::INFINITY);
        for point in self.sides[side].clone() {
            let (gap, rate) = self.rate(states, point, motion);
            let crosses = -(gap + touch) / rate;
            if gap < -touch {
                from = from.max(if rate > 0.0 { crosses } else { f64::INFINITY });
            } else if rate < 0.0 {
                until = until.min(crosses);
            }
            if gap < -touch && rate <= 0.0 {
                until = f64::NEG_INFINITY;
            }
        }
        (from, until)
    }

    /// Follows a motion from side to side.
    pub(crate) fn path(
        &self,
        states: &[BodyState],
        corner: usize,
        motion: &impl Fn(usize) -> Twist,
        (h, touch): (f64, f64),
    ) -> Path {
        let sides = self.list[corner].sides.clone();
        let (mut time, mut last) = (0.0, None);
        // Each round goes to a later end of a side: no more rounds than sides.
        for _ in sides.clone() {
            let mut best: Option<(f64, usize)> = None;
            for side in sides.clone() {
                let (from, until) = self.holds(states, side, motion, touch);
                if from <= time && until >= time && best.is_none_or(|(b, _)| until > b) {
                    best = Some((until, side));
                }
            }
            match best {
                Some((until, _)) if until >= h => return Path::Free,
                Some((until, side)) if until > time || last.is_none() => (time, last) = (until, Some(side)),
                _ => break,
            }
        }
        let at_end = sides.clone().all(|side| self.at_end(states, side, motion, h) < -touch);
        let side = last.unwrap_or_else(|| self.widest(sides));
        Path::Meets { side, at_end }
    }

    /// Least gap of a side now \[m\].
    fn gap(&self, side: usize) -> f64 {
        let points = &self.points[self.sides[side].clone()];
        points.iter().fold(f64::INFINITY, |m, (contact, _)| m.min(contact.gap))
    }

    /// Sides of a corner that hold now.
    pub(crate) fn holding(&self, corner: usize, touch: f64) -> usize {
        let sides = self.list[corner].sides.clone();
        sides.filter(|side| self.gap(*side) >= -touch).count()
    }

    /// The side with the largest gap now.
    fn widest(&self, sides: Range<usize>) -> usize {
        let first = sides.start;
        sides
            .fold((f64::NEG_INFINITY, first), |best, side| {
                let gap = self.gap(side);
                if gap > best.0 { (gap, side) } else { best }
            })
            .1
    }
}
