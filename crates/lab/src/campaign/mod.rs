//! A campaign: many random problems, each answer verified twice, everything counted.

pub(crate) mod agree;
mod alike;
mod change;
pub mod families;
mod mix;
pub(crate) mod proofs;
mod recheck;
pub(crate) mod runner;
mod sample;
pub(crate) mod soak;
pub(crate) mod solved;

use std::fmt::Write;
use std::path::Path;

use families::{Family, Rng};
use stiction_lcp::{Accuracy, Lcp, Method, Solver, Status};

use stiction_formats::BadInput;
use stiction_formats::write::write_whole_in_folder;

/// An answer called solved counts as unverified when a row, recomputed here, is off by more than this share of its own size…
pub const UNVERIFIED_REL_TOL: f64 = 1e-9;

/// …and this many roundings of its terms.
pub const UNVERIFIED_ROUNDINGS: f64 = 10.0;

/// What became of the problems of one family.
#[derive(Debug, Clone)]
pub struct Row {
    /// The family.
    pub family: Family,
    /// Problems tried.
    pub count: usize,
    /// Solved by the first run.
    pub first: usize,
    /// Solved in `f64` after a fallback.
    pub fallback: usize,
    /// Solved in double-double arithmetic.
    pub extended: usize,
    /// Solved in exact arithmetic.
    pub exact: usize,
    /// Solved, with rounding excused.
    pub rounding: usize,
    /// Said to be solved, but refused by the residual recomputed here.
    pub unverified: usize,
    /// Largest residual of an answer, recomputed here.
    pub worst: f64,
    /// Pivots of all runs together.
    pub pivots: usize,
}

impl Row {
    fn new(family: Family) -> Self {
        Self {
            family,
            count: 0,
            first: 0,
            fallback: 0,
            extended: 0,
            exact: 0,
            rounding: 0,
            unverified: 0,
            worst: 0.0,
            pivots: 0,
        }
    }

    /// Problems solved by any method.
    #[must_use]
    pub fn solved(&self) -> usize {
        self.in_doubles() + self.extended + self.exact
    }

    /// Problems solved in `f64`.
    #[must_use]
    pub fn in_doubles(&self) -> usize {
        self.first + self.fallback
    }

    /// Whether everything is solved and verified: every problem of the families has an answer.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.solved() == self.count && self.unverified == 0
    }
}

