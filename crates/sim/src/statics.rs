//! What rest is a question of: free bodies with their loads, the contacts that touch, and joints as rows, at one moment and without velocities.

use stiction_contact::Law;

use crate::Vec3;
use crate::body::Kind;
use crate::collider::Collider;
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::drive::Drives;
use crate::error::SimError;
use crate::joint::{Joint, Motor, Row};
use crate::joint_rows::motor_row;
use crate::loads::{Loads, add, motors};
use crate::state::BodyState;
use crate::step_time::StepTime;
use crate::world::World;

/// Contacts with a gap below this share of the smaller body's size touch: what people write as closed, and what a run leaves where bodies rest.
const CLOSED: f64 = 1e-6;

/// Bodies that a note names before the rest is counted.
const NAMED: usize = 4;

/// A body that forces can move.
#[derive(Debug, Clone, PartialEq)]
pub struct StaticBody {
    /// Its index among the bodies of the world.
    pub body: usize,
    /// Mass \[kg\].
    pub mass: f64,
    /// Mass matrix in the world's coordinates, row by row: 6×6 in space, 3×3 in the plane.
    pub mass_matrix: Vec<f64>,
    /// Centre of mass \[m\].
    pub center: Vec3,
    /// Force and torque about the centre of mass, gravity included \[N, N·m\]: 6 numbers in space, (`f_x`, `f_y`, `torque_z`) in the plane.
    pub load: Vec<f64>,
    /// The part of it that is gravity.
    pub gravity: Vec3,
}

/// A contact that touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StaticContact {
    /// Bodies, point, normal, gap.
    pub contact: Contact,
    /// Tangents along which friction is given; the second is zero in the plane.
    pub tangents: [Vec3; 2],
    /// Friction coefficient.
    pub friction: f64,
}

/// What a row of a joint can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StaticRole {
    /// Keeps the joint together: any force.
    Firm,
    /// Dry friction of the coordinate.
    Friction,
    /// A limit that is reached, or a rope that is taut: one sign. A rope about a bollard with friction has two of them.
    Limit,
}

/// A row of a joint: its force acts along `parts` and lies between the bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct StaticRow {
    /// Index of the joint.
    pub joint: usize,
    /// What the row is.
    pub role: StaticRole,
    /// Bodies of the world that it acts on, with the row over (v, ω).
    pub parts: Vec<(usize, [f64; 6])>,
    /// Least and largest force \[N or N·m\]; infinite where there is none.
    pub bounds: [f64; 2],
}

/// Bodies, contacts and joint rows of a world at rest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statics {
    /// Whether bodies have the three coordinates of the plane.
    pub planar: bool,
    /// Names of all bodies of the world.
    pub names: Vec<String>,
    /// Centres of all bodies \[m\].
    pub centers: Vec<Vec3>,
    /// Names of all joints.
    pub joints: Vec<String>,
    /// Bodies that forces can move, in the order of the world.
    pub bodies: Vec<StaticBody>,
    /// Contacts that touch.
    pub contacts: Vec<StaticContact>,
    /// Rows of joints.
    pub rows: Vec<StaticRow>,
    /// Gravity \[m/s²\].
    pub gravity: Vec3,
    /// Fastest velocity that a free body has and that is not asked about \[m/s\].
    pub fastest: f64,
    /// What the world has and statics does not take, a sentence each.
    pub ignored: Vec<String>,
}

impl World {
    /// The world as a question of statics: where it is now, without its velocities. Contacts with a gap up to `closed` \[m\] touch; without it, up to a
    /// millionth of the smaller body. Motors and actuators are loads: what their laws give at this pose, without speed and within their limits. A spring that must give way
    /// to hold gives nothing yet. Bodies that are driven are fixed.
    ///
    /// # Errors
    /// A joint whose rows are not finite.
    pub fn statics(&self, closed: Option<f64>) -> Result<Statics, SimError> {
        let model = &self.model;
        let rest: Vec<BodyState> = self.state.bodies.iter().map(BodyState::at_rest).collect();
        let at = Configuration::of(model, &rest);
        let mut statics = Statics {
            planar: model.settings.planar,
            names: model.bodies.iter().map(|body| body.name.clone()).collect(),
            centers: rest.iter().map(|state| state.pose.position).collect(),
            joints: model.joints.iter().map(|joint| joint.name.clone()).collect(),
            gravity: model.settings.gravity,
            ignored: self.beyond_statics(),
            ..Statics::default()
        };
        let mut loads = Loads::default();
        let time = StepTime::part(self.state.time, self.state.step, model.settings.dt, [0, 1]);
        let mut drives = Drives::default();
        drives.set(model, &self.state.ctrl);
        loads.set(at, &drives, time);
        add_motors(at, (&drives, time), &mut loads);
        let dim = at.coordinates().count();
        for (i, body) in model.bodies.iter().enumerate() {
            let Kind::Dynamic { mass, inertia_body } = &body.kind else {
                continue;
            };
            let block = at.coordinates().mass_block(*mass, inertia_body, &rest[i]);
            let gravity = *mass * model.settings.gravity;
            let (force, torque) = (gravity + loads.wrenches[i].force, loads.wrenches[i].torque);
            let load = [force.x, force.y, force.z, torque.x, torque.y, torque.z];
            statics.fastest = statics.fastest.max(self.state.bodies[i].velocity.norm());
            statics.bodies.push(StaticBody {
                body: i,
                mass: *mass,
                mass_matrix: block[..dim * dim].to_vec(),
                center: rest[i].pose.position,
                load: at.coordinates().pick(load)[..dim].to_vec(),
                gravity,
            });
        }
        let mut contacts = Vec::new();
        let reach = |size: f64, _: &BodyState, _: bool| closed.unwrap_or(CLOSED * size);
        Collider::default().find(model, &rest, model.settings.dt, reach, (None, &mut contacts));
        for contact in contacts {
            let most = closed.unwrap_or_else(|| at.share(CLOSED, contact.a, contact.b));
            if contact.gap <= most {
                let material = model.pairs.of(&model.bodies, contact.a, contact.b);
                statics.contacts.push(StaticContact {
                    contact,
                    tangents: at.coordinates().tangents(contact.normal),
                    friction: material.friction,
                });
            }
        }
        let mut rows = Vec::new();
        for (k, joint) in model.joints.iter().enumerate() {
            at.rows_of(joint, &mut rows);
            let free = [f64::NEG_INFINITY, f64::INFINITY];
            statics.rows.extend(
                rows.iter()
                    .map(|row| of_joint(k, joint, row, (StaticRole::Firm, 1.0, free))),
            );
            add_coordinate(at, k, &mut statics.rows);
        }
        Ok(statics)
    }

