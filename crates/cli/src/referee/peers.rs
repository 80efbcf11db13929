//! Other people's answers: from files, and from drivers that run their solvers.
//!
//! A driver is a command. `DRIVER --list` prints the solvers it has, one line each: name, kinds (`lcp`, `contact` or both with a comma), and what it
//! is; lines that start with `#` are messages, such as a package that is not installed. `DRIVER SOLVER PROBLEM ANSWER` solves one problem, an
//! `lcp` or `contact-local` JSON file, and writes an answer: `status` (`solved`, `unfit`, or why not), `z` or `r`, `time_us` of the solve alone. Each run is a process
//! of its own, since some crash, and is ended after a while.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Answer, Case, Kind, problems};
use crate::BadInput;
use crate::contact::raw_check;
use crate::read::json::{self, Fields, number};
use crate::read::{read_bytes, text};
use crate::temporary::TemporaryFolder;

/// Time that a list of solvers may take.
const LIST_LIMIT: Duration = Duration::from_mins(2);
/// Time between two looks at a process.
const LOOK: Duration = Duration::from_millis(2);

/// A folder of answers: `STEM.json` for the problem STEM.
#[derive(Debug, Clone)]
pub(crate) struct Answers {
    pub(crate) name: String,
    folder: PathBuf,
}

impl Answers {
    /// From `NAME=FOLDER`, or a folder alone.
    pub(crate) fn new(given: &str) -> Result<Self, BadInput> {
        let (name, folder) = given.split_once('=').unwrap_or((given, given));
        let folder = PathBuf::from(folder);
        if !folder.is_dir() {
            return Err(BadInput::whole("must be a folder of answers, found none").in_file(&folder));
        }
        Ok(Self {
            name: crate::bad_input::one_line(name),
            folder,
        })
    }

    /// The answer to a problem; `None` where there is no file.
    pub(crate) fn answer(&self, case: &Case) -> Option<Answer> {
        let path = self.folder.join(format!("{}.json", case.name));
        path.is_file()
            .then(|| read_answer(&path, case).unwrap_or_else(|bad| failed(bad.to_string())))
    }
}

/// A solver of a driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) words: String,
    kinds: Vec<String>,
    command: Vec<String>,
}

/// The solvers of a driver, and its messages.
pub(crate) fn list(driver: &str) -> Result<(Vec<Peer>, Vec<String>), BadInput> {
    let command: Vec<String> = driver.split_whitespace().map(str::to_owned).collect();
    let folder = TemporaryFolder::new()?;
    let out = folder.path().join("list");
    let refused = |problem: String| BadInput::new("peers", format!("{problem}, found {driver}"));
    run(&command, &["--list"], Some(&out), LIST_LIMIT)
        .map_err(|ending| refused(format!("the driver must list its solvers: {ending}")))?;
    let bytes = read_bytes(&out)?;
    let (mut peers, mut messages) = (Vec::new(), Vec::new());
    for line in text(&bytes)?.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(message) = line.strip_prefix('#') {
            messages.push(crate::bad_input::one_line(message.trim()));
            continue;
        }
        let mut words = line.split_whitespace();
        let (Some(name), Some(kinds)) = (words.next(), words.next()) else {
            return Err(refused(format!(
                "a line of --list must name a solver and its kinds: {}",
                crate::bad_input::shown(line)
            )));
        };
        peers.push(Peer {
            name: crate::bad_input::one_line(name),
            words: crate::bad_input::one_line(&words.collect::<Vec<_>>().join(" ")),
            kinds: kinds.split(',').map(str::to_owned).collect(),
            command: command.clone(),
        });
    }
    Ok((peers, messages))
}

impl Peer {
    /// The answer to a problem; `None` where the solver does not take it.
    pub(crate) fn answer(&self, case: &Case, limit: Duration) -> Result<Option<Answer>, BadInput> {
        if !self.kinds.iter().any(|kind| kind == case.problem.name()) {
            return Ok(None);
        }
        let Some(problem) = problems::plain(case)? else {
            return Ok(None);
        };
        let folder = TemporaryFolder::new()?;
        let (given, found) = (folder.path().join("problem.json"), folder.path().join("answer.json"));
        std::fs::write(&given, problem)
            .map_err(|error| BadInput::whole(format!("cannot be written, {error}")).in_file(&given))?;
        let paths = [&given, &found].map(|path| path.to_string_lossy().into_owned());
        let ended = run(&self.command, &[&self.name, &paths[0], &paths[1]], None, limit);
        if let Err(ending) = ended {
            return Ok(Some(failed(ending)));
        }
        let answer = read_answer(&found, case).unwrap_or_else(|bad| failed(format!("no answer: {bad}")));
        Ok((answer.ending != "unfit").then_some(answer))
    }
}

