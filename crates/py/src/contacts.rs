//! Contacts of a world's last step: arrays, and one record a contact.

use std::sync::Arc;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyTuple};
use stiction_contact::{ContactState, Law, check};

use crate::record::{Source, list, record, rows, value};

/// Contacts of a step, and what is needed to say which forces are unique.
pub(crate) struct Found {
    contacts: Vec<One>,
    names: Arc<[String]>,
    problem: stiction_contact::ContactProblem,
    law: Law,
    normal_impulse: Vec<f64>,
    contact_velocity: Vec<[f64; 3]>,
}

/// A contact.
#[derive(Clone, Copy)]
struct One {
    bodies: [usize; 2],
    point: [f64; 3],
    normal: [f64; 3],
    gap: f64,
    normal_force: f64,
    friction_force: [f64; 3],
    slip: [f64; 3],
    mu: f64,
    state: ContactState,
}

impl One {
    /// Force on a.
    fn force(&self) -> [f64; 3] {
        std::array::from_fn(|k| self.normal_force * self.normal[k] + self.friction_force[k])
    }

    /// Part of the largest friction force that acts; not a number where there is none, or where it has no bound.
    fn share(&self) -> f64 {
        let limit = self.mu * self.normal_force;
        if limit > 0.0 && limit.is_finite() {
            norm(self.friction_force) / limit
        } else {
            f64::NAN
        }
    }
}

fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn each(v: stiction_sim::Vec3) -> [f64; 3] {
    [v.x, v.y, v.z]
}

impl Found {
    /// Contacts of the last step of a world; none before the first.
    pub(crate) fn of(world: &stiction_sim::World) -> Self {
        let (solution, problem, h) = (world.solution(), world.problem(), world.solved_length());
        // Limits of joints follow the contacts in the solution.
        let found = solution.normal_impulse.len().min(solution.state.len());
        let contacts = world.contacts().iter().take(found).enumerate().map(|(i, contact)| {
            let normal = each(contact.normal);
            let [t1, t2] = world.tangents(contact.normal).map(each);
            let along = |[x, y]: [f64; 2]| std::array::from_fn(|k| x * t1[k] + y * t2[k]);
            let [x, y] = solution.friction_impulse[i];
            // Of the bodies after the step: a step of second order solves for the sum of the velocities before and after.
            let velocity = |body: usize| {
                let state = &world.state().bodies[body];
                state.velocity + state.spin.cross(&(contact.point - state.pose.position))
            };
            let relative = velocity(contact.a) - velocity(contact.b);
            let slip = each(relative - relative.dot(&contact.normal) * contact.normal);
            One {
                bodies: [contact.a, contact.b],
                point: each(contact.point),
                normal,
                gap: contact.gap,
                normal_force: solution.normal_impulse[i] / h,
                friction_force: along([x / h, y / h]),
                slip,
                mu: if i < problem.contact_count() {
                    problem.mu(i)
                } else {
                    f64::NAN
                },
                state: solution.state[i],
            }
        });
        Self {
            contacts: contacts.collect(),
            names: world.bodies().iter().map(|b| b.name.clone()).collect(),
            problem: problem.clone(),
            law: solution.law,
            normal_impulse: solution.normal_impulse.clone(),
            contact_velocity: solution.contact_velocity.clone(),
        }
    }

    fn names(&self, side: usize) -> Vec<&str> {
        let name = |one: &One| self.names.get(one.bodies[side]).map_or("", String::as_str);
        self.contacts.iter().map(name).collect()
    }

    /// Which forces are the only ones possible; none is said to be where the last step has no answer.
    fn unique(&self) -> Vec<bool> {
        let n = self.problem.contact_count();
        if self.contact_velocity.len() != n || self.normal_impulse.len() != n {
            return vec![false; self.contacts.len()];
        }
        let mut found = check::unique(&self.problem, self.law, &self.normal_impulse, &self.contact_velocity);
        found.truncate(self.contacts.len());
        found
    }
}

