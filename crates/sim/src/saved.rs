//! Saved worlds: a world that is loaded goes on with the same bits as one that was never stopped.
//!
//! What a step reads and a scene does not say: time, poses, velocities, applied forces, motors, the ledger, ids of bodies and joints, and the warm start of the solver. Bodies,
//! shapes and settings are the scene's; of them a fingerprint is saved, and a state of another model is refused. The order in which the broad phase keeps its bodies only saves sorting: it is made again.
//!
//! Bytes: `STICWLD7` where angles have whole turns and `STICWLD6` where none has, then numbers in little endian, lists and texts after their length, the fingerprint, and last a hash of all bytes before.
//! Still read: `STICWLD5`, which has no controls, `STICWLD4`, whose ledger has the sums dissipated and stepping alone, and `STICWLD3`, which also has no fingerprint.

use stiction_contact::WarmStart;

use crate::energy::{Ledger, Numerical};
use crate::error::SimError;
use crate::fingerprint::{difference, fingerprint};
use crate::joint::{Motor, MotorWave};
use crate::mix;
use crate::model::Model;
use crate::state::{BodyState, State};
use crate::world::{World, Wrench};
use crate::{Pose, Quat, Vec3};

/// Written before everything else: what the bytes are, and in which form.
const HEAD: &[u8; 8] = b"STICWLD6";
/// The same with whole turns of angles after the controls.
const HEAD_WITH_TURNS: &[u8; 8] = b"STICWLD7";
/// The same before there were controls.
const HEAD_WITHOUT_CTRL: &[u8; 8] = b"STICWLD5";
/// The same before dissipated and stepping were divided.
const HEAD_WITH_SUMS: &[u8; 8] = b"STICWLD4";
/// The same before there were fingerprints.
const HEAD_WITHOUT_FINGERPRINT: &[u8; 8] = b"STICWLD3";

/// Said of a state whose ledger has sums alone.
const SUMS: &str =
    "saved state: its energy ledger has sums alone: dissipated counts as slip, stepping as numerical.flight";

/// Said of a state without controls, of a world that has some.
const NO_CTRL: &str = "saved state: it has no controls of actuators: 0 is taken";

/// Rotations whose length is off by more than this are not rotations; those of a world are off by rounding.
const UNIT: f64 = 1e-6;

/// What is to be said of a state that was loaded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Loaded {
    /// What could not be verified, or differs and was forced.
    pub warnings: Vec<String>,
}

