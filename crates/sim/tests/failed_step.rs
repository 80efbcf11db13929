//! A step that fails leaves nothing behind: not in the state, not in the ledger, not in what the next solve starts from.
#![allow(clippy::unwrap_used)]

use stiction_sim::scene::Scene;
use stiction_sim::{SimError, Vec3, World, Wrench};

fn world(stepper: &str) -> World {
    let text = format!(
        r#"
        format = 1
        world = {{ stepper = "{stepper}" }}
        [[body]]
        name = "ground"
        shape = {{ half_space = [0, 0, 1] }}
        [[stack]]
        name = "box"
        box = [0.2, 0.2, 0.2]
        count = 6
        [[body]]
        name = "slider"
        shape = {{ box = [0.2, 0.2, 0.2] }}
        position = [2, 0, 0.1]
        velocity = [1, 0.3, 0]
        spin = [0, 0, 3]
        "#
    );
    World::from_scene(&Scene::parse(&text, ".").unwrap()).unwrap()
}

#[test]
fn going_on_gives_the_bits_of_never_having_failed() {
    for stepper in ["stewart-trinkle", "anitescu-potra", "acceleration"] {
        let (mut tried, mut smooth) = (world(stepper), world(stepper));
        // So strong that squares of the velocity overflow; and no number.
        for (step, force) in [(40, 1e200), (90, f64::NAN), (91, 1e200)] {
            while tried.state().step < step {
                tried.step().unwrap();
            }
            let ledger = *tried.ledger();
            let before = tried.save();
            for body in [3, 7] {
                let push = Vec3::new(force, 0.5 * force, -force);
                let wrench = Wrench {
                    force: push,
                    torque: Vec3::zeros(),
                };
                tried.apply(body, wrench).unwrap();
                let error = tried.step().unwrap_err();
                assert!(
                    force.is_nan() || matches!(error, SimError::Unsolved { .. }),
                    "{stepper}: {error}"
                );
                tried.apply(body, Wrench::default()).unwrap();
            }
            assert_eq!((tried.save(), *tried.ledger()), (before, ledger), "{stepper}");
        }
        while smooth.state().step < 200 {
            smooth.step().unwrap();
        }
        while tried.state().step < 200 {
            tried.step().unwrap();
        }
        assert_eq!(smooth.save(), tried.save(), "{stepper}");
        assert_eq!(smooth.state().hash(), tried.state().hash());
    }
}
