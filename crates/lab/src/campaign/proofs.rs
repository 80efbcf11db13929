//! `stiction-lab campaign exact`: answers proven in rationals; `stiction-lab campaign infeasible`: problems without an answer, and the proof of it.
//!
//! The data of `exact` are dyadic (points and pushes in 64ths, masses powers of two, normals along the axes, four friction directions),
//! so that the doubles are the rationals meant and redundant contacts are redundant exactly.

use std::time::Instant;

use serde_json::json;
use stiction_contact::{ContactSolver, Law, Options, Status, check};
use stiction_lcp::exact::{ExactLcp, ExactVerdict, Proof, check_farkas, parse_decimal, prove};
use stiction_lcp::{Certificate, Lcp, Solver};

use super::alike::LAWS;
use super::families::{Family, Rng, Scene};
use super::runner::{Kind, Trial};
use super::sample::Sample;
use stiction_formats::BadInput;

/// Friction directions: with four, all numbers are dyadic.
const DIRECTIONS: usize = 4;
/// Dyadic, near a million.
const HEAVY_MASS: f64 = 1_048_576.0;

/// Names of the rows of `exact`.
const RATIONAL: [&str; 6] = [
    "face, 3-8",
    "corner, 12",
    "stack, 1-3 blocks",
    "stack, mass ratio 2^20",
    "corner, mu = 1e6",
    "corner, mu = 0",
];

/// Rational friction problems of up to 72 variables.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exact;

impl Kind for Exact {
    type Worker = Solver;

    fn name(&self) -> &'static str {
        "exact"
    }

    fn rows(&self) -> Vec<String> {
        RATIONAL.map(str::to_owned).to_vec()
    }

    fn columns(&self) -> &'static [&'static str] {
        &["final basis exact", "exact after pivots", "not proven", "unsolved"]
    }

    fn fine(&self) -> usize {
        2
    }

    fn figure(&self) -> &'static str {
        "distance of z"
    }

    fn worker(&self) -> Result<Solver, BadInput> {
        Ok(Solver::new())
    }

    fn attempt(&self, solver: &mut Solver, row: usize, rng: &mut Rng) -> Result<Trial, BadInput> {
        let lcp = rational(row, rng).lcp_with(DIRECTIONS)?;
        let start = Instant::now();
        let solution = solver.solve(&lcp)?;
        let problem = ExactLcp::from_lcp(&lcp);
        let (column, figure) = match solution.status {
            stiction_lcp::Status::Solved => match prove(&problem, &solution.z, &solution.w) {
                Proof::Proven {
                    z, pivots, distance, ..
                } if stiction_lcp::exact::check(&problem, &z) == ExactVerdict::Solution => {
                    (usize::from(pivots > 0), distance)
                }
                _ => (2, 0.0),
            },
            _ => (3, 0.0),
        };
        let time = start.elapsed();
        let file = (column >= self.fine()).then(|| lcp_file(&lcp, RATIONAL[row]));
        Ok(Trial {
            column,
            // From one basic solution to another is no error.
            figure: if column == 0 { figure } else { 0.0 },
            time,
            file,
        })
    }
}

fn lcp_file(lcp: &Lcp, name: &str) -> serde_json::Value {
    let n = lcp.n();
    let rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| lcp.M().at(i, j)).collect()).collect();
    json!({ "kind": "lcp", "name": name, "M": rows, "q": lcp.q() })
}

/// To 64ths.
fn dyadic(x: f64) -> f64 {
    (64.0 * x).round() / 64.0
}

fn rational(row: usize, rng: &mut Rng) -> Scene {
    let mut scene = match row {
        0 => flat(rng),
        1 => Family::Corner.scene(rng),
        2 => tower(rng, 1.0),
        3 => tower(rng, HEAVY_MASS),
        4 => Family::HighFriction.scene(rng),
        _ => Family::NoFriction.scene(rng),
    };
    for body in &mut scene.bodies {
        let mass = 1.0 / body.inverse_mass;
        body.k = body.k.map(|x| mass * dyadic(x / mass));
    }
    for contact in &mut scene.contacts {
        contact.mu = dyadic(contact.mu);
    }
    scene
}

