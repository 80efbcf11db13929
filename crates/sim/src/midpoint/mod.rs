//! A step of second order: free flight for half the step, one contact problem at the midpoint, free flight for the other half, projection.
//!
//! Let v be the velocity at the start, v_m that after a free flight of h/2, and v′ = v_m + 𝓜_m⁻¹(h f + C_m p) with mass and rows of the midpoint. In free flight a
//! contact velocity changes by u_m − u_n in the first half and, to second order, by as much in the second. So C_mᵀv′ + (u_m − u_n) is the velocity *at the end* of
//! the step, and the law is asked of that. Joints are reflected: J_m(v_m + v′) = 0. The kinetic energy changes by ½ p·C_mᵀ(v_m + v′) = ½ p·(w + u_n), w being the
//! velocity that is judged: by nothing for joints and contacts that stick. A contact that slips all through the step obeys the law with its mean slip.
//!
//! At rest u_m = u_n = 0 and the midpoint is the start: it is the problem of Stewart and Trinkle's step. Islands in which something arrives make such a step.

mod arrivals;
mod assemble;
mod bounce;
mod event;
mod finish;
pub(crate) mod follow;
mod give_back;
mod islands;
mod ledger;
mod limits;
mod projection;
mod rub;
mod tree;

use stiction_contact::{ContactProblem, ContactSolution, Status};

use crate::Vec3;
use crate::assemble::Assembly;
use crate::body::Kind;
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::corner_sides::{CornerReport, Workshop, solve_corners};
use crate::corners::Corners;
use crate::error::SimError;
use crate::failure::{spin_not_found, worst_joint_error};
use crate::flight::{Flight, FreeMotion};
use crate::impact::Bounces;
use crate::joint::Row;
use crate::loads::Loads;
use crate::look::meets_more;
use crate::model::Model;
use crate::motion::place_driven_with_velocity;
use crate::outcome::Outcome;
use crate::scratch::Scratch;
use crate::state::{BodyState, State};
use crate::step::{StepReport, begin, find};
use crate::step_time::StepTime;
use crate::{Pose, integrate};

use assemble::{Hold, Rubbing, joint_name};
use bounce::Bouncing;
use follow::{Follower, Surfaces};
use give_back::Whole;
use islands::{Islands, Mode};
use limits::Reached;
use projection::{ActiveRow, Projection};
use rub::Slipping;

pub(crate) use bounce::try_step;
pub(crate) use islands::linked;

/// Rounds of a step: islands in which something is found to arrive, and contacts that are found to stop, are stepped anew.
const ROUNDS: usize = 8;
/// Rounds after which no contact obeys the law with its mean slip.
const MEAN_ROUNDS: usize = 2;
/// Share of the speeds at a contact that is rounding.
const SPEED_ROUNDING: f64 = 1e-9;
/// Friction gives energy where that is more than this share of the kinetic energy of its island.
const GIVES: f64 = 1e-10;
/// Part of a step by which the velocity of driven bodies is taken after its start and before its end, where it changes at once.
pub(crate) const SIDE: f64 = 1e-6;

/// What a contact does in the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It is closed and stays so or leaves; whether it obeys the law with its mean slip, and whether it slips at the start.
    Closed { mean: bool, slipped: bool },
    /// It is open.
    Open,
    /// Something arrives in its island.
    Held,
}

/// Buffers of a step.
#[derive(Debug, Clone, Default)]
pub(crate) struct Midpoint {
    trial: Trial,
    closing: Closing,
    bouncing: Bouncing,
    pub(crate) trees: tree::Trees,
}

/// A step up to the answer of its contact problem.
#[derive(Debug, Clone, Default)]
struct Trial {
    islands: Islands,
    follower: Follower,
    /// Bodies after half a step of free flight.
    mid: Vec<BodyState>,
    /// Bodies where the rows of the problem are taken: at the midpoint, or at the start where something arrives in their island.
    rows_at: Vec<BodyState>,
    /// Velocities without contact.
    flights: Vec<Flight>,
    /// Contacts at the start, and what touches at each.
    contacts: Vec<Contact>,
    surfaces: Vec<Surfaces>,
    /// Contacts where the rows are taken.
    contacts_mid: Vec<Contact>,
    roles: Vec<Role>,
    /// Slip at the start of closed contacts \[m/s\].
    slips: Vec<[f64; 2]>,
    holds: Vec<Hold>,
    rubbing: Vec<Rubbing>,
    /// By island: the fastest body \[m/s\].
    fastest: Vec<f64>,
    /// By island: work of friction that does not obey the law with its mean slip \[J\].
    given: Vec<f64>,
    /// Contacts, by key, and joints that do not obey the law with their mean slip: they stop in the step.
    stopping: Vec<u64>,
}

