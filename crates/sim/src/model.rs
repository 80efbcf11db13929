//! A model: bodies, joints, materials and settings, all that stays the same while a world is stepped.

use crate::actuator::Actuator;
use crate::body::{Body, Kind};
use crate::coordinates::Coordinates;
use crate::coupling::Coupling;
use crate::edit::Ids;
use crate::frame::Frame;
use crate::joint::Joint;
use crate::motion::Motion;
use crate::pairs::Pairs;
use crate::schedule::TimedForce;
use crate::sensor::{Sensor, SensorKind};
use crate::shape::radius;
use crate::turns::Angles;
use crate::world::{Settings, Wrench};

/// What a step reads and does not change.
#[derive(Debug, Clone)]
pub struct Model {
    pub(crate) settings: Settings,
    pub(crate) bodies: Vec<Body>,
    pub(crate) joints: Vec<Joint>,
    /// Inertia of the rotor of each joint; joints beyond the end have none.
    pub(crate) rotors: Vec<f64>,
    pub(crate) actuators: Vec<Actuator>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) sensors: Vec<Sensor>,
    /// Applied to bodies until they are changed.
    pub(crate) wrenches: Vec<Wrench>,
    pub(crate) schedule: Vec<TimedForce>,
    /// Bodies that are led by others.
    pub(crate) couplings: Vec<Coupling>,
    /// Motions of kinematic bodies, by body.
    pub(crate) motions: Vec<(usize, Motion)>,
    pub(crate) pairs: Pairs,
    pub(crate) ids: Ids,
    /// Angles of joints whose turns are counted.
    pub(crate) angles: Angles,
    /// Pairs of bodies that never collide, sorted.
    pub(crate) apart: Vec<(usize, usize)>,
    /// Distance of the farthest point of each body from its centre of mass \[m\]; infinite for a half-space.
    radii: Vec<f64>,
    /// Block of each body in the contact problem of all bodies; none for bodies that forces do not move.
    blocks: Vec<Option<usize>>,
}

impl Model {
    /// A model without bodies.
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            bodies: Vec::new(),
            joints: Vec::new(),
            rotors: Vec::new(),
            actuators: Vec::new(),
            frames: Vec::new(),
            sensors: Vec::new(),
            wrenches: Vec::new(),
            schedule: Vec::new(),
            couplings: Vec::new(),
            motions: Vec::new(),
            pairs: Pairs::default(),
            ids: Ids::default(),
            angles: Angles::default(),
            apart: Vec::new(),
            radii: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// Adds a body.
    pub(crate) fn push(&mut self, body: Body) {
        let next = self.blocks.iter().flatten().count();
        self.blocks.push(body.is_dynamic().then_some(next));
        self.radii.push(radius(&body.shape));
        self.bodies.push(body);
        self.wrenches.push(Wrench::default());
        self.ids.add_body();
    }

    /// Takes out a body that no joint holds; those behind it move down by one.
    pub(crate) fn remove(&mut self, body: usize) -> Body {
        let down = |index: &mut usize| *index -= usize::from(*index > body);
        for joint in &mut self.joints {
            joint.each_body(down);
        }
        self.schedule.retain(|force| force.body != body);
        for force in &mut self.schedule {
            down(&mut force.body);
        }
        self.couplings
            .retain(|coupling| ![coupling.body, coupling.leader].contains(&body));
        for coupling in &mut self.couplings {
            down(&mut coupling.body);
            down(&mut coupling.leader);
        }
        self.motions.retain(|(driven, _)| *driven != body);
        for (driven, _) in &mut self.motions {
            down(driven);
        }
        self.apart.retain(|(a, b)| *a != body && *b != body);
        for (a, b) in &mut self.apart {
            down(a);
            down(b);
        }
        self.remove_frames(body);
        self.pairs.remove(body);
        self.ids.bodies.remove(body);
        self.ids.revision += 1;
        self.wrenches.remove(body);
        self.radii.remove(body);
        if let Some(block) = self.blocks.remove(body) {
            for later in self.blocks.iter_mut().flatten() {
                *later -= usize::from(*later > block);
            }
        }
        self.bodies.remove(body)
    }

