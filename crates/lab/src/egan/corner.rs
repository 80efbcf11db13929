//! The point mass at a corner \[Egan IV, V, Fig. 3\], the sizes of the forms \[Egan VI\], and the corners that the summation form cuts \[Egan Fig. 7\].

use std::fmt::Write as _;

use stiction_contact::check::{Answer, Terms, check, check_sum};
use stiction_contact::{ContactProblem, ContactSolution, ContactSolver, InputError, Law, Method, Options, Status};

use super::Part;
use stiction_formats::BadInput;

/// Time step of the examples \[s\], and ε/h of the summation form.
const TIME_STEP: f64 = 2.0;
const EPSILON: f64 = 0.01;
/// Numbers that agree with the paper's to this are the same.
const PRINTED_TOL: f64 = 1e-9;

/// A point of 1 kg at (1, 1) with a wall x = 0 and a floor y = 0.
fn point(velocity: [f64; 2]) -> Result<ContactProblem, InputError> {
    let mut problem = ContactProblem::new();
    problem.add_block(&[1.0, 0.0, 0.0, 1.0], &velocity)?;
    for [normal, tangent] in [[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]] {
        let contact = problem.add_contact(&[(0, [&normal, &tangent, &[0.0, 0.0]])], 0.0)?;
        problem.set_bias(contact, [1.0 / TIME_STEP, 0.0, 0.0])?;
    }
    problem.add_group(&[&[0], &[1]])?;
    Ok(problem)
}

fn solver(method: Option<Method>) -> Result<ContactSolver, InputError> {
    ContactSolver::new(Options {
        law: Law::Frictionless,
        method,
        epsilon: EPSILON,
        ..Options::default()
    })
}

/// `p (1.5, 0)  v (-0.5, -1)  q (0, -1)`.
fn words(p: [f64; 2], v: [f64; 2]) -> String {
    let pair = |[x, y]: [f64; 2]| {
        // Rounding is no news here.
        let round = |x: f64| (x * 1e9).round() / 1e9 + 0.0;
        format!("({}, {})", round(x), round(y))
    };
    let q = [1.0 + TIME_STEP * v[0], 1.0 + TIME_STEP * v[1]];
    format!("p {:14} v {:14} q {}", pair(p), pair(v), pair(q))
}

fn found(solution: &ContactSolution) -> ([f64; 2], [f64; 2]) {
    let (p, v) = (&solution.normal_impulse, &solution.velocity);
    ([p[0], p[1]], [v[0], v[1]])
}

fn same((p, v): ([f64; 2], [f64; 2]), (r, w): ([f64; 2], [f64; 2])) -> bool {
    let near = |x: [f64; 2], y: [f64; 2]| (x[0] - y[0]).abs() + (x[1] - y[1]).abs() < PRINTED_TOL;
    near(p, r) && near(v, w)
}

/// Examples of Fig. 3: name, start velocity, and the paper's impulses and velocities.
type Printed = (&'static str, [f64; 2], [f64; 2], [f64; 2]);
const PRINTED: [Printed; 4] = [
    ("3(a) z_a ", [-2.0, 0.0], [0.0, 0.0], [-2.0, 0.0]),
    ("3(b) z_b1", [-2.0, -1.0], [1.5, 0.5], [-0.5, -0.5]),
    ("3(b) z_b2", [-2.0, -1.0], [1.5, 0.0], [-0.5, -1.0]),
    ("3(b) z_b3", [-2.0, -1.0], [0.0, 0.5], [-2.0, -0.5]),
];

/// Fig. 3 by the max law and by the summation form.
pub(super) fn examples() -> Result<Part, BadInput> {
    let mut text = String::from("Fig. 3, a point mass at a corner, one step of 2 s (impulses, velocity, position)\n");
    let mut clean = true;
    for (name, start, p, v) in PRINTED {
        let problem = point(start)?;
        let all = solver(None)?.all_answers(&problem)?;
        let here = all.answers.iter().find(|answer| same(found(answer), (p, v)));
        let chosen = same(found(solver(None)?.solve(&problem)?), (p, v));
        clean &= here.is_some() && all.complete;
        let note = match (here.is_some(), chosen) {
            (true, true) => "found, and taken: least impulse",
            (true, false) => "found among all answers",
            _ => "not found",
        };
        let _ = writeln!(text, "  max  {name}  paper {}  {note}", words(p, v));
    }
    let max = point([-2.0, -1.0])?.lcp_max(Law::Frictionless, 4, 100.0)?;
    let mut lemke = stiction_lcp::Solver::with_options(stiction_lcp::Options {
        method: Some(stiction_lcp::Method::Lemke),
        ..stiction_lcp::Options::default()
    });
    let solution = lemke.solve(&max.lcp)?;
    let _ = writeln!(
        text,
        "  max  LCP (32)-(33) by Lemke's method: paper z_b1 \"from an LCP solver\"; here {} after {} pivots",
        solution.status.name(),
        solution.stats.pivots
    );
    for (name, start) in [("3(a)", [-2.0, 0.0]), ("3(b)", [-2.0, -1.0])] {
        let problem = point(start)?;
        let mut solver = solver(Some(Method::NonconvexSum))?;
        let solution = solver.solve(&problem)?;
        clean &= solution.status == Status::Solved;
        let (p, v) = found(solution);
        let paper = if name == "3(a)" {
            "one answer, that of max"
        } else {
            "many answers"
        };
        let (status, pivots) = (solution.status.name(), solution.stats.pivots);
        let _ = writeln!(
            text,
            "  sum  {name}       paper {paper}; here {} by Lemke's method, {pivots} pivots, {status}",
            words(p, v)
        );
    }
    Ok(Part { text, clean })
}

/// A body at rest with x convex contacts and g groups of two sides, all with friction.
fn crowd(x: usize, g: usize) -> Result<ContactProblem, InputError> {
    let mut problem = ContactProblem::new();
    problem.add_block(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], &[0.0; 3])?;
    let rows: [[f64; 3]; 3] = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..x + 2 * g {
        problem.add_contact(&[(0, [&rows[0], &rows[1], &rows[2]])], 0.5)?;
    }
    for k in 0..g {
        problem.add_group(&[&[x + 2 * k], &[x + 2 * k + 1]])?;
    }
    Ok(problem)
}

