//! Which value of a parameter is the least, or the largest, with which something stands: bisection with both ends proved.

use crate::equilibrium::Equilibrium;
use crate::error::StandError;
use crate::existence::{Existence, existence};

/// Two values whose difference is below this share of the interval are one.
const SAME: f64 = 1e-8;

/// A value and what is proved of it.
#[derive(Debug, Clone, PartialEq)]
pub struct End {
    /// The value.
    pub value: f64,
    /// Forces or a mechanism.
    pub existence: Existence,
}

/// Where the answer changes: forces at one end, a mechanism at the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The value at which forces are proved to exist.
    pub stands: End,
    /// The value at which a mechanism proves that none do.
    pub falls: End,
}

/// What was found of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Varied {
    /// Values looked at first, and whether forces exist there; `None`: undecided.
    pub samples: Vec<(f64, Option<bool>)>,
    /// Each change between neighbouring samples, made narrow.
    pub changes: Vec<Change>,
    /// What is known at the first value.
    pub first: Option<End>,
}

/// Looks at `count` values between two, both included, and narrows every change from one to the next. Nothing is assumed between samples.
///
/// # Errors
/// What makes an equilibrium of a value may fail.
pub fn vary<E: From<StandError>>(
    [from, to]: [f64; 2],
    count: usize,
    mut make: impl FnMut(f64) -> Result<Equilibrium, E>,
) -> Result<Varied, E> {
    let mut ends: Vec<End> = Vec::new();
    for k in 0..count.max(2) {
        let value = from + (to - from) * k as f64 / (count.max(2) - 1) as f64;
        ends.push(end(&mut make, value)?);
    }
    let samples = ends.iter().map(|end| (end.value, stands(&end.existence))).collect();
    let mut changes = Vec::new();
    for pair in ends.windows(2) {
        let change = match (stands(&pair[0].existence), stands(&pair[1].existence)) {
            (Some(true), Some(false)) => (pair[0].clone(), pair[1].clone()),
            (Some(false), Some(true)) => (pair[1].clone(), pair[0].clone()),
            _ => continue,
        };
        changes.push(narrowed(change, SAME * (to - from).abs(), &mut make)?);
    }
    Ok(Varied {
        samples,
        changes,
        first: ends.into_iter().next(),
    })
}

impl Varied {
    /// The first value, where forces are proved to exist there.
    #[must_use]
    pub fn none_needed(&self) -> Option<End> {
        self.first.clone().filter(|end| stands(&end.existence) == Some(true))
    }
}

fn stands(existence: &Existence) -> Option<bool> {
    match existence {
        Existence::Forces(balanced) => balanced.proof.map(|_| true),
        Existence::Mechanism { .. } => Some(false),
        Existence::Undecided { .. } => None,
    }
}

fn end<E: From<StandError>>(make: &mut impl FnMut(f64) -> Result<Equilibrium, E>, value: f64) -> Result<End, E> {
    Ok(End {
        value,
        existence: existence(&make(value)?),
    })
}

fn narrowed<E: From<StandError>>(
    (mut up, mut down): (End, End),
    same: f64,
    make: &mut impl FnMut(f64) -> Result<Equilibrium, E>,
) -> Result<Change, E> {
    while (up.value - down.value).abs() > same {
        let middle = end(make, 0.5 * (up.value + down.value))?;
        match stands(&middle.existence) {
            Some(true) => up = middle,
            Some(false) => down = middle,
            // So near the limit that neither is proved: both ends are looked for beside it.
            None => {
                let value = middle.value;
                let high = end(make, 0.5 * (up.value + value))?;
                let low = end(make, 0.5 * (down.value + value))?;
                let (h, l) = (stands(&high.existence), stands(&low.existence));
                if h != Some(true) || l != Some(false) {
                    break;
                }
                (up, down) = (high, low);
            }
        }
    }
    Ok(Change {
        stands: up,
        falls: down,
    })
}

/// Shares of friction that are looked at before a change is narrowed.
const SHARES: usize = 5;

/// The least share k of all friction coefficients, up to `most`, with which forces exist: μ becomes kμ.
///
/// # Errors
/// None of its own.
pub fn least_friction(whole: &Equilibrium, most: f64) -> Result<Varied, StandError> {
    vary([0.0, most], SHARES, |share| {
        let mut other = whole.clone();
        other.set_friction(|k, _| {
            let mu = whole.contacts()[k].friction;
            if mu.is_finite() { share * mu } else { mu }
        });
        Ok::<_, StandError>(other)
    })
}
