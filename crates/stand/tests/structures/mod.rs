//! Structures of known statics: towers, overhangs, walls, arches, wedges.
#![allow(dead_code, clippy::unwrap_used, clippy::many_single_char_names)]

use std::f64::consts::PI;

use stiction_stand::Equilibrium;

pub(crate) const G: f64 = 9.81;

/// Earth's gravity, a fixed ground as body 0.
pub(crate) fn ground() -> Equilibrium {
    let mut whole = Equilibrium::new(false, [0.0, 0.0, -G]);
    whole.add_fixed("ground");
    whole
}

pub(crate) fn solid(mass: f64, [x, y, z]: [f64; 3]) -> [[f64; 3]; 3] {
    let of = |a: f64, b: f64| mass * (a * a + b * b) / 12.0;
    [[of(y, z), 0.0, 0.0], [0.0, of(x, z), 0.0], [0.0, 0.0, of(x, y)]]
}

/// A horizontal face from corner to corner: four contacts.
pub(crate) fn face(whole: &mut Equilibrium, [upper, lower]: [usize; 2], x: [f64; 2], y: [f64; 2], z: f64, mu: f64) {
    for x in x {
        for y in y {
            whole
                .add_contact([upper, lower], [x, y, z], [0.0, 0.0, 1.0], mu)
                .unwrap();
        }
    }
}

pub(crate) fn tower(n: usize, mu: f64) -> Equilibrium {
    let mut whole = ground();
    for i in 0..n {
        let z = i as f64;
        let body = whole
            .add_body(format!("box {i}"), 1.0, solid(1.0, [1.0; 3]), [0.0, 0.0, z + 0.5])
            .unwrap();
        face(&mut whole, [body, body - 1], [-0.5, 0.5], [-0.5, 0.5], z, mu);
    }
    whole
}

/// The wall of `scenes/wall-10x10.toml`.
pub(crate) fn wall(rows: usize, columns: usize, mu: f64) -> Equilibrium {
    let (length, height, depth, gap) = (0.2, 0.1, 0.1, 0.004);
    let mut whole = ground();
    let mut below: Vec<(usize, f64, f64)> = Vec::new();
    for r in 0..rows {
        let mut row = Vec::new();
        for c in 0..columns {
            let x = c as f64 * (length + gap) + (r % 2) as f64 * 0.051;
            let center = [x, 0.0, height * (r as f64 + 0.5)];
            let size = [length, depth, height];
            let body = whole
                .add_body(format!("brick {r}-{c}"), 1.0, solid(1.0, size), center)
                .unwrap();
            let (low, high) = (x - length / 2.0, x + length / 2.0);
            let y = [-depth / 2.0, depth / 2.0];
            if r == 0 {
                face(&mut whole, [body, 0], [low, high], y, 0.0, mu);
            }
            for (other, a, b) in &below {
                let (a, b) = (a.max(low), b.min(high));
                if b - a > 1e-9 {
                    face(&mut whole, [body, *other], [a, b], y, height * r as f64, mu);
                }
            }
            row.push((body, low, high));
        }
        below = row;
    }
    whole
}

/// Bricks over an edge, `share` of the harmonic overhang each.
pub(crate) fn overhang(n: usize, share: f64) -> Equilibrium {
    let mut whole = ground();
    let mut right = 0.0;
    for i in 0..n {
        let offset = share / (2.0 * (n - i) as f64);
        right += offset;
        let z = 0.2 * i as f64;
        let body = whole
            .add_body(
                format!("brick {i}"),
                1.0,
                solid(1.0, [1.0, 0.5, 0.2]),
                [right - 0.5, 0.0, z + 0.1],
            )
            .unwrap();
        face(
            &mut whole,
            [body, body - 1],
            [right - 1.0, right - offset],
            [-0.25, 0.25],
            z,
            0.5,
        );
    }
    whole
}

/// A semicircular arch of mean radius 1 and depth 0.3, its ends on the ground.
pub(crate) fn arch(n: usize, thickness: f64, mu: f64) -> Equilibrium {
    arch_of(n, thickness, mu, false)
}

