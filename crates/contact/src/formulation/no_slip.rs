//! No slip as a problem without friction \[Drumwright VI\], with contacts that come and go.
//!
//! The tangents of a set of *glued* contacts are bilateral rows beside the joints, and the problem without friction that is left has
//! projected normals ([`Projected`]). The paper glues every contact, also those that separate: a body that leaves a wall would be held up
//! by it. Here only contacts that push may hold: an answer stands when the tangents of those that push span what was glued, so
//! that they carry all friction, and no other contact that pushes slips. Otherwise those that open are let go, those that push and slip
//! are glued, and the problem is solved again. Sets are remembered; after the first return one contact changes at a time, that with the
//! least index.
//!
//! Redundant contacts share a load in many ways, and a pivoting method names few of them: before closed contacts are let go, the load is
//! spread over them ([`Glue::spread`]). A normal that the glue holds entirely may push by any amount: it gets what it pushed by when it
//! was not glued.

mod spread;

use super::projected::Projected;
use crate::joint_span::JointSpan;
use crate::problem::{ContactProblem, length, sparse_dot};
use crate::solver::Impulses;
use crate::solver::lemke::basis::mix;
use crate::stamp::Stamp;
use spread::Spread;

/// Share of the fastest velocity below which a contact neither opens, nor pushes, nor slips: a tenth of what the judge allows.
const NOTHING: f64 = 1e-11;
/// Share of the fastest velocity by which a locked contact may close: what the judge allows.
const CLOSES: f64 = 1e-10;

/// What a set of glued contacts has led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Contacts that push carry all friction.
    Stands,
    /// Lawful, but friction is carried by contacts that touch and do not push.
    Borrowed,
    /// Contacts open that were glued, or slip that push.
    Wrong,
}

/// The glued contacts, and the problem without friction that they leave.
#[derive(Debug, Clone, Default)]
struct GluedSet {
    glued: Vec<bool>,
    /// All contacts glued, kept while the problem is the same once it was needed; and any other set.
    all: Projected,
    has_all: bool,
    some: Projected,
}

impl GluedSet {
    fn is_all(&self) -> bool {
        self.glued.iter().all(|g| *g)
    }

    fn projected(&self) -> &Projected {
        if self.is_all() { &self.all } else { &self.some }
    }

    fn projected_mut(&mut self) -> &mut Projected {
        if self.is_all() { &mut self.all } else { &mut self.some }
    }
}

/// Sets that every search starts from again: none glued, then all.
const STARTS: usize = 2;
/// Contacts, or pairs of bodies, up to which all sets can be tried.
const MOST_EXHAUSTED: usize = 8;

/// The search for the set of contacts that hold.
#[derive(Debug, Clone, Default)]
pub(crate) struct Glue {
    stamp: Option<Stamp>,
    set: GluedSet,
    /// The joints alone.
    joints: JointSpan,
    /// Rows that carry the friction, and their contacts.
    carry: JointSpan,
    carriers: Vec<usize>,
    /// Whether `carry` is in use, or the rows of the set itself.
    carried: bool,
    spread: Spread,
    /// What a contact pushed by when it was not glued.
    preload: Vec<f64>,
    theta: Vec<f64>,
    nu: Vec<f64>,
    v: Vec<f64>,
    pushes: Vec<bool>,
    list: Vec<usize>,
    met: Vec<u64>,
    /// One contact changes at a time.
    singly: bool,
    /// Times that it was started again.
    starts: usize,
    /// The pair of bodies of each contact, and sets that are tried in the end: of pairs, and of contacts.
    pairs: Vec<usize>,
    more: [usize; 2],
}

impl Glue {
    /// Starts with every contact glued that does not open by itself; none, where none closes. Large friction may have several
    /// answers: a body that leaves a wall can also roll on its edge, pressed to the wall by the friction that this takes.
    pub(crate) fn begin(&mut self, problem: &ContactProblem) {
        let n = problem.contact_count();
        if !self.stamp.is_some_and(|stamp| stamp.is(problem.stamp())) {
            self.joints.set(problem);
            self.set.has_all = false;
            // No contact has this number: nothing is carried yet.
            self.carriers.clear();
            self.carriers.push(n);
            self.stamp = Some(problem.stamp());
        }
        self.v.clear();
        self.v.extend_from_slice(problem.k_x());
        self.joints.satisfy(&mut self.v);
        self.nu.clear();
        for i in 0..n {
            let c = problem.columns(i);
            self.nu
                .push(sparse_dot(c.touches, c.normal, &self.v) + problem.bias(i)[0]);
        }
        let fastest = self.nu.iter().fold(0.0_f64, |m, nu| m.max(nu.abs()));
        let rounding = NOTHING * fastest.max(length(&self.v) * f64::EPSILON);
        let any_closes = self.nu.iter().any(|nu| *nu < -rounding);
        self.set.glued.clear();
        self.set
            .glued
            .extend(self.nu.iter().map(|nu| any_closes && *nu <= rounding));
        self.preload.clear();
        self.preload.resize(n, 0.0);
        self.met.clear();
        self.singly = false;
        self.starts = 0;
        self.more = [0; 2];
    }

