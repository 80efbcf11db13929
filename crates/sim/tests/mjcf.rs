//! Models in MJCF: what is taken, and how they move.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::{Path, PathBuf};

use stiction_scene::mjcf::{Mjcf, MjcfOptions};
use stiction_scene::{Change, Scene, WorldExt as _};
use stiction_sim::{Settings, Vec3, World, Wrench};

fn walker() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/robots/walker.xml")
}

fn standing(dt: f64, gravity: f64) -> World {
    let robot = Mjcf::read_file(walker()).unwrap();
    let settings = Settings {
        dt,
        gravity: Vec3::new(0.0, 0.0, -gravity),
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let options = MjcfOptions {
        keyframe: Some("stand".to_owned()),
        ..MjcfOptions::default()
    };
    world.add_mjcf(&robot, &options).unwrap();
    world
}

#[test]
fn a_report_says_what_was_taken_and_ignored() {
    let text = r#"<mujoco><visual/><asset><texture type="2d" builtin="flat" width="1" height="1"/></asset><worldbody>
        <light/><body><freejoint/><geom size="1" solref="0.1 1" condim="6"/></body></worldbody></mujoco>"#;
    let report = Mjcf::parse(text, ".").unwrap().report;
    let names = |list: &std::collections::BTreeMap<String, usize>| list.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&report.taken), ["body", "geom sphere", "joint free"]);
    assert_eq!(
        names(&report.ignored),
        ["asset.texture", "geom.solref", "light", "visual"]
    );
    assert_eq!(
        names(&report.changed),
        ["geom.condim 4 or 6 taken as 3: no torsional and rolling friction"]
    );
}

#[test]
fn a_keyframe_puts_bodies_and_controls() {
    let world = standing(0.002, 9.81);
    assert_eq!(world.q().len(), 18);
    assert!((world.q()[2] - 0.36).abs() < 1e-15);
    for k in 0..4 {
        let expected = [0.0, 0.6, -1.2];
        for (found, expected) in world.q()[6 + 3 * k..9 + 3 * k].iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{:?}", world.q());
        }
    }
    assert_eq!(world.ctrl(), [0.0, 0.6, -1.2].repeat(4));
    assert_eq!(world.joint_span(2), 6..7);
}

/// Coordinates after a time in the air, servos pulling away from where it is.
fn flown(dt: f64) -> Vec<f64> {
    let mut world = standing(dt, 0.0);
    world.set_ctrl(&[0.08, 0.5, -1.1].repeat(4)).unwrap();
    while world.state().time < 0.25 - 0.5 * dt {
        world.step().unwrap();
    }
    world.q()
}

/// Servos that a step does not resolve act as in an implicit step: the order shows where all are resolved.
#[test]
fn a_robot_in_the_air_converges_by_a_factor_of_sixteen_in_two_halvings() {
    let exact = flown(1.0 / 16384.0);
    let errors = [1024.0, 4096.0].map(|n| {
        let found = flown(1.0 / n);
        found.iter().zip(&exact).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    });
    assert!(errors[1] < errors[0] / 16.0 && errors[1] < 2e-5, "{errors:?}");
}

#[test]
fn a_quadruped_stands_on_its_servos_and_is_pushed() {
    let mut world = standing(0.002, 9.81);
    let weight = 9.81 * (8.0 + 4.0 * (0.8 + 0.3));
    let carried = |world: &World| -> f64 {
        let pairs = world.contacts().iter().zip(&world.solution().normal_impulse);
        pairs
            .map(|(contact, impulse)| contact.normal.z.abs() * impulse)
            .sum::<f64>()
            / world.solved_length()
    };
    for _ in 0..5000 {
        world.step().unwrap();
    }
    assert!(
        (carried(&world) - weight).abs() < 1e-9 * weight,
        "{} {weight}",
        carried(&world)
    );
    let mut readings = vec![0.0; world.sensor_count()];
    world.sensor_values(&mut readings).unwrap();
    assert!(
        (readings[..4].iter().sum::<f64>() - weight).abs() < 1e-8 * weight,
        "{readings:?}"
    );
    assert!((readings[6] - 9.81).abs() < 1e-3, "{readings:?}");
    let trunk = world.find_body("trunk").unwrap();
    let push = |force: f64| Wrench {
        force: Vec3::new(0.0, force, 0.0),
        torque: Vec3::zeros(),
    };
    world.apply(trunk, push(40.0)).unwrap();
    for _ in 0..50 {
        world.step().unwrap();
    }
    world.apply(trunk, push(0.0)).unwrap();
    for _ in 0..5000 {
        world.step().unwrap();
    }
    assert!(
        (carried(&world) - weight).abs() < 1e-9 * weight,
        "{} {weight}",
        carried(&world)
    );
    assert!(world.state().bodies[trunk].pose.position.z > 0.28);
}

