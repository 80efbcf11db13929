//! Ctrl-C: long calls look for signals at a bounded rate, and end with what their handlers raise.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Longest time between two checks for an interrupt, except during a single step that takes longer.
pub(crate) const LOOK: Duration = Duration::from_millis(50);
/// Stack of a thread \[bytes\]: as much as the main thread has.
pub(crate) const STACK: usize = 8 << 20;

/// Waits for what another thread sends, without the GIL; `None` where that thread ended without a word.
pub(crate) fn receive<T: Send>(py: Python<'_>, mut receiver: Receiver<T>) -> PyResult<Option<T>> {
    loop {
        let received;
        (receiver, received) = py.detach(move || {
            let received = receiver.recv_timeout(LOOK);
            (receiver, received)
        });
        match received {
            Ok(value) => return Ok(Some(value)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
        }
    }
}

/// Runs something that may take long on a thread of its own. Where a signal ends the call, the thread goes on to its end by itself, and what
/// it finds is let go.
pub(crate) fn patiently<T: Send + 'static>(py: Python<'_>, run: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let (sender, receiver) = channel();
    let work = move || {
        // Nobody waits any longer where this fails.
        let _ = sender.send(run());
    };
    thread::Builder::new().stack_size(STACK).spawn(work)?;
    receive(py, receiver)?.ok_or_else(|| PyRuntimeError::new_err("internal: a solver's thread has ended early"))
}
