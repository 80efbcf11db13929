//! A report checked against the equilibrium that it speaks of: every proof again, from its data alone, without the programs that found it.

use serde_json::Value;

use crate::check_margins::{check_margin, check_region};
use crate::check_scene::{bad, is_of, pairs};
use crate::equilibrium::Equilibrium;
use crate::error::StandError;
use crate::existence::wide_limits;
use crate::explosion::opens;
use crate::motion::{STEP, Steps, Try};
use crate::program::Forces;
use crate::proof::forces::{LoadAt, check_forces};
use crate::proof::mechanism::{Limits, check_mechanism};
use crate::report::FORMAT;

/// One claim of a report and whether it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// What is claimed.
    pub what: String,
    /// `None`: it holds; else why not.
    pub fault: Option<String>,
}

/// How an equilibrium is made whose parameter is varied: friction by a factor, a key of the scene by its value.
pub type Make<'a> = &'a dyn Fn(&str, f64) -> Result<Equilibrium, String>;

pub(crate) fn list(value: &Value, path: &str) -> Result<Vec<f64>, StandError> {
    let numbers = value
        .as_array()
        .map(|list| list.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>());
    match numbers {
        Some(Some(numbers)) => Ok(numbers),
        _ => Err(bad(path, "must be a list of numbers", value)),
    }
}

/// Numbers by bodies, or one list.
pub(crate) fn velocity(value: &Value, path: &str) -> Result<Vec<f64>, StandError> {
    let Some(rows) = value.as_array() else {
        return Err(bad(path, "must be a list", value));
    };
    if rows.iter().any(Value::is_number) {
        return list(value, path);
    }
    let mut all = Vec::new();
    for (k, row) in rows.iter().enumerate() {
        all.extend(list(row, &format!("{path}[{k}]"))?);
    }
    Ok(all)
}

pub(crate) fn forces(value: &Value, path: &str) -> Result<Forces, StandError> {
    let field = format!("{path}.contacts");
    let Some(rows) = value["contacts"].as_array() else {
        return Err(bad(&field, "must be a list", &value["contacts"]));
    };
    let mut contacts = Vec::with_capacity(rows.len());
    for (k, row) in rows.iter().enumerate() {
        let numbers = list(row, &format!("{field}[{k}]"))?;
        let Ok(three) = <[f64; 3]>::try_from(numbers) else {
            return Err(bad(&format!("{field}[{k}]"), "must have three numbers", row));
        };
        contacts.push(three);
    }
    Ok(Forces {
        contacts,
        rows: list(&value["rows"], &format!("{path}.rows"))?,
    })
}

pub(crate) fn limits(value: &Value) -> Limits {
    let of = |name: &str| value[name].as_f64().unwrap_or(f64::INFINITY);
    Limits {
        contact: of("contact"),
        joint: of("joint"),
    }
}

pub(crate) fn three(value: &Value, path: &str) -> Result<[f64; 3], StandError> {
    <[f64; 3]>::try_from(list(value, path)?).map_err(|_| bad(path, "must have three numbers", value))
}

/// Everything that a report claims, checked. `make` gives the equilibrium at another value of a parameter.
///
/// # Errors
/// A report that cannot be read, or of another scene.
pub fn check(whole: &Equilibrium, report: &Value, make: Make<'_>) -> Result<Vec<Claim>, StandError> {
    if report["kind"] != "stand" || report["format"] != FORMAT {
        return Err(bad("kind", "must be \"stand\", format 1", &report["kind"]));
    }
    is_of(whole, report)?;
    let mut claims = Vec::new();
    let mut claim = |what: String, fault: Option<String>| claims.push(Claim { what, fault });
    check_verdict(whole, report, &mut claim)?;
    explosion(whole, report, &mut claim)?;
    for (k, margin) in report["margins"].as_array().into_iter().flatten().enumerate() {
        check_margin(whole, (margin, &format!("margins[{k}]")), &mut claim)?;
    }
    check_ranges(report, &mut claim)?;
    check_region(whole, &report["region"], &mut claim)?;
    check_friction(whole, &report["friction"], make, &mut claim)?;
    if let Some(key) = report["vary"]["key"].as_str() {
        for (k, change) in report["vary"]["changes"].as_array().into_iter().flatten().enumerate() {
            check_change(change, &format!("vary.changes[{k}]"), &|x| make(key, x), &mut claim)?;
        }
    }
    Ok(claims)
}

