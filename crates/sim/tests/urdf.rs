//! Robots from URDF files.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use stiction_scene::{
    Scene, WorldExt,
    urdf::{Urdf, UrdfOptions},
};
use stiction_sim::body::Kind;
use stiction_sim::joint::Motor;
use stiction_sim::shape::Shape;
use stiction_sim::{Mat3, Pose, Settings, Vec3, World};

fn scenes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

const PENDULUM: &str = r#"<robot name="pendulum">
  <link name="base"/>
  <joint name="shoulder" type="continuous">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 2"/><axis xyz="0 1 0"/>
    <dynamics damping="0.05"/>
  </joint>
  <link name="upper">
    <inertial><origin xyz="0 0 -0.5"/><mass value="2"/><inertia ixx="0.17" iyy="0.18" izz="0.02" ixz="0.01"/></inertial>
    <collision><origin xyz="0 0 -0.5"/><geometry><box size="0.1 0.2 1"/></geometry></collision>
  </link>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 -1"/><axis xyz="0 1 0"/>
    <limit lower="-0.5" upper="0.3" effort="5" velocity="9"/>
  </joint>
  <link name="lower">
    <inertial><origin xyz="0 0.1 -0.5"/><mass value="1"/><inertia ixx="0.08" iyy="0.09" izz="0.02"/></inertial>
    <collision><origin xyz="0 0.1 -0.5"/><geometry><box size="0.1 0.2 1"/></geometry></collision>
  </link>
</robot>"#;

/// The same as a scene, at coordinates a and b − a: upper turned by a about y, lower by b.
fn pendulum_by_hand(a: f64, b: f64) -> World {
    let joint = Vec3::new(-a.sin(), 0.0, 2.0 - a.cos());
    let upper = Vec3::new(-0.5 * a.sin(), 0.0, 2.0 - 0.5 * a.cos());
    let lower = joint + Vec3::new(-0.5 * b.sin(), 0.0, -0.5 * b.cos());
    let text = format!(
        r#"format = 1
        [world]
        gravity = [9, 0, -2]
        [[body]]
        name = "base"
        kind = "fixed"
        shape = {{ ball = 0.1 }}
        groups = []
        [[body]]
        name = "upper"
        shape = {{ box = [0.1, 0.2, 1] }}
        position = [{}, {}, {}]
        orientation = {{ axis = [0, 1, 0], degrees = {} }}
        mass = 2
        inertia = [[0.17, 0, 0.01], [0, 0.18, 0], [0.01, 0, 0.02]]
        groups = []
        [[body]]
        name = "lower"
        shape = {{ box = [0.1, 0.2, 1] }}
        position = [{}, 0.1, {}]
        orientation = {{ axis = [0, 1, 0], degrees = {} }}
        mass = 1
        inertia = [0.08, 0.09, 0.02]
        groups = []
        [[joint]]
        kind = "revolute"
        a = "upper"
        b = "base"
        position = [0, 0, 2]
        axis = [0, 1, 0]
        motor = {{ damping = 0.05 }}
        [[joint]]
        kind = "revolute"
        a = "lower"
        b = "upper"
        position = [{}, {}, {}]
        axis = [0, 1, 0]
        limits = [{}, {}]
        "#,
        upper.x,
        upper.y,
        upper.z,
        a.to_degrees(),
        lower.x,
        lower.z,
        b.to_degrees(),
        joint.x,
        joint.y,
        joint.z,
        -0.5 - (b - a),
        0.3 - (b - a)
    );
    World::from_scene(&Scene::parse(&text, ".").unwrap()).unwrap()
}

fn pendulum(shoulder: f64, elbow: f64) -> World {
    let robot = Urdf::parse(PENDULUM, ".").unwrap();
    let mut world = World::new(Settings {
        gravity: Vec3::new(9.0, 0.0, -2.0),
        ..Settings::default()
    })
    .unwrap();
    let options = UrdfOptions {
        fixed_base: true,
        positions: vec![("shoulder".to_owned(), shoulder), ("elbow".to_owned(), elbow)],
        ..UrdfOptions::default()
    };
    let parts = world.add_urdf(&robot, &options).unwrap();
    assert_eq!(parts.apart, [[0, 1], [1, 2]]);
    world
}

