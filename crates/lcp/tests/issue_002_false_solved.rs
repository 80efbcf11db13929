//! Problems without a solution came back `solved`: the judge allowed 1e-15 of the sum of a row's terms, and z of 1e15 along a nearly
//! singular direction made that more than q. The allowance is now capped at 1e-8 of the largest |q|. Two neighbours: a small row beside a
//! large one was judged by the large one's size, and a solved answer of a split problem was copied into a buffer of the wrong length.

#![allow(clippy::unwrap_used)]

use stiction_lcp::{Lcp, Mlcp, Solver, Status};

#[test]
fn nearly_singular_directions_are_no_answer() {
    let rows = [
        [23392.0, -344_352.0, 172_448.0],
        [-8557.0, 125_967.0, -63083.0],
        [-29111.0, 428_541.0, -214_609.0],
    ];
    let lcp = Lcp::from_rows(&rows, &[-999.0, -999.0, -1.0]).unwrap();
    assert_eq!(Solver::new().solve(&lcp).unwrap().status, Status::Infeasible);
}

#[test]
fn inconsistent_equations_are_not_solved() {
    let rows = [[0.0, 2.0, -6.0], [-2.0, 0.0, -10.0], [6.0, 10.0, 0.0]];
    let problem = Mlcp::with_free(&rows, &[8.0, -9.0, -1.0], &[0, 1, 2]).unwrap();
    assert_eq!(Solver::new().solve_mixed(&problem).unwrap().status, Status::Infeasible);
}

#[test]
fn a_small_row_counts_beside_a_large_one() {
    let lcp = Lcp::from_rows(&[[1.0, 0.0], [0.0, 0.0]], &[-1e11, -1.0]).unwrap();
    assert_eq!(Solver::new().solve(&lcp).unwrap().status, Status::Infeasible);
}

#[test]
fn an_answer_found_after_splitting_is_returned() {
    let problem = Mlcp::with_free(&[[0.0, 0.0], [3.0, 0.0]], &[0.0, -9.0], &[0, 1]).unwrap();
    let mut solver = Solver::new();
    let solution = solver.solve_mixed(&problem).unwrap();
    assert_eq!((solution.status, solution.z[0]), (Status::Solved, 3.0));
}
