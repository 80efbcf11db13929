//! `[body.motion]`: how a kinematic body moves.

use super::error::Report;
use super::reader::Fields;
use crate::motion::{Keyframe, Keyframes, MAX_KEYFRAMES, Motion, Wave};
use crate::{Pose, Vec3};

/// The motion of a body that the scene places at `pose`.
pub(super) fn read(motion: &Fields<'_>, pose: Pose, report: &mut Report<'_>) -> Option<Motion> {
    motion.only(&["slide", "turn", "keyframes", "smooth", "repeat"], report);
    if motion.get("keyframes").is_some() {
        for key in ["slide", "turn"] {
            if let Some(node) = motion.get(key) {
                node.wrong::<()>("must not be given beside keyframes", report);
            }
        }
        return keyframes(motion, pose, report).map(Motion::Keyframes);
    }
    for key in ["smooth", "repeat"] {
        if let Some(node) = motion.get(key) {
            node.wrong::<()>("must be given beside keyframes only", report);
        }
    }
    let (slide, turn) = (motion.get("slide"), motion.get("turn"));
    if slide.is_none() && turn.is_none() {
        let problem = "must have a slide, a turn or keyframes, found none";
        report.add(motion.at, &motion.path, problem);
        return None;
    }
    let slide = slide.map_or(Some(Wave::default()), |node| {
        let fields = node.fields(report)?;
        fields.only(&["amplitude", "rate", "phase"], report);
        let amplitude = fields.need("amplitude", report).and_then(|n| n.vector(report));
        wave(&fields, amplitude, report)
    });
    let turn = turn.map_or(Some(Wave::default()), |node| {
        let fields = node.fields(report)?;
        let axis = if fields.planar {
            fields.only(&["degrees", "rate", "phase"], report);
            Some(Vec3::z())
        } else {
            fields.only(&["axis", "degrees", "rate", "phase"], report);
            fields.need("axis", report).and_then(|n| n.axis(report))
        };
        let degrees = fields.need("degrees", report).and_then(|n| n.number(report));
        let amplitude = axis.zip(degrees).map(|(axis, degrees)| axis * degrees.to_radians());
        wave(&fields, amplitude, report)
    });
    Some(Motion::Sine {
        middle: pose,
        slide: slide?,
        turn: turn?,
    })
}

fn wave(fields: &Fields<'_>, amplitude: Option<Vec3>, report: &mut Report<'_>) -> Option<Wave> {
    let rate = fields.need("rate", report).and_then(|n| n.number(report));
    let phase = fields.number_or("phase", 0.0, "must be finite", |_| true, report);
    Some(Wave {
        amplitude: amplitude?,
        rate: rate?,
        phase: phase?,
    })
}

/// Position and orientation of a keyframe are those of the body where they are not given.
fn keyframes(motion: &Fields<'_>, pose: Pose, report: &mut Report<'_>) -> Option<Keyframes> {
    let [smooth, repeat] = ["smooth", "repeat"].map(|key| match motion.get(key) {
        Some(node) => node.truth(report),
        None => Some(false),
    });
    let node = motion.get("keyframes")?;
    let list = node.list(report)?;
    if list.is_empty() || list.len() > MAX_KEYFRAMES {
        let problem = format!("must have 1 to {MAX_KEYFRAMES} entries, found {}", list.len());
        return node.fail(problem, report);
    }
    let mut frames: Vec<Keyframe> = Vec::with_capacity(list.len());
    let mut right = true;
    for item in &list {
        let frame = item.fields(report).and_then(|fields| {
            fields.only(&["time", "position", fields.rotation_key()], report);
            let last = frames.last().map_or(f64::NEG_INFINITY, |frame| frame.time);
            let time = fields
                .need("time", report)
                .and_then(|n| n.number_where("must lie after the one before", |x| x > last, report));
            let position = fields.vector_or("position", pose.position, report);
            let rotation = match fields.get(fields.rotation_key()) {
                Some(_) => fields.rotation(report),
                None => Some(pose.rotation),
            };
            Some(Keyframe {
                time: time?,
                pose: Pose {
                    position: position?,
                    rotation: rotation?,
                },
            })
        });
        right &= frame.is_some();
        frames.extend(frame);
    }
    let (smooth, repeat) = (smooth?, repeat?);
    right.then_some(Keyframes { frames, smooth, repeat })
}
