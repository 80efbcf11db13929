//! No slip: the limit of Coulomb's law for infinite friction, without glue on contacts that open.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod xorshift;

use stiction_contact::check::{Answer, Terms, check};
use stiction_contact::{
    Body, BodyContact, BodyJoint, ContactProblem, ContactSolution, ContactSolver, Law, Method, Options, Restitution,
    Status,
};
use xorshift::Random;

const G: f64 = 9.81;
const DT: f64 = 0.01;

const METHODS: [Method; 6] = [
    Method::PpmModified,
    Method::Dantzig,
    Method::LemkeReduced,
    Method::LemkeStructural,
    Method::LemkeStandard,
    Method::NewtonCone,
];

fn body(mass: f64, half: [f64; 3], position: [f64; 3]) -> Body {
    let [x, y, z] = half.map(|h| h * h * mass / 3.0);
    Body {
        mass,
        inertia: [[y + z, 0.0, 0.0], [0.0, x + z, 0.0], [0.0, 0.0, x + y]],
        position,
        velocity: [0.0; 6],
        wrench: [0.0, 0.0, -mass * G, 0.0, 0.0, 0.0],
    }
}

fn touch(a: usize, b: Option<usize>, point: [f64; 3], normal: [f64; 3], mu: f64) -> BodyContact {
    BodyContact {
        a,
        b,
        point,
        normal,
        mu,
        gap: 0.0,
        restitution: 0.0,
        viscosity: 0.0,
    }
}

fn solve_with(problem: &ContactProblem, law: Law, method: Option<Method>) -> ContactSolution {
    let options = Options {
        law,
        method,
        ..Options::default()
    };
    ContactSolver::new(options).unwrap().solve(problem).unwrap().clone()
}

fn solve(problem: &ContactProblem) -> ContactSolution {
    let solution = solve_with(problem, Law::NoSlip, None);
    assert_solved(problem, &solution, "");
    solution
}

fn assert_solved(problem: &ContactProblem, solution: &ContactSolution, what: &str) {
    assert_eq!(
        solution.status,
        Status::Solved,
        "{what}: {:?} {:?}",
        solution.residual,
        solution.stats
    );
    let terms = Terms {
        law: Law::NoSlip,
        directions: 8,
        tolerance: 1e-10,
    };
    let answer = Answer {
        normal: &solution.normal_impulse,
        friction: &solution.friction_impulse,
        phi: None,
        joint: &solution.joint_impulse,
    };
    let verdict = check(problem, terms, answer).unwrap();
    assert!(verdict.solved, "{what}: {:?}", verdict.residual);
}

fn fastest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, x| x.abs().max(m))
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| (a - b).abs().max(m))
}

/// Cubes on each other and on a floor, pressed down and kicked.
fn tower(height: usize, kick: f64, mu: f64, random: &mut Random) -> ContactProblem {
    let (mut bodies, mut contacts) = (Vec::new(), Vec::new());
    for level in 0..height {
        let mut cube = body(1.0 + 0.5 * random.next(), [0.5; 3], [0.0, 0.0, 0.5 + level as f64]);
        cube.velocity = std::array::from_fn(|k| kick * random.next() - if k == 2 { 1.0 } else { 0.0 });
        bodies.push(cube);
        for (x, y) in [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)] {
            let below = level.checked_sub(1);
            contacts.push(touch(level, below, [x, y, level as f64], [0.0, 0.0, 1.0], mu));
        }
    }
    ContactProblem::from_bodies(&bodies, &contacts, &[], DT, Restitution::Newton).unwrap()
}

