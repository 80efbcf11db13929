//! Grasps and stances: squeezes, force closure, quality and the region of the centre of mass, against hand calculation and an independent program.
#![allow(clippy::unwrap_used)]

mod structures;

use std::f64::consts::TAU;
use std::time::{Duration, Instant};

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{NonnegativeConeT, SecondOrderConeT, ZeroConeT};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus};
use stiction_stand::grasp::{center_region, force_closure, least_squeeze, quality};
use stiction_stand::motion::Seeded;
use stiction_stand::{Equilibrium, Word, decide};
use structures::{ground, solid};

/// A ball of 1 kg with contacts at directions from its centre; normals point inwards.
fn ball(directions: &[[f64; 3]], mu: f64) -> Equilibrium {
    let mut whole = ground();
    let body = whole.add_body("ball", 1.0, solid(1.0, [1.0; 3]), [0.0; 3]).unwrap();
    for d in directions {
        whole.add_contact([body, 0], *d, d.map(|x| -x), mu).unwrap();
    }
    whole
}

/// A disc in the plane.
fn disc(count: usize, mu: f64) -> Equilibrium {
    let mut whole = Equilibrium::new(true, [0.0, -9.81, 0.0]);
    whole.add_fixed("hand");
    let body = whole.add_body("disc", 1.0, solid(1.0, [1.0; 3]), [0.0; 3]).unwrap();
    for k in 0..count {
        let turn = TAU * k as f64 / count as f64;
        let d = [turn.cos(), turn.sin(), 0.0];
        whole.add_contact([body, 0], d, d.map(|x| -x), mu).unwrap();
    }
    whole
}

#[test]
fn t14_fingers_around_a_body_squeeze_with_its_weight_over_k_mu() {
    for (k, mu, expected) in [(2, 0.3, 16.35), (2, 0.5, 9.81), (3, 0.3, 10.90), (3, 0.5, 6.54)] {
        let around: Vec<[f64; 3]> = (0..k)
            .map(|i| {
                [
                    (TAU * i as f64 / k as f64).cos(),
                    (TAU * i as f64 / k as f64).sin(),
                    0.0,
                ]
            })
            .collect();
        let fingers: Vec<Vec<usize>> = (0..k).map(|i| vec![i]).collect();
        let squeeze = least_squeeze(&ball(&around, mu), &fingers).unwrap();
        assert!(
            (squeeze.force - 9.81 / (k as f64 * mu)).abs() < 1e-6,
            "{k} {mu}: {}",
            squeeze.force
        );
        assert!((squeeze.force - expected).abs() < 6e-3);
    }
}

#[test]
fn t15_three_fingers_on_a_disc_have_the_quality_mu() {
    for mu in [0.1, 0.3, 0.6] {
        let found = quality(&disc(3, mu), 1.0).unwrap();
        assert!(found.low <= mu + 1e-12 && mu <= found.high + 1e-12, "{mu}: {found:?}");
        assert!(found.high - found.low <= 2e-3 * mu, "{mu}: {found:?}");
    }
}

#[test]
fn t16_four_fingers_on_a_ball_have_a_quality_between_the_polygons() {
    let s = 1.0 / 3.0_f64.sqrt();
    let corners = [[s, s, s], [s, -s, -s], [-s, s, -s], [-s, -s, s]];
    let found = quality(&ball(&corners, 0.5), 1.0).unwrap();
    assert!(
        found.low <= found.high && found.low >= 0.3514 - 3e-3 && found.high <= 0.3584,
        "{found:?}"
    );
    assert!(found.high >= 0.3514, "{found:?}");
}

#[test]
fn t17_feet_hold_the_centre_of_mass_over_their_triangle() {
    let mut whole = ground();
    let body = whole
        .add_body("body", 10.0, solid(10.0, [0.5; 3]), [0.0, 0.0, 1.0])
        .unwrap();
    for [x, y] in [[1.0, 0.0], [-0.5, 0.8], [-0.5, -0.8]] {
        whole.add_contact([body, 0], [x, y, 0.0], [0.0, 0.0, 1.0], 0.6).unwrap();
    }
    let region = center_region(&whole, body, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).unwrap();
    assert!(
        (region.area() - 1.2).abs() < 1e-6,
        "{} {:?}",
        region.area(),
        region.inner.len()
    );
}

