//! Coulomb's law by an interior path: for the islands on which projections keep changing their states.
//!
//! With x = (μθ, f)/w and z = (u_n/μ + |u_t|, u_t), w = 1/δ, Coulomb's law is x ∈ Q, z ∈ Q, xᵀz = 0 for the cone Q = {a ≥ |b|}
//! \[De Saxcé and Feng 1998\]. The path x ∘ z = m e, m → 0, keeps both inside Q, has no states to guess, and ends in the middle of
//! the answers where impulses are not unique: few of them are zero by chance, and the next step can start from them. Newton's step
//! on the path is scaled after \[Nesterov and Todd 1998\], with a predictor and a corrector \[Mehrotra 1992\]; the term |u_t| enters
//! with its derivative. Unknown is the velocity alone, as in the rest of the method:
//!
//! (I + Σ C D′ Cᵀ) dv = rhs, D′ = w S⁻¹ W² (S⁻¹ + e₁τᵀ), S = diag(μ, 1, 1), τ = u_t/|u_t|.
//!
//! Without the term |u_t| the problem is convex and the path leads to its end; with it there is no guarantee. The steps are bounded.

use super::blocks::SIX;
use super::state::{LARGEST, State};

/// Part of the way to the boundary of a cone that a step takes.
const SHARE: f64 = 0.95;
/// The path ends where m is this part of V²: beyond, W² amplifies the rounding of velocities. Beside a start with friction it ends before, where states are as well held; without any
/// friction it leads on.
const END: f64 = 1e-13;
const END_NEAR: [f64; 2] = [1e-11, 1e-16];
/// Joint rows: stiffness in terms of their weight.
const JOINT_RHO: f64 = 1e6;

/// Least part of m that a step aims at, and that of the step after one shorter than [`SHORT`]: back to the middle of the cones.
const AIM: [f64; 2] = [0.1, 0.5];
const SHORT: f64 = 0.2;

/// Shortest step.
const LEAST: f64 = 1e-10;
/// Corner of |u_t|, relative to V and m; on a path beside a start relative to what m leaves to the contact.
const BLUNT: f64 = 0.01;
const BLUNT_NEAR: f64 = 0.1;

type Three = [f64; 3];

/// One contact on the path.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cone {
    /// μ; 0 for contacts whose cone is a half-line.
    mu: f64,
    weight: f64,
    x: Three,
    z: Three,
    dx: Three,
    dz: Three,
    /// What the definition of z lacks: (u_n/μ + |u_t|, u_t) − z.
    r: Three,
    /// |u_t| and τ.
    slip: f64,
    tau: [f64; 2],
    /// η and w̄ of W = η (…); W z = W⁻¹x.
    eta: f64,
    bar: Three,
    lambda: Three,
    /// x after the step, if z does not change.
    base: Three,
    /// Where |u_t| is rounded off.
    blunt: f64,
    /// Whether z leaves out |u_t|.
    is_convex: bool,
}

impl Cone {
    fn new(mu: f64, weight: f64, speed: f64) -> Self {
        let tilt = if mu > 0.0 { mu.min(1.0) } else { 1.0 };
        Self {
            mu,
            weight,
            x: [tilt * speed, 0.0, 0.0],
            z: [speed / tilt, 0.0, 0.0],
            ..Self::default()
        }
    }

    /// How much it pushes, as a velocity.
    pub(super) fn pushes(&self) -> f64 {
        self.x[0]
    }

    /// Impulse w S⁻¹ a.
    fn impulse(&self, a: Three) -> Three {
        if self.mu == 0.0 {
            return [self.weight * a[0], 0.0, 0.0];
        }
        [self.weight * a[0] / self.mu, self.weight * a[1], self.weight * a[2]]
    }

    /// z for the velocity u, and τ; |u_t| is rounded off below `blunt`.
    fn slack(&mut self, u: Three, blunt: f64) -> Three {
        if self.mu == 0.0 {
            return [u[0], 0.0, 0.0];
        }
        let slip = if self.is_convex { 0.0 } else { blunted(u, blunt) };
        self.slip = slip;
        self.tau = if slip > 0.0 {
            [u[1] / slip, u[2] / slip]
        } else {
            [0.0; 2]
        };
        [u[0] / self.mu + slip, u[1], u[2]]
    }

