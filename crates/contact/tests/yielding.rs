//! Joint rows that yield: dry friction of a known limit, springs and dampers, motors with a largest force.
#![allow(clippy::unwrap_used)]

use stiction_contact::check::{Answer, Terms, check};
use stiction_contact::{ContactProblem, ContactSolver, Law, Method, Options, Status, tangents};

struct Random(u64);

impl Random {
    /// From −1 to 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Rows of a contact at a random place: along its normal and tangents, and their moments.
    fn frame(&mut self) -> [[f64; 6]; 3] {
        let mut n: [f64; 3] = std::array::from_fn(|_| self.next());
        let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
        n = n.map(|x| x / length);
        let r: [f64; 3] = std::array::from_fn(|_| self.next());
        let [x, y] = tangents(n);
        [n, x, y].map(|d| {
            let m = |a: usize, b: usize| r[a] * d[b] - r[b] * d[a];
            [d[0], d[1], d[2], m(1, 2), m(2, 0), m(0, 1)]
        })
    }

    fn row(&mut self) -> [f64; 6] {
        std::array::from_fn(|_| self.next())
    }
}

fn solver(law: Law, method: Option<Method>) -> ContactSolver {
    ContactSolver::new(Options {
        law,
        method,
        ..Options::default()
    })
    .unwrap()
}

/// Bodies in a chain with contacts, firm rows, brakes, springs and motors.
fn chain(random: &mut Random, bodies: usize, mu: f64) -> ContactProblem {
    let mut problem = ContactProblem::new();
    for i in 0..bodies {
        let mut mass = [0.0; 36];
        for k in 0..6 {
            mass[7 * k] = 1.0 + 0.5 * random.next();
        }
        problem.add_block(&mass, &random.row()).unwrap();
        for _ in 0..2 {
            let rows = random.frame();
            let parts = [(i, [&rows[0][..], &rows[1][..], &rows[2][..]])];
            problem.add_contact(&parts, mu).unwrap();
        }
    }
    for i in 1..bodies {
        for kind in 0..4 {
            let rows = [random.row(), random.row()];
            let joint = problem
                .add_joint(&[(i - 1, &rows[0][..]), (i, &rows[1][..])], random.next())
                .unwrap();
            let size = 10_f64.powi(i32::try_from(i % 5).unwrap() - 3);
            match kind {
                0 => {}
                1 => problem.set_yield(joint, 0.0, size).unwrap(),
                2 => problem.set_yield(joint, size, f64::INFINITY).unwrap(),
                _ => problem.set_yield(joint, 0.1, 0.3 * size).unwrap(),
            }
        }
    }
    problem
}

#[test]
fn random_chains_are_solved_under_every_law() {
    let mut random = Random(7);
    let mut unsolved = 0;
    for law in Law::ALL {
        for round in 0..12 {
            let problem = chain(&mut random, 1 + round % 6, 0.4);
            let mut solver = solver(law, None);
            let found = solver.solve(&problem).unwrap().clone();
            if law == Law::NoSlip && found.status != Status::Solved {
                // Newton's method alone, which is no match for friction without limit.
                unsolved += 1;
                continue;
            }
            assert_eq!(found.status, Status::Solved, "{law:?}, {round}: {:?}", found.stats);
            for k in 0..problem.joint_count() {
                let (_, most) = problem.joint_yield(k);
                assert!(found.joint_impulse[k].abs() <= most * (1.0 + 1e-9), "{law:?}, row {k}");
            }
            let again = solver.solve_warm(&problem).unwrap();
            assert_eq!(again.status, Status::Solved);
        }
    }
    assert!(unsolved <= 4, "{unsolved} of 12 without slip");
}

/// Weights in the place of rows that yield lead other methods to the same answer.
#[test]
fn methods_agree() {
    let mut random = Random(11);
    for round in 0..20 {
        // Without friction at contacts the motion is unique.
        let problem = chain(&mut random, 2 + round % 4, 0.0);
        let expected = solver(Law::Frictionless, None)
            .solve(&problem)
            .unwrap()
            .velocity
            .clone();
        for method in [
            Method::NewtonCone,
            Method::Dantzig,
            Method::LemkeReduced,
            Method::LemkeStructural,
            Method::LemkeStandard,
        ] {
            let mut one = solver(Law::Frictionless, Some(method));
            let found = one.solve(&problem).unwrap();
            assert_eq!(
                found.status,
                Status::Solved,
                "{method:?}, {round}: {:?}",
                found.residual
            );
            assert!(found.stats.methods.contains(&method), "{:?}", found.stats.methods);
            for (x, y) in found.velocity.iter().zip(&expected) {
                assert!((x - y).abs() < 1e-8, "{method:?}, {round}: {x} {y}");
            }
        }
    }
}

