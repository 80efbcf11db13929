//! Contact answers of both levels as JSON: written for every solve, read from anyone by `check`.

use std::path::Path;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use stiction_contact::cone::Circle;
use stiction_contact::{Compression, ContactProblem, ContactSolution, Drive, Farkas, Law, Method, Ray, Status};
use stiction_lcp::exact::{RBig, parse_decimal};

use super::judged_by::Claimed;
use super::{frame, in_plane};
use stiction_formats::Level;
use stiction_formats::bad_input::{BadInput, expect_length};
use stiction_formats::formulation_level::Names;
use stiction_formats::read::contact::vector;
use stiction_formats::read::json::{self, Fields, each, number};
use stiction_formats::read::{ContactFile, read_bytes, text};

/// The answer to a contact problem, as the contract lays it down.
#[derive(Debug, Serialize)]
pub struct Answer<'a> {
    kind: &'static str,
    name: &'a str,
    status: &'static str,
    law: &'static str,
    method: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<f64>,
    /// The rule of restitution, where it is not Newton's.
    #[serde(skip_serializing_if = "Option::is_none")]
    restitution: Option<&'static str>,
    contacts: Vec<Contact>,
    joints: Vec<Part<'a>>,
    /// The compression of a bounce after Poisson, by which `check` judges the whole impulses.
    #[serde(skip_serializing_if = "Option::is_none")]
    compression: Option<Phase<'a>>,
    bodies: Vec<Part<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<&'static str>,
    residual: f64,
    residual_excused: f64,
    residuals: Figures,
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Certificate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drive: Option<Direction>,
    /// The answer at velocity level where no force exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    impulse: Option<Box<Answer<'a>>>,
    stats: Numbers,
}

/// A contact; its keys depend on the level.
#[derive(Debug)]
struct Contact {
    names: &'static Names,
    normal: f64,
    friction: [f64; 3],
    state: &'static str,
    normal_motion: f64,
    tangent_motion: [f64; 3],
    /// Slip velocity that was given, where forces are sought.
    slip: Option<[f64; 3]>,
    /// `null` where the problem is too large to tell.
    unique: Option<bool>,
    directions: Vec<[f64; 3]>,
    phi: Vec<f64>,
}

impl Serialize for Contact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = self.names;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(names.normal, &self.normal)?;
        map.serialize_entry(names.friction, &self.friction)?;
        map.serialize_entry("state", self.state)?;
        map.serialize_entry(names.normal_motion, &self.normal_motion)?;
        map.serialize_entry(names.tangent_motion, &self.tangent_motion)?;
        if let Some(slip) = &self.slip {
            map.serialize_entry("slip", slip)?;
        }
        map.serialize_entry("unique", &self.unique)?;
        if !self.directions.is_empty() {
            map.serialize_entry("directions", &self.directions)?;
            map.serialize_entry("phi", &self.phi)?;
        }
        map.end()
    }
}

/// Numbers of a joint or of a body under the key of their level.
#[derive(Debug)]
struct Part<'a> {
    key: &'static str,
    values: &'a [f64],
}

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.key, self.values)?;
        map.end()
    }
}

/// Impulses of a compression, under the keys of an answer.
#[derive(Debug, Serialize)]
struct Phase<'a> {
    contacts: Vec<Push>,
    joints: Vec<Part<'a>>,
}

#[derive(Debug, Serialize)]
struct Push {
    normal_impulse: f64,
    friction_impulse: [f64; 3],
}

impl<'a> Phase<'a> {
    fn new(file: &ContactFile, problem: &ContactProblem, compression: &'a Compression, names: &Names) -> Self {
        let pushes = compression.normal_impulse.iter().zip(&compression.friction_impulse);
        let contacts = pushes.enumerate().map(|(i, (normal, friction))| Push {
            normal_impulse: *normal,
            friction_impulse: in_plane(&frame(problem, i, file.ends(i).0), *friction),
        });
        Self {
            contacts: contacts.collect(),
            joints: joint_impulses(file, &compression.joint_impulse)
                .map(|values| Part {
                    key: names.joint,
                    values,
                })
                .collect(),
        }
    }
}

