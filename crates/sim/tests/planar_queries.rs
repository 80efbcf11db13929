//! Rays and distances in a planar world.
#![allow(clippy::unwrap_used)]

use stiction_scene::{Scene, WorldExt};
use stiction_sim::{Vec3, World};

const TEXT: &str = r#"
format = 1
world = { friction = 0.5, planar = true }
body = [
    { name = "ground", shape = { half_plane = [0, 1] } },
    { name = "disc", shape = { disc = 0.5 }, position = [0, 2] },
    { name = "plate", shape = { box = [2, 1] }, position = [4, 0.5] },
    { name = "rod", shape = { capsule = { radius = 0.1, length = 1 } }, position = [-3, 1], angle = { degrees = 90 } },
    { name = "pair", shape = { compound = [{ disc = 0.2, position = [0, 0.5] }, { box = [1, 0.2] }] }, position = [9, 3] },
]
"#;

fn world() -> World {
    World::from_scene(&Scene::parse(TEXT, ".").unwrap()).unwrap()
}

#[test]
fn rays_meet_what_lies_in_the_plane() {
    let world = world();
    let cast = |x: f64, y: f64, dx: f64, dy: f64| {
        let hit = world.cast_ray(Vec3::new(x, y, 0.0), Vec3::new(dx, dy, 0.0), 100.0)?;
        Some((world.bodies()[hit.body].name.clone(), hit.distance, hit.normal))
    };
    let near = |found: Option<(String, f64, Vec3)>, name: &str, distance: f64, normal: Vec3| {
        let (body, d, n) = found.unwrap();
        assert_eq!(body, name);
        assert!(
            (d - distance).abs() < 1e-14 && (n - normal).norm() < 1e-14,
            "{d}, {n:?}"
        );
    };
    near(cast(0.0, 5.0, 0.0, -1.0), "disc", 2.5, Vec3::y());
    near(cast(1.0, 5.0, 0.0, -1.0), "ground", 5.0, Vec3::y());
    near(cast(0.0, 0.25, 1.0, 0.0), "plate", 3.0, -Vec3::x());
    // The rod stands: from x = −3.1 to −2.9, from y = 0.4 to 1.6.
    near(cast(-5.0, 1.0, 1.0, 0.0), "rod", 1.9, -Vec3::x());
    near(cast(-3.0, 3.0, 0.0, -1.0), "rod", 1.4, Vec3::y());
    near(cast(9.0, 5.0, 0.0, -1.0), "pair", 1.3, Vec3::y());
    assert_eq!(cast(-5.0, 2.7, 1.0, 0.0), None);
}

#[test]
fn distances_are_those_of_the_plane() {
    let world = world();
    let find = |name: &str| world.find_body(name).unwrap();
    let distance = |a: &str, b: &str| world.distance(find(a), find(b)).unwrap();
    assert!((distance("disc", "ground").distance - 1.5).abs() < 1e-14);
    // From the disc's centre to the corner (3, 1).
    let to_corner = distance("disc", "plate");
    assert!((to_corner.distance - (10.0_f64.sqrt() - 0.5)).abs() < 1e-12);
    assert!((to_corner.points[1] - Vec3::new(3.0, 1.0, 0.0)).norm() < 1e-12);
    assert!((distance("rod", "plate").distance - 5.9).abs() < 1e-12);
    assert!(distance("plate", "ground").distance.abs() < 1e-14);
    let inside = world
        .distance_to_point(find("plate"), Vec3::new(4.9, 0.5, 0.0))
        .unwrap();
    assert!((inside.distance + 0.1).abs() < 1e-14 && (inside.normal - Vec3::x()).norm() < 1e-14);
    let above = world.distance_to_point(find("rod"), Vec3::new(-3.0, 2.0, 0.0)).unwrap();
    assert!((above.distance - 0.4).abs() < 1e-14);
}

#[test]
fn robots_are_refused_in_the_plane() {
    let text = format!("{TEXT}[[urdf]]\nfile = \"robot.urdf\"\n");
    let error = Scene::parse(&text, ".").unwrap_err().to_string();
    assert!(
        error.contains("urdf[0].file: must not be in a planar world: robots are spatial"),
        "{error}"
    );
}