impl World {
    /// The state as bytes, the same on every machine, for [`Self::load`].
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        // Named one by one, so that nothing is added to a model or a state without a word here.
        let Model {
            settings,
            bodies,
            joints,
            wrenches,
            schedule: _,
            couplings: _,
            motions: _,
            pairs: _,
            ids,
            ..
        } = &self.model;
        let State {
            time,
            step,
            bodies: states,
            ctrl,
            turns,
            ledger,
            warm,
        } = &self.state;
        let mut out = if turns.is_empty() { HEAD } else { HEAD_WITH_TURNS }.to_vec();
        put(&mut out, &[settings.dt]);
        out.extend(step.to_le_bytes());
        put(&mut out, &[*time]);
        put(&mut out, &ledger_numbers(ledger));
        out.extend((bodies.len() as u64).to_le_bytes());
        for ((body, state), wrench) in bodies.iter().zip(states).zip(wrenches) {
            put_bytes(&mut out, body.name.as_bytes());
            put(&mut out, &state.numbers());
            let (f, t) = (wrench.force, wrench.torque);
            put(&mut out, &[f.x, f.y, f.z, t.x, t.y, t.z]);
        }
        put_ids(&mut out, &ids.bodies, ids.next[0]);
        out.extend((joints.len() as u64).to_le_bytes());
        for joint in joints {
            put_bytes(&mut out, joint.name.as_bytes());
            out.push(u8::from(joint.motor.is_some()));
            put(&mut out, &motor_numbers(&joint.motor.unwrap_or_default()));
        }
        put_ids(&mut out, &ids.joints, ids.next[1]);
        out.extend((ctrl.len() as u64).to_le_bytes());
        put(&mut out, ctrl);
        if !turns.is_empty() {
            out.extend((turns.len() as u64).to_le_bytes());
            out.extend(turns.iter().flat_map(|turns| turns.to_le_bytes()));
        }
        put_bytes(&mut out, &warm.to_bytes());
        put_bytes(&mut out, &fingerprint(&self.model));
        let sum = hash(&out);
        out.extend(sum.to_le_bytes());
        out
    }

    /// Loads what [`Self::save`] has written, into a world made from the same scene; the steps that follow have the same bits as if the
    /// saved world had gone on. Contacts, problem and solution of the last step are empty until the next. On an error the world is as it was.
    /// A state from before there were fingerprints, or the parts of the ledger, is loaded with a warning.
    ///
    /// # Errors
    /// [`SimError::Saved`]: bytes that are damaged or of another form, another model, with the first value that differs, numbers that are not
    /// finite.
    pub fn load(&mut self, bytes: &[u8]) -> Result<Loaded, SimError> {
        let saved = Saved::read(bytes)?;
        let mut loaded = Loaded {
            warnings: self.warnings(&saved),
        };
        match self.differs(&saved) {
            Some(reason) => return Err(refuse(reason)),
            None if saved.fingerprint.is_none() => {
                let warning = "saved state: it has no fingerprint: whether it is of the same model is not known";
                loaded.warnings.push(warning.to_owned());
            }
            None => {}
        }
        self.take(saved)?;
        Ok(loaded)
    }

    /// The same for a state of another model with as many bodies and joints: poses, velocities and motors are taken in their order. What differs
    /// first is a warning.
    ///
    /// # Errors
    /// [`SimError::Saved`]: bytes that are damaged or of another form, another number of bodies or joints, numbers that are not finite.
    pub fn load_forced(&mut self, bytes: &[u8]) -> Result<Loaded, SimError> {
        let saved = Saved::read(bytes)?;
        same_count("bodies", self.model.bodies.len(), saved.names.len())?;
        same_count("joints", self.model.joints.len(), saved.joints.len())?;
        if let Some(ctrl) = &saved.ctrl {
            same_count("ctrl", self.model.actuators.len(), ctrl.len())?;
        }
        if !saved.state.turns.is_empty() {
            same_count("turns", self.model.angles.count(), saved.state.turns.len())?;
        }
        let mut warnings = self.warnings(&saved);
        let different = self.differs(&saved);
        warnings.extend(different.map(|reason| format!("saved state: {reason}: loaded by force")));
        self.take(saved)?;
        Ok(Loaded { warnings })
    }

    /// What is to be said of a state of an older form.
    fn warnings(&self, saved: &Saved) -> Vec<String> {
        let lacks_ctrl = saved.ctrl.is_none() && !self.model.actuators.is_empty();
        let found = [(saved.has_sums, SUMS), (lacks_ctrl, NO_CTRL)];
        let found = found.into_iter().filter(|(says, _)| *says);
        found.map(|(_, text)| text.to_owned()).collect()
    }

    /// What of a state is of another model.
    fn differs(&self, saved: &Saved) -> Option<String> {
        if saved.dt != self.model.settings.dt {
            let dt = self.model.settings.dt;
            return Some(format!("dt: must be {dt} as in the world, found {}", saved.dt));
        }
        if let Some(Err(SimError::Saved { reason })) = saved
            .ctrl
            .as_ref()
            .map(|ctrl| same_count("ctrl", self.model.actuators.len(), ctrl.len()))
        {
            return Some(reason);
        }
        if let Err(SimError::Saved { reason }) = same_count("turns", self.model.angles.count(), saved.state.turns.len())
            && !saved.state.turns.is_empty()
        {
            return Some(reason);
        }
        let names = other_names("bodies", self.model.bodies.iter().map(|b| &b.name), &saved.names)
            .or_else(|| other_names("joints", self.model.joints.iter().map(|j| &j.name), &saved.joints));
        names.or_else(|| difference(&self.model, saved.fingerprint.as_deref()?))
    }

    /// Goes on from a state with as many bodies and joints.
    fn take(&mut self, saved: Saved) -> Result<(), SimError> {
        for (i, state) in saved.state.bodies.iter().enumerate() {
            let flat = self.model.coordinates().check_state(&format!("bodies[{i}]"), state);
            flat.map_err(|error| refuse(error.to_string()))?;
        }
        self.forget_last_step()?;
        self.state = saved.state;
        self.state.ctrl = saved.ctrl.unwrap_or_else(|| vec![0.0; self.model.actuators.len()]);
        let model = &mut self.model;
        model.wrenches = saved.wrenches;
        // The list of bodies is the same: its revision stays.
        (model.ids.bodies, model.ids.joints, model.ids.next) = (saved.body_ids, saved.joint_ids, saved.next_ids);
        for (joint, motor) in model.joints.iter_mut().zip(saved.motors) {
            joint.motor = motor;
        }
        model.note_angles(&self.state);
        Ok(())
    }
}

