//! `<mimic>`: a joint that follows another. Its coordinate is the multiplier times that of the other, plus the offset.

use std::collections::BTreeMap;

use super::element::Element;
use super::joint::KINDS;
use super::{UrdfJoint, UrdfJointKind};
use crate::scene::error::{Report, shorten};
use crate::transmission::{Freedom, is_ratio_of_teeth, is_within_turn};

/// What a leader must be.
const LEADER: &str = "must be the name of a revolute, continuous or prismatic joint";

/// How a joint follows another.
#[derive(Debug, Clone, PartialEq)]
pub struct UrdfMimic {
    /// Name of the joint that it follows.
    pub joint: String,
    /// Coordinate per coordinate of the other \[1, m/rad or rad/m\].
    pub multiplier: f64,
    /// Coordinate where that of the other is 0 \[rad or m\].
    pub offset: f64,
    /// Where the name of the other and the multiplier stand in the text \[bytes\].
    at: [usize; 2],
}

/// Reads the mimic of a joint; none where there is none, and where it is wrong, which is reported.
pub(super) fn read(
    element: &Element<'_, '_>,
    kind: Option<UrdfJointKind>,
    report: &mut Report<'_>,
) -> Option<UrdfMimic> {
    let mimic = element.child("mimic", report)?;
    let joint = mimic.need("joint", report);
    let multiplier = mimic.number_or("multiplier", 1.0, "must not be 0", |x| x != 0.0, report);
    let offset = mimic.number_or("offset", 0.0, "", |_| true, report);
    if let Some(kind) = kind.filter(|kind| !kind.has_coordinate()) {
        let name = KINDS
            .iter()
            .find(|(_, known)| *known == kind)
            .map_or("", |(name, _)| *name);
        let problem = format!("must be in a revolute, continuous or prismatic joint, found {name}");
        return mimic.fail(problem, report);
    }
    Some(UrdfMimic {
        joint: joint?.to_owned(),
        multiplier: multiplier?,
        offset: offset?,
        at: ["joint", "multiplier"].map(|key| mimic.value_at(key)),
    })
}

/// For each joint the number of the one that it follows.
///
/// # Errors
/// The joints that follow one that is not there or has no coordinate.
pub(super) fn leaders(joints: &[UrdfJoint]) -> Result<Vec<Option<usize>>, Vec<usize>> {
    let numbers: BTreeMap<&str, usize> = joints.iter().enumerate().map(|(k, j)| (j.name.as_str(), k)).collect();
    let mut wrong = Vec::new();
    let mut leaders = Vec::with_capacity(joints.len());
    for (k, joint) in joints.iter().enumerate() {
        let leader = joint.mimic.as_ref().and_then(|mimic| numbers.get(mimic.joint.as_str()));
        let leader = leader.copied().filter(|leader| joints[*leader].kind.has_coordinate());
        if joint.mimic.is_some() && leader.is_none() {
            wrong.push(k);
        }
        leaders.push(leader);
    }
    if wrong.is_empty() { Ok(leaders) } else { Err(wrong) }
}

/// Reports joints that follow one that cannot lead, follow themselves, or have a ratio that angles without limits cannot keep.
pub(super) fn check(joints: &[UrdfJoint], report: &mut Report<'_>) {
    let name = |k: usize| joints[k].mimic.as_ref().map_or("", |mimic| mimic.joint.as_str());
    let leaders = match leaders(joints) {
        Ok(leaders) => leaders,
        Err(wrong) => {
            for k in wrong {
                fail(
                    &joints[k],
                    "joint",
                    format!("{LEADER}, found {}", shorten(name(k))),
                    report,
                );
            }
            return;
        }
    };
    if let Some(k) = in_cycle(&leaders) {
        let problem = format!("must not lead back to the joint itself, found {}", shorten(name(k)));
        return fail(&joints[k], "joint", problem, report);
    }
    for (joint, leader) in joints.iter().zip(&leaders) {
        let (Some(mimic), Some(leader)) = (&joint.mimic, leader) else {
            continue;
        };
        let both = [joint, &joints[*leader]];
        let turn = both.iter().all(|j| j.kind != UrdfJointKind::Prismatic);
        let within = both.iter().all(|j| is_within_turn(Freedom::Turn, j.limits));
        if turn && !within && !is_ratio_of_teeth(mimic.multiplier) {
            let requirement =
                "must be a ratio of whole numbers up to 1000 where a joint has no limits within half a turn";
            fail(
                joint,
                "multiplier",
                format!("{requirement}, found {}", mimic.multiplier),
                report,
            );
        }
    }
}

fn fail(joint: &UrdfJoint, key: &str, problem: String, report: &mut Report<'_>) {
    let place = usize::from(key == "multiplier");
    let at = joint.mimic.as_ref().map_or(joint.at, |mimic| mimic.at[place]);
    report.add(at, &format!("joint[{}].mimic.{key}", shorten(&joint.name)), problem);
}

/// A joint from which a walk along leaders comes back to it.
pub(super) fn in_cycle(leaders: &[Option<usize>]) -> Option<usize> {
    // 0: not seen, else the number of the walk that came by.
    let mut seen = vec![0; leaders.len()];
    for first in 0..leaders.len() {
        let mut at = Some(first);
        while let Some(k) = at.filter(|k| seen[*k] == 0) {
            seen[k] = first + 1;
            at = leaders[k];
        }
        if let Some(k) = at.filter(|k| seen[*k] == first + 1) {
            return Some(k);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found_and_chains_are_not() {
        assert_eq!(in_cycle(&[]), None);
        assert_eq!(in_cycle(&[None, Some(0), Some(1), Some(1)]), None);
        assert_eq!(in_cycle(&[Some(2), Some(0), None]), None);
        assert_eq!(in_cycle(&[Some(0)]), Some(0));
        assert_eq!(in_cycle(&[Some(1), Some(2), Some(1)]), Some(1));
        let chain: Vec<Option<usize>> = (0..1000).map(|k: usize| k.checked_sub(1)).collect();
        assert_eq!(in_cycle(&chain), None);
    }
}
