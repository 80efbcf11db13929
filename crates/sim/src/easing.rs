//! Overlap and joints that are apart, eased out as a displacement of their own.

use stiction_contact::{JointPart, Status};

use crate::body::Kind;
use crate::collision::Contact;
use crate::error::SimError;
use crate::integrate::turn;
use crate::level::level;
use crate::lever::Levers;
use crate::world::World;

/// A body that overlaps more bodies than this, which overlap as many, is in a crowd with no way out: hundreds of bodies in one place would take minutes
/// a step.
const CROWD: usize = 64;
/// Steps of Newton's method that close joints.
const CLOSING: usize = 4;

impl World {
    /// Level gap as far as it is eased in one step. What leaves or bounces gets out by itself, and gains nothing.
    fn gap_to_ease(&self, contact: &Contact, level: f64, h: f64) -> f64 {
        let gap = level.max(-self.settings.ease * h);
        if gap < 0.0 && self.gets_out(contact, h) {
            0.0
        } else {
            gap
        }
    }

    /// Gaps as the step takes them.
    pub(crate) fn level_gaps(&mut self) {
        let mut levels = std::mem::take(&mut self.levels);
        let slack = |contact: &Contact| self.slack(contact);
        level(&self.contacts, self.corners.first_grouped, slack, &mut levels);
        self.levels = levels;
    }

    /// Moves bodies out of overlap: the least displacement, weighed by mass, that opens the contacts, no faster than `ease`.
    pub(crate) fn ease_overlap(&mut self, h: f64) -> Result<(), SimError> {
        if !self.joints_apart() && !self.contacts.iter().any(|contact| self.overlaps(contact)) {
            return Ok(());
        }
        self.refuse_crowds()?;
        self.ease(h, true)
    }

    /// Whether a contact overlaps by more than rounding.
    fn overlaps(&self, contact: &Contact) -> bool {
        contact.gap < -self.rounded_gap(contact.a, contact.b)
    }

    /// An error that names two bodies of a crowd.
    fn refuse_crowds(&mut self) -> Result<(), SimError> {
        if self.contacts.len() <= CROWD * CROWD / 2 {
            return Ok(());
        }
        let mut counts = std::mem::take(&mut self.overlapped);
        let (bodies, contacts) = (&self.bodies, &self.contacts);
        counts.clear();
        counts.resize(bodies.len(), 0);
        // Contacts of a pair follow each other.
        let mut last = None;
        for contact in contacts.iter().filter(|c| self.overlaps(c)) {
            if last.replace((contact.a, contact.b)) != Some((contact.a, contact.b)) {
                counts[contact.a] += 1;
                counts[contact.b] += 1;
            }
        }
        let crowded = |c: &&Contact| self.overlaps(c) && counts[c.a] > CROWD && counts[c.b] > CROWD;
        let refused = match contacts.iter().find(crowded) {
            Some(contact) => {
                let count = counts[contact.a];
                Err(SimError::value(
                    format!(
                        "{} and {}: bodies that each overlaps",
                        bodies[contact.a].name, bodies[contact.b].name
                    ),
                    "must be 64 at most; place them apart",
                    count as f64,
                ))
            }
            None => Ok(()),
        };
        self.overlapped = counts;
        refused
    }

    /// Brings joints together that motion along a straight line has drawn apart, by second order in h: Newton's method, as a rule one step of it.
    /// Contacts are left to the next step.
    pub(crate) fn close_joints(&mut self, h: f64) -> Result<(), SimError> {
        for _ in 0..CLOSING {
            if !self.joints_apart() {
                break;
            }
            self.ease(h, false)?;
        }
        Ok(())
    }

    /// Whether a joint is apart by more than rounding, in a row of metres or of radians.
    fn joints_apart(&mut self) -> bool {
        let mut rows = std::mem::take(&mut self.rows);
        let mut apart = false;
        for joint in &self.joints {
            let slack = self.joint_slack(joint);
            self.rows_of(joint, &mut rows);
            // Written so that NaN is apart.
            apart |= !rows.iter().all(|row| row.error.abs() <= slack);
        }
        self.rows = rows;
        apart
    }

