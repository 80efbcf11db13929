//! Dantzig's method \[Baraff\] on random problems in the plane and in space: every answer verified, every hand-over with its reason.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod random;
mod solvers;

use std::collections::BTreeMap;

use random::{Family, PLANE, Random, SPACE, problem};
use solvers::solver;
use stiction_contact::check::Accuracy;
use stiction_contact::{ContactProblem, ContactSolver, Law, Method, Status};
use stiction_lcp::Lcp;
use stiction_lcp::enumerate::enumerate;
use stiction_lcp::pivoting::Data;

/// Statuses, and for hand-overs their reason, with how often they occurred; and the largest residual of what is solved. What is solved to the
/// rounding of its terms is counted apart, with the residual beyond that rounding.
fn tally(seed: u64, count: usize, family: Family, solver: &mut ContactSolver) -> (BTreeMap<String, usize>, f64) {
    let mut random = Random::new(seed);
    let (mut found, mut worst) = (BTreeMap::new(), 0.0_f64);
    for _ in 0..count {
        let solution = solver.solve(&problem(&mut random, family)).unwrap();
        let to_rounding = solution.accuracy == Some(Accuracy::Rounding);
        let status = if to_rounding {
            "to rounding"
        } else {
            solution.status.name()
        };
        let name = match solution.stats.handover_reason {
            None => status.to_owned(),
            Some(reason) => format!("{status}, handed to Lemke: {reason}"),
        };
        *found.entry(name).or_insert(0) += 1;
        if solution.status == Status::Solved {
            worst = worst.max(if to_rounding {
                solution.residual.beyond_rounding
            } else {
                solution.residual.worst
            });
        }
    }
    (found, worst)
}

fn unsolved(found: &BTreeMap<String, usize>) -> usize {
    let other = found.iter().filter(|(name, _)| !name.starts_with("solved"));
    other.map(|(_, count)| count).sum()
}

#[test]
fn frictionless_problems_are_solved_as_others_solve_them() {
    let (mut dantzig, mut front_door) = (
        solver(Law::Frictionless, Some(Method::Dantzig)),
        solver(Law::Frictionless, None),
    );
    for (seed, family) in [(1, PLANE), (2, SPACE)] {
        let family = Family {
            most_joints: 4,
            ..family
        };
        let mut random = Random::new(seed);
        let mut handed = 0;
        for k in 0..10_000 {
            let problem = problem(&mut random, family);
            let found = dantzig.solve(&problem).unwrap();
            assert_eq!(found.status, Status::Solved, "{family:?} {k}: {:?}", found.residual);
            handed += found.stats.handovers;
            let other = front_door.solve(&problem).unwrap();
            assert_eq!(
                other.status,
                Status::Solved,
                "{family:?} {k}: front door {:?}",
                other.residual
            );
            for (v, w) in found.velocity.iter().zip(&other.velocity) {
                assert!((v - w).abs() < 1e-9, "{family:?} {k}: {v} {w}");
            }
        }
        println!("{} coordinates a body: {handed} of 10000 handed to Lemke", family.dim);
        assert!(handed < 10, "{handed}");
    }
}

#[test]
fn static_friction_is_always_verified() {
    for (name, family) in [("plane", PLANE), ("space", SPACE)] {
        for (law, method) in [
            (Law::CoulombAcceleration, Some(Method::Dantzig)),
            (Law::CoulombAccelerationAsPublished, Some(Method::Dantzig)),
            (Law::Coulomb, Some(Method::Dantzig)),
            (Law::CoulombAcceleration, None),
        ] {
            let count = if law == Law::CoulombAcceleration { 10_000 } else { 2_000 };
            let (found, worst) = tally(3, count, family, &mut solver(law, method));
            println!("{name}, {}, {method:?}: {found:?}, residual {worst:.1e}", law.name());
            // In space about two in 10,000 do not reach the round cone to the digits of the slowest row, or only to rounding, and say so.
            let allowed = if family.dim == 6 { 2 } else { 0 };
            assert!(unsolved(&found) <= allowed, "{name} {law:?} {method:?}: {found:?}");
            assert!(worst <= 1e-10, "{name} {law:?} {worst}");
        }
    }
}

