//! Contact problems given by their Delassus matrix: u = W p + q, without bodies.

mod correct;
mod factor;
mod judge;
mod sparse;
#[cfg(test)]
mod tests;

use crate::error::{InputError, check_finite, check_length};
use crate::problem::{ContactPart, ContactProblem};
use factor::{Digits, Unexplained, coupled, low_rank_factor};
use sparse::sparse_factor;

pub use correct::LocalSolution;
pub use judge::LocalVerdict;

/// Largest difference of mirrored entries, relative to √(W_rr W_cc): matrices come out of files with some digits.
const SYMMETRY: f64 = 1e-8;

/// What W must be.
const SEMIDEFINITE: &str = "must be positive semidefinite: left beside the other rows";

impl ContactProblem {
    /// A problem from its Delassus matrix: contact velocities u = W p + q with W of 3n×3n, row-major, symmetric positive
    /// semidefinite, rows and columns in the order normal, tangent, tangent of each contact.
    ///
    /// W = LLᵀ by Cholesky with diagonal pivoting; the rows of L are the contacts' rows over a block of rank(W) coordinates with unit
    /// mass, one block for each set of contacts that W couples, or many small ones where it couples each with few others. Blocks stand still
    /// without contact, and q is the bias.
    ///
    /// ```
    /// use stiction_contact::ContactProblem;
    /// let W = [0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5];
    /// let problem = ContactProblem::from_local(&W, &[-1.0, 0.2, 0.0], &[0.7])?;
    /// assert_eq!((problem.contact_count(), problem.dof(), problem.bias(0)[0]), (1, 3, -1.0));
    /// # Ok::<(), stiction_contact::InputError>(())
    /// ```
    ///
    /// # Errors
    /// Lengths that do not match, numbers that are not finite, a matrix that is not symmetric or not positive semidefinite, a contact
    /// whose normal row is zero, `mu` negative or NaN. Entries are named `W[r][c]`, `q[r]`, `mu[i]`.
    pub fn from_local(W: &[f64], q: &[f64], mu: &[f64]) -> Result<Self, InputError> {
        let rows = check(3, W, q, mu)?;
        if let Some((r, c)) = asymmetric_entry(W, rows) {
            let requirement = "must be symmetric: difference of mirrored entries";
            let apart = W[r * rows + c] - W[c * rows + r];
            return Err(entry(3, [r, c], requirement, apart));
        }
        from_symmetric(3, (&symmetric_part(W, rows), q, mu), Digits::EXACT)
    }
}

/// A contact problem as its Delassus matrix: u = W p + q, numbers as given, normal first at each contact.
///
/// Programs that integrate gyroscopic forces implicitly have a W that is not symmetric. It is judged and solved as it is:
/// [`judge`](Self::judge) multiplies with W itself, and [`solve`](Self::solve) corrects the answer of the symmetric part until that judge
/// accepts it.
///
/// ```
/// use stiction_contact::{ContactSolver, LocalProblem, Options, Status};
/// let W = vec![0.5, 0.01, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5];
/// let local = LocalProblem::new(3, W, vec![-1.0, 0.2, 0.0], vec![0.7])?;
/// assert!(local.asymmetry() > 0.0);
/// let mut solver = ContactSolver::new(Options::default())?;
/// let answer = local.solve(&local.problem()?, &mut solver)?;
/// assert_eq!(answer.solution.status, Status::Solved);
/// # Ok::<(), stiction_contact::InputError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LocalProblem {
    /// 3n×3n, row-major; rows and columns of a second tangent that does not exist are zero.
    W: Vec<f64>,
    q: Vec<f64>,
    mu: Vec<f64>,
    dimension: usize,
}

