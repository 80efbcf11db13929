//! Mechanics with closed-form answers, run by the simulator: every case of `problems/seed/mechanics.json`, under the default settings but for gravity, the
//! step, and the polygon where a case is about it.
//!
//! Exact-per-step quantities are met to 1e-12, thresholds are bracketed within 1e-6, errors of smooth motion fall with the square
//! of the step. At every step of every case energy does not rise without work and bodies do not overlap (`watched`).
#![allow(clippy::unwrap_used)]

mod impacts;
mod joints;
mod lab;
mod resting;
mod rolling;
mod sliding;
#[path = "../watched/mod.rs"]
mod watched;

/// Makes one test of each case and a list of all.
macro_rules! cases {
    ($($id:literal => $module:ident::$test:ident,)*) => {
        $(#[test]
        fn $test() {
            $module::$test();
        })*

        const CASES: &[&str] = &[$($id),*];
    };
}

cases! {
    "incline-stick-slide" => sliding::incline_stick_slide,
    "incline-heading" => sliding::incline_heading,
    "stop-distance" => sliding::stop_distance,
    "slide-to-roll-solid" => rolling::slide_to_roll_solid,
    "slide-to-roll-disc" => rolling::slide_to_roll_disc,
    "slide-to-roll-hollow" => rolling::slide_to_roll_hollow,
    "slide-to-roll-hoop" => rolling::slide_to_roll_hoop,
    "bowling" => rolling::bowling,
    "roll-incline-sphere" => rolling::roll_incline_sphere,
    "roll-incline-cylinder" => rolling::roll_incline_cylinder,
    "roll-incline-hoop" => rolling::roll_incline_hoop,
    "pushed-box" => sliding::pushed_box,
    "tilted-box" => sliding::tilted_box,
    "rod-end-release" => impacts::rod_end_release,
    "rod-impact" => impacts::rod_impact,
    "painleve" => impacts::painleve,
    "cradle" => impacts::cradle,
    "rocking-impact-0.2" => impacts::rocking_impact_0_2,
    "rocking-impact-0.5" => impacts::rocking_impact_0_5,
    "rocking-impact-1" => impacts::rocking_impact_1,
    "rocking-period" => impacts::rocking_period,
    "ladder" => resting::ladder,
    "card-house" => resting::card_house,
    "three-cylinders" => resting::three_cylinders,
    "peg-wedging" => resting::peg_wedging,
    "grasp-chain" => resting::grasp_chain,
    "overhang" => resting::overhang,
    "arch" => resting::arch,
    "groove" => sliding::groove,
    "wedge" => sliding::wedge,
    "sheet-and-balls" => sliding::sheet_and_balls,
    "turntable" => rolling::turntable,
    "box-spin" => sliding::box_spin,
    "leave-sphere" => rolling::leave_sphere,
    "ladder-leaves-wall" => impacts::ladder_leaves_wall,
    "euler-disk" => rolling::euler_disk,
    "jellett" => rolling::jellett,
    "bouncing-ball" => impacts::bouncing_ball,
    "two-block-friction" => sliding::two_block_friction,
    "mass-ratio" => resting::mass_ratio,
    "redundant-block" => resting::redundant_block,
    "pendulum" => joints::pendulum,
    "double-pendulum" => joints::double_pendulum,
    "parallelogram" => joints::parallelogram,
    "kapitza" => joints::kapitza,
}

#[test]
fn every_case_has_its_test() {
    assert_eq!(lab::ids(), CASES);
}
