//! `<joint>`: how a link moves in the frame of its parent.

use super::element::Element;
use super::{Notes, UrdfJoint, UrdfJointKind, mimic};
use crate::Vec3;
use crate::scene::error::Report;

pub(super) const KINDS: [(&str, UrdfJointKind); 7] = [
    ("fixed", UrdfJointKind::Fixed),
    ("revolute", UrdfJointKind::Revolute),
    ("continuous", UrdfJointKind::Continuous),
    ("prismatic", UrdfJointKind::Prismatic),
    ("floating", UrdfJointKind::Floating),
    ("planar", UrdfJointKind::Planar),
    ("spherical", UrdfJointKind::Spherical),
];

/// Reads a joint; `find` gives the number of a link by its name.
pub(super) fn read(
    element: &Element<'_, '_>,
    name: &str,
    find: impl Fn(&str) -> Option<usize>,
    notes: &mut Notes,
    report: &mut Report<'_>,
) -> Option<UrdfJoint> {
    notes.ignored(
        element,
        &["origin", "parent", "child", "axis", "limit", "dynamics", "mimic"],
    );
    let kind = element.need("type", report).and_then(|text| {
        let found = KINDS.iter().find(|(name, _)| *name == text).map(|(_, kind)| *kind);
        let names = KINDS.map(|(name, _)| name).join(", ");
        found.or_else(|| element.wrong("type", &format!("must be one of {names}"), report))
    });
    let origin = element.origin(report);
    let [parent, child] = ["parent", "child"].map(|tag| {
        let end = element.need_child(tag, report)?;
        let found = find(end.need("link", report)?);
        found.or_else(|| end.wrong("link", "must be the name of a link", report))
    });
    let axis = axis(element, kind, report);
    let limit = limit(element, kind, notes, report);
    let dynamics = dynamics(element, report);
    let mimic = mimic::read(element, kind, report);
    let (limits, effort) = limit?;
    let (damping, friction) = dynamics?;
    if kind.is_some_and(|kind| !kind.has_coordinate()) {
        for (what, x) in [("damping", damping), ("friction", friction)] {
            if x > 0.0 {
                notes.add(format!(
                    "joint.dynamics.{what} of a joint without a coordinate of its own"
                ));
            }
        }
    }
    Some(UrdfJoint {
        name: name.to_owned(),
        kind: kind?,
        parent: parent?,
        child: child?,
        origin: origin?,
        axis: axis?,
        limits,
        effort,
        damping,
        friction,
        mimic,
        at: element.at(),
        place: String::new(),
    })
}

/// Unit axis in the frame of the joint; x where there is none.
fn axis(element: &Element<'_, '_>, kind: Option<UrdfJointKind>, report: &mut Report<'_>) -> Option<Vec3> {
    let moves = !matches!(
        kind,
        Some(UrdfJointKind::Fixed | UrdfJointKind::Floating | UrdfJointKind::Spherical)
    );
    let Some(axis) = element.child("axis", report).filter(|_| moves) else {
        return Some(Vec3::x());
    };
    let v = axis.vector("xyz", report)?;
    let scale = v.amax();
    if scale == 0.0 {
        return axis.wrong("xyz", "must not be zero", report);
    }
    Some((v / scale).normalize())
}

/// Limits of the coordinate and largest force of a motor.
type Limit = (Option<[f64; 2]>, Option<f64>);

fn limit(
    element: &Element<'_, '_>,
    kind: Option<UrdfJointKind>,
    notes: &mut Notes,
    report: &mut Report<'_>,
) -> Option<Limit> {
    let bounded = matches!(kind, Some(UrdfJointKind::Revolute | UrdfJointKind::Prismatic));
    let limit = if bounded {
        Some(element.need_child("limit", report)?)
    } else {
        element.child("limit", report)
    };
    let Some(limit) = limit else { return Some((None, None)) };
    let (low, high) = (
        limit.number_or("lower", 0.0, "", |_| true, report),
        limit.number_or("upper", 0.0, "", |_| true, report),
    );
    let effort = match limit.text("effort") {
        Some(_) => Some(limit.number("effort", "must not be negative", |x| x >= 0.0, report)?),
        None => None,
    };
    if limit.text("velocity").is_some() {
        limit.number("velocity", "must not be negative", |x| x >= 0.0, report)?;
        notes.add(format!("{}.velocity", generic(&limit)));
    }
    let (low, high) = (low?, high?);
    if !bounded {
        return Some((None, effort));
    }
    if low > high {
        return limit.wrong("upper", "must not lie below lower", report);
    }
    Some((Some([low, high]), effort))
}

/// Damping and dry friction.
fn dynamics(element: &Element<'_, '_>, report: &mut Report<'_>) -> Option<(f64, f64)> {
    let Some(dynamics) = element.child("dynamics", report) else {
        return Some((0.0, 0.0));
    };
    let mut get = |key| dynamics.number_or(key, 0.0, "must not be negative", |x| x >= 0.0, report);
    let (damping, friction) = (get("damping"), get("friction"));
    Some((damping?, friction?))
}

/// The path of an element without the name of its joint.
fn generic(element: &Element<'_, '_>) -> String {
    format!("joint.{}", element.tag())
}
