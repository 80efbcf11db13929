use super::*;

/// Contacts without tangents on point coordinates of unit mass.
fn problem(normals: &[[f64; 3]], v: [f64; 3]) -> ContactProblem {
    let mut problem = ContactProblem::new();
    problem.set_dense(3);
    problem.set_dense_velocity(|k| k.copy_from_slice(&v));
    for (i, n) in normals.iter().enumerate() {
        problem.push_dense(0.0, i as u64, |x| x.copy_from_slice(n));
    }
    problem
}

/// `ppm-cycle-4`: M = NᵀN of four contacts on three coordinates, on which the rule as printed cycles.
#[test]
fn the_cycle_of_the_printed_rule_is_solved() {
    let normals = [
        [2.0, 2.0, 1.0],
        [0.0, -1.0, -1.0],
        [1.0, -1.0, -1.0],
        [-2.0, -1.0, -2.0],
    ];
    let problem = problem(&normals, [-1.0, 3.0, 2.0]);
    let (mut ppm, mut normal) = (PpmModified::default(), [0.0; 4]);
    let outcome = ppm.run(&problem, 0.0, &mut normal);
    assert_eq!(outcome.end, End::Answered);
    for (found, expected) in normal.iter().zip([0.0, 1.5, 1.0, 0.0]) {
        assert!((found - expected).abs() < 1e-14, "{normal:?}");
    }
}

#[test]
fn the_ratio_test_solves_from_any_set() {
    let normals = [
        [2.0, 2.0, 1.0],
        [0.0, -1.0, -1.0],
        [1.0, -1.0, -1.0],
        [-2.0, -1.0, -2.0],
    ];
    let problem = problem(&normals, [-1.0, 3.0, 2.0]);
    for set in 0..16_usize {
        let (mut ppm, mut normal) = (PpmModified::default(), [0.0; 4]);
        ppm.begin(&problem, 0.0);
        ppm.v.resize(3, 0.0);
        for i in (0..4).filter(|i| set & (1 << i) != 0) {
            if ppm.append(&problem, i) {
                ppm.note_change(i);
            }
        }
        ppm.solve(&problem);
        assert_eq!(ppm.ratio_test(&problem), End::Answered, "set {set:b}");
        normal.copy_from_slice(&ppm.z);
        for (found, expected) in normal.iter().zip([0.0, 1.5, 1.0, 0.0]) {
            assert!((found - expected).abs() < 1e-14, "set {set:b}: {normal:?}");
        }
    }
}

#[test]
fn closing_walls_are_a_squeeze() {
    let mut problem = problem(&[[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], [0.5, 0.0, 0.0]);
    problem.set_bias(0, [-1.0, 0.0, 0.0]).unwrap();
    let mut normal = [0.0; 2];
    let outcome = PpmModified::default().run(&problem, 0.0, &mut normal);
    assert_eq!(outcome.end, End::Ray);
    assert!(outcome.ray.unwrap().infeasible);
}
