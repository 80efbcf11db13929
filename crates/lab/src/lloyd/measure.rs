//! Measures one way of solving on one scenario: what the judge says of every answer, and how long the solves take.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use stiction_contact::{ContactSolver, Law, Method, Options, Status};

use crate::scenarios::{Group, Scenario};
use stiction_answers::timing::{median, quantile, time_us};
use stiction_formats::BadInput;

/// A row stops trying further impulses after this long; the table says how many were tried.
const ROW_TIMEOUT: Duration = Duration::from_secs(10);

/// Contacts beyond which the dense LCP, 10 rows a contact, is skipped.
pub(super) const MAX_DENSE_CONTACTS: usize = 64;

/// Contacts beyond which the full structural path, whose cost grows with their square, is skipped.
pub(super) const MAX_STRUCTURAL_CONTACTS: usize = 512;

/// Share of the external impulse by which a step of the warm-start sequence changes it.
const IMPULSE_CHANGE_SHARE: f64 = 0.01;

/// A law and a method that answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Way {
    /// Name in tables and figures.
    pub(super) name: &'static str,
    pub(super) law: Law,
    pub(super) method: Option<Method>,
    /// Most contacts that it is tried on.
    pub(super) most_contacts: usize,
}

impl Way {
    const fn new(name: &'static str, law: Law, method: Option<Method>, most_contacts: usize) -> Self {
        Self {
            name,
            law,
            method,
            most_contacts,
        }
    }

    /// Every way, in the order of the tables. `auto` chooses and falls back by itself.
    pub(super) const ALL: [Way; 5] = [
        Way::new(
            "lemke_standard",
            Law::Polyhedral,
            Some(Method::LemkeStandard),
            MAX_DENSE_CONTACTS,
        ),
        Way::new(
            "lemke_structural",
            Law::Polyhedral,
            Some(Method::LemkeStructural),
            MAX_STRUCTURAL_CONTACTS,
        ),
        Way::new("lemke_reduced", Law::Polyhedral, Some(Method::LemkeReduced), usize::MAX),
        Way::new("newton_cone", Law::Coulomb, Some(Method::NewtonCone), usize::MAX),
        Way::new("auto", Law::Coulomb, None, usize::MAX),
    ];

    fn solver(self) -> Result<ContactSolver, BadInput> {
        let options = Options {
            law: self.law,
            method: self.method,
            ..Options::default()
        };
        Ok(ContactSolver::new(options)?)
    }
}

/// One scenario solved in one way.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) scenario: String,
    pub(super) group: Group,
    pub(super) bodies: usize,
    pub(super) contacts: usize,
    pub(super) way: Way,
    /// Impulses tried and those that the judge calls solved.
    pub(super) tried: usize,
    pub(super) solved: usize,
    /// How the others ended, with their number; an error's text where the solver refused the problem.
    pub(super) unsolved: BTreeMap<String, usize>,
    /// Largest residual of the answers called solved.
    pub(super) worst: f64,
    /// Time of a solve [us] over the impulses that were solved: least, quartiles, median.
    pub(super) least_us: f64,
    pub(super) quartiles_us: [f64; 3],
    /// Medians over the impulses that were solved.
    pub(super) pivots: f64,
    pub(super) newton_steps: f64,
    /// Runs after a first that the judge refused, over all impulses.
    pub(super) fallbacks: usize,
}

impl Row {
    pub(super) fn median_us(&self) -> f64 {
        self.quartiles_us[1]
    }

    /// Whether every impulse tried was solved.
    pub(super) fn is_clean(&self) -> bool {
        self.solved == self.tried && self.tried > 0
    }
}

