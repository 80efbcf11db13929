//! What stands and what falls.

use stiction_contact::{Law, Method};
use stiction_scene::{Scene, WorldExt};
use stiction_sim::joint::{Joint, JointKind};
use stiction_sim::shape::{Polytope, Shape};
use stiction_sim::{Pose, Quat, Settings, Stepper, Vec3, World};

use crate::lab::*;

/// Ladder of length 2 against a wall.
pub(crate) fn leaning(tan: f64, mu_floor: f64, mu_wall: f64, h: f64) -> World {
    let (sin, cos) = sine_cosine(tan);
    let mut world = world(down(), h);
    let floor = floor(&mut world, 0.0);
    let wall = wall(&mut world, Vec3::zeros(), Vec3::x(), 0.0);
    let ladder = add(
        &mut world,
        rod([cos, -sin]),
        (1.0, [1.0 / 3.0; 3]),
        0.0,
        at(cos, 0.0, sin),
    );
    set_friction(&mut world, floor, ladder, mu_floor);
    set_friction(&mut world, wall, ladder, mu_wall);
    world
}

pub(crate) fn ladder() {
    near("rough", (1.0 - 0.25) / (2.0 * 0.5), stated("ladder", 1), 1.0, 1e-15);
    near("smooth", 1.0 / (2.0 * 0.4), stated("ladder", 2), 1.0, 1e-15);
    for (mu1, mu2) in [(0.5, 0.5), (0.4, 0.0), (0.3, 0.6), (0.8, 0.2)] {
        let limit = (1.0 - mu1 * mu2) / (2.0 * mu1);
        bracket(&format!("ladder, {mu1}, {mu2}"), |e| {
            leaning(limit * (1.0 - e), mu1, mu2, 1e-3)
        });
    }
}

pub(crate) fn card_house() {
    for mu in [0.3, 0.5, 0.8] {
        let limit = 1.0 / (2.0 * mu);
        bracket(&format!("card house, {mu}"), |e| {
            let (sin, cos) = sine_cosine(limit * (1.0 - e));
            let mut world = world(down(), 1e-3);
            floor(&mut world, mu);
            // The cards meet in an upright face whose upper edge is the end of both.
            for side in [1.0, -1.0] {
                let shape = drawn_out(
                    &[[side * cos, -sin], [-side * cos, sin], [-side * cos, sin - 0.05]],
                    0.3,
                );
                add(&mut world, shape, (1.0, [1.0 / 3.0; 3]), mu, at(side * cos, 0.0, sin));
            }
            world
        });
    }
}

pub(crate) fn three_cylinders() {
    let build = |on_floor: f64, between: f64| {
        let mut world = world(down(), 1e-3);
        let floor = floor(&mut world, 0.0);
        let r = 0.5;
        for (x, z) in [(-r, r), (r, r), (0.0, r + r * 3.0_f64.sqrt())] {
            let mut state = at(x, 0.0, z);
            state.pose.rotation = Quat::rotation_between(&Vec3::z(), &Vec3::y()).unwrap();
            let shape = Shape::Cylinder {
                half_height: 0.5,
                radius: r,
            };
            let moments = [0.6, 0.6, 1.0].map(|share| share * 0.5 * r * r);
            let body = add(&mut world, shape, (1.0, moments), between, state);
            set_friction(&mut world, floor, body, on_floor);
        }
        world
    };
    let [on_floor, between] = [0, 1].map(|quantity| stated("three-cylinders", quantity));
    near("between", between, 2.0 - 3.0_f64.sqrt(), 1.0, 1e-15);
    bracket("floor", |e| build(on_floor * (1.0 - e), 0.5));
    bracket("between", |e| build(0.5, between * (1.0 - e)));
}

pub(crate) fn peg_wedging() {
    // Peg of width 1: its foot on a wall to the right, an edge at height l on one to the left, pushed down above that edge.
    for mu in [0.1, 0.3, 0.8] {
        for force in [1e-3, 1.0, 1e3] {
            let build = |e: f64| {
                let l = mu * (1.0 + e);
                let mut world = world(Vec3::zeros(), 1e-3);
                wall(&mut world, Vec3::new(0.5, 0.0, 0.0), -Vec3::x(), mu);
                wall(&mut world, Vec3::new(-0.5, 0.0, 0.0), Vec3::x(), mu);
                let polygon = [[0.5, 0.0], [-0.5, l], [0.0, -1.0], [0.0, 2.0]].map(|[x, z]| [x, z - 0.3]);
                let peg = add(
                    &mut world,
                    drawn_out(&polygon, 0.3),
                    (0.5, [0.25; 3]),
                    mu,
                    at(0.0, 0.0, 0.3),
                );
                push(
                    &mut world,
                    peg,
                    Vec3::new(0.0, 0.0, -force),
                    Vec3::new(0.0, -0.5 * force, 0.0),
                );
                world
            };
            let mut watched = Watched::new(build(-NEAR));
            watched.run(100);
            assert!(
                watched.fastest() <= 1e-10 * f64::max(force, 1.0),
                "{}",
                watched.fastest()
            );
            let mut watched = Watched::new(build(NEAR));
            watched.run(10);
            let least = 0.1 * NEAR * force / 0.5 * 1e-2;
            assert!(watched.fastest() >= least, "{} {least}", watched.fastest());
        }
    }
}

