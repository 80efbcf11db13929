//! What a contact answer is judged by: the law of the problem, or the one that options name. What an answer says of itself never relaxes it: an answer
//! to another law, polygon or rule for groups is refused, with the reason.

use stiction_contact::{Law, Options};

use super::Choices;
use stiction_formats::BadInput;
use stiction_formats::Level;
use stiction_formats::figures::figure;

/// What an answer says it obeys.
#[derive(Debug, Default)]
pub struct Claimed<'a> {
    /// The law, by its name.
    pub law: Option<&'a str>,
    /// Number of friction directions that it lists.
    pub directions: Option<usize>,
    /// ε of the summation form.
    pub epsilon: Option<f64>,
}

/// What the judge takes.
#[derive(Debug)]
pub struct JudgedBy {
    /// The law.
    pub law: Law,
    /// Of the polygon, where the law has one.
    pub directions: usize,
    /// ε of the summation form, where groups are judged by it.
    pub epsilon: Option<f64>,
    /// Why the answer is refused whatever its numbers are.
    pub reason: Option<String>,
}

impl JudgedBy {
    /// From the options, else from the problem. An error is an option that does not fit.
    pub fn new(level: Level, choices: &Choices, groups: usize) -> Result<Self, BadInput> {
        Ok(Self {
            law: choices.law(level)?.unwrap_or(level.default_law()),
            directions: choices.directions.unwrap_or(Options::default().directions),
            epsilon: choices.epsilon_given()?.filter(|_| groups > 0),
            reason: None,
        })
    }

    /// Compares this with what the answer claims, except where an option names it. An error is a law without meaning in the answer.
    pub fn compare(
        &mut self,
        level: Level,
        choices: &Choices,
        claimed: &Claimed<'_>,
        groups: usize,
    ) -> Result<(), BadInput> {
        let own = claimed.law.map(|name| level.law_named(name)).transpose()?;
        let is_chosen = choices.law.is_some() || choices.as_published;
        self.reason = if let Some(own) = own.filter(|own| *own != self.law && !is_chosen) {
            Some(another_law(own, self.law))
        } else if let Some(own) = claimed
            .directions
            .filter(|own| self.law == Law::Polyhedral && *own != self.directions && choices.directions.is_none())
        {
            let expected = self.directions;
            Some(format!(
                "answers another polygon: {own} directions instead of {expected}"
            ))
        } else {
            claimed
                .epsilon
                .filter(|_| groups > 0 && self.epsilon.is_none())
                .map(|own| {
                    let own = figure(own);
                    format!(
                        "answers another rule for groups: their sum with epsilon = {own} m/s instead of their sides"
                    )
                })
        };
        Ok(())
    }
}

/// The words for an answer to a law that was not requested.
#[must_use]
pub fn another_law(own: Law, expected: Law) -> String {
    format!("answers another law: {} instead of {}", own.name(), expected.name())
}
