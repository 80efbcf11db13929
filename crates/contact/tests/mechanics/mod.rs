//! Scenes of mechanics with closed-form answers, drawn in a plane and solved there or in space, by every method that fits.
//!
//! A scene knows bodies with their free acceleration and contacts with point and normal. In the plane a body has 3 coordinates and a
//! contact no second tangent. In space every contact stands twice, half a unit in front of and behind the plane, the whole is turned by
//! any rotation, and each contact has tangents of its own. Mirrored, an answer in space is an answer again, and cones are convex:
//! the plane's answer is the space's as well.
// Every test file uses its own part of this.
#![allow(dead_code, clippy::unwrap_used)]

pub(crate) mod moving;
pub(crate) mod resting;

use stiction_contact::check::{Answer, Terms, check};
use stiction_contact::{ContactProblem, ContactSolution, ContactSolver, Law, Method, Options, Status};

/// Gravity of the seed cases [m/s²].
pub(crate) const G: f64 = 10.0;
/// Thresholds are met within this.
pub(crate) const NEAR: f64 = 1e-6;
/// What the judge is asked for, from outside as well.
pub(crate) const TOLERANCE: f64 = 1e-10;
/// Half the depth of a body in space.
const DEPTH: f64 = 0.5;

pub(crate) type Rotation = [[f64; 3]; 3];

/// Where a scene is solved.
#[derive(Debug, Clone, Copy)]
pub(crate) enum View {
    Plane,
    Space(Rotation),
}

impl View {
    /// Relative error that is allowed: 1e-12 in the plane, 1e-9 in space.
    pub(crate) fn tolerance(&self) -> f64 {
        match self {
            Self::Plane => 1e-12,
            Self::Space(_) => 1e-9,
        }
    }
}

/// Views in space: as drawn, and turned by any angles.
pub(crate) fn views_in_space() -> [View; 2] {
    let drawn = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    [View::Space(drawn), View::Space(turned(0.4, -1.1, 2.3))]
}

/// R_z(a) R_x(b) R_z(c).
pub(crate) fn turned(a: f64, b: f64, c: f64) -> Rotation {
    let about_z = |x: f64| [[x.cos(), -x.sin(), 0.0], [x.sin(), x.cos(), 0.0], [0.0, 0.0, 1.0]];
    let about_x = [[1.0, 0.0, 0.0], [0.0, b.cos(), -b.sin()], [0.0, b.sin(), b.cos()]];
    product(product(about_z(a), about_x), about_z(c))
}

fn product(a: Rotation, b: Rotation) -> Rotation {
    std::array::from_fn(|r| std::array::from_fn(|c| (0..3).map(|k| a[r][k] * b[k][c]).sum()))
}

pub(crate) fn rotate(rotation: &Rotation, x: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|r| dot(rotation[r], x))
}

fn rotate_back(rotation: &Rotation, x: &[f64]) -> [f64; 3] {
    std::array::from_fn(|c| (0..3).map(|r| rotation[r][c] * x[r]).sum())
}

pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Sine and cosine of an angle with this tangent.
pub(crate) fn sine_cosine(tan: f64) -> (f64, f64) {
    let cos = 1.0 / (1.0 + tan * tan).sqrt();
    (tan * cos, cos)
}

#[derive(Debug, Clone)]
struct Body {
    mass: f64,
    inertia: f64,
    centre: [f64; 2],
    /// Acceleration without contacts: x, y, angle. At velocity level the velocity.
    free: [f64; 3],
}

#[derive(Debug, Clone)]
struct Contact {
    a: usize,
    b: Option<usize>,
    point: [f64; 2],
    normal: [f64; 2],
    mu: f64,
    slip: f64,
    bias: [f64; 2],
}