    /// Takes out the frames of a body and the sensors on them; bodies behind it move down by one.
    fn remove_frames(&mut self, body: usize) {
        for k in (0..self.frames.len()).rev() {
            if self.frames[k].body == body {
                self.frames.remove(k);
                self.sensors.retain(|sensor| sensor.kind.frame() != Some(k));
                for frame in self.sensors.iter_mut().filter_map(|sensor| sensor.kind.frame_mut()) {
                    *frame -= usize::from(*frame > k);
                }
            }
        }
        for frame in &mut self.frames {
            frame.body -= usize::from(frame.body > body);
        }
    }

    /// Takes out what acts on the coordinate of a joint or reads it; joints behind it move down by one. Returns the actuators that are gone, last first.
    pub(crate) fn remove_from_joint(&mut self, joint: usize) -> Vec<usize> {
        if joint < self.rotors.len() {
            self.rotors.remove(joint);
        }
        let mut gone = Vec::new();
        for k in (0..self.actuators.len()).rev() {
            if self.actuators[k].joint == joint {
                self.actuators.remove(k);
                gone.push(k);
                self.sensors
                    .retain(|sensor| sensor.kind != SensorKind::ActuatorForce(k));
                for sensor in &mut self.sensors {
                    if let SensorKind::ActuatorForce(actuator) = &mut sensor.kind {
                        *actuator -= usize::from(*actuator > k);
                    }
                }
            }
        }
        for actuator in &mut self.actuators {
            actuator.joint -= usize::from(actuator.joint > joint);
        }
        self.sensors.retain(
            |sensor| !matches!(sensor.kind, SensorKind::JointPosition(k) | SensorKind::JointVelocity(k) if k == joint),
        );
        for sensor in &mut self.sensors {
            if let SensorKind::JointPosition(k) | SensorKind::JointVelocity(k) = &mut sensor.kind {
                *k -= usize::from(*k > joint);
            }
        }
        gone
    }

    /// Lets two bodies never collide.
    pub(crate) fn keep_apart(&mut self, a: usize, b: usize) {
        let pair = (a.min(b), a.max(b));
        if let Err(at) = self.apart.binary_search(&pair) {
            self.apart.insert(at, pair);
        }
    }

    /// Coordinates of a body in the contact problem.
    pub(crate) fn coordinates(&self) -> Coordinates {
        Coordinates::of(self.settings.planar)
    }

    /// Relaxation time of first-order physics \[s\].
    pub(crate) fn relaxation(&self) -> f64 {
        self.settings.relaxation.unwrap_or(self.settings.dt)
    }

    /// Block of each body in the contact problem of all bodies.
    pub(crate) fn blocks(&self) -> &[Option<usize>] {
        &self.blocks
    }

    /// Distance of the farthest point of a body from its centre of mass \[m\]; 0 where it is infinite.
    pub(crate) fn radius(&self, body: usize) -> f64 {
        self.radii
            .get(body)
            .copied()
            .filter(|radius| radius.is_finite())
            .unwrap_or(0.0)
    }

    /// Whether anything may bounce.
    pub(crate) fn has_restitution(&self) -> bool {
        self.bodies.iter().any(|body| body.material.restitution > 0.0) || self.pairs.has_restitution()
    }

    /// Whether a body moves as prescribed.
    pub(crate) fn is_kinematic(&self, body: usize) -> bool {
        matches!(self.bodies[body].kind, Kind::Kinematic)
    }

    /// Radius of the smaller dynamic body of a joint \[m\]; 1 m where it has none.
    pub(crate) fn joint_size(&self, joint: &Joint) -> f64 {
        let of = |body: usize| {
            let radius = self.radius(body);
            if radius > 0.0 && self.bodies[body].is_dynamic() {
                radius
            } else {
                f64::INFINITY
            }
        };
        let size = if joint.is_of_pair() {
            of(joint.a).min(of(joint.b))
        } else {
            joint.mentions().map(of).fold(f64::INFINITY, f64::min)
        };
        if size.is_finite() { size } else { 1.0 }
    }
}
