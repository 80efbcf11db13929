//! A run that was killed left nothing under the name that was requested: recordings were written as hidden files and renamed at the end, the messages of the
//! last megabyte were only in memory, and a file without its end was refused as damaged. A full disk removed all that had been recorded.
//! Recordings now grow by whole chunks under their own name, and are read as far as they are whole.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod running;

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use running::{folder, stiction_in, workspace};
use stiction_record::{Message, Recording};

/// Simulated time that may be missing \[s\], and steps.
const SECONDS: f64 = 1.0;
const STEPS: u64 = 1000;
/// Time step of the scene \[s\].
const DT: f64 = 1e-3;

/// Three boxes that slide: some microseconds a step.
const SCENE: &str = r#"
format = 1
world = { duration = 100000, dt = 0.001 }
[[body]]
name = "ground"
shape = { half_space = [0, 0, 1] }
[[stack]]
name = "box"
box = [0.2, 0.2, 0.2]
count = 3
mass = 1
"#;

fn spawn(folder: &Path, arguments: &[&str]) -> Child {
    started(Command::new(env!("CARGO_BIN_EXE_stiction")).args(arguments), folder)
}

fn started(command: &mut Command, folder: &Path) -> Child {
    command
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What a recording holds, verified to be without gaps: its last step, and whether it has an end mark.
fn last_step(path: &Path) -> (u64, bool) {
    let mut recording = Recording::open(path).unwrap();
    let (mut poses, mut stats) = (None, 0);
    for message in &mut recording {
        match message.unwrap() {
            Message::Poses(m) => {
                assert_eq!(m.step, poses.map_or(0, |step: u64| step + 1));
                assert!((m.time - m.step as f64 * DT).abs() < 1e-6);
                poses = Some(m.step);
            }
            Message::Stats(m) => {
                assert_eq!(m.step, stats + 1);
                stats = m.step;
            }
            _ => {}
        }
    }
    assert_eq!(poses, Some(stats), "whole steps only");
    if let Some(end) = recording.unfinished() {
        assert_eq!(end.step, stats);
    }
    (stats, recording.unfinished().is_none())
}

/// Waits until a file has so many bytes or the process has ended.
fn wait_for(path: &Path, bytes: u64, child: &mut Child) {
    let start = Instant::now();
    while std::fs::metadata(path).map_or(0, |m| m.len()) < bytes && child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_mins(2), "nothing is written");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Sends a signal. A process that has ended by itself is not waited for yet, so that its number is still its own.
fn kill(child: &mut Child, signal: &str) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

/// Killed at ten moments; one that comes after the end of the run finds the recording complete.
#[test]
fn a_run_killed_at_ten_moments_leaves_recordings_that_open() {
    let folder = folder("killed");
    std::fs::write(folder.join("scene.toml"), SCENE).unwrap();
    let mut seed = 22_u64;
    for k in 0..10 {
        let name = format!("run-{k}.mcap");
        let path = folder.join(&name);
        let mut child = spawn(&folder, &["run", "scene.toml", "--steps", "20000", "-o", &name]);
        wait_for(&path, 1, &mut child);
        let before = last_step(&path).0;
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros((seed >> 33) % 300_000));
        kill(&mut child, "-KILL");
        child.wait().unwrap();
        let (step, complete) = last_step(&path);
        assert!(step >= before && complete == (step == 20_000), "{name}: {step}");
        // The tools open it and say where it ends.
        if k == 0 && step > 0 {
            for arguments in [
                &["plot", &name, "-o", "a.svg"][..],
                &["export", &name, "-o", "a.csv"],
                &["export", &name, "-o", "a.glb"],
            ] {
                let ran = stiction_in(&folder, arguments);
                assert_eq!(ran.code, 0, "{}", ran.stderr);
                let said = format!("{name}: the recording ends at t = ");
                assert!(complete || ran.stderr.starts_with(&said), "{}", ran.stderr);
                assert!(complete || ran.stderr.contains(&format!("s, step {step}, without an end mark")));
            }
        }
    }
}

/// Where the first chunk of an MCAP file ends. Behind its eight bytes of magic it is records of an opcode, the length of their content in eight
/// bytes, and the content; a chunk has the opcode 6.
fn end_of_first_chunk(bytes: &[u8]) -> usize {
    let mut at = 8;
    loop {
        let length = u64::from_le_bytes(bytes[at + 1..at + 9].try_into().unwrap());
        let end = at + 9 + usize::try_from(length).unwrap();
        if bytes[at] == 6 {
            return end;
        }
        at = end;
    }
}