/// A row of `k` boxes of width a, height b and depth 1 between two plates on rails, which press with the force P; `per_face` contacts a
/// face, on its rim.
fn grasp(k: usize, (a, b): (f64, f64), press: f64, per_face: usize, mu: f64) -> ContactProblem {
    let (mut bodies, mut contacts) = (Vec::new(), Vec::new());
    for j in 0..k + 2 {
        let mut box_ = body(1.0, [a / 2.0, 0.5, b / 2.0], [a * j as f64, 0.0, 0.0]);
        let push = if j == 0 { press } else { -press };
        if j == 0 || j == k + 1 {
            box_.wrench = [push, 0.0, 0.0, 0.0, 0.0, 0.0];
        }
        bodies.push(box_);
    }
    for j in 0..=k {
        let x = a * (j as f64 + 0.5);
        for c in 0..per_face {
            // Around the rim, corners first.
            let (corner, along) = (c % 4, (c / 4) as f64 / per_face.div_ceil(4) as f64);
            let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)];
            let (from, to) = (corners[corner], corners[corner + 1]);
            let (y, z) = (from.0 + along * (to.0 - from.0), from.1 + along * (to.1 - from.1));
            contacts.push(touch(j + 1, Some(j), [x, y, b * z], [1.0, 0.0, 0.0], mu));
        }
    }
    let rail = |a: usize| BodyJoint {
        a,
        b: None,
        rows: (1..6)
            .map(|axis| std::array::from_fn(|k| if k == axis { 1.0 } else { 0.0 }))
            .collect(),
        bias: vec![0.0; 5],
    };
    ContactProblem::from_bodies(&bodies, &contacts, &[rail(0), rail(k + 1)], DT, Restitution::Newton).unwrap()
}

#[test]
fn towers_move_as_with_huge_friction() {
    let mut random = Random(11);
    let (mut same, mut handovers) = (0, 0);
    for case in 0..200 {
        let problem = tower(1 + case % 3, 0.2, 1e6, &mut random);
        let found = solve(&problem);
        handovers += found.stats.handovers + found.stats.fallbacks;
        let coulomb = solve_with(&problem, Law::Coulomb, None);
        assert_eq!(coulomb.status, Status::Solved, "case {case}");
        let separates = coulomb.contact_velocity.iter().any(|u| u[0] > 1e-9);
        if !separates {
            same += 1;
            let d = apart(&found.velocity, &coulomb.velocity);
            assert!(d <= 1e-6, "case {case}: {d}");
        }
    }
    assert!(same > 100, "{same}");
    println!("{same} of 200 without separation, {handovers} hand-overs or fallbacks");
}

/// Kicked hard: contacts open. Every method finds a lawful answer, and friction acts where contacts push. Where there is none, a contact
/// slides however large its friction: it is lifted as much as its friction needs it pressed.
#[test]
fn towers_that_come_apart_are_lawful_with_every_method() {
    let mut random = Random(12);
    let (mut fallbacks, mut solved) = (0, 0);
    for case in 0..100 {
        let problem = tower(1 + case % 3, 1.0, 1e6, &mut random);
        let found = solve_with(&problem, Law::NoSlip, None);
        fallbacks += found.stats.fallbacks;
        if found.status != Status::Solved {
            let coulomb = solve_with(&problem, Law::Coulomb, None);
            let impulses = coulomb.contact_velocity.iter().zip(&coulomb.normal_impulse);
            let slides = impulses
                .into_iter()
                .any(|(u, theta)| *theta > 0.0 && u[1].hypot(u[2]) > 1e-3);
            assert!(slides, "case {case}: {:?}", found.stats);
            continue;
        }
        solved += 1;
        assert_solved(&problem, &found, &format!("case {case}"));
        for (i, (theta, f)) in found.normal_impulse.iter().zip(&found.friction_impulse).enumerate() {
            let slip = found.contact_velocity[i];
            let slips = slip[1].hypot(slip[2]) > 1e-6;
            let size = f[0].hypot(f[1]);
            assert!(
                *theta > 0.0 || size < 1e-9 || slips,
                "case {case}: friction {size} without push, {slip:?} {:?}",
                found.stats
            );
        }
        if found.stats.methods.last() != Some(&Method::PpmModified) {
            // What huge friction leaves: methods alone do not look for it.
            continue;
        }
        for method in METHODS {
            let found = solve_with(&problem, Law::NoSlip, Some(method));
            assert_solved(&problem, &found, &format!("case {case}, {method:?}"));
            assert!(found.stats.methods.iter().all(|m| *m == method));
        }
    }
    println!("{solved} of 100 solved, {fallbacks} fallbacks");
    assert!(solved >= 90, "{solved}");
}

