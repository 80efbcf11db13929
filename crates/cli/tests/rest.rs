//! Rest is found where it is an answer, at the size of a vault.
#![allow(clippy::unwrap_used)]

mod running;

use running::{data, stiction};

/// Block, Van Mele and others' armadillo vault, 399 blocks, tilted to nine tenths of what statics allows: forces that hold it exist. Newton's method and
/// the path ended with a residual of 4e-2.
#[test]
fn a_vault_that_is_tilted_to_nine_tenths_of_its_limit_rests() {
    let Some(file) = data("compas-cra/vault-tilt-0.9.json") else {
        return;
    };
    let ran = stiction(&["solve", &file.display().to_string(), "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let answer = ran.json();
    assert_eq!(answer["status"], "solved");
    assert!(answer["residual"].as_f64().unwrap() <= 1e-10);
    let velocities = answer["bodies"].as_array().unwrap();
    assert_eq!(velocities.len(), 366);
    for body in velocities {
        for x in body["velocity"].as_array().unwrap() {
            assert!(x.as_f64().unwrap().abs() < 1e-9, "{body}");
        }
    }
}
