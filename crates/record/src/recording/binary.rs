//! Messages of the channels `/poses`, `/contacts` and `/stats` as bytes, with the same bits back: the layout of ROS 1, as the schemas in every file
//! describe it.
//!
//! Names of bodies are numbers that count in the last `/world`. Contacts are written list by list. A list with the bytes of the message before is
//! left empty and marked, so that what rests takes no room; the first message of a chunk has all lists.

use std::collections::BTreeMap;

use stiction_contact::ContactState;

use super::fields::{Fields, rows};
use super::framing::sized;
use stiction_sim::Work;

use super::{ContactRecord, ContactsRecord, Message, PosesRecord, StatsRecord};

/// Bytes of an entry in each list of contacts.
const ENTRY: [usize; 12] = [4, 4, 24, 24, 8, 8, 24, 1, 8, 8, 8, 1];

/// Lists of contacts as bytes.
type Lists = [Vec<u8>; ENTRY.len()];

/// What messages refer to: the bodies of the last `/world` and the contacts of the last `/contacts`.
#[derive(Debug, Default)]
pub(crate) struct Codec {
    bodies: Vec<String>,
    numbers: BTreeMap<String, u32>,
    lists: Lists,
    /// Whether the lists are those of an earlier message.
    has_lists: bool,
    /// Room for the next lists.
    spare: Lists,
}

impl Codec {
    /// Takes the bodies of a world.
    pub(crate) fn set_bodies(&mut self, names: impl Iterator<Item = String>) {
        self.bodies = names.collect();
        self.numbers = self.bodies.iter().cloned().zip(0..).collect();
        self.forget();
    }

    /// The next message has all lists.
    pub(crate) fn forget(&mut self) {
        self.has_lists = false;
    }

    /// Appends a message; false for one of another channel.
    ///
    /// # Errors
    /// A contact whose state is none.
    pub(crate) fn write(&mut self, message: &Message, out: &mut Vec<u8>) -> Result<bool, String> {
        match message {
            Message::World(_) => return Ok(false),
            Message::Poses(poses) => self.write_poses(poses, out),
            Message::Contacts(contacts) => self.write_contacts(contacts, out)?,
            Message::Stats(stats) => write_stats(stats, out),
        }
        Ok(true)
    }

    /// Reads a message of a channel; `None` for a channel that is not ours.
    ///
    /// # Errors
    /// Bytes that are not such a message.
    pub(crate) fn read(&mut self, topic: &str, bytes: &[u8]) -> Result<Option<Message>, String> {
        let mut fields = Fields(bytes);
        let short = || "must hold its fields".to_owned();
        match topic {
            "/poses" => self
                .read_poses(&mut fields)
                .map(Message::Poses)
                .map(Some)
                .ok_or_else(short),
            "/contacts" => self.read_contacts(&mut fields).map(Message::Contacts).map(Some),
            "/stats" => read_stats(&mut fields).map(Message::Stats).map(Some).ok_or_else(short),
            _ => Ok(None),
        }
    }

    fn write_poses(&self, poses: &PosesRecord, out: &mut Vec<u8>) {
        let PosesRecord {
            time,
            step,
            names,
            positions,
            orientations,
            velocities,
        } = poses;
        put(out, &[*time]);
        out.extend(step.to_le_bytes());
        put_texts(out, if *names == self.bodies { &[] } else { names });
        put_rows(out, positions);
        put_rows(out, orientations);
        put_rows(out, velocities);
    }

    fn read_poses(&self, fields: &mut Fields<'_>) -> Option<PosesRecord> {
        let (time, step, names) = (fields.double()?, fields.number::<8>()?, fields.texts()?);
        Some(PosesRecord {
            time,
            step,
            names: if names.is_empty() { self.bodies.clone() } else { names },
            positions: fields.rows()?,
            orientations: fields.rows()?,
            velocities: fields.rows()?,
        })
    }

