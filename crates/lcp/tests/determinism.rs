//! Same problem, same bits: again, with a used solver, in another order, on several threads, in debug and release builds.

// Matrices keep the papers' capitals.
#![allow(non_snake_case)]
// Helpers of a test are not tests to the lint.
#![allow(clippy::unwrap_used)]

mod generate;

use generate::testing::Rng;
use generate::{
    Problem, friction, linear_program, no_class, nonsymmetric_pd, p_matrix, psd_in_range, symmetric_indefinite,
    symmetric_pd, z_matrix,
};
use stiction_lcp::{Class, Run, Solver, Status};

/// FNV-1a of the bits of every z below; debug and release builds, and any machine, must agree.
const GOLDEN: u64 = 0x3df4_9574_3cb9_8e4a;

fn problems() -> Vec<Problem> {
    let mut rng = Rng::new(2024);
    (0..200)
        .map(|number| {
            let n = 1 + rng.below(16);
            let mut problem = match number % 10 {
                0 => symmetric_pd(n, &mut rng),
                1 => psd_in_range(n, 1 + n / 2, &mut rng),
                2 => nonsymmetric_pd(n, &mut rng),
                3 => p_matrix(n, &mut rng),
                4 => friction(1 + n / 3, &mut rng),
                5 => z_matrix(n, true, &mut rng),
                6 => linear_program(1 + n / 2, 1 + n / 3, true, &mut rng),
                7 => symmetric_indefinite(1 + n / 2, &mut rng),
                8 => z_matrix(n, false, &mut rng),
                _ => no_class(1 + n / 2, &mut rng),
            };
            problem.name = format!("{} {number}", problem.name);
            problem
        })
        .collect()
}

/// Everything that must be the same.
#[derive(Debug, PartialEq, Clone)]
struct Bits {
    status: Status,
    z: Vec<u64>,
    w: Vec<u64>,
    pivots: usize,
    runs: Vec<Run>,
}

fn solve(solver: &mut Solver, number: usize, problem: &Problem) -> Bits {
    let class = Class::ALL[number / 10 % Class::ALL.len()];
    let solution = solver.solve(&problem.lcp().with_class(class)).unwrap();
    let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect();
    Bits {
        status: solution.status,
        z: bits(&solution.z),
        w: bits(&solution.w),
        pivots: solution.stats.pivots,
        runs: solution.stats.runs.clone(),
    }
}

/// The reference: each problem with a solver of its own.
fn fresh(problems: &[Problem]) -> Vec<Bits> {
    let solve = |(number, problem)| solve(&mut Solver::new(), number, problem);
    problems.iter().enumerate().map(solve).collect()
}

fn assert_same(how: &str, problem: &Problem, expected: &Bits, found: &Bits) {
    let differs = expected.z.iter().zip(&found.z).position(|(a, b)| a != b);
    assert_eq!(
        expected,
        found,
        "front door, {how}, {}: worst index {differs:?}",
        problem.show()
    );
}

#[test]
fn a_used_solver_gives_the_bits_of_a_fresh_one() {
    let problems = problems();
    let expected = fresh(&problems);
    let mut solver = Solver::new();
    for (number, problem) in problems.iter().enumerate() {
        for how in ["after others", "again"] {
            assert_same(how, problem, &expected[number], &solve(&mut solver, number, problem));
        }
    }
    for (number, problem) in problems.iter().enumerate().rev() {
        let found = solve(&mut solver, number, problem);
        assert_same("in reverse order", problem, &expected[number], &found);
    }
    let mut copy = solver.clone();
    let found = solve(&mut copy, 7, &problems[7]);
    assert_same("with a clone of a used solver", &problems[7], &expected[7], &found);
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let problems = problems();
    let expected = fresh(&problems);
    for threads in [1, 4] {
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let (problems, expected) = (&problems, &expected);
                scope.spawn(move || {
                    let mut solver = Solver::new();
                    for number in (thread..problems.len()).step_by(threads) {
                        let found = solve(&mut solver, number, &problems[number]);
                        let how = format!("{threads} threads");
                        assert_same(&how, &problems[number], &expected[number], &found);
                    }
                });
            }
        });
    }
}

#[test]
fn the_bits_are_those_written_here() {
    let problems = problems();
    let found = fresh(&problems);
    let bytes = found.iter().flat_map(|bits| &bits.z).flat_map(|v| v.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let solved = found.iter().filter(|bits| bits.status == Status::Solved).count();
    eprintln!("{solved} of {} solved", found.len());
    assert!(solved >= 120, "{solved}");
    assert_eq!(
        hash,
        GOLDEN,
        "front door, {} problems: expected {GOLDEN:#018x}, found {hash:#018x}",
        found.len()
    );
}