/// A state as the package's `ContactState`.
fn state(py: Python<'_>, number: i64) -> PyResult<Bound<'_, PyAny>> {
    py.import("stiction.types")?.getattr("ContactState")?.call1((number,))
}

fn number(state: ContactState) -> i64 {
    match state {
        ContactState::Separating => 0,
        ContactState::Sticking => 1,
        ContactState::Sliding => 2,
    }
}

record! {
    /// Contacts of a step, found at its start, and the forces that acted in it. Forces push a along +normal and b along -normal. Fields are arrays with one entry a
    /// contact; iterating gives a Contact each.
    Contacts of Found {
        /// Name of the body that is pushed along +normal.
        a,
        /// Name of the body that is pushed along -normal.
        b,
        /// [m], (n, 3).
        point,
        /// From b to a, (n, 3).
        normal,
        /// At the start of the step [m], (n,).
        gap,
        /// [N], (n,).
        normal_force,
        /// On a, in world axes [N], (n, 3).
        friction_force,
        /// On a, normal and friction force [N], (n, 3).
        force,
        /// Tangential velocity of a against b [m/s], (n, 3).
        slip,
        /// Friction coefficient, (n,).
        friction,
        /// Part of the largest friction force that acts, 1 where it slides; nan where there is none, (n,).
        share,
        /// Separating, sticking or sliding.
        state,
        /// Whether the force is the only one possible, (n,).
        unique,
    } {
        fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
            self.0.get(py, "gap")?.len()
        }

        fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
            let all: PyResult<Vec<Contact>> = (0..self.__len__(py)?).map(|k| self.__getitem__(py, k.cast_signed())).collect();
            PyList::new(py, all?)?.try_iter()
        }

        /// One contact.
        fn __getitem__(&self, py: Python<'_>, index: isize) -> PyResult<Contact> {
            let count = self.__len__(py)?;
            let place = if index < 0 { index.checked_add_unsigned(count) } else { Some(index) };
            let place = place.and_then(|k| usize::try_from(k).ok()).filter(|k| *k < count);
            let place = place.ok_or_else(|| PyIndexError::new_err(format!("index: must be below {count}, found {index}")))?;
            let each = Self::FIELDS.iter().map(|field| {
                let of_one = self.0.get(py, field)?.get_item(place)?;
                // Scalars of arrays are numpy's own; the record has those of Python.
                match of_one.getattr("ndim") {
                    Ok(sides) if sides.eq(0)? => of_one.call_method0("item"),
                    _ => Ok(of_one),
                }
            });
            let each = PyTuple::new(py, each.collect::<PyResult<Vec<_>>>()?)?;
            crate::record::Record::given(Contact::FIELDS, &each).map(Contact)
        }
    }
}

impl Source for Found {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let all = || self.contacts.iter();
        let vectors = |of: fn(&One) -> [f64; 3]| rows(py, &all().map(of).collect::<Vec<_>>());
        let numbers = |of: fn(&One) -> f64| list(py, &all().map(of).collect::<Vec<_>>());
        match field {
            "a" => value(py, self.names(0)),
            "b" => value(py, self.names(1)),
            "point" => vectors(|c| c.point),
            "normal" => vectors(|c| c.normal),
            "gap" => numbers(|c| c.gap),
            "normal_force" => numbers(|c| c.normal_force),
            "friction_force" => vectors(|c| c.friction_force),
            "force" => vectors(One::force),
            "slip" => vectors(|c| c.slip),
            "friction" => numbers(|c| c.mu),
            "share" => numbers(One::share),
            "state" => {
                let states: PyResult<Vec<_>> = all().map(|c| state(py, number(c.state))).collect();
                value(py, states?)
            }
            _ => list(py, &self.unique()),
        }
    }
}

record! {
    /// A contact of a step, an item of Contacts. The force pushes a along +normal and b along -normal.
    Contact of Never {
        /// Name of the body that is pushed along +normal.
        a,
        /// Name of the body that is pushed along -normal.
        b,
        /// [m], (3,).
        point,
        /// From b to a, (3,).
        normal,
        /// At the start of the step [m].
        gap,
        /// [N].
        normal_force,
        /// On a, in world axes [N], (3,).
        friction_force,
        /// On a, normal and friction force [N], (3,).
        force,
        /// Tangential velocity of a against b [m/s], (3,).
        slip,
        /// Friction coefficient.
        friction,
        /// Part of the largest friction force that acts, 1 where it slides; nan where there is none.
        share,
        /// Separating, sticking or sliding.
        state,
        /// Whether the force is the only one possible.
        unique,
    }
}

/// A record that is always made from its fields.
pub(crate) enum Never {}

impl Source for Never {
    fn make<'py>(&self, _: Python<'py>, _: &str) -> PyResult<Bound<'py, PyAny>> {
        match *self {}
    }
}
