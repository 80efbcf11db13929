//! Limits of joints at a moment.

use super::SPEED_ROUNDING;
use crate::configuration::Configuration;
use crate::joint::{Joint, Row};

/// A side of the limits of a joint that is reached.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reached {
    pub(super) joint: usize,
    /// 1 at the lower limit, −1 at the upper.
    pub(super) sign: f64,
    pub(super) row: Row,
    /// Whether the coordinate goes on beyond it.
    pub(super) approaches: bool,
}

/// Sides of a joint's limits that are reached.
pub(super) fn reached(at: Configuration<'_>, k: usize) -> impl Iterator<Item = Reached> {
    let joint = &at.model.joints[k];
    let is_bounded = joint.bounds().is_some() && at.moves_joint(joint);
    let found = is_bounded.then(|| at.model.coordinate(k, at.bodies)).flatten();
    found.into_iter().flat_map(move |row| {
        let (speed, rounding) = (at.speed_along(joint, &row), speed_rounding(at, joint, &row));
        let slack = at.joint_slack(joint);
        joint.sides().filter_map(move |(_, sign, bound)| {
            (sign * (row.error - bound) <= slack).then_some(Reached {
                joint: k,
                sign,
                row,
                approaches: -sign * speed > rounding,
            })
        })
    })
}

/// Speed along the coordinate of a joint that is rounding \[m/s or rad/s\]: of the speeds it is a difference of, and of what gravity does in a step.
pub(super) fn speed_rounding(at: Configuration<'_>, joint: &Joint, row: &Row) -> f64 {
    let of = |(body, part): (usize, &[f64; 6])| {
        let v = at.velocity_of(body);
        part.iter().zip(v).map(|(x, v)| (x * v).abs()).sum::<f64>()
    };
    let settings = &at.model.settings;
    let fall = settings.dt * settings.gravity.norm();
    let arm = if joint.kind.is_angle() {
        at.model.joint_size(joint)
    } else {
        1.0
    };
    SPEED_ROUNDING * (joint.parts(row).map(of).sum::<f64>() + fall / arm)
}
