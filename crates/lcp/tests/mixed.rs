//! Random mixed problems: free variables, boxes, upper bounds, fixed variables and mixtures of them, judged in rationals.

// Matrices keep the papers' capitals.
#![allow(non_snake_case)]
// Helpers of a test are not tests to the lint.
#![allow(clippy::unwrap_used)]

mod generate;

use generate::testing::Rng;
use generate::{
    Problem, assert_close, assert_solved, dot, gauss, integers, nonsymmetric_pd, product, psd_integer, random,
    symmetric_pd, verify,
};
use stiction_lcp::{Class, InputError, Matrix, Method, Mlcp, Options, Solver, Status};

const FRONT_DOOR: &str = "front door, mixed";
const INF: f64 = f64::INFINITY;
const FREE: (f64, f64) = (-INF, INF);
const COMPLEMENTARY: (f64, f64) = (0.0, INF);

fn solve(problem: &Problem) {
    for class in Class::ALL {
        let mut solver = Solver::new();
        let solution = solver.solve_mixed(&problem.mlcp().with_class(class)).unwrap();
        assert_solved(FRONT_DOOR, problem, solution);
    }
}

fn with_bounds(mut problem: Problem, name: &str, bounds: &[(f64, f64)]) -> Problem {
    (problem.lower, problem.upper) = bounds.iter().copied().unzip();
    name.clone_into(&mut problem.name);
    problem
}

/// Bounds of a random kind around values near zero.
fn any_bounds(rng: &mut Rng) -> (f64, f64) {
    let (a, b) = (rng.symmetric(), rng.symmetric());
    match rng.below(7) {
        0 => FREE,
        1 => COMPLEMENTARY,
        2 => (a, INF),
        3 => (-INF, a),
        4 => (a, a),
        5 => (0.0, 0.0),
        _ => (a.min(b), a.max(b)),
    }
}

#[test]
fn free_blocks_that_are_regular() {
    let mut rng = Rng::new(1);
    for number in 0..100 {
        let n = 2 + rng.below(12);
        let free = 1 + rng.below(n - 1);
        let bounds: Vec<_> = (0..n).map(|i| if i < free { FREE } else { COMPLEMENTARY }).collect();
        let problem = nonsymmetric_pd(n, &mut rng);
        solve(&with_bounds(problem, &format!("{free} free, {number}"), &bounds));
        let problem = symmetric_pd(n, &mut rng);
        solve(&with_bounds(
            problem,
            &format!("{free} free, symmetric {number}"),
            &bounds,
        ));
    }
}

/// Saddle points: minimise over x subject to Cx = d and Gx ≥ h. The free block has a zero corner.
#[test]
fn equations_with_multipliers() {
    let mut rng = Rng::new(2);
    for number in 0..60 {
        let (n, equations, inequalities) = (4 + rng.below(6), 1 + rng.below(3), rng.below(5));
        let size = n + equations + inequalities;
        let mut problem = symmetric_pd(n, &mut rng);
        problem.rows.iter_mut().for_each(|row| row.resize(size, 0.0));
        let x = random(n, &mut rng);
        for k in n..size {
            let row = random(n, &mut rng);
            let slack = if k < n + equations { 0.0 } else { rng.symmetric().abs() };
            problem.q.push(slack - dot(&row, &x));
            (0..n).for_each(|j| problem.rows[j][k] = -row[j]);
            problem.rows.push(row);
            problem.rows[k].resize(size, 0.0);
        }
        let bounds: Vec<_> = (0..size)
            .map(|i| if i < n + equations { FREE } else { COMPLEMENTARY })
            .collect();
        solve(&with_bounds(problem, &format!("saddle point {number}"), &bounds));
    }
}

#[test]
fn free_blocks_that_are_singular_but_consistent() {
    let mut rng = Rng::new(3);
    for number in 0..100 {
        let n = 3 + rng.below(6);
        let rank = 1 + rng.below(n - 1);
        let free = 2 + rng.below(n - 1);
        let bounds: Vec<_> = (0..n).map(|i| if i < free { FREE } else { COMPLEMENTARY }).collect();
        let problem = psd_integer(n, rank, &mut rng);
        let name = format!("{free} free of {n}, rank {rank}, {number}");
        solve(&with_bounds(problem, &name, &bounds));
    }
}

