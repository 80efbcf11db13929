//! Dantzig's method on random problems.
#![allow(clippy::unwrap_used)]

mod random;

use std::collections::BTreeMap;

use random::{Family, Random, problem};
use stiction_contact::{ContactSolver, Law, Method, Options, Status};

fn tally(count: usize, family: Family, law: Law, method: Option<Method>) -> BTreeMap<String, usize> {
    let mut random = Random::new(7);
    let mut solver = ContactSolver::new(Options {
        law,
        method,
        ..Options::default()
    })
    .unwrap();
    let mut found = BTreeMap::new();
    for k in 0..count {
        let problem = problem(&mut random, family);
        let s = solver.solve(&problem).unwrap();
        let name = format!("{} {:?}", s.status.name(), s.stats.methods);
        if s.status != Status::Solved && *found.get(&name).unwrap_or(&0) < 3 {
            println!(
                "{k}: {} contacts {} dof {} res {:?} pivots {} newton {}",
                s.status.name(),
                problem.contact_count(),
                problem.dof(),
                s.residual.worst,
                s.stats.pivots,
                s.stats.newton_steps
            );
        }
        *found.entry(name).or_insert(0) += 1;
    }
    found
}

#[test]
fn one() {
    let family = Family {
        dim: 3,
        most_bodies: 4,
        most_contacts: 40,
        most_mu: 1.0,
    };
    let mut random = Random::new(7);
    let mut solver = ContactSolver::new(Options {
        law: Law::CoulombAcceleration,
        method: Some(Method::Dantzig),
        ..Options::default()
    })
    .unwrap();
    for k in 0..1540 {
        let problem = problem(&mut random, family);
        if k != 1539 {
            continue;
        }
        let s = solver.solve(&problem).unwrap();
        println!("{:?}", s.residual);
        for i in 0..problem.contact_count() {
            println!(
                "{i} mu {:.4} n {:.6} f {:.6} u {:?} lim {:.6}",
                problem.mu(i),
                s.normal_impulse[i],
                s.friction_impulse[i][0],
                s.contact_velocity[i],
                problem.mu(i) * s.normal_impulse[i]
            );
        }
    }
}

#[test]
fn explore() {
    let count = 2000;
    for dim in [3, 6] {
        let family = Family {
            dim,
            most_bodies: 4,
            most_contacts: 40,
            most_mu: 1.0,
        };
        println!(
            "frictionless {dim}: {:?}",
            tally(count, family, Law::Frictionless, Some(Method::Dantzig))
        );
        println!(
            "static {dim}: {:?}",
            tally(count, family, Law::CoulombAcceleration, Some(Method::Dantzig))
        );
        println!(
            "published {dim}: {:?}",
            tally(
                count,
                family,
                Law::CoulombAccelerationAsPublished,
                Some(Method::Dantzig)
            )
        );
        println!("auto {dim}: {:?}", tally(count, family, Law::CoulombAcceleration, None));
    }
}
