//! Newton's method on the sets of an answer, in twice the precision.
//!
//! A pivoting method says which contacts are open, hold and slide, and leaves contacts out that others stand for. With these sets the law is a system
//! of equations:
//!
//! * held: ν = 0, u_t = 0; unknown θ and f;
//! * sliding, round cone: ν = 0, e × u_t = 0 with f = μθe; unknown θ and the angle of e;
//! * sliding, at a corner d of a polygon: ν = 0 with f = μθd; unknown θ;
//! * sliding, on the edge between two corners: ν = 0, (d − e)ᵀu_t = 0 with f = φd + ψe, φ + ψ = μθ; unknown φ and ψ;
//! * joint rows: jᵀv + b = 0.
//!
//! Contacts that repeat each other but for ε make pivots of size ε²: in doubles they are lost from ε = 10⁻⁸ on, here from
//! 10⁻¹¹ on, where what they ask is the same but for the judge's tolerance. What is left of an equation is computed from the data as given
//! ([`WideMass`]), so that the rounding of mass-normalised columns costs steps and no digits. Rows that depend on others keep their impulse. O(r³) a step for r rows.
//! There is no guarantee: the sets may be those of no answer, and the judge decides.

use stiction_lcp::real::{DoubleDouble, Real};

use crate::check::Terms;
use crate::cone::{Circle, finite_mu, neighbours};
use crate::problem::{ContactProblem, Touch};
use crate::solution::Law;
use crate::solver::eliminate::eliminate;
use crate::solver::wide_mass::WideMass;
use crate::solver::{Impulses, fastest_free};

/// Newton steps from sets that are near those of an answer; each doubles the digits once it is near.
pub(crate) const STEPS: usize = 30;
/// Rows beyond which it is not tried: the matrix is dense.
const MOST_ROWS: usize = 120;
/// Work on one problem, all runs together \[products in double-double\]: a second or two.
const MOST_WORK: u64 = 30_000_000;
/// Entries of a row: three columns of two spatial bodies.
const COLUMN: u64 = 36;
/// Share of the largest pivot below which a row depends on others.
const DEPENDS: f64 = 1e-22;
/// Ways to read the sets.
pub(crate) const READINGS: usize = 3;
/// Share of the limit μθ from which friction is at its limit.
const AT_LIMIT: f64 = 1.0 - 1e-9;
/// Slip, in terms of the fastest velocity, from which a contact slides at the limit, and from which it does wherever the friction is.
/// Contacts of a heavy body that light ones hold, or of huge friction, slip by less than others' rounding: more than one reading is tried.
const SLIPS: [[f64; 2]; READINGS] = [[1e-13, 1e-8], [0.0, 1e-8], [0.0, 1e-10]];
/// Largest turn of a friction in one step [rad].
const TURN: f64 = 0.5;
/// Share of the fastest velocity that may be left.
const DONE: f64 = 1e-17;
/// Steps that do not halve what is left until it is given up: below the share of the fastest velocity that follows, and above.
const STALLS: [usize; 2] = [2, 3];
const STALLED: f64 = 1e-8;
/// [`DEPENDS`] for elimination in doubles, and how many times as fast that is.
const DEPENDS_NARROW: f64 = 1e-12;
const NARROW: u64 = 16;

/// What the impulse of a contact can be.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Role {
    Held,
    /// Along a direction that turns.
    Round([f64; 2]),
    /// Along a direction that stays.
    Corner([f64; 2]),
    /// Between two corners.
    Edge([f64; 2], [f64; 2]),
}

/// What a step changes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Unknown {
    /// Normal impulse and friction, by the change of them.
    Along(usize, [f64; 3]),
    /// Turn of the friction.
    Turn(usize),
    Joint(usize),
}

/// An equation: a velocity that shall be zero.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Row {
    Contact(usize, [f64; 3]),
    Joint(usize),
}

