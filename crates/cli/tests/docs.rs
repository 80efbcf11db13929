//! The pages: every console block is run and what it prints compared, every Rust block is a documentation test somewhere, every block of TOML and JSON can
//! be read, every link leads somewhere, and the book lists every page.
//!
//! A block is written to a file where `<!-- file: NAME -->` stands before it; `<!-- file: NAME` on a line of its own, text and `-->` make a file that the
//! page does not show. Times differ from run to run and are not compared; `…` alone on a line stands for lines that are skipped.
//!
//! `PAGES=write cargo test -p stiction-cli --test docs` writes what commands print into the pages; read the difference before you keep it.
#![allow(clippy::unwrap_used)]

mod running;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use running::{folder, skipped_in_part, workspace};
use stiction_scene::{
    Scene,
    mjcf::Mjcf,
    urdf::{Urdf, UrdfOptions},
};

/// Commands that other checks run: `scripts/check.sh` calls them, or they are it.
const ELSEWHERE: [&str; 8] = [
    "scripts/",
    "cargo test",
    "cargo clippy",
    "cargo fmt",
    "cargo install",
    "cargo run --release --example",
    "pip ",
    "python ",
];
/// Commands that wait for a person.
const WAITING: [&str; 1] = ["stiction view "];

/// What a block of JSON that is a problem says of itself.
const KINDS: [&str; 5] = ["lcp", "mlcp", "contact", "contact-acceleration", "contact-raw"];

#[derive(Debug)]
struct Block {
    line: usize,
    language: String,
    text: String,
    /// Name of the file that it is.
    file: Option<String>,
}

/// Pages with their names from the workspace's root.
fn pages() -> Vec<(String, String)> {
    let root = workspace();
    let mut files: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "scenes/README.md"]
        .iter()
        .map(|name| root.join(name))
        .collect();
    for below in ["docs", "docs/guide", "docs/reference"] {
        let found = std::fs::read_dir(root.join(below))
            .unwrap()
            .map(|entry| entry.unwrap().path());
        files.extend(found.filter(|path| path.extension().is_some_and(|e| e == "md")));
    }
    files.sort();
    let name = |path: &Path| path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
    files
        .iter()
        .map(|path| (name(path), std::fs::read_to_string(path).unwrap()))
        .collect()
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    let (mut hidden, mut file): (Option<Block>, Option<String>) = (None, None);
    for (i, line) in page.lines().enumerate() {
        if let Some(block) = &mut hidden {
            if line == "-->" {
                blocks.extend(hidden.take());
            } else {
                block.text.extend([line, "\n"]);
            }
        } else if let Some(block) = &mut open {
            if line.starts_with("```") {
                blocks.extend(open.take());
            } else {
                block.text.extend([line, "\n"]);
            }
        } else if let Some(name) = line.strip_prefix("<!-- file: ") {
            match name.strip_suffix(" -->") {
                Some(name) => file = Some(name.to_owned()),
                None => hidden = Some(block(i + 1, "file", Some(name.to_owned()))),
            }
        } else if let Some(language) = line.strip_prefix("```") {
            open = Some(block(i + 1, language, file.take()));
        }
    }
    assert!(open.is_none() && hidden.is_none(), "a block is not closed");
    blocks
}

fn block(line: usize, language: &str, file: Option<String>) -> Block {
    Block {
        line,
        language: language.to_owned(),
        text: String::new(),
        file,
    }
}

/// A line without what differs from run to run: numbers before a unit of time, shares of time, and blanks at the end.
fn masked(line: &str) -> String {
    if line.starts_with("time  ") {
        return "time".to_owned();
    }
    let mut words: Vec<&str> = line.trim_end().split(' ').collect();
    for i in 1..words.len() {
        let unit = words[i].trim_end_matches([',', ';', '.', ')']);
        let clock = matches!(unit, "us" | "ms") || words[i..].starts_with(&["times", "real", "time"]);
        let run = words[i] == "s," && line.contains("times real time") || words[i..].starts_with(&["s", "of", "run"]);
        if (clock || run) && words[i - 1].parse::<f64>().is_ok() {
            words[i - 1] = "#";
        }
    }
    words.join(" ")
}

/// Whether the lines are those printed, where `…` stands for any.
fn agree(stated: &[String], printed: &[String]) -> bool {
    match stated.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "…" => (0..=printed.len()).any(|skip| agree(rest, &printed[skip..])),
        Some((first, rest)) => printed.first() == Some(first) && agree(rest, &printed[1..]),
    }
}

/// A folder with the scenes and problems of the workspace in it.
fn sandbox(page: &str) -> PathBuf {
    let folder = folder(&format!("docs_{}", page.replace(['/', '.'], "_")));
    for name in ["scenes", "problems"] {
        copy(&workspace().join(name), &folder.join(name));
    }
    folder
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        std::fs::copy(from, to).unwrap();
    }
}

/// A command as if the tool were installed.
fn plain(command: &str) -> String {
    let built = command
        .replace("scripts/build.sh && ", "")
        .replace("cargo run --release -- ", "stiction ");
    built.replace("target/release/stiction ", "stiction ")
}

