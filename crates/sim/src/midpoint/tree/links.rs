//! Which bodies hang on which: trees of joints, from their roots outwards.

use crate::Pose;
use crate::body::Kind;
use crate::joint::{Joint, JointKind};
use crate::model::Model;
use crate::transmission;

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

/// A body with the joint that places it. A compound joint is several: all but the last are frames without mass between its motions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    /// The body, or that which follows the frame.
    pub(super) body: usize,
    /// Whether it is the body, and no frame.
    pub(super) is_body: bool,
    /// The link that it hangs on; none at a root.
    pub(super) parent: Option<usize>,
    /// The body that it hangs on; itself where it hangs on nothing.
    pub(super) base: usize,
    /// The joint between them, and that whose coordinate is the link's.
    pub(super) joint: Option<usize>,
    pub(super) coordinate: Option<usize>,
    /// Which of the motions of a compound joint it is, from the base outwards, and how many there are.
    pub(super) motion: Option<(usize, usize)>,
    /// The frame of the joint in the body, and that in what it hangs on; both with z along its axis.
    pub(super) frames: [Pose; 2],
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

/// A number along the coordinates of a tree: a sum of these, each times a coefficient. Of a joint it is its own coordinate, of a tendon a sum.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Along {
    /// The joint whose coordinate it is.
    pub(super) joint: usize,
    pub(super) tree: usize,
    /// Links, and what their coordinates are multiplied by.
    pub(super) terms: Vec<(usize, f64)>,
}

