//! Forces as a proof that something can stand: doubles never balance a load, so it is proved that forces that do are near.
//!
//! r = Bf + w is computed without rounding, B the columns of contacts that carry and of joint rows. f* = f − DBᵀ(BDBᵀ)⁻¹r balances exactly, and with D = diag(s²) and
//! c ≤ λ_min(BDBᵀ) it lies within s|r|/√c of f at each contact. It is in the cones where every contact that carries has μN − |T| > √(1 + μ²) s|r|/√c.
//!
//! Where contacts cannot take every load, as those of a ball that rolls, coordinates whose pivots vanish take a force h of their own: with E their unit vectors,
//! Bf + Eh + w = 0 and c ≤ λ_min(BDBᵀ + EEᵀ), exact f* and h* are as near, |h*| ≤ |r|/√c. Where as many velocities n, unit on these coordinates, are null without rounding, Bᵀn = 0 and
//! w·n = 0, then nᵀEh* = 0 for all of them and h* = 0: the load itself is balanced. Otherwise it is balanced except for h*, which rounding of the data explains.

use std::collections::BTreeSet;

use super::cholesky::BlockMatrix;
use crate::dyadic::{Dyadic, Twice};
use crate::equilibrium::{Equilibrium, power_of_two};
use crate::program::Forces;

/// A few roundings, relative.
const ROUNDED: f64 = 8.0 * f64::EPSILON;
/// How contacts are weighted by the room that they have: s = room^p. All alike first; by their room where small ones would leave their cones.
const POWERS: [f64; 3] = [0.0, 0.5, 1.0];
/// Largest part of the load, relative to the largest on one body, that rounding of the data may leave to no contact.
const SLACK: f64 = 1e-12;
/// Null velocities that are looked for without rounding, at the most.
const MOST_NULL: usize = 64;
/// Entries of a null velocity that are rounding, relative to the largest.
const NULL_ROUNDING: f64 = 1e-13;
/// Corrections of the residual in doubles.
const CORRECTIONS: usize = 3;

/// A load w + λd.
#[derive(Debug, Clone, Copy)]
pub struct LoadAt<'a> {
    /// λ.
    pub lambda: f64,
    /// d; empty: none.
    pub direction: &'a [f64],
}

impl LoadAt<'_> {
    /// The load of the equilibrium itself.
    pub const ITSELF: LoadAt<'static> = LoadAt {
        lambda: 0.0,
        direction: &[],
    };
}

/// What was proved of forces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForceProof {
    /// |r|, torques over the mean arm \[N\].
    pub residual: f64,
    /// Proved lower bound of λ_min(BDBᵀ).
    pub eigenvalue: f64,
    /// Exact forces are within this of those given, at every contact \[N\].
    pub distance: f64,
    /// Contacts that carry.
    pub carrying: usize,
    /// The load that is balanced is within this of the one given \[N\]: 0 but where contacts cannot take every load and rounding of the data hides that they can take this one.
    pub slack: f64,
    /// Whether contacts that carry can take every small change of the load: their columns have full rank.
    pub takes_every_load: bool,
}

/// Why forces prove nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ForceError {
    /// Lists of another length, or numbers that are not finite.
    Shape,
    /// A contact whose force is not inside its cone, and not zero.
    Outside(usize),
    /// A joint row whose force is not inside its bounds.
    Bound(usize),
    /// The contacts that carry cannot take every load, or no Cholesky factorisation shows that they can.
    Rank,
    /// Exact forces may be outside the cone of this contact.
    Near(usize),
    /// Exact forces may be beyond the force limit at this contact.
    Limit(usize),
    /// Contacts cannot take every load, and what of this one is left to no contact is more than rounding.
    Slack,
}

/// Columns of what carries, their weights, and B D Bᵀ.
struct System<'a> {
    whole: &'a Equilibrium,
    arm: f64,
    /// Room of each contact in its cone \[N\]; none where it carries nothing.
    room: Vec<Option<f64>>,
    weight: Vec<f64>,
    gram: BlockMatrix,
    summed: usize,
}

/// What is left of the cone: a lower bound of μN − |T|, or of N where there is no cone to leave.
fn room(mu: f64, [n, t1, t2]: [f64; 3]) -> f64 {
    if mu == 0.0 || mu.is_infinite() {
        return n;
    }
    (mu * n) * (1.0 - ROUNDED) - libm::hypot(t1, t2) * (1.0 + ROUNDED)
}