/// What a kill can lose lies between the ends of two chunks: they are found by cutting a recording anywhere.
#[test]
fn at_most_a_second_is_missing() {
    let folder = folder("missing");
    std::fs::write(folder.join("scene.toml"), SCENE).unwrap();
    let ran = stiction_in(&folder, &["run", "scene.toml", "--steps", "3456", "-o", "a.mcap"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let bytes = std::fs::read(folder.join("a.mcap")).unwrap();
    assert_eq!(last_step(&folder.join("a.mcap")), (3456, true));
    let first = end_of_first_chunk(&bytes);
    let (mut steps, mut seed) = (vec![0, 3456], 1_u64);
    for _ in 0..200 {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let length = usize::try_from(seed >> 20).unwrap() % bytes.len();
        // Cut where the kill came, and after a power cut with zeros behind it.
        for zeros in [0, 5000] {
            let cut = [&bytes[..length], &vec![0; zeros]].concat();
            std::fs::write(folder.join("cut.mcap"), cut).unwrap();
            let mut recording = Recording::open(folder.join("cut.mcap")).unwrap();
            let read: Vec<Result<Message, _>> = recording.by_ref().collect();
            match read.last() {
                // A run writes its first chunk before the file gets its name.
                None | Some(Err(_)) => assert!(length < first, "{length} of {first}: {read:?}"),
                Some(Ok(last)) => {
                    steps.push(last.step().unwrap());
                    assert_eq!(recording.unfinished().unwrap().step, last.step().unwrap());
                }
            }
        }
    }
    steps.sort_unstable();
    steps.dedup();
    // Ends of chunks, one after the other: between two lies what a kill can lose.
    for pair in steps.windows(2) {
        let lost = pair[1] - pair[0];
        assert!(lost <= STEPS && lost as f64 * DT <= SECONDS, "{pair:?}");
    }
}

/// Ends a run with a signal once it records: its recording is complete, the status says that it was stopped.
fn ends_with(signal: &str) {
    let folder = folder(&format!("signal{signal}"));
    std::fs::write(folder.join("scene.toml"), SCENE).unwrap();
    // A shell whose own SIGHUP is ignored, as under nohup, would pass that on to the run: it is taken back where the system has a tool for it.
    let env = ["env", "--default-signal=HUP"];
    let is_there = Command::new(env[0]).args([env[1], "true"]).status();
    let mut command = if is_there.is_ok_and(|status| status.success()) {
        let mut command = Command::new(env[0]);
        command.args([env[1], env!("CARGO_BIN_EXE_stiction")]);
        command
    } else {
        Command::new(env!("CARGO_BIN_EXE_stiction"))
    };
    let mut child = started(command.args(["run", "scene.toml", "-o", "a.mcap"]), &folder);
    // Signals are listened to before the first chunk of steps is written.
    wait_for(&folder.join("a.mcap"), 40_000, &mut child);
    kill(&mut child, signal);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("stopped after"), "{stderr}");
    assert!(last_step(&folder.join("a.mcap")).1);
}

#[test]
fn sighup_ends_a_run_like_sigterm() {
    ends_with("-HUP");
    ends_with("-TERM");
}

/// The limit on the size of files of a process stands for a disk: it needs no rights.
#[test]
fn a_full_disk_of_8_mb_keeps_what_is_whole() {
    let folder = folder("full");
    std::fs::write(folder.join("scene.toml"), SCENE).unwrap();
    std::fs::write(folder.join("a.mcap"), "an earlier recording").unwrap();
    let run = format!(
        "ulimit -f 8192; exec '{}' run scene.toml --json -o a.mcap",
        env!("CARGO_BIN_EXE_stiction")
    );
    // Bash counts in units of 1024 bytes, other shells in 512.
    let output = Command::new("bash")
        .args(["-c", &run])
        .current_dir(&folder)
        .output()
        .unwrap();
    kept(&folder, "a.mcap", &output, 8 << 20);
    let earlier = std::fs::read_to_string(folder.join("a.earlier.mcap")).unwrap();
    assert_eq!(earlier, "an earlier recording");
    assert!(String::from_utf8_lossy(&output.stderr).contains("; the earlier recording of this name is "));
}

fn kept(folder: &Path, name: &str, output: &std::process::Output, disk: u64) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let (step, complete) = last_step(&folder.join(name));
    assert!(!complete && step > 0);
    let said = format!("the recording ends at t = {} s, and is kept", step as f64 / 1000.0);
    assert!(stderr.contains(&said), "{said}: {stderr}");
    // How far the run had come is what it reports.
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "unrecorded");
    let made = report["steps"].as_u64().unwrap();
    assert!(made >= step && made - step <= STEPS, "{made} made, {step} recorded");
    let size = std::fs::metadata(folder.join(name)).unwrap().len();
    assert!(size <= disk && size > disk / 2, "{size}");
}

/// The same on a disk of memory, where this process may mount one.
#[cfg(target_os = "linux")]
#[test]
fn a_real_full_disk_keeps_what_is_whole() {
    let folder = folder("disk");
    let disk = folder.join("disk");
    std::fs::create_dir_all(&disk).unwrap();
    // A name space of its own: nothing is left mounted, whatever happens. The recording is copied out of it.
    let run = format!(
        "mount -t tmpfs -o size=8m none disk && cp scene.toml disk && cd disk || exit 77; '{}' run scene.toml --json -o a.mcap; code=$?; cp a.mcap ../a.mcap; exit $code",
        env!("CARGO_BIN_EXE_stiction")
    );
    std::fs::write(folder.join("scene.toml"), SCENE).unwrap();
    let output = Command::new("unshare")
        .args(["-m", "sh", "-c", &run])
        .current_dir(&folder)
        .output();
    let output = match output {
        Ok(output) if output.status.code() != Some(77) && folder.join("a.mcap").exists() => output,
        other => {
            let mut text = String::new();
            if let Ok(output) = &other {
                let _ = output.stderr.as_slice().read_to_string(&mut text);
            }
            running::skipped(&format!("a disk of memory cannot be mounted here: {}", text.trim()));
            return;
        }
    };
    kept(&folder, "a.mcap", &output, 8 << 20);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("No space left on device"), "{stderr}");
}

/// The same scene took 257,950 bytes a frame when messages were JSON.
#[test]
fn a_frame_takes_an_eighth_of_what_it_took() {
    let folder = folder("smaller");
    let scene = workspace().join("scenes/wall-10x10.toml");
    let ran = stiction_in(
        &folder,
        &["run", scene.to_str().unwrap(), "--steps", "100", "-o", "wall.mcap"],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let size = std::fs::metadata(folder.join("wall.mcap")).unwrap().len();
    assert!(size / 101 <= 257_950 / 8, "{size} bytes for 101 frames");
}
