//! The problems of a folder.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use stiction_contact::{LocalProblem, Restitution};

use super::{Case, Kind};
use crate::contact::raw_check;
use crate::spectrum::delassus;
use stiction_formats::BadInput;
use stiction_formats::Level;
use stiction_formats::read::{ContactFile, Content, Given, Problem, RawFile, ReadOptions, contact_local, read_content};

/// Folders within folders that are looked into.
const MAX_FOLDER_DEPTH: usize = 4;
/// Files that are named where none is a problem.
const MAX_NAMED_FILES: usize = 20;

/// Every problem below a folder, by name, and one line for each file that is none. A folder without any is an error.
pub fn read(folder: &Path) -> Result<(Vec<Case>, Vec<String>), BadInput> {
    let (mut files, mut cases, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    if folder.is_file() {
        files.push(folder.to_owned());
    } else {
        collect(
            folder,
            MAX_FOLDER_DEPTH,
            &mut HashSet::new(),
            (&mut files, &mut left_out),
        )?;
    }
    let names = Names::of(&files);
    for file in &files {
        match of_file(file, &names.name_of(file, folder)) {
            Ok(found) => cases.extend(found),
            Err(bad) if folder.is_file() => return Err(bad),
            Err(bad) => left_out.push(bad.to_string()),
        }
    }
    if cases.is_empty() {
        return Err(none(folder, &left_out));
    }
    number_repeated(&mut cases);
    Ok((cases, left_out))
}

/// A name that is taken, as of two problems of a set, gets a number: `x/a`, `x/a#2`.
fn number_repeated(cases: &mut [Case]) {
    let mut taken: HashSet<String> = cases.iter().map(|case| case.name.clone()).collect();
    let mut seen = HashSet::new();
    for case in cases {
        if !seen.insert(case.name.clone()) {
            let numbered = (2..).map(|k| format!("{}#{k}", case.name));
            if let Some(free) = numbered.into_iter().find(|name| !taken.contains(name)) {
                taken.insert(free.clone());
                case.name = free;
            }
        }
    }
}

/// A folder without a problem, and why its files are none.
fn none(folder: &Path, left_out: &[String]) -> BadInput {
    let first = BadInput::whole("must hold a problem, found none").in_file(folder);
    let mut lines = vec![first.to_string()];
    lines.extend(left_out.iter().take(MAX_NAMED_FILES).cloned());
    if left_out.len() > MAX_NAMED_FILES {
        lines.push(format!("and {} more", left_out.len() - MAX_NAMED_FILES));
    }
    BadInput::lines(lines)
}

/// How many files have a path except for its ending, and how many a name.
#[derive(Debug, Default)]
struct Names {
    paths: HashMap<PathBuf, usize>,
    stems: HashMap<OsString, usize>,
}

impl Names {
    fn of(files: &[PathBuf]) -> Self {
        let mut names = Self::default();
        for file in files {
            *names.paths.entry(file.with_extension("")).or_default() += 1;
            *names
                .stems
                .entry(file.file_stem().unwrap_or_default().to_owned())
                .or_default() += 1;
        }
        names
    }

    /// A file's name without its ending; files of one name are told apart by their folders, and then by their endings.
    fn name_of(&self, file: &Path, folder: &Path) -> String {
        let inner = file.strip_prefix(folder).unwrap_or(file);
        let stem = file.file_stem().unwrap_or_default();
        let name = if self.paths.get(&file.with_extension("")).is_some_and(|count| *count > 1) {
            inner.to_owned()
        } else if self.stems.get(stem).is_some_and(|count| *count > 1) {
            inner.with_extension("")
        } else {
            PathBuf::from(stem)
        };
        stiction_formats::bad_input::one_line(&name.to_string_lossy())
    }
}

/// All files of a folder and of those in it, each folder once, whatever links lead there; folders in it that cannot be read are skipped, a line for each.
fn collect(
    folder: &Path,
    depth: usize,
    seen: &mut HashSet<PathBuf>,
    (files, left_out): (&mut Vec<PathBuf>, &mut Vec<String>),
) -> Result<(), BadInput> {
    if !seen.insert(std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())) {
        return Ok(());
    }
    let unreadable = |error: std::io::Error| BadInput::whole(format!("cannot be read, {error}")).in_file(folder);
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?.path());
    }
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if name.starts_with('.') || ending == "md" || name.ends_with(".answer.json") {
            continue;
        }
        if path.is_dir() {
            let inner = match depth.checked_sub(1) {
                Some(depth) => collect(&path, depth, seen, (&mut *files, &mut *left_out)),
                None => Err(BadInput::whole(format!(
                    "must be at most {MAX_FOLDER_DEPTH} folders deep, found a deeper one"
                ))
                .in_file(&path)),
            };
            left_out.extend(inner.err().map(|bad| bad.to_string()));
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn of_file(path: &Path, name: &str) -> Result<Vec<Case>, BadInput> {
    match read_content(path, ReadOptions::default())? {
        Content::Raw(file) => {
            raw_check::check_restitution(&file).map_err(|bad| bad.in_file(path))?;
            Ok(vec![Case {
                name: name.to_owned(),
                problem: Kind::Contact(file),
                bodies: None,
            }])
        }
        Content::Contact(file) => Ok(vec![of_bodies(path, name.to_owned(), file)?]),
        Content::Contacts(all) => {
            let each = all.into_iter();
            each.map(|file| of_bodies(path, format!("{name}/{}", file.name), file))
                .collect()
        }
        Content::Problems(all) => {
            let one = all.len() == 1;
            let case = |named: stiction_formats::read::Named| Case {
                name: if one {
                    name.to_owned()
                } else {
                    format!("{name}/{}", named.name)
                },
                problem: Kind::Lcp(Box::new(named)),
                bodies: None,
            };
            Ok(all.into_iter().map(case).collect())
        }
    }
}

fn of_bodies(path: &Path, name: String, file: ContactFile) -> Result<Case, BadInput> {
    if file.level() != Level::Velocity {
        return Err(BadInput::new("kind", "must be a problem of impulses, found one of forces").in_file(path));
    }
    let problem = file.problem(Restitution::Newton).map_err(|bad| bad.in_file(path))?;
    let blocks = RawFile {
        name: file.name.clone(),
        format: "contact (JSON)",
        problem,
        given: Given::Blocks,
        notes: Vec::new(),
    };
    Ok(Case {
        name,
        problem: Kind::Contact(Box::new(blocks)),
        bodies: Some(Box::new(file)),
    })
}

/// The problem as plain JSON for drivers: an `lcp` or a `contact-local` file. `None` where it has parts that they do not know: bounds other than
/// z ≥ 0, joints, groups, infinite friction, or more contacts than a dense W can have.
pub fn plain(case: &Case) -> Result<Option<String>, BadInput> {
    match &case.problem {
        Kind::Lcp(named) => match &named.problem {
            Problem::Lcp(lcp) => lcp_text(&case.name, lcp).map(Some),
            Problem::Mlcp(_) => Ok(None),
        },
        Kind::Contact(file) => match local(file)? {
            Some(local) => contact_local::text(&local, &case.name).map(Some),
            None => Ok(None),
        },
    }
}

#[derive(serde::Serialize)]
struct LcpFile<'a> {
    kind: &'static str,
    name: &'a str,
    #[serde(rename = "M")]
    matrix: Vec<Vec<f64>>,
    q: &'a [f64],
}

