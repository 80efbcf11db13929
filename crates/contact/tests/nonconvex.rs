//! Nonconvex groups under every law, with restitution, warm starts, islands and faces of several contacts.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod solvers;
mod xorshift;

use solvers::solver;
use stiction_contact::check::{Answer, Terms, check, check_bounce};
use stiction_contact::{ContactProblem, ContactSolution, Law, Method, Status};
use xorshift::Random;

fn is_lawful(problem: &ContactProblem, solution: &ContactSolution) -> bool {
    let terms = Terms {
        law: solution.law,
        directions: 8,
        tolerance: 1e-10,
    };
    let answer = Answer {
        normal: &solution.normal_impulse,
        friction: &solution.friction_impulse,
        phi: None,
        joint: &solution.joint_impulse,
    };
    check(problem, terms, answer).unwrap().solved
}

/// A point mass at a corner that stands out, half a time step from both planes: the sides x ≥ 0 and y ≥ 0.
fn corner(problem: &mut ContactProblem, velocity: [f64; 2], mu: f64) {
    let block = problem.add_block(&[1.0, 0.0, 0.0, 1.0], &velocity).unwrap();
    let first = problem.contact_count();
    for [normal, tangent] in [[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]] {
        let contact = problem
            .add_contact(&[(block, [&normal, &tangent, &[0.0, 0.0]])], mu)
            .unwrap();
        problem.set_bias(contact, [0.5, 0.0, 0.0]).unwrap();
    }
    problem.add_group(&[&[first], &[first + 1]]).unwrap();
}

fn one_corner(velocity: [f64; 2], mu: f64) -> ContactProblem {
    let mut problem = ContactProblem::new();
    corner(&mut problem, velocity, mu);
    problem
}

#[test]
fn every_law_knows_groups() {
    // Without slip each side holds the other open, and at the corner both slip: there is no answer.
    for law in Law::ALL.into_iter().filter(|law| *law != Law::NoSlip) {
        let mut problem = one_corner([-2.0, -1.0], 0.5);
        for contact in 0..2 {
            problem.set_viscosity(contact, 0.3).unwrap();
        }
        let mut solver = solver(law, None);
        let solution = solver.solve(&problem).unwrap();
        assert_eq!(solution.status, Status::Solved, "{law:?} {:?}", solution.residual);
        assert!(is_lawful(&problem, solution), "{law:?}");
        assert!((solution.normal_impulse[1] - 0.5).abs() < 1e-12 && solution.normal_impulse[0] == 0.0);
        // What passes the corner is not touched.
        let free = one_corner([-2.0, 0.0], 0.5);
        let solution = solver.solve(&free).unwrap();
        assert_eq!(
            (solution.status, &solution.velocity[..]),
            (Status::Solved, &[-2.0, 0.0][..])
        );
    }
}

/// With friction above 1 each side alone holds the other open: both push at the corner.
#[test]
fn much_friction_ends_in_the_corner() {
    let problem = one_corner([-2.0, -1.0], 4.0);
    let mut solver = solver(Law::Coulomb, None);
    let solution = solver.solve(&problem).unwrap();
    // θ_wall + μθ_floor = 1.5 and θ_floor + μθ_wall = 0.5.
    assert_eq!(solution.status, Status::Solved);
    assert!((solution.normal_impulse[0] - 0.5 / 15.0).abs() < 1e-12, "{solution:?}");
    assert!((solution.normal_impulse[1] - 5.5 / 15.0).abs() < 1e-12, "{solution:?}");
    assert_eq!(solver.all_answers(&problem).unwrap().answers.len(), 1);
}

