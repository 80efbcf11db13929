//! Round cone by semismooth Newton.

mod blocks;
mod law;
mod packed;

use blocks::{BlockLu, SIX, Vector, dot};
use law::{Law, Mode, derivative_cone, derivative_disc, project_cone, project_disc};
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
    /// 1/δ.
    weight: f64,
    /// Cone law: what is added to the normal velocity, s = μ|u_t|.
    shift: f64,
    p: [f64; 3],
    /// P(x) and DP(x) of the last evaluation.
    P: [f64; 3],
    D: [[f64; 3]; 3],
    mode: Mode,
    best: [f64; 3],
    base: [f64; 3],
    outer: [f64; 3],
    stiff: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Joint {
    bias: f64,
    weight: f64,
    p: f64,
    P: f64,
    best: f64,
    base: f64,
    outer: f64,
}

/// Solver with its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewtonCone {
    packed: Packed,
    lu: BlockLu,
    contacts: Vec<Contact>,
    joints: Vec<Joint>,
    v: Vec<Vector>,
    start: Vec<Vector>,
    /// −F, then the Newton step.
    rhs: Vec<Vector>,
    step: Vec<Vector>,
    scale: f64,
    steps: usize,
    residual: f64,
    pub rho: f64,
    pub verbose: bool,
}