/// The word, and all the evidence that it rests on.
fn check_verdict(
    whole: &Equilibrium,
    report: &Value,
    claim: &mut impl FnMut(String, Option<String>),
) -> Result<(), StandError> {
    let word = report["verdict"].as_str().unwrap_or_default();
    let evidence = &report["evidence"];
    let mut balanced = None;
    if !evidence["forces"].is_null() {
        let found = forces(&evidence["forces"], "evidence.forces")?;
        let fault = balance(whole, LoadAt::ITSELF, &evidence["forces"], "evidence.forces")?;
        let holds = fault.is_none();
        claim("forces in the cones balance the loads".to_owned(), fault);
        let accepted = check_rest(whole, &report["rest"], &found, claim)?;
        balanced = holds.then_some((found, accepted));
    }
    let mut falls = false;
    if !evidence["mechanism"].is_null() {
        let of = &evidence["mechanism"];
        let v = velocity(&of["velocity"], "evidence.mechanism.velocity")?;
        let fault = wide_enough(whole, &of["limits"]).or_else(|| {
            let checked = check_mechanism(whole, &v, limits(&of["limits"]));
            checked.err().map(|error| format!("{error:?}"))
        });
        pairs(whole, &v, &of["pairs"], "evidence.mechanism.pairs")?;
        falls = fault.is_none();
        claim("no forces balance the loads: a mechanism".to_owned(), fault);
    }
    let only = check_only(whole, &report["only"], claim)?;
    let held = held(
        whole,
        &report["squeeze"],
        balanced.as_ref().map(|(forces, _)| forces),
        claim,
    )?;
    let moves = check_motion(whole, report, &held, claim)?;
    let fault = match word {
        "falls" => (!falls).then(|| "no mechanism holds".to_owned()),
        "may_fall" => match (&balanced, moves) {
            _ if only => Some("rest is the only answer".to_owned()),
            (Some((_, true)), Some(true)) => None,
            _ => Some("it needs balanced forces, rest and a motion, all accepted".to_owned()),
        },
        "stands" if balanced.is_none() => Some("no forces hold".to_owned()),
        "stands" if moves.is_some() => Some("a motion is lawful as well".to_owned()),
        "stands" if only || whole.bodies().is_empty() => None,
        "stands" => {
            let lawful = report["tries"]["moved"].as_array();
            let lawful = lawful.is_some_and(|moved| moved.iter().any(|moved| moved["lawful"] == true));
            // Not a proof: but the first tries at another answer are made again.
            let mut steps = Steps::new(&held.whole)?;
            if lawful || steps.at_rest()?.is_some_and(|motion| motion.moves) {
                Some("the exact step moves".to_owned())
            } else if matches!(steps.drop(0, false)?, Try::Moves(_)) {
                Some("dropped through a tiny gap, it moves".to_owned())
            } else {
                None
            }
        }
        "undecided" => (falls && balanced.is_none()).then(|| "a mechanism holds".to_owned()),
        _ => Some("it must be stands, falls, may_fall or undecided".to_owned()),
    };
    claim(format!("the verdict \"{word}\" follows"), fault);
    Ok(())
}

/// What the judge says of forces as rest, and what the report says of that; whether they are accepted.
fn check_rest(
    whole: &Equilibrium,
    said: &Value,
    found: &Forces,
    claim: &mut impl FnMut(String, Option<String>),
) -> Result<bool, StandError> {
    let rest = Steps::new(whole)?.judge_rest(found)?;
    let accepted = rest.accepted && !rest.moves;
    let (worst, was) = (rest.residual.worst, said["residual"].as_f64().unwrap_or(f64::INFINITY));
    let says = said["accepted"] == true;
    // Where the judge is finer than the forces that are proved, the step's own rest counts.
    let own = if says && !accepted {
        Steps::new(whole)?.at_rest()?.filter(|motion| !motion.moves)
    } else {
        None
    };
    let fault = match &own {
        Some(own) => (!close(was, own.residual.worst, 1e-6, 0.0)).then_some(own.residual.worst),
        None => (accepted && !close(was, worst, 1e-6, 0.0)).then_some(worst),
    };
    let fault = match (says, accepted || own.is_some()) {
        (true, false) => Some(format!("the judge refuses them, residual {worst:e}")),
        (false, true) if !said.is_null() => {
            Some("the judge accepts them, and the report says that it does not".to_owned())
        }
        _ => fault.map(|found| format!("the judge finds the residual {found:e}, not {was:e}")),
    };
    let holds = fault.is_none();
    if says || !holds {
        claim("the judge accepts rest".to_owned(), fault);
    }
    Ok(says && holds)
}

