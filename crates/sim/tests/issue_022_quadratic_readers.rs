//! Two readers took time that grows with the square of a file's size: an element of a robot with 200,000 attributes, of which the XML parser
//! compares each with each, and a ground of 99,000 equal triangles, whose sides were compared with all others at the same side.
//! Attributes are counted before the document is parsed. Equal triangles count once, and a side belongs to at most 1,000 different ones.
//! At the sizes here the old readers take minutes to hours.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use stiction_scene::{Scene, WorldExt, urdf::Urdf};
use stiction_sim::{MeshError, TriangleMesh, Vec3};

fn attributes(count: usize, prefix: &str) -> String {
    let mut text = String::new();
    for i in 0..count {
        write!(text, " {prefix}{i}='>'").unwrap();
    }
    text
}

#[test]
fn attributes_are_counted_before_they_are_compared() {
    let robot = |attributes: &str| {
        format!("<?xml version='1.0'?>\n<robot name='r'>\n<!-- a=b --><link name='a'{attributes}/></robot>")
    };
    for count in [300, 200_000, 1_000_000] {
        let error = Urdf::parse(&robot(&attributes(count, "a")), ".")
            .unwrap_err()
            .to_string();
        let found = format!("urdf:3:13: must have at most 256 attributes, found {}", count + 1);
        assert_eq!(error, found);
        let error = Urdf::parse(&robot(&attributes(count, "xmlns:a")), ".")
            .unwrap_err()
            .to_string();
        assert_eq!(error, found);
    }
    assert_eq!(Urdf::parse(&robot(&attributes(255, "a")), ".").unwrap().links.len(), 1);
}

#[test]
fn namespaces_are_counted_over_all_elements() {
    let mut text = "<robot name='r'>".to_owned();
    for i in 0..300 {
        write!(text, "<link name='l{i}' xmlns:n{i}='x'/>").unwrap();
    }
    let error = Urdf::parse(&(text + "</robot>"), ".").unwrap_err().to_string();
    assert!(
        error.ends_with("must have at most 256 declarations of namespaces, found 257"),
        "{error}"
    );
}

#[test]
fn equal_triangles_count_once() {
    let corners = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, -0.5)];
    let one = TriangleMesh::new(&corners, &[[0, 1, 2], [1, 3, 2]]).unwrap();
    let mut all = vec![[0, 1, 2], [1, 3, 2]];
    for _ in 0..2_000_000 {
        all.extend([[1, 2, 0], [2, 0, 1], [2, 1, 3]]);
    }
    assert_eq!(TriangleMesh::new(&corners, &all).unwrap(), one);
    // The other sense is another triangle.
    assert_ne!(
        TriangleMesh::new(&corners, &[[0, 1, 2], [0, 2, 1]]).unwrap(),
        TriangleMesh::new(&corners, &[[0, 1, 2]]).unwrap()
    );
}

#[test]
fn many_triangles_at_one_side_are_refused() {
    // A book of pages.
    let pages = |count: usize| {
        let mut corners = vec![Vec3::zeros(), Vec3::x()];
        let angle = |i: usize| i as f64 / count as f64 * 3.0;
        corners.extend((0..count).map(|i| Vec3::new(0.5, angle(i).cos(), angle(i).sin())));
        let triangles: Vec<_> = (0..count).map(|i| [0, 1, 2 + i]).collect();
        TriangleMesh::new(&corners, &triangles)
    };
    for count in [1_001, 2_000_000] {
        let error = pages(count).unwrap_err();
        assert_eq!(error, MeshError::CrowdedSide { corners: [0, 1], count });
        assert_eq!(
            error.to_string(),
            format!("the side between corners 0 and 1 must belong to at most 1000 different triangles, found {count}")
        );
    }
    assert!(pages(1_000).is_ok());
}

/// The file of the attack.
#[test]
fn a_ground_of_equal_triangles_is_read_and_stood_on() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("equal_triangles");
    std::fs::create_dir_all(&folder).unwrap();
    let obj = format!("v -9 -9 0\nv 9 -9 0\nv 0 9 0\n{}", "f 1 2 3\n".repeat(99_000));
    std::fs::write(folder.join("equal.obj"), obj).unwrap();
    let text = "format = 1\nbody = [{ name = \"ground\", shape = { ground = \"equal.obj\" } },\n\
                { name = \"box\", shape = { box = [0.2, 0.2, 0.2] }, position = [0, 0, 0.1] }]";
    let scene = Scene::parse(text, &folder).unwrap();
    let mut world = stiction_sim::World::from_scene(&scene).unwrap();
    for _ in 0..10 {
        let report = world.step().unwrap();
        assert_eq!(report.contacts, 4);
    }
}
