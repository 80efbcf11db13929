//! One step: collision → contact problem → solver → integration. The schemes are those of [`crate::Stepper`]; Stewart and Trinkle's:
//!
//! v = v_free + 𝓜⁻¹Σ C p over the step h, with ν + gap/h ≥ 0 at every contact within reach, then x += h v. Rotation leaves
//! an overlap of second order in h. Penetration correction removes it and the initial overlap by a separate displacement, at a bounded speed
//! and without velocity.
//!
//! A step reads a [`Model`] and a [`State`] and writes the next state; the state before does not change, so that a step that fails, or is repeated,
//! leaves nothing behind.

use stiction_contact::check::Accuracy;
use stiction_contact::{ContactProblem, ContactSolver, Status};

use crate::advance::advance;
use crate::assemble::Touches;
use crate::collider::Collider;
use crate::configuration::Configuration;
use crate::corner_sides::{CornerReport, Workshop, solve_corners};
use crate::corners::CornerRule;
use crate::energy::Ledger;
use crate::error::SimError;
use crate::failure::{outrun, worst_joint_error};
use crate::flight::{FreeMotion, Moment, fly};
use crate::impact::resolve_impacts;
use crate::look::meets_more;
use crate::midpoint;
use crate::model::Model;
use crate::motion::{drive, place_driven, place_driven_with_velocity};
use crate::outcome::Outcome;
use crate::scratch::Scratch;
use crate::state::{BodyState, State};
use crate::step_time::StepTime;
use crate::stepper::Stepper;
use crate::work::Work;

/// Contacts are sought this much farther than bodies can come in a step, as a share of their size: their keys then outlive small hops.
const REACH: f64 = 1e-4;
/// How often a step is repeated with a longer search for contacts, at most.
const LONGER: usize = 8;

/// A contact stops in a step that leaves less than this share of its slip.
const STOPS: f64 = 1e-6;
/// Rounds in which slipping contacts become static because they stop within a step, at most; slips that still reverse then are accepted.
const MAX_STATIC_ROUNDS: usize = 8;

/// What one step did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepReport {
    /// Contacts of the problem.
    pub contacts: usize,
    /// Deepest overlap at the start of the step \[m\].
    pub depth: f64,
    /// The judge's residual; where it is within the tolerance only beyond rounding, that beyond rounding.
    pub residual: f64,
    /// Whether the answer is solved to rounding only.
    pub to_rounding: bool,
    /// Worst residual of the free rotation of a body: of its equation, of energy and of momentum, relative. A step with more than 1e-12 fails.
    pub spin_residual: f64,
    /// Pivots of the answer: of the last solve of each substep. All of them are in [`work`](Self::work).
    pub pivots: usize,
    /// Newton steps of the answer, as pivots.
    pub newton_steps: usize,
    /// Islands that started from the last step.
    pub warm: usize,
    /// Islands.
    pub islands: usize,
    /// Islands that stay at rest although another answer, in which they move, is lawful too.
    pub rest_preferred: usize,
    /// Worst distance and angle by which a joint is apart after the step \[m, rad\].
    pub joint_error: [f64; 2],
    /// At acceleration level: contacts that collided, and were given an impulse of their own.
    pub impacts: usize,
    /// At acceleration level: no finite forces were found, and an impulse over the step was applied instead.
    pub impulsive: bool,
    /// Places that several planes may keep apart.
    pub corners: usize,
    /// Those of them that entered the problem as nonconvex groups.
    pub groups: usize,
    /// Those that have no answer as a group: the side at which their bodies meet was taken.
    pub corner_fallbacks: usize,
    /// Substeps in which the step was made: 1, and more where the whole had no verified answer.
    pub parts: usize,
    /// Whether, after the step, a body is faster than gravity makes it in one step.
    pub moves: bool,
    /// All work of the step, tries that were taken back included.
    pub work: Work,
}

