//! A contact problem as a `contact-raw` file, from which `stiction solve` builds the same problem to the bit.

use serde::Serialize;
use stiction_contact::{ContactProblem, Touch};

use crate::bad_input::BadInput;
use crate::read::groups::{self, Groups};

#[derive(Debug, Serialize)]
struct File<'a> {
    kind: &'static str,
    name: &'a str,
    blocks: Vec<Block<'a>>,
    contacts: Vec<Contact<'a>>,
    joints: Vec<Joint<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Groups,
}

#[derive(Debug, Serialize)]
struct Block<'a> {
    mass: Vec<&'a [f64]>,
    v_free: &'a [f64],
}

#[derive(Debug, Serialize)]
struct Contact<'a> {
    parts: Vec<ContactPart<'a>>,
    mu: Friction,
    bias: [f64; 3],
    #[serde(skip_serializing_if = "is_zero")]
    restitution: f64,
    #[serde(skip_serializing_if = "is_zero")]
    viscosity: f64,
    #[serde(skip_serializing_if = "are_zero")]
    slip: [f64; 2],
}

#[derive(Debug, Serialize)]
struct ContactPart<'a> {
    block: usize,
    normal: &'a [f64],
    tangents: [&'a [f64]; 2],
}

#[derive(Debug, Serialize)]
struct Joint<'a> {
    parts: Vec<JointPart<'a>>,
    bias: f64,
    #[serde(skip_serializing_if = "is_zero")]
    compliance: f64,
    /// JSON has no infinity: without it there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    most: Option<f64>,
}

#[derive(Debug, Serialize)]
struct JointPart<'a> {
    block: usize,
    row: &'a [f64],
}

/// JSON has no infinity.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Friction {
    Finite(f64),
    Infinite(&'static str),
}

// serde hands references over.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

fn are_zero(x: &[f64; 2]) -> bool {
    *x == [0.0; 2]
}

/// The text of the file.
pub fn text(problem: &ContactProblem, name: &str) -> Result<String, BadInput> {
    let blocks = (0..problem.block_count()).map(|block| {
        let range = problem.block_range(block);
        Block {
            mass: problem.mass(block).chunks(range.len().max(1)).collect(),
            v_free: &problem.v_free()[range],
        }
    });
    let joints = (0..problem.joint_count()).map(|joint| {
        let (touches, row) = problem.joint_tilde(joint);
        let (compliance, most) = problem.joint_yield(joint);
        Joint {
            parts: touches
                .iter()
                .map(|touch| JointPart {
                    block: touch.block,
                    row: share(row, touch),
                })
                .collect(),
            bias: problem.joint_bias(joint),
            compliance,
            most: most.is_finite().then_some(most),
        }
    });
    let file = File {
        kind: "contact-raw",
        name,
        blocks: blocks.collect(),
        contacts: (0..problem.contact_count()).map(|i| contact(problem, i)).collect(),
        joints: joints.collect(),
        groups: groups::of(problem),
    };
    crate::write::json_text(&file)
}

fn contact(problem: &ContactProblem, index: usize) -> Contact<'_> {
    let columns = problem.columns_tilde(index);
    let parts = columns.touches.iter().map(|touch| ContactPart {
        block: touch.block,
        normal: share(columns.normal, touch),
        tangents: columns.tangents.map(|column| share(column, touch)),
    });
    let mu = problem.mu(index);
    Contact {
        parts: parts.collect(),
        mu: if mu.is_infinite() {
            Friction::Infinite("inf")
        } else {
            Friction::Finite(mu)
        },
        bias: problem.bias(index),
        restitution: problem.restitution(index),
        viscosity: problem.viscosity(index),
        slip: problem.slip(index),
    }
}

/// A block's share of a column.
fn share<'a>(column: &'a [f64], touch: &Touch) -> &'a [f64] {
    &column[touch.start..touch.start + touch.len]
}
