//! The judge of contacts measured every row by the fastest velocity of its island: a fast neighbour, a fast slip or a short step excused what was missing
//! elsewhere. Here 20,000 answers are spoiled in the ways of an attack. A second judge, which shares nothing with the library, says which of them are surely wrong: none of
//! these may pass, and what was right before must pass.

mod mutations;

use std::collections::BTreeMap;

use mutations::judge::{Verdict, judge};
use mutations::problems::{FLOOR, any};
use mutations::wrong::{Mistake, spoil};
use mutations::{Case, Random};
use stiction_contact::Law;

/// Spoiled answers.
const COUNT: usize = 20_000;
/// Of these at least so many must be surely wrong.
const LEAST_WRONG: usize = 15_000;

#[test]
fn no_wrong_answer_passes() {
    let mut random = Random(22);
    let (mut count, mut wrong) = (0, 0);
    let mut passed: BTreeMap<(&str, Mistake), (usize, String)> = BTreeMap::new();
    while count < COUNT {
        let Some(case) = any(&mut random) else { continue };
        let problem = case.problem();
        for mistake in Mistake::ALL {
            let mut spoiled = case.clone();
            let x = 10.0_f64.powf(-12.0 * random.unit().powi(2));
            spoil(&mut spoiled, mistake, x, &mut random);
            if spoiled.answer == case.answer {
                continue;
            }
            count += 1;
            if judge(&spoiled) != Verdict::Wrong {
                continue;
            }
            wrong += 1;
            let (solved, worst) = spoiled.check(&problem);
            if solved {
                let found = passed.entry((case.name, mistake)).or_default();
                found.0 += 1;
                if found.1.is_empty() {
                    found.1 = format!("by {x:.1e}, residual {worst:.1e}: {spoiled:?}");
                }
            }
        }
    }
    assert!(wrong >= LEAST_WRONG, "only {wrong} of {count} answers are surely wrong");
    let total: usize = passed.values().map(|(count, _)| count).sum();
    assert_eq!(total, 0, "of {wrong} wrong answers pass, by family: {passed:#?}");
}

#[test]
fn right_answers_pass() {
    let mut random = Random(2022);
    let mut found: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for _ in 0..4000 {
        let Some(case) = any(&mut random) else { continue };
        let (solved, worst) = case.check(&case.problem());
        let verdict = judge(&case);
        assert!(
            solved && verdict != Verdict::Wrong,
            "{verdict:?}, residual {worst:.1e}: {case:?}"
        );
        found.entry(case.name).or_default()[usize::from(verdict == Verdict::Right)] += 1;
    }
    for (name, [open, right]) in found {
        assert!(right > 20 * open, "{name}: {right} right, {open} open");
    }
}

/// Judged twice: by the library and by the second judge.
fn both(case: &Case) -> (bool, Verdict) {
    (case.check(&case.problem()).0, judge(case))
}

const WRONG: (bool, Verdict) = (false, Verdict::Wrong);

/// A block of 1 kg at rest on the floor for a step of 1 ms, and a body that slides on the same floor, with a contact between them that is 900 m open.
fn beside(speed: f64) -> Case {
    let mut case = Case::new("beside");
    let down = 9.81e-3;
    case.point(1.0, [0.0, 0.0, -down]);
    case.point(1.0, [0.0, speed, -down]);
    case.touch((0, None), FLOOR, 0.5, [down, 0.0, 0.0]);
    case.touch((1, None), FLOOR, 0.5, [down, 0.0, -0.5 * down]);
    let aside = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    case.touch((1, Some(0)), aside, 0.5, [0.0; 3]);
    case.contacts[2].bias = 900.0 / 1e-3;
    case
}

#[test]
fn a_fast_body_900_m_away_excuses_nothing() {
    for (speed, missing) in [(1e4, 1e-4), (1e8, 1.0), (1e4, 1e-8), (1e8, 1e-8)] {
        let mut case = beside(speed);
        assert!(both(&case).0, "{speed}: right");
        case.answer.contacts[0][0] *= 1.0 - missing;
        assert_eq!(both(&case), WRONG, "{missing} of the weight missing beside {speed} m/s");
    }
}

/// A block that slides at this speed, for a step of 1 µs.
fn sliding(speed: f64) -> Case {
    let mut case = Case::new("sliding");
    let down = 9.81e-6;
    case.point(1.0, [speed, 0.0, -down]);
    case.touch((0, None), FLOOR, 0.5, [down, -0.5 * down, 0.0]);
    case
}

#[test]
fn a_fast_slip_excuses_no_weight() {
    for (speed, missing) in [(1e4, 0.1), (1e4, 1e-7), (1e5, 1e-7)] {
        let mut case = sliding(speed);
        assert!(both(&case).0, "{speed}: right");
        let p = &mut case.answer.contacts[0];
        p[0] *= 1.0 - missing;
        p[1] = -0.5 * p[0];
        assert_eq!(both(&case), WRONG, "{missing} of the weight missing at {speed} m/s");
    }
}

#[test]
fn friction_of_a_fast_slip_has_the_right_sign() {
    for speed in [10.0, 1e4, 1e5] {
        let mut case = sliding(speed);
        case.answer.contacts[0][1] *= -1.0;
        assert_eq!(both(&case), WRONG, "friction that pushes on at {speed} m/s");
        case.answer.contacts[0][1] = 0.0;
        assert_eq!(both(&case), WRONG, "no friction at {speed} m/s");
    }
}

/// The judge took friction of 1e6 times the push for that of a contact without push, which may slip where friction is infinite.
#[test]
fn infinite_friction_is_not_a_coefficient_of_a_million() {
    for down in [4e-7, 1e-8] {
        let mut case = Case::new("no slip");
        case.law = Law::NoSlip;
        case.point(1.0, [1.0, 0.0, -down]);
        case.touch((0, None), FLOOR, f64::INFINITY, [down, -1.0, 0.0]);
        assert!(both(&case).0, "{down}: right");
        // Half of the friction that is needed: more than 1e6 times the push.
        case.answer.contacts[0][1] = -0.5;
        assert_eq!(both(&case), WRONG, "slips at {:e} times the push", 0.5 / down);
        case.law = Law::Coulomb;
        assert_eq!(both(&case), WRONG, "slips, by Coulomb's law");
    }
}

/// Two rows that cancel: the impulses are as huge as one likes, and what they leave is measured by what moves.
#[test]
fn huge_impulses_that_cancel_excuse_no_weight() {
    let mut case = Case::new("vice");
    let down = 0.0981;
    case.point(1.0, [0.0, 0.0, -down]);
    for side in [1.0, -1.0] {
        let frame = [[side, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]];
        case.touch((0, None), frame, 1.0, [1e9, 0.5 * down, 0.0]);
    }
    assert!(both(&case).0, "right");
    case.answer.contacts[0][1] *= 0.999;
    assert_eq!(both(&case), WRONG, "weight missing between walls");
}
