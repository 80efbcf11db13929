//! Contact problems of other programs: one cube with four contacts in every format, and the public data sets.
#![allow(clippy::unwrap_used)]

#[path = "../../../fuzz/hdf5_sums.rs"]
#[allow(dead_code, unreachable_pub)]
mod hdf5_sums;
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

/// A list of CSparse.
fn list(rows: usize, columns: usize, entries: &[(usize, usize, f64)]) -> String {
    let count = entries.len();
    let lines: Vec<String> = entries.iter().map(|(r, c, x)| format!("{r} {c} : {x}")).collect();
    let lines = lines.join("\n");
    format!("2 {rows} {columns}\n0\nCSparse\ntriplet: {rows}-by-{columns}, nzmax: {count} nnz: {count}\n{lines}\n")
}

/// An entry that a list gives twice is the sum of both, as everywhere in lists of triplets; its mirror image is not a second one.
#[test]
fn entries_given_twice_are_added() {
    let folder = folder("formats_twice");
    let impulse = |name: &str, text: String| {
        let file = folder.join(name);
        std::fs::write(&file, text).unwrap();
        solve(&file)["contacts"][0]["normal_impulse"].as_f64().unwrap()
    };
    let once = [(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)];
    let twice = [(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0), (0, 0, 1.0)];
    let directions = [(0, 0, 1.0), (1, 1, 1.0)];
    let of_twice = [(0, 0, 1.0), (1, 1, 1.0), (0, 0, 1.0)];
    let whole = [(0, 0, 2.0), (0, 1, 0.5), (1, 0, 0.5), (1, 1, 1.0), (2, 2, 1.0)];
    let upper = [(0, 0, 2.0), (0, 1, 0.25), (1, 1, 1.0), (0, 1, 0.25), (2, 2, 1.0)];
    let global = |mass: &[(usize, usize, f64)], directions: &[(usize, usize, f64)]| {
        format!(
            "2 1\n{}{}-2 0 0\n0.5 0\n0.5\n",
            list(3, 3, mass),
            list(3, 2, directions)
        )
    };
    let mirrored = impulse("whole.dat", global(&whole, &directions));
    for (name, text, expected) in [
        // u = 2 r − 1 = 0.
        (
            "local.dat",
            format!(
                "2 1 {}-1 0\n0.5\n",
                list(2, 2, &[(0, 0, 1.0), (0, 0, 1.0), (1, 1, 1.0)])
            ),
            0.5,
        ),
        // u = (r − 2) / M + 0.5 = 0.
        ("once.dat", global(&once, &directions), 1.5),
        ("mass.dat", global(&twice, &directions), 1.0),
        // u = 2 (2 r − 2) + 0.5 = 0.
        ("directions.dat", global(&once, &of_twice), 0.875),
        ("upper.dat", global(&upper, &directions), mirrored),
    ] {
        let found = impulse(name, text);
        assert!((found - expected).abs() < 1e-12, "{name}: {found}, expected {expected}");
    }
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

/// Laws of impulses.
const LAWS: [&str; 7] = [
    "frictionless",
    "polyhedral",
    "coulomb",
    "no-slip",
    "viscous",
    "viscous-explicit",
    "coulomb-viscous",
];

/// Runs `solve` under a law: its exit status, impulses of contacts and joints, velocities of bodies or blocks.
fn under(law: &str, path: &Path) -> (i32, Vec<Value>) {
    let words = ["--json", "--law", law].map(Path::new);
    let ran = stiction(&[&[Path::new("solve"), path], &words[..]].concat());
    if ran.code == 2 {
        return (2, vec![Value::from(ran.stderr.lines().count())]);
    }
    let answer = ran.json();
    let list = |key: &str| answer[key].as_array().cloned().unwrap_or_default();
    let contacts = list("contacts")
        .iter()
        .map(|c| c["normal_impulse"].clone())
        .collect::<Vec<_>>();
    let bodies = [list("bodies"), list("blocks")].concat();
    let moving = bodies.iter().map(|b| b["velocity"].clone());
    let joints = list("joints")
        .iter()
        .flat_map(|j| j["impulse"].as_array().unwrap().clone())
        .collect();
    let all = [contacts, moving.collect(), joints, list("joint_impulse")].concat();
    (ran.code, all)
}

/// Every part that a raw file may have.
const RAW: &str = r#"{ "kind": "contact-raw", "name": "all",
    "blocks": [{ "mass": [[2, 0, 0], [0, 2, 0], [0, 0, 2]], "v_free": [1, 0.5, -1] }, { "mass": [[3]], "v_free": [0.25] }],
    "contacts": [
        { "parts": [{ "block": 0, "normal": [0, 0, 1], "tangents": [[1, 0, 0], [0, 1, 0]] }], "mu": 0.25, "bias": [0.125, 0.5, 0],
          "restitution": 0.5, "viscosity": 0.75, "slip": [1, 0.25] },
        { "parts": [{ "block": 0, "normal": [0, 1, 0], "tangents": [[1, 0, 0], [0, 0, 1]] },
                    { "block": 1, "normal": [-1], "tangents": [[0], [0]] }], "mu": "inf" },
        { "parts": [{ "block": 1, "normal": [1], "tangents": [[0], [0]] }] }],
    "joints": [{ "parts": [{ "block": 0, "row": [1, 0, 0] }, { "block": 1, "row": [1] }], "bias": 0.25, "compliance": 0.5, "most": 2 }],
    "groups": [[0, [1, 2]]] }"#;