impl LocalProblem {
    /// A problem of n contacts with `dimension` 2 (normal, tangent) or 3 (normal, two tangents): W is square with dimension·n rows,
    /// row-major; q has as many entries; `mu` has n.
    ///
    /// # Errors
    /// Another dimension, lengths that do not match, numbers that are not finite, a diagonal entry that is negative or below all normal
    /// doubles, a normal row without one, `mu` negative or NaN.
    pub fn new(dimension: usize, W: Vec<f64>, q: Vec<f64>, mu: Vec<f64>) -> Result<Self, InputError> {
        let rows = dimension * mu.len();
        check_length("q", rows, q.len())?;
        check_length("W", rows * rows, W.len())?;
        check_finite("q", &q)?;
        let (W, q) = match dimension {
            3 => (W, q),
            2 => padded(&W, &q, rows),
            _ => {
                return Err(InputError::value("dimension", "must be 2 or 3", dimension as f64));
            }
        };
        check(dimension, &W, &q, &mu)?;
        Ok(Self { W, q, mu, dimension })
    }

    /// 2 or 3.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Number of contacts n.
    #[must_use]
    pub fn contact_count(&self) -> usize {
        self.mu.len()
    }

    /// W, row-major, 3n×3n whatever the dimension: in the plane the rows and columns of second tangents are zero.
    #[must_use]
    pub fn W(&self) -> &[f64] {
        &self.W
    }

    /// Velocity without impulses, three numbers a contact [m/s].
    #[must_use]
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// Friction coefficient of each contact.
    #[must_use]
    pub fn mu(&self) -> &[f64] {
        &self.mu
    }

    /// Largest difference of mirrored entries relative to the largest entry.
    #[must_use]
    pub fn asymmetry(&self) -> f64 {
        let rows = self.q.len();
        let (mut apart, mut largest) = (0.0_f64, 0.0_f64);
        for r in 0..rows {
            for c in 0..rows {
                let x = self.W[r * rows + c];
                largest = largest.max(x.abs());
                apart = apart.max((x - self.W[c * rows + r]).abs());
            }
        }
        if apart > 0.0 { apart / largest } else { 0.0 }
    }

    /// Whether W differs from its transpose by more than the digits of a file.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        asymmetric_entry(&self.W, self.q.len()).is_none()
    }

    /// The problem of the symmetric part (W + Wᵀ)/2, built as by [`ContactProblem::from_local`]; where that is positive semidefinite only to
    /// the digits that a file was printed with, of a matrix near it.
    ///
    /// # Errors
    /// A symmetric part that is not positive semidefinite to 1e-4 of its diagonal.
    pub fn problem(&self) -> Result<ContactProblem, InputError> {
        let W = symmetric_part(&self.W, self.q.len());
        let with = |digits: Digits| from_symmetric(self.dimension, (&W, &self.q, &self.mu), digits);
        let exact = with(Digits::EXACT);
        if exact.is_ok() {
            return exact;
        }
        // What the factor leaves is corrected with what is not symmetric.
        Digits::FEWER
            .into_iter()
            .find_map(|digits| with(digits).ok())
            .map_or(exact, Ok)
    }
}

/// Rows and columns of zeros for the second tangents.
fn padded(W: &[f64], q: &[f64], rows: usize) -> (Vec<f64>, Vec<f64>) {
    let wide = rows / 2 * 3;
    let place = |r: usize| r / 2 * 3 + r % 2;
    let mut all = vec![0.0; wide * wide];
    let mut velocity = vec![0.0; wide];
    for r in 0..rows {
        velocity[place(r)] = q[r];
        for c in 0..rows {
            all[place(r) * wide + place(c)] = W[r * rows + c];
        }
    }
    (all, velocity)
}

/// Checks all but symmetry of a problem that was given in so many dimensions. Returns the number of rows.
fn check(dimension: usize, W: &[f64], q: &[f64], mu: &[f64]) -> Result<usize, InputError> {
    let rows = 3 * mu.len();
    check_length("q", rows, q.len())?;
    check_length("W", rows * rows, W.len())?;
    check_finite("q", q)?;
    if let Some(at) = W.iter().position(|x| !x.is_finite()) {
        return Err(entry(dimension, [at / rows, at % rows], "must be finite", W[at]));
    }
    for r in 0..rows {
        let own = W[r * rows + r];
        if own < 0.0 {
            return Err(entry(dimension, [r, r], "must not be negative", own));
        }
        // A mass beyond all doubles, and digits that are lost.
        if own.is_subnormal() {
            return Err(entry(dimension, [r, r], "must be zero or at least 2.3e-308", own));
        }
    }
    for (i, mu) in mu.iter().enumerate() {
        if mu.is_nan() || *mu < 0.0 {
            return Err(InputError::value(
                format!("mu[{i}]"),
                "must not be negative or NaN",
                *mu,
            ));
        }
        if W[3 * i * (rows + 1)] == 0.0 {
            let requirement = "must be positive: the normal row of a contact";
            return Err(entry(dimension, [3 * i, 3 * i], requirement, 0.0));
        }
    }
    Ok(rows)
}

