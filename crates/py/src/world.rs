//! Worlds: scenes that are stepped.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use stiction_sim::energy::Ledger;
use stiction_sim::recording::ContactsRecord;
use stiction_sim::scene::Scene;
use stiction_sim::{SimError, Vec3, Wrench};

use crate::array::vector;
use crate::error::{StepError, of_scene, of_sim, wrong};
use crate::forked::detached;
use crate::record::{Source, list, record, rows, value};

/// Bodies that move and touch. Make one with `World.parse` (scene text) or `World.read` (scene file).
///
/// SI units, world axes; orientations are quaternions x, y, z, w. Arrays are read-only copies.
#[pyclass(module = "stiction")]
pub(crate) struct World {
    pub(crate) inner: stiction_sim::World,
    name: String,
    steps: u64,
}

/// What several steps did.
#[derive(Clone)]
pub(crate) struct Steps {
    status: &'static str,
    message: Option<String>,
    made: u64,
    /// Of the last step.
    contacts: usize,
    islands: usize,
    /// Sums.
    pivots: usize,
    newton: usize,
    /// Worst values.
    pub(crate) residual: f64,
    pub(crate) penetration: f64,
}

impl Steps {
    pub(crate) fn status(&self) -> &'static str {
        self.status
    }

    pub(crate) fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    pub(crate) fn made(&self) -> u64 {
        self.made
    }
}

/// Steps a world until a step fails; that one leaves it as it was.
pub(crate) fn advance(world: &mut stiction_sim::World, steps: u64) -> Steps {
    let mut total = Steps {
        status: "solved",
        message: None,
        made: 0,
        contacts: 0,
        islands: 0,
        pivots: 0,
        newton: 0,
        residual: 0.0,
        penetration: 0.0,
    };
    for _ in 0..steps {
        match world.step() {
            Ok(report) => {
                total.made += 1;
                total.contacts = report.contacts;
                total.islands = report.islands;
                total.pivots += report.pivots;
                total.newton += report.newton_steps;
                total.residual = total.residual.max(report.residual);
                total.penetration = total.penetration.max(report.depth);
            }
            Err(error) => {
                total.status = match &error {
                    SimError::Unsolved { status, .. } => status.name(),
                    SimError::Outrun { .. } => "outrun",
                    _ => "error",
                };
                total.message = Some(error.to_string());
                break;
            }
        }
    }
    total
}

impl World {
    pub(crate) fn of(scene: &Scene) -> Result<Self, SimError> {
        Ok(Self {
            inner: stiction_sim::World::from_scene(scene)?,
            name: scene.name.clone(),
            steps: scene.steps(),
        })
    }

    fn body(&self, name: &str) -> PyResult<usize> {
        self.inner
            .find_body(name)
            .ok_or_else(|| wrong("body", "must be the name of a body", format!("'{name}'")))
    }
}

#[pymethods]
impl World {
    /// A world from the text of a scene; meshes and robots are sought below `folder`.
    #[staticmethod]
    #[pyo3(signature = (text, folder = PathBuf::from(".")))]
    #[allow(clippy::needless_pass_by_value)]
    fn parse(text: &str, folder: PathBuf) -> PyResult<Self> {
        let scene = Scene::parse(text, folder).map_err(of_scene)?;
        Self::of(&scene).map_err(of_sim)
    }

    /// A world from a scene file.
    #[staticmethod]
    #[allow(clippy::needless_pass_by_value)]
    fn read(path: PathBuf) -> PyResult<Self> {
        let scene = Scene::read(path).map_err(of_scene)?;
        Self::of(&scene).map_err(of_sim)
    }

    /// Moves the world by a number of steps, or until one has no verified answer: that one leaves it as it was.
    ///
    /// The status is data; `report.raise_for_status()` turns one other than solved into a StepError. The GIL is released.
    #[pyo3(signature = (steps = 1))]
    fn step(&mut self, py: Python<'_>, steps: u64) -> StepReport {
        let world = &mut self.inner;
        StepReport::of(detached(py, || advance(world, steps)))
    }

