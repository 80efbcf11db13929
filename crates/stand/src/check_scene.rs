//! What a report says of the scene, compared with the scene: bodies, contacts, joint rows, gravity, and what pairs do in a motion.

use serde_json::Value;

use crate::equilibrium::Equilibrium;
use crate::error::StandError;
use crate::region::corners_of;
use crate::report::{motions, of_scene};

/// What is wrong with the form of a report: a path and what it must be.
pub(crate) fn bad(path: &str, requirement: &str, found: &Value) -> StandError {
    let mut text = found.to_string();
    if text.len() > 40 {
        text = format!("{}…", text.chars().take(40).collect::<String>());
    }
    StandError::value(path, requirement, text)
}

/// Whether a report speaks of this scene: all that it repeats of the scene is what the scene has, to the last bit.
pub(crate) fn is_of(whole: &Equilibrium, report: &Value) -> Result<(), StandError> {
    let count = |name: &str| report[name].as_array().map_or(0, Vec::len);
    for (name, there) in [
        ("bodies", whole.names().len()),
        ("contacts", whole.contacts().len()),
        ("rows", whole.rows().len()),
    ] {
        if count(name) != there {
            return Err(StandError::value(
                name,
                format!("must be the {there} of the scene"),
                count(name),
            ));
        }
    }
    if report["force_limit"].as_f64() != whole.force_limit() {
        return Err(bad("force_limit", "must be the requested one", &report["force_limit"]));
    }
    let Value::Object(scene) = of_scene(whole) else {
        return Ok(());
    };
    for (name, right) in &scene {
        differs(right, &report[name], name)?;
    }
    Ok(())
}

/// The first value that is another than the scene's. Numbers are compared as numbers.
fn differs(right: &Value, said: &Value, path: &str) -> Result<(), StandError> {
    let same = match (right, said) {
        (Value::Object(right), Value::Object(found)) => {
            for (key, value) in right {
                differs(value, &said[key], &format!("{path}.{key}"))?;
            }
            right.len() == found.len()
        }
        (Value::Array(right), Value::Array(found)) => {
            for (k, (value, found)) in right.iter().zip(found).enumerate() {
                differs(value, found, &format!("{path}[{k}]"))?;
            }
            right.len() == found.len()
        }
        (Value::Number(right), Value::Number(found)) => right.as_f64() == found.as_f64(),
        _ => right == said,
    };
    if same {
        Ok(())
    } else {
        Err(bad(path, "must be that of the scene", said))
    }
}

/// Whether what is said of pairs in a motion is what its velocities do.
pub(crate) fn pairs(whole: &Equilibrium, velocity: &[f64], said: &Value, path: &str) -> Result<(), StandError> {
    differs(&motions(whole, velocity), said, path).map_err(|_| bad(path, "must be what the velocities do", said))
}

/// Whether the corners of the outer polygon are those of its edges.
pub(crate) fn corners(region: &Value) -> Option<String> {
    let edges = region["outer"].as_array().into_iter().flatten().map(|edge| {
        let normal = [edge["normal"][0].as_f64()?, edge["normal"][1].as_f64()?];
        Some((normal, edge["offset"].as_f64()?))
    });
    let right = edges.collect::<Option<Vec<_>>>().map(corners_of).unwrap_or_default();
    let said: Vec<[f64; 2]> = region["outer_corners"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|corner| Some([corner[0].as_f64()?, corner[1].as_f64()?]))
        .collect();
    let near = |a: &[f64; 2], b: &[f64; 2]| (0..2).all(|k| (a[k] - b[k]).abs() <= 1e-9 * (1.0 + b[k].abs()));
    let same = said.len() == right.len() && said.iter().zip(&right).all(|(a, b)| near(a, b));
    (!same).then(|| "the outer corners are those of other edges".to_owned())
}
