//! Steps scenes and prints how long a step takes: `step_times SCENE.toml...`.
//!
//! One line a scene: name, steps, mean and median time of a step [µs], and where the run ended early, why. Time is that of the wall clock; the first
//! five steps do not count.

use std::path::Path;
use std::time::Instant;

use stiction_sim::World;
use stiction_sim::scene::Scene;

/// Steps that make buffers grow.
const FIRST: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file)?;
        let scene = Scene::parse(&text, Path::new(&file).parent().unwrap_or(Path::new(".")))?;
        let mut world = World::from_scene(&scene)?;
        let (mut times, mut end) = (Vec::new(), String::new());
        for _ in 0..scene.steps() {
            let start = Instant::now();
            let made = world.step();
            times.push(start.elapsed().as_secs_f64() * 1e6);
            if let Err(error) = made {
                end = error.to_string();
                break;
            }
        }
        let counted = times.get_mut(FIRST..).unwrap_or_default();
        counted.sort_by(f64::total_cmp);
        let mean = counted.iter().sum::<f64>() / counted.len().max(1) as f64;
        let median = counted.get(counted.len() / 2).copied().unwrap_or(f64::NAN);
        let line = format!("{file} {} {mean:.2} {median:.2} {end}", times.len());
        std::io::Write::write_all(&mut std::io::stdout(), format!("{}\n", line.trim_end()).as_bytes())?;
    }
    Ok(())
}
