//! Random contact problems: a few bodies with contacts against each other and the world, many of them redundant.

use stiction_contact::ContactProblem;

/// A reproducible source of numbers (`SplitMix64`).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    /// Uniform in −1 .. 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap()
    }
}

/// What a random problem is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Family {
    /// 3 in the plane, 6 in space.
    pub(crate) dim: usize,
    pub(crate) most_bodies: usize,
    pub(crate) most_contacts: usize,
    pub(crate) most_mu: f64,
    /// Share of the contacts that slip.
    pub(crate) dynamic: f64,
    /// Joint rows, every third of them redundant.
    pub(crate) most_joints: usize,
}

/// Static contacts in the plane.
#[allow(dead_code)] // Not every test needs it.
pub(crate) const PLANE: Family = Family {
    dim: 3,
    most_bodies: 4,
    most_contacts: 40,
    most_mu: 1.0,
    dynamic: 0.0,
    most_joints: 0,
};

/// Static contacts in space.
#[allow(dead_code)] // Not every test needs it.
pub(crate) const SPACE: Family = Family { dim: 6, ..PLANE };

/// Bodies, point and normal of a contact.
type Place = (usize, Option<usize>, Vec<f64>, Vec<f64>);

/// One problem: bodies of mass 0.2 to 5, pushed randomly; each contact is new, or a repetition of an earlier one, or shares its normal.
pub(crate) fn problem(random: &mut Random, family: Family) -> ContactProblem {
    let mut problem = ContactProblem::new();
    let bodies = 1 + random.below(family.most_bodies);
    for _ in 0..bodies {
        let mut mass = vec![0.0; family.dim * family.dim];
        let m = 5.0_f64.powf(random.unit());
        let linear = family.dim - if family.dim == 3 { 1 } else { 3 };
        for k in 0..family.dim {
            mass[k * (family.dim + 1)] = if k < linear { m } else { m * (0.3 + 0.2 * random.unit()) };
        }
        let v: Vec<f64> = (0..family.dim).map(|_| random.unit()).collect();
        problem.add_block(&mass, &v).unwrap();
    }
    let count = 1 + random.below(family.most_contacts);
    let mut made: Vec<Place> = Vec::new();
    for _ in 0..count {
        let kind = random.below(4);
        let (a, b, point, normal) = if kind == 0 && !made.is_empty() {
            made[random.below(made.len())].clone()
        } else if kind == 1 && !made.is_empty() {
            let (a, b, _, normal) = made[random.below(made.len())].clone();
            (a, b, vector(random, family.dim), normal)
        } else {
            let a = random.below(bodies);
            let b = random.below(bodies + 1);
            let b = (b < bodies && b != a).then_some(b);
            (a, b, vector(random, family.dim), unit_vector(random, family.dim))
        };
        let mu = family.most_mu * (0.5 + 0.5 * random.unit());
        add_contact(&mut problem, family.dim, (a, b), &point, &normal, mu);
        made.push((a, b, point, normal));
        if 0.5 + 0.5 * random.unit() < family.dynamic {
            let slip = [random.unit(), if family.dim == 3 { 0.0 } else { random.unit() }];
            problem.set_slip(made.len() - 1, slip).unwrap();
        }
    }
    add_joints(&mut problem, random, family, bodies);
    problem
}

fn add_joints(problem: &mut ContactProblem, random: &mut Random, family: Family, bodies: usize) {
    let mut rows: Vec<(usize, Vec<f64>)> = Vec::new();
    for k in 0..random.below(family.most_joints + 1) {
        let row: (usize, Vec<f64>) = if k % 3 == 2 {
            let (body, row) = rows[random.below(rows.len())].clone();
            (body, row.iter().map(|x| -2.0 * x).collect())
        } else {
            let row = (0..family.dim).map(|_| random.unit()).collect();
            (random.below(bodies), row)
        };
        problem.add_joint(&[(row.0, &row.1)], 0.0).unwrap();
        rows.push(row);
    }
}

fn vector(random: &mut Random, dim: usize) -> Vec<f64> {
    (0..if dim == 3 { 2 } else { 3 }).map(|_| random.unit()).collect()
}

fn unit_vector(random: &mut Random, dim: usize) -> Vec<f64> {
    loop {
        let v = vector(random, dim);
        let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        if size > 0.1 {
            return v.iter().map(|x| x / size).collect();
        }
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Row of a direction at a point; all bodies have their centres near the origin, which is as good as anywhere.
fn row(direction: &[f64], point: &[f64], centre: f64, sign: f64) -> Vec<f64> {
    if let ([dx, dy], [px, py]) = (direction, point) {
        let (rx, ry) = (px - centre, py + centre);
        return [*dx, *dy, rx * dy - ry * dx].map(|x| sign * x).to_vec();
    }
    let arm = [point[0] - centre, point[1] + centre, point[2]];
    let d = [direction[0], direction[1], direction[2]];
    let m = cross(arm, d);
    [d[0], d[1], d[2], m[0], m[1], m[2]].map(|x| sign * x).to_vec()
}

fn add_contact(
    problem: &mut ContactProblem,
    dim: usize,
    (a, b): (usize, Option<usize>),
    point: &[f64],
    normal: &[f64],
    mu: f64,
) {
    let tangents = if dim == 3 {
        [vec![-normal[1], normal[0]], vec![0.0, 0.0]]
    } else {
        stiction_contact::tangents([normal[0], normal[1], normal[2]]).map(|t| t.to_vec())
    };
    let rows = |body: usize, sign: f64| {
        let centre = 0.3 * body as f64;
        [normal, &tangents[0], &tangents[1]].map(|direction| row(direction, point, centre, sign))
    };
    let ra = rows(a, 1.0);
    let mut parts: Vec<(usize, [&[f64]; 3])> = vec![(a, [&ra[0], &ra[1], &ra[2]])];
    let rb = b.map(|b| rows(b, -1.0));
    if let (Some(b), Some([n, x, y])) = (b, &rb) {
        parts.push((b, [n, x, y]));
    }
    problem.add_contact(&parts, mu).unwrap();
}
