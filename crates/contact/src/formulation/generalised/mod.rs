//! A problem whose joints form trees, in the coordinates that the joints leave.
//!
//! Twelve hinges leave a robot of 13 bodies 18 coordinates of its 78. With v = v_b + Sq, S the motions that joints allow and v_b one that
//! satisfies their biases, the mass of the coordinates is SᵀS = LᵀL, and y = Lq has unit mass: contacts act through
//! L⁻ᵀSᵀC, and the motion without them is L⁻ᵀSᵀ(k − v_b). The problem that is left has no firm joint rows, one block a tree. Rows that
//! yield, as those of motors do, stay as rows on these blocks.
//!
//! S is never formed. From the leaves inwards, what hangs from a block adds XᵀMX to its mass, and an impulse f on it is Xᵀf on its parent
//! ([`link`]). L has entries where one coordinate carries the other alone, and is found from the last coordinate to the first, without
//! fill \[Featherstone 2008\]. O(blocks · depth), and O(depth) a column.

mod link;
mod tree;

use crate::problem::{ContactProblem, Touch};
use crate::solver::Impulses;
use crate::stamp::Stamp;
use link::{Link, SIX_ZEROS, Vector, dot, unit};
use tree::Trees;

/// Share of its own mass that must be left of a coordinate beside those that hang from it.
const LEFT: f64 = 1e-9;
/// Share of a normal that must be left, or joints hold it.
const LOCKED: f64 = 1e-6;
/// Coordinates of a tree beyond which it is not tried: L has room for all pairs.
const MOST: usize = 256;

/// No coordinate.
const NONE: usize = usize::MAX;

/// One tree among the blocks of the problem that is left.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// First coordinate and their number.
    start: usize,
    dim: usize,
    /// First entry of L.
    L: usize,
    /// A block without joints, whose coordinates are its own.
    is_free: bool,
    /// Its block.
    block: usize,
}

/// The problem in coordinates, and the way back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Generalised {
    stamp: Option<Stamp>,
    fits: bool,
    trees: Trees,
    links: Vec<Link>,
    places: Vec<Place>,
    /// Link of each block of the problem.
    link_of: Vec<usize>,
    tree_of: Vec<usize>,
    /// The coordinate that carries each coordinate.
    above: Vec<usize>,
    /// L of each tree, row-major, and the diagonal of SᵀS.
    L: Vec<f64>,
    weight: Vec<f64>,
    /// v_b, a velocity of all blocks, and one of all coordinates.
    v_b: Vec<f64>,
    is_biased: bool,
    v: Vec<f64>,
    w: Vec<f64>,
    y: Vec<f64>,
    /// Motion without contacts, in normalised coordinates.
    k_hat: Vec<f64>,
    columns: Vec<f64>,
    blocks: Vec<usize>,
    /// Contacts that are taken in, their list, and whether `hat` lacks some.
    is_stale: bool,
    chosen: Vec<bool>,
    contacts: Vec<usize>,
    /// Rows that yield.
    rows: Vec<usize>,
    /// Without firm joint rows.
    pub(crate) hat: ContactProblem,
}

impl Generalised {
    /// Sets the problem. `false`: its joints form loops or depend on each other, hold a contact, or are none.
    ///
    /// Contacts that are far from closing, as limits of joints mostly are, are skipped until they close ([`Self::any_missed`]), except for
    /// those that `always` names.
    pub(crate) fn set(&mut self, problem: &ContactProblem, always: impl Fn(usize) -> bool) -> bool {
        let is_new = !self.stamp.is_some_and(|stamp| stamp.is(problem.stamp()));
        if is_new {
            self.stamp = Some(problem.stamp());
            self.is_stale = true;
            self.chosen.clear();
            self.chosen.resize(problem.contact_count(), false);
            self.fits =
                problem.joint_count() > 0 && self.trees.set(problem) && self.set_links(problem) && self.set_mass();
        }
        if !self.fits {
            return false;
        }
        self.load(problem);
        if problem.contact_count() > 0 {
            self.choose_near(problem, always);
        }
        if self.is_stale {
            self.fits = self.set_hat(problem);
            self.is_stale = false;
        }
        let k = &self.k_hat;
        self.hat.set_dense_velocity(|hat| hat.copy_from_slice(k));
        self.fits
    }

