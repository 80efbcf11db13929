//! Who holds what at a moment, and by how much: for each pair of bodies its forces, what share of friction is used, whether other forces would do the same,
//! what they could be, and how far the pair is from slipping and from tipping.
//!
//! [`Moment`] (a world, a recording) → [`Asked::explain`] → [`Pair`]s. Reading alone: nothing is simulated. The figures of an answer that is not the only one
//! possible are those of the answer that was found; [`Pair::known`] says so.

mod balance;
mod moment;
mod pair;
mod ranges;
mod reach;
mod words;

use std::fmt;

use serde::Serialize;
use stiction_contact::nearest::did_you_mean;

pub use moment::Moment;
pub use words::{figure, table};

/// What two bodies do where they touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PairState {
    /// No contact of theirs is closed.
    Apart,
    /// Closed, and carries nothing.
    Touching,
    /// What is loaded holds.
    Sticking,
    /// What is loaded slides.
    Sliding,
    /// Some loaded contacts slide, others hold.
    PartlySliding,
}

impl PairState {
    /// In JSON and in Python.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Apart => "apart",
            Self::Touching => "touching",
            Self::Sticking => "sticking",
            Self::Sliding => "sliding",
            Self::PartlySliding => "partly_sliding",
        }
    }

    /// In a table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Apart => "apart",
            Self::Touching => "touches",
            Self::Sticking => "sticks",
            Self::Sliding => "slides",
            Self::PartlySliding => "slides in part",
        }
    }
}

/// Which forces are the only ones that go with the motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Known {
    /// That of each contact.
    All,
    /// Their sum; contacts can share it otherwise.
    Sum,
    /// Not even the sum.
    None,
}

impl Known {
    /// In JSON and in Python.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Sum => "sum",
            Self::None => "none",
        }
    }

    /// In a table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "yes",
            Self::Sum => "sum yes, split no",
            Self::None => "no",
        }
    }
}

/// How far a pair is from slipping.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Slip {
    /// Force along the surface that friction could hold beside what it holds, the normal force being as it is \[N\].
    pub force: f64,
    /// Angle by which the force between the two would have to turn to reach the friction cone \[degrees\]. Of a pair that alone carries something, which only gravity
    /// loads, this is the tilt at which it slips.
    pub angle: f64,
}

/// How far a pair is from tipping.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Tip {
    /// Distance of the centre of pressure from the nearest edge of the support polygon \[m\].
    pub distance: f64,
    /// How far out it lies: 0 midway between two edges, 1 on one of them.
    pub used: f64,
    /// Force along the surface, through the centre of mass of all that the pair alone carries, at which that tips \[N\]; none where other pairs help to carry.
    pub force: Option<f64>,
    /// Angle by which the load would have to turn about that centre of mass for it to tip \[degrees\]; where only gravity loads it, the tilt.
    pub angle: Option<f64>,
}

/// Where a figure could lie with the same motion. Infinite where nothing limits it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Range {
    /// Least value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
}

/// A contact of a pair.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    /// Where \[m\].
    pub point: [f64; 3],
    /// Normal force \[N\].
    pub normal_force: f64,
    /// Size of the friction force \[N\].
    pub friction_force: f64,
    /// Friction as a share of μN; none where nothing limits it or nothing presses.
    pub used: Option<f64>,
    /// What it does.
    pub state: PairState,
    /// Whether its force is the only one possible; none where it was not looked for.
    pub unique: Option<bool>,
    /// What its normal force could be; none where it is the only one possible or was not looked for.
    pub normal_range: Option<Range>,
}

