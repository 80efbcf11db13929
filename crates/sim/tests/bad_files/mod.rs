//! What tests of files that must be refused share: messages that are kept, and files that are mangled.
#![allow(clippy::unwrap_used, unreachable_pub)]

use std::path::Path;

/// Compares messages, a line each, with those kept in `messages.txt` of a folder; `UPDATE=1` writes them anew.
pub fn are_as_stated(folder: &Path, found: &str) {
    let kept = folder.join("messages.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&kept, found).unwrap();
    }
    let stated = std::fs::read_to_string(&kept).unwrap();
    for (stated, found) in stated.lines().zip(found.lines()) {
        assert_eq!(stated, found);
    }
    assert_eq!(stated.lines().count(), found.lines().count());
}

/// Numbers of a fixed sequence (Knuth's MMIX generator).
pub struct Sequence(pub u64);

impl Sequence {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).unwrap()
    }

    /// A text with 1 to `most` changes: cut off, a byte taken out, another byte, or one of those that are likely to mean something.
    pub fn mangle(&mut self, bytes: &[u8], most: usize, likely: &[u8]) -> String {
        let mut changed = bytes.to_vec();
        for _ in 0..=self.below(most) {
            let at = self.below(changed.len().max(1));
            match self.below(5) {
                0 => changed.truncate(at),
                1 if at < changed.len() => drop(changed.remove(at)),
                2 if at < changed.len() => changed[at] = u8::try_from(self.below(256)).unwrap(),
                _ if at < changed.len() => changed[at] = likely[self.below(likely.len())],
                _ => {}
            }
        }
        String::from_utf8_lossy(&changed).into_owned()
    }
}
