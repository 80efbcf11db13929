//! Bounces with friction in scenes: what restitution gave back had no friction, so that a ball which arrives with (8, −3) m/s at μ = 0.3 and e = 1 left
//! with 7.1 m/s along the floor, where Coulomb's law gives 6.2. And the law of Coulomb's plus viscous friction, of which each scene had one part only.
#![allow(clippy::unwrap_used)]

use stiction_scene::{Scene, WorldExt};
use stiction_sim::{SimError, World};

const COEFFICIENTS: [f64; 4] = [0.0, 0.25, 0.5, 1.0];
const RULES: [&str; 2] = ["newton", "poisson"];
const RADIUS: f64 = 0.1;

fn world(text: &str) -> World {
    let scene = Scene::parse(text, std::env::temp_dir()).unwrap_or_else(|error| panic!("{error}"));
    World::from_scene(&scene).unwrap()
}

/// What happens to a ball or disc.
#[derive(Debug, Clone, Copy)]
struct Case {
    name: &'static str,
    mu: f64,
    /// Along the floor, and towards it.
    velocity: [f64; 2],
    spin: f64,
}

/// Spins are about the axis that rolls forwards for positive values: u = v − ωR.
const CASES: [Case; 4] = [
    Case {
        name: "sliding",
        mu: 0.3,
        velocity: [8.0, 3.0],
        spin: 0.0,
    },
    Case {
        name: "sticking",
        mu: 0.9,
        velocity: [1.0, 3.0],
        spin: 0.0,
    },
    Case {
        name: "spin reversing",
        mu: 5.0,
        velocity: [4.0, 3.0],
        spin: -30.0,
    },
    Case {
        name: "coming back",
        mu: 5.0,
        velocity: [2.0, 3.0],
        spin: -60.0,
    },
];

impl Case {
    /// Velocity along the floor, away from it, and spin; `k` is the inertia over mR².
    fn after(&self, k: f64, e: f64) -> [f64; 3] {
        let [along, arrives] = self.velocity;
        let slip = along - self.spin * RADIUS;
        let stop = slip / (1.0 + 1.0 / k);
        let most = self.mu * (1.0 + e) * arrives;
        let f = stop.clamp(-most, most);
        [along - f, e * arrives, self.spin + f / (k * RADIUS)]
    }
}

fn near(name: &str, found: f64, expected: f64, size: f64) {
    let off = (found - expected).abs();
    assert!(off <= 1e-12 * size, "{name}: found {found}, expected {expected}");
}

/// A ball that touches a floor, or a disc that touches a line, when it arrives.
fn bounce(case: Case, e: f64, rule: &str, planar: bool, stepper: &str) -> World {
    let Case { mu, velocity, spin, .. } = case;
    let [along, arrives] = velocity;
    let height = RADIUS;
    let (floor, ball) = if planar {
        let ball = format!(
            "shape = {{ disc = {RADIUS} }}\nposition = [0, {height}]\nvelocity = [{along}, -{arrives}]\nspin = {}",
            -spin
        );
        ("half_plane = [0, 1]", ball)
    } else {
        let ball = format!(
            "shape = {{ ball = {RADIUS} }}\nposition = [0, 0, {height}]\nvelocity = [{along}, 0, -{arrives}]\nspin = [0, {spin}, 0]"
        );
        ("half_space = [0, 0, 1]", ball)
    };
    let gravity = if planar { "[0, 0]" } else { "[0, 0, 0]" };
    world(&format!(
        "format = 1\n[world]\nplanar = {planar}\ngravity = {gravity}\ndt = 0.001\nstepper = \"{stepper}\"\nrestitution_rule = \"{rule}\"\n\
         [[material]]\nname = \"rubber\"\nfriction = {mu}\nrestitution = {e}\n\
         [[body]]\nname = \"floor\"\nshape = {{ {floor} }}\nmaterial = \"rubber\"\n\
         [[body]]\nname = \"ball\"\nmass = 0.7\nmaterial = \"rubber\"\n{ball}\n"
    ))
}

