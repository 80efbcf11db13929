//! What a solve leaves for the next: bases and impulses of its contacts, by their keys.

use super::island::IslandSolver;
use crate::bytes::Source;
use crate::error::InputError;
use crate::problem::ContactProblem;
use crate::solver::Impulses;
use crate::solver::lemke::WarmBasis;

/// Written before everything else: what the bytes are, and in which form.
const HEAD: &[u8; 8] = b"STICWRM1";

/// The last solution as a start for the next: impulses and final bases. Contacts are recognised by their keys, joint rows by their
/// number.
///
/// A solver that is given the warm start of another ([`ContactSolver::set_warm_start`](crate::ContactSolver::set_warm_start)), with the
/// same options, goes on with the same bits as that one would have.
#[derive(Debug, Default, PartialEq)]
pub struct WarmStart {
    /// Final bases of the islands that Lemke's path solved.
    pub(crate) basis: WarmBasis,
    /// (key, θ, f), sorted by key.
    impulses: Vec<(u64, f64, [f64; 2])>,
    /// One a joint row of the whole problem.
    joint: Vec<f64>,
}

impl Clone for WarmStart {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Does not allocate where there is room, and makes as much room as the other has: copies taken in turn are then warm after one each.
    fn clone_from(&mut self, other: &Self) {
        self.basis.copy_from(&other.basis);
        self.impulses.clear();
        self.impulses.reserve(other.impulses.capacity());
        self.impulses.extend_from_slice(&other.impulses);
        self.joint.clone_from(&other.joint);
    }
}