/// All links of a model, parents before children; found anew where bodies or joints have come or gone.
#[derive(Debug, Clone, Default)]
pub(super) struct Links {
    pub(super) list: Vec<Link>,
    pub(super) trees: Vec<Tree>,
    /// Joints with a coordinate: those of links, in their order, then tendons.
    pub(super) alongs: Vec<Along>,
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
        self.are_all = self.grow(model).and_then(|()| self.find_alongs(model)).is_some();
        self.of_body.clear();
        self.of_body.resize(model.bodies.len(), None);
        for (k, link) in self.list.iter().enumerate().filter(|(_, link)| link.is_body) {
            self.of_body[link.body] = Some(k);
        }
    }

    /// Whether a number is that of a tendon.
    pub(super) fn is_tendon(&self, along: &Along) -> bool {
        along
            .terms
            .first()
            .is_none_or(|(k, _)| self.list[*k].coordinate != Some(along.joint))
    }

    /// Finds the trees; none where something is not in one.
    fn grow(&mut self, model: &Model) -> Option<()> {
        self.list.clear();
        self.trees.clear();
        let moves = |body: usize| model.blocks()[body].is_some();
        let mut at_body: Vec<Vec<usize>> = vec![Vec::new(); model.bodies.len()];
        let (mut left, mut coordinates) = (0, 0);
        for (k, joint) in model.joints.iter().enumerate() {
            let ends = joint.bodies();
            // A free joint holds nothing.
            if joint.kind == JointKind::Free || !ends.iter().any(|body| moves(*body)) {
                continue;
            }
            // A tendon is a sum of coordinates of others.
            if matches!(joint.kind, JointKind::Tendon(_)) {
                continue;
            }
            // What acts along a motion of a compound joint is that of the joint.
            if matches!(joint.kind, JointKind::Along(_)) {
                coordinates += 1;
                continue;
            }
            if !matches!(joint.kind, JointKind::Compound(_)) {
                freedom(&joint.kind)?;
            }
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
                        is_body: true,
                        parent: None,
                        base: body,
                        joint: None,
                        coordinate: None,
                        motion: None,
                        frames: [Pose::identity(); 2],
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
                self.grow_branches(model, &at_body, &mut placed)?;
                self.trees.push(Tree {
                    first,
                    end: self.list.len(),
                    flies,
                });
            }
        }
        // A joint that places nothing closes a loop; a body without joints is none of a tree.
        let used = self
            .list
            .iter()
            .filter(|link| link.is_body && link.joint.is_some())
            .count();
        let of_motions = self.list.iter().filter(|link| link.motion.is_some());
        let has_all = of_motions.filter(|link| link.coordinate.is_some()).count() == coordinates;
        let lonely = self.trees.iter().any(|tree| tree.flies && tree.range().len() == 1);
        (used == left && has_all && !lonely && !self.list.is_empty()).then_some(())
    }

    /// Finds what has a coordinate; none where a tendon is no sum of coordinates of one tree.
    fn find_alongs(&mut self, model: &Model) -> Option<()> {
        self.alongs.clear();
        for (k, link) in self.list.iter().enumerate() {
            self.alongs.extend(link.coordinate.map(|joint| Along {
                joint,
                tree: link.tree,
                terms: vec![(k, link.sign())],
            }));
        }
        for (joint, tendon) in model.joints.iter().enumerate() {
            let JointKind::Tendon(sum) = &tendon.kind else { continue };
            if !tendon.bodies().iter().any(|body| model.blocks()[*body].is_some()) {
                continue;
            }
            let mut terms = Vec::new();
            for (coefficient, term) in &sum.terms {
                let is_term = |link: &Link| link.coordinate.is_some_and(|k| is_same(&model.joints[k], term));
                let place = self.list.iter().position(is_term)?;
                terms.push((place, coefficient * self.list[place].sign()));
            }
            let tree = self.list[terms.first()?.0].tree;
            if terms.iter().any(|(k, _)| self.list[*k].tree != tree) {
                return None;
            }
            self.alongs.push(Along { joint, tree, terms });
        }
        Some(())
    }

    /// Adds what hangs on the last link, branch by branch: what hangs on a link follows it at once.
    fn grow_branches(&mut self, model: &Model, at_body: &[Vec<usize>], placed: &mut [bool]) -> Option<()> {
        let hanging = |on: usize, body: usize| at_body[body].iter().rev().map(move |k| (on, *k));
        let root = self.list.len() - 1;
        let mut next: Vec<(usize, usize)> = hanging(root, self.list[root].body).collect();
        while let Some((on, k)) = next.pop() {
            let child = other(&model.joints[k], self.list[on].body);
            if model.blocks()[child].is_some() && !placed[child] {
                placed[child] = true;
                self.push(model, child, Some(on), k)?;
                next.extend(hanging(self.list.len() - 1, child));
            }
        }
        Some(())
    }

    /// Adds a body with the joint that places it.
    fn push(&mut self, model: &Model, body: usize, parent: Option<usize>, k: usize) -> Option<()> {
        let joint = &model.joints[k];
        let places_a = joint.a == body;
        let [own, on] = if places_a {
            [joint.frame_a, joint.frame_b]
        } else {
            [joint.frame_b, joint.frame_a]
        };
        let link = Link {
            body,
            is_body: true,
            parent,
            base: other(joint, body),
            joint: Some(k),
            coordinate: joint.kind.has_coordinate().then_some(k),
            motion: None,
            frames: [own, on],
            places_a,
            freedom: Freedom::None,
            tree: self.trees.len(),
        };
        let JointKind::Compound(compound) = &joint.kind else {
            let freedom = freedom(&joint.kind)?;
            self.list.push(Link { freedom, ..link });
            return Some(());
        };
        let count = compound.axes.len();
        for n in 0..count {
            let index = if places_a { n } else { count - 1 - n };
            let axis = &compound.axes[index];
            let is_along = |other: &Joint| match &other.kind {
                JointKind::Along(along) => {
                    let ends = [(joint.a, joint.frame_a), (joint.b, joint.frame_b)];
                    along.index == index
                        && along.compound == **compound
                        && ends == [(other.a, other.frame_a), (other.b, other.frame_b)]
                }
                _ => false,
            };
            let frame = axis.frame();
            self.list.push(Link {
                is_body: n + 1 == count,
                parent: if n == 0 { parent } else { Some(self.list.len() - 1) },
                coordinate: model.joints.iter().position(is_along),
                motion: Some((n, count)),
                frames: [
                    if n + 1 == count { own.then(&frame) } else { frame },
                    if n == 0 { on.then(&frame) } else { frame },
                ],
                freedom: match axis.freedom {
                    transmission::Freedom::Turn => Freedom::Turn,
                    transmission::Freedom::Slide => Freedom::Slide,
                },
                ..link
            });
        }
        Some(())
    }
}

/// Whether two joints have the same coordinate.
fn is_same(joint: &Joint, other: &Joint) -> bool {
    let ends = |joint: &Joint| (joint.a, joint.b, joint.frame_a, joint.frame_b);
    joint.kind == other.kind && ends(joint) == ends(other)
}

/// The other body of a joint.
fn other(joint: &Joint, body: usize) -> usize {
    if joint.a == body { joint.b } else { joint.a }
}
