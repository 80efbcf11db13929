//! Impulses, velocity and residual of one problem, and the pieces of a Newton step.

use super::blocks::{BlockLu, SIX, Vector, dot};
use super::interior::Cone;
use super::law::{Mode, derivative, derivative_dynamic, derivative_polygon, project, project_dynamic, project_polygon};
use super::packed::Packed;
use crate::problem::{ContactProblem, sparse_terms};

/// Share of a bias below which the velocity of a joint row is rounding.
const ROUNDED: f64 = 1e-7;
/// Share of the terms of all rows below which their velocities are those of bodies that move alike: of the size of a row the judge excuses as much.
const ALIKE: f64 = 1e-5;
/// Normal velocity below which a contact counts as at rest, relative to V.
pub(crate) const AT_REST: f64 = 1e-9;

/// Share of its own compliance in all that a joint row yields from which on it is taken as it is, without a centre.
const SOFT: f64 = 1e-3;

/// Share of the largest friction from which on a contact counts as sliding by its impulse.
const SLIDES: f64 = 1.0 - 1e-6;

/// Impulses beyond this, in terms of V, grow without end: there is no answer near them, and rounding hides what they leave.
pub(super) const LARGEST: f64 = 1e12;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Contact {
    pub(super) mu: f64,
    /// Friction per normal impulse of a dynamic contact.
    pub(super) drag: Option<[f64; 2]>,
    /// Corners of the polygon that friction is limited by; 0 for the disc.
    pub(super) corners: usize,
    pub(super) bias: [f64; 3],
    /// 1/δ, δ the mean squared length of the contact's columns: the impulse that stops a unit of velocity.
    pub(super) weight: f64,
    /// What ρ multiplies: at least the weight, more where the contact carries more than its own bodies' momentum.
    pub(super) stiffness: f64,
    /// Impulse, the centre of the prox term.
    pub(super) p: [f64; 3],
    /// Velocity u = Cᵀv + b.
    pub(super) u: [f64; 3],
    /// x = p − r u and P(x) of the last evaluation, r DP(x) of the last factor.
    pub(super) x: [f64; 3],
    pub(super) P: [f64; 3],
    pub(super) D: [[f64; 3]; 3],
    /// The same in the factor there is.
    factored: [[f64; 3]; 3],
    pub(super) mode: Mode,
    /// State that is told at a soft stiffness.
    pub(super) told: Mode,
    /// State of which D is the derivative, and that of the last centre.
    pub(super) derived: Mode,
    centred: Mode,
    /// Cᵀd of a step d.
    pub(super) du: [f64; 3],
    /// How the centre moved last, and before.
    drift: [[f64; 3]; 2],
    saved: [[f64; 3]; 5],
}

impl Contact {
    /// The state at stiffness r.
    #[inline]
    pub(super) fn state_at(&self, r: f64) -> Mode {
        let (p, u) = (self.p, self.u);
        self.project([p[0] - r * u[0], p[1] - r * u[1], p[2] - r * u[2]], f64::INFINITY)
            .1
    }

