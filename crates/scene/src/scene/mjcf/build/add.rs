//! The parts of a model, added to a world.

use super::{MjcfOptions, MjcfParts};
use crate::scene::mjcf::Mjcf;
use crate::{SimError, World};

/// Adds a model to a world: [`WorldExt::add_mjcf`](crate::WorldExt::add_mjcf).
pub(in crate::scene) fn add_to(world: &mut World, model: &Mjcf, options: &MjcfOptions) -> Result<MjcfParts, SimError> {
    let mut parts = model.build(options)?;
    parts.count_from([
        world.bodies().len(),
        world.joints().len(),
        world.actuators().len(),
        world.frames().len(),
    ]);
    // A copy, so that nothing is added where a part does not fit.
    let mut copy = world.clone();
    add_parts(&mut copy, &parts)?;
    *world = copy;
    Ok(parts)
}

/// Adds bodies and joints with the inertia of their rotors.
pub(super) fn add_moving(world: &mut World, parts: &MjcfParts) -> Result<(), SimError> {
    for (body, state) in &parts.bodies {
        world.add_body(body.clone(), *state)?;
    }
    let first = world.joints().len();
    for joint in &parts.joints {
        world.add_joint(joint.clone())?;
    }
    for (k, inertia) in parts
        .armatures
        .iter()
        .enumerate()
        .filter(|(_, inertia)| **inertia > 0.0)
    {
        world.set_armature(first + k, *inertia)?;
    }
    Ok(())
}

fn add_parts(world: &mut World, parts: &MjcfParts) -> Result<(), SimError> {
    add_moving(world, parts)?;
    for [a, b] in &parts.apart {
        world.keep_apart(*a, *b)?;
    }
    for ([a, b], material) in &parts.pairs {
        world.set_pair(*a, *b, *material)?;
    }
    let mut ctrl = world.ctrl().to_vec();
    for (actuator, start) in &parts.actuators {
        world.add_actuator(actuator.clone())?;
        ctrl.push(*start);
    }
    world.set_ctrl(&ctrl)?;
    for frame in &parts.frames {
        world.add_frame(frame.clone())?;
    }
    for sensor in &parts.sensors {
        world.add_sensor(sensor.clone())?;
    }
    Ok(())
}
