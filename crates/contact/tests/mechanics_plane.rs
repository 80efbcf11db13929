//! Closed-form mechanics in the plane, at force, acceleration and impulse level: to 1e-12, thresholds within 1e-6.
//!
//! Names in backquotes are those of the seed cases (`mechanics.json`).
#![allow(clippy::unwrap_used)]

mod mechanics;

use mechanics::{View, moving, resting};

const VIEW: View = View::Plane;

#[test]
fn ladders() {
    resting::ladders(&VIEW);
}

#[test]
fn card_houses() {
    resting::card_houses(&VIEW);
}

#[test]
fn three_cylinders() {
    resting::three_cylinders(&VIEW);
}

#[test]
fn pegs() {
    resting::pegs(&VIEW);
}

#[test]
fn squeezed_rows() {
    resting::squeezed_rows(&VIEW);
}

#[test]
fn overhang() {
    resting::overhang(&VIEW);
}

#[test]
fn mass_ratio() {
    resting::mass_ratio(&VIEW);
}

#[test]
fn inclines() {
    moving::inclines(&VIEW);
}

#[test]
fn rolling() {
    moving::rolling(&VIEW);
}

#[test]
fn pushed_boxes() {
    moving::pushed_boxes(&VIEW);
}

#[test]
fn tilted_boxes() {
    moving::tilted_boxes(&VIEW);
}

#[test]
fn rod_end_release() {
    moving::rod_end_release(&VIEW);
}

#[test]
fn free_wedge() {
    moving::free_wedge(&VIEW);
}

#[test]
fn two_blocks() {
    moving::two_blocks(&VIEW);
}

#[test]
fn consistent_rods() {
    moving::consistent_rods(&VIEW);
}

#[test]
fn inconsistent_rods() {
    moving::inconsistent_rods(&VIEW);
}

#[test]
fn rods_with_two_answers() {
    moving::rods_with_two_answers(&VIEW);
}

#[test]
fn rod_impacts() {
    moving::rod_impacts(&VIEW);
}

#[test]
fn rocking_impacts() {
    moving::rocking_impacts(&VIEW);
}

#[test]
fn sliding_stops() {
    moving::sliding_stops(&VIEW);
}

#[test]
fn cradles() {
    moving::cradles();
}
