//! The kernel: values of all basic variables from a system of at most rank(N, D) unknowns \[Lloyd TR 5, App. A\], corrected.
//!
//! Nonbasic rows of the contact LCP, with v = a + Σ C p and z₀'s cover c:
//!
//! ```text
//! ν_i :  n_iᵀv + c_ν z₀            = r_ν
//! σ_ij:  d_ijᵀv + λ_i + c_σ z₀     = r_σ
//! γ_i :  μ_iθ_i − Σ_j φ_ij + c_γ z₀ = r_γ
//! ```
//!
//! Where λ_i is basic (the contact slides), one basic φ_ix is eliminated by the γ row and λ_i by the σ_ix row:
//!
//! ```text
//! φ_x = μθ − Σφ_κ + c_γ z₀ − r_γ          λ = r_σx − d_xᵀv − c_σx z₀
//! ```
//!
//! The rest are y = (θ_α, φ_κ) with rows W = [N_α, D_*] and columns Z = [N_*, D_*], N_* = N_α + D_x μ, D_* = D_κ − D_x:
//!
//! ```text
//! [ S  g ] [ y  ]   [ ρ ]      S = WᵀZ,  g = c_W + Wᵀc_*,  c_* = D_x c_γ,  ρ = r_W − Wᵀ(a − D_x r_γ)
//! [ hᵀ s ] [ z₀ ] = [ η ]      bordered by the row of w_r while z₀ is basic
//! ```
//!
//! Every row and column is a combination of one contact's three columns, so S is as sparse as the contact graph. Joint rows are
//! unknowns that are always in W = Z, with c = 0.

use super::basis::{Var, bits};
use super::exchange::{BorderSystem, Exchange, Vectors};
use super::factor::{BandLu, DenseLu};
use super::unknowns::{Border, NORMAL, Unknown, border_of, phi_x};
use super::values::{Load, Setting, Values, bias_along, r_gamma, r_nu, r_sigma, velocities};
use crate::solver::columns::{Columns, dot6};

/// Kernels up to this size are factored densely, border included.
const DENSE_SIZE: usize = 24;

/// Largest kernel that is factored densely where the banded factor with its border fails.
const DENSE_FALLBACK: usize = 400;

/// Kernel of the current basis.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kernel {
    unknowns: Vec<Unknown>,
    /// Rows u and columns z of the unknowns over the coordinates of their items; those of the border last.
    rows: Vec<f64>,
    cols: Vec<f64>,
    border: Option<Border>,
    border_row: Vec<f64>,
    /// c_* = D_x c_γ as a velocity.
    c_star: Vec<f64>,
    g: Vec<f64>,
    h: Vec<f64>,
    s: f64,
    dense: DenseLu,
    band: BandLu,
    is_dense: bool,
    exchange: Exchange,
    rho: Vec<f64>,
    y: Vec<f64>,
}

impl Kernel {
    /// Whether the kernel is factored with its band: the border apart, less accurate than a dense factor of all.
    pub(crate) fn is_large(&self) -> bool {
        !self.is_dense
    }

    /// Builds and factors the kernel of a basis. False where it is singular.
    pub(crate) fn factor(&mut self, at: Setting<'_>) -> bool {
        self.collect(at);
        if at.basis.z0 == (self.border == Some(Border::None)) {
            return false;
        }
        self.border_system(at);
        let columns = at.columns;
        let r = self.unknowns.len();
        self.is_dense = r <= DENSE_SIZE;
        if self.is_dense {
            return self.factor_dense(columns);
        }
        if self.factor_large(columns) {
            return true;
        }
        self.is_dense = true;
        r <= DENSE_FALLBACK && self.factor_dense(columns)
    }

    /// The base that large kernels are updated from belongs to another problem, or has served long enough.
    pub(crate) fn forget(&mut self) {
        self.exchange.forget();
    }

