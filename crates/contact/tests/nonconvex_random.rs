//! 10,000 random problems with nonconvex groups: 1–4 groups of 2–6 sides, with and without friction, among convex contacts, on point masses
//! and bodies. Every answer is verified, and compared with all choices of one side a group.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod planar_states;
mod random;

use random::{Family, PLANE, Random, SPACE, problem};
use stiction_contact::check::{Answer, Terms, check};
use stiction_contact::{ContactProblem, ContactSolution, ContactSolver, Law, Options, Status, has_answer};

/// Most choices of a problem that all of them are tried for.
const BRUTE: usize = 400;

fn options(law: Law) -> Options {
    Options {
        law,
        ..Options::default()
    }
}

/// Point masses between planes in the plane or in space, some contacts between two of them.
fn points(random: &mut Random, friction: bool) -> ContactProblem {
    let mut problem = ContactProblem::new();
    let dim = 2 + random.below(2);
    let masses = 1 + random.below(3);
    for _ in 0..masses {
        let m = 0.2 + 2.0 * (1.0 + random.unit());
        let mut mass = vec![0.0; dim * dim];
        for k in 0..dim {
            mass[k * (dim + 1)] = m;
        }
        let v: Vec<f64> = (0..dim).map(|_| 2.0 * random.unit()).collect();
        problem.add_block(&mass, &v).unwrap();
    }
    for _ in 0..4 + random.below(24) {
        let normal = loop {
            let n: Vec<f64> = (0..dim).map(|_| random.unit()).collect();
            let size = n.iter().map(|x| x * x).sum::<f64>().sqrt();
            if size > 0.1 {
                break n.iter().map(|x| x / size).collect::<Vec<_>>();
            }
        };
        let tangents = if dim == 2 {
            [vec![-normal[1], normal[0]], vec![0.0, 0.0]]
        } else {
            stiction_contact::tangents([normal[0], normal[1], normal[2]]).map(|t| t.to_vec())
        };
        let a = random.below(masses);
        let b = random.below(masses + 2);
        let rows = [&normal, &tangents[0], &tangents[1]];
        let minus = rows.map(|row| row.iter().map(|x| -x).collect::<Vec<_>>());
        let mut parts: Vec<(usize, [&[f64]; 3])> = vec![(a, rows.map(Vec::as_slice))];
        if b < masses && b != a {
            parts.push((b, [&minus[0], &minus[1], &minus[2]]));
        }
        let mu = if friction { 0.5 * (1.0 + random.unit()) } else { 0.0 };
        problem.add_contact(&parts, mu).unwrap();
    }
    problem
}

/// Gaps to close, and groups of the contacts, the rest convex.
fn add_groups(problem: &mut ContactProblem, random: &mut Random, least_gap: f64) {
    let n = problem.contact_count();
    // Where there are penetrations, every fourth contact has one: more ask for nothing but the impossible.
    for i in 0..n {
        let least_gap = if random.below(4) == 0 { least_gap } else { 0.0 };
        problem
            .set_bias(i, [(0.3 * random.unit()).max(least_gap), 0.0, 0.0])
            .unwrap();
    }
    // Contacts that close are taken first, from the end, so that most groups have work to do.
    let mut left: Vec<usize> = (0..n).collect();
    let closes = |i: usize| problem.along(i, problem.k_x())[0] + problem.bias(i)[0] < 0.0;
    left.sort_by_key(|i| closes(*i));
    let wanted = 1 + random.below(4);
    for _ in 0..wanted {
        let mut sides: Vec<Vec<usize>> = Vec::new();
        for _ in 0..2 + random.below(5) {
            let count = if random.below(4) == 0 { 2 } else { 1 };
            let side =
                (0..count.min(left.len())).map(|_| left.remove(left.len() - 1 - random.below(left.len().min(2))));
            let side: Vec<usize> = side.collect();
            if !side.is_empty() {
                sides.push(side);
            }
        }
        if sides.len() >= 2 {
            let sides: Vec<&[usize]> = sides.iter().map(Vec::as_slice).collect();
            problem.add_group(&sides).unwrap();
        }
    }
}

fn random_groups(random: &mut Random, friction: bool, least_gap: f64) -> ContactProblem {
    let most_mu = if friction { 1.0 } else { 0.0 };
    loop {
        let mut made = match random.below(4) {
            0 | 1 => points(random, friction),
            kind => {
                let family = Family {
                    most_contacts: 30,
                    most_mu,
                    most_joints: 2,
                    ..if kind == 2 { PLANE } else { SPACE }
                };
                problem(random, family)
            }
        };
        add_groups(&mut made, random, least_gap);
        // Squeezes are slow to prove.
        if made.group_count() > 0 && (least_gap == 0.0 || made.contact_count() <= 12) {
            return made;
        }
    }
}