/// What is left to move where some bodies command their force.
struct Held {
    whole: Equilibrium,
    commanded: Vec<usize>,
}

fn held(
    whole: &Equilibrium,
    squeeze: &Value,
    forces: Option<&Forces>,
    claim: &mut impl FnMut(String, Option<String>),
) -> Result<Held, StandError> {
    let (Some(forces), false) = (forces, squeeze.is_null()) else {
        return Ok(Held {
            whole: whole.clone(),
            commanded: Vec::new(),
        });
    };
    let indices = |name: &str| -> Result<Vec<usize>, StandError> {
        let list = squeeze[name].as_array().into_iter().flatten();
        let list: Option<Vec<usize>> = list.map(|k| usize::try_from(k.as_u64()?).ok()).collect();
        list.ok_or_else(|| bad(&format!("squeeze.{name}"), "must be indices", &squeeze[name]))
    };
    let (bodies, contacts) = (indices("bodies")?, indices("contacts")?);
    let can_move = bodies.iter().all(|body| whole.free_of(*body).is_some());
    let right = can_move && !contacts.is_empty() && whole.squeezing(&bodies) == contacts;
    let names: Vec<&str> = bodies
        .iter()
        .filter_map(|body| whole.names().get(*body).map(String::as_str))
        .collect();
    let mut fault = (!right).then(|| "these are not their contacts with bodies that can move".to_owned());
    if let (true, Some(said)) = (right, squeeze["least"].as_f64()) {
        let fingers: Vec<Vec<usize>> = bodies.iter().map(|body| whole.squeezing(&[*body])).collect();
        let hardest = fingers
            .iter()
            .map(|finger| finger.iter().map(|j| forces.contacts[*j][0]).sum::<f64>());
        let most = hardest.fold(0.0, f64::max);
        if !(said >= 0.0 && said <= most * (1.0 + 1e-6)) {
            fault = Some(format!(
                "the forces press with {most:e} N, less than the least {said:e} N"
            ));
        }
    }
    claim(
        format!("commanded by {}: {} contacts", names.join(", "), contacts.len()),
        fault,
    );
    Ok(if right {
        Held {
            whole: whole.commanded(&contacts, &forces.contacts),
            commanded: contacts,
        }
    } else {
        Held {
            whole: whole.clone(),
            commanded: Vec::new(),
        }
    })
}

/// Whether rest is shown to be the only answer.
fn check_only(
    whole: &Equilibrium,
    only: &Value,
    claim: &mut impl FnMut(String, Option<String>),
) -> Result<bool, StandError> {
    if only.is_null() {
        return Ok(false);
    }
    let fault = if only["by"] == "normal_forces" {
        let mut smooth = whole.clone();
        smooth.set_friction(|_, _| 0.0);
        balance(&smooth, LoadAt::ITSELF, &only["forces"], "only.forces")?
    } else {
        return Err(bad("only.by", "must be \"normal_forces\"", &only["by"]));
    };
    let holds = fault.is_none();
    claim(
        "normal forces alone balance the loads: rest is the only answer".to_owned(),
        fault,
    );
    Ok(holds)
}