/// Whether a command needs the lab's tool, and that is not built: `cargo test --workspace` builds both.
fn lab_is_missing(command: &str) -> bool {
    let built = Path::new(env!("CARGO_BIN_EXE_stiction")).with_file_name("stiction-lab");
    let missing = plain(command).starts_with("stiction-lab ") && !built.exists();
    if missing {
        skipped_in_part(&format!("{command}: stiction-lab is not built"));
    }
    missing
}

/// Runs a command in a shell, with `stiction` being the tool under test; prints stderr, then stdout, as a page shows them.
fn run(command: &str, inside: &Path) -> (i32, String) {
    let tool = Path::new(env!("CARGO_BIN_EXE_stiction")).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(tool.to_owned()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let command = plain(command);
    let output = Command::new("sh")
        .args(["-c", &command])
        .env("PATH", path.unwrap())
        .current_dir(inside)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap_or(-1),
        text(&output.stderr) + &text(&output.stdout),
    )
}

/// Commands of a console block with the lines that they print.
fn commands(text: &str) -> Vec<(String, Vec<String>)> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            commands.push((command.to_owned(), Vec::new()));
        } else if let Some((_, stated)) = commands.last_mut() {
            stated.push(line.to_owned());
        }
    }
    commands
}

/// What is wrong with the console blocks of a page; what commands print in their place.
fn check_page(name: &str, page: &str, ran: &mut usize) -> (String, String) {
    let (mut wrong, mut written) = (String::new(), page.to_owned());
    let blocks = blocks(page);
    if !blocks.iter().any(|b| b.language == "console") {
        return (wrong, written);
    }
    let inside = sandbox(name);
    for block in &blocks {
        if let Some(file) = &block.file {
            std::fs::write(inside.join(file), &block.text).unwrap();
        }
        if block.language != "console" {
            continue;
        }
        let mut text = String::new();
        for (command, stated) in commands(&block.text) {
            text.extend(["$ ", &command, "\n"]);
            if ELSEWHERE
                .iter()
                .chain(&WAITING)
                .any(|start| plain(&command).starts_with(start))
                || lab_is_missing(&command)
            {
                text.extend(stated.iter().flat_map(|line| [line.as_str(), "\n"]));
                continue;
            }
            *ran += 1;
            let (code, printed) = run(&command, &inside);
            let masked_lines = |lines: &[String]| lines.iter().map(|line| masked(line)).collect::<Vec<_>>();
            let lines: Vec<String> = printed.lines().map(|line| line.trim_end().to_owned()).collect();
            let (expected, found) = (masked_lines(&stated), masked_lines(&lines));
            // Where a page shows no output, the command must only be one that works.
            let right = if stated.is_empty() {
                code <= 1
            } else {
                agree(&expected, &found)
            };
            if !right || !(0..=4).contains(&code) {
                let (expected, found, line) = (expected.join("\n"), found.join("\n"), block.line);
                // Writing to a String cannot fail.
                let _ = write!(
                    wrong,
                    "{name}:{line}: {command} (exit {code})\n--- stated\n{expected}\n--- printed\n{found}\n\n"
                );
            }
            let keep = right || stated.iter().any(|line| line == "…");
            let lines = if keep { &stated } else { &lines };
            text.extend(lines.iter().flat_map(|line| [line.as_str(), "\n"]));
        }
        written = written.replacen(
            &format!("```console\n{}```", block.text),
            &format!("```console\n{text}```"),
            1,
        );
    }
    let _ = std::fs::remove_dir_all(&inside);
    (wrong, written)
}

#[test]
fn every_console_block_prints_what_it_says() {
    let (mut wrong, mut ran) = (String::new(), 0);
    let write = std::env::var_os("PAGES").is_some_and(|value| value == "write");
    for (name, page) in pages() {
        let (bad, written) = check_page(&name, &page, &mut ran);
        wrong += &bad;
        if write && written != page {
            std::fs::write(workspace().join(&name), written).unwrap();
        }
    }
    assert!(ran > 40, "{ran} commands");
    assert!(wrong.is_empty() || write, "{wrong}");
}

