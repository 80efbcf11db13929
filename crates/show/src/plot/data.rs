//! What the charts need of a recording: figures of the steps and forces of pairs of bodies.

use std::collections::BTreeMap;

use stiction_formats::BadInput;
use stiction_record::{Message, StatsRecord};

/// Which contacts are looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// Contacts of any of these bodies.
    pub bodies: Vec<String>,
    /// Contacts of these pairs, in either order.
    pub pairs: Vec<[String; 2]>,
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
pub struct PairForce {
    /// Sum of the normal forces \[N\].
    pub normal: f64,
    /// Sum of the friction forces on the first body, world axes \[N\].
    pub friction: [f64; 3],
}

/// A recording as the charts see it.
#[derive(Debug, Default)]
pub struct Data {
    /// One a step written.
    pub stats: Vec<StatsRecord>,
    /// Whether contacts were recorded at all, whatever the filter takes.
    pub has_contacts: bool,
    /// Times of the frames with contacts \[s\].
    pub times: Vec<f64>,
    /// Forces by names of the pair: frame and force, frames without a contact skipped.
    pub pairs: BTreeMap<[String; 2], Vec<(usize, PairForce)>>,
    /// Names of the bodies that were seen, sorted.
    pub names: Vec<String>,
    /// Where the recording ends, if it was cut, in words.
    pub unfinished: Option<String>,
}

impl Data {
    /// Adds a message of a recording.
    pub(super) fn add(&mut self, message: Message, filter: &Filter) {
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
    pub(super) fn check(&self, filter: &Filter) -> Result<(), BadInput> {
        let named = filter.bodies.iter().map(|name| ("body", name));
        let paired = filter.pairs.iter().flatten().map(|name| ("contact", name));
        for (option, name) in named.chain(paired) {
            if self.names.binary_search(name).is_err() {
                let problem = match stiction_contact::nearest::nearest(name, self.names.iter().map(String::as_str)) {
                    Some(near) => format!("must be a body of the recording, found {name}; nearest: {near}"),
                    None => format!("must be a body of the recording, found {name}"),
                };
                return Err(BadInput::new(option, problem));
            }
        }
        Ok(())
    }
}
