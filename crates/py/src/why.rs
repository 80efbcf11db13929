//! Who holds what at a moment, and by how much: of a world, of a recording.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use stiction_stand::why::{Asked, Moment, Pair, Point, Range, table};

use crate::array::number;
use crate::error::{of_record, shown, warn, wrong};
use crate::fields::items;
use crate::given::{Given, count, path_of, text};
use crate::record::{Source, list, record, value};
use crate::world::World;

/// Largest number of pairs whose ranges may be requested.
const MAX_RANGES: u64 = 1 << 32;
/// Fields of a pair in a data frame, in its order.
const COLUMNS: [&str; 21] = [
    "a",
    "b",
    "contacts",
    "normal_force",
    "friction_force",
    "limit",
    "used",
    "state",
    "slip_speed",
    "known",
    "normal_low",
    "normal_high",
    "friction_low",
    "friction_high",
    "twist",
    "slip_force",
    "slip_angle",
    "tip_force",
    "tip_angle",
    "tip_used",
    "sentence",
];

/// What was found of a moment.
pub(crate) struct Found {
    moment: Moment,
    pairs: Vec<Pair>,
}

/// The figures of one pair.
pub(crate) struct OfPair(Pair);
/// The figures of one contact of a pair.
pub(crate) struct OfPoint(Point);

record! {
    /// A contact of a pair: where it is [m], its normal force and the size of its friction force [N], the share of friction used, its state, whether its force is
    /// the only one possible (None where it was not looked for), and what its normal force could be else (low, high) [N].
    PointForces of OfPoint {
        /// Where it is [m].
        point,
        /// [N].
        normal_force,
        /// Size of the friction force [N].
        friction_force,
        /// Share of the largest friction force, or None.
        used,
        /// What the contact does.
        state,
        /// Whether its force is the only one possible; None where it was not looked for.
        unique,
        /// What the normal force could be with the same motion [N].
        normal_range,
    }
}

record! {
    /// Two bodies that touch: who holds what, and by how much. Forces in N, angles in degrees, lengths in m; None where a figure does not exist.
    PairForces of OfPair {
        /// Body that is pushed along the normal.
        a,
        /// Body that is pushed the other way.
        b,
        /// Contacts between them.
        contacts,
        /// Sum of the normal forces [N].
        normal_force,
        /// Size of the sum of the friction forces [N].
        friction_force,
        /// Most that friction can hold [N]; None where nothing limits it.
        limit,
        /// Share of the limit; None where nothing limits it or nothing presses.
        used,
        /// What the two bodies do.
        state,
        /// Fastest slip of a loaded contact [m/s], or None.
        slip_speed,
        /// Which forces are the only ones possible: of each contact, their sum alone, not even that.
        known,
        /// Least that the normal force could be [N], or None.
        normal_low,
        /// Most that the normal force could be [N], or None.
        normal_high,
        /// Least that friction could be along its direction [N], or None.
        friction_low,
        /// Most that friction could be along its direction [N], or None.
        friction_high,
        /// Centre of pressure [m]; None where nothing presses.
        point,
        /// Common normal of the contacts, from b to a; None where they have several.
        normal,
        /// Torque of friction about the normal [N m], or None.
        twist,
        /// Force to slipping [N], or None.
        slip_force,
        /// Angle to slipping [degrees], or None.
        slip_angle,
        /// Force to tipping [N], or None.
        tip_force,
        /// Angle to tipping [degrees], or None.
        tip_angle,
        /// Distance of the centre of pressure from the nearest edge [m], or None.
        tip_distance,
        /// Share of the way to that edge that is used, or None.
        tip_used,
        /// Bodies that this pair alone carries.
        carries,
        /// All this in a sentence or two.
        sentence,
        /// Contacts one by one, where a pair was requested.
        points,
    }
}

