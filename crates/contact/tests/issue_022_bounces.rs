//! Friction at a bounce was μθ of the compression only: what Poisson's rule gave back was a normal impulse without friction, and each phase was judged
//! by itself. A ball that arrives with (8, −3) m/s at μ = 0.3 and e = 1 left with 7.1 m/s along the floor, where Coulomb's law gives 6.2. The whole
//! impulse must lie in the cone, with the friction of the whole normal impulse against the slip at the end, and is judged as a whole.
#![allow(clippy::unwrap_used)]

mod random;

use random::{Family, Random};
use stiction_contact::check::{Answer, Terms, check_bounce, least_impulses};
use stiction_contact::{
    Body, BodyContact, Compression, ContactProblem, ContactSolution, ContactSolver, ContactState, Law, Options,
    Restitution, Status,
};

const COEFFICIENTS: [f64; 4] = [0.0, 0.25, 0.5, 1.0];
const RULES: [Restitution; 2] = [Restitution::Newton, Restitution::Poisson];

fn solve(problem: &ContactProblem, law: Law) -> ContactSolution {
    let mut solver = ContactSolver::new(Options {
        law,
        ..Options::default()
    })
    .unwrap();
    let solution = solver.solve(problem).unwrap().clone();
    assert_eq!(solution.status, Status::Solved, "{law:?}: {solution:?}");
    solution
}

fn near(name: &str, found: f64, expected: f64, size: f64) {
    let off = (found - expected).abs();
    assert!(off <= 1e-12 * size, "{name}: found {found}, expected {expected}");
}

fn answer_of(solution: &ContactSolution) -> Answer<'_> {
    Answer {
        normal: &solution.normal_impulse,
        friction: &solution.friction_impulse,
        phi: None,
        joint: &solution.joint_impulse,
    }
}

fn compression_of(compression: &Compression) -> Answer<'_> {
    Answer {
        normal: &compression.normal_impulse,
        friction: &compression.friction_impulse,
        phi: None,
        joint: &compression.joint_impulse,
    }
}

/// A point mass in the plane at (8, −3) m/s.
fn point_mass(mu: f64, e: f64, rule: Restitution) -> ContactProblem {
    let mut problem = ContactProblem::new();
    let ball = problem.add_block(&[1.0, 0.0, 0.0, 1.0], &[8.0, -3.0]).unwrap();
    let floor = problem
        .add_contact(&[(ball, [&[0.0, 1.0], &[1.0, 0.0], &[0.0, 0.0]])], mu)
        .unwrap();
    match rule {
        Restitution::Newton => problem.set_bias(floor, [-3.0 * e, 0.0, 0.0]).unwrap(),
        Restitution::Poisson => problem.set_restitution(floor, e).unwrap(),
    }
    problem
}

#[test]
fn a_point_mass_has_the_friction_of_the_whole_bounce() {
    for e in COEFFICIENTS {
        for rule in RULES {
            for law in [Law::Coulomb, Law::Polyhedral, Law::CoulombViscous] {
                let solution = solve(&point_mass(0.3, e, rule), law);
                let name = format!("{rule:?}, {law:?}, e = {e}");
                near(&name, solution.velocity[0], 8.0 - 0.9 * (1.0 + e), 8.0);
                near(&name, solution.velocity[1], 3.0 * e, 8.0);
                near(&name, solution.normal_impulse[0], 3.0 * (1.0 + e), 3.0);
                near(&name, solution.friction_impulse[0][0], -0.9 * (1.0 + e), 3.0);
            }
            // What the cone could hold stops it.
            let stuck = solve(&point_mass(4.0, e, rule), Law::Coulomb);
            near("stuck", stuck.velocity[0], 0.0, 8.0);
            near("stuck", stuck.velocity[1], 3.0 * e, 8.0);
            let held = solve(&point_mass(0.0, e, rule), Law::NoSlip);
            near("no slip", held.velocity[0], 0.0, 8.0);
            near("no slip", held.velocity[1], 3.0 * e, 8.0);
            let smooth = solve(&point_mass(0.3, e, rule), Law::Frictionless);
            near("smooth", smooth.velocity[0], 8.0, 8.0);
            near("smooth", smooth.velocity[1], 3.0 * e, 8.0);
        }
    }
}

#[test]
fn states_tell_what_leaves() {
    let left = solve(&point_mass(0.3, 1.0, Restitution::Poisson), Law::Coulomb);
    assert_eq!(left.state, [ContactState::Separating]);
    let stays = solve(&point_mass(0.3, 0.0, Restitution::Poisson), Law::Coulomb);
    assert_eq!(stays.state, [ContactState::Sliding]);
    assert!(stays.compression.is_none());
}

