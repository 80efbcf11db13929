//! Worlds that change between steps. What is added comes as tables of a scene file and goes through the one parser of scenes; bodies that it names stand in the text as they
//! are now.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use stiction_contact::nearest::did_you_mean;
use stiction_scene::{Scene, WorldExt};
use stiction_sim::body::{Body, Kind};
use stiction_sim::state::BodyState;
use stiction_sim::{Pose, Quat, Vec3};
use toml::{Table, Value};

use crate::array::vector;
use crate::error::{SceneWarning, of_scene, of_sim, shown, wrong};
use crate::given::text;
use crate::record::value;
use crate::world::{World, finite_vector};

/// A change of a world's model, to make it again where a world is unpickled.
#[derive(Clone)]
pub(crate) enum Edit {
    /// Tables, the folder of their files, and the bodies that the first bodies of the text stand for.
    Add(String, PathBuf, Vec<usize>),
    RemoveBody(usize),
    RemoveJoint(usize),
    KeepApart(usize, usize),
    Limits(usize, Option<[f64; 2]>),
    /// A body follows the motion of the first body of a text; none where the text is empty.
    Prescribe(usize, String),
    Armature(usize, f64),
    /// Name and body of a frame, its position and its quaternion x, y, z, w in the body.
    Frame(String, usize, [f64; 7]),
}

/// An edit as it is pickled: kind, text, folder, indices, numbers.
pub(crate) type PickledEdit = (String, String, PathBuf, Vec<usize>, Option<Vec<f64>>);

impl Edit {
    pub(crate) fn apply(&self, world: &mut stiction_sim::World) -> PyResult<()> {
        match self {
            Self::Add(text, folder, stand_ins) => {
                let scene = Scene::parse(text, folder).map_err(of_scene)?;
                world.add_scene(&scene, stand_ins)
            }
            Self::RemoveBody(body) => world.remove_body(*body).map(|_| ()),
            Self::RemoveJoint(joint) => world.remove_joint(*joint).map(|_| ()),
            Self::KeepApart(a, b) => world.keep_apart(*a, *b),
            Self::Limits(joint, limits) => world.set_limits(*joint, *limits),
            Self::Armature(joint, inertia) => world.set_armature(*joint, *inertia),
            Self::Frame(name, body, [x, y, z, turn @ ..]) => {
                let frame = stiction_sim::Frame {
                    name: name.clone(),
                    body: *body,
                    pose: Pose {
                        position: Vec3::new(*x, *y, *z),
                        rotation: quaternion(*turn),
                    },
                };
                world.add_frame(frame).map(|_| ())
            }
            Self::Prescribe(body, text) if text.is_empty() => world.prescribe(*body, None),
            Self::Prescribe(body, text) => {
                let scene = Scene::parse(text, ".").map_err(of_scene)?;
                world.prescribe(*body, scene.motions.first().map(|(_, motion)| motion.clone()))
            }
        }
        .map_err(of_sim)
    }

    pub(crate) fn pickled(&self) -> PickledEdit {
        let plain =
            |kind: &str, indices: Vec<usize>, limits| (kind.to_owned(), String::new(), PathBuf::new(), indices, limits);
        match self {
            Self::Add(text, folder, stand_ins) => {
                ("add".to_owned(), text.clone(), folder.clone(), stand_ins.clone(), None)
            }
            Self::RemoveBody(body) => plain("remove body", vec![*body], None),
            Self::RemoveJoint(joint) => plain("remove joint", vec![*joint], None),
            Self::KeepApart(a, b) => plain("keep apart", vec![*a, *b], None),
            Self::Limits(joint, limits) => plain("limits", vec![*joint], limits.map(|l| l.to_vec())),
            Self::Armature(joint, inertia) => plain("armature", vec![*joint], Some(vec![*inertia])),
            Self::Frame(name, body, pose) => (
                "frame".to_owned(),
                name.clone(),
                PathBuf::new(),
                vec![*body],
                Some(pose.to_vec()),
            ),
            Self::Prescribe(body, text) => ("prescribe".to_owned(), text.clone(), PathBuf::new(), vec![*body], None),
        }
    }

    pub(crate) fn of_pickled((kind, text, folder, indices, numbers): PickledEdit) -> PyResult<Self> {
        let numbers = numbers.as_deref().unwrap_or(&[]);
        Ok(match (kind.as_str(), indices.as_slice()) {
            ("armature", [joint]) if numbers.len() == 1 => Self::Armature(*joint, numbers[0]),
            ("frame", [body]) if numbers.len() == 7 => Self::Frame(text, *body, std::array::from_fn(|k| numbers[k])),
            ("add", _) => Self::Add(text, folder, indices),
            ("remove body", [body]) => Self::RemoveBody(*body),
            ("remove joint", [joint]) => Self::RemoveJoint(*joint),
            ("keep apart", [a, b]) => Self::KeepApart(*a, *b),
            ("limits", [joint]) => Self::Limits(*joint, numbers.try_into().ok()),
            ("prescribe", [body]) => Self::Prescribe(*body, text),
            _ => return Err(wrong("edits", "must be edits of a pickled world", kind)),
        })
    }
}

