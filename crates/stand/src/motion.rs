//! The exact law as a test: a step from rest, from gaps that are zero or tiny, judged by `contact`.
//!
//! Solutions with gaps g → 0 have limits that are lawful at g = 0. Where the speed after a drop shrinks with the gap, it came to rest; where it stays, and the step at gap
//! zero that starts from its forces moves as well, there is another lawful answer than rest.

use stiction_contact::check::{Answer, Residual, Terms, check};
use stiction_contact::continuation::Continuation;
use stiction_contact::{ContactProblem, ContactSolution, ContactSolver, ContactState, Law, Options, Status};

use crate::equilibrium::Equilibrium;
use crate::error::StandError;
use crate::program::Forces;

/// Length of the steps \[s\].
pub const STEP: f64 = 0.01;
/// Largest residual of an answer that is accepted.
pub const TOLERANCE: f64 = 1e-10;
/// Speed below which a body rests, relative to what gravity and loads give to the fastest free body in a step.
const RESTS: f64 = 1e-7;
/// Gaps of drops, relative to the mean arm: the narrower ones where the wider are not solved at once.
const DROPS: [f64; 2] = [1e-8, 1e-9];
/// A drop came to rest where nothing is so many times as fast as its gaps close.
const CLOSING: f64 = 10.0;
/// Where it is not faster than this, rest without the gaps counts as rest: levers make closing gaps faster.
const SLOW: f64 = 1e4;
/// What keeps this share of its speed without the gaps is the motion of the drop.
const STAYS: f64 = 0.5;
/// Change of loads of a nudge, relative.
const NUDGE: f64 = 1e-6;
/// Operations that a fallback of a solve may take, and those of all solves of a drop: one that takes more is left unsolved.
const MOST_WORK: u64 = 3_000_000_000;
const DROP_WORK: u64 = 10_000_000_000;

/// An answer of the exact law over a step from rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// Velocities of free bodies at the end of the step.
    pub velocity: Vec<f64>,
    /// Forces: impulses over the step.
    pub forces: Forces,
    /// State of each contact.
    pub state: Vec<ContactState>,
    /// The judge's figures.
    pub residual: Residual,
    /// Whether the judge accepts it.
    pub accepted: bool,
    /// Largest speed of a contact \[m/s\].
    pub speed: f64,
    /// Whether that is motion.
    pub moves: bool,
}

/// Steps of an equilibrium.
pub struct Steps<'a> {
    whole: &'a Equilibrium,
    /// The problem of a step without gaps.
    closed: ContactProblem,
    solver: ContactSolver,
    continuation: Continuation,
    /// What counts as rest \[m/s\].
    rests: f64,
}

/// A seeded generator: xorshift.
#[derive(Debug, Clone)]
pub struct Seeded(u64);

