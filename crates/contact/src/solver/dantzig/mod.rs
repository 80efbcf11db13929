//! Dantzig's method for contacts with friction \[Baraff 4, 5, 6\].
//!
//! In the paper's letters a = Af + b: accelerations and forces (velocities and impulses do as well). Conditions are established one after
//! the other and then kept: [`Dantzig::drive_to_zero`] raises one force until its acceleration is zero, [`Dantzig::fdirection`] says how
//! the other forces must answer, [`Dantzig::maxstep`] how far that may go. Index sets:
//!
//! * C, NC: normals clamped at a_N = 0, or unclamped at f_N = 0; the others are ignored so far.
//! * C_F: friction clamped at a_F = 0 ([`Rub::Held`], in space along one or two directions).
//! * NC⁺, NC⁻ in the plane, NC_F in space: friction at its limit μf_N along a recorded direction ([`Rub::Slide`]).
//! * Dynamic friction is f_F = −μf_N s/|s| for the given slip s \[Baraff (24)\], and needs no set.
//!
//! Joint rows are in C from the start and never leave \[Baraff 4.5\]. A is never formed: Δa follows from the change of the bodies' motion, so
//! that a step costs O(k²) for a system of k clamped conditions ([`kernel`]) and O(contacts) for Δa.
//!
//! In space the paper drives f_x, then f_y, and keeps the direction that friction had when it reached its limit: which one depends on the
//! order \[Baraff 5.6\]. Here the first direction driven is that against the acceleration, and the caller turns the friction of sliding
//! contacts against the acceleration at the end; with `as_published` all is as in the paper.
//!
//! Theorems cover the frictionless case alone. With friction, steps of length zero can alternate: a contact that goes back where it came
//! from is given up and visited again later, as in the paper, but only a few times; then the run ends ([`Stop`]), and another method
//! may start from its sets. A force that can be raised without bound means, with dynamic friction, that no finite force exists
//! ([`Stop::Unbounded`], \[Baraff 6\]).

mod conditions;
mod direction;
mod kernel;
mod maxstep;
mod report;
mod sets;

use crate::problem::ContactProblem;
use crate::solver::End;
use crate::solver::columns::Columns;
use kernel::{Clamp, Kernel};
use maxstep::Event;

/// Accelerations and forces within this share of the largest acceleration without contact count as zero.
const ZERO: f64 = 1e-12;
/// A normal that depends on C is left to the forces that hold it while its acceleration is above minus this share.
const SKIP: f64 = 1e-10;
/// A driven force counts as dependent on C when this share of its own effect is left.
const DEPENDENT: f64 = 1e-10;
/// Share of its limit by which friction may exceed it as rounding.
const BEYOND: f64 = 1e-9;
/// Steps between recomputations of forces and accelerations.
const REFRESH: usize = 20;
/// Steps allowed: this many times the number of contacts and joint rows plus 20; usual is 1 to 4.
const PIVOTS: usize = 40;
/// Times that a contact is given up and visited again.
const VISITS: u8 = 3;
/// Recomputations at the end of a run that may find a wrong sign.
const CORRECTIONS: usize = 20;

/// Which friction there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Rules {
    /// Contacts have friction.
    pub(crate) friction: bool,
    /// Contacts with slip are dynamic.
    pub(crate) dynamic: bool,
    /// In space: drive f_x, then f_y, and keep directions, as printed.
    pub(crate) as_published: bool,
}

/// Where a normal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Set {
    /// Not driven so far, or given up.
    #[default]
    Ignored,
    C,
    NC,
}

/// What the friction of a contact does.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Rub {
    /// There is none.
    #[default]
    Smooth,
    /// Given by the slip: this much along the tangents per normal force.
    Dynamic([f64; 2]),
    /// Not established so far, or given up: it stays what it is.
    Free,
    /// C_F: no acceleration along `e`, and where `both`, nor at right angles to it.
    Held { e: [f64; 2], both: bool },
    /// NC⁺, NC⁻, NC_F: μ f_N along this direction.
    Slide([f64; 2]),
}

