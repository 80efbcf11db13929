//! Contact problems of other programs: one cube with four contacts in every format, and the public data sets.
#![allow(clippy::unwrap_used)]

mod running;

use std::path::{Path, PathBuf};

use running::{data, folder, stiction, stiction_in, workspace};
use serde_json::Value;

/// The cube in every format.
const CUBES: [&str; 7] = [
    "cube-dense.dat",
    "cube-blocks.dat",
    "cube-list.dat",
    "cube-global.dat",
    "cube.npz",
    "cube-deflated.npz",
    "cube-upper.hdf5",
];

fn own(name: &str) -> PathBuf {
    workspace().join("crates/cli/tests/data/formats").join(name)
}

fn solve(path: &Path) -> Value {
    let ran = stiction(&[Path::new("solve"), path, Path::new("--json")]);
    assert_eq!(ran.code, 0, "{}: {}{}", path.display(), ran.stdout, ran.stderr);
    ran.json()
}

/// Velocities at the contacts: unique where impulses are not.
fn velocities(answer: &Value) -> Vec<f64> {
    let contacts = answer["contacts"].as_array().unwrap().iter();
    contacts
        .flat_map(|contact| {
            contact["velocity"]
                .as_array()
                .unwrap()
                .iter()
                .map(|x| x.as_f64().unwrap())
        })
        .collect()
}

#[test]
fn the_same_cube_comes_out_of_every_format() {
    let expected = velocities(&solve(&own(CUBES[0])));
    assert_eq!(expected.len(), 12);
    assert!(expected.iter().any(|x| x.abs() > 0.1), "{expected:?}");
    for name in CUBES {
        let answer = solve(&own(name));
        assert!(answer["residual"].as_f64().unwrap() < 1e-12, "{name}: {answer}");
        for (k, (x, y)) in velocities(&answer).iter().zip(&expected).enumerate() {
            assert!((x - y).abs() < 1e-10, "{name}: velocity {k} is {x}, expected {y}");
        }
    }
}

/// An entry that a list gives twice is the sum of both, as everywhere in lists of triplets.
#[test]
fn entries_given_twice_are_added() {
    let folder = folder("formats_twice");
    let list = "2 1 2 2 2\n0\nCSparse\ntriplet: 2-by-2, nzmax: 3 nnz: 3\n0 0 : 1\n0 0 : 1\n1 1 : 1\n-1 0\n0.5\n";
    let file = folder.join("twice.dat");
    std::fs::write(&file, list).unwrap();
    // u = 2 r − 1 = 0.
    let pushed = solve(&file)["contacts"][0]["normal_impulse"].as_f64().unwrap();
    assert!((pushed - 0.5).abs() < 1e-12, "{pushed}");
}

#[test]
fn a_matrix_that_is_not_symmetric_is_solved_as_it_is_and_said_so() {
    let folder = folder("formats_skew");
    let answer = solve(&own("plane-skew.dat"));
    assert!(answer["rounds"].as_u64().unwrap() > 1, "{answer}");
    assert!(
        answer["notes"][0]
            .as_str()
            .unwrap()
            .starts_with("W is not symmetric by 8e-4"),
        "{answer}"
    );
    // u = W r + q with W as the file gives it, by columns.
    let matrix = [
        [1.0, 0.1, 0.3, 0.0],
        [0.101, 1.2, 0.0, 0.2],
        [0.3, 0.0, 0.9, -0.1],
        [0.0, 0.2, -0.0995, 1.1],
    ];
    let contact = |i: usize| &answer["contacts"][i];
    let r: Vec<f64> = (0..2)
        .flat_map(|i| [&contact(i)["normal_impulse"], &contact(i)["friction_impulse"][0]])
        .map(|x| x.as_f64().unwrap())
        .collect();
    for (k, q) in [-1.0, 0.4, -0.5, -2.0].into_iter().enumerate() {
        let u: f64 = q + (0..4).map(|c| matrix[k][c] * r[c]).sum::<f64>();
        let stated = contact(k / 2)["velocity"][k % 2].as_f64().unwrap();
        assert!((u - stated).abs() < 1e-13, "row {k}: {stated}, expected {u}");
    }
    // The answer passes `check`; that of the symmetric part does not.
    std::fs::write(folder.join("good.json"), answer.to_string()).unwrap();
    std::fs::write(folder.join("list.json"), format!("{r:?}")).unwrap();
    std::fs::write(
        folder.join("bad.json"),
        format!(
            "{{\"status\": \"solved\", \"r\": [{}, {}, {}, {}]}}",
            r[0],
            r[1],
            r[2] * 1.01,
            r[3]
        ),
    )
    .unwrap();
    let problem = own("plane-skew.dat");
    let problem = std::fs::canonicalize(problem).unwrap();
    for (name, code) in [("good.json", 0), ("list.json", 0), ("bad.json", 1)] {
        let ran = stiction_in(&folder, &[Path::new("check"), &problem, Path::new(name)]);
        assert_eq!(ran.code, code, "{name}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(
            ran.stdout.contains("the answer says solved, but it is not"),
            code == 1,
            "{}",
            ran.stdout
        );
    }
}

