//! Problems for unit tests: a peg in a hole, stacks of cubes, and random bodies.

use crate::problem::ContactProblem;
use crate::solver::lemke::basis::mix;

/// A reproducible source of numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// Uniform in −1 .. 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = mix(self.0);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Bell-shaped with unit variance: sum of three uniform numbers.
    pub(crate) fn normal(&mut self) -> f64 {
        self.unit() + self.unit() + self.unit()
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = mix(self.0);
        usize::try_from(self.0 % n as u64).unwrap()
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Tangents of a unit normal.
pub(crate) fn frame(n: [f64; 3]) -> [[f64; 3]; 2] {
    let k = (0..3).min_by(|a, b| n[*a].abs().total_cmp(&n[*b].abs())).unwrap();
    let mut e = [0.0; 3];
    e[k] = 1.0;
    let t = cross(n, e);
    let size = t.iter().map(|x| x * x).sum::<f64>().sqrt();
    let t = t.map(|x| x / size);
    [t, cross(n, t)]
}

/// Row of a direction at arm r from the centre of mass.
fn row(direction: [f64; 3], arm: [f64; 3], sign: f64) -> [f64; 6] {
    let m = cross(arm, direction);
    [direction[0], direction[1], direction[2], m[0], m[1], m[2]].map(|x| sign * x)
}

/// Adds a contact of body a (centre `ca`) against body b or the world.
pub(crate) fn touch(
    problem: &mut ContactProblem,
    a: (usize, [f64; 3]),
    b: Option<(usize, [f64; 3])>,
    point: [f64; 3],
    normal: [f64; 3],
    mu: f64,
) {
    let [t1, t2] = frame(normal);
    let rows = |(_, centre): (usize, [f64; 3]), sign: f64| {
        let arm = [point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]];
        [row(normal, arm, sign), row(t1, arm, sign), row(t2, arm, sign)]
    };
    let ra = rows(a, 1.0);
    let mut parts: Vec<(usize, [&[f64]; 3])> = vec![(a.0, [&ra[0], &ra[1], &ra[2]])];
    let rb = b.map(|b| rows(b, -1.0));
    if let (Some(b), Some([n, x, y])) = (b, &rb) {
        parts.push((b.0, [n, x, y]));
    }
    problem.add_contact(&parts, mu).unwrap();
}

fn body(problem: &mut ContactProblem, mass: f64, inertia: [f64; 3]) -> usize {
    let mut m = [0.0; 36];
    for k in 0..3 {
        m[k * 7] = mass;
        m[(k + 3) * 7] = inertia[k];
    }
    problem.add_block(&m, &[0.0; 6]).unwrap()
}

/// A cylindrical peg in a hole, `n` contacts in two rings, with a random wrench.
pub(crate) fn peg(n: usize, random: &mut Random) -> ContactProblem {
    let mut problem = ContactProblem::new();
    let (r, length) = (0.25, 2.0);
    let side = (3.0 * r * r + length * length) / 12.0;
    body(&mut problem, 1.0, [side, side, r * r / 2.0]);
    for z in [0.5, -0.5] {
        for i in 0..n / 2 {
            let a = std::f64::consts::TAU * i as f64 / (n / 2) as f64;
            let c = [a.cos(), a.sin()];
            let mu = 0.25 + 0.05 * random.unit();
            touch(
                &mut problem,
                (0, [0.0; 3]),
                None,
                [r * c[0], r * c[1], z],
                [-c[0], -c[1], 0.0],
                mu,
            );
        }
    }
    push_randomly(&mut problem, 0, 1.0, random);
    problem
}

/// `m` unit cubes on a floor, each `ratio` times heavier than the one below, four contacts a face; the top one is pushed randomly.
pub(crate) fn stack(m: usize, ratio: f64, random: &mut Random) -> ContactProblem {
    let mut problem = ContactProblem::new();
    let mut mass = 1.0;
    for _ in 0..m {
        body(&mut problem, mass, [mass / 6.0; 3]);
        mass *= ratio;
    }
    for i in 0..m {
        let below = i.checked_sub(1).map(|b| (b, [0.0, 0.0, b as f64 + 0.5]));
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            let mu = 0.25 + 0.05 * random.unit();
            touch(
                &mut problem,
                (i, [0.0, 0.0, i as f64 + 0.5]),
                below,
                [x, y, i as f64],
                [0.0, 0.0, 1.0],
                mu,
            );
        }
    }
    let mut v = vec![0.0; problem.dof()];
    for i in 0..m {
        v[6 * i + 2] = -1.0;
    }
    problem.set_v_free(&v).unwrap();
    push_randomly(&mut problem, m - 1, 0.5, random);
    problem
}

fn push_randomly(problem: &mut ContactProblem, block: usize, size: f64, random: &mut Random) {
    let mut v = problem.v_free().to_vec();
    let mass = problem.mass(block).to_vec();
    for k in 0..6 {
        let size = if k < 3 { size } else { 0.45 * size };
        // As strong on a heavy block as on a light one.
        v[6 * block + k] += size * mass[0] * random.normal() / mass[7 * k];
    }
    problem.set_v_free(&v).unwrap();
}

/// Changes the free velocity by a random fraction.
pub(crate) fn disturb(problem: &mut ContactProblem, fraction: f64, random: &mut Random) {
    let mut v = problem.v_free().to_vec();
    let size = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for x in &mut v {
        *x += fraction * size * random.normal();
    }
    problem.set_v_free(&v).unwrap();
}
