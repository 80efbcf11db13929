//! Actuators and sensors: what drives joints, and what is read.

use pyo3::exceptions::{PyIndexError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};
use stiction_sim::Vec3;

use crate::array::{finite, number};
use crate::error::{of_sim, shown, wrong};
use crate::given::text;
use crate::joints::borrowed;
use crate::record::{list, rows, value};
use crate::world::World;

/// The actuators of a world, by name or number, in the order of `ctrl`. It follows the world.
#[pyclass(frozen, module = "stiction")]
pub(crate) struct Actuators(Py<World>);

/// An actuator: force = (gain[0] + gain[1] l + gain[2] dl) u + bias[0] + bias[1] l + bias[2] dl, where l is gear times the coordinate of the joint and u the control; gear times the
/// force acts along the coordinate. It follows the world: what it says is how the actuator is now.
#[pyclass(frozen, module = "stiction")]
pub(crate) struct Actuator {
    world: Py<World>,
    name: String,
}

impl Actuators {
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let world = borrowed(&self.0, py)?;
        Ok(world.inner.actuators().iter().map(|one| one.name.clone()).collect())
    }

    fn all(&self, py: Python<'_>) -> PyResult<Vec<Actuator>> {
        let each = self.names(py)?.into_iter();
        Ok(each
            .map(|name| Actuator {
                world: self.0.clone_ref(py),
                name,
            })
            .collect())
    }
}

#[pymethods]
impl Actuators {
    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<Actuator> {
        let py = key.py();
        let name = if let Ok(index) = key.extract::<isize>() {
            let names = self.names(py)?;
            let count = names.len();
            let index = if index < 0 { index + count.cast_signed() } else { index };
            let found = usize::try_from(index)
                .ok()
                .and_then(|index| names.into_iter().nth(index));
            let beyond = || PyIndexError::new_err(format!("actuators: must have an index below {count}, found {key}"));
            found.ok_or_else(beyond)?
        } else {
            let world = borrowed(&self.0, py)?;
            let found = world.find_actuator(key)?;
            world.inner.actuators()[found].name.clone()
        };
        Ok(Actuator {
            world: self.0.clone_ref(py),
            name,
        })
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        let all = self.names(name.py())?;
        Ok(text(name, "actuator").is_ok_and(|name| all.iter().any(|one| one == name)))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.names(py)?.len())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.all(py)?)?.try_iter()
    }

    /// Names of the actuators.
    fn keys(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.names(py)
    }

    /// The actuators.
    fn values(&self, py: Python<'_>) -> PyResult<Vec<Actuator>> {
        self.all(py)
    }

    /// Names and actuators.
    fn items(&self, py: Python<'_>) -> PyResult<Vec<(String, Actuator)>> {
        let each = self.all(py)?.into_iter();
        Ok(each.map(|one| (one.name.clone(), one)).collect())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Actuators({:?})", self.names(py)?))
    }
}

impl Actuator {
    /// The world and the actuator's index in it.
    fn found<'py>(&'py self, py: Python<'py>) -> PyResult<(PyRef<'py, World>, usize)> {
        let world = borrowed(&self.world, py)?;
        let found = world.inner.find_actuator(&self.name);
        let gone = || wrong("actuator", "must be in the world still", &self.name);
        Ok((world, found.ok_or_else(gone)?))
    }

    fn read<T>(&self, py: Python<'_>, field: impl Fn(&stiction_sim::Actuator) -> T) -> PyResult<T> {
        let (world, index) = self.found(py)?;
        Ok(field(&world.inner.actuators()[index]))
    }
}

#[pymethods]
impl Actuator {
    /// Name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// What files call it: motor, position, velocity or general.
    #[getter]
    fn kind(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.read(py, |one| one.kind.name())
    }

    /// Name of the joint that it drives.
    #[getter]
    fn joint(&self, py: Python<'_>) -> PyResult<String> {
        let (world, index) = self.found(py)?;
        let joint = world.inner.joints().get(world.inner.actuators()[index].joint);
        Ok(joint.map_or(String::new(), |joint| joint.name.clone()))
    }

    /// Length l per coordinate; the force acts gear times along the coordinate.
    #[getter]
    fn gear(&self, py: Python<'_>) -> PyResult<f64> {
        self.read(py, |one| one.gear)
    }

    /// Force per control at l = l' = 0, and its change with l and l', (3,).
    #[getter]
    fn gain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        list(py, &self.read(py, |one| one.gain)?)
    }

    /// Force at l = l' = 0, and its change with l and l', (3,).
    #[getter]
    fn bias<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        list(py, &self.read(py, |one| one.bias)?)
    }

    /// Least and largest control that counts, or None.
    #[getter]
    fn ctrl_range(&self, py: Python<'_>) -> PyResult<Option<(f64, f64)>> {
        self.read(py, |one| one.ctrl_range.map(|[low, high]| (low, high)))
    }

    /// Least and largest force before the gear [N m or N], or None.
    #[getter]
    fn force_range(&self, py: Python<'_>) -> PyResult<Option<(f64, f64)>> {
        self.read(py, |one| one.force_range.map(|[low, high]| (low, high)))
    }

    /// Control: constant until it is set again. What lies beyond `ctrl_range` counts as its end.
    #[getter]
    fn ctrl(&self, py: Python<'_>) -> PyResult<f64> {
        let (world, index) = self.found(py)?;
        Ok(world.inner.ctrl()[index])
    }

    #[setter]
    fn set_ctrl(&self, ctrl: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = ctrl.py();
        let (_, index) = self.found(py)?;
        let given = number(ctrl, "ctrl")?;
        if !given.is_finite() {
            return Err(wrong("ctrl", "must be finite", given));
        }
        let busy = |_| PyRuntimeError::new_err("world: is being stepped by another thread");
        let mut world = self.world.try_borrow_mut(py).map_err(busy)?;
        let mut all = world.inner.ctrl().to_vec();
        all[index] = given;
        world.inner.set_ctrl(&all).map_err(of_sim)
    }

    /// Force at the control as the joint is now, before the gear [N m or N].
    #[getter]
    fn force(&self, py: Python<'_>) -> PyResult<f64> {
        let (world, index) = self.found(py)?;
        Ok(world.inner.actuator_force(index).unwrap_or(0.0))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (kind, joint, ctrl) = (self.kind(py)?, self.joint(py)?, self.ctrl(py)?);
        Ok(format!(
            "Actuator({:?}, kind={kind:?}, joint={joint:?}, ctrl={ctrl:?})",
            self.name
        ))
    }
}

