//! Worlds: scenes that are stepped.

use std::f64::consts::PI;
use std::ffi::{CString, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PySlice};
use stiction_contact::nearest::did_you_mean;
use stiction_record::{Take, page};
use stiction_scene::{Scene, SceneError, WorldExt};
use stiction_sim::body::{Body, Kind};
use stiction_sim::energy::{Ledger, Numerical};
use stiction_sim::joint::{JointKind, Motor};
use stiction_sim::{Vec3, Wrench};

use crate::array::{finite, number, vector};
use crate::contacts::{self, Contacts};
use crate::editing::{Edit, PickledEdit, head_of};
use crate::error::{SceneWarning, of_scene, of_sim, shown, warn, wrong};
use crate::forked::detached;
use crate::given::{self, Given, bytes, count, path_of, text};
use crate::interrupt::LOOK;
use crate::problem::ContactProblem;
use crate::record::{Source, list, record, rows, value};
use crate::recording::{self, Recording};
use crate::solution::{self, ContactSolution};
use crate::steps::{StepReport, Steps, Work, advance};

/// Bodies that move and touch. Make one with `World(scene)`, `World.parse` (scene text) or `World.read` (scene file).
///
/// SI units, world axes; orientations are quaternions x, y, z, w. Arrays are read-only copies.
#[pyclass(module = "stiction")]
pub(crate) struct World {
    pub(crate) inner: stiction_sim::World,
    name: String,
    steps: u64,
    warnings: Arc<[String]>,
    notes: Arc<[String]>,
    origin: Arc<Origin>,
    /// What was changed since then.
    pub(crate) edits: Arc<Vec<Edit>>,
}

/// What a world was made from, to make it again.
pub(crate) enum Origin {
    Text { text: String, folder: PathBuf },
    File { text: String, path: PathBuf },
}

impl Origin {
    fn scene(&self) -> Result<Scene, SceneError> {
        match self {
            Self::Text { text, folder } => Scene::parse(text, folder),
            Self::File { text, path } => Scene::parse_file(text, path),
        }
    }

    /// What messages call it.
    fn file(&self) -> &Path {
        match self {
            Self::Text { .. } => Path::new("scene"),
            Self::File { path, .. } => path,
        }
    }

    /// The same with a path that stays the same where the working folder changes. Messages name the path as it was given.
    fn kept(self) -> Self {
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        match self {
            Self::Text { text, folder } => Self::Text {
                text,
                folder: absolute(folder),
            },
            Self::File { text, path } => Self::File {
                text,
                path: absolute(path),
            },
        }
    }
}

impl World {
    fn of(origin: Origin) -> PyResult<Self> {
        let scene = origin.scene().map_err(of_scene)?;
        let file = origin.file();
        let warnings = scene.warnings.iter().map(|warning| warning.in_file(file));
        Ok(Self {
            warnings: warnings.collect(),
            notes: scene.notes.clone().into(),
            inner: stiction_sim::World::from_scene(&scene).map_err(of_sim)?,
            name: scene.name.clone(),
            steps: scene.steps(),
            origin: Arc::new(origin.kept()),
            edits: Arc::default(),
        })
    }

    /// Warns of what is doubtful about the scene.
    fn warned(self, py: Python<'_>) -> PyResult<Self> {
        let category = py.get_type::<SceneWarning>();
        for warning in &*self.warnings {
            // Names in a scene have no control characters, so that the text has no zero.
            let text = CString::new(warning.as_str()).unwrap_or_default();
            PyErr::warn(py, &category, &text, 1)?;
        }
        Ok(self)
    }

    pub(crate) fn body(&self, name: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.body_named("body", name)
    }

    pub(crate) fn joint(&self, name: &Bound<'_, PyAny>) -> PyResult<usize> {
        let Ok(wanted) = text(name, "joint") else {
            return Err(wrong("joint", "must be the name of a joint", shown(name)));
        };
        self.find_joint(wanted)
    }

