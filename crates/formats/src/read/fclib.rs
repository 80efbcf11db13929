//! FCLIB files (HDF5), the format of INRIA's collection of friction problems.
//!
//! - `fclib_local`: W, q, μ; u = W r + q. Equality constraints (V, R) are refused.
//! - `fclib_global`: M, H, f, w, μ; M v = H r + f, u = Hᵀv + w. Equality constraints (G) are refused.
//!
//! Both have `spacedim` (2 or 3), the normal comes first at each contact, and a matrix is a group of `m`, `n`, `nz`, `p`, `i`, `x`, counted from
//! 0: `nz` ≥ 0 is a list of entries (row i, column p), −1 compressed columns, −2 compressed rows. M may be stored as its upper triangle alone.

use hdf5_pure::{File, FileBuilder, GroupBuilder};

use super::dataset::{damaged, dataset, indices, numbers};
use super::sparse::{self, Entry, Global, Sparse};
use super::{Given, RawFile};
use crate::bad_input::{BadInput, one_line};

/// Most numbers in a vector, and entries in the list of a matrix. W is an exception, which may be stored in full.
const MAX_VECTOR_NUMBERS: usize = 1 << 22;

/// The two forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Local,
    Global,
}

impl Form {
    /// The form of a file; `None` where it is not of FCLIB.
    pub(super) fn of(file: &File) -> Option<Self> {
        [Self::Local, Self::Global]
            .into_iter()
            .find(|form| file.group(form.group()).is_ok())
    }

    fn group(self) -> &'static str {
        match self {
            Self::Local => "fclib_local",
            Self::Global => "fclib_global",
        }
    }
}

/// Reads the problem of a file.
pub(super) fn read(file: &File, form: Form, name: &str) -> Result<RawFile, BadInput> {
    let group = form.group();
    let at = |part: &str| format!("{group}/{part}");
    let dimension = whole(file, &at("spacedim"))?;
    let vector = |part: &str| numbers(file, &at(&format!("vectors/{part}")), MAX_VECTOR_NUMBERS);
    let mu = vector("mu")?;
    // Equality constraints: G of the global form, V and R of the local one.
    let equalities: &[&str] = if form == Form::Global { &["G"] } else { &["V", "R"] };
    if let Some(part) = equalities.iter().find(|part| file.group(&at(part)).is_ok()) {
        let problem = "must be absent: equality constraints are not read, found a matrix";
        return Err(BadInput::new(format!("{group}.{part}"), problem));
    }
    let size = sparse::rows_of(dimension, mu.len())?;
    let given = match form {
        Form::Local => {
            sparse::check_contacts("W", mu.len())?;
            let delassus = matrix(file, &at("W"), [size; 2], MAX_VECTOR_NUMBERS.max(size * size))?;
            Given::Local(sparse::local(dimension, &delassus, vector("q")?, mu)?)
        }
        Form::Global => {
            // Sizes first: they must fit before lists of entries are read, and those before anything is made for each coordinate.
            let (f, w) = (vector("f")?, vector("w")?);
            Given::Global(Global {
                dimension,
                mass: matrix(file, &at("M"), [f.len(); 2], MAX_VECTOR_NUMBERS)?,
                directions: matrix(file, &at("H"), [f.len(), size], MAX_VECTOR_NUMBERS)?,
                f,
                w,
                mu,
            })
        }
    };
    let words = match form {
        Form::Local => "FCLIB local (HDF5)",
        Form::Global => "FCLIB global (HDF5)",
    };
    RawFile::new(one_line(name), words, given)
}

/// A whole number in a data set of its own.
fn signed(file: &File, path: &str) -> Result<i64, BadInput> {
    let place = path.replace('/', ".");
    let values = dataset(file, path, 1)?
        .read_i64()
        .map_err(|error| damaged(&place, &error))?;
    values.first().copied().ok_or_else(|| BadInput::length(place, 1, 0))
}

fn whole(file: &File, path: &str) -> Result<usize, BadInput> {
    let found = signed(file, path)?;
    usize::try_from(found)
        .map_err(|_| BadInput::new(path.replace('/', "."), format!("must not be negative, found {found}")))
}

/// A matrix of this size, with at most so many entries.
fn matrix(file: &File, path: &str, [rows, columns]: [usize; 2], most: usize) -> Result<Sparse, BadInput> {
    let at = |part: &str| format!("{path}/{part}");
    let place = path.replace('/', ".");
    for (part, expected) in [("m", rows), ("n", columns)] {
        let found = whole(file, &at(part))?;
        if found != expected {
            let problem = format!("must be {expected}, found {found}");
            return Err(BadInput::new(format!("{place}.{part}"), problem));
        }
    }
    let nz = signed(file, &at("nz"))?;
    let (i, p, x) = (
        indices(file, &at("i"), most)?,
        indices(file, &at("p"), most)?,
        numbers(file, &at("x"), most)?,
    );
    let entries = match nz {
        -1 => compressed(&place, columns, (&p, &i, &x), |outer, inner| (inner, outer))?,
        -2 => compressed(&place, rows, (&p, &i, &x), |outer, inner| (outer, inner))?,
        nz => {
            let count = usize::try_from(nz)
                .ok()
                .filter(|count| *count <= x.len().min(i.len()).min(p.len()));
            let Some(count) = count else {
                let problem = format!(
                    "must be -1, -2 or at most {} entries, found {nz}",
                    x.len().min(i.len()).min(p.len())
                );
                return Err(BadInput::new(format!("{place}.nz"), problem));
            };
            (0..count).map(|k| (i[k], p[k], x[k])).collect()
        }
    };
    for (k, (r, c, _)) in entries.iter().enumerate() {
        if *r >= rows || *c >= columns {
            let problem = format!("must lie in {rows} by {columns}, found row {r}, column {c}");
            return Err(BadInput::new(format!("{place}[{k}]"), problem));
        }
    }
    Ok(Sparse::new(rows, columns, entries))
}

