//! The problem without friction as a convex QP, solved by Clarabel's interior-point method.
//!
//! In impulses: min ½ θᵀFθ + eᵀθ over θ ≥ 0 with F = NᵀN and e = Nᵀk + b, which is \[Baraff (8)\] and \[Drumwright VI\]. In motions, its
//! dual: min ½|v − k|² with Nᵀv + b ≥ 0, whose size is that of the coordinates and not of the contacts. Contact without slip is
//! projected first, by our own code, as for our own methods.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};
use stiction_contact::check::{Answer, Judge, Terms};
use stiction_contact::{ContactProblem, Law};

use super::projection::Projection;
use super::{Contender, Found};
use crate::BadInput;

/// Tolerance of our judge.
const JUDGED: f64 = 1e-10;

/// The unknowns of the QP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Normal impulses.
    Impulses,
    /// Velocities.
    Motions,
}

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    /// All from the contact problem to the impulses.
    Whole,
    /// The QP solver alone.
    Solver,
}

/// A convex QP solver.
pub(crate) struct Qp {
    law: Law,
    form: Form,
    span: Span,
    tolerance: f64,
    projection: Projection,
    data: Data,
    theta: Vec<f64>,
    iterations: usize,
    status: SolverStatus,
    judge: Judge,
}

/// min ½ xᵀPx + qᵀx with Ax + s = b, s ≥ 0.
struct Data {
    p: CscMatrix<f64>,
    q: Vec<f64>,
    a: CscMatrix<f64>,
    b: Vec<f64>,
}

impl Qp {
    /// A solver for problems without friction or without slip; `tolerance` is the solver's own.
    pub(crate) fn new(law: Law, form: Form, span: Span, tolerance: f64) -> Self {
        Self {
            law,
            form,
            span,
            tolerance,
            projection: Projection::default(),
            data: Data {
                p: CscMatrix::zeros((0, 0)),
                q: Vec::new(),
                a: CscMatrix::zeros((0, 0)),
                b: Vec::new(),
            },
            theta: Vec::new(),
            iterations: 0,
            status: SolverStatus::Unsolved,
            judge: Judge::new(),
        }
    }

    /// From the contact problem to the QP's data.
    fn formulate(&mut self, problem: &ContactProblem) {
        self.projection.set(problem, self.law == Law::NoSlip);
        self.data = match self.form {
            Form::Impulses => impulses(&self.projection),
            Form::Motions => motions(&self.projection),
        };
    }

    fn run(&mut self) -> Result<(), BadInput> {
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: self.tolerance,
            tol_gap_rel: self.tolerance,
            tol_feas: self.tolerance,
            ..DefaultSettings::default()
        };
        let Data { p, q, a, b } = &self.data;
        let mut solver = DefaultSolver::new(p, q, a, b, &[NonnegativeConeT(b.len())], settings)
            .map_err(|error| BadInput::new("clarabel", format!("internal: {error}")))?;
        solver.solve();
        let solution = &solver.solution;
        self.theta.clone_from(match self.form {
            Form::Impulses => &solution.x,
            Form::Motions => &solution.z,
        });
        self.iterations = usize::try_from(solution.iterations).unwrap_or(usize::MAX);
        self.status = solution.status;
        Ok(())
    }
}

impl Contender for Qp {
    fn prepare(&mut self, problem: &ContactProblem) -> Result<(), BadInput> {
        self.formulate(problem);
        Ok(())
    }

    fn solve(&mut self, problem: &mut ContactProblem) -> Result<(), BadInput> {
        if self.span == Span::Whole {
            self.formulate(problem);
        }
        self.run()
    }

    fn found(&mut self, problem: &ContactProblem) -> Result<Found, BadInput> {
        let n = problem.contact_count();
        let (mut friction, mut joint) = (vec![[0.0; 2]; n], vec![0.0; problem.joint_count()]);
        self.projection
            .impulses(problem, &self.theta, &mut friction, &mut joint);
        let terms = Terms {
            law: self.law,
            directions: 8,
            tolerance: JUDGED,
        };
        let answer = Answer {
            normal: &self.theta,
            friction: &friction,
            phi: None,
            joint: &joint,
        };
        let (verified, residual) = self.judge.judge(problem, terms, answer);
        let largest = self.theta.iter().fold(0.0_f64, |m, x| m.max(*x));
        let ending = match self.status {
            SolverStatus::Solved => "beyond 1e-10".to_owned(),
            status => format!("{status}"),
        };
        Ok(Found {
            verified,
            ending,
            residual: residual.worst,
            steps: self.iterations,
            // An interior point is positive everywhere; what is negligible does not push.
            active: self.theta.iter().filter(|x| **x > 1e-6 * largest).count(),
            others: 0,
        })
    }
}

fn impulses(projection: &Projection) -> Data {
    let n = projection.bias.len();
    let (mut products, mut e) = (Vec::new(), Vec::new());
    gram(projection, &mut products, &mut e);
    let upper = n * (n + 1) / 2;
    let (mut ends, mut rows, mut values) = (vec![0], Vec::with_capacity(upper), Vec::with_capacity(upper));
    for j in 0..n {
        rows.extend(0..=j);
        values.extend_from_slice(&products[j * n..=j * n + j]);
        ends.push(rows.len());
    }
    Data {
        p: CscMatrix::new(n, n, ends, rows, values),
        q: e,
        a: CscMatrix::new(n, n, (0..=n).collect(), (0..n).collect(), vec![-1.0; n]),
        b: vec![0.0; n],
    }
}

fn motions(projection: &Projection) -> Data {
    let (n, m) = (projection.bias.len(), projection.k.len());
    let (mut ends, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for r in 0..m {
        for i in 0..n {
            let x = projection.normals[i * m + r];
            if x != 0.0 {
                rows.push(i);
                values.push(-x);
            }
        }
        ends.push(rows.len());
    }
    Data {
        p: CscMatrix::identity(m),
        q: projection.k.iter().map(|k| -k).collect(),
        a: CscMatrix::new(n, m, ends, rows, values),
        b: projection.bias.clone(),
    }
}

/// F = NᵀN row by row and e = Nᵀk + b.
pub(super) fn gram(projection: &Projection, products: &mut Vec<f64>, e: &mut Vec<f64>) {
    let (n, m) = (projection.bias.len(), projection.k.len().max(1));
    let normal = |i: usize| &projection.normals[i * m..(i + 1) * m];
    products.clear();
    products.resize(n * n, 0.0);
    e.clear();
    for i in 0..n {
        for j in 0..=i {
            let product = dot(normal(i), normal(j));
            products[i * n + j] = product;
            products[j * n + i] = product;
        }
        e.push(dot(normal(i), &projection.k) + projection.bias[i]);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
