//! Many worlds through many steps: trajectories under given controls, and worlds that step together. Python makes the arrays; everything here happens without the GIL.

use std::collections::BTreeMap;
use std::process;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadwriteArrayDyn};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction_sim::body::Kind;
use stiction_sim::state::State;
use stiction_sim::{Member, Pose, SimError, StepReport, Vec3, Wrench};

use crate::array::{Numbers, finite};
use crate::error::wrong;
use crate::given::count;
use crate::interrupt::STACK;
use crate::scenes::{MAX_THREADS, watched};
use crate::steps::Steps;
use crate::world::World;

/// Numbers of a body's state.
pub(crate) const BODY: usize = 13;
/// Names of the outcomes of a step; their places are the codes in arrays.
pub(crate) const OUTCOMES: [&str; 12] = [
    "solved",
    "ray",
    "pivot_limit",
    "inaccurate",
    "not_round",
    "unbounded_drive",
    "no_side",
    "search_limit",
    "outrun",
    "spin",
    "error",
    "not_made",
];
/// The code of a step that was not made, because one before it failed.
const NOT_MADE: u8 = 11;

fn code(status: &str) -> u8 {
    let place = OUTCOMES.iter().position(|name| *name == status);
    place.and_then(|k| u8::try_from(k).ok()).unwrap_or(10)
}

/// Bodies that a state vector has: all that are not fixed, in their order.
pub(crate) fn moving(world: &stiction_sim::World) -> Vec<usize> {
    let bodies = world.bodies().iter().enumerate();
    bodies
        .filter(|(_, b)| !matches!(b.kind, Kind::Fixed))
        .map(|(k, _)| k)
        .collect()
}

/// Writes the state vector of a world.
pub(crate) fn write_state(world: &stiction_sim::World, moving: &[usize], out: &mut [f64]) {
    for (body, place) in moving.iter().zip(out.chunks_exact_mut(BODY)) {
        place.copy_from_slice(&world.state().bodies[*body].numbers());
    }
}

/// Sets the state vector of a world. Bodies that are there already stay as they are, to the bit.
pub(crate) fn set_state(world: &mut stiction_sim::World, moving: &[usize], state: &[f64]) -> Result<(), SimError> {
    for (body, row) in moving.iter().zip(state.chunks_exact(BODY)) {
        let now = world.state().bodies[*body];
        let have = now.numbers();
        if have[..7] != row[..7] {
            let mut rotation = now.pose.rotation.into_inner();
            let c = &mut rotation.coords;
            (c.x, c.y, c.z, c.w) = (row[3], row[4], row[5], row[6]);
            let pose = Pose {
                position: Vec3::new(row[0], row[1], row[2]),
                rotation: stiction_sim::Quat::new_unchecked(rotation),
            };
            world.set_pose(*body, pose)?;
        }
        if have[7..] != row[7..] {
            let (v, w) = (Vec3::new(row[7], row[8], row[9]), Vec3::new(row[10], row[11], row[12]));
            world.set_velocity(*body, v, w)?;
        }
    }
    Ok(())
}

/// Writes what all sensors read.
fn read_sensors(world: &stiction_sim::World, out: &mut [f64]) {
    // There is room for as many as there are.
    let _ = world.sensor_values(out);
}

/// What all worlds of a call have in common.
struct Shape {
    moving: Vec<usize>,
    controls: usize,
    readings: usize,
}

impl Shape {
    fn of(world: &stiction_sim::World) -> Self {
        Self {
            moving: moving(world),
            controls: world.actuators().len(),
            readings: world.sensor_count(),
        }
    }

    fn state(&self) -> usize {
        BODY * self.moving.len()
    }
}

/// Where the outcome of a control goes.
struct Place<'a> {
    state: &'a mut [f64],
    sensors: &'a mut [f64],
    status: &'a mut u8,
    contacts: &'a mut i32,
    normal_force: &'a mut f64,
    residual: &'a mut f64,
    penetration: &'a mut f64,
}

/// Arrays that a caller has made, as slices.
struct Arrays<'a> {
    state: &'a mut [f64],
    sensors: &'a mut [f64],
    status: &'a mut [u8],
    contacts: &'a mut [i32],
    normal_force: &'a mut [f64],
    residual: &'a mut [f64],
    penetration: &'a mut [f64],
}

