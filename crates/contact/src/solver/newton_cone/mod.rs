//! Round cone by semismooth Newton.

mod blocks;
mod law;
mod packed;

use blocks::{BlockLu, SIX, Vector};
use law::{Mode, derivative, project};
use packed::Packed;

use crate::problem::ContactProblem;

/// How a refinement ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Outcome {
    /// Newton steps.
    pub(crate) steps: usize,
    /// Largest defect of the natural map, relative to the fastest contact velocity.
    pub(crate) residual: f64,
    /// Whether the residual is small enough for the judge to be asked.
    pub(crate) converged: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Contact {
    mu: f64,
    bias: [f64; 3],
    /// 1/δ of the normal and of the tangents.
    weight: [f64; 2],
    p: [f64; 3],
    g: [f64; 3],
    /// DP · r of the last assembly.
    D: [[f64; 3]; 3],
}

#[derive(Debug, Clone, Copy, Default)]
struct Joint {
    bias: f64,
    weight: f64,
    p: f64,
    g: f64,
}

/// Solver with its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewtonCone {
    packed: Packed,
    lu: BlockLu,
    contacts: Vec<Contact>,
    joints: Vec<Joint>,
    v: Vec<Vector>,
    rhs: Vec<Vector>,
    dv: Vec<Vector>,
    v0: Vec<Vector>,
    scale: f64,
    pub rho: f64,
    pub verbose: bool,
}

impl NewtonCone {
    pub(crate) fn refine(
        &mut self,
        problem: &ContactProblem,
        frictionless: bool,
        theta: &mut [f64],
        friction: &mut [[f64; 2]],
        joint: &mut [f64],
    ) -> Outcome {
        self.packed.load(problem, &mut self.lu);
        self.start(problem, frictionless, theta, friction, joint);
        let env = |n: &str, d: f64| std::env::var(n).map(|x| x.parse().unwrap()).unwrap_or(d);
        let mut rho = env("RHO", 10.0);
        let grow = env("GROW", 10.0);
        let top = env("TOP", 1e4);
        let inner_tol = env("INNER", 1e-2);
        let max_inner = env("MAXIN", 20.0) as usize;
        let mut out = Outcome { steps: 0, residual: f64::INFINITY, converged: false };
        for outer in 0..40 {
            let (residual, modes) = self.assemble(rho);
            out.residual = residual;
            if self.verbose { println!(" outer {outer} rho {rho:.0e} res {residual:.2e} {modes:?}"); }
            if residual <= 1e-13 { break; }
            let mut f = norm(&self.rhs);
            let f0 = f;
            for inner in 0..max_inner {
                if !self.lu.factor() { break; }
                self.lu.solve(&mut self.rhs);
                out.steps += 1;
                // line search
                self.dv.clone_from(&self.rhs);
                self.v0.clone_from(&self.v);
                let mut a = 1.0;
                let mut tries = 0;
                loop {
                    for (v, (v0, dv)) in self.v.iter_mut().zip(self.v0.iter().zip(&self.dv)) {
                        for k in 0..SIX { v[k] = v0[k] + a * dv[k]; }
                    }
                    let trial = self.merit(rho);
                    if trial <= (1.0 - 1e-4 * a) * f || tries == 12 { break; }
                    tries += 1;
                    a *= 0.5;
                }
                let (_, modes) = self.assemble_at(rho);
                f = norm(&self.rhs);
                if self.verbose { println!("    {inner} f {:.2e} a {a:.1e} {modes:?}", f); }
                if f <= inner_tol * f0 || f <= 1e-15 * self.scale { break; }
            }
            self.accept(rho);
            rho = (rho * grow).min(top);
        }
        for (i, c) in self.contacts.iter().enumerate() {
            theta[i] = c.p[0];
            friction[i] = [c.p[1], c.p[2]];
        }
        for (k, j) in self.joints.iter().enumerate() {
            joint[k] = j.p;
        }
        out.converged = out.residual <= 1e-10;
        out
    }

    fn start(&mut self, problem: &ContactProblem, frictionless: bool, theta: &[f64], friction: &[[f64; 2]], joint: &[f64]) {
        self.scale = 0.0;
        self.contacts.clear();
        for i in 0..theta.len() {
            let s = self.packed.contacts.squares(i);
            let planar = problem.is_planar(i);
            let tangents = s[1] + s[2];
            let weight = [1.0 / s[0], if tangents > 0.0 { (if planar { 1.0 } else { 2.0 }) / tangents } else { 0.0 }];
            let bias = problem.bias(i);
            let u = self.packed.contacts.along(i, &self.packed.k_x);
            let u = [u[0] + bias[0], u[1] + bias[1], u[2] + bias[2]];
            self.scale = self.scale.max(u[0].abs()).max((u[1] * u[1] + u[2] * u[2]).sqrt());
            let mu = if frictionless { 0.0 } else { problem.mu(i) };
            self.contacts.push(Contact {
                mu,
                bias,
                weight,
                p: [theta[i], friction[i][0], friction[i][1]],
                ..Contact::default()
            });
        }
        self.joints.clear();
        for k in 0..joint.len() {
            let [s] = self.packed.joints.squares(k);
            let bias = problem.joint_bias(k);
            let [w] = self.packed.joints.along(k, &self.packed.k_x);
            self.scale = self.scale.max((w + bias).abs());
            self.joints.push(Joint { bias, weight: if s > 0.0 { 1.0 / s } else { 0.0 }, p: joint[k], g: 0.0 });
        }
        if self.scale == 0.0 {
            self.scale = 1.0;
        }
        self.rhs.clear();
        self.rhs.resize(self.packed.k_x.len(), [0.0; SIX]);
        self.velocity();
    }

