//! Everything that can be asked of one equilibrium at once.

use crate::equilibrium::{Equilibrium, norm};
use crate::error::StandError;
use crate::existence::{Balanced, Existence};
use crate::explosion::SelfStress;
use crate::limit::{limit, sampled};
use crate::margin::{Known, Pair, margin, pairs};
use crate::ranges::normal_range;
use crate::region::{Region, lean_region};
use crate::report::{Along, Friction, NamedMargin, Report};
use crate::vary::least_friction;
use crate::verdict::{Ask, Word, decide};

/// Pairs whose ranges are given where none is named: those that carry most.
const MOST_LOADED: usize = 10;
/// Largest factor on friction that is tried where a structure falls as it is.
const MOST_FRICTION: f64 = 16.0;

/// Pairs whose range of forces is requested.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Ranges {
    /// None.
    #[default]
    None,
    /// The ten that carry most.
    MostLoaded,
    /// One, by its bodies.
    Pair([usize; 2]),
}

/// What is asked in any level direction: how far gravity may lean, how hard the ground may accelerate. Both have one region, since the inertia of bodies pushes like gravity that leans.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Any {
    /// Leans: λ is their tangent.
    pub tilt: bool,
    /// Accelerations: λ counts in g.
    pub acceleration: bool,
}

impl Any {
    /// Names in files.
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        let asked = [(self.tilt, "tilt"), (self.acceleration, "acceleration")];
        asked
            .iter()
            .filter(|(asked, _)| *asked)
            .map(|(_, name)| *name)
            .collect()
    }

    /// Whether anything is asked.
    #[must_use]
    pub fn is_asked(self) -> bool {
        self.tilt || self.acceleration
    }
}

/// What is asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// Of the verdict.
    pub ask: Ask,
    /// Margins, with their names.
    pub margins: Vec<(String, Along)>,
    /// What is asked in any direction.
    pub any: Any,
    /// The least friction of all contacts.
    pub friction: bool,
    /// Ranges of forces.
    pub ranges: Ranges,
}

/// The part of a direction that is level, of length 1; `field` names the direction in errors.
///
/// # Errors
/// A direction along gravity, or no gravity.
pub fn level(field: &str, gravity: [f64; 3], axis: [f64; 3]) -> Result<[f64; 3], StandError> {
    let g = norm(gravity);
    let size = norm(axis);
    if g.is_nan() || g <= 0.0 {
        return Err(StandError::value(field, "must be asked where gravity acts", "none"));
    }
    let along: f64 = (0..3).map(|k| axis[k] * gravity[k]).sum::<f64>() / (g * g);
    let flat: [f64; 3] = std::array::from_fn(|k| axis[k] - along * gravity[k]);
    let length = norm(flat);
    if !(length > 1e-9 * size && length.is_finite()) {
        let found = format!("{axis:?}");
        return Err(StandError::value(
            field,
            "must be a direction that is not along gravity",
            found,
        ));
    }
    Ok(flat.map(|x| x / length))
}

/// Answers a question.
///
/// # Errors
/// A direction that means nothing; a contact problem that cannot be built.
pub fn answer(name: &str, whole: Equilibrium, question: &Question, ignored_speed: f64) -> Result<Report, StandError> {
    let verdict = decide(&whole, &question.ask)?;
    let is_squeezed = verdict.squeeze.is_some();
    let inner = match &verdict.existence {
        Existence::Forces(balanced) => Some(balanced),
        _ => None,
    };
    let explosion = match &verdict.self_stress {
        SelfStress::None(velocity) => Some(velocity.as_slice()),
        _ => None,
    };
    let stands = inner.is_some();
    let mut margins = Vec::new();
    if stands {
        for (name, along) in &question.margins {
            let direction = match along {
                Along::Tilt(axis) => {
                    check_leaning(&whole)?;
                    whole.lean(*axis)
                }
                Along::Acceleration(axis) => whole.lean(axis.map(|x| -x)),
                Along::Load { body, force, point } => whole.load_direction(*body, *force, *point)?,
            };
            if direction.iter().all(|d| *d == 0.0) {
                return Err(StandError::value("load", "must not be zero", "0,0,0"));
            }
            let known = Known { inner, explosion };
            let found = margin(&whole, &direction, known);
            // Where rest is not the only answer already, it has no limit.
            let rest_ends = match (verdict.word, &found.low, is_squeezed) {
                (Word::Stands, Some(low), false) if found.high.is_finite() => limit(&whole, &direction, low.lambda)?,
                (Word::Stands, Some(_), false) => sampled(&whole, &direction)?,
                _ => None,
            };
            margins.push(NamedMargin {
                name: name.clone(),
                along: along.clone(),
                direction,
                margin: found,
                limit: rest_ends,
            });
        }
    }
    let region = if stands && question.any.is_asked() && !whole.is_planar() {
        if question.any.tilt {
            check_leaning(&whole)?;
        }
        Some(any_lean(&whole)?)
    } else {
        None
    };
    let friction = if question.friction {
        Some(friction(&whole, stands)?)
    } else {
        None
    };
    let ranges = match inner {
        Some(balanced) => ranges(&whole, question, balanced)?,
        None => Vec::new(),
    };
    Ok(Report {
        name: name.to_owned(),
        whole,
        verdict,
        margins,
        region,
        any: question.any,
        friction,
        varied: None,
        ranges,
        ignored_speed,
    })
}

