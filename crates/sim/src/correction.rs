//! Penetration correction: overlap and open joints are removed by a displacement without velocity. Sweeps over contacts remove overlap; the solver
//! closes joints, and removes the overlap that sweeps leave.

use stiction_contact::{ContactProblem, ContactSolver, InputError, JointPart, Law, Options, Status, Work};

use crate::assemble::{add_blocks, add_contact};
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::error::SimError;
use crate::impact::gets_out;
use crate::integrate::turn;
use crate::joint::{MAX_ROW_BODIES, Row};
use crate::level::level;
use crate::lever::Levers;
use crate::model::Model;
use crate::state::BodyState;
use crate::sweeps::Sweeps;

/// A body that overlaps more bodies than this, which overlap as many, is in a crowd with no way out: hundreds of bodies in one place would take minutes
/// a step.
const MAX_OVERLAPPING: usize = 64;
/// Relative tolerance of the displacement: roundings of positions are below it, and the next step corrects the rest.
const CORRECTION_REL_TOL: f64 = 1e-6;
/// Share of the deepest overlap that an inexact displacement may leave.
const MAX_LEFT_SHARE: f64 = 0.1;
/// Operations that the solver may take after the sweeps: bodies that it cannot separate now may be separable in the next step.
const MAX_WORK: u64 = 1_000_000;
/// Newton steps that close joints, at most.
const MAX_CLOSING_STEPS: usize = 4;

/// Moves bodies out of overlap and closes joints, without friction; keeps its buffers.
#[derive(Debug, Clone)]
pub(crate) struct PenetrationCorrection {
    solver: ContactSolver,
    problem: ContactProblem,
    /// Sweeps over contacts, which remove most overlap alone.
    sweeps: Sweeps,
    /// Work of the sweeps.
    swept: Work,
    /// How far bodies may be moved.
    levers: Levers,
    /// Gaps of contacts, levelled by face \[m\].
    levels: Vec<f64>,
    /// How many bodies each one overlaps.
    overlapped: Vec<usize>,
    rows: Vec<Row>,
}

impl PenetrationCorrection {
    pub(crate) fn new() -> Result<Self, InputError> {
        let options = Options {
            law: Law::Frictionless,
            tolerance: CORRECTION_REL_TOL,
            max_work: MAX_WORK,
            ..Options::default()
        };
        Ok(Self {
            solver: ContactSolver::new(options)?,
            problem: ContactProblem::new(),
            sweeps: Sweeps::default(),
            swept: Work::default(),
            levers: Levers::default(),
            levels: Vec::new(),
            overlapped: Vec::new(),
            rows: Vec::new(),
        })
    }

    /// Work of solves since it was last taken.
    pub(crate) fn work(&self) -> Work {
        let mut work = *self.solver.work();
        work += self.swept;
        work
    }

    /// Counts from zero again.
    pub(crate) fn take_work(&mut self) {
        self.solver.take_work();
        self.swept = Work::default();
    }

    /// Begins a step: its first solve starts cold, so that the start is no part of the state. A step that is tried again starts warm.
    pub(crate) fn forget(&mut self) {
        self.solver.forget();
        self.solver.begin_rounds();
    }

    /// Moves bodies out of overlap: the least displacement, weighed by mass, that opens the contacts, no faster than the setting `ease`. Contacts get the
    /// gaps that are left. Joints that are apart are closed too, with `joints` even where nothing overlaps. Returns the potential energy that this gives \[J\].
    pub(crate) fn overlap(
        &mut self,
        model: &Model,
        bodies: &mut [BodyState],
        contacts: &mut [Contact],
        (h, joints): (f64, bool),
    ) -> Result<f64, SimError> {
        let at = Configuration::of(model, bodies);
        let open = joints && self.joints_apart(at);
        if !open && !contacts.iter().any(|contact| overlaps(at, contact)) {
            return Ok(0.0);
        }
        self.refuse_crowds(at, contacts)?;
        self.correct(model, bodies, contacts, h)
    }

    /// Brings joints together that motion along a straight line has drawn apart, by second order in h: Newton's method, as a rule one step of it.
    /// Contacts are left to the next step. Returns the potential energy that this gives \[J\].
    pub(crate) fn close_joints(&mut self, model: &Model, bodies: &mut [BodyState], h: f64) -> Result<f64, SimError> {
        let mut energy = 0.0;
        for _ in 0..MAX_CLOSING_STEPS {
            if !self.joints_apart(Configuration::of(model, bodies)) {
                break;
            }
            energy += self.correct(model, bodies, &mut [], h)?;
        }
        Ok(energy)
    }

