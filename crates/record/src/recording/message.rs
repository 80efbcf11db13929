//! What a recording holds: plain structs, made from a world, and read back with the same bits.

use serde::{Deserialize, Serialize};

use super::Since;
use super::schema::CHANNELS;
use stiction_sim::body::Kind;
use stiction_sim::energy::Ledger;
use stiction_sim::joint::{Joint, JointKind};
use stiction_sim::planar::{PlanarPose, PlanarShape};
use stiction_sim::shape::{Polytope, Shape};
use stiction_sim::{Pose, StepReport, Vec3, Work, World};

/// Number of the format that is written.
pub(crate) const FORMAT: u64 = 2;
/// Number of the oldest format that is read: all messages are JSON.
pub(crate) const OLDEST_FORMAT: u64 = 1;

/// One message of a recording.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Message {
    /// Channel `/world`.
    World(WorldRecord),
    /// Channel `/poses`.
    Poses(PosesRecord),
    /// Channel `/contacts`.
    Contacts(ContactsRecord),
    /// Channel `/stats`.
    Stats(StatsRecord),
}

/// What does not change from step to step: written at the start, and again where bodies come or go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorldRecord {
    /// Number of the format: 2, or 1 in older files.
    pub format: u64,
    /// Time from which it holds \[s\].
    pub time: f64,
    /// Whether bodies move in the plane of x and y only.
    #[serde(default)]
    pub planar: bool,
    /// Gravity \[m/s²\].
    pub gravity: [f64; 3],
    /// Time step \[s\].
    pub dt: f64,
    /// Law of contact.
    pub law: String,
    /// The one method used, if one was requested.
    pub method: Option<String>,
    /// Bodies in the order of the poses.
    pub bodies: Vec<BodyRecord>,
    /// Joints.
    pub joints: Vec<JointRecord>,
}

/// A body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyRecord {
    /// Name.
    pub name: String,
    /// `fixed`, `kinematic` or `dynamic`.
    pub kind: String,
    /// Mass of a dynamic body \[kg\].
    pub mass: Option<f64>,
    /// Friction coefficient; none where it is infinite.
    pub friction: Option<f64>,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Origin of the scene's frame of the body, seen from its centre of mass, in body axes \[m\].
    pub origin_body: [f64; 3],
    /// Shape in the frame of the centre of mass.
    pub shape: ShapeRecord,
}

/// A shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum ShapeRecord {
    /// Everything below the plane through the origin.
    HalfSpace {
        /// Outward unit normal.
        normal: [f64; 3],
    },
    /// Ball about the origin.
    Ball {
        /// Radius \[m\].
        radius: f64,
    },
    /// Ball swept along z.
    Capsule {
        /// Half the length of the axis without the caps \[m\].
        half_length: f64,
        /// Radius \[m\].
        radius: f64,
    },
    /// Round cylinder about z.
    Cylinder {
        /// Half the height \[m\].
        half_height: f64,
        /// Radius \[m\].
        radius: f64,
    },
    /// Ellipsoid about the origin.
    Ellipsoid {
        /// Half the diameters along x, y and z \[m\].
        semi_axes: [f64; 3],
    },
    /// Box about the origin.
    Box {
        /// Half sides \[m\].
        half: [f64; 3],
    },
    /// Convex polytope.
    Polytope {
        /// Corners \[m\].
        vertices: Vec<[f64; 3]>,
        /// Corners of each face, counterclockwise seen from outside.
        faces: Vec<Vec<usize>>,
    },
    /// Ground of triangles.
    Mesh {
        /// Corners of each, counterclockwise seen from outside \[m\].
        triangles: Vec<[[f64; 3]; 3]>,
    },
    /// Several shapes that move as one.
    Compound {
        /// The shapes and where they are.
        parts: Vec<PartRecord>,
    },
    /// In the plane: everything below the line through the origin.
    HalfPlane {
        /// Outward unit normal.
        normal: [f64; 2],
    },
    /// In the plane: disc about the origin.
    Disc {
        /// Radius \[m\].
        radius: f64,
    },
    /// In the plane: disc swept along x.
    PlanarCapsule {
        /// Half the length of the axis without the caps \[m\].
        half_length: f64,
        /// Radius \[m\].
        radius: f64,
    },
    /// In the plane: convex polygon.
    Polygon {
        /// Corners \[m\], counterclockwise.
        vertices: Vec<[f64; 2]>,
    },
}

