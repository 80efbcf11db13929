//! `stiction-lab campaign agree`: every method that answers a law, on the same problems.

use std::time::Instant;

use stiction_contact::{ContactSolver, Method, Options, Status};

use super::alike::{COLUMNS, LAWS, compare, solve};
use super::families::{Family, Rng};
use super::runner::{Kind, Trial};
use super::sample::Sample;
use stiction_formats::BadInput;

/// Each method alone against the front door with all its fallbacks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Agree;

/// A row: a law, a method of it, and whether the stack with a mass ratio of 1e6 is solved or all the other families are: what the judge's
/// tolerance leaves open of a motion is magnified by that ratio.
fn cases() -> Vec<(usize, Method, bool)> {
    let both = |(law, method)| [false, true].map(|heavy| (law, method, heavy));
    pairs().into_iter().flat_map(both).collect()
}

/// Laws and their methods.
fn pairs() -> Vec<(usize, Method)> {
    let known = |law: usize| {
        let methods = Method::ALL
            .into_iter()
            .filter(move |method| method.laws().contains(&LAWS[law]));
        // Without groups these two hand everything to the others.
        methods.filter(|method| !matches!(method, Method::NonconvexMax | Method::NonconvexSum))
    };
    (0..LAWS.len())
        .flat_map(|law| known(law).map(move |method| (law, method)))
        .collect()
}

impl Kind for Agree {
    type Worker = ();

    fn name(&self) -> &'static str {
        "agree"
    }

    fn rows(&self) -> Vec<String> {
        let name = |(law, method, heavy): (usize, Method, bool)| {
            let family = if heavy { ", mass ratio 1e6" } else { "" };
            format!("{}: {}{family}", LAWS[law].name(), method.name())
        };
        cases().into_iter().map(name).collect()
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "alike",
            "apart, both verified",
            "method gave up",
            "different",
            "unsolved",
        ]
    }

    fn fine(&self) -> usize {
        3
    }

    fn figure(&self) -> &'static str {
        "largest difference"
    }

    fn worker(&self) -> Result<(), BadInput> {
        Ok(())
    }

    fn attempt(&self, (): &mut (), row: usize, rng: &mut Rng) -> Result<Trial, BadInput> {
        let (law, method, heavy) = cases()[row];
        let others: Vec<Family> = Family::OF_CONTACTS
            .into_iter()
            .filter(|f| *f != Family::MassRatio)
            .collect();
        let family = if heavy {
            Family::MassRatio
        } else {
            others[rng.between(0, others.len() - 1)]
        };
        let sample = Sample::draw(family, rng);
        let whole = solve(&sample, LAWS[law])?;
        let mut solver = ContactSolver::new(Options {
            law: LAWS[law],
            method: Some(method),
            ..Options::default()
        })?;
        let problem = sample.problem()?;
        let start = Instant::now();
        let alone = solver.solve(&problem)?;
        let time = start.elapsed();
        let (column, figure) = match (whole.status, alone.status) {
            (Status::Solved, Status::Solved) => {
                let (column, figure) = compare((&sample, &whole), (&sample, alone, &alone.velocity));
                (if column < 2 { column } else { 3 }, figure)
            }
            (Status::Solved, _) => (2, 0.0),
            _ => (4, 0.0),
        };
        Ok(Trial {
            column,
            figure,
            time,
            file: (column >= self.fine()).then(|| {
                let (family, law, method) = (family.name(), LAWS[law].name(), method.name());
                sample.file(&format!("{family}, law {law}, method {method}"))
            }),
        })
    }
}

/// What is asked of a changed problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// Bodies and contacts in another order; and, apart from it, other ids.
    Order,
    /// The whole scene turned and moved.
    Motion,
    /// Other units of length, mass and time.
    Units,
}

/// Problems beside changed ones with the same answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Changed {
    pub(crate) changes: &'static [Change],
    pub(crate) name: &'static str,
}

