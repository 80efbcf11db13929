//! Verdicts against simulation: random piles of boxes, wedges between walls, arches, planar and spatial, with a breath of air.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, clippy::cast_sign_loss)]

use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;
use stiction_stand::motion::{STEP, Seeded};
use stiction_stand::{Ask, Equilibrium, Word, decide};

/// Seconds of simulation.
const DURATION: f64 = 5.0;
/// What stands moves less than this [m].
const STILL: f64 = 1e-4;
/// What begins to fall with less than this [m/s²] is not waited for.
const SLOW: f64 = 0.05;

fn between(random: &mut Seeded, low: f64, high: f64) -> f64 {
    low + (high - low) * random.unit()
}

/// Gravity that leans, mostly a little.
fn world(random: &mut Seeded, is_planar: bool, most: f64) -> String {
    let lean = most * random.unit() * random.unit();
    let turn = if is_planar { 0.0 } else { TAU * random.unit() };
    let friction = between(random, 0.15, 0.9);
    let [gx, gy] = [9.81 * lean * turn.cos(), 9.81 * lean * turn.sin()];
    let (dimension, gravity) = if is_planar {
        (", planar = true", format!("[{gx}, -9.81]"))
    } else {
        ("", format!("[{gx}, {gy}, -9.81]"))
    };
    format!(
        "format = 1\nworld = {{ dt = 0.01, duration = 5, friction = {friction}, density = 1000, gravity = {gravity}{dimension} }}\nbody = [\n"
    )
}

/// A breath of air [m/s].
fn air(random: &mut Seeded, is_planar: bool) -> String {
    let [x, y, z] = [0, 1, 2].map(|_| 2e-6 * (random.unit() - 0.5));
    if is_planar {
        format!("[{x}, {y}]")
    } else {
        format!("[{x}, {y}, {z}]")
    }
}

/// Boxes on each other, shifted.
fn pile(random: &mut Seeded, count: usize, is_planar: bool) -> String {
    let mut text = world(random, is_planar, 0.5);
    text += if is_planar {
        "{ name = \"table\", shape = { half_plane = [0, 1] } },\n"
    } else {
        "{ name = \"table\", shape = { half_space = [0, 0, 1] } },\n"
    };
    let (mut x, mut y, mut z) = (0.0, 0.0, 0.0);
    for k in 0..count {
        let size = [
            between(random, 0.2, 0.5),
            between(random, 0.2, 0.5),
            between(random, 0.1, 0.3),
        ];
        if k > 0 {
            let reach = 0.5 / (count as f64).sqrt();
            x += reach * (random.unit() - 0.5);
            y += reach * (random.unit() - 0.5);
        }
        let center = z + size[2] / 2.0;
        let air = air(random, is_planar);
        let (shape, at) = if is_planar {
            (format!("[{}, {}]", size[0], size[2]), format!("[{x}, {center}]"))
        } else {
            (format!("{size:?}"), format!("[{x}, {y}, {center}]"))
        };
        writeln!(
            text,
            "{{ name = \"box {k}\", shape = {{ box = {shape} }}, position = {at}, velocity = {air} }},"
        )
        .unwrap();
        z += size[2];
    }
    text + "]\n"
}

/// A convex block of the plane or its prism, about its own middle.
fn block(corners: &[[f64; 2]], is_planar: bool) -> (String, [f64; 2]) {
    let (mut area, mut middle) = (0.0, [0.0; 2]);
    for (k, p) in corners.iter().enumerate() {
        let q = corners[(k + 1) % corners.len()];
        let cross = p[0] * q[1] - p[1] * q[0];
        area += cross / 2.0;
        middle = [
            middle[0] + (p[0] + q[0]) * cross / 6.0,
            middle[1] + (p[1] + q[1]) * cross / 6.0,
        ];
    }
    let middle = middle.map(|x| x / area);
    let local = corners.iter().map(|p| [p[0] - middle[0], p[1] - middle[1]]);
    let shape = if is_planar {
        format!("{{ polygon = {:?} }}", local.collect::<Vec<_>>())
    } else {
        let both: Vec<[f64; 3]> = local.flat_map(|[x, z]| [[x, -0.15, z], [x, 0.15, z]]).collect();
        format!("{{ points = {both:?} }}")
    };
    (shape, middle)
}

/// A voussoir arch on a table.
fn arch(random: &mut Seeded, count: usize, is_planar: bool) -> String {
    let mut text = world(random, is_planar, 0.08);
    text += if is_planar {
        "{ name = \"table\", shape = { half_plane = [0, 1] } },\n"
    } else {
        "{ name = \"table\", shape = { half_space = [0, 0, 1] } },\n"
    };
    let thickness = between(random, 0.1, 0.25);
    let (inner, outer) = (1.0 - thickness / 2.0, 1.0 + thickness / 2.0);
    for k in 0..count {
        let at = |k: usize, r: f64| {
            let turn = PI * k as f64 / count as f64;
            [r * turn.cos(), if k == 0 || k == count { 0.0 } else { r * turn.sin() }]
        };
        let corners = [at(k, inner), at(k, outer), at(k + 1, outer), at(k + 1, inner)];
        let (shape, [x, z]) = block(&corners, is_planar);
        let place = if is_planar {
            format!("[{x}, {z}]")
        } else {
            format!("[{x}, 0, {z}]")
        };
        let air = air(random, is_planar);
        writeln!(
            text,
            "{{ name = \"block {k}\", shape = {shape}, position = {place}, velocity = {air} }},"
        )
        .unwrap();
    }
    text + "]\n"
}