/// A part of a compound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartRecord {
    /// Origin in the body \[m\].
    pub position: [f64; 3],
    /// Rotation: quaternion x, y, z, w.
    pub orientation: [f64; 4],
    /// Shape.
    pub shape: ShapeRecord,
}

/// A joint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointRecord {
    /// Name.
    pub name: String,
    /// `revolute`, `prismatic`, `spherical`, `fixed`, `planar`, `distance`, `gear` or `rope`.
    pub kind: String,
    /// Name of the first body.
    pub a: String,
    /// Name of the second body.
    pub b: String,
    /// Ratio of a gear: the coordinate of `a` and `b` per that of `second` \[1, m/rad or rad/m\]; none of other kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Names of the two bodies of the second coordinate of a gear; none of other kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<[String; 2]>,
    /// Largest length of a rope, or the length that a distance joint keeps \[m\]; none of other kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Points of a rope from `a` to `b`, both ends included; none of other kinds, and in files that do not hold them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<RopePointRecord>>,
    /// The joint's frame in `a` and the one in `b`; none of gears and ropes, and in files that do not hold them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<[FrameRecord; 2]>,
    /// Least and largest coordinate of a revolute or prismatic joint \[rad or m\], none where there is no end; none of other kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<[Option<f64>; 2]>,
}

/// A frame fixed in a body; a revolute joint turns about its z axis, a prismatic one slides along it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameRecord {
    /// Origin from the centre of mass, in body axes \[m\].
    pub position_body: [f64; 3],
    /// Rotation in the body: quaternion x, y, z, w.
    pub orientation_body: [f64; 4],
}

/// A point of a rope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RopePointRecord {
    /// Name of the body that it is fixed in.
    pub body: String,
    /// Its place in the body, from the centre of mass, in body axes \[m\].
    pub position_body: [f64; 3],
}

/// Where the bodies are after a step; one entry a body in each list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PosesRecord {
    /// Time \[s\].
    pub time: f64,
    /// Steps made.
    pub step: u64,
    /// Names.
    pub names: Vec<String>,
    /// Centres of mass \[m\].
    pub positions: Vec<[f64; 3]>,
    /// Rotations: quaternions x, y, z, w.
    pub orientations: Vec<[f64; 4]>,
    /// Velocity of the centre of mass \[m/s\], then angular velocity \[rad/s\].
    pub velocities: Vec<[f64; 6]>,
}

/// Contacts of a step: found at its start, with the forces that acted during it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactsRecord {
    /// Time at the end of the step \[s\].
    pub time: f64,
    /// Steps made.
    pub step: u64,
    /// The contacts.
    pub contacts: Vec<ContactRecord>,
}

/// A contact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactRecord {
    /// Name of the body that is pushed along +normal.
    pub a: String,
    /// Name of the body that is pushed along −normal.
    pub b: String,
    /// Where they touch \[m\].
    pub point: [f64; 3],
    /// Unit normal, from b to a.
    pub normal: [f64; 3],
    /// Distance at the start of the step \[m\]; negative where they overlap.
    pub gap: f64,
    /// Normal force: impulse over time step \[N\].
    pub normal_force: f64,
    /// Friction on a, in world axes \[N\].
    pub friction_force: [f64; 3],
    /// `separating`, `sticking` or `sliding`.
    pub state: String,
    /// Friction coefficient; none where it is infinite, and in files that do not hold it.
    #[serde(default)]
    pub friction: Option<f64>,
    /// Relative speed along the surface at the end of the step \[m/s\]; none in files that do not hold it.
    #[serde(default)]
    pub slip_speed: Option<f64>,
    /// The judge's largest figure for this contact; none in files that do not hold it.
    #[serde(default)]
    pub residual: Option<f64>,
    /// Whether no other force goes with the motion; none where it was not looked for.
    #[serde(default)]
    pub unique: Option<bool>,
}

