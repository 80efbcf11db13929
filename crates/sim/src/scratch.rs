//! Room to work in: buffers and solvers of a step, and what the last step found.

use stiction_contact::{ContactSolution, ContactSolver, Law, Options};

use crate::assemble::Assembly;
use crate::collider::Collider;
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::corners::Corners;
use crate::correction::PenetrationCorrection;
use crate::error::SimError;
use crate::failure::Unsolved;
use crate::flight::Flight;
use crate::impact::Bounces;
use crate::joint::Row;
use crate::loads::Loads;
use crate::look::Look;
use crate::midpoint::Midpoint;
use crate::model::Model;
use crate::rates::Rates;
use crate::stages::Stages;
use crate::state::{BodyState, State};
use crate::stepper::Stepper;
use crate::world::Settings;

/// Buffers and solvers, kept so that a warm step does not allocate. No step depends on what an earlier one left here.
#[derive(Debug, Clone)]
pub(crate) struct Scratch {
    pub(crate) collider: Collider,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) corners: Corners,
    pub(crate) correction: PenetrationCorrection,
    /// Bodies where the step begins: driven ones with their velocities, overlap corrected.
    pub(crate) start: Vec<BodyState>,
    /// The same after impacts at acceleration level.
    pub(crate) struck: Vec<BodyState>,
    pub(crate) loads: Loads,
    pub(crate) flights: Vec<Flight>,
    pub(crate) bounces: Bounces,
    pub(crate) assembly: Assembly,
    pub(crate) rates: Rates,
    pub(crate) solver: ContactSolver,
    /// Impulses of impacts, and where no forces are found, at acceleration level.
    pub(crate) impacts: ContactSolver,
    /// The answer of the last part of the last step with the impulses of bounces before it, where there were any.
    pub(crate) shown: ContactSolution,
    pub(crate) is_merged: bool,
    /// The answer of the last step is that of `impacts`.
    pub(crate) by_impulse: bool,
    pub(crate) midpoint: Midpoint,
    /// Bodies that would have gone farther than contacts were looked for.
    pub(crate) outrunning: Vec<usize>,
    /// What was found at the start of the step, and what a longer look finds.
    pub(crate) look: Look,
    /// Rows of one joint, for a moment.
    pub(crate) rows: Vec<Row>,
    /// Length of the step, or of the part of it, that was made last \[s\].
    pub(crate) h: f64,
    /// The state between parts of a step.
    pub(crate) between: State,
    pub(crate) stages: Stages,
    /// Tries since the step began.
    pub(crate) tries: usize,
    /// Operations that a fallback of a solve may take now.
    pub(crate) tier: u64,
    /// Operations of the step at which the attempt ends that is made now.
    pub(crate) limit: u64,
}

impl Scratch {
    pub(crate) fn new(settings: &Settings) -> Result<Self, SimError> {
        let options = Options {
            law: settings.law,
            method: settings.method,
            directions: settings.directions,
            tolerance: settings.tolerance,
            ..Options::default()
        };
        let law = match (settings.stepper, settings.law) {
            (Stepper::Acceleration, Law::Coulomb) => Law::CoulombAcceleration,
            (Stepper::Acceleration, Law::CoulombViscous) => Law::CoulombViscousAcceleration,
            (Stepper::Acceleration, law) if law != Law::Frictionless => {
                return Err(SimError::Stepper { law: law.name() });
            }
            (_, law) => law,
        };
        let impacts = ContactSolver::new(Options {
            method: None,
            ..options.clone()
        })?;
        Ok(Self {
            collider: Collider::default(),
            contacts: Vec::new(),
            corners: Corners::default(),
            correction: PenetrationCorrection::new()?,
            start: Vec::new(),
            struck: Vec::new(),
            loads: Loads::default(),
            flights: Vec::new(),
            bounces: Bounces::default(),
            assembly: Assembly::default(),
            rates: Rates::default(),
            solver: ContactSolver::new(Options { law, ..options })?,
            impacts,
            shown: ContactSolution::default(),
            is_merged: false,
            by_impulse: false,
            midpoint: Midpoint::default(),
            outrunning: Vec::new(),
            look: Look::default(),
            rows: Vec::new(),
            h: settings.dt,
            between: State::default(),
            stages: Stages::default(),
            tries: 0,
            tier: u64::MAX,
            limit: u64::MAX,
        })
    }

    /// The solver of the last step.
    fn active_solver(&self) -> &ContactSolver {
        if self.by_impulse { &self.impacts } else { &self.solver }
    }

    /// The answer of the last step.
    pub(crate) fn solution(&self) -> &ContactSolution {
        self.active_solver().solution()
    }

    /// The answer as it is shown: with the impulses of bounces.
    pub(crate) fn shown_solution(&self) -> &ContactSolution {
        if self.is_merged { &self.shown } else { self.solution() }
    }

    /// What failed in a step from a state.
    pub(crate) fn unsolved(&self, model: &Model, state: &State) -> SimError {
        let unsolved = Unsolved {
            at: Configuration::of(model, &self.start),
            contacts: &self.contacts,
            assembly: &self.assembly,
            solver: self.active_solver(),
        };
        unsolved.error(state)
    }
}
