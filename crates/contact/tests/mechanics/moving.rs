//! Scenes that start to move, and by how much.

use super::resting::plate;
use super::{G, NEAR, Scene, View, assert_near, bracket, for_each_answer, for_each_answer_but, sine_cosine};
use stiction_contact::{ContactProblem, Law, Method, Status};

const UP: [f64; 2] = [0.0, 1.0];

/// Cube on an incline, drawn level under inclined gravity.
fn incline(tan: f64, mu: f64, slip: f64) -> Scene {
    let (sin, cos) = sine_cosine(tan);
    let mut scene = Scene::new();
    let block = plate(&mut scene, 1.0, [1.0, 1.0], [0.0, 0.5], [G * sin, -G * cos, 0.0]);
    for x in [-0.5, 0.5] {
        let contact = scene.contact(block, None, [x, 0.0], UP, mu);
        scene.slips(contact, slip);
    }
    scene
}

/// `incline-stick-slide`: sticks iff tan ≤ μ; slides with g(sin − μ cos), or slowed by g(sin + μ cos) uphill.
pub(crate) fn inclines(view: &View) {
    let mu = 0.5;
    for tan in [mu * (1.0 + NEAR), 0.51, 0.75] {
        let (sin, cos) = sine_cosine(tan);
        for (slip, friction) in [(0.0, -mu), (1.0, -mu), (-2.0, mu)] {
            for_each_answer("incline", &incline(tan, mu, slip), view, |name, found| {
                let [x, y, angle] = found.acceleration[0];
                assert_near(name, view, x, G * (sin + friction * cos), G);
                assert_near(name, view, y, 0.0, G);
                assert_near(name, view, angle, 0.0, G);
                assert_near(name, view, found.total(), G * cos, G);
                assert!(x > 0.2 * NEAR * G, "{name}: {x}");
            });
        }
    }
    // tan 3/4: 2 m/s² and 8 N.
    let (sin, cos) = sine_cosine(0.75);
    assert!((G * (sin - mu * cos) - 2.0).abs() < 1e-14 && (G * cos - 8.0).abs() < 1e-14);
    bracket("incline", view, 0.2 * NEAR * G, |e| incline(mu * (1.0 + e), mu, 0.0));
    bracket("incline", view, 0.01, |e| incline(mu + e * 1e4, mu, 0.0));
}

/// Wheel with inertia k m r² on an incline.
fn wheel(tan: f64, mu: f64, k: f64) -> Scene {
    let (sin, cos) = sine_cosine(tan);
    let (mass, r) = (2.0, 0.3);
    let mut scene = Scene::new();
    let body = scene.body(mass, k * mass * r * r, [0.0, r], [G * sin, -G * cos, 0.0]);
    scene.contact(body, None, [0.0, 0.0], UP, mu);
    scene
}

/// `roll-incline-*`: rolls with g sin/(1 + k), friction k/(1 + k) m g sin, and needs μ ≥ tan k/(1 + k).
pub(crate) fn rolling(view: &View) {
    let tan = 0.75;
    let (sin, cos) = sine_cosine(tan);
    for k in [0.4, 0.5, 2.0 / 3.0, 1.0] {
        let least = tan * k / (1.0 + k);
        for mu in [0.9, least * (1.0 + NEAR)] {
            for_each_answer("rolling", &wheel(tan, mu, k), view, |name, found| {
                let [x, _, angle] = found.acceleration[0];
                assert_near(name, view, x, G * sin / (1.0 + k), G);
                assert_near(name, view, x + 0.3 * angle, 0.0, G);
                assert_near(name, view, -found.friction[0], 2.0 * G * sin * k / (1.0 + k), 2.0 * G);
                assert_near(name, view, found.normal[0], 2.0 * G * cos, 2.0 * G);
            });
        }
        for mu in [least * (1.0 - NEAR), 0.5 * least] {
            for_each_answer("rolling and slipping", &wheel(tan, mu, k), view, |name, found| {
                let [x, _, angle] = found.acceleration[0];
                let slip = G * (sin - mu * cos * (1.0 + 1.0 / k));
                assert_near(name, view, x, G * (sin - mu * cos), G);
                assert_near(name, view, x + 0.3 * angle, slip, G);
                assert!(slip > 0.1 * NEAR * G, "{name}: {slip}");
            });
        }
    }
}

