//! Problems from files. The format is told from the content; names are asked only where the content leaves a choice.
//!
//! | file | content | reader |
//! |---|---|---|
//! | JSON | `kind: lcp` or `mlcp` | `lcp_json` |
//! | JSON | `kind: contact` or `contact-acceleration` | `contact` |
//! | JSON | `kind: contact-raw` | `contact_raw` |
//! | JSON | `kind: contact-local` | `contact_local` |
//! | JSON | `format: lcp-cases/1`, or `problems` | `seed` |
//! | Siconos text | LCP, MLCP, relay; FC2D, FC3D, GFC2D, GFC3D; GMP | `siconos`, `siconos::friction`, `siconos::gmp` |
//! | Yamanishi's log | TAB-separated entries | `yamanishi` |
//! | MATLAB v7.3 | HDF5 | `hdf5`, `matlab` |
//! | FCLIB, local and global | HDF5 | `hdf5`, `fclib` |
//! | ContactBench | NumPy archive | `npz` |
//! | ArtiSynth tests | `MLCPtest.txt`; `contactTest.txt`, contact problems | `artisynth`; `artisynth_contact` |

mod artisynth;
mod artisynth_contact;
pub mod contact;
pub mod contact_local;
mod contact_raw;
#[cfg(feature = "hdf5")]
mod dataset;
#[cfg(feature = "hdf5")]
pub mod fclib;
pub mod groups;
#[cfg(feature = "hdf5")]
mod hdf5;
pub mod json;
mod lcp_json;
#[cfg(feature = "hdf5")]
mod matlab;
mod npz;
mod raw_file;
mod seed;
mod siconos;
pub mod sparse;
#[cfg(not(feature = "hdf5"))]
mod without_hdf5;
mod yamanishi;

#[cfg(not(feature = "hdf5"))]
pub use without_hdf5::fclib;
#[cfg(not(feature = "hdf5"))]
use without_hdf5::{hdf5, matlab};

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use serde_json::value::RawValue;
use stiction_lcp::{Class, InputError, Lcp, Mlcp, Solution, Solver, View};

use crate::bad_input::{BadInput, one_line, shown};
use crate::formulation_level::Level;
pub use contact::{ContactFile, Contacts};
pub use raw_file::{Given, RawFile};

/// Largest file that is read [bytes].
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Largest problem taken from a format that stores M sparsely, where a short file could ask for any amount of memory.
const MAX_SPARSE_ORDER: usize = 8192;

/// A problem of either kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    /// z ≥ 0, w ≥ 0, zᵀw = 0.
    Lcp(Lcp),
    /// With free variables or boxes.
    Mlcp(Mlcp),
}

impl Problem {
    /// Number of variables.
    #[must_use]
    pub fn n(&self) -> usize {
        self.view().q.len()
    }

    /// Number of variables without bounds.
    #[must_use]
    pub fn free_count(&self) -> usize {
        match self {
            Problem::Lcp(_) => 0,
            Problem::Mlcp(mlcp) => (0..mlcp.n()).filter(|&i| mlcp.is_free(i)).count(),
        }
    }

    /// What the judge needs to know.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        match self {
            Problem::Lcp(lcp) => lcp.view(),
            Problem::Mlcp(mlcp) => mlcp.view(),
        }
    }

    /// States what is known of the matrix.
    #[must_use]
    pub fn with_class(self, class: Class) -> Self {
        match self {
            Problem::Lcp(lcp) => Problem::Lcp(lcp.with_class(class)),
            Problem::Mlcp(mlcp) => Problem::Mlcp(mlcp.with_class(class)),
        }
    }

    /// Solves the problem.
    ///
    /// # Errors
    /// As [`Solver::solve`] and [`Solver::solve_mixed`].
    pub fn solve<'s>(&self, solver: &'s mut Solver) -> Result<&'s Solution, InputError> {
        match self {
            Problem::Lcp(lcp) => solver.solve(lcp),
            Problem::Mlcp(mlcp) => solver.solve_mixed(mlcp),
        }
    }
}

/// What a data set says about its problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// At least one solution exists.
    Solvable,
    /// No z ≥ 0 has Mz + q ≥ 0.
    Infeasible,
    /// Feasible, but nothing is complementary.
    Unsolvable,
}

