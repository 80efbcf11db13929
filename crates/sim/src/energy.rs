//! Where energy goes.

use crate::Vec3;
use crate::body::{Body, Kind};
use crate::state::BodyState;

/// Energy of a world and where it went since the start \[J\].
///
/// Every field is measured; [`Numerical::flight`] alone is a remainder. So kinetic + potential + slip + impacts + numerical − injected − eased is constant, to rounding.
///
/// ```
/// use stiction_sim::World;
/// use stiction_scene::{Scene, WorldExt};
/// let text = r#"
///     format = 1
///     world = { friction = 0.5 }
///     body = [
///         { name = "ground", kind = "fixed", shape = { half_space = [0, 0, 1] } },
///         { name = "box", shape = { box = [0.1, 0.1, 0.1] }, mass = 2, position = [0, 0, 0.05], velocity = [1, 0, 0] },
///     ]
/// "#;
/// let mut world = World::from_scene(&Scene::parse(text, ".")?)?;
/// for _ in 0..500 {
///     world.step()?;
/// }
/// // It slides until friction has taken ½ m v².
/// let ledger = world.ledger();
/// assert!((ledger.slip - 1.0).abs() < 1e-12);
/// assert!(ledger.impacts.abs() < 1e-12 && ledger.stepping().abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ledger {
    /// Kinetic energy now.
    pub kinetic: f64,
    /// Potential energy in the field of gravity now; zero at the origin.
    pub potential: f64,
    /// Taken by friction of contacts and joints while nothing arrives: −Σ ½ p·(u + u′) with the contact velocities before and after the step. In steps of first order: the loss
    /// in contacts and joints except for `impacts`; in first-order physics this includes the drag.
    pub slip: f64,
    /// Taken by arrivals: the loss in bounces, and the whole loss of islands in steps in which a contact closes or a joint arrives at its limit. In steps of first order: the
    /// loss by normal impulses of contacts and limits, −Σ ½ θ(ν + ν′).
    pub impacts: f64,
    /// Given by applied forces, motors and moving ground.
    pub injected: f64,
    /// Given by penetration correction.
    pub eased: f64,
    /// Taken by the time stepping itself.
    pub numerical: Numerical,
    /// Largest rise of kinetic and potential energy in one step beyond what was injected and what penetration correction gave.
    pub worst_gain: f64,
}

/// Energy that the time stepping takes, by cause \[J\].
///
/// The first three are those of [`Stepper::Midpoint`](crate::Stepper::Midpoint) in islands without arrivals, each of third order in a step: see `docs/STEP.md`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Numerical {
    /// Taken by the velocity projection, ½ wᵀ(A𝓜⁻¹Aᵀ)⁺w for velocities w along joints and closed contacts. Not negative; a free estimate of the error.
    pub velocity: f64,
    /// Taken by closing gaps and joints: energy before less that after. Negative where closing lifts bodies.
    pub closing: f64,
    /// Of both, given back by scaling velocities. Negative where energy that closing gave was taken back.
    pub returned: f64,
    /// The remainder. In steps of first order it is large: poses move with the velocity at the end of a step, which takes ½h m g·(v′ − v), ½mg²h² a step in free fall, and gives it
    /// back when a body is stopped; rotation adds terms of higher order. In midpoint steps: rounding, and energy that an island gains in a step with arrivals.
    pub flight: f64,
}

impl Numerical {
    /// All that the time stepping has taken \[J\]; negative where it has given.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.velocity + self.closing - self.returned + self.flight
    }
}

impl Ledger {
    /// Taken by contacts and joints: slip and impacts \[J\].
    #[must_use]
    pub fn dissipated(&self) -> f64 {
        self.slip + self.impacts
    }

    /// Taken by the time stepping itself \[J\]; negative where it has given.
    #[must_use]
    pub fn stepping(&self) -> f64 {
        self.numerical.total()
    }

    /// Energy now and taken, less what was given \[J\]: constant, to rounding.
    #[must_use]
    pub fn balance(&self) -> f64 {
        self.kinetic + self.potential + self.dissipated() + self.stepping() - self.injected - self.eased
    }
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
