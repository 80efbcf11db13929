//! Coordinates of joints: read, set, and read back.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;

/// A post, a carriage that slides on it, an arm that turns on the carriage, a hand on a ball joint, and a plate that slides on the hand. The third joint is
/// given from the body that is nearer the post.
const ARM: &str = r#"
format = 1
[world]
dt = 0.001
[[body]]
name = "post"
kind = "fixed"
shape = { ball = 0.01 }
[[body]]
name = "carriage"
shape = { box = [0.2, 0.1, 0.1] }
mass = 2
position = [0.1, 0, 0]
groups = []
[[body]]
name = "arm"
shape = { box = [0.1, 0.4, 0.1] }
mass = 1
position = [0.2, 0.3, 0.1]
groups = []
[[body]]
name = "hand"
shape = { box = [0.1, 0.1, 0.3] }
mass = 0.5
position = [0.2, 0.5, 0.4]
groups = []
[[body]]
name = "plate"
shape = { box = [0.3, 0.3, 0.02] }
mass = 0.3
position = [0.2, 0.5, 0.56]
groups = []
[[joint]]
name = "rail"
kind = "prismatic"
a = "carriage"
b = "post"
position = [0, 0, 0]
axis = [1, 0, 0]
[[joint]]
name = "elbow"
kind = "revolute"
a = "arm"
b = "carriage"
position = [0.2, 0, 0.05]
axis = [0, 0.6, 0.8]
[[joint]]
name = "wrist"
kind = "spherical"
a = "arm"
b = "hand"
position = [0.2, 0.5, 0.2]
[[joint]]
name = "table"
kind = "planar"
a = "plate"
b = "hand"
position = [0.2, 0.5, 0.55]
axis = [0, 0, 1]
"#;

fn world(text: &str) -> World {
    World::from_scene(&Scene::parse(text, Path::new(".")).unwrap()).unwrap()
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    let near = found.iter().zip(expected).all(|(x, y)| (x - y).abs() <= tolerance);
    assert!(near, "{found:?} instead of {expected:?}");
}

#[test]
fn what_is_set_is_read_back() {
    let mut arm = world(ARM);
    assert_near(&arm.q(), &[0.0; 8], 1e-15);
    let q = [0.3, -2.0, 0.4, -0.7, 0.2, 0.05, -0.08, 1.1];
    let v = [1.5, 4.0, -0.3, 0.9, 2.0, 0.7, -0.2, 3.0];
    let open = arm.set_joints(&q, &v).unwrap();
    assert!(open[0] < 1e-15 && open[1] < 1e-15, "{open:?}");
    assert_near(&arm.q(), &q, 1e-14);
    assert_near(&arm.v(), &v, 1e-13);
}

#[test]
fn velocities_are_the_rates_of_places() {
    // Two worlds that differ by 1e-6 s of motion in all coordinates but those of the wrist, whose velocity is no rate of its rotation vector.
    let (mut before, mut after) = (world(ARM), world(ARM));
    let q = [0.3, -2.0, 0.4, -0.7, 0.2, 0.05, -0.08, 1.1];
    let v = [1.5, 4.0, 0.0, 0.0, 0.0, 0.7, -0.2, 3.0];
    let tau = 1e-6;
    let moved: Vec<f64> = q.iter().zip(v).map(|(q, v)| q + tau * v).collect();
    before.set_joints(&q, &v).unwrap();
    after.set_joints(&moved, &v).unwrap();
    for (x, y) in before.state().bodies.iter().zip(&after.state().bodies) {
        let mean = 0.5 * (x.velocity + y.velocity);
        let rate = (y.pose.position - x.pose.position) / tau;
        assert!((rate - mean).norm() < 1e-8, "{rate:?} instead of {mean:?}");
    }
}

#[test]
fn joints_keep_their_places_in_the_list_and_steps_go_on_from_there() {
    let mut arm = world(ARM);
    let spans: Vec<_> = (0..4).map(|k| arm.joint_span(k)).collect();
    assert_eq!(spans, [0..1, 1..2, 2..5, 5..8]);
    assert_eq!(arm.joint_span(4), 0..0);
    let v = [0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    arm.set_joints(&[0.0; 8], &v).unwrap();
    let ledger = *arm.ledger();
    assert!((ledger.kinetic + ledger.potential).is_finite() && ledger.kinetic > 0.0);
    for _ in 0..10 {
        let report = arm.step().unwrap();
        assert!(report.joint_error[0] < 1e-12, "{:?}", report.joint_error);
    }
    assert!((arm.q()[1] - 0.02).abs() < 2e-3, "{:?}", arm.q());
}

#[test]
fn a_robot_that_nothing_holds_keeps_its_first_body() {
    let free = ARM.replace("kind = \"fixed\"\n", "mass = 5\ngroups = []\n");
    let mut robot = world(&free);
    let base = robot.state().bodies[0];
    robot.set_joints(&[0.1; 8], &[1.0; 8]).unwrap();
    assert_eq!(robot.state().bodies[0], base);
    assert_near(&robot.q(), &[0.1; 8], 1e-14);
    assert_near(&robot.v(), &[1.0; 8], 1e-13);
}

#[test]
fn a_joint_that_closes_a_loop_has_no_coordinates() {
    let mut closed = ARM.to_owned();
    closed.push_str("[[joint]]\nkind = \"distance\"\na = \"plate\"\nb = \"post\"\nposition_a = [0.2, 0.5, 0.56]\nposition_b = [0, 0, 0]\n");
    closed.push_str("[[joint]]\nkind = \"spherical\"\na = \"hand\"\nb = \"carriage\"\nposition = [0.2, 0, 0.4]\n");
    let mut linkage = world(&closed);
    assert_eq!(linkage.q().len(), 8);
    // A turn of the elbow opens both.
    let mut q = [0.0; 8];
    q[1] = 0.1;
    let open = linkage.set_joints(&q, &[0.0; 8]).unwrap();
    assert!(open[0] > 1e-3, "{open:?}");
}

#[test]
fn lists_that_do_not_fit_are_refused() {
    let mut arm = world(ARM);
    let error = arm.set_joints(&[0.0; 7], &[0.0; 8]).unwrap_err().to_string();
    assert!(error.contains("q: must have 8 numbers"), "{error}");
    let mut v = [0.0; 8];
    v[3] = f64::NAN;
    let error = arm.set_joints(&[0.0; 8], &v).unwrap_err().to_string();
    assert!(error.contains("v[3]: must be finite"), "{error}");
    assert_near(&arm.q(), &[0.0; 8], 1e-15);
}