/// Counts, worst values and energy. Sums and worst values are over the steps since the last message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatsRecord {
    /// Time \[s\].
    pub time: f64,
    /// Steps made.
    pub step: u64,
    /// Steps since the last message.
    pub steps: u64,
    /// Contacts of the last of them.
    pub contacts: usize,
    /// Islands of the last of them.
    pub islands: usize,
    /// Islands of the last of them that started from the solution before.
    pub warm: usize,
    /// Pivots of the answers; all of them are in `work`.
    pub pivots: usize,
    /// Newton steps of the answers.
    pub newton_steps: usize,
    /// Steps that were made as substeps, because the whole step had no verified answer.
    #[serde(default)]
    pub split: usize,
    /// Largest residual.
    pub residual: f64,
    /// Deepest overlap at the start of a step \[m\].
    pub penetration: f64,
    /// Kinetic energy \[J\].
    pub kinetic: f64,
    /// Potential energy \[J\].
    pub potential: f64,
    /// Taken by contacts and joints since the start of the run \[J\]: slip and impacts.
    pub dissipated: f64,
    /// Given by applied forces and moving ground since the start of the run \[J\].
    pub injected: f64,
    /// Given by penetration correction since the start of the run \[J\].
    pub eased: f64,
    /// Taken by the time stepping since the start of the run \[J\]: the sum of the numerical parts.
    pub stepping: f64,
    /// Largest unexplained rise of energy in one step so far \[J\].
    pub worst_gain: f64,
    /// Hash of the state, sixteen hexadecimal digits.
    pub hash: String,
    /// Of `dissipated`, that by friction \[J\]; none in files that do not hold it, as the five that follow.
    #[serde(default)]
    pub slip: Option<f64>,
    /// Of `dissipated`, that by arrivals \[J\].
    #[serde(default)]
    pub impacts: Option<f64>,
    /// Of `stepping`, taken by the velocity projection \[J\].
    #[serde(default)]
    pub numerical_velocity: Option<f64>,
    /// Of `stepping`, taken by closing gaps and joints \[J\].
    #[serde(default)]
    pub numerical_closing: Option<f64>,
    /// Of both, given back by scaling velocities \[J\].
    #[serde(default)]
    pub numerical_returned: Option<f64>,
    /// The rest of `stepping` \[J\].
    #[serde(default)]
    pub numerical_flight: Option<f64>,
    /// All work of these steps, also what was taken back; none in files that do not hold it.
    #[serde(default)]
    pub work: Option<Work>,
}

impl Message {
    /// Simulated time of the message \[s\].
    #[must_use]
    pub fn time(&self) -> f64 {
        match self {
            Self::World(m) => m.time,
            Self::Poses(m) => m.time,
            Self::Contacts(m) => m.time,
            Self::Stats(m) => m.time,
        }
    }

    /// Steps made; none of what does not change from step to step.
    #[must_use]
    pub fn step(&self) -> Option<u64> {
        match self {
            Self::World(_) => None,
            Self::Poses(m) => Some(m.step),
            Self::Contacts(m) => Some(m.step),
            Self::Stats(m) => Some(m.step),
        }
    }

    /// Place of its channel among all.
    pub(crate) fn channel(&self) -> usize {
        match self {
            Self::World(_) => 0,
            Self::Poses(_) => 1,
            Self::Contacts(_) => 2,
            Self::Stats(_) => 3,
        }
    }

    /// Reads a message in JSON; `None` for a channel that is not ours.
    pub(crate) fn from_json(topic: &str, json: &[u8]) -> Result<Option<Self>, serde_json::Error> {
        Ok(match CHANNELS.iter().position(|channel| channel.topic == topic) {
            Some(0) => Some(Self::World(serde_json::from_slice(json)?)),
            Some(1) => Some(Self::Poses(serde_json::from_slice(json)?)),
            Some(2) => Some(Self::Contacts(serde_json::from_slice(json)?)),
            Some(3) => Some(Self::Stats(serde_json::from_slice(json)?)),
            _ => None,
        })
    }
}

pub(super) fn numbers(v: &Vec3) -> [f64; 3] {
    [v.x, v.y, v.z]
}

fn orientation(pose: &Pose) -> [f64; 4] {
    let q = pose.rotation.coords;
    [q.x, q.y, q.z, q.w]
}