    /// Change of z where the velocity changes by du.
    fn slack_change(&self, du: Three) -> Three {
        if self.mu == 0.0 {
            return [du[0], 0.0, 0.0];
        }
        let slip = self.tau[0] * du[1] + self.tau[1] * du[2];
        [du[0] / self.mu + slip, du[1], du[2]]
    }

    /// Scaling W with W z = W⁻¹x = λ. `false`: x or z has left the cone.
    fn scale(&mut self) -> bool {
        if self.mu == 0.0 {
            self.eta = (self.x[0] / self.z[0]).sqrt();
            self.lambda = [(self.x[0] * self.z[0]).sqrt(), 0.0, 0.0];
            return self.x[0] > 0.0 && self.z[0] > 0.0;
        }
        let (det_x, det_z) = (det(self.x), det(self.z));
        if !(det_x > 0.0 && det_z > 0.0) {
            return false;
        }
        let (root_x, root_z) = (det_x.sqrt(), det_z.sqrt());
        let (a, b) = (self.x.map(|e| e / root_x), self.z.map(|e| e / root_z));
        let gamma = (0.5 * (1.0 + a[0] * b[0] + a[1] * b[1] + a[2] * b[2])).sqrt();
        let half = 0.5 / gamma;
        self.bar = [half * (a[0] + b[0]), half * (a[1] - b[1]), half * (a[2] - b[2])];
        self.eta = (root_x / root_z).sqrt();
        self.lambda = self.times(self.z, 1.0);
        true
    }

    /// W a, or W⁻¹a with `sign` −1.
    fn times(&self, a: Three, sign: f64) -> Three {
        if self.mu == 0.0 {
            return [if sign > 0.0 { self.eta * a[0] } else { a[0] / self.eta }, 0.0, 0.0];
        }
        let w = [self.bar[0], sign * self.bar[1], sign * self.bar[2]];
        let eta = if sign > 0.0 { self.eta } else { 1.0 / self.eta };
        let along = w[1] * a[1] + w[2] * a[2];
        let k = a[0] + along / (1.0 + w[0]);
        [
            eta * (w[0] * a[0] + along),
            eta * (a[1] + k * w[1]),
            eta * (a[2] + k * w[2]),
        ]
    }

    /// W²a with W² = η²(2 w̄w̄ᵀ − J).
    fn square_times(&self, a: Three) -> Three {
        let e = self.eta * self.eta;
        if self.mu == 0.0 {
            return [e * a[0], 0.0, 0.0];
        }
        let w = self.bar;
        let t = 2.0 * (w[0] * a[0] + w[1] * a[1] + w[2] * a[2]);
        [e * (t * w[0] - a[0]), e * (t * w[1] + a[1]), e * (t * w[2] + a[2])]
    }

    /// D′ = w S⁻¹W²(S⁻¹ + e₁τᵀ): change of impulse for a change of velocity, but for its sign.
    fn derivative(&self) -> [Three; 3] {
        let mut D = [[0.0; 3]; 3];
        for c in 0..3 {
            let mut unit = [0.0; 3];
            unit[c] = 1.0;
            let column = self.impulse(self.square_times(self.slack_change(unit)));
            for r in 0..3 {
                D[r][c] = column[r];
            }
        }
        D
    }

    /// Base of the predictor, −x, or of the corrector, −x + W(λ \ (σm e − (W⁻¹dx) ∘ (W dz))).
    fn set_base(&mut self, target: Option<f64>) {
        let mut base = self.x.map(|x| -x);
        if let Some(target) = target {
            let (a, b) = (self.times(self.dx, -1.0), self.times(self.dz, 1.0));
            let product = if self.mu == 0.0 {
                [a[0] * b[0], 0.0, 0.0]
            } else {
                jordan(a, b)
            };
            let right = [target - product[0], -product[1], -product[2]];
            let divided = if self.mu == 0.0 {
                [right[0] / self.lambda[0], 0.0, 0.0]
            } else {
                divide(self.lambda, right)
            };
            let back = self.times(divided, 1.0);
            for k in 0..3 {
                base[k] += back[k];
            }
        }
        self.base = base;
    }

