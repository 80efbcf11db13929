//! Pairs of surfaces with coefficients of their own, in place of those of their materials.

use crate::SimError;
use crate::body::{Body, Material};
use crate::world::World;

/// Coefficients between two surfaces in place of those of [`Material::with`]; a missing value changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PairMaterial {
    /// Friction coefficient μ.
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: Option<f64>,
    /// Viscous friction \[N·s/m\].
    pub viscosity: Option<f64>,
}

impl PairMaterial {
    fn change(&self, material: &mut Material) {
        material.friction = self.friction.unwrap_or(material.friction);
        material.restitution = self.restitution.unwrap_or(material.restitution);
        material.viscosity = self.viscosity.unwrap_or(material.viscosity);
    }

    /// Checks the values that are there; `field` names the pair in messages.
    fn check(&self, field: &str) -> Result<(), SimError> {
        let fails = |name: &str, requirement: &str, x: Option<f64>, fits: fn(f64) -> bool| match x {
            Some(x) if !fits(x) => Err(SimError::value(format!("{field}.{name}"), requirement, x)),
            _ => Ok(()),
        };
        fails("friction", "must not be negative or NaN", self.friction, |x| x >= 0.0)?;
        fails("restitution", "must lie between 0 and 1", self.restitution, |x| {
            (0.0..=1.0).contains(&x)
        })?;
        fails("viscosity", "must be finite and not negative", self.viscosity, |x| {
            x.is_finite() && x >= 0.0
        })
    }
}

/// The pairs of a world: first by the numbers of materials, then by bodies, the later the stronger.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Pairs {
    /// Number of each body's material; bodies beyond the end have none.
    materials: Vec<Option<usize>>,
    by_material: Vec<([usize; 2], PairMaterial)>,
    by_body: Vec<([usize; 2], PairMaterial)>,
}

impl Pairs {
    /// What two bodies do to each other.
    pub(crate) fn of(&self, bodies: &[Body], a: usize, b: usize) -> Material {
        let mut material = bodies[a].material.with(&bodies[b].material);
        let number = |body: usize| self.materials.get(body).copied().flatten();
        if let (Some(m), Some(n)) = (number(a), number(b)) {
            change(&self.by_material, [m, n], &mut material);
        }
        change(&self.by_body, [a, b], &mut material);
        material
    }

    /// Restitution between two bodies: what [`Self::of`] says of it, without the rest.
    pub(crate) fn restitution(&self, bodies: &[Body], a: usize, b: usize) -> f64 {
        if self.by_material.is_empty() && self.by_body.is_empty() {
            return bodies[a].material.restitution.max(bodies[b].material.restitution);
        }
        self.of(bodies, a, b).restitution
    }

    /// Whether a pair says that something bounces.
    pub(crate) fn has_restitution(&self) -> bool {
        let mut all = self.by_material.iter().chain(&self.by_body);
        all.any(|(_, material)| material.restitution.is_some_and(|e| e > 0.0))
    }

    pub(crate) fn set_number(&mut self, body: usize, material: Option<usize>) {
        if material.is_some() || body < self.materials.len() {
            self.materials.resize(self.materials.len().max(body + 1), None);
            self.materials[body] = material;
        }
    }

    /// Forgets a body; those behind it move down by one.
    pub(crate) fn remove(&mut self, body: usize) {
        if body < self.materials.len() {
            self.materials.remove(body);
        }
        self.by_body.retain(|(pair, _)| !pair.contains(&body));
        for (pair, _) in &mut self.by_body {
            *pair = pair.map(|index| index - usize::from(index > body));
        }
    }

    pub(crate) fn set_materials(&mut self, pair: [usize; 2], material: PairMaterial) {
        set(&mut self.by_material, pair, material);
    }
}

fn ordered([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

/// Lists are kept sorted.
fn set(list: &mut Vec<([usize; 2], PairMaterial)>, pair: [usize; 2], material: PairMaterial) {
    match list.binary_search_by_key(&ordered(pair), |(p, _)| *p) {
        Ok(at) => list[at].1 = material,
        Err(at) => list.insert(at, (ordered(pair), material)),
    }
}

fn change(list: &[([usize; 2], PairMaterial)], pair: [usize; 2], material: &mut Material) {
    if list.is_empty() {
        return;
    }
    if let Ok(at) = list.binary_search_by_key(&ordered(pair), |(p, _)| *p) {
        list[at].1.change(material);
    }
}

impl World {
    /// Sets what two bodies do to each other, in place of what their materials give.
    ///
    /// # Errors
    /// An index out of range, a value that a material could not have.
    pub fn set_pair(&mut self, a: usize, b: usize, material: PairMaterial) -> Result<(), SimError> {
        let limit = self.model.bodies.len();
        if let Some(&found) = [a, b].iter().find(|body| **body >= limit) {
            return Err(SimError::Body { limit, found });
        }
        material.check(&format!("pair of bodies {a} and {b}"))?;
        set(&mut self.model.pairs.by_body, [a, b], material);
        Ok(())
    }

    /// Sets the number of a body's material, by which [`Self::set_material_pair`] names it; by default a body has none.
    ///
    /// # Errors
    /// An index out of range.
    pub fn set_material_number(&mut self, body: usize, material: Option<usize>) -> Result<(), SimError> {
        self.check_body(body)?;
        self.model.pairs.set_number(body, material);
        Ok(())
    }

    /// Sets what bodies of two materials do to each other, by the numbers of the materials; [`Self::set_pair`] is stronger.
    ///
    /// # Errors
    /// A value that a material could not have.
    pub fn set_material_pair(&mut self, pair: [usize; 2], material: PairMaterial) -> Result<(), SimError> {
        material.check(&format!("pair of materials {} and {}", pair[0], pair[1]))?;
        self.model.pairs.set_materials(pair, material);
        Ok(())
    }
}