    /// A joint by its name.
    pub(crate) fn find_joint(&self, wanted: &str) -> PyResult<usize> {
        let names = || self.inner.joints().iter().map(|joint| joint.name.as_str());
        let near = || did_you_mean(wanted, names());
        let found = names().position(|name| name == wanted);
        found.ok_or_else(|| wrong("joint", "must be the name of a joint", format!("'{wanted}'{}", near())))
    }

    /// Refuses coordinates of revolute joints that are many turns away.
    pub(crate) fn check_turns(&self, path: &str, q: &[f64]) -> PyResult<()> {
        let now = self.inner.q();
        for (k, joint) in self.inner.joints().iter().enumerate() {
            if joint.kind == JointKind::Revolute {
                for at in self.inner.joint_span(k) {
                    check_turn(&format!("{path}[{at}]"), q[at], now[at])?;
                }
            }
        }
        Ok(())
    }

    /// What tables that are added share with the world's own scene.
    pub(crate) fn head(&self) -> String {
        let (Origin::Text { text, .. } | Origin::File { text, .. }) = &*self.origin;
        head_of(text)
    }

    /// Makes steps, and looks for signals meanwhile: where their handler raises, the world is left in its last whole step.
    fn run(
        slf: &Bound<'_, Self>,
        steps: u64,
        mut look: impl FnMut(&stiction_sim::World, &stiction_sim::StepReport) + Send,
    ) -> PyResult<Steps> {
        let mut total = Steps::NONE;
        loop {
            {
                let busy = |_| PyRuntimeError::new_err("world: is being stepped by another thread");
                let mut world = slf.try_borrow_mut().map_err(busy)?;
                let (inner, total, look) = (&mut world.inner, &mut total, &mut look);
                let start = Instant::now();
                detached(slf.py(), || {
                    advance(inner, steps, total, look, || start.elapsed() < LOOK);
                });
            }
            if !total.go_on(steps) {
                return Ok(total);
            }
            // The world is let go of: a handler may look at it.
            slf.py().check_signals()?;
        }
    }
}

#[pymethods]
impl World {
    /// The world that a Scene describes.
    #[new]
    #[pyo3(signature = (scene))]
    fn new(scene: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = scene.py();
        let class = py.import("stiction.scene")?.getattr("Scene")?;
        if !scene.is_instance(&class)? {
            let requirement = "must be a Scene (World.parse takes a scene's text, World.read a scene file)";
            return Err(wrong("scene", requirement, shown(scene)));
        }
        let origin = Origin::Text {
            text: scene.call_method0("to_toml")?.extract()?,
            folder: scene.getattr("folder")?.extract()?,
        };
        Self::of(origin)?.warned(py)
    }

    /// A world from the text of a scene; meshes and robots are sought below `folder`.
    #[staticmethod]
    #[pyo3(signature = (text, folder = Given::LeftOut), text_signature = "(text, folder='.')")]
    fn parse(text: &Bound<'_, PyAny>, folder: Given<'_>) -> PyResult<Self> {
        let py = text.py();
        let text = given::text(text, "text")?.to_owned();
        let origin = Origin::Text {
            text,
            folder: folder.folder()?,
        };
        Self::of(origin)?.warned(py)
    }

    /// A world from a scene file.
    #[staticmethod]
    fn read(path: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = path.py();
        let path = path_of(path, "path")?;
        let text = Scene::text(&path).map_err(of_scene)?;
        if stiction_scene::RobotFormat::of(&text).is_some() {
            let found = format!(
                "a robot's file: {}: Scene.add_mjcf and Scene.add_urdf read it",
                path.display()
            );
            return Err(wrong("path", "must be a scene in TOML", found));
        }
        Self::of(Origin::File { text, path })?.warned(py)
    }