/// A ball with inertia k m R² about any axis: friction acts on u = v_t + ω × r with the inverse mass (1 + 1/k)/m, the normal with 1/m, and neither on
/// the other. So both rules of restitution give θ = (1 + e) m v_n.
struct Ball {
    mass: f64,
    radius: f64,
    k: f64,
    velocity: [f64; 3],
    spin: [f64; 3],
    normal: [f64; 3],
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn plus(a: [f64; 3], s: f64, b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| a[i] + s * b[i])
}

impl Ball {
    fn problem(&self, mu: f64, e: f64, rule: Restitution) -> ContactProblem {
        let moment = self.k * self.mass * self.radius * self.radius;
        let [v, w] = [self.velocity, self.spin];
        let body = Body {
            mass: self.mass,
            inertia: [[moment, 0.0, 0.0], [0.0, moment, 0.0], [0.0, 0.0, moment]],
            position: [0.3, -0.2, 0.5],
            velocity: [v[0], v[1], v[2], w[0], w[1], w[2]],
            wrench: [0.0; 6],
        };
        let contact = BodyContact {
            a: 0,
            b: None,
            point: plus(body.position, -self.radius, self.normal),
            normal: self.normal,
            mu,
            gap: 0.0,
            restitution: e,
            viscosity: 0.0,
        };
        ContactProblem::from_bodies(&[body], &[contact], &[], 1e-3, rule).unwrap()
    }

    /// Velocity and spin after the bounce, and whether the contact slides on.
    fn after(&self, mu: f64, e: f64) -> ([f64; 3], [f64; 3], bool) {
        let n = self.normal;
        let theta = -(1.0 + e) * self.mass * dot(n, self.velocity);
        let r = n.map(|x| -self.radius * x);
        let u = plus(self.velocity, 1.0, cross(self.spin, r));
        let u = plus(u, -dot(n, u), n);
        let speed = dot(u, u).sqrt();
        let stop = self.mass / (1.0 + 1.0 / self.k);
        let slides = stop * speed > mu * theta;
        let f = u.map(|x| if slides { -mu * theta * x / speed } else { -stop * x });
        let push = plus(f, theta, n);
        let moment = self.k * self.mass * self.radius * self.radius;
        let velocity = plus(self.velocity, 1.0 / self.mass, push);
        (velocity, plus(self.spin, 1.0 / moment, cross(r, push)), slides)
    }

    fn check(&self, name: &str, mu: f64, e: f64) -> ([f64; 3], [f64; 3], bool) {
        let expected = self.after(mu, e);
        for rule in RULES {
            let solution = solve(&self.problem(mu, e, rule), Law::Coulomb);
            let name = format!("{name}, {rule:?}, mu = {mu}, e = {e}");
            for i in 0..3 {
                near(&name, solution.velocity[i], expected.0[i], 10.0);
                near(&name, solution.velocity[i + 3], expected.1[i], 10.0 / self.radius);
            }
        }
        expected
    }
}

#[test]
fn a_ball_slides_sticks_and_reverses_its_spin() {
    let spinning = |velocity, spin| Ball {
        mass: 0.7,
        radius: 0.11,
        k: 0.4,
        velocity,
        spin,
        normal: [0.0, 0.0, 1.0],
    };
    for e in COEFFICIENTS {
        let slides = spinning([8.0, 0.0, -3.0], [0.0; 3]).check("sliding", 0.3, e);
        assert!(slides.2);
        let sticks = spinning([1.0, 0.0, -3.0], [0.0; 3]).check("sticking", 0.9, e);
        assert!(!sticks.2 && (sticks.0[0] - 5.0 / 7.0).abs() < 1e-12);
        // Backspin of a super ball: it comes back, and spins the other way.
        let back = spinning([2.0, 0.0, -3.0], [0.0, -60.0, 0.0]).check("spin reversing", 5.0, e);
        assert!(!back.2 && back.0[0] < 0.0);
        let turned = spinning([4.0, 0.0, -3.0], [0.0, -30.0, 0.0]).check("spin reversing", 5.0, e);
        assert!(turned.1[1] > 0.0 && turned.0[0] > 0.0);
    }
}

