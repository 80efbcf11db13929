//! The contact problem of a step: rows at the midpoint for the velocity at the end, rows at the start where something arrives.

use stiction_contact::{ContactProblem, Law};

use super::follow::surfaces;
use super::islands::Mode;
use super::projection::Weight;
use super::{Role, SPEED_ROUNDING, Trial, speed_rounding};
use crate::Vec3;
use crate::assemble::{Assembly, Touches, add_blocks, add_contact, add_held, set_rubbing};
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::corners::Corners;
use crate::drive::{Course, rotor};
use crate::error::SimError;
use crate::flight::{FreeMotion, Moment};
use crate::impact::Bounces;
use crate::integrate::exp;
use crate::joint::{Joint, Motor, Row};
use crate::joint_rows::{JointRow, LimitRow, Role as RowRole, add_drive, add_joint, add_limit, add_row, limit_key};
use crate::level::level;
use crate::loads::motors;
use crate::outcome::Outcome;
use crate::step_time::StepTime;
use crate::transmission::Rub;

/// Open contacts move away at so many times the speeds of their bodies: they take no part in the problem.
const AWAY: f64 = 4.0;
/// No contact moves away faster than this \[m/s\]: numbers must not overflow.
const FASTEST: f64 = 1e150;

/// What the key of an open contact differs by from its own.
pub(super) const OPEN: u64 = 0x6F70_656E_0000_0000;

/// A row along the coordinate of a joint that is held: by dry friction, or by a motor that is too stiff for the step to resolve. Where it does not give way, the
/// coordinate goes as the row says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hold {
    pub(super) joint: usize,
    /// Row of the problem.
    pub(super) row: usize,
    /// Impulse at which it gives way \[N s or N m s\].
    pub(super) most: f64,
    /// Coordinate at the start \[m or rad\].
    pub(super) start: f64,
    /// What free flight adds to the speed after the impulse \[m/s or rad/s\].
    pub(super) change: f64,
    /// Speed at the start \[m/s or rad/s\].
    pub(super) speed: f64,
    /// A motor, which does work.
    pub(super) drives: bool,
    /// Friction that obeys the law with its mean speed.
    pub(super) mean: bool,
}

impl Hold {
    /// Whether it did not give way.
    pub(super) fn holds(&self, outcome: &Outcome<'_>) -> bool {
        outcome.solution.joint_impulse[self.row].abs() < self.most
    }

    /// Friction that moved at the start: how far it goes until it stops is not the row's to say.
    pub(super) fn slipped(&self) -> bool {
        !self.drives && self.speed != 0.0
    }

    /// The speed that was judged: that along its coordinate at the end of the step \[m/s or rad/s\].
    pub(super) fn end_speed(&self, outcome: &Outcome<'_>) -> f64 {
        let joint = &outcome.free.at.model.joints[self.joint];
        outcome.speed_along(joint, &outcome.assembly.joint_rows[self.row].row) + self.change
    }
}

/// How a rope slips about a bollard in the step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rubbing {
    /// Its place among the limits of the problem.
    pub(super) limit: usize,
    /// Length of its first part less that of its second at the start \[m\].
    pub(super) start: f64,
    /// Rate of that at the start, 0 where it is rounding \[m/s\].
    pub(super) slip: f64,
    /// Whether it obeys the law with its mean slip.
    pub(super) mean: bool,
}

/// A vector that is carried with a normal from n to m by the shortest turn.
pub(super) fn carried(n: &Vec3, m: &Vec3, u: Vec3) -> Vec3 {
    let axis = n.cross(m);
    let sine = axis.norm();
    if sine == 0.0 {
        return u;
    }
    let angle = libm::atan2(sine, n.dot(m));
    exp(axis * (angle / sine)).map_or(u, |turn| turn * u)
}

/// A motor as a row that yields: ẋ′ + p/K + b = 0.
struct MotorRow {
    /// 1/K.
    compliance: f64,
    bias: f64,
    /// Whether the step resolves its spring and damper.
    is_resolved: bool,
}

