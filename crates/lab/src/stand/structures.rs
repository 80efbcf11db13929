//! The structures that are timed: arches, a wall, the armadillo vault of compas_cra where its file is there.

use std::f64::consts::PI;
use std::path::Path;

use serde_json::Value;
use stiction_stand::{Equilibrium, StandError, compas};

const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.7;

fn ground() -> Equilibrium {
    let mut whole = Equilibrium::new(false, [0.0, 0.0, -GRAVITY]);
    whole.add_fixed("ground");
    whole
}

fn brick(mass: f64, [x, y, z]: [f64; 3]) -> [[f64; 3]; 3] {
    let of = |a: f64, b: f64| mass * (a * a + b * b) / 12.0;
    [[of(y, z), 0.0, 0.0], [0.0, of(x, z), 0.0], [0.0, 0.0, of(x, y)]]
}

/// A semicircular arch of mean radius 1, thickness 0.12 and depth 0.3.
pub(super) fn arch(count: usize) -> Result<Equilibrium, StandError> {
    let (thickness, depth) = (0.12, 0.3);
    let (inner, outer) = (1.0 - thickness / 2.0, 1.0 + thickness / 2.0);
    let mut whole = ground();
    let angle = |i: usize| PI * i as f64 / count as f64;
    let turn = PI / count as f64;
    let area = (outer * outer - inner * inner) / 2.0 * turn;
    let cubes = outer * outer * outer - inner * inner * inner;
    let radius = 2.0 / 3.0 * cubes / (outer * outer - inner * inner) * libm::sin(turn / 2.0) / (turn / 2.0);
    for i in 0..count {
        let middle = f64::midpoint(angle(i), angle(i + 1));
        let center = [radius * libm::cos(middle), 0.0, radius * libm::sin(middle)];
        let mass = area * depth;
        whole.add_body(
            format!("voussoir {i}"),
            mass,
            brick(mass, [turn, depth, thickness]),
            center,
        )?;
    }
    for i in 0..=count {
        // Bodies are 1 to `count`; the ground holds both ends.
        let (pair, sign) = if i < count {
            ([i + 1, i], 1.0)
        } else {
            ([count, 0], -1.0)
        };
        let (c, s) = (libm::cos(angle(i)), libm::sin(angle(i)));
        for r in [inner, outer] {
            for y in [-depth / 2.0, depth / 2.0] {
                whole.add_contact(pair, [r * c, y, r * s], [-sign * s, 0.0, sign * c], FRICTION)?;
            }
        }
    }
    Ok(whole)
}

/// A wall of bricks in half bond.
pub(super) fn wall(rows: usize, columns: usize) -> Result<Equilibrium, StandError> {
    let (length, height, depth, gap) = (0.2, 0.1, 0.1, 0.004);
    let mut whole = ground();
    let mut below: Vec<(usize, f64, f64)> = Vec::new();
    for r in 0..rows {
        let mut row = Vec::new();
        for c in 0..columns {
            let x = c as f64 * (length + gap) + (r % 2) as f64 * 0.051;
            let center = [x, 0.0, height * (r as f64 + 0.5)];
            let name = format!("brick {r}-{c}");
            let body = whole.add_body(name, 1.0, brick(1.0, [length, depth, height]), center)?;
            let (low, high) = (x - length / 2.0, x + length / 2.0);
            let under: Vec<(usize, f64, f64)> = if r == 0 { vec![(0, low, high)] } else { below.clone() };
            for (other, from, to) in under {
                let (from, to) = (from.max(low), to.min(high));
                if to - from <= 1e-9 {
                    continue;
                }
                for x in [from, to] {
                    for y in [-depth / 2.0, depth / 2.0] {
                        let point = [x, y, height * r as f64];
                        whole.add_contact([body, other], point, [0.0, 0.0, 1.0], FRICTION)?;
                    }
                }
            }
            row.push((body, low, high));
        }
        below = row;
    }
    Ok(whole)
}

/// The vault, or `None` where its file is not there.
pub(super) fn vault(file: &Path) -> Result<Option<Equilibrium>, String> {
    let Ok(text) = std::fs::read_to_string(file) else {
        return Ok(None);
    };
    let value: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    compas::read(&value, (1.0, FRICTION))
        .map(Some)
        .map_err(|error| error.to_string())
}
