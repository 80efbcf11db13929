//! What rounding alone leaves of an LCP was called solved like everything else. `accuracy` now says so, in `solve` and in `check`, and rows are measured by what
//! acts on them.
// The lint knows tests by their attribute and misses their helpers.
#![allow(clippy::unwrap_used)]

mod running;

use running::{folder, stiction_in};
use serde_json::json;

/// Terms of 1e7 in a row that is driven by 0.1: their last bit is 1e-9 of what drives it.
const HUGE: &str = r#"{"kind": "lcp", "name": "huge", "M": [[1, -1], [0, 1e-7]], "q": [-0.1, -1]}"#;

#[test]
fn rounding_is_said() {
    let folder = folder("accuracy_rounding");
    std::fs::write(folder.join("p.json"), HUGE).unwrap();
    let ran = stiction_in(&folder, &["solve", "p.json", "--json"]);
    let answer = ran.json();
    assert_eq!(
        (ran.code, &answer["status"], &answer["accuracy"]),
        (0, &json!("solved"), &json!("rounding"))
    );
    assert!(answer["residual"].as_f64().unwrap() > 1e-10, "{answer}");
    assert!(answer["residual_excused"].as_f64().unwrap() <= 1e-10, "{answer}");
    std::fs::write(folder.join("a.json"), &ran.stdout).unwrap();
    let verdict = stiction_in(&folder, &["check", "p.json", "a.json", "--json"]);
    assert_eq!(
        (verdict.code, &verdict.json()["accuracy"]),
        (0, &json!("rounding")),
        "{verdict:?}"
    );
    for command in [&["solve", "p.json"][..], &["check", "p.json", "a.json"]] {
        let text = stiction_in(&folder, command).stdout;
        assert!(text.contains("\naccuracy   rounding: "), "{text}");
    }
}

#[test]
fn what_is_within_the_tolerance_is_full() {
    let folder = folder("accuracy_full");
    std::fs::write(
        folder.join("p.json"),
        r#"{"kind": "lcp", "name": "apart", "M": [[1e20, 0], [0, 1]], "q": [-1e20, -1]}"#,
    )
    .unwrap();
    let ran = stiction_in(&folder, &["solve", "p.json", "--json"]);
    let answer = ran.json();
    assert_eq!((ran.code, &answer["accuracy"]), (0, &json!("full")), "{ran:?}");
    assert_eq!(answer["z"], json!([1.0, 1.0]));
    // It passed once: w = (0, −1).
    std::fs::write(folder.join("a.json"), "[1, 0]").unwrap();
    let refused = stiction_in(&folder, &["check", "p.json", "a.json", "--json"]);
    let verdict = refused.json();
    assert_eq!((refused.code, &verdict["verdict"]), (1, &json!("refused")));
    assert_eq!(
        (&verdict["worst"]["row"], verdict.get("accuracy")),
        (&json!(1), None),
        "{verdict}"
    );
}
