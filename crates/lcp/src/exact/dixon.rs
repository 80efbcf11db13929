//! p-adic lifting (Dixon 1982): Ax = b is solved modulo p, the error divided by p and solved for again; from x modulo a
//! high enough power of p the rationals are reconstructed, then verified by substitution.
//!
//! p is the Mersenne prime 2⁶¹ − 1, for which remainders need no division. The inverse modulo p costs O(k³) machine
//! operations, each step O(k²). Nothing is left to chance: an answer is substituted into the system, and a singular
//! matrix is shown to be so by a vector of its null space.

use super::solve::{Quotients, System};
use dashu_base::{Abs, Signed, SquareRoot};
use dashu_int::{IBig, UBig, Word};

/// 2⁶¹ − 1.
pub(super) const P: u64 = (1 << 61) - 1;
/// Entries are cut into limbs of this many bits: a sum of 2¹⁴ products of a limb and a residue fits 127 bits.
const LIMB_BITS: usize = 52;
/// Largest order for which those sums fit.
const MAX_ORDER: usize = 1 << 14;

/// How lifting ended.
#[derive(Debug)]
pub(super) enum Lift {
    /// x, substituted and found right.
    Solved(Quotients),
    /// A has a null vector.
    Singular,
    /// p divides the determinant, or the order is too large.
    Undecided,
}

/// Solves Ax = b.
pub(super) fn solve(system: &System) -> Lift {
    if system.order() > MAX_ORDER {
        return Lift::Undecided;
    }
    match inverse(system) {
        Inverse::Of(inverse) => Lift::Solved(lift(system, &inverse)),
        Inverse::Dependent { column, rows } => {
            if is_dependent(system, column, &rows) {
                Lift::Singular
            } else {
                Lift::Undecided
            }
        }
    }
}

/// x mod p, for any x below 2¹²⁸.
#[allow(clippy::cast_possible_truncation)] // folded twice, x is below 2⁶²
fn reduce(x: u128) -> u64 {
    let p = u128::from(P);
    let x = (x & p) + (x >> 61);
    let x = ((x & p) + (x >> 61)) as u64;
    if x >= P { x - P } else { x }
}

fn product(a: u64, b: u64) -> u64 {
    reduce(u128::from(a) * u128::from(b))
}

/// x⁻¹ = x^(p−2) mod p, x ≠ 0.
fn reciprocal(x: u64) -> u64 {
    let (mut result, mut base, mut exponent) = (1, x, P - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = product(result, base);
        }
        base = product(base, base);
        exponent >>= 1;
    }
    result
}

/// x mod p in 0..p.
fn residue(x: &IBig) -> u64 {
    let (sign, words) = x.as_sign_words();
    let fold = |r: u64, word: &Word| reduce((u128::from(r) << Word::BITS) + u128::from(*word));
    let r = words.iter().rev().fold(0, fold);
    if sign == dashu_base::Sign::Negative && r > 0 {
        P - r
    } else {
        r
    }
}

enum Inverse {
    /// A⁻¹ mod p, by rows.
    Of(Vec<Vec<u64>>),
    /// Modulo p, `column` depends on the columns before it, which are independent in `rows`.
    Dependent { column: usize, rows: Vec<usize> },
}

/// Gauss–Jordan elimination of (A, I) modulo p.
fn inverse(system: &System) -> Inverse {
    let k = system.order();
    let mut a = vec![vec![0u64; 2 * k]; k];
    for (i, row) in system.rows.iter().enumerate() {
        for (j, value) in row {
            a[i][*j] = residue(value);
        }
        a[i][k + i] = 1;
    }
    let mut order: Vec<usize> = (0..k).collect();
    for step in 0..k {
        let Some(found) = (step..k).find(|&i| a[i][step] != 0) else {
            order.truncate(step);
            return Inverse::Dependent {
                column: step,
                rows: order,
            };
        };
        a.swap(step, found);
        order.swap(step, found);
        let scale = reciprocal(a[step][step]);
        a[step][step..].iter_mut().for_each(|v| *v = product(*v, scale));
        let pivot_row = std::mem::take(&mut a[step]);
        for row in &mut a {
            if row.is_empty() || row[step] == 0 {
                continue;
            }
            let factor = P - row[step];
            for (value, &pivot) in row[step..].iter_mut().zip(&pivot_row[step..]) {
                if pivot != 0 {
                    *value = reduce(u128::from(factor) * u128::from(pivot) + u128::from(*value));
                }
            }
        }
        a[step] = pivot_row;
    }
    for row in &mut a {
        row.drain(..k);
    }
    Inverse::Of(a)
}

/// Whether `column` of A is, in rationals too, a combination of the columns before it.
fn is_dependent(system: &System, column: usize, rows: &[usize]) -> bool {
    let entry = |i: usize| {
        let found = system.rows[i].iter().find(|(j, _)| *j == column);
        found.map_or(IBig::ZERO, |(_, a)| a.clone())
    };
    let minor = System {
        rows: rows
            .iter()
            .map(|&i| system.rows[i].iter().filter(|(j, _)| *j < column).cloned().collect())
            .collect(),
        b: rows.iter().map(|&i| entry(i)).collect(),
    };
    let Inverse::Of(inverse) = inverse(&minor) else {
        return false;
    };
    let mut null = lift(&minor, &inverse);
    null.numerators.push(-&null.denominator);
    null.numerators.resize(system.order(), IBig::ZERO);
    let homogeneous = System {
        rows: system.rows.clone(),
        b: vec![IBig::ZERO; system.order()],
    };
    homogeneous.holds(&null)
}

