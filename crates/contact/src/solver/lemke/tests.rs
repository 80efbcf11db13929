//! The path against the conditions of the contact LCP, computed from the problem's columns alone.

use super::*;
use crate::testing::{Random, disturb, peg, stack};

/// Largest violation of the contact LCP \[Lloyd (8)\], relative to the largest normal velocity.
pub(super) fn residual(problem: &ContactProblem, d: usize, path: &LemkePath) -> f64 {
    let n = problem.contact_count();
    let (mut theta, mut f, mut phi) = (vec![0.0; n], vec![[0.0; 2]; n], vec![0.0; n * d]);
    let mut joint = vec![0.0; problem.joint_count()];
    path.write(&mut theta, &mut f, Some(&mut phi), &mut joint);
    let mut v = problem.k_x().to_vec();
    for i in 0..n {
        problem.push(i, [theta[i], f[i][0], f[i][1]], &mut v);
    }
    for (k, x) in joint.iter().enumerate() {
        problem.push_joint(k, *x, &mut v);
    }
    let mut worst = 0.0_f64;
    let mut size = f64::MIN_POSITIVE;
    for k in 0..joint.len() {
        worst = worst.max((problem.along_joint(k, &v) + problem.joint_bias(k)).abs());
    }
    for i in 0..n {
        let (b, mu) = (problem.bias(i), problem.mu(i));
        size = size.max((problem.along(i, problem.k_x())[0] + b[0]).abs());
        let u = problem.along(i, &v);
        let weight = crate::problem::length(problem.columns(i).normal).powi(2);
        let (nu, t) = (u[0] + b[0], [u[1] + b[1], u[2] + b[2]]);
        let directions: Vec<[f64; 2]> = (0..d).map(|j| path.columns.circle.direction(j)).collect();
        let along: Vec<f64> = directions.iter().map(|[x, y]| x * t[0] + y * t[1]).collect();
        let sum: f64 = phi[i * d..(i + 1) * d].iter().sum();
        let lambda = along.iter().fold(0.0_f64, |m, s| m.max(-s));
        worst = worst.max(nu.min(weight * theta[i]).abs());
        worst = worst.max(if sum == 0.0 && theta[i] == 0.0 {
            0.0
        } else {
            (weight * (mu * theta[i] - sum)).min(lambda).abs()
        });
        for j in 0..d {
            worst = worst.max((along[j] + lambda).min(weight * phi[i * d + j]).abs());
        }
    }
    worst / size
}

#[test]
fn pegs_are_solved_by_all_forms() {
    let mut path = LemkePath::default();
    let mut random = Random::new(1);
    for n in [8, 16, 32, 64] {
        for k in 0..20 {
            let problem = peg(n, &mut random);
            for form in [Form::Reduced, Form::Structural] {
                assert_eq!(
                    path.run(&problem, 8, form),
                    End::Solved,
                    "peg {n}, wrench {k}, {form:?}"
                );
                let worst = residual(&problem, 8, &path);
                assert!(worst < 1e-12, "peg {n}, wrench {k}, {form:?}: residual {worst:e}");
            }
        }
    }
}

#[test]
fn stacks_are_solved() {
    let mut path = LemkePath::default();
    let mut random = Random::new(2);
    for m in [1, 2, 3, 5, 10, 20, 40] {
        for k in 0..5 {
            let problem = stack(m, 1.0, &mut random);
            assert_eq!(
                path.run(&problem, 8, Form::Reduced),
                End::Solved,
                "stack {m}, wrench {k}"
            );
            let worst = residual(&problem, 8, &path);
            assert!(worst < 1e-12, "stack {m}, wrench {k}: residual {worst:e}");
        }
    }
}

#[test]
fn any_number_of_directions_works() {
    let mut path = LemkePath::default();
    let mut random = Random::new(3);
    for d in [3, 4, 5, 7, 16, 33, 64] {
        let problem = peg(16, &mut random);
        assert_eq!(path.run(&problem, d, Form::Reduced), End::Solved, "d = {d}");
        let worst = residual(&problem, d, &path);
        assert!(worst < 1e-12, "d = {d}: residual {worst:e}");
    }
}

#[test]
fn warm_starts_reach_an_answer_with_fewer_pivots() {
    let (mut path, mut warm) = (LemkePath::default(), WarmBasis::default());
    let mut random = Random::new(4);
    for (name, mut problem) in [("peg", peg(32, &mut random)), ("stack", stack(8, 1.0, &mut random))] {
        assert_eq!(path.run(&problem, 8, Form::Reduced), End::Solved);
        warm.clear();
        path.save(&problem, &mut warm);
        warm.sort();
        let (mut cold, mut pivots, mut given_up) = (0, 0, 0);
        for k in 0..60 {
            disturb(&mut problem, 0.005, &mut random);
            path.run(&problem, 8, Form::Reduced);
            cold += path.pivots();
            if path.run_warm(&problem, 8, Form::Reduced, &warm) == Some(End::Solved) {
                pivots += path.pivots();
            } else {
                given_up += 1;
                assert_eq!(path.run(&problem, 8, Form::Reduced), End::Solved);
            }
            let worst = residual(&problem, 8, &path);
            assert!(worst < 1e-11, "{name}, step {k}: residual {worst:e}");
            warm.clear();
            path.save(&problem, &mut warm);
            warm.sort();
        }
        assert!(
            given_up <= 3 && pivots * 3 < cold,
            "{name}: {cold} cold pivots, {pivots} warm, {given_up} given up"
        );
    }
}

