//! Steps in parts: where a step has no verified answer, it is made as two shorter ones, then as four, then as eight.
//!
//! First with a limit on the work of each solve, whole and in parts: shorter steps are easier, and mostly cheaper than the last resorts of a solver. Then again with larger ones, and
//! at last without any.
//!
//! A budget ([`Settings::max_work`](crate::Settings::max_work)) limits the work of all this together: each attempt may take half of what is left, and once all is spent, nothing more is tried, not even the next part of an attempt.
//!
//! Each part is a step of its own, with its own collision, problem and verdict, and moves the world as a scene with a shorter dt would. It
//! is counted ([`StepReport::parts`]) and reported. Where all parts fail too, the step fails.

use crate::error::SimError;
use crate::model::Model;
use crate::scratch::Scratch;
use crate::state::State;
use crate::step::{StepReport, step};
use crate::step_time::StepTime;

/// How often a step is halved.
const HALVINGS: u32 = 3;
/// Operations that a fallback of a solve may take at first, a few milliseconds, then more, then some seconds, and last as many as it takes.
const WORK: [u64; 4] = [10_000_000, 100_000_000, 1_000_000_000, u64::MAX];

/// Makes a step whole or, where that has no verified answer, in ever shorter parts. The error is that of the shortest.
pub(crate) fn step_whole_or_in_parts(
    model: &Model,
    state: &State,
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<StepReport, SimError> {
    let budget = model.budget();
    scratch.tier = WORK[0];
    scratch.begin_attempt(budget);
    let mut outcome = step(
        model,
        state,
        StepTime::part(state.time, state.step, model.settings.dt, [0, 1]),
        scratch,
        next,
    );
    let all = WORK
        .into_iter()
        .flat_map(|work| (0..=HALVINGS).map(move |halvings| (work, halvings)));
    for (work, halvings) in all.skip(1) {
        if !matches!(outcome, Err(SimError::Unsolved { .. })) || !scratch.begin_attempt(budget) {
            break;
        }
        scratch.tier = work;
        let goes_on = |scratch: &Scratch| scratch.work().operations < budget;
        match make_parts_while(goes_on, model, state, 1 << halvings, scratch, next) {
            Some(made) => outcome = made,
            None => break,
        }
    }
    outcome
}

/// Makes a step in equal parts, as long as another may begin; none where it may not.
fn make_parts_while(
    goes_on: impl Fn(&Scratch) -> bool,
    model: &Model,
    state: &State,
    of: usize,
    scratch: &mut Scratch,
    next: &mut State,
) -> Option<Result<StepReport, SimError>> {
    let time = |start: f64, part: usize| StepTime::part(start, state.step, model.settings.dt, [part, of]);
    let mut whole = step(model, state, time(state.time, 0), scratch, next);
    let mut between = std::mem::take(&mut scratch.between);
    for part in 1..of {
        let Ok(before) = &whole else {
            break;
        };
        if !goes_on(scratch) {
            scratch.between = between;
            return None;
        }
        std::mem::swap(&mut between, next);
        let made = step(model, &between, time(between.time, part), scratch, next);
        whole = made.map(|report| before.followed_by(&report));
    }
    scratch.between = between;
    Some(whole)
}

/// Makes a step in equal parts.
#[cfg(test)]
pub(crate) fn make_parts(
    model: &Model,
    state: &State,
    of: usize,
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<StepReport, SimError> {
    make_parts_while(|_| true, model, state, of, scratch, next).unwrap()
}

impl StepReport {
    /// The same for parts between bounces of a step, which stays one part.
    pub(crate) fn with_bounces(&self, next: &Self) -> Self {
        Self {
            parts: 1,
            ..self.followed_by(next)
        }
    }

    /// Of one part after another: sums and worst values, and the rest as the last leaves it.
    fn followed_by(&self, next: &Self) -> Self {
        Self {
            depth: self.depth.max(next.depth),
            residual: self.residual.max(next.residual),
            to_rounding: self.to_rounding || next.to_rounding,
            spin_residual: self.spin_residual.max(next.spin_residual),
            pivots: self.pivots + next.pivots,
            newton_steps: self.newton_steps + next.newton_steps,
            impacts: self.impacts + next.impacts,
            impulsive: self.impulsive || next.impulsive,
            warm: self.warm + next.warm,
            islands: self.islands + next.islands,
            rest_preferred: self.rest_preferred + next.rest_preferred,
            corners: self.corners + next.corners,
            groups: self.groups + next.groups,
            corner_fallbacks: self.corner_fallbacks + next.corner_fallbacks,
            parts: self.parts + 1,
            ..*next
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::{make_parts, step_whole_or_in_parts};
    use crate::World;
    use crate::scene::{Scene, WorldExt};
    use crate::scratch::Scratch;
    use crate::state::State;

    /// A slide with a motor that follows 1 m · sin(t), stiffly (a row of the problem) or as a digital controller does (a force), and one second of it.
    fn slide(motor: &str, dt: f64) -> World {
        let text = format!(
            "format = 1\n[world]\ngravity = [0, 0, 0]\ndt = {dt}\n\
             [[body]]\nname = \"rail\"\nkind = \"fixed\"\nshape = {{ ball = 0.1 }}\n\
             [[body]]\nname = \"slide\"\nshape = {{ ball = 0.1 }}\nmass = 1\nposition = [5, 0, 0]\n\
             [[joint]]\nname = \"drive\"\nkind = \"prismatic\"\na = \"slide\"\nb = \"rail\"\naxis = [1, 0, 0]\nposition = [5, 0, 0]\n\
             motor = {{ wave = {{ amplitude = 1, rate = 3 }}, {motor} }}\n"
        );
        World::from_scene(&Scene::parse(&text, ".").unwrap()).unwrap()
    }

    /// Issue 22: a motor took (step + 1)·h for the time, with h of the substep. As substeps a wave motor lagged by up to half its phase: it ended
    /// at 0.9117 m instead of 1.0375 m.
    #[test]
    fn a_motor_takes_the_time_of_its_substep() {
        for motor in [
            "stiffness = 1e4, damping = 20",
            "stiffness = 50, damping = 5, held = true",
        ] {
            for of in [2, 4, 8] {
                let (mut whole, mut parts) = (slide(motor, 0.01 / of as f64), slide(motor, 0.01));
                for step in 0..100 {
                    parts.step_as(|m, s, x, n| make_parts(m, s, of, x, n)).unwrap();
                    assert_eq!(parts.state().step, step + 1);
                    for _ in 0..of {
                        whole.step().unwrap();
                    }
                    let [a, b] = [&whole, &parts].map(|world| world.joint_coordinate(0).unwrap()[0]);
                    assert!((a - b).abs() < 1e-11, "{motor} {of} {step}: {a} {b}");
                }
                let end = parts.joint_coordinate(0).unwrap()[0];
                assert!(motor.contains("held") || (end - libm::sin(3.0)).abs() < 0.1, "{end}");
            }
        }
    }

    const FLOOR: &str =
        "[[body]]\nname = \"floor\"\nshape = { half_space = [0, 0, 1] }\nmaterial = { friction = 0.5 }\n";

    /// A robot of three links that falls on its foot: a tree in the air, then with contacts, then with motors at work.
    fn robot() -> String {
        let mut text = FLOOR.to_owned();
        for (k, z) in [0.6, 0.4, 0.2].iter().enumerate() {
            write!(
                text,
                "[[body]]\nname = \"link{k}\"\nshape = {{ capsule = {{ radius = 0.03, length = 0.14 }} }}\nmass = 1\nposition = [0, 0, {z}]\n\
                 material = {{ friction = 0.5 }}\ngroups = [{}]\n",
                if k == 2 { "0" } else { "" }
            )
            .unwrap();
        }
        for k in 0..2 {
            write!(
                text,
                "[[joint]]\nkind = \"revolute\"\na = \"link{}\"\nb = \"link{k}\"\nposition = [0, 0, {}]\naxis = [0, 1, 0]\n\
                 motor = {{ target = 0.2, stiffness = 20, damping = 0.5 }}\n",
                k + 1,
                0.5 - 0.2 * f64::from(k)
            )
            .unwrap();
        }
        text
    }

    /// Cubes that fall on each other, with restitution or without.
    fn cubes(count: i32, restitution: f64) -> String {
        let cube = |k: i32| {
            format!(
                "[[body]]\nname = \"cube{k}\"\nshape = {{ box = [0.1, 0.1, 0.1] }}\nmass = 1\nposition = [{}, {}, {}]\n\
                 orientation = {{ axis = [1, 2, 3], degrees = {} }}\nmaterial = {{ friction = 0.5, restitution = {restitution} }}\n",
                0.03 * f64::from(k % 3),
                0.02 * f64::from(k % 4),
                0.12 + 0.13 * f64::from(k),
                35 * (k + 1)
            )
        };
        FLOOR.to_owned() + &(0..count).map(cube).collect::<String>()
    }

    fn step_with(world: &World, scratch: &mut Scratch) -> State {
        let mut next = State::default();
        scratch.assembly.drives.set(&world.model, &world.state.ctrl);
        step_whole_or_in_parts(&world.model, &world.state, scratch, &mut next).unwrap();
        next
    }

    /// A step is a function of model and state: twice with fresh buffers, and with used ones, it has the same bits, and leaves the state as it was.
    #[test]
    fn a_step_has_the_same_bits_with_any_buffers() {
        let scenes = [
            ("tree", robot(), 600),
            ("contacts", cubes(3, 0.0), 400),
            ("bounces", cubes(2, 0.7), 400),
            ("pile", cubes(24, 0.0), 120),
        ];
        for (name, bodies, steps) in scenes {
            let text = format!("format = 1\n[world]\ndt = 0.002\n{bodies}");
            let mut world = World::from_scene(&Scene::parse(&text, ".").unwrap()).unwrap();
            for step in 0..steps {
                if step % 3 == 0 {
                    let before = world.state.clone();
                    let fresh = || step_with(&world, &mut Scratch::new(&world.model.settings).unwrap());
                    let (one, two) = (fresh(), fresh());
                    assert_eq!(one, two, "{name} {step}");
                    assert_eq!(world.state, before, "{name} {step}");
                    world.step().unwrap();
                    // Controls are the world's.
                    assert_eq!(
                        (world.state.hash(), world.state.ledger),
                        (one.hash(), one.ledger),
                        "{name} {step}"
                    );
                    assert_eq!(world.state.warm, one.warm, "{name} {step}");
                } else {
                    world.step().unwrap();
                }
            }
        }
    }
}