#[test]
fn masses_agree_with_energy_and_forces_with_accelerations() {
    let mut world = standing(0.002, 9.81);
    let n = world.freedom_count();
    let q: Vec<f64> = (0..n).map(|k| 0.1 * libm::sin(k as f64)).collect();
    let v: Vec<f64> = (0..n).map(|k| libm::cos(1.0 + k as f64)).collect();
    world.set_joints(&q, &v).unwrap();
    let mass = world.mass_matrix();
    let kinetic: f64 = (0..n)
        .map(|i| (0..n).map(|j| 0.5 * v[i] * mass[i * n + j] * v[j]).sum::<f64>())
        .sum();
    assert!((kinetic - world.ledger().kinetic).abs() < 1e-12 * kinetic);
    let a: Vec<f64> = (0..n).map(|k| libm::sin(2.0 + k as f64)).collect();
    let needed = world.inverse_dynamics(&a).unwrap();
    let bias = world.bias_force();
    for i in 0..n {
        let sum = bias[i] + (0..n).map(|j| mass[i * n + j] * a[j]).sum::<f64>();
        assert!(
            (needed[i] - sum).abs() < 1e-11 * (1.0 + sum.abs()),
            "{i}: {} {sum}",
            needed[i]
        );
    }
    // A Jacobian gives the velocity of a point.
    let body = world.find_body("shank_fl").unwrap();
    let point = world.state().bodies[body].pose.point(Vec3::new(0.0, 0.0, -0.1));
    let jacobian = world.jacobian(body, point).unwrap();
    let state = &world.state().bodies[body];
    let velocity = state.velocity + state.spin.cross(&(point - state.pose.position));
    for row in 0..3 {
        let along: f64 = (0..n).map(|k| jacobian[row * n + k] * v[k]).sum();
        assert!((along - velocity[row]).abs() < 1e-12);
    }
}

#[test]
fn a_model_is_a_scene_by_itself_and_a_table_of_one() {
    let scene = Scene::read_robot(walker(), &[Change::new("world.dt", "0.004")]).unwrap();
    assert!(scene.notes.iter().all(|note| !note.contains("a plane is added")));
    assert_eq!((scene.settings.dt, scene.name.as_str()), (0.004, "walker"));
    let mut world = World::from_scene(&scene).unwrap();
    assert_eq!((world.actuators().len(), world.sensors().len()), (12, 7));
    world.step().unwrap();
    let text = "format = 1\n[[mjcf]]\nfile = \"walker.xml\"\nprefix = \"left_\"\nkeyframe = \"stand\"\n\
                [[mjcf]]\nfile = \"walker.xml\"\nprefix = \"right_\"\nposition = [0, 2, 0]\n\
                [[joint]]\nkind = \"fixed\"\na = \"left_trunk\"\nb = \"right_trunk\"\nposition = [0, 1, 0]\n";
    let scene = Scene::parse(text, walker().parent().unwrap()).unwrap();
    let world = World::from_scene(&scene).unwrap();
    let servo = &world.actuators()[world.find_actuator("right_knee_fl").unwrap()];
    assert_eq!(world.joints()[servo.joint].name, "right_knee_fl");
}

