//! Who holds what, against figures that statics gives by hand.
#![allow(clippy::unwrap_used)]

use stiction_record::{RecordOptions, Recorder};
use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;
use stiction_stand::why::{Asked, Known, Moment, Pair, PairState, table};

fn stepped(text: &str, steps: usize) -> World {
    let mut world = World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap();
    for _ in 0..steps {
        world.step().unwrap();
    }
    world
}

fn explain(text: &str) -> Vec<Pair> {
    Asked::default().explain(&Moment::of_world(&stepped(text, 1))).unwrap()
}

fn between(text: &str, a: &str, b: &str) -> Pair {
    let asked = Asked {
        pair: Some([a.to_owned(), b.to_owned()]),
        ..Asked::default()
    };
    let mut pairs = asked.explain(&Moment::of_world(&stepped(text, 1))).unwrap();
    assert_eq!(pairs.len(), 1, "{a} and {b}");
    pairs.remove(0)
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "found {found}, expected {expected}"
    );
}

fn ramp(degrees: f64) -> String {
    format!(
        r#"
        format = 1
        world = {{ duration = 2, density = 1000 }}
        material = [{{ name = "wood", friction = 0.5 }}]
        body = [{{ name = "ramp", shape = {{ half_space = [0, 0, 1] }}, orientation = {{ axis = [0, 1, 0], degrees = {degrees} }}, material = "wood" }}]
        stack = [{{ name = "box", box = [0.2, 0.2, 0.2], count = 1, orientation = {{ axis = [0, 1, 0], degrees = {degrees} }}, material = "wood" }}]"#
    )
}

#[test]
fn a_box_on_a_ramp_slides_and_tips_at_the_angles_of_statics() {
    let pair = &explain(&ramp(26.0))[0];
    let (weight, theta) = (8.0 * 9.81, 26f64.to_radians());
    close(pair.normal_force, weight * theta.cos(), 1e-9 * weight);
    close(pair.friction_force, weight * theta.sin(), 1e-9 * weight);
    close(pair.used.unwrap(), theta.tan() / 0.5, 1e-9);
    close(pair.slip.unwrap().angle, 0.5f64.atan().to_degrees() - 26.0, 1e-8);
    close(
        pair.slip.unwrap().force,
        0.5 * pair.normal_force - pair.friction_force,
        1e-9 * weight,
    );
    // Its centre of mass is as high as it is far from an edge: it tips at 45°.
    let tip = pair.tip.unwrap();
    close(tip.angle.unwrap(), 19.0, 1e-8);
    close(tip.distance, 0.1 - 0.1 * theta.tan(), 1e-9);
    close(tip.used, theta.tan(), 1e-8);
    close(tip.force.unwrap(), pair.normal_force * tip.distance / 0.1, 1e-6);
    assert_eq!((pair.state, pair.known), (PairState::Sticking, Some(Known::Sum)));
    assert_eq!(pair.carries, ["box[0]"]);
    assert!(
        pair.sentence.starts_with("box[0] sticks to ramp with "),
        "{}",
        pair.sentence
    );
}

#[test]
fn a_box_that_slides_has_nothing_left() {
    let pair = &explain(&ramp(27.0))[0];
    assert_eq!(pair.state, PairState::Sliding);
    assert_eq!((pair.slip.unwrap().force, pair.slip.unwrap().angle), (0.0, 0.0));
    close(pair.used.unwrap(), 1.0, 1e-12);
    // a h after a step of 1 ms.
    let theta = 27f64.to_radians();
    close(
        pair.slip_speed.unwrap(),
        9.81 * (theta.sin() - 0.5 * theta.cos()) * 1e-3,
        1e-9,
    );
}