    /// Takes contacts in that may come to close.
    fn choose_near(&mut self, problem: &ContactProblem, always: impl Fn(usize) -> bool) {
        self.y.copy_from_slice(&self.k_hat);
        self.move_all();
        let along = |i: usize| problem.along(i, &self.v)[0];
        let fastest = (0..problem.contact_count()).fold(0.0_f64, |m, i| m.max(along(i).abs()));
        for i in 0..problem.contact_count() {
            // Not the other way round: what is no number is near.
            let is_far = along(i) + problem.bias(i)[0] > fastest && !always(i);
            if !is_far && !self.chosen[i] {
                self.chosen[i] = true;
                self.is_stale = true;
            }
        }
    }

    /// Whether a skipped contact closes; it is then no longer skipped. To be called after [`Self::take`].
    pub(crate) fn any_missed(&mut self, problem: &ContactProblem) -> bool {
        for i in 0..problem.contact_count() {
            if !self.chosen[i] && problem.along(i, &self.v)[0] + problem.bias(i)[0] < 0.0 {
                self.chosen[i] = true;
                self.is_stale = true;
            }
        }
        self.is_stale
    }

    fn set_links(&mut self, problem: &ContactProblem) -> bool {
        self.links.clear();
        self.places.clear();
        self.above.clear();
        for list in [&mut self.link_of, &mut self.tree_of] {
            list.clear();
            list.resize(problem.block_count(), 0);
        }
        let (mut entries, mut blocks) = (0, 0);
        let branches = &self.trees.branches;
        for (l, branch) in branches.iter().enumerate() {
            let first = self.above.len();
            let parent = branch.parent.map(|p| branches[p].block);
            let Some(mut link) = Link::new(problem, branch, parent, first) else {
                return false;
            };
            if branch.parent.is_none() {
                let is_alone = branches.get(l + 1).is_none_or(|next| next.tree != branch.tree);
                self.places.push(Place {
                    start: first,
                    dim: 0,
                    L: entries,
                    is_free: is_alone && branch.rows.is_empty(),
                    block: blocks,
                });
            }
            let carrier = link.parent.map_or(NONE, |p| self.links[p].last);
            let own = first..first + link.free;
            self.above
                .extend(own.clone().map(|k| if k == first { carrier } else { k - 1 }));
            self.link_of[branch.block] = l;
            self.tree_of[branch.block] = branch.tree;
            link.last = if own.is_empty() { carrier } else { own.end - 1 };
            self.links.push(link);
            let place = &mut self.places[branch.tree];
            place.dim += own.len();
            if branches.get(l + 1).is_none_or(|next| next.tree != branch.tree) {
                if place.dim > MOST && !place.is_free {
                    return false;
                }
                entries += if place.is_free { 0 } else { place.dim * place.dim };
                blocks += usize::from(place.dim > 0);
            }
        }
        self.L.clear();
        self.L.resize(entries, 0.0);
        self.set_biased(problem);
        true
    }

    /// v_b: every coordinate at rest.
    fn set_biased(&mut self, problem: &ContactProblem) {
        self.v_b.clear();
        self.v_b.resize(problem.dof(), 0.0);
        self.is_biased = (0..problem.joint_count()).any(|k| problem.joint_bias(k) != 0.0);
        if self.is_biased {
            self.y.clear();
            self.y.resize(self.above.len(), 0.0);
            let mut v = std::mem::take(&mut self.v_b);
            self.move_blocks(&mut v);
            self.v_b = v;
        }
    }

