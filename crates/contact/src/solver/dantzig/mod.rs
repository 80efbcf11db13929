//! Dantzig's method for contacts with friction \[Baraff 4, 5, 6\].
//!
//! In the paper's letters a = Af + b: accelerations and forces (velocities and impulses do as well). Conditions are established one after
//! the other and then kept: [`Dantzig::drive_to_zero`] raises one force until its acceleration is zero, [`Dantzig::fdirection`] says how
//! the other forces must answer, [`Dantzig::maxstep`] how far that may go. Index sets:
//!
//! * C, NC: normals clamped at a_N = 0, or unclamped at f_N = 0; the others are ignored so far.
//! * C_F: friction clamped at a_F = 0 ([`Rub::Held`], in space along one or two directions).
//! * NC⁺, NC⁻ in the plane, NC_F in space: friction at its limit μf_N along a recorded direction ([`Rub::Slide`]).
//! * Dynamic friction is f_F = −μf_N s/|s| for the given slip s \[Baraff (24)\], and needs no set.
//!
//! Joint rows are in C from the start and never leave \[Baraff 4.5\]. A is never formed: Δa follows from the change of the bodies' motion, so
//! that a step costs O(k²) for a system of k clamped conditions ([`kernel`]) and O(contacts) for Δa.
//!
//! In space the paper drives f_x, then f_y, and keeps the direction that friction had when it reached its limit: which one depends on the
//! order \[Baraff 5.6\]. Here the first direction driven is that against the acceleration, and the caller turns the friction of sliding
//! contacts against the acceleration at the end; with `as_published` all is as in the paper.
//!
//! Theorems cover the frictionless case alone. With friction, steps of length zero can alternate: a contact that goes back where it came
//! from is given up and visited again later, as in the paper, but only a few times; then the run ends ([`End::Limit`]), and another method
//! may start from its sets. A force that can be raised without bound means, with dynamic friction, that no finite force exists
//! ([`End::Unbounded`], \[Baraff 6\]).

mod kernel;
mod maxstep;
#[cfg(test)]
mod tests;

use crate::problem::ContactProblem;
use crate::solution::Drive;
use crate::solver::columns::Columns;
use crate::solver::lemke::{Guess, WarmBasis};
use crate::solver::{End, Impulses};
use kernel::{Clamp, Kernel, Unknown};
use maxstep::Event;

/// Accelerations and forces within this share of the largest acceleration without contact count as zero.
const ZERO: f64 = 1e-12;
/// A normal that depends on C is left to the forces that hold it while its acceleration is above minus this share.
const SKIP: f64 = 1e-10;
/// A driven force counts as dependent on C when this share of its own effect is left.
const DEPENDENT: f64 = 1e-10;
/// Share of its limit by which friction may exceed it as rounding.
const BEYOND: f64 = 1e-9;
/// Steps between recomputations of forces and accelerations.
const REFRESH: usize = 20;
/// Steps allowed: this many times the number of contacts and joint rows plus 20; usual is 1 to 4.
const PIVOTS: usize = 40;
/// Times that a contact is given up and visited again.
const VISITS: u8 = 3;
/// Recomputations at the end of a run that may find a wrong sign.
const CORRECTIONS: usize = 20;

/// Which friction there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Rules {
    /// Contacts have friction.
    pub(crate) friction: bool,
    /// Contacts with slip are dynamic.
    pub(crate) dynamic: bool,
    /// In space: drive f_x, then f_y, and keep directions, as printed.
    pub(crate) as_published: bool,
}

/// Where a normal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Set {
    /// Not driven so far, or given up.
    #[default]
    Ignored,
    C,
    NC,
}

/// What the friction of a contact does.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Rub {
    /// There is none.
    #[default]
    Smooth,
    /// Given by the slip: this much along the tangents per normal force.
    Dynamic([f64; 2]),
    /// Not established so far, or given up: it stays what it is.
    Free,
    /// C_F: no acceleration along `e`, and where `both`, nor at right angles to it.
    Held { e: [f64; 2], both: bool },
    /// NC⁺, NC⁻, NC_F: μ f_N along this direction.
    Slide([f64; 2]),
}

