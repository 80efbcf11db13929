//! The tables of a recording in CSV. Columns are found by their headings, so that more of them do no harm.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use stiction_record::StatsRecord;

use super::data::{Data, Filter};
use stiction_formats::BadInput;
use stiction_formats::bad_input::shown;

/// Reads what the charts need: names from the poses, forces from the contacts, figures from the stats.
pub(super) fn read(path: &Path, filter: &Filter, data: &mut Data) -> Result<(), BadInput> {
    let table = |name: &str| -> PathBuf {
        if path.is_dir() {
            path.join(format!("{name}.csv"))
        } else if name == "poses" {
            path.to_owned()
        } else {
            path.with_extension(format!("{name}.csv"))
        }
    };
    let mut first = None;
    let mut cut = Table::open(&table("poses"), &["step", "body"])?.each(|row| {
        let step = row.text(0)?;
        // Bodies are the same in every frame, but where they come or go.
        if *first.get_or_insert_with(|| step.to_owned()) == step {
            data.names.push(row.text(1)?.to_owned());
        }
        Ok(())
    })?;
    cut |= read_stats(&table("stats"), data)?;
    cut |= read_contacts(&table("contacts"), filter, data)?;
    if cut {
        let end = data.stats.last().map_or(0.0, |stats| stats.time);
        data.unfinished = Some(format!(
            "{}: the tables end at t = {end} s, and are cut there: the run was stopped",
            path.display()
        ));
    }
    Ok(())
}

/// A frame without contacts has no line: the frames are those of the figures.
fn read_contacts(path: &Path, filter: &Filter, data: &mut Data) -> Result<bool, BadInput> {
    if !path.exists() {
        return Ok(false);
    }
    let times: Vec<f64> = data.stats.iter().map(|stats| stats.time).collect();
    for time in &times {
        data.begin_frame(*time);
    }
    let (mut frame, mut beyond) = (0, false);
    let columns = ["time", "a", "b", "normal_force", "fx", "fy", "fz"];
    let cut = Table::open(path, &columns)?.each(|row| {
        let time = row.number(0)?;
        // Figures are written last: a run that was killed has contacts without them.
        if times.last().is_none_or(|last| *last < time) {
            beyond = true;
            return Ok(());
        }
        while times.get(frame).is_some_and(|at| *at < time) {
            frame += 1;
        }
        if times.get(frame) != Some(&time) {
            let problem = format!("must be a time of the table of figures, later than those before, found {time}");
            return Err(BadInput::new("time", problem));
        }
        let friction = [row.number(4)?, row.number(5)?, row.number(6)?];
        data.add_force(filter, frame, [row.text(1)?, row.text(2)?], row.number(3)?, friction);
        Ok(())
    })?;
    Ok(cut || beyond)
}

fn read_stats(path: &Path, data: &mut Data) -> Result<bool, BadInput> {
    let columns = [
        "step",
        "time",
        "steps",
        "contacts",
        "islands",
        "warm",
        "pivots",
        "newton_steps",
        "residual",
        "penetration",
        "kinetic",
        "potential",
        "dissipated",
        "injected",
        "eased",
        "stepping",
        "worst_gain",
        "hash",
    ];
    Table::open(path, &columns)?.each(|row| {
        data.stats.push(StatsRecord {
            step: row.count(0)?,
            time: row.number(1)?,
            steps: row.count(2)?,
            contacts: row.size(3)?,
            islands: row.size(4)?,
            warm: row.size(5)?,
            pivots: row.size(6)?,
            newton_steps: row.size(7)?,
            // Not drawn, and missing in older tables.
            split: 0,
            residual: row.number(8)?,
            penetration: row.number(9)?,
            kinetic: row.number(10)?,
            potential: row.number(11)?,
            dissipated: row.number(12)?,
            injected: row.number(13)?,
            eased: row.number(14)?,
            stepping: row.number(15)?,
            worst_gain: row.number(16)?,
            hash: row.text(17)?.to_owned(),
            // Missing in older tables.
            slip: row.known("slip")?,
            impacts: row.known("impacts")?,
            numerical_velocity: row.known("numerical_velocity")?,
            numerical_closing: row.known("numerical_closing")?,
            numerical_returned: row.known("numerical_returned")?,
            numerical_flight: row.known("numerical_flight")?,
            // Not drawn.
            work: None,
        });
        Ok(())
    })
}