/// A block on 3 to 8 points anywhere below it.
fn flat(rng: &mut Rng) -> Scene {
    let mut scene = Family::Face.scene(rng);
    for contact in &mut scene.contacts {
        for x in &mut contact.point[..2] {
            *x = dyadic(rng.uniform(-0.5, 0.5));
        }
    }
    scene
}

/// At most three cubes, the top one of mass `ratio`.
fn tower(rng: &mut Rng, ratio: f64) -> Scene {
    let mut scene = Scene::default();
    let count = rng.between(if ratio > 1.0 { 2 } else { 1 }, 3);
    for level in 0..count {
        let mass = if level + 1 == count { ratio } else { 1.0 };
        let mut k = [0.0, 0.0, -mass, 0.0, 0.0, 0.0];
        if level + 1 == count {
            for x in &mut k {
                *x += 0.3 * mass * rng.normal();
            }
        }
        let height = level as f64;
        let block = scene.block([0.0, 0.0, height + 0.5], mass, k);
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            let mu = rng.uniform(0.2, 0.8);
            scene.touch(block, block.checked_sub(1), [x, y, height], [0.0, 0.0, 1.0], mu);
        }
    }
    scene
}

/// Names of the rows of `infeasible`.
const PLANTED: [&str; 4] = [
    "LCP, planted Farkas vector",
    "opposite walls",
    "three walls about a centre",
    "squeezed stack",
];

/// Problems without an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Infeasible;

impl Kind for Infeasible {
    type Worker = ();

    fn name(&self) -> &'static str {
        "infeasible"
    }

    fn rows(&self) -> Vec<String> {
        PLANTED.map(str::to_owned).to_vec()
    }

    fn columns(&self) -> &'static [&'static str] {
        &["proven", "refused, not proven", "certificate wrong", "called solved"]
    }

    // Every planted problem has its Farkas vector in the doubles given.
    fn fine(&self) -> usize {
        1
    }

    fn figure(&self) -> &'static str {
        "-"
    }

    fn worker(&self) -> Result<(), BadInput> {
        Ok(())
    }

    fn attempt(&self, (): &mut (), row: usize, rng: &mut Rng) -> Result<Trial, BadInput> {
        let start = Instant::now();
        let (column, file) = if row == 0 {
            let lcp = without_point(rng)?;
            (judge_lcp(&lcp)?, lcp_file(&lcp, PLANTED[row]))
        } else {
            let sample = squeezed(row, rng);
            let law = LAWS[rng.between(0, LAWS.len() - 1)];
            (judge_squeeze(&sample, law)?, sample.file(PLANTED[row]))
        };
        Ok(Trial {
            column,
            figure: 0.0,
            time: start.elapsed(),
            file: (column >= self.fine()).then_some(file),
        })
    }
}

/// An LCP of 2 to 24 variables with whole numbers and a y ≥ 0 with yᵀM ≤ 0, yᵀq < 0: the last row of a random set is set so that its
/// weighted sum has the right signs.
fn without_point(rng: &mut Rng) -> Result<Lcp, BadInput> {
    let n = rng.between(2, 24);
    let mut whole = |low: f64, high: f64| rng.uniform(low, high).round();
    let mut rows: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| whole(-9.0, 9.0)).collect()).collect();
    let mut q: Vec<f64> = (0..n).map(|_| whole(-9.0, 9.0)).collect();
    let y: Vec<f64> = (0..n).map(|_| whole(-2.0, 3.0).max(0.0)).collect();
    let last = n - 1;
    for j in 0..n {
        let sum: f64 = (0..last).map(|i| y[i] * rows[i][j]).sum();
        rows[last][j] = -sum - whole(0.0, 3.0);
    }
    let sum: f64 = (0..last).map(|i| y[i] * q[i]).sum();
    q[last] = -sum - whole(1.0, 9.0);
    let columns = (0..n).flat_map(|j| rows.iter().map(move |row| row[j])).collect();
    Ok(Lcp::new(stiction_lcp::Matrix::from_columns(n, columns)?, q)?)
}