/// Names of bodies with their kinds, of joints, and doubts: what tables of a scene add.
type Added = (Vec<(String, &'static str)>, Vec<String>, Vec<String>);

/// What a scene adds behind its first bodies.
fn added(scene: &Scene, known: usize) -> Added {
    let bodies = scene.bodies.iter().skip(known);
    let doubts = scene.warnings.iter().filter(|doubt| !doubt.path.is_empty());
    (
        bodies.map(|b| (b.body.name.clone(), kind_of(&b.body))).collect(),
        scene.joints.iter().map(|joint| joint.name.clone()).collect(),
        doubts
            .map(|doubt| format!("{}: {}", doubt.path, doubt.problem))
            .collect(),
    )
}

/// Reads the text of a scene; gives the names of its bodies with their kinds, of its joints, and what is doubtful.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // Python hands it over
pub(crate) fn _read_tables(text: &str, folder: PathBuf) -> PyResult<Added> {
    let scene = Scene::parse(text, &folder).map_err(of_scene)?;
    Ok(added(&scene, 0))
}

/// The tables of a TOML text as dicts and lists.
#[pyfunction]
pub(crate) fn _tables<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let table: Table = text
        .parse()
        .map_err(|error: toml::de::Error| wrong("text", "must be TOML", error.message()))?;
    to_python(py, &Value::Table(table))
}

/// ` ; did you mean NAME?`, or nothing.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // Python hands it over
pub(crate) fn _did_you_mean(wanted: &str, names: Vec<String>) -> String {
    did_you_mean(wanted, names.iter().map(String::as_str))
}

fn to_python<'py>(py: Python<'py>, found: &Value) -> PyResult<Bound<'py, PyAny>> {
    match found {
        Value::String(text) => value(py, text.as_str()),
        Value::Integer(n) => value(py, *n),
        Value::Float(x) => value(py, *x),
        Value::Boolean(b) => value(py, *b),
        Value::Datetime(time) => value(py, time.to_string()),
        Value::Array(items) => {
            let items: PyResult<Vec<_>> = items.iter().map(|item| to_python(py, item)).collect();
            Ok(PyList::new(py, items?)?.into_any())
        }
        Value::Table(table) => {
            let dict = PyDict::new(py);
            for (key, item) in table {
                dict.set_item(key, to_python(py, item)?)?;
            }
            Ok(dict.into_any())
        }
    }
}

/// What tables that are added share with the scene of their world: its `[world]` and materials.
pub(crate) fn head_of(text: &str) -> String {
    let whole: Table = text.parse().unwrap_or_default();
    let mut head = Table::new();
    head.insert("format".to_owned(), Value::Integer(1));
    for key in ["world", "material"] {
        if let Some(found) = whole.get(key) {
            head.insert(key.to_owned(), found.clone());
        }
    }
    toml::to_string(&head).unwrap_or_else(|_| "format = 1\n".to_owned())
}

fn kind_of(body: &Body) -> &'static str {
    match body.kind {
        Kind::Fixed => "fixed",
        Kind::Kinematic => "kinematic",
        Kind::Dynamic { .. } => "dynamic",
    }
}

/// A body as it is now, as a table: its place and what moves it.
fn stand_in(out: &mut String, body: &Body, state: &BodyState, planar: bool) {
    let (p, q) = (state.pose.position, state.pose.rotation.coords);
    let name = Value::String(body.name.clone());
    let mass = if body.is_dynamic() { "mass = 1\n" } else { "" };
    let place = if planar {
        let angle = 2.0 * q.z.atan2(q.w);
        format!(
            "shape = {{ disc = 1 }}\nposition = [{:?}, {:?}]\nangle = {angle:?}\nlevel = []",
            p.x, p.y
        )
    } else {
        let position = format!("position = [{:?}, {:?}, {:?}]", p.x, p.y, p.z);
        let orientation = format!("orientation = [{:?}, {:?}, {:?}, {:?}]", q.x, q.y, q.z, q.w);
        format!("shape = {{ ball = 1 }}\n{position}\n{orientation}\ngroups = []")
    };
    // Writing to a String cannot fail.
    let _ = write!(
        out,
        "\n[[body]]\nname = {name}\nkind = \"{}\"\n{mass}{place}\n",
        kind_of(body)
    );
}