#[test]
fn a_double_pendulum_moves_as_the_same_written_by_hand() {
    // Hanging straight down every number of both is the same: so is every bit of the motion, the elbow's stop included.
    let (mut world, mut by_hand) = (pendulum(0.0, 0.0), pendulum_by_hand(0.0, 0.0));
    let mut stopped = false;
    for step in 0..2000 {
        world.step().unwrap();
        by_hand.step().unwrap();
        assert_eq!(world.state().bodies[1..], by_hand.state().bodies[1..], "step {step}");
        let [q, _] = world.joint_coordinate(1).unwrap();
        assert!((-0.5 - 1e-6..=0.3 + 1e-6).contains(&q), "{q}");
        stopped |= !(-0.499..=0.299).contains(&q);
    }
    assert!(stopped, "the elbow never reached its limit");
    // Started elsewhere, sines round otherwise by hand than along the chain; steps then agree as far as they are solved.
    let (mut world, mut by_hand) = (pendulum(1.2, -0.4), pendulum_by_hand(1.2, 0.8));
    assert!((world.joint_coordinate(1).unwrap()[0] + 0.4).abs() < 1e-15);
    for step in 0..100 {
        world.step().unwrap();
        by_hand.step().unwrap();
        for (a, b) in world.state().bodies.iter().zip(&by_hand.state().bodies).skip(1) {
            let apart =
                (a.pose.position - b.pose.position).norm() + (a.pose.rotation.coords - b.pose.rotation.coords).norm();
            assert!(apart < 1e-9, "step {step}: {apart}");
        }
    }
}

#[test]
fn inertia_is_turned_and_joined() {
    // A turned tensor, and a fixed link beside it, against sums by hand.
    let text = r#"<robot name="r">
      <link name="a">
        <inertial><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/><inertia ixx="3" iyy="4" izz="5" ixy="0.5" ixz="0.25" iyz="0.125"/></inertial>
        <collision><geometry><sphere radius="0.5"/></geometry></collision>
        <collision><origin xyz="0 0 1"/><geometry><cylinder radius="0.5" length="1"/></geometry></collision>
        <visual/><visual/>
      </link>
      <joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="0 2 0" rpy="0 1.5707963267948966 0"/></joint>
      <link name="b">
        <inertial><origin xyz="0 0 1"/><mass value="6"/><inertia ixx="1" iyy="2" izz="3"/></inertial>
        <collision><geometry><box size="1 2 3"/></geometry></collision>
      </link>
    </robot>"#;
    let robot = Urdf::parse(text, ".").unwrap();
    assert_eq!(robot.notes, ["link.visual: ignored, found 2"]);
    // About z by 90°: x → y, y → −x.
    let turned = Mat3::new(4.0, -0.5, -0.125, -0.5, 3.0, 0.25, -0.125, 0.25, 5.0);
    assert!((robot.links[0].inertia - turned).amax() < 1e-14);
    let options = UrdfOptions {
        prefix: "left/".to_owned(),
        pose: Pose {
            position: Vec3::new(0.0, 0.0, 7.0),
            ..Pose::identity()
        },
        ..UrdfOptions::default()
    };
    let parts = robot.build(&options).unwrap();
    assert_eq!(parts.bodies.len(), 1);
    let (body, state) = &parts.bodies[0];
    assert_eq!(body.name, "left/a");
    let Kind::Dynamic { mass, inertia_body } = &body.kind else {
        panic!()
    };
    assert_eq!(*mass, 8.0);
    // b's z is a's x: its centre lies at (1, 2, 0).
    let (p, q) = (Vec3::new(1.0, 0.0, 0.0), Vec3::new(1.0, 2.0, 0.0));
    let centre = (2.0 * p + 6.0 * q) / 8.0;
    assert!((state.pose.position - centre - Vec3::new(0.0, 0.0, 7.0)).norm() < 1e-14);
    let about = |mass: f64, d: Vec3| (Mat3::identity() * d.norm_squared() - d * d.transpose()) * mass;
    let own = Mat3::from_diagonal(&Vec3::new(3.0, 2.0, 1.0));
    let expected = turned + about(2.0, p - centre) + own + about(6.0, q - centre);
    assert!((inertia_body - expected).amax() < 1e-13, "{inertia_body} {expected}");
    let Shape::Compound(shapes) = &body.shape else { panic!() };
    assert_eq!(shapes.len(), 3);
    assert!((shapes[2].0.position - (Vec3::new(0.0, 2.0, 0.0) - centre)).norm() < 1e-14);
    assert_eq!(parts.links[1].0, "left/b");
    assert!((parts.links[1].2.position - (Vec3::new(0.0, 2.0, 0.0) - centre)).norm() < 1e-14);
}

