//! Input that is not a problem: exit status 2 and one line that names the file, the place and the value found.
// The lint knows tests by their attribute and misses their helpers.
#![allow(clippy::unwrap_used)]

mod running;

use std::path::Path;

use running::{Sequence, data, folder, stiction_in, workspace};
use stiction_formats::read::{ReadOptions, parse};

/// File name, content, and the message after the name.
const ROWS: &[(&str, &str, &str)] = &[
    // Numbers
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1,2],[3,1e400]],"q":[1,2]}"#,
        "M[1][1]: must be finite, found 1e400",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1]],"q":[-1e999]}"#,
        "q[0]: must be finite, found -1e999",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1,NaN],[3,4]],"q":[1]}"#,
        "line 1 column 23: expected value, found NaN",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[-Infinity]],"q":[1]}"#,
        "line 1 column 22: invalid number, found -Infinity",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1]],"q":[0x10]}"#,
        "line 1 column 31: expected `,` or `]`, found 0x10",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1]],"q":[1_000]}"#,
        "line 1 column 31: expected `,` or `]`, found 1_000",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1]],"q":[01]}"#,
        "line 1 column 31: invalid number, found 01",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1]],"q":[.5]}"#,
        "line 1 column 30: expected value, found .5",
    ),
    // Types
    (
        "a.json",
        r#"{"kind":"lcp","M":[["1"]],"q":[1]}"#,
        "M[0][0]: must be a number, found \"1\"",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[null]],"q":[1]}"#,
        "M[0][0]: must be a number, found null",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[["NaN"]],"q":[1]}"#,
        "M[0][0]: must be a number, found \"NaN\"",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":5,"q":[1]}"#,
        "M: must be a list, found 5",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[1,2],"q":[1]}"#,
        "M[0]: must be a list, found 1",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1]],"q":{"a":1}}"#,
        "q: must be a list, found {\"a\":1}",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1]],"q":[true]}"#,
        "q[0]: must be a number, found true",
    ),
    (
        "a.json",
        r#"{"kind":7,"M":[[1]],"q":[1]}"#,
        "kind: must be a string, found 7",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1]],"q":[1],"name":["x"]}"#,
        "name: must be a string, found [\"x\"]",
    ),
    ("a.json", "[1,2]", "must be an object, found [1,2]"),
    // Sizes
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1,2],[3,4,5]],"q":[1,2]}"#,
        "M[1]: must have 2 entries, found 3",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1,2],[3]],"q":[1,2]}"#,
        "M[1]: must have 2 entries, found 1",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1,2]],"q":[1]}"#,
        "M: must have 2 rows, as many as columns, found 1",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1],[2]],"q":[1]}"#,
        "M: must have 1 rows, as many as columns, found 2",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1]],"q":[1,2,3]}"#,
        "q: must have 1 entries, found 3",
    ),
    // Keys
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1]],"qq":[1]}"#,
        "qq: unknown field, expected one of kind, name, M, q, class, z_names",
    ),
    ("a.json", r#"{"kind":"lcp","M":[[1]]}"#, "q: missing field"),
    ("a.json", r#"{"M":[[1]],"q":[1]}"#, "kind: missing field"),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1]],"q":[1],"q":[2]}"#,
        "q: must be given once, found again",
    ),
    (
        "a.json",
        r#"{"kind":"scene","M":[[1]],"q":[1]}"#,
        "kind: must be one of lcp, mlcp, contact, contact-acceleration, contact-raw, contact-local, found \"scene\"",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1]],"q":[1],"class":"spd"}"#,
        "class: must be one of unknown, psd, p, copositive, found spd",
    ),
    // Grammar
    ("a.json", "", "must hold a problem, found an empty file"),
    ("a.json", " \n ", "must hold a problem, found an empty file"),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1]],"q":[1]"#,
        "line 1 column 31: EOF while parsing an object, found the end of the file",
    ),
    (
        "a.json",
        r#"{"kind":"lc"#,
        "line 1 column 11: EOF while parsing a string, found the end of the file",
    ),
    (
        "a.json",
        r#"{"kind":"lcp","M":[[1]],"q":[1]} x"#,
        "line 1 column 34: trailing characters, found x",
    ),
    (
        "a.json",
        "\n\n{\"kind\":\"lcp\",\n\"M\":[[1,]]}",
        "line 4 column 9: expected value, found ]",
    ),
    (
        "a.json",
        "{kind:\"lcp\"}",
        "line 1 column 2: key must be a string, found kind",
    ),
    // Mixed problems
    (
        "a.json",
        r#"{"kind":"mlcp","M":[[1]],"q":[1],"free":[1]}"#,
        "free[0]: must be below 1, found 1",
    ),
    (
        "a.json",
        r#"{"kind":"mlcp","M":[[1]],"q":[1],"free":[-1]}"#,
        "free[0]: must be a whole number, found -1",
    ),
    (
        "a.json",
        r#"{"kind":"mlcp","M":[[1]],"q":[1],"lower":[2],"upper":[1]}"#,
        "lower[0]: must not exceed upper[0] = 1, found 2",
    ),
    (
        "a.json",
        r#"{"kind":"mlcp","M":[[1]],"q":[1],"upper":[]}"#,
        "upper: must have 1 entries, found 0",
    ),
    (
        "a.json",
        r#"{"kind":"mlcp","M":[[1]],"q":[1],"lower":["-inf"]}"#,
        "lower[0]: must be a number, found \"-inf\"",
    ),
    (
        "a.json",
        r#"{"kind":"mlcp","M":[[1]],"q":[1],"lower":[-1],"free":[0]}"#,
        "free: must not be given beside lower, found both",
    ),
    // Sets
    (
        "a.json",
        r#"{"format":"lcp-cases/2","cases":[]}"#,
        "format: must be lcp-cases/1, found \"lcp-cases/2\"",
    ),
    (
        "a.json",
        r#"{"format":"lcp-cases/1","cases":[3]}"#,
        "cases[0]: must be an object, found 3",
    ),
    (
        "a.json",
        r#"{"format":"lcp-cases/1","cases":[{"id":"x","id":"y"}]}"#,
        "cases[0].id: must be given once, found again",
    ),
    (
        "a.json",
        r#"{"format":"lcp-cases/1","cases":[{"id":"x","n":2,"M":[[1]],"q":[1],"status":"solvable"}]}"#,
        "cases[0].n: must be 1, the length of q, found 2",
    ),
    (
        "a.json",
        r#"{"problems":[]}"#,
        "must hold a problem, found an empty set",
    ),
    // Siconos text
    (
        "a.dat",
        "2 0 2 2 2 2 1 0 0 1",
        "token 11: q expected, found the end of the file",
    ),
    (
        "a.dat",
        "99999999 0 99999999 99999999 99999999 99999999 1 1",
        "token 1: n must be at most 26 numbers in a file of 50 bytes, found 99999999",
    ),
    ("a.dat", "-3 0 3 3", "token 1: n must be a whole number, found -3"),
    (
        "a.dat",
        "2 0 2 2 2 2 1 0 0 1 5 6 7",
        "after token 10: must be 2 numbers (q) or 6 (q and bounds), found 3",
    ),
    (
        "a.dat",
        "2 0 2 2 2 2 1 0 x 1 5 6",
        "token 9: M must be a number, found x",
    ),
    (
        "a.dat",
        "1 1 1 1 0 1 2 0 3 0 2 2",
        "token 9: block type must be 0 or 1, found 3",
    ),
    // Logs and ArtiSynth tests
    ("a.txt", "0\t5\t1\nq\t0\t1\n", "line 1: column must be below 1, found 5"),
    (
        "a.txt",
        "q\t0\tabc\n",
        "line 1: value must be a finite number, found abc",
    ),
    (
        "a.txt",
        "pnts=[1 2]\nnrms=[0 1 0]\ntest\n",
        "contact 1: fdirs: must have 1 entries, found 0",
    ),
    (
        "a.txt",
        "[ name=\"x\"\nNT=[[1][1][0 0 1]]\nbf=[1 1]\n]",
        "x: NT: must have 2 rows, found 1",
    ),
    (
        "a.txt",
        "[ name=\"x\"\nNT=[[9999][1]]\nbf=[1]\n]",
        "x: NT: sizes must be whole numbers of sum at most 4096, found 9999",
    ),
    (
        "a.txt",
        "hello world",
        "must be JSON, Siconos text, FCLIB, ContactBench, a TAB-separated log, MATLAB v7.3 or an ArtiSynth test, found hello world",
    ),
];

