//! Shapes as triangles, in the frame of their body.

use std::f64::consts::{PI, TAU};

use stiction_formats::vector::{cross, dot};
use stiction_record::ShapeRecord;

/// Pieces around a circle, and from pole to pole of a ball.
const CIRCLE_PIECES: usize = 32;
const MERIDIAN_PIECES: usize = 16;

type Point = [f64; 3];

/// Triangles with a normal at each corner; counterclockwise seen from outside.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Solid {
    pub(super) positions: Vec<Point>,
    pub(super) normals: Vec<Point>,
    pub(super) indices: Vec<u32>,
}

/// How shapes without an end or a thickness are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Finite {
    /// Half the side of a half-space's square, half the length of a half-plane's strip \[m\].
    pub(super) half_side: f64,
    /// Where it is centred, in the body's frame \[m\].
    pub(super) middle: Point,
    /// Half the thickness of planar shapes \[m\].
    pub(super) half_thickness: f64,
}

pub(super) fn add(a: Point, b: Point, scale: f64) -> Point {
    std::array::from_fn(|k| a[k] + scale * b[k])
}

/// The direction; up where there is none.
fn unit(v: Point) -> Point {
    let length = dot(v, v).sqrt();
    if length > 0.0 {
        v.map(|x| x / length)
    } else {
        [0.0, 0.0, 1.0]
    }
}

/// Two directions that make a right-handed frame with the normal as third.
fn across(normal: Point) -> [Point; 2] {
    let other = if normal[0].abs() < 0.9 {
        [1.0, 0.0, 0.0]
    } else {
        [0.0, 1.0, 0.0]
    };
    let second = unit(cross(normal, other));
    [cross(second, normal), second]
}

/// Triangles of a shape; none for a compound, whose parts are nodes of their own.
pub(super) fn solid(shape: &ShapeRecord, finite: &Finite) -> Solid {
    let mut out = Solid::default();
    match shape {
        ShapeRecord::HalfSpace { normal } => out.square(*normal, finite),
        ShapeRecord::Ball { radius } => out.round(*radius, 0.0),
        ShapeRecord::Capsule { half_length, radius } => out.round(*radius, *half_length),
        ShapeRecord::Cylinder { half_height, radius } => out.cylinder(*radius, *half_height),
        ShapeRecord::Ellipsoid { semi_axes } => out.ellipsoid(*semi_axes),
        ShapeRecord::Box { half } => out.cuboid(*half),
        ShapeRecord::Polytope { vertices, faces } => {
            for face in faces {
                let corners: Vec<Point> = face.iter().filter_map(|i| vertices.get(*i).copied()).collect();
                out.face(&corners);
            }
        }
        ShapeRecord::Mesh { triangles } => triangles.iter().for_each(|t| out.face(t)),
        ShapeRecord::HalfPlane { normal } => {
            let (n, t) = (*normal, [-normal[1], normal[0]]);
            let [mx, my, _] = finite.middle;
            let along = mx * t[0] + my * t[1];
            // Counterclockwise: the surface runs against the tangent.
            let corner = |s: f64, d: f64| [s * t[0] - d * n[0], s * t[1] - d * n[1]];
            let (a, b) = (along - finite.half_side, along + finite.half_side);
            let deep = 0.1 * finite.half_side;
            out.prism(
                &[corner(a, 0.0), corner(b, 0.0), corner(b, deep), corner(a, deep)],
                finite.half_thickness,
            );
        }
        ShapeRecord::Disc { radius } => out.cylinder(*radius, finite.half_thickness),
        ShapeRecord::PlanarCapsule { half_length, radius } => {
            let corner = |i: usize| {
                let angle = -0.5 * PI + TAU * i as f64 / CIRCLE_PIECES as f64;
                let side = if 2 * i < CIRCLE_PIECES {
                    *half_length
                } else {
                    -half_length
                };
                [side + radius * libm::cos(angle), radius * libm::sin(angle)]
            };
            out.prism(
                &(0..CIRCLE_PIECES).map(corner).collect::<Vec<_>>(),
                finite.half_thickness,
            );
        }
        ShapeRecord::Polygon { vertices } => out.prism(vertices, finite.half_thickness),
        _ => {}
    }
    out
}

impl Solid {
    fn corner(&mut self, position: Point, normal: Point) -> u32 {
        self.positions.push(position);
        self.normals.push(normal);
        // A recording's shapes have far fewer corners than 2^32.
        u32::try_from(self.positions.len() - 1).unwrap_or(u32::MAX)
    }

