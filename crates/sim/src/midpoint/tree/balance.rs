//! Momentum and energy of a tree over a step: what the step has changed beyond what acts is given back.

use super::articulated::{Drive, Node};
use super::links::{Link, Tree};
use super::place::Start;
use super::{mass_of, square_over};
use crate::configuration::Configuration;
use crate::energy::Numerical;
use crate::midpoint::give_back::{ENERGY_ROUNDING, GIVEN, TAKEN, Whole};
use crate::model::Model;
use crate::state::BodyState;
use crate::{Mat3, Vec3};

/// Velocity, as a share of what gravity does in a step, that is rounding.
const RESTING: f64 = 1e-12;

/// What a step did to the energy of its trees \[J\].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spent {
    pub(super) injected: f64,
    /// Taken by friction of contacts.
    pub(super) slip: f64,
    /// Lost where something arrives, and given by closing there.
    pub(super) impacts: f64,
    pub(super) eased: f64,
    pub(super) numerical: Numerical,
    /// Kinetic energy of rotors at the start and at the end.
    pub(super) rotors: [f64; 2],
}

/// A tree at the start of a step, and what acts on it.
#[expect(clippy::struct_excessive_bools, reason = "independent facts of one tree")]
#[derive(Debug, Clone, Copy)]
pub(super) struct Balance {
    flies: bool,
    kinetic: f64,
    /// Of that in rotors, and whether there are any.
    rotors: f64,
    has_rotors: bool,
    /// About its centre of mass.
    angular: Vec3,
    /// Of loads and motors \[J\].
    pub(super) work: f64,
    /// Whether loads act beside gravity.
    pub(super) is_loaded: bool,
    /// Whether a motor too stiff for the step carries it along.
    pub(super) is_carried: bool,
    /// Whether something arrives in the step.
    pub(super) is_event: bool,
    /// Velocity of the centre of mass in the mean motion.
    pub(super) way: Vec3,
    /// Work of gravity before anything is closed, where something arrives.
    pub(super) fallen: f64,
    /// Of contacts, of limits and of dry friction \[J\]; whether any pushes, and whether one that fixed ground holds sticks.
    pub(super) contact_work: f64,
    pub(super) is_touched: bool,
    pub(super) is_held: bool,
}

/// The end of a step of a tree.
pub(super) struct Ends<'a> {
    pub(super) at: Configuration<'a>,
    pub(super) list: &'a [Link],
    /// Before the velocities were put along the joints.
    pub(super) momenta: &'a [[Vec3; 2]],
    /// In the world.
    pub(super) inertias: &'a [Mat3],
    /// With the inertia of rotors along coordinates, the rates of these, and the momenta of rotors.
    pub(super) starts: &'a [Start],
    pub(super) nodes: &'a [Node],
    pub(super) drives: &'a [Drive],
    pub(super) h: f64,
}

impl Ends<'_> {
    /// Links that are bodies, with their numbers.
    fn bodies(&self) -> impl Iterator<Item = (usize, &Link)> {
        self.list.iter().enumerate().filter(|(_, link)| link.is_body)
    }

    /// Kinetic energy of rotors, and that of the motion by which their momenta differ from it.
    fn rotors(&self) -> (f64, f64) {
        let (mut own, mut left) = (0.0, 0.0);
        for ((start, node), drive) in self.starts.iter().zip(self.nodes).zip(self.drives) {
            let inertia = start.rotor;
            if inertia > 0.0 {
                own += 0.5 * inertia * node.rate * node.rate;
                if let Drive::Yields { momentum, .. } = drive {
                    let off = momentum - inertia * node.rate;
                    left += 0.5 * off * off / inertia;
                }
            }
        }
        (own, left)
    }
}

