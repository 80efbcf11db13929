//! Worlds of one model that are stepped by turns in the same room: what each of them has for itself, and how they take turns.

use std::mem::swap;

use crate::error::SimError;
use crate::state::State;
use crate::world::{World, Wrench};

/// What one of many worlds of a model has for itself: its state, and the forces applied to its bodies. Model, buffers and solvers stay in the [`World`] that steps it; thousands of members
/// take turns in one world without filling the caches with buffers.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    state: State,
    wrenches: Vec<Wrench>,
}

impl Member {
    /// The state.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }
}

impl World {
    /// What this world has for itself, as a member of its model.
    #[must_use]
    pub fn member(&self) -> Member {
        Member {
            state: self.state.clone(),
            wrenches: self.model.wrenches.clone(),
        }
    }

    /// Exchanges what this world has for itself with a member of the same model. The steps that follow have the same bits as if the member had been a world of its own; contacts, problem and
    /// solution are those of the last step, whoever made it.
    ///
    /// # Errors
    /// A member of a model with other numbers of bodies or actuators. Nothing is exchanged then.
    pub fn exchange(&mut self, member: &mut Member) -> Result<(), SimError> {
        for (field, here, found) in [
            ("bodies", self.state.bodies.len(), member.state.bodies.len()),
            ("ctrl", self.state.ctrl.len(), member.state.ctrl.len()),
        ] {
            if here != found {
                let problem = "must be as many as the world has";
                return Err(SimError::value(format!("member.{field}"), problem, found as f64));
            }
        }
        swap(&mut self.state, &mut member.state);
        swap(&mut self.model.wrenches, &mut member.wrenches);
        Ok(())
    }
}