/// How far gravity may lean, or how hard the ground may accelerate, in any direction.
fn any_lean(whole: &Equilibrium) -> Result<Region, StandError> {
    let g = whole.gravity();
    let first = if g[0].abs() > 0.9 * norm(g) {
        [0.0, 1.0, 0.0]
    } else {
        [1.0, 0.0, 0.0]
    };
    let x = level("tilt", g, first)?;
    let up = g.map(|component| -component / norm(g));
    let y = [
        up[1] * x[2] - up[2] * x[1],
        up[2] * x[0] - up[0] * x[2],
        up[0] * x[1] - up[1] * x[0],
    ];
    Ok(lean_region(whole, [x, y]))
}

/// The pairs whose forces are requested: the force of each in the balanced forces, and its range.
fn ranges(
    whole: &Equilibrium,
    question: &Question,
    balanced: &Balanced,
) -> Result<Vec<(Pair, f64, [f64; 2])>, StandError> {
    let sum = |pair: &Pair| {
        pair.contacts
            .iter()
            .map(|j| balanced.forces.contacts[*j][0])
            .sum::<f64>()
    };
    let pairs = wanted(whole, &question.ranges, &sum)?.into_iter();
    let ranged = pairs.filter_map(|pair| {
        let range = normal_range(whole, &pair.contacts)?;
        let now = sum(&pair);
        Some((pair, now, range))
    });
    Ok(ranged.collect())
}

/// Leaning turns all loads, so they must be gravity.
fn check_leaning(whole: &Equilibrium) -> Result<(), StandError> {
    if whole.is_gravity_alone() {
        return Ok(());
    }
    let found = "other forces, which do not lean with it";
    Err(StandError::value(
        "tilt",
        "must be asked where gravity is the only load",
        found,
    ))
}

fn friction(whole: &Equilibrium, stands: bool) -> Result<Friction, StandError> {
    let mut all = whole
        .contacts()
        .iter()
        .filter(|contact| contact.joint.is_none())
        .map(|contact| contact.friction);
    let given = all
        .next()
        .filter(|mu| mu.is_finite() && *mu > 0.0 && all.all(|other| other == *mu));
    let varied = least_friction(whole, if stands { 1.0 } else { MOST_FRICTION })?;
    Ok(Friction {
        material: None,
        given,
        none: varied.none_needed(),
        change: varied.changes.into_iter().next(),
        samples: varied.samples,
    })
}

fn wanted(whole: &Equilibrium, ranges: &Ranges, sum: &dyn Fn(&Pair) -> f64) -> Result<Vec<Pair>, StandError> {
    let mut all = pairs(whole);
    match ranges {
        Ranges::None => Ok(Vec::new()),
        Ranges::MostLoaded => {
            all.sort_by(|a, b| sum(b).total_cmp(&sum(a)));
            all.truncate(MOST_LOADED);
            Ok(all)
        }
        Ranges::Pair([a, b]) => {
            all.retain(|pair| pair.bodies == [*a, *b] || pair.bodies == [*b, *a]);
            if all.is_empty() {
                let found = format!("{}|{}", whole.names()[*a], whole.names()[*b]);
                return Err(StandError::value("ranges", "must name two bodies that touch", found));
            }
            Ok(all)
        }
    }
}