impl Balance {
    /// A tree with these momenta at the start of a step.
    pub(super) fn of(
        at: Configuration<'_>,
        (list, tree): (&[Link], Tree),
        momenta: &[[Vec3; 2]],
        starts: &[Start],
    ) -> Self {
        let (mut kinetic, mut rotors, mut angular) = (0.0, 0.0, Vec3::zeros());
        let has_rotors = starts[tree.range()].iter().any(|start| start.rotor > 0.0);
        let (mut mass, mut centre, mut linear) = (0.0, Vec3::zeros(), Vec3::zeros());
        for k in tree.range() {
            let (state, [l, m]) = (&at.bodies[list[k].body], &momenta[k]);
            kinetic += 0.5 * (l.dot(&state.velocity) + m.dot(&state.spin));
            rotors += 0.5 * starts[k].rotor * starts[k].rate.z * starts[k].rate.z;
            if tree.flies {
                let own = mass_of(at.model, &list[k]).0;
                mass += own;
                centre += own * state.pose.position;
                linear += l;
                angular += m + state.pose.position.cross(l);
            }
        }
        if tree.flies {
            angular -= (centre / mass).cross(&linear);
        }
        Self {
            flies: tree.flies,
            kinetic: kinetic + rotors,
            rotors,
            has_rotors,
            angular,
            work: 0.0,
            is_loaded: false,
            is_carried: false,
            is_event: false,
            way: Vec3::zeros(),
            fallen: 0.0,
            contact_work: 0.0,
            is_touched: false,
            is_held: !tree.flies,
        }
    }

    /// Gives back what the step has changed of momentum and energy beyond what acts, and enters where energy went.
    pub(super) fn settle(&self, ends: &Ends<'_>, bodies: &mut [BodyState], spent: &mut Spent) {
        let (at, model) = (ends.at, ends.at.model);
        let gravity = model.settings.gravity;
        let (mut fallen, mut taken, mut least) = (0.0, 0.0, 0.0);
        let speed = RESTING * ends.h * gravity.norm();
        for (k, link) in ends.bodies() {
            let (mass, inertia) = mass_of(model, link);
            let (start, end) = (&at.bodies[link.body], &bodies[link.body]);
            fallen += mass * gravity.dot(&(end.pose.position - start.pose.position));
            least += 0.5 * mass * speed * speed;
            // ½(p − Mv)·M⁻¹(p − Mv): what the projection takes.
            let [l, m] = &ends.momenta[k];
            let (l, m) = (l - mass * end.velocity, m - ends.inertias[k] * end.spin);
            let m = end.pose.direction_in_body(m);
            taken += 0.5 * (l.norm_squared() / mass + square_over(inertia, &m));
        }
        let (mut turning, left) = if self.has_rotors { ends.rotors() } else { (0.0, 0.0) };
        taken += left;
        spent.rotors[0] += self.rotors;
        let flies = self.flies && !self.is_touched;
        if flies && !self.is_loaded {
            self.keep_turning(ends, bodies);
        }
        let mut kinetic = Self::kinetic_of(ends, bodies) + turning;
        if self.is_event {
            self.settle_event((fallen, kinetic <= least), (kinetic, turning), ends, bodies, spent);
            return;
        }
        spent.slip -= self.contact_work;
        if kinetic <= least {
            // It rests: what moves it is rounding. Where it has rested it stays where it is.
            for (_, link) in ends.bodies() {
                let state = if self.kinetic > 0.0 {
                    &bodies[link.body]
                } else {
                    &at.bodies[link.body]
                };
                bodies[link.body] = state.at_rest();
            }
            spent.injected += self.work;
            let fallen = if self.kinetic > 0.0 { fallen } else { 0.0 };
            spent.numerical.closing += self.kinetic + fallen + self.work + self.contact_work;
            return;
        }
        let lost = self.kinetic + fallen + self.work + self.contact_work - kinetic;
        let turned = turning;
        spent.rotors[1] += turned;
        spent.numerical.velocity += taken;
        if self.is_carried {
            spent.injected += self.work + taken - lost;
            return;
        }
        spent.injected += self.work;
        spent.numerical.closing += lost - taken;
        let most = if lost > 0.0 { GIVEN } else { TAKEN };
        if lost.abs() <= ENERGY_ROUNDING * kinetic || self.kinetic <= 0.0 {
            return;
        }
        if flies {
            let whole = Self::whole(ends, bodies).with(turning);
            turning *= whole.share(lost, most).map_or(1.0, |share| share * share);
            for (_, link) in ends.bodies() {
                whole.give(lost, most, ends.h, (model, &mut bodies[link.body]));
            }
        } else if lost.abs() < most * kinetic && (self.is_held || lost < 0.0) {
            let share = (1.0 + lost / kinetic).sqrt();
            turning *= share * share;
            for (_, link) in ends.bodies() {
                let state = &mut bodies[link.body];
                state.velocity *= share;
                state.spin *= share;
            }
        }
        let before = std::mem::replace(&mut kinetic, Self::kinetic_of(ends, bodies) + turning);
        spent.numerical.returned += kinetic - before;
        spent.rotors[1] += turning - turned;
    }

