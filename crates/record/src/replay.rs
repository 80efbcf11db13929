//! A whole recording in one compact piece, for the viewer's page.
//!
//! Poses and contacts are words of 32 bits, little endian: numbers as `f32`, which is more than a screen shows. Each frame is combined with the
//! one before by exclusive or, so that what rests is zeros, then all is compressed (gzip) and written in base 64. Where a recording
//! is longer than a page can hold, every second frame goes, as often as it takes; sums and worst values of figures are kept.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use crate::recording::{
    ContactsRecord, Message, PosesRecord, RecordError, Recording, StatsRecord, Unfinished, WorldRecord,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

/// Numbers of a body in a frame: position, rotation (x, y, z, w), speed, spin.
pub const BODY_WORDS: usize = 9;
/// Numbers of a contact in a frame: a, b, state and flags, point, normal, gap, normal force, friction force, coefficient, slip speed, residual.
pub const CONTACT_WORDS: usize = 17;
/// Most numbers of poses, and of contacts, that a replay holds: 64 MiB each before compression.
const MAX_WORDS: usize = 16 << 20;

/// State of a contact in its word of flags, and what else is in it.
const STATES: [&str; 3] = ["separating", "sticking", "sliding"];
const UNIQUE: u32 = 4;
const NOT_UNIQUE: u32 = 8;

/// A recording as the page reads it.
#[derive(Debug, Clone)]
pub struct Replay {
    name: String,
    worlds: Vec<Span>,
    frames: Vec<Frame>,
    /// Words of poses and of contacts so far, and the most of each that are kept.
    words: [usize; 2],
    most: usize,
    /// Every how many recorded frames one is kept; every how many kept frames one keeps its contacts.
    every: [u64; 2],
    /// Frames read so far, kept or not.
    frames_read: u64,
    /// Statistics of skipped frames, to be added to the next kept frame.
    left_over: Option<StatsRecord>,
    /// Whether the current frame is kept.
    kept: bool,
    /// Where the recording ends, if it has no end mark.
    unfinished: Option<Unfinished>,
}

/// A world and the first frame that it holds for.
#[derive(Debug, Clone, Serialize)]
struct Span {
    first: usize,
    world: WorldRecord,
    #[serde(skip)]
    numbers: BTreeMap<String, u32>,
}

#[derive(Debug, Clone)]
struct Frame {
    time: f64,
    step: u64,
    world: usize,
    bodies: Vec<u32>,
    contacts: Option<Vec<u32>>,
    stats: Option<StatsRecord>,
}

/// What is written.
#[derive(Serialize)]
struct Written<'a> {
    format: u32,
    name: &'a str,
    worlds: &'a [Span],
    every: u64,
    contacts_every: u64,
    times: Vec<f64>,
    steps: Vec<u64>,
    /// Contacts of each frame; −1 where they were not kept.
    contact_counts: Vec<i64>,
    stats: Vec<Option<&'a StatsRecord>>,
    poses: String,
    contacts: String,
}

