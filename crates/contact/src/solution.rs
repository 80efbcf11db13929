//! What a solve returns: impulses, velocities, states, the residual that the judge found, and how it was reached.

use std::ops::AddAssign;

use crate::check::{Accuracy, Residual};

/// What must hold at a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Law {
    /// No friction: 0 ≤ ν ⟂ θ ≥ 0.
    Frictionless,
    /// Coulomb's law with the friction circle replaced by a polygon of d directions \[Lloyd 2\].
    Polyhedral,
    /// Coulomb's law with the round cone.
    #[default]
    Coulomb,
    /// Coulomb's law at acceleration level \[Baraff 5, 6\]: read force for impulse and acceleration for velocity. Contacts without slip
    /// are static and follow the round cone; friction of a contact with slip ([`set_slip`](crate::ContactProblem::set_slip)) is μθ
    /// against that slip, whatever the acceleration.
    CoulombAcceleration,
    /// As printed in \[Baraff (21)\]: friction of a static contact that starts to slide need not oppose the acceleration exactly, only
    /// not help it. Its direction then depends on the order of operations.
    CoulombAccelerationAsPublished,
    /// No slip where a contact is closed \[Drumwright VI\]: either ν = 0 and u_t = 0, with any friction, or θ = 0 and f = 0. As in the limit
    /// of Coulomb's law for infinite friction, a contact may also slip that is not pressed: one whose friction opposes the slip with 10⁶
    /// times the normal impulse or more.
    NoSlip,
    /// No dry friction; viscous friction f = −c u_t of the velocity at the end of the step \[Drumwright IV\], implicit.
    Viscous,
    /// As printed in \[Drumwright IV\]: viscous friction f = −c s of the slip s at the start of the step.
    ViscousExplicit,
    /// Coulomb's and viscous friction together \[Drumwright (14), (15)\], implicit: f = f_c − c u_t of the velocity at the end of the step, where f_c
    /// obeys Coulomb's law with the round cone.
    CoulombViscous,
    /// The same for forces at one moment: f = f_c − c s of the slip s that a contact has, where f_c obeys [`Law::CoulombAcceleration`].
    CoulombViscousAcceleration,
}

impl Law {
    /// Every law.
    pub const ALL: [Self; 10] = [
        Self::Frictionless,
        Self::Polyhedral,
        Self::Coulomb,
        Self::CoulombAcceleration,
        Self::CoulombAccelerationAsPublished,
        Self::NoSlip,
        Self::Viscous,
        Self::ViscousExplicit,
        Self::CoulombViscous,
        Self::CoulombViscousAcceleration,
    ];

    /// Laws of impulses over a step.
    pub const OF_IMPULSES: [Self; 7] = [
        Self::Frictionless,
        Self::Polyhedral,
        Self::Coulomb,
        Self::NoSlip,
        Self::Viscous,
        Self::ViscousExplicit,
        Self::CoulombViscous,
    ];

    /// Laws of forces at one moment ([`ContactProblem::at_acceleration`](crate::ContactProblem::at_acceleration)).
    pub const OF_FORCES: [Self; 5] = [
        Self::Frictionless,
        Self::CoulombAcceleration,
        Self::CoulombAccelerationAsPublished,
        Self::ViscousExplicit,
        Self::CoulombViscousAcceleration,
    ];

