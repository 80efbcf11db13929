//! Mappings as input: known, required and omitted keys.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};

use crate::error::{shown, wrong};

/// A mapping and its path in the call.
pub(crate) struct Fields<'py> {
    values: Bound<'py, PyDict>,
    path: String,
}

impl<'py> Fields<'py> {
    /// Reads a mapping whose keys are all known.
    pub(crate) fn read(value: &Bound<'py, PyAny>, path: impl Into<String>, known: &[&str]) -> PyResult<Self> {
        let fields = Self::of(value, path)?;
        fields.only(known)?;
        Ok(fields)
    }

    /// Reads a mapping of any keys.
    pub(crate) fn of(value: &Bound<'py, PyAny>, path: impl Into<String>) -> PyResult<Self> {
        let path = path.into();
        let values = if let Ok(dict) = value.cast::<PyDict>() {
            dict.clone()
        } else {
            let named = if path.is_empty() { "problem" } else { &path };
            let mapping = value
                .cast::<PyMapping>()
                .map_err(|_| wrong(named, "must be a mapping", shown(value)))?;
            let dict = PyDict::new(value.py());
            dict.update(mapping)?;
            dict
        };
        Ok(Self { values, path })
    }

    /// Refuses keys that are not known.
    pub(crate) fn only(&self, known: &[&str]) -> PyResult<()> {
        for key in self.values.keys() {
            let name = key.extract::<String>().unwrap_or_default();
            if !known.contains(&name.as_str()) {
                let requirement = format!("must be one of the keys {}", known.join(", "));
                let path = if self.path.is_empty() { "problem" } else { &self.path };
                return Err(wrong(path, requirement, shown(&key)));
            }
        }
        Ok(())
    }

    /// Path of one of its keys.
    pub(crate) fn at(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// A value, unless it is missing or `None`.
    pub(crate) fn get(&self, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.values.get_item(key)?.filter(|value| !value.is_none()))
    }

    /// A value that must be there.
    pub(crate) fn need(&self, key: &str) -> PyResult<Bound<'py, PyAny>> {
        self.get(key)?
            .ok_or_else(|| wrong(self.at(key), "must be given", "nothing"))
    }
}

/// The items of a sequence.
pub(crate) fn items<'py>(value: &Bound<'py, PyAny>, path: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let refuse = || wrong(path, "must be a sequence", shown(value));
    if value.is_instance_of::<PyDict>() || value.is_instance_of::<pyo3::types::PyString>() {
        return Err(refuse());
    }
    value.try_iter().map_err(|_| refuse())?.collect()
}
