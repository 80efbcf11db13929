//! What a viewer can ask of a live world: JSON, one object a message.

use serde::{Deserialize, Serialize};

/// Speeds that can be requested: simulated time per time.
const SPEED_RANGE: [f64; 2] = [0.001, 100.0];
/// Largest coordinate \[m\] and coefficient of friction.
const MAX_COORDINATE: f64 = 1e9;
const MAX_FRICTION: f64 = 1e6;

/// A command.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Command {
    /// Goes on.
    Play {},
    /// Waits.
    Pause {},
    /// Waits, after one step.
    Step {},
    /// Begins again.
    Reset {},
    /// Simulated time per time.
    Speed { value: f64 },
    /// What happens where the scene's duration has passed.
    End { value: AtEnd },
    /// Law of contact, by name.
    Law { value: String },
    /// The one method to be used, by name; none to choose.
    Method { value: Option<String> },
    /// Coefficient of friction of everything; none for that of the scene.
    Friction { value: Option<f64> },
    /// Pulls a point of a body, in body axes, to a point of the world \[m\].
    Pull {
        body: usize,
        point: [f64; 3],
        target: [f64; 3],
    },
    /// Pulls no more.
    Release {},
    /// Who holds whom of two bodies that touch, and what their forces could be.
    Why { a: usize, b: usize },
}

/// What happens where the scene's duration has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AtEnd {
    /// The world waits; to play then restarts.
    #[default]
    Stop,
    /// The world restarts.
    Loop,
    /// The world goes on.
    GoOn,
}

impl Command {
    /// Reads a command.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let command: Self =
            serde_json::from_str(text).map_err(|error| format!("command: {}", without_place(&error)))?;
        command.check()?;
        Ok(command)
    }

    fn check(&self) -> Result<(), String> {
        match self {
            Self::Speed { value } => within("speed: value", *value, SPEED_RANGE),
            Self::Friction { value: Some(value) } => within("friction: value", *value, [0.0, MAX_FRICTION]),
            Self::Pull { point, target, .. } => {
                for (name, xs) in [("point", point), ("target", target)] {
                    for (k, x) in xs.iter().enumerate() {
                        within(&format!("pull: {name}[{k}]"), *x, [-MAX_COORDINATE, MAX_COORDINATE])?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// An error of the parser without line and column: a message is one line, and a viewer knows what it sent.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

fn within(name: &str, x: f64, [least, most]: [f64; 2]) -> Result<(), String> {
    if (least..=most).contains(&x) {
        return Ok(());
    }
    Err(format!("{name}: must lie between {least:?} and {most:?}, found {x:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        let read = |text| Command::parse(text).expect(text);
        assert_eq!(read(r#"{"type":"play"}"#), Command::Play {});
        assert_eq!(
            read(r#"{"type":"method","value":null}"#),
            Command::Method { value: None }
        );
        assert_eq!(
            read(r#"{"type":"friction","value":0}"#),
            Command::Friction { value: Some(0.0) }
        );
        assert_eq!(
            read(r#"{"type":"end","value":"go_on"}"#),
            Command::End { value: AtEnd::GoOn }
        );
        assert_eq!(read(r#"{"type":"why","a":1,"b":0}"#), Command::Why { a: 1, b: 0 });
        let pull = read(r#"{"type":"pull","body":2,"point":[0,0,0.5],"target":[1,2,3]}"#);
        let expected = Command::Pull {
            body: 2,
            point: [0.0, 0.0, 0.5],
            target: [1.0, 2.0, 3.0],
        };
        assert_eq!(pull, expected);
    }

    #[test]
    fn what_is_no_command_is_named() {
        let cases = [
            ("", "EOF"),
            ("play", "expected"),
            ("[1]", "1"),
            ("{}", "missing field `type`"),
            (r#"{"type":"fly"}"#, "unknown variant `fly`, expected one of `play`"),
            (r#"{"type":"play","now":1}"#, "unknown field `now`"),
            (r#"{"type":"speed"}"#, "missing field `value`"),
            (r#"{"type":"speed","value":"fast"}"#, r#"invalid type: string "fast""#),
            (
                r#"{"type":"speed","value":0}"#,
                "speed: value: must lie between 0.001 and 100.0, found 0.0",
            ),
            (r#"{"type":"speed","value":1e400}"#, "number out of range"),
            (
                r#"{"type":"end","value":"crash"}"#,
                "unknown variant `crash`, expected one of `stop`, `loop`, `go_on`",
            ),
            (
                r#"{"type":"friction","value":-0.5}"#,
                "friction: value: must lie between 0.0 and 1000000.0, found -0.5",
            ),
            (r#"{"type":"pull","body":-1,"point":[0,0,0],"target":[0,0,0]}"#, "-1"),
            (
                r#"{"type":"pull","body":0,"point":[0,0],"target":[0,0,0]}"#,
                "invalid length 2",
            ),
            (
                r#"{"type":"pull","body":0,"point":[0,0,0],"target":[0,1e10,0]}"#,
                "pull: target[1]: must lie between",
            ),
        ];
        for (text, expected) in cases {
            let found = Command::parse(text).expect_err(text);
            assert!(found.contains(expected) && !found.contains("line"), "{text}: {found}");
        }
    }
}
