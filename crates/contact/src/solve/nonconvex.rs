//! Nonconvex groups by the largest value of their sides \[Egan IV, VI\]: a search over sides.
//!
//! Lemke's method cannot solve the paper's LCP (32)–(33). Here a group is a disjunction: the problem is solved without the contacts of
//! groups, and while some group's value is negative there, one branch for each of its sides adds the contacts of that side. Every node is a
//! convex contact problem, started from its parent's impulses. What counts is the judge on the whole problem: a node is an answer if the judge
//! says so, a dead end if no group is violated and the judge refuses it (a side pushes while another is open).
//!
//! Nodes are ordered by |v − v_free| in the norm of the mass, the size of the impulse, then by the lowest sides. Without friction a node's velocity is the
//! nearest to v_free that its contacts allow, so that a branch never has less than its root, and the least answer of all is always lawful: were
//! another side of a pushing group open there, a step towards the root's velocity would be nearer still. With friction it is the order of the search.
//! The search first dives for any answer, then goes on while an open node has less impulse than the best answer.
//!
//! With friction a lawful answer may hide where no branch leads; if the branches have none, and not because no velocity satisfies any of
//! them, all choices are tried, those with one side a group first, then those of corners (`nonconvex_corner.rs`), then all states of the
//! contacts (`nonconvex_states.rs`), the first lawful one. Bounded by [`CHOICE_LIMIT`] convex problems, of which
//! [`ALL_LIMIT`] for this last resort.

use super::island::{IslandSolver, Start};
use super::nonconvex_all::Choices;
use super::{Before, ContactSolver, Options, WarmStart};
use crate::check::{Judge, Residual, Terms};
use crate::error::InputError;
use crate::problem::{ContactProblem, length};
use crate::solution::{Law, Method, Ray, Stats, Status};
use crate::solver::Impulses;

/// Most convex problems that are solved for one island.
pub(super) const CHOICE_LIMIT: usize = 4096;

/// Most of them when all choices are tried because no branch has an answer.
const ALL_LIMIT: usize = 1024;
/// Choices that large islands may take, and bodies of an island that takes none while its work is limited: each choice costs as much as the island itself.
const LEAST_CHOICES: usize = 8;
const MAX_BODIES: usize = 48;

/// Impulses that differ by less than this share have the same size: the lowest sides decide.
const TIE: f64 = 1e-9;

/// Sides that are taken, (group, side) ascending.
pub(super) type Chosen = Vec<(usize, usize)>;

/// One choice of sides and what it leads to.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) chosen: Chosen,
    /// Impulses of the whole problem.
    pub(super) impulses: Impulses,
    /// |v − v_free| in the norm of the mass.
    pub(super) size: f64,
    pub(super) residual: Residual,
    /// The judge accepts it.
    pub(super) lawful: bool,
    /// The group that is violated most, where the node's own problem is solved.
    violated: Option<usize>,
    /// How its own problem ended.
    status: Status,
    ray: Option<Ray>,
    warm: WarmStart,
}

impl Node {
    /// An answer with which the judge is content.
    pub(super) fn of_answer(problem: &ContactProblem, chosen: Chosen, impulses: Impulses, residual: Residual) -> Self {
        Self {
            size: size(problem, &impulses),
            lawful: residual.worst.is_finite(),
            chosen,
            impulses,
            residual,
            violated: None,
            status: Status::Solved,
            ray: None,
            warm: WarmStart::default(),
        }
    }

    /// Whether it comes before another: less impulse, or as much on lower sides.
    pub(super) fn is_before(&self, other: &Self) -> bool {
        if (self.size - other.size).abs() <= TIE * self.size.max(other.size) {
            self.chosen < other.chosen
        } else {
            self.size < other.size
        }
    }

    /// No velocity satisfies its contacts, and none of its branches'.
    fn is_infeasible(&self) -> bool {
        self.status == Status::Ray && self.ray.as_ref().is_some_and(|ray| ray.infeasible)
    }
}

/// Solves choices of sides, and counts.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    solver: ContactSolver,
    /// Contacts of a node.
    contacts: Vec<usize>,
    /// Choices that no velocity satisfies: nor does one satisfy more sides.
    infeasible: Vec<Chosen>,
    /// Of all nodes: methods, pivots and the like.
    pub(super) stats: Stats,
    pub(super) choices: usize,
    pub(super) cut: bool,
    /// Choices that may be solved.
    limit: usize,
}

