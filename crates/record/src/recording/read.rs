//! Reading recordings back.
//!
//! The file is taken apart by our own code, record by record and field by field (MCAP specification, "Records"): a damaged file must be an error, and
//! never asks for more memory than it fills. A file without an end mark is what a run leaves that was killed: it is read as far as it is whole.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use lz4_flex::frame::FrameDecoder;

use super::binary::Codec;
use super::error::shown_time;
use super::fields::Fields;
use super::framing::{LZ4, MAGIC, op};
use super::message::{FORMAT, OLDEST_FORMAT};
use super::schema::{BINARY, JSON};
use super::{Message, RecordError};

/// Longest record that is read \[bytes\]: a damaged length must not ask for all memory there is.
const MAX_RECORD_BYTES: u64 = 1 << 30;
/// Longest chunk when it is unpacked \[bytes\].
const MAX_UNPACKED_BYTES: u64 = 1 << 28;

/// Reads a recording in MCAP, message after message, with the same bits that were recorded. Channels that are not ours are passed over.
///
/// A recording without an end mark, as a run leaves it that was killed, is read as far as it is whole; [`Recording::unfinished`] then says where
/// it ends.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    source: BufReader<File>,
    place: Place,
    /// Whether the file has an end mark: damage is an error then, and the end of what is whole otherwise.
    complete: bool,
    /// Records of the current chunk, and how far they are read.
    chunk: Vec<u8>,
    at: usize,
    /// Topic and encoding of each channel.
    channels: BTreeMap<u64, (String, Encoding)>,
    codec: Codec,
    /// Time and step of the last message.
    last: Option<(f64, u64)>,
    unfinished: Option<Unfinished>,
}

/// How far a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    Data,
    /// After the data: only the summary follows.
    Summary,
    /// Nothing follows an error or the end.
    End,
}

/// How messages of a channel are written.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Encoding {
    Json,
    Binary,
    Other(String),
}

/// Where a recording without an end mark ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Unfinished {
    /// The file.
    pub path: PathBuf,
    /// Time of the last whole message \[s\].
    pub time: f64,
    /// Steps made then.
    pub step: u64,
    /// Bytes of the file that follow and were not read: something before them is damaged.
    pub unread: u64,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: the recording ends at t = {} s, step {}, without an end mark: ",
            self.path.display(),
            shown_time(self.time),
            self.step
        )?;
        if self.unread > 0 {
            return write!(
                f,
                "the file is damaged there, and {} bytes behind are not read",
                self.unread
            );
        }
        write!(f, "the run was stopped or is still going on")
    }
}