#[test]
fn every_kind_of_joint_leaves_what_it_says() {
    let link = |name: &str| {
        format!(
            "<link name=\"{name}\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>"
        )
    };
    for (kind, limit) in [
        ("revolute", "<limit lower=\"-1\" upper=\"1\"/>"),
        ("continuous", ""),
        ("prismatic", "<limit lower=\"-1\" upper=\"1\"/>"),
        ("floating", ""),
        ("planar", ""),
        ("fixed", ""),
    ] {
        let text = format!(
            "<robot name=\"r\"><link name=\"world\"/>{}<joint name=\"j\" type=\"{kind}\"><parent link=\"world\"/><child link=\"b\"/>\
             <origin xyz=\"1 2 3\"/><axis xyz=\"1 0 0\"/>{limit}</joint></robot>",
            link("b")
        );
        let mut world = World::new(Settings {
            gravity: Vec3::zeros(),
            ..Settings::default()
        })
        .unwrap();
        let robot = Urdf::parse(&text, ".").unwrap();
        let parts = world.add_urdf(&robot, &UrdfOptions::default()).unwrap();
        let body = world.find_body(if kind == "fixed" { "world" } else { "b" }).unwrap();
        if kind == "fixed" {
            assert!(parts.bodies.len() == 1 && parts.joints.is_empty());
            assert_eq!(world.bodies()[0].kind, Kind::Fixed);
            continue;
        }
        assert_eq!(world.state().bodies[body].pose.position, Vec3::new(1.0, 2.0, 3.0));
        world
            .set_velocity(body, Vec3::new(0.1, 0.2, 0.3), Vec3::new(0.4, 0.5, 0.6))
            .unwrap();
        world.step().unwrap();
        let state = &world.state().bodies[body];
        let found = [state.velocity, state.spin].map(|v| [v.x, v.y, v.z].map(|x| x.abs() > 1e-2));
        let expected = match kind {
            "revolute" | "continuous" => [[false; 3], [true, false, false]],
            "prismatic" => [[true, false, false], [false; 3]],
            "planar" => [[false, true, true], [true, false, false]],
            _ => [[true; 3]; 2],
        };
        assert_eq!(found, expected, "{kind}: {state:?}");
    }
}

#[test]
fn meshes_are_sought_below_the_scene() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("robot_meshes");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("robots/meshes")).unwrap();
    std::fs::create_dir_all(folder.join("parts")).unwrap();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    std::fs::write(folder.join("robots/meshes/beside.obj"), corners).unwrap();
    std::fs::write(folder.join("parts/packed.obj"), corners).unwrap();
    let text = |mesh: &str| {
        format!(
            "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>\
             <collision><geometry><mesh filename=\"{mesh}\" scale=\"2 -1 1\"/></geometry></collision></link></robot>"
        )
    };
    for mesh in ["meshes/beside.obj", "package://parts/packed.obj"] {
        std::fs::write(folder.join("robots/a.urdf"), text(mesh)).unwrap();
        let scene = Scene::parse("format = 1\n[[urdf]]\nfile = \"robots/a.urdf\"\n", &folder).unwrap();
        let Shape::Polytope(hull) = &scene.bodies[0].body.shape else {
            panic!()
        };
        let least = hull.vertices.iter().fold(0.0_f64, |m, v| v.y.min(m));
        let most = hull.vertices.iter().fold(0.0_f64, |m, v| v.x.max(m));
        assert_eq!((hull.vertices.len(), most, least), (4, 2.0, -1.0), "{mesh}");
    }
}