/// A table whose heading has been read.
struct Table<'a> {
    path: PathBuf,
    source: BufReader<File>,
    /// All columns.
    heading: Vec<String>,
    names: &'a [&'a str],
    /// Place of each wanted column.
    places: Vec<usize>,
}

/// A line of a table.
struct Row<'a> {
    heading: &'a [String],
    names: &'a [&'a str],
    places: &'a [usize],
    fields: Vec<String>,
}

impl<'a> Table<'a> {
    fn open(path: &Path, names: &'a [&'a str]) -> Result<Self, BadInput> {
        let bad = |problem: String| BadInput::whole(problem).in_file(path);
        let file = File::open(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => bad("must be a table of the recording, found nothing of this name".into()),
            _ => bad(format!("cannot be read, {error}")),
        })?;
        let mut source = BufReader::new(file);
        let mut heading = String::new();
        source
            .read_line(&mut heading)
            .map_err(|error| bad(format!("cannot be read, {error}")))?;
        let found = fields(heading.trim_end());
        let place = |name: &&str| {
            let at = found.iter().position(|column| column == name);
            at.ok_or_else(|| {
                BadInput::new(
                    "line 1",
                    format!("must have a column {name}, found {}", shown(&heading)),
                )
            })
        };
        let places: Result<Vec<usize>, BadInput> = names.iter().map(place).collect();
        Ok(Self {
            places: places.map_err(|bad| bad.in_file(path))?,
            heading: found,
            path: path.to_owned(),
            source,
            names,
        })
    }

    /// Calls with each line; whether the last is cut, as a run leaves it that was killed: such a line is skipped.
    fn each(mut self, mut take: impl FnMut(&Row<'_>) -> Result<(), BadInput>) -> Result<bool, BadInput> {
        let mut line = String::new();
        for i in 0.. {
            line.clear();
            let read = self.source.read_line(&mut line);
            read.map_err(|e| BadInput::whole(format!("cannot be read, {e}")).in_file(&self.path))?;
            let Some(line) = line.strip_suffix('\n') else {
                return Ok(!line.is_empty());
            };
            let row = Row {
                heading: &self.heading,
                names: self.names,
                places: &self.places,
                fields: fields(line.strip_suffix('\r').unwrap_or(line)),
            };
            let line = i + 2;
            take(&row).map_err(|bad| bad.below(&format!("line {line}: ")).in_file(&self.path))?;
        }
        Ok(false)
    }
}

impl Row<'_> {
    fn text(&self, column: usize) -> Result<&str, BadInput> {
        let field = self.places.get(column).and_then(|at| self.fields.get(*at));
        field.map(String::as_str).ok_or_else(|| self.bad(column, "a field"))
    }

    fn number(&self, column: usize) -> Result<f64, BadInput> {
        let number = self.text(column)?.parse().ok().filter(|x: &f64| x.is_finite());
        number.ok_or_else(|| self.bad(column, "a finite number"))
    }

    /// A number of a column that older tables do not have, or whose field may be empty.
    fn known(&self, name: &str) -> Result<Option<f64>, BadInput> {
        let at = self.heading.iter().position(|column| column == name);
        let Some(field) = at.and_then(|at| self.fields.get(at)).filter(|field| !field.is_empty()) else {
            return Ok(None);
        };
        match field.parse() {
            Ok(x) if f64::is_finite(x) => Ok(Some(x)),
            _ => Err(BadInput::new(
                name,
                format!("must be a finite number, found {}", shown(field)),
            )),
        }
    }

    fn count(&self, column: usize) -> Result<u64, BadInput> {
        self.text(column)?
            .parse()
            .map_err(|_| self.bad(column, "a whole number"))
    }

    fn size(&self, column: usize) -> Result<usize, BadInput> {
        self.text(column)?
            .parse()
            .map_err(|_| self.bad(column, "a whole number"))
    }

    fn bad(&self, column: usize, what: &str) -> BadInput {
        let found = self.places.get(column).and_then(|at| self.fields.get(*at));
        let found = shown(found.map_or("", String::as_str));
        BadInput::new(self.names[column], format!("must be {what}, found {found}"))
    }
}

/// Fields of a line (RFC 4180, without line breaks in names).
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut in_quotes) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '"' if in_quotes && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => in_quotes = !in_quotes,
            ',' if !in_quotes => fields.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    fields.push(field);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_may_be_quoted() {
        assert_eq!(fields("1,\"a, \"\"b\"\"\",,x"), ["1", "a, \"b\"", "", "x"]);
    }
}
