//! Friction and restitution by a search without chance: a coarse grid, then steps that halve.

use std::collections::BTreeMap;

use stiction_formats::BadInput;

/// Parameters are multiples of 1/80 between 0 and 1.
const GRID_UNITS: i32 = 80;
/// Spacing of the grid: 0.2, and 0.4 of a quick search.
const GRID_SPACING: usize = 16;
const QUICK_GRID_SPACING: usize = 32;
/// Moves after the grid, at most.
const MAX_MOVES: usize = 24;

/// What a search found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    /// Friction and restitution.
    pub(super) at: [f64; 2],
    pub(super) cost: f64,
}

/// The friction and restitution of least cost among those that are free; the others stay as given. Of equal costs the first found counts.
pub(super) fn search(
    free: [bool; 2],
    given: [f64; 2],
    quick: bool,
    mut cost: impl FnMut([f64; 2]) -> Result<f64, BadInput>,
) -> Result<Found, BadInput> {
    if free == [false; 2] {
        let cost = cost(given)?;
        return Ok(Found { at: given, cost });
    }
    let parameters = |units: [i32; 2]| -> [f64; 2] {
        std::array::from_fn(|k| {
            if free[k] {
                f64::from(units[k]) / f64::from(GRID_UNITS)
            } else {
                given[k]
            }
        })
    };
    let mut known = BTreeMap::new();
    let mut at_units = |units: [i32; 2]| -> Result<f64, BadInput> {
        if let Some(cost) = known.get(&units) {
            return Ok(*cost);
        }
        let found = cost(parameters(units))?;
        known.insert(units, found);
        Ok(found)
    };
    let spacing = if quick { QUICK_GRID_SPACING } else { GRID_SPACING };
    let line = |k: usize| (0..=if free[k] { GRID_UNITS } else { 0 }).step_by(spacing);
    // The best of all, and of those without restitution.
    let (mut best, mut without) = (([0, 0], f64::INFINITY), ([0, 0], f64::INFINITY));
    for friction in line(0) {
        for restitution in line(1) {
            let found = at_units([friction, restitution])?;
            if found < best.1 {
                best = ([friction, restitution], found);
            }
            if restitution == 0 && found < without.1 {
                without = ([friction, restitution], found);
            }
        }
    }
    let mut descend = |mut best: ([i32; 2], f64), free: [bool; 2]| -> Result<([i32; 2], f64), BadInput> {
        let mut step = i32::try_from(spacing).unwrap_or(GRID_UNITS) / 2;
        let last = if quick { 8 } else { 1 };
        for _ in 0..MAX_MOVES {
            if step < last {
                break;
            }
            let from = best;
            for units in neighbours(from.0, step, free) {
                let found = at_units(units)?;
                if found < best.1 {
                    best = (units, found);
                }
            }
            if best == from {
                step /= 2;
            }
        }
        Ok(best)
    };
    if free == [true; 2] {
        // What has both is no worse than what has friction alone.
        let alone = descend(without, [true, false])?;
        if alone.1 < best.1 {
            best = alone;
        }
    }
    let best = descend(best, free)?;
    Ok(Found {
        at: parameters(best.0),
        cost: best.1,
    })
}

/// Points one step away along what is free, within the bounds.
fn neighbours(from: [i32; 2], step: i32, free: [bool; 2]) -> Vec<[i32; 2]> {
    let moves = |k: usize| {
        if free[k] {
            [-step, 0, step].as_slice().to_vec()
        } else {
            vec![0]
        }
    };
    let mut all = Vec::new();
    for dx in moves(0) {
        for dy in moves(1) {
            let to = [from[0] + dx, from[1] + dy];
            if to != from && to.iter().all(|x| (0..=GRID_UNITS).contains(x)) {
                all.push(to);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_a_bowl_is_found() {
        let bowl = |[x, y]: [f64; 2]| Ok((x - 0.37) * (x - 0.37) + 3.0 * (y - 0.81) * (y - 0.81));
        let found = search([true, true], [0.0; 2], false, bowl).unwrap();
        assert!((found.at[0] - 0.37).abs() <= 0.0126, "{found:?}");
        assert!((found.at[1] - 0.81).abs() <= 0.0126, "{found:?}");
        let one = search([false, true], [0.5, 0.0], false, bowl).unwrap();
        assert_eq!(one.at[0], 0.5);
        assert!((one.at[1] - 0.81).abs() <= 0.0126, "{one:?}");
        let none = search([false, false], [0.2, 0.1], false, bowl).unwrap();
        assert_eq!(none.at, [0.2, 0.1]);
    }

    #[test]
    fn costs_without_a_least_end_within_the_bounds() {
        let found = search([true, true], [0.0; 2], false, |[x, y]| Ok(-x - y)).unwrap();
        assert_eq!(found.at, [1.0, 1.0]);
        let flat = search([true, true], [0.0; 2], true, |_| Ok(1.0)).unwrap();
        assert_eq!(flat.at, [0.0, 0.0]);
        let broken = search([true, true], [0.0; 2], true, |_| Ok(f64::NAN)).unwrap();
        assert_eq!(broken.cost, f64::INFINITY);
    }
}
