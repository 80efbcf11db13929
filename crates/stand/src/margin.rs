//! The largest λ for which forces balance w + λd, with both ends proved: forces at the lower, a mechanism at the upper.

use crate::equilibrium::{Equilibrium, power_of_two};
use crate::existence::{Balanced, balanced, given_limits, wide_limits};
use crate::explosion::{self, SelfStress};
use crate::program::{Cones, Ending, Forces, Velocities};
use crate::proof::forces::{ForceProof, LoadAt, check_forces, settle};
use crate::proof::mechanism::{Limits, check_bound};

/// Beyond this λ a margin counts as without end, in units in which the direction is as large as the load.
const ENDLESS: f64 = 1e6;
/// Share of a force limit that forces of programs may use: those inside are within less, so that a mix of both is within it.
pub(crate) const WITHIN: f64 = 1.0 - 1e-9;
/// How much of the inner forces is mixed in where those at the end lie on their cones.
const MIXES: [f64; 9] = [1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2];

/// Forces that balance a load, with their proof.
#[derive(Debug, Clone, PartialEq)]
pub struct ProvedForces {
    /// The λ at which they balance.
    pub lambda: f64,
    /// The forces.
    pub forces: Forces,
    /// What was proved.
    pub proof: ForceProof,
}

/// A margin: forces are proved to exist at `low`, and proved not to exist beyond `high`.
#[derive(Debug, Clone, PartialEq)]
pub struct Margin {
    /// Largest λ with proved forces.
    pub low: Option<ProvedForces>,
    /// Where the program put the end.
    pub estimate: f64,
    /// Least λ that a mechanism proves to be the end; infinite where there is none.
    pub high: f64,
    /// The mechanism, scaled so that its largest entry is 1.
    pub mechanism: Vec<f64>,
    /// Limits on forces under which the mechanism proves it.
    pub limits: Limits,
    /// Whether forces are proved to balance the direction alone, without a bounded row: then they balance any multiple of it.
    pub is_endless: bool,
    /// Iterations of the program.
    pub iterations: usize,
}

/// What is known of a structure before its margins are computed; it saves programs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// Forces inside their cones for the load itself.
    pub inner: Option<&'a Balanced>,
    /// A velocity that opens every contact.
    pub explosion: Option<&'a [f64]>,
}

/// A program whose multiplier of one row is λ.
pub(crate) struct Lambda<'a> {
    pub(crate) program: Velocities<'a>,
    /// The row.
    place: usize,
    /// A power of two: the direction times it is as large as the load.
    unit: f64,
}

impl Lambda<'_> {
    /// λ from multipliers.
    pub(crate) fn of(&self, z: &[f64]) -> f64 {
        self.unit * z[self.place]
    }

    fn counts_as_endless(&self, lambda: f64) -> bool {
        lambda > 0.5 * ENDLESS * self.unit
    }
}

/// The power of two that makes a direction as large as the load: what a margin is measured in. Torques count over the mean arm.
pub(crate) fn unit_of(whole: &Equilibrium, direction: &[f64]) -> f64 {
    let (dim, arm) = (whole.dim(), whole.arm());
    let largest = |list: &[f64]| {
        list.iter().enumerate().fold(0.0_f64, |m, (at, w)| {
            m.max(if whole.is_turn(at % dim) {
                w.abs() / arm
            } else {
                w.abs()
            })
        })
    };
    let (load, size) = (largest(whole.load()), largest(direction));
    power_of_two(if load > 0.0 { load } else { 1.0 }) / power_of_two(size)
}

/// max λ with forces for w + λd, as a program over velocities: min −w·v with d·v ≥ 1.
pub(crate) fn along<'a>(whole: &'a Equilibrium, direction: &[f64], cones: &Cones<'_>) -> Lambda<'a> {
    let unit = unit_of(whole, direction);
    let mut program = Velocities::new(whole, cones);
    program.set_load(whole.load());
    let t = program.rows.add_unknown(ENDLESS);
    program.rows.row([(t, -1.0)], 0.0);
    program.rows.are_not_negative(1);
    let place = program.rows.next();
    let entries = program.along(direction).into_iter().map(|(at, d)| (at, -unit * d));
    program.rows.row(entries.chain([(t, -1.0)]), -1.0);
    program.rows.are_not_negative(1);
    Lambda { program, place, unit }
}

/// The margin of a load w along a direction d.
#[must_use]
pub fn margin(whole: &Equilibrium, direction: &[f64], known: Known<'_>) -> Margin {
    let cones = Cones {
        limited: Some(WITHIN),
        ..Cones::default()
    };
    let along = along(whole, direction, &cones);
    let found = along.program.rows.solve();
    let mut margin = Margin {
        low: None,
        estimate: along.of(&found.z),
        high: f64::INFINITY,
        mechanism: Vec::new(),
        limits: Limits::default(),
        is_endless: false,
        iterations: found.iterations,
    };
    if found.ending != Ending::Solved {
        margin.estimate = f64::NAN;
        return margin;
    }
    let forces = along.program.forces(&found.z);
    let lambda = margin.estimate;
    margin.low = lower(whole, direction, (lambda.min(ENDLESS * along.unit), &forces), known);
    if along.counts_as_endless(lambda) {
        margin.is_endless = whole.force_limit().is_none() && balanced(&whole.recession(direction)).is_some();
    } else {
        let velocity = normalised(along.program.velocities(&found.x));
        upper(whole, direction, velocity, known, &mut margin);
    }
    margin
}

