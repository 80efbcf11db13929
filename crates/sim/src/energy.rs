//! Where energy goes.

use crate::Vec3;
use crate::body::{Body, Kind};
use crate::state::BodyState;

/// Energy of a world and what became of it since the start \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ledger {
    /// Kinetic energy now.
    pub kinetic: f64,
    /// Potential energy in the field of gravity now; zero at the origin.
    pub potential: f64,
    /// Taken by contacts and joints: friction, impacts. Exactly the work of their impulses.
    pub dissipated: f64,
    /// Given by applied forces, motors and moving ground.
    pub injected: f64,
    /// Given by easing overlap out.
    pub eased: f64,
    /// Taken by the time stepping itself. By the step of second order: what closing and projecting change, of third order a step. By steps of first order:
    /// poses move with the velocity at the end of a step, which takes ½h m g·(v′ − v), ½mg²h² a step in free fall, and gives it back when a body is stopped; rotation
    /// adds terms of higher order. Negative where it has given.
    pub stepping: f64,
    /// Largest rise of kinetic and potential energy in one step beyond what was injected and eased.
    pub worst_gain: f64,
}

/// Kinetic energy of a body \[J\].
#[must_use]
pub fn kinetic(body: &Body, state: &BodyState) -> f64 {
    let Kind::Dynamic { mass, inertia_body } = &body.kind else {
        return 0.0;
    };
    let w = state.pose.direction_in_body(state.spin);
    0.5 * mass * state.velocity.norm_squared() + 0.5 * w.dot(&(inertia_body * w))
}

/// Potential energy of a body in a field of gravity \[J\].
#[must_use]
pub fn potential(body: &Body, state: &BodyState, gravity: &Vec3) -> f64 {
    match &body.kind {
        Kind::Dynamic { mass, .. } => -mass * gravity.dot(&state.pose.position),
        _ => 0.0,
    }
}
