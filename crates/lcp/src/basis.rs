//! The variables of a basis: who is complementary to whom.

/// A variable of the augmented problem w = Mz + c z₀ + q.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Var {
    /// z_i
    Z(usize),
    /// w_i
    W(usize),
    /// The artificial variable z₀.
    Z0,
}

impl Var {
    /// The other member of the pair; z₀ has none.
    #[must_use]
    pub fn complement(self) -> Option<Var> {
        match self {
            Var::Z(i) => Some(Var::W(i)),
            Var::W(i) => Some(Var::Z(i)),
            Var::Z0 => None,
        }
    }

    /// A 64-bit key; the exclusive or of the keys of a basis names the basis (Zobrist).
    #[must_use]
    pub(crate) fn key(self) -> u64 {
        let tag = match self {
            Var::Z(i) => 2 * i as u64 + 1,
            Var::W(i) => 2 * i as u64 + 2,
            Var::Z0 => 0,
        };
        mix(tag)
    }
}

/// The finalizer of SplitMix64: spreads consecutive integers over all bits.
pub(crate) fn mix(tag: u64) -> u64 {
    let mut x = tag
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complements_come_in_pairs() {
        for var in [Var::Z(3), Var::W(0)] {
            assert_eq!(var.complement().and_then(Var::complement), Some(var));
        }
        assert_eq!(Var::Z0.complement(), None);
    }

    #[test]
    fn keys_of_different_variables_differ() {
        let mut keys: Vec<u64> = (0..500).flat_map(|i| [Var::Z(i).key(), Var::W(i).key()]).collect();
        keys.push(Var::Z0.key());
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 1001);
    }
}
