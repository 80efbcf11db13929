//! The front door: picks a method by class, falls back from one exact method to the next, and lets the judge decide.
//!
//! The data of the problem are never changed on the way, and every attempt is listed in [`Stats`](crate::Stats). The order is in
//! `plan.rs`; a failed chain ends with a search for a proof that there is no answer ([`crate::certify`]), and then with the methods for problems
//! of no class (`solve/beyond.rs`).

mod beyond;
mod evidence;
mod options;

pub use options::Options;

use crate::branch::Search;
use crate::dantzig::Dantzig;
use crate::enumerate::enumerate;
use crate::error::InputError;
use crate::exact::{self, ExactLcp, ExactOutcome, Work};
use crate::factor::Lu;
use crate::least_squares::LeastSquares;
use crate::lemke::{self, Lemke, Start};
use crate::pivoting::{Data, Outcome};
use crate::plan::{BRANCH_MAX, ENUMERATE_EARLY, ENUMERATE_MAX, Step, lacks, other_cover, plan, plan_of};
use crate::polish::polish;
use crate::ppm::Ppm;
use crate::problem::{Class, Lcp, Mlcp, View};
use crate::real::{DoubleDouble, Real};
use crate::reduce::Reduced;
use crate::residual::{Judge, Residual};
use crate::solution::{Accuracy, Method, Run, Solution, Status};

/// A verified answer with a larger residual than this is given one more run from its own basis…
const RERUN_RESIDUAL: f64 = 1e-12;

/// …unless the residual is no more than this many roundings of the largest terms.
const RERUN_ROUNDINGS: f64 = 4.0;

/// Variables below this share of the largest, in balanced units, are rounding.
const SUPPORT_REL_TOL: f64 = 1e-15;

/// Pivots of a path whose ties are taken in another order, for each variable: one that is much longer is as bad as the first.
const REORDERED_PER_VARIABLE: u64 = 100;

/// Non-negative least squares take the square of the matrix: not on more variables.
const LEAST_SQUARES_MAX: usize = 1000;

/// Share of the variables: what is solved takes as many pivots, or more.
const SHORT_PATH_SHARE: u64 = 4;

/// Pivots of a path that starts near its end.
const RESTART_PIVOTS: u64 = 16;

/// What an operation in double-double takes, in terms of one in doubles.
const DOUBLE_DOUBLE_COST: u64 = 10;

/// A problem in the form the pivoting methods take, and the way back.
#[derive(Clone, Copy)]
struct Form<'a> {
    data: Data<'a>,
    view: View<'a>,
    class: Class,
    reduced: Option<(&'a Reduced, &'a Mlcp)>,
}

impl<'a> Form<'a> {
    fn of(reduced: &'a Reduced, problem: &'a Mlcp) -> Self {
        Self {
            data: reduced.data(),
            view: problem.view(),
            class: problem.class(),
            reduced: Some((reduced, problem)),
        }
    }

    fn recover(&self, y: &[f64], z: &mut [f64]) {
        match self.reduced {
            None => z.copy_from_slice(y),
            Some((reduced, problem)) => reduced.recover(problem, y, z),
        }
    }
}

/// Solves problems and keeps its buffers: a second [`Solver::solve`] of the same size does not allocate, as long as a floating-point
/// method answers it. Certificates, exact arithmetic and [`Solver::solve_mixed`] do.
///
/// ```
/// use stiction_lcp::{Lcp, Solver, Status};
/// let lcp = Lcp::from_rows(&[[2.0, 1.0], [1.0, 2.0]], &[-5.0, -6.0])?;
/// let mut solver = Solver::new();
/// let solution = solver.solve(&lcp)?;
/// assert_eq!(solution.status, Status::Solved);
/// assert!((solution.z[0] - 4.0 / 3.0).abs() < 1e-15 && (solution.z[1] - 7.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), stiction_lcp::InputError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Solver {
    options: Options,
    lemke: Lemke<f64>,
    extended: Lemke<DoubleDouble>,
    dantzig: Dantzig,
    ppm: Ppm,
    least_squares: LeastSquares,
    judge: Judge,
    lu: Lu<f64>,
    /// Answer of the pivoting method, and the same in the variables of the problem.
    y: Vec<f64>,
    z: Vec<f64>,
    basis: Vec<bool>,
    cover: Vec<f64>,
    /// The last form could not be started: its free block is singular.
    stuck: bool,
    /// How the last tree of branch and bound ended.
    search: Search,
    /// Directions of rays met: hints for a Farkas vector.
    rays: Vec<Vec<f64>>,
    /// What searches in rationals may still do.
    work: Work,
    /// What is left of [`Options::pivot_work`].
    pivot_work: u64,
    solution: Solution,
}

