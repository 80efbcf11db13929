//! Whether rest is a balance: forces are proved for the exact pose, and a displacement that nothing resists, however small, lets it move on.
//!
//! Statics is of one pose. Where forces lie strictly inside their cones and contacts can take every load, any small push is resisted and there is nothing to look for. Elsewhere a
//! program finds velocities that no load resists; the pose is moved by a little along them, contacts are found again, and the exact step from rest tells whether the motion goes on
//! (v · M a > 0), comes back, or rests there as well. What is found is shown, not proved; what is not found is not excluded.

use stiction_sim::{Pose, Quat, Vec3, World};

use crate::equilibrium::{Equilibrium, FreeBody, norm};
use crate::error::StandError;
use crate::existence::{Balanced, Existence};
use crate::margin::{along, unit_of};
use crate::motion::{Seeded, Steps};
use crate::program::{Cones, Ending};
use crate::question::level;
use crate::verdict::{Word, fastest};

/// Displacement, relative to the mean arm.
pub(crate) const DISPLACED: f64 = 1e-4;
/// A margin below this, relative to the load, is none.
const NO_MARGIN: f64 = 1e-7;
/// Depth of forces within their cones below which pushes are tried, relative to the largest load.
const SHALLOW: f64 = 1e-9;
/// Random loads that are tried beside leans.
const RANDOM: u64 = 3;
/// Coordinates of bodies beyond which it is not looked for: each push is a program.
const MOST_COORDINATES: usize = 1500;

/// A displacement from which it moves on.
#[derive(Debug, Clone, PartialEq)]
pub struct Balance {
    /// Direction of the displacement, by free bodies \[m, rad\].
    pub direction: Vec<f64>,
    /// How far it was displaced: times the direction.
    pub size: f64,
    /// How fast it moves on a step after \[m/s\].
    pub speed: f64,
    /// The body that moves fastest.
    pub body: usize,
}

/// Whether every small push is resisted, as the proof of the forces has it.
fn resists(whole: &Equilibrium, balanced: &Balanced) -> bool {
    let largest = whole.load().iter().fold(0.0_f64, |m, w| m.max(w.abs()));
    balanced.proof.is_some_and(|proof| proof.takes_every_load) && balanced.depth > SHALLOW * largest
}

/// Looks for a displacement from which it moves on. `displaced` gives the equilibrium at another pose: bodies moved by a velocity.
///
/// # Errors
/// What makes an equilibrium of a pose may fail.
pub fn balance(
    whole: &Equilibrium,
    (word, existence): (Word, &Existence),
    mut displaced: impl FnMut(&[f64]) -> Result<Equilibrium, StandError>,
) -> Result<Option<Balance>, StandError> {
    let Existence::Forces(balanced) = existence else {
        return Ok(None);
    };
    let is_large = whole.load().len() > MOST_COORDINATES;
    if word != Word::Stands || whole.bodies().is_empty() || is_large || resists(whole, balanced) {
        return Ok(None);
    }
    for push in pushes(whole) {
        let Some(velocity) = unresisted(whole, &push) else {
            continue;
        };
        let largest = size(whole, &velocity);
        if largest.is_nan() || largest <= 0.0 {
            continue;
        }
        let size = DISPLACED * whole.arm() / largest;
        let there = displaced(&velocity.iter().map(|v| size * v).collect::<Vec<_>>())?;
        let Some(motion) = Steps::new(&there)?.at_rest()? else {
            continue;
        };
        if motion.moves && work(whole, &velocity, &motion.velocity) > 0.0 {
            return Ok(Some(Balance {
                body: fastest(whole, &motion.velocity),
                direction: velocity,
                size,
                speed: motion.speed,
            }));
        }
    }
    Ok(None)
}

/// Loads that are tried: leans to four sides, and loads at random.
fn pushes(whole: &Equilibrium) -> Vec<Vec<f64>> {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let planar = whole.is_planar();
    let axes = axes.iter().filter(|axis| !(planar && axis[2] != 0.0));
    let level = axes.filter_map(|axis| level("tilt", whole.gravity(), *axis).ok());
    let mut pushes: Vec<Vec<f64>> = level
        .flat_map(|axis| [whole.lean(axis), whole.lean(axis.map(|x| -x))])
        .collect();
    let g = norm(whole.gravity());
    let dim = whole.dim();
    for seed in 0..RANDOM {
        let mut random = Seeded::new(seed ^ 0x0062_616c_616e_6365);
        let mut push = vec![0.0; whole.load().len()];
        for (at, x) in push.iter_mut().enumerate() {
            let weight = whole.bodies()[at / dim].mass * if g > 0.0 { g } else { 1.0 };
            let arm = if whole.is_turn(at % dim) { whole.arm() } else { 1.0 };
            *x = weight * arm * (2.0 * random.unit() - 1.0);
        }
        pushes.push(push);
    }
    pushes
}

/// Velocities that the push drives and no load resists; `None` where the push is resisted.
fn unresisted(whole: &Equilibrium, push: &[f64]) -> Option<Vec<f64>> {
    let along = along(whole, push, &Cones::default());
    let found = along.program.rows.solve();
    let is_free = found.ending == Ending::Solved && along.of(&found.z) <= NO_MARGIN * unit_of(whole, push);
    is_free.then(|| along.program.velocities(&found.x))
}

