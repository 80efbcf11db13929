//! The fast phase of a solve: states told at one stiffness, held at another.
//!
//! A soft stiffness tells which contacts are open, stick or slide: x = p − 3 w u is dominated neither by the impulse nor by the velocity. A hard one lets the equations of these states
//! be met in one or two steps of Newton's method. A projection at one stiffness cannot do both: soft, it creeps; hard, a small velocity of the wrong sign changes the state. Where the
//! states of the start are not yet those of the answer, an interior path that starts beside it finds them.

use super::law::{Mode, derivative};
use super::state::{AT_REST, Slot, State, length};
use super::{CONVERGED, NewtonCone, RHO};

/// Stiffness at which states are told, in terms of the weights.
const TELL: f64 = 3.0;
/// Stiffness at which they are held; where nothing changes any more and the residual does not fall, less near rounding, more elsewhere.
const HOLD: f64 = 1e6;
const HOLD_LESS: f64 = 1e-4;
const HOLD_MORE: f64 = 30.0;
const HOLD_MOST: f64 = 1e9;
const NEAR_ROUNDING: f64 = 1e-8;
/// Residual from which on a held step in a small island is followed by another.
const FINE: f64 = 1e-15;
/// Steps with held states; they end where more contacts change their state than this share, or this number, and where the residual keeps more than that part without any change.
const STEPS: usize = 8;
const CHANGES: (f64, f64) = (0.02, 3.0);
const FALLS: f64 = 0.3;
/// Largest load of a contact, in terms of V and the number of bodies. Held states that contradict each other press the points of a patch against each other; what is left of that in the
/// start of the next step costs digits.
const HEAVIEST: f64 = 30.0;
/// Residual below which held states that leave more than before tell points of a patch that are decided by less than that: a path tells them.
const FINER: f64 = 1e-6;
/// Rounding of the velocities at contacts, relative to the fastest, above which they are nothing else.
const BLURRED: f64 = 1e-3;
/// Contacts and bodies from which a path begins beside the start.
const LEAST: (usize, usize) = (4, 2);
/// Residual of a start of a small island from which on held states must reach the target: what they come near to elsewhere is no better than what other ways begin with.
const FAR: f64 = 0.3;
/// Bodies from which a factor takes most of the time of a step of Newton's method.
const KEPT_BODIES: usize = 8;
/// Level of the path beside the start, in terms of the root mean square of its residual, and the least, in terms of V.
const LEVEL: (f64, f64) = (3.0, 1e-3);
/// Steps of the path, and the shortest of them.
const PATH_STEPS: usize = 30;
const PATH_SHORT: f64 = 0.01;
/// States are held after a step of the path with a residual below this, where no more than this share of them changed and the residual is that part of the last try.
const TRY: (f64, f64) = (1e-3, 0.003);

impl State {
    /// Whether contacts carry no more than their island can ask for.
    fn is_bearable(&self) -> bool {
        let most = HEAVIEST * self.packed.k_x.len() as f64 * self.scale;
        self.contacts.iter().all(|c| length(c.p) <= most * c.weight)
    }

    /// Tells the states of contacts. Without any impulses velocities alone tell them: what neither parts nor approaches sticks, for what moves alike is pressed together by what stops it.
    fn tell(&mut self) {
        let is_cold = !self.has_impulses();
        let near = AT_REST * self.scale;
        for c in &mut self.contacts {
            c.told = c.state_at(TELL * c.weight);
            if is_cold && c.told == Mode::Open && c.u[0] <= near {
                c.told = Mode::Stick;
            }
        }
    }

    /// Tells them again; how many have changed. A contact that neither pushes nor moves by more than `minor` may do as it likes.
    fn tell_again(&mut self, minor: f64) -> usize {
        let mut changed = 0;
        for c in &mut self.contacts {
            let told = c.state_at(TELL * c.weight);
            changed += usize::from(told != c.told && length(c.p) / c.weight + length(c.u) > minor);
            c.told = told;
        }
        changed
    }

    /// One step of Newton's method on impulses and velocity, whose states are those told and whose equations are held at the stiffness ρ. With `keeps` contacts whose state is that of
    /// the last step keep their derivatives, and the factor with them where that is so for all.
    fn hold(&mut self, rho: f64, keeps: bool) -> bool {
        for c in &mut self.contacts {
            let last = (keeps && c.mode == c.told).then_some(c.D);
            c.mode = c.told;
            let r = rho * c.weight;
            let x = [c.p[0] - r * c.u[0], c.p[1] - r * c.u[1], c.p[2] - r * c.u[2]];
            (c.P, c.D) = match c.told {
                Mode::Open => ([0.0; 3], [[0.0; 3]; 3]),
                Mode::Stick => (x, derivative(x, c.mu, Mode::Stick, r)),
                Mode::Slide | Mode::Drag => {
                    let l = (x[1] * x[1] + x[2] * x[2]).sqrt().max(f64::MIN_POSITIVE);
                    let (n, m) = (x[0], c.mu * x[0] / l);
                    // How friction turns is the soft stiffness' to say: the normal part of x is no impulse.
                    let soft = (c.p[0] - TELL * c.weight * c.u[0]).max(0.0);
                    let D = derivative([soft, x[1], x[2]], c.mu, Mode::Slide, r);
                    ([n, m * x[1], m * x[2]], D)
                }
            };
            c.D = last.unwrap_or(c.D);
        }
        self.project_joints(rho);
        self.step_to_P()
    }
}

