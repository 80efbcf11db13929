//! ArtiSynth's `contactTest.txt`: one free body of unit mass and inertia, at rest, pushed against contacts with friction.
//!
//! Lines `key=[numbers]` set the case and `test` runs it; keys persist. A case is a contact problem of one step of 1 s; `wext` is the impulse. Lloyd's
//! method is tested on its LCP, [Lloyd TR] (8) with z = (θ, φ, λ): M = [[NᵀN, NᵀD, 0], [DᵀN, DᵀD, E], [μ, −Eᵀ, 0]], q = (Nᵀk, Dᵀk, 0), which alone
//! needs `fdirs`.

use stiction_contact::{Body, BodyContact};
use stiction_lcp::{Class, Lcp, Matrix};

use super::artisynth::{Words, finite};
use super::{ContactFile, Contacts, Expected, Known, Named, Problem};
use crate::bad_input::{BadInput, expect_length, shown};
use crate::vector::{Vector, cross};

/// Most friction directions at a contact.
const MAX_DIRECTIONS: usize = 64;

/// Most contacts of a case.
const MAX_CONTACTS: usize = 64;

const KEYS: [&str; 6] = ["fdirs", "pnts", "nrms", "fcoefs", "bpos", "wext"];

/// Whether the text holds the keys of the format.
pub(super) fn recognises(text: &str) -> bool {
    let starts = |key: &str| text.lines().any(|line| line.trim_start().starts_with(key));
    starts("pnts") && starts("nrms")
}

/// Reads every case as a contact problem.
pub(super) fn read(text: &str) -> Result<Vec<ContactFile>, BadInput> {
    let cases = read_cases(text)?.into_iter().enumerate();
    Ok(cases.map(|(index, case)| case.contact_file(index)).collect())
}

fn name_of(index: usize) -> String {
    format!("contact {}", index + 1)
}

/// Reads every case as bodies and contacts.
pub(super) fn read_cases(text: &str) -> Result<Vec<Case>, BadInput> {
    let mut words = Words::new(text);
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); KEYS.len()];
    let mut cases = Vec::new();
    while let Some(word) = words.next() {
        if word == "test" {
            let below = format!("{}: ", name_of(cases.len()));
            cases.push(read_case(&values).map_err(|bad| bad.below(&below))?);
            continue;
        }
        let Some(key) = KEYS.into_iter().position(|known| known == word) else {
            let problem = format!("must be test or one of {}, found {}", KEYS.join(", "), shown(word));
            return Err(words.bad(problem));
        };
        values[key] = read_list(&mut words, KEYS[key])?;
    }
    Ok(cases)
}

fn read_list(words: &mut Words<'_>, key: &str) -> Result<Vec<f64>, BadInput> {
    for mark in ["=", "["] {
        let word = words.need(mark)?;
        words.expect(word, mark)?;
    }
    let mut list = Vec::new();
    loop {
        match words.need("]")? {
            "]" => return Ok(list),
            word => list.push(finite(word, &format!("{key}[{}]", list.len()))?),
        }
    }
}

/// One body of unit mass and inertia in contact.
pub struct Case {
    directions: usize,
    position: Vector,
    points: Vec<Vector>,
    /// Lever from the body's position to the contact, and unit normal.
    pub contacts: Vec<(Vector, Vector)>,
    /// Friction coefficient of each contact.
    pub mu: Vec<f64>,
    /// Impulse and its moment.
    pub k: [f64; 6],
}

fn read_case(values: &[Vec<f64>]) -> Result<Case, BadInput> {
    let [fdirs, points, normals, mu, position, k] = values else {
        return Err(BadInput::whole("internal: six keys expected"));
    };
    expect_length("fdirs", 1, fdirs.len())?;
    let directions = (2..=MAX_DIRECTIONS).find(|&d| (d as f64).total_cmp(&fdirs[0]).is_eq());
    let directions = directions.ok_or_else(|| {
        let problem = format!("must be a whole number from 2 to {MAX_DIRECTIONS}, found {}", fdirs[0]);
        BadInput::new("fdirs[0]", problem)
    })?;
    if mu.len() > MAX_CONTACTS {
        return Err(BadInput::new(
            "fcoefs",
            format!("must have at most {MAX_CONTACTS} entries, found {}", mu.len()),
        ));
    }
    expect_length("pnts", 3 * mu.len(), points.len())?;
    expect_length("nrms", 3 * mu.len(), normals.len())?;
    expect_length("bpos", 3, position.len())?;
    expect_length("wext", 6, k.len())?;
    let triple = |list: &[f64]| [list[0], list[1], list[2]];
    let mut contacts = Vec::new();
    for (i, (point, normal)) in points.chunks(3).zip(normals.chunks(3)).enumerate() {
        let unit = normalised(triple(normal)).ok_or_else(|| {
            BadInput::new(
                format!("nrms[{}]", 3 * i),
                format!("must not be zero, found {normal:?}"),
            )
        })?;
        let lever = [point[0] - position[0], point[1] - position[1], point[2] - position[2]];
        contacts.push((lever, unit));
    }
    Ok(Case {
        directions,
        position: triple(position),
        points: points.chunks(3).map(triple).collect(),
        contacts,
        mu: mu.clone(),
        k: [k[0], k[1], k[2], k[3], k[4], k[5]],
    })
}

