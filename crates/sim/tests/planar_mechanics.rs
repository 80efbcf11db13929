//! Closed-form mechanics in planar worlds: accelerations of a step to 1e-12, thresholds within 1e-6.
//!
//! Names in backquotes are those of the seed cases (`mechanics.json`). Every step of every test is checked for energy and overlap.
#![allow(clippy::unwrap_used)]

mod plane;

use plane::{
    acceleration, along, at, brick, close, fixed, floor, impulses, moving, polygon, position, push, rod, run, throw,
    velocity, world,
};
use stiction_sim::PairMaterial;
use stiction_sim::planar::{PlanarShape, Vec2};

const EXACT: f64 = 1e-12;
/// Thresholds are met on either side of this share.
const BRACKET: f64 = 1e-6;

fn pair(friction: f64) -> PairMaterial {
    PairMaterial {
        friction: Some(friction),
        ..PairMaterial::default()
    }
}

fn up() -> Vec2 {
    Vec2::y()
}

/// Unit vectors up a slope of this tangent and out of it.
fn slope(tan: f64) -> [Vec2; 2] {
    let d = Vec2::new(1.0, tan).normalize();
    [d, Vec2::new(-d.y, d.x)]
}

/// How far a body moves in some steps.
fn moves(world: &mut stiction_sim::World, body: usize, steps: usize) -> f64 {
    let before = position(world, body);
    run(world, steps);
    (position(world, body) - before).norm()
}

/// `incline-stick-slide`
#[test]
fn a_box_on_an_incline() {
    let box_on = |tan: f64, h: f64| {
        let ([d, n], mut world) = (slope(tan), world(10.0, h));
        floor(&mut world, Vec2::zeros(), n, 0.5);
        let place = 0.1 * n;
        let body = brick(&mut world, [0.2, 0.2], 1.0, 0.5, &along(place.x, place.y, d));
        (world, body, d)
    };
    let (mut world, body, d) = box_on(0.75, 0.01);
    for _ in 0..50 {
        let a = acceleration(&mut world, body);
        close(a[0], -2.0 * d.x, EXACT);
        close(a[1], -2.0 * d.y, EXACT);
        // Relative to a over half a side.
        close(a[2], 0.0, 20.0 * EXACT);
        let normal: f64 = impulses(&world).iter().map(|p| p[0] / 0.01).sum();
        close(normal, 8.0, 8.0 * EXACT);
    }
    let (mut world, body, _) = box_on(0.5 * (1.0 - BRACKET), 1e-3);
    assert!(moves(&mut world, body, 2000) < 1e-12);
    let (mut world, body, _) = box_on(0.5 * (1.0 + BRACKET), 1e-3);
    let expected = 0.5 * 10.0 * 0.5 * BRACKET / 1.25_f64.sqrt() * 2.0 * 2.0;
    close(moves(&mut world, body, 2000), expected, 1e-5 * expected);
}

/// `stop-distance`
#[test]
fn a_sliding_box_stops() {
    let mut world = world(10.0, 0.01);
    floor(&mut world, Vec2::zeros(), up(), 0.5);
    let body = brick(&mut world, [0.2, 0.2], 1.0, 0.5, &at(0.0, 0.1));
    throw(&mut world, body, [2.0, 0.0, 0.0]);
    run(&mut world, 39);
    assert!(velocity(&world, body)[0] > 0.01);
    run(&mut world, 1);
    close(velocity(&world, body)[0], 0.0, 1e-14);
    run(&mut world, 60);
    // In the step in which it stops it is held from the start: μgh²/2 are left at most.
    close(position(&world, body).x, 0.40, 2.5e-4 + EXACT);
    close(position(&world, body).y, 0.1, EXACT);
}

/// `slide-to-roll-solid`, `-disc`, `-hollow`, `-hoop`
#[test]
fn thrown_discs_slide_and_roll() {
    for k in [0.4, 0.5, 2.0 / 3.0, 1.0] {
        for h in [0.01, 0.0037] {
            let (mut world, r) = (world(10.0, h), 0.1);
            floor(&mut world, Vec2::zeros(), up(), 0.2);
            let shape = PlanarShape::Disc { radius: r };
            let disc = moving(&mut world, shape, (1.0, k * r * r), 0.2, &at(0.0, r));
            throw(&mut world, disc, [3.0, 0.0, 0.0]);
            let mut rolling = None;
            while world.state().time < 1.0 {
                run(&mut world, 1);
                let [v, _, w] = velocity(&world, disc);
                if rolling.is_none() && (v + r * w).abs() < 1e-12 {
                    rolling = Some(world.state().time);
                }
            }
            let [v, _, w] = velocity(&world, disc);
            close(v, 3.0 / (1.0 + k), 3.0 * EXACT);
            close(-r * w, v, 3.0 * EXACT);
            // Where it would roll at the very end of a step, rounding decides whether it does so in that one or in the next.
            close(rolling.unwrap(), k * 3.0 / ((1.0 + k) * 0.2 * 10.0), h + EXACT);
        }
    }
}

