//! The kernel against the rows of the whole contact LCP, on random bases of every kind.

use super::basis::{Basis, Pairs, Var, all};
use super::kernel::Kernel;
use super::ratio::visit_basic;
use super::values::{Cover, Load, Setting, Values};
use crate::problem::ContactProblem;
use crate::solver::columns::Columns;
use crate::testing::{Random, peg, stack};

const D: usize = 5;

/// The LCP \[Lloyd (8)\] in the path's scaled variables: z = (θ, φ, λ), w = (ν, σ, γ), joint impulses last.
struct Dense {
    n: usize,
    M: Vec<Vec<f64>>,
    q: Vec<f64>,
    c: Vec<f64>,
}

/// Index of the row (of w) and column (of z) that a variable belongs to.
fn place(n: usize, var: Var) -> usize {
    match var {
        Var::Theta(i) | Var::Nu(i) => i,
        Var::Phi(i, j) | Var::Sigma(i, j) => n + i * D + j,
        Var::Lambda(i) | Var::Gamma(i) => n + n * D + i,
        Var::Z0 => unreachable!(),
    }
}

fn dense(columns: &Columns, cover: &Cover) -> Dense {
    let (n, dof) = (columns.items.len(), columns.k_x.len());
    let size = n * (2 + D);
    // Velocities that a unit of each z makes.
    let mut made = vec![vec![0.0; dof]; size];
    for i in 0..n {
        columns.push_impulse(i, [1.0, 0.0, 0.0], &mut made[i]);
        if !columns.items[i].is_joint {
            for j in 0..D {
                let [x, y] = columns.direction(i, j);
                columns.push_impulse(i, [0.0, x, y], &mut made[n + i * D + j]);
            }
        }
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut M: Vec<Vec<f64>> = made.iter().map(|a| made.iter().map(|b| dot(a, b)).collect()).collect();
    let mut q: Vec<f64> = made.iter().map(|a| dot(a, &columns.k_x)).collect();
    let mut c = vec![0.0; size];
    for i in 0..n {
        let item = &columns.items[i];
        q[i] += item.bias[0];
        if item.is_joint {
            continue;
        }
        c[i] = cover.nu[i];
        let gamma = n + n * D + i;
        c[gamma] = cover.gamma[i];
        M[gamma][i] = item.mu;
        for j in 0..D {
            let sigma = n + i * D + j;
            let [x, y] = columns.direction(i, j);
            q[sigma] += x * item.bias[1] + y * item.bias[2];
            c[sigma] = cover.sigma(i, j, D);
            M[sigma][gamma] = 1.0;
            M[gamma][sigma] = -1.0;
        }
    }
    Dense { n, M, q, c }
}

/// A random complementary basis that keeps the kernel regular as a rule: a pushing contact sticks on up to two directions or slides on
/// one or two.
fn random_basis(columns: &Columns, random: &mut Random, basis: &mut Basis) {
    basis.reset(columns.items.len());
    for i in 0..columns.items.len() {
        if columns.items[i].is_joint {
            continue;
        }
        let mut p = Pairs::OPEN;
        p.expand(D);
        if random.below(2) == 0 {
            p.theta = true;
            p.nu = false;
            let slides = random.below(2) == 0;
            for _ in 0..=random.below(2) {
                p.phi |= 1 << random.below(D);
            }
            if slides {
                p.lambda = true;
                p.gamma = false;
            } else if random.below(3) == 0 {
                p.phi = 0;
            }
            p.sigma = all(D) & !p.phi;
        }
        basis.pairs[i] = p;
    }
}

/// Takes one basic variable out and z₀ in: its pair has no basic member then.
fn enter_z0(basis: &mut Basis, columns: &Columns, random: &mut Random) -> bool {
    for _ in 0..100 {
        let i = random.below(columns.items.len());
        if columns.items[i].is_joint {
            continue;
        }
        let p = basis.pairs[i];
        let j = random.below(D);
        let var = match random.below(6) {
            0 if p.theta => Var::Theta(i),
            1 if p.nu => Var::Nu(i),
            2 if p.lambda => Var::Lambda(i),
            3 if p.gamma => Var::Gamma(i),
            4 if p.sigma >> j & 1 == 1 => Var::Sigma(i, j),
            // Also the last φ of a contact that slides: the fourth case.
            5 if p.phi >> j & 1 == 1 => Var::Phi(i, j),
            _ => continue,
        };
        basis.swap(var, Var::Z0);
        return true;
    }
    false
}

fn is_basic(basis: &Basis, var: Var) -> bool {
    match var {
        Var::Theta(i) => basis.pairs[i].theta,
        Var::Nu(i) => basis.pairs[i].nu,
        Var::Phi(i, j) => basis.pairs[i].phi >> j & 1 == 1,
        Var::Sigma(i, j) => basis.pairs[i].sigma >> j & 1 == 1,
        Var::Lambda(i) => basis.pairs[i].lambda,
        Var::Gamma(i) => basis.pairs[i].gamma,
        Var::Z0 => basis.z0,
    }
}

fn is_z(var: Var) -> bool {
    matches!(var, Var::Theta(_) | Var::Phi(..) | Var::Lambda(_))
}

/// All variables of the contacts, and the free impulses of the joints.
fn variables(columns: &Columns) -> Vec<Var> {
    let mut vars = Vec::new();
    for i in 0..columns.items.len() {
        if columns.items[i].is_joint {
            continue;
        }
        vars.extend([Var::Theta(i), Var::Nu(i), Var::Lambda(i), Var::Gamma(i)]);
        vars.extend((0..D).flat_map(|j| [Var::Phi(i, j), Var::Sigma(i, j)]));
    }
    vars
}

/// Largest error of the rows w − Mz − cz₀ = q for the kernel's values, relative to their terms: a wrong formula shows whatever the
/// condition of the basis.
fn error(at: Setting<'_>, load: Load, found: &Values) -> f64 {
    let Setting { columns, cover, .. } = at;
    let lcp = dense(columns, cover);
    let n = lcp.n;
    let size = lcp.q.len();
    let (mut z, mut w) = (vec![0.0; size], vec![0.0; size]);
    visit_basic(at, found, found, |var, value, _| {
        let list = if is_z(var) { &mut z } else { &mut w };
        let unit = match var {
            Var::Phi(i, _) | Var::Gamma(i) => columns.items[i].unit(),
            _ => 1.0,
        };
        list[place(n, var)] = value * unit;
    });
    for i in (0..n).filter(|i| columns.items[*i].is_joint) {
        z[i] = found.theta[i];
    }
    if let Load::Driving(var) = load {
        let list = if is_z(var) { &mut z } else { &mut w };
        list[place(n, var)] = 1.0;
    }
    let rows = variables(columns).into_iter().filter(|v| is_z(*v)).map(|v| place(n, v));
    let joints = (0..n).filter(|i| columns.items[*i].is_joint);
    let mut worst = 0.0_f64;
    for r in rows.chain(joints) {
        let q = if load == Load::Problem { lcp.q[r] } else { 0.0 };
        let terms: f64 = lcp.M[r].iter().zip(&z).map(|(m, z)| (m * z).abs()).sum();
        let product: f64 = lcp.M[r].iter().zip(&z).map(|(m, z)| m * z).sum();
        let off = w[r] - product - lcp.c[r] * found.z0 - q;
        worst = worst.max(off.abs() / (terms + w[r].abs() + (lcp.c[r] * found.z0).abs() + q.abs() + 1.0));
    }
    worst
}

fn random_problem(random: &mut Random) -> ContactProblem {
    let mut problem = match random.below(3) {
        0 => peg(8, random),
        1 => stack(2, 1.0, random),
        _ => stack(3, 3.0, random),
    };
    for i in 0..problem.contact_count() {
        let bias = [random.unit(), random.unit(), random.unit()];
        problem.set_bias(i, bias).unwrap();
    }
    if random.below(2) == 0 && problem.block_count() > 1 {
        let row: Vec<f64> = (0..6).map(|_| random.unit()).collect();
        let other: Vec<f64> = (0..6).map(|_| random.unit()).collect();
        problem.add_joint(&[(0, &row), (1, &other)], random.unit()).unwrap();
    }
    problem
}

#[test]
fn random_bases_satisfy_all_rows() {
    let mut random = Random::new(11);
    let (mut columns, mut kernel, mut basis) = (Columns::default(), Kernel::default(), Basis::default());
    let (mut compared, mut fourth) = (0, 0);
    for _ in 0..1500 {
        let problem = random_problem(&mut random);
        columns.set(&problem, D, false);
        let n = columns.items.len();
        let mut cover = Cover::default();
        for list in [&mut cover.nu, &mut cover.sigma, &mut cover.gamma] {
            list.extend((0..n).map(|_| 1.0 + 0.5 * random.unit()));
        }
        if random.below(2) == 0 {
            cover.by_direction.extend((0..n * D).map(|_| random.unit()));
        }
        random_basis(&columns, &mut random, &mut basis);
        if random.below(3) > 0 && !enter_z0(&mut basis, &columns, &mut random) {
            continue;
        }
        let active: Vec<usize> = (0..n).collect();
        let at = Setting {
            columns: &columns,
            basis: &basis,
            cover: &cover,
            active: &active,
        };
        let regular = kernel.factor(at);
        let mut found = Values::default();
        found.reset(n, D, problem.dof());
        let mut loads = vec![Load::Problem];
        let nonbasic: Vec<Var> = variables(&columns)
            .into_iter()
            .filter(|v| !is_basic(&basis, *v))
            .collect();
        loads.extend((0..3).map(|_| Load::Driving(nonbasic[random.below(nonbasic.len())])));
        for load in loads {
            if !regular {
                continue;
            }
            kernel.values(at, load, &mut found);
            let worst = error(at, load, &found);
            assert!(worst < 1e-10, "load {load:?}: error {worst:e}, basis {basis:?}");
            compared += 1;
            fourth += usize::from(basis.pairs.iter().any(|p| p.lambda && p.phi == 0));
        }
    }
    assert!(
        compared > 2000 && fourth > 20,
        "{compared} compared, {fourth} of the fourth case"
    );
}
