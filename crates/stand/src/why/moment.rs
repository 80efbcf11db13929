//! What is known of one moment: bodies, contacts with their forces, joints. From a world, or from the messages of a recording.

use std::collections::BTreeMap;
use std::path::Path;

use stiction_contact::Law;
use stiction_record::{ContactsRecord, Message, PosesRecord, RecordError, Recording, Unfinished, WorldRecord};
use stiction_sim::{Vec3, World};

/// Speeds below this share of what a step of free fall and the fastest body give count as none.
const AT_REST: f64 = 1e-6;

/// What a contact does, as it was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Carries nothing and comes apart.
    Apart,
    /// Carries nothing and does not come apart.
    Touches,
    Sticks,
    Slides,
}

/// A body.
#[derive(Debug, Clone)]
pub(super) struct BodyAt {
    pub(super) name: String,
    /// Of a dynamic body \[kg\].
    pub(super) mass: Option<f64>,
    /// Centre of mass \[m\].
    pub(super) centre: Vec3,
}

/// A contact with its force.
#[derive(Debug, Clone)]
pub(super) struct ContactAt {
    /// Body that is pushed along +normal, and the other.
    pub(super) bodies: [usize; 2],
    pub(super) point: Vec3,
    pub(super) normal: Vec3,
    /// Normal force \[N\], friction on the first body \[N\].
    pub(super) force: f64,
    pub(super) friction: Vec3,
    /// Coefficient of friction; infinite where none is recorded.
    pub(super) mu: f64,
    pub(super) slip_speed: Option<f64>,
    /// Velocity of the first body along the surface of the other, where they slip \[m/s\]; zero where they do not.
    pub(super) slip: Vec3,
    pub(super) does: Does,
    /// As it was recorded.
    pub(super) unique: Option<bool>,
}

/// What a joint can carry: parts of its row on bodies, force then torque about the centre of mass.
#[derive(Debug, Clone)]
pub(super) struct JointAt {
    pub(super) parts: Vec<(usize, [f64; 6])>,
    /// Its force \[N or N·m\], and between what it could be.
    pub(super) force: f64,
    pub(super) bounds: [f64; 2],
}

/// One moment of a scene or of a recording.
#[derive(Debug, Clone)]
pub struct Moment {
    /// Time at the end of the step \[s\].
    pub time: f64,
    /// Steps made.
    pub step: u64,
    /// Law of contact.
    pub law: Law,
    pub(super) planar: bool,
    pub(super) bodies: Vec<BodyAt>,
    pub(super) contacts: Vec<ContactAt>,
    /// Rows of joints; none where a recording does not hold them.
    pub(super) joints: Option<Vec<JointAt>>,
    /// Bodies that joints hold together.
    pub(super) jointed: Vec<Vec<usize>>,
    /// Last moment that there is \[s\], and the latest time that is still its own: a distance of moments later.
    pub last: [f64; 2],
    /// Where the recording ends, if it has no end mark.
    pub unfinished: Option<Unfinished>,
}

impl Moment {
    /// The last step of a world. Before the first one there are no contacts.
    #[must_use]
    pub fn of_world(world: &World) -> Self {
        let record = WorldRecord::of(world);
        let contacts = ContactsRecord::of(world);
        let mut moment = Self::of_records(&record, &PosesRecord::of(world), &contacts);
        moment.joints = Some(joint_rows(world));
        moment
    }

    /// The moment of a recording nearest to the requested time, by default the last; nothing where no contacts are recorded.
    ///
    /// # Errors
    /// A file that is not a recording, or a damaged one.
    pub fn of_recording(path: impl AsRef<Path>, time: Option<f64>) -> Result<Option<Self>, RecordError> {
        let mut recording = Recording::open(path)?;
        let (mut world, mut poses): (Option<WorldRecord>, Option<PosesRecord>) = (None, None);
        let mut last: Option<[f64; 2]> = None;
        let mut best: Option<(WorldRecord, PosesRecord, ContactsRecord)> = None;
        for message in &mut recording {
            match message? {
                Message::World(found) => world = Some(found),
                Message::Poses(found) => poses = Some(found),
                Message::Contacts(found) => {
                    let (Some(world), Some(poses)) = (&world, &poses) else {
                        continue;
                    };
                    let step = last.map_or(0.0, |[before, _]| found.time - before).max(world.dt);
                    last = Some([found.time, found.time + step]);
                    let nearer = best.as_ref().is_none_or(|(_, _, best)| {
                        time.is_none_or(|time| (found.time - time).abs() < (best.time - time).abs())
                    });
                    if nearer {
                        best = Some((world.clone(), poses.clone(), found));
                    }
                }
                _ => {}
            }
        }
        Ok(best.map(|(world, poses, contacts)| Self {
            unfinished: recording.unfinished().cloned(),
            last: last.unwrap_or([contacts.time; 2]),
            ..Self::of_records(&world, &poses, &contacts)
        }))
    }

