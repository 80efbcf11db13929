//! Joints that form trees, with biases, tied to the ground or free: solved in the coordinates that they leave, as others solve them.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[allow(dead_code)]
mod random;
mod solvers;

use random::Random;
use solvers::solver;
use stiction_contact::{ContactProblem, Law, Method, Status};

/// Bodies of 3 or 6 coordinates hanging from each other, some from the ground; `contacts` on each of a few of them.
fn tree(random: &mut Random, contacts: usize) -> ContactProblem {
    let mut problem = ContactProblem::new();
    let bodies = 2 + random.below(8);
    let dim = [3, 6][random.below(2)];
    let row = |random: &mut Random| (0..dim).map(|_| random.unit()).collect::<Vec<f64>>();
    for _ in 0..bodies {
        let mut mass = vec![0.0; dim * dim];
        for k in 0..dim {
            mass[k * (dim + 1)] = 0.5 + (1.0 + random.unit());
        }
        let v = row(random);
        problem.add_block(&mass, &v).unwrap();
    }
    for child in 0..bodies {
        // Body 0 may be free; a fifth of the others start trees of their own.
        let parent = if child == 0 || random.below(5) == 0 {
            None
        } else {
            Some(random.below(child))
        };
        if parent.is_none() && random.below(2) == 0 {
            continue;
        }
        for r in 0..=random.below(dim - 1) {
            // Near a unit vector each, as the rows of real joints: else a chain loses digits at every link.
            let (own, above) = (row(random), row(random));
            let mut own: Vec<f64> = own.iter().map(|x| 0.2 * x).collect();
            own[r] += 1.0;
            let bias = if random.below(2) == 0 { 0.0 } else { random.unit() };
            let mut parts: Vec<(usize, &[f64])> = vec![(child, &own)];
            parts.extend(parent.map(|p| (p, &above[..])));
            problem.add_joint(&parts, bias).unwrap();
        }
    }
    for _ in 0..contacts {
        let rows = [row(random), row(random), row(random)];
        let body = random.below(bodies);
        let contact = problem
            .add_contact(&[(body, [&rows[0], &rows[1], &rows[2]])], 0.5)
            .unwrap();
        // Some are far away, and may be brought near by others.
        let far = [0.0, 0.1, 2.0][random.below(3)];
        problem.set_bias(contact, [far, 0.0, 0.0]).unwrap();
    }
    problem
}

#[test]
fn joints_alone_are_satisfied() {
    let mut random = Random::new(11);
    let mut front_door = solver(Law::Coulomb, None);
    let mut alone = 0;
    for k in 0..1000 {
        let found = front_door.solve(&tree(&mut random, 0)).unwrap();
        assert_eq!(found.status, Status::Solved, "{k}: {:?}", found.residual);
        alone += usize::from(found.stats.methods.is_empty());
    }
    // Rows drawn at random seldom depend on each other: few trees are left to the other methods.
    assert!(alone > 900, "{alone}");
}

#[test]
fn contacts_move_trees_as_other_methods_find() {
    let mut random = Random::new(12);
    let (mut front_door, mut dantzig) = (
        solver(Law::Frictionless, None),
        solver(Law::Frictionless, Some(Method::Dantzig)),
    );
    let mut compared = 0;
    for k in 0..1000 {
        let problem = tree(&mut random, 6);
        let other = dantzig.solve(&problem).unwrap();
        if other.status != Status::Solved {
            // Joints and contacts contradict each other.
            continue;
        }
        compared += 1;
        let found = front_door.solve(&problem).unwrap();
        assert_eq!(found.status, Status::Solved, "{k}: {:?}", found.residual);
        for (v, w) in found.velocity.iter().zip(&other.velocity) {
            assert!((v - w).abs() < 1e-8 * (1.0 + w.abs()), "{k}: {v} {w}");
        }
    }
    assert!(compared > 850, "{compared}");
}

#[test]
fn no_slip_and_viscous_friction_on_trees_are_verified() {
    let mut random = Random::new(13);
    for law in [Law::NoSlip, Law::Viscous] {
        let mut front_door = solver(law, None);
        let mut solved = 0;
        for _ in 0..300 {
            let mut problem = tree(&mut random, 4);
            for i in 0..problem.contact_count() {
                problem.set_viscosity(i, 0.3).unwrap();
            }
            solved += usize::from(front_door.solve(&problem).unwrap().status == Status::Solved);
        }
        println!("{law:?}: {solved} of 300");
        assert!(solved > 240, "{law:?}: {solved}");
    }
}
