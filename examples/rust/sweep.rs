//! Which tilt does a tower of five cubes stand? Many worlds at once; statics says up to atan 1/5 = 11.31 degrees.
//!
//! `cargo run --release --example sweep`; the same as `examples/python/sweep.py`.
// Results go to stdout.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fmt::Write as _;
use std::thread;

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;

const TOWER: &str = "
format = 1
world = { friction = 0.5, density = 1000 }
[[body]]
name = \"plane\"
shape = { half_space = [0, 0, 1] }
orientation = { axis = [0, 1, 0], degrees = TILT }
[[stack]]
name = \"tower\"
box = [0.2, 0.2, 0.2]
count = 5
orientation = { axis = [0, 1, 0], degrees = TILT }
";
const TILTS: [f64; 7] = [11.0, 11.1, 11.2, 11.3, 11.32, 11.4, 11.5];
const THREADS: usize = 2;

/// Fastest velocity \[m/s, rad/s\] after 500 steps, and the state's hash.
fn run(tilt: f64) -> Result<(f64, u64), String> {
    let scene = Scene::parse(&TOWER.replace("TILT", &format!("{tilt:?}")), ".").map_err(|e| e.to_string())?;
    let mut world = World::from_scene(&scene).map_err(|e| e.to_string())?;
    for _ in 0..500 {
        world.step().map_err(|e| e.to_string())?;
    }
    let velocities = world.state().bodies.iter().flat_map(|b| [b.velocity, b.spin]);
    let fastest = velocities.fold(0.0_f64, |worst, v| worst.max(v.amax()));
    Ok((fastest, world.state().hash()))
}

/// What `main` prints.
pub(crate) fn report() -> Result<String, Box<dyn Error>> {
    // Each thread takes every second tilt; no world knows of another.
    let ends: Vec<Result<(f64, u64), String>> = thread::scope(|scope| {
        let work = |k: usize| {
            move || {
                TILTS
                    .iter()
                    .skip(k)
                    .step_by(THREADS)
                    .map(|t| run(*t))
                    .collect::<Vec<_>>()
            }
        };
        let threads: Vec<_> = (0..THREADS).map(|k| scope.spawn(work(k))).collect();
        let mut parts: Vec<_> = threads
            .into_iter()
            .filter_map(|t| t.join().ok())
            .map(Vec::into_iter)
            .collect();
        (0..TILTS.len())
            .filter_map(|i| parts.get_mut(i % THREADS)?.next())
            .collect()
    });
    let mut text = String::new();
    for (tilt, end) in TILTS.iter().zip(ends) {
        let (fastest, hash) = end?;
        let stands = fastest < 1e-6;
        let word = if stands { "stands" } else { "tips" };
        writeln!(
            text,
            "{tilt:6.2} degrees: {word}, fastest {fastest:.9}, state {hash:016x}"
        )?;
        assert_eq!(stands, *tilt < 11.31);
    }
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report()?);
    Ok(())
}
