//! Problems of no class: planted answers of indefinite matrices, bimatrix games, singular blocks of free variables, ties of exponential paths. What is
//! solved passes a check in rationals; where a problem has an answer, it is found.

// Matrices keep the papers' capitals.
#![allow(non_snake_case)]
// Helpers of a test are not tests to the lint.
#![allow(clippy::unwrap_used)]

mod generate;

use generate::testing::Rng;
use generate::{
    Problem, assert_farkas, assert_honest, assert_solved, integer, integers, no_class, permutation, product, random,
    verify,
};
use stiction_lcp::{Certificate, Method, Options, Solution, Solver, Status};

const FRONT_DOOR: &str = "front door";

/// Sparse M of entries over four orders of magnitude, and q = −Mx with x ≥ 0: w = 0 at the answer.
fn planted_on_zero(n: usize, symmetric: bool, rng: &mut Rng) -> Problem {
    let mut rows = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..n {
            if rng.below(2) == 0 {
                let value = rng.symmetric() * (2.0 * rng.symmetric()).exp2().powi(3);
                rows[i][j] = value;
                if symmetric {
                    rows[j][i] = value;
                }
            }
        }
    }
    let x: Vec<f64> = random(n, rng).iter().map(|v| v.max(0.0)).collect();
    let q = product(&rows, &x).iter().map(|v| -v).collect();
    let name = if symmetric {
        "symmetric, w = 0"
    } else {
        "asymmetric, w = 0"
    };
    Problem::new(name, rows, q)
}

/// Dense M of no class with a planted answer: one variable of each pair is positive.
fn planted(n: usize, rng: &mut Rng) -> Problem {
    let rows: Vec<Vec<f64>> = (0..n).map(|_| random(n, rng)).collect();
    let q = planted_q(&rows, &random(n, rng), &[]);
    Problem::new("planted", rows, q)
}

/// q for which z_i is the positive part of `values`, and all of it where `free`, and w_i the negative one.
fn planted_q(rows: &[Vec<f64>], values: &[f64], free: &[bool]) -> Vec<f64> {
    let is_free = |i: usize| free.get(i).copied().unwrap_or(false);
    let part = |i: usize| if is_free(i) { values[i] } else { values[i].max(0.0) };
    let z: Vec<f64> = (0..values.len()).map(part).collect();
    let Mz = product(rows, &z);
    (0..values.len()).map(|i| z[i] - values[i] - Mz[i]).collect()
}

/// Costs of two players with a and b choices, positive; every other game in small integers, so that ties abound. The variables are shuffled.
fn game(a: usize, b: usize, in_integers: bool, rng: &mut Rng) -> Problem {
    let n = a + b;
    let order = permutation(n, rng);
    let mut rows = vec![vec![0.0; n]; n];
    for i in 0..a {
        for j in a..n {
            let mut cost = || {
                if in_integers {
                    1.0 + rng.below(4) as f64
                } else {
                    1.01 + rng.symmetric()
                }
            };
            rows[order[i]][order[j]] = cost();
            rows[order[j]][order[i]] = cost();
        }
    }
    Problem::new(&format!("game {a} x {b}"), rows, vec![-1.0; n])
}

fn solve(problem: &Problem) -> Solution {
    let mut solver = Solver::new();
    solver.solve(&problem.lcp()).unwrap().clone()
}

#[test]
fn planted_answers_without_slack_are_found() {
    let mut rng = Rng::new(1);
    for number in 0..20 {
        for symmetric in [false, true] {
            let mut problem = planted_on_zero(100, symmetric, &mut rng);
            problem.name = format!("{} {number}", problem.name);
            let solution = solve(&problem);
            assert_solved(FRONT_DOOR, &problem, &solution);
            assert_eq!(
                solution.stats.method(),
                Some(Method::LeastSquares),
                "{}",
                problem.show()
            );
        }
    }
}

#[test]
fn bimatrix_games_are_solved() {
    let mut rng = Rng::new(2);
    for number in 0..200 {
        let (a, b) = (1 + rng.below(30), 1 + rng.below(30));
        let mut problem = game(a, b, number % 2 == 0, &mut rng);
        problem.name = format!("{} {number}", problem.name);
        assert_solved(FRONT_DOOR, &problem, &solve(&problem));
        let mut alone = Solver::with_options(Options {
            method: Some(Method::LemkeHowson),
            ..Options::default()
        });
        let alone = alone.solve(&problem.lcp()).unwrap();
        assert_solved("lemke_howson", &problem, alone);
    }
}

