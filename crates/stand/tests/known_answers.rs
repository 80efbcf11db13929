//! Structures whose statics is known: by hand, from the literature, or from an independent program.
#![allow(clippy::unwrap_used)]

mod structures;

use std::f64::consts::PI;

use stiction_stand::balance::{balance, moved};
use stiction_stand::question::{Any, Question, answer};
use stiction_stand::report::Along;
use stiction_stand::{
    Equilibrium, Existence, Known, Margin, Only, PairMotion, SelfStress, StandError, Word, decide, existence,
    least_friction, limit, margin, normal_range, pair_motions, pairs, self_stress, vary,
};
use structures::{arch, hung_book, ladder, overhang, tower, wall, wedge};

const X: [f64; 3] = [1.0, 0.0, 0.0];

fn tilt(whole: &Equilibrium) -> Margin {
    let inner = match existence(whole) {
        Existence::Forces(balanced) => Some(balanced),
        _ => None,
    };
    let known = Known {
        inner: inner.as_ref(),
        ..Known::default()
    };
    margin(whole, &whole.lean(X), known)
}

/// Both ends proved, the expected value between them, and no farther apart than said.
fn assert_margin(whole: &Equilibrium, expected: f64, within: f64) -> Margin {
    let margin = tilt(whole);
    let low = margin.low.as_ref().unwrap().lambda;
    assert!(low <= margin.high, "{low} {}", margin.high);
    assert!(
        (low - expected).abs() <= within && (margin.high - expected).abs() <= within,
        "{low} {} {expected}",
        margin.high
    );
    margin
}

fn leaning(whole: &Equilibrium, lambda: f64) -> Equilibrium {
    let lean = whole.lean(X);
    whole.with_load(whole.load().iter().zip(lean).map(|(w, d)| w + lambda * d).collect())
}

fn word(whole: &Equilibrium) -> Word {
    decide(whole, &stiction_stand::Ask::default()).unwrap().word
}

#[test]
fn t01_a_box_slides_at_the_angle_of_friction() {
    let whole = tower(1, 0.6);
    let margin = assert_margin(&whole, 0.6, 1e-8);
    let motions = pair_motions(&whole, &margin.mechanism);
    assert!(
        motions.iter().all(|(_, motion)| *motion == PairMotion::Slider),
        "{motions:?}"
    );
}

#[test]
fn t02_a_rough_box_tips_over_its_edge() {
    let whole = tower(1, 1.5);
    let margin = assert_margin(&whole, 1.0, 1e-8);
    assert_eq!(pair_motions(&whole, &margin.mechanism)[0].1, PairMotion::Hinge);
}

#[test]
fn t03_a_tower_of_n_boxes_tips_at_one_nth() {
    for n in [2, 3, 5, 8] {
        assert_margin(&tower(n, 0.6), 1.0 / n as f64, 1e-8);
    }
}

#[test]
fn t04_the_harmonic_overhang_stands_by_a_millionth() {
    assert_margin(&overhang(4, 0.9), 0.125, 1e-7);
    let shy = overhang(4, 1.0 - 1e-6);
    assert_eq!(word(&shy), Word::Stands);
    assert_margin(&shy, 1.25e-6, 3e-8);
    assert_eq!(word(&overhang(4, 1.0 + 1e-6)), Word::Falls);
}

#[test]
fn t05_the_least_thickness_of_arches_is_that_of_the_literature() {
    for (n, expected) in [(20, 0.107_460), (27, 0.106_776), (50, 0.107_460), (100, 0.107_460)] {
        let varied = vary([0.1, 0.115], 2, |t| Ok::<_, StandError>(arch(n, t, 0.7))).unwrap();
        let change = &varied.changes[0];
        let (stands, falls) = (change.stands.value, change.falls.value);
        assert!(falls < stands && stands - falls < 1e-6, "{n}: {falls} {stands}");
        assert!((stands - expected).abs() < 1e-6, "{n}: {stands}");
    }
}

