//! Prescribed motions of kinematic bodies.
//!
//! A step moves such a body from pose(t) to pose(t + h), with the velocity (pose(t + h) − pose(t))/h throughout: what rests on it is carried, and its
//! poses do not drift whatever the step is. For rotations the quotient is that of the exponential map, by which all bodies turn: axis times angle of the
//! rotation from one pose to the next, by h.

use crate::body::Kind;
use crate::error::SimError;
use crate::integrate::{rotation_vector, turn as turned};
use crate::model::Model;
use crate::state::BodyState;
use crate::step_time::StepTime;
use crate::world::World;
use crate::{Pose, Vec3};

/// Most keyframes of a motion.
pub const MAX_KEYFRAMES: usize = 100_000;

/// A motion: pose as a function of time.
#[derive(Debug, Clone, PartialEq)]
pub enum Motion {
    /// To and fro about a pose.
    Sine {
        /// The middle.
        middle: Pose,
        /// Slides along a vector.
        slide: Wave,
        /// Turns about the direction of a vector in world axes, by its length \[rad\].
        turn: Wave,
    },
    /// From pose to pose.
    Keyframes(Keyframes),
}

/// amplitude · sin(rate t + phase).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wave {
    /// Largest excursion \[m or rad\], with its direction.
    pub amplitude: Vec3,
    /// Rate \[rad/s\].
    pub rate: f64,
    /// Phase at time 0 \[rad\].
    pub phase: f64,
}

impl Default for Wave {
    fn default() -> Self {
        Self {
            amplitude: Vec3::zeros(),
            rate: 0.0,
            phase: 0.0,
        }
    }
}

impl Wave {
    fn at(&self, time: f64) -> Vec3 {
        self.amplitude * libm::sin(self.rate * time + self.phase)
    }

    fn rate_at(&self, time: f64) -> Vec3 {
        self.amplitude * (self.rate * libm::cos(self.rate * time + self.phase))
    }

    fn numbers(&self) -> [f64; 5] {
        let a = self.amplitude;
        [a.x, a.y, a.z, self.rate, self.phase]
    }
}

/// A pose at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Keyframe {
    /// Time \[s\].
    pub time: f64,
    /// Pose.
    pub pose: Pose,
}

/// Poses in the order of their times; between two the position lies on a line and the rotation turns about one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Keyframes {
    /// At least one.
    pub frames: Vec<Keyframe>,
    /// Whether the motion from one to the next begins and ends at rest (3u² − 2u³) instead of at constant speed.
    pub smooth: bool,
    /// Whether it restarts after the last keyframe, for ever; otherwise the body stays there.
    pub repeat: bool,
}

impl Motion {
    /// Pose at a time \[s\].
    ///
    /// ```
    /// # use stiction_sim::{Pose, Vec3, motion::{Motion, Wave}};
    /// let slide = Wave { amplitude: Vec3::new(0.0, 0.0, 0.1), rate: 2.0, phase: 0.0 };
    /// let motion = Motion::Sine { middle: Pose::identity(), slide, turn: Wave::default() };
    /// assert_eq!(motion.pose(0.0).position.z, 0.0);
    /// assert!((motion.pose(std::f64::consts::FRAC_PI_4).position.z - 0.1).abs() < 1e-15);
    /// ```
    #[must_use]
    pub fn pose(&self, time: f64) -> Pose {
        match self {
            Self::Sine { middle, slide, turn } => Pose {
                position: middle.position + slide.at(time),
                rotation: turned(middle.rotation, turn.at(time), 1.0),
            },
            Self::Keyframes(keyframes) => keyframes.pose(time),
        }
    }

    /// Velocity and spin at a time \[m/s, rad/s\]. Keyframes that are not smooth change them at once: there they are those at the time `side` later, or earlier
    /// where it is negative.
    #[must_use]
    pub fn velocity(&self, time: f64, side: f64) -> (Vec3, Vec3) {
        match self {
            // The axis of the turn does not change.
            Self::Sine { slide, turn, .. } => (slide.rate_at(time), turn.rate_at(time)),
            Self::Keyframes(keyframes) => keyframes.velocity(time, side),
        }
    }

    /// Checks that poses are finite at every time.
    pub(crate) fn check(&self) -> Result<(), SimError> {
        let pose_fits = |field: String, pose: &Pose| {
            let numbers = pose.position.iter().chain(pose.rotation.coords.iter());
            match numbers.copied().find(|x| !x.is_finite()) {
                Some(x) => Err(SimError::value(field, "must be finite", x)),
                None => Ok(()),
            }
        };
        match self {
            Self::Sine { middle, slide, turn } => {
                pose_fits("motion.middle".to_owned(), middle)?;
                for (name, wave) in [("slide", slide), ("turn", turn)] {
                    if let Some(x) = wave.numbers().into_iter().find(|x| !x.is_finite()) {
                        return Err(SimError::value(format!("motion.{name}"), "must be finite", x));
                    }
                }
            }
            Self::Keyframes(Keyframes { frames, .. }) => {
                if frames.is_empty() || frames.len() > MAX_KEYFRAMES {
                    let requirement = format!("must be 1 to {MAX_KEYFRAMES} in number");
                    return Err(SimError::value("motion.keyframes", requirement, frames.len() as f64));
                }
                for (k, frame) in frames.iter().enumerate() {
                    pose_fits(format!("motion.keyframes[{k}]"), &frame.pose)?;
                    let later = k == 0 || frame.time > frames[k - 1].time;
                    if !(frame.time.is_finite() && later) {
                        let field = format!("motion.keyframes[{k}].time");
                        return Err(SimError::value(field, "must lie after the one before", frame.time));
                    }
                }
            }
        }
        Ok(())
    }
}