/// The table of VI: constraints of the three forms.
pub(super) fn sizes() -> Result<Part, BadInput> {
    let mut text = String::from(
        "VI, number of constraints for x convex contacts, y sides, g groups, k directions: formula of the paper, and of the LCP built\n",
    );
    let mut clean = true;
    let _ = writeln!(
        text,
        "  {:>3} {:>3} {:>3} {:>3}   {:>13} {:>13} {:>13}",
        "x", "y", "g", "k", "max", "summation", "stewart"
    );
    for (x, g, k) in [(0, 1, 4), (4, 1, 4), (4, 4, 8), (16, 8, 8)] {
        let (problem, y) = (crowd(x, g)?, 2 * g);
        let paper = [
            4 * y + 2 * g + x + (k + 1) * (x + y),
            2 * y + x + (k + 1) * (x + y),
            x + (k + 1) * x,
        ];
        let convex = crowd(x, 0)?;
        let built = [
            problem.lcp_max(Law::Polyhedral, k, 2.0)?.lcp.n(),
            problem.lcp_sum(Law::Polyhedral, k, EPSILON)?.lcp.n(),
            if x == 0 {
                0
            } else {
                convex.lcp_convex(Law::Polyhedral, k)?.lcp.n()
            },
        ];
        let as_printed = built == paper;
        clean &= as_printed;
        let cell = |i: usize| format!("{} / {}", paper[i], built[i]);
        let note = if as_printed { "" } else { "  differs" };
        let _ = writeln!(
            text,
            "  {x:>3} {y:>3} {g:>3} {k:>3}   {:>13} {:>13} {:>13}{note}",
            cell(0),
            cell(1),
            cell(2)
        );
    }
    Ok(Part { text, clean })
}

/// The deepest motion straight into a corner of many sides that each law lets pass without an impulse, in ε.
pub(super) fn cut_corners() -> Result<Part, BadInput> {
    let mut text = String::from(
        "Fig. 7, a point that moves straight into a corner of n short sides: how deep it may come, in epsilon (the paper: the mistaken region grows with n)\n",
    );
    for n in [2_usize, 4, 8, 16, 32] {
        let mut deepest = [0.0; 2];
        for (k, sum) in [true, false].into_iter().enumerate() {
            let (mut low, mut high) = (0.0, 2.0);
            for _ in 0..50 {
                let middle = 0.5 * (low + high);
                if is_let_in(n, middle * EPSILON, sum)? {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            deepest[k] = low;
        }
        let [sum, max] = deepest;
        let _ = writeln!(text, "  n {n:>2}   summation {sum:.3}   max {max:.3}");
    }
    Ok(Part { text, clean: true })
}

/// Whether a point that moves by `depth` into a corner of n sides, fanned out over a right angle, is let in without an impulse.
fn is_let_in(n: usize, depth: f64, sum: bool) -> Result<bool, BadInput> {
    let mut problem = ContactProblem::new();
    problem.add_block(&[1.0, 0.0, 0.0, 1.0], &[0.0, -depth])?;
    let mut sides = Vec::new();
    for i in 0..n {
        let (sin, cos) = libm::sincos(std::f64::consts::FRAC_PI_2 * ((i as f64 + 0.5) / n as f64 - 0.5));
        let rows = [[sin, cos], [cos, -sin], [0.0, 0.0]];
        sides.push(vec![problem.add_contact(&[(0, [&rows[0], &rows[1], &rows[2]])], 0.0)?]);
    }
    let sides: Vec<&[usize]> = sides.iter().map(Vec::as_slice).collect();
    problem.add_group(&sides)?;
    let terms = Terms {
        law: Law::Frictionless,
        directions: 4,
        tolerance: PRINTED_TOL,
    };
    let answer = Answer {
        normal: &vec![0.0; n],
        friction: &vec![[0.0; 2]; n],
        phi: None,
        joint: &[],
    };
    let verdict = if sum {
        check_sum(&problem, terms, EPSILON, answer)?
    } else {
        check(&problem, terms, answer)?
    };
    Ok(verdict.solved)
}
