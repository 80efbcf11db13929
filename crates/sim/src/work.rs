//! Work of a step: every try, solve, pass, fallback and penetration correction, whatever became of it.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use stiction_contact::Work as Solves;

use crate::model::Model;
use crate::scratch::Scratch;
use crate::world::World;

/// Work of a step. It is counted, never timed, so that every machine counts the same; work that was taken back counts as well.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// Tries of the step and of its substeps: 1, and more where bodies outran the contacts that were looked for, or where a try had no verified answer.
    pub tries: usize,
    /// Contact problems solved: those of the step, of bounces and arrivals in it, and of penetration correction.
    pub solves: usize,
    /// Passes over the islands of these problems: more than solves where contacts between islands turned out to close.
    pub passes: usize,
    /// Newton steps.
    pub newton_steps: usize,
    /// Factorisations.
    pub factorisations: usize,
    /// Pivots.
    pub pivots: usize,
    /// Fallbacks from one method to another, and warm starts given up for a cold start.
    pub fallbacks: usize,
    /// Of `solves`, those of penetration correction.
    pub corrections: usize,
    /// Of `newton_steps`, those of penetration correction.
    pub correction_steps: usize,
    /// Floating-point operations of factorisations and pivots, by estimate: what [`Settings::max_work`](crate::Settings::max_work) limits.
    pub operations: u64,
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.tries += other.tries;
        self.solves += other.solves;
        self.passes += other.passes;
        self.newton_steps += other.newton_steps;
        self.factorisations += other.factorisations;
        self.pivots += other.pivots;
        self.fallbacks += other.fallbacks;
        self.corrections += other.corrections;
        self.correction_steps += other.correction_steps;
        self.operations = self.operations.saturating_add(other.operations);
    }
}

impl Work {
    /// The counts in the order of their fields, as recordings hold them.
    #[must_use]
    pub fn counts(&self) -> [u64; 10] {
        let Self {
            tries,
            solves,
            passes,
            newton_steps,
            factorisations,
            pivots,
            fallbacks,
            corrections,
            correction_steps,
            operations,
        } = *self;
        let [a, b, c, d, e] = [tries, solves, passes, newton_steps, factorisations].map(|count| count as u64);
        let [f, g, h, i] = [pivots, fallbacks, corrections, correction_steps].map(|count| count as u64);
        [a, b, c, d, e, f, g, h, i, operations]
    }
}

/// Operations of a first method, and of all of a step where no budget is set, for each body that moves; of a world of so many at least.
const FIRST: u64 = 20_000;
const BUDGET: u64 = 50_000_000;
const LEAST_BODIES: u64 = 100;

impl Model {
    /// Bodies that move, one at least.
    fn moving(&self) -> u64 {
        (self.blocks().iter().flatten().count() as u64).max(1)
    }

    /// Operations that a step may take: those that were set, or by the size of the world.
    pub(crate) fn budget(&self) -> u64 {
        match self.settings.max_work {
            u64::MAX => BUDGET * self.moving().max(LEAST_BODIES),
            budget => budget,
        }
    }
}

impl Scratch {
    /// Begins to count the work of a step.
    pub(crate) fn begin_work(&mut self) {
        (self.tries, self.limit) = (0, u64::MAX);
        self.solver.take_work();
        self.impacts.take_work();
        self.correction.take_work();
    }

    /// Work since the step began.
    pub(crate) fn work(&self) -> Work {
        let correction = self.correction.work();
        let mut all: Solves = *self.solver.work();
        all += *self.impacts.work();
        all += correction;
        Work {
            tries: self.tries,
            solves: all.solves,
            passes: all.passes,
            newton_steps: all.newton_steps,
            factorisations: all.factorisations,
            pivots: all.pivots,
            fallbacks: all.fallbacks,
            corrections: correction.solves,
            correction_steps: correction.newton_steps,
            operations: all.operations,
        }
    }

    /// Begins a try: a fallback may take the work of the tier, and all solves together what is left of the work of the attempt, or as much as a first method takes.
    pub(crate) fn begin_try(&mut self, model: &Model) {
        self.tries += 1;
        let spent = self.work().operations;
        let most = match model.settings.max_work {
            u64::MAX => self.tier,
            budget => self.tier.min(budget.saturating_sub(spent)),
        };
        let allowance = match self.limit {
            u64::MAX => u64::MAX,
            limit => limit.saturating_sub(spent).max(FIRST * model.moving()),
        };
        for solver in [&mut self.solver, &mut self.impacts] {
            solver.set_max_work(most);
            solver.set_allowance(allowance);
        }
    }

