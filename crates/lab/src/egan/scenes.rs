//! The paper's figures as worlds: the block over the hole \[Egan Fig. 1\], and the other scenes.

use std::fmt::Write as _;

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;

use super::Part;
use stiction_formats::BadInput;

const CONVEX: &str = include_str!("../../../../scenes/egan/block_over_hole_convex.toml");
const NONCONVEX: &str = include_str!("../../../../scenes/egan/block_over_hole_nonconvex.toml");
const POINT: &str = include_str!("../../../../scenes/egan/point_at_corner.toml");
const VERTEX: &str = include_str!("../../../../scenes/egan/vertex_vertex.toml");
const SIDES: &str = include_str!("../../../../scenes/egan/many_sides.toml");

/// Loss of speed in one step of the hole scene that friction explains \[m/s\], with room.
const FRICTION_LOSS: f64 = 2e-3;

/// What a run adds up to.
#[derive(Default)]
struct Sums {
    steps: usize,
    corners: usize,
    groups: usize,
    fallbacks: usize,
    residual: f64,
    depth: f64,
    /// Speed of the last body along x at the end, and the most it lost in one step \[m/s\].
    speed: f64,
    largest_loss: f64,
}

fn run(text: &str) -> Result<Sums, BadInput> {
    let scene = Scene::parse(text, ".").map_err(|error| BadInput::whole(error.to_string()))?;
    let mut world = World::from_scene(&scene).map_err(|error| BadInput::named(&error))?;
    let mut sums = Sums::default();
    let speed = |world: &World| world.state().bodies.last().map_or(0.0, |body| body.velocity.x);
    sums.speed = speed(&world);
    while world.state().time < scene.duration * (1.0 - 1e-9) {
        let report = world.step().map_err(|error| BadInput::named(&error))?;
        sums.steps += 1;
        sums.corners += report.corners;
        sums.groups += report.groups;
        sums.fallbacks += report.corner_fallbacks;
        sums.residual = sums.residual.max(report.residual);
        sums.depth = sums.depth.max(report.depth);
        let now = speed(&world);
        sums.largest_loss = sums.largest_loss.max(sums.speed - now);
        sums.speed = now;
    }
    Ok(sums)
}

/// Fig. 1, both ways.
pub(super) fn hole() -> Result<Part, BadInput> {
    let (convex, nonconvex) = (run(CONVEX)?, run(NONCONVEX)?);
    let mut text = String::from("Fig. 1, a block slides over a hole with a diagonal far edge\n");
    let paper = ["runs into the edge, extended for ever", "slides past the corner"];
    for (name, paper, sums) in [("convex", paper[0], &convex), ("nonconvex", paper[1], &nonconvex)] {
        let _ = writeln!(
            text,
            "  {name:9}  paper: {paper:37}  here: loses at most {:.2e} m/s in a step, {:.3} m/s at the end; residual {:.1e}",
            sums.largest_loss, sums.speed, sums.residual
        );
    }
    let clean = convex.largest_loss > 10.0 * FRICTION_LOSS && nonconvex.largest_loss < FRICTION_LOSS;
    Ok(Part { text, clean })
}

/// Figs. 3, 5 and 7: every step verified.
pub(super) fn others() -> Result<Part, BadInput> {
    let mut text = String::from("Scenes, every step verified\n");
    for (name, scene) in [("Fig. 3", POINT), ("Fig. 5", VERTEX), ("Fig. 7", SIDES)] {
        let sums = run(scene)?;
        let _ = writeln!(
            text,
            "  {name}  {:>3} steps, {:>3} corners, {} as groups, {} not solvable as a nonconvex group; residual {:.1e}, depth {:.1e} m",
            sums.steps, sums.corners, sums.groups, sums.fallbacks, sums.residual, sums.depth
        );
    }
    Ok(Part { text, clean: true })
}
