//! Restitution: what a compression has pressed together is given back.

use super::Options;
use super::island::IslandSolver;
use crate::check::Residual;
use crate::problem::{ContactProblem, sparse_dot};
use crate::solution::Status;

impl IslandSolver {
    /// Poisson restitution \[Anitescu and Potra\]: the impulse eθ_c of the compression is given back along the normals, and the contact
    /// law holds again for the velocity that this leads to. The normal impulse is θ_c + eθ_c + θ_r. Where friction has raised θ_c, all of eθ_c could
    /// bring more energy than the compression took: then it is the share of it that brings as much. Without negative bias both phases
    /// are solvable. Each phase is judged by itself.
    pub(super) fn restitute(&mut self, problem: &ContactProblem, options: &Options) {
        self.compression.copy_from(&self.best);
        let first = self.found.residual;
        self.returned.clear();
        self.returned.extend_from_slice(self.judge.velocity());
        let (mut normalised, mut given) = (vec![0.0; problem.dof()], vec![0.0; problem.dof()]);
        for (i, theta) in self.compression.normal.iter().enumerate() {
            problem.push(i, [problem.restitution(i) * theta, 0.0, 0.0], &mut normalised);
        }
        problem.denormalise(&normalised, &mut given);
        for (v, dv) in self.returned.iter_mut().zip(&given) {
            *v += dv;
        }
        let share = self.share_given_back(problem);
        if share < 1.0 {
            for (v, c) in self.returned.iter_mut().zip(self.judge.velocity()) {
                *v = c + share * (*v - c);
            }
        }
        let mut second = std::mem::take(&mut self.second);
        second.copy_from(problem);
        let is_finite = second.set_v_free(&self.returned).is_ok();
        if is_finite {
            self.solve_phase(&second, options, None);
        }
        self.second = second;
        if !is_finite {
            self.found.status = Status::Inaccurate;
            self.found.residual = Residual::INFINITE;
            return;
        }
        // The basis of the second phase says nothing about the first of the next step.
        self.found.by_path = false;
        self.found.residual = self.found.residual.worse(first);
        let (best, compression) = (&mut self.best, &self.compression);
        for i in 0..problem.contact_count() {
            best.normal[i] += (1.0 + share * problem.restitution(i)) * compression.normal[i];
            for k in 0..2 {
                best.friction[i][k] += compression.friction[i][k];
            }
        }
        for (x, c) in best.phi.iter_mut().zip(&compression.phi) {
            *x += c;
        }
        for (x, c) in best.joint.iter_mut().zip(&compression.joint) {
            *x += c;
        }
    }

    /// Largest s ≤ 1 with which the impulses s eθ_c, from the velocity v_c to `returned` for s = 1, do no more work than the compression
    /// has taken, both as seen from the ground where that moves: s b + s² a ≤ D with D = −Σ p·(u_free + u_c)/2, b = Σ eθ ν_c and
    /// a = ½ Σ eθ nᵀ(v − v_c).
    fn share_given_back(&self, problem: &ContactProblem) -> f64 {
        let (p, v_c, free) = (&self.compression, self.judge.velocity(), problem.k_x());
        let (mut D, mut a, mut b) = (0.0, 0.0, 0.0);
        for i in 0..problem.contact_count() {
            let (after, bias) = (self.judge.contact_velocity()[i], problem.bias(i));
            let along = problem.along(i, free);
            let impulse = [p.normal[i], p.friction[i][0], p.friction[i][1]];
            for k in 0..3 {
                D -= 0.5 * impulse[k] * (along[k] + bias[k] + after[k]);
            }
            let kick = problem.restitution(i) * p.normal[i];
            if kick > 0.0 {
                let c = problem.columns_tilde(i);
                let gained = sparse_dot(c.touches, c.normal, &self.returned) - sparse_dot(c.touches, c.normal, v_c);
                a += 0.5 * kick * gained;
                b += kick * after[0];
            }
        }
        for k in 0..problem.joint_count() {
            let (touches, column) = problem.joint_tilde(k);
            let before = problem.along_joint(k, free) + problem.joint_bias(k);
            let after = sparse_dot(touches, column, v_c) + problem.joint_bias(k);
            D -= 0.5 * p.joint[k] * (before + after);
        }
        if a + b <= D * (1.0 + 1e-12) || a <= 0.0 {
            return 1.0;
        }
        let D = D.max(0.0);
        ((-b + (b * b + 4.0 * a * D).max(0.0).sqrt()) / (2.0 * a)).clamp(0.0, 1.0)
    }
}
