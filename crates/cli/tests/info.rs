//! `stiction info`: what it says of a file is true of it.
#![allow(clippy::unwrap_used)]

mod running;

use running::{folder, stiction_in, workspace};

fn info(name: &str, text: &str) -> String {
    let folder = folder(name);
    std::fs::write(folder.join("p.json"), text).unwrap();
    let ran = stiction_in(&folder, &["info", "p.json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.stdout
}

#[test]
fn forces_are_no_impulses() {
    let text = stiction_in(&workspace(), &["info", "problems/contact-acceleration/ladder.json"]).stdout;
    assert!(text.contains("a = M^-1 (wrench + forces)"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("acceleration ")), "{text}");
    assert!(!text.contains("impulses") && !text.contains("speed"), "{text}");
}

#[test]
fn a_matrix_without_figures_says_why() {
    let empty = info(
        "info_empty",
        r#"{"kind": "contact", "name": "none", "dt": 0.1, "bodies": [], "contacts": []}"#,
    );
    assert!(
        empty.lines().any(|line| line.split_whitespace().eq(["W", "empty"])),
        "{empty}"
    );
    let huge = info(
        "info_huge",
        r#"{"kind": "lcp", "M": [[1.7e308, 1.7e308], [1.7e308, 1.7e308]], "q": [0, 0]}"#,
    );
    assert!(huge.contains("beyond all doubles") && !huge.contains("inf"), "{huge}");
    let contact = r#"{"parts": [{"block": 0, "normal": [1, 0], "tangents": [[0, 1], [0, 0]]}], "mu": 0.5}"#;
    let contacts = vec![contact; 1100].join(",");
    let wide = info(
        "info_wide",
        &format!(
            r#"{{"kind": "contact-raw", "blocks": [{{"mass": [[1, 0], [0, 1]], "v_free": [0, 0]}}], "contacts": [{contacts}]}}"#
        ),
    );
    assert!(wide.contains("too large for its eigenvalues"), "{wide}");
}
