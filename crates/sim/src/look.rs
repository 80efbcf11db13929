//! A wider search for contacts, for bodies that move farther than the first search reached.
//!
//! Impulses make bodies faster than they were at the start of a step, in a pile in most steps. Mostly nothing new is in the way: contacts that the first search missed stay open in the
//! computed motion, so that it is the answer with them as well. A step is repeated only if one of them closes.

use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::corners::{Corners, Path, Twist};
use crate::model::Model;
use crate::scratch::Scratch;
use crate::state::{BodyState, State};
use crate::step::{find_contacts, place};
use crate::step_time::StepTime;

/// Contacts farther apart than so many times what their bodies come are out of the way: overlap was corrected before.
const NEAR: f64 = 1.25;

/// What was found, by key, the motion, and room for a longer look.
#[derive(Debug, Clone, Default)]
pub(crate) struct Look {
    known: Vec<u64>,
    corners_known: Vec<u64>,
    /// Velocity of each body over the step.
    pub(crate) motion: Vec<Twist>,
    start: Vec<BodyState>,
    contacts: Vec<Contact>,
    corners: Corners,
    far: Vec<f64>,
}

impl Look {
    /// Notes what was found at the start of a step.
    pub(crate) fn note(&mut self, contacts: &[Contact], corners: &Corners) {
        self.known.clear();
        self.known.extend(contacts.iter().map(|contact| contact.key));
        self.known.sort_unstable();
        self.corners_known.clear();
        for corner in 0..corners.list.len() {
            self.corners_known.extend(corners.keys(corner));
        }
        self.corners_known.sort_unstable();
    }

    fn swap(&mut self, scratch: &mut Scratch) {
        std::mem::swap(&mut self.start, &mut scratch.start);
        std::mem::swap(&mut self.contacts, &mut scratch.contacts);
        std::mem::swap(&mut self.corners, &mut scratch.corners);
        scratch.collider.swap_far(&mut self.far);
    }

    /// Whether a contact that was not looked for closes in the motion.
    fn closes(&self, contact: &Contact, h: f64) -> bool {
        let of = |body: usize| {
            let (velocity, spin) = self.motion[body];
            velocity + spin.cross(&(contact.point - self.start[body].pose.position))
        };
        let rate = contact.normal.dot(&(of(contact.a) - of(contact.b)));
        // Written so that NaN closes.
        let stays = contact.gap + h * rate > 0.0;
        !stays && self.known.binary_search(&contact.key).is_err()
    }

    /// Whether bodies meet at a corner that was not looked for.
    fn meets(&self, model: &Model, corner: usize, h: f64) -> bool {
        let is_known = |key: u64| self.corners_known.binary_search(&key).is_ok();
        let Some([a, b]) = self.corners.pair(corner) else {
            return false;
        };
        if self.corners.keys(corner).all(is_known) {
            return false;
        }
        let touch = Configuration::of(model, &self.start).touch_gap(a, b);
        let motion = |body: usize| self.motion[body];
        self.corners.path(&self.start, corner, &motion, (h, touch)) != Path::Free
    }
}

/// Whether bodies that outrun their contacts meet what was not looked for, in the motion that was noted.
pub(crate) fn meets_more(model: &Model, state: &State, time: StepTime, scratch: &mut Scratch) -> bool {
    let mut look = std::mem::take(&mut scratch.look);
    look.swap(scratch);
    place(model, state, time, scratch);
    find_contacts(model, time.h, scratch);
    look.swap(scratch);
    let far = |body: usize| scratch.collider.far(body);
    let is_near = |contact: &Contact| contact.gap <= NEAR * (far(contact.a) + far(contact.b));
    let mut contacts = look.contacts.iter();
    let more = contacts.any(|contact| is_near(contact) && look.closes(contact, time.h))
        || (0..look.corners.list.len()).any(|corner| look.meets(model, corner, time.h));
    scratch.look = look;
    more
}
