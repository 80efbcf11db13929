//! The server as programs meet it: a world on a free port, plain requests and viewers.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;
use stiction_scene::Scene;
use tungstenite::client::IntoClientRequest as _;
use tungstenite::{Message, WebSocket};

use super::{Limits, Live, Options, Shown, serve};

const PAGE: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\">a page";
const CUBE: &str = r#"
    format = 1
    world = { friction = 0.5, density = 1000 }
    name = "cube"
    body = [
        { name = "ground", shape = { half_space = [0, 0, 1] } },
        { name = "cube", shape = { box = [0.2, 0.2, 0.2] }, position = [0, 0, 0.1] },
    ]"#;

/// Longest silence of a server that works, on a machine however busy.
const SILENCE: Duration = Duration::from_mins(10);

/// Limits that a test never meets by being slow.
fn patient() -> Options {
    let limits = Limits {
        header: SILENCE,
        stall: SILENCE,
        drain: SILENCE,
        ..Limits::default()
    };
    Options {
        limits,
        ..Options::default()
    }
}

/// A server in a thread that ends with the process; returns its port.
fn server(shown: Shown, options: Options) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || serve(listener, PAGE, shown, options));
    port
}

fn live(text: &str, playing: bool) -> Shown {
    let scene = Scene::parse(text, ".").expect("a scene");
    Shown::Scene(Box::new(Live::new(scene, playing).expect("a world")))
}