/// Solves a scenario under all its impulses.
pub(super) fn measure(scenario: &Scenario, way: Way) -> Result<Row, BadInput> {
    let mut row = Row {
        scenario: scenario.name().to_owned(),
        group: scenario.group(),
        bodies: scenario.body_count(),
        contacts: scenario.contact_count(),
        way,
        tried: 0,
        solved: 0,
        unsolved: BTreeMap::new(),
        worst: 0.0,
        least_us: f64::NAN,
        quartiles_us: [f64::NAN; 3],
        pivots: f64::NAN,
        newton_steps: f64::NAN,
        fallbacks: 0,
    };
    let mut problem = scenario.problem(0)?;
    let mut solver = way.solver()?;
    let (mut times, mut pivots, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    let started = Instant::now();
    for index in 0..scenario.impulse_count() {
        problem.set_v_free(&scenario.v_free(index))?;
        row.tried += 1;
        let start = Instant::now();
        let answer = solver.solve(&problem);
        let once = start.elapsed();
        match answer {
            Err(error) => {
                *row.unsolved.entry(error.to_string()).or_default() += 1;
                continue;
            }
            Ok(solution) => {
                row.fallbacks += solution.stats.fallbacks;
                if solution.status != Status::Solved {
                    *row.unsolved.entry(solution.status.name().to_owned()).or_default() += 1;
                    continue;
                }
                row.solved += 1;
                row.worst = row.worst.max(solution.residual.worst);
                pivots.push(solution.stats.pivots as f64);
                steps.push(solution.stats.newton_steps as f64);
            }
        }
        times.push(time_us(once, || {
            solver.solve(&problem)?;
            Ok(())
        })?);
        if started.elapsed() > ROW_TIMEOUT {
            break;
        }
    }
    times.sort_by(f64::total_cmp);
    row.least_us = times.first().copied().unwrap_or(f64::NAN);
    row.quartiles_us = [0.25, 0.5, 0.75].map(|share| quantile(&times, share));
    row.pivots = median(pivots);
    row.newton_steps = median(steps);
    Ok(row)
}

/// Cold and warm solves of a sequence in which the external impulse changes a little at each step.
#[derive(Debug, Clone)]
pub(super) struct WarmRow {
    pub(super) scenario: String,
    pub(super) bodies: usize,
    pub(super) contacts: usize,
    pub(super) way: Way,
    pub(super) steps: usize,
    pub(super) cold_solved: usize,
    pub(super) warm_solved: usize,
    /// Medians over the steps [us].
    pub(super) cold_us: f64,
    pub(super) warm_us: f64,
    /// Pivots and Newton steps together, medians over the steps.
    pub(super) cold_work: f64,
    pub(super) warm_work: f64,
    /// Warm starts given up for a cold one, over all steps and islands.
    pub(super) warm_fallbacks: usize,
}

/// Solves the sequence twice, from scratch and from the last answer. Each solve is timed once: a repeated warm solve would start
/// at its own answer.
pub(super) fn measure_warm(scenario: &Scenario, way: Way, steps: usize) -> Result<WarmRow, BadInput> {
    let sequence = scenario.drift(steps, IMPULSE_CHANGE_SHARE);
    let mut problem = scenario.problem(0)?;
    let mut row = WarmRow {
        scenario: scenario.name().to_owned(),
        bodies: scenario.body_count(),
        contacts: scenario.contact_count(),
        way,
        steps: 0,
        cold_solved: 0,
        warm_solved: 0,
        cold_us: f64::NAN,
        warm_us: f64::NAN,
        cold_work: f64::NAN,
        warm_work: f64::NAN,
        warm_fallbacks: 0,
    };
    let (mut cold, mut warm) = (way.solver()?, way.solver()?);
    let (mut cold_times, mut warm_times) = (Vec::new(), Vec::new());
    let (mut cold_work, mut warm_work) = (Vec::new(), Vec::new());
    // Buffers grow and the first answer is found before the clock starts.
    cold.solve(&problem)?;
    warm.solve(&problem)?;
    let started = Instant::now();
    for v_free in &sequence {
        problem.set_v_free(v_free)?;
        let start = Instant::now();
        let solution = cold.solve(&problem)?;
        cold_times.push(start.elapsed().as_secs_f64() * 1e6);
        row.cold_solved += usize::from(solution.status == Status::Solved);
        cold_work.push((solution.stats.pivots + solution.stats.newton_steps) as f64);
        let start = Instant::now();
        let solution = warm.solve_warm(&problem)?;
        warm_times.push(start.elapsed().as_secs_f64() * 1e6);
        row.warm_solved += usize::from(solution.status == Status::Solved);
        warm_work.push((solution.stats.pivots + solution.stats.newton_steps) as f64);
        row.warm_fallbacks += solution.stats.warm_fallbacks;
        row.steps += 1;
        if started.elapsed() > ROW_TIMEOUT {
            break;
        }
    }
    row.cold_us = median(cold_times);
    row.warm_us = median(warm_times);
    row.cold_work = median(cold_work);
    row.warm_work = median(warm_work);
    Ok(row)
}
