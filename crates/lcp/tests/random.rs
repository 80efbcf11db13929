//! Seeded random problems per matrix class: what is solved passes a check in rationals, what is refused is proven, and
//! up to eight variables every verdict is that of trying all cones exactly.

// Matrices keep the papers' capitals.
#![allow(non_snake_case)]
// Helpers of a test are not tests to the lint.
#![allow(clippy::unwrap_used)]

mod generate;

use generate::testing::Rng;
use generate::{
    Problem, assert_honest, assert_solved, dot, friction, gauss, linear_program, no_class, nonsymmetric_pd, p_matrix,
    psd_in_range, psd_integer, symmetric_indefinite, symmetric_pd, z_matrix,
};
use stiction_lcp::{Class, Solver, Status};

const FRONT_DOOR: &str = "front door";

/// Every problem must be solved, whatever is said of its class.
fn all_solved(class: Class, count: usize, seed: u64, mut make: impl FnMut(&mut Rng) -> Problem) {
    let (mut rng, mut solver) = (Rng::new(seed), Solver::new());
    for number in 0..count {
        let mut problem = make(&mut rng);
        problem.name = format!("{} {number} of seed {seed}", problem.name);
        for class in [class, Class::Unknown] {
            let solution = solver.solve(&problem.lcp().with_class(class)).unwrap();
            assert_solved(FRONT_DOOR, &problem, solution);
        }
    }
}

#[test]
fn symmetric_positive_definite_problems_are_solved() {
    all_solved(Class::Psd, 200, 1, |rng| symmetric_pd(1 + rng.below(8), rng));
    all_solved(Class::Psd, 20, 2, |rng| symmetric_pd(60, rng));
}

#[test]
fn semidefinite_problems_in_range_are_solved() {
    all_solved(Class::Psd, 100, 3, |rng| {
        let n = 2 + rng.below(39);
        psd_in_range(n, 1 + rng.below(n), rng)
    });
    all_solved(Class::Psd, 200, 4, |rng| {
        let n = 1 + rng.below(8);
        psd_integer(n, 1 + rng.below(n), rng)
    });
}

#[test]
fn nonsymmetric_positive_definite_problems_are_solved() {
    all_solved(Class::Psd, 200, 5, |rng| nonsymmetric_pd(1 + rng.below(8), rng));
    all_solved(Class::Psd, 20, 6, |rng| nonsymmetric_pd(40, rng));
}

#[test]
fn p_matrices_are_solved() {
    all_solved(Class::P, 200, 7, |rng| p_matrix(1 + rng.below(8), rng));
    all_solved(Class::P, 20, 8, |rng| p_matrix(20, rng));
}

#[test]
fn friction_problems_are_solved() {
    all_solved(Class::Copositive, 100, 9, |rng| friction(1 + rng.below(2), rng));
    all_solved(Class::Copositive, 60, 10, |rng| friction(3 + rng.below(8), rng));
}

#[test]
fn m_matrices_are_solved() {
    all_solved(Class::P, 200, 11, |rng| z_matrix(1 + rng.below(8), true, rng));
    all_solved(Class::P, 20, 12, |rng| z_matrix(40, true, rng));
}

#[test]
fn linear_programs_with_an_optimum_are_solved() {
    let make = |rng: &mut Rng| linear_program(1 + rng.below(6), 1 + rng.below(6), true, rng);
    all_solved(Class::Psd, 300, 13, make);
    all_solved(Class::Psd, 20, 14, |rng| linear_program(15, 15, true, rng));
}

/// Verdicts over problems of at most eight variables: solved, infeasible, unsolvable.
fn verdicts(count: usize, seed: u64, mut make: impl FnMut(&mut Rng) -> Problem) -> [usize; 3] {
    let (mut rng, mut solver) = (Rng::new(seed), Solver::new());
    let mut counts = [0; 3];
    for number in 0..count {
        let mut problem = make(&mut rng);
        problem.name = format!("{} {number} of seed {seed}", problem.name);
        let solution = solver.solve(&problem.lcp()).unwrap();
        assert_honest(FRONT_DOOR, &problem, solution);
        let at = match solution.status {
            Status::Solved => 0,
            Status::Infeasible => 1,
            Status::Unsolvable => 2,
            other => panic!("{FRONT_DOOR}, {}: expected a proof, found {other:?}", problem.show()),
        };
        counts[at] += 1;
        assert_eq!(
            solution.status == Status::Solved,
            problem.is_solvable(),
            "{FRONT_DOOR}, {}: expected the verdict of all cones, found {:?}",
            problem.show(),
            solution.status
        );
        if at > 0 && problem.n() <= 4 {
            assert_eq!(
                at == 2,
                has_feasible_vertex(&problem),
                "{FRONT_DOOR}, {}: {:?}",
                problem.show(),
                solution.status
            );
        }
    }
    eprintln!("seed {seed}: {counts:?} of {count} solved, infeasible, unsolvable");
    counts
}

