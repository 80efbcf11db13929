//! Records of MCAP files as bytes (MCAP specification, "Records"): what a recording needs of them, written by our own code as they are read.

use std::io::Write as _;

use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};

/// First and last bytes of a file.
pub(crate) const MAGIC: [u8; 8] = *b"\x89MCAP0\r\n";

/// Name of the compression of chunks.
pub(crate) const LZ4: &str = "lz4";

/// Kinds of records.
pub(crate) mod op {
    pub(crate) const HEADER: u8 = 0x01;
    pub(crate) const FOOTER: u8 = 0x02;
    pub(crate) const SCHEMA: u8 = 0x03;
    pub(crate) const CHANNEL: u8 = 0x04;
    pub(crate) const MESSAGE: u8 = 0x05;
    pub(crate) const CHUNK: u8 = 0x06;
    pub(crate) const MESSAGE_INDEX: u8 = 0x07;
    pub(crate) const CHUNK_INDEX: u8 = 0x08;
    pub(crate) const STATISTICS: u8 = 0x0B;
    pub(crate) const SUMMARY_OFFSET: u8 = 0x0E;
    pub(crate) const DATA_END: u8 = 0x0F;
}

/// A record: its kind, the length of its fields, its fields.
pub(crate) fn record(out: &mut Vec<u8>, kind: u8, fields: impl FnOnce(&mut Vec<u8>)) {
    out.push(kind);
    let at = out.len();
    out.extend([0; 8]);
    fields(out);
    let length = (out.len() - at - 8) as u64;
    out[at..at + 8].copy_from_slice(&length.to_le_bytes());
}

/// Bytes after their length in four bytes.
#[allow(clippy::cast_possible_truncation)] // Names, schemas and indices of one chunk.
pub(crate) fn sized(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(bytes);
}

/// Numbers of eight bytes.
pub(crate) fn words(out: &mut Vec<u8>, numbers: &[u64]) {
    for number in numbers {
        out.extend(number.to_le_bytes());
    }
}

/// Messages of one chunk, not yet compressed.
#[derive(Debug)]
pub(crate) struct Chunk {
    records: Vec<u8>,
    /// Time and place of each message, by channel.
    index: Vec<Vec<(u64, u64)>>,
    /// First and last time \[ns\].
    times: [u64; 2],
}

impl Chunk {
    pub(crate) fn new(channels: usize) -> Self {
        Self {
            records: Vec::new(),
            index: vec![Vec::new(); channels],
            times: [u64::MAX, 0],
        }
    }

    /// Bytes so far.
    pub(crate) fn size(&self) -> usize {
        self.records.len()
    }

    /// A message on a channel, which counts from 1 in the file.
    pub(crate) fn message(&mut self, channel: usize, sequence: u32, time: u64, data: &[u8]) {
        self.index[channel].push((time, self.records.len() as u64));
        self.times = [self.times[0].min(time), self.times[1].max(time)];
        record(&mut self.records, op::MESSAGE, |out| {
            out.extend(channel_id(channel).to_le_bytes());
            out.extend(sequence.to_le_bytes());
            words(out, &[time, time]);
            out.extend(data);
        });
    }

    /// Appends the chunk and its indices; what the summary says of it. `start` is where in the file `out` will begin. The chunk is empty after it.
    pub(crate) fn close(&mut self, out: &mut Vec<u8>, start: u64) -> Result<ChunkIndex, std::io::Error> {
        let start = start + out.len() as u64;
        let base = out.len();
        let packed = compress(&self.records)?;
        record(out, op::CHUNK, |out| {
            words(out, &self.times);
            words(out, &[self.records.len() as u64]);
            out.extend(crc32fast::hash(&self.records).to_le_bytes());
            sized(out, LZ4.as_bytes());
            words(out, &[packed.len() as u64]);
            out.extend(&packed);
        });
        let length = (out.len() - base) as u64;
        let (mut offsets, mut counts) = (Vec::new(), vec![0; self.index.len()]);
        for (channel, entries) in self
            .index
            .iter_mut()
            .enumerate()
            .filter(|(_, entries)| !entries.is_empty())
        {
            offsets.push((channel, start + (out.len() - base) as u64));
            counts[channel] = entries.len() as u64;
            record(out, op::MESSAGE_INDEX, |out| {
                out.extend(channel_id(channel).to_le_bytes());
                let bytes: Vec<u8> = entries
                    .iter()
                    .flat_map(|(time, at)| [time.to_le_bytes(), at.to_le_bytes()])
                    .flatten()
                    .collect();
                sized(out, &bytes);
            });
            entries.clear();
        }
        let index = ChunkIndex {
            times: self.times,
            start,
            length,
            offsets,
            index_length: (out.len() - base) as u64 - length,
            sizes: [packed.len() as u64, self.records.len() as u64],
            counts,
        };
        self.records.clear();
        self.times = [u64::MAX, 0];
        Ok(index)
    }
}