    /// How far both x and z can go before one leaves its cone.
    fn reach(&self) -> f64 {
        if self.mu == 0.0 {
            let one = |s: f64, d: f64| if d < 0.0 { -s / d } else { f64::INFINITY };
            return one(self.x[0], self.dx[0]).min(one(self.z[0], self.dz[0]));
        }
        reach(self.x, self.dx).min(reach(self.z, self.dz))
    }

    fn product_after(&self, a: f64) -> f64 {
        let step = |s: Three, d: Three| [s[0] + a * d[0], s[1] + a * d[1], s[2] + a * d[2]];
        let (x, z) = (step(self.x, self.dx), step(self.z, self.dz));
        x[0] * z[0] + x[1] * z[1] + x[2] * z[2]
    }
}

/// |u_t|, rounded off where it is small.
fn blunted(u: Three, blunt: f64) -> f64 {
    (u[1] * u[1] + u[2] * u[2] + blunt * blunt).sqrt()
}

/// aᵀJa = a₀² − |a₁|², without the cancellation of its squares.
fn det(a: Three) -> f64 {
    let t = (a[1] * a[1] + a[2] * a[2]).sqrt();
    if a[0] > t { (a[0] - t) * (a[0] + t) } else { -1.0 }
}

fn jordan(a: Three, b: Three) -> Three {
    [
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
        a[0] * b[1] + b[0] * a[1],
        a[0] * b[2] + b[0] * a[2],
    ]
}

/// y with λ ∘ y = r.
fn divide(l: Three, r: Three) -> Three {
    let y = (l[0] * r[0] - l[1] * r[1] - l[2] * r[2]) / det(l);
    [y, (r[1] - y * l[1]) / l[0], (r[2] - y * l[2]) / l[0]]
}

/// Largest a with s + a d in Q.
fn reach(s: Three, d: Three) -> f64 {
    let a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
    let b = s[0] * d[0] - s[1] * d[1] - s[2] * d[2];
    let c = det(s);
    let square = b * b - a * c;
    if square < 0.0 {
        return f64::INFINITY;
    }
    let below = square.sqrt() - b;
    if below > 0.0 { c / below } else { f64::INFINITY }
}

/// The points x and z of x ∘ z = m e with x − z = s.
fn on_path(s: Three, m: f64) -> (Three, Three) {
    let t = (s[1] * s[1] + s[2] * s[2]).sqrt();
    let d = if t > 0.0 { [s[1] / t, s[2] / t] } else { [1.0, 0.0] };
    // The root of x(x − l) = m, without cancellation.
    let root = |l: f64| {
        let r = (l * l + 4.0 * m).sqrt();
        if l > 0.0 { 0.5 * (l + r) } else { 2.0 * m / (r - l) }
    };
    let of = |a: f64, b: f64| [0.5 * (a + b), 0.5 * (a - b) * d[0], 0.5 * (a - b) * d[1]];
    (of(root(s[0] + t), root(s[0] - t)), of(root(-s[0] - t), root(t - s[0])))
}

impl State {
    /// Whether every contact has a cone and no joint row yields.
    pub(super) fn has_cones(&self) -> bool {
        let rigid = |j: &super::state::Joint| j.compliance == 0.0 && j.most.is_infinite();
        self.joints.iter().all(rigid)
            && self
                .contacts
                .iter()
                .all(|c| c.drag.is_none() && c.mu.is_finite() && c.corners == 0)
    }

