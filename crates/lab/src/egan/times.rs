//! Times of the forms in one run, as ratios \[Egan VI\].

use std::fmt::Write as _;
use std::time::Instant;

use stiction_contact::{ContactProblem, ContactSolver, InputError, Law, Method, Options, Status};

use super::Part;
use crate::campaign::families::Rng;
use crate::scenarios::seed;
use stiction_answers::timing::{median, time_us};
use stiction_formats::BadInput;

/// Problems of each size, and of a quick run.
const PROBLEMS_PER_SIZE: usize = 40;
const QUICK_PROBLEMS_PER_SIZE: usize = 5;
/// Numbers of groups and of sides of each.
const SIZES: [(usize, usize); 5] = [(1, 2), (1, 6), (2, 3), (4, 2), (4, 6)];

/// Point masses, each before a corner of some sides and held to its neighbour's height by a convex contact; `nonconvex`: sides as groups.
fn problem(groups: usize, sides: usize, nonconvex: bool, rng: &mut Rng) -> Result<ContactProblem, InputError> {
    let mut problem = ContactProblem::new();
    for group in 0..groups {
        problem.add_block(
            &[1.0, 0.0, 0.0, 1.0],
            &[rng.uniform(-0.5, 0.5), rng.uniform(-2.0, -1.0)],
        )?;
        let mut list = Vec::new();
        for i in 0..sides {
            let angle = 2.0 * ((i as f64 + 0.5) / sides as f64 - 0.5) + rng.uniform(-0.1, 0.1);
            let (sin, cos) = libm::sincos(angle);
            let contact = problem.add_contact(&[(group, [&[sin, cos], &[cos, -sin], &[0.0, 0.0]])], 0.0)?;
            problem.set_bias(contact, [rng.uniform(0.0, 0.5), 0.0, 0.0])?;
            list.push(vec![contact]);
        }
        if group > 0 {
            let (up, down, zero) = ([0.0, 1.0], [0.0, -1.0], [0.0, 0.0]);
            let contact =
                problem.add_contact(&[(group, [&up, &zero, &zero]), (group - 1, [&down, &zero, &zero])], 0.0)?;
            problem.set_bias(contact, [rng.uniform(0.0, 0.5), 0.0, 0.0])?;
        }
        if nonconvex {
            let list: Vec<&[usize]> = list.iter().map(Vec::as_slice).collect();
            problem.add_group(&list)?;
        }
    }
    Ok(problem)
}

/// Median time of a way over problems \[us\], and whether all were verified.
fn measure(problems: &[ContactProblem], method: Option<Method>) -> Result<(f64, bool), BadInput> {
    let (mut times, mut verified) = (Vec::new(), true);
    let mut solver = ContactSolver::new(Options {
        law: Law::Frictionless,
        method,
        ..Options::default()
    })?;
    for problem in problems {
        let start = Instant::now();
        verified &= solver.solve(problem)?.status == Status::Solved;
        times.push(time_us(start.elapsed(), || {
            solver.forget();
            solver.solve(problem)?;
            Ok(())
        })?);
    }
    Ok((median(times), verified))
}

/// Ratios of median times; max is a search over sides, not the LCP of the paper, which Lemke's method cannot solve.
pub(super) fn ratios(quick: bool) -> Result<Part, BadInput> {
    let count = if quick {
        QUICK_PROBLEMS_PER_SIZE
    } else {
        PROBLEMS_PER_SIZE
    };
    let mut text = String::from(
        "Ratios of median times of one solve in this run, sides of one contact without friction (the paper prints no times; it says that the summation form is the quicker)\n",
    );
    let mut clean = true;
    for (groups, sides) in SIZES {
        let make = |nonconvex: bool| -> Result<Vec<ContactProblem>, InputError> {
            let mut rng = Rng::new(seed(&format!("egan{groups}x{sides}")));
            (0..count)
                .map(|_| problem(groups, sides, nonconvex, &mut rng))
                .collect()
        };
        let (nonconvex, convex) = (make(true)?, make(false)?);
        let (max, max_verified) = measure(&nonconvex, None)?;
        let (sum, _) = measure(&nonconvex, Some(Method::NonconvexSum))?;
        let (plain, plain_verified) = measure(&convex, Some(Method::LemkeStandard))?;
        clean &= max_verified && plain_verified;
        let _ = writeln!(
            text,
            "  {groups} groups of {sides} sides   max : convex {:.1}   sum : convex {:.1}   max : sum {:.2}",
            max / plain,
            sum / plain,
            max / sum
        );
    }
    Ok(Part { text, clean })
}