#[test]
fn a_ball_leaves_as_the_closed_form_says() {
    for case in CASES {
        for e in COEFFICIENTS {
            for rule in RULES {
                for planar in [true, false] {
                    for stepper in ["stewart-trinkle", "anitescu-potra", "acceleration"] {
                        let mut world = bounce(case, e, rule, planar, stepper);
                        world.step().unwrap();
                        let name = format!("{}, e = {e}, {rule}, planar {planar}, {stepper}", case.name);
                        let state = &world.state().bodies[1];
                        let [along, away, spin] = case.after(if planar { 0.5 } else { 0.4 }, e);
                        let (up, turn) = if planar {
                            (state.velocity.y, -state.spin.z)
                        } else {
                            (state.velocity.z, state.spin.y)
                        };
                        near(&name, state.velocity.x, along, 8.0);
                        near(&name, up, away, 8.0);
                        near(&name, turn, spin, 80.0);
                    }
                }
            }
        }
    }
}

/// Balls in a row that touch are hit at once: (−(n − 2)/n, 2/n, …, 2/n). With gaps each hit is one of its own: the last ball leaves.
#[test]
fn cradles_follow_both_rules() {
    for rule in RULES {
        for gap in [0.0, 0.0123] {
            let n = 3;
            let balls: Vec<String> = (0..n)
                .map(|i| {
                    let x = f64::from(i) * (2.0 * RADIUS + gap);
                    let v = if i == 0 { "velocity = [1, 0, 0]\n" } else { "" };
                    format!("[[body]]\nshape = {{ ball = {RADIUS} }}\nmass = 1\nposition = [{x}, 0, 0]\nmaterial = \"steel\"\n{v}")
                })
                .collect();
            let mut world = world(&format!(
                "format = 1\n[world]\ngravity = [0, 0, 0]\nrestitution_rule = \"{rule}\"\n\
                 [[material]]\nname = \"steel\"\nfriction = 0\nrestitution = 1\n{}",
                balls.concat()
            ));
            for _ in 0..if gap > 0.0 { 100 } else { 1 } {
                world.step().unwrap();
            }
            let expected = if gap > 0.0 {
                [0.0, 0.0, 1.0]
            } else {
                [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]
            };
            for (body, v) in world.state().bodies.iter().zip(expected) {
                near(&format!("{rule}, gap {gap}"), body.velocity.x, v, 1.0);
            }
        }
    }
}

/// A box that tumbles with friction and restitution does not gain energy after Poisson.
#[test]
fn tumbling_boxes_gain_no_energy() {
    for e in [0.5, 1.0] {
        let mut world = world(&format!(
            "format = 1\n[world]\nduration = 2\n\
             [[material]]\nname = \"rubber\"\nfriction = 0.6\nrestitution = {e}\n\
             [[body]]\nshape = {{ half_space = [0, 0, 1] }}\nmaterial = \"rubber\"\n\
             [[body]]\nshape = {{ box = [0.3, 0.2, 0.1] }}\nmass = 1\nposition = [0, 0, 0.5]\nvelocity = [2, 0.5, -1]\nspin = [3, -7, 5]\n\
             orientation = {{ axis = [1, 2, 3], degrees = 40 }}\nmaterial = \"rubber\"\n"
        ));
        let total = |world: &World| {
            let (body, state) = (&world.bodies()[1], &world.state().bodies[1]);
            stiction_sim::energy::kinetic(body, state)
                + stiction_sim::energy::potential(body, state, &world.settings().gravity)
        };
        let first = total(&world);
        for _ in 0..2000 {
            let before = total(&world);
            world.step().unwrap();
            let after = total(&world);
            // Free spin is integrated to second order.
            assert!(
                after <= before + 1e-6 * first,
                "e = {e}, {} s: {before} J, {after} J",
                world.state().time
            );
        }
        assert!(total(&world) < first);
    }
}