/// Box 1 wide and 2 high, pushed at height 1.5 by `push` times its weight.
fn pushed_box(push: f64, mu: f64) -> Scene {
    let mut scene = Scene::new();
    let inertia = 5.0 / 12.0;
    let free = [push * G, -G, -0.5 * push * G / inertia];
    let block = plate(&mut scene, 1.0, [1.0, 2.0], [0.0, 1.0], free);
    for x in [-0.5, 0.5] {
        scene.contact(block, None, [x, 0.0], UP, mu);
    }
    scene
}

/// `pushed-box`: normal forces 1/2 ∓ Fp/(mgw); tips at F = w/(2p) mg where μ is larger, slides at μ mg where it is smaller.
pub(crate) fn pushed_boxes(view: &View) {
    for_each_answer("pushed box", &pushed_box(0.2, 0.5), view, |name, found| {
        assert_near(name, view, found.normal[0], 0.2 * G, G);
        assert_near(name, view, found.normal[1], 0.8 * G, G);
        assert_near(name, view, found.fastest(), 0.0, G);
    });
    let limit = 1.0 / 3.0;
    bracket("pushed box tips", view, 0.1 * NEAR * G, |e| {
        pushed_box(limit * (1.0 + e), 0.5)
    });
    for push in [limit * (1.0 + NEAR), 0.4] {
        for_each_answer("pushed box tips", &pushed_box(push, 0.5), view, |name, found| {
            // (Fp − mgw/2)/(m(w² + H²)/3), clockwise.
            let expected = -(push * 1.5 - 0.5) * G / (5.0 / 3.0);
            assert_near(name, view, found.acceleration[0][2], expected, G);
            assert_near(name, view, found.normal[0], 0.0, G);
            assert!(expected < -0.1 * NEAR * G);
        });
    }
    // 0.6 rad/s² at F = 0.4 mg.
    assert!(((0.4 * 1.5 - 0.5) * G / (5.0 / 3.0) - 0.6).abs() < 1e-14);
    for mu in [0.2, limit * (1.0 - NEAR)] {
        bracket("pushed box slides", view, 0.05 * NEAR * G, |e| {
            pushed_box(mu * (1.0 + 0.5 * e), mu)
        });
        let push = mu * (1.0 + 0.5 * NEAR);
        for_each_answer("pushed box slides", &pushed_box(push, mu), view, |name, found| {
            assert_near(name, view, found.acceleration[0][0], (push - mu) * G, G);
            assert_near(name, view, found.acceleration[0][2], 0.0, G);
        });
    }
}

/// Box 1 wide and 2 high on a tilted plane.
fn tilted_box(tan: f64, mu: f64) -> Scene {
    let (sin, cos) = sine_cosine(tan);
    let mut scene = Scene::new();
    let block = plate(&mut scene, 1.0, [1.0, 2.0], [0.0, 1.0], [G * sin, -G * cos, 0.0]);
    for x in [-0.5, 0.5] {
        scene.contact(block, None, [x, 0.0], UP, mu);
    }
    scene
}

/// `tilted-box`: tips at tan = w/H where μ is larger, slides at μ where it is smaller.
pub(crate) fn tilted_boxes(view: &View) {
    let limit = 0.5;
    for mu in [0.8, limit * (1.0 + 1e-3)] {
        bracket("tilted box tips", view, 0.1 * NEAR * G, |e| {
            tilted_box(limit * (1.0 + e), mu)
        });
        let tan = limit * (1.0 + NEAR);
        let (sin, cos) = sine_cosine(tan);
        for_each_answer("tilted box tips", &tilted_box(tan, mu), view, |name, found| {
            let expected = -(sin - 0.5 * cos) * G / (5.0 / 3.0);
            assert_near(name, view, found.acceleration[0][2], expected, G);
            assert!(expected < -0.1 * NEAR * G);
        });
    }
    for mu in [0.3, limit * (1.0 - 1e-3)] {
        bracket("tilted box slides", view, 0.1 * NEAR * G, |e| {
            tilted_box(mu * (1.0 + e), mu)
        });
        for_each_answer(
            "tilted box slides",
            &tilted_box(mu * (1.0 + NEAR), mu),
            view,
            |name, found| {
                assert_near(name, view, found.acceleration[0][2], 0.0, G);
            },
        );
    }
}