    fn write_contacts(&mut self, record: &ContactsRecord, out: &mut Vec<u8>) -> Result<(), String> {
        let mut others = Vec::new();
        self.spare.iter_mut().for_each(Vec::clear);
        for contact in &record.contacts {
            self.list(contact, &mut others)?;
        }
        put(out, &[record.time]);
        out.extend(record.step.to_le_bytes());
        out.extend(number(record.contacts.len()).to_le_bytes());
        let same = |k: usize| self.has_lists && self.spare[k] == self.lists[k] && !self.spare[k].is_empty();
        let unchanged = (0..ENTRY.len())
            .filter(|k| same(*k))
            .fold(0_u32, |bits, k| bits | 1 << k);
        out.extend(unchanged.to_le_bytes());
        put_texts(out, &others);
        for (k, (list, entry)) in self.spare.iter().zip(ENTRY).enumerate() {
            if unchanged >> k & 1 == 1 {
                out.extend([0; 4]);
            } else {
                out.extend(number(list.len() / entry).to_le_bytes());
                out.extend(list);
            }
        }
        std::mem::swap(&mut self.lists, &mut self.spare);
        self.has_lists = true;
        Ok(())
    }

    /// Adds a contact to the spare lists, and names that are not those of bodies to the others.
    fn list(&mut self, contact: &ContactRecord, others: &mut Vec<String>) -> Result<(), String> {
        let ContactRecord {
            a,
            b,
            point,
            normal,
            gap,
            normal_force,
            friction_force,
            state,
            friction,
            slip_speed,
            residual,
            unique,
        } = contact;
        let mut number_of = |name: &String| {
            self.numbers.get(name).copied().unwrap_or_else(|| {
                let at = others.iter().position(|other| other == name).unwrap_or(others.len());
                if at == others.len() {
                    others.push(name.clone());
                }
                number(self.bodies.len() + at)
            })
        };
        let (a, b) = (number_of(a), number_of(b));
        let Some(state) = (0..).zip(STATES).find(|(_, s)| s.name() == state) else {
            return Err(format!("state: must be separating, sticking or sliding, found {state}"));
        };
        let lists = &mut self.spare;
        lists[0].extend(a.to_le_bytes());
        lists[1].extend(b.to_le_bytes());
        put(&mut lists[2], point);
        put(&mut lists[3], normal);
        put(&mut lists[4], &[*gap]);
        put(&mut lists[5], &[*normal_force]);
        put(&mut lists[6], friction_force);
        lists[7].push(state.0);
        for (k, value) in (8..).zip([friction, slip_speed, residual]) {
            put(&mut lists[k], &[value.unwrap_or(f64::NAN)]);
        }
        lists[11].push(unique.map_or(2, u8::from));
        Ok(())
    }

    fn read_contacts(&mut self, fields: &mut Fields<'_>) -> Result<ContactsRecord, String> {
        let mut head = || {
            let (time, step) = (fields.double()?, fields.number::<8>()?);
            let (count, unchanged) = (fields.count::<4>()?, fields.number::<4>()?);
            Some((time, step, count, unchanged, fields.texts()?))
        };
        let (time, step, count, unchanged, others) = head().ok_or("must hold its fields")?;
        for (k, entry) in ENTRY.into_iter().enumerate() {
            let found = fields.count::<4>().ok_or("must hold its lists")?;
            let same = unchanged >> k & 1 == 1;
            let bytes = found.checked_mul(entry).and_then(|size| fields.bytes(size));
            let bytes = bytes.ok_or("must hold its lists")?;
            if same && !self.has_lists {
                return Err("must follow the message that it refers to".to_owned());
            }
            if !same {
                self.lists[k].clear();
                self.lists[k].extend_from_slice(bytes);
            }
            let entries = self.lists[k].len() / entry;
            if entries != count || (same && found != 0) {
                // The lists are half of this message and half of another.
                self.has_lists = false;
                return Err(format!("list {k}: must have {count} entries, found {entries}"));
            }
        }
        self.has_lists = true;
        let contacts: Result<Vec<ContactRecord>, String> = self.contacts(count, &others);
        Ok(ContactsRecord {
            time,
            step,
            contacts: contacts?,
        })
    }

