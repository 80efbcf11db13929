//! The front door: laws, islands, joints, restitution, rays, options. Every answer is judged again from outside.
#![allow(clippy::unwrap_used)]

mod xorshift;

use stiction_contact::check::{Answer, Terms, check};
use stiction_contact::{
    Body, BodyContact, BodyJoint, ContactProblem, ContactSolution, ContactSolver, ContactState, Law, Method, Options,
    Restitution, Status,
};
use xorshift::Random;

const G: f64 = 9.81;
const DT: f64 = 0.01;

fn cube(mass: f64, position: [f64; 3]) -> Body {
    let i = mass / 6.0;
    Body {
        mass,
        inertia: [[i, 0.0, 0.0], [0.0, i, 0.0], [0.0, 0.0, i]],
        position,
        velocity: [0.0; 6],
        wrench: [0.0, 0.0, -mass * G, 0.0, 0.0, 0.0],
    }
}

/// Contacts at the four corners between cube `a` and what lies below at the given height.
fn corners(a: usize, b: Option<usize>, center: f64, height: f64, mu: f64) -> Vec<BodyContact> {
    let corner = |(x, y): &(f64, f64)| BodyContact {
        a,
        b,
        point: [center + x, *y, height],
        normal: [0.0, 0.0, 1.0],
        mu,
        gap: 0.0,
        restitution: 0.0,
        viscosity: 0.0,
    };
    [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)]
        .iter()
        .map(corner)
        .collect()
}

/// Towers of cubes side by side: each is an island. Cubes are kicked at random.
fn towers(count: usize, height: usize, mu: f64, seed: u64) -> ContactProblem {
    let mut random = Random(seed);
    let (mut bodies, mut contacts) = (Vec::new(), Vec::new());
    for tower in 0..count {
        let center = 3.0 * tower as f64;
        for level in 0..height {
            let mut body = cube(1.0 + 0.5 * random.next(), [center, 0.0, 0.5 + level as f64]);
            body.velocity = std::array::from_fn(|_| 0.3 * random.next());
            bodies.push(body);
            let a = bodies.len() - 1;
            let b = (level > 0).then(|| a - 1);
            contacts.extend(corners(a, b, center, level as f64, mu));
        }
    }
    build(&bodies, &contacts, &[])
}

fn build(bodies: &[Body], contacts: &[BodyContact], joints: &[BodyJoint]) -> ContactProblem {
    ContactProblem::from_bodies(bodies, contacts, joints, DT, Restitution::Newton).unwrap()
}

fn solver(law: Law) -> ContactSolver {
    let options = Options {
        law,
        ..Options::default()
    };
    ContactSolver::new(options).unwrap()
}

fn solve(problem: &ContactProblem, law: Law) -> ContactSolution {
    solver(law).solve(problem).unwrap().clone()
}

/// Judges a solution from outside, with and without its φ.
fn assert_solved(problem: &ContactProblem, solution: &ContactSolution, what: &str) {
    assert_eq!(solution.status, Status::Solved, "{what}: {:?}", solution.residual);
    assert!(
        solution.residual.beyond_rounding <= 1e-10,
        "{what}: {:?}",
        solution.residual
    );
    let terms = Terms {
        law: solution.law,
        directions: 8,
        tolerance: 1e-10,
    };
    for phi in [None, (!solution.phi.is_empty()).then_some(&solution.phi[..])] {
        let answer = Answer {
            normal: &solution.normal_impulse,
            friction: &solution.friction_impulse,
            phi,
            joint: &solution.joint_impulse,
        };
        let verdict = check(problem, terms, answer).unwrap();
        assert!(verdict.solved, "{what}: {:?}", verdict.residual);
        for (k, (v, w)) in verdict.velocity.iter().zip(&solution.velocity).enumerate() {
            assert!((v - w).abs() <= 1e-12, "{what}: velocity {k}: {v} {w}");
        }
    }
}

#[test]
fn random_towers_are_solved() {
    for seed in 1..=20 {
        for height in 1..=3 {
            let problem = towers(1, height, 0.4, seed);
            for law in [Law::Frictionless, Law::Polyhedral] {
                let solution = solve(&problem, law);
                assert_solved(&problem, &solution, &format!("seed {seed}, height {height}, {law:?}"));
            }
        }
    }
}

