//! A measured motion replayed from its first state, and how far the simulation is from the measurement at every sample.

use stiction_contact::Law;
use stiction_sim::body::{Body, Kind, Material};
use stiction_sim::shape::Shape;
use stiction_sim::state::BodyState;
use stiction_sim::{Mat3, Pose, Quat, Settings, Vec3, World};

use super::data::{Motion, Sample};
use stiction_formats::BadInput;

/// Steps between two samples.
const STEPS_PER_SAMPLE: u32 = 8;
/// Gravity \[m/s²\].
pub(super) const GRAVITY: f64 = 9.81;

/// A law with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rule {
    pub(super) law: Law,
    pub(super) friction: f64,
    pub(super) restitution: f64,
}

impl Rule {
    fn material(&self) -> Material {
        Material {
            friction: self.friction,
            restitution: self.restitution,
            ..Material::default()
        }
    }
}

/// What is thrown, and onto what.
#[derive(Debug, Clone)]
pub(super) struct Thing {
    pub(super) shape: Shape,
    pub(super) ground: Shape,
    pub(super) mass: f64,
    /// Radius of gyration, squared \[m²\], the same about all axes.
    pub(super) gyration: f64,
    /// Half a side \[m\].
    pub(super) half: f64,
    /// Unit vector upwards.
    pub(super) up: Vec3,
    /// Height of the ground in the frame of the measurement \[m\].
    pub(super) height: f64,
    /// Rotation of the measured frame as seen from the body's axes.
    pub(super) marker: Quat,
}

impl Thing {
    /// A world of the thing over its ground, empty of motion.
    pub(super) fn world(&self, rule: &Rule, dt: f64, gravity: f64, state: BodyState) -> Result<World, BadInput> {
        let planar = self.shape.is_planar();
        let mut world = World::new(Settings {
            planar,
            gravity: -gravity * self.up,
            dt,
            law: rule.law,
            ..Settings::default()
        })
        .map_err(|error| BadInput::named(&error))?;
        let body = |name: &str, kind: Kind, shape: &Shape| Body {
            name: name.to_owned(),
            kind,
            shape: shape.clone(),
            material: rule.material(),
            groups: u32::MAX,
            origin_body: Vec3::zeros(),
        };
        world
            .add_body(body("ground", Kind::Fixed, &self.ground), BodyState::default())
            .map_err(|error| BadInput::named(&error))?;
        let inertia_body = Mat3::identity() * (self.mass * self.gyration);
        let kind = Kind::Dynamic {
            mass: self.mass,
            inertia_body,
        };
        world
            .add_body(body("body", kind, &self.shape), state)
            .map_err(|error| BadInput::named(&error))?;
        Ok(world)
    }

    /// The sample's pose in the frame of the world.
    fn pose(&self, sample: &Sample) -> Pose {
        Pose {
            position: sample.position - self.height * self.up,
            rotation: sample.rotation * self.marker,
        }
    }

    /// Which axis of the body points upwards most, and which way.
    fn upward(&self, rotation: &Quat) -> (usize, bool) {
        let up = rotation.inverse() * self.up;
        let most = (0..3).fold(0, |best, k| if up[k].abs() > up[best].abs() { k } else { best });
        (most, up[most] > 0.0)
    }
}

/// Errors at one sample: position \[m\], rotation \[rad\], velocity \[m/s\], angular velocity \[rad/s\].
pub(super) type Errors = [f64; 4];

/// A replay: errors at every sample but the first, where there are none.
#[derive(Debug, Clone, Default)]
pub(super) struct Replay {
    pub(super) errors: Vec<Errors>,
    /// The same side is up at the end.
    pub(super) same_side: bool,
    pub(super) steps: usize,
    pub(super) worst_residual: f64,
    /// Kinetic and potential energy at the start and at the end \[J\].
    pub(super) energy: [f64; 2],
    /// Why it ended early.
    pub(super) failure: Option<String>,
}

impl Replay {
    /// Means over time.
    pub(super) fn means(&self) -> Errors {
        let count = self.errors.len().max(1) as f64;
        let sum = self.errors.iter().fold([0.0; 4], |mut sum: Errors, errors| {
            for (s, e) in sum.iter_mut().zip(errors) {
                *s += e;
            }
            sum
        });
        sum.map(|s| s / count)
    }
}

/// Replays a motion. Velocities of the simulation are taken as those of the measurement are: differences of poses backwards in time.
pub(super) fn replay(thing: &Thing, motion: &Motion, rule: &Rule) -> Result<Replay, BadInput> {
    let first = &motion.samples[0];
    let dt = motion.interval / f64::from(STEPS_PER_SAMPLE);
    // A difference backwards is the velocity half an interval ago.
    let later = 0.5 * motion.interval;
    let start = BodyState {
        pose: thing.pose(first),
        velocity: first.velocity - GRAVITY * later * thing.up,
        spin: first.spin,
    };
    let mut world = thing.world(rule, dt, GRAVITY, start)?;
    let energy = |world: &World| {
        let body = &world.bodies()[1];
        let (state, gravity) = (&world.state().bodies[1], &world.settings().gravity);
        stiction_sim::energy::kinetic(body, state) + stiction_sim::energy::potential(body, state, gravity)
    };
    let mut replay = Replay {
        energy: [energy(&world); 2],
        ..Replay::default()
    };
    for sample in &motion.samples[1..] {
        let before = world.state().bodies[1].pose;
        for _ in 0..STEPS_PER_SAMPLE {
            match world.step() {
                Ok(report) => {
                    replay.steps += 1;
                    replay.worst_residual = replay.worst_residual.max(report.residual);
                }
                Err(error) => {
                    replay.failure = Some(format!("{}: {error}", motion.name));
                    return Ok(replay);
                }
            }
        }
        let now = world.state().bodies[1].pose;
        replay
            .errors
            .push(errors(thing, sample, [&before, &now], motion.interval));
    }
    replay.energy[1] = energy(&world);
    let last = thing.pose(&motion.samples[motion.samples.len() - 1]);
    let ours = world.state().bodies[1].pose;
    replay.same_side = thing.upward(&last.rotation) == thing.upward(&ours.rotation);
    Ok(replay)
}

fn errors(thing: &Thing, sample: &Sample, [before, now]: [&Pose; 2], interval: f64) -> Errors {
    let measured = thing.pose(sample);
    let velocity = (now.position - before.position) / interval;
    let spin = turn(&(now.rotation * before.rotation.inverse())) / interval;
    [
        (now.position - measured.position).norm(),
        turn(&(now.rotation * measured.rotation.inverse())).norm(),
        (velocity - sample.velocity).norm(),
        (spin - sample.spin).norm(),
    ]
}

/// Axis times angle of a rotation, of at most half a turn.
fn turn(rotation: &Quat) -> Vec3 {
    let q = rotation.coords;
    let axis = Vec3::new(q.x, q.y, q.z) * if q.w < 0.0 { -1.0 } else { 1.0 };
    let sin = axis.norm();
    if sin == 0.0 {
        return Vec3::zeros();
    }
    axis * (2.0 * libm::atan2(sin, q.w.abs()) / sin)
}
