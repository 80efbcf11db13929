//! A report: the verdict with all that was asked beside it, and its file, `docs/reference/stand-file.md`.

use serde_json::{Map, Value, json};

use crate::balance::balance;
use crate::equilibrium::Equilibrium;
use crate::error::StandError;
use crate::existence::Existence;
use crate::explosion::SelfStress;
use crate::limit::Limit;
use crate::margin::{Margin, Pair, pair_motions};
use crate::motion::Motion;
use crate::program::Forces;
use crate::proof::forces::ForceProof;
use crate::proof::mechanism::Limits;
use crate::question::Any;
use crate::region::Region;
use crate::vary::{Change, End, Varied};
use crate::verdict::{Only, Verdict};

/// Version of the file.
pub const FORMAT: u64 = 1;

/// What a margin is of.
#[derive(Debug, Clone, PartialEq)]
pub enum Along {
    /// Gravity leans towards a direction: λ = tan θ.
    Tilt([f64; 3]),
    /// The ground accelerates towards a direction by λg: every body is pushed the other way with its mass times that.
    Acceleration([f64; 3]),
    /// A force on a body, at a point, times λ.
    Load {
        /// Body.
        body: usize,
        /// Force \[N\].
        force: [f64; 3],
        /// Where it acts \[m\].
        point: Option<[f64; 3]>,
    },
}

/// A margin with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedMargin {
    /// The name in the request: `x`, `box`.
    pub name: String,
    /// What it is of.
    pub along: Along,
    /// d: the load that λ multiplies.
    pub direction: Vec<f64>,
    /// Both ends.
    pub margin: Margin,
    /// Where rest ends under the law itself.
    pub limit: Option<Limit>,
}

/// Friction that is needed: of all contacts alike, or of one material.
#[derive(Debug, Clone, PartialEq)]
pub struct Friction {
    /// The material; `None`: all coefficients by one factor.
    pub material: Option<String>,
    /// Coefficient that all contacts have, where it is one.
    pub given: Option<f64>,
    /// The change, in shares of every coefficient, or in values of the material's; `None`: it stands without friction, or with none of what was tried.
    pub change: Option<Change>,
    /// Forces without any of it, proved, where they exist.
    pub none: Option<End>,
    /// Values that were looked at, and whether forces exist there.
    pub samples: Vec<(f64, Option<bool>)>,
}

/// Everything that was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The scene.
    pub name: String,
    /// What was asked about.
    pub whole: Equilibrium,
    /// The verdict.
    pub verdict: Verdict,
    /// Margins.
    pub margins: Vec<NamedMargin>,
    /// Tilt or acceleration in any direction.
    pub region: Option<Region>,
    /// What the region was asked for.
    pub any: Any,
    /// Least friction.
    pub friction: Option<Friction>,
    /// A parameter of the scene, by its key.
    pub varied: Option<(String, Varied)>,
    /// Ranges of the normal force of pairs \[N\]: as the proof has it, and what it could be.
    pub ranges: Vec<(Pair, f64, [f64; 2])>,
    /// Fastest velocity that was not asked about \[m/s\].
    pub ignored_speed: f64,
}

fn number(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { Value::Null }
}

fn friction(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { json!("inf") }
}

/// Numbers by bodies.
pub(crate) fn by_bodies(whole: &Equilibrium, list: &[f64]) -> Value {
    json!(list.chunks(whole.dim()).collect::<Vec<_>>())
}

fn forces(forces: &Forces) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("contacts".into(), json!(forces.contacts));
    map.insert("rows".into(), json!(forces.rows));
    map
}

fn proved(f: &Forces, proof: Option<&ForceProof>) -> Value {
    let mut map = forces(f);
    let proof = proof.map(|proof| {
        json!({
            "residual": proof.residual,
            "eigenvalue": number(proof.eigenvalue),
            "distance": proof.distance,
            "carrying": proof.carrying,
            "slack": proof.slack,
        })
    });
    map.insert("proof".into(), json!(proof));
    Value::Object(map)
}

fn limits(limits: Limits) -> Value {
    json!({ "contact": number(limits.contact), "joint": number(limits.joint) })
}

pub(crate) fn motions(whole: &Equilibrium, velocity: &[f64]) -> Value {
    let list = pair_motions(whole, velocity);
    json!(
        list.iter()
            .map(|(pair, motion)| json!({ "a": pair.bodies[0], "b": pair.bodies[1], "motion": motion.name() }))
            .collect::<Vec<_>>()
    )
}

fn mechanism(whole: &Equilibrium, velocity: &[f64], under: Limits) -> Value {
    json!({
        "velocity": by_bodies(whole, velocity),
        "limits": limits(under),
        "pairs": motions(whole, velocity),
    })
}