    /// Whether a joint is open by more than rounding, in a row of metres or of radians.
    fn joints_apart(&mut self, at: Configuration<'_>) -> bool {
        let mut apart = false;
        for joint in &at.model.joints {
            let slack = at.joint_slack(joint);
            at.rows_of(joint, &mut self.rows);
            // Written so that NaN is apart.
            apart |= !self.rows.iter().all(|row| row.error.abs() <= slack);
        }
        apart
    }

    /// An error that names two bodies of a crowd.
    fn refuse_crowds(&mut self, at: Configuration<'_>, contacts: &[Contact]) -> Result<(), SimError> {
        if contacts.len() <= MAX_OVERLAPPING * MAX_OVERLAPPING / 2 {
            return Ok(());
        }
        let (counts, bodies) = (&mut self.overlapped, &at.model.bodies);
        counts.clear();
        counts.resize(bodies.len(), 0);
        // Contacts of a pair follow each other.
        let mut last = None;
        for contact in contacts.iter().filter(|c| overlaps(at, c)) {
            if last.replace((contact.a, contact.b)) != Some((contact.a, contact.b)) {
                counts[contact.a] += 1;
                counts[contact.b] += 1;
            }
        }
        let crowded = |c: &&Contact| overlaps(at, c) && counts[c.a] > MAX_OVERLAPPING && counts[c.b] > MAX_OVERLAPPING;
        let Some(contact) = contacts.iter().find(crowded) else {
            return Ok(());
        };
        let [a, b] = [contact.a, contact.b].map(|body| &bodies[body].name);
        Err(SimError::value(
            format!("{a} and {b}: bodies that each overlaps"),
            "must be 64 at most; place them apart",
            counts[contact.a] as f64,
        ))
    }

