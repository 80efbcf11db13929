//! The contact LCP of Stewart and Trinkle, and of Anitescu and Potra \[Lloyd (8)\].
//!
//! z = (θ, φ, λ), w = (ν, σ, γ) with ν = Nᵀv + b, σ = Dᵀv + Eλ, γ = μθ − Eᵀφ and v = k_x + Nθ + Dφ:
//!
//! ```text
//!     | NᵀN  NᵀD  0 |       | Nᵀk_x + b_n |
//! M = | DᵀN  DᵀD  E |,  q = | Dᵀk_x + b_d |
//!     | μ    −Eᵀ  0 |       | 0           |
//! ```
//!
//! A contact without friction has θ alone, a planar one two directions. At acceleration level the same matrix relates forces and
//! accelerations \[Baraff (18)\]; a dynamic contact has θ alone, and its column is that of n plus the friction that goes with it
//! \[Baraff 6\], so that NᵀN loses its symmetry and M need no longer be copositive. Joints are eliminated before ([`JointSpan`]). Dense: memory
//! grows with the square of n(2 + d).

use stiction_lcp::{Class, Lcp, Matrix};

use crate::cone::{Circle, finite_mu};
use crate::joint_span::JointSpan;
use crate::problem::ContactProblem;
use crate::solution::Law;
use crate::solver::Impulses;

/// Largest LCP that is written down: 128 MB.
const SIZE_LIMIT: usize = 4000;

/// Where the variables of a contact lie in z.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// First φ, and how many there are; none without friction.
    phi: usize,
    count: usize,
    lambda: usize,
    mu: f64,
    /// Dynamic friction along the tangents per normal force.
    drag: [f64; 2],
}

/// Writes contact problems as LCPs, and their answers back.
#[derive(Debug, Clone, Default)]
pub(crate) struct CoulombVelocity {
    span: JointSpan,
    circle: Circle,
    planar: Circle,
    places: Vec<Place>,
    size: usize,
    /// W = Cᵀ(I − QQᵀ)C, 3n×3n, row-major.
    W: Vec<f64>,
    /// A velocity or a column.
    column: Vec<f64>,
    /// Which columns the joints leave nothing of.
    gone: Vec<bool>,
}

impl CoulombVelocity {
    /// The LCP of a problem, or `None` where it is too large or overflows.
    pub(crate) fn lcp(&mut self, problem: &ContactProblem, law: Law, directions: usize) -> Option<Lcp> {
        self.lcp_if(problem, law, directions, |_| true)
    }

    /// As [`Self::lcp`], if so many variables are welcome.
    pub(crate) fn lcp_if(
        &mut self,
        problem: &ContactProblem,
        law: Law,
        directions: usize,
        is_welcome: impl Fn(usize) -> bool,
    ) -> Option<Lcp> {
        self.circle.set(directions);
        self.planar.set(2);
        self.span.set(problem);
        self.place(problem, law);
        if self.size > SIZE_LIMIT || !is_welcome(self.size) {
            return None;
        }
        self.fill_W(problem);
        let M = Matrix::from_columns(self.size, self.columns(problem)).ok()?;
        let class = if law == Law::Frictionless {
            Class::Psd
        } else if self.places.iter().any(|place| place.drag != [0.0; 2]) {
            Class::Unknown
        } else {
            Class::Copositive
        };
        Some(Lcp::new(M, self.q(problem)).ok()?.with_class(class))
    }

