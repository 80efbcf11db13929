//! `stiction-lab experiment tosses`: that the physics runs on the measured motions, that the readers take motions of our own making as they
//! are meant, and that bad files are named.
#![allow(clippy::unwrap_used)]

#[path = "../../cli/tests/running/mod.rs"]
mod running;

use std::fmt::Write as _;
use std::path::Path;

use running::{data, folder, stiction_in};
use serde_json::Value;

const GRAVITY: f64 = 9.81;
/// Time between samples [s] and angular velocity [rad/s] of the motions of our own making.
const CUBE_INTERVAL: f64 = 1.0 / 148.0;
const CUBE_SPIN: f64 = 3.0;
const SQUARE_INTERVAL: f64 = 0.004;
const SQUARE_SPIN: f64 = 2.0;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Parameters within their bounds, every step verified.
fn check_rule(line: &Value) {
    assert_eq!(line["failures"].as_array().unwrap().len(), 0, "{line}");
    assert!(line["worst_residual"].as_f64().unwrap() <= 1e-9, "{line}");
    for parameter in ["friction", "restitution"] {
        if let Some(x) = line[parameter].as_f64() {
            assert!((0.0..=1.0).contains(&x), "{parameter} {x}");
        }
    }
}

#[test]
fn measured_motions_run_with_every_step_verified() {
    let (Some(folder), Some(_)) = (data("contactnets-cube"), data("mcube-square-drop")) else {
        return;
    };
    let above = folder.parent().unwrap().to_str().unwrap();
    for (set, laws) in [("cube", 5), ("square", 4)] {
        let line = [
            "experiment",
            "tosses",
            "--data",
            above,
            "--set",
            set,
            "--quick",
            "--json",
        ];
        let ran = running::stiction(&line);
        assert_eq!(ran.code, 0, "{ran:?}");
        let report = &ran.json()["sets"][0];
        let lines = report["lines"].as_array().unwrap();
        assert_eq!(lines.len(), laws);
        for line in lines {
            check_rule(line);
            assert_eq!(line["energy_falls"], 6, "{set}: {}", line["law"]);
            assert!(line["steps"].as_u64().unwrap() > 1000);
            for half in ["fitted", "tested"] {
                assert_eq!(line[half]["motions"], 3);
                for errors in ["mean", "end", "median_of_means"] {
                    let errors = numbers(&line[half][errors]);
                    assert!(errors.iter().all(|e| e.is_finite() && *e >= 0.0), "{errors:?}");
                    // No rotation is farther than half a turn from another.
                    assert!(errors[1] <= std::f64::consts::PI + 1e-9, "{errors:?}");
                }
            }
            let curve = line["curve"].as_array().unwrap();
            assert!(curve.len() > 50);
            assert!(
                curve
                    .iter()
                    .all(|at| numbers(&at["mean"]).iter().all(|e| e.is_finite()))
            );
        }
        // What is fitted does no worse on what it is fitted to than the same law without restitution.
        let cost = |k: usize| {
            let mean = numbers(&lines[k]["fitted"]["mean"]);
            mean[0] + 0.5 * report["side"].as_f64().unwrap() * mean[1]
        };
        assert!(cost(0) <= cost(1), "{} {}", cost(0), cost(1));
    }
}

