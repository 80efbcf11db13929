//! Programs over velocities in cones, solved by Clarabel. What comes out is a suggestion: `proof` decides what it is worth.
//!
//! All are asked in velocities v, the smaller side: min −w·v over Gᵀv in the dual cones, u_n ≥ μ|u_t|, whose multipliers are the forces. With the scaled
//! rows (u_n, μu_t) the cone is its own dual and the multiplier z means N = z₀, T = μ(z₁, z₂). Torques are divided by the mean arm and loads by the
//! largest of them, so that rows compare.

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{NonnegativeConeT, SecondOrderConeT, ZeroConeT};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

use crate::equilibrium::Equilibrium;

/// Tolerance of the programs: gaps and residuals, relative.
const TOLERANCE: f64 = 1e-10;
/// Where a program ends early, answers this far off are still tried as suggestions.
const REDUCED: f64 = 1e-6;
/// Tolerance of directions that show that there is no answer.
const INFEASIBLE: f64 = 1e-12;
const MOST_ITERATIONS: u32 = 120;

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// To the tolerance, or nearly.
    Solved,
    /// No point satisfies its rows; the multipliers are the direction that shows it.
    Infeasible,
    /// The objective falls without bound along the point.
    Unbounded,
    /// Neither.
    Failed,
}

/// A point and its multipliers.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) ending: Ending,
    pub(crate) x: Vec<f64>,
    pub(crate) z: Vec<f64>,
    pub(crate) objective: f64,
    pub(crate) iterations: usize,
}

