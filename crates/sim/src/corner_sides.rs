//! Which side of each corner a step takes; the rule is in `corners.rs`.

use stiction_contact::{ContactProblem, ContactSolver, Status, WarmStart};

use crate::assemble::Assembly;
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::corners::{Choice, Corners, Path, Twist};
use crate::error::SimError;
use crate::flight::FreeMotion;
use crate::impact::Bounces;
use crate::outcome::Outcome;

/// Convex problems of a step, at most; searches over groups are not counted. Two or three are usual.
const MAX_CORNER_ROUNDS: usize = 16;
/// Impulses below this share of the largest on their bodies push nothing.
const PUSHES: f64 = 1e-12;

/// How the corners of a step were treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CornerReport {
    /// All corners.
    pub(crate) corners: usize,
    /// Corners that were nonconvex groups of the problem.
    pub(crate) groups: usize,
    /// Corners that have no answer as groups.
    pub(crate) fallbacks: usize,
}

/// The data that solving a step with corners changes: contacts are added to those of the collider, and the problem is built again in every round.
pub(crate) struct Workshop<'a> {
    pub(crate) contacts: &'a mut Vec<Contact>,
    pub(crate) corners: &'a mut Corners,
    pub(crate) bounces: &'a mut Bounces,
    pub(crate) assembly: &'a mut Assembly,
    pub(crate) solver: &'a mut ContactSolver,
}

/// Builds the problem of a step with these contacts.
pub(crate) type Build<'a> = dyn FnMut(&[Contact], &Corners, &mut Bounces, &mut Assembly) -> Result<(), SimError> + 'a;

/// Solves the problem of the step with the sides that its corners take. Whether it is solved is the solution's to say.
pub(crate) fn solve_corners(
    free: FreeMotion<'_>,
    h: f64,
    work: &mut Workshop<'_>,
    build: &mut Build<'_>,
) -> Result<CornerReport, SimError> {
    let plain = work.contacts.len();
    work.corners.guess(free, work.solver.warm_start(), h);
    for round in 1..=MAX_CORNER_ROUNDS {
        let solved = work.solve_sides(plain, build)?;
        let changed = if solved {
            work.settle_sides(free, h, round == MAX_CORNER_ROUNDS)
        } else {
            work.corners.give_up_groups()
        };
        if !changed {
            break;
        }
        if round == MAX_CORNER_ROUNDS {
            // Choices are final now: what they hold up is part of the answer.
            work.solve_sides(plain, build)?;
        }
    }
    let count = |which: fn(&Choice) -> bool| work.corners.list.iter().filter(|c| which(&c.choice)).count();
    Ok(CornerReport {
        corners: work.corners.list.len(),
        groups: count(|choice| matches!(choice, Choice::Group(_))),
        fallbacks: count(|choice| matches!(choice, Choice::Fallback(_))),
    })
}

impl Workshop<'_> {
    /// Solves the problem with the sides that are taken; whether it is solved.
    fn solve_sides(&mut self, plain: usize, build: &mut Build<'_>) -> Result<bool, SimError> {
        self.corners.take_sides(plain, self.contacts);
        build(self.contacts, self.corners, self.bounces, self.assembly)?;
        Ok(self.solver.solve_warm(&self.assembly.problem)?.status == Status::Solved)
    }

    /// Changes the choices that the solution contradicts; whether there were any. In the last round wrong choices become fallbacks.
    fn settle_sides(&mut self, free: FreeMotion<'_>, h: f64, last: bool) -> bool {
        let at = free.at;
        let outcome = Outcome {
            free,
            contacts: self.contacts,
            assembly: self.assembly,
            solution: self.solver.solution(),
        };
        let found: Vec<Twist> = (0..at.bodies.len()).map(|i| outcome.motion_of(i)).collect();
        let motion = |body: usize| found[body];
        let impulses = &self.solver.solution().normal_impulse;
        // Largest impulse on each body that moves.
        let mut pressed = vec![0.0_f64; at.bodies.len()];
        for (contact, impulse) in self.contacts.iter().zip(impulses) {
            for body in [contact.a, contact.b]
                .into_iter()
                .filter(|body| at.blocks[*body].is_some())
            {
                pressed[body] = pressed[body].max(*impulse);
            }
        }
        let mut changed = false;
        for c in 0..self.corners.list.len() {
            let (corner, touch) = (self.corners.list[c].clone(), touch_gap(self.corners, c, at));
            let above = |side: usize, than: f64| {
                let mut others = corner.sides.clone().filter(|other| *other != side);
                others.any(|other| self.corners.at_end(at.bodies, other, &motion, h) >= than)
            };
            let pair = self.corners.pair(c).unwrap_or_default();
            let least = PUSHES * pressed[pair[0]].max(pressed[pair[1]]);
            let pushes = |side: usize| self.corners.place(side).any(|i| impulses[i] > least);
            let bounces = |side: usize| self.corners.place(side).any(|i| self.bounces.shares[i] > 0.0);
            let path = || self.corners.path(at.bodies, c, &motion, (h, touch));
            let (choice, needed) = match corner.choice {
                Choice::Free | Choice::Relaxed => match path() {
                    Path::Free => continue,
                    Path::Meets { side, at_end } => (Choice::Side(side), at_end),
                },
                Choice::Guess(side) if pushes(side) && (above(side, -touch) || path() != Path::Free) => {
                    (Choice::Relaxed, false)
                }
                Choice::Kept(side) if pushes(side) && above(side, touch) => (Choice::Relaxed, false),
                Choice::Side(side) if corner.needed && pushes(side) && !bounces(side) && above(side, touch) => {
                    (Choice::Group(side), true)
                }
                Choice::Group(side) if path() != Path::Free => (Choice::Fallback(side), true),
                _ => continue,
            };
            changed = true;
            let corner = &mut self.corners.list[c];
            (corner.choice, corner.needed) = (choice, needed);
            if last {
                corner.choice = match choice {
                    Choice::Side(side) | Choice::Group(side) => Choice::Fallback(side),
                    other => other,
                };
            }
        }
        changed
    }
}

