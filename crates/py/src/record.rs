//! Results out: frozen objects whose fields become Python values when they are first read.

use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::array::tuple;

/// What a record is made from.
pub(crate) trait Source {
    /// Makes a field.
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>>;
}

/// The fields of a frozen object: made when first read, or given (a pickle that is read).
pub(crate) struct Record<S> {
    names: &'static [&'static str],
    source: Option<S>,
    cells: Box<[PyOnceLock<Py<PyAny>>]>,
}

impl<S: Source> Record<S> {
    pub(crate) fn of(names: &'static [&'static str], source: S) -> Self {
        let cells = names.iter().map(|_| PyOnceLock::new()).collect();
        Self {
            names,
            source: Some(source),
            cells,
        }
    }

    pub(crate) fn given(names: &'static [&'static str], values: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let (expected, found) = (names.len(), values.len());
        if expected != found {
            let text = format!("must have {expected} fields ({}), found {found}", names.join(", "));
            return Err(PyTypeError::new_err(text));
        }
        let cells = values.iter().map(|value| {
            let value = if value.cast::<PyUntypedArray>().is_ok() {
                frozen(&value)?
            } else {
                value
            };
            let cell = PyOnceLock::new();
            // A new cell is empty: setting it cannot fail.
            let _ = cell.set(values.py(), value.unbind());
            Ok(cell)
        });
        let cells = cells.collect::<PyResult<_>>()?;
        Ok(Self {
            names,
            source: None,
            cells,
        })
    }

    pub(crate) fn get<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let place = self.names.iter().zip(&self.cells).find(|(name, _)| **name == field);
        let (Some((_, cell)), source) = (place, &self.source) else {
            return Err(PyTypeError::new_err(format!("internal: no field {field}")));
        };
        let value = cell.get_or_try_init(py, || match source {
            Some(source) => source.make(py, field).map(Bound::unbind),
            None => Err(PyTypeError::new_err(format!("internal: field {field} is empty"))),
        })?;
        Ok(value.bind(py).clone())
    }

    pub(crate) fn source(&self) -> Option<&S> {
        self.source.as_ref()
    }

    pub(crate) fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let values: PyResult<Vec<_>> = self.names.iter().map(|name| self.get(py, name)).collect();
        PyTuple::new(py, values?)
    }

    pub(crate) fn repr(&self, py: Python<'_>, class: &str) -> PyResult<String> {
        let mut parts = Vec::new();
        for name in self.names {
            parts.push(format!("{name}={}", brief(&self.get(py, name)?)?));
        }
        Ok(format!("{class}({})", parts.join(", ")))
    }

    /// As a table for notebooks, or as text.
    pub(crate) fn shown(&self, py: Python<'_>, class: &str, how: &str) -> PyResult<String> {
        let show = py.import(intern!(py, "stiction._show"))?;
        show.call_method1(how, (class, self.names.to_vec(), self.values(py)?))?
            .extract()
    }

    pub(crate) fn equals(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        for name in self.names {
            if !same(&self.get(py, name)?, &other.get(py, name)?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A value on one line: arrays by their shape.
fn brief(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyUntypedArray>() {
        Ok(array) => Ok(format!(
            "<array {}>",
            tuple(array.shape().iter().map(ToString::to_string))
        )),
        Err(_) => Ok(value.repr()?.to_string()),
    }
}

/// Arrays are the same where all their bits are.
fn same(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<bool> {
    let (Ok(x), Ok(y)) = (a.cast::<PyUntypedArray>(), b.cast::<PyUntypedArray>()) else {
        return a.eq(b);
    };
    let (x_bytes, y_bytes) = (a.call_method0("tobytes")?, b.call_method0("tobytes")?);
    Ok(x.shape() == y.shape() && x_bytes.eq(y_bytes)?)
}

/// A frozen class: its fields, and what every record can do. `methods` may add to it.
macro_rules! record {
    ($(#[$about:meta])* $name:ident of $source:ty { $($(#[$says:meta])* $field:ident),* $(,)? } $({ $($methods:tt)* })?) => {
        $(#[$about])*
        #[pyo3::pyclass(frozen, module = "stiction")]
        pub(crate) struct $name(pub(crate) $crate::record::Record<$source>);

        impl $name {
            const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];

            #[allow(dead_code)] // Some are always made from their fields.
            pub(crate) fn of(source: $source) -> Self {
                Self($crate::record::Record::of(Self::FIELDS, source))
            }
        }

        #[pyo3::pymethods]
        impl $name {
            #[new]
            #[pyo3(signature = (*fields))]
            fn new(fields: &pyo3::Bound<'_, pyo3::types::PyTuple>) -> pyo3::PyResult<Self> {
                $crate::record::Record::given(Self::FIELDS, fields).map(Self)
            }

            $(
                $(#[$says])*
                #[getter]
                fn $field<'py>(&self, py: pyo3::Python<'py>) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                    self.0.get(py, stringify!($field))
                }
            )*

            fn __reduce__<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> pyo3::PyResult<(pyo3::Bound<'py, pyo3::types::PyType>, pyo3::Bound<'py, pyo3::types::PyTuple>)> {
                Ok((py.get_type::<Self>(), self.0.values(py)?))
            }

            fn __repr__(&self, py: pyo3::Python<'_>) -> pyo3::PyResult<String> {
                self.0.repr(py, stringify!($name))
            }

            fn _repr_html_(&self, py: pyo3::Python<'_>) -> pyo3::PyResult<String> {
                self.0.shown(py, stringify!($name), "html")
            }

            fn __str__(&self, py: pyo3::Python<'_>) -> pyo3::PyResult<String> {
                self.0.shown(py, stringify!($name), "text")
            }

            fn __eq__(&self, py: pyo3::Python<'_>, other: &pyo3::Bound<'_, pyo3::PyAny>) -> pyo3::PyResult<bool> {
                match other.cast::<Self>() {
                    Ok(other) => self.0.equals(py, &other.get().0),
                    Err(_) => Ok(false),
                }
            }

            $($($methods)*)?
        }
    };
}
pub(crate) use record;

/// An array of rows of K numbers that cannot be written to.
pub(crate) fn rows<'py, const K: usize>(py: Python<'py>, rows: &[[f64; K]]) -> PyResult<Bound<'py, PyAny>> {
    use numpy::PyArrayMethods;
    let flat = numpy::PyArray1::from_slice(py, rows.as_flattened());
    frozen(flat.reshape([rows.len(), K])?.as_any())
}

/// An array that cannot be written to.
pub(crate) fn list<'py, T: numpy::Element + Copy>(py: Python<'py>, values: &[T]) -> PyResult<Bound<'py, PyAny>> {
    frozen(numpy::PyArray1::from_slice(py, values).as_any())
}

/// An array of a given shape that cannot be written to.
pub(crate) fn table<'py>(py: Python<'py>, values: &[f64], shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    use numpy::PyArrayMethods;
    frozen(
        numpy::PyArray1::from_slice(py, values)
            .reshape(shape.to_vec())?
            .as_any(),
    )
}

/// The same array over bytes, which nothing can write to: an array that owns its numbers can be made writable again by `setflags`.
fn frozen<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let bytes = array.call_method0(intern!(py, "tobytes"))?;
    let (shape, kind) = (
        array.getattr(intern!(py, "shape"))?,
        array.getattr(intern!(py, "dtype"))?,
    );
    let class = py.import(intern!(py, "numpy"))?.getattr(intern!(py, "ndarray"))?;
    class.call1((shape, kind, bytes))
}

/// Any value that Python has a type for.
pub(crate) fn value<'py, T: pyo3::IntoPyObjectExt<'py>>(py: Python<'py>, value: T) -> PyResult<Bound<'py, PyAny>> {
    value.into_bound_py_any(py)
}