#[test]
fn every_row_gives_its_line() {
    let folder = folder("bad_input_rows");
    for (name, content, message) in ROWS {
        std::fs::write(folder.join(name), content).unwrap();
        let ran = stiction_in(&folder, &["solve", name]);
        assert_eq!(ran.stderr, format!("{name}: {message}\n"), "{content}");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{content}");
    }
}

#[test]
fn files_that_are_not_there_or_not_text_are_named() {
    let folder = folder("bad_input_files");
    std::fs::create_dir(folder.join("d.json")).unwrap();
    std::fs::write(folder.join("u.json"), b"{\"kind\":\"\xff\"}").unwrap();
    std::fs::write(folder.join("deep.json"), "[".repeat(1_000_000)).unwrap();
    std::fs::File::create(folder.join("huge.json"))
        .unwrap()
        .set_len(2 << 30)
        .unwrap();
    for (name, message) in [
        ("none.json", "must be a file, found nothing of this name"),
        ("d.json", "must be a file, found a directory"),
        ("u.json", "byte 9: must be UTF-8, found 0xff"),
        (
            "deep.json",
            "line 1 column 65: must not be nested deeper than 64 levels, found 65",
        ),
        ("huge.json", "must be at most 1073741824 bytes, found 2147483648"),
    ] {
        let ran = stiction_in(&folder, &["solve", name]);
        assert_eq!((ran.code, ran.stderr), (2, format!("{name}: {message}\n")));
    }
}

