//! Families of problems. Those of point masses have closed forms; boxes and heaps are solved, and judged twice.

use super::{Block, Case, Contact, Joint, Random};
use stiction_contact::{ContactSolver, Law, Options, Status};

/// Up, along, across.
pub(crate) const FLOOR: [[f64; 3]; 3] = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

/// A problem of any family, in any units; `None` where a solver gives none.
pub(crate) fn any(random: &mut Random) -> Option<Case> {
    let case = match random.below(10) {
        0 | 1 => Some(block(random)),
        2 => Some(fast_neighbour(random)),
        3 | 4 => Some(stack(random)),
        5 => Some(train(random)),
        6 => Some(vice(random)),
        7 => boxes(random),
        _ => heap(random),
    }?;
    #[allow(clippy::cast_possible_truncation)]
    let two = |random: &mut Random| 2.0_f64.powi(random.between(-25.0, 25.0) as i32);
    Some(case.scaled(two(random), two(random)))
}

/// A frame whose normal is tilted.
fn tilted(random: &mut Random) -> [[f64; 3]; 3] {
    if random.unit() < 0.5 {
        return FLOOR;
    }
    let n = random.direction();
    let across = if n[0].abs() < 0.6 {
        [1.0, 0.0, 0.0]
    } else {
        [0.0, 1.0, 0.0]
    };
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    };
    let t = cross(n, across);
    let length = t.iter().map(|x| x * x).sum::<f64>().sqrt();
    let t = t.map(|x| x / length);
    [n, t, cross(n, t)]
}

/// n·a + x·b + y·c in a frame.
fn world(frame: &[[f64; 3]; 3], [a, b, c]: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| frame[0][k] * a + frame[1][k] * b + frame[2][k] * c)
}

/// A point mass on a plane that rests, slides or falls on it, up to 1e5 m/s along it and down to steps of 1e-6 s.
fn block(random: &mut Random) -> Case {
    let mut case = Case::new("block");
    case.law = [Law::Coulomb, Law::Coulomb, Law::Coulomb, Law::Frictionless, Law::NoSlip][random.below(5)];
    let (mass, mu, down) = (
        random.power(-2.0, 2.0),
        random.between(0.1, 1.0),
        random.power(-5.0, 0.0),
    );
    let (along, angle) = (
        down * random.power(-1.0, 10.0).min(1e5 / down),
        random.between(0.0, 6.3),
    );
    let slip = [along * angle.cos(), along * angle.sin()];
    let frame = if along > 1e3 * down { FLOOR } else { tilted(random) };
    case.point(mass, world(&frame, [-down, slip[0], slip[1]]));
    let theta = mass * down;
    let most = match case.law {
        Law::Frictionless => 0.0,
        Law::NoSlip => f64::INFINITY,
        _ => mu * theta,
    };
    let friction = (mass * along).min(most) / along;
    case.touch((0, None), frame, mu, [theta, -friction * slip[0], -friction * slip[1]]);
    case
}

/// The same, beside a body that is far away and fast: their contact cannot close in the step.
fn fast_neighbour(random: &mut Random) -> Case {
    let mut case = block(random);
    case.name = "fast neighbour";
    let speed = random.power(2.0, 8.0);
    let v = random.direction().map(|x| x * speed);
    let mass = random.power(-3.0, 3.0);
    let other = case.point(mass, v);
    let frame = tilted(random);
    case.touch((other, Some(0)), frame, 0.5, [0.0; 3]);
    let own = case.blocks[0].v_free.iter().map(|v| v * v).sum::<f64>().sqrt();
    case.contacts[1].bias = (speed + own) * random.between(2.0, 10.0);
    if random.unit() < 0.5 {
        case.touch((other, None), frame, 0.5, [0.0; 3]);
        case.contacts[2].bias = speed * random.between(2.0, 10.0);
    }
    case
}

/// Masses on top of each other, from 1e-6 to 1e6 of one another, which slide on the floor as one.
fn stack(random: &mut Random) -> Case {
    let mut case = Case::new("stack");
    let count = 2 + random.below(3);
    let (down, mu) = (random.power(-3.0, 0.0), random.between(0.1, 0.6));
    let (speed, ratio) = (down * random.power(0.5, 4.0), random.between(-2.0, 2.0));
    let (slip, masses): ([f64; 2], Vec<f64>) = (
        [speed * 0.6, -speed * 0.8],
        (0..count)
            .map(|k| 10.0_f64.powf(ratio * k as f64) * random.between(0.5, 2.0))
            .collect(),
    );
    // All lose the velocity that the floor's friction takes.
    let lost = mu * down;
    for k in 0..count {
        case.point(masses[k], [slip[0], slip[1], -down]);
        let above: f64 = masses[k..].iter().sum();
        let friction = [0.6, -0.8].map(|d| -d * above * lost);
        case.touch(
            (k, k.checked_sub(1)),
            FLOOR,
            if k == 0 { mu } else { mu + 0.3 },
            [above * down, friction[0], friction[1]],
        );
    }
    case
}