/// The method and its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settle {
    roles: Vec<(usize, Role)>,
    unknowns: Vec<Unknown>,
    equations: Vec<Row>,
    A: Vec<DoubleDouble>,
    b: Vec<DoubleDouble>,
    A_narrow: Vec<f64>,
    b_narrow: Vec<f64>,
    change_narrow: Vec<f64>,
    x: Vec<f64>,
    columns: Vec<usize>,
    motion: WideMass,
    /// The solution in twice the digits, and the velocities that one unknown gives.
    wide: Vec<DoubleDouble>,
    change: Vec<DoubleDouble>,
    before: Vec<(usize, Role)>,
    circle: Circle,
    /// Work since a problem was begun.
    work: u64,
    /// Work that it may reach, where that is less than [`MOST_WORK`].
    limit: Option<u64>,
    /// Equations are eliminated in twice the precision only where doubles leave less than this share of the fastest velocity.
    wide_below: Option<f64>,
}

type Wide = DoubleDouble;

impl Settle {
    /// A new problem: what an earlier one cost does not matter.
    pub(crate) fn begin(&mut self) {
        (self.work, self.limit) = (0, None);
        self.wide_below = None;
    }

    /// Sets how near the equations must be to zero in doubles before they are worth twice the precision.
    pub(crate) fn set_wide_below(&mut self, share: f64) {
        self.wide_below = Some(share);
    }

    /// Sets how much more work may be done, if that is less than it may do anyway.
    pub(crate) fn set_left(&mut self, left: u64) {
        self.limit = Some(MOST_WORK.min(self.work.saturating_add(left)));
    }

    /// Operations in double-double since then.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// Reads the sets of impulses that are right for a law or near it. Returns whether they are others than those read before.
    pub(crate) fn read(
        &mut self,
        problem: &ContactProblem,
        terms: Terms,
        reading: usize,
        impulses: &mut Impulses,
    ) -> bool {
        self.before.clone_from(&self.roles);
        self.take_roles(problem, terms, SLIPS[reading], impulses);
        let is_new = reading == 0 || self.roles != self.before;
        self.before.reserve(self.roles.len().saturating_sub(self.before.len()));
        is_new
    }

    /// Improves the impulses whose sets were read, in so many steps at most. Returns those that were made; none where there are too many rows, or the
    /// problem has cost too much already.
    ///
    /// Equations are eliminated in doubles while that helps, and in twice the precision after that; what is left of them is always computed in
    /// twice the precision.
    pub(crate) fn run(&mut self, problem: &ContactProblem, most: usize, impulses: &mut Impulses) -> usize {
        let fastest = fastest_free(problem);
        let (mut steps, mut least, mut stalls) = (0, f64::INFINITY, 0);
        let mut is_wide = false;
        while steps < most {
            self.set(problem);
            if self.unknowns.len() > MOST_ROWS || self.work > self.limit.unwrap_or(MOST_WORK) {
                break;
            }
            self.count_work(problem.dof() as u64, is_wide);
            self.fill_left(problem, impulses);
            let left = self.b.iter().fold(0.0_f64, |m, b| m.max(b.to_f64().abs()));
            if self.b.iter().any(|b| !b.to_f64().is_finite()) || left <= DONE * fastest {
                break;
            }
            stalls = if left > 0.5 * least { stalls + 1 } else { 0 };
            least = least.min(left);
            // Impulses are doubles: what their rounding leaves no step takes away.
            let patience = if least < STALLED * fastest {
                STALLS[0]
            } else {
                STALLS[1]
            };
            if stalls >= patience {
                if is_wide || self.wide_below.is_some_and(|share| least > share * fastest) {
                    break;
                }
                (is_wide, stalls) = (true, 0);
            }
            self.solve(problem, impulses, is_wide);
            if self.x.iter().any(|x| !x.is_finite()) {
                break;
            }
            self.advance(problem, impulses);
            steps += 1;
        }
        steps
    }