/// Verdict of the judge on impulses of some contacts, the others without; and |v − v_free| in the norm of the mass.
fn judged(problem: &ContactProblem, law: Law, contacts: &[usize], found: &ContactSolution) -> (bool, f64) {
    let n = problem.contact_count();
    let (mut normal, mut friction) = (vec![0.0; n], vec![[0.0; 2]; n]);
    for (from, to) in contacts.iter().enumerate() {
        normal[*to] = found.normal_impulse[from];
        friction[*to] = found.friction_impulse[from];
    }
    let terms = Terms {
        law,
        directions: 8,
        tolerance: 1e-10,
    };
    let answer = Answer {
        normal: &normal,
        friction: &friction,
        phi: None,
        joint: &found.joint_impulse,
    };
    let verdict = check(problem, terms, answer).unwrap();
    let mut square = 0.0;
    for block in 0..problem.block_count() {
        let (range, mass) = (problem.block_range(block), problem.mass(block));
        let change: Vec<f64> = range
            .clone()
            .map(|k| verdict.velocity[k] - problem.v_free()[k])
            .collect();
        for (r, row) in mass.chunks(range.len()).enumerate() {
            square += change[r] * row.iter().zip(&change).map(|(m, c)| m * c).sum::<f64>();
        }
    }
    (verdict.solved, square.max(0.0).sqrt())
}

/// Number of choices of at most one side a group.
fn choices(problem: &ContactProblem) -> usize {
    (0..problem.group_count()).map(|g| problem.side_count(g) + 1).product()
}

/// The least impulse of all lawful choices of at most one side a group; `None` where there is none.
fn brute_force(problem: &ContactProblem, law: Law) -> Option<f64> {
    let sides: Vec<usize> = (0..problem.group_count()).map(|g| problem.side_count(g)).collect();
    let blocks: Vec<usize> = (0..problem.block_count()).collect();
    let joints: Vec<usize> = (0..problem.joint_count()).collect();
    let mut solver = ContactSolver::new(options(law)).unwrap();
    let mut digits = vec![0; sides.len()];
    let mut least: Option<f64> = None;
    loop {
        let chosen = |i: &usize| problem.side_of(*i).is_none_or(|(g, s)| digits[g] == s + 1);
        let contacts: Vec<usize> = (0..problem.contact_count()).filter(chosen).collect();
        let part = problem.part(&blocks, &contacts, &joints);
        let solution = solver.solve(&part).unwrap();
        if solution.status == Status::Solved {
            let (lawful, size) = judged(problem, law, &contacts, solution);
            if lawful && least.is_none_or(|least| size < least) {
                least = Some(size);
            }
        }
        let Some(g) = (0..sides.len()).find(|g| digits[*g] < sides[*g]) else {
            return least;
        };
        digits[..g].fill(0);
        digits[g] += 1;
    }
}

