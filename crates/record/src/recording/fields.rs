//! Bytes taken apart field by field.

/// Fields that are still to be read, in little endian. Every method gives `None` where too little is left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (found, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(found)
    }

    /// A number of N bytes.
    pub(crate) fn number<const N: usize>(&mut self) -> Option<u64> {
        let mut number = [0; 8];
        number[..N].copy_from_slice(self.bytes(N)?);
        Some(u64::from_le_bytes(number))
    }

    /// A number of N bytes as a count.
    pub(crate) fn count<const N: usize>(&mut self) -> Option<usize> {
        usize::try_from(self.number::<N>()?).ok()
    }

    /// A double.
    pub(crate) fn double(&mut self) -> Option<f64> {
        self.number::<8>().map(f64::from_bits)
    }

    /// A text after its length.
    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = self.count::<4>()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }

    /// Texts after their count.
    pub(crate) fn texts(&mut self) -> Option<Vec<String>> {
        // Each takes bytes of its own: a count that is too large ends early.
        let count = self.count::<4>()?;
        (0..count).map(|_| self.text().map(str::to_owned)).collect()
    }

    /// Rows of N doubles after their count.
    pub(crate) fn rows<const N: usize>(&mut self) -> Option<Vec<[f64; N]>> {
        let count = self.count::<4>()?;
        Some(rows(self.bytes(count.checked_mul(8 * N)?)?))
    }
}

/// Bytes as rows of N doubles; what does not fill a row is skipped.
pub(crate) fn rows<const N: usize>(bytes: &[u8]) -> Vec<[f64; N]> {
    let row = |row: &[u8]| {
        let mut numbers = row.as_chunks::<8>().0.iter();
        std::array::from_fn(|_| numbers.next().map_or(0.0, |x| f64::from_le_bytes(*x)))
    };
    bytes.chunks_exact(8 * N).map(row).collect()
}
