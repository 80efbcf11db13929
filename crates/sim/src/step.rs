//! One step: collision → contact problem → solver → integration \[Stewart and Trinkle 1996\].
//!
//! v = v_free + 𝓜⁻¹Σ C p over the step h, with ν + gap/h ≥ 0 at every contact within reach, then x += h v. What rotation leaves below zero,
//! of second order in h, and overlap at the start are eased out as a displacement of their own, at a bounded speed, with no velocity
//! left behind.

use stiction_contact::{ContactProblem, Law, Status};

use crate::body::Kind;
use crate::energy::{kinetic, potential};
use crate::error::SimError;
use crate::integrate::{free_spin, inertia_world, turn};
use crate::state::BodyState;
use crate::world::World;
use crate::{Pose, Vec3};

/// Overlap below this share of the bodies' size is rounding and not eased.
const EASED: f64 = 1e-10;
/// Contacts are sought this much farther than bodies can come in a step, as a share of their size: their keys then outlive small hops.
const REACH: f64 = 1e-4;

/// What one step did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepReport {
    /// Contacts of the problem.
    pub contacts: usize,
    /// Deepest overlap at the start of the step [m].
    pub depth: f64,
    /// The judge's residual.
    pub residual: f64,
    /// Pivots and Newton steps.
    pub pivots: usize,
    /// Newton steps.
    pub newton_steps: usize,
    /// Islands that started from the last step.
    pub warm: usize,
    /// Islands.
    pub islands: usize,
}

impl World {
    /// Moves the world by one step. On an error it is as it was.
    ///
    /// # Errors
    /// [`SimError::Unsolved`] where no verified answer was found.
    pub fn step(&mut self) -> Result<StepReport, SimError> {
        let h = self.settings.dt;
        self.find_contacts(h);
        self.build_problem(h)?;
        let solution = self.solver.solve_warm(&self.problem)?;
        if solution.status != Status::Solved {
            return Err(self.unsolved());
        }
        let report = StepReport {
            contacts: self.contacts.len(),
            depth: self.contacts.iter().fold(0.0, |m, c| c.gap.min(-m).abs().max(m)),
            residual: solution.residual.worst,
            pivots: solution.stats.pivots,
            newton_steps: solution.stats.newton_steps,
            warm: solution.stats.warm_starts - solution.stats.warm_fallbacks,
            islands: solution.stats.islands,
        };
        self.advance(h);
        self.ease_overlap(h)?;
        Ok(report)
    }

    /// Contacts that bodies may reach within the step.
    fn find_contacts(&mut self, h: f64) {
        let fall = h * self.settings.gravity.norm();
        self.collider.find(
            &self.bodies,
            &self.state.bodies,
            |size, state, moves| {
                let speed = state.velocity.norm() + state.spin.norm() * size;
                h * (speed + if moves { fall } else { 0.0 }) + REACH * size
            },
            &mut self.contacts,
        );
    }

    /// Velocity of a body after the step without contact.
    fn free_motion(&self, i: usize, h: f64) -> (Vec3, Vec3) {
        let (body, state, wrench) = (&self.bodies[i], &self.state.bodies[i], &self.wrenches[i]);
        match &body.kind {
            Kind::Dynamic { mass, inertia_body } => (
                state.velocity + h * (self.settings.gravity + wrench.force / *mass),
                free_spin(state, inertia_body, wrench.torque, h),
            ),
            _ => (state.velocity, state.spin),
        }
    }

    fn build_problem(&mut self, h: f64) -> Result<(), SimError> {
        let mut problem = ContactProblem::new();
        self.blocks.clear();
        for (i, body) in self.bodies.iter().enumerate() {
            let Kind::Dynamic { mass, inertia_body } = &body.kind else {
                self.blocks.push(None);
                continue;
            };
            let (v, w) = self.free_motion(i, h);
            let block = mass_block(*mass, &inertia_world(&self.state.bodies[i].pose.rotation, inertia_body));
            let index = problem.add_block(&block, &[v.x, v.y, v.z, w.x, w.y, w.z])?;
            self.blocks.push(Some(index));
        }
        for contact in &self.contacts {
            let material = self.bodies[contact.a].material.with(&self.bodies[contact.b].material);
            let bias = contact.gap.max(0.0) / h;
            let index = self.add_contact(&mut problem, contact, material.friction, bias)?;
            problem.set_restitution(index, material.restitution)?;
            if matches!(self.settings.law, Law::Viscous | Law::ViscousExplicit) {
                problem.set_viscosity(index, h * material.viscosity)?;
            }
            problem.set_key(index, contact.key)?;
        }
        self.problem = problem;
        Ok(())
    }

    /// Adds a contact; bodies that are not dynamic enter as a bias of their velocity.
    fn add_contact(
        &self,
        problem: &mut ContactProblem,
        contact: &crate::collision::Contact,
        mu: f64,
        mut normal_bias: f64,
    ) -> Result<usize, SimError> {
        let n = contact.normal;
        let [t1, t2] = stiction_contact::tangents([n.x, n.y, n.z]).map(|t| Vec3::new(t[0], t[1], t[2]));
        let mut tangent_bias = [0.0; 2];
        let mut rows = [[[0.0; 6]; 3]; 2];
        let mut touched = [None; 2];
        for (k, (body, sign)) in [(contact.a, 1.0), (contact.b, -1.0)].into_iter().enumerate() {
            let state = &self.state.bodies[body];
            let arm = contact.point - state.pose.position;
            touched[k] = self.blocks[body];
            if touched[k].is_some() {
                for (row, d) in rows[k].iter_mut().zip([n, t1, t2]) {
                    let m = arm.cross(&d);
                    *row = [d.x, d.y, d.z, m.x, m.y, m.z].map(|x| sign * x);
                }
            } else {
                let u = sign * (state.velocity + state.spin.cross(&arm));
                normal_bias += n.dot(&u);
                tangent_bias = [tangent_bias[0] + t1.dot(&u), tangent_bias[1] + t2.dot(&u)];
            }
        }
        let mut parts: [(usize, [&[f64]; 3]); 2] = [(0, [&[]; 3]); 2];
        let mut count = 0;
        for (block, rows) in touched.iter().zip(&rows) {
            if let Some(block) = block {
                parts[count] = (*block, [&rows[0], &rows[1], &rows[2]]);
                count += 1;
            }
        }
        let index = problem.add_contact(&parts[..count], mu)?;
        problem.set_bias(index, [normal_bias, tangent_bias[0], tangent_bias[1]])?;
        Ok(index)
    }

