//! What is doubtful about a scene that can be used: [`Scene::warnings`].
//!
//! A warning is for a scene that does most likely not mean what it says. Values that are unusual but plain, such as zero gravity, are none. What
//! concerns many bodies is one line. Doubts about a single value arise where it is read; those here need the whole scene.

mod acting;
pub(super) mod hull;
mod places;

use std::collections::BTreeSet;

use stiction_contact::Law;

use super::bodies::{DENSITY, Source};
use super::error::Report;
use super::materials::Named;
use super::reader::Fields;
use super::{Scene, ScenePair};
use crate::Vec3;
use crate::body::Kind;
use crate::planar::PlanarShape;
use crate::shape::Shape;
use crate::shape::radius;

/// Lengths of a shape below and above which it is doubtful \[m\].
const USUAL_SIZES: [f64; 2] = [1e-4, 1e3];
/// A time step above this is doubtful \[s\].
const DOUBTFUL_STEP: f64 = 0.1;
/// A tolerance above this is doubtful.
const DOUBTFUL_TOLERANCE: f64 = 1e-4;
/// Gravity above this is doubtful: most likely it is not in m/s².
const DOUBTFUL_GRAVITY: f64 = 100.0;
/// Turn in one step that is doubtful \[rad\].
const DOUBTFUL_TURN: f64 = 1.0;
/// Radius of gyration by the radius of the shape: an inertia beyond these belongs to another body, or has other units. In the plane it is often made
/// large, so that a body hardly turns.
const USUAL_GYRATION: [f64; 2] = [0.01, 5.0];
/// Ratio of masses beyond which steps may have no verified answer.
const DOUBTFUL_MASS_RATIO: f64 = 1e7;
/// Names that a warning lists before the rest is only counted.
const MAX_NAMED: usize = 8;

/// A scene that was read without an error, with what it was read from. Files are hostile: nothing here may cost the square of their length.
pub(super) struct Look<'a> {
    root: &'a Fields<'a>,
    scene: &'a Scene,
    sources: &'a [Source],
    materials: &'a [Named],
    /// Pairs of bodies that never collide, in order.
    apart: BTreeSet<[usize; 2]>,
    /// Bodies that a joint or a coupling holds.
    held: Vec<bool>,
}

impl<'a> Look<'a> {
    pub(super) fn new(root: &'a Fields<'a>, scene: &'a Scene, sources: &'a [Source], materials: &'a [Named]) -> Self {
        let mut held = vec![false; scene.bodies.len()];
        for joint in &scene.joints {
            joint.mentions().for_each(|body| held[body] = true);
        }
        for coupling in &scene.couplings {
            held[coupling.body] = true;
        }
        Self {
            root,
            scene,
            sources,
            materials,
            apart: scene.apart.iter().map(in_order).collect(),
            held,
        }
    }

    /// Notes all doubts.
    pub(super) fn look(&self, report: &mut Report<'_>) {
        if self.scene.bodies.is_empty() {
            report.doubt(None, "", "has no bodies, found an empty scene");
            return;
        }
        if !self.scene.bodies.iter().any(|made| made.body.is_dynamic()) {
            report.doubt(
                None,
                "body",
                "none is dynamic: no force moves anything, found 0 dynamic bodies",
            );
        }
        let meets = self.meets();
        self.world(report);
        self.defaults(&meets, report);
        self.unused(report);
        for (k, source) in self.sources.iter().enumerate() {
            self.source(source, self.bodies_of(k), &meets, report);
        }
        self.masses(&meets, report);
        self.acting(report);
        self.places(report);
    }

    /// Numbers of the bodies of a source.
    fn bodies_of(&self, source: usize) -> std::ops::Range<usize> {
        let end = self
            .sources
            .get(source + 1)
            .map_or(self.scene.bodies.len(), |next| next.first);
        self.sources[source].first..end
    }

    /// The source of a body.
    fn source_of(&self, body: usize) -> Option<&Source> {
        let after = self.sources.partition_point(|source| source.first <= body);
        self.sources.get(after.checked_sub(1)?)
    }