/// The same questions asked in forces, written down separately: variables (N, T₁, T₂) a contact and one more.
fn by_forces(whole: &Equilibrium, columns: &[[[f64; 6]; 3]], mu: f64, squeeze: bool) -> Option<f64> {
    let m = columns.len();
    let n = 3 * m + 1;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut b = Vec::new();
    for k in 0..6 {
        let mut row = vec![0.0; n];
        for (j, c) in columns.iter().enumerate() {
            for q in 0..3 {
                row[3 * j + q] = c[q][k];
            }
        }
        rows.push(row);
        b.push(if squeeze { -whole.load()[k] } else { 0.0 });
    }
    // Squeeze: F − N ≥ 0. Closure: s ≤ 1.
    for j in 0..if squeeze { m } else { 1 } {
        let mut row = vec![0.0; n];
        if squeeze {
            row[3 * j] = 1.0;
            row[n - 1] = -1.0;
        } else {
            row[n - 1] = 1.0;
        }
        rows.push(row);
        b.push(if squeeze { 0.0 } else { 1.0 });
    }
    for j in 0..m {
        for q in 0..3 {
            let mut row = vec![0.0; n];
            row[3 * j + q] = if q == 0 { -mu } else { -1.0 };
            if q == 0 && !squeeze {
                row[n - 1] = mu;
            }
            rows.push(row);
            b.push(0.0);
        }
    }
    let mut cones = vec![ZeroConeT(6), NonnegativeConeT(if squeeze { m } else { 1 })];
    cones.extend((0..m).map(|_| SecondOrderConeT(3)));
    let mut cost = vec![0.0; n];
    cost[n - 1] = if squeeze { 1.0 } else { -1.0 };
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_rel: 1e-10,
        tol_gap_abs: 1e-10,
        tol_feas: 1e-10,
        ..DefaultSettings::default()
    };
    let mut solver = DefaultSolver::new(
        &CscMatrix::zeros((n, n)),
        &cost,
        &CscMatrix::from(&rows),
        &b,
        &cones,
        settings,
    )
    .unwrap();
    solver.solve();
    (solver.solution.status == SolverStatus::Solved).then(|| solver.solution.x[n - 1])
}

/// Depth below which whether a grasp is closed is decided by rounding.
const EDGE: f64 = 1e-5;

/// How deep forces that cancel can lie in their cones where their normal forces sum up to 1 N.
fn by_unit_forces(columns: &[[[f64; 6]; 3]], mu: f64) -> Option<f64> {
    let m = columns.len();
    let n = 3 * m + 1;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for k in 0..6 {
        let mut row = vec![0.0; n];
        for (j, c) in columns.iter().enumerate() {
            for q in 0..3 {
                row[3 * j + q] = c[q][k];
            }
        }
        rows.push(row);
    }
    rows.push((0..n).map(|at| f64::from(at % 3 == 0 && at < 3 * m)).collect());
    let mut b = vec![0.0; 6];
    b.push(1.0);
    for j in 0..m {
        for q in 0..3 {
            let mut row = vec![0.0; n];
            row[3 * j + q] = if q == 0 { -mu } else { -1.0 };
            if q == 0 {
                row[n - 1] = mu;
            }
            rows.push(row);
            b.push(0.0);
        }
    }
    let mut cones = vec![ZeroConeT(7)];
    cones.extend((0..m).map(|_| SecondOrderConeT(3)));
    let mut cost = vec![0.0; n];
    cost[n - 1] = -1.0;
    let settings = DefaultSettings {
        verbose: false,
        ..DefaultSettings::default()
    };
    let (zeros, rows) = (CscMatrix::zeros((n, n)), CscMatrix::from(&rows));
    let mut solver = DefaultSolver::new(&zeros, &cost, &rows, &b, &cones, settings).unwrap();
    solver.solve();
    (solver.solution.status == SolverStatus::Solved).then(|| solver.solution.x[n - 1])
}

/// How far forces are from balancing the load within their cones and the squeeze, relative to the squeeze.
fn unbalanced(whole: &Equilibrium, columns: &[[[f64; 6]; 3]], (mu, most): (f64, f64), forces: &[[f64; 3]]) -> f64 {
    let rows = (0..6).map(|k| {
        let of = columns.iter().zip(forces);
        let sum: f64 = of.map(|(c, f)| (0..3).map(|q| c[q][k] * f[q]).sum::<f64>()).sum();
        (sum + whole.load()[k]).abs()
    });
    let cones = forces.iter().map(|[n, x, y]| (x.hypot(*y) - mu * n).max(n - most));
    rows.chain(cones).fold(0.0, f64::max) / most
}