    /// A large kernel: what changed since the base was factored, or a new base.
    fn factor_large(&mut self, columns: &Columns) -> bool {
        if self.exchange.compare(&self.unknowns) && self.factor_exchange(columns) {
            return true;
        }
        if !self.factor_band(columns) {
            self.exchange.forget();
            return false;
        }
        let now = Vectors {
            unknowns: &self.unknowns,
            rows: &self.rows,
            cols: &self.cols,
        };
        self.exchange.rebase(now);
        self.exchange.compare(&self.unknowns) && self.factor_exchange(columns)
    }

    fn factor_exchange(&mut self, columns: &Columns) -> bool {
        let now = Vectors {
            unknowns: &self.unknowns,
            rows: &self.rows,
            cols: &self.cols,
        };
        let border = (self.border.unwrap_or(Border::None) != Border::None).then_some(BorderSystem {
            g: &self.g,
            h: &self.h,
            s: self.s,
        });
        self.exchange.factor(columns, &self.band, now, border)
    }

    /// Lists the unknowns and finds w_r.
    fn collect(&mut self, at: Setting<'_>) {
        let Setting {
            columns,
            basis,
            cover,
            active,
        } = at;
        let d = columns.circle.count();
        self.unknowns.clear();
        self.rows.clear();
        self.cols.clear();
        self.c_star.clear();
        self.c_star.resize(columns.k_x.len(), 0.0);
        let mut border = Border::None;
        for &i in active {
            if columns.items[i].is_joint {
                self.push(columns, NORMAL, Unknown::new(i, NORMAL, 0.0));
                continue;
            }
            let p = basis.pairs[i];
            let x = phi_x(p);
            let d_x = x.map_or([0.0; 2], |x| columns.direction(i, x));
            let mu = columns.items[i].mu;
            if let Some(found) = border_of(i, p, x, columns.direction_count(i)) {
                border = found;
            }
            if p.theta {
                let drag = columns.items[i].drag;
                let z = [1.0, mu * d_x[0] + drag[0], mu * d_x[1] + drag[1]];
                self.push(
                    columns,
                    NORMAL,
                    Unknown {
                        x,
                        ..Unknown::new(i, z, cover.nu[i])
                    },
                );
            }
            if !p.expanded {
                continue;
            }
            for kappa in bits(p.phi).filter(|j| Some(*j) != x) {
                let d_k = columns.direction(i, kappa);
                let z = [0.0, d_k[0] - d_x[0], d_k[1] - d_x[1]];
                let c = cover.sigma(i, kappa, d) - x.map_or(0.0, |x| cover.sigma(i, x, d));
                let kappa = Some(kappa);
                self.push(
                    columns,
                    z,
                    Unknown {
                        kappa,
                        x,
                        ..Unknown::new(i, z, c)
                    },
                );
            }
            if x.is_some() {
                // c_* = D_x c_γ
                let c = cover.gamma[i];
                columns.push_impulse(i, [0.0, c * d_x[0], c * d_x[1]], &mut self.c_star);
            }
        }
        self.border = Some(border);
    }

    /// Adds an unknown with row u and column `unknown.z`.
    fn push(&mut self, columns: &Columns, u: [f64; 3], mut unknown: Unknown) {
        let at = self.rows.len();
        columns.combine(unknown.item, u, &mut self.rows);
        unknown.is_symmetric = u == unknown.z;
        if unknown.is_symmetric {
            self.cols.extend_from_slice(&self.rows[at..]);
        } else {
            columns.combine(unknown.item, unknown.z, &mut self.cols);
        }
        unknown.at = at;
        self.unknowns.push(unknown);
    }

    fn row(&self, a: usize, columns: &Columns) -> &[f64] {
        let u = &self.unknowns[a];
        &self.rows[u.at..u.at + columns.items[u.item].len]
    }

    fn column(&self, b: usize, columns: &Columns) -> &[f64] {
        let u = &self.unknowns[b];
        &self.cols[u.at..u.at + columns.items[u.item].len]
    }

    fn border(&self) -> Border {
        self.border.unwrap_or(Border::None)
    }