/// How a motor acts in a step; `None` where it is a force alone or held over the step.
///
/// Trapezoidal in coordinate and speed, p = (h/2)(F_n + F_e) with x_e = x_m + (h/2)ẋ′ and ẋ_e = ẋ′ + (ẋ_m − ẋ_n): K = h²k/4 + hc/2. That keeps the energy of a
/// spring, and rings for ever where the step does not resolve it. Where spring and damper would change more than the whole speed in the step, by the inverse mass δ
/// along the row, the motor acts as in an implicit step of first order, p = −h(k(x_n + hẋ_e − target) + cẋ_e): K = h²k + hc.
fn motor_row([first, last]: [&Motor; 2], x: [f64; 2], speed: [f64; 2], (h, delta): (f64, f64)) -> Option<MotorRow> {
    let (k, c, change) = (last.stiffness, last.damping, speed[1] - speed[0]);
    let is_resolved = h * (h * k + c) * delta <= 1.0;
    let stiffness = if is_resolved { 0.25 * h * k + 0.5 * c } else { h * k + c };
    let compliance = 1.0 / (h * stiffness);
    if last.held || !(stiffness > 0.0 && compliance.is_finite()) {
        return None;
    }
    let pull = |motor: &Motor, x: f64, speed: f64| k * (x - motor.target) + c * (speed - motor.target_speed);
    let bias = if is_resolved {
        (0.5 * (pull(first, x[0], speed[0]) + pull(last, x[1], change)) - last.force) / stiffness
    } else {
        change + (pull(last, x[0], 0.0) - last.force) / stiffness
    };
    Some(MotorRow {
        compliance,
        bias,
        is_resolved,
    })
}

/// Inverse of the mass along a row of two bodies, as if nothing else held them.
pub(super) fn inverse_mass(at: Configuration<'_>, joint: &Joint, row: &Row) -> f64 {
    joint
        .parts(row)
        .filter(|(body, _)| at.blocks[*body].is_some())
        .flat_map(|(body, part)| Weight::of(at, body).normalise(part))
        .map(|x| x * x)
        .sum()
}

/// Difference of two coordinates of a joint; of angles, by no more than half a turn.
pub(super) fn difference(joint: &Joint, from: f64, to: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    let d = to - from;
    if joint.kind.is_angle() && d.abs() > PI {
        d - TAU * (d / TAU).round()
    } else {
        d
    }
}

impl Trial {
    /// Becomes the problem of a step with these contacts, as found at the start.
    pub(super) fn assemble(
        &mut self,
        free: FreeMotion<'_>,
        (contacts, corners, bounces): (&[Contact], &Corners, &Bounces),
        time: StepTime,
        use_mean: bool,
        assembly: &mut Assembly,
    ) -> Result<(), SimError> {
        let start = free.at;
        let Self {
            rows_at,
            flights,
            islands,
            follower,
            stopping,
            ..
        } = self;
        let at = Configuration {
            bodies: rows_at,
            ..start
        };
        let here = FreeMotion { at, flights };
        let problem = &mut assembly.problem;
        problem.clear();
        add_blocks(problem, at, 1.0, |i| {
            let (v, w) = here.of(i);
            [v.x, v.y, v.z, w.x, w.y, w.z]
        })?;
        level(
            contacts,
            corners.first_grouped,
            |c| start.slack(c),
            &mut assembly.levels,
        );
        self.contacts.clear();
        self.contacts.extend_from_slice(contacts);
        self.surfaces.clear();
        self.contacts_mid.clear();
        self.roles.clear();
        self.slips.clear();
        for (i, contact) in contacts.iter().enumerate() {
            self.surfaces.push(surfaces(start.model, start.bodies, contact));
            if islands.mode(islands.of_pair(start, contact.a, contact.b)) == Mode::Event || i >= corners.first_grouped {
                let touches = Touches {
                    contacts,
                    corners,
                    bounces: &bounces.shares,
                };
                add_held(problem, here, (touches, i), assembly.levels[i], (time.h, Moment::End))?;
                self.contacts_mid.push(*contact);
                self.roles.push(Role::Held);
                self.slips.push([0.0; 2]);
                continue;
            }
            let mid = follower.follow(start.model, contact, [start.bodies, at.bodies], self.surfaces[i]);
            let mean = use_mean && !stopping.contains(&contact.key);
            let added = add_smooth(
                problem,
                start,
                here,
                [contact, &mid],
                assembly.levels[i],
                (time.h, mean),
            )?;
            self.contacts_mid.push(mid);
            self.roles.push(added.0);
            self.slips.push(added.1);
        }
        corners.add_groups(problem)?;
        self.add_joints(start, time, use_mean, assembly)
    }

