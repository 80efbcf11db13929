//! The verdict: one of four words, and the evidence that is part of it.
//!
//! That forces exist does not mean that it stands: another lawful answer may exist in which something moves. `stands` therefore says how it is known that there is none, or how
//! often another was looked for; `may fall` holds both answers, both judged.

use stiction_contact::ContactState;

use crate::balance::Balance;
use crate::equilibrium::Equilibrium;
use crate::error::StandError;
use crate::existence::{Balanced, Existence, existence};
use crate::explosion::{SelfStress, self_stress};
use crate::grasp::least_squeeze;
use crate::motion::{Motion, Steps, Try};
use crate::program::Forces;
use crate::uniqueness::normal_forces_alone;

/// The word of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// Rest is a lawful answer, and no other is known.
    Stands,
    /// Rest is impossible: proved.
    Falls,
    /// Rest is a lawful answer, and so is a motion.
    MayFall,
    /// Neither forces nor a mechanism could be proved, or a solver failed.
    Undecided,
}

impl Word {
    /// Name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Stands => "stands",
            Self::Falls => "falls",
            Self::MayFall => "may_fall",
            Self::Undecided => "undecided",
        }
    }

    /// Exit status of the tool.
    #[must_use]
    pub fn exit_status(self) -> u8 {
        match self {
            Self::Stands => 0,
            Self::Falls => 1,
            Self::MayFall => 3,
            Self::Undecided => 4,
        }
    }
}

/// How rest is known to be the only answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Only {
    /// Normal forces alone balance the load: proved.
    NormalForces(Balanced),
}

/// Bodies whose squeezing force is commanded. Contacts between them and other bodies that can move carry the proved forces, whatever moves; another
/// answer is searched for in everything else.
#[derive(Debug, Clone, PartialEq)]
pub struct Squeezed {
    /// The bodies.
    pub bodies: Vec<usize>,
    /// Contacts whose forces they command.
    pub contacts: Vec<usize>,
    /// Least force with which the hardest of them must press \[N\]; `None`: not found.
    pub least: Option<f64>,
}

/// A try that found motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// `drop` or `nudge`.
    pub kind: &'static str,
    /// Its seed.
    pub seed: u64,
    /// Largest speed of a contact \[m/s\].
    pub speed: f64,
    /// The body that moves fastest.
    pub body: usize,
    /// Whether the step at gap zero moves as well, so that the motion is a lawful answer.
    pub lawful: bool,
}

/// Tries to find another answer than rest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tries {
    /// Drops through tiny gaps that came to rest.
    pub drops: usize,
    /// Changes of the load by a millionth that came to rest.
    pub nudges: usize,
    /// Tries that were not solved.
    pub unsolved: usize,
    /// Tries that came to rest with a force beyond the force limit, which the law does not know of.
    pub beyond: usize,
    /// Those that moved.
    pub moved: Vec<Moved>,
}

/// What was asked of a verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Drops and nudges, each.
    pub tries: u64,
    /// Bodies that command their force.
    pub squeeze: Vec<usize>,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            tries: 3,
            squeeze: Vec::new(),
        }
    }
}

/// A verdict and its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The word.
    pub word: Word,
    /// Forces or a mechanism, with proof.
    pub existence: Existence,
    /// How rest is known to be the only answer.
    pub only: Option<Only>,
    /// Bodies that command their force, where that is needed.
    pub squeeze: Option<Squeezed>,
    /// Rest, judged.
    pub rest: Option<Motion>,
    /// A motion: the other answer, or how it falls.
    pub motion: Option<Motion>,
    /// Tries to find another answer.
    pub tries: Tries,
    /// Whether it can be wedged; the explosion where it cannot.
    pub self_stress: SelfStress,
    /// Whether it only balances: a displacement from which it moves on. `None`: none was found, or it was not looked for.
    pub balance: Option<Balance>,
    /// Why it is undecided.
    pub reason: Option<&'static str>,
}

impl Verdict {
    /// Exit status of the tool: what only balances may fall.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        if self.balance.is_some() {
            Word::MayFall.exit_status()
        } else {
            self.word.exit_status()
        }
    }
}

/// The verdict on an equilibrium.
///
/// # Errors
/// A contact problem that cannot be built; a body that squeezes and cannot move, or touches none that can.
pub fn decide(whole: &Equilibrium, ask: &Ask) -> Result<Verdict, StandError> {
    let commanded = commanded(whole, &ask.squeeze)?;
    let mut verdict = Verdict {
        word: Word::Undecided,
        existence: existence(whole),
        only: None,
        squeeze: None,
        rest: None,
        motion: None,
        tries: Tries::default(),
        self_stress: SelfStress::Unknown,
        balance: None,
        reason: None,
    };
    match &verdict.existence {
        Existence::Mechanism { .. } => {
            verdict.word = Word::Falls;
            verdict.motion = Steps::new(whole)?.at_rest()?.filter(|motion| motion.moves);
        }
        Existence::Undecided { depth, .. } => {
            verdict.reason = Some(if depth.abs() < 1e-6 {
                "neither forces nor a mechanism could be proved: forces found lie on their cones, within 1e-6 of the load"
            } else {
                "the program ended without an answer that could be proved"
            });
        }
        Existence::Forces(balanced) => {
            let forces = balanced.forces.clone();
            stood(whole, ask, (forces, commanded), &mut verdict)?;
        }
    }
    Ok(verdict)
}

