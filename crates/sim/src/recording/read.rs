//! Reading recordings back.
//!
//! The file is taken apart by our own code, record by record and field by field (MCAP specification, "Records"): the library's reader overflows on
//! chunks whose lengths do not agree and asks for as much memory as a length says, and a damaged file must be an error.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use mcap::records::op;

use super::message::FORMAT;
use super::{Message, RecordError};

/// Longest record that is read \[bytes\]: a damaged length must not ask for all memory there is.
const LONGEST: u64 = 1 << 30;

/// Reads a recording in MCAP, message after message, with the same bits that were recorded. Channels that are not ours are passed over.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    source: BufReader<File>,
    begun: bool,
    /// After the data: only the summary follows.
    in_summary: bool,
    /// Nothing follows an error or the end.
    ended: bool,
    /// Records of the current chunk, and how far they are read.
    chunk: Vec<u8>,
    at: usize,
    /// Topic of each channel.
    topics: BTreeMap<u64, String>,
}

impl Recording {
    /// Opens a recording.
    ///
    /// # Errors
    /// A file that cannot be opened. What is in it shows message by message.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref().to_owned();
        let file = File::open(&path).map_err(RecordError::io(&path))?;
        Ok(Self {
            path,
            source: BufReader::new(file),
            begun: false,
            in_summary: false,
            ended: false,
            chunk: Vec::new(),
            at: 0,
            topics: BTreeMap::new(),
        })
    }

    /// The next message of ours, or none at the end.
    fn read(&mut self) -> Result<Option<Message>, RecordError> {
        if !self.begun {
            self.magic("begin")?;
            self.begun = true;
        }
        loop {
            let (opcode, body) = if self.at < self.chunk.len() {
                self.next_in_chunk()?
            } else {
                self.next_in_file()?
            };
            if self.in_summary {
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
                op::DATA_END => self.in_summary = true,
                op::FOOTER => return Err(self.wrong("must have an end of data")),
                _ => {}
            }
        }
    }

    fn magic(&mut self, place: &str) -> Result<(), RecordError> {
        let mut found = [0; 8];
        let read = self.source.read_exact(&mut found);
        if read.is_err() || found != mcap::MAGIC {
            return Err(self.wrong(format!("must {place} as an MCAP file does")));
        }
        Ok(())
    }

    /// A record of the file: opcode, length, body.
    fn next_in_file(&mut self) -> Result<(u8, Vec<u8>), RecordError> {
        let mut head = [0; 9];
        self.source.read_exact(&mut head).map_err(|_| self.early())?;
        let length = length_of(&head);
        if length > LONGEST {
            return Err(self.wrong(format!("length of a record: must be {LONGEST} at most, found {length}")));
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

    /// Id, schema, topic; encoding and metadata follow.
    fn name_channel(&mut self, body: &[u8]) -> Result<(), RecordError> {
        let mut fields = Fields(body);
        let named = fields.number::<2>().zip(fields.number::<2>()).zip(fields.text());
        let Some(((id, _), topic)) = named else {
            return Err(self.short("channel"));
        };
        self.topics.insert(id, topic.to_owned());
        Ok(())
    }

    /// First and last time, length when unpacked, checksum, compression, then the records after their length.
    fn open_chunk(&mut self, body: &[u8]) -> Result<(), RecordError> {
        let mut fields = Fields(body);
        let (_, crc) = (fields.bytes(24), fields.number::<4>());
        let (compression, length) = (fields.text(), fields.number::<8>());
        let data = length.and_then(|length| fields.bytes(usize::try_from(length).ok()?));
        let (Some(crc), Some(compression), Some(data)) = (crc, compression, data) else {
            return Err(self.short("chunk"));
        };
        if !compression.is_empty() {
            let reason = format!("chunk: must not be compressed, found {compression:?}");
            return Err(self.wrong(reason));
        }
        // The specification: 0 where there is none.
        if crc != 0 && u64::from(crc32fast::hash(data)) != crc {
            return Err(self.wrong("chunk: must have the checksum of its data: the file is damaged"));
        }
        self.chunk.clear();
        self.chunk.extend_from_slice(data);
        self.at = 0;
        Ok(())
    }

    /// Channel, number, two times, then what it says.
    fn message(&self, body: &[u8]) -> Result<Option<Message>, RecordError> {
        let mut fields = Fields(body);
        let (Some(channel), Some(_)) = (fields.number::<2>(), fields.bytes(20)) else {
            return Err(self.short("message"));
        };
        let json = fields.0;
        let Some(topic) = self.topics.get(&channel) else {
            return Err(self.wrong(format!("message: must be of a channel that was named, found {channel}")));
        };
        let read = Message::from_json(topic, json).map_err(|e| self.wrong(format!("{topic}: {e}")))?;
        match &read {
            Some(Message::World(world)) if world.format != FORMAT => {
                Err(self.wrong(format!("/world: format: must be {FORMAT}, found {}", world.format)))
            }
            _ => Ok(read),
        }
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

/// Fields of a record that are still to be read. Every method gives `None` where too little is left.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (found, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(found)
    }

    /// A number of N bytes.
    fn number<const N: usize>(&mut self) -> Option<u64> {
        let mut number = [0; 8];
        number[..N].copy_from_slice(self.bytes(N)?);
        Some(u64::from_le_bytes(number))
    }

    /// A text after its length.
    fn text(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.number::<4>()?).ok()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }
}

fn length_of(head: &[u8; 9]) -> u64 {
    let mut length = [0; 8];
    length.copy_from_slice(&head[1..]);
    u64::from_le_bytes(length)
}

impl Iterator for Recording {
    type Item = Result<Message, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = self.read();
        self.ended = !matches!(read, Ok(Some(_)));
        read.transpose()
    }
}