    /// Has more sets tried in the end: those of all contacts that some pairs of bodies have, then all there are, where these are few. With friction that has no
    /// limit contacts may hold that the free motion opens, pressed together by each other. Returns how many there are.
    pub(crate) fn exhaust(&mut self, problem: &ContactProblem) -> usize {
        let n = problem.contact_count();
        let is_same = |i: usize, j: usize| {
            problem
                .columns(i)
                .touches
                .iter()
                .map(|t| t.block)
                .eq(problem.columns(j).touches.iter().map(|t| t.block))
        };
        self.pairs.clear();
        let mut count = 0;
        for i in 0..n {
            let known = (0..i).find(|j| is_same(i, *j)).map(|j| self.pairs[j]);
            self.pairs.push(known.unwrap_or(count));
            count += usize::from(known.is_none());
        }
        let sets = |count: usize| if count <= MOST_EXHAUSTED { (1 << count) - 1 } else { 0 };
        self.more = [sets(count), sets(n)];
        self.more.iter().sum()
    }

    /// The problem without friction of the current set. `false`: a locked contact closes, and the set has no answer.
    pub(crate) fn project(&mut self, problem: &ContactProblem) -> bool {
        if self.set.is_all() {
            if !self.set.has_all {
                self.set.all.set(&self.joints, problem, 0..problem.contact_count());
                self.set.has_all = true;
            }
        } else {
            let glued = self.set.glued.iter().enumerate().filter(|(_, g)| **g);
            self.set.some.set(&self.joints, problem, glued.map(|(i, _)| i));
        }
        let projected = self.set.projected_mut();
        projected.load(problem);
        let least = -CLOSES * projected.speed;
        (0..problem.contact_count()).all(|i| !projected.is_locked(i) || projected.q(i) >= least)
    }

    pub(crate) fn projected(&mut self) -> &mut Projected {
        self.set.projected_mut()
    }

    /// Takes the impulses of the projected problem, and says what they are worth.
    pub(crate) fn take(&mut self, problem: &ContactProblem, normal: &[f64]) -> Verdict {
        let projected = self.set.projected_mut();
        projected.take(normal, &mut self.theta, &mut self.nu, &mut self.v);
        let projected = self.set.projected();
        for i in 0..self.theta.len() {
            if self.set.glued[i] && projected.is_locked(i) {
                self.theta[i] = self.preload[i];
            } else if !self.set.glued[i] {
                self.preload[i] = self.theta[i];
            }
        }
        self.mark();
        if self.is_carried(problem) && !self.any_slips(problem) {
            return Verdict::Stands;
        }
        if (0..self.theta.len()).any(|i| self.changes(problem, i)) {
            return Verdict::Wrong;
        }
        let projected = self.set.projected();
        let limit = NOTHING * projected.speed;
        let (glued, nu) = (&self.set.glued, &self.nu);
        self.spread
            .run(projected, |i| glued[i] && nu[i] <= limit, &mut self.theta);
        self.mark();
        if self.is_carried(problem) {
            Verdict::Stands
        } else {
            Verdict::Borrowed
        }
    }

    fn speed(&self) -> f64 {
        self.set.projected().speed
    }

    /// Marks the contacts that push.
    fn mark(&mut self) {
        let projected = self.set.projected();
        let limit = NOTHING * projected.speed;
        self.pushes.clear();
        for (i, theta) in self.theta.iter().enumerate() {
            let norm = projected.norm(i);
            self.pushes.push(theta * norm * norm > limit);
        }
    }

    /// Whether tangents of contacts that push span what is glued.
    fn is_carried(&mut self, problem: &ContactProblem) -> bool {
        let projected = self.set.projected();
        let (pushes, glued) = (&self.pushes, &self.set.glued);
        self.carried = false;
        if projected.span.rests_on(|i| pushes[i]) {
            return true;
        }
        let carriers = || (0..pushes.len()).filter(|i| pushes[*i] && glued[*i]);
        if !carriers().eq(self.carriers.iter().copied()) {
            self.carriers.clear();
            self.carriers.extend(carriers());
            self.list.clone_from(&self.carriers);
            self.carry.set_glued(&self.joints, problem, &mut self.list);
        }
        self.carried = self.carry.rank() == projected.span.rank();
        self.carried
    }