/// What closes gaps and joints at the end of a step.
#[derive(Debug, Clone, Default)]
struct Closing {
    follower: Follower,
    projection: Projection,
    active: Vec<ActiveRow>,
    /// Contacts among them that slip.
    slipping: Vec<Slipping>,
    /// Impulses that the projection gave along the active rows \[N·s\].
    impulses: Vec<f64>,
    /// By island: energy that friction gave for what the projection added to normal impulses \[J\].
    rubbed: Vec<f64>,
    moves: Vec<(usize, Vec3, Vec3)>,
    /// Whether the point of a contact among them moves over a surface.
    is_curved: bool,
    /// Rows of one joint, for a moment.
    joint_rows: Vec<Row>,
    /// Bodies of which two are somewhere else, for a moment.
    flown: Vec<BodyState>,
    velocity_problem: ContactProblem,
    /// Contacts at the end of the step that touch where something arrived.
    arrived: Vec<Contact>,
    /// Limits of joints that are reached there.
    reached: Vec<Reached>,
    /// By island: whether it moves; whether fixed ground holds it, or touches it; whether ground that moves or a motor carries it; whether a body of it has turned far; energies \[J\].
    moving: Vec<bool>,
    held: Vec<bool>,
    grounded: Vec<bool>,
    carried: Vec<bool>,
    turned_far: Vec<bool>,
    lost: Vec<f64>,
    kinetic: Vec<f64>,
    before: Vec<f64>,
    wholes: Vec<Whole>,
    /// Bodies before anything was closed.
    bodies_before: Vec<BodyState>,
    /// Joints with rotors in islands without arrivals, and the speed of each rotor before its coordinate is projected.
    rotor_speeds: Vec<(usize, f64)>,
}

/// A body after a time of free flight: no force acts on it.
fn fly_free(
    model: &Model,
    i: usize,
    state: &BodyState,
    tau: f64,
    time: StepTime,
) -> Result<(BodyState, f64), SimError> {
    let position = state.pose.position + tau * state.velocity;
    match &model.bodies[i].kind {
        // What is too fast for its energy to be a number is named once the step is made.
        Kind::Dynamic { .. } if !crate::energy::kinetic(&model.bodies[i], state).is_finite() => Ok((*state, 0.0)),
        Kind::Dynamic { inertia_body, .. } => {
            let free = model.coordinates().free_spin(state, inertia_body, tau);
            let free = free.map_err(|failure| spin_not_found(model, i, time, failure))?;
            let spin_body = integrate::rotate(&state.pose.rotation.inverse(), free.spin);
            let state = BodyState {
                pose: Pose {
                    position,
                    rotation: free.rotation,
                },
                velocity: state.velocity,
                spin: integrate::rotate(&free.rotation, spin_body),
            };
            Ok((state, free.residual))
        }
        Kind::Kinematic => {
            let rotation = integrate::turn(state.pose.rotation, state.spin, tau);
            let pose = Pose { position, rotation };
            Ok((BodyState { pose, ..*state }, 0.0))
        }
        Kind::Fixed => Ok((*state, 0.0)),
    }
}

impl Trial {
    /// Bodies after half a step of free flight; the worst residual of their rotations.
    fn fly_half(&mut self, model: &Model, start: &[BodyState], time: StepTime) -> Result<f64, SimError> {
        self.mid.clear();
        let mut residual = 0.0_f64;
        for (i, state) in start.iter().enumerate() {
            let (state, found) = fly_free(model, i, state, 0.5 * time.h, time)?;
            residual = residual.max(found);
            self.mid.push(state);
        }
        place_driven_with_velocity(model, time.middle(), 0.0, &mut self.mid);
        Ok(residual)
    }