#[test]
fn games_side_by_side_are_solved_one_by_one() {
    let mut rng = Rng::new(3);
    let games = [
        game(12, 9, true, &mut rng),
        game(7, 14, false, &mut rng),
        game(1, 1, true, &mut rng),
    ];
    let n: usize = games.iter().map(Problem::n).sum();
    let mut rows = vec![vec![0.0; n + 1]; n + 1];
    let mut start = 0;
    for game in &games {
        for i in 0..game.n() {
            rows[start + i][start..start + game.n()].copy_from_slice(&game.rows[i]);
        }
        start += game.n();
    }
    // One variable that plays no game.
    let mut q = vec![-1.0; n];
    q.push(2.0);
    let problem = Problem::new("three games", rows, q);
    let solution = solve(&problem);
    assert_solved(FRONT_DOOR, &problem, &solution);
    assert_eq!(solution.stats.method(), Some(Method::LemkeHowson));
}

#[test]
fn planted_problems_of_no_class_are_solved() {
    let mut rng = Rng::new(4);
    let mut by_tree = 0;
    for number in 0..100 {
        let mut problem = planted(1 + rng.below(30), &mut rng);
        problem.name = format!("{} {number}", problem.name);
        let solution = solve(&problem);
        assert_solved(FRONT_DOOR, &problem, &solution);
        by_tree += usize::from(solution.stats.method() == Some(Method::BranchAndBound));
    }
    assert!(by_tree > 10, "{by_tree}");
}

#[test]
fn problems_of_no_class_up_to_30_variables_are_decided() {
    let mut rng = Rng::new(5);
    let mut counts = [0; 3];
    for number in 0..90 {
        let n = 13 + rng.below(18);
        let mut problem = if number % 3 == 0 {
            no_class(n, &mut rng)
        } else {
            let rows = (0..n).map(|_| random(n, &mut rng)).collect();
            Problem::new("random", rows, random(n, &mut rng))
        };
        problem.name = format!("{} {number}", problem.name);
        let solution = solve(&problem);
        assert_honest(FRONT_DOOR, &problem, &solution);
        let at = match solution.status {
            Status::Solved => 0,
            Status::Infeasible => 1,
            Status::Unsolvable => 2,
            other => panic!("{}: expected a proof, found {other:?}", problem.show()),
        };
        counts[at] += 1;
    }
    assert!(counts.iter().all(|&count| count >= 5), "{counts:?}");
}

/// M with a block of free variables of the given rank and an answer that is planted. In integers: rounding would make equations that depend on each
/// other contradict each other.
fn deficient(free: usize, rank: usize, pairs: usize, rng: &mut Rng) -> Problem {
    let n = free + pairs;
    let mut rows: Vec<Vec<f64>> = (0..n).map(|_| integers(n, 5, rng)).collect();
    let left: Vec<Vec<f64>> = (0..free)
        .map(|_| (0..rank).map(|_| integer(2, rng)).collect())
        .collect();
    let right: Vec<Vec<f64>> = (0..free)
        .map(|_| (0..rank).map(|_| integer(2, rng)).collect())
        .collect();
    for i in 0..free {
        for j in 0..free {
            rows[i][j] = (0..rank).map(|k| left[i][k] * right[j][k]).sum();
        }
    }
    let is_free: Vec<bool> = (0..n).map(|i| i < free).collect();
    let q = planted_q(&rows, &integers(n, 9, rng), &is_free);
    let bounds: Vec<(f64, f64)> = is_free
        .iter()
        .map(|free| (if *free { f64::NEG_INFINITY } else { 0.0 }, f64::INFINITY))
        .collect();
    Problem::bounded(&format!("{free} free of rank {rank}, {pairs} pairs"), rows, q, &bounds)
}

#[test]
fn singular_blocks_of_free_variables_are_solved() {
    let mut rng = Rng::new(6);
    for number in 0..80 {
        let free = 1 + rng.below(8);
        let mut problem = deficient(free, rng.below(free), 8 + rng.below(10), &mut rng);
        problem.name = format!("{} {number}", problem.name);
        let mut solver = Solver::new();
        let solution = solver.solve_mixed(&problem.mlcp()).unwrap();
        assert_solved(FRONT_DOOR, &problem, solution);
    }
}

/// A ring of nodes whose voltages nothing grounds: the equations of the nodes add up to zero, and so do the columns of the voltages.
#[test]
fn equations_that_repeat_each_other_are_solved() {
    let mut rng = Rng::new(7);
    for nodes in 3..12 {
        // Voltages are free; each branch has a diode: 0 ≤ current ⟂ current·r + v_i − v_(i+1) + e ≥ 0.
        let n = 2 * nodes;
        let mut rows = vec![vec![0.0; n]; n];
        for i in 0..nodes {
            let next = (i + 1) % nodes;
            rows[nodes + i][nodes + i] = 1.0 + rng.below(3) as f64;
            (rows[nodes + i][i], rows[nodes + i][next]) = (1.0, -1.0);
            (rows[i][nodes + i], rows[next][nodes + i]) = (-1.0, 1.0);
        }
        let mut q = vec![0.0; nodes];
        q.extend((0..nodes).map(|_| integer(4, &mut rng) - 1.0));
        let bounds: Vec<(f64, f64)> = (0..n)
            .map(|i| (if i < nodes { f64::NEG_INFINITY } else { 0.0 }, f64::INFINITY))
            .collect();
        let problem = Problem::bounded(&format!("ring of {nodes}"), rows, q, &bounds);
        let mut solver = Solver::new();
        let solution = solver.solve_mixed(&problem.mlcp()).unwrap();
        assert_solved(FRONT_DOOR, &problem, solution);
    }
}

