//! Scenes at rest, and where they stop to be.

use super::{G, NEAR, Scene, View, assert_near, bracket, for_each_answer, holds, moves, sine_cosine};
use stiction_contact::check::{Answer, Terms, check};
use stiction_contact::{ContactProblem, Law};

/// Accelerations just outside a limit are of the order 1e-6 g; this much at least is seen.
const SEEN: f64 = 1e-2 * NEAR * G;
const DOWN: [f64; 3] = [0.0, -G, 0.0];
const UP: [f64; 2] = [0.0, 1.0];

/// Uniform rod from `foot` to `head`.
fn rod(scene: &mut Scene, mass: f64, foot: [f64; 2], head: [f64; 2]) -> usize {
    let along = [head[0] - foot[0], head[1] - foot[1]];
    let inertia = mass * (along[0] * along[0] + along[1] * along[1]) / 12.0;
    let centre = [0.5 * (foot[0] + head[0]), 0.5 * (foot[1] + head[1])];
    scene.body(mass, inertia, centre, DOWN)
}

/// Uniform box w × h.
pub(crate) fn plate(scene: &mut Scene, mass: f64, [w, h]: [f64; 2], centre: [f64; 2], free: [f64; 3]) -> usize {
    scene.body(mass, mass * (w * w + h * h) / 12.0, centre, free)
}

/// Ladder of length 2 on a floor with μ₁ against a wall with μ₂.
fn ladder(tan: f64, mu: [f64; 2]) -> Scene {
    let (sin, cos) = sine_cosine(tan);
    let mut scene = Scene::new();
    scene.braces();
    let head = [2.0 * cos, 2.0 * sin];
    let body = rod(&mut scene, 1.5, [0.0, 0.0], head);
    scene.contact(body, None, [0.0, 0.0], UP, mu[0]);
    scene.contact(body, None, head, [-1.0, 0.0], mu[1]);
    scene
}

/// `ladder`: slips below tan = (1 − μ₁μ₂)/(2μ₁). With a rough wall the forces are not unique.
pub(crate) fn ladders(view: &View) {
    for (mu, limit) in [([0.5, 0.5], 0.75), ([0.4, 0.0], 1.25), ([0.3, 0.7], 0.79_f64 / 0.6)] {
        assert!((limit - (1.0 - mu[0] * mu[1]) / (2.0 * mu[0])).abs() < 1e-15);
        let what = format!("ladder {mu:?}");
        bracket(&what, view, SEEN, |e| ladder(limit * (1.0 - e), mu));
        holds(&what, &ladder(2.0 * limit, mu), view);
    }
    // Smooth wall: N = mg/(2 tan) there and at the floor N = mg with this friction.
    for_each_answer("ladder, smooth wall", &ladder(2.0, [0.4, 0.0]), view, |name, found| {
        let weight = 1.5 * G;
        assert_near(name, view, found.normal[0], weight, weight);
        assert_near(name, view, found.normal[1], weight / 4.0, weight);
        assert_near(name, view, found.friction[0], weight / 4.0, weight);
    });
    // Rough wall: equilibrium of the forces and of their moments about the foot, and both cones.
    for_each_answer("ladder, rough wall", &ladder(1.0, [0.5, 0.5]), view, |name, found| {
        let weight = 1.5 * G;
        let ([n, f], [wall, up]) = (
            [found.normal[0], found.friction[0]],
            // The tangent of the wall is (0, 1).
            [found.normal[1], found.friction[1]],
        );
        assert_near(name, view, f, wall, weight);
        assert_near(name, view, n + up, weight, weight);
        assert_near(name, view, 2.0 * wall + 2.0 * up, weight, weight);
        assert!(
            f.abs() <= 0.5 * n + 1e-9 && up.abs() <= 0.5 * wall + 1e-9,
            "{name}: {found:?}"
        );
    });
}