    /// Velocities of all blocks from those of the normalised coordinates in `y`, which are no longer normalised then.
    fn move_all(&mut self) {
        let mut y = std::mem::take(&mut self.y);
        for place in &self.places {
            self.denormalise(*place, &mut y[place.start..place.start + place.dim]);
        }
        self.y = y;
        let mut v = std::mem::take(&mut self.v);
        self.move_blocks(&mut v);
        self.v = v;
    }

    /// Velocities of all blocks from those of the coordinates in `y`.
    fn move_blocks(&self, v: &mut [f64]) {
        for link in &self.links {
            if self.is_free(link) {
                v[link.at..link.at + link.dim].copy_from_slice(&self.y[link.first..link.first + link.dim]);
                continue;
            }
            let above = link.parent.map_or(SIX_ZEROS, |p| part(&self.links[p], v));
            let velocity = link.velocity(&above, &self.y[link.first..link.first + link.free]);
            v[link.at..link.at + link.dim].copy_from_slice(&velocity[..link.dim]);
        }
    }

    fn is_free(&self, link: &Link) -> bool {
        self.places[link.tree].is_free
    }

    /// SᵀS = LᵀL.
    fn set_mass(&mut self) -> bool {
        for link in &mut self.links {
            link.mass = unit();
        }
        for l in (0..self.links.len()).rev() {
            let Some(p) = self.links[l].parent else { continue };
            let added = self.links[l].mass_above();
            for (row, added) in self.links[p].mass.iter_mut().zip(&added) {
                for (m, a) in row.iter_mut().zip(added) {
                    *m += a;
                }
            }
        }
        self.weight.clear();
        self.weight.resize(self.above.len(), 0.0);
        for link in self.links.iter().filter(|link| !self.places[link.tree].is_free) {
            let Place { start, dim, L, .. } = self.places[link.tree];
            for (k, q) in link.own().iter().enumerate() {
                let row = L + (link.first + k - start) * dim;
                let mut f: Vector = std::array::from_fn(|i| dot(&link.mass[i], q));
                self.weight[link.first + k] = dot(q, &f);
                let mut at = link;
                loop {
                    for (c, q) in at.own().iter().enumerate() {
                        self.L[row + at.first - start + c] = dot(q, &f);
                    }
                    let Some(p) = at.parent else { break };
                    f = at.up(&f);
                    at = &self.links[p];
                }
            }
        }
        (0..self.places.len()).all(|p| self.places[p].is_free || self.factor(self.places[p]))
    }

    /// From the last coordinate to the first; each changes those that carry it.
    fn factor(&mut self, place: Place) -> bool {
        let Place { start, dim, L, .. } = place;
        let M = &mut self.L[L..L + dim * dim];
        for k in (0..dim).rev() {
            let pivot = M[k * dim + k];
            if pivot.is_nan() || pivot <= LEFT * self.weight[start + k] {
                return false;
            }
            let root = pivot.sqrt();
            M[k * dim + k] = root;
            let mut i = self.above[start + k];
            while i != NONE {
                M[k * dim + i - start] /= root;
                i = self.above[i];
            }
            let mut i = self.above[start + k];
            while i != NONE {
                let x = M[k * dim + i - start];
                let mut j = i;
                while j != NONE {
                    M[(i - start) * dim + j - start] -= x * M[k * dim + j - start];
                    j = self.above[j];
                }
                i = self.above[i];
            }
        }
        true
    }

    /// x ← L⁻ᵀx for the coordinates of a tree.
    fn normalise(&self, place: Place, x: &mut [f64]) {
        let Place {
            start, dim, L, is_free, ..
        } = place;
        if is_free {
            return;
        }
        for k in (0..dim).rev() {
            if x[k] == 0.0 {
                continue;
            }
            let row = &self.L[L + k * dim..L + (k + 1) * dim];
            x[k] /= row[k];
            let mut i = self.above[start + k];
            while i != NONE {
                x[i - start] -= row[i - start] * x[k];
                i = self.above[i];
            }
        }
    }

