//! Do forces balance the load? One program: the forces that lie deepest inside their cones, or the mechanism that shows that there are none.
//!
//! max s with f_j in its cone moved by s along its normal and the forces of bounded rows within their bounds by s, s ≤ 1 of the load's scale, s of any sign. It has an answer wherever
//! some forces, in cones or not, balance the load; its dual is min −w·v + t with Σ u_n + Σ |u_k| + t = 1, t ≥ 0, over contacts and bounded rows: for s < 0 the v is a mechanism.

use stiction_contact::rows::{MOST as COORDINATES, PairRow, RowSystem};

use crate::equilibrium::Equilibrium;
use crate::motion::Steps;
use crate::parts::parts;
use crate::program::{Cones, Ending, Forces, Found, Velocities};
use crate::proof::forces::{ForceProof, LoadAt, check_forces, settle};
use crate::proof::mechanism::{Limits, check_mechanism};

/// Depth within which neither sign is believed, relative to the load.
const UNDECIDED: f64 = 1e-9;
/// Below this depth contacts that must be idle are sought.
const SHALLOW: f64 = 1e-6;
/// Opening speed, relative to the fastest, of contacts that can carry nothing.
const OPENS: f64 = 1e-6;
/// Share of a force limit that forces of programs may use, so that those that are proved stay within it.
pub(crate) const WITHIN: f64 = 1.0 - 1e-7;
/// Corrections of velocities along joint rows: the second takes the rounding of the first.
const CORRECTIONS: usize = 2;
/// Rounds in which contacts that can carry nothing are found, at most.
const MAX_IDLE_ROUNDS: usize = 4;

/// Forces with their proof.
#[derive(Debug, Clone, PartialEq)]
pub struct Balanced {
    /// The forces.
    pub forces: Forces,
    /// What is proved of them; `None`: they balance to rounding, and a proof was not found.
    pub proof: Option<ForceProof>,
    /// How deep they lie inside their cones \[N\].
    pub depth: f64,
    /// Contacts that carry nothing in any balance.
    pub idle: Vec<bool>,
}

/// Whether forces balance a load.
#[derive(Debug, Clone, PartialEq)]
pub enum Existence {
    /// They do.
    Forces(Balanced),
    /// None do: velocities \[m/s, rad/s\], checked; under limits on forces where those are finite.
    Mechanism {
        /// The mechanism.
        velocity: Vec<f64>,
        /// Limits on forces under which it proves so.
        limits: Limits,
    },
    /// Neither was shown.
    Undecided {
        /// Depth that the program found, relative to the load: 0 at the limit.
        depth: f64,
        /// Its mechanism, not proved.
        velocity: Vec<f64>,
    },
}

/// Largest forces of joints and contacts, relative to all loads, that a mechanism must hold for where it needs a limit.
const MOST: f64 = 1e6;

/// The limits that an equilibrium has.
pub(crate) fn given_limits(whole: &Equilibrium) -> Limits {
    Limits {
        contact: whole.force_limit().unwrap_or(f64::INFINITY),
        ..Limits::default()
    }
}

/// Limits for mechanisms that no exact proof exists for.
#[must_use]
pub(crate) fn wide_limits(whole: &Equilibrium) -> Limits {
    let total: f64 = whole.load().iter().map(|w| w.abs()).sum();
    Limits {
        contact: (MOST * total).min(whole.force_limit().unwrap_or(f64::INFINITY)),
        joint: MOST * total,
    }
}

/// Decides whether forces balance the load of an equilibrium.
#[must_use]
pub fn existence(whole: &Equilibrium) -> Existence {
    match decided_or_moves(whole) {
        Existence::Undecided { depth, velocity } => by_parts(whole).unwrap_or(Existence::Undecided { depth, velocity }),
        found => found,
    }
}

/// Where the program ends without an answer, the motion of the exact step may be a mechanism: what rolls, tips or swings does not slip.
fn decided_or_moves(whole: &Equilibrium) -> Existence {
    let found = decided(whole, true);
    if !matches!(found, Existence::Undecided { .. }) {
        return found;
    }
    let step = Steps::new(whole).and_then(|mut steps| steps.at_rest());
    let Ok(Some(motion)) = step else {
        return found;
    };
    if !motion.moves {
        return found;
    }
    match by_mechanism(whole, motion.velocity, f64::NEG_INFINITY) {
        Existence::Undecided { .. } => found,
        falls => falls,
    }
}