    /// The lists as contacts.
    fn contacts(&self, count: usize, others: &[String]) -> Result<Vec<ContactRecord>, String> {
        let name = |list: usize, i: usize| {
            let at = self.lists[list]
                .as_chunks::<4>()
                .0
                .get(i)
                .map_or(u32::MAX, |at| u32::from_le_bytes(*at));
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            let found = self
                .bodies
                .get(at)
                .or_else(|| others.get(at.checked_sub(self.bodies.len())?));
            found
                .cloned()
                .ok_or_else(|| format!("body: must be one of {}, found {at}", self.bodies.len()))
        };
        let threes = |list: usize| rows::<3>(&self.lists[list]);
        let ones = |list: usize| rows::<1>(&self.lists[list]);
        let (point, normal, friction_force) = (threes(2), threes(3), threes(6));
        let [gap, normal_force, friction, slip_speed, residual] = [4, 5, 8, 9, 10].map(ones);
        let one = |i: usize| {
            let state = usize::from(self.lists[7][i]);
            let state = STATES
                .get(state)
                .ok_or_else(|| format!("state: must be 2 at most, found {state}"))?;
            Ok(ContactRecord {
                a: name(0, i)?,
                b: name(1, i)?,
                point: point[i],
                normal: normal[i],
                gap: gap[i][0],
                normal_force: normal_force[i][0],
                friction_force: friction_force[i],
                state: state.name().to_owned(),
                friction: known(friction[i][0]),
                slip_speed: known(slip_speed[i][0]),
                residual: known(residual[i][0]),
                unique: [Some(false), Some(true)]
                    .get(usize::from(self.lists[11][i]))
                    .copied()
                    .flatten(),
            })
        };
        (0..count).map(one).collect()
    }
}

/// States of contacts as they are numbered in files.
const STATES: [ContactState; 3] = [ContactState::Separating, ContactState::Sticking, ContactState::Sliding];

fn write_stats(stats: &StatsRecord, out: &mut Vec<u8>) {
    let StatsRecord {
        time,
        step,
        steps,
        contacts,
        islands,
        warm,
        pivots,
        newton_steps,
        split,
        residual,
        penetration,
        kinetic,
        potential,
        dissipated,
        injected,
        eased,
        stepping,
        worst_gain,
        hash,
        ..
    } = stats;
    put(out, &[*time]);
    for count in [*step, *steps] {
        out.extend(count.to_le_bytes());
    }
    for count in [contacts, islands, warm, pivots, newton_steps, split] {
        out.extend((*count as u64).to_le_bytes());
    }
    put(out, &[*residual, *penetration, *kinetic, *potential]);
    put(out, &[*dissipated, *injected, *eased, *stepping, *worst_gain]);
    sized(out, hash.as_bytes());
    put(out, &stats.parts().map(|part| part.unwrap_or(f64::NAN)));
    // A step has a try at least: none stands for work that is not known.
    for count in stats.work.unwrap_or_default().counts() {
        out.extend(count.to_le_bytes());
    }
}

fn read_stats(fields: &mut Fields<'_>) -> Option<StatsRecord> {
    let mut stats = StatsRecord {
        time: fields.double()?,
        step: fields.number::<8>()?,
        steps: fields.number::<8>()?,
        contacts: fields.count::<8>()?,
        islands: fields.count::<8>()?,
        warm: fields.count::<8>()?,
        pivots: fields.count::<8>()?,
        newton_steps: fields.count::<8>()?,
        split: fields.count::<8>()?,
        residual: fields.double()?,
        penetration: fields.double()?,
        kinetic: fields.double()?,
        potential: fields.double()?,
        dissipated: fields.double()?,
        injected: fields.double()?,
        eased: fields.double()?,
        stepping: fields.double()?,
        worst_gain: fields.double()?,
        hash: fields.text()?.to_owned(),
        slip: None,
        impacts: None,
        numerical_velocity: None,
        numerical_closing: None,
        numerical_returned: None,
        numerical_flight: None,
        work: None,
    };
    // Older files end here.
    if !fields.0.is_empty() {
        let mut part = || Some(known(fields.double()?));
        stats.slip = part()?;
        stats.impacts = part()?;
        stats.numerical_velocity = part()?;
        stats.numerical_closing = part()?;
        stats.numerical_returned = part()?;
        stats.numerical_flight = part()?;
    }
    if !fields.0.is_empty() {
        stats.work = Some(read_work(fields)?).filter(|work| work.tries > 0);
    }
    Some(stats)
}

