//! The proof of branch and bound: leaves that cover all complementary cones, each contradicted by weights of its rows.

use super::farkas::contradicts;
use super::problem::{ExactLcp, rational};
use super::solve::solve_basis_within;
use super::work::Work;
use crate::basis::Var;
use dashu_base::Signed;
use dashu_ratio::RBig;

/// What is decided of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pair {
    /// z_i ≥ 0 and w_i ≥ 0.
    Open,
    /// z_i = 0 and w_i ≥ 0.
    ZIsZero,
    /// z_i ≥ 0 and w_i = 0.
    WIsZero,
    /// z_i has any sign and w_i = 0, in the whole tree.
    Free,
}

/// A leaf of the tree that holds no point, with its contradiction in doubles.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Leaf {
    /// What is decided.
    pub(crate) pairs: Vec<Pair>,
    /// Weights of the rows of w = Mz + q.
    pub(crate) y: Vec<f64>,
    /// The basis of the weights: w that are nonbasic, z that are basic.
    pub(crate) rows: Vec<usize>,
    pub(crate) columns: Vec<usize>,
    /// The basic variable whose row is the contradiction, and whether the row is negated.
    pub(crate) source: Var,
    pub(crate) negated: bool,
}

/// Weights that contradict a leaf without rounding: its own as doubles, or those of its basis in rationals. `None` when neither does, or the
/// work is spent.
pub(crate) fn contradiction(problem: &ExactLcp, leaf: &Leaf, work: &mut Work) -> Option<Vec<RBig>> {
    let n = problem.n();
    let proves = |y: &[RBig]| contradicts(problem, y, |i| leaf.pairs[i]);
    work.spend_bits(n * n + 1, 128, 64)?;
    let y: Vec<RBig> = leaf.y.iter().map(|v| rational(*v)).collect();
    if proves(&y) {
        return Some(y);
    }
    let y = weights_of_basis(problem, leaf, work)?;
    proves(&y).then_some(y)
}

/// With K = M_RC the weights satisfy Kᵀ y_R = −M_sC for a source w_s with y_s = 1, and Kᵀ y_R = −e_s for a source z_s.
fn weights_of_basis(problem: &ExactLcp, leaf: &Leaf, work: &mut Work) -> Option<Vec<RBig>> {
    let k = leaf.rows.len();
    if leaf.columns.len() != k {
        return None;
    }
    let transposed = leaf
        .columns
        .iter()
        .flat_map(|&j| leaf.rows.iter().map(move |&i| (i, j)));
    let entries: Vec<RBig> = transposed.map(|(i, j)| problem.M(i, j)).collect();
    let right: Vec<RBig> = leaf
        .columns
        .iter()
        .map(|&j| match leaf.source {
            Var::W(s) => problem.M(s, j),
            Var::Z(s) if s == j => RBig::ONE,
            _ => RBig::ZERO,
        })
        .collect();
    let system = ExactLcp::from_rationals(k, &entries, &right).ok()?;
    let (solved, _) = solve_basis_within(&system, &vec![true; k], work)?;
    let mut y = vec![RBig::ZERO; problem.n()];
    if let Var::W(s) = leaf.source {
        y[s] = RBig::ONE;
    }
    for (&i, value) in leaf.rows.iter().zip(solved) {
        y[i] = value;
    }
    if leaf.negated {
        y = y.into_iter().map(|v| -v).collect();
    }
    Some(y)
}

/// Whether the basic solution with z_C determined by w_R = 0 is feasible, without rounding: z ≥ 0 and w ≥ 0, except for free variables and their
/// equations.
pub(crate) fn is_feasible(problem: &ExactLcp, rows: &[usize], columns: &[usize], work: &mut Work) -> bool {
    let k = rows.len();
    let entries = rows.iter().flat_map(|&i| columns.iter().map(move |&j| (i, j)));
    let entries: Vec<RBig> = entries.map(|(i, j)| problem.M(i, j)).collect();
    let right: Vec<RBig> = rows.iter().map(|&i| problem.q(i)).collect();
    let Ok(system) = ExactLcp::from_rationals(k, &entries, &right) else {
        return false;
    };
    let Some((solved, _)) = solve_basis_within(&system, &vec![true; k], work) else {
        return false;
    };
    let mut z = vec![RBig::ZERO; problem.n()];
    for (&j, value) in columns.iter().zip(solved) {
        z[j] = value;
    }
    let w = problem.w(&z);
    (0..problem.n()).all(|i| {
        if problem.free[i] {
            w[i].is_zero()
        } else {
            !z[i].is_negative() && !w[i].is_negative()
        }
    })
}

