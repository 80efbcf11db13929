//! The corpora of `fuzz/` replayed, and each of their files changed at random, without `cargo fuzz`.
//!
//! `STICTION_FUZZ=20000 cargo test --release -p stiction-cli --test fuzz` tries more; the numbers are the same on every run.
#![allow(clippy::unwrap_used)]

#[path = "../../../fuzz/targets.rs"]
#[allow(dead_code, unreachable_pub)]
mod targets;

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest that a target may take for one input, in time of the processor, which does not depend on what else runs: a second, and room for a
/// slow machine.
const LONGEST: Duration = Duration::from_secs(10);

/// Changed inputs for each target.
const TRIES: usize = 300;

fn corpus(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect()
}

/// Runs a target; an input that breaks it is left as a file, to become part of the corpus.
fn attempt(name: &str, target: fn(&[u8]), bytes: &[u8]) {
    let start = processor_time();
    let ended = catch_unwind(|| target(bytes));
    let taken = processor_time().saturating_sub(start);
    if ended.is_err() || taken > LONGEST {
        let file = std::env::temp_dir().join(format!("stiction-fuzz-{name}-broken"));
        std::fs::write(&file, bytes).unwrap();
        panic!("{name}: panicked or took {taken:?}: {}", file.display());
    }
}

/// Time that the processor has spent on this thread.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Elsewhere nothing is measured: inputs that hang are found where the corpora are made.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    Duration::ZERO
}

/// xorshift64*
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n.max(1) as u64).unwrap()
    }
}

/// Pieces that readers stumble over.
const PIECES: [&[u8]; 16] = [
    b"",
    b"0",
    b"-1",
    b"1e400",
    b"1e-320",
    b"NaN",
    b"inf",
    b"null",
    b"[]",
    b"{}",
    b"\"",
    b"\n",
    b"99999999999999999999",
    b"\xff",
    b"\0\0\0\0",
    b"\xff\xff\xff\x7f",
];

/// One to four changes: bits, pieces put in or over, parts cut or doubled.
fn changed(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(16)).min(bytes.len());
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = random.next().to_le_bytes()[0],
            2 => drop(bytes.splice(at..end, PIECES[random.below(16)].iter().copied())),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let part = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                drop(bytes.splice(to..to, part));
            }
            _ => bytes.truncate(at.max(1)),
        }
    }
    bytes
}

/// `STICTION_FUZZ_INPUT=FILE,... cargo test --release ... one_input -- --ignored --nocapture` tells how long files take whose names begin with their target.
#[test]
#[ignore = "STICTION_FUZZ_INPUT names its files"]
#[allow(clippy::print_stdout)]
fn one_input() {
    let files = std::env::var("STICTION_FUZZ_INPUT").unwrap_or_default();
    for path in files.split(',').filter(|path| !path.is_empty()).map(Path::new) {
        let stem = path.file_name().unwrap().to_string_lossy();
        let fitting = targets::TARGETS.iter().filter(|(name, _)| stem.starts_with(name));
        let (name, target) = fitting.max_by_key(|(name, _)| name.len()).unwrap();
        let start = processor_time();
        attempt(name, *target, &std::fs::read(path).unwrap());
        println!("{}: {:?}", path.display(), processor_time().saturating_sub(start));
    }
}

/// A target that seals states in another way than the world does would try nothing.
#[test]
fn states_are_sealed_as_the_world_does() {
    let state = targets::sound_state().unwrap();
    let mut other = state.clone();
    *other.last_mut().unwrap() ^= 1;
    assert_eq!(targets::sealed(&other), state);
}

/// The message of a file that cannot be read, empty where it can.
fn refusal(bytes: &[u8]) -> String {
    let read = stiction_formats::read::parse(
        bytes,
        Path::new("a.dat"),
        stiction_formats::read::ReadOptions::default(),
    );
    read.err().map_or_else(String::new, |bad| bad.to_string())
}

/// A changed byte of a header must come past the header's sum, or the readers' own checks are never tried.
#[test]
fn hdf5_files_are_sealed_as_their_library_does() {
    for (path, bytes) in [corpus("fclib"), corpus("matlab")].concat() {
        assert!(targets::hdf5_sums::sealed(&bytes) == bytes, "{}", path.display());
    }
    // Three changes make lists of chunks of several pages, which are left as they are.
    for (name, most) in [("fclib/global.hdf5", 0), ("fclib/chunks.hdf5", 3)] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fuzz/corpus")
            .join(name);
        let bytes = std::fs::read(file).unwrap();
        let (mut plain, mut sealed) = (0, 0);
        for at in (0..bytes.len()).step_by(3) {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            plain += usize::from(refusal(&changed).contains("checksum"));
            sealed += usize::from(refusal(&targets::hdf5_sums::sealed(&changed)).contains("checksum"));
        }
        assert!(
            plain > bytes.len() / 12 && sealed <= most,
            "{name}: {plain} refused for a sum, {sealed} sealed"
        );
    }
}

#[test]
fn no_input_of_the_corpora_or_near_them_breaks_a_target() {
    let tries = std::env::var("STICTION_FUZZ")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(TRIES);
    for (name, target) in targets::TARGETS {
        let mut files = corpus(name);
        if name == "saved_state" {
            files.push((PathBuf::new(), targets::sound_state().unwrap()));
        }
        assert!(!files.is_empty(), "{name}: no corpus");
        for (_, bytes) in &files {
            attempt(name, target, bytes);
        }
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        for k in 0..tries {
            attempt(name, target, &changed(&files[k % files.len()].1, &mut random));
        }
    }
}