#[test]
fn balls_bounce_off_planes_of_every_direction() {
    let mut random = Random::new(22);
    let (mut slid, mut stuck) = (0, 0);
    for k in 0..200 {
        let mut three = |size: f64| [(); 3].map(|()| size * random.unit());
        let direction = loop {
            let n = three(1.0);
            if dot(n, n) > 0.1 {
                break n;
            }
        };
        let size = dot(direction, direction).sqrt();
        let (velocity, spin) = (three(5.0), three(20.0));
        let mut ball = Ball {
            mass: 1.3,
            radius: 0.2,
            k: [0.4, 2.0 / 3.0][k % 2],
            velocity,
            spin,
            normal: direction.map(|x| x / size),
        };
        if dot(ball.velocity, ball.normal) > 0.0 {
            ball.normal = ball.normal.map(|x| -x);
        }
        let (_, _, slides) = ball.check("space", [0.1, 0.3, 1.0][k % 3], COEFFICIENTS[k % 4]);
        slid += usize::from(slides);
        stuck += usize::from(!slides);
    }
    assert!(slid > 40 && stuck > 40, "{slid} {stuck}");
}

/// W = ((a, b), (b, d)) of a planar contact, and the velocity before.
#[derive(Debug, Clone, Copy)]
struct Eccentric {
    a: f64,
    b: f64,
    d: f64,
    u: [f64; 2],
}

impl Eccentric {
    /// Velocity (ν, u_t) after an impulse.
    fn after(&self, theta: f64, f: f64) -> [f64; 2] {
        [
            self.u[0] + self.a * theta + self.b * f,
            self.u[1] + self.b * theta + self.d * f,
        ]
    }

    /// The impulse with ν = `leaves` that sticks or slides.
    fn leaving(&self, mu: f64, leaves: f64) -> [f64; 2] {
        let Self { a, b, d, u } = *self;
        let det = a * d - b * b;
        let right = [leaves - u[0], -u[1]];
        let stick = [(d * right[0] - b * right[1]) / det, (a * right[1] - b * right[0]) / det];
        if stick[1].abs() <= mu * stick[0] {
            return stick;
        }
        let slide = |s: f64| {
            let theta = right[0] / (a - s * mu * b);
            [theta, -s * mu * theta]
        };
        let fits = |s: f64| slide(s)[0] >= 0.0 && s * self.after(slide(s)[0], slide(s)[1])[1] >= 0.0;
        let s = [1.0, -1.0].into_iter().find(|s| fits(*s)).unwrap();
        slide(s)
    }

    /// The impulse with the normal part θ.
    fn pressed(&self, mu: f64, theta: f64) -> [f64; 2] {
        let hold = -(self.u[1] + self.b * theta) / self.d;
        [theta, hold.clamp(-mu * theta, mu * theta)]
    }

    fn problem(&self, mu: f64, e: f64, rule: Restitution) -> ContactProblem {
        let mut problem = ContactProblem::new();
        let det = self.a * self.d - self.b * self.b;
        // Mass W⁻¹: the contact's rows are the coordinates.
        let mass = [self.d / det, -self.b / det, -self.b / det, self.a / det];
        let block = problem.add_block(&mass, &self.u).unwrap();
        let contact = problem
            .add_contact(&[(block, [&[1.0, 0.0], &[0.0, 1.0], &[0.0, 0.0]])], mu)
            .unwrap();
        match rule {
            Restitution::Newton => problem.set_bias(contact, [e * self.u[0], 0.0, 0.0]).unwrap(),
            Restitution::Poisson => problem.set_restitution(contact, e).unwrap(),
        }
        problem
    }
}

