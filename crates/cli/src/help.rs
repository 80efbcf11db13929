//! `stiction --help`: the commands by what they are for.

use std::fmt::Write as _;

use clap::{Command, CommandFactory as _};

/// Commands by what they are for. Those of no group come last.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Start", &["demo", "examples"]),
    ("Simulate", &["run", "view", "plot", "export"]),
    ("Statics", &["stand", "why"]),
    ("Solve and judge", &["solve", "check", "info", "convert", "methods"]),
    ("Measure", &["compare"]),
    ("Install", &["completions", "man"]),
];

const AFTER: &str = "\
Examples:
  stiction demo                                              a tower, a ramp and a grasp, with the exact answers beside ours
  stiction run scenes/stack-20.toml -o stack.mcap            simulate a scene and record it
  stiction plot stack.mcap                                   its energy, forces and solver as charts
  stiction view scenes/tower-tilt.toml                       watch a scene in the browser, pull its bodies
  stiction stand scenes/arch-27.toml --tilt x                does it stand, how far may it lean, what gives way first
  stiction solve problems/contact/sliding-diagonal.json      impulses of one contact problem, verified
  stiction solve problems/lcp/murty-p2.json --prove          an LCP, proven in rationals
  stiction help run                                          every option of a command

Exit status: 0 solved, finished or stands; 1 a status other than solved, an answer refused, or falls; 2 bad input;
3 and 4 of stand: may fall, undecided.
Results go to stdout, messages to stderr. Files, options and statuses are described in docs/reference.";

/// The command line without our own form of the help.
pub(crate) fn plain() -> Command {
    crate::Arguments::command()
}

/// The command line with its help.
pub(crate) fn command() -> Command {
    let command = crate::Arguments::command();
    let text = groups(&command);
    let template =
        format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{text}\nOptions:\n{{options}}\n\n{AFTER}\n");
    command.help_template(template)
}

/// `Simulate:` and its commands, one line each.
fn groups(command: &Command) -> String {
    let mut text = String::new();
    let mut list = |title: &str, names: &[&str]| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n{title}:");
        // Features decide which are there.
        for sub in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {:<12}{about}", sub.get_name());
        }
    };
    for (title, names) in GROUPS {
        list(title, names);
    }
    let grouped = |name: &&str| GROUPS.iter().any(|(_, names)| names.contains(name));
    let others: Vec<&str> = command
        .get_subcommands()
        .filter(|sub| !sub.is_hide_set())
        .map(Command::get_name)
        .filter(|name| !grouped(name))
        .collect();
    if !others.is_empty() {
        list("Other", &others);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_listed_once_with_its_words() {
        let text = command().render_help().to_string();
        for sub in crate::Arguments::command()
            .get_subcommands()
            .filter(|sub| !sub.is_hide_set())
        {
            let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
            assert!(about.len() > 10, "{}", sub.get_name());
            let line = format!("\n  {:<12}{about}\n", sub.get_name());
            assert_eq!(text.matches(&line).count(), 1, "{line}{text}");
        }
        assert!(!text.contains("\nOther:"), "{text}");
        for part in ["Usage: stiction", "Options:", "--version", "Examples:", "Exit status:"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
