//! Small contact problems with known answers, what can go wrong in an answer, and a judge that has nothing of the library's.
#![allow(clippy::unwrap_used)]

pub(crate) mod judge;
pub(crate) mod problems;
pub(crate) mod wrong;

use stiction_contact::check::{self, Terms};
use stiction_contact::{ContactProblem, Law};

/// Parts of a row: a block and its entries.
pub(crate) type Row = Vec<(usize, Vec<f64>)>;

#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// Row-major.
    pub(crate) mass: Vec<f64>,
    pub(crate) v_free: Vec<f64>,
}

#[derive(Debug, Clone)]
pub(crate) struct Contact {
    /// Normal and tangents.
    pub(crate) rows: [Row; 3],
    pub(crate) mu: f64,
    pub(crate) bias: f64,
}

#[derive(Debug, Clone)]
pub(crate) struct Joint {
    pub(crate) row: Row,
    pub(crate) bias: f64,
}

/// Impulses: normal and friction of each contact, and each joint row's.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) contacts: Vec<[f64; 3]>,
    pub(crate) joints: Vec<f64>,
}

/// A problem with an answer.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) law: Law,
    pub(crate) blocks: Vec<Block>,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) answer: Answer,
}

impl Case {
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            law: Law::Coulomb,
            blocks: Vec::new(),
            contacts: Vec::new(),
            joints: Vec::new(),
            answer: Answer::default(),
        }
    }

    /// A point mass in space.
    pub(crate) fn point(&mut self, mass: f64, v_free: [f64; 3]) -> usize {
        let mut matrix = vec![0.0; 9];
        for k in 0..3 {
            matrix[4 * k] = mass;
        }
        self.blocks.push(Block {
            mass: matrix,
            v_free: v_free.to_vec(),
        });
        self.blocks.len() - 1
    }

    /// A contact of point masses, with its impulse: a above b or the world along the normal.
    pub(crate) fn touch(&mut self, (a, b): (usize, Option<usize>), frame: [[f64; 3]; 3], mu: f64, impulse: [f64; 3]) {
        let row = |axis: [f64; 3]| {
            let mut row = vec![(a, axis.to_vec())];
            row.extend(b.map(|b| (b, axis.iter().map(|x| -x).collect())));
            row
        };
        self.contacts.push(Contact {
            rows: frame.map(row),
            mu,
            bias: 0.0,
        });
        self.answer.contacts.push(impulse);
    }

    /// The problem as the library takes it.
    pub(crate) fn problem(&self) -> ContactProblem {
        let mut problem = ContactProblem::new();
        for block in &self.blocks {
            problem.add_block(&block.mass, &block.v_free).unwrap();
        }
        for contact in &self.contacts {
            let [n, x, y] = &contact.rows;
            let parts: Vec<_> = (0..n.len())
                .map(|k| (n[k].0, [&n[k].1[..], &x[k].1[..], &y[k].1[..]]))
                .collect();
            let i = problem.add_contact(&parts, contact.mu).unwrap();
            problem.set_bias(i, [contact.bias, 0.0, 0.0]).unwrap();
        }
        for joint in &self.joints {
            let parts: Vec<_> = joint.row.iter().map(|(block, row)| (*block, &row[..])).collect();
            problem.add_joint(&parts, joint.bias).unwrap();
        }
        problem
    }

    /// Whether the library takes the answer for solved, and its largest figure.
    pub(crate) fn check(&self, problem: &ContactProblem) -> (bool, f64) {
        let normal: Vec<f64> = self.answer.contacts.iter().map(|p| p[0]).collect();
        let friction: Vec<[f64; 2]> = self.answer.contacts.iter().map(|p| [p[1], p[2]]).collect();
        let terms = Terms {
            law: self.law,
            directions: 8,
            tolerance: 1e-10,
        };
        let answer = check::Answer {
            normal: &normal,
            friction: &friction,
            phi: None,
            joint: &self.answer.joints,
        };
        let verdict = check::check(problem, terms, answer).unwrap();
        (verdict.solved, verdict.residual.worst)
    }

    /// The same problem in other units: velocities and masses times these. Powers of two change no digit.
    pub(crate) fn scaled(mut self, speed: f64, mass: f64) -> Self {
        for block in &mut self.blocks {
            block.v_free.iter_mut().for_each(|v| *v *= speed);
            block.mass.iter_mut().for_each(|m| *m *= mass);
        }
        self.contacts.iter_mut().for_each(|c| c.bias *= speed);
        self.joints.iter_mut().for_each(|j| j.bias *= speed);
        let answer = &mut self.answer;
        let impulses = answer.contacts.iter_mut().flatten().chain(&mut answer.joints);
        impulses.for_each(|p| *p *= speed * mass);
        self
    }
}

/// Numbers of a fixed sequence.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// In 0 .. 1 (splitmix64).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// 10 to a power between these.
    pub(crate) fn power(&mut self, low: f64, high: f64) -> f64 {
        10.0_f64.powf(self.between(low, high))
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(crate) fn below(&mut self, count: usize) -> usize {
        ((self.unit() * count as f64) as usize).min(count - 1)
    }

    pub(crate) fn direction(&mut self) -> [f64; 3] {
        loop {
            let v = [0; 3].map(|_| self.between(-1.0, 1.0));
            let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.1 && length < 1.0 {
                return v.map(|x| x / length);
            }
        }
    }
}
