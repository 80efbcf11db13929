//! Counts and times of the steps of a run, in room that does not grow with their number.

use std::collections::BTreeMap;
use std::time::Duration;

use stiction_sim::StepReport;

/// Width of a class of times: to this share a percentile is found.
const TIME_CLASS_WIDTH: f64 = 0.005;

/// `2.5 times real time`.
pub(super) fn real_time_factor(simulated: f64, taken: Duration) -> String {
    format!("{:.3} times real time", simulated / taken.as_secs_f64().max(1e-9))
}

/// Factorisations of moving steps: those with contacts after which a body is faster than gravity makes it in one step.
#[derive(Debug, Default)]
pub(super) struct Factorisations {
    /// Steps by their number of factorisations.
    steps: BTreeMap<usize, usize>,
}

impl Factorisations {
    /// Counts a step.
    pub(super) fn add(&mut self, report: &StepReport) {
        if report.moves && report.contacts > 0 {
            *self.steps.entry(report.work.factorisations).or_default() += 1;
        }
    }

    /// Moving steps.
    pub(super) fn steps(&self) -> usize {
        self.steps.values().sum()
    }

    /// The lower of the two in the middle; 0 without moving steps.
    pub(super) fn median(&self) -> usize {
        let mut left = self.steps().div_ceil(2);
        let middle = self.steps.iter().find(|(_, steps)| {
            left = left.saturating_sub(**steps);
            left == 0
        });
        middle.map_or(0, |(count, _)| *count)
    }

    /// Mean; 0 without moving steps.
    pub(super) fn mean(&self) -> f64 {
        let all: usize = self.steps.iter().map(|(count, steps)| count * steps).sum();
        all as f64 / self.steps().max(1) as f64
    }

    /// `80 steps with contacts, factorisations a step: median 3, mean 4.1`.
    pub(super) fn words(&self) -> String {
        let (steps, median, mean) = (self.steps(), self.median(), self.mean());
        format!("{steps} steps with contacts; factorisations a step: median {median}, mean {mean:.1}")
    }
}

/// Times of steps.
#[derive(Debug, Default)]
pub(super) struct StepTimes {
    /// Steps by the class of their time.
    steps: BTreeMap<i32, usize>,
    worst: Duration,
}

impl StepTimes {
    /// Counts a step.
    pub(super) fn add(&mut self, taken: Duration) {
        let us = (taken.as_secs_f64() * 1e6).max(1e-3);
        #[allow(clippy::cast_possible_truncation)] // A logarithm of a time.
        let class = (us.ln() / TIME_CLASS_WIDTH).round() as i32;
        *self.steps.entry(class).or_default() += 1;
        self.worst = self.worst.max(taken);
    }

    /// Time that so large a share of the steps does not exceed [us]; 0 without steps.
    pub(super) fn at(&self, share: f64) -> f64 {
        let count: usize = self.steps.values().sum();
        let (mut sum, most) = (0, share * count as f64);
        let class = self.steps.iter().find(|(_, steps)| {
            sum += **steps;
            sum as f64 >= most
        });
        class.map_or(0.0, |(class, _)| {
            (f64::from(*class) * TIME_CLASS_WIDTH).exp().min(self.worst())
        })
    }

    /// Longest time [us].
    pub(super) fn worst(&self) -> f64 {
        self.worst.as_secs_f64() * 1e6
    }

    /// `p50 2.9 us, p99 5.1 us, worst 34.0 us a step`.
    pub(super) fn words(&self) -> String {
        format!(
            "p50 {:.1} us, p99 {:.1} us, worst {:.1} us a step",
            self.at(0.5),
            self.at(0.99),
            self.worst()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Factorisations, StepTimes};
    use std::time::Duration;
    use stiction_sim::StepReport;

    #[test]
    fn percentiles_are_those_of_the_sorted_times() {
        let mut times = StepTimes::default();
        assert_eq!([times.at(0.5), times.worst()], [0.0; 2]);
        for us in (1..=1000).rev() {
            times.add(Duration::from_micros(us));
        }
        for (share, expected) in [(0.5, 500.0), (0.99, 990.0), (1.0, 1000.0)] {
            let found = times.at(share);
            assert!((found / expected - 1.0).abs() <= 0.006, "{share}: {found}");
        }
        assert_eq!(times.worst(), 1000.0);
    }

    #[test]
    fn steps_at_rest_and_in_flight_do_not_count_as_moving() {
        let mut counted = Factorisations::default();
        let mut add = |moves: bool, contacts: usize, factorisations: usize| {
            let mut report = StepReport {
                moves,
                contacts,
                ..StepReport::default()
            };
            report.work.factorisations = factorisations;
            counted.add(&report);
        };
        for (moves, contacts, factorisations) in
            [(false, 4, 1), (true, 0, 2), (true, 4, 3), (true, 4, 5), (true, 4, 10)]
        {
            add(moves, contacts, factorisations);
        }
        assert_eq!([counted.steps(), counted.median()], [3, 5]);
        assert_eq!(counted.mean(), 6.0);
    }
}