/// An object of 1 kg held by fingers at random places, and the columns of its contacts.
fn random_grasp(random: &mut Seeded, fingers: usize, mu: f64) -> (Equilibrium, Vec<[[f64; 6]; 3]>) {
    let mut whole = ground();
    let body = whole.add_body("object", 1.0, solid(1.0, [1.0; 3]), [0.0; 3]).unwrap();
    let mut columns = Vec::new();
    for _ in 0..fingers {
        let mut vector = || -> [f64; 3] {
            loop {
                let v: [f64; 3] = std::array::from_fn(|_| 2.0 * random.unit() - 1.0);
                let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
                if size > 0.1 && size < 1.0 {
                    return v.map(|x| x / size);
                }
            }
        };
        let (point, bend) = (vector(), vector());
        let normal: [f64; 3] = std::array::from_fn(|k| -point[k] + 0.3 * bend[k]);
        let size = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        let normal = normal.map(|x| x / size);
        let j = whole.add_contact([body, 0], point, normal, mu).unwrap();
        let normal = whole.contacts()[j].normal;
        let [t1, t2] = whole.contacts()[j].tangents;
        columns.push([normal, t1, t2].map(|d| {
            let m = [
                point[1] * d[2] - point[2] * d[1],
                point[2] * d[0] - point[0] * d[2],
                point[0] * d[1] - point[1] * d[0],
            ];
            [d[0], d[1], d[2], m[0], m[1], m[2]]
        }));
    }
    (whole, columns)
}

/// `GRASPS=10000 cargo test` asks about more.
#[test]
fn random_grasps_agree_with_an_independent_program() {
    let count: u64 = std::env::var("GRASPS").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let mut random = Seeded::new(2026);
    let (mut closed, mut squeezed, mut open, mut edge, mut alone) = (0, 0, 0, 0, 0);
    let mut times = [Duration::ZERO; 2];
    let mut alone_forces = [f64::INFINITY, 0.0_f64];
    for case in 0..count {
        let fingers = 3 + (case % 4) as usize;
        let mu = 0.2 + 0.8 * random.unit();
        let (whole, columns) = random_grasp(&mut random, fingers, mu);
        let deepest = by_forces(&whole, &columns, mu, false);
        let start = Instant::now();
        let is_closed = force_closure(&whole);
        times[0] += start.elapsed();
        // Where only forces thousands of times as large as those across are deep enough, the other program ends without an answer; ours has a proof.
        match deepest {
            Some(depth) if is_closed == (depth > 0.5) => {}
            // Forces of 1 N in all lie this deep at the most: nearer to the edge than the other program can tell.
            Some(depth) => {
                let deepest = by_unit_forces(&columns, mu).unwrap_or(0.0);
                assert!(deepest.abs() < EDGE, "case {case}: {is_closed}, {depth:e}, {deepest:e}");
                edge += 1;
            }
            None => open += 1,
        }
        closed += u32::from(is_closed);
        let lists: Vec<Vec<usize>> = (0..fingers).map(|k| vec![k]).collect();
        let start = Instant::now();
        let found = least_squeeze(&whole, &lists);
        times[1] += start.elapsed();
        let expected = by_forces(&whole, &columns, mu, true);
        if let (Some(found), None) = (&found, expected) {
            // Ours is an answer where forces balance; that no less is enough is then said by one program alone.
            let gap = unbalanced(&whole, &columns, (mu, found.force), &found.forces.contacts);
            assert!(gap < 1e-6, "case {case}: {gap:e}");
            alone_forces = [alone_forces[0].min(found.force), alone_forces[1].max(found.force)];
            alone += 1;
            continue;
        }
        assert_eq!(found.is_some(), expected.is_some(), "case {case}");
        if let (Some(found), Some(expected)) = (found, expected) {
            squeezed += 1;
            assert!(
                (found.force - expected).abs() <= 1e-6 * expected,
                "case {case}: {} {expected}",
                found.force
            );
        }
    }
    let [closure, squeeze] = times.map(|time| 1e3 * time.as_secs_f64() / count as f64);
    assert!(open <= count / 500, "{open} without an answer of the other program");
    assert!(
        edge <= count / 1000 && alone <= count / 500,
        "{edge} on the edge, {alone} squeezes of ours alone"
    );
    eprintln!(
        "{count} grasps, {closed} closed, {squeezed} squeezed, {open} without the other's answer, {edge} on the edge, {alone} squeezes of ours alone, {alone_forces:.0?} N: {closure:.3} ms and {squeeze:.3} ms each"
    );
    assert!(
        closed > 0 && squeezed > 0 && u64::from(closed) < count,
        "{closed} {squeezed}"
    );
}

#[test]
fn a_squeeze_that_is_commanded_asks_for_forces_alone() {
    let whole = ball(&[[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], 0.5);
    assert_eq!(
        decide(&whole, &stiction_stand::Ask::default()).unwrap().word,
        Word::MayFall
    );
}
