//! Numbers in: numpy arrays of any layout, or nested sequences; `float32` and integers are widened to `float64`, which is exact.

use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyTuple};

use crate::error::{shown, wrong};

/// An array of `float64` whose entries lie one after the other, rows first.
pub(crate) struct Numbers<'py>(PyReadonlyArrayDyn<'py, f64>);

impl Numbers<'_> {
    pub(crate) fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// The entries; `Numbers` only holds arrays that have them in one piece.
    pub(crate) fn values(&self) -> &[f64] {
        self.0.as_slice().unwrap_or(&[])
    }
}

/// Reads an array without a copy where it is `float64` and contiguous.
pub(crate) fn numbers<'py>(value: &Bound<'py, PyAny>, path: &str) -> PyResult<Numbers<'py>> {
    if let Some(array) = in_one_piece(value) {
        return Ok(array);
    }
    let py = value.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let refuse = |found: String| wrong(path, "must be an array of real numbers", found);
    let any = numpy
        .call_method1(intern!(py, "asarray"), (value,))
        .map_err(|_| refuse(shown(value)))?;
    let dtype = any.getattr(intern!(py, "dtype"))?;
    let kind: String = dtype.getattr(intern!(py, "kind"))?.extract()?;
    let size: usize = dtype.getattr(intern!(py, "itemsize"))?.extract()?;
    let exact = match kind.as_str() {
        "f" => size <= 8,
        "i" | "u" => true,
        _ => false,
    };
    if !exact {
        // What is no array has a type that numpy has made up.
        let is_array = value.cast::<PyUntypedArray>().is_ok();
        return Err(refuse(if is_array {
            format!("dtype {}", dtype.str()?)
        } else {
            shown(value)
        }));
    }
    let options = PyDict::new(py);
    options.set_item("dtype", "float64")?;
    options.set_item("order", "C")?;
    let copy = numpy.call_method(intern!(py, "array"), (any,), Some(&options))?;
    in_one_piece(&copy).ok_or_else(|| refuse(shown(value)))
}

fn in_one_piece<'py>(value: &Bound<'py, PyAny>) -> Option<Numbers<'py>> {
    let array = value.cast::<PyArrayDyn<f64>>().ok()?.try_readonly().ok()?;
    (array.is_c_contiguous() && array.as_slice().is_ok()).then_some(Numbers(array))
}

/// Reads an array of a given shape; `None` is a side of any length.
pub(crate) fn shaped<'py>(value: &Bound<'py, PyAny>, path: &str, shape: &[Option<usize>]) -> PyResult<Numbers<'py>> {
    let array = numbers(value, path)?;
    let fits = |(want, found): (&Option<usize>, &usize)| want.is_none_or(|w| w == *found);
    if array.shape().len() == shape.len() && shape.iter().zip(array.shape()).all(fits) {
        return Ok(array);
    }
    let want = shape
        .iter()
        .map(|w| w.map_or_else(|| "any".to_owned(), |w| w.to_string()));
    let found = array.shape().iter().map(ToString::to_string);
    let requirement = format!("must have shape {}", tuple(want));
    Err(wrong(path, requirement, tuple(found)))
}

/// Reads n numbers, or one that stands for all.
pub(crate) fn one_or_each(value: &Bound<'_, PyAny>, path: &str, n: usize) -> PyResult<Vec<f64>> {
    let array = numbers(value, path)?;
    match (array.shape(), array.values()) {
        ([], [one]) => Ok(vec![*one; n]),
        ([count], values) if *count == n => Ok(values.to_vec()),
        (found, _) => {
            let found = tuple(found.iter().map(ToString::to_string));
            Err(wrong(path, format!("must be one number or have shape ({n},)"), found))
        }
    }
}

/// The same, all of them finite.
pub(crate) fn finite<'py>(value: &Bound<'py, PyAny>, path: &str, shape: &[Option<usize>]) -> PyResult<Numbers<'py>> {
    let array = shaped(value, path, shape)?;
    let Some(mut at) = array.values().iter().position(|x| !x.is_finite()) else {
        return Ok(array);
    };
    let found = array.values()[at];
    let mut place = String::new();
    for side in array.shape().iter().rev() {
        place = format!("[{}]{place}", at % side);
        at /= side;
    }
    Err(wrong(format!("{path}{place}"), "must be finite", found))
}

/// A shape as Python writes it.
pub(crate) fn tuple(sides: impl Iterator<Item = String>) -> String {
    let sides: Vec<String> = sides.collect();
    match &sides[..] {
        [one] => format!("({one},)"),
        all => format!("({})", all.join(", ")),
    }
}

/// Reads K numbers.
pub(crate) fn vector<const K: usize>(value: &Bound<'_, PyAny>, path: &str) -> PyResult<[f64; K]> {
    let mut out = [0.0; K];
    let items = match (value.cast::<PyList>(), value.cast::<PyTuple>()) {
        (Ok(list), _) if list.len() == K => list.to_tuple(),
        (_, Ok(tuple)) if tuple.len() == K => tuple.clone(),
        _ => {
            out.copy_from_slice(shaped(value, path, &[Some(K)])?.values());
            return Ok(out);
        }
    };
    for (k, item) in items.iter().enumerate() {
        out[k] = number(&item, &format!("{path}[{k}]"))?;
    }
    Ok(out)
}

/// Reads one number.
pub(crate) fn number(value: &Bound<'_, PyAny>, path: &str) -> PyResult<f64> {
    let found = if value.is_instance_of::<PyBool>() {
        None
    } else {
        value.extract().ok()
    };
    found.ok_or_else(|| wrong(path, "must be a number", shown(value)))
}

/// Reads an index.
pub(crate) fn index(value: &Bound<'_, PyAny>, path: &str) -> PyResult<usize> {
    let found = if value.is_instance_of::<PyBool>() {
        None
    } else {
        value.extract().ok()
    };
    found.ok_or_else(|| wrong(path, "must be an index from 0", shown(value)))
}