impl Seeded {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Between 0 and 1.
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl<'a> Steps<'a> {
    /// Steps of an equilibrium.
    ///
    /// # Errors
    /// A contact problem that cannot be built.
    pub fn new(whole: &'a Equilibrium) -> Result<Self, StandError> {
        let options = Options {
            tolerance: TOLERANCE,
            max_work: MOST_WORK,
            ..Options::default()
        };
        let dim = whole.dim();
        let linear = if whole.is_planar() { 2 } else { 3 };
        let fastest = whole.bodies().iter().enumerate().fold(0.0_f64, |m, (k, body)| {
            let force = &whole.load()[dim * k..dim * k + linear];
            m.max(libm::sqrt(force.iter().map(|x| x * x).sum()) / body.mass)
        });
        Ok(Self {
            whole,
            closed: whole.contact_problem(whole.load(), STEP, |_| 0.0)?,
            solver: ContactSolver::new(options.clone())?,
            continuation: Continuation::new(options)?,
            rests: RESTS * STEP * fastest,
        })
    }

    fn motion(&self, solution: &ContactSolution) -> Option<Motion> {
        if solution.status != Status::Solved {
            return None;
        }
        let impulses = solution.normal_impulse.iter().zip(&solution.friction_impulse);
        let forces = Forces {
            contacts: impulses.map(|(n, [x, y])| [n / STEP, x / STEP, y / STEP]).collect(),
            rows: solution.joint_impulse.iter().map(|x| x / STEP).collect(),
        };
        let speed = speed(self.whole, &solution.velocity);
        Some(Motion {
            velocity: solution.velocity.clone(),
            forces,
            state: solution.state.clone(),
            residual: solution.residual,
            accepted: true,
            speed,
            moves: speed > self.rests,
        })
    }

    /// The step at gap zero; `None` where it is not solved.
    ///
    /// # Errors
    /// A problem that cannot be built.
    pub fn at_rest(&mut self) -> Result<Option<Motion>, StandError> {
        self.solver.solve_joined(&self.closed)?;
        Ok(self.motion(self.solver.solution()))
    }

    /// A drop through tiny gaps, random except with seed 0, and the motion that it tends to at gap zero. Where another lawful motion is known already, no long search is made.
    ///
    /// # Errors
    /// A problem that cannot be built.
    pub fn drop(&mut self, seed: u64, is_known: bool) -> Result<Try, StandError> {
        let (mut problem, mut widest) = (self.closed.clone(), 0.0);
        for size in DROPS {
            let mut random = Seeded::new(seed);
            widest = size * self.whole.arm();
            for j in 0..self.whole.contacts().len() {
                let share = if seed == 0 { 1.0 } else { 0.05 + 0.95 * random.unit() };
                problem.set_bias(j, [widest * share / STEP, 0.0, 0.0])?;
            }
            self.continuation.set_allowance(DROP_WORK);
            if self.continuation.attempt(&problem)?.status == Status::Solved {
                return self.close(&problem, widest);
            }
            // What moves is often settled long before which points of each face close first.
            self.continuation.close(&problem)?;
            if let Some(motion) = self.motion(self.continuation.solution()).filter(|motion| motion.moves) {
                return Ok(Try::Moves(Box::new(motion)));
            }
        }
        if is_known {
            return Ok(Try::Unsolved);
        }
        self.continuation.persist(&problem)?;
        self.close(&problem, widest)
    }

    /// What a drop through gaps tends to as they close.
    fn close(&mut self, problem: &ContactProblem, widest: f64) -> Result<Try, StandError> {
        let Some(dropped) = self.motion(self.continuation.solution()) else {
            return Ok(Try::Unsolved);
        };
        // Motion across a gap is as slow as the gap is small.
        if dropped.speed <= CLOSING * widest / STEP {
            return Ok(Try::Rests(Box::new(dropped)));
        }
        self.continuation.close(problem)?;
        Ok(match self.motion(self.continuation.solution()) {
            Some(motion) if motion.moves && motion.speed >= STAYS * dropped.speed => Try::Moves(Box::new(motion)),
            // Without the gaps it comes to rest, from the forces of the drop: it moved only to close them.
            Some(motion) if !motion.moves && dropped.speed <= SLOW * widest / STEP => Try::Rests(Box::new(motion)),
            _ => Try::MovesUnpolished(dropped.speed),
        })
    }

    /// Loads changed by a millionth, at random.
    ///
    /// # Errors
    /// A problem that cannot be built.
    pub fn nudge(&mut self, seed: u64) -> Result<Try, StandError> {
        let mut random = Seeded::new(seed ^ 0x6e75_6467_6500);
        let load: Vec<f64> = self
            .whole
            .load()
            .iter()
            .map(|w| w * (1.0 + NUDGE * (2.0 * random.unit() - 1.0)))
            .collect();
        let problem = self.whole.contact_problem(&load, STEP, |_| 0.0)?;
        self.solver.solve_joined(&problem)?;
        let Some(nudged) = self.motion(self.solver.solution()) else {
            return Ok(Try::Unsolved);
        };
        if nudged.speed <= 1e3 * self.rests {
            return Ok(Try::Rests(Box::new(nudged)));
        }
        // The load as it is, from the forces of this answer.
        self.solver.solve_warm(&self.closed)?;
        Ok(match self.motion(self.solver.solution()) {
            Some(motion) if motion.moves => Try::Moves(Box::new(motion)),
            _ => Try::MovesUnpolished(nudged.speed),
        })
    }

    /// Whether the judge accepts forces as rest.
    ///
    /// # Errors
    /// A problem that cannot be built.
    pub fn judge_rest(&self, forces: &Forces) -> Result<Motion, StandError> {
        judge(self.whole, forces, self.rests)
    }
}

/// What became of a try.
#[derive(Debug, Clone, PartialEq)]
pub enum Try {
    /// It came to rest.
    Rests(Box<Motion>),
    /// It moves, and so does the step at gap zero: another lawful answer.
    Moves(Box<Motion>),
    /// It moves at this speed \[m/s\], but at gap zero from its forces no motion was found.
    MovesUnpolished(f64),
    /// Not solved.
    Unsolved,
}

/// Largest speed of a contact or of a body, turns at the mean arm.
fn speed(whole: &Equilibrium, velocity: &[f64]) -> f64 {
    let contacts = (0..whole.contacts().len()).flat_map(|j| whole.contact_velocity(j, velocity));
    let (arm, dim) = (whole.arm(), whole.dim());
    let bodies = velocity.iter().enumerate();
    let bodies = bodies.map(|(at, v)| if whole.is_turn(at % dim) { arm * v } else { *v });
    contacts.chain(bodies).fold(0.0_f64, |m, u| m.max(u.abs()))
}

/// Judges forces as the answer of a step from rest at gap zero.
///
/// # Errors
/// A problem that cannot be built.
pub fn judge(whole: &Equilibrium, forces: &Forces, rests: f64) -> Result<Motion, StandError> {
    let problem = whole.contact_problem(whole.load(), STEP, |_| 0.0)?;
    let normal: Vec<f64> = forces.contacts.iter().map(|f| STEP * f[0]).collect();
    let friction: Vec<[f64; 2]> = forces.contacts.iter().map(|f| [STEP * f[1], STEP * f[2]]).collect();
    let joint: Vec<f64> = forces.rows.iter().map(|g| STEP * g).collect();
    let terms = Terms {
        law: Law::Coulomb,
        directions: 8,
        tolerance: TOLERANCE,
    };
    let answer = Answer {
        normal: &normal,
        friction: &friction,
        phi: None,
        joint: &joint,
    };
    let verdict = check(&problem, terms, answer)?;
    let speed = speed(whole, &verdict.velocity);
    Ok(Motion {
        velocity: verdict.velocity,
        forces: forces.clone(),
        state: verdict.state,
        residual: verdict.residual,
        accepted: verdict.solved,
        speed,
        moves: speed > rests,
    })
}
