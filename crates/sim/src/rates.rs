//! How fast the velocities along rows change while bodies keep theirs: J̇v and Ṅv of the acceleration level \[Drumwright (17), (18)\].
//!
//! Forces of one moment satisfy J v̇ + J̇v = 0 at joints and N v̇ + Ṅv ≥ 0 at contacts that touch. Over a step of h that is J v′ + h J̇v = 0 and
//! N v′ + h Ṅv ≥ 0 for the velocity v′ at its end: known biases of the contact problem.
//!
//! At the point p of a contact with normal n the bodies have the relative velocity w. It changes by ẇ = ω_a×(ṗ − v_a) − ω_b×(ṗ − v_b), with v the velocities
//! of the centres of mass and ṗ that of the point of contact, which is no point of either body where they roll. In axes that turn with the normal by
//! the shortest way, ω = n×ṅ, the rate is β = ẇ − ṅ(n·w) + n(ṅ·w), and n·β = Ṅv is the second derivative of the gap.

use stiction_contact::ContactSolution;

use crate::Vec3;
use crate::assemble::Assembly;
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::error::SimError;
use crate::integrate::turn;
use crate::joint::{Joint, JointKind, Row};
use crate::midpoint::follow::{Follower, Point, Surfaces, surfaces};
use crate::state::BodyState;

/// Distance over which the motion of a contact between two round surfaces is measured, as a share of the smaller body: central differences are then good to
/// 1e-10, and so is their rounding.
const SHARE: f64 = 1e-5;
/// Second difference, as a share of the first, beyond which a contact has jumped to another place.
const JUMP: f64 = 0.1;

/// Motion of the point of a contact and of its normal.
#[derive(Debug, Clone, Copy)]
struct Motion {
    /// ṗ \[m/s\].
    point: Vec3,
    /// ṅ \[1/s\].
    normal: Vec3,
}

/// Finds rates; keeps its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rates {
    follower: Follower,
    /// Bodies a little earlier or later.
    moved: Vec<BodyState>,
    /// Rows of a joint at such poses.
    rows: Vec<Row>,
    /// What was added to the biases of contacts and limits \[m/s or rad/s\].
    contacts: Vec<[f64; 3]>,
    /// What was added to the biases of joint rows.
    joints: Vec<f64>,
}

/// Work of impulses over the change of their rows in a step \[J\]: none of physics, but of the rows of the start with velocities of the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RateWork {
    /// Of normal impulses of contacts and limits.
    pub(crate) normal: f64,
    /// Of friction and joints.
    pub(crate) other: f64,
}

impl Rates {
    /// Adds h J̇v and h Ṅv to the biases of a problem of these contacts: at every joint row, and at contacts and limits that touch.
    pub(crate) fn add(
        &mut self,
        assembly: &mut Assembly,
        at: Configuration<'_>,
        contacts: &[Contact],
        h: f64,
    ) -> Result<(), SimError> {
        let problem = &mut assembly.problem;
        self.moved.clear();
        self.moved.extend_from_slice(at.bodies);
        self.contacts.clear();
        self.joints.clear();
        for (contact, level) in contacts.iter().zip(&assembly.levels) {
            let rate = h * self.contact_rate(at, contact);
            let normal = rate.dot(&contact.normal);
            // Such gaps are those that a step leaves along a curved path.
            let is_closed = *level <= 0.0 || contact.gap <= h * normal.abs();
            let [t1, t2] = at.coordinates().tangents(contact.normal);
            let rates = [normal, rate.dot(&t1), rate.dot(&t2)];
            self.contacts.push(if is_closed { rates } else { [0.0; 3] });
        }
        for limit in &assembly.limits {
            let joint = &at.model.joints[limit.joint];
            let rate = h * self.rate_along(at, joint, (0, &limit.row));
            let closed = at.joint_slack(joint).max(h * rate.abs());
            let room = limit.sign * (limit.row.error - joint.bound(limit.sign));
            if room > closed {
                self.contacts.push([0.0; 3]);
                continue;
            }
            // The row of a rope about a bollard is the second of its rows.
            let across = limit
                .rub
                .map_or(0.0, |rub| h * self.rate_along(at, joint, (1, &rub.row)));
            self.contacts.push([limit.sign * rate, limit.sign * across, 0.0]);
        }
        for (i, rates) in self.contacts.iter().enumerate() {
            let bias = problem.bias(i);
            problem.set_bias(i, std::array::from_fn(|k| bias[k] + rates[k]))?;
        }
        for (k, row) in assembly.joint_rows.iter().enumerate() {
            // Firm rows of a joint follow each other.
            let before = assembly.joint_rows[..k].iter().rev();
            let index = match at.model.joints[row.joint].coordinate(at.bodies) {
                Some(_) => 0,
                None => before.take_while(|other| other.joint == row.joint).count(),
            };
            let rate = h * self.rate_along(at, &at.model.joints[row.joint], (index, &row.row));
            self.joints.push(rate);
            problem.set_joint_bias(k, problem.joint_bias(k) + rate)?;
        }
        Ok(())
    }