/// One impulse changed by a millionth of the load is found, whichever it is.
#[test]
fn answers_changed_a_little_are_refused() {
    for law in [Law::Frictionless, Law::Polyhedral] {
        for seed in 1..=5 {
            let problem = towers(1, 2, 0.4, seed);
            let solution = solve(&problem, law);
            let load = solution.normal_impulse.iter().fold(0.0_f64, |m, x| m.max(*x));
            for (i, change) in (0..24).flat_map(|i| [(i, 1e-6 * load), (i, -1e-6 * load)]) {
                let (mut normal, mut friction) = (solution.normal_impulse.clone(), solution.friction_impulse.clone());
                match i % 3 {
                    0 => normal[i / 3] += change,
                    k => friction[i / 3][k - 1] += change,
                }
                let terms = Terms {
                    law,
                    directions: 8,
                    tolerance: 1e-10,
                };
                let answer = Answer {
                    normal: &normal,
                    friction: &friction,
                    phi: None,
                    joint: &[],
                };
                let verdict = check(&problem, terms, answer).unwrap();
                assert!(
                    !verdict.solved && verdict.residual.worst > 1e-8,
                    "{law:?}, seed {seed}, impulse {i} by {change}: {:?}",
                    verdict.residual
                );
            }
        }
    }
}

#[test]
fn islands_give_what_they_give_alone() {
    let problem = towers(5, 2, 0.4, 7);
    let solution = solve(&problem, Law::Polyhedral);
    assert_solved(&problem, &solution, "five towers");
    assert_eq!(solution.stats.islands, 5);
    for tower in 0..5 {
        let contacts: Vec<usize> = (8 * tower..8 * (tower + 1)).collect();
        let alone = problem.part(&[2 * tower, 2 * tower + 1], &contacts, &[]);
        let alone = solve(&alone, Law::Polyhedral);
        assert_eq!(alone.stats.islands, 1);
        assert_eq!(
            alone.normal_impulse,
            &solution.normal_impulse[8 * tower..8 * (tower + 1)]
        );
        assert_eq!(alone.phi, &solution.phi[64 * tower..64 * (tower + 1)]);
        assert_eq!(alone.velocity, &solution.velocity[12 * tower..12 * (tower + 1)]);
        assert_eq!(alone.state, &solution.state[8 * tower..8 * (tower + 1)]);
    }
}

#[test]
fn threads_and_earlier_problems_do_not_change_the_bits() {
    // 20 islands of 4 contacts: enough for several threads.
    let problem = towers(20, 1, 0.4, 3);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| solve(&problem, Law::Polyhedral))
    };
    let one = run(1);
    assert_solved(&problem, &one, "20 towers");
    for threads in [2, 4] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
    let mut solver = solver(Law::Polyhedral);
    solver.solve(&towers(3, 2, 0.4, 9)).unwrap();
    assert_eq!(solver.solve(&problem).unwrap(), &one, "buffers used before");
}

#[test]
fn a_heavy_cube_on_a_light_one() {
    let bodies = [cube(1.0, [0.0, 0.0, 0.5]), cube(1e6, [0.0, 0.0, 1.5])];
    let mut contacts = corners(0, None, 0.0, 0.0, 0.5);
    contacts.extend(corners(1, Some(0), 0.0, 1.0, 0.5));
    let problem = build(&bodies, &contacts, &[]);
    let solution = solve(&problem, Law::Polyhedral);
    assert_solved(&problem, &solution, "mass ratio 1e6");
    for (range, mass) in [(0..4, 1_000_001.0), (4..8, 1e6)] {
        let force = solution.normal_impulse[range].iter().sum::<f64>() / DT;
        assert!((force / (mass * G) - 1.0).abs() < 1e-9, "{force}");
    }
}

#[test]
fn without_friction_all_laws_are_one() {
    let problem = towers(2, 2, 0.0, 5);
    let smooth = solve(&problem, Law::Frictionless);
    for law in [Law::Polyhedral, Law::Coulomb] {
        let solution = solve(&problem, law);
        assert_eq!(solution.status, Status::Solved);
        assert_eq!(solution.normal_impulse, smooth.normal_impulse, "{law:?}");
        assert_eq!(solution.velocity, smooth.velocity, "{law:?}");
    }
}

#[test]
fn large_and_infinite_friction_hold() {
    for mu in [100.0, 1e6, f64::INFINITY] {
        let mut body = cube(2.0, [0.0, 0.0, 0.5]);
        body.velocity = [0.04, -0.03, -1.0, 0.0, 0.0, 0.2];
        let problem = build(&[body], &corners(0, None, 0.0, 0.0, mu), &[]);
        for law in [Law::Polyhedral, Law::Coulomb] {
            let solution = solve(&problem, law);
            assert_solved(&problem, &solution, &format!("mu {mu}, {law:?}"));
            let fastest = solution.velocity.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!(fastest < 1e-9, "mu {mu}, {law:?}: {fastest}");
            assert!(solution.state.iter().all(|s| *s != ContactState::Sliding));
        }
    }
}

