//! Rows along the coordinates of trees of joints: dry friction, limits, drives at the end of their range, tendons; what arrives; sensors of force. All in joint coordinates.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use stiction_scene::mjcf::{Mjcf, MjcfOptions};
use stiction_scene::{Scene, WorldExt};
use stiction_sim::{Settings, Vec3, World};

const G: f64 = 9.81;

/// A body that flies by itself, far away: with it the world is stepped with the rows of all joints.
const ALONE: &str =
    r#"<body pos="100 0 0"><freejoint/><geom type="sphere" size="0.01" mass="1" contype="0" conaffinity="0"/></body>"#;

const ROD: &str = r#"<geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="1" contype="0" conaffinity="0"/>"#;

/// An arm of two rods of 1 kg and 0.3 m that turn about y, on a base that is fixed or stands on the ground; what is asked of its joints, and what follows the bodies.
fn arm(dt: f64, stands: bool, joints: [&str; 2], rest: &str, alone: bool) -> World {
    arm_at(dt, stands, joints, rest, alone, ("0 0 0.1", G))
}

/// The same with its base elsewhere, and another gravity.
fn arm_at(
    dt: f64,
    stands: bool,
    [first, second]: [&str; 2],
    rest: &str,
    alone: bool,
    (place, gravity): (&str, f64),
) -> World {
    let root = if stands { "<freejoint/>" } else { "" };
    let other = if alone { ALONE } else { "" };
    let text = format!(
        r#"<mujoco><compiler angle="radian"/>
                <worldbody><geom type="plane" size="5 5 1" friction="1"/>
        <body name="base" pos="{place}">{root}<geom type="box" size="0.3 0.3 0.1" mass="40" friction="1"/>
        <body name="one" pos="0 0 0.6"><joint name="a" axis="0 1 0" {first}/>{ROD}<site name="end" pos="0.3 0 0"/>
        <body name="two" pos="0.3 0 0"><joint name="b" axis="0 1 0" {second}/>{ROD}<site name="there" pos="0.05 0 0"/>
        </body></body></body>{other}</worldbody>{rest}</mujoco>"#
    );
    let settings = Settings {
        dt,
        gravity: Vec3::new(0.0, 0.0, -gravity),
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let options = MjcfOptions::default();
    world.add_mjcf(&Mjcf::parse(&text, ".").unwrap(), &options).unwrap();
    world
}

/// Steps in joint coordinates say what joints give; others have rows for that.
fn is_in_coordinates(world: &World) -> bool {
    world.joint_reactions().is_some()
}

fn joint(world: &World, name: &str) -> usize {
    world
        .joints()
        .iter()
        .position(|joint| joint.name.ends_with(name) && joint.kind.has_coordinate())
        .unwrap()
}

fn coordinate(world: &World, name: &str) -> [f64; 2] {
    world.joint_coordinate(joint(world, name)).unwrap()
}

/// Moves the joints of the arm alone.
fn set(world: &mut World, q: [f64; 2], v: [f64; 2]) {
    let (mut all, mut rates) = (world.q(), world.v());
    for (k, name) in ["a", "b"].into_iter().enumerate() {
        let index = joint(world, name);
        let place = world.joint_span(index).start;
        (all[place], rates[place]) = (q[k], v[k]);
    }
    world.set_joints(&all, &rates).unwrap();
}

/// After the same time in joint coordinates and with the rows of all joints: both coordinates and their speeds.
fn both(stands: bool, joints: [&str; 2], rest: &str, ctrl: &[f64], start: [[f64; 2]; 2]) -> [[f64; 4]; 2] {
    [false, true].map(|alone| {
        let mut world = arm(1e-5, stands, joints, rest, alone);
        set(&mut world, start[0], start[1]);
        world.set_ctrl(ctrl).unwrap();
        let balance = world.ledger().balance();
        for _ in 0..5000 {
            world.step().unwrap();
            assert_eq!(is_in_coordinates(&world), !alone);
        }
        let ledger = world.ledger();
        assert!((ledger.balance() - balance).abs() < 1e-9, "{ledger:?}");
        let ([a, u], [b, w]) = (coordinate(&world, "a"), coordinate(&world, "b"));
        [a, b, u, w]
    })
}

fn assert_alike(name: &str, [trees, rows]: [[f64; 4]; 2]) {
    for k in 0..4 {
        assert!(
            (trees[k] - rows[k]).abs() < 1e-9 * (1.0 + rows[k].abs()),
            "{name} {k}: {trees:?} {rows:?}"
        );
    }
}

/// Smooth motion is that of the step with the rows of all joints, with contacts and without.
#[test]
fn rows_along_coordinates_move_trees_as_rows_of_bodies_do() {
    let servo = r#"<actuator><position name="servo" joint="a" kp="50" kv="1" forcerange="-2 3"/></actuator>"#;
    let tendon = r#"<tendon><fixed name="sum" stiffness="30" damping="0.2"><joint joint="a" coef="1"/><joint joint="b" coef="-0.5"/></fixed></tendon>"#;
    let slack = r#"<tendon><fixed name="sum" limited="true" range="-0.4 0.4"><joint joint="a" coef="1"/><joint joint="b" coef="-0.5"/></fixed></tendon>
        <actuator><motor name="push" joint="a" gear="1"/></actuator>"#;
    for stands in [false, true] {
        let friction = [r#"frictionloss="0.7""#, r#"frictionloss="0.3" damping="0.1""#];
        assert_alike("friction", both(stands, friction, "", &[], [[0.3, -0.4], [2.0, -5.0]]));
        let plain = ["", r#"armature="0.02""#];
        assert_alike("servo", both(stands, plain, servo, &[1.0], [[0.3, -0.4], [1.0, -2.0]]));
        assert_alike("tendon", both(stands, plain, tendon, &[], [[0.3, -0.4], [1.0, -2.0]]));
        // At its limit, and held there.
        let start = [[0.4, 0.0], [0.0, 0.1]];
        assert_alike("limit", both(stands, [r#"range="-1 0.4""#, ""], "", &[], start));
        assert_alike("tendon's limit", both(stands, ["", ""], slack, &[3.0], start));
    }
}

/// A joint that friction holds stays where it is to the last bits, whatever swings on it.
#[test]
fn friction_holds_a_joint_on_which_another_swings() {
    for stands in [false, true] {
        let strong = r#"frictionloss="15" armature="1""#;
        let mut world = arm(1e-3, stands, [strong, ""], "", false);
        // Weights turn it with up to 4.4 N·m, and the second rod pulls with up to 2.5 times its weight.
        set(&mut world, [0.0, 0.3], [0.0, 0.1]);
        let x = coordinate(&world, "a")[0];
        for _ in 0..2000 {
            world.step().unwrap();
            assert!(is_in_coordinates(&world));
            let [now, speed] = coordinate(&world, "a");
            assert!((now - x).abs() < 1e-13 && speed.abs() < 1e-12, "{now} {speed}");
        }
        assert!(coordinate(&world, "b")[1].abs() > 0.1 || world.ledger().kinetic > 0.1);
        let ledger = world.ledger();
        assert!(ledger.slip.abs() < 1e-9 && ledger.impacts == 0.0, "{ledger:?}");
    }
}

/// A pendulum with dry friction loses τ for each radian, and stops where gravity turns it with less than τ.
#[test]
fn a_pendulum_with_friction_stops_where_theory_says() {
    for stands in [false, true] {
        let torque = 0.5;
        // The second joint is as good as welded: both rods are one, of 2 kg, with its centre at 0.3 m.
        let stiff = r#"frictionloss="1e3""#;
        let mut world = arm(5e-4, stands, [&format!(r#"frictionloss="{torque}""#), stiff], "", false);
        set(&mut world, [0.2, 0.0], [0.0, 0.0]);
        // x is the angle from where it hangs.
        let (mut x, weight) = (0.2 - std::f64::consts::FRAC_PI_2, 2.0 * G * 0.3);
        let hangs = |x: f64| -weight * x.cos();
        let mut turns = 0;
        while (weight * x.sin()).abs() > torque {
            // Where it turns round: E + τ|x − x₀| has its old value.
            let (energy, from) = (hangs(x), x);
            let left = |to: f64| hangs(to) + torque * (to - from).abs() - energy;
            let (mut low, mut high) = (0.0, -from);
            // It may stop before it has passed the lowest point: not here.
            assert!(left(0.0) < 0.0);
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                if left(middle) < 0.0 {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            x = low;
            turns += 1;
        }
        assert!(turns > 2, "{turns}");
        for _ in 0..20_000 {
            world.step().unwrap();
        }
        let [found, speed] = coordinate(&world, "a");
        assert!(
            (found - std::f64::consts::FRAC_PI_2 - x).abs() < 1e-3,
            "{stands}: {found} {x}"
        );
        assert!(speed.abs() < 1e-12, "{speed}");
        for _ in 0..1000 {
            world.step().unwrap();
        }
        assert!((coordinate(&world, "a")[0] - found).abs() < 1e-13);
        let lost = world.ledger().slip + world.ledger().impacts;
        assert!(
            lost > 0.0 && world.ledger().numerical.flight.abs() < 1e-9,
            "{:?}",
            world.ledger()
        );
    }
}

/// A limit is met without a bounce, holds to rounding, and lets go.
#[test]
fn limits_of_trees_are_met_held_and_left_in_coordinates() {
    let motor = r#"<actuator><motor name="lift" joint="a" gear="1"/></actuator>"#;
    for stands in [false, true] {
        let mut world = arm(1e-3, stands, [r#"range="-1 0.4""#, r#"range="-0.5 2""#], motor, false);
        // What is all at rest is stepped with the rows of all joints.
        set(&mut world, [0.0, 0.0], [0.0, 0.1]);
        let balance = world.ledger().balance();
        let mut held = 0;
        for k in 0..3000 {
            // Lifts off for a while.
            world
                .set_ctrl(&[if (1500..1700).contains(&k) { -12.0 } else { 0.0 }])
                .unwrap();
            let moves = world.ledger().kinetic > 0.0;
            world.step().unwrap();
            assert!(!moves || is_in_coordinates(&world), "{k}");
            let ([a, _], [b, _]) = (coordinate(&world, "a"), coordinate(&world, "b"));
            assert!(a < 0.4 + 1e-11 && b > -0.5 - 1e-11 && b < 2.0 + 1e-11, "{k}: {a} {b}");
            held += usize::from((a - 0.4).abs() < 1e-11);
        }
        assert!(held > 500, "{held}");
        assert!(world.ledger().impacts > 0.1, "{:?}", world.ledger());
        assert!(
            (world.ledger().balance() - balance).abs() < 1e-9,
            "{:?}",
            world.ledger()
        );
        // Free of the limit it has moved.
        let mut world = arm(1e-3, stands, [r#"range="-1 0.4""#, ""], motor, false);
        for _ in 0..1000 {
            world.step().unwrap();
        }
        world.set_ctrl(&[-12.0]).unwrap();
        for _ in 0..100 {
            world.step().unwrap();
        }
        assert!(coordinate(&world, "a")[0] < 0.35, "{:?}", coordinate(&world, "a"));
    }
}

/// A servo at the end of its range is a constant force.
#[test]
fn a_saturated_servo_gives_its_range() {
    let servo = r#"<actuator><position name="servo" joint="a" kp="500" kv="5" forcerange="-2 3"/></actuator>"#;
    let motor = r#"<actuator><motor name="servo" joint="a"/></actuator>"#;
    for stands in [false, true] {
        let run = |actuator: &str, ctrl: f64| {
            let mut world = arm(1e-3, stands, ["", ""], actuator, false);
            world.set_ctrl(&[ctrl]).unwrap();
            set(&mut world, [0.0, 0.0], [0.0, 0.1]);
            for _ in 0..100 {
                world.step().unwrap();
                assert!(is_in_coordinates(&world));
            }
            let force = world.joint_forces(joint(&world, "a")).unwrap().motor;
            (coordinate(&world, "a"), force)
        };
        let (there, force) = run(servo, -3.0);
        let (wanted, _) = run(motor, -2.0);
        assert!((force + 2.0).abs() < 1e-12, "{force}");
        assert!(
            (there[0] - wanted[0]).abs() < 1e-10 && (there[1] - wanted[1]).abs() < 1e-9,
            "{there:?} {wanted:?}"
        );
    }
}

/// Limits that are met and friction that stops in flight act between bodies: momentum stays, and nothing gains energy.
#[test]
fn what_acts_within_a_tree_that_flies_keeps_its_momentum() {
    let joints = [r#"range="-0.3 0.3""#, r#"frictionloss="0.2""#];
    let mut world = arm_at(1e-3, true, joints, "", false, ("0 0 5", 0.0));
    set(&mut world, [0.0, 0.4], [2.0, -3.0]);
    let momenta = |world: &World| {
        let mut sums = [Vec3::zeros(); 2];
        for (body, state) in world.bodies().iter().zip(&world.state().bodies) {
            let stiction_sim::body::Kind::Dynamic { mass, inertia_body } = &body.kind else {
                continue;
            };
            let spin = inertia_body * state.pose.direction_in_body(state.spin);
            sums[0] += *mass * state.velocity;
            sums[1] += state.pose.direction(spin) + *mass * state.pose.position.cross(&state.velocity);
        }
        sums
    };
    let (start, mut energy) = (momenta(&world), world.ledger().kinetic);
    for k in 0..3000 {
        world.step().unwrap();
        assert!(is_in_coordinates(&world), "{k}");
        let ledger = world.ledger();
        assert!(ledger.kinetic <= energy + 1e-12, "{k}: {} {energy}", ledger.kinetic);
        energy = ledger.kinetic;
    }
    for (a, b) in start.iter().zip(&momenta(&world)) {
        assert!((a - b).norm() < 1e-12 * (1.0 + a.norm()), "{a:?} {b:?}");
    }
    let ledger = world.ledger();
    assert!(
        ledger.impacts > 1e-3 && ledger.slip > 1e-3 && ledger.eased == 0.0,
        "{ledger:?}"
    );
    assert!(coordinate(&world, "a")[0].abs() < 0.3 + 1e-11);
}

/// What a sensor of force reads is what the joint gives: it moves and carries all that hangs on it.
#[test]
fn sensors_of_force_read_what_joints_give() {
    let sensors = r#"<sensor><force name="f" site="there"/><torque name="t" site="there"/></sensor>"#;
    for stands in [false, true] {
        let mut world = arm(
            1e-4,
            stands,
            [r#"frictionloss="0.1""#, r#"range="-3 0.5""#],
            sensors,
            false,
        );
        set(&mut world, [0.3, -0.4], [2.0, -1.0]);
        let body = world
            .bodies()
            .iter()
            .position(|body| body.name.ends_with("two"))
            .unwrap();
        let mut seen = 0;
        for _ in 0..8000 {
            let (before, lost) = (world.state().bodies[body].velocity, world.ledger().impacts);
            world.step().unwrap();
            assert!(is_in_coordinates(&world));
            let state = &world.state().bodies[body];
            let mut read = vec![0.0; world.sensor_count()];
            world.sensor_values(&mut read).unwrap();
            let force = state.pose.direction(Vec3::new(read[0], read[1], read[2]));
            // Of 1 kg.
            let wanted = (state.velocity - before) / 1e-4 + Vec3::new(0.0, 0.0, G);
            let scale = 1.0 + wanted.norm();
            // What stops it at its limit is no force over a step.
            if world.ledger().impacts == lost {
                seen += 1;
                assert!((force - wanted).norm() < 1e-2 * scale, "{force:?} {wanted:?}");
            }
            let found = world.joint_reactions().unwrap();
            let index = joint(&world, "b");
            let mut sum = Vec3::zeros();
            for reaction in found.iter().filter(|reaction| reaction.joint == index) {
                let (_, part) = reaction.parts.iter().find(|(other, _)| *other == body).unwrap();
                sum += reaction.force * Vec3::new(part[0], part[1], part[2]);
            }
            assert!((sum - force).norm() < 1e-9 * scale, "{sum:?} {force:?}");
        }
        assert!(seen > 7000, "{seen}");
    }
}

/// A robot that is dropped lands in joint coordinates, keeps its books, and does not sink in.
#[test]
fn a_walker_lands_in_joint_coordinates() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/robots/walker.xml");
    let mut world = World::from_scene(&Scene::read_robot(file, &[]).unwrap()).unwrap();
    world.set_ctrl(&[0.0, 0.6, -1.2].repeat(4)).unwrap();
    let balance = world.ledger().balance();
    let mut count = 0;
    for _ in 0..1000 {
        let report = world.step().unwrap();
        assert!(report.depth < 1e-9 && report.residual < 1e-9, "{report:?}");
        count += usize::from(is_in_coordinates(&world));
    }
    assert!(count > 990, "{count}");
    let ledger = world.ledger();
    assert!(
        ledger.impacts > 1.0 && (ledger.balance() - balance).abs() < 1e-9,
        "{ledger:?}"
    );
    assert!(ledger.numerical.flight.abs() < 1e-9, "{ledger:?}");
}