fn judge_lcp(lcp: &Lcp) -> Result<usize, BadInput> {
    let mut solver = Solver::new();
    let solution = solver.solve(lcp)?;
    Ok(match (&solution.status, &solution.certificate) {
        (stiction_lcp::Status::Solved, _) => 3,
        (stiction_lcp::Status::Infeasible, Some(Certificate::Farkas { y })) => {
            let y: Vec<_> = y.iter().filter_map(|text| parse_decimal(text)).collect();
            // The numbers are whole or fractions in text; both are read back.
            if y.len() == lcp.n() && check_farkas(&ExactLcp::from_lcp(lcp), &y) {
                0
            } else {
                2
            }
        }
        (stiction_lcp::Status::Infeasible, _) => 2,
        _ => 1,
    })
}

/// Bodies between walls that ask for more room than there is, among other contacts that ask for nothing.
fn squeezed(row: usize, rng: &mut Rng) -> Sample {
    let mut scene = match row {
        1 | 2 => Family::Random.scene(rng),
        _ => tower(rng, 1.0),
    };
    let planted = scene.contacts.len();
    match row {
        1 => {
            for axis in 0..rng.between(1, 3) {
                let point = rng.vector(0.3);
                for sign in [1.0, -1.0] {
                    let mut normal = [0.0; 3];
                    normal[axis] = sign;
                    scene.touch(0, None, point, normal, rng.uniform(0.0, 1.0));
                }
            }
        }
        2 => {
            for normal in [[1.0, 0.0, 0.0], [-0.6, 0.8, 0.0], [-0.6, -0.8, 0.0]] {
                scene.touch(0, None, normal.map(|x| -0.5 * x), normal, rng.uniform(0.0, 1.0));
            }
        }
        _ => {
            let top = scene.bodies.len() - 1;
            for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
                scene.touch(
                    top,
                    None,
                    [x, y, top as f64 + 1.0],
                    [0.0, 0.0, -1.0],
                    rng.uniform(0.0, 1.0),
                );
            }
        }
    }
    for contact in &mut scene.contacts[planted..] {
        contact.gap = -rng.uniform(0.01, 1.0);
    }
    Sample::of_scene(&scene)
}

fn judge_squeeze(sample: &Sample, law: Law) -> Result<usize, BadInput> {
    let problem = sample.problem()?;
    let options = Options {
        law,
        ..Options::default()
    };
    let mut solver = ContactSolver::new(options)?;
    let solution = solver.solve(&problem)?;
    Ok(match (&solution.status, &solution.ray) {
        (Status::Solved, _) => 3,
        // What is printed is read again: the text of the proof, and the speed of a squeeze that is none.
        (_, Some(ray)) if ray.infeasible => match &ray.proof {
            Some(proof) if check::proof_holds(&problem, proof) => 0,
            _ => 2,
        },
        (_, Some(ray)) if ray.least_speed > check::least_speed(&problem, &ray.contacts, &ray.joints) => 2,
        _ => 1,
    })
}

#[cfg(test)]
mod tests {
    use super::super::runner::{Settings, run};
    use super::*;

    #[test]
    fn answers_are_proven_in_rationals() {
        let found = run(&Exact, &Settings::of(120, 1), 0).unwrap();
        assert!(found.is_clean(), "{}", found.table());
    }

    #[test]
    fn every_planted_problem_is_proven_infeasible() {
        let found = run(&Infeasible, &Settings::of(200, 1), 0).unwrap();
        assert!(found.is_clean(), "{}", found.table());
    }
}
