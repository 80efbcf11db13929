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
use stiction_lcp::{Certificate, Class, Lcp, Method, Options, Solver, Status};

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

/// Planted infeasible problems of up to 120 variables are all proven: y of full support with Mᵀy ≤ 0 and qᵀy < 0.
#[test]
fn planted_infeasible_problems_are_proven() {
    let mut rng = Rng::new(2024);
    for n in [5, 20, 50, 80, 120] {
        for round in 0..3 {
            let y: Vec<f64> = (0..n).map(|_| 1.0 + (rng.symmetric() * 4.0).abs().floor()).collect();
            let mut rows: Vec<Vec<f64>> = (0..n)
                .map(|_| (0..n).map(|_| (rng.symmetric() * 9.0).floor()).collect())
                .collect();
            // The last row makes yᵀM a small negative number, exactly, in every column.
            let last = y[n - 1];
            for j in 0..n {
                let above: f64 = (0..n - 1).map(|i| y[i] * rows[i][j]).sum();
                rows[n - 1][j] = (-above / last).floor() - f64::from(u8::from(j % 3 == 0));
            }
            let mut q: Vec<f64> = (0..n).map(|_| (rng.symmetric() * 9.0).floor()).collect();
            let above: f64 = (0..n - 1).map(|i| y[i] * q[i]).sum();
            q[n - 1] = (-above / last).floor() - 1.0;
            let lcp = Lcp::from_rows(&rows, &q).unwrap();
            let solution = Solver::new().solve(&lcp).unwrap().clone();
            assert_eq!(
                solution.status,
                Status::Infeasible,
                "n = {n}, round {round}: {:?}",
                solution.stats.runs
            );
        }
    }
}

/// A peg against 16 points of its hole, without friction: two rings of eight normals, off by 1e-8 at random. M has rank 4 except for that, and is
/// indefinite by what rounding leaves.
fn jittered_peg(seed: u64) -> Problem {
    let mut rng = Rng::new(seed);
    let mut rows = Vec::new();
    for i in 0..16 {
        let angle = std::f64::consts::FRAC_PI_4 * f64::from(i % 8);
        let z = if i < 8 { 0.5 } else { -0.5 };
        let n = [angle.cos(), angle.sin(), 0.0].map(|x| x + 1e-8 * rng.symmetric());
        let arm = [-0.3 * angle.cos(), -0.3 * angle.sin(), z];
        let turn = [
            arm[1] * n[2] - arm[2] * n[1],
            arm[2] * n[0] - arm[0] * n[2],
            arm[0] * n[1] - arm[1] * n[0],
        ];
        rows.push([n[0], n[1], n[2], 1.7 * turn[0], 1.7 * turn[1], 1.7 * turn[2]]);
    }
    let v: [f64; 6] = [(); 6].map(|()| 2.0 * rng.symmetric());
    let dot = |a: &[f64; 6], b: &[f64; 6]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    Problem::new(
        &format!("jittered peg {seed}"),
        rows.iter().map(|a| rows.iter().map(|b| dot(a, b)).collect()).collect(),
        rows.iter().map(|a| dot(a, &v)).collect(),
    )
}

#[test]
fn pegs_off_by_rounding_are_solved() {
    let (mut solver, mut enumerated) = (Solver::new(), 0);
    for seed in 0..50 {
        let problem = jittered_peg(seed);
        let solution = solver.solve(&problem.lcp()).unwrap();
        assert_solved("all in turn", &problem, solution);
        enumerated += usize::from(solution.stats.runs.iter().any(|run| run.method == Method::Enumerate));
    }
    // Pivots break off: what they would have to tell apart is rounding.
    assert!(enumerated > 10, "{enumerated}");
}

/// Fallbacks of large problems without an answer cost minutes: they are bounded by their work, the first run and a method of its own are not skipped.
#[test]
fn fallbacks_are_bounded_by_their_work() {
    let mut rng = Rng::new(3);
    let mut met = 0;
    for _ in 0..50 {
        let n = 20;
        let entries = (0..n * n).map(|_| rng.symmetric()).collect();
        let q = (0..n).map(|_| rng.symmetric()).collect();
        let lcp = Lcp::new(stiction_lcp::Matrix::from_columns(n, entries).unwrap(), q).unwrap();
        let runs = |work: u64| {
            let options = Options {
                pivot_work: work,
                exact_limit: 0,
                ..Options::default()
            };
            let mut solver = Solver::with_options(options);
            let solution = solver.solve(&lcp).unwrap();
            let pivots: usize = solution.stats.runs.iter().map(|run| run.pivots).sum();
            (solution.stats.runs.len(), pivots, solver.pivot_work_left())
        };
        let (free, all, left) = runs(u64::MAX);
        assert_eq!(left, u64::MAX);
        if free > 2 && all > 200 {
            met += 1;
            // 100 pivots of 20 variables, and what a method makes that bounds itself.
            let (bounded, pivots, left) = runs(100 * 400);
            assert!(
                bounded < free && pivots < all && left < 100 * 400,
                "{bounded}, {pivots}, {left}"
            );
            assert_eq!(runs(0).0, 1);
        }
    }
    assert!(met > 0);
}

/// A problem without an answer was written as integers, at a cost that nothing counted, once for every run on it.
#[test]
fn proofs_are_charged_for_the_integers_they_need() {
    let mut rng = Rng::new(3);
    let (mut charged, mut unsolved) = (0, 0);
    for _ in 0..50 {
        let n = 40;
        let entries = (0..n * n).map(|_| rng.symmetric()).collect();
        let q = (0..n).map(|_| rng.symmetric()).collect();
        let lcp = Lcp::new(stiction_lcp::Matrix::from_columns(n, entries).unwrap(), q).unwrap();
        let solve = |exact_work: f64| {
            // No pivot in rationals: what is spent is spent on proofs.
            let options = Options {
                exact_work,
                exact_limit: 0,
                pivot_work: 1_000_000,
                ..Options::default()
            };
            let mut solver = Solver::with_options(options);
            let status = solver.solve(&lcp).unwrap().status;
            (status, solver.exact_work_left())
        };
        let (status, left) = solve(1e9);
        if status != Status::Solved {
            unsolved += 1;
            // An elimination a number, of 100 ns and more.
            charged += usize::from(left <= 1e9 - 100.0 * 1600.0);
            // Without any there is no proof, and no more is said than what was found.
            let (without, left) = solve(0.0);
            assert!(
                without != Status::Solved && without != Status::Unsolvable && left == 0.0,
                "{without:?}, {left}"
            );
        }
    }
    assert!(charged > 0 && charged <= unsolved, "{charged} of {unsolved}");
}
