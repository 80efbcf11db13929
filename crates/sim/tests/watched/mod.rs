//! A world that is watched: at every step, energy does not rise without work and bodies do not overlap.
#![allow(dead_code)] // Each test uses a part of it.

use std::path::Path;

use stiction_scene::{Scene, WorldExt};
use stiction_sim::body::Kind;
use stiction_sim::energy::{kinetic, potential};
use stiction_sim::shape::Shape;
use stiction_sim::{StepReport, Stepper, Vec3, World};

/// Rise of energy in a step, as a share of the total, that counts as none.
const GAIN: f64 = 1e-9;
/// Overlap at rest, as a share of the bodies' size, that counts as none.
const DEPTH: f64 = 1e-9;

/// A world that is watched at every step.
pub(crate) struct Watched {
    pub(crate) world: World,
    start: Vec<Vec3>,
    /// Energy at the start less the work done until then [J].
    first: f64,
    /// Smallest radius about the middle that holds a moving body [m].
    size: f64,
    /// Deepest overlap so far [m].
    pub(crate) depth: f64,
    /// Largest rise of energy in a step without work, as a share of the total.
    pub(crate) gain: f64,
}

impl Watched {
    pub(crate) fn new(world: World) -> Self {
        let start = world.state().bodies.iter().map(|b| b.pose.position).collect();
        let moving = world.bodies().iter().filter(|b| b.is_dynamic());
        let size = moving.map(|b| radius(&b.shape)).fold(f64::INFINITY, f64::min);
        let mut watched = Self {
            world,
            start,
            first: 0.0,
            size,
            depth: 0.0,
            gain: 0.0,
        };
        watched.first = watched.energy()[0] - watched.world.ledger().injected;
        watched
    }

    /// A scene below `scenes/`.
    pub(crate) fn scene(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
        let scene = Scene::read(path).unwrap_or_else(|error| panic!("{error}"));
        Self::new(World::from_scene(&scene).unwrap())
    }

    /// Kinetic and potential energy from the state itself, and a size to measure their changes by [J].
    fn energy(&self) -> [f64; 2] {
        let (mut sum, mut size) = (0.0, 0.0);
        let gravity = self.world.settings().gravity;
        for (body, state) in self.world.bodies().iter().zip(&self.world.state().bodies) {
            let (mut k, p) = (kinetic(body, state), potential(body, state, &gravity));
            // First-order physics knows no kinetic energy.
            k *= f64::from(u8::from(self.world.settings().stepper.has_inertia()));
            sum += k + p;
            size += k + p.abs();
            if let Kind::Dynamic { mass, .. } = body.kind {
                size += mass * gravity.norm() * radius(&body.shape);
            }
        }
        [sum, size]
    }

    /// Makes a step and asserts that energy has not risen by more than the work done: in the step, where bodies that are eased apart are
    /// lifted by what the ledger says, and since the start, whatever it says of easing. With a step of first order what swings on joints rises as well: there the
    /// potential energy is taken half a step back, in the middle between two velocities, and O(h) of the kinetic energy is allowed. And
    /// that bodies overlap at its start by no more than rounding where they rest and by no more than they move in a step otherwise.
    pub(crate) fn step(&mut self) -> StepReport {
        let (before, ledger) = (self.energy(), *self.world.ledger());
        let fastest = self.fastest();
        let report = self.world.step().unwrap();
        let (after, now) = (self.energy(), *self.world.ledger());
        // What the forces at contacts could do over the size of a body.
        let pressed: f64 = self.world.solution().normal_impulse.iter().sum();
        let total = after[1]
            .max(before[1])
            .max(pressed / self.world.settings().dt * self.size);
        let work = now.injected - ledger.injected + now.eased - ledger.eased;
        let share = |rise: f64| if total > 0.0 { rise / total } else { 0.0 };
        let since_start = after[0] - self.first - now.injected - self.swing();
        let gain = share(after[0] - before[0] - work).max(share(since_start));
        self.gain = self.gain.max(gain);
        self.depth = self.depth.max(report.depth);
        let step = self.world.state().step;
        assert!(
            gain <= GAIN,
            "step {step}: energy rises by {gain:e} of the total, {now:?}"
        );
        let allowed = DEPTH * self.size + fastest * self.world.settings().dt;
        assert!(
            report.depth <= allowed,
            "step {step}: depth {:e} of {allowed:e}",
            report.depth
        );
        report
    }

