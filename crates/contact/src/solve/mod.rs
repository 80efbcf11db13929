//! The front door: splits a problem into islands, picks methods, falls back from one to the next while the judge is not content, and
//! returns its verdict.
//!
//! A problem of one island is solved as it is; several are copied apart and solved side by side. The answer of an island depends on nothing
//! else, so that the bits are the same for any number of threads. Contacts that stay open in the free motion do not join islands.

mod acceleration;
mod coordinates;
mod dry_and_viscous;
mod island;
mod linear;
mod nonconvex;
mod nonconvex_all;
mod nonconvex_corner;
mod nonconvex_states;
mod nonconvex_sum;
mod rest;
mod restitution;
mod small;
mod smooth;
mod squeeze;
mod turning;
mod warm;
mod yielding;

use rayon::prelude::*;

use crate::check::{self, Residual, Terms};
use crate::error::InputError;
use crate::islands::Islands;
use crate::problem::{ContactProblem, sparse_dot};
use crate::solution::{Compression, ContactSolution, Drive, Law, Method, Stats, Status, Work};
use crate::solver::Impulses;
use crate::stamp::Stamp;
use island::{IslandSolver, Start};
pub use nonconvex_all::AllAnswers;
pub use warm::WarmStart;

/// Contacts from which islands are given to several threads: below, starting them costs more than it gains.
const PARALLEL_CONTACTS: usize = 64;

/// Operations that a fallback may take while islands that may touch are solved apart.
const APART_WORK: u64 = 1_000_000_000;

/// Operations of a pivot for each square of contacts and joint rows, by measurement on heaps.
const PIVOT: u64 = 10;

/// What to solve and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The law that shall hold. Default: the round cone.
    pub law: Law,
    /// Friction directions d of the polyhedral law, 3 to 64. Default 8, as in the paper.
    pub directions: usize,
    /// One method alone, or `None` to choose and to fall back. Default `None`.
    pub method: Option<Method>,
    /// Largest residual that counts as solved. Default 1e-10.
    pub tolerance: f64,
    /// ε/h of the method `nonconvex_sum` [m/s]: how far it cuts the corners of nonconvex groups. Default 1e-3; below about
    /// 1e-7 of the fastest velocity rounding blurs it.
    pub epsilon: f64,
    /// Operations that a fallback may take on an island, by estimate. A fallback that would take more is not tried, and no proof of infeasibility is looked for: the island
    /// then ends with the best answer so far and its verdict, and so it does once all that was tried has taken a multiple of this, which grows with its bodies. Operations are counted, never timed, so that every machine does the same. Default: no limit.
    pub max_work: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            law: Law::Coulomb,
            directions: 8,
            method: None,
            tolerance: 1e-10,
            epsilon: 1e-3,
            max_work: u64::MAX,
        }
    }
}

impl Options {
    fn check(&self) -> Result<(), InputError> {
        let Self {
            law,
            directions,
            method,
            tolerance,
            epsilon,
            max_work: _,
        } = *self;
        check::check_epsilon(epsilon)?;
        Terms {
            law,
            directions,
            tolerance,
        }
        .check()?;
        match method {
            Some(method) if !method.laws().contains(&law) => {
                let fitting = Method::ALL.iter().filter(|m| m.laws().contains(&law));
                Err(InputError::MethodMismatch {
                    method: method.name(),
                    law: law.name(),
                    fitting: fitting.map(|m| m.name()).collect::<Vec<_>>().join(", "),
                })
            }
            _ => Ok(()),
        }
    }

    /// What an answer to a problem is judged by. Without dry friction anywhere all laws that know no other are one.
    fn terms(&self, problem: &ContactProblem) -> Terms {
        let smooth = self.law.is_dry() && (0..problem.contact_count()).all(|i| problem.mu(i) == 0.0);
        Terms {
            law: if smooth { Law::Frictionless } else { self.law },
            directions: self.directions,
            tolerance: self.tolerance,
        }
    }
}

/// What a solve takes from the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    Ignored,
    /// Which contacts pushed, and so join their bodies.
    Joins,
    /// Impulses and bases as well.
    Starts,
}