/// One contact or joint row.
#[derive(Debug, Clone, Copy, Default)]
struct Contact {
    set: Set,
    rub: Rub,
    /// f_F and a_F along the tangents, and their change in a step.
    f: [f64; 2],
    a: [f64; 2],
    delta_f: [f64; 2],
    delta_a: [f64; 2],
    /// Depends on C: left to the forces that hold it. Forgotten when something leaves C.
    dependent: bool,
    /// Times given up.
    visits: u8,
    /// The last event, where only steps of length zero have been made since.
    last: Option<Event>,
}

/// A force that is driven.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Driven {
    /// Normal force of an item.
    Normal(usize),
    /// Friction of an item along a direction.
    Along(usize, [f64; 2]),
}

impl Driven {
    fn item(self) -> usize {
        match self {
            Self::Normal(i) | Self::Along(i, _) => i,
        }
    }
}

/// The method with its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dantzig {
    columns: Columns,
    kernel: Kernel,
    rules: Rules,
    contacts: Vec<Contact>,
    /// f_N, a_N and their changes, all in the units of the scaled columns.
    theta: Vec<f64>,
    nu: Vec<f64>,
    delta_theta: Vec<f64>,
    delta_nu: Vec<f64>,
    /// Motion of the bodies and its change.
    v: Vec<f64>,
    delta_v: Vec<f64>,
    b: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    /// Largest acceleration without contact.
    scale: f64,
    pivots: usize,
    refreshed_at: usize,
    zero_steps: usize,
    drive: Option<Driven>,
}

impl Dantzig {
    /// Steps of the last run.
    pub(crate) fn pivots(&self) -> usize {
        self.pivots
    }

    /// compute-forces: drives until every condition holds.
    pub(crate) fn run(&mut self, problem: &ContactProblem, rules: Rules) -> End {
        self.begin(problem, rules);
        let mut corrections = 0;
        loop {
            if self.pivots >= PIVOTS * (self.contacts.len() + 20) || corrections > CORRECTIONS {
                return End::Limit;
            }
            if self.pivots >= self.refreshed_at + REFRESH && !self.refresh() {
                return End::Limit;
            }
            if let Some(driven) = self.next() {
                if let Err(end) = self.drive_to_zero(driven) {
                    return end;
                }
            } else if self.pivots > self.refreshed_at {
                corrections += 1;
                if !self.refresh() {
                    return End::Limit;
                }
            } else {
                return End::Answered;
            }
        }
    }

    /// f = 0, a = b, C = NC = ∅ but for the joints.
    fn begin(&mut self, problem: &ContactProblem, rules: Rules) {
        self.rules = rules;
        self.columns.set(problem, 2, rules.dynamic && rules.friction);
        let count = self.columns.items.len();
        self.contacts.clear();
        for item in &self.columns.items {
            let rub = if item.drag != [0.0; 2] {
                Rub::Dynamic(item.drag)
            } else if item.is_joint || item.mu == 0.0 || !rules.friction {
                Rub::Smooth
            } else {
                Rub::Free
            };
            self.contacts.push(Contact {
                rub,
                ..Contact::default()
            });
        }
        for list in [&mut self.theta, &mut self.nu, &mut self.delta_theta, &mut self.delta_nu] {
            list.clear();
            list.resize(count, 0.0);
        }
        self.kernel.clear(&self.columns);
        self.pivots = 0;
        self.refreshed_at = 0;
        self.zero_steps = 0;
        self.drive = None;
        self.v.clear();
        self.v.extend_from_slice(&self.columns.k_x);
        self.delta_v.clear();
        self.delta_v.resize(self.v.len(), 0.0);
        self.measure();
        self.scale = f64::MIN_POSITIVE;
        for i in 0..count {
            self.scale = self.scale.max(self.nu[i].abs());
            if !matches!(self.contacts[i].rub, Rub::Smooth | Rub::Dynamic(_)) {
                self.scale = self.scale.max(length(self.contacts[i].a));
            }
        }
        // [Baraff 4.5]; what depends on other rows was left out of the items.
        let mut any = false;
        for i in 0..count {
            if self.columns.items[i].is_joint {
                any |= self.clamp(i, Clamp::Normal { g: [0.0; 2] });
                self.contacts[i].set = Set::C;
            }
        }
        if any {
            self.refresh();
        }
    }

