//! MCAP: one channel a kind of message, JSON with its schema.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use mcap::records::MessageHeader;
use mcap::{WriteOptions, Writer};

use super::partial::Partial;
use super::schema::CHANNELS;
use super::{Message, RecordError};

pub(crate) struct McapFile {
    // Dropped before the file is removed.
    writer: Writer<BufWriter<File>>,
    partial: Partial,
    channels: [u16; CHANNELS.len()],
    buffer: Vec<u8>,
    sequence: u32,
}

impl std::fmt::Debug for McapFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McapFile")
            .field("partial", &self.partial)
            .finish_non_exhaustive()
    }
}

impl McapFile {
    pub(crate) fn create(path: &Path) -> Result<Self, RecordError> {
        let (partial, file) = Partial::create(path)?;
        let failed = RecordError::mcap(path);
        let mut writer = WriteOptions::new()
            .compression(None)
            .profile("")
            .library(concat!("stiction ", env!("CARGO_PKG_VERSION")))
            .create(file)
            .map_err(&failed)?;
        let mut channels = [0; CHANNELS.len()];
        for (id, (topic, schema)) in channels.iter_mut().zip(CHANNELS) {
            let name = format!("stiction{}", topic.replace('/', "."));
            let schema = writer
                .add_schema(&name, "jsonschema", schema.as_bytes())
                .map_err(&failed)?;
            *id = writer
                .add_channel(schema, topic, "json", &BTreeMap::new())
                .map_err(&failed)?;
        }
        Ok(Self {
            writer,
            partial,
            channels,
            buffer: Vec::new(),
            sequence: 0,
        })
    }

    pub(crate) fn write(&mut self, message: &Message) -> Result<(), RecordError> {
        let path = self.partial.path();
        self.buffer.clear();
        message
            .write_json(&mut self.buffer)
            .map_err(|e| RecordError::format(path, &e))?;
        let time = nanoseconds(message.time());
        let header = MessageHeader {
            channel_id: self.channels[message.channel()],
            sequence: self.sequence,
            log_time: time,
            publish_time: time,
        };
        self.sequence = self.sequence.wrapping_add(1);
        self.writer
            .write_to_known_channel(&header, &self.buffer)
            .map_err(RecordError::mcap(path))
    }

    pub(crate) fn finish(mut self) -> Result<PathBuf, RecordError> {
        self.writer.finish().map_err(RecordError::mcap(self.partial.path()))?;
        self.partial.finish(self.writer.into_inner())
    }
}

/// Simulated time as MCAP counts it.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Saturates.
fn nanoseconds(time: f64) -> u64 {
    (time * 1e9).round() as u64
}