#[test]
fn info_says_what_is_in_a_file() {
    let info = |name: &str| stiction(&[Path::new("info"), &own(name), Path::new("--json")]).json();
    let found = info("cube-dense.dat");
    assert_eq!(
        (found["form"].as_str(), found["contacts"]["count"].as_u64()),
        (Some("local"), Some(4))
    );
    assert_eq!(
        (found["matrix"]["rows"].as_u64(), found["matrix"]["rank"].as_u64()),
        (Some(12), Some(6))
    );
    assert_eq!(found["contacts"]["friction"], serde_json::json!([0.3, 0.6]));
    assert_eq!(found["contacts"]["bodies"], Value::Null);
    let found = info("cube-upper.hdf5");
    assert_eq!(found["form"], "global");
    assert!(
        found["notes"][0].as_str().unwrap().contains("upper triangle"),
        "{found}"
    );
    let found = info("plane-skew.dat");
    assert_eq!(found["contacts"]["dimension"], 2);
    assert!(
        (found["matrix"]["asymmetry"].as_f64().unwrap() - 1e-3 / 1.2).abs() < 1e-6,
        "{found}"
    );
    let text = stiction(&[Path::new("info"), &own("plane-skew.dat")]).stdout;
    assert!(
        text.contains("NOT symmetric: mirrored entries differ by 8.3e-4"),
        "{text}"
    );
}

#[test]
fn problems_survive_being_written() {
    let folder = folder("formats_written");
    for name in ["cube-dense.dat", "plane-skew.dat", "cube-global.dat", "cube.npz"] {
        let (from, answer) = (std::fs::canonicalize(own(name)).unwrap(), solve(&own(name)));
        for chain in [&["a.json"][..], &["a.hdf5"], &["a.hdf5", "b.json", "c.h5"]] {
            let mut last = from.clone();
            for out in chain {
                let ran = stiction_in(&folder, &[Path::new("convert"), &last, Path::new(out)]);
                assert_eq!(ran.code, 0, "{name} {out}: {}", ran.stderr);
                last = folder.join(out);
            }
            let again = solve(&last);
            for (x, y) in velocities(&again).iter().zip(velocities(&answer)) {
                assert!((x - y).abs() < 1e-10, "{name} through {chain:?}: {x}, expected {y}");
            }
            if name != "cube-global.dat" {
                // Nothing is computed on the way of a local problem: the same bits.
                assert_eq!(again["contacts"], answer["contacts"], "{name} through {chain:?}");
            }
        }
    }
}

#[test]
fn damaged_files_are_refused_in_one_line() {
    let folder = folder("formats_damaged");
    for name in CUBES {
        let bytes = std::fs::read(own(name)).unwrap();
        let file = folder.join(name);
        for part in 1..12 {
            let cut = bytes.len() * part / 12;
            std::fs::write(&file, &bytes[..cut]).unwrap();
            let ran = stiction_in(&folder, &["solve", name]);
            assert_eq!(ran.code, 2, "{name} cut at {cut}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.stderr.lines().count(), 1, "{name} cut at {cut}: {}", ran.stderr);
        }
        // A byte changed: anything but a crash.
        for part in 0..24 {
            let mut changed = bytes.clone();
            let at = bytes.len() * part / 24;
            changed[at] ^= 0x5a;
            std::fs::write(&file, &changed).unwrap();
            let ran = stiction_in(&folder, &["solve", name]);
            assert!(
                (0..=2).contains(&ran.code),
                "{name} changed at {at}: {}{}",
                ran.stdout,
                ran.stderr
            );
        }
    }
    // A changed number of a stored array.
    let mut bytes = std::fs::read(own("cube.npz")).unwrap();
    let start = bytes.windows(6).position(|window| window == b"\x93NUMPY").unwrap();
    bytes[start + 128] ^= 0x5a;
    std::fs::write(folder.join("cube.npz"), &bytes).unwrap();
    let ran = stiction_in(&folder, &["solve", "cube.npz"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("must have the checksum"), "{}", ran.stderr);
    for (text, message) in [
        (
            "3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 0 0 0",
            "a.dat: token 20: mu expected, found the end of the file",
        ),
        (
            "3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 0 0 0 -1",
            "a.dat: mu[0]: must not be negative or NaN, found -1",
        ),
        (
            "3 9999999 0 3 3 3 3 1 0 0",
            "a.dat: token 2: number of contacts must be at most 13 numbers in a file of 25 bytes, found 9999999",
        ),
        (
            "2 1 2 2 2 0 words 2-by-2, nzmax: 9 nnz: 99999, 1-norm: 1",
            "a.dat: token 12: nnz must be at most 29 numbers in a file of 56 bytes, found 99999",
        ),
    ] {
        std::fs::write(folder.join("a.dat"), text).unwrap();
        let ran = stiction_in(&folder, &["solve", "a.dat"]);
        assert_eq!((ran.code, ran.stderr.trim_end()), (2, message), "{text}");
    }
}

/// Every friction problem of the public sets, up to 667 contacts.
#[test]
fn the_public_friction_problems_are_solved() {
    let mut solved = 0;
    for set in [
        "siconos/fc2d",
        "siconos/fc3d",
        "siconos/gfc2d",
        "siconos/gfc3d",
        "fclib",
        "contactbench",
    ] {
        let Some(set) = data(set) else { continue };
        let mut files: Vec<PathBuf> = std::fs::read_dir(set)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            if name == "README.md" {
                continue;
            }
            let answer = solve(&file);
            assert!(
                answer["residual"].as_f64().unwrap() <= 1e-10,
                "{name}: {}",
                answer["residual"]
            );
            solved += 1;
        }
    }
    assert!(solved == 0 || solved == 36, "{solved} of 36");
}