impl<'a> System<'a> {
    fn new(whole: &'a Equilibrium, forces: &Forces) -> Result<Self, ForceError> {
        let numbers = forces.contacts.iter().flatten().chain(&forces.rows);
        let fits = forces.contacts.len() == whole.contacts().len() && forces.rows.len() == whole.rows().len();
        if !fits || numbers.into_iter().any(|x| !x.is_finite()) {
            return Err(ForceError::Shape);
        }
        let mut rooms = Vec::with_capacity(forces.contacts.len());
        for (j, (contact, f)) in whole.contacts().iter().zip(&forces.contacts).enumerate() {
            if *f == [0.0; 3] {
                rooms.push(None);
                continue;
            }
            let left = room(contact.friction, *f);
            let slips = contact.friction == 0.0 && (f[1] != 0.0 || f[2] != 0.0);
            if !(left > 0.0 && f[0] > 0.0) || slips {
                return Err(ForceError::Outside(j));
            }
            rooms.push(Some(left));
        }
        for (k, (row, g)) in whole.rows().iter().zip(&forces.rows).enumerate() {
            if !(row.bounds[0] < *g && *g < row.bounds[1]) {
                return Err(ForceError::Bound(k));
            }
        }
        let mut pairs = BTreeSet::new();
        let mut summed = vec![0; whole.bodies().len()];
        let mut meet = |bodies: &[usize], columns: usize| {
            for a in bodies {
                summed[*a] += columns;
                pairs.extend(bodies.iter().map(|b| (*a, *b)));
            }
        };
        for j in (0..rooms.len()).filter(|j| rooms[*j].is_some()) {
            let bodies: Vec<usize> = whole.parts(j).iter().map(|part| part.body).collect();
            meet(&bodies, 3);
        }
        for k in 0..whole.rows().len() {
            let bodies: Vec<usize> = whole.row_parts(k).iter().map(|part| part.body).collect();
            meet(&bodies, 1);
        }
        Ok(Self {
            whole,
            arm: whole.arm(),
            weight: vec![1.0; rooms.len()],
            room: rooms,
            gram: BlockMatrix::new(whole.bodies().len(), whole.dim(), &pairs),
            summed: summed.into_iter().max().unwrap_or(0),
        })
    }

    /// Columns that a contact uses.
    fn columns(&self, j: usize) -> usize {
        if self.whole.contacts()[j].friction == 0.0 { 1 } else { 3 }
    }

    fn scaled(&self, column: &[f64; 6], by: f64) -> [f64; 6] {
        let mut scaled = [0.0; 6];
        for k in 0..self.whole.dim() {
            scaled[k] = by * column[k] / if self.whole.is_turn(k) { self.arm } else { 1.0 };
        }
        scaled
    }

    /// Sets the weights s, powers of two, and BDBᵀ.
    fn weigh(&mut self, power: f64) {
        let largest = self.room.iter().flatten().fold(0.0_f64, |m, x| m.max(*x));
        for (weight, room) in self.weight.iter_mut().zip(&self.room) {
            *weight = room.map_or(0.0, |room| power_of_two(libm::pow(room / largest, power)));
        }
        self.gram.clear();
        for j in 0..self.room.len() {
            if self.room[j].is_none() {
                continue;
            }
            let parts = self.whole.parts(j);
            for c in 0..self.columns(j) {
                for (k, x) in parts.iter().enumerate() {
                    let left = self.scaled(&x.columns[c], self.weight[j]);
                    for y in &parts[..=k] {
                        let right = self.scaled(&y.columns[c], self.weight[j]);
                        self.gram.add(x.body, y.body, &left, &right);
                    }
                }
            }
        }
        for row in 0..self.whole.rows().len() {
            let parts = self.whole.row_parts(row);
            for (k, x) in parts.iter().enumerate() {
                let left = self.scaled(&x.columns[0], 1.0);
                for y in &parts[..=k] {
                    let right = self.scaled(&y.columns[0], 1.0);
                    self.gram.add(x.body, y.body, &left, &right);
                }
            }
        }
    }