/// Murty's family with q = −1: all rows tie at once, and the order in which ties are compared decides between 2 pivots and 2ⁿ.
#[test]
fn lexicographic_ties_end_on_an_exponential_family() {
    for (n, above) in [(40, false), (40, true), (60, false)] {
        let entry = |i: usize, j: usize| match (i == j, (j > i) == above) {
            (true, _) => 1.0,
            (_, true) => 2.0,
            _ => 0.0,
        };
        let rows = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        let problem = Problem::new(&format!("Murty {n}, above {above}"), rows, vec![-1.0; n]);
        let mut solver = Solver::with_options(Options {
            method: Some(Method::LemkeLexicographic),
            ..Options::default()
        });
        let solution = solver.solve(&problem.lcp()).unwrap();
        assert_solved("lemke_lexicographic", &problem, solution);
    }
}

#[test]
fn seventeen_variables_are_enumerated_where_all_else_fails() {
    let mut rng = Rng::new(8);
    let mut enumerated = 0;
    for number in 0..4 {
        let mut problem = planted(17, &mut rng);
        problem.name = format!("{} {number}", problem.name);
        let mut solver = Solver::with_options(Options {
            branch_work: 0,
            ..Options::default()
        });
        let solution = solver.solve(&problem.lcp()).unwrap();
        assert_solved(FRONT_DOOR, &problem, solution);
        enumerated += usize::from(solution.stats.method() == Some(Method::Enumerate));
    }
    assert!(enumerated > 0);
}

#[test]
fn the_tree_is_bounded_by_its_work() {
    let mut rng = Rng::new(9);
    let mut cut_short = 0;
    for _ in 0..10 {
        let problem = planted(30, &mut rng);
        let run = |options: Options| {
            let mut solver = Solver::with_options(options);
            solver.solve(&problem.lcp()).unwrap().clone()
        };
        let short = Options {
            branch_work: 900 * 50,
            ..Options::default()
        };
        let found = run(short);
        let Some(tree) = found.stats.runs.iter().find(|run| run.method == Method::BranchAndBound) else {
            continue;
        };
        // One node may end beyond the limit, after the programs of its children.
        assert!(tree.pivots < 50 + 12 * 600, "{}", tree.pivots);
        if tree.status == Status::PivotLimit {
            cut_short += 1;
            // Without a result nothing but the list of attempts changes.
            let before = run(Options {
                any_class: false,
                ..Options::default()
            });
            assert_eq!((before.status, &before.z), (found.status, &found.z));
            assert!(before.certificate == found.certificate && before.stats.runs.len() < found.stats.runs.len());
        }
        assert_eq!(run(short), found);
    }
    assert!(cut_short > 0);
}

#[test]
fn an_empty_first_node_is_a_farkas_vector() {
    // Beyond the limit of a search from scratch: rows 0 and 1 contradict each other.
    let mut rng = Rng::new(10);
    let n = 40;
    let mut rows: Vec<Vec<f64>> = (0..n).map(|_| random(n, &mut rng)).collect();
    let mut q = random(n, &mut rng);
    rows[1] = rows[0].iter().map(|v| -0.5 * v).collect();
    (q[0], q[1]) = (-1.0, 0.25);
    let problem = Problem::new("two rows", rows, q);
    let mut solver = Solver::with_options(Options {
        method: Some(Method::BranchAndBound),
        ..Options::default()
    });
    let solution = solver.solve(&problem.lcp()).unwrap();
    assert_eq!(solution.status, Status::Infeasible);
    assert_farkas("branch_and_bound", &problem, solution);
}

#[test]
fn a_mixed_problem_without_an_answer_is_proven() {
    // z_0 is free and in no equation but its own, 0 = z_1 − z_2; w_1 = z_2 − 1, w_2 = −z_1 − z_2 + 1 leave nothing.
    let rows = vec![vec![0.0, 1.0, -1.0], vec![0.0, 0.0, 1.0], vec![0.0, -1.0, -1.0]];
    let bounds = [
        (f64::NEG_INFINITY, f64::INFINITY),
        (0.0, f64::INFINITY),
        (0.0, f64::INFINITY),
    ];
    let problem = Problem::bounded("mixed", rows, vec![0.0, -1.0, 1.0], &bounds);
    let mut solver = Solver::with_options(Options {
        method: Some(Method::BranchAndBound),
        ..Options::default()
    });
    let solution = solver.solve_mixed(&problem.mlcp()).unwrap();
    assert!(verify(&problem, &solution.z, 1e-10).is_err());
    assert_eq!(solution.status, Status::Infeasible);
    assert!(matches!(solution.certificate, Some(Certificate::Farkas { .. })));
}
