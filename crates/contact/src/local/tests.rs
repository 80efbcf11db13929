use super::*;
use crate::check::{Answer, Terms};
use crate::solution::Law;

fn product(problem: &ContactProblem, r: usize, c: usize) -> f64 {
    let mut v = vec![0.0; problem.dof()];
    let mut p = [0.0; 3];
    p[c % 3] = 1.0;
    problem.push(c / 3, p, &mut v);
    problem.along(r / 3, &v)[r % 3]
}

#[test]
fn a_matrix_of_low_rank_comes_back() {
    // W = AᵀA with A of 4×6: two contacts on four coordinates.
    let A = [
        [1.0, 0.2, -0.3, 0.5, 0.1, 0.0],
        [0.0, 1.0, 0.4, -0.2, 0.3, 0.7],
        [0.3, 0.0, 1.0, 0.6, -0.5, 0.2],
        [0.1, -0.4, 0.0, 1.0, 0.2, -0.6],
    ];
    let mut W = vec![0.0; 36];
    for r in 0..6 {
        for c in 0..6 {
            W[6 * r + c] = A.iter().map(|a| a[r] * a[c]).sum();
        }
    }
    let q = [-1.0, 0.2, 0.1, 0.3, -0.5, 0.0];
    let problem = ContactProblem::from_local(&W, &q, &[0.5, f64::INFINITY]).unwrap();
    assert_eq!(problem.dof(), 4);
    for r in 0..6 {
        for c in 0..6 {
            let found = product(&problem, r, c);
            assert!((found - W[6 * r + c]).abs() < 1e-14, "W[{r}][{c}]: {found}");
        }
    }
    assert_eq!(problem.bias(1), [0.3, -0.5, 0.0]);
    assert!(problem.mu(1).is_infinite());
}

#[test]
fn contacts_that_nothing_couples_have_blocks_of_their_own() {
    let mut W = vec![0.0; 81];
    for r in 0..9 {
        W[10 * r] = 1.0 + r as f64;
    }
    // The first and the last contact.
    W[9 + 8] = 0.5;
    W[8 * 9 + 1] = 0.5;
    let problem = ContactProblem::from_local(&W, &[0.0; 9], &[0.5; 3]).unwrap();
    let blocks = |i: usize| problem.columns(i).touches.iter().map(|t| t.block).collect::<Vec<_>>();
    assert_eq!((blocks(0), blocks(1), blocks(2)), (vec![0], vec![1], vec![0]));
    assert_eq!(problem.dof(), 9);
    for r in 0..9 {
        let found = product(&problem, r, r);
        assert!((found - W[10 * r]).abs() < 1e-14, "W[{r}][{r}]: {found}");
    }
    assert!((product(&problem, 1, 8) - 0.5).abs() < 1e-15);
}