    /// P(x), with μ no larger than `cap`.
    #[inline]
    pub(super) fn project(&self, x: [f64; 3], cap: f64) -> ([f64; 3], Mode) {
        match self.drag {
            Some(drag) => project_dynamic(x, drag),
            None if self.corners > 0 => project_polygon(x, self.mu.min(cap), self.corners),
            None => project(x, self.mu.min(cap)),
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Joint {
    bias: f64,
    /// How large the row is: a velocity over it is one of points.
    unit: f64,
    pub(super) weight: f64,
    stiffness: f64,
    /// Where the row yields: ε and the limit of |λ|.
    pub(super) compliance: f64,
    pub(super) most: f64,
    /// Velocity w = jᵀv + b.
    pub(super) w: f64,
    pub(super) p: f64,
    pub(super) P: f64,
    /// −dP/dw of the last evaluation, and in the factor there is.
    D: f64,
    factored: f64,
    saved: [f64; 5],
}

impl Joint {
    /// The impulse λ = cut(p − r(w + ελ)) and −dλ/dw: p − r w for a row that is firm, cut(−w/ε) for one that is soft enough for its own law.
    #[inline]
    fn project(&self, r: f64) -> (f64, f64) {
        let (x, slope) = if self.compliance * self.weight > SOFT {
            (-self.w / self.compliance, 1.0 / self.compliance)
        } else {
            let soft = 1.0 + r * self.compliance;
            ((self.p - r * self.w) / soft, r / soft)
        };
        if x.abs() <= self.most {
            return (x, slope);
        }
        (self.most.copysign(x), 0.0)
    }

    /// Velocity that is left: |w| of a firm row, by the natural map where the row yields.
    #[inline]
    fn left(&self) -> f64 {
        if self.compliance == 0.0 && self.most == f64::INFINITY {
            return self.w.abs();
        }
        if self.weight == 0.0 {
            return 0.0;
        }
        let cut = (self.p - (self.w + self.compliance * self.p) * self.weight)
            .max(-self.most)
            .min(self.most);
        (self.p - cut).abs() / self.weight
    }
}

/// How a problem's friction is read.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools)] // Each is read by itself.
pub(crate) struct Rules {
    /// Changes μ: to 0 for the frictionless law, to ∞ where a large one is tried as such.
    pub(crate) friction_of: fn(f64) -> f64,
    /// Contacts with slip are dynamic.
    pub(crate) dynamic: bool,
    /// Corners of the polygon that friction is limited by; 0 for the disc.
    pub(crate) corners: usize,
    /// Largest residual that the judge lets pass.
    pub(crate) tolerance: f64,
    /// Polish until rounding stops it: rows that are slow beside the fastest need more digits.
    pub(crate) to_rounding: bool,
    /// Newton steps after which no further way is tried.
    pub(crate) most_steps: usize,
    /// Operations of factorisations after which none is, unless fewer than some steps are made, and those after which none is whatever was made.
    pub(crate) most_operations: u64,
    pub(crate) allowance: u64,
    pub(crate) least_steps: usize,
    /// Whether a budget limits the work: then ways that share loads otherwise than the start did come first.
    pub(crate) is_limited: bool,
    /// Whether a convex problem may be asked for rest.
    pub(crate) seeks_rest: bool,
    /// The judge has refused what the fast phase left.
    pub(crate) insists: bool,
}

/// Where impulses are kept aside.
#[derive(Debug, Clone, Copy)]
pub(super) enum Slot {
    /// Best of all.
    Best,
    /// Best of one polish.
    Base,
    /// Before the polish.
    Outer,
    /// Before a leap, and before the states of the first impulses are tried.
    Centre,
    /// The end of a path.
    Path,
}

/// One problem while it is solved.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) packed: Packed,
    pub(super) lu: BlockLu,
    pub(super) contacts: Vec<Contact>,
    pub(super) joints: Vec<Joint>,
    /// Contacts on the interior path, and the mean of xᵀz at its start.
    pub(super) cones: Vec<Cone>,
    pub(super) path_start: f64,
    /// Velocity of the path, and the length of its last step.
    pub(super) path_v: Vec<Vector>,
    pub(super) path_step: f64,
    /// The path began beside a start.
    pub(super) is_path_near: bool,
    /// Whether the path leaves out |u_t|, so that its end is that of a convex problem.
    pub(super) is_path_convex: bool,
    /// The part of V² at which it ends.
    pub(super) path_end: f64,
    /// Normalised velocity in blocks of six.
    pub(super) v: Vec<Vector>,
    v_saved: Vec<Vector>,
    v_centre: Vec<Vector>,
    /// −F, then overwritten by the Newton step where a polish solves.
    pub(super) rhs: Vec<Vector>,
    pub(super) step: Vec<Vector>,
    /// V, the fastest contact velocity of k_x; the fastest joint where no contact moves.
    pub(super) scale: f64,
    pub(super) steps: usize,
    /// Whether `lu` holds the factor of the Jacobian of this problem for which contacts and joints have `factored`.
    pub(super) is_factored: bool,
}

impl State {
    /// Contacts that are open, and that stick, at the last evaluation.
    pub(super) fn states(&self) -> [usize; 2] {
        [Mode::Open, Mode::Stick].map(|mode| self.contacts.iter().filter(|c| c.mode == mode).count())
    }

    /// Takes in a problem and the impulses to start from.
    pub(super) fn load(
        &mut self,
        problem: &ContactProblem,
        rules: Rules,
        theta: &[f64],
        friction: &[[f64; 2]],
        joint: &[f64],
    ) {
        let is_new = self.packed.load(problem, &mut self.lu);
        self.scale = 0.0;
        // The same of what is open, and that without the gaps.
        let (mut open, mut without_gaps) = (0.0_f64, 0.0_f64);
        self.steps = 0;
        (self.lu.factorisations, self.lu.operations) = (0, 0);
        if is_new {
            self.weigh_contacts(problem);
        }
        self.is_factored = false;
        for (i, c) in self.contacts.iter_mut().enumerate() {
            let along = self.packed.contacts.along(i, &self.packed.k_x);
            let u = add(along, c.bias);
            if problem.comes_apart(i, u[0]) {
                open = open.max(length(u));
                without_gaps = without_gaps.max(length([along[0].abs().min(u[0]), u[1], u[2]]));
            } else {
                self.scale = self.scale.max(length(u));
            }
            *c = Contact {
                mu: (rules.friction_of)(problem.mu(i)),
                drag: if rules.dynamic { problem.drag(i) } else { None },
                // In the plane a polygon is the whole disc.
                corners: if problem.is_planar(i) { 0 } else { rules.corners },
                bias: c.bias,
                weight: c.weight,
                p: [theta[i], friction[i][0], friction[i][1]],
                ..Contact::default()
            };
        }
        self.joints.clear();
        let mut fastest_joint = 0.0_f64;
        for k in 0..problem.joint_count() {
            let [s] = self.packed.joints.squares(k);
            let [w] = self.packed.joints.along(k, &self.packed.k_x);
            let bias = problem.joint_bias(k);
            let (compliance, most) = problem.joint_yield(k);
            // A row with a limit counts by what it can do.
            let speed = (w + bias).abs().min(most * (s + compliance)).max(ROUNDED * bias.abs());
            fastest_joint = fastest_joint.max(speed / problem.joint_unit(k));
            self.joints.push(Joint {
                bias,
                unit: problem.joint_unit(k),
                // A row of zeros takes no impulse.
                weight: if s > 0.0 { 1.0 / (s + compliance) } else { 0.0 },
                compliance,
                most,
                p: joint[k],
                ..Joint::default()
            });
        }
        if open > self.scale {
            // Joints count where gaps would, and so does what may be rounding: all parts of a mechanism may fall alike.
            self.scale = self
                .scale
                .max(open.min(fastest_joint.max(ALIKE * self.largest_terms(problem))));
        }
        if self.scale == 0.0 {
            self.scale = if fastest_joint > 0.0 {
                fastest_joint
            } else {
                without_gaps
            };
        }
        let count = self.packed.k_x.len();
        for buffer in [&mut self.rhs, &mut self.v_saved, &mut self.v_centre, &mut self.step] {
            buffer.clear();
            buffer.resize(count, [0.0; SIX]);
        }
        self.velocity();
    }

    /// What the velocities of joints and of contacts that are not open are summed from without impulses, the largest of all rows.
    fn largest_terms(&self, problem: &ContactProblem) -> f64 {
        let terms = |touches, column| sparse_terms(touches, column, problem.k_x());
        let is_closed = |i: &usize| {
            let (along, bias) = (self.packed.contacts.along(*i, &self.packed.k_x)[0], problem.bias(*i)[0]);
            !problem.comes_apart(*i, along + bias)
        };
        let of_contacts = (0..problem.contact_count()).filter(is_closed).flat_map(|i| {
            let c = problem.columns(i);
            [c.normal, c.tangents[0], c.tangents[1]].map(|column| terms(c.touches, column))
        });
        let of_joints = (0..problem.joint_count()).map(|k| {
            let (touches, column) = problem.joint(k);
            terms(touches, column) / problem.joint_unit(k)
        });
        of_contacts.chain(of_joints).fold(0.0, f64::max)
    }

    /// Bias and weight 1/δ of each contact, δ the mean square of its columns.
    fn weigh_contacts(&mut self, problem: &ContactProblem) {
        self.contacts.clear();
        for i in 0..problem.contact_count() {
            let s = self.packed.contacts.squares(i);
            let rows = if problem.is_planar(i) { 2.0 } else { 3.0 };
            self.contacts.push(Contact {
                bias: problem.bias(i),
                weight: rows / (s[0] + s[1] + s[2]),
                ..Contact::default()
            });
        }
    }

    /// Sets the stiffness to the weights, or all alike to the largest of them.
    pub(super) fn weigh(&mut self, alike: bool) {
        let all = self.contacts.iter().map(|c| c.weight);
        let largest = all.chain(self.joints.iter().map(|j| j.weight)).fold(0.0, f64::max);
        for c in &mut self.contacts {
            c.stiffness = if alike { largest } else { c.weight };
        }
        for j in &mut self.joints {
            j.stiffness = if alike && j.weight > 0.0 { largest } else { j.weight };
        }
    }

    /// All impulses zero.
    pub(super) fn clear(&mut self) {
        self.contacts.iter_mut().for_each(|c| c.p = [0.0; 3]);
        self.joints.iter_mut().for_each(|j| j.p = 0.0);
        self.velocity();
    }

    /// v = k_x + Σ C p + Σ j λ.
    pub(super) fn velocity(&mut self) {
        self.v.clear();
        self.v.extend_from_slice(&self.packed.k_x);
        for (i, c) in self.contacts.iter().enumerate() {
            if c.p != [0.0; 3] {
                self.packed.contacts.push_to(i, c.p, &mut self.v);
            }
        }
        for (k, j) in self.joints.iter().enumerate() {
            self.packed.joints.push_to(k, [j.p], &mut self.v);
        }
        self.measure();
    }

    /// u = Cᵀv + b and w = jᵀv + b.
    pub(super) fn measure(&mut self) {
        for (i, c) in self.contacts.iter_mut().enumerate() {
            c.u = add(self.packed.contacts.along(i, &self.v), c.bias);
        }
        for (k, j) in self.joints.iter_mut().enumerate() {
            let [w] = self.packed.joints.along(k, &self.v);
            j.w = w + j.bias;
        }
    }

    /// −F(v) = k_x + Σ C P(p − r(Cᵀv + b)) + Σ j (λ − r(jᵀv + b)) − v and its length; keeps P and DP.
    pub(super) fn evaluate(&mut self, rho: f64, cap: f64) -> f64 {
        for c in &mut self.contacts {
            let r = rho * c.stiffness;
            c.x = [c.p[0] - r * c.u[0], c.p[1] - r * c.u[1], c.p[2] - r * c.u[2]];
        }
        for j in &mut self.joints {
            (j.P, j.D) = j.project(rho * j.stiffness);
        }
        self.project_x(cap)
    }

    /// P(x), −F and its length for the x there are.
    pub(super) fn project_x(&mut self, cap: f64) -> f64 {
        for c in &mut self.contacts {
            (c.P, c.mode) = c.project(c.x, cap);
        }
        self.set_rhs();
        self.rhs.iter().map(|b| dot(b, b)).sum::<f64>().sqrt()
    }

    /// −F = k_x + Σ C P + Σ j P − v.
    fn set_rhs(&mut self) {
        for (r, (v, k)) in self.rhs.iter_mut().zip(self.v.iter().zip(&self.packed.k_x)) {
            for a in 0..SIX {
                r[a] = k[a] - v[a];
            }
        }
        for (i, c) in self.contacts.iter().enumerate() {
            if c.mode != Mode::Open {
                self.packed.contacts.push_to(i, c.P, &mut self.rhs);
            }
        }
        for (k, j) in self.joints.iter().enumerate() {
            self.packed.joints.push_to(k, [j.P], &mut self.rhs);
        }
    }

    /// Lets contacts at rest stick in the next Jacobian: at x_n = 0 any state is a derivative of P. Bodies that fall alike have
    /// such contacts, and would otherwise wake one layer a step.
    pub(super) fn wake(&mut self, rho: f64) {
        for c in &mut self.contacts {
            if c.mode == Mode::Open && c.x[0].abs() <= AT_REST * rho * c.stiffness * self.scale {
                c.mode = Mode::Stick;
            }
        }
    }

    /// Derivatives r DP of the last evaluation.
    fn derive(&mut self, rho: f64, cap: f64) {
        for c in &mut self.contacts {
            c.D = match (c.mode, c.drag) {
                (Mode::Open, _) => [[0.0; 3]; 3],
                (_, Some(drag)) => derivative_dynamic(drag, rho * c.stiffness),
                (Mode::Slide, None) if c.corners > 0 => {
                    derivative_polygon(c.x, c.mu.min(cap), c.corners, rho * c.stiffness)
                }
                (mode, None) => derivative(c.x, c.mu.min(cap), mode, rho * c.stiffness),
            };
        }
    }

    /// Factors J = I + Σ C (r DP) Cᵀ + Σ j D jᵀ, unless that is what is factored: while nothing slides and no state changes it is the same from step to step.
    pub(super) fn factor(&mut self) -> bool {
        self.steps += 1;
        let is_same = self.contacts.iter().all(|c| c.D == c.factored) && self.joints.iter().all(|j| j.D == j.factored);
        if self.is_factored && is_same {
            return true;
        }
        self.lu.reset();
        for (i, c) in self.contacts.iter_mut().enumerate() {
            c.factored = c.D;
            if c.mode != Mode::Open {
                self.packed.contacts.add_to(i, &c.D, &mut self.lu);
            }
        }
        for (k, j) in self.joints.iter_mut().enumerate() {
            j.factored = j.D;
            if j.D != 0.0 {
                self.packed.joints.add_to(k, &[[j.D]], &mut self.lu);
            }
        }
        self.is_factored = self.lu.factor();
        self.is_factored
    }

    /// p ← P of the last projection, and the velocity of that. Returns whether all states are those of the projection that was taken before.
    pub(super) fn take_projection(&mut self) -> bool {
        let mut same = true;
        for c in &mut self.contacts {
            let d = [c.P[0] - c.p[0], c.P[1] - c.p[1], c.P[2] - c.p[2]];
            c.drift = [d, c.drift[0]];
            c.p = c.P;
            same &= c.mode == c.centred;
            c.centred = c.mode;
        }
        self.velocity();
        same
    }

    /// Finds the Newton step J dv = −F and remembers where it starts. `false`: J is singular.
    pub(super) fn aim(&mut self, rho: f64, cap: f64) -> bool {
        self.derive(rho, cap);
        if !self.factor() {
            return false;
        }
        self.step.copy_from_slice(&self.rhs);
        self.lu.solve(&mut self.step);
        self.v_saved.copy_from_slice(&self.v);
        true
    }

    /// v = start + a dv.
    pub(super) fn go(&mut self, a: f64) {
        for (v, (start, dv)) in self.v.iter_mut().zip(self.v_saved.iter().zip(&self.step)) {
            for k in 0..SIX {
                v[k] = start[k] + a * dv[k];
            }
        }
        self.measure();
    }

    /// p ← P(x), where x is that of the last evaluation, and stiffness after the load. Returns the largest violation that moved
    /// an impulse, relative.
    pub(super) fn accept(&mut self, rho: f64) -> f64 {
        let mut moved = 0.0_f64;
        for c in &mut self.contacts {
            let d = [c.P[0] - c.p[0], c.P[1] - c.p[1], c.P[2] - c.p[2]];
            moved = moved.max(length(d) / (rho * c.stiffness));
            c.drift = [d, c.drift[0]];
            c.p = c.P;
            c.stiffness = c.stiffness.max(length(c.p) / self.scale);
        }
        for j in self.joints.iter_mut().filter(|j| j.weight > 0.0) {
            moved = moved.max((j.P - j.p).abs() / (rho * j.stiffness));
            j.p = j.P;
            j.stiffness = j.stiffness.max(j.p.abs() / self.scale);
        }
        moved / self.scale
    }

    /// Cosine between the last two moves of the centre: near 1 where load is handed over among contacts that are nearly redundant.
    pub(super) fn drift_cosine(&self) -> f64 {
        let mut sums = [0.0; 3];
        for c in &self.contacts {
            let [new, old] = c.drift.map(|d| d.map(|x| x / c.weight));
            for a in 0..3 {
                sums[0] += new[a] * old[a];
                sums[1] += new[a] * new[a];
                sums[2] += old[a] * old[a];
            }
        }
        sums[0] / (sums[1] * sums[2]).sqrt()
    }

    /// How many times as far the centre can go as it moved last before a contact that sticks slides, or one that pushes opens.
    pub(super) fn first_change(&self) -> f64 {
        let pushing = self.contacts.iter().filter(|c| c.p[0] > 0.0);
        pushing.fold(f64::INFINITY, |least, c| {
            let (d, square) = (c.drift[0], c.mu * c.mu);
            let opens = if d[0] < 0.0 { -c.p[0] / d[0] } else { f64::INFINITY };
            if c.mode != Mode::Stick {
                return least.min(opens);
            }
            // |f + t d_t|² = μ²(θ + t d_n)², whose value at t = 0 is negative where the contact sticks.
            let a = d[1] * d[1] + d[2] * d[2] - square * d[0] * d[0];
            let b = c.p[1] * d[1] + c.p[2] * d[2] - square * c.p[0] * d[0];
            let e = c.p[1] * c.p[1] + c.p[2] * c.p[2] - square * c.p[0] * c.p[0];
            let t = -e / (b + (b * b - a * e).sqrt());
            // No root, or one behind: not a number, infinite or negative.
            let slides = if t > 0.0 { t } else { f64::INFINITY };
            least.min(opens).min(slides)
        })
    }

    /// Moves the centre on as it moved last, so many times as far.
    pub(super) fn leap(&mut self, times: f64) {
        for c in &mut self.contacts {
            let d = c.drift[0];
            let x = [c.p[0] + times * d[0], c.p[1] + times * d[1], c.p[2] + times * d[2]];
            c.p = c.project(x, f64::INFINITY).0;
        }
    }

    /// One Newton step on impulses and velocity together: dv from J dv = −F, p ← P(x) − r DP Cᵀdv, v = k_x + Σ C p.
    pub(super) fn advance(&mut self, rho: f64) -> bool {
        self.evaluate(rho, f64::INFINITY);
        self.derive(rho, f64::INFINITY);
        self.take_step()
    }

    /// Whether there is any impulse to begin with.
    pub(super) fn has_impulses(&self) -> bool {
        self.contacts.iter().any(|c| c.p != [0.0; 3]) || self.joints.iter().any(|j| j.p != 0.0)
    }

    /// The same with contacts in the states that their impulses have: P about p itself, P(p − r u) ≈ p − r DP(p) u.
    pub(super) fn step_in_states(&mut self, rho: f64) -> bool {
        for c in &mut self.contacts {
            (_, c.mode) = c.project(c.p, f64::INFINITY);
            c.x = c.p;
            let f = c.p[1].hypot(c.p[2]);
            if c.mode == Mode::Stick && f > 0.0 && f >= SLIDES * c.mu * c.p[0] {
                // Beyond the disc by as much as its slip opposes it: the slip there is, not the stiffness, says how its friction turns.
                c.mode = Mode::Slide;
                let slip = -(c.p[1] * c.u[1] + c.p[2] * c.u[2]) / f;
                let beyond = 1.0 + rho * c.stiffness * slip.max(0.0) / f;
                c.x = [c.p[0], beyond * c.p[1], beyond * c.p[2]];
            }
        }
        self.derive(rho, f64::INFINITY);
        for c in &mut self.contacts {
            for (P, (p, D)) in c.P.iter_mut().zip(c.p.iter().zip(&c.D)) {
                *P = if c.mode == Mode::Open {
                    0.0
                } else {
                    p - (D[0] * c.u[0] + D[1] * c.u[1] + D[2] * c.u[2])
                };
            }
        }
        self.project_joints(rho);
        self.step_to_P()
    }

    /// P and its derivative for joint rows at the stiffness ρ.
    pub(super) fn project_joints(&mut self, rho: f64) {
        for j in &mut self.joints {
            (j.P, j.D) = j.project(rho * j.stiffness);
        }
    }

    /// One Newton step on impulses and velocity for the modes, P and D that contacts and joints have.
    pub(super) fn step_to_P(&mut self) -> bool {
        self.set_rhs();
        self.take_step()
    }

    /// Solves J dv = −F; p ← P − r DP Cᵀdv, v = k_x + Σ C p. `false`: J is singular.
    fn take_step(&mut self) -> bool {
        if !self.factor() {
            return false;
        }
        self.lu.solve(&mut self.rhs);
        for (i, c) in self.contacts.iter_mut().enumerate() {
            c.p = [0.0; 3];
            if c.mode != Mode::Open {
                let du = self.packed.contacts.along(i, &self.rhs);
                for a in 0..3 {
                    c.p[a] = c.P[a] - (c.D[a][0] * du[0] + c.D[a][1] * du[1] + c.D[a][2] * du[2]);
                }
            }
        }
        for (k, j) in self.joints.iter_mut().enumerate() {
            let [dw] = self.packed.joints.along(k, &self.rhs);
            j.p = j.P - j.D * dw;
        }
        self.velocity();
        true
    }

    /// Largest defect δ|P(p − u/δ) − p| of the natural map and largest joint velocity, relative to V. Right where v belongs to p.
    pub(super) fn residual(&self) -> f64 {
        let mut worst = 0.0;
        for c in &self.contacts {
            let (r, u) = (c.weight, c.u);
            if length(c.p) > LARGEST * r * self.scale {
                return f64::INFINITY;
            }
            let (P, _) = c.project([c.p[0] - r * u[0], c.p[1] - r * u[1], c.p[2] - r * u[2]], f64::INFINITY);
            worst = larger(worst, length([P[0] - c.p[0], P[1] - c.p[1], P[2] - c.p[2]]) / r);
        }
        for j in &self.joints {
            worst = larger(worst, j.left() / j.unit);
        }
        worst / self.scale
    }

    /// Rounding of the residual: that of the terms which the velocities of the rows are summed from, relative to V. Overwrites −F.
    pub(super) fn floor(&mut self) -> f64 {
        for (sizes, k) in self.rhs.iter_mut().zip(&self.packed.k_x) {
            *sizes = k.map(f64::abs);
        }
        for (i, c) in self.contacts.iter().enumerate() {
            self.packed.contacts.push_sizes_to(i, c.p, &mut self.rhs);
        }
        for (k, j) in self.joints.iter().enumerate() {
            self.packed.joints.push_sizes_to(k, [j.p], &mut self.rhs);
        }
        let of_contacts = (0..self.contacts.len()).map(|i| length(self.packed.contacts.sizes_along(i, &self.rhs)));
        let of_joints =
            (0..self.joints.len()).map(|k| self.packed.joints.sizes_along(k, &self.rhs)[0] / self.joints[k].unit);
        let largest = of_contacts.chain(of_joints).fold(0.0, f64::max);
        f64::EPSILON * largest / self.scale
    }

    /// Whether impulses take all of the velocity that bodies would have without them.
    pub(super) fn is_at_rest(&self) -> bool {
        let fastest = |list: &[Vector]| list.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
        fastest(&self.v) <= AT_REST * fastest(&self.packed.k_x)
    }

    pub(super) fn save(&mut self, slot: Slot) {
        self.contacts.iter_mut().for_each(|c| c.saved[slot as usize] = c.p);
        self.joints.iter_mut().for_each(|j| j.saved[slot as usize] = j.p);
        if matches!(slot, Slot::Outer) {
            self.v_saved.copy_from_slice(&self.v);
        }
    }

    /// Remembers the velocity of the prox loop.
    pub(super) fn keep_velocity(&mut self) {
        self.v_centre.copy_from_slice(&self.v);
    }

    pub(super) fn take_velocity_back(&mut self) {
        self.v.copy_from_slice(&self.v_centre);
        self.measure();
    }

    /// Takes impulses back; the velocity is theirs, or for [`Slot::Outer`] that of the prox loop.
    pub(super) fn restore(&mut self, slot: Slot) {
        self.contacts.iter_mut().for_each(|c| c.p = c.saved[slot as usize]);
        self.joints.iter_mut().for_each(|j| j.p = j.saved[slot as usize]);
        if matches!(slot, Slot::Outer) {
            self.v.copy_from_slice(&self.v_saved);
            self.measure();
        } else {
            self.velocity();
        }
    }

    /// Writes the best impulses out.
    pub(super) fn unload(&self, theta: &mut [f64], friction: &mut [[f64; 2]], joint: &mut [f64]) {
        for (i, c) in self.contacts.iter().enumerate() {
            let [n, x, y] = c.saved[Slot::Best as usize];
            theta[i] = n;
            friction[i] = [x, y];
        }
        for (k, j) in self.joints.iter().enumerate() {
            joint[k] = j.saved[Slot::Best as usize];
        }
    }
}

#[inline]
fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline]
pub(super) fn length(a: [f64; 3]) -> f64 {
    (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
}

/// The larger of two numbers; not a number wins.
#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}
