//! Viscous friction, implicit and as printed.
#![allow(clippy::unwrap_used)]

mod xorshift;

use stiction_contact::{
    Body, BodyContact, BodyJoint, ContactProblem, ContactSolution, ContactSolver, Law, Method, Options, Restitution,
    Status,
};
use xorshift::Random;

const METHODS: [Method; 6] = [
    Method::PpmModified,
    Method::Dantzig,
    Method::LemkeReduced,
    Method::LemkeStructural,
    Method::LemkeStandard,
    Method::NewtonCone,
];

fn solve_with(problem: &ContactProblem, law: Law, method: Option<Method>) -> ContactSolution {
    let options = Options {
        law,
        method,
        ..Options::default()
    };
    let solution = ContactSolver::new(options).unwrap().solve(problem).unwrap().clone();
    assert_eq!(
        solution.status,
        Status::Solved,
        "{law:?} {method:?}: {:?} {:?}",
        solution.residual,
        solution.stats
    );
    solution
}

fn solve(problem: &ContactProblem, law: Law) -> ContactSolution {
    let solution = solve_with(problem, law, None);
    assert_eq!(solution.stats.methods, [Method::PpmModified]);
    solution
}

/// A point of mass m on a floor.
fn point(m: f64, v: [f64; 3], c: f64) -> ContactProblem {
    let mut problem = ContactProblem::new();
    problem.add_block(&[m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m], &v).unwrap();
    let rows: [&[f64]; 3] = [&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]];
    problem.add_contact(&[(0, rows)], 0.7).unwrap();
    problem.set_viscosity(0, c).unwrap();
    problem
}

/// Implicit: u = u_free m/(m + c), friction −c u; explicit: friction −c s. Friction coefficients are not read.
#[test]
fn a_point_mass_follows_the_closed_forms() {
    for c in [0.0, 0.5, 3.0, 1e4, 1e8, 1e12, 1e16, 1e100] {
        let m = 2.0;
        let mut problem = point(m, [0.3, -0.4, -1.0], c);
        let found = solve(&problem, Law::Viscous);
        let factor = m / (m + c);
        for (v, free) in found.velocity.iter().zip([0.3, -0.4]) {
            assert!((v - free * factor).abs() <= 1e-15, "c = {c}: {v}");
        }
        for (f, free) in found.friction_impulse[0].iter().zip([0.3, -0.4]) {
            let expected = -c * free * factor;
            assert!((f - expected).abs() <= 1e-14, "c = {c}: {f} {expected}");
        }
        assert!((found.normal_impulse[0] - 2.0).abs() < 1e-14);
        problem.set_slip(0, [0.1, 0.2]).unwrap();
        if c < 1e4 {
            let found = solve(&problem, Law::ViscousExplicit);
            assert_eq!(found.friction_impulse[0], [-c * 0.1, -c * 0.2]);
            assert!((found.velocity[0] - (0.3 - c * 0.1 / m)).abs() < 1e-15);
            assert!((found.velocity[1] - (-0.4 - c * 0.2 / m)).abs() < 1e-15);
        }
    }
}

/// Friction acts on a contact that rises as well: a film, not a dry contact. Moving ground drags.
#[test]
fn ground_drags_by_its_own_velocity() {
    let mut problem = point(1.0, [0.0, 0.0, 1.0], 3.0);
    problem.set_bias(0, [0.0, -0.8, 0.4]).unwrap();
    let found = solve(&problem, Law::Viscous);
    assert!((found.velocity[0] - 0.8 * 0.75).abs() < 1e-15 && (found.velocity[1] + 0.4 * 0.75).abs() < 1e-15);
    assert_eq!(found.normal_impulse[0], 0.0);
}

fn body(mass: f64, position: [f64; 3]) -> Body {
    let i = mass / 6.0;
    Body {
        mass,
        inertia: [[i, 0.0, 0.0], [0.0, i, 0.0], [0.0, 0.0, i]],
        position,
        velocity: [0.0; 6],
        wrench: [0.0, 0.0, -mass * 9.81, 0.0, 0.0, 0.0],
    }
}

/// Cubes on each other, kicked; the lowest on a floor or floating. Viscosities vary by some powers of ten.
fn tower(height: usize, floor: bool, powers: f64, random: &mut Random) -> ContactProblem {
    let (mut bodies, mut contacts) = (Vec::new(), Vec::new());
    for level in 0..height {
        let mut cube = body(1.0 + 0.5 * random.next(), [0.0, 0.0, 0.5 + level as f64]);
        cube.velocity = std::array::from_fn(|_| random.next());
        bodies.push(cube);
        if level == 0 && !floor {
            continue;
        }
        for (x, y) in [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)] {
            contacts.push(BodyContact {
                a: level,
                b: level.checked_sub(1),
                point: [x, y, level as f64],
                normal: [0.0, 0.0, 1.0],
                mu: 0.3,
                gap: 0.0,
                restitution: 0.0,
                viscosity: 0.0,
            });
        }
    }
    let joints: Vec<BodyJoint> = if floor && height > 1 {
        let row = |s: f64| {
            std::array::from_fn(|k| {
                if k == 5 {
                    s
                } else if k == 11 {
                    -s
                } else {
                    0.0
                }
            })
        };
        vec![BodyJoint {
            a: 0,
            b: Some(1),
            rows: vec![row(1.0), row(2.0)],
            bias: vec![0.0, 0.0],
        }]
    } else {
        Vec::new()
    };
    let mut problem = ContactProblem::from_bodies(&bodies, &contacts, &joints, 0.01, Restitution::Newton).unwrap();
    for i in 0..problem.contact_count() {
        problem.set_viscosity(i, 10_f64.powf(powers * random.next())).unwrap();
        problem.set_slip(i, [random.next(), random.next()]).unwrap();
    }
    problem
}

