//! Scenarios of every kind against a judge of their own: the natural map of De Saxcé and Feng on the round cone.

use super::blocks::{BlockLu, SIX};
use super::scenes::{Random, Scene, Vec3, grasp, peg, stack, wall};
use super::*;

const ROUGH: Rules = Rules {
    friction_of: |mu| mu,
    dynamic: false,
    corners: 0,
    tolerance: 1e-10,
    to_rounding: false,
    most_steps: usize::MAX,
    most_operations: u64::MAX,
    allowance: u64::MAX,
    least_steps: 0,
    is_limited: false,
    seeks_rest: true,
    insists: false,
};
const SMOOTH: Rules = Rules {
    friction_of: |_| 0.0,
    dynamic: false,
    corners: 0,
    tolerance: 1e-10,
    to_rounding: false,
    most_steps: usize::MAX,
    most_operations: u64::MAX,
    allowance: u64::MAX,
    least_steps: 0,
    is_limited: false,
    seeks_rest: true,
    insists: false,
};

/// Largest defect of p = Proj(p − (u + μ|u_t| n)/δ) on the round cone, relative to the fastest contact velocity.
fn judge(problem: &ContactProblem, theta: &[f64], friction: &[[f64; 2]], joint: &[f64]) -> f64 {
    let mut v = problem.k_x().to_vec();
    let mut fastest = 0.0_f64;
    let size = |u: &Vec3| (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]).sqrt();
    let biased = |i: usize, v: &[f64]| {
        let (u, b) = (problem.along(i, v), problem.bias(i));
        [u[0] + b[0], u[1] + b[1], u[2] + b[2]]
    };
    for i in 0..theta.len() {
        fastest = fastest.max(size(&biased(i, problem.k_x())));
        problem.push(i, [theta[i], friction[i][0], friction[i][1]], &mut v);
    }
    for (k, x) in joint.iter().enumerate() {
        problem.push_joint(k, *x, &mut v);
    }
    let mut worst = 0.0_f64;
    for i in 0..theta.len() {
        let delta: f64 = problem.columns(i).normal.iter().map(|x| x * x).sum();
        let (mu, u) = (problem.mu(i), biased(i, &v));
        let slip = (u[1] * u[1] + u[2] * u[2]).sqrt();
        let p = [theta[i], friction[i][0], friction[i][1]];
        // No slip: the normal law, and no slip where the contact pushes.
        let lift = if mu.is_infinite() { 0.0 } else { mu * slip };
        let x = [p[0] - (u[0] + lift) / delta, p[1] - u[1] / delta, p[2] - u[2] / delta];
        let t = (x[1] * x[1] + x[2] * x[2]).sqrt();
        let q = if (mu.is_infinite() && x[0] > 0.0) || t <= mu * x[0] {
            x
        } else if mu.is_infinite() || mu * t <= -x[0] {
            [0.0; 3]
        } else {
            let a = (x[0] + mu * t) / (1.0 + mu * mu);
            [a, mu * a * x[1] / t, mu * a * x[2] / t]
        };
        worst = worst.max(delta * size(&[q[0] - p[0], q[1] - p[1], q[2] - p[2]]));
    }
    for k in 0..joint.len() {
        worst = worst.max((problem.along_joint(k, &v) + problem.joint_bias(k)).abs());
    }
    worst / fastest
}

/// Solves from zero and returns the outcome with the judge's figure.
fn solve(solver: &mut NewtonCone, problem: &ContactProblem) -> (Outcome, f64) {
    let n = problem.contact_count();
    let (mut theta, mut friction) = (vec![0.0; n], vec![[0.0; 2]; n]);
    let mut joint = vec![0.0; problem.joint_count()];
    let outcome = solver.refine(problem, ROUGH, &mut theta, &mut friction, &mut joint);
    (outcome, judge(problem, &theta, &friction, &joint))
}