/// What a request is answered with, as it comes.
fn ask(port: u16, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
    write!(stream, "GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

struct Viewer(WebSocket<TcpStream>);

impl Viewer {
    fn new(port: u16) -> Self {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
        stream.set_read_timeout(Some(SILENCE)).expect("a timeout");
        let request = format!("ws://127.0.0.1:{port}/socket")
            .into_client_request()
            .expect("a request");
        Self(tungstenite::client(request, stream).expect("a viewer").0)
    }

    fn send(&mut self, text: &str) {
        self.0.send(Message::text(text)).expect("sent");
    }

    /// The next message of a type that meets a condition.
    fn wait(&mut self, kind: &str, test: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        let mut last = Value::Null;
        while start.elapsed() < SILENCE {
            let text = match self.0.read() {
                Ok(Message::Text(text)) => text,
                Ok(_) => continue,
                Err(error) => panic!("no such {kind}, {error}; the last is {last}"),
            };
            let message: Value = serde_json::from_str(&text).expect("JSON");
            if message["type"] == kind {
                if test(&message) {
                    return message;
                }
                last = message;
            }
        }
        panic!("no such {kind}; the last is {last}");
    }

    /// Why the server closes.
    fn farewell(&mut self) -> (u16, String) {
        loop {
            if let Message::Close(Some(frame)) = self.0.read().expect("a message") {
                return (frame.code.into(), frame.reason.to_string());
            }
        }
    }
}

#[test]
fn routes_are_fixed_and_headers_are_strict() {
    let port = server(Shown::Recording("{\"a\":1}".to_owned()), patient());
    let host = format!("Host: localhost:{port}\r\n");
    let page = ask(port, "/", &host);
    assert!(page.starts_with("HTTP/1.1 200") && page.ends_with("a page"), "{page}");
    for header in [
        "content-security-policy: default-src 'none'; frame-ancestors 'none'",
        "x-content-type-options: nosniff",
        "cross-origin-resource-policy: same-origin",
        "cache-control: no-store",
    ] {
        assert!(page.contains(header), "{header}: {page}");
    }
    assert!(ask(port, "/replay", &host).ends_with("{\"a\":1}"));
    for path in ["/x", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "/index.html", "/socket/x"] {
        assert!(ask(port, path, &host).starts_with("HTTP/1.1 404"), "{path}");
    }
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
    let stream = ask_upgrade(port, &format!("{host}{upgrade}"));
    assert!(stream.starts_with("HTTP/1.1 404"), "{stream}");
}

/// The first line of what an upgrade is answered with.
fn ask_upgrade(port: u16, headers: &str) -> String {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
    write!(stream, "GET /socket HTTP/1.1\r\n{headers}\r\n").expect("a request");
    let mut start = [0; 12];
    stream.read_exact(&mut start).expect("an answer");
    String::from_utf8_lossy(&start).into_owned()
}

#[test]
fn foreign_names_and_pages_are_refused_at_the_upgrade_too() {
    let port = server(live(CUBE, false), patient());
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    assert_eq!(ask_upgrade(port, &format!("{own}{upgrade}")), "HTTP/1.1 101");
    let page = format!("{own}Origin: http://localhost:{port}\r\n{upgrade}");
    assert_eq!(ask_upgrade(port, &page), "HTTP/1.1 101");
    for headers in [
        format!("Host: evil.example:{port}\r\n"),
        format!("{own}Origin: http://evil.example\r\n"),
        format!("{own}Origin: null\r\n"),
    ] {
        assert_eq!(
            ask_upgrade(port, &format!("{headers}{upgrade}")),
            "HTTP/1.1 403",
            "{headers}"
        );
        assert!(ask(port, "/", &headers).starts_with("HTTP/1.1 403"), "{headers}");
    }
}

#[test]
fn a_viewer_gets_the_world_and_moves_it() {
    let port = server(live(CUBE, false), patient());
    let mut viewer = Viewer::new(port);
    let hello = viewer.wait("hello", |_| true);
    assert_eq!(hello["name"], "cube");
    assert!(hello["laws"].as_array().is_some_and(|laws| laws.len() == 7), "{hello}");
    let world = viewer.wait("world", |_| true);
    assert_eq!(world["bodies"][1]["name"], "cube");
    viewer.send(r#"{"type":"step"}"#);
    let contacts = viewer.wait("contacts", |m| m["step"] == 1);
    let first = &contacts["contacts"][0];
    assert_eq!(first["state"], "sticking");
    assert_eq!(first["unique"], false, "four corners that stick share a load");
    assert!(first["residual"].as_f64().is_some_and(|x| x < 1e-9), "{first}");
    assert_eq!(first["friction"], 0.5);
    viewer.wait("stats", |m| m["step"] == 1 && m["steps"] == 1);
    viewer.send(r#"{"type":"pull","body":1,"point":[0,0,0.1],"target":[0,0,0.8]}"#);
    viewer.send(r#"{"type":"play"}"#);
    viewer.wait("poses", |m| m["positions"][1][2].as_f64().is_some_and(|z| z > 0.4));
    viewer.wait("stats", |m| m["injected"].as_f64().is_some_and(|e| e > 1.0));
    viewer.send(r#"{"type":"release"}"#);
    viewer.wait("poses", |m| m["positions"][1][2].as_f64().is_some_and(|z| z < 0.2));
    viewer.send(r#"{"type":"law","value":"frictionless"}"#);
    viewer.wait("world", |m| m["law"] == "frictionless");
    viewer.send(r#"{"type":"friction","value":0.25}"#);
    viewer.wait("world", |m| m["bodies"][1]["friction"] == 0.25);
    viewer.send(r#"{"type":"reset"}"#);
    viewer.wait("state", |m| m["run"] == 1 && m["friction"] == 0.25);
}

/// Live play ran on for ever.
#[test]
fn a_run_stops_at_the_end_of_the_scene_or_begins_anew_as_is_asked() {
    let text = CUBE.replace("density = 1000", "density = 1000, duration = 0.05");
    let port = server(live(&text, false), patient());
    let mut viewer = Viewer::new(port);
    let first = viewer.wait("state", |_| true);
    assert_eq!(
        (&first["end"], &first["duration"]),
        (&Value::from("stop"), &Value::from(0.05))
    );
    viewer.send(r#"{"type":"play"}"#);
    viewer.wait("state", |m| m["ended"] == true && m["playing"] == false);
    let last = viewer.wait("stats", |_| true);
    assert_eq!(last["step"], 50, "{last}");
    // To play at the end restarts.
    viewer.send(r#"{"type":"play"}"#);
    viewer.wait("state", |m| m["run"] == 1 && m["playing"] == true);
    viewer.send(r#"{"type":"end","value":"loop"}"#);
    viewer.send(r#"{"type":"play"}"#);
    viewer.wait("state", |m| m["run"].as_u64() > Some(4) && m["playing"] == true);
    viewer.send(r#"{"type":"end","value":"go_on"}"#);
    viewer.wait("poses", |m| m["time"].as_f64() > Some(0.06));
    // Who pulls is not cut short.
    viewer.send(r#"{"type":"pause"}"#);
    viewer.send(r#"{"type":"end","value":"stop"}"#);
    viewer.send(r#"{"type":"reset"}"#);
    viewer.send(r#"{"type":"pull","body":1,"point":[0,0,0.1],"target":[0,0,0.8]}"#);
    viewer.send(r#"{"type":"play"}"#);
    let state = viewer.wait("state", |m| m["end"] == "go_on");
    assert_eq!(state["ended"], false);
    viewer.wait("poses", |m| m["time"].as_f64() > Some(0.06));
}

#[test]
fn who_asks_why_is_told_what_the_forces_could_be() {
    let port = server(live(CUBE, false), patient());
    let mut viewer = Viewer::new(port);
    viewer.send(r#"{"type":"why","a":1,"b":0}"#);
    assert_eq!(viewer.wait("why", |_| true)["pair"], Value::Null, "no step was made");
    viewer.send(r#"{"type":"step"}"#);
    viewer.wait("stats", |m| m["step"] == 1);
    viewer.send(r#"{"type":"why","a":0,"b":1}"#);
    let why = viewer.wait("why", |m| m["step"] == 1);
    let pair = &why["pair"];
    assert_eq!(
        (&pair["state"], &pair["known"]),
        (&Value::from("sticking"), &Value::from("sum")),
        "{pair}"
    );
    let weight = 8.0 * 9.81;
    assert!(
        (pair["normal_force"].as_f64().unwrap_or_default() - weight).abs() < 1e-6,
        "{pair}"
    );
    // Each of the four corners could carry nothing, or half of the weight with the one across.
    let corner = &pair["points"][0]["normal_range"];
    let [low, high] = ["low", "high"].map(|end| corner[end].as_f64().unwrap_or(f64::NAN));
    assert!(
        low.abs() < 1e-5 * weight && (high - 0.5 * weight).abs() < 1e-5 * weight,
        "{corner}"
    );
    viewer.send(r#"{"type":"why","a":1,"b":7}"#);
    let error = viewer.wait("error", |_| true);
    assert_eq!(error["message"], "why: must name bodies below 2, found 7");
}

#[test]
fn a_step_that_fails_is_told_and_the_server_goes_on() {
    // A press that comes down on a box: from the moment it arrives no motion satisfies both.
    let text = r#"
        format = 1
        world = { friction = 0.5, density = 1000 }
        body = [
            { name = "ground", shape = { half_space = [0, 0, 1] } },
            { name = "low", shape = { box = [0.2, 0.2, 0.2] }, position = [0, 0, 0.1] },
            { name = "press", kind = "kinematic", shape = { box = [0.4, 0.4, 0.1] }, position = [0, 0, 0.26], velocity = [0, 0, -1] },
        ]"#;
    let port = server(live(text, true), patient());
    let mut viewer = Viewer::new(port);
    let state = viewer.wait("state", |m| m["failed"].is_string());
    assert_eq!(state["playing"], false);
    let words = state["failed"].as_str().unwrap_or_default();
    assert!(words.contains("no motion") && words.contains("low"), "{words}");
    viewer.send(r#"{"type":"law","value":"frictionless"}"#);
    viewer.wait("state", |m| m["law"] == "frictionless");
}

#[test]
fn bad_commands_are_answered_and_change_nothing() {
    let port = server(live(CUBE, false), patient());
    let mut viewer = Viewer::new(port);
    let cases = [
        ("{", "EOF"),
        (r#"{"type":"fly"}"#, "`fly`"),
        (r#"{"type":"speed","value":-1}"#, "found -1.0"),
        (
            r#"{"type":"pull","body":7,"point":[0,0,0],"target":[0,0,0]}"#,
            "found 7",
        ),
        (
            r#"{"type":"pull","body":0,"point":[0,0,0],"target":[0,0,0]}"#,
            "found ground",
        ),
        (
            r#"{"type":"law","value":"coulomb-acceleration"}"#,
            "found \"coulomb-acceleration\"",
        ),
        (r#"{"type":"method","value":"magic"}"#, "found \"magic\""),
        (r#"{"type":"method","value":"lemke_reduced"}"#, "under the law coulomb"),
    ];
    for (text, expected) in cases {
        viewer.send(text);
        let answer = viewer.wait("error", |_| true);
        let words = answer["message"].as_str().unwrap_or_default();
        assert!(words.contains(expected), "{text}: {words}");
    }
    viewer.send(r#"{"type":"step"}"#);
    let state = viewer.wait("state", |m| m["playing"] == false);
    assert_eq!(
        (&state["law"], &state["speed"]),
        (&Value::from("coulomb"), &Value::from(1.0))
    );
}

#[test]
fn long_and_many_messages_are_refused_with_a_reason() {
    let options = Options { rate: 2, ..patient() };
    let port = server(live(CUBE, false), options);
    let mut viewer = Viewer::new(port);
    viewer.send(&format!("{{\"type\":\"{}\"}}", "x".repeat(65 << 10)));
    let (code, reason) = viewer.farewell();
    assert!(
        code == 1009 && reason.contains("65536 bytes at most"),
        "{code} {reason}"
    );
    // A rate so low that no machine is too slow to exceed it.
    let mut viewer = Viewer::new(port);
    for _ in 0..2_000 {
        viewer.send(r#"{"type":"pause"}"#);
    }
    assert_eq!(viewer.farewell(), (1008, "more than 2 messages a second".to_owned()));
    let mut viewer = Viewer::new(port);
    viewer.0.send(Message::binary(vec![1, 2])).expect("sent");
    assert_eq!(viewer.farewell().0, 1003);
}

/// The connection was reset one second after the reason had been sent, and the reason was lost to a viewer that was still sending.
#[test]
fn a_reason_is_readable_after_all_that_a_viewer_had_to_send() {
    let port = server(live(CUBE, false), patient());
    let mut viewer = Viewer::new(port);
    // More than the buffers between the two hold: the last byte leaves only when the server reads what it has refused.
    viewer.send(&"x".repeat(12 << 20));
    assert_eq!(viewer.farewell().0, 1009);
}

#[test]
fn more_than_the_server_drains_ends_the_connection() {
    let mut options = patient();
    options.limits.drain_bytes = 1 << 20;
    let port = server(live(CUBE, false), options);
    let mut viewer = Viewer::new(port);
    let text = "x".repeat(1 << 20);
    // What the buffers hold goes through; without a bound all of it would.
    let sent = (0..1_000).take_while(|_| viewer.0.send(Message::text(text.as_str())).is_ok());
    assert!(sent.count() < 1_000);
}

#[test]
fn a_viewer_too_many_is_told_so() {
    let options = Options {
        viewers: 1,
        ..patient()
    };
    let port = server(live(CUBE, false), options);
    let mut first = Viewer::new(port);
    first.wait("hello", |_| true);
    let (code, reason) = Viewer::new(port).farewell();
    assert_eq!(
        (code, reason.as_str()),
        (1013, "viewers: must be 1 at most, found more")
    );
    first.0.close(None).expect("closing");
    // The answer to the closing, then the end.
    while !matches!(first.0.read(), Err(tungstenite::Error::ConnectionClosed)) {}
    Viewer::new(port).wait("hello", |_| true);
}

/// A connection with an end to waiting, so that a server that does nothing fails the test.
fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
    stream.set_read_timeout(Some(SILENCE)).expect("a timeout");
    stream
}

/// Such clients held their connections for ever.
#[test]
fn a_header_that_does_not_arrive_ends_the_connection() {
    let mut options = patient();
    options.limits.header = Duration::from_millis(300);
    let port = server(Shown::Recording("{}".to_owned()), options);
    let mut silent = connect(port);
    let mut answer = Vec::new();
    silent.read_to_end(&mut answer).expect("the end");
    assert_eq!(String::from_utf8_lossy(&answer), "");
    // A byte at a time; the header never ends.
    let mut slow = connect(port);
    let mut reader = slow.try_clone().expect("the same connection");
    let ended = std::thread::spawn(move || reader.read_to_end(&mut Vec::new()));
    let mut header = b"GET / HTTP/1.1\r\n".iter().chain(b"X: y\r\n".iter().cycle());
    while !ended.is_finished() {
        if let Some(byte) = header.next() {
            let _ = slow.write_all(&[*byte]);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    ended.join().expect("a reader").expect("the end, not a reset");
}

#[test]
fn connections_beyond_the_limit_wait() {
    let mut options = patient();
    options.limits.connections = 2;
    let port = server(Shown::Recording("{}".to_owned()), options);
    let (silent, other) = (connect(port), connect(port));
    let mut third = connect(port);
    write!(
        third,
        "GET / HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n"
    )
    .expect("a request");
    third
        .set_read_timeout(Some(Duration::from_millis(300)))
        .expect("a timeout");
    let mut answer = String::new();
    third
        .read_to_string(&mut answer)
        .expect_err("no answer while two are served");
    third.set_read_timeout(Some(SILENCE)).expect("a timeout");
    drop((silent, other));
    third.read_to_string(&mut answer).expect("an answer");
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.ends_with("a page"),
        "{answer}"
    );
}