/// A limit on choices for two bodies, less for islands of more: each choice is solved as a whole.
fn limit_of(problem: &ContactProblem, most: usize) -> usize {
    let bodies = problem.block_count().max(1);
    (4 * most / (bodies * bodies)).clamp(LEAST_CHOICES, most)
}

impl Options {
    /// The method of convex problems.
    pub(super) fn convex_method(&self) -> Option<Method> {
        match self.method {
            Some(Method::NonconvexMax) => None,
            Some(Method::NonconvexSum) => Some(Method::LemkeStandard),
            other => other,
        }
    }
}

impl Search {
    pub(super) fn new(options: &Options) -> Result<Self, InputError> {
        let mut solver = ContactSolver::new(Options {
            method: options.convex_method(),
            ..options.clone()
        })?;
        solver.set_joins_all();
        Ok(Self {
            solver,
            contacts: Vec::new(),
            infeasible: Vec::new(),
            stats: Stats::default(),
            choices: 0,
            cut: false,
            limit: CHOICE_LIMIT,
        })
    }

    /// Solves the problem of a choice. `warm`: what it starts from.
    pub(super) fn visit(
        &mut self,
        problem: &ContactProblem,
        (terms, judge): (Terms, &mut Judge),
        chosen: Chosen,
        warm: Option<&WarmStart>,
    ) -> Node {
        self.choices += 1;
        self.contacts.clear();
        let convex = (0..problem.contact_count()).filter(|i| !problem.is_grouped(*i));
        self.contacts.extend(convex);
        for (group, side) in &chosen {
            self.contacts.extend_from_slice(problem.side(*group, *side));
        }
        self.contacts.sort_unstable();
        let part = problem.without_groups(&self.contacts);
        match warm {
            Some(warm) => self.solver.set_warm_start(warm.clone()),
            None => self.solver.forget(),
        }
        let before = if warm.is_some() {
            Before::Starts
        } else {
            Before::Ignored
        };
        self.solver.run(&part, before);
        self.count();
        let mut impulses = Impulses::default();
        impulses.clear(problem, terms.directions);
        impulses.scatter(&self.found(), &self.contacts, terms.directions);
        let has_directions = terms.law == Law::Polyhedral;
        let (mut lawful, mut residual) = judge.judge(problem, terms, impulses.answer(has_directions));
        let corner = chosen.windows(2).any(|pair| pair[0].0 == pair[1].0);
        if corner && !lawful {
            let contacts = std::mem::take(&mut self.contacts);
            if let Some(better) = self.try_corner(problem, (terms, judge), &chosen, (&part, &contacts)) {
                impulses = better;
            }
            (lawful, residual) = judge.judge(problem, terms, impulses.answer(has_directions));
            self.contacts = contacts;
        }
        let solution = self.solver.solution();
        let solved = solution.status == Status::Solved;
        if solution.ray.as_ref().is_some_and(|ray| ray.infeasible) && solution.status == Status::Ray {
            self.infeasible.push(chosen.clone());
        }
        Node {
            size: size(problem, &impulses),
            violated: if solved { most_violated(judge, terms) } else { None },
            status: solution.status,
            ray: solution.ray.as_ref().map(|ray| self.whole_ray(ray)),
            warm: self.solver.warm_start().clone(),
            chosen,
            impulses,
            residual,
            lawful: lawful && residual.worst.is_finite(),
        }
    }

    /// Impulses of the last convex problem.
    fn found(&self) -> Impulses {
        let solution = self.solver.solution();
        Impulses {
            normal: solution.normal_impulse.clone(),
            friction: solution.friction_impulse.clone(),
            phi: solution.phi.clone(),
            joint: solution.joint_impulse.clone(),
        }
    }

    /// Solves a convex problem from given impulses.
    pub(super) fn run_from(&mut self, part: &ContactProblem, start: &WarmStart) -> Impulses {
        self.solver.set_warm_start(start.clone());
        self.solver.run(part, Before::Starts);
        self.count();
        self.found()
    }

    /// Whether a choice holds the sides of one that no velocity satisfies.
    pub(super) fn is_ruled_out(&self, chosen: &Chosen) -> bool {
        let holds = |less: &Chosen| less.iter().all(|side| chosen.contains(side));
        self.infeasible.iter().any(holds)
    }

