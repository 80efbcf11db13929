//! The method on small problems of known answer.
