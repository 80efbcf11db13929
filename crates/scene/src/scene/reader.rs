//! Values of a TOML document with their places; what does not fit is reported and reading goes on.

use std::ops::Range;

use stiction_contact::nearest::did_you_mean;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::Report;
use super::{LENGTH_RANGE, MAX_NUMBER, MIN_POSITIVE};
use crate::{Mat3, Quat, Vec3};

/// Directions and quaternions within this of unit length are made unit; others are refused.
const UNIT_LENGTH_TOL: f64 = 1e-6;
/// A quaternion whose first entry is as large as the first of these, or as the second beside a last of zero, looks like one with w first.
const W_FIRST: [f64; 2] = [0.9, 0.7];

/// A value, where it stands and what it is called.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    pub(super) path: String,
    pub(super) span: Range<usize>,
    planar: bool,
    value: &'a DeValue<'a>,
}

/// The keys of a table.
#[derive(Debug, Clone)]
pub(super) struct Fields<'a> {
    pub(super) path: String,
    /// Where the table begins.
    pub(super) at: usize,
    /// Whether vectors have two entries and turns one: those of a planar world.
    pub(super) planar: bool,
    table: &'a DeTable<'a>,
}

impl<'a> Fields<'a> {
    /// The whole document.
    pub(super) fn root(table: &'a DeTable<'a>) -> Self {
        Self {
            path: String::new(),
            at: 0,
            planar: false,
            table,
        }
    }

    /// The same keys, read as those of a planar world or not.
    pub(super) fn of_world(&self, planar: bool) -> Self {
        Self { planar, ..self.clone() }
    }

    /// Path of a key.
    pub(super) fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// Reports keys that are not known.
    pub(super) fn only(&self, known: &[&str], report: &mut Report<'_>) {
        for key in self.table.keys() {
            let name = key.get_ref().as_ref();
            if !known.contains(&name) {
                let meant = did_you_mean(name, known.iter().copied());
                let problem = format!("unknown key, expected one of {}{meant}", known.join(", "));
                report.add(key.span().start, &self.path_of(&super::error::shorten(name)), problem);
            }
        }
    }

    /// The value of a key, if it is there.
    pub(super) fn get(&self, key: &str) -> Option<Node<'a>> {
        let (key, value) = self.table.iter().find(|(k, _)| k.get_ref().as_ref() == key)?;
        Some(Node::of_key(self.path_of(key.get_ref()), key, value, self.planar))
    }

    /// The value of a key that must be there.
    pub(super) fn need(&self, key: &str, report: &mut Report<'_>) -> Option<Node<'a>> {
        let node = self.get(key);
        if node.is_none() {
            self.fail(key, "must be given, found nothing", report);
        }
        node
    }

    /// Reports a problem of a key that may not be there.
    pub(super) fn fail(&self, key: &str, problem: impl Into<String>, report: &mut Report<'_>) {
        let at = self.get(key).map_or(self.at, |node| node.span.start);
        report.add(at, &self.path_of(key), problem);
    }

    /// The tables of `[[key]]`.
    pub(super) fn tables(&self, key: &str, report: &mut Report<'_>) -> Vec<Fields<'a>> {
        let Some(node) = self.get(key) else { return Vec::new() };
        let list = node.list(report).unwrap_or_default();
        list.iter().filter_map(|item| item.fields(report)).collect()
    }

    /// A number that meets a requirement, or its default.
    pub(super) fn number_or(
        &self,
        key: &str,
        default: f64,
        requirement: &str,
        test: impl Fn(f64) -> bool,
        report: &mut Report<'_>,
    ) -> Option<f64> {
        match self.get(key) {
            Some(node) => node.number_where(requirement, test, report),
            None => Some(default),
        }
    }

    /// A length of a shape that must be there.
    pub(super) fn length(&self, key: &str, report: &mut Report<'_>) -> Option<f64> {
        self.need(key, report)?.length(report)
    }

    /// A positive number, or its default.
    pub(super) fn positive_or(&self, key: &str, default: f64, report: &mut Report<'_>) -> Option<f64> {
        match self.get(key) {
            Some(node) => node.positive(report),
            None => Some(default),
        }
    }

    /// A vector, or its default.
    pub(super) fn vector_or(&self, key: &str, default: Vec3, report: &mut Report<'_>) -> Option<Vec3> {
        match self.get(key) {
            Some(node) => node.vector(report),
            None => Some(default),
        }
    }

    /// A text as it is, or another where there is none; nothing is reported.
    pub(super) fn text_or(&self, key: &str, default: &str) -> String {
        match self.get(key).map(|node| node.value) {
            Some(DeValue::String(text)) => text.as_ref().to_owned(),
            _ => default.to_owned(),
        }
    }

    /// An angular velocity or torque: a number in the plane, a vector in space.
    pub(super) fn turning(&self, key: &str, report: &mut Report<'_>) -> Option<Vec3> {
        match self.get(key) {
            Some(node) if self.planar => node.number(report).map(|x| Vec3::new(0.0, 0.0, x)),
            Some(node) => node.vector(report),
            None => Some(Vec3::zeros()),
        }
    }

    /// The key of a rotation.
    pub(super) fn rotation_key(&self) -> &'static str {
        if self.planar { "angle" } else { "orientation" }
    }

    /// The rotation; none where its key is not there.
    pub(super) fn rotation(&self, report: &mut Report<'_>) -> Option<Quat> {
        match self.get(self.rotation_key()) {
            Some(node) if self.planar => node.angle(report),
            Some(node) => node.rotation(report),
            None => Some(Quat::identity()),
        }
    }
}

