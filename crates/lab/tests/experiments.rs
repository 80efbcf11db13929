//! `stiction-lab experiment drumwright` and `baraff`: quick runs. Times are printed and not tested.
#![allow(clippy::unwrap_used)]

#[path = "../../cli/tests/running/mod.rs"]
mod running;

use running::{Ran, folder, stiction_in};

/// A quick run: what it printed and the rows of its CSV, by column.
fn quick(name: &str) -> (Ran, Vec<Vec<(String, String)>>) {
    let folder = folder(&format!("experiment_{name}"));
    let ran = stiction_in(&folder, &["experiment", name, "--quick", "--out", "out"]);
    let svg = std::fs::read_to_string(folder.join(format!("out/{name}.svg"))).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("ppm_modified"), "{svg}");
    let png = std::fs::read(folder.join(format!("out/{name}.png"))).unwrap();
    assert_eq!(&png[..4], b"\x89PNG");
    let csv = std::fs::read_to_string(folder.join(format!("out/{name}.csv"))).unwrap();
    let mut lines = csv.lines().map(fields);
    let header = lines.next().unwrap();
    let rows = lines
        .map(|line| {
            assert_eq!(line.len(), header.len(), "{line:?}");
            header.iter().cloned().zip(line).collect()
        })
        .collect();
    (ran, rows)
}

/// Fields of a CSV line, those with commas in quotes.
fn fields(line: &str) -> Vec<String> {
    let (mut all, mut inside) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '"' => inside = !inside,
            ',' if !inside => all.push(String::new()),
            _ => all.last_mut().unwrap().push(letter),
        }
    }
    all
}

fn field<'a>(row: &'a [(String, String)], name: &str) -> &'a str {
    let found = row.iter().find(|(column, _)| column == name);
    &found.unwrap_or_else(|| panic!("no column {name}: {row:?}")).1
}

fn number(row: &[(String, String)], name: &str) -> f64 {
    field(row, name).parse().unwrap()
}

/// Every row has its figures, and answers of all ways named are verified.
fn check(rows: &[Vec<(String, String)>], verified: &[&str]) {
    for row in rows {
        assert!(
            0.0 < number(row, "min_us") && number(row, "min_us") <= number(row, "median_us"),
            "{row:?}"
        );
        assert!(number(row, "mean_pivots") <= number(row, "max_pivots"), "{row:?}");
        let way = field(row, "way");
        if verified.contains(&way) {
            assert_eq!(field(row, "tried"), field(row, "verified"), "{row:?}");
            assert_eq!(field(row, "failures"), "-", "{row:?}");
            assert!(number(row, "worst_residual") <= 1e-10, "{row:?}");
        }
    }
    for way in verified {
        assert!(rows.iter().any(|row| field(row, "way") == *way), "{way} was not run");
    }
}

#[test]
fn drumwright_is_verified_by_our_methods_and_near_by_the_others() {
    let (ran, rows) = quick("drumwright");
    let ways = ["lemke_standard", "lemke_reduced", "dantzig", "ppm_modified"];
    check(&rows, &ways);
    let others = ["clarabel", "clarabel_motion", "clarabel_alone"];
    for row in rows.iter().filter(|row| others.contains(&field(row, "way"))) {
        // Its own tolerance is 1e-8.
        assert!(number(row, "worst_residual") <= 1e-6, "{row:?}");
    }
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    for line in [
        "lemke_standard : ppm_modified",
        "clarabel : ppm_modified",
        "growth from 12 to 96",
    ] {
        assert!(ran.stdout.contains(line), "{line}: {}", ran.stdout);
    }
    let papers = |row: &&Vec<(String, String)>| field(row, "scenario") == "held2" && field(row, "contacts") == "36";
    assert_eq!(rows.iter().filter(papers).count(), ways.len() + others.len());
}