/// One contact or joint row.
#[derive(Debug, Clone, Copy, Default)]
struct Contact {
    set: Set,
    rub: Rub,
    /// f_F and a_F along the tangents, and their change in a step.
    f: [f64; 2],
    a: [f64; 2],
    delta_f: [f64; 2],
    delta_a: [f64; 2],
    /// Depends on C: left to the forces that hold it. Forgotten when something leaves C.
    dependent: bool,
    /// Times given up.
    visits: u8,
    /// The last event, where only steps of length zero have been made since.
    last: Option<Event>,
}

/// Why a run ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// A contact has changed sets to and fro without a step too often.
    Alternates,
    /// Too many steps of length zero in a row.
    ZeroSteps,
    /// Too many steps.
    Pivots,
    /// The clamped conditions depend on each other.
    Singular,
    /// A step has no end without dynamic friction.
    Endless,
    /// Recomputed forces kept having wrong signs.
    Drift,
    /// A force can be raised without bound.
    Unbounded,
}

impl Stop {
    fn reason(self) -> &'static str {
        match self {
            Self::Alternates => "a contact changed sets to and fro without a step",
            Self::ZeroSteps => "too many steps of length zero",
            Self::Pivots => "too many steps",
            Self::Singular => "the clamped conditions became dependent",
            Self::Endless => "a step had no end without dynamic friction",
            Self::Drift => "recomputed forces kept having wrong signs",
            Self::Unbounded => "a force can be raised without bound",
        }
    }
}

/// A force that is driven.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Driven {
    /// Normal force of an item.
    Normal(usize),
    /// Friction of an item along a direction.
    Along(usize, [f64; 2]),
}

impl Driven {
    fn item(self) -> usize {
        match self {
            Self::Normal(i) | Self::Along(i, _) => i,
        }
    }
}

/// The method with its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dantzig {
    columns: Columns,
    kernel: Kernel,
    rules: Rules,
    contacts: Vec<Contact>,
    /// f_N, a_N and their changes, all in the units of the scaled columns.
    theta: Vec<f64>,
    nu: Vec<f64>,
    delta_theta: Vec<f64>,
    delta_nu: Vec<f64>,
    /// Motion of the bodies and its change.
    v: Vec<f64>,
    delta_v: Vec<f64>,
    b: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    /// Largest acceleration without contact.
    scale: f64,
    pivots: usize,
    refreshed_at: usize,
    zero_steps: usize,
    drive: Option<Driven>,
    /// Some contact has friction.
    rough: bool,
    /// Some contact remembers its last event.
    marked: bool,
    stop: Option<Stop>,
}

impl Dantzig {
    /// Steps of the last run.
    pub(crate) fn pivots(&self) -> usize {
        self.pivots
    }