fn lcp_text(name: &str, lcp: &stiction_lcp::Lcp) -> Result<String, BadInput> {
    let n = lcp.n();
    stiction_formats::write::json_text(&LcpFile {
        kind: "lcp",
        name,
        matrix: (0..n).map(|r| (0..n).map(|c| lcp.M().at(r, c)).collect()).collect(),
        q: lcp.q(),
    })
}

/// A contact problem by its Delassus matrix: as given, or computed from masses and rows.
fn local(file: &RawFile) -> Result<Option<LocalProblem>, BadInput> {
    let problem = &file.problem;
    let n = problem.contact_count();
    if let Given::Local(local) = &file.given {
        return Ok(Some(local.clone()));
    }
    let known = problem.joint_count() == 0 && problem.group_count() == 0 && (0..n).all(|i| problem.mu(i).is_finite());
    let planar = (0..n).filter(|i| problem.is_planar(*i)).count();
    let matrix = delassus(problem).filter(|_| known && (planar == 0 || planar == n));
    let Some((matrix, _)) = matrix else { return Ok(None) };
    let dimension = if planar > 0 { 2 } else { 3 };
    let q = (0..n).flat_map(|i| {
        let (u, bias) = (problem.along(i, problem.k_x()), problem.bias(i));
        (0..dimension).map(move |c| u[c] + bias[c])
    });
    let mu = (0..n).map(|i| problem.mu(i)).collect();
    Ok(Some(LocalProblem::new(dimension, matrix, q.collect(), mu)?))
}