#[test]
fn every_block_of_data_can_be_read_and_every_rust_block_is_a_test() {
    let folder = folder("docs_data");
    let mut libraries = String::new();
    for package in std::fs::read_dir(workspace().join("crates")).unwrap() {
        libraries += &std::fs::read_to_string(package.unwrap().path().join("src/lib.rs")).unwrap();
    }
    for (name, page) in pages() {
        for block in blocks(&page) {
            let place = format!("{name}:{}", block.line);
            match block.language.as_str() {
                // A part of a scene must be one with the first line of every scene before it.
                "toml" => {
                    let head = if block.text.starts_with("format = 1") {
                        ""
                    } else {
                        "format = 1\n"
                    };
                    let read = Scene::parse(&format!("{head}{}", block.text), workspace().join("scenes"));
                    assert!(read.is_ok(), "{place}: {read:?}");
                }
                "xml" if block.text.contains("<mujoco") => {
                    let model = Mjcf::parse(&block.text, &folder);
                    assert!(model.is_ok(), "{place}: {model:?}");
                }
                // A robot; its root is held, as a palm without mass must be.
                "xml" => {
                    let robot = Urdf::parse(&block.text, &folder).unwrap_or_else(|error| panic!("{place}: {error}"));
                    let held = UrdfOptions {
                        fixed_base: true,
                        ..UrdfOptions::default()
                    };
                    let built = robot.build(&held);
                    assert!(built.is_ok(), "{place}: {built:?}");
                }
                // Answers that are shortened have the sign for it.
                "json" if !block.text.contains('…') => {
                    let read: Result<serde_json::Value, _> = serde_json::from_str(&block.text);
                    let kind = read.unwrap_or_else(|error| panic!("{place}: {error}"))["kind"].clone();
                    if KINDS.iter().any(|name| kind == *name) {
                        let file = folder.join("block.json");
                        std::fs::write(&file, &block.text).unwrap();
                        let (code, said) = run("stiction solve block.json", &folder);
                        assert!(code <= 1, "{place}: {said}");
                    }
                }
                "rust" => {
                    let included = libraries.contains(&format!("include_str!(\"../../../{name}\")"));
                    assert!(included, "{place}: no library includes {name} as a documentation test");
                }
                // Python is run by the tests of the package.
                "console" | "text" | "json" | "file" => {}
                name if name.starts_with("python") => {}
                other => panic!("{place}: a block of {other:?} is tested by nobody"),
            }
        }
    }
}

/// Targets of `[words](target)`, outside blocks.
fn links(page: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut in_block = false;
    for line in page.lines() {
        in_block ^= line.starts_with("```");
        if in_block {
            continue;
        }
        for part in line.split("](").skip(1) {
            links.extend(part.split(')').next().map(str::to_owned));
        }
    }
    links
}

/// The name by which a heading is linked.
fn anchor(heading: &str) -> String {
    let letters = heading.trim_start_matches('#').trim().to_lowercase();
    letters
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let root = workspace();
    for (name, page) in pages() {
        let folder = root.join(&name).parent().unwrap().to_owned();
        for link in links(&page) {
            if link.starts_with("http") {
                continue;
            }
            let (file, place) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() {
                root.join(&name)
            } else {
                folder.join(file)
            };
            assert!(target.exists(), "{name}: {link} leads nowhere");
            if !place.is_empty() {
                let text = std::fs::read_to_string(&target).unwrap();
                let found = text
                    .lines()
                    .filter(|line| line.starts_with('#'))
                    .any(|line| anchor(line) == place);
                assert!(found, "{name}: {link}: no such heading");
            }
        }
    }
}

#[test]
fn the_book_lists_every_page_once() {
    let docs = workspace().join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let listed = links(&summary);
    for (name, _) in pages() {
        let Some(page) = name.strip_prefix("docs/").filter(|page| *page != "SUMMARY.md") else {
            continue;
        };
        let count = listed.iter().filter(|link| *link == page).count();
        assert_eq!(count, 1, "docs/SUMMARY.md lists {page} {count} times");
    }
}

/// Checks that each line of a synopsis names a command of a tool and options that its help has.
fn check_usage(tool: &str, usage: &str, inside: &Path) {
    for line in usage.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let named: Vec<&str> = words[1..]
            .iter()
            .take_while(|w| w.chars().all(|c| c.is_lowercase() || c == '-'))
            .copied()
            .collect();
        let (code, help) = run(&format!("{tool} {} --help", named.join(" ")), inside);
        assert_eq!((words[0], code), (tool, 0), "{line}");
        for option in words
            .iter()
            .filter_map(|w| w.trim_start_matches('[').strip_prefix("--"))
        {
            let option: String = option.chars().take_while(|c| c.is_lowercase() || *c == '-').collect();
            assert!(help.contains(&format!("--{option}")), "{line}: --{option}");
        }
    }
}

#[test]
fn the_usage_in_the_reference_is_that_of_the_tools() {
    let first = |page: &str| {
        blocks(&std::fs::read_to_string(workspace().join(page)).unwrap())[0]
            .text
            .clone()
    };
    let (inside, usage) = (workspace(), first("docs/reference/cli.md"));
    check_usage("stiction", &usage, &inside);
    if !lab_is_missing("stiction-lab --help") {
        check_usage("stiction-lab", &first("docs/reference/lab.md"), &inside);
    }
    let (_, help) = run("stiction --help", &inside);
    let commands = help
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| line.starts_with(char::is_lowercase));
    for name in commands
        .filter_map(|line| line.split_once("  "))
        .map(|(name, _)| name.trim())
    {
        // Those of the examples have blanks in them.
        if !name.contains(' ') {
            assert!(
                usage.contains(&format!("\nstiction {name} ")),
                "stiction {name} is not in docs/reference/cli.md"
            );
        }
    }
}
