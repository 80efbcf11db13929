//! When a piece of a recording is written: often enough that a run which dies loses little.

use std::time::{Duration, Instant};

/// Simulated time in one piece \[s\], at most and except for the step that exceeds it.
const CHUNK_SIMULATED_SECONDS: f64 = 0.5;
/// Steps in one piece.
const CHUNK_STEPS: u64 = 500;
/// Bytes in one piece, before compression: bounds the memory.
const CHUNK_BYTES: usize = 4 << 20;
/// Time in which one piece grows: slow steps are not lost by the hundred.
const CHUNK_TIME: Duration = Duration::from_secs(1);

/// Where the piece at hand began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Due {
    time: f64,
    step: u64,
    clock: Instant,
}

impl Due {
    /// A piece that begins after a step.
    pub(crate) fn from(time: f64, step: u64) -> Self {
        Self {
            time,
            step,
            clock: Instant::now(),
        }
    }

    /// Whether a piece of so many bytes that ends with a step is to be written.
    pub(crate) fn is_over(&self, time: f64, step: u64, bytes: usize) -> bool {
        // A world that was set back in time counts as well; times that are no numbers are written at once.
        let recent = (time - self.time).abs() < CHUNK_SIMULATED_SECONDS;
        !recent || step.abs_diff(self.step) >= CHUNK_STEPS || bytes >= CHUNK_BYTES || self.clock.elapsed() >= CHUNK_TIME
    }
}
