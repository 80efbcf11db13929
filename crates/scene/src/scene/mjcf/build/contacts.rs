//! Which bodies collide, and with which friction.

use super::Build;
use crate::PairMaterial;
use crate::scene::mjcf::MjGeom;
use crate::shape::Shape;

impl Build<'_> {
    /// Which bodies touch, and with what friction: MuJoCo decides for geoms, a world for bodies.
    pub(super) fn find_contacts(&mut self) {
        let touching = self.touching();
        // Body among the parts, geom and its number; planes and height fields follow the groups.
        let mut list: Vec<(usize, usize, usize, &MjGeom)> = Vec::new();
        let (mut number, mut ground) = (0, self.groups.len());
        let mut order: Vec<(usize, usize, usize, &MjGeom)> = Vec::new();
        for (k, body) in self.model.bodies.iter().enumerate() {
            for geom in &body.geoms {
                if touching[number] {
                    order.push((k, number, self.places[k].0, geom));
                }
                number += 1;
            }
        }
        // Grounds were made group by group.
        let is_ground = |geom: &MjGeom| matches!(geom.shape, Shape::HalfSpace { .. } | Shape::Mesh(_));
        for (k, number, group, geom) in &order {
            if !is_ground(geom) {
                list.push((self.numbers[*group], *number, *k, geom));
            }
        }
        for wanted in 0..self.groups.len() {
            for (k, number, group, geom) in &order {
                if is_ground(geom) && *group == wanted {
                    list.push((ground, *number, *k, geom));
                    ground += 1;
                }
            }
        }
        let count = self.parts.bodies.len();
        // Of each pair of bodies: geoms that touch, that do not, least and largest friction.
        let mut pairs: Vec<(usize, usize, f64, f64)> = vec![(0, 0, f64::INFINITY, 0.0); count * count];
        for (i, first) in list.iter().enumerate() {
            for second in &list[i + 1..] {
                if first.0 == second.0 {
                    continue;
                }
                let (a, b) = (first.0.min(second.0), first.0.max(second.0));
                let entry = &mut pairs[a * count + b];
                match self.meet((first.1, first.2, first.3), (second.1, second.2, second.3)) {
                    Some(friction) => {
                        entry.0 += 1;
                        entry.2 = entry.2.min(friction);
                        entry.3 = entry.3.max(friction);
                    }
                    None => entry.1 += 1,
                }
            }
        }
        let (mut partly, mut mixed) = (0, 0);
        for a in 0..count {
            for b in a + 1..count {
                let (meet, pass, least, most) = pairs[a * count + b];
                let fixed = [a, b].iter().all(|k| !self.parts.bodies[*k].0.is_dynamic());
                if fixed || meet + pass == 0 {
                    continue;
                }
                if meet == 0 {
                    self.parts.apart.push([a, b]);
                    continue;
                }
                partly += usize::from(pass > 0);
                mixed += usize::from(least < most);
                let [own, other] = [a, b].map(|k| self.parts.bodies[k].0.material);
                if own.with(&other).friction != most {
                    let material = PairMaterial {
                        friction: Some(most),
                        ..PairMaterial::default()
                    };
                    self.parts.pairs.push(([a, b], material));
                }
            }
        }
        for (found, what) in [
            (partly, "pairs of bodies of which only some geoms collide: all do"),
            (
                mixed,
                "pairs of bodies whose geoms have several frictions: the largest is taken",
            ),
        ] {
            if found > 0 {
                self.parts.changed.push(format!("{found} {what}"));
            }
        }
    }

    /// Friction of two geoms that touch; none where they pass.
    fn meet(
        &self,
        (i, of_i, first): (usize, usize, &MjGeom),
        (j, of_j, second): (usize, usize, &MjGeom),
    ) -> Option<f64> {
        let given = &self.model.instruments;
        let same = |pair: &[usize; 2], a: usize, b: usize| *pair == [a, b] || *pair == [b, a];
        let by_rule = match first.priority.cmp(&second.priority) {
            std::cmp::Ordering::Greater => first.friction,
            std::cmp::Ordering::Less => second.friction,
            std::cmp::Ordering::Equal if first.is_frictionless && second.is_frictionless => 0.0,
            std::cmp::Ordering::Equal => first.sliding.max(second.sliding),
        };
        if let Some((_, friction)) = given.pairs.iter().find(|(pair, _)| same(pair, i, j)) {
            return Some(friction.unwrap_or(by_rule));
        }
        let masks = first.masks[0] & second.masks[1] != 0 || second.masks[0] & first.masks[1] != 0;
        if !masks || given.excluded.iter().any(|pair| same(pair, of_i, of_j)) {
            return None;
        }
        let [a, b] = [of_i, of_j].map(|body| self.places[body].0);
        let parent = |group: usize| self.places[self.model.bodies[self.groups[group].head].parent].0;
        // A parent and its child pass, unless the parent is the world.
        let passes = (a != 0 && b != 0) && (parent(a) == b || parent(b) == a);
        (!passes).then_some(by_rule)
    }
}
