//! What the charts need of a recording, read message by message: figures of the steps and forces of pairs of bodies.

use std::collections::BTreeMap;
use std::path::Path;

use stiction_sim::recording::{Message, Recording, StatsRecord};

use super::csv;
use crate::BadInput;

/// Which contacts are looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Filter {
    /// Contacts of any of these bodies.
    pub(crate) bodies: Vec<String>,
    /// Contacts of these pairs, in either order.
    pub(crate) pairs: Vec<[String; 2]>,
}

impl Filter {
    /// Whether contacts of the two bodies are looked at.
    fn takes(&self, a: &str, b: &str) -> bool {
        if self.bodies.is_empty() && self.pairs.is_empty() {
            return true;
        }
        let either = |[p, q]: &[String; 2]| (p == a && q == b) || (p == b && q == a);
        self.bodies.iter().any(|name| name == a || name == b) || self.pairs.iter().any(either)
    }
}

/// Force between two bodies in one frame.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct PairForce {
    /// Sum of the normal forces \[N\].
    pub(crate) normal: f64,
    /// Sum of the friction forces on the first body, world axes \[N\].
    pub(crate) friction: [f64; 3],
}

/// A recording as the charts see it.
#[derive(Debug, Default)]
pub(crate) struct Data {
    /// One a step written.
    pub(crate) stats: Vec<StatsRecord>,
    /// Whether contacts were recorded at all, whatever the filter takes.
    pub(crate) has_contacts: bool,
    /// Times of the frames with contacts \[s\].
    pub(crate) times: Vec<f64>,
    /// Forces by names of the pair: frame and force, frames without a contact left out.
    pub(crate) pairs: BTreeMap<[String; 2], Vec<(usize, PairForce)>>,
    /// Names of the bodies that were seen, sorted.
    pub(crate) names: Vec<String>,
    /// Where the recording ends, if it was cut, in words.
    pub(crate) unfinished: Option<String>,
}

impl Data {
    /// Reads a recording: MCAP, or the tables of CSV.
    ///
    /// # Errors
    /// A file that is not a recording, or a damaged one; a filter that names a body that is not there.
    pub(crate) fn read(path: &Path, filter: &Filter) -> Result<Self, BadInput> {
        let mut data = Self::default();
        match kind(path)? {
            Kind::Mcap => {
                let mut recording = Recording::open(path).map_err(BadInput::whole)?;
                for message in &mut recording {
                    data.add(message.map_err(BadInput::whole)?, filter);
                }
                data.unfinished = recording.unfinished().map(ToString::to_string);
            }
            Kind::Csv => csv::read(path, filter, &mut data)?,
        }
        data.names.sort();
        data.names.dedup();
        data.check(filter).map_err(|bad| bad.in_file(path))?;
        Ok(data)
    }

    fn add(&mut self, message: Message, filter: &Filter) {
        match message {
            Message::World(world) => self.names.extend(world.bodies.into_iter().map(|body| body.name)),
            Message::Stats(stats) => self.stats.push(stats),
            Message::Contacts(contacts) => {
                let frame = self.begin_frame(contacts.time);
                for c in &contacts.contacts {
                    self.add_force(filter, frame, [&c.a, &c.b], c.normal_force, c.friction_force);
                }
            }
            _ => {}
        }
    }

    /// A frame with contacts begins, if only with none; its number.
    pub(super) fn begin_frame(&mut self, time: f64) -> usize {
        self.has_contacts = true;
        self.times.push(time);
        self.times.len() - 1
    }

    /// A contact of a frame, no earlier one than the last: names, normal force and friction on the first of them \[N\].
    pub(super) fn add_force(
        &mut self,
        filter: &Filter,
        frame: usize,
        [a, b]: [&str; 2],
        normal: f64,
        friction: [f64; 3],
    ) {
        if !filter.takes(a, b) {
            return;
        }
        // Sides do not matter here: the order of the names decides, and friction is told on the first.
        let (names, sign) = if a > b { ([b, a], -1.0) } else { ([a, b], 1.0) };
        let forces = self.pairs.entry(names.map(str::to_owned)).or_default();
        if forces.last().is_none_or(|(last, _)| *last != frame) {
            forces.push((frame, PairForce::default()));
        }
        if let Some((_, force)) = forces.last_mut() {
            force.normal += normal;
            for (sum, part) in force.friction.iter_mut().zip(friction) {
                *sum += sign * part;
            }
        }
    }

    /// Every name of the filter must be a body; CSV has no list of bodies but those of its poses.
    fn check(&self, filter: &Filter) -> Result<(), BadInput> {
        let named = filter.bodies.iter().map(|name| ("body", name));
        let paired = filter.pairs.iter().flatten().map(|name| ("contact", name));
        for (option, name) in named.chain(paired) {
            if self.names.binary_search(name).is_err() {
                let problem = match crate::nearest::nearest(name, self.names.iter().map(String::as_str)) {
                    Some(near) => format!("must be a body of the recording, found {name}; nearest: {near}"),
                    None => format!("must be a body of the recording, found {name}"),
                };
                return Err(BadInput::new(option, problem));
            }
        }
        Ok(())
    }
}

enum Kind {
    Mcap,
    Csv,
}

/// The form of a recording by its name.
fn kind(path: &Path) -> Result<Kind, BadInput> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let bad = |problem: &str| Err(BadInput::whole(problem).in_file(path));
    match extension.as_deref() {
        _ if path.is_dir() => Ok(Kind::Csv),
        _ if !path.exists() => bad("must be a recording, found nothing of this name"),
        Some("mcap") => Ok(Kind::Mcap),
        Some("csv") => Ok(Kind::Csv),
        Some("toml") => bad("must be a recording, found a scene; stiction run SCENE -o NAME.mcap makes one"),
        _ => bad("must be a recording: NAME.mcap, NAME.csv, or a folder with poses.csv"),
    }
}
