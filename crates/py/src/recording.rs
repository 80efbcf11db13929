//! Recordings: what a world did, to be shown.

use std::fmt::Write as _;

use pyo3::prelude::*;
use pyo3::types::PyType;
use stiction_record::page::{self, PageMissing};
use stiction_record::replay::Replay;

use crate::error::{of_record, warn, wrong};
use crate::given::path_of;
use crate::steps::StepReport;

/// Height of a replay in a notebook \[pixels\].
const HEIGHT: u32 = 480;

/// A replay of a world's steps, as `World.record` makes it and `Recording.read` reads it from an MCAP file. In a notebook it plays inline.
#[pyclass(frozen, module = "stiction")]
pub(crate) struct Recording {
    name: String,
    frame_count: usize,
    report: Option<Py<StepReport>>,
    /// As the page reads it.
    replay: String,
    /// Where the file ends, if it has no end mark.
    unfinished: Option<String>,
}

impl Recording {
    pub(crate) fn of(name: &str, replay: &Replay, report: Option<Py<StepReport>>) -> Self {
        Self {
            name: name.to_owned(),
            frame_count: replay.frame_count(),
            report,
            replay: replay.json(),
            unfinished: replay.unfinished().map(ToString::to_string),
        }
    }
}

#[pymethods]
impl Recording {
    #[new]
    #[pyo3(signature = (name, frame_count, report, replay, unfinished=None))]
    fn new(
        name: String,
        frame_count: usize,
        report: Option<Py<StepReport>>,
        replay: String,
        unfinished: Option<String>,
    ) -> Self {
        Self {
            name,
            frame_count,
            report,
            replay,
            unfinished,
        }
    }

    /// A recording that `stiction run -o NAME.mcap` has written. One that was cut short is read as far as it is whole, with a warning.
    #[staticmethod]
    #[pyo3(signature = (path))]
    fn read(py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<Self> {
        let path = path_of(path, "path")?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let read = py.detach(|| Replay::read(&path).map(|replay| Self::of(&name, &replay, None)));
        let read = read.map_err(of_record)?;
        read.unfinished.as_ref().map_or(Ok(()), |text| warn(py, text))?;
        Ok(read)
    }

    /// Where the file ends, if it has no end mark because its run was stopped; None of a complete one.
    #[getter]
    fn unfinished(&self) -> Option<&str> {
        self.unfinished.as_deref()
    }

    /// Name of the scene.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Frames that are kept; of long recordings every second goes, as often as it takes.
    #[getter]
    fn frame_count(&self) -> usize {
        self.frame_count
    }

    /// What the steps did; None of a recording that was read from a file.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> Option<Bound<'py, StepReport>> {
        self.report.as_ref().map(|report| report.bind(py).clone())
    }

    /// The replay as one page that needs nothing else, the same that `stiction export` writes.
    fn html(&self) -> PyResult<String> {
        page::html_with_json(&self.replay).map_err(|missing| wrong("page", missing, "none"))
    }

    /// Writes the page to a file.
    #[pyo3(signature = (path))]
    fn write_html(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let (path, page) = (path_of(path, "path")?, self.html()?);
        py.detach(|| std::fs::write(path, page))?;
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("Recording(name={:?}, frame_count={})", self.name, self.frame_count)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, Parts<'py>) {
        let parts = (
            self.name.clone(),
            self.frame_count,
            self.report(py),
            self.replay.clone(),
            self.unfinished.clone(),
        );
        (py.get_type::<Self>(), parts)
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else {
            return Ok(false);
        };
        let other = other.get();
        let same = (&self.name, self.frame_count, &self.replay) == (&other.name, other.frame_count, &other.replay);
        Ok(same
            && match (self.report(py), other.report(py)) {
                (Some(a), Some(b)) => a.eq(b)?,
                (a, b) => a.is_none() && b.is_none(),
            })
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let rows = [("name", self.name.clone()), ("frames", self.frame_count.to_string())];
        shown(py, page::html_with_json(&self.replay), "Recording", &rows)
    }
}

type Parts<'py> = (String, usize, Option<Bound<'py, StepReport>>, String, Option<String>);

/// A page as an element of a notebook; where there is none, a short table that says so.
pub(crate) fn shown(
    py: Python<'_>,
    page: Result<String, PageMissing>,
    class: &str,
    rows: &[(&str, String)],
) -> PyResult<String> {
    let missing = match page {
        Ok(page) => return Ok(page::frame(&page, HEIGHT)),
        Err(missing) => missing.to_string(),
    };
    let escape = py.import("html")?.getattr("escape")?;
    let mut text = format!("<table><caption>{class}</caption>");
    for (name, value) in rows.iter().chain(&[("replay", missing)]) {
        let value: String = escape.call1((value,))?.extract()?;
        // Writing to a String cannot fail.
        let _ = write!(text, "<tr><th>{name}</th><td><pre>{value}</pre></td></tr>");
    }
    Ok(text + "</table>")
}