#[test]
fn a_tower_of_five_tips_as_one_at_a_slope_of_a_fifth() {
    let tower = r#"
        format = 1
        world = { density = 1 }
        material = [{ name = "wood", friction = 0.6 }]
        body = [{ name = "ground", shape = { half_space = [0, 0, 1] }, material = "wood" }]
        stack = [{ name = "box", box = [1, 1, 1], count = 5, material = "wood" }]"#;
    let pairs = explain(tower);
    assert_eq!(pairs.len(), 5);
    for pair in &pairs {
        let above = pair.carries.len() as f64;
        close(pair.normal_force, 9.81 * above, 1e-9);
        close(
            pair.tip.unwrap().angle.unwrap(),
            (1.0 / above).atan().to_degrees(),
            1e-7,
        );
        close(pair.slip.unwrap().angle, 0.6f64.atan().to_degrees(), 1e-7);
        assert_eq!(pair.known, Some(Known::Sum));
    }
    assert_eq!(pairs.iter().map(|pair| pair.carries.len()).max(), Some(5));
}

const TABLE: &str = r#"
    format = 1
    material = [{ name = "ice", friction = 0 }]
    [[body]]
    name = "floor"
    shape = { half_space = [0, 0, 1] }
    material = "ice"
    [[body]]
    name = "table"
    mass = 3
    inertia = [0.05, 0.05, 0.05]
    centre = [0, 0, 0]
    position = [0, 0, 0.4]
    material = "ice"
    [body.shape]
    compound = [
        { ball = 0.02, position = [0.15, 0.15, -0.38] },
        { ball = 0.02, position = [-0.15, 0.15, -0.38] },
        { ball = 0.02, position = [-0.15, -0.15, -0.38] },
        { ball = 0.02, position = [0.15, -0.15, -0.38] },
    ]"#;

#[test]
fn each_of_four_legs_carries_between_nothing_and_half() {
    let pair = between(TABLE, "table", "floor");
    let weight = 3.0 * 9.81;
    close(pair.normal_force, weight, 1e-9);
    assert_eq!(pair.known, Some(Known::Sum));
    assert_eq!((pair.normal_range, pair.limit), (None, Some(0.0)));
    assert_eq!(pair.points.len(), 4);
    for point in &pair.points {
        assert_eq!(point.unique, Some(false));
        let range = point.normal_range.unwrap();
        close(range.low, 0.0, 1e-7);
        close(range.high, 0.5 * weight, 1e-7);
    }
}

#[test]
fn three_legs_are_known_one_by_one() {
    let fourth = "{ ball = 0.02, position = [0.15, -0.15, -0.38] },";
    let pair = between(&TABLE.replace(fourth, ""), "table", "floor");
    assert_eq!(pair.known, Some(Known::All));
    assert!(
        pair.points
            .iter()
            .all(|point| point.unique == Some(true) && point.normal_range.is_none())
    );
}

/// Ranges as HiGHS and Clarabel gave them to a prototype in another language: arch of 20 voussoirs, thickness 0.12, depth 0.3, density 1.
#[test]
fn the_thrust_of_an_arch_lies_between_its_bounds() {
    let arch = r#"
        format = 1
        world = { duration = 1 }
        material = [{ name = "stone", friction = 0.7 }]
        body = [{ name = "ground", shape = { half_space = [0, 0, 1] }, material = "stone" }]
        arch = [{ voussoirs = 20, radius = 1, thickness = 0.12, depth = 0.3, density = 1, material = "stone" }]"#;
    let ends = |a: &str, b: &str| {
        let pair = between(arch, a, b);
        assert_eq!(pair.known, Some(Known::None), "{a} | {b}");
        let range = pair.normal_range.unwrap();
        assert!(range.low <= pair.normal_force + 1e-9 && pair.normal_force <= range.high + 1e-9);
        range
    };
    let crown = ends("arch[9]", "arch[10]");
    let foot = ends("ground", "arch[0]");
    // Straight sides of the blocks stand for the arcs of the prototype: a few parts in a thousand of the weight.
    close(crown.low, 0.2116, 0.004);
    close(crown.high, 0.2300, 0.004);
    close(foot.low, 0.5509, 0.004);
    close(foot.high, 0.5586, 0.004);
}