    /// Work of the impulses of a problem that has these rates: −½ Σ h β·p.
    pub(crate) fn work(&self, solution: &ContactSolution) -> RateWork {
        let normal = self.contacts.iter().zip(&solution.normal_impulse);
        let friction = self.contacts.iter().zip(&solution.friction_impulse);
        let joints = self.joints.iter().zip(&solution.joint_impulse);
        let across: f64 = friction.map(|([_, x, y], f)| x * f[0] + y * f[1]).sum();
        RateWork {
            normal: -0.5 * normal.map(|([rate, ..], theta)| rate * theta).sum::<f64>(),
            other: -0.5 * (across + joints.map(|(rate, impulse)| rate * impulse).sum::<f64>()),
        }
    }

    /// β of a contact \[m/s²\].
    fn contact_rate(&mut self, at: Configuration<'_>, contact: &Contact) -> Vec3 {
        let [a, b] = [contact.a, contact.b].map(|body| &at.bodies[body]);
        let n = contact.normal;
        let w = at.relative_velocity(contact);
        let Motion { point, normal } = self.motion(at, contact);
        let change = a.spin.cross(&(point - a.velocity)) - b.spin.cross(&(point - b.velocity));
        change - normal * n.dot(&w) + n * normal.dot(&w)
    }

    /// How the point of a contact and its normal move.
    fn motion(&mut self, at: Configuration<'_>, contact: &Contact) -> Motion {
        let [a, b] = [contact.a, contact.b].map(|body| &at.bodies[body]);
        let (p, n) = (contact.point, contact.normal);
        let on_plane = |body: &BodyState, plane: &BodyState, n: Vec3, point: Point| {
            let turn = plane.spin.cross(&n);
            point_velocity(body, (p, point), (n, turn))
        };
        match surfaces(at.model, at.bodies, contact) {
            Surfaces::PlaneOfB(point) => Motion {
                point: on_plane(a, b, n, point),
                normal: b.spin.cross(&n),
            },
            Surfaces::PlaneOfA(point) => Motion {
                point: on_plane(b, a, -n, point),
                normal: a.spin.cross(&n),
            },
            Surfaces::Moving => self.measured(at, contact).unwrap_or_else(|| Motion {
                point: on_plane(a, b, n, Point::Fixed),
                normal: b.spin.cross(&n),
            }),
        }
    }

    /// The same by central differences; `None` where the features of the contact change, and where nothing moves.
    fn measured(&mut self, at: Configuration<'_>, contact: &Contact) -> Option<Motion> {
        let pair = [contact.a, contact.b];
        let speed: f64 = pair.iter().map(|body| at.speed_at(*body, &contact.point)).sum();
        let sizes = pair.map(|body| at.model.radius(body)).into_iter();
        let size = sizes.filter(|size| *size > 0.0).fold(f64::INFINITY, f64::min);
        let time = SHARE * size / speed;
        if !(time > 0.0 && time.is_finite()) {
            return None;
        }
        let margin = 2.0 * contact.gap.abs() + 4.0 * SHARE * size;
        let [before, after] = [-time, time].map(|time| {
            for body in pair {
                self.moved[body] = carried(&at.bodies[body], time);
            }
            self.follower.find(at.model, contact, &self.moved, margin)
        });
        for body in pair {
            self.moved[body] = at.bodies[body];
        }
        let (before, after) = (before?, after?);
        let rate = |[x, now, y]: [Vec3; 3], least: f64| {
            let (first, second) = (y - x, x + y - 2.0 * now);
            let is_smooth = second.norm() <= JUMP * first.norm().max(least);
            is_smooth.then(|| first / (2.0 * time))
        };
        Some(Motion {
            point: rate([before.point, contact.point, after.point], SHARE * size)?,
            normal: rate([before.normal, contact.normal, after.normal], SHARE)?,
        })
    }