/// A box at a wall, leaving it or along it, falls; pressed against it, it holds by its lower edge, about which it turns.
/// Violent kicks lift contacts by the very friction that they need. What is then left is Coulomb's law for huge friction; where that is not
/// found either, the status says so.
#[test]
fn violent_kicks_are_solved_or_said_to_be_unsolved() {
    let mut random = Random(12);
    let mut unsolved = 0;
    for k in 0..400 {
        let problem = tower(1 + k % 4, 10.0, 0.3, &mut random);
        let found = solve_with(&problem, Law::NoSlip, None);
        if found.status == Status::Solved {
            assert_solved(&problem, &found, &format!("case {k}"));
        } else {
            unsolved += 1;
        }
    }
    assert!(unsolved <= 16, "{unsolved} of 400");
}

#[test]
fn a_wall_holds_what_is_pressed_against_it_alone() {
    for (speed, falls) in [(0.5, true), (1e-6, true), (0.0, true), (-1e-6, false), (-0.5, false)] {
        let mut cube = body(2.0, [0.5; 3], [0.5, 0.0, 0.0]);
        cube.velocity = [speed, 0.0, -1.0, 0.0, 0.0, 0.0];
        let corners = [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)];
        let contacts = corners.map(|(y, z)| touch(0, None, [0.0, y, z], [1.0, 0.0, 0.0], 0.0));
        let problem = ContactProblem::from_bodies(&[cube], &contacts, &[], DT, Restitution::Newton).unwrap();
        let found = solve(&problem);
        let v = &found.velocity;
        if falls {
            assert!(
                (v[0] - speed).abs() < 1e-15 && (v[2] + 1.0 + G * DT).abs() < 1e-12,
                "{speed}: {v:?}"
            );
        } else {
            let pressed: Vec<_> = (0..4).filter(|i| found.normal_impulse[*i] > 0.0).collect();
            assert_eq!(pressed, [2, 3], "{speed}: the lower edge");
            for i in pressed {
                assert!(fastest(&found.contact_velocity[i]) < 1e-12, "{speed}: {v:?}");
            }
        }
    }
}

/// A box in a corner of floor and wall: jumps out of it, or stays.
#[test]
fn a_corner_is_left_and_holds() {
    for (velocity, moves) in [
        ([1.0, 0.0, 1.0], true),
        ([0.0, 0.0, 1.0], true),
        ([-1.0, 0.0, -1.0], false),
        ([1.0, 0.0, -1.0], false),
        ([-1.0, 0.3, 1.0], false),
    ] {
        let mut cube = body(1.0, [0.5; 3], [0.5, 0.0, 0.5]);
        cube.velocity[..3].copy_from_slice(&velocity);
        let mut contacts = Vec::new();
        for (s, t) in [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)] {
            contacts.push(touch(0, None, [0.0, s, 0.5 + t], [1.0, 0.0, 0.0], 0.0));
            contacts.push(touch(0, None, [0.5 + s, t, 0.0], [0.0, 0.0, 1.0], 0.0));
        }
        let problem = ContactProblem::from_bodies(&[cube], &contacts, &[], DT, Restitution::Newton).unwrap();
        let found = solve(&problem);
        let free = problem.v_free();
        let off = if moves {
            apart(&found.velocity, free)
        } else {
            fastest(&found.velocity)
        };
        assert!(off < 1e-12, "{velocity:?}: {:?}", found.velocity);
        for (theta, f) in found.normal_impulse.iter().zip(&found.friction_impulse) {
            assert!(
                *theta > 0.0 || *f == [0.0; 2],
                "{velocity:?}: friction without push {found:?}"
            );
        }
    }
}

