//! The motion of a recording: one track a body, frames no closer than requested.

use std::path::Path;

use stiction_record::{BodyRecord, Message, PosesRecord, Recording, Unfinished, WorldRecord};

use stiction_formats::BadInput;

/// A body and where it is in every frame.
#[derive(Debug, Clone)]
pub(super) struct Track {
    pub(super) body: BodyRecord,
    pub(super) positions: Vec<[f64; 3]>,
    pub(super) rotations: Vec<[f64; 4]>,
    /// Whether it is there; a body may come late or go.
    pub(super) present: Vec<bool>,
}

/// A recording as an animation.
#[derive(Debug, Clone, Default)]
pub(super) struct Animation {
    pub(super) planar: bool,
    pub(super) times: Vec<f64>,
    pub(super) tracks: Vec<Track>,
    /// Where the recording ends, if it has no end mark.
    pub(super) unfinished: Option<Unfinished>,
}

/// Reads a recording, at most `fps` frames a second, the last one always.
///
/// # Errors
/// A recording that cannot be read, or without a body or a frame.
pub(super) fn read(path: &Path, fps: f64) -> Result<Animation, BadInput> {
    let mut animation = Animation::default();
    let (mut bodies, mut last, mut due): (Vec<usize>, Option<PosesRecord>, f64) = (Vec::new(), None, f64::NEG_INFINITY);
    let mut recording = Recording::open(path).map_err(BadInput::whole)?;
    for message in &mut recording {
        match message.map_err(BadInput::whole)? {
            Message::World(world) => {
                if let Some(poses) = last.take() {
                    animation.frame(&poses, &bodies);
                }
                animation.planar = world.planar;
                bodies = animation.enlist(world);
            }
            Message::Poses(poses) if poses.time >= due => {
                // A hundredth of a frame of slack, so that rounding of times does not skip one.
                due = poses.time + 0.99 / fps;
                last = None;
                animation.frame(&poses, &bodies);
            }
            Message::Poses(poses) => last = Some(poses),
            _ => {}
        }
    }
    if let Some(poses) = last {
        animation.frame(&poses, &bodies);
    }
    animation.unfinished = recording.unfinished().cloned();
    if animation.tracks.is_empty() || animation.times.is_empty() {
        return Err(BadInput::whole("must hold a body and a frame, found none").in_file(path));
    }
    Ok(animation)
}

impl Animation {
    /// Tracks of a world's bodies; one with the name and shape of a body that was there before goes on with its track.
    fn enlist(&mut self, world: WorldRecord) -> Vec<usize> {
        let frames = self.times.len();
        let mut bodies = Vec::new();
        let known: std::collections::BTreeMap<String, usize> = self
            .tracks
            .iter()
            .enumerate()
            .map(|(i, t)| (t.body.name.clone(), i))
            .collect();
        for body in world.bodies {
            let same = known
                .get(&body.name)
                .filter(|i| self.tracks[**i].body.shape == body.shape);
            bodies.push(same.copied().unwrap_or(self.tracks.len()));
            if same.is_none() {
                self.tracks.push(Track {
                    body,
                    positions: vec![[0.0; 3]; frames],
                    rotations: vec![[0.0, 0.0, 0.0, 1.0]; frames],
                    present: vec![false; frames],
                });
            }
        }
        bodies
    }

    fn frame(&mut self, poses: &PosesRecord, bodies: &[usize]) {
        // Times are written as 32 bits, and must rise.
        #[allow(clippy::cast_possible_truncation)]
        if self.times.last().is_some_and(|last| poses.time as f32 <= *last as f32) {
            return;
        }
        self.times.push(poses.time);
        let frames = self.times.len();
        for ((track, position), rotation) in bodies.iter().zip(&poses.positions).zip(&poses.orientations) {
            let Some(track) = self.tracks.get_mut(*track) else {
                continue;
            };
            let mut rotation = *rotation;
            // A quaternion and its negative are one rotation: the nearer to the last is taken.
            if let Some(last) = track.rotations.last()
                && last.iter().zip(&rotation).map(|(a, b)| a * b).sum::<f64>() < 0.0
            {
                rotation = rotation.map(|x| -x);
            }
            track.positions.push(*position);
            track.rotations.push(rotation);
            track.present.push(true);
        }
        for track in &mut self.tracks {
            while track.present.len() < frames {
                track
                    .positions
                    .push(track.positions.last().copied().unwrap_or_default());
                track
                    .rotations
                    .push(track.rotations.last().copied().unwrap_or([0.0, 0.0, 0.0, 1.0]));
                track.present.push(false);
            }
        }
    }
}