#[test]
fn joints_hold_and_redundant_ones_do_no_harm() {
    // A cube on the floor, held in x by a joint given twice, pushed in x and y.
    let mut body = cube(2.0, [0.0, 0.0, 0.5]);
    body.velocity = [0.4, -0.8, -1.0, 0.0, 0.0, 0.0];
    let mut row = [0.0; 12];
    row[0] = 1.0;
    let joint = |rows: usize| BodyJoint {
        a: 0,
        b: None,
        rows: vec![row; rows],
        bias: vec![0.0; rows],
    };
    let contacts = corners(0, None, 0.0, 0.0, 0.3);
    let one = build(std::slice::from_ref(&body), &contacts, &[joint(1)]);
    let two = build(&[body], &contacts, &[joint(2)]);
    let (one_answer, two_answer) = (solve(&one, Law::Polyhedral), solve(&two, Law::Polyhedral));
    assert_solved(&one, &one_answer, "one joint row");
    assert_solved(&two, &two_answer, "the same row twice");
    assert!(one_answer.velocity[0].abs() < 1e-14);
    for k in 0..6 {
        assert!((one_answer.velocity[k] - two_answer.velocity[k]).abs() < 1e-13);
    }
    // Rows that contradict each other are not called solved.
    let mut contrary = two.clone();
    contrary
        .add_joint(&[(0, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0])], 0.5)
        .unwrap();
    let answer = solve(&contrary, Law::Polyhedral);
    assert_ne!(answer.status, Status::Solved);
    assert!(answer.residual.joints > 0.1);
}

#[test]
fn joints_alone_are_solved() {
    let mut pendulum = ContactProblem::new();
    pendulum.add_block(&[2.0, 0.0, 0.0, 2.0], &[1.0, -1.0]).unwrap();
    pendulum.add_joint(&[(0, &[0.6, 0.8])], 0.0).unwrap();
    for law in Law::ALL {
        let answer = solve(&pendulum, law);
        assert_solved(&pendulum, &answer, "pendulum");
        assert!((answer.joint_impulse[0] - 0.4).abs() < 1e-15, "{answer:?}");
    }
}

#[test]
fn closing_walls_end_on_a_ray_that_names_them() {
    let mut problem = ContactProblem::new();
    problem.add_block(&[1.0], &[0.0]).unwrap();
    problem.add_block(&[1.0], &[0.0]).unwrap();
    let (right, left): ([&[f64]; 3], [&[f64]; 3]) = ([&[1.0], &[0.0], &[0.0]], [&[-1.0], &[0.0], &[0.0]]);
    problem.add_contact(&[(0, right)], 0.5).unwrap();
    for (rows, contact) in [(right, 1), (left, 2)] {
        problem.add_contact(&[(1, rows)], 0.0).unwrap();
        problem.set_bias(contact, [-1.0, 0.0, 0.0]).unwrap();
    }
    for law in Law::ALL {
        let solution = solve(&problem, law);
        assert_eq!(solution.status, Status::Ray, "{law:?}");
        let ray = solution.ray.as_ref().unwrap();
        assert_eq!(ray.contacts, [(1, 1.0), (2, 1.0)], "{law:?}");
        assert!(ray.infeasible && ray.work == -2.0 && ray.defect == 0.0, "{ray:?}");
        assert!(solution.residual.worst > 0.1);
    }
}

#[test]
fn poisson_gives_back_what_was_compressed() {
    let bounce = |e: f64, restitution: Restitution| {
        let mut body = cube(2.0, [0.0, 0.0, 0.5]);
        body.velocity = [0.0, 0.0, -1.0, 0.0, 0.0, 0.0];
        body.wrench = [0.0; 6];
        let mut contacts = corners(0, None, 0.0, 0.0, 0.5);
        for contact in &mut contacts {
            contact.restitution = e;
        }
        let problem = ContactProblem::from_bodies(&[body], &contacts, &[], DT, restitution).unwrap();
        solve(&problem, Law::Polyhedral)
    };
    for e in [0.0, 0.25, 1.0] {
        let (poisson, newton) = (bounce(e, Restitution::Poisson), bounce(e, Restitution::Newton));
        assert_eq!((poisson.status, newton.status), (Status::Solved, Status::Solved));
        assert!((poisson.velocity[2] - e).abs() < 1e-14, "{e}: {:?}", poisson.velocity);
        assert!((newton.velocity[2] - e).abs() < 1e-14, "{e}: {:?}", newton.velocity);
        let total: f64 = poisson.normal_impulse.iter().sum();
        assert!((total - 2.0 * (1.0 + e)).abs() < 1e-13, "{total}");
    }
}