record! {
    /// Pairs of bodies that touch at a moment. A sequence of PairForces; `text` is what `stiction why` prints of them.
    Why of Found {
        /// Time of the moment [s].
        time,
        /// Step of the moment.
        step,
        /// Law of contact.
        law,
        /// The pairs, the most loaded first.
        pairs,
        /// What `stiction why` prints of them.
        text,
    } {
        fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
            self.0.get(py, "pairs")?.len()
        }

        fn __getitem__<'py>(&self, py: Python<'py>, index: isize) -> PyResult<Bound<'py, PyAny>> {
            let pairs = self.0.get(py, "pairs")?;
            let count = pairs.len()?.cast_signed();
            let place = if index < 0 { index + count } else { index };
            if !(0..count).contains(&place) {
                return Err(PyIndexError::new_err(format!("must be between -{count} and {count}, found {index}")));
            }
            pairs.get_item(place)
        }

        /// A pandas.DataFrame with a row a pair.
        fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
            let pandas = py.import("pandas")?;
            let columns = PyDict::new(py);
            for name in COLUMNS {
                let mut cells = Vec::new();
                for pair in self.0.get(py, "pairs")?.try_iter()? {
                    cells.push(pair?.getattr(name)?);
                }
                columns.set_item(name, cells)?;
            }
            pandas.call_method1("DataFrame", (columns,))
        }
    }
}

fn place(py: Python<'_>, at: Option<[f64; 3]>) -> PyResult<Bound<'_, PyAny>> {
    match at {
        Some(at) => list(py, &at),
        None => Ok(py.None().into_bound(py)),
    }
}

fn pair_of(range: Option<Range>) -> Option<(f64, f64)> {
    range.map(|range| (range.low, range.high))
}

impl Source for OfPoint {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let point = &self.0;
        match field {
            "point" => list(py, &point.point),
            "normal_force" => value(py, point.normal_force),
            "friction_force" => value(py, point.friction_force),
            "used" => value(py, point.used),
            "state" => value(py, point.state.key()),
            "unique" => value(py, point.unique),
            _ => value(py, pair_of(point.normal_range)),
        }
    }
}

