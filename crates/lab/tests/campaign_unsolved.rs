//! Problems of `stiction-lab campaign contact` and `agree` that have an answer and were not solved once: each file in `once_unsolved/` is one, by seed and number.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use stiction_contact::{ContactSolver, Law, Options, Restitution, Status};
use stiction_formats::read::{Content, ReadOptions, read_content};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/once_unsolved");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

fn status(file: &Path, law: Law) -> Status {
    let Content::Contact(contact) = read_content(file, ReadOptions::default()).unwrap() else {
        panic!("{}: not a contact file", file.display());
    };
    let problem = contact.problem(Restitution::Newton).unwrap();
    let options = Options {
        law,
        ..Options::default()
    };
    ContactSolver::new(options).unwrap().solve(&problem).unwrap().status
}

#[test]
fn all_are_solved_under_every_dry_law() {
    let files = files();
    assert!(files.len() >= 14);
    for file in files {
        for law in [Law::Coulomb, Law::Polyhedral, Law::Frictionless] {
            assert_eq!(status(&file, law), Status::Solved, "{}: {law:?}", file.display());
        }
    }
}

/// Its answer needs impulses whose last bit is more than the tolerance: at best it is solved to rounding. Nothing asks for the impossible, and nothing may say so.
#[test]
fn a_wedge_without_an_answer_in_doubles_is_no_ray() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unsolved/invariance-9-11259.json");
    let found = status(&file, Law::Frictionless);
    assert!(matches!(found, Status::Solved | Status::Inaccurate), "{found:?}");
}
