//! `pile_steps SCENE.toml DT BUDGET OUT.csv`: steps a scene and writes one line a step, for `bench/piles_peers.py`.
//!
//! Columns: processor time of the step [s], contacts, factorisations, moving (0 or 1), tries, substeps, deepest overlap [m], residual. Every line is
//! written at once, so that a run that is killed leaves the steps that it made. The last line, after `#`, says how the run ended.

use std::io::Write;
use std::path::Path;

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;

/// Processor time of this process [s]: other work on the machine does not count.
#[cfg(unix)]
fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Time of the clock [s].
#[cfg(not(unix))]
fn cpu() -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0.0, |time| time.as_secs_f64())
}

/// Peak memory of this process [kB], where the system says it.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, _dt, budget, out] = &arguments[..] else {
        return Err("expected SCENE.toml DT BUDGET OUT.csv".into());
    };
    let budget: f64 = budget.parse()?;
    let folder = Path::new(file).parent().unwrap_or(Path::new("."));
    let scene = Scene::parse(&std::fs::read_to_string(file)?, folder)?;
    let mut world = World::from_scene(&scene)?;
    let mut out = std::fs::File::create(out)?;
    let overhead = (0..1000).map(|_| -cpu() + cpu()).fold(f64::INFINITY, f64::min);
    let (start, mut end) = (cpu(), "finished".to_owned());
    for _ in 0..scene.steps() {
        let before = cpu();
        let made = world.step();
        let taken = cpu() - before - overhead;
        match made {
            Ok(r) => writeln!(
                out,
                "{taken:.4e},{},{},{},{},{},{:.3e},{:.3e}",
                r.contacts,
                r.work.factorisations,
                u8::from(r.moves && r.contacts > 0),
                r.work.tries,
                r.parts,
                r.depth,
                r.residual
            )?,
            Err(error) => {
                end = format!("failed: {}", error.to_string().lines().next().unwrap_or_default());
                break;
            }
        }
        if cpu() - start > budget {
            "budget".clone_into(&mut end);
            break;
        }
    }
    writeln!(out, "# {end}; {} kB", peak_kb())?;
    Ok(())
}