impl Changed {
    /// Bodies and contacts shuffled, ids renamed.
    pub(crate) const ORDER: Self = Self {
        changes: &[Change::Order],
        name: "order",
    };
    /// Rigid motion and units.
    pub(crate) const INVARIANCE: Self = Self {
        changes: &[Change::Motion, Change::Units],
        name: "invariance",
    };

    /// Change, law and family of each row.
    fn cases(self) -> Vec<(Change, usize, Family)> {
        let mut cases = Vec::new();
        for change in self.changes {
            // The polygon hangs on the axes: a turn of the scene is a change of it.
            let laws = if *change == Change::Motion { 2 } else { LAWS.len() };
            for law in 0..laws {
                cases.extend(Family::OF_CONTACTS.map(|family| (*change, law, family)));
            }
        }
        cases
    }
}

impl Kind for Changed {
    type Worker = ();

    fn name(&self) -> &'static str {
        self.name
    }

    fn rows(&self) -> Vec<String> {
        let name = |(change, law, family): (Change, usize, Family)| {
            let change = match change {
                Change::Order => "order",
                Change::Motion => "motion",
                Change::Units => "units",
            };
            format!("{change}, {}: {}", LAWS[law].name(), family.name())
        };
        self.cases().into_iter().map(name).collect()
    }

    fn columns(&self) -> &'static [&'static str] {
        &COLUMNS
    }

    fn fine(&self) -> usize {
        2
    }

    fn figure(&self) -> &'static str {
        "largest difference"
    }

    fn worker(&self) -> Result<(), BadInput> {
        Ok(())
    }

    fn attempt(&self, (): &mut (), row: usize, rng: &mut Rng) -> Result<Trial, BadInput> {
        let (change, law, family) = self.cases()[row];
        let sample = Sample::draw(family, rng);
        let first = solve(&sample, LAWS[law])?;
        let (changed, back) = sample.changed(change, rng);
        let start = Instant::now();
        let second = solve(&changed, LAWS[law])?;
        let time = start.elapsed();
        let (mut column, figure) = compare((&sample, &first), (&changed, &second, &back.velocity(&second.velocity)));
        if change == Change::Order && !same_bits_by_other_ids(&sample, law, rng)? {
            column = 2;
        }
        Ok(Trial {
            column,
            figure,
            time,
            file: (column >= self.fine()).then(|| {
                // The one that is not solved; of two that are solved, the first.
                let is_first = first.status != Status::Solved || second.status == Status::Solved;
                let (failed, which) = if is_first {
                    (&sample, "as drawn")
                } else {
                    (&changed, "changed")
                };
                failed.file(&format!("{}, law {}, {which}", family.name(), LAWS[law].name()))
            }),
        })
    }
}

/// Whether ids of contacts leave every bit of the answer as it is.
fn same_bits_by_other_ids(sample: &Sample, law: usize, rng: &mut Rng) -> Result<bool, BadInput> {
    let first = solve(sample, LAWS[law])?;
    let mut problem = sample.problem()?;
    for contact in 0..problem.contact_count() {
        // Different for different contacts: the low bits count.
        problem.set_key(contact, (rng.next() << 16) | contact as u64)?;
    }
    let options = Options {
        law: LAWS[law],
        ..Options::default()
    };
    Ok(*ContactSolver::new(options)?.solve(&problem)? == first)
}

#[cfg(test)]
mod tests {
    use super::super::runner::{Found, Settings, run};
    use super::*;

    fn assert_clean(found: &Found) {
        for (name, row) in found.named_rows() {
            let failed: usize = row.counts[found.fine..].iter().sum();
            assert_eq!(failed, 0, "{name}\n{}", found.table());
        }
    }

    #[test]
    fn methods_agree() {
        assert_clean(&run(&Agree, &Settings::of(660, 1), 0).unwrap());
    }

    #[test]
    fn order_and_ids_do_not_matter() {
        assert_clean(&run(&Changed::ORDER, &Settings::of(450, 1), 0).unwrap());
    }

    #[test]
    fn place_and_units_do_not_matter() {
        assert_clean(&run(&Changed::INVARIANCE, &Settings::of(500, 1), 0).unwrap());
    }
}