/// Bodies and contacts in a plane; y is up, angles turn from x to y.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scene {
    bodies: Vec<Body>,
    contacts: Vec<Contact>,
    /// Bodies that can move along x only.
    guided: Vec<usize>,
    /// In space the law has answers that leave the plane's, moving ones where others rest.
    has_other_answers: bool,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn body(&mut self, mass: f64, inertia: f64, centre: [f64; 2], free: [f64; 3]) -> usize {
        self.bodies.push(Body {
            mass,
            inertia,
            centre,
            free,
        });
        self.bodies.len() - 1
    }

    /// A contact at `point` pushes `a` along the normal and `b` against it. The tangent is (n_y, −n_x): along x on a floor.
    pub(crate) fn contact(&mut self, a: usize, b: Option<usize>, point: [f64; 2], normal: [f64; 2], mu: f64) -> usize {
        self.contacts.push(Contact {
            a,
            b,
            point,
            normal,
            mu,
            slip: 0.0,
            bias: [0.0; 2],
        });
        self.contacts.len() - 1
    }

    /// The contact slips at this velocity along its tangent: it is dynamic.
    pub(crate) fn slips(&mut self, contact: usize, slip: f64) {
        self.contacts[contact].slip = slip;
    }

    /// What is added to the acceleration at a contact: J̇v along normal and tangent.
    pub(crate) fn bias(&mut self, contact: usize, bias: [f64; 2]) {
        self.contacts[contact].bias = bias;
    }

    /// Bodies brace each other: in space Coulomb's law has other answers than the plane's. Where friction is nearly used up at every
    /// contact, one side may slide and turn the bodies while the other holds, and the judge accepts it. Dantzig's method takes the
    /// contacts one after the other and finds such answers; from it only an answer that the judge accepts is asked for.
    pub(crate) fn braces(&mut self) {
        self.has_other_answers = true;
    }

    /// The body moves along x only.
    pub(crate) fn guide(&mut self, body: usize) {
        self.guided.push(body);
    }

    pub(crate) fn problem(&self, view: &View) -> ContactProblem {
        match view {
            View::Plane => self.in_plane(),
            View::Space(rotation) => self.in_space(rotation),
        }
    }

    fn in_plane(&self) -> ContactProblem {
        let mut problem = ContactProblem::new();
        for body in &self.bodies {
            let (m, i) = (body.mass, body.inertia);
            problem
                .add_block(&[m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, i], &body.free)
                .unwrap();
        }
        for contact in &self.contacts {
            let [nx, ny] = contact.normal;
            let rows = |body: usize, sign: f64| {
                let r = self.arm(contact.point, body);
                let row = |x: f64, y: f64| vec![sign * x, sign * y, sign * (r[0] * y - r[1] * x)];
                [row(nx, ny), row(ny, -nx), vec![0.0; 3]]
            };
            let index = add_contact(&mut problem, contact, rows);
            let [bn, bt] = contact.bias;
            problem.set_bias(index, [bn, bt, 0.0]).unwrap();
            problem.set_slip(index, [contact.slip, 0.0]).unwrap();
        }
        for body in &self.guided {
            problem.add_joint(&[(*body, &[0.0, 1.0, 0.0])], 0.0).unwrap();
            problem.add_joint(&[(*body, &[0.0, 0.0, 1.0])], 0.0).unwrap();
        }
        problem
    }

    fn in_space(&self, rotation: &Rotation) -> ContactProblem {
        let mut problem = ContactProblem::new();
        for body in &self.bodies {
            problem
                .add_block(&spatial_mass(body, rotation), &spatial(rotation, body.free))
                .unwrap();
        }
        for (i, contact) in self.contacts.iter().enumerate() {
            let [nx, ny] = contact.normal;
            for side in [0, 1] {
                let z = if side == 0 { DEPTH } else { -DEPTH };
                let (cos, sin) = heading(2 * i + side);
                // Along the plane's tangent t and across it: t cos + z sin, z cos − t sin.
                let axes = [[nx, ny, 0.0], [ny * cos, -nx * cos, sin], [-ny * sin, nx * sin, cos]];
                let rows = |body: usize, sign: f64| {
                    let [x, y] = self.arm(contact.point, body);
                    axes.map(|axis| {
                        let force = rotate(rotation, axis);
                        let moment = rotate(rotation, cross([x, y, z], axis));
                        force.iter().chain(&moment).map(|x| sign * x).collect()
                    })
                };
                let index = add_contact(&mut problem, contact, rows);
                let [bn, bt] = contact.bias;
                problem.set_bias(index, [bn, bt * cos, -bt * sin]).unwrap();
                problem
                    .set_slip(index, [contact.slip * cos, -contact.slip * sin])
                    .unwrap();
            }
        }
        for body in &self.guided {
            for k in 1..6 {
                let mut axis = [0.0; 3];
                axis[k % 3] = 1.0;
                let mut row = [0.0; 6];
                let at = 3 * (k / 3);
                row[at..at + 3].copy_from_slice(&rotate(rotation, axis));
                problem.add_joint(&[(*body, &row)], 0.0).unwrap();
            }
        }
        problem
    }

    fn arm(&self, point: [f64; 2], body: usize) -> [f64; 2] {
        let centre = self.bodies[body].centre;
        [point[0] - centre[0], point[1] - centre[1]]
    }

    /// Largest acceleration without contacts, g at least.
    fn size(&self) -> f64 {
        self.bodies.iter().flat_map(|b| b.free).fold(G, |m, x| m.max(x.abs()))
    }

    fn is_static(&self) -> bool {
        self.contacts.iter().all(|c| c.slip == 0.0)
    }

    /// The plane's figures of an answer.
    pub(crate) fn read(&self, view: &View, solution: &ContactSolution) -> Found {
        let rotation = match view {
            View::Plane => {
                return Found {
                    acceleration: solution.velocity.chunks(3).map(|a| [a[0], a[1], a[2]]).collect(),
                    normal: solution.normal_impulse.clone(),
                    friction: solution.friction_impulse.iter().map(|f| f[0]).collect(),
                    across: 0.0,
                };
            }
            View::Space(rotation) => rotation,
        };
        let mut found = Found::default();
        for a in solution.velocity.chunks(6) {
            let ([x, y, z], [p, q, angle]) = (rotate_back(rotation, &a[..3]), rotate_back(rotation, &a[3..]));
            found.acceleration.push([x, y, angle]);
            found.across = [z, p, q].iter().fold(found.across, |m, x| m.max(x.abs()));
        }
        for i in 0..self.contacts.len() {
            let pair = [2 * i, 2 * i + 1];
            found
                .normal
                .push(pair.iter().map(|j| solution.normal_impulse[*j]).sum());
            let along = |j: &usize| {
                let (cos, sin) = heading(*j);
                let f = solution.friction_impulse[*j];
                f[0] * cos - f[1] * sin
            };
            found.friction.push(pair.iter().map(along).sum());
        }
        found
    }
}