    /// What the energy of a world with joints may differ from that of its start [J].
    fn swing(&self) -> f64 {
        if self.world.joints().is_empty() || self.world.settings().stepper == Stepper::Midpoint {
            return 0.0;
        }
        let (h, gravity) = (self.world.settings().dt, self.world.settings().gravity);
        let bodies = self.world.bodies().iter().zip(&self.world.state().bodies);
        let falls = bodies.map(|(body, state)| match body.kind {
            Kind::Dynamic { mass, .. } => mass * gravity.dot(&state.velocity),
            _ => 0.0,
        });
        h * self.world.ledger().kinetic - 0.5 * h * falls.sum::<f64>()
    }

    pub(crate) fn run(&mut self, steps: usize) -> &mut Self {
        for _ in 0..steps {
            self.step();
        }
        self
    }

    /// Largest speed of a point of a body [m/s].
    pub(crate) fn fastest(&self) -> f64 {
        let bodies = self.world.bodies().iter().zip(&self.world.state().bodies);
        bodies
            .map(|(b, s)| {
                s.velocity.norm()
                    + if b.is_dynamic() {
                        s.spin.norm() * radius(&b.shape)
                    } else {
                        s.spin.norm()
                    }
            })
            .fold(0.0, f64::max)
    }

    pub(crate) fn place(&self, name: &str) -> usize {
        self.world.bodies().iter().position(|b| b.name == name).unwrap()
    }

    pub(crate) fn position(&self, name: &str) -> Vec3 {
        self.world.state().bodies[self.place(name)].pose.position
    }

    pub(crate) fn moved(&self, name: &str) -> Vec3 {
        self.position(name) - self.start[self.place(name)]
    }

    /// Farthest that any body whose name begins so has moved.
    pub(crate) fn farthest(&self, prefix: &str) -> f64 {
        let bodies = self
            .world
            .bodies()
            .iter()
            .zip(&self.world.state().bodies)
            .zip(&self.start);
        bodies
            .filter(|((b, _), _)| b.name.starts_with(prefix))
            .map(|((_, s), start)| (s.pose.position - start).norm())
            .fold(0.0, f64::max)
    }

    /// Asserts that nothing has moved or sunk in.
    pub(crate) fn stands(&self, tolerance: f64) {
        let moved = self.farthest("");
        assert!(moved <= tolerance, "moved by {moved:e}");
        self.does_not_overlap();
    }

    /// Asserts that nothing has sunk in at any step.
    pub(crate) fn does_not_overlap(&self) {
        assert!(self.depth <= DEPTH * self.size, "depth {:e}", self.depth);
    }

    /// Total impulse on a body from another over the last step, divided by the step [N].
    pub(crate) fn force(&self, on: usize, from: usize) -> Vec3 {
        let mut sum = Vec3::zeros();
        let solution = self.world.solution();
        for (i, contact) in self.world.contacts().iter().enumerate() {
            let sign = match (
                contact.a == on && contact.b == from,
                contact.b == on && contact.a == from,
            ) {
                (true, _) => 1.0,
                (_, true) => -1.0,
                _ => continue,
            };
            let n = contact.normal;
            let [t1, t2] = stiction_contact::tangents([n.x, n.y, n.z]).map(Vec3::from);
            let f = solution.friction_impulse[i];
            sum += sign * (n * solution.normal_impulse[i] + t1 * f[0] + t2 * f[1]);
        }
        sum / self.world.settings().dt
    }
}

/// Radius about the origin that holds a shape [m].
fn radius(shape: &Shape) -> f64 {
    match shape {
        Shape::Ball { radius } => *radius,
        Shape::Capsule { half_length, radius } => half_length + radius,
        Shape::Cylinder { half_height, radius } => half_height.hypot(*radius),
        Shape::Polytope(p) => p.vertices.iter().map(Vec3::norm).fold(0.0, f64::max),
        Shape::Compound(parts) => parts
            .iter()
            .map(|(pose, shape)| pose.position.norm() + radius(shape))
            .fold(0.0, f64::max),
        _ => f64::INFINITY,
    }
}