/// The largest entry becomes 1.
fn normalised(mut velocity: Vec<f64>) -> Vec<f64> {
    let largest = velocity.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest > 0.0 {
        let by = 1.0 / power_of_two(largest);
        for v in &mut velocity {
            *v *= by;
        }
    }
    velocity
}

fn lower(
    whole: &Equilibrium,
    direction: &[f64],
    (lambda, forces): (f64, &Forces),
    known: Known<'_>,
) -> Option<ProvedForces> {
    let try_at = |lambda: f64, forces: &Forces| {
        let load = LoadAt { lambda, direction };
        let forces = settle(whole, load, forces)?;
        let proof = check_forces(whole, load, &forces).ok()?;
        Some(ProvedForces { lambda, forces, proof })
    };
    if let Some(proved) = try_at(lambda, forces) {
        return Some(proved);
    }
    let inner = known.inner?;
    for theta in MIXES {
        if let Some(proved) = try_at((1.0 - theta) * lambda, &forces.mixed(&inner.forces, theta)) {
            return Some(proved);
        }
    }
    inner.proof.map(|proof| ProvedForces {
        lambda: 0.0,
        forces: inner.forces.clone(),
        proof,
    })
}

fn upper(whole: &Equilibrium, direction: &[f64], velocity: Vec<f64>, known: Known<'_>, margin: &mut Margin) {
    let (given, wide) = (given_limits(whole), wide_limits(whole));
    if let Ok(bound) = check_bound(whole, direction, &velocity, given) {
        (margin.high, margin.mechanism, margin.limits) = (bound, velocity, given);
        return;
    }
    let found;
    let explosion = match known.explosion {
        Some(explosion) => Some(explosion),
        None => match explosion::self_stress(whole) {
            SelfStress::None(explosion) => {
                found = explosion;
                Some(found.as_slice())
            }
            _ => None,
        },
    };
    for limits in [given, wide] {
        let accept = |v: &[f64]| check_bound(whole, direction, v, limits).is_ok();
        let strict = explosion.and_then(|explosion| explosion::shifted(whole, &velocity, explosion, accept));
        let strict = strict.or_else(|| accept(&velocity).then(|| velocity.clone()));
        if let Some(strict) = strict
            && let Ok(bound) = check_bound(whole, direction, &strict, limits)
        {
            (margin.high, margin.mechanism, margin.limits) = (bound, strict, limits);
            return;
        }
    }
    margin.mechanism = velocity;
}

/// What a pair of bodies does in a mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairMotion {
    /// Some of its contacts open, others stay closed.
    Hinge,
    /// It slips and stays closed.
    Slider,
    /// It opens altogether.
    Opens,
}

impl PairMotion {
    /// Name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hinge => "hinge",
            Self::Slider => "slider",
            Self::Opens => "opens",
        }
    }
}

/// Speed below which a contact stays closed or sticks in a mechanism, relative to the fastest.
const STAYS: f64 = 1e-5;

/// A pair of bodies and its contacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// Bodies.
    pub bodies: [usize; 2],
    /// Its contacts.
    pub contacts: Vec<usize>,
}

/// Contacts by pairs of bodies, in the order of their first contact.
#[must_use]
pub fn pairs(whole: &Equilibrium) -> Vec<Pair> {
    let mut found: Vec<Pair> = Vec::new();
    let mut place = std::collections::BTreeMap::new();
    for (j, contact) in whole.contacts().iter().enumerate() {
        let key = (contact.a.min(contact.b), contact.a.max(contact.b));
        let at = *place.entry(key).or_insert_with(|| {
            found.push(Pair {
                bodies: [contact.a, contact.b],
                contacts: Vec::new(),
            });
            found.len() - 1
        });
        found[at].contacts.push(j);
    }
    found
}

/// What the pairs of an equilibrium do in a motion: those that hinge, slip or open.
#[must_use]
pub fn pair_motions(whole: &Equilibrium, velocity: &[f64]) -> Vec<(Pair, PairMotion)> {
    if velocity.len() != whole.load().len() {
        return Vec::new();
    }
    let speeds: Vec<[f64; 3]> = (0..whole.contacts().len())
        .map(|j| whole.contact_velocity(j, velocity))
        .collect();
    let fastest = speeds.iter().flatten().fold(0.0_f64, |m, u| m.max(u.abs()));
    let least = STAYS * fastest;
    let mut motions = Vec::new();
    for pair in pairs(whole) {
        let (mut opens, mut slides) = (0, false);
        for j in &pair.contacts {
            let [n, x, y] = speeds[*j];
            let slip = libm::hypot(x, y);
            let mu = whole.contacts()[*j].friction;
            // A mechanism opens what slides by μ times its slip: more than that is a gap.
            let rides = if mu.is_finite() { mu * slip } else { 0.0 };
            if n > rides * (1.0 + STAYS) + least {
                opens += 1;
            } else if slip > least {
                slides = true;
            }
        }
        let motion = if slides {
            PairMotion::Slider
        } else if opens == pair.contacts.len() {
            PairMotion::Opens
        } else if opens > 0 {
            PairMotion::Hinge
        } else {
            continue;
        };
        motions.push((pair, motion));
    }
    motions
}
