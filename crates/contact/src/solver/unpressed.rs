//! What Coulomb's law leaves as μ grows without bound, where no contact may slip and none can hold.
//!
//! A contact may close when it is free and have to be pulled when it is held (Painlevé): no answer without slip exists. For every finite μ Coulomb's
//! law has one, in which such a contact slides; as μ grows its normal impulse goes to zero and its friction f does not. In the limit it
//! touches, ν = 0, with θ = 0 and f opposed to the slip u_t.
//!
//! From an answer for a large μ, as a rule on a polygon, the sets are taken: open, held, sliding without push. Then
//!
//! * held: ν = 0, u_t = 0;
//! * sliding: ν = 0, f × u_t = 0 with θ = 0;
//! * joint rows: jᵀv + b + ελ = 0, or λ at its limit
//!
//! are solved by Newton's method. Rows that depend on others keep their impulse. O(r³) a step for r rows. That it converges is not proven: it starts a few degrees off,
//! and the judge decides.

use crate::problem::ContactProblem;
use crate::solver::eliminate::eliminate;
use crate::solver::{End, Impulses, Outcome, fastest_free};

/// Newton steps; each doubles the digits once it is near.
const STEPS: usize = 40;
/// Rows beyond which it is not tried: the matrix is dense.
const MOST_ROWS: usize = 400;
/// Share of the fastest velocity below which a contact does not slip: what a friction of 10⁶ on a polygon leaves is far below.
const HELD: f64 = 1e-8;
/// Share of the fastest velocity that is left at the end.
const DONE: f64 = 1e-15;
/// Share of the largest entry below which a pivot is rounding.
const DEPENDS: f64 = 1e-11;
/// Share of a joint row's limit from which it is at its limit.
const AT_LIMIT: f64 = 1.0 - 1e-9;

/// What a contact does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Open,
    Held,
    Slides,
}

/// An impulse that is sought, or an equation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    /// Normal (0) or a tangent of a contact.
    Contact(usize, usize),
    /// f × u_t of a contact.
    Cross(usize),
    Joint(usize),
}

/// Newton's method on the sets of an answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unpressed {
    unknowns: Vec<Row>,
    equations: Vec<Row>,
    /// Velocity that each unknown gives at each contact (three each) and joint row, unknown by unknown.
    gives: Vec<f64>,
    A: Vec<f64>,
    b: Vec<f64>,
    x: Vec<f64>,
    columns: Vec<usize>,
    v: Vec<f64>,
}

impl Unpressed {
    /// Improves an answer for a large μ. Whether it converged is for the judge to say.
    pub(crate) fn run(&mut self, problem: &ContactProblem, impulses: &mut Impulses) -> Outcome {
        self.take_sets(problem, impulses);
        let mut outcome = Outcome::new(End::Answered);
        if self.unknowns.len() > MOST_ROWS || self.unknowns.is_empty() {
            return outcome;
        }
        self.find_gives(problem);
        for _ in 0..STEPS {
            self.fill(problem, impulses);
            // A maximum would not see what is no number.
            if self.b.iter().any(|b| !b.is_finite()) {
                outcome.end = End::Limit;
                break;
            }
            let left = self.b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
            if left <= DONE * fastest_free(problem) {
                break;
            }
            self.solve();
            outcome.newton_steps += 1;
            for (row, x) in self.unknowns.iter().zip(&self.x) {
                match *row {
                    Row::Contact(i, 0) => impulses.normal[i] += x,
                    Row::Contact(i, axis) => impulses.friction[i][axis - 1] += x,
                    Row::Joint(k) => impulses.joint[k] += x,
                    Row::Cross(_) => {}
                }
            }
        }
        outcome
    }

    /// v = k_x + Σ C p + Σ j λ.
    fn move_bodies(&mut self, problem: &ContactProblem, impulses: &Impulses) {
        self.v.clear();
        self.v.extend_from_slice(problem.k_x());
        for i in 0..problem.contact_count() {
            let f = impulses.friction[i];
            problem.push(i, [impulses.normal[i], f[0], f[1]], &mut self.v);
        }
        for (k, x) in impulses.joint.iter().enumerate() {
            problem.push_joint(k, *x, &mut self.v);
        }
    }

    fn velocity_at(&self, problem: &ContactProblem, i: usize) -> [f64; 3] {
        let (u, b) = (problem.along(i, &self.v), problem.bias(i));
        [u[0] + b[0], u[1] + b[1], u[2] + b[2]]
    }

