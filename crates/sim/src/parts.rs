//! Steps in parts: where a step has no verified answer, it is made as two shorter ones, then as four, then as eight.
//!
//! Each part is a step of its own, with its own collision, problem and verdict, and moves the world as a scene with a shorter dt would. It
//! is counted ([`StepReport::parts`]) and reported. Where all parts fail too, the step fails.

use crate::error::SimError;
use crate::step::StepReport;
use crate::world::World;

/// How often a step is halved.
const HALVINGS: u32 = 3;

impl World {
    /// Length of the step, or of the part of it, that [`World::solution`] belongs to \[s\].
    #[must_use]
    pub fn solved_length(&self) -> f64 {
        self.settings.dt / self.part[1] as f64
    }

    /// Time at which the part at hand ends \[s\]: whole steps end at multiples of dt, to the bit.
    pub(crate) fn end_of_part(&self) -> f64 {
        let ([part, of], step, dt) = (self.part, self.state.step as f64, self.settings.dt);
        if self.is_last_part() {
            (step + 1.0) * dt
        } else {
            step * dt + dt * (part + 1) as f64 / of as f64
        }
    }

    /// Whether the step ends with the part at hand.
    pub(crate) fn is_last_part(&self) -> bool {
        self.part[0] + 1 == self.part[1]
    }

    /// Makes a step that has failed in ever shorter parts. On an error the world is as it was, and the error that of the shortest.
    pub(crate) fn step_in_parts(&mut self, mut error: SimError) -> Result<StepReport, SimError> {
        let (state, ledger, warm) = (self.state.clone(), self.ledger, self.solver.warm_start().clone());
        for halvings in 1..=HALVINGS {
            if !matches!(error, SimError::Unsolved { .. }) {
                break;
            }
            match self.make_parts(1 << halvings) {
                Ok(report) => return Ok(report),
                Err(found) => error = found,
            }
            self.state.copy_from(&state);
            self.ledger = ledger;
            self.solver.set_warm_start(warm.clone());
        }
        Err(error)
    }

    fn make_parts(&mut self, of: usize) -> Result<StepReport, SimError> {
        let mut whole = StepReport::default();
        for part in 0..of {
            self.part = [part, of];
            whole = whole.followed_by(&self.make_part()?);
        }
        Ok(whole)
    }
}

impl StepReport {
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
                    parts.make_parts(of).unwrap();
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
