//! Seeded problems of every matrix class, and a check of answers that shares nothing with the library's judge: w = Mz + q
//! is summed in rationals.

// Each test uses its own part.
#![allow(dead_code)]

#[path = "../../src/testing.rs"]
pub(crate) mod testing;

use dashu_base::{Abs, Signed};
use stiction_lcp::exact::{Enumeration, ExactLcp, RBig, enumerate_exact};
use stiction_lcp::{Certificate, Lcp, Matrix, Mlcp, Solution, Status};
use testing::Rng;

/// What the solver promises by default.
pub(crate) const TOLERANCE: f64 = 1e-10;

/// Variables up to which all cones are tried in rationals.
pub(crate) const ALL_CONES: usize = 12;

/// A problem with bounds, its matrix by rows.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) name: String,
    pub(crate) rows: Vec<Vec<f64>>,
    pub(crate) q: Vec<f64>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
}

impl Problem {
    pub(crate) fn new(name: &str, rows: Vec<Vec<f64>>, q: Vec<f64>) -> Self {
        let n = q.len();
        Self {
            name: name.to_owned(),
            rows,
            q,
            lower: vec![0.0; n],
            upper: vec![f64::INFINITY; n],
        }
    }

    pub(crate) fn bounded(name: &str, rows: Vec<Vec<f64>>, q: Vec<f64>, bounds: &[(f64, f64)]) -> Self {
        let (lower, upper) = bounds.iter().copied().unzip();
        Self {
            lower,
            upper,
            ..Self::new(name, rows, q)
        }
    }

    pub(crate) fn n(&self) -> usize {
        self.q.len()
    }

    pub(crate) fn lcp(&self) -> Lcp {
        Lcp::from_rows(&self.rows, &self.q).unwrap()
    }

    pub(crate) fn mlcp(&self) -> Mlcp {
        let M = Matrix::from_rows(&self.rows).unwrap();
        Mlcp::new(M, self.q.clone(), self.lower.clone(), self.upper.clone()).unwrap()
    }

    /// The problem for a message that has to be copied into a test; large ones by name alone.
    pub(crate) fn show(&self) -> String {
        if self.n() > 8 {
            return format!("{} (n = {})", self.name, self.n());
        }
        let (rows, q) = (&self.rows, &self.q);
        format!(
            "{}: M = {rows:?}, q = {q:?}, bounds {:?} {:?}",
            self.name, self.lower, self.upper
        )
    }

    /// Whether the problem has a solution, by trying all cones in rationals.
    pub(crate) fn is_solvable(&self) -> bool {
        match enumerate_exact(&ExactLcp::from_lcp(&self.lcp()), ALL_CONES) {
            Enumeration::Found { .. } => true,
            Enumeration::None { .. } => false,
            other => panic!("{}: {other:?}", self.show()),
        }
    }
}

pub(crate) fn rational(v: f64) -> RBig {
    RBig::try_from(v).unwrap()
}

fn larger(a: RBig, b: RBig) -> RBig {
    if a < b { b } else { a }
}

/// Mz + q and |q| + |M||z|, without rounding.
pub(crate) fn exact_w(problem: &Problem, z: &[f64]) -> (Vec<RBig>, Vec<RBig>) {
    let support: Vec<(usize, RBig)> = z.iter().map(|v| rational(*v)).enumerate().collect();
    let support: Vec<&(usize, RBig)> = support.iter().filter(|(_, z)| !z.is_zero()).collect();
    let row_sums = |(row, q): (&Vec<f64>, &f64)| {
        let mut sums = (rational(*q), rational(q.abs()));
        for (j, z) in support.iter().filter(|(j, _)| row[*j] != 0.0) {
            let term = rational(row[*j]) * z;
            sums.1 += term.clone().abs();
            sums.0 += term;
        }
        sums
    };
    problem.rows.iter().zip(&problem.q).map(row_sums).unzip()
}

/// What rounding may leave of the terms of a row, and the most that is excused.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
const MOST_EXCUSED: f64 = 1e-8;

