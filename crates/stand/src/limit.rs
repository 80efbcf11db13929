//! The load at which rest ends under Coulomb's law itself, where slip does not dilate: at or below the static limit λ*, and found, not proved.
//!
//! Two independent ways: the exact step at gap zero, which rests or moves, by bisection; and successive cones (Gilbert, Casapulla and Ahmed 2006, with round cones):
//! |T| ≤ (1 − a)μN_last + aμN, solved again with the forces found until λ settles.

use crate::equilibrium::Equilibrium;
use crate::error::StandError;
use crate::margin::{along, unit_of};
use crate::motion::Steps;
use crate::program::{Cones, Ending};

/// Share of the static limit at which rest means that there is no gap.
const FULL: f64 = 0.9999;
/// The two ways agree within this share of the static limit.
pub(crate) const AGREES: f64 = 2e-4;
const STEPS: usize = 14;
/// Loads that are sampled where forces are not known to end, and the first, relative to the load: tilts of 2° to 89.8°.
const SAMPLES: i32 = 14;
const FIRST_SAMPLE: f64 = 1.0 / 32.0;
/// Width to which sampled ends are narrowed, relative.
const NARROW: f64 = 1e-3;
/// Part of friction that follows the force of the pass.
const SHARE: f64 = 0.05;
/// How much of a pass's forces enters the next.
const MIX: f64 = 0.6;
const PASSES: usize = 40;
/// λ has settled, relative.
const SETTLED: f64 = 2e-6;

/// Where rest ends under the law itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// The exact step rests here.
    pub rests: f64,
    /// And moves here; infinite where it was not seen to move.
    pub moves: f64,
    /// What successive cones converge to; `None` where they were not needed or did not settle.
    pub cones: Option<f64>,
    /// Whether the two agree; where cones were not needed, true.
    pub agree: bool,
}

/// Whether the exact step rests under w + λd; `None`: not solved.
fn rests_at(whole: &Equilibrium, direction: &[f64], lambda: f64) -> Result<Option<bool>, StandError> {
    let load = whole.load().iter().zip(direction).map(|(w, d)| w + lambda * d);
    let loaded = whole.with_load(load.collect());
    Ok(Steps::new(&loaded)?.at_rest()?.map(|motion| !motion.moves))
}

/// Where forces are not known to end: the exact step at loads that grow by powers of two, then between the last that rests and the first that moves.
///
/// # Errors
/// A contact problem that cannot be built.
pub fn sampled(whole: &Equilibrium, direction: &[f64]) -> Result<Option<Limit>, StandError> {
    if whole.force_limit().is_some() {
        return Ok(None);
    }
    let unit = unit_of(whole, direction);
    let (mut low, mut high) = (0.0, f64::INFINITY);
    for k in 0..SAMPLES {
        let lambda = unit * FIRST_SAMPLE * libm::ldexp(1.0, k);
        match rests_at(whole, direction, lambda)? {
            Some(true) => low = lambda,
            Some(false) => {
                high = lambda;
                break;
            }
            None => break,
        }
    }
    if low == 0.0 && high.is_finite() && rests_at(whole, direction, 0.0)? != Some(true) {
        return Ok(None);
    }
    for _ in 0..STEPS {
        if !(high.is_finite() && high - low > NARROW * high) {
            break;
        }
        let probe = 0.5 * (low + high);
        match rests_at(whole, direction, probe)? {
            Some(true) => low = probe,
            Some(false) => high = probe,
            None => break,
        }
    }
    let is_seen = low > 0.0 || high.is_finite();
    Ok(is_seen.then_some(Limit {
        rests: low,
        moves: high,
        cones: None,
        agree: true,
    }))
}

/// Finds the limit of w + λd below a static limit.
///
/// # Errors
/// A contact problem that cannot be built.
pub fn limit(whole: &Equilibrium, direction: &[f64], most: f64) -> Result<Option<Limit>, StandError> {
    // The steps know of no force limit.
    if !(most.is_finite() && most > 0.0) || whole.force_limit().is_some() {
        return Ok(None);
    }
    let rests = |lambda: f64| rests_at(whole, direction, lambda);
    if rests(FULL * most)? == Some(true) {
        return Ok(Some(Limit {
            rests: FULL * most,
            moves: most,
            cones: None,
            agree: true,
        }));
    }
    let cones = successive_cones(whole, direction);
    let (mut low, mut high) = (0.0, most);
    if rests(0.0)? != Some(true) {
        return Ok(None);
    }
    // The other way's answer saves steps, and decides nothing.
    let guess = cones.filter(|cones| *cones < most);
    let mut probes: Vec<f64> = guess
        .into_iter()
        .flat_map(|x| [x - 1e-4 * most, x + 1e-4 * most])
        .rev()
        .collect();
    for _ in 0..STEPS {
        let probe = probes
            .pop()
            .filter(|x| low < *x && *x < high)
            .unwrap_or(0.5 * (low + high));
        match rests(probe)? {
            Some(true) => low = probe,
            Some(false) => high = probe,
            None => break,
        }
        if high - low <= 1.5e-4 * most {
            break;
        }
    }
    let agree = cones.is_some_and(|cones| cones >= low - AGREES * most && cones <= high + AGREES * most);
    Ok(Some(Limit {
        rests: low,
        moves: high,
        cones,
        agree,
    }))
}

/// λ by successive cones; `None` where a program fails or λ does not settle.
#[must_use]
pub fn successive_cones(whole: &Equilibrium, direction: &[f64]) -> Option<f64> {
    let first = along(whole, direction, &Cones::default());
    let found = first.program.rows.solve();
    if found.ending != Ending::Solved {
        return None;
    }
    let mut normal: Vec<f64> = first
        .program
        .forces(&found.z)
        .contacts
        .iter()
        .map(|f| f[0].max(0.0))
        .collect();
    let mut last = first.of(&found.z);
    let mut settled = 0;
    for _ in 0..PASSES {
        let caps: Vec<f64> = normal
            .iter()
            .zip(whole.contacts())
            .map(|(n, contact)| (1.0 - SHARE) * contact.friction * n)
            .collect();
        let cones = Cones {
            capped: Some((SHARE, &caps)),
            ..Cones::default()
        };
        let pass = along(whole, direction, &cones);
        let found = pass.program.rows.solve();
        if found.ending != Ending::Solved {
            return None;
        }
        let lambda = pass.of(&found.z);
        for (n, f) in normal.iter_mut().zip(pass.program.forces(&found.z).contacts) {
            *n = MIX * f[0].max(0.0) + (1.0 - MIX) * *n;
        }
        settled = if (lambda - last).abs() <= SETTLED * last.abs() {
            settled + 1
        } else {
            0
        };
        last = lambda;
        if settled == 2 {
            return Some(lambda);
        }
    }
    None
}
