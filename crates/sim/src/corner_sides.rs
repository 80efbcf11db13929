//! Which side of each corner a step takes; the rule is in `corners.rs`.

use stiction_contact::{ContactProblem, Status};

use crate::corners::{Choice, Path, Twist};
use crate::error::SimError;
use crate::impact::Moment;
use crate::world::World;

/// Convex problems of a step, searches over groups not counted. Two or three are the rule.
const ROUNDS: usize = 16;
/// Impulses below this share of the largest on their bodies push nothing.
const PUSHES: f64 = 1e-12;

/// What became of the corners of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CornerReport {
    /// Corners.
    pub(crate) corners: usize,
    /// Those that were groups of the problem.
    pub(crate) groups: usize,
    /// Those that have no answer as groups.
    pub(crate) fallbacks: usize,
}

impl World {
    /// Solves the problem of the step with the sides that its corners take. Whether it is solved is the solution's to say.
    pub(crate) fn solve_corners(&mut self, h: f64) -> Result<CornerReport, SimError> {
        let plain = self.contacts.len();
        self.guess_sides(h);
        for round in 1..=ROUNDS {
            let solved = self.solve_sides(plain, h)?;
            let changed = if solved {
                self.settle_sides(h, round == ROUNDS)
            } else {
                self.give_up_groups()
            };
            if !changed {
                break;
            }
            if round == ROUNDS {
                // Choices are final now: what they hold up is part of the answer.
                self.solve_sides(plain, h)?;
            }
        }
        let count = |which: fn(&Choice) -> bool| self.corners.list.iter().filter(|c| which(&c.choice)).count();
        Ok(CornerReport {
            corners: self.corners.list.len(),
            groups: count(|choice| matches!(choice, Choice::Group(_))),
            fallbacks: count(|choice| matches!(choice, Choice::Fallback(_))),
        })
    }

    /// Solves the problem with the sides that are taken; whether it is solved.
    fn solve_sides(&mut self, plain: usize, h: f64) -> Result<bool, SimError> {
        self.take_sides(plain);
        self.mark_impacts(h);
        self.build_problem(h, Moment::End)?;
        Ok(self.solver.solve_warm(&self.problem)?.status == Status::Solved)
    }

    /// The sides at which corners meet without any contact.
    fn guess_sides(&mut self, h: f64) {
        let free: Vec<Twist> = (0..self.bodies.len()).map(|i| self.free_motion(i)).collect();
        for c in 0..self.corners.list.len() {
            let scale = (h, self.corner_touch(c));
            // Where two sides hold now, what bears the bodies otherwise decides which of them they leave.
            let alone = || self.corners.holding(c, scale.1) < 2;
            let path = || self.corners.path(&self.state.bodies, c, &|body| free[body], scale);
            let choice = match self.kept_side(c) {
                Some(side) => Choice::Kept(side),
                None => match path() {
                    Path::Meets { side, .. } if alone() => Choice::Guess(side),
                    _ => Choice::Free,
                },
            };
            self.corners.list[c].choice = choice;
        }
    }

    /// Largest gap of a side of a corner that touches \[m\].
    fn corner_touch(&self, corner: usize) -> f64 {
        self.corners.pair(corner).map_or(0.0, |[a, b]| self.touch_gap(a, b))
    }

    /// The side of a corner that pushed in the last step.
    fn kept_side(&self, corner: usize) -> Option<usize> {
        let warm = self.solver.warm_start();
        let mut sides = self.corners.list[corner].sides.clone();
        sides.find(|side| self.corners.contacts(*side).any(|contact| warm.pushes(contact.key)))
    }

    /// The contacts of all sides that are taken, behind the plain ones; groups last.
    fn take_sides(&mut self, plain: usize) {
        let (corners, contacts) = (&mut self.corners, &mut self.contacts);
        contacts.truncate(plain);
        corners.forget_places();
        for groups in [false, true] {
            if groups {
                corners.first_grouped = contacts.len();
            }
            for c in 0..corners.list.len() {
                let sides = match corners.list[c].choice {
                    Choice::Group(_) if groups => corners.list[c].sides.clone(),
                    Choice::Guess(side) | Choice::Kept(side) | Choice::Side(side) | Choice::Fallback(side)
                        if !groups =>
                    {
                        side..side + 1
                    }
                    _ => continue,
                };
                for side in sides {
                    let first = contacts.len();
                    contacts.extend(corners.contacts(side).copied());
                    corners.set_place(side, first..contacts.len());
                }
            }
        }
    }

    /// Changes the choices that the solution does not bear out; whether there were any. At the last round wrong ones are fallbacks.
    fn settle_sides(&mut self, h: f64, last: bool) -> bool {
        let found: Vec<Twist> = (0..self.bodies.len()).map(|i| self.new_motion(i)).collect();
        let motion = |body: usize| found[body];
        let impulses = &self.solver.solution().normal_impulse;
        // Largest impulse on each body that moves.
        let mut pressed = vec![0.0_f64; self.bodies.len()];
        for (contact, impulse) in self.contacts.iter().zip(impulses) {
            for body in [contact.a, contact.b]
                .into_iter()
                .filter(|body| self.blocks[*body].is_some())
            {
                pressed[body] = pressed[body].max(*impulse);
            }
        }
        let mut changed = false;
        for c in 0..self.corners.list.len() {
            let (corner, touch) = (self.corners.list[c].clone(), self.corner_touch(c));
            let above = |side: usize, than: f64| {
                let mut others = corner.sides.clone().filter(|other| *other != side);
                others.any(|other| self.corners.at_end(&self.state.bodies, other, &motion, h) >= than)
            };
            let pair = self.corners.pair(c).unwrap_or_default();
            let least = PUSHES * pressed[pair[0]].max(pressed[pair[1]]);
            let pushes = |side: usize| self.corners.place(side).any(|i| impulses[i] > least);
            let bounces = |side: usize| self.corners.place(side).any(|i| self.bounces[i] > 0.0);
            let path = || self.corners.path(&self.state.bodies, c, &motion, (h, touch));
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

    /// Takes groups back to the side at which their bodies meet; whether there were any.
    fn give_up_groups(&mut self) -> bool {
        let mut changed = false;
        for corner in &mut self.corners.list {
            if let Choice::Group(side) = corner.choice {
                corner.choice = Choice::Fallback(side);
                changed = true;
            }
        }
        changed
    }

    /// Adds the groups of the step to its problem.
    pub(crate) fn add_groups(&self, problem: &mut ContactProblem) -> Result<(), SimError> {
        for corner in &self.corners.list {
            if matches!(corner.choice, Choice::Group(_)) {
                let sides: Vec<Vec<usize>> = corner.sides.clone().map(|s| self.corners.place(s).collect()).collect();
                let sides: Vec<&[usize]> = sides.iter().map(Vec::as_slice).collect();
                problem.add_group(&sides)?;
            }
        }
        Ok(())
    }
}