/// `rod-end-release`: a level rod on one end, N = mg/4, the other end falls with 3g/2.
pub(crate) fn rod_end_release(view: &View) {
    for mu in [0.0, 0.5] {
        let mut scene = Scene::new();
        let rod = scene.body(1.0, 1.0 / 3.0, [0.0, 0.0], [0.0, -G, 0.0]);
        scene.contact(rod, None, [-1.0, 0.0], UP, mu);
        for_each_answer("rod on one end", &scene, view, |name, found| {
            let [_, y, angle] = found.acceleration[0];
            assert_near(name, view, found.normal[0], 0.25 * G, G);
            assert_near(name, view, y + angle, -1.5 * G, G);
        });
    }
}

/// `wedge`: a block (1 kg) on a free wedge (2 kg) of tan 3/4 on ice; the wedge moves with −m g sin cos/(M + m sin²).
pub(crate) fn free_wedge(view: &View) {
    let (sin, cos) = (0.6, 0.8);
    let mut scene = Scene::new();
    let wedge = scene.body(2.0, 3.0, [0.0, 0.0], [0.0, -G, 0.0]);
    let block = plate(
        &mut scene,
        1.0,
        [1.0, 1.0],
        [0.5 * sin, 1.0 + 0.5 * cos],
        [0.0, -G, 0.0],
    );
    for x in [-3.0, 3.0] {
        scene.contact(wedge, None, [x, -1.0], UP, 0.0);
    }
    for s in [-0.5, 0.5] {
        scene.contact(block, Some(wedge), [s * cos, 1.0 - s * sin], [sin, cos], 0.0);
    }
    let expected = -G * sin * cos / (2.0 + sin * sin);
    assert!((expected + 2.033_898_305_084_746).abs() < 1e-14);
    for_each_answer("wedge", &scene, view, |name, found| {
        assert_near(name, view, found.acceleration[0][0], expected, G);
        // Momentum along x is kept.
        assert_near(name, view, found.acceleration[1][0], -2.0 * expected, G);
    });
}

/// `two-block-friction`: m₁ on m₂ on ice, F on the lower; the upper slips when F > μ(m₁ + m₂)g.
pub(crate) fn two_blocks(view: &View) {
    let (upper, lower, mu) = (2.0, 3.0, 0.3);
    for (scale, slips) in [(0.5, false), (1.0 - NEAR, false), (1.0 + NEAR, true), (2.0, true)] {
        let force = scale * mu * (upper + lower) * G;
        let mut scene = Scene::new();
        let below = plate(&mut scene, lower, [4.0, 0.5], [0.0, 0.25], [force / lower, -G, 0.0]);
        let above = plate(&mut scene, upper, [2.0, 0.5], [0.5, 0.75], [0.0, -G, 0.0]);
        for x in [-2.0, 2.0] {
            scene.contact(below, None, [x, 0.0], UP, 0.0);
        }
        for x in [-0.5, 1.5] {
            scene.contact(above, Some(below), [x, 0.5], UP, mu);
        }
        let expected = if slips {
            [(force - mu * upper * G) / lower, mu * G]
        } else {
            [force / (upper + lower); 2]
        };
        for_each_answer("two blocks", &scene, view, |name, found| {
            for (body, expected) in [below, above].into_iter().zip(expected) {
                assert_near(name, view, found.acceleration[body][0], expected, G);
            }
        });
        assert!(!slips || expected[0] - expected[1] > 0.1 * NEAR * G);
    }
}