    /// A copy that goes its own way.
    fn copy(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            name: self.name.clone(),
            steps: self.steps,
        }
    }

    /// The state as bytes, the same on every machine, for `load`.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.save())
    }

    /// Loads a saved state of the same scene; the steps that follow have the same bits.
    fn load(&mut self, state: &[u8]) -> PyResult<()> {
        self.inner.load(state).map_err(of_sim)
    }

    /// Sets force [N] and torque [N m] (world axes, about the centre of mass) on a body, until they are set anew.
    #[pyo3(signature = (body, force, torque = None))]
    fn apply(&mut self, body: &str, force: &Bound<'_, PyAny>, torque: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let body = self.body(body)?;
        let force = Vec3::from(vector::<3>(force, "force")?);
        let torque = torque.map_or(Ok([0.0; 3]), |t| vector(t, "torque"))?;
        let torque = Vec3::from(torque);
        for (path, v) in [("force", force), ("torque", torque)] {
            if let Some(x) = v.iter().find(|x| !x.is_finite()) {
                return Err(wrong(path, "must be finite", x));
            }
        }
        self.inner.apply(body, Wrench { force, torque }).map_err(of_sim)
    }

    /// Sets the velocity [m/s] and angular velocity [rad/s] of a body.
    #[pyo3(signature = (body, velocity, spin = None))]
    fn set_velocity(
        &mut self,
        body: &str,
        velocity: &Bound<'_, PyAny>,
        spin: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let body = self.body(body)?;
        let velocity = Vec3::from(vector::<3>(velocity, "velocity")?);
        let spin = Vec3::from(spin.map_or(Ok([0.0; 3]), |s| vector(s, "spin"))?);
        self.inner.set_velocity(body, velocity, spin).map_err(of_sim)
    }

    /// Name of the scene.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Steps that make up the scene's duration.
    #[getter]
    fn scene_steps(&self) -> u64 {
        self.steps
    }

    /// Time [s].
    #[getter]
    fn time(&self) -> f64 {
        self.inner.state().time
    }

    /// Steps made.
    #[getter]
    fn step_count(&self) -> u64 {
        self.inner.state().step
    }

    /// Time step [s].
    #[getter]
    fn dt(&self) -> f64 {
        self.inner.settings().dt
    }

    /// A number that two states share if, and but for chance only if, all their bits are the same.
    #[getter]
    fn state_hash(&self) -> u64 {
        self.inner.state().hash()
    }

    /// Names of the bodies, in the order of the arrays.
    #[getter]
    fn body_names(&self) -> Vec<&str> {
        self.inner.bodies().iter().map(|b| b.name.as_str()).collect()
    }

    /// Centres of mass [m], (m, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        rows(py, &positions(&self.inner))
    }

    /// Rotations as quaternions x, y, z, w, (m, 4).
    #[getter]
    fn orientations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        rows(py, &orientations(&self.inner))
    }

    /// Velocities [m/s] and angular velocities [rad/s], (m, 6).
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        rows(py, &velocities(&self.inner))
    }

    /// Contacts of the last step and the forces that acted in it.
    #[getter]
    fn contacts(&self) -> Contacts {
        Contacts::of(ContactsRecord::of(&self.inner))
    }

    /// Energy so far [J].
    #[getter]
    fn energy(&self) -> Energy {
        Energy::of(*self.inner.ledger())
    }

    fn __repr__(&self) -> String {
        let (state, bodies) = (self.inner.state(), self.inner.bodies().len());
        format!(
            "World(name={:?}, bodies={bodies}, time={:?}, state_hash=0x{:016x})",
            self.name,
            state.time,
            state.hash()
        )
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let escape = py.import("html")?.getattr("escape")?;
        let text: String = escape.call1((self.__repr__(),))?.extract()?;
        Ok(format!("<pre>{text}</pre>"))
    }
}

/// Part of each body's numbers.
fn part<const K: usize>(world: &stiction_sim::World, from: usize) -> Vec<[f64; K]> {
    let bodies = world.state().bodies.iter();
    bodies.map(|b| std::array::from_fn(|k| b.numbers()[from + k])).collect()
}

pub(crate) fn positions(world: &stiction_sim::World) -> Vec<[f64; 3]> {
    part(world, 0)
}

pub(crate) fn orientations(world: &stiction_sim::World) -> Vec<[f64; 4]> {
    part(world, 3)
}

pub(crate) fn velocities(world: &stiction_sim::World) -> Vec<[f64; 6]> {
    part(world, 7)
}

record! {
    /// What a call of `World.step` did: counts are sums, `residual` and `penetration` [m] the worst of its steps.
    StepReport of Steps { status, message, steps, contacts, islands, pivots, newton_steps, residual, penetration } {
        /// Raises a StepError unless the status is solved.
        fn raise_for_status(&self, py: Python<'_>) -> PyResult<()> {
            raise(py, &self.0.get(py, "message")?)
        }
    }
}

/// A step's message as an exception, where there is one.
pub(crate) fn raise(py: Python<'_>, message: &Bound<'_, PyAny>) -> PyResult<()> {
    if message.is(py.None()) {
        return Ok(());
    }
    Err(StepError::new_err(message.extract::<String>()?))
}

impl Source for Steps {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "status" => value(py, self.status),
            "message" => value(py, self.message.clone()),
            "steps" => value(py, self.made),
            "contacts" => value(py, self.contacts),
            "islands" => value(py, self.islands),
            "pivots" => value(py, self.pivots),
            "newton_steps" => value(py, self.newton),
            "residual" => value(py, self.residual),
            _ => value(py, self.penetration),
        }
    }
}

record! {
    /// Contacts of a step, found at its start, and the forces that acted in it. Forces push a along +normal and b along -normal.
    Contacts of ContactsRecord { a, b, point, normal, gap, normal_force, friction_force, state } {
        fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
            self.0.get(py, "a")?.len()
        }
    }
}

impl Source for ContactsRecord {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let all = self.contacts.iter();
        match field {
            "a" => value(py, all.map(|c| c.a.as_str()).collect::<Vec<_>>()),
            "b" => value(py, all.map(|c| c.b.as_str()).collect::<Vec<_>>()),
            "point" => rows(py, &all.map(|c| c.point).collect::<Vec<_>>()),
            "normal" => rows(py, &all.map(|c| c.normal).collect::<Vec<_>>()),
            "gap" => list(py, &all.map(|c| c.gap).collect::<Vec<_>>()),
            "normal_force" => list(py, &all.map(|c| c.normal_force).collect::<Vec<_>>()),
            "friction_force" => rows(py, &all.map(|c| c.friction_force).collect::<Vec<_>>()),
            _ => value(py, all.map(|c| c.state.as_str()).collect::<Vec<_>>()),
        }
    }
}

record! {
    /// Energy [J]: now (kinetic, potential) and since the start; `worst_gain` is the largest rise in one step that nothing explains.
    Energy of Ledger { kinetic, potential, dissipated, injected, eased, stepping, worst_gain }
}

impl Source for Ledger {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let joules = match field {
            "kinetic" => self.kinetic,
            "potential" => self.potential,
            "dissipated" => self.dissipated,
            "injected" => self.injected,
            "eased" => self.eased,
            "stepping" => self.stepping,
            _ => self.worst_gain,
        };
        value(py, joules)
    }
}