impl<'a> Arrays<'a> {
    /// Parts of `entries` entries each.
    fn split(self, entries: usize, shape: &Shape) -> impl Iterator<Item = Arrays<'a>> {
        let widths = [shape.state() * entries, shape.readings * entries];
        let mut wide = [self.state, self.sensors];
        let rest = (self.status.chunks_exact_mut(entries.max(1)))
            .zip(self.contacts.chunks_exact_mut(entries.max(1)))
            .zip(self.normal_force.chunks_exact_mut(entries.max(1)))
            .zip(self.residual.chunks_exact_mut(entries.max(1)))
            .zip(self.penetration.chunks_exact_mut(entries.max(1)));
        rest.map(move |((((status, contacts), normal_force), residual), penetration)| {
            let mut take = |k: usize| {
                let (first, later) = std::mem::take(&mut wide[k]).split_at_mut(widths[k]);
                wide[k] = later;
                first
            };
            Arrays {
                state: take(0),
                sensors: take(1),
                status,
                contacts,
                normal_force,
                residual,
                penetration,
            }
        })
    }

    /// The one entry of a part.
    fn entry(self) -> Place<'a> {
        Place {
            state: self.state,
            sensors: self.sensors,
            status: &mut self.status[0],
            contacts: &mut self.contacts[0],
            normal_force: &mut self.normal_force[0],
            residual: &mut self.residual[0],
            penetration: &mut self.penetration[0],
        }
    }
}

/// What drives a world at one control.
struct Drive<'a> {
    controls: &'a [f64],
    /// Force and torque of each of the bodies.
    wrenches: &'a [f64],
    bodies: &'a [usize],
    substeps: u64,
}

impl Drive<'_> {
    /// Sets controls and forces, and makes the steps; the error of a step that has failed.
    fn run(&self, world: &mut stiction_sim::World, shape: &Shape, out: &mut Place<'_>) -> Result<(), SimError> {
        if !self.controls.is_empty() {
            world.set_ctrl(self.controls)?;
        }
        for (body, w) in self.bodies.iter().zip(self.wrenches.chunks_exact(6)) {
            let (force, torque) = (Vec3::new(w[0], w[1], w[2]), Vec3::new(w[3], w[4], w[5]));
            world.apply(*body, Wrench { force, torque })?;
        }
        let (mut residual, mut depth, mut failed) = (0.0_f64, 0.0_f64, Ok(()));
        for _ in 0..self.substeps {
            match world.step() {
                Ok(StepReport {
                    residual: found,
                    depth: deep,
                    ..
                }) => (residual, depth) = (residual.max(found), depth.max(deep)),
                Err(error) => {
                    failed = Err(error);
                    break;
                }
            }
        }
        write_state(world, &shape.moving, out.state);
        read_sensors(world, out.sensors);
        (*out.residual, *out.penetration) = (residual, depth);
        let found = world.contacts().len().min(world.solution().normal_impulse.len());
        let pushes = world.solution().normal_impulse[..found].iter();
        *out.contacts = i32::try_from(found).unwrap_or(i32::MAX);
        *out.normal_force = pushes.sum::<f64>() / world.solved_length();
        *out.status = 0;
        failed
    }
}

/// How a world ended.
#[derive(Default)]
struct End {
    made: u64,
    time: f64,
    hash: u64,
    message: Option<String>,
}

/// An array that the caller has made, to be written to.
fn writable<'py, T: Element>(arrays: &Bound<'py, PyDict>, name: &str) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
    let array = arrays.get_item(name)?;
    let array = array.as_ref().and_then(|array| array.cast::<PyArrayDyn<T>>().ok());
    let array = array.and_then(|array| array.try_readwrite().ok());
    array.ok_or_else(|| wrong(name, "must be an array that can be written to", "another"))
}

/// The entries of such an array.
fn entries<'a, T: Element>(array: &'a mut PyReadwriteArrayDyn<'_, T>, name: &str) -> PyResult<&'a mut [T]> {
    let entries = array.as_slice_mut();
    entries.map_err(|_| wrong(name, "must be contiguous, rows first", "another layout"))
}

/// Numbers that are given, of a known shape.
fn given<'py>(value: Option<&Bound<'py, PyAny>>, path: &str, shape: &[usize]) -> PyResult<Option<Numbers<'py>>> {
    let shape: Vec<Option<usize>> = shape.iter().map(|side| Some(*side)).collect();
    value.map(|value| finite(value, path, &shape)).transpose()
}

