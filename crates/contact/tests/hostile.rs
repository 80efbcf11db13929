//! Data of any size: no panic, and nothing is called solved that is not.
#![allow(clippy::unwrap_used)]

mod xorshift;

use stiction_contact::check::{Answer, Terms, check, check_bounce};
use stiction_contact::{ContactProblem, ContactSolver, Law, Options, Status};
use xorshift::Random;

impl Random {
    /// A number from 0 up to, not including, `below`.
    fn choose(&mut self, below: usize) -> usize {
        self.next();
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    /// Zero, one, or a number of any size up to 10^±range.
    fn any(&mut self, range: f64) -> f64 {
        match self.choose(8) {
            0 => 0.0,
            1 => 1.0,
            2 | 3 => self.next() * 10_f64.powf(range * self.next()),
            _ => self.next(),
        }
    }
}

/// Blocks of 1 to 3 coordinates, contacts and joints between them at random; some rows are copies of others.
fn problem(random: &mut Random, range: f64) -> ContactProblem {
    let mut problem = ContactProblem::new();
    let blocks = 1 + random.choose(3);
    let mut dims = Vec::new();
    for _ in 0..blocks {
        let dim = 1 + random.choose(3);
        let mut mass = vec![0.0; dim * dim];
        for k in 0..dim {
            let x = random.any(range).abs();
            mass[k * (dim + 1)] = if x == 0.0 { 1.0 } else { x };
        }
        let v: Vec<f64> = (0..dim).map(|_| random.any(range)).collect();
        if problem.add_block(&mass, &v).is_ok() {
            dims.push(dim);
        }
    }
    for _ in 0..random.choose(6) {
        let (a, b) = (random.choose(dims.len()), random.choose(dims.len()));
        let mut row = |dim: usize| (0..dim).map(|_| random.any(range)).collect::<Vec<f64>>();
        let rows: Vec<Vec<f64>> = (0..6).map(|k| row(dims[if k < 3 { a } else { b }])).collect();
        let first: [&[f64]; 3] = [&rows[0], &rows[1], &rows[2]];
        let second: [&[f64]; 3] = [&rows[3], &rows[4], &rows[5]];
        let mu = match random.choose(5) {
            0 => 0.0,
            1 => f64::INFINITY,
            _ => random.any(range).abs(),
        };
        let parts = [(a, first), (b, second)];
        let used = if a == b { &parts[..1] } else { &parts[..] };
        for _ in 0..=random.choose(2) {
            if let Ok(contact) = problem.add_contact(used, mu) {
                // Negative bias mostly has no answer, and proving that takes long.
                let sign = if random.choose(20) == 0 { -1.0 } else { 1.0 };
                let bias = [sign * random.any(range).abs(), 0.0, 0.0];
                problem.set_bias(contact, bias).unwrap();
                problem.set_restitution(contact, random.any(0.0).abs()).unwrap();
            }
        }
        if random.choose(3) == 0 {
            problem.add_joint(&[(a, &rows[1])], 0.0).unwrap();
        }
    }
    problem
}

#[test]
fn data_of_any_size() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut solved = 0;
    for (range, count) in [(0.0, 150), (3.0, 150), (30.0, 50), (300.0, 50)] {
        for k in 0..count {
            let problem = problem(&mut random, range);
            for law in Law::ALL {
                let options = Options {
                    law,
                    directions: 4,
                    ..Options::default()
                };
                let mut solver = ContactSolver::new(options).unwrap();
                let solution = solver.solve(&problem).unwrap();
                assert_eq!(solution.velocity.len(), problem.dof());
                assert_eq!(solution.state.len(), problem.contact_count());
                let bounces = (0..problem.contact_count()).any(|i| problem.restitution(i) > 0.0);
                if solution.status != Status::Solved {
                    assert!(
                        solution.residual.worst > 1e-10,
                        "range {range}, problem {k}, {law:?}: {:?}",
                        solution.residual
                    );
                    continue;
                }
                solved += 1;
                let finite = |x: &f64| x.is_finite();
                assert!(solution.velocity.iter().all(finite) && solution.normal_impulse.iter().all(finite));
                let terms = Terms {
                    law,
                    directions: 4,
                    tolerance: 1e-10,
                };
                let answer = Answer {
                    normal: &solution.normal_impulse,
                    friction: &solution.friction_impulse,
                    phi: None,
                    joint: &solution.joint_impulse,
                };
                let verdict = match &solution.compression {
                    Some(compression) => {
                        let first = Answer {
                            normal: &compression.normal_impulse,
                            friction: &compression.friction_impulse,
                            phi: None,
                            joint: &compression.joint_impulse,
                        };
                        check_bounce(&problem, terms, None, first, answer).unwrap()
                    }
                    None => check(&problem, terms, answer).unwrap(),
                };
                assert!(verdict.solved, "range {range}, problem {k}, {law:?}: {verdict:?}");
                assert!(bounces || solution.compression.is_none());
                solver.find_unique(&problem).unwrap();
            }
        }
    }
    assert!(solved > 800, "{solved}");
}
