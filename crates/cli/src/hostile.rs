//! Entrances for the fuzz targets: what other people's files and messages go through, without a process or a server around it.

use std::path::Path;

use crate::command;
use stiction_answers::compare::answers::Answers;
use stiction_answers::compare::{judge, problems};
use stiction_formats::BadInput;
use stiction_show::plot::data::{Data, Filter};
use stiction_show::plot::{What, panels, svg};

/// `stiction check` with the answer to a problem, in words and as JSON.
///
/// # Errors
/// What `check` says on stderr.
pub fn check(problem: &Path, answer: &Path) -> Result<[String; 2], BadInput> {
    let said = |json| command::check::run(&command::check::Arguments::new(problem, answer, json));
    Ok([said(false)?.text, said(true)?.text])
}

/// An answer as `stiction compare` judges it: whether it is verified. The folder holds one `STEM.json`, the problem is called STEM.
///
/// # Errors
/// A problem that cannot be read, or a folder that is none. A bad answer is no error here.
pub fn compare(problem: &Path, folder: &Path) -> Result<bool, BadInput> {
    let answers = Answers::new(&format!("others={}", folder.display()))?;
    let (cases, _) = problems::read(problem)?;
    let verified = |case| {
        let found = judge(
            "others",
            case,
            answers.answer(case),
            crate::command::compare::VERIFIED_RESIDUAL,
        );
        found
            .residual
            .is_some_and(|x| x <= crate::command::compare::VERIFIED_RESIDUAL)
    };
    Ok(cases.iter().all(verified))
}

/// The charts of `stiction plot`.
///
/// # Errors
/// A recording that is none.
pub fn plot(recording: &Path) -> Result<String, BadInput> {
    let data = Data::read(recording, &Filter::default())?;
    let all: Vec<_> = What::ALL.into_iter().flat_map(|what| panels(&data, what)).collect();
    Ok(svg("recording", &all))
}

#[cfg(feature = "view")]
pub use stiction_show::view::messages;