/// Threads that step worlds; 0 leaves the number to rayon.
fn pool(threads: Option<&Bound<'_, PyAny>>) -> PyResult<rayon::ThreadPool> {
    let threads = threads.map_or(Ok(0), |threads| count(threads, "threads", 1, MAX_THREADS))?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(usize::try_from(threads).unwrap_or(0))
        .stack_size(STACK)
        .build();
    pool.map_err(|error| wrong("threads", "must be threads that can be started", error))
}

/// Names where a world of several differs from the first.
fn same_shape(worlds: &[stiction_sim::World]) -> PyResult<Shape> {
    let first = worlds.first().map(Shape::of);
    let first = first.ok_or_else(|| wrong("worlds", "must have a world", "none"))?;
    for (i, world) in worlds.iter().enumerate() {
        let other = Shape::of(world);
        for (what, want, found) in [
            ("bodies that move", first.moving.len(), other.moving.len()),
            ("actuators", first.controls, other.controls),
            ("readings of sensors", first.readings, other.readings),
        ] {
            if want != found {
                return Err(wrong(
                    format!("worlds[{i}]"),
                    format!("must have {want} {what}, as worlds[0] has"),
                    found,
                ));
            }
        }
    }
    Ok(first)
}

/// Copies of worlds.
fn copies(worlds: &[Bound<'_, World>]) -> PyResult<Vec<stiction_sim::World>> {
    let busy = |_| PyRuntimeError::new_err("world: is being stepped by another thread");
    worlds
        .iter()
        .map(|w| Ok(w.try_borrow().map_err(busy)?.inner.clone()))
        .collect()
}

/// Bodies by name, in the first of the worlds.
fn named(world: &stiction_sim::World, names: &[String]) -> PyResult<Vec<usize>> {
    let find = |(k, name): (usize, &String)| {
        let found = world.find_body(name);
        found.ok_or_else(|| {
            wrong(
                format!("bodies[{k}]"),
                "must be the name of a body",
                format!("'{name}'"),
            )
        })
    };
    names.iter().enumerate().map(find).collect()
}

/// A world's part of a rollout.
struct Task<'a> {
    initial: &'a [f64],
    controls: &'a [f64],
    wrenches: &'a [f64],
    out: Arrays<'a>,
    end: &'a mut End,
}

/// What the worlds of a rollout have in common.
struct Plan<'a> {
    shape: &'a Shape,
    bodies: &'a [usize],
    substeps: u64,
}

impl Plan<'_> {
    /// A world's trajectory; what stops it is its end's message.
    fn run(&self, mut world: stiction_sim::World, task: Task<'_>, stop: &AtomicBool) {
        let Task {
            initial,
            controls,
            wrenches,
            out,
            end,
        } = task;
        let steps = world.state().step;
        let mut failed = set_state(&mut world, &self.shape.moving, initial).err();
        for (t, part) in out.split(1, self.shape).enumerate() {
            let mut place = part.entry();
            if failed.is_some() || stop.load(Relaxed) {
                write_state(&world, &self.shape.moving, place.state);
                place.sensors.fill(f64::NAN);
                (*place.contacts, *place.normal_force) = (0, f64::NAN);
                (*place.residual, *place.penetration) = (f64::NAN, f64::NAN);
                *place.status = NOT_MADE;
                continue;
            }
            let drive = Drive {
                controls: part_of(controls, t, self.shape.controls),
                wrenches: part_of(wrenches, t, 6 * self.bodies.len()),
                bodies: self.bodies,
                substeps: self.substeps,
            };
            if let Err(error) = drive.run(&mut world, self.shape, &mut place) {
                *place.status = code(Steps::status_of(&error));
                failed = Some(error);
            }
        }
        *end = End {
            made: world.state().step - steps,
            time: world.state().time,
            hash: world.state().hash(),
            message: failed.map(|error| error.to_string()),
        };
    }
}

/// The entries of one control; none where there are none at all.
fn part_of(all: &[f64], at: usize, width: usize) -> &[f64] {
    all.get(at * width..(at + 1) * width).unwrap_or(&[])
}

/// Steps, times, hashes of states and messages of all worlds at their ends.
type Ends = (Vec<u64>, Vec<f64>, Vec<u64>, Vec<Option<String>>);