fn answer(whole: &Equilibrium, motion: &Motion) -> Value {
    let mut map = forces(&motion.forces);
    map.insert("velocity".into(), by_bodies(whole, &motion.velocity));
    map.insert(
        "states".into(),
        json!(motion.state.iter().map(|state| state.name()).collect::<Vec<_>>()),
    );
    map.insert("step".into(), json!(crate::motion::STEP));
    map.insert("speed".into(), json!(motion.speed));
    map.insert("residual".into(), number(motion.residual.worst));
    map.insert("accepted".into(), json!(motion.accepted));
    map.insert("pairs".into(), motions(whole, &motion.velocity));
    Value::Object(map)
}

fn evidence(whole: &Equilibrium, found: &Existence) -> Value {
    match found {
        Existence::Forces(balanced) => json!({ "forces": proved(&balanced.forces, balanced.proof.as_ref()) }),
        Existence::Mechanism { velocity, limits } => json!({ "mechanism": mechanism(whole, velocity, *limits) }),
        Existence::Undecided { depth, .. } => json!({ "depth": number(*depth) }),
    }
}

fn end(end: &End) -> Value {
    let mut value = json!({ "value": end.value });
    match &end.existence {
        Existence::Forces(balanced) => {
            value["forces"] = proved(&balanced.forces, balanced.proof.as_ref());
        }
        Existence::Mechanism {
            velocity,
            limits: under,
        } => {
            value["mechanism"] = json!({ "velocity": velocity, "limits": limits(*under) });
        }
        Existence::Undecided { .. } => {}
    }
    value
}

fn samples(list: &[(f64, Option<bool>)]) -> Value {
    let of = list.iter().map(|(x, stands)| json!({ "value": x, "forces": stands }));
    json!(of.collect::<Vec<_>>())
}

fn change(change: &Change) -> Value {
    json!({ "stands": end(&change.stands), "falls": end(&change.falls) })
}

/// tan θ as degrees.
#[must_use]
pub fn degrees(lambda: f64) -> f64 {
    libm::atan(lambda).to_degrees()
}

impl NamedMargin {
    fn json(&self, whole: &Equilibrium) -> Value {
        let Margin {
            low,
            estimate,
            high,
            mechanism: velocity,
            limits: under,
            ..
        } = &self.margin;
        let mut value = match &self.along {
            Along::Tilt(axis) => json!({ "kind": "tilt", "axis": axis }),
            Along::Acceleration(axis) => json!({ "kind": "acceleration", "axis": axis }),
            Along::Load { body, force, point } => {
                json!({ "kind": "load", "body": body, "force": force, "point": point })
            }
        };
        value["name"] = json!(self.name);
        value["low"] = low.as_ref().map_or(Value::Null, |low| number(low.lambda));
        value["estimate"] = number(*estimate);
        value["high"] = number(*high);
        if matches!(self.along, Along::Tilt(_)) {
            let of = |x: f64| if x.is_nan() { Value::Null } else { number(degrees(x)) };
            value["degrees"] = json!({
                "low": low.as_ref().map_or(Value::Null, |low| of(low.lambda)),
                "high": if high.is_finite() { of(*high) } else { Value::Null },
                "found": self.limit.map_or(Value::Null, |limit| of(limit.rests)),
            });
        }
        value["forces"] = low
            .as_ref()
            .map_or(Value::Null, |low| proved(&low.forces, Some(&low.proof)));
        value["mechanism"] = if velocity.is_empty() {
            Value::Null
        } else {
            mechanism(whole, velocity, *under)
        };
        value["found"] = json!(self.limit.map(|limit| {
            json!({
                "rests": limit.rests,
                "moves": number(limit.moves),
                "cones": limit.cones,
                "agree": limit.agree,
            })
        }));
        value
    }
}

impl Report {
    /// Looks whether a verdict that it stands is only of a balance; `displaced` gives the equilibrium with bodies moved by a velocity.
    ///
    /// # Errors
    /// An equilibrium that cannot be made.
    pub fn look_for_balance(
        &mut self,
        displaced: impl FnMut(&[f64]) -> Result<Equilibrium, StandError>,
    ) -> Result<(), StandError> {
        let verdict = (self.verdict.word, &self.verdict.existence);
        self.verdict.balance = balance(&self.whole, verdict, displaced)?;
        Ok(())
    }

