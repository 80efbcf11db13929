//! All 2ⁿ supports, one after the other: the oracle for tests and for problems of a few variables.
//!
//! A support α is the set of the z_i that may differ from zero; M_αα z_α = −q_α then gives the only candidate. Supports
//! whose matrix is singular are skipped. For symmetric positive semidefinite M no problem loses its last solution by
//! that: a null vector of M_αα is one of M, and z can move along it, w unchanged, until its support is smaller. For
//! other M a degenerate problem may be missed.

use crate::factor::Lu;
use crate::pivoting::Data;

/// How negative the entries of a candidate may be, relative to its largest entry, before it is not even offered.
/// The decision is the caller's; this only has to be looser than any judge.
const CANDIDATE_REL_TOL: f64 = 1e-8;

/// Masks are 64 bits wide.
const MASK_BITS: usize = 63;

/// What the enumeration found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enumeration {
    /// A candidate was accepted; it is the last one that was offered.
    Found,
    /// No candidate was accepted.
    None,
    /// There are more complementary pairs than the limit.
    TooLarge,
}

/// Offers to `accept` the candidates of all supports, smaller ones first, until one is accepted. Free variables
/// belong to every support. Nothing is tried when there are more than `limit` (at most 63) complementary pairs.
pub fn enumerate(data: Data<'_>, limit: usize, mut accept: impl FnMut(&[f64]) -> bool) -> Enumeration {
    let n = data.n();
    let pairs: Vec<usize> = (0..n).filter(|&i| !data.is_free(i)).collect();
    if pairs.len() > limit.min(MASK_BITS) {
        return Enumeration::TooLarge;
    }
    let free: Vec<usize> = (0..n).filter(|&i| data.is_free(i)).collect();
    let mut work = Work {
        z: vec![0.0; n],
        w: vec![0.0; n],
        b: vec![0.0; n],
        x: vec![0.0; n],
        lu: Lu::default(),
    };
    let mut support = Vec::with_capacity(n);
    for size in 0..=pairs.len() {
        let mut mask = (1u64 << size) - 1;
        while mask >> pairs.len() == 0 {
            support.clear();
            support.extend_from_slice(&free);
            support.extend((0..pairs.len()).filter(|&p| mask >> p & 1 == 1).map(|p| pairs[p]));
            if work.candidate(data, &support) && accept(&work.z) {
                return Enumeration::Found;
            }
            if mask == 0 {
                break;
            }
            mask = following(mask);
        }
    }
    Enumeration::None
}

/// The next larger number with as many bits set (Gosper).
fn following(mask: u64) -> u64 {
    let lowest = mask & mask.wrapping_neg();
    let ripple = mask + lowest;
    ripple | (((mask ^ ripple) >> 2) / lowest)
}

struct Work {
    z: Vec<f64>,
    w: Vec<f64>,
    b: Vec<f64>,
    x: Vec<f64>,
    lu: Lu<f64>,
}

impl Work {
    /// Solves for z on the support. False when it cannot be an answer.
    fn candidate(&mut self, data: Data<'_>, support: &[usize]) -> bool {
        if !self.lu.factor(support.len(), |i, j| data.M.at(support[i], support[j])) {
            return false;
        }
        for (b, &i) in self.b.iter_mut().zip(support) {
            *b = -data.q[i];
        }
        self.lu.solve(&self.b, &mut self.x);
        self.z.fill(0.0);
        self.w.copy_from_slice(data.q);
        for (&x, &j) in self.x.iter().zip(support) {
            self.z[j] = x;
            for (w, &m) in self.w.iter_mut().zip(data.M.column(j)) {
                *w += m * x;
            }
        }
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, v| v.abs().max(m));
        let (least_z, least_w) = (
            -CANDIDATE_REL_TOL * largest(&self.z),
            -CANDIDATE_REL_TOL * largest(&self.w).max(largest(data.q)),
        );
        for i in (0..data.n()).filter(|&i| !data.is_free(i)) {
            // Written so that NaN is refused.
            if !(self.z[i] >= least_z && self.w[i] >= least_w) {
                return false;
            }
            self.z[i] = self.z[i].max(0.0);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Lcp;
    use crate::residual::Judge;
    use crate::solution::Status;

    #[test]
    fn supports_come_by_size() {
        let lcp = Lcp::from_rows(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], &[0.0; 3]).unwrap();
        let mut offered = 0;
        let found = enumerate(Data::of(&lcp), 3, |_| {
            offered += 1;
            false
        });
        assert_eq!((found, offered), (Enumeration::None, 8));
        assert_eq!(enumerate(Data::of(&lcp), 2, |_| true), Enumeration::TooLarge);
        assert_eq!(
            (following(0b0011), following(0b0101), following(0b0110)),
            (0b0101, 0b0110, 0b1001)
        );
    }

    #[test]
    fn the_only_solution_is_found() {
        let lcp = Lcp::from_rows(&[[2.0, 1.0], [1.0, 2.0]], &[-5.0, -6.0]).unwrap();
        let mut judge = Judge::default();
        let mut answer = Vec::new();
        let found = enumerate(Data::of(&lcp), 20, |z| {
            answer = z.to_vec();
            judge.judge(lcp.view(), z, 1e-10).0 == Status::Solved
        });
        assert_eq!(found, Enumeration::Found);
        assert!((answer[0] - 4.0 / 3.0).abs() + (answer[1] - 7.0 / 3.0).abs() < 1e-14);
    }

    #[test]
    fn an_infeasible_problem_has_none_and_an_empty_one_its_empty_answer() {
        let lcp = Lcp::from_rows(&[[0.0]], &[-1.0]).unwrap();
        assert_eq!(enumerate(Data::of(&lcp), 20, |_| true), Enumeration::None);
        let empty = Lcp::from_rows::<[f64; 0]>(&[], &[]).unwrap();
        assert_eq!(enumerate(Data::of(&empty), 20, <[f64]>::is_empty), Enumeration::Found);
    }

    #[test]
    fn free_variables_are_in_every_support() {
        // z_0 free: z_0 − z_1 = 0 and w_1 = z_0 + z_1 − 4.
        let lcp = Lcp::from_rows(&[[1.0, -1.0], [1.0, 1.0]], &[0.0, -4.0]).unwrap();
        let mixed = Data {
            free: &[true, false],
            ..Data::of(&lcp)
        };
        assert_eq!(
            enumerate(mixed, 1, |z| (z[0] - 2.0).abs() + (z[1] - 2.0).abs() < 1e-14),
            Enumeration::Found
        );
    }
}
