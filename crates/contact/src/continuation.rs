//! Problems with tiny gaps, which decide among many ways to share a load.
//!
//! Where bodies come to rest against each other over gaps ε g, velocities shrink with ε while impulses go to a limit; where they go on moving, velocities do not shrink.
//! For ε of 1e-5 to 1e-13 of a body, which contact closes is decided by differences far below the speeds of the fall, and a cold solver has to guess.
//! A continuation does not guess: gaps a thousandth of a fall wide are solved first, then ever narrower ones, each from the impulses of the one before. The problem
//! is linear except for the states of its contacts, and these stay the same from some ε on.
//!
//! [`Continuation::close`] then sets the gaps to zero and goes on from there: the answer of the closed problem that lies beside, at rest or in motion.

use crate::error::InputError;
use crate::problem::ContactProblem;
use crate::solution::{ContactSolution, Status};
use crate::solve::{ContactSolver, Options};

/// Operations that fallbacks may take: of the first try from nothing; of the next and of each step that closes gaps, which others follow; and of a step that narrows them. The
/// last resort has no limit but the caller's.
const QUICK_WORK: u64 = 10_000_000;
const TRY_WORK: u64 = 1_000_000_000;
const STEP_WORK: u64 = 20_000_000_000;
/// Widest gaps: the velocity that closes them, as a share of the fastest contact.
const WIDEST: f64 = 0.03;
/// Factor from gaps to the next where all goes well, and the factor nearest to 1 that is tried.
const NARROWER: f64 = 0.03;
const SHORTEST: f64 = 0.7;
/// Gaps this narrow, by the same measure as the widest, are closed at once.
const CLOSED: f64 = 1e-12;
/// What is so many times as fast as gaps close moves not only to close them; a motion that has kept this share of its speed is the same.
const MOVES: f64 = 1e3;
const STAYS: f64 = 0.5;
/// Problems solved at the most.
const MOST: usize = 80;

/// Solves problems with small gaps, and closes them.
///
/// ```
/// use stiction_contact::continuation::Continuation;
/// use stiction_contact::{ContactProblem, Options, Status};
/// // A point mass that falls on a floor a nanometre below, in a step of 10 ms.
/// let mut problem = ContactProblem::new();
/// let block = problem.add_block(&[2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0], &[0.0, 0.0, -0.1])?;
/// problem.add_contact(&[(block, [&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]])], 0.5)?;
/// problem.set_bias(0, [1e-7, 0.0, 0.0])?;
/// let mut continuation = Continuation::new(Options::default())?;
/// assert_eq!(continuation.solve(&problem)?.status, Status::Solved);
/// assert!((continuation.solution().velocity[2] + 1e-7).abs() < 1e-15);
/// assert!(continuation.close(&problem)?.velocity[2].abs() < 1e-14);
/// # Ok::<(), stiction_contact::InputError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Continuation {
    solver: ContactSolver,
    max_work: u64,
    /// The problem with other gaps.
    scaled: ContactProblem,
    /// Problems solved for the last answer.
    solves: usize,
}

impl Continuation {
    /// With the options of its solves.
    ///
    /// # Errors
    /// As [`ContactSolver::new`].
    pub fn new(options: Options) -> Result<Self, InputError> {
        Ok(Self {
            max_work: options.max_work,
            solver: ContactSolver::new(options)?,
            scaled: ContactProblem::new(),
            solves: 0,
        })
    }

    /// The last answer.
    #[must_use]
    pub fn solution(&self) -> &ContactSolution {
        self.solver.solution()
    }

    /// Problems solved for it, itself included.
    #[must_use]
    pub fn solves(&self) -> usize {
        self.solves
    }

    /// Solves a problem: from nothing with little work, else by way of wider gaps. Every answer is judged on the problem as given.
    ///
    /// # Errors
    /// As [`ContactSolver::solve`].
    pub fn solve(&mut self, problem: &ContactProblem) -> Result<&ContactSolution, InputError> {
        if self.attempt(problem)?.status != Status::Solved {
            self.persist(problem)?;
        }
        Ok(self.solver.solution())
    }

    /// The first part of [`Self::solve`]: from nothing with little work.
    ///
    /// # Errors
    /// As [`ContactSolver::solve`].
    pub fn attempt(&mut self, problem: &ContactProblem) -> Result<&ContactSolution, InputError> {
        self.solver.forget();
        self.solves = 0;
        self.cold(problem, QUICK_WORK)
    }

    /// Operations that all solves that follow may take together; none is made without.
    pub fn set_allowance(&mut self, operations: u64) {
        self.solver.set_allowance(operations);
    }

    /// From nothing, with limited work.
    fn cold(&mut self, problem: &ContactProblem, work: u64) -> Result<&ContactSolution, InputError> {
        self.solves += 1;
        self.solver.set_max_work(self.max_work.min(work));
        self.solver.solve_joined(problem)?;
        self.solver.set_max_work(self.max_work);
        Ok(self.solver.solution())
    }