    /// Which contacts are open, held and sliding; sliding ones lose what is left of their push.
    fn take_sets(&mut self, problem: &ContactProblem, impulses: &mut Impulses) {
        self.move_bodies(problem, impulses);
        let slow = HELD * fastest_free(problem);
        self.unknowns.clear();
        self.equations.clear();
        for i in 0..problem.contact_count() {
            let [_, ux, uy] = self.velocity_at(problem, i);
            let role = if impulses.normal[i] <= 0.0 && impulses.friction[i] == [0.0; 2] {
                Role::Open
            } else if ux.abs().max(uy.abs()) <= slow {
                Role::Held
            } else {
                Role::Slides
            };
            let axes = if problem.is_planar(i) { 1 } else { 2 };
            let first = match role {
                Role::Open => {
                    impulses.normal[i] = 0.0;
                    continue;
                }
                Role::Held => 0,
                Role::Slides => {
                    impulses.normal[i] = 0.0;
                    1
                }
            };
            self.unknowns.extend((first..=axes).map(|axis| Row::Contact(i, axis)));
            self.equations.push(Row::Contact(i, 0));
            if role == Role::Held {
                self.equations.extend((1..=axes).map(|axis| Row::Contact(i, axis)));
            } else if axes == 2 {
                self.equations.push(Row::Cross(i));
            }
        }
        for k in 0..problem.joint_count() {
            let (_, most) = problem.joint_yield(k);
            if impulses.joint[k].abs() >= AT_LIMIT * most {
                impulses.joint[k] = impulses.joint[k].clamp(-most, most);
                continue;
            }
            self.unknowns.push(Row::Joint(k));
            self.equations.push(Row::Joint(k));
        }
    }

    /// Velocities that a unit of each unknown gives.
    fn find_gives(&mut self, problem: &ContactProblem) {
        self.gives.clear();
        for row in &self.unknowns {
            self.v.fill(0.0);
            match *row {
                Row::Contact(i, axis) => {
                    let mut p = [0.0; 3];
                    p[axis] = 1.0;
                    problem.push(i, p, &mut self.v);
                }
                Row::Joint(k) => problem.push_joint(k, 1.0, &mut self.v),
                Row::Cross(_) => {}
            }
            let v = &self.v;
            self.gives
                .extend((0..problem.contact_count()).flat_map(|i| problem.along(i, v)));
            self.gives
                .extend((0..problem.joint_count()).map(|k| problem.along_joint(k, v)));
        }
    }

    /// The equations and their derivatives.
    fn fill(&mut self, problem: &ContactProblem, impulses: &Impulses) {
        self.move_bodies(problem, impulses);
        let (n, joints) = (problem.contact_count(), problem.joint_count());
        let (rows, stride) = (self.equations.len(), 3 * n + joints);
        self.A.clear();
        self.b.clear();
        for e in 0..rows {
            let equation = self.equations[e];
            let left = match equation {
                Row::Contact(i, axis) => self.velocity_at(problem, i)[axis],
                Row::Joint(k) => {
                    let (compliance, _) = problem.joint_yield(k);
                    problem.along_joint(k, &self.v) + problem.joint_bias(k) + compliance * impulses.joint[k]
                }
                Row::Cross(i) => {
                    let ([_, ux, uy], f) = (self.velocity_at(problem, i), unit(impulses.friction[i]));
                    f[0] * uy - f[1] * ux
                }
            };
            self.b.push(-left);
            for (u, unknown) in self.unknowns.iter().enumerate() {
                let gives = &self.gives[u * stride..(u + 1) * stride];
                let slope = match equation {
                    Row::Contact(i, axis) => gives[3 * i + axis],
                    Row::Joint(k) => {
                        let own = if *unknown == equation {
                            problem.joint_yield(k).0
                        } else {
                            0.0
                        };
                        gives[3 * n + k] + own
                    }
                    Row::Cross(i) => {
                        let f = impulses.friction[i];
                        let size = libm::hypot(f[0], f[1]);
                        let [_, ux, uy] = self.velocity_at(problem, i);
                        let turned = match *unknown {
                            Row::Contact(j, 1) if j == i => uy,
                            Row::Contact(j, 2) if j == i => -ux,
                            _ => 0.0,
                        };
                        (turned + f[0] * gives[3 * i + 2] - f[1] * gives[3 * i + 1]) / size
                    }
                };
                self.A.push(slope);
            }
        }
    }

    /// Solves A x = b; unknowns that depend on others stay.
    fn solve(&mut self) {
        eliminate(&mut self.A, &mut self.b, DEPENDS, &mut self.columns, &mut self.x);
    }
}

fn unit(f: [f64; 2]) -> [f64; 2] {
    let size = libm::hypot(f[0], f[1]);
    [f[0] / size, f[1] / size]
}