    /// Accelerations of the motion v.
    fn measure(&mut self) {
        self.columns.along_normals(&self.v, true, &mut self.nu);
        for (i, c) in self.contacts.iter_mut().enumerate() {
            if !matches!(c.rub, Rub::Smooth | Rub::Dynamic(_)) {
                let (t, b) = (self.columns.along_tangents(i, &self.v), self.columns.items[i].bias);
                c.a = [t[0] + b[1], t[1] + b[2]];
            }
        }
    }

    fn zero(&self) -> f64 {
        ZERO * self.scale
    }

    /// A condition that does not hold, and the force to drive for it. Friction of contacts that push comes first: one contact after the
    /// other is established in full.
    fn next(&mut self) -> Option<Driven> {
        let zero = self.zero();
        for i in 0..self.contacts.len() {
            let c = self.contacts[i];
            if c.set == Set::C && self.theta[i] > zero {
                if let Some(e) = self.friction_to_drive(i) {
                    return Some(Driven::Along(i, e));
                }
            }
        }
        let mut chosen = None;
        let mut most = -zero;
        for (i, c) in self.contacts.iter().enumerate() {
            if c.set != Set::C && !c.dependent && self.nu[i] < most {
                chosen = Some(i);
                most = self.nu[i];
            }
        }
        chosen.map(Driven::Normal)
    }

    /// The direction along which friction of a pushing contact must be driven, if its condition does not hold.
    fn friction_to_drive(&mut self, i: usize) -> Option<[f64; 2]> {
        let c = self.contacts[i];
        // In the tangents' own scale.
        let zero = self.zero() * 10.0;
        match c.rub {
            Rub::Smooth | Rub::Dynamic(_) => None,
            Rub::Slide(e) if dot(e, c.a) > zero => {
                // It helps the motion: begin again.
                self.set_free(i);
                Some([-e[0], -e[1]])
            }
            Rub::Held { .. } if self.is_beyond(i) => {
                // A correction has left it beyond its limit: begin again.
                self.set_free(i);
                self.friction_to_drive(i)
            }
            Rub::Slide(_) | Rub::Held { both: true, .. } => None,
            Rub::Held { e, both: false } => {
                let side = [-e[1], e[0]];
                let across = dot(side, c.a);
                (across.abs() > zero && !self.columns.items[i].planar && !c.dependent)
                    .then(|| if across < 0.0 { side } else { [e[1], -e[0]] })
            }
            Rub::Free => {
                let (size, slip) = (length(c.f), length(c.a));
                if self.is_beyond(i) {
                    return Some([-c.f[0] / size, -c.f[1] / size]);
                }
                if slip <= zero {
                    return None;
                }
                Some(if self.rules.as_published && !self.columns.items[i].planar {
                    self.published_axis(c.a, zero)
                } else {
                    [-c.a[0] / slip, -c.a[1] / slip]
                })
            }
        }
    }

    /// Whether friction is beyond its limit, by more than rounding.
    fn is_beyond(&self, i: usize) -> bool {
        let limit = self.columns.items[i].mu * self.theta[i];
        length(self.contacts[i].f) > limit * (1.0 + BEYOND) + 10.0 * self.zero()
    }

    /// "We first increase f_x, assuming a_x < 0" \[Baraff 5.6\].
    fn published_axis(&self, a: [f64; 2], zero: f64) -> [f64; 2] {
        if a[0].abs() > zero {
            [-a[0].signum(), 0.0]
        } else {
            [0.0, -a[1].signum()]
        }
    }

    /// Raises a force until its acceleration is zero (a friction force: or until it is at its limit).
    fn drive_to_zero(&mut self, driven: Driven) -> Result<(), End> {
        let d = driven.item();
        self.drive = Some(driven);
        if matches!(driven, Driven::Normal(_)) {
            self.contacts[d].set = Set::Ignored;
        }
        self.zero_steps = 0;
        self.contacts.iter_mut().for_each(|c| c.last = None);
        loop {
            self.fdirection(driven);
            if self.pass_over(driven)? {
                return Ok(());
            }
            let Some((s, event)) = self.maxstep(driven) else {
                return Err(self.infinite_step(driven));
            };
            self.advance(driven, s);
            self.pivots += 1;
            let moves = s * self.largest_change() > 1e-3 * self.zero();
            if moves {
                self.zero_steps = 0;
                self.contacts.iter_mut().for_each(|c| c.last = None);
            } else {
                self.zero_steps += 1;
            }
            if self.pivots >= PIVOTS * (self.contacts.len() + 20) || self.zero_steps > 4 * (self.contacts.len() + 8) {
                return Err(End::Limit);
            }
            if self.turns_back(event) {
                self.give_up(event)?;
                if event.item() == d {
                    return Ok(());
                }
                continue;
            }
            self.contacts[event.item()].last = Some(event);
            if self.apply(driven, event)? {
                return Ok(());
            }
        }
    }

