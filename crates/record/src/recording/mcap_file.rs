//! MCAP: one channel a kind of message with its schema, in compressed chunks that are written as they fill.

use std::path::{Path, PathBuf};

use super::binary::Codec;
use super::due::Due;
use super::framing::{self, Chunk, ChunkIndex, MAGIC, channel_id, op, record, sized};
use super::growing::Growing;
use super::message::FORMAT;
use super::schema::CHANNELS;
use super::{Message, RecordError};

#[derive(Debug)]
pub(crate) struct McapFile {
    file: Growing,
    codec: Codec,
    chunk: Chunk,
    due: Due,
    /// Schemas and channels, to be repeated in the summary.
    head: Vec<u8>,
    chunks: Vec<ChunkIndex>,
    /// One message.
    buffer: Vec<u8>,
    /// One piece of the file.
    piece: Vec<u8>,
    sequence: u32,
    /// Time of the last message, and of the last that is in the file \[s\].
    times: [f64; 2],
}

impl McapFile {
    pub(crate) fn create(path: &Path) -> Result<Self, RecordError> {
        let mut file = Growing::create(path)?;
        let mut first = MAGIC.to_vec();
        record(&mut first, op::HEADER, |out| {
            sized(out, b"");
            sized(out, concat!("stiction ", env!("CARGO_PKG_VERSION")).as_bytes());
        });
        let head = head();
        first.extend(&head);
        file.write(&first).map_err(RecordError::io(path))?;
        Ok(Self {
            file,
            codec: Codec::default(),
            chunk: Chunk::new(CHANNELS.len()),
            due: Due::from(0.0, 0),
            head,
            chunks: Vec::new(),
            buffer: Vec::new(),
            piece: Vec::new(),
            sequence: 0,
            times: [0.0; 2],
        })
    }

    pub(crate) fn write(&mut self, message: &Message) -> Result<(), RecordError> {
        let wrong = |reason: &dyn ToString| RecordError::format(self.file.path(), &reason.to_string());
        self.buffer.clear();
        if let Message::World(world) = message {
            self.codec.set_bodies(world.bodies.iter().map(|body| body.name.clone()));
            // Of this file, whatever the messages come from.
            let world = super::WorldRecord {
                format: FORMAT,
                ..world.clone()
            };
            serde_json::to_writer(&mut self.buffer, &world).map_err(|e| wrong(&e))?;
        } else {
            self.codec.write(message, &mut self.buffer).map_err(|e| wrong(&e))?;
        }
        if self.chunk.size() == 0 {
            self.due = Due::from(message.time(), message.step().unwrap_or(0));
        }
        self.times[0] = message.time();
        let time = nanoseconds(message.time());
        self.chunk.message(message.channel(), self.sequence, time, &self.buffer);
        self.sequence = self.sequence.wrapping_add(1);
        // The last message of a step.
        let Message::Stats(stats) = message else { return Ok(()) };
        if self.due.is_over(stats.time, stats.step, self.chunk.size()) {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes what there is, and gives the file its name.
    pub(crate) fn begin(&mut self) -> Result<(), RecordError> {
        self.flush()?;
        self.file.place()
    }

    /// Writes the chunk at hand.
    fn flush(&mut self) -> Result<(), RecordError> {
        if self.chunk.size() == 0 {
            return Ok(());
        }
        self.piece.clear();
        let closed = self.chunk.close(&mut self.piece, self.file.length());
        // The next chunk can be read without this one.
        self.codec.forget();
        let written = closed.and_then(|index| self.file.write(&self.piece).map(|()| index));
        let index = written.map_err(|error| self.stopped(error))?;
        self.chunks.push(index);
        self.times[1] = self.times[0];
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<PathBuf, RecordError> {
        self.flush()?;
        self.piece.clear();
        framing::end(
            &mut self.piece,
            self.file.length(),
            &self.head,
            CHANNELS.len(),
            &self.chunks,
        );
        let (file, piece) = (&mut self.file, &self.piece);
        file.write(piece).map_err(|error| self.stopped(error))?;
        self.file.finish()
    }

    /// What is kept where the system refuses.
    fn stopped(&self, source: std::io::Error) -> RecordError {
        RecordError::Stopped {
            path: self.file.path().to_owned(),
            source,
            time: self.times[1],
            earlier: self.file.earlier().map(Path::to_owned),
        }
    }

    /// Writes what there is, without an end mark, where nobody requested the end.
    pub(crate) fn abandon(&mut self) {
        if !self.file.failed() {
            // Nothing is left to do where it cannot be written.
            let _ = self.flush();
        }
    }
}

/// Schemas and channels as records.
fn head() -> Vec<u8> {
    let mut out = Vec::new();
    for (number, channel) in CHANNELS.iter().enumerate() {
        let id = channel_id(number).to_le_bytes();
        record(&mut out, op::SCHEMA, |out| {
            out.extend(id);
            for text in [channel.name, channel.schema_encoding, channel.schema] {
                sized(out, text.as_bytes());
            }
        });
        record(&mut out, op::CHANNEL, |out| {
            out.extend(id);
            out.extend(id);
            sized(out, channel.topic.as_bytes());
            sized(out, channel.encoding.as_bytes());
            sized(out, b"");
        });
    }
    out
}

/// Simulated time as MCAP counts it.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Saturates.
fn nanoseconds(time: f64) -> u64 {
    (time * 1e9).round() as u64
}