#[test]
fn t06_the_least_friction_of_arches_is_that_of_the_literature() {
    for (thickness, expected) in [(0.108, 0.394_66), (0.12, 0.381_65), (0.2, 0.309_21), (0.3, 0.309_21)] {
        let varied = least_friction(&arch(100, thickness, 0.7), 1.0).unwrap();
        let change = &varied.changes[0];
        let (stands, falls) = (0.7 * change.stands.value, 0.7 * change.falls.value);
        assert!(falls < stands && stands - falls < 1e-5);
        assert!((stands - expected).abs() < 1.5e-5, "{thickness}: {stands}");
    }
}

#[test]
fn t07_arches_lean_as_far_as_two_ends_prove() {
    let margin = assert_margin(&arch(20, 0.12, 0.7), 0.048_190_73, 5e-9);
    let hinges = pair_motions(&arch(20, 0.12, 0.7), &margin.mechanism);
    assert_eq!(hinges.len(), 4, "{hinges:?}");
    assert!(hinges.iter().all(|(_, motion)| *motion == PairMotion::Hinge));
    assert_margin(&arch(50, 0.12, 0.7), 0.046_510_15, 2e-8);
}

#[test]
fn t08_a_wall_of_a_hundred_bricks_leans_in_its_plane() {
    assert_margin(&wall(10, 10, 0.6), 0.460_359_1, 5e-8);
}

#[test]
fn t10_a_block_between_walls_may_fall_and_both_answers_are_accepted() {
    let verdict = decide(&wedge(0.84, 0.0), &stiction_stand::Ask::default()).unwrap();
    assert_eq!(verdict.word, Word::MayFall);
    let (rest, motion) = (verdict.rest.unwrap(), verdict.motion.unwrap());
    assert!(rest.accepted && !rest.moves && rest.residual.worst < 1e-11);
    assert!(motion.accepted && (motion.speed - 0.0981).abs() < 1e-9 && motion.residual.worst < 1e-11);
    assert!(matches!(verdict.self_stress, SelfStress::Some(_)));
}

#[test]
fn t11_gaps_that_lean_together_let_go_beyond_the_angle_of_friction() {
    let degrees = |d: f64| d * PI / 180.0;
    assert_eq!(word(&wedge(0.84, degrees(-20.0))), Word::MayFall);
    assert_eq!(word(&wedge(0.84, degrees(-45.0))), Word::Falls);
    // atan 0.84 = 40.03°.
    assert_eq!(word(&wedge(0.84, degrees(-40.1))), Word::Falls);
    assert_eq!(word(&wedge(0.84, degrees(-39.9))), Word::MayFall);
    for mu in [0.2, 0.84] {
        let verdict = decide(&wedge(mu, degrees(20.0)), &stiction_stand::Ask::default()).unwrap();
        assert!(verdict.word == Word::Stands && matches!(verdict.only, Some(Only::NormalForces(_))));
    }
}

#[test]
fn t12_a_book_hung_between_two_may_fall_although_it_cannot_be_wedged() {
    let whole = hung_book(0.5);
    let verdict = decide(&whole, &stiction_stand::Ask::default()).unwrap();
    assert_eq!(verdict.word, Word::MayFall);
    assert!(matches!(verdict.self_stress, SelfStress::None(_)));
    // Between 9.81 N and 26.98 N at rest, nothing while it falls.
    let pair = pairs(&whole).into_iter().find(|pair| pair.bodies == [3, 1]).unwrap();
    let [low, high] = normal_range(&whole, &pair.contacts).unwrap();
    assert!((low - 9.81).abs() < 1e-6 && (high - 26.98).abs() < 5e-3, "{low} {high}");
    let falling = verdict.motion.unwrap();
    let pushed: f64 = pair.contacts.iter().map(|j| falling.forces.contacts[*j][0]).sum();
    assert!(pushed.abs() < 1e-9);
}