    /// Δf for a unit of the driven force: Δa = 0 in C and C_F, Δf_F = μΔf_N along the direction in NC_F \[Baraff (9)\].
    fn fdirection(&mut self, driven: Driven) {
        let d = driven.item();
        let push = self.push_of(driven);
        self.kernel.along_push(&self.columns, d, push, &mut self.b);
        for b in &mut self.b {
            *b = -*b;
        }
        let k = self.b.len();
        self.x.resize(k.max(self.x.len()), 0.0);
        self.kernel.solve(&self.b, &mut self.x);
        self.delta_v.fill(0.0);
        self.delta_theta.fill(0.0);
        self.contacts.iter_mut().for_each(|c| c.delta_f = [0.0; 2]);
        self.add_change(d, push, 1.0);
        for p in 0..k {
            let (item, push) = {
                let u = &self.kernel.unknowns()[p];
                (u.item, u.push())
            };
            self.add_change(item, push, self.x[p]);
        }
        // Δa = AΔf, through the motion.
        self.columns.along_normals(&self.delta_v, false, &mut self.delta_nu);
        for (i, c) in self.contacts.iter_mut().enumerate() {
            if c.set == Set::C {
                self.delta_nu[i] = 0.0;
            }
            if !matches!(c.rub, Rub::Smooth | Rub::Dynamic(_)) {
                c.delta_a = self.columns.along_tangents(i, &self.delta_v);
            }
        }
    }

    fn add_change(&mut self, item: usize, push: [f64; 3], x: f64) {
        self.delta_theta[item] += push[0] * x;
        let c = &mut self.contacts[item];
        c.delta_f[0] += push[1] * x;
        c.delta_f[1] += push[2] * x;
        let p = push.map(|w| w * x);
        self.columns.push_impulse(item, p, &mut self.delta_v);
    }

    /// What a driven force pushes with.
    fn push_of(&self, driven: Driven) -> [f64; 3] {
        match driven {
            Driven::Along(_, e) => [0.0, e[0], e[1]],
            Driven::Normal(i) => match self.contacts[i].rub {
                Rub::Dynamic(g) => [1.0, g[0], g[1]],
                _ => [1.0, 0.0, 0.0],
            },
        }
    }

    /// A normal whose effect on itself vanishes is held by others if its acceleration is zero but for rounding: it is left to them.
    /// `true`: the drive is over.
    fn pass_over(&mut self, driven: Driven) -> Result<bool, End> {
        let Driven::Normal(d) = driven else { return Ok(false) };
        if self.delta_nu[d].abs() > DEPENDENT * self.push_size(driven) {
            return Ok(false);
        }
        self.delta_nu[d] = 0.0;
        if self.theta[d] == 0.0 && self.pivots > self.refreshed_at {
            // Its acceleration may be drift: look again.
            return if self.refresh() { Ok(true) } else { Err(End::Limit) };
        }
        if self.theta[d] == 0.0 && self.nu[d] >= -SKIP * self.scale {
            self.contacts[d].dependent = true;
            return Ok(true);
        }
        Ok(false)
    }

    /// What the driven force does to itself alone: 1 for a normal in the scaled columns.
    fn push_size(&self, driven: Driven) -> f64 {
        match driven {
            Driven::Normal(_) => self.delta_theta.iter().fold(1.0, |m, x| m.max(x.abs())),
            Driven::Along(..) => 1.0,
        }
    }

    fn largest_change(&self) -> f64 {
        let theta = self.delta_theta.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        self.contacts.iter().fold(theta, |m, c| m.max(length(c.delta_f)))
    }

