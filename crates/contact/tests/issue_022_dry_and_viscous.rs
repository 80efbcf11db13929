//! Drumwright's model is Coulomb's plus viscous friction in one law, (14) and (15): a contact had both coefficients, and every law ignored one of them.
//! The laws `coulomb-viscous` and `coulomb-viscous-acceleration` have both: f = f_c − c u_t, where f_c obeys Coulomb's law.
#![allow(clippy::unwrap_used)]

mod xorshift;

use stiction_contact::check::{Answer, Terms, check};
use stiction_contact::{
    Body, BodyContact, BodyJoint, ContactProblem, ContactSolution, ContactSolver, ContactState, Law, Method, Options,
    Restitution, Status, TouchingContact,
};
use xorshift::Random;

const G: f64 = 9.81;
const H: f64 = 0.01;
const MASS: f64 = 2.0;

fn solve_with(problem: &ContactProblem, law: Law, method: Option<Method>) -> ContactSolution {
    let mut solver = ContactSolver::new(Options {
        law,
        method,
        ..Options::default()
    })
    .unwrap();
    let solution = solver.solve(problem).unwrap().clone();
    assert_eq!(
        solution.status,
        Status::Solved,
        "{law:?} {method:?}: {:?}",
        solution.residual
    );
    solution
}

fn solve(problem: &ContactProblem, law: Law) -> ContactSolution {
    solve_with(problem, law, None)
}

fn block(velocity: [f64; 3], force: [f64; 2]) -> Body {
    Body {
        mass: MASS,
        inertia: [[0.02, 0.0, 0.0], [0.0, 0.02, 0.0], [0.0, 0.0, 0.02]],
        position: [0.0, 0.0, 0.0],
        velocity: [velocity[0], velocity[1], velocity[2], 0.0, 0.0, 0.0],
        wrench: [force[0], force[1], -MASS * G, 0.0, 0.0, 0.0],
    }
}

/// A block whose centre is at its contact, so that nothing turns it.
fn sliding(velocity: [f64; 3], mu: f64, viscosity: f64, e: f64, rule: Restitution) -> ContactProblem {
    let contact = BodyContact {
        a: 0,
        b: None,
        point: [0.0; 3],
        normal: [0.0, 0.0, 1.0],
        mu,
        gap: 0.0,
        restitution: e,
        viscosity,
    };
    ContactProblem::from_bodies(&[block(velocity, [0.0; 2])], &[contact], &[], H, rule).unwrap()
}

/// (v₀ − μgh)/(1 + ch/m) along v₀ where that is positive, else 0.
fn after(speed: f64, mu: f64, c: f64) -> f64 {
    (speed - mu * G * H).max(0.0) / (1.0 + c * H / MASS)
}

#[test]
fn a_block_slides_to_a_stop() {
    for mu in [0.0, 0.3, 0.8] {
        for c in [0.0, 1e-6, 0.5, 10.0, 1e4, 1e10] {
            for v in [[3.0, 0.0], [0.4, -0.3], [0.02, 0.01]] {
                let problem = sliding([v[0], v[1], 0.0], mu, c, 0.0, Restitution::Newton);
                let speed = f64::hypot(v[0], v[1]);
                let expected = after(speed, mu, c);
                for method in [None, Some(Method::NewtonCone), Some(Method::Dantzig)] {
                    let found = solve_with(&problem, Law::CoulombViscous, method);
                    let name = format!("mu {mu}, c {c}, v {v:?}, {method:?}: {found:?}");
                    for k in 0..2 {
                        let part = v[k] / speed;
                        assert!((found.velocity[k] - expected * part).abs() < 1e-12, "{name}");
                        let impulse = MASS * (expected - speed) * part;
                        let axis = [0, 1].map(|t| problem.columns_tilde(0).tangents[t][k]);
                        let f = found.friction_impulse[0];
                        assert!(
                            (f[0] * axis[0] + f[1] * axis[1] - impulse).abs() < 1e-12 * MASS * speed.max(1.0),
                            "{name}"
                        );
                    }
                    assert!((found.normal_impulse[0] - MASS * G * H).abs() < 1e-12, "{name}");
                }
            }
        }
    }
}

/// Below the threshold of dry friction a block sticks exactly, whatever the viscosity; on a belt it is dragged along.
#[test]
fn dry_friction_holds_and_a_belt_drags() {
    let mut problem = sliding([0.02, 0.0, 0.0], 0.5, 7.0, 0.0, Restitution::Newton);
    let stuck = solve(&problem, Law::CoulombViscous);
    assert_eq!(stuck.state, [ContactState::Sticking]);
    assert!(stuck.velocity[0].abs() < 1e-15);
    problem.set_bias(0, [0.0, 0.0, 0.0]).unwrap();
    let tangents = problem.columns_tilde(0).tangents.map(<[f64]>::to_vec);
    // The belt moves at 1 m/s along x: the slip is v − 1.
    problem.set_bias(0, [0.0, -tangents[0][0], -tangents[1][0]]).unwrap();
    let dragged = solve(&problem, Law::CoulombViscous);
    let slip = -after(0.98, 0.5, 7.0);
    assert!((dragged.velocity[0] - (1.0 + slip)).abs() < 1e-13, "{dragged:?}");
}

#[test]
fn one_coefficient_alone_is_the_other_law() {
    for v in [[3.0, 1.0, -0.2], [0.02, 0.0, 0.0]] {
        let dry = sliding(v, 0.4, 0.0, 0.0, Restitution::Newton);
        let wet = sliding(v, 0.0, 5.0, 0.0, Restitution::Newton);
        for (problem, law) in [(dry, Law::Coulomb), (wet, Law::Viscous)] {
            let (both, one) = (solve(&problem, Law::CoulombViscous), solve(&problem, law));
            for (a, b) in both.velocity.iter().zip(&one.velocity) {
                assert!((a - b).abs() < 1e-13, "{law:?}: {a} {b}");
            }
        }
    }
}

