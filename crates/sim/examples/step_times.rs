//! Steps scenes and prints how long a step takes: `step_times [--seconds MOST] SCENE.toml...`.
//!
//! One line a scene: name, steps, mean, median, 99th percentile and worst time of a step [µs], mean Newton steps of a step, and where the run ended early, why. Time is that of the wall
//! clock; the first five steps do not count. A scene ends early where it has taken more than MOST seconds.

use std::path::Path;
use std::time::Instant;

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;

/// Steps that make buffers grow.
const FIRST: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let mut most = f64::INFINITY;
    if files.first().is_some_and(|word| word == "--seconds") {
        most = files.get(1).ok_or("--seconds needs a number")?.parse()?;
        files.drain(..2);
    }
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        let folder = Path::new(&file)
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let scene = Scene::parse(&text, folder.unwrap_or(Path::new(".")))?;
        let mut world = World::from_scene(&scene)?;
        let (mut times, mut newton_steps, mut end) = (Vec::new(), 0, String::new());
        let begin = Instant::now();
        for _ in 0..scene.steps() {
            let start = Instant::now();
            let made = world.step();
            times.push(start.elapsed().as_secs_f64() * 1e6);
            match made {
                Ok(report) => newton_steps += report.newton_steps,
                Err(error) => end = error.to_string(),
            }
            if begin.elapsed().as_secs_f64() > most {
                end = format!("ended after {most} s");
            }
            if !end.is_empty() {
                break;
            }
        }
        let steps = times.len();
        let counted = times.get_mut(FIRST..).unwrap_or_default();
        counted.sort_by(f64::total_cmp);
        let mean = counted.iter().sum::<f64>() / counted.len().max(1) as f64;
        // The time of which so many percent of the steps take less.
        let at = |percent: usize| {
            let place = (percent * counted.len() / 100).min(counted.len().saturating_sub(1));
            counted.get(place).copied().unwrap_or(f64::NAN)
        };
        let newton = newton_steps as f64 / steps.max(1) as f64;
        let line = format!(
            "{file} {steps} {mean:.2} {:.2} {:.2} {:.2} {newton:.1} {end}",
            at(50),
            at(99),
            at(100)
        );
        std::io::Write::write_all(&mut std::io::stdout(), format!("{}\n", line.trim_end()).as_bytes())?;
    }
    Ok(())
}
