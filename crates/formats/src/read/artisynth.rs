//! ArtiSynth's `MLCPtest.txt`: blocks at rest, sticking or sliding, with box friction and expected velocities.
//!
//! A case is `[ key=value ... ]`; keys persist from case to case and `null` unsets one. With
//! 𝓜v = bf + NT·the + DT·phi, NTᵀv ≥ 0 and |phi| ≤ flim, the problem is an MLCP over z = (v free, the ≥ 0, phi boxed).

use stiction_lcp::{Matrix, Mlcp};

use super::{Expected, Known, Named, Problem};
use crate::bad_input::{BadInput, shown};

/// Deepest nesting of lists that is read; the format needs three.
const MAX_LIST_DEPTH: usize = 8;

/// Largest problem of this format.
const MAX_PROBLEM_ORDER: usize = 4096;

const KEYS: [&str; 9] = ["name", "M", "NT", "DT", "flim", "bf", "vel", "the", "phi"];

/// Whether the text holds the keys of the format.
pub(super) fn recognises(text: &str) -> bool {
    let starts = |key: &str| text.lines().any(|line| line.trim_start().starts_with(key));
    starts("bf") && starts("NT")
}

/// Reads every case.
pub(super) fn read(text: &str) -> Result<Vec<Named>, BadInput> {
    let mut words = Words::new(text);
    let mut values: Vec<(&str, Value)> = Vec::new();
    let mut named = Vec::new();
    while let Some(word) = words.next() {
        words.expect(word, "[")?;
        let mut name = format!("case {}", named.len() + 1);
        loop {
            let key = words.need("a key or ]")?;
            if key == "]" {
                break;
            }
            let Some(key) = KEYS.into_iter().find(|known| *known == key) else {
                let problem = format!("must be one of {}, found {}", KEYS.join(", "), shown(key));
                return Err(words.bad(problem));
            };
            let sign = words.need("=")?;
            words.expect(sign, "=")?;
            values.retain(|(known, _)| *known != key);
            match words.value(0)? {
                Value::Word(word) if key == "name" => word.trim_matches('"').clone_into(&mut name),
                Value::Word(word) if word == "null" => {}
                value @ Value::List(_) if key != "name" => values.push((key, value)),
                _ => return Err(words.bad(format!("value of {key} must be a list or null"))),
            }
        }
        let case = Case { values: &values };
        let read = case.named(&name);
        named.push(read.map_err(|bad| bad.below(&format!("{}: ", shown(&name))))?);
    }
    Ok(named)
}

/// A word, or a list of values.
#[derive(Debug)]
enum Value {
    Word(String),
    List(Vec<Value>),
}

/// The values that hold for one case.
struct Case<'v> {
    values: &'v [(&'v str, Value)],
}

impl Case<'_> {
    fn get(&self, key: &str) -> Option<&[Value]> {
        self.values.iter().find_map(|(known, value)| match value {
            Value::List(list) if *known == key => Some(list.as_slice()),
            _ => None,
        })
    }

    fn vector(&self, key: &str) -> Result<Vec<f64>, BadInput> {
        self.get(key).map_or(Ok(Vec::new()), |list| numbers(list, key))
    }

    /// A block matrix, or one without columns.
    fn matrix(&self, key: &str, rows: usize) -> Result<Dense, BadInput> {
        let Some(list) = self.get(key) else {
            return Ok(Dense::zero(rows, 0));
        };
        let matrix = Dense::read(list, key)?;
        if matrix.rows == rows {
            return Ok(matrix);
        }
        Err(BadInput::new(
            key,
            format!("must have {rows} rows, found {}", matrix.rows),
        ))
    }

    fn named(&self, name: &str) -> Result<Named, BadInput> {
        let bf = self.vector("bf")?;
        let bodies = bf.len();
        let mass = self.matrix("M", bodies)?;
        let (normal, friction) = (self.matrix("NT", bodies)?, self.matrix("DT", bodies)?);
        let limits = if friction.columns == 0 {
            Vec::new()
        } else {
            self.vector("flim")?
        };
        let vel = self.vector("vel")?;
        for (key, expected, found) in [
            ("M", bodies, mass.columns),
            ("flim", friction.columns, limits.len()),
            ("vel", bodies, vel.len()),
        ] {
            if expected != found {
                return Err(BadInput::new(
                    key,
                    format!("must have {expected} entries, found {found}"),
                ));
            }
        }
        let problem = assemble(&mass, &normal, &friction, &limits, &bf)?;
        let expected = Expected {
            known: Some(Known::Solvable),
            leading: vel,
            ..Expected::default()
        };
        Ok(Named {
            expected,
            ..Named::new(name, problem)
        })
    }
}