/// min ½xᵀPx + cᵀx with b − Ax in cones, written row by row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    unknowns: usize,
    objective: Vec<f64>,
    quadratic: Vec<f64>,
    entries: Vec<(usize, f64)>,
    starts: Vec<usize>,
    b: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Rows {
    pub(crate) fn new(unknowns: usize) -> Self {
        Self {
            unknowns,
            objective: vec![0.0; unknowns],
            ..Self::default()
        }
    }

    pub(crate) fn add_unknown(&mut self, cost: f64) -> usize {
        self.unknowns += 1;
        self.objective.push(cost);
        self.unknowns - 1
    }

    pub(crate) fn set_cost(&mut self, unknown: usize, cost: f64) {
        self.objective[unknown] = cost;
    }

    /// ½ Σ q x².
    pub(crate) fn set_quadratic(&mut self, diagonal: Vec<f64>) {
        self.quadratic = diagonal;
    }

    /// Index of the next row.
    pub(crate) fn next(&self) -> usize {
        self.b.len()
    }

    /// The row b − Σ a x.
    pub(crate) fn row(&mut self, entries: impl IntoIterator<Item = (usize, f64)>, b: f64) {
        self.starts.push(self.entries.len());
        self.entries.extend(entries.into_iter().filter(|(_, a)| *a != 0.0));
        self.b.push(b);
    }

    /// The last `count` rows are zero.
    pub(crate) fn are_zero(&mut self, count: usize) {
        match self.cones.last_mut() {
            Some(ZeroConeT(n)) => *n += count,
            _ => self.cones.push(ZeroConeT(count)),
        }
    }

    /// The last `count` rows are not negative.
    pub(crate) fn are_not_negative(&mut self, count: usize) {
        match self.cones.last_mut() {
            Some(NonnegativeConeT(n)) => *n += count,
            _ => self.cones.push(NonnegativeConeT(count)),
        }
    }

    /// The last `count` rows (s, t) satisfy s ≥ |t|.
    pub(crate) fn are_in_cone(&mut self, count: usize) {
        self.cones.push(SecondOrderConeT(count));
    }

    fn matrix(&self) -> CscMatrix<f64> {
        let (m, n) = (self.b.len(), self.unknowns);
        let mut colptr = vec![0; n + 1];
        for (column, _) in &self.entries {
            colptr[column + 1] += 1;
        }
        for k in 0..n {
            colptr[k + 1] += colptr[k];
        }
        let mut next = colptr.clone();
        let (mut rowval, mut nzval) = (vec![0; self.entries.len()], vec![0.0; self.entries.len()]);
        for row in 0..m {
            let end = self.starts.get(row + 1).copied().unwrap_or(self.entries.len());
            for (column, value) in &self.entries[self.starts[row]..end] {
                let at = &mut next[*column];
                (rowval[*at], nzval[*at]) = (row, *value);
                *at += 1;
            }
        }
        CscMatrix::new(m, n, colptr, rowval, nzval)
    }

    pub(crate) fn solver(&self) -> Option<Program> {
        let n = self.unknowns;
        let quadratic = if self.quadratic.is_empty() {
            CscMatrix::zeros((n, n))
        } else {
            let mut diagonal = self.quadratic.clone();
            diagonal.resize(n, 0.0);
            CscMatrix::new(n, n, (0..=n).collect(), (0..n).collect(), diagonal)
        };
        let settings = DefaultSettings {
            verbose: false,
            max_iter: MOST_ITERATIONS,
            max_threads: 1,
            tol_gap_abs: TOLERANCE,
            tol_gap_rel: TOLERANCE,
            tol_feas: TOLERANCE,
            // A structure at its limit looks infeasible long before it is.
            tol_infeas_abs: INFEASIBLE,
            tol_infeas_rel: INFEASIBLE,
            reduced_tol_gap_abs: REDUCED,
            reduced_tol_gap_rel: REDUCED,
            reduced_tol_feas: REDUCED,
            presolve_enable: false,
            direct_solve_method: "qdldl".to_owned(),
            ..DefaultSettings::default()
        };
        DefaultSolver::new(
            &quadratic,
            &self.objective,
            &self.matrix(),
            &self.b,
            &self.cones,
            settings,
        )
        .ok()
        .map(|solver| Program { solver })
    }

    pub(crate) fn solve(&self) -> Found {
        if self.unknowns == 0 || self.b.is_empty() {
            // The solver takes no empty program. Without rows the objective falls wherever it is not flat.
            let is_flat = self.objective.iter().all(|c| *c == 0.0);
            return Found {
                ending: if is_flat { Ending::Solved } else { Ending::Unbounded },
                x: self.objective.iter().map(|c| -c).collect(),
                z: vec![0.0; self.b.len()],
                objective: 0.0,
                iterations: 0,
            };
        }
        match self.solver() {
            Some(mut program) => program.solve(),
            None => Found {
                ending: Ending::Failed,
                x: vec![0.0; self.unknowns],
                z: vec![0.0; self.b.len()],
                objective: f64::NAN,
                iterations: 0,
            },
        }
    }
}

/// A program whose structure is factored once.
pub(crate) struct Program {
    solver: DefaultSolver<f64>,
}

impl Program {
    pub(crate) fn solve(&mut self) -> Found {
        self.solver.solve();
        let solution = &self.solver.solution;
        let ending = match solution.status {
            SolverStatus::Solved | SolverStatus::AlmostSolved => Ending::Solved,
            SolverStatus::PrimalInfeasible => Ending::Infeasible,
            SolverStatus::DualInfeasible => Ending::Unbounded,
            // Ends short of the tolerance are tried as well: what they suggest is proved or refused.
            SolverStatus::InsufficientProgress | SolverStatus::MaxIterations | SolverStatus::NumericalError
                if solution.r_prim < REDUCED && solution.r_dual < REDUCED =>
            {
                Ending::Solved
            }
            _ => Ending::Failed,
        };
        Found {
            ending,
            x: solution.x.clone(),
            z: solution.z.clone(),
            objective: solution.obj_val,
            iterations: usize::try_from(solution.iterations).unwrap_or(usize::MAX),
        }
    }
}

/// How loads and torques are scaled in programs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    /// Power of two [m].
    pub(crate) arm: f64,
    /// Power of two [N].
    pub(crate) load: f64,
}

