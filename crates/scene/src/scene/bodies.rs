//! `[[body]]` and `[[force]]`.

use std::collections::BTreeMap;
use std::path::Path;

use super::error::Report;
use super::reader::{Fields, Node};
use super::settings::Defaults;
use super::{MAX_BODIES, SceneBody, materials, motion, shapes};
use crate::TimedForce;
use crate::Wrench;
use crate::body::{Body, Kind, Material};
use crate::mass_properties::MassProperties;
use crate::motion::Motion;
use crate::planar::PlanarShape;
use crate::shape::Shape;
use crate::state::BodyState;
use crate::{Mat3, Pose, SimError, Vec3};

/// Density where neither it nor a mass is given, that of water [kg/m³].
pub(super) const DENSITY: f64 = 1000.0;
/// Densities of solids, from foam to osmium [kg/m³].
const USUAL_DENSITIES: [f64; 2] = [10.0, 25_000.0];
/// Collision groups.
const GROUP_COUNT: usize = 32;
/// A centre of mass nearer to the origin than this share of the size is the origin.
const CENTRED_REL_TOL: f64 = 1e-15;

/// What moves a body, before its mass is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moved {
    Fixed,
    Kinematic,
    Dynamic,
}

/// Surface and groups of a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surface {
    pub(super) material: Material,
    pub(super) number: Option<usize>,
    pub(super) groups: u32,
    /// Whether the friction is in the file.
    pub(super) has_friction: bool,
}

/// A table that makes bodies, and what of them it gives.
#[derive(Debug, Clone)]
pub(super) struct Source {
    /// How messages name its bodies.
    pub(super) label: String,
    /// Where it stands.
    pub(super) at: usize,
    pub(super) path: String,
    /// Number of its first body.
    pub(super) first: usize,
    /// What is in the file, or not needed: those of `friction`, `mass`, `inertia`, `groups`, and `volume` where the mass follows from it.
    has: Vec<&'static str>,
}

impl Source {
    /// Whether something is in the file.
    pub(super) fn has(&self, what: &str) -> bool {
        self.has.contains(&what)
    }
}

/// Builds the bodies of a scene.
#[derive(Debug)]
pub(super) struct Makers<'s> {
    pub(super) folder: &'s Path,
    pub(super) materials: &'s [materials::Named],
    pub(super) defaults: Defaults,
    pub(super) bodies: Vec<SceneBody>,
    pub(super) sources: Vec<Source>,
    pub(super) names: Names,
    /// Motions of kinematic bodies.
    pub(super) motions: Vec<(usize, Motion)>,
}

/// Bodies by name.
#[derive(Debug, Default)]
pub(super) struct Names {
    index: BTreeMap<String, usize>,
    /// What the names of bodies begin with that could not be read: naming those is no further error.
    broken: Vec<String>,
}

impl Names {
    /// Index of the body that a node names.
    pub(super) fn find(&self, node: &Node<'_>, report: &mut Report<'_>) -> Option<usize> {
        let name = node.string(report)?;
        if let Some(index) = self.index.get(name) {
            return Some(*index);
        }
        if self.broken.iter().any(|prefix| name.starts_with(prefix.as_str())) {
            return None;
        }
        node.wrong("must be the name of a body", report)
    }

    /// Gives a body a further name that is not taken.
    pub(super) fn also(&mut self, name: String, body: usize) {
        self.index.entry(name).or_insert(body);
    }

    /// Notes a name, or how several begin, whose body is wrong.
    pub(super) fn broken(&mut self, prefix: String) {
        self.broken.push(prefix);
    }
}

impl<'s> Makers<'s> {
    pub(super) fn new(folder: &'s Path, materials: &'s [materials::Named], defaults: Defaults) -> Self {
        Self {
            folder,
            materials,
            defaults,
            bodies: Vec::new(),
            sources: Vec::new(),
            names: Names::default(),
            motions: Vec::new(),
        }
    }

    /// Reads every `[[body]]`.
    pub(super) fn read_bodies(&mut self, root: &Fields<'_>, report: &mut Report<'_>) {
        for (i, fields) in root.tables("body", report).iter().enumerate() {
            if self.read_body(fields, i, report).is_none() {
                self.names.broken(fields.text_or("name", &format!("body{i}")));
            }
        }
    }