/// The solution of a box problem by trying lower, upper and inside for every variable: the choice that violates least.
fn all_active_sets(problem: &Problem) -> Vec<f64> {
    let n = problem.n();
    let mut best = (INF, Vec::new());
    for code in 0..3usize.pow(u32::try_from(n).unwrap()) {
        let kind = |i: usize| code / 3usize.pow(u32::try_from(i).unwrap()) % 3;
        let inside: Vec<usize> = (0..n).filter(|&i| kind(i) == 2).collect();
        let mut z: Vec<f64> = (0..n)
            .map(|i| [problem.lower[i], problem.upper[i], 0.0][kind(i)])
            .collect();
        if z.iter().any(|v| v.is_infinite()) {
            continue;
        }
        let A = inside
            .iter()
            .map(|&i| inside.iter().map(|&j| problem.rows[i][j]).collect())
            .collect();
        let b = inside
            .iter()
            .map(|&i| -problem.q[i] - dot(&problem.rows[i], &z))
            .collect();
        let Some(x) = gauss(A, b) else { continue };
        inside.iter().zip(x).for_each(|(&i, x)| z[i] = x);
        let w = product(&problem.rows, &z);
        let violation = (0..n).fold(0.0f64, |worst, i| {
            let w = w[i] + problem.q[i];
            let here = match kind(i) {
                0 if problem.lower[i] >= problem.upper[i] => 0.0, // fixed
                _ if problem.lower[i] >= problem.upper[i] => INF,
                0 => -w,
                1 => w,
                _ => (problem.lower[i] - z[i]).max(z[i] - problem.upper[i]),
            };
            worst.max(here)
        });
        if violation < best.0 {
            best = (violation, z);
        }
    }
    assert!(best.0 < 1e-9, "{}: violation {}", problem.show(), best.0);
    best.1
}

fn compare_with_all_active_sets(seed: u64, symmetric: bool, mut bounds: impl FnMut(&mut Rng) -> (f64, f64)) {
    let mut rng = Rng::new(seed);
    for number in 0..80 {
        let n = 1 + rng.below(6);
        let make = if symmetric { symmetric_pd } else { nonsymmetric_pd };
        let problem = make(n, &mut rng);
        let bounds: Vec<_> = (0..n).map(|_| bounds(&mut rng)).collect();
        let problem = with_bounds(problem, &format!("box {number} of seed {seed}"), &bounds);
        let expected = all_active_sets(&problem);
        for class in Class::ALL {
            let mut solver = Solver::new();
            let solution = solver.solve_mixed(&problem.mlcp().with_class(class)).unwrap();
            assert_solved(FRONT_DOOR, &problem, solution);
            assert_close(&problem.show(), "z", &expected, &solution.z, 1e-9);
        }
    }
}

#[test]
fn relays_agree_with_all_active_sets() {
    let relay = |rng: &mut Rng| {
        let (a, b) = (rng.symmetric(), rng.symmetric());
        (a.min(b), a.max(b))
    };
    compare_with_all_active_sets(4, true, relay);
    compare_with_all_active_sets(5, false, relay);
    compare_with_all_active_sets(6, false, |_| (-0.1, 0.1));
}

#[test]
fn upper_bounds_agree_with_all_active_sets() {
    compare_with_all_active_sets(7, true, |rng| (-INF, rng.symmetric()));
    compare_with_all_active_sets(8, false, |rng| (-INF, rng.symmetric()));
}

#[test]
fn mixtures_agree_with_all_active_sets() {
    compare_with_all_active_sets(9, true, any_bounds);
    compare_with_all_active_sets(10, false, any_bounds);
}

#[test]
fn large_mixtures_are_solved() {
    let mut rng = Rng::new(11);
    for number in 0..30 {
        let problem = nonsymmetric_pd(30, &mut rng);
        let bounds: Vec<_> = (0..30).map(|_| any_bounds(&mut rng)).collect();
        solve(&with_bounds(problem, &format!("mixture {number}"), &bounds));
    }
}

#[test]
fn fixed_variables_stay_where_they_are() {
    let mut rng = Rng::new(12);
    for number in 0..50 {
        let n = 1 + rng.below(8);
        let bounds: Vec<_> = (0..n)
            .map(|_| {
                let at = [0.0, 1.0, -3.5, 1e-9, 1e9][rng.below(5)];
                (at, at)
            })
            .collect();
        let problem = generate::no_class(n, &mut rng);
        let problem = with_bounds(problem, &format!("all fixed {number}"), &bounds);
        solve(&problem);
        let mut solver = Solver::new();
        assert_eq!(
            solver.solve_mixed(&problem.mlcp()).unwrap().z,
            problem.lower,
            "{}",
            problem.show()
        );
    }
}

#[test]
fn fixing_no_variable_moves_the_others() {
    // z_0 = 2 fixed: w_1 = z_0 + 3 z_1 − 8 gives z_1 = 2, whatever w_0 is.
    let rows = vec![vec![1.0, 50.0], vec![1.0, 3.0]];
    let problem = Problem::bounded("one fixed", rows, vec![-7.0, -8.0], &[(2.0, 2.0), COMPLEMENTARY]);
    let mut solver = Solver::new();
    let solution = solver.solve_mixed(&problem.mlcp()).unwrap();
    assert_solved(FRONT_DOOR, &problem, solution);
    assert_eq!((&solution.z[..], solution.w[0]), (&[2.0, 2.0][..], 95.0));
}