#[test]
fn joints_ride_along() {
    for (name, family) in [("plane", PLANE), ("space", SPACE)] {
        let family = Family {
            most_joints: 6,
            ..family
        };
        let (found, worst) = tally(4, 3_000, family, &mut solver(Law::CoulombAcceleration, None));
        println!("{name} with joints: {found:?}, residual {worst:.1e}");
        assert_eq!(unsolved(&found), 0, "{name}: {found:?}");
    }
}

/// Static and dynamic contacts mixed: no existence theorem, so some have no finite force; none may be unverified.
#[test]
fn static_and_dynamic_friction_mix() {
    for (name, family) in [("plane", PLANE), ("space", SPACE)] {
        let family = Family { dynamic: 0.3, ..family };
        let (found, worst) = tally(5, 2_000, family, &mut solver(Law::CoulombAcceleration, None));
        println!("{name}, dynamic and static: {found:?}, residual {worst:.1e}");
        assert!(unsolved(&found) * 20 < 2_000, "{name}: {found:?}");
        assert!(worst <= 1e-10, "{name}: {worst}");
    }
}

/// Dynamic friction alone is the LCP of Nᵀ𝓜⁻¹(N + drag): where no answer is found, none of its 2ⁿ bases has one.
#[test]
fn without_an_answer_there_is_none() {
    for (name, family) in [("plane", PLANE), ("space", SPACE)] {
        let family = Family {
            most_bodies: 3,
            most_contacts: 8,
            most_mu: 1.5,
            dynamic: 1.0,
            ..family
        };
        let mut random = Random::new(6);
        let mut solver = solver(Law::CoulombAcceleration, None);
        let (mut none, count) = (0, 3_000);
        for k in 0..count {
            let problem = problem(&mut random, family);
            let solution = solver.solve(&problem).unwrap();
            if solution.status == Status::Solved {
                continue;
            }
            none += 1;
            assert_eq!(solution.status, Status::UnboundedDrive, "{name} {k}");
            let drive = solution.drive.clone().unwrap();
            assert!(
                drive.contacts.iter().any(|(i, _, _)| *i == drive.driven),
                "{name} {k}: {drive:?}"
            );
            assert!(!has_answer(&problem), "{name} {k}: {:?}", solution.stats);
        }
        println!("{name}, dynamic alone: {none} of {count} have no finite force");
        assert!(none > 20, "{name}: {none}");
    }
}

/// Whether some complementary basis of the dynamic contacts' LCP is an answer.
fn has_answer(problem: &ContactProblem) -> bool {
    let n = problem.contact_count();
    let (mut rows, mut q) = (vec![vec![0.0; n]; n], vec![0.0; n]);
    for j in 0..n {
        let mut v = vec![0.0; problem.dof()];
        let drag = problem.drag(j).unwrap();
        problem.push(j, [1.0, drag[0], drag[1]], &mut v);
        for (i, row) in rows.iter_mut().enumerate() {
            row[j] = problem.along(i, &v)[0];
        }
        q[j] = problem.along(j, problem.k_x())[0];
    }
    let lcp = Lcp::from_rows(&rows, &q).unwrap();
    let data = Data {
        M: lcp.M(),
        q: lcp.q(),
        free: &[],
    };
    let mut exists = false;
    enumerate(data, 12, |z| {
        exists = (0..n).all(|i| {
            let w = q[i] + rows[i].iter().zip(z).map(|(m, z)| m * z).sum::<f64>();
            z[i] >= -1e-12 && w >= -1e-10 && (z[i] < 1e-12 || w < 1e-10)
        });
        exists
    });
    exists
}