    /// The least displacement, weighed by mass, that closes joints and, where asked, opens contacts.
    fn ease(&mut self, h: f64, contacts: bool) -> Result<(), SimError> {
        let (coordinates, n) = (self.coordinates(), self.coordinates().count());
        let mut rows = std::mem::take(&mut self.rows);
        let mut problem = std::mem::take(&mut self.easing_problem);
        problem.clear();
        for (i, body) in self.bodies.iter().enumerate() {
            if let Kind::Dynamic { mass, inertia_body } = &body.kind {
                let block = coordinates.mass_block(*mass, inertia_body, &self.state.bodies[i]);
                problem.add_block(&block[..n * n], &[0.0; 6][..n])?;
            }
        }
        let mut levers = std::mem::take(&mut self.levers);
        levers.reset(problem.block_count());
        if contacts {
            self.level_gaps();
        }
        for (contact, level) in self.contacts.iter().zip(&self.levels).filter(|_| contacts) {
            let gap = self.gap_to_ease(contact, *level, h);
            levers.ease([contact.a, contact.b].map(|body| self.blocks[body]), (-gap).max(0.0));
            let index = self.add_contact(&mut problem, contact, 0.0, gap)?;
            problem.set_bias(index, [gap, 0.0, 0.0])?;
            problem.set_key(index, contact.key)?;
        }
        let most = self.settings.ease * h;
        for joint in &self.joints {
            self.rows_of(joint, &mut rows);
            for row in &rows {
                let mut parts: [JointPart<'_>; 2] = [(0, &[]); 2];
                let mut count = 0;
                let picked = [row.a, row.b].map(|row| coordinates.pick(row));
                for (body, row) in [(joint.a, &picked[0]), (joint.b, &picked[1])] {
                    if let Some(block) = self.blocks[body] {
                        parts[count] = (block, &row[..n]);
                        count += 1;
                    }
                }
                if count > 0 {
                    let eased = row.error.abs() * (1.0 + self.joint_size(joint));
                    levers.ease([joint.a, joint.b].map(|body| self.blocks[body]), eased);
                    problem.add_joint(&parts[..count], row.error.max(-most).min(most))?;
                }
            }
        }
        self.rows = rows;
        self.easing_problem = problem;
        let before = self.energy()[1];
        // Warm in a step that is tried again; `step` forgets the start before the first try, so that it is no part of the state.
        let is_whole = self.easing.solve_warm(&self.easing_problem)?.status == Status::Solved;
        self.measure_levers(&mut levers);
        // What was eased is no longer there to be fallen through: the step takes the gaps that are left.
        let mut contacts = std::mem::take(&mut self.contacts);
        let found = self.easing.solution().contact_velocity.iter();
        for ((contact, level), u) in contacts.iter_mut().zip(&self.levels).zip(found) {
            let blocks = [contact.a, contact.b].into_iter().filter_map(|i| self.blocks[i]);
            let share = blocks.clone().next().map_or(1.0, |block| levers.share(block));
            if !is_whole && blocks.clone().any(|block| !self.easing.is_block_solved(block)) {
                continue;
            }
            contact.gap += share * (u[0] - self.gap_to_ease(contact, *level, h));
        }
        self.contacts = contacts;
        let solution = self.easing.solution();
        for (i, block) in self.blocks.iter().enumerate() {
            let Some(block) = block else { continue };
            if !is_whole && !self.easing.is_block_solved(*block) {
                // Bodies that are wedged into each other, or held by joints that contradict each other, stay as they are.
                continue;
            }
            let (shift, turned) = coordinates.motion(*block, &solution.velocity);
            let share = levers.share(*block);
            let (shift, turned) = (share * shift, share * turned);
            let state = &mut self.state.bodies[i];
            state.pose.position += shift;
            let body = state.pose.direction_in_body(state.spin);
            state.pose.rotation = turn(state.pose.rotation, turned, 1.0);
            state.spin = state.pose.direction(body);
        }
        self.levers = levers;
        let after = self.energy();
        self.ledger.eased += after[1] - before;
        self.ledger.potential = after[1];
        Ok(())
    }

    /// How far each body would move.
    fn measure_levers(&self, levers: &mut Levers) {
        for (i, block) in self.blocks.iter().enumerate() {
            let Some(block) = block else { continue };
            let (shift, turned) = self.coordinates().motion(*block, &self.easing.solution().velocity);
            levers.move_by(*block, shift.norm() + self.collider.radius(i) * turned.norm());
        }
    }
}
