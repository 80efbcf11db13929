//! Exact rational arithmetic for w = Mz + q: answers without rounding, and proofs.
//!
//! A double is a dyadic rational, so a problem in doubles is a problem in rationals: here it is judged ([`check`]), its
//! bases are solved ([`solve_basis`]), Lemke's method is run on it ([`lemke_exact`]) and a floating-point answer is turned
//! into a proven one ([`prove`]) without any rounding. That there is no answer is proven by a Farkas vector ([`farkas`]),
//! or, when a feasible point exists, by trying all complementary cones ([`enumerate_exact`]).
//!
//! Each row is multiplied by the least common denominator of its entries, so that all work is done in integers.
//!
//! A caution: rounding redundant contacts to doubles destroys their redundancy, so the exact verdict on rounded data may be
//! "infeasible by 1e-17". Where that matters, give the rationals themselves ([`ExactLcp::from_rationals`]).
//!
//! ```
//! use stiction_lcp::{Lcp, exact};
//! let lcp = Lcp::from_rows(&[[2.0, 1.0], [1.0, 2.0]], &[-5.0, -6.0])?;
//! let problem = exact::ExactLcp::from_lcp(&lcp);
//! let exact::ExactOutcome::Solved { z, pivots, .. } = exact::lemke_exact(&problem, None, 100) else {
//!     panic!("a positive definite problem has an answer");
//! };
//! assert_eq!((z[0].to_string().as_str(), z[1].to_string().as_str(), pivots), ("4/3", "7/3", 3));
//! assert_eq!(exact::check(&problem, &z), exact::ExactVerdict::Solution);
//! # Ok::<(), stiction_lcp::InputError>(())
//! ```

mod bareiss;
mod branch;
mod decimal;
mod dixon;
mod enumerate;
mod farkas;
mod feasibility;
mod lemke;
mod mixed;
mod problem;
mod prove;
mod solve;
mod tableau;
mod work;

pub use dashu_ratio::RBig;
pub use decimal::parse_decimal;
pub use enumerate::{Enumeration, enumerate_exact};
pub use farkas::{check_farkas, farkas};
pub use feasibility::{Feasibility, Inequality, decide, decide_within};
pub use lemke::{ExactOutcome, lemke_exact, lemke_exact_covered};
pub use mixed::ExactMixed;
pub use problem::{ExactLcp, ExactVerdict, check};
pub use prove::{Limits, Proof, prove, prove_within};
pub use solve::solve_basis;

pub(crate) use branch::{Leaf, Pair, contradiction, cover_all, is_feasible};
pub(crate) use enumerate::enumerate_within;
pub(crate) use farkas::farkas_within;
pub(crate) use lemke::lemke_within;
pub(crate) use solve::solve_basis_within;
pub(crate) use work::Work;
