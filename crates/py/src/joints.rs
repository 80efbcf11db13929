//! Joints by name: `world.joints["knee"]`.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PySlice};
use stiction_sim::joint::{JointKind, Motor};

use crate::array::{finite, number, vector};
use crate::editing::Edit;
use crate::error::{of_sim, shown, wrong};
use crate::given::text;
use crate::record::{list, value};
use crate::world::{World, check_turn};

/// The joints of a world by name, in their order. It follows the world.
#[pyclass(frozen, module = "stiction")]
pub(crate) struct Joints(Py<World>);

/// A joint of a world. It follows the world: what it says is how the joint is now.
#[pyclass(frozen, module = "stiction")]
pub(crate) struct Joint {
    world: Py<World>,
    name: String,
}

impl Joints {
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let world = borrowed(&self.0, py)?;
        Ok(world.inner.joints().iter().map(|joint| joint.name.clone()).collect())
    }

    fn joint(&self, py: Python<'_>, name: String) -> Joint {
        Joint {
            world: self.0.clone_ref(py),
            name,
        }
    }
}

/// The world, unless another thread steps it.
pub(crate) fn borrowed<'py>(world: &'py Py<World>, py: Python<'py>) -> PyResult<PyRef<'py, World>> {
    let busy = |_| PyRuntimeError::new_err("world: is being stepped by another thread");
    world.try_borrow(py).map_err(busy)
}

#[pymethods]
impl Joints {
    fn __getitem__(&self, name: &Bound<'_, PyAny>) -> PyResult<Joint> {
        let py = name.py();
        let found = borrowed(&self.0, py)?.joint(name)?;
        let name = borrowed(&self.0, py)?.inner.joints()[found].name.clone();
        Ok(self.joint(py, name))
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        let all = self.names(name.py())?;
        Ok(text(name, "joint").is_ok_and(|name| all.iter().any(|one| one == name)))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.names(py)?.len())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.names(py)?)?.try_iter()
    }

    /// Names of the joints.
    fn keys(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.names(py)
    }

    /// The joints.
    fn values(&self, py: Python<'_>) -> PyResult<Vec<Joint>> {
        Ok(self.names(py)?.into_iter().map(|name| self.joint(py, name)).collect())
    }

    /// Names and joints.
    fn items(&self, py: Python<'_>) -> PyResult<Vec<(String, Joint)>> {
        let each = self.names(py)?.into_iter();
        Ok(each.map(|name| (name.clone(), self.joint(py, name))).collect())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Joints({:?})", self.names(py)?))
    }
}

impl Joint {
    /// The world and the joint's index in it.
    fn found<'py>(&'py self, py: Python<'py>) -> PyResult<(PyRef<'py, World>, usize)> {
        let world = borrowed(&self.world, py)?;
        let joint = world.find_joint(&self.name)?;
        Ok((world, joint))
    }

    fn changed<'py>(&'py self, py: Python<'py>) -> PyResult<(PyRefMut<'py, World>, usize)> {
        let busy = |_| PyRuntimeError::new_err("world: is being stepped by another thread");
        let world = self.world.try_borrow_mut(py).map_err(busy)?;
        let joint = world.find_joint(&self.name)?;
        Ok((world, joint))
    }

    /// Its part of the coordinates of all joints: a number where there is one.
    fn part<'py>(&self, py: Python<'py>, all: fn(&stiction_sim::World) -> Vec<f64>) -> PyResult<Bound<'py, PyAny>> {
        let (world, joint) = self.found(py)?;
        match &all(&world.inner)[world.inner.joint_span(joint)] {
            [one] => value(py, *one),
            several => list(py, several),
        }
    }

    /// Sets its part of q (0) or v (1).
    fn set_part(&self, which: usize, path: &str, given: &Bound<'_, PyAny>) -> PyResult<()> {
        let (mut world, joint) = self.changed(given.py())?;
        let mut both = [world.inner.q(), world.inner.v()];
        let span = world.inner.joint_span(joint);
        if span.is_empty() {
            let requirement = "must be set for a joint that has coordinates only";
            return Err(wrong(path, requirement, shown(given)));
        }
        if let [place] = &mut both[which][span.clone()] {
            let now = *place;
            *place = number(given, path)?;
            if !place.is_finite() {
                return Err(wrong(path, "must be finite", *place));
            }
            if which == 0 && world.inner.joints()[joint].kind == JointKind::Revolute {
                check_turn(path, *place, now)?;
            }
        } else {
            let given = finite(given, path, &[Some(span.len())])?;
            both[which][span].copy_from_slice(given.values());
        }
        world.inner.set_joints(&both[0], &both[1]).map_err(of_sim)?;
        Ok(())
    }
}

