//! Measured motions and impacts, read from CSV by the names of their columns.

use std::f64::consts::FRAC_PI_2;
use std::path::{Path, PathBuf};

use stiction_sim::planar::{PlanarPose, Vec2};
use stiction_sim::{Quat, Vec3};

use stiction_formats::BadInput;
use stiction_formats::bad_input::shown;

/// Rows that a motion must have: a first state and something to compare.
const MIN_ROWS: usize = 3;
/// Share of the interval by which times may stray from an even spacing.
const SPACING_REL_TOL: f64 = 0.01;
/// Largest deviation of a measured quaternion's length from 1.
const QUATERNION_LENGTH_TOL: f64 = 1e-3;
/// Interval of the square's samples \[s\]: 250 Hz.
const SQUARE_INTERVAL: f64 = 0.004;

/// One sample. Velocities are differences backwards in time, in world axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) position: Vec3,
    pub(super) rotation: Quat,
    pub(super) velocity: Vec3,
    pub(super) spin: Vec3,
}

/// A measured motion.
#[derive(Debug, Clone)]
pub(super) struct Motion {
    pub(super) name: String,
    /// Time between samples \[s\].
    pub(super) interval: f64,
    pub(super) samples: Vec<Sample>,
}

/// Rows of a table: the line in the file, and the values of the wanted columns.
pub(super) type Rows = Vec<(usize, Vec<f64>)>;

/// The columns of a table, in the order in which they are requested.
pub(super) fn table(path: &Path, names: &[&str]) -> Result<Rows, BadInput> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| BadInput::whole(format!("cannot be read, {error}")).in_file(path))?;
    parse(&text, names).map_err(|bad| bad.in_file(path))
}

fn parse(text: &str, names: &[&str]) -> Result<Rows, BadInput> {
    let mut lines = text.lines();
    let heading = lines
        .next()
        .filter(|line| !line.trim().is_empty())
        .ok_or_else(|| BadInput::new("line 1", "must name the columns, found nothing"))?;
    let found: Vec<&str> = heading.split(',').map(str::trim).collect();
    let place = |name: &&str| {
        let at = found.iter().position(|column| column == name);
        at.ok_or_else(|| BadInput::new("line 1", format!("must have a column {name}, found {}", shown(heading))))
    };
    let places = names.iter().map(place).collect::<Result<Vec<usize>, BadInput>>()?;
    let mut rows = Vec::new();
    for (i, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |(at, name): (&usize, &&str)| {
            let field = fields.get(*at).copied().unwrap_or("");
            let number = field.trim().parse().ok().filter(|x: &f64| x.is_finite());
            number.ok_or_else(|| {
                let place = format!("line {}: column {}: {name}", i + 2, at + 1);
                BadInput::new(place, format!("must be a finite number, found {}", shown(field)))
            })
        };
        let values = places.iter().zip(names).map(number).collect::<Result<_, BadInput>>()?;
        rows.push((i + 2, values));
    }
    if rows.is_empty() {
        return Err(BadInput::whole("must have rows below its heading, found none"));
    }
    Ok(rows)
}

/// Files `<start><number>.csv` of a folder with their numbers, by number.
pub(super) fn numbered(folder: &Path, start: &str) -> Result<Vec<(u64, PathBuf)>, BadInput> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| BadInput::whole(format!("cannot be read, {error}")).in_file(folder))?;
    let mut files: Vec<(u64, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let number = name.strip_prefix(start)?.strip_suffix(".csv")?.parse().ok()?;
            Some((number, entry.path()))
        })
        .collect();
    files.sort();
    if files.is_empty() {
        let problem = format!("must hold files {start}NUMBER.csv, found none");
        return Err(BadInput::whole(problem).in_file(folder));
    }
    Ok(files)
}

/// A motion from the rows of a file.
fn motion(path: &Path, interval: f64, rows: &Rows, sample: impl Fn(&[f64]) -> Sample) -> Result<Motion, BadInput> {
    if rows.len() < MIN_ROWS {
        let problem = format!("must have at least {MIN_ROWS} samples, found {}", rows.len());
        return Err(BadInput::whole(problem).in_file(path));
    }
    Ok(Motion {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        interval,
        samples: rows.iter().map(|(_, row)| sample(row)).collect(),
    })
}

/// A toss of the cube: height along z, angular velocity in body axes.
pub(super) fn cube(path: &Path) -> Result<Motion, BadInput> {
    let names = [
        "t", "px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz",
    ];
    let rows = table(path, &names)?;
    let interval = check_cube(&rows).map_err(|bad| bad.in_file(path))?;
    motion(path, interval, &rows, |row| {
        let rotation = quaternion([row[4], row[5], row[6], row[7]]);
        Sample {
            position: Vec3::new(row[1], row[2], row[3]),
            rotation,
            velocity: Vec3::new(row[8], row[9], row[10]),
            spin: rotation * Vec3::new(row[11], row[12], row[13]),
        }
    })
}