/// One of several islands: its part of the problem and its solver.
#[derive(Debug, Clone, Default)]
struct Slot {
    /// The island that it is of, where it is used, and the smallest block of that in the whole.
    island: Option<usize>,
    first: usize,
    part: ContactProblem,
    /// The part of a new round, until it is known whether it is the same.
    next: ContactProblem,
    /// The solver holds a verified answer to the part, found in this step.
    is_answered: bool,
    /// Place of each block of the whole among those of the part.
    place: Vec<usize>,
    solver: IslandSolver,
}

/// Solves contact problems and keeps its buffers between solves.
///
/// ```
/// use stiction_contact::{ContactProblem, ContactSolver, Law, Options, Status};
/// // A point mass of 2 kg falls at 1 m/s and slides at 0.3 m/s; friction stops it.
/// let mut problem = ContactProblem::new();
/// let mass = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
/// let block = problem.add_block(&mass, &[0.3, 0.0, -1.0])?;
/// problem.add_contact(&[(block, [&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]])], 0.5)?;
/// let mut solver = ContactSolver::new(Options { law: Law::Polyhedral, ..Options::default() })?;
/// let solution = solver.solve(&problem)?;
/// assert_eq!(solution.status, Status::Solved);
/// assert!((solution.normal_impulse[0] - 2.0).abs() < 1e-14);
/// assert!((solution.friction_impulse[0][0] + 0.6).abs() < 1e-14);
/// # Ok::<(), stiction_contact::InputError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ContactSolver {
    options: Options,
    islands: Islands,
    /// The problem that the islands are of, and which of its contacts join their bodies.
    stamp: Option<Stamp>,
    joins: Vec<bool>,
    /// Room for the compression of a bounce.
    spare: Compression,
    /// Solves a problem of one island as it is.
    single: IslandSolver,
    slots: Vec<Slot>,
    /// Slot of each island, and of each of the split before.
    slot_of: Vec<usize>,
    slot_was: Vec<usize>,
    /// Whether islands that are the same as in the solve before keep their answers.
    in_rounds: bool,
    /// Every contact joins its bodies: the problems are islands already.
    joins_all: bool,
    /// What the last solve that the judge accepted leaves for the next.
    warm: WarmStart,
    /// Answers of islands, to start from once some of them are joined.
    joined: WarmStart,
    /// The warm start that was given is nonsense.
    refused: bool,
    solution: ContactSolution,
    /// Work of all solves since it was last taken.
    work: Work,
    /// Operations that are left for all solves to come.
    allowance: u64,
}