/// Boxes without any coefficient of friction are held by the thrust line alone: P ≥ max_j j(k − j) W a/(2b).
#[test]
fn a_grasp_holds_up_to_what_geometry_allows() {
    for (k, a, b) in [
        (1, 1.0, 1.0),
        (2, 1.0, 1.0),
        (2, 5.0, 1.0),
        (3, 0.7, 1.3),
        (4, 1.0, 1.0),
        (5, 1.0, 2.0),
    ] {
        let bound = (1..k).map(|j| (j * (k - j)) as f64).fold(0.0, f64::max) * G * a / (2.0 * b);
        for per_face in [4, 12] {
            for (factor, holds) in [(1.0 + 1e-6, true), (2.0, true), (1.0 - 1e-6, false), (0.5, false)] {
                let press = if bound > 0.0 { bound * factor } else { 1e-3 };
                let problem = grasp(k, (a, b), press, per_face, 0.0);
                let found = solve(&problem);
                let speed = fastest(&found.velocity);
                if holds || bound == 0.0 {
                    assert!(
                        speed < 1e-10,
                        "{k} boxes {a} by {b}, P = {factor} of the bound: {speed}"
                    );
                } else {
                    assert!(speed > 1e-8, "{k} boxes {a} by {b}, P = {factor} of the bound: {speed}");
                }
            }
        }
    }
}

#[test]
fn grasps_move_as_with_huge_friction() {
    let mut random = Random(3);
    let mut same = 0;
    for case in 0..60 {
        let (k, press) = (1 + case % 4, 60.0 + 20.0 * random.next());
        let mut problem = grasp(k, (1.0, 1.0), press, [4, 8, 12][case % 3], 1e6);
        let mut v = problem.v_free().to_vec();
        for j in 1..=k {
            for axis in 0..6 {
                v[6 * j + axis] += 0.01 * random.next();
            }
        }
        problem.set_v_free(&v).unwrap();
        let (found, coulomb) = (solve(&problem), solve_with(&problem, Law::Coulomb, None));
        assert_eq!(coulomb.status, Status::Solved, "case {case}");
        if coulomb.contact_velocity.iter().all(|u| u[0] <= 1e-9) {
            same += 1;
            let d = apart(&found.velocity, &coulomb.velocity);
            assert!(d <= 1e-6, "case {case}: {d}");
        }
    }
    assert!(same >= 30, "{same}");
}

/// Moving ground carries a box along, and joints with a bias are honoured.
#[test]
fn biases_of_tangents_and_joints_are_honoured() {
    let mut problem = tower(1, 0.0, 0.0, &mut Random(1));
    for i in 0..4 {
        problem.set_bias(i, [0.0, 0.2, -0.3]).unwrap();
    }
    problem.add_joint(&[(0, &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0])], 0.0).unwrap();
    problem.add_joint(&[(0, &[0.0, 0.0, 0.0, 0.0, 0.0, 3.0])], 0.0).unwrap();
    let found = solve(&problem);
    for u in &found.contact_velocity {
        assert!(u.iter().all(|u| u.abs() < 1e-12), "{u:?}");
    }
    assert!(fastest(&found.velocity[..2]) > 0.19);
    // A joint that lifts the box: the contacts open and let it.
    let mut problem = tower(1, 0.0, 0.0, &mut Random(1));
    problem
        .add_joint(&[(0, &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0])], -0.4)
        .unwrap();
    let found = solve(&problem);
    assert!((found.velocity[2] - 0.4).abs() < 1e-12 && found.normal_impulse.iter().all(|x| *x == 0.0));
}