/// Solves `count` problems, spread evenly over the families. `progress` hears of the family, problems done and their number;
/// `failure` gets each problem that is not solved, with its number in the family.
///
/// # Errors
/// When `failure` returns one.
pub fn run(
    count: usize,
    seed: u64,
    progress: impl Fn(&str, usize, usize),
    failure: impl Fn(Family, usize, &Lcp) -> Result<(), BadInput>,
) -> Result<Vec<Row>, BadInput> {
    let mut solver = Solver::new();
    let mut rows = Vec::new();
    let families = Family::ALL.len();
    for (k, family) in Family::ALL.into_iter().enumerate() {
        let mut row = Row::new(family);
        let share = count / families + usize::from(k < count % families);
        let mut seeds = Rng::new(seed ^ (k as u64 + 1) << 48);
        for index in 0..share {
            let lcp = family.problem(&mut seeds.fork())?;
            if !tally(&mut row, &mut solver, &lcp)? {
                failure(family, index, &lcp)?;
            }
            if index % 100 == 99 || index + 1 == share {
                progress(family.name(), index + 1, share);
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Solves one problem and counts it. False when it is not solved or not verified.
fn tally(row: &mut Row, solver: &mut Solver, lcp: &Lcp) -> Result<bool, BadInput> {
    let solution = solver.solve(lcp)?;
    row.count += 1;
    row.pivots += solution.stats.pivots;
    if solution.status != Status::Solved {
        return Ok(false);
    }
    match solution.stats.method() {
        Some(Method::LemkeExtended) => row.extended += 1,
        Some(Method::LemkeExact) => row.exact += 1,
        _ if solution.stats.answered_by == 0 => row.first += 1,
        _ => row.fallback += 1,
    }
    row.rounding += usize::from(solution.residual.accuracy == Accuracy::Rounding);
    let (residual, verified) = second_opinion(lcp, &solution.z);
    row.worst = row.worst.max(residual);
    row.unverified += usize::from(!verified);
    Ok(verified)
}

/// The largest residual of a row beside its size, and whether every row is within its allowance. Summed here by rows and in
/// compensated arithmetic: nothing of the library's judge is used.
///
/// The size of a row is what acts on it: |q_i|, or its terms |q_i| + Σ|M_ij z_j| as far as they do not exceed the largest |q_k| that entries of M
/// connect with it. A row may be off by [`UNVERIFIED_REL_TOL`] of its size and [`UNVERIFIED_ROUNDINGS`] roundings of its terms: rounding z to
/// doubles alone moves w_i by up to one rounding of Σ|M_ij z_j|, whatever the method. A positive pair is off by w_i, or by what z_i does to the rows it
/// acts on.
fn second_opinion(lcp: &Lcp, z: &[f64]) -> (f64, bool) {
    let n = z.len();
    let (mut w, mut terms) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        (w[i], terms[i]) = row_sum(lcp, z, i);
    }
    let driven = driven(lcp);
    // A row on which nothing acts but rounding has no size of its own.
    let is_bare = |i: usize| lcp.q()[i] == 0.0 && terms[i] <= UNVERIFIED_ROUNDINGS * f64::EPSILON * driven[i];
    let own = |i: usize| lcp.q()[i].abs().max(terms[i].min(driven[i]));
    let size: Vec<f64> = (0..n).map(|i| if is_bare(i) { driven[i] } else { own(i) }).collect();
    // Beyond 1 is too much.
    let share = |left: f64, i: usize| {
        let allowed = UNVERIFIED_REL_TOL * size[i] + UNVERIFIED_ROUNDINGS * f64::EPSILON * terms[i];
        if left <= 0.0 { 0.0 } else { left / allowed }
    };
    let acts = |i: usize| {
        let moved = |k: usize| (lcp.M().at(k, i) * z[i]).abs();
        (0..n)
            .filter(|k| moved(*k) > 0.0)
            .fold(0.0_f64, |most, k| most.max(share(moved(k), k)))
    };
    let (mut worst, mut verified) = (0.0f64, true);
    for i in 0..n {
        let off = if z[i] < 0.0 {
            acts(i).max(share(-w[i], i))
        } else if z[i] > 0.0 && w[i] > 0.0 {
            share(w[i], i).min(acts(i))
        } else {
            share(-w[i], i)
        };
        verified &= off <= 1.0; // false for NaN
        let left = if z[i] > 0.0 { w[i].abs() } else { (-w[i]).max(0.0) };
        worst = worst.max(if left == 0.0 { 0.0 } else { left / size[i] });
    }
    (worst, verified)
}

/// w_i and the magnitudes of its terms.
fn row_sum(lcp: &Lcp, z: &[f64], i: usize) -> (f64, f64) {
    let (mut sum, mut rest, mut terms) = (lcp.q()[i], 0.0, lcp.q()[i].abs());
    for (j, &zj) in z.iter().enumerate() {
        let product = lcp.M().at(i, j) * zj;
        rest += lcp.M().at(i, j).mul_add(zj, -product); // exact error of the product
        let total = sum + product;
        let back = total - sum;
        rest += (sum - (total - back)) + (product - back);
        sum = total;
        terms += product.abs();
    }
    (sum + rest, terms)
}

/// The largest |q_k| of the rows that entries of M connect with each row.
fn driven(lcp: &Lcp) -> Vec<f64> {
    let n = lcp.n();
    let mut driven = vec![0.0; n];
    let mut seen = vec![false; n];
    for first in 0..n {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        let (mut rows, mut at) = (vec![first], 0);
        while let Some(&i) = rows.get(at) {
            at += 1;
            for j in 0..n {
                if !seen[j] && (lcp.M().at(i, j) != 0.0 || lcp.M().at(j, i) != 0.0) {
                    seen[j] = true;
                    rows.push(j);
                }
            }
        }
        let largest = rows.iter().fold(0.0_f64, |most, i| most.max(lcp.q()[*i].abs()));
        for i in rows {
            driven[i] = largest;
        }
    }
    driven
}

/// The table of a campaign, in Markdown.
#[must_use]
pub fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| family | problems | solved | first run | f64 fallback | extended | exact | rounding | unverified | worst residual | mean pivots |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1e} | {:.1} |",
            row.family.name(),
            row.count,
            row.solved(),
            row.first,
            row.fallback,
            row.extended,
            row.exact,
            row.rounding,
            row.unverified,
            row.worst,
            row.pivots as f64 / row.count.max(1) as f64,
        );
    }
    let count: usize = rows.iter().map(|row| row.count).sum();
    let solved: usize = rows.iter().map(Row::solved).sum();
    let unverified: usize = rows.iter().map(|row| row.unverified).sum();
    let rounding: usize = rows.iter().map(|row| row.rounding).sum();
    let _ = writeln!(
        text,
        "\n{count} problems, {solved} solved ({rounding} with accuracy rounding), {unverified} unverified"
    );
    text
}

/// Writes a problem as a contract file, to be solved again and to become a test.
///
/// # Errors
/// When the file cannot be written.
pub fn write_problem(folder: &Path, family: Family, index: usize, lcp: &Lcp) -> Result<(), BadInput> {
    let n = lcp.n();
    let rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| lcp.M().at(i, j)).collect()).collect();
    let name = format!("{}-{index}", family.name().replace([' ', ',', '='], "-"));
    let file = serde_json::json!({ "kind": "lcp", "name": name, "M": rows, "q": lcp.q() });
    write_whole_in_folder(&folder.join(format!("{name}.json")), file.to_string())
}