/// What a state holds, by its age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// All.
    WithTurns,
    /// No whole turns of angles: there are none.
    Whole,
    /// No controls.
    WithoutCtrl,
    /// No controls, and a ledger of sums.
    WithSums,
}

/// What the bytes say.
struct Saved {
    dt: f64,
    state: State,
    names: Vec<String>,
    wrenches: Vec<Wrench>,
    joints: Vec<String>,
    motors: Vec<Option<Motor>>,
    body_ids: Vec<u64>,
    joint_ids: Vec<u64>,
    next_ids: [u64; 2],
    /// Controls; none in older states.
    ctrl: Option<Vec<f64>>,
    /// None in older states.
    fingerprint: Option<Vec<u8>>,
    /// Whether the ledger has sums alone.
    has_sums: bool,
}

impl Saved {
    fn read(bytes: &[u8]) -> Result<Self, SimError> {
        let Some((body, sum)) = bytes.split_last_chunk::<8>() else {
            return Err(refuse(format!("must have 16 bytes at least, found {}", bytes.len())));
        };
        let mut source = Source(body);
        let (form, has_fingerprint) = match source.take().as_ref() {
            Some(HEAD_WITH_TURNS) => (Form::WithTurns, true),
            Some(HEAD) => (Form::Whole, true),
            Some(HEAD_WITHOUT_CTRL) => (Form::WithoutCtrl, true),
            Some(HEAD_WITH_SUMS) => (Form::WithSums, true),
            Some(HEAD_WITHOUT_FINGERPRINT) => (Form::WithSums, false),
            _ => {
                return Err(refuse(
                    "must begin with STICWLD7, STICWLD6, STICWLD5, STICWLD4 or STICWLD3",
                ));
            }
        };
        if u64::from_le_bytes(*sum) != hash(body) {
            return Err(refuse(
                "must have the hash of its bytes at the end: it is damaged or cut short",
            ));
        }
        let (mut saved, warm) = Self::fields(&mut source, form).ok_or_else(|| refuse("must not end early"))?;
        if has_fingerprint {
            let fingerprint = source.bytes().ok_or_else(|| refuse("must not end early"))?;
            saved.fingerprint = Some(fingerprint.to_vec());
        }
        if !source.0.is_empty() {
            return Err(refuse("must end with its fingerprint, found more"));
        }
        saved.state.warm = WarmStart::from_bytes(warm)?;
        saved.check()?;
        Ok(saved)
    }

