//! Random friction problems in nine families, as dense LCPs of Lloyd's form.
//!
//! [Lloyd TR] (8): z = (θ, φ, λ), w = (ν, σ, γ),
//!
//! ```text
//!     ⎡ NᵀN  NᵀD  0 ⎤      ⎡ Nᵀk ⎤
//! M = ⎢ DᵀN  DᵀD  E ⎥, q = ⎢ Dᵀk ⎥   with N, D mass-normalised and k the free velocity in the same coordinates.
//!     ⎣  μ   −Eᵀ  0 ⎦      ⎣  0  ⎦
//! ```

use stiction_formats::vector::{cross, dot};
use stiction_lcp::{Class, InputError, Lcp, Matrix};

/// Friction directions per contact.
pub const DIRECTIONS: usize = 8;

/// cos and sin of multiples of 45°, written out so that every machine has the same bits.
const CIRCLE: [(f64, f64); DIRECTIONS] = {
    const H: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [
        (1.0, 0.0),
        (H, H),
        (0.0, 1.0),
        (-H, H),
        (-1.0, 0.0),
        (-H, -H),
        (0.0, -1.0),
        (H, -H),
    ]
};

/// A seeded generator: SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// The same seed gives the same numbers.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The generator of trial `index` of a campaign: neighbours share nothing.
    #[must_use]
    pub(crate) fn of(seed: u64, index: u64) -> Self {
        let mut rng = Self(seed);
        let start = rng.next() ^ index.wrapping_mul(0xd134_2543_de82_ef95);
        let mut rng = Self(start);
        rng.fork()
    }

    /// A generator of its own for the next problem, so that one problem's draws do not move the others.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self(self.next())
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Uniform in [low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.next() >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// Uniform among low, …, high.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        let span = (high - low + 1) as u64;
        low + usize::try_from(self.next() % span).unwrap_or(0)
    }

    /// Sum of twelve uniform numbers less six: near enough to normal, and without transcendental functions.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform(0.0, 1.0)).sum::<f64>() - 6.0
    }

    pub(super) fn vector(&mut self, scale: f64) -> [f64; 3] {
        [self.normal() * scale, self.normal() * scale, self.normal() * scale]
    }
}

/// The families of random problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// A peg touching its hole at 8 to 32 points in two rings.
    Peg,
    /// A block in a corner, 12 contacts.
    Corner,
    /// A block on a face of 3 to 8 points.
    Face,
    /// 1 to 5 stacked blocks.
    Stack,
    /// A body touched at 1 to 16 random points from random sides.
    Random,
    /// A block on four points, each given several times, under gravity alone.
    Duplicates,
    /// A stack whose top block is a million times heavier than the others.
    MassRatio,
    /// A block in a corner with μ = 1e6.
    HighFriction,
    /// A block in a corner with μ = 0.
    NoFriction,
    /// One to four bodies with contacts given twice, almost twice, with gaps, and masses and friction of all sizes.
    Mix,
}

impl Family {
    /// The families of contact problems, in the order of the tables.
    pub const OF_CONTACTS: [Family; 10] = [
        Family::Peg,
        Family::Corner,
        Family::Face,
        Family::Stack,
        Family::Random,
        Family::Duplicates,
        Family::MassRatio,
        Family::HighFriction,
        Family::NoFriction,
        Family::Mix,
    ];

    /// The families of LCPs, in the order of the tables.
    pub const ALL: [Family; 9] = [
        Family::Peg,
        Family::Corner,
        Family::Face,
        Family::Stack,
        Family::Random,
        Family::Duplicates,
        Family::MassRatio,
        Family::HighFriction,
        Family::NoFriction,
    ];

    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Family::Peg => "peg in hole, 8-32 contacts",
            Family::Corner => "block in corner, 12",
            Family::Face => "face, 3-8",
            Family::Stack => "stack, 1-5 blocks",
            Family::Random => "random, 1-16",
            Family::Duplicates => "duplicates, gravity only",
            Family::MassRatio => "stack, mass ratio 1e6",
            Family::HighFriction => "corner, mu = 1e6",
            Family::NoFriction => "corner, mu = 0",
            Family::Mix => "degenerate mixes",
        }
    }

    /// A random problem of the family.
    ///
    /// # Errors
    /// Never for finite data; the signature is that of [`Lcp::new`].
    pub fn problem(self, rng: &mut Rng) -> Result<Lcp, InputError> {
        self.scene(rng).lcp()
    }

    /// The bodies and contacts of a random problem.
    pub(super) fn scene(self, rng: &mut Rng) -> Scene {
        let mut scene = Scene::default();
        match self {
            Family::Peg => scene.peg(rng),
            Family::Corner => scene.corner(rng, None),
            Family::Face => scene.face(rng),
            Family::Stack => scene.stack(rng, 1.0),
            Family::Random => scene.random(rng),
            Family::Duplicates => scene.duplicates(rng),
            Family::MassRatio => scene.stack(rng, 1e6),
            Family::HighFriction => scene.corner(rng, Some(1e6)),
            Family::NoFriction => scene.corner(rng, Some(0.0)),
            Family::Mix => scene.mix(rng),
        }
        scene
    }
}