#[test]
fn options_that_name_nothing_list_what_exists() {
    let folder = folder("bad_input_options");
    std::fs::write(
        folder.join("a.json"),
        r#"{"kind":"lcp","name":"one","M":[[1]],"q":[1]}"#,
    )
    .unwrap();
    for (option, value, message) in [
        (
            "--class",
            "spd",
            "class: must be one of unknown, psd, p, copositive, found spd",
        ),
        ("--case", "two", "a.json: case: must be one of one, found two"),
        ("--tolerance", "-1", "tolerance: must be between 0 and 1, found -1"),
        ("--tolerance", "NaN", "tolerance: must be between 0 and 1, found NaN"),
        ("--repeat", "0", "repeat: must be at least 1, found 0"),
    ] {
        let ran = stiction_in(&folder, &["solve", "a.json", option, value]);
        assert_eq!((ran.code, ran.stderr), (2, format!("{message}\n")));
    }
    let ran = stiction_in(&folder, &["solve", "a.json", "--method", "simplex"]);
    assert!(
        ran.code == 2 && ran.stderr.starts_with("method: must be one of lemke, "),
        "{ran:?}"
    );
    assert!(ran.stderr.ends_with(", found simplex\n"), "{ran:?}");
    assert_eq!(stiction_in(&folder, &["solve", "a.json", "--frob"]).code, 2);
}

/// Bytes that mean something in one format or another.
const LIKELY: &[u8] = b"0123456789-+eE.[]{}\", \t\n=";

/// Changes, removes or cuts bytes; whatever comes out must be read or refused with one line.
fn mangle(bytes: &[u8], path: &Path, rounds: usize) {
    let mut sequence = Sequence(1);
    for _ in 0..rounds {
        let changed = sequence.mangled(bytes, 4, LIKELY);
        if let Err(bad) = parse(&changed, path, ReadOptions { keep_decimals: true }) {
            assert_eq!(bad.to_string().lines().count(), 1, "{bad}");
        }
    }
}

#[test]
fn mangled_files_are_read_or_refused() {
    let problem = workspace().join("problems/lcp/box-relay.json");
    mangle(&std::fs::read(&problem).unwrap(), &problem, 4000);
    let problem = workspace().join("problems/lcp/drake/lcp_small.json");
    mangle(&std::fs::read(&problem).unwrap(), &problem, 400);
    for (path, rounds) in [
        ("siconos/lcp/lcp_deudeu_block.dat", 4000),
        ("siconos/mlcp/m2n1_mlcp.dat", 4000),
        ("siconos/relay/relay_2x2.dat", 4000),
        ("yamanishi-lcp/sample_data_32_sym.txt", 200),
        ("artisynth/MLCPtest.txt", 1000),
        ("artisynth/contactTest.txt", 400),
        ("dca-bl/lcp6-n100.mat", 400),
        ("dca-bl/lcp7-n100.mat", 2000),
    ] {
        if let Some(file) = data(path) {
            mangle(&std::fs::read(&file).unwrap(), &file, rounds);
        }
    }
}