fn read_work(fields: &mut Fields<'_>) -> Option<Work> {
    Some(Work {
        tries: fields.count::<8>()?,
        solves: fields.count::<8>()?,
        passes: fields.count::<8>()?,
        newton_steps: fields.count::<8>()?,
        factorisations: fields.count::<8>()?,
        pivots: fields.count::<8>()?,
        fallbacks: fields.count::<8>()?,
        corrections: fields.count::<8>()?,
        correction_steps: fields.count::<8>()?,
        operations: fields.number::<8>()?,
    })
}

/// A number that is written as NaN where it is not known.
fn known(x: f64) -> Option<f64> {
    Some(x).filter(|x| !x.is_nan())
}

fn put(out: &mut Vec<u8>, numbers: &[f64]) {
    for x in numbers {
        out.extend(x.to_le_bytes());
    }
}

fn put_rows<const N: usize>(out: &mut Vec<u8>, rows: &[[f64; N]]) {
    out.extend(number(rows.len()).to_le_bytes());
    put(out, rows.as_flattened());
}

fn put_texts(out: &mut Vec<u8>, texts: &[String]) {
    out.extend(number(texts.len()).to_le_bytes());
    for text in texts {
        sized(out, text.as_bytes());
    }
}

/// A count as files hold it.
#[allow(clippy::cast_possible_truncation)] // A list of 2³² entries fits into no record.
fn number(count: usize) -> u32 {
    count as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats() -> StatsRecord {
        StatsRecord {
            time: 0.5,
            step: 500,
            steps: 1,
            contacts: 4,
            islands: 1,
            warm: 1,
            pivots: 2,
            newton_steps: 3,
            split: 0,
            residual: 1e-15,
            penetration: 0.0,
            kinetic: 1.0,
            potential: 2.0,
            dissipated: 3.0,
            injected: 4.0,
            eased: 5.0,
            stepping: 6.0,
            worst_gain: 7.0,
            hash: "0123456789abcdef".to_owned(),
            slip: Some(1.0),
            impacts: Some(2.0),
            numerical_velocity: Some(3.0),
            numerical_closing: Some(4.0),
            numerical_returned: Some(-5.0),
            numerical_flight: None,
            work: Some(Work {
                tries: 1,
                solves: 2,
                passes: 3,
                newton_steps: 4,
                factorisations: 5,
                pivots: 6,
                fallbacks: 7,
                corrections: 8,
                correction_steps: 9,
                operations: 10,
            }),
        }
    }

    #[test]
    fn figures_of_older_files_have_no_parts() {
        let mut bytes = Vec::new();
        write_stats(&stats(), &mut bytes);
        assert_eq!(read_stats(&mut Fields(&bytes)), Some(stats()));
        let (parts, work) = (6 * 8, 10 * 8);
        let without_work = StatsRecord { work: None, ..stats() };
        assert_eq!(
            read_stats(&mut Fields(&bytes[..bytes.len() - work])),
            Some(without_work)
        );
        let old = StatsRecord {
            work: None,
            slip: None,
            impacts: None,
            numerical_velocity: None,
            numerical_closing: None,
            numerical_returned: None,
            ..stats()
        };
        assert_eq!(read_stats(&mut Fields(&bytes[..bytes.len() - work - parts])), Some(old));
        // Cut within the parts or the work: damage.
        for cut in [1, work + 1] {
            assert_eq!(read_stats(&mut Fields(&bytes[..bytes.len() - cut])), None);
        }
    }
}