    fn read_body(&mut self, fields: &Fields<'_>, index: usize, report: &mut Report<'_>) -> Option<()> {
        fields.only(
            &[
                "name",
                "kind",
                "shape",
                "density",
                "mass",
                "inertia",
                "centre",
                "position",
                fields.rotation_key(),
                "velocity",
                "spin",
                "material",
                groups_key(fields),
                "motion",
            ],
            report,
        );
        let name = match fields.get("name") {
            Some(node) => node.string(report).map(str::to_owned),
            None => Some(format!("body{index}")),
        };
        let shape = shapes::read(fields, self.folder, report);
        let moved = moved(fields, shape.as_ref(), report);
        let position = fields.vector_or("position", Vec3::zeros(), report);
        let rotation = fields.rotation(report);
        let velocity = fields.vector_or("velocity", Vec3::zeros(), report);
        let spin = fields.turning("spin", report);
        let surface = self.surface(fields, report);
        let given = Weight::read(fields, self.defaults.density, report);
        let (shape, moved) = (shape?, moved?);
        let (kind, shape, centre) = match moved {
            Moved::Dynamic => given?.of(fields, shape, report)?,
            Moved::Kinematic => (Kind::Kinematic, shape, Vec3::zeros()),
            Moved::Fixed => (Kind::Fixed, shape, Vec3::zeros()),
        };
        if moved != Moved::Dynamic {
            unused(fields, &["density", "mass", "inertia", "centre"], "dynamic", report);
        }
        if moved == Moved::Fixed {
            unused(fields, &["velocity", "spin"], "kinematic or dynamic", report);
        }
        let state = BodyState {
            pose: Pose {
                position: position?,
                rotation: rotation?,
            },
            velocity: velocity?,
            spin: spin?,
        };
        self.read_motion(fields, moved, state.pose, report);
        let (name, surface) = (name?, surface?);
        self.begin(fields, &name, surface, moved != Moved::Dynamic);
        let made = place(name, kind, shape, centre, surface, state);
        let place = fields.get("name").map_or(fields.at, |node| node.span.start);
        self.push(made, place, &fields.path_of("name"), report)
    }

    /// The motion of the body that is added next.
    fn read_motion(&mut self, fields: &Fields<'_>, moved: Moved, pose: Pose, report: &mut Report<'_>) {
        let Some(node) = fields.get("motion") else { return };
        if moved != Moved::Kinematic {
            unused(fields, &["motion"], "kinematic", report);
            return;
        }
        unused(
            fields,
            &["velocity", "spin"],
            "kinematic body without motion, or a dynamic",
            report,
        );
        let motion = node.fields(report).and_then(|own| motion::read(&own, pose, report));
        self.motions.extend(motion.map(|motion| (self.bodies.len(), motion)));
    }

    /// Notes the table that the bodies added next come from.
    pub(super) fn begin(&mut self, fields: &Fields<'_>, label: &str, surface: Surface, has_mass: bool) {
        let given = |key: &str| fields.get(key).is_some();
        let has_mass = has_mass || self.defaults.density.is_some() || given("density") || given("mass");
        let has = [
            ("friction", surface.has_friction),
            ("mass", has_mass),
            ("volume", !given("mass") && !given("file")),
            ("inertia", given("inertia") || given("file")),
            ("groups", given(groups_key(fields))),
        ];
        self.sources.push(Source {
            label: label.to_owned(),
            at: fields.at,
            path: fields.path.clone(),
            first: self.bodies.len(),
            has: has.iter().filter(|(_, has)| *has).map(|(what, _)| *what).collect(),
        });
    }

    /// Adds a body whose name is not taken, while there is room.
    pub(super) fn push(&mut self, made: SceneBody, at: usize, path: &str, report: &mut Report<'_>) -> Option<()> {
        if self.bodies.len() == MAX_BODIES {
            report.add(at, path, format!("must not be a body beyond {MAX_BODIES}, found more"));
        }
        if self.bodies.len() >= MAX_BODIES {
            return None;
        }
        if made.body.name.is_empty() {
            report.add(at, path, "must not be empty, found \"\"");
        } else if self
            .names
            .index
            .insert(made.body.name.clone(), self.bodies.len())
            .is_some()
        {
            let is_robot = path.rsplit('.').next() == Some("file");
            let hint = if is_robot { "; `prefix` tells robots apart" } else { "" };
            let problem = format!("must be the name of one body only, found {}{hint}", made.body.name);
            report.add(at, path, problem);
        }
        self.bodies.push(made);
        Some(())
    }