/// How forces grow without bound.
#[derive(Debug, Serialize)]
struct Direction {
    driven: usize,
    contacts: Vec<Growth>,
    joint_rows: Vec<Row>,
}

/// Change of the force at one contact.
#[derive(Debug, Serialize)]
struct Growth {
    contact: usize,
    normal: f64,
    friction: [f64; 3],
}

/// Change of the force in one joint row.
#[derive(Debug, Serialize)]
struct Row {
    index: usize,
    force: f64,
}

impl Direction {
    fn new(file: &ContactFile, problem: &ContactProblem, drive: &Drive) -> Self {
        let growth = |(contact, normal, friction): &(usize, f64, [f64; 2])| Growth {
            contact: *contact,
            normal: *normal,
            friction: in_plane(&frame(problem, *contact, file.ends(*contact).0), *friction),
        };
        let row = |(index, force): &(usize, f64)| Row {
            index: *index,
            force: *force,
        };
        Self {
            driven: drive.driven,
            contacts: drive.contacts.iter().map(growth).collect(),
            joint_rows: drive.joints.iter().map(row).collect(),
        }
    }
}

/// The judge's figures, each relative.
#[derive(Debug, Serialize)]
pub struct Figures {
    gap: f64,
    sign: f64,
    complementarity: f64,
    cone: f64,
    dissipation: f64,
    joints: f64,
}

impl From<&stiction_contact::check::Residual> for Figures {
    fn from(residual: &stiction_contact::check::Residual) -> Self {
        Self {
            gap: residual.gap,
            sign: residual.sign,
            complementarity: residual.complementarity,
            cone: residual.cone,
            dissipation: residual.dissipation,
            joints: residual.joints,
        }
    }
}

/// The squeeze of a ray.
#[derive(Debug, Serialize)]
pub struct Certificate {
    kind: &'static str,
    contacts: Vec<Share>,
    joint_rows: Vec<Share>,
    work: f64,
    /// JSON has no infinity: absent where the impulses cancel exactly.
    #[serde(skip_serializing_if = "Option::is_none")]
    least_speed: Option<f64>,
    defect: f64,
}

/// What one contact or joint row carries of a squeeze.
#[derive(Debug, Serialize)]
struct Share {
    index: usize,
    impulse: f64,
    /// The impulse of a proof, a rational such as `5/6`.
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<String>,
}

/// Impulses with those of the proof beside them, where both list the same indices.
fn shares_of(list: &[(usize, f64)], proof: Option<&[(usize, String)]>) -> Vec<Share> {
    let exact = |at: usize, index: usize| {
        proof?
            .get(at)
            .filter(|(i, _)| *i == index)
            .map(|(_, text)| text.clone())
    };
    let share = |(at, (index, impulse)): (usize, &(usize, f64))| Share {
        index: *index,
        impulse: *impulse,
        exact: exact(at, *index),
    };
    list.iter().enumerate().map(share).collect()
}

impl From<&Ray> for Certificate {
    fn from(ray: &Ray) -> Self {
        let proof = ray.proof.as_ref();
        Self {
            kind: if ray.infeasible { "farkas" } else { "ray" },
            contacts: shares_of(&ray.contacts, proof.map(|proof| &proof.contacts[..])),
            joint_rows: shares_of(&ray.joints, proof.map(|proof| &proof.joints[..])),
            work: ray.work,
            least_speed: Some(ray.least_speed).filter(|speed| !ray.infeasible && speed.is_finite()),
            defect: ray.defect,
        }
    }
}

/// What the solve cost.
#[derive(Debug, Serialize)]
pub struct Numbers {
    pivots: usize,
    newton_steps: usize,
    handovers: usize,
    methods: Vec<&'static str>,
    fallbacks: usize,
    islands: usize,
    warm_starts: usize,
    warm_fallbacks: usize,
    #[serde(skip_serializing_if = "is_zero")]
    rest_preferred: usize,
    #[serde(skip_serializing_if = "is_zero")]
    choices: usize,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    choices_cut: bool,
    time_us: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_min_us: Option<f64>,
}

