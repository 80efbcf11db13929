//! Named frames of bodies: links and sites of robots, where sensors are.

use crate::Pose;
use crate::error::SimError;
use crate::state::BodyState;
use crate::world::World;

/// A frame that is fixed in a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Name.
    pub name: String,
    /// The body.
    pub body: usize,
    /// Its place in the body, from the centre of mass.
    pub pose: Pose,
}

impl Frame {
    /// Where it is in the world.
    pub(crate) fn at(&self, bodies: &[BodyState]) -> Pose {
        bodies[self.body].pose.then(&self.pose)
    }
}

impl World {
    /// Adds a frame; returns its index.
    ///
    /// # Errors
    /// A body that does not exist, numbers that are not finite.
    pub fn add_frame(&mut self, frame: Frame) -> Result<usize, SimError> {
        self.check_body(frame.body)?;
        let index = self.model.frames.len();
        let (p, q) = (frame.pose.position, frame.pose.rotation.coords);
        if let Some(x) = p.iter().chain(q.iter()).find(|x| !x.is_finite()) {
            return Err(SimError::value(format!("frames[{index}]"), "must be finite", *x));
        }
        self.model.frames.push(frame);
        Ok(index)
    }

    /// Frames in the order in which they were added: links and sites of robots.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        &self.model.frames
    }

    /// The first frame of a name.
    #[must_use]
    pub fn find_frame(&self, name: &str) -> Option<usize> {
        self.model.frames.iter().position(|frame| frame.name == name)
    }

    /// Where a frame is in the world.
    #[must_use]
    pub fn frame_pose(&self, frame: usize) -> Option<Pose> {
        Some(self.model.frames.get(frame)?.at(&self.state.bodies))
    }
}
