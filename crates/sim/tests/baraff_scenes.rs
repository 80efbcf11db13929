//! The mechanisms of [Baraff] figures 1 and 2: `scenes/baraff/`. Every step of them is verified, and does not gain energy.
#![allow(clippy::unwrap_used)]

mod watched;

use watched::Watched;

/// Residual of every step, relative to its fastest contact.
const VERIFIED: f64 = 1e-9;
/// How far pins may be apart [m].
const CLOSED: f64 = 1e-6;

/// Largest distance of the two points of a pin.
fn open(watched: &Watched) -> f64 {
    let states = &watched.world.state().bodies;
    let pins = watched
        .world
        .joints()
        .iter()
        .filter(|joint| joint.name.ends_with("pin"));
    pins.map(|joint| {
        let [a, b] = [(joint.a, &joint.frame_a), (joint.b, &joint.frame_b)]
            .map(|(body, frame)| states[body].pose.then(frame).position);
        (a - b).norm()
    })
    .fold(0.0, f64::max)
}

/// One turn of the crank.
fn turn(watched: &mut Watched) {
    for _ in 0..1000 {
        let report = watched.step();
        assert!(report.residual <= VERIFIED, "{report:?}");
        let open = open(watched);
        assert!(open < CLOSED, "pins open by {open:e}");
    }
}

#[test]
fn the_feeder_feeds_a_block_a_turn() {
    let mut watched = Watched::scene("baraff/block_feeder.toml");
    for fed in 1..=12 {
        turn(&mut watched);
        for k in 0..13 {
            let at = watched.position(&format!("block[{k}]"));
            if k < fed {
                // Beyond the right wall.
                assert!(at.x > 0.1, "after turn {fed} block {k} is at {at:?}");
            } else {
                // In the hopper, one on the other.
                assert!(at.x.abs() < 0.005, "after turn {fed} block {k} is at {at:?}");
                let height = 0.05 + 0.1 * f64::from(k - fed);
                assert!((at.y - height).abs() < 0.003, "after turn {fed} block {k} is at {at:?}");
            }
        }
    }
}

#[test]
fn the_jack_rises_two_teeth_a_turn() {
    let mut watched = Watched::scene("baraff/double_action_jack.toml");
    let upright = |watched: &Watched| {
        let load = watched.place("load");
        watched.world.state().bodies[load].pose.rotation.coords.w
    };
    for turns in 1..=11 {
        turn(&mut watched);
        let expected = 0.1 * f64::from(turns);
        for body in ["rack", "load"] {
            let risen = watched.moved(body).y;
            assert!(
                (risen - expected).abs() < 1e-3,
                "turn {turns}: {body} at {risen}, expected {expected}"
            );
        }
        assert!(upright(&watched) > 1.0 - 1e-9);
    }
}

#[test]
fn levels_keep_bodies_apart() {
    // Lever, rod and crank of the jack cross the rack, the pawls and each other; only rack, load and pawls ever touch.
    let mut watched = Watched::scene("baraff/double_action_jack.toml");
    let touching = ["rack", "load", "left pawl", "right pawl"].map(|name| watched.place(name));
    for _ in 0..1000 {
        watched.step();
        for contact in watched.world.contacts() {
            assert!(
                touching.contains(&contact.a) && touching.contains(&contact.b),
                "{contact:?}"
            );
        }
    }
}
