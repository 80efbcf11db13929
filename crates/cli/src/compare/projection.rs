//! Normals without what joints and tangents hold already, as dense columns.

use stiction_contact::{ContactProblem, Touch};

/// Share of a column that must be left for it to count as independent.
const INDEPENDENT: f64 = 1e-8;

/// The problem without friction: normals n'_i, velocity k' and bias.
#[derive(Debug, Clone, Default)]
pub(crate) struct Projection {
    /// One column a contact, as long as the coordinates.
    pub(crate) normals: Vec<f64>,
    pub(crate) k: Vec<f64>,
    pub(crate) bias: Vec<f64>,
    q: Vec<Vec<f64>>,
    /// Row of R of each kept column: products with the q before it, then its length.
    r: Vec<Vec<f64>>,
    /// Joint row, or contact and tangent.
    kept: Vec<(usize, Option<usize>)>,
}

impl Projection {
    pub(crate) fn set(&mut self, problem: &ContactProblem, no_slip: bool) {
        let (m, n) = (problem.dof(), problem.contact_count());
        self.q.clear();
        self.r.clear();
        self.kept.clear();
        for joint in 0..problem.joint_count() {
            let (touches, column) = problem.joint(joint);
            self.keep(dense(m, touches, column), (joint, None));
        }
        if no_slip {
            for contact in 0..n {
                let columns = problem.columns(contact);
                for t in 0..2 {
                    self.keep(dense(m, columns.touches, columns.tangents[t]), (contact, Some(t)));
                }
            }
        }
        self.normals.clear();
        self.bias.clear();
        for contact in 0..n {
            let columns = problem.columns(contact);
            let mut normal = dense(m, columns.touches, columns.normal);
            self.project(&mut normal);
            self.normals.extend(normal);
            self.bias.push(problem.bias(contact)[0]);
        }
        let mut k = problem.k_x().to_vec();
        self.project(&mut k);
        self.k = k;
    }

    fn project(&self, x: &mut [f64]) {
        for _ in 0..2 {
            for q in &self.q {
                let part = dot(q, x);
                for (x, q) in x.iter_mut().zip(q) {
                    *x -= part * q;
                }
            }
        }
    }

    fn keep(&mut self, mut column: Vec<f64>, of: (usize, Option<usize>)) {
        let size = dot(&column, &column).sqrt();
        let mut row = vec![0.0; self.q.len() + 1];
        for _ in 0..2 {
            for (q, r) in self.q.iter().zip(&mut row) {
                let part = dot(q, &column);
                *r += part;
                for (x, q) in column.iter_mut().zip(q) {
                    *x -= part * q;
                }
            }
        }
        let left = dot(&column, &column).sqrt();
        if left <= INDEPENDENT * size {
            return;
        }
        row[self.q.len()] = left;
        for x in &mut column {
            *x /= left;
        }
        self.q.push(column);
        self.r.push(row);
        self.kept.push(of);
    }

    /// Impulses of joints and tangents that keep their rows at zero under these normal impulses.
    pub(crate) fn impulses(
        &self,
        problem: &ContactProblem,
        theta: &[f64],
        friction: &mut [[f64; 2]],
        joint: &mut [f64],
    ) {
        let mut v = problem.k_x().to_vec();
        for (contact, theta) in theta.iter().enumerate() {
            problem.push(contact, [*theta, 0.0, 0.0], &mut v);
        }
        let mut left: Vec<f64> = self.q.iter().map(|q| -dot(q, &v)).collect();
        for k in (0..left.len()).rev() {
            let x = left[k] / self.r[k][k];
            for (left, r) in left[..k].iter_mut().zip(&self.r[k]) {
                *left -= x * r;
            }
            match self.kept[k] {
                (row, None) => joint[row] = x,
                (contact, Some(t)) => friction[contact][t] = x,
            }
        }
    }
}

fn dense(m: usize, touches: &[Touch], column: &[f64]) -> Vec<f64> {
    let mut all = vec![0.0; m];
    for touch in touches {
        all[touch.at..touch.at + touch.len].copy_from_slice(&column[touch.start..touch.start + touch.len]);
    }
    all
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
