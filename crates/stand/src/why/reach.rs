//! For each pair: which of its forces are the only ones possible, and what the others could be.

use super::balance::Balance;
use super::moment::{Does, Moment};
use super::pair::PairAt;
use super::ranges::Program;
use super::{Asked, Known, Range};

/// Multiplications that uniqueness may take for bodies that hang together: about a second.
const MOST_WORK: f64 = 1e9;
/// Unknowns up to which ranges are looked for unasked.
const MOST_UNKNOWNS: usize = 3000;
/// A range that is narrower than this share of the largest force in it is a figure.
const NARROW: f64 = 1e-7;

/// What is known of the forces of a pair.
#[derive(Debug, Clone, Default)]
pub(super) struct Reach {
    pub(super) known: Option<Known>,
    pub(super) normal: Option<Range>,
    pub(super) friction: Option<Range>,
    /// Of its contacts, in their order: whether unique, and the range of the normal force.
    pub(super) points: Vec<(Option<bool>, Option<Range>)>,
}

/// What is known of each pair.
pub(super) fn known(moment: &Moment, pairs: &[PairAt], asked: &Asked) -> Vec<Reach> {
    let islands = Islands::of(moment);
    let mut reaches: Vec<Reach> = pairs.iter().map(|_| Reach::default()).collect();
    let most_loaded = most_loaded(pairs, asked.ranges);
    for island in 0..islands.count {
        let here: Vec<usize> = (0..pairs.len())
            .filter(|p| islands.of_pair(moment, &pairs[*p]) == Some(island))
            .collect();
        if here.is_empty() {
            continue;
        }
        let (contacts, joints) = islands.members(moment, island);
        let Some(joints) = joints else {
            for p in here {
                reaches[p] = recorded(moment, &pairs[p]);
            }
            continue;
        };
        let balance = Balance::new(moment, &contacts, &joints);
        let sums: Vec<PairSums> = here
            .iter()
            .map(|p| PairSums::of(moment, &balance, &pairs[*p]))
            .collect();
        let looked = balance.work() <= MOST_WORK;
        if looked {
            look(&balance, &sums, &here, &mut reaches);
        }
        let mut program = None;
        for (p, sums) in here.into_iter().zip(&sums) {
            let is_open = matches!(reaches[p].known, None | Some(Known::None));
            let is_asked = asked.pair.is_some() || (most_loaded.contains(&p) && balance.columns.len() <= MOST_UNKNOWNS);
            let with_points = asked.pair.is_some() && reaches[p].known != Some(Known::All);
            if is_asked && (is_open || with_points) {
                let program = program.get_or_insert_with(|| Program::new(&balance));
                measure(program, sums, &mut reaches[p], (is_open, with_points));
            }
        }
    }
    reaches
}

/// What a recording says itself, where it does not hold what joints can carry.
fn recorded(moment: &Moment, pair: &PairAt) -> Reach {
    let unique = pair.contacts.iter().map(|i| moment.contacts[*i].unique);
    let all = unique.clone().all(|unique| unique == Some(true));
    Reach {
        known: all.then_some(Known::All),
        points: unique.map(|unique| (unique, None)).collect(),
        ..Reach::default()
    }
}

/// The most loaded pairs.
fn most_loaded(pairs: &[PairAt], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by(|p, q| pairs[*q].normal_force.total_cmp(&pairs[*p].normal_force));
    order.truncate(count);
    order
}

/// Sums of unknowns that belong to a pair.
struct PairSums {
    /// Its force along the three axes.
    force: [Vec<(usize, f64)>; 3],
    normal: Vec<(usize, f64)>,
    /// Friction along the direction that it has; empty where there is none.
    friction: Vec<(usize, f64)>,
    /// Of each contact: all its unknowns, the first being the normal force; none where it is apart.
    points: Vec<Vec<usize>>,
}

impl PairSums {
    fn of(moment: &Moment, balance: &Balance, pair: &PairAt) -> Self {
        let along = pair.friction.try_normalize(f64::MIN_POSITIVE);
        let mut sums = Self {
            force: [Vec::new(), Vec::new(), Vec::new()],
            normal: Vec::new(),
            friction: Vec::new(),
            points: vec![Vec::new(); pair.contacts.len()],
        };
        for (c, column) in balance.columns.iter().enumerate() {
            let Some(at) = column.contact.and_then(|i| pair.contacts.iter().position(|k| *k == i)) else {
                continue;
            };
            let index = pair.contacts[at];
            let sign = pair.sign(moment, index);
            sums.points[at].push(c);
            for (k, sum) in sums.force.iter_mut().enumerate() {
                sum.push((c, sign * column.direction[k]));
            }
            if column.normal != 0.0 {
                sums.normal.push((c, column.normal));
            }
            if let Some(along) = along {
                let normal = moment.contacts[index].normal;
                let tangential = column.direction - column.direction.dot(&normal) * normal;
                sums.friction.push((c, sign * tangential.dot(&along)));
            }
        }
        sums
    }
}

