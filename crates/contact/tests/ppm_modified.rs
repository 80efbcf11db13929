//! Principal pivoting on random problems without friction: everything is solved, and the motion is that of other methods.
#![allow(clippy::unwrap_used, clippy::print_stdout, non_snake_case)]

mod xorshift;

use stiction_contact::{ContactProblem, ContactSolver, Law, Method, Options, Status};
use xorshift::Random;

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.next();
        usize::try_from(self.0 % n as u64).unwrap()
    }
}

fn solver(method: Method) -> ContactSolver {
    ContactSolver::new(Options {
        law: Law::Frictionless,
        method: Some(method),
        ..Options::default()
    })
    .unwrap()
}

/// 1–5 bodies of 2–6 coordinates, 1–40 contacts: random, repeated, sums of others, or of few values. No bias: an answer exists.
fn problem(random: &mut Random) -> ContactProblem {
    let mut problem = ContactProblem::new();
    let (bodies, contacts) = (1 + random.below(5), 1 + random.below(40));
    let dim = 2 + random.below(5);
    for _ in 0..bodies {
        let mut mass = vec![0.0; dim * dim];
        let mut v = vec![0.0; dim];
        for k in 0..dim {
            mass[k * dim + k] = 1.0 + 0.9 * random.next();
            v[k] = random.next();
        }
        problem.add_block(&mass, &v).unwrap();
    }
    let integers = random.below(3) == 0;
    let zero = vec![0.0; dim];
    let mut rows: Vec<Vec<(usize, Vec<f64>)>> = Vec::new();
    while rows.len() < contacts {
        let mut row = Vec::new();
        if !rows.is_empty() && random.below(3) == 0 {
            // Repeated, or stretched.
            let factor = 1.0 + random.below(3) as f64;
            row.clone_from(&rows[random.below(rows.len())]);
            for x in row.iter_mut().flat_map(|(_, x)| x) {
                *x *= factor;
            }
        } else {
            let first = random.below(bodies);
            let second = random.below(bodies);
            for block in [Some(first), (second != first).then_some(second)].into_iter().flatten() {
                let entry = |r: &mut Random| if integers { (2.0 * r.next()).round() } else { r.next() };
                row.push((block, (0..dim).map(|_| entry(random)).collect::<Vec<_>>()));
            }
        }
        if row.iter().any(|(_, x)| x.iter().any(|x| *x != 0.0)) {
            rows.push(row);
        }
    }
    for row in &rows {
        let parts: Vec<(usize, [&[f64]; 3])> = row.iter().map(|(b, x)| (*b, [&x[..], &zero[..], &zero[..]])).collect();
        problem.add_contact(&parts, 0.0).unwrap();
    }
    problem
}

#[test]
fn twenty_thousand_problems_are_solved_and_agree() {
    let mut random = Random(0x5EED_0004);
    let mut ppm = solver(Method::PpmModified);
    let mut others = vec![solver(Method::LemkeReduced), solver(Method::Dantzig)];
    let (mut handovers, mut twice, mut pivots, mut worst, mut far) = (0, 0, 0, 0.0_f64, 0.0_f64);
    let mut reasons = std::collections::BTreeMap::new();
    for case in 0..20_000 {
        let problem = problem(&mut random);
        let found = ppm.solve(&problem).unwrap();
        assert_eq!(found.status, Status::Solved, "case {case}: {:?}", found.residual);
        for other in &mut others {
            let other = other.solve(&problem).unwrap();
            let name = other.stats.methods.first().map(|m| m.name());
            assert_eq!(
                other.status,
                Status::Solved,
                "case {case}, {name:?}: {:?}",
                other.residual
            );
            for (a, b) in found.velocity.iter().zip(&other.velocity) {
                far = far.max((a - b).abs());
                assert!((a - b).abs() <= 1e-9, "case {case}, {name:?}: {a} {b}");
            }
        }
        let islands = found.stats.islands;
        handovers += usize::from(found.stats.handovers > 0);
        twice += usize::from(found.stats.handovers > islands);
        if let Some(reason) = found.stats.handover_reason {
            *reasons.entry(reason).or_insert(0) += 1;
        }
        pivots += found.stats.pivots;
        worst = worst.max(found.residual.worst);
    }
    println!(
        "handed over: {handovers}, twice: {twice}, {reasons:?}; {pivots} pivots; residual {worst:.1e}; velocities apart {far:.1e}"
    );
}