/// Entries of compressed rows or columns: where each starts, the other index, the value.
fn compressed(
    place: &str,
    outer: usize,
    (starts, inner, values): (&[usize], &[usize], &[f64]),
    at: impl Fn(usize, usize) -> (usize, usize),
) -> Result<Vec<Entry>, BadInput> {
    if starts.len() != outer.saturating_add(1) {
        return Err(BadInput::length(
            format!("{place}.p"),
            outer.saturating_add(1),
            starts.len(),
        ));
    }
    let most = inner.len().min(values.len());
    let mut entries = Vec::with_capacity(most);
    for k in 0..outer {
        let (start, end) = (starts[k], starts[k + 1]);
        if start > end || end > most {
            let problem = format!("must lie between {start} and {most}, found {end}");
            return Err(BadInput::new(format!("{place}.p[{}]", k + 1), problem));
        }
        for e in start..end {
            let (r, c) = at(k, inner[e]);
            entries.push((r, c, values[e]));
        }
    }
    Ok(entries)
}

/// The bytes of an FCLIB file.
pub fn write(title: &str, given: &Given) -> Result<Vec<u8>, BadInput> {
    let mut file = FileBuilder::new();
    let (name, dimension, matrices, vectors) = match given {
        Given::Blocks => return Err(BadInput::whole("internal: no matrices to write")),
        Given::Local(local) => {
            let rows = local.dimension() * local.contact_count();
            let delassus = Sparse::new(rows, rows, entries_of(local));
            let q = sparse::narrow(local.dimension(), local.q());
            (
                Form::Local,
                local.dimension(),
                vec![("W", delassus)],
                vec![("q", q), ("mu", local.mu().to_vec())],
            )
        }
        Given::Global(global) => (
            Form::Global,
            global.dimension,
            vec![("M", global.mass.clone()), ("H", global.directions.clone())],
            vec![
                ("f", global.f.clone()),
                ("w", global.w.clone()),
                ("mu", global.mu.clone()),
            ],
        ),
    };
    let mut group = file.create_group(name.group());
    group
        .create_dataset("spacedim")
        .with_i32_data(&[i32::try_from(dimension).unwrap_or(3)]);
    let mut info = group.create_group("info");
    for (key, text) in [
        ("title", title),
        ("description", "written by Stiction"),
        ("math_info", "unknown"),
    ] {
        let text = if text.is_empty() { " " } else { text };
        let shown: String = text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect();
        let set = info.create_dataset(key);
        set.with_ascii_strings(&[&shown])
            .map_err(|error| BadInput::new("info", format!("cannot be written, {error}")))?;
        set.with_shape(&[]);
    }
    group.add_group(info.finish());
    for (key, matrix) in &matrices {
        let mut own = group.create_group(key);
        put(&mut own, matrix)?;
        group.add_group(own.finish());
    }
    let mut own = group.create_group("vectors");
    for (key, vector) in &vectors {
        own.create_dataset(key).with_f64_data(vector);
    }
    group.add_group(own.finish());
    file.add_group(group.finish());
    file.finish()
        .map_err(|error| BadInput::whole(format!("cannot be written, {error}")))
}

/// A matrix as a list of entries.
fn put(group: &mut GroupBuilder, matrix: &Sparse) -> Result<(), BadInput> {
    let whole =
        |x: usize| i32::try_from(x).map_err(|_| BadInput::whole("is too large for the 32-bit indices of FCLIB"));
    let all = |side: fn(&Entry) -> usize| {
        matrix
            .entries()
            .iter()
            .map(|e| whole(side(e)))
            .collect::<Result<Vec<_>, _>>()
    };
    let count = whole(matrix.entries().len())?;
    for (key, value) in [
        ("m", whole(matrix.rows())?),
        ("n", whole(matrix.columns())?),
        ("nz", count),
        ("nzmax", count),
    ] {
        group.create_dataset(key).with_i32_data(&[value]);
    }
    group.create_dataset("i").with_i32_data(&all(|e| e.0)?);
    group.create_dataset("p").with_i32_data(&all(|e| e.1)?);
    let values: Vec<f64> = matrix.entries().iter().map(|e| e.2).collect();
    group.create_dataset("x").with_f64_data(&values);
    Ok(())
}

/// Entries of W that are not zero, without the second tangents that a plane does not have.
fn entries_of(local: &stiction_contact::LocalProblem) -> Vec<Entry> {
    let (d, rows) = (local.dimension(), local.q().len());
    let keep = |r: usize| (r % 3 < d).then_some(r / 3 * d + r % 3);
    let mut entries = Vec::new();
    for (at, x) in local.W().iter().enumerate() {
        if let (true, Some(r), Some(c)) = (*x != 0.0, keep(at / rows), keep(at % rows)) {
            entries.push((r, c, *x));
        }
    }
    entries
}
