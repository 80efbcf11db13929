//! Raw input through the public interface: empty and huge problems, numbers at both ends of the doubles, options out of
//! range. Nothing panics, nothing runs for ever, and what is said is true.

// Matrices keep the papers' capitals.
#![allow(non_snake_case)]
// Helpers of a test are not tests to the lint.
#![allow(clippy::unwrap_used)]

mod generate;

use generate::testing::Rng;
use generate::{Problem, assert_honest, assert_solved, integers, product, symmetric_pd, verify};
use stiction_lcp::residual::Judge;
use stiction_lcp::{Certificate, Class, InputError, Lcp, Matrix, Method, Mlcp, Options, Solution, Solver, Status};

const FRONT_DOOR: &str = "front door";

fn with_method(method: Method) -> Solver {
    Solver::with_options(Options {
        method: Some(method),
        ..Options::default()
    })
}

/// The methods that do not ask for a structure, other than symmetry, that a matrix of no class lacks.
fn methods_for_any_matrix() -> impl Iterator<Item = Method> {
    Method::ALL.into_iter().filter(|method| *method != Method::LemkeHowson)
}

/// All methods together stay within the limits that their options state.
fn assert_bounded(problem: &Problem, solution: &Solution) {
    for run in &solution.stats.runs {
        let limit = 20_100 + 60 * (2 * problem.n() + 20);
        assert!(
            run.pivots <= limit || run.method == Method::Enumerate,
            "{}, {}: {} pivots",
            run.method.name(),
            problem.show(),
            run.pivots
        );
    }
}

/// The front door and every method alone: honest and bounded.
fn try_everything(problem: &Problem) -> Status {
    for method in Method::ALL {
        let mut solver = with_method(method);
        match solver.solve(&problem.lcp()) {
            Ok(solution) => {
                assert_honest(method.name(), problem, solution);
                assert_bounded(problem, solution);
            }
            Err(error) => assert!(matches!(error, InputError::MethodMismatch { .. }), "{error}"),
        }
    }
    let mut solver = Solver::new();
    let solution = solver.solve(&problem.lcp()).unwrap();
    assert_honest(FRONT_DOOR, problem, solution);
    assert_bounded(problem, solution);
    solution.status
}

#[test]
fn an_empty_problem_is_solved() {
    let lcp = Lcp::from_rows::<[f64; 0]>(&[], &[]).unwrap();
    for class in Class::ALL {
        let mut solver = Solver::new();
        let solution = solver.solve(&lcp.clone().with_class(class)).unwrap();
        assert_eq!(
            (solution.status, solution.z.len(), solution.w.len()),
            (Status::Solved, 0, 0)
        );
    }
    for method in Method::ALL {
        assert_eq!(
            with_method(method).solve(&lcp).unwrap().status,
            Status::Solved,
            "{}",
            method.name()
        );
    }
    let mixed = Mlcp::new(Matrix::from_columns(0, vec![]).unwrap(), vec![], vec![], vec![]).unwrap();
    assert_eq!(Solver::new().solve_mixed(&mixed).unwrap().status, Status::Solved);
    // A used solver forgets the larger problem.
    let mut solver = Solver::new();
    solver.solve(&Lcp::from_rows(&[[1.0]], &[-1.0]).unwrap()).unwrap();
    let solution = solver.solve(&lcp).unwrap().clone();
    assert_eq!((solution.z.len(), solution.w.len()), (0, 0));
}

const MAGNITUDES: [f64; 11] = [
    0.0,
    5e-324,
    1e-310,
    f64::MIN_POSITIVE,
    1e-200,
    1e-8,
    1.0,
    3.0,
    1e200,
    1e308,
    f64::MAX,
];

/// Both signs of every magnitude, −0 included.
fn numbers() -> impl Iterator<Item = f64> {
    MAGNITUDES.into_iter().flat_map(|v| [v, -v])
}

/// Whether M z + q involves a number below 2⁻¹⁰²², where products lose digits.
fn underflows(m: f64, q: f64) -> bool {
    q < 0.0 && m > 0.0 && !(q.is_normal() && (-q / m).is_normal())
}

#[test]
fn one_variable_with_every_sign_and_magnitude() {
    for m in numbers() {
        for q in numbers().filter(|q| !underflows(m, *q)) {
            one_variable(m, q);
        }
    }
}