// serde hands references over.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Numbers {
    /// The counts of a solve.
    #[must_use]
    pub fn new(timed: &Timed) -> Self {
        let stats = &timed.solution.stats;
        Self {
            pivots: stats.pivots,
            newton_steps: stats.newton_steps,
            handovers: stats.handovers,
            methods: stats.methods.iter().map(|method| Method::name(*method)).collect(),
            fallbacks: stats.fallbacks,
            islands: stats.islands,
            warm_starts: stats.warm_starts,
            warm_fallbacks: stats.warm_fallbacks,
            rest_preferred: stats.rest_preferred,
            choices: stats.choices,
            choices_cut: stats.choices_cut,
            time_us: timed.time_us,
            time_min_us: timed.time_min_us,
        }
    }
}

/// A solution with the time it took \[µs\]; the least time only when several solves were measured.
#[derive(Debug, Clone)]
pub struct Timed {
    /// The answer.
    pub solution: ContactSolution,
    /// Time of a solve, the median where it was repeated \[µs\].
    pub time_us: f64,
    /// Least time \[µs\].
    pub time_min_us: Option<f64>,
    /// A method was requested by name.
    pub chosen: bool,
    /// The impulses of a step stand beside these forces.
    pub beside: bool,
    /// e of the summation form of nonconvex groups, where that was solved [m/s].
    pub epsilon: Option<f64>,
}

impl<'a> Answer<'a> {
    /// The answer to the problem of a file, or to the impulses of a file that asks for forces: `level` says which.
    pub fn new(file: &'a ContactFile, problem: &ContactProblem, timed: &'a Timed, level: Level) -> Self {
        let solution = &timed.solution;
        let names = level.names();
        let stats = &solution.stats;
        let solved = solution.status == Status::Solved;
        Self {
            kind: names.answer,
            name: &file.name,
            status: solution.status.name(),
            law: solution.law.name(),
            method: stats.methods.last().map(|method| method.name()),
            epsilon: timed.epsilon,
            // Under Newton's rule a coefficient is part of the bias.
            restitution: (0..problem.contact_count())
                .any(|i| problem.restitution(i) > 0.0)
                .then_some("poisson"),
            contacts: contacts(file, problem, solution, level),
            joints: joint_impulses(file, &solution.joint_impulse)
                .map(|values| Part {
                    key: names.joint,
                    values,
                })
                .collect(),
            compression: solution
                .compression
                .as_ref()
                .map(|compression| Phase::new(file, problem, compression, names)),
            bodies: (0..file.bodies.len())
                .map(|body| Part {
                    key: names.body,
                    values: &solution.velocity[problem.block_range(body)],
                })
                .collect(),
            accuracy: solution.accuracy.map(stiction_contact::check::Accuracy::name),
            residual: solution.residual.worst,
            residual_excused: solution.residual.beyond_rounding,
            residuals: Figures::from(&solution.residual),
            proven: (!solved).then(|| solution.ray.as_ref().is_some_and(|ray| ray.infeasible)),
            certificate: if solved {
                None
            } else {
                solution.ray.as_ref().map(Certificate::from)
            },
            drive: solution
                .drive
                .as_ref()
                .map(|drive| Direction::new(file, problem, drive)),
            impulse: None,
            stats: Numbers::new(timed),
        }
    }

    /// Adds the answer at velocity level.
    #[must_use]
    pub fn with_impulse(mut self, impulse: Option<Answer<'a>>) -> Self {
        self.impulse = impulse.map(Box::new);
        self
    }
}

fn contacts(file: &ContactFile, problem: &ContactProblem, solution: &ContactSolution, level: Level) -> Vec<Contact> {
    let circle = Circle::new(solution.directions);
    let one = |i: usize| {
        let frame = frame(problem, i, file.ends(i).0);
        let [normal, x, y] = solution.contact_velocity[i];
        let (directions, phi) = if solution.law == Law::Polyhedral {
            let d = solution.directions;
            let directions = (0..d).map(|j| in_plane(&frame, circle.direction(j))).collect();
            (directions, solution.phi[i * d..(i + 1) * d].to_vec())
        } else {
            (Vec::new(), Vec::new())
        };
        Contact {
            names: level.names(),
            normal: solution.normal_impulse[i],
            friction: in_plane(&frame, solution.friction_impulse[i]),
            state: solution.state[i].name(),
            // The bias of a velocity is a gap or restitution, that of an acceleration part of it.
            normal_motion: match level {
                Level::Velocity => normal - problem.bias(i)[0],
                Level::Acceleration => normal,
            },
            tangent_motion: in_plane(&frame, [x, y]),
            slip: (level == Level::Acceleration).then(|| in_plane(&frame, problem.slip(i))),
            unique: solution.unique.get(i).copied(),
            directions,
            phi,
        }
    };
    (0..problem.contact_count()).map(one).collect()
}

