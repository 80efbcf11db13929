//! A body that the mouse pulls: a spring with damping from a point of it to a point of the world. Its work is that of an applied force, so that
//! the energy ledger counts it as injected.

use stiction_sim::body::Kind;
use stiction_sim::{Vec3, World, Wrench};

/// Frequency of the body's mass on the spring \[rad/s\]: it follows the mouse within about a quarter of a second.
const PULL_FREQUENCY: f64 = 12.0;
/// Largest frequency of what the point feels, times the time step: forces are those of the start of a step.
const MAX_STEP_PHASE: f64 = 0.4;
/// Largest force by mass \[m/s²\].
const MAX_PULL_ACCELERATION: f64 = 300.0;

/// A pull.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pull {
    /// The body.
    pub(super) body: usize,
    /// Where it is held, in body axes from the centre of mass \[m\].
    point: Vec3,
    /// Where that is to go \[m\].
    target: Vec3,
    /// \[N/m, N·s/m, N\].
    stiffness: f64,
    damping: f64,
    strongest: f64,
}

impl Pull {
    /// A pull on a body of a world; what is wrong with it otherwise.
    pub(super) fn new(world: &World, body: usize, point: [f64; 3], target: [f64; 3]) -> Result<Self, String> {
        let limit = world.bodies().len();
        let Some(pulled) = world.bodies().get(body) else {
            return Err(format!("pull: body: must be below {limit}, found {body}"));
        };
        let Kind::Dynamic { mass, inertia_body } = &pulled.kind else {
            return Err(format!(
                "pull: body: must be one that forces move, found {}",
                pulled.name
            ));
        };
        let planar = world.settings().planar;
        let flat = |x: [f64; 3]| Vec3::new(x[0], x[1], if planar { 0.0 } else { x[2] });
        let point = flat(point);
        let least = if planar {
            inertia_body[(2, 2)]
        } else {
            inertia_body.symmetric_eigenvalues().min()
        };
        // Mass that the point feels where turning helps most.
        let felt = 1.0 / (1.0 / mass + point.norm_squared() / least);
        let fastest = MAX_STEP_PHASE / world.settings().dt;
        let stiffness = (mass * PULL_FREQUENCY * PULL_FREQUENCY).min(felt * fastest * fastest);
        Ok(Self {
            body,
            point,
            target: flat(target),
            stiffness,
            damping: 2.0 * (stiffness * felt).sqrt(),
            strongest: MAX_PULL_ACCELERATION * mass,
        })
    }

    /// Force and torque on the body as it stands.
    fn wrench(&self, world: &World) -> Wrench {
        let state = &world.state().bodies[self.body];
        let arm = state.pose.rotation * self.point;
        let velocity = state.velocity + state.spin.cross(&arm);
        let mut force = self.stiffness * (self.target - state.pose.position - arm) - self.damping * velocity;
        let strength = force.norm();
        if strength > self.strongest {
            force *= self.strongest / strength;
        }
        Wrench {
            force,
            torque: arm.cross(&force),
        }
    }
}

/// Applies all pulls of a step, each with its viewer; those on one body add up.
pub(super) fn apply(world: &mut World, pulls: &[(u64, Pull)]) {
    for (_, pull) in pulls {
        let mut sum = Wrench::default();
        for (_, other) in pulls.iter().filter(|(_, other)| other.body == pull.body) {
            let one = other.wrench(world);
            sum.force += one.force;
            sum.torque += one.torque;
        }
        // The body exists and forces in the plane stay in it: there is nothing to refuse.
        let _ = world.apply(pull.body, sum);
    }
}

#[cfg(test)]
mod tests {
    use stiction_scene::{Scene, WorldExt};

    use super::*;

    fn world(text: &str) -> World {
        let scene = Scene::parse(text, ".").expect("a scene");
        World::from_scene(&scene).expect("a world")
    }

    const CUBE: &str = r#"
        format = 1
        world = { friction = 0.5, density = 1000 }
        body = [
            { name = "ground", shape = { half_space = [0, 0, 1] } },
            { name = "cube", shape = { box = [0.2, 0.2, 0.2] }, position = [0, 0, 0.1] },
        ]"#;

    #[test]
    fn a_pulled_body_comes_and_its_energy_is_injected() {
        let mut world = world(CUBE);
        let pull = Pull::new(&world, 1, [0.1, 0.1, 0.1], [0.5, 0.0, 0.6]).expect("a pull");
        for _ in 0..3000 {
            apply(&mut world, &[(0, pull)]);
            world.step().expect("a step");
        }
        let state = &world.state().bodies[1];
        let held = state.pose.position + state.pose.rotation * Vec3::new(0.1, 0.1, 0.1);
        // The weight stretches the spring by g/rate².
        let sag = 9.81 / (PULL_FREQUENCY * PULL_FREQUENCY);
        assert!((held - Vec3::new(0.5, 0.0, 0.6 - sag)).norm() < 0.02, "{held}");
        let ledger = world.ledger();
        let gained = ledger.potential + ledger.kinetic - 8.0 * 9.81 * 0.1;
        assert!(ledger.injected > gained && gained > 10.0, "{ledger:?}");
    }

    #[test]
    fn what_cannot_be_pulled_is_named() {
        let world = world(CUBE);
        let refused = |body| Pull::new(&world, body, [0.0; 3], [0.0; 3]).expect_err("refused");
        assert_eq!(refused(0), "pull: body: must be one that forces move, found ground");
        assert_eq!(refused(2), "pull: body: must be below 2, found 2");
    }
}
