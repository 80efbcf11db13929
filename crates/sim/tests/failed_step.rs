//! A step that fails leaves nothing behind: not in the state, not in the ledger, not in what the next solve starts from.
#![allow(clippy::unwrap_used)]

use stiction_scene::{Scene, WorldExt};
use stiction_sim::{JointError, SimError, Vec3, World, Wrench};

fn world(stepper: &str) -> World {
    let text = format!(
        r#"
        format = 1
        world = {{ friction = 0.5, stepper = "{stepper}" }}
        [[body]]
        name = "ground"
        shape = {{ half_space = [0, 0, 1] }}
        [[stack]]
        name = "box"
        box = [0.2, 0.2, 0.2]
        count = 6
        [[body]]
        name = "slider"
        shape = {{ box = [0.2, 0.2, 0.2] }}
        position = [2, 0, 0.1]
        velocity = [1, 0.3, 0]
        spin = [0, 0, 3]
        "#
    );
    World::from_scene(&Scene::parse(&text, ".").unwrap()).unwrap()
}

#[test]
fn going_on_gives_the_bits_of_never_having_failed() {
    for stepper in ["stewart-trinkle", "anitescu-potra", "acceleration"] {
        let (mut tried, mut smooth) = (world(stepper), world(stepper));
        // So strong that squares of the velocity overflow; and no number.
        for (step, force) in [(40, 1e200), (90, f64::NAN), (91, 1e200)] {
            while tried.state().step < step {
                tried.step().unwrap();
            }
            let ledger = *tried.ledger();
            let before = tried.save();
            for body in [3, 7] {
                let push = Vec3::new(force, 0.5 * force, -force);
                let wrench = Wrench {
                    force: push,
                    torque: Vec3::zeros(),
                };
                tried.apply(body, wrench).unwrap();
                let error = tried.step().unwrap_err();
                // The contacts may have an answer; the energy has none.
                let overflows = error.to_string().contains("must be finite");
                assert!(
                    overflows || matches!(error, SimError::Unsolved { .. }),
                    "{stepper}: {error}"
                );
                tried.apply(body, Wrench::default()).unwrap();
            }
            assert_eq!((tried.save(), *tried.ledger()), (before, ledger), "{stepper}");
        }
        while smooth.state().step < 200 {
            smooth.step().unwrap();
        }
        while tried.state().step < 200 {
            tried.step().unwrap();
        }
        assert_eq!(smooth.save(), tried.save(), "{stepper}");
        assert_eq!(smooth.state().hash(), tried.state().hash());
    }
}

/// A ball that is welded to two that move apart, beside others that stand.
const TORN: &str = r#"
    format = 1
    world.friction = 0.5
    [[body]]
    name = "left"
    kind = "kinematic"
    shape = { ball = 0.1 }
    position = [-1, 0, 0]
    velocity = [-0.5, 0, 0]
    [[body]]
    name = "right"
    kind = "kinematic"
    shape = { ball = 0.1 }
    position = [1, 0, 0]
    velocity = [0.5, 0, 0]
    [[body]]
    name = "bob"
    shape = { ball = 0.1 }
    [[body]]
    name = "ground"
    shape = { half_space = [0, 0, 1] }
    position = [0, 0, -2]
    [[grid]]
    name = "far"
    box = [0.2, 0.2, 0.2]
    rows = 2
    columns = 30
    gap = 0.1
    base = [5, 5, -2]
    [[joint]]
    name = "left weld"
    kind = "fixed"
    a = "bob"
    b = "left"
    position = [-0.5, 0, 0]
    [[joint]]
    name = "right weld"
    kind = "fixed"
    a = "bob"
    b = "right"
    position = [0.5, 0, 0]
    "#;

fn read(text: &str) -> World {
    World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap()
}

