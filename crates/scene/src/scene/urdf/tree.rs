//! Links and joints as a tree: one root, one parent each, no cycle.

use super::{Link, UrdfJoint};
use crate::scene::error::{Report, shorten};

/// The root, and the joints with parents before children.
pub(super) fn arrange(
    links: &[Link],
    joints: Vec<UrdfJoint>,
    report: &mut Report<'_>,
) -> Option<(usize, Vec<UrdfJoint>)> {
    let mut above: Vec<Option<usize>> = vec![None; links.len()];
    let mut fits = true;
    for (k, joint) in joints.iter().enumerate() {
        let path = format!("joint[{}].child", shorten(&joint.name));
        if joint.parent == joint.child {
            let problem = format!(
                "must be another link than the parent, found {}",
                links[joint.child].name
            );
            report.add(joint.at, &path, problem);
            fits = false;
        } else if let Some(other) = above[joint.child] {
            let problem = format!(
                "must be a link that no other joint moves, found {}, moved by {}",
                shorten(&links[joint.child].name),
                shorten(&joints[other].name)
            );
            report.add(joint.at, &path, problem);
            fits = false;
        }
        above[joint.child] = Some(k);
    }
    if !fits {
        return None;
    }
    let mut roots = (0..links.len()).filter(|link| above[*link].is_none());
    let Some(root) = roots.next() else {
        let link = links.first()?;
        let path = format!("link[{}]", shorten(&link.name));
        report.add(
            link.at,
            &path,
            "must be part of a tree, found a cycle: no link is the root",
        );
        return None;
    };
    for other in roots {
        let path = format!("link[{}]", shorten(&links[other].name));
        let problem = format!(
            "must be the child of a joint, found a second root beside {}",
            shorten(&links[root].name)
        );
        report.add(links[other].at, &path, problem);
        fits = false;
    }
    let order = walk(root, links.len(), &joints);
    let mut reached = vec![false; links.len()];
    reached[root] = true;
    for k in &order {
        reached[joints[*k].child] = true;
    }
    // Links below a second root are not lost by themselves.
    if fits && let Some(lost) = reached.iter().position(|reached| !reached) {
        let path = format!("link[{}]", shorten(&links[lost].name));
        report.add(
            links[lost].at,
            &path,
            "must be part of the tree, found a cycle of joints",
        );
        fits = false;
    }
    let mut joints: Vec<Option<UrdfJoint>> = joints.into_iter().map(Some).collect();
    let arranged = order.iter().filter_map(|k| joints[*k].take()).collect();
    fits.then_some((root, arranged))
}

/// Joints in the order of a walk from the root, breadth first.
fn walk(root: usize, count: usize, joints: &[UrdfJoint]) -> Vec<usize> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (k, joint) in joints.iter().enumerate() {
        below[joint.parent].push(k);
    }
    let (mut order, mut next, mut link) = (Vec::new(), 0, root);
    loop {
        order.extend(&below[link]);
        let Some(k) = order.get(next) else { return order };
        link = joints[*k].child;
        next += 1;
    }
}