    /// The second part of [`Self::solve`], for a problem that an [attempt](Self::attempt) has not solved: by way of wider gaps, and from nothing with all work that is allowed.
    ///
    /// # Errors
    /// As [`ContactSolver::solve`].
    pub fn persist(&mut self, problem: &ContactProblem) -> Result<&ContactSolution, InputError> {
        self.solver.forget();
        let widest = gaps(problem).fold(0.0, f64::max);
        if self.cold(problem, TRY_WORK)?.status != Status::Solved && widest > 0.0 {
            self.solver.set_max_work(self.max_work.min(STEP_WORK));
            self.narrow(problem, (WIDEST * problem.fastest_contact() / widest).max(1.0))?;
        }
        self.solver.set_max_work(self.max_work);
        if self.solver.solution().status != Status::Solved && self.max_work > TRY_WORK {
            self.cold(problem, u64::MAX)?;
        }
        Ok(self.solver.solution())
    }

    /// From gaps so many times as wide down to those of the problem.
    fn narrow(&mut self, problem: &ContactProblem, widest: f64) -> Result<(), InputError> {
        let (mut factor, mut step) = (widest, NARROWER);
        let mut reached: Option<f64> = None;
        while self.solves < MOST {
            self.scale(problem, factor)?;
            self.solves += 1;
            let warm = self.solver.warm_start().clone();
            let status = match reached {
                Some(_) => self.solver.solve_warm(&self.scaled)?.status,
                None => self.solver.solve_joined(&self.scaled)?.status,
            };
            if status == Status::Solved {
                if factor <= 1.0 {
                    return Ok(());
                }
                reached = Some(factor);
                step = (step * step).max(NARROWER);
                factor = (factor * step).max(1.0);
                continue;
            }
            match reached {
                // Half the way, as a ratio.
                Some(from) if step < SHORTEST => {
                    self.solver.set_warm_start(warm);
                    step = step.sqrt();
                    factor = (from * step).max(1.0);
                }
                // Not even wide gaps are solved: wider ones may be.
                None if factor < 1e3 * widest => factor *= 10.0,
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Closes the gaps from the last answer, which must be that of this problem: states and impulses as they are, polished on the problem without gaps. Where that
    /// loses a motion, narrower gaps are solved first, whose answers lie nearer to the limit. What is returned is judged on the problem without gaps, and so the last answer need not
    /// be one that the judge accepted: what it lacks is often less than the gaps.
    ///
    /// # Errors
    /// As [`ContactSolver::solve`].
    pub fn close(&mut self, problem: &ContactProblem) -> Result<&ContactSolution, InputError> {
        let widest = gaps(problem).fold(0.0, f64::max);
        let closed = CLOSED * problem.fastest_contact();
        let is_solved = self.solver.solution().status == Status::Solved;
        if !is_solved {
            self.solver.leave(problem);
            self.solver.set_max_work(self.max_work.min(QUICK_WORK));
        }
        let drop = fastest(self.solver.solution());
        let mut factor = 1.0;
        self.scale(problem, 0.0)?;
        self.solves += 1;
        self.solver.solve_warm(&self.scaled)?;
        self.solver.set_max_work(self.max_work);
        // Motion across a gap is as slow as the gap is narrow; another motion is there without gaps.
        while is_solved
            && drop > MOVES * factor * widest
            && fastest(self.solver.solution()) < STAYS * drop
            && factor * widest > closed
        {
            factor *= NARROWER;
            self.scale(problem, factor)?;
            self.solves += 2;
            self.solver.set_max_work(self.max_work.min(TRY_WORK));
            self.solver.solve_joined(&self.scaled)?;
            self.solver.set_max_work(self.max_work);
            self.scale(problem, 0.0)?;
            self.solver.solve_warm(&self.scaled)?;
        }
        Ok(self.solver.solution())
    }

    /// The problem with gaps so many times as wide. A contact that overlaps stays as it is.
    fn scale(&mut self, problem: &ContactProblem, factor: f64) -> Result<(), InputError> {
        self.scaled.clone_from(problem);
        for i in 0..problem.contact_count() {
            let [gap, x, y] = problem.bias(i);
            if gap > 0.0 {
                self.scaled.set_bias(i, [factor * gap, x, y])?;
            }
        }
        Ok(())
    }
}

/// Fastest coordinate of the bodies.
fn fastest(solution: &ContactSolution) -> f64 {
    solution.velocity.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// Gaps that are open, as velocities that close them.
fn gaps(problem: &ContactProblem) -> impl Iterator<Item = f64> {
    (0..problem.contact_count())
        .map(|i| problem.bias(i)[0])
        .filter(|gap| *gap > 0.0)
}