fn failed(ending: String) -> Answer {
    Answer {
        ending,
        ..Answer::default()
    }
}

/// Runs a command to its end or to the limit; the error says how it ended.
fn run(command: &[String], arguments: &[&str], out: Option<&Path>, limit: Duration) -> Result<(), String> {
    let (program, first) = command.split_first().ok_or("no command")?;
    let file = |path: &Path| std::fs::File::create(path).map_err(|error| error.to_string());
    let stdout = out.map_or_else(|| Ok(Stdio::null()), |path| file(path).map(Into::into))?;
    let folder = TemporaryFolder::new().map_err(|bad| bad.to_string())?;
    let said = folder.path().join("stderr");
    let mut process = Command::new(program);
    process
        .args(first)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(file(&said)?);
    // What it starts belongs to it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut process, 0);
    let mut child = process.spawn().map_err(|error| format!("cannot be started, {error}"))?;
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Err(error) => return Err(error.to_string()),
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("crashed, {status}{}", last_line(&said))),
            Ok(None) if start.elapsed() > limit => {
                // It may have ended by itself in the meantime; what it has started ends with it.
                let _ = Command::new("kill")
                    .args(["-KILL", "--", &format!("-{}", child.id())])
                    .status();
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no answer within {} s", limit.as_secs()));
            }
            Ok(None) => std::thread::sleep(LOOK),
        }
    }
}

/// The last words of a process.
fn last_line(said: &Path) -> String {
    let text = std::fs::read(said)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default();
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    last.map_or_else(String::new, |line| {
        format!(
            ": {}",
            crate::bad_input::one_line(&line.chars().take(120).collect::<String>())
        )
    })
}

/// Reads an answer: of an LCP `z`, of contacts as `check` reads them.
fn read_answer(path: &Path, case: &Case) -> Result<Answer, BadInput> {
    let bytes = read_bytes(path)?;
    let raw = json::parse(text(&bytes)?)?;
    if raw.get().starts_with('[') {
        let (values, ending) = (json::numbers(raw, "answer")?, "no status".to_owned());
        return widened(values, case).map(|values| Answer {
            claimed: true,
            ending,
            values,
            time_us: None,
        });
    }
    let fields = Fields::read(raw, "")?;
    let status = fields
        .get("status")
        .map(|raw| json::string(raw, "status"))
        .transpose()?;
    let time = fields.get("time_us").map(|raw| number(raw, "time_us")).transpose()?;
    if let Some(found) = time.filter(|time| *time <= 0.0) {
        return Err(BadInput::new("time_us", format!("must be positive, found {found}")));
    }
    let ending = crate::bad_input::one_line(&status.unwrap_or_else(|| "no status".to_owned()));
    let claimed = ending.eq_ignore_ascii_case("solved") || ending == "no status";
    let values = match read_values(&bytes, &fields, case) {
        // Who says that it is solved and gives what are no numbers is wrong.
        Err(_) if claimed => Vec::new(),
        values => values?,
    };
    Ok(Answer {
        claimed,
        ending,
        values,
        time_us: time,
    })
}

/// The numbers of an answer; none where it has none.
fn read_values(bytes: &[u8], fields: &Fields<'_>, case: &Case) -> Result<Vec<f64>, BadInput> {
    Ok(match &case.problem {
        Kind::Lcp(_) => fields.get("z").map_or(Ok(Vec::new()), |raw| json::numbers(raw, "z"))?,
        Kind::Contact(_) if fields.get("r").is_none() && fields.get("contacts").is_none() => Vec::new(),
        Kind::Contact(file) => raw_check::read_claim(bytes, file)?.triples(),
    })
}

/// A list of numbers with three for each contact.
fn widened(values: Vec<f64>, case: &Case) -> Result<Vec<f64>, BadInput> {
    match &case.problem {
        Kind::Lcp(_) => Ok(values),
        Kind::Contact(file) => Ok(raw_check::Claim::of_list(&values, file)?.triples()),
    }
}