/// Which contacts may carry, and how their cones are changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cones<'a> {
    /// Contacts that carry nothing; empty: none of them.
    pub(crate) idle: &'a [bool],
    /// u_n ≥ μ|u_t| + shift: how far inside velocities shall be.
    pub(crate) shift: f64,
    /// The same for each contact; empty: none.
    pub(crate) shifts: &'a [f64],
    /// Share of the limit of normal forces that the equilibrium has which may be used; none: the limit does not count.
    pub(crate) limited: Option<f64>,
    /// Finger of each contact, and how many there are: the normal force of a finger in all has a price, the unknowns after the velocities.
    pub(crate) fingers: &'a [Option<usize>],
    pub(crate) finger_count: usize,
    /// Friction that is capped by forces that are given [N] in place of μN: part of the cone's coefficient, and the cap.
    pub(crate) capped: Option<(f64, &'a [f64])>,
}

impl Cones<'_> {
    pub(crate) fn carries(&self, contact: usize) -> bool {
        !self.idle.get(contact).copied().unwrap_or(false)
    }
}

/// A program over the velocities of an equilibrium, and where the multipliers of its contacts and rows are.
pub(crate) struct Velocities<'a> {
    pub(crate) whole: &'a Equilibrium,
    pub(crate) scale: Scale,
    pub(crate) rows: Rows,
    /// First row of each contact and how its multipliers are read.
    places: Vec<Option<Place>>,
    joint_places: Vec<usize>,
    /// Unknown that pays for the force limit of each contact.
    pub(crate) paid: Vec<Option<usize>>,
    /// Unknowns that pay for the bounds of rows, and the row's length in the scaled velocities, inverted: what makes its force one of the load's kind.
    pub(crate) beyond: Vec<(usize, f64)>,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    /// (u_n, μu_t): N = z₀, T = μ(z₁, z₂); with a force limit r more.
    Cone(usize),
    /// u_n alone.
    Normal(usize),
    /// u_n and, as equations, u_t.
    Rough(usize),
    /// u_n ± μu_t in the plane.
    Wedge(usize),
    /// u_n, then (cap variable, (μa)u_t …): see [`Velocities::new`].
    Capped(usize, f64),
}

impl<'a> Velocities<'a> {
    pub(crate) fn new(whole: &'a Equilibrium, cones: &Cones<'_>) -> Self {
        let largest = whole.load().iter().fold(0.0_f64, |m, w| m.max(w.abs()));
        let scale = Scale {
            arm: whole.arm(),
            load: crate::equilibrium::power_of_two(largest),
        };
        let mut this = Self {
            whole,
            scale,
            rows: Rows::new(whole.load().len()),
            places: Vec::new(),
            joint_places: Vec::new(),
            paid: Vec::new(),
            beyond: Vec::new(),
        };
        for _ in 0..cones.finger_count {
            this.rows.add_unknown(0.0);
        }
        for j in 0..whole.contacts().len() {
            this.add_contact(j, cones);
        }
        for k in 0..whole.rows().len() {
            this.add_joint(k);
        }
        this
    }