/// `roll-incline-sphere`, `-cylinder`, `-hoop`
#[test]
fn discs_roll_down_an_incline() {
    for k in [0.4, 0.5, 1.0] {
        let rolls = |mu: f64| {
            let ([_, n], mut world, r) = (slope(0.75), world(10.0, 0.01), 0.1);
            floor(&mut world, Vec2::zeros(), n, mu);
            let shape = PlanarShape::Disc { radius: r };
            let disc = moving(&mut world, shape, (1.0, k * r * r), mu, &at(r * n.x, r * n.y));
            let a = acceleration(&mut world, disc);
            close(a[0] * n.x + a[1] * n.y, 0.0, EXACT);
            ((a[0].hypot(a[1]), r * a[2]), impulses(&world)[0])
        };
        let ((a, turning), [normal, friction]) = rolls(0.9);
        close(a, 6.0 / (1.0 + k), 6.0 * EXACT);
        close(turning, 6.0 / (1.0 + k), 6.0 * EXACT);
        close(normal / 0.01, 8.0, 8.0 * EXACT);
        close(friction.abs() / 0.01, 6.0 * k / (1.0 + k), 6.0 * EXACT);
        let limit = 0.75 * k / (1.0 + k);
        let ((a, turning), _) = rolls(limit * (1.0 + BRACKET));
        close(a, turning, 6.0 * EXACT);
        let ((a, turning), _) = rolls(limit * (1.0 - BRACKET));
        assert!(a - turning > BRACKET, "{a} {turning}");
    }
}

/// `pushed-box`: 1 wide, 2 high, pushed at height 1.5.
#[test]
fn a_pushed_box() {
    let pushed = |force: f64| {
        let mut world = world(10.0, 0.01);
        floor(&mut world, Vec2::zeros(), up(), 0.5);
        let body = brick(&mut world, [1.0, 2.0], 1.0, 0.5, &at(0.0, 1.0));
        push(&mut world, body, Vec2::new(force, 0.0), -0.5 * force);
        let a = acceleration(&mut world, body);
        let mut normals: Vec<f64> = impulses(&world).iter().map(|p| p[0] / 0.01).collect();
        normals.sort_by(f64::total_cmp);
        (a, normals)
    };
    let (a, normals) = pushed(2.0);
    close(normals[0], 2.0, 10.0 * EXACT);
    close(normals[1], 8.0, 10.0 * EXACT);
    close(a[2], 0.0, EXACT);
    // It tips faster the farther it has tipped, and its middle turns about the corner: shares of h² by which the mean accelerations of a step are larger than those
    // of its start. The first step from rest has them to 2h².
    let (a, _) = pushed(4.0);
    for (found, start, share) in [(a[0], 0.6, 1.35), (a[1], 0.3, 0.6), (a[2], -0.6, 1.2)] {
        close(found, start * (1.0 + share * 1e-4), 2e-4 * start.abs());
    }
    let (a, _) = pushed(10.0 / 3.0 * (1.0 - BRACKET));
    close(a[2], 0.0, EXACT);
    let (a, _) = pushed(10.0 / 3.0 * (1.0 + BRACKET));
    assert!(a[2] < -BRACKET, "{a:?}");
}

/// `tilted-box`: tips at tan = w/H where friction is larger.
#[test]
fn a_tilted_box_tips() {
    for (share, tips) in [(1.0 - BRACKET, false), (1.0 + BRACKET, true)] {
        let ([d, n], mut world) = (slope(0.5 * share), world(10.0, 0.01));
        floor(&mut world, Vec2::zeros(), n, 0.8);
        let body = brick(&mut world, [1.0, 2.0], 1.0, 0.8, &along(n.x, n.y, d));
        run(&mut world, 50);
        let spin = velocity(&world, body)[2];
        assert_eq!(spin > 1e-7, tips, "{spin:e}");
        assert!(tips || spin.abs() < EXACT, "{spin:e}");
    }
}

