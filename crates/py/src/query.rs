//! Questions to a world between steps: rays, distances, joints that do not hold.

use std::time::Duration;

use pyo3::prelude::*;
use stiction_sim::Vec3;

use crate::array::number;
use crate::error::{shown, wrong};
use crate::fields::items;
use crate::given::Given;
use crate::record::{Source, list, record, rows, value};
use crate::world::{World, finite_vector};

/// Where a ray meets a body, with the body's name.
pub(crate) struct Hit(stiction_sim::query::RayHit, String);
/// How far two bodies are from each other.
pub(crate) struct Apart(stiction_sim::query::Separation);
/// The place of a surface that is nearest to a point.
pub(crate) struct Near(stiction_sim::query::Nearest);

record! {
    /// Where a ray meets a body: the body's name, the point [m], the unit normal there towards where the ray came from, the distance from its origin [m].
    RayHit of Hit {
        /// Name of the body.
        body,
        /// [m], (3,).
        point,
        /// Of the surface, towards where the ray came from, (3,).
        normal,
        /// From the ray's origin [m].
        distance,
    }
}

record! {
    /// How far two bodies are from each other [m], negative where they overlap; the closest points of a and b, (2, 3) [m]; the unit normal from b to a.
    Separation of Apart {
        /// [m]; negative where they overlap.
        distance,
        /// Closest points of a and b [m], (2, 3).
        points,
        /// From b to a, (3,).
        normal,
    }
}

record! {
    /// The place of a body's surface that is nearest to a point: its distance [m], negative inside the body, where it is [m], and the outward unit normal there.
    Nearest of Near {
        /// [m]; negative inside the body.
        distance,
        /// [m], (3,).
        point,
        /// Outwards, (3,).
        normal,
    }
}

fn vector(py: Python<'_>, v: Vec3) -> PyResult<Bound<'_, PyAny>> {
    list(py, &[v.x, v.y, v.z])
}

impl Source for Hit {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "body" => value(py, self.1.as_str()),
            "point" => vector(py, self.0.point),
            "normal" => vector(py, self.0.normal),
            _ => value(py, self.0.distance),
        }
    }
}

impl Source for Apart {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "distance" => value(py, self.0.distance),
            "points" => rows(py, &self.0.points.map(|p| [p.x, p.y, p.z])),
            _ => vector(py, self.0.normal),
        }
    }
}

impl Source for Near {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "distance" => value(py, self.0.distance),
            "point" => vector(py, self.0.point),
            _ => vector(py, self.0.normal),
        }
    }
}

#[pymethods]
impl World {
    /// The first body that a ray meets within a reach [m], or None. The direction may have any length. among: names of the bodies that count, None for all.
    #[pyo3(
        signature = (origin, direction, reach = Given::LeftOut, *, among = None),
        text_signature = "($self, origin, direction, reach=inf, *, among=None)"
    )]
    fn cast_ray(
        &self,
        origin: &Bound<'_, PyAny>,
        direction: &Bound<'_, PyAny>,
        reach: Given<'_>,
        among: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<RayHit>> {
        let (from, along) = (finite_vector(origin, "origin")?, finite_vector(direction, "direction")?);
        if along.amax() == 0.0 {
            return Err(wrong("direction", "must not be zero", shown(direction)));
        }
        let reach = reach.read(f64::INFINITY, |given| {
            let reach = number(given, "reach")?;
            if reach >= 0.0 {
                Ok(reach)
            } else {
                Err(wrong("reach", "must not be negative", reach))
            }
        })?;
        let mut counts = vec![among.is_none(); self.inner.bodies().len()];
        if let Some(names) = among {
            for (k, name) in items(names, "among")?.iter().enumerate() {
                counts[self.body_named(&format!("among[{k}]"), name)?] = true;
            }
        }
        let hit = self.inner.cast_ray_at(from, along, reach, |body| counts[body]);
        Ok(hit.map(|hit| RayHit::of(Hit(hit, self.inner.bodies()[hit.body].name.clone()))))
    }

    /// How far two bodies are from each other. None between two that are fixed surfaces without end.
    fn distance(&self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Option<Separation>> {
        let (a, b) = (self.body_named("a", a)?, self.body_named("b", b)?);
        Ok(self.inner.distance(a, b).map(|found| Separation::of(Apart(found))))
    }

    /// The place of a body's surface that is nearest to a point.
    fn distance_to_point(&self, body: &Bound<'_, PyAny>, point: &Bound<'_, PyAny>) -> PyResult<Option<Nearest>> {
        let (body, point) = (self.body(body)?, finite_vector(point, "point")?);
        Ok(self
            .inner
            .distance_to_point(body, point)
            .map(|found| Nearest::of(Near(found))))
    }

    /// Joints that do not hold: name, largest distance [m] and angle [rad] by which each is apart.
    fn joints_that_fail(&self) -> Vec<(String, f64, f64)> {
        let all = self.inner.joints_that_fail().into_iter();
        all.map(|joint| (joint.name, joint.metres, joint.radians)).collect()
    }

    /// Joints with rows that follow from those of joints before them, and how many: loops hold more than they must. None where there are too many joints to look.
    fn redundant_joints(&self) -> Option<Vec<(String, usize)>> {
        let all = self.inner.redundant_joints()?.into_iter();
        Some(
            all.map(|(joint, rows)| (self.inner.joints()[joint].name.clone(), rows))
                .collect(),
        )
    }

    /// Measures from now on where the time of steps goes, for `stage_times`.
    fn time_stages(&mut self) {
        self.inner.time_stages();
    }

    /// Where the time of the last step went [s]: collision, problem, solve, integrate.
    #[getter]
    fn stage_times(&self) -> [(&'static str, f64); 4] {
        let times = self.inner.stage_times();
        [
            ("collision", times.collision),
            ("problem", times.problem),
            ("solve", times.solve),
            ("integrate", times.integrate),
        ]
        .map(|(name, time): (_, Duration)| (name, time.as_secs_f64()))
    }
}
