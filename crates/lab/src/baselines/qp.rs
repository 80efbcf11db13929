//! The problem without friction as a convex QP, solved by Clarabel's interior-point method.
//!
//! In impulses: min ½ θᵀFθ + eᵀθ over θ ≥ 0 with F = NᵀN and e = Nᵀk + b, which is \[Baraff (8)\] and \[Drumwright VI\]. In motions, its
//! dual: min ½|v − k|² with Nᵀv + b ≥ 0, whose size is that of the coordinates and not of the contacts. Contact without slip is
//! projected first, by our own code, as for our own methods. The solver runs with the tolerances it comes with, 1e-8: tighter ones cost it
//! two or three iterations of eleven and make it give up on some problems.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};
use stiction_contact::check::{Answer, Judge, Terms};
use stiction_contact::{ContactProblem, Law, NoSlipEquivalent};

use super::{Contender, Found};
use stiction_formats::BadInput;

/// Tolerance of our judge.
const JUDGE_TOLERANCE: f64 = 1e-10;

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
    equivalent: NoSlipEquivalent,
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
    /// A solver for problems without friction or without slip.
    pub(crate) fn new(law: Law, form: Form, span: Span) -> Self {
        Self {
            law,
            form,
            span,
            equivalent: NoSlipEquivalent::new(),
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
        let smooth = if self.law == Law::NoSlip {
            self.equivalent.set(problem);
            self.equivalent.problem()
        } else {
            problem
        };
        self.data = match self.form {
            Form::Impulses => impulses(smooth),
            Form::Motions => motions(smooth),
        };
    }

    fn run(&mut self) -> Result<(), BadInput> {
        if self.data.b.is_empty() || self.data.q.is_empty() {
            // Tangents hold every normal: nothing is left to solve, and the solver takes no empty problem.
            self.theta.clear();
            self.theta.resize(self.data.b.len(), 0.0);
            (self.iterations, self.status) = (0, SolverStatus::Solved);
            return Ok(());
        }
        let settings = DefaultSettings {
            verbose: false,
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
        let (normal, friction, joint) = if self.law == Law::NoSlip {
            self.equivalent.impulses(problem, &self.theta)?
        } else {
            (self.theta.clone(), vec![[0.0; 2]; self.theta.len()], Vec::new())
        };
        let terms = Terms {
            law: self.law,
            directions: 8,
            tolerance: JUDGE_TOLERANCE,
        };
        let answer = Answer {
            normal: &normal,
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

fn impulses(problem: &ContactProblem) -> Data {
    let n = problem.contact_count();
    let (mut products, mut e) = (Vec::new(), Vec::new());
    gram(problem, &mut products, &mut e);
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

fn motions(problem: &ContactProblem) -> Data {
    let (n, m) = (problem.contact_count(), problem.dof());
    // Entries of each coordinate's column, contact after contact.
    let mut columns: Vec<Vec<(usize, f64)>> = vec![Vec::new(); m];
    for i in 0..n {
        let contact = problem.columns(i);
        for touch in contact.touches {
            let part = &contact.normal[touch.start..touch.start + touch.len];
            for (column, x) in columns[touch.at..].iter_mut().zip(part) {
                if *x != 0.0 {
                    column.push((i, -x));
                }
            }
        }
    }
    let (mut ends, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in &columns {
        rows.extend(column.iter().map(|(row, _)| *row));
        values.extend(column.iter().map(|(_, value)| *value));
        ends.push(rows.len());
    }
    Data {
        p: CscMatrix::identity(m),
        q: problem.k_x().iter().map(|k| -k).collect(),
        a: CscMatrix::new(n, m, ends, rows, values),
        b: (0..n).map(|i| problem.bias(i)[0]).collect(),
    }
}

/// F = NᵀN row by row and e = Nᵀk + b.
pub(super) fn gram(problem: &ContactProblem, products: &mut Vec<f64>, e: &mut Vec<f64>) {
    let n = problem.contact_count();
    products.clear();
    products.resize(n * n, 0.0);
    e.clear();
    let mut v = vec![0.0; problem.dof()];
    for i in 0..n {
        v.fill(0.0);
        problem.push(i, [1.0, 0.0, 0.0], &mut v);
        for j in 0..=i {
            let product = along(problem, j, &v);
            products[i * n + j] = product;
            products[j * n + i] = product;
        }
        e.push(along(problem, i, problem.k_x()) + problem.bias(i)[0]);
    }
}

/// Normal velocity of a contact.
fn along(problem: &ContactProblem, contact: usize, v: &[f64]) -> f64 {
    let columns = problem.columns(contact);
    let mut sum = 0.0;
    for touch in columns.touches {
        let part = &columns.normal[touch.start..touch.start + touch.len];
        sum += part.iter().zip(&v[touch.at..]).map(|(n, v)| n * v).sum::<f64>();
    }
    sum
}