    /// Whether a body may meet any other, by groups alone.
    fn meets(&self) -> Vec<bool> {
        let (mut all, mut dynamic) = ([0_usize; 32], [0_usize; 32]);
        let bits = |groups: u32| (0..32).filter(move |bit| groups >> bit & 1 == 1);
        for made in &self.scene.bodies {
            for bit in bits(made.body.groups) {
                all[bit] += 1;
                dynamic[bit] += usize::from(made.body.is_dynamic());
            }
        }
        let meets = |made: &super::SceneBody| {
            bits(made.body.groups).any(|bit| {
                if made.body.is_dynamic() {
                    all[bit] > 1
                } else {
                    dynamic[bit] > 0
                }
            })
        };
        self.scene.bodies.iter().map(meets).collect()
    }

    /// `[world]`: step, tolerance, gravity.
    fn world(&self, report: &mut Report<'_>) {
        let settings = &self.scene.settings;
        let world = self.root.get("world").and_then(|node| node.fields(report));
        let mut doubt = |key: &str, text: String| {
            let at = world
                .as_ref()
                .and_then(|fields| fields.get(key))
                .map(|node| node.span.start);
            report.doubt(at, &format!("world.{key}"), text);
        };
        if settings.dt > DOUBTFUL_STEP {
            let text = format!("is a long time step, above {DOUBTFUL_STEP} s, found {}", settings.dt);
            if !self.is_one_step() {
                doubt("dt", text);
            }
        }
        if settings.tolerance > DOUBTFUL_TOLERANCE {
            doubt(
                "tolerance",
                format!("is loose, above {DOUBTFUL_TOLERANCE:e}, found {}", settings.tolerance),
            );
        }
        let (g, up) = (settings.gravity, up(settings.planar));
        let faces = |made: &super::SceneBody| {
            half_space(&made.body.shape).is_some_and(|n| made.state.pose.direction(n).dot(&g) < -0.5 * g.norm())
        };
        let found = if settings.planar {
            format!("[{}, {}]", g.x, g.y)
        } else {
            format!("[{}, {}, {}]", g.x, g.y, g.z)
        };
        if g.dot(&up) >= 0.0 && g != Vec3::zeros() && !self.scene.bodies.iter().any(faces) {
            let down = if settings.planar { "-y" } else { "-z" };
            doubt(
                "gravity",
                format!("does not point down, which is {down}, found {found}"),
            );
        }
        if g.norm() > DOUBTFUL_GRAVITY {
            doubt("gravity", format!("is above {DOUBTFUL_GRAVITY} m/s², found {found}"));
        }
    }

    /// A scene of a single step is a problem rather than a simulation: its length is meant.
    fn is_one_step(&self) -> bool {
        self.scene.steps() == 1
    }

    /// Friction, density and viscosity that were not given.
    fn defaults(&self, meets: &[bool], report: &mut Report<'_>) {
        let unread = [Law::Frictionless, Law::NoSlip, Law::Viscous, Law::ViscousExplicit];
        let has_pair = self.has_pair();
        let slips = |body: usize| meets[body] && !has_pair[body];
        let rough: Vec<&Source> = self.without(|source| source.has("friction"), slips);
        if let (Some(first), false) = (rough.first(), unread.contains(&self.scene.settings.law)) {
            let text = format!("is not given, nor by a material: 0 is taken for {}", labels(&rough));
            report.doubt(Some(first.at), "world.friction", text);
        }
        let light = self.without(|source| source.has("mass"), |_| true);
        if let Some(first) = light.first() {
            let unit = if self.scene.settings.planar { "kg/m²" } else { "kg/m³" };
            let text = format!(
                "is not given, nor a mass: {DENSITY} {unit} is taken for {}",
                labels(&light)
            );
            report.doubt(Some(first.at), "world.density", text);
        }
        let viscous = matches!(self.scene.settings.law, Law::Viscous | Law::ViscousExplicit);
        if viscous && self.scene.bodies.iter().all(|made| made.body.material.viscosity == 0.0) {
            let law = self.scene.settings.law.name();
            let text = format!("is given by no material: 0 is taken, which leaves no friction, found the law {law}");
            report.doubt(None, "material.viscosity", text);
        }
    }

