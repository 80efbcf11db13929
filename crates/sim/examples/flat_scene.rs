//! Steps a scene given as flat text and writes states and the time of every step, for comparisons with other engines
//! (`bench/scene_peers.py`).
//!
//! `flat_scene SCENE.txt CONFIG DT BUDGET_S OUT.txt`. The scene: name, gravity, `friction plane duration sample_dt`, number of bodies;
//! then for each body mass (0: fixed), three moments of inertia, position, quaternion w x y z, velocity, spin, `0` or `1 axis force` for
//! a body that slides along an axis, and `box hx hy hz`, `sphere r` or `hull n x y z …`. Out: lines `S t (13 numbers a body)`, `T` step times in
//! seconds, `P` stage shares, `X` status.
// Counts of steps are small numbers, read as such.
#![allow(clippy::print_stderr, clippy::cast_possible_truncation, clippy::cast_sign_loss)]

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use stiction_sim::body::{Body, Kind, Material};
use stiction_sim::joint::{Joint, JointKind};
use stiction_sim::shape::{Polytope, Shape};
use stiction_sim::state::BodyState;
use stiction_sim::{Mat3, Pose, Quat, Settings, Vec3, World, Wrench};

type Problem = Box<dyn std::error::Error>;

/// Numbers and words of the text, one after the other.
struct Words<'a>(std::str::SplitWhitespace<'a>);

impl<'a> Words<'a> {
    fn word(&mut self) -> Result<&'a str, Problem> {
        Ok(self.0.next().ok_or("the scene ends early")?)
    }

    fn number(&mut self) -> Result<f64, Problem> {
        let word = self.word()?;
        word.parse()
            .map_err(|_| format!("expected a number, found {word}").into())
    }

    fn count(&mut self) -> Result<usize, Problem> {
        let word = self.word()?;
        word.parse()
            .map_err(|_| format!("expected a count, found {word}").into())
    }

    fn vector(&mut self) -> Result<Vec3, Problem> {
        Ok(Vec3::new(self.number()?, self.number()?, self.number()?))
    }

    fn shape(&mut self) -> Result<Shape, Problem> {
        Ok(match self.word()? {
            "box" => Shape::cuboid(self.vector()?),
            "sphere" => Shape::Ball { radius: self.number()? },
            "hull" => {
                let points = (0..self.count()?)
                    .map(|_| self.vector())
                    .collect::<Result<Vec<_>, _>>()?;
                Shape::Polytope(Arc::new(Polytope::hull(&points)?))
            }
            other => return Err(format!("unknown shape {other}").into()),
        })
    }
}

struct Scene {
    world: World,
    duration: f64,
    sample_dt: f64,
    bodies: Vec<usize>,
}

fn fixed(name: &str, shape: Shape, material: Material) -> Body {
    Body {
        name: name.to_owned(),
        kind: Kind::Fixed,
        shape,
        material,
        groups: u32::MAX,
        origin_body: Vec3::zeros(),
    }
}

fn read(text: &str, dt: f64) -> Result<Scene, Problem> {
    let mut words = Words(text.split_whitespace());
    words.word()?;
    let gravity = words.vector()?;
    let material = Material {
        friction: words.number()?,
        ..Material::default()
    };
    let plane = words.count()? != 0;
    let (duration, sample_dt, count) = (words.number()?, words.number()?, words.count()?);
    let mut world = World::new(Settings {
        gravity,
        dt,
        ..Settings::default()
    })?;
    let normal = Vec3::z();
    // Without a plane the ground lies out of the way, and joints have a body to hold on to.
    let depth = if plane { 0.0 } else { -1e3 };
    let state = BodyState {
        pose: Pose {
            position: depth * normal,
            rotation: Quat::identity(),
        },
        ..BodyState::default()
    };
    let ground = world.add_body(fixed("ground", Shape::HalfSpace { normal }, material), state)?;
    let mut bodies = Vec::new();
    for i in 0..count {
        bodies.push(read_body(&mut words, &mut world, (i, ground), material)?);
    }
    Ok(Scene {
        world,
        duration,
        sample_dt,
        bodies,
    })
}