impl WorldRecord {
    /// What does not change of a world.
    #[must_use]
    pub fn of(world: &World) -> Self {
        let settings = world.settings();
        let name_of = |body: usize| world.bodies().get(body).map_or(String::new(), |b| b.name.clone());
        let bodies = world.bodies().iter().map(|body| {
            let (kind, mass) = match &body.kind {
                Kind::Fixed => ("fixed", None),
                Kind::Kinematic => ("kinematic", None),
                Kind::Dynamic { mass, .. } => ("dynamic", Some(*mass)),
            };
            BodyRecord {
                name: body.name.clone(),
                kind: kind.to_owned(),
                mass,
                friction: Some(body.material.friction).filter(|mu| mu.is_finite()),
                restitution: body.material.restitution,
                origin_body: numbers(&body.origin_body),
                shape: ShapeRecord::of(&body.shape),
            }
        });
        let joints = world.joints().iter().map(|joint| JointRecord::of(joint, name_of));
        Self {
            format: FORMAT,
            time: world.state().time,
            planar: settings.planar,
            gravity: numbers(&settings.gravity),
            dt: settings.dt,
            law: settings.law.name().to_owned(),
            method: settings.method.map(|m| m.name().to_owned()),
            bodies: bodies.collect(),
            joints: joints.collect(),
        }
    }
}

impl JointRecord {
    /// A joint between bodies with these names.
    fn of(joint: &Joint, name_of: impl Fn(usize) -> String) -> Self {
        let (ratio, second) = match &joint.kind {
            JointKind::Gear(gear) => (Some(gear.ratio), Some([gear.a, gear.b].map(&name_of))),
            _ => (None, None),
        };
        let (length, points) = match &joint.kind {
            JointKind::Rope(rope) => {
                let points = rope.points(joint).map(|point| RopePointRecord {
                    body: name_of(point.body),
                    position_body: numbers(&point.position),
                });
                (Some(rope.length), Some(points.collect()))
            }
            JointKind::Distance { length } => (Some(*length), None),
            _ => (None, None),
        };
        let has_frames = !matches!(joint.kind, JointKind::Gear(_) | JointKind::Rope(_));
        let frame = |pose: &Pose| FrameRecord {
            position_body: numbers(&pose.position),
            orientation_body: orientation(pose),
        };
        let finite = |x: f64| Some(x).filter(|x| x.is_finite());
        Self {
            name: joint.name.clone(),
            kind: joint_kind(&joint.kind).to_owned(),
            a: name_of(joint.a),
            b: name_of(joint.b),
            ratio,
            second,
            length,
            points,
            frames: has_frames.then(|| [frame(&joint.frame_a), frame(&joint.frame_b)]),
            limits: joint.limits.map(|limits| limits.map(finite)),
        }
    }
}

fn joint_kind(kind: &JointKind) -> &'static str {
    match kind {
        JointKind::Revolute => "revolute",
        JointKind::Prismatic => "prismatic",
        JointKind::Spherical => "spherical",
        JointKind::Fixed => "fixed",
        JointKind::Planar => "planar",
        JointKind::Distance { .. } => "distance",
        JointKind::Gear(_) => "gear",
        JointKind::Rope(_) => "rope",
        JointKind::Compound(_) => "compound",
        JointKind::Along(_) => "along",
        JointKind::Tendon(_) => "tendon",
        JointKind::Free => "free",
    }
}

/// The triangle on top of a piece of ground: its face 0.
fn triangle(solid: &Polytope) -> [[f64; 3]; 3] {
    let corner = |k: usize| {
        let index = solid.faces.first().and_then(|face| face.corners.get(k));
        index.map_or([0.0; 3], |v| numbers(&solid.vertices[*v]))
    };
    std::array::from_fn(corner)
}