/// `rod-end-release`
#[test]
fn a_rod_released_at_one_end() {
    let mut world = world(10.0, 0.01);
    fixed(&mut world, PlanarShape::Disc { radius: 0.1 }, 0.0, &at(-1.0, -0.1));
    let shape = PlanarShape::rectangle(Vec2::new(1.0, 0.05));
    let rod = moving(&mut world, shape, (1.0, 1.0 / 3.0), 0.0, &at(0.0, 0.05));
    let a = acceleration(&mut world, rod);
    close(impulses(&world)[0][0] / 0.01, 2.5, 10.0 * EXACT);
    // That of the start; the step has the mean over its own length to a share of h².
    close(a[1] + a[2], -15.0, 15.0 * 1e-4);
}

/// `rod-impact` and the velocity level of `painleve`: a rod whose lower end, at tan θ = 2, meets the floor.
#[test]
fn rods_that_land_on_an_end() {
    let land = |g: f64, mu: f64, v: [f64; 3]| {
        let ([d, _], mut world) = (slope(2.0), world(g, 0.01));
        floor(&mut world, Vec2::zeros(), up(), mu);
        let rod = moving(&mut world, rod(), (1.0, 1.0 / 3.0), mu, &along(0.0, d.y, d));
        throw(&mut world, rod, v);
        run(&mut world, 1);
        assert_eq!(world.contacts().len(), 1);
        let [normal, friction] = impulses(&world)[0];
        [normal, friction.abs()]
    };
    let [normal, friction] = land(0.0, 0.0, [0.0, -1.0, 0.0]);
    close(normal, 0.625, EXACT);
    close(friction, 0.0, EXACT);
    let [normal, friction] = land(0.0, 10.0, [0.0, -1.0, 0.0]);
    close(normal, 0.85, EXACT);
    close(friction, 0.3, EXACT);
    let [normal, friction] = land(1.0, 2.0, [-1.0, 0.0, 0.0]);
    close(normal, 0.3085, EXACT);
    close(friction, 0.403, EXACT);
}

/// `rocking-impact-0.2`, `-0.5`, `-1`: a block turning about one lower corner lands on the other.
#[test]
fn rocking_blocks() {
    for (ratio, kept, least) in [
        (0.2, 0.942_307_692_307_692_3, 0.148_514_851_485_148_5),
        (0.5, 0.7, 0.352_941_176_470_588_26),
        (1.0, 0.25, 0.6),
    ] {
        let land = |mu: f64| {
            let mut world = world(0.0, 0.01);
            floor(&mut world, Vec2::zeros(), up(), mu);
            let block = brick(&mut world, [2.0 * ratio, 2.0], 1.0, mu, &at(0.0, 1.0));
            // About the left corner, clockwise: v = ω × (ratio, 1).
            throw(&mut world, block, [1.0, -ratio, -1.0]);
            run(&mut world, 1);
            velocity(&world, block)
        };
        close(land(5.0)[2], -kept, EXACT);
        close(land(least * (1.0 + BRACKET))[2], -kept, EXACT);
        // Below, the new corner slips: u = v_x + ω.
        let [v, _, w] = land(least * (1.0 - BRACKET));
        assert!((v + w).abs() > 1e-8, "{v} {w}");
    }
}

/// `ladder`: lower end on the floor, upper end at a wall.
#[test]
fn ladders_hold_and_slip() {
    for (floor_mu, wall_mu) in [(0.5, 0.5), (0.4, 0.0), (0.3, 0.6)] {
        let limit = (1.0 - floor_mu * wall_mu) / (2.0 * floor_mu);
        for (share, holds) in [(1.0 + BRACKET, true), (1.0 - BRACKET, false)] {
            let ([d, _], mut world) = (slope(limit * share), world(10.0, 1e-3));
            let ground = floor(&mut world, Vec2::zeros(), up(), 0.0);
            let wall = floor(&mut world, 2.0 * d, -Vec2::x(), 0.0);
            let ladder = moving(&mut world, rod(), (1.0, 1.0 / 3.0), 0.0, &along(d.x, d.y, d));
            world.set_pair(ground, ladder, pair(floor_mu)).unwrap();
            world.set_pair(wall, ladder, pair(wall_mu)).unwrap();
            let moved = moves(&mut world, ladder, 300);
            assert_eq!(moved < 1e-9, holds, "{floor_mu} {wall_mu} {share}: {moved:e}");
        }
    }
}