#[test]
fn walls_that_close_end_on_a_ray_that_names_them() {
    let mut problem = ContactProblem::new();
    problem.add_block(&[1.0], &[0.0]).unwrap();
    problem.add_contact(&[(0, [&[1.0], &[0.0], &[0.0]])], 0.0).unwrap();
    problem.add_contact(&[(0, [&[-1.0], &[0.0], &[0.0]])], 0.0).unwrap();
    problem.set_bias(0, [-1.0, 0.0, 0.0]).unwrap();
    problem.set_bias(1, [-2.0, 0.0, 0.0]).unwrap();
    let mut path = LemkePath::default();
    assert_eq!(path.run(&problem, 8, Form::Reduced), End::Ray);
    let ray = path.ray(&problem).unwrap();
    assert_eq!(ray.contacts, vec![(0, 1.0), (1, 1.0)]);
    assert!(ray.infeasible && ray.work < 0.0 && ray.defect == 0.0, "{ray:?}");
}

#[test]
fn joints_ride_along_and_may_be_redundant() {
    let mut path = LemkePath::default();
    let mut random = Random::new(6);
    for k in 0..20 {
        let mut problem = stack(4, 1.0, &mut random);
        // The two upper cubes are welded, one row twice.
        for row in [0, 1, 2, 3, 4, 5, 2] {
            let mut a = [0.0; 6];
            a[row] = 1.0;
            let b = a.map(|x| -x);
            problem.add_joint(&[(2, &a), (3, &b)], 0.0).unwrap();
        }
        for form in [Form::Reduced, Form::Structural] {
            assert_eq!(path.run(&problem, 8, form), End::Solved, "wrench {k}");
            let worst = residual(&problem, 8, &path);
            assert!(worst < 1e-12, "wrench {k}: residual {worst:e}");
        }
    }
}

#[test]
fn a_crowded_body_takes_few_pivots() {
    let (mut path, mut warm) = (LemkePath::default(), WarmBasis::default());
    let mut random = Random::new(9);
    for k in 0..20 {
        let mut problem = peg(600, &mut random);
        assert_eq!(path.run(&problem, 8, Form::Reduced), End::Solved, "wrench {k}");
        let worst = residual(&problem, 8, &path);
        assert!(worst < 1e-12, "wrench {k}: residual {worst:e}");
        assert!(path.pivots() < 150, "wrench {k}: {} pivots", path.pivots());
        warm.clear();
        path.save(&problem, &mut warm);
        warm.sort();
        disturb(&mut problem, 0.005, &mut random);
        if path.run_warm(&problem, 8, Form::Reduced, &warm) == Some(End::Solved) {
            let worst = residual(&problem, 8, &path);
            assert!(worst < 1e-11, "wrench {k}, warm: residual {worst:e}");
        }
    }
}

#[test]
fn frictionless_answers_have_the_velocity_of_the_structural_form() {
    let mut path = LemkePath::default();
    let mut random = Random::new(10);
    for k in 0..30 {
        let problem = if k % 2 == 0 {
            peg(8 * (1 + k), &mut random)
        } else {
            stack(1 + k / 4, 2.0, &mut random)
        };
        assert_eq!(path.run(&problem, 8, Form::Frictionless), End::Solved, "problem {k}");
        let first = path.now.v.clone();
        let mut smooth = problem.clone();
        for i in 0..smooth.contact_count() {
            smooth.set_bias(i, [0.0; 3]).unwrap();
        }
        // μ = 0 has no friction variables in any form.
        let zero = without_friction(&smooth);
        assert_eq!(path.run(&zero, 8, Form::Structural), End::Solved, "problem {k}");
        for (a, b) in first.iter().zip(&path.now.v) {
            assert!((a - b).abs() < 1e-9, "problem {k}: {a} {b}");
        }
    }
}

/// The same bodies and contacts with μ = 0.
fn without_friction(problem: &ContactProblem) -> ContactProblem {
    let mut smooth = ContactProblem::new();
    for b in 0..problem.block_count() {
        let range = problem.block_range(b);
        smooth.add_block(problem.mass(b), &problem.v_free()[range]).unwrap();
    }
    for i in 0..problem.contact_count() {
        let c = problem.columns_tilde(i);
        let parts: Vec<(usize, [&[f64]; 3])> = c
            .touches
            .iter()
            .map(|t| {
                let part = t.start..t.start + t.len;
                let rows = [
                    &c.normal[part.clone()],
                    &c.tangents[0][part.clone()],
                    &c.tangents[1][part],
                ];
                (t.block, rows)
            })
            .collect();
        smooth.add_contact(&parts, 0.0).unwrap();
    }
    smooth
}