/// Interval between the samples, which must be even; quaternions must be of length 1.
fn check_cube(rows: &Rows) -> Result<f64, BadInput> {
    let (first, last) = (&rows[0].1, &rows[rows.len() - 1].1);
    let interval = (last[0] - first[0]) / (rows.len() - 1).max(1) as f64;
    for pair in rows.windows(2) {
        let step = pair[1].1[0] - pair[0].1[0];
        if step <= 0.0 || (step - interval).abs() > SPACING_REL_TOL * interval {
            let problem = format!("must follow the row above after {interval} s, found {step}");
            return Err(BadInput::new(format!("line {}: column 1: t", pair[1].0), problem));
        }
    }
    for (line, row) in rows {
        let length = (row[4] * row[4] + row[5] * row[5] + row[6] * row[6] + row[7] * row[7]).sqrt();
        if (length - 1.0).abs() > QUATERNION_LENGTH_TOL {
            let problem = format!("must be a quaternion of length 1, found length {length}");
            return Err(BadInput::new(format!("line {line}: qw,qx,qy,qz"), problem));
        }
    }
    Ok(interval)
}

/// A rotation from (w, x, y, z).
fn quaternion([w, x, y, z]: [f64; 4]) -> Quat {
    let length = (w * w + x * x + y * y + z * z).sqrt();
    let mut rotation = Quat::identity();
    let coords = &mut rotation.as_mut_unchecked().coords;
    (coords.x, coords.y, coords.z, coords.w) = (x / length, y / length, z / length, w / length);
    rotation
}

/// A drop of the square in the plane of x and z, which becomes that of x and y.
pub(super) fn square(path: &Path) -> Result<Motion, BadInput> {
    let rows = table(path, &["x", "z", "th", "vx", "vz", "vth"])?;
    motion(path, SQUARE_INTERVAL, &rows, |row| Sample {
        position: Vec3::new(row[0], row[1], 0.0),
        rotation: PlanarPose::new(Vec2::zeros(), row[2]).in_space().rotation,
        velocity: Vec3::new(row[3], row[4], 0.0),
        spin: Vec3::new(0.0, 0.0, row[5]),
    })
}

/// Angle by which a square lies off its nearest side \[rad\].
pub(super) fn off_side(rotation: &Quat) -> f64 {
    let angle = 2.0 * libm::atan2(rotation.coords.z, rotation.coords.w);
    angle - FRAC_PI_2 * libm::round(angle / FRAC_PI_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_table_is_named() {
        let bad = |text: &str| parse(text, &["x", "vx"]).unwrap_err().to_string();
        assert_eq!(bad(""), "line 1: must name the columns, found nothing");
        assert_eq!(bad("x,y\n1,2\n"), "line 1: must have a column vx, found x,y");
        assert_eq!(
            bad("x,y,vx\n1,2,3\n1,2,NaN\n"),
            "line 3: column 3: vx: must be a finite number, found NaN"
        );
        assert_eq!(
            bad("x,y,vx\n1,2\n"),
            "line 2: column 3: vx: must be a finite number, found nothing"
        );
        assert_eq!(
            bad("x,vx\n1e999,2\n"),
            "line 2: column 1: x: must be a finite number, found 1e999"
        );
        assert_eq!(bad("x,vx\n"), "must have rows below its heading, found none");
    }

    #[test]
    fn times_must_be_even_and_quaternions_of_length_one() {
        let row = |line: usize, t: f64, w: f64| {
            let mut row = vec![0.0; 14];
            (row[0], row[4]) = (t, w);
            (line, row)
        };
        assert_eq!(check_cube(&vec![row(2, 0.0, 1.0), row(3, 0.5, 1.0)]), Ok(0.5));
        let jump = check_cube(&vec![row(2, 0.0, 1.0), row(3, 1.0, 1.0), row(4, 4.0, 1.0)]);
        assert_eq!(
            jump.unwrap_err().to_string(),
            "line 3: column 1: t: must follow the row above after 2 s, found 1"
        );
        let still = check_cube(&vec![row(2, 0.0, 1.0), row(3, 0.0, 1.0)]);
        assert!(still.is_err());
        let long = check_cube(&vec![row(2, 0.0, 1.0), row(3, 1.0, 2.0)]);
        assert_eq!(
            long.unwrap_err().to_string(),
            "line 3: qw,qx,qy,qz: must be a quaternion of length 1, found length 2"
        );
    }

    #[test]
    fn a_square_lies_off_its_nearest_side() {
        for (angle, expected) in [(0.1, 0.1), (1.5, 1.5 - FRAC_PI_2), (-9.4, -9.4 + 6.0 * FRAC_PI_2)] {
            let rotation = PlanarPose::new(Vec2::zeros(), angle).in_space().rotation;
            assert!((off_side(&rotation) - expected).abs() < 1e-12, "{angle}");
        }
    }
}