    /// A moment as it is recorded: bodies, where they are, contacts with their forces. What joints can carry is not recorded.
    #[must_use]
    pub fn of_records(world: &WorldRecord, poses: &PosesRecord, contacts: &ContactsRecord) -> Self {
        let places: BTreeMap<&str, usize> = poses.names.iter().enumerate().map(|(i, n)| (n.as_str(), i)).collect();
        let bodies: Vec<BodyAt> = world
            .bodies
            .iter()
            .map(|body| BodyAt {
                name: body.name.clone(),
                mass: body.mass.filter(|_| body.kind == "dynamic"),
                centre: places
                    .get(body.name.as_str())
                    .and_then(|i| poses.positions.get(*i))
                    .map_or_else(Vec3::zeros, |x| Vec3::from(*x)),
            })
            .collect();
        let index: BTreeMap<&str, usize> = world
            .bodies
            .iter()
            .enumerate()
            .map(|(i, b)| (b.name.as_str(), i))
            .collect();
        let velocity = |body: usize, point: Vec3| {
            let name = bodies[body].name.as_str();
            let found = places.get(name).and_then(|i| poses.velocities.get(*i));
            found.map_or_else(Vec3::zeros, |v| {
                let spin = Vec3::new(v[3], v[4], v[5]);
                Vec3::new(v[0], v[1], v[2]) + spin.cross(&(point - bodies[body].centre))
            })
        };
        let fastest = poses.velocities.iter().map(|v| Vec3::new(v[0], v[1], v[2]).norm());
        let fall = world.dt * Vec3::from(world.gravity).norm();
        let at_rest = AT_REST * fastest.fold(fall, f64::max);
        let contact = |c: &stiction_record::ContactRecord| {
            let pair = [*index.get(c.a.as_str())?, *index.get(c.b.as_str())?];
            let (point, normal) = (Vec3::from(c.point), Vec3::from(c.normal));
            let relative = velocity(pair[0], point) - velocity(pair[1], point);
            let opening = normal.dot(&relative) + c.gap.max(0.0) / world.dt;
            let slip = relative - normal.dot(&relative) * normal;
            let does = match c.state.as_str() {
                "sticking" => Does::Sticks,
                "sliding" => Does::Slides,
                _ if opening <= at_rest => Does::Touches,
                _ => Does::Apart,
            };
            Some(ContactAt {
                bodies: pair,
                point,
                normal,
                force: c.normal_force,
                friction: Vec3::from(c.friction_force),
                mu: c.friction.unwrap_or(f64::INFINITY),
                slip_speed: c.slip_speed,
                slip: if slip.norm() > at_rest { slip } else { Vec3::zeros() },
                does,
                unique: c.unique,
            })
        };
        let contacts_at = contacts.contacts.iter().filter_map(contact).collect();
        let jointed = world.joints.iter().map(|joint| {
            let second = joint.second.iter().flatten();
            let points = joint.points.iter().flatten().map(|point| &point.body);
            let names = [&joint.a, &joint.b].into_iter().chain(second).chain(points);
            names.filter_map(|name| index.get(name.as_str()).copied()).collect()
        });
        let law = Law::ALL.into_iter().find(|law| law.name() == world.law);
        Self {
            time: contacts.time,
            step: contacts.step,
            law: law.unwrap_or_default(),
            planar: world.planar,
            jointed: jointed.collect(),
            joints: world.joints.is_empty().then(Vec::new),
            bodies,
            contacts: contacts_at,
            last: [contacts.time; 2],
            unfinished: None,
        }
    }

    /// Whether it is known what joints can carry: recordings do not hold it.
    #[must_use]
    pub fn knows_joints(&self) -> bool {
        self.joints.is_some()
    }

    /// Names of the bodies.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.bodies.iter().map(|body| body.name.as_str())
    }

    /// Whether a body is moved by forces.
    pub(super) fn is_free(&self, body: usize) -> bool {
        self.bodies[body].mass.is_some()
    }
}

/// Rows of the joints of a world's last step, with what their limits push: as its contact problem has them.
fn joint_rows(world: &World) -> Vec<JointAt> {
    let (problem, solution, h) = (world.problem(), world.solution(), world.solved_length());
    // Blocks are those of the bodies that move, in their order.
    let free = |body: &&stiction_sim::body::Body| matches!(body.kind, stiction_sim::body::Kind::Dynamic { .. });
    let movers: Vec<usize> = (0..world.bodies().len())
        .filter(|i| free(&&world.bodies()[*i]))
        .collect();
    let parts = |touches: &[stiction_contact::Touch], column: &[f64]| {
        let part = |touch: &stiction_contact::Touch| {
            let entries = &column[touch.start..touch.start + touch.len];
            let six = match *entries {
                [x, y, turn] => [x, y, 0.0, 0.0, 0.0, turn],
                _ => std::array::from_fn(|k| entries.get(k).copied().unwrap_or(0.0)),
            };
            Some((*movers.get(touch.block)?, six))
        };
        touches.iter().filter_map(part).collect()
    };
    if let Some(found) = world.joint_reactions() {
        let is_free = |body: usize| movers.binary_search(&body).is_ok();
        let row = |found: stiction_sim::JointReaction| JointAt {
            parts: found.parts.into_iter().filter(|(body, _)| is_free(*body)).collect(),
            force: found.force,
            bounds: [f64::NEG_INFINITY, f64::INFINITY],
        };
        return found.into_iter().map(row).collect();
    }
    let mut rows = Vec::new();
    for k in 0..problem.joint_count().min(solution.joint_impulse.len()) {
        let (touches, column) = problem.joint_tilde(k);
        let (compliance, most) = problem.joint_yield(k);
        // What gives way pushes as much as the motion says.
        if compliance == 0.0 {
            rows.push(JointAt {
                parts: parts(touches, column),
                force: solution.joint_impulse[k] / h,
                bounds: [-most / h, most / h],
            });
        }
    }
    for i in world.contacts().len()..problem.contact_count().min(solution.normal_impulse.len()) {
        let columns = problem.columns_tilde(i);
        if solution.normal_impulse[i] > 0.0 {
            rows.push(JointAt {
                parts: parts(columns.touches, columns.normal),
                force: solution.normal_impulse[i] / h,
                bounds: [0.0, f64::INFINITY],
            });
        }
    }
    rows
}