/// Whether a motion is lawful; `None` where the report has none.
fn check_motion(
    whole: &Equilibrium,
    report: &Value,
    held: &Held,
    claim: &mut impl FnMut(String, Option<String>),
) -> Result<Option<bool>, StandError> {
    let said = &report["motion"];
    if said.is_null() {
        return Ok(None);
    }
    let mut found = forces(said, "motion")?;
    if found.contacts.len() != whole.contacts().len() || found.rows.len() != whole.rows().len() {
        return Err(bad("motion.contacts", "must be those of the scene", &said["contacts"]));
    }
    let mut at = 0;
    found.contacts.retain(|_| {
        at += 1;
        !held.commanded.contains(&(at - 1))
    });
    let motion = Steps::new(&held.whole)?.judge_rest(&found)?;
    let v = velocity(&said["velocity"], "motion.velocity")?;
    if said["step"].as_f64() != Some(STEP) {
        return Err(bad("motion.step", &format!("must be {STEP}"), &said["step"]));
    }
    if said["accepted"] != true {
        return Err(bad(
            "motion.accepted",
            "must be true: a motion is shown where the judge accepts it",
            &said["accepted"],
        ));
    }
    pairs(whole, &v, &said["pairs"], "motion.pairs")?;
    let speed = said["speed"].as_f64().unwrap_or(f64::NAN);
    let near = 1e-6 * motion.speed;
    // What is not a number is not alike.
    let alike = |a: f64, b: f64, within: f64| (a - b).abs() <= within;
    let fault = if !motion.accepted {
        Some(format!("the judge refuses it, residual {:e}", motion.residual.worst))
    } else if !motion.moves {
        Some(format!("it rests: {:e} m/s", motion.speed))
    } else if !alike(motion.speed, speed, 1e-6 * speed) {
        Some(format!("its speed is {:e} m/s, not {speed:e}", motion.speed))
    } else if v.len() != motion.velocity.len() || v.iter().zip(&motion.velocity).any(|(a, b)| !alike(*a, *b, near)) {
        Some("its forces lead to other velocities".to_owned())
    } else {
        None
    };
    let moves = fault.is_none();
    claim("the judge accepts a motion".to_owned(), fault);
    Ok(Some(moves))
}

pub(crate) fn close(a: f64, b: f64, relative: f64, absolute: f64) -> bool {
    a == b || (a - b).abs() <= relative * b.abs() + absolute
}

/// Limits that are narrower than those of the scene prove nothing.
pub(crate) fn wide_enough(whole: &Equilibrium, said: &Value) -> Option<String> {
    let (said, least) = (limits(said), wide_limits(whole));
    let wide = said.contact >= least.contact * (1.0 - 1e-9) && said.joint >= least.joint * (1.0 - 1e-9);
    (!wide).then(|| format!("it holds only for forces up to {:e} N", said.contact.min(said.joint)))
}

/// Whether forces are proved to balance a load, and the figures of the proof that they come with.
pub(crate) fn balance(
    whole: &Equilibrium,
    load: LoadAt<'_>,
    of: &Value,
    path: &str,
) -> Result<Option<String>, StandError> {
    let found = forces(of, path)?;
    let proof = match check_forces(whole, load, &found) {
        Ok(proof) => proof,
        Err(error) => return Ok(Some(format!("{error:?}"))),
    };
    if whole.load().iter().all(|w| *w == 0.0) && load.lambda == 0.0 {
        return Ok(None);
    }
    for (name, figure) in [
        ("residual", proof.residual),
        ("eigenvalue", proof.eigenvalue),
        ("distance", proof.distance),
        ("slack", proof.slack),
        ("carrying", proof.carrying as f64),
    ] {
        let said = of["proof"][name].as_f64().unwrap_or(f64::INFINITY);
        if !close(said, figure, 1e-6, 0.0) {
            return Ok(Some(format!("the {name} of the proof is {figure:e}, not {said:e}")));
        }
    }
    Ok(None)
}