    /// Bf + Jg + w + λd, added up by what is given: products of doubles of which the first is a force or λ, in the order of the data.
    fn add_up<S: Clone + Default>(
        &self,
        forces: &Forces,
        load: LoadAt<'_>,
        mut add: impl FnMut(&mut S, f64, f64),
    ) -> Vec<S> {
        let dim = self.whole.dim();
        let mut sums = vec![S::default(); self.whole.load().len()];
        for (sum, w) in sums.iter_mut().zip(self.whole.load()) {
            add(sum, 1.0, *w);
        }
        for (sum, d) in sums.iter_mut().zip(load.direction) {
            add(sum, load.lambda, *d);
        }
        for (j, f) in forces.contacts.iter().enumerate() {
            if *f == [0.0; 3] {
                continue;
            }
            for part in self.whole.parts(j) {
                for (column, f) in part.columns.iter().zip(f) {
                    for k in 0..dim {
                        add(&mut sums[dim * part.body + k], *f, column[k]);
                    }
                }
            }
        }
        for (row, g) in forces.rows.iter().enumerate() {
            for part in self.whole.row_parts(row) {
                for k in 0..dim {
                    add(&mut sums[dim * part.body + k], *g, part.columns[0][k]);
                }
            }
        }
        sums
    }

    /// Bf + Jg + w + λd without rounding.
    fn residual(&self, forces: &Forces, load: LoadAt<'_>) -> Vec<Dyadic> {
        self.add_up(forces, load, Dyadic::add_product)
    }

    /// The same in twice the precision.
    fn near_residual(&self, forces: &Forces, load: LoadAt<'_>) -> Vec<f64> {
        let sums = self.add_up(forces, load, Twice::add_product);
        sums.into_iter().map(Twice::to_f64).collect()
    }

    fn divided(&self, at: usize, x: f64) -> f64 {
        if self.whole.is_turn(at % self.whole.dim()) {
            x / self.arm
        } else {
            x
        }
    }

    /// Forces whose residual is rounding.
    fn settled(&self, forces: &Forces, load: LoadAt<'_>, factor: &BlockMatrix) -> Forces {
        let mut forces = forces.clone();
        for _ in 0..CORRECTIONS {
            let residual = self.near_residual(&forces, load);
            forces = self.corrected(&forces, factor, &residual);
        }
        forces
    }

    /// Whether the residual is rounding and every force still inside its cone.
    fn is_settled(&self, forces: &Forces, load: LoadAt<'_>) -> bool {
        let residual = self.near_residual(forces, load);
        let sizes = residual.iter().enumerate();
        let largest = sizes.fold(0.0_f64, |m, (at, r)| m.max(self.divided(at, r.abs())));
        let inside = |j: usize| {
            let f = forces.contacts[j];
            f[0] > 0.0 && room(self.whole.contacts()[j].friction, f) > 0.0
        };
        largest <= SLACK * self.largest_load(load) && (0..self.room.len()).all(|j| self.room[j].is_none() || inside(j))
    }

    /// Largest load on one body, torques over the mean arm [N].
    fn largest_load(&self, load: LoadAt<'_>) -> f64 {
        let dim = self.whole.dim();
        let of = |(at, w): (usize, &f64)| {
            let d = load.direction.get(at).copied().unwrap_or(0.0);
            let x = self.divided(at, w + load.lambda * d);
            x * x
        };
        let squares: Vec<f64> = self.whole.load().iter().enumerate().map(of).collect();
        let bodies = squares.chunks(dim).map(|body| libm::sqrt(body.iter().sum()));
        bodies.fold(0.0, f64::max)
    }

    /// Whether what the contacts cannot take is nothing without rounding: as many null velocities as carried coordinates, on which the load does no work.
    fn is_in_range(&self, carried: &[(usize, usize)], factor: &BlockMatrix, residual: &[Dyadic]) -> bool {
        if carried.len() > MOST_NULL {
            return false;
        }
        let dim = self.whole.dim();
        for (body, k) in carried {
            let mut n = vec![0.0; residual.len()];
            n[dim * body + k] = 1.0;
            factor.solve(&mut n);
            let unit = n[dim * body + k];
            for x in &mut n {
                *x /= unit;
            }
            let largest = n.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            n.iter_mut()
                .filter(|x| x.abs() <= NULL_ROUNDING * largest)
                .for_each(|x| *x = 0.0);
            for (other, l) in carried {
                n[dim * other + l] = 0.0;
            }
            n[dim * body + k] = 1.0;
            // Scaled velocities are those times the arm, a power of two.
            for (at, x) in n.iter_mut().enumerate() {
                *x = self.divided(at, *x);
            }
            if !self.is_null(&n, residual) {
                return false;
            }
        }
        true
    }

