//! A picture of the replay's page, taken by Chromium without a window.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use stiction_formats::BadInput;
use stiction_formats::temporary::TemporaryFolder;

/// Programs that are tried, in order; the variable CHROMIUM names another.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// Size of the picture \[px\].
const WINDOW_SIZE: &str = "1280,800";
/// Time for the page to unpack the replay and draw, in the page's own clock \[ms\].
const TIME_BUDGET: &str = "--virtual-time-budget=8000";
/// How long the browser may take.
const BROWSER_TIMEOUT: Duration = Duration::from_mins(2);

/// Draws the page at a time \[s\] and writes the picture.
///
/// # Errors
/// No Chromium, one that fails or takes too long, a file that cannot be written.
pub fn write(page: &str, time: f64, output: &Path) -> Result<(), BadInput> {
    let browser = browser()?;
    let bad = |problem: String| BadInput::whole(problem).in_file(&browser);
    let folder = TemporaryFolder::new()?;
    let (html, png) = (folder.path().join("replay.html"), folder.path().join("frame.png"));
    std::fs::write(&html, page).map_err(|error| bad(format!("cannot be given the page, {error}")))?;
    let url = format!("file://{}#time={time}&theme=light&ui=off", html.display());
    take(&browser, folder.path(), &url, &png)?;
    let picture = std::fs::read(&png).map_err(|error| bad(format!("made no picture, {error}")))?;
    stiction_formats::write::write_whole(output, picture)
}

fn take(browser: &Path, folder: &Path, url: &str, png: &Path) -> Result<(), BadInput> {
    let bad = |problem: String| BadInput::whole(problem).in_file(browser);
    let mut child = Command::new(browser)
        .args([
            "--headless=new",
            "--no-first-run",
            "--hide-scrollbars",
            "--disable-extensions",
        ])
        // The page is ours and loads nothing; as root, Chromium's own sandbox cannot be had.
        .args(["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .args([&format!("--window-size={WINDOW_SIZE}"), TIME_BUDGET])
        .arg(format!("--screenshot={}", png.display()))
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| bad(format!("cannot be started, {error}")))?;
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(bad(format!("failed, {status}"))),
            Ok(None) if start.elapsed() < BROWSER_TIMEOUT => std::thread::sleep(Duration::from_millis(50)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(bad(format!(
                    "must draw within {} s, did not",
                    BROWSER_TIMEOUT.as_secs()
                )));
            }
            Err(error) => return Err(bad(format!("failed, {error}"))),
        }
    }
}

/// Chromium, where there is one.
fn browser() -> Result<PathBuf, BadInput> {
    let named = std::env::var_os("CHROMIUM").filter(|name| !name.is_empty());
    if let Some(named) = named {
        return Ok(named.into());
    }
    let folders: Vec<PathBuf> = std::env::var_os("PATH")
        .map(|path| std::env::split_paths(&path).collect())
        .unwrap_or_default();
    let found = BROWSERS
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file());
    found.ok_or_else(|| {
        BadInput::whole("a picture needs Chromium, found none; install it, or name it in the variable CHROMIUM")
    })
}