/// What row i is measured by, and what is excused of it: |q_i|, or the terms of the row as far as no number that drives the problem is smaller.
fn scale_of_row(problem: &Problem, z: &[f64], terms: &RBig, i: usize) -> (RBig, RBig) {
    let n = problem.n();
    let at_bound = |j: &usize| z[*j] != 0.0 && (z[*j] == problem.lower[*j] || z[*j] == problem.upper[*j]);
    let drives = |k: usize| {
        let products = (0..n)
            .filter(at_bound)
            .map(|j| rational(problem.rows[k][j]) * rational(z[j]));
        products.fold(rational(problem.q[k].abs()), |most, x| larger(most, x.abs()))
    };
    let largest = (0..n).fold(RBig::ZERO, |most, k| larger(most, drives(k)));
    let largest = if largest.is_zero() { terms.clone() } else { largest };
    let smaller = |a: RBig, b: RBig| if a < b { a } else { b };
    let scale = larger(drives(i), smaller(terms.clone(), largest.clone()));
    // A speck of rounding in another variable is no more than this.
    let speck = rational(ROUNDING) * &largest;
    let excused = smaller(rational(ROUNDING) * terms, rational(MOST_EXCUSED) * largest);
    (scale, excused + speck)
}

/// The largest residual of a row as the documentation defines it, rounding excused, or what is wrong with z: w_i beside the scale of its row, or z_i's distance
/// from its bound by what it does to each row, whichever is less. Rows are measured without units and blocks: the library's judge asks for as much or more.
pub(crate) fn verify(problem: &Problem, z: &[f64], tolerance: f64) -> Result<f64, String> {
    let n = problem.n();
    if z.len() != n || z.iter().any(|v| !v.is_finite()) {
        return Err(format!("expected {n} finite numbers, found {z:?}"));
    }
    let (w, terms) = exact_w(problem, z);
    let scales: Vec<_> = (0..n).map(|i| scale_of_row(problem, z, &terms[i], i)).collect();
    let relative = |left: &RBig, i: usize| {
        let (scale, excused) = &scales[i];
        if left <= excused {
            return 0.0;
        }
        let relative = if scale.is_zero() {
            f64::INFINITY
        } else {
            ((left - excused) / scale).to_f64().value()
        };
        relative.abs()
    };
    let mut worst = (0, 0.0);
    for i in 0..n {
        if z[i] < problem.lower[i] || z[i] > problem.upper[i] {
            let (l, u) = (problem.lower[i], problem.upper[i]);
            return Err(format!("worst index {i}: expected {l} <= z <= {u}, found {}", z[i]));
        }
        let bound = if w[i].is_negative() {
            problem.upper[i]
        } else {
            problem.lower[i]
        };
        let mut off = relative(&w[i].clone().abs(), i);
        if bound.is_finite() && off > tolerance {
            let distance = (rational(z[i]) - rational(bound)).abs();
            let column = || (0..n).filter(|k| problem.rows[*k][i] != 0.0);
            let acts = |k: usize| relative(&(rational(problem.rows[k][i]).abs() * &distance), k);
            let far = match column().next() {
                None if distance.is_zero() => 0.0,
                None => f64::INFINITY,
                Some(_) => column().map(acts).fold(0.0, f64::max),
            };
            off = off.min(far);
        }
        if off > worst.1 {
            worst = (i, off);
        }
    }
    if worst.1 <= tolerance {
        return Ok(worst.1);
    }
    let (i, off) = worst;
    let w = w[i].to_f64().value();
    Err(format!(
        "worst index {i}: expected a residual of at most {tolerance:e}, found {off:e}; z = {:e}, w = {w:e}",
        z[i]
    ))
}