/// k boxes of width a and height 1 in a row between a wall and a plate that presses with `press` times the weight of one.
pub(crate) fn grasp(k: usize, a: f64, mu: f64, press: f64) -> World {
    let mut world = world(down(), 1e-3);
    let wall = wall(&mut world, Vec3::zeros(), Vec3::x(), mu);
    for i in 0..k {
        add_box(&mut world, 1.0, [a, 1.0, 1.0], mu, at((i as f64 + 0.5) * a, 0.0, 0.0));
    }
    let x = k as f64 * a;
    let plate = add_box(&mut world, 1.0, [0.2, 1.0, 1.0], mu, at(x + 0.1, 0.0, 0.0));
    let along = Quat::rotation_between(&Vec3::z(), &Vec3::x()).unwrap();
    let guide = Joint {
        name: "guide".to_owned(),
        a: plate,
        b: wall,
        kind: JointKind::Prismatic,
        frame_a: Pose {
            position: Vec3::zeros(),
            rotation: along,
        },
        frame_b: Pose {
            position: Vec3::new(x + 0.1, 0.0, 0.0),
            rotation: along,
        },
        limits: None,
        motor: None,
        friction: 0.0,
    };
    world.add_joint(guide).unwrap();
    push(&mut world, plate, Vec3::new(-press * G, 0.0, 0.0), Vec3::zeros());
    world
}

pub(crate) fn grasp_chain() {
    for (k, a, mu, quantity) in [
        (2, 1.0, 0.5, Some(1)),
        (4, 1.0, 5.0, Some(2)),
        (2, 5.0, 5.0, Some(3)),
        (4, 1.0, 0.5, None),
        (3, 1.0, 0.8, None),
    ] {
        let line = (1..k).map(|j| (j * (k - j)) as f64).fold(0.0, f64::max) * a / 2.0;
        let least = f64::max(k as f64 / (2.0 * mu), line);
        near(
            "stated",
            quantity.map_or(least, |q| stated("grasp-chain", q)),
            least,
            1.0,
            1e-15,
        );
        bracket(&format!("{k} boxes, a/b {a}, friction {mu}"), |e| {
            grasp(k, a, mu, least * (1.0 - e))
        });
    }
}

pub(crate) fn overhang() {
    let reach = stated("overhang", 0);
    bracket("overhang", |e| {
        let mut world = world(down(), 1e-3);
        let table = Shape::cuboid(Vec3::new(2.0, 0.5, 0.5));
        ground(&mut world, false, table, 0.5, at(-2.0, 0.0, -0.5));
        let mut end = 0.0;
        for brick in 0..4 {
            end += (1.0 + e) / (2.0 * f64::from(4 - brick));
            let z = 0.1 + 0.2 * f64::from(brick);
            add_box(&mut world, 1.0, [1.0, 0.5, 0.2], 0.5, at(end - 0.5, 0.0, z));
        }
        near("reach", end, reach * (1.0 + e), 1.0, 1e-15);
        world
    });
}