    /// Bᵀn = 0, Jᵀn = 0 and r·n = 0, which is w·n = 0 then, without rounding.
    fn is_null(&self, n: &[f64], residual: &[Dyadic]) -> bool {
        let dim = self.whole.dim();
        if n.iter().any(|x| !x.is_finite()) {
            return false;
        }
        let add = |sum: &mut Dyadic, body: usize, column: &[f64; 6]| {
            for (c, v) in column.iter().zip(&n[dim * body..dim * (body + 1)]) {
                sum.add_product(*c, *v);
            }
        };
        for j in (0..self.room.len()).filter(|j| self.room[*j].is_some()) {
            for c in 0..self.columns(j) {
                let mut sum = Dyadic::default();
                for part in self.whole.parts(j) {
                    add(&mut sum, part.body, &part.columns[c]);
                }
                if sum.sign() != std::cmp::Ordering::Equal {
                    return false;
                }
            }
        }
        for row in 0..self.whole.rows().len() {
            let mut sum = Dyadic::default();
            for part in self.whole.row_parts(row) {
                add(&mut sum, part.body, &part.columns[0]);
            }
            if sum.sign() != std::cmp::Ordering::Equal {
                return false;
            }
        }
        let mut work = Dyadic::default();
        for (r, n) in residual.iter().zip(n) {
            work.add(&r.times(&Dyadic::of(*n)));
        }
        work.sign() == std::cmp::Ordering::Equal
    }

    /// f − DBᵀ(BDBᵀ)⁻¹r.
    fn corrected(&self, forces: &Forces, factor: &BlockMatrix, residual: &[f64]) -> Forces {
        let dim = self.whole.dim();
        let mut y: Vec<f64> = residual
            .iter()
            .enumerate()
            .map(|(at, r)| self.divided(at, *r))
            .collect();
        factor.solve(&mut y);
        let mut next = forces.clone();
        for j in 0..self.room.len() {
            if self.room[j].is_none() {
                continue;
            }
            let squared = self.weight[j] * self.weight[j];
            for part in self.whole.parts(j) {
                for c in 0..self.columns(j) {
                    let column = self.scaled(&part.columns[c], 1.0);
                    let sum: f64 = (0..dim).map(|k| column[k] * y[dim * part.body + k]).sum();
                    next.contacts[j][c] -= squared * sum;
                }
            }
        }
        for (row, g) in next.rows.iter_mut().enumerate() {
            for part in self.whole.row_parts(row) {
                let column = self.scaled(&part.columns[0], 1.0);
                *g -= (0..dim).map(|k| column[k] * y[dim * part.body + k]).sum::<f64>();
            }
        }
        next
    }
}

/// Forces nearby whose residual is rounding: those of programs are off by their tolerance. Contacts that are not inside their cone are set to zero.
pub(crate) fn settle(whole: &Equilibrium, load: LoadAt<'_>, forces: &Forces) -> Option<Forces> {
    let mut forces = forces.clone();
    for (contact, f) in whole.contacts().iter().zip(&mut forces.contacts) {
        if !(f[0] > 0.0 && room(contact.friction, *f) > 0.0) {
            *f = [0.0; 3];
        }
    }
    let mut system = System::new(whole, &forces).ok()?;
    // Contacts with little room are needed to take some loads; what contacts cannot take at all is carried beside them.
    let mut first = None;
    for (power, is_carried) in [(1.0, false), (0.5, false), (1.0, true), (0.5, true), (0.0, true)] {
        system.weigh(power);
        let mut factor = system.gram.clone();
        factor.fill_idle();
        if is_carried {
            match factor.dependent() {
                Some(carried) if !carried.is_empty() => factor.carry(&carried),
                _ => continue,
            }
        }
        if !factor.factor(0.0) {
            continue;
        }
        let settled = system.settled(&forces, load, &factor);
        if system.is_settled(&settled, load) {
            return Some(settled);
        }
        first = first.or((!is_carried).then_some(settled));
    }
    first
}