#[test]
fn a_method_that_is_named_solves_every_choice() {
    for method in Method::ALL {
        let Some(law) = [Law::Frictionless].into_iter().find(|law| method.laws().contains(law)) else {
            continue;
        };
        let problem = one_corner([-2.0, -1.0], 0.0);
        let mut solver = solver(law, Some(method));
        let solution = solver.solve(&problem).unwrap();
        assert_eq!(solution.status, Status::Solved, "{method:?}");
        let methods = &solution.stats.methods;
        match method {
            Method::NonconvexSum => assert_eq!(methods, &[method]),
            Method::NonconvexMax => assert_eq!(methods.last(), Some(&method)),
            _ => assert_eq!(methods, &[method, Method::NonconvexMax]),
        }
    }
}

#[test]
fn restitution_in_two_phases_bounces_off_the_side_that_pushes() {
    let mut problem = one_corner([-2.0, -1.0], 0.0);
    for contact in 0..2 {
        problem.set_restitution(contact, 1.0).unwrap();
        problem.set_bias(contact, [0.0; 3]).unwrap();
    }
    let mut solver = solver(Law::Frictionless, None);
    let solution = solver.solve(&problem).unwrap();
    assert_eq!(solution.status, Status::Solved);
    assert!((solution.velocity[0] + 2.0).abs() < 1e-12 && (solution.velocity[1] - 1.0).abs() < 1e-12);
    assert!(solver.all_answers(&problem).is_err());
}

/// The side that pushes has the friction of the whole bounce: 0.3 times 2 N s.
#[test]
fn a_bounce_off_a_side_has_friction() {
    let mut problem = one_corner([-2.0, -1.0], 0.3);
    for contact in 0..2 {
        problem.set_restitution(contact, 1.0).unwrap();
        problem.set_bias(contact, [0.0; 3]).unwrap();
    }
    for law in [Law::Coulomb, Law::Polyhedral] {
        let mut solver = solver(law, None);
        let solution = solver.solve(&problem).unwrap();
        assert_eq!(solution.status, Status::Solved, "{law:?}");
        assert!((solution.velocity[0] + 1.4).abs() < 1e-12 && (solution.velocity[1] - 1.0).abs() < 1e-12);
        let compression = solution.compression.as_ref().unwrap();
        let first = Answer {
            normal: &compression.normal_impulse,
            friction: &compression.friction_impulse,
            phi: None,
            joint: &[],
        };
        let whole = Answer {
            normal: &solution.normal_impulse,
            friction: &solution.friction_impulse,
            phi: None,
            joint: &[],
        };
        let terms = Terms {
            law,
            directions: 8,
            tolerance: 1e-10,
        };
        assert!(check_bounce(&problem, terms, None, first, whole).unwrap().solved);
    }
}

#[test]
fn islands_are_searched_one_by_one_and_warm_starts_agree() {
    let mut problem = ContactProblem::new();
    let mut random = Random(7);
    for _ in 0..40 {
        corner(&mut problem, [-1.0 + random.next(), -1.0 + random.next()], 0.3);
    }
    let mut solver = solver(Law::Coulomb, None);
    let cold = solver.solve(&problem).unwrap().clone();
    assert_eq!((cold.status, cold.stats.islands), (Status::Solved, 40));
    assert!(cold.stats.choices <= 3 * 40, "{}", cold.stats.choices);
    let warm = solver.solve_warm(&problem).unwrap();
    assert_eq!(warm.status, Status::Solved);
    for (a, b) in cold.velocity.iter().zip(&warm.velocity) {
        assert!((a - b).abs() < 1e-9);
    }
    assert_eq!(solver.solve(&problem).unwrap(), &cold, "the same bits again");
}