/// What the summary says of a chunk.
#[derive(Debug)]
pub(crate) struct ChunkIndex {
    /// First and last time \[ns\].
    pub(crate) times: [u64; 2],
    start: u64,
    length: u64,
    /// Where the index of each channel is.
    offsets: Vec<(usize, u64)>,
    index_length: u64,
    /// Compressed and not \[bytes\].
    sizes: [u64; 2],
    /// Messages of each channel.
    pub(crate) counts: Vec<u64>,
}

/// End of the data and summary of a file; `head` holds its schemas and channels as records, `start` is where in the file `out` will begin.
pub(crate) fn end(out: &mut Vec<u8>, start: u64, head: &[u8], channels: usize, chunks: &[ChunkIndex]) {
    record(out, op::DATA_END, |out| out.extend([0; 4]));
    let summary = start + out.len() as u64;
    let base = out.len();
    let mut groups = Vec::new();
    let mut group = |out: &mut Vec<u8>, kind: u8, write: &dyn Fn(&mut Vec<u8>)| {
        let at = out.len();
        write(out);
        groups.push((kind, summary + (at - base) as u64, (out.len() - at) as u64));
    };
    let of_kind = |out: &mut Vec<u8>, kind: u8| {
        let mut rest = head;
        while let [first, a, b, c, d, e, f, g, h, ..] = rest {
            let length = usize::try_from(u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h])).unwrap_or(usize::MAX);
            let (this, next) = rest.split_at(length.saturating_add(9).min(rest.len()));
            if *first == kind {
                out.extend(this);
            }
            rest = next;
        }
    };
    group(out, op::SCHEMA, &|out| of_kind(out, op::SCHEMA));
    group(out, op::CHANNEL, &|out| of_kind(out, op::CHANNEL));
    group(out, op::STATISTICS, &|out| statistics(out, channels, chunks));
    group(out, op::CHUNK_INDEX, &|out| {
        for chunk in chunks {
            chunk_index(out, chunk);
        }
    });
    let offsets = summary + (out.len() - base) as u64;
    for (kind, at, length) in groups {
        record(out, op::SUMMARY_OFFSET, |out| {
            out.push(kind);
            words(out, &[at, length]);
        });
    }
    record(out, op::FOOTER, |out| {
        words(out, &[summary, offsets]);
        // Its length is known before its last field is.
        let mut summed = out[base..].to_vec();
        let at = summed.len() - 16 - 8;
        summed[at..at + 8].copy_from_slice(&20_u64.to_le_bytes());
        out.extend(crc32fast::hash(&summed).to_le_bytes());
    });
    out.extend(MAGIC);
}

fn statistics(out: &mut Vec<u8>, channels: usize, chunks: &[ChunkIndex]) {
    let counts: Vec<u64> = (0..channels)
        .map(|c| chunks.iter().map(|chunk| chunk.counts[c]).sum())
        .collect();
    let first = chunks.iter().map(|chunk| chunk.times[0]).min();
    let last = chunks.iter().map(|chunk| chunk.times[1]).max();
    record(out, op::STATISTICS, |out| {
        words(out, &[counts.iter().sum()]);
        out.extend(channel_id(channels - 1).to_le_bytes());
        // Channels, attachments, metadata, chunks.
        for count in [channels, 0, 0, chunks.len()] {
            out.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
        }
        words(out, &[first.unwrap_or(0), last.unwrap_or(0)]);
        let mut map = Vec::new();
        for (channel, count) in counts.iter().enumerate() {
            map.extend(channel_id(channel).to_le_bytes());
            words(&mut map, &[*count]);
        }
        sized(out, &map);
    });
}

fn chunk_index(out: &mut Vec<u8>, chunk: &ChunkIndex) {
    record(out, op::CHUNK_INDEX, |out| {
        words(out, &chunk.times);
        words(out, &[chunk.start, chunk.length]);
        let mut map = Vec::new();
        for (channel, offset) in &chunk.offsets {
            map.extend(channel_id(*channel).to_le_bytes());
            words(&mut map, &[*offset]);
        }
        sized(out, &map);
        words(out, &[chunk.index_length]);
        sized(out, LZ4.as_bytes());
        words(out, &chunk.sizes);
    });
}

/// Ids of channels and of their schemas count from 1: schema 0 means none.
pub(crate) fn channel_id(channel: usize) -> u16 {
    u16::try_from(channel + 1).unwrap_or(u16::MAX)
}

/// Bytes as one LZ4 frame.
fn compress(bytes: &[u8]) -> Result<Vec<u8>, std::io::Error> {
    let info = FrameInfo::new()
        .block_mode(BlockMode::Linked)
        .block_size(BlockSize::Max4MB);
    let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(bytes)?;
    encoder.finish().map_err(std::io::Error::other)
}
