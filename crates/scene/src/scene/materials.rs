//! `[[material]]` and `[[pair]]`.

use super::ScenePair;
use super::bodies::Names;
use super::error::Report;
use super::reader::{Fields, Node};
use crate::PairMaterial;
use crate::body::Material;

/// Friction above this is doubtful; `inf` is not.
const DOUBTFUL_FRICTION: f64 = 5.0;

/// A material by its name.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) material: Material,
    /// Whether its friction is in the file.
    pub(super) has_friction: bool,
    /// Where it stands.
    pub(super) at: usize,
}

/// The materials with their names; `friction` is that of the world, where it gives one.
pub(super) fn read(root: &Fields<'_>, friction: Option<f64>, report: &mut Report<'_>) -> Vec<Named> {
    let mut materials: Vec<Named> = Vec::new();
    for fields in root.tables("material", report) {
        fields.only(&["name", "friction", "restitution", "viscosity"], report);
        let node = fields.need("name", report);
        let name = node.as_ref().and_then(|node| node.string(report));
        let values = values(&fields, friction, report);
        let (Some(node), Some(name)) = (node, name) else {
            continue;
        };
        if materials.iter().any(|other| other.name == name) {
            node.wrong::<()>("must be the name of one material only", report);
        }
        // A material that is wrong is still known, so that bodies that name it are not.
        materials.push(Named {
            name: name.to_owned(),
            material: values.unwrap_or_default(),
            has_friction: friction.is_some() || fields.get("friction").is_some(),
            at: fields.at,
        });
    }
    materials
}

/// A material's values, each with its default; that of the friction is the world's.
pub(super) fn values(fields: &Fields<'_>, friction: Option<f64>, report: &mut Report<'_>) -> Option<Material> {
    let (given, default) = (pair_values(fields, report)?, Material::default());
    Some(Material {
        friction: given.friction.or(friction).unwrap_or(default.friction),
        restitution: given.restitution.unwrap_or(default.restitution),
        viscosity: given.viscosity.unwrap_or(default.viscosity),
    })
}

fn pair_values(fields: &Fields<'_>, report: &mut Report<'_>) -> Option<PairMaterial> {
    let mut read = |key: &str, value: &dyn Fn(&Node<'_>, &mut Report<'_>) -> Option<f64>| match fields.get(key) {
        Some(node) => value(&node, report).map(Some),
        None => Some(None),
    };
    let friction = read("friction", &|node, report| {
        let friction = node.friction(report)?;
        if friction.is_finite() && friction > DOUBTFUL_FRICTION {
            let doubt = format!("is a large friction coefficient, beyond {DOUBTFUL_FRICTION}, found {friction}");
            report.doubt(Some(node.span.start), &node.path, doubt);
        }
        Some(friction)
    });
    let restitution = read("restitution", &|node, report| {
        node.number_where("must lie between 0 and 1", |x| (0.0..=1.0).contains(&x), report)
    });
    let viscosity = read("viscosity", &|node, report| {
        node.number_where("must not be negative", |x| x >= 0.0, report)
    });
    Some(PairMaterial {
        friction: friction?,
        restitution: restitution?,
        viscosity: viscosity?,
    })
}

/// Pairs of bodies or of materials.
pub(super) fn read_pairs(
    root: &Fields<'_>,
    materials: &[Named],
    names: &Names,
    report: &mut Report<'_>,
) -> Vec<ScenePair> {
    let mut pairs = Vec::new();
    for fields in root.tables("pair", report) {
        fields.only(&["materials", "bodies", "friction", "restitution", "viscosity"], report);
        let values = pair_values(&fields, report);
        let pair = match (fields.get("materials"), fields.get("bodies")) {
            (Some(node), None) => two(&node, report, |item, report| {
                let name = item.string(report)?;
                let found = materials.iter().position(|other| other.name == name);
                found.or_else(|| item.wrong("must be the name of a material", report))
            })
            .zip(values)
            .map(|(pair, values)| ScenePair::Materials(pair, values)),
            (None, Some(node)) => two(&node, report, |item, report| names.find(item, report))
                .zip(values)
                .map(|(pair, values)| ScenePair::Bodies(pair, values)),
            (Some(_), Some(_)) => {
                report.add(fields.at, &fields.path, "must name materials or bodies, found both");
                None
            }
            (None, None) => {
                report.add(fields.at, &fields.path, "must name materials or bodies, found neither");
                None
            }
        };
        let twice = |other: &ScenePair| pair.as_ref().is_some_and(|pair| pair.is_of_the_same(other));
        if pairs.iter().any(twice) {
            report.add(
                fields.at,
                &fields.path,
                "must not repeat an earlier pair, found it twice",
            );
        }
        pairs.extend(pair);
    }
    pairs
}

fn two(
    node: &Node<'_>,
    report: &mut Report<'_>,
    find: impl Fn(&Node<'_>, &mut Report<'_>) -> Option<usize>,
) -> Option<[usize; 2]> {
    let list = node.list(report)?;
    if list.len() != 2 {
        return node.fail(format!("must have 2 entries, found {}", list.len()), report);
    }
    let found: Vec<Option<usize>> = list.iter().map(|item| find(item, report)).collect();
    Some([found[0]?, found[1]?])
}
