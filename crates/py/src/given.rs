//! Arguments in: whatever is given is taken, and what cannot be used is an `InputError` that names the argument and the value found.

use std::convert::Infallible;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyString};

use crate::array::number;
use crate::error::{shown, wrong};

/// An argument that may be omitted; `None` is a value like any other.
pub(crate) enum Given<'py> {
    LeftOut,
    Is(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = Infallible;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> Result<Self, Infallible> {
        Ok(Self::Is(value.to_owned()))
    }
}

impl<'py> Given<'py> {
    /// The value, unless it was omitted or is `None`: for arguments where `None` means the same.
    pub(crate) fn some(self) -> Option<Bound<'py, PyAny>> {
        match self {
            Self::Is(value) if !value.is_none() => Some(value),
            _ => None,
        }
    }

    /// Reads the value; the default if it was omitted.
    pub(crate) fn read<T>(self, default: T, read: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>) -> PyResult<T> {
        match self {
            Self::LeftOut => Ok(default),
            Self::Is(value) => read(&value),
        }
    }

    pub(crate) fn number(self, path: &str, default: f64) -> PyResult<f64> {
        self.read(default, |value| number(value, path))
    }

    pub(crate) fn flag(self, path: &str, default: bool) -> PyResult<bool> {
        self.read(default, |value| {
            value
                .extract()
                .map_err(|_| wrong(path, "must be True or False", shown(value)))
        })
    }

    pub(crate) fn folder(self) -> PyResult<PathBuf> {
        self.read(PathBuf::from("."), |value| path_of(value, "folder"))
    }

    /// The item of a list that has this name.
    pub(crate) fn named<T: Copy, const N: usize>(
        self,
        path: &str,
        default: T,
        all: [T; N],
        name_of: fn(T) -> &'static str,
    ) -> PyResult<T> {
        self.read(default, |value| named(value, path, all, name_of))
    }

    /// The same where `None` leaves the choice to the library.
    pub(crate) fn maybe_named<T: Copy, const N: usize>(
        self,
        path: &str,
        all: [T; N],
        name_of: fn(T) -> &'static str,
    ) -> PyResult<Option<T>> {
        self.some().map(|value| named(&value, path, all, name_of)).transpose()
    }
}

/// The item of a list that has a name.
fn named<T: Copy, const N: usize>(
    value: &Bound<'_, PyAny>,
    path: &str,
    all: [T; N],
    name_of: fn(T) -> &'static str,
) -> PyResult<T> {
    let name = value.cast::<PyString>().ok().and_then(|name| name.to_str().ok());
    let found = name.and_then(|name| all.into_iter().find(|item| name_of(*item) == name));
    found.ok_or_else(|| {
        let names = all.map(name_of).join(", ");
        wrong(path, format!("must be one of {names}"), shown(value))
    })
}

/// A whole number; a float is none, whatever its value.
pub(crate) fn count(value: &Bound<'_, PyAny>, path: &str, least: u64, most: u64) -> PyResult<u64> {
    let found = if value.is_instance_of::<PyBool>() {
        None
    } else {
        value.extract().ok()
    };
    found.filter(|n| (least..=most).contains(n)).ok_or_else(|| {
        let requirement = match most {
            u64::MAX => format!("must be a whole number from {least}, below 2**64"),
            _ => format!("must be a whole number from {least} to {most}"),
        };
        wrong(path, requirement, shown(value))
    })
}

/// A text.
pub(crate) fn text<'a>(value: &'a Bound<'_, PyAny>, path: &str) -> PyResult<&'a str> {
    let text = value.cast::<PyString>().ok().and_then(|text| text.to_str().ok());
    text.ok_or_else(|| wrong(path, "must be a text", shown(value)))
}

/// The path of a file or folder.
pub(crate) fn path_of(value: &Bound<'_, PyAny>, path: &str) -> PyResult<PathBuf> {
    value.extract().map_err(|_| wrong(path, "must be a path", shown(value)))
}

/// Bytes.
pub(crate) fn bytes<'a>(value: &'a Bound<'_, PyAny>, path: &str) -> PyResult<&'a [u8]> {
    match value.cast::<PyBytes>() {
        Ok(bytes) => Ok(bytes.as_bytes()),
        Err(_) => Err(wrong(path, "must be bytes", shown(value))),
    }
}
