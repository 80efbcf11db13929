//! One viewer of a live world: commands in, the latest moments out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};

use super::Served;
use super::command::Command;
use super::guard::Bucket;
use super::live::Request;
use super::snapshot::{Said, Snapshot, text};

/// Answers that may wait for a viewer.
const MAX_WAITING_ANSWERS: usize = 32;
/// A viewer that takes nothing for so long is gone.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);

static NEXT: AtomicU64 = AtomicU64::new(0);

/// Makes a connection a viewer's. The guard has seen it.
pub(super) async fn upgrade(State(served): State<Arc<Served>>, upgrade: WebSocketUpgrade) -> Response {
    if served.live.is_none() {
        return (StatusCode::NOT_FOUND, "a recording is shown: nothing is live").into_response();
    }
    let place = served.places.clone().try_acquire_owned().ok();
    let most = served.options.message;
    upgrade
        .max_message_size(most)
        .max_frame_size(most)
        .on_upgrade(move |mut socket| async move {
            // A page is told why it is closed, not why it was not let in.
            let reason = if let Some(place) = place {
                view(&mut socket, &served, place).await
            } else {
                let most = served.options.viewers;
                Some((
                    close_code::AGAIN,
                    format!("viewers: must be {most} at most, found more"),
                ))
            };
            if let Some((code, reason)) = reason {
                let reason = reason.into();
                let frame = Message::Close(Some(CloseFrame { code, reason }));
                let _ = tokio::time::timeout(SEND_TIMEOUT, socket.send(frame)).await;
                // The connection is drained when the socket is dropped, so that the viewer can read the reason.
            }
        })
}

/// Why a connection is closed; nothing where the viewer has gone.
type Farewell = Option<(u16, String)>;

async fn view(socket: &mut WebSocket, served: &Served, place: OwnedSemaphorePermit) -> Farewell {
    let live = served.live.as_ref()?;
    let viewer = NEXT.fetch_add(1, Ordering::Relaxed);
    let (answers, mut answered) = mpsc::channel(MAX_WAITING_ANSWERS);
    let mut moments = live.moments.clone();
    live.requests.try_send(Request::Join(viewer, answers.clone())).ok()?;
    let farewell = talk(socket, served, viewer, (&mut moments, &answers, &mut answered)).await;
    // Free before the others are told that this one has left.
    drop(place);
    // Where the world's thread is busy it notices at the next try.
    while live.requests.try_send(Request::Leave(viewer)).is_err() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    farewell
}

type Ends<'a> = (
    &'a mut watch::Receiver<Arc<Snapshot>>,
    &'a mpsc::Sender<Utf8Bytes>,
    &'a mut mpsc::Receiver<Utf8Bytes>,
);

async fn talk(
    socket: &mut WebSocket,
    served: &Served,
    viewer: u64,
    (moments, answers, answered): Ends<'_>,
) -> Farewell {
    let live = served.live.as_ref()?;
    let mut bucket = Bucket::new(served.options.rate);
    let mut sent = Sent::default();
    send(socket, &live.hello).await?;
    let first = moments.borrow_and_update().clone();
    sent.send(socket, &first).await?;
    loop {
        tokio::select! {
            message = socket.recv() => match message? {
                Ok(Message::Text(command)) => {
                    if !bucket.take(Instant::now()) {
                        return Some((close_code::POLICY, format!("more than {} messages a second", served.options.rate)));
                    }
                    let asked = Command::parse(&command)
                        .and_then(|command| live.requests.try_send(Request::Do(viewer, command)).map_err(|_| "the world is busy".to_owned()));
                    if let Err(problem) = asked {
                        // Where there are too many answers already, one less is no loss.
                        let _ = answers.try_send(text("error", &Said { message: &problem }));
                    }
                }
                Ok(Message::Binary(_)) => return Some((close_code::UNSUPPORTED, "messages must be text, found bytes".to_owned())),
                Ok(Message::Ping(_) | Message::Pong(_)) => {
                    if !bucket.take(Instant::now()) {
                        return Some((close_code::POLICY, format!("more than {} messages a second", served.options.rate)));
                    }
                }
                Ok(Message::Close(_)) => {
                    // Sends the answer to the closing.
                    let _ = tokio::time::timeout(SEND_TIMEOUT, socket.recv()).await;
                    return None;
                }
                Err(error) => return Some((close_code::SIZE, format!("messages must be text of {} bytes at most: {error}", served.options.message))),
            },
            changed = moments.changed() => {
                changed.ok()?;
                let moment = moments.borrow_and_update().clone();
                sent.send(socket, &moment).await?;
            }
            answer = answered.recv() => send(socket, &answer?).await?,
        }
    }
}

/// What a viewer has got, so that nothing is sent twice.
#[derive(Default)]
struct Sent {
    world: u64,
    frame: u64,
}

impl Sent {
    /// Sends what is new: how it is run, then bodies, then the frame, which ends with its figures.
    async fn send(&mut self, socket: &mut WebSocket, moment: &Snapshot) -> Option<()> {
        send(socket, &moment.state).await?;
        if self.world != moment.world.0 {
            self.world = moment.world.0;
            send(socket, &moment.world.1).await?;
        }
        if self.frame != moment.frame.0 {
            self.frame = moment.frame.0;
            for part in &moment.frame.1 {
                send(socket, part).await?;
            }
        }
        Some(())
    }
}

/// Sends a text; nothing where the viewer has gone or is stuck.
async fn send(socket: &mut WebSocket, text: &Utf8Bytes) -> Option<()> {
    let sending = socket.send(Message::Text(text.clone()));
    tokio::time::timeout(SEND_TIMEOUT, sending).await.ok()?.ok()
}