#[test]
fn t13_a_ladder_slides_below_the_angle_of_its_friction() {
    assert_eq!(word(&ladder(0.5, 0.5, 50.0)), Word::Stands);
    assert_eq!(word(&ladder(0.3, 0.3, 50.0)), Word::Falls);
    // tan θ = (1 − μ²)/(2μ).
    for mu in [0.5_f64, 0.3] {
        let limit = ((1.0 - mu * mu) / (2.0 * mu)).atan().to_degrees();
        let varied = vary([limit - 3.0, limit + 3.0], 2, |angle| {
            Ok::<_, StandError>(ladder(mu, mu, angle))
        })
        .unwrap();
        assert!((varied.changes[0].stands.value - limit).abs() < 1e-5, "{mu} {limit}");
        assert!((varied.changes[0].falls.value - limit).abs() < 1e-5);
    }
}

#[test]
fn t18_forces_have_the_ranges_that_two_programs_each_give() {
    let whole = tower(5, 0.6);
    let [low, high] = normal_range(&whole, &pairs(&whole)[0].contacts).unwrap();
    assert!(
        (low - 49.05).abs() < 1e-7 && (high - 49.05).abs() < 1e-7,
        "{low} {high}"
    );
    let whole = arch(20, 0.12, 0.7);
    let of = |k: usize| normal_range(&whole, &pairs(&whole)[k].contacts).unwrap();
    let [low, high] = of(0);
    assert!(
        (low - 0.5509).abs() < 1e-4 && (high - 0.5586).abs() < 1e-4,
        "{low} {high}"
    );
    let [low, high] = of(10);
    assert!(
        (low - 0.2116).abs() < 1e-4 && (high - 0.2300).abs() < 1e-4,
        "{low} {high}"
    );
}

#[test]
fn t19_each_leg_of_a_table_carries_at_most_half() {
    let mut whole = structures::ground();
    let table = whole
        .add_body("table", 2.0, structures::solid(2.0, [1.0, 1.0, 0.1]), [0.0, 0.0, 0.7])
        .unwrap();
    structures::face(&mut whole, [table, 0], [-0.5, 0.5], [-0.5, 0.5], 0.0, 0.5);
    for leg in 0..4 {
        let [low, high] = normal_range(&whole, &[leg]).unwrap();
        assert!(low.abs() < 1e-7 && (high - 9.81).abs() < 1e-7, "{low} {high}");
    }
    let [low, high] = normal_range(&whole, &[0, 1, 2, 3]).unwrap();
    assert!((low - 19.62).abs() < 1e-7 && (high - 19.62).abs() < 1e-7);
}

#[test]
fn t21_a_leaning_wall_may_fall_before_its_static_limit() {
    let whole = wall(6, 6, 0.6);
    let most = tilt(&whole).estimate;
    let verdict = decide(&leaning(&whole, 0.99 * most), &stiction_stand::Ask::default()).unwrap();
    assert_eq!(verdict.word, Word::MayFall);
    assert!(verdict.rest.unwrap().accepted);
    let motion = verdict.motion.unwrap();
    assert!(
        motion.accepted && motion.speed > 1e-4 && motion.speed < 1e-3,
        "{}",
        motion.speed
    );
    for (rows, expected) in [(4, 1.0), (6, 0.9856), (10, 0.9674)] {
        let whole = wall(rows, rows, 0.6);
        let most = tilt(&whole).estimate;
        let found = limit(&whole, &whole.lean(X), most).unwrap().unwrap();
        assert!(found.agree, "{rows}: {found:?}");
        assert!(
            (found.rests / most - expected).abs() < 1.5e-4,
            "{rows}: {found:?} {most}"
        );
    }
}

#[test]
fn t23_a_stack_without_friction_is_carried_by_normal_forces_alone() {
    let verdict = decide(&tower(3, 0.0), &stiction_stand::Ask::default()).unwrap();
    assert!(verdict.word == Word::Stands && matches!(verdict.only, Some(Only::NormalForces(_))));
}

#[test]
fn t24_nothing_to_ask_is_no_error() {
    assert_eq!(word(&structures::ground()), Word::Stands);
    assert_eq!(word(&Equilibrium::new(false, [0.0, 0.0, -9.81])), Word::Stands);
    let mut falling = structures::ground();
    falling
        .add_body("stone", 1.0, structures::solid(1.0, [1.0; 3]), [0.0; 3])
        .unwrap();
    assert_eq!(word(&falling), Word::Falls);
    let mut floating = Equilibrium::new(false, [0.0; 3]);
    floating
        .add_body("stone", 1.0, structures::solid(1.0, [1.0; 3]), [0.0; 3])
        .unwrap();
    assert_eq!(word(&floating), Word::Stands);
}