/// Trajectories of copies of worlds, one or as many as there are, written to the arrays of `out`. Gives steps, times, hashes and messages at the end.
#[pyfunction]
#[pyo3(signature = (worlds, shape, substeps, threads, initial, controls, wrenches, bodies, out))]
#[allow(clippy::too_many_arguments, clippy::needless_pass_by_value)] // Python hands them over
pub(crate) fn _rollout(
    py: Python<'_>,
    worlds: Vec<Bound<'_, World>>,
    shape: [usize; 2],
    substeps: u64,
    threads: Option<&Bound<'_, PyAny>>,
    initial: Option<&Bound<'_, PyAny>>,
    controls: Option<&Bound<'_, PyAny>>,
    wrenches: Option<&Bound<'_, PyAny>>,
    bodies: Vec<String>,
    out: &Bound<'_, PyDict>,
) -> PyResult<Ends> {
    let worlds = copies(&worlds)?;
    let common = same_shape(&worlds)?;
    let [batch, length] = shape;
    let bodies = named(&worlds[0], &bodies)?;
    let initial = given(initial, "initial", &[batch, common.state()])?;
    let controls = given(controls, "controls", &[batch, length, common.controls])?;
    let wrenches = given(wrenches, "wrenches", &[batch, length, bodies.len(), 6])?;
    let pool = pool(threads)?;
    let mut held = Held::of(out)?;
    let all = held.arrays()?;
    let plan = Plan {
        shape: &common,
        bodies: &bodies,
        substeps,
    };
    let mut ends: Vec<End> = (0..batch).map(|_| End::default()).collect();
    let [initial, controls, wrenches] =
        [&initial, &controls, &wrenches].map(|given| given.as_ref().map_or(&[][..], Numbers::values));
    watched(py, |stop| {
        let parts = all.split(length, plan.shape).zip(&mut ends).enumerate();
        let tasks = parts.map(|(i, (out, end))| Task {
            initial: part_of(initial, i, plan.shape.state()),
            controls: part_of(controls, i, length * plan.shape.controls),
            wrenches: part_of(wrenches, i, length * 6 * plan.bodies.len()),
            out,
            end,
        });
        let queue = Mutex::new(tasks.enumerate());
        // The lock is let go before a world runs. It is only poisoned by a panic, which is a bug and ends the rollout.
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        pool.broadcast(|_| {
            while let Some((i, task)) = next() {
                plan.run(worlds[i % worlds.len()].clone(), task, stop);
            }
        });
    })?;
    Ok((
        ends.iter().map(|end| end.made).collect(),
        ends.iter().map(|end| end.time).collect(),
        ends.iter().map(|end| end.hash).collect(),
        ends.into_iter().map(|end| end.message).collect(),
    ))
}

/// The arrays of a caller while they are written to.
struct Held<'py> {
    state: PyReadwriteArrayDyn<'py, f64>,
    sensors: PyReadwriteArrayDyn<'py, f64>,
    status: PyReadwriteArrayDyn<'py, u8>,
    contacts: PyReadwriteArrayDyn<'py, i32>,
    normal_force: PyReadwriteArrayDyn<'py, f64>,
    residual: PyReadwriteArrayDyn<'py, f64>,
    penetration: PyReadwriteArrayDyn<'py, f64>,
}

impl<'py> Held<'py> {
    fn of(out: &Bound<'py, PyDict>) -> PyResult<Self> {
        Ok(Self {
            state: writable(out, "states")?,
            sensors: writable(out, "sensors")?,
            status: writable(out, "status")?,
            contacts: writable(out, "contact_count")?,
            normal_force: writable(out, "normal_force")?,
            residual: writable(out, "residual")?,
            penetration: writable(out, "penetration")?,
        })
    }

    fn arrays(&mut self) -> PyResult<Arrays<'_>> {
        Ok(Arrays {
            state: entries(&mut self.state, "states")?,
            sensors: entries(&mut self.sensors, "sensors")?,
            status: entries(&mut self.status, "status")?,
            contacts: entries(&mut self.contacts, "contact_count")?,
            normal_force: entries(&mut self.normal_force, "normal_force")?,
            residual: entries(&mut self.residual, "residual")?,
            penetration: entries(&mut self.penetration, "penetration")?,
        })
    }
}