/// A solution with status solved: z passes [`verify`], and the w beside it is Mz + q.
pub(crate) fn assert_solved(solver: &str, problem: &Problem, solution: &Solution) {
    assert_eq!(
        solution.status,
        Status::Solved,
        "{solver}, {}: residual {:?}, runs {:?}",
        problem.show(),
        solution.residual,
        solution.stats.runs
    );
    assert!(solution.certificate.is_none(), "{solver}, {}", problem.show());
    if let Err(wrong) = verify(problem, &solution.z, TOLERANCE) {
        panic!("{solver}, {}: {wrong}", problem.show());
    }
    let (w, terms) = exact_w(problem, &solution.z);
    for i in 0..problem.n() {
        let found = solution.w[i];
        // A sum of n products is off by at most n + 2 roundings of its terms, and by 2⁻¹⁰⁷⁴ where they underflow.
        let roundings = 1.2e-16 * (problem.n() + 2) as f64;
        let allowed = rational(roundings) * &terms[i] + rational(f64::from_bits(2 * problem.n() as u64));
        let overflows = w[i].to_f64().value().is_infinite();
        assert!(
            overflows || (found.is_finite() && (rational(found) - &w[i]).abs() <= allowed),
            "{solver}, {}: w[{i}]: expected {:e}, found {found:e}",
            problem.show(),
            w[i].to_f64().value()
        );
    }
}

/// y ≥ 0, Mᵀy ≤ 0 and qᵀy < 0, from the strings of the certificate.
pub(crate) fn assert_farkas(solver: &str, problem: &Problem, solution: &Solution) {
    let Some(Certificate::Farkas { y }) = &solution.certificate else {
        panic!(
            "{solver}, {}: expected a Farkas vector, found {:?}",
            problem.show(),
            solution.certificate
        );
    };
    let y: Vec<RBig> = y.iter().map(|text| text.parse().unwrap()).collect();
    let sum = |column: &dyn Fn(usize) -> f64| {
        let terms = y.iter().enumerate().map(|(i, y)| rational(column(i)) * y);
        terms.fold(RBig::ZERO, |sum, term| sum + term)
    };
    assert_eq!(y.len(), problem.n(), "{solver}, {}", problem.show());
    for j in 0..problem.n() {
        let column = sum(&|i| problem.rows[i][j]);
        let right = !y[j].is_negative() && (column.is_zero() || column.is_negative());
        assert!(
            right,
            "{solver}, {}: index {j}: y = {}, (M'y) = {column}",
            problem.show(),
            y[j]
        );
    }
    let against = sum(&|i| problem.q[i]);
    assert!(
        against.is_negative(),
        "{solver}, {}: expected q'y < 0, found {against}",
        problem.show()
    );
}

/// Whatever the status says is true; `is_solvable` is asked only where it matters.
pub(crate) fn assert_honest(solver: &str, problem: &Problem, solution: &Solution) {
    match solution.status {
        Status::Solved => assert_solved(solver, problem, solution),
        Status::Infeasible => assert_farkas(solver, problem, solution),
        Status::Unsolvable => {
            let expected = Certificate::Exhaustion {
                cones: 1 << problem.n(),
            };
            assert_eq!(
                solution.certificate,
                Some(expected),
                "{solver}, {}: index -",
                problem.show()
            );
            assert!(
                problem.n() > ALL_CONES || !problem.is_solvable(),
                "{solver}, {}: expected a solution, found {:?}",
                problem.show(),
                solution.status
            );
        }
        _ => assert!(
            !solution.proven(),
            "{solver}, {}: {:?} with a proof",
            problem.show(),
            solution.status
        ),
    }
}

/// Two vectors, relative to the larger of 1 and the largest expected entry.
pub(crate) fn assert_close(context: &str, name: &str, expected: &[f64], found: &[f64], tolerance: f64) {
    assert_eq!(expected.len(), found.len(), "{context}");
    let size = expected.iter().fold(1.0f64, |m, v| v.abs().max(m));
    let distance = |i: usize| (expected[i] - found[i]).abs();
    let worst = (0..expected.len()).max_by(|&i, &j| distance(i).total_cmp(&distance(j)));
    if let Some(i) = worst {
        assert!(
            distance(i) <= tolerance * size,
            "{context}: {name}[{i}]: expected {}, found {}",
            expected[i],
            found[i]
        );
    }
}