/// Uniform rod of half length 1 on its lower left end, tan θ given, that slips; `lift` is the centripetal acceleration ω² sin θ.
pub(crate) fn sliding_rod(tan: f64, mu: f64, slip: f64, lift: f64) -> Scene {
    let (sin, cos) = sine_cosine(tan);
    let mut scene = Scene::new();
    let rod = scene.body(1.0, 1.0 / 3.0, [0.0, 0.0], [0.0, -G, 0.0]);
    let end = scene.contact(rod, None, [-cos, -sin], UP, mu);
    scene.slips(end, slip);
    scene.bias(end, [lift, lift / tan]);
    scene
}

/// `painleve`, where a finite force exists: N = (g − ω² sin θ)/(1 + 3cos² ∓ 3μ sin cos), minus where the rod is pushed along.
pub(crate) fn consistent_rods(view: &View) {
    for tan in [0.5, 1.0, 2.0, 5.0] {
        let (sin, cos) = sine_cosine(tan);
        let (own, cross) = (1.0 + 3.0 * cos * cos, 3.0 * sin * cos);
        let limit = own / cross;
        // At tan 2 the limit is least: 4/3.
        assert!(limit >= 4.0 / 3.0 - 1e-15 && (tan != 2.0 || limit <= 4.0 / 3.0 + 1e-15));
        for share in [0.0, 0.25, 0.75, 0.99, 1.0 - NEAR] {
            for lift in [0.0, 0.7 * G] {
                let mu = share * limit;
                let expected = (G - lift) / (own - mu * cross);
                // Newton's steps are bounded; so near to the limit the force is a million times the weight.
                let except: &[Method] = if share > 0.999 { &[Method::NewtonCone] } else { &[] };
                // Rounding of the data grows as the sum in the denominator cancels.
                let size = expected * own / (own - mu * cross);
                for_each_answer_but(
                    except,
                    "rod, pushed along",
                    &sliding_rod(tan, mu, -1.0, lift),
                    view,
                    |name, found| {
                        assert_near(name, view, found.normal[0], expected, size);
                        assert_near(name, view, found.friction[0], mu * expected, size);
                    },
                );
            }
        }
        for mu in [0.5 * limit, limit * (1.0 + NEAR), 2.0, 10.0] {
            let expected = G / (own + mu * cross);
            for_each_answer(
                "rod, pulled along",
                &sliding_rod(tan, mu, 1.0, 0.0),
                view,
                |name, found| {
                    assert_near(name, view, found.normal[0], expected, G);
                    assert_near(name, view, found.friction[0], -mu * expected, G * mu.max(1.0));
                },
            );
        }
    }
}

/// `painleve` beyond its limit: no finite force where the rod would fall, and none is made up by any method.
pub(crate) fn inconsistent_rods(view: &View) {
    for tan in [0.5, 1.0, 2.0, 5.0] {
        let (sin, cos) = sine_cosine(tan);
        let limit = (1.0 + 3.0 * cos * cos) / (3.0 * sin * cos);
        for mu in [limit * (1.0 + NEAR), 1.5 * limit, 10.0 * limit] {
            let problem = sliding_rod(tan, mu, -1.0, 0.0).problem(view);
            for (law, method) in super::ways(false, matches!(view, View::Plane)) {
                let solution = super::solve(&problem, (law, method));
                let name = format!("tan {tan}, mu {mu}, {law:?}, {method:?}: {:?}", solution.drive);
                if method == Some(Method::NewtonCone) {
                    assert_ne!(solution.status, Status::Solved, "{name}");
                    continue;
                }
                assert_eq!(solution.status, Status::UnboundedDrive, "{name}");
                let drive = solution.drive.as_ref().unwrap();
                let (contact, normal, friction) = drive.contacts[0];
                assert!(
                    drive.driven < problem.contact_count() && contact < problem.contact_count(),
                    "{name}"
                );
                let largest = drive.contacts.iter().fold(0.0_f64, |m, (_, n, _)| m.max(*n));
                assert!((largest - 1.0).abs() < 1e-14 && normal > 0.0, "{name}");
                // Friction of the impulse is that of sliding: μ against the slip.
                let size = (friction[0] * friction[0] + friction[1] * friction[1]).sqrt();
                assert_near(&name, view, size, mu * normal, mu);
            }
        }
    }
}