impl Default for Solver {
    fn default() -> Self {
        Self::new()
    }
}

impl Solver {
    /// A solver with default options.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(Options::default())
    }

    /// A solver with the given options.
    #[must_use]
    pub fn with_options(options: Options) -> Self {
        Self {
            options,
            lemke: Lemke::default(),
            extended: Lemke::default(),
            dantzig: Dantzig::default(),
            ppm: Ppm::default(),
            least_squares: LeastSquares::default(),
            judge: Judge::default(),
            lu: Lu::default(),
            y: Vec::new(),
            z: Vec::new(),
            basis: Vec::new(),
            cover: Vec::new(),
            stuck: false,
            search: Search::Open,
            rays: Vec::new(),
            work: Work::any(),
            pivot_work: u64::MAX,
            solution: Solution::empty(),
        }
    }

    /// Solves an LCP.
    ///
    /// # Errors
    /// When a method was requested that does not accept the problem, or an option is out of range.
    pub fn solve(&mut self, lcp: &Lcp) -> Result<&Solution, InputError> {
        let form = Form {
            data: Data {
                M: lcp.M(),
                q: lcp.q(),
                free: &[],
            },
            view: lcp.view(),
            class: lcp.class(),
            reduced: None,
        };
        self.check(form.data)?;
        self.begin(lcp.n());
        self.run_chain(form);
        self.certify(form);
        self.go_beyond(form);
        Ok(&self.solution)
    }

    /// Solves a mixed problem.
    ///
    /// ```
    /// use stiction_lcp::{Mlcp, Solver, Status};
    /// // x − y = 0 with x free, x + y − 4 ≥ 0 ⟂ y ≥ 0
    /// let problem = Mlcp::with_free(&[[1.0, -1.0], [1.0, 1.0]], &[0.0, -4.0], &[0])?;
    /// let mut solver = Solver::new();
    /// let solution = solver.solve_mixed(&problem)?;
    /// assert_eq!((solution.status, &solution.z[..]), (Status::Solved, &[2.0, 2.0][..]));
    /// # Ok::<(), stiction_lcp::InputError>(())
    /// ```
    ///
    /// # Errors
    /// When a method was requested that does not accept the problem, an option is out of range, or rewriting the bounds
    /// overflows.
    pub fn solve_mixed(&mut self, problem: &Mlcp) -> Result<&Solution, InputError> {
        let reduced = Reduced::new(problem)?;
        self.check(reduced.data())?;
        self.begin(problem.n());
        self.run_chain(Form::of(&reduced, problem));
        let is_open = self.solution.status != Status::Solved && !self.solution.proven();
        if is_open && reduced.data().free.contains(&true) {
            // A singular free block: split each free variable in two signs.
            let split = reduced.split()?;
            self.rays.clear(); // of the unsplit form: no evidence about this one
            self.run_chain(Form::of(&split, problem));
            self.rays.clear();
        }
        let form = Form::of(&reduced, problem);
        if reduced.is_plain() {
            self.certify(form);
        }
        self.go_beyond(form);
        Ok(&self.solution)
    }

    /// The answer of the last solve.
    #[must_use]
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// What the last solve left of [`Options::exact_work`], 0 at least; infinite where a method ran alone.
    #[must_use]
    pub fn exact_work_left(&self) -> f64 {
        self.work.left()
    }

    /// Bounds the work in rationals of the solves that follow: [`Options::exact_work`].
    pub fn set_exact_work(&mut self, work: f64) {
        self.options.exact_work = work;
    }

    /// What the last solve left of [`Options::pivot_work`]; `u64::MAX` where it was not bounded.
    #[must_use]
    pub fn pivot_work_left(&self) -> u64 {
        self.pivot_work
    }

    /// Bounds the work in floating point of the solves that follow: [`Options::pivot_work`].
    pub fn set_pivot_work(&mut self, work: u64) {
        self.options.pivot_work = work;
    }

    /// Switches the methods for problems of no class on or off for the solves that follow: [`Options::any_class`].
    pub fn set_any_class(&mut self, any_class: bool) {
        self.options.any_class = any_class;
    }

    /// Whether the options make sense for the problem.
    fn check(&self, data: Data<'_>) -> Result<(), InputError> {
        if !(self.options.tolerance > 0.0 && self.options.tolerance < 1.0) {
            return Err(InputError::Option {
                field: "tolerance",
                requirement: "must be between 0 and 1",
                found: self.options.tolerance,
            });
        }
        let Some(method) = self.options.method else {
            return Ok(());
        };
        let Some(needs) = lacks(method, data) else {
            return Ok(());
        };
        let fitting: Vec<_> = Method::ALL
            .iter()
            .filter(|m| lacks(**m, data).is_none())
            .map(|m| m.name())
            .collect();
        Err(InputError::MethodMismatch {
            method: method.name(),
            needs: needs.to_owned(),
            fitting: fitting.join(", "),
        })
    }

    fn begin(&mut self, n: usize) {
        self.rays.clear();
        // Whoever names a method wants it to its end.
        let alone = self.options.method.is_some();
        self.work = if alone {
            Work::any()
        } else {
            Work::new(self.options.exact_work)
        };
        self.pivot_work = if alone { u64::MAX } else { self.options.pivot_work };
        let solution = &mut self.solution;
        solution.stats.clear();
        solution.certificate = None;
        solution.status = Status::Inaccurate;
        solution.residual.relative = f64::INFINITY;
        solution.z.clear();
        solution.z.resize(n, 0.0);
        self.z.clear();
        self.z.resize(n, 0.0);
    }

    /// Runs the steps of the plan until the judge is content.
    fn run_chain(&mut self, form: Form<'_>) {
        let steps = match self.options.method {
            Some(method) => plan_of(method),
            None => plan(form.class, form.data.M.is_symmetric()),
        };
        self.run_steps(steps, form);
    }

    fn run_steps(&mut self, steps: &[Step], form: Form<'_>) {
        let mut last = Outcome::Cycle;
        self.stuck = false;
        for &step in steps {
            if !self.applies(step, last, form.data) || !self.affords(step, form.data.n()) {
                continue;
            }
            let solved_before = self.solution.status == Status::Solved;
            last = self.attempt(step, form);
            self.stuck |= step == Step::Lemke && last == Outcome::Singular && self.lemke.pivots() == 0;
            if self.solution.status == Status::Solved && (solved_before || is_restart(step) || self.is_fine()) {
                return;
            }
            if step == Step::Branch && self.proves_tree(form) {
                return;
            }
            if last == Outcome::Ray
                && step != Step::LemkeHowson
                && self.options.method.is_none()
                && self.proves_infeasible(form)
            {
                return;
            }
        }
    }

    /// Whether another run could hardly improve the answer.
    fn is_fine(&self) -> bool {
        let residual = &self.solution.residual;
        residual.relative <= RERUN_RESIDUAL || residual.roundings <= RERUN_ROUNDINGS
    }

    /// Whether a step makes sense after what happened so far.
    fn applies(&self, step: Step, last: Outcome, data: Data<'_>) -> bool {
        let solved = self.solution.status == Status::Solved;
        match step {
            // Only a run of this solve leaves a basis behind.
            _ if is_restart(step) => last == Outcome::Complementary && !self.basis.is_empty(),
            _ if solved => false,
            Step::Dantzig => data.M.is_symmetric(),
            // The free block is singular: no Lemke run on this form can begin.
            Step::Lexicographic | Step::Cover(_) | Step::Extended if self.stuck => false,
            Step::Exact => self.options.method.is_some() || data.n() <= self.options.exact_limit,
            Step::Enumerate => {
                self.options.method.is_some() || data.n() <= self.options.enumerate_limit.min(ENUMERATE_EARLY)
            }
            Step::Reordered(_) => !self.stuck && self.ties_did_not_end(),
            Step::LeastSquares => data.n() <= LEAST_SQUARES_MAX,
            Step::LemkeHowson => lacks(Method::LemkeHowson, data).is_none(),
            Step::FreeBasis => data.free.contains(&true),
            Step::Branch => data.n() <= BRANCH_MAX,
            Step::LateEnumerate => {
                let range = ENUMERATE_EARLY + 1..=self.options.enumerate_limit.min(ENUMERATE_MAX);
                range.contains(&data.n()) && self.search == Search::Open
            }
            _ => true,
        }
    }

    /// Whether the work that is left lasts for a fallback. What is done in rationals has a bound of its own.
    fn affords(&self, step: Step, n: usize) -> bool {
        let first = self.solution.stats.runs.is_empty();
        let pivots = match step {
            _ if is_restart(step) => RESTART_PIVOTS,
            _ => n as u64,
        };
        first || pivot_cost(step, n).saturating_mul(pivots) <= self.pivot_work
    }

    /// Whether [`Options::pivot_work`] lasts for a short path on a problem of n variables.
    #[must_use]
    pub fn affords_path(&self, n: usize) -> bool {
        pivot_cost(Step::Lemke, n).saturating_mul(n as u64 / SHORT_PATH_SHARE) <= self.options.pivot_work
    }

    /// Runs one step and judges its answer; the better of this and the best so far is kept.
    fn attempt(&mut self, step: Step, form: Form<'_>) -> Outcome {
        self.y.clear();
        self.y.resize(form.data.n(), 0.0);
        if !is_restart(step) {
            self.basis.clear();
        }
        let (outcome, pivots, factorizations) = self.pivot(step, form);
        if self.pivot_work < u64::MAX {
            let spent = pivot_cost(step, form.data.n()).saturating_mul(pivots as u64);
            self.pivot_work = self.pivot_work.saturating_sub(spent);
        }
        form.recover(&self.y, &mut self.z);
        let (mut verdict, mut residual) = self.judge.judge(form.view, &self.z, self.options.tolerance);
        if outcome == Outcome::Complementary && verdict != Status::Solved && self.polish(form) {
            (verdict, residual) = self.judge.judge(form.view, &self.z, self.options.tolerance);
        }
        if outcome == Outcome::Complementary && !is_full(verdict, &residual) && self.tidy(form) {
            let tidied = self.judge.judge(form.view, &self.z, self.options.tolerance);
            if tidied.0 == Status::Solved {
                (verdict, residual) = tidied;
            } else {
                form.recover(&self.y, &mut self.z);
                (verdict, residual) = self.judge.judge(form.view, &self.z, self.options.tolerance);
            }
        }
        let status = match outcome {
            Outcome::Complementary => verdict,
            Outcome::Ray => Status::Ray,
            Outcome::UnboundedDrive => Status::UnboundedDrive,
            Outcome::PivotLimit => Status::PivotLimit,
            Outcome::Cycle => Status::Cycle,
            Outcome::Singular => Status::SingularBasis,
        };
        let solution = &mut self.solution;
        let method = step.method();
        solution.stats.pivots += pivots;
        solution.stats.factorizations += factorizations;
        solution.stats.runs.push(Run { method, status, pivots });
        let first = solution.stats.runs.len() == 1;
        let solved = solution.status == Status::Solved;
        let better = residual.relative < solution.residual.relative;
        if first || (status == Status::Solved && !solved) || (better && (status == Status::Solved || !solved)) {
            solution.status = status;
            solution.residual = residual;
            solution.z.copy_from_slice(&self.z);
            solution.w.clear();
            solution.w.extend_from_slice(self.judge.w());
            solution.stats.answered_by = solution.stats.runs.len() - 1;
        }
        outcome
    }

    /// Sets variables to zero that are zero except for rounding: rows that nothing else acts on have no other size. Only of problems without rewritten
    /// bounds. False when there was nothing to do.
    fn tidy(&mut self, form: Form<'_>) -> bool {
        if form.reduced.is_some_and(|(reduced, _)| !reduced.is_plain()) {
            return false;
        }
        let unit = form.data.M.unit_scale();
        let balanced = |(z, unit): (&f64, &f64)| (z / unit).abs();
        let largest = self.z.iter().zip(unit).map(balanced).fold(0.0, f64::max);
        let mut found = false;
        for (z, unit) in self.z.iter_mut().zip(unit) {
            if *z != 0.0 && (*z / unit).abs() <= SUPPORT_REL_TOL * largest {
                *z = 0.0;
                found = true;
            }
        }
        found
    }

    /// Solves again for the variables strictly inside rewritten bounds. False when there was nothing to do.
    fn polish(&mut self, form: Form<'_>) -> bool {
        let Some((reduced, _)) = form.reduced.filter(|(reduced, _)| !reduced.is_plain()) else {
            return false;
        };
        let inside = reduced.inside(&self.y);
        polish(form.view, &inside, &mut self.lu, &mut self.z)
    }

    /// Runs the pivoting method of a step: outcome, pivots and factorizations.
    fn pivot(&mut self, step: Step, form: Form<'_>) -> (Outcome, usize, usize) {
        let data = form.data;
        let mut affordable = self.pivot_work / pivot_cost(step, data.n()).max(1);
        if let Step::Reordered(_) = step {
            affordable = affordable.min(REORDERED_PER_VARIABLE * data.n() as u64);
        }
        let options = lemke::Options {
            lexicographic: step.method() == Method::LemkeLexicographic,
            ..self.options.lemke.within(affordable, data.n())
        };
        let start = Start {
            basis: &self.basis,
            ..Start::default()
        };
        match step {
            Step::Lemke | Step::Lexicographic | Step::Reordered(_) | Step::Cover(_) => {
                let mut cover = std::mem::take(&mut self.cover);
                let given = match (step, form.reduced) {
                    (Step::Cover(number), _) => {
                        cover.clear();
                        cover.extend((0..data.n()).map(|i| other_cover(number, i)));
                        true
                    }
                    (_, Some((reduced, _))) => reduced.cover(&mut cover),
                    _ => false,
                };
                let start = Start {
                    basis: &[],
                    cover: if given { &cover } else { &[] },
                    order: if let Step::Reordered(order) = step { order } else { 0 },
                };
                let ran = self.cold(data, start, &options);
                self.cover = cover;
                ran
            }
            Step::Restart | Step::FromLeastSquares => {
                let ran = run_lemke(&mut self.lemke, data, start, &options.tight(), &mut self.y);
                self.lemke.basis(data.n(), &mut self.basis);
                ran
            }
            Step::Extended => {
                let ran = run_lemke(&mut self.extended, data, Start::default(), &options, &mut self.y);
                self.extended.basis(data.n(), &mut self.basis);
                ran
            }
            Step::ExtendedRestart => run_lemke(&mut self.extended, data, start, &options.tight(), &mut self.y),
            Step::Dantzig => {
                let outcome = self.dantzig.run(data, &self.options.dantzig, &mut self.y);
                if outcome == Outcome::UnboundedDrive {
                    self.rays.push(self.dantzig.drive_direction().to_vec());
                }
                (outcome, self.dantzig.pivots(), 0)
            }
            Step::Ppm => (self.ppm.run(data, &self.options.ppm, &mut self.y), self.ppm.pivots(), 0),
            Step::Exact => self.pivot_exactly(data),
            Step::Enumerate | Step::LateEnumerate => self.try_cones(form),
            Step::LeastSquares => self.least_squares(data),
            Step::LemkeHowson => self.lemke_howson(data),
            Step::FreeBasis => self.complete_free_basis(data),
            Step::Branch => self.branch(form),
        }
    }

    /// Lemke in `f64`; remembers its basis and its ray.
    fn cold(&mut self, data: Data<'_>, start: Start<'_>, options: &lemke::Options) -> (Outcome, usize, usize) {
        let ran = run_lemke(&mut self.lemke, data, start, options, &mut self.y);
        self.lemke.basis(data.n(), &mut self.basis);
        if ran.0 == Outcome::Ray {
            self.rays.push(self.lemke.ray(data));
        }
        ran
    }

    fn pivot_exactly(&mut self, data: Data<'_>) -> (Outcome, usize, usize) {
        let limit = 10 * data.n() + 2000;
        let problem = ExactLcp::from_matrix(data.M, data.q).with_free(free_flags(data));
        let Ok(problem) = problem else {
            return (Outcome::Singular, 0, 0);
        };
        match exact::lemke_within(&problem, None, limit, &mut self.work) {
            ExactOutcome::Solved { z, pivots, .. } => {
                for (y, z) in self.y.iter_mut().zip(&z) {
                    *y = z.to_f64().value();
                }
                (Outcome::Complementary, pivots, 0)
            }
            ExactOutcome::Ray { pivots, .. } => (Outcome::Ray, pivots, 0),
            ExactOutcome::PivotLimit => (Outcome::PivotLimit, limit, 0),
            ExactOutcome::SingularStart => (Outcome::Singular, 0, 0),
        }
    }

    fn try_cones(&mut self, form: Form<'_>) -> (Outcome, usize, usize) {
        let (judge, z, y) = (&mut self.judge, &mut self.z, &mut self.y);
        let tolerance = self.options.tolerance;
        let mut tried = 0;
        enumerate(form.data, ENUMERATE_MAX, |candidate| {
            tried += 1;
            form.recover(candidate, z);
            y.copy_from_slice(candidate);
            judge.judge(form.view, z, tolerance).0 == Status::Solved
        });
        (Outcome::Complementary, tried, 0)
    }
}

