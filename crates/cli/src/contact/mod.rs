//! Contact files: solved, explained and judged.

pub(crate) mod answer;
pub(crate) mod check;
pub(crate) mod raw;
pub(crate) mod solve;
pub(crate) mod words;

use stiction_contact::{ContactProblem, Law, Restitution};

use crate::BadInput;
use crate::bad_input::shown;

/// Laws of the contract that have no solver yet.
const LATER: [&str; 2] = ["no-slip", "viscous"];

/// What `solve` and `check` must know beside the file.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Choices {
    /// Contact files: frictionless, polyhedral or coulomb
    #[arg(long, value_name = "LAW")]
    pub(crate) law: Option<String>,
    /// Contact files: friction directions of the polyhedral law
    #[arg(long, value_name = "D")]
    pub(crate) directions: Option<usize>,
    /// Contact files: what restitution means, newton or poisson
    #[arg(long, value_name = "RULE")]
    pub(crate) restitution: Option<String>,
}

impl Choices {
    /// The law named, if any.
    pub(crate) fn law(&self) -> Result<Option<Law>, BadInput> {
        self.law.as_deref().map(law_named).transpose()
    }

    /// The rule of restitution; Newton's unless another is named.
    pub(crate) fn restitution(&self) -> Result<Restitution, BadInput> {
        match self.restitution.as_deref() {
            None | Some("newton") => Ok(Restitution::Newton),
            Some("poisson") => Ok(Restitution::Poisson),
            Some(other) => {
                let problem = format!("must be one of newton, poisson, found {}", shown(other));
                Err(BadInput::new("restitution", problem))
            }
        }
    }

    /// Refuses all of them where the file holds LCPs.
    pub(crate) fn must_be_absent(&self) -> Result<(), BadInput> {
        let given = [
            ("law", self.law.is_some()),
            ("directions", self.directions.is_some()),
            ("restitution", self.restitution.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((name, _)) => Err(BadInput::new(
                name,
                "must be given for contact files only, found an LCP",
            )),
        }
    }
}

/// The law with this name.
pub(crate) fn law_named(name: &str) -> Result<Law, BadInput> {
    if let Some(law) = Law::ALL.into_iter().find(|law| law.name() == name) {
        return Ok(law);
    }
    let names: Vec<_> = Law::ALL.into_iter().map(Law::name).collect();
    let names = names.join(", ");
    let problem = if LATER.contains(&name) {
        format!("{name} is not available yet, must be one of {names}, found {name}")
    } else {
        format!("must be one of {names}, found {}", shown(name))
    };
    Err(BadInput::new("law", problem))
}

/// Normal and tangents of a contact in world axes: the linear part of its columns over body a.
pub(crate) fn frame(problem: &ContactProblem, contact: usize, a: usize) -> [[f64; 3]; 3] {
    let columns = problem.columns_tilde(contact);
    let start = columns.touches.iter().find(|t| t.block == a).map_or(0, |t| t.start);
    let part = |column: &[f64]| [column[start], column[start + 1], column[start + 2]];
    [
        part(columns.normal),
        part(columns.tangents[0]),
        part(columns.tangents[1]),
    ]
}

/// x t_x + y t_y.
pub(crate) fn in_plane(frame: &[[f64; 3]; 3], [x, y]: [f64; 2]) -> [f64; 3] {
    // Adding 0 turns −0 into 0.
    std::array::from_fn(|k| x * frame[1][k] + y * frame[2][k] + 0.0)
}

/// a · b.
pub(crate) fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