#[test]
fn neighbours_do_not_collide_unless_asked_for() {
    // Two balls that overlap, and a third that overlaps the first: no neighbour of it.
    let ball = |name: &str| {
        format!(
            "<link name=\"{name}\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>\
             <collision><geometry><sphere radius=\"1\"/></geometry></collision></link>"
        )
    };
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name=\"{name}\" type=\"continuous\"><parent link=\"{parent}\"/><child link=\"{child}\"/><origin xyz=\"0.5 0 0\"/></joint>"
        )
    };
    let text = format!(
        "<robot name=\"r\">{}{}{}{}{}</robot>",
        ball("a"),
        ball("b"),
        ball("c"),
        joint("j", "a", "b"),
        joint("k", "b", "c")
    );
    let robot = Urdf::parse(&text, ".").unwrap();
    for (self_collision, neighbours_collide, expected) in [
        (true, false, vec![(0, 2)]),
        (true, true, vec![(0, 1), (0, 2), (1, 2)]),
        (false, false, vec![]),
        (false, true, vec![(0, 1), (1, 2)]),
    ] {
        let mut world = World::new(Settings::default()).unwrap();
        let options = UrdfOptions {
            self_collision,
            neighbours_collide,
            ..UrdfOptions::default()
        };
        world.add_urdf(&robot, &options).unwrap();
        let _ = world.step();
        let found: Vec<(usize, usize)> = world.contacts().iter().map(|c| (c.a, c.b)).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_robot_that_cannot_be_added_leaves_nothing() {
    let robot = Urdf::parse(PENDULUM, ".").unwrap();
    let mut world = World::new(Settings::default()).unwrap();
    let motor = Motor {
        stiffness: f64::NAN,
        ..Motor::default()
    };
    let options = UrdfOptions {
        fixed_base: true,
        motor: Some(motor),
        ..UrdfOptions::default()
    };
    let error = world.add_urdf(&robot, &options).unwrap_err().to_string();
    let expected = "joints[0].motor.stiffness: must be finite and not negative, found NaN";
    assert_eq!(error, expected);
    assert!(world.bodies().is_empty() && world.joints().is_empty());
    let nowhere = Pose {
        position: Vec3::new(0.0, f64::INFINITY, 0.0),
        ..Pose::identity()
    };
    let options = UrdfOptions {
        pose: nowhere,
        ..UrdfOptions::default()
    };
    assert!(world.add_urdf(&robot, &options).is_err());
    assert!(world.bodies().is_empty() && world.ledger().potential == 0.0);
}

#[test]
fn a_quadruped_stands() {
    let scene = Scene::read(scenes().join("quadruped.toml")).unwrap();
    assert_eq!(scene.bodies.len(), 14);
    assert_eq!(scene.joints.len(), 12);
    let mut world = World::from_scene(&scene).unwrap();
    let body = world.find_body("body").unwrap();
    for _ in 0..scene.steps() {
        world.step().unwrap();
    }
    let state = &world.state().bodies[body];
    let (z, up) = (state.pose.position.z, state.pose.direction(Vec3::z()).z);
    // The feet touch at 0.326 m; the motors give way by some centimetres under 13.44 kg.
    assert!(z > 0.25 && z < 0.33 && up > 0.99, "{state:?}");
    assert!(state.velocity.norm() < 1e-3 && state.spin.norm() < 1e-2, "{state:?}");
    let feet = world
        .contacts()
        .iter()
        .zip(&world.solution().normal_impulse)
        .filter(|(_, impulse)| **impulse > 0.0);
    let load: f64 = feet.clone().map(|(_, impulse)| impulse / scene.settings.dt).sum();
    assert_eq!(feet.count(), 4);
    let mass: f64 = world
        .bodies()
        .iter()
        .filter_map(|b| match &b.kind {
            Kind::Dynamic { mass, .. } => Some(*mass),
            _ => None,
        })
        .sum();
    assert!((load - mass * 9.81).abs() < 0.02 * load, "{load} {}", mass * 9.81);
}