/// `card-house`: two cards with round edges of radius r. Each card's weight W at its middle and the push H at the top balance
/// about the lower edge's centre: H (2 l sin + r) = W l cos, and the floor must carry H ≤ μW.
#[test]
fn card_houses_stand_and_fall() {
    let (l, r) = (0.5, 0.02);
    for tan in [1.0, 2.0] {
        let [d, _] = slope(tan);
        let limit = l * d.x / (2.0 * l * d.y + r);
        for (share, stands) in [(1.0 + BRACKET, true), (1.0 - BRACKET, false)] {
            let mut world = world(10.0, 1e-3);
            floor(&mut world, Vec2::zeros(), up(), limit * share);
            let shape = PlanarShape::Capsule {
                half_length: l,
                radius: r,
            };
            let mass = (1.0, l * l / 3.0);
            let left = along(-(l * d.x + r), l * d.y + r, d);
            let right = along(l * d.x + r, l * d.y + r, Vec2::new(-d.x, d.y));
            let left = moving(&mut world, shape.clone(), mass, limit * share, &left);
            moving(&mut world, shape, mass, limit * share, &right);
            let moved = moves(&mut world, left, 300);
            assert_eq!(moved < 1e-9, stands, "{tan} {share}: {moved:e}");
        }
    }
}

/// `three-cylinders`
#[test]
fn three_discs() {
    let root = 3.0_f64.sqrt();
    let (at_floor, between) = ((2.0 - root) / 3.0, 2.0 - root);
    for (floor_mu, disc_mu, stands) in [
        (at_floor * (1.0 + BRACKET), between * (1.0 + BRACKET), true),
        (at_floor * (1.0 - BRACKET), 1.0, false),
        (1.0, between * (1.0 - BRACKET), false),
    ] {
        let mut world = world(10.0, 1e-3);
        let ground = floor(&mut world, Vec2::zeros(), up(), disc_mu);
        let places = [at(-1.0, 1.0), at(1.0, 1.0), at(0.0, 1.0 + root)];
        let discs = places.map(|place| {
            let disc = moving(
                &mut world,
                PlanarShape::Disc { radius: 1.0 },
                (1.0, 0.5),
                disc_mu,
                &place,
            );
            world.set_pair(ground, disc, pair(floor_mu)).unwrap();
            disc
        });
        let moved = moves(&mut world, discs[2], 300);
        assert_eq!(moved < 1e-9, stands, "{floor_mu} {disc_mu}: {moved:e}");
    }
}

/// `wedge`: a block on a free wedge without friction.
#[test]
fn a_block_on_a_free_wedge() {
    let mut world = world(10.0, 0.01);
    floor(&mut world, Vec2::zeros(), up(), 0.0);
    let shape = polygon(&[[-2.0, -1.5], [2.0, -1.5], [-2.0, 1.5]]);
    let wedge = moving(&mut world, shape, (2.0, 2.0), 0.0, &at(0.0, 1.5));
    let (d, n) = (Vec2::new(0.8, -0.6), Vec2::new(0.6, 0.8));
    let place = Vec2::new(0.0, 1.5) + 0.1 * n;
    brick(&mut world, [0.2, 0.2], 1.0, 0.0, &along(place.x, place.y, d));
    let a = acceleration(&mut world, wedge);
    let expected = -10.0 * 0.6 * 0.8 / (2.0 + 0.36);
    close(a[0], expected, EXACT * expected.abs());
}

/// `two-block-friction`: the upper slips once F > μ (m₁ + m₂) g.
#[test]
fn two_blocks_on_ice() {
    for (share, slips) in [(1.0 - BRACKET, false), (1.0 + BRACKET, true)] {
        let mut world = world(10.0, 0.01);
        let ground = floor(&mut world, Vec2::zeros(), up(), 0.3);
        let lower = brick(&mut world, [2.0, 0.5], 2.0, 0.3, &at(0.0, 0.25));
        let upper = brick(&mut world, [0.5, 0.5], 1.0, 0.3, &at(0.0, 0.75));
        world.set_pair(ground, lower, pair(0.0)).unwrap();
        push(&mut world, lower, Vec2::new(0.3 * 3.0 * 10.0 * share, 0.0), 0.0);
        run(&mut world, 1);
        let slip = (velocity(&world, lower)[0] - velocity(&world, upper)[0]) / 0.01;
        assert_eq!(slip > BRACKET, slips, "{slip:e}");
        assert!(slips || slip.abs() < 3.0 * EXACT, "{slip:e}");
    }
}