/// w_v = 𝓜v − NT·the − DT·phi − bf = 0, w_the = NTᵀv ≥ 0, w_phi = DTᵀv against the box of phi.
fn assemble(mass: &Dense, normal: &Dense, friction: &Dense, limits: &[f64], bf: &[f64]) -> Result<Problem, BadInput> {
    let v = bf.len();
    let (the, phi) = (normal.columns, friction.columns);
    let n = v + the + phi;
    let mut columns = vec![0.0; n * n];
    let mut set = |i: usize, j: usize, value: f64| columns[j * n + i] = value;
    for i in 0..v {
        for j in 0..v {
            set(i, j, mass.at(i, j));
        }
        for (matrix, start) in [(normal, v), (friction, v + the)] {
            for k in 0..matrix.columns {
                set(i, start + k, -matrix.at(i, k));
                set(start + k, i, matrix.at(i, k));
            }
        }
    }
    let q = bf
        .iter()
        .map(|b| -b)
        .chain(std::iter::repeat_n(0.0, the + phi))
        .collect();
    let infinity = f64::INFINITY;
    let lower = [vec![-infinity; v], vec![0.0; the], limits.iter().map(|l| -l).collect()].concat();
    let upper = [vec![infinity; v + the], limits.to_vec()].concat();
    Ok(Problem::Mlcp(Mlcp::new(
        Matrix::from_columns(n, columns)?,
        q,
        lower,
        upper,
    )?))
}

/// A dense matrix by rows.
struct Dense {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Dense {
    fn zero(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            columns,
            values: vec![0.0; rows * columns],
        }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.columns + j]
    }

    /// `[row sizes] [column sizes] [block row, block column, values by rows] ...`
    fn read(list: &[Value], key: &str) -> Result<Self, BadInput> {
        let [rows, columns, blocks @ ..] = list else {
            return Err(BadInput::new(
                key,
                format!("must have row and column sizes, found {} lists", list.len()),
            ));
        };
        let (row_ends, column_ends) = (ends(rows, key)?, ends(columns, key)?);
        let mut matrix = Self::zero(
            row_ends.last().copied().unwrap_or(0),
            column_ends.last().copied().unwrap_or(0),
        );
        for (k, block) in blocks.iter().enumerate() {
            matrix.set_block(block, &row_ends, &column_ends, &format!("{key} block {k}"))?;
        }
        Ok(matrix)
    }

    fn set_block(&mut self, block: &Value, rows: &[usize], columns: &[usize], place: &str) -> Result<(), BadInput> {
        let Value::List(list) = block else {
            return Err(BadInput::new(place, "must be a list"));
        };
        let values = numbers(list, place)?;
        let [bi, bj, entries @ ..] = &values[..] else {
            return Err(BadInput::new(
                place,
                format!("must start with its place, found {} numbers", values.len()),
            ));
        };
        let range = |ends: &[usize], index: f64| {
            let k = (0..ends.len()).find(|&k| (k as f64).total_cmp(&index).is_eq())?;
            Some(if k == 0 { 0 } else { ends[k - 1] }..ends[k])
        };
        let (Some(rows), Some(columns)) = (range(rows, *bi), range(columns, *bj)) else {
            return Err(BadInput::new(
                place,
                format!("must lie inside the matrix, found ({bi}, {bj})"),
            ));
        };
        let size = rows.len() * columns.len();
        if entries.len() != size {
            return Err(BadInput::new(
                place,
                format!("must have {size} entries, found {}", entries.len()),
            ));
        }
        let places = rows.flat_map(|i| columns.clone().map(move |j| (i, j)));
        for ((i, j), value) in places.zip(entries) {
            self.values[i * self.columns + j] = *value;
        }
        Ok(())
    }
}