#[test]
fn only_the_island_that_failed_is_named() {
    let mut world = read(TORN);
    let error = world.step().unwrap_err();
    let SimError::Unsolved {
        bodies,
        joints,
        torn,
        contacts,
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(bodies, &["left", "right", "bob"]);
    assert_eq!(joints, &["left weld", "right weld"]);
    assert!(contacts.is_empty(), "{contacts:?}");
    assert!(!torn.is_empty() && torn.iter().all(|e| joints.contains(&e.name)));
    let text = error.to_string();
    assert!(text.contains("joints left weld, right weld; cannot hold: "), "{text}");
}

#[test]
fn a_message_names_a_dozen() {
    let error = SimError::Unsolved {
        step: 7,
        time: 0.5,
        status: stiction_contact::Status::Inaccurate,
        bodies: (0..20).map(|i| format!("box{i}")).collect(),
        joints: (0..13).map(|i| format!("hinge{i}")).collect(),
        torn: Box::default(),
        mass_ratio: 2.0,
        contacts: Vec::new(),
    };
    assert_eq!(
        error.to_string(),
        "step 7 at 0.5 s: no verified answer (inaccurate) for bodies box0, box1, box2, box3, box4, box5, box6, box7, box8, box9, box10, box11 and 8 more; \
         joints hinge0, hinge1, hinge2, hinge3, hinge4, hinge5, hinge6, hinge7, hinge8, hinge9, hinge10, hinge11 and 1 more"
    );
}

#[test]
fn overflow_names_the_fastest_body() {
    let mut world = read(
        r#"
        format = 1
        world.friction = 0.5
        body = [{ name = "ground", shape = { half_space = [0, 0, 1] } }]
        stack = [{ name = "box", box = [0.2, 0.2, 0.2], count = 20 }]
        "#,
    );
    let wrench = Wrench {
        force: Vec3::new(1e200, 0.5e200, -1e200),
        torque: Vec3::zeros(),
    };
    world.apply(3, wrench).unwrap();
    let text = world.step().unwrap_err().to_string();
    assert!(text.contains("box["), "{text}");
}

#[test]
fn joints_that_contradict_each_other_are_named_with_their_error() {
    let mut world = read(
        r#"
        format = 1
        world.friction = 0.5
        [[body]]
        name = "wall"
        kind = "fixed"
        shape = { ball = 0.1 }
        groups = [1]
        [[body]]
        name = "bob"
        shape = { ball = 0.1 }
        position = [0, 0, -1]
        [[joint]]
        name = "rod"
        kind = "distance"
        a = "bob"
        b = "wall"
        position_a = [0, 0, -1]
        position_b = [0, 0, 0]
        length = 1
        [[joint]]
        name = "strut"
        kind = "distance"
        a = "bob"
        b = "wall"
        position_a = [0, 0, -1]
        position_b = [0, 0, 0]
        length = 1.5
        "#,
    );
    for _ in 0..100 {
        let report = world.step().unwrap();
        assert_eq!(report.joint_error, [0.5, 0.0]);
    }
    let strut = JointError {
        joint: 1,
        name: "strut".to_owned(),
        metres: 0.5,
        radians: 0.0,
    };
    assert_eq!(world.joints_that_fail(), [strut]);
    assert_eq!(world.joint_error(0), Some([0.0, 0.0]));
    assert_eq!(world.redundant_joints(), Some(vec![(1, 1)]));
    // Two welds of one body to the world: the second has nothing left to hold.
    assert_eq!(read(TORN).redundant_joints(), Some(vec![(1, 6)]));
}

/// A box that slides on one of a millionth of its mass is solved; a failure among masses farther apart says so.
#[test]
fn masses_beyond_what_digits_carry_are_named() {
    let scene = |mass: &str| {
        format!(
            r#"
            format = 1
            world.friction = 0.5
            body = [
                {{ name = "ground", shape = {{ half_space = [0, 0, 1] }} }},
                {{ name = "light", shape = {{ box = [0.2, 0.2, 0.2] }}, mass = 1, position = [0, 0, 0.1] }},
                {{ name = "heavy", shape = {{ box = [0.2, 0.2, 0.2] }}, mass = {mass}, position = [0, 0, 0.3], velocity = [1, 0.3, 0] }},
            ]"#
        )
    };
    let mut world = read(&scene("1e6"));
    for _ in 0..100 {
        world.step().unwrap();
    }
    let error = read(&scene("1e13")).step().unwrap_err();
    let SimError::Unsolved { bodies, mass_ratio, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!((bodies.len(), *mass_ratio), (3, 1e13));
    let text = error.to_string();
    assert!(text.contains("; masses 1 to 1e13: beyond 1 to 1e7"), "{text}");
}
