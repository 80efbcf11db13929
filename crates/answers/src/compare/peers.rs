//! Drivers that run other people's solvers.
//!
//! A driver is a command. `DRIVER --list` prints the solvers it has, one line each: name, kinds (`lcp`, `contact` or both with a comma), and what it
//! is; lines that start with `#` are messages, such as a package that is not installed. `DRIVER SOLVER PROBLEM ANSWER` solves one problem, an
//! `lcp` or `contact-local` JSON file, and writes an answer: `status` (`solved`, `unfit`, or why not), `z` or `r`, `time_us` of the solve alone. Each run is a process
//! of its own, since some crash, and is ended after a while.

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::answers::{self, failed};
use super::interrupt::Interrupt;
use super::{Answer, Case, problems};
use stiction_formats::BadInput;
use stiction_formats::read::{read_bytes, text};
use stiction_formats::temporary::TemporaryFolder;

/// Kinds of problems that a driver may take.
const KINDS: [&str; 2] = ["lcp", "contact"];
/// Time that a list of solvers may take.
const LIST_TIMEOUT: Duration = Duration::from_mins(2);
/// Length that it may have [bytes].
const MAX_LIST_BYTES: u64 = 1 << 20;
/// Time between two looks at a process.
const POLL_EVERY: Duration = Duration::from_millis(2);

/// A solver of a driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    /// Name.
    pub name: String,
    /// What it is.
    pub words: String,
    kinds: Vec<String>,
    command: Vec<String>,
}

/// The solvers of a driver, and its messages. An interrupt that was kept is an error here.
pub fn list(driver: &str, interrupt: &Interrupt) -> Result<(Vec<Peer>, Vec<String>), BadInput> {
    let refused = |problem: String| BadInput::new("peers", format!("{problem}, found {driver}"));
    let command = words_of(driver).ok_or_else(|| refused("a quotation must end".to_owned()))?;
    // Before the folder, so that it ends after it.
    let _held = interrupt.hold();
    let folder = TemporaryFolder::new()?;
    let out = folder.path().join("list");
    run(&command, &["--list"], Some(&out), LIST_TIMEOUT, interrupt)
        .map_err(|ending| refused(format!("the driver must list its solvers: {ending}")))?;
    let bytes = read_bytes(&out)?;
    let (mut peers, mut messages) = (Vec::new(), Vec::new());
    let lines = text(&bytes).map_err(|bad| refused(format!("--list must print text: {bad}")))?;
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(message) = line.strip_prefix('#') {
            messages.extend(
                Some(stiction_formats::bad_input::one_line(message.trim())).filter(|message| !message.is_empty()),
            );
            continue;
        }
        let mut words = line.split_whitespace();
        let (Some(name), Some(kinds)) = (words.next(), words.next()) else {
            return Err(refused(format!(
                "a line of --list must name a solver and its kinds: {}",
                stiction_formats::bad_input::shown(line)
            )));
        };
        let kinds: Vec<String> = kinds.split(',').map(str::to_owned).collect();
        if let Some(unknown) = kinds.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
            return Err(refused(format!(
                "solver {} must take {}, not {}",
                stiction_formats::bad_input::shown(name),
                KINDS.join(" or "),
                stiction_formats::bad_input::shown(unknown)
            )));
        }
        peers.push(Peer {
            name: stiction_formats::bad_input::one_line(name),
            words: stiction_formats::bad_input::one_line(&words.collect::<Vec<_>>().join(" ")),
            kinds,
            command: command.clone(),
        });
    }
    if peers.is_empty() && messages.is_empty() {
        messages.push(format!(
            "{}: lists no solver",
            stiction_formats::bad_input::shown(driver)
        ));
    }
    Ok((peers, messages))
}