    /// Forgets the last problem.
    fn begin(&mut self) {
        (self.choices, self.cut, self.stats) = (0, false, Stats::default());
        self.infeasible.clear();
    }

    /// Adds the counts of the last convex problem.
    fn count(&mut self) {
        let Self { solver, stats, .. } = self;
        let found = &solver.solution().stats;
        stats.pivots += found.pivots;
        stats.newton_steps += found.newton_steps;
        stats.factorisations += found.factorisations;
        stats.operations += found.operations;
        stats.handovers += found.handovers;
        stats.handover_reason = found.handover_reason.or(stats.handover_reason);
        stats.fallbacks += found.fallbacks;
        for method in &found.methods {
            stats.methods.retain(|m| m != method);
            stats.methods.push(*method);
        }
    }

    /// A ray of a node with the contacts' numbers in the whole problem.
    fn whole_ray(&self, ray: &Ray) -> Ray {
        ray.renamed(|i| self.contacts[i], |k| k)
    }

    /// Branches while a node may lead to less impulse than the best answer. Returns the best, or else the node nearest to one.
    fn branch(&mut self, problem: &ContactProblem, terms: Terms, judge: &mut Judge, root: Node) -> Found {
        let mut found = Found::default();
        let mut open = Vec::new();
        found.sort(root, &mut open);
        let mut children = 0;
        while let Some(at) = next(&open, if found.best.is_none() { children } else { 0 }) {
            let node = open.swap_remove(at);
            if found.best.as_ref().is_some_and(|best| !node.is_before(best)) {
                // Nothing open comes before the answer.
                break;
            }
            let Some(group) = node.violated else { continue };
            let sides = problem.side_count(group);
            if self.choices + sides > self.limit || self.solver.allowance() == 0 {
                self.cut = true;
                break;
            }
            children = open.len();
            for side in 0..sides {
                let mut chosen = node.chosen.clone();
                chosen.push((group, side));
                chosen.sort_unstable();
                if self.is_ruled_out(&chosen) {
                    continue;
                }
                let child = self.visit(problem, (terms, judge), chosen, Some(&node.warm));
                found.sort(child, &mut open);
            }
        }
        found
    }

    /// Tries all choices, as far as the limit allows, then all states.
    fn try_all(&mut self, problem: &ContactProblem, terms: Terms, judge: &mut Judge, found: &mut Found) {
        let limit = (self.choices + limit_of(problem, ALL_LIMIT)).min(self.limit);
        for (step, chosen) in Choices::new(problem).enumerate() {
            if self.choices >= limit || step >= CHOICE_LIMIT || self.solver.allowance() == 0 {
                self.cut = true;
                break;
            }
            if self.is_ruled_out(&chosen) {
                continue;
            }
            let node = self.visit(problem, (terms, judge), chosen, None);
            found.keep(node);
        }
        if found.best.is_none() {
            found.best = self.try_states(problem, (terms, judge));
        }
    }
}

/// What a search has found.
#[derive(Debug, Default)]
struct Found {
    best: Option<Node>,
    /// The node with the least residual, where none is an answer.
    nearest: Option<Node>,
    /// Some node failed, and not because no velocity satisfies its contacts.
    unproven: bool,
}

impl Found {
    /// Keeps a node as an answer, for its branches, or as the nearest to an answer.
    fn sort(&mut self, node: Node, open: &mut Vec<Node>) {
        if !node.lawful && node.violated.is_some() {
            let may_lead = self.best.as_ref().is_none_or(|best| node.is_before(best));
            if may_lead {
                open.push(node);
            }
            return;
        }
        self.keep(node);
    }

    fn keep(&mut self, node: Node) {
        if node.lawful {
            if self.best.as_ref().is_none_or(|best| node.is_before(best)) {
                self.best = Some(node);
            }
            return;
        }
        self.unproven |= !node.is_infeasible();
        let nearer = |other: &Node| node.residual.is_less(&other.residual);
        if self.nearest.as_ref().is_none_or(nearer) {
            self.nearest = Some(node);
        }
    }
}

/// |Σ C p + Σ j λ| in normalised coordinates: v − v_free in the norm of the mass.
fn size(problem: &ContactProblem, impulses: &Impulses) -> f64 {
    let mut change = vec![0.0; problem.dof()];
    for i in 0..problem.contact_count() {
        let [x, y] = impulses.friction[i];
        problem.push(i, [impulses.normal[i], x, y], &mut change);
    }
    for (k, x) in impulses.joint.iter().enumerate() {
        problem.push_joint(k, *x, &mut change);
    }
    length(&change)
}