/// A semicircular arch of mean radius 1.
fn voussoirs(count: usize, thickness: f64, friction: f64) -> World {
    let text = format!(
        "format = 1
        world = {{ gravity = [0, 0, -10] }}
        material = [{{ name = \"stone\", friction = {friction} }}]
        body = [{{ name = \"ground\", shape = {{ half_space = [0, 0, 1] }}, material = \"stone\" }}]
        [[arch]]
        voussoirs = {count}
        radius = 1
        thickness = {thickness}
        depth = 0.3
        density = 2000
        material = \"stone\""
    );
    World::from_scene(&Scene::parse(&text, ".").unwrap()).unwrap()
}

/// An arch stands, or starts to fall, within some steps.
#[track_caller]
fn arch_does(stands: bool, count: usize, thickness: f64, friction: f64, steps: usize) -> Watched {
    let mut watched = Watched::new(voussoirs(count, thickness, friction));
    watched.run(steps);
    let speed = watched.fastest();
    assert!(
        if stands { speed < 1e-9 } else { speed > 1e-6 },
        "{count} voussoirs of {thickness}, friction {friction}: {speed:e}"
    );
    watched
}

pub(crate) fn arch() {
    let least = stated_all("arch", 0);
    for (count, least) in [27, 54, 108, 216].into_iter().zip(&least) {
        let steps = if count > 100 { 2 } else { 30 };
        arch_does(true, count, least + 1e-4, 1.0, steps);
        let falling = arch_does(false, count, least - 1e-4, 1.0, steps);
        if count == 216 {
            // It hinges at the crown, at the feet, and between at the largest difference of spins of two neighbours.
            let bodies = &falling.world.state().bodies;
            let opens = |i: &usize| (bodies[i + 1].spin - bodies[*i].spin).norm();
            let hinge = (10..98).max_by(|i, j| opens(i).total_cmp(&opens(j))).unwrap();
            let from_crown = 90.0 - 180.0 * hinge as f64 / 216.0;
            near("hinge", from_crown, stated("arch", 1), 1.0, 1.0);
        }
    }
    // The thinnest arch hinges with this friction; with less it slides as well, and falls.
    let hinging = stated("arch", 2);
    for (count, least) in [27, 54].into_iter().zip(&least) {
        arch_does(true, count, least + 1e-5, hinging + 1e-3, 5);
        arch_does(false, count, least + 1e-5, hinging - 1e-3, 5);
    }
    // With less than this none stands, however thick.
    let none = stated("arch", 3);
    arch_does(true, 27, 0.3, none + 1e-3, 20);
    for thickness in [0.2, 0.3, 0.4] {
        arch_does(false, 27, thickness, none - 1e-3, 20);
    }
}

pub(crate) fn mass_ratio() {
    let forces = stated_all("mass-ratio", 0);
    let mut world = world(down(), 1e-3);
    let floor = floor(&mut world, 0.5);
    let light = add_box(&mut world, 1.0, [0.2; 3], 0.5, at(0.0, 0.0, 0.1));
    let heavy = add_box(&mut world, 1e6, [0.2; 3], 0.5, at(0.0, 0.0, 0.3));
    let mut watched = Watched::new(world);
    for _ in 0..500 {
        watched.step();
        near("floor", watched.force(light, floor).z / G, forces[0], forces[0], 1e-9);
        near("between", watched.force(heavy, light).z / G, forces[1], forces[1], 1e-9);
    }
    watched.stands(1e-9);
}

/// A block on this many points of a floor.
fn supported(points: usize, law: Law, method: Option<Method>) -> World {
    let settings = Settings {
        gravity: down(),
        law,
        method,
        stepper: Stepper::Midpoint,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let floor = floor(&mut world, 0.5);
    // Feet of four corners each, in a square of which the last row may be short; the centre of mass is not in the middle.
    let shape = if points == 100 {
        Shape::Polytope(std::sync::Arc::new(Polytope::prism(100, 0.5, 0.25).unwrap()))
    } else {
        let feet = points / 4;
        let side = (1..=feet).find(|side| side * side >= feet).unwrap();
        let pitch = 1.0 / side as f64;
        let foot = |i: usize| {
            let place = |k: usize| (k as f64 + 0.5) * pitch - 0.5;
            let position = Vec3::new(place(i % side) - 0.11, place(i / side) + 0.07, 0.0);
            let pose = Pose {
                position,
                rotation: Quat::identity(),
            };
            (pose, Shape::cuboid(Vec3::new(0.4 * pitch, 0.4 * pitch, 0.25)))
        };
        Shape::Compound((0..feet).map(foot).collect())
    };
    let body = add(&mut world, shape, (3.0, [0.4; 3]), 0.5, at(0.11, -0.07, 0.25));
    set_friction(
        &mut world,
        floor,
        body,
        if law == Law::Frictionless { 0.0 } else { 0.5 },
    );
    world
}

pub(crate) fn redundant_block() {
    for points in [4, 100, 4000] {
        for (law, method, is_basic) in [
            (Law::Coulomb, None, false),
            (Law::Frictionless, None, true),
            (Law::Frictionless, Some(Method::LemkeReduced), true),
            (Law::Frictionless, Some(Method::Dantzig), true),
        ] {
            let mut watched = Watched::new(supported(points, law, method));
            for _ in 0..3 {
                let report = watched.step();
                assert_eq!(report.contacts, points);
                let world = &watched.world;
                let (mut sum, mut moment, mut loaded) = (0.0, Vec3::zeros(), 0);
                for (contact, impulse) in world.contacts().iter().zip(&world.solution().normal_impulse) {
                    sum += impulse;
                    moment += *impulse * contact.point;
                    loaded += usize::from(*impulse > 0.0);
                }
                near("weight", sum / 1e-3, 3.0 * G, 3.0 * G, EXACT);
                near("x of the pressure", moment.x / sum, 0.11, 1.0, 1e-9);
                near("y of the pressure", moment.y / sum, -0.07, 1.0, 1e-9);
                assert!(
                    !is_basic || loaded <= 3,
                    "{points} points, {law:?}, {method:?}: {loaded} carry"
                );
            }
            watched.stands(1e-12);
        }
    }
}
