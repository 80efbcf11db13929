//! `stiction convert`: a contact problem in another format.

use std::path::PathBuf;

use stiction_contact::{ContactProblem, Restitution};

use super::content;
use crate::contact::raw_text;
use crate::read::sparse::{Global, Sparse};
use crate::read::{Content, Given, ReadOptions, contact_local, fclib};
use crate::write_whole::write_whole;
use crate::{BadInput, Outcome};

/// Arguments of `stiction convert`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Contact problem of any format that `solve` reads
    file: PathBuf,
    /// File to write: .json (contact-raw, or contact-local where the file gives W), .hdf5 or .h5 (FCLIB)
    out: PathBuf,
}

/// Writes the problem.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let path = &arguments.file;
    let (name, given, problem) = match content(path, None, ReadOptions::default())? {
        Content::Raw(file) => (file.name, file.given, file.problem),
        Content::Contact(file) => {
            let problem = file.problem(Restitution::Newton).map_err(|bad| bad.in_file(path))?;
            (file.name, Given::Blocks, problem)
        }
        Content::Problems(_) => {
            return Err(BadInput::whole("must be a contact problem, found LCPs").in_file(path));
        }
    };
    let ending = arguments
        .out
        .extension()
        .map(|ending| ending.to_string_lossy().to_lowercase());
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
            let problem = "must end in .json, .hdf5 or .h5";
            return Err(BadInput::whole(problem).in_file(&arguments.out));
        }
    };
    write_whole(&arguments.out, &bytes)?;
    Ok(Outcome::new(String::new(), true))
}

/// Mass blocks and rows as the matrices of the global form. What it has no words for is refused.
fn as_global(problem: &ContactProblem) -> Result<Global, BadInput> {
    let n = problem.contact_count();
    if problem.joint_count() > 0 || problem.group_count() > 0 {
        return Err(BadInput::whole(
            "must be without joints and groups for FCLIB, found some",
        ));
    }
    if let Some(i) = (0..n).find(|i| problem.mu(*i).is_infinite()) {
        return Err(BadInput::new(
            format!("contacts[{i}].mu"),
            "must be finite for FCLIB, found inf",
        ));
    }
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
        mass: Sparse {
            rows: dof,
            columns: dof,
            entries: mass,
        },
        directions: Sparse {
            rows: dof,
            columns: dimension * n,
            entries: directions,
        },
        f: impulse,
        w: bias,
        mu: (0..n).map(|i| problem.mu(i)).collect(),
    })
}