#[test]
fn measured_impacts_lose_energy_and_are_verified() {
    let Some(found) = data("mcube-ellipse-impacts") else {
        return;
    };
    let above = found.parent().unwrap().to_str().unwrap();
    let folder = folder("tosses_ellipse");
    let line = [
        "experiment",
        "tosses",
        "--data",
        above,
        "--set",
        "ellipse",
        "--quick",
        "--json",
        "--out",
        "out",
    ];
    let ran = stiction_in(
        &folder,
        &line.map(|part| {
            if part == above {
                absolute(above)
            } else {
                part.to_owned()
            }
        }),
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let report = &ran.json()["sets"][0];
    let lines = report["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 4 + 6 + 1);
    for line in lines {
        check_rule(line);
        let tested = &line["tested"];
        assert!(tested["mean"].as_f64().unwrap().is_finite());
        if line["ours"] == true {
            assert_eq!(line["energy_falls"], 40, "{}", line["law"]);
        }
    }
    // Impulses that explain the measurement tell in which frame it is: with x mirrored they come far nearer.
    let best = lines.iter().find(|line| line["law"] == "best impulse").unwrap();
    let mean = |frame: &str| best[frame]["mean"].as_f64().unwrap();
    assert!(mean("tested") < 0.5 * mean("tested_as_stored"), "{best}");
    let svg = std::fs::read_to_string(folder.join("out/tosses_ellipse.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("APPoisson") && !svg.contains("NaN"));
    let csv = std::fs::read_to_string(folder.join("out/tosses_ellipse.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 11 * 20);
}

fn absolute(path: &str) -> String {
    std::fs::canonicalize(path).unwrap().to_str().unwrap().to_owned()
}

/// A cube that falls for 40 samples onto its side and spins about the vertical, its own x axis.
fn cube_file(file: &Path) {
    let (interval, count, spin) = (CUBE_INTERVAL, 40, CUBE_SPIN);
    let mut text = String::from("t,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n");
    let fall = |t: f64| 0.5 * GRAVITY * t * t;
    let end = f64::from(count) * interval;
    for k in 0..=count {
        let t = f64::from(k) * interval;
        let z = 0.0524 + fall(end) - fall(t);
        let velocity = (fall(t - interval) - fall(t)) / interval;
        // Rz(spin t) Ry(-90°): the body's x axis looks up.
        let (s, c) = (0.5 * spin * t).sin_cos();
        let r = 0.5_f64.sqrt();
        let q = [c * r, s * r, -c * r, s * r];
        writeln!(
            text,
            "{t},{},0.2,{z},{},{},{},{},0.5,0,{velocity},{spin},0,0",
            0.5 * t,
            q[0],
            q[1],
            q[2],
            q[3]
        )
        .unwrap();
    }
    std::fs::write(file, text).unwrap();
}

/// A square that falls turning onto a side, its markers off by 0.02 rad.
fn square_file(file: &Path) {
    let (interval, count, spin) = (SQUARE_INTERVAL, 50, SQUARE_SPIN);
    let mut text = String::from("x,z,th,vx,vz,vth\n");
    let fall = |t: f64| 0.5 * GRAVITY * t * t;
    let end = f64::from(count) * interval;
    for k in 0..=count {
        let t = f64::from(k) * interval;
        let z = 0.031 + fall(end) - fall(t);
        let velocity = (fall(t - interval) - fall(t)) / interval;
        writeln!(
            text,
            "{},{z},{},-0.7,{velocity},{spin}",
            -0.7 * t,
            0.02 + spin * (t - end)
        )
        .unwrap();
    }
    std::fs::write(file, text).unwrap();
}

#[test]
fn falls_of_our_own_making_are_met_exactly() {
    let folder = folder("tosses_made");
    for name in ["contactnets-cube", "mcube-square-drop"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
    }
    for number in [1, 2] {
        cube_file(&folder.join(format!("contactnets-cube/toss_00{number}.csv")));
        square_file(&folder.join(format!("mcube-square-drop/traj_{number}.csv")));
    }
    let line = [
        "experiment",
        "tosses",
        "--data",
        ".",
        "--quick",
        "--json",
        "--out",
        "out",
    ];
    let ran = stiction_in(&folder, &line);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stderr.contains("skipped: mcube-ellipse-impacts is not there"),
        "{ran:?}"
    );
    let json = ran.json();
    let square = &json["sets"][1];
    assert!(
        (square["marker_angle"].as_f64().unwrap() - 0.02).abs() < 1e-9,
        "{square}"
    );
    assert!(
        (square["ground_height"].as_f64().unwrap() - 0.001).abs() < 1e-9,
        "{square}"
    );
    for set in json["sets"].as_array().unwrap() {
        for line in set["lines"].as_array().unwrap() {
            // All but the last sample, at which they touch.
            let curve = line["curve"].as_array().unwrap();
            for at in &curve[..curve.len() - 1] {
                let mean = numbers(&at["mean"]);
                assert!(mean.iter().all(|error| *error < 1e-9), "{} {at}", line["law"]);
            }
        }
        let name = set["set"].as_str().unwrap();
        let svg = std::fs::read_to_string(folder.join(format!("out/tosses_{name}.svg"))).unwrap();
        assert!(svg.starts_with("<svg ") && svg.contains("no-slip"), "{svg}");
        let csv = std::fs::read_to_string(folder.join(format!("out/tosses_{name}.csv"))).unwrap();
        assert!(csv.starts_with("set,law,friction") && !csv.contains("NaN"));
    }
    let again = stiction_in(&folder, &line);
    assert_eq!(ran.stdout, again.stdout);
}

#[test]
fn an_impact_of_our_own_making_is_met_exactly() {
    let folder = folder("tosses_impact");
    std::fs::create_dir_all(folder.join("mcube-ellipse-impacts")).unwrap();
    let mut heading = String::from("impact,pre_th,pre_vx,pre_vy,pre_w,post_vx,post_vy,post_w,n3,d3,Pt_true,Pn_true");
    for model in [
        "DrumwrightShell",
        "APPoisson",
        "APNewton",
        "Mirtich",
        "WangMason",
        "Whittaker",
    ] {
        write!(heading, ",{model}_Pt,{model}_Pn").unwrap();
    }
    let impulse = 0.0364 * 1.4;
    let stored = format!(",0,{impulse}").repeat(6);
    let row = |k: usize| format!("{k},0,0,-1,0,0,0.4,0,0,0.025,0,{impulse}{stored}\n");
    let text = format!("{heading}\n{}{}", row(0), row(1));
    std::fs::write(folder.join("mcube-ellipse-impacts/ellipse_impacts_public.csv"), text).unwrap();
    let line = [
        "experiment",
        "tosses",
        "--data",
        ".",
        "--set",
        "ellipse",
        "--quick",
        "--json",
    ];
    let ran = stiction_in(&folder, &line);
    assert_eq!(ran.code, 0, "{ran:?}");
    for line in ran.json()["sets"][0]["lines"].as_array().unwrap() {
        let error = line["tested"]["mean"].as_f64().unwrap();
        if line["law"] == "coulomb, e = 0" {
            assert!((error - 0.4).abs() < 1e-3, "{line}");
        } else {
            assert!(error < 1e-3, "{line}");
        }
        if line["ours"] == true && line["law"] != "coulomb, e = 0" {
            assert_eq!(line["restitution"], 0.4, "{line}");
        }
    }
}

#[test]
fn bad_data_are_named() {
    let folder = folder("tosses_bad");
    let run = |set: &str| {
        let mut line = vec!["experiment", "tosses", "--data", "."];
        if !set.is_empty() {
            line.extend(["--set", set]);
        }
        let ran = stiction_in(&folder, &line);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert_eq!(ran.stdout, "");
        ran.stderr
    };
    assert!(run("").contains("must hold one of contactnets-cube"));
    assert!(run("cube").contains("contactnets-cube: must be a folder of measured motions, found none"));
    let squares = folder.join("mcube-square-drop");
    std::fs::create_dir_all(&squares).unwrap();
    assert!(run("square").contains("must hold files traj_NUMBER.csv, found none"));
    for (text, problem) in [
        ("", "traj_2.csv: line 1: must name the columns, found nothing"),
        (
            "x,z,th,vx,vz\n1,2,3,4,5\n",
            "traj_2.csv: line 1: must have a column vth",
        ),
        (
            "x,z,th,vx,vz,vth\n",
            "traj_2.csv: must have rows below its heading, found none",
        ),
        (
            "x,z,th,vx,vz,vth\n0,0,0,0,0,nan\n",
            "traj_2.csv: line 2: column 6: vth: must be a finite number, found nan",
        ),
        (
            "x,z,th,vx,vz,vth\n0,0,0,0,0,0\n",
            "traj_2.csv: must have at least 3 samples, found 1",
        ),
    ] {
        std::fs::write(squares.join("traj_2.csv"), text).unwrap();
        let found = run("square");
        assert!(found.contains(problem), "{problem}: {found}");
    }
    square_file(&squares.join("traj_2.csv"));
    assert!(run("square").contains("must hold files with odd numbers, found none"));
}
