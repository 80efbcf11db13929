//! Every state of every contact, as an independent oracle: whether rest is the only lawful answer of structures in the plane.
//!
//! A contact is open, sticks, or slides to one of two sides. The tree goes through all of these; at each node a convex program gives the most work w·a that a lawful motion a could take
//! from the loads, where contacts that are not decided yet only obey what is common to all states. With aᵀMa ≤ w·a, which holds for every lawful motion, no work means rest.
#![allow(clippy::unwrap_used, clippy::many_single_char_names)]

mod structures;

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{NonnegativeConeT, SecondOrderConeT, ZeroConeT};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus};
use stiction_stand::{Ask, Equilibrium, Word, decide};
use structures::{arch, hung_book, ladder, overhang, tower, wedge};

/// Work below this share of that of a free fall is none.
const NO_WORK: f64 = 1e-6;
/// A state is lawful where its complementarity is violated by less than this share of the same.
const LAWFUL: f64 = 1e-9;
const MOST_NODES: usize = 20_000;

#[derive(Clone, Copy, PartialEq)]
enum State {
    Any,
    Open,
    Sticks,
    Slides(f64),
}

#[derive(Debug, PartialEq)]
enum Answer {
    RestAlone,
    Moves,
    Unknown,
}

/// A column: entries of the accelerations.
type Column = Vec<(usize, f64)>;

/// The structure in the plane of x and z: of a pair of contacts in depth the one with y > 0.
struct Planar {
    /// Masses of the coordinates.
    mass: Vec<f64>,
    load: Vec<f64>,
    contacts: Vec<([Column; 2], f64)>,
}

impl Planar {
    fn new(whole: &Equilibrium) -> Self {
        let (mut mass, mut load) = (Vec::new(), Vec::new());
        for (k, body) in whole.bodies().iter().enumerate() {
            mass.extend([body.mass, body.mass, body.mass_matrix[6 * 4 + 4]]);
            load.extend([whole.load()[6 * k], whole.load()[6 * k + 2], 0.0]);
        }
        let mut contacts = Vec::new();
        for contact in whole.contacts().iter().filter(|contact| contact.point[1] > 0.0) {
            let (x, z) = (contact.normal[0], contact.normal[2]);
            let columns = [[x, z], [z, -x]].map(|[x, z]| {
                let mut column = Vec::new();
                for (body, sign) in [(contact.a, 1.0), (contact.b, -1.0)] {
                    let Some(k) = whole.free_of(body) else { continue };
                    let arm: [f64; 3] = std::array::from_fn(|c| contact.point[c] - whole.centers()[body][c]);
                    // The turn about y.
                    let turn = arm[2] * x - arm[0] * z;
                    column.extend([(3 * k, sign * x), (3 * k + 1, sign * z), (3 * k + 2, sign * turn)]);
                }
                column
            });
            contacts.push((columns, contact.friction));
        }
        Self { mass, load, contacts }
    }

    /// Work of a fall that nothing stops.
    fn fall(&self) -> f64 {
        self.load.iter().zip(&self.mass).map(|(w, m)| w * w / m).sum()
    }

    fn along(column: &Column, a: &[f64]) -> f64 {
        column.iter().map(|(at, c)| c * a[*at]).sum()
    }

    /// The most work of a node and its point; `None`: no point. `Err`: the program failed.
    fn most_work(&self, states: &[State]) -> Result<Option<(f64, Vec<f64>)>, ()> {
        let (n, m) = (self.mass.len(), self.contacts.len());
        let (normal, friction) = (|j: usize| n + 2 * j, |j: usize| n + 2 * j + 1);
        let (mut zero, mut least): (Vec<(Column, f64)>, Vec<Column>) = (Vec::new(), Vec::new());
        for at in 0..n {
            let mut row = vec![(at, self.mass[at])];
            for (j, (columns, _)) in self.contacts.iter().enumerate() {
                for (place, column) in [(normal(j), &columns[0]), (friction(j), &columns[1])] {
                    row.extend(column.iter().filter(|(k, _)| *k == at).map(|(_, c)| (place, -c)));
                }
            }
            zero.push((row, self.load[at]));
        }
        for (j, (columns, mu)) in self.contacts.iter().enumerate() {
            let [opening, slip] = columns;
            let (p, t) = (normal(j), friction(j));
            match states[j] {
                State::Open => {
                    zero.extend([(vec![(p, 1.0)], 0.0), (vec![(t, 1.0)], 0.0)]);
                    least.push(opening.clone());
                    continue;
                }
                State::Any => least.push(opening.clone()),
                State::Sticks => zero.extend([(opening.clone(), 0.0), (slip.clone(), 0.0)]),
                State::Slides(side) => {
                    zero.extend([(opening.clone(), 0.0), (vec![(t, 1.0), (p, side * mu)], 0.0)]);
                    least.push(slip.iter().map(|(at, c)| (*at, side * c)).collect());
                    least.push(vec![(p, 1.0)]);
                    continue;
                }
            }
            least.extend([vec![(p, 1.0)], vec![(p, *mu), (t, 1.0)], vec![(p, *mu), (t, -1.0)]]);
        }
        // |(2√M a, w·a − e)| ≤ w·a + e with e the work of a fall: aᵀMa ≤ w·a in units of e.
        let e = self.fall();
        let work: Column = (0..n).map(|at| (at, self.load[at])).collect();
        let mut cone: Vec<(Column, f64)> = vec![(work.clone(), e), (work, -e)];
        cone.extend((0..n).map(|at| (vec![(at, 2.0 * (self.mass[at] * e).sqrt())], 0.0)));
        let (mut rows, mut columns, mut values, mut b) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut push = |entries: &Column, sign: f64, right: f64| {
            for (at, c) in entries {
                rows.push(b.len());
                columns.push(*at);
                values.push(sign * c);
            }
            b.push(right);
        };
        for (row, right) in &zero {
            push(row, 1.0, *right);
        }
        for row in &least {
            push(row, -1.0, 0.0);
        }
        for (row, constant) in &cone {
            push(row, -1.0, *constant);
        }
        let cones = [
            ZeroConeT(zero.len()),
            NonnegativeConeT(least.len()),
            SecondOrderConeT(cone.len()),
        ];
        let unknowns = n + 2 * m;
        let matrix = CscMatrix::new_from_triplets(b.len(), unknowns, rows, columns, values);
        let mut objective: Vec<f64> = self.load.iter().map(|w| -w).collect();
        objective.resize(unknowns, 0.0);
        let settings = DefaultSettings {
            verbose: false,
            max_threads: 1,
            presolve_enable: false,
            direct_solve_method: "qdldl".to_owned(),
            ..DefaultSettings::default()
        };
        let quadratic = CscMatrix::zeros((unknowns, unknowns));
        let mut solver = DefaultSolver::new(&quadratic, &objective, &matrix, &b, &cones, settings).map_err(|_| ())?;
        solver.solve();
        match solver.solution.status {
            SolverStatus::Solved | SolverStatus::AlmostSolved => {
                Ok(Some((-solver.solution.obj_val, solver.solution.x.clone())))
            }
            SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => Ok(None),
            _ => Err(()),
        }
    }