    /// The report as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let (whole, verdict) = (&self.whole, &self.verdict);
        let mut value = json!({
            "kind": "stand",
            "format": FORMAT,
            "scene": self.name,
            "verdict": verdict.word.name(),
            "reason": verdict.reason,
            "balances": verdict.balance.is_some(),
            "balance": verdict.balance.as_ref().map(|balance| {
                json!({
                    "direction": by_bodies(whole, &balance.direction),
                    "size": balance.size,
                    "speed": balance.speed,
                    "body": balance.body,
                })
            }),
            "force_limit": whole.force_limit(),
            "evidence": evidence(whole, &verdict.existence),
            "only": match &verdict.only {
                None => Value::Null,
                Some(Only::NormalForces(balanced)) => {
                    json!({ "by": "normal_forces", "forces": proved(&balanced.forces, balanced.proof.as_ref()) })
                }
            },
            "squeeze": verdict.squeeze.as_ref().map(|squeeze| {
                json!({ "bodies": squeeze.bodies, "contacts": squeeze.contacts, "least": squeeze.least })
            }),
            "rest": verdict.rest.as_ref().map(|rest| {
                json!({ "residual": number(rest.residual.worst), "accepted": rest.accepted && !rest.moves })
            }),
            "motion": verdict.motion.as_ref().map(|motion| answer(whole, motion)),
            "wedged": match &verdict.self_stress {
                SelfStress::None(_) => json!(false),
                SelfStress::Some(_) => json!(true),
                SelfStress::Unknown => Value::Null,
            },
            "explosion": match &verdict.self_stress {
                SelfStress::None(velocity) => by_bodies(whole, velocity),
                _ => Value::Null,
            },
            "tries": self.tries(),
            "margins": self.margins.iter().map(|margin| margin.json(whole)).collect::<Vec<_>>(),
            "ranges": self.ranges.iter().map(|(pair, now, [low, high])| {
                json!({ "a": pair.bodies[0], "b": pair.bodies[1], "normal": now, "low": number(*low), "high": number(*high) })
            }).collect::<Vec<_>>(),
        });
        if let (Value::Object(value), Value::Object(mut scene)) = (&mut value, of_scene(whole)) {
            value.append(&mut scene);
        }
        if let Some(region) = &self.region {
            value["region"] = region.json(whole);
            value["region"]["asked"] = json!(self.any.names());
        }
        if let Some(friction) = &self.friction {
            value["friction"] = json!({
                "material": friction.material,
                "given": friction.given,
                "needs_none": friction.none.is_some(),
                "none": friction.none.as_ref().map(end),
                "samples": samples(&friction.samples),
                "change": friction.change.as_ref().map(change),
            });
        }
        if let Some((key, varied)) = &self.varied {
            value["vary"] = json!({
                "key": key,
                "samples": samples(&varied.samples),
                "changes": varied.changes.iter().map(change).collect::<Vec<_>>(),
            });
        }
        value
    }

    fn tries(&self) -> Value {
        let tries = &self.verdict.tries;
        let moved = tries.moved.iter().map(|moved| {
            json!({
                "kind": moved.kind,
                "seed": moved.seed,
                "speed": moved.speed,
                "body": moved.body,
                "lawful": moved.lawful,
            })
        });
        json!({
            "drops": tries.drops,
            "nudges": tries.nudges,
            "unsolved": tries.unsolved,
            "beyond_limit": tries.beyond,
            "moved": moved.collect::<Vec<_>>(),
        })
    }
}

/// What a report repeats of the scene.
pub(crate) fn of_scene(whole: &Equilibrium) -> Value {
    json!({
        "planar": whole.is_planar(),
        "gravity": whole.gravity(),
        "bodies": bodies(whole),
        "contacts": contacts(whole),
        "rows": rows(whole),
    })
}

fn bodies(whole: &Equilibrium) -> Vec<Value> {
    let dim = whole.dim();
    let of = |(k, name): (usize, &String)| match whole.free_of(k) {
        Some(free) => json!({
            "name": name,
            "center": whole.centers()[k],
            "mass": whole.bodies()[free].mass,
            "load": &whole.load()[dim * free..dim * (free + 1)],
        }),
        None => json!({ "name": name, "center": whole.centers()[k] }),
    };
    whole.names().iter().enumerate().map(of).collect()
}

fn contacts(whole: &Equilibrium) -> Vec<Value> {
    let dim = whole.dim();
    let of = |(j, contact): (usize, &crate::Contact)| {
        let mut value = json!({
            "a": contact.a,
            "b": contact.b,
            "point": contact.point,
            "normal": contact.normal,
            "tangents": contact.tangents,
            "friction": friction(contact.friction),
        });
        if let Some(joint) = contact.joint {
            value["joint"] = json!(whole.joints()[joint]);
            let parts = whole.parts(j).iter();
            value["columns"] = json!(
                parts
                    .map(|part| json!({ "body": whole.bodies()[part.body].body, "column": &part.columns[0][..dim] }))
                    .collect::<Vec<_>>()
            );
        }
        value
    };
    whole.contacts().iter().enumerate().map(of).collect()
}

fn rows(whole: &Equilibrium) -> Vec<Value> {
    let dim = whole.dim();
    let of = |(k, row): (usize, &crate::Row)| {
        let parts = whole.row_parts(k).iter();
        json!({
            "joint": whole.joints()[row.joint],
            "bounds": row.bounds.map(number),
            "columns": parts
                .map(|part| json!({ "body": whole.bodies()[part.body].body, "column": &part.columns[0][..dim] }))
                .collect::<Vec<_>>(),
        })
    };
    whole.rows().iter().enumerate().map(of).collect()
}
