//! Grasps in batches: force closure, least squeeze and quality of one body held by fingers, each a contact.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction_stand::grasp::{force_closure, least_squeeze, quality};
use stiction_stand::{Equilibrium, StandError};

use crate::array::{finite, number, numbers, tuple, vector};
use crate::error::wrong;
use crate::stability::of_stand;

/// What is the same of all grasps.
struct Object {
    mass: f64,
    center: [f64; 3],
    gravity: [f64; 3],
    length: f64,
    wants_quality: bool,
}

/// What is said of one grasp.
struct Grasp {
    is_closed: bool,
    squeeze: f64,
    quality: [f64; 2],
}

impl Object {
    fn grasp(&self, points: &[f64], normals: &[f64], friction: &[f64]) -> Result<Grasp, StandError> {
        let mut whole = Equilibrium::new(false, self.gravity);
        let hand = whole.add_fixed("hand");
        // Statics knows no inertia: any that is positive will do.
        let inertia = std::array::from_fn(|k| std::array::from_fn(|l| if k == l { self.mass } else { 0.0 }));
        let body = whole.add_body("object", self.mass, inertia, self.center)?;
        for ((p, n), mu) in points.chunks_exact(3).zip(normals.chunks_exact(3)).zip(friction) {
            whole.add_contact([body, hand], [p[0], p[1], p[2]], [n[0], n[1], n[2]], *mu)?;
        }
        let fingers: Vec<Vec<usize>> = (0..friction.len()).map(|j| vec![j]).collect();
        let quality = if self.wants_quality {
            let found = quality(&whole, self.length)?;
            [found.low, found.high]
        } else {
            [f64::NAN; 2]
        };
        Ok(Grasp {
            is_closed: force_closure(&whole),
            squeeze: least_squeeze(&whole, &fingers).map_or(f64::NAN, |squeeze| squeeze.force),
            quality,
        })
    }
}

/// Grasps of one body by k fingers, B at once: `points` and `normals` (into the body) have shape (B, k, 3) or (k, 3) [m], `friction` is one number or has shape (B, k).
///
/// Returns a dict of arrays of length B: `force_closure`, whether they hold against every load, proved; `squeeze`, the least force with which the hardest finger
/// must press to hold the weight [N], nan where none is enough; with `quality`, `quality_low` and `quality_high`, the bracket of Ferrari and Canny for normal forces
/// of 1 N in all, torques over `length` [m].
///
/// >>> import stiction
/// >>> found = stiction.grasps([[1, 0, 0], [-1, 0, 0]], [[-1, 0, 0], [1, 0, 0]], 0.5, mass=1.0)
/// >>> squeeze, closed = found.get("squeeze"), found.get("force_closure")
/// >>> round(float(squeeze[0]), 4), bool(closed[0])
/// (9.81, False)
#[pyfunction]
#[pyo3(signature = (points, normals, friction, *, mass = 1.0, center = None, gravity = None, length = 1.0, quality = false))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn grasps<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    normals: &Bound<'py, PyAny>,
    friction: &Bound<'py, PyAny>,
    mass: f64,
    center: Option<&Bound<'py, PyAny>>,
    gravity: Option<&Bound<'py, PyAny>>,
    length: f64,
    quality: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let given = numbers(points, "points")?;
    let (count, fingers) = match *given.shape() {
        [k, 3] => (1, k),
        [b, k, 3] => (b, k),
        ref found => {
            let found = tuple(found.iter().map(ToString::to_string));
            return Err(wrong("points", "must have shape (B, k, 3) or (k, 3)", found));
        }
    };
    let shape: Vec<Option<usize>> = given.shape().iter().map(|n| Some(*n)).collect();
    let points = finite(points, "points", &shape)?.values().to_vec();
    let normals = finite(normals, "normals", &shape)?.values().to_vec();
    let sides = &shape[..shape.len() - 1];
    let friction = if numbers(friction, "friction")?.shape().is_empty() {
        vec![number(friction, "friction")?; count * fingers]
    } else {
        finite(friction, "friction", sides)?.values().to_vec()
    };
    let object = Object {
        mass,
        center: center.map_or(Ok([0.0; 3]), |center| vector(center, "center"))?,
        gravity: gravity.map_or(Ok([0.0, 0.0, -9.81]), |gravity| vector(gravity, "gravity"))?,
        length,
        wants_quality: quality,
    };
    let found = py.detach(|| {
        let one = |b: usize| {
            let (of, three) = (b * fingers..(b + 1) * fingers, 3 * b * fingers..3 * (b + 1) * fingers);
            object.grasp(&points[three.clone()], &normals[three], &friction[of])
        };
        (0..count).map(one).collect::<Result<Vec<Grasp>, StandError>>()
    });
    let found = found.map_err(of_stand)?;
    let all = PyDict::new(py);
    let closed: Vec<bool> = found.iter().map(|grasp| grasp.is_closed).collect();
    all.set_item("force_closure", PyArray1::from_slice(py, &closed))?;
    let add = |name: &str, of: &dyn Fn(&Grasp) -> f64| {
        let values: Vec<f64> = found.iter().map(of).collect();
        all.set_item(name, PyArray1::from_slice(py, &values))
    };
    add("squeeze", &|grasp| grasp.squeeze)?;
    if quality {
        add("quality_low", &|grasp| grasp.quality[0])?;
        add("quality_high", &|grasp| grasp.quality[1])?;
    }
    Ok(all)
}