#[test]
fn a_second_solve_repeats_the_bits_and_does_not_allocate() {
    let problem = grasp(2, (1.0, 1.0), 60.0, 12, 0.0);
    let options = Options {
        law: Law::NoSlip,
        ..Options::default()
    };
    let mut solver = ContactSolver::new(options).unwrap();
    let first = solver.solve(&problem).unwrap().clone();
    let info = allocation_counter::measure(|| {
        solver.solve(&problem).unwrap();
    });
    assert_eq!(&first, solver.solution());
    assert_eq!(info.count_total, 0);
    assert_eq!(first.stats.methods, [Method::PpmModified]);
}

/// A tetrahedron that tumbles over two corners: free, both close; held, both would have to be pulled. What is left is the limit of Coulomb's
/// law as friction grows: a corner that touches without push and slides against its friction.
#[test]
fn corners_that_can_neither_open_nor_hold_slide_without_push() {
    let mut problem = ContactProblem::new();
    let mut mass = [0.0; 36];
    for k in 0..3 {
        mass[7 * k] = 4.5;
    }
    let inertia = [
        [
            0.029_617_219_793_353_307,
            0.004_859_816_750_430_682,
            0.004_819_699_214_110_68,
        ],
        [
            0.004_859_816_750_430_682,
            0.030_798_993_890_783_2,
            0.005_441_203_167_030_422,
        ],
        [
            0.004_819_699_214_110_68,
            0.005_441_203_167_030_422,
            0.030_708_786_315_863_43,
        ],
    ];
    for (r, row) in inertia.iter().enumerate() {
        mass[6 * (r + 3) + 3..6 * (r + 3) + 6].copy_from_slice(row);
    }
    let v_free = [
        0.892_525_989_786_087_3,
        0.073_858_131_199_224_9,
        -0.735_632_248_529_61,
        -0.466_237_869_925_956_6,
        10.055_113_217_041_695,
        0.500_798_299_873_791_2,
    ];
    let block = problem.add_block(&mass, &v_free).unwrap();
    let arms = [
        (
            [0.069_159_395_548_362_12, 0.078_077_553_260_155_82],
            0.003_013_165_806_725_615,
        ),
        (
            [0.082_193_724_883_432_27, -0.221_639_156_724_254_85],
            0.006_873_939_903_659_365,
        ),
    ];
    let z = 0.077_436_040_255_626_23;
    for ([x, y], gap) in arms {
        let rows: [&[f64]; 3] = [
            &[0.0, 0.0, 1.0, -y, x, 0.0],
            &[0.0, 1.0, 0.0, z, 0.0, -x],
            &[1.0, 0.0, 0.0, 0.0, -z, y],
        ];
        let index = problem.add_contact(&[(block, rows)], 0.5).unwrap();
        problem.set_bias(index, [gap, 0.0, 0.0]).unwrap();
    }
    let options = Options {
        law: Law::NoSlip,
        ..Options::default()
    };
    let mut solver = ContactSolver::new(options).unwrap();
    let solution = solver.solve(&problem).unwrap();
    assert_eq!(solution.status, Status::Solved, "{:?}", solution.residual);
    assert!(solution.residual.worst < 1e-12, "{:?}", solution.residual);
    let slides = (0..2).find(|i| solution.friction_impulse[*i] != [0.0; 2] && solution.normal_impulse[*i] == 0.0);
    let i = slides.unwrap();
    let ([nu, ux, uy], [fx, fy]) = (solution.contact_velocity[i], solution.friction_impulse[i]);
    assert!(nu.abs() < 1e-12, "{nu:e}");
    assert!(fx * ux + fy * uy < 0.0 && (fx * uy - fy * ux).abs() < 1e-12);
    // Friction takes energy.
    let kinetic = |v: &[f64]| -> f64 {
        let momentum = |r: usize| (0..6).map(|c| mass[6 * r + c] * v[c]).sum::<f64>();
        (0..6).map(|r| 0.5 * v[r] * momentum(r)).sum()
    };
    assert!(kinetic(&solution.velocity) < kinetic(&v_free));
}