    /// What is doubtful about the scene, one line each; `World.parse` and `World.read` warn of it with a SceneWarning.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.to_vec()
    }

    /// The parts of robots' files that were changed or ignored, one line each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.to_vec()
    }

    /// Moves the world by a number of steps, or until one has no verified answer: that one leaves it as it was.
    ///
    /// The status is data; `report.raise_for_status()` turns one other than solved into a StepError. The GIL is released. Ctrl-C ends the
    /// call after a whole step.
    #[pyo3(signature = (steps = Given::LeftOut), text_signature = "($self, steps=1)")]
    fn step(slf: &Bound<'_, Self>, steps: Given<'_>) -> PyResult<StepReport> {
        let steps = steps.read(1, number_of_steps)?;
        Ok(StepReport::of(Self::run(slf, steps, |_, _| ())?))
    }

    /// Moves the world as `step` does, and keeps what happens for a replay that plays in a notebook.
    ///
    /// steps: None for those of the scene's duration. every: one frame in so many steps is kept; None for about 60 a second.
    #[pyo3(signature = (steps = None, *, every = None))]
    fn record(
        slf: &Bound<'_, Self>,
        steps: Option<&Bound<'_, PyAny>>,
        every: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Recording> {
        let every = every.map(|every| count(every, "every", 1, u64::MAX)).transpose()?;
        let (name, mut take, scene_steps) = {
            let world = slf.try_borrow()?;
            let every = every.unwrap_or_else(|| frame_steps(world.inner.settings().dt));
            let take = Take::new(&world.name, &world.inner, every);
            (world.name.clone(), take, world.steps)
        };
        let steps = steps.map_or(Ok(scene_steps), |steps| count(steps, "steps", 0, u64::MAX))?;
        let total = Self::run(slf, steps, |world, report| take.record(world, report))?;
        let report = Py::new(slf.py(), StepReport::of(total))?;
        Ok(Recording::of(&name, take.replay(), Some(report)))
    }

    /// A copy that goes its own way.
    fn copy(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            name: self.name.clone(),
            steps: self.steps,
            warnings: self.warnings.clone(),
            notes: self.notes.clone(),
            origin: self.origin.clone(),
            edits: self.edits.clone(),
        }
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    /// The scene's text and the state: meshes and robots are read again where it is unpickled.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let (text, path, is_file) = match &*self.origin {
            Origin::Text { text, folder } => (text, folder, false),
            Origin::File { text, path } => (text, path, true),
        };
        let make = py.import("stiction._stiction")?.getattr("_world")?;
        let path = path.clone().into_os_string();
        let edits = self.edits.iter().map(Edit::pickled).collect();
        Ok((make, (text.clone(), path, is_file, self.save(py), edits)))
    }

    /// The state as bytes, the same on every machine, for `load`.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.save())
    }

    /// Loads a saved state of the same scene; the steps that follow have the same bits. With force also one of another model with as many bodies
    /// and joints. A state without a fingerprint, and what differs where it was forced, is a warning.
    #[pyo3(signature = (state, *, force=false))]
    fn load(&mut self, state: &Bound<'_, PyAny>, force: bool) -> PyResult<()> {
        let bytes = bytes(state, "state")?;
        let loaded = if force {
            self.inner.load_forced(bytes)
        } else {
            self.inner.load(bytes)
        };
        let loaded = loaded.map_err(of_sim)?;
        loaded.warnings.iter().try_for_each(|warning| warn(state.py(), warning))
    }

    /// Sets force [N] and torque [N m] (world axes, about the centre of mass) on a body, until they are set again.
    #[pyo3(signature = (body, force, torque = None))]
    fn apply(
        &mut self,
        body: &Bound<'_, PyAny>,
        force: &Bound<'_, PyAny>,
        torque: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let body = self.body(body)?;
        let force = finite_vector(force, "force")?;
        let torque = torque.map_or(Ok(Vec3::zeros()), |t| finite_vector(t, "torque"))?;
        self.inner.apply(body, Wrench { force, torque }).map_err(of_sim)
    }

    /// Sets the velocity [m/s] and angular velocity [rad/s] of a body.
    #[pyo3(signature = (body, velocity, spin = None))]
    fn set_velocity(
        &mut self,
        body: &Bound<'_, PyAny>,
        velocity: &Bound<'_, PyAny>,
        spin: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let body = self.body(body)?;
        let velocity = finite_vector(velocity, "velocity")?;
        let spin = spin.map_or(Ok(Vec3::zeros()), |s| finite_vector(s, "spin"))?;
        self.inner.set_velocity(body, velocity, spin).map_err(of_sim)
    }

    /// Names of the joints.
    #[getter]
    fn joint_names(&self) -> Vec<&str> {
        self.inner.joints().iter().map(|j| j.name.as_str()).collect()
    }

    /// Where the coordinates of a joint are in `q` and `v`. Empty for one that has none: fixed, a distance, or closing a loop.
    fn joint_slice<'py>(&self, py: Python<'py>, joint: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PySlice>> {
        let span = self.inner.joint_span(self.joint(joint)?);
        let end = |x: usize| isize::try_from(x).unwrap_or(isize::MAX);
        Ok(PySlice::new(py, end(span.start), end(span.end), 1))
    }

    /// Coordinates of all joints in their order [rad, m]: one of a revolute or prismatic joint, three of a spherical (rotation vector) or planar one (x, y, angle). Setting them moves
    /// bodies and keeps `v`.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        list(py, &self.inner.q())
    }

    #[setter]
    fn set_q(&mut self, q: &Bound<'_, PyAny>) -> PyResult<()> {
        let v = self.inner.v();
        let q = finite(q, "q", &[Some(v.len())])?;
        self.check_turns("q", q.values())?;
        self.inner.set_joints(q.values(), &v).map_err(of_sim)?;
        Ok(())
    }

    /// Their velocities [rad/s, m/s]. Setting them keeps `q`.
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        list(py, &self.inner.v())
    }

    #[setter]
    fn set_v(&mut self, v: &Bound<'_, PyAny>) -> PyResult<()> {
        let q = self.inner.q();
        let v = finite(v, "v", &[Some(q.len())])?;
        self.inner.set_joints(&q, v.values()).map_err(of_sim)?;
        Ok(())
    }

    /// Drives a revolute or prismatic joint: force = stiffness (target - q) + damping (target_speed - v) + force, held to most [N m, N]. What is not given stays as it is; a
    /// joint without a motor starts from zeros and no largest force.
    #[pyo3(signature = (joint, *, target=None, target_speed=None, stiffness=None, damping=None, force=None, most=None))]
    #[allow(clippy::too_many_arguments)] // One keyword for each number.
    fn set_motor(
        &mut self,
        joint: &Bound<'_, PyAny>,
        target: Option<&Bound<'_, PyAny>>,
        target_speed: Option<&Bound<'_, PyAny>>,
        stiffness: Option<&Bound<'_, PyAny>>,
        damping: Option<&Bound<'_, PyAny>>,
        force: Option<&Bound<'_, PyAny>>,
        most: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let index = self.joint(joint)?;
        let found = &self.inner.joints()[index];
        if !matches!(found.kind, JointKind::Revolute | JointKind::Prismatic) {
            return Err(wrong("joint", "must be revolute or prismatic", shown(joint)));
        }
        let none = Motor {
            most: f64::INFINITY,
            ..Motor::default()
        };
        let mut motor = found.motor.unwrap_or(none);
        for (name, given, place) in [
            ("target", target, &mut motor.target),
            ("target_speed", target_speed, &mut motor.target_speed),
            ("stiffness", stiffness, &mut motor.stiffness),
            ("damping", damping, &mut motor.damping),
            ("force", force, &mut motor.force),
            ("most", most, &mut motor.most),
        ] {
            if let Some(given) = given {
                *place = number(given, name)?;
            }
        }
        if found.kind == JointKind::Revolute && motor.stiffness > 0.0 && target.is_some() {
            let now = self.inner.joint_coordinate(index).map_or(0.0, |[x, _]| x);
            check_turn("target", motor.target, now)?;
        }
        self.inner.set_motor(index, Some(motor)).map_err(of_sim)
    }

    /// Where meshes and robots of the scene are sought.
    #[getter]
    fn folder(&self) -> PathBuf {
        match &*self.origin {
            Origin::Text { folder, .. } => folder.clone(),
            Origin::File { path, .. } => path.parent().map(Path::to_path_buf).unwrap_or_default(),
        }
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

    /// How the world is stepped: the keys of `[world]` in scene files.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let s = self.inner.settings();
        let dict = PyDict::new(py);
        dict.set_item("planar", s.planar)?;
        dict.set_item("gravity", self.gravity(py)?)?;
        dict.set_item("dt", s.dt)?;
        dict.set_item("law", s.law.name())?;
        dict.set_item("method", s.method.map(stiction_contact::Method::name))?;
        dict.set_item("directions", s.directions)?;
        dict.set_item("tolerance", s.tolerance)?;
        dict.set_item("ease", s.ease)?;
        dict.set_item("stepper", s.stepper.name())?;
        dict.set_item("restitution_rule", s.restitution_rule.name())?;
        dict.set_item("relaxation", s.relaxation)?;
        dict.set_item("max_work", self.max_work())?;
        dict.set_item("corners", s.corners.name())?;
        Ok(dict)
    }

    /// Whether a kinematic body follows a motion.
    fn has_motion(&self, body: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.inner.motion(self.body(body)?).is_some())
    }

    /// Gravity [m/s^2].
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let g = self.inner.settings().gravity;
        list(py, &[g.x, g.y, g.z])
    }

    /// Whether bodies move in the plane of x and y only.
    #[getter]
    fn planar(&self) -> bool {
        self.inner.settings().planar
    }

    /// Law of contact, one of LAWS.
    #[getter]
    fn law(&self) -> &'static str {
        self.inner.settings().law.name()
    }

    /// All work of the last step, what was taken back included.
    #[getter]
    fn work(&self) -> Work {
        Work::of(self.inner.work())
    }

    /// Masses of the bodies [kg], inf for those that forces do not move, (m,).
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mass = |body: &Body| match body.kind {
            Kind::Dynamic { mass, .. } => mass,
            Kind::Fixed | Kind::Kinematic => f64::INFINITY,
        };
        list(py, &self.inner.bodies().iter().map(mass).collect::<Vec<_>>())
    }

    /// Operations that a step may take, by estimate, or None: a step that would take more is made as substeps, or ends unsolved with its best answer.
    #[getter]
    fn max_work(&self) -> Option<u64> {
        Some(self.inner.settings().max_work).filter(|work| *work < u64::MAX)
    }

    #[setter]
    fn set_max_work(&mut self, max_work: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let work = max_work.map_or(Ok(u64::MAX), |work| count(work, "max_work", 1, u64::MAX))?;
        self.inner.set_max_work(work);
        Ok(())
    }

    /// A hash of the state: equal if all bits of two states are, and otherwise different except by chance.
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
        Contacts::of(contacts::Found::of(&self.inner))
    }

    /// The contact problem of the last step: its masses, rows and biases. It does not change.
    fn problem(&self) -> ContactProblem {
        ContactProblem::of_world(&self.inner)
    }

    /// The answer to it: impulses over the `solved_length` of the step. Contacts stand in the order of `contacts`, limits of joints behind them.
    fn solution(&self) -> ContactSolution {
        ContactSolution::of(solution::Found {
            solution: self.inner.solution().clone(),
            axes: ContactProblem::of_world(&self.inner).axes,
        })
    }

    /// Length of the step, or of the substep of it, that `problem` and `solution` belong to [s].
    #[getter]
    fn solved_length(&self) -> f64 {
        self.inner.solved_length()
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

    /// The world as it stands, with the contacts of its last step.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let replay = Take::new(&self.name, &self.inner, 1).finish();
        let rows = [
            ("name", self.name.clone()),
            ("bodies", self.inner.bodies().len().to_string()),
            ("time", format!("{:?} s", self.inner.state().time)),
            ("contacts", self.inner.contacts().len().to_string()),
            ("state_hash", format!("0x{:016x}", self.inner.state().hash())),
        ];
        recording::shown(py, page::html_with_replay(&replay), "World", &rows)
    }
}

