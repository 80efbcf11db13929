//! Margins and regions of a report, checked: forces at the one end, mechanisms at the other, the exact step between them.

use serde_json::Value;

use crate::check::{balance, close, forces, limits, list, three, velocity, wide_enough};
use crate::check_scene::{bad, corners, pairs};
use crate::equilibrium::Equilibrium;
use crate::error::StandError;
use crate::limit::AGREES;
use crate::motion::Steps;
use crate::proof::forces::{LoadAt, check_forces};
use crate::proof::mechanism::{check_bound, check_support};
use crate::region::radii as radii_of;
use crate::report::degrees;

/// A margin: both of its ends, the exact step, and the angles.
pub(crate) fn check_margin(
    whole: &Equilibrium,
    (margin, path): (&Value, &str),
    claim: &mut impl FnMut(String, Option<String>),
) -> Result<(), StandError> {
    let name = margin["name"].as_str().unwrap_or_default();
    let direction = match margin["kind"].as_str() {
        Some("tilt") => whole.lean(three(&margin["axis"], &format!("{path}.axis"))?),
        Some("acceleration") => whole.lean(three(&margin["axis"], &format!("{path}.axis"))?.map(|x| -x)),
        Some("load") => {
            let body = margin["body"]
                .as_u64()
                .and_then(|body| usize::try_from(body).ok())
                .unwrap_or(usize::MAX);
            let point = if margin["point"].is_null() {
                None
            } else {
                Some(three(&margin["point"], &format!("{path}.point"))?)
            };
            whole.load_direction(body, three(&margin["force"], &format!("{path}.force"))?, point)?
        }
        _ => {
            return Err(bad(
                &format!("{path}.kind"),
                "must be \"tilt\", \"acceleration\" or \"load\"",
                &margin["kind"],
            ));
        }
    };
    let (low, high) = (margin["low"].as_f64(), margin["high"].as_f64());
    if let Some(low) = low {
        let load = LoadAt {
            lambda: low,
            direction: &direction,
        };
        let fault = balance(whole, load, &margin["forces"], &format!("{path}.forces"))?;
        claim(format!("{name}: forces at {low}"), fault);
    }
    if let Some(high) = high {
        let of = &margin["mechanism"];
        let v = velocity(&of["velocity"], &format!("{path}.mechanism.velocity"))?;
        pairs(whole, &v, &of["pairs"], &format!("{path}.mechanism.pairs"))?;
        let fault = wide_enough(whole, &of["limits"]).or_else(|| {
            match check_bound(whole, &direction, &v, limits(&of["limits"])) {
                Ok(bound) if bound <= high => None,
                Ok(bound) => Some(format!("the mechanism proves {bound}")),
                Err(error) => Some(format!("{error:?}")),
            }
        });
        claim(format!("{name}: none beyond {high}"), fault);
    }
    let found = &margin["found"];
    check_found(whole, &direction, (name, found), (low, high), claim)?;
    if margin["kind"] == "tilt" {
        let said = &margin["degrees"];
        let of = |x: Option<f64>| x.map(degrees);
        let fits = |name: &str, x: Option<f64>| match (said[name].as_f64(), of(x)) {
            (None, None) => true,
            (Some(said), Some(right)) => close(said, right, 1e-12, 0.0),
            _ => false,
        };
        let right = fits("low", low) && fits("high", high) && fits("found", found["rests"].as_f64());
        claim(
            format!("{name}: the angles in degrees"),
            (!right).then(|| "they are those of other bounds".to_owned()),
        );
    }
    Ok(())
}

/// Where the exact step was found to rest and to move: both are made again, and lie below the proved end.
fn check_found(
    whole: &Equilibrium,
    direction: &[f64],
    (name, found): (&str, &Value),
    (low, high): (Option<f64>, Option<f64>),
    claim: &mut impl FnMut(String, Option<String>),
) -> Result<(), StandError> {
    let (Some(rests), moves) = (found["rests"].as_f64(), found["moves"].as_f64()) else {
        return Ok(());
    };
    let moved = |lambda: f64| -> Result<Option<bool>, StandError> {
        let load = whole.load().iter().zip(direction).map(|(w, d)| w + lambda * d);
        let loaded = whole.with_load(load.collect());
        Ok(Steps::new(&loaded)?.at_rest()?.map(|motion| motion.moves))
    };
    let fault = if high.is_some_and(|high| rests > high) || moves.is_some_and(|moves| moves < rests) {
        Some("it rests beyond where it moves".to_owned())
    } else if high.is_some_and(|high| moves.is_none_or(|moves| moves > high)) {
        Some("it moves at the proved end at the latest".to_owned())
    } else if moved(rests)? != Some(false) {
        Some(format!("the exact step does not rest at {rests}"))
    } else {
        // At the proved end itself nothing is claimed of the step: the largest share of it rested.
        let moves = moves.filter(|moves| low != Some(*moves));
        match moves {
            Some(moves) if moved(moves)? != Some(true) => Some(format!("the exact step does not move at {moves}")),
            _ => None,
        }
    };
    let agree = found["cones"].as_f64().is_none_or(|cones| {
        let most = low.unwrap_or(f64::NAN);
        let (low, high) = (rests - AGREES * most, moves.unwrap_or(f64::INFINITY) + AGREES * most);
        cones >= low && cones <= high
    });
    let fault = fault.or_else(|| (found["agree"] != agree).then(|| format!("that the two ways agree is {agree}")));
    claim(format!("{name}: the exact step rests at {rests}"), fault);
    Ok(())
}