#[test]
fn one_variable_with_subnormal_numbers() {
    for m in numbers() {
        for q in numbers().filter(|q| underflows(m, *q)) {
            one_variable(m, q);
        }
    }
}

fn one_variable(m: f64, q: f64) {
    let problem = Problem::new("one variable", vec![vec![m]], vec![q]);
    let status = try_everything(&problem);
    let z = -q / m;
    if q >= 0.0 {
        assert_eq!(status, Status::Solved, "{FRONT_DOOR}, {}", problem.show());
    } else if m <= 0.0 {
        assert_eq!(status, Status::Infeasible, "{FRONT_DOOR}, {}", problem.show());
    } else if z.is_normal() && m.is_normal() && q.is_normal() && q > -8e307 {
        assert_eq!(
            status,
            Status::Solved,
            "{FRONT_DOOR}, {}: expected z = {z:e}",
            problem.show()
        );
    } else {
        assert!(
            !matches!(status, Status::Infeasible | Status::Unsolvable),
            "{FRONT_DOOR}, {}: {status:?}",
            problem.show()
        );
    }
}

#[test]
fn one_variable_near_the_largest_double() {
    let problem = Problem::new("one variable", vec![vec![1.0]], vec![-1e308]);
    assert_eq!(try_everything(&problem), Status::Solved, "{}", problem.show());
}

/// A power of two up to 2^±`range` with a random mantissa, or now and then a zero.
fn wild(range: usize, rng: &mut Rng) -> f64 {
    let exponent = i32::try_from(rng.below(2 * range + 1)).unwrap() - i32::try_from(range).unwrap();
    if rng.below(8) == 0 {
        0.0
    } else {
        rng.symmetric() * 2f64.powi(exponent)
    }
}

fn wild_problems(range: usize, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut counts = [0; 3];
    for number in 0..200 {
        let n = 1 + rng.below(5);
        let rows = (0..n)
            .map(|_| (0..n).map(|_| wild(range, &mut rng)).collect())
            .collect();
        let q = (0..n).map(|_| wild(range, &mut rng)).collect();
        let problem = Problem::new(&format!("2^±{range}, {number} of seed {seed}"), rows, q);
        match try_everything(&problem) {
            Status::Solved => counts[0] += 1,
            Status::Infeasible | Status::Unsolvable => counts[1] += 1,
            _ => counts[2] += 1,
        }
    }
    eprintln!("2^±{range}: {counts:?} solved, proven without solution, open");
}

#[test]
fn entries_of_wildly_different_size() {
    wild_problems(60, 1);
    wild_problems(300, 2);
}

#[test]
fn entries_at_both_ends_of_the_doubles() {
    wild_problems(1021, 3);
}

fn huge_problems(mut check: impl FnMut(&Problem)) {
    let mut rng = Rng::new(4);
    for number in 0..200 {
        let n = 1 + rng.below(5);
        let entry = |rng: &mut Rng| rng.symmetric() * [1e200, 1e300, 1e308, f64::MAX][rng.below(4)];
        let rows = (0..n).map(|_| (0..n).map(|_| entry(&mut rng)).collect()).collect();
        let q = (0..n).map(|_| entry(&mut rng)).collect();
        check(&Problem::new(&format!("huge {number} of seed 4"), rows, q));
    }
}

#[test]
fn entries_that_overflow_when_added_or_multiplied() {
    let mut counts = [0; 3];
    huge_problems(|problem| {
        let mut solver = Solver::new();
        let solution = solver.solve(&problem.lcp()).unwrap();
        assert_bounded(problem, solution);
        if solution.status == Status::Solved {
            let checked = verify(problem, &solution.z, generate::TOLERANCE);
            assert!(checked.is_ok(), "{FRONT_DOOR}, {}: {checked:?}", problem.show());
            counts[0] += 1;
        } else {
            assert_honest(FRONT_DOOR, problem, solution);
            counts[if solution.proven() { 1 } else { 2 }] += 1;
        }
    });
    eprintln!("huge: {counts:?} solved, proven without solution, open");
}

#[test]
fn entries_that_overflow_give_no_nan() {
    huge_problems(|problem| {
        try_everything(problem);
    });
}