    /// The problem of the least displacement, weighed by mass, that closes joints and opens contacts.
    fn set_problem(&mut self, at: Configuration<'_>, contacts: &[Contact], h: f64) -> Result<(), SimError> {
        let (coordinates, n) = (at.coordinates(), at.coordinates().count());
        let (problem, levers) = (&mut self.problem, &mut self.levers);
        problem.clear();
        add_blocks(problem, at, 1.0, |_| [0.0; 6])?;
        levers.reset(problem.block_count());
        level(contacts, usize::MAX, |contact| at.slack(contact), &mut self.levels);
        for (contact, level) in contacts.iter().zip(&self.levels) {
            let gap = gap_to_correct(at, contact, *level, h);
            levers.add([contact.a, contact.b].map(|body| at.blocks[body]), (-gap).max(0.0));
            let index = add_contact(problem, at, contact, 0.0, [gap, 0.0, 0.0])?;
            problem.set_bias(index, [gap, 0.0, 0.0])?;
            problem.set_key(index, contact.key)?;
        }
        let most = at.model.settings.ease * h;
        for joint in &at.model.joints {
            at.rows_of(joint, &mut self.rows);
            for row in &self.rows {
                let mut parts: [JointPart<'_>; MAX_ROW_BODIES] = [(0, &[]); MAX_ROW_BODIES];
                let mut count = 0;
                let picked = row.parts.map(|part| coordinates.pick(part));
                for (body, part) in joint.bodies().iter().zip(&picked) {
                    if let Some(block) = at.blocks[*body] {
                        parts[count] = (block, &part[..n]);
                        count += 1;
                    }
                }
                if count > 0 {
                    let correction = row.error.abs() * (1.0 + at.model.joint_size(joint));
                    levers.add([parts[0].0, parts[count.min(2) - 1].0].map(Some), correction);
                    for (block, _) in &parts[2.min(count)..count] {
                        levers.add([parts[0].0, *block].map(Some), 0.0);
                    }
                    problem.add_joint(&parts[..count], row.error.max(-most).min(most))?;
                }
            }
        }
        Ok(())
    }

    /// Finds the displacement: by sweeps, and where in an island they leave too much of an overlap, or joints are to be closed, by the solver.
    fn find(&mut self, at: Configuration<'_>, contacts: &[Contact], h: f64) -> Result<Found, SimError> {
        let (problem, levers, sweeps) = (&self.problem, &mut self.levers, &mut self.sweeps);
        if problem.joint_count() == 0 {
            let is_enough = sweeps.run(problem, |block| levers.leader(block));
            self.swept += Work {
                solves: 1,
                passes: 1,
                operations: sweeps.operations,
                ..Work::default()
            };
            if is_enough {
                return Ok(Found::Swept);
            }
        }
        let is_solved = self.solver.solve_warm(problem)?.status == Status::Solved;
        Ok(if is_solved || self.gets_better(at, contacts, h) {
            Found::Solved
        } else {
            Found::InPart
        })
    }

    /// Whether an inexact displacement leaves at most a share of the deepest overlap everywhere: then it is taken, and the next step corrects the rest.
    fn gets_better(&self, at: Configuration<'_>, contacts: &[Contact], h: f64) -> bool {
        let solution = self.solver.solution();
        let gaps = contacts.iter().zip(&self.levels);
        let deepest = gaps.fold(0.0, |m: f64, (contact, level)| {
            m.max(-gap_to_correct(at, contact, *level, h))
        });
        let left = solution.contact_velocity.iter().fold(0.0, |m: f64, u| m.max(-u[0]));
        let is_finite = solution.velocity.iter().all(|x| x.is_finite());
        is_finite && at.model.joints.is_empty() && left <= MAX_LEFT_SHARE * deepest
    }

    /// Moves bodies by the least displacement that closes joints and opens contacts, as far as there is one and levers allow.
    fn correct(
        &mut self,
        model: &Model,
        bodies: &mut [BodyState],
        contacts: &mut [Contact],
        h: f64,
    ) -> Result<f64, SimError> {
        let at = Configuration::of(model, bodies);
        let coordinates = at.coordinates();
        self.set_problem(at, contacts, h)?;
        let before = at.energy()[1];
        let found = self.find(at, contacts, h)?;
        let (solver, sweeps, levers) = (&self.solver, &self.sweeps, &mut self.levers);
        let is_swept = self.problem.joint_count() == 0;
        let by_sweeps = |levers: &mut Levers, block: usize| is_swept && !sweeps.fails[levers.leader(block)];
        let motion = |levers: &mut Levers, block: usize| {
            let velocity = if by_sweeps(levers, block) {
                &sweeps.velocity
            } else {
                &solver.solution().velocity
            };
            coordinates.motion(block, velocity)
        };
        for (i, block) in at.blocks.iter().enumerate() {
            if let Some(block) = block {
                let (shift, turned) = motion(levers, *block);
                levers.move_by(*block, shift.norm() + model.radius(i) * turned.norm());
            }
        }
        // Bodies that are wedged into each other, or held by joints that contradict each other, stay as they are.
        let stays = |levers: &mut Levers, block: usize| {
            found == Found::InPart && !by_sweeps(levers, block) && !solver.is_block_solved(block)
        };
        // Bodies must not fall through distance that the correction has removed: the step takes the gaps that are left.
        for (i, (contact, level)) in contacts.iter_mut().zip(&self.levels).enumerate() {
            let mut blocks = [contact.a, contact.b].into_iter().filter_map(|i| at.blocks[i]);
            let first = blocks.clone().next();
            let share = first.map_or(1.0, |block| levers.share(block));
            let gap = if first.is_some_and(|block| by_sweeps(levers, block)) {
                sweeps.gaps[i]
            } else {
                solver.solution().contact_velocity[i][0]
            };
            if !blocks.any(|block| stays(levers, block)) {
                contact.gap += share * (gap - gap_to_correct(at, contact, *level, h));
            }
        }
        for (state, block) in bodies.iter_mut().zip(model.blocks()) {
            let Some(block) = block.filter(|block| !stays(levers, *block)) else {
                continue;
            };
            let ((shift, turned), share) = (motion(levers, block), levers.share(block));
            state.pose.position += share * shift;
            let spin_body = state.pose.direction_in_body(state.spin);
            state.pose.rotation = turn(state.pose.rotation, share * turned, 1.0);
            state.spin = state.pose.direction(spin_body);
        }
        Ok(Configuration::of(model, bodies).energy()[1] - before)
    }
}

/// How far a displacement was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// By sweeps alone.
    Swept,
    /// By the solver where sweeps did not find it.
    Solved,
    /// In some islands not at all.
    InPart,
}

/// Part of a level gap that one step corrects. A contact that separates or bounces opens by itself and is not corrected, so that it gains no energy.
fn gap_to_correct(at: Configuration<'_>, contact: &Contact, level: f64, h: f64) -> f64 {
    let gap = level.max(-at.model.settings.ease * h);
    if gap < 0.0 && gets_out(at, contact, h) {
        0.0
    } else {
        gap
    }
}

/// Whether a contact overlaps by more than rounding.
fn overlaps(at: Configuration<'_>, contact: &Contact) -> bool {
    contact.gap < -at.rounded_gap(contact.a, contact.b)
}