    fn fields<'a>(source: &mut Source<'a>, form: Form) -> Option<(Self, &'a [u8])> {
        let has_sums = form == Form::WithSums;
        let [dt] = source.numbers()?;
        let step = u64::from_le_bytes(source.take()?);
        let [time] = source.numbers()?;
        let ledger = if has_sums {
            ledger_from_sums(source.numbers()?)
        } else {
            ledger_from(source.numbers()?)
        };
        let (mut names, mut bodies, mut wrenches) = (Vec::new(), Vec::new(), Vec::new());
        // Each body takes bytes of its own: a count that is too large ends early.
        for _ in 0..u64::from_le_bytes(source.take()?) {
            names.push(source.text()?);
            bodies.push(body_state(source.numbers()?));
            let [fx, fy, fz, tx, ty, tz] = source.numbers()?;
            wrenches.push(Wrench {
                force: Vec3::new(fx, fy, fz),
                torque: Vec3::new(tx, ty, tz),
            });
        }
        let (body_ids, next_body) = source.ids(names.len())?;
        let (mut joints, mut motors) = (Vec::new(), Vec::new());
        for _ in 0..u64::from_le_bytes(source.take()?) {
            joints.push(source.text()?);
            let ([has_motor], motor) = (source.take()?, motor_from(source.numbers()?));
            motors.push((has_motor != 0).then_some(motor));
        }
        let (joint_ids, next_joint) = source.ids(joints.len())?;
        let ctrl = match form {
            Form::WithTurns | Form::Whole => Some(source.list()?),
            Form::WithoutCtrl | Form::WithSums => None,
        };
        let turns = match form {
            Form::WithTurns => source.turns()?,
            _ => Vec::new(),
        };
        let saved = Self {
            dt,
            state: State {
                time,
                step,
                bodies,
                ctrl: Vec::new(),
                turns,
                ledger,
                warm: WarmStart::default(),
            },
            names,
            wrenches,
            joints,
            motors,
            body_ids,
            joint_ids,
            next_ids: [next_body, next_joint],
            ctrl,
            fingerprint: None,
            has_sums,
        };
        Some((saved, source.bytes()?))
    }

    /// All that a step needs is finite, and rotations are rotations.
    fn check(&self) -> Result<(), SimError> {
        let finite = |field: String, numbers: &[f64]| match numbers.iter().find(|x| !x.is_finite()) {
            Some(x) => Err(refuse(format!("{field}: must be finite, found {x}"))),
            None => Ok(()),
        };
        finite("time".to_owned(), &[self.state.time])?;
        for (ids, next) in [(&self.body_ids, self.next_ids[0]), (&self.joint_ids, self.next_ids[1])] {
            // Below 2³²: keys hold two of them.
            if !ids.is_sorted_by(|a, b| a < b)
                || ids.last().is_some_and(|last| *last >= next)
                || next > u64::from(u32::MAX)
            {
                return Err(refuse("ids: must rise and lie below the next, found others"));
            }
        }
        finite("ctrl".to_owned(), self.ctrl.as_deref().unwrap_or_default())?;
        finite("ledger".to_owned(), &ledger_numbers(&self.state.ledger))?;
        for (i, (state, wrench)) in self.state.bodies.iter().zip(&self.wrenches).enumerate() {
            finite(format!("bodies[{i}].state"), &state.numbers())?;
            finite(format!("bodies[{i}].force"), wrench.force.as_slice())?;
            finite(format!("bodies[{i}].torque"), wrench.torque.as_slice())?;
            let length = state.pose.rotation.coords.norm();
            if (length - 1.0).abs() > UNIT {
                return Err(refuse(format!(
                    "bodies[{i}].rotation: must have length 1, found {length}"
                )));
            }
        }
        for (i, motor) in self.motors.iter().enumerate() {
            // The largest force may be infinite.
            let [wanted @ .., most] = motor_numbers(&motor.unwrap_or_default());
            finite(format!("joints[{i}].motor"), &wanted)?;
            if most.is_nan() {
                return Err(refuse(format!("joints[{i}].motor.most: must not be NaN, found {most}")));
            }
        }
        Ok(())
    }
}

/// The first name of a kind that is not the one that was saved, in words.
fn other_names<'a>(field: &str, names: impl ExactSizeIterator<Item = &'a String>, saved: &[String]) -> Option<String> {
    if let Err(SimError::Saved { reason }) = same_count(field, names.len(), saved.len()) {
        return Some(reason);
    }
    let other = names.zip(saved).enumerate().find(|(_, (name, found))| name != found);
    other.map(|(i, (name, found))| format!("{field}[{i}].name: must be {name:?} as in the world, found {found:?}"))
}

fn same_count(field: &str, count: usize, found: usize) -> Result<(), SimError> {
    if count == found {
        return Ok(());
    }
    Err(refuse(format!(
        "{field}: must be {count} as in the world, found {found}"
    )))
}

fn refuse(reason: impl Into<String>) -> SimError {
    SimError::Saved { reason: reason.into() }
}

/// Numbers of a ledger in a fixed order.
fn ledger_numbers(ledger: &Ledger) -> [f64; 11] {
    let Ledger {
        kinetic,
        potential,
        slip,
        impacts,
        injected,
        eased,
        numerical:
            Numerical {
                velocity,
                closing,
                returned,
                flight,
            },
        worst_gain,
    } = *ledger;
    [
        kinetic, potential, slip, impacts, injected, eased, velocity, closing, returned, flight, worst_gain,
    ]
}