/// Whether z ≥ 0, Mz + q ≥ 0 has a vertex, by trying all choices of n active rows: integers, so that 1e-9 is zero.
fn has_feasible_vertex(problem: &Problem) -> bool {
    let n = problem.n();
    let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect::<Vec<_>>();
    let rows: Vec<(Vec<f64>, f64)> = (0..n)
        .map(|i| (unit(i), 0.0))
        .chain((0..n).map(|i| (problem.rows[i].clone(), problem.q[i])))
        .collect();
    (0u32..1 << (2 * n))
        .filter(|mask| mask.count_ones() as usize == n)
        .any(|mask| {
            let active = || (0..2 * n).filter(|i| mask >> i & 1 == 1).map(|i| &rows[i]);
            let A = active().map(|row| row.0.clone()).collect();
            let b = active().map(|row| -row.1).collect();
            gauss(A, b).is_some_and(|z| rows.iter().all(|(row, q)| dot(row, &z) + q >= -1e-9))
        })
}

#[test]
fn problems_of_no_class_are_solved_or_proven_to_have_no_solution() {
    let counts = verdicts(1500, 21, |rng| no_class(1 + rng.below(8), rng));
    assert!(counts.iter().all(|&count| count >= 20), "{counts:?}");
}

#[test]
fn symmetric_indefinite_problems_are_decided() {
    let counts = verdicts(600, 22, |rng| symmetric_indefinite(1 + rng.below(8), rng));
    assert!(counts.iter().all(|&count| count >= 10), "{counts:?}");
}

#[test]
fn z_matrices_are_decided() {
    let counts = verdicts(400, 23, |rng| z_matrix(1 + rng.below(8), false, rng));
    // A feasible problem with a Z-matrix has a solution.
    assert!(
        counts[0] >= 20 && counts[1] >= 20,
        "{counts:?} solved, infeasible, unsolvable"
    );
    assert_eq!(counts[2], 0, "a feasible Z-problem was called unsolvable");
}

#[test]
fn linear_programs_are_decided() {
    let make = |rng: &mut Rng| linear_program(1 + rng.below(4), 1 + rng.below(4), false, rng);
    let counts = verdicts(400, 24, make);
    assert!(
        counts[0] >= 20 && counts[1] >= 20,
        "{counts:?} solved, infeasible, unsolvable"
    );
    assert_eq!(counts[2], 0, "a skew problem that is feasible has a solution");
}

#[test]
fn solvable_classes_agree_with_all_cones() {
    for (seed, make) in [
        symmetric_pd as fn(usize, &mut Rng) -> Problem,
        nonsymmetric_pd,
        p_matrix,
        |n, rng| psd_integer(n, 1 + n / 2, rng),
        |n, rng| z_matrix(n, true, rng),
    ]
    .into_iter()
    .enumerate()
    {
        let counts = verdicts(40, 30 + seed as u64, |rng| make(1 + rng.below(8), rng));
        assert_eq!(counts, [40, 0, 0], "generator {seed}");
    }
}

#[test]
fn semidefinite_problems_out_of_range_are_decided() {
    let counts = verdicts(300, 25, |rng| {
        let n = 2 + rng.below(7);
        let mut problem = psd_integer(n, 1 + rng.below(n), rng);
        problem.q = generate::integers(n, 4, rng);
        problem
    });
    assert!(
        counts[0] >= 20 && counts[1] >= 20,
        "{counts:?} solved, infeasible, unsolvable"
    );
    assert_eq!(counts[2], 0, "a feasible semidefinite problem has a solution");
}

#[test]
fn larger_problems_of_no_class_are_never_answered_wrongly() {
    let (mut rng, mut solver) = (Rng::new(26), Solver::new());
    let (mut solved, mut proven, mut open) = (0, 0, 0);
    for number in 0..60 {
        let mut problem = no_class(9 + rng.below(12), &mut rng);
        problem.name = format!("{} {number} of seed 26", problem.name);
        let solution = solver.solve(&problem.lcp()).unwrap();
        assert_honest(FRONT_DOOR, &problem, solution);
        match solution.status {
            Status::Solved => solved += 1,
            _ if solution.proven() => proven += 1,
            _ => open += 1,
        }
    }
    eprintln!("n = 9 to 20: {solved} solved, {proven} proven without solution, {open} open");
    assert!(solved >= 10 && open == 0, "{solved} {proven} {open}");
}