    /// Name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Frictionless => "frictionless",
            Self::Polyhedral => "polyhedral",
            Self::Coulomb => "coulomb",
            Self::CoulombAcceleration => "coulomb-acceleration",
            Self::CoulombAccelerationAsPublished => "coulomb-acceleration-as-published",
            Self::NoSlip => "no-slip",
            Self::Viscous => "viscous",
            Self::ViscousExplicit => "viscous-explicit",
            Self::CoulombViscous => "coulomb-viscous",
            Self::CoulombViscousAcceleration => "coulomb-viscous-acceleration",
        }
    }

    /// Whether the law knows no friction but dry friction: without it the law is [`Law::Frictionless`].
    pub(crate) fn is_dry(self) -> bool {
        !matches!(
            self,
            Self::NoSlip
                | Self::Viscous
                | Self::ViscousExplicit
                | Self::CoulombViscous
                | Self::CoulombViscousAcceleration
        )
    }

    /// Law of the dry part of the friction, where that and viscous friction act together.
    pub(crate) fn dry_part(self) -> Option<Self> {
        match self {
            Self::CoulombViscous => Some(Self::Coulomb),
            Self::CoulombViscousAcceleration => Some(Self::CoulombAcceleration),
            _ => None,
        }
    }

    /// Whether a contact may have friction without normal impulse.
    pub(crate) fn is_viscous(self) -> bool {
        matches!(self, Self::Viscous | Self::ViscousExplicit) || self.dry_part().is_some()
    }

    /// Whether the law speaks of forces and accelerations: contacts with slip are dynamic.
    #[must_use]
    pub fn is_acceleration(self) -> bool {
        matches!(
            self,
            Self::CoulombAcceleration | Self::CoulombAccelerationAsPublished | Self::CoulombViscousAcceleration
        )
    }
}

/// How an answer is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Lemke on the reduced contact LCP: friction enters when a contact first pushes \[Lloyd 5.3, TR App. D\].
    LemkeReduced,
    /// Lemke on the full contact LCP through the structural kernel \[Lloyd 5, TR App. A\].
    LemkeStructural,
    /// Lemke on the dense LCP \[Lloyd (8)\] through `stiction-lcp`.
    LemkeStandard,
    /// Semismooth Newton on the round cone's projection equations.
    NewtonCone,
    /// Dantzig's pivoting, contact after contact \[Baraff 4, 5, 6\].
    Dantzig,
    /// Principal pivoting with a factor no larger than the number of coordinates \[Drumwright algorithm 1\].
    PpmModified,
    /// Nonconvex groups by the largest value of their sides \[Egan IV, VI\]: a search over sides, each choice a convex problem.
    NonconvexMax,
    /// Nonconvex groups by the sum over their sides \[Egan V, VI\]: the LCP (34)–(35) by Lemke's method.
    NonconvexSum,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 8] = [
        Self::LemkeReduced,
        Self::LemkeStructural,
        Self::LemkeStandard,
        Self::NewtonCone,
        Self::Dantzig,
        Self::PpmModified,
        Self::NonconvexMax,
        Self::NonconvexSum,
    ];

    /// Name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LemkeReduced => "lemke_reduced",
            Self::LemkeStructural => "lemke_structural",
            Self::LemkeStandard => "lemke_standard",
            Self::NewtonCone => "newton_cone",
            Self::Dantzig => "dantzig",
            Self::PpmModified => "ppm_modified",
            Self::NonconvexMax => "nonconvex_max",
            Self::NonconvexSum => "nonconvex_sum",
        }
    }

    /// Where the method is described.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::LemkeReduced => "Lloyd 2005, 5.3 and TR App. D",
            Self::LemkeStructural => "Lloyd 2005, 5 and TR App. A",
            Self::LemkeStandard => "Lloyd 2005, 4 and (8)",
            Self::NewtonCone => "Alart and Curnier 1991; docs/DESIGN.md",
            Self::Dantzig => "Baraff 1994, 4, 5 and 6",
            Self::PpmModified => "Drumwright, V and algorithm 1",
            Self::NonconvexMax => "Egan, Berard and Trinkle, IV and VI",
            Self::NonconvexSum => "Egan, Berard and Trinkle, V, VI and (34)-(35)",
        }
    }

    /// Laws that the method answers.
    #[must_use]
    pub fn laws(self) -> &'static [Law] {
        match self {
            Self::LemkeReduced | Self::LemkeStructural | Self::LemkeStandard => &[
                Law::Frictionless,
                Law::Polyhedral,
                Law::NoSlip,
                Law::Viscous,
                Law::ViscousExplicit,
            ],
            Self::NewtonCone => &[
                Law::Frictionless,
                Law::Coulomb,
                Law::CoulombAcceleration,
                Law::NoSlip,
                Law::Viscous,
                Law::ViscousExplicit,
                Law::CoulombViscous,
                Law::CoulombViscousAcceleration,
            ],
            Self::Dantzig => &[
                Law::Frictionless,
                Law::Coulomb,
                Law::CoulombAcceleration,
                Law::CoulombAccelerationAsPublished,
                Law::NoSlip,
                Law::Viscous,
                Law::ViscousExplicit,
                Law::CoulombViscous,
                Law::CoulombViscousAcceleration,
            ],
            Self::PpmModified => &[Law::Frictionless, Law::NoSlip, Law::Viscous, Law::ViscousExplicit],
            Self::NonconvexMax => &Law::ALL,
            Self::NonconvexSum => &[Law::Frictionless, Law::Polyhedral],
        }
    }

    /// What the method guarantees.
    #[must_use]
    pub fn guarantees(self) -> &'static str {
        match self {
            Self::LemkeReduced => "finite; ends solved where no bias asks contacts to squeeze; cost set by bodies",
            Self::LemkeStructural => "finite; Lemke's path on the full problem; cost linear in contacts",
            Self::LemkeStandard => "finite; exact fallbacks of the LCP library; cost cubic in contacts",
            Self::NewtonCone => "none in theory; every answer is judged on the round cone",
            Self::Dantzig => {
                "finite without friction; with friction zero-length steps are bounded, then Lemke takes over"
            }
            Self::PpmModified => {
                "cycles are noticed and handed to a ratio test; cost cubic in coordinates, linear in contacts"
            }
            Self::NonconvexMax => {
                "least impulse without friction, else the least found; a bounded search that says when it was cut short"
            }
            Self::NonconvexSum => "none in theory; contacts may push that do not touch, corners are cut by epsilon",
        }
    }
}

