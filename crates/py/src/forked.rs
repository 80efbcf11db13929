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

/// Runs something without the GIL: as it is in the process that loaded the module, and on new threads in one that was forked from it.
pub(crate) fn detached<R: Send>(py: Python<'_>, run: impl FnOnce() -> R + Send) -> R {
    let id = process::id();
    if LOADER.get().is_none_or(|loader| *loader == id) {
        return py.detach(run);
    }
    // The lock is only taken with the GIL, which a fork holds too: it is never copied in a locked state.
    match pool_of(id) {
        Some(pool) => py.detach(|| pool.install(run)),
        None => py.detach(run),
    }
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
