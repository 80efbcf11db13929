//! Scenes of several bodies: stacks, brick walls and the two-box grasp.

use super::polygon::{DIAMOND, Point, SQUARE, common};
use super::scene::{Impulse, Scene};
use crate::campaign::families::Rng;

const UP: [f64; 3] = [0.0, 0.0, 1.0];

/// Which way a cube of a stack, or the pedestal below it, is turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Straight,
    Diagonal,
}

impl Turn {
    fn face(self) -> [Point; 4] {
        match self {
            Turn::Straight => SQUARE,
            Turn::Diagonal => DIAMOND,
        }
    }
}

/// The paper's stacks of one to five cubes with 4 to 32 contacts \[Lloyd 6\]: the pedestal first where it is not a plane, then the
/// cubes from the bottom up. Letters: s straight, d diagonal, - a plane.
pub(super) const STACKS: [(&str, &str); 10] = [
    ("-", "s"),
    ("d", "s"),
    ("-", "ss"),
    ("-", "sd"),
    ("-", "sss"),
    ("-", "sds"),
    ("-", "ssss"),
    ("-", "sdds"),
    ("-", "sssss"),
    ("-", "sdssd"),
];

/// Turns of a stack from its letters; `None` for a plane.
pub(super) fn turns(letters: &str) -> Vec<Option<Turn>> {
    letters
        .chars()
        .map(|letter| match letter {
            's' => Some(Turn::Straight),
            'd' => Some(Turn::Diagonal),
            _ => None,
        })
        .collect()
}

/// Unit cubes on each other. Two faces meet in the corners of their common part.
pub(super) fn stack(pedestal: Option<Turn>, cubes: &[Turn]) -> Scene {
    let mut scene = Scene::default();
    let mut below = pedestal;
    for (i, turn) in cubes.iter().enumerate() {
        let height = i as f64;
        let body = scene.cuboid([0.0, 0.0, height + 0.5], 1.0, [1.0; 3]);
        let face = turn.face();
        let corners = match below {
            None => face.to_vec(),
            Some(below) => common(&face, &below.face()),
        };
        for [x, y] in corners {
            scene.contact(body, i.checked_sub(1), [x, y, height], UP);
        }
        below = Some(*turn);
    }
    scene
}

/// A stack of straight cubes on a plane.
pub(super) fn aligned(cubes: usize) -> Scene {
    stack(None, &vec![Turn::Straight; cubes])
}

/// Gravity on every body and a random push on the last.
pub(super) fn stack_push(scene: &Scene, rng: &mut Rng) -> Vec<Impulse> {
    let mut k = gravity(scene);
    if let Some(top) = k.last_mut() {
        shake(top, [0.5, 0.5, 0.5, 0.2, 0.2, 0.2], rng);
    }
    k
}

/// Impulse of gravity over the unit step, g = 1.
fn gravity(scene: &Scene) -> Vec<Impulse> {
    (0..scene.body_count())
        .map(|body| [0.0, 0.0, -scene.mass(body), 0.0, 0.0, 0.0])
        .collect()
}

fn shake(k: &mut Impulse, scale: Impulse, rng: &mut Rng) {
    for (k, scale) in k.iter_mut().zip(scale) {
        *k += scale * rng.normal();
    }
}

/// Sides of a whole brick.
const BRICK: [f64; 3] = [1.0, 0.5, 0.5];

/// A running-bond wall on a plane: every second row starts and ends with half a brick.
pub(super) fn wall(rows: usize, columns: usize) -> Scene {
    let [length, depth, height] = BRICK;
    let mut scene = Scene::default();
    let mut below: Vec<(Option<usize>, f64, f64)> = vec![(None, 0.0, length * columns as f64)];
    for row in 0..rows {
        let floor = row as f64 * height;
        let mut course = Vec::new();
        for (left, right) in spans(row % 2 == 1, columns) {
            let width = right - left;
            let centre = [f64::midpoint(left, right), 0.0, floor + height / 2.0];
            let brick = scene.cuboid(centre, width, [width, depth, height]);
            for (under, from, to) in &below {
                let (from, to) = (left.max(*from), right.min(*to));
                if from < to {
                    for x in [from, to] {
                        for y in [-depth / 2.0, depth / 2.0] {
                            scene.contact(brick, *under, [x, y, floor], UP);
                        }
                    }
                }
            }
            course.push((Some(brick), left, right));
        }
        below = course;
    }
    scene
}

/// Where the bricks of a course begin and end. All ends are multiples of half a brick, so that comparing them is exact.
fn spans(halved: bool, columns: usize) -> Vec<(f64, f64)> {
    let end = BRICK[0] * columns as f64;
    let mut cuts: Vec<f64> = vec![0.0];
    let (first, count) = if halved { (0.5, columns) } else { (1.0, columns - 1) };
    cuts.extend((0..count).map(|i| BRICK[0] * (first + i as f64)));
    cuts.push(end);
    cuts.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Gravity on every brick and a random push on three different ones.
pub(super) fn wall_push(scene: &Scene, rng: &mut Rng) -> Vec<Impulse> {
    let mut k = gravity(scene);
    let mut bricks: Vec<usize> = (0..k.len()).collect();
    for i in 0..3.min(bricks.len()) {
        let j = rng.between(i, bricks.len() - 1);
        bricks.swap(i, j);
        shake(&mut k[bricks[i]], [1.0, 1.0, 0.5, 0.2, 0.2, 0.2], rng);
    }
    k
}

/// How the three interfaces of the grasp are covered with 12 contacts each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grasp {
    /// The four corners, each with three normals: contacts that repeat each other's constraints.
    Corners,
    /// A grid of 3 × 4 points, all with the axial normal.
    Grid,
}

/// Two jaws on one axis squeeze two cubes between them \[Drumwright VI\].
pub(super) fn grasp(kind: Grasp) -> Scene {
    const AXIS: [f64; 3] = [1.0, 0.0, 0.0];
    let mut scene = Scene::default();
    scene.slider([-1.5, 0.0, 0.0], 1.0, AXIS);
    for x in [-0.5, 0.5] {
        scene.cuboid([x, 0.0, 0.0], 1.0, [1.0; 3]);
    }
    scene.slider([1.5, 0.0, 0.0], 1.0, AXIS);
    for (left, x) in [-1.0, 0.0, 1.0].into_iter().enumerate() {
        let mut touch = |y: f64, z: f64, normal: [f64; 3]| scene.contact(left + 1, Some(left), [x, y, z], normal);
        match kind {
            Grasp::Corners => {
                for [y, z] in SQUARE {
                    touch(y, z, AXIS);
                    touch(y, z, [0.0, y.signum(), 0.0]);
                    touch(y, z, [0.0, 0.0, z.signum()]);
                }
            }
            Grasp::Grid => {
                for i in 0..12 {
                    let (y, z) = (f64::from(i / 4) / 2.0 - 0.5, f64::from(i % 4) / 3.0 - 0.5);
                    touch(y, z, AXIS);
                }
            }
        }
    }
    scene
}

/// The squeeze of the jaws, gravity on the cubes, and a random push on each cube.
pub(super) fn grasp_push(rng: &mut Rng) -> Vec<Impulse> {
    let mut k = vec![[0.0; 6]; 4];
    k[0][0] = 10.0;
    k[3][0] = -10.0;
    for cube in &mut k[1..3] {
        cube[2] = -1.0;
        shake(cube, [0.2, 0.2, 0.2, 0.1, 0.1, 0.1], rng);
    }
    k
}
