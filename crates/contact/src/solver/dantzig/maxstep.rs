//! maxstep: how far the forces may go before a contact changes its set \[Baraff (10)–(12), 5.5, (23)\].

use super::{Dantzig, Driven, Rub, Set, dot};

/// Δ below minus this share of the largest change decreases; above it is rounding.
const DECREASE: f64 = 1e-11;
/// The driven force wins ties within this relative distance of the shortest step: what reaches zero together with it is redundant, and
/// would be clamped in its place.
const TIE: f64 = 1e-8;
/// It also wins where nothing falls below zero by more than this share of the largest acceleration.
const SLACK: f64 = 1e-11;

/// What ends a step; the item it happens to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Event {
    /// The driven force has brought its acceleration to zero.
    Arrive(usize),
    /// C → NC: a normal force has fallen to zero.
    Release(usize),
    /// NC → C: a normal acceleration has fallen to zero.
    Touch(usize),
    /// C_F → NC_F: friction has reached its limit.
    Cone(usize),
    /// NC_F → C_F: the acceleration against which friction pushes has come to zero.
    Stick(usize),
    /// Driven friction that was too large has come to zero.
    Vanish(usize),
}

impl Event {
    pub(super) fn item(self) -> usize {
        match self {
            Self::Arrive(i) | Self::Release(i) | Self::Touch(i) | Self::Cone(i) | Self::Stick(i) | Self::Vanish(i) => i,
        }
    }
}

/// The shortest step so far, and how far ties with it reach.
struct Shortest {
    s: f64,
    event: Option<Event>,
    ties: f64,
}

impl Shortest {
    /// `value` falls to zero at the rate `delta` < 0.
    fn limit(&mut self, event: Event, value: f64, delta: f64, slack: f64) {
        let s = value.max(0.0) / -delta;
        self.at(event, s, s + slack / -delta);
    }

    fn at(&mut self, event: Event, s: f64, slack: f64) {
        self.ties = self.ties.min((s * (1.0 + TIE)).max(slack));
        if s < self.s {
            (self.s, self.event) = (s, Some(event));
        }
    }
}

impl Dantzig {
    /// The largest step along Δf and what ends it; `None` where nothing does.
    pub(super) fn maxstep(&self, driven: Driven) -> Option<(f64, Event)> {
        let d = driven.item();
        let threshold = DECREASE * self.largest_change();
        let slack = SLACK * self.scale;
        let mut shortest = Shortest {
            s: f64::INFINITY,
            event: None,
            ties: f64::INFINITY,
        };
        for (i, c) in self.contacts.iter().enumerate() {
            if self.columns.items[i].is_joint {
                continue;
            }
            let moved = driven == Driven::Normal(i);
            match c.set {
                Set::C if self.delta_theta[i] < -threshold && !moved => {
                    shortest.limit(Event::Release(i), self.theta[i], self.delta_theta[i], slack); // (10)
                }
                Set::NC if self.delta_nu[i] < -threshold && !c.dependent && !moved => {
                    shortest.limit(Event::Touch(i), self.nu[i], self.delta_nu[i], slack); // (11)
                }
                _ => {}
            }
            if c.set != Set::C {
                continue;
            }
            match c.rub {
                Rub::Slide(e) => {
                    let (value, rate) = (-dot(e, c.a), dot(e, c.delta_a));
                    if rate > threshold {
                        shortest.limit(Event::Stick(i), value, -rate, slack);
                    }
                }
                Rub::Held { .. } if driven.item() != i || matches!(driven, Driven::Normal(_)) => {
                    self.cone_limit(i, threshold, slack, &mut shortest);
                }
                _ => {}
            }
        }
        match driven {
            Driven::Normal(_) => arrive(d, self.nu[d], self.delta_nu[d], threshold, &mut shortest), // (12)
            Driven::Along(_, e) => self.friction_limits(d, e, threshold, slack, &mut shortest),
        }
        shortest.event.map(|event| (shortest.s, event))
    }

    /// Driven friction: its acceleration comes to zero, or it reaches its limit; friction beyond the limit goes back to it.
    fn friction_limits(&self, d: usize, e: [f64; 2], threshold: f64, slack: f64, shortest: &mut Shortest) {
        let c = &self.contacts[d];
        if self.is_beyond(d) {
            // e points back to the origin.
            let (value, rate) = (dot(c.f, e), dot(c.delta_f, e));
            if rate > 0.0 {
                shortest.limit(Event::Vanish(d), -value, -rate, slack);
            }
            return;
        }
        self.cone_limit(d, threshold, slack, shortest);
        arrive(d, dot(e, c.a), dot(e, c.delta_a), threshold, shortest);
    }

    /// |f + sΔf| = μ(f_N + sΔf_N): linear in the plane, quadratic in space \[Baraff (23)\].
    fn cone_limit(&self, i: usize, threshold: f64, slack: f64, shortest: &mut Shortest) {
        let c = &self.contacts[i];
        let item = &self.columns.items[i];
        let (limit, rate) = (item.mu * self.theta[i], item.mu * self.delta_theta[i]);
        if item.planar {
            for sign in [1.0, -1.0] {
                let (room, falls) = (limit - sign * c.f[0], rate - sign * c.delta_f[0]);
                if falls < -threshold {
                    shortest.limit(Event::Cone(i), room, falls, slack);
                }
            }
            return;
        }
        let A = dot(c.delta_f, c.delta_f) - rate * rate;
        let B = dot(c.f, c.delta_f) - limit * rate;
        let C = (dot(c.f, c.f) - limit * limit).min(0.0);
        if super::length(c.delta_f) + rate.abs() <= threshold {
            return;
        }
        let root = B * B - A * C;
        let s = if root < 0.0 {
            return;
        } else if B > 0.0 {
            -C / (B + root.sqrt())
        } else if A > 0.0 {
            (root.sqrt() - B) / A
        } else {
            return;
        };
        if s.is_finite() {
            shortest.at(Event::Cone(i), s, s * (1.0 + TIE));
        }
    }
}

/// The driven acceleration reaches zero.
fn arrive(d: usize, a: f64, delta: f64, threshold: f64, shortest: &mut Shortest) {
    if delta > threshold.min(super::DEPENDENT) && delta > 0.0 {
        let s = (-a).max(0.0) / delta;
        if s <= shortest.ties {
            (shortest.s, shortest.event) = (s, Some(Event::Arrive(d)));
        }
    }
}