impl Replay {
    /// An empty replay of a name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            worlds: Vec::new(),
            frames: Vec::new(),
            words: [0; 2],
            most: MAX_WORDS,
            every: [1; 2],
            frames_read: 0,
            left_over: None,
            kept: false,
            unfinished: None,
        }
    }

    /// Reads a recording in MCAP.
    ///
    /// # Errors
    /// A file that cannot be read, that is damaged, or that holds no frame.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut replay = Self::new(&name);
        let mut recording = Recording::open(path)?;
        for message in &mut recording {
            replay.add(message?);
        }
        replay.unfinished = recording.unfinished().cloned();
        if replay.frames.is_empty() {
            return Err(RecordError::Format {
                path: path.to_owned(),
                reason: "must hold a frame, found none".to_owned(),
            });
        }
        Ok(replay)
    }

    /// Adds a message, in the order in which they are recorded: a world, then of each step poses, contacts and figures.
    pub fn add(&mut self, message: Message) {
        match message {
            Message::World(world) => {
                let numbers = (0..).zip(&world.bodies).map(|(i, b)| (b.name.clone(), i)).collect();
                self.worlds.push(Span {
                    first: self.frames.len(),
                    world,
                    numbers,
                });
            }
            Message::Poses(poses) => self.add_poses(&poses),
            Message::Contacts(contacts) => self.add_contacts(&contacts),
            Message::Stats(stats) => self.add_stats(stats),
        }
    }

    /// Where the recording that was read ends, if it has no end mark.
    #[must_use]
    pub fn unfinished(&self) -> Option<&Unfinished> {
        self.unfinished.as_ref()
    }

    /// Frames that are kept.
    #[must_use]
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// Times of the first and the last frame \[s\]; nothing where there is none.
    #[must_use]
    pub fn times(&self) -> Option<[f64; 2]> {
        Some([self.frames.first()?.time, self.frames.last()?.time])
    }

    fn add_poses(&mut self, poses: &PosesRecord) {
        let index = self.frames_read;
        self.frames_read += 1;
        self.kept = !self.worlds.is_empty() && index.is_multiple_of(self.every[0]);
        if !self.kept {
            return;
        }
        let mut bodies = Vec::with_capacity(BODY_WORDS * poses.positions.len());
        for ((position, orientation), velocity) in
            poses.positions.iter().zip(&poses.orientations).zip(&poses.velocities)
        {
            bodies.extend(position.iter().chain(orientation).map(|x| word(*x)));
            let length = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
            bodies.extend([word(length(&velocity[..3])), word(length(&velocity[3..]))]);
        }
        self.words[0] += bodies.len();
        self.frames.push(Frame {
            time: poses.time,
            step: poses.step,
            world: self.worlds.len() - 1,
            bodies,
            contacts: None,
            stats: None,
        });
        while self.words[0] > self.most && self.frames.len() > 2 {
            self.thin_frames();
        }
    }

    fn add_contacts(&mut self, contacts: &ContactsRecord) {
        let count = self.frames.len();
        let (Some(frame), true) = (self.frames.last_mut(), self.kept) else {
            return;
        };
        if !has_contacts(count - 1, self.every[1]) {
            return;
        }
        let numbers = &self.worlds[frame.world].numbers;
        let words = contact_words(contacts, numbers);
        self.words[1] += words.len();
        frame.contacts = Some(words);
        while self.words[1] > self.most && self.thin_contacts() {}
    }

    fn add_stats(&mut self, mut stats: StatsRecord) {
        if let Some(before) = self.left_over.take() {
            merge(&mut stats, &before);
        }
        match self.frames.last_mut() {
            Some(frame) if self.kept => frame.stats = Some(stats),
            _ => self.left_over = Some(stats),
        }
    }

    /// Leaves out every second frame but the first; a world that begins with one begins with the next.
    fn thin_frames(&mut self) {
        self.every[0] *= 2;
        // Frames at multiples of an even number stay, at multiples of its half.
        self.every[1] = (self.every[1] / 2).max(1);
        let mut kept = Vec::with_capacity(self.frames.len() / 2 + 1);
        // Figures that were skipped after the last frame with some stay so.
        let mut left_over: Option<StatsRecord> = None;
        for (i, mut frame) in std::mem::take(&mut self.frames).into_iter().enumerate() {
            if let Some(stats) = &mut frame.stats
                && let Some(before) = left_over.take()
            {
                merge(stats, &before);
            }
            // The frame at hand is the last, and may be the one that goes.
            self.kept = i.is_multiple_of(2);
            if self.kept {
                kept.push(frame);
                continue;
            }
            left_over = frame.stats.or(left_over);
            self.words[0] -= frame.bodies.len();
            self.words[1] -= frame.contacts.map_or(0, |c| c.len());
        }
        self.left_over = match (self.left_over.take(), left_over) {
            (Some(mut later), Some(before)) => {
                merge(&mut later, &before);
                Some(later)
            }
            (later, before) => later.or(before),
        };
        self.frames = kept;
        for span in &mut self.worlds {
            span.first = span.first.div_ceil(2);
        }
    }

    /// Leaves out the contacts of every second frame that may have some; `false` where there is one left.
    fn thin_contacts(&mut self) -> bool {
        self.every[1] *= 2;
        let mut with = 0;
        for (i, frame) in self.frames.iter_mut().enumerate() {
            with += usize::from(frame.contacts.is_some());
            if !has_contacts(i, self.every[1]) {
                self.words[1] -= frame.contacts.take().map_or(0, |c| c.len());
            }
        }
        with > 1
    }

    /// The replay as JSON.
    #[must_use]
    pub fn json(&self) -> String {
        let frames = self.frames.iter();
        let count = |f: &Frame| match &f.contacts {
            Some(contacts) => i64::try_from(contacts.len() / CONTACT_WORDS).unwrap_or(-1),
            None => -1,
        };
        let written = Written {
            format: 1,
            name: &self.name,
            worlds: &self.worlds,
            every: self.every[0],
            contacts_every: self.every[1],
            times: frames.clone().map(|f| f.time).collect(),
            steps: frames.clone().map(|f| f.step).collect(),
            contact_counts: frames.clone().map(count).collect(),
            stats: frames.clone().map(|f| f.stats.as_ref()).collect(),
            poses: packed(frames.clone().map(|f| f.bodies.as_slice())),
            contacts: packed(frames.filter_map(|f| f.contacts.as_deref())),
        };
        // Records of numbers and names: writing them cannot fail.
        serde_json::to_string(&written).unwrap_or_default()
    }
}