#[pymethods]
impl World {
    /// Adds tables of a scene file; `mentions` are the bodies that they name, `joints` the joints.
    #[pyo3(signature = (tables, folder, mentions, joints = Vec::new()))]
    #[allow(clippy::needless_pass_by_value)] // Python hands it over
    fn _add(
        &mut self,
        py: Python<'_>,
        tables: &str,
        folder: PathBuf,
        mut mentions: Vec<String>,
        joints: Vec<String>,
    ) -> PyResult<Added> {
        let mut text = self.head();
        let mut stand_ins = Vec::new();
        let mut named = String::new();
        for name in &joints {
            let joint = &self.inner.joints()[self.find_joint(name)?];
            let ends = [joint.a, joint.b].map(|body| self.inner.bodies()[body].name.clone());
            let [name, a, b] = [name, &ends[0], &ends[1]].map(|text| Value::String(text.clone()));
            let place = if self.inner.settings().planar {
                "[0, 0]"
            } else {
                "[0, 0, 0]"
            };
            // It stands for the joint that has this name; what kind it is does not matter.
            let kind = if joint.kind.has_coordinate() {
                "revolute"
            } else {
                "fixed"
            };
            // Writing to a String cannot fail.
            let _ = write!(
                named,
                "\n[[joint]]\nname = {name}\nkind = \"{kind}\"\na = {a}\nb = {b}\nposition = {place}\n"
            );
            mentions.extend(
                ends.into_iter()
                    .filter(|end| !mentions.contains(end))
                    .collect::<Vec<_>>(),
            );
        }
        for name in &mentions {
            let found = self.inner.find_body(name).ok_or_else(|| self.no_body("body", name))?;
            stand_in(
                &mut text,
                &self.inner.bodies()[found],
                &self.inner.state().bodies[found],
                self.inner.settings().planar,
            );
            stand_ins.push(found);
        }
        text.push_str(&named);
        text.push('\n');
        text.push_str(tables);
        let scene = Scene::parse(&text, &folder).map_err(of_scene)?;
        let added = added(&scene, stand_ins.len());
        for (name, _) in &added.0 {
            if self.inner.find_body(name).is_some() {
                return Err(wrong("name", "must be the name of one body only", format!("'{name}'")));
            }
        }
        for name in added.1.iter().filter(|name| !joints.contains(name)) {
            if self.inner.joints().iter().any(|joint| joint.name == *name) {
                return Err(wrong("name", "must be the name of one joint only", format!("'{name}'")));
            }
        }
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        self.edit(Edit::Add(text, folder, stand_ins))?;
        let category = py.get_type::<SceneWarning>();
        for doubt in &added.2 {
            let doubt = std::ffi::CString::new(doubt.as_str()).unwrap_or_default();
            PyErr::warn(py, &category, &doubt, 1)?;
        }
        Ok(added)
    }

    /// Lets a kinematic body follow a motion, given as a table of a scene file; an empty one lets it go.
    fn _prescribe(&mut self, body: &Bound<'_, PyAny>, motion: &str) -> PyResult<()> {
        let body = self.body(body)?;
        let mut text = String::new();
        if !motion.is_empty() {
            text = self.head();
            let state = &self.inner.state().bodies[body];
            stand_in(
                &mut text,
                &self.inner.bodies()[body],
                state,
                self.inner.settings().planar,
            );
            // Writing to a String cannot fail.
            let _ = writeln!(text, "motion = {motion}");
        }
        self.edit(Edit::Prescribe(body, text))
    }

    /// Adds a named frame that is fixed in a body: its place from the centre of mass [m], in body axes, and its quaternion x, y, z, w.
    #[pyo3(signature = (name, body, position = None, orientation = None))]
    fn add_frame(
        &mut self,
        name: &Bound<'_, PyAny>,
        body: &Bound<'_, PyAny>,
        position: Option<&Bound<'_, PyAny>>,
        orientation: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (name, body) = (text(name, "name")?.to_owned(), self.body(body)?);
        if self.inner.find_frame(&name).is_some() {
            return Err(wrong("name", "must be the name of one frame only", format!("'{name}'")));
        }
        let p = position.map_or(Ok(Vec3::zeros()), |p| finite_vector(p, "position"))?;
        let q = orientation.map_or(Ok(Quat::identity()), rotation)?.coords;
        self.edit(Edit::Frame(name, body, [p.x, p.y, p.z, q.x, q.y, q.z, q.w]))
    }

    /// Takes a body out of the world, with its joints and the forces on it. Bodies behind it move down by one in the arrays.
    fn remove_body(&mut self, body: &Bound<'_, PyAny>) -> PyResult<()> {
        let body = self.body(body)?;
        self.edit(Edit::RemoveBody(body))
    }

    /// Takes a joint out of the world.
    fn remove_joint(&mut self, joint: &Bound<'_, PyAny>) -> PyResult<()> {
        let joint = self.joint(joint)?;
        self.edit(Edit::RemoveJoint(joint))
    }

