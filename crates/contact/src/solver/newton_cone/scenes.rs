//! Scenes of the tests: pegs, stacks, grasps and walls, and deterministic random numbers.

use crate::problem::ContactProblem;

pub(super) type Vec3 = [f64; 3];

/// Deterministic numbers: splitmix64, and Irwin–Hall for the bell curve.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn unit(a: Vec3) -> Vec3 {
    let l = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt();
    a.map(|x| x / l)
}

/// Bodies with diagonal inertia and contacts between them.
#[derive(Default)]
pub(super) struct Scene {
    pub(super) problem: ContactProblem,
    pub(super) com: Vec<Vec3>,
    /// Mass and diagonal inertia; a slider along x has one coordinate.
    pub(super) mass: Vec<[f64; 6]>,
    slider: Vec<bool>,
}

impl Scene {
    pub(super) fn body(&mut self, com: Vec3, mass: f64, inertia: Vec3) -> usize {
        let diagonal = [mass, mass, mass, inertia[0], inertia[1], inertia[2]];
        let mut matrix = [0.0; 36];
        for k in 0..6 {
            matrix[7 * k] = diagonal[k];
        }
        self.problem.add_block(&matrix, &[0.0; 6]).unwrap();
        self.com.push(com);
        self.mass.push(diagonal);
        self.slider.push(false);
        self.com.len() - 1
    }

    pub(super) fn cube(&mut self, com: Vec3, mass: f64) -> usize {
        self.body(com, mass, [mass / 6.0; 3])
    }

    pub(super) fn slider(&mut self, com: Vec3) -> usize {
        self.problem.add_block(&[1.0], &[0.0]).unwrap();
        self.com.push(com);
        self.mass.push([1.0; 6]);
        self.slider.push(true);
        self.com.len() - 1
    }

    pub(super) fn contact(&mut self, a: usize, b: Option<usize>, point: Vec3, normal: Vec3, mu: f64) {
        let n = unit(normal);
        let axis = (0..3).min_by(|i, j| n[*i].abs().total_cmp(&n[*j].abs())).unwrap();
        let mut e = [0.0; 3];
        e[axis] = 1.0;
        let t1 = unit(cross(n, e));
        let t2 = cross(n, t1);
        let mut parts: Vec<(usize, [Vec<f64>; 3])> = Vec::new();
        for (body, sign) in [(Some(a), 1.0), (b, -1.0)] {
            let Some(body) = body else { continue };
            let c = self.com[body];
            let r = [point[0] - c[0], point[1] - c[1], point[2] - c[2]];
            let rows = [n, t1, t2].map(|d| {
                let m = cross(r, d);
                let row = [d[0], d[1], d[2], m[0], m[1], m[2]].map(|x| sign * x);
                if self.slider[body] { vec![row[0]] } else { row.to_vec() }
            });
            parts.push((body, rows));
        }
        let parts: Vec<_> = parts
            .iter()
            .map(|(body, rows)| (*body, [&rows[0][..], &rows[1][..], &rows[2][..]]))
            .collect();
        self.problem.add_contact(&parts, mu).unwrap();
    }

    /// Four corners of a face of the unit square at height z.
    pub(super) fn face(&mut self, a: usize, b: Option<usize>, z: f64, mu: f64) {
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            self.contact(a, b, [x, y, z], [0.0, 0.0, 1.0], mu);
        }
    }

    /// Sets the velocity that an impulse per body gives.
    pub(super) fn push(&mut self, impulse: &[[f64; 6]]) {
        let mut v = Vec::new();
        for (body, k) in impulse.iter().enumerate() {
            let count = if self.slider[body] { 1 } else { 6 };
            v.extend((0..count).map(|c| k[c] / self.mass[body][c]));
        }
        self.problem.set_v_free(&v).unwrap();
    }
}

pub(super) fn peg(n: usize, mu: f64, jitter: f64, random: &mut Random) -> Scene {
    let mut scene = Scene::default();
    scene.body([0.0; 3], 1.0, [0.349, 0.349, 0.031]);
    for z in [0.5, -0.5] {
        for i in 0..n / 2 {
            let a = std::f64::consts::TAU * i as f64 / (n / 2) as f64;
            let (c, s) = (libm::cos(a), libm::sin(a));
            let mut shake = || jitter * random.normal();
            let point = [0.25 * c + shake(), 0.25 * s + shake(), z + shake()];
            let normal = [-c + shake(), -s + shake(), shake()];
            scene.contact(0, None, point, normal, mu);
        }
    }
    scene
}

pub(super) fn stack(m: usize, ratio: f64, mu: f64) -> Scene {
    let mut scene = Scene::default();
    let mut mass = 1.0;
    for i in 0..m {
        scene.cube([0.0, 0.0, i as f64 + 0.5], mass);
        scene.face(i, i.checked_sub(1), i as f64, mu);
        mass *= ratio;
    }
    scene
}

/// Two sliders squeeze two boxes, three contacts in a row with twelve points each.
pub(super) fn grasp(mu: f64) -> Scene {
    let mut scene = Scene::default();
    scene.slider([-1.5, 0.0, 0.0]);
    scene.cube([-0.5, 0.0, 0.0], 1.0);
    scene.cube([0.5, 0.0, 0.0], 1.0);
    scene.slider([1.5, 0.0, 0.0]);
    for i in 0..3_usize {
        for y in 0..3 {
            for z in 0..4 {
                let point = [i as f64 - 1.0, f64::from(y) / 2.0 - 0.5, f64::from(z) / 3.0 - 0.5];
                scene.contact(i + 1, Some(i), point, [1.0, 0.0, 0.0], mu);
            }
        }
    }
    scene
}

/// Running-bond wall of unit bricks, every second row shifted by half a brick and one brick shorter.
pub(super) fn wall(rows: usize, columns: usize, mu: f64) -> Scene {
    let mut scene = Scene::default();
    let mut below: Vec<(Option<usize>, f64)> = Vec::new();
    for row in 0..rows {
        let (count, shift) = (columns - row % 2, 0.5 * (row % 2) as f64);
        let mut bricks = Vec::new();
        for c in 0..count {
            let x = c as f64 + shift;
            let body = scene.body([x, 0.0, 0.5 * row as f64 + 0.25], 1.0, [1.0 / 24.0, 0.104, 0.104]);
            let under = if row == 0 { vec![(None, x)] } else { below.clone() };
            for (other, at) in under {
                let (lo, hi) = (x.max(at) - 0.5, x.min(at) + 0.5);
                if hi > lo + 0.1 {
                    for (px, py) in [(lo, -0.25), (lo, 0.25), (hi, -0.25), (hi, 0.25)] {
                        scene.contact(body, other, [px, py, 0.5 * row as f64], [0.0, 0.0, 1.0], mu);
                    }
                }
            }
            bricks.push((Some(body), x));
        }
        below = bricks;
    }
    scene
}