/// The words of a command: between blanks, or between quotation marks where a word has blanks of its own. `None` where a quotation does not end.
fn words_of(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = command.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' | '\'' => {
                let quoted = rest.as_str();
                let end = quoted.find(c)?;
                word.get_or_insert_default().push_str(&quoted[..end]);
                rest = quoted[end + 1..].chars();
            }
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

impl Peer {
    /// The answer to a problem; `None` where the solver does not take it. It says nothing where an interrupt was kept.
    pub fn answer(&self, case: &Case, limit: Duration, interrupt: &Interrupt) -> Result<Option<Answer>, BadInput> {
        if !self.kinds.iter().any(|kind| kind == case.problem.name()) {
            return Ok(None);
        }
        // What cannot be written as plain JSON is no fault of the solver's.
        let Some(problem) = problems::plain(case).unwrap_or_default() else {
            return Ok(None);
        };
        // Before the folder, so that it ends after it.
        let _held = interrupt.hold();
        let folder = TemporaryFolder::new()?;
        let (given, found) = (folder.path().join("problem.json"), folder.path().join("answer.json"));
        std::fs::write(&given, problem)
            .map_err(|error| BadInput::whole(format!("cannot be written, {error}")).in_file(&given))?;
        let paths = [&given, &found].map(|path| path.to_string_lossy().into_owned());
        let arguments = [&self.name, &paths[0], &paths[1]].map(String::as_str);
        let ended = run(&self.command, &arguments, None, limit, interrupt);
        if let Err(ending) = ended {
            return Ok(Some(failed(ending)));
        }
        // It was given the contacts alone, whatever the file has.
        let answer = answers::read(&found, case, None).unwrap_or_else(|bad| failed(format!("no answer: {bad}")));
        Ok((answer.ending != "unfit").then_some(answer))
    }
}

/// Runs a command to its end, to the limit or to an interrupt; the error says how it ended.
fn run(
    command: &[String],
    arguments: &[&str],
    out: Option<&Path>,
    limit: Duration,
    interrupt: &Interrupt,
) -> Result<(), String> {
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
    let cut_short = loop {
        match has_ended(&mut child) {
            Ok(true) => break None,
            Err(error) => break Some(error.to_string()),
            Ok(false) => {}
        }
        if interrupt.is_kept() {
            break Some("interrupted".to_owned());
        } else if start.elapsed() > limit {
            break Some(format!("no answer within {} s", limit.as_secs()));
        } else if out.is_some_and(|path| std::fs::metadata(path).is_ok_and(|file| file.len() > MAX_LIST_BYTES)) {
            break Some(format!("more than {MAX_LIST_BYTES} bytes"));
        }
        std::thread::sleep(POLL_EVERY);
    };
    // Also where it has ended: what it has started may run on.
    let status = end(&mut child);
    match (cut_short, status) {
        (Some(ending), _) => Err(ending),
        (None, Ok(status)) if status.success() => Ok(()),
        (None, Ok(status)) => Err(format!("crashed, {status}{}", last_line(&said))),
        (None, Err(error)) => Err(error.to_string()),
    }
}

/// Whether a process has ended. It is left as it is: as long as no one has requested its status its number is no one else's.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(rustix::process::Pid::from_child(child)), how)?.is_some())
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    child.try_wait().map(|status| status.is_some())
}

/// Ends a process and its group, which is what it has started except for what has left the group. It may have ended by itself in the meantime.
fn end(child: &mut Child) -> std::io::Result<ExitStatus> {
    #[cfg(unix)]
    let _ = rustix::process::kill_process_group(rustix::process::Pid::from_child(child), rustix::process::Signal::KILL);
    let _ = child.kill();
    child.wait()
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
            stiction_formats::bad_input::one_line(&line.chars().take(120).collect::<String>())
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_keep_blanks() {
        for (command, words) in [
            ("python3  bench/driver.py", vec!["python3", "bench/driver.py"]),
            (
                "python3 'my drivers/it''s.py' -x",
                vec!["python3", "my drivers/its.py", "-x"],
            ),
            ("\"a 'b'\"c ''", vec!["a 'b'c", ""]),
            ("  ", vec![]),
        ] {
            assert_eq!(words_of(command).unwrap(), words, "{command}");
        }
        assert_eq!(words_of("python3 \"my drivers/a.py"), None);
    }
}
