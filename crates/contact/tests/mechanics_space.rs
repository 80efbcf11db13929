//! Closed-form mechanics in space, at force, acceleration and impulse level: to 1e-9, thresholds within 1e-6.
//!
//! Names in backquotes are those of the seed cases (`mechanics.json`).
#![allow(clippy::unwrap_used)]

mod mechanics;

use mechanics::{moving, resting, views_in_space};

#[test]
fn ladders() {
    views_in_space().iter().for_each(resting::ladders);
}

#[test]
fn card_houses() {
    views_in_space().iter().for_each(resting::card_houses);
}

#[test]
fn three_cylinders() {
    views_in_space().iter().for_each(resting::three_cylinders);
}

#[test]
fn pegs() {
    views_in_space().iter().for_each(resting::pegs);
}

#[test]
fn squeezed_rows() {
    views_in_space().iter().for_each(resting::squeezed_rows);
}

#[test]
fn overhang() {
    views_in_space().iter().for_each(resting::overhang);
}

#[test]
fn mass_ratio() {
    views_in_space().iter().for_each(resting::mass_ratio);
}

#[test]
fn inclines() {
    views_in_space().iter().for_each(moving::inclines);
}

#[test]
fn rolling() {
    views_in_space().iter().for_each(moving::rolling);
}

#[test]
fn pushed_boxes() {
    views_in_space().iter().for_each(moving::pushed_boxes);
}

#[test]
fn tilted_boxes() {
    views_in_space().iter().for_each(moving::tilted_boxes);
}

#[test]
fn rod_end_release() {
    views_in_space().iter().for_each(moving::rod_end_release);
}

#[test]
fn free_wedge() {
    views_in_space().iter().for_each(moving::free_wedge);
}

#[test]
fn two_blocks() {
    views_in_space().iter().for_each(moving::two_blocks);
}

#[test]
fn consistent_rods() {
    views_in_space().iter().for_each(moving::consistent_rods);
}

#[test]
fn inconsistent_rods() {
    views_in_space().iter().for_each(moving::inconsistent_rods);
}

#[test]
fn rods_with_two_answers() {
    views_in_space().iter().for_each(moving::rods_with_two_answers);
}

#[test]
fn rod_impacts() {
    views_in_space().iter().for_each(moving::rod_impacts);
}

#[test]
fn rocking_impacts() {
    views_in_space().iter().for_each(moving::rocking_impacts);
}

#[test]
fn sliding_stops() {
    views_in_space().iter().for_each(moving::sliding_stops);
}