    /// Where rows are taken, and velocities without contact, once it is known in which islands something arrives.
    fn set_flights(&mut self, free: FreeMotion<'_>, loads: &mut Loads, h: f64) {
        let (at, model) = (free.at, free.at.model);
        self.flights.clear();
        self.flights.extend_from_slice(free.flights);
        self.rows_at.clone_from(&self.mid);
        for (i, state) in at.bodies.iter().enumerate() {
            if model.bodies[i].is_dynamic() && self.islands.mode(self.islands.of(i)) == Mode::Event {
                self.rows_at[i] = *state;
            }
        }
        loads.place(Configuration {
            bodies: &self.rows_at,
            ..at
        });
        for (i, body) in model.bodies.iter().enumerate() {
            let Kind::Dynamic { mass, inertia_body } = &body.kind else {
                continue;
            };
            if self.islands.mode(self.islands.of(i)) == Mode::Event {
                continue;
            }
            let (mid, wrench) = (&self.mid[i], &loads.wrenches[i]);
            let turn = [&mid.pose.rotation; 2];
            let flight = &mut self.flights[i];
            flight.velocity = mid.velocity + h * (model.settings.gravity + wrench.force / *mass);
            flight.spin = mid.spin + model.coordinates().kick(turn, inertia_body, wrench.torque, h);
        }
    }
}

/// How a try of a step ended.
pub(crate) enum Tried {
    /// It is made.
    Made(StepReport),
    /// A body would go farther than contacts were looked for.
    Outruns,
    /// A contact bounces after this time, as far as is known \[s\].
    Bounces(f64, Contact),
}

/// What a try of a step does about contacts that bounce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtBounce {
    /// The step ends there.
    Stop,
    /// They are like others that arrive.
    Arrive,
    /// Nothing: the step ends where they meet.
    Pass,
}

/// Relative speed at a contact that is rounding \[m/s\].
fn speed_rounding(at: Configuration<'_>, contact: &Contact, h: f64) -> f64 {
    let of = |body: usize| at.speed_at(body, &contact.point);
    SPEED_ROUNDING * (of(contact.a) + of(contact.b) + h * at.model.settings.gravity.norm())
}