    /// Lets two bodies never collide with each other.
    fn keep_apart(&mut self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<()> {
        let (a, b) = (self.body_named("a", a)?, self.body_named("b", b)?);
        self.edit(Edit::KeepApart(a, b))
    }

    /// Puts a body somewhere else: its centre of mass [m] and its orientation as a quaternion x, y, z, w. What is not given stays as it is, and so do velocities.
    #[pyo3(signature = (body, position = None, orientation = None))]
    fn set_pose(
        &mut self,
        body: &Bound<'_, PyAny>,
        position: Option<&Bound<'_, PyAny>>,
        orientation: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let body = self.body(body)?;
        let now = self.inner.state().bodies[body].pose;
        let position = position.map_or(Ok(now.position), |p| finite_vector(p, "position"))?;
        let rotation = orientation.map_or(Ok(now.rotation), rotation)?;
        let pose = Pose { position, rotation };
        self.inner.set_pose(body, pose).map_err(of_sim)
    }

    /// Changes the momentum of a dynamic body at once, by an impulse [N s] at a point of the world [m], by default its centre of mass.
    #[pyo3(signature = (body, impulse, point = None))]
    fn apply_impulse(
        &mut self,
        body: &Bound<'_, PyAny>,
        impulse: &Bound<'_, PyAny>,
        point: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let body = self.body(body)?;
        let impulse = finite_vector(impulse, "impulse")?;
        let centre = self.inner.state().bodies[body].pose.position;
        let point = point.map_or(Ok(centre), |p| finite_vector(p, "point"))?;
        self.inner.apply_impulse(body, impulse, point).map_err(of_sim)
    }
}

/// A quaternion x, y, z, w.
fn rotation(given: &Bound<'_, PyAny>) -> PyResult<Quat> {
    let [x, y, z, w] = vector::<4>(given, "orientation")?;
    let length = [x, y, z, w].iter().map(|x| x * x).sum::<f64>().sqrt();
    if (length - 1.0).abs() > 1e-6 || length.is_nan() {
        let requirement = "must be a quaternion x, y, z, w of length 1";
        return Err(wrong(
            "orientation",
            requirement,
            format!("{} of length {length}", shown(given)),
        ));
    }
    Ok(quaternion([x, y, z, w]))
}

/// The rotation of a quaternion of about length 1.
fn quaternion([x, y, z, w]: [f64; 4]) -> Quat {
    let mut quaternion = Quat::identity().into_inner();
    let c = &mut quaternion.coords;
    (c.x, c.y, c.z, c.w) = (x, y, z, w);
    Quat::new_normalize(quaternion)
}

impl World {
    /// Makes a change and notes it.
    pub(crate) fn edit(&mut self, edit: Edit) -> PyResult<()> {
        edit.apply(&mut self.inner)?;
        Arc::make_mut(&mut self.edits).push(edit);
        Ok(())
    }

    /// A body by its name, where the argument has another name than `body`.
    pub(crate) fn body_named(&self, path: &str, name: &Bound<'_, PyAny>) -> PyResult<usize> {
        let Ok(wanted) = text(name, path) else {
            return Err(wrong(path, "must be the name of a body", shown(name)));
        };
        self.inner.find_body(wanted).ok_or_else(|| self.no_body(path, wanted))
    }

    /// A body, or the body of a frame with where that is in the world.
    pub(crate) fn body_or_frame(&self, name: &Bound<'_, PyAny>) -> PyResult<(usize, stiction_sim::Vec3)> {
        let frame = text(name, "body").ok().and_then(|wanted| {
            let is_body = self.inner.find_body(wanted).is_some();
            self.inner.find_frame(wanted).filter(|_| !is_body)
        });
        if let Some((body, pose)) = frame.and_then(|k| Some((self.inner.frames()[k].body, self.inner.frame_pose(k)?))) {
            return Ok((body, pose.position));
        }
        let body = self.body_named("body", name)?;
        Ok((body, self.inner.state().bodies[body].pose.position))
    }

    fn no_body(&self, path: &str, wanted: &str) -> PyErr {
        // Bodies of files that no joint moves are frames of what they are fixed to.
        if let Some(frame) = self.inner.find_frame(wanted) {
            let frame = &self.inner.frames()[frame];
            let own = &self.inner.bodies()[frame.body].name;
            let found = format!("'{wanted}', a frame of the body '{own}' (world.frame('{wanted}') says where it is)");
            return wrong(path, "must be the name of a body", found);
        }
        let near = did_you_mean(wanted, self.inner.bodies().iter().map(|b| b.name.as_str()));
        wrong(path, "must be the name of a body", format!("'{wanted}'{near}"))
    }
}