fn read_body(
    words: &mut Words<'_>,
    world: &mut World,
    (i, ground): (usize, usize),
    material: Material,
) -> Result<usize, Problem> {
    let mass = words.number()?;
    let inertia_body = Mat3::from_diagonal(&words.vector()?);
    let position = words.vector()?;
    let rotation = Quat::new_normalize(nalgebra::Quaternion::new(
        words.number()?,
        words.number()?,
        words.number()?,
        words.number()?,
    ));
    let (velocity, spin) = (words.vector()?, words.vector()?);
    let slider = match words.count()? {
        0 => None,
        _ => Some((words.vector()?, words.number()?)),
    };
    let mut body = fixed(&format!("b{i}"), words.shape()?, material);
    if mass > 0.0 {
        body.kind = Kind::Dynamic { mass, inertia_body };
    }
    let pose = Pose { position, rotation };
    let index = world.add_body(body, BodyState { pose, velocity, spin })?;
    if let Some((axis, force)) = slider {
        let turn = Quat::rotation_between(&Vec3::z(), &axis).unwrap_or_else(Quat::identity);
        let ground_pose = world.state().bodies[ground].pose;
        world.add_joint(Joint {
            name: format!("slider{i}"),
            a: index,
            b: ground,
            kind: JointKind::Prismatic,
            frame_a: Pose {
                position: Vec3::zeros(),
                rotation: rotation.inverse() * turn,
            },
            frame_b: Pose {
                position: position - ground_pose.position,
                rotation: turn,
            },
            limits: None,
            motor: None,
            friction: 0.0,
        })?;
        world.apply(
            index,
            Wrench {
                force: force * axis,
                torque: Vec3::zeros(),
            },
        )?;
    }
    Ok(index)
}

fn sample(scene: &Scene, out: &mut String) -> std::fmt::Result {
    let state = scene.world.state();
    write!(out, "S {}", state.time)?;
    for s in scene.bodies.iter().map(|i| &state.bodies[*i]) {
        let (x, q) = (s.pose.position, s.pose.rotation);
        let numbers = [x.x, x.y, x.z, q.w, q.i, q.j, q.k];
        let motion = s.velocity.iter().chain(&s.spin);
        for x in numbers.iter().chain(motion) {
            write!(out, " {x}")?;
        }
    }
    out.push('\n');
    Ok(())
}

fn run(arguments: &[String]) -> Result<(), Problem> {
    let [_, path, _, dt, budget, out_path] = arguments else {
        return Err("usage: flat_scene SCENE.txt CONFIG DT BUDGET_S OUT.txt".into());
    };
    let (dt, budget): (f64, f64) = (dt.parse()?, budget.parse()?);
    let mut scene = read(&std::fs::read_to_string(path)?, dt)?;
    let steps = (scene.duration / dt).round() as usize;
    let every = ((scene.sample_dt / dt).round() as usize).max(1);
    let (mut out, mut status) = (String::new(), "ok".to_owned());
    let mut times = Vec::with_capacity(steps);
    let begin = Instant::now();
    sample(&scene, &mut out)?;
    for k in 1..=steps {
        let start = Instant::now();
        if let Err(error) = scene.world.step() {
            status = format!("error: {error}");
            break;
        }
        times.push(start.elapsed().as_secs_f64());
        if k == steps / 2 {
            scene.world.time_stages();
        }
        if k % every == 0 || k == steps {
            sample(&scene, &mut out)?;
        }
        if begin.elapsed().as_secs_f64() > budget {
            "budget".clone_into(&mut status);
            break;
        }
    }
    out.push('T');
    for t in &times {
        write!(out, " {t:e}")?;
    }
    let stages = scene.world.stage_times();
    let whole = stages.total().as_secs_f64();
    let share = |t: std::time::Duration| t.as_secs_f64() / whole.max(1e-12);
    writeln!(
        out,
        "\nP collision {:.3} problem {:.3} solve {:.3} integrate {:.3} newton {} pivots {}\nX {status}",
        share(stages.collision),
        share(stages.problem),
        share(stages.solve),
        share(stages.integrate),
        scene.world.solution().stats.newton_steps,
        scene.world.solution().stats.pivots,
    )?;
    std::fs::write(out_path, out)?;
    Ok(())
}

fn main() -> std::process::ExitCode {
    match run(&std::env::args().collect::<Vec<_>>()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("flat_scene: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}
