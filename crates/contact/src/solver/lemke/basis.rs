//! Which variables are basic.
//!
//! z = (θ, φ, λ) and w = (ν, σ, γ) are complementary pairs \[Lloyd (8)\]. In a complementary basis exactly one of each pair is basic;
//! while z₀ is basic, one pair (that of w_r) has none.

/// A variable of the contact LCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Var {
    /// Normal impulse θ_i.
    Theta(usize),
    /// Normal velocity ν_i.
    Nu(usize),
    /// Friction impulse φ_ij.
    Phi(usize, usize),
    /// Slack σ_ij = d_ijᵀv + λ_i.
    Sigma(usize, usize),
    /// Slip speed λ_i.
    Lambda(usize),
    /// Cone slack γ_i = μ_iθ_i − Σφ_ij.
    Gamma(usize),
    /// The artificial variable.
    Z0,
}

impl Var {
    /// The other variable of the pair.
    pub(crate) fn complement(self) -> Self {
        match self {
            Self::Theta(i) => Self::Nu(i),
            Self::Nu(i) => Self::Theta(i),
            Self::Phi(i, j) => Self::Sigma(i, j),
            Self::Sigma(i, j) => Self::Phi(i, j),
            Self::Lambda(i) => Self::Gamma(i),
            Self::Gamma(i) => Self::Lambda(i),
            Self::Z0 => Self::Z0,
        }
    }

    /// Whether it is one of w = (ν, σ, γ).
    pub(crate) fn is_w(self) -> bool {
        matches!(self, Self::Nu(_) | Self::Sigma(..) | Self::Gamma(_))
    }

    /// A number that identifies the variable, mixed so that sums of them identify sets (Zobrist).
    pub(crate) fn hash(self) -> u64 {
        let (kind, i, j) = match self {
            Self::Theta(i) => (1, i, 0),
            Self::Nu(i) => (2, i, 0),
            Self::Phi(i, j) => (3, i, j),
            Self::Sigma(i, j) => (4, i, j),
            Self::Lambda(i) => (5, i, 0),
            Self::Gamma(i) => (6, i, 0),
            Self::Z0 => (7, 0, 0),
        };
        mix(((i as u64) << 16) | ((j as u64) << 4) | kind)
    }
}

/// `SplitMix64`'s finaliser.
pub(crate) fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// Basic variables of one contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // Membership of four variables and of the friction rows, read one by one.
pub(crate) struct Pairs {
    pub(crate) theta: bool,
    pub(crate) nu: bool,
    pub(crate) lambda: bool,
    pub(crate) gamma: bool,
    /// The friction variables of the contact are in the problem.
    pub(crate) expanded: bool,
    /// Bits of the basic φ_ij and σ_ij.
    pub(crate) phi: u64,
    pub(crate) sigma: u64,
}

impl Pairs {
    /// A contact that does not push and has no friction variables yet: ν basic.
    pub(crate) const OPEN: Self = Self {
        theta: false,
        nu: true,
        lambda: false,
        gamma: false,
        expanded: false,
        phi: 0,
        sigma: 0,
    };

    /// Adds the friction variables of `d` directions, all slacks basic.
    pub(crate) fn expand(&mut self, d: usize) {
        self.expanded = true;
        self.gamma = true;
        self.sigma = all(d);
    }

    /// Some z of the contact is basic, or a w has left.
    pub(crate) fn is_touched(self, d: usize) -> bool {
        self.theta
            || !self.nu
            || (self.expanded && (self.lambda || !self.gamma || self.phi != 0 || self.sigma != all(d)))
    }
}

/// Bits of all d directions.
pub(crate) fn all(d: usize) -> u64 {
    if d >= 64 { u64::MAX } else { (1 << d) - 1 }
}

/// Positions of the set bits, lowest first.
pub(crate) fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let j = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(j)
    })
}

/// The basis: pairs of every contact, and whether z₀ is basic.
#[derive(Debug, Clone, Default)]
pub(crate) struct Basis {
    pub(crate) pairs: Vec<Pairs>,
    pub(crate) z0: bool,
    hash: u64,
}

impl Basis {
    /// All contacts open, z₀ nonbasic.
    pub(crate) fn reset(&mut self, n: usize) {
        self.pairs.clear();
        self.pairs.resize(n, Pairs::OPEN);
        self.z0 = false;
        self.hash = 0;
    }

    /// Exchanges a basic variable against the driving one.
    pub(crate) fn swap(&mut self, leaving: Var, entering: Var) {
        self.set(leaving, false);
        self.set(entering, true);
        self.hash ^= leaving.hash() ^ entering.hash();
    }

    /// Identifies the set of basic variables among those that exchanges have reached.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    fn set(&mut self, var: Var, basic: bool) {
        let flip = |mask: &mut u64, j: usize| {
            if basic {
                *mask |= 1 << j;
            } else {
                *mask &= !(1 << j);
            }
        };
        match var {
            Var::Theta(i) => self.pairs[i].theta = basic,
            Var::Nu(i) => self.pairs[i].nu = basic,
            Var::Lambda(i) => self.pairs[i].lambda = basic,
            Var::Gamma(i) => self.pairs[i].gamma = basic,
            Var::Phi(i, j) => flip(&mut self.pairs[i].phi, j),
            Var::Sigma(i, j) => flip(&mut self.pairs[i].sigma, j),
            Var::Z0 => self.z0 = basic,
        }
    }
}