/// A square of four corner points slides over a floor that ends in a step up, whose top is below it: the wall of the step, as a convex
/// contact, stops it; as one side beside the top, it lets it pass. The top is a face of two contacts.
#[test]
fn a_box_passes_an_edge_that_it_does_not_touch() {
    let mass = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.2];
    let build = |nonconvex: bool| {
        let mut problem = ContactProblem::new();
        problem.add_block(&mass, &[2.0, -0.1, 0.0]).unwrap();
        let wall = problem
            .add_contact(&[(0, [&[-1.0, 0.0, -0.5], &[0.0, 1.0, 0.5], &[0.0; 3]])], 0.3)
            .unwrap();
        problem.set_bias(wall, [0.2, 0.0, 0.0]).unwrap();
        let face: Vec<usize> = [-0.5, 0.5]
            .iter()
            .map(|x| {
                let rows: [&[f64]; 3] = [&[0.0, 1.0, *x], &[1.0, 0.0, 0.5], &[0.0; 3]];
                problem.add_contact(&[(0, rows)], 0.0).unwrap()
            })
            .collect();
        if nonconvex {
            problem.add_group(&[&[wall], &face]).unwrap();
        }
        problem
    };
    let mut solver = solver(Law::Coulomb, None);
    let convex = solver.solve(&build(false)).unwrap();
    assert!(
        convex.status == Status::Solved && convex.velocity[0] < 1.0,
        "{:?}",
        convex.velocity
    );
    let problem = build(true);
    let nonconvex = solver.solve(&problem).unwrap();
    assert_eq!(nonconvex.status, Status::Solved);
    let v = &nonconvex.velocity;
    assert!(
        (v[0] - 2.0).abs() < 1e-12 && v[1].abs() < 1e-12 && v[2].abs() < 1e-12,
        "{v:?}"
    );
    assert!(
        nonconvex.normal_impulse[0] == 0.0 && nonconvex.normal_impulse[1] > 0.0 && nonconvex.normal_impulse[2] > 0.0
    );
}

/// The judge of groups, on answers that are wrong in one way each.
#[test]
fn wrong_answers_are_refused() {
    let problem = one_corner([-2.0, -1.0], 0.0);
    let terms = Terms {
        law: Law::Frictionless,
        directions: 8,
        tolerance: 1e-10,
    };
    let judged = |normal: [f64; 2]| {
        let answer = Answer {
            normal: &normal,
            friction: &[[0.0; 2]; 2],
            phi: None,
            joint: &[],
        };
        check(&problem, terms, answer).unwrap()
    };
    for lawful in [[1.5, 0.0], [0.0, 0.5], [1.5, 0.5]] {
        assert!(judged(lawful).solved);
    }
    // No push: the corner is entered, by all of the 0.5 at which the nearer side is met.
    let none = judged([0.0, 0.0]);
    assert!(
        !none.solved && (none.residual.gap - 1.0).abs() < 1e-12,
        "{:?}",
        none.residual
    );
    // The floor opens while the wall pushes, and while the floor itself pushes.
    for normal in [[1.5, 0.7], [0.0, 0.7]] {
        let verdict = judged(normal);
        // 0.2 m/s too fast, of the 0.7 that the push of the floor gives.
        assert!(!verdict.solved && (verdict.residual.complementarity - 0.2 / 0.7).abs() < 1e-12);
    }
    // The wall pushes although the point is behind it, while the floor holds.
    let behind = judged([0.3, 0.5]);
    // 0.3 m/s of the 1.5 m/s at which the wall is met.
    assert!(!behind.solved && (behind.residual.complementarity - 0.3 / 1.5).abs() < 1e-12);
    assert!(!judged([-0.1, 0.5]).solved);
}

/// Penetrations of all sides between two walls that close: no velocity satisfies any choice, and the status says so.
#[test]
fn groups_without_an_answer_say_so() {
    let mut problem = ContactProblem::new();
    problem.add_block(&[1.0], &[0.0]).unwrap();
    for (side, bias) in [(1.0, -0.5), (-1.0, -0.1), (-1.0, -0.2)] {
        let contact = problem.add_contact(&[(0, [&[side], &[0.0], &[0.0]])], 0.0).unwrap();
        problem.set_bias(contact, [bias, 0.0, 0.0]).unwrap();
    }
    problem.add_group(&[&[1], &[2]]).unwrap();
    let mut solver = solver(Law::Coulomb, None);
    let solution = solver.solve(&problem).unwrap();
    assert_eq!((solution.status, solution.stats.choices), (Status::NoSide, 3));
    let all = solver.all_answers(&problem).unwrap();
    assert!(all.complete && all.answers.is_empty());
}