    /// Material and groups.
    pub(super) fn surface(&self, fields: &Fields<'_>, report: &mut Report<'_>) -> Option<Surface> {
        let world = self.defaults.friction;
        let own = |friction: Option<f64>| Material::of_friction(friction.unwrap_or(0.0));
        let material =
            match fields.get("material") {
                None => Some((own(world), None, world.is_some())),
                Some(node) if node.is_table() => node.fields(report).and_then(|own| {
                    own.only(&["friction", "restitution", "viscosity"], report);
                    let has_friction = world.is_some() || own.get("friction").is_some();
                    materials::values(&own, world, report).map(|values| (values, None, has_friction))
                }),
                Some(node) => node.string(report).and_then(|name| {
                    match self.materials.iter().position(|other| other.name == name) {
                        Some(at) => {
                            let named = &self.materials[at];
                            Some((named.material, Some(at), named.has_friction))
                        }
                        None => node.wrong("must be the name of a material", report),
                    }
                }),
            };
        let groups = match fields.get(groups_key(fields)) {
            None if fields.planar => Some(u32::MAX),
            None => Some(1),
            Some(node) => groups(&node, report),
        };
        let (material, number, has_friction) = material?;
        Some(Surface {
            material,
            number,
            groups: groups?,
            has_friction,
        })
    }
}

/// A body placed in the world by its own frame: the state speaks of its centre of mass.
pub(super) fn place(
    name: String,
    kind: Kind,
    shape: Shape,
    centre: Vec3,
    surface: Surface,
    mut state: BodyState,
) -> SceneBody {
    state.pose.position = state.pose.point(centre);
    SceneBody {
        body: Body {
            name,
            kind,
            shape,
            material: surface.material,
            groups: surface.groups,
            origin_body: -centre,
        },
        state,
        material: surface.number,
    }
}

fn moved(fields: &Fields<'_>, shape: Option<&Shape>, report: &mut Report<'_>) -> Option<Moved> {
    let endless = matches!(
        shape,
        Some(Shape::HalfSpace { .. } | Shape::Mesh(_) | Shape::Planar(PlanarShape::HalfPlane { .. }))
    );
    let Some(node) = fields.get("kind") else {
        return Some(if endless { Moved::Fixed } else { Moved::Dynamic });
    };
    let choices = [
        ("fixed", Moved::Fixed),
        ("kinematic", Moved::Kinematic),
        ("dynamic", Moved::Dynamic),
    ];
    let moved = node.choice(&choices, report)?;
    if endless && moved != Moved::Fixed {
        let what = if fields.planar {
            "half-plane"
        } else {
            "half-space or ground"
        };
        return node.wrong(&format!("must be fixed for a {what}"), report);
    }
    Some(moved)
}

/// Reports keys that mean nothing for this kind of body.
fn unused(fields: &Fields<'_>, keys: &[&str], kinds: &str, report: &mut Report<'_>) {
    for key in keys {
        if let Some(node) = fields.get(key) {
            node.wrong::<()>(&format!("must be given for a {kinds} body only"), report);
        }
    }
}

/// The key by which bodies say whom they meet. Levels of a planar world are its groups; a body that names none is on all of them.
pub(super) fn groups_key(fields: &Fields<'_>) -> &'static str {
    if fields.planar { "level" } else { "groups" }
}

/// Bits of a list such as `[0, 3]`, or of a level alone.
fn groups(node: &Node<'_>, report: &mut Report<'_>) -> Option<u32> {
    if node.is_level() {
        return node.count(0, GROUP_COUNT - 1, report).map(|bit| 1 << bit);
    }
    let bits: Vec<Option<usize>> = node
        .list(report)?
        .iter()
        .map(|n| n.count(0, GROUP_COUNT - 1, report))
        .collect();
    bits.into_iter().try_fold(0, |mask, bit| Some(mask | 1 << bit?))
}

/// What a scene says of a body's mass.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weight {
    density: f64,
    mass: Option<f64>,
    inertia: Option<Mat3>,
    centre: Option<Vec3>,
}

impl Weight {
    /// The density is that of the world where the body gives none, if the world has one.
    pub(super) fn read(fields: &Fields<'_>, of_world: Option<f64>, report: &mut Report<'_>) -> Option<Self> {
        let [density, mass, inertia, centre] = ["density", "mass", "inertia", "centre"].map(|key| fields.get(key));
        let both = density.is_some() && mass.is_some();
        if let Some(node) = mass.as_ref().filter(|_| both) {
            node.wrong::<()>("must not be given beside density", report);
        }
        if inertia.is_some() && mass.is_none() {
            fields.fail("inertia", "must be given beside a mass, found none", report);
        }
        if centre.is_some() && inertia.is_none() {
            fields.fail("centre", "must be given beside an inertia about it, found none", report);
        }
        let density = match density {
            Some(node) => density_of(&node, report),
            None => Some(of_world.unwrap_or(DENSITY)),
        };
        let mass = mass.map(|node| node.positive(report));
        let inertia = inertia.map(|node| node.inertia(report));
        let centre = centre.map(|node| node.vector(report));
        // A value that is there but wrong ends here.
        let right = !both && density.is_some() && mass != Some(None) && inertia != Some(None) && centre != Some(None);
        right.then_some(Self {
            density: density?,
            mass: mass.flatten(),
            inertia: inertia.flatten(),
            centre: centre.flatten(),
        })
    }