/// Running sums of a list of block sizes.
fn ends(sizes: &Value, key: &str) -> Result<Vec<usize>, BadInput> {
    let Value::List(list) = sizes else {
        return Err(BadInput::new(key, "sizes must be a list"));
    };
    let mut end = 0usize;
    let add = |value: &Value| {
        let Value::Word(word) = value else {
            return Err(BadInput::new(key, "size must be a number, found a list"));
        };
        let size = word
            .parse::<usize>()
            .ok()
            .filter(|size| *size <= MAX_PROBLEM_ORDER - end.min(MAX_PROBLEM_ORDER));
        let size = size.ok_or_else(|| {
            BadInput::new(
                key,
                format!(
                    "sizes must be whole numbers of sum at most {MAX_PROBLEM_ORDER}, found {}",
                    shown(word)
                ),
            )
        })?;
        end += size;
        Ok(end)
    };
    list.iter().map(add).collect()
}

fn numbers(list: &[Value], place: &str) -> Result<Vec<f64>, BadInput> {
    let number = |(k, value): (usize, &Value)| match value {
        Value::Word(word) => finite(word, &format!("{place}[{k}]")),
        Value::List(_) => Err(BadInput::new(format!("{place}[{k}]"), "must be a number, found a list")),
    };
    list.iter().enumerate().map(number).collect()
}

/// A finite number.
pub(super) fn finite(word: &str, place: &str) -> Result<f64, BadInput> {
    let value = word.parse::<f64>().ok().filter(|value| value.is_finite());
    value.ok_or_else(|| BadInput::new(place, format!("must be a finite number, found {}", shown(word))))
}

/// Words, quoted strings and the marks `[`, `]` and `=` of a file; `#` starts a comment.
pub(super) struct Words<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    rest: &'a str,
    line: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            lines: text.lines().enumerate(),
            rest: "",
            line: 0,
        }
    }

    pub(super) fn next(&mut self) -> Option<&'a str> {
        while self.rest.is_empty() {
            let (at, line) = self.lines.next()?;
            self.line = at + 1;
            self.rest = line.split('#').next().unwrap_or_default().trim();
        }
        let length = match self.rest.as_bytes()[0] {
            b'[' | b']' | b'=' => 1,
            // A string that is not closed ends with its line: one name in the published file is like that.
            b'"' => self.rest[1..].find('"').map_or(self.rest.len(), |end| end + 2),
            _ => self
                .rest
                .find(|c: char| c.is_whitespace() || "[]=".contains(c))
                .unwrap_or(self.rest.len()),
        };
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest.trim_start();
        Some(word)
    }

    pub(super) fn bad(&self, problem: impl std::fmt::Display) -> BadInput {
        BadInput::new(format!("line {}", self.line), problem)
    }

    pub(super) fn need(&mut self, what: &str) -> Result<&'a str, BadInput> {
        self.next()
            .ok_or_else(|| BadInput::new("end of file", format!("must hold {what}, found nothing")))
    }

    pub(super) fn expect(&self, word: &str, mark: &str) -> Result<(), BadInput> {
        if word == mark {
            return Ok(());
        }
        Err(self.bad(format!("must be {mark}, found {}", shown(word))))
    }

    fn value(&mut self, depth: usize) -> Result<Value, BadInput> {
        let word = self.need("a value")?;
        if word != "[" {
            return Ok(Value::Word(word.to_owned()));
        }
        if depth == MAX_LIST_DEPTH {
            return Err(self.bad(format!("must not be nested deeper than {MAX_LIST_DEPTH} levels")));
        }
        let mut list = Vec::new();
        loop {
            match self.value(depth + 1)? {
                Value::Word(word) if word == "]" => return Ok(Value::List(list)),
                value => list.push(value),
            }
        }
    }
}
