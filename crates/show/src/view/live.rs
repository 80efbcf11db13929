//! A world that is simulated as viewers watch: one thread that steps it in real time, does what they ask, and publishes the latest moment.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use stiction_contact::{Law, Method};
use stiction_record::{ContactsRecord, PosesRecord, Since, StatsRecord, WorldRecord};
use stiction_scene::{Scene, ScenePair, WorldExt};
use stiction_sim::{SimError, StepReport, World, Wrench};
use stiction_stand::why::{Asked, Moment};
use tokio::sync::{mpsc, watch};

use super::command::{AtEnd, Command};
use super::pull::{self, Pull};
use super::snapshot::{Explained, Hello, LawChoice, Running, Said, Snapshot, text};

/// Least time between two moments that are published, and what a second may hold of them \[bytes\].
const PUBLISH_EVERY: Duration = Duration::from_millis(33);
const MAX_BYTES_PER_SECOND: f64 = 4e6;
/// The world is behind for good where it is behind by this; it then goes on from where it is.
const MAX_LAG: Duration = Duration::from_millis(200);
/// Time over which the pace is measured.
const PACE_WINDOW: Duration = Duration::from_millis(500);
/// Work spent on which forces are unique, in multiplications: while it plays, and while it waits.
const UNIQUENESS_WORK_PLAYING: f64 = 1e6;
const UNIQUENESS_WORK_WAITING: f64 = 3e8;
/// Requests that may wait for the world.
const MAX_WAITING_REQUESTS: usize = 1024;

/// What is sent to the world's thread.
pub(super) enum Request {
    /// A viewer comes; answers to it go there.
    Join(u64, mpsc::Sender<Utf8Bytes>),
    /// A viewer goes.
    Leave(u64),
    /// A viewer asks for something.
    Do(u64, Command),
}

/// The way to the world's thread.
pub(super) struct Handle {
    pub(super) requests: SyncSender<Request>,
    pub(super) moments: watch::Receiver<Arc<Snapshot>>,
    pub(super) hello: Utf8Bytes,
}

/// A world and how it is run.
pub struct Live {
    /// As it was read.
    scene: Scene,
    /// As it is run: other law, method, friction.
    changed: Scene,
    friction: Option<f64>,
    world: World,
    playing: bool,
    speed: f64,
    failed: Option<String>,
    /// Counts beginnings.
    run: u64,
    /// What happens where the scene's duration has passed, and whether somebody has pulled since the beginning: what the scene says of its
    /// end is then no longer about this run.
    end: AtEnd,
    pulled: bool,
    viewers: Vec<(u64, mpsc::Sender<Utf8Bytes>)>,
    pulls: Vec<(u64, Pull)>,
    report: StepReport,
    /// Since the last moment, and up to it.
    since: Since,
    counted: Since,
    /// Numbers of the world's description and of the frame that were last published.
    revisions: [u64; 2],
    snapshot: Snapshot,
    pace: Pace,
}

/// Simulated time per time.
#[derive(Debug, Clone, Copy)]
struct Pace {
    from: (Instant, f64),
    value: f64,
}

impl Live {
    /// The world of a scene.
    pub fn new(scene: Scene, playing: bool) -> Result<Self, SimError> {
        let world = World::from_scene(&scene)?;
        Ok(Self {
            changed: scene.clone(),
            scene,
            friction: None,
            world,
            playing,
            speed: 1.0,
            failed: None,
            run: 0,
            end: AtEnd::default(),
            pulled: false,
            viewers: Vec::new(),
            pulls: Vec::new(),
            report: StepReport::default(),
            since: Since::default(),
            counted: Since::default(),
            revisions: [0; 2],
            snapshot: Snapshot::default(),
            pace: Pace {
                from: (Instant::now(), 0.0),
                value: 0.0,
            },
        })
    }

    /// Starts the thread.
    pub(super) fn start(mut self) -> std::io::Result<Handle> {
        let (requests, receiver) = sync_channel(MAX_WAITING_REQUESTS);
        let hello = text("hello", &self.hello());
        self.describe();
        self.take_moment(UNIQUENESS_WORK_WAITING);
        let (sender, moments) = watch::channel(Arc::new(self.snapshot.clone()));
        std::thread::Builder::new()
            .name("world".to_owned())
            .spawn(move || self.work(&receiver, &sender))?;
        Ok(Handle {
            requests,
            moments,
            hello,
        })
    }

