//! `[[coupling]]`: bodies that are led by others.

use super::SceneBody;
use super::bodies::Names;
use super::error::Report;
use super::reader::Fields;
use crate::Coupling;

/// Reads every `[[coupling]]`.
pub(super) fn read(root: &Fields<'_>, bodies: &[SceneBody], names: &Names, report: &mut Report<'_>) -> Vec<Coupling> {
    let tables = root.tables("coupling", report);
    tables
        .iter()
        .filter_map(|fields| coupling(fields, bodies, names, report))
        .collect()
}

fn coupling(fields: &Fields<'_>, bodies: &[SceneBody], names: &Names, report: &mut Report<'_>) -> Option<Coupling> {
    fields.only(&["body", "leader", "stiffness", "damping"], report);
    let mut end = |key: &str, dynamic: bool, requirement: &str| {
        let node = fields.need(key, report)?;
        let at = names.find(&node, report)?;
        if bodies[at].body.is_dynamic() == dynamic {
            return Some(at);
        }
        node.wrong(requirement, report)
    };
    let body = end("body", true, "must be the name of a dynamic body");
    let leader = end("leader", false, "must be the name of a body that is not dynamic");
    let mut pair = |key: &str| {
        let Some(node) = fields.get(key) else {
            return Some([0.0; 2]);
        };
        let pair = node.numbers::<2>(report)?;
        if pair.iter().any(|x| *x < 0.0) {
            return node.wrong("must not be negative", report);
        }
        Some(pair)
    };
    let (stiffness, damping) = (pair("stiffness"), pair("damping"));
    Some(Coupling {
        body: body?,
        leader: leader?,
        stiffness: stiffness?,
        damping: damping?,
    })
}