/// Ranges are found by programs, not proved: but the forces of the proof lie within them.
fn check_ranges(report: &Value, claim: &mut impl FnMut(String, Option<String>)) -> Result<(), StandError> {
    let list = report["ranges"].as_array().map_or(&[][..], Vec::as_slice);
    if list.is_empty() {
        return Ok(());
    }
    let found = forces(&report["evidence"]["forces"], "evidence.forces")?;
    let contacts = report["contacts"].as_array().map_or(&[][..], Vec::as_slice);
    let mut fault = None;
    for (k, range) in list.iter().enumerate() {
        let of = |contact: &Value| {
            let ends = [&contact["a"], &contact["b"]];
            ends == [&range["a"], &range["b"]] || ends == [&range["b"], &range["a"]]
        };
        let pair = contacts.iter().zip(&found.contacts).filter(|(contact, _)| of(contact));
        let sum: f64 = pair.map(|(_, f)| f[0]).sum();
        let number = |name: &str, or: f64| range[name].as_f64().unwrap_or(or);
        let (low, high, now) = (
            number("low", f64::NEG_INFINITY),
            number("high", f64::INFINITY),
            number("normal", f64::NAN),
        );
        let room = 1e-6 * (1.0 + sum.abs());
        if !(close(now, sum, 1e-12, 0.0) && low <= now + room && now <= high + room) {
            fault = Some(format!("range {k}: the forces have {sum} N"));
        }
    }
    claim("the forces lie within their ranges".to_owned(), fault);
    Ok(())
}

fn check_friction(
    whole: &Equilibrium,
    friction: &Value,
    make: Make<'_>,
    claim: &mut impl FnMut(String, Option<String>),
) -> Result<(), StandError> {
    if friction.is_null() {
        return Ok(());
    }
    if let Some(given) = friction["given"].as_f64() {
        let all = whole.contacts().iter().filter(|contact| contact.joint.is_none());
        let fault = all.map(|contact| contact.friction).find(|mu| *mu != given);
        let fault = fault.map(|mu| format!("a contact has {mu}"));
        claim(format!("friction: all contacts have {given}"), fault);
    }
    let key = friction["material"]
        .as_str()
        .map_or_else(String::new, |material| format!("material.{material}.friction"));
    if friction["needs_none"] == true || !friction["none"].is_null() {
        let of = &friction["none"];
        let fault = if of["value"].as_f64() != Some(0.0) || friction["needs_none"] != true {
            Some("it needs forces at 0".to_owned())
        } else {
            let smooth = make(&key, 0.0)
                .map_err(|error| StandError::value("friction.none", "must be a value of the scene", error))?;
            balance(&smooth, LoadAt::ITSELF, &of["forces"], "friction.none.forces")?
        };
        claim("friction: forces exist without any".to_owned(), fault);
    }
    check_change(&friction["change"], "friction.change", &|x| make(&key, x), claim)
}

fn explosion(
    whole: &Equilibrium,
    report: &Value,
    claim: &mut impl FnMut(String, Option<String>),
) -> Result<(), StandError> {
    if report["explosion"].is_null() {
        if report["wedged"] == false {
            let fault = Some("no velocity shows it".to_owned());
            claim("it cannot be wedged".to_owned(), fault);
        }
        return Ok(());
    }
    let v = velocity(&report["explosion"], "explosion")?;
    let fault = opens(whole, &v).err();
    let fault = fault.or_else(|| (report["wedged"] != false).then(|| "the report says that it can".to_owned()));
    claim("it cannot be wedged: a velocity opens every contact".to_owned(), fault);
    Ok(())
}

fn check_change(
    change: &Value,
    path: &str,
    make: &dyn Fn(f64) -> Result<Equilibrium, String>,
    claim: &mut impl FnMut(String, Option<String>),
) -> Result<(), StandError> {
    if change.is_null() {
        return Ok(());
    }
    for end in ["stands", "falls"] {
        let of = &change[end];
        let place = format!("{path}.{end}");
        let Some(value) = of["value"].as_f64() else {
            return Err(bad(&format!("{place}.value"), "must be a number", &of["value"]));
        };
        let whole =
            make(value).map_err(|error| StandError::value(place.clone(), "must be a value of the scene", error))?;
        let (what, fault) = if end == "stands" {
            let path = format!("{place}.forces");
            ("forces", balance(&whole, LoadAt::ITSELF, &of["forces"], &path)?)
        } else {
            let v = velocity(&of["mechanism"]["velocity"], &format!("{place}.mechanism.velocity"))?;
            let under = &of["mechanism"]["limits"];
            let checked = check_mechanism(&whole, &v, limits(under));
            let fault = checked.err().map(|error| format!("{error:?}"));
            ("a mechanism", wide_enough(&whole, under).or(fault))
        };
        claim(
            format!("{}: {what} at {value}", path.split('.').next().unwrap_or(path)),
            fault,
        );
    }
    Ok(())
}