/// Two cards of length 2 that lean on each other.
fn card_house(tan: f64, mu: f64) -> Scene {
    let (sin, cos) = sine_cosine(tan);
    let mut scene = Scene::new();
    scene.braces();
    let apex = [0.0, 2.0 * sin];
    let feet = [[-2.0 * cos, 0.0], [2.0 * cos, 0.0]];
    let cards = feet.map(|foot| {
        let card = rod(&mut scene, 0.5, foot, apex);
        scene.contact(card, None, foot, UP, mu);
        card
    });
    scene.contact(cards[1], Some(cards[0]), apex, [1.0, 0.0], mu);
    scene
}

/// `card-house`: stands when tan ≥ 1/(2μ).
pub(crate) fn card_houses(view: &View) {
    for mu in [0.2, 0.5, 1.0] {
        let limit = 1.0 / (2.0 * mu);
        bracket("card house", view, SEEN, |e| card_house(limit * (1.0 - e), mu));
        // tan = 1/μ: the cards push each other by mg/(2 tan).
        for_each_answer("card house", &card_house(2.0 * limit, mu), view, |name, found| {
            let weight = 0.5 * G;
            assert_near(name, view, found.normal[2], 0.5 * weight * mu, weight);
            assert_near(name, view, found.friction[2], 0.0, weight);
            assert_near(name, view, found.normal[0], weight, weight);
            assert_near(name, view, found.friction[0], 0.5 * weight * mu, weight);
        });
    }
}

/// Two cylinders on a floor that touch, a third on top.
fn cylinders(floor: f64, between: f64) -> Scene {
    let mut scene = Scene::new();
    scene.braces();
    let high = 3.0_f64.sqrt();
    let [left, right, top] =
        [[-1.0, 1.0], [1.0, 1.0], [0.0, 1.0 + high]].map(|centre| scene.body(2.0, 1.0, centre, DOWN));
    scene.contact(left, None, [-1.0, 0.0], UP, floor);
    scene.contact(right, None, [1.0, 0.0], UP, floor);
    scene.contact(top, Some(left), [-0.5, 1.0 + 0.5 * high], [0.5, 0.5 * high], between);
    scene.contact(top, Some(right), [0.5, 1.0 + 0.5 * high], [-0.5, 0.5 * high], between);
    scene.contact(right, Some(left), [0.0, 1.0], [1.0, 0.0], between);
    scene
}

/// `three-cylinders`: needs (2 − √3)/3 at the floor and 2 − √3 between cylinders.
pub(crate) fn three_cylinders(view: &View) {
    let between = 2.0 - 3.0_f64.sqrt();
    let floor = between / 3.0;
    bracket("cylinders, floor", view, SEEN, |e| cylinders(floor * (1.0 - e), 0.5));
    bracket("cylinders, between", view, SEEN, |e| {
        cylinders(0.5, between * (1.0 - e))
    });
    holds("cylinders", &cylinders(0.2, 0.4), view);
    // At the limit only one sharing of the load is left, but for the part that is within it.
    let scene = cylinders(floor * (1.0 + NEAR), 0.5);
    for_each_answer("cylinders, forces", &scene, view, |name, found| {
        let weight = 2.0 * G;
        for foot in [0, 1] {
            assert_near(name, view, found.normal[foot], 1.5 * weight, weight);
            assert!(
                (found.friction[foot].abs() / weight - 0.5 * between).abs() < 2.0 * NEAR,
                "{name}: {found:?}"
            );
        }
        assert!(found.normal[4] <= 2.0 * NEAR * weight, "{name}: {found:?}");
    });
}

