//! Scenes that become worlds, and scenes that are added to a world.

use super::mjcf::{Mjcf, MjcfOptions, MjcfParts};
use super::urdf::{Urdf, UrdfOptions, UrdfParts};
use super::{Scene, SceneBody, ScenePair};
use super::{mjcf, urdf};
use crate::Actuator;
use crate::Coupling;
use crate::Frame;
use crate::SensorKind;
use crate::SimError;
use crate::TimedForce;
use crate::World;

/// Worlds from what was read: bring it into scope, and [`World`] has these.
pub trait WorldExt: Sized {
    /// The world that a scene describes, before its first step.
    ///
    /// # Errors
    /// A scene built by hand whose parts do not fit; one that was read always fits.
    fn from_scene(scene: &Scene) -> Result<Self, SimError>;

    /// Adds what a scene describes: bodies, joints, forces, motions and pairs; its settings are not used. The scene's first bodies stand for bodies of this world, one
    /// for each index in `stand_ins`, and are not added; neither are joints that have the name of a joint of this world, which they stand for. Materials of both are matched by number: a scene that is added lists those of the world's own scene first.
    ///
    /// ```
    /// # use stiction_scene::{Scene, WorldExt};
    /// # use stiction_sim::World;
    /// let post = "
    ///     format = 1
    ///     [[body]]
    ///     name = 'post'
    ///     kind = 'fixed'
    ///     shape = { ball = 0.1 }";
    /// let arm = "
    ///     [[body]]
    ///     name = 'arm'
    ///     shape = { box = [1, 0.1, 0.1] }
    ///     [[joint]]
    ///     kind = 'revolute'
    ///     a = 'arm'
    ///     b = 'post'
    ///     position = [0, 0, 0]";
    /// let mut world = World::from_scene(&Scene::parse(post, ".")?)?;
    /// world.add_scene(&Scene::parse(&format!("{post}{arm}"), ".")?, &[0])?;
    /// assert_eq!((world.bodies().len(), world.joints().len()), (2, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A stand-in out of range, parts that do not fit. The world may then hold a part of the scene.
    fn add_scene(&mut self, scene: &Scene, stand_ins: &[usize]) -> Result<(), SimError>;

    /// Adds the bodies and joints of a robot; the parts are returned with the numbers that they have in this world. On an error nothing is added.
    ///
    /// # Errors
    /// As for [`Urdf::build`], [`World::add_body`] and [`World::add_joint`].
    fn add_urdf(&mut self, robot: &Urdf, options: &UrdfOptions) -> Result<UrdfParts, SimError>;

    /// Adds the bodies, joints, actuators and sensors of a model; the parts are returned with the numbers that they have
    /// in this world. Gravity and time step are the world's.
    ///
    /// # Errors
    /// As for [`Mjcf::build`], [`World::add_body`] and [`World::add_joint`]. Nothing is added then.
    fn add_mjcf(&mut self, model: &Mjcf, options: &MjcfOptions) -> Result<MjcfParts, SimError>;
}

impl WorldExt for World {
    fn from_scene(scene: &Scene) -> Result<Self, SimError> {
        let mut world = Self::new(scene.settings.clone())?;
        world.add_scene(scene, &[])?;
        Ok(world)
    }

    fn add_scene(&mut self, scene: &Scene, stand_ins: &[usize]) -> Result<(), SimError> {
        for body in stand_ins {
            self.check_body(*body)?;
        }
        let (known, first) = (stand_ins.len().min(scene.bodies.len()), self.bodies().len());
        let place = &|body: usize| stand_ins.get(body).copied().unwrap_or(first + body - known);
        for SceneBody { body, state, material } in &scene.bodies[known..] {
            let index = self.add_body(body.clone(), *state)?;
            self.set_material_number(index, *material)?;
        }
        for pair in &scene.pairs {
            match pair {
                ScenePair::Bodies([a, b], material) => self.set_pair(place(*a), place(*b), *material)?,
                ScenePair::Materials(pair, material) => self.set_material_pair(*pair, *material)?,
            }
        }
        for force in &scene.forces {
            let body = place(force.body);
            self.schedule(TimedForce { body, ..*force })?;
        }
        for coupling in &scene.couplings {
            let (body, leader) = (place(coupling.body), place(coupling.leader));
            self.couple(Coupling {
                body,
                leader,
                ..*coupling
            })?;
        }
        let joints = add_joints_of(self, scene, place)?;
        for (joint, inertia) in joints.iter().zip(&scene.armatures).filter(|(_, a)| **a > 0.0) {
            self.set_armature(*joint, *inertia)?;
        }
        add_instruments_of(self, scene, place, &joints)?;
        for (body, motion) in &scene.motions {
            self.prescribe(place(*body), Some(motion.clone()))?;
        }
        for [a, b] in &scene.apart {
            self.keep_apart(place(*a), place(*b))?;
        }
        Ok(())
    }

    fn add_urdf(&mut self, robot: &Urdf, options: &UrdfOptions) -> Result<UrdfParts, SimError> {
        urdf::build::add_to(self, robot, options)
    }

    fn add_mjcf(&mut self, model: &Mjcf, options: &MjcfOptions) -> Result<MjcfParts, SimError> {
        mjcf::build::add::add_to(self, model, options)
    }
}

/// Adds joints; gives the index of each in this world.
fn add_joints_of(world: &mut World, scene: &Scene, place: impl Fn(usize) -> usize) -> Result<Vec<usize>, SimError> {
    let known = world.joints().len();
    let mut indices = Vec::with_capacity(scene.joints.len());
    for joint in &scene.joints {
        let stands_for = world.joints()[..known]
            .iter()
            .position(|other| other.name == joint.name);
        if let Some(found) = stands_for {
            indices.push(found);
            continue;
        }
        let mut joint = joint.clone();
        joint.each_body(|body| *body = place(*body));
        indices.push(world.add_joint(joint)?);
    }
    Ok(indices)
}

/// Adds actuators, frames and sensors.
fn add_instruments_of(
    world: &mut World,
    scene: &Scene,
    place: impl Fn(usize) -> usize,
    joints: &[usize],
) -> Result<(), SimError> {
    let mut ctrl = world.ctrl().to_vec();
    let (first_actuator, first_frame) = (world.actuators().len(), world.frames().len());
    for (actuator, start) in &scene.actuators {
        world.add_actuator(Actuator {
            joint: joints[actuator.joint],
            ..actuator.clone()
        })?;
        ctrl.push(*start);
    }
    world.set_ctrl(&ctrl)?;
    for frame in &scene.frames {
        world.add_frame(Frame {
            body: place(frame.body),
            ..frame.clone()
        })?;
    }
    for sensor in &scene.sensors {
        let mut sensor = sensor.clone();
        match &mut sensor.kind {
            SensorKind::JointPosition(joint) | SensorKind::JointVelocity(joint) => *joint = joints[*joint],
            SensorKind::ActuatorForce(actuator) => *actuator += first_actuator,
            other => {
                if let Some(frame) = other.frame_mut() {
                    *frame += first_frame;
                }
            }
        }
        world.add_sensor(sensor)?;
    }
    Ok(())
}
