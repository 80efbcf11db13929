//! The contact problem of a step: a block of mass for every body that moves, and contacts.

use stiction_contact::{ContactProblem, Law, Restitution};

use crate::Vec3;
use crate::body::{Kind, Material};
use crate::collision::Contact;
use crate::error::SimError;
use crate::impact::Moment;
use crate::spin::FreeSpin;
use crate::stepper::Stepper;
use crate::world::World;

/// Share of the speeds involved below which a contact does not slip: rounding of a velocity, with some room; and a floor \[m/s\].
const STATIC: f64 = 1e-9;
const STATIC_FLOOR: f64 = 1e-12;

/// Motion of a body over a step without contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Flight {
    /// Velocity at the end \[m/s\].
    pub(crate) velocity: Vec3,
    /// Spin at the end with what torques add, shown in the world axes of the start \[rad/s\].
    pub(crate) spin: Vec3,
    /// Rotation without torques.
    pub(crate) rotation: FreeSpin,
}

impl World {
    pub(crate) fn number_blocks(&mut self) {
        let mut next = 0;
        self.blocks.clear();
        for body in &self.bodies {
            self.blocks.push(body.is_dynamic().then_some(next));
            next += usize::from(body.is_dynamic());
        }
    }

    /// Relaxation time of first-order physics \[s\].
    pub(crate) fn relaxation(&self) -> f64 {
        self.settings.relaxation.unwrap_or(self.settings.dt)
    }

    /// Velocity of a body after the step without contact.
    pub(crate) fn free_motion(&self, i: usize) -> (Vec3, Vec3) {
        let flight = &self.flights[i];
        (flight.velocity, flight.spin)
    }

    /// Motion of every body over the step without contact, once the forces of the step are known.
    pub(crate) fn fly(&mut self, h: f64) -> Result<(), SimError> {
        let mut flights = std::mem::take(&mut self.flights);
        flights.clear();
        let (coordinates, inertia) = (self.coordinates(), self.settings.stepper.has_inertia());
        for (i, (body, state)) in self.bodies.iter().zip(&self.state.bodies).enumerate() {
            let Kind::Dynamic { mass, inertia_body } = &body.kind else {
                flights.push(Flight {
                    velocity: state.velocity,
                    spin: state.spin,
                    rotation: FreeSpin::steady(state, h),
                });
                continue;
            };
            let wrench = &self.totals[i];
            // Forces act for h on momentum, or for the relaxation time on what has none.
            let (start, time) = if inertia {
                (*state, h)
            } else {
                (state.at_rest(), self.relaxation())
            };
            let free = coordinates.free_spin(&start, inertia_body, h);
            let rotation = free.map_err(|failure| self.spin_not_found(i, failure))?;
            let turn = [&state.pose.rotation, &rotation.rotation];
            flights.push(Flight {
                velocity: start.velocity + time * (self.settings.gravity + wrench.force / *mass),
                spin: rotation.spin + coordinates.kick(turn, inertia_body, wrench.torque, time),
                rotation,
            });
        }
        self.flights = flights;
        Ok(())
    }

    pub(crate) fn build_problem(&mut self, h: f64, moment: Moment) -> Result<(), SimError> {
        let mut problem = std::mem::take(&mut self.problem);
        problem.clear();
        let coordinates = self.coordinates();
        let n = coordinates.count();
        // Impulses are h times a force in every scheme: (h/T)𝓜 v = h f + C p in first-order physics.
        let weight = if self.settings.stepper.has_inertia() {
            1.0
        } else {
            h / self.relaxation()
        };
        for (i, body) in self.bodies.iter().enumerate() {
            let Kind::Dynamic { mass, inertia_body } = &body.kind else {
                continue;
            };
            let (v, w) = match moment {
                Moment::End => self.free_motion(i),
                Moment::Now => (self.state.bodies[i].velocity, self.state.bodies[i].spin),
            };
            let block = coordinates.mass_block(weight * mass, &(weight * inertia_body), &self.state.bodies[i]);
            let free = coordinates.pick([v.x, v.y, v.z, w.x, w.y, w.z]);
            let added = problem.add_block(&block[..n * n], &free[..n]);
            added.map_err(|error| SimError::OfBody {
                name: body.name.clone(),
                error: Box::new(error),
            })?;
        }
        self.level_gaps();
        for (i, (contact, restitution)) in self.contacts.iter().zip(&self.bounces).enumerate() {
            let material = self.pairs.of(&self.bodies, contact.a, contact.b);
            // What bounces does so where it is, less than a step before it arrives: had it to arrive first, it would lose its speed.
            // A side of a group may lie behind the body now, and hold by the end of the step.
            let behind = i >= self.corners.first_grouped && contact.gap < -self.touch_gap(contact.a, contact.b);
            let level = self.levels[i];
            let bias = if !behind && (*restitution > 0.0 || level <= 0.0) {
                0.0
            } else {
                level / h
            };
            let by_speed = self.settings.restitution_rule == Restitution::Newton;
            let leaves = if by_speed && *restitution > 0.0 {
                restitution * self.approach(contact, moment).max(0.0)
            } else {
                0.0
            };
            let index = self.add_contact(&mut problem, contact, material.friction, bias - leaves)?;
            if *restitution > 0.0 && !by_speed {
                problem.set_restitution(index, *restitution)?;
            }
            self.set_rubbing(&mut problem, index, (contact, &material), moment)?;
            problem.set_key(index, contact.key)?;
        }
        self.add_groups(&mut problem)?;
        self.add_joints(&mut problem, h, moment)?;
        self.problem = problem;
        Ok(())
    }

    /// What a law reads beside the coefficient of friction.
    fn set_rubbing(
        &self,
        problem: &mut ContactProblem,
        index: usize,
        (contact, material): (&Contact, &Material),
        moment: Moment,
    ) -> Result<(), SimError> {
        let law = self.settings.law;
        let is_viscous = match law {
            Law::Viscous | Law::ViscousExplicit => true,
            // An impact takes no time, and a film of oil does nothing in it.
            Law::CoulombViscous => moment == Moment::End,
            _ => false,
        };
        // A film of oil takes contact: bodies that pass at a distance do not drag each other.
        if is_viscous && self.touches(contact) {
            problem.set_viscosity(index, self.solved_length() * material.viscosity)?;
        }
        let is_dynamic = self.settings.stepper == Stepper::Acceleration && material.friction.is_finite();
        if is_dynamic || law == Law::ViscousExplicit {
            let [t1, t2] = self.coordinates().tangents(contact.normal);
            let u = self.relative_velocity(contact);
            let slip = [t1.dot(&u), t2.dot(&u)];
            let of = |body: usize| {
                let state = &self.state.bodies[body];
                state.velocity.norm() + state.spin.norm() * (contact.point - state.pose.position).norm()
            };
            let least = (STATIC * (of(contact.a) + of(contact.b))).max(STATIC_FLOOR);
            if libm::hypot(slip[0], slip[1]) > least {
                problem.set_slip(index, slip)?;
            }
        }
        Ok(())
    }

    /// Adds a contact; bodies that are not dynamic enter as a bias of their velocity.
    pub(crate) fn add_contact(
        &self,
        problem: &mut ContactProblem,
        contact: &Contact,
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
