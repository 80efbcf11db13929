//! A world that is saved, loaded into a fresh one and continued has the same bits at every later step.
#![allow(clippy::unwrap_used)]

mod worlds;

use stiction_contact::Law;
use stiction_sim::World;
use worlds::Random;

const STEPS: usize = 1000;
/// Steps that a loaded world is followed for, but for the last, which goes to the end.
const FOLLOWED: usize = 20;
const SAVES: usize = 100;

fn continues(name: &str, build: fn(Law) -> World) {
    for law in [Law::Coulomb, Law::Polyhedral] {
        let mut random = Random(0x5A7E);
        let mut saved_at: Vec<usize> = (0..SAVES)
            .map(|_| usize::try_from(random.bits() % STEPS as u64).unwrap())
            .collect();
        saved_at.sort_unstable();
        saved_at.dedup();
        let mut straight = build(law);
        let (mut states, mut saves) = (Vec::new(), Vec::new());
        for step in 0..STEPS {
            if saved_at.binary_search(&step).is_ok() {
                saves.push((step, straight.save()));
            }
            straight.step().unwrap();
            states.push((straight.state().hash(), *straight.ledger()));
        }
        for (k, (step, bytes)) in saves.iter().enumerate() {
            let mut loaded = build(law);
            loaded.load(bytes).unwrap();
            assert_eq!(loaded.save(), *bytes, "{name} {law:?}: saved again at {step}");
            let end = if k == 0 { STEPS } else { (step + FOLLOWED).min(STEPS) };
            for (later, (hash, ledger)) in states.iter().enumerate().take(end).skip(*step) {
                loaded.step().unwrap();
                assert_eq!(
                    loaded.state().hash(),
                    *hash,
                    "{name} {law:?}: saved at {step}, step {later}"
                );
                assert_eq!(loaded.ledger(), ledger, "{name} {law:?}: saved at {step}, step {later}");
            }
            if end == STEPS {
                assert_eq!(loaded.save(), straight.save(), "{name} {law:?}: saved at {step}");
            }
        }
    }
}

#[test]
fn a_stack() {
    continues("stack", worlds::stack);
}

#[test]
fn a_sliding_box() {
    continues("sliding", worlds::sliding);
}

#[test]
fn a_pile() {
    continues("pile", worlds::pile);
}

#[test]
fn towers() {
    continues("towers", worlds::towers);
}

#[test]
fn bouncing_boxes() {
    continues("bouncing", worlds::bouncing);
}

/// A world that has been elsewhere forgets it when it loads.
#[test]
fn a_used_world_loads_as_a_fresh_one() {
    for law in [Law::Coulomb, Law::Polyhedral] {
        let (mut first, mut second) = (worlds::pile(law), worlds::pile(law));
        for _ in 0..300 {
            first.step().unwrap();
        }
        for _ in 0..700 {
            second.step().unwrap();
        }
        second.load(&first.save()).unwrap();
        assert!(second.contacts().is_empty() && second.solution().normal_impulse.is_empty());
        for step in 0..200 {
            first.step().unwrap();
            second.step().unwrap();
            assert_eq!(first.save(), second.save(), "{law:?} {step}");
        }
    }
}
