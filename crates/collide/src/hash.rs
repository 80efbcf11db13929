//! Numbers mixed well enough to name features by.

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection whose every output bit depends on every input bit.
#[must_use]
pub fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}
