//! Lemke and Howson 1964 for bimatrix games: M = ((0, A), (B, 0)), q < 0, after a permutation of the variables.
//!
//! x ≥ 0 ⟂ Ay + p ≥ 0 and y ≥ 0 ⟂ Bx + r ≥ 0 with positive A and B is a game of two players whose costs are A and Bᵀ; its answers
//! are the equilibria. Lemke's method with a covering vector may end on a ray; this path keeps every pair complementary
//! except that of one label k, starts where z_k alone holds up one player's rows, and ends where the pair of k is complementary too.
//!
//! The structure is read off the nonzeros of M: its graph has two colours, and every connected part is a game of its own. Where A and B
//! have zeros a path may end on a ray; then the next label is tried. Ties are lexicographic, [CPS] 4.9.

use crate::basis::Var;
use crate::dictionary::Dictionary;
use crate::pivoting::{Data, Outcome};

/// Ratios within this relative distance tie.
const TIE_REL_TOL: f64 = 1e-11;
/// An entry blocks below minus this share of the largest of its column.
const PIVOT_REL_TOL: f64 = 1e-10;
/// Two entries of tied rows, divided by their pivots, differ when they do by more than this share of the larger.
const DISTINCT_REL_TOL: f64 = 1e-10;
/// Pivots of one path, for each variable.
const PIVOTS_PER_VARIABLE: usize = 20;
/// The dictionary is computed from the data again after this many pivots.
const PIVOTS_BEFORE_REBUILD: usize = 50;

/// One game: its variables, and which player each belongs to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Game {
    members: Vec<usize>,
    second: Vec<bool>,
}

/// The connected parts of the graph of M with their two colours; `None` when the problem is not made of games.
pub(crate) fn games(data: Data<'_>) -> Option<Vec<Game>> {
    let n = data.n();
    if data.free.contains(&true) {
        return None;
    }
    let mut colour = vec![None; n];
    let mut parts = Vec::new();
    for first in 0..n {
        if colour[first].is_some() {
            continue;
        }
        let mut part = vec![first];
        colour[first] = Some(false);
        let mut next = 0;
        while next < part.len() {
            let i = part[next];
            next += 1;
            for j in 0..n {
                if data.M.at(i, j) == 0.0 && data.M.at(j, i) == 0.0 {
                    continue;
                }
                match colour[j] {
                    None => {
                        colour[j] = colour[i].map(|side: bool| !side);
                        part.push(j);
                    }
                    same if same == colour[i] => return None,
                    _ => {}
                }
            }
        }
        part.sort_unstable();
        parts.push(Game {
            second: part.iter().map(|&i| colour[i] == Some(true)).collect(),
            members: part,
        });
    }
    let is_game = |game: &Game| game.members.len() > 1 || is_idle(data, game);
    parts.iter().all(is_game).then_some(parts)
}

/// Whether z = 0 is an answer.
fn is_idle(data: Data<'_>, game: &Game) -> bool {
    game.members.iter().all(|&i| data.q[i] >= 0.0)
}

/// An answer of every game of the problem, into z; the outcome of the last path of the first game that has none, and all pivots.
pub(crate) fn lemke_howson(data: Data<'_>, z: &mut [f64]) -> (Outcome, usize) {
    z.fill(0.0);
    let Some(games) = games(data) else {
        return (Outcome::Singular, 0);
    };
    let mut pivots = 0;
    for game in games.iter().filter(|game| !is_idle(data, game)) {
        let origin = Dictionary::restricted(data, &game.members);
        let mut outcome = Outcome::Ray;
        for &label in &game.members {
            let mut path = Path {
                second: &game.second,
                origin: &origin,
                dictionary: origin.clone(),
                label,
                pivots: 0,
            };
            outcome = path.run();
            pivots += path.pivots;
            if outcome == Outcome::Complementary {
                path.write(data, z);
                break;
            }
        }
        if outcome != Outcome::Complementary {
            return (outcome, pivots);
        }
    }
    (Outcome::Complementary, pivots)
}

/// One path, with the label whose pair may be out of balance.
struct Path<'a> {
    second: &'a [bool],
    origin: &'a Dictionary,
    dictionary: Dictionary,
    label: usize,
    pivots: usize,
}

