//! Runs the binary on files of the repository, of the data sets and of the test.
// Every test file uses its own part of this.
#![allow(dead_code, clippy::unwrap_used)]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a run printed, and its exit status.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// stdout as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Runs `stiction`, or `stiction-lab` in its own tests, with these arguments.
pub(crate) fn stiction<A: AsRef<std::ffi::OsStr>>(arguments: &[A]) -> Ran {
    stiction_in(Path::new("."), arguments)
}

/// The binary of the crate that is tested: the tool, or the lab.
fn binary() -> &'static str {
    option_env!("CARGO_BIN_EXE_stiction")
        .or(option_env!("CARGO_BIN_EXE_stiction-lab"))
        .unwrap()
}

/// Runs `stiction` in a folder, so that messages name files by their bare names.
pub(crate) fn stiction_in<A: AsRef<std::ffi::OsStr>>(folder: &Path, arguments: &[A]) -> Ran {
    let output: Output = Command::new(binary())
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// An empty folder of the test's own.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The workspace.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file or folder of the public data sets, or `None` with a word that it is skipped.
pub(crate) fn data(path: &str) -> Option<PathBuf> {
    // Beside the repository: where several working trees share one copy.
    for folder in ["data", "../shared/data"] {
        let found = workspace().join(folder).join(path);
        if found.exists() {
            return Some(found);
        }
    }
    skipped(&format!("data/{path} is not there (scripts/data.sh fetches it)"));
    None
}

/// Says that a test has nothing to run on. Written past the capture of test output: `scripts/check.sh` lists these lines at its end.
pub(crate) fn skipped(reason: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let _ = writeln!(std::io::stderr(), "skipped: {test}: {reason}");
}

/// The same for one of several cases.
pub(crate) fn skipped_in_part(reason: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let _ = writeln!(std::io::stderr(), "skipped in part: {test}: {reason}");
}

/// Numbers of a fixed sequence (Knuth's MMIX generator).
pub(crate) struct Sequence(pub(crate) u64);

impl Sequence {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).unwrap()
    }

    /// The bytes with up to four changes of `kinds` equally likely kinds: the first three cut, remove or replace by any byte, the
    /// others replace by one of `likely`.
    pub(crate) fn mangled(&mut self, bytes: &[u8], kinds: usize, likely: &[u8]) -> Vec<u8> {
        let mut changed = bytes.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(changed.len().max(1));
            match self.below(kinds) {
                0 => changed.truncate(at),
                1 if at < changed.len() => drop(changed.remove(at)),
                2 if at < changed.len() => changed[at] = u8::try_from(self.below(256)).unwrap(),
                3.. if at < changed.len() => changed[at] = likely[self.below(likely.len())],
                _ => {}
            }
        }
        changed
    }
}