impl<'a> Node<'a> {
    fn new(path: String, value: &'a Spanned<DeValue<'a>>, planar: bool) -> Self {
        Self {
            path,
            planar,
            span: value.span(),
            value: value.get_ref(),
        }
    }

    /// The value of a key. A table that dotted keys imply has no place of its own: it begins with its key.
    fn of_key(
        path: String,
        key: &Spanned<std::borrow::Cow<'a, str>>,
        value: &'a Spanned<DeValue<'a>>,
        planar: bool,
    ) -> Self {
        let node = Self::new(path, value, planar);
        if node.span.is_empty() {
            return Self {
                span: key.span(),
                ..node
            };
        }
        node
    }

    /// Reports that the value is not what it must be.
    pub(super) fn wrong<T>(&self, requirement: &str, report: &mut Report<'_>) -> Option<T> {
        let found = report.shown(self.span.clone());
        self.fail(format!("{requirement}, found {found}"), report)
    }

    /// Reports a problem as it is worded.
    pub(super) fn fail<T>(&self, problem: impl Into<String>, report: &mut Report<'_>) -> Option<T> {
        report.add(self.span.start, &self.path, problem);
        None
    }

    /// Where the value stands in the text.
    pub(super) fn span(&self) -> std::ops::Range<usize> {
        self.span.clone()
    }

    pub(super) fn is_table(&self) -> bool {
        self.value.is_table()
    }

    /// Whether it is the number of a level of a planar world.
    pub(super) fn is_level(&self) -> bool {
        self.planar && !self.is_list()
    }

    pub(super) fn is_planar(&self) -> bool {
        self.planar
    }

    pub(super) fn is_list(&self) -> bool {
        self.value.is_array()
    }