    /// f + sΔf and a + sΔa.
    fn advance(&mut self, driven: Driven, s: f64) {
        let d = driven.item();
        for (theta, delta) in self.theta.iter_mut().zip(&self.delta_theta) {
            *theta += s * delta;
        }
        for (nu, delta) in self.nu.iter_mut().zip(&self.delta_nu) {
            *nu += s * delta;
        }
        for (i, c) in self.contacts.iter_mut().enumerate() {
            for k in 0..2 {
                c.f[k] += s * c.delta_f[k];
                c.a[k] += s * c.delta_a[k];
            }
            if c.set == Set::C && i != d {
                if let Rub::Slide(e) = c.rub {
                    // Exactly at its limit.
                    let size = self.columns.items[i].mu * self.theta[i];
                    c.f = [size * e[0], size * e[1]];
                }
            }
        }
        for (v, delta) in self.v.iter_mut().zip(&self.delta_v) {
            *v += s * delta;
        }
    }

    /// Changes the sets after an event. `true`: the drive is over.
    fn apply(&mut self, driven: Driven, event: Event) -> Result<bool, End> {
        let d = driven.item();
        match event {
            Event::Arrive(_) => {
                match driven {
                    Driven::Normal(i) => {
                        self.nu[i] = 0.0;
                        if !self.enter_C(i) {
                            return Err(End::Limit);
                        }
                    }
                    Driven::Along(i, e) => self.hold(i, e),
                }
                Ok(true)
            }
            Event::Release(i) => {
                self.leave_C(i);
                self.contacts[i].set = Set::NC;
                Ok(i == d)
            }
            Event::Touch(i) => {
                self.nu[i] = 0.0;
                let c = &mut self.contacts[i];
                let slip = length(c.a);
                if matches!(c.rub, Rub::Free) && slip > 10.0 * ZERO * self.scale {
                    c.rub = Rub::Slide([-c.a[0] / slip, -c.a[1] / slip]);
                }
                if !self.enter_C(i) {
                    self.contacts[i].dependent = true;
                    self.contacts[i].set = Set::NC;
                    if matches!(self.contacts[i].rub, Rub::Slide(_)) {
                        self.contacts[i].rub = Rub::Free;
                    }
                }
                Ok(false)
            }
            Event::Cone(i) => {
                self.slide(i)?;
                Ok(i == d)
            }
            Event::Stick(i) => {
                let Rub::Slide(e) = self.contacts[i].rub else {
                    return Ok(false);
                };
                self.set_free(i);
                self.hold(i, e);
                Ok(false)
            }
            Event::Vanish(i) => {
                self.contacts[i].f = [0.0; 2];
                Ok(true)
            }
        }
    }

    /// Adds a row to the system.
    fn clamp(&mut self, item: usize, clamp: Clamp) -> bool {
        self.kernel.append(&self.columns, Unknown { item, clamp })
    }

    /// The normal of an item is clamped, with the friction that its set asks for. `false`: it depends on C.
    fn enter_C(&mut self, i: usize) -> bool {
        let mu = self.columns.items[i].mu;
        let g = match self.contacts[i].rub {
            Rub::Dynamic(g) => g,
            Rub::Slide(e) => [mu * e[0], mu * e[1]],
            _ => [0.0; 2],
        };
        let entered = self.clamp(i, Clamp::Normal { g });
        if entered {
            self.contacts[i].set = Set::C;
        }
        entered
    }

    /// All rows of a contact leave the system.
    fn drop_rows(&mut self, i: usize) {
        while let Some(p) = self.kernel.find(i, false) {
            self.kernel.remove(p);
        }
        if let Some(p) = self.kernel.find(i, true) {
            self.kernel.remove(p);
        }
        // Something may no longer depend on C.
        self.contacts.iter_mut().for_each(|c| c.dependent = false);
    }

    /// A contact stops pushing.
    fn leave_C(&mut self, i: usize) {
        self.drop_rows(i);
        self.theta[i] = 0.0;
        let c = &mut self.contacts[i];
        c.f = [0.0; 2];
        if matches!(c.rub, Rub::Held { .. } | Rub::Slide(_)) {
            c.rub = Rub::Free;
        }
    }

    /// Friction of a contact in C is no longer kept: it stays what it is.
    fn set_free(&mut self, i: usize) {
        self.drop_rows(i);
        self.contacts[i].rub = Rub::Free;
        if !self.enter_C(i) {
            // The normal without its friction depends on others: they hold it.
            self.contacts[i].set = Set::Ignored;
            self.contacts[i].dependent = true;
        }
    }