    /// x ← L⁻¹x for the coordinates of a tree.
    fn denormalise(&self, place: Place, x: &mut [f64]) {
        let Place {
            start, dim, L, is_free, ..
        } = place;
        if is_free {
            return;
        }
        for k in 0..dim {
            let row = &self.L[L + k * dim..L + (k + 1) * dim];
            let mut i = self.above[start + k];
            while i != NONE {
                x[k] -= row[i - start] * x[i - start];
                i = self.above[i];
            }
            x[k] /= row[k];
        }
    }

    fn set_hat(&mut self, problem: &ContactProblem) -> bool {
        self.hat.clear();
        for place in self.places.iter().filter(|place| place.dim > 0) {
            self.hat.push_unit_block(place.dim);
        }
        self.contacts.clear();
        self.rows.clear();
        (0..problem.contact_count()).all(|i| !self.chosen[i] || self.add_contact(problem, i))
            && (0..problem.joint_count()).all(|k| !problem.yields(k) || self.add_row(problem, k))
    }

    /// L⁻ᵀSᵀ of columns over some blocks, written to `columns` one after the other, over the trees in `blocks`. Returns the length of one.
    fn carry_columns<const N: usize>(&mut self, touches: &[Touch], of: [&[f64]; N]) -> usize {
        let mut blocks = std::mem::take(&mut self.blocks);
        blocks.clear();
        let mut len = 0;
        for t in touches {
            let tree = self.tree_of[t.block];
            if self.places[tree].dim > 0 && !blocks.contains(&tree) {
                blocks.push(tree);
                len += self.places[tree].dim;
            }
        }
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        columns.resize(N * len, 0.0);
        for (column, out) in of.into_iter().zip(columns.chunks_exact_mut(len.max(1))) {
            let mut from = 0;
            for tree in &blocks {
                let place = self.places[*tree];
                let out = &mut out[from..from + place.dim];
                from += place.dim;
                for t in touches.iter().filter(|t| self.tree_of[t.block] == *tree) {
                    self.carry(self.link_of[t.block], &column[t.start..t.start + t.len], out);
                }
                self.normalise(place, out);
            }
        }
        for tree in &mut blocks {
            *tree = self.places[*tree].block;
        }
        (self.blocks, self.columns) = (blocks, columns);
        len
    }

    /// Adds a contact. `false`: joints hold it.
    fn add_contact(&mut self, problem: &ContactProblem, i: usize) -> bool {
        let c = problem.columns(i);
        let len = self.carry_columns(c.touches, [c.normal, c.tangents[0], c.tangents[1]]);
        if !moves(&self.columns[..len], c.normal) {
            return false;
        }
        let mut bias = problem.bias(i);
        if self.is_biased {
            let u = problem.along(i, &self.v_b);
            bias = std::array::from_fn(|k| bias[k] + u[k]);
        }
        self.hat
            .push_contact_like((problem, i), &self.blocks, bias, &self.columns);
        self.contacts.push(i);
        true
    }

    /// Adds a row that yields. `false`: joints hold it.
    fn add_row(&mut self, problem: &ContactProblem, k: usize) -> bool {
        let (touches, column) = problem.joint(k);
        let len = self.carry_columns(touches, [column]);
        if !moves(&self.columns[..len], column) {
            return false;
        }
        let mut bias = problem.joint_bias(k);
        if self.is_biased {
            bias += problem.along_joint(k, &self.v_b);
        }
        self.hat.push_row_like((problem, k), &self.blocks, bias, &self.columns);
        self.rows.push(k);
        true
    }

    /// Adds Sᵀ of an impulse on one block to the coordinates of its tree.
    fn carry(&self, link: usize, impulse: &[f64], out: &mut [f64]) {
        let mut link = &self.links[link];
        let place = self.places[link.tree];
        if place.is_free {
            for (out, x) in out.iter_mut().zip(impulse) {
                *out += x;
            }
            return;
        }
        let mut f = SIX_ZEROS;
        f[..impulse.len()].copy_from_slice(impulse);
        loop {
            for (k, q) in link.own().iter().enumerate() {
                out[link.first - place.start + k] += dot(q, &f);
            }
            let Some(p) = link.parent else { return };
            f = link.up(&f);
            link = &self.links[p];
        }
    }

