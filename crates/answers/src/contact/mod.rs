//! Contact files of both levels: solved, explained and judged.

mod all;
pub mod answer;
pub mod check;
pub mod judged_by;
pub mod raw;
pub mod raw_check;
pub mod request;
pub mod solve;
pub mod words;

use std::path::Path;

use stiction_contact::{ContactProblem, Law, Restitution};

use stiction_formats::BadInput;
use stiction_formats::Level;
use stiction_formats::bad_input::shown;

/// What `solve` and `check` must know beside the file.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Choices {
    /// Contact files: frictionless, polyhedral, coulomb, no-slip, viscous, viscous-explicit or coulomb-viscous; for contact-acceleration files
    /// frictionless, coulomb-acceleration, coulomb-acceleration-as-published, viscous-explicit or coulomb-viscous-acceleration
    #[arg(long, value_name = "LAW")]
    pub law: Option<String>,
    /// Contact files: friction directions of the polyhedral law
    #[arg(long, value_name = "D")]
    pub directions: Option<usize>,
    /// Contact files: what restitution means, newton or poisson
    #[arg(long, value_name = "RULE")]
    pub restitution: Option<String>,
    /// Contact-acceleration files: friction that starts to slide need not oppose the acceleration, as in Baraff's paper
    #[arg(long)]
    pub as_published: bool,
    /// Contact files with groups: e = epsilon/h of the method nonconvex_sum [m/s]
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub epsilon: Option<f64>,
}

impl Choices {
    /// The law named, if any; one that does not fit the level is refused.
    pub fn law(&self, level: Level) -> Result<Option<Law>, BadInput> {
        let law = self.law.as_deref().map(|name| level.law_named(name)).transpose()?;
        if !self.as_published {
            return Ok(law);
        }
        if level == Level::Velocity {
            let problem = "must be given for contact-acceleration files only, found a contact file";
            return Err(BadInput::new("as-published", problem));
        }
        match law {
            Some(other) if !other.is_acceleration() => {
                let problem = format!(
                    "must be given with the law coulomb-acceleration, found {}",
                    other.name()
                );
                Err(BadInput::new("as-published", problem))
            }
            _ => Ok(Some(Law::CoulombAccelerationAsPublished)),
        }
    }

    /// Refuses what says nothing at a level.
    pub fn check_level(&self, level: Level) -> Result<(), BadInput> {
        if level == Level::Acceleration && self.restitution.is_some() {
            let problem = "must be given for contact files only, found a contact-acceleration file";
            return Err(BadInput::new("restitution", problem));
        }
        Ok(())
    }

    /// Refuses what says nothing where there are no bodies.
    pub fn check_raw(&self) -> Result<(), BadInput> {
        if self.restitution.is_some() {
            let problem = "must be given for files with bodies only, found one without";
            return Err(BadInput::new("restitution", problem));
        }
        Ok(())
    }

    /// ε of the summation form, where it is given.
    pub fn epsilon_given(&self) -> Result<Option<f64>, BadInput> {
        if let Some(given) = self.epsilon.filter(|given| !(given.is_finite() && *given > 0.0)) {
            let problem = format!("must be finite and positive, found {given}");
            return Err(BadInput::new("epsilon", problem));
        }
        Ok(self.epsilon)
    }

    /// Where an error of the judge comes from: an option that was given, else the answer.
    #[must_use]
    pub fn blame(&self, bad: BadInput, answer: &Path) -> BadInput {
        if self.directions.is_none() && self.epsilon.is_none() {
            bad.in_file(answer)
        } else {
            bad
        }
    }

    /// The rule of restitution; Newton's unless another is named.
    pub fn restitution(&self) -> Result<Restitution, BadInput> {
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
    pub fn must_be_absent(&self) -> Result<(), BadInput> {
        let given = [
            ("law", self.law.is_some()),
            ("directions", self.directions.is_some()),
            ("restitution", self.restitution.is_some()),
            ("as-published", self.as_published),
            ("epsilon", self.epsilon.is_some()),
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

/// Normal and tangents of a contact in world axes: the linear part of its columns over body a.
#[must_use]
pub fn frame(problem: &ContactProblem, contact: usize, a: usize) -> [[f64; 3]; 3] {
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
#[must_use]
pub fn in_plane(frame: &[[f64; 3]; 3], [x, y]: [f64; 2]) -> [f64; 3] {
    // Adding 0 turns −0 into 0.
    std::array::from_fn(|k| x * frame[1][k] + y * frame[2][k] + 0.0)
}

/// a · b.
#[must_use]
pub fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
