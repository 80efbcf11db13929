//! One step: collision → contact problem → solver → integration. The schemes are those of [`crate::Stepper`]; Stewart and Trinkle's:
//!
//! v = v_free + 𝓜⁻¹Σ C p over the step h, with ν + gap/h ≥ 0 at every contact within reach, then x += h v. What rotation leaves below zero,
//! of second order in h, and overlap at the start are eased out as a displacement of their own, at a bounded speed, with no velocity
//! left behind.

use stiction_contact::Status;
use stiction_contact::check::Accuracy;

use crate::corner_sides::CornerReport;
use crate::corners::CornerRule;
use crate::energy::Ledger;
use crate::error::SimError;
use crate::impact::Moment;
use crate::stages::StageClock;
use crate::stepper::Stepper;
use crate::world::{Settings, World};

/// Contacts are sought this much farther than bodies can come in a step, as a share of their size: their keys then outlive small hops.
const REACH: f64 = 1e-4;
/// How often a step is made anew, contacts being looked for farther away.
const LONGER: usize = 8;

/// A contact stops in a step that leaves less than this share of its slip.
const STOPS: f64 = 1e-6;
/// Rounds in which contacts are found to come to rest within a step; what still turns round then does.
const ROUNDS: usize = 8;

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
    /// Pivots.
    pub pivots: usize,
    /// Newton steps.
    pub newton_steps: usize,
    /// Islands that started from the last step.
    pub warm: usize,
    /// Islands.
    pub islands: usize,
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
    /// Parts in which the step was made: 1, and more where the whole had no verified answer.
    pub parts: usize,
}

impl World {
    /// Moves the world by one step. On an error it is as it was.
    ///
    /// # Errors
    /// [`SimError::Unsolved`] where no verified answer was found, [`SimError::Outrun`] where a body is too fast for its contacts to be found,
    /// [`SimError::Spin`] where the free rotation of a body was not found.
    pub fn step(&mut self) -> Result<StepReport, SimError> {
        self.part = [0, 1];
        self.make_part().or_else(|error| self.step_in_parts(error))
    }

    /// Makes the part of a step that is at hand, as a rule the whole. On an error the world is as it was.
    pub(crate) fn make_part(&mut self) -> Result<StepReport, SimError> {
        let h = self.solved_length();
        self.before.copy_from(&self.state);
        let ledger = self.ledger;
        self.warm_before.clone_from(self.solver.warm_start());
        self.easing.forget();
        self.collider.forget_reach();
        let mut outcome = self.try_step(h);
        for _ in 0..LONGER {
            // What impulses, forces and motors make faster than it was may meet what was not looked for: it is looked for now.
            if !matches!(outcome, Ok(None)) {
                break;
            }
            self.state.copy_from(&self.before);
            self.ledger = ledger;
            outcome = self.try_step(h);
        }
        let outcome = outcome.and_then(|report| match report {
            Some(report) => self.is_finite().map(|()| report),
            None => Err(self.outrun(h)),
        });
        if outcome.is_err() {
            self.solver.set_warm_start(self.warm_before.clone());
            self.state.copy_from(&self.before);
            self.ledger = ledger;
        }
        outcome
    }

    /// None where a body would outrun its contacts. A try that is taken back has taken its time as well.
    fn try_step(&mut self, h: f64) -> Result<Option<StepReport>, SimError> {
        let mut clock = self.stage_clock();
        let outcome = self.try_stages(h, &mut clock);
        // A try ends before its time where something is not solved.
        self.lap(&mut clock, |times| &mut times.solve);
        outcome
    }

    fn try_stages(&mut self, h: f64, clock: &mut StageClock) -> Result<Option<StepReport>, SimError> {
        self.drive(h);
        self.find_contacts(h);
        let depth = self.contacts.iter().fold(0.0, |m: f64, c| m.max(-c.gap));
        self.lap(clock, |times| &mut times.collision);
        self.number_blocks();
        self.ease_overlap(h)?;
        self.corners.follow(&self.before.bodies, &self.state.bodies);
        if self.settings.stepper == Stepper::AnitescuPotra {
            let mut contacts = std::mem::take(&mut self.contacts);
            contacts.retain(|contact| self.touches(contact));
            self.contacts = contacts;
        }
        self.add_up_forces(h);
        self.fly(h)?;
        let impacts = self.mark_impacts(h);
        self.by_impulse = false;
        if impacts > 0 {
            self.resolve_impacts(h)?;
            self.fly(h)?;
        }
        let mut corners = CornerReport::default();
        let cornered = !self.corners.is_empty();
        if !cornered {
            self.build_problem(h, Moment::End)?;
        }
        self.lap(clock, |times| &mut times.problem);
        if cornered {
            corners = self.solve_corners(h)?;
        }
        if self.settings.stepper == Stepper::Acceleration {
            self.find_forces()?;
        } else if !cornered {
            self.solver.solve_warm(&self.problem)?;
        }
        if self.solution().status != Status::Solved {
            return Err(self.unsolved());
        }
        if self.outruns(h) {
            return Ok(None);
        }
        let solution = self.solution();
        let mut report = StepReport {
            joint_error: [0.0; 2],
            contacts: self.contacts.len(),
            depth,
            residual: solution.residual.verified(self.settings.tolerance),
            to_rounding: solution.accuracy == Some(Accuracy::Rounding),
            spin_residual: self.spin_residual(),
            pivots: solution.stats.pivots,
            newton_steps: solution.stats.newton_steps,
            warm: solution.stats.warm_starts - solution.stats.warm_fallbacks,
            islands: solution.stats.islands,
            impacts,
            impulsive: self.by_impulse,
            corners: corners.corners,
            groups: corners.groups,
            corner_fallbacks: corners.fallbacks,
            parts: 1,
        };
        self.lap(clock, |times| &mut times.solve);
        self.advance(h);
        self.place_driven();
        self.close_joints(h)?;
        report.joint_error = self.worst_joint_error();
        self.lap(clock, |times| &mut times.integrate);
        Ok(Some(report))
    }