/// The region of tilts: corners, edges, and the polygons that they make.
pub(crate) fn check_region(
    whole: &Equilibrium,
    region: &Value,
    claim: &mut impl FnMut(String, Option<String>),
) -> Result<(), StandError> {
    if region.is_null() {
        return Ok(());
    }
    let axes = [
        three(&region["axes"][0], "region.axes[0]")?,
        three(&region["axes"][1], "region.axes[1]")?,
    ];
    let directions = axes.map(|axis| whole.lean(axis));
    let mut fault = None;
    let inner = region["inner"].as_array().map_or(0, Vec::len);
    for (k, corner) in region["inner"].as_array().into_iter().flatten().enumerate() {
        let path = format!("region.inner[{k}]");
        let at = list(&corner["at"], &format!("{path}.at"))?;
        let [x, y] = at[..] else {
            return Err(bad(&format!("{path}.at"), "must have two numbers", &corner["at"]));
        };
        let direction: Vec<f64> = directions[0]
            .iter()
            .zip(&directions[1])
            .map(|(a, b)| x * a + y * b)
            .collect();
        let load = LoadAt {
            lambda: 1.0,
            direction: &direction,
        };
        let found = forces(&corner["forces"], &format!("{path}.forces"))?;
        if let Err(error) = check_forces(whole, load, &found) {
            fault = Some(format!("corner {k}: {error:?}"));
        }
    }
    claim(format!("{inner} corners of the inner polygon have forces"), fault);
    let mut fault = None;
    let outer = region["outer"].as_array().map_or(0, Vec::len);
    for (k, edge) in region["outer"].as_array().into_iter().flatten().enumerate() {
        let path = format!("region.outer[{k}]");
        let v = velocity(&edge["velocity"], &format!("{path}.velocity"))?;
        let normal = list(&edge["normal"], &format!("{path}.normal"))?;
        let offset = edge["offset"].as_f64().unwrap_or(f64::NEG_INFINITY);
        if let Some(narrow) = wide_enough(whole, &edge["limits"]) {
            fault = Some(format!("edge {k}: {narrow}"));
        }
        match check_support(whole, [&directions[0], &directions[1]], &v, limits(&edge["limits"])) {
            Ok((found, least)) if found[..] == normal[..] && least <= offset => {}
            Ok(_) => fault = Some(format!("edge {k}: the mechanism proves another")),
            Err(error) => fault = Some(format!("edge {k}: {error:?}")),
        }
    }
    claim(format!("{outer} edges of the outer polygon have mechanisms"), fault);
    let fault = radii(region).or_else(|| corners(region));
    claim("the radii and corners are those of the polygons".to_owned(), fault);
    Ok(())
}

/// Whether the radii of a region are those of its polygons.
fn radii(said: &Value) -> Option<String> {
    let pair = |value: &Value| Some([value[0].as_f64()?, value[1].as_f64()?]);
    let inner = said["inner"].as_array().into_iter().flatten();
    let corners: Option<Vec<[f64; 2]>> = inner.map(|corner| pair(&corner["at"])).collect();
    let outer = said["outer"].as_array().into_iter().flatten();
    let offsets: Option<Vec<f64>> = outer.map(|edge| edge["offset"].as_f64()).collect();
    let (Some(corners), Some(offsets)) = (corners, offsets) else {
        return Some("corners and edges must have numbers".to_owned());
    };
    let [low, high] = radii_of(&corners, &offsets);
    let said = &said["radius"];
    let same = close(said["low"].as_f64().unwrap_or(f64::NAN), low, 1e-12, 0.0)
        && close(said["high"].as_f64().unwrap_or(f64::INFINITY), high, 1e-12, 0.0);
    (!same).then(|| format!("they are {low} and {high}"))
}
