//! The contact problem of a step: a block of mass for every body that moves, contacts, joints, limits.

use stiction_contact::{ContactProblem, Law};

use crate::Vec3;
use crate::body::Kind;
use crate::error::SimError;
use crate::joint::{Joint, Row};
use crate::world::World;

/// Bodies nearer than this share of their size touch, as far as impacts are concerned.
const TOUCHING: f64 = 1e-10;
/// Gaps below this share of the bodies' size are rounding of their poses, which a division by the step would make a velocity.
const ROUNDING: f64 = 1e-12;

impl World {
    pub(crate) fn number_blocks(&mut self) {
        let mut next = 0;
        self.blocks.clear();
        for body in &self.bodies {
            self.blocks.push(body.is_dynamic().then_some(next));
            next += usize::from(body.is_dynamic());
        }
    }

    /// Velocity of a body after the step without contact.
    pub(crate) fn free_motion(&self, i: usize, h: f64) -> (Vec3, Vec3) {
        let (body, state, wrench) = (&self.bodies[i], &self.state.bodies[i], &self.totals[i]);
        match &body.kind {
            Kind::Dynamic { mass, inertia_body } => (
                state.velocity + h * (self.settings.gravity + wrench.force / *mass),
                self.coordinates().free_spin(state, inertia_body, wrench.torque, h),
            ),
            _ => (state.velocity, state.spin),
        }
    }

    pub(crate) fn build_problem(&mut self, h: f64) -> Result<(), SimError> {
        let mut problem = std::mem::take(&mut self.problem);
        problem.clear();
        let coordinates = self.coordinates();
        let n = coordinates.count();
        for (i, body) in self.bodies.iter().enumerate() {
            let Kind::Dynamic { mass, inertia_body } = &body.kind else {
                continue;
            };
            let (v, w) = self.free_motion(i, h);
            let block = coordinates.mass_block(*mass, inertia_body, &self.state.bodies[i]);
            let free = coordinates.pick([v.x, v.y, v.z, w.x, w.y, w.z]);
            problem.add_block(&block[..n * n], &free[..n])?;
        }
        let rounding = ROUNDING * self.collider.size();
        for contact in &self.contacts {
            let material = self.pairs.of(&self.bodies, contact.a, contact.b);
            let restitution = match material.restitution {
                e if e > 0.0 => self.rebound(contact, e, h),
                e => e,
            };
            // What bounces does so where it is, less than a step before it arrives: had it to arrive first, it would lose its speed.
            let bias = if restitution > 0.0 || contact.gap <= rounding {
                0.0
            } else {
                contact.gap / h
            };
            let index = self.add_contact(&mut problem, contact, material.friction, bias)?;
            problem.set_restitution(index, restitution)?;
            if matches!(self.settings.law, Law::Viscous | Law::ViscousExplicit) {
                problem.set_viscosity(index, h * material.viscosity)?;
            }
            problem.set_key(index, contact.key)?;
        }
        self.add_joints(&mut problem, h)?;
        self.problem = problem;
        Ok(())
    }

    /// Share e′ of the compression that a contact gives back. An approach at the speed v, to which forces add s in the step, meets at the
    /// fraction f of it and leaves with e(v + fs) − (1 − f)s, but with no more than v − s: the body bounces where it is, above the
    /// ground, and must not gain energy by that. Zero where the bodies do not meet in the step, or so slowly that they come to rest.
    fn rebound(&self, contact: &crate::collision::Contact, e: f64, h: f64) -> f64 {
        let approach = |motion: &dyn Fn(usize) -> (Vec3, Vec3)| {
            let of = |body: usize| {
                let (velocity, spin) = motion(body);
                velocity + spin.cross(&(contact.point - self.state.bodies[body].pose.position))
            };
            contact.normal.dot(&(of(contact.b) - of(contact.a)))
        };
        let before = approach(&|i| (self.state.bodies[i].velocity, self.state.bodies[i].spin));
        let after = approach(&|i| self.free_motion(i, h));
        if after * h <= contact.gap && contact.gap > TOUCHING * self.collider.size() {
            return 0.0;
        }
        if after <= 0.0 {
            // Bodies that touch pass on the impact of others.
            return e;
        }
        let added = after - before;
        let fraction = (contact.gap / (h * after)).clamp(0.0, 1.0);
        let leaves = e * (before + fraction * added) - (1.0 - fraction) * added;
        (leaves.min(before - added) / after).clamp(0.0, e)
    }