/// Biases that some velocity satisfies, many of them exactly: dependent contacts must be exchanged.
#[test]
fn twenty_thousand_problems_with_bias_are_solved() {
    let mut random = Random(0xABCD);
    let any = Options {
        law: Law::Frictionless,
        ..Options::default()
    };
    let (mut ppm, mut any) = (solver(Method::PpmModified), ContactSolver::new(any).unwrap());
    let mut reasons = std::collections::BTreeMap::new();
    for case in 0..20_000 {
        let mut problem = problem(&mut random);
        let x: Vec<f64> = (0..problem.dof()).map(|_| random.next()).collect();
        for i in 0..problem.contact_count() {
            let c = problem.columns_tilde(i);
            let parts = c
                .touches
                .iter()
                .flat_map(|t| (0..t.len).map(|k| (t.start + k, t.at + k)));
            let speed: f64 = parts.map(|(entry, at)| c.normal[entry] * x[at]).sum();
            let gap = if random.below(2) == 0 { random.next().abs() } else { 0.0 };
            problem.set_bias(i, [gap - speed, 0.0, 0.0]).unwrap();
        }
        let found = ppm.solve(&problem).unwrap();
        assert_eq!(found.status, Status::Solved, "case {case}: {:?}", found.residual);
        if let Some(reason) = found.stats.handover_reason {
            *reasons.entry(reason).or_insert(0) += 1;
        }
        if case % 20 == 0 {
            let other = any.solve(&problem).unwrap();
            assert_eq!(other.status, Status::Solved, "case {case}: {:?}", other.residual);
            for (a, b) in found.velocity.iter().zip(&other.velocity) {
                assert!((a - b).abs() <= 1e-9, "case {case}: {a} {b}");
            }
        }
    }
    println!("handed over: {reasons:?}");
}

/// Four contacts on three coordinates, on which the rule as printed goes round in a circle of eight sets: `ppm-cycle-4`.
#[test]
fn the_printed_cycle_is_solved() {
    let mut problem = ContactProblem::new();
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    problem.add_block(&unit, &[-1.0, 3.0, 2.0]).unwrap();
    let zero: &[f64] = &[0.0; 3];
    for n in [
        [2.0, 2.0, 1.0],
        [0.0, -1.0, -1.0],
        [1.0, -1.0, -1.0],
        [-2.0, -1.0, -2.0],
    ] {
        problem.add_contact(&[(0, [&n, zero, zero])], 0.0).unwrap();
    }
    let mut solver = solver(Method::PpmModified);
    let solution = solver.solve(&problem).unwrap();
    assert_eq!(solution.status, Status::Solved);
    assert_eq!(solution.stats.methods, [Method::PpmModified]);
    for (found, expected) in solution.normal_impulse.iter().zip([0.0, 1.5, 1.0, 0.0]) {
        assert!((found - expected).abs() < 1e-14, "{:?}", solution.normal_impulse);
    }
}

/// How the rule as printed ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Printed {
    Solved,
    /// It came back to a set that it has met.
    Cycle,
    Singular,
}

/// z with M_αα z = −q_α by elimination with row exchanges; `None` where a pivot vanishes.
fn solve_set(M: &[Vec<f64>], q: &[f64], alpha: &[usize]) -> Option<Vec<f64>> {
    let n = alpha.len();
    let row = |i: &usize| alpha.iter().map(|j| M[*i][*j]).chain([-q[*i]]).collect::<Vec<_>>();
    let mut rows: Vec<Vec<f64>> = alpha.iter().map(row).collect();
    for k in 0..n {
        let best = (k..n).fold(k, |b, r| if rows[r][k].abs() > rows[b][k].abs() { r } else { b });
        rows.swap(k, best);
        if rows[k][k].abs() < 1e-9 {
            return None;
        }
        let pivot = rows[k].clone();
        for row in &mut rows[k + 1..] {
            let factor = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).skip(k).for_each(|(x, p)| *x -= factor * p);
        }
    }
    let mut z = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|c| rows[k][c] * z[c]).sum();
        z[k] = (rows[k][n] - known) / rows[k][k];
    }
    Some(z)
}

/// The place of the least entry, where that is negative.
fn most_negative(x: &[f64], zero: f64) -> Option<usize> {
    let least = (0..x.len()).min_by(|a, b| x[*a].total_cmp(&x[*b]))?;
    (x[least] < -zero).then_some(least)
}

/// Algorithm 1 as printed, the set B̄ kept sorted. Lines 32–38 read k = B̄(j) after i has joined; `mended`: before.
fn as_printed(M: &[Vec<f64>], q: &[f64], mended: bool) -> Printed {
    let zero = 1e-10 * q.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let (mut alpha, mut met) = (Vec::<usize>::new(), std::collections::BTreeSet::new());
    while met.insert(alpha.clone()) {
        let Some(z) = solve_set(M, q, &alpha) else {
            return Printed::Singular;
        };
        let w = |i: usize| q[i] + alpha.iter().zip(&z).map(|(j, z)| M[i][*j] * z).sum::<f64>();
        let w: Vec<f64> = (0..q.len())
            .map(|i| if alpha.contains(&i) { 0.0 } else { w(i) })
            .collect();
        let (enters, leaves) = (most_negative(&w, zero), most_negative(&z, zero));
        if enters.is_none() && leaves.is_none() {
            return Printed::Solved;
        }
        let k = leaves.filter(|_| mended).map(|j| alpha[j]);
        alpha.extend(enters);
        alpha.sort_unstable();
        let k = k.or(leaves.map(|j| alpha[j]));
        alpha.retain(|i| Some(*i) != k);
    }
    Printed::Cycle
}