    fn any_slips(&self, problem: &ContactProblem) -> bool {
        (0..self.pushes.len()).any(|i| self.slips(problem, i))
    }

    /// Whether a contact pushes and slips.
    fn slips(&self, problem: &ContactProblem, i: usize) -> bool {
        if self.set.glued[i] || !self.pushes[i] {
            return false;
        }
        let (c, b) = (problem.columns(i), problem.bias(i));
        let along = |axis: usize| sparse_dot(c.touches, c.tangents[axis], &self.v) + b[axis + 1];
        along(0).abs().max(along(1).abs()) > NOTHING * self.speed()
    }

    /// Whether a contact belongs on the other side: it is glued and opens, or it is not, pushes and slips.
    fn changes(&self, problem: &ContactProblem, i: usize) -> bool {
        let opens = self.set.glued[i] && !self.pushes[i] && self.nu[i] > NOTHING * self.speed();
        opens || self.slips(problem, i)
    }

    /// Writes impulses of the current set: friction on the contacts that carry it, and of the joints.
    pub(crate) fn write(&mut self, problem: &ContactProblem, impulses: &mut Impulses) {
        impulses.clear(problem, 0);
        self.v.clear();
        self.v.extend_from_slice(problem.k_x());
        for (i, theta) in self.theta.iter().enumerate() {
            if *theta > 0.0 {
                impulses.normal[i] = *theta;
                problem.push(i, [*theta, 0.0, 0.0], &mut self.v);
            }
        }
        let rows = if self.carried {
            &mut self.carry
        } else {
            &mut self.set.projected_mut().span
        };
        rows.all_impulses(problem, &mut self.v, false, &mut impulses.joint, &mut impulses.friction);
    }

    /// Goes to the next set after a verdict. `false`: it has been tried.
    pub(crate) fn go_on(&mut self, problem: &ContactProblem, verdict: Verdict) -> bool {
        let n = self.set.glued.len();
        if self.starts > STARTS {
            // The others have their own turn.
            return false;
        }
        if self.returned() {
            if self.singly {
                return false;
            }
            self.singly = true;
        }
        if verdict == Verdict::Borrowed {
            for i in 0..n {
                self.set.glued[i] = self.set.glued[i] && self.pushes[i];
            }
            return true;
        }
        let mut list = std::mem::take(&mut self.list);
        list.clear();
        let count = if self.singly { 1 } else { n };
        list.extend((0..n).filter(|i| self.changes(problem, *i)).take(count));
        for i in &list {
            self.set.glued[*i] = !self.set.glued[*i];
        }
        let any = !list.is_empty();
        self.list = list;
        any
    }

    /// Starts again from another set: none glued, then all, then each there is where all shall be tried. `false`: there is none left.
    pub(crate) fn restart(&mut self) -> bool {
        self.starts += 1;
        self.singly = false;
        self.met.clear();
        if self.starts <= STARTS {
            self.set.glued.fill(self.starts == STARTS);
            return true;
        }
        let number = self.starts - STARTS;
        let [of_pairs, of_contacts] = self.more;
        if number > of_pairs + of_contacts {
            return false;
        }
        for (i, glued) in self.set.glued.iter_mut().enumerate() {
            *glued = if number <= of_pairs {
                (number >> self.pairs[i]) & 1 == 1
            } else {
                ((number - of_pairs) >> i) & 1 == 1
            };
        }
        // A normal that the glue holds may push by any amount: by one that moves its bodies as fast as they are.
        let speed = self.nu.iter().fold(length(&self.v), |m, nu| m.max(nu.abs()));
        for (i, preload) in self.preload.iter_mut().enumerate() {
            *preload = if self.set.glued[i] { speed } else { 0.0 };
        }
        true
    }

    /// Whether no contact is glued.
    pub(crate) fn is_loose(&self) -> bool {
        self.set.glued.iter().all(|g| !g)
    }

    fn returned(&mut self) -> bool {
        let glued = self.set.glued.iter().enumerate().filter(|(_, g)| **g);
        let key = glued.fold(u64::from(self.singly), |key, (i, _)| key ^ mix(i as u64));
        let seen = self.met.contains(&key);
        self.met.push(key);
        seen
    }
}
