//! W = LLᵀ for many contacts of which each is coupled with few others: L as sparse as W allows, so that a contact touches few blocks of
//! coordinates, as it would touch two bodies.
//!
//! Contacts are eliminated one after the other, that with the fewest neighbours first; the coordinates that one adds (three at most, fewer where it
//! depends on those before) are a block. Neighbouring contacts that see the same others share one. A row of which little is left waits until all
//! contacts have had their turn: to divide by what is left of it early would spoil the rest.

use std::collections::BTreeSet;
use std::ops::Range;

use super::factor::Digits;

/// Contacts from which the sparse factor is worth its order.
const MANY: usize = 8;
/// Largest part of the dense factor's blocks that counts as sparse.
const SPARSE: f64 = 0.5;
/// Largest block [coordinates].
const LARGEST: usize = 12;
/// A row of which a smaller share is left waits.
const WAITS: f64 = 0.03;
/// Share of a row that is rounding, whatever the digits.
const ROUNDING: f64 = 1e-12;

/// A column of L: the contact of its pivot, its rows and values.
type Column = (usize, Vec<(usize, f64)>);

/// Rows of a contact over one block, each as long as the block.
type Part = (usize, [Vec<f64>; 3]);

/// A factor in blocks.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct SparseFactor {
    /// Coordinates of each block.
    pub(super) blocks: Vec<usize>,
    /// For each contact the blocks that it touches.
    pub(super) parts: Vec<Vec<Part>>,
}

/// The factor of the part of W of some contacts; `None` where they are few, coupled with most others, or the rest is not explained within the digits.
pub(super) fn sparse_factor(all: &[f64], all_rows: usize, contacts: &[usize], digits: Digits) -> Option<SparseFactor> {
    let m = contacts.len();
    if m < MANY {
        return None;
    }
    let rows = 3 * m;
    let place = |r: usize| 3 * contacts[r / 3] + r % 3;
    let mut rest = Vec::with_capacity(rows * rows);
    for r in 0..rows {
        rest.extend((0..rows).map(|c| all[place(r) * all_rows + place(c)]));
    }
    let (order, later) = elimination(&neighbours(&rest, m));
    let filled: usize = later.iter().map(|set| set.len() + 1).sum();
    if filled as f64 > SPARSE * (m * (m + 1) / 2) as f64 {
        return None;
    }
    let size: Vec<f64> = (0..rows).map(|r| rest[r * rows + r]).collect();
    let mut columns: Vec<Column> = Vec::new();
    for &contact in &order {
        while let Some(pivot) = largest(&rest, &size, 3 * contact..3 * contact + 3, WAITS) {
            columns.push((contact, eliminate(&mut rest, rows, pivot)));
        }
    }
    let drop = digits.drop().max(ROUNDING);
    while let Some(pivot) = largest(&rest, &size, 0..rows, drop) {
        columns.push((pivot / 3, eliminate(&mut rest, rows, pivot)));
    }
    // What was subtracted from leaves what is not explained.
    let unexplained = |r: usize| {
        let row = &rest[r * rows..(r + 1) * rows];
        (0..rows).any(|c| row[c].abs() > digits.left() * size[r].sqrt() * size[c].sqrt())
    };
    if (0..rows).any(unexplained) {
        return None;
    }
    Some(gathered(m, &order, &later, &columns))
}

/// Which contacts W couples with each.
fn neighbours(W: &[f64], m: usize) -> Vec<BTreeSet<usize>> {
    let rows = 3 * m;
    let coupled = |i: usize, j: usize| (0..9).any(|k| W[(3 * i + k / 3) * rows + 3 * j + k % 3] != 0.0);
    (0..m)
        .map(|i| (0..m).filter(|j| *j != i && coupled(i, *j)).collect())
        .collect()
}

/// The order of elimination, and for each contact those after it that its columns reach.
fn elimination(neighbours: &[BTreeSet<usize>]) -> (Vec<usize>, Vec<BTreeSet<usize>>) {
    let mut graph = neighbours.to_vec();
    let mut left: BTreeSet<usize> = (0..graph.len()).collect();
    let mut order = Vec::with_capacity(graph.len());
    while let Some(next) = left.iter().copied().min_by_key(|i| (graph[*i].len(), *i)) {
        left.remove(&next);
        order.push(next);
        let around = graph[next].clone();
        for &i in &around {
            graph[i].extend(&around);
            graph[i].remove(&i);
            graph[i].remove(&next);
        }
    }
    (order, graph)
}

/// The row of which the largest share is left, and more than `least`.
fn largest(rest: &[f64], size: &[f64], among: Range<usize>, least: f64) -> Option<usize> {
    let (mut found, mut most) = (None, least);
    for r in among {
        let left = rest[r * size.len() + r];
        if size[r] > 0.0 && left > most * size[r] {
            (found, most) = (Some(r), left / size[r]);
        }
    }
    found
}

/// The column of a pivot, subtracted from the rest. The pivot's own row is then explained: what is left there is rounding.
fn eliminate(rest: &mut [f64], rows: usize, pivot: usize) -> Vec<(usize, f64)> {
    let root = rest[pivot * rows + pivot].sqrt();
    let column: Vec<(usize, f64)> = (0..rows)
        .map(|r| (r, rest[r * rows + pivot] / root))
        .filter(|(_, x)| *x != 0.0)
        .collect();
    for (r, x) in &column {
        for (c, y) in &column {
            rest[r * rows + c] -= x * y;
        }
    }
    for (r, _) in &column {
        rest[r * rows + pivot] = 0.0;
        rest[pivot * rows + r] = 0.0;
    }
    column
}

/// Columns in blocks: those of a contact, and of the next where both reach the same contacts.
fn gathered(m: usize, order: &[usize], later: &[BTreeSet<usize>], columns: &[Column]) -> SparseFactor {
    let mut found = SparseFactor {
        blocks: Vec::new(),
        parts: vec![Vec::new(); m],
    };
    // Columns of the block that is being filled.
    let mut open: Vec<&[(usize, f64)]> = Vec::new();
    let mut at = 0;
    for (k, contact) in order.iter().enumerate() {
        while columns.get(at).is_some_and(|column| column.0 == *contact) {
            open.push(&columns[at].1);
            at += 1;
        }
        let alike = order
            .get(k + 1)
            .is_some_and(|next| later[*contact].contains(next) && later[*contact].len() == later[*next].len() + 1);
        if (!alike || open.len() + 3 > LARGEST) && !open.is_empty() {
            close(&mut found, &open);
            open.clear();
        }
    }
    // Those that waited: a block for each contact in a row.
    while at < columns.len() {
        let own = columns[at..]
            .iter()
            .take_while(|column| column.0 == columns[at].0)
            .count();
        open.extend(columns[at..at + own].iter().map(|column| column.1.as_slice()));
        close(&mut found, &open);
        open.clear();
        at += own;
    }
    found
}

fn close(found: &mut SparseFactor, open: &[&[(usize, f64)]]) {
    let block = found.blocks.len();
    found.blocks.push(open.len());
    for (k, column) in open.iter().enumerate() {
        for (r, x) in *column {
            let parts = &mut found.parts[r / 3];
            if parts.last().is_none_or(|part| part.0 != block) {
                parts.push((block, [0, 1, 2].map(|_: usize| vec![0.0; open.len()])));
            }
            if let Some((_, rows)) = parts.last_mut() {
                rows[r % 3][k] = *x;
            }
        }
    }
}