/// The rows of A in limbs: for each row and each limb, the columns and the limbs that are not zero.
type Limbs = Vec<Vec<Vec<(usize, i64)>>>;

fn limbs(system: &System) -> Limbs {
    let cut = |row: &Vec<(usize, IBig)>| {
        let mut levels: Vec<Vec<(usize, i64)>> = Vec::new();
        for (j, value) in row {
            let negative = value.is_negative();
            let (_, magnitude) = value.clone().into_parts();
            for (level, limb) in magnitude.to_chunks(LIMB_BITS).iter().enumerate() {
                if levels.len() <= level {
                    levels.push(Vec::new());
                }
                let limb = i64::try_from(limb).unwrap_or(0); // below 2⁵²
                if limb != 0 {
                    levels[level].push((*j, if negative { -limb } else { limb }));
                }
            }
        }
        levels
    };
    system.rows.iter().map(cut).collect()
}

/// Lifts until the reconstruction is the solution. A is nonsingular modulo p, so the end is certain: Cramer's rule
/// bounds numerators and denominators.
fn lift(system: &System, inverse: &[Vec<u64>]) -> Quotients {
    let limbs = limbs(system);
    let mut remainder = system.b.clone();
    let mut digits: Vec<Vec<u64>> = Vec::new();
    let mut attempt = 2;
    loop {
        let digit = next_digit(inverse, &remainder);
        subtract_and_divide(&limbs, &digit, &mut remainder);
        digits.push(digit);
        // An exact end: the remainder is gone, and x is the integer its digits spell.
        if digits.len() >= attempt || remainder.iter().all(IBig::is_zero) {
            if let Some(x) = reconstruct(&digits)
                && system.holds(&x)
            {
                return x;
            }
            attempt = digits.len() + digits.len() / 4 + 1;
        }
    }
}

/// A⁻¹ r mod p.
fn next_digit(inverse: &[Vec<u64>], remainder: &[IBig]) -> Vec<u64> {
    // 64 products below 2¹²² fit 128 bits.
    const PRODUCTS_PER_SUM: usize = 32;
    let r: Vec<u64> = remainder.iter().map(residue).collect();
    let row_product = |row: &Vec<u64>| {
        let blocks = row.chunks(PRODUCTS_PER_SUM).zip(r.chunks(PRODUCTS_PER_SUM));
        blocks.fold(0u64, |sum, (c, r)| {
            let terms = c.iter().zip(r).map(|(&c, &r)| u128::from(c) * u128::from(r));
            reduce(terms.sum::<u128>() + u128::from(sum))
        })
    };
    inverse.iter().map(row_product).collect()
}

/// r ← (r − Ax) / p, without remainder.
fn subtract_and_divide(limbs: &Limbs, x: &[u64], remainder: &mut [IBig]) {
    let p = IBig::from(P);
    for (row, r) in limbs.iter().zip(remainder) {
        for (level, entries) in row.iter().enumerate() {
            let sum: i128 = entries.iter().map(|&(j, a)| i128::from(a) * i128::from(x[j])).sum();
            if sum != 0 {
                *r -= IBig::from(sum) << (level * LIMB_BITS);
            }
        }
        if !r.is_zero() {
            *r /= &p;
        }
    }
}

/// Rationals over one denominator that agree with the digits modulo p^s and are as small as the digits can tell.
fn reconstruct(digits: &[Vec<u64>]) -> Option<Quotients> {
    let modulus = IBig::from(P).pow(digits.len());
    let (_, half) = (&modulus >> 1usize).into_parts();
    let bound = IBig::from(half.sqrt());
    let mut denominator = IBig::ONE;
    let mut numerators: Vec<IBig> = Vec::new();
    for j in 0..digits.first().map_or(0, Vec::len) {
        let residue = spell(digits, j) * &denominator % &modulus;
        if residue <= bound {
            numerators.push(residue);
            continue;
        }
        let complement = &modulus - &residue;
        if complement <= bound {
            numerators.push(-complement);
            continue;
        }
        let (numerator, factor) = reconstruct_one(residue, &modulus, &bound)?;
        denominator *= &factor;
        if denominator > bound {
            return None;
        }
        for earlier in &mut numerators {
            *earlier *= &factor;
        }
        numerators.push(numerator);
    }
    Some(Quotients {
        numerators,
        denominator,
    })
}

/// Σ digit_s p^s of component j.
fn spell(digits: &[Vec<u64>], j: usize) -> IBig {
    let p = UBig::from(P);
    let value = digits
        .iter()
        .rev()
        .fold(UBig::ZERO, |value, digit| value * &p + digit[j]);
    IBig::from(value)
}

/// Numerator and positive denominator, both at most `bound`, of a fraction congruent to the residue: Euclid's algorithm
/// stopped half-way.
fn reconstruct_one(residue: IBig, modulus: &IBig, bound: &IBig) -> Option<(IBig, IBig)> {
    let (mut r0, mut r1) = (modulus.clone(), residue);
    let (mut t0, mut t1) = (IBig::ZERO, IBig::ONE);
    while r1 > *bound {
        let quotient = &r0 / &r1;
        let r2 = r0 - &quotient * &r1;
        let t2 = t0 - &quotient * &t1;
        (r0, r1, t0, t1) = (r1, r2, t1, t2);
    }
    let numerator = if t1.is_negative() { -r1 } else { r1 };
    let denominator = t1.abs();
    (denominator <= *bound).then_some((numerator, denominator))
}