    /// Names of the variables after \[Egan (5)\]: `p1n` for θ, `p1f1` for φ, `s1` for λ, numbered from 1.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = (1..=self.places.len()).map(|i| format!("p{i}n")).collect();
        for (i, place) in self.places.iter().enumerate() {
            names.extend((1..=place.count).map(|k| format!("p{}f{k}", i + 1)));
        }
        let rough = self.places.iter().enumerate().filter(|(_, place)| place.count > 0);
        names.extend(rough.map(|(i, _)| format!("s{}", i + 1)));
        names
    }

    /// Number of variables before the φ: one θ a contact.
    fn place(&mut self, problem: &ContactProblem, law: Law) {
        let n = problem.contact_count();
        self.places.clear();
        let mut phi = n;
        for i in 0..n {
            let drag = if law.is_acceleration() { problem.drag(i) } else { None };
            let mu = if law == Law::Frictionless || drag.is_some() {
                0.0
            } else {
                problem.mu(i)
            };
            let count = match (mu > 0.0, problem.is_planar(i)) {
                (false, _) => 0,
                (true, true) => 2,
                (true, false) => self.circle.count(),
            };
            self.places.push(Place {
                phi,
                count,
                lambda: 0,
                mu: finite_mu(mu),
                drag: drag.unwrap_or_default(),
            });
            phi += count;
        }
        for place in &mut self.places {
            place.lambda = phi;
            phi += usize::from(place.count > 0);
        }
        self.size = phi;
    }

    fn fill_W(&mut self, problem: &ContactProblem) {
        let rows = 3 * problem.contact_count();
        self.W.clear();
        self.W.resize(rows * rows, 0.0);
        self.gone.clear();
        for j in 0..rows {
            self.column.clear();
            self.column.resize(problem.dof(), 0.0);
            problem.push(j / 3, unit(j % 3), &mut self.column);
            let left = self.span.project(&mut self.column);
            self.gone.push(!left);
            // Earlier contacts only; the rest by symmetry.
            for i in 0..=j / 3 {
                let along = problem.along(i, &self.column);
                for c in 0..3 {
                    let row = 3 * i + c;
                    if row <= j && !self.gone[row] {
                        self.W[row * rows + j] = along[c];
                        self.W[j * rows + row] = along[c];
                    }
                }
            }
        }
    }

    /// Direction number `k` of a contact, as weights of its three columns; the normal is `None`.
    fn weights(&self, contact: usize, k: Option<usize>) -> [f64; 3] {
        let Some(k) = k else { return unit(0) };
        let circle = if self.places[contact].count == 2 {
            &self.planar
        } else {
            &self.circle
        };
        let [c, s] = circle.direction(k);
        [0.0, c, s]
    }

    /// The same for pushing: dynamic friction goes with the normal.
    fn push_weights(&self, contact: usize, k: Option<usize>) -> [f64; 3] {
        let [x, y] = self.places[contact].drag;
        if k.is_none() {
            [1.0, x, y]
        } else {
            self.weights(contact, k)
        }
    }

    /// Variables θ and φ of a contact: place in z and direction.
    fn pushes(&self, contact: usize) -> impl Iterator<Item = (usize, Option<usize>)> + use<> {
        let Place { phi, count, .. } = self.places[contact];
        std::iter::once((contact, None)).chain((0..count).map(move |k| (phi + k, Some(k))))
    }

    fn columns(&self, problem: &ContactProblem) -> Vec<f64> {
        let (n, size) = (problem.contact_count(), self.size);
        let mut M = vec![0.0; size * size];
        for j in 0..n {
            for (at_j, k) in self.pushes(j) {
                let b = self.push_weights(j, k);
                for i in 0..n {
                    let part = self.apply_W(i, j, b);
                    for (at_i, k) in self.pushes(i) {
                        let a = self.weights(i, k);
                        M[at_j * size + at_i] = a[0] * part[0] + a[1] * part[1] + a[2] * part[2];
                    }
                }
            }
            let place = self.places[j];
            if place.count > 0 {
                M[j * size + place.lambda] = place.mu;
                for k in place.phi..place.phi + place.count {
                    M[k * size + place.lambda] = -1.0;
                    M[place.lambda * size + k] = 1.0;
                }
            }
        }
        M
    }

    /// W_ij b.
    fn apply_W(&self, i: usize, j: usize, b: [f64; 3]) -> [f64; 3] {
        let rows = 3 * self.places.len();
        std::array::from_fn(|r| {
            let row = &self.W[(3 * i + r) * rows + 3 * j..][..3];
            row[0] * b[0] + row[1] * b[1] + row[2] * b[2]
        })
    }

    fn q(&mut self, problem: &ContactProblem) -> Vec<f64> {
        self.column.clear();
        self.column.extend_from_slice(problem.k_x());
        self.span.satisfy(&mut self.column);
        let mut q = vec![0.0; self.size];
        for i in 0..problem.contact_count() {
            let (along, bias) = (problem.along(i, &self.column), problem.bias(i));
            for (at, k) in self.pushes(i) {
                let a = self.weights(i, k);
                q[at] = (0..3).map(|c| a[c] * (along[c] + bias[c])).sum();
            }
        }
        q
    }

    /// Impulses of an answer z. `homogeneous`: z is a direction, so that joints answer it alone.
    pub(crate) fn impulses(&mut self, problem: &ContactProblem, z: &[f64], homogeneous: bool, out: &mut Impulses) {
        let d = self.circle.count();
        out.clear(problem, d);
        self.column.clear();
        if homogeneous {
            self.column.resize(problem.dof(), 0.0);
        } else {
            self.column.extend_from_slice(problem.k_x());
        }
        for i in 0..problem.contact_count() {
            out.normal[i] = z[i];
            let Place { phi, count, drag, .. } = self.places[i];
            out.friction[i] = drag.map(|g| g * z[i]);
            for k in 0..count {
                let a = self.weights(i, Some(k));
                out.phi[i * d + k] = z[phi + k];
                out.friction[i][0] += a[1] * z[phi + k];
                out.friction[i][1] += a[2] * z[phi + k];
            }
            if self.places[i].count == 2 {
                out.friction[i][1] = 0.0;
            }
            problem.push(i, [z[i], out.friction[i][0], out.friction[i][1]], &mut self.column);
        }
        self.span
            .impulses(problem, &mut self.column, homogeneous, &mut out.joint);
    }
}

fn unit(k: usize) -> [f64; 3] {
    let mut e = [0.0; 3];
    e[k] = 1.0;
    e
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_mass_gives_the_matrix_of_the_paper() {
        let mut problem = ContactProblem::new();
        let mass = [4.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 4.0];
        problem.add_block(&mass, &[0.5, 0.25, -1.0]).unwrap();
        let rows: [&[f64]; 3] = [&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]];
        problem.add_contact(&[(0, rows)], 0.5).unwrap();
        problem.set_bias(0, [0.125, 0.0, 0.0]).unwrap();
        let lcp = CoulombVelocity::default().lcp(&problem, Law::Polyhedral, 4).unwrap();
        let expected = [
            [0.25, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.25, 0.0, -0.25, 0.0, 1.0],
            [0.0, 0.0, 0.25, 0.0, -0.25, 1.0],
            [0.0, -0.25, 0.0, 0.25, 0.0, 1.0],
            [0.0, 0.0, -0.25, 0.0, 0.25, 1.0],
            [0.5, -1.0, -1.0, -1.0, -1.0, 0.0],
        ];
        for (r, row) in expected.iter().enumerate() {
            for (c, x) in row.iter().enumerate() {
                assert_eq!(lcp.M().at(r, c), *x, "M[{r}][{c}]");
            }
        }
        assert_eq!(lcp.q(), &[-0.875, 0.5, 0.25, -0.5, -0.25, 0.0]);
        let smooth = CoulombVelocity::default().lcp(&problem, Law::Frictionless, 4).unwrap();
        assert_eq!((smooth.n(), smooth.class()), (1, Class::Psd));
    }
}