#[test]
fn baraff_is_verified_by_our_methods_and_near_by_the_others() {
    let (ran, rows) = quick("baraff");
    check(&rows, &["dantzig", "ppm_modified", "lemke_reduced", "lu", "cholesky"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(rows.iter().any(|row| field(row, "way") == "clarabel"));
    for line in ["pile: dantzig : lu", "stack: clarabel : dantzig", "GFlop/s"] {
        assert!(ran.stdout.contains(line), "{line}: {}", ran.stdout);
    }
}

#[test]
fn piles_come_to_rest_with_every_step_verified() {
    let folder = folder("experiment_pile");
    let ran = stiction_in(&folder, &["experiment", "pile", "--bodies", "10,30,100", "--json"]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    for (pile, bodies) in report["piles"].as_array().unwrap().iter().zip([10, 30, 100]) {
        assert_eq!(pile["bodies"], bodies, "{pile}");
        assert_eq!(pile["failures"], 0, "{pile}");
        assert!(pile["rest_at"].as_u64().unwrap() > 100, "{pile}");
        assert!(pile["fastest"].as_f64().unwrap() < 1e-9, "{pile}");
        assert!(pile["worst_residual"].as_f64().unwrap() <= 1e-9, "{pile}");
        assert!(pile["contacts"].as_u64().unwrap() >= 3 * bodies, "{pile}");
    }
    assert!(report["exponent_bodies"].as_f64().unwrap().is_finite());
}

#[test]
fn a_pile_that_was_kept_goes_on_as_if_it_had_not_stopped() {
    let folder = folder("experiment_pile_kept");
    let run = |more: &[&str]| {
        let ran = stiction_in(
            &folder,
            &[&["experiment", "pile", "--bodies", "10", "--json"], more].concat(),
        );
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
        (ran, report["piles"][0].clone())
    };
    let (_, whole) = run(&[]);
    let (first, part) = run(&["--keep", "kept", "--steps", "40"]);
    assert!(first.code == 1 && part["steps"] == 40, "{}", first.stdout);
    let (second, rest) = run(&["--keep", "kept"]);
    assert_eq!(second.code, 0, "{}", second.stderr);
    for key in [
        "steps",
        "rest_at",
        "contacts",
        "worst_residual",
        "newton_steps",
        "mean_contacts",
        "fastest",
    ] {
        assert_eq!(rest[key], whole[key], "{key}");
    }
    std::fs::write(folder.join("kept/pile-10-2x1-1.kept"), "{}\nnothing").unwrap();
    let (bad, _) = run(&["--keep", "kept"]);
    assert_eq!(bad.code, 2, "{}", bad.stdout);
    assert!(
        bad.stderr.contains("pile-10-2x1-1.kept: not a pile that was kept, "),
        "{}",
        bad.stderr
    );
}

/// Below the folder of the scenes.
fn scenes() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes").to_owned()
}

#[test]
fn simulations_of_drumwright_are_verified() {
    let folder = folder("experiment_drumwright_sim");
    let ran = stiction_in(
        &folder,
        &["experiment", "drumwright-sim", "--quick", "--scenes", &scenes()],
    );
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    // The paper's ratios, from its tables.
    for (way, ratio) in [
        ("lemke_standard", "6.58"),
        ("round cone", "1.38"),
        ("viscous, lemke_standard", "1.37"),
    ] {
        let found = ran
            .stdout
            .lines()
            .any(|line| line.contains(way) && line.contains(ratio));
        assert!(found, "{way} {ratio}: {}", ran.stdout);
    }
    let missing = stiction_in(&folder, &["experiment", "drumwright-sim", "--scenes", "nowhere"]);
    assert_eq!(missing.code, 2, "{}", missing.stdout);
    assert!(
        missing.stderr.contains("grasp.toml: must be a file, found nothing"),
        "{}",
        missing.stderr
    );
}

#[test]
fn a_moving_peg_is_verified() {
    let folder = folder("experiment_lloyd_peg");
    let ran = stiction_in(
        &folder,
        &["experiment", "lloyd-peg", "--steps", "500", "--scenes", &scenes()],
    );
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    for part in ["500 steps, every one verified", "99.99 %", "slowest", "whole step"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

#[test]
fn egan_repeats_the_paper() {
    let folder = folder("experiment_egan");
    let ran = stiction_in(&folder, &["experiment", "egan", "--quick"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    for line in ["3(a) z_a", "3(b) z_b1", "3(b) z_b2", "3(b) z_b3"] {
        let found = ran.stdout.lines().find(|l| l.contains(line)).unwrap();
        assert!(found.contains("found"), "{found}");
    }
    assert!(ran.stdout.contains("here ray after 1 pivots"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("differs"), "{}", ran.stdout);
    // What the summation form lets in grows with the number of sides; the max form lets nothing in.
    let rows = ran.stdout.lines().filter(|l| l.starts_with("  n "));
    let depth = |line: &str, way: &str| -> f64 {
        let words: Vec<&str> = line.split_whitespace().collect();
        words[words.iter().position(|w| *w == way).unwrap() + 1]
            .parse()
            .unwrap()
    };
    let mut last = 0.0;
    let mut count = 0;
    for row in rows {
        assert!(depth(row, "summation") > last && depth(row, "max") < 1e-3, "{row}");
        last = depth(row, "summation");
        count += 1;
    }
    assert_eq!(count, 5);
}