#[test]
fn tendons_ropes_and_equalities_hold() {
    let text = r#"<mujoco><option gravity="0 0 -9.81"/><worldbody>
        <site name="top" pos="2 0 1"/>
        <body name="a"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02"/></body>
        <body name="b" pos="0 1 0"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02"/></body>
        <body name="load" pos="2 0 0.5"><freejoint/><geom size="0.05"/><site name="hook"/></body>
        <body name="c" pos="0 2 0"><joint name="c" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02"/></body>
        <body name="d" pos="0 3 0"><joint name="d" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02"/></body>
        </worldbody>
        <tendon><fixed name="sum" range="-0.1 0.4"><joint joint="a" coef="1"/><joint joint="b" coef="0.5"/></fixed>
            <spatial name="rope" range="0 0.6"><site site="top"/><site site="hook"/></spatial></tendon>
        <equality><joint joint1="c" joint2="d" polycoef="0 -1 0 0 0"/></equality></mujoco>"#;
    let robot = Mjcf::parse(text, ".").unwrap();
    let mut world = World::new(Settings::default()).unwrap();
    world.add_mjcf(&robot, &MjcfOptions::default()).unwrap();
    for _ in 0..1500 {
        world.step().unwrap();
    }
    let q = world.q();
    let of = |name: &str| {
        let joint = world.joints().iter().position(|joint| joint.name == name).unwrap();
        q[world.joint_span(joint).start]
    };
    assert!(of("a") + 0.5 * of("b") < 0.4 + 1e-6, "{q:?}");
    assert!((of("c") + of("d")).abs() < 1e-6, "{q:?}");
    let load = world.find_body("load").unwrap();
    assert!((world.state().bodies[load].pose.position.z - 0.4).abs() < 1e-6);
}

#[test]
fn wide_ranges_and_references_are_kept() {
    let text = r#"<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
        <body name="a"><joint name="a" axis="0 0 1" range="0.5 5" ref="1"/><geom size="0.1" pos="1 0 0"/></body>
        </worldbody><actuator><motor joint="a" gear="3"/></actuator></mujoco>"#;
    let robot = Mjcf::parse(text, ".").unwrap();
    let mut world = World::new(Settings::default()).unwrap();
    world.add_mjcf(&robot, &MjcfOptions::default()).unwrap();
    assert!((world.q()[0] - 1.0).abs() < 1e-15);
    world.set_ctrl(&[1.0]).unwrap();
    for _ in 0..4000 {
        world.step().unwrap();
        assert!(world.q()[0] < 5.0 + 1e-6, "{}", world.q()[0]);
    }
    assert!((world.q()[0] - 5.0).abs() < 1e-6, "{}", world.q()[0]);
}

/// A world with a model alone, under its own gravity.
fn world_of(text: &str) -> World {
    let robot = Mjcf::parse(text, ".").unwrap();
    let settings = Settings {
        dt: 0.002,
        gravity: robot.gravity,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    world.add_mjcf(&robot, &MjcfOptions::default()).unwrap();
    world
}

fn steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.step().unwrap();
    }
}

fn place(world: &World, body: &str) -> Vec3 {
    world.state().bodies[world.find_body(body).unwrap()].pose.position
}

fn velocity(world: &World, body: &str) -> Vec3 {
    world.state().bodies[world.find_body(body).unwrap()].velocity
}

/// Gravity of 10 m/s² that leans by 0.3 towards x.
const LEANING: &str = r#"<option gravity="3 0 -9.539392014169456"/>"#;

/// Acceleration along x of a cube of 1 kg that lies on a plane, after 0.2 s.
fn slides(plane: &str, cube: &str, rest: &str) -> f64 {
    let text = format!(
        r#"<mujoco>{LEANING}<worldbody><geom name="floor" type="plane" size="1 1 1" {plane}/>
        <body name="cube" pos="0 0 0.1"><freejoint/><geom name="cube" type="box" size="0.1 0.1 0.1" mass="1" {cube}/></body>
        </worldbody>{rest}</mujoco>"#
    );
    let mut world = world_of(&text);
    steps(&mut world, 100);
    velocity(&world, "cube").x / 0.2
}