    /// The start of the path: all impulses and velocities along their cones' axes, of the given size in terms of V.
    pub(super) fn start_path(&mut self, speed: f64) {
        let speed = speed * self.scale;
        self.cones.clear();
        self.cones
            .extend(self.contacts.iter().map(|c| Cone::new(c.mu, c.weight, speed)));
        self.joints.iter_mut().for_each(|j| j.p = 0.0);
        self.take_path();
        self.velocity();
        self.path_v.clone_from(&self.v);
        self.path_start = self.path_mean();
        self.path_step = 1.0;
        self.is_path_near = false;
        self.is_path_convex = false;
        self.path_end = END;
    }

    /// The same for the problem without |u_t|, whose friction pushes apart what slips: it is convex, the path leads to its end, and where that is rest the
    /// two problems have the same answers.
    pub(super) fn start_convex_path(&mut self, speed: f64) {
        self.start_path(speed);
        self.is_path_convex = true;
        for cone in &mut self.cones {
            cone.is_convex = true;
        }
    }

    /// A start beside the impulses there are: x − z as it is, on the path whose level is so many times their residual, as a root mean square, and no less than `least` V.
    pub(super) fn start_path_near(&mut self, times: f64, least: f64) {
        let mut sum = 0.0;
        for c in &self.contacts {
            let (r, u) = (c.weight, c.u);
            let x = [c.p[0] - r * u[0], c.p[1] - r * u[1], c.p[2] - r * u[2]];
            let (P, _) = c.project(x, f64::INFINITY);
            let d = [P[0] - c.p[0], P[1] - c.p[1], P[2] - c.p[2]];
            sum += (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (r * r);
        }
        let mean = (sum / self.contacts.len().max(1) as f64).sqrt();
        let level = (times * mean).max(least * self.scale);
        self.cones.clear();
        for c in &self.contacts {
            let mut cone = Cone::new(c.mu, c.weight, self.scale);
            let z = cone.slack(c.u, 0.0);
            let w = c.weight;
            let x = if c.mu == 0.0 {
                [c.p[0] / w, 0.0, 0.0]
            } else {
                [c.mu * c.p[0] / w, c.p[1] / w, c.p[2] / w]
            };
            (cone.x, cone.z) = on_path([x[0] - z[0], x[1] - z[1], x[2] - z[2]], level * level);
            self.cones.push(cone);
        }
        self.path_v.clone_from(&self.v);
        self.path_start = self.scale * self.scale;
        self.path_step = 1.0;
        self.is_path_near = true;
        self.is_path_convex = false;
        self.path_end = END_NEAR[usize::from(self.contacts.iter().all(|c| c.mu == 0.0))];
        self.take_path();
        self.velocity();
    }

    /// Impulses of the path.
    fn take_path(&mut self) {
        for (c, cone) in self.contacts.iter_mut().zip(&self.cones) {
            c.p = cone.impulse(cone.x);
        }
    }

    pub(super) fn path_mean(&self) -> f64 {
        let sum: f64 = self.cones.iter().map(|c| c.product_after(0.0)).sum();
        sum / self.cones.len().max(1) as f64
    }

    /// One step of the path, with the velocity of its impulses before and after; `false`: it ends here.
    pub(super) fn step_path(&mut self) -> bool {
        let mean = self.path_mean();
        let largest = self.cones.iter().fold(0.0, |m: f64, c| m.max(c.x[0]));
        if mean <= self.path_end * self.scale * self.scale || largest > LARGEST * self.scale || mean.is_nan() {
            return false;
        }
        // Impulses carry rounding that W² amplifies. The path has a velocity of its own, and what the impulses lack of it goes into
        // the next step.
        for (r, (v, path)) in self.rhs.iter_mut().zip(self.v.iter().zip(&self.path_v)) {
            for k in 0..SIX {
                r[k] = v[k] - path[k];
            }
        }
        std::mem::swap(&mut self.v, &mut self.path_v);
        self.measure();
        // |u_t| has a corner at rest: it is rounded off as far as the path is from its end.
        let blunt = BLUNT * self.scale * (mean / self.path_start).min(1.0);
        for (c, cone) in self.contacts.iter().zip(&mut self.cones) {
            cone.blunt = if self.is_path_near {
                BLUNT_NEAR * (mean / cone.x[0]).min(self.scale)
            } else {
                blunt
            };
            let z = cone.slack(c.u, cone.blunt);
            cone.r = [z[0] - cone.z[0], z[1] - cone.z[1], z[2] - cone.z[2]];
            if !cone.scale() {
                return false;
            }
        }
        if !self.factor_path() {
            return false;
        }
        self.solve_path(None);
        let a = self.path_reach().min(1.0);
        let after: f64 = self.cones.iter().map(|c| c.product_after(a)).sum::<f64>() / self.cones.len() as f64;
        let share = (after / mean).clamp(0.0, 1.0);
        let least = AIM[usize::from(self.path_step < SHORT)];
        self.solve_path(Some((share * share * share).max(least) * mean));
        let a = (SHARE * self.path_reach()).min(1.0);
        if a <= LEAST || a.is_nan() {
            return false;
        }
        for cone in &mut self.cones {
            for k in 0..3 {
                cone.x[k] += a * cone.dx[k];
                cone.z[k] += a * cone.dz[k];
            }
        }
        for j in &mut self.joints {
            j.p += a * (j.P - j.p);
        }
        self.path_step = a;
        self.take_path();
        for (v, dv) in self.v.iter_mut().zip(&self.step) {
            for k in 0..SIX {
                v[k] += a * dv[k];
            }
        }
        self.measure();
        // |u_t| is convex: it has grown by no less than its derivative said. The rest goes to z, which is farther inside for it, and
        // the definition of z lacks no more than before.
        for (c, cone) in self.contacts.iter().zip(&mut self.cones) {
            if cone.mu > 0.0 && !cone.is_convex {
                let along = cone.tau[0] * (cone.dz[1] - cone.r[1]) + cone.tau[1] * (cone.dz[2] - cone.r[2]);
                cone.z[0] += (blunted(c.u, cone.blunt) - cone.slip - a * along).max(0.0);
            }
        }
        std::mem::swap(&mut self.v, &mut self.path_v);
        self.velocity();
        true
    }

    fn path_reach(&self) -> f64 {
        self.cones.iter().fold(f64::INFINITY, |m, c| m.min(c.reach()))
    }

    fn factor_path(&mut self) -> bool {
        self.steps += 1;
        self.is_factored = false;
        self.lu.reset();
        for (i, cone) in self.cones.iter().enumerate() {
            self.packed.contacts.add_to(i, &cone.derivative(), &mut self.lu);
        }
        for (k, j) in self.joints.iter().enumerate() {
            self.packed.joints.add_to(k, &[[JOINT_RHO * j.weight]], &mut self.lu);
        }
        self.lu.factor()
    }

    /// Predictor, or corrector with its target of m.
    fn solve_path(&mut self, target: Option<f64>) {
        self.step.copy_from_slice(&self.rhs);
        for (i, cone) in self.cones.iter_mut().enumerate() {
            cone.set_base(target);
            let d = cone.square_times(cone.r);
            let (b, p) = (cone.base, cone);
            let push = p.impulse([b[0] - d[0], b[1] - d[1], b[2] - d[2]]);
            self.packed.contacts.push_to(i, push, &mut self.step);
        }
        for (k, j) in self.joints.iter().enumerate() {
            self.packed
                .joints
                .push_to(k, [-JOINT_RHO * j.weight * j.w], &mut self.step);
        }
        self.lu.solve(&mut self.step);
        for (i, cone) in self.cones.iter_mut().enumerate() {
            let dz = cone.slack_change(self.packed.contacts.along(i, &self.step));
            cone.dz = [dz[0] + cone.r[0], dz[1] + cone.r[1], dz[2] + cone.r[2]];
            let d = cone.square_times(cone.dz);
            cone.dx = [cone.base[0] - d[0], cone.base[1] - d[1], cone.base[2] - d[2]];
        }
        for (k, j) in self.joints.iter_mut().enumerate() {
            let [dw] = self.packed.joints.along(k, &self.step);
            j.P = j.p - JOINT_RHO * j.weight * (j.w + dw);
        }
    }
}