    /// g, h and s.
    fn border_system(&mut self, at: Setting<'_>) {
        let Setting {
            columns, basis, cover, ..
        } = at;
        let r = self.unknowns.len();
        let mut g = std::mem::take(&mut self.g);
        g.clear();
        for a in 0..r {
            let u = &self.unknowns[a];
            let along = columns.dot(u.item, self.row(a, columns), &self.c_star);
            g.push(u.c + along);
        }
        self.g = g;
        self.h.clear();
        self.h.resize(r, 0.0);
        self.s = 0.0;
        if !basis.z0 {
            return;
        }
        let d = columns.circle.count();
        match self.border() {
            Border::None => {}
            Border::Nu(i) => self.border_velocity(columns, i, [1.0, 0.0, 0.0], cover.nu[i]),
            Border::Sigma(i, j, x) => {
                let (d_r, d_x) = (columns.direction(i, j), x.map_or([0.0; 2], |x| columns.direction(i, x)));
                let c = cover.sigma(i, j, d) - x.map_or(0.0, |x| cover.sigma(i, x, d));
                self.border_velocity(columns, i, [0.0, d_r[0] - d_x[0], d_r[1] - d_x[1]], c);
            }
            Border::Gamma(i, _) => {
                for (a, u) in self.unknowns.iter().enumerate().filter(|(_, u)| u.item == i) {
                    self.h[a] = if u.kappa.is_some() { -1.0 } else { columns.items[i].mu };
                }
                self.s = cover.gamma[i];
            }
        }
    }

    /// Border row u of item i: h = uᵀZ, s = c + uᵀc_*.
    fn border_velocity(&mut self, columns: &Columns, i: usize, u: [f64; 3], c: f64) {
        let mut row = std::mem::take(&mut self.border_row);
        row.clear();
        columns.combine(i, u, &mut row);
        for b in 0..self.unknowns.len() {
            self.h[b] = columns.product(i, &row, self.unknowns[b].item, self.column(b, columns));
        }
        self.s = c + columns.dot(i, &row, &self.c_star);
        self.border_row = row;
    }

    fn factor_dense(&mut self, columns: &Columns) -> bool {
        let r = self.unknowns.len();
        let bordered = self.border() != Border::None;
        let n = r + usize::from(bordered);
        let mut dense = std::mem::take(&mut self.dense);
        dense.reset(n);
        if columns.is_single_body() {
            // Every column has six entries: plain products, without asking who touches whom.
            let (rows, cols) = (self.rows.as_chunks::<6>().0, self.cols.as_chunks::<6>().0);
            for (a, row) in rows.iter().enumerate() {
                for (s, column) in dense.a[a * n..].iter_mut().zip(cols) {
                    *s = dot6(row, column);
                }
            }
        } else {
            self.fill_dense(columns, &mut dense);
        }
        if bordered {
            for a in 0..r {
                dense.a[a * n + r] = self.g[a];
            }
            dense.a[r * n..r * n + r].copy_from_slice(&self.h);
            dense.a[r * n + r] = self.s;
        }
        let regular = dense.factor();
        self.dense = dense;
        regular
    }

    /// S where contacts touch different bodies.
    fn fill_dense(&self, columns: &Columns, dense: &mut DenseLu) {
        let (r, n) = (self.unknowns.len(), dense.n);
        for a in 0..r {
            let (item, row) = (self.unknowns[a].item, self.row(a, columns));
            let reach = columns.items[item].reach;
            for b in a..r {
                let other = self.unknowns[b].item;
                if other > reach {
                    break;
                }
                dense.a[a * n + b] = columns.product(item, row, other, self.column(b, columns));
                if b > a {
                    dense.a[b * n + a] = columns.product(other, self.row(b, columns), item, self.column(a, columns));
                }
            }
        }
    }