/// The worlds of a vector: copies of one model take turns in the buffers of the threads, others have their own.
enum Members {
    /// Copies of one world, and a world for each thread to step them in: one after the other is stepped in buffers that stay in its caches.
    Copies {
        members: Vec<Member>,
        rooms: Vec<Mutex<stiction_sim::World>>,
    },
    /// Worlds of their own models.
    Own(Vec<stiction_sim::World>),
}

/// One of them.
enum One<'a> {
    Copy(&'a mut Member, &'a [Mutex<stiction_sim::World>]),
    Own(&'a mut stiction_sim::World),
}

impl Members {
    /// `count` of them, from one world or as many.
    fn of(starts: &[stiction_sim::World], count: usize, threads: usize) -> Self {
        match starts {
            [start] => Self::Copies {
                members: vec![start.member(); count],
                rooms: (0..threads).map(|_| Mutex::new(start.clone())).collect(),
            },
            _ => Self::Own(starts.to_vec()),
        }
    }

    /// Makes room for more threads.
    fn make_room(&mut self, starts: &[stiction_sim::World], threads: usize) {
        if let Self::Copies { rooms, .. } = self {
            rooms.resize_with(threads.max(rooms.len()), || Mutex::new(starts[0].clone()));
        }
    }

    /// All of them, to be stepped.
    fn each(&mut self) -> Vec<One<'_>> {
        match self {
            Self::Copies { members, rooms } => members.iter_mut().map(|member| One::Copy(member, rooms)).collect(),
            Self::Own(worlds) => worlds.iter_mut().map(One::Own).collect(),
        }
    }

    /// Their states.
    fn states(&self) -> Vec<&State> {
        match self {
            Self::Copies { members, .. } => members.iter().map(Member::state).collect(),
            Self::Own(worlds) => worlds.iter().map(stiction_sim::World::state).collect(),
        }
    }

    /// Puts a world in the place of one.
    fn put(&mut self, at: usize, world: stiction_sim::World) {
        match self {
            Self::Copies { members, .. } => members[at] = world.member(),
            Self::Own(worlds) => worlds[at] = world,
        }
    }
}

impl One<'_> {
    /// Does something with it as a world, on the thread of this number.
    fn with<T>(
        self,
        thread: usize,
        work: impl FnOnce(&mut stiction_sim::World) -> Result<T, SimError>,
    ) -> Result<T, SimError> {
        match self {
            Self::Own(world) => work(world),
            Self::Copy(member, rooms) => {
                // Each thread has a room of its own: it never waits. The lock is only poisoned by a panic, which is a bug.
                let mut world = rooms[thread].lock().unwrap_or_else(PoisonError::into_inner);
                world.exchange(member)?;
                let done = work(&mut world);
                world.exchange(member)?;
                done
            }
        }
    }
}

/// Worlds that step together.
#[pyclass(module = "stiction._stiction")]
pub(crate) struct _Worlds {
    /// As they start, one or as many as there are.
    starts: Vec<stiction_sim::World>,
    members: Members,
    count: usize,
    shape: Shape,
    pool: rayon::ThreadPool,
    threads: Option<Py<PyAny>>,
    /// The process whose threads the pool has.
    process: u32,
}

#[pymethods]
impl _Worlds {
    #[new]
    #[pyo3(signature = (worlds, count, threads))]
    #[allow(clippy::needless_pass_by_value)] // Python hands it over
    fn new(worlds: Vec<Bound<'_, World>>, count: usize, threads: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let starts = copies(&worlds)?;
        let shape = same_shape(&starts)?;
        let pool = pool(threads)?;
        Ok(Self {
            members: Members::of(&starts, count, pool.current_num_threads()),
            starts,
            count,
            shape,
            pool,
            threads: threads.map(|threads| threads.clone().unbind()),
            process: process::id(),
        })
    }

    /// Numbers of a state, of controls and of readings.
    #[getter]
    fn widths(&self) -> [usize; 3] {
        [self.shape.state(), self.shape.controls, self.shape.readings]
    }

