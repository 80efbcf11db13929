#![allow(
    clippy::all,
    clippy::pedantic,
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout
)]
use std::time::Instant;
use stiction_sim::body::*;
use stiction_sim::mass_properties::MassProperties;
use stiction_sim::shape::Shape;
use stiction_sim::state::BodyState;
use stiction_sim::*;
fn body(name: String, shape: Shape, friction: f64) -> Body {
    let p = MassProperties::of(&shape).unwrap();
    Body {
        name,
        kind: Kind::Dynamic {
            mass: 1000.0 * p.volume,
            inertia_body: 1000.0 * p.inertia,
        },
        shape,
        material: Material {
            friction,
            ..Material::default()
        },
        groups: 1,
        origin_body: Vec3::zeros(),
    }
}
fn ground(n: Vec3) -> Body {
    Body {
        name: "ground".into(),
        kind: Kind::Fixed,
        shape: Shape::HalfSpace { normal: n },
        material: Material::default(),
        groups: 1,
        origin_body: Vec3::zeros(),
    }
}
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let steps: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let mut w = World::new(Settings::default()).unwrap();
    w.add_body(ground(Vec3::z()), BodyState::default()).unwrap();
    let mut seed = 1u64;
    let mut r = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let side = (n as f64).cbrt().ceil() as usize;
    for i in 0..n {
        let (x, y, z) = (i % side, (i / side) % side, i / side / side);
        let q = Quat::new_normalize(nalgebra::Quaternion::new(1.0, r(), r(), r()));
        let p = Vec3::new(
            0.3 * x as f64 + 0.02 * r(),
            0.3 * y as f64 + 0.02 * r(),
            0.25 + 0.35 * z as f64,
        );
        let shape = match std::env::args().nth(3).as_deref() {
            Some("ball") => Shape::Ball { radius: 0.1 },
            Some("capsule") => Shape::Capsule {
                half_length: 0.1,
                radius: 0.05,
            },
            Some("cylinder") => Shape::Cylinder {
                half_height: 0.1,
                radius: 0.08,
            },
            _ => Shape::cuboid(Vec3::repeat(0.1)),
        };
        w.add_body(
            body(format!("b{i}"), shape, 0.5),
            BodyState {
                pose: Pose {
                    position: p,
                    rotation: q,
                },
                ..BodyState::default()
            },
        )
        .unwrap();
    }
    let (mut failed, mut contacts, mut worst, mut depth) = (0, 0usize, 0.0f64, 0.0f64);
    let (mut newton, mut piv) = (0, 0);
    let t = Instant::now();
    for k in 0..steps {
        match w.step() {
            Ok(rep) => {
                contacts = contacts.max(rep.contacts);
                worst = worst.max(rep.residual);
                depth = depth.max(rep.depth);
                newton += rep.newton_steps;
                piv += rep.pivots;
            }
            Err(e) => {
                let pr = w.problem();
                println!("n {} dof {}", pr.contact_count(), pr.dof());
                for (law, m) in [
                    (stiction_contact::Law::Coulomb, None),
                    (
                        stiction_contact::Law::Coulomb,
                        Some(stiction_contact::Method::NewtonCone),
                    ),
                    (stiction_contact::Law::Coulomb, Some(stiction_contact::Method::Dantzig)),
                    (stiction_contact::Law::Polyhedral, None),
                ] {
                    let mut s = stiction_contact::ContactSolver::new(stiction_contact::Options {
                        law,
                        method: m,
                        ..Default::default()
                    })
                    .unwrap();
                    let f = s.solve(pr).unwrap();
                    println!("{law:?} {m:?}: {:?} {:?} {:?}", f.status, f.residual, f.stats);
                    for i in 0..pr.contact_count() {
                        println!(
                            "   {i} bodies {} {} mu {} bias {:?} th {:.6} f {:?} u {:?}",
                            w.contacts()[i].a,
                            w.contacts()[i].b,
                            pr.mu(i),
                            pr.bias(i),
                            f.normal_impulse[i],
                            f.friction_impulse[i],
                            f.contact_velocity[i]
                        );
                    }
                }
                failed += 1;
                println!("{k}: {}", e.to_string().chars().take(200).collect::<String>());
                break;
            }
        }
        if k % (steps / 10).max(1) == 0 {
            println!(
                "{k} t {:.2} contacts {} ledger {:?} depth {depth:.2e} newton {newton} piv {piv} {:.1} ms/step",
                w.state().time,
                w.contacts().len(),
                w.ledger(),
                t.elapsed().as_secs_f64() * 1e3 / (k + 1) as f64
            );
        }
    }
    println!(
        "n {n} failed {failed} most contacts {contacts} worst residual {worst:e} depth {depth:e} {:.3} ms/step",
        t.elapsed().as_secs_f64() * 1e3 / steps as f64
    );
}