#[test]
fn friction_is_that_of_condim_priority_and_pairs() {
    let normal = 9.539_392_014_169_456;
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    // 0.3 of the normal force is what it takes to stay.
    near(slides("", "", ""), 0.0);
    near(slides(r#"condim="1""#, r#"condim="1""#, ""), 3.0);
    // The larger of both counts.
    near(slides(r#"condim="1""#, "", ""), 0.0);
    near(slides(r#"friction="0.1""#, r#"friction="0.2""#, ""), 3.0 - 0.2 * normal);
    near(slides(r#"friction="0.1" priority="1""#, "", ""), 3.0 - 0.1 * normal);
    let pair = |more: &str| format!(r#"<contact><pair geom1="floor" geom2="cube" {more}/></contact>"#);
    near(slides("", "", &pair(r#"friction="0.25 0.25""#)), 3.0 - 0.25 * normal);
    near(slides("", "", &pair(r#"condim="1""#)), 3.0);
    // A pair touches whatever the masks say.
    let masks = r#"contype="0" conaffinity="0""#;
    near(slides(masks, masks, &pair("")), 0.0);
}

#[test]
fn bodies_that_are_excluded_pass_through_each_other() {
    let fallen = |rest: &str| {
        let text = format!(
            r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>
            <body name="low" pos="0 0 0.1"><freejoint/><geom size="0.1"/></body>
            <body name="high" pos="0 0 0.4"><freejoint/><geom size="0.1"/></body></worldbody>{rest}</mujoco>"#
        );
        let mut world = world_of(&text);
        steps(&mut world, 1000);
        place(&world, "high").z
    };
    assert!((fallen("") - 0.3).abs() < 1e-6, "{}", fallen(""));
    let excluded = fallen(r#"<contact><exclude body1="low" body2="high"/></contact>"#);
    assert!((excluded - 0.1).abs() < 1e-6, "{excluded}");
}

#[test]
fn a_height_field_lies_as_its_numbers_are_written() {
    // The first row is that with the largest y; heights are scaled to between 0 and the third size.
    let text = r#"<mujoco><asset><hfield name="slope" nrow="2" ncol="3" size="1 1 0.5 0.1" elevation="4 4 4 2 2 2"/></asset>
        <worldbody><geom type="hfield" hfield="slope" pos="0 0 0.2"/>
        <body name="ball" pos="0 0.5 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"#;
    let mut world = world_of(text);
    for (y, z) in [(-0.9, 0.225), (0.0, 0.45), (0.7, 0.625)] {
        let hit = world
            .cast_ray(Vec3::new(0.3, y, 5.0), Vec3::new(0.0, 0.0, -1.0), 10.0)
            .unwrap();
        assert!((hit.point.z - z).abs() < 1e-12, "{y}: {}", hit.point.z);
    }
    // It slopes by 1 in 4: the ball rolls down.
    steps(&mut world, 400);
    assert!(velocity(&world, "ball").y < -0.5, "{}", velocity(&world, "ball"));
    assert!(world.contacts().iter().all(|contact| contact.normal.y.abs() > 0.2));
}

#[test]
fn an_ellipsoid_has_its_mass_and_rests_on_its_short_axis() {
    let text = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body name="egg" pos="0 0 0.1"><freejoint/><geom type="ellipsoid" size="0.3 0.2 0.1"/></body></worldbody></mujoco>"#;
    let mut world = world_of(text);
    let mass = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.3 * 0.2 * 0.1;
    steps(&mut world, 500);
    assert!((place(&world, "egg").z - 0.1).abs() < 1e-9);
    let carried: f64 = world.solution().normal_impulse.iter().sum::<f64>() / world.solved_length();
    assert!((carried - 9.81 * mass).abs() < 1e-9 * carried, "{carried}");
}

/// An arm about z of 0.5 kg·m², with these attributes of its joint, and a motor of this torque.
fn turning(joint: &str, torque: f64) -> World {
    let text = format!(
        r#"<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
        <body name="arm"><joint name="arm" axis="0 0 1" {joint}/><inertial pos="0 0 0" mass="1" diaginertia="0.5 0.5 0.5"/></body>
        </worldbody><actuator><motor joint="arm"/></actuator></mujoco>"#
    );
    let mut world = world_of(&text);
    world.set_ctrl(&[torque]).unwrap();
    world
}

#[test]
fn joints_have_dry_friction_springs_and_dampers() {
    let mut held = turning(r#"frictionloss="1""#, 0.9);
    steps(&mut held, 500);
    assert!(held.q()[0].abs() < 1e-12 && held.v()[0].abs() < 1e-12, "{:?}", held.q());
    let mut slipping = turning(r#"frictionloss="1""#, 1.5);
    steps(&mut slipping, 500);
    assert!((slipping.v()[0] - 1.0).abs() < 1e-9, "{:?}", slipping.v());
    let mut sprung = turning(r#"stiffness="20" springref="0.5" damping="4""#, 2.0);
    steps(&mut sprung, 5000);
    // 20 (0.5 − q) + 2 = 0.
    assert!((sprung.q()[0] - 0.6).abs() < 1e-9, "{:?}", sprung.q());
    // Time constant 2 I / d and ratio d / (2 √(k I)): k = I / (T ζ)², d = 2 I / T.
    let tuned = turning(r#"springdamper="0.4 0.5""#, 0.0);
    let motor = tuned.joints()[0].motor.unwrap();
    assert!(
        (motor.stiffness - 0.5 / 0.04).abs() < 1e-9 && (motor.damping - 2.5).abs() < 1e-9,
        "{motor:?}"
    );
}

#[test]
fn a_general_actuator_has_affine_gain_and_bias() {
    let text = r#"<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
        <body><joint name="arm" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="0.5 0.5 0.5"/></body></worldbody>
        <actuator><general joint="arm" gear="2" gaintype="affine" gainprm="3 0.5 -0.25" biastype="affine" biasprm="0.1 -4 -0.2"
            ctrlrange="-1 1" forcerange="-5 5"/>
        <position joint="arm" kp="8" dampratio="0.5" gear="2"/></actuator></mujoco>"#;
    let mut world = world_of(text);
    let (q, v): (f64, f64) = (0.3, -0.7);
    world.set_joints(&[q], &[v]).unwrap();
    let (l, s) = (2.0 * q, 2.0 * v);
    for u in [-3.0, -0.4, 0.0, 0.8, 2.0_f64] {
        world.set_ctrl(&[u, u]).unwrap();
        let force = (3.0 + 0.5 * l - 0.25 * s) * u.clamp(-1.0, 1.0) + 0.1 - 4.0 * l - 0.2 * s;
        let found = world.actuator_force(0).unwrap();
        assert!((found - force.clamp(-5.0, 5.0)).abs() < 1e-12, "{u}: {found} {force}");
        // The inertia behind the gear is I / 4: damping 2 · 0.5 √(8 · 0.125) = 1.
        let servo = world.actuator_force(1).unwrap();
        assert!((servo - (8.0 * (u - l) - s)).abs() < 1e-12, "{u}: {servo}");
    }
}

#[test]
fn a_weld_holds_bodies_as_they_lie_or_as_it_says() {
    let welded = |weld: &str| {
        let text = format!(
            r#"<mujoco><option gravity="0 0 0"/><worldbody>
            <body name="a"><freejoint/><geom size="0.1" mass="1"/></body>
            <body name="b" pos="1 0.2 0"><freejoint/><geom size="0.1" mass="1"/></body></worldbody>
            <equality><weld body1="a" body2="b" {weld}/></equality></mujoco>"#
        );
        let mut world = world_of(&text);
        let a = world.find_body("a").unwrap();
        world
            .set_velocity(a, Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.3, 0.0, 2.0))
            .unwrap();
        steps(&mut world, 2000);
        let [first, second] = ["a", "b"].map(|name| world.state().bodies[world.find_body(name).unwrap()].pose);
        first.inverse().then(&second)
    };
    let as_written = welded("");
    assert!(
        (as_written.position - Vec3::new(1.0, 0.2, 0.0)).norm() < 1e-6,
        "{as_written:?}"
    );
    assert!(as_written.rotation.angle() < 1e-6);
    let as_given = welded(r#"relpose="1.05 0.2 0 0.9998000066665778 0 0 0.01999866669333308""#);
    assert!(
        (as_given.position - Vec3::new(1.05, 0.2, 0.0)).norm() < 1e-4,
        "{as_given:?}"
    );
    assert!((as_given.rotation.angle() - 0.04).abs() < 1e-4, "{as_given:?}");
}

#[test]
fn sensors_are_of_what_is_there() {
    let text = r#"<mujoco><option gravity="0 0 0"/><worldbody>
        <body name="arm" pos="0 0 1" euler="0 0 90"><joint name="arm" axis="0 0 1"/>
            <geom size="0.1" pos="0.5 0 0"/><geom size="0.1" pos="0.7 0 0.2"/></body></worldbody>
        <actuator><muscle name="muscle" joint="arm"/></actuator>
        <sensor><actuatorfrc name="pull" actuator="muscle"/><framepos name="centre" objtype="body" objname="arm"/>
            <framepos name="origin" objtype="xbody" objname="arm"/></sensor></mujoco>"#;
    let report = Mjcf::parse(text, ".").unwrap().report;
    let ignored: Vec<_> = report.ignored.keys().map(String::as_str).collect();
    assert_eq!(
        ignored,
        ["actuator muscle", "sensor actuatorfrc of an actuator that is ignored"]
    );
    let world = world_of(text);
    let mut readings = vec![0.0; world.sensor_count()];
    world.sensor_values(&mut readings).unwrap();
    for (found, expected) in readings.iter().zip([0.0, 0.6, 1.1, 0.0, 0.0, 1.0]) {
        assert!((found - expected).abs() < 1e-15, "{readings:?}");
    }
}

#[test]
fn attributes_that_are_not_taken_are_counted() {
    let text = r#"<mujoco><compiler fusestatic="true"/><default><geom rgba="1 0 0 1"/></default>
        <asset><mesh name="m" maxhullvert="9" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
        <body name="a"><freejoint/><geom size="0.1" castshadow="true"/></body>
        <body name="b" pos="1 0 0"><joint actuatorfrcrange="-1 1"/><geom type="mesh" mesh="m"/></body></worldbody>
        <equality><weld body1="a" body2="b" anchor="0 0 0" torquescale="2"/></equality></mujoco>"#;
    let report = Mjcf::parse(text, ".").unwrap().report;
    let ignored: Vec<_> = report
        .ignored
        .iter()
        .map(|(name, count)| (name.as_str(), *count))
        .collect();
    let expected = [
        "compiler.fusestatic",
        "geom.castshadow",
        "geom.rgba",
        "joint.actuatorfrcrange",
        "mesh.maxhullvert",
        "weld.anchor",
        "weld.torquescale",
    ];
    assert_eq!(ignored, expected.map(|name| (name, 1)));
}

/// All files of models below a folder.
fn below(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            below(&path, out);
        } else if path
            .extension()
            .is_some_and(|e| ["xml", "urdf", "sdf", "world"].iter().any(|known| e == *known))
        {
            out.push(path);
        }
    }
}

#[test]
fn every_model_of_the_data_is_read_or_refused_by_name() {
    const REFUSED: [(&str, &str); 3] = [
        ("hopper.xml", "compiler.coordinate: must be local"),
        ("walker2d.xml", "compiler.coordinate: must be local"),
        (
            "TwoJointRobot_wo_fixedJoints.urdf",
            "link[link_1].inertial.inertia: must have no moment above the sum of the others",
        ),
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["data", "../shared/data"].map(|folder| root.join(folder).join("models"));
    let Some(folder) = folders.iter().find(|folder| folder.is_dir()) else {
        // Past the capture of test output, for `scripts/check.sh`.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: every_model_of_the_data_is_read_or_refused_by_name: no folder of the data sets"
        );
        return;
    };
    let mut files = Vec::new();
    below(folder, &mut files);
    assert!(files.len() > 20, "{files:?}");
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let is_robot = file.extension().is_some_and(|e| e == "xml" || e == "urdf");
        let refusal = REFUSED.iter().find(|(known, _)| *known == name).map(|(_, why)| *why);
        let refusal = refusal.or((!is_robot).then_some("must be a robot in MJCF or URDF"));
        match (Scene::read_robot(&file, &[]), refusal) {
            (Ok(scene), None) => {
                let world = World::from_scene(&scene).unwrap();
                assert!(world.bodies().len() > 1, "{name}");
            }
            (Err(error), Some(why)) => assert!(error.to_string().contains(why), "{name}: {error}"),
            (Ok(_), Some(why)) => panic!("{name}: read, though {why}"),
            (Err(error), None) => panic!("{name}: {error}"),
        }
    }
}