/// Where friction and normal impulse act on each other, as on a rod that falls on its end, the two rules differ.
#[test]
fn rods_bounce_as_each_rule_says() {
    let mut random = Random::new(7);
    let (mut apart, mut changed) = (0, 0);
    for k in 0..400 {
        let (a, d) = (1.0 + 0.9 * random.unit(), 1.0 + 0.9 * random.unit());
        let rod = Eccentric {
            a,
            b: 0.8 * random.unit() * (a * d).sqrt(),
            d,
            u: [-1.5 + random.unit(), 2.0 * random.unit()],
        };
        // Below Painlevé's limit, where there is one answer.
        let mu = (0.2 + 0.19 * random.unit()).min(0.8 * a / rod.b.abs()) * [1.0, 3.0][k % 2];
        let mu = mu.min(0.8 * a / rod.b.abs());
        let e = COEFFICIENTS[k % 4];
        let compression = rod.leaving(mu, 0.0);
        let poisson = rod.pressed(mu, (1.0 + e) * compression[0]);
        let newton = rod.leaving(mu, -e * rod.u[0]);
        let end = rod.after(poisson[0], poisson[1]);
        if end[0] < 0.0 {
            // Friction that lets go pulls the end down again: another impulse beyond the least is needed, not covered by these formulas.
            continue;
        }
        for (rule, expected) in RULES.into_iter().zip([newton, poisson]) {
            for law in [Law::Coulomb, Law::Polyhedral] {
                let solution = solve(&rod.problem(mu, e, rule), law);
                let name = format!("problem {k}, {rule:?}, {law:?}: {rod:?}, mu {mu}, e {e}");
                let size = 10.0 * expected[0].abs().max(1.0);
                near(&name, solution.normal_impulse[0], expected[0], size);
                near(&name, solution.friction_impulse[0][0], expected[1], size);
            }
        }
        apart += usize::from((poisson[0] - newton[0]).abs() > 1e-6);
        let sticks = |p: [f64; 2]| p[1].abs() < mu * p[0] * (1.0 - 1e-9);
        changed += usize::from(sticks(compression) != sticks(poisson));
    }
    assert!(apart > 20 && changed > 5, "{apart} {changed}");
}

/// A verdict on a bounce is one on the compression and on the whole.
#[test]
fn the_judge_refuses_other_friction_and_other_compressions() {
    let problem = point_mass(0.3, 1.0, Restitution::Poisson);
    let solution = solve(&problem, Law::Coulomb);
    let compression = solution.compression.clone().unwrap();
    near("compression", compression.normal_impulse[0], 3.0, 3.0);
    let terms = Terms {
        law: Law::Coulomb,
        directions: 8,
        tolerance: 1e-10,
    };
    let judge = |theta_c: f64, f_c: f64, theta: f64, f: f64| {
        let (n, m) = ([theta_c], [theta]);
        let (x, y) = ([[f_c, 0.0]], [[f, 0.0]]);
        let of = |normal, friction| Answer {
            normal,
            friction,
            phi: None,
            joint: &[],
        };
        check_bounce(&problem, terms, None, of(&n, &x), of(&m, &y)).unwrap()
    };
    assert!(judge(3.0, -0.9, 6.0, -1.8).solved);
    let old = judge(3.0, -0.9, 6.0, -0.9);
    assert!(
        !old.solved && (old.residual.dissipation - 0.9 / 6.0).abs() < 1e-12,
        "{old:?}"
    );
    assert!(judge(3.0, -0.9, 6.0, -1.9).residual.cone > 0.01);
    assert!(judge(3.0, -0.9, 6.1, -1.83).residual.complementarity > 0.01);
    assert!(judge(3.0, -0.9, 5.0, -1.5).residual.sign > 0.01);
    // A compression that presses less would let the ball leave with less.
    assert!(!judge(2.5, -0.75, 5.0, -1.5).solved);
    let least = least_impulses(&problem, Law::Coulomb, compression_of(&compression)).unwrap();
    near("least", least[0], 6.0, 6.0);
}

/// Kinetic energy ½vᵀ𝓜v.
fn energy(problem: &ContactProblem, v: &[f64]) -> f64 {
    let mut sum = 0.0;
    for block in 0..problem.block_count() {
        let (range, mass) = (problem.block_range(block), problem.mass(block));
        let v = &v[range];
        for (row, x) in mass.chunks_exact(v.len()).zip(v) {
            sum += 0.5 * x * row.iter().zip(v).map(|(m, y)| m * y).sum::<f64>();
        }
    }
    sum
}