#[test]
fn a_spring_without_limit_is_its_closed_form() {
    for (mass, compliance, v, bias) in [(2.0, 0.5, 3.0, 0.0), (1e-3, 1e-9, -4.0, 1.0), (5.0, 1e6, 1.0, 2.0)] {
        let mut problem = ContactProblem::new();
        problem.add_block(&[mass], &[v]).unwrap();
        problem.add_joint(&[(0, &[1.0])], bias).unwrap();
        problem.set_yield(0, compliance, f64::INFINITY).unwrap();
        let mut solver = solver(Law::Coulomb, None);
        let found = solver.solve(&problem).unwrap();
        let expected = -(v + bias) / (1.0 / mass + compliance);
        assert!((found.joint_impulse[0] / expected - 1.0).abs() < 1e-12, "{found:?}");
    }
}

/// Limits of 1e12 and 0, rows of zeros, no bodies that move: nothing breaks.
#[test]
fn extremes_are_solved() {
    for most in [0.0, 1e-300, 1e12, f64::INFINITY] {
        for compliance in [0.0, 1e-30, 1e30] {
            let mut problem = ContactProblem::new();
            problem.add_block(&[1.0, 0.0, 0.0, 1.0], &[1.0, -1.0]).unwrap();
            problem
                .add_contact(&[(0, [&[0.0, 1.0], &[1.0, 0.0], &[0.0, 0.0]])], 0.5)
                .unwrap();
            problem.add_joint(&[(0, &[1.0, 0.0])], 1e3).unwrap();
            problem.add_joint(&[(0, &[0.0, 0.0])], 0.0).unwrap();
            for row in 0..2 {
                problem.set_yield(row, compliance, most).unwrap();
            }
            let mut solver = solver(Law::Coulomb, None);
            let found = solver.solve(&problem).unwrap();
            assert_eq!(found.status, Status::Solved, "{most} {compliance}: {found:?}");
        }
    }
}

#[test]
fn the_judge_knows_limits_and_compliance() {
    let mut problem = ContactProblem::new();
    problem.add_block(&[2.0], &[3.0]).unwrap();
    problem.add_joint(&[(0, &[1.0])], 0.0).unwrap();
    let terms = Terms {
        law: Law::Coulomb,
        directions: 8,
        tolerance: 1e-10,
    };
    let solved = |problem: &ContactProblem, x: f64| {
        let answer = Answer {
            normal: &[],
            friction: &[],
            phi: None,
            joint: &[x],
        };
        check(problem, terms, answer).unwrap().solved
    };
    assert!(solved(&problem, -6.0) && !solved(&problem, -1.0));
    problem.set_yield(0, 0.0, 1.0).unwrap();
    assert!(solved(&problem, -1.0));
    for wrong in [-6.0, 1.0, -1.0 - 1e-8, -1.0 + 1e-8, 0.0] {
        assert!(!solved(&problem, wrong), "{wrong}");
    }
    // 3 + λ/2 + λ = 0.
    problem.set_yield(0, 1.0, 5.0).unwrap();
    assert!(solved(&problem, -2.0) && !solved(&problem, -2.0 + 1e-8) && !solved(&problem, -5.0));
}

#[test]
fn misuse_is_named() {
    let mut problem = ContactProblem::new();
    problem.add_block(&[2.0], &[3.0]).unwrap();
    problem.add_joint(&[(0, &[1.0])], 0.0).unwrap();
    let mut says = |joint, compliance, most| problem.set_yield(joint, compliance, most).unwrap_err().to_string();
    assert_eq!(says(1, 0.0, 1.0), "joint: must be below 1, found 1");
    assert_eq!(
        says(0, -1.0, 1.0),
        "joints[0].compliance: must be finite and not negative, found -1"
    );
    assert_eq!(
        says(0, 0.0, -2.0),
        "joints[0].most: must not be negative or NaN, found -2"
    );
    problem.set_yield(0, 0.0, 1.0).unwrap();
    let error = solver(Law::NoSlip, Some(Method::PpmModified))
        .solve(&problem)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "method: ppm_modified does not know joint rows that yield under the law no-slip; methods that do: newton_cone"
    );
    let error = solver(Law::Frictionless, Some(Method::PpmModified))
        .solve(&problem)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "method: ppm_modified does not know joint rows that yield under the law frictionless; methods that do: \
         lemke_reduced, lemke_structural, lemke_standard, newton_cone, dantzig"
    );
}