    fn hello(&self) -> Hello<'_> {
        let methods = |law: Law| {
            let all = Method::ALL.iter().filter(|m| m.laws().contains(&law));
            all.map(|m| m.name()).collect()
        };
        let laws = Law::ALL.iter().filter(|law| !law.is_acceleration());
        Hello {
            name: &self.scene.name,
            live: true,
            laws: laws
                .map(|law| LawChoice {
                    name: law.name(),
                    methods: methods(*law),
                })
                .collect(),
        }
    }

    /// Steps, answers and publishes until all who could ask are gone.
    fn work(mut self, requests: &Receiver<Request>, moments: &watch::Sender<Arc<Snapshot>>) {
        // Time of the world at a time of the clock.
        let mut anchor = (Instant::now(), self.world.state().time);
        let mut published = Instant::now();
        let mut pause = PUBLISH_EVERY;
        let mut stepped = false;
        loop {
            let running = self.playing && !self.viewers.is_empty();
            let now = Instant::now();
            let ahead = (self.world.state().time - anchor.1) / self.speed - (now - anchor.0).as_secs_f64();
            if !running || -ahead > MAX_LAG.as_secs_f64() {
                anchor = (now, self.world.state().time);
            }
            if running && ahead <= 0.0 {
                stepped |= self.step();
                let run = self.run;
                self.stop_at_the_end();
                if self.run != run {
                    anchor = (now, self.world.state().time);
                }
            }
            let due = stepped && (!self.playing || published.elapsed() >= pause);
            let wait = match (running, self.playing) {
                (true, true) if ahead <= 0.0 => Duration::ZERO,
                (true, true) => Duration::from_secs_f64(ahead.min(0.01)),
                _ => Duration::from_hours(1),
            };
            let mut asked = false;
            let mut next = if due || wait.is_zero() {
                requests.try_recv().map_err(as_timeout)
            } else {
                requests.recv_timeout(wait)
            };
            while let Ok(request) = next {
                let before = (self.speed, self.playing);
                asked |= self.answer(request);
                if before != (self.speed, self.playing) {
                    anchor = (Instant::now(), self.world.state().time);
                }
                next = requests.try_recv().map_err(as_timeout);
            }
            if matches!(next, Err(RecvTimeoutError::Disconnected)) {
                return;
            }
            if due || asked {
                let look = if self.playing {
                    UNIQUENESS_WORK_PLAYING
                } else {
                    UNIQUENESS_WORK_WAITING
                };
                let length = self.take_moment(look);
                pause = PUBLISH_EVERY.max(Duration::from_secs_f64(length as f64 / MAX_BYTES_PER_SECOND));
                published = Instant::now();
                stepped = false;
                // Nobody listens where all viewers are gone.
                let _ = moments.send(Arc::new(self.snapshot.clone()));
            }
        }
    }

    /// Makes a step. A failed one stops the run, not the server: the world is as it was. Returns true: there is something to be shown.
    fn step(&mut self) -> bool {
        pull::apply(&mut self.world, &self.pulls);
        match self.world.step() {
            Ok(report) => {
                self.since.add(&report);
                self.report = report;
                self.failed = None;
                self.pace.count(self.world.state().time);
            }
            Err(error) => {
                self.playing = false;
                self.failed = Some(format!("{error}. The world is as it was before this step."));
            }
        }
        true
    }

    /// Whether the scene's duration has passed, to half a step, in a run that nobody has pulled at.
    fn is_over(&self) -> bool {
        let left = self.scene.duration - self.world.state().time;
        !self.pulled && left < 0.5 * self.world.settings().dt
    }

    /// Waits or restarts where the scene's duration has passed.
    fn stop_at_the_end(&mut self) {
        match self.end {
            AtEnd::GoOn => {}
            _ if !self.playing || !self.is_over() => {}
            AtEnd::Stop => self.set_playing(false),
            // The scene was made into a world before: if that fails now, the world waits.
            AtEnd::Loop => self.playing = self.reset(&self.changed.clone()).is_ok(),
        }
    }

    /// Does what is asked; whether there is something to be shown.
    fn answer(&mut self, request: Request) -> bool {
        match request {
            Request::Join(viewer, answers) => {
                self.viewers.push((viewer, answers));
                true
            }
            Request::Leave(viewer) => {
                self.release(viewer);
                self.viewers.retain(|(id, _)| *id != viewer);
                true
            }
            Request::Do(viewer, Command::Why { a, b }) => {
                match self.explain(a, b) {
                    Ok(explained) => self.tell(viewer, text("why", &explained)),
                    Err(problem) => self.say(viewer, "error", &problem),
                }
                false
            }
            Request::Do(viewer, command) => {
                if let Err(problem) = self.follow(viewer, command) {
                    self.say(viewer, "error", &problem);
                    return false;
                }
                true
            }
        }
    }

    fn follow(&mut self, viewer: u64, command: Command) -> Result<(), String> {
        match command {
            Command::Play {} => {
                if self.end != AtEnd::GoOn && self.is_over() {
                    self.reset(&self.changed.clone())?;
                }
                self.set_playing(true);
            }
            Command::Pause {} => self.set_playing(false),
            Command::Step {} => {
                self.set_playing(false);
                self.step();
            }
            Command::Reset {} => self.reset(&self.changed.clone())?,
            Command::Speed { value } => {
                self.speed = value;
                self.pace.restart(self.world.state().time);
            }
            Command::End { value } => self.end = value,
            Command::Law { value } => self.set_law(viewer, &value)?,
            Command::Method { value } => self.set_method(value.as_deref())?,
            Command::Friction { value } => self.set_friction(viewer, value)?,
            Command::Pull { body, point, target } => {
                let pull = Pull::new(&self.world, body, point, target)?;
                if self.pulls.iter().any(|(id, old)| *id == viewer && old.body != body) {
                    self.release(viewer);
                }
                self.pulls.retain(|(id, _)| *id != viewer);
                self.pulls.push((viewer, pull));
                self.pulled = true;
            }
            Command::Release {} => self.release(viewer),
            // Answered to its sender.
            Command::Why { .. } => {}
        }
        Ok(())
    }

    fn set_playing(&mut self, playing: bool) {
        self.playing = playing;
        self.failed = None;
        self.pace.restart(self.world.state().time);
    }

    fn release(&mut self, viewer: u64) {
        let Self { pulls, world, .. } = self;
        pulls.retain(|(id, pull)| {
            if *id == viewer {
                // The body exists and no force lies in the plane.
                let _ = world.apply(pull.body, Wrench::default());
            }
            *id != viewer
        });
    }

    fn reset(&mut self, scene: &Scene) -> Result<(), String> {
        self.world = World::from_scene(scene).map_err(|error| error.to_string())?;
        self.pulls.clear();
        self.failed = None;
        self.report = StepReport::default();
        (self.since, self.counted) = (Since::default(), Since::default());
        self.run += 1;
        self.pulled = false;
        self.pace.restart(0.0);
        self.describe();
        Ok(())
    }

    fn set_law(&mut self, viewer: u64, name: &str) -> Result<(), String> {
        let choices = self.hello().laws;
        let law = Law::ALL.iter().find(|law| law.name() == name && !law.is_acceleration());
        let Some(law) = law else {
            let names: Vec<&str> = choices.iter().map(|law| law.name).collect();
            return Err(format!(
                "law: value: must be one of {}, found {name:?}",
                names.join(", ")
            ));
        };
        let mut scene = self.changed.clone();
        scene.settings.law = *law;
        if let Some(method) = scene.settings.method.filter(|m| !m.laws().contains(law)) {
            scene.settings.method = None;
            self.say(
                viewer,
                "note",
                &format!("{} does not answer this law: methods are chosen", method.name()),
            );
        }
        self.change(Some(viewer), scene)
    }

    fn set_method(&mut self, name: Option<&str>) -> Result<(), String> {
        let mut scene = self.changed.clone();
        let law = scene.settings.law;
        scene.settings.method = match name {
            None => None,
            Some(name) => {
                let fitting = Method::ALL.iter().filter(|m| m.laws().contains(&law));
                let Some(found) = fitting.clone().find(|m| m.name() == name) else {
                    let names: Vec<&str> = fitting.map(|m| m.name()).collect();
                    let names = names.join(", ");
                    return Err(format!(
                        "method: value: must be one of {names} under the law {}, found {name:?}",
                        law.name()
                    ));
                };
                Some(*found)
            }
        };
        self.change(None, scene)
    }

    fn set_friction(&mut self, viewer: u64, friction: Option<f64>) -> Result<(), String> {
        let mut scene = self.scene.clone();
        scene.settings = self.changed.settings.clone();
        if let Some(friction) = friction {
            for body in &mut scene.bodies {
                body.body.material.friction = friction;
            }
            for pair in &mut scene.pairs {
                let (ScenePair::Bodies(_, material) | ScenePair::Materials(_, material)) = pair;
                material.friction = material.friction.map(|_| friction);
            }
        }
        self.change(Some(viewer), scene)?;
        self.friction = friction;
        Ok(())
    }

    /// Goes on as another scene with the same bodies, from the same poses and velocities.
    fn change(&mut self, viewer: Option<u64>, scene: Scene) -> Result<(), String> {
        let mut world = World::from_scene(&scene).map_err(|error| error.to_string())?;
        // Another law or friction is what was requested.
        match world.load_forced(&self.world.save()) {
            Ok(_) => {
                self.world = world;
                self.failed = None;
                self.describe();
            }
            Err(error) => {
                self.reset(&scene)?;
                if let Some(viewer) = viewer {
                    self.say(viewer, "note", &format!("restarted: {error}"));
                }
            }
        }
        self.changed = scene;
        Ok(())
    }

    /// Who holds whom of two bodies, by the last step.
    fn explain(&self, a: usize, b: usize) -> Result<Explained, String> {
        let limit = self.world.bodies().len();
        let name = |body: usize| match self.world.bodies().get(body) {
            Some(found) => Ok(found.name.clone()),
            None => Err(format!("why: must name bodies below {limit}, found {body}")),
        };
        let asked = Asked {
            pair: Some([name(a)?, name(b)?]),
            ..Asked::default()
        };
        let pairs = asked
            .explain(&Moment::of_world(&self.world))
            .map_err(|error| error.to_string())?;
        Ok(Explained {
            step: self.world.state().step,
            a,
            b,
            pair: pairs.into_iter().next(),
        })
    }

    /// Says something to one viewer.
    fn say(&self, viewer: u64, kind: &str, message: &str) {
        self.tell(viewer, text(kind, &Said { message }));
    }

    /// Sends a message to one viewer; one that does not listen misses it.
    fn tell(&self, viewer: u64, message: Utf8Bytes) {
        if let Some((_, answers)) = self.viewers.iter().find(|(id, _)| *id == viewer) {
            let _ = answers.try_send(message);
        }
    }

    /// Writes settings and bodies again.
    fn describe(&mut self) {
        self.revisions[0] += 1;
        self.snapshot.world = (self.revisions[0], text("world", &WorldRecord::of(&self.world)));
    }

    /// Writes the moment again; returns its length.
    fn take_moment(&mut self, look: f64) -> usize {
        let settings = self.world.settings();
        let running = Running {
            playing: self.playing,
            speed: self.speed,
            pace: self.pace.value,
            law: settings.law.name(),
            method: settings.method.map(Method::name),
            friction: self.friction,
            viewers: self.viewers.len(),
            failed: self.failed.as_deref(),
            run: self.run,
            end: if self.pulled { AtEnd::GoOn } else { self.end },
            duration: self.scene.duration,
            ended: self.end != AtEnd::GoOn && !self.playing && self.is_over(),
        };
        self.snapshot.state = text("state", &running);
        let mut contacts = ContactsRecord::of(&self.world);
        if self.failed.is_none() {
            contacts.find_unique(&self.world, look);
        }
        // Shown again, a moment keeps its figures.
        if self.since.steps > 0 {
            self.counted = std::mem::take(&mut self.since);
        }
        let frame = [
            text("poses", &PosesRecord::of(&self.world)),
            text("contacts", &contacts),
            text("stats", &StatsRecord::of(&self.world, &self.report, &self.counted)),
        ];
        let length = frame.iter().map(|text| text.len()).sum();
        self.revisions[1] += 1;
        self.snapshot.frame = (self.revisions[1], frame);
        length
    }
}