#[test]
fn another_rule_is_refused() {
    let text = "format = 1\n[world]\nrestitution_rule = \"stronge\"\n";
    let error = Scene::parse(text, std::env::temp_dir()).unwrap_err().to_string();
    assert!(
        error.contains("world.restitution_rule: must be one of newton, poisson, found \"stronge\""),
        "{error}"
    );
}

/// v₁ = (v₀ − μgh)/(1 + ch/m) for a block that slides, both friction coefficients acting.
#[test]
fn a_block_slides_dry_and_wet() {
    let (mu, c, mass, h, g) = (0.3, 5.0, 2.0, 0.01, 9.81);
    let slide = |law: &str, stepper: &str| {
        world(&format!(
            "format = 1\n[world]\ndt = {h}\nlaw = \"{law}\"\nstepper = \"{stepper}\"\n\
             [[material]]\nname = \"oiled\"\nfriction = {mu}\nviscosity = {c}\n\
             [[body]]\nshape = {{ half_space = [0, 0, 1] }}\nmaterial = \"oiled\"\n\
             [[body]]\nshape = {{ ball = 0.1 }}\nmass = {mass}\ninertia = [1e12, 1e12, 1e12]\nposition = [0, 0, 0.1]\nvelocity = [1, 0, 0]\n\
             material = \"oiled\"\n"
        ))
    };
    let mut implicit = slide("coulomb-viscous", "stewart-trinkle");
    let mut forces = slide("coulomb-viscous", "acceleration");
    let (mut v, mut w) = (1.0_f64, 1.0_f64);
    for step in 0..60 {
        implicit.step().unwrap();
        forces.step().unwrap();
        v = (v - mu * g * h).max(0.0) / (1.0 + c * h / mass);
        near(&format!("step {step}"), implicit.state().bodies[1].velocity.x, v, 10.0);
        let next = w - mu * g * h - c * h / mass * w;
        // The last step ends at rest.
        w = next.max(0.0);
        near(
            &format!("forces, step {step}"),
            forces.state().bodies[1].velocity.x,
            w,
            10.0,
        );
    }
    assert!(v == 0.0 && w == 0.0);
    let mut dry = slide("coulomb", "stewart-trinkle");
    dry.step().unwrap();
    near("dry", dry.state().bodies[1].velocity.x, 1.0 - mu * g * h, 10.0);
}

/// Viscous friction so strong that it would turn the slip round if it were taken from the start of the step.
#[test]
fn much_viscosity_is_stable_at_acceleration_level() {
    let (mu, c, mass, h, g) = (0.1, 1000.0, 2.0, 0.01, 9.81);
    let mut world = world(&format!(
        "format = 1\n[world]\ndt = {h}\nlaw = \"coulomb-viscous\"\nstepper = \"acceleration\"\n\
         [[material]]\nname = \"oiled\"\nfriction = {mu}\nviscosity = {c}\n\
         [[body]]\nshape = {{ half_space = [0, 0, 1] }}\nmaterial = \"oiled\"\n\
         [[body]]\nshape = {{ ball = 0.1 }}\nmass = {mass}\ninertia = [1e12, 1e12, 1e12]\nposition = [0, 0, 0.1]\nvelocity = [1, 0, 0]\n\
         material = \"oiled\"\n"
    ));
    let report = world.step().unwrap();
    assert!(report.impulsive);
    near(
        "implicit",
        world.state().bodies[1].velocity.x,
        (1.0 - mu * g * h) / (1.0 + c * h / mass),
        1.0,
    );
}

#[test]
fn the_acceleration_stepper_names_its_laws() {
    let settings = stiction_sim::Settings {
        law: stiction_contact::Law::Viscous,
        stepper: stiction_sim::Stepper::Acceleration,
        ..stiction_sim::Settings::default()
    };
    let error = World::new(settings).unwrap_err();
    assert!(matches!(error, SimError::Stepper { .. }));
    assert!(error.to_string().contains("coulomb, coulomb-viscous and frictionless"));
}