#[test]
fn a_structure_that_cannot_be_wedged_explodes() {
    assert!(matches!(self_stress(&arch(20, 0.12, 0.7)), SelfStress::None(_)));
    assert!(matches!(self_stress(&wedge(0.84, 0.3)), SelfStress::Some(_)));
}

/// A box of 8 kg on four corners, no more than so much on each.
fn limited(most: f64) -> Equilibrium {
    let mut whole = structures::ground();
    let body = whole
        .add_body("box", 8.0, structures::solid(8.0, [1.0; 3]), [0.0, 0.0, 0.5])
        .unwrap();
    structures::face(&mut whole, [body, 0], [-0.5, 0.5], [-0.5, 0.5], 0.0, 0.6);
    whole.set_force_limit(Some(most)).unwrap();
    whole
}

#[test]
fn no_contact_pushes_beyond_the_force_limit() {
    // 78.48 N on four corners.
    assert_eq!(word(&limited(5.0)), Word::Falls);
    assert_eq!(word(&limited(19.6)), Word::Falls);
    assert_eq!(word(&limited(19.7)), Word::Stands);
    let whole = limited(30.0);
    let margin = tilt(&whole);
    let low = margin.low.unwrap();
    assert!(low.forces.contacts.iter().all(|f| f[0] + low.proof.distance <= 30.0));
    // 2 · 30 N on the lower side and 18.48 N on the other: the load acts (60 − 18.48)/78.48 · 0.5 m off the middle, 0.5 m above the ground.
    let expected = (60.0 - 18.48) / 78.48;
    assert!((low.lambda - expected).abs() < 1e-6 && (margin.high - expected).abs() < 1e-6);
    assert!(margin.limits.contact >= 30.0);
    let [_, high] = normal_range(&whole, &[0]).unwrap();
    assert!((high - 30.0).abs() < 1e-6, "{high}");
    // Only so much is needed in the region and with less friction.
    let region = stiction_stand::lean_region(&whole, [X, [0.0, 1.0, 0.0]]);
    let [least, most] = region.radius();
    assert!(
        least <= most && most < expected + 1e-6 && least > 0.9 * expected,
        "{least} {most}"
    );
    let friction = least_friction(&limited(5.0), 4.0).unwrap();
    assert!(friction.changes.is_empty() && friction.samples.iter().all(|(_, stands)| *stands == Some(false)));
    assert_eq!(limit(&whole, &whole.lean(X), low.lambda).unwrap(), None);
    let mut other = whole.clone();
    assert!(other.set_force_limit(Some(-1.0)).is_err() && other.set_force_limit(Some(f64::NAN)).is_err());
}

/// A ball on a slope whose normal is given.
fn ball(normal: [f64; 3], at: [f64; 3]) -> Equilibrium {
    let mut whole = structures::ground();
    let radius = 0.3;
    let center: [f64; 3] = std::array::from_fn(|k| at[k] + radius * normal[k]);
    let body = whole
        .add_body("ball", 2.0, structures::solid(2.0, [0.6; 3]), center)
        .unwrap();
    whole.add_contact([body, 0], at, normal, 0.5).unwrap();
    whole
}

/// A pipe that lies on two points of its length, turned about the vertical.
fn pipe(turn: f64, mu: f64) -> Equilibrium {
    let mut whole = structures::ground();
    let (c, s) = (turn.cos(), turn.sin());
    let body = whole
        .add_body("pipe", 3.0, structures::solid(3.0, [2.0, 0.2, 0.2]), [0.1, 0.7, 0.1])
        .unwrap();
    for end in [-0.9, 0.9] {
        let at = [0.1 + end * c, 0.7 + end * s, 0.0];
        whole.add_contact([body, 0], at, [0.0, 0.0, 1.0], mu).unwrap();
    }
    whole
}

