//! Solvers: a contact problem in, impulses out. None of them judges its own answer.

pub(crate) mod lemke;