/// Beyond the limit a rod whose end is lifted has two answers: it leaves, or N = (ω² sin θ − g)/(3μ sin cos − 1 − 3cos²).
pub(crate) fn rods_with_two_answers(view: &View) {
    let (tan, mu, lift) = (2.0, 2.0, 2.0 * G);
    let scene = sliding_rod(tan, mu, -1.0, lift);
    let second = (lift - G) / (1.2 * mu - 1.6);
    for_each_answer("rod with two answers", &scene, view, |name, found| {
        let leaves = found.normal[0] == 0.0 && found.friction[0] == 0.0;
        let is_second = (found.normal[0] - second).abs() <= view.tolerance() * second;
        assert!(leaves || is_second, "{name}: {found:?}");
    });
}

/// `rod-impact`: a rod dropped on its end at 1 m/s, tan 2. `painleve` at velocity level: μ = 2, slip −1.
pub(crate) fn rod_impacts(view: &View) {
    let gh = 0.01;
    let cases = [
        ("rod, smooth", 0.0, [0.0, -1.0], [0.625, 0.0]),
        ("rod, sticking", 10.0, [0.0, -1.0], [0.85, 0.3]),
        ("Painleve rod", 2.0, [-1.0, -gh], [0.3 + 0.85 * gh, 0.4 + 0.3 * gh]),
    ];
    let (sin, cos) = sine_cosine(2.0);
    for (what, mu, [x, y], [normal, friction]) in cases {
        let mut scene = Scene::new();
        let rod = scene.body(1.0, 1.0 / 3.0, [0.0, 0.0], [x, y, 0.0]);
        scene.contact(rod, None, [-cos, -sin], UP, mu);
        for_each_answer(what, &scene, view, |name, found| {
            assert_near(name, view, found.normal[0], normal, 1.0);
            assert_near(name, view, found.friction[0], friction, 1.0);
        });
    }
}

/// `rocking-impact-*`: an upright block turns about its right edge at 1 rad/s and lands on its left one.
fn landing_block(half_width: f64, mu: f64) -> Scene {
    let (b, h) = (half_width, 1.0);
    let mut scene = Scene::new();
    // Velocity of the centre: ω × (−b, h).
    let block = plate(&mut scene, 1.0, [2.0 * b, 2.0 * h], [0.0, h], [-h, -b, 1.0]);
    for x in [-b, b] {
        scene.contact(block, None, [x, 0.0], UP, mu);
    }
    scene
}

/// After landing it turns with 1 − (3/2) sin²α of its speed, where friction is enough, and stops where that is negative.
pub(crate) fn rocking_impacts(view: &View) {
    for (b, ratio, least) in [
        (0.2, 49.0 / 52.0, 15.0 / 101.0),
        (0.5, 0.7, 6.0 / 17.0),
        (1.0, 0.25, 0.6),
    ] {
        let sin_squared: f64 = b * b / (1.0 + b * b);
        assert!((ratio - (1.0 - 1.5 * sin_squared)).abs() < 1e-15);
        for mu in [5.0, least * (1.0 + NEAR)] {
            for_each_answer("landing block", &landing_block(b, mu), view, |name, found| {
                let [x, y, angle] = found.acceleration[0];
                assert_near(name, view, angle, ratio, 1.0);
                // It turns about the left edge.
                assert_near(name, view, x, -ratio, 1.0);
                assert_near(name, view, y, b * ratio, 1.0);
                assert_near(name, view, found.friction[0] / found.normal[0], least, 1.0);
            });
        }
        for_each_answer(
            "landing and slipping",
            &landing_block(b, least * (1.0 - NEAR)),
            view,
            |name, found| {
                let [x, _, angle] = found.acceleration[0];
                assert!(x + angle < -0.1 * NEAR, "{name}: the edge slips by {}", x + angle);
            },
        );
    }
    for_each_answer("flat block", &landing_block(1.5, 5.0), view, |name, found| {
        assert_near(name, view, found.fastest(), 0.0, 1.0);
        assert!(found.normal[0] > 0.0 && found.normal[1] > 0.0, "{name}: {found:?}");
    });
}