#[test]
fn json_keeps_all_of_a_problem() {
    let folder = folder("formats_kept");
    let mut files: Vec<PathBuf> = std::fs::read_dir(workspace().join("problems/contact"))
        .unwrap()
        .map(|entry| std::fs::canonicalize(entry.unwrap().path()).unwrap())
        .collect();
    files.sort();
    assert!(files.len() > 30, "{}", files.len());
    std::fs::write(folder.join("all.json"), RAW).unwrap();
    std::fs::write(
        folder.join("part.json"),
        RAW.replace(r#", "compliance": 0.5, "most": 2"#, ""),
    )
    .unwrap();
    files.extend(["all.json", "part.json"].map(|name| folder.join(name)));
    for file in files {
        let out = folder.join("out.json");
        let ran = stiction(&[Path::new("convert"), &file, &out]);
        assert_eq!(ran.code, 0, "{}: {}", file.display(), ran.stderr);
        for law in LAWS {
            assert_eq!(under(law, &out), under(law, &file), "{} {law}", file.display());
        }
    }
    // No number is lost of a raw file: written again it is the same, field by field.
    let kept = |name: &str| serde_json::from_slice::<Value>(&std::fs::read(folder.join(name)).unwrap()).unwrap();
    let ran = stiction_in(&folder, &["convert", "all.json", "again.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let (given, again) = (kept("all.json"), kept("again.json"));
    for part in ["blocks", "joints"] {
        assert_eq!(floats(&again[part]), floats(&given[part]), "{part}");
    }
    for part in ["parts", "mu", "bias", "restitution", "viscosity", "slip"] {
        assert_eq!(
            floats(&again["contacts"][0][part]),
            floats(&given["contacts"][0][part]),
            "{part}"
        );
    }
    assert_eq!(again["contacts"][1]["mu"], "inf");
    assert_eq!(again["groups"], serde_json::json!([[[0], [1, 2]]]));
}

/// The value with every number as a double: `1` is written `1.0`.
fn floats(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::from(number.as_f64().unwrap()),
        Value::Array(list) => Value::from(list.iter().map(floats).collect::<Vec<_>>()),
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), floats(value))).collect(),
        other => other.clone(),
    }
}