    /// The contact that obeys the law least, and by how much.
    fn worst(&self, states: &[State], x: &[f64]) -> Option<(usize, f64)> {
        let n = self.mass.len();
        let of = |j: usize| {
            let ([opening, slip], mu) = &self.contacts[j];
            let (p, t) = (x[n + 2 * j], x[n + 2 * j + 1]);
            let (u, s) = (Self::along(opening, x), Self::along(slip, x));
            p * u + mu * p * s.abs() + t * s
        };
        let open = (0..states.len()).filter(|j| states[*j] == State::Any);
        open.map(|j| (j, of(j))).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn answer(&self) -> (Answer, usize) {
        let fall = self.fall();
        let mut stack = vec![vec![State::Any; self.contacts.len()]];
        let mut nodes = 0;
        while let Some(states) = stack.pop() {
            nodes += 1;
            if nodes > MOST_NODES {
                return (Answer::Unknown, nodes);
            }
            let undecided = states.iter().position(|state| *state == State::Any);
            let branch = match self.most_work(&states) {
                Ok(None) => continue,
                Ok(Some((work, _))) if work <= NO_WORK * fall => continue,
                Ok(Some((_, x))) => match self.worst(&states, &x) {
                    None => return (Answer::Moves, nodes),
                    Some((_, violated)) if violated <= LAWFUL * fall => return (Answer::Moves, nodes),
                    Some((j, _)) => Some(j),
                },
                Err(()) => undecided,
            };
            let Some(j) = branch else {
                return (Answer::Unknown, nodes);
            };
            for state in [State::Open, State::Sticks, State::Slides(1.0), State::Slides(-1.0)] {
                let mut next = states.clone();
                next[j] = state;
                stack.push(next);
            }
        }
        (Answer::RestAlone, nodes)
    }
}

#[test]
fn t20_a_tree_of_all_states_finds_rest_alone_or_another_motion() {
    let degrees = |d: f64| d.to_radians();
    let mut cases = vec![
        ("box".to_owned(), tower(1, 0.6), Answer::RestAlone),
        ("overhang".to_owned(), overhang(4, 0.9), Answer::RestAlone),
        ("V 0.2".to_owned(), wedge(0.2, degrees(20.0)), Answer::RestAlone),
        ("V 0.84".to_owned(), wedge(0.84, degrees(20.0)), Answer::RestAlone),
        ("ladder 60".to_owned(), ladder(0.5, 0.5, 60.0), Answer::RestAlone),
        ("ladder 50".to_owned(), ladder(0.5, 0.5, 50.0), Answer::RestAlone),
        ("arch 3".to_owned(), arch(3, 0.3, 0.7), Answer::RestAlone),
        ("arch 5".to_owned(), arch(5, 0.2, 0.7), Answer::RestAlone),
        ("H".to_owned(), wedge(0.84, 0.0), Answer::Moves),
        ("A".to_owned(), wedge(0.84, degrees(-20.0)), Answer::Moves),
        ("hung".to_owned(), hung_book(0.5), Answer::Moves),
    ];
    cases.extend((2..=5).map(|n| (format!("tower {n}"), tower(n, 0.6), Answer::RestAlone)));
    for (name, whole, expected) in cases {
        let (found, nodes) = Planar::new(&whole).answer();
        assert_eq!(found, expected, "{name}, {nodes} nodes");
        let word = decide(&whole, &Ask::default()).unwrap().word;
        let wanted = if expected == Answer::Moves {
            Word::MayFall
        } else {
            Word::Stands
        };
        assert_eq!(word, wanted, "{name}");
    }
}