    /// A flat convex face, as a fan.
    fn face(&mut self, corners: &[Point]) {
        let normal = area(corners);
        if corners.len() < 3 || dot(normal, normal) == 0.0 {
            return;
        }
        let normal = unit(normal);
        let numbers: Vec<u32> = corners.iter().map(|c| self.corner(*c, normal)).collect();
        for pair in numbers[1..].windows(2) {
            self.indices.extend([numbers[0], pair[0], pair[1]]);
        }
    }

    fn square(&mut self, normal: Point, finite: &Finite) {
        let normal = unit(normal);
        // The point of the plane nearest to where the square is to be centred.
        let middle = add(finite.middle, normal, -dot(finite.middle, normal));
        let [u, v] = across(normal).map(|d| d.map(|x| x * finite.half_side));
        let at = |a: f64, b: f64| add(add(middle, u, a), v, b);
        self.face(&[at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)]);
    }

    fn cuboid(&mut self, half: Point) {
        for axis in 0..3 {
            let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
            for side in [-1.0, 1.0] {
                let corner = |a: f64, b: f64| {
                    let mut p = [0.0; 3];
                    p[axis] = side * half[axis];
                    // Turned on the far side, so that both are counterclockwise from outside.
                    p[j] = side * a * half[j];
                    p[k] = b * half[k];
                    p
                };
                self.face(&[
                    corner(-1.0, -1.0),
                    corner(1.0, -1.0),
                    corner(1.0, 1.0),
                    corner(-1.0, 1.0),
                ]);
            }
        }
    }

    /// A ball whose halves are `half_length` apart along z from the middle.
    fn round(&mut self, radius: f64, half_length: f64) {
        let mut rows = Vec::new();
        for row in 0..=MERIDIAN_PIECES {
            let polar = PI * row as f64 / MERIDIAN_PIECES as f64;
            let shifts = match 2 * row {
                // The equator twice, where a straight part lies between.
                r if r == MERIDIAN_PIECES && half_length > 0.0 => vec![half_length, -half_length],
                r if r < MERIDIAN_PIECES => vec![half_length],
                _ => vec![-half_length],
            };
            for shift in shifts {
                rows.push((polar, shift));
            }
        }
        for (polar, shift) in &rows {
            let (s, c) = (libm::sin(*polar), libm::cos(*polar));
            for i in 0..=CIRCLE_PIECES {
                let angle = TAU * i as f64 / CIRCLE_PIECES as f64;
                let normal = [s * libm::cos(angle), s * libm::sin(angle), c];
                let place = add([0.0, 0.0, *shift], normal, radius);
                self.corner(place, normal);
            }
        }
        let stride = CIRCLE_PIECES + 1;
        for row in 0..rows.len() - 1 {
            for i in 0..CIRCLE_PIECES {
                let (a, b) = (row * stride + i, (row + 1) * stride + i);
                // At the poles one of the two triangles has no area.
                if row > 0 {
                    self.triangle([a, b, a + 1]);
                }
                if row + 2 < rows.len() {
                    self.triangle([a + 1, b, b + 1]);
                }
            }
        }
    }

    /// A ball of radius 1, stretched; normals are stretched the other way.
    fn ellipsoid(&mut self, semi_axes: Point) {
        let first = self.positions.len();
        self.round(1.0, 0.0);
        for k in first..self.positions.len() {
            let on_ball = self.positions[k];
            self.positions[k] = std::array::from_fn(|i| on_ball[i] * semi_axes[i]);
            self.normals[k] = unit(std::array::from_fn(|i| on_ball[i] / semi_axes[i]));
        }
    }

    fn triangle(&mut self, corners: [usize; 3]) {
        self.indices
            .extend(corners.map(|i| u32::try_from(i).unwrap_or(u32::MAX)));
    }

    fn cylinder(&mut self, radius: f64, half_height: f64) {
        let rim = |i: usize| {
            let angle = TAU * i as f64 / CIRCLE_PIECES as f64;
            [libm::cos(angle), libm::sin(angle)]
        };
        let at = |[x, y]: [f64; 2], z: f64| [radius * x, radius * y, z];
        let first = self.positions.len();
        for i in 0..=CIRCLE_PIECES {
            let [x, y] = rim(i);
            self.corner(at([x, y], -half_height), [x, y, 0.0]);
            self.corner(at([x, y], half_height), [x, y, 0.0]);
        }
        for i in 0..CIRCLE_PIECES {
            let a = first + 2 * i;
            self.triangle([a, a + 2, a + 3]);
            self.triangle([a, a + 3, a + 1]);
        }
        let top: Vec<Point> = (0..CIRCLE_PIECES).map(|i| at(rim(i), half_height)).collect();
        let bottom: Vec<Point> = (0..CIRCLE_PIECES).rev().map(|i| at(rim(i), -half_height)).collect();
        self.face(&top);
        self.face(&bottom);
    }

    /// A convex polygon, counterclockwise or not, with thickness along z.
    fn prism(&mut self, corners: &[[f64; 2]], half: f64) {
        let mut corners = corners.to_vec();
        let flat: Vec<Point> = corners.iter().map(|[x, y]| [*x, *y, 0.0]).collect();
        if area(&flat)[2] < 0.0 {
            corners.reverse();
        }
        let at = |[x, y]: [f64; 2], z: f64| [x, y, z];
        self.face(&corners.iter().map(|c| at(*c, half)).collect::<Vec<_>>());
        self.face(&corners.iter().rev().map(|c| at(*c, -half)).collect::<Vec<_>>());
        for (i, a) in corners.iter().enumerate() {
            let b = corners[(i + 1) % corners.len()];
            self.face(&[at(*a, -half), at(b, -half), at(b, half), at(*a, half)]);
        }
    }
}