    /// Adds all joints.
    fn add_joints(
        &mut self,
        start: Configuration<'_>,
        time: StepTime,
        use_mean: bool,
        assembly: &mut Assembly,
    ) -> Result<(), SimError> {
        let at = Configuration {
            bodies: &self.rows_at,
            ..start
        };
        assembly.joint_rows.clear();
        assembly.rotors.clear();
        assembly.limits.clear();
        self.holds.clear();
        self.rubbing.clear();
        for (k, joint) in start.model.joints.iter().enumerate() {
            if start.moves_joint(joint) && self.islands.mode(self.islands.of_joint(start, joint)) == Mode::Smooth {
                let mean = use_mean && !self.stopping.contains(&joint_name(k));
                let joints = Joints {
                    start,
                    at,
                    time,
                    holds: &mut self.holds,
                    rubbing: &mut self.rubbing,
                };
                joints.add(k, mean, assembly)?;
                continue;
            }
            add_joint(assembly, at, (k, time, Moment::End))?;
        }
        Ok(())
    }
}

/// The name of a joint among contacts that stop.
pub(super) fn joint_name(joint: usize) -> u64 {
    u64::MAX - joint as u64
}

/// Normal bias of a contact that is open at the midpoint, and takes no part.
pub(super) fn away((change, gap): (f64, f64), rounding: f64, speeds: f64, h: f64) -> f64 {
    let fastest = rounding / SPEED_ROUNDING + speeds;
    (change.max(0.0) + 2.0 * gap.max(0.0) / h + AWAY * fastest).min(FASTEST)
}

/// Whether a contact is closed by its gap as the step takes it: corners of a flat face whose far side is within reach too differ by roundings.
pub(super) fn is_level(at: Configuration<'_>, contact: &Contact, level: f64) -> bool {
    level <= at.slack(contact).overlap
}

/// Adds a contact at the midpoint; what it does, and its slip at the start where it counts, along the tangents of the midpoint.
fn add_smooth(
    problem: &mut ContactProblem,
    start: Configuration<'_>,
    free: FreeMotion<'_>,
    [contact, mid]: [&Contact; 2],
    level: f64,
    (h, mean): (f64, bool),
) -> Result<(Role, [f64; 2]), SimError> {
    let (model, at) = (start.model, free.at);
    let material = model.pairs.of(&model.bodies, contact.a, contact.b);
    let [u_n, u_m] = [start.relative_velocity(contact), at.relative_velocity(mid)];
    let rounding = speed_rounding(start, contact, h);
    let [t1, t2] = at.coordinates().tangents(mid.normal);
    let before = carried(&contact.normal, &mid.normal, u_n);
    let change = u_m - before;
    let mut bias = [change.dot(&mid.normal), change.dot(&t1), change.dot(&t2)];
    let closed = is_level(start, contact, level) && contact.normal.dot(&u_n) <= rounding;
    let mut slip = [0.0; 2];
    let role = if closed {
        slip = [before.dot(&t1), before.dot(&t2)];
        let slips = libm::hypot(slip[0], slip[1]) > rounding;
        let is_dry = matches!(model.settings.law, Law::Coulomb | Law::Polyhedral);
        let mean = mean && slips && is_dry && material.friction > 0.0;
        if mean {
            bias = [bias[0], bias[1] + slip[0], bias[2] + slip[1]];
        }
        Role::Closed { mean, slipped: slips }
    } else {
        // It takes no part: whether it has closed is seen at the end of the step.
        let speed = |body: usize| {
            let (velocity, spin) = free.of(body);
            velocity.norm() + spin.norm() * (mid.point - at.bodies[body].pose.position).norm()
        };
        bias[0] = away((bias[0], mid.gap), rounding, speed(mid.a) + speed(mid.b), h);
        Role::Open
    };
    let index = add_contact(problem, at, mid, material.friction, bias)?;
    let touching = Contact {
        gap: contact.gap,
        ..*mid
    };
    set_rubbing(problem, at, index, (&touching, &material), (h, Moment::End))?;
    // One that takes no part starts from nothing.
    problem.set_key(
        index,
        if role == Role::Open {
            contact.key ^ OPEN
        } else {
            contact.key
        },
    )?;
    Ok((role, slip))
}