#[test]
fn what_rolls_freely_rests_where_nothing_drives_it() {
    let upright = ball([0.0, 0.0, 1.0], [0.4, -0.2, 0.0]);
    let verdict = decide(&upright, &stiction_stand::Ask::default()).unwrap();
    assert!(verdict.word == Word::Stands && matches!(verdict.only, Some(Only::NormalForces(_))));
    let Existence::Forces(balanced) = &verdict.existence else {
        panic!()
    };
    assert_eq!(balanced.proof.unwrap().slack, 0.0);
    assert_eq!(word(&ball([0.6, 0.0, 0.8], [0.0; 3])), Word::Falls);
    for (turn, mu) in [(0.0, 0.5), (0.5, 0.5), (1.234, 0.0), (2.0, 0.9)] {
        let whole = pipe(turn, mu);
        let verdict = decide(&whole, &stiction_stand::Ask::default()).unwrap();
        assert_eq!(verdict.word, Word::Stands, "{turn} {mu}: {:?}", verdict.reason);
        let Existence::Forces(balanced) = &verdict.existence else {
            panic!()
        };
        // What rounding of the points leaves is said.
        assert!(balanced.proof.unwrap().slack <= 1e-12 * 3.0 * 9.81);
        // It rolls as soon as it leans across, and slides along itself with μ.
        let across = [-turn.sin(), turn.cos(), 0.0];
        let rolls = margin(&whole, &whole.lean(across), Known::default());
        assert!(rolls.high < 1e-6, "{turn}: {}", rolls.high);
    }
    // A pipe on a pipe's side that leans to roll.
    let mut leaning = pipe(0.5, 0.5);
    let body = 1;
    leaning
        .add_load(body, [-0.5_f64.sin() * 1e-3, 0.5_f64.cos() * 1e-3, 0.0], None)
        .unwrap();
    assert_eq!(word(&leaning), Word::Falls);
}

#[test]
fn t23_a_turned_stack_without_friction_stands_too() {
    let mut whole = structures::ground();
    for k in 0..3 {
        let z = f64::from(k);
        let body = whole
            .add_body(
                format!("box {k}"),
                1.0,
                structures::solid(1.0, [1.0; 3]),
                [0.3, 0.1, z + 0.5],
            )
            .unwrap();
        let (c, s) = (0.7_f64.cos(), 0.7_f64.sin());
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            let at = [0.3 + c * x - s * y, 0.1 + s * x + c * y, z];
            whole.add_contact([body, body - 1], at, [0.0, 0.0, 1.0], 0.0).unwrap();
        }
    }
    assert_eq!(word(&whole), Word::Stands);
}

#[test]
fn a_squeeze_is_commanded_by_bodies_that_can_move_and_holds_nothing_else() {
    let squeezed = |whole: &Equilibrium, squeeze: Vec<usize>| {
        decide(
            whole,
            &stiction_stand::Ask {
                squeeze,
                ..stiction_stand::Ask::default()
            },
        )
    };
    let whole = hung_book(0.5);
    let verdict = squeezed(&whole, vec![1, 2]).unwrap();
    assert_eq!(verdict.word, Word::Stands);
    let squeeze = verdict.squeeze.unwrap();
    // Half the weight of 9.81 N over μ.
    assert!((squeeze.least.unwrap() - 9.81).abs() < 1e-5, "{:?}", squeeze.least);
    assert_eq!(squeeze.contacts, whole.squeezing(&[1, 2]));
    // The table cannot squeeze, nor does a name squeeze what it does not touch.
    assert!(squeezed(&whole, vec![0]).is_err());
    assert!(squeezed(&wedge(0.84, 0.0), vec![1]).is_err());
    // A second book, hung elsewhere, falls all the same.
    let mut two = hung_book(0.5);
    let first = two.names().len();
    for (name, x) in [("far left", 9.0), ("far right", 11.0)] {
        let body = two
            .add_body(name, 5.0, structures::solid(5.0, [1.0; 3]), [x, 0.0, 0.5])
            .unwrap();
        structures::face(&mut two, [body, 0], [x - 0.5, x + 0.5], [-0.5, 0.5], 0.0, 0.5);
    }
    let body = two
        .add_body(
            "far book",
            1.0,
            structures::solid(1.0, [1.0, 1.0, 0.4]),
            [10.0, 0.0, 0.7],
        )
        .unwrap();
    for (side, x, normal) in [(first, 9.5, 1.0), (first + 1, 10.5, -1.0)] {
        for (y, z) in [(-0.5, 0.5), (0.5, 0.5), (-0.5, 0.9), (0.5, 0.9)] {
            two.add_contact([body, side], [x, y, z], [normal, 0.0, 0.0], 0.5)
                .unwrap();
        }
    }
    assert_eq!(word(&two), Word::MayFall);
    let verdict = squeezed(&two, vec![1, 2]).unwrap();
    assert_eq!(verdict.word, Word::MayFall);
    let moving = stiction_stand::fastest(&two, &verdict.motion.unwrap().velocity);
    assert_eq!(moving, body);
}

