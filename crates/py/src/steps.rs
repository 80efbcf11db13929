//! Steps of a world, and what they did.

use pyo3::prelude::*;
use stiction_sim::SimError;

use crate::error::StepError;
use crate::record::{Source, record, value};

/// What several steps did.
#[derive(Clone)]
pub(crate) struct Steps {
    status: &'static str,
    message: Option<String>,
    made: u64,
    /// Of the last step.
    contacts: usize,
    islands: usize,
    /// Sums.
    pivots: usize,
    newton: usize,
    /// Worst values.
    pub(crate) residual: f64,
    pub(crate) penetration: f64,
}

impl Steps {
    pub(crate) fn status(&self) -> &'static str {
        self.status
    }

    pub(crate) fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    pub(crate) fn made(&self) -> u64 {
        self.made
    }
}

impl Steps {
    /// Of no step yet.
    pub(crate) const NONE: Self = Self {
        status: "solved",
        message: None,
        made: 0,
        contacts: 0,
        islands: 0,
        pivots: 0,
        newton: 0,
        residual: 0.0,
        penetration: 0.0,
    };

    /// Whether there are steps to make after these.
    pub(crate) fn go_on(&self, steps: u64) -> bool {
        self.made < steps && self.message.is_none()
    }

    fn add(&mut self, outcome: &Result<stiction_sim::StepReport, SimError>) {
        match outcome {
            Ok(report) => {
                self.made += 1;
                self.contacts = report.contacts;
                self.islands = report.islands;
                self.pivots += report.pivots;
                self.newton += report.newton_steps;
                self.residual = self.residual.max(report.residual);
                self.penetration = self.penetration.max(report.depth);
            }
            Err(error) => {
                self.status = match error {
                    SimError::Unsolved { status, .. } => status.name(),
                    SimError::Outrun { .. } => "outrun",
                    SimError::Spin { .. } => "spin",
                    _ => "error",
                };
                self.message = Some(error.to_string());
            }
        }
    }
}

/// Steps a world until it has made all its steps, one fails, which leaves it as it was, or nobody waits any longer.
pub(crate) fn advance(
    world: &mut stiction_sim::World,
    steps: u64,
    total: &mut Steps,
    mut look: impl FnMut(&stiction_sim::World, &stiction_sim::StepReport),
    waits: impl Fn() -> bool,
) {
    while total.go_on(steps) {
        let outcome = world.step();
        total.add(&outcome);
        if let Ok(report) = &outcome {
            look(world, report);
        }
        if !waits() {
            break;
        }
    }
}

record! {
    /// What a call of `World.step` did: counts are sums, `residual` and `penetration` [m] the worst of its steps.
    StepReport of Steps { status, message, steps, contacts, islands, pivots, newton_steps, residual, penetration } {
        /// Raises a StepError unless the status is solved.
        fn raise_for_status(&self, py: Python<'_>) -> PyResult<()> {
            raise(py, &self.0.get(py, "message")?)
        }
    }
}

/// A step's message as an exception, where there is one.
pub(crate) fn raise(py: Python<'_>, message: &Bound<'_, PyAny>) -> PyResult<()> {
    if message.is(py.None()) {
        return Ok(());
    }
    Err(StepError::new_err(message.extract::<String>()?))
}

impl Source for Steps {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "status" => value(py, self.status),
            "message" => value(py, self.message.clone()),
            "steps" => value(py, self.made),
            "contacts" => value(py, self.contacts),
            "islands" => value(py, self.islands),
            "pivots" => value(py, self.pivots),
            "newton_steps" => value(py, self.newton),
            "residual" => value(py, self.residual),
            _ => value(py, self.penetration),
        }
    }
}