/// Peg of width 1 between a wall on the right, at its foot, and an edge on the left at height l. Force `push` down at x = `offset`.
fn peg(l: f64, mu: f64, push: f64, offset: f64) -> Scene {
    let (mass, inertia) = (0.5, 0.25);
    let mut scene = Scene::new();
    scene.braces();
    let free = [0.0, -push / mass, -push * offset / inertia];
    let body = scene.body(mass, inertia, [0.0, 0.3], free);
    scene.contact(body, None, [0.5, 0.0], [-1.0, 0.0], mu);
    scene.contact(body, None, [-0.5, l], [1.0, 0.0], mu);
    scene
}

/// `peg-wedging`: holds any push iff l/d ≤ μ. Sliding, both contacts carry N = M/l, M = −push·offset.
pub(crate) fn pegs(view: &View) {
    for mu in [0.1, 0.3, 0.8] {
        for push in [1e-3_f64, 1.0, 1e3] {
            let size = push.max(1.0);
            // Pushed above the edge: sliding friction 2μM/l = push·μd/l holds exactly to the limit, and the answer is unique.
            holds("peg, inside", &peg(mu * (1.0 - NEAR), mu, push, -0.5), view);
            let l = mu * (1.0 + NEAR);
            for_each_answer("peg, outside", &peg(l, mu, push, -0.5), view, |name, found| {
                let expected = -push * (1.0 - mu / l) / 0.5;
                assert_near(name, view, found.acceleration[0][1], expected, size * G);
                assert!(found.acceleration[0][1] < -0.5 * NEAR * push, "{name}: holds");
            });
        }
        wedges_by_itself(mu, view);
    }
}

/// Pushed nearer to its axis than friction alone can hold: below the limit the peg may hold, wedged, or slide; above it slides.
fn wedges_by_itself(mu: f64, view: &View) {
    let (push, offset) = (1.0, -0.25);
    let slide = |l: f64| -(push - 2.0 * mu * -offset * push / l) / 0.5;
    for (l, may_hold) in [(mu * (1.0 - NEAR), true), (0.7 * mu, true), (mu * (1.0 + NEAR), false)] {
        let scene = peg(l, mu, push, offset);
        assert!(slide(l) < 0.0);
        for_each_answer("peg, near its axis", &scene, view, |name, found| {
            let [_, down, _] = found.acceleration[0];
            let error = (down - slide(l)).abs();
            let is_still = may_hold && found.fastest() <= view.tolerance() * G;
            assert!(error <= view.tolerance() * G || is_still, "{name}: {down}");
        });
        if matches!(view, View::Plane) {
            // N large enough: f₁ + f₂ = push, N l = M + (f₁ − f₂) d/2, both within μN.
            let normal = 2.0 * (0.5 * push + offset * push).abs().max(1.0) / (mu - l).abs();
            let difference = 2.0 * (normal * l + offset * push);
            let friction = [0.5 * (push + difference), 0.5 * (push - difference)];
            assert_eq!(
                accepts_wedge(&scene.problem(view), normal, friction),
                may_hold,
                "μ {mu}, l {l}"
            );
        }
    }
}

/// Judges forces of a wedged peg. Upwards is along the tangent at the wall on the right, against it at the edge on the left.
fn accepts_wedge(problem: &ContactProblem, normal: f64, up: [f64; 2]) -> bool {
    let answer = Answer {
        normal: &[normal, normal],
        friction: &[[up[0], 0.0], [-up[1], 0.0]],
        phi: None,
        joint: &[],
    };
    let terms = Terms {
        law: Law::CoulombAcceleration,
        directions: 4,
        tolerance: super::TOLERANCE,
    };
    check(problem, terms, answer).unwrap().solved
}

/// k boxes a × b of weight 1 in a row, between a wall and a finger that pushes with `force`.
fn row(k: usize, [a, b]: [f64; 2], mu: f64, force: f64) -> Scene {
    let mut scene = Scene::new();
    scene.braces();
    let boxes: Vec<usize> = (0..k)
        .map(|i| plate(&mut scene, 1.0 / G, [a, b], [a * (i as f64 + 0.5), 0.0], DOWN))
        .collect();
    let finger = scene.body(1.0, 1.0, [a * k as f64 + 1.0, 0.0], [-force, -G, 0.0]);
    scene.guide(finger);
    for j in 0..=k {
        let left = j.checked_sub(1).map(|i| boxes[i]);
        let right = boxes.get(j).copied().unwrap_or(finger);
        for y in [-0.5 * b, 0.5 * b] {
            scene.contact(right, left, [a * j as f64, y], [1.0, 0.0], mu);
        }
    }
    scene
}

