//! Whether a problem with nonconvex groups has an answer: all states of its contacts, by branching over linear programs.
//!
//! The impulse of a contact is a sum of rays of its cone, x ≥ 0 each, and every velocity is linear in them. A ray is 0, or its contact touches,
//! its side holds, no other side is open \[Egan (12)–(22), (29)\], and the slip is one against which the ray may act: all linear except for the choices, of
//! rays, of sides, and of the contact by which a side of several is not open. The tree is complete: if every leaf of it is infeasible, there is no
//! answer. Planar contacts and polygons have such cones. A round cone lies within that of the polygon around its circle, of which a ray may act against
//! slips in the two sectors beside it; a proof of none is one for the round cone too, and a point that is found is no more than near.

mod program;

use crate::check::{Answer, Judge, Terms};
use crate::cone::{Circle, finite_mu};
use crate::problem::{ContactProblem, length};
use crate::solution::Law;
use crate::solver::Impulses;
use program::{Point, Program, Relation, Row};

/// Velocities that are off by less, relative to the fastest, count as right.
const SLACK: f64 = 1e-9;

/// Most linear programs of a tree.
const PROGRAM_LIMIT: usize = 4096;

/// Most multiplications of a tree: about a second.
const WORK_LIMIT: usize = 1_000_000_000;

/// Fewest directions of the polygon around a circle.
const AROUND: usize = 8;

/// Which cone stands for that of a contact in space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cone {
    /// None: there is no friction.
    Ray,
    /// The polygon of the law.
    Polygon,
    /// The polygon around the circle.
    Around,
}

/// How a tree ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Outcome {
    /// A point was accepted.
    Found,
    /// Every leaf is infeasible.
    None,
    /// The limit was reached, or points were found and not accepted.
    Open,
}

/// A velocity: weights of the normalised coordinates, of length 1, and a constant.
type Functional = (Vec<f64>, f64);

/// A variable: what pushes, and how.
#[derive(Debug, Clone)]
struct Column {
    /// Contact and number of its direction; `None` for joints.
    contact: Option<(usize, Option<usize>)>,
    /// Change of the normalised velocity, of length 1 unless it is 0.
    change: Vec<f64>,
    /// Impulse along normal and tangents, or of the joint in the first, for x = 1.
    impulse: [f64; 3],
    joint: usize,
    /// Slips that are ≥ 0 where it acts.
    slips: Vec<Functional>,
}

#[derive(Debug)]
struct Tree<'a> {
    problem: &'a ContactProblem,
    columns: Vec<Column>,
    /// What each contact leaves with.
    normal: Vec<Functional>,
    k_x: Vec<f64>,
    /// The fastest velocity: all others are relative to it.
    scale: f64,
    directions: usize,
}

/// What is decided at a node.
#[derive(Debug, Clone, Default)]
struct Decided {
    rows: Vec<Row>,
    /// Columns that do not push.
    zero: Vec<usize>,
    /// Contacts that touch, on sides that hold.
    touches: Vec<usize>,
    /// Columns against whose slips nothing speaks.
    acts: Vec<usize>,
    /// Groups of which a side holds.
    held: Vec<usize>,
    /// Groups and sides that are not open.
    closed: Vec<(usize, usize)>,
}

/// Whether any impulse obeys the law; `None` where that is not decided. Decides for the laws frictionless, polyhedral, and Coulomb with planar
/// contacts, up to 4096 linear programs and about a second; with round cones in space it may decide that there is none. Relative to the fastest velocity, what is
/// missed by 1e-9 is not told from an answer. Problems with yielding joints are not decided.
///
/// The directions in `terms` are those of the polyhedral law.
///
/// ```
/// use stiction_contact::{ContactProblem, Law, check::Terms, has_answer};
/// // One side pulls up what the other lets pass: the floor must be left at 1 m/s, below a ceiling.
/// let mut problem = ContactProblem::new();
/// problem.add_block(&[1.0], &[0.0])?;
/// for (normal, bias) in [(1.0, -1.0), (-1.0, 0.5)] {
///     let contact = problem.add_contact(&[(0, [&[normal], &[0.0], &[0.0]])], 0.0)?;
///     problem.set_bias(contact, [bias, 0.0, 0.0])?;
/// }
/// let terms = Terms { law: Law::Frictionless, directions: 8, tolerance: 1e-10 };
/// assert_eq!(has_answer(&problem, terms), Some(false));
/// // Either is enough.
/// problem.add_group(&[&[0], &[1]])?;
/// assert_eq!(has_answer(&problem, terms), Some(true));
/// # Ok::<(), stiction_contact::InputError>(())
/// ```
#[must_use]
pub fn has_answer(problem: &ContactProblem, terms: Terms) -> Option<bool> {
    let cone = match terms.law {
        Law::Frictionless => Cone::Ray,
        Law::Polyhedral => Cone::Polygon,
        Law::Coulomb => Cone::Around,
        _ => return None,
    };
    let mut judge = Judge::new();
    let has_directions = terms.law == Law::Polyhedral;
    let mut accept = |found: &Impulses| {
        let answer: Answer<'_> = found.answer(has_directions);
        judge.judge(problem, terms, answer).0
    };
    match exhaust(problem, cone, terms.directions, &mut accept) {
        Outcome::Found => Some(true),
        Outcome::None => Some(false),
        Outcome::Open => None,
    }
}