/// Two sides of a group push and slide, where neither is lawful alone and Lemke's path for both together ends on a ray.
#[test]
fn a_corner_where_two_sides_slide_is_found() {
    // Angle of the normal, μ and gap velocity.
    let contacts = [
        (0.597, 0.503, 0.000),
        (2.986, 0.684, 0.000),
        (-0.022, 0.296, 0.249),
        (-2.670, 0.987, 0.120),
        (-0.228, 0.896, 0.000),
        (-2.778, 0.291, 0.215),
    ];
    let mut problem = ContactProblem::new();
    problem.add_block(&[1.71, 0.0, 0.0, 1.71], &[1.128, -0.875]).unwrap();
    for (angle, mu, gap) in contacts {
        let (x, y) = (libm::cos(angle), libm::sin(angle));
        let contact = problem
            .add_contact(&[(0, [&[x, y], &[-y, x], &[0.0, 0.0]])], mu)
            .unwrap();
        problem.set_bias(contact, [gap, 0.0, 0.0]).unwrap();
    }
    problem.add_group(&[&[5], &[1, 4], &[3]]).unwrap();
    for law in [Law::Coulomb, Law::Polyhedral] {
        let mut solver = solver(law, None);
        let solution = solver.solve(&problem).unwrap();
        assert_eq!(solution.status, Status::Solved, "{law:?} {:?}", solution.residual);
        assert!(is_lawful(&problem, solution), "{law:?}");
        let slides = |i: usize| solution.normal_impulse[i] > 0.1 && solution.contact_velocity[i][1].abs() > 0.1;
        assert!(slides(3) && slides(5), "{solution:?}");
        let all = solver.all_answers(&problem).unwrap();
        assert_eq!(all.answers.len(), 1, "{law:?}");
    }
}

/// The summation form on random groups of planes: answers are verified or refused, with friction too.
#[test]
fn the_summation_form_is_verified_or_refused() {
    let mut random = Random(11);
    for (law, mu, least) in [(Law::Frictionless, 0.0, 500), (Law::Polyhedral, 0.4, 450)] {
        let (mut solved, count) = (0, 500);
        for _ in 0..count {
            let mut problem = ContactProblem::new();
            problem
                .add_block(&[1.0, 0.0, 0.0, 1.0], &[2.0 * random.next(), 2.0 * random.next()])
                .unwrap();
            let sides = 2 + usize::from(random.next() > 0.0) + usize::from(random.next() > 0.0);
            for _ in 0..=sides {
                let angle = 3.0 * random.next();
                let (x, y) = (libm::cos(angle), libm::sin(angle));
                let rows: [&[f64]; 3] = [&[x, y], &[-y, x], &[0.0, 0.0]];
                let contact = problem.add_contact(&[(0, rows)], mu).unwrap();
                problem
                    .set_bias(contact, [0.2 * (1.0 + random.next()), 0.0, 0.0])
                    .unwrap();
            }
            let singles: Vec<[usize; 1]> = (0..sides).map(|i| [i]).collect();
            let group: Vec<&[usize]> = singles.iter().map(|side| &side[..]).collect();
            problem.add_group(&group).unwrap();
            let mut solver = solver(law, Some(Method::NonconvexSum));
            let solution = solver.solve(&problem).unwrap();
            assert_eq!(
                solution.status == Status::Solved,
                solution.residual.accuracy(1e-10).is_some()
            );
            solved += usize::from(solution.status == Status::Solved);
        }
        println!("{law:?}: {solved} of {count} solved");
        assert!(solved >= least, "{law:?}: {solved}");
    }
}
