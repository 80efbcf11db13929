//! The least displacement that opens contacts, nearly: Gauss–Seidel sweeps over the contacts of each island, to and fro.
//!
//! The next step corrects the overlap that a displacement leaves, so that few digits of it are worth their price. A sweep costs less than a fiftieth of a Newton step.

use stiction_contact::ContactProblem;

/// Pairs of sweeps, to and fro, on an island at most.
const MAX_SWEEPS: usize = 40;
/// Sweeps of an island end when a pair of them changes a velocity by less than this share of its deepest overlap.
const SWEEP_REL_TOL: f64 = 0.01;
/// The same for islands of at most [`SMALL_ISLAND`] contacts, where more digits are cheap: a body on a face.
const SMALL_ISLAND_REL_TOL: f64 = 1e-10;
const SMALL_ISLAND: usize = 8;
/// Part of the deepest overlap of an island that may be left anywhere in it.
const MAX_LEFT_SHARE: f64 = 0.1;
/// Coordinates of a body.
const SIX: usize = 6;
/// Operations of a visit of a contact.
const VISIT: u64 = 60;

/// One contact along its normal.
#[derive(Debug, Clone, Copy)]
struct Row {
    contact: usize,
    /// Where the coordinates of its bodies begin, how many there are, and its columns there.
    at: [usize; 2],
    len: [usize; 2],
    columns: [[f64; SIX]; 2],
    gap: f64,
    /// Impulse that stops a unit of velocity.
    weight: f64,
    push: f64,
}

impl Row {
    #[inline]
    fn along(&self, v: &[f64]) -> f64 {
        let mut sum = self.gap;
        for part in 0..2 {
            let v = &v[self.at[part]..self.at[part] + self.len[part]];
            for (c, x) in self.columns[part].iter().zip(v) {
                sum += c * x;
            }
        }
        sum
    }

    /// Projects the contact: closes it, or releases it. Returns the change of its velocity.
    #[inline]
    fn visit(&mut self, v: &mut [f64]) -> f64 {
        let u = self.along(v);
        let push = (self.push - u * self.weight).max(0.0);
        let change = push - self.push;
        if change == 0.0 {
            return 0.0;
        }
        self.push = push;
        for part in 0..2 {
            let v = &mut v[self.at[part]..self.at[part] + self.len[part]];
            for (x, c) in v.iter_mut().zip(&self.columns[part]) {
                *x += change * c;
            }
        }
        (change / self.weight).abs()
    }
}

/// The displacement found, and its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sweeps {
    rows: Vec<Row>,
    /// Contacts by island.
    order: Vec<(usize, usize)>,
    v: Vec<f64>,
    /// By island: more of an overlap is left than may be.
    pub(crate) fails: Vec<bool>,
    /// Displacement of the blocks, and along the normals with what gap that leaves.
    pub(crate) velocity: Vec<f64>,
    pub(crate) gaps: Vec<f64>,
    /// Operations of the last problem, by estimate.
    pub(crate) operations: u64,
}

impl Sweeps {
    /// Sweeps over the contacts of a problem without joints, whose gaps are their biases; `island` is that of a block. `false`: in some island more of an overlap is left than may be.
    pub(crate) fn run(&mut self, problem: &ContactProblem, mut island: impl FnMut(usize) -> usize) -> bool {
        self.operations = 0;
        self.fails.clear();
        self.fails.resize(problem.block_count(), false);
        self.order.clear();
        for i in 0..problem.contact_count() {
            let touches = problem.columns(i).touches;
            self.order.extend(touches.first().map(|touch| (island(touch.block), i)));
        }
        self.order.sort_unstable();
        self.rows.clear();
        for (_, i) in &self.order {
            self.rows.push(row(problem, *i));
        }
        self.v.clear();
        self.v.resize(problem.dof(), 0.0);
        self.gaps.clear();
        self.gaps.resize(problem.contact_count(), 0.0);
        let mut rest = &mut self.rows[..];
        for one in self.order.chunk_by(|a, b| a.0 == b.0) {
            let (rows, others) = rest.split_at_mut(one.len());
            rest = others;
            let (left, deepest, visits) = sweep(rows, &mut self.v);
            self.fails[one[0].0] = left > MAX_LEFT_SHARE * deepest;
            self.operations += VISIT * visits as u64;
            let near = rel_tol(rows.len()) * deepest;
            for row in rows {
                // Contacts that push count as closed, and so do those within the tolerance: different gaps at the points of a flat face would bend it.
                let gap = row.along(&self.v);
                self.gaps[row.contact] = if row.push > 0.0 || gap <= near { 0.0 } else { gap };
            }
        }
        self.velocity.clear();
        self.velocity.resize(problem.dof(), 0.0);
        problem.denormalise(&self.v, &mut self.velocity);
        !self.fails.contains(&true)
    }
}

