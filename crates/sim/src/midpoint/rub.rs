//! Friction of slipping contacts for what the velocity projection adds to their normal impulses.
//!
//! The projection takes velocities along normal rows away by normal impulses δθ. A contact that slips has the friction μ δθ as well, which moves its body off the rows again, by
//! a share of it; so friction and projection follow each other until nothing is left. Where rows turn fast, as those of a tippe top do, δθ is of second order in every step,
//! and without its friction the step would be of first order.

use stiction_contact::Law;

use super::Closing;
use super::assemble::carried;
use super::finish::{Ends, Finished, kick};
use crate::Vec3;
use crate::body::Kind;
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::state::BodyState;

/// Rounds of friction and projection, at most.
const RUBBINGS: usize = 8;
/// The rounds end where friction is more than this share of that of the round before.
const RUBS_ON: f64 = 0.9;
/// A contact rubs with what the projection adds to its normal impulse up to this share of that.
const SMALL_PRESS: f64 = 0.1;
/// What the projection adds is rounding below this share.
const ROUNDING: f64 = 1e-12;

/// A contact that slips: its normal row among the active ones, and its friction for each unit of its normal impulse.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slipping {
    row: usize,
    contact: Contact,
    friction: Vec3,
    /// Normal impulse of the step \[N·s\].
    normal: f64,
    /// What projections have added to it that has rubbed \[N·s\].
    added: f64,
    /// What of that it rubs with in this round \[N·s\].
    rubs: f64,
}

impl Slipping {
    /// Takes in what a projection adds to the normal impulse. Where that is no small part of it, the contact does not slip all through the step as it did at its middle, or others
    /// carry as well and which of them is not known: then it is left alone.
    fn press(&mut self, added: f64) {
        let is_small = (self.added + added).abs() <= SMALL_PRESS * self.normal;
        let is_rounding = added.abs() <= ROUNDING * self.normal;
        self.rubs = if is_small && !is_rounding { added } else { 0.0 };
        self.added += self.rubs;
    }

    fn impulse(&self) -> Vec3 {
        self.rubs * self.friction
    }
}

impl Closing {
    /// After the projection: contacts that slip rub with what it has added to their normal impulses. That moves the bodies off their rows again, by a share of the friction; so both
    /// are done in turn until nothing is left. Where rows turn fast the projection adds impulses of second order in every step, and a step without this would be of first order.
    /// Returns the kinetic energy that the projections give, and what they take along their rows \[J\].
    pub(super) fn rub(&mut self, ends: &Ends<'_>, bodies: &mut [BodyState], finished: &mut Finished) -> [f64; 2] {
        let (model, blocks) = (ends.at.model, ends.at.blocks);
        let [mut given, mut taken] = [0.0; 2];
        if self.slipping.is_empty() {
            return [given, taken];
        }
        let mut last = f64::INFINITY;
        for _ in 0..RUBBINGS {
            self.projection.write_impulses(&mut self.impulses);
            for slipping in &mut self.slipping {
                slipping.press(self.impulses[slipping.row]);
            }
            let sum: f64 = self.slipping.iter().map(|slipping| slipping.impulse().norm()).sum();
            if sum == 0.0 || sum > RUBS_ON * last {
                break;
            }
            last = sum;
            self.moves.clear();
            for slipping in &self.slipping {
                let (contact, impulse) = (&slipping.contact, slipping.impulse());
                for (body, sign) in [(contact.a, 1.0), (contact.b, -1.0)] {
                    let at = Configuration { model, bodies, blocks };
                    self.moves.extend(pushed_by(at, body, &contact.point, sign * impulse));
                    if model.is_kinematic(body) {
                        // Ground that moves works on what it rubs.
                        let work = -sign * impulse.dot(&bodies[body].velocity_at(&contact.point));
                        finished.carried += work;
                        finished.slip += work;
                    }
                }
            }
            for moved in &self.moves {
                let rubbed = kick(model, &[*moved], bodies);
                finished.slip -= rubbed;
                self.rubbed[ends.trial.islands.of(moved.0)] += rubbed;
            }
            for row in &mut self.active {
                let along = |(body, velocity, spin): &(usize, Vec3, Vec3)| row.along(*body, *velocity, *spin);
                row.value = self.moves.iter().map(along).sum();
            }
            let at = Configuration { model, bodies, blocks };
            taken += self.projection.solve_near(at, &self.active, &mut self.moves);
            given += kick(model, &self.moves, bodies);
        }
        [given, taken]
    }
}

/// The change of motion of a body by an impulse at a point; none where it does not move.
fn pushed_by(at: Configuration<'_>, body: usize, point: &Vec3, impulse: Vec3) -> Option<(usize, Vec3, Vec3)> {
    let Kind::Dynamic { mass, inertia_body } = &at.model.bodies[body].kind else {
        return None;
    };
    let pose = &at.bodies[body].pose;
    let moment = (point - pose.position).cross(&impulse);
    let spin = if at.model.settings.planar {
        Vec3::new(0.0, 0.0, moment.z / inertia_body.m33)
    } else {
        pose.direction(inertia_body.try_inverse()? * pose.direction_in_body(moment))
    };
    Some((body, impulse / *mass, spin))
}

/// A contact at the end of the step as one that slips; none where it has no dry friction.
pub(super) fn slipping(ends: &Ends<'_>, i: usize, here: Contact, row: usize) -> Option<Slipping> {
    let (model, solution, mid) = (ends.at.model, ends.outcome.solution, &ends.trial.contacts_mid[i]);
    let (theta, [x, y]) = (solution.normal_impulse[i], solution.friction_impulse[i]);
    let is_dry = matches!(model.settings.law, Law::Coulomb | Law::Polyhedral);
    let dry = model.pairs.of(&model.bodies, here.a, here.b).friction * theta;
    let whole = libm::hypot(x, y);
    if !(is_dry && dry > 0.0 && whole > 0.0) {
        return None;
    }
    // Beside dry friction there may be viscous friction; on a polygon dry friction may be less than its most.
    let share = whole.min(dry) / (whole * theta);
    let [t1, t2] = ends.at.coordinates().tangents(mid.normal);
    Some(Slipping {
        row,
        contact: here,
        friction: carried(&mid.normal, &here.normal, share * (x * t1 + y * t2)),
        normal: theta,
        added: 0.0,
        rubs: 0.0,
    })
}