type Pickled<'py> = (String, OsString, bool, Bound<'py, PyBytes>, Vec<PickledEdit>);

/// A world that was pickled.
#[pyfunction]
#[pyo3(signature = (text, path, is_file, state, edits = Vec::new()))]
pub(crate) fn _world(
    text: String,
    path: PathBuf,
    is_file: bool,
    state: &[u8],
    edits: Vec<PickledEdit>,
) -> PyResult<World> {
    let mut world = World::of(if is_file {
        Origin::File { text, path }
    } else {
        Origin::Text { text, folder: path }
    })?;
    for edit in edits {
        world.edit(Edit::of_pickled(edit)?)?;
    }
    world.inner.load(state).map_err(of_sim)?;
    Ok(world)
}

/// How many steps to make. A time in their place is told so.
fn number_of_steps(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    count(value, "steps", 0, u64::MAX).map_err(|error| match value.extract::<f64>() {
        Ok(time) if time > 0.0 && time < 1.0 => {
            let found = format!("{time} (a step lasts world.dt; Scene(dt=...) sets it)");
            wrong("steps", "must be a whole number from 0, below 2**64", found)
        }
        _ => error,
    })
}

/// Steps of a frame at about 60 frames a second.
fn frame_steps(dt: f64) -> u64 {
    // Positive, and cut off where it is too large.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let steps = (1.0 / (60.0 * dt)).floor().max(1.0) as u64;
    steps
}

