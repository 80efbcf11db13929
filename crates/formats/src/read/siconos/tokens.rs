//! The words of a Siconos file.

use std::str::SplitAsciiWhitespace;

use crate::bad_input::{BadInput, shown};

/// The words of a file, with the number of the last one read.
pub(super) struct Tokens<'a> {
    words: SplitAsciiWhitespace<'a>,
    /// Words taken so far: the number of the last one, from 1.
    pub(super) read: usize,
    /// No more words than this can be in the file.
    most: usize,
    bytes: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            words: text.split_ascii_whitespace(),
            read: 0,
            most: text.len() / 2 + 1,
            bytes: text.len(),
        }
    }

    /// A message about the last word read.
    pub(super) fn bad(&self, problem: impl std::fmt::Display) -> BadInput {
        BadInput::new(format!("token {}", self.read), problem)
    }

    pub(super) fn next(&mut self, what: &str) -> Result<&'a str, BadInput> {
        self.read += 1;
        let word = self.words.next();
        word.ok_or_else(|| self.bad(format!("{what} expected, found the end of the file")))
    }

    pub(super) fn number(&mut self, what: &str) -> Result<f64, BadInput> {
        let word = self.next(what)?;
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(self.bad(format!("{what} must be finite, found {}", shown(word)))),
            Err(_) => Err(self.bad(format!("{what} must be a number, found {}", shown(word)))),
        }
    }

    pub(super) fn whole(&mut self, what: &str) -> Result<usize, BadInput> {
        let word = self.next(what)?;
        let value = word
            .parse()
            .ok()
            .filter(|_| word.starts_with(|c: char| c.is_ascii_digit()));
        value.ok_or_else(|| self.bad(format!("{what} must be a whole number, found {}", shown(word))))
    }

    /// A count of things that each take a word of the file.
    pub(super) fn size(&mut self, what: &str) -> Result<usize, BadInput> {
        let value = self.whole(what)?;
        self.fits(value, what)?;
        Ok(value)
    }

    /// Refuses a count that the file is too short for, before anything is allocated.
    pub(super) fn fits(&self, count: usize, what: &str) -> Result<(), BadInput> {
        if count <= self.most {
            return Ok(());
        }
        let (bytes, most) = (self.bytes, self.most);
        let problem = format!("{what} must be at most {most} numbers in a file of {bytes} bytes, found {count}");
        Err(self.bad(problem))
    }

    pub(super) fn exactly(&mut self, expected: usize, what: &str) -> Result<(), BadInput> {
        let found = self.whole(what)?;
        if found == expected {
            return Ok(());
        }
        Err(self.bad(format!("{what} must be {expected}, found {found}")))
    }

    /// A word that must stand here.
    pub(super) fn word(&mut self, expected: &str) -> Result<(), BadInput> {
        let found = self.next(expected)?;
        if found == expected {
            return Ok(());
        }
        Err(self.bad(format!("must be {expected}, found {}", shown(found))))
    }

    pub(super) fn below(&mut self, limit: usize, what: &str) -> Result<usize, BadInput> {
        let found = self.whole(what)?;
        if found < limit {
            return Ok(found);
        }
        Err(self.bad(format!("{what} must be below {limit}, found {found}")))
    }

    /// Numbers that do not fall and end at `last`.
    pub(super) fn increasing(&mut self, count: usize, last: usize, what: &str) -> Result<Vec<usize>, BadInput> {
        let mut values = Vec::with_capacity(count);
        for k in 0..count {
            let value = self.whole(what)?;
            let least = values.last().copied().unwrap_or(0);
            let fits = if k + 1 == count {
                value == last && value >= least
            } else {
                (least..=last).contains(&value)
            };
            if !fits {
                let problem = format!("{what} must rise from {least} to {last} at the last, found {value}");
                return Err(self.bad(problem));
            }
            values.push(value);
        }
        Ok(values)
    }

    pub(super) fn numbers(&mut self, count: usize, what: &str) -> Result<Vec<f64>, BadInput> {
        self.fits(count, what)?;
        (0..count).map(|_| self.number(what)).collect()
    }

    /// Words that are left.
    pub(super) fn count_words(&self) -> usize {
        self.words.clone().count()
    }

    /// How many of the next words are numbers, up to the first that is not.
    pub(super) fn count_numbers(&self) -> usize {
        self.words
            .clone()
            .take_while(|word| word.parse::<f64>().is_ok())
            .count()
    }
}