impl WarmStart {
    /// The warm start as bytes, the same on every machine.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = HEAD.to_vec();
        self.basis.to_bytes(&mut out);
        out.extend((self.impulses.len() as u64).to_le_bytes());
        for (key, normal, friction) in &self.impulses {
            out.extend(key.to_le_bytes());
            for x in [*normal, friction[0], friction[1]] {
                out.extend(x.to_le_bytes());
            }
        }
        out.extend((self.joint.len() as u64).to_le_bytes());
        for x in &self.joint {
            out.extend(x.to_le_bytes());
        }
        out
    }

    /// Reads what [`Self::to_bytes`] has written. Numbers are taken as they are: a solver that is given nonsense starts cold.
    ///
    /// # Errors
    /// Bytes that are too few, too many or in another form.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, InputError> {
        let refuse = |reason| InputError::WarmStart { reason };
        let mut source = Source::new(bytes);
        if source.take() != Some(*HEAD) {
            return Err(refuse("must begin with STICWRM1"));
        }
        let warm = Self::read(&mut source).ok_or_else(|| refuse("must not end early"))?;
        if !source.is_empty() {
            return Err(refuse("must end where its lists end"));
        }
        Ok(warm)
    }

    fn read(source: &mut Source<'_>) -> Option<Self> {
        let basis = WarmBasis::from_bytes(source)?;
        let impulses = source.list(|s| Some((s.u64()?, s.f64()?, [s.f64()?, s.f64()?])))?;
        let joint = source.list(Source::f64)?;
        Some(Self { basis, impulses, joint })
    }

    /// Whether the contact with this key pushed.
    #[must_use]
    pub fn pushes(&self, key: u64) -> bool {
        self.impulses.binary_search_by_key(&key, |(key, _, _)| *key).is_ok()
    }

    /// Adds the impulses of contacts with these keys, where there are none yet.
    pub(crate) fn add_keys(&mut self, other: &Self, keys: impl Iterator<Item = u64>) {
        let known = self.impulses.len();
        for key in keys {
            let is_new = self.impulses[..known]
                .binary_search_by_key(&key, |(key, ..)| *key)
                .is_err();
            if let (true, Ok(place)) = (is_new, other.impulses.binary_search_by_key(&key, |(key, ..)| *key)) {
                self.impulses.push(other.impulses[place]);
            }
        }
        self.impulses.sort_unstable_by_key(|(key, ..)| *key);
        self.impulses.dedup_by_key(|(key, ..)| *key);
    }

    /// Takes over what another knows of joint rows.
    pub(crate) fn begin_from(&mut self, other: &Self) {
        self.joint.clone_from(&other.joint);
    }

    /// Adds the impulses of contacts with these keys in another; to be sorted after it.
    pub(crate) fn add_of(&mut self, other: &Self, keys: impl Iterator<Item = u64>) {
        for key in keys {
            if let Ok(place) = other.impulses.binary_search_by_key(&key, |(key, ..)| *key) {
                self.impulses.push(other.impulses[place]);
            }
        }
    }

    /// Whether a solve can have left it.
    pub(crate) fn is_sound(&self) -> bool {
        let sorted = self.impulses.is_sorted_by(|(a, ..), (b, ..)| a < b);
        let pushes = |(_, n, f): &(u64, f64, [f64; 2])| *n > 0.0 && [*n, f[0], f[1]].iter().all(|x| x.is_finite());
        sorted && self.impulses.iter().all(pushes) && self.joint.iter().all(|x| x.is_finite()) && self.basis.is_sound()
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.basis.clear();
        self.impulses.clear();
        self.joint.clear();
    }

    /// Adds what an island has found; `joints` are its rows in the whole problem.
    pub(crate) fn add(&mut self, problem: &ContactProblem, solver: &IslandSolver, joints: impl Iterator<Item = usize>) {
        solver.save_basis(problem, &mut self.basis);
        let found = solver.impulses();
        for i in 0..problem.contact_count() {
            if found.normal[i] > 0.0 {
                self.impulses.push((problem.key(i), found.normal[i], found.friction[i]));
            }
        }
        for (k, row) in joints.enumerate() {
            if self.joint.len() <= row {
                self.joint.resize(row + 1, 0.0);
            }
            self.joint[row] = found.joint[k];
        }
    }

    /// The same for an island as a problem of its own, whose joint rows are these; all rows where the list is empty.
    pub(crate) fn of_rows(&self, joints: &[usize]) -> Self {
        let mut own = self.clone();
        if !joints.is_empty() {
            let row = |row: &usize| self.joint.get(*row).copied().unwrap_or(0.0);
            own.joint = joints.iter().map(row).collect();
        }
        own
    }

    /// A start from impulses alone.
    pub(crate) fn of_impulses(problem: &ContactProblem, found: &Impulses) -> Self {
        let mut warm = Self::default();
        let pushes = (0..problem.contact_count()).filter(|i| found.normal[*i] > 0.0);
        let impulse = |i: usize| (problem.key(i), found.normal[i], found.friction[i]);
        warm.impulses.extend(pushes.map(impulse));
        warm.joint.extend_from_slice(&found.joint);
        warm.sort();
        warm
    }

    /// To be called once all islands are added.
    pub(crate) fn sort(&mut self) {
        self.basis.sort();
        self.impulses.sort_unstable_by_key(|(key, _, _)| *key);
        // A key that is not unique recognises nothing: the first is taken.
        self.impulses.dedup_by_key(|(key, _, _)| *key);
    }

    /// Whether there is anything to start from.
    pub(crate) fn is_empty(&self) -> bool {
        self.impulses.is_empty() && self.joint.iter().all(|x| *x == 0.0)
    }

    /// Writes the impulses of the contacts and joint rows that are recognised, zero elsewhere.
    pub(crate) fn write(&self, problem: &ContactProblem, joints: &[usize], impulses: &mut Impulses) {
        for i in 0..problem.contact_count() {
            let Ok(at) = self.impulses.binary_search_by_key(&problem.key(i), |(key, _, _)| *key) else {
                continue;
            };
            let (_, normal, friction) = self.impulses[at];
            impulses.normal[i] = normal;
            impulses.friction[i] = friction;
        }
        for (k, x) in impulses.joint.iter_mut().enumerate() {
            // A problem of one island has no list of its rows: they are its own.
            let row = joints.get(k).copied().unwrap_or(k);
            *x = self.joint.get(row).copied().unwrap_or(0.0);
        }
    }
}