impl Source for OfPair {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let pair = &self.0;
        match field {
            "a" => value(py, pair.a.as_str()),
            "b" => value(py, pair.b.as_str()),
            "contacts" => value(py, pair.contacts),
            "normal_force" => value(py, pair.normal_force),
            "friction_force" => value(py, pair.friction_force),
            "limit" => value(py, pair.limit),
            "used" => value(py, pair.used),
            "state" => value(py, pair.state.key()),
            "slip_speed" => value(py, pair.slip_speed),
            "known" => value(py, pair.known.map(stiction_stand::why::Known::key)),
            "normal_low" => value(py, pair.normal_range.map(|range| range.low)),
            "normal_high" => value(py, pair.normal_range.map(|range| range.high)),
            "friction_low" => value(py, pair.friction_range.map(|range| range.low)),
            "friction_high" => value(py, pair.friction_range.map(|range| range.high)),
            "point" => place(py, pair.point),
            "normal" => place(py, pair.normal),
            "twist" => value(py, pair.twist),
            "slip_force" => value(py, pair.slip.map(|slip| slip.force)),
            "slip_angle" => value(py, pair.slip.map(|slip| slip.angle)),
            "tip_force" => value(py, pair.tip.and_then(|tip| tip.force)),
            "tip_angle" => value(py, pair.tip.and_then(|tip| tip.angle)),
            "tip_distance" => value(py, pair.tip.map(|tip| tip.distance)),
            "tip_used" => value(py, pair.tip.map(|tip| tip.used)),
            "carries" => Ok(PyTuple::new(py, &pair.carries)?.into_any()),
            "sentence" => value(py, pair.sentence.as_str()),
            _ => {
                let points = pair
                    .points
                    .iter()
                    .map(|point| Py::new(py, PointForces::of(OfPoint(point.clone()))));
                Ok(PyTuple::new(py, points.collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
        }
    }
}

impl Source for Found {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "time" => value(py, self.moment.time),
            "step" => value(py, self.moment.step),
            "law" => value(py, self.moment.law.name()),
            "text" => value(py, table(&self.pairs)),
            _ => {
                let pairs = self
                    .pairs
                    .iter()
                    .map(|pair| Py::new(py, PairForces::of(OfPair(pair.clone()))));
                Ok(PyTuple::new(py, pairs.collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
        }
    }
}

/// What is asked, from keywords.
fn asked(body: Option<&Bound<'_, PyAny>>, pair: Option<&Bound<'_, PyAny>>, ranges: Given<'_>) -> PyResult<Asked> {
    let bodies = match body {
        None => Vec::new(),
        Some(name) => vec![text(name, "body")?.to_owned()],
    };
    let pair = pair.map(|pair| {
        let names = items(pair, "pair")?;
        let [a, b] = names.as_slice() else {
            return Err(wrong("pair", "must be the names of two bodies", shown(pair)));
        };
        Ok([text(a, "pair[0]")?.to_owned(), text(b, "pair[1]")?.to_owned()])
    });
    let default = Asked::default();
    let ranges = ranges.read(default.ranges, |given| {
        let ranges = count(given, "ranges", 0, MAX_RANGES)?;
        Ok(usize::try_from(ranges).unwrap_or(usize::MAX))
    })?;
    Ok(Asked {
        bodies,
        pair: pair.transpose()?,
        ranges,
    })
}

/// The pairs of a moment.
fn explained(py: Python<'_>, moment: Moment, asked: &Asked) -> PyResult<Why> {
    let pairs = py.detach(|| asked.explain(&moment));
    let pairs = pairs.map_err(|unknown| {
        let (requirement, found) = unknown
            .problem()
            .split_once(", found ")
            .unwrap_or((unknown.problem(), ""));
        wrong(unknown.field, requirement, found)
    })?;
    Ok(Why::of(Found { moment, pairs }))
}

#[pymethods]
impl World {
    /// Who holds what in the last step, and by how much: for each pair of bodies that touch their forces, the share of friction used, whether
    /// other forces would give the same motion, and how far the pair is from slipping and tipping.
    #[pyo3(
        signature = (*, body = None, pair = None, ranges = Given::LeftOut),
        text_signature = "($self, *, body=None, pair=None, ranges=10)"
    )]
    fn why(
        &self,
        py: Python<'_>,
        body: Option<&Bound<'_, PyAny>>,
        pair: Option<&Bound<'_, PyAny>>,
        ranges: Given<'_>,
    ) -> PyResult<Why> {
        let asked = asked(body, pair, ranges)?;
        explained(py, Moment::of_world(&self.inner), &asked)
    }
}

/// The same of a recording in MCAP, at the step nearest to a time [s], the last where none is given.
#[pyfunction]
#[pyo3(
    signature = (path, time = None, *, body = None, pair = None, ranges = Given::LeftOut),
    text_signature = "(path, time=None, *, body=None, pair=None, ranges=10)"
)]
pub(crate) fn why(
    py: Python<'_>,
    path: &Bound<'_, PyAny>,
    time: Option<&Bound<'_, PyAny>>,
    body: Option<&Bound<'_, PyAny>>,
    pair: Option<&Bound<'_, PyAny>>,
    ranges: Given<'_>,
) -> PyResult<Why> {
    let (path, asked) = (path_of(path, "path")?, asked(body, pair, ranges)?);
    let time = time.map(|time| number(time, "time")).transpose()?;
    let moment = py.detach(|| Moment::of_recording(&path, time)).map_err(of_record)?;
    let moment = moment.ok_or_else(|| wrong("path", "must hold contacts of at least one step", "none"))?;
    if let Some(unfinished) = &moment.unfinished {
        warn(py, &unfinished.to_string())?;
    }
    explained(py, moment, &asked)
}