/// The point mass of unit load with μ = 0.5 under the tangential force (1, 0.6): maximum dissipation against the order of operations.
#[test]
fn friction_in_space_opposes_the_acceleration_unless_as_published() {
    let mut problem = ContactProblem::new();
    let mass = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    problem.add_block(&mass, &[1.0, 0.6, -1.0]).unwrap();
    let (x, y, z): (&[f64], &[f64], &[f64]) = (&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]);
    problem.add_contact(&[(0, [z, x, y])], 0.5).unwrap();
    let size = 1.36_f64.sqrt();
    for method in [None, Some(Method::Dantzig), Some(Method::NewtonCone)] {
        let mut solver = solver(Law::CoulombAcceleration, method);
        let found = solver.solve(&problem).unwrap();
        assert_eq!(found.status, Status::Solved);
        let [fx, fy] = found.friction_impulse[0];
        assert!(
            (fx + 0.5 / size).abs() < 1e-12 && (fy + 0.3 / size).abs() < 1e-12,
            "{fx} {fy}"
        );
        assert!((fx + 0.43).abs() < 5e-3 && (fy + 0.26).abs() < 5e-3);
    }
    let mut published = solver(Law::CoulombAccelerationAsPublished, Some(Method::Dantzig));
    let found = published.solve(&problem).unwrap();
    assert_eq!(found.status, Status::Solved);
    assert_eq!(found.friction_impulse[0], [-0.5, 0.0]);
    // Axes exchanged: y first.
    let mut turned = ContactProblem::new();
    turned.add_block(&mass, &[1.0, 0.6, -1.0]).unwrap();
    turned.add_contact(&[(0, [z, y, x])], 0.5).unwrap();
    let found = published.solve(&turned).unwrap();
    assert_eq!(found.friction_impulse[0], [-0.5, 0.0], "along y, the first tangent");
}

#[test]
fn dynamic_friction_opposes_the_slip_and_not_the_acceleration() {
    let mut problem = ContactProblem::new();
    // Slides to the left, accelerates to the right.
    problem.add_block(&[2.0, 0.0, 0.0, 2.0], &[3.0, -10.0]).unwrap();
    problem
        .add_contact(&[(0, [&[0.0, 1.0], &[1.0, 0.0], &[0.0, 0.0]])], 0.25)
        .unwrap();
    problem.set_slip(0, [-0.1, 0.0]).unwrap();
    let mut solver = solver(Law::CoulombAcceleration, None);
    let found = solver.solve(&problem).unwrap();
    assert_eq!(found.status, Status::Solved);
    assert!((found.normal_impulse[0] - 20.0).abs() < 1e-13 && (found.friction_impulse[0][0] - 5.0).abs() < 1e-13);
    assert!((found.velocity[0] - 5.5).abs() < 1e-13);
    assert_eq!(found.state[0].name(), "sliding");
}

/// A joint that forces a body into the floor is a squeeze, whatever slips: no impulse would help, and Painlevé has no part in it.
#[test]
fn a_squeeze_is_not_called_an_unbounded_drive() {
    let mut problem = ContactProblem::new();
    problem.add_block(&[1.0, 0.0, 0.0, 1.0], &[0.0, -10.0]).unwrap();
    problem
        .add_contact(&[(0, [&[0.0, 1.0], &[1.0, 0.0], &[0.0, 0.0]])], 0.5)
        .unwrap();
    problem.set_slip(0, [1.0, 0.0]).unwrap();
    problem.add_joint(&[(0, &[0.0, 1.0])], 1.0).unwrap();
    let mut solver = solver(Law::CoulombAcceleration, None);
    let found = solver.solve(&problem).unwrap();
    assert_eq!(found.status, Status::Ray);
    assert!(found.ray.as_ref().is_some_and(|ray| ray.infeasible), "{:?}", found.ray);
    assert!(found.drive.is_none());
}

#[test]
fn a_planar_contact_has_no_second_tangent_to_move() {
    let mut problem = ContactProblem::new();
    problem.add_block(&[1.0, 0.0, 0.0, 1.0], &[1.0, -1.0]).unwrap();
    problem
        .add_contact(&[(0, [&[0.0, 1.0], &[1.0, 0.0], &[0.0, 0.0]])], 0.5)
        .unwrap();
    assert_eq!(
        problem.set_bias(0, [0.0, 0.0, 0.3]).unwrap_err().to_string(),
        "contacts[0].bias[2]: must be 0 where the second tangent is zero, found 0.3"
    );
}