/// Largest gap of a side of a corner that touches \[m\].
fn touch_gap(corners: &Corners, corner: usize, at: Configuration<'_>) -> f64 {
    corners.pair(corner).map_or(0.0, |[a, b]| at.touch_gap(a, b))
}

impl Corners {
    /// Chooses the sides at which corners meet without any contact, and those that pushed in the last step.
    fn guess(&mut self, free: FreeMotion<'_>, warm: &WarmStart, h: f64) {
        let at = free.at;
        for c in 0..self.list.len() {
            let scale = (h, touch_gap(self, c, at));
            // Where two sides hold now, what bears the bodies otherwise decides which of them they leave.
            let alone = || self.holding(c, scale.1) < 2;
            let path = || self.path(at.bodies, c, &|body| free.of(body), scale);
            let choice = match self.kept_side(c, warm) {
                Some(side) => Choice::Kept(side),
                None => match path() {
                    Path::Meets { side, .. } if alone() => Choice::Guess(side),
                    _ => Choice::Free,
                },
            };
            self.list[c].choice = choice;
        }
    }

    /// The side of a corner that pushed in the last step.
    fn kept_side(&self, corner: usize, warm: &WarmStart) -> Option<usize> {
        let mut sides = self.list[corner].sides.clone();
        sides.find(|side| self.contacts(*side).any(|contact| warm.pushes(contact.key)))
    }

    /// Appends the contacts of all sides that are taken to the plain ones; groups last.
    fn take_sides(&mut self, plain: usize, contacts: &mut Vec<Contact>) {
        contacts.truncate(plain);
        self.forget_places();
        for groups in [false, true] {
            if groups {
                self.first_grouped = contacts.len();
            }
            for c in 0..self.list.len() {
                let sides = match self.list[c].choice {
                    Choice::Group(_) if groups => self.list[c].sides.clone(),
                    Choice::Guess(side) | Choice::Kept(side) | Choice::Side(side) | Choice::Fallback(side)
                        if !groups =>
                    {
                        side..side + 1
                    }
                    _ => continue,
                };
                for side in sides {
                    let first = contacts.len();
                    contacts.extend(self.contacts(side).copied());
                    self.set_place(side, first..contacts.len());
                }
            }
        }
    }

    /// Takes groups back to the side at which their bodies meet; whether there were any.
    fn give_up_groups(&mut self) -> bool {
        let mut changed = false;
        for corner in &mut self.list {
            if let Choice::Group(side) = corner.choice {
                corner.choice = Choice::Fallback(side);
                changed = true;
            }
        }
        changed
    }

    /// Adds the groups of the step to its problem.
    pub(crate) fn add_groups(&self, problem: &mut ContactProblem) -> Result<(), SimError> {
        for corner in &self.list {
            if matches!(corner.choice, Choice::Group(_)) {
                let sides: Vec<Vec<usize>> = corner.sides.clone().map(|s| self.place(s).collect()).collect();
                let sides: Vec<&[usize]> = sides.iter().map(Vec::as_slice).collect();
                problem.add_group(&sides)?;
            }
        }
        Ok(())
    }
}