/// Whether every complementary cone lies in a leaf: some pair is decided in all leaves, and those that decide it one way cover its one half, those
/// that decide it the other way the other.
pub(crate) fn cover_all(leaves: &[Leaf]) -> bool {
    let all: Vec<&[Pair]> = leaves.iter().map(|leaf| &leaf.pairs[..]).collect();
    let n = all.first().map_or(0, |pairs| pairs.len());
    let mut open: Vec<usize> = (0..n).collect();
    covered(&all, &mut open)
}

fn covered(leaves: &[&[Pair]], open: &mut Vec<usize>) -> bool {
    let decided = |pair: Pair| matches!(pair, Pair::ZIsZero | Pair::WIsZero);
    // A leaf that decides nothing more holds all that is left.
    if leaves.iter().any(|pairs| open.iter().all(|&i| !decided(pairs[i]))) {
        return true;
    }
    let Some(at) = open.iter().position(|&i| leaves.iter().all(|pairs| decided(pairs[i]))) else {
        return false;
    };
    if leaves.is_empty() {
        return false;
    }
    let pair = open.remove(at);
    let half = |way: Pair| {
        leaves
            .iter()
            .filter(|pairs| pairs[pair] == way)
            .copied()
            .collect::<Vec<_>>()
    };
    let both = covered(&half(Pair::ZIsZero), open) && covered(&half(Pair::WIsZero), open);
    open.insert(at, pair);
    both
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Lcp;

    fn leaf(pairs: &[Pair], y: &[f64]) -> Leaf {
        Leaf {
            pairs: pairs.to_vec(),
            y: y.to_vec(),
            rows: Vec::new(),
            columns: Vec::new(),
            source: Var::Z0,
            negated: false,
        }
    }

    #[test]
    fn a_missing_half_is_noticed() {
        use Pair::{Open, WIsZero, ZIsZero};
        let tree = [[ZIsZero, Open], [WIsZero, ZIsZero], [WIsZero, WIsZero]].map(|pairs| leaf(&pairs, &[]));
        assert!(cover_all(&tree));
        for missing in 0..3 {
            let mut rest = tree.to_vec();
            rest.remove(missing);
            assert!(!cover_all(&rest), "without leaf {missing}");
        }
        assert!(cover_all(&[leaf(&[Open, Open], &[])]) && !cover_all(&[]));
    }

    #[test]
    fn weights_are_checked_against_the_decisions() {
        // w0 = z1 − 1, w1 = z0 + z1: with w1 = 0 nothing holds up w0; y1 < 0 is right there and nowhere else.
        let lcp = Lcp::from_rows(&[[0.0, 1.0], [1.0, 1.0]], &[-1.0, 0.0]).unwrap();
        let problem = ExactLcp::from_lcp(&lcp);
        for (pairs, holds) in [
            ([Pair::Open, Pair::WIsZero], true),
            ([Pair::Open, Pair::Open], false),
            ([Pair::Open, Pair::ZIsZero], false),
        ] {
            let leaf = leaf(&pairs, &[1.0, -1.0]);
            assert_eq!(
                contradiction(&problem, &leaf, &mut Work::any()).is_some(),
                holds,
                "{pairs:?}"
            );
        }
    }

    #[test]
    fn weights_of_a_basis_need_no_rounding() {
        // w0 = 3z0 − 1 ≥ 0 and w1 = −z0 + 1/4 ≥ 0: the weights are 1 : 3, in the basis of z0 and w1.
        let lcp = Lcp::from_rows(&[[3.0, 0.0], [-1.0, 0.0]], &[-1.0, 0.25]).unwrap();
        let problem = ExactLcp::from_lcp(&lcp);
        let rounded = Leaf {
            rows: vec![0],
            columns: vec![0],
            source: Var::W(1),
            ..leaf(&[Pair::Open, Pair::Open], &[0.34, 1.0])
        };
        let y = contradiction(&problem, &rounded, &mut Work::any()).expect("1 : 3");
        assert_eq!(y[0].to_string(), "1/3");
    }
}
