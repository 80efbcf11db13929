//! Fraction-free elimination (Bareiss 1968): every division leaves no remainder, so all numbers stay minors of (A, b).

use super::solve::{Quotients, System};
use dashu_int::IBig;
use dashu_int::ops::BitTest;

/// Solves Ax = b; `None` when A is singular. O(k³) products of numbers of up to k entries' length.
pub(super) fn solve(system: &System) -> Option<Quotients> {
    let k = system.order();
    let mut a = dense(system);
    let mut previous = IBig::ONE;
    for step in 0..k {
        choose_pivot(&mut a, step)?;
        let (done, rest) = a.split_at_mut(step + 1);
        let pivot_row = &done[step];
        let pivot = &pivot_row[step];
        for row in rest {
            let factor = std::mem::take(&mut row[step]);
            for j in step + 1..=k {
                eliminate(&mut row[j], pivot, &factor, &pivot_row[j], &previous);
            }
        }
        previous.clone_from(pivot);
    }
    Some(substitute_back(&a, previous))
}

/// (A, b) in full.
fn dense(system: &System) -> Vec<Vec<IBig>> {
    let k = system.order();
    let fill = |(row, b): (&Vec<(usize, IBig)>, &IBig)| {
        let mut full = vec![IBig::ZERO; k + 1];
        for (j, value) in row {
            full[*j].clone_from(value);
        }
        full[k].clone_from(b);
        full
    };
    system.rows.iter().zip(&system.b).map(fill).collect()
}

/// Moves the shortest nonzero entry of the column to the diagonal: short pivots keep later products short.
fn choose_pivot(a: &mut [Vec<IBig>], step: usize) -> Option<()> {
    let candidates = (step..a.len()).filter(|&i| !a[i][step].is_zero());
    let best = candidates.min_by_key(|&i| a[i][step].bit_len())?;
    a.swap(step, best);
    Some(())
}

/// entry ← (pivot·entry − factor·other) / previous, without remainder.
pub(super) fn eliminate(entry: &mut IBig, pivot: &IBig, factor: &IBig, other: &IBig, previous: &IBig) {
    let cross = !factor.is_zero() && !other.is_zero();
    if !cross && (entry.is_zero() || pivot == previous) {
        return;
    }
    let mut value = pivot * &*entry;
    if cross {
        value -= factor * other;
    }
    *entry = if previous.is_one() { value } else { value / previous };
}

/// x_i = (det·b_i − Σ a_ij x_j) / a_ii, where x is already multiplied by the determinant: again without remainder.
fn substitute_back(a: &[Vec<IBig>], determinant: IBig) -> Quotients {
    let k = a.len();
    let mut numerators = vec![IBig::ZERO; k];
    for i in (0..k).rev() {
        let mut sum = &determinant * &a[i][k];
        for j in i + 1..k {
            if !a[i][j].is_zero() {
                sum -= &a[i][j] * &numerators[j];
            }
        }
        numerators[i] = sum / &a[i][i];
    }
    Quotients {
        numerators,
        denominator: determinant,
    }
}