    /// Elimination, a column's entries for each entry of the matrix, and a motion for each column.
    fn count_work(&mut self, dof: u64, is_wide: bool) {
        let rows = self.unknowns.len() as u64;
        let work = rows * (rows * (rows + COLUMN.min(dof)) + dof);
        self.work += if is_wide { work } else { work / NARROW };
    }

    /// What each contact does that pushes.
    fn take_roles(&mut self, problem: &ContactProblem, terms: Terms, slips: [f64; 2], impulses: &mut Impulses) {
        let directions = (terms.law == Law::Polyhedral).then_some(terms.directions);
        let fastest = fastest_free(problem);
        self.motion.set(problem, impulses);
        self.roles.clear();
        let mut circle = std::mem::take(&mut self.circle);
        circle.set(directions.unwrap_or(3));
        for i in 0..problem.contact_count() {
            let (theta, f, mu) = (impulses.normal[i], impulses.friction[i], finite_mu(problem.mu(i)));
            if theta <= 0.0 {
                (impulses.normal[i], impulses.friction[i]) = (0.0, [0.0; 2]);
                continue;
            }
            let u = self.motion.velocity_at(problem, i).map(Real::to_f64);
            let slip = libm::hypot(u[1], u[2]);
            let size = libm::hypot(f[0], f[1]);
            if mu == 0.0 || terms.law == Law::Frictionless {
                self.roles.push((i, Role::Corner([0.0; 2])));
                continue;
            }
            let planar = problem.is_planar(i);
            let corners = directions
                .filter(|_| !planar)
                .map(|count| neighbours(count, |j| circle.direction(j), f).map(|(j, phi)| (circle.direction(j), phi)));
            let sum = corners.map_or(size, |c| c[0].1 + c[1].1);
            // Friction on an edge is at the limit of the polygon and within that of the cone: the slip tells.
            let limited = sum >= AT_LIMIT * mu * theta || directions.is_none() && slip > slips[1] * fastest;
            let role = if !limited || slip <= slips[0] * fastest {
                Role::Held
            } else if planar {
                Role::Corner([f[0].signum(), 0.0])
            } else if let Some([(d, first), (e, second)]) = corners {
                if second <= (1.0 - AT_LIMIT) * first {
                    Role::Corner(d)
                } else {
                    Role::Edge(d, e)
                }
            } else {
                // Where turning the friction turns the slip the other way, the answer lies between them.
                Role::Round(between(f, [-u[1], -u[2]]))
            };
            self.roles.push((i, role));
        }
        self.circle = circle;
    }