/// How a solve ended. Only the judge says [`Status::Solved`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Status {
    /// The judge's residual is within the tolerance.
    Solved,
    /// Lemke's path ended on a ray: internal forces that squeeze without bound, see [`ContactSolution::ray`].
    Ray,
    /// The limit on pivots or Newton steps was reached.
    PivotLimit,
    /// The method ended, and the judge does not accept its answer.
    #[default]
    Inaccurate,
    /// The polygon's answer is right, and the round cone was not reached. Impulses are the best found.
    NotRound,
    /// Dantzig's method can raise a force without bound, see [`ContactSolution::drive`]: with dynamic friction no finite force may exist
    /// (Painlevé), and an impulse is needed \[Baraff 6\].
    UnboundedDrive,
    /// The nonconvex groups have no answer: all choices of sides were tried, and with friction all states of contacts, see [`crate::has_answer`].
    NoSide,
    /// The limit on choices of sides, see [`Stats::choices`], or on states was reached without an answer; there may be one.
    SearchLimit,
}

impl Status {
    /// Name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::Ray => "ray",
            Self::PivotLimit => "pivot_limit",
            Self::Inaccurate => "inaccurate",
            Self::NotRound => "not_round",
            Self::UnboundedDrive => "unbounded_drive",
            Self::NoSide => "no_side",
            Self::SearchLimit => "search_limit",
        }
    }
}

/// What a contact does at the end of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ContactState {
    /// No impulse.
    #[default]
    Separating,
    /// Pushes and does not slide.
    Sticking,
    /// Pushes and slides; friction opposes the slip with its full strength.
    Sliding,
}

impl ContactState {
    /// Name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Separating => "separating",
            Self::Sticking => "sticking",
            Self::Sliding => "sliding",
        }
    }
}