#[test]
fn a_box_that_spins_on_the_spot_uses_all_its_friction() {
    let spinning = r#"
        format = 1
        world = { friction = 0.5, density = 1000 }
        body = [
            { name = "ground", shape = { half_space = [0, 0, 1] } },
            { name = "box", shape = { box = [1, 1, 1] }, position = [0, 0, 0.5], spin = [0, 0, 1] },
        ]"#;
    let pair = &explain(spinning)[0];
    assert_eq!(pair.state, PairState::Sliding);
    close(pair.used.unwrap(), 1.0, 1e-9);
    close(pair.friction_force, 0.0, 1e-6 * pair.normal_force);
    // Friction of 0.5 N at half the diagonal.
    close(
        pair.twist.unwrap(),
        0.5 * pair.normal_force * 0.5f64.sqrt(),
        1e-3 * pair.normal_force,
    );
    assert!(
        pair.sentence.starts_with("box turns on ground at "),
        "{}",
        pair.sentence
    );
}

#[test]
fn a_box_in_the_plane_tips_over_its_ends() {
    let planar = r#"
        format = 1
        world = { planar = true, friction = 0.5, density = 1 }
        body = [
            { name = "ground", shape = { half_plane = [0, 1] } },
            { name = "box", shape = { box = [1, 2] }, position = [0, 1] },
        ]"#;
    let pair = &explain(planar)[0];
    close(pair.tip.unwrap().angle.unwrap(), 0.5f64.atan().to_degrees(), 1e-8);
    close(pair.slip.unwrap().angle, 0.5f64.atan().to_degrees(), 1e-8);
    assert_eq!(pair.known, Some(Known::Sum));
}

#[test]
fn a_recording_says_the_same_as_the_world() {
    let path = std::env::temp_dir().join(format!("stiction-why-{}.mcap", std::process::id()));
    let mut world = stepped(&ramp(26.0), 0);
    let mut recorder = Recorder::create(&path, &world, RecordOptions::default()).unwrap();
    for _ in 0..3 {
        let report = world.step().unwrap();
        recorder.record(&world, &report).unwrap();
    }
    recorder.finish().unwrap();
    let of_world = Asked::default().explain(&Moment::of_world(&world)).unwrap();
    let last = Moment::of_recording(&path, None).unwrap().unwrap();
    assert_eq!(last.step, 3);
    assert_eq!(Asked::default().explain(&last).unwrap(), of_world);
    let near = Moment::of_recording(&path, Some(0.0019)).unwrap().unwrap();
    assert_eq!(near.step, 2);
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_name_that_no_body_has_is_refused_with_the_nearest() {
    let moment = Moment::of_world(&stepped(&ramp(26.0), 1));
    let asked = Asked {
        bodies: vec!["rampe".to_owned()],
        ..Asked::default()
    };
    let text = asked.explain(&moment).unwrap_err().to_string();
    assert_eq!(
        text,
        "body: must be the name of a body, found rampe; did you mean ramp?"
    );
}

#[test]
fn a_world_before_its_first_step_has_no_pairs() {
    let moment = Moment::of_world(&stepped(&ramp(26.0), 0));
    assert_eq!(Asked::default().explain(&moment).unwrap(), []);
}

#[test]
fn a_table_has_a_line_and_a_sentence_for_each_pair() {
    let pairs = explain(&ramp(26.0));
    let text = table(&pairs);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(
        lines[0].starts_with("pair ") && lines[1].starts_with("ramp | box[0]"),
        "{text}"
    );
    assert!(
        lines[1].contains("97.5 %") && lines[1].contains("sum yes, split no"),
        "{text}"
    );
    assert_eq!(lines[3], pairs[0].sentence);
}