#[test]
fn matrices_that_cannot_be_are_named() {
    let says = |W: &[f64], mu: &[f64]| {
        let q = vec![0.0; 3 * mu.len()];
        ContactProblem::from_local(W, &q, mu).unwrap_err().to_string()
    };
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let with = |at: usize, x: f64| {
        let mut W = identity;
        W[at] = x;
        W
    };
    assert_eq!(
        says(&with(3, 0.5), &[0.5]),
        "W[1][0]: must be symmetric: difference of mirrored entries, found 0.5"
    );
    assert_eq!(says(&with(4, -1.0), &[0.5]), "W[1][1]: must not be negative, found -1");
    assert_eq!(says(&with(5, f64::NAN), &[0.5]), "W[1][2]: must be finite, found NaN");
    assert_eq!(says(&identity[..8], &[0.5]), "W: must have 9 entries, found 8");
    assert_eq!(says(&identity, &[-1.0]), "mu[0]: must not be negative or NaN, found -1");
    assert_eq!(
        says(&with(0, 0.0), &[0.5]),
        "W[0][0]: must be positive: the normal row of a contact, found 0"
    );
    let lost = says(&with(0, 1e-309), &[0.5]);
    assert!(
        lost.starts_with("W[0][0]: must be zero or at least 2.3e-308, found"),
        "{lost}"
    );
    let indefinite = [1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    assert_eq!(
        says(&indefinite, &[0.5]),
        "W[1][1]: must be positive semidefinite: left beside the other rows, found -3"
    );
    let hidden = [1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.5, 0.0];
    assert!(says(&hidden, &[0.5]).starts_with("W[2][1]: must be positive semidefinite"));
    assert_eq!(ContactProblem::from_local(&[], &[], &[]).unwrap().contact_count(), 0);
}

/// A chain of contacts, each coupled with its two neighbours.
fn chain(n: usize) -> Vec<f64> {
    let rows = 3 * n;
    let mut W = vec![0.0; rows * rows];
    // W = Σ HHᵀ over bodies: body b touches the contacts b and b + 1, with rows that depend on both.
    for b in 0..n - 1 {
        let h = |r: usize, k: usize| {
            let x = (7 * r + 3 * k + 5 * b) % 11;
            x as f64 / 5.0 - 1.0
        };
        for r in 0..6 {
            for c in 0..6 {
                let sum: f64 = (0..4).map(|k| h(r, k) * h(c, k)).sum();
                W[(3 * b + r) * rows + 3 * b + c] += sum;
            }
        }
    }
    W
}

#[test]
fn a_chain_keeps_to_small_blocks_and_comes_back() {
    let n = 40;
    let W = chain(n);
    let problem = ContactProblem::from_local(&W, &vec![-0.5; 3 * n], &vec![0.4; n]).unwrap();
    assert!(problem.block_count() > n / 3, "{} blocks", problem.block_count());
    let most = (0..n).map(|i| problem.columns(i).touches.len()).max();
    assert!(most <= Some(3), "{most:?} blocks at a contact");
    for r in 0..3 * n {
        for c in 0..3 * n {
            let found = product(&problem, r, c);
            let expected = W[3 * n * r + c];
            assert!(
                (found - expected).abs() < 1e-12,
                "W[{r}][{c}]: {found}, expected {expected}"
            );
        }
    }
}

#[test]
fn what_is_not_symmetric_is_solved_as_it_is() {
    use crate::{ContactSolver, Options, Status};
    let n = 12;
    let mut W = chain(n);
    // A little of gyroscopic forces, within the bodies that are there.
    for b in 0..3 * n - 3 {
        W[b * 3 * n + b + 1] *= 1.002;
    }
    let q: Vec<f64> = (0..3 * n)
        .map(|r| if r % 3 == 0 { -1.0 } else { 0.3 - 0.05 * (r % 7) as f64 })
        .collect();
    let local = LocalProblem::new(3, W.clone(), q.clone(), vec![0.4; n]).unwrap();
    assert!(!local.is_symmetric() && local.asymmetry() > 1e-4);
    let mut solver = ContactSolver::new(Options::default()).unwrap();
    let found = local.solve(&local.problem().unwrap(), &mut solver).unwrap();
    assert_eq!(found.solution.status, Status::Solved, "{:?}", found.solution.residual);
    assert!(found.rounds > 1);
    let p: Vec<f64> = (0..n)
        .flat_map(|i| {
            let [x, y] = found.solution.friction_impulse[i];
            [found.solution.normal_impulse[i], x, y]
        })
        .collect();
    for r in 0..3 * n {
        let u: f64 = q[r] + (0..3 * n).map(|c| W[3 * n * r + c] * p[c]).sum::<f64>();
        let stated = found.solution.contact_velocity[r / 3][r % 3];
        assert!((u - stated).abs() < 1e-12, "row {r}: {stated}, expected {u}");
    }
}

/// A contact at 1e12 m/s beside one at 1 m/s: 50 N s where 1 N s is right are seen.
#[test]
fn a_fast_contact_is_no_excuse_for_one_that_nothing_couples_with_it() {
    let mut W = vec![0.0; 36];
    for r in 0..6 {
        W[7 * r] = 1.0;
    }
    let q = vec![-1e12, 0.0, 0.0, -1.0, 0.0, 0.0];
    let terms = Terms {
        law: Law::Coulomb,
        directions: 8,
        tolerance: 1e-10,
    };
    let judge = |W: &[f64], second: f64| {
        let problem = LocalProblem::new(3, W.to_vec(), q.clone(), vec![0.5, 0.5]).unwrap();
        let answer = Answer {
            normal: &[1e12, second],
            friction: &[[0.0; 2]; 2],
            phi: None,
            joint: &[],
        };
        problem.judge(terms, answer).unwrap()
    };
    assert!(judge(&W, 1.0).solved);
    // 49 m/s too fast, of 50 that its own push gives; the fast one changes nothing, coupled or not.
    let far = |verdict: &LocalVerdict| !verdict.solved && (verdict.residual.worst - 0.98).abs() < 1e-15;
    assert!(far(&judge(&W, 50.0)));
    W[6 * 4] = 1e-30;
    assert!(far(&judge(&W, 50.0)));
}

/// A contact that hardly moves is measured by itself, not by a fast one that nothing couples with it.
#[test]
fn a_slow_contact_is_measured_by_itself() {
    let mut W = vec![0.0; 36];
    for r in 0..6 {
        W[7 * r] = 1.0;
    }
    let problem = LocalProblem::new(3, W, vec![-1.1e-16, 0.0, 0.0, -1.0, 0.0, 0.0], vec![0.5, 0.5]).unwrap();
    let terms = Terms {
        law: Law::Coulomb,
        directions: 8,
        tolerance: 1e-10,
    };
    let is_solved = |first: f64| {
        let answer = Answer {
            normal: &[first, 1.0],
            friction: &[[0.0; 2]; 2],
            phi: None,
            joint: &[],
        };
        problem.judge(terms, answer).unwrap().solved
    };
    assert!(is_solved(1.1e-16) && !is_solved(0.0));
}