    fn unsolved(&self) -> SimError {
        let solution = self.solver.solution();
        let contacts: Vec<usize> = match &solution.ray {
            Some(ray) => ray.contacts.iter().map(|(i, _)| *i).collect(),
            None => (0..self.contacts.len()).collect(),
        };
        let mut bodies: Vec<usize> = contacts
            .iter()
            .flat_map(|i| [self.contacts[*i].a, self.contacts[*i].b])
            .collect();
        bodies.sort_unstable();
        bodies.dedup();
        SimError::Unsolved {
            step: self.state.step,
            time: self.state.time,
            status: solution.status,
            bodies: bodies.iter().map(|i| self.bodies[*i].name.clone()).collect(),
            contacts,
        }
    }

    /// New velocities and poses, and the ledger.
    fn advance(&mut self, h: f64) {
        let solution = self.solver.solution();
        let gravity = self.settings.gravity;
        let before = self.energy();
        let mut injected = 0.0;
        for i in 0..self.bodies.len() {
            let old = self.state.bodies[i];
            let (velocity, spin) = match self.blocks[i] {
                Some(block) => {
                    let v = &solution.velocity[6 * block..6 * block + 6];
                    (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5]))
                }
                None => (old.velocity, old.spin),
            };
            if self.blocks[i].is_some() {
                let wrench = &self.wrenches[i];
                injected += h
                    * (wrench.force.dot(&(0.5 * (old.velocity + velocity)))
                        + wrench.torque.dot(&(0.5 * (old.spin + spin))));
            }
            if matches!(self.bodies[i].kind, Kind::Fixed) {
                continue;
            }
            let rotation = turn(old.pose.rotation, 0.5 * (old.spin + spin), h);
            // The body keeps its spin in its own axes.
            let spin = rotation * (old.pose.rotation.inverse() * spin);
            self.state.bodies[i] = BodyState {
                pose: Pose {
                    position: old.pose.position + h * velocity,
                    rotation,
                },
                velocity,
                spin,
            };
        }
        self.state.step += 1;
        self.state.time = self.state.step as f64 * h;
        let _ = gravity;
        let after = self.energy();
        self.ledger.kinetic = after[0];
        self.ledger.potential = after[1];
        self.ledger.injected += injected;
        let gain = after[0] + after[1] - before[0] - before[1] - injected;
        self.ledger.worst_gain = self.ledger.worst_gain.max(gain);
        self.ledger.dissipated -= gain;
    }

    fn energy(&self) -> [f64; 2] {
        let mut sum = [0.0; 2];
        for (body, state) in self.bodies.iter().zip(&self.state.bodies) {
            sum[0] += kinetic(body, state);
            sum[1] += potential(body, state, &self.settings.gravity);
        }
        sum
    }

    /// Moves bodies out of overlap: the least displacement, weighed by mass, that opens the contacts, no faster than `ease`.
    fn ease_overlap(&mut self, h: f64) -> Result<(), SimError> {
        let slack = EASED * self.collider.size();
        if self.contacts.iter().all(|c| c.gap >= -slack) {
            return Ok(());
        }
        let mut problem = ContactProblem::new();
        for (i, body) in self.bodies.iter().enumerate() {
            if let Kind::Dynamic { mass, inertia_body } = &body.kind {
                let block = mass_block(*mass, &inertia_world(&self.state.bodies[i].pose.rotation, inertia_body));
                problem.add_block(&block, &[0.0; 6])?;
            }
        }
        for contact in &self.contacts {
            let gap = contact.gap.max(-self.settings.ease * h);
            self.add_contact(&mut problem, contact, 0.0, gap)?;
            problem.set_bias(problem.contact_count() - 1, [gap, 0.0, 0.0])?;
        }
        let before = self.energy()[1];
        let solution = self.easing.solve(&problem)?;
        if solution.status != Status::Solved {
            // Nothing is moved: bodies wedged into each other stay as they are.
            return Ok(());
        }
        for (i, block) in self.blocks.iter().enumerate() {
            let Some(block) = block else { continue };
            let d = &solution.velocity[6 * block..6 * block + 6];
            let state = &mut self.state.bodies[i];
            state.pose.position += Vec3::new(d[0], d[1], d[2]);
            let body = state.pose.direction_in_body(state.spin);
            state.pose.rotation = turn(state.pose.rotation, Vec3::new(d[3], d[4], d[5]), 1.0);
            state.spin = state.pose.direction(body);
        }
        let after = self.energy();
        self.ledger.eased += after[1] - before;
        self.ledger.potential = after[1];
        Ok(())
    }
}

fn mass_block(mass: f64, inertia: &crate::Mat3) -> [f64; 36] {
    let mut block = [0.0; 36];
    for k in 0..3 {
        block[7 * k] = mass;
        for l in 0..3 {
            // Symmetric to the last bit.
            block[6 * (k + 3) + l + 3] = 0.5 * (inertia[(k, l)] + inertia[(l, k)]);
        }
    }
    block
}