/// A free body.
#[derive(Debug, Clone)]
pub(super) struct Body {
    pub(super) centre: [f64; 3],
    pub(super) inverse_mass: f64,
    /// Inverse of the inertia about the axes through the centre, which are principal axes in every family here.
    pub(super) inverse_inertia: [f64; 3],
    /// Applied impulse and momentum: linear, angular.
    pub(super) k: [f64; 6],
}

/// A contact of body `a` with body `b` or the fixed world; the normal pushes `a`.
#[derive(Debug, Clone)]
pub(super) struct Contact {
    pub(super) a: usize,
    pub(super) b: Option<usize>,
    pub(super) point: [f64; 3],
    pub(super) normal: [f64; 3],
    pub(super) mu: f64,
    /// Velocity by which the contact may close.
    pub(super) gap: f64,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Scene {
    pub(super) bodies: Vec<Body>,
    pub(super) contacts: Vec<Contact>,
}

impl Scene {
    pub(super) fn block(&mut self, centre: [f64; 3], mass: f64, k: [f64; 6]) -> usize {
        self.bodies.push(Body {
            centre,
            inverse_mass: 1.0 / mass,
            inverse_inertia: [6.0 / mass; 3], // a unit cube: m/6 about each axis
            k,
        });
        self.bodies.len() - 1
    }

    pub(super) fn touch(&mut self, a: usize, b: Option<usize>, point: [f64; 3], normal: [f64; 3], mu: f64) {
        self.contacts.push(Contact {
            a,
            b,
            point,
            normal,
            mu,
            gap: 0.0,
        });
    }

    fn peg(&mut self, rng: &mut Rng) {
        const RADIUS: f64 = 0.25;
        let ring = rng.between(4, 16);
        let k = wrench(rng, 1.0, 0.5, [0.0; 3]);
        let peg = self.block([0.0; 3], 1.0, k);
        // A cylinder of length 2.
        let across = 12.0 / (3.0 * RADIUS * RADIUS + 4.0);
        self.bodies[peg].inverse_inertia = [across, across, 2.0 / (RADIUS * RADIUS)];
        let turn = rng.uniform(0.0, 1.0);
        for height in [0.5, -0.5] {
            for i in 0..ring {
                let (c, s) = on_circle((i as f64 + turn) / ring as f64);
                let mu = rng.uniform(0.2, 0.3);
                self.touch(peg, None, [RADIUS * c, RADIUS * s, height], [-c, -s, 0.0], mu);
            }
        }
    }

    fn corner(&mut self, rng: &mut Rng, mu: Option<f64>) {
        let k = wrench(rng, 1.0, 0.3, [-1.0; 3]);
        let block = self.block([0.0; 3], 1.0, k);
        for axis in 0..3 {
            for (u, v) in SQUARE {
                let (mut point, mut normal) = ([0.0; 3], [0.0; 3]);
                (point[axis], point[(axis + 1) % 3], point[(axis + 2) % 3]) = (-0.5, u, v);
                normal[axis] = 1.0;
                let mu = mu.unwrap_or_else(|| rng.uniform(0.1, 1.0));
                self.touch(block, None, point, normal, mu);
            }
        }
    }

    fn face(&mut self, rng: &mut Rng) {
        let k = wrench(rng, 1.0, 0.3, [0.0, 0.0, -1.5]);
        let block = self.block([0.0; 3], 1.0, k);
        let count = rng.between(3, 8);
        let turn = rng.uniform(0.0, 1.0);
        for i in 0..count {
            let (c, s) = on_circle((i as f64 + turn) / count as f64);
            let mu = rng.uniform(0.1, 1.0);
            self.touch(block, None, [0.5 * c, 0.5 * s, -0.5], [0.0, 0.0, 1.0], mu);
        }
    }

