//! Generic mechanical problems (GMP) of Siconos files: u = M r + q, with a law for each row of blocks of M.
//!
//! A matrix in sparse blocks, q, then a type for each row of blocks: 0, complementary (0 ≤ u ⟂ r ≥ 0); 2, bilateral (u = 0); 4, a contact in
//! space with friction, normal first, followed by its μ. The format has other types, but no room for their data: friction in the plane (3) without
//! μ, relays (9) without bounds. They are refused.
//!
//! Complementary rows become contacts without friction, bilateral ones joint rows. Where M is not symmetric positive semidefinite, which no contact
//! problem allows, and nothing has friction, the file holds an MLCP.

use stiction_contact::{ContactProblem, LocalProblem};
use stiction_lcp::{Matrix, Mlcp};

use super::matrix::read_blocks;
use super::tokens::Tokens;
use crate::bad_input::{BadInput, one_line};
use crate::read::sparse::{Sparse, check_contacts};
use crate::read::{Content, Given, MAX_SPARSE_ORDER, Named, Problem, RawFile};

const COMPLEMENTARY: usize = 0;
const BILATERAL: usize = 2;
const FRICTION: usize = 4;
/// Largest difference of an entry of M from that of the problem built, relative to √(M_rr M_cc), that is not told.
const MATRIX_REL_TOL: f64 = 1e-12;

/// What a row, or three of them, shall satisfy.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Law {
    Complementary,
    Bilateral,
    Friction(f64),
}

impl Law {
    fn rows(self) -> usize {
        if matches!(self, Self::Friction(_)) { 3 } else { 1 }
    }
}

/// A problem as its file gives it.
struct Gmp {
    matrix: Sparse,
    q: Vec<f64>,
    /// In the order of their rows.
    laws: Vec<Law>,
}

/// Whether a text starts with a square matrix in sparse blocks: `1 n n blocks rows columns`. An LCP of one variable in sparse blocks starts
/// `1 1 1 1` and has a number more before the length of its row index, which is 2.
pub(in crate::read) fn recognises(text: &str) -> bool {
    let start: Vec<&str> = text.split_ascii_whitespace().take(9).collect();
    match start[..] {
        ["1", "1", "1", "1", "1", "1", "1", "1", length] => length == "2",
        ["1", rows, columns, ..] => rows == columns && rows.parse::<usize>().is_ok_and(|n| n > 1),
        _ => false,
    }
}

/// Reads the problem of a file.
pub(in crate::read) fn read(text: &str, name: &str) -> Result<Content, BadInput> {
    let gmp = parse(&mut Tokens::new(text))?;
    let has_friction = gmp.laws.iter().any(|law| law.rows() > 1);
    match gmp.contacts() {
        Ok((problem, notes)) => Ok(Content::Raw(Box::new(RawFile {
            name: one_line(name),
            format: "Siconos GMP text",
            problem,
            given: Given::Blocks,
            notes,
        }))),
        Err(bad) if has_friction => Err(bad),
        Err(_) => Ok(Content::Problems(vec![Named::new(name, gmp.mlcp()?)])),
    }
}

fn parse(tokens: &mut Tokens<'_>) -> Result<Gmp, BadInput> {
    let (matrix, ends) = read_blocks(tokens)?;
    let n = matrix.rows();
    if matrix.columns() != n {
        return Err(tokens.bad(format!("M must be square, found {n} by {}", matrix.columns())));
    }
    if n > MAX_SPARSE_ORDER {
        return Err(tokens.bad(format!("M must have at most {MAX_SPARSE_ORDER} rows, found {n}")));
    }
    let q = tokens.numbers(n, "q")?;
    let mut laws = Vec::new();
    let mut start = 0;
    for (block, end) in ends.into_iter().enumerate() {
        let rows = end - start;
        start = end;
        match tokens.whole("type of a block")? {
            COMPLEMENTARY => laws.resize(laws.len() + rows, Law::Complementary),
            BILATERAL => laws.resize(laws.len() + rows, Law::Bilateral),
            FRICTION if rows == 3 => laws.push(Law::Friction(tokens.number("mu")?)),
            FRICTION => {
                let problem = format!("block {block} has friction in space and must have 3 rows, found {rows}");
                return Err(tokens.bad(problem));
            }
            other => {
                let known = "0 (complementary), 2 (bilateral) or 4 (friction in space)";
                return Err(tokens.bad(format!("type of block {block} must be {known}, found {other}")));
            }
        }
    }
    Ok(Gmp { matrix, q, laws })
}