/// Twice the area of a flat face, along its normal.
fn area(corners: &[Point]) -> Point {
    let mut sum = [0.0; 3];
    for (i, a) in corners.iter().enumerate() {
        sum = add(sum, cross(*a, corners[(i + 1) % corners.len()]), 1.0);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINITE: Finite = Finite {
        half_side: 5.0,
        middle: [1.0, 2.0, 3.0],
        half_thickness: 0.05,
    };

    /// Volume by the divergence theorem: right only where every triangle is seen counterclockwise from outside.
    fn volume(solid: &Solid) -> f64 {
        let corner = |i: u32| solid.positions[i as usize];
        solid
            .indices
            .chunks_exact(3)
            .map(|t| dot(corner(t[0]), cross(corner(t[1]), corner(t[2]))) / 6.0)
            .sum()
    }

    #[test]
    fn solids_hold_their_volume() {
        let cases = [
            (ShapeRecord::Box { half: [1.0, 2.0, 3.0] }, 48.0, 1e-12),
            (ShapeRecord::Ball { radius: 2.0 }, 4.0 / 3.0 * PI * 8.0, 0.03),
            (
                ShapeRecord::Capsule {
                    half_length: 1.5,
                    radius: 0.5,
                },
                PI * (0.75 + 0.5 / 3.0),
                0.03,
            ),
            (
                ShapeRecord::Cylinder {
                    half_height: 2.0,
                    radius: 1.0,
                },
                4.0 * PI,
                0.03,
            ),
            (ShapeRecord::Disc { radius: 1.0 }, 0.1 * PI, 0.03),
            (
                ShapeRecord::PlanarCapsule {
                    half_length: 1.0,
                    radius: 0.5,
                },
                0.1 * (2.0 + 0.25 * PI),
                0.03,
            ),
            (
                ShapeRecord::Polygon {
                    vertices: vec![[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]],
                },
                0.2,
                1e-12,
            ),
            (ShapeRecord::HalfPlane { normal: [0.6, 0.8] }, 10.0 * 0.5 * 0.1, 1e-12),
        ];
        for (shape, expected, tolerance) in cases {
            let found = volume(&solid(&shape, &FINITE));
            assert!(
                (found / expected - 1.0).abs() < tolerance,
                "{shape:?}: {found}, expected {expected}"
            );
        }
    }

    #[test]
    fn normals_are_unit_and_point_outward() {
        for shape in [
            ShapeRecord::Box { half: [1.0, 2.0, 3.0] },
            ShapeRecord::Ball { radius: 2.0 },
            ShapeRecord::Cylinder {
                half_height: 2.0,
                radius: 1.0,
            },
        ] {
            let solid = solid(&shape, &FINITE);
            for (p, n) in solid.positions.iter().zip(&solid.normals) {
                assert!(
                    (dot(*n, *n) - 1.0).abs() < 1e-12 && dot(*p, *n) > 0.0,
                    "{shape:?} {p:?} {n:?}"
                );
            }
        }
    }

    #[test]
    fn a_half_space_is_a_square_in_its_plane() {
        let solid = solid(
            &ShapeRecord::HalfSpace {
                normal: [0.0, 0.0, 1.0],
            },
            &FINITE,
        );
        assert_eq!(solid.indices.len(), 6);
        let middle = solid.positions.iter().fold([0.0; 3], |m, p| add(m, *p, 0.25));
        assert_eq!(middle, [1.0, 2.0, 0.0]);
        assert_eq!(solid.normals[0], [0.0, 0.0, 1.0]);
    }
}
