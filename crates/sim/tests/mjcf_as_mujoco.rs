//! MJCF as MuJoCo reads it, where another reading is as plausible; numbers are those of MuJoCo 4.0.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use stiction_scene::mjcf::{Mjcf, MjcfOptions};
use stiction_scene::{RobotInfo, Scene, WorldExt as _};
use stiction_sim::{Settings, Vec3, World};

const ARM: &str = r#"<body name="a" pos="0 0 2"><joint name="j1" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -.3" size=".04"/>
    <site name="tip" pos="0 0 -.3"/><body name="b" pos="0 0 -.3"><joint name="j2" axis="1 0 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".04"/></body></body>"#;

fn model(before: &str, body: &str, after: &str) -> String {
    format!("<mujoco>{before}<worldbody>{body}</worldbody>{after}</mujoco>")
}

fn world_of(text: &str) -> World {
    let mut world = World::new(Settings::default()).unwrap();
    world
        .add_mjcf(&Mjcf::parse(text, ".").unwrap(), &MjcfOptions::default())
        .unwrap();
    world
}

fn refused(text: &str) -> String {
    Mjcf::parse(text, ".").unwrap_err().to_string()
}

/// A folder of files, fresh for each test.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// Gain, and bias by length and by speed, of each of four actuators.
type Laws = [[f64; 3]; 4];

#[test]
fn all_kinds_of_actuators_share_the_law_of_their_class() {
    let actuators =
        r#"<actuator><position joint="j1"/><general joint="j1"/><velocity joint="j1"/><motor joint="j1"/></actuator>"#;
    let motor = [1.0, 0.0, 0.0];
    let cases: [(&str, Laws); 6] = [
        (
            r#"<general gainprm="40" biastype="affine" biasprm="0 -40 -2"/>"#,
            [[40.0, -40.0, -2.0], [40.0, -40.0, -2.0], [40.0, 0.0, -40.0], motor],
        ),
        (
            r#"<position kp="30" kv="3"/>"#,
            [[30.0, -30.0, -3.0], [30.0, -30.0, -3.0], [1.0, 0.0, -1.0], motor],
        ),
        (
            r#"<velocity kv="7"/>"#,
            [[1.0, -1.0, 0.0], [7.0, 0.0, -7.0], [7.0, 0.0, -7.0], motor],
        ),
        (
            r#"<motor gear="1"/>"#,
            [[1.0, -1.0, 0.0], motor, [1.0, 0.0, -1.0], motor],
        ),
        (
            r#"<position kp="30" kv="3"/><velocity kv="7"/>"#,
            [[1.0, -1.0, 0.0], [7.0, 0.0, -7.0], [7.0, 0.0, -7.0], motor],
        ),
        (
            r#"<position kp="30" kv="3"/><general gainprm="9"/>"#,
            [[9.0, -9.0, -3.0], [9.0, -30.0, -3.0], [9.0, 0.0, -9.0], motor],
        ),
    ];
    for (defaults, laws) in cases {
        let world = world_of(&model(&format!("<default>{defaults}</default>"), ARM, actuators));
        for (actuator, [gain, by_length, by_speed]) in world.actuators().iter().zip(laws) {
            let found = (actuator.gain[0], actuator.bias);
            assert_eq!(found, (gain, [0.0, by_length, by_speed]), "{defaults}: {actuator:?}");
        }
    }
}

#[test]
fn a_spring_of_a_tendon_with_two_lengths_is_refused() {
    let tendon = |lengths: &str| {
        let tendon = format!(
            r#"<tendon><fixed stiffness="30" springlength="{lengths}"><joint joint="j1" coef="1"/></fixed></tendon>"#
        );
        model("", ARM, &tendon)
    };
    assert!(refused(&tendon("-.5 .5")).contains("springlength: must be one length"));
    world_of(&tendon("0.2"));
    world_of(&tendon("0.2 0.2"));
}

#[test]
fn a_mesh_is_shifted_and_turned_before_it_is_scaled() {
    let asset = r#"<asset><mesh name="m2" vertex="-1 -1 -1 1 -1 -1 0 1 -1 0 0 2" refpos=".1 .2 .3" refquat="1 .5 0 0" scale=".1 .2 .1"/></asset>"#;
    let body =
        r#"<body name="a" pos="0 0 2"><joint name="j1" axis="0 1 0"/><geom type="mesh" mesh="m2" mass="2"/></body>"#;
    let world = world_of(&model(asset, body, ""));
    let centre = world.state().bodies[world.find_body("a").unwrap()].pose.position;
    assert!((centre - Vec3::new(-0.01, -0.142, 2.003)).norm() < 1e-12, "{centre:?}");
}