    /// What statics does not take of this world.
    fn beyond_statics(&self) -> Vec<String> {
        let model = &self.model;
        let mut notes = Vec::new();
        let named = |bodies: Vec<usize>| {
            let names = bodies
                .iter()
                .take(NAMED)
                .map(|i| format!("\"{}\"", model.bodies[*i].name));
            let more = bodies.len().saturating_sub(NAMED);
            let rest = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            names.collect::<Vec<_>>().join(", ") + &rest
        };
        let law = model.settings.law;
        if law != Law::Coulomb {
            notes.push(format!(
                "law {}: statics asks under Coulomb's law, with the friction of the materials",
                law.name()
            ));
        }
        let is_driven = |i: &usize| {
            let state = &self.state.bodies[*i];
            model.bodies[*i].kind == Kind::Kinematic
                && (state.velocity != Vec3::zeros()
                    || state.spin != Vec3::zeros()
                    || model.motions.iter().any(|(body, _)| body == i))
        };
        let driven: Vec<usize> = (0..model.bodies.len()).filter(is_driven).collect();
        if !driven.is_empty() {
            notes.push(format!(
                "the motion of {} is ignored: statics takes it as fixed",
                named(driven)
            ));
        }
        let later = model.schedule.iter().filter(|force| force.from > self.state.time);
        let mut later: Vec<usize> = later.map(|force| force.body).collect();
        later.dedup();
        if !later.is_empty() {
            notes.push(format!(
                "forces on {} that begin later are ignored: statics asks about t = {} s (--time asks about another)",
                named(later),
                self.state.time
            ));
        }
        let mut led: Vec<usize> = model.couplings.iter().map(|coupling| coupling.body).collect();
        led.dedup();
        if !led.is_empty() {
            notes.push(format!(
                "couplings of {} are loads: what their springs give at this pose; a spring that must give way to hold gives nothing yet",
                named(led)
            ));
        }
        notes
    }
}

/// Adds the forces of motors and actuators that steps take as rows, which yield with the motion: at rest they are known.
fn add_motors(at: Configuration<'_>, (drives, time): (&Drives, StepTime), loads: &mut Loads) {
    for (k, joint) in at.model.joints.iter().enumerate() {
        let Some(row) = joint.coordinate(at.bodies) else {
            continue;
        };
        let both = motors(joint, time);
        let is_row = |motor: &Motor| motor_row(motor, row.error, time.h).is_some();
        let taken = if drives.acts(at.model, k) {
            drives.constant((k, joint), both, || [row.error, 0.0])
        } else if joint.motor.as_ref().is_some_and(is_row) {
            0.0
        } else {
            continue;
        };
        let force = drives.at_rest((k, joint), both, row.error) - taken;
        if force != 0.0 {
            add(&mut loads.wrenches, joint, &row, force);
        }
    }
}

/// Friction and limits along the coordinate of a joint.
fn add_coordinate(at: Configuration<'_>, k: usize, out: &mut Vec<StaticRow>) {
    let joint = &at.model.joints[k];
    let Some(row) = at.model.coordinate(k, at.bodies) else {
        return;
    };
    if joint.friction > 0.0 {
        let bounds = [-joint.friction, joint.friction];
        out.push(of_joint(k, joint, &row, (StaticRole::Friction, 1.0, bounds)));
    }
    let slack = at.joint_slack(joint).max(CLOSED * at.model.joint_size(joint));
    for (_, sign, bound) in joint.sides() {
        if sign * (row.error - bound) > slack {
            continue;
        }
        // About a bollard both parts of a rope pull, with any forces of which neither is more than the largest ratio times the other: sums of the two extremes.
        let rub = joint.rub(at.bodies).filter(|rub| rub.friction > 0.0);
        let rows = match rub {
            Some(rub) => vec![row.plus(rub.friction, &rub.row), row.plus(-rub.friction, &rub.row)],
            None => vec![row],
        };
        for row in rows {
            out.push(of_joint(
                k,
                joint,
                &row,
                (StaticRole::Limit, sign, [0.0, f64::INFINITY]),
            ));
        }
    }
}

fn of_joint(joint: usize, of: &Joint, row: &Row, (role, sign, bounds): (StaticRole, f64, [f64; 2])) -> StaticRow {
    let parts = of.parts(row).filter(|(_, part)| part.iter().any(|x| *x != 0.0));
    StaticRow {
        joint,
        role,
        parts: parts.map(|(body, part)| (body, part.map(|x| sign * x))).collect(),
        bounds,
    }
}