/// The answer that a data set gives with a problem.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Expected {
    /// Whether there is a solution, where the set says so.
    pub known: Option<Known>,
    /// Solutions, each of length n; more may exist.
    pub solutions: Vec<Vec<f64>>,
    /// Whether the one solution listed is the only one.
    pub unique: bool,
    /// Values that the first entries of z take in every solution; empty when unknown.
    pub leading: Vec<f64>,
}

/// The numbers of a problem as the file prints them, for proofs in exact arithmetic.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exact {
    /// Rows of M.
    pub matrix: Vec<Vec<String>>,
    /// q, length n.
    pub q: Vec<String>,
}

/// A problem with its name and what is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// Name within its file.
    pub name: String,
    /// The problem.
    pub problem: Problem,
    /// The answer the file gives, if any.
    pub expected: Expected,
    /// The decimals of a JSON file, when they were requested.
    pub exact: Option<Exact>,
    /// Name of each entry of z, where the file gives them.
    pub z_names: Vec<String>,
}

impl Named {
    fn new(name: impl Into<String>, problem: Problem) -> Self {
        Self {
            name: one_line(&name.into()), // it is printed to terminals
            problem,
            expected: Expected::default(),
            exact: None,
            z_names: Vec::new(),
        }
    }
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// LCPs and MLCPs, at least one.
    Problems(Vec<Named>),
    /// A contact problem, of impulses or of forces.
    Contact(ContactFile),
    /// Contact problems of impulses, at least one.
    Contacts(Vec<ContactFile>),
    /// A contact problem given by its matrices.
    Raw(Box<RawFile>),
}

/// Settings of the readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// Keep the decimals of JSON files beside the doubles. Default `false`: they take several times the memory.
    pub keep_decimals: bool,
}

/// Reads every LCP and MLCP of a file; of ArtiSynth's `contactTest.txt` the LCPs that Lloyd's method is tested with.
///
/// # Errors
/// One line that names the file, the place and the value found. Another contact file is an error here.
pub fn read_file(path: &Path, options: ReadOptions) -> Result<Vec<Named>, BadInput> {
    match read_content(path, options)? {
        Content::Problems(all) => Ok(all),
        Content::Contacts(_) => {
            let cases = contact_cases(path)?.into_iter().enumerate();
            cases
                .map(|(index, case)| case.named_lcp(index))
                .collect::<Result<_, _>>()
                .map_err(|bad| bad.in_file(path))
        }
        Content::Raw(_) => Err(not_an_lcp("contact-raw").in_file(path)),
        Content::Contact(file) => Err(not_an_lcp(file.level().names().file).in_file(path)),
    }
}

fn not_an_lcp(kind: &str) -> BadInput {
    BadInput::new("kind", format!("must be one of lcp, mlcp here, found {kind}"))
}

/// Reads a file of any kind.
///
/// # Errors
/// One line that names the file, the place and the value found.
pub fn read_content(path: &Path, options: ReadOptions) -> Result<Content, BadInput> {
    parse(&read_bytes(path)?, path, options)
}

/// Reads the cases of an ArtiSynth `contactTest.txt` as bodies and contacts.
pub fn contact_cases(path: &Path) -> Result<Vec<artisynth_contact::Case>, BadInput> {
    let bytes = read_bytes(path)?;
    let cases = text(&bytes).and_then(artisynth_contact::read_cases);
    cases.map_err(|bad| bad.in_file(path))
}

/// Reads a file's content; `path` says only how the file is called.
///
/// # Errors
/// As [`read_content`].
pub fn parse(bytes: &[u8], path: &Path, options: ReadOptions) -> Result<Content, BadInput> {
    let content = from_bytes(bytes, path, options).map_err(|bad| bad.in_file(path))?;
    let is_empty = match &content {
        Content::Problems(all) => all.is_empty(),
        Content::Contacts(all) => all.is_empty(),
        Content::Contact(_) | Content::Raw(_) => false,
    };
    if is_empty {
        return Err(BadInput::whole("must hold a problem, found an empty set").in_file(path));
    }
    Ok(content)
}

/// The class with this name.
///
/// # Errors
/// When there is none; the message lists those that exist.
pub fn class_named(name: &str) -> Result<Class, BadInput> {
    Class::ALL
        .into_iter()
        .find(|class| class.name() == name)
        .ok_or_else(|| {
            let names: Vec<_> = Class::ALL.into_iter().map(Class::name).collect();
            BadInput::new(
                "class",
                format!("must be one of {}, found {}", names.join(", "), shown(name)),
            )
        })
}