fn ledger_from(numbers: [f64; 11]) -> Ledger {
    let [
        kinetic,
        potential,
        slip,
        impacts,
        injected,
        eased,
        velocity,
        closing,
        returned,
        flight,
        worst_gain,
    ] = numbers;
    Ledger {
        kinetic,
        potential,
        slip,
        impacts,
        injected,
        eased,
        numerical: Numerical {
            velocity,
            closing,
            returned,
            flight,
        },
        worst_gain,
    }
}

/// A ledger of older states. Where its sums came from is not known.
fn ledger_from_sums(numbers: [f64; 7]) -> Ledger {
    let [kinetic, potential, dissipated, injected, eased, stepping, worst_gain] = numbers;
    Ledger {
        kinetic,
        potential,
        slip: dissipated,
        injected,
        eased,
        numerical: Numerical {
            flight: stepping,
            ..Numerical::default()
        },
        worst_gain,
        ..Ledger::default()
    }
}

/// Numbers of a motor in a fixed order, the largest force last.
fn motor_numbers(motor: &Motor) -> [f64; 10] {
    let Motor {
        target,
        wave: MotorWave { amplitude, rate, phase },
        target_speed,
        stiffness,
        damping,
        force,
        most,
        held,
    } = *motor;
    [
        f64::from(u8::from(held)),
        target,
        amplitude,
        rate,
        phase,
        target_speed,
        stiffness,
        damping,
        force,
        most,
    ]
}

fn motor_from(numbers: [f64; 10]) -> Motor {
    let [
        held,
        target,
        amplitude,
        rate,
        phase,
        target_speed,
        stiffness,
        damping,
        force,
        most,
    ] = numbers;
    Motor {
        target,
        wave: MotorWave { amplitude, rate, phase },
        target_speed,
        stiffness,
        damping,
        force,
        most,
        held: held != 0.0,
    }
}

/// The inverse of [`BodyState::numbers`], bit for bit: the rotation is not normalised again.
fn body_state(numbers: [f64; 13]) -> BodyState {
    let [px, py, pz, qx, qy, qz, qw, vx, vy, vz, wx, wy, wz] = numbers;
    BodyState {
        pose: Pose {
            position: Vec3::new(px, py, pz),
            rotation: Quat::new_unchecked(nalgebra::Quaternion::new(qw, qx, qy, qz)),
        },
        velocity: Vec3::new(vx, vy, vz),
        spin: Vec3::new(wx, wy, wz),
    }
}

fn put(out: &mut Vec<u8>, numbers: &[f64]) {
    for x in numbers {
        out.extend(x.to_le_bytes());
    }
}

/// Ids of bodies or joints, and the next.
fn put_ids(out: &mut Vec<u8>, ids: &[u64], next: u64) {
    for id in ids.iter().chain([&next]) {
        out.extend(id.to_le_bytes());
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u64).to_le_bytes());
    out.extend(bytes);
}

/// A hash of bytes and of their number.
fn hash(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(mix(bytes.len() as u64), |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(hash ^ u64::from_le_bytes(word))
    })
}

/// What is left to read. Every method gives `None` where too little is.
struct Source<'a>(&'a [u8]);