impl Recording {
    /// Opens a recording.
    ///
    /// # Errors
    /// A file that cannot be opened. What is in it shows message by message.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref().to_owned();
        let mut file = File::open(&path).map_err(RecordError::io(&path))?;
        // What cannot be looked at from its end must be complete.
        let complete = ends_with_magic(&mut file).unwrap_or(true);
        Ok(Self {
            path,
            source: BufReader::new(file),
            place: Place::Start,
            complete,
            chunk: Vec::new(),
            at: 0,
            channels: BTreeMap::new(),
            codec: Codec::default(),
            last: None,
            unfinished: None,
        })
    }

    /// Where the recording ends, if it has no end mark and has been read to there.
    #[must_use]
    pub fn unfinished(&self) -> Option<&Unfinished> {
        self.unfinished.as_ref()
    }

    /// The next message of ours, or none at the end.
    fn read(&mut self) -> Result<Option<Message>, RecordError> {
        if self.place == Place::Start {
            self.magic("begin")?;
            self.place = Place::Data;
        }
        loop {
            let (opcode, body) = if self.at < self.chunk.len() {
                self.next_in_chunk()?
            } else {
                self.next_in_file()?
            };
            if self.place == Place::Summary {
                if opcode == op::FOOTER {
                    self.magic("end")?;
                    return Ok(None);
                }
                continue;
            }
            match opcode {
                op::CHANNEL => self.name_channel(&body)?,
                op::CHUNK => self.open_chunk(&body)?,
                op::MESSAGE => {
                    if let Some(message) = self.message(&body)? {
                        return Ok(Some(message));
                    }
                }
                op::DATA_END => self.place = Place::Summary,
                op::FOOTER => return Err(self.wrong("must have an end of data")),
                _ => {}
            }
        }
    }

    fn magic(&mut self, place: &str) -> Result<(), RecordError> {
        let mut found = [0; 8];
        let read = self.source.read_exact(&mut found);
        if read.is_err() || found != MAGIC {
            return Err(self.wrong(format!("must {place} as an MCAP file does")));
        }
        Ok(())
    }

    /// A record of the file: opcode, length, body.
    fn next_in_file(&mut self) -> Result<(u8, Vec<u8>), RecordError> {
        let mut head = [0; 9];
        self.source.read_exact(&mut head).map_err(|_| self.early())?;
        let length = length_of(&head);
        if length > MAX_RECORD_BYTES {
            return Err(self.wrong(format!(
                "length of a record: must be {MAX_RECORD_BYTES} at most, found {length}"
            )));
        }
        let mut body = Vec::new();
        // Memory grows with what is there, whatever the length says.
        let read = (&mut self.source).take(length).read_to_end(&mut body);
        if read.map_err(RecordError::io(&self.path))? as u64 != length {
            return Err(self.early());
        }
        Ok((head[0], body))
    }

    /// A record of the current chunk.
    fn next_in_chunk(&mut self) -> Result<(u8, Vec<u8>), RecordError> {
        let rest = &self.chunk[self.at..];
        let (head, rest) = rest.split_first_chunk::<9>().ok_or_else(|| self.early())?;
        let body = usize::try_from(length_of(head))
            .ok()
            .and_then(|length| rest.get(..length))
            .ok_or_else(|| self.early())?
            .to_vec();
        let opcode = head[0];
        self.at += head.len() + body.len();
        Ok((opcode, body))
    }

    /// Id, schema, topic, encoding; metadata follow.
    fn name_channel(&mut self, body: &[u8]) -> Result<(), RecordError> {
        let mut fields = Fields(body);
        let numbers = fields.number::<2>().zip(fields.number::<2>());
        let (Some((id, _)), Some(topic), Some(encoding)) = (numbers, fields.text(), fields.text()) else {
            return Err(self.short("channel"));
        };
        let encoding = match encoding {
            JSON => Encoding::Json,
            BINARY => Encoding::Binary,
            other => Encoding::Other(other.to_owned()),
        };
        self.channels.insert(id, (topic.to_owned(), encoding));
        Ok(())
    }

    /// First and last time, length when unpacked, checksum, compression, then the records after their length.
    fn open_chunk(&mut self, body: &[u8]) -> Result<(), RecordError> {
        let mut fields = Fields(body);
        let (_, size, crc) = (fields.bytes(16), fields.number::<8>(), fields.number::<4>());
        let (compression, length) = (fields.text(), fields.number::<8>());
        let data = length.and_then(|length| fields.bytes(usize::try_from(length).ok()?));
        let (Some(size), Some(crc), Some(compression), Some(data)) = (size, crc, compression, data) else {
            return Err(self.short("chunk"));
        };
        self.chunk.clear();
        self.at = 0;
        match compression {
            "" => self.chunk.extend_from_slice(data),
            LZ4 => self.unpack(data, size)?,
            _ => {
                let reason = format!("chunk: must not be compressed, or with {LZ4}, found {compression:?}");
                return Err(self.wrong(reason));
            }
        }
        // The specification: 0 where there is none.
        if crc != 0 && u64::from(crc32fast::hash(&self.chunk)) != crc {
            self.chunk.clear();
            return Err(self.wrong("chunk: must have the checksum of its data: the file is damaged"));
        }
        Ok(())
    }

    /// Records of a compressed chunk, as many bytes as it says.
    fn unpack(&mut self, data: &[u8], size: u64) -> Result<(), RecordError> {
        if size > MAX_UNPACKED_BYTES {
            let reason = format!("chunk: must have {MAX_UNPACKED_BYTES} bytes at most, found {size}");
            return Err(self.wrong(reason));
        }
        // Memory grows with what is there, whatever the size says.
        let unpacked = FrameDecoder::new(data).take(size + 1).read_to_end(&mut self.chunk);
        if unpacked.is_ok_and(|found| found as u64 == size) {
            return Ok(());
        }
        self.chunk.clear();
        Err(self.wrong("chunk: must unpack to as many bytes as it says: the file is damaged"))
    }

    /// Channel, number, two times, then what it says.
    fn message(&mut self, body: &[u8]) -> Result<Option<Message>, RecordError> {
        let mut fields = Fields(body);
        let (Some(channel), Some(_)) = (fields.number::<2>(), fields.bytes(20)) else {
            return Err(self.short("message"));
        };
        let data = fields.0;
        let Some((topic, encoding)) = self.channels.get(&channel) else {
            return Err(self.wrong(format!("message: must be of a channel that was named, found {channel}")));
        };
        let read = match encoding {
            Encoding::Json => Message::from_json(topic, data).map_err(|e| e.to_string()),
            Encoding::Binary => self.codec.read(topic, data),
            Encoding::Other(_) if !is_ours(topic) => Ok(None),
            Encoding::Other(other) => Err(format!("must be encoded as {JSON} or {BINARY}, found {other}")),
        };
        let read = read.map_err(|e| self.wrong(format!("{topic}: {e}")))?;
        if let Some(Message::World(world)) = &read {
            if !(OLDEST_FORMAT..=FORMAT).contains(&world.format) {
                let reason = format!(
                    "/world: format: must be {OLDEST_FORMAT} or {FORMAT}, found {}",
                    world.format
                );
                return Err(self.wrong(reason));
            }
            self.codec.set_bodies(world.bodies.iter().map(|body| body.name.clone()));
        }
        if let Some(message) = &read {
            let step = message.step().or(self.last.map(|(_, step)| step)).unwrap_or(0);
            self.last = Some((message.time(), step));
        }
        Ok(read)
    }

    /// The end of a file without an end mark, where a message came before it.
    fn cut(&mut self) -> Option<Unfinished> {
        let (time, step) = self.last.filter(|_| !self.complete)?;
        let length = self.source.get_ref().metadata().map_or(0, |data| data.len());
        let read = self.source.stream_position().unwrap_or(length);
        Some(Unfinished {
            path: self.path.clone(),
            time,
            step,
            unread: length.saturating_sub(read),
        })
    }

    fn wrong(&self, reason: impl Into<String>) -> RecordError {
        RecordError::format(&self.path, &reason.into())
    }

    fn short(&self, record: &str) -> RecordError {
        self.wrong(format!("{record}: must hold its fields: the file is damaged"))
    }

    fn early(&self) -> RecordError {
        self.wrong("must not end early: the file is cut short or damaged")
    }
}

/// Whether a file ends as a complete one does; it is at its beginning afterwards.
fn ends_with_magic(file: &mut File) -> Result<bool, std::io::Error> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut found = [0; MAGIC.len()];
    // A file may be nothing but its beginning.
    let complete = length >= 2 * MAGIC.len() as u64 && {
        file.seek(SeekFrom::Start(length - MAGIC.len() as u64))?;
        file.read_exact(&mut found)?;
        found == MAGIC
    };
    file.seek(SeekFrom::Start(0))?;
    Ok(complete)
}

/// Whether a channel is one of ours.
fn is_ours(topic: &str) -> bool {
    super::schema::CHANNELS.iter().any(|channel| channel.topic == topic)
}

fn length_of(head: &[u8; 9]) -> u64 {
    let mut length = [0; 8];
    length.copy_from_slice(&head[1..]);
    u64::from_le_bytes(length)
}

impl Iterator for Recording {
    type Item = Result<Message, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.place == Place::End {
            return None;
        }
        let read = self.read();
        if !matches!(read, Ok(Some(_))) {
            self.place = Place::End;
        }
        if read.is_err() {
            self.unfinished = self.cut();
            if self.unfinished.is_some() {
                return None;
            }
        }
        read.transpose()
    }
}