impl NewtonCone {
    /// Keeps the impulses there are where they are the best so far.
    fn note(&mut self, residual: f64) {
        if residual < self.residual {
            self.residual = residual;
            self.state.save(Slot::Best);
        }
    }

    /// Whether a path may tell states that held ones do not.
    fn has_path(&self) -> bool {
        self.state.contacts.len() >= LEAST.0 && self.state.packed.k_x.len() >= LEAST.1
    }

    /// Holds the states of the start. `true`: settled.
    fn hold_start(&mut self) -> bool {
        let start = self.residual;
        if !self.is_small() || start < FAR {
            return self.hold_states(start);
        }
        self.state.save(Slot::Centre);
        if self.hold_states(start) && self.residual <= self.target {
            return true;
        }
        self.state.restore(Slot::Centre);
        self.state.save(Slot::Best);
        self.residual = start;
        false
    }

    /// Where all velocities at contacts are rounding, as of bodies that fall alike, no impulse at all is offered to the judge, who excuses rounding: there is nothing to converge to.
    fn offer_nothing(&mut self) -> bool {
        self.state.clear();
        if self.state.floor() <= BLURRED {
            return false;
        }
        self.state.save(Slot::Best);
        self.residual = self.state.residual();
        self.is_offer = true;
        true
    }

    /// Holds the states of the start, and where these are not those of the answer, those of a path that starts beside it. `true`: settled, or offered.
    pub(super) fn fast(&mut self) -> bool {
        if !self.state.has_cones() {
            return false;
        }
        let is_bearable = self.state.is_bearable();
        if (is_bearable && self.hold_start()) || self.offer_nothing() {
            return true;
        }
        if !self.has_path() {
            self.state.restore(Slot::Best);
            return false;
        }
        self.state.restore(Slot::Best);
        if !is_bearable {
            self.state.clear();
        }
        self.fast_path()
    }

    fn fast_path(&mut self) -> bool {
        self.state.start_path_near(LEVEL.0, LEVEL.1);
        self.state.tell();
        let mut tried = f64::INFINITY;
        let most = TRY.1 * self.state.contacts.len() as f64;
        for _ in 0..PATH_STEPS {
            if !self.state.step_path() {
                break;
            }
            let residual = self.state.residual();
            self.note(residual);
            if residual <= self.target {
                return true;
            }
            let changed = self.state.tell_again(residual * self.state.scale);
            if residual < TRY.0 && changed as f64 <= most && residual < FALLS * tried {
                tried = residual;
                self.state.save(Slot::Centre);
                if self.hold_states(residual) {
                    return true;
                }
                self.state.restore(Slot::Centre);
                self.state.tell();
            }
            if self.state.path_step < PATH_SHORT {
                break;
            }
        }
        self.state.restore(Slot::Best);
        false
    }

    /// Newton's method with held states, from impulses with the given residual. `true`: settled.
    fn hold_states(&mut self, start: f64) -> bool {
        let (mut rho, mut least, mut slow) = (HOLD, start, 0);
        let (mut last, mut is_last, is_small) = (usize::MAX, false, self.is_small());
        let most = (CHANGES.0 * self.state.contacts.len() as f64).max(CHANGES.1);
        // Whether the factor of the last step is good enough for the next, and the residual that it was made at.
        let (mut keeps, mut factored_at) = (false, start);
        let (has_path, is_wide) = (self.has_path(), self.state.packed.k_x.len() >= KEPT_BODIES);
        self.state.tell();
        for _ in 0..STEPS {
            if !self.state.hold(rho, keeps) {
                break;
            }
            let residual = self.state.residual();
            if !self.state.is_bearable() {
                break;
            }
            self.note(residual);
            if residual <= self.target && is_small && !is_last && residual > FINE {
                // What a held step leaves has one sign, and adds up over the steps of a simulation. In small islands one more is cheap.
                is_last = true;
                continue;
            }
            if residual <= self.target || is_last || residual.is_nan() {
                break;
            }
            let changed = self.state.tell_again(start.min(residual) * self.state.scale);
            if changed as f64 > most || (changed > last && changed > 2) {
                break;
            }
            let is_slow = changed == 0 && residual >= FALLS * least;
            if is_slow {
                slow += 1;
                if slow == 2 || (has_path && least < FINER && residual > least.max(NEAR_ROUNDING)) {
                    break;
                }
                rho = if residual < NEAR_ROUNDING {
                    HOLD_LESS * rho
                } else {
                    (HOLD_MORE * rho).min(HOLD_MOST)
                };
            }
            // Friction has turned by about the residual since the factor was made: it leaves that share of what there is. Islands of few bodies are solved to rounding.
            keeps = is_wide && changed == 0 && !is_slow && residual * factored_at <= self.target;
            if !keeps {
                factored_at = residual;
            }
            least = least.min(residual);
            last = changed;
        }
        if self.residual <= self.target {
            return true;
        }
        // A rough judge is content with less, but what is left tells the points of a patch apart.
        let is_settled = self.residual <= self.settled.min(CONVERGED);
        if is_settled && is_small {
            self.state.restore(Slot::Best);
            return self.polish(RHO[0], self.residual);
        }
        is_settled
    }
}