/// Blocks above each other between walls that lean together or apart.
fn wedge(random: &mut Seeded, count: usize, is_planar: bool) -> String {
    let mut text = world(random, is_planar, 0.2);
    let slope = between(random, -0.3, 0.9);
    let wide = |z: f64| 0.3 + slope * z;
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let top = f64::from(u32::try_from(count).unwrap()) * 0.2;
        let corners = [
            [side * wide(0.0), 0.0],
            [side * (wide(0.0).max(wide(top)) + 0.5), 0.0],
            [side * (wide(0.0).max(wide(top)) + 0.5), top],
            [side * wide(top), top],
        ];
        let corners: Vec<[f64; 2]> = if side > 0.0 {
            corners.to_vec()
        } else {
            corners.into_iter().rev().collect()
        };
        let (shape, [x, z]) = block(&corners, is_planar);
        let place = if is_planar {
            format!("[{x}, {z}]")
        } else {
            format!("[{x}, 0, {z}]")
        };
        writeln!(
            text,
            "{{ name = \"{name}\", kind = \"fixed\", shape = {shape}, position = {place} }},"
        )
        .unwrap();
    }
    for k in 0..count {
        let [low, high] = [0.2 * k as f64, 0.2 * (k + 1) as f64];
        if wide(high) < 0.05 {
            break;
        }
        let corners = [
            [-wide(low), low],
            [wide(low), low],
            [wide(high), high],
            [-wide(high), high],
        ];
        let (shape, [x, z]) = block(&corners, is_planar);
        let place = if is_planar {
            format!("[{x}, {z}]")
        } else {
            format!("[{x}, 0, {z}]")
        };
        let air = air(random, is_planar);
        writeln!(
            text,
            "{{ name = \"block {k}\", shape = {shape}, position = {place}, velocity = {air} }},"
        )
        .unwrap();
    }
    text + "]\n"
}

/// Kinds by turns; few bodies more often than many.
fn assembly(seed: u64) -> (&'static str, String) {
    let mut random = Seeded::new(seed);
    let is_planar = seed % 2 == 1;
    match (seed / 2) % 3 {
        0 => {
            let count = 2 + (38.0 * random.unit().powi(3)) as usize;
            ("pile", pile(&mut random, count, is_planar))
        }
        1 => {
            let count = 3 + (37.0 * random.unit().powi(2)) as usize;
            ("arch", arch(&mut random, count, is_planar))
        }
        _ => {
            let count = 1 + (4.0 * random.unit()) as usize;
            ("wedge", wedge(&mut random, count, is_planar))
        }
    }
}

/// How far the body that moves farthest goes [m].
fn moved(world: &mut World) -> Result<f64, String> {
    let start: Vec<_> = world.state().bodies.iter().map(|body| body.pose.position).collect();
    while world.state().time < DURATION {
        world.step().map_err(|error| error.to_string())?;
        let bodies = world.state().bodies.iter().zip(&start);
        let far = bodies.map(|(body, start)| (body.pose.position - *start).norm());
        let far = far.fold(0.0, f64::max);
        // Far beyond rest: what follows is a fall, and no part of the question.
        if far > 100.0 * STILL {
            return Ok(far);
        }
    }
    let bodies = world.state().bodies.iter().zip(&start);
    Ok(bodies
        .map(|(body, start)| (body.pose.position - *start).norm())
        .fold(0.0, f64::max))
}

/// `ASSEMBLIES=1000 cargo test` looks at more.
#[test]
fn what_stands_rests_and_what_falls_moves_in_simulation() {
    let count: u64 = std::env::var("ASSEMBLIES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(60);
    let mut words = std::collections::BTreeMap::<&str, [u32; 4]>::new();
    let (mut wrong, mut failed) = (Vec::new(), 0);
    for seed in 0..count {
        let (kind, text) = assembly(seed);
        let scene = Scene::parse(&text, ".").unwrap_or_else(|error| panic!("{kind} {seed}: {error}\n{text}"));
        let mut world = World::from_scene(&scene).unwrap();
        let whole = Equilibrium::from_statics(&world.statics(None).unwrap()).unwrap();
        let verdict = decide(&whole, &Ask::default()).unwrap();
        words.entry(kind).or_default()[verdict.word as usize] += 1;
        if verdict.word == Word::MayFall {
            assert!(
                verdict.rest.unwrap().accepted && verdict.motion.unwrap().accepted,
                "{kind} {seed}"
            );
            continue;
        }
        if verdict.word == Word::Undecided {
            eprintln!("{kind} {seed}: undecided, {:?}", verdict.reason);
            continue;
        }
        let far = match moved(&mut world) {
            Ok(far) => far,
            Err(error) => {
                eprintln!("{kind} {seed}: {error}");
                failed += 1;
                continue;
            }
        };
        let begins = verdict.motion.as_ref().map_or(0.0, |motion| motion.speed / STEP);
        let is_wrong = match verdict.word {
            Word::Stands => far >= STILL,
            _ => far <= STILL && begins >= SLOW,
        };
        if is_wrong {
            let word = verdict.word.name();
            wrong.push(format!(
                "{kind} {seed} {word}: moves {far} m, begins with {begins} m/s², {:?}",
                verdict.tries
            ));
        }
    }
    for (kind, words) in &words {
        eprintln!("{kind}: stands, falls, may fall, undecided: {words:?}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let sum = |k: usize| words.values().map(|words| words[k]).sum::<u32>();
    assert!(sum(0) > 0 && sum(1) > 0, "{words:?}");
    assert!(
        u64::from(sum(3)) <= count / 50 && failed <= count / 50,
        "{words:?} {failed}"
    );
}