    pub(super) fn fields(&self, report: &mut Report<'_>) -> Option<Fields<'a>> {
        match self.value {
            DeValue::Table(table) => Some(Fields {
                path: self.path.clone(),
                at: self.span.start,
                planar: self.planar,
                table,
            }),
            _ => self.wrong("must be a table", report),
        }
    }

    pub(super) fn list(&self, report: &mut Report<'_>) -> Option<Vec<Self>> {
        match self.value {
            DeValue::Array(list) => {
                let items = list.iter().enumerate();
                Some(
                    items
                        .map(|(i, v)| Self::new(format!("{}[{i}]", self.path), v, self.planar))
                        .collect(),
                )
            }
            _ => self.wrong("must be a list", report),
        }
    }

    /// The names and values of a table, in the order of the names.
    pub(super) fn entries(&self, report: &mut Report<'_>) -> Option<Vec<(String, Self)>> {
        let fields = self.fields(report)?;
        let entry = |(key, value): (&Spanned<std::borrow::Cow<'a, str>>, &'a Spanned<DeValue<'a>>)| {
            let name = key.get_ref().as_ref();
            let node = Self::of_key(fields.path_of(name), key, value, self.planar);
            (name.to_owned(), node)
        };
        Some(fields.table.iter().map(entry).collect())
    }

    pub(super) fn truth(&self, report: &mut Report<'_>) -> Option<bool> {
        match self.value {
            DeValue::Boolean(truth) => Some(*truth),
            _ => self.wrong("must be true or false", report),
        }
    }

    pub(super) fn string(&self, report: &mut Report<'_>) -> Option<&'a str> {
        match self.value {
            // Names are printed, and written to tables.
            DeValue::String(text) if text.contains(char::is_control) => {
                self.wrong("must be a text without control characters", report)
            }
            DeValue::String(text) => Some(text.as_ref()),
            _ => self.wrong("must be a text", report),
        }
    }

    /// One of several names.
    pub(super) fn choice<T: Copy>(&self, choices: &[(&str, T)], report: &mut Report<'_>) -> Option<T> {
        let text = self.string(report)?;
        let found = choices.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let meant = did_you_mean(text, names.iter().copied());
            let found = report.shown(self.span.clone());
            return self.fail(
                format!("must be one of {}, found {found}{meant}", names.join(", ")),
                report,
            );
        }
        found
    }

    /// The number as it is written; infinite only where the text says so.
    fn raw_number(&self, report: &mut Report<'_>) -> Option<f64> {
        let number = match self.value {
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
            DeValue::Integer(integer) => u64::from_str_radix(integer.as_str(), integer.radix())
                .ok()
                .map(|n| n as f64),
            DeValue::Float(float) => float
                .as_str()
                .parse()
                .ok()
                .filter(|x: &f64| !x.is_infinite() || float.as_str().contains("inf")),
            _ => return self.wrong("must be a number", report),
        };
        number.or_else(|| self.wrong("must be finite", report))
    }

    pub(super) fn number(&self, report: &mut Report<'_>) -> Option<f64> {
        self.number_where("must be finite", |_| true, report)
    }

    /// A finite number that meets a requirement.
    pub(super) fn number_where(
        &self,
        requirement: &str,
        test: impl Fn(f64) -> bool,
        report: &mut Report<'_>,
    ) -> Option<f64> {
        let x = self.raw_number(report)?;
        if !x.is_finite() {
            return self.wrong("must be finite", report);
        }
        if x.abs() > MAX_NUMBER {
            return self.wrong(&format!("must be at most {MAX_NUMBER:e} in size"), report);
        }
        if test(x) {
            return Some(x);
        }
        self.wrong(requirement, report)
    }

    /// A positive number, neither too large nor too small to be squared.
    pub(super) fn positive(&self, report: &mut Report<'_>) -> Option<f64> {
        let x = self.number_where("must be positive", |x| x > 0.0, report)?;
        if x < MIN_POSITIVE {
            return self.wrong(&format!("must be at least {MIN_POSITIVE:e}"), report);
        }
        Some(x)
    }

    /// A length of a shape.
    pub(super) fn length(&self, report: &mut Report<'_>) -> Option<f64> {
        let [least, largest] = LENGTH_RANGE;
        let x = self.number_where("must be positive", |x| x > 0.0, report)?;
        if (least..=largest).contains(&x) {
            return Some(x);
        }
        self.wrong(&format!("must lie between {least:e} and {largest:e} m"), report)
    }

    /// A friction coefficient: zero, positive or `inf`.
    pub(super) fn friction(&self, report: &mut Report<'_>) -> Option<f64> {
        let x = self.raw_number(report)?;
        if x.is_finite() && x > MAX_NUMBER {
            return self.wrong(&format!("must be at most {MAX_NUMBER:e}, or inf"), report);
        }
        if x >= 0.0 {
            return Some(x);
        }
        self.wrong("must not be negative or nan", report)
    }

    /// A whole number between 0 or 1 and a limit.
    pub(super) fn count(&self, least: usize, most: usize, report: &mut Report<'_>) -> Option<usize> {
        let requirement = format!("must be a whole number from {least} to {most}");
        let DeValue::Integer(integer) = self.value else {
            return self.wrong(&requirement, report);
        };
        match usize::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(n) if (least..=most).contains(&n) => Some(n),
            _ => self.wrong(&requirement, report),
        }
    }

    /// A list of so many finite numbers.
    pub(super) fn numbers<const N: usize>(&self, report: &mut Report<'_>) -> Option<[f64; N]> {
        let list = self.list(report)?;
        if list.len() != N {
            return self.fail(format!("must have {N} entries, found {}", list.len()), report);
        }
        let numbers: Vec<Option<f64>> = list.iter().map(|item| item.number(report)).collect();
        let mut out = [0.0; N];
        for (place, x) in out.iter_mut().zip(numbers) {
            *place = x?;
        }
        Some(out)
    }

    /// Two numbers in the plane, three in space.
    pub(super) fn vector(&self, report: &mut Report<'_>) -> Option<Vec3> {
        if !self.planar {
            return self.numbers::<3>(report).map(Vec3::from);
        }
        let count = self.list(report)?.len();
        if count != 2 {
            return self.fail(format!("must have 2 entries in a planar world, found {count}"), report);
        }
        self.numbers::<2>(report).map(|[x, y]| Vec3::new(x, y, 0.0))
    }

    pub(super) fn boolean(&self, report: &mut Report<'_>) -> Option<bool> {
        match self.value {
            DeValue::Boolean(value) => Some(*value),
            _ => self.wrong("must be true or false", report),
        }
    }