    /// Columns of a contact over the scaled velocities; `c` 0 is the normal.
    pub(crate) fn column(&self, contact: usize, c: usize) -> impl Iterator<Item = (usize, f64)> + use<'a> {
        let (whole, scale) = (self.whole, self.scale);
        let dim = whole.dim();
        whole.parts(contact).iter().flat_map(move |part| {
            let column = part.columns[c];
            (0..dim).map(move |k| {
                let by = if whole.is_turn(k) { scale.arm } else { 1.0 };
                (dim * part.body + k, column[k] / by)
            })
        })
    }

    fn scaled_column(&self, contact: usize, c: usize, by: f64) -> Vec<(usize, f64)> {
        self.column(contact, c).map(|(at, x)| (at, by * x)).collect()
    }

    fn add_contact(&mut self, j: usize, cones: &Cones<'_>) {
        if !cones.carries(j) {
            self.places.push(None);
            self.paid.push(None);
            return;
        }
        let mu = self.whole.contacts()[j].friction;
        let at = self.rows.next();
        // With a limit, u_n + r with a price on r.
        let most = self.whole.most(j);
        let limit = cones.limited.filter(|_| most.is_finite()).map(|share| {
            let most = share * most;
            let r = self.rows.add_unknown(most / self.scale.load);
            self.rows.row([(r, -1.0)], 0.0);
            self.rows.are_not_negative(1);
            (r, -1.0)
        });
        self.paid.push(limit.map(|(r, _)| r));
        let at = if limit.is_some() { at + 1 } else { at };
        let mut normal = self.scaled_column(j, 0, -1.0);
        normal.extend(limit);
        let finger = cones.fingers.get(j).copied().flatten();
        normal.extend(finger.map(|k| (self.whole.load().len() + k, -1.0)));
        let shift = -(cones.shift + cones.shifts.get(j).copied().unwrap_or(0.0));
        let place = if let (Some((share, caps)), true) = (cones.capped, mu > 0.0 && mu.is_finite()) {
            // |T| ≤ share·μN + cap: u_n ≥ share·μ q with q ≥ |u_t|, and the cap a price on q.
            let q = self.rows.add_unknown(caps[j] / self.scale.load);
            normal.push((q, share * mu));
            self.rows.row(normal, shift);
            self.rows.are_not_negative(1);
            self.rows.row([(q, -1.0)], 0.0);
            for c in 1..=if self.whole.is_planar() { 1 } else { 2 } {
                let tangent = self.scaled_column(j, c, -1.0);
                self.rows.row(tangent, 0.0);
            }
            self.rows.are_in_cone(if self.whole.is_planar() { 2 } else { 3 });
            Place::Capped(at, 1.0)
        } else if mu == 0.0 {
            self.rows.row(normal, shift);
            self.rows.are_not_negative(1);
            Place::Normal(at)
        } else if mu.is_infinite() {
            self.rows.row(normal, shift);
            self.rows.are_not_negative(1);
            let tangents = if self.whole.is_planar() { 1 } else { 2 };
            for c in 1..=tangents {
                let tangent = self.scaled_column(j, c, -1.0);
                self.rows.row(tangent, 0.0);
            }
            self.rows.are_zero(tangents);
            Place::Rough(at)
        } else if self.whole.is_planar() {
            for sign in [1.0, -1.0] {
                let tangent = self.scaled_column(j, 1, -sign * mu);
                let mut sum = normal.clone();
                // Both columns lie on the same entries.
                for (entry, (_, t)) in sum.iter_mut().zip(&tangent) {
                    entry.1 += t;
                }
                self.rows.row(sum, shift);
            }
            self.rows.are_not_negative(2);
            Place::Wedge(at)
        } else {
            self.rows.row(normal, shift);
            for c in 1..=2 {
                let tangent = self.scaled_column(j, c, -mu);
                self.rows.row(tangent, 0.0);
            }
            self.rows.are_in_cone(3);
            Place::Cone(at)
        };
        self.places.push(Some(place));
    }

    fn add_joint(&mut self, k: usize) {
        let [low, high] = self.whole.rows()[k].bounds;
        let (whole, dim) = (self.whole, self.whole.dim());
        let mut row: Vec<(usize, f64)> = Vec::new();
        for part in whole.row_parts(k) {
            for c in 0..dim {
                let by = if whole.is_turn(c) { self.scale.arm } else { 1.0 };
                row.push((dim * part.body + c, -part.columns[0][c] / by));
            }
        }
        if low.is_finite() && high.is_finite() {
            let p = self.rows.add_unknown(-low / self.scale.load);
            let q = self.rows.add_unknown(high / self.scale.load);
            for unknown in [p, q] {
                self.rows.row([(unknown, -1.0)], 0.0);
            }
            self.rows.are_not_negative(2);
            let length = libm::sqrt(row.iter().map(|(_, x)| x * x).sum());
            if length > 0.0 {
                self.beyond.extend([p, q].map(|unknown| (unknown, 1.0 / length)));
            }
            row.extend([(p, 1.0), (q, -1.0)]);
        }
        self.joint_places.push(self.rows.next());
        self.rows.row(row, 0.0);
        self.rows.are_zero(1);
    }

    /// Puts −w into the objective: the part of the velocities.
    pub(crate) fn objective(&self, load: &[f64]) -> Vec<f64> {
        let dim = self.whole.dim();
        let scaled = |(at, w): (usize, &f64)| {
            let by = if self.whole.is_turn(at % dim) {
                self.scale.arm
            } else {
                1.0
            };
            -w / (by * self.scale.load)
        };
        load.iter().enumerate().map(scaled).collect()
    }

    pub(crate) fn set_load(&mut self, load: &[f64]) {
        for (at, cost) in self.objective(load).into_iter().enumerate() {
            self.rows.set_cost(at, cost);
        }
    }

    /// Entries of a direction d of loads, so that their product with velocities is d·v over the load's scale.
    pub(crate) fn along(&self, direction: &[f64]) -> Vec<(usize, f64)> {
        self.objective(direction)
            .into_iter()
            .enumerate()
            .map(|(at, x)| (at, -x))
            .collect()
    }

    /// Forces of contacts (N, T₁, T₂) and joint rows [N], from multipliers.
    pub(crate) fn forces(&self, z: &[f64]) -> Forces {
        let size = self.scale.load;
        let contact = |(j, place): (usize, &Option<Place>)| {
            let mu = self.whole.contacts()[j].friction;
            match *place {
                None => [0.0; 3],
                Some(Place::Cone(at)) => [z[at], mu * z[at + 1], mu * z[at + 2]],
                Some(Place::Normal(at)) => [z[at], 0.0, 0.0],
                Some(Place::Rough(at)) => [z[at], z[at + 1], if self.whole.is_planar() { 0.0 } else { z[at + 2] }],
                Some(Place::Wedge(at)) => [z[at] + z[at + 1], mu * (z[at] - z[at + 1]), 0.0],
                Some(Place::Capped(at, by)) => [
                    z[at],
                    by * z[at + 2],
                    if self.whole.is_planar() { 0.0 } else { by * z[at + 3] },
                ],
            }
            .map(|x| size * x)
        };
        Forces {
            contacts: self.places.iter().enumerate().map(contact).collect(),
            rows: self.joint_places.iter().map(|at| size * z[*at]).collect(),
        }
    }

    /// Velocities \[m/s, rad/s\] from the program's unknowns.
    pub(crate) fn velocities(&self, x: &[f64]) -> Vec<f64> {
        let dim = self.whole.dim();
        let turned = |(at, x): (usize, &f64)| {
            if self.whole.is_turn(at % dim) {
                x / self.scale.arm
            } else {
                *x
            }
        };
        x[..self.whole.load().len()].iter().enumerate().map(turned).collect()
    }
}

/// Forces of all contacts, along normal and tangents, and of all joint rows \[N, N·m\].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forces {
    /// (N, T₁, T₂).
    pub contacts: Vec<[f64; 3]>,
    /// Along each row.
    pub rows: Vec<f64>,
}

impl Forces {
    /// (1 − θ) of these and θ of others.
    pub(crate) fn mixed(&self, others: &Self, theta: f64) -> Self {
        let mix = |a: &f64, b: &f64| (1.0 - theta) * a + theta * b;
        Self {
            contacts: self
                .contacts
                .iter()
                .zip(&others.contacts)
                .map(|(a, b)| std::array::from_fn(|k| mix(&a[k], &b[k])))
                .collect(),
            rows: self.rows.iter().zip(&others.rows).map(|(a, b)| mix(a, b)).collect(),
        }
    }
}