/// The impulses of joint rows, joint by joint.
pub fn joint_impulses<'a>(file: &ContactFile, rows: &'a [f64]) -> impl Iterator<Item = &'a [f64]> {
    let mut rest = rows;
    file.joints.iter().map(move |joint| {
        let (own, others) = rest.split_at(joint.rows.len());
        rest = others;
        own
    })
}

/// What `check` takes from an answer.
#[derive(Debug, Default)]
pub struct Claim {
    /// What the answer says of itself.
    pub status: Option<String>,
    /// The law that it names.
    pub law: Option<String>,
    /// e of the summation form that the answer claims to obey.
    pub epsilon: Option<f64>,
    /// The rule of restitution that the answer names.
    pub restitution: Option<String>,
    /// Normal impulse of each contact.
    pub normal_impulse: Vec<f64>,
    /// World vectors on body a.
    pub friction_impulse: Vec<[f64; 3]>,
    /// Joint rows, all joints one after the other.
    pub joint_impulse: Vec<f64>,
    /// The compression of a bounce after Poisson: its impulses alone.
    pub compression: Option<Box<Claim>>,
    /// Number of friction directions that the answer names.
    pub directions: Option<usize>,
    /// The squeeze of an answer that says there is none.
    pub squeeze: Option<Farkas>,
}

impl Claim {
    /// What the answer says it obeys.
    #[must_use]
    pub fn claimed(&self) -> Claimed<'_> {
        Claimed {
            law: self.law.as_deref(),
            directions: self.directions,
            epsilon: self.epsilon,
        }
    }
}

/// Reads an answer to the problem of `file`. Fields that are not needed are passed over.
pub fn read_claim(path: &Path, file: &ContactFile) -> Result<Claim, BadInput> {
    let bytes = read_bytes(path)?;
    parse_claim(&bytes, file).map_err(|bad| bad.in_file(path))
}

fn parse_claim(bytes: &[u8], file: &ContactFile) -> Result<Claim, BadInput> {
    let fields = Fields::read(json::parse(text(bytes)?)?, "")?;
    let word = |key: &str| fields.given(key).map(|raw| json::string(raw, key)).transpose();
    let (status, law) = (word("status")?, word("law")?);
    let epsilon = fields.given("epsilon").map(|raw| number(raw, "epsilon")).transpose()?;
    let restitution = word("restitution")?;
    let pushes = read_pushes(&fields, file)?;
    let compression = fields
        .given("compression")
        .map(|raw| {
            let pushes = Fields::read(raw, "").and_then(|fields| read_pushes(&fields, file));
            pushes.map(Box::new).map_err(|bad| bad.below("compression."))
        })
        .transpose()?;
    Ok(Claim {
        status,
        law,
        epsilon,
        restitution,
        compression,
        directions: direction_count(&fields, "directions")?,
        squeeze: fields
            .given("certificate")
            .map(|raw| squeeze_of(raw, file).map_err(|bad| bad.below("certificate.")))
            .transpose()?,
        ..pushes
    })
}

/// The impulses or forces of an answer, and nothing else of it.
pub fn read_pushes(fields: &Fields<'_>, file: &ContactFile) -> Result<Claim, BadInput> {
    let names = file.level().names();
    let mut claim = Claim::default();
    let found = each(fields.need("contacts")?, "contacts", &mut |i, raw| {
        let place = format!("contacts[{i}]");
        let contact = Fields::read(raw, &place)?;
        contact_claim(&contact, names, &mut claim).map_err(|bad| bad.below(&format!("{place}.")))
    })?;
    expect_length("contacts", file.contact_count(), found)?;
    claim.joint_impulse = read_joints(fields, file)?;
    Ok(claim)
}

