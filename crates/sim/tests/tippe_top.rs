//! A contact that slips while its rows turn fast: a tippe top, whose foot slips from the first step to the last. What the projection changes of its normal impulse has
//! friction, too: without that the step would be of first order.
#![allow(clippy::unwrap_used)]

use stiction_scene::{Scene, WorldExt};
use stiction_sim::{Vec3, World};

/// A ball of 20 mm whose centre of mass lies 4 mm below its own, spun at 200 rad/s; its axis after a time.
fn axis_after(seconds: f64, dt: f64) -> Vec3 {
    let scene = format!(
        r#"
        format = 1
        world = {{ dt = {dt:?}, friction = 0.1 }}
        [[body]]
        name = "floor"
        shape = {{ half_space = [0, 0, 1] }}
        [[body]]
        name = "top"
        shape = {{ compound = [{{ ball = 0.02, position = [0, 0, 0.004] }}] }}
        mass = 0.02
        inertia = [3.2e-6, 3.2e-6, 3.2e-6]
        centre = [0, 0, 0]
        position = [0, 0, {:?}]
        orientation = [0, {:?}, 0, {:?}]
        spin = [0, 0, 200]
        "#,
        0.02 - 0.004 * 0.1_f64.cos(),
        0.05_f64.sin(),
        0.05_f64.cos(),
    );
    let mut world = World::from_scene(&Scene::parse(&scene, ".").unwrap()).unwrap();
    let start = world.ledger().kinetic + world.ledger().potential;
    while world.state().time < seconds - 0.5 * dt {
        world.step().unwrap();
    }
    let l = world.ledger();
    let balance = l.kinetic + l.potential - start - (l.injected + l.eased - l.dissipated() - l.stepping());
    assert!(balance.abs() < 1e-12 * start, "{balance:e}: {l:?}");
    world.state().bodies[1].pose.direction(Vec3::z())
}

#[test]
fn a_tippe_top_is_of_second_order() {
    let axes = [4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4].map(|dt| axis_after(1.0, dt));
    let apart: Vec<f64> = axes.windows(2).map(|pair| (pair[0] - pair[1]).norm()).collect();
    for pair in apart.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!(order > 1.9, "{order}: {apart:?}");
    }
    assert!(apart[3] < 2e-4, "{apart:?}");
}