/// Whether the contacts of a frame are kept. By its place among those that are, so that leaving frames out takes contacts from all alike.
fn has_contacts(frame: usize, every: u64) -> bool {
    (frame as u64).is_multiple_of(every)
}

#[allow(clippy::cast_possible_truncation)]
fn word(x: f64) -> u32 {
    (x as f32).to_bits()
}

fn contact_words(contacts: &ContactsRecord, numbers: &BTreeMap<String, u32>) -> Vec<u32> {
    let mut words = Vec::with_capacity(CONTACT_WORDS * contacts.contacts.len());
    for c in &contacts.contacts {
        let number = |name: &String| numbers.get(name).copied().unwrap_or(u32::MAX);
        let state = (0..).zip(STATES).find(|(_, s)| *s == c.state).map_or(0, |(i, _)| i);
        let unique = c.unique.map_or(0, |u| if u { UNIQUE } else { NOT_UNIQUE });
        words.extend([number(&c.a), number(&c.b), state | unique]);
        words.extend(c.point.iter().chain(&c.normal).map(|x| word(*x)));
        words.extend([c.gap, c.normal_force].map(word));
        words.extend(c.friction_force.map(word));
        words.extend([c.friction, c.slip_speed, c.residual].map(|x| word(x.unwrap_or(f64::NAN))));
    }
    words
}

/// Sums and worst values of the steps of both.
fn merge(stats: &mut StatsRecord, before: &StatsRecord) {
    stats.steps += before.steps;
    stats.pivots += before.pivots;
    stats.newton_steps += before.newton_steps;
    stats.work = stats.work.zip(before.work).map(|(mut all, work)| {
        all += work;
        all
    });
    stats.residual = stats.residual.max(before.residual);
    stats.penetration = stats.penetration.max(before.penetration);
}