    /// Adds the rows of all joints, and their limits as contacts without friction.
    pub(crate) fn add_joints(&mut self, problem: &mut ContactProblem, h: f64) -> Result<(), SimError> {
        let mut rows = std::mem::take(&mut self.rows);
        for (k, joint) in self.joints.iter().enumerate() {
            self.rows_of(joint, &mut rows);
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

    /// Rows of a joint that something must hold.
    pub(crate) fn rows_of(&self, joint: &Joint, rows: &mut Vec<Row>) {
        rows.clear();
        joint.rows(&self.state.bodies, rows);
        self.coordinates().drop_idle(rows);
    }

    /// Adds one row of a joint; bodies that are not dynamic enter as a bias.
    pub(crate) fn add_row(
        &self,
        problem: &mut ContactProblem,
        joint: &Joint,
        row: &Row,
        bias: f64,
    ) -> Result<(), SimError> {
        let (coordinates, mut bias) = (self.coordinates(), bias);
        let picked = [row.a, row.b].map(|row| coordinates.pick(row));
        let mut parts = Vec::with_capacity(2);
        for (body, row, picked) in [(joint.a, &row.a, &picked[0]), (joint.b, &row.b, &picked[1])] {
            match self.blocks[body] {
                Some(block) => parts.push((block, &picked[..coordinates.count()])),
                None => bias += self.speed_of(body, row),
            }
        }
        if !parts.is_empty() {
            problem.add_joint(&parts, bias)?;
        }
        Ok(())
    }

    pub(crate) fn add_limit(
        &self,
        problem: &mut ContactProblem,
        joint: &Joint,
        row: &Row,
        sign: f64,
        bias: f64,
    ) -> Result<usize, SimError> {
        let (coordinates, n) = (self.coordinates(), self.coordinates().count());
        let none = [0.0; 6];
        let signed = [row.a.map(|x| sign * x), row.b.map(|x| sign * x)];
        let picked = signed.map(|row| coordinates.pick(row));
        let (mut parts, mut bias): (Vec<stiction_contact::ContactPart<'_>>, f64) = (Vec::with_capacity(2), bias);
        for (body, row, picked) in [(joint.a, &signed[0], &picked[0]), (joint.b, &signed[1], &picked[1])] {
            match self.blocks[body] {
                Some(block) => parts.push((block, [&picked[..n], &none[..n], &none[..n]])),
                None => bias += self.speed_of(body, row),
            }
        }
        let index = problem.add_contact(&parts, 0.0)?;
        problem.set_bias(index, [bias, 0.0, 0.0])?;
        Ok(index)
    }

    /// Applied forces and those of the motors on every body, once a step: the free motion and the ledger both read them.
    pub(crate) fn add_up_forces(&mut self) {
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
    pub(crate) fn add_contact(
        &self,
        problem: &mut ContactProblem,
        contact: &crate::collision::Contact,
        mu: f64,
        mut normal_bias: f64,
    ) -> Result<usize, SimError> {
        let (n, coordinates, count) = (contact.normal, self.coordinates(), self.coordinates().count());
        let [t1, t2] = coordinates.tangents(n);
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
                    *row = coordinates.pick([d.x, d.y, d.z, m.x, m.y, m.z].map(|x| sign * x));
                }
            } else {
                let u = sign * (state.velocity + state.spin.cross(&arm));
                normal_bias += n.dot(&u);
                tangent_bias = [tangent_bias[0] + t1.dot(&u), tangent_bias[1] + t2.dot(&u)];
            }
        }
        let mut parts: [(usize, [&[f64]; 3]); 2] = [(0, [&[]; 3]); 2];
        let mut touching = 0;
        for (block, rows) in touched.iter().zip(&rows) {
            if let Some(block) = block {
                parts[touching] = (*block, [&rows[0][..count], &rows[1][..count], &rows[2][..count]]);
                touching += 1;
            }
        }
        let index = problem.add_contact(&parts[..touching], mu)?;
        problem.set_bias(index, [normal_bias, tangent_bias[0], tangent_bias[1]])?;
        Ok(index)
    }
}

/// Names a side of a joint's limits.
fn mix_key(joint: usize, side: u64) -> u64 {
    (((joint as u64) << 1) | side).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x6A6F_696E_7400
}