#[pymethods]
impl World {
    /// Actuators by name or number, in the order of `ctrl`: `world.actuators["knee"].ctrl`.
    #[getter]
    fn actuators(slf: Bound<'_, Self>) -> Actuators {
        Actuators(slf.unbind())
    }

    /// Names of the actuators.
    #[getter]
    fn actuator_names(&self) -> Vec<&str> {
        self.inner.actuators().iter().map(|one| one.name.as_str()).collect()
    }

    /// Controls, one an actuator, (nu,): constant until they are set again. What lies beyond a range counts as its end.
    #[getter]
    fn ctrl<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        list(py, self.inner.ctrl())
    }

    #[setter]
    fn set_ctrl(&mut self, ctrl: &Bound<'_, PyAny>) -> PyResult<()> {
        let count = self.inner.actuators().len();
        let ctrl = finite(ctrl, "ctrl", &[Some(count)])?;
        self.inner.set_ctrl(ctrl.values()).map_err(of_sim)
    }

    /// Forces of the actuators at their controls as the joints are now, before the gear [N m or N], (nu,).
    #[getter]
    fn actuator_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = 0..self.inner.actuators().len();
        let forces: Vec<f64> = all.map(|k| self.inner.actuator_force(k).unwrap_or(0.0)).collect();
        list(py, &forces)
    }

    /// Force of one actuator, by name [N m or N].
    fn actuator_force(&self, actuator: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
        let found = self.find_actuator(actuator)?;
        Ok(self.inner.actuator_force(found))
    }

    /// Names of the sensors.
    #[getter]
    fn sensor_names(&self) -> Vec<&str> {
        self.inner.sensors().iter().map(|one| one.name.as_str()).collect()
    }

    /// Number of readings of all sensors.
    #[getter]
    fn sensor_count(&self) -> usize {
        self.inner.sensor_count()
    }

    /// What all sensors read, one after the other, (ns,).
    #[getter]
    fn sensor_values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        list(py, &self.readings())
    }

    /// What a sensor reads: a number, or an array where it reads several.
    fn sensor<'py>(&self, sensor: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = sensor.py();
        let (wanted, mut at) = (text(sensor, "sensor").unwrap_or_default(), 0);
        for one in self.inner.sensors() {
            let end = at + one.kind.dim();
            if one.name == wanted {
                return match &self.readings()[at..end] {
                    [number] => value(py, *number),
                    several => list(py, several),
                };
            }
            at = end;
        }
        let near =
            stiction_contact::nearest::did_you_mean(wanted, self.inner.sensors().iter().map(|s| s.name.as_str()));
        Err(wrong(
            "sensor",
            "must be the name of a sensor",
            format!("{}{near}", shown(sensor)),
        ))
    }

    /// Named frames of bodies, links and sites of robots: name, position [m] and quaternion x, y, z, w in the world.
    fn frame<'py>(&self, frame: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = frame.py();
        let names = || self.inner.frames().iter().map(|one| one.name.as_str());
        let wanted = text(frame, "frame").unwrap_or_default();
        let Some(pose) = self.inner.find_frame(wanted).and_then(|k| self.inner.frame_pose(k)) else {
            let near = stiction_contact::nearest::did_you_mean(wanted, names());
            return Err(wrong(
                "frame",
                "must be the name of a frame",
                format!("{}{near}", shown(frame)),
            ));
        };
        let (p, q): (Vec3, _) = (pose.position, pose.rotation.coords);
        Ok((list(py, &[p.x, p.y, p.z])?, list(py, &[q.x, q.y, q.z, q.w])?))
    }

    /// Names of the frames.
    #[getter]
    fn frame_names(&self) -> Vec<&str> {
        self.inner.frames().iter().map(|one| one.name.as_str()).collect()
    }

    /// Positions of all frames [m], (f, 3).
    #[getter]
    fn frame_positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = 0..self.inner.frames().len();
        let at = |k| {
            self.inner
                .frame_pose(k)
                .map_or([0.0; 3], |f| [f.position.x, f.position.y, f.position.z])
        };
        rows(py, &all.map(at).collect::<Vec<_>>())
    }
}

impl World {
    /// The index of an actuator by its name.
    fn find_actuator(&self, actuator: &Bound<'_, PyAny>) -> PyResult<usize> {
        let names = || self.inner.actuators().iter().map(|one| one.name.as_str());
        let found = text(actuator, "actuator")
            .ok()
            .and_then(|name| self.inner.find_actuator(name));
        found.ok_or_else(|| {
            let near = stiction_contact::nearest::did_you_mean(text(actuator, "actuator").unwrap_or_default(), names());
            wrong(
                "actuator",
                "must be the name of an actuator",
                format!("{}{near}", shown(actuator)),
            )
        })
    }

    fn readings(&self) -> Vec<f64> {
        let mut values = vec![0.0; self.inner.sensor_count()];
        // There is room for as many as there are.
        let _ = self.inner.sensor_values(&mut values);
        values
    }
}