/// Twenty pushes of a scene: gravity on all bodies and a random wrench on the last, all solved to the tolerance.
fn all_solved(name: &str, mut scene: Scene, gravity: f64, squeeze: f64, tolerance: f64, random: &mut Random) {
    let mut solver = NewtonCone::default();
    for push in 0..20 {
        let m = scene.com.len();
        let mut k = vec![[0.0; 6]; m];
        for (body, k) in k.iter_mut().enumerate() {
            k[2] = -gravity * scene.mass[body][2];
        }
        let loaded = if squeeze > 0.0 { m - 2 } else { m - 1 };
        let scale = [0.5, 0.5, 0.5, 0.2, 0.2, 0.2];
        for c in 0..6 {
            k[loaded][c] += scene.mass[loaded][0] * scale[c] * random.normal();
        }
        k[0][0] += squeeze;
        k[m - 1][0] -= squeeze;
        scene.push(&k);
        let (outcome, worst) = solve(&mut solver, &scene.problem);
        assert!(
            outcome.converged && worst <= tolerance,
            "{name}, push {push}: {outcome:?}, judged {worst:e}"
        );
    }
}

#[test]
fn single_bodies_are_solved_to_rounding() {
    let mut random = Random(1);
    for n in [8, 16, 32, 64, 128] {
        let scene = peg(n, 0.25, 0.0, &mut random);
        all_solved(&format!("peg {n}"), scene, 0.0, 0.0, 1e-11, &mut random);
    }
    for mu in [0.0, 0.25, 0.8, 1.5, f64::INFINITY] {
        let scene = peg(16, mu, 0.0, &mut random);
        all_solved(&format!("peg, mu {mu}"), scene, 0.0, 0.0, 1e-10, &mut random);
        all_solved(
            &format!("box, mu {mu}"),
            stack(1, 1.0, mu),
            1.5,
            0.0,
            1e-10,
            &mut random,
        );
    }
}

#[test]
fn stacks_walls_and_grasps_are_solved() {
    let mut random = Random(2);
    for m in [2, 3, 5, 10, 20] {
        all_solved(&format!("stack {m}"), stack(m, 1.0, 0.25), 1.0, 0.0, 1e-10, &mut random);
    }
    all_solved("heavy on light", stack(3, 10.0, 0.25), 1.0, 0.0, 1e-10, &mut random);
    all_solved("light on heavy", stack(4, 0.01, 0.25), 1.0, 0.0, 1e-10, &mut random);
    all_solved("grasp", grasp(100.0), 0.5, 10.0, 1e-10, &mut random);
    all_solved("wall", wall(5, 5, 0.3), 1.0, 0.0, 1e-10, &mut random);
}

#[test]
fn no_slip_is_the_limit_of_large_mu_where_that_limit_pushes() {
    let mut random = Random(2);
    let (mut infinite, mut large) = (stack(5, 1.0, f64::INFINITY), stack(5, 1.0, 1e4));
    let mut solver = NewtonCone::default();
    let mut without = 0;
    for push in 0..40 {
        let mut k = vec![[0.0, 0.0, -1.0, 0.0, 0.0, 0.0]; 5];
        for c in 0..6 {
            k[4][c] += if c < 3 { 0.5 } else { 0.2 } * random.normal();
        }
        infinite.push(&k);
        large.push(&k);
        let (outcome, worst) = solve(&mut solver, &infinite.problem);
        if outcome.converged {
            assert!(worst <= 1e-10, "push {push}: {outcome:?}, judged {worst:e}");
            continue;
        }
        // A contact whose θ falls like f/μ keeps its friction and stops pushing: the limit does not satisfy the law.
        without += 1;
        let (mut theta, mut friction) = (vec![0.0; 20], vec![[0.0; 2]; 20]);
        let outcome = solver.refine(&large.problem, ROUGH, &mut theta, &mut friction, &mut []);
        assert!(outcome.converged, "push {push}: {outcome:?}");
        let on_the_cone = |i: usize| theta[i] > 1e-9 && friction[i][0].hypot(friction[i][1]) > 0.999e4 * theta[i];
        assert!((0..20).any(on_the_cone), "push {push}: {theta:?} {friction:?}");
    }
    assert!(without <= 4, "{without} of 40 without an answer");
}