impl Case {
    /// The case as a file of one body that starts at rest: in a step of 1 s its wrench is the impulse.
    fn contact_file(&self, index: usize) -> ContactFile {
        let contact = |((point, (_, normal)), mu): ((&Vector, &(Vector, Vector)), &f64)| BodyContact {
            a: 0,
            b: None,
            point: *point,
            normal: *normal,
            mu: *mu,
            gap: 0.0,
            restitution: 0.0,
            viscosity: 0.0,
        };
        let contacts = self.points.iter().zip(&self.contacts).zip(&self.mu);
        ContactFile {
            name: name_of(index),
            bodies: vec![Body {
                mass: 1.0,
                inertia: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
                position: self.position,
                velocity: [0.0; 6],
                wrench: self.k,
            }],
            body_names: vec!["body".to_owned()],
            contacts: Contacts::Velocity {
                dt: 1.0,
                list: contacts.map(contact).collect(),
            },
            joints: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// The case as an LCP.
    pub(super) fn named_lcp(&self, index: usize) -> Result<Named, BadInput> {
        Ok(Named {
            name: name_of(index),
            problem: Problem::Lcp(self.lcp()?),
            expected: Expected {
                known: Some(Known::Solvable),
                ..Expected::default()
            },
            exact: None,
            z_names: Vec::new(),
        })
    }

    fn lcp(&self) -> Result<Lcp, BadInput> {
        let (n, d) = (self.contacts.len(), self.directions);
        let columns: Vec<[f64; 6]> = self.contacts.iter().map(|(r, normal)| wrench(*r, *normal)).collect();
        let friction = self.contacts.iter().flat_map(|(r, normal)| {
            let unit = tangents(*normal, d);
            unit.into_iter().map(|t| wrench(*r, t))
        });
        // (N | D): with unit mass and inertia the first two block rows of M are its Gram matrix.
        let columns: Vec<[f64; 6]> = columns.iter().copied().chain(friction).collect();
        let size = columns.len() + n;
        let mut matrix = vec![0.0; size * size];
        let mut set = |i: usize, j: usize, value: f64| matrix[j * size + i] = value;
        for (i, a) in columns.iter().enumerate() {
            for (j, b) in columns.iter().enumerate() {
                set(i, j, product(a, b));
            }
        }
        for contact in 0..n {
            let lambda = columns.len() + contact;
            set(lambda, contact, self.mu[contact]);
            for phi in n + contact * d..n + (contact + 1) * d {
                set(phi, lambda, 1.0);
                set(lambda, phi, -1.0);
            }
        }
        let mut q: Vec<f64> = columns.iter().map(|column| product(column, &self.k)).collect();
        q.resize(size, 0.0);
        let lcp = Lcp::new(Matrix::from_columns(size, matrix)?, q)?;
        Ok(lcp.with_class(Class::Copositive))
    }
}

/// The unit vector along a direction; `None` for zero.
fn normalised(a: Vector) -> Option<Vector> {
    // Scaled first, so that squares of very large or small entries neither overflow nor vanish.
    let largest = a.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 {
        return None;
    }
    let a = a.map(|x| x / largest);
    let length = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt();
    Some(a.map(|x| x / length))
}

/// Force and moment of a unit force at a lever.
fn wrench(lever: Vector, direction: Vector) -> [f64; 6] {
    let moment = cross(lever, direction);
    [
        direction[0],
        direction[1],
        direction[2],
        moment[0],
        moment[1],
        moment[2],
    ]
}

fn product(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// `d` unit vectors across the normal, evenly spaced.
fn tangents(normal: Vector, d: usize) -> Vec<Vector> {
    // The axis least along the normal gives the best-conditioned frame.
    let magnitude = normal.map(f64::abs);
    let least = (0..3).fold(0, |best, i| if magnitude[i] < magnitude[best] { i } else { best });
    let mut axis = [0.0; 3];
    axis[least] = 1.0;
    let first = normalised(cross(normal, axis)).unwrap_or(axis);
    let second = cross(normal, first);
    (0..d)
        .map(|k| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / d as f64).sin_cos();
            [0, 1, 2].map(|i| cos * first[i] + sin * second[i])
        })
        .collect()
}