/// What a format has no words for is refused, not lost.
#[test]
fn what_a_format_cannot_say_is_refused() {
    let folder = folder("formats_refused");
    let problems = std::fs::canonicalize(workspace().join("problems")).unwrap();
    let bare = r#"{ "kind": "contact-raw", "blocks": [{ "mass": [[2, 0, 0], [0, 2, 0], [0, 0, 2]], "v_free": [1, 0.5, -1] }], "contacts": [
        { "parts": [{ "block": 0, "normal": [0, 0, 1], "tangents": [[1, 0, 0], [0, 1, 0]] }], "mu": 0.25 },
        { "parts": [{ "block": 0, "normal": [0, 1, 0], "tangents": [[1, 0, 0], [0, 0, 1]] }], MORE }] REST }"#;
    let raw = |name: &str, more: &str, rest: &str| {
        let file = folder.join(name);
        std::fs::write(&file, bare.replace("MORE", more).replace("REST", rest)).unwrap();
        file
    };
    let forces = problems.join("contact-acceleration/sliding-block.json");
    let impulses = "kind: must be a problem of impulses, found contact-acceleration";
    let joint = r#", "joints": [{ "parts": [{ "block": 0, "row": [1, 0, 0] }] }]"#;
    for (file, out, message) in [
        (forces.clone(), "a.json", impulses),
        (forces, "a.hdf5", impulses),
        (
            problems.join("contact/viscous-slider.json"),
            "a.hdf5",
            "contacts[0].viscosity: must be 0 for FCLIB, found 4",
        ),
        (
            raw("inf.json", r#""mu": "inf""#, ""),
            "a.hdf5",
            "contacts[1].mu: must be finite for FCLIB, found inf",
        ),
        (
            raw("restitution.json", r#""restitution": 0.5"#, ""),
            "a.h5",
            "contacts[1].restitution: must be 0 for FCLIB, found 0.5",
        ),
        (
            raw("slip.json", r#""slip": [0, 0.25]"#, ""),
            "a.hdf5",
            "contacts[1].slip[1]: must be 0 for FCLIB, found 0.25",
        ),
        (
            raw("joints.json", r#""mu": 0"#, joint),
            "a.hdf5",
            "joints: must be absent for FCLIB, found 1",
        ),
        (
            raw("groups.json", r#""mu": 0"#, r#", "groups": [[0, 1]]"#),
            "a.hdf5",
            "groups: must be absent for FCLIB, found 1",
        ),
    ] {
        let ran = stiction_in(&folder, &[Path::new("convert"), &file, Path::new(out)]);
        let expected = format!("{}: {message}\n", file.display());
        assert_eq!((ran.code, ran.stderr), (2, expected));
        assert!(!folder.join(out).exists(), "{message}");
    }
}

/// A global FCLIB file of one contact with `dof` coordinates, of which M has the first `given` only; `pack` says how f is stored.
#[cfg(target_os = "linux")]
fn sparse_global(dof: usize, given: i32, pack: fn(&mut hdf5_pure::DatasetBuilder)) -> Vec<u8> {
    let mut file = hdf5_pure::FileBuilder::new();
    let mut group = file.create_group("fclib_global");
    group.create_dataset("spacedim").with_i32_data(&[3]);
    let size = i32::try_from(dof).unwrap();
    for (key, columns, count) in [("M", size, given), ("H", 3, 3)] {
        let mut own = group.create_group(key);
        for (part, value) in [("m", size), ("n", columns), ("nz", count)] {
            own.create_dataset(part).with_i32_data(&[value]);
        }
        let places: Vec<i32> = (0..count).collect();
        for part in ["i", "p"] {
            own.create_dataset(part).with_i32_data(&places);
        }
        own.create_dataset("x").with_f64_data(&vec![1.0; places.len()]);
        group.add_group(own.finish());
    }
    let mut own = group.create_group("vectors");
    pack(own.create_dataset("f").with_f64_data(&vec![0.0; dof]));
    own.create_dataset("w").with_f64_data(&[0.0; 3]);
    own.create_dataset("mu").with_f64_data(&[0.5]);
    group.add_group(own.finish());
    file.add_group(group.finish());
    file.finish().unwrap()
}

/// Puts `to` in the place of the only `from`.
#[cfg(target_os = "linux")]
fn put(bytes: &mut [u8], from: &[u8], to: &[u8]) {
    let at: Vec<usize> = (0..bytes.len() - from.len())
        .filter(|at| bytes[*at..].starts_with(from))
        .collect();
    assert_eq!(at.len(), 1, "{from:?} at {at:?}");
    bytes[at[0]..at[0] + to.len()].copy_from_slice(to);
}

/// Files of some kilobytes that speak of millions of coordinates, within a gigabyte of addresses.
#[test]
#[cfg(target_os = "linux")]
fn sizes_are_checked_before_anything_is_made_of_them() {
    let folder = folder("formats_sizes");
    let deflated = |dof: usize, given: i32| {
        sparse_global(dof, given, |f| {
            f.with_chunks(&[1 << 20]).with_deflate(9);
        })
    };
    // Eleven impulses become four million that were never written.
    let mut unwritten = sparse_global(11, 3, |_| {});
    let many = 4_194_300_u64;
    put(&mut unwritten, &11_u64.to_le_bytes(), &many.to_le_bytes());
    let size = 88_u64.to_le_bytes();
    let at = unwritten.windows(8).position(|window| window == size).unwrap();
    unwritten[at - 8..at].fill(0xff);
    put(&mut unwritten, &size, &(8 * many).to_le_bytes());
    // Eleven chunks become two million.
    let mut chunks = sparse_global(11, 3, |f| {
        f.with_chunks(&[1]);
    });
    for at in 0..chunks.len() - 8 {
        if chunks[at..].starts_with(&11_u64.to_le_bytes()) {
            chunks[at..at + 8].copy_from_slice(&2_000_000_u64.to_le_bytes());
        }
    }
    // A mass that couples 3000 coordinates by 5999 entries, and 3729 contacts with one entry each.
    let diagonal = (0..3000).map(|k| (k, k, 2.0));
    let mass: Vec<_> = diagonal.chain((1..3000).map(|k| (0, k, 0.01))).collect();
    let directions: Vec<_> = (0..3729).map(|k| (0, 3 * k, 1.0)).collect();
    let zeros = "0 ".repeat(3000 + 4 * 3729);
    let coupled = format!(
        "3 3729\n{}{}{zeros}",
        list(3000, 3000, &mass),
        list(3000, 11187, &directions)
    );
    for (name, bytes, message) in [
        (
            "coupled.dat",
            coupled.into_bytes(),
            "M: must have at most 33554432 numbers in its blocks and the contacts' rows over them, found 42561000",
        ),
        (
            "chunks.hdf5",
            hdf5_sums::sealed(&chunks),
            "fclib_global.vectors.f: must have at most 65536 chunks, found [2000000]",
        ),
        (
            "unwritten.hdf5",
            hdf5_sums::sealed(&unwritten),
            "fclib_global.vectors.f: must fit a file of BYTES bytes, found [4194300] numbers of 8 bytes",
        ),
        (
            "long.hdf5",
            deflated(1 << 24, 3),
            "fclib_global.vectors.f: must have at most 4194304 entries, found shape [16777216]",
        ),
        (
            "many.hdf5",
            deflated(1 << 22, 3),
            "M: must have at most 1048576 coordinates, found 4194304",
        ),
        ("bare.hdf5", deflated(1 << 20, 3), "M[3][3]: must be positive, found 0"),
    ] {
        assert!(bytes.len() < 200_000, "{name}: {}", bytes.len());
        std::fs::write(folder.join(name), &bytes).unwrap();
        let ran = std::process::Command::new("sh")
            .args([
                "-c",
                "ulimit -v 1048576; exec \"$0\" solve \"$1\"",
                env!("CARGO_BIN_EXE_stiction"),
                name,
            ])
            .current_dir(&folder)
            .output()
            .unwrap();
        let message = message.replace("BYTES", &bytes.len().to_string());
        assert_eq!(String::from_utf8_lossy(&ran.stderr), format!("{name}: {message}\n"));
        assert_eq!(ran.status.code(), Some(2), "{name}");
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
                answer["residual_excused"].as_f64().unwrap() <= 1e-10,
                "{name}: {}",
                answer["residual_excused"]
            );
            solved += 1;
        }
    }
    assert!(solved == 0 || solved == 36, "{solved} of 36");
}