    /// Friction has no acceleration along e: C_F.
    fn hold(&mut self, i: usize, e: [f64; 2]) {
        let planar = self.columns.items[i].planar;
        let both = planar || matches!(self.contacts[i].rub, Rub::Held { .. });
        let first = match self.contacts[i].rub {
            Rub::Held { e, .. } => e,
            _ => e,
        };
        if self.clamp(i, Clamp::Along { e }) {
            self.contacts[i].rub = Rub::Held { e: first, both };
        } else if both && !planar {
            // The second direction is held by others.
            self.contacts[i].dependent = true;
        }
    }

    /// Friction has reached its limit: NC_F with the direction that it has.
    fn slide(&mut self, i: usize) -> Result<(), End> {
        let c = self.contacts[i];
        let size = length(c.f);
        if size == 0.0 {
            return Err(End::Limit);
        }
        self.drop_rows(i);
        self.contacts[i].rub = Rub::Slide([c.f[0] / size, c.f[1] / size]);
        if self.enter_C(i) { Ok(()) } else { Err(End::Limit) }
    }

    /// Whether an event undoes the last one of its contact, with nothing moved between.
    fn turns_back(&self, event: Event) -> bool {
        let last = self.contacts[event.item()].last;
        matches!(
            (last, event),
            (Some(Event::Touch(_)), Event::Release(_))
                | (Some(Event::Release(_)), Event::Touch(_))
                | (Some(Event::Cone(_)), Event::Stick(_))
                | (Some(Event::Stick(_)), Event::Cone(_))
        )
    }

    /// "Temporarily, we will give up trying to maintain" its conditions \[Baraff 5.4\], a bounded number of times.
    fn give_up(&mut self, event: Event) -> Result<(), End> {
        let i = event.item();
        self.contacts[i].visits += 1;
        self.contacts[i].last = None;
        if self.contacts[i].visits > VISITS {
            return Err(End::Limit);
        }
        match event {
            Event::Touch(_) | Event::Release(_) => {
                self.leave_C(i);
                self.contacts[i].set = Set::Ignored;
            }
            _ => self.set_free(i),
        }
        Ok(())
    }

    /// A step without end: with dynamic friction no finite force exists \[Baraff 6\]; without it, rounding has misled the method.
    fn infinite_step(&mut self, driven: Driven) -> End {
        let dynamic = self.contacts.iter().any(|c| matches!(c.rub, Rub::Dynamic(_)));
        let pushes = matches!(driven, Driven::Normal(d) if self.nu[d] < -SKIP * self.scale);
        if (dynamic && pushes) || self.is_squeeze(driven) {
            End::Unbounded
        } else {
            End::Limit
        }
    }

    /// Without friction: Δf ≥ 0 with AΔf = 0 while a_d < 0 proves that no force can meet the conditions.
    fn is_squeeze(&self, driven: Driven) -> bool {
        let smooth = self.contacts.iter().all(|c| matches!(c.rub, Rub::Smooth));
        smooth && matches!(driven, Driven::Normal(d) if self.nu[d] < -SKIP * self.scale)
    }

    /// The direction of the last infinite step, the largest change of a normal force 1.
    pub(crate) fn drive(&self) -> Option<Drive> {
        let driven = self.drive?;
        let items = &self.columns.items;
        let change = |i: usize| items[i].scale * self.delta_theta[i];
        let contacts = (0..items.len()).filter(|i| !items[*i].is_joint);
        let largest = contacts.clone().fold(0.0_f64, |m, i| m.max(change(i).abs()));
        let unit = if largest > 0.0 { 1.0 / largest } else { 1.0 };
        let mut drive = Drive {
            driven: items[driven.item()].index,
            ..Drive::default()
        };
        for i in contacts {
            let f = self.contacts[i].delta_f.map(|x| unit * items[i].scale * x);
            if change(i) != 0.0 || f != [0.0; 2] {
                drive.contacts.push((items[i].index, unit * change(i), f));
            }
        }
        drive.contacts.sort_unstable_by_key(|(i, _, _)| *i);
        for i in (0..items.len()).filter(|i| items[*i].is_joint) {
            if change(i) != 0.0 {
                drive.joints.push((items[i].index, unit * change(i)));
            }
        }
        drive.joints.sort_unstable_by_key(|(k, _)| *k);
        Some(drive)
    }