/// Decides each part that nothing connects with others: one that falls is enough, and where all are balanced so is the whole. `None`: one part, or no answer.
fn by_parts(whole: &Equilibrium) -> Option<Existence> {
    let parts = parts(whole);
    if parts.len() < 2 {
        return None;
    }
    let mut forces = Some(Forces {
        contacts: vec![[0.0; 3]; whole.contacts().len()],
        rows: vec![0.0; whole.rows().len()],
    });
    let mut depth = f64::INFINITY;
    let mut idle = vec![false; whole.contacts().len()];
    for part in &parts {
        match (decided_or_moves(&part.of(whole)), &mut forces) {
            (Existence::Mechanism { velocity, .. }, _) => {
                let velocity = part.velocity(whole, &velocity);
                for limits in [given_limits(whole), wide_limits(whole)] {
                    if check_mechanism(whole, &velocity, limits).is_ok() {
                        return Some(Existence::Mechanism { velocity, limits });
                    }
                }
                forces = None;
            }
            (Existence::Forces(balanced), Some(all)) => {
                part.place(&balanced.forces, all);
                depth = depth.min(balanced.depth);
                for (j, is_idle) in part.contacts.iter().zip(balanced.idle) {
                    idle[*j] = is_idle;
                }
            }
            _ => forces = None,
        }
    }
    let forces = forces?;
    let proof = check_forces(whole, LoadAt::ITSELF, &forces).ok()?;
    Some(Existence::Forces(Balanced {
        forces,
        proof: Some(proof),
        depth,
        idle,
    }))
}

/// Forces that balance the load, proved; `None` where none are found or proved.
pub(crate) fn balanced(whole: &Equilibrium) -> Option<Balanced> {
    match decided(whole, false) {
        Existence::Forces(balanced) => balanced.proof.is_some().then_some(balanced),
        _ => None,
    }
}

fn decided(whole: &Equilibrium, wants_mechanism: bool) -> Existence {
    if whole.load().iter().all(|w| *w == 0.0) {
        return Existence::Forces(Balanced {
            forces: Forces {
                contacts: vec![[0.0; 3]; whole.contacts().len()],
                rows: vec![0.0; whole.rows().len()],
            },
            proof: Some(ForceProof {
                residual: 0.0,
                eigenvalue: f64::INFINITY,
                distance: 0.0,
                carrying: 0,
                slack: 0.0,
                takes_every_load: false,
            }),
            depth: 0.0,
            idle: vec![false; whole.contacts().len()],
        });
    }
    let mut idle = vec![false; whole.contacts().len()];
    let mut last = (0.0, Vec::new());
    for _ in 0..MAX_IDLE_ROUNDS {
        let cones = Cones {
            idle: &idle,
            limited: Some(WITHIN),
            ..Cones::default()
        };
        let mut program = Velocities::new(whole, &cones);
        program.set_load(whole.load());
        let t = program.rows.add_unknown(1.0);
        program.rows.row([(t, -1.0)], 0.0);
        program.rows.are_not_negative(1);
        let mut sum: Vec<(usize, f64)> = Vec::new();
        let mut paid: Vec<(usize, f64)> = Vec::new();
        for j in (0..idle.len()).filter(|j| !idle[*j]) {
            sum.extend(program.column(j, 0));
            // N + s is what the limit limits.
            paid.extend(program.paid[j].map(|r| (r, 1.0)));
        }
        // The bounds of a row move inwards with the cones.
        paid.extend(program.beyond.iter().copied());
        let sums = gathered(sum, whole.load().len());
        let place = program.rows.next();
        program.rows.row(sums.into_iter().chain(paid).chain([(t, 1.0)]), 1.0);
        program.rows.are_zero(1);
        let found = program.rows.solve();
        let velocity = program.velocities(&found.x);
        match found.ending {
            Ending::Unbounded if idle.contains(&true) => break,
            Ending::Unbounded if wants_mechanism => return by_mechanism(whole, velocity, f64::NEG_INFINITY),
            Ending::Solved => {}
            Ending::Unbounded | Ending::Infeasible | Ending::Failed => {
                return Existence::Undecided { depth: 0.0, velocity };
            }
        }
        let depth = -found.z[place];
        if depth < -UNDECIDED && idle.contains(&true) {
            break;
        }
        last = (depth, velocity.clone());
        if depth < -UNDECIDED && wants_mechanism {
            return by_mechanism(whole, velocity, depth);
        }
        if depth < -UNDECIDED {
            break;
        }
        // However shallow the forces are: the proof decides.
        if let Some(balanced) = by_forces(whole, &program, &found, (depth, &idle)) {
            return Existence::Forces(balanced);
        }
        if depth > SHALLOW || !mark_idle(whole, &velocity, &mut idle) {
            break;
        }
    }
    let (depth, velocity) = last;
    Existence::Undecided { depth, velocity }
}