pub(crate) fn random(n: usize, rng: &mut Rng) -> Vec<f64> {
    (0..n).map(|_| rng.symmetric()).collect()
}

/// An integer in −size..=size.
pub(crate) fn integer(size: usize, rng: &mut Rng) -> f64 {
    rng.below(2 * size + 1) as f64 - size as f64
}

pub(crate) fn integers(n: usize, size: usize, rng: &mut Rng) -> Vec<f64> {
    (0..n).map(|_| integer(size, rng)).collect()
}

pub(crate) fn product(rows: &[Vec<f64>], v: &[f64]) -> Vec<f64> {
    rows.iter().map(|row| dot(row, v)).collect()
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// N Nᵀ, symmetric to the last bit.
pub(crate) fn gram(N: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let entry = |i: usize, j: usize| dot(&N[i.min(j)], &N[i.max(j)]);
    (0..N.len())
        .map(|i| (0..N.len()).map(|j| entry(i, j)).collect())
        .collect()
}

pub(crate) fn symmetric_pd(n: usize, rng: &mut Rng) -> Problem {
    let N: Vec<Vec<f64>> = (0..n).map(|_| random(n + 2, rng)).collect();
    let mut rows = gram(&N);
    (0..n).for_each(|i| rows[i][i] += 0.1);
    Problem::new("symmetric PD", rows, random(n, rng))
}

/// Rank-deficient, with q in the range: in doubles, so exact only to rounding.
pub(crate) fn psd_in_range(n: usize, rank: usize, rng: &mut Rng) -> Problem {
    let N: Vec<Vec<f64>> = (0..n).map(|_| random(rank, rng)).collect();
    let q = product(&N, &random(rank, rng));
    Problem::new("PSD in range", gram(&N), q)
}

/// The same in integers, hence without rounding.
pub(crate) fn psd_integer(n: usize, rank: usize, rng: &mut Rng) -> Problem {
    let N: Vec<Vec<f64>> = (0..n).map(|_| integers(rank, 3, rng)).collect();
    let q = product(&N, &integers(rank, 3, rng));
    Problem::new("PSD in range, integer", gram(&N), q)
}

pub(crate) fn nonsymmetric_pd(n: usize, rng: &mut Rng) -> Problem {
    let mut problem = symmetric_pd(n, rng);
    for i in 0..n {
        for j in 0..i {
            let skew = 2.0 * rng.symmetric();
            problem.rows[i][j] += skew;
            problem.rows[j][i] -= skew;
        }
    }
    "nonsymmetric PD".clone_into(&mut problem.name);
    problem
}

/// A shuffled 0..n.
pub(crate) fn permutation(n: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    (1..n).for_each(|i| order.swap(i, rng.below(i + 1)));
    order
}

/// Triangular with a positive diagonal, rows and columns in another order.
pub(crate) fn p_matrix(n: usize, rng: &mut Rng) -> Problem {
    let order = permutation(n, rng);
    let mut rows = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in i..n {
            let value = if i == j {
                1.25 + 0.75 * rng.symmetric()
            } else {
                2.0 * rng.symmetric()
            };
            rows[order[i]][order[j]] = value;
        }
    }
    Problem::new("P-matrix", rows, random(n, rng))
}

/// Contacts with Coulomb friction on one free body: [NᵀN NᵀD 0; DᵀN DᵀD E; μ −Eᵀ 0] and (Nᵀk, Dᵀk, 0), which always has a
/// solution. Four directions a contact.
pub(crate) fn friction(contacts: usize, rng: &mut Rng) -> Problem {
    let columns: Vec<[Vec<f64>; 3]> = (0..contacts)
        .map(|_| [random(6, rng), random(6, rng), random(6, rng)])
        .collect();
    let mut jacobian: Vec<Vec<f64>> = columns.iter().map(|c| c[0].clone()).collect();
    for [_, x, y] in &columns {
        for (direction, sign) in [(x, 1.0), (y, 1.0), (x, -1.0), (y, -1.0)] {
            jacobian.push(direction.iter().map(|v| sign * v).collect());
        }
    }
    let k: Vec<f64> = random(6, rng).iter().map(|v| 3.0 * v).collect();
    let (n, impulses) = (6 * contacts, 5 * contacts);
    let mut rows = gram(&jacobian);
    for row in &mut rows {
        row.resize(n, 0.0);
    }
    rows.resize(n, vec![0.0; n]);
    for c in 0..contacts {
        rows[impulses + c][c] = 0.5 + 0.4 * rng.symmetric();
        for direction in contacts + 4 * c..contacts + 4 * c + 4 {
            rows[direction][impulses + c] = 1.0;
            rows[impulses + c][direction] = -1.0;
        }
    }
    let mut q = product(&jacobian, &k);
    q.resize(n, 0.0);
    Problem::new("friction", rows, q)
}

