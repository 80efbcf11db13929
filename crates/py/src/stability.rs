//! Does it stand, by what margin: of a world, and of blocks given by their meshes.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use stiction_stand::balance::{displaced, moved};
use stiction_stand::interfaces::{Assembly, Block, Interface, Tolerances};
use stiction_stand::question::{Any, Question, answer, level};
use stiction_stand::report::{Along, NamedMargin, Report, degrees};
use stiction_stand::{Ask, Equilibrium, Existence, Forces, StandError};

use crate::array::vector;
use crate::error::{of_sim, wrong};
use crate::record::{Source, list, record, rows, table, value};
use crate::world::World;

/// A mesh from Python: name, corners, faces, whether it is a support.
type Mesh = (String, Vec<[f64; 3]>, Vec<Vec<usize>>, bool);

/// The report of a question.
pub(crate) struct OfReport(Report);
/// One of its margins.
pub(crate) struct OfMargin(NamedMargin, usize);
/// Where two blocks touch.
pub(crate) struct OfInterface {
    interface: Interface,
    names: [String; 2],
}

record! {
    /// How far a load can grow: `low` is proved by forces, beyond `high` rest is proved impossible (`mechanism`, a velocity a body), `found` is where the exact law leaves rest. Of a
    /// tilt they are angles in degrees, of an acceleration counted in g, of a load factors. None where a bound was not found, inf where nothing limits it.
    StabilityMargin of OfMargin {
        /// What grows: a load or a tilt.
        name,
        /// Proved to stand up to here, or None.
        low,
        /// Where the exact law leaves rest.
        found,
        /// Proved to fall beyond, or None; inf where nothing limits it.
        high,
        /// Normal force and friction along two tangents of each contact [N], (n, 3), or None.
        forces,
        /// Velocities of the bodies that can move, or None.
        mechanism,
    }
}

record! {
    /// Whether it stands: `verdict` is stands, falls, may_fall or undecided; `proof` what proves that forces exist or that rest is impossible (forces, mechanism, None); `forces` (n, 3),
    /// normal and two tangential ones a contact [N]; `mechanism` a velocity a body that can move; `margins` and the first of them; `text` and `json` as `stiction stand` prints them.
    Stability of OfReport {
        /// stands, falls, may_fall or undecided.
        verdict,
        /// Whether rest is only a balance: the slightest push fells it.
        balances,
        /// What proves it: forces, a mechanism, or None.
        proof,
        /// (n, 3): normal force and friction along two tangents of each contact [N].
        forces,
        /// Velocities of the bodies that can move, where it falls.
        mechanism,
        /// How far each load can grow.
        margins,
        /// The first of the margins, or None.
        margin,
        /// What `stiction stand` prints.
        text,
        /// The same as JSON.
        json,
    }
}

record! {
    /// Where two blocks touch: their names, corners of the polygon [m], the normal from the second to the first, area [m²] and largest distance of the faces [m].
    BlockInterface of OfInterface {
        /// Name of the first block.
        a,
        /// Name of the second block.
        b,
        /// Corners of the polygon [m], (n, 3).
        points,
        /// From the second block to the first, (3,).
        normal,
        /// [m^2].
        area,
        /// Largest distance of the faces [m].
        gap,
    }
}

pub(crate) fn of_stand(error: StandError) -> PyErr {
    match error {
        StandError::Value {
            field,
            requirement,
            found,
        } => wrong(field, requirement, found),
        StandError::World(error) => of_sim(error),
        other => wrong("assembly", other, "it"),
    }
}

fn force_rows<'py>(py: Python<'py>, forces: Option<&Forces>) -> PyResult<Bound<'py, PyAny>> {
    match forces {
        Some(forces) => rows(py, &forces.contacts),
        None => Ok(py.None().into_bound(py)),
    }
}

fn velocities<'py>(py: Python<'py>, velocity: &[f64], dim: usize) -> PyResult<Bound<'py, PyAny>> {
    if velocity.is_empty() || dim == 0 {
        return Ok(py.None().into_bound(py));
    }
    table(py, velocity, &[velocity.len() / dim, dim])
}