/// Two masses that slide on the floor, held together by rows that may repeat each other.
fn train(random: &mut Random) -> Case {
    let mut case = Case::new("train");
    let (down, speed) = (random.power(-4.0, 0.0), random.between(3.0, 10.0));
    let (masses, mu) = (
        [random.power(-2.0, 2.0), random.power(-2.0, 2.0)],
        [random.between(0.0, 1.0), random.between(0.0, 1.0)],
    );
    let pull: f64 = masses[0] * mu[0] + masses[1] * mu[1];
    let after = speed * down - pull * down / (masses[0] + masses[1]);
    for k in 0..2 {
        case.point(masses[k], [speed * down, 0.0, -down]);
        case.touch(
            (k, None),
            FLOOR,
            mu[k],
            [masses[k] * down, -mu[k] * masses[k] * down, 0.0],
        );
    }
    // m₀(v′ − v) = −μ₀m₀g h + λ
    let lambda = masses[0] * (after - speed * down) + mu[0] * masses[0] * down;
    let count = 1 + random.below(2);
    for _ in 0..count {
        let unit = random.power(-2.0, 2.0);
        case.joints.push(Joint {
            row: vec![(0, vec![unit, 0.0, 0.0]), (1, vec![-unit, 0.0, 0.0])],
            bias: 0.0,
        });
        case.answer.joints.push(lambda / unit / count as f64);
    }
    case
}

/// A mass between two walls that hold it by friction, pressed by any force.
fn vice(random: &mut Random) -> Case {
    let mut case = Case::new("vice");
    let (mass, down) = (random.power(-2.0, 2.0), random.power(-4.0, 0.0));
    case.point(mass, [0.0, 0.0, -down]);
    let mu = random.between(0.2, 1.0);
    let press = mass * down / mu * random.power(0.0, 6.0);
    for side in [1.0, -1.0] {
        let frame = [[side, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]];
        case.touch((0, None), frame, mu, [press, 0.5 * mass * down, 0.0]);
    }
    case
}

/// A box on four corners that slides, turns or tips.
fn boxes(random: &mut Random) -> Option<Case> {
    let mut case = Case::new("box");
    let (mass, down) = (random.power(-2.0, 2.0), random.power(-3.0, 0.0));
    let half = [0; 3].map(|_| random.between(0.3, 1.0));
    let moment = |a: f64, b: f64| mass * (a * a + b * b) / 3.0;
    let diagonal = [
        mass,
        mass,
        mass,
        moment(half[1], half[2]),
        moment(half[0], half[2]),
        moment(half[0], half[1]),
    ];
    let mut matrix = vec![0.0; 36];
    (0..6).for_each(|k| matrix[7 * k] = diagonal[k]);
    let mut v_free: Vec<f64> = (0..6).map(|_| down * random.between(-1.0, 1.0)).collect();
    v_free[2] = -down;
    case.blocks.push(Block { mass: matrix, v_free });
    let mu = random.between(0.0, 1.0);
    for (sx, sy) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let arm = [sx * half[0], sy * half[1], -half[2]];
        let row = |d: [f64; 3]| {
            let turn = [
                arm[1] * d[2] - arm[2] * d[1],
                arm[2] * d[0] - arm[0] * d[2],
                arm[0] * d[1] - arm[1] * d[0],
            ];
            vec![(0, d.iter().chain(&turn).copied().collect())]
        };
        case.contacts.push(Contact {
            rows: FLOOR.map(row),
            mu,
            bias: 0.0,
        });
    }
    solved(case)
}

/// Point masses that meet in any direction, some of them held by rows.
fn heap(random: &mut Random) -> Option<Case> {
    let mut case = Case::new("heap");
    let (count, speed) = (1 + random.below(4), random.power(-3.0, 1.0));
    for _ in 0..count {
        let v = random.direction().map(|x| x * speed);
        case.point(random.power(-1.5, 1.5), v);
    }
    for _ in 0..=random.below(5) {
        let a = random.below(count);
        let b = (a + 1 + random.below(count)) % (count + 1);
        let b = if b == a { None } else { Some(b).filter(|b| *b < count) };
        let (frame, mu) = (tilted(random), random.between(0.0, 1.0));
        case.touch((a, b), frame, mu, [0.0; 3]);
        let gap = if random.unit() < 0.3 {
            speed * random.unit()
        } else {
            0.0
        };
        case.contacts.last_mut()?.bias = gap;
    }
    if random.unit() < 0.4 {
        let row = vec![(random.below(count), random.direction().to_vec())];
        case.joints.push(Joint { row, bias: 0.0 });
    }
    solved(case)
}

/// The case with the answer of the library's solver.
fn solved(mut case: Case) -> Option<Case> {
    let problem = case.problem();
    let mut solver = ContactSolver::new(Options::default()).ok()?;
    let solution = solver.solve(&problem).ok()?;
    if solution.status != Status::Solved {
        return None;
    }
    let pairs = solution.normal_impulse.iter().zip(&solution.friction_impulse);
    case.answer.contacts = pairs.map(|(n, f)| [*n, f[0], f[1]]).collect();
    case.answer.joints.clone_from(&solution.joint_impulse);
    Some(case)
}