impl<'a> Source<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn numbers<const N: usize>(&mut self) -> Option<[f64; N]> {
        let mut numbers = [0.0; N];
        for x in &mut numbers {
            *x = f64::from_le_bytes(self.take()?);
        }
        Some(numbers)
    }

    /// A list of numbers after its length: a count that is too large ends early.
    fn list(&mut self) -> Option<Vec<f64>> {
        let count = u64::from_le_bytes(self.take()?);
        (0..count).map(|_| self.take().map(f64::from_le_bytes)).collect()
    }

    /// Whole turns after their number.
    fn turns(&mut self) -> Option<Vec<i32>> {
        let count = u64::from_le_bytes(self.take()?);
        (0..count).map(|_| self.take().map(i32::from_le_bytes)).collect()
    }

    /// So many ids, and the next.
    fn ids(&mut self, count: usize) -> Option<(Vec<u64>, u64)> {
        let mut id = || self.take().map(u64::from_le_bytes);
        let ids = (0..count).map(|_| id()).collect::<Option<Vec<u64>>>()?;
        Some((ids, id()?))
    }

    fn text(&mut self) -> Option<String> {
        Some(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(u64::from_le_bytes(self.take()?)).ok()?;
        let (first, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::body::{Body, Kind, Material};
    use crate::shape::Shape;

    fn world() -> World {
        let mut world = World::new(Settings::default()).unwrap();
        for (name, kind, shape) in [
            ("ground", Kind::Fixed, Shape::HalfSpace { normal: Vec3::z() }),
            (
                "box",
                Kind::Dynamic {
                    mass: 1.0,
                    inertia_body: crate::Mat3::identity(),
                },
                Shape::cuboid(Vec3::repeat(0.5)),
            ),
        ] {
            let body = Body {
                name: name.to_owned(),
                kind,
                shape,
                material: Material::of_friction(0.5),
                groups: 1,
                origin_body: Vec3::zeros(),
            };
            let mut state = BodyState::default();
            state.pose.position.z = if name == "box" { 0.5 } else { 0.0 };
            world.add_body(body, state).unwrap();
        }
        for _ in 0..3 {
            world.step().unwrap();
        }
        world
    }

    /// Bytes with a valid hash at their end.
    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.truncate(bytes.len() - 8);
        let sum = hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    #[test]
    fn a_state_out_of_the_plane_is_refused() {
        let flat = || {
            let mut world = World::new(Settings::planar()).unwrap();
            let body = Body {
                name: "disc".to_owned(),
                kind: Kind::Kinematic,
                shape: Shape::Planar(crate::planar::PlanarShape::Disc { radius: 1.0 }),
                material: Material::of_friction(0.5),
                groups: 1,
                origin_body: Vec3::zeros(),
            };
            world.add_body(body, BodyState::default()).unwrap();
            world
        };
        let mut bytes = flat().save();
        assert_eq!(flat().load(&bytes), Ok(Loaded::default()));
        let z = 8 + 24 + 88 + 8 + 8 + "disc".len() + 16;
        bytes[z..z + 8].copy_from_slice(&0.5_f64.to_le_bytes());
        assert_eq!(
            flat().load(&sealed(bytes)).unwrap_err().to_string(),
            "saved state: bodies[0].position.z: must be 0 in a planar world, found 0.5"
        );
    }

    #[test]
    fn a_ledger_of_sums_is_taken_with_a_warning() {
        let mut world = world();
        let numerical = Numerical {
            velocity: 8.0,
            closing: 4.0,
            returned: 2.0,
            flight: 1.0,
        };
        let ledger = Ledger {
            slip: 1.0,
            impacts: 2.0,
            injected: 5.0,
            eased: 6.0,
            numerical,
            ..world.state.ledger
        };
        world.state.ledger = ledger;
        let new = world.save();
        assert_eq!(world.load(&new), Ok(Loaded::default()));
        assert_eq!(world.state.ledger, ledger);
        let (kinetic, potential) = (ledger.kinetic, ledger.potential);
        let mut old = [HEAD_WITH_SUMS, &new[8..32]].concat();
        put(&mut old, &[kinetic, potential, 3.0, 5.0, 6.0, 11.0, ledger.worst_gain]);
        // Older states have no count of controls before the warm start.
        let after = 8 + world.state.warm.to_bytes().len() + 8 + fingerprint(&world.model).len() + 8;
        old.extend(&new[32 + 88..new.len() - after - 8]);
        old.extend(&new[new.len() - after..]);
        let old = sealed(old);
        let loaded = Loaded {
            warnings: vec![SUMS.to_owned()],
        };
        assert_eq!(world.load(&old), Ok(loaded.clone()));
        let taken = world.state.ledger;
        assert_eq!((taken.slip, taken.impacts, taken.numerical.flight), (3.0, 0.0, 11.0));
        assert_eq!(taken.balance(), ledger.balance());
        assert_eq!(world.load_forced(&old), Ok(loaded));
    }

    /// A state of the form before controls: the same bytes without their count, all of which is taken.
    #[test]
    fn a_state_without_controls_is_taken_as_it_is() {
        let mut world = world();
        let numerical = Numerical {
            velocity: 8.0,
            closing: 4.0,
            returned: 2.0,
            flight: 1.0,
        };
        world.state.ledger = Ledger {
            slip: 1.0,
            impacts: 2.0,
            numerical,
            ..world.state.ledger
        };
        let (saved, new) = (world.state.clone(), world.save());
        let after = 8 + world.state.warm.to_bytes().len() + 8 + fingerprint(&world.model).len() + 8;
        let old = [
            HEAD_WITHOUT_CTRL,
            &new[8..new.len() - after - 8],
            &new[new.len() - after..],
        ]
        .concat();
        let old = sealed(old);
        let mut ahead = world.clone();
        world.step().unwrap();
        assert_ne!(world.state, saved);
        assert_eq!(world.load(&old), Ok(Loaded::default()));
        assert_eq!(world.state, saved);
        // It goes on with the same bits, and is saved in the form of now.
        assert_eq!(world.save(), new);
        ahead.step().unwrap();
        world.step().unwrap();
        assert_eq!(world.state, ahead.state);
        assert!(world.load(&old[..old.len() - 1]).is_err());
        assert!(world.load(&sealed([HEAD, &old[8..]].concat())).is_err());
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let (mut world, bytes) = (world(), world().save());
        let before = world.clone();
        for at in 0..bytes.len() {
            for bit in [0, 7] {
                let mut bytes = bytes.clone();
                bytes[at] ^= 1 << bit;
                assert!(world.load(&bytes).is_err(), "{at}");
            }
            assert!(world.load(&bytes[..at]).is_err(), "{at}");
        }
        assert_eq!(world.state, before.state);
    }

    #[test]
    fn mangled_bytes_with_a_valid_hash_do_no_harm() {
        let (mut world, bytes) = (world(), world().save());
        let (mut loaded, mut seed) = (0, 1);
        for _ in 0..20_000 {
            let mut bytes = bytes.clone();
            for _ in 0..3 {
                seed = mix(seed);
                let at = 8 + usize::try_from(seed >> 8).unwrap_or(0) % (bytes.len() - 8);
                bytes[at] = u8::try_from(seed & 0xFF).unwrap();
            }
            if world.load(&sealed(bytes)).is_ok() {
                loaded += 1;
                let _ = world.step();
            }
        }
        assert!(loaded > 100, "{loaded}");
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let mut world = world();
        let good = world.save();
        let mut text = |bytes: &[u8]| world.load(bytes).unwrap_err().to_string();
        assert_eq!(text(b"abc"), "saved state: must have 16 bytes at least, found 3");
        assert_eq!(
            text(&[7; 40]),
            "saved state: must begin with STICWLD7, STICWLD6, STICWLD5, STICWLD4 or STICWLD3"
        );
        assert_eq!(
            text(&good[..good.len() - 1]),
            "saved state: must have the hash of its bytes at the end: it is damaged or cut short"
        );
        let mut other = good.clone();
        other[8..16].copy_from_slice(&0.5_f64.to_le_bytes());
        assert_eq!(
            text(&sealed(other)),
            "saved state: dt: must be 0.001 as in the world, found 0.5"
        );
        let names = 8 + 24 + 88 + 8 + 8;
        let mut other = good.clone();
        other[names] = b'G';
        assert_eq!(
            text(&sealed(other)),
            "saved state: bodies[0].name: must be \"ground\" as in the world, found \"Ground\""
        );
        let mut other = good.clone();
        other[names + 6..names + 14].copy_from_slice(&f64::NAN.to_le_bytes());
        assert_eq!(
            text(&sealed(other)),
            "saved state: bodies[0].state: must be finite, found NaN"
        );
        let mut other = good;
        other[names + 6 + 48..names + 6 + 56].copy_from_slice(&2.0_f64.to_le_bytes());
        assert_eq!(
            text(&sealed(other)),
            "saved state: bodies[0].rotation: must have length 1, found 2"
        );
        let mut empty = World::new(Settings::default()).unwrap();
        let error = empty.load(&world.save()).unwrap_err().to_string();
        assert_eq!(error, "saved state: bodies: must be 0 as in the world, found 2");
    }
}