impl Source for OfMargin {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let margin = &self.0.margin;
        let shown = |x: f64| match &self.0.along {
            Along::Tilt(_) if x.is_finite() => degrees(x),
            _ => x,
        };
        match field {
            "name" => value(py, self.0.name.as_str()),
            "low" => value(py, margin.low.as_ref().map(|low| shown(low.lambda))),
            "found" => value(py, self.0.limit.map(|limit| shown(limit.rests))),
            "high" => value(py, (!margin.high.is_nan()).then(|| shown(margin.high))),
            "forces" => force_rows(py, margin.low.as_ref().map(|low| &low.forces)),
            _ => velocities(py, &margin.mechanism, self.1),
        }
    }
}

impl Source for OfReport {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let report = &self.0;
        let existence = &report.verdict.existence;
        match field {
            "verdict" => value(py, report.verdict.word.name()),
            "balances" => value(py, report.verdict.balance.is_some()),
            "proof" => value(
                py,
                match existence {
                    Existence::Forces(balanced) if balanced.proof.is_some() => Some("forces"),
                    Existence::Mechanism { .. } => Some("mechanism"),
                    _ => None,
                },
            ),
            "forces" => match existence {
                Existence::Forces(balanced) => force_rows(py, Some(&balanced.forces)),
                _ => force_rows(py, None),
            },
            "mechanism" => match existence {
                Existence::Mechanism { velocity, .. } => velocities(py, velocity, report.whole.dim()),
                _ => Ok(py.None().into_bound(py)),
            },
            "margin" => match report.margins.first() {
                Some(first) => {
                    let margin = StabilityMargin::of(OfMargin(first.clone(), report.whole.dim()));
                    Ok(Py::new(py, margin)?.into_bound(py).into_any())
                }
                None => Ok(py.None().into_bound(py)),
            },
            "margins" => {
                let dim = report.whole.dim();
                let all = report.margins.iter();
                let all = all.map(|margin| Py::new(py, StabilityMargin::of(OfMargin(margin.clone(), dim))));
                Ok(PyTuple::new(py, all.collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
            "text" => value(py, report.words()),
            _ => value(py, report.json().to_string()),
        }
    }
}

impl Source for OfInterface {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "a" => value(py, self.names[0].as_str()),
            "b" => value(py, self.names[1].as_str()),
            "points" => rows(py, &self.interface.points),
            "normal" => list(py, &self.interface.normal),
            "area" => value(py, self.interface.area),
            _ => value(py, self.interface.gap),
        }
    }
}

/// Level directions by their names: of tilts or accelerations.
fn directions(
    whole: &Equilibrium,
    (field, names): (&str, &[String]),
    along: fn([f64; 3]) -> Along,
) -> PyResult<(Vec<(String, Along)>, bool)> {
    let (mut margins, mut any) = (Vec::new(), false);
    for name in names {
        let (sign, letter) = name
            .strip_prefix('-')
            .map_or((1.0, name.as_str()), |letter| (-1.0, letter));
        let axis = match letter {
            "any" if sign > 0.0 => {
                any = true;
                continue;
            }
            "x" => [sign, 0.0, 0.0],
            "y" => [0.0, sign, 0.0],
            "z" => [0.0, 0.0, sign],
            _ => {
                let requirement = "must be any or one of x, -x, y, -y, z, -z";
                return Err(wrong(field, requirement, format!("{name:?}")));
            }
        };
        let axis = level(field, whole.gravity(), axis).map_err(of_stand)?;
        margins.push((name.clone(), along(axis)));
    }
    Ok((margins, any))
}