/// The open node to go on with: among those from `first` on, if there are any, else among all.
fn next(open: &[Node], first: usize) -> Option<usize> {
    let first = if first < open.len() { first } else { 0 };
    let mut at: Option<usize> = None;
    for (i, node) in open.iter().enumerate().skip(first) {
        if at.is_none_or(|at| node.is_before(&open[at])) {
            at = Some(i);
        }
    }
    at
}

/// The group whose value is the most negative beyond the tolerance, the first of equals.
fn most_violated(judge: &Judge, terms: Terms) -> Option<usize> {
    let mut worst = (-terms.tolerance, None);
    for (group, value) in judge.group_value.iter().enumerate() {
        if *value < worst.0 {
            worst = (*value, Some(group));
        }
    }
    worst.1
}

impl IslandSolver {
    /// Solves a problem with nonconvex groups.
    pub(super) fn solve_groups(
        &mut self,
        problem: &ContactProblem,
        terms: Terms,
        options: &Options,
        warm: Option<(&WarmStart, &[usize])>,
    ) {
        if options.method == Some(Method::NonconvexSum) {
            self.solve_sum(problem, terms, options.epsilon);
            return;
        }
        let mut search = match self.search.take() {
            Some(search) => search,
            None => match Search::new(options) {
                Ok(search) => Box::new(search),
                // Options were checked when the solver was made.
                Err(_) => return,
            },
        };
        search.begin();
        let is_limited = options.max_work < u64::MAX || self.allowance.is_some();
        if is_limited && problem.block_count() > MAX_BODIES {
            // Who searches no sides takes one.
            self.search = Some(search);
            self.end_without_work(problem, options);
            self.found.status = Status::SearchLimit;
            return;
        }
        search.solver.set_max_work(options.max_work);
        search
            .solver
            .set_allowance(self.allowance.map_or(u64::MAX, |_| self.left(problem)));
        search.limit = if is_limited {
            limit_of(problem, ALL_LIMIT)
        } else {
            CHOICE_LIMIT
        };
        let warm = warm.filter(|(warm, _)| !warm.is_empty());
        let start = warm.map(|(warm, joints)| warm.of_rows(joints));
        let root = search.visit(problem, (terms, &mut self.judge), Chosen::new(), start.as_ref());
        self.found.start = if warm.is_some() { Start::Warm } else { Start::Cold };
        let mut found = search.branch(problem, terms, &mut self.judge, root);
        // A branch without a velocity has none with any friction.
        if found.best.is_none() && found.unproven && !search.cut && !is_limited {
            search.try_all(problem, terms, &mut self.judge, &mut found);
        }
        self.take_search(problem, terms, &mut search, found);
        self.search = Some(search);
    }

    /// Takes over the answer of a search, or what came nearest to one.
    fn take_search(&mut self, problem: &ContactProblem, terms: Terms, search: &mut Search, found: Found) {
        let solved = found.best.is_some();
        self.found.choices += search.choices;
        self.found.choices_cut |= search.cut;
        self.found.pivots += search.stats.pivots;
        self.found.newton_steps += search.stats.newton_steps;
        self.found.factorisations += search.stats.factorisations;
        self.found.operations += search.stats.operations;
        self.found.handovers += search.stats.handovers;
        self.found.reason = search.stats.handover_reason.or(self.found.reason);
        self.found.fallbacks += search.stats.fallbacks;
        self.found.methods.append(&mut search.stats.methods);
        self.found.methods.push(Method::NonconvexMax);
        let Some(node) = found.best.or(found.nearest) else {
            self.found.status = Status::SearchLimit;
            return;
        };
        // A root that fails says more than that all branches do.
        let of_root = node.chosen.is_empty() && node.status != Status::Solved;
        self.found.status = match (solved, search.cut) {
            (true, _) => Status::Solved,
            (false, _) if of_root && node.is_infeasible() => Status::Ray,
            (false, true) => Status::SearchLimit,
            (false, false) => Status::NoSide,
        };
        self.found.ray = if self.found.status == Status::Ray {
            node.ray
        } else {
            None
        };
        self.best.copy_from(&node.impulses);
        let answer = self.best.answer(terms.law == Law::Polyhedral);
        self.found.residual = self.judge.judge(problem, terms, answer).1;
    }
}