/// Part of the deepest overlap at which sweeps over so many contacts end.
fn rel_tol(contacts: usize) -> f64 {
    if contacts <= SMALL_ISLAND {
        SMALL_ISLAND_REL_TOL
    } else {
        SWEEP_REL_TOL
    }
}

/// Sweeps over the contacts of an island: what is left of its overlap, its deepest overlap, and visits.
fn sweep(rows: &mut [Row], v: &mut [f64]) -> (f64, f64, usize) {
    let deepest = rows.iter().fold(0.0, |m: f64, row| m.max(-row.gap));
    if deepest == 0.0 {
        return (0.0, 0.0, 0);
    }
    let mut visits = 0;
    for _ in 0..MAX_SWEEPS {
        let mut moved = 0.0_f64;
        for row in rows.iter_mut() {
            moved = moved.max(row.visit(v));
        }
        for row in rows.iter_mut().rev() {
            moved = moved.max(row.visit(v));
        }
        visits += 2 * rows.len();
        if moved <= rel_tol(rows.len()) * deepest {
            break;
        }
    }
    let left = rows.iter().fold(0.0, |m: f64, row| m.max(-row.along(v)));
    (left, deepest, visits)
}

fn row(problem: &ContactProblem, contact: usize) -> Row {
    let columns = problem.columns(contact);
    let mut row = Row {
        contact,
        at: [0; 2],
        len: [0; 2],
        columns: [[0.0; SIX]; 2],
        gap: problem.bias(contact)[0],
        weight: 0.0,
        push: 0.0,
    };
    let mut square = 0.0;
    for (part, touch) in columns.touches.iter().enumerate() {
        (row.at[part], row.len[part]) = (touch.at, touch.len);
        let column = &columns.normal[touch.start..touch.start + touch.len];
        row.columns[part][..touch.len].copy_from_slice(column);
        square += column.iter().map(|x| x * x).sum::<f64>();
    }
    row.weight = 1.0 / square;
    row
}

#[cfg(test)]
mod tests {
    use super::Sweeps;
    use stiction_contact::ContactProblem;

    const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    const UP: [&[f64]; 3] = [&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]];
    const DOWN: [&[f64]; 3] = [&[0.0, 0.0, -1.0], &[-1.0, 0.0, 0.0], &[0.0, -1.0, 0.0]];

    /// Points above each other, each of which overlaps what is below it by the given depth; the first lies on the ground.
    fn column(problem: &mut ContactProblem, depths: &[f64]) {
        let mut below = None;
        for depth in depths {
            let block = problem.add_block(&UNIT, &[0.0; 3]).unwrap();
            let parts = below.map_or_else(|| vec![(block, UP)], |below| vec![(block, UP), (below, DOWN)]);
            let contact = problem.add_contact(&parts, 0.0).unwrap();
            problem.set_bias(contact, [-depth, 0.0, 0.0]).unwrap();
            below = Some(block);
        }
    }

    #[test]
    fn a_column_is_moved_out_of_itself() {
        let (mut problem, mut sweeps) = (ContactProblem::new(), Sweeps::default());
        column(&mut problem, &[0.01; 4]);
        assert!(sweeps.run(&problem, |_| 0));
        for (block, z) in sweeps.velocity.iter().skip(2).step_by(3).enumerate() {
            let exact = 0.01 * (block + 1) as f64;
            assert!((z - exact).abs() < 0.1 * exact, "{block}: {z}");
        }
        assert!(sweeps.operations > 0 && sweeps.gaps == [0.0; 4]);
    }

    #[test]
    fn islands_do_not_know_of_each_other() {
        let alone = |depth: f64| {
            let (mut problem, mut sweeps) = (ContactProblem::new(), Sweeps::default());
            column(&mut problem, &[0.01; 3]);
            column(&mut problem, &[depth, 2.0 * depth]);
            assert!(sweeps.run(&problem, |block| if block < 3 { 0 } else { 3 }));
            sweeps.velocity[..9].to_vec()
        };
        assert_eq!(alone(1.0), alone(1e-6));
    }

    #[test]
    fn what_has_no_way_out_is_said_so() {
        let (mut problem, mut sweeps) = (ContactProblem::new(), Sweeps::default());
        column(&mut problem, &[0.01]);
        let above = problem.add_contact(&[(0, DOWN)], 0.0).unwrap();
        problem.set_bias(above, [-0.01, 0.0, 0.0]).unwrap();
        assert!(!sweeps.run(&problem, |_| 0));
        assert_eq!(sweeps.fails, [true]);
    }
}