impl Path<'_> {
    fn run(&mut self) -> Outcome {
        // z_k holds up the other player's rows, then the tight one of them holds up the rows of z_k's own player.
        let mut leaving = Var::W(self.label);
        for _ in 0..2 {
            let entering = leaving.complement();
            let column = entering.and_then(|var| self.dictionary.column_of(var));
            let Some((row, column)) = column.and_then(|j| Some((self.holds_up(j)?, j))) else {
                return Outcome::Ray;
            };
            leaving = self.exchange(row, column);
        }
        let limit = PIVOTS_PER_VARIABLE * self.dictionary.n();
        while !matches!(leaving, Var::Z(i) | Var::W(i) if i == self.label) {
            if self.pivots > limit {
                return Outcome::PivotLimit;
            }
            if self.dictionary.age >= PIVOTS_BEFORE_REBUILD && !self.dictionary.rebuild(self.origin, &mut self.pivots) {
                return Outcome::Singular;
            }
            let driving = leaving.complement();
            let Some(column) = driving.and_then(|var| self.dictionary.column_of(var)) else {
                return Outcome::Singular;
            };
            let Some(row) = self.blocking(column) else {
                return Outcome::Ray;
            };
            leaving = self.exchange(row, column);
        }
        Outcome::Complementary
    }

    fn exchange(&mut self, row: usize, column: usize) -> Var {
        let leaving = self.dictionary.basic[row];
        self.dictionary.pivot(row, column);
        self.pivots += 1;
        leaving
    }

    /// The row that a variable has to lift furthest so that no row it acts on is below zero; the last of equal ones, which is lexicographically
    /// right. `None` when it cannot lift them all.
    fn holds_up(&self, column: usize) -> Option<usize> {
        let dictionary = &self.dictionary;
        let mut best: Option<(usize, f64)> = None;
        for r in 0..dictionary.n() {
            let (rate, value) = (dictionary.row(r)[column], dictionary.value(r));
            if self.second[r] == self.second[column] {
                continue; // rows of the variable's own player do not feel it
            }
            if rate < 0.0 || (rate == 0.0 && value < 0.0) {
                return None;
            }
            let needed = -value / rate;
            if rate > 0.0 && best.is_none_or(|(_, most)| needed >= most) {
                best = Some((r, needed));
            }
        }
        best.filter(|(_, needed)| *needed > 0.0).map(|(r, _)| r)
    }

    /// The ratio test with lexicographic ties; `None` on a ray.
    fn blocking(&self, column: usize) -> Option<usize> {
        let dictionary = &self.dictionary;
        let rate = |r: usize| dictionary.row(r)[column];
        let largest = (0..dictionary.n()).fold(0.0f64, |m, r| rate(r).abs().max(m));
        let blocks = |r: &usize| rate(*r) < -PIVOT_REL_TOL * largest;
        let ratio = |r: usize| dictionary.value(r).max(0.0) / -rate(r);
        let least = (0..dictionary.n())
            .filter(blocks)
            .map(ratio)
            .fold(f64::INFINITY, f64::min);
        let reach = least * (1.0 + TIE_REL_TOL) + TIE_REL_TOL * TIE_REL_TOL;
        let mut tied: Vec<usize> = (0..dictionary.n())
            .filter(|r| blocks(r) && ratio(*r) <= reach)
            .collect();
        for w in &self.origin.basic {
            if tied.len() <= 1 {
                break;
            }
            let nonbasic = dictionary.column_of(*w);
            // How a basic variable moves with q_s, divided by its pivot.
            let quotient = |r: usize| match nonbasic {
                Some(j) => dictionary.row(r)[j] / rate(r),
                None if dictionary.basic[r] == *w => -1.0 / rate(r),
                None => 0.0,
            };
            let least = tied.iter().map(|&r| quotient(r)).fold(f64::INFINITY, f64::min);
            let size = tied.iter().fold(0.0f64, |m, &r| quotient(r).abs().max(m));
            tied.retain(|&r| quotient(r) <= least + DISTINCT_REL_TOL * size);
        }
        tied.first().copied()
    }

    fn write(&self, data: Data<'_>, z: &mut [f64]) {
        for (r, var) in self.dictionary.basic.iter().enumerate() {
            if let Var::Z(j) = *var {
                z[j] = self.dictionary.value(r).max(0.0) * data.M.unit_scale()[j];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Lcp;

    #[test]
    fn games_are_told_from_other_problems() {
        let pair = Lcp::from_rows(&[[0.0, 2.0], [3.0, 0.0]], &[-1.0, -1.0]).unwrap();
        let found = games(Data::of(&pair)).unwrap();
        assert_eq!(
            (&found[0].members[..], &found[0].second[..]),
            (&[0, 1][..], &[false, true][..])
        );
        let diagonal = Lcp::from_rows(&[[1.0, 2.0], [3.0, 0.0]], &[-1.0, -1.0]).unwrap();
        assert_eq!(games(Data::of(&diagonal)), None);
        let triangle = [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]];
        let triangle = Lcp::from_rows(&triangle, &[-1.0; 3]).unwrap();
        assert_eq!(games(Data::of(&triangle)), None);
        let alone = Lcp::from_rows(&[[0.0]], &[-1.0]).unwrap();
        assert_eq!(games(Data::of(&alone)), None);
        let mixed = Data {
            free: &[true, false],
            ..Data::of(&pair)
        };
        assert_eq!(games(mixed), None);
    }

    #[test]
    fn matching_pennies_is_mixed_evenly() {
        // Costs 1 and 2 for the same side and for different ones: both players play each side as often.
        let rows = [
            [0.0, 0.0, 1.0, 2.0],
            [0.0, 0.0, 2.0, 1.0],
            [2.0, 1.0, 0.0, 0.0],
            [1.0, 2.0, 0.0, 0.0],
        ];
        let lcp = Lcp::from_rows(&rows, &[-1.0; 4]).unwrap();
        let mut z = [0.0; 4];
        assert_eq!(lemke_howson(Data::of(&lcp), &mut z).0, Outcome::Complementary);
        assert!(z.iter().all(|v| (v - 1.0 / 3.0).abs() < 1e-15), "{z:?}");
    }

    #[test]
    fn a_game_that_cannot_start_is_a_ray() {
        // The second player's rows fall with every choice of the first.
        let lcp = Lcp::from_rows(&[[0.0, 1.0], [-1.0, 0.0]], &[-1.0, -1.0]).unwrap();
        assert_eq!(lemke_howson(Data::of(&lcp), &mut [0.0; 2]).0, Outcome::Ray);
    }
}