#[test]
fn equalities_are_active_as_their_class_says() {
    let equality = r#"<equality><joint joint1="j1" joint2="j2"/></equality>"#;
    let inactive = world_of(&model(
        r#"<default><equality active="false"/></default>"#,
        ARM,
        equality,
    ));
    assert_eq!(inactive.joints().len(), 2);
    let limited = ARM.replace("axis=", r#"range="-90 90" axis="#);
    assert_eq!(world_of(&model("", &limited, equality)).joints().len(), 3);
}

#[test]
fn controls_of_keyframes_go_to_the_actuators_that_are_taken() {
    let rest = r#"<actuator><intvelocity name="iv" joint="j1"/><motor name="m" joint="j1"/></actuator><keyframe><key name="k" ctrl=".1 .5"/></keyframe>"#;
    let robot = Mjcf::parse(&model("", ARM, rest), ".").unwrap();
    let mut world = World::new(Settings::default()).unwrap();
    let options = MjcfOptions {
        keyframe: Some("k".to_owned()),
        ..MjcfOptions::default()
    };
    world.add_mjcf(&robot, &options).unwrap();
    assert_eq!(world.state().ctrl, [0.5]);
    let short = rest.replace(".1 .5", ".5");
    let found = refused(&model("", ARM, &short));
    assert!(found.contains("must be 2 numbers, found 1"), "{found}");
}

#[test]
fn what_would_move_a_model_otherwise_is_refused_by_name() {
    let ball = |attributes: &str| format!(r#"<body><joint type="ball" {attributes}/><geom size=".1"/></body>"#);
    for (text, says) in [
        (
            model("", &ball(r#"damping="1""#), ""),
            "joint.damping: must be 0 for a ball or free joint",
        ),
        (model("", &ball(r#"stiffness="1""#), ""), "joint.stiffness: must be 0"),
        (model("", &ball(r#"armature="1""#), ""), "joint.armature: must be 0"),
        (
            model("", r#"<body gravcomp="1"><joint/><geom size=".1"/></body>"#, ""),
            "body.gravcomp: must be 0",
        ),
        (
            model("", r#"<body><joint/><geom size=".1" shellinertia="true"/></body>"#, ""),
            "geom.shellinertia",
        ),
        (
            model(r#"<option><flag limit="disable"/></option>"#, ARM, ""),
            "option.flag.limit: must be enable",
        ),
        (
            model(r#"<option><flag spring="disable"/></option>"#, ARM, ""),
            "option.flag.spring: must be enable",
        ),
        (
            model("", ARM, r#"<actuator><motor joint="j1" armature="1"/></actuator>"#),
            "motor.armature: must be 0 for an actuator",
        ),
        (
            model("", ARM, r#"<actuator><motor joint="j1" damping="1"/></actuator>"#),
            "motor.damping: must be 0 for an actuator",
        ),
        (
            model("", r#"<body><joint/><geom size=".1"/><composite/></body>"#, ""),
            "composite: must not be given",
        ),
        (
            model("", r#"<body><joint/><geom size=".1"/><attach/></body>"#, ""),
            "attach: must not be given",
        ),
        (model("", ARM, "<actuators/>"), "did you mean actuator?"),
        (
            model("", ARM, r#"<actuator><motr joint="j1"/></actuator>"#),
            "did you mean motor?",
        ),
        (
            model("", ARM, r#"<sensor><jointpoz joint="j1"/></sensor>"#),
            "did you mean jointpos?",
        ),
    ] {
        let found = refused(&text);
        assert!(found.contains(says), "{says}: {found}");
    }
}

#[test]
fn sites_are_connected_where_they_are() {
    let bodies = r#"<body name="upper"><joint type="ball"/><geom type="box" size="0.03" fromto="0 0 0 0.5 0 0"/><site name="tip1" pos="0.5 0.3 0"/></body>
        <body name="lower" pos="0.5 0.3 0"><freejoint/><geom type="box" size="0.04" fromto="0 0 0 0.5 0 0"/><site name="tip2"/></body>"#;
    let flag = r#"<option><flag contact="disable"/></option>"#;
    for kind in ["connect", "weld"] {
        let rest = format!(r#"<equality><{kind} site1="tip1" site2="tip2"/></equality>"#);
        let mut world = world_of(&model(flag, bodies, &rest));
        let place = |world: &World, site: &str| {
            let frame = world.frames().iter().find(|frame| frame.name == site).unwrap();
            world.state().bodies[frame.body].pose.then(&frame.pose)
        };
        for _ in 0..500 {
            world.step().unwrap();
            assert!(world.contacts().is_empty());
        }
        let [first, second] = ["tip1", "tip2"].map(|site| place(&world, site));
        assert!((first.position - second.position).norm() < 1e-6);
        assert!(first.position.z < -0.1, "{first:?}");
        let turned = first.rotation.angle_to(&second.rotation);
        assert_eq!(turned < 1e-6, kind == "weld", "{turned}");
    }
}

#[test]
fn gravity_is_that_of_the_file_where_the_scene_names_none() {
    let text = model(r#"<option gravity="0 0 -1.62" timestep="0.01"/>"#, ARM, "");
    let folder = folder("gravity", &[("moon.xml", &text)]);
    let scene = |world: &str| {
        let text = format!("format = 1\n{world}\n[[mjcf]]\nfile = \"moon.xml\"\n");
        Scene::parse(&text, &folder).unwrap()
    };
    let found = scene("");
    assert_eq!(found.settings.gravity, Vec3::new(0.0, 0.0, -1.62));
    let has = |scene: &Scene, text: &str| scene.notes.iter().any(|note| note.contains(text));
    assert!(
        has(&found, "taken: option.gravity [0, 0, -1.62], as the scene names none"),
        "{:?}",
        found.notes
    );
    assert!(
        has(&found, "ignored: option.timestep 0.01: dt of the scene is 0.001"),
        "{:?}",
        found.notes
    );
    let found = scene("[world]\ngravity = [0, 0, -9.81]\ndt = 0.01");
    assert_eq!(found.settings.gravity, Vec3::new(0.0, 0.0, -9.81));
    assert!(
        has(&found, "ignored: option.gravity [0, 0, -1.62]: that of the scene is"),
        "{:?}",
        found.notes
    );
    assert!(!has(&found, "timestep"), "{:?}", found.notes);
}

#[test]
fn two_robots_of_the_same_names_are_told_of_the_prefix() {
    let folder = folder("twins", &[("arm.xml", &model("", ARM, ""))]);
    let twice = "format = 1\n[[mjcf]]\nfile = \"arm.xml\"\n[[mjcf]]\nfile = \"arm.xml\"\n";
    let error = Scene::parse(twice, &folder).unwrap_err().to_string();
    assert!(
        error.contains("must be the name of one body only, found a; `prefix` tells robots apart"),
        "{error}"
    );
    let apart = twice.replacen("\"arm.xml\"\n", "\"arm.xml\"\nprefix = \"left_\"\n", 1);
    assert!(Scene::parse(&apart, &folder).is_ok());
}

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn meshes_beside_the_folder_of_a_file_are_read_below_that_of_the_scene() {
    let xml = r#"<mujoco><compiler meshdir="../meshes"/><asset><mesh file="tet.obj"/></asset>
        <worldbody><body name="a" pos="0 0 2"><joint/><geom type="mesh" mesh="tet" mass="2"/></body></worldbody></mujoco>"#;
    let urdf = r#"<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><mesh filename="../meshes/tet.obj"/></geometry></collision></link></robot>"#;
    let files = [
        ("package/xml/r.xml", xml),
        ("package/urdf/r.urdf", urdf),
        ("package/meshes/tet.obj", TETRAHEDRON),
        ("package/xml/out.xml", &xml.replace("../meshes", "../../meshes")),
        ("meshes/tet.obj", TETRAHEDRON),
    ];
    let folder = folder("packages", &files);
    let package = folder.join("package");
    for (kind, file) in [("mjcf", "xml/r.xml"), ("urdf", "urdf/r.urdf")] {
        let text = format!("format = 1\n[[{kind}]]\nfile = \"{file}\"\n");
        let scene = Scene::parse(&text, &package).unwrap();
        assert!(scene.bodies.iter().any(|body| body.body.name == "a"));
        // The command has the file alone: the folder above that of the file bounds what is read.
        assert_eq!(RobotInfo::read(package.join(file)).unwrap().bodies, 1);
    }
    let out = Scene::parse("format = 1\n[[mjcf]]\nfile = \"xml/out.xml\"\n", &package).unwrap_err();
    assert!(
        out.to_string().contains("must be a path below the scene's folder"),
        "{out}"
    );
    let out = RobotInfo::read(package.join("xml/out.xml")).unwrap_err();
    assert!(
        out.to_string().contains("must be a path below the scene's folder"),
        "{out}"
    );
    assert!(Mjcf::read(&folder, Path::new("package/xml/out.xml").to_str().unwrap()).is_ok());
}