/// Work of several solves: every pass over the islands, every run of a method and every choice of sides counts, whatever became of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Contact problems solved.
    pub solves: usize,
    /// Passes over the islands of these problems ([`Stats::passes`]).
    pub passes: usize,
    /// Newton steps.
    pub newton_steps: usize,
    /// Factorisations of Newton's matrices and of systems of joint rows.
    pub factorisations: usize,
    /// Pivots.
    pub pivots: usize,
    /// Runs of a method after the first on an island ([`Stats::fallbacks`]), and warm starts given up for a cold start.
    pub fallbacks: usize,
    /// Floating-point operations of factorisations and pivots, by estimate ([`Stats::operations`]).
    pub operations: u64,
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.solves += other.solves;
        self.passes += other.passes;
        self.newton_steps += other.newton_steps;
        self.factorisations += other.factorisations;
        self.pivots += other.pivots;
        self.fallbacks += other.fallbacks;
        self.operations = self.operations.saturating_add(other.operations);
    }
}

impl Work {
    /// Adds one solve, with the warm starts given up in all its passes.
    pub(crate) fn add(&mut self, stats: &Stats, warm_fallbacks: usize) {
        *self += Self {
            solves: 1,
            passes: stats.passes,
            newton_steps: stats.newton_steps,
            factorisations: stats.factorisations,
            pivots: stats.pivots,
            fallbacks: stats.fallbacks + warm_fallbacks,
            operations: stats.operations,
        };
    }
}

/// Counts of one solve. Those of work are sums over all passes; islands and warm starts are those of the last pass.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stats {
    /// Passes over the islands: 1, and more where contacts that were left open between islands turned out to close.
    pub passes: usize,
    /// Pivots of all runs of pivoting methods.
    pub pivots: usize,
    /// Newton steps of all runs.
    pub newton_steps: usize,
    /// Factorisations: fewer than Newton steps where a step meets the matrix of the step before.
    pub factorisations: usize,
    /// Floating-point operations of factorisations and pivots, by estimate: counted, never timed.
    pub operations: u64,
    /// Times that a method met a cycle or too many steps of length zero and handed its sets to another.
    pub handovers: usize,
    /// Why the last of them happened.
    pub handover_reason: Option<&'static str>,
    /// Methods in the order in which they ran; the last gave the answer.
    pub methods: Vec<Method>,
    /// Runs after the first because the judge was not content with the earlier.
    pub fallbacks: usize,
    /// Islands that the problem falls into.
    pub islands: usize,
    /// Islands that started from a previous solution.
    pub warm_starts: usize,
    /// Warm starts given up for a cold start.
    pub warm_fallbacks: usize,
    /// Islands that moved in the first answer found and stay at rest in this one: several answers are lawful there
    /// ([`ContactProblem::set_at_rest`](crate::ContactProblem::set_at_rest)).
    pub rest_preferred: usize,
    /// Choices of sides that were solved for nonconvex groups.
    pub choices: usize,
    /// The limit on them was reached: an answer with less impulse may exist.
    pub choices_cut: bool,
}

/// Internal forces found where Lemke's path ended on a ray: they push on the contacts, cancel in every body, and gain from the
/// bias without bound.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ray {
    /// Contacts that carry the squeeze, with their normal impulse in the ray's scale (largest 1).
    pub contacts: Vec<(usize, f64)>,
    /// Joint rows that carry it.
    pub joints: Vec<(usize, f64)>,
    /// bᵀθ of the ray, negative: by this the bias asks for the impossible.
    pub work: f64,
    /// No velocity satisfies the contacts: the impulses of [`proof`](Self::proof) have been checked in rationals.
    pub infeasible: bool,
    /// Speed that any velocity must have at least to satisfy the contacts, of all blocks together [m/s, rad/s]: huge where the normal impulses
    /// cancel to rounding; computed in rationals ([`check::least_speed`](crate::check::least_speed)). 0 where friction takes part: the contacts jam,
    /// and a solution may exist that Lemke did not find. Infinite beside a proof.
    pub least_speed: f64,
    /// Largest net impulse left by the squeeze, relative: how well it cancels.
    pub defect: f64,
    /// Normal and joint impulses that cancel exactly while the bias gains from them; `None` where nothing is proven.
    pub proof: Option<Farkas>,
}