/// Contacts that open in a mechanism that the load does not drive can carry nothing; whether there are new ones.
fn mark_idle(whole: &Equilibrium, velocity: &[f64], idle: &mut [bool]) -> bool {
    let speeds: Vec<f64> = (0..idle.len())
        .map(|j| whole.contact_velocity(j, velocity)[0])
        .collect();
    let fastest = speeds.iter().fold(0.0_f64, |m, u| m.max(u.abs()));
    let mut new = false;
    for (idle, u) in idle.iter_mut().zip(&speeds) {
        if !*idle && fastest > 0.0 && *u > OPENS * fastest {
            *idle = true;
            new = true;
        }
    }
    new && idle.iter().any(|idle| !idle)
}

fn gathered(entries: Vec<(usize, f64)>, unknowns: usize) -> Vec<(usize, f64)> {
    let mut dense = vec![0.0; unknowns];
    for (at, x) in entries {
        dense[at] += x;
    }
    dense.into_iter().enumerate().filter(|(_, x)| *x != 0.0).collect()
}

fn by_forces(
    whole: &Equilibrium,
    program: &Velocities<'_>,
    found: &Found,
    (depth, idle): (f64, &[bool]),
) -> Option<Balanced> {
    let depth = depth * program.scale.load;
    let mut forces = program.forces(&found.z);
    for (f, idle) in forces.contacts.iter_mut().zip(idle) {
        if !idle {
            f[0] += depth;
        }
    }
    let settled = settle(whole, LoadAt::ITSELF, &forces)?;
    let proof = check_forces(whole, LoadAt::ITSELF, &settled).ok();
    proof.map(|proof| Balanced {
        forces: settled,
        proof: Some(proof),
        depth,
        idle: idle.to_vec(),
    })
}

fn by_mechanism(whole: &Equilibrium, velocity: Vec<f64>, depth: f64) -> Existence {
    // Where a row has no bound, what is left of its velocity costs the largest force that it may have.
    let velocity = along_rows(whole, velocity);
    for limits in [given_limits(whole), wide_limits(whole)] {
        if check_mechanism(whole, &velocity, limits).is_ok() {
            return Existence::Mechanism { velocity, limits };
        }
        // Every contact opens a little faster than the program made it.
        if let Some(strict) = crate::explosion::strict(whole, &velocity, |v| check_mechanism(whole, v, limits).is_ok())
        {
            return Existence::Mechanism {
                velocity: strict,
                limits,
            };
        }
    }
    Existence::Undecided { depth, velocity }
}

/// The nearest velocities that move no joint row without bounds, to rounding. Rows on more than two bodies are left as they are.
pub(crate) fn along_rows(whole: &Equilibrium, mut velocity: Vec<f64>) -> Vec<f64> {
    let dim = whole.dim();
    let mut system = RowSystem::default();
    let is_free = |[low, high]: [f64; 2]| low == f64::NEG_INFINITY && high == f64::INFINITY;
    for (k, row) in whole.rows().iter().enumerate() {
        let parts = whole.row_parts(k);
        if parts.len() > 2 || !is_free(row.bounds) {
            continue;
        }
        let mut pair = PairRow {
            bodies: [None; 2],
            parts: [[0.0; COORDINATES]; 2],
            compliance: 0.0,
        };
        for (k, part) in parts.iter().enumerate() {
            (pair.bodies[k], pair.parts[k]) = (Some(part.body), part.columns[0]);
        }
        system.push(pair);
    }
    if system.is_empty() {
        return velocity;
    }
    system.factor();
    let mut multipliers = vec![0.0; system.len()];
    for _ in 0..CORRECTIONS {
        let along = |body: usize, part: &[f64; COORDINATES]| {
            let own = &velocity[dim * body..dim * (body + 1)];
            part.iter().zip(own).map(|(c, v)| c * v).sum::<f64>()
        };
        let speed = |row: &PairRow| {
            let parts = row.bodies.iter().zip(&row.parts);
            parts
                .filter_map(|(body, part)| Some(along((*body)?, part)))
                .sum::<f64>()
        };
        let speeds: Vec<f64> = system.rows().iter().map(speed).collect();
        system.solve(&speeds, &mut multipliers);
        system.gather(|body, x| {
            for (v, x) in velocity[dim * body..dim * (body + 1)].iter_mut().zip(x) {
                *v -= x;
            }
        });
    }
    velocity
}
