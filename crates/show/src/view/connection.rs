//! Connections: their number, how long a request may take to arrive, and how they end.
//!
//! A connection that is closed while the other side still sends is reset, and a reset discards the answer that the other side has not read yet.
//! So a connection ends in two steps: the server ends its own direction, then reads and discards what still comes ([`drain`]).

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;

/// Pause after a connection could not be accepted, for want of file descriptors.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Limits of connections.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at a time; further ones wait to be accepted.
    pub connections: usize,
    /// Longest time until the header of a request has arrived, idle time included.
    pub header: Duration,
    /// Longest time in which the other side reads nothing of an answer.
    pub stall: Duration,
    /// Longest time for which the server reads on after its last answer.
    pub drain: Duration,
    /// Most bytes that the server reads after its last answer.
    pub drain_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 256,
            header: Duration::from_secs(10),
            stall: Duration::from_secs(20),
            drain: Duration::from_secs(20),
            drain_bytes: 16 << 20,
        }
    }
}

/// Accepts connections and answers their requests.
pub(super) async fn accept(listener: TcpListener, app: Router, limits: Limits) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.header);
    loop {
        let place = places.clone().acquire_owned().await.map_err(io::Error::other)?;
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(RETRY_PAUSE).await;
            continue;
        };
        let stream = TokioIo::new(Connection::new(stream, place, limits));
        let connection = http
            .serve_connection(stream, TowerToHyperService::new(app.clone()))
            .with_upgrades();
        // A connection that fails concerns its own client only.
        tokio::spawn(async move { drop(connection.await) });
    }
}

/// A stream that is drained when it is dropped, and fails when the other side stops reading.
struct Connection {
    /// Present until the connection is dropped.
    ends: Option<(TcpStream, OwnedSemaphorePermit)>,
    limits: Limits,
    /// Runs while a write waits.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Connection {
    fn new(stream: TcpStream, place: OwnedSemaphorePermit, limits: Limits) -> Self {
        Self {
            ends: Some((stream, place)),
            limits,
            stalled: None,
        }
    }

    /// Passes a call on to the stream.
    fn with<T>(&mut self, call: impl FnOnce(Pin<&mut TcpStream>) -> Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        match &mut self.ends {
            Some((stream, _)) => call(Pin::new(stream)),
            None => Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
        }
    }

    /// Fails where the other side has read nothing for too long.
    fn in_time<T>(&mut self, written: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let limit = self.limits.stall;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        stalled.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let (Some((stream, place)), Ok(runtime)) = (self.ends.take(), tokio::runtime::Handle::try_current()) {
            let limits = self.limits;
            runtime.spawn(async move {
                let _ = tokio::time::timeout(limits.drain, drain(stream, limits.drain_bytes)).await;
                drop(place);
            });
        }
    }
}

/// Ends the server's direction, then reads and discards what still comes, until the other side ends its own.
async fn drain(mut stream: TcpStream, most: u64) -> io::Result<()> {
    stream.shutdown().await?;
    let mut rest = stream.take(most);
    let mut buffer = vec![0; 16 << 10];
    while rest.read(&mut buffer).await? > 0 {}
    Ok(())
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.with(|stream| stream.poll_read(cx, buffer))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = self.with(|stream| stream.poll_write(cx, bytes));
        self.in_time(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = self.with(|stream| stream.poll_write_vectored(cx, parts));
        self.in_time(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = self.with(|stream| stream.poll_flush(cx));
        self.in_time(flushed, cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|stream| stream.poll_shutdown(cx))
    }
}
