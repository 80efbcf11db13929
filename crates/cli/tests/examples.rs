//! The examples in Rust print what `examples/output` keeps, which those in Python are compared with too.
#![allow(clippy::unwrap_used)]

use std::error::Error;
use std::fs;
use std::path::Path;

#[allow(dead_code)]
#[path = "../../../examples/rust/grasp_robustness.rs"]
mod grasp_robustness;
#[allow(dead_code)]
#[path = "../../../examples/rust/run_scene.rs"]
mod run_scene;
#[allow(dead_code)]
#[path = "../../../examples/rust/solve_contact.rs"]
mod solve_contact;
#[allow(dead_code)]
#[path = "../../../examples/rust/solve_lcp.rs"]
mod solve_lcp;
#[allow(dead_code)]
#[path = "../../../examples/rust/sweep.rs"]
mod sweep;

/// Compares with the kept text; `EXAMPLES=write` keeps what was found.
fn check(name: &str, found: Result<String, Box<dyn Error>>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let file = folder.join("output").join(format!("{name}.txt"));
    let found = found.unwrap();
    if std::env::var_os("EXAMPLES").is_some_and(|v| v == "write") {
        fs::write(&file, &found).unwrap();
    }
    assert_eq!(found, fs::read_to_string(&file).unwrap(), "{}", file.display());
    for twin in [format!("rust/{name}.rs"), format!("python/{name}.py")] {
        assert!(folder.join(&twin).is_file(), "{twin}");
    }
}

#[test]
fn examples_print_what_is_kept() {
    check("solve_contact", solve_contact::report());
    check("solve_lcp", solve_lcp::report());
    check("run_scene", run_scene::report(&run_scene::default_scene()));
    check("sweep", sweep::report());
    check("grasp_robustness", grasp_robustness::report());
}

#[test]
fn every_example_is_kept() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let names = |folder: &str| {
        let mut names: Vec<String> = fs::read_dir(examples.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file())
            .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names("rust"), names("output"));
    // Ray and the training of policies are Python's.
    let twins = |name: &String| !name.ends_with("_ray") && !name.starts_with("train_");
    let python: Vec<String> = names("python").into_iter().filter(twins).collect();
    assert_eq!(names("rust"), python);
}