impl ContactSolver {
    /// A solver with the given options.
    ///
    /// # Errors
    /// Directions or tolerance out of range, a method that does not answer the law.
    pub fn new(options: Options) -> Result<Self, InputError> {
        options.check()?;
        Ok(Self {
            options,
            islands: Islands::default(),
            stamp: None,
            joins: Vec::new(),
            spare: Compression::default(),
            single: IslandSolver::default(),
            slots: Vec::new(),
            slot_of: Vec::new(),
            slot_was: Vec::new(),
            in_rounds: false,
            joins_all: false,
            warm: WarmStart::default(),
            joined: WarmStart::default(),
            refused: false,
            solution: ContactSolution::default(),
            work: Work::default(),
            allowance: u64::MAX,
        })
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Lets every contact join its bodies, for problems that are islands already: to find that again, body by body, takes a solve for each.
    fn set_joins_all(&mut self) {
        self.joins_all = true;
    }

    /// Sets [`Options::max_work`] for the solves that follow.
    pub fn set_max_work(&mut self, max_work: u64) {
        self.options.max_work = max_work;
    }

    /// Sets how many operations all solves that follow may take together. Each takes from it what it took; once nothing is left a solve ends at once, unsolved and with no impulse.
    pub fn set_allowance(&mut self, allowance: u64) {
        self.allowance = allowance;
    }

    /// Operations that are left for the solves that follow; `u64::MAX` where there is no limit.
    #[must_use]
    pub fn allowance(&self) -> u64 {
        self.allowance
    }

    /// Work of all solves since [`Self::take_work`] was last called.
    #[must_use]
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// Returns that work and counts from zero again.
    pub fn take_work(&mut self) -> Work {
        std::mem::take(&mut self.work)
    }

    /// Begins a step that is solved in rounds: the warm solves from here to the next call put nearly the same problem, and islands that are the same as in the solve before keep their
    /// verified answers. Without it every solve is made anew.
    pub fn begin_rounds(&mut self) {
        self.in_rounds = true;
        self.slots.iter_mut().for_each(|slot| slot.is_answered = false);
    }

    /// Solves a problem from scratch. Nonconvex groups ([`ContactProblem::add_group`]) are searched for the sides that push; a method that
    /// knows no groups solves each choice. With restitution set on contacts ([`ContactProblem::set_restitution`]) in two phases, after
    /// Poisson: [`ContactSolution::compression`] is the first; the residual is the worse of both.
    ///
    /// # Errors
    /// A nonconvex group with a side of several contacts, where the method is `nonconvex_sum`; joint rows that yield, and a method
    /// that was asked for alone and does not know them under this law. All else is checked when problems are built.
    pub fn solve(&mut self, problem: &ContactProblem) -> Result<&ContactSolution, InputError> {
        self.check_groups(problem)?;
        yielding::check(problem, &self.options)?;
        self.run(problem, Before::Ignored);
        Ok(&self.solution)
    }

    /// Solves a problem from scratch, as [`Self::solve`], beside an earlier solution: contacts that pushed there join their bodies from the start. Bodies that move alike part nowhere,
    /// and would else be joined one by one, each with a solve of all that is joined already.
    ///
    /// # Errors
    /// As [`Self::solve`].
    pub fn solve_beside(&mut self, problem: &ContactProblem, last: &WarmStart) -> Result<&ContactSolution, InputError> {
        self.check_groups(problem)?;
        yielding::check(problem, &self.options)?;
        self.set_warm_start_from(last);
        self.run(problem, Before::Joins);
        Ok(&self.solution)
    }

    /// Solves a problem from scratch, as [`Self::solve`], with every contact joining its bodies from the start. Where a structure stands or falls as a whole, bodies that move alike would
    /// else be joined one by one, each with a solve of all that is joined already.
    ///
    /// # Errors
    /// As [`Self::solve`].
    pub fn solve_joined(&mut self, problem: &ContactProblem) -> Result<&ContactSolution, InputError> {
        self.check_groups(problem)?;
        yielding::check(problem, &self.options)?;
        let joins_all = std::mem::replace(&mut self.joins_all, true);
        self.run(problem, Before::Ignored);
        self.joins_all = joins_all;
        Ok(&self.solution)
    }

    fn check_groups(&self, problem: &ContactProblem) -> Result<(), InputError> {
        if self.options.method == Some(Method::NonconvexSum) {
            crate::formulation::nonconvex::check_single(problem)?;
        }
        Ok(())
    }

    /// Solves island by island. Bodies whose contacts stay open in the free motion are solved apart; where the answer closes such a contact, it joins
    /// them after all.
    fn run(&mut self, problem: &ContactProblem, before: Before) {
        let warm = before == Before::Starts;
        let mut met = self.stamp.is_some_and(|stamp| stamp.is(problem.stamp()));
        self.stamp = Some(problem.stamp());
        let law = self.options.law;
        // A bounce has two motions, and a contact may close in either.
        let bounces = (0..problem.contact_count()).any(|i| problem.restitution(i) > 0.0);
        self.joins.resize(problem.contact_count(), true);
        for (i, last) in self.joins.iter_mut().enumerate() {
            // What carried before mostly carries again, though rounding may say that it opens.
            let joins = self.joins_all
                || bounces
                || joins(problem, law, i)
                || (before != Before::Ignored && self.warm.pushes(problem.key(i)));
            met &= *last == joins;
            *last = joins;
        }
        self.begin_counts();
        let mut warm_fallbacks = 0;
        let mut is_joined = false;
        loop {
            if !met {
                self.islands.split(problem, |i| self.joins[i]);
                self.assign_slots();
            }
            let before = self.solution.stats.operations;
            self.solve_split(problem, (warm, is_joined), met);
            let taken = self.solution.stats.operations.saturating_sub(before);
            if self.allowance < u64::MAX {
                self.allowance = self.allowance.saturating_sub(taken);
            }
            self.solution.stats.passes += 1;
            warm_fallbacks += self.solution.stats.warm_fallbacks;
            if !self.join_closed(problem) {
                break;
            }
            if warm {
                self.leave_joined();
                is_joined = true;
            }
            met = false;
        }
        self.work.add(&self.solution.stats, warm_fallbacks);
        if self.solution.status != Status::Ray {
            self.solution.ray = None;
        }
        if self.solution.status != Status::UnboundedDrive {
            self.solution.drive = None;
        }
        let solution = &mut self.solution;
        solution.accuracy = match solution.status {
            Status::Solved => solution.residual.accuracy(self.options.tolerance),
            _ => None,
        };
        // A solve that failed leaves nothing: what comes after it goes on as if it had not been tried.
        if self.solution.status == Status::Solved {
            self.leave(problem);
        }
    }

    /// Gives each island a slot: where it can be the one that had an island with the same smallest block, whose answer may still hold. Both are in the order of their smallest blocks.
    fn assign_slots(&mut self) {
        let count = self.islands.count();
        if self.slots.len() < count {
            self.slots.resize_with(count, Slot::default);
        }
        self.slots.iter_mut().for_each(|slot| slot.island = None);
        std::mem::swap(&mut self.slot_of, &mut self.slot_was);
        self.slot_of.clear();
        let mut old = self.slot_was.iter().copied().peekable();
        for island in 0..count {
            let first = smallest_block(&self.islands, island);
            while old.next_if(|slot| self.slots[*slot].first < first).is_some() {}
            let same = old.next_if(|slot| self.slots[*slot].first == first);
            if let Some(slot) = same {
                self.slots[slot].island = Some(island);
            }
            self.slot_of.push(same.unwrap_or(usize::MAX));
        }
        let mut free = 0;
        for (island, slot) in self.slot_of.iter_mut().enumerate() {
            if *slot == usize::MAX {
                while self.slots[free].island.is_some() {
                    free += 1;
                }
                *slot = free;
                self.slots[free].island = Some(island);
                self.slots[free].is_answered = false;
            }
            self.slots[*slot].first = smallest_block(&self.islands, island);
        }
    }

    /// Keeps the answers of islands some of which are joined: those start from them, and from the solve before where an island has none.
    fn leave_joined(&mut self) {
        self.joined.clear();
        self.joined.begin_from(&self.warm);
        for (island, slot) in self.slot_of.iter().enumerate() {
            let slot = &self.slots[*slot];
            if slot.solver.found().status == Status::Solved {
                let joints = self.islands.joints(island).iter().copied();
                self.joined.add(&slot.part, &slot.solver, joints);
            } else {
                let keys = (0..slot.part.contact_count()).map(|i| slot.part.key(i));
                self.joined.add_of(&self.warm, keys);
            }
        }
        self.joined.sort();
    }

    /// `warm` and whether the start are the answers of islands that are joined now.
    fn solve_split(&mut self, problem: &ContactProblem, (warm, is_joined): (bool, bool), met: bool) {
        self.begin(problem);
        if self.is_whole() {
            let start = if is_joined { &self.joined } else { &self.warm };
            self.single.allowance = limit(self.allowance);
            self.single
                .solve(problem, &self.options, warm.then_some((start, &[][..])));
            take_single(&mut self.solution, problem, &self.single, &mut self.spare);
        } else {
            self.solve_islands(problem, (warm, is_joined), met);
        }
    }

    /// Whether the problem is solved as it is.
    fn is_whole(&self) -> bool {
        self.islands.count() == 0 || (self.islands.count() == 1 && self.islands.apart().is_empty())
    }

    /// Velocities of contacts between islands; those that the answer closes join their islands, and those beside an island without an answer. Returns whether
    /// there are any.
    fn join_closed(&mut self, problem: &ContactProblem) -> bool {
        if self.is_whole() {
            return false;
        }
        let mut any = false;
        let fails = self.solution.status != Status::Solved;
        let (islands, slots, slot_of) = (&self.islands, &self.slots, &self.slot_of);
        let is_unsolved = |island: usize| slots[slot_of[island]].solver.found().status != Status::Solved;
        for i in self.islands.apart() {
            let (c, b) = (problem.columns_tilde(*i), problem.bias(*i));
            let of = |column: &[f64]| sparse_dot(c.touches, column, &self.solution.velocity);
            let u = [of(c.normal) + b[0], of(c.tangents[0]) + b[1], of(c.tangents[1]) + b[2]];
            self.solution.contact_velocity[*i] = u;
            let is_beside = || c.touches.iter().filter_map(|t| islands.of(t.block)).any(is_unsolved);
            // One that is not a number is for the judge of the whole.
            let closes = u[0].is_nan() || u[0] < 0.0 || (fails && is_beside());
            self.joins[*i] |= closes;
            any |= closes;
        }
        any
    }

    /// Keeps what the next solve may start from: also an answer that the judge refused, on request.
    pub(crate) fn leave(&mut self, problem: &ContactProblem) {
        self.forget();
        if self.is_whole() {
            self.warm.add(problem, &self.single, 0..problem.joint_count());
        } else {
            for (island, slot) in self.slot_of.iter().enumerate() {
                let slot = &self.slots[*slot];
                let joints = self.islands.joints(island).iter().copied();
                self.warm.add(&slot.part, &slot.solver, joints);
            }
        }
        self.warm.sort();
    }

    /// Solves a problem starting from the last solution that the judge accepted, contacts matched by their keys. Falls back to a cold
    /// start where that fails, counted in [`crate::Stats`].
    ///
    /// # Errors
    /// As [`Self::solve`].
    pub fn solve_warm(&mut self, problem: &ContactProblem) -> Result<&ContactSolution, InputError> {
        self.check_groups(problem)?;
        yielding::check(problem, &self.options)?;
        let refused = self.refused;
        self.run(problem, Before::Starts);
        if refused {
            let stats = &mut self.solution.stats;
            (stats.warm_starts, stats.warm_fallbacks) = (stats.islands, stats.islands);
        }
        Ok(&self.solution)
    }

    /// Forgets the last solution, so that the next warm solve starts cold.
    pub fn forget(&mut self) {
        self.warm.clear();
        self.refused = false;
    }

    /// What the next warm solve starts from.
    #[must_use]
    pub fn warm_start(&self) -> &WarmStart {
        &self.warm
    }

    /// Sets what the next warm solve starts from: with the [`warm_start`](Self::warm_start) of a solver with the same options, it goes on
    /// with the same bits. One that no solve can have left (numbers that are not finite, impossible bases) is ignored: the next
    /// warm solve starts cold, and counts each island as a warm start that was given up.
    ///
    /// ```
    /// use stiction_contact::{ContactProblem, ContactSolver, Options, WarmStart};
    /// let mut problem = ContactProblem::new();
    /// let block = problem.add_block(&[2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0], &[0.3, 0.0, -1.0])?;
    /// problem.add_contact(&[(block, [&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]])], 0.5)?;
    /// let (mut first, mut second) = (ContactSolver::new(Options::default())?, ContactSolver::new(Options::default())?);
    /// first.solve(&problem)?;
    /// let bytes = first.warm_start().to_bytes();
    /// second.set_warm_start(WarmStart::from_bytes(&bytes)?);
    /// assert_eq!(first.solve_warm(&problem)?, second.solve_warm(&problem)?);
    /// # Ok::<(), stiction_contact::InputError>(())
    /// ```
    pub fn set_warm_start(&mut self, warm: WarmStart) {
        self.refused = !warm.is_sound();
        self.warm = if self.refused { WarmStart::default() } else { warm };
    }

    /// The same with a copy, in the room that there is.
    pub fn set_warm_start_from(&mut self, warm: &WarmStart) {
        self.refused = !warm.is_sound();
        if self.refused {
            self.warm.clear();
        } else {
            self.warm.clone_from(warm);
        }
    }

    /// Adds the impulses that some contacts have in another warm start, where they have none in that of this solver.
    pub fn add_warm_start(&mut self, other: &WarmStart, keys: impl Iterator<Item = u64>) {
        self.warm.add_keys(other, keys);
    }

    /// The last solution.
    #[must_use]
    pub fn solution(&self) -> &ContactSolution {
        &self.solution
    }

    /// Whether the part of the last problem that a block belongs to is solved: a problem is as bad as the worst of its islands.
    #[must_use]
    pub fn is_block_solved(&self, block: usize) -> bool {
        if self.is_whole() || self.solution.status == Status::Solved {
            return self.solution.status == Status::Solved;
        }
        let island = (0..self.islands.count()).find(|i| self.islands.blocks(*i).binary_search(&block).is_ok());
        // A block that nothing touches is free.
        island.is_none_or(|i| self.slots[self.slot_of[i]].solver.found().status == Status::Solved)
    }

    /// Finds which impulses of the last solution are the only ones possible for its motion, and notes them in
    /// [`ContactSolution::unique`]. Costs O(dof · columns · rank), so that it is done on request.
    ///
    /// # Errors
    /// A problem with another number of contacts than the last one solved.
    pub fn find_unique(&mut self, problem: &ContactProblem) -> Result<&ContactSolution, InputError> {
        let solution = &mut self.solution;
        crate::error::check_length("contacts", solution.state.len(), problem.contact_count())?;
        let (normal, velocity) = (&solution.normal_impulse, &solution.contact_velocity);
        solution.unique = check::unique(problem, solution.law, normal, velocity);
        Ok(&self.solution)
    }

    /// Sizes the solution for a problem; nothing pushes, bodies move freely.
    fn begin(&mut self, problem: &ContactProblem) {
        let (n, d) = (problem.contact_count(), self.options.directions);
        let solution = &mut self.solution;
        solution.status = Status::Solved;
        solution.law = self.options.law;
        solution.directions = if solution.law == Law::Polyhedral { d } else { 0 };
        refill(&mut solution.normal_impulse, n, 0.0);
        refill(&mut solution.friction_impulse, n, [0.0; 2]);
        refill(&mut solution.phi, n * solution.directions, 0.0);
        refill(&mut solution.joint_impulse, problem.joint_count(), 0.0);
        refill(&mut solution.contact_velocity, n, [0.0; 3]);
        refill(&mut solution.state, n, crate::ContactState::Separating);
        if let Some(last) = solution.compression.take() {
            self.spare = last;
        }
        solution.velocity.clear();
        solution.velocity.extend_from_slice(problem.v_free());
        solution.unique.clear();
        solution.residual = Residual::default();
        solution.ray = None;
        solution.drive = None;
        let stats = &mut solution.stats;
        (stats.warm_starts, stats.warm_fallbacks) = (0, 0);
        stats.choices_cut = false;
        stats.rest_preferred = 0;
        stats.islands = self.islands.count();
    }

    /// Forgets the counts of the last solve, in the room that there is.
    fn begin_counts(&mut self) {
        let mut methods = std::mem::take(&mut self.solution.stats.methods);
        methods.clear();
        self.solution.stats = Stats {
            methods,
            ..Stats::default()
        };
    }

    /// `met`: the last problem was the same but for its velocities.
    fn solve_islands(&mut self, problem: &ContactProblem, (warm, is_joined): (bool, bool), met: bool) {
        let Self {
            options,
            islands,
            slots,
            slot_of,
            solution,
            warm: last,
            joined,
            ..
        } = self;
        let (start, keeps) = (if is_joined { joined } else { last }, warm && self.in_rounds);
        let allowance = self.allowance;
        // Islands that fail beside others are joined, and solved as one: last resorts and proofs wait for that.
        let apart = Options {
            max_work: options.max_work.min(APART_WORK),
            ..options.clone()
        };
        let solve = |slot: &mut Slot| {
            let Some(island) = slot.island else { return };
            if met {
                slot.part.copy_velocity(problem, islands.blocks(island));
            } else {
                let (blocks, contacts, joints) =
                    (islands.blocks(island), islands.contacts(island), islands.joints(island));
                slot.next.take_part(problem, blocks, contacts, joints, &mut slot.place);
                if keeps && slot.is_answered && slot.next == slot.part {
                    slot.solver.keep_answer();
                    return;
                }
                std::mem::swap(&mut slot.part, &mut slot.next);
            }
            let start = warm.then_some((&*start, islands.joints(island)));
            slot.solver.may_join = islands.is_beside(island);
            slot.solver.allowance = limit(allowance);
            let options = if slot.solver.may_join { &apart } else { &*options };
            slot.solver.solve(&slot.part, options, start);
            slot.is_answered = slot.solver.found().status == Status::Solved;
        };
        if problem.contact_count() >= PARALLEL_CONTACTS {
            slots.par_iter_mut().for_each(solve);
        } else {
            slots.iter_mut().for_each(solve);
        }
        if slot_of.iter().any(|slot| slots[*slot].solver.compression().is_some()) {
            solution.compression = Some(Compression {
                normal_impulse: solution.normal_impulse.clone(),
                friction_impulse: solution.friction_impulse.clone(),
                phi: solution.phi.clone(),
                joint_impulse: solution.joint_impulse.clone(),
            });
        }
        for (island, slot) in slot_of.iter().enumerate() {
            take_island(solution, problem, islands, island, &slots[*slot]);
        }
    }
}

/// Smallest block of an island; that without any comes last.
fn smallest_block(islands: &Islands, island: usize) -> usize {
    islands.blocks(island).first().copied().unwrap_or(usize::MAX)
}

/// Whether a contact joins its bodies: it closes in the free motion, or the law acts on it although it is open.
fn joins(problem: &ContactProblem, law: Law, i: usize) -> bool {
    let c = problem.columns_tilde(i);
    let acts_open = !law.is_dry() && problem.viscosity(i) > 0.0;
    c.touches.len() < 2
        || acts_open
        || problem.is_grouped(i)
        || sparse_dot(c.touches, c.normal, problem.v_free()) + problem.bias(i)[0] <= 0.0
}

/// An allowance, none where there is no limit.
fn limit(allowance: u64) -> Option<u64> {
    (allowance < u64::MAX).then_some(allowance)
}

fn refill<T: Clone>(list: &mut Vec<T>, len: usize, value: T) {
    list.clear();
    list.resize(len, value);
}

/// How bad a status is: that of a problem is the worst of its islands'.
fn severity(status: Status) -> u8 {
    match status {
        Status::Solved => 0,
        Status::NotRound => 1,
        Status::Inaccurate => 2,
        Status::PivotLimit => 3,
        Status::UnboundedDrive => 4,
        Status::SearchLimit => 5,
        Status::NoSide => 6,
        Status::Ray => 7,
    }
}

/// Adds status, residual and counts of an island.
fn add_found(solution: &mut ContactSolution, problem: &ContactProblem, solver: &IslandSolver) {
    let found = solver.found();
    if severity(found.status) > severity(solution.status) {
        solution.status = found.status;
    }
    solution.residual = solution.residual.worse(found.residual);
    solution.stats.pivots += found.pivots;
    solution.stats.newton_steps += found.newton_steps;
    solution.stats.factorisations += found.factorisations;
    let rows = (problem.contact_count() + problem.joint_count()) as u64;
    let pivoting = PIVOT.saturating_mul(rows * rows).saturating_mul(found.pivots as u64);
    solution.stats.operations = (solution.stats.operations).saturating_add(found.operations.saturating_add(pivoting));
    solution.stats.handovers += found.handovers;
    solution.stats.handover_reason = found.reason.or(solution.stats.handover_reason);
    solution.stats.fallbacks += found.fallbacks;
    solution.stats.rest_preferred += found.rest_preferred;
    solution.stats.choices += found.choices;
    solution.stats.choices_cut |= found.choices_cut;
    solution.stats.warm_starts += usize::from(found.start != Start::Cold);
    solution.stats.warm_fallbacks += usize::from(found.start == Start::WarmThenCold);
    for method in &found.methods {
        // Islands run side by side: each method once, in the order of its last run.
        solution.stats.methods.retain(|m| m != method);
        solution.stats.methods.push(*method);
    }
}

fn take_single(
    solution: &mut ContactSolution,
    problem: &ContactProblem,
    solver: &IslandSolver,
    spare: &mut Compression,
) {
    add_found(solution, problem, solver);
    let (impulses, judge) = (solver.impulses(), solver.judge());
    solution.normal_impulse.copy_from_slice(&impulses.normal);
    solution.friction_impulse.copy_from_slice(&impulses.friction);
    solution.joint_impulse.copy_from_slice(&impulses.joint);
    if solution.phi.len() == impulses.phi.len() {
        solution.phi.copy_from_slice(&impulses.phi);
    }
    solution.velocity.copy_from_slice(judge.velocity());
    solution.contact_velocity.copy_from_slice(judge.contact_velocity());
    solution.state.copy_from_slice(judge.state());
    if let Some(compression) = solver.compression() {
        let mut whole = std::mem::take(spare);
        whole.normal_impulse.clone_from(&compression.normal);
        whole.friction_impulse.clone_from(&compression.friction);
        let has_phi = solution.phi.len() == compression.phi.len();
        whole
            .phi
            .clone_from(if has_phi { &compression.phi } else { &solution.phi });
        whole.joint_impulse.clone_from(&compression.joint);
        solution.compression = Some(whole);
    }
    solution.ray.clone_from(&solver.found().ray);
    solution.drive.clone_from(&solver.found().drive);
}

/// Copies the compression of an island to its place in that of the whole problem.
fn take_compression(whole: &mut Compression, own: &Impulses, contacts: &[usize], joints: &[usize], d: usize) {
    for (i, to) in contacts.iter().enumerate() {
        whole.normal_impulse[*to] = own.normal[i];
        whole.friction_impulse[*to] = own.friction[i];
        if own.phi.len() == d * contacts.len() {
            whole.phi[d * to..d * (to + 1)].copy_from_slice(&own.phi[d * i..d * (i + 1)]);
        }
    }
    for (k, to) in joints.iter().enumerate() {
        whole.joint_impulse[*to] = own.joint[k];
    }
}

fn take_island(
    solution: &mut ContactSolution,
    problem: &ContactProblem,
    islands: &Islands,
    island: usize,
    slot: &Slot,
) {
    add_found(solution, &slot.part, &slot.solver);
    let (impulses, judge) = (slot.solver.impulses(), slot.solver.judge());
    let (contacts, joints) = (islands.contacts(island), islands.joints(island));
    let d = solution.directions;
    for (i, to) in contacts.iter().enumerate() {
        solution.normal_impulse[*to] = impulses.normal[i];
        solution.friction_impulse[*to] = impulses.friction[i];
        solution.contact_velocity[*to] = judge.contact_velocity()[i];
        solution.state[*to] = judge.state()[i];
        if impulses.phi.len() == d * contacts.len() {
            solution.phi[d * to..d * (to + 1)].copy_from_slice(&impulses.phi[d * i..d * (i + 1)]);
        }
    }
    for (k, to) in joints.iter().enumerate() {
        solution.joint_impulse[*to] = impulses.joint[k];
    }
    if let Some(whole) = &mut solution.compression {
        // What does not bounce is its own compression.
        let own = slot.solver.compression().unwrap_or(impulses);
        take_compression(whole, own, contacts, joints, d);
    }
    for (k, block) in islands.blocks(island).iter().enumerate() {
        solution.velocity[problem.block_range(*block)].copy_from_slice(&judge.velocity()[slot.part.block_range(k)]);
    }
    if let (None, Some(drive)) = (&solution.drive, &slot.solver.found().drive) {
        solution.drive = Some(Drive {
            driven: contacts[drive.driven],
            contacts: drive.contacts.iter().map(|(i, n, f)| (contacts[*i], *n, *f)).collect(),
            joints: drive.joints.iter().map(|(k, x)| (joints[*k], *x)).collect(),
        });
    }
    if let (None, Some(ray)) = (&solution.ray, &slot.solver.found().ray) {
        solution.ray = Some(ray.renamed(|i| contacts[i], |k| joints[k]));
    }
}