#[test]
fn entries_that_underflow() {
    let mut rng = Rng::new(5);
    for number in 0..200 {
        let n = 1 + rng.below(5);
        let entry = |rng: &mut Rng| rng.symmetric() * [1e-200, 1e-300, 1e-308, 1e-320][rng.below(4)];
        let rows = (0..n).map(|_| (0..n).map(|_| entry(&mut rng)).collect()).collect();
        let q = (0..n).map(|_| entry(&mut rng)).collect();
        try_everything(&Problem::new(&format!("tiny {number}"), rows, q));
    }
}

#[test]
fn a_definite_problem_in_extreme_units_is_solved() {
    let mut rng = Rng::new(6);
    for scale in [-900, -500, -100, 100, 500, 900] {
        let mut problem = symmetric_pd(8, &mut rng);
        let factor = 2f64.powi(scale);
        problem.rows.iter_mut().flatten().for_each(|v| *v *= factor);
        problem.q.iter_mut().for_each(|v| *v *= factor);
        problem.name = format!("PD times 2^{scale}");
        assert_eq!(try_everything(&problem), Status::Solved, "{}", problem.show());
    }
}

#[test]
fn zero_matrices() {
    for n in [1, 3, 12, 40] {
        let zero = vec![vec![0.0; n]; n];
        let solvable = Problem::new("zero matrix, q >= 0", zero.clone(), vec![2.0; n]);
        assert_eq!(try_everything(&solvable), Status::Solved);
        let mut q = vec![1.0; n];
        q[n / 2] = -1.0;
        let not = Problem::new("zero matrix, one q < 0", zero, q);
        assert_eq!(try_everything(&not), Status::Infeasible);
    }
}

#[test]
fn two_thousand_variables_with_a_zero_matrix_are_quick() {
    let n = 2000;
    let M = Matrix::from_columns(n, vec![0.0; n * n]).unwrap();
    let mut solver = Solver::new();
    let lcp = Lcp::new(M.clone(), vec![1.0; n]).unwrap();
    let solvable = solver.solve(&lcp).unwrap().clone();
    assert_eq!(solvable.status, Status::Solved);
    let mut q = vec![1.0; n];
    q[n - 1] = -1.0;
    let lcp = Lcp::new(M, q).unwrap();
    let not = solver.solve(&lcp).unwrap();
    assert_eq!(not.status, Status::Infeasible);
    // A pivot or a factorization costs n²: a few of them are quick, n of them are not.
    for stats in [&solvable.stats, &not.stats] {
        assert!(stats.pivots + stats.factorizations < 20, "{stats:?}");
    }
}

#[test]
fn tolerances_out_of_range_are_errors() {
    let lcp = Lcp::from_rows(&[[1.0]], &[-1.0]).unwrap();
    let mixed = Mlcp::with_free(&[[1.0]], &[-1.0], &[]).unwrap();
    for tolerance in [0.0, -1e-10, f64::NAN, 1.0, 2.0, f64::INFINITY] {
        let mut solver = Solver::with_options(Options {
            tolerance,
            ..Options::default()
        });
        for error in [
            solver.solve(&lcp).map(|s| s.status),
            solver.solve_mixed(&mixed).map(|s| s.status),
        ] {
            let Err(InputError::Option { field, found, .. }) = error else {
                panic!("tolerance {tolerance}: expected an error, found {error:?}");
            };
            assert_eq!((field, found.to_bits()), ("tolerance", tolerance.to_bits()));
        }
    }
}

#[test]
fn pivot_limits_of_any_size_are_taken() {
    let problem = symmetric_pd(6, &mut Rng::new(7));
    for limit in [0, 1] {
        let mut options = Options::default();
        options.lemke.pivot_limit_base = limit;
        options.lemke.pivot_limit_per_variable = 0;
        options.ppm.pivot_limit_per_variable = limit;
        options.dantzig.pivot_limit_per_variable = limit;
        for method in methods_for_any_matrix() {
            options.method = Some(method);
            let mut solver = Solver::with_options(options);
            assert_honest(method.name(), &problem, solver.solve(&problem.lcp()).unwrap());
        }
    }
}

