//! Members of a model that take turns in one world have the bits of worlds of their own.
#![allow(clippy::unwrap_used)]

mod worlds;

use stiction_contact::Law;
use stiction_sim::{Member, Vec3, World, Wrench};

fn take_turns(build: fn(Law) -> World, push: usize) {
    let (mut room, mut own): (World, Vec<World>) = (build(Law::Coulomb), (0..3).map(|_| build(Law::Coulomb)).collect());
    let mut members: Vec<Member> = own.iter().map(World::member).collect();
    for step in 0..300 {
        for (k, (member, world)) in members.iter_mut().zip(&mut own).enumerate() {
            room.exchange(member).unwrap();
            for world in [&mut room, &mut *world] {
                // A force that stays, other for each member.
                if step == 10 * k {
                    let force = Vec3::new(3.0 * k as f64, -1.0, 0.0);
                    let torque = Vec3::zeros();
                    world.apply(push, Wrench { force, torque }).unwrap();
                }
                world.step().unwrap();
            }
            room.exchange(member).unwrap();
            assert_eq!(member.state().hash(), world.state().hash(), "member {k}, step {step}");
            assert_eq!(member.state().ledger, *world.ledger(), "member {k}, step {step}");
        }
    }
}

#[test]
fn members_take_turns_in_a_pile() {
    take_turns(worlds::pile, 1);
}

#[test]
fn members_take_turns_with_bounces_and_joints() {
    take_turns(worlds::bouncing, 1);
}

#[test]
fn a_member_of_another_model_is_refused() {
    let mut world = worlds::pile(Law::Coulomb);
    let before = world.state().hash();
    let mut other = World::new(stiction_sim::Settings::default()).unwrap().member();
    let error = world.exchange(&mut other).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("member.bodies: must be as many as the world has, found 0"),
        "{error}"
    );
    assert_eq!(world.state().hash(), before);
}