/// The content of a file of bounded size.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, BadInput> {
    read_bounded(path).map_err(|bad| bad.in_file(path))
}

fn read_bounded(path: &Path) -> Result<Vec<u8>, BadInput> {
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => BadInput::whole("must be a file, found nothing of this name"),
        _ => BadInput::whole(format!("cannot be read, {error}")),
    };
    let too_large = |found: u64| BadInput::whole(format!("must be at most {MAX_FILE_BYTES} bytes, found {found}"));
    // Looked at before it is opened: opening a pipe waits for its other end.
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(BadInput::whole("must be a file, found a directory"));
    }
    if !metadata.is_file() {
        return Err(BadInput::whole("must be a file, found a pipe or device"));
    }
    let file = File::open(path).map_err(unreadable)?;
    if metadata.len() > MAX_FILE_BYTES {
        return Err(too_large(metadata.len()));
    }
    // The file may grow while it is read.
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// The bytes as text, without the byte-order mark that some editors put before it.
pub fn text(bytes: &[u8]) -> Result<&str, BadInput> {
    let all = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        BadInput::new(
            format!("byte {at}"),
            format!("must be UTF-8, found 0x{:02x}", bytes[at]),
        )
    })?;
    Ok(all.strip_prefix('\u{feff}').unwrap_or(all))
}

fn from_bytes(bytes: &[u8], path: &Path, options: ReadOptions) -> Result<Content, BadInput> {
    let name = path
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    if let Some(version) = matlab::older(bytes) {
        let problem = "must be MATLAB v7.3, as save with -v7.3 writes it";
        return Err(BadInput::whole(format!("{problem}, found MATLAB {version}")));
    }
    if hdf5::recognises(bytes) {
        return hdf5::read(bytes, &name);
    }
    if npz::recognises(bytes) {
        return npz::read(bytes, &name).map(|file| Content::Raw(Box::new(file)));
    }
    let text = text(bytes)?;
    if text.trim().is_empty() {
        return Err(BadInput::whole("must hold a problem, found an empty file"));
    }
    let is_json = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if is_json || text.trim_start().starts_with('{') {
        return from_json(text, &name, options);
    }
    if siconos::gmp::recognises(text) {
        return siconos::gmp::read(text, &name);
    }
    if siconos::friction::recognises(text) {
        return siconos::friction::read(text, &name).map(|file| Content::Raw(Box::new(file)));
    }
    if artisynth_contact::recognises(text) {
        return artisynth_contact::read(text).map(Content::Contacts);
    }
    from_text(text, &name).map(Content::Problems)
}

fn from_text(text: &str, name: &str) -> Result<Vec<Named>, BadInput> {
    if artisynth::recognises(text) {
        artisynth::read(text)
    } else if yamanishi::recognises(text) {
        Ok(vec![yamanishi::read(text, name)?])
    } else if siconos::recognises(text) {
        Ok(vec![siconos::read(text, name)?])
    } else {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let problem =
            "must be JSON, Siconos text, FCLIB, ContactBench, a TAB-separated log, MATLAB v7.3 or an ArtiSynth test";
        Err(BadInput::whole(format!("{problem}, found {}", shown(first))))
    }
}

fn from_json(text: &str, name: &str, options: ReadOptions) -> Result<Content, BadInput> {
    let fields = json::Fields::read(json::parse(text)?, "")?;
    match fields.get("kind").map(RawValue::get) {
        Some("\"contact\"") => return contact::read(&fields, name, Level::Velocity).map(Content::Contact),
        Some("\"contact-acceleration\"") => {
            return contact::read(&fields, name, Level::Acceleration).map(Content::Contact);
        }
        Some("\"contact-local\"") => {
            return contact_local::read(&fields, name).map(|file| Content::Raw(Box::new(file)));
        }
        Some("\"contact-raw\"") => return contact_raw::read(&fields, name).map(|file| Content::Raw(Box::new(file))),
        _ => {}
    }
    let all = if fields.get("format").is_some() {
        seed::read_cases(&fields, options)?
    } else if fields.get("problems").is_some() {
        seed::read_problems(&fields, options)?
    } else {
        vec![lcp_json::read(&fields, name, options)?]
    };
    Ok(Content::Problems(all))
}