impl Keyframes {
    /// The time within the first round, where rounds repeat.
    fn within(&self, time: f64) -> f64 {
        let (Some(first), Some(last)) = (self.frames.first(), self.frames.last()) else {
            return time;
        };
        let span = last.time - first.time;
        if self.repeat && span > 0.0 {
            let past = libm::fmod(time - first.time, span);
            first.time + if past < 0.0 { past + span } else { past }
        } else {
            time
        }
    }

    /// The two frames around a time.
    fn around(&self, time: f64) -> [Option<&Keyframe>; 2] {
        let next = self.frames.partition_point(|frame| frame.time <= time);
        [next.checked_sub(1).map(|k| &self.frames[k]), self.frames.get(next)]
    }

    fn pose(&self, time: f64) -> Pose {
        let time = self.within(time);
        let (from, to) = match self.around(time) {
            [Some(from), Some(to)] => (from, to),
            [Some(only), None] | [None, Some(only)] => return only.pose,
            [None, None] => return Pose::identity(),
        };
        let u = (time - from.time) / (to.time - from.time);
        let u = if self.smooth { u * u * (3.0 - 2.0 * u) } else { u };
        Pose {
            position: from.pose.position + u * (to.pose.position - from.pose.position),
            rotation: turned(
                from.pose.rotation,
                rotation_vector(to.pose.rotation * from.pose.rotation.inverse()),
                u,
            ),
        }
    }

    fn velocity(&self, time: f64, side: f64) -> (Vec3, Vec3) {
        let near = self.within(time + side);
        let [Some(from), Some(to)] = self.around(near) else {
            return (Vec3::zeros(), Vec3::zeros());
        };
        let length = to.time - from.time;
        let u = ((near - side - from.time) / length).clamp(0.0, 1.0);
        let rate = if self.smooth { 6.0 * u * (1.0 - u) } else { 1.0 } / length;
        let turn = rotation_vector(to.pose.rotation * from.pose.rotation.inverse());
        (rate * (to.pose.position - from.pose.position), rate * turn)
    }
}

impl World {
    /// Lets a kinematic body follow a motion, or keep its velocity where there is none. It is placed on the motion at once.
    ///
    /// # Errors
    /// A body that does not exist or is not kinematic, a motion with numbers that are not finite or times out of order.
    pub fn prescribe(&mut self, body: usize, motion: Option<Motion>) -> Result<(), SimError> {
        self.check_body(body)?;
        if !matches!(self.model.bodies[body].kind, Kind::Kinematic) {
            let requirement = "must be that of a kinematic body: body";
            return Err(SimError::value("motion", requirement, body as f64));
        }
        if let Some(motion) = &motion {
            motion.check()?;
        }
        self.model.motions.retain(|(driven, _)| *driven != body);
        if let Some(motion) = motion {
            self.state.bodies[body].pose = motion.pose(self.state.time);
            let at = self.model.motions.partition_point(|(driven, _)| *driven < body);
            self.model.motions.insert(at, (body, motion));
        }
        Ok(())
    }

    /// The motion that a body follows.
    #[must_use]
    pub fn motion(&self, body: usize) -> Option<&Motion> {
        let at = self
            .model
            .motions
            .binary_search_by_key(&body, |(driven, _)| *driven)
            .ok()?;
        Some(&self.model.motions[at].1)
    }
}

/// Gives driven bodies the velocities that lead them to the end of the step.
pub(crate) fn drive(model: &Model, time: StepTime, bodies: &mut [BodyState]) {
    for (body, motion) in &model.motions {
        let (state, to) = (&mut bodies[*body], motion.pose(time.end));
        state.velocity = (to.position - state.pose.position) / time.h;
        state.spin = rotation_vector(to.rotation * state.pose.rotation.inverse()) / time.h;
    }
}

/// Puts driven bodies where they are at a time, with the velocities that they have then.
pub(crate) fn place_driven_with_velocity(model: &Model, time: f64, side: f64, bodies: &mut [BodyState]) {
    for (body, motion) in &model.motions {
        let (velocity, spin) = motion.velocity(time, side);
        bodies[*body] = BodyState {
            pose: motion.pose(time),
            velocity,
            spin,
        };
    }
}

/// Puts driven bodies where they are at a time, to the bit.
pub(crate) fn place_driven(model: &Model, time: f64, bodies: &mut [BodyState]) {
    for (body, motion) in &model.motions {
        bodies[*body].pose = motion.pose(time);
    }
}