/// Contacts through which bodies squeeze.
fn commanded(whole: &Equilibrium, squeeze: &[usize]) -> Result<Vec<usize>, StandError> {
    for body in squeeze {
        let name = || whole.names().get(*body).map_or_else(|| body.to_string(), Clone::clone);
        if whole.free_of(*body).is_none() {
            return Err(StandError::value("squeeze", "must name bodies that can move", name()));
        }
        if whole.squeezing(&[*body]).is_empty() {
            return Err(StandError::value(
                "squeeze",
                "must name bodies that touch another that can move",
                name(),
            ));
        }
    }
    Ok(whole.squeezing(squeeze))
}

/// What forces that balance are worth.
fn stood(
    whole: &Equilibrium,
    ask: &Ask,
    (forces, commanded): (Forces, Vec<usize>),
    verdict: &mut Verdict,
) -> Result<(), StandError> {
    let mut steps = Steps::new(whole)?;
    let rest = steps.judge_rest(&forces)?;
    let mut is_accepted = rest.accepted && !rest.moves;
    verdict.rest = Some(rest);
    verdict.self_stress = self_stress(whole);
    if whole.bodies().is_empty() {
        verdict.word = Word::Stands;
        return Ok(());
    }
    if let Some(normal) = normal_forces_alone(whole) {
        (verdict.word, verdict.only) = (Word::Stands, Some(Only::NormalForces(normal)));
    } else if commanded.is_empty() {
        seek(whole, &mut steps, ask, verdict)?;
        if !is_accepted {
            // The step's own rest, where it is one: what the judge says of it counts.
            let own = steps.at_rest()?.filter(|motion| !motion.moves);
            is_accepted = own.is_some();
            verdict.rest = own.or(verdict.rest.take());
        }
    } else {
        let held = whole.commanded(&commanded, &forces.contacts);
        seek(&held, &mut Steps::new(&held)?, ask, verdict)?;
        if let Some(motion) = &mut verdict.motion {
            *motion = with_commanded(motion, &commanded, &forces);
        }
        let fingers: Vec<Vec<usize>> = ask.squeeze.iter().map(|body| whole.squeezing(&[*body])).collect();
        verdict.squeeze = Some(Squeezed {
            bodies: ask.squeeze.clone(),
            contacts: commanded,
            least: least_squeeze(whole, &fingers).map(|squeeze| squeeze.force),
        });
    }
    if !is_accepted && verdict.word == Word::MayFall {
        verdict.word = Word::Undecided;
        verdict.reason = Some("a motion is lawful; rest is proved to have forces, but the judge refuses those found");
    } else if !is_accepted && verdict.word == Word::Stands {
        // The proof holds all the same; the judge's figure is part of the evidence.
        verdict.reason = Some("the judge refuses the forces that were proved: its tolerance is finer than they are");
    }
    Ok(())
}

/// A motion of what is left without some contacts, with their forces.
fn with_commanded(motion: &Motion, commanded: &[usize], forces: &Forces) -> Motion {
    let mut whole = motion.clone();
    let mut left = motion.forces.contacts.iter().zip(&motion.state);
    (whole.forces.contacts, whole.state) = (0..forces.contacts.len())
        .filter_map(|j| {
            if commanded.contains(&j) {
                return Some((forces.contacts[j], ContactState::Sticking));
            }
            left.next().map(|(force, state)| (*force, *state))
        })
        .unzip();
    whole
}

/// Looks for another answer than rest.
fn seek(whole: &Equilibrium, steps: &mut Steps<'_>, ask: &Ask, verdict: &mut Verdict) -> Result<(), StandError> {
    let first = steps.at_rest()?;
    if let Some(motion) = &first
        && motion.moves
    {
        verdict.word = Word::MayFall;
        verdict.motion = first;
        return Ok(());
    }
    let is_rest = first.is_some();
    for kind in ["drop", "nudge"] {
        for seed in 0..ask.tries {
            let outcome = if kind == "drop" {
                steps.drop(seed, verdict.motion.is_some())?
            } else {
                steps.nudge(seed)?
            };
            let mut add = |speed: f64, body: usize, lawful: bool| {
                verdict.tries.moved.push(Moved {
                    kind,
                    seed,
                    speed,
                    body,
                    lawful,
                });
            };
            match outcome {
                Try::Rests(motion) => {
                    if kind == "drop" {
                        verdict.tries.drops += 1;
                    } else {
                        verdict.tries.nudges += 1;
                    }
                    let mut contacts = motion.forces.contacts.iter().enumerate();
                    let exceeds = contacts.any(|(j, f)| f[0] > whole.most(j));
                    verdict.tries.beyond += usize::from(exceeds);
                }
                Try::Unsolved => verdict.tries.unsolved += 1,
                Try::MovesUnpolished(speed) => add(speed, 0, false),
                Try::Moves(motion) => {
                    add(motion.speed, fastest(whole, &motion.velocity), true);
                    if verdict.motion.is_none() {
                        verdict.motion = Some(*motion);
                    }
                }
            }
        }
    }
    let tried = verdict.tries.drops + verdict.tries.nudges;
    verdict.word = if verdict.motion.is_some() {
        Word::MayFall
    } else if is_rest || tried > 0 {
        Word::Stands
    } else {
        verdict.reason = Some("forces are proved; whether another answer exists is open: no step was solved");
        Word::Undecided
    };
    Ok(())
}

/// The body that moves fastest, among all bodies.
#[must_use]
pub fn fastest(whole: &Equilibrium, velocity: &[f64]) -> usize {
    let dim = whole.dim();
    let arm = whole.arm();
    let speed = |k: usize| {
        let of = velocity[dim * k..dim * (k + 1)].iter().enumerate();
        of.fold(0.0_f64, |m, (c, v)| {
            m.max(if whole.is_turn(c) { (arm * v).abs() } else { v.abs() })
        })
    };
    let best = (0..whole.bodies().len()).max_by(|a, b| speed(*a).total_cmp(&speed(*b)));
    best.map_or(0, |k| whole.bodies()[k].body)
}