    /// Whether a body would go farther in the step than contacts were looked for; the next look is as far.
    fn outruns(&mut self, h: f64) -> bool {
        let mut outruns = false;
        for i in 0..self.bodies.len() {
            outruns |= self.body_outruns(i, h);
        }
        outruns
    }

    /// The same for one body.
    pub(crate) fn body_outruns(&mut self, i: usize, h: f64) -> bool {
        if self.blocks[i].is_none() {
            return false;
        }
        let (velocity, spin) = self.new_motion(i);
        let free = &self.flights[i].rotation;
        // A body that tumbles within the step is faster on the way than at its ends.
        let fastest = if free.mean.is_some() { 0.0 } else { free.fastest };
        self.collider
            .outruns(i, h * velocity.norm(), h * spin.norm().max(fastest))
    }

    /// An error that names a body whose state is no number any more.
    fn is_finite(&self) -> Result<(), SimError> {
        let Ledger {
            kinetic,
            potential,
            dissipated,
            injected,
            eased,
            stepping,
            ..
        } = self.ledger;
        let total = kinetic + potential + dissipated + injected + eased + stepping;
        if total.is_finite() {
            return Ok(());
        }
        for (states, when) in [(&self.before, "before"), (&self.state, "after")] {
            for (body, state) in self.bodies.iter().zip(&states.bodies) {
                let energy = crate::energy::kinetic(body, state);
                if let Some(x) = state.numbers().into_iter().chain([energy]).find(|x| !x.is_finite()) {
                    let field = format!("{}: state and energy {when} the step", body.name);
                    return Err(SimError::value(field, "must be finite", x));
                }
            }
        }
        // Each is finite, their sums and products are not: the largest numbers are to blame.
        let size = |i: &usize| {
            self.state.bodies[*i]
                .numbers()
                .iter()
                .fold(0.0, |m: f64, x| m.max(x.abs()))
        };
        let worst = (0..self.bodies.len()).max_by(|i, j| size(i).total_cmp(&size(j)));
        let name = worst.map_or("", |i| self.bodies[i].name.as_str());
        let field = format!("{name}: energy after the step");
        Err(SimError::value(field, "must be finite", total))
    }

    /// Contacts that bodies may reach within the step.
    fn find_contacts(&mut self, h: f64) {
        let Settings { corners, stepper, .. } = self.settings;
        let time = if stepper.has_inertia() { h } else { self.relaxation() };
        let fall = time * self.settings.gravity.norm();
        self.corners.clear();
        let by_gap = matches!(stepper, Stepper::StewartTrinkle | Stepper::FirstOrder);
        let nonconvex = corners == CornerRule::Nonconvex && by_gap;
        self.collider.find(
            &self.bodies,
            &self.state.bodies,
            &self.ids.bodies,
            h,
            |size, state, moves| {
                let speed = state.velocity.norm() + state.spin.norm() * size;
                h * (speed + if moves { fall } else { 0.0 }) + REACH * size
            },
            (nonconvex.then_some(&mut self.corners), &mut self.contacts),
        );
    }

    /// Forces of one moment, as impulses over the step. A contact whose friction would turn its slip round in the step comes to rest in
    /// it: it is static. Where there are no forces, and where viscous friction would turn a slip round, the contacts obey their law at the end of the step, as
    /// an impulse.
    fn find_forces(&mut self) -> Result<(), SimError> {
        for _ in 0..ROUNDS {
            let solution = self.solver.solve_warm(&self.problem)?;
            if solution.status != Status::Solved {
                self.by_impulse = true;
                self.impacts.solve(&self.problem)?;
                return Ok(());
            }
            let mut stopped = false;
            for i in 0..self.contacts.len() {
                let (slip, [_, x, y]) = (self.problem.slip(i), solution.contact_velocity[i]);
                let turns = slip[0] * x + slip[1] * y < STOPS * (slip[0] * slip[0] + slip[1] * slip[1]);
                if slip != [0.0; 2] && turns && self.problem.viscosity(i) > 0.0 {
                    // Viscous friction of a slip that does not last is too much: that of its end is not.
                    self.by_impulse = true;
                    self.impacts.solve(&self.problem)?;
                    return Ok(());
                }
                if slip != [0.0; 2] && turns {
                    self.problem.set_slip(i, [0.0; 2])?;
                    stopped = true;
                }
            }
            if !stopped {
                break;
            }
        }
        Ok(())
    }
}
