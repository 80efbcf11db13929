//! All methods that accept a problem give the same answer where there is only one, and what is said of a matrix's class,
//! true or not, never changes an answer into a wrong one.

// Matrices keep the papers' capitals.
#![allow(non_snake_case)]
// Helpers of a test are not tests to the lint.
#![allow(clippy::unwrap_used)]

mod generate;

use generate::testing::Rng;
use generate::{
    Problem, assert_close, assert_honest, assert_solved, friction, no_class, nonsymmetric_pd, p_matrix, psd_integer,
    symmetric_indefinite, symmetric_pd,
};
use stiction_lcp::{Class, InputError, Method, Options, Solution, Solver, Status};

const AGREEMENT: f64 = 1e-9;

/// Enumeration takes 2ⁿ systems: beyond this n it is skipped.
const ENUMERATE_UP_TO: usize = 10;

/// The answer of one method alone; `None` when it does not accept the problem and says so.
fn answer(method: Method, problem: &Problem) -> Option<Solution> {
    let mut solver = Solver::with_options(Options {
        method: Some(method),
        ..Options::default()
    });
    match solver.solve(&problem.lcp()) {
        Ok(solution) => {
            let runs = &solution.stats.runs;
            assert!(
                runs.iter().all(|run| run.method == method),
                "{}, {}: {runs:?}",
                method.name(),
                problem.show()
            );
            Some(solution.clone())
        }
        Err(InputError::MethodMismatch { method: named, .. }) => {
            assert_eq!(named, method.name());
            None
        }
        Err(error) => panic!("{}, {}: {error}", method.name(), problem.show()),
    }
}

fn methods_for(problem: &Problem) -> impl Iterator<Item = Method> {
    let n = problem.n();
    Method::ALL
        .into_iter()
        .filter(move |method| *method != Method::Enumerate || n <= ENUMERATE_UP_TO)
}

/// Every method that accepts the problem solves it, with the same z and w as the front door. Returns how many did.
fn all_methods_agree(problem: &Problem) -> usize {
    let mut solver = Solver::new();
    let expected = solver.solve(&problem.lcp()).unwrap();
    assert_solved("front door", problem, expected);
    let mut accepted = 0;
    for method in methods_for(problem) {
        let Some(solution) = answer(method, problem) else {
            continue;
        };
        assert_solved(method.name(), problem, &solution);
        let context = format!("{}, {}", method.name(), problem.show());
        assert_close(&context, "z", &expected.z, &solution.z, AGREEMENT);
        assert_close(&context, "w", &expected.w, &solution.w, AGREEMENT);
        accepted += 1;
    }
    accepted
}

#[test]
fn methods_agree_on_symmetric_positive_definite_problems() {
    let mut rng = Rng::new(1);
    for number in 0..150 {
        let n = 1 + rng.below(20);
        let mut problem = symmetric_pd(n, &mut rng);
        problem.name = format!("{} {number}", problem.name);
        // All but Lemke-Howson, which needs a game.
        let expected = if n <= ENUMERATE_UP_TO { 9 } else { 8 };
        assert_eq!(all_methods_agree(&problem), expected, "{}", problem.show());
    }
}

#[test]
fn methods_agree_on_nonsymmetric_positive_definite_problems() {
    let mut rng = Rng::new(2);
    for number in 0..150 {
        let mut problem = nonsymmetric_pd(2 + rng.below(9), &mut rng);
        problem.name = format!("{} {number}", problem.name);
        // All but Dantzig, which needs symmetry, and Lemke-Howson, which needs a game.
        assert_eq!(all_methods_agree(&problem), 8, "{}", problem.show());
    }
}

#[test]
fn methods_agree_on_p_matrices() {
    let mut rng = Rng::new(3);
    for number in 0..150 {
        let mut problem = p_matrix(2 + rng.below(7), &mut rng);
        problem.name = format!("{} {number}", problem.name);
        all_methods_agree(&problem);
    }
}

#[test]
fn methods_that_solve_a_semidefinite_problem_agree_in_w() {
    let mut rng = Rng::new(4);
    let mut failures = [0; Method::ALL.len()];
    for number in 0..150 {
        let n = 2 + rng.below(9);
        let mut problem = psd_integer(n, 1 + rng.below(n), &mut rng);
        problem.name = format!("{} {number}", problem.name);
        let mut solver = Solver::new();
        let expected = solver.solve(&problem.lcp()).unwrap();
        assert_solved("front door", &problem, expected);
        for (at, method) in Method::ALL.into_iter().enumerate() {
            let Some(solution) = answer(method, &problem) else {
                continue;
            };
            assert_honest(method.name(), &problem, &solution);
            if solution.status == Status::Solved {
                let context = format!("{}, {}", method.name(), problem.show());
                assert_close(&context, "w", &expected.w, &solution.w, AGREEMENT);
            } else {
                failures[at] += 1;
            }
        }
    }
    for (method, count) in Method::ALL.into_iter().zip(failures) {
        eprintln!("{}: {count} of 150 not solved", method.name());
        // Semidefinite problems in range are Lemke's and Dantzig's own.
        let must = !matches!(method, Method::Ppm | Method::LeastSquares);
        assert!(!must || count == 0, "{}: {count} not solved", method.name());
    }
}