/// Largest velocity of a body, turns at the mean arm.
fn size(whole: &Equilibrium, velocity: &[f64]) -> f64 {
    let (dim, arm) = (whole.dim(), whole.arm());
    velocity.iter().enumerate().fold(0.0_f64, |m, (at, v)| {
        m.max(if whole.is_turn(at % dim) {
            arm * v.abs()
        } else {
            v.abs()
        })
    })
}

/// a · M b.
fn work(whole: &Equilibrium, a: &[f64], b: &[f64]) -> f64 {
    let dim = whole.dim();
    let of = |(k, body): (usize, &FreeBody)| {
        let (a, b) = (&a[dim * k..dim * (k + 1)], &b[dim * k..dim * (k + 1)]);
        let row = |r: usize| (0..dim).map(|c| body.mass_matrix[dim * r + c] * b[c]).sum::<f64>();
        (0..dim).map(|r| a[r] * row(r)).sum::<f64>()
    };
    whole.bodies().iter().enumerate().map(of).sum()
}

/// A world whose free bodies are moved by a velocity, as an equilibrium.
///
/// # Errors
/// A pose that cannot be taken.
pub fn displaced(
    world: &World,
    (gap, force_limit): (Option<f64>, Option<f64>),
    whole: &Equilibrium,
    by: &[f64],
) -> Result<Equilibrium, StandError> {
    let mut moved = world.clone();
    let dim = whole.dim();
    for (body, v) in whole.bodies().iter().zip(by.chunks(dim)) {
        let pose = world.state().bodies[body.body].pose;
        let (shift, turn) = match *v {
            [x, y, turn] => (Vec3::new(x, y, 0.0), Vec3::new(0.0, 0.0, turn)),
            [x, y, z, a, b, c] => (Vec3::new(x, y, z), Vec3::new(a, b, c)),
            _ => continue,
        };
        moved.set_pose(
            body.body,
            Pose {
                position: pose.position + shift,
                rotation: Quat::from_scaled_axis(turn) * pose.rotation,
            },
        )?;
    }
    let mut there = Equilibrium::from_statics(&moved.statics(gap)?)?;
    there.set_force_limit(force_limit)?;
    Ok(there)
}

/// Gap beyond which a contact has opened, as a share of the displacement.
const OPENED: f64 = 1e-2;

/// Blocks with flat faces that are known by their contacts alone, moved by a velocity: each contact is a point of both its bodies, and counts where they have not come apart. There
/// are no joints, and no loads except gravity.
///
/// # Errors
/// Numbers that cannot be those of blocks.
pub fn moved(whole: &Equilibrium, by: &[f64]) -> Result<Equilibrium, StandError> {
    let dim = whole.dim();
    let motion = |body: usize| {
        let of = whole.free_of(body).map(|k| &by[dim * k..dim * (k + 1)]);
        match of {
            Some([x, y, turn]) => (Vec3::new(*x, *y, 0.0), Vec3::new(0.0, 0.0, *turn)),
            Some([x, y, z, a, b, c]) => (Vec3::new(*x, *y, *z), Vec3::new(*a, *b, *c)),
            _ => (Vec3::zeros(), Vec3::zeros()),
        }
    };
    let vec = |[x, y, z]: [f64; 3]| Vec3::new(x, y, z);
    let mut there = Equilibrium::new(whole.is_planar(), whole.gravity());
    for (body, name) in whole.names().iter().enumerate() {
        let Some(free) = whole.free_of(body) else {
            there.add_fixed(name.clone());
            continue;
        };
        let FreeBody { mass, mass_matrix, .. } = &whole.bodies()[free];
        let inertia = match dim {
            3 => [[0.0; 3], [0.0; 3], [0.0, 0.0, mass_matrix[8]]],
            _ => std::array::from_fn(|r| std::array::from_fn(|c| mass_matrix[6 * (r + 3) + c + 3])),
        };
        let center = vec(whole.centers()[body]) + motion(body).0;
        there.add_body(name.clone(), *mass, inertia, [center.x, center.y, center.z])?;
    }
    let size = by.iter().enumerate().fold(0.0_f64, |m, (at, v)| {
        m.max(if whole.is_turn(at % dim) {
            whole.arm() * v.abs()
        } else {
            v.abs()
        })
    });
    for contact in whole.contacts() {
        let at = |body: usize| {
            let (shift, turn) = motion(body);
            let center = vec(whole.centers()[body]);
            let fixed = whole.free_of(body).is_none();
            let arm = if fixed {
                Vec3::zeros()
            } else {
                vec(contact.point) - center
            };
            let moved = vec(contact.point) - arm + shift + Quat::from_scaled_axis(turn) * arm;
            (moved, turn)
        };
        let ((a, turn_a), (b, turn_b)) = (at(contact.a), at(contact.b));
        let normal = Quat::from_scaled_axis((turn_a + turn_b) * 0.5) * vec(contact.normal);
        if (a - b).dot(&normal) > OPENED * size {
            continue;
        }
        let point = (a + b) * 0.5;
        there.add_contact(
            [contact.a, contact.b],
            [point.x, point.y, point.z],
            [normal.x, normal.y, normal.z],
            contact.friction,
        )?;
    }
    there.set_force_limit(whole.force_limit())?;
    Ok(there)
}