fn run_lemke<T: Real>(
    lemke: &mut Lemke<T>,
    data: Data<'_>,
    start: Start<'_>,
    options: &lemke::Options,
    z: &mut [f64],
) -> (Outcome, usize, usize) {
    let outcome = lemke.run(data, start, options, z);
    (outcome, lemke.pivots(), lemke.factorizations())
}

/// Work of one pivot, in units of [`Options::pivot_work`].
fn pivot_cost(step: Step, n: usize) -> u64 {
    let each = match step {
        Step::Extended | Step::ExtendedRestart => DOUBLE_DOUBLE_COST,
        // Bounded in other ways.
        Step::Exact | Step::Enumerate => 0,
        _ => 1,
    };
    each * (n as u64).saturating_mul(n as u64)
}

/// Whether a step of the plan starts from the basis at which the one before it ended.
fn is_restart(step: Step) -> bool {
    matches!(step, Step::Restart | Step::ExtendedRestart | Step::FromLeastSquares)
}

/// Which variables are free, as the exact form of a problem needs it.
pub(crate) fn free_flags(data: Data<'_>) -> Vec<bool> {
    (0..data.n()).map(|i| data.is_free(i)).collect()
}
/// Whether an answer is verified without excuse.
fn is_full(verdict: Status, residual: &Residual) -> bool {
    verdict == Status::Solved && residual.accuracy == Accuracy::Full
}
