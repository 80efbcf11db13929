//! `stiction view`: a scene, live, or a recording in the browser.

use std::io::Read as _;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

use super::scene_argument::{ChangeOptions, read_scene};
use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_record::page;
use stiction_record::replay::Replay;
use stiction_show::view::{Live, Options, Shown, serve};

/// The port that is tried first where none is requested.
const PORT: u16 = 8765;
/// How an MCAP file begins.
const MCAP: &[u8] = b"\x89MCAP0\r\n";

/// Arguments of `stiction view`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Scene file, or the name of a scene that `stiction examples` lists, simulated as you watch; or recording (MCAP)
    file: PathBuf,
    #[command(flatten)]
    change: ChangeOptions,
    /// Port on 127.0.0.1; default: 8765, or a free one if that is taken
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// Start a scene paused
    #[arg(long)]
    paused: bool,
    /// Treat warnings about a scene as errors
    #[arg(long)]
    strict: bool,
}

/// Serves the page until it is stopped.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let file = &arguments.file;
    let shown = if is_recording(file)? {
        let replay = Replay::read(file).map_err(BadInput::whole)?;
        super::say_end(replay.unfinished());
        Shown::Recording(replay.json())
    } else {
        let (scene, file) = read_scene(file, &arguments.change)?;
        super::scene_notes::refuse(&scene, &file, arguments.strict)?;
        super::scene_notes::say(&scene, &file);
        let live = Live::new(scene, !arguments.paused).map_err(|error| BadInput::named(&error).in_file(&file))?;
        Shown::Scene(Box::new(live))
    };
    let page = page::html().map_err(BadInput::whole)?;
    let listener = listen(arguments.port)?;
    let unserved = |error: std::io::Error| BadInput::new("port", format!("cannot be served, {error}"));
    let address = listener.local_addr().map_err(unserved)?;
    let url = format!("http://{address}/");
    stiction_answers::print(&format!("{}: {url}\nstop with Ctrl-C\n", file.display()))
        .map_err(|error| BadInput::new("stdout", format!("cannot be written, {error}")))?;
    if arguments.open {
        open(&url);
    }
    serve(listener, page, shown, Options::default()).map_err(unserved)?;
    Ok(Outcome::new(String::new(), true))
}

/// Whether a file is a recording, by its first bytes.
fn is_recording(file: &Path) -> Result<bool, BadInput> {
    let wrong = |problem: &str| Err(BadInput::whole(problem).in_file(file));
    if file.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")) {
        return wrong("must be a scene or a recording in MCAP, found CSV: record with -o NAME.mcap");
    }
    let mut head = Vec::new();
    match std::fs::File::open(file).and_then(|f| f.take(MCAP.len() as u64).read_to_end(&mut head)) {
        Ok(_) => Ok(head == MCAP || file.extension().is_some_and(|e| e.eq_ignore_ascii_case("mcap"))),
        // It may be the name of a scene.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => wrong(&format!("cannot be read, {error}")),
    }
}

/// A place on this machine's own address, which no other machine can reach.
fn listen(port: Option<u16>) -> Result<TcpListener, BadInput> {
    let on = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let found = match port {
        Some(port) => on(port),
        None => on(PORT).or_else(|_| on(0)),
    };
    found.map_err(|error| {
        BadInput::new(
            "port",
            format!("cannot be used, {error}, found {}", port.unwrap_or(PORT)),
        )
    })
}

/// Opens the page with what the system has for it; where it has nothing the address was printed.
fn open(url: &str) {
    let (program, first): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let _ = std::process::Command::new(program)
        .args(first)
        .arg(url)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn();
}
