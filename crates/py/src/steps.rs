//! Steps of a world, and what they did.

use pyo3::prelude::*;
use stiction_contact::Method;
use stiction_sim::{SimError, Work as Counts};

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
    substeps: usize,
    /// Methods that gave answers, in the order in which they first did.
    methods: Vec<&'static str>,
    /// All work, also of a step that failed.
    work: Counts,
    /// Worst values.
    pub(crate) residual: f64,
    pub(crate) penetration: f64,
}

/// No work.
const NO_WORK: Counts = Counts {
    tries: 0,
    solves: 0,
    passes: 0,
    newton_steps: 0,
    factorisations: 0,
    pivots: 0,
    fallbacks: 0,
    corrections: 0,
    correction_steps: 0,
    operations: 0,
};

impl Steps {
    pub(crate) fn status(&self) -> &'static str {
        self.status
    }

    pub(crate) fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// The status of a step that has failed.
    pub(crate) fn status_of(error: &SimError) -> &'static str {
        match error {
            SimError::Unsolved { status, .. } => status.name(),
            SimError::Outrun { .. } => "outrun",
            SimError::Spin { .. } => "spin",
            _ => "error",
        }
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
        substeps: 0,
        methods: Vec::new(),
        work: NO_WORK,
        residual: 0.0,
        penetration: 0.0,
    };

    /// Whether there are steps to make after these.
    pub(crate) fn go_on(&self, steps: u64) -> bool {
        self.made < steps && self.message.is_none()
    }

    fn note_methods(&mut self, methods: &[Method]) {
        for method in methods {
            if !self.methods.contains(&method.name()) {
                self.methods.push(method.name());
            }
        }
    }

    fn add(&mut self, outcome: &Result<stiction_sim::StepReport, SimError>, work: Counts) {
        self.work += work;
        match outcome {
            Ok(report) => {
                self.made += 1;
                self.contacts = report.contacts;
                self.islands = report.islands;
                self.pivots += report.pivots;
                self.newton += report.newton_steps;
                self.substeps += report.parts;
                self.residual = self.residual.max(report.residual);
                self.penetration = self.penetration.max(report.depth);
            }
            Err(error) => {
                self.status = Self::status_of(error);
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
        total.add(&outcome, world.work());
        if let Ok(report) = &outcome {
            total.note_methods(&world.solution().stats.methods);
            look(world, report);
        }
        if !waits() {
            break;
        }
    }
}

record! {
    /// All work of some steps, what was taken back and a step that failed included. `corrections` and `correction_steps` are the solves and Newton steps of penetration correction.
    Work of Counts {
        /// Tries of the steps and of their substeps.
        tries,
        /// Contact problems solved.
        solves,
        /// Passes over the islands of these problems.
        passes,
        /// Newton steps.
        newton_steps,
        /// Factorisations of matrices.
        factorisations,
        /// Pivots.
        pivots,
        /// Fallbacks from one method to another, and warm starts given up.
        fallbacks,
        /// Of the solves, those of penetration correction.
        corrections,
        /// Of the Newton steps, those of penetration correction.
        correction_steps,
        /// Floating-point operations, by estimate: what max_work limits.
        operations,
    }
}

impl Source for Counts {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "tries" => value(py, self.tries),
            "solves" => value(py, self.solves),
            "passes" => value(py, self.passes),
            "newton_steps" => value(py, self.newton_steps),
            "factorisations" => value(py, self.factorisations),
            "pivots" => value(py, self.pivots),
            "fallbacks" => value(py, self.fallbacks),
            "corrections" => value(py, self.corrections),
            "correction_steps" => value(py, self.correction_steps),
            _ => value(py, self.operations),
        }
    }
}

record! {
    /// What a call of `World.step` did: counts are sums, `residual` and `penetration` [m] the worst of its steps. `pivots` and `newton_steps` are those of the answers, `work` holds all.
    /// `methods` are those that solved the contact problems, `substeps` the parts in which the steps were made, `fallbacks` those from one method to another.
    StepReport of Steps {
        /// How the last step ended.
        status,
        /// What was said of a step that failed, or None.
        message,
        /// Steps made.
        steps,
        /// Contacts of the last step.
        contacts,
        /// Islands of the last step: parts that do not touch.
        islands,
        /// Pivots of the answers.
        pivots,
        /// Newton steps of the answers.
        newton_steps,
        /// Worst residual of the steps.
        residual,
        /// Deepest overlap at the start of a step [m].
        penetration,
        /// Methods that solved the contact problems, in the order in which they first did.
        methods,
        /// Parts in which the steps were made: one each, and more where a whole step had no verified answer.
        substeps,
        /// Fallbacks from one method to another, and warm starts given up.
        fallbacks,
        /// All work of the steps; pivots and newton_steps are those of the answers.
        work,
    } {
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
            "penetration" => value(py, self.penetration),
            "methods" => value(py, self.methods.clone()),
            "substeps" => value(py, self.substeps),
            "fallbacks" => value(py, self.work.fallbacks),
            _ => value(py, Work::of(self.work)),
        }
    }
}
