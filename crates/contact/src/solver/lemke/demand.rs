//! Contacts by demand: a body with many contacts is solved on those that matter.
//!
//! Of thousands of contacts on one body at most as many push as it has coordinates. The path is followed on a few of them, the most
//! violated first; then the normal velocities of all are looked at, the worst are added with all their z nonbasic, and the path goes on
//! from the basis it has ([`super::warm`]). A pivot then costs as much as the contacts that were asked for, and all of them together
//! are only looked at once a round. Where a round does not end solved, the whole problem is solved as usual.

use super::basis::Pairs;
use super::{End, Form, LemkePath, TIDY, WarmBasis};
use crate::problem::ContactProblem;
use crate::solver::columns::Columns;
use crate::stamp::Stamp;

/// Contacts a coordinate from which asking by demand is worth its rounds.
const CROWDED: usize = 4;

/// Contacts of the first round, and of each further one. To look at a few contacts costs less than a pivot: then they are asked for singly,
/// nearly, and few are asked for in vain.
const FIRST: usize = 8;
const MORE: usize = 4;
const FEW: usize = 64;
const OF_FEW: usize = 2;

/// Rounds before the whole problem is taken.
const ROUNDS: usize = 200;

/// Buffers of the demand.
#[derive(Debug, Clone, Default)]
pub(super) struct Demand {
    /// All contacts.
    whole: Columns,
    nu: Vec<f64>,
    taken: Vec<bool>,
    /// Items by their contacts' keys, and the problem that these are of.
    keys: Vec<(u64, usize)>,
    stamp: Option<Stamp>,
    /// Items of the next round.
    wanted: Vec<usize>,
}

impl Demand {
    fn set(&mut self, problem: &ContactProblem, d: usize, dynamic: bool) {
        self.whole.set(problem, d, dynamic);
        let n = self.whole.items.len();
        self.nu.resize(n, 0.0);
        self.taken.clear();
        self.taken.resize(n, false);
        if self.stamp.is_some_and(|stamp| stamp.is(problem.stamp())) {
            return;
        }
        self.stamp = Some(problem.stamp());
        self.keys.clear();
        let items = self.whole.items.iter().enumerate();
        self.keys.extend(items.map(|(i, item)| (problem.key(item.index), i)));
        self.keys.sort_unstable();
    }

    /// Wants the `count` contacts that approach fastest at velocity v, beyond `slack`.
    fn want_violated(&mut self, v: &[f64], count: usize, slack: f64) {
        self.whole.along_normals(v, true, &mut self.nu);
        let (nu, taken, wanted) = (&self.nu, &self.taken, &mut self.wanted);
        wanted.clear();
        wanted.extend((0..nu.len()).filter(|i| nu[*i] < -slack && !taken[*i]));
        if wanted.len() > count {
            wanted.select_nth_unstable_by(count, |a, b| nu[*a].total_cmp(&nu[*b]).then(a.cmp(b)));
            wanted.truncate(count);
        }
        wanted.sort_unstable();
    }

    /// Wants the contacts of an earlier basis.
    fn want_known(&mut self, warm: &WarmBasis) {
        self.wanted.clear();
        for key in warm.keys() {
            if let Ok(at) = self.keys.binary_search_by_key(&key, |(k, _)| *k) {
                self.wanted.push(self.keys[at].1);
            }
        }
        self.wanted.sort_unstable();
        self.wanted.dedup();
    }
}

impl LemkePath {
    /// Whether a problem has so many contacts on one body that they are best asked for by demand.
    pub(super) fn is_crowded(problem: &ContactProblem, form: Form) -> bool {
        form != Form::Structural
            && problem.block_count() == 1
            && problem.joint_count() == 0
            && problem.contact_count() > CROWDED * problem.dof()
    }

    /// Solves by demand, from an earlier basis where there is one. `None` where that does not end solved.
    pub(super) fn run_by_demand(
        &mut self,
        problem: &ContactProblem,
        d: usize,
        form: Form,
        warm: Option<&WarmBasis>,
    ) -> Option<End> {
        self.demand.set(problem, d, self.dynamic);
        self.columns.begin_part(&self.demand.whole);
        let [first, more] = if problem.contact_count() <= FEW {
            [OF_FEW; 2]
        } else {
            [FIRST, MORE]
        };
        self.demand.want_violated(problem.k_x(), first, 0.0);
        let all = self.demand.nu.iter().enumerate();
        let closed = all.filter(|(i, nu)| !self.demand.whole.comes_apart(*i, **nu));
        let fastest = closed.fold(f64::MIN_POSITIVE, |m, (_, nu)| m.max(nu.abs()));
        if let Some(warm) = warm {
            self.demand.want_known(warm);
        }
        self.take_wanted();
        self.begin(d, form);
        let mut end = if let Some(warm) = warm {
            self.adopt(problem, warm);
            self.scale = fastest;
            self.resume()?
        } else {
            self.enter_z0()
        };
        for _ in 0..ROUNDS {
            end = if self.pivots == 0 { end } else { self.recover(end) };
            if end != End::Solved {
                return None;
            }
            self.demand.want_violated(&self.now.v, more, TIDY * fastest);
            if self.demand.wanted.is_empty() {
                return Some(End::Solved);
            }
            self.take_wanted();
            self.grow();
            self.scale = fastest;
            end = self.resume()?;
        }
        None
    }

    fn take_wanted(&mut self) {
        for k in 0..self.demand.wanted.len() {
            let i = self.demand.wanted[k];
            self.demand.taken[i] = true;
            self.columns.take(&self.demand.whole, i);
        }
        self.columns.end_part();
    }

    /// Makes room for items that were added: open, without friction variables.
    fn grow(&mut self) {
        let (items, d) = (self.columns.items.len(), self.columns.circle.count());
        self.basis.pairs.resize(items, Pairs::OPEN);
        self.now.grow(items, d);
        self.rate.grow(items, d);
    }
}
