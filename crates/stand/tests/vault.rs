//! The armadillo vault of compas_cra: 366 blocks that can move, 5031 contacts. Its file comes with `data/` or is skipped.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use serde_json::Value;
use stiction_stand::{Equilibrium, Existence, Known, SelfStress, compas, existence, margin, self_stress};

fn vault(mu: f64) -> Option<Equilibrium> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let found = ["data", "../shared/data"].map(|folder| root.join(folder).join("compas-cra/armadillo_cra.json"));
    let Some(text) = found.iter().find_map(|file| std::fs::read_to_string(file).ok()) else {
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        // Past the capture of test output, for `scripts/check.sh`.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: {test}: data/compas-cra/armadillo_cra.json is not there"
        );
        return None;
    };
    let file: Value = serde_json::from_str(&text).unwrap();
    Some(compas::read(&file, (1.0, mu)).unwrap())
}

#[test]
fn t09_the_armadillo_vault_leans_and_needs_friction() {
    let Some(whole) = vault(0.7) else { return };
    assert_eq!((whole.bodies().len(), whole.contacts().len()), (366, 5031));
    let start = Instant::now();
    let Existence::Forces(inner) = existence(&whole) else {
        panic!("no forces")
    };
    eprintln!("forces {:?}: {:?}", start.elapsed(), inner.proof);
    let start = Instant::now();
    let SelfStress::None(explosion) = self_stress(&whole) else {
        panic!("wedged")
    };
    eprintln!("explosion {:?}", start.elapsed());
    let known = Known {
        inner: Some(&inner),
        explosion: Some(&explosion),
    };
    for (axis, expected) in [([1.0, 0.0, 0.0], 0.474_069), ([0.0, 1.0, 0.0], 0.560_870)] {
        let start = Instant::now();
        let found = margin(&whole, &whole.lean(axis), known);
        let low = found.low.unwrap();
        eprintln!(
            "margin {:?}: {} {} {}",
            start.elapsed(),
            low.lambda,
            found.estimate,
            found.high
        );
        assert!((low.lambda - expected).abs() < 2e-4 && (found.high - expected).abs() < 2e-4);
        assert!(low.lambda <= found.high && found.limits.contact.is_infinite());
    }
    assert!(matches!(existence(&vault(0.1).unwrap()), Existence::Mechanism { .. }));
    assert!(matches!(existence(&vault(0.2).unwrap()), Existence::Forces(_)));
}