/// The conditions of a bounce, from the numbers alone.
fn check_whole(name: &str, problem: &ContactProblem, law: Law, solution: &ContactSolution) {
    let whole = solution;
    let own = Compression {
        normal_impulse: whole.normal_impulse.clone(),
        friction_impulse: whole.friction_impulse.clone(),
        joint_impulse: whole.joint_impulse.clone(),
        ..Compression::default()
    };
    let compression = whole.compression.as_ref().unwrap_or(&own);
    for i in 0..problem.contact_count() {
        let (theta, [x, y]) = (whole.normal_impulse[i], whole.friction_impulse[i]);
        let size = 1.0 + theta;
        if law != Law::NoSlip {
            let mu = if law == Law::Frictionless { 0.0 } else { problem.mu(i) };
            assert!(
                x.hypot(y) <= mu * theta + 1e-8 * size,
                "{name}: contact {i} leaves its cone"
            );
        }
        let least = if whole.compression.is_some() {
            (1.0 + problem.restitution(i)) * compression.normal_impulse[i]
        } else {
            0.0
        };
        assert!(
            theta >= least - 1e-8 * size,
            "{name}: contact {i}: {theta} below {least}"
        );
        let [nu, ux, uy] = whole.contact_velocity[i];
        assert!(nu > -1e-8 && nu.min(theta - least) < 1e-8 * size, "{name}: contact {i}");
        let slip = ux.hypot(uy);
        if slip > 1e-6 && law == Law::Coulomb {
            let off = (x + problem.mu(i) * theta * ux / slip).hypot(y + problem.mu(i) * theta * uy / slip);
            assert!(
                off * slip < 1e-7 * size,
                "{name}: contact {i}: friction is off by {off}"
            );
        }
    }
    let terms = Terms {
        law,
        directions: 8,
        tolerance: 1e-10,
    };
    let verdict = check_bounce(problem, terms, None, compression_of(compression), answer_of(whole)).unwrap();
    assert!(whole.compression.is_none() || verdict.solved, "{name}: {verdict:?}");
}

/// Piles that meet with one coefficient of restitution: the whole impulse is in the cone, and no energy is gained.
#[test]
fn whole_impulses_lie_in_the_cone_and_bring_no_energy() {
    let mut random = Random::new(2022);
    let (mut count, mut solved, mut bounced, mut lost) = (0, 0, 0, 0);
    for k in 0..400 {
        let family = Family {
            dim: [3, 6][k % 2],
            most_bodies: 4,
            most_contacts: 12,
            most_mu: [0.6, 1.5][k / 2 % 2],
            dynamic: 0.0,
            most_joints: [0, 3][k / 4 % 2],
        };
        let mut problem = random::problem(&mut random, family);
        let e = [0.0, 0.25, 0.5, 1.0][k / 8 % 4];
        for i in 0..problem.contact_count() {
            problem.set_restitution(i, e).unwrap();
        }
        for law in [Law::Coulomb, Law::Polyhedral, Law::NoSlip, Law::Frictionless] {
            count += 1;
            let mut solver = ContactSolver::new(Options {
                law,
                ..Options::default()
            })
            .unwrap();
            let solution = solver.solve(&problem).unwrap();
            if solution.status != Status::Solved {
                continue;
            }
            solved += 1;
            bounced += usize::from(solution.compression.is_some());
            let name = format!("problem {k}, {law:?}, e = {e}");
            check_whole(&name, &problem, law, solution);
            let (before, after) = (energy(&problem, problem.v_free()), energy(&problem, &solution.velocity));
            assert!(
                after <= before * (1.0 + 1e-9),
                "{name}: {before} J before, {after} J after"
            );
            lost += usize::from(after < 0.999 * before);
        }
    }
    assert!(solved >= count - 16, "{solved} of {count}");
    assert!(bounced > 500 && lost > 500, "{bounced} {lost}");
}

/// With different coefficients the share that is given back is limited, so that energy does not grow either.
#[test]
fn different_coefficients_bring_no_energy() {
    let mut random = Random::new(99);
    let mut limited = 0;
    for k in 0..300 {
        let family = Family {
            dim: [3, 6][k % 2],
            most_bodies: 3,
            most_contacts: 8,
            most_mu: 1.0,
            dynamic: 0.0,
            most_joints: [0, 2][k / 2 % 2],
        };
        let mut problem = random::problem(&mut random, family);
        for i in 0..problem.contact_count() {
            problem.set_restitution(i, [0.0, 1.0][random.below(2)]).unwrap();
        }
        let mut solver = ContactSolver::new(Options::default()).unwrap();
        let solution = solver.solve(&problem).unwrap();
        let Some(compression) = solution
            .compression
            .clone()
            .filter(|_| solution.status == Status::Solved)
        else {
            continue;
        };
        let (before, after) = (energy(&problem, problem.v_free()), energy(&problem, &solution.velocity));
        assert!(
            after <= before * (1.0 + 1e-9),
            "problem {k}: {before} J before, {after} J after"
        );
        let least = least_impulses(&problem, Law::Coulomb, compression_of(&compression)).unwrap();
        let full = |i: usize| (1.0 + problem.restitution(i)) * compression.normal_impulse[i];
        limited += usize::from((0..least.len()).any(|i| least[i] < full(i) * (1.0 - 1e-9)));
    }
    assert!(limited > 3, "{limited}");
}
