//! Scenes of one body: the peg in its hole and ten blocks and balls.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use super::polygon::{DIAMOND, Point, SQUARE, common, turned};
use super::scene::{Impulse, Scene, Vector};
use crate::campaign::families::Rng;

const UP: Vector = [0.0, 0.0, 1.0];

/// Centre of every body here.
const ORIGIN: Vector = [0.0; 3];

/// Impulse that presses a body on the floor.
const DOWN: Vector = [0.0, 0.0, -1.5];

/// A cylinder of radius 1/4 and length 2 that touches its hole in two rings of n/2 contacts \[Lloyd 6\].
pub(super) fn peg(n: usize) -> Scene {
    let (radius, length) = (0.25, 2.0);
    let across = (3.0 * radius * radius + length * length) / 12.0;
    let mut scene = Scene::default();
    let body = scene.body(ORIGIN, 1.0, [across, across, radius * radius / 2.0]);
    for height in [0.5, -0.5] {
        for i in 0..n / 2 {
            let angle = TAU * i as f64 / (n / 2) as f64;
            let (c, s) = (libm::cos(angle), libm::sin(angle));
            scene.contact(body, None, [radius * c, radius * s, height], [-c, -s, 0.0]);
        }
    }
    scene
}

/// A random push on the peg.
pub(super) fn peg_push(rng: &mut Rng) -> Vec<Impulse> {
    vec![[1.0, 1.0, 1.0, 0.5, 0.5, 0.5].map(|scale| scale * rng.normal())]
}

/// One body, and the impulse that presses it on its contacts.
pub(super) struct Single {
    pub(super) name: &'static str,
    pub(super) scene: Scene,
    bias: Vector,
}

impl Single {
    fn new(name: &'static str, scene: Scene, bias: Vector) -> Self {
        Self { name, scene, bias }
    }

    /// A random push about the bias.
    pub(super) fn push(&self, rng: &mut Rng) -> Vec<Impulse> {
        let mut k = [1.0, 1.0, 1.0, 0.3, 0.3, 0.3].map(|scale| scale * rng.normal());
        for (k, bias) in k.iter_mut().zip(self.bias) {
            *k += bias;
        }
        vec![k]
    }
}

/// The ten single bodies, 1 to 16 contacts.
pub(super) fn singles() -> Vec<Single> {
    let tripod: Vec<Point> = (0..3)
        .map(|i| 0.3 + TAU * f64::from(i) / 3.0)
        .map(|a| [0.45 * libm::cos(a), 0.45 * libm::sin(a)])
        .collect();
    let overhang = common(&SQUARE, &turned(TAU / 12.0, [0.2, 0.1]));
    let edge = [[-0.5, 0.0, -FRAC_1_SQRT_2], [0.5, 0.0, -FRAC_1_SQRT_2]];
    let walls = [UP, [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let corner = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], UP];
    vec![
        Single::new("s01_point1", ball(&[[0.0, 0.0, -0.5]]), DOWN),
        Single::new("s02_edge2", cube(&edge.map(|p| (p, UP))), DOWN),
        Single::new("s03_tripod3", on_floor(&tripod), DOWN),
        Single::new("s04_face4", on_floor(&SQUARE), DOWN),
        Single::new("s05_face6", on_floor(&overhang), DOWN),
        Single::new("s06_vgroove8", v_groove(), DOWN),
        Single::new("s07_face8", on_floor(&common(&SQUARE, &DIAMOND)), DOWN),
        Single::new("s08_ballrim10", ball(&rim()), DOWN),
        Single::new("s09_corner12", cube(&faces(&corner)), [-1.0; 3]),
        Single::new("s10_groove16", cube(&faces(&walls)), [0.0, -0.7, -1.0]),
    ]
}

/// A unit cube with the given points and normals.
fn cube(contacts: &[(Vector, Vector)]) -> Scene {
    let mut scene = Scene::default();
    let body = scene.cuboid(ORIGIN, 1.0, [1.0; 3]);
    for (point, normal) in contacts {
        scene.contact(body, None, *point, *normal);
    }
    scene
}

/// A solid ball of radius 1/2: the normals point to its centre.
fn ball(points: &[Vector]) -> Scene {
    let mut scene = Scene::default();
    let body = scene.body(ORIGIN, 1.0, [0.1; 3]);
    for point in points {
        scene.contact(body, None, *point, point.map(|x| -x));
    }
    scene
}

fn on_floor(corners: &[Point]) -> Scene {
    let contacts: Vec<_> = corners.iter().map(|p| ([p[0], p[1], -0.5], UP)).collect();
    cube(&contacts)
}

/// Four corners of each face of the unit cube that a wall with this normal touches.
fn faces(normals: &[Vector]) -> Vec<(Vector, Vector)> {
    let mut contacts = Vec::new();
    for normal in normals {
        let axis = (0..3).find(|&i| normal[i] != 0.0).unwrap_or(0);
        for [u, v] in [[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]] {
            let mut point = [0.0; 3];
            point[axis] = -0.5 * normal[axis];
            point[(axis + 1) % 3] = u;
            point[(axis + 2) % 3] = v;
            contacts.push((point, *normal));
        }
    }
    contacts
}

/// A cube between two walls at 45°.
fn v_groove() -> Scene {
    const H: f64 = FRAC_1_SQRT_2;
    let mut contacts = Vec::new();
    for normal in [[H, 0.0, H], [-H, 0.0, H]] {
        let down_the_wall = [normal[2], 0.0, -normal[0]];
        for [u, y] in SQUARE {
            let point = [0, 1, 2].map(|i| u * down_the_wall[i] - 0.5 * normal[i]);
            contacts.push(([point[0], y, point[2]], normal));
        }
    }
    cube(&contacts)
}

/// Ten points of the circle in which the ball rests on a round hole of radius 0.35.
fn rim() -> Vec<Vector> {
    let radius: f64 = 0.35;
    let depth = (0.25 - radius * radius).sqrt();
    (0..10)
        .map(|i| TAU * f64::from(i) / 10.0)
        .map(|a| [radius * libm::cos(a), radius * libm::sin(a), -depth])
        .collect()
}