/// Each contact in space has tangents of its own.
fn heading(contact: usize) -> (f64, f64) {
    let angle = 0.7 * (contact as f64 + 1.0);
    (angle.cos(), angle.sin())
}

fn add_contact(problem: &mut ContactProblem, contact: &Contact, rows: impl Fn(usize, f64) -> [Vec<f64>; 3]) -> usize {
    let mut parts = vec![(contact.a, rows(contact.a, 1.0))];
    parts.extend(contact.b.map(|b| (b, rows(b, -1.0))));
    let parts: Vec<(usize, [&[f64]; 3])> = parts
        .iter()
        .map(|(body, [n, t, s])| (*body, [&n[..], &t[..], &s[..]]))
        .collect();
    problem.add_contact(&parts, contact.mu).unwrap()
}

/// Linear and angular acceleration in space.
fn spatial(rotation: &Rotation, [x, y, angle]: [f64; 3]) -> [f64; 6] {
    let (a, alpha) = (rotate(rotation, [x, y, 0.0]), rotate(rotation, [0.0, 0.0, angle]));
    [a[0], a[1], a[2], alpha[0], alpha[1], alpha[2]]
}

/// Mass and turned inertia diag(3/4, 3/4, 1) I: only the last acts in the plane.
fn spatial_mass(body: &Body, rotation: &Rotation) -> Vec<f64> {
    let principal = [0.75 * body.inertia, 0.75 * body.inertia, body.inertia];
    let mut mass = vec![0.0; 36];
    for r in 0..3 {
        mass[7 * r] = body.mass;
        for c in 0..=r {
            let inertia = (0..3).map(|k| rotation[r][k] * principal[k] * rotation[c][k]).sum();
            mass[6 * (r + 3) + c + 3] = inertia;
            mass[6 * (c + 3) + r + 3] = inertia;
        }
    }
    mass
}

/// An answer, read in the plane.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    /// Of each body: x, y, angle.
    pub(crate) acceleration: Vec<[f64; 3]>,
    /// Force of each contact along its normal and its tangent; in space of both together.
    pub(crate) normal: Vec<f64>,
    pub(crate) friction: Vec<f64>,
    /// Largest acceleration out of the plane.
    pub(crate) across: f64,
}

impl Found {
    /// Largest acceleration of any body.
    pub(crate) fn fastest(&self) -> f64 {
        self.acceleration.iter().flatten().fold(0.0, |m, x| m.max(x.abs()))
    }

    pub(crate) fn total(&self) -> f64 {
        self.normal.iter().sum()
    }
}

/// A law and a method; `None` is the choice of the library.
pub(crate) type Way = (Law, Option<Method>);