    /// Forces of the present sets from the problem, refined once, and accelerations from them; sets are corrected where that shows a
    /// wrong sign. `false`: the system is singular.
    fn refresh(&mut self) -> bool {
        for _ in 0..=self.contacts.len() {
            if !self.kernel.renew(&self.columns) || !self.solve_for_f() {
                return false;
            }
            let zero = self.zero();
            let mut worst = (None, -zero);
            for (i, c) in self.contacts.iter().enumerate() {
                if c.set == Set::C && !self.columns.items[i].is_joint && self.theta[i] < worst.1 {
                    worst = (Some(i), self.theta[i]);
                }
            }
            let (Some(i), _) = worst else { break };
            self.leave_C(i);
            self.contacts[i].set = Set::Ignored;
            self.pivots += 1;
        }
        self.refreshed_at = self.pivots;
        true
    }

    /// K x = −(a without the forces sought), with one refinement.
    fn solve_for_f(&mut self) -> bool {
        self.v.clear();
        self.v.extend_from_slice(&self.columns.k_x);
        for i in 0..self.contacts.len() {
            let c = &mut self.contacts[i];
            self.theta[i] = 0.0;
            if !(c.rub == Rub::Free && c.set == Set::C) {
                c.f = [0.0; 2];
            } else if c.f != [0.0; 2] {
                let f = c.f;
                self.columns.push_impulse(i, [0.0, f[0], f[1]], &mut self.v);
            }
        }
        for _ in 0..2 {
            self.kernel.along(&self.columns, &self.v, &mut self.b);
            for (b, u) in self.b.iter_mut().zip(self.kernel.unknowns()) {
                let (bias, row) = (self.columns.items[u.item].bias, u.row());
                *b = -(*b + row[0] * bias[0] + row[1] * bias[1] + row[2] * bias[2]);
            }
            let k = self.b.len();
            self.y.resize(k.max(self.y.len()), 0.0);
            self.kernel.solve(&self.b, &mut self.y);
            for p in 0..k {
                let (item, push, x) = {
                    let u = &self.kernel.unknowns()[p];
                    (u.item, u.push(), self.y[p])
                };
                self.theta[item] += push[0] * x;
                let c = &mut self.contacts[item];
                c.f[0] += push[1] * x;
                c.f[1] += push[2] * x;
                self.columns.push_impulse(item, push.map(|w| w * x), &mut self.v);
            }
        }
        self.measure();
        for (i, c) in self.contacts.iter().enumerate() {
            if c.set == Set::C {
                self.nu[i] = 0.0;
            }
        }
        self.theta.iter().all(|x| x.is_finite())
    }

    /// Writes the forces of the last run.
    pub(crate) fn write(&self, out: &mut Impulses) {
        for (i, item) in self.columns.items.iter().enumerate() {
            let theta = item.scale * self.theta[i];
            if item.is_joint {
                out.joint[item.index] = theta;
                continue;
            }
            out.normal[item.index] = theta.max(0.0);
            out.friction[item.index] = if theta > 0.0 {
                self.contacts[i].f.map(|x| item.scale * x)
            } else {
                [0.0; 2]
            };
        }
    }

    /// The sets as a basis of Lemke's method with `d` directions.
    pub(crate) fn sets(&self, problem: &ContactProblem, d: usize, basis: &mut WarmBasis) {
        basis.begin_guess(d);
        for (i, c) in self.contacts.iter().enumerate() {
            let item = &self.columns.items[i];
            if item.is_joint || c.set != Set::C {
                continue;
            }
            let guess = match c.rub {
                Rub::Held { .. } => Guess::Stick(c.f),
                Rub::Slide(e) => Guess::Slide(e),
                Rub::Smooth | Rub::Dynamic(_) | Rub::Free => Guess::Push,
            };
            let rough = !matches!(c.rub, Rub::Smooth | Rub::Dynamic(_));
            basis.guess(problem.key(item.index), guess, item.planar, rough);
        }
        basis.sort();
    }

    /// Whether friction of some sliding contact in space does not oppose its acceleration: its direction is the order's, not the law's.
    pub(crate) fn is_askew(&self) -> bool {
        self.contacts.iter().enumerate().any(|(i, c)| match c.rub {
            Rub::Slide(e) if c.set == Set::C && !self.columns.items[i].planar => {
                length(c.a) + dot(e, c.a) > 10.0 * self.zero()
            }
            _ => false,
        })
    }
}

fn length(x: [f64; 2]) -> f64 {
    (x[0] * x[0] + x[1] * x[1]).sqrt()
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}