/// Three balls in a row, the first hits with e = 1: (−1/3, 2/3, 2/3), the simultaneous answer, which keeps the energy.
#[test]
fn cradle_after_poisson() {
    let mut problem = ContactProblem::new();
    for v in [1.0, 0.0, 0.0] {
        problem.add_block(&[1.0], &[v]).unwrap();
    }
    let (back, front): ([&[f64]; 3], [&[f64]; 3]) = ([&[-1.0], &[0.0], &[0.0]], [&[1.0], &[0.0], &[0.0]]);
    for i in 0..2 {
        let contact = problem.add_contact(&[(i, back), (i + 1, front)], 0.0).unwrap();
        problem.set_restitution(contact, 1.0).unwrap();
    }
    let solution = solve(&problem, Law::Coulomb);
    assert_eq!(solution.status, Status::Solved);
    for (found, expected) in solution.velocity.iter().zip([-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]) {
        assert!((found - expected).abs() < 1e-14, "{:?}", solution.velocity);
    }
}

#[test]
fn a_polygon_answer_is_not_passed_off_as_round() {
    let mut problem = ContactProblem::new();
    let mass = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
    problem.add_block(&mass, &[2.0, 0.5, -1.0]).unwrap();
    let rows: [&[f64]; 3] = [&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]];
    problem.add_contact(&[(0, rows)], 0.5).unwrap();
    let solution = solve(&problem, Law::Coulomb);
    match solution.status {
        Status::Solved => assert_solved(&problem, &solution, "point mass"),
        status => {
            assert_eq!(status, Status::NotRound);
            assert!(solution.residual.worst > 1e-3);
        }
    }
}

#[test]
fn uniqueness_is_found_on_request() {
    let bodies = [cube(2.0, [0.0, 0.0, 0.5])];
    let problem = build(&bodies, &corners(0, None, 0.0, 0.0, 0.0), &[]);
    let mut solver = solver(Law::Frictionless);
    assert!(solver.solve(&problem).unwrap().unique.is_empty());
    let solution = solver.find_unique(&problem).unwrap();
    // Lemke's answer is basic: at most rank(N) = 3 legs carry; the load can be shared otherwise among the four.
    let carrying = solution.state.iter().filter(|s| **s != ContactState::Separating);
    assert!(carrying.count() <= 3, "{:?}", solution.normal_impulse);
    assert_eq!(solution.unique, [false; 4]);
    assert!(solver.find_unique(&ContactProblem::new()).is_err());
}

#[test]
fn empty_problems_are_solved() {
    for law in Law::ALL {
        let solution = solve(&ContactProblem::new(), law);
        assert_eq!((solution.status, solution.stats.islands), (Status::Solved, 0));
        let solution = solve(&build(&[cube(1.0, [0.0; 3])], &[], &[]), law);
        assert_eq!(solution.status, Status::Solved);
        assert!((solution.velocity[2] + G * DT).abs() < 1e-15);
    }
}

#[test]
fn options_out_of_range_are_named() {
    let default = Options::default;
    let says = |options: Options| ContactSolver::new(options).unwrap_err().to_string();
    for directions in [2, 65] {
        let text = says(Options {
            directions,
            ..default()
        });
        assert_eq!(
            text,
            format!("directions: must lie between 3 and 64, found {directions}")
        );
    }
    let text = says(Options {
        tolerance: f64::NAN,
        ..default()
    });
    assert_eq!(text, "tolerance: must lie between 0 and 1, both excluded, found NaN");
    let text = says(Options {
        method: Some(Method::LemkeReduced),
        ..default()
    });
    assert_eq!(
        text,
        "method: lemke_reduced does not answer the law coulomb; methods that do: newton_cone, dantzig, nonconvex_max"
    );
}

/// Solves take from an allowance what they take; without any a solve ends at once, with no impulse and unsolved, and a larger one changes nothing.
#[test]
fn an_allowance_is_kept() {
    let problem = towers(3, 4, 0.6, 7);
    let free = solve(&problem, Law::Coulomb);
    let mut solver = solver(Law::Coulomb);
    solver.set_allowance(1_000_000_000);
    let rich = solver.solve(&problem).unwrap().clone();
    assert_eq!(
        (rich.status, solver.allowance()),
        (Status::Solved, 1_000_000_000 - rich.stats.operations)
    );
    assert_solved(&problem, &rich, "with an allowance");
    assert!(rich.stats.operations > 0);
    solver.set_allowance(0);
    let poor = solver.solve(&problem).unwrap();
    assert_ne!(poor.status, Status::Solved);
    assert_eq!((poor.stats.operations, poor.stats.newton_steps), (0, 0));
    assert!(poor.normal_impulse.iter().all(|x| *x == 0.0));
    solver.set_allowance(u64::MAX);
    assert_eq!(solver.solve(&problem).unwrap(), &free);
    assert_eq!(solver.allowance(), u64::MAX);
}