impl Gmp {
    /// The contact problem, and what was found about M.
    fn contacts(&self) -> Result<(ContactProblem, Vec<String>), BadInput> {
        check_contacts("M", self.laws.len())?;
        // Each law takes three rows of W, as a contact does: the others have second and third rows of zeros.
        let wide = 3 * self.laws.len();
        let mut place = Vec::with_capacity(self.q.len());
        for (k, law) in self.laws.iter().enumerate() {
            place.extend(3 * k..3 * k + law.rows());
        }
        let (mut delassus, mut q) = (vec![0.0; wide * wide], vec![0.0; wide]);
        for (r, c, x) in self.matrix.entries() {
            delassus[place[*r] * wide + place[*c]] = *x;
        }
        for (r, x) in self.q.iter().enumerate() {
            q[place[r]] = *x;
            let own = delassus[place[r] * (wide + 1)];
            if own < 0.0 || own == 0.0 && place[r].is_multiple_of(3) {
                return Err(BadInput::new(
                    format!("M[{r}][{r}]"),
                    format!("must be positive, found {own}"),
                ));
            }
        }
        let mu = |law: &Law| if let Law::Friction(mu) = law { *mu } else { 0.0 };
        let local = LocalProblem::new(3, delassus, q, self.laws.iter().map(mu).collect())?;
        if !local.is_symmetric() {
            let problem = format!(
                "must be symmetric: difference of mirrored entries relative to the largest, found {:.0e}",
                local.asymmetry()
            );
            return Err(BadInput::new("M", problem));
        }
        let built = local.problem()?;
        let mut notes = Vec::new();
        let off = difference(&local, &built);
        if off > MATRIX_REL_TOL {
            notes.push(format!(
                "M is positive semidefinite only to the digits of the file: a matrix that differs by {off:.0e} is taken"
            ));
        }
        Ok((with_joints(&built, &self.laws)?, notes))
    }

    /// The same without friction as an MLCP.
    fn mlcp(&self) -> Result<Problem, BadInput> {
        let n = self.q.len();
        let mut columns = vec![0.0; n * n];
        for (r, c, x) in self.matrix.entries() {
            columns[c * n + r] = *x;
        }
        let low = |law: &Law| match law {
            Law::Bilateral => f64::NEG_INFINITY,
            _ => 0.0,
        };
        let lower = self.laws.iter().map(low).collect();
        let matrix = Matrix::from_columns(n, columns)?;
        Ok(Problem::Mlcp(Mlcp::new(
            matrix,
            self.q.clone(),
            lower,
            vec![f64::INFINITY; n],
        )?))
    }
}

/// The rows of a contact over a block.
type Part<'a> = (usize, [&'a [f64]; 3]);

fn parts(problem: &ContactProblem, contact: usize) -> Vec<Part<'_>> {
    let columns = problem.columns_tilde(contact);
    let rows = [columns.normal, columns.tangents[0], columns.tangents[1]];
    columns
        .touches
        .iter()
        .map(|touch| (touch.block, rows.map(|row| &row[touch.start..touch.start + touch.len])))
        .collect()
}

/// The problem with joint rows in place of the contacts that stand for them.
fn with_joints(built: &ContactProblem, laws: &[Law]) -> Result<ContactProblem, BadInput> {
    let mut problem = ContactProblem::new();
    for block in 0..built.block_count() {
        problem.add_block(built.mass(block), &built.v_free()[built.block_range(block)])?;
    }
    for (k, law) in laws.iter().enumerate() {
        let (parts, bias) = (parts(built, k), built.bias(k));
        match law {
            Law::Bilateral => {
                let rows: Vec<_> = parts.iter().map(|(block, rows)| (*block, rows[0])).collect();
                problem.add_joint(&rows, bias[0])?;
            }
            Law::Complementary | Law::Friction(_) => {
                let contact = problem.add_contact(&parts, built.mu(k))?;
                problem.set_bias(contact, bias)?;
            }
        }
    }
    Ok(problem)
}

/// Largest difference of W from that of a problem with unit masses, relative to √(W_rr W_cc).
fn difference(local: &LocalProblem, built: &ContactProblem) -> f64 {
    let (delassus, wide) = (local.W(), local.q().len());
    let mut rows = vec![vec![0.0; built.v_free().len()]; wide];
    for contact in 0..built.contact_count() {
        for (block, three) in parts(built, contact) {
            let range = built.block_range(block);
            for (row, values) in rows[3 * contact..].iter_mut().zip(three) {
                row[range.clone()].copy_from_slice(values);
            }
        }
    }
    let mut worst = 0.0_f64;
    for r in 0..wide {
        for c in 0..=r {
            let size = delassus[r * (wide + 1)].sqrt() * delassus[c * (wide + 1)].sqrt();
            if size > 0.0 {
                let sum: f64 = rows[r].iter().zip(&rows[c]).map(|(x, y)| x * y).sum();
                worst = worst.max((sum - 0.5 * (delassus[r * wide + c] + delassus[c * wide + r])).abs() / size);
            }
        }
    }
    worst
}