    fn factor_band(&mut self, columns: &Columns) -> bool {
        let r = self.unknowns.len();
        let mut bandwidth = 0;
        let mut last = 0;
        for a in 0..r {
            let reach = columns.items[self.unknowns[a].item].reach;
            last = last.max(a);
            while last + 1 < r && self.unknowns[last + 1].item <= reach {
                last += 1;
            }
            bandwidth = bandwidth.max(last - a);
        }
        let mut band = std::mem::take(&mut self.band);
        band.reset(r, bandwidth);
        for a in 0..r {
            let item = self.unknowns[a].item;
            let reach = columns.items[item].reach;
            band.set(
                a,
                a,
                columns.product(item, self.row(a, columns), item, self.column(a, columns)),
            );
            for b in a + 1..r.min(a + bandwidth + 1) {
                let other = self.unknowns[b].item;
                if other > reach {
                    break;
                }
                let x = columns.product(item, self.row(a, columns), other, self.column(b, columns));
                if x != 0.0 {
                    band.set(a, b, x);
                }
                // Rows and columns are the same where nothing slides: S is symmetric there.
                let mirrored = if self.unknowns[a].is_symmetric && self.unknowns[b].is_symmetric {
                    x
                } else {
                    columns.product(other, self.row(b, columns), item, self.column(a, columns))
                };
                if mirrored != 0.0 {
                    band.set(b, a, mirrored);
                }
            }
        }
        let regular = band.factor();
        self.band = band;
        regular
    }

    /// Solves the bordered system for `rho`, η last; y and z₀ replace it.
    fn solve(&mut self, rho: &mut [f64]) {
        if self.is_dense {
            self.dense.solve(rho);
        } else {
            self.exchange.solve(&self.band, rho);
        }
    }

    /// Values of all basic variables for a load \[Lloyd TR (24)–(33)\].
    pub(crate) fn values(&mut self, at: Setting<'_>, load: Load, out: &mut Values) {
        base_velocity(at, load, &mut out.v);
        self.right_side(at.columns, load, &out.v);
        let mut y = std::mem::take(&mut self.y);
        y.clear();
        y.extend_from_slice(&self.rho);
        self.solve(&mut y);
        out.z0 = if at.basis.z0 { y[self.unknowns.len()] } else { 0.0 };
        self.impulses(at, load, &y, out);
        self.y = y;
        velocities(at.columns, at.active, load, out);
        self.slip_speeds(at, load, out);
    }

    /// ρ and η.
    fn right_side(&mut self, columns: &Columns, load: Load, base: &[f64]) {
        let mut rho = std::mem::take(&mut self.rho);
        rho.clear();
        for (a, u) in self.unknowns.iter().enumerate() {
            let r = match u.kappa {
                None => r_nu(columns, u.item, load),
                Some(kappa) => {
                    r_sigma(columns, u.item, kappa, load) - u.x.map_or(0.0, |x| r_sigma(columns, u.item, x, load))
                }
            };
            rho.push(r - columns.dot(u.item, self.row(a, columns), base));
        }
        match self.border() {
            Border::None => {}
            Border::Nu(i) => {
                rho.push(r_nu(columns, i, load) - columns.dot(i, &self.border_row, base));
            }
            Border::Sigma(i, j, x) => {
                let r = r_sigma(columns, i, j, load) - x.map_or(0.0, |x| r_sigma(columns, i, x, load));
                rho.push(r - columns.dot(i, &self.border_row, base));
            }
            Border::Gamma(i, _) => rho.push(r_gamma(columns, i, load)),
        }
        self.rho = rho;
    }

    /// θ, φ and v = a + Zy + c_* z₀ − D_x r_γ.
    fn impulses(&self, at: Setting<'_>, load: Load, y: &[f64], out: &mut Values) {
        let Setting {
            columns,
            basis,
            cover,
            active,
        } = at;
        let d = columns.circle.count();
        for &i in active {
            out.theta[i] = 0.0;
            out.phi_sum[i] = 0.0;
            out.lambda[i] = 0.0;
            if let Some(x) = phi_x(basis.pairs[i]) {
                let c = cover.gamma[i] * out.z0;
                out.phi[i * d + x] = c - r_gamma(columns, i, load);
            }
        }
        for u in &self.unknowns {
            if let Some(kappa) = u.kappa {
                out.phi[u.item * d + kappa] = 0.0;
            }
        }
        self.add(columns, y, out);
        if out.z0 != 0.0 {
            for (v, c) in out.v.iter_mut().zip(&self.c_star) {
                *v += out.z0 * c;
            }
        }
        for &i in active {
            out.phi_sum[i] = bits(basis.pairs[i].phi).map(|j| out.phi[i * d + j]).sum();
        }
        match load {
            Load::Driving(Var::Theta(i)) => out.theta[i] = 1.0,
            Load::Driving(Var::Phi(i, j)) => {
                out.phi[i * d + j] = 1.0;
                out.phi_sum[i] += 1.0;
            }
            Load::Driving(Var::Lambda(i)) => out.lambda[i] = 1.0,
            _ => {}
        }
    }

