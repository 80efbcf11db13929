//! Interrupts, requests to end and terminals that close while a driver runs: it and what it has started must not outlive the tool.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_default, register_usize};

/// Listens to interrupts and requests to end. They end the tool at once, as they do where no one listens, except for times when something must be cleared
/// away first: then they are kept. A terminal that closes may send two at once, so that a second one must not hurry the first.
#[derive(Debug, Default)]
pub struct Interrupt {
    idle: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

/// A time in which an interrupt is kept; it ends with this value.
#[derive(Debug)]
pub struct Held<'a>(&'a Interrupt);

impl Interrupt {
    /// Where the system lets no one listen nothing is ever kept.
    pub fn listen(&mut self) {
        self.idle.store(true, Ordering::SeqCst);
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if is_ignored(signal) {
                continue;
            }
            let listens = register_conditional_default(signal, Arc::clone(&self.idle))
                .and_then(|_| register_usize(signal, Arc::clone(&self.signal), signal.unsigned_abs() as usize))
                .and_then(|_| register(signal, Arc::clone(&self.stop)));
            if listens.is_err() {
                break;
            }
        }
    }

    /// Keeps interrupts from here on.
    #[must_use]
    pub fn hold(&self) -> Held<'_> {
        self.idle.store(false, Ordering::SeqCst);
        Held(self)
    }

    /// Whether one was kept.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Ends the tool as the signal would have. Comes back where the system refuses.
    pub fn end(&self) {
        if let Ok(signal) = i32::try_from(self.signal.load(Ordering::SeqCst)) {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}

/// Whether the tool was started with a signal ignored, as shells do with interrupts of what runs in the background; no where the system does not say.
fn is_ignored(signal: i32) -> bool {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = text.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.idle.store(true, Ordering::SeqCst);
    }
}