/// The problem of a symmetric W whose entries have been checked.
fn from_symmetric(
    dimension: usize,
    (W, q, mu): (&[f64], &[f64], &[f64]),
    digits: Digits,
) -> Result<ContactProblem, InputError> {
    let rows = q.len();
    let mut problem = ContactProblem::new();
    // Parts of each contact: block and rows.
    let mut parts: Vec<Vec<(usize, [Vec<f64>; 3])>> = vec![Vec::new(); mu.len()];
    for contacts in coupled(W, rows) {
        let first = problem.block_count();
        if let Some(found) = sparse_factor(W, rows, &contacts, digits) {
            for dim in found.blocks {
                add_unit_block(&mut problem, dim)?;
            }
            for (contact, own) in contacts.iter().zip(found.parts) {
                parts[*contact] = own.into_iter().map(|(block, rows)| (first + block, rows)).collect();
            }
            continue;
        }
        let (L, rank) = low_rank_factor(W, rows, &contacts, digits)
            .map_err(|Unexplained { at, rest }| entry(dimension, at, SEMIDEFINITE, rest))?;
        add_unit_block(&mut problem, rank)?;
        for (k, contact) in contacts.iter().enumerate() {
            let row = |c: usize| L[(3 * k + c) * rank..(3 * k + c + 1) * rank].to_vec();
            parts[*contact] = vec![(first, [row(0), row(1), row(2)])];
        }
    }
    for (i, mu) in mu.iter().enumerate() {
        let slices: Vec<ContactPart<'_>> = parts[i]
            .iter()
            .map(|(block, rows)| (*block, [0, 1, 2].map(|c: usize| rows[c].as_slice())))
            .collect();
        let contact = problem.add_contact(&slices, *mu)?;
        problem.set_bias(contact, [q[3 * i], q[3 * i + 1], q[3 * i + 2]])?;
    }
    Ok(problem)
}

/// A block of unit mass that stands still.
fn add_unit_block(problem: &mut ContactProblem, dim: usize) -> Result<(), InputError> {
    let mut mass = vec![0.0; dim * dim];
    for k in 0..dim {
        mass[k * (dim + 1)] = 1.0;
    }
    problem.add_block(&mass, &vec![0.0; dim])?;
    Ok(())
}

/// An entry of W, named as it was given: in the plane there are no second tangents.
fn entry(dimension: usize, at: [usize; 2], requirement: &str, found: f64) -> InputError {
    let [r, c] = at.map(|r| r / 3 * dimension + r % 3);
    InputError::value(format!("W[{r}][{c}]"), requirement, found)
}

/// An entry that differs from its mirror image by more than the tolerance.
fn asymmetric_entry(W: &[f64], rows: usize) -> Option<(usize, usize)> {
    let apart = |(r, c): &(usize, usize)| {
        let (low, high) = (W[r * rows + c], W[c * rows + r]);
        let size = (W[r * rows + r].sqrt() * W[c * rows + c].sqrt()).max(low.abs().max(high.abs()));
        (low - high).abs() > SYMMETRY * size
    };
    (0..rows).flat_map(|r| (0..r).map(move |c| (r, c))).find(apart)
}

/// (W + Wᵀ)/2.
fn symmetric_part(W: &[f64], rows: usize) -> Vec<f64> {
    let mut symmetric = W.to_vec();
    for r in 0..rows {
        for c in 0..r {
            let mean = 0.5 * W[r * rows + c] + 0.5 * W[c * rows + r];
            symmetric[r * rows + c] = mean;
            symmetric[c * rows + r] = mean;
        }
    }
    symmetric
}
