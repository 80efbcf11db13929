//! Cases that a study of the papers' algorithms found to break implementations: semidefinite problems whose index sets
//! cycle, and two walls that leave no room.

// Matrices keep the papers' capitals.
#![allow(non_snake_case)]
// Helpers of a test are not tests to the lint.
#![allow(clippy::unwrap_used)]

mod generate;

use generate::testing::Rng;
use generate::{Problem, assert_farkas, assert_solved, psd_in_range};
use stiction_lcp::exact::RBig;
use stiction_lcp::{Certificate, Class, Method, Options, Solver, Status};

/// 400 problems of 40 variables and rank 18 with q in the range, as they come and in integers.
fn semidefinite_400(name: &str, options: Options, class: Class) {
    let (mut rng, mut solver) = (Rng::new(400), Solver::with_options(options));
    let mut fallbacks = 0;
    for number in 0..400 {
        let mut problem = if number % 4 == 0 {
            generate::psd_integer(40, 18, &mut rng)
        } else {
            psd_in_range(40, 18, &mut rng)
        };
        problem.name = format!("{} {number}", problem.name);
        let solution = solver.solve(&problem.lcp().with_class(class)).unwrap();
        assert_solved(name, &problem, solution);
        fallbacks += usize::from(solution.stats.runs.iter().any(|run| run.status != Status::Solved));
    }
    eprintln!("{name}: {fallbacks} of 400 needed a fallback");
}

#[test]
fn dantzig_solves_semidefinite_problems_of_rank_18() {
    let options = Options {
        method: Some(Method::Dantzig),
        ..Options::default()
    };
    semidefinite_400("dantzig", options, Class::Psd);
}

#[test]
fn the_front_door_solves_semidefinite_problems_of_rank_18() {
    semidefinite_400("front door, class psd", Options::default(), Class::Psd);
    semidefinite_400("front door, class unknown", Options::default(), Class::Unknown);
}

#[test]
fn two_walls_that_leave_no_room_have_the_certificate_one_one() {
    // A body of mass 1 between two walls, both asking it to move away: v ≥ a and −v ≥ b.
    for (a, b) in [(1.0, 1.0), (0.25, 3.0), (1e-6, 1e-6), (0.1, 0.2), (1e3, 1e-3)] {
        for class in Class::ALL {
            let rows = vec![vec![1.0, -1.0], vec![-1.0, 1.0]];
            let problem = Problem::new("two walls", rows, vec![-a, -b]);
            let mut solver = Solver::new();
            let solution = solver.solve(&problem.lcp().with_class(class)).unwrap();
            assert_eq!(solution.status, Status::Infeasible, "{}", problem.show());
            assert_farkas("front door", &problem, solution);
            let Some(Certificate::Farkas { y }) = &solution.certificate else {
                panic!("{}: no vector", problem.show());
            };
            // (1, 1) up to a positive factor: no other direction proves it.
            let y: Vec<RBig> = y.iter().map(|text| text.parse().unwrap()).collect();
            assert_eq!(y[0], y[1], "{}: expected (1, 1)", problem.show());
        }
    }
}

#[test]
fn two_walls_with_room_are_solved() {
    // v ≥ 1 and −v ≥ −2: the body moves at 1.
    let rows = vec![vec![1.0, -1.0], vec![-1.0, 1.0]];
    let problem = Problem::new("two walls with room", rows, vec![-1.0, 2.0]);
    let mut solver = Solver::new();
    let solution = solver.solve(&problem.lcp()).unwrap();
    assert_solved("front door", &problem, solution);
    let speed = solution.z[0] - solution.z[1];
    assert!((speed - 1.0).abs() < 1e-15, "expected a speed of 1, found {speed}");
    // Exactly no room at all: v ≥ 1 and −v ≥ −1.
    let problem = Problem::new("two walls, no play", problem.rows, vec![-1.0, 1.0]);
    assert_solved("front door", &problem, solver.solve(&problem.lcp()).unwrap());
}
