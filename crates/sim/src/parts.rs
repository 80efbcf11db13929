//! Steps in parts: where a step has no verified answer, it is made as two shorter ones, then as four, then as eight.
//!
//! First with a limit on the work of each solve, whole and in parts: shorter steps are easier, and mostly cheaper than the last resorts of a solver. Then with a larger one, and
//! at last without any.
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
/// Operations that a fallback of a solve may take at first, a few milliseconds, then some seconds, and last as many as it takes.
const WORK: [u64; 3] = [10_000_000, 1_000_000_000, u64::MAX];

/// Makes a step whole or, where that has no verified answer, in ever shorter parts. The error is that of the shortest.
pub(crate) fn step_whole_or_in_parts(
    model: &Model,
    state: &State,
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<StepReport, SimError> {
    scratch.set_max_work(WORK[0]);
    let mut outcome = make_parts(model, state, 1, scratch, next);
    let quick = (1..=HALVINGS).map(|halvings| (WORK[0], halvings));
    let last = (0..=HALVINGS).map(|halvings| (WORK[2], halvings));
    for (work, halvings) in quick.chain([(WORK[1], 0)]).chain(last) {
        if !matches!(outcome, Err(SimError::Unsolved { .. })) {
            break;
        }
        scratch.set_max_work(work);
        outcome = make_parts(model, state, 1 << halvings, scratch, next);
    }
    outcome
}

/// Makes a step in equal parts.
pub(crate) fn make_parts(
    model: &Model,
    state: &State,
    of: usize,
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<StepReport, SimError> {
    let time = |start: f64, part: usize| StepTime::part(start, state.step, model.settings.dt, [part, of]);
    let mut whole = step(model, state, time(state.time, 0), scratch, next)?;
    let mut between = std::mem::take(&mut scratch.between);
    for part in 1..of {
        std::mem::swap(&mut between, next);
        match step(model, &between, time(between.time, part), scratch, next) {
            Ok(report) => whole = whole.followed_by(&report),
            Err(error) => {
                scratch.between = between;
                return Err(error);
            }
        }
    }
    scratch.between = between;
    Ok(whole)
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
    use super::make_parts;
    use crate::World;
    use crate::scene::Scene;

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
}
