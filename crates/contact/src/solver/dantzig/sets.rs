//! Changes of the index sets.

use super::kernel::{Clamp, Unknown};
use super::maxstep::Event;
use super::{Dantzig, Driven, Rub, Set, Stop, VISITS, ZERO, length};

impl Dantzig {
    /// Changes the sets after an event. `true`: the drive is over.
    pub(super) fn apply(&mut self, driven: Driven, event: Event) -> Result<bool, Stop> {
        let d = driven.item();
        match event {
            Event::Arrive(_) => {
                match driven {
                    Driven::Normal(i) => {
                        self.nu[i] = 0.0;
                        if !self.enter_C(i) {
                            return Err(Stop::Singular);
                        }
                    }
                    Driven::Along(i, e) => self.hold(i, e),
                }
                Ok(true)
            }
            Event::Release(i) => {
                self.leave_C(i);
                self.contacts[i].set = Set::NC;
                Ok(i == d)
            }
            Event::Touch(i) => {
                self.nu[i] = 0.0;
                let c = &mut self.contacts[i];
                let slip = length(c.a);
                if matches!(c.rub, Rub::Free) && slip > 10.0 * ZERO * self.scale {
                    c.rub = Rub::Slide([-c.a[0] / slip, -c.a[1] / slip]);
                }
                if !self.enter_C(i) {
                    self.contacts[i].dependent = true;
                    self.contacts[i].set = Set::NC;
                    if matches!(self.contacts[i].rub, Rub::Slide(_)) {
                        self.contacts[i].rub = Rub::Free;
                    }
                }
                Ok(false)
            }
            Event::Cone(i) => {
                self.slide(i)?;
                Ok(i == d)
            }
            Event::Stick(i) => {
                let Rub::Slide(e) = self.contacts[i].rub else {
                    return Ok(false);
                };
                self.set_free(i);
                self.hold(i, e);
                Ok(false)
            }
            Event::Vanish(i) => {
                self.contacts[i].f = [0.0; 2];
                Ok(true)
            }
        }
    }

    /// Adds a row to the system.
    pub(super) fn clamp(&mut self, item: usize, clamp: Clamp) -> bool {
        self.kernel.append(&self.columns, Unknown { item, clamp })
    }

    /// The normal of an item is clamped, with the friction that its set asks for. `false`: it depends on C.
    pub(super) fn enter_C(&mut self, i: usize) -> bool {
        let mu = self.columns.items[i].mu;
        let g = match self.contacts[i].rub {
            Rub::Dynamic(g) => g,
            Rub::Slide(e) => [mu * e[0], mu * e[1]],
            _ => [0.0; 2],
        };
        let entered = self.clamp(i, Clamp::Normal { g });
        if entered {
            self.contacts[i].set = Set::C;
        }
        entered
    }

    /// All rows of a contact leave the system.
    pub(super) fn drop_rows(&mut self, i: usize) {
        while let Some(p) = self.kernel.find(i, false) {
            self.kernel.remove(p);
        }
        if let Some(p) = self.kernel.find(i, true) {
            self.kernel.remove(p);
        }
        // Something may no longer depend on C.
        self.contacts.iter_mut().for_each(|c| c.dependent = false);
    }

    /// A contact stops pushing.
    pub(super) fn leave_C(&mut self, i: usize) {
        self.drop_rows(i);
        self.theta[i] = 0.0;
        let c = &mut self.contacts[i];
        c.f = [0.0; 2];
        if matches!(c.rub, Rub::Held { .. } | Rub::Slide(_)) {
            c.rub = Rub::Free;
        }
    }

    /// Friction of a contact in C is no longer kept: it stays what it is.
    pub(super) fn set_free(&mut self, i: usize) {
        self.drop_rows(i);
        self.contacts[i].rub = Rub::Free;
        if !self.enter_C(i) {
            // The normal without its friction depends on others: they hold it.
            self.contacts[i].set = Set::Ignored;
            self.contacts[i].dependent = true;
        }
    }

    /// Friction has no acceleration along e: C_F.
    pub(super) fn hold(&mut self, i: usize, e: [f64; 2]) {
        let planar = self.columns.items[i].planar;
        let both = planar || matches!(self.contacts[i].rub, Rub::Held { .. });
        let first = match self.contacts[i].rub {
            Rub::Held { e, .. } => e,
            _ => e,
        };
        if self.clamp(i, Clamp::Along { e }) {
            self.contacts[i].rub = Rub::Held { e: first, both };
        } else if both && !planar {
            // The second direction is held by others.
            self.contacts[i].dependent = true;
        }
    }

    /// Friction has reached its limit: NC_F with the direction that it has.
    pub(super) fn slide(&mut self, i: usize) -> Result<(), Stop> {
        let c = self.contacts[i];
        let size = length(c.f);
        if size == 0.0 {
            return Err(Stop::Singular);
        }
        self.drop_rows(i);
        self.contacts[i].rub = Rub::Slide([c.f[0] / size, c.f[1] / size]);
        if self.enter_C(i) { Ok(()) } else { Err(Stop::Singular) }
    }

    /// Whether an event undoes the last one of its contact, with nothing moved between.
    pub(super) fn turns_back(&self, event: Event) -> bool {
        let last = self.contacts[event.item()].last;
        matches!(
            (last, event),
            (Some(Event::Touch(_)), Event::Release(_))
                | (Some(Event::Release(_)), Event::Touch(_))
                | (Some(Event::Cone(_)), Event::Stick(_))
                | (Some(Event::Stick(_)), Event::Cone(_))
        )
    }

    /// "Temporarily, we will give up trying to maintain" its conditions \[Baraff 5.4\], a bounded number of times.
    pub(super) fn give_up(&mut self, event: Event) -> Result<(), Stop> {
        let i = event.item();
        self.contacts[i].visits += 1;
        self.contacts[i].last = None;
        if self.contacts[i].visits > VISITS {
            return Err(Stop::Alternates);
        }
        match event {
            Event::Touch(_) | Event::Release(_) => {
                self.leave_C(i);
                self.contacts[i].set = Set::Ignored;
            }
            _ => self.set_free(i),
        }
        Ok(())
    }
}
