//! `piles-rapier SCENE.txt default|best DT BUDGET OUT.csv`: steps a scene in Rapier and writes one line a step, for `bench/piles_peers.py`.
//!
//! Columns: processor time of the step [s], contacts, then as `pile_steps` where Rapier has them: deepest overlap [m]. `default` are Rapier's own settings; `best` are its
//! most faithful ones: 20 substeps of 4 iterations, friction in every pass, stiff contacts, no reuse of manifolds.

use std::error::Error;
use std::io::Write;
use std::str::SplitWhitespace;

use rapier3d_f64::prelude::*;
use rustix::time::{ClockId, clock_gettime};

/// Processor time of this process [s].
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Peak memory of this process [kB], where the system says it.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

/// Words of a scene file.
struct Words<'a>(SplitWhitespace<'a>);

impl<'a> Words<'a> {
    fn word(&mut self) -> Result<&'a str, Box<dyn Error>> {
        self.0.next().ok_or_else(|| "the scene ends too early".into())
    }

    fn number(&mut self) -> Result<f64, Box<dyn Error>> {
        Ok(self.word()?.parse()?)
    }

    fn count(&mut self) -> Result<usize, Box<dyn Error>> {
        Ok(self.word()?.parse()?)
    }

    fn vector(&mut self) -> Result<Vector, Box<dyn Error>> {
        Ok(Vector::new(self.number()?, self.number()?, self.number()?))
    }

    fn shape(&mut self) -> Result<ColliderBuilder, Box<dyn Error>> {
        Ok(match self.word()? {
            "box" => {
                let half = self.vector()?;
                ColliderBuilder::cuboid(half.x, half.y, half.z)
            }
            "ball" => ColliderBuilder::ball(self.number()?),
            "capsule" => {
                let (radius, length) = (self.number()?, self.number()?);
                ColliderBuilder::capsule_z(length / 2.0, radius)
            }
            "cylinder" => {
                let (radius, height) = (self.number()?, self.number()?);
                // Rapier's cylinders stand along y.
                let turn = Rotation::from_xyzw(0.5_f64.sqrt(), 0.0, 0.0, 0.5_f64.sqrt());
                ColliderBuilder::cylinder(height / 2.0, radius).position(Pose::from_parts(Vector::ZERO, turn))
            }
            other => return Err(format!("unknown shape {other}").into()),
        })
    }
}

/// The world and what moves in it.
struct World {
    parameters: IntegrationParameters,
    gravity: Vector,
    steps: usize,
    pipeline: PhysicsPipeline,
    islands: IslandManager,
    broad: BroadPhaseBvh,
    narrow: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    joints: ImpulseJointSet,
    multibodies: MultibodyJointSet,
    soft: SoftBodySet,
    ccd: CCDSolver,
    handles: Vec<RigidBodyHandle>,
    poses: Vec<Pose>,
    /// Driven bodies: velocity, amplitude and rate of their motion.
    driven: Vec<(RigidBodyHandle, Vector, Vector, f64)>,
}

fn parameters(dt: f64, best: bool) -> IntegrationParameters {
    let mut p = IntegrationParameters {
        dt,
        ..Default::default()
    };
    if best {
        p.friction_in_bias_pass = true;
        p.num_solver_iterations = 20;
        p.num_internal_pgs_iterations = 4;
        let spring = SpringCoefficients::new(0.25 / dt * p.num_solver_iterations as f64, 1.0);
        p.contact_softness = spring;
        p.static_contact_softness = spring;
        p.contact_recycling = false;
    }
    p
}

impl World {
    fn read(words: &mut Words<'_>, dt: f64, best: bool) -> Result<Self, Box<dyn Error>> {
        let (gravity, friction, has_plane) = (words.vector()?, words.number()?, words.count()? == 1);
        let (floor_friction, duration, count) = (words.number()?, words.number()?, words.count()?);
        let mut world = Self {
            parameters: parameters(dt, best),
            gravity,
            steps: (duration / dt).round() as usize,
            pipeline: PhysicsPipeline::new(),
            islands: IslandManager::new(),
            broad: BroadPhaseBvh::new(),
            narrow: NarrowPhase::new(),
            bodies: RigidBodySet::new(),
            colliders: ColliderSet::new(),
            joints: ImpulseJointSet::new(),
            multibodies: MultibodyJointSet::new(),
            soft: SoftBodySet::new(),
            ccd: CCDSolver::new(),
            handles: Vec::new(),
            poses: Vec::new(),
            driven: Vec::new(),
        };
        if has_plane {
            let plane = ColliderBuilder::new(SharedShape::halfspace(Vector::new(0.0, 0.0, 1.0)));
            let rule = CoefficientCombineRule::Min;
            world.colliders.insert(
                plane
                    .friction(floor_friction)
                    .friction_combine_rule(rule)
                    .restitution(0.0),
            );
        }
        for _ in 0..count {
            world.read_body(words, friction)?;
        }
        for _ in 0..words.count()? {
            world.read_joint(words)?;
        }
        Ok(world)
    }

