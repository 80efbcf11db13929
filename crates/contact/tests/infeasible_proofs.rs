//! Problems that no velocity satisfies are proven to be such in rationals, also where the weights of the proof are no doubles.
#![allow(clippy::unwrap_used)]

use stiction_contact::{ContactProblem, ContactSolution, ContactSolver, Farkas, Law, Options, Status, check};

/// A block with its columns: normal and tangents.
type Part = (usize, [&'static [f64]; 3]);

const LAWS: [Law; 3] = [Law::Frictionless, Law::Polyhedral, Law::Coulomb];

fn solve(problem: &ContactProblem, law: Law) -> ContactSolution {
    let options = Options {
        law,
        ..Options::default()
    };
    let mut solver = ContactSolver::new(options).unwrap();
    solver.solve(problem).unwrap().clone()
}

/// A body in the plane (x, y, angle) of unit mass with contacts (normal and arm as a column, friction, bias).
fn planar(contacts: &[([f64; 3], f64, f64)]) -> ContactProblem {
    let mut problem = ContactProblem::new();
    let mass = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let body = problem.add_block(&mass, &[0.0; 3]).unwrap();
    for (normal, mu, bias) in contacts {
        let along = [-normal[1], normal[0], 0.25];
        let contact = problem
            .add_contact(&[(body, [normal, &along, &[0.0; 3]])], *mu)
            .unwrap();
        problem.set_bias(contact, [*bias, 0.0, 0.0]).unwrap();
    }
    problem
}

fn assert_proven(problem: &ContactProblem, name: &str) -> Vec<Farkas> {
    let prove = |law: &Law| {
        let solution = solve(problem, *law);
        assert_eq!(solution.status, Status::Ray, "{name}, {law:?}");
        let ray = solution.ray.unwrap();
        let proof = ray.proof.clone().unwrap_or_default();
        assert!(ray.infeasible && ray.work < 0.0, "{name}, {law:?}: {ray:?}");
        assert!(check::proof_holds(problem, &proof), "{name}, {law:?}: {proof:?}");
        let indices = |list: &[(usize, f64)]| list.iter().map(|(i, _)| *i).collect::<Vec<_>>();
        let named = |list: &[(usize, String)]| list.iter().map(|(i, _)| *i).collect::<Vec<_>>();
        assert_eq!(indices(&ray.contacts), named(&proof.contacts), "{name}, {law:?}");
        assert_eq!(indices(&ray.joints), named(&proof.joints), "{name}, {law:?}");
        proof
    };
    LAWS.iter().map(prove).collect()
}

#[test]
fn three_walls_about_a_centre() {
    let walls = [[1.0, 0.0, 0.0], [-0.6, 0.8, 0.0], [-0.6, -0.8, 0.0]];
    let problem = planar(&walls.map(|normal| (normal, 0.5, -0.1)));
    for proof in assert_proven(&problem, "three walls") {
        // 1 : 1/(2·0.6) with the double that 0.6 is.
        let half = "4503599627370496/5404319552844595";
        let weights: Vec<&str> = proof.contacts.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(weights, ["1", half, half]);
    }
}

#[test]
fn walls_among_contacts_that_ask_for_nothing() {
    let others = [([0.36, 0.48, 0.8], 0.3, 0.0), ([-0.1, -0.7, 0.3], 0.7, 0.0)];
    let walls = [([0.1, 0.7, -0.3], 0.2, -0.5), ([-0.3, -2.1, 0.9], 0.0, -0.25)];
    // −3·0.1 and the double next to −0.3 differ: without its own double neither pair of these cancels.
    assert_ne!(-0.3, -3.0 * 0.1);
    let problem = planar(&[others[0], walls[0], others[1]]);
    assert_proven(&problem, "one wall against another");
    let nearly = planar(&[walls[0], walls[1]]);
    for law in LAWS {
        let solution = solve(&nearly, law);
        assert!(
            solution.ray.is_none_or(|ray| !ray.infeasible),
            "{law:?}: they can be opened"
        );
    }
}

#[test]
fn weights_in_thirds_and_two_bodies() {
    // One body pushes the other against a wall with a lever of three.
    let mut problem = ContactProblem::new();
    for _ in 0..2 {
        problem.add_block(&[1.0], &[0.0]).unwrap();
    }
    let one = |column: &'static [f64]| -> [&'static [f64]; 3] { [column, &[0.0], &[0.0]] };
    let contacts: [&[Part]; 3] = [
        &[(0, one(&[1.0]))],
        &[(0, one(&[-3.0])), (1, one(&[7.0]))],
        &[(1, one(&[-1.0]))],
    ];
    for columns in contacts {
        let contact = problem.add_contact(columns, 0.25).unwrap();
        problem.set_bias(contact, [-0.1, 0.0, 0.0]).unwrap();
    }
    for proof in assert_proven(&problem, "lever") {
        let weights: Vec<&str> = proof.contacts.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(weights, ["3/7", "1/7", "1"]);
    }
}

#[test]
fn joint_rows_that_contradict_each_other() {
    let mut problem = ContactProblem::new();
    problem.add_block(&[1.0], &[0.0]).unwrap();
    problem.add_joint(&[(0, &[3.0])], -1.0).unwrap();
    problem.add_joint(&[(0, &[1.0])], 0.0).unwrap();
    for proof in assert_proven(&problem, "joints") {
        assert!(proof.contacts.is_empty() && proof.joints.len() == 2, "{proof:?}");
    }
}

/// Three walls whose forces leave a torque of 1e-15: v = (0.1, 0.15/s, 0.3/1e-15) opens them, and nothing much slower does.
#[test]
fn what_can_be_opened_in_truth_is_not_proven() {
    let (s, torque) = (0.75, 1e-15);
    let walls = [[1.0, 0.0, 0.0], [-0.5, s, 0.0], [-0.5, -s, torque]];
    let problem = planar(&walls.map(|normal| (normal, 0.0, -0.1)));
    let v = [0.1_f64, 0.15 / s, 0.3 / torque];
    let speed = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    for law in LAWS {
        let solution = solve(&problem, law);
        assert_ne!(solution.status, Status::Solved, "{law:?}");
        let ray = solution.ray.unwrap();
        assert!(!ray.infeasible && ray.proof.is_none(), "{law:?}: {ray:?}");
        assert!(
            ray.least_speed > 0.99 * speed && ray.least_speed <= speed,
            "{law:?}: {ray:?}"
        );
        assert!(ray.least_speed <= check::least_speed(&problem, &ray.contacts, &ray.joints));
    }
}

#[test]
fn the_check_refuses_what_shows_nothing() {
    let problem = planar(&[([1.0, 0.0, 0.0], 0.0, -0.1), ([-3.0, 0.0, 0.0], 0.0, 0.05)]);
    let proof = |a: &str, b: &str| Farkas {
        contacts: vec![(0, a.to_owned()), (1, b.to_owned())],
        joints: Vec::new(),
    };
    assert!(check::proof_holds(&problem, &proof("3", "1")));
    for (a, b, why) in [
        ("1", "0.333333333333333333", "does not cancel"),
        ("-3", "-1", "pulls"),
        ("0", "0", "gains nothing"),
        ("x", "1", "no number"),
    ] {
        assert!(!check::proof_holds(&problem, &proof(a, b)), "{why}");
    }
    let unknown = Farkas {
        contacts: vec![(2, "1".to_owned())],
        joints: Vec::new(),
    };
    assert!(!check::proof_holds(&problem, &unknown) && !check::proof_holds(&problem, &Farkas::default()));
    // |v| ≥ 0.1 for the first alone, none for the second, whose bias is open.
    let alone = check::least_speed(&problem, &[(0, 1.0)], &[]);
    assert!(alone <= 0.1 && alone > 0.1 - 1e-15, "{alone}");
    assert_eq!(check::least_speed(&problem, &[(1, 1.0)], &[]), 0.0);
    assert_eq!(check::least_speed(&problem, &[(0, 3.0), (1, 1.0)], &[]), f64::INFINITY);
    assert_eq!(check::least_speed(&problem, &[(0, f64::NAN)], &[]), 0.0);
}

#[test]
fn contacts_of_a_group_prove_nothing() {
    let mut problem = planar(&[([1.0, 0.0, 0.0], 0.0, -0.1), ([-1.0, 0.0, 0.0], 0.0, -0.1)]);
    let both = [(0, 1.0), (1, 1.0)];
    assert!(check::proves_infeasible(&problem, &both, &[]));
    // One side of the two is enough.
    problem.add_group(&[&[0], &[1]]).unwrap();
    assert!(!check::proves_infeasible(&problem, &both, &[]));
    assert_eq!(solve(&problem, Law::Frictionless).status, Status::Solved);
}