/// Refuses an angle that is more than ten turns beyond that of a joint: it is in degrees.
pub(crate) fn check_turn(path: &str, angle: f64, now: f64) -> PyResult<()> {
    if angle.abs() <= 20.0 * PI + now.abs() {
        return Ok(());
    }
    let radians = format!(
        "{angle} (angles are in radians: {angle} degrees are {:.4})",
        angle.to_radians()
    );
    Err(wrong(path, "must lie within 10 turns, -20 pi and 20 pi", radians))
}

pub(crate) fn finite_vector(value: &Bound<'_, PyAny>, path: &str) -> PyResult<Vec3> {
    let found = vector::<3>(value, path)?;
    match found.iter().position(|x| !x.is_finite()) {
        None => Ok(Vec3::from(found)),
        Some(k) => Err(wrong(format!("{path}[{k}]"), "must be finite", found[k])),
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
    /// Energy [J]: now (kinetic, potential) and since the start. `dissipated` is the sum of slip and impacts, `stepping` that of what is numerical; `worst_gain` is the
    /// largest rise in one step that nothing explains.
    Energy of Ledger {
        /// Of the motion now.
        kinetic,
        /// Of the weight now.
        potential,
        /// Taken by contacts and joints: slip and impacts.
        dissipated,
        /// Taken by friction while nothing arrives.
        slip,
        /// Taken by arrivals: bounces, and steps in which a contact closes or a joint arrives at its limit.
        impacts,
        /// Given by applied forces, motors and moving ground.
        injected,
        /// Given by penetration correction.
        eased,
        /// Taken by the time stepping itself: the sum of what is numerical.
        stepping,
        /// What the time stepping took, by cause.
        numerical,
        /// Largest rise in one step that nothing explains.
        worst_gain,
    }
}

impl Source for Ledger {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let joules = match field {
            "kinetic" => self.kinetic,
            "potential" => self.potential,
            "dissipated" => self.dissipated(),
            "slip" => self.slip,
            "impacts" => self.impacts,
            "injected" => self.injected,
            "eased" => self.eased,
            "stepping" => self.stepping(),
            "numerical" => return value(py, NumericalEnergy::of(self.numerical)),
            _ => self.worst_gain,
        };
        value(py, joules)
    }
}

record! {
    /// Energy that the time stepping took since the start [J]; their sum velocity + closing - returned + flight is `Energy.stepping`.
    NumericalEnergy of Numerical {
        /// Taken by the velocity projection; not negative.
        velocity,
        /// Taken by closing gaps and joints; negative where that lifts bodies.
        closing,
        /// Of both, given back by scaling velocities.
        returned,
        /// The remainder: the loss of steps of first order; rounding in midpoint steps.
        flight,
    }
}

impl Source for Numerical {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let joules = match field {
            "velocity" => self.velocity,
            "closing" => self.closing,
            "returned" => self.returned,
            _ => self.flight,
        };
        value(py, joules)
    }
}