/// Looks for impulses that are accepted among all states.
pub(crate) fn exhaust(
    problem: &ContactProblem,
    cone: Cone,
    directions: usize,
    accept: &mut dyn FnMut(&Impulses) -> bool,
) -> Outcome {
    if root_work(problem, cone, directions) > WORK_LIMIT {
        return Outcome::Open;
    }
    let tree = Tree::new(problem, cone, directions);
    if problem.any_yields() || !tree.is_finite() {
        return Outcome::Open;
    }
    let mut open = vec![tree.root()];
    let mut outcome = Outcome::None;
    let (mut programs, mut work) = (0, 0);
    while let Some(node) = open.pop() {
        programs += 1;
        if programs > PROGRAM_LIMIT || work > WORK_LIMIT {
            return Outcome::Open;
        }
        let program = Program {
            columns: tree.columns.len(),
            rows: &node.rows,
            zero: &node.zero,
        };
        let x = match program.point(&mut work) {
            Point::Feasible(x) => x,
            Point::Infeasible => continue,
            Point::Unresolved => {
                outcome = Outcome::Open;
                continue;
            }
        };
        match tree.branches(&node, &x) {
            Some(branches) => open.extend(branches),
            None if accept(&tree.impulses(&x)) => return Outcome::Found,
            None => outcome = Outcome::Open,
        }
    }
    outcome
}

/// Multiplications that the root of a tree takes: a row for each contact, over all rays, each as long as a velocity.
fn root_work(problem: &ContactProblem, cone: Cone, directions: usize) -> usize {
    let rays = match cone {
        Cone::Ray => 1,
        Cone::Polygon => directions,
        Cone::Around => directions.max(AROUND),
    };
    let contacts = problem.contact_count();
    contacts
        .saturating_mul(contacts.saturating_mul(rays) + 2 * problem.joint_count())
        .saturating_mul(problem.dof())
}

/// A functional of length 1, relative to a velocity.
fn unit(mut w: Vec<f64>, bias: f64, scale: f64) -> Functional {
    let size = length(&w);
    if size > 0.0 {
        for x in &mut w {
            *x /= size;
        }
        (w, bias / (size * scale))
    } else {
        (w, bias / scale)
    }
}

impl<'a> Tree<'a> {
    fn new(problem: &'a ContactProblem, cone: Cone, directions: usize) -> Self {
        let mut tree = Self {
            problem,
            columns: Vec::new(),
            normal: Vec::new(),
            k_x: problem.k_x().to_vec(),
            scale: 1.0,
            directions,
        };
        let normals =
            (0..problem.contact_count()).map(|i| unit(tree.direction(i, [1.0, 0.0, 0.0]), problem.bias(i)[0], 1.0));
        let normals: Vec<Functional> = normals.collect();
        let fastest = normals.iter().fold(length(&tree.k_x), |m, (_, bias)| m.max(bias.abs()));
        if fastest > 0.0 {
            tree.scale = fastest;
        }
        for x in &mut tree.k_x {
            *x /= tree.scale;
        }
        tree.normal
            .extend(normals.into_iter().map(|(w, bias)| (w, bias / tree.scale)));
        for i in 0..problem.contact_count() {
            tree.add_rays(i, cone);
        }
        for joint in 0..problem.joint_count() {
            for sign in [1.0, -1.0] {
                let mut change = vec![0.0; problem.dof()];
                problem.push_joint(joint, sign, &mut change);
                tree.add(None, (change, [sign, 0.0, 0.0], joint), Vec::new());
            }
        }
        tree
    }

    fn is_finite(&self) -> bool {
        let columns = self.columns.iter().flat_map(|column| &column.change);
        let normals = self.normal.iter().flat_map(|(w, bias)| w.iter().chain([bias]));
        columns.chain(normals).chain(&self.k_x).all(|x| x.is_finite())
    }

    fn direction(&self, i: usize, p: [f64; 3]) -> Vec<f64> {
        let mut v = vec![0.0; self.problem.dof()];
        self.problem.push(i, p, &mut v);
        v
    }

