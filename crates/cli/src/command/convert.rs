//! `stiction convert`: a contact problem in another format.

use std::path::{Path, PathBuf};

use stiction_contact::{ContactProblem, Restitution};

use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::bad_input::shown;
use stiction_formats::case::{content, one_wanted};
use stiction_formats::figures::figure;
use stiction_formats::raw_text;
use stiction_formats::read::sparse::{Global, Sparse};
use stiction_formats::read::{Contacts, Content, Given, ReadOptions, contact_local, fclib};
use stiction_formats::write::write_whole;

/// Arguments of `stiction convert`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Contact problem of any format that `solve` reads
    file: PathBuf,
    /// Convert only this problem of a set
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    /// File to write: .json (contact-raw, or contact-local where the file gives W), .hdf5 or .h5 (FCLIB)
    out: PathBuf,
}

/// Writes the problem.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let path = &arguments.file;
    let ending = arguments
        .out
        .extension()
        .map(|ending| ending.to_string_lossy().to_lowercase());
    let (name, given, problem) = match content(path, arguments.case.as_deref(), ReadOptions::default())? {
        Content::Raw(file) => (file.name, file.given, file.problem),
        Content::Contact(file) => {
            // No format that is written says that its impulses are forces.
            let Contacts::Velocity { list, .. } = &file.contacts else {
                let problem = format!("must be a problem of impulses, found {}", file.level().names().file);
                return Err(BadInput::new("kind", problem).in_file(path));
            };
            let problem = file.problem(Restitution::Newton).map_err(|bad| bad.in_file(path))?;
            // As the file gives it: the problem has it times the step.
            if matches!(ending.as_deref(), Some("hdf5" | "h5"))
                && let Some(i) = list.iter().position(|contact| contact.viscosity != 0.0)
            {
                return Err(unsaid(i, "viscosity", list[i].viscosity).in_file(path));
            }
            (file.name, Given::Blocks, problem)
        }
        Content::Problems(_) => {
            return Err(BadInput::whole("must be a contact problem, found LCPs").in_file(path));
        }
        Content::Contacts(all) => return Err(one_wanted(path, all.len())),
    };
    let bytes = match ending.as_deref() {
        Some("json") => match &given {
            Given::Local(local) => contact_local::text(local, &name)?.into_bytes(),
            _ => raw_text::text(&problem, &name)?.into_bytes(),
        },
        Some("hdf5" | "h5") => match &given {
            Given::Blocks => fclib::write(
                &name,
                &Given::Global(as_global(&problem).map_err(|bad| bad.in_file(path))?),
            )?,
            _ => fclib::write(&name, &given)?,
        },
        _ => {
            let found = ending.map_or_else(|| "no ending".to_owned(), |ending| shown(&format!(".{ending}")));
            let problem = format!("must end in .json, .hdf5 or .h5, found {found}");
            return Err(BadInput::whole(problem).in_file(&arguments.out));
        }
    };
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    if real(path).is_some() && real(path) == real(&arguments.out) {
        return Err(BadInput::whole("must be another file than the one that is read, found the same").in_file(path));
    }
    write_whole(&arguments.out, &bytes)?;
    Ok(Outcome::new(String::new(), true))
}

/// Refuses what FCLIB has no words for.
fn check_fclib(problem: &ContactProblem) -> Result<(), BadInput> {
    for (place, found) in [("joints", problem.joint_count()), ("groups", problem.group_count())] {
        if found > 0 {
            return Err(BadInput::new(place, format!("must be absent for FCLIB, found {found}")));
        }
    }
    for i in 0..problem.contact_count() {
        if problem.mu(i).is_infinite() {
            let place = format!("contacts[{i}].mu");
            return Err(BadInput::new(place, "must be finite for FCLIB, found inf"));
        }
        let [x, y] = problem.slip(i);
        for (part, found) in [
            ("viscosity", problem.viscosity(i)),
            ("restitution", problem.restitution(i)),
            ("slip[0]", x),
            ("slip[1]", y),
        ] {
            if found != 0.0 {
                return Err(unsaid(i, part, found));
            }
        }
    }
    Ok(())
}

/// A part of a contact that FCLIB has no words for.
fn unsaid(contact: usize, part: &str, found: f64) -> BadInput {
    let problem = format!("must be 0 for FCLIB, found {}", figure(found));
    BadInput::new(format!("contacts[{contact}].{part}"), problem)
}

/// Mass blocks and rows as the matrices of the global form.
fn as_global(problem: &ContactProblem) -> Result<Global, BadInput> {
    check_fclib(problem)?;
    let n = problem.contact_count();
    let dimension = if n > 0 && (0..n).all(|i| problem.is_planar(i)) {
        2
    } else {
        3
    };
    let dof = problem.dof();
    let (mut mass, mut directions) = (Vec::new(), Vec::new());
    let mut impulse = vec![0.0; dof];
    for block in 0..problem.block_count() {
        let (range, own) = (problem.block_range(block), problem.mass(block));
        for (k, x) in own.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            let (r, c) = (range.start + k / range.len(), range.start + k % range.len());
            mass.push((r, c, *x));
            impulse[r] += x * problem.v_free()[c];
        }
    }
    let mut bias = Vec::with_capacity(dimension * n);
    for i in 0..n {
        let columns = problem.columns_tilde(i);
        for (c, column) in [columns.normal, columns.tangents[0], columns.tangents[1]]
            .iter()
            .take(dimension)
            .enumerate()
        {
            for t in columns.touches {
                let entries = (0..t.len).map(|k| (t.at + k, dimension * i + c, column[t.start + k]));
                directions.extend(entries.filter(|e| e.2 != 0.0));
            }
        }
        bias.extend(&problem.bias(i)[..dimension]);
    }
    Ok(Global {
        dimension,
        mass: Sparse::new(dof, dof, mass),
        directions: Sparse::new(dof, dimension * n, directions),
        f: impulse,
        w: bias,
        mu: (0..n).map(|i| problem.mu(i)).collect(),
    })
}