/// Ways to solve a problem. Without slip the law at acceleration level is that at velocity level; in the plane the polygon is exact.
pub(crate) fn ways(is_static: bool, is_plane: bool) -> Vec<Way> {
    let mut ways = vec![
        (Law::CoulombAcceleration, None),
        (Law::CoulombAcceleration, Some(Method::Dantzig)),
        (Law::CoulombAcceleration, Some(Method::NewtonCone)),
    ];
    if is_static {
        ways.push((Law::Coulomb, None));
        ways.push((Law::Coulomb, Some(Method::Dantzig)));
        ways.push((Law::Coulomb, Some(Method::NewtonCone)));
    }
    if is_plane {
        // With one tangent friction has no choice of direction.
        ways.push((Law::CoulombAccelerationAsPublished, None));
        ways.push((Law::CoulombAccelerationAsPublished, Some(Method::Dantzig)));
    }
    if is_static && is_plane {
        ways.push((Law::Polyhedral, None));
        ways.push((Law::Polyhedral, Some(Method::LemkeReduced)));
        ways.push((Law::Polyhedral, Some(Method::LemkeStructural)));
        ways.push((Law::Polyhedral, Some(Method::LemkeStandard)));
    }
    ways
}

pub(crate) fn solve(problem: &ContactProblem, (law, method): Way) -> ContactSolution {
    let options = Options {
        law,
        method,
        directions: 4,
        tolerance: TOLERANCE,
        ..Options::default()
    };
    ContactSolver::new(options).unwrap().solve(problem).unwrap().clone()
}

/// What the judge says of an answer, asked from outside.
pub(crate) fn is_accepted(problem: &ContactProblem, solution: &ContactSolution) -> bool {
    let answer = Answer {
        normal: &solution.normal_impulse,
        friction: &solution.friction_impulse,
        phi: None,
        joint: &solution.joint_impulse,
    };
    let terms = Terms {
        law: solution.law,
        directions: 4,
        tolerance: TOLERANCE,
    };
    check(problem, terms, answer).unwrap().solved
}

/// Solves a scene in every way that fits but those of some methods; each answer must be solved and accepted by the judge.
fn for_each_way(what: &str, scene: &Scene, view: &View, except: &[Method], mut look: impl FnMut(&str, Way, &Found)) {
    let problem = scene.problem(view);
    for (law, method) in ways(scene.is_static(), matches!(view, View::Plane)) {
        if method.is_some_and(|method| except.contains(&method)) {
            continue;
        }
        let solution = solve(&problem, (law, method));
        let name = format!("{what}, {}, {}", law.name(), method.map_or("auto", Method::name));
        assert_eq!(solution.status, Status::Solved, "{name}: {:?}", solution.residual);
        assert!(is_accepted(&problem, &solution), "{name}");
        look(&name, (law, method), &scene.read(view, &solution));
    }
}

/// Looks at the plane's answer of every way that fits: those of [`for_each_way`] that stay in the plane.
pub(crate) fn for_each_answer(what: &str, scene: &Scene, view: &View, look: impl FnMut(&str, &Found)) {
    for_each_answer_but(&[], what, scene, view, look);
}

/// The same without some methods, named where it is called and why.
pub(crate) fn for_each_answer_but(
    except: &[Method],
    what: &str,
    scene: &Scene,
    view: &View,
    mut look: impl FnMut(&str, &Found),
) {
    for_each_way(what, scene, view, except, |name, (_, method), found| {
        let is_in_space = matches!(view, View::Space(_));
        if is_in_space && scene.has_other_answers && method == Some(Method::Dantzig) {
            return;
        }
        let allowed = view.tolerance() * G;
        assert!(found.across <= allowed, "{name}: {} out of the plane", found.across);
        look(name, found);
    });
}

/// Nothing accelerates, as measured by gravity or what else drives it.
pub(crate) fn holds(what: &str, scene: &Scene, view: &View) {
    for_each_answer(what, scene, view, |name, found| {
        let fastest = found.fastest();
        assert!(
            fastest <= view.tolerance() * scene.size(),
            "{name}: moves at {fastest:e}"
        );
    });
}

/// Something accelerates by this much at least: without an equilibrium, in every answer.
pub(crate) fn moves(what: &str, scene: &Scene, view: &View, least: f64) {
    for_each_way(what, scene, view, &[], |name, _, found| {
        let fastest = found.fastest();
        assert!(fastest >= least, "{name}: holds, {fastest:e}");
    });
}

/// Just inside its limit (`scene(−1e-6)`) it holds, just outside (`scene(1e-6)`) it moves.
pub(crate) fn bracket(what: &str, view: &View, least: f64, scene: impl Fn(f64) -> Scene) {
    holds(&format!("{what}, inside"), &scene(-NEAR), view);
    moves(&format!("{what}, outside"), &scene(NEAR), view, least);
}

/// Equal within the view's tolerance of a size.
pub(crate) fn assert_near(name: &str, view: &View, found: f64, expected: f64, size: f64) {
    let error = (found - expected).abs() / size;
    assert!(
        error <= view.tolerance(),
        "{name}: {found}, expected {expected}, off by {error:e}"
    );
}
