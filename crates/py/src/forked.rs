//! Processes that were forked: they have the memory of rayon's threads and not the threads, and would wait for them for ever.

use std::process;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The process that loaded the module.
static LOADER: OnceLock<u32> = OnceLock::new();
/// The threads of a forked process.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Remembers the process.
pub(crate) fn remember() {
    LOADER.get_or_init(process::id);
}

/// Where something runs: as it is in the process that loaded the module, on new threads in one that was forked from it.
#[derive(Clone)]
pub(crate) struct Place(Option<Arc<ThreadPool>>);

impl Place {
    /// The place of this process; asked for with the GIL.
    pub(crate) fn of(_: Python<'_>) -> Self {
        let id = process::id();
        if LOADER.get().is_none_or(|loader| *loader == id) {
            return Self(None);
        }
        // The lock is only taken with the GIL, which a fork holds too: it is never copied in a locked state.
        Self(pool_of(id))
    }

    pub(crate) fn run<R: Send>(&self, run: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Some(pool) => pool.install(run),
            None => run(),
        }
    }
}

/// Runs something without the GIL.
pub(crate) fn detached<R: Send>(py: Python<'_>, run: impl FnOnce() -> R + Send) -> R {
    let place = Place::of(py);
    py.detach(|| place.run(run))
}

fn pool_of(id: u32) -> Option<Arc<ThreadPool>> {
    let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.as_ref().is_none_or(|(of, _)| *of != id) {
        let pool = Arc::new(ThreadPoolBuilder::new().build().ok()?);
        // Threads of the parent's pool are not here to be ended.
        std::mem::forget(kept.replace((id, pool)));
    }
    kept.as_ref().map(|(_, pool)| pool.clone())
}