/// The same, in the plane where asked.
pub(crate) fn arch_of(n: usize, thickness: f64, mu: f64, planar: bool) -> Equilibrium {
    let depth = 0.3;
    let mut whole = if planar {
        let mut whole = Equilibrium::new(true, [0.0, -G, 0.0]);
        whole.add_fixed("ground");
        whole
    } else {
        ground()
    };
    let at = |x: f64, y: f64, z: f64| if planar { [x, z, 0.0] } else { [x, y, z] };
    let angle = |i: usize| PI * i as f64 / n as f64;
    let (inner, outer) = (1.0 - thickness / 2.0, 1.0 + thickness / 2.0);
    for i in 0..n {
        let turn = angle(i + 1) - angle(i);
        let area = (outer * outer - inner * inner) / 2.0 * turn;
        let radius = 2.0 / 3.0 * (outer.powi(3) - inner.powi(3)) / (outer * outer - inner * inner) * (turn / 2.0).sin()
            / (turn / 2.0);
        let middle = f64::midpoint(angle(i), angle(i + 1));
        let mass = area * depth;
        let inertia = solid(mass, [turn, depth, thickness]);
        let inertia = if planar {
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, inertia[1][1]]]
        } else {
            inertia
        };
        whole
            .add_body(
                format!("voussoir {i}"),
                mass,
                inertia,
                at(radius * middle.cos(), 0.0, radius * middle.sin()),
            )
            .unwrap();
    }
    for i in 0..=n {
        // Bodies are 1 to n; the ground holds both ends.
        let (a, b) = if i < n { (i + 1, i) } else { (n, 0) };
        let sign = if i < n { 1.0 } else { -1.0 };
        let (c, s) = (angle(i).cos(), angle(i).sin());
        for r in [inner, outer] {
            let sides: &[f64] = if planar { &[0.0] } else { &[-depth / 2.0, depth / 2.0] };
            for y in sides {
                let normal = at(-sign * s, 0.0, sign * c);
                whole.add_contact([a, b], at(r * c, *y, r * s), normal, mu).unwrap();
            }
        }
    }
    whole
}

/// A block of 1 m and 1 kg between two walls that lean by `lean` [rad]: 0 upright, positive a V, negative an A.
pub(crate) fn wedge(mu: f64, lean: f64) -> Equilibrium {
    let mut whole = ground();
    let block = whole
        .add_body(
            "block",
            1.0,
            [[0.3, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.3]],
            [0.0; 3],
        )
        .unwrap();
    for side in [-1.0, 1.0] {
        for y in [-0.5, 0.5] {
            for z in [-0.5, 0.5] {
                let point = [side * (0.5 + z * lean.tan()), y, z];
                whole
                    .add_contact([block, 0], point, [-side * lean.cos(), 0.0, lean.sin()], mu)
                    .unwrap();
            }
        }
    }
    whole
}

/// A book of 1 kg hung between two of 5 kg that stand.
pub(crate) fn hung_book(mu: f64) -> Equilibrium {
    let mut whole = ground();
    let inertia = |m: f64, x: [f64; 3]| solid(m, x);
    let left = whole
        .add_body("left", 5.0, inertia(5.0, [1.0; 3]), [-1.0, 0.0, 0.5])
        .unwrap();
    let right = whole
        .add_body("right", 5.0, inertia(5.0, [1.0; 3]), [1.0, 0.0, 0.5])
        .unwrap();
    let book = whole
        .add_body("book", 1.0, inertia(1.0, [1.0, 1.0, 0.4]), [0.0, 0.0, 0.7])
        .unwrap();
    for (body, x) in [(left, -1.0), (right, 1.0)] {
        face(&mut whole, [body, 0], [x - 0.5, x + 0.5], [-0.5, 0.5], 0.0, mu);
    }
    for (body, side) in [(left, -1.0), (right, 1.0)] {
        for y in [-0.5, 0.5] {
            for z in [0.5, 0.9] {
                whole
                    .add_contact([book, body], [side * 0.5, y, z], [-side, 0.0, 0.0], mu)
                    .unwrap();
            }
        }
    }
    whole
}

/// A ladder of 1 kg and 1 m at an angle [degrees], on a floor and against a wall, in the plane of x and z; two points at each end.
pub(crate) fn ladder(floor: f64, wall: f64, degrees: f64) -> Equilibrium {
    let mut whole = ground();
    let (c, s) = (degrees.to_radians().cos(), degrees.to_radians().sin());
    let inertia = [[1.0 / 12.0, 0.0, 0.0], [0.0, 1.0 / 12.0, 0.0], [0.0, 0.0, 1.0 / 12.0]];
    let body = whole
        .add_body("ladder", 1.0, inertia, [-0.5 * c, 0.0, 0.5 * s])
        .unwrap();
    for y in [-0.2, 0.2] {
        whole
            .add_contact([body, 0], [-c, y, 0.0], [0.0, 0.0, 1.0], floor)
            .unwrap();
        whole
            .add_contact([body, 0], [0.0, y, s], [-1.0, 0.0, 0.0], wall)
            .unwrap();
    }
    whole
}