impl Pace {
    fn restart(&mut self, time: f64) {
        self.from = (Instant::now(), time);
        self.value = 0.0;
    }

    fn count(&mut self, time: f64) {
        let passed = self.from.0.elapsed();
        if passed >= PACE_WINDOW {
            self.value = (time - self.from.1) / passed.as_secs_f64();
            self.from = (Instant::now(), time);
        }
    }
}

/// Does what messages ask of the world of a scene, one a line, as if one viewer had sent them; the moments that it is told of.
///
/// # Errors
/// A scene that no world can be made of.
pub fn messages(scene: Scene, messages: &str) -> Result<Vec<String>, SimError> {
    const VIEWER: u64 = 0;
    let mut live = Live::new(scene, false)?;
    let (answers, mut answered) = mpsc::channel(MAX_WAITING_REQUESTS);
    live.answer(Request::Join(VIEWER, answers));
    let mut told = Vec::new();
    for message in messages.lines() {
        let asked = Command::parse(message).map(|command| live.answer(Request::Do(VIEWER, command)));
        match asked {
            Ok(true) => {
                live.take_moment(UNIQUENESS_WORK_PLAYING);
                let Snapshot { state, world, frame } = &live.snapshot;
                told.extend([state, &world.1].into_iter().chain(&frame.1).map(ToString::to_string));
            }
            Ok(false) => {}
            Err(problem) => told.push(problem),
        }
    }
    while let Ok(answer) = answered.try_recv() {
        told.push(answer.to_string());
    }
    Ok(told)
}

/// Nothing asked, or nobody left to ask.
fn as_timeout(error: TryRecvError) -> RecvTimeoutError {
    match error {
        TryRecvError::Empty => RecvTimeoutError::Timeout,
        TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
    }
}
