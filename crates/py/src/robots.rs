//! What became of a robot's file.

use pyo3::prelude::*;
use stiction_scene::RobotInfo;

use crate::error::of_scene;
use crate::given::path_of;
use crate::record::{Source, record, value};

record! {
    /// What a robot's file holds and what becomes of it: names are those of elements and attributes of the file, each with how often it is there.
    ImportReport of RobotInfo {
        /// Name of the robot.
        name,
        /// MJCF or URDF.
        format,
        /// Number of bodies that move.
        bodies,
        /// Number of coordinates of all joints.
        coordinates,
        /// Number of actuators.
        actuators,
        /// Number of sensors.
        sensors,
        /// Number of keyframes.
        keyframes,
        /// Mass of the bodies that move [kg].
        mass,
        /// Taken as it is: a dict of names and counts.
        taken,
        /// Taken otherwise than the file says, each with how: a dict of names and counts.
        changed,
        /// Ignored, as it has no meaning here or is not supported: a dict of names and counts.
        ignored,
        /// What is doubtful, one line each.
        warnings,
    }
}

impl Source for RobotInfo {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "name" => value(py, self.name.as_str()),
            "format" => value(py, self.format.name()),
            "bodies" => value(py, self.bodies),
            "coordinates" => value(py, self.coordinates),
            "actuators" => value(py, self.actuators),
            "sensors" => value(py, self.sensors),
            "keyframes" => value(py, self.keyframes),
            "mass" => value(py, self.mass),
            "taken" => value(py, self.report.taken.clone()),
            "changed" => value(py, self.report.changed.clone()),
            "ignored" => value(py, self.report.ignored.clone()),
            _ => value(py, self.warnings.clone()),
        }
    }
}

/// What is taken of a robot's file in MJCF or URDF, what is changed and what is ignored, as `stiction info` prints it.
#[pyfunction]
pub(crate) fn import_report(path: &Bound<'_, PyAny>) -> PyResult<ImportReport> {
    let info = RobotInfo::read(path_of(path, "path")?).map_err(of_scene)?;
    Ok(ImportReport::of(info))
}