/// A block whose centre lies so far beyond the edge of the block that carries it.
fn over_the_edge(beyond: f64) -> Equilibrium {
    let mut whole = structures::ground();
    let body = whole
        .add_body(
            "block",
            2.0,
            structures::solid(2.0, [1.0, 1.0, 0.5]),
            [beyond, 0.0, 0.25],
        )
        .unwrap();
    structures::face(&mut whole, [body, 0], [beyond - 0.5, 0.0], [-0.5, 0.5], 0.0, 0.6);
    whole
}

#[test]
fn blocks_that_only_balance_on_an_edge_are_seen_from_their_contacts() {
    let ask = |whole: &Equilibrium| {
        let verdict = decide(whole, &stiction_stand::Ask::default()).unwrap();
        let found = (verdict.word, &verdict.existence);
        (verdict.word, balance(whole, found, |by| moved(whole, by)).unwrap())
    };
    let (word, found) = ask(&over_the_edge(0.0));
    assert!(word == Word::Stands && found.is_some());
    let (word, found) = ask(&over_the_edge(-0.1));
    assert!(word == Word::Stands && found.is_none());
    assert_eq!(ask(&over_the_edge(0.1)).0, Word::Falls);
    assert!(ask(&tower(3, 0.6)).1.is_none() && ask(&tower(3, 0.0)).1.is_none());
}

#[test]
fn the_ground_may_accelerate_by_the_tangent_of_the_tilt() {
    let question = Question {
        margins: vec![
            ("x".to_owned(), Along::Acceleration(X)),
            ("-x".to_owned(), Along::Acceleration([-1.0, 0.0, 0.0])),
        ],
        any: Any {
            acceleration: true,
            ..Any::default()
        },
        ..Question::default()
    };
    let report = answer("tower", tower(5, 0.6), &question, 0.0).unwrap();
    for margin in &report.margins {
        assert!((margin.margin.high - 0.2).abs() < 1e-8, "{}", margin.margin.high);
    }
    // The bodies are left behind: the top of the tower falls the other way.
    let towards = |k: usize| report.margins[k].margin.mechanism[24];
    assert!(towards(0) < 0.0 && towards(1) > 0.0);
    let words = report.words();
    assert!(
        words.contains("acceleration x 0.2 g: beyond it falls, proved"),
        "{words}"
    );
    assert!(words.contains("acceleration any 0.2 g in every direction"), "{words}");
    // A load of its own does not lean, but an acceleration can be asked for.
    let mut loaded = tower(1, 0.6);
    loaded.add_load(1, [0.0, 0.0, -9.81], None).unwrap();
    let report = answer("box", loaded, &question, 0.0).unwrap();
    // Twice the weight on the ground, the inertia of one.
    assert!((report.margins[0].margin.high - 1.2).abs() < 1e-8);
    let lean = Question {
        any: Any {
            tilt: true,
            ..Any::default()
        },
        ..Question::default()
    };
    assert!(answer("box", report.whole, &lean, 0.0).is_err());
}