/// At a bounce dry friction is that of the whole normal impulse, viscous friction that of the slip at the end.
#[test]
fn a_bounce_has_both() {
    for e in [0.0, 0.5, 1.0] {
        for rule in [Restitution::Newton, Restitution::Poisson] {
            let problem = sliding([8.0, 0.0, -3.0], 0.3, 40.0, e, rule);
            let found = solve(&problem, Law::CoulombViscous);
            let arrives = 3.0 + G * H;
            // Newton's rule speaks of the speed before the step, Poisson's of the impulse of the whole compression.
            let leaves = if rule == Restitution::Newton {
                3.0 * e
            } else {
                arrives * e
            };
            let expected = (8.0 - 0.3 * (arrives + leaves)) / (1.0 + 40.0 * H / MASS);
            assert!((found.velocity[0] - expected).abs() < 1e-12, "{rule:?} {e}: {found:?}");
            assert!((found.velocity[2] - leaves).abs() < 1e-12, "{rule:?} {e}: {found:?}");
        }
    }
}

/// Forces: a sliding block has μN + c v against its slip, one at rest dry friction alone.
#[test]
fn forces_have_both() {
    let touching = |velocity: [f64; 3], force: [f64; 2]| {
        let contact = TouchingContact {
            a: 0,
            b: None,
            point: [0.0; 3],
            normal: [0.0, 0.0, 1.0],
            mu: 0.5,
            normal_bias: None,
            tangent_bias: None,
            viscosity: 4.0,
        };
        ContactProblem::at_acceleration(&[block(velocity, force)], &[contact], &[]).unwrap()
    };
    let law = Law::CoulombViscousAcceleration;
    let slides = solve(&touching([1.2, -0.5, 0.0], [0.0; 2]), law);
    let deceleration = 0.5 * G + 4.0 * 1.3 / MASS;
    assert!(
        (slides.velocity[0] + deceleration * 1.2 / 1.3).abs() < 1e-13,
        "{slides:?}"
    );
    assert!(
        (slides.velocity[1] - deceleration * 0.5 / 1.3).abs() < 1e-13,
        "{slides:?}"
    );
    assert_eq!(slides.state, [ContactState::Sliding]);
    let held = solve(&touching([0.0; 3], [9.0, 0.0]), law);
    assert!(held.velocity[0].abs() < 1e-14 && held.state == [ContactState::Sticking]);
    let starts = solve(&touching([0.0; 3], [12.0, 0.0]), law);
    assert!(
        (starts.velocity[0] - (12.0 - 0.5 * MASS * G) / MASS).abs() < 1e-13,
        "{starts:?}"
    );
}

/// Random towers: the answer is lawful by conditions that are written out here, and no energy is gained.
#[test]
fn random_towers_obey_both() {
    let mut random = Random(5);
    for round in 0..60 {
        let height = 1 + round % 4;
        let (mut bodies, mut contacts) = (Vec::new(), Vec::new());
        for level in 0..height {
            let i = 0.2;
            bodies.push(Body {
                mass: 1.0 + 0.5 * random.next(),
                inertia: [[i, 0.0, 0.0], [0.0, i, 0.0], [0.0, 0.0, i]],
                position: [0.0, 0.0, 0.5 + level as f64],
                velocity: std::array::from_fn(|_| random.next()),
                wrench: [0.0; 6],
            });
            for [x, y] in [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]] {
                contacts.push(BodyContact {
                    a: level,
                    b: level.checked_sub(1),
                    point: [x, y, level as f64],
                    normal: [0.0, 0.0, 1.0],
                    mu: 0.4 + 0.3 * random.next(),
                    gap: 0.0,
                    restitution: 0.0,
                    viscosity: 10_f64.powf(2.0 + 2.0 * random.next()),
                });
            }
        }
        let joint = BodyJoint {
            a: 0,
            b: None,
            rows: vec![[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]],
            bias: vec![0.0],
        };
        let joints = if round % 3 == 0 { vec![joint] } else { Vec::new() };
        let problem = ContactProblem::from_bodies(&bodies, &contacts, &joints, H, Restitution::Newton).unwrap();
        let found = solve(&problem, Law::CoulombViscous);
        for i in 0..problem.contact_count() {
            let (theta, f, [nu, x, y]) = (
                found.normal_impulse[i],
                found.friction_impulse[i],
                found.contact_velocity[i],
            );
            assert!(theta > -1e-9 && nu > -1e-9 && theta.min(nu) < 1e-9);
            let c = problem.viscosity(i);
            let dry = [f[0] + c * x, f[1] + c * y];
            let (slip, radius) = (x.hypot(y), problem.mu(i) * theta);
            assert!(dry[0].hypot(dry[1]) <= radius + 1e-8, "round {round}, contact {i}");
            if slip > 1e-6 {
                let off = (dry[0] + radius * x / slip).hypot(dry[1] + radius * y / slip);
                assert!(off < 1e-6, "round {round}, contact {i}: {off}");
            }
        }
        let answer = |friction| Answer {
            normal: &found.normal_impulse,
            friction,
            phi: None,
            joint: &found.joint_impulse,
        };
        let terms = Terms {
            law: Law::CoulombViscous,
            directions: 8,
            tolerance: 1e-10,
        };
        assert!(check(&problem, terms, answer(&found.friction_impulse)).unwrap().solved);
        // Neither coefficient may be left out.
        let less: Vec<[f64; 2]> = found.friction_impulse.iter().map(|f| f.map(|x| 0.99 * x)).collect();
        assert!(!check(&problem, terms, answer(&less)).unwrap().solved);
    }
}