/// Numbers of a campaign. [`Random::new`] starts one seed after another on the same stream, a draw apart; mixed seeds start far from each other,
/// so that no campaign sees the problems of another.
fn stream(seed: u64) -> Random {
    let x = (seed ^ 0xD1B5_4A32_D192_ED03).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let x = (x ^ (x >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    Random::new(x ^ (x >> 33))
}

/// What the tree of all states says of a problem.
fn tree_says(problem: &ContactProblem, law: Law) -> Option<bool> {
    let terms = Terms {
        law,
        directions: 8,
        tolerance: 1e-10,
    };
    has_answer(problem, terms)
}

#[derive(Debug, Default)]
struct Tally {
    solved: usize,
    pushed: usize,
    compared: usize,
    cut: usize,
    nodes: usize,
    most_nodes: usize,
    /// Solved ones of which the tree of all states was asked.
    trees: usize,
    worst: f64,
    /// Unsolved: proven to have no answer, known to have one that the search misses, and neither.
    without: Vec<usize>,
    missed: Vec<usize>,
    open: Vec<usize>,
}

/// Solves and compares `count` problems. A problem may have no lawful answer: then the tree of all states has none, and the status says so.
fn campaign(seed: u64, count: usize, law: Law, least_gap: f64) -> Tally {
    let mut random = stream(seed);
    let mut tally = Tally::default();
    let mut solver = ContactSolver::new(options(law)).unwrap();
    for k in 0..count {
        let problem = random_groups(&mut random, law != Law::Frictionless, least_gap);
        let solution = solver.solve(&problem).unwrap();
        let all: Vec<usize> = (0..problem.contact_count()).collect();
        let (lawful, size) = judged(&problem, law, &all, solution);
        let solved = solution.status == Status::Solved;
        assert_eq!(
            solved, lawful,
            "{law:?} {k}: {:?}, {:?}",
            solution.status, solution.residual
        );
        tally.cut += usize::from(solution.stats.choices_cut);
        tally.nodes += solution.stats.choices;
        tally.most_nodes = tally.most_nodes.max(solution.stats.choices);
        if solved {
            tally.solved += 1;
            tally.worst = tally.worst.max(solution.residual.worst);
            let pushes =
                (0..problem.contact_count()).any(|i| problem.side_of(i).is_some() && solution.normal_impulse[i] > 0.0);
            tally.pushed += usize::from(pushes);
            if k % 10 == 0 && problem.contact_count() <= 10 {
                tally.trees += 1;
                assert_ne!(
                    tree_says(&problem, law),
                    Some(false),
                    "{law:?} {k}: solved, and the tree has no answer"
                );
            }
            assert_ne!(
                planar_states::has_answer(&problem),
                Some(false),
                "{law:?} {k}: solved, and no state is lawful"
            );
        } else {
            let all = ContactSolver::new(options(law)).unwrap().all_answers(&problem).unwrap();
            assert!(all.answers.is_empty(), "{law:?} {k}: {} answers", all.answers.len());
            let (by_tree, by_states) = (tree_says(&problem, law), planar_states::has_answer(&problem));
            if let (Some(by_tree), Some(by_states)) = (by_tree, by_states) {
                assert_eq!(by_tree, by_states, "{law:?} {k}: the tree and the states of a point");
            }
            match by_tree.or(by_states) {
                Some(true) => tally.missed.push(k),
                Some(false) => tally.without.push(k),
                None => tally.open.push(k),
            }
            let says_so = matches!(solution.status, Status::NoSide | Status::Ray);
            assert_eq!(says_so, by_tree == Some(false), "{law:?} {k}: {:?}", solution.status);
        }
        if choices(&problem) > BRUTE {
            continue;
        }
        tally.compared += 1;
        match (brute_force(&problem, law), solved) {
            (Some(least), true) if law == Law::Frictionless => {
                assert!(
                    (size - least).abs() <= 1e-7 * least.max(1e-3),
                    "{k}: |v - v_free| is {size}, brute force found {least}"
                );
            }
            (Some(least), false) => panic!("{law:?} {k}: {:?}, brute force found {least}", solution.status),
            (None, true) if law == Law::Frictionless => panic!("{k}: solved, brute force found nothing"),
            _ => {}
        }
    }
    println!("{law:?}: {tally:?}");
    tally
}

#[test]
fn without_friction_the_least_impulse_is_found() {
    let tally = campaign(1, 4000, Law::Frictionless, 0.0);
    assert_eq!((tally.solved, tally.cut), (4000, 0), "{tally:?}");
    assert!(tally.pushed > 1500 && tally.compared > 3000, "{tally:?}");
}

#[test]
fn with_round_cones_every_answer_is_verified() {
    let tally = campaign(2, 4000, Law::Coulomb, 0.0);
    assert_eq!(tally.solved + tally.without.len(), 4000, "{tally:?}");
    assert!(tally.without.len() <= 4 && tally.trees > 50, "{tally:?}");
    assert!(tally.pushed > 1500 && tally.compared > 3000, "{tally:?}");
}

#[test]
fn with_polygons_every_answer_is_verified() {
    let tally = campaign(3, 2000, Law::Polyhedral, 0.0);
    assert_eq!(tally.solved + tally.without.len(), 2000, "{tally:?}");
    assert!(tally.without.len() <= 2 && tally.trees > 25, "{tally:?}");
    assert!(tally.pushed > 750 && tally.compared > 1500, "{tally:?}");
}

/// Penetrations of sides can ask for the impossible: what brute force finds is found, and what is not solved is proven to have no answer.
#[test]
fn penetrations_are_answered_where_brute_force_answers_them() {
    for law in [Law::Frictionless, Law::Coulomb] {
        let tally = campaign(4, 100, law, -0.2);
        assert_eq!(tally.solved + tally.without.len(), 100, "{tally:?}");
        assert!(tally.solved > 80, "{tally:?}");
    }
}
