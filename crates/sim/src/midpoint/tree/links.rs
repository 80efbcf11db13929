//! Which bodies hang on which: trees of joints, from their roots outwards.

use crate::body::Kind;
use crate::joint::{Joint, JointKind};
use crate::model::Model;

/// What a joint leaves free to the body that it places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Freedom {
    /// The first body of a tree that hangs on nothing: all motion.
    Free,
    /// A turn about an axis.
    Turn,
    /// A way along an axis.
    Slide,
    /// Every turn.
    Ball,
    /// Nothing.
    None,
}

/// A body with the joint that places it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) body: usize,
    /// The link that it hangs on; none at a root.
    pub(super) parent: Option<usize>,
    /// The body that it hangs on; itself where it hangs on nothing.
    pub(super) base: usize,
    /// The joint between them.
    pub(super) joint: Option<usize>,
    /// Whether the joint's body a is the one that is placed.
    pub(super) places_a: bool,
    pub(super) freedom: Freedom,
    /// Its tree.
    pub(super) tree: usize,
}

impl Link {
    /// 1 where its coordinate is that of the joint, −1 where it is its opposite.
    pub(super) fn sign(&self) -> f64 {
        if self.places_a { 1.0 } else { -1.0 }
    }
}

/// A tree of links, which follow each other in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tree {
    pub(super) first: usize,
    pub(super) end: usize,
    /// Whether it hangs on nothing.
    pub(super) flies: bool,
}

impl Tree {
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.first..self.end
    }
}

/// All links of a model, parents before children; found anew where bodies or joints have come or gone.
#[derive(Debug, Clone, Default)]
pub(super) struct Links {
    pub(super) list: Vec<Link>,
    pub(super) trees: Vec<Tree>,
    /// The link of each body; none for what does not move.
    pub(super) of_body: Vec<Option<usize>>,
    /// Whether every body that moves is in a tree of joints, and every joint is in one.
    pub(super) are_all: bool,
    /// What they were found for: changes of bodies, and the joints by id.
    revision: Option<u64>,
    joints: Vec<u64>,
}

fn freedom(kind: &JointKind) -> Option<Freedom> {
    match kind {
        JointKind::Revolute => Some(Freedom::Turn),
        JointKind::Prismatic => Some(Freedom::Slide),
        JointKind::Spherical => Some(Freedom::Ball),
        JointKind::Fixed => Some(Freedom::None),
        _ => None,
    }
}

impl Links {
    /// Those of a model.
    pub(super) fn find(&mut self, model: &Model) {
        let ids = &model.ids;
        if self.revision == Some(ids.revision) && self.joints == ids.joints {
            return;
        }
        self.revision = Some(ids.revision);
        self.joints.clone_from(&ids.joints);
        self.are_all = self.grow(model).is_some();
        self.of_body.clear();
        self.of_body.resize(model.bodies.len(), None);
        for (k, link) in self.list.iter().enumerate() {
            self.of_body[link.body] = Some(k);
        }
    }

    /// Finds the trees; none where something is not in one.
    fn grow(&mut self, model: &Model) -> Option<()> {
        self.list.clear();
        self.trees.clear();
        let moves = |body: usize| model.blocks()[body].is_some();
        let mut at_body: Vec<Vec<usize>> = vec![Vec::new(); model.bodies.len()];
        let mut left = 0;
        for (k, joint) in model.joints.iter().enumerate() {
            let ends = joint.bodies();
            // A free joint holds nothing.
            if joint.kind == JointKind::Free || !ends.iter().any(|body| moves(*body)) {
                continue;
            }
            freedom(&joint.kind)?;
            left += 1;
            for body in ends.iter().filter(|body| moves(**body)) {
                at_body[*body].push(k);
            }
        }
        let mut placed = vec![false; model.bodies.len()];
        // What hangs on ground first, then what flies.
        for flies in [false, true] {
            for body in (0..model.bodies.len()).filter(|body| moves(*body)) {
                if placed[body] {
                    continue;
                }
                let hangs = at_body[body]
                    .iter()
                    .copied()
                    .find(|k| !moves(other(&model.joints[*k], body)));
                let first = self.list.len();
                if flies {
                    let root = Link {
                        body,
                        parent: None,
                        base: body,
                        joint: None,
                        places_a: true,
                        freedom: Freedom::Free,
                        tree: self.trees.len(),
                    };
                    self.list.push(root);
                } else if let Some(k) = hangs {
                    if !matches!(model.bodies[other(&model.joints[k], body)].kind, Kind::Fixed) {
                        return None;
                    }
                    self.push(model, body, None, k)?;
                } else {
                    continue;
                }
                placed[body] = true;
                // Branch by branch: what hangs on a link follows it at once.
                let hanging = |at_body: &[usize], on: usize| at_body.iter().rev().map(|k| (on, *k)).collect::<Vec<_>>();
                let mut next = hanging(&at_body[body], first);
                while let Some((on, k)) = next.pop() {
                    let child = other(&model.joints[k], self.list[on].body);
                    if moves(child) && !placed[child] {
                        placed[child] = true;
                        self.push(model, child, Some(on), k)?;
                        next.extend(hanging(&at_body[child], self.list.len() - 1));
                    }
                }
                self.trees.push(Tree {
                    first,
                    end: self.list.len(),
                    flies,
                });
            }
        }
        // A joint that places nothing closes a loop; a body without joints is none of a tree.
        let used = self.list.iter().filter(|link| link.joint.is_some()).count();
        let lonely = self.trees.iter().any(|tree| tree.flies && tree.range().len() == 1);
        (used == left && !lonely && !self.list.is_empty()).then_some(())
    }

    fn push(&mut self, model: &Model, body: usize, parent: Option<usize>, k: usize) -> Option<()> {
        let joint = &model.joints[k];
        self.list.push(Link {
            body,
            parent,
            base: other(joint, body),
            joint: Some(k),
            places_a: joint.a == body,
            freedom: freedom(&joint.kind)?,
            tree: self.trees.len(),
        });
        Some(())
    }
}

/// The other body of a joint.
fn other(joint: &Joint, body: usize) -> usize {
    if joint.a == body { joint.b } else { joint.a }
}