/// Frames combined with the one before each, compressed, in base 64.
fn packed<'a>(frames: impl Iterator<Item = &'a [u32]>) -> String {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(4));
    let (mut before, mut bytes): (&[u32], Vec<u8>) = (&[], Vec::new());
    for frame in frames {
        bytes.clear();
        for (i, word) in frame.iter().enumerate() {
            let combined = word ^ before.get(i).copied().unwrap_or(0);
            bytes.extend(combined.to_le_bytes());
        }
        // Writing to memory cannot fail.
        let _ = encoder.write_all(&bytes);
        before = frame;
    }
    STANDARD.encode(encoder.finish().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use crate::recording::Since;
    use stiction_scene::{Scene, WorldExt};
    use stiction_sim::{StepReport, World};

    use super::*;

    const CUBE: &str = r#"
        format = 1
        world = { friction = 0.5, density = 1000 }
        body = [
            { name = "ground", shape = { half_space = [0, 0, 1] } },
            { name = "cube", shape = { box = [0.2, 0.2, 0.2] }, position = [0, 0, 0.1], velocity = [1, 0, 0] },
        ]"#;

    /// A replay of some steps, with room for so many words.
    fn replay(steps: u64, most: usize) -> (Replay, World) {
        let scene = Scene::parse(CUBE, ".").expect("a scene");
        let mut world = World::from_scene(&scene).expect("a world");
        let mut replay = Replay::new("cube");
        replay.most = most;
        replay.add(Message::World(WorldRecord::of(&world)));
        replay.add(Message::Poses(PosesRecord::of(&world)));
        for _ in 0..steps {
            let report: StepReport = world.step().expect("a step");
            let mut since = Since::default();
            since.add(&report);
            replay.add(Message::Poses(PosesRecord::of(&world)));
            replay.add(Message::Contacts(ContactsRecord::of(&world)));
            replay.add(Message::Stats(StatsRecord::of(&world, &report, &since)));
        }
        (replay, world)
    }

    fn words_of(json: &serde_json::Value) -> Vec<u32> {
        let packed = STANDARD.decode(json.as_str().expect("text")).expect("base 64");
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(packed.as_slice())
            .read_to_end(&mut bytes)
            .expect("gzip");
        bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    }

    #[test]
    fn poses_and_contacts_come_back() {
        let (replay, world) = replay(10, MAX_WORDS);
        let json: serde_json::Value = serde_json::from_str(&replay.json()).expect("JSON");
        assert_eq!(json["steps"].as_array().map(Vec::len), Some(11));
        let mut words = words_of(&json["poses"]);
        let length = 2 * BODY_WORDS;
        assert_eq!(words.len(), 11 * length);
        for i in length..words.len() {
            words[i] ^= words[i - length];
        }
        let last = &words[10 * length + BODY_WORDS..];
        let state = &world.state().bodies[1];
        for (k, x) in state.numbers()[..7].iter().enumerate() {
            assert_eq!(last[k], word(*x), "number {k}");
        }
        assert_eq!(last[7], word(state.velocity.norm()));
        assert_eq!(json["contact_counts"][0], -1);
        assert_eq!(json["contact_counts"][10], 4);
        let contacts = words_of(&json["contacts"]);
        assert_eq!(contacts.len(), 10 * 4 * CONTACT_WORDS);
        assert_eq!(contacts[0..2], [0, 1], "numbers of the bodies");
    }

    #[test]
    fn long_recordings_are_thinned_and_figures_are_kept() {
        let (replay, _) = replay(1000, 40 * 2 * BODY_WORDS);
        assert!(
            replay.frames.len() <= 40 && replay.frames.len() > 20,
            "{}",
            replay.frames.len()
        );
        let spaced = replay
            .frames
            .windows(2)
            .all(|f| f[1].step - f[0].step == replay.every[0]);
        assert!(spaced, "{:?}", replay.frames.iter().map(|f| f.step).collect::<Vec<_>>());
        let steps: u64 = replay
            .frames
            .iter()
            .filter_map(|f| f.stats.as_ref())
            .map(|s| s.steps)
            .sum();
        let left = replay.left_over.as_ref().map_or(0, |s| s.steps);
        assert_eq!(steps + left, 1000);
        // Contacts of the whole run, not of its end alone.
        assert!(replay.every[1] > 1, "{}", replay.every[1]);
        for (i, frame) in replay.frames.iter().enumerate().skip(1) {
            assert_eq!(frame.contacts.is_some(), has_contacts(i, replay.every[1]), "frame {i}");
        }
        assert!(
            replay.words.iter().all(|words| *words <= replay.most),
            "{:?}",
            replay.words
        );
    }
}
