//! What rest is a question of: free bodies with their loads, the contacts that touch, and joints as rows, at one moment and without velocities.

use crate::Vec3;
use crate::body::Kind;
use crate::collider::Collider;
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::drive::Drives;
use crate::error::SimError;
use crate::joint::{Joint, Row};
use crate::loads::{Loads, motors};
use crate::state::BodyState;
use crate::step_time::StepTime;
use crate::world::World;

/// Contacts with a gap below this share of the smaller body's size touch: what people write as closed, and what a run leaves where bodies rest.
const CLOSED: f64 = 1e-6;

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
    /// A motor that holds its target.
    Motor,
    /// A limit that is reached, or a rope that is taut: one sign.
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
}

impl World {
    /// The world as a question of statics: where it is now, without its velocities. Contacts with a gap up to `closed` \[m\] touch; without it, up to a
    /// millionth of the smaller body. Motors that hold a target are rows with their largest force as bounds; those that are forces are loads. Bodies that are driven are fixed.
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
            ..Statics::default()
        };
        let mut loads = Loads::default();
        let time = StepTime::part(self.state.time, self.state.step, model.settings.dt, [0, 1]);
        let mut drives = Drives::default();
        drives.set(model, &self.state.ctrl);
        loads.set(at, &drives, time);
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
            add_coordinate(at, k, (&drives, time), &mut statics.rows);
        }
        Ok(statics)
    }
}

/// Friction, motor and limits along the coordinate of a joint.
fn add_coordinate(at: Configuration<'_>, k: usize, (drives, time): (&Drives, StepTime), out: &mut Vec<StaticRow>) {
    let joint = &at.model.joints[k];
    let Some(row) = at.model.coordinate(k, at.bodies) else {
        return;
    };
    let around = |most: f64| [-most, most];
    if joint.friction > 0.0 {
        out.push(of_joint(
            k,
            joint,
            &row,
            (StaticRole::Friction, 1.0, around(joint.friction)),
        ));
    }
    if drives.acts(at.model, k) {
        // The middle of what is bounded acts as a load.
        for drive in drives.bounded((k, joint), motors(joint, time)) {
            let [low, high] = drive.free.range;
            let most = if low.is_finite() && high.is_finite() {
                0.5 * (high - low)
            } else {
                high.min(-low)
            };
            out.push(of_joint(k, joint, &row, (StaticRole::Motor, 1.0, around(most))));
        }
        let free = drives.free((k, joint), motors(joint, time), at.model).free;
        if free.stiffness > 0.0 || free.damping > 0.0 {
            out.push(of_joint(
                k,
                joint,
                &row,
                (StaticRole::Motor, 1.0, around(f64::INFINITY)),
            ));
        }
    } else if let Some(motor) = joint
        .motor
        .filter(|motor| !motor.held && motor.stiffness + motor.damping > 0.0)
    {
        out.push(of_joint(k, joint, &row, (StaticRole::Motor, 1.0, around(motor.most))));
    }
    let slack = at.joint_slack(joint).max(CLOSED * at.model.joint_size(joint));
    for (_, sign, bound) in joint.sides() {
        if sign * (row.error - bound) <= slack {
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