#[test]
fn nearly_redundant_contacts_are_solved() {
    let mut random = Random(3);
    let scene = peg(16, 0.25, 1e-8, &mut random);
    all_solved("peg, jitter", scene, 0.0, 0.0, 1e-10, &mut random);
}

#[test]
fn redundant_joints_and_planar_contacts() {
    // A planar body (x, z, angle) on two points, held against turning twice over, on a moving floor.
    let mut problem = ContactProblem::new();
    problem
        .add_block(&[2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.5], &[0.4, -1.0, 3.0])
        .unwrap();
    for x in [-0.5, 0.5] {
        let rows: [&[f64]; 3] = [&[0.0, 1.0, x], &[1.0, 0.0, 0.5], &[0.0; 3]];
        let i = problem.add_contact(&[(0, rows)], 0.3).unwrap();
        problem.set_bias(i, [0.0, -0.9, 0.0]).unwrap();
    }
    for factor in [1.0, 2.0] {
        problem.add_joint(&[(0, &[0.0, 0.0, factor])], -0.1 * factor).unwrap();
    }
    let (outcome, worst) = solve(&mut NewtonCone::default(), &problem);
    assert!(outcome.converged && worst < 1e-13, "{outcome:?}, judged {worst:e}");
}

#[test]
fn one_large_block_is_cut_into_sixes() {
    // Eight bodies of three coordinates in one block: the same answer as apart.
    let mut random = Random(4);
    let (mut whole, mut apart) = (ContactProblem::new(), ContactProblem::new());
    let (count, dim) = (8, 24);
    let mut mass = vec![0.0; dim * dim];
    let mut v = vec![0.0; dim];
    for k in 0..dim {
        mass[k * dim + k] = 1.0 + 0.1 * k as f64;
        v[k] = random.normal() - if k % 3 == 2 { 1.0 } else { 0.0 };
    }
    whole.add_block(&mass, &v).unwrap();
    for b in 0..count {
        let mut m = [0.0; 9];
        for k in 0..3 {
            m[4 * k] = mass[(3 * b + k) * (dim + 1)];
        }
        apart.add_block(&m, &v[3 * b..3 * b + 3]).unwrap();
    }
    for b in 0..count {
        let part: [&[f64]; 3] = [&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]];
        let under: [&[f64]; 3] = [&[0.0, 0.0, -1.0], &[-1.0, 0.0, 0.0], &[0.0, -1.0, 0.0]];
        let mut rows = vec![vec![0.0; dim]; 3];
        for c in 0..3 {
            rows[c][3 * b..3 * b + 3].copy_from_slice(part[c]);
            if b > 0 {
                rows[c][3 * b - 3..3 * b].copy_from_slice(under[c]);
            }
        }
        whole.add_contact(&[(0, [&rows[0], &rows[1], &rows[2]])], 0.4).unwrap();
        if b > 0 {
            apart.add_contact(&[(b, part), (b - 1, under)], 0.4).unwrap();
        } else {
            apart.add_contact(&[(b, part)], 0.4).unwrap();
        }
    }
    for problem in [&whole, &apart] {
        let (outcome, worst) = solve(&mut NewtonCone::default(), problem);
        assert!(outcome.converged && worst < 1e-12, "{outcome:?}, judged {worst:e}");
    }
}

#[test]
fn frictionless_ignores_mu_and_a_solution_stays() {
    let mut scene = stack(3, 1.0, 0.5);
    let load = [0.4, 0.1, -1.0, 0.1, -0.2, 0.1];
    scene.push(&[[0.0, 0.0, -1.0, 0.0, 0.0, 0.0], load, load]);
    let (mut theta, mut friction) = (vec![0.0; 12], vec![[0.0; 2]; 12]);
    let mut solver = NewtonCone::default();
    let outcome = solver.refine(&scene.problem, SMOOTH, &mut theta, &mut friction, &mut []);
    assert!(outcome.converged, "{outcome:?}");
    assert!(friction.iter().all(|f| *f == [0.0; 2]), "{friction:?}");
    let outcome = solver.refine(&scene.problem, ROUGH, &mut theta, &mut friction, &mut []);
    assert!(outcome.converged, "{outcome:?}");
    let before = (theta.clone(), friction.clone());
    let outcome = solver.refine(&scene.problem, ROUGH, &mut theta, &mut friction, &mut []);
    assert!(outcome.converged && outcome.steps <= 4, "{outcome:?}");
    for i in 0..12 {
        assert!((theta[i] - before.0[i]).abs() < 1e-10, "contact {i}");
    }
}