    fn velocity(&mut self) {
        self.v.clear();
        self.v.extend_from_slice(&self.packed.k_x);
        for (i, c) in self.contacts.iter().enumerate() {
            self.packed.contacts.push_to(i, c.p, &mut self.v);
        }
        for (k, j) in self.joints.iter().enumerate() {
            self.packed.joints.push_to(k, [j.p], &mut self.v);
        }
    }

    fn assemble(&mut self, rho: f64) -> (f64, [usize; 3]) {
        let r = self.assemble_at(rho);
        r
    }
    fn accept(&mut self, rho: f64) {
        for (i, c) in self.contacts.iter_mut().enumerate() {
            let u = self.packed.contacts.along(i, &self.v);
            let u = [u[0] + c.bias[0], u[1] + c.bias[1], u[2] + c.bias[2]];
                let r = [rho * c.weight[0], rho * c.weight[1]];
            let (P, _) = project([c.p[0] - r[0] * u[0], c.p[1] - r[1] * u[1], c.p[2] - r[1] * u[2]], c.mu);
            c.p = P;
        }
        for (k, j) in self.joints.iter_mut().enumerate() {
            let [w] = self.packed.joints.along(k, &self.v);
            j.p -= rho * j.weight * (w + j.bias);
        }
    }
    fn merit(&mut self, rho: f64) -> f64 {
        for (r, (v, k)) in self.rhs.iter_mut().zip(self.v.iter().zip(&self.packed.k_x)) {
            for a in 0..SIX { r[a] = k[a] - v[a]; }
        }
        for (i, c) in self.contacts.iter_mut().enumerate() {
            let u = self.packed.contacts.along(i, &self.v);
            let u = [u[0] + c.bias[0], u[1] + c.bias[1], u[2] + c.bias[2]];
                let r = [rho * c.weight[0], rho * c.weight[1]];
            let (P, _) = project([c.p[0] - r[0] * u[0], c.p[1] - r[1] * u[1], c.p[2] - r[1] * u[2]], c.mu);
            self.packed.contacts.push_to(i, P, &mut self.rhs);
        }
        for (k, j) in self.joints.iter_mut().enumerate() {
            let [w] = self.packed.joints.along(k, &self.v);
            let p = j.p - rho * j.weight * (w + j.bias);
            self.packed.joints.push_to(k, [p], &mut self.rhs);
        }
        norm(&self.rhs)
    }
    fn assemble_at(&mut self, rho: f64) -> (f64, [usize; 3]) {
        let mut worst = 0.0_f64;
        self.lu.reset();
        for (r, (v, k)) in self.rhs.iter_mut().zip(self.v.iter().zip(&self.packed.k_x)) {
            for a in 0..SIX { r[a] = k[a] - v[a]; }
        }
        let mut modes = [0; 3];
        for (i, c) in self.contacts.iter_mut().enumerate() {
            let u = self.packed.contacts.along(i, &self.v);
            let u = [u[0] + c.bias[0], u[1] + c.bias[1], u[2] + c.bias[2]];
            let at = |rho: f64| {
                let r = [rho * c.weight[0], rho * c.weight[1]];
                ([c.p[0] - r[0] * u[0], c.p[1] - r[1] * u[1], c.p[2] - r[1] * u[2]], r)
            };
            let (x, _) = at(1.0);
            let (P, _) = project(x, c.mu);
            if c.weight[1] > 0.0 {
                worst = worst.max((P[1] - c.p[1]).abs() / c.weight[1]).max((P[2] - c.p[2]).abs() / c.weight[1]);
            }
            worst = worst.max((P[0] - c.p[0]).abs() / c.weight[0]);
            let (x, r) = at(rho);
            let (P, mode) = project(x, c.mu);
            modes[mode as usize] += 1;
            c.g = [P[0] - c.p[0], P[1] - c.p[1], P[2] - c.p[2]];
            c.D = derivative(x, c.mu, mode, r);
            self.packed.contacts.push_to(i, P, &mut self.rhs);
            if mode != Mode::Open {
                self.packed.contacts.add_to(i, &c.D, &mut self.lu);
            }
        }
        for (k, j) in self.joints.iter_mut().enumerate() {
            let [w] = self.packed.joints.along(k, &self.v);
            let w = w + j.bias;
            worst = worst.max(w.abs());
            let r = rho * j.weight;
            j.g = -r * w;
            self.packed.joints.push_to(k, [j.p + j.g], &mut self.rhs);
            self.packed.joints.add_to(k, &[[r]], &mut self.lu);
        }
        (worst / self.scale, modes)
    }

    /// p += g − DP r Cᵀdv, v = k_x + Σ C p.
    fn advance(&mut self, rho: f64) {
        for (i, c) in self.contacts.iter_mut().enumerate() {
            let du = self.packed.contacts.along(i, &self.rhs);
            for a in 0..3 {
                c.p[a] += c.g[a] - (c.D[a][0] * du[0] + c.D[a][1] * du[1] + c.D[a][2] * du[2]);
            }
        }
        for (k, j) in self.joints.iter_mut().enumerate() {
            let [dw] = self.packed.joints.along(k, &self.rhs);
            j.p += j.g - rho * j.weight * dw;
        }
        self.velocity();
    }
}

fn norm(x: &[Vector]) -> f64 {
    x.iter().map(|b| blocks::dot(b, b)).sum::<f64>().sqrt()
}
