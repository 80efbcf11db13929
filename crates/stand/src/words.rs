//! A report in words: what holds, by what margin, and what gives way first.

use std::fmt::Write as _;

use crate::equilibrium::Equilibrium;
use crate::existence::{Balanced, Existence};
use crate::explosion::SelfStress;
use crate::limit::Limit;
use crate::margin::{Pair, PairMotion, pair_motions};
use crate::proof::mechanism::Limits;
use crate::region::Region;
use crate::report::{Along, Friction, NamedMargin, Report, degrees};
use crate::vary::{Change, Varied};
use crate::verdict::{Only, Verdict, Word};

/// Pairs that are named before the rest is counted.
const NAMED: usize = 6;

/// Counts with their noun.
fn counted(n: usize, one: &str, many: &str) -> String {
    if n == 1 {
        format!("1 {one}")
    } else {
        format!("{n} {many}")
    }
}

/// A number with so many significant digits, without trailing zeros.
#[must_use]
pub fn digits(x: f64, significant: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let exponent = libm::floor(libm::log10(x.abs()));
    if !(-4.0..9.0).contains(&exponent) {
        let text = format!("{x:.*e}", significant - 1);
        return match text.split_once('e') {
            Some((m, e)) if m.contains('.') => format!("{}e{e}", m.trim_end_matches('0').trim_end_matches('.')),
            _ => text,
        };
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let places = (significant as f64 - 1.0 - exponent).max(0.0) as usize;
    let text = format!("{x:.places$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The common digits of two numbers and how they go on: `0.0045789460…1`; far from 1 with their power of ten: `1.177200…1e7`.
#[must_use]
pub fn between(low: f64, high: f64) -> String {
    let plain = (1e-3..1e4).contains(&high.abs());
    let (a, b) = if plain {
        (format!("{low:.12}"), format!("{high:.12}"))
    } else {
        (format!("{low:.12e}"), format!("{high:.12e}"))
    };
    let (a, power) = a.split_once('e').unwrap_or((&a, "0"));
    let (b, other) = b.split_once('e').unwrap_or((&b, "0"));
    let tail = if power == "0" {
        String::new()
    } else {
        format!("e{power}")
    };
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    if power == other && same == a.len() {
        return format!("{a}{tail}");
    }
    if power != other || same < 3 {
        return format!("{} to {}", digits(low, 7), digits(high, 7));
    }
    let next = |text: &str| text.get(same..=same).unwrap_or("").to_owned();
    format!("{}{}…{}{tail}", &a[..same], next(a), next(b))
}

/// Ends that differ by less than this share are one number in words.
const NARROW: f64 = 1e-3;

/// The ends of a margin: one number where they are close, both where they are not.
fn ends(low: f64, high: f64, along: &Along, show: &dyn Fn(f64) -> String) -> String {
    let gap = match along {
        Along::Tilt(_) => format!("{:.0e}", high - low),
        _ => format!("{:.0e} of it", (high - low) / high.abs()),
    };
    let tan = match along {
        Along::Tilt(_) => "tan ",
        _ => "",
    };
    if high - low > NARROW * high.abs() {
        return format!(
            "between {} and {}: forces are proved up to the first, and it falls beyond the second, proved ({tan}{}, gap {gap})",
            show(low),
            show(high),
            between(low, high)
        );
    }
    format!(
        "{}: beyond it falls, proved ({tan}{}, gap {gap})",
        show(low),
        between(low, high)
    )
}

impl Report {
    /// The report as lines of text.
    #[must_use]
    pub fn words(&self) -> String {
        let (whole, verdict) = (&self.whole, &self.verdict);
        let contacts = whole
            .contacts()
            .iter()
            .filter(|contact| contact.joint.is_none())
            .count();
        let mut text = format!(
            "{}: {}, {}",
            self.name,
            counted(whole.bodies().len(), "body that can move", "bodies that can move"),
            counted(contacts, "contact", "contacts")
        );
        if !whole.rows().is_empty() {
            let _ = write!(text, ", {}", counted(whole.rows().len(), "joint row", "joint rows"));
        }
        text.push('\n');
        if self.ignored_speed > 0.0 {
            let speed = digits(self.ignored_speed, 3);
            let _ = writeln!(text, "tests the pose only: velocities up to {speed} m/s are ignored");
        }
        let mut line = |name: &str, rest: &str| {
            // A long name keeps a space after it.
            let _ = writeln!(text, "{name:<12} {rest}");
        };
        let (word, first) = headline(whole, verdict);
        line(word, &first);
        for more in details(whole, verdict) {
            line("", &more);
        }
        for margin in &self.margins {
            for (k, sentence) in margin_words(whole, margin).iter().enumerate() {
                line(
                    if k == 0 { margin_name(margin) } else { String::new() }.as_str(),
                    sentence,
                );
            }
        }
        if let Some(region) = &self.region {
            if self.any.tilt {
                line(
                    "tilt any",
                    &region_words(region, &|x| format!("{}°", digits(degrees(x), 4))),
                );
            }
            if self.any.acceleration {
                line(
                    "acceleration any",
                    &region_words(region, &|x| format!("{} g", digits(x, 4))),
                );
            }
        }
        if let Some(friction) = &self.friction {
            line("friction", &friction_words(friction));
        }
        if let Some((key, varied)) = &self.varied {
            for sentence in varied_words(key, varied) {
                line("vary", &sentence);
            }
        }
        for (pair, now, [low, high]) in &self.ranges {
            let range = if high.is_finite() {
                let same = high - low <= 1e-7 * high.abs().max(1e-12);
                if same {
                    format!("N {} N, the only value", digits(*low, 5))
                } else {
                    format!(
                        "N {} … {} N; the forces of the proof have {}",
                        digits(*low, 4),
                        digits(*high, 4),
                        digits(*now, 4)
                    )
                }
            } else {
                format!("N from {} N without end: it can be wedged", digits(*low, 4))
            };
            line("could be", &format!("{}: {range}", pair_name(whole, pair)));
        }
        text
    }
}

fn margin_name(margin: &NamedMargin) -> String {
    match margin.along {
        Along::Tilt(_) => format!("tilt {}", margin.name),
        Along::Acceleration(_) => format!("acceleration {}", margin.name),
        Along::Load { .. } => format!("load {}", margin.name),
    }
}

/// The word and its first line.
fn headline(whole: &Equilibrium, verdict: &Verdict) -> (&'static str, String) {
    match verdict.word {
        Word::Stands if verdict.balance.is_some() => (
            "BALANCES",
            "forces proved for this exact pose alone: the slightest push fells it".to_owned(),
        ),
        Word::Stands => ("STANDS", stands(whole, verdict)),
        Word::Falls => ("FALLS", "proved: no contact forces balance the loads".to_owned()),
        Word::MayFall => (
            "MAY FALL",
            format!(
                "rest is one lawful answer, {} another (both verified)",
                verdict.motion.as_ref().map_or_else(String::new, |motion| {
                    let rate = motion.speed / crate::motion::STEP;
                    format!("a motion that begins with {} m/s²", digits(rate, 3))
                })
            ),
        ),
        Word::Undecided => (
            "UNDECIDED",
            verdict
                .reason
                .unwrap_or("neither forces nor a mechanism could be proved")
                .to_owned(),
        ),
    }
}

fn stands(whole: &Equilibrium, verdict: &Verdict) -> String {
    if whole.bodies().is_empty() {
        return "nothing can move".to_owned();
    }
    match &verdict.only {
        Some(Only::NormalForces(_)) => {
            "proved, and rest is the only answer: normal forces alone carry the loads".to_owned()
        }
        None => {
            let tries = &verdict.tries;
            let mut text = format!(
                "forces proved; no other motion found ({}, {})",
                counted(tries.drops, "drop", "drops"),
                counted(tries.nudges, "nudge", "nudges")
            );
            let unpolished = tries.moved.iter().filter(|moved| !moved.lawful).count();
            if unpolished > 0 {
                let _ = write!(
                    text,
                    "; {} moved, and no motion was found without the gaps",
                    counted(unpolished, "try", "tries")
                );
            }
            if tries.beyond > 0 {
                let _ = write!(
                    text,
                    "; {} came to rest with a force beyond the limit",
                    counted(tries.beyond, "try", "tries")
                );
            }
            if tries.unsolved > 0 {
                let _ = write!(text, "; {} not solved", counted(tries.unsolved, "try", "tries"));
            }
            text
        }
    }
}

fn details(whole: &Equilibrium, verdict: &Verdict) -> Vec<String> {
    let mut lines = Vec::new();
    match verdict.word {
        Word::Falls => {
            if let Existence::Mechanism { velocity, limits } = &verdict.existence {
                lines.push(format!(
                    "mechanism, checked without rounding: {}",
                    motion_words(whole, velocity)
                ));
                lines.extend(under(*limits));
            }
            if let Some(motion) = &verdict.motion {
                lines.push(format!(
                    "how it begins to fall: {}",
                    motion_words(whole, &motion.velocity)
                ));
            }
        }
        Word::MayFall => {
            if let Some(motion) = &verdict.motion {
                lines.push(format!(
                    "in the other answer: {}",
                    motion_words(whole, &motion.velocity)
                ));
                if let Existence::Forces(balanced) = &verdict.existence {
                    lines.extend(dropped(whole, &balanced.forces.contacts, &motion.forces.contacts));
                }
            }
            lines.push(match verdict.self_stress {
                SelfStress::Some(_) => {
                    "it holds only if something squeezes it: give the squeeze as a load or a motor, or a ledge"
                        .to_owned()
                }
                _ => "its assembly history decides which happens; give what holds it as a load, or a ledge".to_owned(),
            });
        }
        _ => {}
    }
    if let Some(balance) = &verdict.balance {
        lines.push(format!(
            "displaced by {} m along what nothing resists, \"{}\" moves on",
            digits(crate::balance::DISPLACED * whole.arm(), 2),
            whole.names()[balance.body]
        ));
    }
    lines.extend(terms(whole, verdict));
    for moved in &verdict.tries.moved {
        let lawful = if moved.lawful {
            format!("\"{}\" moves", whole.names()[moved.body])
        } else {
            "it moves, but no motion was found without the gaps".to_owned()
        };
        lines.push(format!(
            "{} {}: {lawful} at {} m/s after {} s",
            moved.kind,
            moved.seed,
            digits(moved.speed, 3),
            crate::motion::STEP
        ));
    }
    if let (Some(reason), true) = (verdict.reason, verdict.word != Word::Undecided) {
        lines.push(reason.to_owned());
    }
    lines
}

/// On what terms forces are proved: who commands them, and how closely they balance.
fn terms(whole: &Equilibrium, verdict: &Verdict) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(squeeze) = &verdict.squeeze {
        let names: Vec<String> = squeeze
            .bodies
            .iter()
            .map(|body| format!("\"{}\"", whole.names()[*body]))
            .collect();
        let least = squeeze.least.map_or_else(
            || "no least squeeze was found".to_owned(),
            |least| format!("{} N at least by the hardest", digits(least, 5)),
        );
        lines.push(format!(
            "squeezed by {}: taken to command the forces of {}; {least}",
            names.join(", "),
            counted(squeeze.contacts.len(), "contact", "contacts"),
        ));
    }
    if let Existence::Forces(Balanced { proof: Some(proof), .. }) = &verdict.existence
        && proof.slack > 0.0
    {
        lines.push(format!(
            "contacts cannot take every load: this one they balance to within {} N, which is rounding of the scene",
            digits(proof.slack, 2)
        ));
    }
    lines
}

fn under(limits: Limits) -> Option<String> {
    let least = limits.contact.min(limits.joint);
    least
        .is_finite()
        .then(|| format!("for forces up to {} N each", digits(least, 3)))
}

/// Pairs whose normal force falls most from rest to motion.
fn dropped(whole: &Equilibrium, rest: &[[f64; 3]], motion: &[[f64; 3]]) -> Vec<String> {
    let sum = |pair: &Pair, of: &[[f64; 3]]| pair.contacts.iter().map(|j| of[*j][0]).sum::<f64>();
    let mut falls: Vec<(f64, Pair)> = crate::margin::pairs(whole)
        .into_iter()
        .map(|pair| (sum(&pair, rest) - sum(&pair, motion), pair))
        .collect();
    falls.sort_by(|a, b| b.0.total_cmp(&a.0));
    let told = falls.iter().take(2).filter(|(fall, _)| *fall > 0.0);
    told.map(|(_, pair)| {
        format!(
            "{}: N {} N at rest, {} N in the other answer",
            pair_name(whole, pair),
            digits(sum(pair, rest), 4),
            // What rounding leaves is nothing.
            digits(
                if sum(pair, motion).abs() < 1e-9 * sum(pair, rest).abs() {
                    0.0
                } else {
                    sum(pair, motion)
                },
                4
            )
        )
    })
    .collect()
}

fn pair_name(whole: &Equilibrium, pair: &Pair) -> String {
    let [a, b] = pair.bodies.map(|body| whole.names()[body].as_str());
    format!("{b}|{a}")
}

/// Hinges, sliders and what opens.
#[must_use]
pub fn motion_words(whole: &Equilibrium, velocity: &[f64]) -> String {
    let motions = pair_motions(whole, velocity);
    if motions.is_empty() {
        let dim = whole.dim();
        let largest = (0..whole.bodies().len()).max_by(|a, b| {
            let size = |k: usize| {
                velocity[dim * k..dim * (k + 1)]
                    .iter()
                    .fold(0.0_f64, |m, v| m.max(v.abs()))
            };
            size(*a).total_cmp(&size(*b))
        });
        return largest.map_or_else(
            || "nothing moves".to_owned(),
            |k| format!("\"{}\" moves, held by nothing", whole.names()[whole.bodies()[k].body]),
        );
    }
    let mut parts = Vec::new();
    for (motion, one, many) in [
        (PairMotion::Hinge, "hinge", "hinges"),
        (PairMotion::Slider, "slider", "sliders"),
        (PairMotion::Opens, "joint that opens", "joints that open"),
    ] {
        let names: Vec<String> = motions
            .iter()
            .filter(|(_, m)| *m == motion)
            .map(|(pair, _)| pair_name(whole, pair))
            .collect();
        if names.is_empty() {
            continue;
        }
        let mut list = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        if names.len() > NAMED {
            let _ = write!(list, " and {} more", names.len() - NAMED);
        }
        parts.push(format!("{} ({list})", counted(names.len(), one, many)));
    }
    parts.join(", ")
}

fn margin_words(whole: &Equilibrium, named: &NamedMargin) -> Vec<String> {
    let margin = &named.margin;
    let show = |x: f64| match named.along {
        Along::Tilt(_) => format!("{}°", digits(degrees(x), 4)),
        Along::Acceleration(_) => format!("{} g", digits(x, 4)),
        Along::Load { .. } => format!("{} times", digits(x, 6)),
    };
    let Some(low) = &margin.low else {
        return vec![if margin.high.is_finite() {
            format!(
                "none: forces could not be proved; beyond {} it falls, proved",
                show(margin.high)
            )
        } else {
            "none: neither end could be proved".to_owned()
        }];
    };
    let mut lines = Vec::new();
    if margin.high.is_finite() {
        let mut line = ends(low.lambda, margin.high, &named.along, &show);
        if let Some(limits) = under(margin.limits) {
            let _ = write!(line, " {limits}");
        }
        lines.push(line);
        lines.push(format!("fails by {}", motion_words(whole, &margin.mechanism)));
    } else if margin.is_endless {
        let far = match named.along {
            Along::Tilt(_) => "forces exist however far it leans towards there",
            Along::Acceleration(_) => "forces exist however hard the ground accelerates towards there",
            Along::Load { .. } => "forces exist for any such load",
        };
        lines.push(format!("{far}, proved: nothing limits the forces (--force-limit does)"));
    } else {
        lines.push(format!(
            "{} at least: forces proved; where it ends is not proved",
            show(low.lambda)
        ));
    }
    if let Some(limit) = &named.limit {
        if limit.cones.is_none() {
            lines.push(found_words(limit, low.lambda, margin.high, &show));
        } else {
            let agree = if limit.agree {
                "successive cones agree"
            } else {
                "successive cones do not agree: undecided"
            };
            lines.push(format!(
                "found: rests at {}, moves at {} under the law itself; {agree} ({})",
                show(limit.rests),
                show(limit.moves),
                limit.cones.map_or_else(String::new, show)
            ));
        }
    }
    lines
}

/// Where the exact step was asked and rested.
fn found_words(limit: &Limit, low: f64, high: f64, show: &dyn Fn(f64) -> String) -> String {
    let (rests, moves) = (show(limit.rests), show(limit.moves));
    if !limit.moves.is_finite() {
        format!("found: rests up to {rests} under the law itself, the largest that was tried")
    } else if high.is_finite() && limit.rests >= 0.999 * low {
        format!("found: rests up to {rests} under the law itself")
    } else {
        format!(
            "found: rests up to {rests} under the law itself, and moves at {moves}: forces exist beyond, and it does not hold"
        )
    }
}

fn region_words(region: &Region, show: &dyn Fn(f64) -> String) -> String {
    let [low, high] = region.radius().map(show);
    if region.radius()[1].is_finite() {
        let programs = region.programs;
        format!("{low} in every direction, proved; {high} in the weakest is too much, proved ({programs} programs)")
    } else {
        format!("{low} in every direction, proved; no end was proved")
    }
}

fn friction_words(friction: &Friction) -> String {
    let of = friction
        .material
        .as_ref()
        .map_or_else(String::new, |name| format!(" of \"{name}\""));
    if friction.none.is_some() {
        return format!("none needed{of}");
    }
    let Some(Change { stands, falls }) = &friction.change else {
        let all = |wanted| friction.samples.iter().all(|(_, stands)| *stands == Some(wanted));
        let why = if all(false) {
            "it falls with all that was tried, proved"
        } else {
            "the change from falling to standing was not proved"
        };
        return format!("no least value found{of}: {why}");
    };
    match (&friction.material, friction.given) {
        (None, Some(given)) => format!(
            "{} needed of {}; at {} it falls, proved",
            digits(given * stands.value, 7),
            digits(given, 6),
            digits(given * falls.value, 7)
        ),
        (None, None) => format!(
            "{} of every coefficient needed; at {} it falls, proved",
            digits(stands.value, 7),
            digits(falls.value, 7)
        ),
        (Some(_), _) => format!(
            "{} needed{of}; at {} it falls, proved",
            digits(stands.value, 7),
            digits(falls.value, 7)
        ),
    }
}

fn varied_words(key: &str, varied: &Varied) -> Vec<String> {
    let samples = counted(varied.samples.len(), "sample", "samples");
    let (first, last) = (varied.samples.first(), varied.samples.last());
    let range = match (first, last) {
        (Some((a, _)), Some((b, _))) => format!("{} … {}", digits(*a, 5), digits(*b, 5)),
        _ => String::new(),
    };
    if varied.changes.is_empty() {
        let all = |wanted: Option<bool>| varied.samples.iter().all(|(_, stands)| *stands == wanted);
        let what = if all(Some(true)) {
            "forces exist at all of them"
        } else if all(Some(false)) {
            "it falls at all of them"
        } else {
            "some are undecided, and no change was proved"
        };
        return vec![format!("{key} {range}: {what} ({samples})")];
    }
    let one = |change: &Change| {
        format!(
            "{key}: forces exist at {}, none at {}, both proved ({samples} in {range}, nothing assumed between them)",
            digits(change.stands.value, 8),
            digits(change.falls.value, 8)
        )
    };
    varied.changes.iter().map(one).collect()
}