#[test]
fn methods_that_fail_say_so() {
    let mut rng = Rng::new(5);
    let mut solved = [0; Method::ALL.len()];
    for number in 0..200 {
        let mut problem = if number % 2 == 0 {
            no_class(1 + rng.below(7), &mut rng)
        } else {
            symmetric_indefinite(1 + rng.below(7), &mut rng)
        };
        problem.name = format!("{} {number}", problem.name);
        for (at, method) in Method::ALL.into_iter().enumerate() {
            let Some(solution) = answer(method, &problem) else {
                continue;
            };
            assert_honest(method.name(), &problem, &solution);
            solved[at] += usize::from(solution.status == Status::Solved);
        }
    }
    for (method, count) in Method::ALL.into_iter().zip(solved) {
        eprintln!("{}: {count} of 200 solved", method.name());
    }
}

#[test]
fn methods_are_right_or_say_that_they_failed_on_friction() {
    let mut rng = Rng::new(6);
    for number in 0..20 {
        let mut problem = friction(1 + rng.below(3), &mut rng);
        problem.name = format!("{} {number}", problem.name);
        for method in methods_for(&problem) {
            let Some(solution) = answer(method, &problem) else {
                continue;
            };
            assert_honest(method.name(), &problem, &solution);
        }
    }
}

#[test]
fn the_class_does_not_change_a_unique_answer() {
    let mut rng = Rng::new(7);
    for number in 0..100 {
        let n = 1 + rng.below(15);
        let mut problem = [symmetric_pd, nonsymmetric_pd, p_matrix][number % 3](n, &mut rng);
        problem.name = format!("{} {number}", problem.name);
        let mut solver = Solver::new();
        let expected = solver.solve(&problem.lcp()).unwrap().z.clone();
        for class in Class::ALL {
            let solution = solver.solve(&problem.lcp().with_class(class)).unwrap();
            assert_solved(class.name(), &problem, solution);
            let context = format!("class {}, {}", class.name(), problem.show());
            assert_close(&context, "z", &expected, &solution.z, AGREEMENT);
        }
    }
}

/// Whatever is said of the class of a small problem of no class, the verdict is that of all cones.
fn wrong_class_is_harmless(seed: u64, make: fn(usize, &mut Rng) -> Problem) {
    let mut rng = Rng::new(seed);
    for number in 0..150 {
        let mut problem = make(1 + rng.below(7), &mut rng);
        problem.name = format!("{} {number} of seed {seed}", problem.name);
        let is_solvable = problem.is_solvable();
        for class in Class::ALL {
            let mut solver = Solver::new();
            let solution = solver.solve(&problem.lcp().with_class(class)).unwrap();
            assert_honest(class.name(), &problem, solution);
            assert_eq!(
                solution.status == Status::Solved,
                is_solvable,
                "class {}, {}: {:?}",
                class.name(),
                problem.show(),
                solution.status
            );
            assert!(
                is_solvable || solution.proven(),
                "class {}, {}",
                class.name(),
                problem.show()
            );
        }
    }
}

#[test]
fn a_wrong_class_on_an_indefinite_matrix_is_harmless() {
    wrong_class_is_harmless(8, symmetric_indefinite);
}

#[test]
fn a_wrong_class_on_any_matrix_is_harmless() {
    wrong_class_is_harmless(9, no_class);
}

#[test]
fn a_wrong_class_on_a_larger_matrix_is_harmless() {
    let mut rng = Rng::new(10);
    for number in 0..20 {
        let n = 13 + rng.below(8);
        let mut problem = if number % 2 == 0 {
            symmetric_indefinite(n, &mut rng)
        } else {
            no_class(n, &mut rng)
        };
        problem.name = format!("{} {number}", problem.name);
        for class in Class::ALL {
            let mut solver = Solver::new();
            let solution = solver.solve(&problem.lcp().with_class(class)).unwrap();
            assert_honest(class.name(), &problem, solution);
            assert!(
                solution.status == Status::Solved || solution.proven(),
                "class {}, {}: {:?}",
                class.name(),
                problem.show(),
                solution.status
            );
        }
    }
}
