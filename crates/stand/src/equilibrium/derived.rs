//! Equilibria made of another: with other loads, without some contacts, a part alone.

use super::{Contact, Equilibrium, FreeBody};

impl Equilibrium {
    /// Contacts through which bodies squeeze others that can move.
    #[must_use]
    pub fn squeezing(&self, bodies: &[usize]) -> Vec<usize> {
        let squeezes = |contact: &Contact| {
            contact.joint.is_none()
                && (bodies.contains(&contact.a) || bodies.contains(&contact.b))
                && self.free_of(contact.a).is_some()
                && self.free_of(contact.b).is_some()
        };
        (0..self.contacts.len())
            .filter(|j| squeezes(&self.contacts[*j]))
            .collect()
    }

    /// The same where some contacts are gone and their forces are loads: what commands them keeps them whatever moves.
    #[must_use]
    pub fn commanded(&self, contacts: &[usize], forces: &[[f64; 3]]) -> Self {
        let mut other = self.clone();
        let dim = self.dim();
        for j in contacts {
            for part in self.parts(*j) {
                for (column, f) in part.columns.iter().zip(&forces[*j]) {
                    for k in 0..dim {
                        other.load[dim * part.body + k] += f * column[k];
                    }
                }
            }
        }
        let mut at = 0;
        other.contacts.retain(|_| {
            at += 1;
            !contacts.contains(&(at - 1))
        });
        other
    }

    /// The same with another load.
    #[must_use]
    pub fn with_load(&self, load: Vec<f64>) -> Self {
        let mut other = self.clone();
        other.load = load;
        other
    }

    /// A load alone, with rows that have bounds taken away: forces that balance it may be added any number of times to those that balance this load.
    pub(crate) fn recession(&self, direction: &[f64]) -> Self {
        let mut other = self.with_load(direction.to_vec());
        other
            .rows
            .retain(|row| row.bounds == [f64::NEG_INFINITY, f64::INFINITY]);
        other
    }

    /// Keeps some free bodies with their loads, and the contacts and rows that act on them; parts name bodies by their new places.
    pub(crate) fn keep_part(
        &mut self,
        (bodies, load): (Vec<FreeBody>, Vec<f64>),
        kept: &[usize],
        [contacts, rows]: [&[usize]; 2],
    ) {
        let mut place = vec![None; self.bodies.len()];
        for (new, old) in kept.iter().enumerate() {
            place[*old] = Some(new);
        }
        self.contacts = contacts.iter().map(|j| self.contacts[*j].clone()).collect();
        self.rows = rows.iter().map(|k| self.rows[*k].clone()).collect();
        for free in &mut self.free_of {
            *free = free.and_then(|old| place[old]);
        }
        // Parts that no contact or row names any more are left where they are.
        for body in self.contact_parts.iter_mut().map(|part| &mut part.body) {
            *body = place[*body].unwrap_or(*body);
        }
        for body in self.row_parts.iter_mut().map(|part| &mut part.body) {
            *body = place[*body].unwrap_or(*body);
        }
        (self.bodies, self.load) = (bodies, load);
    }
}