/// Makes a step, or a part of one.
///
/// # Errors
/// As [`World::step`](crate::World::step). What is left in `next` is then of no meaning.
pub(crate) fn step(
    model: &Model,
    state: &State,
    time: StepTime,
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<StepReport, SimError> {
    scratch.correction.forget();
    scratch.collider.forget_reach();
    scratch.solver.set_warm_start_from(&state.warm);
    scratch.solver.begin_rounds();
    for _ in 0..=LONGER {
        let report = try_step(model, state, time, scratch, next)?;
        // What impulses, forces and motors make faster than it was may meet what was not looked for: it is looked for in the next try.
        if let Some(report) = report {
            check_finite(model, state, next)?;
            return Ok(report);
        }
    }
    Err(outrun(model, state, &scratch.outrunning))
}

/// None where a body would outrun its contacts. A try that is not taken has taken its time as well.
fn try_step(
    model: &Model,
    state: &State,
    time: StepTime,
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<Option<StepReport>, SimError> {
    scratch.stages.start();
    scratch.begin_try(model);
    scratch.is_merged = false;
    let outcome = match model.settings.stepper {
        Stepper::Midpoint => midpoint::try_step(model, state, time, scratch, next),
        _ => try_first_order(model, state, time, scratch, next),
    };
    // A try ends before its time where something is not solved.
    scratch.stages.lap(|times| &mut times.solve);
    outcome
}

fn try_first_order(
    model: &Model,
    state: &State,
    time: StepTime,
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<Option<StepReport>, SimError> {
    scratch.h = time.h;
    let mut ledger = state.ledger;
    let depth = find(model, state, time, scratch);
    begin(model, state, time, scratch, &mut ledger)?;
    let impacts = strike(model, state, time, scratch, &mut ledger)?;
    let corners = answer(model, time, scratch)?;
    if scratch.solution().status != Status::Solved {
        return Err(scratch.unsolved(model, state));
    }
    scratch.find_outrunning(model, time.h);
    if !scratch.outrunning.is_empty() && meets_more(model, state, time, scratch) {
        return Ok(None);
    }
    let solver = if scratch.by_impulse {
        &scratch.impacts
    } else {
        &scratch.solver
    };
    let outcome = Outcome {
        free: FreeMotion {
            at: Configuration::of(model, &scratch.start),
            flights: &scratch.flights,
        },
        contacts: &scratch.contacts,
        assembly: &scratch.assembly,
        solution: solver.solution(),
    };
    let mut report = StepReport {
        depth,
        impacts,
        impulsive: scratch.by_impulse,
        spin_residual: outcome.free.spin_residual(),
        ..StepReport::of(&outcome, &corners)
    };
    scratch.stages.lap(|times| &mut times.solve);
    next.time = time.end;
    next.step = time.step + u64::from(time.is_last);
    next.ledger = advance(&outcome, &scratch.loads, time, &ledger, &mut next.bodies);
    if model.settings.stepper == Stepper::Acceleration && !scratch.by_impulse {
        // Rows that turn neither strike nor rub.
        let work = scratch.rates.work(outcome.solution);
        next.ledger.impacts += work.normal;
        next.ledger.slip += work.other;
        next.ledger.numerical.flight -= work.normal + work.other;
    }
    place_driven(model, time.end, &mut next.bodies);
    next.ledger.eased += scratch.correction.close_joints(model, &mut next.bodies, time.h)?;
    let end = Configuration::of(model, &next.bodies);
    if !model.joints.is_empty() {
        next.ledger.potential = end.energy()[1];
    }
    report.joint_error = worst_joint_error(end, &mut scratch.rows);
    next.warm.clone_from(scratch.solver.warm_start());
    scratch.stages.lap(|times| &mut times.integrate);
    Ok(Some(report))
}

/// Where the step begins: driven bodies, and contacts. Returns the deepest overlap \[m\].
pub(crate) fn find(model: &Model, state: &State, time: StepTime, scratch: &mut Scratch) -> f64 {
    place(model, state, time, scratch);
    find_contacts(model, time.h, scratch);
    scratch.look.note(&scratch.contacts, &scratch.corners);
    let depth = scratch.contacts.iter().fold(0.0, |m: f64, c| m.max(-c.gap));
    scratch.stages.lap(|times| &mut times.collision);
    depth
}

/// Bodies where the step begins, driven ones with their velocities.
pub(crate) fn place(model: &Model, state: &State, time: StepTime, scratch: &mut Scratch) {
    scratch.start.clone_from(&state.bodies);
    if model.settings.stepper == Stepper::Midpoint {
        place_driven_with_velocity(model, time.start, midpoint::SIDE * time.h, &mut scratch.start);
    } else {
        drive(model, time, &mut scratch.start);
    }
}

/// What follows: penetration correction, loads, motion without contact.
pub(crate) fn begin(
    model: &Model,
    state: &State,
    time: StepTime,
    scratch: &mut Scratch,
    ledger: &mut Ledger,
) -> Result<(), SimError> {
    let is_midpoint = model.settings.stepper == Stepper::Midpoint;
    let (start, contacts) = (&mut scratch.start, &mut scratch.contacts);
    // The midpoint step closes joints at its end.
    ledger.eased += scratch
        .correction
        .overlap(model, start, contacts, (time.h, !is_midpoint))?;
    scratch.corners.follow(&state.bodies, start);
    let at = Configuration::of(model, start);
    if model.settings.stepper == Stepper::AnitescuPotra {
        contacts.retain(|contact| at.touches(contact));
    }
    scratch.loads.set(at, &scratch.assembly.drives, time);
    fly(at, &scratch.loads, time, &mut scratch.flights)
}

/// Finds the contacts that bounce; at acceleration level they are given their impulse at once. Returns the number of such impacts.
fn strike(
    model: &Model,
    state: &State,
    time: StepTime,
    scratch: &mut Scratch,
    ledger: &mut Ledger,
) -> Result<usize, SimError> {
    let free = FreeMotion {
        at: Configuration::of(model, &scratch.start),
        flights: &scratch.flights,
    };
    scratch.by_impulse = false;
    let count = scratch.bounces.mark(free, &scratch.contacts, time.h);
    if count == 0 {
        return Ok(0);
    }
    let touches = Touches {
        contacts: &scratch.contacts,
        corners: &scratch.corners,
        bounces: &scratch.bounces.shares,
    };
    let (assembly, solver, after) = (&mut scratch.assembly, &mut scratch.impacts, &mut scratch.struck);
    let Some(work) = resolve_impacts((free, time), touches, assembly, solver, after)? else {
        scratch.by_impulse = true;
        return Err(scratch.unsolved(model, state));
    };
    ledger.injected += work.injected;
    ledger.impacts += work.dissipated;
    scratch.bounces.shares.fill(0.0);
    std::mem::swap(&mut scratch.start, &mut scratch.struck);
    let at = Configuration::of(model, &scratch.start);
    fly(at, &scratch.loads, time, &mut scratch.flights)?;
    Ok(count)
}

/// Builds the contact problem and solves it.
fn answer(model: &Model, time: StepTime, scratch: &mut Scratch) -> Result<CornerReport, SimError> {
    let (h, of_forces) = (time.h, model.settings.stepper == Stepper::Acceleration);
    let free = FreeMotion {
        at: Configuration::of(model, &scratch.start),
        flights: &scratch.flights,
    };
    if scratch.corners.is_empty() {
        let touches = Touches {
            contacts: &scratch.contacts,
            corners: &scratch.corners,
            bounces: &scratch.bounces.shares,
        };
        scratch.assembly.set(free, touches, time, Moment::End)?;
        if of_forces {
            scratch.rates.add(&mut scratch.assembly, free.at, touches.contacts, h)?;
        }
        scratch.stages.lap(|times| &mut times.problem);
        if !of_forces {
            scratch.solver.solve_warm(&scratch.assembly.problem)?;
        } else if !find_forces(
            &mut scratch.assembly.problem,
            touches.contacts.len(),
            &mut scratch.solver,
        )? {
            // The contacts obey their law at the end of the step, as an impulse.
            scratch.by_impulse = true;
            scratch.assembly.set(free, touches, time, Moment::End)?;
            scratch.impacts.solve(&scratch.assembly.problem)?;
        }
        return Ok(CornerReport::default());
    }
    scratch.stages.lap(|times| &mut times.problem);
    let mut work = Workshop {
        contacts: &mut scratch.contacts,
        corners: &mut scratch.corners,
        bounces: &mut scratch.bounces,
        assembly: &mut scratch.assembly,
        solver: &mut scratch.solver,
    };
    solve_corners(free, h, &mut work, &mut |contacts, corners, bounces, assembly| {
        bounces.mark(free, contacts, h);
        let touches = Touches {
            contacts,
            corners,
            bounces: &bounces.shares,
        };
        assembly.set(free, touches, time, Moment::End)
    })
}

impl StepReport {
    /// What an answer says of its step.
    pub(crate) fn of(outcome: &Outcome<'_>, corners: &CornerReport) -> Self {
        let solution = outcome.solution;
        Self {
            contacts: outcome.contacts.len(),
            residual: solution.residual.verified(outcome.free.at.model.settings.tolerance),
            to_rounding: solution.accuracy == Some(Accuracy::Rounding),
            pivots: solution.stats.pivots,
            newton_steps: solution.stats.newton_steps,
            warm: solution.stats.warm_starts - solution.stats.warm_fallbacks,
            islands: solution.stats.islands,
            rest_preferred: solution.stats.rest_preferred,
            corners: corners.corners,
            groups: corners.groups,
            corner_fallbacks: corners.fallbacks,
            parts: 1,
            ..Self::default()
        }
    }
}

impl Scratch {
    /// Finds the bodies that would go farther in the step than contacts were looked for.
    fn find_outrunning(&mut self, model: &Model, h: f64) {
        let solver = if self.by_impulse { &self.impacts } else { &self.solver };
        let outcome = Outcome {
            free: FreeMotion {
                at: Configuration::of(model, &self.start),
                flights: &self.flights,
            },
            contacts: &self.contacts,
            assembly: &self.assembly,
            solution: solver.solution(),
        };
        self.outrunning.clear();
        self.look.motion.clear();
        for i in 0..model.bodies.len() {
            self.look.motion.push(outcome.motion_of(i));
            if outruns(&outcome, &mut self.collider, i, h) {
                self.outrunning.push(i);
            }
        }
    }
}

/// Whether a body would go farther in the step than contacts were looked for; the next look is as far.
fn outruns(outcome: &Outcome<'_>, collider: &mut Collider, i: usize, h: f64) -> bool {
    if outcome.free.at.blocks[i].is_none() {
        return false;
    }
    let (velocity, spin) = outcome.motion_of(i);
    let free = &outcome.free.flights[i].rotation;
    // A body that tumbles within the step is faster on the way than at its ends.
    let fastest = if free.mean.is_some() { 0.0 } else { free.fastest };
    let turn = h * spin.norm().max(fastest);
    collider.outruns(outcome.free.at.model, i, h * velocity.norm(), turn)
}

/// An error that names a body whose state is no number any more.
fn check_finite(model: &Model, state: &State, next: &State) -> Result<(), SimError> {
    let total = next.ledger.balance();
    if total.is_finite() {
        return Ok(());
    }
    for (states, when) in [(state, "before"), (next, "after")] {
        for (body, state) in model.bodies.iter().zip(&states.bodies) {
            let energy = crate::energy::kinetic(body, state);
            if let Some(x) = state.numbers().into_iter().chain([energy]).find(|x| !x.is_finite()) {
                let field = format!("{}: state and energy {when} the step", body.name);
                return Err(SimError::value(field, "must be finite", x));
            }
        }
    }
    // Each is finite, their sums and products are not: the largest numbers are to blame.
    let size = |i: &usize| next.bodies[*i].numbers().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let worst = (0..model.bodies.len()).max_by(|i, j| size(i).total_cmp(&size(j)));
    let name = worst.map_or("", |i| model.bodies[i].name.as_str());
    let field = format!("{name}: energy after the step");
    Err(SimError::value(field, "must be finite", total))
}

/// Contacts that bodies may reach within the step.
pub(crate) fn find_contacts(model: &Model, h: f64, scratch: &mut Scratch) {
    let stepper = model.settings.stepper;
    let time = if stepper.has_inertia() { h } else { model.relaxation() };
    let fall = time * model.settings.gravity.norm();
    scratch.corners.clear();
    let by_gap = matches!(
        stepper,
        Stepper::Midpoint | Stepper::StewartTrinkle | Stepper::FirstOrder
    );
    let nonconvex = model.settings.corners == CornerRule::Nonconvex && by_gap;
    let reach = |size: f64, state: &BodyState, moves: bool| {
        let speed = state.velocity.norm() + state.spin.norm() * size;
        h * (speed + if moves { fall } else { 0.0 }) + REACH * size
    };
    let corners = nonconvex.then_some(&mut scratch.corners);
    scratch
        .collider
        .find(model, &scratch.start, h, reach, (corners, &mut scratch.contacts));
}

/// Forces of one moment, as impulses over the step; false where there are none, and where viscous friction would turn a slip round. A contact whose friction
/// would turn its slip round in the step comes to rest in it: it is static.
fn find_forces(problem: &mut ContactProblem, contacts: usize, solver: &mut ContactSolver) -> Result<bool, SimError> {
    for _ in 0..MAX_STATIC_ROUNDS {
        let solution = solver.solve_warm(problem)?;
        if solution.status != Status::Solved {
            return Ok(false);
        }
        let mut stopped = false;
        for i in 0..contacts {
            let (slip, [_, x, y]) = (problem.slip(i), solution.contact_velocity[i]);
            let turns = slip[0] * x + slip[1] * y < STOPS * (slip[0] * slip[0] + slip[1] * slip[1]);
            if slip != [0.0; 2] && turns && problem.viscosity(i) > 0.0 {
                // Viscous friction of a slip that does not last is too much: that of its end is not.
                return Ok(false);
            }
            if slip != [0.0; 2] && turns {
                problem.set_slip(i, [0.0; 2])?;
                stopped = true;
            }
        }
        if !stopped {
            break;
        }
    }
    Ok(true)
}