impl ShapeRecord {
    /// A shape as it is recorded.
    #[must_use]
    pub fn of(shape: &Shape) -> Self {
        match shape {
            Shape::HalfSpace { normal } => Self::HalfSpace {
                normal: numbers(normal),
            },
            Shape::Ball { radius } => Self::Ball { radius: *radius },
            Shape::Capsule { half_length, radius } => Self::Capsule {
                half_length: *half_length,
                radius: *radius,
            },
            Shape::Cylinder { half_height, radius } => Self::Cylinder {
                half_height: *half_height,
                radius: *radius,
            },
            Shape::Ellipsoid { semi_axes } => Self::Ellipsoid {
                semi_axes: numbers(semi_axes),
            },
            Shape::Polytope(polytope) => match &polytope.half_sides() {
                Some(half) => Self::Box { half: numbers(half) },
                None => Self::Polytope {
                    vertices: polytope.vertices.iter().map(numbers).collect(),
                    faces: polytope.faces.iter().map(|f| f.corners.clone()).collect(),
                },
            },
            Shape::Mesh(mesh) => Self::Mesh {
                triangles: mesh.prisms().map(triangle).collect(),
            },
            Shape::Compound(parts) => Self::Compound {
                parts: parts
                    .iter()
                    .map(|(pose, part)| PartRecord {
                        position: numbers(&pose.position),
                        orientation: orientation(pose),
                        shape: Self::of(part),
                    })
                    .collect(),
            },
            Shape::Planar(shape) => Self::of_planar(shape),
        }
    }

    fn of_planar(shape: &PlanarShape) -> Self {
        match shape {
            PlanarShape::HalfPlane { normal } => Self::HalfPlane {
                normal: [normal.x, normal.y],
            },
            PlanarShape::Disc { radius } => Self::Disc { radius: *radius },
            PlanarShape::Capsule { half_length, radius } => Self::PlanarCapsule {
                half_length: *half_length,
                radius: *radius,
            },
            PlanarShape::Polygon(polygon) => Self::Polygon {
                vertices: polygon.vertices.iter().map(|v| [v.x, v.y]).collect(),
            },
            PlanarShape::Compound(parts) => {
                let part = |(pose, part): &(PlanarPose, PlanarShape)| {
                    let pose = pose.in_space();
                    PartRecord {
                        position: numbers(&pose.position),
                        orientation: orientation(&pose),
                        shape: Self::of_planar(part),
                    }
                };
                Self::Compound {
                    parts: parts.iter().map(part).collect(),
                }
            }
        }
    }
}

impl PosesRecord {
    /// Poses and velocities of a world.
    #[must_use]
    pub fn of(world: &World) -> Self {
        let state = world.state();
        Self {
            time: state.time,
            step: state.step,
            names: world.bodies().iter().map(|b| b.name.clone()).collect(),
            positions: state.bodies.iter().map(|s| numbers(&s.pose.position)).collect(),
            orientations: state.bodies.iter().map(|s| orientation(&s.pose)).collect(),
            velocities: state
                .bodies
                .iter()
                .map(|s| {
                    let (v, w) = (s.velocity, s.spin);
                    [v.x, v.y, v.z, w.x, w.y, w.z]
                })
                .collect(),
        }
    }
}

impl StatsRecord {
    /// The parts of `dissipated` and `stepping` in the order in which files hold them.
    pub(super) fn parts(&self) -> [Option<f64>; 6] {
        [
            self.slip,
            self.impacts,
            self.numerical_velocity,
            self.numerical_closing,
            self.numerical_returned,
            self.numerical_flight,
        ]
    }

    /// Figures of a world after some steps, of which the report is the last.
    #[must_use]
    pub fn of(world: &World, report: &StepReport, since: &Since) -> Self {
        let Ledger {
            kinetic,
            potential,
            slip,
            impacts,
            injected,
            eased,
            numerical,
            worst_gain,
        } = *world.ledger();
        Self {
            time: world.state().time,
            step: world.state().step,
            steps: since.steps,
            contacts: report.contacts,
            islands: report.islands,
            warm: report.warm,
            pivots: since.pivots,
            newton_steps: since.newton_steps,
            split: since.split,
            residual: since.residual,
            penetration: since.penetration,
            kinetic,
            potential,
            dissipated: world.ledger().dissipated(),
            injected,
            eased,
            stepping: numerical.total(),
            worst_gain,
            hash: format!("{:016x}", world.state().hash()),
            slip: Some(slip),
            impacts: Some(impacts),
            numerical_velocity: Some(numerical.velocity),
            numerical_closing: Some(numerical.closing),
            numerical_returned: Some(numerical.returned),
            numerical_flight: Some(numerical.flight),
            work: Some(since.work),
        }
    }
}
