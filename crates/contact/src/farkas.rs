//! Proofs that no velocity satisfies the contacts, searched for in rationals when a solve has failed.
//!
//! A ray is found and scaled in doubles: weights such as 1 : 1/1.2 do not cancel there although a vector that does exists. It tells which contacts
//! contradict each other; their weights are computed again, exactly, as a solution of Ñθ + J̃λ = 0, θ ≥ 0, bᵀ(θ, λ) < 0 over those
//! contacts alone. Where they have none, as when rounding has brought in contacts that take no part, all contacts of the problem are asked.
//! Either there is such a vector, or some velocity satisfies all rows and nothing is proven: the doubles may be feasible where the numbers meant
//! are not.

use dashu_ratio::RBig;
use stiction_lcp::exact::{Feasibility, Inequality, decide_within};

use crate::check::proof_holds;
use crate::problem::{ContactProblem, Touch};
use crate::solution::{Farkas, Ray};

/// Rows and coordinates of a system that is decided exactly: with 36 and columns of 53 bits it takes 40 ms, with 54 ten times that.
const LARGEST: usize = 36;
/// Pivots spent on one system; a few times its size are usual.
const PIVOT_LIMIT: usize = 1000;
/// Work spent on one system \[ns\]: numbers of very different sizes make long integers.
const WORK: f64 = 2.5e8;

/// Rows of a problem by their kind.
struct Rows {
    contacts: Vec<usize>,
    joints: Vec<usize>,
}

impl Farkas {
    /// Impulses in doubles as the rationals they are.
    pub(crate) fn of_doubles(contacts: &[(usize, f64)], joints: &[(usize, f64)]) -> Self {
        let text = |list: &[(usize, f64)]| {
            list.iter()
                .map(|(i, x)| (*i, exact(*x).to_string()))
                .collect::<Vec<_>>()
        };
        Self {
            contacts: text(contacts),
            joints: text(joints),
        }
    }
}

/// A ray with a proof that has been checked, or `None` where none was found. `hint` is what a method ended with.
pub(crate) fn prove(problem: &ContactProblem, hint: Option<&Ray>) -> Option<Ray> {
    let holds = |i: &usize| !problem.is_grouped(*i);
    let all = Rows {
        contacts: (0..problem.contact_count()).filter(holds).collect(),
        joints: (0..problem.joint_count()).filter(|k| !problem.yields(*k)).collect(),
    };
    // Else rest satisfies all of them.
    let asks = all.contacts.iter().any(|i| problem.bias(*i)[0] < 0.0)
        || all.joints.iter().any(|k| problem.joint_bias(*k) != 0.0);
    if !asks {
        return None;
    }
    let support = hint.map(|ray| Rows {
        contacts: ray.contacts.iter().map(|(i, _)| *i).collect(),
        joints: ray.joints.iter().map(|(k, _)| *k).collect(),
    });
    support
        .and_then(|rows| search(problem, &rows))
        .or_else(|| search(problem, &all))
}

/// A proof that uses only the rows given.
fn search(problem: &ContactProblem, rows: &Rows) -> Option<Ray> {
    let mut place = vec![None; problem.dof()];
    let mut unknowns = 0;
    let mut row_of = |touches: &[Touch], column: &[f64], bias: f64, equality: bool| {
        let mut entries = Vec::new();
        for t in touches {
            for k in (0..t.len).filter(|k| column[t.start + k] != 0.0) {
                let j = *place[t.at + k].get_or_insert_with(|| {
                    unknowns += 1;
                    unknowns - 1
                });
                entries.push((j, exact(column[t.start + k])));
            }
        }
        Inequality {
            entries,
            q: exact(bias),
            equality,
        }
    };
    let mut system = Vec::new();
    for i in &rows.contacts {
        let columns = problem.columns_tilde(*i);
        system.push(row_of(columns.touches, columns.normal, problem.bias(*i)[0], false));
    }
    for k in &rows.joints {
        let (touches, column) = problem.joint_tilde(*k);
        system.push(row_of(touches, column, problem.joint_bias(*k), true));
    }
    if system.len() + unknowns > LARGEST {
        return None;
    }
    match decide_within(&system, unknowns, PIVOT_LIMIT, WORK) {
        Feasibility::Infeasible(y) => checked(problem, rows, &y),
        _ => None,
    }
}

/// The weights as a ray, scaled to a largest impulse of 1, if their text passes the check.
fn checked(problem: &ContactProblem, rows: &Rows, y: &[RBig]) -> Option<Ray> {
    let (theta, lambda) = y.split_at_checked(rows.contacts.len())?;
    let largest = theta.iter().max().filter(|x| **x > RBig::ZERO);
    let size = |x: &RBig| if *x < RBig::ZERO { -x.clone() } else { x.clone() };
    // Joint rows may contradict each other without any contact.
    let largest = largest.cloned().or_else(|| lambda.iter().map(size).max())?;
    if largest.is_zero() {
        return None;
    }
    let scaled = |rows: &[usize], y: &[RBig]| -> Vec<(usize, RBig)> {
        let carrying = rows.iter().zip(y).filter(|(_, x)| !x.is_zero());
        carrying.map(|(i, x)| (*i, x / &largest)).collect()
    };
    let (contacts, joints) = (scaled(&rows.contacts, theta), scaled(&rows.joints, lambda));
    let text = |list: &[(usize, RBig)]| list.iter().map(|(i, x)| (*i, x.to_string())).collect();
    let proof = Farkas {
        contacts: text(&contacts),
        joints: text(&joints),
    };
    if !proof_holds(problem, &proof) {
        return None;
    }
    let of_contacts = contacts.iter().map(|(i, x)| exact(problem.bias(*i)[0]) * x);
    let of_joints = joints.iter().map(|(k, x)| exact(problem.joint_bias(*k)) * x);
    let work = of_contacts.chain(of_joints).fold(RBig::ZERO, |sum, x| sum + x);
    let doubles = |list: &[(usize, RBig)]| list.iter().map(|(i, x)| (*i, x.to_f64().value())).collect();
    Some(Ray {
        contacts: doubles(&contacts),
        joints: doubles(&joints),
        work: work.to_f64().value(),
        infeasible: true,
        least_speed: f64::INFINITY,
        defect: 0.0,
        proof: Some(proof),
    })
}

/// A finite double as the rational it is.
fn exact(x: f64) -> RBig {
    RBig::try_from(x).unwrap_or(RBig::ZERO)
}