    /// Unit cubes on each other, aligned; the top one has mass `ratio`. Gravity everywhere, a random wrench on the top.
    fn stack(&mut self, rng: &mut Rng, ratio: f64) {
        let count = rng.between(if ratio > 1.0 { 2 } else { 1 }, 5);
        for level in 0..count {
            let top = level + 1 == count;
            let mass = if top { ratio } else { 1.0 };
            let mut k = [0.0, 0.0, -mass, 0.0, 0.0, 0.0];
            if top {
                let push = wrench(rng, 0.5 * mass, 0.2 * mass, [0.0; 3]);
                (0..6).for_each(|i| k[i] += push[i]);
            }
            let block = self.block([0.0, 0.0, level as f64 + 0.5], mass, k);
            for (x, y) in SQUARE {
                let mu = rng.uniform(0.2, 0.8);
                let below = block.checked_sub(1);
                self.touch(block, below, [x, y, level as f64], [0.0, 0.0, 1.0], mu);
            }
        }
    }

    fn random(&mut self, rng: &mut Rng) {
        let k = wrench(rng, 1.0, 0.5, [0.0; 3]);
        let body = self.block([0.0; 3], 1.0, k);
        for _ in 0..rng.between(1, 16) {
            let outward = unit(rng.vector(1.0));
            let mut normal = unit(rng.vector(1.0));
            if dot(normal, outward) > 0.0 {
                normal = normal.map(|v| -v);
            }
            let mu = rng.uniform(0.0, 1.5);
            self.touch(body, None, outward.map(|v| 0.5 * v), normal, mu);
        }
    }

    fn duplicates(&mut self, rng: &mut Rng) {
        let block = self.block([0.0; 3], 1.0, [0.0, 0.0, -1.0, 0.0, 0.0, 0.0]);
        let times = rng.between(1, 4);
        let mu = rng.uniform(0.1, 1.0);
        for (x, y) in SQUARE {
            for _ in 0..times {
                self.touch(block, None, [x, y, -0.5], [0.0, 0.0, 1.0], mu);
            }
        }
    }

    /// The dense LCP of the scene.
    fn lcp(&self) -> Result<Lcp, InputError> {
        self.lcp_with(DIRECTIONS)
    }

    /// The dense LCP with `d` friction directions, a divisor of [`DIRECTIONS`].
    pub(super) fn lcp_with(&self, d: usize) -> Result<Lcp, InputError> {
        let n = self.contacts.len();
        let frames: Vec<[Row; 3]> = self.contacts.iter().map(|c| self.rows(c)).collect();
        let free: Vec<[f64; 3]> = frames
            .iter()
            .map(|f| f.each_ref().map(|row| self.free_velocity(row)))
            .collect();
        let size = n * (2 + d);
        let (mut columns, mut q) = (vec![0.0; size * size], vec![0.0; size]);
        for j in 0..n {
            for i in 0..n {
                let block = self.delassus(&frames[i], &frames[j]);
                for (row, x) in contact_rows(i, n, d) {
                    for (column, y) in contact_rows(j, n, d) {
                        columns[column * size + row] = bilinear(&block, x, y);
                    }
                }
            }
        }
        for i in 0..n {
            for (row, x) in contact_rows(i, n, d) {
                q[row] = x[0] * (free[i][0] + self.contacts[i].gap) + (x[1] * free[i][1] + x[2] * free[i][2]);
            }
            let lambda = n + n * d + i;
            columns[i * size + lambda] = self.contacts[i].mu;
            for phi in n + i * d..n + (i + 1) * d {
                columns[lambda * size + phi] = 1.0; // E
                columns[phi * size + lambda] = -1.0; // −Eᵀ
            }
        }
        symmetrize(&mut columns, size, n + n * d);
        Ok(Lcp::new(Matrix::from_columns(size, columns)?, q)?.with_class(Class::Copositive))
    }