    /// Begins an attempt at a step of the given budget: it may take half of what is left. Whether anything is.
    pub(crate) fn begin_attempt(&mut self, budget: u64) -> bool {
        let spent = self.work().operations;
        self.limit = spent.saturating_add(budget.saturating_sub(spent).div_ceil(2));
        spent < budget
    }
}

impl World {
    /// Sets [`Settings::max_work`](crate::Settings::max_work) for the steps that follow.
    pub fn set_max_work(&mut self, max_work: u64) {
        self.model.settings.max_work = max_work;
    }

    /// Work of the last step, also of one that failed.
    #[must_use]
    pub fn work(&self) -> Work {
        self.scratch.work()
    }
}

#[cfg(test)]
mod tests {
    use super::Work;
    use crate::error::SimError;
    use crate::parts::make_parts;
    use crate::scene::{Scene, WorldExt};
    use crate::{StepReport, World};

    /// Three cubes that fall on the floor and on each other.
    fn tumble() -> World {
        let cube = |i: i32| {
            format!(
                "[[body]]\nname = \"cube{i}\"\nshape = {{ box = [0.1, 0.1, 0.1] }}\nmass = 1\nposition = [{}, 0, {}]\n\
                 orientation = {{ axis = [1, 2, 3], degrees = {} }}\nmaterial = {{ friction = 0.5 }}\n",
                0.03 * f64::from(i),
                0.12 + 0.16 * f64::from(i),
                35 * (i + 1)
            )
        };
        let ground = "format = 1\n[world]\ndt = 0.005\n[[body]]\nname = \"ground\"\nshape = { half_space = [0, 0, 1] }\n\
                      material = { friction = 0.5 }\n";
        let text = ground.to_owned() + &(0..3).map(cube).collect::<String>();
        World::from_scene(&Scene::parse(&text, ".").unwrap()).unwrap()
    }

    fn step_in(world: &mut World, of: usize) -> Result<StepReport, SimError> {
        world.step_as(|model, state, scratch, next| make_parts(model, state, of, scratch, next))
    }

    /// Counts of each solve by itself, from copies of the world, are the sum of a step in which all of them are made.
    #[test]
    fn what_is_taken_back_counts() {
        let mut world = tumble();
        let mut more = 0;
        for _ in 0..120 {
            let mut sum = Work::default();
            for of in [1, 2] {
                sum += step_in(&mut world.clone(), of).unwrap().work;
            }
            let report = world
                .step_as(|model, state, scratch, next| {
                    make_parts(model, state, 1, scratch, next)?;
                    make_parts(model, state, 2, scratch, next)
                })
                .unwrap();
            assert_eq!(report.work, sum);
            assert_eq!(world.work(), sum);
            assert!(report.work.tries >= 3 && report.parts == 2);
            // Without a budget nothing that was spent limits the last resorts.
            assert_eq!(world.scratch.solver.options().max_work, u64::MAX);
            assert!(report.work.newton_steps >= report.newton_steps);
            more += usize::from(report.work.newton_steps > report.newton_steps);
        }
        assert!(more > 10, "{more}");
    }

    /// A step that needs neither a second try nor a correction has the work of its answer.
    #[test]
    fn a_plain_step_has_the_work_of_its_answer() {
        let mut world = tumble();
        let mut plain = 0;
        for _ in 0..200 {
            let report = world.step().unwrap();
            let work = report.work;
            let stats = &world.solution().stats;
            if work.solves == 1 && report.impacts == 0 {
                assert_eq!([work.tries, work.corrections, work.correction_steps], [1, 0, 0]);
                assert_eq!([work.newton_steps, work.pivots], [report.newton_steps, report.pivots]);
                assert_eq!([work.passes, work.factorisations], [stats.passes, stats.factorisations]);
                assert_eq!(work.operations, stats.operations);
                plain += 1;
            }
            assert!(work.corrections <= work.solves && work.passes >= work.solves);
        }
        assert!(plain > 20, "{plain}");
    }
}