    /// Enters what a tree has lost in which something has arrived.
    fn settle_event(
        &self,
        (fallen, rests): (f64, bool),
        (kinetic, turning): (f64, f64),
        ends: &Ends<'_>,
        bodies: &mut [BodyState],
        spent: &mut Spent,
    ) {
        let mut left = kinetic;
        if rests {
            for (_, link) in ends.bodies() {
                bodies[link.body] = bodies[link.body].at_rest();
            }
            left = 0.0;
        } else {
            spent.rotors[1] += turning;
        }
        let eased = (self.fallen - fallen).max(0.0);
        spent.eased += eased;
        spent.injected += self.work;
        spent.impacts += (self.kinetic + fallen + self.work + eased - left).max(0.0);
    }

    /// Kinetic energy of the tree.
    fn kinetic_of(ends: &Ends<'_>, bodies: &[BodyState]) -> f64 {
        let list = ends.list.iter().zip(ends.inertias);
        list.map(|(link, inertia)| {
            let state = &bodies[link.body];
            let mass = mass_of(ends.at.model, link).0;
            0.5 * (mass * state.velocity.norm_squared() + state.spin.dot(&(inertia * state.spin)))
        })
        .sum()
    }

    /// Motion of a tree that flies as a whole.
    fn whole(ends: &Ends<'_>, bodies: &[BodyState]) -> Whole {
        Whole::of(|| {
            ends.list.iter().zip(ends.inertias).map(|(link, inertia)| {
                let mass = mass_of(ends.at.model, link).0;
                (mass, *inertia, &bodies[link.body])
            })
        })
    }

    /// Turns the motion of a tree that flies as a whole, so that its angular momentum is that of the start.
    fn keep_turning(&self, ends: &Ends<'_>, bodies: &mut [BodyState]) {
        let whole = Self::whole(ends, bodies);
        let Some(by) = whole
            .inertia
            .cholesky()
            .map(|root| root.solve(&(self.angular - whole.momentum)))
        else {
            return;
        };
        for (_, link) in ends.bodies() {
            let state = &mut bodies[link.body];
            state.velocity += by.cross(&(state.pose.position - whole.centre));
            state.spin += by;
        }
    }

    /// Velocity of the centre of mass in the mean motion; nothing where the tree hangs on ground.
    pub(super) fn mean_velocity(
        &self,
        list: &[Link],
        nodes: &[Node],
        (model, part): (&Model, std::ops::Range<usize>),
    ) -> Vec3 {
        if !self.flies {
            return Vec3::zeros();
        }
        let (mut mass, mut momentum) = (0.0, Vec3::zeros());
        for k in part {
            let own = mass_of(model, &list[k]).0;
            mass += own;
            momentum += own * nodes[k].velocity;
        }
        momentum / mass
    }
}