fn energy(problem: &ContactProblem, v: &[f64]) -> f64 {
    let mut sum = 0.0;
    for block in 0..problem.block_count() {
        let (mass, range) = (problem.mass(block), problem.block_range(block));
        let v = &v[range];
        for r in 0..v.len() {
            for c in 0..v.len() {
                sum += 0.5 * v[r] * mass[r * v.len() + c] * v[c];
            }
        }
    }
    sum
}

/// Every method, redundant joints, viscosities from 1e-6 to 1e12; f = −c u_t, and energy never grows.
#[test]
fn implicit_friction_takes_energy_whatever_its_size() {
    let mut random = Random(21);
    for case in 0..60 {
        let problem = tower(1 + case % 3, true, [0.5, 6.0, 12.0][case / 20], &mut random);
        let found = solve(&problem, Law::Viscous);
        let (before, after) = (energy(&problem, problem.v_free()), energy(&problem, &found.velocity));
        assert!(after <= before * (1.0 + 1e-12), "case {case}: {before} {after}");
        for i in 0..problem.contact_count() {
            let (c, u, f) = (
                problem.viscosity(i),
                found.contact_velocity[i],
                found.friction_impulse[i],
            );
            for axis in 0..2 {
                let off = (f[axis] + c * u[axis + 1]).abs() / c.max(1.0);
                assert!(off <= 1e-11, "case {case}, contact {i}, c = {c}: {off}");
            }
        }
        for method in METHODS {
            let other = solve_with(&problem, Law::Viscous, Some(method));
            for (a, b) in found.velocity.iter().zip(&other.velocity) {
                assert!((a - b).abs() <= 1e-8, "case {case}, {method:?}: {a} {b}");
            }
        }
    }
}

/// Huge viscosity stops the slip, as no slip does where nothing opens.
#[test]
fn huge_viscosity_stops() {
    let mut random = Random(22);
    for case in 0..20 {
        let mut problem = tower(1 + case % 3, true, 0.0, &mut random);
        for c in [1e9, 1e13] {
            for i in 0..problem.contact_count() {
                problem.set_viscosity(i, c).unwrap();
            }
            let found = solve(&problem, Law::Viscous);
            for u in &found.contact_velocity {
                assert!(u[1].abs().max(u[2].abs()) <= 100.0 / c, "case {case}: {u:?}");
            }
        }
    }
}

/// Between floating bodies friction changes no momentum, explicit or implicit; explicit friction is as given.
#[test]
fn momentum_is_kept_between_bodies() {
    let mut random = Random(23);
    for case in 0..30 {
        let problem = tower(2 + case % 2, false, 1.0, &mut random);
        for law in [Law::Viscous, Law::ViscousExplicit] {
            let found = solve(&problem, law);
            for axis in 0..3 {
                let momentum = |v: &[f64]| -> f64 {
                    (0..problem.block_count())
                        .map(|b| problem.mass(b)[0] * v[6 * b + axis])
                        .sum()
                };
                let (before, after) = (momentum(problem.v_free()), momentum(&found.velocity));
                assert!(
                    (before - after).abs() <= 1e-12,
                    "case {case}, {law:?}: {before} {after}"
                );
            }
            if law == Law::ViscousExplicit {
                for (i, f) in found.friction_impulse.iter().enumerate() {
                    assert_eq!(*f, problem.slip(i).map(|s| -problem.viscosity(i) * s));
                }
            }
        }
    }
}

/// As printed, friction of a large viscosity throws a sliding body back: it gains energy. The implicit form does not.
#[test]
fn explicit_friction_is_unstable_where_implicit_is_not() {
    let mut problem = point(1.0, [1.0, 0.0, -1.0], 10.0);
    problem.set_slip(0, [1.0, 0.0]).unwrap();
    let (explicit, implicit) = (solve(&problem, Law::ViscousExplicit), solve(&problem, Law::Viscous));
    assert!((explicit.velocity[0] + 9.0).abs() < 1e-14);
    assert!((implicit.velocity[0] - 1.0 / 11.0).abs() < 1e-15);
}

#[test]
fn a_second_solve_repeats_the_bits_and_does_not_allocate() {
    let problem = tower(3, true, 1.0, &mut Random(31));
    for law in [Law::Viscous, Law::ViscousExplicit] {
        let options = Options {
            law,
            ..Options::default()
        };
        let mut solver = ContactSolver::new(options).unwrap();
        let first = solver.solve(&problem).unwrap().clone();
        let info = allocation_counter::measure(|| {
            solver.solve(&problem).unwrap();
        });
        assert_eq!(&first, solver.solution());
        assert_eq!(info.count_total, 0, "{law:?}");
    }
}