    /// L⁻ᵀSᵀ(k − v_b).
    fn load(&mut self, problem: &ContactProblem) {
        self.v.clear();
        self.v.extend(problem.k_x().iter().zip(&self.v_b).map(|(k, v)| k - v));
        self.y.clear();
        self.y.resize(self.above.len(), 0.0);
        for l in (0..self.links.len()).rev() {
            let link = &self.links[l];
            if self.is_free(link) {
                self.y[link.first..link.first + link.dim].copy_from_slice(&self.v[link.at..link.at + link.dim]);
                continue;
            }
            let f = part(link, &self.v);
            for (y, q) in self.y[link.first..].iter_mut().zip(link.own()) {
                *y = dot(q, &f);
            }
            if let Some(p) = link.parent {
                let (above, f) = (&self.links[p], link.up(&f));
                for (v, f) in self.v[above.at..above.at + above.dim].iter_mut().zip(&f) {
                    *v += f;
                }
            }
        }
        let mut k = std::mem::take(&mut self.k_hat);
        k.clone_from(&self.y);
        for place in &self.places {
            self.normalise(*place, &mut k[place.start..place.start + place.dim]);
        }
        self.k_hat = k;
    }

    /// Rows that yield, in the order in which `hat` has them.
    pub(crate) fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Takes the impulses of the problem that is left back: those of the contacts, and of the joints with them.
    pub(crate) fn take(&mut self, problem: &ContactProblem, found: &Impulses, impulses: &mut Impulses) {
        let mut y = std::mem::take(&mut self.y);
        y.copy_from_slice(&self.k_hat);
        let mut w = std::mem::take(&mut self.w);
        w.clear();
        w.extend_from_slice(problem.k_x());
        impulses.normal.fill(0.0);
        impulses.friction.fill([0.0; 2]);
        for (at, i) in self.contacts.iter().enumerate() {
            let (theta, f) = (found.normal[at], found.friction[at]);
            (impulses.normal[*i], impulses.friction[*i]) = (theta, f);
            let p = [theta, f[0], f[1]];
            if p != [0.0; 3] {
                self.hat.push(at, p, &mut y);
                problem.push(*i, p, &mut w);
            }
        }
        for (at, k) in self.rows.iter().enumerate() {
            let x = found.joint[at];
            impulses.joint[*k] = x;
            self.hat.push_joint(at, x, &mut y);
            problem.push_joint(*k, x, &mut w);
        }
        self.y = y;
        self.move_all();
        // What joints have done to each block, from the leaves inwards.
        for (w, v) in w.iter_mut().zip(&self.v) {
            *w = v - *w;
        }
        for l in (0..self.links.len()).rev() {
            let link = &self.links[l];
            if self.is_free(link) {
                continue;
            }
            let above = link.impulses(&part(link, &w), &mut impulses.joint);
            if let Some(p) = link.parent {
                let at = &self.links[p];
                for (w, x) in w[at.at..at.at + at.dim].iter_mut().zip(&above) {
                    *w -= x;
                }
            }
        }
        self.w = w;
    }
}

/// Whether enough is left of a column in the coordinates that joints leave.
fn moves(column: &[f64], before: &[f64]) -> bool {
    let square = |column: &[f64]| column.iter().map(|x| x * x).sum::<f64>();
    square(column) > LOCKED * LOCKED * square(before)
}

/// Velocity of a linked block.
fn part(link: &Link, v: &[f64]) -> Vector {
    let mut out = SIX_ZEROS;
    out[..link.dim].copy_from_slice(&v[link.at..link.at + link.dim]);
    out
}