    /// The normal and two tangents of a contact as rows over the velocities of its bodies.
    fn rows(&self, contact: &Contact) -> [Row; 3] {
        let normal = contact.normal;
        let least = (0..3).fold(0, |m, i| if normal[i].abs() < normal[m].abs() { i } else { m });
        let mut axis = [0.0; 3];
        axis[least] = 1.0;
        let first = unit(cross(normal, axis));
        let second = cross(normal, first);
        [normal, first, second].map(|direction| Row {
            a: (contact.a, self.wrench_of(contact.a, contact.point, direction)),
            b: contact
                .b
                .map(|b| (b, self.wrench_of(b, contact.point, direction.map(|v| -v)))),
        })
    }

    fn wrench_of(&self, body: usize, point: [f64; 3], direction: [f64; 3]) -> [f64; 6] {
        let centre = self.bodies[body].centre;
        let arm = [point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]];
        let torque = cross(arm, direction);
        [
            direction[0],
            direction[1],
            direction[2],
            torque[0],
            torque[1],
            torque[2],
        ]
    }

    /// x ᵀ 𝓜⁻¹ y for two wrenches on one body.
    fn product(&self, body: usize, x: &[f64; 6], y: &[f64; 6]) -> f64 {
        let body = &self.bodies[body];
        let linear = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
        let angular: f64 = (0..3).map(|i| x[3 + i] * y[3 + i] * body.inverse_inertia[i]).sum();
        linear * body.inverse_mass + angular
    }

    fn free_velocity(&self, row: &Row) -> f64 {
        row.parts()
            .map(|(body, wrench)| self.product(*body, wrench, &self.bodies[*body].k))
            .sum()
    }

    fn delassus(&self, x: &[Row; 3], y: &[Row; 3]) -> [[f64; 3]; 3] {
        let mut block = [[0.0; 3]; 3];
        for (i, row) in x.iter().enumerate() {
            for (j, column) in y.iter().enumerate() {
                for (body, wrench) in row.parts() {
                    for (other, reaction) in column.parts().filter(|(other, _)| other == body) {
                        block[i][j] += self.product(*other, wrench, reaction);
                    }
                }
            }
        }
        block
    }
}

/// A row of the contact Jacobian: the wrench of a unit impulse on each of its bodies.
struct Row {
    a: (usize, [f64; 6]),
    b: Option<(usize, [f64; 6])>,
}

impl Row {
    fn parts(&self) -> impl Iterator<Item = &(usize, [f64; 6])> {
        std::iter::once(&self.a).chain(self.b.as_ref())
    }
}

const SQUARE: [(f64, f64); 4] = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];

/// The rows ν_i and σ_i· of contact i, each with its direction in (normal, first, second).
fn contact_rows(i: usize, n: usize, d: usize) -> impl Iterator<Item = (usize, [f64; 3])> {
    let friction = CIRCLE.iter().step_by(DIRECTIONS / d).enumerate();
    let friction = friction.map(move |(j, &(c, s))| (n + i * d + j, [0.0, c, s]));
    std::iter::once((i, [1.0, 0.0, 0.0])).chain(friction)
}

fn bilinear(block: &[[f64; 3]; 3], x: [f64; 3], y: [f64; 3]) -> f64 {
    (0..3)
        .map(|i| x[i] * (block[i][0] * y[0] + block[i][1] * y[1] + block[i][2] * y[2]))
        .sum()
}

/// Copies the upper triangle of the first `count` rows to the lower one: rounding must not make a Gram matrix unsymmetric.
fn symmetrize(columns: &mut [f64], size: usize, count: usize) {
    for j in 0..count {
        for i in 0..j {
            columns[i * size + j] = columns[j * size + i];
        }
    }
}

pub(super) fn wrench(rng: &mut Rng, force: f64, torque: f64, bias: [f64; 3]) -> [f64; 6] {
    let (f, t) = (rng.vector(force), rng.vector(torque));
    [f[0] + bias[0], f[1] + bias[1], f[2] + bias[2], t[0], t[1], t[2]]
}

/// cos and sin of a share of the full turn, by the rational parametrization: exact operations only.
fn on_circle(share: f64) -> (f64, f64) {
    let quarter = (share * 4.0).floor();
    let t = share * 4.0 - quarter; // 0 to 1 within the quarter
    let (c, s) = ((1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t));
    match quarter.rem_euclid(4.0) {
        q if q < 1.0 => (c, s),
        q if q < 2.0 => (-s, c),
        q if q < 3.0 => (-c, -s),
        _ => (s, -c),
    }
}

pub(super) fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = dot(v, v).sqrt();
    if length > 0.0 {
        v.map(|x| x / length)
    } else {
        [0.0, 0.0, 1.0]
    }
}