impl Ray {
    /// The same with other indices.
    pub(crate) fn renamed(&self, contacts: impl Fn(usize) -> usize, joints: impl Fn(usize) -> usize) -> Self {
        fn all<T: Clone>(list: &[(usize, T)], name: impl Fn(usize) -> usize) -> Vec<(usize, T)> {
            list.iter().map(|(i, x)| (name(*i), x.clone())).collect()
        }
        Self {
            contacts: all(&self.contacts, &contacts),
            joints: all(&self.joints, &joints),
            proof: self.proof.as_ref().map(|proof| Farkas {
                contacts: all(&proof.contacts, &contacts),
                joints: all(&proof.joints, &joints),
            }),
            ..*self
        }
    }
}

/// A Farkas vector: impulses in rationals, as text such as `5/6`, the largest 1. They cancel in every body, those of contacts push, and bᵀ(θ, λ) < 0, so
/// that no velocity satisfies the contacts and joint rows listed. [`check::proof_holds`](crate::check::proof_holds) reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Farkas {
    /// Contacts, with their normal impulse.
    pub contacts: Vec<(usize, String)>,
    /// Joint rows, with their impulse.
    pub joints: Vec<(usize, String)>,
}

/// Direction in which Dantzig's method can raise the forces without bound: that of an impulse \[Baraff 6\].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drive {
    /// The contact that was driven.
    pub driven: usize,
    /// Contacts whose force grows, with the change of their normal force, the largest 1, and of their friction along the tangents.
    pub contacts: Vec<(usize, f64, [f64; 2])>,
    /// Joint rows whose force changes.
    pub joints: Vec<(usize, f64)>,
}

/// The compression of a bounce after Poisson: impulses that solve the problem without restitution. The normal impulses of the whole bounce are at least
/// (1 + e)θ_c ([`check::check_bounce`](crate::check::check_bounce)).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Compression {
    /// Normal impulse θ_c of each contact [N·s].
    pub normal_impulse: Vec<f64>,
    /// Friction impulse of each contact along its two tangents [N·s].
    pub friction_impulse: Vec<[f64; 2]>,
    /// Polyhedral law: impulse φ along each friction direction, d for each contact; else empty.
    pub phi: Vec<f64>,
    /// Impulse of each joint row [N·s].
    pub joint_impulse: Vec<f64>,
}

/// Impulses and velocities of a contact problem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContactSolution {
    /// How the solve ended.
    pub status: Status,
    /// The law that was requested and judged.
    pub law: Law,
    /// Normal impulse θ of each contact [N·s].
    pub normal_impulse: Vec<f64>,
    /// Friction impulse of each contact along its two tangents [N·s].
    pub friction_impulse: Vec<[f64; 2]>,
    /// Polyhedral law: impulse φ along each friction direction, d for each contact; else empty.
    pub phi: Vec<f64>,
    /// Directions d of the polyhedral law; 0 otherwise.
    pub directions: usize,
    /// Impulse of each joint row [N·s].
    pub joint_impulse: Vec<f64>,
    /// The compression, where contacts bounced after Poisson ([`set_restitution`](crate::ContactProblem::set_restitution)): the evidence by which
    /// anyone can judge the whole impulses.
    pub compression: Option<Compression>,
    /// Velocity of all blocks, in the problem's coordinates.
    pub velocity: Vec<f64>,
    /// Velocity at each contact: normal and tangents, bias included [m/s].
    pub contact_velocity: Vec<[f64; 3]>,
    /// State of each contact.
    pub state: Vec<ContactState>,
    /// Whether a contact's impulse is the only one possible for this motion; empty until
    /// [`find_unique`](crate::ContactSolver::find_unique) has been asked.
    pub unique: Vec<bool>,
    /// What the judge found.
    pub residual: Residual,
    /// Whether the residual is within the tolerance as it is, or only beyond rounding; `None` where the status is not `Solved`.
    pub accuracy: Option<Accuracy>,
    /// The squeeze where a path ended on a ray.
    pub ray: Option<Ray>,
    /// The direction of an impulse where the status is [`Status::UnboundedDrive`].
    pub drive: Option<Drive>,
    /// How the answer was reached.
    pub stats: Stats,
}
