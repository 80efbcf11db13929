//! Bounces after Poisson: the compression is judged, then the whole impulse.
//!
//! The compression p_c solves the problem without restitution. The whole impulse p solves it again, from the same velocity without contact, with the least
//! normal impulses c_i = (1 + s e_i) θ_c,i. The share s is 1 where all contacts of a part have one e ≤ 1. Else s = min(1, |p_c| / |E p_c|) in the norm
//! |p|² = pᵀWp of the kinetic energy that impulses give to bodies at rest. A part is a set of bodies that p_c connects.
//!
//! No part gains energy. With q = (1 + sE)p_c, and since θ_c·ν_c = 0, the work of the whole impulse is
//! p·(u⁻ + u⁺)/2 ≤ −½|p − q|² + ½|sE p_c|² − ½|p_c|² + (f − f_q)·u_t⁺ + f_q·u_t,c. Both last terms are ≤ 0: f opposes u_t⁺ as no other friction
//! in the disc of μθ, which holds f_q, and f_c opposes u_t,c. Firm joint rows without bias move in neither phase, so that their share is free in q.

use super::{Answer, Judge, Terms, Verdict, check, check_sum};
use crate::cone::length;
use crate::error::{InputError, check_length};
use crate::problem::ContactProblem;
use crate::sets::Sets;
use crate::solution::Law;

/// Least normal impulse of a contact that held in the compression without being pressed, under the law without slip: none, but it is pressed. As friction
/// without limit takes any impulse from it, the contact holds in the whole bounce as well.
const HELD: f64 = f64::MIN_POSITIVE;

/// Share of the largest impulse below which friction holds nothing: it is rounding.
const LEAST_HOLD: f64 = 1e-12;

/// What the impulses of a compression add up to on the bodies that it connects.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// |p_c|², the same of E p_c of contacts alone, of joint rows alone, and the product of these two.
    whole: f64,
    given_back: f64,
    joints: f64,
    both: f64,
    /// Least and largest e of contacts that push.
    range: [f64; 2],
}

impl Part {
    const EMPTY: Self = Self {
        whole: 0.0,
        given_back: 0.0,
        joints: 0.0,
        both: 0.0,
        range: [f64::INFINITY, 0.0],
    };

    /// s: joint rows take part in E p_c as they make it least.
    fn share(&self) -> f64 {
        if self.range[0] >= self.range[1] {
            return 1.0;
        }
        let of_joints = if self.joints > 0.0 {
            self.both / self.joints * self.both
        } else {
            0.0
        };
        let back = (self.given_back - of_joints).max(0.0);
        if back > self.whole {
            (self.whole / back).sqrt()
        } else {
            1.0
        }
    }
}

/// Buffers of a bounce.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch {
    sets: Sets,
    /// First block of the part of each block.
    part_of: Vec<usize>,
    parts: Vec<Part>,
    shares: Vec<f64>,
    /// Impulses on the bodies: whole, of contacts times e, of joint rows.
    sums: [Vec<f64>; 3],
    x: Vec<f64>,
}

impl Judge {
    /// c_i = (1 + s e_i) θ_c,i of each contact.
    pub(crate) fn least_impulses(
        &mut self,
        problem: &ContactProblem,
        law: Law,
        compression: Answer<'_>,
        least: &mut Vec<f64>,
    ) {
        let mut scratch = std::mem::take(&mut self.bounce);
        scratch.find_parts(problem, compression);
        self.shares(problem, compression, &mut scratch);
        let Scratch { part_of, shares, .. } = &scratch;
        least.clear();
        let pushes = compression.normal.iter().map(|theta| theta.abs());
        let rubs = compression.friction.iter().map(|f| length(*f));
        let largest = pushes.chain(rubs).fold(0.0, f64::max);
        for (i, theta) in compression.normal.iter().enumerate() {
            let first = problem.columns_tilde(i).touches.first();
            let s = first.map_or(1.0, |touch| shares[part_of[touch.block]]);
            let c = (1.0 + s * problem.restitution(i)) * theta.max(0.0);
            let holds = law == Law::NoSlip && length(compression.friction[i]) > LEAST_HOLD * largest;
            least.push(if holds { c.max(HELD) } else { c });
        }
        self.bounce = scratch;
    }

    /// s of each part, at the index of its first block.
    fn shares(&mut self, problem: &ContactProblem, compression: Answer<'_>, scratch: &mut Scratch) {
        self.motion.factor.set(problem);
        let Scratch {
            part_of,
            parts,
            shares,
            sums,
            x,
            ..
        } = scratch;
        parts.clear();
        parts.resize(problem.block_count(), Part::EMPTY);
        for sum in sums.iter_mut() {
            sum.clear();
            sum.resize(problem.dof(), 0.0);
        }
        for (i, (theta, f)) in compression.normal.iter().zip(compression.friction).enumerate() {
            let (c, e) = (problem.columns_tilde(i), problem.restitution(i));
            for t in c.touches {
                for k in 0..t.len {
                    let at = t.start + k;
                    let x = c.normal[at] * theta + c.tangents[0][at] * f[0] + c.tangents[1][at] * f[1];
                    sums[0][t.at + k] += x;
                    sums[1][t.at + k] += e * x;
                }
            }
            if let (true, Some(first)) = (*theta > 0.0, c.touches.first()) {
                let [least, most] = &mut parts[part_of[first.block]].range;
                (*least, *most) = (least.min(e), most.max(e));
            }
        }
        for (k, x) in compression.joint.iter().enumerate() {
            let (touches, column) = problem.joint_tilde(k);
            for t in touches {
                for j in 0..t.len {
                    sums[0][t.at + j] += column[t.start + j] * x;
                    sums[2][t.at + j] += column[t.start + j] * x;
                }
            }
        }
        for block in 0..problem.block_count() {
            let (range, part) = (problem.block_range(block), &mut parts[part_of[block]]);
            let mut product = |a: usize, b: usize| {
                x.clear();
                x.extend_from_slice(&sums[a][range.clone()]);
                self.motion.factor.solve(block, x);
                x.iter().zip(&sums[b][range.clone()]).map(|(x, y)| x * y).sum::<f64>()
            };
            part.whole += product(0, 0);
            part.given_back += product(1, 1);
            part.joints += product(2, 2);
            part.both += product(1, 2);
        }
        shares.clear();
        shares.extend(parts.iter().map(Part::share));
    }
}