/// By linear algebra: which sums are the same whatever the forces are.
fn look(balance: &Balance, sums: &[PairSums], here: &[usize], reaches: &mut [Reach]) {
    let mut wanted: Vec<Vec<(usize, f64)>> = Vec::new();
    for pair in sums {
        wanted.extend(pair.force.iter().cloned());
        wanted.extend(pair.points.iter().flatten().map(|c| vec![(*c, 1.0)]));
    }
    let mut found = balance.unique(&wanted).into_iter();
    for (p, pair) in here.iter().zip(sums) {
        let sum = found.by_ref().take(3).filter(|fixed| *fixed).count() == 3;
        let points: Vec<bool> = pair
            .points
            .iter()
            .map(|columns| found.by_ref().take(columns.len()).filter(|fixed| !fixed).count() == 0)
            .collect();
        let all = points.iter().all(|fixed| *fixed);
        reaches[*p].known = Some(if all {
            Known::All
        } else if sum {
            Known::Sum
        } else {
            Known::None
        });
        reaches[*p].points = points.into_iter().map(|fixed| (Some(fixed), None)).collect();
    }
}

/// By second-order-cone programs: between what values they lie.
fn measure(program: &Program, sums: &PairSums, reach: &mut Reach, (is_open, with_points): (bool, bool)) {
    let range = |sum: &[(usize, f64)]| {
        let [low, high] = program.range(sum)?;
        // Rounding may put the ends the wrong way round.
        Some(Range {
            low: low.min(high),
            high: high.max(low),
        })
    };
    if is_open {
        reach.normal = range(&sums.normal);
        if !sums.friction.is_empty() {
            reach.friction = range(&sums.friction);
        }
        let is_narrow = |range: &Range| range.high - range.low <= NARROW * range.high.abs().max(range.low.abs());
        // Limits of friction may leave one sum alone where linear algebra leaves many: three directions, so that it is known as a vector.
        let scale = reach.normal.map_or(0.0, |normal| normal.high.abs());
        let is_known =
            |sum: &Vec<(usize, f64)>| range(sum).is_some_and(|found| found.high - found.low <= NARROW * scale);
        match &reach.normal {
            Some(normal) if is_narrow(normal) && sums.force.iter().all(is_known) => {
                reach.known = Some(Known::Sum);
                (reach.normal, reach.friction) = (None, None);
            }
            Some(_) => reach.known = Some(Known::None),
            None => {}
        }
    }
    if with_points {
        reach.points.resize(sums.points.len(), (None, None));
        for (point, columns) in reach.points.iter_mut().zip(&sums.points) {
            if point.0 != Some(true)
                && let Some(first) = columns.first()
            {
                point.1 = range(&[(*first, 1.0)]);
            }
        }
    }
}

/// Free bodies that hang together by contacts that are closed and by joints.
struct Islands {
    /// Of each body; none of those that forces do not move.
    of_body: Vec<Option<usize>>,
    count: usize,
}

impl Islands {
    fn of(moment: &Moment) -> Self {
        let mut links: Vec<Vec<usize>> = vec![Vec::new(); moment.bodies.len()];
        let mut link = |bodies: &[usize]| {
            for pair in bodies.windows(2) {
                links[pair[0]].push(pair[1]);
                links[pair[1]].push(pair[0]);
            }
        };
        for c in moment.contacts.iter().filter(|c| c.does != Does::Apart) {
            if c.bodies.iter().all(|b| moment.is_free(*b)) {
                link(&c.bodies);
            }
        }
        for bodies in &moment.jointed {
            let free: Vec<usize> = bodies.iter().copied().filter(|b| moment.is_free(*b)).collect();
            link(&free);
        }
        let mut islands = Self {
            of_body: vec![None; moment.bodies.len()],
            count: 0,
        };
        for start in 0..moment.bodies.len() {
            if islands.of_body[start].is_some() || !moment.is_free(start) {
                continue;
            }
            let mut open = vec![start];
            while let Some(body) = open.pop() {
                if islands.of_body[body].replace(islands.count).is_none() {
                    open.extend(links[body].iter().filter(|b| islands.of_body[**b].is_none()));
                }
            }
            islands.count += 1;
        }
        islands
    }

    fn of_pair(&self, moment: &Moment, pair: &PairAt) -> Option<usize> {
        pair.bodies
            .iter()
            .filter(|b| moment.is_free(**b))
            .find_map(|b| self.of_body[*b])
    }

    /// Contacts and rows of joints of an island; no rows where they are not known.
    fn members(&self, moment: &Moment, island: usize) -> (Vec<usize>, Option<Vec<usize>>) {
        let is_here = |body: usize| self.of_body[body] == Some(island);
        let contacts = (0..moment.contacts.len()).filter(|i| moment.contacts[*i].bodies.iter().any(|b| is_here(*b)));
        let is_jointed = moment.jointed.iter().flatten().any(|b| is_here(*b));
        let joints = match &moment.joints {
            Some(rows) => Some(
                (0..rows.len())
                    .filter(|k| rows[*k].parts.iter().any(|(b, _)| is_here(*b)))
                    .collect(),
            ),
            None if is_jointed => None,
            None => Some(Vec::new()),
        };
        (contacts.collect(), joints)
    }
}