    fn read_body(&mut self, words: &mut Words<'_>, friction: f64) -> Result<(), Box<dyn Error>> {
        let kind = words.word()?;
        let (mass, inertia, position) = (words.number()?, words.vector()?, words.vector()?);
        let (w, x, y, z) = (words.number()?, words.number()?, words.number()?, words.number()?);
        let (velocity, spin) = (words.vector()?, words.vector()?);
        let motion = (words.vector()?, words.vector()?, words.number()?);
        let touches = words.count()? == 1;
        let pose = Pose::from_parts(position, Rotation::from_xyzw(x, y, z, w));
        let body = match kind {
            "dynamic" => RigidBodyBuilder::dynamic(),
            "kinematic" => RigidBodyBuilder::kinematic_velocity_based(),
            _ => RigidBodyBuilder::fixed(),
        };
        let mut body = body.pose(pose).linvel(velocity).angvel(spin).can_sleep(false);
        if mass > 0.0 {
            body = body.additional_mass_properties(MassProperties::new(Vector::ZERO, mass, inertia));
        }
        let handle = self.bodies.insert(body.build());
        if kind == "kinematic" {
            self.driven.push((handle, motion.0, motion.1, motion.2));
        }
        let mut shape = words.shape()?.density(0.0).friction(friction).restitution(0.0);
        if !touches {
            shape = shape.collision_groups(InteractionGroups::none());
        }
        self.colliders.insert_with_parent(shape, handle, &mut self.bodies);
        self.handles.push(handle);
        self.poses.push(pose);
        Ok(())
    }

    /// A prismatic joint with a constant force.
    fn read_joint(&mut self, words: &mut Words<'_>) -> Result<(), Box<dyn Error>> {
        let (a, b) = (words.count()?, words.count()?);
        let (position, axis, force) = (words.vector()?, words.vector()?, words.number()?);
        let (at_a, at_b) = (
            self.poses[a].inverse_transform_point(position),
            self.poses[b].inverse_transform_point(position),
        );
        let joint = PrismaticJointBuilder::new(axis)
            .local_anchor1(at_b)
            .local_anchor2(at_a)
            .contacts_enabled(false);
        self.joints.insert(self.handles[b], self.handles[a], joint, true);
        self.bodies[self.handles[a]].add_force(axis * force, true);
        Ok(())
    }

    fn drive(&mut self, step: usize) {
        let dt = self.parameters.dt;
        let t = step as f64 * dt;
        for (handle, velocity, amplitude, rate) in &self.driven {
            let wave = ((rate * (t + dt)).sin() - (rate * t).sin()) / dt;
            self.bodies[*handle].set_linvel(*velocity + *amplitude * wave, true);
        }
    }

    fn step(&mut self) {
        self.pipeline.step(
            self.gravity,
            &self.parameters,
            &mut self.islands,
            &mut self.broad,
            &mut self.narrow,
            &mut self.bodies,
            &mut self.colliders,
            &mut self.joints,
            &mut self.multibodies,
            &mut self.soft,
            &mut self.ccd,
            &(),
            &(),
        );
    }

    /// Contacts that overlap, and by how much the deepest.
    fn contacts(&self) -> (usize, f64) {
        let pairs = self.narrow.contact_pairs();
        let points = pairs.flat_map(|pair| pair.manifolds().iter().flat_map(|manifold| manifold.points.iter()));
        points
            .filter(|point| point.dist < 0.0)
            .fold((0, 0.0_f64), |(count, depth), point| {
                (count + 1, depth.max(-point.dist))
            })
    }

    fn is_finite(&self) -> bool {
        let mut handles = self.handles.iter();
        handles.all(|handle| self.bodies[*handle].translation().is_finite())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, settings, dt, budget, out] = &arguments[..] else {
        return Err("expected SCENE.txt default|best DT BUDGET OUT.csv".into());
    };
    let (text, budget): (String, f64) = (std::fs::read_to_string(file)?, budget.parse()?);
    let mut world = World::read(&mut Words(text.split_whitespace()), dt.parse()?, settings == "best")?;
    let mut out = std::fs::File::create(out)?;
    let overhead = (0..1000).map(|_| -cpu() + cpu()).fold(f64::INFINITY, f64::min);
    let (start, mut end) = (cpu(), "finished");
    for step in 0..world.steps {
        world.drive(step);
        let before = cpu();
        world.step();
        let taken = cpu() - before - overhead;
        let (contacts, depth) = world.contacts();
        writeln!(out, "{taken:.4e},{contacts},0,0,1,1,{depth:.3e},0")?;
        if !world.is_finite() {
            end = "failed: a position is not a number";
            break;
        }
        if cpu() - start > budget {
            end = "budget";
            break;
        }
    }
    writeln!(out, "# {end}; {} kB", peak_kb())?;
    Ok(())
}