#[pymethods]
impl Joint {
    /// Name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// What it leaves free: revolute, prismatic, spherical, fixed, planar, distance, gear, rope, compound (several of them), along (one of these), tendon or free.
    #[getter]
    fn kind(&self, py: Python<'_>) -> PyResult<&'static str> {
        let (world, joint) = self.found(py)?;
        Ok(kind_of(&world.inner.joints()[joint].kind))
    }

    /// Names of its two bodies.
    #[getter]
    fn bodies(&self, py: Python<'_>) -> PyResult<(String, String)> {
        let (world, joint) = self.found(py)?;
        let name = |body: usize| world.inner.bodies()[body].name.clone();
        let joint = &world.inner.joints()[joint];
        Ok((name(joint.a), name(joint.b)))
    }

    /// Where its coordinates are in `q` and `v`.
    #[getter]
    fn slice<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PySlice>> {
        let (world, joint) = self.found(py)?;
        let span = world.inner.joint_span(joint);
        let end = |x: usize| isize::try_from(x).unwrap_or(isize::MAX);
        Ok(PySlice::new(py, end(span.start), end(span.end), 1))
    }

    /// Coordinate [rad or m]: a number, or an array where the joint has several. Setting it moves the bodies that hang on the joint.
    #[getter]
    fn position<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.part(py, stiction_sim::World::q)
    }

    #[setter]
    fn set_position(&self, position: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_part(0, "position", position)
    }