impl Scratch {
    /// First block of the part that each block belongs to: blocks that an impulse acts on together are of one.
    fn find_parts(&mut self, problem: &ContactProblem, compression: Answer<'_>) {
        self.sets.reset(problem.block_count());
        for (i, (theta, f)) in compression.normal.iter().zip(compression.friction).enumerate() {
            if *theta != 0.0 || *f != [0.0; 2] {
                self.sets.join_touched(problem.columns_tilde(i).touches);
            }
        }
        for (k, x) in compression.joint.iter().enumerate() {
            if *x != 0.0 {
                self.sets.join_touched(problem.joint_tilde(k).0);
            }
        }
        self.part_of.clear();
        for block in 0..problem.block_count() {
            self.part_of.push(self.sets.root(block));
        }
    }
}

/// Least normal impulse (1 + s e)θ_c of each contact in the whole of a bounce after Poisson, for impulses of its compression. The share s is 1 where
/// all contacts that push on bodies which the compression connects have one coefficient; else it may be less, so that energy does not grow. Under the law
/// without slip a contact that held without being pressed is given the least positive number: it holds again.
///
/// # Errors
/// Lists whose lengths are not the problem's.
pub fn least_impulses(problem: &ContactProblem, law: Law, compression: Answer<'_>) -> Result<Vec<f64>, InputError> {
    check_length(
        "compression.normal_impulse",
        problem.contact_count(),
        compression.normal.len(),
    )?;
    check_length(
        "compression.friction_impulse",
        problem.contact_count(),
        compression.friction.len(),
    )?;
    check_length(
        "compression.joint_impulse",
        problem.joint_count(),
        compression.joint.len(),
    )?;
    let mut least = Vec::new();
    Judge::new().least_impulses(problem, law, compression, &mut least);
    Ok(least)
}

/// Judges a bounce after Poisson from anyone: the compression by the problem without restitution, then the whole impulse with the least normal
/// impulses that follow from it ([`least_impulses`]). Each figure is the worse of both; velocities and states are those of the whole. With an
/// `epsilon` nonconvex groups are judged by the summation rule ([`check_sum`]).
///
/// ```
/// use stiction_contact::check::{Answer, Terms, check_bounce};
/// use stiction_contact::{ContactProblem, Law};
/// // One kilogram arrives at (8, −3) m/s on a floor with e = 1 and μ = 0.3.
/// let mut problem = ContactProblem::new();
/// problem.add_block(&[1.0, 0.0, 0.0, 1.0], &[8.0, -3.0])?;
/// problem.add_contact(&[(0, [&[0.0, 1.0], &[1.0, 0.0], &[0.0, 0.0]])], 0.3)?;
/// problem.set_restitution(0, 1.0)?;
/// let terms = Terms { law: Law::Coulomb, directions: 8, tolerance: 1e-10 };
/// let impulse = |normal, friction| Answer { normal, friction, phi: None, joint: &[] };
/// let compression = impulse(&[3.0], &[[-0.9, 0.0]]);
/// assert!(check_bounce(&problem, terms, None, compression, impulse(&[6.0], &[[-1.8, 0.0]]))?.solved);
/// // Friction of the compression alone is too little.
/// assert!(!check_bounce(&problem, terms, None, compression, impulse(&[6.0], &[[-0.9, 0.0]]))?.solved);
/// # Ok::<(), stiction_contact::InputError>(())
/// ```
///
/// # Errors
/// As [`check`]; an `epsilon` that is not finite and positive.
pub fn check_bounce(
    problem: &ContactProblem,
    terms: Terms,
    epsilon: Option<f64>,
    compression: Answer<'_>,
    whole: Answer<'_>,
) -> Result<Verdict, InputError> {
    let judge = |problem: &ContactProblem, answer| match epsilon {
        Some(epsilon) => check_sum(problem, terms, epsilon, answer),
        None => check(problem, terms, answer),
    };
    let least = least_impulses(problem, terms.law, compression)?;
    let first = judge(problem, compression)?;
    let mut pressed = problem.clone();
    for (i, c) in least.iter().enumerate() {
        // What is not finite has failed as a compression.
        pressed.set_least_impulse(i, if c.is_finite() { *c } else { 0.0 })?;
    }
    let mut verdict = judge(&pressed, whole)?;
    verdict.residual = verdict.residual.worse(first.residual);
    verdict.solved &= first.solved;
    verdict.accuracy = verdict.residual.accuracy(terms.tolerance);
    Ok(verdict)
}