/// Whether forces prove that the load w + λd is balanced by forces in the cones: exactly such forces are near.
///
/// # Errors
/// Why they do not.
pub fn check_forces(whole: &Equilibrium, load: LoadAt<'_>, forces: &Forces) -> Result<ForceProof, ForceError> {
    let mut system = System::new(whole, forces)?;
    let residual = system.residual(forces, load);
    let mut result = Err(ForceError::Rank);
    for power in POWERS {
        system.weigh(power);
        match check_weighted(&system, forces, &residual, load) {
            Ok(proof) => return Ok(proof),
            // How far it came: a contact says more than a rank.
            Err(error) => {
                if result == Err(ForceError::Rank) {
                    result = Err(error);
                }
            }
        }
    }
    result
}

fn check_weighted(
    system: &System<'_>,
    forces: &Forces,
    residual: &[Dyadic],
    load: LoadAt<'_>,
) -> Result<ForceProof, ForceError> {
    let dim = system.whole.dim();
    let mut gram = system.gram.clone();
    let idle = gram.fill_idle();
    let is_full = idle.is_empty();
    for (body, k) in idle {
        // Nothing acts on this row: its load must be zero as it is.
        if !residual[dim * body + k].abs().is_positive() {
            continue;
        }
        return Err(ForceError::Rank);
    }
    let mut factor = gram.clone();
    let plain = if factor.factor(0.0) {
        let bound = gram.least_eigenvalue(&factor, system.summed);
        bound.map_or(Err(ForceError::Rank), |bound| {
            let proof = check_near(system, forces, (residual, bound), None)?;
            Ok(ForceProof {
                takes_every_load: is_full,
                ..proof
            })
        })
    } else {
        Err(ForceError::Rank)
    };
    if !matches!(
        plain,
        Err(ForceError::Rank | ForceError::Near(_) | ForceError::Limit(_))
    ) {
        return plain;
    }
    let carried = gram.dependent().unwrap_or_default();
    if carried.is_empty() {
        return plain;
    }
    gram.carry(&carried);
    factor = gram.clone();
    if !factor.factor(0.0) {
        return plain;
    }
    let bound = gram.least_eigenvalue(&factor, system.summed).ok_or(ForceError::Rank)?;
    let is_exact = system.is_in_range(&carried, &factor, residual);
    let most = (!is_exact).then(|| SLACK * system.largest_load(load));
    check_near(system, forces, (residual, bound), most)
}

/// Whether exact forces are near enough, the least eigenvalue being above a bound; where it is given, so much of the load may be left, else nothing is.
fn check_near(
    system: &System<'_>,
    forces: &Forces,
    (residual, eigenvalue): (&[Dyadic], f64),
    most: Option<f64>,
) -> Result<ForceProof, ForceError> {
    let whole = system.whole;
    let squares = residual.iter().enumerate().map(|(at, r)| {
        let size = system.divided(at, r.size_up());
        size * size
    });
    let count = residual.len() as f64 + 8.0;
    let size = libm::sqrt(squares.sum::<f64>()) * (1.0 + count * f64::EPSILON);
    let distance = size / libm::sqrt(eigenvalue) * (1.0 + ROUNDED);
    if most.is_some_and(|most| distance > most) {
        return Err(ForceError::Slack);
    }
    let slack = if most.is_some() { distance } else { 0.0 };
    let mut carrying = 0;
    for (j, contact) in whole.contacts().iter().enumerate() {
        let Some(room) = system.room[j] else { continue };
        carrying += 1;
        let mu = contact.friction;
        let spread = if mu == 0.0 || mu.is_infinite() {
            1.0
        } else {
            libm::sqrt(1.0 + mu * mu)
        };
        let moved = system.weight[j] * distance * (1.0 + ROUNDED);
        if !(room > spread * moved * (1.0 + ROUNDED) && forces.contacts[j][0] > moved) {
            return Err(ForceError::Near(j));
        }
        let within = (forces.contacts[j][0] + moved) * (1.0 + ROUNDED) <= whole.most(j);
        if !within {
            return Err(ForceError::Limit(j));
        }
    }
    for (k, (row, g)) in whole.rows().iter().zip(&forces.rows).enumerate() {
        if !(row.bounds[0] + distance < *g && *g + distance < row.bounds[1]) {
            return Err(ForceError::Bound(k));
        }
    }
    Ok(ForceProof {
        residual: size,
        eigenvalue,
        distance,
        carrying,
        slack,
        takes_every_load: false,
    })
}