    /// Slip along a direction.
    fn slip(&self, i: usize, [x, y]: [f64; 2]) -> Functional {
        let bias = self.problem.bias(i);
        unit(self.direction(i, [0.0, x, y]), x * bias[1] + y * bias[2], self.scale)
    }

    /// Adds a column of length 1.
    fn add(
        &mut self,
        contact: Option<(usize, Option<usize>)>,
        (mut change, mut impulse, joint): (Vec<f64>, [f64; 3], usize),
        slips: Vec<Functional>,
    ) {
        let size = length(&change);
        if size > 0.0 {
            for x in &mut change {
                *x /= size;
            }
            impulse = impulse.map(|x| x / size);
        }
        self.columns.push(Column {
            contact,
            change,
            impulse,
            joint,
            slips,
        });
    }

    fn add_rays(&mut self, i: usize, cone: Cone) {
        let mu = if cone == Cone::Ray {
            0.0
        } else {
            finite_mu(self.problem.mu(i))
        };
        if mu <= 0.0 {
            let normal = [1.0, 0.0, 0.0];
            self.add(Some((i, None)), (self.direction(i, normal), normal, 0), Vec::new());
            return;
        }
        let planar = self.problem.is_planar(i);
        let around = cone == Cone::Around && !planar;
        let count = match (planar, around) {
            (true, _) => 2,
            (false, true) => self.directions.max(AROUND),
            (false, false) => self.directions,
        };
        let circle = Circle::new(count);
        // Corners of the polygon around the circle lie 1/cos(π/d) from its centre.
        let size = if around {
            mu / Circle::new(2 * count).direction(1)[0]
        } else {
            mu
        };
        for k in 0..count {
            let [x, y] = circle.direction(k);
            let beside = [
                circle.direction((k + 1) % count),
                circle.direction((k + count - 1) % count),
            ];
            let slips = if around {
                // −s lies between both neighbours: a × (−s) ≥ 0 and (−s) × b ≥ 0.
                let [[bx, by], [ax, ay]] = beside;
                vec![self.slip(i, [ay, -ax]), self.slip(i, [-by, bx])]
            } else {
                // The slip along this direction is the least.
                beside.map(|[bx, by]| self.slip(i, [bx - x, by - y])).to_vec()
            };
            let impulse = [1.0, size * x, size * y];
            let number = if around { None } else { Some(k) };
            self.add(Some((i, number)), (self.direction(i, impulse), impulse, 0), slips);
        }
    }

    /// What holds everywhere: contacts of no group, and joints.
    fn root(&self) -> Decided {
        let mut root = Decided::default();
        let convex = (0..self.normal.len()).filter(|i| !self.problem.is_grouped(*i));
        root.rows
            .extend(convex.map(|i| self.row(&self.normal[i], Relation::AtLeast)));
        for joint in 0..self.problem.joint_count() {
            let mut w = vec![0.0; self.problem.dof()];
            self.problem.push_joint(joint, 1.0, &mut w);
            let functional = unit(w, self.problem.joint_bias(joint), self.scale);
            root.rows.push(self.row(&functional, Relation::Equal));
        }
        root
    }

    /// The impulses of a point.
    fn impulses(&self, x: &[f64]) -> Impulses {
        let mut found = Impulses::default();
        found.clear(self.problem, self.directions);
        for (column, x) in self.columns.iter().zip(x) {
            let [normal, fx, fy] = column.impulse.map(|p| p * x * self.scale);
            let Some((i, direction)) = column.contact else {
                found.joint[column.joint] += normal;
                continue;
            };
            found.normal[i] += normal;
            found.friction[i][0] += fx;
            found.friction[i][1] += fy;
            if let Some(k) = direction {
                found.phi[i * self.directions + k] += finite_mu(self.problem.mu(i)) * normal;
            }
        }
        found
    }

    /// A functional as a row in x.
    fn row(&self, (w, bias): &Functional, relation: Relation) -> Row {
        let dot = |a: &[f64]| a.iter().zip(w).map(|(a, w)| a * w).sum::<f64>();
        Row {
            weights: self.columns.iter().map(|column| dot(&column.change)).collect(),
            relation,
            bound: -bias - dot(&self.k_x),
        }
    }

    fn value(&self, functional: &Functional, x: &[f64]) -> f64 {
        let row = self.row(functional, Relation::Equal);
        row.weights.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() - row.bound
    }

    fn contact(&self, c: usize) -> Option<usize> {
        self.columns[c].contact.map(|(i, _)| i)
    }

