//! Warm starts that are saved, moved to another solver, or mangled.
#![allow(clippy::unwrap_used)]

use stiction_contact::{ContactProblem, ContactSolver, InputError, Law, Options, Status, WarmStart};

/// Numbers from a seed (xorshift).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.bits() % limit as u64).unwrap()
    }

    /// From −1 to 1.
    fn next(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

const DIRECTIONS: [[[f64; 3]; 3]; 2] = [
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
];

/// Two towers of cubes, four contacts a face, a joint row across the second; each cube moves at random.
fn towers(random: &mut Random) -> ContactProblem {
    let mut problem = ContactProblem::new();
    let mass: Vec<f64> = (0..36)
        .map(|k| if k % 7 == 0 { [1.0, 0.2][k / 21] } else { 0.0 })
        .collect();
    for tower in 0..2 {
        for level in 0..3_u64 {
            let mut velocity = [0.0; 6].map(|_| 0.1 * random.next());
            velocity[2] -= 0.1;
            let cube = problem.add_block(&mass, &velocity).unwrap();
            for (k, corner) in [[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]].iter().enumerate() {
                let rows = |side: usize, z: f64| {
                    DIRECTIONS[side].map(|d| {
                        let [x, y] = *corner;
                        let moment = [y * d[2] - z * d[1], z * d[0] - x * d[2], x * d[1] - y * d[0]];
                        [d[0], d[1], d[2], moment[0], moment[1], moment[2]]
                    })
                };
                let (upper, lower) = (rows(0, -0.5), rows(1, 0.5));
                let mut parts: Vec<(usize, [&[f64]; 3])> = vec![(cube, [&upper[0], &upper[1], &upper[2]])];
                if level > 0 {
                    parts.push((cube - 1, [&lower[0], &lower[1], &lower[2]]));
                }
                let contact = problem.add_contact(&parts, 0.3).unwrap();
                problem.set_key(contact, 1000 * tower + 10 * level + k as u64).unwrap();
            }
        }
    }
    problem
        .add_joint(
            &[
                (4, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
                (5, &[-1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            ],
            0.0,
        )
        .unwrap();
    problem
}

fn solver(law: Law) -> ContactSolver {
    ContactSolver::new(Options {
        law,
        ..Options::default()
    })
    .unwrap()
}

#[test]
fn another_solver_goes_on_with_the_same_bits() {
    for law in [Law::Coulomb, Law::Polyhedral, Law::Frictionless] {
        let mut random = Random(7);
        let mut straight = solver(law);
        let mut warm_starts = 0;
        for step in 0..60 {
            let problem = towers(&mut random);
            let bytes = straight.warm_start().to_bytes();
            let warm = WarmStart::from_bytes(&bytes).unwrap();
            assert_eq!(&warm, straight.warm_start());
            let mut moved = solver(law);
            moved.set_warm_start(warm);
            let (a, b) = (
                straight.solve_warm(&problem).unwrap().clone(),
                moved.solve_warm(&problem).unwrap(),
            );
            assert_eq!(a.status, Status::Solved, "{law:?} {step}");
            assert_eq!(&a, b, "{law:?} {step}");
            assert_eq!(straight.warm_start(), moved.warm_start(), "{law:?} {step}");
            warm_starts += a.stats.warm_starts;
        }
        assert!(warm_starts > 60, "{law:?}: {warm_starts}");
    }
}

#[test]
fn bytes_of_another_form_are_refused() {
    let refused = |bytes: &[u8]| WarmStart::from_bytes(bytes).unwrap_err();
    let reason = |reason| InputError::WarmStart { reason };
    assert_eq!(refused(b""), reason("must begin with STICWRM1"));
    assert_eq!(refused(b"STICWRM2"), reason("must begin with STICWRM1"));
    let mut solver = solver(Law::Polyhedral);
    solver.solve(&towers(&mut Random(3))).unwrap();
    let mut bytes = solver.warm_start().to_bytes();
    for end in 8..bytes.len() {
        assert_eq!(refused(&bytes[..end]), reason("must not end early"), "{end}");
    }
    bytes.push(0);
    assert_eq!(refused(&bytes), reason("must end where its lists end"));
}

#[test]
fn nonsense_leads_to_a_cold_start_and_is_counted() {
    let problem = towers(&mut Random(5));
    for (law, place, value) in [
        (Law::Coulomb, 0, f64::NAN),
        (Law::Coulomb, 0, f64::INFINITY),
        (Law::Coulomb, 0, -1.0),
        (Law::Coulomb, 1, f64::NAN),
        (Law::Polyhedral, 0, f64::NAN),
        (Law::Polyhedral, 2, f64::NEG_INFINITY),
    ] {
        let (mut cold, mut warm) = (solver(law), solver(law));
        let expected = cold.solve(&problem).unwrap().clone();
        let mut bytes = cold.warm_start().to_bytes();
        // The last impulse stands before the length and the one entry of the joint rows.
        let at = bytes.len() - 16 - 24 + 8 * place;
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        warm.set_warm_start(WarmStart::from_bytes(&bytes).unwrap());
        let found = warm.solve_warm(&problem).unwrap();
        assert_eq!(found.status, Status::Solved);
        assert_eq!(found.normal_impulse, expected.normal_impulse, "{law:?} {place} {value}");
        assert_eq!((found.stats.warm_starts, found.stats.warm_fallbacks), (2, 2));
        // The answer is a start again.
        assert_eq!(warm.solve_warm(&problem).unwrap().stats.warm_fallbacks, 0);
    }
}

#[test]
fn huge_impulses_do_no_harm() {
    for law in [Law::Coulomb, Law::Frictionless, Law::Polyhedral] {
        for huge in [1e10_f64, 1e100, 1e200, 1e308] {
            let mut random = Random(11);
            let problem = towers(&mut random);
            let mut solver = solver(law);
            solver.solve(&problem).unwrap();
            let mut bytes = solver.warm_start().to_bytes();
            let count = solver.solution().normal_impulse.iter().filter(|x| **x > 0.0).count();
            let first = bytes.len() - 16 - 32 * count;
            for k in 0..count {
                for x in 1..4 {
                    let at = first + 32 * k + 8 * x;
                    bytes[at..at + 8].copy_from_slice(&huge.to_le_bytes());
                }
            }
            let at = bytes.len() - 8;
            bytes[at..].copy_from_slice(&huge.to_le_bytes());
            solver.set_warm_start(WarmStart::from_bytes(&bytes).unwrap());
            let found = solver.solve_warm(&problem).unwrap();
            assert_eq!(found.status, Status::Solved, "{law:?} {huge}");
            assert!(found.velocity.iter().all(|v| v.abs() < 1.0), "{law:?} {huge}");
        }
    }
}

#[test]
fn mangled_bytes_never_spoil_an_answer() {
    let mut random = Random(13);
    for law in [Law::Coulomb, Law::Polyhedral, Law::Frictionless] {
        let mut read = 0;
        for _ in 0..400 {
            let problem = towers(&mut random);
            let mut solver = solver(law);
            solver.solve(&towers(&mut random)).unwrap();
            let mut bytes = solver.warm_start().to_bytes();
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            let Ok(warm) = WarmStart::from_bytes(&bytes) else {
                continue;
            };
            read += 1;
            solver.set_warm_start(warm);
            let found = solver.solve_warm(&problem).unwrap();
            assert_eq!(found.status, Status::Solved, "{law:?}");
        }
        assert!(read > 100, "{law:?}: {read}");
    }
}

/// Bases that have the right form and say anything at all.
#[test]
fn any_basis_does() {
    let mut random = Random(17);
    for law in [Law::Polyhedral, Law::Frictionless] {
        for _ in 0..2000 {
            let problem = towers(&mut random);
            let mut bytes = b"STICWRM1".to_vec();
            let keys: Vec<u64> = (0..2)
                .flat_map(|t| (0..3).flat_map(move |l| (0..4).map(move |k| 1000 * t + 10 * l + k)))
                .collect();
            bytes.extend(8_u64.to_le_bytes());
            bytes.extend((keys.len() as u64).to_le_bytes());
            for key in &keys {
                bytes.extend(key.to_le_bytes());
                let (pick, expanded) = (random.below(9), random.below(2) == 1);
                let normal = [0b01, 0b10, 0b00][pick % 3];
                let (friction, phi, sigma) = if expanded {
                    let phi = random.bits() & random.bits() & 0xFF;
                    (
                        [0b10100, 0b11000, 0b10000][pick / 3],
                        phi,
                        random.bits() | random.bits() | random.bits(),
                    )
                } else {
                    (0, 0, 0)
                };
                bytes.push(normal | friction);
                bytes.extend(phi.to_le_bytes());
                bytes.extend((sigma & 0xFF & !phi).to_le_bytes());
            }
            bytes.extend((keys.len() as u64).to_le_bytes());
            for key in &keys {
                bytes.extend(key.to_le_bytes());
                for x in [1.0_f64, 0.1, 0.1] {
                    bytes.extend(x.to_le_bytes());
                }
            }
            bytes.extend(0_u64.to_le_bytes());
            let mut solver = solver(law);
            solver.set_warm_start(WarmStart::from_bytes(&bytes).unwrap());
            let found = solver.solve_warm(&problem).unwrap();
            assert_eq!(found.status, Status::Solved, "{law:?}");
            assert!(found.stats.warm_starts <= 2);
        }
    }
}

/// The work of a solver is the sum of the counts of its solves.
#[test]
fn work_is_the_sum_of_all_solves() {
    let mut random = Random(7);
    for law in [Law::Coulomb, Law::Polyhedral, Law::Frictionless] {
        let mut solver = ContactSolver::new(Options {
            law,
            ..Options::default()
        })
        .unwrap();
        let mut sum = stiction_contact::Work::default();
        for round in 0..20 {
            let problem = towers(&mut random);
            let solution = if round % 2 == 0 {
                solver.solve(&problem).unwrap()
            } else {
                solver.solve_warm(&problem).unwrap()
            };
            let stats = &solution.stats;
            assert!(stats.passes >= 1);
            sum += stiction_contact::Work {
                solves: 1,
                passes: stats.passes,
                newton_steps: stats.newton_steps,
                factorisations: stats.factorisations,
                pivots: stats.pivots,
                fallbacks: stats.fallbacks + stats.warm_fallbacks,
                operations: stats.operations,
            };
        }
        // Warm starts that were given up in earlier passes count as well.
        assert!(solver.work().fallbacks >= sum.fallbacks);
        sum.fallbacks = solver.work().fallbacks;
        assert_eq!(solver.take_work(), sum, "{law:?}");
        assert_eq!(solver.work().solves, 0);
        assert!(sum.operations > 0);
    }
}