    /// Its rate [rad/s or m/s], as position.
    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.part(py, stiction_sim::World::v)
    }

    #[setter]
    fn set_velocity(&self, velocity: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_part(1, "velocity", velocity)
    }

    /// Force along the coordinate in the last step, of motor and dry friction [N m or N]; the pull of a rope [N]. None where the joint has none, and before the first step.
    #[getter]
    fn force(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        let (world, joint) = self.found(py)?;
        let along = world
            .inner
            .joint_forces(joint)
            .map(|forces| forces.motor + forces.friction);
        Ok(along.or_else(|| world.inner.rope_tension(joint)))
    }

    /// Pull of a rope at its first and at its last end in the last step [N]; they differ about a bollard with friction. None for other joints, and before the first step.
    #[getter]
    fn tensions(&self, py: Python<'_>) -> PyResult<Option<(f64, f64)>> {
        let (world, joint) = self.found(py)?;
        Ok(world.inner.rope_tensions(joint).map(|[first, last]| (first, last)))
    }

    /// Of the force, that of the motor [N m or N].
    #[getter]
    fn motor_force(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        let (world, joint) = self.found(py)?;
        Ok(world.inner.joint_forces(joint).map(|forces| forces.motor))
    }

    /// Of the force, that of dry friction [N m or N].
    #[getter]
    fn friction_force(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        let (world, joint) = self.found(py)?;
        Ok(world.inner.joint_forces(joint).map(|forces| forces.friction))
    }

    /// Least and largest coordinate [rad or m], or None. Setting it must leave the present coordinate between them.
    #[getter]
    fn limit(&self, py: Python<'_>) -> PyResult<Option<(f64, f64)>> {
        let (world, joint) = self.found(py)?;
        Ok(world.inner.joints()[joint].limits.map(|[low, high]| (low, high)))
    }

    #[setter]
    fn set_limit(&self, py: Python<'_>, limit: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let limits = limit.map(|limit| vector::<2>(limit, "limit")).transpose()?;
        let (mut world, joint) = self.changed(py)?;
        world.edit(Edit::Limits(joint, limits))
    }

    /// Largest force of its dry friction [N m or N].
    #[getter]
    fn friction(&self, py: Python<'_>) -> PyResult<f64> {
        let (world, joint) = self.found(py)?;
        Ok(world.inner.joints()[joint].friction)
    }

    /// Inertia of the rotor that turns or slides with its coordinate [kg m^2 or kg].
    #[getter]
    fn armature(&self, py: Python<'_>) -> PyResult<f64> {
        let (world, joint) = self.found(py)?;
        Ok(world.inner.armature(joint))
    }

    #[setter]
    fn set_armature(&self, armature: &Bound<'_, PyAny>) -> PyResult<()> {
        let inertia = number(armature, "armature")?;
        let (mut world, joint) = self.changed(armature.py())?;
        world.edit(Edit::Armature(joint, inertia))
    }

    /// Its motor as a dict with the arguments of `World.set_motor`, or None. Setting None takes the motor away.
    #[getter]
    fn motor<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (world, joint) = self.found(py)?;
        let Some(motor) = world.inner.joints()[joint].motor else {
            return Ok(None);
        };
        let Motor {
            target,
            target_speed,
            stiffness,
            damping,
            force,
            most,
            ..
        } = motor;
        let dict = PyDict::new(py);
        for (key, number) in [
            ("target", target),
            ("target_speed", target_speed),
            ("stiffness", stiffness),
            ("damping", damping),
            ("force", force),
            ("most", most),
        ] {
            dict.set_item(key, number)?;
        }
        Ok(Some(dict))
    }

    #[setter]
    fn set_motor(&self, py: Python<'_>, motor: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(motor) = motor else {
            let (mut world, joint) = self.changed(py)?;
            return world.inner.set_motor(joint, None).map_err(of_sim);
        };
        let keywords = motor.cast::<PyDict>().map_err(|_| {
            wrong(
                "motor",
                "must be a dict with the arguments of World.set_motor, or None",
                shown(motor),
            )
        })?;
        self.world
            .bind(py)
            .call_method("set_motor", (self.name.as_str(),), Some(keywords))?;
        Ok(())
    }

    /// Distance [m] and angle [rad] by which it is apart.
    #[getter]
    fn error(&self, py: Python<'_>) -> PyResult<Option<(f64, f64)>> {
        let (world, joint) = self.found(py)?;
        Ok(world
            .inner
            .joint_error(joint)
            .map(|[metres, radians]| (metres, radians)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let position = self.position(py)?.repr()?.to_string();
        Ok(format!(
            "Joint(name={:?}, kind={:?}, position={position})",
            self.name,
            self.kind(py)?
        ))
    }
}

pub(crate) fn kind_of(kind: &JointKind) -> &'static str {
    match kind {
        JointKind::Revolute => "revolute",
        JointKind::Prismatic => "prismatic",
        JointKind::Spherical => "spherical",
        JointKind::Fixed => "fixed",
        JointKind::Planar => "planar",
        JointKind::Distance { .. } => "distance",
        JointKind::Gear(_) => "gear",
        JointKind::Rope(_) => "rope",
        JointKind::Compound(_) => "compound",
        JointKind::Along(_) => "along",
        JointKind::Tendon(_) => "tendon",
        JointKind::Free => "free",
    }
}

#[pymethods]
impl World {
    /// Joints by name: `world.joints["knee"].position`.
    #[getter]
    fn joints(slf: Bound<'_, Self>) -> Joints {
        Joints(slf.unbind())
    }
}