#[test]
fn all_free_is_a_linear_system() {
    let mut rng = Rng::new(13);
    for number in 0..60 {
        let n = 1 + rng.below(20);
        let rows: Vec<Vec<f64>> = (0..n).map(|_| random(n, &mut rng)).collect();
        let x = random(n, &mut rng);
        let q: Vec<f64> = product(&rows, &x).iter().map(|v| -v).collect();
        let problem = Problem::bounded(&format!("linear system {number}"), rows, q, &vec![FREE; n]);
        let mut solver = Solver::new();
        let solution = solver.solve_mixed(&problem.mlcp()).unwrap();
        assert_solved(FRONT_DOOR, &problem, solution);
    }
}

#[test]
fn contradicting_equations_are_not_solved() {
    let mut rng = Rng::new(14);
    for number in 0..60 {
        let n = 2 + rng.below(6);
        let mut rows: Vec<Vec<f64>> = (0..n).map(|_| integers(n, 3, &mut rng)).collect();
        let mut q = integers(n, 3, &mut rng);
        rows[n - 1] = rows[0].iter().map(|v| 2.0 * v).collect();
        q[n - 1] = 2.0 * q[0] + 1.0;
        let mut bounds: Vec<_> = (0..n).map(|_| any_bounds(&mut rng)).collect();
        (bounds[0], bounds[n - 1]) = (FREE, FREE);
        let problem = Problem::bounded(&format!("contradiction {number}"), rows, q, &bounds);
        for method in [None].into_iter().chain(Method::ALL.map(Some)) {
            let mut solver = Solver::with_options(Options {
                method,
                ..Options::default()
            });
            let Ok(solution) = solver.solve_mixed(&problem.mlcp()) else {
                continue;
            };
            assert_ne!(solution.status, Status::Solved, "{method:?}, {}", problem.show());
        }
    }
}

#[test]
fn semidefinite_problems_with_bounds_are_never_answered_wrongly() {
    let mut rng = Rng::new(15);
    let mut solved = 0;
    for number in 0..200 {
        let n = 2 + rng.below(7);
        let problem = psd_integer(n, 1 + rng.below(n), &mut rng);
        let bounds: Vec<_> = (0..n).map(|_| any_bounds(&mut rng)).collect();
        let problem = with_bounds(problem, &format!("semidefinite mixture {number}"), &bounds);
        let mut solver = Solver::new();
        let solution = solver.solve_mixed(&problem.mlcp().with_class(Class::Psd)).unwrap();
        if solution.status == Status::Solved {
            assert_solved(FRONT_DOOR, &problem, solution);
            solved += 1;
        }
    }
    eprintln!("semidefinite mixtures: {solved} of 200 solved");
    assert!(solved >= 100, "{solved}");
}

/// A bounded box always holds a solution, whatever the matrix (Brouwer): small ones must be found.
#[test]
fn boxes_with_any_matrix_have_a_solution() {
    let mut rng = Rng::new(16);
    let mut open = Vec::new();
    for number in 0..200 {
        let n = 1 + rng.below(6);
        let problem = generate::no_class(n, &mut rng);
        let bounds: Vec<_> = (0..n).map(|_| (-1.0, integers(1, 1, &mut rng)[0].max(0.0))).collect();
        let problem = with_bounds(problem, &format!("any box {number}"), &bounds);
        let mut solver = Solver::new();
        let solution = solver.solve_mixed(&problem.mlcp()).unwrap();
        match solution.status {
            Status::Solved => assert_solved(FRONT_DOOR, &problem, solution),
            other => open.push((problem.show(), other)),
        }
    }
    assert!(open.is_empty(), "{} of 200 open, first {:?}", open.len(), open[0]);
}

#[test]
fn huge_bounds_are_like_none() {
    let mut rng = Rng::new(17);
    for number in 0..40 {
        let n = 1 + rng.below(6);
        let problem = nonsymmetric_pd(n, &mut rng);
        let free = with_bounds(problem.clone(), "free", &vec![FREE; n]);
        let mut solver = Solver::new();
        let expected = solver.solve_mixed(&free.mlcp()).unwrap().z.clone();
        let boxed = with_bounds(
            problem.clone(),
            &format!("bounds 100, {number}"),
            &vec![(-100.0, 100.0); n],
        );
        let solution = solver.solve_mixed(&boxed.mlcp()).unwrap();
        assert_solved(FRONT_DOOR, &boxed, solution);
        assert_close(&boxed.show(), "z", &expected, &solution.z, 1e-8);
        // One side only, huge: 0 ≤ z ≤ 1e300 is a complementary variable.
        let expected = solver.solve(&problem.lcp()).unwrap().z.clone();
        let boxed = with_bounds(problem.clone(), "0 to 1e300", &vec![(0.0, 1e300); n]);
        let solution = solver.solve_mixed(&boxed.mlcp()).unwrap();
        assert_solved(FRONT_DOOR, &boxed, solution);
        assert_close(&boxed.show(), "z", &expected, &solution.z, 1e-8);
    }
}