/// `grasp-chain`: holds when P ≥ max(kW/(2μ), max_j j(k − j) W a/(2b)).
pub(crate) fn squeezed_rows(view: &View) {
    let cases = [
        (1, [1.0, 1.0], 0.5, 1.0),
        (2, [1.0, 1.0], 0.5, 2.0),
        (3, [1.0, 1.0], 0.3, 5.0),
        (4, [1.0, 1.0], 5.0, 2.0),
        (2, [5.0, 1.0], 5.0, 2.5),
        (5, [0.5, 1.0], 5.0, 1.5),
    ];
    for (k, [a, b], mu, limit) in cases {
        let thrust = (1..k).map(|j| (j * (k - j)) as f64 * a / (2.0 * b)).fold(0.0, f64::max);
        assert!((limit - (k as f64 / (2.0 * mu)).max(thrust)).abs() < 1e-15);
        let what = format!("row of {k}, {a} x {b}, mu {mu}");
        bracket(&what, view, SEEN, |e| row(k, [a, b], mu, limit * (1.0 - e)));
        holds(&what, &row(k, [a, b], mu, 10.0 * limit), view);
    }
}

/// Four bricks of length 1 over a table's edge at x = 0, each as far out as it may be, times `scale`.
fn bricks(scale: f64) -> Scene {
    let (n, height) = (4, 0.25);
    let mut scene = Scene::new();
    let (mut below, mut edge) = (None, 0.0);
    for level in 0..n {
        // From the bottom 1/(2n), …, 1/4, 1/2.
        let end = edge + scale / (2.0 * f64::from(n - level));
        let centre = [end - 0.5, height * (f64::from(level) + 0.5)];
        let brick = plate(&mut scene, 1.0, [1.0, height], centre, DOWN);
        for x in [end - 1.0, edge] {
            scene.contact(brick, below, [x, height * f64::from(level)], UP, 0.5);
        }
        (below, edge) = (Some(brick), end);
    }
    let overhang = 25.0 / 24.0;
    assert!((edge - scale * overhang).abs() < 1e-15);
    scene
}

/// `overhang`: H₄/2 = 25/24 stands at 1 − 1e-6 and falls at 1 + 1e-6.
pub(crate) fn overhang(view: &View) {
    bracket("overhang", view, SEEN, |e| bricks(1.0 + e));
    moves("overhang, far out", &bricks(1.1), view, 0.1);
}

/// `mass-ratio`: a block of 1 kg below one of 10⁶ kg, and the other way round.
pub(crate) fn mass_ratio(view: &View) {
    for (lower, upper) in [(1.0, 1e6), (1e6, 1.0)] {
        let mut scene = Scene::new();
        let mut below = None;
        for (level, mass) in [lower, upper].into_iter().enumerate() {
            let block = plate(&mut scene, mass, [1.0, 1.0], [0.0, level as f64 + 0.5], DOWN);
            for x in [-0.5, 0.5] {
                scene.contact(block, below, [x, level as f64], UP, 0.5);
            }
            below = Some(block);
        }
        for_each_answer("mass ratio", &scene, view, |name, found| {
            for (pair, weight) in [([0, 1], (lower + upper) * G), ([2, 3], upper * G)] {
                let force = found.normal[pair[0]] + found.normal[pair[1]];
                assert!((force / weight - 1.0).abs() <= 1e-9, "{name}: {force}");
            }
        });
    }
}
