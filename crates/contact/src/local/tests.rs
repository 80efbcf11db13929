use super::*;

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
    let indefinite = [1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    assert_eq!(
        says(&indefinite, &[0.5]),
        "W[1][1]: must be positive semidefinite: left beside the other rows, found -3"
    );
    let hidden = [1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.5, 0.0];
    assert!(says(&hidden, &[0.5]).starts_with("W[2][1]: must be positive semidefinite"));
    assert_eq!(ContactProblem::from_local(&[], &[], &[]).unwrap().contact_count(), 0);
}