fn stability_of(
    py: Python<'_>,
    (name, whole, fastest): (&str, Equilibrium, f64),
    world: Option<&stiction_sim::World>,
    (tilt, acceleration): (&[String], &[String]),
    tries: i64,
) -> PyResult<Stability> {
    let Ok(tries) = u64::try_from(tries) else {
        return Err(wrong("tries", "must not be negative", tries));
    };
    let (mut margins, tilts) = directions(&whole, ("tilt", tilt), Along::Tilt)?;
    let (other, accelerations) = directions(&whole, ("acceleration", acceleration), Along::Acceleration)?;
    margins.extend(other);
    let any = Any {
        tilt: tilts,
        acceleration: accelerations,
    };
    let question = Question {
        ask: Ask {
            tries,
            ..Ask::default()
        },
        margins,
        any,
        ..Question::default()
    };
    let report = py.detach(|| {
        let mut report = answer(name, whole, &question, fastest)?;
        if tries > 0 {
            let whole = report.whole.clone();
            report.look_for_balance(|by| match world {
                Some(world) => displaced(world, (None, None), &whole, by),
                None => moved(&whole, by),
            })?;
        }
        Ok(report)
    });
    let report = report.map_err(of_stand)?;
    Ok(Stability::of(OfReport(report)))
}

/// One name, or several.
fn names(field: &str, given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    if let Ok(name) = given.extract::<String>() {
        return Ok(vec![name]);
    }
    let found = given.extract::<Vec<String>>();
    found.map_err(|_| {
        wrong(
            field,
            "must be the name of a direction, or several",
            crate::error::shown(given),
        )
    })
}

#[pymethods]
impl World {
    /// Whether the world stands as it is, with proof, and how far gravity may lean, or how hard the ground may accelerate [g], towards x, -x, y, -y, z, -z, or any: how `stiction stand`
    /// answers.
    #[pyo3(signature = (*, tilt = None, acceleration = None, tries = 3))]
    fn stability(
        &self,
        py: Python<'_>,
        tilt: Option<&Bound<'_, PyAny>>,
        acceleration: Option<&Bound<'_, PyAny>>,
        tries: i64,
    ) -> PyResult<Stability> {
        let statics = self.inner.statics(None).map_err(of_sim)?;
        let whole = Equilibrium::from_statics(&statics).map_err(of_stand)?;
        stability_of(
            py,
            ("world", whole, statics.fastest),
            Some(&self.inner),
            (&names("tilt", tilt)?, &names("acceleration", acceleration)?),
            tries,
        )
    }
}

/// Blocks on their interfaces.
#[pyclass(frozen, module = "stiction")]
pub(crate) struct _Blocks {
    made: Assembly,
    names: Vec<String>,
}

#[pymethods]
impl _Blocks {
    #[new]
    fn new(
        py: Python<'_>,
        blocks: Vec<Mesh>,
        tolerances: [f64; 3],
        matter: (f64, f64),
        gravity: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let gravity = vector::<3>(gravity, "gravity")?;
        let blocks: Vec<Block> = blocks
            .into_iter()
            .map(|(name, vertices, faces, is_support)| Block {
                name,
                vertices,
                faces,
                is_support,
            })
            .collect();
        let [gap, area, angle] = tolerances;
        let tolerances = Tolerances { gap, area, angle };
        let made = py
            .detach(|| Assembly::new(&blocks, tolerances, matter, gravity))
            .map_err(of_stand)?;
        Ok(Self {
            made,
            names: blocks.into_iter().map(|block| block.name).collect(),
        })
    }

    #[getter]
    fn interfaces(&self) -> Vec<BlockInterface> {
        let of = |interface: &Interface| {
            BlockInterface::of(OfInterface {
                interface: interface.clone(),
                names: interface.bodies.map(|body| self.names[body].clone()),
            })
        };
        self.made.interfaces.iter().map(of).collect()
    }

    #[getter]
    fn volumes(&self) -> Vec<f64> {
        self.made.volumes.clone()
    }

    #[pyo3(signature = (*, tilt = None, acceleration = None, tries = 3))]
    fn stability(
        &self,
        py: Python<'_>,
        tilt: Option<&Bound<'_, PyAny>>,
        acceleration: Option<&Bound<'_, PyAny>>,
        tries: i64,
    ) -> PyResult<Stability> {
        stability_of(
            py,
            ("assembly", self.made.whole.clone(), 0.0),
            None,
            (&names("tilt", tilt)?, &names("acceleration", acceleration)?),
            tries,
        )
    }
}