/// One try of a step without bounces in between.
fn try_part(
    model: &Model,
    state: &State,
    (time, at_bounce): (StepTime, AtBounce),
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<Tried, SimError> {
    (scratch.h, scratch.by_impulse) = (time.h, false);
    let mut ledger = state.ledger;
    let depth = find(model, state, time, scratch);
    if let Some(report) = tree::try_step(model, state, (time, depth, at_bounce), scratch, next)? {
        let is_outrun = outruns(model, time.h, scratch, next) && meets_more(model, state, time, scratch);
        scratch.stages.lap(|times| &mut times.solve);
        return Ok(if is_outrun { Tried::Outruns } else { Tried::Made(report) });
    }
    begin(model, state, time, scratch, &mut ledger)?;
    let spin_residual = scratch.midpoint.trial.fly_half(model, &scratch.start, time)?;
    if let Some((tau, contact)) = foresee(model, (time, at_bounce), scratch) {
        return Ok(Tried::Bounces(tau, contact));
    }
    let corners = match answer(model, state, (time, at_bounce), scratch, next)? {
        Answered::Found(corners) => corners,
        Answered::Bounces(tau, contact) => return Ok(Tried::Bounces(tau, contact)),
    };
    if outruns(model, time.h, scratch, next) && meets_more(model, state, time, scratch) {
        return Ok(Tried::Outruns);
    }
    let Midpoint { trial, closing, .. } = &mut scratch.midpoint;
    let at = Configuration::of(model, &scratch.start);
    let outcome = trial.outcome(at, &scratch.assembly, scratch.solver.solution());
    let mut report = StepReport {
        depth,
        spin_residual,
        ..StepReport::of(&outcome, &corners)
    };
    scratch.stages.lap(|times| &mut times.solve);
    next.time = time.end;
    next.step = time.step + u64::from(time.is_last);
    let spent = ledger::spent(&outcome, (at, &trial.islands), &scratch.loads, time.h);
    let ends = finish::Ends {
        at,
        trial,
        outcome: &outcome,
        time,
    };
    let finished = closing.finish_smooth(&ends, &mut next.bodies);
    let solvers = (&mut scratch.impacts, scratch.solver.warm_start());
    let lifted = closing.finish_events(&ends, solvers, &mut next.bodies)?;
    let end = Configuration::of(model, &next.bodies);
    let energies = [at, end].map(|at| ledger::Energies::of(at, &trial.islands));
    next.ledger = ledger::enter(&ledger, &spent, (finished, lifted), energies);
    report.joint_error = worst_joint_error(end, &mut scratch.rows);
    next.warm.clone_from(scratch.solver.warm_start());
    // What is shown are the contacts of the problem, with their gaps at the start of the step.
    scratch.contacts.clear();
    let shown = trial.contacts_mid.iter().zip(&trial.contacts);
    scratch
        .contacts
        .extend(shown.map(|(mid, start)| Contact { gap: start.gap, ..*mid }));
    scratch.stages.lap(|times| &mut times.integrate);
    Ok(Tried::Made(report))
}

/// Islands, and what arrives in them for sure; the first bounce, where steps end at bounces.
fn foresee(model: &Model, (time, at_bounce): (StepTime, AtBounce), scratch: &mut Scratch) -> Option<(f64, Contact)> {
    let free = FreeMotion {
        at: Configuration::of(model, &scratch.start),
        flights: &scratch.flights,
    };
    let trial = &mut scratch.midpoint.trial;
    let found = (&scratch.contacts[..], &scratch.corners);
    let first = trial.foresee_arrivals(free, found, time.h, at_bounce == AtBounce::Stop);
    if at_bounce == AtBounce::Pass {
        trial.islands.forget_arrivals();
    }
    trial.stopping.clear();
    scratch.stages.lap(|times| &mut times.problem);
    first
}

/// What became of the contact problem.
enum Answered {
    /// It has a verified answer, and nothing arrives that was not known of.
    Found(CornerReport),
    /// A contact bounces after about this time \[s\].
    Bounces(f64, Contact),
}

/// Solves the contact problem, in rounds: islands in which something turns out to arrive, and contacts that turn out to stop, are put otherwise in the next.
fn answer(
    model: &Model,
    state: &State,
    (time, at_bounce): (StepTime, AtBounce),
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<Answered, SimError> {
    let plain = scratch.contacts.len();
    let mut corners = CornerReport::default();
    for round in 0..ROUNDS {
        scratch.contacts.truncate(plain);
        corners = solve_round(model, (time, round < MEAN_ROUNDS), scratch)?;
        let is_last = round + 1 == ROUNDS;
        let Midpoint { trial, closing, .. } = &mut scratch.midpoint;
        let at = Configuration::of(model, &scratch.start);
        if scratch.solver.solution().status != Status::Solved {
            // Where the midpoint has no verified answer, a step of Stewart and Trinkle's may.
            let mut any = false;
            for (body, block) in at.blocks.iter().enumerate() {
                if block.is_some_and(|block| !scratch.solver.is_block_solved(block)) {
                    any |= trial.islands.arrive(trial.islands.of(body));
                }
            }
            if any && !is_last {
                continue;
            }
            scratch.contacts.clone_from(&trial.contacts_mid);
            return Err(scratch.unsolved(model, state));
        }
        let solution = scratch.solver.solution();
        trial.set_ends(at, &scratch.assembly, solution, time, &mut next.bodies)?;
        let mut again = trial.find_stopping(at, &scratch.assembly, solution);
        if at_bounce != AtBounce::Pass {
            again |= trial.find_limit_arrivals(at, &next.bodies, &scratch.assembly);
            let splits = at_bounce == AtBounce::Stop;
            let arrived = trial.find_arrivals((at, &next.bodies), &mut closing.follower, (solution, splits));
            again |= arrived.is_new;
            if let Some(contact) = arrived.bounces {
                let tau = bounce::time_between([contact.start.gap, contact.end_gap], time.h);
                return Ok(Answered::Bounces(tau, contact.start));
            }
        }
        if !again || is_last {
            break;
        }
        // Contacts that took no part may carry in the next round: they start from the last step.
        let open = trial
            .contacts
            .iter()
            .zip(&trial.roles)
            .filter(|(_, role)| **role == Role::Open);
        scratch
            .solver
            .add_warm_start(&state.warm, open.map(|(contact, _)| contact.key));
    }
    Ok(Answered::Found(corners))
}

/// Builds the contact problem of a round and solves it.
fn solve_round(
    model: &Model,
    (time, use_mean): (StepTime, bool),
    scratch: &mut Scratch,
) -> Result<CornerReport, SimError> {
    let free = FreeMotion {
        at: Configuration::of(model, &scratch.start),
        flights: &scratch.flights,
    };
    let trial = &mut scratch.midpoint.trial;
    trial.set_flights(free, &mut scratch.loads, time.h);
    let mut build = |contacts: &[Contact], corners: &Corners, bounces: &mut Bounces, assembly: &mut Assembly| {
        bounces.mark(free, contacts, time.h);
        trial.assemble(free, (contacts, corners, bounces), time, use_mean, assembly)
    };
    if scratch.corners.is_empty() {
        build(
            &scratch.contacts,
            &scratch.corners,
            &mut scratch.bounces,
            &mut scratch.assembly,
        )?;
        scratch.solver.solve_warm(&scratch.assembly.problem)?;
        return Ok(CornerReport::default());
    }
    let mut shop = Workshop {
        contacts: &mut scratch.contacts,
        corners: &mut scratch.corners,
        bounces: &mut scratch.bounces,
        assembly: &mut scratch.assembly,
        solver: &mut scratch.solver,
    };
    solve_corners(free, time.h, &mut shop, &mut build)
}

/// Whether a body would go farther than contacts were looked for; the next look is as far.
fn outruns(model: &Model, h: f64, scratch: &mut Scratch, next: &State) -> bool {
    scratch.outrunning.clear();
    scratch.look.motion.clear();
    for (from, to) in scratch.start.iter().zip(&next.bodies) {
        let velocity = (to.pose.position - from.pose.position) / h;
        scratch.look.motion.push((velocity, 0.5 * (from.spin + to.spin)));
    }
    for i in (0..model.bodies.len()).filter(|i| model.blocks()[*i].is_some()) {
        let (from, to) = (&scratch.start[i], &next.bodies[i]);
        let shift = (to.pose.position - from.pose.position).norm();
        let turn = h * from.spin.norm().max(to.spin.norm());
        if scratch.collider.outruns(model, i, shift, turn) {
            scratch.outrunning.push(i);
        }
    }
    !scratch.outrunning.is_empty()
}

/// A body at the end of the step, before anything is closed.
fn end_of(
    outcome: &Outcome<'_>,
    i: usize,
    (start, mid, islands): (Configuration<'_>, &[BodyState], &Islands),
    time: StepTime,
) -> Result<BodyState, SimError> {
    let model = start.model;
    if start.blocks[i].is_none() {
        return Ok(fly_free(model, i, &start.bodies[i], time.h, time)?.0);
    }
    if islands.mode(islands.of(i)) == Mode::Event {
        return Ok(crate::advance::moved(outcome, i, time.h));
    }
    let (velocity, spin) = outcome.motion_of(i);
    let kicked = BodyState {
        velocity,
        spin,
        ..mid[i]
    };
    Ok(fly_free(model, i, &kicked, 0.5 * time.h, time)?.0)
}

impl Trial {
    /// The answer of the problem and what it was made of.
    fn outcome<'a>(
        &'a self,
        start: Configuration<'a>,
        assembly: &'a Assembly,
        solution: &'a ContactSolution,
    ) -> Outcome<'a> {
        Outcome {
            free: FreeMotion {
                at: Configuration {
                    bodies: &self.rows_at,
                    ..start
                },
                flights: &self.flights,
            },
            contacts: &self.contacts_mid,
            assembly,
            solution,
        }
    }

    /// Bodies at the end of the step, before anything is closed.
    fn set_ends(
        &self,
        start: Configuration<'_>,
        assembly: &Assembly,
        solution: &ContactSolution,
        time: StepTime,
        ends: &mut Vec<BodyState>,
    ) -> Result<(), SimError> {
        let outcome = self.outcome(start, assembly, solution);
        ends.clear();
        for i in 0..start.bodies.len() {
            ends.push(end_of(&outcome, i, (start, &self.mid, &self.islands), time)?);
        }
        place_driven_with_velocity(start.model, time.end, -SIDE * time.h, ends);
        Ok(())
    }
}
