//! Reading recordings back.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use mcap::io::MessageReader;
use mcap::sans_io::LinearReaderOptions;

use super::message::FORMAT;
use super::{Message, RecordError};

/// Longest record that is read [bytes]: a damaged length must not ask for all memory there is.
const LONGEST: usize = 1 << 30;

/// Reads a recording in MCAP, message after message, with the same bits that were recorded. Channels that are not ours are passed over.
pub struct Recording {
    path: PathBuf,
    messages: MessageReader<BufReader<File>>,
    /// Nothing follows an error or the end.
    ended: bool,
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recording")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Recording {
    /// Opens a recording.
    ///
    /// # Errors
    /// A file that cannot be opened. What is in it shows message by message.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref().to_owned();
        let file = File::open(&path).map_err(RecordError::io(&path))?;
        let options = LinearReaderOptions::default()
            .with_record_length_limit(LONGEST)
            .with_validate_chunk_crcs(true)
            .with_validate_data_section_crc(true);
        Ok(Self {
            messages: MessageReader::new_with_options(BufReader::new(file), options),
            path,
            ended: false,
        })
    }

    fn read(&self, message: &mcap::Message<'_>) -> Result<Option<Message>, RecordError> {
        let topic = &message.channel.topic;
        let wrong = |reason: String| RecordError::format(&self.path, &reason);
        let read = Message::from_json(topic, &message.data).map_err(|e| wrong(format!("{topic}: {e}")))?;
        match &read {
            Some(Message::World(world)) if world.format != FORMAT => {
                let reason = format!("/world: format: must be {FORMAT}, found {}", world.format);
                Err(wrong(reason))
            }
            _ => Ok(read),
        }
    }
}

impl Iterator for Recording {
    type Item = Result<Message, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let read = match self.messages.next() {
                None => Ok(None),
                Some(Err(error)) => Err(RecordError::mcap(&self.path)(error)),
                Some(Ok(message)) => match self.read(&message) {
                    Ok(None) => continue,
                    read => read,
                },
            };
            self.ended = !matches!(read, Ok(Some(_)));
            return read.transpose();
        }
        None
    }
}
