//! What a solve returns: impulses, velocities, states, the residual that the judge found, and how it was reached.

use crate::check::Residual;

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
}

impl Law {
    /// Every law.
    pub const ALL: [Self; 3] = [Self::Frictionless, Self::Polyhedral, Self::Coulomb];

    /// Name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Frictionless => "frictionless",
            Self::Polyhedral => "polyhedral",
            Self::Coulomb => "coulomb",
        }
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
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 4] = [
        Self::LemkeReduced,
        Self::LemkeStructural,
        Self::LemkeStandard,
        Self::NewtonCone,
    ];

    /// Name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LemkeReduced => "lemke_reduced",
            Self::LemkeStructural => "lemke_structural",
            Self::LemkeStandard => "lemke_standard",
            Self::NewtonCone => "newton_cone",
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
        }
    }

    /// Laws that the method answers.
    #[must_use]
    pub fn laws(self) -> &'static [Law] {
        match self {
            Self::LemkeReduced | Self::LemkeStructural | Self::LemkeStandard => &[Law::Frictionless, Law::Polyhedral],
            Self::NewtonCone => &[Law::Frictionless, Law::Coulomb],
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

/// Counts of one solve.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stats {
    /// Pivots of all Lemke runs.
    pub pivots: usize,
    /// Newton steps of all runs.
    pub newton_steps: usize,
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
    /// The normal impulses alone cancel exactly: no velocity satisfies the contacts (Farkas), proven in rationals.
    pub infeasible: bool,
    /// Speed that any velocity must exceed to satisfy the contacts [m/s]: huge where the normal impulses cancel to rounding. 0
    /// where friction takes part: the contacts jam, and a solution may exist that Lemke did not find.
    pub least_speed: f64,
    /// Largest net impulse left by the squeeze, relative: how well it cancels.
    pub defect: f64,
}

/// Impulses and velocities of a contact problem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContactSolution {
    /// How the solve ended.
    pub status: Status,
    /// The law that was asked for and judged.
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
    /// The squeeze where a path ended on a ray.
    pub ray: Option<Ray>,
    /// How the answer was reached.
    pub stats: Stats,
}