/// Two bodies that touch: who holds what, and by how much.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// Body that is pushed along `normal`.
    pub a: String,
    /// Body that is pushed the other way.
    pub b: String,
    /// Contacts between them.
    pub contacts: usize,
    /// Sum of the normal forces N \[N\].
    pub normal_force: f64,
    /// Size of the sum of the friction forces F \[N\].
    pub friction_force: f64,
    /// Most that friction can hold, Σ μN \[N\]; none where nothing limits it.
    pub limit: Option<f64>,
    /// F as a share of it; of a pair that slides, the sum of the sizes as a share. None where nothing limits it or nothing presses.
    pub used: Option<f64>,
    /// What they do.
    pub state: PairState,
    /// Fastest slip of a loaded contact \[m/s\]; none in recordings that do not hold it.
    pub slip_speed: Option<f64>,
    /// Which forces are the only ones possible; none where it was not looked for.
    pub known: Option<Known>,
    /// What N could be; none where it is known or was not looked for.
    pub normal_range: Option<Range>,
    /// What friction could be along the direction that it has.
    pub friction_range: Option<Range>,
    /// Centre of pressure \[m\]; none where nothing presses.
    pub point: Option<[f64; 3]>,
    /// Common normal of their contacts, from b to a; none where they have several.
    pub normal: Option<[f64; 3]>,
    /// Torque of friction about the normal through the centre of pressure \[N·m\]; none where there are several normals.
    pub twist: Option<f64>,
    /// To slipping; none where nothing limits friction, nothing presses, or there are several normals.
    pub slip: Option<Slip>,
    /// To tipping; none where the contacts span no polygon.
    pub tip: Option<Tip>,
    /// Bodies that this pair alone carries; empty where others help.
    pub carries: Vec<String>,
    /// All this in a sentence or two.
    pub sentence: String,
    /// Contacts one by one, if requested.
    pub points: Vec<Point>,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Pairs of these bodies; all where none is named.
    pub bodies: Vec<String>,
    /// Only these two, contact by contact.
    pub pair: Option<[String; 2]>,
    /// For how many pairs, the most loaded first, ranges are computed where the sum is not known; a requested pair is always among them. Default 10.
    pub ranges: usize,
}

impl Default for Asked {
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            pair: None,
            ranges: 10,
        }
    }
}

/// A body that is not there, or one as a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownBody {
    /// What named it: `body` or `pair`.
    pub field: &'static str,
    problem: String,
}

impl UnknownBody {
    /// What is wrong, without the field.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl fmt::Display for UnknownBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.problem)
    }
}

impl std::error::Error for UnknownBody {}

impl Asked {
    /// The pairs of a moment, in the order in which their contacts are.
    ///
    /// ```
    /// use stiction_sim::World;
    /// use stiction_scene::{Scene, WorldExt};
    /// use stiction_stand::why::{Asked, Moment, PairState};
    /// let text = r#"
    ///     format = 1
    ///     world = { friction = 0.5, density = 1000 }
    ///     body = [
    ///         { name = "ground", shape = { half_space = [0, 0, 1] } },
    ///         { name = "box", shape = { box = [1, 1, 1] }, position = [0, 0, 0.5] },
    ///     ]"#;
    /// let mut world = World::from_scene(&Scene::parse(text, ".")?)?;
    /// world.step()?;
    /// let pairs = Asked::default().explain(&Moment::of_world(&world))?;
    /// assert_eq!(pairs[0].state, PairState::Sticking);
    /// assert!((pairs[0].normal_force - 9810.0).abs() < 1e-6);
    /// // It slides when the ground tilts by atan 0.5, and would tip at 45°.
    /// assert!((pairs[0].slip.unwrap().angle - 26.565).abs() < 1e-3);
    /// assert!((pairs[0].tip.unwrap().angle.unwrap() - 45.0).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A name that no body has, one body as a pair.
    pub fn explain(&self, moment: &Moment) -> Result<Vec<Pair>, UnknownBody> {
        let named = self.bodies.iter().map(|name| ("body", name));
        let paired = self.pair.iter().flatten().map(|name| ("pair", name));
        for (field, name) in named.chain(paired) {
            if !moment.names().any(|known| known == name) {
                let meant = did_you_mean(name, moment.names());
                let problem = format!("must be the name of a body, found {name}{meant}");
                return Err(UnknownBody { field, problem });
            }
        }
        if let Some([a, b]) = &self.pair
            && a == b
        {
            let problem = format!("must be two bodies, found {a} twice");
            return Err(UnknownBody { field: "pair", problem });
        }
        let mut pairs = pair::pairs(moment);
        pairs.retain(|pair| self.takes(pair.names(moment)));
        let known = reach::known(moment, &pairs, self);
        let rows = pairs
            .iter()
            .zip(known)
            .map(|(pair, known)| pair.row(moment, &known, self.pair.is_some()));
        Ok(rows.collect())
    }

    fn takes(&self, [a, b]: [&str; 2]) -> bool {
        let either = |[p, q]: &[String; 2]| (p == a && q == b) || (p == b && q == a);
        let of_body = self.bodies.is_empty() || self.bodies.iter().any(|name| name == a || name == b);
        of_body && self.pair.as_ref().is_none_or(either)
    }
}