    /// Unknowns and equations of the roles.
    fn set(&mut self, problem: &ContactProblem) {
        self.unknowns.clear();
        self.equations.clear();
        for &(i, role) in &self.roles {
            // An impulse of about one, whatever the friction.
            let mu = finite_mu(problem.mu(i));
            let share = 1.0 / mu.max(1.0);
            let along = |d: [f64; 2]| Unknown::Along(i, [share, share * mu * d[0], share * mu * d[1]]);
            self.equations.push(Row::Contact(i, [1.0, 0.0, 0.0]));
            match role {
                Role::Held => {
                    let axes: &[[f64; 3]] = &[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
                    let axes = &axes[..if problem.is_planar(i) { 1 } else { 2 }];
                    self.unknowns.push(Unknown::Along(i, [1.0, 0.0, 0.0]));
                    for axis in axes {
                        self.unknowns.push(Unknown::Along(i, *axis));
                        self.equations.push(Row::Contact(i, *axis));
                    }
                }
                Role::Round(e) => {
                    self.unknowns.push(along(e));
                    self.unknowns.push(Unknown::Turn(i));
                    self.equations.push(Row::Contact(i, [0.0, -e[1], e[0]]));
                }
                Role::Corner(d) => self.unknowns.push(along(d)),
                Role::Edge(d, e) => {
                    self.unknowns.push(along(d));
                    self.unknowns.push(along(e));
                    self.equations.push(Row::Contact(i, [0.0, d[0] - e[0], d[1] - e[1]]));
                }
            }
        }
        for k in 0..problem.joint_count() {
            self.unknowns.push(Unknown::Joint(k));
            self.equations.push(Row::Joint(k));
        }
    }

    /// What is left of the equations.
    fn fill_left(&mut self, problem: &ContactProblem, impulses: &Impulses) {
        self.motion.set(problem, impulses);
        self.b.clear();
        for row in &self.equations {
            let left = match *row {
                Row::Contact(i, weights) => combine(weights, self.motion.velocity_at(problem, i)),
                Row::Joint(k) => self.motion.joint_velocity(problem, k),
            };
            self.b.push(-left);
        }
    }

    /// Derivatives of the equations by the unknowns; `change` is scratch.
    fn fill_slopes<T: Real>(
        &self,
        problem: &ContactProblem,
        impulses: &Impulses,
        (A, change): (&mut Vec<T>, &mut Vec<T>),
    ) {
        let (rows, count) = (self.equations.len(), self.unknowns.len());
        A.clear();
        A.resize(rows * count, T::ZERO);
        change.clear();
        change.resize(problem.dof(), T::ZERO);
        for (u, unknown) in self.unknowns.iter().enumerate() {
            change.fill(T::ZERO);
            let mut own = None;
            match *unknown {
                Unknown::Along(i, p) => push(problem, i, p, change),
                Unknown::Joint(k) => push_joint(problem, k, 1.0, change),
                Unknown::Turn(i) => {
                    let e = self.direction(i);
                    push(problem, i, [0.0, -e[1], e[0]], change);
                    // The equation turns with the friction: d(e⊥ᵀu_t) = −eᵀu_t for a radian, and a unit is 1/μθ of it.
                    let [_, ux, uy] = self.motion.velocity_at(problem, i).map(Real::to_f64);
                    let radius = finite_mu(problem.mu(i)) * impulses.normal[i];
                    own = Some((i, -(e[0] * ux + e[1] * uy) / radius));
                }
            }
            for (r, row) in self.equations.iter().enumerate() {
                let mut slope = match *row {
                    Row::Contact(i, weights) => along_row(problem, i, weights, change),
                    Row::Joint(k) => along_joint(problem, k, change),
                };
                if let (Row::Contact(i, [n, ..]), Some((j, turn))) = (row, own)
                    && *i == j
                    && *n == 0.0
                {
                    slope += T::from_f64(turn);
                }
                A[r * count + u] = slope;
            }
        }
    }

    /// Direction of the friction of a contact that slides on the round cone.
    fn direction(&self, contact: usize) -> [f64; 2] {
        let found = self.roles.iter().find_map(|(i, role)| match role {
            Role::Round(e) if *i == contact => Some(*e),
            _ => None,
        });
        found.unwrap_or([1.0, 0.0])
    }

    /// Takes the step.
    fn advance(&mut self, problem: &ContactProblem, impulses: &mut Impulses) {
        for (unknown, x) in self.unknowns.iter().zip(&self.x) {
            match *unknown {
                Unknown::Along(i, p) => {
                    impulses.normal[i] += p[0] * x;
                    impulses.friction[i][0] += p[1] * x;
                    impulses.friction[i][1] += p[2] * x;
                }
                Unknown::Joint(k) => impulses.joint[k] += x,
                Unknown::Turn(_) => {}
            }
        }
        // Frictions that are bound to their normal impulse, from it.
        for (i, role) in &mut self.roles {
            let radius = finite_mu(problem.mu(*i)) * impulses.normal[*i];
            match role {
                Role::Round(e) => {
                    let turn = self.unknowns.iter().position(|u| *u == Unknown::Turn(*i));
                    let angle = turn.map_or(0.0, |u| (self.x[u] / radius).clamp(-TURN, TURN));
                    let (c, s) = (libm::cos(angle), libm::sin(angle));
                    let turned = [c * e[0] - s * e[1], s * e[0] + c * e[1]];
                    let size = libm::hypot(turned[0], turned[1]);
                    *e = turned.map(|x| x / size);
                    impulses.friction[*i] = e.map(|x| radius * x);
                }
                Role::Corner(d) => impulses.friction[*i] = d.map(|x| radius * x),
                Role::Held | Role::Edge(..) => {}
            }
        }
    }

    /// Solves A x = b; unknowns that depend on others stay.
    fn solve(&mut self, problem: &ContactProblem, impulses: &Impulses, is_wide: bool) {
        self.x.clear();
        if is_wide {
            let (mut A, mut change) = (std::mem::take(&mut self.A), std::mem::take(&mut self.change));
            self.fill_slopes(problem, impulses, (&mut A, &mut change));
            eliminate(&mut A, &mut self.b, DEPENDS, &mut self.columns, &mut self.wide);
            (self.A, self.change) = (A, change);
            self.x.extend(self.wide.iter().map(|x| x.to_f64()));
            return;
        }
        let (mut A, mut change) = (
            std::mem::take(&mut self.A_narrow),
            std::mem::take(&mut self.change_narrow),
        );
        self.fill_slopes(problem, impulses, (&mut A, &mut change));
        self.b_narrow.clear();
        self.b_narrow.extend(self.b.iter().map(|x| x.to_f64()));
        eliminate(
            &mut A,
            &mut self.b_narrow,
            DEPENDS_NARROW,
            &mut self.columns,
            &mut self.x,
        );
        (self.A_narrow, self.change_narrow) = (A, change);
    }
}

/// Unit vector in the middle between the directions of two vectors; that of the second where they are opposite or the first is zero.
pub(crate) fn between(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    let (a_size, b_size) = (libm::hypot(a[0], a[1]), libm::hypot(b[0], b[1]));
    let b = b.map(|x| x / b_size);
    if a_size == 0.0 {
        return b;
    }
    let sum = [a[0] / a_size + b[0], a[1] / a_size + b[1]];
    let size = libm::hypot(sum[0], sum[1]);
    if size > 1e-3 { sum.map(|x| x / size) } else { b }
}

fn combine(weights: [f64; 3], u: [Wide; 3]) -> Wide {
    u[0].times(weights[0]) + u[1].times(weights[1]) + u[2].times(weights[2])
}

/// v += C p.
fn push<T: Real>(problem: &ContactProblem, contact: usize, p: [f64; 3], v: &mut [T]) {
    if p == [0.0; 3] {
        return;
    }
    let c = problem.columns(contact);
    for t in c.touches {
        for k in 0..t.len {
            let at = t.start + k;
            for (column, p) in [c.normal, c.tangents[0], c.tangents[1]].into_iter().zip(p) {
                v[t.at + k] += T::from_f64(column[at]).times(p);
            }
        }
    }
}

fn push_joint<T: Real>(problem: &ContactProblem, joint: usize, x: f64, v: &mut [T]) {
    let (touches, column) = problem.joint(joint);
    for t in touches {
        for k in 0..t.len {
            v[t.at + k] += T::from_f64(column[t.start + k]).times(x);
        }
    }
}

fn dot<T: Real>(touches: &[Touch], column: &[f64], v: &[T]) -> T {
    let mut sum = T::ZERO;
    for t in touches {
        for k in 0..t.len {
            sum += v[t.at + k].times(column[t.start + k]);
        }
    }
    sum
}

/// Weights by Cᵀv; what has no weight is not computed.
fn along_row<T: Real>(problem: &ContactProblem, contact: usize, weights: [f64; 3], v: &[T]) -> T {
    let c = problem.columns(contact);
    let mut all = T::ZERO;
    for (column, weight) in [c.normal, c.tangents[0], c.tangents[1]].into_iter().zip(weights) {
        if weight != 0.0 {
            all += dot(c.touches, column, v).times(weight);
        }
    }
    all
}

fn along_joint<T: Real>(problem: &ContactProblem, joint: usize, v: &[T]) -> T {
    let (touches, column) = problem.joint(joint);
    dot(touches, column, v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::frame;

    /// A point mass of 1 kg above a floor of friction 0.5, which it meets at (0.6, 0.8) m/s along the tangents and 1 m/s down, with contacts
    /// whose normals are off by the given tilts.
    fn dropped(tilts: &[f64]) -> ContactProblem {
        let mut problem = ContactProblem::new();
        let mass = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        problem.add_block(&mass, &[0.6, 0.8, -1.0]).unwrap();
        for tilt in tilts {
            let normal = [*tilt, 0.0, 1.0];
            let [x, y] = frame(normal);
            problem.add_contact(&[(0, [&normal, &x, &y])], 0.5).unwrap();
        }
        problem
    }

    fn impulses(problem: &ContactProblem, normal: &[f64], friction: [f64; 2]) -> Impulses {
        let mut impulses = Impulses::default();
        impulses.clear(problem, 4);
        impulses.normal.copy_from_slice(normal);
        impulses.friction[0] = friction;
        impulses
    }

    fn settled(problem: &ContactProblem, directions: Option<usize>, mut start: Impulses) -> Impulses {
        let mut settle = Settle::default();
        let terms = Terms {
            law: if directions.is_some() {
                Law::Polyhedral
            } else {
                Law::Coulomb
            },
            directions: directions.unwrap_or(8),
            tolerance: 1e-10,
        };
        assert!(settle.read(problem, terms, 0, &mut start));
        assert!(settle.run(problem, STEPS, &mut start) > 0);
        start
    }

    #[test]
    fn a_friction_at_a_corner_turns_against_the_slip_and_on_a_polygon_stays() {
        let problem = dropped(&[0.0]);
        let [x, y] = frame([0.0, 0.0, 1.0]);
        let slip = [x[0] * 0.6 + x[1] * 0.8, y[0] * 0.6 + y[1] * 0.8];
        let corner = [0.45 * -slip[0].signum(), 0.0];
        let round = settled(&problem, None, impulses(&problem, &[0.9], corner));
        assert!((round.normal[0] - 1.0).abs() < 1e-15);
        for (f, u) in round.friction[0].iter().zip(slip) {
            assert!((f + 0.5 * u).abs() < 1e-15, "{round:?}");
        }
        let polygon = settled(&problem, Some(4), impulses(&problem, &[0.9], corner));
        assert_eq!(polygon.friction[0], [0.5 * -slip[0].signum(), 0.0]);
    }

    #[test]
    fn contacts_that_repeat_each_other_keep_what_they_share() {
        // The third is open and stays so.
        let problem = dropped(&[0.0, 0.0, 1e-9]);
        let both = settled(&problem, None, impulses(&problem, &[0.5, 0.4, 0.0], [0.0; 2]));
        assert!((both.normal[0] + both.normal[1] - 1.0).abs() < 1e-15, "{both:?}");
        assert_eq!(both.normal[2], 0.0);
    }

    #[test]
    fn contacts_that_nearly_repeat_each_other_are_told_apart() {
        // Frictionless: each normal velocity ends at zero, which two normals that differ by 1e-7 allow for one pair of impulses only.
        let mut problem = ContactProblem::new();
        problem.add_block(&[1.0, 0.0, 0.0, 1.0], &[-1e-8, -1.0]).unwrap();
        for normal in [[0.0, 1.0], [1e-7, 1.0]] {
            problem
                .add_contact(&[(0, [&normal, &[1.0, 0.0], &[0.0; 2]])], 0.0)
                .unwrap();
        }
        let apart = settled(&problem, None, impulses(&problem, &[0.5, 0.5], [0.0; 2]));
        assert!((apart.normal[0] - 0.9).abs() < 1e-8, "{apart:?}");
        assert!((apart.normal[1] - 0.1).abs() < 1e-8, "{apart:?}");
    }
}