#[test]
fn periods_of_zero_pivots_are_taken() {
    let problem = symmetric_pd(6, &mut Rng::new(8));
    let mut options = Options::default();
    options.lemke.refresh = 0;
    options.dantzig.refresh = 0;
    options.ppm.refactor = 0;
    for method in methods_for_any_matrix() {
        options.method = Some(method);
        let mut solver = Solver::with_options(options);
        assert_honest(method.name(), &problem, solver.solve(&problem.lcp()).unwrap());
    }
}

fn largest_limit(set: impl Fn(&mut Options)) {
    let problem = symmetric_pd(6, &mut Rng::new(9));
    let mut options = Options::default();
    set(&mut options);
    let mut solver = Solver::with_options(options);
    assert_honest("largest limit", &problem, solver.solve(&problem.lcp()).unwrap());
}

#[test]
fn lemke_takes_the_largest_pivot_limit() {
    largest_limit(|options| options.lemke.pivot_limit_base = usize::MAX);
}

#[test]
fn dantzig_takes_the_largest_pivot_limit() {
    largest_limit(|options| {
        options.method = Some(Method::Dantzig);
        options.dantzig.pivot_limit_per_variable = usize::MAX;
    });
}

#[test]
fn ppm_takes_the_largest_pivot_limit() {
    largest_limit(|options| {
        options.method = Some(Method::Ppm);
        options.ppm.pivot_limit_per_variable = usize::MAX;
    });
}

/// The methods named in the error accept the problem.
fn assert_mismatch(method: Method, lcp: &Lcp, expected_needs: &str) -> Vec<String> {
    let Err(InputError::MethodMismatch {
        method: named,
        needs,
        fitting,
    }) = with_method(method).solve(lcp).map(|s| s.status)
    else {
        panic!("{}: expected a mismatch", method.name());
    };
    assert_eq!((named, needs.as_str()), (method.name(), expected_needs));
    let fitting: Vec<String> = fitting.split(", ").map(str::to_owned).collect();
    for name in &fitting {
        let method = Method::ALL.into_iter().find(|m| m.name() == name).unwrap();
        assert!(with_method(method).solve(lcp).is_ok(), "{name} does not fit");
    }
    fitting
}

#[test]
fn a_mismatch_names_methods_that_fit() {
    let skew = Lcp::from_rows(&[[1.0, 1.0], [-1.0, 1.0]], &[-1.0, -1.0]).unwrap();
    let fitting = assert_mismatch(Method::Dantzig, &skew, "a symmetric matrix");
    assert!(
        fitting.contains(&"lemke".to_owned()) && fitting.contains(&"ppm".to_owned()),
        "{fitting:?}"
    );
    let large = symmetric_pd(21, &mut Rng::new(10)).lcp();
    let fitting = assert_mismatch(Method::Enumerate, &large, "at most 20 variables");
    assert!(fitting.contains(&"lemke".to_owned()), "{fitting:?}");
}

#[test]
fn a_mismatch_names_every_method_that_fits() {
    let skew = Lcp::from_rows(&[[1.0, 1.0], [-1.0, 1.0]], &[-1.0, -1.0]).unwrap();
    // All but Dantzig and Lemke-Howson.
    assert_eq!(assert_mismatch(Method::Dantzig, &skew, "a symmetric matrix").len(), 8);
    assert_eq!(assert_mismatch(Method::LemkeHowson, &skew, "a bimatrix game").len(), 8);
    let large = symmetric_pd(21, &mut Rng::new(10)).lcp();
    assert_eq!(
        assert_mismatch(Method::Enumerate, &large, "at most 20 variables").len(),
        8
    );
    let larger = symmetric_pd(101, &mut Rng::new(10)).lcp();
    let fitting = assert_mismatch(Method::BranchAndBound, &larger, "at most 100 variables");
    assert_eq!(fitting.len(), 7, "{fitting:?}");
}

