//! How sure is a grasp? Four cubes held between a wall and a plate, with friction and force drawn at random.
//!
//! Statics: the row holds iff the plate presses with at least 4 W / (2 mu). Every draw is a scene; they run on two threads.
//! `cargo run --release --example grasp_robustness`; the same as `examples/python/grasp_robustness.py`.
// Results go to stdout.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fmt::Write as _;
use std::thread;

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;

const SCENE: &str = include_str!("../../scenes/grasp-4.toml");
const STEPS: usize = 50;
const WEIGHT: f64 = 9.81;
/// A row that slips falls freely at first or slides; one that holds stands still.
const STILL: f64 = 1e-6;
const DRAWS: usize = 200;

/// Numbers from 0 to 1 by splitmix64: the same in every language and version.
struct Uniforms(u64);

impl Uniforms {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number of mean 0 and deviation 1, nearly normal: twelve uniform ones less six.
    fn normal(&mut self) -> f64 {
        (0..12).fold(0.0, |total, _| total + self.next()) - 6.0
    }
}

/// Scenes with friction 0.5 (5 %) and force 42 N (10 %), and whether statics says that they hold.
fn draw(seed: u64, count: usize) -> Vec<(String, bool)> {
    let mut source = Uniforms(seed);
    let mut one = || {
        let friction = (0.5 + 0.025 * source.normal()).max(0.1);
        let force = (42.0 + 4.2 * source.normal()).max(1.0);
        let scene = SCENE
            .replace("friction = 0.5", &format!("friction = {friction:?}"))
            .replace("-39.24003924", &format!("{:?}", -force));
        (scene, force >= 4.0 * WEIGHT / (2.0 * friction))
    };
    (0..count).map(|_| one()).collect()
}

/// Whether a row holds, and the state's hash at the end.
fn run(scene: &str) -> Result<(bool, u64), String> {
    let scene = Scene::parse(scene, ".").map_err(|e| e.to_string())?;
    let mut world = World::from_scene(&scene).map_err(|e| e.to_string())?;
    for _ in 0..STEPS {
        world.step().map_err(|e| e.to_string())?;
    }
    let mut velocities = world.state().bodies.iter().flat_map(|b| [b.velocity, b.spin]);
    Ok((velocities.all(|v| v.amax() < STILL), world.state().hash()))
}

/// What `main` prints.
pub(crate) fn report() -> Result<String, Box<dyn Error>> {
    let draws = draw(1, DRAWS);
    let (first, second) = draws.split_at(DRAWS / 2);
    let all = |part: &[(String, bool)]| part.iter().map(|(scene, _)| run(scene)).collect::<Vec<_>>();
    let (mut ends, rest) = thread::scope(|scope| {
        let rest = scope.spawn(|| all(second));
        (all(first), rest.join())
    });
    ends.extend(rest.map_err(|_| "a thread has failed")?);
    let ends = ends.into_iter().collect::<Result<Vec<_>, _>>()?;
    assert!(
        ends.iter()
            .zip(&draws)
            .all(|((holds, _), (_, expected))| holds == expected)
    );
    let (holds, expected) = (
        ends.iter().filter(|(holds, _)| *holds).count(),
        draws.iter().filter(|(_, expected)| *expected).count(),
    );
    let mut text = format!("holds in {holds} of {DRAWS} draws; statics says {expected}\n");
    writeln!(text, "states from {:016x} to {:016x}", ends[0].1, ends[DRAWS - 1].1)?;
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report()?);
    Ok(())
}