/// `mass-ratio`
#[test]
fn a_million_on_one() {
    let mut world = world(1.0, 0.01);
    floor(&mut world, Vec2::zeros(), up(), 0.5);
    let lower = brick(&mut world, [1.0, 1.0], 1.0, 0.5, &at(0.0, 0.5));
    let upper = brick(&mut world, [1.0, 1.0], 1e6, 0.5, &at(0.0, 1.5));
    run(&mut world, 100);
    let mut carried = [0.0; 2];
    for (contact, [normal, _]) in world.contacts().iter().zip(impulses(&world)) {
        carried[usize::from(contact.b == upper)] += normal / 0.01;
    }
    close(carried[0], 1_000_001.0, 1e-3);
    close(carried[1], 1e6, 1e-3);
    assert!(velocity(&world, lower).iter().all(|v| v.abs() < EXACT));
}

/// `cradle`: discs that touch, one comes in.
#[test]
fn cradles() {
    for n in [2, 3, 5] {
        for e in [0.0, 1.0] {
            let mut world = world(0.0, 0.01);
            for i in 0..n {
                let shape = PlanarShape::Disc { radius: 0.5 };
                moving(&mut world, shape, (1.0, 0.125), 0.0, &at(f64::from(i), 0.0));
            }
            throw(&mut world, 0, [1.0, 0.0, 0.0]);
            for i in 1..n {
                let (a, b) = (usize::try_from(i - 1).unwrap(), usize::try_from(i).unwrap());
                let material = PairMaterial {
                    restitution: Some(e),
                    ..pair(0.0)
                };
                world.set_pair(a, b, material).unwrap();
            }
            run(&mut world, 1);
            let count = f64::from(n);
            close(velocity(&world, 0)[0], (1.0 - e * (count - 1.0)) / count, EXACT);
            for i in 1..usize::try_from(n).unwrap() {
                close(velocity(&world, i)[0], (1.0 + e) / count, EXACT);
            }
        }
    }
}

/// `overhang`: four bricks reach 25/24 of their length over an edge.
#[test]
fn bricks_over_an_edge() {
    for (share, stands) in [(1.0 - BRACKET, true), (1.0 + BRACKET, false)] {
        let mut world = world(9.81, 1e-3);
        fixed(
            &mut world,
            PlanarShape::rectangle(Vec2::new(2.0, 0.5)),
            0.5,
            &at(-2.0, -0.5),
        );
        let mut top = 0;
        for i in 0..4 {
            // From below: each reaches 1/(2k) beyond the one under it, k bricks from the top.
            let below: f64 = (0..=i).map(|k| 0.5 / f64::from(4 - k)).sum();
            let x = share * below - 0.5;
            top = brick(&mut world, [1.0, 0.1], 1.0, 0.5, &at(x, 0.05 + 0.1 * f64::from(i)));
        }
        let before = position(&world, top);
        close(before.x + 0.5, share * 25.0 / 24.0, 1e-15);
        run(&mut world, 1000);
        let sunk = before.y - position(&world, top).y;
        assert_eq!(sunk < 1e-9, stands, "{sunk:e}");
    }
}

/// The other steppers know the plane too: a box slides with a = g (sin − μ cos), whatever finds its forces.
#[test]
fn every_stepper_slides_a_box() {
    use stiction_sim::{Settings, Stepper, Vec3, World};
    for stepper in Stepper::ALL.into_iter().filter(|stepper| stepper.has_inertia()) {
        let [d, n] = slope(0.75);
        let mut world = World::new(Settings {
            gravity: Vec3::new(0.0, -10.0, 0.0),
            dt: 0.01,
            stepper,
            ..Settings::planar()
        })
        .unwrap();
        floor(&mut world, Vec2::zeros(), n, 0.5);
        let body = brick(&mut world, [0.2, 0.2], 1.0, 0.5, &along(0.1 * n.x, 0.1 * n.y, d));
        for _ in 0..20 {
            let a = acceleration(&mut world, body);
            close(a[0], -2.0 * d.x, EXACT);
            close(a[1], -2.0 * d.y, EXACT);
        }
    }
}