    /// Sources that lack something and have such a body.
    fn without(&self, has: impl Fn(&Source) -> bool, counts: impl Fn(usize) -> bool) -> Vec<&Source> {
        let all = self.sources.iter().enumerate();
        let lacks = |(k, source): &(usize, &Source)| !has(source) && self.bodies_of(*k).any(&counts);
        all.filter(lacks).map(|(_, source)| source).collect()
    }

    /// Whether a pair gives the friction of a body, for each.
    fn has_pair(&self) -> Vec<bool> {
        let mut bodies = vec![false; self.scene.bodies.len()];
        let mut materials = vec![false; self.materials.len()];
        for pair in &self.scene.pairs {
            let (place, two, values) = match pair {
                ScenePair::Bodies(two, values) => (&mut bodies, two, values),
                ScenePair::Materials(two, values) => (&mut materials, two, values),
            };
            for number in two.iter().filter(|_| values.friction.is_some()) {
                place[*number] = true;
            }
        }
        for (has, made) in bodies.iter_mut().zip(&self.scene.bodies) {
            *has |= made.material.is_some_and(|number| materials[number]);
        }
        bodies
    }

    /// Materials that no body has.
    fn unused(&self, report: &mut Report<'_>) {
        let used: BTreeSet<usize> = self.scene.bodies.iter().filter_map(|made| made.material).collect();
        for (number, named) in self
            .materials
            .iter()
            .enumerate()
            .filter(|(number, _)| !used.contains(number))
        {
            let text = format!("is the material of no body, found \"{}\"", named.name);
            report.doubt(Some(named.at), &format!("material[{number}]"), text);
        }
    }

    /// Size, inertia, spin and groups of the bodies of one table.
    fn source(&self, source: &Source, bodies: std::ops::Range<usize>, meets: &[bool], report: &mut Report<'_>) {
        let mut doubt = |key: &str, text: String| {
            report.doubt(Some(source.at), &format!("{}.{key}", source.path), text);
        };
        let all = || bodies.clone().map(|body| &self.scene.bodies[body]);
        let [least, largest] = USUAL_SIZES;
        let odd = all().find_map(|made| {
            let (thin, wide) = lengths(&made.body.shape)?;
            (thin < least)
                .then_some((made, thin))
                .or((wide > largest).then_some((made, wide)))
        });
        if let Some((made, size)) = odd {
            let which = if size < least { "below" } else { "above" };
            let limit = if size < least { least } else { largest };
            let name = &made.body.name;
            doubt(
                "shape",
                format!("makes {name} {which} {limit} m in size, found {} m", short(size)),
            );
        }
        let turning = all().find(|made| made.state.spin.norm() * self.scene.settings.dt > DOUBTFUL_TURN);
        if let Some(made) = turning {
            let (spin, dt) = (made.state.spin.norm(), self.scene.settings.dt);
            let turn = short(spin * dt);
            doubt(
                "spin",
                format!(
                    "turns {} by {turn} rad in each step, found {} rad/s",
                    made.body.name,
                    short(spin)
                ),
            );
        }
        let heavy = all()
            .filter(|_| source.has("inertia") && !self.scene.settings.planar)
            .find_map(|made| {
                let ratio = gyration(made)?;
                (!(USUAL_GYRATION[0]..=USUAL_GYRATION[1]).contains(&ratio)).then_some((made, ratio))
            });
        if let Some((made, ratio)) = heavy {
            let (name, ratio) = (&made.body.name, short(ratio));
            let text = format!("does not fit the shape of {name}: radius of gyration by radius, found {ratio}");
            doubt("inertia", text);
        }
        let alone = bodies.clone().find(|body| {
            let lonely = source.has("groups") && !meets[*body] && !self.held[*body];
            lonely && self.scene.bodies[*body].body.is_dynamic() && self.scene.bodies.len() > 1
        });
        if let Some(body) = alone {
            let key = if self.scene.settings.planar { "level" } else { "groups" };
            let name = &self.scene.bodies[body].body.name;
            doubt(
                key,
                format!("lets {name} meet no other body, found none that shares one"),
            );
        }
    }