#[test]
fn rows_and_columns_repeated_ten_times() {
    let mut rng = Rng::new(11);
    for number in 0..20 {
        let n = 2 + rng.below(4);
        let N: Vec<Vec<f64>> = (0..n).map(|_| integers(n + 1, 3, &mut rng)).collect();
        let v = integers(n + 1, 3, &mut rng);
        let ten: Vec<Vec<f64>> = (0..10 * n).map(|i| N[i % n].clone()).collect();
        let name = format!("ten times each row, {number}");
        let mut problem = Problem::new(&name, generate::gram(&ten), product(&ten, &v));
        for class in Class::ALL {
            let mut solver = Solver::new();
            assert_solved(
                FRONT_DOOR,
                &problem,
                solver.solve(&problem.lcp().with_class(class)).unwrap(),
            );
        }
        for method in [
            Method::Lemke,
            Method::LemkeLexicographic,
            Method::LemkeExtended,
            Method::Dantzig,
            Method::Ppm,
        ] {
            assert_honest(
                method.name(),
                &problem,
                with_method(method).solve(&problem.lcp()).unwrap(),
            );
        }
        // The same row with two different entries of q cannot be at zero twice.
        problem.q[0] += 1.0;
        assert_honest(FRONT_DOOR, &problem, Solver::new().solve(&problem.lcp()).unwrap());
    }
}

#[test]
fn one_row_given_ten_times() {
    let problem = Problem::new("ones", vec![vec![1.0; 10]; 10], vec![-1.0; 10]);
    assert_eq!(try_everything(&problem), Status::Solved);
    let mut q = vec![-1.0; 10];
    q[9] = 1.0;
    let problem = Problem::new("minus ones", vec![vec![-1.0; 10]; 10], q);
    assert_eq!(try_everything(&problem), Status::Infeasible);
}

#[test]
fn the_judge_refuses_what_is_no_vector() {
    let lcp = Lcp::from_rows(&[[2.0, 1.0], [1.0, 2.0]], &[1.0, 1.0]).unwrap();
    let mut judge = Judge::default();
    for z in [
        &[][..],
        &[0.0],
        &[0.0; 3],
        &[f64::NAN, 0.0],
        &[0.0, f64::INFINITY],
        &[f64::NEG_INFINITY, 0.0],
        &[f64::MAX, f64::MAX],
        &[-5e-324, f64::MAX],
        &[-1.0, 0.0],
    ] {
        let (status, residual) = judge.judge(lcp.view(), z, 1e-10);
        assert_eq!(status, Status::Inaccurate, "{z:?}: {residual:?}");
        assert_eq!(judge.w().len(), 2, "{z:?}");
    }
    assert_eq!(judge.judge(lcp.view(), &[0.0, -0.0], 1e-10).0, Status::Solved);
    assert_eq!(judge.judge(lcp.view(), &[0.0, 0.0], 0.0).0, Status::Solved);
    assert_eq!(judge.judge(lcp.view(), &[1.0, 0.0], f64::NAN).0, Status::Inaccurate);
}

#[test]
fn the_judge_is_not_fooled_by_a_row_that_overflows() {
    // w_0 = 1e309 beside z_0 = 1.
    let lcp = Lcp::from_rows(&[[1.0, 1e308], [0.0, 1.0]], &[-1.0, -10.0]).unwrap();
    let (status, residual) = Judge::default().judge(lcp.view(), &[1.0, 10.0], 1e-10);
    assert_eq!(status, Status::Inaccurate, "{residual:?}");
}

#[test]
fn the_judge_is_not_fooled_by_infinity_minus_infinity() {
    // w_0 = 1.7e309 − 1e309 = 7e308 beside z_0 = 10.
    let lcp = Lcp::from_rows(&[[1.7e308, -1e308], [0.0, 1.0]], &[-1.0, -10.0]).unwrap();
    let (status, residual) = Judge::default().judge(lcp.view(), &[10.0, 10.0], 1e-10);
    assert_eq!(status, Status::Inaccurate, "{residual:?}");
}

#[test]
fn the_judge_is_not_fooled_by_a_product_that_underflows() {
    // M z = 1e-324 rounds to 0, or to 5e-324 = -q: half of it is missing.
    let lcp = Lcp::from_rows(&[[1e-162]], &[-5e-324]).unwrap();
    for z in [1e-162, 2e-162, 3e-162, 4e-162, 6e-162] {
        let (status, residual) = Judge::default().judge(lcp.view(), &[z], 1e-10);
        assert_eq!(status, Status::Inaccurate, "z = {z:e}: {residual:?}");
    }
}