#[test]
fn impossible_problems_end_and_say_so() {
    // Two contacts that want to open against each other: floor and ceiling both closing in.
    let mut problem = ContactProblem::new();
    problem.add_block(&[1.0], &[0.3]).unwrap();
    for sign in [1.0, -1.0] {
        let rows: [&[f64]; 3] = [&[sign], &[0.0], &[0.0]];
        let i = problem.add_contact(&[(0, rows)], 0.5).unwrap();
        problem.set_bias(i, [-1.0, 0.0, 0.0]).unwrap();
    }
    let (outcome, _) = solve(&mut NewtonCone::default(), &problem);
    assert!(!outcome.converged && outcome.steps < 2000, "{outcome:?}");
    // Nothing to do.
    let (outcome, _) = solve(&mut NewtonCone::default(), &ContactProblem::new());
    assert!(outcome.converged && outcome.steps == 0, "{outcome:?}");
}

#[test]
fn a_second_solve_repeats_the_bits_and_does_not_allocate() {
    let mut scene = wall(4, 4, 0.4);
    let mut random = Random(5);
    let load: Vec<[f64; 6]> = (0..scene.com.len())
        .map(|_| [0.3 * random.normal(), 0.1, -1.0, 0.0, 0.05 * random.normal(), 0.0])
        .collect();
    scene.push(&load);
    let n = scene.problem.contact_count();
    let mut solver = NewtonCone::default();
    let mut answers = vec![(vec![0.0; n], vec![[0.0; 2]; n]); 2];
    for (k, (theta, friction)) in answers.iter_mut().enumerate() {
        let mut outcome = None;
        let count = allocation_counter::measure(|| {
            outcome = Some(solver.refine(&scene.problem, ROUGH, theta, friction, &mut []));
        });
        assert!(outcome.unwrap().converged, "{outcome:?}");
        assert!(k == 0 || count.count_total == 0, "{count:?}");
    }
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn block_factor_solves_a_coupled_system() {
    // A ring of five blocks, so that elimination fills: A = I + Σ L Rᵀ over neighbours.
    let mut random = Random(6);
    let count = 5;
    let mut lu = BlockLu::default();
    lu.analyse(count, |edge| (0..count).for_each(|k| edge(k, (k + 1) % count)));
    lu.reset();
    let mut dense = vec![0.0; (SIX * count) * (SIX * count)];
    for k in 0..SIX * count {
        dense[k * (SIX * count + 1)] = 1.0;
    }
    for k in 0..count {
        let next = (k + 1) % count;
        for (a, b) in [(k, k), (k, next), (next, k)] {
            let mut vector = || std::array::from_fn(|_| 0.3 * random.normal());
            let (left, right): ([f64; SIX], [f64; SIX]) = (vector(), vector());
            lu.add(lu.slot(a, b), &[left], &[right]);
            for i in 0..SIX {
                for j in 0..SIX {
                    dense[(SIX * a + i) * SIX * count + SIX * b + j] += left[i] * right[j];
                }
            }
        }
    }
    let b: Vec<[f64; SIX]> = (0..count).map(|_| std::array::from_fn(|_| random.normal())).collect();
    let mut x = b.clone();
    assert!(lu.factor());
    lu.solve(&mut x);
    for row in 0..SIX * count {
        let sum: f64 = (0..SIX * count)
            .map(|c| dense[row * SIX * count + c] * x[c / SIX][c % SIX])
            .sum();
        assert!((sum - b[row / SIX][row % SIX]).abs() < 1e-11, "row {row}");
    }
}
