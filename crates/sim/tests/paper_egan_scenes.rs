//! The scenes of \[Egan\]: what their headers say must happen.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use stiction_scene::{Scene, WorldExt};
use stiction_sim::state::BodyState;
use stiction_sim::{StepReport, World};

/// A scene run to its end: states of a body at every step, and the reports of the steps.
struct Run {
    world: World,
    states: Vec<Vec<BodyState>>,
    reports: Vec<StepReport>,
}

fn run(name: &str) -> Run {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../scenes/egan")
        .join(name);
    let scene = Scene::read(&file).unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    let (mut states, mut reports) = (vec![world.state().bodies.clone()], Vec::new());
    let steps = (0_u32..).take_while(|k| f64::from(*k) * scene.settings.dt < scene.duration - 1e-9);
    for step in steps {
        reports.push(world.step().unwrap_or_else(|e| panic!("{name}, step {step}: {e}")));
        states.push(world.state().bodies.clone());
    }
    Run { world, states, reports }
}

impl Run {
    fn body(&self, name: &str) -> usize {
        self.world.bodies().iter().position(|body| body.name == name).unwrap()
    }

    fn path(&self, name: &str) -> Vec<BodyState> {
        let body = self.body(name);
        self.states.iter().map(|bodies| bodies[body]).collect()
    }

    fn fallbacks(&self) -> usize {
        self.reports.iter().map(|report| report.corner_fallbacks).sum()
    }

    fn depth(&self) -> f64 {
        self.reports.iter().fold(0.0, |m, report| report.depth.max(m))
    }
}

/// Fig. 1: the same block, with and without the virtual wall.
#[test]
fn a_block_slides_over_the_hole_only_where_corners_are_nonconvex() {
    let (convex, nonconvex) = (
        run("block_over_hole_convex.toml"),
        run("block_over_hole_nonconvex.toml"),
    );
    let (dt, deceleration) = (1e-3, 0.1 * 9.81);
    let (mut x, mut v) = (-0.7, 3.0);
    for (k, state) in nonconvex.path("block").iter().enumerate() {
        let (position, velocity) = (state.pose.position, state.velocity);
        assert!(
            (position.x - x).abs() < 1e-9 && (velocity.x - v).abs() < 1e-9,
            "step {k}: {state:?}"
        );
        assert!(
            (position.y - 0.1).abs() < 1e-9 && velocity.y.abs() < 1e-9,
            "step {k}: {state:?}"
        );
        assert!(state.spin.norm() < 1e-9, "step {k}: {state:?}");
        v -= deceleration * dt;
        x += v * dt;
    }
    assert_eq!(nonconvex.fallbacks(), 0);
    assert!(nonconvex.reports.iter().any(|report| report.corners > 0));
    // The wall takes what friction would not.
    let wall = convex.path("block");
    let before = wall.iter().rfind(|state| state.pose.position.x + 0.5 < 0.29).unwrap();
    let lost = before.velocity.x - wall.last().unwrap().velocity.x;
    let slowed = wall
        .windows(2)
        .map(|w| w[0].velocity.x - w[1].velocity.x)
        .fold(0.0, f64::max);
    assert!(slowed > 100.0 * deceleration * dt, "{slowed}");
    let end = nonconvex.path("block").last().unwrap().velocity.x;
    assert!(wall.last().unwrap().velocity.x < end - 0.3 && lost > 0.3, "{lost}");
    assert!(convex.reports.iter().all(|report| report.corners == 0));
}

/// Fig. 3: the numbers printed in the paper; of the three answers of Fig. 3(b), z_b3.
#[test]
fn a_point_at_a_corner_ends_where_the_paper_says() {
    let run = run("point_at_corner.toml");
    let end = |name: &str| *run.path(name).last().unwrap();
    let (passes, lands) = (end("passes"), end("lands"));
    for (state, position, velocity) in [(passes, [-3.0, 1.0], [-2.0, 0.0]), (lands, [-3.0, 0.0], [-2.0, -0.5])] {
        let (x, v) = (state.pose.position, state.velocity);
        let error = (x.x - 0.001 - position[0]).abs() + (x.y - 0.001 - position[1]).abs();
        assert!(error < 1e-12, "{state:?}");
        assert!(
            (v.x - velocity[0]).abs() + (v.y - velocity[1]).abs() < 1e-12,
            "{state:?}"
        );
    }
    let impulse: f64 = run.world.solution().normal_impulse.iter().sum();
    assert!((impulse - 0.5).abs() < 1e-12, "{impulse}");
}

/// Fig. 5.
#[test]
fn vertices_pass_vertices_and_faces_stop_them() {
    let run = run("vertex_vertex.toml");
    let (dt, g) = (5e-3, 9.81);
    let free = |k: usize| {
        let k = k as f64;
        (
            0.2 - 5.0 * k * dt - g * dt * dt * k * (k + 1.0) / 2.0,
            -5.0 - g * k * dt,
        )
    };
    for (k, state) in run.path("beside").iter().enumerate() {
        let (y, v) = free(k);
        assert!(
            (state.pose.position.y - y).abs() < 1e-12 && (state.velocity.y - v).abs() < 1e-12,
            "step {k}: {state:?}"
        );
        assert!(state.velocity.x == 0.0 && state.spin.z == 0.0, "step {k}: {state:?}");
    }
    // The tip is √2/10 below the middle of the square; the corner at (−1, 0) meets its edge.
    let tip = 0.2 * std::f64::consts::FRAC_1_SQRT_2;
    let mut touched = false;
    for (k, state) in run.path("vertex").iter().enumerate() {
        let (y, _) = free(k);
        let height = y - tip + 1e-4;
        if height > 0.0 {
            assert!((state.pose.position.y - y).abs() < 1e-12, "step {k}: {state:?}");
        } else {
            touched |= state.velocity.x < -1.0;
        }
    }
    assert!(touched);
    let over = run.path("over");
    let lowest = |state: &BodyState| {
        let corner = |x: f64, y: f64| state.pose.point(stiction_sim::Vec3::new(x, y, 0.0));
        // What stands out beside the fixed square may hang below its face.
        let within = |p: &stiction_sim::Vec3| p.x > -1.0;
        [corner(0.1, -0.1), corner(-0.1, -0.1)]
            .into_iter()
            .filter(within)
            .map(|p| p.y)
            .fold(f64::INFINITY, f64::min)
    };
    let worst = over.iter().map(lowest).fold(f64::INFINITY, f64::min);
    assert!(worst > -1e-5, "{worst}");
    assert!(over.last().unwrap().velocity.y.abs() < 0.5);
    assert_eq!(run.fallbacks(), 0);
}

/// Fig. 7.
#[test]
fn many_short_sides_let_pass_what_misses_and_stop_what_does_not() {
    let run = run("many_sides.toml");
    for (k, state) in run.path("grazer").iter().enumerate() {
        let x = -1.5 + 0.1 * k as f64;
        assert!(
            (state.pose.position.x - x).abs() < 1e-12 && state.pose.position.y == 0.5501,
            "step {k}: {state:?}"
        );
        assert_eq!(state.velocity.x, 10.0);
    }
    let lander = run.path("lander");
    assert!(lander.last().unwrap().velocity.norm() < 2.0);
    assert!(
        lander.iter().all(|state| state.pose.position.norm() > 0.5),
        "inside the polygon"
    );
    // A thousandth of the way of a step: what turning within it explains.
    assert!(run.depth() < 1e-4, "{}", run.depth());
}