#[test]
fn numbers_that_are_not_finite_never_become_a_problem() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(Lcp::from_rows(&[[bad]], &[1.0]).is_err());
        assert!(Lcp::from_rows(&[[1.0]], &[bad]).is_err());
        let mut lcp = Lcp::from_rows(&[[1.0]], &[1.0]).unwrap();
        assert!(lcp.set_q(&[bad]).is_err());
        assert_eq!(lcp.q(), &[1.0]);
    }
    assert!(Lcp::from_rows(&[[1.0]], &[1.0, 2.0]).is_err());
    assert!(Lcp::from_rows(&[vec![1.0, 2.0], vec![1.0]], &[1.0, 2.0]).is_err());
    assert!(Matrix::from_columns(2, vec![1.0; 3]).is_err());
    assert!(Matrix::from_columns(usize::MAX, vec![]).is_err());
}

#[test]
fn a_method_alone_gives_no_certificate() {
    let lcp = Lcp::from_rows(&[[-1.0]], &[-1.0]).unwrap();
    for method in methods_for_any_matrix() {
        let mut solver = with_method(method);
        let solution = solver.solve(&lcp).unwrap().clone();
        // The leaves of branch and bound are proofs by themselves.
        let proves = method == Method::BranchAndBound;
        assert!(
            solution.status != Status::Solved && solution.proven() == proves,
            "{}",
            method.name()
        );
    }
    let mut solver = Solver::new();
    assert!(matches!(
        solver.solve(&lcp).unwrap().certificate,
        Some(Certificate::Farkas { .. })
    ));
}

#[test]
fn the_front_door_never_calls_an_overflowing_answer_solved() {
    let rows = vec![
        vec![
            1.010_762_721_543_887_4e308,
            -8.876_555_414_903_259e299,
            -5.770_565_709_067_465_6e299,
            3.224_401_276_541_271_7e306,
        ],
        vec![
            -5.280_060_383_620_126e307,
            1.230_121_988_131_640_5e307,
            1.249_776_270_639_064_9e299,
            9.529_093_033_839_796e299,
        ],
        vec![
            3.317_382_502_601_047_6e299,
            -1.760_441_296_615_861_3e308,
            -8.001_519_119_646_998e199,
            2.430_364_687_107_307e307,
        ],
        vec![
            -1.414_905_694_570_416_2e308,
            -6.598_272_154_221_758_4e299,
            4.980_233_406_290_589e299,
            1.453_711_090_723_626_7e308,
        ],
    ];
    let q = vec![
        7.103_104_721_525_584e299,
        -8.321_146_257_552_336e299,
        -8.749_426_315_544_414e307,
        -2.787_657_640_458_951_5e199,
    ];
    let problem = Problem::new("huge 3069 of seed 4", rows, q);
    assert_honest(FRONT_DOOR, &problem, Solver::new().solve(&problem.lcp()).unwrap());
}

#[test]
fn subnormal_entries_are_judged_honestly() {
    let rows = vec![vec![-8.86e-321, 3.872_991_083_930_07e-309], vec![7.124e-321, -9.7e-322]];
    try_everything(&Problem::new("tiny 3619 of seed 5", rows, vec![-7.52e-321, -6.28e-321]));
}

/// Exact fallbacks and proofs are bounded by their work: in doubles of all sizes at once, a pivot in rationals is one of integers with ten thousands of
/// bits, and limits on variables and pivots alone would mean minutes.
#[test]
fn numbers_of_very_different_sizes_end_in_time() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for n in [12, 24, 60] {
        let mut number = || {
            let (bits, exponent) = (next(), i32::try_from(next() % 601).unwrap() - 300);
            let sign = if bits & 1 == 0 { 1.0 } else { -1.0 };
            sign * (1.0 + (bits >> 12) as f64 / (1u64 << 52) as f64) * 10f64.powi(exponent)
        };
        let columns: Vec<f64> = (0..n * n).map(|_| number()).collect();
        let q: Vec<f64> = (0..n).map(|_| -number().abs()).collect();
        let lcp = Lcp::new(Matrix::from_columns(n, columns).unwrap(), q).unwrap();
        let mut solver = Solver::new();
        let runs = solver.solve(&lcp).unwrap().stats.runs.clone();
        // The largest spends all the work that it is allowed, and stops there; without that bound it takes 50 times as long.
        let left = solver.exact_work_left();
        assert!(left.is_finite() && (n < 60 || left == 0.0), "{n}: {left}, {runs:?}");
    }
}