/// Joint rows of an answer, all joints one after the other.
fn read_joints(fields: &Fields<'_>, file: &ContactFile) -> Result<Vec<f64>, BadInput> {
    let names = file.level().names();
    let mut rows = Vec::new();
    let Some(joints) = fields.get("joints") else {
        return if file.joints.is_empty() {
            Ok(rows)
        } else {
            Err(BadInput::new("joints", "missing field"))
        };
    };
    let found = each(joints, "joints", &mut |i, raw| {
        let place = format!("joints[{i}]");
        let joint = Fields::read(raw, &place)?;
        let impulse = joint.need(names.joint).map_err(|bad| bad.below(&format!("{place}.")))?;
        let place = format!("{place}.{}", names.joint);
        let impulse = json::numbers(impulse, &place)?;
        expect_length(
            &place,
            file.joints.get(i).map_or(impulse.len(), |joint| joint.rows.len()),
            impulse.len(),
        )?;
        rows.extend(impulse);
        Ok(())
    })?;
    expect_length("joints", file.joints.len(), found)?;
    Ok(rows)
}

fn contact_claim(contact: &Fields<'_>, names: &Names, claim: &mut Claim) -> Result<(), BadInput> {
    let normal = number(contact.need(names.normal)?, names.normal)?;
    claim.normal_impulse.push(normal);
    let friction = vector(contact.need(names.friction)?, names.friction)?;
    claim.friction_impulse.push(friction);
    Ok(())
}

/// How many friction directions contacts list under `key`: the most, since a planar contact has two, whatever the others have.
pub fn direction_count(fields: &Fields<'_>, key: &str) -> Result<Option<usize>, BadInput> {
    let mut count = None;
    each(fields.need("contacts")?, "contacts", &mut |i, raw| {
        let place = format!("contacts[{i}]");
        if let Some(list) = Fields::read(raw, &place)?.get(key) {
            count = count.max(Some(each(list, &format!("{place}.{key}"), &mut |_, _| Ok(()))?));
        }
        Ok(())
    })?;
    Ok(count)
}

fn squeeze_of(raw: &RawValue, file: &ContactFile) -> Result<Farkas, BadInput> {
    let rows = file.joints.iter().map(|joint| joint.rows.len()).sum();
    squeeze(raw, file.contact_count(), rows)
}

/// Impulses that are said to cancel, of so many contacts and joint rows.
pub fn squeeze(raw: &RawValue, contacts: usize, joint_rows: usize) -> Result<Farkas, BadInput> {
    let fields = Fields::read(raw, "")?;
    Ok(Farkas {
        contacts: shares(&fields, "contacts", contacts)?,
        joints: shares(&fields, "joint_rows", joint_rows)?,
    })
}

/// A list of indices below `limit` with their impulses, `exact` where that is given and else the double that `impulse` is; no list is an
/// empty one.
fn shares(fields: &Fields<'_>, key: &str, limit: usize) -> Result<Vec<(usize, String)>, BadInput> {
    let mut shares = Vec::new();
    let Some(list) = fields.get(key) else {
        return Ok(shares);
    };
    each(list, key, &mut |i, raw| {
        let place = format!("{key}[{i}]");
        let fields = Fields::read(raw, &place)?;
        let need = |name: &str| fields.need(name).map_err(|bad| bad.below(&format!("{place}.")));
        let at = format!("{place}.index");
        let index = json::index(need("index")?, &at)?;
        if index >= limit {
            return Err(BadInput::new(at, format!("must be below {limit}, found {index}")));
        }
        let impulse = number(need("impulse")?, format!("{place}.impulse"))?;
        let at = format!("{place}.exact");
        let exact = fields.get("exact").map(|raw| json::string(raw, &at)).transpose()?;
        if let Some(text) = exact.as_deref().filter(|text| parse_decimal(text).is_none()) {
            let problem = format!(
                "must be a rational such as 5/6, found {}",
                stiction_formats::bad_input::shown(text)
            );
            return Err(BadInput::new(at, problem));
        }
        shares.push((index, exact.unwrap_or_else(|| rational(impulse).to_string())));
        Ok(())
    })?;
    Ok(shares)
}

/// A finite double as the rational it is.
fn rational(value: f64) -> RBig {
    RBig::try_from(value).unwrap_or(RBig::ZERO)
}