    /// Why the last run ended without an answer.
    pub(crate) fn reason(&self) -> Option<&'static str> {
        self.stop.map(Stop::reason)
    }

    /// Runs the method. Its forces are the best it has, whatever the end.
    pub(crate) fn run(&mut self, problem: &ContactProblem, rules: Rules) -> End {
        self.stop = self.compute_forces(problem, rules).err();
        match self.stop {
            None => End::Answered,
            Some(Stop::Unbounded) => End::Unbounded,
            Some(_) => End::Limit,
        }
    }

    /// compute-forces: drives until every condition holds.
    fn compute_forces(&mut self, problem: &ContactProblem, rules: Rules) -> Result<(), Stop> {
        self.begin(problem, rules)?;
        let mut corrections = 0;
        loop {
            if self.pivots >= PIVOTS * (self.contacts.len() + 20) {
                return Err(Stop::Pivots);
            }
            if self.pivots >= self.refreshed_at + REFRESH {
                self.refresh()?;
            }
            if let Some(driven) = self.next() {
                self.drive_to_zero(driven)?;
            } else if self.pivots > self.refreshed_at {
                corrections += 1;
                if corrections > CORRECTIONS {
                    return Err(Stop::Drift);
                }
                self.refresh()?;
            } else {
                return Ok(());
            }
        }
    }

    /// f = 0, a = b, C = NC = ∅ but for the joints.
    fn begin(&mut self, problem: &ContactProblem, rules: Rules) -> Result<(), Stop> {
        self.rules = rules;
        self.columns.set(problem, 2, rules.dynamic && rules.friction);
        let count = self.columns.items.len();
        self.contacts.clear();
        for item in &self.columns.items {
            let rub = if item.drag != [0.0; 2] {
                Rub::Dynamic(item.drag)
            } else if item.is_joint || item.mu == 0.0 || !rules.friction {
                Rub::Smooth
            } else {
                Rub::Free
            };
            self.contacts.push(Contact {
                rub,
                ..Contact::default()
            });
        }
        for list in [&mut self.theta, &mut self.nu, &mut self.delta_theta, &mut self.delta_nu] {
            list.clear();
            list.resize(count, 0.0);
        }
        self.kernel.clear(&self.columns);
        self.pivots = 0;
        self.refreshed_at = 0;
        self.zero_steps = 0;
        self.drive = None;
        self.marked = false;
        self.rough = self.contacts.iter().any(|c| c.rub != Rub::Smooth);
        self.v.clear();
        self.v.extend_from_slice(&self.columns.k_x);
        self.delta_v.clear();
        self.delta_v.resize(self.v.len(), 0.0);
        self.measure();
        self.scale = f64::MIN_POSITIVE;
        for i in 0..count {
            if self.columns.comes_apart(i, self.nu[i]) {
                continue;
            }
            self.scale = self.scale.max(self.nu[i].abs());
            if !matches!(self.contacts[i].rub, Rub::Smooth | Rub::Dynamic(_)) {
                self.scale = self.scale.max(length(self.contacts[i].a));
            }
        }
        // [Baraff 4.5]; what depends on other rows was left out of the items.
        let mut any = false;
        for i in 0..count {
            if self.columns.items[i].is_joint {
                any |= self.clamp(i, Clamp::Normal { g: [0.0; 2] });
                self.contacts[i].set = Set::C;
            }
        }
        if any { self.refresh() } else { Ok(()) }
    }

    fn zero(&self) -> f64 {
        ZERO * self.scale
    }

    /// Something has moved: contacts may go back where they came from.
    fn forget_events(&mut self) {
        if self.marked {
            self.contacts.iter_mut().for_each(|c| c.last = None);
            self.marked = false;
        }
    }

    /// Raises a force until its acceleration is zero (a friction force: or until it is at its limit).
    fn drive_to_zero(&mut self, driven: Driven) -> Result<(), Stop> {
        let d = driven.item();
        self.drive = Some(driven);
        if matches!(driven, Driven::Normal(_)) {
            self.contacts[d].set = Set::Ignored;
        }
        self.zero_steps = 0;
        self.forget_events();
        loop {
            self.fdirection(driven);
            if self.pass_over(driven)? {
                return Ok(());
            }
            let Some((s, event)) = self.maxstep(driven) else {
                return Err(self.infinite_step(driven));
            };
            self.advance(driven, s);
            self.pivots += 1;
            let moves = s * self.largest_change() > 1e-3 * self.zero();
            if moves {
                self.zero_steps = 0;
                self.forget_events();
            } else {
                self.zero_steps += 1;
            }
            if self.zero_steps > 4 * (self.contacts.len() + 8) {
                return Err(Stop::ZeroSteps);
            }
            if self.pivots >= PIVOTS * (self.contacts.len() + 20) {
                return Err(Stop::Pivots);
            }
            if self.turns_back(event) {
                self.give_up(event)?;
                if event.item() == d {
                    return Ok(());
                }
                continue;
            }
            self.contacts[event.item()].last = Some(event);
            self.marked = true;
            if self.apply(driven, event)? {
                return Ok(());
            }
        }
    }
}

fn length(x: [f64; 2]) -> f64 {
    (x[0] * x[0] + x[1] * x[1]).sqrt()
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}