#[test]
fn bounds_of_1e300_on_both_sides_are_honest() {
    for (m, q) in [
        (1.0, -1.0),
        (1.0, 1.0),
        (2.0, 0.0),
        (-1.0, 1.0),
        (0.0, 1.0),
        (0.0, -1.0),
    ] {
        for bounds in [(-1e300, 1e300), (-1e300, INF), (-INF, 1e300), (-1e308, 1e307)] {
            let problem = Problem::bounded("1e300", vec![vec![m]], vec![q], &[bounds]);
            let mut solver = Solver::new();
            let Ok(solution) = solver.solve_mixed(&problem.mlcp()) else {
                continue;
            };
            if solution.status == Status::Solved {
                let checked = verify(&problem, &solution.z, generate::TOLERANCE);
                assert!(checked.is_ok(), "{}: {checked:?}", problem.show());
            }
        }
    }
}

#[test]
fn wide_boxes_are_like_none() {
    for size in [1e4, 1e6, 1e9, 1e15, 1e16, 1e300] {
        let problem = Problem::bounded(
            &format!("{size:e}"),
            vec![vec![1.0]],
            vec![-1.0 / 3.0],
            &[(-size, size)],
        );
        solve(&problem);
    }
}

#[test]
fn far_lower_bounds_are_like_none() {
    for size in [1e4, 1e6, 1e9, 1e15, 1e16, 1e300] {
        let problem = Problem::bounded(&format!("{size:e}"), vec![vec![1.0]], vec![-1.0 / 3.0], &[(-size, INF)]);
        solve(&problem);
    }
}

#[test]
fn a_box_wider_than_the_doubles_is_an_error_or_solved() {
    let problem = Problem::bounded("wide", vec![vec![1.0]], vec![-1.0], &[(-f64::MAX, f64::MAX)]);
    match Solver::new().solve_mixed(&problem.mlcp()) {
        Ok(solution) => assert_solved(FRONT_DOOR, &problem, solution),
        Err(error) => assert!(matches!(error, InputError::NotFinite { .. }), "{error}"),
    }
}

#[test]
fn the_method_asked_for_is_the_only_one_that_runs() {
    let mut rng = Rng::new(18);
    for number in 0..30 {
        let n = 2 + rng.below(5);
        let problem = symmetric_pd(n, &mut rng);
        let with_free: Vec<_> = (0..n).map(|i| if i == 0 { FREE } else { COMPLEMENTARY }).collect();
        let free = with_bounds(problem.clone(), &format!("one free, {number}"), &with_free);
        let boxed = with_bounds(problem, &format!("boxes, {number}"), &vec![(-0.5, 0.5); n]);
        for method in Method::ALL {
            let mut solver = Solver::with_options(Options {
                method: Some(method),
                ..Options::default()
            });
            for problem in [&free, &boxed] {
                let answer = solver.solve_mixed(&problem.mlcp());
                if let Err(InputError::MethodMismatch { method: named, .. }) = &answer {
                    assert_eq!(method.name(), *named);
                    // The rewritten box is not symmetric, and neither problem is a game.
                    let boxed = method == Method::Dantzig && problem.upper[0] < 1.0;
                    assert!(boxed || method == Method::LemkeHowson, "{named}, {}", problem.show());
                    continue;
                }
                let solution = answer.unwrap();
                assert_solved(method.name(), problem, solution);
                let runs = &solution.stats.runs;
                assert!(
                    runs.iter().all(|run| run.method == method),
                    "{}: {runs:?}",
                    method.name()
                );
            }
        }
    }
}

#[test]
fn bounds_that_make_no_sense_are_errors() {
    let make = |lower: f64, upper: f64| {
        let M = Matrix::from_rows(&[[1.0]]).unwrap();
        Mlcp::new(M, vec![1.0], vec![lower], vec![upper])
    };
    assert!(matches!(
        make(1.0, 0.0),
        Err(InputError::CrossedBounds { index: 0, .. })
    ));
    for (lower, upper) in [(f64::NAN, 0.0), (0.0, f64::NAN), (INF, INF), (-INF, -INF)] {
        assert!(make(lower, upper).is_err(), "{lower} {upper}");
    }
    assert!(matches!(
        Mlcp::with_free(&[[1.0]], &[1.0], &[1]),
        Err(InputError::OutOfRange { limit: 1, found: 1, .. })
    ));
}
