//! What is verified of the motion of a tree: from each body's own mass, inertia and momentum, Newton's and Euler's laws.
//!
//! What a joint gives a body is what its momentum has changed beyond loads. Summed from the ends of the tree to a joint that is the force and the torque in the joint, and along
//! what the joint leaves free it must be what acts there: nothing, or a motor. Nothing that the solver has factored is read.

use super::articulated::Node;
use super::links::{Freedom, Link};
use crate::Vec3;

/// Momentum that a body gets in half a step beyond loads, and what it is a difference of.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Given {
    pub(super) linear: Vec3,
    pub(super) angular: Vec3,
    /// Sizes of the terms.
    pub(super) of_linear: f64,
    pub(super) of_angular: f64,
}

/// Largest part of the momenta of a tree along what joints leave free, beside the sizes of the terms. `given` becomes what passes through each joint, about its point. `driven` is
/// what acts along the coordinate of a link.
pub(super) fn residual(links: &[Link], nodes: &[Node], given: &mut [Given], driven: impl Fn(usize) -> f64) -> f64 {
    let mut worst = 0.0_f64;
    for k in (0..links.len()).rev() {
        let (link, node) = (&links[k], &nodes[k]);
        let mut here = given[k];
        let arm = node.centre - node.point;
        here.angular += arm.cross(&here.linear);
        here.of_angular += arm.norm() * here.of_linear;
        given[k] = here;
        let parts = match link.freedom {
            Freedom::Free => [
                here.linear.norm() / here.of_linear,
                here.angular.norm() / here.of_angular,
            ],
            Freedom::Ball => [here.angular.norm() / here.of_angular, 0.0],
            Freedom::Turn => [
                (node.axis.dot(&here.angular) - driven(k)).abs() / (here.of_angular + driven(k).abs()),
                0.0,
            ],
            Freedom::Slide => [
                (node.axis.dot(&here.linear) - driven(k)).abs() / (here.of_linear + driven(k).abs()),
                0.0,
            ],
            Freedom::None => [0.0; 2],
        };
        // NaN, of nothing by nothing, is nothing: where nothing moves nothing is off.
        worst = parts.into_iter().fold(worst, f64::max);
        if let Some(parent) = link.parent {
            let from = node.point - nodes[parent].centre;
            let on = &mut given[parent];
            on.linear += here.linear;
            on.angular += here.angular + from.cross(&here.linear);
            on.of_linear += here.of_linear;
            on.of_angular += here.of_angular + from.norm() * here.of_linear;
        }
    }
    worst
}
