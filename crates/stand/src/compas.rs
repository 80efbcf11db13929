//! Assemblies of compas_cra: `CRA_Assembly` as JSON, blocks as meshes, interfaces as polygons with a frame. Faces of blocks are triangle fans about their first corner, which matters for faces that
//! are not plane.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::equilibrium::Equilibrium;
use crate::error::StandError;
use crate::interfaces::Block;

type Three = [f64; 3];

fn bad(path: &str, requirement: &str) -> StandError {
    StandError::value(path, requirement, "another")
}

fn three(x: Option<f64>, y: Option<f64>, z: Option<f64>) -> Option<Three> {
    Some([x?, y?, z?])
}

fn list(value: &Value) -> Option<Three> {
    three(value[0].as_f64(), value[1].as_f64(), value[2].as_f64())
}

fn cross(a: Three, b: Three) -> Three {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// The mesh of a node.
fn block(name: &str, node: &Value) -> Result<Block, StandError> {
    let path = format!("node.{name}.block");
    let data = &node["block"]["data"];
    let mut place = BTreeMap::new();
    let mut vertices = Vec::new();
    for (key, point) in data["vertex"].as_object().into_iter().flatten() {
        let point = three(point["x"].as_f64(), point["y"].as_f64(), point["z"].as_f64());
        place.insert(key.clone(), vertices.len());
        vertices.push(point.ok_or_else(|| bad(&format!("{path}.vertex.{key}"), "must have x, y and z"))?);
    }
    let mut faces = Vec::new();
    for (key, face) in data["face"].as_object().into_iter().flatten() {
        let of = |corner: &Value| place.get(&corner.to_string()).copied();
        let corners = face.as_array().into_iter().flatten().map(of);
        let corners: Option<Vec<usize>> = corners.collect();
        let corners = corners.ok_or_else(|| bad(&format!("{path}.face.{key}"), "must list vertices"))?;
        // Faces that are not plane are fans about their first corner.
        faces.extend(
            corners
                .windows(2)
                .skip(1)
                .map(|ends| vec![corners[0], ends[0], ends[1]]),
        );
    }
    Ok(Block {
        name: name.to_owned(),
        vertices,
        faces,
        is_support: node["is_support"] == true,
    })
}

/// The equilibrium of an assembly on the interfaces that its file has, under a gravity of 9.81 m/s² along −z. Normals point between the centres of the blocks.
///
/// # Errors
/// A file that is not such an assembly; meshes that are not closed; a density or friction out of range.
pub fn read(file: &Value, (density, friction): (f64, f64)) -> Result<Equilibrium, StandError> {
    let graph = &file["data"]["graph"]["data"];
    let Some(nodes) = graph["node"].as_object() else {
        return Err(bad("data.graph.data.node", "must be an object"));
    };
    let mut whole = Equilibrium::new(false, [0.0, 0.0, -9.81]);
    let mut bodies = BTreeMap::new();
    for (name, node) in nodes {
        let block = block(name, node)?;
        let (body, center) = whole.add_block(&block, density)?;
        bodies.insert(name.as_str(), (body, center));
    }
    for (a, edges) in graph["edge"].as_object().into_iter().flatten() {
        for (b, edge) in edges.as_object().into_iter().flatten() {
            let path = format!("edge.{a}.{b}");
            let ends = [a, b].map(|name| bodies.get(name.as_str()));
            let [Some(first), Some(second)] = ends else {
                return Err(bad(&path, "must join two nodes"));
            };
            if whole.free_of(first.0).is_none() && whole.free_of(second.0).is_none() {
                continue;
            }
            for interface in edge["interfaces"].as_array().into_iter().flatten() {
                let frame = &interface["data"]["frame"]["data"];
                let (Some(x), Some(y)) = (list(&frame["xaxis"]), list(&frame["yaxis"])) else {
                    return Err(bad(&path, "must have interfaces with a frame"));
                };
                let normal = cross(x, y);
                let size = crate::equilibrium::norm(normal);
                let towards: f64 = (0..3).map(|k| normal[k] * (first.1[k] - second.1[k])).sum();
                let normal = normal.map(|x| if towards < 0.0 { -x / size } else { x / size });
                for point in interface["data"]["points"].as_array().into_iter().flatten() {
                    let point = list(point).ok_or_else(|| bad(&path, "must have points of three numbers"))?;
                    whole.add_contact([first.0, second.0], point, normal, friction)?;
                }
            }
        }
    }
    Ok(whole)
}