    /// J̇v of a row of a gear, a rope, a compound or a tendon, by central differences.
    fn measured_rate(&mut self, at: Configuration<'_>, joint: &Joint, index: usize) -> f64 {
        let size = at.model.joint_size(joint);
        let bodies = joint.bodies();
        let pace = |body: &usize| at.bodies[*body].spin.norm() + at.bodies[*body].velocity.norm() / size;
        let time = SHARE / bodies.iter().map(pace).sum::<f64>();
        if !(time > 0.0 && time.is_finite()) {
            return 0.0;
        }
        let [before, after] = [-time, time].map(|time| {
            for body in bodies.iter() {
                self.moved[*body] = carried(&at.bodies[*body], time);
            }
            let at = Configuration {
                bodies: &self.moved,
                ..at
            };
            self.rows.clear();
            match joint.coordinate(at.bodies) {
                Some(row) => self.rows.push(row),
                None => joint.rows(at.bodies, &mut self.rows),
            }
            self.rows.extend(joint.rub(at.bodies).map(|rub| rub.row));
            self.rows.get(index).map_or(0.0, |row| at.speed_along(joint, row))
        });
        for body in bodies.iter() {
            self.moved[*body] = at.bodies[*body];
        }
        (after - before) / (2.0 * time)
    }

    /// J̇v of a joint's row \[m/s² or rad/s²\]. Rows turn with body b; that of a distance with the line between its points.
    fn rate_along(&mut self, at: Configuration<'_>, joint: &Joint, (index, row): (usize, &Row)) -> f64 {
        if matches!(
            joint.kind,
            JointKind::Gear(_)
                | JointKind::Rope(_)
                | JointKind::Compound(_)
                | JointKind::Along(_)
                | JointKind::Tendon(_)
        ) {
            return self.measured_rate(at, joint, index);
        }
        let [a, b] = [joint.a, joint.b].map(|body| &at.bodies[body]);
        let [x, y, z, u, v, w] = row.parts[0];
        let along = Vec3::new(x, y, z);
        if along == Vec3::zeros() {
            return b.spin.cross(&Vec3::new(u, v, w)).dot(&(a.spin - b.spin));
        }
        let [p, q] = joint.frames(at.bodies).map(|frame| frame.position);
        if let JointKind::Distance { .. } = joint.kind {
            let centripetal = |body: &BodyState, x: Vec3| body.spin.cross(&body.spin.cross(&(x - body.pose.position)));
            let apart = a.velocity_at(&p) - b.velocity_at(&q);
            let across = apart - along * along.dot(&apart);
            let size = (p - q).norm();
            let turn = if size > 0.0 {
                across.norm_squared() / size
            } else {
                b.spin.cross(&along).dot(&apart)
            };
            return along.dot(&(centripetal(a, p) - centripetal(b, q))) + turn;
        }
        let point = a.velocity_at(&p);
        let change = a.spin.cross(&(point - a.velocity)) - b.spin.cross(&(point - b.velocity));
        along.dot(&change) + b.spin.cross(&along).dot(&(point - b.velocity_at(&p)))
    }
}

/// A body that keeps its velocity for a time.
fn carried(state: &BodyState, time: f64) -> BodyState {
    let mut there = *state;
    there.pose.position += time * state.velocity;
    there.pose.rotation = turn(state.pose.rotation, state.spin, time);
    there
}

/// Velocity of the point of a body that touches a plane, with the normal n of the plane towards the body and ṅ.
fn point_velocity(body: &BodyState, (p, point): (Vec3, Point), (n, n_dot): (Vec3, Vec3)) -> Vec3 {
    let (x, v, spin) = (body.pose.position, body.velocity, body.spin);
    let fixed = |p: Vec3| v + spin.cross(&(p - x));
    match point {
        Point::Fixed => fixed(p),
        Point::Round(radius) => fixed(p + radius * n) - radius * n_dot,
        Point::Ellipsoid(semi_axes) => {
            // In the axes of the body the point is s = D m/ρ, with D the squares of the semi-axes, m against the normal and ρ² = mᵀDm.
            let squares = semi_axes.component_mul(&semi_axes);
            let m = body.pose.direction_in_body(-n);
            let m_dot = body.pose.direction_in_body(spin.cross(&n) - n_dot);
            let (along, change) = (squares.component_mul(&m), squares.component_mul(&m_dot));
            let square = m.dot(&along);
            let s_dot = (change - along * (m.dot(&change) / square)) / square.sqrt();
            fixed(p) + body.pose.direction(s_dot)
        }
        Point::Rim(height, radius) => {
            // The lowest point lies from the axis along d, the part of −n across it.
            let axis = body.pose.direction(Vec3::z());
            let axis_dot = spin.cross(&axis);
            let d = axis * n.dot(&axis) - n;
            let d_dot = axis * (n_dot.dot(&axis) + n.dot(&axis_dot)) + axis_dot * n.dot(&axis) - n_dot;
            let size = d.norm();
            if size == 0.0 {
                return fixed(p);
            }
            let d = d / size;
            let across = (d_dot - d * d.dot(&d_dot)) / size;
            v + height * axis_dot + radius * across
        }
    }
}

#[cfg(test)]
mod tests;