    /// What a point leaves to decide, as branches; `None` where it is lawful.
    fn branches(&self, node: &Decided, x: &[f64]) -> Option<Vec<Decided>> {
        let nu: Vec<f64> = self.normal.iter().map(|normal| self.value(normal, x)).collect();
        let most = |columns: &mut dyn Iterator<Item = usize>| columns.max_by(|a, b| x[*a].total_cmp(&x[*b]));
        let acts = |c: &usize| x[*c] > SLACK;
        let misplaced = |c: &usize| {
            self.contact(*c)
                .is_some_and(|i| !node.touches.contains(&i) && !self.may_push(i, &nu))
        };
        if let Some(c) = most(&mut (0..x.len()).filter(acts).filter(misplaced)) {
            return Some(self.branches_of_contact(node, self.contact(c)?).to_vec());
        }
        let slips = |c: &usize| self.columns[*c].slips.iter().any(|slip| self.value(slip, x) < -SLACK);
        let wrong = |c: &usize| !node.acts.contains(c) && slips(c);
        if let Some(c) = most(&mut (0..x.len()).filter(acts).filter(wrong)) {
            let (mut without, mut with) = (node.clone(), node.clone());
            without.zero.push(c);
            with.acts.push(c);
            let slips = self.columns[c].slips.iter();
            with.rows.extend(slips.map(|slip| self.row(slip, Relation::AtLeast)));
            return Some(vec![with, without]);
        }
        (0..self.problem.group_count()).find_map(|group| self.branches_of_group(node, group, (&nu, x)))
    }

    /// Whether a contact touches, its side holds and no other side of one contact is open.
    fn may_push(&self, i: usize, nu: &[f64]) -> bool {
        let group_allows = self.problem.side_of(i).is_none_or(|(g, s)| {
            let sides = (0..self.problem.side_count(g)).map(|t| (t, self.problem.side(g, t)));
            let mut allows = sides.map(|(t, side)| match side {
                _ if t == s => side.iter().all(|j| nu[*j] >= -SLACK),
                [j] => nu[*j] <= SLACK,
                _ => true,
            });
            allows.all(|allows| allows)
        });
        group_allows && nu[i] <= SLACK
    }

    /// The two branches: a contact pushes, with all conditions on its group except those of sides with several contacts; or it does not.
    fn branches_of_contact(&self, node: &Decided, i: usize) -> [Decided; 2] {
        let (mut with, mut without) = (node.clone(), node.clone());
        let rays = (0..self.columns.len()).filter(|c| self.contact(*c) == Some(i));
        without.zero.extend(rays);
        with.touches.push(i);
        with.rows.push(self.row(&self.normal[i], Relation::Equal));
        if let Some((g, s)) = self.problem.side_of(i) {
            self.hold(&mut with, self.problem.side(g, s));
            for other in (0..self.problem.side_count(g)).filter(|other| *other != s) {
                if let [j] = self.problem.side(g, other) {
                    with.rows.push(self.row(&self.normal[*j], Relation::AtMost));
                }
            }
        }
        [with, without]
    }

    /// No contact of a side is violated.
    fn hold(&self, node: &mut Decided, side: &[usize]) {
        let rows = side.iter().map(|i| self.row(&self.normal[*i], Relation::AtLeast));
        node.rows.extend(rows);
    }

    /// Branches where no side of a group holds, or where it pushes while a side of several contacts is open.
    fn branches_of_group(&self, node: &Decided, group: usize, (nu, x): (&[f64], &[f64])) -> Option<Vec<Decided>> {
        let sides: Vec<&[usize]> = (0..self.problem.side_count(group))
            .map(|s| self.problem.side(group, s))
            .collect();
        let value = |side: &[usize]| side.iter().fold(f64::INFINITY, |m, i| m.min(nu[*i]));
        // What is decided and yet violated is so by rounding.
        if !node.held.contains(&group) && sides.iter().all(|side| value(side) < -SLACK) {
            let branch = |side: &&[usize]| {
                let mut branch = node.clone();
                branch.held.push(group);
                self.hold(&mut branch, side);
                branch
            };
            return Some(sides.iter().map(branch).collect());
        }
        let group_of = |c: usize| self.contact(c).and_then(|i| self.problem.side_of(i)).map(|(g, _)| g);
        let rays: Vec<usize> = (0..x.len()).filter(|c| group_of(*c) == Some(group)).collect();
        let is_open = |s: &usize| !node.closed.contains(&(group, *s)) && value(sides[*s]) > SLACK;
        let open = (0..sides.len()).find(is_open)?;
        if rays.iter().all(|c| x[*c] <= SLACK) {
            return None;
        }
        let branch = |j: &usize| {
            let mut branch = node.clone();
            branch.closed.push((group, open));
            branch.rows.push(self.row(&self.normal[*j], Relation::AtMost));
            branch
        };
        let mut branches: Vec<Decided> = sides[open].iter().map(branch).collect();
        // Or the group does not push after all.
        let mut without = node.clone();
        without.zero.extend(rays);
        branches.push(without);
        Some(branches)
    }
}