/// M = NᵀN of 40 contacts on 18 coordinates and q = Nᵀk: an answer exists.
#[test]
fn the_rule_as_printed_cycles_where_ours_solves() {
    let mut random = Random(0x0040_0018);
    let mut ppm = solver(Method::PpmModified);
    let mut counts = [std::collections::BTreeMap::new(), std::collections::BTreeMap::new()];
    let (coordinates, contacts, problems) = (18, 40, 400);
    for case in 0..problems {
        let mut list = |n: usize| (0..n).map(|_| random.next()).collect::<Vec<f64>>();
        let k = list(coordinates);
        let normals: Vec<Vec<f64>> = (0..contacts).map(|_| list(coordinates)).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let M: Vec<Vec<f64>> = normals
            .iter()
            .map(|a| normals.iter().map(|b| dot(a, b)).collect())
            .collect();
        let q: Vec<f64> = normals.iter().map(|n| dot(n, &k)).collect();
        for (mended, counts) in [false, true].into_iter().zip(&mut counts) {
            *counts.entry(as_printed(&M, &q, mended)).or_insert(0) += 1;
        }
        let mut problem = ContactProblem::new();
        let mut unit = vec![0.0; coordinates * coordinates];
        unit.iter_mut().step_by(coordinates + 1).for_each(|x| *x = 1.0);
        problem.add_block(&unit, &k).unwrap();
        let none = vec![0.0; coordinates];
        for normal in &normals {
            problem.add_contact(&[(0, [normal, &none, &none])], 0.0).unwrap();
        }
        let found = ppm.solve(&problem).unwrap();
        assert_eq!(found.status, Status::Solved, "case {case}: {:?}", found.residual);
        assert_eq!(found.stats.methods, [Method::PpmModified]);
    }
    let [printed, mended] = counts;
    println!(
        "of {problems}: as printed {printed:?}, with the index of the old set {mended:?}, ppm_modified solves all"
    );
    let cycles = printed.get(&Printed::Cycle).copied().unwrap_or(0);
    assert!(cycles >= 100, "{printed:?}");
    assert!(
        mended.get(&Printed::Solved) > printed.get(&Printed::Solved),
        "{mended:?}"
    );
}

/// Joints ride along, redundant ones too.
#[test]
fn joints_are_taken_out_and_hold() {
    let mut random = Random(77);
    let any = Options {
        law: Law::Frictionless,
        ..Options::default()
    };
    let (mut ppm, mut any) = (solver(Method::PpmModified), ContactSolver::new(any).unwrap());
    for case in 0..500 {
        let mut problem = problem(&mut random);
        let dim = problem.block_range(0).len();
        let bodies = problem.block_count();
        for _ in 0..=random.below(3) {
            let block = random.below(bodies);
            let row: Vec<f64> = (0..dim).map(|_| random.next()).collect();
            let twice: Vec<f64> = row.iter().map(|x| 2.0 * x).collect();
            problem.add_joint(&[(block, &row)], 0.0).unwrap();
            problem.add_joint(&[(block, &twice)], 0.0).unwrap();
        }
        let found = ppm.solve(&problem).unwrap();
        assert_eq!(found.status, Status::Solved, "case {case}: {:?}", found.residual);
        let other = any.solve(&problem).unwrap();
        assert_eq!(other.status, Status::Solved, "case {case}: {:?}", other.residual);
        for (a, b) in found.velocity.iter().zip(&other.velocity) {
            assert!((a - b).abs() <= 1e-9, "case {case}: {a} {b}");
        }
    }
}

#[test]
fn a_second_solve_repeats_the_bits_and_does_not_allocate() {
    let mut random = Random(5);
    for case in 0..20 {
        let problem = problem(&mut random);
        // Islands side by side are copied apart.
        let mut solver = solver(Method::PpmModified);
        let first = solver.solve(&problem).unwrap().clone();
        let info = allocation_counter::measure(|| {
            solver.solve(&problem).unwrap();
        });
        assert_eq!(&first, solver.solution(), "case {case}");
        if first.stats.handovers <= first.stats.islands {
            assert_eq!(info.count_total, 0, "case {case}");
        }
    }
}