    /// Kind of a body of this shape; the shape as seen from the centre of mass, and that centre as seen from the scene's frame.
    pub(super) fn of(&self, fields: &Fields<'_>, shape: Shape, report: &mut Report<'_>) -> Option<(Kind, Shape, Vec3)> {
        let properties = MassProperties::of(&shape).filter(|p| p.volume.is_finite() && p.volume > 0.0);
        let Some(properties) = properties else {
            let what = if fields.planar { "an area" } else { "a volume" };
            let problem = format!("must have {what} that is finite and positive, found another");
            fail_shape(fields, &problem, report);
            return None;
        };
        let mass = self.mass.unwrap_or(self.density * properties.volume);
        let inertia = self.inertia.unwrap_or(properties.inertia * (mass / properties.volume));
        let centre = self.centre.unwrap_or(properties.centre);
        let size = if fields.planar {
            properties.volume.sqrt()
        } else {
            libm::cbrt(properties.volume)
        };
        let (shape, centre) = if centre.norm() <= CENTRED_REL_TOL * size {
            (shape, Vec3::zeros())
        } else {
            (shape.seen_from(centre), centre)
        };
        let body = Body {
            name: String::new(),
            kind: Kind::Dynamic {
                mass,
                inertia_body: inertia,
            },
            shape,
            material: Material::default(),
            groups: 1,
            origin_body: -centre,
        };
        if let Err(error) = body.check(&fields.path) {
            let (path, problem) = worded(&error);
            let key = path.rsplit('.').next().unwrap_or_default();
            if fields.get(key).is_some() {
                fields.fail(key, problem, report);
            } else {
                fail_shape(fields, &format!("must give a fitting {key}: {problem}"), report);
            }
            return None;
        }
        Some((body.kind, body.shape, centre))
    }
}

/// A density; doubtful where no solid has it.
fn density_of(node: &Node<'_>, report: &mut Report<'_>) -> Option<f64> {
    let density = node.positive(report)?;
    let [least, largest] = USUAL_DENSITIES;
    if !node.is_planar() && !(least..=largest).contains(&density) {
        let doubt = format!("is not between {least} and {largest} kg/m³ as that of solids, found {density}");
        report.doubt(Some(node.span.start), &node.path, doubt);
    }
    Some(density)
}

/// Reports a problem of the shape, whatever key gives it.
fn fail_shape(fields: &Fields<'_>, problem: &str, report: &mut Report<'_>) {
    let node = ["shape", "box", "radius"].iter().find_map(|key| fields.get(key));
    match node {
        Some(node) => report.add(node.span.start, &node.path, problem),
        None => report.add(fields.at, &fields.path, problem),
    }
}

/// The field and the problem of an error of the library.
fn worded(error: &SimError) -> (String, String) {
    let text = error.to_string();
    match text.split_once(": ") {
        Some((field, problem)) => (field.to_owned(), problem.to_owned()),
        None => (String::new(), text),
    }
}

/// Reads every `[[force]]`.
pub(super) fn read_forces(
    root: &Fields<'_>,
    bodies: &[SceneBody],
    names: &Names,
    report: &mut Report<'_>,
) -> Vec<TimedForce> {
    let tables = root.tables("force", report);
    tables
        .iter()
        .filter_map(|fields| force(fields, bodies, names, report))
        .collect()
}

fn force(fields: &Fields<'_>, bodies: &[SceneBody], names: &Names, report: &mut Report<'_>) -> Option<TimedForce> {
    fields.only(&["body", "force", "torque", "from", "until"], report);
    let body = fields.need("body", report).and_then(|node| {
        let at = names.find(&node, report)?;
        if bodies[at].body.is_dynamic() {
            return Some(at);
        }
        node.wrong("must be the name of a dynamic body", report)
    });
    let force = fields.vector_or("force", Vec3::zeros(), report);
    let torque = fields.turning("torque", report);
    if fields.get("force").is_none() && fields.get("torque").is_none() {
        report.add(fields.at, &fields.path, "must have a force or a torque, found neither");
    }
    let from = fields.number_or("from", 0.0, "must not be negative", |x| x >= 0.0, report);
    let after = |x: f64| from.is_none_or(|from| x > from);
    let until = fields.number_or("until", f64::INFINITY, "must lie after from", after, report);
    Some(TimedForce {
        body: body?,
        wrench: Wrench {
            force: force?,
            torque: torque?,
        },
        from: from?,
        until: until?,
    })
}
