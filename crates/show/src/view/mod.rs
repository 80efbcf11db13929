//! The server of `stiction view`: the page, a recording or a live world, to browsers on this machine.
//!
//! A server on loopback is still a server: any page that a browser on this machine has open can send it requests. So the names by which
//! it is called and the pages that call it are checked at every request (`guard`), messages are bounded in size and number
//! (`socket`), connections in number and time (`connection`), the routes are fixed, and no file is ever read for a request.

mod command;
mod connection;
mod guard;
mod live;
mod pull;
mod snapshot;
mod socket;

use std::net::TcpListener;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::Semaphore;

use connection::Limits;
use live::Handle;
pub use live::Live;
pub use live::messages;

/// What is shown.
pub enum Shown {
    /// A recording, as the page reads it.
    Recording(String),
    /// A scene that is simulated meanwhile.
    Scene(Box<Live>),
}

/// What viewers may do.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Viewers at a time.
    pub viewers: usize,
    /// Longest message from a viewer \[bytes\].
    pub message: usize,
    /// Most messages of one viewer in a second.
    pub rate: u32,
    /// Limits of connections.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            viewers: 64,
            message: 64 << 10,
            rate: 200,
            limits: Limits::default(),
        }
    }
}

/// What every request may need.
struct Served {
    port: u16,
    page: Bytes,
    policy: HeaderValue,
    recording: Option<Bytes>,
    live: Option<Handle>,
    /// Places for viewers.
    places: Arc<Semaphore>,
    options: Options,
}

/// Serves until the process ends.
pub fn serve(listener: TcpListener, page: &'static str, shown: Shown, options: Options) -> std::io::Result<()> {
    let port = listener.local_addr()?.port();
    listener.set_nonblocking(true)?;
    let policy = stiction_record::page::policy(page).unwrap_or("default-src 'none'");
    let policy = format!("{policy}; frame-ancestors 'none'");
    let (recording, live) = match shown {
        Shown::Recording(json) => (Some(Bytes::from(json)), None),
        Shown::Scene(live) => (None, Some(live.start()?)),
    };
    let served = Arc::new(Served {
        port,
        page: Bytes::from_static(page.as_bytes()),
        policy: HeaderValue::from_str(&policy).map_err(std::io::Error::other)?,
        recording,
        live,
        places: Arc::new(Semaphore::new(options.viewers)),
        options,
    });
    let app = Router::new()
        .route("/", get(index))
        .route("/replay", get(replay))
        .route("/socket", get(socket::upgrade))
        .fallback(|| async { (StatusCode::NOT_FOUND, "there is nothing of this name") })
        .layer(middleware::from_fn_with_state(served.clone(), guard::guard))
        .with_state(served);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        connection::accept(listener, app, options.limits).await
    })
}

async fn index(State(served): State<Arc<Served>>) -> Response {
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ),
        (header::CONTENT_SECURITY_POLICY, served.policy.clone()),
    ];
    (headers, served.page.clone()).into_response()
}

/// The recording; nothing where a world is live.
async fn replay(State(served): State<Arc<Served>>) -> Response {
    match &served.recording {
        Some(json) => ([(header::CONTENT_TYPE, "application/json")], json.clone()).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

/// Headers of every answer: nothing is guessed, kept, framed or read by other pages.
fn add_headers(headers: &mut HeaderMap) {
    let all: [(HeaderName, &'static str); 5] = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in all {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests;
