//! Steps a scene, saves it half way, goes on from there with the same bits, and reads contact forces.
//!
//! `cargo run --release --example run_scene [SCENE]`; the same as `examples/python/run_scene.py`.
// Results go to stdout.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use stiction_record::ContactsRecord;
use stiction_scene::{Scene, WorldExt};
use stiction_sim::{SimError, World};

const SCENE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/ramp-slide.toml");

/// Makes steps; the worst residual and the deepest overlap \[m\] of them.
fn advance(world: &mut World, steps: usize) -> Result<(f64, f64), SimError> {
    let mut worst = (0.0_f64, 0.0_f64);
    for _ in 0..steps {
        let report = world.step()?;
        worst = (worst.0.max(report.residual), worst.1.max(report.depth));
    }
    Ok(worst)
}

/// What `main` prints for a scene.
pub(crate) fn report(file: &Path) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    let scene = Scene::read(file)?;
    let mut world = World::from_scene(&scene)?;
    advance(&mut world, 100)?;
    let half = world.save();
    let (residual, depth) = advance(&mut world, 100)?;
    writeln!(text, "{}: {:.3} s", scene.name, world.state().time)?;
    let (residual, depth) = (residual / 1e-15, depth / 1e-9);
    writeln!(text, "  residual {residual:.1}e-15, penetration {depth:.3} nm")?;
    for contact in ContactsRecord::of(&world).contacts.iter().take(4) {
        let (a, b, force, state) = (&contact.a, &contact.b, contact.normal_force, &contact.state);
        writeln!(text, "  {a} on {b}: {force:.4} N, {state}")?;
    }
    let mut again = World::from_scene(&scene)?;
    again.load(&half)?;
    advance(&mut again, 100)?;
    let hash = world.state().hash();
    assert_eq!(again.state().hash(), hash);
    writeln!(text, "state {hash:016x}, the same after loading")?;
    Ok(text)
}

/// The scene that is run where none is named.
pub(crate) fn default_scene() -> PathBuf {
    PathBuf::from(SCENE)
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).map_or_else(default_scene, PathBuf::from);
    print!("{}", report(&file)?);
    Ok(())
}
