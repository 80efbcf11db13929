//! Matrices as lists of entries, and contact problems made of them.

use stiction_contact::{ContactProblem, LocalProblem};

use crate::bad_input::{BadInput, expect_length};

/// Most contacts of a problem given by W: a short file could ask for any amount of memory.
const MAX_LOCAL_CONTACTS: usize = 1365;
/// Most coordinates of a problem given by M: about 175,000 bodies.
const MAX_COORDINATES: usize = 1 << 20;
/// Most numbers in mass blocks and in the contacts' rows over them: both are stored in full, however few of them a file gives.
const MAX_DENSE_NUMBERS: usize = 1 << 25;
/// Largest mass block of a problem given by M [coordinates].
const MAX_BLOCK_ORDER: usize = 3000;
/// Largest difference of mirrored entries of M, relative to its largest entry: more is not a mass matrix.
const SYMMETRY_REL_TOL: f64 = 1e-8;

/// Row, column, value.
pub type Entry = (usize, usize, f64);

/// A matrix as a list of entries, each place once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sparse {
    rows: usize,
    columns: usize,
    entries: Vec<Entry>,
}

impl Sparse {
    /// The matrix of entries that lie in it. Those given for one place are added, as everywhere in lists of triplets.
    #[must_use]
    pub fn new(rows: usize, columns: usize, mut entries: Vec<Entry>) -> Self {
        let by_rows = |e: &Entry| (e.0, e.1);
        let rising = |key: fn(&Entry) -> (usize, usize)| entries.windows(2).all(|pair| key(&pair[0]) < key(&pair[1]));
        // Most lists are in order, by rows or by columns, and then give every place once.
        if !(rising(by_rows) || rising(|e| (e.1, e.0))) {
            entries.sort_by_key(by_rows);
            entries.dedup_by(|next, sum| {
                let same = by_rows(next) == by_rows(sum);
                if same {
                    sum.2 += next.2;
                }
                same
            });
        }
        Self { rows, columns, entries }
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Its entries, by rows or by columns.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

/// A contact problem in coordinates: M v = H r + f, u = Hᵀv + w, normal first at each contact.
#[derive(Debug, Clone, PartialEq)]
pub struct Global {
    /// 2 or 3.
    pub dimension: usize,
    /// Mass, dof × dof.
    pub mass: Sparse,
    /// Directions of the contacts, dof × dimension·n.
    pub directions: Sparse,
    /// Impulse on the coordinates, momentum included.
    pub f: Vec<f64>,
    /// Velocities that the coordinates do not have a part in.
    pub w: Vec<f64>,
    /// Friction coefficients, n.
    pub mu: Vec<f64>,
}

/// The local problem of a matrix and vectors, normal first.
pub(super) fn local(dimension: usize, delassus: &Sparse, q: Vec<f64>, mu: Vec<f64>) -> Result<LocalProblem, BadInput> {
    let rows = rows_of(dimension, mu.len())?;
    check_contacts("W", mu.len())?;
    for found in [delassus.rows, delassus.columns] {
        expect_length("W", rows, found)?;
    }
    let mut dense = vec![0.0; rows * rows];
    for (r, c, x) in &delassus.entries {
        dense[r * rows + c] = *x;
    }
    Ok(LocalProblem::new(dimension, dense, q, mu)?)
}

/// Rows of so many contacts, before anything is made of them.
pub(super) fn rows_of(dimension: usize, contacts: usize) -> Result<usize, BadInput> {
    if matches!(dimension, 2 | 3) {
        return Ok(dimension.saturating_mul(contacts));
    }
    Err(BadInput::new("dimension", format!("must be 2 or 3, found {dimension}")))
}

/// Before W is made; `place` is what counts the contacts.
pub(super) fn check_contacts(place: &str, contacts: usize) -> Result<(), BadInput> {
    if contacts <= MAX_LOCAL_CONTACTS {
        return Ok(());
    }
    let problem = format!("must be given for at most {MAX_LOCAL_CONTACTS} contacts, found {contacts}");
    Err(BadInput::new(place, problem))
}

/// Three numbers a contact without those of second tangents that a plane does not have.
pub(super) fn narrow(dimension: usize, values: &[f64]) -> Vec<f64> {
    let all = values.iter().enumerate();
    all.filter(|(k, _)| k % 3 < dimension).map(|(_, x)| *x).collect()
}

impl Global {
    /// The problem, with a mass block for every set of coordinates that M couples, and what was found about M.
    pub(super) fn problem(&self) -> Result<(ContactProblem, Vec<String>), BadInput> {
        let (dof, size) = (self.f.len(), rows_of(self.dimension, self.mu.len())?);
        for (place, expected, found) in [
            ("M", dof, self.mass.rows),
            ("M", dof, self.mass.columns),
            ("H", dof, self.directions.rows),
            ("H", size, self.directions.columns),
            ("w", size, self.w.len()),
        ] {
            expect_length(place, expected, found)?;
        }
        self.check_diagonal()?;
        let mut notes = Vec::new();
        let mass = self.full_mass(&mut notes)?;
        let blocks = self.blocks(&mass);
        let mut problem = ContactProblem::new();
        // Block of each coordinate and its place there.
        let mut place = vec![(0, 0); dof];
        for (block, coordinates) in blocks.iter().enumerate() {
            if coordinates.len() > MAX_BLOCK_ORDER {
                let problem = format!(
                    "must couple at most {MAX_BLOCK_ORDER} coordinates, found {}",
                    coordinates.len()
                );
                return Err(BadInput::new("M", problem));
            }
            for (k, coordinate) in coordinates.iter().enumerate() {
                place[*coordinate] = (block, k);
            }
        }
        self.check_numbers(&place, &blocks)?;
        let mut dense: Vec<Vec<f64>> = blocks.iter().map(|c| vec![0.0; c.len() * c.len()]).collect();
        for (r, c, x) in &mass {
            let ((block, r), (_, c)) = (place[*r], place[*c]);
            dense[block][r * blocks[block].len() + c] = *x;
        }
        for (coordinates, mass) in blocks.iter().zip(&dense) {
            let impulse: Vec<f64> = coordinates.iter().map(|k| self.f[*k]).collect();
            problem.add_pushed_block(mass, &impulse)?;
        }
        self.add_contacts(&mut problem, &place, &blocks)?;
        Ok((problem, notes))
    }

    /// Before anything is made for every coordinate: a mass has an entry at each place of its diagonal, so no file asks for more coordinates than it
    /// lists.
    fn check_diagonal(&self) -> Result<(), BadInput> {
        let dof = self.f.len();
        if dof > MAX_COORDINATES {
            let problem = format!("must have at most {MAX_COORDINATES} coordinates, found {dof}");
            return Err(BadInput::new("M", problem));
        }
        // They come in order, by rows as by columns.
        let places = self.mass.entries.iter().filter(|e| e.0 == e.1 && e.2 != 0.0);
        let given = places.enumerate().take_while(|(k, e)| *k == e.0).count();
        if given < dof {
            return Err(BadInput::new(
                format!("M[{given}][{given}]"),
                "must be positive, found 0",
            ));
        }
        Ok(())
    }

    /// Before blocks and rows are stored in full: few entries can couple many coordinates, and a contact has a number for each.
    fn check_numbers(&self, place: &[(usize, usize)], blocks: &[Vec<usize>]) -> Result<(), BadInput> {
        let in_blocks: usize = blocks.iter().map(|block| block.len() * block.len()).sum();
        let mut touched: Vec<_> = self
            .directions
            .entries
            .iter()
            .map(|e| (e.1 / self.dimension, place[e.0].0))
            .collect();
        touched.sort_unstable();
        touched.dedup();
        let in_rows: usize = touched.iter().map(|(_, block)| 3 * blocks[*block].len()).sum();
        let found = in_blocks + in_rows;
        if found <= MAX_DENSE_NUMBERS {
            return Ok(());
        }
        let problem = format!(
            "must have at most {MAX_DENSE_NUMBERS} numbers in its blocks and the contacts' rows over them, found {found}"
        );
        Err(BadInput::new("M", problem))
    }

    /// M with both triangles, symmetric to the bit.
    fn full_mass(&self, notes: &mut Vec<String>) -> Result<Vec<Entry>, BadInput> {
        let mut entries = self.mass.entries.clone();
        let (upper, lower) = (entries.iter().any(|e| e.0 < e.1), entries.iter().any(|e| e.0 > e.1));
        let mirrored = |e: &Entry| (e.1, e.0, e.2);
        if upper != lower {
            let triangle = if upper { "upper" } else { "lower" };
            notes.push(format!("M is stored as its {triangle} triangle alone: it was mirrored"));
            entries.extend(self.mass.entries.iter().filter(|e| e.0 != e.1).map(mirrored));
        }
        entries.sort_by_key(|e| (e.0, e.1));
        let largest = entries.iter().fold(0.0_f64, |m, e| m.max(e.2.abs()));
        let at = |r: usize, c: usize| {
            let found = entries.binary_search_by_key(&(r, c), |e| (e.0, e.1));
            found.map_or(0.0, |k| entries[k].2)
        };
        let mut worst = 0.0_f64;
        let mut mass = Vec::with_capacity(entries.len());
        for (r, c, x) in entries.iter().filter(|e| e.2 != 0.0) {
            let other = at(*c, *r);
            if (x - other).abs() > SYMMETRY_REL_TOL * largest {
                let problem = format!("must be symmetric: difference of mirrored entries, found {}", x - other);
                return Err(BadInput::new(format!("M[{r}][{c}]"), problem));
            }
            worst = worst.max((x - other).abs());
            let mean = 0.5 * x + 0.5 * other;
            mass.push((*r, *c, mean));
            if other == 0.0 && r != c {
                mass.push((*c, *r, mean));
            }
        }
        if worst > 0.0 {
            notes.push(format!(
                "M is not symmetric by {:.0e} of its largest entry: its symmetric part is taken",
                worst / largest
            ));
        }
        Ok(mass)
    }

    /// Sets of coordinates that belong together: those of a body where M keeps to them, else those that M couples.
    fn blocks(&self, mass: &[Entry]) -> Vec<Vec<usize>> {
        let dof = self.f.len();
        let body = if self.dimension == 2 { 3 } else { 6 };
        if dof.is_multiple_of(body) && mass.iter().all(|(r, c, x)| r / body == c / body || *x == 0.0) {
            return (0..dof / body).map(|b| (b * body..(b + 1) * body).collect()).collect();
        }
        let mut parent: Vec<usize> = (0..dof).collect();
        for (r, c, x) in mass {
            if *x != 0.0 {
                let (r, c) = (root(&mut parent, *r), root(&mut parent, *c));
                // The smaller becomes the root: blocks are in the order of their first coordinates.
                parent[r.max(c)] = r.min(c);
            }
        }
        let mut blocks: Vec<Vec<usize>> = vec![Vec::new(); dof];
        for k in 0..dof {
            let root = root(&mut parent, k);
            blocks[root].push(k);
        }
        blocks.retain(|block| !block.is_empty());
        blocks
    }

    fn add_contacts(
        &self,
        problem: &mut ContactProblem,
        place: &[(usize, usize)],
        blocks: &[Vec<usize>],
    ) -> Result<(), BadInput> {
        let d = self.dimension;
        let mut entries = self.directions.entries.clone();
        // By contact, then block.
        entries.sort_by_key(|e| (e.1 / d, place[e.0].0));
        let mut rest = &entries[..];
        for (contact, mu) in self.mu.iter().enumerate() {
            let own = rest.iter().take_while(|e| e.1 / d == contact).count();
            let (mine, others) = rest.split_at(own);
            rest = others;
            let mut parts: Vec<(usize, [Vec<f64>; 3])> = Vec::new();
            for (coordinate, column, x) in mine {
                let (block, k) = place[*coordinate];
                if parts.last().is_none_or(|part| part.0 != block) {
                    parts.push((block, [0, 1, 2].map(|_: usize| vec![0.0; blocks[block].len()])));
                }
                if let Some((_, rows)) = parts.last_mut() {
                    rows[column % d][k] = *x;
                }
            }
            let slices: Vec<_> = parts
                .iter()
                .map(|(block, rows)| (*block, [0, 1, 2].map(|k: usize| rows[k].as_slice())))
                .collect();
            let index = problem.add_contact(&slices, *mu)?;
            let w = &self.w[d * contact..d * (contact + 1)];
            problem.set_bias(index, [w[0], w[1], w.get(2).copied().unwrap_or(0.0)])?;
        }
        Ok(())
    }
}

/// Root of a coordinate's set; the path is shortened on the way.
fn root(parent: &mut [usize], mut k: usize) -> usize {
    while parent[k] != k {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    k
}