fn env(n: &str, d: f64) -> f64 {
    std::env::var(n).map(|x| x.parse().unwrap()).unwrap_or(d)
}
const TARGET: f64 = 1e-14;
const ACCEPT: f64 = 1e-10;

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
        self.begin(problem, frictionless, theta, friction, joint);
        let law = if env("CONE", 0.0) > 0.0 { Law::Cone } else { Law::Disc };
        let mut rho = env("RHO", 10.0);
        let grow = env("GROW", 10.0);
        let top = env("TOP", 1e4);
        let max_outer = env("OUTER", 30.0) as usize;
        for outer in 0..max_outer {
            let ok = self.inner(rho, law);
            let moved = self.accept(rho, law);
            if self.verbose { println!(" outer {outer} rho {rho:.0e} moved {moved:.2e} {law:?} {:?}", self.modes()); }
            if moved < env("POLISH", 1e-1) && self.polish(rho, moved) { break; }
            rho = if ok { (rho * grow).min(top) } else { (rho * env("SHRINK", 1.0)).max(1.0) };
        }
        for (i, c) in self.contacts.iter().enumerate() {
            theta[i] = c.best[0];
            friction[i] = [c.best[1], c.best[2]];
        }
        for (k, j) in self.joints.iter().enumerate() {
            joint[k] = j.best;
        }
        Outcome { steps: self.steps, residual: self.residual, converged: self.residual <= ACCEPT }
    }

    fn modes(&self) -> [usize; 3] {
        let mut m = [0; 3];
        for c in &self.contacts { m[c.mode as usize] += 1; }
        m
    }

    fn begin(&mut self, problem: &ContactProblem, frictionless: bool, theta: &[f64], friction: &[[f64; 2]], joint: &[f64]) {
        self.scale = 0.0;
        self.steps = 0;
        self.residual = f64::INFINITY;
        self.contacts.clear();
        for i in 0..theta.len() {
            let s = self.packed.contacts.squares(i);
            let rows = if problem.is_planar(i) { 2.0 } else { 3.0 };
            let weight = rows / (s[0] + s[1] + s[2]);
            let bias = problem.bias(i);
            let u = self.packed.contacts.along(i, &self.packed.k_x);
            let u = [u[0] + bias[0], u[1] + bias[1], u[2] + bias[2]];
            self.scale = self.scale.max((u[0] * u[0] + u[1] * u[1] + u[2] * u[2]).sqrt());
            let mu = if frictionless { 0.0 } else { problem.mu(i) };
            self.contacts.push(Contact {
                mu,
                bias,
                weight,
                stiff: weight,
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
            self.joints.push(Joint { bias, weight: if s > 0.0 { 1.0 / s } else { 0.0 }, p: joint[k], ..Joint::default() });
        }
        if self.scale == 0.0 {
            self.scale = 1.0;
        }
        let count = self.packed.k_x.len();
        for buffer in [&mut self.rhs, &mut self.start, &mut self.step] {
            buffer.clear();
            buffer.resize(count, [0.0; SIX]);
        }
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

    /// rhs = −F(v), P and DP·r of all contacts; returns the merit.
    fn evaluate(&mut self, rho: f64, law: Law) -> f64 {
        let mut potential = 0.0;
        for (r, (v, k)) in self.rhs.iter_mut().zip(self.v.iter().zip(&self.packed.k_x)) {
            for a in 0..SIX {
                r[a] = k[a] - v[a];
            }
            potential += dot(r, r);
        }
        for (i, c) in self.contacts.iter_mut().enumerate() {
            let u = self.packed.contacts.along(i, &self.v);
            let r = rho * c.stiff;
            let shift = if law == Law::Cone { c.shift } else { 0.0 };
            let x = [
                c.p[0] - r * (u[0] + c.bias[0] + shift),
                c.p[1] - r * (u[1] + c.bias[1]),
                c.p[2] - r * (u[2] + c.bias[2]),
            ];
            if law == Law::Cone {
                let mu = c.mu.min(MU_CONE);
                (c.P, c.mode) = project_cone(x, mu);
                c.D = derivative_cone(x, mu, c.mode);
                potential += (c.P[0] * c.P[0] + c.P[1] * c.P[1] + c.P[2] * c.P[2]) / r;
            } else {
                (c.P, c.mode) = project_disc(x, c.mu);
                c.D = derivative_disc(x, c.mu, c.mode);
            }
            if c.mode != Mode::Open {
                for row in &mut c.D {
                    for d in row {
                        *d *= r;
                    }
                }
                self.packed.contacts.push_to(i, c.P, &mut self.rhs);
            }
        }
        for (k, j) in self.joints.iter_mut().enumerate() {
            let [w] = self.packed.joints.along(k, &self.v);
            j.P = j.p - rho * j.weight * (w + j.bias);
            potential += j.P * j.P / (rho * j.weight);
            self.packed.joints.push_to(k, [j.P], &mut self.rhs);
        }
        if law == Law::Cone { potential } else { self.rhs.iter().map(|b| dot(b, b)).sum() }
    }

    /// J = I + Σ C D Cᵀ, factored.
    fn factor(&mut self, rho: f64) -> bool {
        self.lu.reset();
        for (i, c) in self.contacts.iter().enumerate() {
            if c.mode != Mode::Open {
                self.packed.contacts.add_to(i, &c.D, &mut self.lu);
            }
        }
        for (k, j) in self.joints.iter().enumerate() {
            self.packed.joints.add_to(k, &[[rho * j.weight]], &mut self.lu);
        }
        self.steps += 1;
        self.lu.factor()
    }

    fn inner(&mut self, rho: f64, law: Law) -> bool {
        let mut merit = self.evaluate(rho, law);
        let mut f = norm(&self.rhs);
        let f0 = f;
        let mut short = 0;
        let memory = env("MEM", 1.0) as usize;
        let mut history = [0.0_f64; 16];
        history[..memory].fill(merit);
        for inner in 0..env("MAXIN", 30.0) as usize {
            if f <= env("INNER", 1e-3) * f0 || f <= (1e-13 + env("FLOOR",1e-15) * rho) * self.scale { return true; }
            if !self.factor(rho) { return false; }
            self.step.copy_from_slice(&self.rhs);
            self.lu.solve(&mut self.step);
            let slope: f64 = self.rhs.iter().zip(&self.step).map(|(a, b)| dot(a, b)).sum();
            let slope = if law == Law::Cone { 2.0 * slope } else { 2.0 * merit };
            self.start.copy_from_slice(&self.v);
            let mut a = 1.0;
            let mut tries = 0;
            loop {
                for (v, (v0, dv)) in self.v.iter_mut().zip(self.start.iter().zip(&self.step)) {
                    for k in 0..SIX { v[k] = v0[k] + a * dv[k]; }
                }
                let trial = self.evaluate(rho, law);
                let reference = history[..memory].iter().fold(0.0_f64, |m, x| m.max(*x));
                let f1 = norm(&self.rhs);
                if trial <= reference - 1e-4 * a * slope || f1 < 0.1 * f || tries == env("TRIES", 8.0) as usize {
                    merit = trial;
                    history[inner % memory] = trial;
                    f = f1;
                    break;
                }
                tries += 1;
                a *= 0.5;
            }
            if a < 0.2 { short += 1; }
            if self.verbose { println!("    {inner} f {:.2e} m {merit:.6e} a {a:.1e} {:?}", f, self.modes()); }
        }
        false
    }

    /// p ← P(x); returns the largest change as a velocity, relative.
    fn accept(&mut self, rho: f64, law: Law) -> f64 {
        let mut moved = 0.0_f64;
        for (i, c) in self.contacts.iter_mut().enumerate() {
            for a in 0..3 {
                moved = moved.max((c.P[a] - c.p[a]).abs() / c.stiff / rho);
            }
            c.p = c.P;
            let size = (c.p[0] * c.p[0] + c.p[1] * c.p[1] + c.p[2] * c.p[2]).sqrt();
            c.stiff = c.weight.max(env("STIFF", 1.0) * size / self.scale);
            if law == Law::Cone {
                let u = self.packed.contacts.along(i, &self.v);
                let t = [u[1] + c.bias[1], u[2] + c.bias[2]];
                let s = if c.mode == Mode::Open { 0.0 } else { c.mu.min(MU_CONE) * (t[0] * t[0] + t[1] * t[1]).sqrt() };
                moved = moved.max((s - c.shift).abs());
                c.shift = s;
            }
        }
        for j in &mut self.joints {
            moved = moved.max((j.P - j.p).abs() / j.weight / rho);
            j.p = j.P;
        }
        moved / self.scale
    }

    /// Newton on impulses and velocity together.
    fn polish(&mut self, rho: f64, moved: f64) -> bool {
        self.start.copy_from_slice(&self.v);
        for c in &mut self.contacts { c.outer = c.p; c.base = c.p; }
        for j in &mut self.joints { j.outer = j.p; j.base = j.p; }
        let reach = env("REACH", 0.01);
        let mut rho = rho.max(reach / moved).min(env("RTOP", 1e6));
        let mut local = f64::INFINITY;
        let mut failures = 0;
        for k in 0..env("MAXPOL", 20.0) as usize {
            self.evaluate(rho, Law::Disc);
            if !self.factor(rho) { break; }
            self.lu.solve(&mut self.rhs);
            self.advance(rho);
            let residual = self.natural();
            if self.verbose { println!("    polish {k} {rho:.0e} {residual:.2e} {:?}", self.modes()); }
            let good = residual < 0.5 * local;
            if residual < local {
                local = residual;
                for c in &mut self.contacts { c.base = c.p; }
                for j in &mut self.joints { j.base = j.p; }
                if residual < self.residual {
                    self.residual = residual;
                    for c in &mut self.contacts { c.best = c.p; }
                    for j in &mut self.joints { j.best = j.p; }
                }
            }
            if residual <= TARGET { return true; }
            if good {
                failures = 0;
                if residual > 1e-7 { rho = rho.max(reach / residual).min(env("RTOP", 1e6)); }
            } else {
                failures += 1;
                if local > 1e-4 || failures == 3 || (local < 1e-12 && failures == 2) { break; }
                rho = if (failures == 1) == (local > 1e-9) { (rho * 30.0).min(1e9) } else { (rho / 1000.0).max(10.0) };
                for c in &mut self.contacts { c.p = c.base; }
                for j in &mut self.joints { j.p = j.base; }
                self.velocity();
            }
        }
        if self.residual <= 1e-11 { return true; }
        for c in &mut self.contacts { c.p = c.outer; }
        for j in &mut self.joints { j.p = j.outer; }
        self.v.copy_from_slice(&self.start);
        false
    }

    /// p += P − p − D Cᵀdv, v = k_x + Σ C p.
    fn advance(&mut self, rho: f64) {
        for (i, c) in self.contacts.iter_mut().enumerate() {
            if c.mode == Mode::Open { c.p = [0.0; 3]; continue; }
            let du = self.packed.contacts.along(i, &self.rhs);
            for a in 0..3 {
                c.p[a] = c.P[a] - (c.D[a][0] * du[0] + c.D[a][1] * du[1] + c.D[a][2] * du[2]);
            }
        }
        for (k, j) in self.joints.iter_mut().enumerate() {
            let [dw] = self.packed.joints.along(k, &self.rhs);
            j.p = j.P - rho * j.weight * dw;
        }
        self.velocity();
    }

    /// Natural map.
    fn natural(&mut self) -> f64 {
        let mut worst = 0.0_f64;
        for (i, c) in self.contacts.iter().enumerate() {
            let u = self.packed.contacts.along(i, &self.v);
            let r = c.weight;
            let x = [
                c.p[0] - r * (u[0] + c.bias[0]),
                c.p[1] - r * (u[1] + c.bias[1]),
                c.p[2] - r * (u[2] + c.bias[2]),
            ];
            let (P, _) = project_disc(x, c.mu);
            for a in 0..3 { worst = worst.max((P[a] - c.p[a]).abs() / r); }
        }
        for (k, j) in self.joints.iter().enumerate() {
            let [w] = self.packed.joints.along(k, &self.v);
            worst = worst.max((w + j.bias).abs());
        }
        worst / self.scale
    }
}

const MU_CONE: f64 = 1e3;

fn norm(x: &[Vector]) -> f64 {
    x.iter().map(|b| dot(b, b)).sum::<f64>().sqrt()
}
