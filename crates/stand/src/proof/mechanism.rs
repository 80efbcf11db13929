//! Mechanisms: velocities that show that no forces balance a load, checked contact by contact without rounding.
//!
//! For forces in the cones and 0 = Gf + Jg + w, every velocity v has 0 = f·u + g·(Jᵀv) + w·v with u = Gᵀv. Where u_n ≥ μ|u_t| at every contact, f·u ≥ 0; what is
//! missing there costs at most the largest force times what is missing. So w·v above that cost proves that there are no forces, and for loads w + λd with d·v > 0
//! the same v bounds λ ≤ (cost − w·v)/(d·v).

use crate::dyadic::{Dyadic, quotient_up};
use crate::equilibrium::Equilibrium;

/// Why a mechanism proves nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MechanismError {
    /// The list has another length, or numbers that are not finite.
    Shape,
    /// A contact is opened too slowly for its slip, and its force has no limit.
    Contact(usize),
    /// A joint row moves, and its force has no limit.
    Row(usize),
    /// The load does not work on it.
    NoPower,
}

/// Limits on forces under which a mechanism is judged: infinite where there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Largest normal force of a contact \[N\].
    pub contact: f64,
    /// Largest force of a joint row without bounds, or friction where the contact cannot slip \[N or N·m\].
    pub joint: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            contact: f64::INFINITY,
            joint: f64::INFINITY,
        }
    }
}

/// Whether velocities prove that no forces balance the load of an equilibrium.
///
/// # Errors
/// Why they do not.
pub fn check_mechanism(whole: &Equilibrium, velocity: &[f64], limits: Limits) -> Result<(), MechanismError> {
    let cost = cost(whole, velocity, limits)?;
    if product(whole.load(), velocity).minus(&cost).is_positive() {
        Ok(())
    } else {
        Err(MechanismError::NoPower)
    }
}

/// The bound that velocities prove for λ in loads w + λd: no larger λ is balanced by forces.
///
/// # Errors
/// Why they prove none.
pub fn check_bound(
    whole: &Equilibrium,
    direction: &[f64],
    velocity: &[f64],
    limits: Limits,
) -> Result<f64, MechanismError> {
    let cost = cost(whole, velocity, limits)?;
    if direction.len() != velocity.len() {
        return Err(MechanismError::Shape);
    }
    let along = product(direction, velocity);
    if !along.is_positive() {
        return Err(MechanismError::NoPower);
    }
    let bound = quotient_up(&cost.minus(&product(whole.load(), velocity)), &along);
    if bound.is_finite() {
        Ok(bound)
    } else {
        Err(MechanismError::NoPower)
    }
}

/// The half-plane that velocities prove for (λ₁, λ₂) in loads w + λ₁d₁ + λ₂d₂: its outward normal of length 1 and its offset.
///
/// # Errors
/// Why they prove none.
pub fn check_support(
    whole: &Equilibrium,
    directions: [&[f64]; 2],
    velocity: &[f64],
    limits: Limits,
) -> Result<([f64; 2], f64), MechanismError> {
    let cost = cost(whole, velocity, limits)?;
    if directions.iter().any(|direction| direction.len() != velocity.len()) {
        return Err(MechanismError::Shape);
    }
    // (d₁·v) λ₁ + (d₂·v) λ₂ ≤ cost − w·v; dividing by a length and rounding the normal moves the edge by a rounding of λ, which is added.
    let along = directions.map(|direction| product(direction, velocity).to_f64());
    let length = libm::hypot(along[0], along[1]);
    if !(length > 0.0 && length.is_finite()) {
        return Err(MechanismError::NoPower);
    }
    let offset = cost.minus(&product(whole.load(), velocity)).to_f64() / length;
    if !offset.is_finite() {
        return Err(MechanismError::NoPower);
    }
    Ok((
        along.map(|x| x / length),
        offset + 16.0 * f64::EPSILON * (1.0 + offset.abs()),
    ))
}

fn product(a: &[f64], b: &[f64]) -> Dyadic {
    let mut sum = Dyadic::default();
    for (a, b) in a.iter().zip(b) {
        sum.add_product(*a, *b);
    }
    sum
}

/// What contacts and joints can cost at the most, given their limits.
fn cost(whole: &Equilibrium, velocity: &[f64], limits: Limits) -> Result<Dyadic, MechanismError> {
    if velocity.len() != whole.load().len() || velocity.iter().any(|v| !v.is_finite()) {
        return Err(MechanismError::Shape);
    }
    let mut cost = Dyadic::default();
    let mut pay = |missing: f64, limit: f64, error| {
        if missing == 0.0 {
            return Ok(());
        }
        if !(limit.is_finite() && missing.is_finite()) {
            return Err(error);
        }
        cost.add_product(missing, limit);
        Ok(())
    };
    let dim = whole.dim();
    for (j, contact) in whole.contacts().iter().enumerate() {
        let mut u: [Dyadic; 3] = Default::default();
        for part in whole.parts(j) {
            let v = &velocity[dim * part.body..dim * (part.body + 1)];
            for (u, column) in u.iter_mut().zip(&part.columns) {
                for (c, v) in column.iter().zip(v) {
                    u.add_product(*c, *v);
                }
            }
        }
        let [n, t1, t2] = u;
        let mut slip = t1.times(&t1);
        slip.add(&t2.times(&t2));
        let failure = MechanismError::Contact(j);
        // The limit of a joint is no contact.
        let most = if contact.joint.is_some() {
            limits.joint
        } else {
            limits.contact
        };
        if contact.friction.is_infinite() {
            if n.is_negative() {
                pay(n.size_up(), most, failure)?;
            }
            let size = t1.size_up() + t2.size_up();
            pay(size, limits.joint, failure)?;
            continue;
        }
        let mu = Dyadic::of(contact.friction);
        slip = slip.times(&mu.times(&mu));
        // u_n ≥ 0 and u_n² ≥ μ²|u_t|².
        if n.is_negative() || n.times(&n).minus(&slip).is_negative() {
            let rub = libm::sqrt(slip.size_up()) * (1.0 + 4.0 * f64::EPSILON);
            let missing = if n.is_negative() {
                rub + n.size_up()
            } else {
                // μ|u_t| − u_n, bounded from above by its square root rounded up.
                Dyadic::of(rub).minus(&n).size_up()
            };
            pay(missing * (1.0 + 4.0 * f64::EPSILON), most, failure)?;
        }
    }
    for (k, row) in whole.rows().iter().enumerate() {
        let mut u = Dyadic::default();
        for part in whole.row_parts(k) {
            let v = &velocity[dim * part.body..dim * (part.body + 1)];
            for (c, v) in part.columns[0].iter().zip(v) {
                u.add_product(*c, *v);
            }
        }
        // −g·u at the most.
        let [low, high] = row.bounds;
        let (bound, size) = if u.is_negative() {
            (high, u.size_up())
        } else {
            (-low, u.size_up())
        };
        let bound = if bound.is_finite() { bound } else { limits.joint };
        pay(size, bound.max(0.0), MechanismError::Row(k))?;
    }
    Ok(cost)
}
