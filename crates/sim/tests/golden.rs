//! The same bits on every run, with any number of threads, in debug and release builds.
//!
//! The hashes below are of every state of 1,000 steps. A change of the mechanics, the collision or the solvers changes them, and then the
//! new ones are printed by the failing test; nothing else may: not the profile, not the machine, not the threads. `scripts/check.sh` runs
//! this file in both profiles.
#![allow(clippy::unwrap_used)]

mod worlds;

use stiction_contact::Law;
use stiction_sim::{Stepper, World};
use worlds::Physics;

const STEPS: usize = 1000;

/// Steppers.
const STEPPERS: [Stepper; 2] = [Stepper::Midpoint, Stepper::StewartTrinkle];

/// Name, world, law, and for each stepper the hash of all its states. Where nothing moves, both are the same.
type Case = (&'static str, fn(Physics) -> World, Law, [u64; 2]);

const CASES: [Case; 6] = [
    (
        "stack",
        worlds::stack,
        Law::Coulomb,
        [0x4AC1_8A82_E145_F558, 0x4AC1_8A82_E145_F558],
    ),
    (
        "sliding",
        worlds::sliding,
        Law::Coulomb,
        [0xF97F_EE09_BFE1_F17D, 0x3ABF_FD5D_92B9_5A82],
    ),
    (
        "pile",
        worlds::pile,
        Law::Coulomb,
        [0xF6ED_D6E4_31EA_DC9A, 0x6D44_D82B_1497_A1AB],
    ),
    (
        "towers",
        worlds::towers,
        Law::Coulomb,
        [0xAFEB_79F4_A2CA_0D31, 0x79A6_75B2_D6A3_E252],
    ),
    (
        "bouncing",
        worlds::bouncing,
        Law::Coulomb,
        [0x563E_90FB_BD63_4B36, 0x14FF_C063_BCE1_62C1],
    ),
    (
        "pile, polygon",
        worlds::pile,
        Law::Polyhedral,
        [0x8098_EC44_8CA5_5BB1, 0xEDD0_7318_A537_6B88],
    ),
];

fn hashes(build: fn(Physics) -> World, law: Law, stepper: Stepper) -> Vec<u64> {
    let mut world = build(Physics { law, stepper });
    (0..STEPS)
        .map(|_| {
            world.step().unwrap();
            world.state().hash()
        })
        .collect()
}

/// One hash of many.
fn fold(hashes: &[u64]) -> u64 {
    hashes.iter().fold(0xCBF2_9CE4_8422_2325, |sum: u64, hash| {
        (sum.rotate_left(5) ^ hash).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

#[test]
fn hashes_are_those_of_every_build() {
    let found = CASES.map(|(name, build, law, _)| (name, STEPPERS.map(|stepper| fold(&hashes(build, law, stepper)))));
    let expected = CASES.map(|(name, _, _, golden)| (name, golden));
    let text = |list: &[(&str, [u64; 2])]| {
        let lines = list.iter().map(|(name, hash)| format!("{name}: {hash:#018X?}"));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        found,
        expected,
        "found\n{}\nexpected\n{}",
        text(&found),
        text(&expected)
    );
}

/// Several threads have something to do only where there are several islands with enough contacts.
#[test]
fn towers_are_solved_side_by_side() {
    let mut world = worlds::towers(Law::Coulomb);
    let report = world.step().unwrap();
    assert!(report.islands >= 6 && report.contacts >= 64, "{report:?}");
}

#[test]
fn threads_do_not_matter() {
    for (name, build, law, _) in CASES {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| hashes(build, law, Stepper::default()))
        };
        let first = run(1);
        for threads in [1, 2, 4] {
            let again = run(threads);
            let differs = first.iter().zip(&again).position(|(a, b)| a != b);
            assert_eq!(differs, None, "{name}: {threads} threads");
        }
    }
}