/// Where joints of islands without arrivals are added.
struct Joints<'a> {
    start: Configuration<'a>,
    at: Configuration<'a>,
    time: StepTime,
    holds: &'a mut Vec<Hold>,
    rubbing: &'a mut Vec<Rubbing>,
}

/// The coordinate of a joint in a step.
struct Coordinate {
    /// Number of the joint.
    joint: usize,
    /// Row at the midpoint.
    row: Row,
    /// At the start and at the midpoint \[m or rad\].
    x: [f64; 2],
    /// Speeds there \[m/s or rad/s\].
    speeds: [f64; 2],
}

impl Coordinate {
    /// What free flight adds to the speed in half a step.
    fn change(&self) -> f64 {
        self.speeds[1] - self.speeds[0]
    }

    /// A row of the problem that holds it up to an impulse.
    fn hold(&self, row: usize, most: f64) -> Hold {
        Hold {
            joint: self.joint,
            row,
            most,
            start: self.x[0],
            change: self.change(),
            speed: self.speeds[0],
            drives: false,
            mean: false,
        }
    }
}

impl Joints<'_> {
    /// Adds the rows of a joint at the midpoint.
    fn add(mut self, k: usize, mean: bool, assembly: &mut Assembly) -> Result<(), SimError> {
        let (start, at) = (self.start, self.at);
        let joint = &start.model.joints[k];
        let mut rows = std::mem::take(&mut assembly.rows);
        at.rows_of(joint, &mut rows);
        for row in &rows {
            // J(v_m + v′) = 0: the velocity before the impulse is reflected.
            self.push(k, row, RowRole::Firm, at.speed_along(joint, row), assembly)?;
        }
        assembly.rows = rows;
        let (Some(first), Some(row)) = (
            start.model.coordinate(k, start.bodies),
            start.model.coordinate(k, at.bodies),
        ) else {
            return Ok(());
        };
        let coordinate = Coordinate {
            joint: k,
            row,
            x: [first.error, first.error + difference(joint, first.error, row.error)],
            speeds: [start.speed_along(joint, &first), at.speed_along(joint, &row)],
        };
        if joint.friction > 0.0 {
            self.add_friction(&coordinate, mean, assembly)?;
        }
        if assembly.drives.acts(self.at.model, k) {
            self.add_drive(&coordinate, assembly)?;
        } else if let Some(motor) = &joint.motor {
            self.add_motor(&coordinate, motor, assembly)?;
        }
        self.add_limits(&coordinate, mean, assembly)
    }

    /// Adds a row; none where both bodies stand.
    fn push(
        &self,
        joint: usize,
        row: &Row,
        role: RowRole,
        bias: f64,
        assembly: &mut Assembly,
    ) -> Result<Option<usize>, SimError> {
        let index = add_row(&mut assembly.problem, self.at, &self.at.model.joints[joint], row, bias)?;
        if index.is_some() {
            assembly.joint_rows.push(JointRow { joint, role, row: *row });
        }
        Ok(index)
    }

    /// Adds dry friction along a coordinate.
    fn add_friction(&mut self, of: &Coordinate, mean: bool, assembly: &mut Assembly) -> Result<(), SimError> {
        let (speed, most) = (of.speeds[0], self.time.h * self.at.model.joints[of.joint].friction);
        let mean = mean && speed != 0.0;
        let bias = of.change() + if mean { speed } else { 0.0 };
        if let Some(row) = self.push(of.joint, &of.row, RowRole::Friction, bias, assembly)? {
            assembly.problem.set_yield(row, 0.0, most)?;
            self.holds.push(Hold {
                mean,
                ..of.hold(row, most)
            });
        }
        Ok(())
    }

    /// Adds the motor of a coordinate.
    fn add_motor(&mut self, of: &Coordinate, motor: &Motor, assembly: &mut Assembly) -> Result<(), SimError> {
        let h = self.time.h;
        let motors = [&motor.at(self.time.start), &motor.at(self.time.end)];
        let inverse = inverse_mass(self.at, &self.at.model.joints[of.joint], &of.row);
        let Some(found) = motor_row(motors, of.x, of.speeds, (h, inverse)) else {
            return Ok(());
        };
        if let Some(row) = self.push(of.joint, &of.row, RowRole::Motor, found.bias, assembly)? {
            let most = h * motor.most;
            assembly.problem.set_yield(row, found.compliance, most)?;
            if !found.is_resolved {
                self.holds.push(Hold {
                    drives: true,
                    ..of.hold(row, most)
                });
            }
        }
        Ok(())
    }

    /// Adds motor, actuators and rotor of a coordinate.
    fn add_drive(&mut self, of: &Coordinate, assembly: &mut Assembly) -> Result<(), SimError> {
        let joint = &self.at.model.joints[of.joint];
        let inverse = inverse_mass(self.at, joint, &of.row);
        let course = Course {
            x: of.x,
            speeds: of.speeds,
            h: self.time.h,
            inverse_mass: Some(inverse / (1.0 + rotor(self.at.model, of.joint) * inverse)),
        };
        let motors = motors(joint, self.time);
        let stiff = add_drive(assembly, self.at, (of.joint, &of.row), (&course, motors, Moment::End))?;
        if let Some((row, found)) = stiff {
            self.holds.push(Hold {
                drives: true,
                ..of.hold(row, found.most)
            });
        }
        Ok(())
    }

    /// Notes how a rope rubs about a bollard from the start of the step; the bias of its slip.
    fn add_rubbing(&mut self, of: &Coordinate, mean: bool, (first, rub): (&Row, &Rub), limit: usize) -> f64 {
        let joint = &self.at.model.joints[of.joint];
        let [before, mid] = [
            self.start.speed_along(joint, first),
            self.at.speed_along(joint, &rub.row),
        ];
        let slips = before.abs() > super::limits::speed_rounding(self.start, joint, first);
        let is_dry = matches!(self.at.model.settings.law, Law::Coulomb | Law::Polyhedral);
        let mean = mean && slips && is_dry && rub.friction > 0.0;
        self.rubbing.push(Rubbing {
            limit,
            start: first.error,
            slip: if slips { before } else { 0.0 },
            mean,
        });
        mid - before + if mean { before } else { 0.0 }
    }

    /// Adds the limits that a coordinate is at. Whether others are reached is seen at the end of the step.
    fn add_limits(&mut self, of: &Coordinate, mean: bool, assembly: &mut Assembly) -> Result<(), SimError> {
        let model = self.at.model;
        let joint = &model.joints[of.joint];
        let slack = self.start.joint_slack(joint);
        for (side, sign, bound) in joint.sides() {
            if sign * (of.x[0] - bound) > slack {
                continue;
            }
            // A coordinate that was at its limit leaves it by more than rounding, or is there still.
            if sign * of.speeds[0] > super::limits::speed_rounding(self.start, joint, &of.row) {
                continue;
            }
            let mut limit = LimitRow {
                joint: of.joint,
                sign,
                row: of.row,
                rub: None,
            };
            let mut biases = [sign * of.change(), 0.0];
            if let (Some(first), Some(rub)) = (joint.rub(self.start.bodies), joint.rub(self.at.bodies)) {
                limit.rub = Some(rub);
                biases[1] = sign * self.add_rubbing(of, mean, (&first.row, &rub), assembly.limits.len());
            }
            let index = add_limit(&mut assembly.problem, self.at, &limit, biases)?;
            assembly
                .problem
                .set_key(index, limit_key(model.ids.joints[of.joint], side))?;
            assembly.limits.push(limit);
        }
        Ok(())
    }
}
