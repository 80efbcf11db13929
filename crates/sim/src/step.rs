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
use crate::joint::{Joint, Row};
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
    /// Deepest overlap at the start of the step \[m\].
    pub depth: f64,
    /// The judge's residual.
    pub residual: f64,
    /// Pivots.
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
        self.before.clone_from(&self.state);
        let ledger = self.ledger;
        let outcome = self.try_step(h);
        if outcome.is_err() {
            self.state.clone_from(&self.before);
            self.ledger = ledger;
        }
        outcome
    }

    fn try_step(&mut self, h: f64) -> Result<StepReport, SimError> {
        let mut clock = self.stage_clock();
        self.find_contacts(h);
        let collision = clock.lap();
        self.number_blocks();
        self.ease_overlap(h)?;
        self.add_up_forces();
        self.build_problem(h)?;
        let problem = clock.lap();
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
        let solve = clock.lap();
        self.advance(h);
        if let Some(times) = &mut self.stages {
            times.collision += collision;
            times.problem += problem;
            times.solve += solve;
            times.integrate += clock.lap();
        }
        Ok(report)
    }

    fn number_blocks(&mut self) {
        let mut next = 0;
        self.blocks.clear();
        for body in &self.bodies {
            self.blocks.push(body.is_dynamic().then_some(next));
            next += usize::from(body.is_dynamic());
        }
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
        let (body, state, wrench) = (&self.bodies[i], &self.state.bodies[i], &self.totals[i]);
        match &body.kind {
            Kind::Dynamic { mass, inertia_body } => (
                state.velocity + h * (self.settings.gravity + wrench.force / *mass),
                free_spin(state, inertia_body, wrench.torque, h),
            ),
            _ => (state.velocity, state.spin),
        }
    }

    fn build_problem(&mut self, h: f64) -> Result<(), SimError> {
        let mut problem = std::mem::take(&mut self.problem);
        problem.clear();
        for (i, body) in self.bodies.iter().enumerate() {
            let Kind::Dynamic { mass, inertia_body } = &body.kind else {
                continue;
            };
            let (v, w) = self.free_motion(i, h);
            let block = mass_block(*mass, &inertia_world(&self.state.bodies[i].pose.rotation, inertia_body));
            problem.add_block(&block, &[v.x, v.y, v.z, w.x, w.y, w.z])?;
        }
        for contact in &self.contacts {
            let material = self.pairs.of(&self.bodies, contact.a, contact.b);
            let bias = contact.gap.max(0.0) / h;
            let index = self.add_contact(&mut problem, contact, material.friction, bias)?;
            problem.set_restitution(index, material.restitution)?;
            if matches!(self.settings.law, Law::Viscous | Law::ViscousExplicit) {
                problem.set_viscosity(index, h * material.viscosity)?;
            }
            problem.set_key(index, contact.key)?;
        }
        self.add_joints(&mut problem, h)?;
        self.problem = problem;
        Ok(())
    }

    /// Adds the rows of all joints, and their limits as contacts without friction.
    fn add_joints(&mut self, problem: &mut ContactProblem, h: f64) -> Result<(), SimError> {
        let mut rows = std::mem::take(&mut self.rows);
        for (k, joint) in self.joints.iter().enumerate() {
            rows.clear();
            joint.rows(&self.state.bodies, &mut rows);
            for row in &rows {
                self.add_row(problem, joint, row, 0.0)?;
            }
            let (Some([low, high]), Some(row)) = (joint.limits, joint.coordinate(&self.state.bodies)) else {
                continue;
            };
            for (side, sign, room) in [(0, 1.0, row.error - low), (1, -1.0, high - row.error)] {
                let index = self.add_limit(problem, joint, &row, sign, room.max(0.0) / h)?;
                problem.set_key(index, mix_key(k, side))?;
            }
        }
        self.rows = rows;
        Ok(())
    }

    /// Adds one row of a joint; bodies that are not dynamic enter as a bias.
    fn add_row(&self, problem: &mut ContactProblem, joint: &Joint, row: &Row, bias: f64) -> Result<(), SimError> {
        let (mut parts, mut bias) = (Vec::with_capacity(2), bias);
        for (body, row) in [(joint.a, &row.a), (joint.b, &row.b)] {
            match self.blocks[body] {
                Some(block) => parts.push((block, &row[..])),
                None => bias += self.speed_of(body, row),
            }
        }
        if !parts.is_empty() {
            problem.add_joint(&parts, bias)?;
        }
        Ok(())
    }

    fn add_limit(
        &self,
        problem: &mut ContactProblem,
        joint: &Joint,
        row: &Row,
        sign: f64,
        bias: f64,
    ) -> Result<usize, SimError> {
        let none = [0.0; 6];
        let signed = [row.a.map(|x| sign * x), row.b.map(|x| sign * x)];
        let (mut parts, mut bias): (Vec<stiction_contact::ContactPart<'_>>, f64) = (Vec::with_capacity(2), bias);
        for (body, row) in [(joint.a, &signed[0]), (joint.b, &signed[1])] {
            match self.blocks[body] {
                Some(block) => parts.push((block, [row, &none, &none])),
                None => bias += self.speed_of(body, row),
            }
        }
        let index = problem.add_contact(&parts, 0.0)?;
        problem.set_bias(index, [bias, 0.0, 0.0])?;
        Ok(index)
    }

    /// Applied forces and those of the motors on every body, once a step: the free motion and the ledger both read them.
    fn add_up_forces(&mut self) {
        let mut totals = std::mem::take(&mut self.totals);
        totals.clear();
        totals.extend((0..self.bodies.len()).map(|body| self.applied(body)));
        for joint in &self.joints {
            let (Some(motor), Some(row)) = (&joint.motor, joint.coordinate(&self.state.bodies)) else {
                continue;
            };
            let speed = self.speed_along(joint, &row);
            let wanted = motor.stiffness * (motor.target - row.error)
                + motor.damping * (motor.target_speed - speed)
                + motor.force;
            let force = wanted.max(-motor.most).min(motor.most);
            for (body, part) in [(joint.a, row.a), (joint.b, row.b)] {
                totals[body].force += force * Vec3::new(part[0], part[1], part[2]);
                totals[body].torque += force * Vec3::new(part[3], part[4], part[5]);
            }
        }
        self.totals = totals;
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
            .filter_map(|i| self.contacts.get(*i))
            .flat_map(|c| [c.a, c.b])
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

    /// Velocity and spin of a body after the solve.
    fn new_motion(&self, i: usize) -> (Vec3, Vec3) {
        match self.blocks[i] {
            Some(block) => {
                let v = &self.solver.solution().velocity[6 * block..6 * block + 6];
                (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5]))
            }
            None => (self.state.bodies[i].velocity, self.state.bodies[i].spin),
        }
    }

    /// Work of applied forces and motors on a body in the step \[J\].
    fn work_on(&self, i: usize, h: f64) -> f64 {
        if self.blocks[i].is_none() {
            return 0.0;
        }
        let (old, (velocity, spin), wrench) = (&self.state.bodies[i], self.new_motion(i), &self.totals[i]);
        h * (wrench.force.dot(&(0.5 * (old.velocity + velocity))) + wrench.torque.dot(&(0.5 * (old.spin + spin))))
    }

    /// New velocities and poses, and the ledger.
    fn advance(&mut self, h: f64) {
        let before = self.energy();
        let injected = (0..self.bodies.len()).map(|i| self.work_on(i, h)).sum::<f64>();
        for i in 0..self.bodies.len() {
            if matches!(self.bodies[i].kind, Kind::Fixed) {
                continue;
            }
            let old = self.state.bodies[i];
            let (velocity, spin) = self.new_motion(i);
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
        let mut rows = std::mem::take(&mut self.rows);
        let mut worst = 0.0_f64;
        for joint in &self.joints {
            rows.clear();
            joint.rows(&self.state.bodies, &mut rows);
            worst = rows.iter().fold(worst, |m, row| m.max(row.error.abs()));
        }
        if worst <= slack && self.contacts.iter().all(|c| c.gap >= -slack) {
            self.rows = rows;
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
        let most = self.settings.ease * h;
        for joint in &self.joints {
            rows.clear();
            joint.rows(&self.state.bodies, &mut rows);
            for row in &rows {
                let parts: Vec<_> = [(joint.a, &row.a), (joint.b, &row.b)]
                    .into_iter()
                    .filter_map(|(body, row)| Some((self.blocks[body]?, &row[..])))
                    .collect();
                if !parts.is_empty() {
                    problem.add_joint(&parts, row.error.max(-most).min(most))?;
                }
            }
        }
        self.rows = rows;
        let before = self.energy()[1];
        let solution = self.easing.solve(&problem)?;
        if solution.status != Status::Solved {
            // Nothing is moved: bodies wedged into each other stay as they are.
            return Ok(());
        }
        // What was eased is no longer there to be fallen through: the step takes the gaps that are left.
        let most = self.settings.ease * h;
        for (contact, u) in self.contacts.iter_mut().zip(&solution.contact_velocity) {
            contact.gap += u[0] - contact.gap.max(-most);
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

/// Names a side of a joint's limits.
fn mix_key(joint: usize, side: u64) -> u64 {
    (((joint as u64) << 1) | side).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x6A6F_696E_7400
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