/// `slide-to-roll-*`, `stop-distance`: what a step keeps does not depend on its length.
pub(crate) fn sliding_stops(view: &View) {
    let (v0, mu, r) = (3.0, 0.2, 0.1);
    for k in [0.4, 0.5, 2.0 / 3.0, 1.0] {
        for h in [0.3, 0.05] {
            for way in [(Law::Coulomb, None), (Law::Coulomb, Some(Method::NewtonCone))] {
                let mut velocity = [v0, 0.0, 0.0];
                for _ in 0..20 {
                    let mut scene = Scene::new();
                    velocity[1] -= h * G;
                    let wheel = scene.body(1.0, k * r * r, [0.0, r], velocity);
                    scene.contact(wheel, None, [0.0, 0.0], UP, mu);
                    let solution = super::solve(&scene.problem(view), way);
                    assert_eq!(solution.status, Status::Solved);
                    velocity = scene.read(view, &solution).acceleration[0];
                }
                assert_near("slide to roll", view, velocity[0], v0 / (1.0 + k), v0);
            }
        }
    }
    let (h, mut x, mut velocity, mut steps) = (0.01, 0.0, 2.0, 0);
    while velocity > 1e-12 && steps < 100 {
        let mut scene = Scene::new();
        let block = plate(&mut scene, 1.0, [1.0, 1.0], [0.0, 0.5], [velocity, -h * G, 0.0]);
        for x in [-0.5, 0.5] {
            scene.contact(block, None, [x, 0.0], UP, 0.5);
        }
        let solution = super::solve(&scene.problem(view), (Law::Coulomb, None));
        assert_eq!(solution.status, Status::Solved);
        velocity = scene.read(view, &solution).acceleration[0][0];
        x += h * velocity;
        steps += 1;
    }
    assert!((39..=41).contains(&steps), "{steps}");
    assert_near("stop distance", view, x, 0.39, 1.0);
}

/// `cradle`: the first of n touching balls comes in at 1 m/s: e = 1 gives (−(n − 2)/n, 2/n, …), which keeps the energy; e = 0 gives 1/n.
pub(crate) fn cradles() {
    for n in [2, 3, 5, 20] {
        for (e, is_poisson) in [(0.0, false), (1.0, false), (1.0, true)] {
            let problem = cradle(n, e, is_poisson);
            for law in [Law::Frictionless, Law::Coulomb, Law::Polyhedral] {
                for method in [None].into_iter().chain(Method::ALL.map(Some)) {
                    if method.is_some_and(|method| !method.laws().contains(&law)) {
                        continue;
                    }
                    let solution = super::solve(&problem, (law, method));
                    let name = format!("{n} balls, e {e}, {law:?}, {method:?}");
                    assert_eq!(solution.status, Status::Solved, "{name}");
                    let count = n as f64;
                    for (ball, v) in solution.velocity.iter().enumerate() {
                        let expected = match (e == 0.0, ball) {
                            (true, _) => 1.0 / count,
                            (false, 0) => -(count - 2.0) / count,
                            (false, _) => 2.0 / count,
                        };
                        assert_near(&name, &View::Plane, *v, expected, 1.0);
                    }
                    let energy: f64 = solution.velocity.iter().map(|v| v * v).sum();
                    assert!(e == 0.0 || (energy - 1.0).abs() < 1e-12, "{name}: {energy}");
                }
            }
        }
    }
}

fn cradle(n: usize, e: f64, is_poisson: bool) -> ContactProblem {
    let mut problem = ContactProblem::new();
    for ball in 0..n {
        problem.add_block(&[1.0], &[if ball == 0 { 1.0 } else { 0.0 }]).unwrap();
    }
    let (back, front): ([&[f64]; 3], [&[f64]; 3]) = ([&[-1.0], &[0.0], &[0.0]], [&[1.0], &[0.0], &[0.0]]);
    for i in 0..n - 1 {
        let contact = problem.add_contact(&[(i, back), (i + 1, front)], 0.0).unwrap();
        if is_poisson {
            problem.set_restitution(contact, e).unwrap();
        } else if i == 0 {
            // Newton: e times the velocity of approach.
            problem.set_bias(contact, [-e, 0.0, 0.0]).unwrap();
        }
    }
    problem
}