    /// A turn about z: radians, or `{ degrees = ... }`.
    fn angle(&self, report: &mut Report<'_>) -> Option<Quat> {
        let radians = if self.is_table() {
            let fields = self.fields(report)?;
            fields.only(&["degrees"], report);
            fields.need("degrees", report)?.number(report)?.to_radians()
        } else {
            self.number(report)?
        };
        let (sin, cos) = libm::sincos(0.5 * radians);
        Some(Quat::new_normalize(nalgebra::Quaternion::new(cos, 0.0, 0.0, sin)))
    }

    /// A vector of lengths.
    pub(super) fn sides(&self, report: &mut Report<'_>) -> Option<Vec3> {
        let v = self.vector(report)?;
        let lengths: Vec<Option<f64>> = self.list(report)?.iter().map(|item| item.length(report)).collect();
        lengths.iter().all(Option::is_some).then_some(v)
    }

    /// A direction of unit length to 1e-6, made unit.
    pub(super) fn direction(&self, report: &mut Report<'_>) -> Option<Vec3> {
        let v = self.vector(report)?;
        let length = v.norm();
        if (length - 1.0).abs() > UNIT_LENGTH_TOL {
            return self.fail(
                format!(
                    "must have length 1 to {UNIT_LENGTH_TOL:e}, found {} of length {length}",
                    report.shown(self.span.clone())
                ),
                report,
            );
        }
        Some(v / length)
    }

    /// `[x, y, z, w]` of unit length to 1e-6, or `{ axis = [...], degrees = ... }`.
    pub(super) fn rotation(&self, report: &mut Report<'_>) -> Option<Quat> {
        if self.is_table() {
            let fields = self.fields(report)?;
            fields.only(&["axis", "degrees"], report);
            let axis = fields.need("axis", report).and_then(|node| node.axis(report));
            let degrees = fields.need("degrees", report).and_then(|node| node.number(report));
            let (axis, half) = (axis?, 0.5 * degrees?.to_radians());
            let (s, c) = (libm::sin(half), libm::cos(half));
            let v = axis * s;
            return Some(Quat::new_normalize(nalgebra::Quaternion::new(c, v.x, v.y, v.z)));
        }
        let [x, y, z, w] = self.numbers::<4>(report)?;
        let q = nalgebra::Quaternion::new(w, x, y, z);
        let length = q.norm();
        if (length - 1.0).abs() > UNIT_LENGTH_TOL {
            return self.fail(
                format!("must have length 1 to {UNIT_LENGTH_TOL:e}, found length {length}"),
                report,
            );
        }
        // As w, x, y, z a turn of less than 52°, or a quarter turn about an axis; as x, y, z, w neither.
        if x >= W_FIRST[0] || (x >= W_FIRST[1] && w.abs() < UNIT_LENGTH_TOL) {
            let found = report.shown(self.span.clone());
            let turn = 2.0 * libm::acos(w.abs().min(1.0)).to_degrees();
            let doubt =
                format!("looks like w, x, y, z; x, y, z, w is taken, a turn of {turn:.0} degrees, found {found}");
            report.doubt(Some(self.span.start), &self.path, doubt);
        }
        Some(Quat::new_normalize(q))
    }

    /// An axis of any length but zero, made unit.
    pub(super) fn axis(&self, report: &mut Report<'_>) -> Option<Vec3> {
        let v = self.vector(report)?;
        let scale = v.amax();
        if scale == 0.0 {
            return self.wrong("must not be zero", report);
        }
        Some((v / scale).normalize())
    }

    /// `[Ixx, Iyy, Izz]` or three rows; in the plane the moment about z.
    pub(super) fn inertia(&self, report: &mut Report<'_>) -> Option<Mat3> {
        if self.planar {
            return self.positive(report).map(Mat3::from_diagonal_element);
        }
        let rows = self.list(report)?;
        if !rows.iter().any(Self::is_list) {
            return self.vector(report).map(|d| Mat3::from_diagonal(&d));
        }
        if rows.len() != 3 {
            return self.fail(format!("must have 3 rows, found {}", rows.len()), report);
        }
        let rows: Vec<Option<Vec3>> = rows.iter().map(|row| row.vector(report)).collect();
        let m = Mat3::from_rows(&[rows[0]?.transpose(), rows[1]?.transpose(), rows[2]?.transpose()]);
        if (m - m.transpose()).amax() > 1e-12 * m.amax() {
            return self.wrong("must be symmetric", report);
        }
        Some(0.5 * (m + m.transpose()))
    }
}