/// No positive entry off the diagonal; with `dominant` an M-matrix, otherwise often without solution. Integers.
pub(crate) fn z_matrix(n: usize, dominant: bool, rng: &mut Rng) -> Problem {
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|_| (0..n).map(|_| -(rng.below(4) as f64)).collect())
        .collect();
    for i in 0..n {
        rows[i][i] = 0.0;
        let off: f64 = rows[i].iter().sum();
        rows[i][i] = if dominant {
            1.0 - off
        } else {
            integer(2, rng) + (-off / 2.0).floor()
        };
    }
    let name = if dominant { "M-matrix" } else { "Z-matrix" };
    Problem::new(name, rows, integers(n, 5, rng))
}

/// A linear program min cᵀx, Ax ≥ b, x ≥ 0 with `n` variables and `m` rows in integers as an LCP: [0 −Aᵀ; A 0] and (c, −b). With
/// `solvable` both it and its dual are feasible.
pub(crate) fn linear_program(n: usize, m: usize, solvable: bool, rng: &mut Rng) -> Problem {
    let A: Vec<Vec<f64>> = (0..m).map(|_| integers(n, 4, rng)).collect();
    let (mut b, mut c) = (integers(m, 4, rng), integers(n, 4, rng));
    if solvable {
        let x: Vec<f64> = integers(n, 3, rng).iter().map(|v| v.abs()).collect();
        let y: Vec<f64> = integers(m, 3, rng).iter().map(|v| v.abs()).collect();
        for i in 0..m {
            b[i] = dot(&A[i], &x) - rng.below(3) as f64;
        }
        for j in 0..n {
            c[j] = (0..m).map(|i| A[i][j] * y[i]).sum::<f64>() + rng.below(3) as f64;
        }
    }
    let mut rows = vec![vec![0.0; n + m]; n + m];
    for i in 0..m {
        for j in 0..n {
            rows[n + i][j] = A[i][j];
            rows[j][n + i] = -A[i][j];
        }
    }
    c.extend(b.iter().map(|v| -v));
    Problem::new("linear program", rows, c)
}

/// Small integers everywhere, some zero: no class.
pub(crate) fn no_class(n: usize, rng: &mut Rng) -> Problem {
    let rows = (0..n).map(|_| integers(n, 4, rng)).collect();
    Problem::new("integers of no class", rows, integers(n, 5, rng))
}

/// Symmetric, in integers, hardly ever semidefinite.
pub(crate) fn symmetric_indefinite(n: usize, rng: &mut Rng) -> Problem {
    let mut problem = no_class(n, rng);
    for i in 0..n {
        for j in 0..i {
            problem.rows[i][j] = problem.rows[j][i];
        }
    }
    "symmetric indefinite".clone_into(&mut problem.name);
    problem
}

/// x with Ax = b by Gauss with row exchanges; `None` when A is singular to about 1e-12.
pub(crate) fn gauss(mut A: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| A[i][k].abs().total_cmp(&A[j][k].abs()))?;
        if A[pivot][k].abs() < 1e-12 {
            return None;
        }
        A.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = A[i][k] / A[k][k];
            for j in k..n {
                A[i][j] -= factor * A[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known = dot(&A[k][k + 1..], &b[k + 1..]);
        b[k] = (b[k] - known) / A[k][k];
    }
    Some(b)
}