    /// Steps all worlds under their controls; messages of those that failed, by index.
    #[pyo3(signature = (substeps, controls, wrenches, bodies, out))]
    #[allow(clippy::needless_pass_by_value)] // Python hands it over
    fn step(
        &mut self,
        py: Python<'_>,
        substeps: u64,
        controls: Option<&Bound<'_, PyAny>>,
        wrenches: Option<&Bound<'_, PyAny>>,
        bodies: Vec<String>,
        out: &Bound<'_, PyDict>,
    ) -> PyResult<BTreeMap<usize, String>> {
        if self.process != process::id() {
            let threads = self.threads.as_ref().map(|threads| threads.bind(py).clone());
            // Threads of the parent's pool are not here to be ended.
            std::mem::forget(std::mem::replace(&mut self.pool, pool(threads.as_ref())?));
            self.process = process::id();
            self.members.make_room(&self.starts, self.pool.current_num_threads());
        }
        let batch = self.count;
        let bodies = named(&self.starts[0], &bodies)?;
        let controls = given(controls, "ctrl", &[batch, self.shape.controls])?;
        let wrenches = given(wrenches, "wrenches", &[batch, bodies.len(), 6])?;
        let mut held = Held::of(out)?;
        let all = held.arrays()?;
        let [controls, wrenches] = [&controls, &wrenches].map(|given| given.as_ref().map_or(&[][..], Numbers::values));
        let (shape, pool) = (&self.shape, &self.pool);
        let worlds = self.members.each();
        let failed = Mutex::new(BTreeMap::new());
        py.detach(|| {
            let queue = Mutex::new(worlds.into_iter().zip(all.split(1, shape)).enumerate());
            let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            pool.broadcast(|thread| {
                while let Some((i, (one, part))) = next() {
                    let mut place = part.entry();
                    let drive = Drive {
                        controls: part_of(controls, i, shape.controls),
                        wrenches: part_of(wrenches, i, 6 * bodies.len()),
                        bodies: &bodies,
                        substeps,
                    };
                    if let Err(error) = one.with(thread.index(), |world| drive.run(world, shape, &mut place)) {
                        *place.status = code(Steps::status_of(&error));
                        let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                        failed.insert(i, error.to_string());
                    }
                }
            });
        });
        Ok(failed.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts some worlds back to their start, or to the states in the rows of `initial`; writes their states.
    #[pyo3(signature = (which, initial, out))]
    #[allow(clippy::needless_pass_by_value)] // Python hands it over
    fn reset(
        &mut self,
        which: Vec<usize>,
        initial: Option<&Bound<'_, PyAny>>,
        out: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        let width = self.shape.state();
        let initial = given(initial, "initial", &[which.len(), width])?;
        let rows = initial.as_ref().map_or(&[][..], Numbers::values);
        let mut held = Held::of(out)?;
        let out = held.arrays()?;
        for (k, i) in which.iter().enumerate() {
            let mut world = self.starts[i % self.starts.len()].clone();
            let row = part_of(rows, k, width);
            let set = set_state(&mut world, &self.shape.moving, row);
            set.map_err(|error| wrong(format!("initial[{k}]"), "must be a state of the world", error))?;
            write_state(&world, &self.shape.moving, &mut out.state[i * width..(i + 1) * width]);
            let readings = self.shape.readings;
            read_sensors(&world, &mut out.sensors[i * readings..(i + 1) * readings]);
            (out.status[*i], out.contacts[*i]) = (0, 0);
            self.members.put(*i, world);
        }
        Ok(())
    }

    /// Times of all worlds [s].
    fn times(&self) -> Vec<f64> {
        self.members.states().iter().map(|state| state.time).collect()
    }

    /// Hashes of their states.
    fn hashes(&self) -> Vec<u64> {
        self.members.states().iter().map(|state| state.hash()).collect()
    }
}

#[pymethods]
impl World {
    /// Names of the bodies that `state` has: all that are not fixed.
    #[getter]
    fn moving_names(&self) -> Vec<&str> {
        let names = moving(&self.inner).into_iter();
        names.map(|body| self.inner.bodies()[body].name.as_str()).collect()
    }

    /// The state vector, 13 numbers for each body that is not fixed: centre of mass [m], quaternion x, y, z, w, velocity [m/s], angular velocity [rad/s]. Setting it keeps time, forces and
    /// what the solver starts from.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let moving = moving(&self.inner);
        let mut state = vec![0.0; BODY * moving.len()];
        write_state(&self.inner, &moving, &mut state);
        crate::record::list(py, &state)
    }

    #[setter]
    fn set_state(&mut self, state: &Bound<'_, PyAny>) -> PyResult<()> {
        let moving = moving(&self.inner);
        let state = finite(state, "state", &[Some(BODY * moving.len())])?;
        set_state(&mut self.inner, &moving, state.values()).map_err(crate::error::of_sim)
    }
}