    /// Adds y to θ and φ_κ, what the γ rows make of it to φ_x, and Zy to the velocity.
    fn add(&self, columns: &Columns, y: &[f64], out: &mut Values) {
        let d = columns.circle.count();
        for (u, y) in self.unknowns.iter().zip(y) {
            let i = u.item;
            let eliminated = match u.kappa {
                None => {
                    out.theta[i] += y;
                    columns.items[i].mu * y
                }
                Some(kappa) => {
                    out.phi[i * d + kappa] += y;
                    -y
                }
            };
            if let Some(x) = u.x {
                out.phi[i * d + x] += eliminated;
            }
            columns.push_impulse(i, u.z.map(|z| z * y), &mut out.v);
        }
    }

    /// One step of iterative refinement of a complementary basis: the rows' errors are solved for and taken off. Returns the largest
    /// error that there was.
    pub(crate) fn refine(&mut self, at: Setting<'_>, out: &mut Values) -> f64 {
        let columns = at.columns;
        if at.basis.z0 {
            return 0.0;
        }
        self.right_side(columns, Load::Problem, &out.v);
        let error = self.rho.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut y = std::mem::take(&mut self.y);
        y.clear();
        y.extend_from_slice(&self.rho);
        self.solve(&mut y);
        self.add(columns, &y, out);
        self.y = y;
        velocities(columns, at.active, Load::Problem, out);
        error
    }

    /// λ = r_σx − d_xᵀv − c_σx z₀ of the contacts that slide.
    fn slip_speeds(&self, at: Setting<'_>, load: Load, out: &mut Values) {
        let Setting {
            columns,
            basis,
            cover,
            active,
        } = at;
        let d = columns.circle.count();
        for &i in active {
            let p = basis.pairs[i];
            if !p.lambda {
                continue;
            }
            let fourth = match self.border() {
                Border::Gamma(k, r) if k == i => r,
                _ => None,
            };
            let Some(x) = phi_x(p).or(fourth) else { continue };
            let d_x = columns.direction(i, x);
            // The slip already holds the bias, which r_σ takes off.
            let r = r_sigma(columns, i, x, load) + bias_along(columns, i, d_x, load);
            out.lambda[i] = r - (d_x[0] * out.slip[i][0] + d_x[1] * out.slip[i][1]) - cover.sigma(i, x, d) * out.z0;
        }
    }
}

/// a − D_x r_γ.
fn base_velocity(at: Setting<'_>, load: Load, v: &mut Vec<f64>) {
    let columns = at.columns;
    v.clear();
    let Load::Driving(var) = load else {
        v.extend_from_slice(&columns.k_x);
        return;
    };
    v.resize(columns.k_x.len(), 0.0);
    match var {
        Var::Theta(i) => {
            let drag = columns.items[i].drag;
            columns.push_impulse(i, [1.0, drag[0], drag[1]], v);
        }
        Var::Phi(i, j) => {
            let [x, y] = columns.direction(i, j);
            columns.push_impulse(i, [0.0, x, y], v);
        }
        _ => {}
    }
    let (Var::Theta(i) | Var::Phi(i, _) | Var::Gamma(i)) = var else {
        return;
    };
    if let Some(x) = phi_x(at.basis.pairs[i]) {
        let (r, d_x) = (r_gamma(columns, i, load), columns.direction(i, x));
        columns.push_impulse(i, [0.0, -r * d_x[0], -r * d_x[1]], v);
    }
}