    /// Masses of bodies that may meet.
    fn masses(&self, meets: &[bool], report: &mut Report<'_>) {
        let all = self.scene.bodies.iter().enumerate().filter(|(body, _)| meets[*body]);
        let masses = all.filter_map(|(body, made)| match made.body.kind {
            Kind::Dynamic { mass, .. } => Some((mass, body)),
            _ => None,
        });
        let masses: Vec<(f64, usize)> = masses.collect();
        let by_mass = |x: &&(f64, usize), y: &&(f64, usize)| x.0.total_cmp(&y.0);
        let (Some(light), Some(heavy)) = (masses.iter().min_by(by_mass), masses.iter().max_by(by_mass)) else {
            return;
        };
        if heavy.0 > DOUBTFUL_MASS_RATIO * light.0 {
            let name = |body: usize| &self.scene.bodies[body].body.name;
            let text = format!(
                "differ by more than {DOUBTFUL_MASS_RATIO:e}, steps may fail: {} has {} kg, {} has {} kg, found a ratio of {:.1e}",
                name(light.1),
                short(light.0),
                name(heavy.1),
                short(heavy.0),
                heavy.0 / light.0
            );
            let at = self.source_of(heavy.1).map(|source| source.at);
            report.doubt(at, "body.mass", text);
        }
    }
}

/// Two bodies, the first first.
fn in_order([a, b]: &[usize; 2]) -> [usize; 2] {
    [*a.min(b), *a.max(b)]
}

/// Upwards.
fn up(planar: bool) -> Vec3 {
    if planar { Vec3::y() } else { Vec3::z() }
}

/// Outward normal of a half-space or half-plane, in the body's frame.
fn half_space(shape: &Shape) -> Option<Vec3> {
    match shape {
        Shape::HalfSpace { normal } => Some(*normal),
        Shape::Planar(PlanarShape::HalfPlane { normal }) => Some(Vec3::new(normal.x, normal.y, 0.0)),
        _ => None,
    }
}

/// Least and largest length of a shape: thinnest part, whole extent. None where it has no end or nothing of it is there.
fn lengths(shape: &Shape) -> Option<(f64, f64)> {
    let bounds = super::summary::bounds(shape);
    let whole = bounds.high - bounds.low;
    let thin = match shape {
        Shape::HalfSpace { .. } | Shape::Planar(PlanarShape::HalfPlane { .. }) => return None,
        Shape::Compound(parts) if parts.is_empty() => return None,
        // Ground may be flat.
        Shape::Mesh(_) => whole.max(),
        Shape::Planar(PlanarShape::Compound(parts)) => {
            let thin = |part: &PlanarShape| lengths(&Shape::Planar(part.clone())).map_or(f64::INFINITY, |l| l.0);
            parts.iter().map(|(_, part)| thin(part)).fold(f64::INFINITY, f64::min)
        }
        Shape::Planar(_) => whole.x.min(whole.y),
        Shape::Compound(parts) => {
            let thin = |part: &Shape| lengths(part).map_or(f64::INFINITY, |l| l.0);
            parts.iter().map(|(_, part)| thin(part)).fold(f64::INFINITY, f64::min)
        }
        _ => whole.min(),
    };
    Some((thin, whole.max()))
}

/// Radius of gyration by the radius of the shape; none without mass or shape.
fn gyration(made: &super::SceneBody) -> Option<f64> {
    let Kind::Dynamic { mass, inertia_body } = &made.body.kind else {
        return None;
    };
    let size = radius(&made.body.shape);
    let moment = inertia_body.symmetric_eigenvalues().max();
    (size.is_finite() && size > 0.0).then(|| (moment / mass).sqrt() / size)
}

/// Names of sources, cut after a few.
fn labels(sources: &[&Source]) -> String {
    listed(sources.iter().map(|source| source.label.as_str()), MAX_NAMED)
}

/// `a, b and 3 more`.
fn listed<'n>(names: impl ExactSizeIterator<Item = &'n str>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let text = names.take(most).collect::<Vec<_>>().join(", ");
    if more > 0 {
        format!("{text} and {more} more")
    } else {
        text
    }
}

/// A number in up to four digits.
pub(super) fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    if rounded == 0.0 || (1e-3..1e6).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}
